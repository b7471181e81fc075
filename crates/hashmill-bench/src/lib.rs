//! `hashmill bench`: lanes, loops, files, ways to read, kernels, sum commands, copies, compiler flags.
//!
//! `hashmill-measure` does the measuring, `hashmill-peers` has the other implementations, and `hashmill-results`
//! handles the output; [`mod@bench`] has one file per kind of measurement.

pub mod args;
pub mod bench;
mod sys;

pub use args::BenchArgs;
pub use sys::allocator::{CountingAllocator, Counts};
