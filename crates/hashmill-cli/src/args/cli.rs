//! The command line as data: arguments, their help and examples.

use crate::args::bag::BagArgs;
use crate::args::mhl::MhlArgs;
use crate::args::reading::Reading;
use crate::args::trees::{AuditArgs, DiffArgs, DupsArgs, MergeArgs, Shard};
use crate::args::usage::{WIDTH, formed, only, usage, with_help};
use crate::terminal::color::Color;
use crate::terminal::progress::When;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueHint};
use clap_complete::Shell;
use hashmill::{Algorithm, Security};
use hashmill_files::{Io, Selection};
use hashmill_lists::{FORMS, Form, Function, FunctionList, Template};
use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Digests and checksums of many files at once, on the fastest code this machine has
#[derive(Debug, Parser)]
#[command(name = "hashmill", version, arg_required_else_help = true, disable_help_subcommand = true)]
#[command(after_help = examples())]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is only one")]
pub(crate) enum Command {
    Sum(SumArgs),
    Check(CheckArgs),
    Audit(AuditArgs),
    Diff(DiffArgs),
    Dups(DupsArgs),
    Merge(MergeArgs),
    Mhl(MhlArgs),
    Bag(BagArgs),
    #[cfg(feature = "copy")]
    Copy(CopyCommand),
    List(ListArgs),
    #[cfg(feature = "measure")]
    Speed(RawArgs),
    #[cfg(feature = "measure")]
    Bench(hashmill_bench::BenchArgs),
    #[cfg(feature = "measure")]
    Results(hashmill_results::ResultsArgs),
    Completions(CompletionsArgs),
    #[command(hide = true)]
    Candidates(CandidatesArgs),
    Man(ManArgs),
    Links(LinksArgs),
}

/// Returns the subcommand that the arguments ask for, or ends the program with a help text or one line about what is
/// wrong.
///
/// Only that subcommand is described to clap, since describing them all takes longer than hashing a small file.
pub(crate) fn parse(args: impl Iterator<Item = OsString>) -> Command {
    let all: Vec<OsString> = args.collect();
    let mut args = all.iter().cloned();
    match args.next().as_deref().and_then(OsStr::to_str) {
        // People who have typed `md5sum -c` for years do so here, too.
        Some("sum") if asks_for_check(&all[1..]) => Command::Check(with_help("hashmill check", args, with_forms)),
        Some("sum") => Command::Sum(with_help("hashmill sum", args, with_security)),
        Some("check") => Command::Check(with_help("hashmill check", args, with_forms)),
        Some("merge") => Command::Merge(only("hashmill merge", args)),
        Some("mhl") => Command::Mhl(only("hashmill mhl", args)),
        Some("dups") => Command::Dups(only("hashmill dups", args)),
        Some("diff") => Command::Diff(only("hashmill diff", args)),
        Some("bag") => Command::Bag(only("hashmill bag", args)),
        Some("audit") => Command::Audit(only("hashmill audit", args)),
        #[cfg(feature = "copy")]
        Some("copy") => Command::Copy(only("hashmill copy", args)),
        #[cfg(not(feature = "copy"))]
        Some("copy") => crate::args::usage::lacking("copy", "copy"),
        Some("list") => Command::List(only("hashmill list", args)),
        // Clap does not understand the options of `speed`, such as `-evp`.
        #[cfg(feature = "measure")]
        Some("speed") => Command::Speed(RawArgs { args: args.collect() }),
        #[cfg(feature = "measure")]
        Some("bench") => Command::Bench(only("hashmill bench", hashmill_bench::BenchArgs::complete(args.collect()))),
        #[cfg(feature = "measure")]
        Some("results") => Command::Results(only("hashmill results", args)),
        #[cfg(not(feature = "measure"))]
        Some(name @ ("speed" | "bench" | "results")) => crate::args::usage::lacking(name, "measure"),
        Some("completions") if all.get(1).is_some_and(|a| a == "--index") => {
            Command::Candidates(only("hashmill completions", args))
        }
        Some("completions") => Command::Completions(only("hashmill completions", args)),
        Some("man") => Command::Man(only("hashmill man", args)),
        Some("links") => Command::Links(only("hashmill links", args)),
        _ => {
            let words = std::iter::once(OsString::from("hashmill")).chain(all.iter().cloned());
            let cli = command().try_get_matches_from(words).and_then(|m| Cli::from_arg_matches(&m));
            cli.unwrap_or_else(|e| usage(&e, "hashmill", &command(), &all)).command
        }
    }
}

