//! The command line of `speed`, after OpenSSL's.

use super::SIZES;
use crate::{machine, sys};
use hashmill::{Algorithm, Security};
use std::ffi::OsString;
use thiserror::Error;

pub(super) const HELP: &str = "\
Usage: hashmill speed [options] [algorithm...]

Times digests in the manner of openssl speed.

General options:
 -help               Display this summary
 -mr                 Produce machine readable output (openssl speed's records)
 -json               Produce JSON
 -multi +int         Run benchmarks in parallel

Selection options:
 -evp val            Time one digest more, in the last row

Timing options:
 -elapsed            Use wall-clock time instead of CPU user time as divisor
 -seconds +int       Run benchmarks for specified amount of seconds (3)
 -bytes +int         Run benchmarks on custom-sized buffer (16 64 256 1024 8192 16384)
 -misalign +int      Use specified offset to mis-align buffers

Parameters:
 algorithm           Algorithm(s) to test (optional; otherwise tests all cryptographic digests);
                     any name of `hashmill list`; sha is sha1, sha256 and sha512

Options may have one dash or two, stand after names, and take their value after a = too.
HASHMILL_KERNEL=NAME chooses the implementation.
";

/// What `speed` was asked to do.
#[derive(Debug, Clone)]
pub struct Options {
    pub(super) jobs: Vec<Job>,
    pub(super) sizes: Vec<usize>,
    pub(super) seconds: u32,
    pub(super) elapsed: bool,
    pub(super) machine: bool,
    pub(super) json: bool,
    pub(super) multi: Option<usize>,
    pub(super) misalign: usize,
    /// Said before the run.
    pub(super) notes: Vec<String>,
}

/// One row to be.
#[derive(Debug, Clone)]
pub(super) struct Job {
    /// OpenSSL's number of the row, as `+F` gives it.
    pub(super) index: usize,
    /// As the user gave it.
    pub(super) name: String,
    pub(super) algorithm: Algorithm,
}

#[derive(Debug)]
pub(super) enum Request {
    Run(Options),
    Help,
}

/// What is wrong with the arguments of `speed`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// A name, or a kernel in `HASHMILL_KERNEL`, that the library does not know.
    #[error(transparent)]
    Algorithm(#[from] hashmill::Error),
    /// Not an option of `openssl speed`.
    #[error("unknown option '{0}' (-help lists those there are)")]
    Unknown(String),
    /// An option of `openssl speed` that does not concern digests, or not yet.
    #[error("option '{0}' is not supported yet")]
    NotSupported(String),
    /// The option's value is missing.
    #[error("option '{0}' needs a value")]
    NeedsValue(String),
    /// A value where none belongs.
    #[error("option '{0}' takes no value")]
    TakesNoValue(String),
    /// Not a number, or out of range.
    #[error("option '{option}' needs a whole number from {least} to {most}, not '{value}'")]
    BadNumber {
        /// The option as given.
        option: String,
        /// Its value as given.
        value: String,
        /// The smallest that is allowed.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// The buffers would not fit into memory.
    #[error(
        "{needed} bytes of buffers do not fit into the {available} bytes of memory available: lower -bytes or -multi"
    )]
    TooLarge {
        /// Bytes needed.
        needed: u64,
        /// Bytes available.
        available: u64,
    },
    /// An argument that is not UTF-8.
    #[error("argument '{0}' is not UTF-8")]
    NotUtf8(String),
}

/// OpenSSL 3.0's own names and numbers of its digests' rows: the name that rows show, then what else it accepts.
const OPENSSL: [(usize, &[&str]); 9] = [
    (0, &["md2"]),
    (1, &["mdc2"]),
    (2, &["md4"]),
    (3, &["md5"]),
    (4, &["sha1"]),
    (5, &["rmd160", "ripemd", "ripemd160"]),
    (6, &["sha256"]),
    (7, &["sha512"]),
    (8, &["whirlpool"]),
];
/// The row of `-evp`.
pub(super) const EVP: usize = 25;
/// The first row that OpenSSL has no number for.
const OURS: usize = 100;

