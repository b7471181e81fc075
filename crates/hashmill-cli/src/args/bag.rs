//! The arguments of `hashmill bag`.

use crate::args::reading::Reading;
use crate::terminal::color::Color;
use crate::terminal::progress::When;
use clap::{Args, Subcommand, ValueHint};
use hashmill_files::AlgorithmList;
use std::path::PathBuf;

/// Make, check and update bags (BagIt, RFC 8493)
///
/// A bag is a folder with its content in data/, manifests of that, and metadata in bag-info.txt, as libraries and
/// archives exchange it. hashmill reads and writes the bags of bagit.py.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill bag create --info 'Contact-Name: Ada' photos   photos becomes a bag
  hashmill bag check photos
  hashmill bag update photos                              after files were added

Exit status: 0, or 1 if a bag is not valid or something could not be done, or 2
for wrong usage.
")]
pub(crate) struct BagArgs {
    #[command(subcommand)]
    pub(crate) command: BagCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BagCommand {
    Create(CreateBagArgs),
    Check(CheckBagArgs),
    Update(UpdateBagArgs),
}

/// Turn folders into bags: move their content into data/, and add manifests
///
/// Everything is read before anything is moved. If the run is interrupted after that, the same command finishes the
/// bag.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill bag create photos
  hashmill bag create -a sha256,sha512 --info 'Source-Organization: Us' photos
  hashmill bag create --info-file info.txt photos films

Exit status: 0, or 1 if a folder could not be made a bag, or 2 for wrong usage.
")]
pub(crate) struct CreateBagArgs {
    /// Folders
    #[arg(value_name = "DIR", required = true, value_hint = ValueHint::DirPath)]
    pub(crate) folders: Vec<PathBuf>,

    /// Algorithms of the manifests, separated by commas, also given several times; by default sha512, which RFC 8493
    /// recommends
    #[arg(short, long = "algorithm", value_name = "ALG[,ALG…]", help_heading = "Algorithms")]
    pub(crate) algorithms: Vec<AlgorithmList>,

    /// A line of bag-info.txt: `Contact-Name: Ada`. Bagging-Date, Bag-Software-Agent and Payload-Oxum are added
    #[arg(long, value_name = "LABEL: VALUE", help_heading = "Metadata")]
    pub(crate) info: Vec<String>,

    /// Lines of bag-info.txt from FILE, before those of --info
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Metadata")]
    pub(crate) info_file: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) how: How,
}

/// Check whether bags are complete and valid
///
/// Every file is read once, for all manifests. Prints a line for each file that is not as they say, and a last line;
/// what is wrong with the bag's own files is said on standard error. Files that are to be fetched (fetch.txt) are
/// missing as long as they are not there; nothing is fetched.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill bag check photos
  hashmill bag check --fast */                 only the number and length of files
  hashmill bag check --json photos | jq 'select(.verdict == \"changed\")'

Exit status: 0 if all bags are valid, else 1, or 2 for wrong usage.
")]
pub(crate) struct CheckBagArgs {
    /// Bags
    #[arg(value_name = "BAG", required = true, value_hint = ValueHint::DirPath)]
    pub(crate) bags: Vec<PathBuf>,

    /// Compare only the number of files, and how long they are together, with Payload-Oxum
    #[arg(long, conflicts_with = "completeness_only", help_heading = "Verification")]
    pub(crate) fast: bool,

    /// Compare only which files there are, and how long they are together; do not read them
    #[arg(long, help_heading = "Verification")]
    pub(crate) completeness_only: bool,

    /// Add up the exit status from what is wrong: 1 changed, 4 not readable or not checked, 8 against the rules, 16
    /// missing, 32 not listed
    #[arg(long, help_heading = "Verification")]
    pub(crate) exit_bits: bool,

    /// Print a JSON object a line, described in docs/json.md
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub(crate) color: Color,

    #[command(flatten)]
    pub(crate) how: How,
}

/// Bring the manifests of a bag up to date with data/
///
/// Every file is read. New files are added. Where a file has another content than the manifests say, or is gone,
/// nothing tells whether that was meant: it is reported, and nothing is written without --accept or --prune.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill bag update photos
  hashmill bag update --accept --prune photos   whatever is in data/ is right

Exit status: 0, or 1 if the manifests were not brought up to date, or 2 for
wrong usage.
")]
pub(crate) struct UpdateBagArgs {
    /// The bag
    #[arg(value_name = "BAG", value_hint = ValueHint::DirPath)]
    pub(crate) bag: PathBuf,

    /// Renew the digests of files with another content
    #[arg(long, help_heading = "Updates")]
    pub(crate) accept: bool,

    /// Drop files that are gone from the manifests, and lines that are not understood
    #[arg(long, help_heading = "Updates")]
    pub(crate) prune: bool,

    /// Print a JSON object a line, described in docs/json.md
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub(crate) color: Color,

    #[command(flatten)]
    pub(crate) how: How,
}

/// What all subcommands have.
#[derive(Debug, Args)]
pub(crate) struct How {
    /// Print nothing if all is well
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    pub(crate) quiet: bool,

    /// Print a line for every file, and report on standard error how files are read
    #[arg(short, long, help_heading = "Output")]
    pub(crate) verbose: bool,

    /// Show progress on standard error
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub(crate) progress: When,

    #[command(flatten)]
    pub(crate) reading: Reading,
}