/// Returns whether `sum` is called the way the sum commands are for verification: with `--check` or with `-c`, alone or
/// grouped with other letters.
fn asks_for_check(args: &[OsString]) -> bool {
    let letters = |a: &str| a.len() > 1 && a.bytes().all(|b| b"bctwz".contains(&b)) && a.contains('c');
    let of = |a: &OsString| {
        a.to_str().is_some_and(|a| a == "--check" || a.strip_prefix('-').is_some_and(|a| a == "c" || letters(a)))
    };
    args.iter().take_while(|a| *a != "--").any(of)
}

/// Returns the text below the top-level help.
fn examples() -> String {
    let mut lines = vec![
        "hashmill sum *.iso > SHA256SUMS        hash files",
        "hashmill check SHA256SUMS              verify them",
        "hashmill sum -r -a md5,sha256 photos   two digests of a tree, read once",
        "hashmill list                          algorithms, and how they run here",
    ];
    if cfg!(feature = "copy") {
        lines.insert(3, "hashmill copy --by-date card photos    import photos, verified");
    }
    let examples = lines.iter().fold("Examples:\n".to_string(), |text, line| text + "  " + line + "\n");
    examples
        + "
Environment:
  HASHMILL_KERNEL=NAME[,NAME…]  kernels to prefer, of those that
                                `hashmill list` shows; portable is plain code

Exit status: 0, or 1 if something could not be done, or 2 for wrong usage.
"
}

/// Print digests of files
///
/// Lines come in the order of the arguments. Without FILE, or when FILE is -, standard input is read. MD5, SHA-1,
/// SHA-2, BLAKE2b and BLAKE3 give the lines of md5sum … b3sum; other algorithms, and several at once, give tagged
/// lines, which name the algorithm. `hashmill check` reads all of them, and every form of --format.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill sum *.iso > SHA256SUMS
  hashmill sum -a md5 file             the line that md5sum prints
  hashmill sum -r -a sha1,sha256 dir   two digests of every file, each read once
  hashmill sum -r --exclude '*.tmp' --format hashdeep -o list photos
  hashmill sum --template '{sha256:base64} {size} {path}' *.tgz
  hashmill sum --update list.json photos    only what is new is read
  find . -print0 | hashmill sum -a blake3 --files0-from -
  hashmill sum -a hmac-sha256 --key-file key *.tar
  hashmill sum -a s3-etag:part=8M backup.tar

Exit status: 0, or 1 if a file could not be read or the output not be written,
or 2 for wrong usage.
")]
pub(crate) struct SumArgs {
    /// Files to hash; - is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub(crate) files: Vec<OsString>,

    /// Algorithms, separated by commas, also given several times; see `hashmill list`. By default sha256, or what
    /// --format or --template needs. Also hmac-ALG, keyed-ALG, s3-etag:part=8M, ed2k, tth, aich, btih, c4, git,
    /// git-sha256, which docs/sum.md describes
    #[arg(short, long = "algorithm", value_name = "ALG[,ALG…]", help_heading = "Algorithms")]
    pub(crate) algorithms: Vec<FunctionList>,

    /// The key for hmac-ALG and keyed-ALG: all bytes of FILE, a line end too
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Algorithms")]
    pub(crate) key_file: Option<PathBuf>,

    /// Length of the digests in bits, for algorithms whose length can be chosen
    #[arg(short, long, value_name = "BITS", help_heading = "Algorithms")]
    pub(crate) length: Option<usize>,

    /// Verify the checksum lists FILE, like `hashmill check` and with its options
    #[arg(short, long, help_heading = "Input")]
    pub(crate) check: bool,

    /// Hash all files below directories, sorted by name. Symbolic links to directories are followed only if they are
    /// arguments; pipes, sockets and devices are skipped
    #[arg(short, long, help_heading = "Input")]
    pub(crate) recursive: bool,

    /// With -r, hash only part I of N of the files: which one a file is in depends on its name alone, so that N
    /// machines hash everything once. `hashmill merge` makes one list of theirs
    #[arg(long, value_name = "I/N", requires = "recursive", conflicts_with = "update", help_heading = "Input")]
    pub(crate) shard: Option<Shard>,

