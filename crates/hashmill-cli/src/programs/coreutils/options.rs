//! The command line of each program. Errors have coreutils' wording and are found in its order.

use super::Kind;
use super::getopt::{self, Spelling};
use super::quote::word;
use crate::programs::known;
use hashmill::Algorithm;
use hashmill_lists::dialects::coreutils::Tag;
use std::ffi::OsString;
use std::fmt::Write;

/// Why the program stops before doing any work.
pub(super) enum Stop {
    Help,
    Version,
    /// Lines that say what is wrong, and whether to point to the help.
    Wrong(Vec<String>, bool),
}

impl From<String> for Stop {
    /// Converts an error of getopt.
    fn from(what: String) -> Self {
        Stop::Wrong(vec![what], true)
    }
}

/// The parsed command line.
pub(super) struct Asked {
    pub(super) work: Wanted,
    pub(super) files: Vec<OsString>,
    /// Whether no file was named. Standard input is read then, and old formats do not print its name.
    pub(super) stdin: bool,
}

pub(super) enum Wanted {
    Print(Print),
    Check(Check),
}

/// What to compute.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// POSIX's CRC, followed by the number of bytes.
    Crc,
    /// The CRC of zlib and Ethernet, in the same format.
    Crc32b,
    Bsd,
    SysV,
    Digest(Algorithm, Tag),
}

pub(super) enum Form {
    Tagged,
    Untagged { binary: bool },
    Raw,
}

pub(super) struct Print {
    pub(super) sort: Sort,
    pub(super) form: Form,
    pub(super) base64: bool,
    pub(super) zero: bool,
    pub(super) debug: bool,
}

pub(super) struct Check {
    /// The algorithm and tag of the lines, or `None` if the lines' tags tell them.
    pub(super) sort: Option<(Algorithm, Tag)>,
    /// Whether the program is cksum, which accepts more after a tag than md5sum does.
    pub(super) cksum: bool,
    pub(super) ignore_missing: bool,
    pub(super) quiet: bool,
    pub(super) status: bool,
    pub(super) strict: bool,
    pub(super) warn: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Algorithm,
    Base64,
    Binary,
    Bsd,
    Check,
    Debug,
    Help,
    IgnoreMissing,
    Length,
    Quiet,
    Raw,
    Status,
    Strict,
    SysV,
    Tag,
    Text,
    Untagged,
    Version,
    Warn,
    Zero,
}

/// Returns the options of a program.
fn spellings(kind: Kind) -> Vec<Spelling<Key>> {
    let option = |short: &str, long, key| Spelling {
        short: short.chars().next(),
        long,
        value: matches!(key, Key::Algorithm | Key::Length),
        key,
    };
    let ends = [option("", "help", Key::Help), option("", "version", Key::Version)];
    let mut all = match kind {
        Kind::Sum => vec![option("r", "", Key::Bsd), option("s", "sysv", Key::SysV)],
        _ => vec![
            option("b", if kind == Kind::Cksum { "" } else { "binary" }, Key::Binary),
            option("c", "check", Key::Check),
            option("", "ignore-missing", Key::IgnoreMissing),
            option("", "quiet", Key::Quiet),
            option("", "status", Key::Status),
            option("t", if kind == Kind::Cksum { "" } else { "text" }, Key::Text),
            option("w", "warn", Key::Warn),
            option("", "strict", Key::Strict),
            option("", "tag", Key::Tag),
            option("z", "zero", Key::Zero),
        ],
    };
    if matches!(kind, Kind::B2sum | Kind::Cksum) {
        all.push(option("l", "length", Key::Length));
    }
    if kind == Kind::Cksum {
        all.extend([
            option("a", "algorithm", Key::Algorithm),
            option("", "base64", Key::Base64),
            option("", "debug", Key::Debug),
            option("", "raw", Key::Raw),
            option("", "untagged", Key::Untagged),
        ]);
    }
    all.extend(ends);
    all
}

