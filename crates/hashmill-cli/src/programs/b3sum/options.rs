//! The command line of b3sum. Options are parsed as b3sum's clap does: they may stand anywhere and short ones may be
//! clustered, but none may be abbreviated or repeated.

use std::ffi::OsString;
use std::io::Read;
use std::num::NonZeroUsize;

/// Why the program stops before doing any work.
pub(super) enum Stop {
    Help,
    Version,
    /// The arguments are wrong.
    Wrong(String),
    /// The request cannot be carried out.
    Failed(String),
}

/// The parsed command line.
pub(super) struct Asked {
    pub(super) work: Wanted,
    pub(super) files: Vec<OsString>,
    pub(super) threads: Option<NonZeroUsize>,
    /// Whether files may be memory-mapped.
    pub(super) mapping: bool,
}

pub(super) enum Wanted {
    Check { quiet: bool },
    Print(Print),
}

pub(super) struct Print {
    pub(super) mode: Mode,
    /// Number of output bytes.
    pub(super) length: u64,
    /// Number of output bytes to skip before those.
    pub(super) seek: u64,
    pub(super) form: Form,
}

/// BLAKE3's mode.
pub(super) enum Mode {
    Hash,
    Keyed([u8; KEY]),
    DeriveKey(String),
}

/// The format of the output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Line,
    Tagged,
    NoName,
    Raw,
}

/// Length of a key in bytes.
const KEY: usize = 32;

/// Default length of a digest in bytes.
pub(super) const DIGEST: u64 = 32;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Opt {
    Check,
    Derive,
    Help,
    Keyed,
    Length,
    NoMmap,
    NoNames,
    NumThreads,
    Quiet,
    Raw,
    Seek,
    Tag,
    Version,
}

/// The options: letter, name, and the name of the value, which is empty if there is none.
const OPTIONS: [(Opt, Option<char>, &str, &str); 13] = [
    (Opt::Check, Some('c'), "check", ""),
    (Opt::Derive, None, "derive-key", "CONTEXT"),
    (Opt::Help, Some('h'), "help", ""),
    (Opt::Keyed, None, "keyed", ""),
    (Opt::Length, Some('l'), "length", "LEN"),
    (Opt::NoMmap, None, "no-mmap", ""),
    (Opt::NoNames, None, "no-names", ""),
    (Opt::NumThreads, None, "num-threads", "NUM"),
    (Opt::Quiet, None, "quiet", ""),
    (Opt::Raw, None, "raw", ""),
    (Opt::Seek, None, "seek", "SEEK"),
    (Opt::Tag, None, "tag", ""),
    (Opt::Version, Some('V'), "version", ""),
];

/// The options that cannot be used with `--check`.
const NOT_WITH_CHECK: [Opt; 6] = [Opt::Derive, Opt::Keyed, Opt::Length, Opt::Raw, Opt::Tag, Opt::NoNames];

/// Formats an option as messages show it.
fn shown(key: Opt) -> String {
    let (_, _, name, value) = OPTIONS.into_iter().find(|o| o.0 == key).unwrap_or(OPTIONS[0]);
    if value.is_empty() { format!("--{name}") } else { format!("--{name} <{value}>") }
}

fn takes_value(key: Opt) -> bool {
    OPTIONS.iter().any(|o| o.0 == key && !o.3.is_empty())
}

fn by_name(name: &str) -> Option<Opt> {
    OPTIONS.iter().find(|o| o.2 == name).map(|o| o.0)
}

fn by_letter(letter: char) -> Option<Opt> {
    OPTIONS.iter().find(|o| o.1 == Some(letter)).map(|o| o.0)
}

fn unknown(argument: &str) -> Stop {
    let like = OPTIONS.iter().find(|o| {
        let name = argument.strip_prefix("--").unwrap_or_default();
        name.len() > 1 && (o.2.starts_with(name) || name.starts_with(o.2))
    });
    let tip = match like {
        Some((_, _, name, _)) => format!("a similar argument exists: '--{name}'"),
        None => format!("to pass '{argument}' as a value, use '-- {argument}'"),
    };
    Stop::Wrong(format!("unexpected argument '{argument}' found\n\n  tip: {tip}"))
}

/// The options that were given, with their values.
#[derive(Default)]
struct Given(Vec<(Opt, String)>);

impl Given {
    fn has(&self, key: Opt) -> bool {
        self.0.iter().any(|(k, _)| *k == key)
    }