    /// With -r, follow symbolic links to directories, too; a link that leads to a directory above it is skipped
    #[arg(long, requires = "recursive", help_heading = "Input")]
    pub(crate) follow: bool,

    /// Hash the files that LIST names, one a line; - is standard input
    #[arg(
        long,
        value_name = "LIST",
        conflicts_with = "files",
        value_hint = ValueHint::FilePath,
        help_heading = "Input"
    )]
    pub(crate) files_from: Option<PathBuf>,

    /// Hash the files that LIST names, each ended by NUL, as `find -print0` writes it; - is standard input
    #[arg(
        long,
        value_name = "LIST",
        conflicts_with_all = ["files", "files_from"],
        value_hint = ValueHint::FilePath,
        help_heading = "Input"
    )]
    pub(crate) files0_from: Option<PathBuf>,

    /// Bring LIST up to date with the folder FILE, or make it: files that are new or have changed are added with their
    /// digests, those of the length and the time that the list states are not read. What has moved keeps its digest.
    /// Files that have rotted (the content differs, length and time do not) are reported, and keep theirs, too. Times
    /// are kept in LIST.times.json if the form of the list has none
    #[arg(
        long,
        value_name = "LIST",
        value_hint = ValueHint::FilePath,
        conflicts_with_all = [
            "files_from", "files0_from", "follow", "directory", "output", "template", "raw", "relative_to", "length",
            "upper", "base64", "base32",
        ],
        help_heading = "Updates"
    )]
    pub(crate) update: Option<PathBuf>,

    /// With --update, read all files, whatever their length and time
    #[arg(long, requires = "update", help_heading = "Updates")]
    pub(crate) verify: bool,

    /// With --update, drop files that are gone from the list
    #[arg(long, requires = "update", help_heading = "Updates")]
    pub(crate) prune: bool,

    /// With --update, renew the digests of files that have rotted, or that may have
    #[arg(long, requires = "update", help_heading = "Updates")]
    pub(crate) accept: bool,

    /// With --update, go on with a run that was interrupted: what it has read, and has not changed since, is not read
    /// again
    #[arg(long, requires = "update", help_heading = "Updates")]
    pub(crate) resume: bool,

    /// Change to DIR first, so that names are relative to it (-o and LIST are not)
    #[arg(short = 'C', long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Input")]
    pub(crate) directory: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) selection: Selection,

    /// Take only files with these extensions, in upper or lower case; jpg, .jpg and '*.jpg' are the same
    #[arg(long, value_name = "EXT[,EXT…]", value_delimiter = ',', help_heading = "Selection")]
    pub(crate) ext: Vec<String>,

    /// Number of threads; by default the number of cores
    #[arg(short = 'j', long, value_name = "N", help_heading = "Performance")]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Write the list in this form, described in docs/formats.md. Where a form's names are relative to the list's own
    /// folder, those of a list written with -o are, too
    #[arg(long, value_name = "FORM", value_parser = hashmill_lists::form_values(|_| true), help_heading = "Output")]
    pub(crate) format: Option<&'static Form>,

    /// Print a line after this pattern for each file: {path} {name} {folder} {size} {mtime}, algorithms ({sha256},
    /// {sha256:upper}, {sha256:base64}), \\n, \\t and \\0
    #[arg(
        long,
        value_name = "PATTERN",
        conflicts_with_all = ["format", "tag", "untagged", "json"],
        value_parser = Template::parse,
        help_heading = "Output"
    )]
    pub(crate) template: Option<Template>,

    /// Print lines of the form `SHA256 (name) = hex`
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    pub(crate) tag: bool,

    /// Print lines of the form `hex  name`, whatever the algorithm, which `hashmill check` may have to be told with -a
    #[arg(long, conflicts_with_all = ["tag", "json", "format"], help_heading = "Output")]
    pub(crate) untagged: bool,

    /// Print a JSON object per line, described in docs/json.md
    #[arg(long, conflicts_with_all = ["tag", "format"], help_heading = "Output")]
    pub(crate) json: bool,

    /// Print digests as lower-case hexadecimal digits (the default)
    #[arg(long, overrides_with_all = ["upper", "base64", "base32"], help_heading = "Output")]
    pub(crate) hex: bool,

    /// Print digests as upper-case hexadecimal digits
    #[arg(long, overrides_with_all = ["hex", "base64", "base32"], help_heading = "Output")]
    pub(crate) upper: bool,

    /// Print digests in base64
    #[arg(long, overrides_with_all = ["hex", "upper", "base32"], help_heading = "Output")]
    pub(crate) base64: bool,

    /// Print digests in base32, without padding
    #[arg(long, overrides_with_all = ["hex", "upper", "base64"], help_heading = "Output")]
    pub(crate) base32: bool,

    /// Print the digest's bytes and nothing else, for one file
    #[arg(
        long,
        conflicts_with_all = ["tag", "untagged", "json", "format", "template", "upper", "base64", "base32"],
        help_heading = "Output"
    )]
    pub(crate) raw: bool,

    /// Print names relative to DIR
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub(crate) relative_to: Option<PathBuf>,

    /// Write to FILE, which is replaced in one step when everything is done; `-` is standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Report on standard error how files are read, and what -r skips: the list itself, and what `hashmill copy` keeps
    /// in folders
    #[arg(short, long, help_heading = "Messages")]
    pub(crate) verbose: bool,

    /// How to read files
    #[arg(long, value_name = "HOW", default_value = "auto", help_heading = "Performance")]
    pub(crate) io: Io,

    /// End lines with NUL and do not escape names
    #[arg(short, long, help_heading = "Output")]
    pub(crate) zero: bool,

    /// Mark names in untagged lines with `*`, like the sum commands; the digest is the same
    #[arg(short, long, overrides_with = "text", help_heading = "Output")]
    pub(crate) binary: bool,

    /// Do not mark names (the default)
    #[arg(short, long, overrides_with = "binary", help_heading = "Output")]
    pub(crate) text: bool,

    /// Show progress on standard error
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Messages")]
    pub(crate) progress: When,
}