/// The algorithms that `cksum -a` accepts.
const ALGORITHMS: [&str; 14] = [
    "bsd", "sysv", "crc", "crc32b", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "sm3", "sha2",
    "sha3",
];

fn wrong(text: impl Into<String>) -> Stop {
    Stop::Wrong(vec![text.into()], true)
}

/// Parses the arguments.
pub(super) fn read(kind: Kind, args: impl IntoIterator<Item = OsString>) -> Result<Asked, Stop> {
    let mut chosen: Option<&'static str> = None;
    let mut length: Option<(u64, String)> = None;
    let (mut binary, mut tag, mut check, mut zero) = (None, None, false, false);
    let (mut ignore_missing, mut quiet, mut status, mut strict, mut warn) = (false, false, false, false, false);
    let (mut base64, mut raw, mut debug, mut sysv) = (false, false, false, false);
    let posix = std::env::var_os("POSIXLY_CORRECT").is_some();
    let mut files = getopt::read(&spellings(kind), args, posix, |key, value| {
        match (key, value.unwrap_or_default()) {
            (Key::Algorithm, name) => chosen = Some(algorithm(name)?),
            (Key::Base64, _) => base64 = true,
            // cksum accepts the letters only to point to its help.
            (Key::Binary | Key::Text, _) if kind == Kind::Cksum => return Err(Stop::Wrong(Vec::new(), true)),
            (Key::Binary, _) => binary = Some(true),
            (Key::Bsd, _) => sysv = false,
            (Key::Check, _) => check = true,
            (Key::Debug, _) => debug = true,
            (Key::Help, _) => return Err(Stop::Help),
            (Key::IgnoreMissing, _) => ignore_missing = true,
            (Key::Length, text) => length = Some((bits(text)?, text.to_string())),
            (Key::Quiet, _) => (status, warn, quiet) = (false, false, true),
            (Key::Raw, _) => raw = true,
            (Key::Status, _) => (status, warn, quiet) = (true, false, false),
            (Key::Strict, _) => strict = true,
            (Key::SysV, _) => sysv = true,
            (Key::Tag, _) => {
                tag = Some(true);
                binary = Some(true);
            }
            (Key::Text, _) => binary = Some(false),
            (Key::Untagged, _) => {
                // Also undoes the mode that `--tag` has set.
                if tag == Some(true) {
                    binary = None;
                }
                tag = Some(false);
            }
            (Key::Version, _) => return Err(Stop::Version),
            (Key::Warn, _) => (status, warn, quiet) = (false, true, false),
            (Key::Zero, _) => zero = true,
        }
        Ok(())
    })?;
    if kind == Kind::Sum {
        let sort = if sysv { Sort::SysV } else { Sort::Bsd };
        let form = Form::Untagged { binary: false };
        return Ok(asked(Wanted::Print(Print { sort, form, base64, zero, debug }), &mut files));
    }
    let sort = sort(kind, chosen, length)?;
    let old = !matches!(sort, Sort::Digest(..));
    if old && check && chosen.is_some() {
        let all = "--check is not supported with --algorithm={bsd,sysv,crc}";
        return Err(Stop::Wrong(vec![all.into()], false));
    }
    if base64 && raw {
        return Err(wrong("--base64 and --raw are mutually exclusive"));
    }
    let tagged = tag.unwrap_or(kind == Kind::Cksum);
    if tagged && binary == Some(false) {
        return Err(wrong("--tag does not support --text mode"));
    }
    if zero && check {
        return Err(wrong("the --zero option is not supported when verifying checksums"));
    }
    if kind != Kind::Cksum && tagged && check {
        return Err(wrong("the --tag option is meaningless when verifying checksums"));
    }
    if kind != Kind::Cksum && binary.is_some() && check {
        return Err(wrong("the --binary and --text options are meaningless when verifying checksums"));
    }
    for (given, name) in
        [(ignore_missing, "ignore-missing"), (status, "status"), (warn, "warn"), (quiet, "quiet"), (strict, "strict")]
    {
        if given && !check {
            return Err(wrong(format!("the --{name} option is meaningful only when verifying checksums")));
        }
    }
    let work = if check {
        let sort = match sort {
            Sort::Digest(a, tag) => Some((a, tag)),
            _ => None,
        };
        Wanted::Check(Check { sort, cksum: kind == Kind::Cksum, ignore_missing, quiet, status, strict, warn })
    } else {
        if raw && files.len() > 1 {
            return Err(Stop::Wrong(vec!["the --raw option is not supported with multiple files".into()], false));
        }
        let form = match (raw, tagged) {
            (true, _) => Form::Raw,
            (_, true) => Form::Tagged,
            _ => Form::Untagged { binary: binary == Some(true) },
        };
        Wanted::Print(Print { sort, form, base64, zero, debug })
    };
    Ok(asked(work, &mut files))
}

