//! How files are read, in all commands that do nothing else with threads.

use clap::Args;
use hashmill_files::Io;
use std::num::NonZeroUsize;

/// How files are read.
#[derive(Debug, Args)]
pub(crate) struct Reading {
    /// How to read files
    #[arg(long, value_name = "HOW", default_value = "auto", help_heading = "Performance")]
    pub(crate) io: Io,

    /// Number of threads; by default the number of cores
    #[arg(short = 'j', long, value_name = "N", help_heading = "Performance")]
    pub(crate) threads: Option<NonZeroUsize>,
}
