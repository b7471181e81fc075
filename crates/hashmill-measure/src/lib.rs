//! Measurement on a machine that is never quiet. What is compared takes turns in slices of a few milliseconds, results
//! are medians with distribution-free intervals, and whatever else the machine did is recorded.
//!
//! - [`paired`]: A B, B A, A B … in random order, with one ratio per pair: what slows the machine for a second slows
//!   both.
//! - [`quiet`]: whether a thread shares its core with another.
//! - [`stats`]: medians, quartiles, intervals, verdicts.
//! - [`clock`]: clock resolution, loop overhead, cycles.
//! - [`machine`]: the machine, and what else happened on it meanwhile.
//! - [`run`]: one run with every sample, as it is shown and kept.
//! - [`engine`]: programs in other languages that run loops. [`child`]: programs that answer requests. [`whole`]: whole
//!   commands.
//! - [`suite`]: runs of suites, from which pages are made.
//! - [`chart`], [`table`]: charts and tables. [`progress`]: a progress line.
//! - [`random`]: orders and messages that are the same every time. [`arguments`]: values on the command line.
//! - [`bare`]: other programs as they are by themselves, to be measured or compared with.
//! - [`sys`]: interrupts, and the CPU times of processes.

pub mod arguments;
pub mod bare;
pub mod chart;
pub mod child;
pub mod clock;
pub mod engine;
pub mod machine;
pub mod paired;
pub mod progress;
pub mod quiet;
pub mod random;
pub mod run;
pub mod stats;
pub mod suite;
pub mod sys;
pub mod table;
pub mod whole;
