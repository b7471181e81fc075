//! How fast is it, and how sure is that? Timed runs in the manner of `openssl speed`, and comparisons with other
//! implementations that alternate with ours in one run.
//!
//! - [`speed`]: `hashmill speed`, OpenSSL's timed run with OpenSSL's options and lines, and more.
//! - [`mod@bench`]: `hashmill bench`: lanes, loops, files, ways to read, kernels, the sum commands, copies, compiler
//!   flags.
//! - [`results`], [`store`]: `hashmill results`: the runs that were kept, and what changed between them.
//! - [`paired`]: A B, B A, A B … in slices of a few milliseconds, a ratio for every pair. What slows the machine for a
//!   second slows both.
//! - [`stats`]: medians, quartiles, and intervals that assume no distribution.
//! - [`clock`]: what clocks can see, what loops cost, cycles.
//! - [`peer`]: the others: OpenSSL's libcrypto, RustCrypto, the crates of others, PHP, Go, Python, coreutils; which is
//!   the best.
//! - [`published`]: loops that published comparisons timed and that are no kernels of ours.
//! - [`crypto`]: ciphers and public keys, for `speed`.
//! - [`random`]: orders and messages that are the same every time; `progress`, `text`: a line that says how far it is,
//!   tables.
//! - [`run`]: one run with every sample, as it is shown and kept; [`chart`]: as a picture; [`machine`]: what it ran on.

pub mod args;
pub mod bench;
pub mod chart;
pub mod clock;
pub mod crypto;
pub mod machine;
pub mod paired;
pub mod peer;
mod progress;
pub mod published;
pub mod random;
pub mod results;
pub mod run;
pub mod speed;
pub mod stats;
pub mod store;
mod sys;
mod text;

/// What the fuzzers call.
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing {
    pub use crate::speed::speed_options;
}

pub use args::{BenchArgs, ResultsArgs};
pub use sys::allocator::{CountingAllocator, Counts};