    fn value(&self, key: Opt) -> Option<&str> {
        self.0.iter().find(|(k, _)| *k == key).map(|(_, value)| value.as_str())
    }

    fn add(&mut self, key: Opt, value: String) -> Result<(), Stop> {
        match key {
            Opt::Help => return Err(Stop::Help),
            Opt::Version => return Err(Stop::Version),
            _ if self.has(key) => {
                return Err(Stop::Wrong(format!("the argument '{}' cannot be used multiple times", shown(key))));
            }
            _ => {}
        }
        self.0.push((key, value));
        match key {
            Opt::Length | Opt::Seek => self.number::<u64>(key).map(drop),
            Opt::NumThreads => self.number::<usize>(key).map(drop),
            _ => Ok(()),
        }
    }

    /// Refuses options that cannot be used together. Of these, the first that was given is blamed.
    fn clashes(&self) -> Result<(), Stop> {
        let excludes = |a: Opt, b: Opt| match (a, b) {
            (Opt::Check, other) | (other, Opt::Check) => NOT_WITH_CHECK.contains(&other),
            (a, b) => matches!((a, b), (Opt::Keyed, Opt::Derive) | (Opt::Derive, Opt::Keyed)),
        };
        for (option, _) in &self.0 {
            let others: Vec<_> = self.0.iter().filter(|(o, _)| excludes(*option, *o)).map(|(o, _)| shown(*o)).collect();
            let others = match &others[..] {
                [] => continue,
                [other] => format!(" '{other}'"),
                others => format!(":\n  {}", others.join("\n  ")),
            };
            return Err(Stop::Wrong(format!("the argument '{}' cannot be used with{others}", shown(*option))));
        }
        Ok(())
    }

    /// Parses the value of an option as a number.
    fn number<N: std::str::FromStr>(&self, key: Opt) -> Result<Option<N>, Stop>
    where
        N::Err: std::fmt::Display,
    {
        let number = |text: &str| {
            text.parse().map_err(|e| Stop::Wrong(format!("invalid value '{text}' for '{}': {e}", shown(key))))
        };
        self.value(key).map(number).transpose()
    }
}

/// Returns the value of an option when it is the next argument.
fn value(key: Opt, args: &mut impl Iterator<Item = OsString>) -> Result<String, Stop> {
    let missing = || Stop::Wrong(format!("a value is required for '{}' but none was supplied", shown(key)));
    let next = args.next().ok_or_else(missing)?;
    let next = next.into_string().map_err(|_| not_text())?;
    if next.len() > 1 && next.starts_with('-') {
        let is_option = match next.strip_prefix("--") {
            Some("") => true,
            Some(name) => by_name(name.split('=').next().unwrap_or_default()).is_some(),
            None => next[1..].starts_with(|letter| by_letter(letter).is_some()),
        };
        let letter = || next.chars().take(2).collect::<String>();
        return Err(match next.strip_prefix("--") {
            _ if is_option => missing(),
            Some(name) => unknown(&format!("--{}", name.split('=').next().unwrap_or_default())),
            None => unknown(&letter()),
        });
    }
    Ok(next)
}

fn not_text() -> Stop {
    Stop::Wrong("invalid UTF-8 was detected in one or more arguments".into())
}

fn given(args: impl IntoIterator<Item = OsString>) -> Result<(Given, Vec<OsString>), Stop> {
    let (mut given, mut files) = (Given::default(), Vec::new());
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        if arg == "--" {
            files.extend(args);
            break;
        }
        if arg == "-" || !arg.as_encoded_bytes().starts_with(b"-") {
            files.push(arg);
            continue;
        }
        let text = arg.to_str().ok_or_else(not_text)?;
        if let Some(long) = text.strip_prefix("--") {
            let (name, with) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            let key = by_name(name).ok_or_else(|| unknown(&format!("--{name}")))?;
            let value = match with {
                Some(value) if !takes_value(key) => {
                    let what = format!("unexpected value '{value}' for '{}' found; no more were expected", shown(key));
                    return Err(Stop::Wrong(what));
                }
                Some(value) => value.to_string(),
                None if takes_value(key) => value(key, &mut args)?,
                None => String::new(),
            };
            given.add(key, value)?;
            continue;
        }
        let mut letters = text[1..].chars();
        while let Some(letter) = letters.next() {
            let key = by_letter(letter).ok_or_else(|| unknown(&format!("-{letter}")))?;
            if !takes_value(key) {
                given.add(key, String::new())?;
                continue;
            }
            let rest = letters.as_str();
            let value = if rest.is_empty() {
                value(key, &mut args)?
            } else {
                rest.strip_prefix('=').unwrap_or(rest).to_string()
            };
            given.add(key, value)?;
            break;
        }
    }
    Ok((given, files))
}

