//! The arguments of the commands that compare trees.

use crate::args::reading::Reading;
use crate::terminal::color::Color;
use crate::terminal::progress::When;
use clap::{Args, ValueHint};
use hashmill::Algorithm;
use hashmill_files::Selection;
use hashmill_lists::{Form, Function};
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Say what became of the files in a list: what changed, moved, rotted
///
/// Compares a folder with a checksum list of what was in it, of any form that `hashmill check` reads. Every file is
/// read, and is in one class: same; touched (only its time differs); moved and copied (known by their digests); new;
/// changed (content and time differ); rotten (the content differs though length and time do not); differs (the list
/// has no times, so neither can be told); missing; unreadable. Files that are the same get no line. Without DIR, the
/// folder is the innermost one that has all files of the list.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill sum -r --format json -o list photos    a list with times
  hashmill audit list
  hashmill audit --quick list photos
  hashmill audit SHA256SUMS /mnt/backup/photos
  hashmill audit photos                           the list that hashmill copy keeps
  hashmill audit --repair /mnt/backup photos
  hashmill audit --oldest 5% list                 every night: all in 20 nights
  hashmill audit --json list | jq 'select(.verdict == \"rotten\")'

Exit status: 0 if everything is as listed, apart from times, else 1, or 2 for
wrong usage.
")]
pub(crate) struct AuditArgs {
    /// Lists, and the folder that they are about; - is a list on standard input
    #[arg(value_name = "LIST|DIR", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<OsString>,

    /// Do not read files whose length and time are as the list states, but take them for the same
    #[arg(long, help_heading = "Verification")]
    pub(crate) quick: bool,

    /// Of the files whose length and time are as listed, read only those that were verified longest ago, for about
    /// TIME: 30m, 2h. When that was is kept in STATE
    #[arg(
        long,
        value_name = "TIME",
        value_parser = hashmill_files::parse_age,
        conflicts_with = "quick",
        help_heading = "Verification"
    )]
    pub(crate) budget: Option<Duration>,

    /// The same, for this part of the files that the list names
    #[arg(
        long,
        value_name = "PERCENT",
        value_parser = percent,
        conflicts_with_all = ["quick", "budget"],
        help_heading = "Verification"
    )]
    pub(crate) oldest: Option<f64>,

    /// Keep in STATE when each file was last verified; with --budget and --oldest, by default in LIST.verified.json
    #[arg(long, value_name = "STATE", value_hint = ValueHint::FilePath, help_heading = "Verification")]
    pub(crate) state: Option<PathBuf>,

    /// Replace what has rotted or cannot be read any more by copies with the listed content, wherever they are below
    /// FROM; what only differs, if its copy has the same length and time. The damaged files are kept in
    /// DIR/.hashmill/damaged. The exit status says what was found
    #[cfg(feature = "copy")]
    #[arg(long, value_name = "FROM", value_hint = ValueHint::DirPath, help_heading = "Verification")]
    pub(crate) repair: Option<PathBuf>,

    /// New files, and copies of others, are no reason for exit status 1
    #[arg(long, help_heading = "Verification")]
    pub(crate) allow_new: bool,

    /// Add up the exit status from what is wrong: 1 changed, rotten or differs, 4 not readable or not checked, 8 not
    /// understood, 16 missing, 32 new; moved is 48
    #[arg(long, help_heading = "Verification")]
    pub(crate) exit_bits: bool,

    /// Names in lists are relative to BASE, if neither the current directory nor DIR is right
    #[arg(short = 'C', long, value_name = "BASE", value_hint = ValueHint::DirPath, help_heading = "Input")]
    pub(crate) directory: Option<PathBuf>,

    /// Lines of lists end with NUL, as `hashmill sum -z` writes them (detected anyway)
    #[arg(short, long, help_heading = "Input")]
    pub(crate) zero: bool,

    #[command(flatten)]
    pub(crate) selection: Selection,

    /// The algorithm of lines that do not name one; also whatever `hashmill sum -a` takes
    #[arg(short, long, value_name = "ALG", help_heading = "Algorithms")]
    pub(crate) algorithm: Option<Function>,

    /// The key of HMACs and keyed digests: all bytes of FILE, a line end too
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Algorithms")]
    pub(crate) key_file: Option<PathBuf>,

    /// Do not try algorithms on lines that do not name theirs: such files are not checked
    #[arg(long, help_heading = "Algorithms")]
    pub(crate) no_guess: bool,

    /// Accept digests that are shorter than 128 bits or than their algorithm's usual length, though they prove little
    #[arg(long, help_heading = "Algorithms")]
    pub(crate) allow_short: bool,

    /// Print a JSON object a line, described in docs/json.md
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Print a line for every file in the symbols of `rclone check --combined`: = same, * another content, + missing,
    /// - new, ! not readable
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    pub(crate) combined: bool,

    /// Use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub(crate) color: Color,

    /// Print a line for every file, and report on standard error how files are read
    #[arg(short, long, help_heading = "Output")]
    pub(crate) verbose: bool,

    /// Show progress on standard error
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub(crate) progress: When,

    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Compare two folders, two lists, or a folder with a list
///
/// Says which files are the same, changed, moved (another name and the same content), only on the first side (-) or
/// only on the second (+). Of two folders, only files are read that may be the same by their lengths; nothing is hashed
/// whose digest a list has. Times, modes, empty folders and links are not compared.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill diff photos /mnt/backup/photos
  hashmill diff SHA256SUMS /mnt/backup/photos
  hashmill diff old.sums new.sums
  hashmill diff --content-only card photos | grep '^-'    what is not imported