// Not a doc comment: that would replace the command's help, which is that of `CopyArgs`.
#[cfg(feature = "copy")]
#[derive(Debug, Args)]
pub(crate) struct CopyCommand {
    #[command(flatten)]
    pub(crate) copy: hashmill_copy::CopyArgs,

    /// Show progress on standard error
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub(crate) progress: When,
}

/// Verify checksum lists
///
/// Verifies every file that a list names, whatever program wrote the list; the forms are at the end of --help. Paths
/// are relative to the current directory, in some forms to the list's own. The algorithm is that of the line's tag,
/// else that of -a, else that of the list's name (SHA256SUMS, x.md5, b2sums). If none of these names it, MD5, SHA-1 and
/// all sound algorithms with digests of that length are tried, on the smallest files first, and one applies to the
/// whole list. A line that looks like a checksum line but is not understood counts as a failure.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill check SHA256SUMS
  hashmill check --quiet --ignore-missing *.sha512
  hashmill check -a blake3 - < list
  hashmill check --no-guess list       only lines that name their algorithm
  hashmill check --expect sha256:2cf24dba… x.iso
  hashmill check --expect 9b2cf535f27731c974343645a3985328-38 backup.tar
  hashmill check --key-file key HMACS

Exit status: 0 if everything is OK, else 1, or 2 for wrong usage.
")]
pub(crate) struct CheckArgs {
    /// Lists; - is standard input, which is also the default
    #[arg(value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub(crate) lists: Vec<OsString>,

    /// Verify the files given in place of lists against DIGEST, as it is pasted from anywhere: hex, also with blanks or
    /// colons between the digits, `sha256:…`, base64, base32, or a line of a list
    #[arg(long, value_name = "DIGEST", help_heading = "Input")]
    pub(crate) expect: Option<String>,

    /// Print a JSON object a line, described in docs/json.md
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub(crate) color: Color,

    /// Add up the exit status from what is wrong: 1 changed, 4 not readable or not checked, 8 not understood, 16
    /// missing
    #[arg(long, help_heading = "Verification")]
    pub(crate) exit_bits: bool,

    /// The algorithm of lines that do not name one; lines that name another are not counted. Also whatever `hashmill
    /// sum -a` takes
    #[arg(short, long, value_name = "ALG", help_heading = "Algorithms")]
    pub(crate) algorithm: Option<Function>,

    /// The key of HMACs and keyed digests: all bytes of FILE, a line end too
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Algorithms")]
    pub(crate) key_file: Option<PathBuf>,