fn asked(work: Wanted, files: &mut Vec<OsString>) -> Asked {
    let stdin = files.is_empty();
    if stdin {
        files.push("-".into());
    }
    Asked { work, files: std::mem::take(files), stdin }
}

/// Returns the algorithm with exactly this name.
fn algorithm(name: &str) -> Result<&'static str, Stop> {
    if let Some(exact) = ALGORITHMS.into_iter().find(|a| *a == name) {
        return Ok(exact);
    }
    let mut lines = vec![format!("invalid argument {} for {}", word(name), word("--algorithm"))];
    let list = ALGORITHMS.iter().fold("Valid arguments are:".to_string(), |text, a| text + "\n  - " + &word(a));
    lines.push(list);
    Err(Stop::Wrong(lines, true))
}

/// Parses a length in bits.
fn bits(text: &str) -> Result<u64, Stop> {
    let typed = text.trim_start().strip_prefix('+').unwrap_or(text.trim_start());
    let digits = !typed.is_empty() && typed.bytes().all(|b| b.is_ascii_digit());
    let number = if digits { typed.parse().ok() } else { None };
    let why = if digits { ": Value too large for defined data type" } else { "" };
    number.ok_or_else(|| Stop::Wrong(vec![format!("invalid length: {}{why}", word(text))], false))
}

fn sort(kind: Kind, chosen: Option<&str>, length: Option<(u64, String)>) -> Result<Sort, Stop> {
    let invalid = |text: &str, why: String| Stop::Wrong(vec![format!("invalid length: {}", word(text)), why], false);
    let name = match kind {
        Kind::Digest(name, tag) => return Ok(Sort::Digest(known(name), Tag::Name(tag))),
        Kind::B2sum => "blake2b",
        Kind::Cksum | Kind::Sum => chosen.unwrap_or("crc"),
    };
    let fixed = |name: &'static str, tag| Sort::Digest(known(name), Tag::Name(tag));
    let chosen = match name {
        "bsd" => Sort::Bsd,
        "sysv" => Sort::SysV,
        "crc" => Sort::Crc,
        "crc32b" => Sort::Crc32b,
        "md5" => fixed("md5", "MD5"),
        "sha1" => fixed("sha1", "SHA1"),
        "sha224" => fixed("sha224", "SHA224"),
        "sha256" => fixed("sha256", "SHA256"),
        "sha384" => fixed("sha384", "SHA384"),
        "sha512" => fixed("sha512", "SHA512"),
        "sm3" => fixed("sm3", "SM3"),
        "sha2" | "sha3" => {
            let Some((bits, text)) = length else {
                return Err(wrong(format!("--algorithm={name} requires specifying --length 224, 256, 384, or 512")));
            };
            if ![224, 256, 384, 512].contains(&bits) {
                return Err(invalid(
                    &text,
                    format!("digest length for {} must be 224, 256, 384, or 512", word(&name.to_uppercase())),
                ));
            }
            let a = known(&if name == "sha2" { format!("sha{bits}") } else { format!("sha3-{bits}") });
            let tag = match (name, bits) {
                ("sha3", _) => Tag::Length("SHA3"),
                (_, 224) => Tag::Name("SHA224"),
                (_, 256) => Tag::Name("SHA256"),
                (_, 384) => Tag::Name("SHA384"),
                _ => Tag::Name("SHA512"),
            };
            return Ok(Sort::Digest(a, tag));
        }
        _ => {
            let longest = known("blake2b-512");
            let Some((bits, text)) = length.filter(|(bits, _)| *bits > 0) else {
                return Ok(Sort::Digest(longest, Tag::Blake2b));
            };
            if bits > 512 {
                return Err(invalid(&text, format!("maximum digest length for {} is 512 bits", word("BLAKE2b"))));
            }
            if bits % 8 != 0 {
                return Err(invalid(&text, "length is not a multiple of 8".into()));
            }
            let a = longest.with_digest_len(bits as usize / 8).unwrap_or_else(|e| unreachable!("{e}"));
            return Ok(Sort::Digest(a, Tag::Blake2b));
        }
    };
    if length.is_some_and(|(bits, _)| bits > 0) {
        return Err(Stop::Wrong(vec!["--length is only supported with --algorithm=blake2b".into()], false));
    }
    Ok(chosen)
}