Exit status: 0 if both sides are the same, 1 if not, or 2 if something could not
be compared, and for wrong usage.
")]
pub(crate) struct DiffArgs {
    /// The first side: a folder or a list; - is a list on standard input
    #[arg(value_hint = ValueHint::AnyPath)]
    pub(crate) a: OsString,

    /// The second side
    #[arg(value_hint = ValueHint::AnyPath)]
    pub(crate) b: OsString,

    /// Compare contents alone: a file is the same if the other side has its content under any name
    #[arg(long, help_heading = "Comparison")]
    pub(crate) content_only: bool,

    #[command(flatten)]
    pub(crate) selection: Selection,

    /// The algorithm for the files of two folders, by default blake3; and of lines in lists that do not name one
    #[arg(short, long, value_name = "ALG", help_heading = "Algorithms")]
    pub(crate) algorithm: Option<Algorithm>,

    /// Print a JSON object a line, described in docs/json.md
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Also print a line for every file that is the same
    #[arg(short, long, help_heading = "Output")]
    pub(crate) verbose: bool,

    /// Show progress on standard error
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub(crate) progress: When,

    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Find files with the same content
///
/// Prints groups of files with the same content, those first that take the most space needlessly, and never deletes
/// anything. Only files of one length are read: their first and last blocks, and those that are still alike as a whole.
/// Hard links and reflinks take no space of their own, and are marked. Empty files and symbolic links are left out.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill dups photos
  hashmill dups --min-size 1M --ext jpg,mov card photos
  hashmill dups --json photos | jq -r 'select(.verdict == \"duplicate\").path'
  hashmill dups -0 photos    groups end with an empty name

Exit status: 0, also if there are duplicates, 1 if a file could not be read, or
2 for wrong usage.
")]
pub(crate) struct DupsArgs {
    /// Folders and files
    #[arg(value_name = "DIR", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<OsString>,

    #[command(flatten)]
    pub(crate) selection: Selection,

    /// Take only files with these extensions, in upper or lower case; jpg, .jpg and '*.jpg' are the same
    #[arg(long, value_name = "EXT[,EXT…]", value_delimiter = ',', help_heading = "Selection")]
    pub(crate) ext: Vec<String>,

    /// The algorithm by whose digests files are the same; one that is not sound may be deceived
    #[arg(short, long, value_name = "ALG", default_value = "blake3", help_heading = "Algorithms")]
    pub(crate) algorithm: Algorithm,

    /// Print a JSON object a file, described in docs/json.md
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Print only names that take space of their own, each ended by NUL, and an empty name after each group
    #[arg(short = '0', long = "null", conflicts_with = "json", help_heading = "Output")]
    pub(crate) null: bool,

    /// Show progress on standard error
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub(crate) progress: When,

    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Make one list of several
///
/// Every file comes once, with all digests that any of the lists has of it, in the order of a walk; names are not
/// changed. If two lists contradict each other, a line says so, and the first one counts. The form is that of the first
/// list unless --format says otherwise.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill sum -r --shard 1/2 --json /data > a.json     on one machine
  hashmill sum -r --shard 2/2 --json /data > b.json     on another
  hashmill merge a.json b.json -o all.json
  hashmill merge --format bsd MD5SUMS SHA256SUMS

Exit status: 0, or 1 if a line was not understood or contradicts another, or 2
for wrong usage.
")]
pub(crate) struct MergeArgs {
    /// Lists; - is standard input
    #[arg(value_name = "LIST", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) lists: Vec<OsString>,

    /// The algorithm of lines that do not name one
    #[arg(short, long, value_name = "ALG", help_heading = "Algorithms")]
    pub(crate) algorithm: Option<Algorithm>,

    /// Write the list in this form, described in docs/formats.md
    #[arg(long, value_name = "FORM", value_parser = hashmill_lists::form_values(|_| true), help_heading = "Output")]
    pub(crate) format: Option<&'static Form>,

    /// Write to FILE, which is replaced in one step when everything is done; `-` is standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Read and write lines that end with NUL
    #[arg(short, long, help_heading = "Output")]
    pub(crate) zero: bool,
}

/// Parses a percentage: `5%`, `0.5`.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').parse().ok().filter(|n| (0.0..=100.0).contains(n) && *n > 0.0);
    number.map(|n: f64| n / 100.0).ok_or_else(|| format!("'{text}' is not a percentage above 0 and up to 100"))
}

/// A part of all files: number `part`, from 1 on, of `parts`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shard {
    part: u64,
    parts: u64,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is not a part such as 1/4: two numbers, the first from 1 to the second");
        let (part, parts) = text.split_once('/').ok_or_else(wrong)?;
        let (part, parts) = (part.parse().map_err(|_| wrong())?, parts.parse().map_err(|_| wrong())?);
        if (1..=parts).contains(&part) { Ok(Shard { part, parts }) } else { Err(wrong()) }
    }
}

impl Shard {
    /// Returns whether the file with this name is in the part, by the XXH64 of the name.
    pub(crate) fn has(self, name: &[u8]) -> bool {
        let digest = Algorithm::XXH64.digest(name);
        let number = digest.as_bytes().try_into().map_or(0, u64::from_be_bytes);
        number % self.parts == self.part - 1
    }
}