    /// Do not print OK for each verified file
    #[arg(long, overrides_with_all = ["status", "warn", "quiet"], help_heading = "Output")]
    pub(crate) quiet: bool,

    /// Print nothing about files; only the exit status tells
    #[arg(long, overrides_with_all = ["quiet", "warn", "status"], help_heading = "Output")]
    pub(crate) status: bool,

    /// Warn about every line that is not properly formatted
    #[arg(short, long, overrides_with_all = ["quiet", "status", "warn"], help_heading = "Output")]
    pub(crate) warn: bool,

    /// Exit with status 1 if any line is not a properly formatted checksum line, not even a comment
    #[arg(long, help_heading = "Verification")]
    pub(crate) strict: bool,

    /// Do not try algorithms on lines that do not name theirs: such lines fail
    #[arg(long, help_heading = "Algorithms")]
    pub(crate) no_guess: bool,

    /// Accept digests that are shorter than 128 bits or than their algorithm's usual length, though they prove little
    #[arg(long, help_heading = "Algorithms")]
    pub(crate) allow_short: bool,

    /// Accepted for compatibility with md5sum; changes nothing
    #[arg(short = 'c', long = "check", help_heading = "Verification")]
    pub(crate) check: bool,

    // Options with which the sum commands write lists: accepted, but without effect here.
    #[arg(short = 'b', long, hide = true)]
    binary: bool,
    #[arg(short = 't', long, hide = true)]
    text: bool,
    #[arg(long, hide = true)]
    tag: bool,

    /// Read lines that end with NUL, as `hashmill sum -z` writes them (detected anyway)
    #[arg(short, long, help_heading = "Input")]
    pub(crate) zero: bool,

    /// Neither fail for nor report files that do not exist
    #[arg(long, help_heading = "Verification")]
    pub(crate) ignore_missing: bool,

    /// Names are relative to DIR instead of the current directory
    #[arg(short = 'C', long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Input")]
    pub(crate) directory: Option<PathBuf>,

    /// Read files outside of that directory, too, which absolute names, `..` and symbolic links can lead to; otherwise
    /// they are refused
    #[arg(long, help_heading = "Verification")]
    pub(crate) allow_outside: bool,

    /// Read named pipes, sockets and devices, too, which may take forever; otherwise they are skipped and reported
    #[arg(long, help_heading = "Verification")]
    pub(crate) allow_special: bool,

    /// Report on standard error how files are read
    #[arg(short, long, help_heading = "Output")]
    pub(crate) verbose: bool,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Show progress on standard error
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub(crate) progress: When,
}

/// List algorithms, how far they can be trusted, and their kernels
///
/// Kernels are marked: * runs here for one message, + for many, in (parentheses) what this machine cannot run.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill list                        how far each can be trusted
  hashmill list haval sha-3            families
  hashmill list --long sha256 blake3
  hashmill list --json | jq '.[].name'

Exit status: 0, or 1 if the output could not be written, or 2 for wrong usage.
")]
pub(crate) struct ListArgs {
    /// Algorithms or families; by default all
    #[arg(value_name = "ALG|FAMILY", value_parser = algorithms_or_families)]
    pub(crate) algorithms: Vec<Chosen>,

    /// More algorithms or families, as an option
    #[arg(short = 'a', long = "algorithm", value_name = "ALG[,ALG…]", value_parser = algorithms_or_families)]
    pub(crate) more: Vec<Chosen>,

    /// List the whole catalogue of CRCs, not only the usual ones
    #[arg(long, help_heading = "Output")]
    pub(crate) all: bool,

    /// Show aliases, family, year, specification and the reason for the status
    #[arg(short, long, help_heading = "Output")]
    pub(crate) long: bool,

