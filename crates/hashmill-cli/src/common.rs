//! Arguments that several of the programs have.

use clap::{Args, ValueEnum};

/// When to show progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal, for work that takes more than a second
    Auto,
    /// Even where standard error is no terminal
    Always,
    /// Not at all
    Never,
}

// The arguments of `hashmill copy`. What stands before a struct in three strokes would be the command's help.
#[derive(Debug, Args)]
pub(crate) struct CopyCommand {
    #[command(flatten)]
    pub(crate) copy: hashmill_copy::CopyArgs,

    /// Show progress on standard error
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) progress: When,
}
