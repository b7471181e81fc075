//! How to measure on a machine that is never quiet: what is compared takes turns in slices of a few milliseconds, a
//! result is a median with an interval that assumes no distribution, and what else the machine did is written down.
//!
//! - [`paired`]: A B, B A, A B … in random order, a ratio for every pair: what slows the machine for a second slows both.
//! - [`stats`]: medians, quartiles, intervals, verdicts.
//! - [`clock`]: what clocks can see, what loops cost, cycles.
//! - [`machine`]: what it ran on, and what went on there meanwhile.
//! - [`run`]: one run with every sample, as it is shown and kept.
//! - [`chart`], [`text`]: pictures and tables. [`progress`]: a line that says how far it is.
//! - [`random`]: orders and messages that are the same every time. [`arguments`]: values on the command line.
//! - [`sys`]: interrupts, and the times of processes.

pub mod arguments;
pub mod chart;
pub mod clock;
pub mod machine;
pub mod paired;
pub mod progress;
pub mod random;
pub mod run;
pub mod stats;
pub mod sys;
pub mod text;
