//! `hashmill bench`: lanes, loops, files, ways to read, kernels, the sum commands, copies, compiler flags.
//!
//! How it measures is in `hashmill-measure`, whom it compares with in `hashmill-peers`, where results go in
//! `hashmill-results`; [`mod@bench`] has a file for each kind of measurement.

pub mod args;
pub mod bench;
mod sys;

pub use args::BenchArgs;
pub use sys::allocator::{CountingAllocator, Counts};