/// Parses the arguments. For keyed hashing, it also reads the key from standard input.
pub(super) fn read(args: impl IntoIterator<Item = OsString>) -> Result<Asked, Stop> {
    let (given, mut files) = given(args)?;
    let threads = given.number::<usize>(Opt::NumThreads)?.and_then(NonZeroUsize::new);
    let length = given.number(Opt::Length)?.unwrap_or(DIGEST);
    let seek = given.number(Opt::Seek)?.unwrap_or(0);
    given.clashes()?;
    let check = given.has(Opt::Check);
    let lacks_files = given.has(Opt::Keyed) && files.is_empty();
    // Where --check could not be added, clap does not ask for it.
    let is_possible = lacks_files || !given.0.iter().any(|(key, _)| NOT_WITH_CHECK.contains(key));
    let lacks = [("--check", given.has(Opt::Quiet) && !check && is_possible), ("<FILE>...", lacks_files)];
    if lacks.iter().any(|(_, lacks)| *lacks) {
        let lines = lacks.iter().filter(|(_, lacks)| *lacks).map(|(what, _)| format!("\n  {what}"));
        let what = "the following required arguments were not provided:".to_string();
        return Err(Stop::Wrong(lines.fold(what, |text, line| text + &line)));
    }
    if files.is_empty() {
        files.push("-".into());
    }
    let threads = threads.or_else(|| std::env::var("RAYON_NUM_THREADS").ok()?.parse().ok());
    let mapping = !given.has(Opt::NoMmap);
    if check {
        return Ok(Asked { work: Wanted::Check { quiet: given.has(Opt::Quiet) }, files, threads, mapping });
    }
    if given.has(Opt::Raw) && files.len() > 1 {
        return Err(Stop::Failed("Only one filename can be provided when using --raw".into()));
    }
    let form = if given.has(Opt::Raw) {
        Form::Raw
    } else if given.has(Opt::NoNames) {
        Form::NoName
    } else if given.has(Opt::Tag) {
        Form::Tagged
    } else {
        Form::Line
    };
    let mode = match given.value(Opt::Derive) {
        Some(context) => Mode::DeriveKey(context.into()),
        None if given.has(Opt::Keyed) => Mode::Keyed(key(std::io::stdin().lock())?),
        None => Mode::Hash,
    };
    Ok(Asked { work: Wanted::Print(Print { mode, length, seek, form }), files, threads, mapping })
}

/// Reads a key up to the end of the input, which must have exactly the length of a key.
fn key(from: impl Read) -> Result<[u8; KEY], Stop> {
    let mut bytes = Vec::with_capacity(KEY + 1);
    let read = from.take(KEY as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|e| Stop::Failed(e.to_string()))?;
    <[u8; KEY]>::try_from(&bytes[..]).map_err(|_| {
        Stop::Failed(if bytes.len() > KEY {
            format!("read more than {KEY} key bytes from stdin")
        } else {
            format!("expected {KEY} key bytes from stdin, found {}", bytes.len())
        })
    })
}

pub(super) const HELP: &str = "\
Usage: b3sum [OPTION]... [FILE]...
Print or verify BLAKE3 digests.

Without FILE, or where FILE is -, standard input is read.

  -l, --length <LEN>          bytes of output (32 if not given)
      --seek <SEEK>           bytes of output to leave out before them
      --keyed                 with a key: the 32 bytes on standard input
      --derive-key <CONTEXT>  derive keys from the files for this context
      --num-threads <NUM>     threads at most; 0 is as many as there are cores
      --no-mmap               files are read, never mapped into memory
      --no-names              the digests without the names
      --raw                   the bytes of one digest, and nothing else
      --tag                   lines of the form  BLAKE3 (name) = digest
  -c, --check                 read lists from the FILEs, verify what they name
      --quiet                 with --check, no OK for every file that is well
  -h, --help                  this text
  -V, --version               the version

This is hashmill's; hashmill sum -a blake3 and hashmill check do more.
";
