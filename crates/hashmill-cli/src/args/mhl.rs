//! The arguments of `hashmill mhl`.

use crate::args::reading::Reading;
use crate::terminal::color::Color;
use crate::terminal::progress::When;
use clap::{Args, Subcommand, ValueHint};
use hashmill_lists::mhl::HashFormatList;
use std::path::PathBuf;

/// Make and verify the history of a folder (ASC MHL), as ascmhl does
///
/// A history is the folder `ascmhl`, in which every generation lists the files and folders below with their digests. It
/// goes with the recordings of a camera from copy to copy, and each program on the way adds a generation.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill mhl create /mnt/card           the first generation, or the next one
  hashmill mhl check /mnt/card            everything that is recorded
  hashmill mhl diff /mnt/card             names only
")]
pub(crate) struct MhlArgs {
    #[command(subcommand)]
    pub(crate) command: MhlCommand,
}

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is only one")]
pub(crate) enum MhlCommand {
    Create(MhlCreateArgs),
    Check(MhlCheckArgs),
    Diff(MhlDiffArgs),
}

/// Record a folder in a new generation of its history
///
/// Every file is read once, compared with what earlier generations say of it, and recorded: as original if it is new,
/// as verified, or as failed. Folders below that have a history of their own get a generation there, which this one
/// refers to. Patterns of what is left out go on from one generation to the next; .DS_Store and the folder ascmhl are
/// always left out.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill mhl create /mnt/card
  hashmill mhl create -a xxh64,c4 -i '*.tmp' /mnt/card
  hashmill mhl create --detect-renaming /mnt/card
  hashmill mhl create /mnt/card /mnt/card/Sidecar.txt      only this file
  hashmill mhl create --author-name 'A. Nyman' --location 'Stage 3' /mnt/card

Exit status: 0 if everything that was recorded before is as it was, else 1, or 2
for wrong usage. New files are no failure.
")]
pub(crate) struct MhlCreateArgs {
    /// The folder
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) dir: PathBuf,

    /// Record only these files, and what is in these folders; nothing is missing then, and folders get no digests
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub(crate) only: Vec<PathBuf>,

    /// Record files and folders that have another name as what they are, by their digests, with the name that they had.
    /// Otherwise they are missing and new
    #[arg(long, help_heading = "Verification")]
    pub(crate) detect_renaming: bool,

    /// Digests, separated by commas, also given several times: c4, md5, sha1, xxh128, xxh3, xxh64. By default those of
    /// the last generation, or xxh128
    #[arg(short, long = "algorithm", value_name = "ALG[,ALG…]", help_heading = "Algorithms")]
    pub(crate) algorithms: Vec<HashFormatList>,

    #[command(flatten)]
    pub(crate) common: MhlCommonArgs,

    /// Record folders without digests
    #[arg(short, long, help_heading = "Algorithms")]
    pub(crate) no_directory_hashes: bool,

    /// Who records: the name
    #[arg(long, value_name = "NAME", help_heading = "Record")]
    pub(crate) author_name: Option<String>,

    /// The email address
    #[arg(long, value_name = "EMAIL", help_heading = "Record")]
    pub(crate) author_email: Option<String>,

    /// The telephone number
    #[arg(long, value_name = "PHONE", help_heading = "Record")]
    pub(crate) author_phone: Option<String>,

    /// The role: DIT, data wrangler
    #[arg(long, value_name = "ROLE", help_heading = "Record")]
    pub(crate) author_role: Option<String>,

    /// Where
    #[arg(long, value_name = "PLACE", help_heading = "Record")]
    pub(crate) location: Option<String>,

    /// Anything else
    #[arg(long, value_name = "TEXT", help_heading = "Record")]
    pub(crate) comment: Option<String>,

    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Verify a folder against all generations of its history
///
/// The history itself is verified first: all generations against the chain. If it is whole, every file is read once,
/// for all digests that any generation has of it, and the digests of folders are compared with those of the last
/// generation that has them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill mhl check /mnt/card
  hashmill mhl check --json /mnt/card | jq 'select(.verdict == \"missing\")'
  hashmill mhl check -q /mnt/card || mail -s 'card is damaged' dit

Exit status: 0 if everything is as recorded and nothing is new, else 1, or 2 for
wrong usage.
")]
pub(crate) struct MhlCheckArgs {
    /// The folder
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) dir: PathBuf,

    #[command(flatten)]
    pub(crate) common: MhlCommonArgs,

    /// Do not compare the digests of folders
    #[arg(short, long, help_heading = "Algorithms")]
    pub(crate) no_directory_hashes: bool,

    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Say which files are missing or new, without reading them
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill mhl diff /mnt/card

Exit status: 0 if the names are those of the history, else 1, or 2 for wrong
usage.
")]
pub(crate) struct MhlDiffArgs {
    /// The folder
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) dir: PathBuf,

    #[command(flatten)]
    pub(crate) common: MhlCommonArgs,
}

/// What all of them have.
#[derive(Debug, Args)]
pub(crate) struct MhlCommonArgs {
    /// Leave out what matches PATTERN, as in a .gitignore file, besides what the history leaves out
    #[arg(short, long, visible_alias = "exclude", value_name = "PATTERN", help_heading = "Selection")]
    pub(crate) ignore: Vec<String>,

    /// Leave out what matches any line of FILE, which is like a .gitignore file
    #[arg(
        long,
        visible_alias = "exclude-from",
        value_name = "FILE",
        value_hint = ValueHint::FilePath,
        help_heading = "Selection"
    )]
    pub(crate) ignore_file: Vec<PathBuf>,

    /// Add up the exit status from what is wrong: 1 changed, rotten or differs, 2 digests of folders, 4 not readable or
    /// not recorded, 8 not understood, 16 missing, 32 new, 64 the history itself; moved is 48
    #[arg(long, help_heading = "Verification")]
    pub(crate) exit_bits: bool,

    /// Print a JSON object a line, described in docs/json.md
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Print only what is wrong
    #[arg(short, long, conflicts_with_all = ["verbose", "json"], help_heading = "Output")]
    pub(crate) quiet: bool,

    /// Print a line for every file and folder, and report on standard error how files are read
    #[arg(short, long, help_heading = "Output")]
    pub(crate) verbose: bool,

    /// Use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub(crate) color: Color,

    /// Show progress on standard error
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub(crate) progress: When,
}