/// Options of `openssl speed` that are not ours: whether they take a value.
const FOREIGN: [(&str, bool); 17] = [
    ("decrypt", false),
    ("aead", false),
    ("mb", false),
    ("async_jobs", true),
    ("engine", true),
    ("primes", true),
    ("hmac", true),
    ("cmac", true),
    ("provider", true),
    ("provider-path", true),
    ("propquery", true),
    ("mlock", false),
    ("testmode", false),
    ("config", true),
    ("kem-algorithms", false),
    ("signature-algorithms", false),
    ("mac", true),
];

fn number(option: &str, value: &str, least: u64, most: u64) -> Result<u64, OptionsError> {
    let found = value.parse().ok().filter(|n| (least..=most).contains(n));
    found.ok_or_else(|| OptionsError::BadNumber { option: option.into(), value: value.into(), least, most })
}

/// Reads the arguments after `speed`.
pub(super) fn parse(args: Vec<OsString>) -> Result<Request, OptionsError> {
    let mut options = Options {
        jobs: Vec::new(),
        sizes: SIZES.to_vec(),
        seconds: 3,
        elapsed: false,
        machine: false,
        json: false,
        multi: None,
        misalign: 0,
        notes: Vec::new(),
    };
    let mut names = Vec::new();
    let mut evp = None;
    let mut args =
        args.into_iter().map(|a| a.into_string().map_err(|a| OptionsError::NotUtf8(a.display().to_string())));
    let mut only_names = false;
    while let Some(arg) = args.next() {
        let arg = arg?;
        if only_names || !arg.starts_with('-') || arg == "-" {
            names.push(arg);
            continue;
        }
        if arg == "--" {
            only_names = true;
            continue;
        }
        let bare = arg.strip_prefix("--").unwrap_or(&arg[1..]);
        let (option, mut given) = match bare.split_once('=') {
            Some((o, v)) => (o, Some(v.to_string())),
            None => (bare, None),
        };
        let shown = arg.split('=').next().unwrap_or(&arg);
        let value = &mut || match given.take() {
            Some(v) => Ok(v),
            None => args.next().unwrap_or(Err(OptionsError::NeedsValue(shown.into()))),
        };
        match option {
            "help" | "h" | "?" => return Ok(Request::Help),
            "seconds" => options.seconds = number(shown, &value()?, 1, i32::MAX as u64)? as u32,
            "bytes" => options.sizes = vec![number(shown, &value()?, 1, i32::MAX as u64)? as usize],
            "multi" => options.multi = Some(number(shown, &value()?, 1, 1024)? as usize),
            "misalign" => options.misalign = number(shown, &value()?, 0, 63)? as usize,
            "evp" => evp = Some(value()?),
            "rand" | "writerand" => {
                value()?;
                options.notes.push(format!("option '{shown}' has no effect: nothing here is random"));
            }
            "elapsed" => options.elapsed = true,
            "mr" => options.machine = true,
            "json" => options.json = true,
            _ if FOREIGN.iter().any(|(o, _)| *o == option) => return Err(OptionsError::NotSupported(shown.into())),
            _ => return Err(OptionsError::Unknown(shown.into())),
        }
        if given.is_some() {
            return Err(OptionsError::TakesNoValue(shown.into()));
        }
    }
    hashmill::check_kernel_preference()?;
    options.jobs = jobs(names, evp)?;
    let each = options.sizes.iter().max().copied().unwrap_or(0) as u64;
    let needed = each * options.multi.unwrap_or(1) as u64;
    if let Some(available) = sys::memory_available()
        && needed > available
    {
        return Err(OptionsError::TooLarge { needed, available });
    }
    if let Some(n) = options.multi
        && n > machine::cpus()
    {
        options.notes.push(format!("{n} children share {} CPUs", machine::cpus()));
    }
    Ok(Request::Run(options))
}