    /// Print everything as JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

/// Returns how far algorithms can be trusted, for the help of `sum`.
fn security() -> String {
    let mut text = String::from("How far to trust an algorithm (why: hashmill list --long ALG):\n");
    for (status, meaning) in [
        (Security::Broken, "broken, for old lists only:"),
        (Security::Weak, "weak, not for anything new:"),
        (Security::Sound, "sound:"),
        (Security::NotCryptographic, "against accidents, not against people:"),
    ] {
        let mut line = format!("  {meaning}");
        let mut words: Vec<&str> = Vec::new();
        for a in Algorithm::all().filter(|a| a.security() == status && a.is_common()) {
            // A family of more than three members with the same status goes by its name.
            let family = Algorithm::all().filter(|b| b.family() == a.family() && b.is_common());
            let alike = family.clone().count() > 3 && family.clone().all(|b| b.security() == status);
            let word = if alike { a.family() } else { a.base_name() };
            if !words.contains(&word) {
                words.push(word);
            }
        }
        for word in words {
            if line.len() + word.len() >= WIDTH {
                text += &line;
                text.push('\n');
                line = "   ".into();
            }
            line.push(' ');
            line += word;
        }
        text += &line;
        text.push('\n');
    }
    text
}

/// Adds [`security`] below a command's help.
fn with_security(command: clap::Command) -> clap::Command {
    let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    command.after_help(format!("{}\n{}", examples.trim_end_matches('\n').to_owned() + "\n", security()))
}

/// Adds the forms of lists below a command's help.
fn with_forms(command: clap::Command) -> clap::Command {
    let mut text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    text = text.trim_end_matches('\n').to_owned()
        + "\n\nForms of lists, also compressed or in a PGP signature (docs/formats.md):\n";
    for form in &FORMS {
        let line = format!("  {:<10}  {}", form.name, form.what.replace('`', ""));
        text += &line.chars().take(WIDTH).collect::<String>();
        text.push('\n');
    }
    command.after_help(text)
}

/// Returns the whole command line.
pub(crate) fn command() -> clap::Command {
    formed(Cli::command()).mut_subcommand("sum", with_security).mut_subcommand("check", with_forms)
}

/// The algorithms that an argument of `list` selects.
#[derive(Debug, Clone)]
pub(crate) struct Chosen(pub(crate) Vec<Algorithm>);

/// Parses families (`haval` is all fifteen) and algorithms, separated by commas.
fn algorithms_or_families(text: &str) -> Result<Chosen, hashmill::Error> {
    hashmill::unstable::parse_families(text, |members| members).map(Chosen)
}

/// Measure speed the way `openssl speed` does, with its options and output
#[cfg(feature = "measure")]
#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    override_usage = "hashmill speed [OPTION…] [ALG…]",
    after_help = hashmill_speed::HELP
)]
pub(crate) struct RawArgs {
    /// Options and algorithms of openssl speed, described below
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) args: Vec<OsString>,
}

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill completions zsh > ~/.zfunc/_hashmill
  hashmill completions fish > ~/.config/fish/completions/hashmill.fish
  source <(hashmill completions bash)             in ~/.bashrc

Exit status: 0, or 1 if the output could not be written, or 2 for wrong usage.
")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

/// Print the completions for the word at the cursor, for the scripts of the shells
#[derive(Debug, Args)]
pub(crate) struct CandidatesArgs {
    /// Index of the word at the cursor; that of the program's name is 0
    #[arg(long)]
    pub(crate) index: usize,

    /// The words of the line
    #[arg(last = true)]
    pub(crate) words: Vec<OsString>,
}

/// Print the manual page, or write one page for each command to a directory
///
/// The pages in DIR, which is created if it does not exist, are hashmill.1, hashmill-sum.1 and so on, and one for each
/// program whose name this one answers to: hashmill-md5sum.1, so that md5sum.1 remains the page of the system's own.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill man | man -l -
  hashmill man ~/.local/share/man/man1

Exit status: 0, or 1 if a page could not be written, or 2 for wrong usage.
")]
pub(crate) struct ManArgs {
    /// Directory for the pages
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
}

/// Create links under which this program runs as md5sum and the like
///
/// Under those names, and as `hashmill md5sum …`, it does what the program of that name does, with the same options,
/// output, messages and exit status: md5sum, sha1sum, sha224sum, sha256sum, sha384sum, sha512sum, b2sum, cksum and sum
/// of the GNU coreutils, b3sum, and xxhsum with its names xxh32sum, xxh64sum, xxh128sum and xxh3sum. DIR is created if
/// it does not exist; anything else in it under such a name is left as it is.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill links ~/bin                 if it comes before /usr/bin in PATH
  hashmill md5sum -c MD5SUMS           the same without a link

Exit status: 0, or 1 if a link could not be made, or 2 for wrong usage.
")]
pub(crate) struct LinksArgs {
    /// Directory for the links
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: PathBuf,
}