/// Returns the help text of a program.
pub(super) fn help(name: &str, kind: Kind) -> String {
    let what = match kind {
        Kind::Digest(_, tag) => format!("Print or verify {tag} digests."),
        Kind::B2sum => "Print or verify BLAKE2b digests.".into(),
        Kind::Cksum => "Print or verify digests; without -a, POSIX's CRC and the number of bytes.".into(),
        Kind::Sum => "Print checksums and block counts.".into(),
    };
    let mut text = format!(
        "Usage: {name} [OPTION]... [FILE]...\n{what}\n\nWithout FILE, or where FILE is -, standard input is read.\n\n"
    );
    let mut option = |names: &str, what: &str| {
        let _ = writeln!(text, "  {names:<24}{what}");
    };
    if kind == Kind::Sum {
        option("-r", "BSD's checksum, blocks of 1 KiB (the default)");
        option("-s, --sysv", "System V's checksum, blocks of 512 bytes");
    } else {
        if kind == Kind::Cksum {
            option("-a, --algorithm=NAME", "the algorithm, see below");
            option("    --base64", "digests in base64");
        } else {
            option("-b, --binary", "mark names with * (the digest is the same)");
        }
        option("-c, --check", "read lists from the FILEs and verify what they name");
        if matches!(kind, Kind::B2sum | Kind::Cksum) {
            option("-l, --length=BITS", "the digest's length, a multiple of 8");
        }
        if kind == Kind::Cksum {
            option("    --debug", "say which code computes it");
            option("    --raw", "the bytes of the digest, and nothing else");
        }
        option("    --tag", "lines of the form  MD5 (name) = digest");
        if kind == Kind::Cksum {
            option("    --untagged", "lines of the form  digest  name");
        } else {
            option("-t, --text", "do not mark names (the default)");
        }
        option("-z, --zero", "end lines with NUL, and escape nothing in names");
        text.push_str("\nWith --check:\n");
        let mut option = |names: &str, what: &str| {
            let _ = writeln!(text, "  {names:<24}{what}");
        };
        option("    --ignore-missing", "neither fail for nor mention files that do not exist");
        option("    --quiet", "no OK for every file that is well");
        option("    --status", "nothing at all: the exit status tells");
        option("    --strict", "fail for lines that are not properly formatted");
        option("-w, --warn", "name such lines");
        text.push('\n');
    }
    let mut option = |names: &str, what: &str| {
        let _ = writeln!(text, "  {names:<24}{what}");
    };
    option("    --help", "this text");
    option("    --version", "the version");
    if kind == Kind::Cksum {
        let _ = write!(text, "\nAlgorithms: {}\n  {}\n", ALGORITHMS[..7].join(", "), ALGORITHMS[7..].join(", "));
    }
    text + "\nThis is hashmill's; hashmill sum and hashmill check do more.\n"
}