/// The rows in their order.
fn jobs(names: Vec<String>, evp: Option<String>) -> Result<Vec<Job>, OptionsError> {
    let mut jobs: Vec<Job> = Vec::new();
    let mut add = |name: &str, algorithm: Algorithm| {
        let openssl = OPENSSL.iter().find(|(_, names)| names.contains(&name));
        let (index, name) = openssl.map_or((usize::MAX, name), |(i, names)| (*i, names[0]));
        if !jobs.iter().any(|j| j.name == name) {
            jobs.push(Job { index, name: name.into(), algorithm });
        }
    };
    for name in &names {
        if name == "sha" {
            for name in ["sha1", "sha256", "sha512"] {
                add(name, name.parse()?);
            }
        } else {
            add(name, name.parse()?);
        }
    }
    if names.is_empty() && evp.is_none() {
        for a in Algorithm::all().filter(|a| a.security() != Security::NotCryptographic) {
            add(&a.name(), a);
        }
    }
    jobs.sort_by_key(|j| j.index);
    for (i, job) in jobs.iter_mut().filter(|j| j.index == usize::MAX).enumerate() {
        job.index = OURS + i;
    }
    if let Some(name) = evp {
        jobs.push(Job { index: EVP, algorithm: name.parse()?, name });
    }
    Ok(jobs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(args: &str) -> Result<Options, OptionsError> {
        match parse(args.split_whitespace().map(OsString::from).collect())? {
            Request::Run(o) => Ok(o),
            Request::Help => panic!("help"),
        }
    }

    fn rows(args: &str) -> Vec<(usize, String)> {
        parsed(args).unwrap().jobs.into_iter().map(|j| (j.index, j.name)).collect()
    }

    #[test]
    fn one_dash_two_dashes_and_equals() {
        for args in
            ["-seconds 7 -bytes 100 -mr md5", "--seconds=7 md5 --bytes=100 --mr", "-mr -seconds=7 --bytes 100 md5"]
        {
            let o = parsed(args).unwrap();
            assert_eq!((o.seconds, o.sizes, o.machine, o.jobs.len()), (7, vec![100], true, 1), "{args}");
        }
    }

    #[test]
    fn rows_come_in_openssls_order() {
        let expected = [
            (3, "md5"),
            (4, "sha1"),
            (6, "sha256"),
            (7, "sha512"),
            (100, "sha3-256"),
            (101, "SHA-256"),
            (25, "blake2b"),
        ];
        let expected: Vec<_> = expected.into_iter().map(|(i, n)| (i, n.to_string())).collect();
        assert_eq!(rows("sha3-256 sha md5 SHA-256 md5 -evp blake2b"), expected);
        assert_eq!(rows("-evp SHA2-256"), [(25, "SHA2-256".to_string())]);
        assert!(rows("").iter().any(|(i, n)| *i == 0 && n == "md2"));
        assert!(!rows("").iter().any(|(_, n)| n == "crc32"));
    }

    #[test]
    fn bad_arguments() {
        let message = |args: &str| parsed(args).unwrap_err().to_string();
        assert_eq!(message("-seconds 0"), "option '-seconds' needs a whole number from 1 to 2147483647, not '0'");
        assert_eq!(
            message("--bytes 99999999999"),
            "option '--bytes' needs a whole number from 1 to 2147483647, not '99999999999'"
        );
        assert_eq!(message("-multi"), "option '-multi' needs a value");
        assert_eq!(message("-mr=1"), "option '-mr' takes no value");
        assert_eq!(message("-engine x"), "option '-engine' is not supported yet");
        assert_eq!(message("--hmac=md5"), "option '--hmac' is not supported yet");
        assert_eq!(message("-bogus"), "unknown option '-bogus' (-help lists those there are)");
        assert!(message("sha265").starts_with("unknown algorithm 'sha265' (nearest: "));
        assert!(message("-evp nothing-like-it").starts_with("unknown algorithm 'nothing-like-it'"));
    }
}
