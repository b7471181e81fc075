//! The command line of `speed`, modeled on OpenSSL's.

use super::data::Data;
use super::error::OptionsError;
use super::timing::{AEAD_SIZES, Asked, SIZES, Style, Task, Timing, is_name, jobs};
use clap::ValueEnum;
use hashmill::unstable::nearest;
use hashmill_measure::machine;
use hashmill_measure::sys;
use hashmill_peers::arguments::message_size;
use hashmill_peers::peer::PeerKind;
use hashmill_results::output::OutputArgs;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What `-help` prints.
pub const HELP: &str = "\
Usage: hashmill speed [options] [algorithm...]

Times digests, HMACs, ciphers and public keys in the manner of openssl speed.

General options:
 -help               Display this summary
 -mr                 Produce machine readable output (openssl speed's records)
 -multi +int         Run benchmarks in parallel: number of processes, 1 to 1024;
                     their rates are added up
 -threads +int       Run benchmarks in parallel: number of threads of one
                     process, 1 to 256; their rates are added up
 -primes +int        Specify number of primes, 2 to 10 (for RSA only)
 -style val          Lines of this version of OpenSSL: 1.1.1, 3.0 (default), 3.2

Selection options:
 -algorithm list     Algorithms to test, as an option; -a is the same
 -evp val            Time one more digest or cipher, in the last row
 -hmac val           HMAC using this digest
 -decrypt            Time decryption instead of encryption (only -evp, and
                     ciphers that OpenSSL times only so)
 -aead               Benchmark AEAD ciphers in TLS-like sequence (only those
                     too): 2 31 136 1024 8192 16384 bytes
 -provider val       Whose code: hashmill, aws-lc, rustcrypto, openssl
                     (libcrypto, in this process). Default: digests and HMACs
                     are hashmill's, ciphers and keys AWS-LC's (RustCrypto's
                     where AWS-LC has none)

Timing options:
 -elapsed            Use wall-clock time instead of CPU user time as divisor;
                     always so with -multi and -threads
 -seconds +int       Run benchmarks for specified amount of seconds, 1 to 86400
                     (3; public keys 10)
 -bytes size         Run [non-PKI] benchmarks on custom-sized buffer
 -size list          On several sizes: 5,90,16k (16,64,256,1024,8192,16384)
 -data val[,val]     What the buffers hold: zero (default), random (drawn before
                     the clock starts), or a file's bytes; several buffers take
                     turns, 16 or as many as fit into 8 MiB. Of several contents
                     the others are compared with the first: zero,random
 -misalign +int      Use specified offset to mis-align buffers (0 to 63)
 -testmode           Run every operation once, to see that everything works; the
                     rates mean nothing

Accuracy:
 -reps +int          Number of repetitions that the seconds are split into, 1 to
                     10000; show their median with its 95 % interval, user and
                     wall time, cycles (6 with -json, -svg or -save, else 1)
 -long               Show that table for one repetition too
 -peer list          Compare with others in alternation, slice by slice, and
                     show the ratios: openssl, openssl2 (that of
                     HASHMILL_LIBCRYPTO2), openssl-once, rustcrypto, crates,
                     php, go, python, coreutils

Output:
 -json               Produce JSON with every sample
 -svg file           Draw a chart into this file
 -save[=name]        Keep the run, under a name if one is given (-save name too,
                     unless it is an algorithm); see `hashmill results --help`
 -db file            The store to keep it in

Options of openssl speed that have no effect here, and say so:
 -engine val, -async_jobs +int, -mb, -cmac val, -rand val, -writerand outfile,
 -provider-path val, -propquery val, -mlock, -config file, -kem-algorithms,
 -signature-algorithms, and -provider with an OpenSSL provider's name

Parameters:
 algorithm           Algorithm(s) to test (optional; otherwise all cryptographic
                     digests, ciphers and public keys): any name of
                     `hashmill list`; hmac(DIGEST);
                     aes-{128,192,256}-{cbc,ctr,gcm}, chacha20-poly1305;
                     rsa512 rsa1024 rsa2048 rsa3072 rsa4096 ecdsap256 ed25519;
                     sha (sha1 sha256 sha512), aes (the three cbc), rsa, ecdsa,
                     eddsa, hmac

Sizes are whole numbers of bytes from 1 to 1G, with k, M or G for powers of 1024
(kB, MB, GB: of 1000). Options may have one dash or two, stand after names, and
take their value after a = too.

Examples:
  hashmill speed md5 sha256
  hashmill speed -evp aes-128-gcm -aead -seconds 1
  hashmill speed -mr -multi 4 sha512 rsa2048
  hashmill speed -hmac sha256 -size 5,90,16k -data random
  hashmill speed -reps 20 -svg sha256.svg sha256
  hashmill speed -peer openssl,go -bytes 16384 md5 sha1 sha256
  hashmill speed -style 3.2 rsa2048 ecdsap256
  hashmill speed -provider openssl -save=libcrypto sha3-256

Environment:
  HASHMILL_KERNEL=NAME       the implementation of digests
  HASHMILL_LIBCRYPTO=PATH    the libcrypto
  HASHMILL_LIBCRYPTO2=PATH   another, the peer openssl2

Exit status: 0, or 1 if something could not be measured, or 2 for wrong usage,
or 130 if it was interrupted.
";

/// Implementation that the rows time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    Hashmill,
    AwsLc,
    RustCrypto,
    Openssl,
}

impl Whose {
    /// Returns the name in `-provider`.
    pub(super) fn word(self) -> &'static str {
        match self {
            Whose::Hashmill => "hashmill",
            Whose::AwsLc => "aws-lc",
            Whose::RustCrypto => "rustcrypto",
            Whose::Openssl => "openssl",
        }
    }
}

/// What `speed` was asked to do.
#[derive(Debug, Clone)]
pub(super) struct Options {
    pub(super) jobs: Vec<Timing>,
    pub(super) sizes: Vec<usize>,
    /// Seconds for digests and ciphers, and for public keys.
    pub(super) seconds: (u32, u32),
    pub(super) elapsed: bool,
    pub(super) machine: bool,
    pub(super) multi: Option<usize>,
    pub(super) threads: usize,
    pub(super) misalign: usize,
    pub(super) primes: usize,
    pub(super) style: Style,
    pub(super) provider: Option<Whose>,
    pub(super) peers: Vec<PeerKind>,
    /// `zero`, `random` or the name of a file.
    pub(super) data: String,
    /// Further contents, which take turns with the first.
    pub(super) more_data: Vec<String>,
    pub(super) test: bool,
    pub(super) repetitions: usize,
    /// Whether to show the table with medians.
    pub(super) long: bool,
    pub(super) output: OutputArgs,
    /// Whether this is a child process of `-multi`.
    pub(super) child: bool,
    /// Arguments for such a child.
    pub(super) for_child: Vec<OsString>,
    /// Notes to print before the run.
    pub(super) notes: Vec<String>,
}

impl Options {
    /// Returns whether sides take turns.
    pub(super) fn takes_turns(&self) -> bool {
        !self.peers.is_empty() || !self.more_data.is_empty()
    }

    pub(super) fn seconds(&self, job: &Timing) -> u32 {
        if job.is_key() { self.seconds.1 } else { self.seconds.0 }
    }

    /// Returns whether the divisor is wall-clock time: the user time of one operation is often less than its clock's
    /// step, and that of several threads does not show how they disturb each other.
    pub(super) fn by_wall(&self) -> bool {
        self.elapsed || self.threads > 1 || self.multi.is_some() || self.test
    }
}

#[derive(Debug)]
pub(super) enum Request {
    Run(Box<Options>),
    Help,
}

/// Options of `openssl speed` that have no effect here: the name, whether it takes a value, the reason, and whether it
/// asks for something to time.
const FOREIGN: [(&str, bool, &str, bool); 12] = [
    ("engine", true, "there are no engines here; -provider chooses whose code runs", false),
    ("async_jobs", true, "nothing here runs asynchronously; -threads and -multi run several at once", false),
    ("mb", false, "no cipher here has a multi-block mode", false),
    ("cmac", true, "there is no CMAC here", true),
    ("rand", true, "keys are fixed, and -data random asks the system", false),
    ("writerand", true, "there is no random state to write", false),
    ("provider-path", true, "no OpenSSL providers are loaded", false),
    ("propquery", true, "no OpenSSL providers are asked", false),
    ("mlock", false, "the buffers are in use all the time, and never swapped out", false),
    ("config", true, "there is no OpenSSL configuration here", false),
    ("kem-algorithms", false, "there are no KEMs here", true),
    ("signature-algorithms", false, "signatures are timed by name: rsa2048, ecdsap256, ed25519", true),
];

/// All options of ours that take a value, with what completions offer for it.
pub(crate) const WITH_VALUE: [(&str, Offer); 17] = [
    ("multi", Offer::Nothing),
    ("threads", Offer::Nothing),
    ("primes", Offer::Nothing),
    ("style", Offer::Words("1.1.1 3.0 3.2")),
    ("algorithm", Offer::Algorithms),
    ("evp", Offer::Algorithms),
    ("hmac", Offer::Algorithms),
    ("provider", Offer::Words("hashmill aws-lc rustcrypto openssl")),
    ("seconds", Offer::Nothing),
    ("bytes", Offer::Nothing),
    ("size", Offer::Nothing),
    ("data", Offer::Words("zero random")),
    ("misalign", Offer::Nothing),
    ("reps", Offer::Nothing),
    ("peer", Offer::Words("openssl openssl2 openssl-once rustcrypto crates php go python coreutils")),
    ("svg", Offer::Files),
    ("db", Offer::Files),
];

/// What shell completion offers as an option's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// Nothing, because the value is not a name but, for example, a number.
    Nothing,
    /// These words.
    Words(&'static str),
    /// Names of algorithms.
    Algorithms,
    /// File names.
    Files,
}

/// All options of our own that take no value.
pub(crate) const WITHOUT_VALUE: [&str; 9] =
    ["help", "mr", "decrypt", "aead", "elapsed", "testmode", "long", "json", "save"];

/// Returns the options that may have been meant by an unknown one, as they are typed.
fn like(option: &str) -> Vec<String> {
    let all = WITH_VALUE.iter().map(|(name, _)| *name).chain(WITHOUT_VALUE);
    let found = nearest(option, all.map(|n| (n, n)));
    found.into_iter().take(3).map(|n| format!("-{n}")).collect()
}

/// Options that are not passed on to a child of `-multi`: it writes records for its parent, which does the rest.
const NOT_FOR_CHILDREN: [&str; 7] = ["multi", "mr", "json", "svg", "save", "db", "long"];

fn number(option: &str, value: &str, least: u64, most: u64) -> Result<u64, OptionsError> {
    let found = value.parse().ok().filter(|n| (least..=most).contains(n));
    found.ok_or_else(|| OptionsError::BadNumber { option: option.into(), value: value.into(), least, most })
}

fn peers(value: &str) -> Result<Vec<PeerKind>, String> {
    let mut found: Vec<PeerKind> = Vec::new();
    for word in value.split(',') {
        let kind = PeerKind::from_str(word.trim(), true).map_err(|_| {
            let all: Vec<&str> = PeerKind::value_variants().iter().map(|k| k.word()).collect();
            format!("there is no peer '{word}'; there are {}", all.join(", "))
        })?;
        if !found.contains(&kind) {
            found.push(kind);
        }
    }
    Ok(found)
}

/// Parses the arguments after `speed`.
pub(super) fn parse(args: Vec<OsString>) -> Result<Request, OptionsError> {
    let mut options = Options {
        jobs: Vec::new(),
        sizes: Vec::new(),
        seconds: (3, 10),
        elapsed: false,
        machine: false,
        multi: None,
        threads: 1,
        misalign: 0,
        primes: 2,
        style: Style::V3_0,
        provider: None,
        peers: Vec::new(),
        data: "zero".into(),
        more_data: Vec::new(),
        test: false,
        repetitions: 0,
        long: false,
        output: OutputArgs::default(),
        child: false,
        for_child: Vec::new(),
        notes: Vec::new(),
    };
    let mut asked = Asked::default();
    let args = args.into_iter().map(|a| a.into_string().map_err(|a| OptionsError::NotUtf8(a.display().to_string())));
    let args: Vec<String> = args.collect::<Result<_, _>>()?;
    let mut at = 0;
    let mut only_names = false;
    while let Some(arg) = args.get(at) {
        let first = at;
        at += 1;
        if only_names || !arg.starts_with('-') || arg == "-" || arg == "--" {
            if arg == "--" && !only_names {
                only_names = true;
            } else {
                asked.names.push(arg.clone());
            }
            options.for_child.push(arg.into());
            continue;
        }
        let bare = arg.strip_prefix("--").unwrap_or(&arg[1..]);
        let (option, mut given) = match bare.split_once('=') {
            Some((o, v)) => (o, Some(v.to_string())),
            None => (bare, None),
        };
        let shown = arg.split('=').next().unwrap_or(arg);
        let bad = |reason: String| OptionsError::BadValue { option: shown.into(), reason };
        let value = &mut || match given.take() {
            Some(v) => Ok(v),
            None => {
                at += 1;
                args.get(at - 1).cloned().ok_or_else(|| OptionsError::NeedsValue(shown.into()))
            }
        };
        match option {
            "help" | "h" | "?" => return Ok(Request::Help),
            "seconds" => {
                let seconds = number(shown, &value()?, 1, 86_400)? as u32;
                options.seconds = (seconds, seconds);
            }
            "bytes" => options.sizes = vec![message_size(&value()?).map_err(bad)?],
            "size" | "sizes" => {
                options.sizes = value()?.split(',').map(message_size).collect::<Result<_, _>>().map_err(bad)?;
            }
            "multi" => options.multi = Some(number(shown, &value()?, 1, 1024)? as usize),
            "threads" => options.threads = number(shown, &value()?, 1, 256)? as usize,
            "misalign" => options.misalign = number(shown, &value()?, 0, 63)? as usize,
            "primes" => options.primes = number(shown, &value()?, 2, 10)? as usize,
            "reps" => options.repetitions = number(shown, &value()?, 1, 10_000)? as usize,
            "a" | "algorithm" => asked.names.extend(value()?.split(',').map(String::from)),
            "evp" => asked.evp = Some(value()?),
            "hmac" => asked.hmac = Some(value()?),
            "data" => {
                let text = value()?;
                // A file may have a comma in its name.
                let mut contents = if Path::new(&text).exists() { vec![&*text] } else { text.split(',').collect() };
                options.data = contents.remove(0).into();
                options.more_data = contents.into_iter().map(String::from).collect();
            }
            "style" => {
                let name = value()?;
                options.style = Style::named(&name)
                    .ok_or_else(|| bad(format!("there is no style '{name}'; there are 1.1.1, 3.0 and 3.2")))?;
            }
            "provider" => match value()?.to_ascii_lowercase().as_str() {
                "hashmill" => options.provider = Some(Whose::Hashmill),
                "aws-lc" | "awslc" => options.provider = Some(Whose::AwsLc),
                "rustcrypto" => options.provider = Some(Whose::RustCrypto),
                "openssl" => options.provider = Some(Whose::Openssl),
                other => options.notes.push(format!(
                    "option '{shown} {other}' has no effect: no OpenSSL providers are loaded here; there are hashmill, \
                     aws-lc, rustcrypto and openssl"
                )),
            },
            "peer" | "peers" => options.peers = peers(&value()?).map_err(bad)?,
            "svg" => options.output.svg = Some(PathBuf::from(value()?)),
            "db" => options.output.db = Some(PathBuf::from(value()?)),
            "save" => {
                let next = args.get(at).filter(|a| !a.starts_with('-') && !is_name(a));
                at += usize::from(given.is_none() && next.is_some());
                options.output.save = Some(given.take().or(next.cloned()).unwrap_or_default());
            }
            "elapsed" => options.elapsed = true,
            "mr" => options.machine = true,
            "json" => options.output.json = true,
            "long" => options.long = true,
            "testmode" => options.test = true,
            "decrypt" => asked.usage.decrypt = true,
            "aead" => asked.usage.tls = true,
            "child" => options.child = true,
            _ => {
                let foreign = FOREIGN.iter().find(|(o, ..)| *o == option);
                let Some((_, has_value, why, something)) = foreign else {
                    return Err(OptionsError::Unknown { like: like(shown), option: shown.into() });
                };
                if *has_value {
                    value()?;
                }
                asked.something |= something;
                options.notes.push(format!("option '{shown}' has no effect: {why}"));
            }
        }
        if given.is_some() {
            return Err(OptionsError::TakesNoValue(shown.into()));
        }
        if !NOT_FOR_CHILDREN.contains(&option) {
            options.for_child.extend(args[first..at].iter().map(OsString::from));
        }
    }
    finish(options, asked).map(|o| Request::Run(Box::new(o)))
}

/// Derives what depends on several options together.
fn finish(mut options: Options, mut asked: Asked) -> Result<Options, OptionsError> {
    hashmill::check_kernel_preference()?;
    asked.style = Some(options.style);
    asked.only_digests = options.provider == Some(Whose::Hashmill);
    asked.no_digests = options.provider == Some(Whose::AwsLc);
    options.jobs = jobs(&asked)?;
    if options.sizes.is_empty() {
        options.sizes = if asked.usage.tls { AEAD_SIZES } else { SIZES }.to_vec();
    }
    let hashes = |j: &&Timing| matches!(j.task, Task::Digest(_) | Task::Hmac(_));
    if options.provider == Some(Whose::Hashmill)
        && let Some(job) = options.jobs.iter().find(|j| !hashes(j))
    {
        return Err(OptionsError::NotOurs(job.name.clone()));
    }
    if options.provider == Some(Whose::AwsLc)
        && let Some(job) = options.jobs.iter().find(hashes)
    {
        return Err(OptionsError::NotAwsLcs(job.name.clone()));
    }
    if options.jobs.is_empty() {
        return Err(OptionsError::Nothing);
    }
    if options.takes_turns() {
        const WHY: &str = "sides take turns in one thread of one process";
        let sides = if options.peers.is_empty() { "-data with several contents" } else { "-peer" };
        if options.multi.is_some() {
            return Err(OptionsError::NotTogether(sides, "-multi", WHY));
        }
        if options.threads > 1 {
            return Err(OptionsError::NotTogether(sides, "-threads", WHY));
        }
        if options.machine {
            options.notes.push("-mr has no records for comparisons: their ratios are in -json only".into());
        }
    }
    let kept = options.output.json || options.output.svg.is_some() || options.output.save.is_some();
    if options.repetitions == 0 {
        // The fewest repetitions that give a 95 % interval.
        options.repetitions = if kept && !options.test { 6 } else { 1 };
    }
    options.long |= options.repetitions > 1;
    let largest = options.sizes.iter().max().copied().unwrap_or(0);
    let contents = std::iter::once(&options.data).chain(&options.more_data);
    let each = contents.map(|data| Data::needed(largest, options.misalign, data)).sum::<u64>();
    let needed = each.saturating_mul((options.multi.unwrap_or(1) * options.threads) as u64);
    if let Some(available) = sys::memory_available()
        && needed > available
    {
        return Err(OptionsError::TooLarge { needed, available });
    }
    let at_once = options.multi.unwrap_or(1) * options.threads;
    if at_once > machine::cpus() {
        let what = if options.multi.is_some() { "children" } else { "threads" };
        options.notes.push(format!("{at_once} {what} share {} CPUs", machine::cpus()));
    }
    if asked.everything() {
        let ops = |j: &Timing| j.ops(&options.sizes, options.style).len() as u64 * u64::from(options.seconds(j));
        let whole: u64 = options.jobs.iter().map(ops).sum();
        if !options.test {
            let rows = options.jobs.len();
            options.notes.push(format!(
                "{rows} algorithms take {} min {} s in all; name some to time only those",
                whole / 60,
                whole % 60
            ));
        }
    }
    let mut for_child: Vec<OsString> = ["-child", "-mr", "-elapsed", "-reps"].map(OsString::from).to_vec();
    for_child.push(options.repetitions.to_string().into());
    for_child.append(&mut options.for_child);
    options.for_child = for_child;
    if options.child {
        options.notes.clear();
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(args: &str) -> Result<Options, OptionsError> {
        match parse(args.split_whitespace().map(OsString::from).collect())? {
            Request::Run(o) => Ok(*o),
            Request::Help => panic!("help"),
        }
    }

    fn rows(args: &str) -> Vec<(usize, String)> {
        parsed(args).unwrap().jobs.into_iter().map(|j| (j.index, j.name)).collect()
    }

    fn named(rows: &[(usize, &str)]) -> Vec<(usize, String)> {
        rows.iter().map(|(i, n)| (*i, n.to_string())).collect()
    }

    #[test]
    fn one_dash_two_dashes_and_equals() {
        for args in
            ["-seconds 7 -bytes 100 -mr md5", "--seconds=7 md5 --bytes=100 --mr", "-mr -seconds=7 --bytes 100 md5"]
        {
            let o = parsed(args).unwrap();
            let got = (o.seconds, o.sizes, o.machine, o.jobs.len());
            assert_eq!(got, ((7, 7), vec![100], true, 1), "{args}");
        }
    }

    #[test]
    fn rows_come_in_openssls_order() {
        let expected = named(&[
            (3, "md5"),
            (4, "sha1"),
            (6, "sha256"),
            (7, "sha512"),
            (5, "rmd160"),
            (9, "hmac(sha1)"),
            (19, "aes-128-cbc"),
            (20, "aes-192-cbc"),
            (21, "aes-256-cbc"),
            (100, "sha3-256"),
            (101, "SHA-256"),
            (102, "aes-128-gcm"),
            (25, "blake2b"),
            (0, "rsa512"),
            (3, "ecdsap256"),
            (0, "ed25519"),
        ]);
        let args = "ed25519 ripemd rsa512 sha3-256 aes sha md5 SHA-256 md5 aes-128-gcm ecdsa -evp blake2b -hmac sha1";
        assert_eq!(rows(args), expected);
        assert_eq!(rows("-evp SHA2-256"), named(&[(25, "SHA2-256")]));
        let all = rows("");
        assert!(all.iter().any(|(i, n)| *i == 0 && n == "md2") && all.iter().any(|(_, n)| n == "rsa4096"));
        assert!(!all.iter().any(|(_, n)| n == "crc32"));
        assert_eq!(rows("rsa").len(), 5);
        assert_eq!(rows("hmac(SHA1) hmac(md5) hmac"), named(&[(9, "hmac(sha1)"), (100, "hmac(md5)")]));
    }

    #[test]
    fn names_of_both_openssls() {
        assert_eq!(rows("-style 1.1.1 aes-128-cbc"), named(&[(16, "aes-128 cbc")]));
        assert_eq!(
            parse(["aes-128 cbc".into(), "AES-128-CBC".into()].into()).map(|r| match r {
                Request::Run(o) => o.jobs.len(),
                Request::Help => 0,
            }),
            Ok(1)
        );
        assert_eq!(rows("-evp aes-128-gcm -aead"), named(&[(25, "AES-128-GCM")]));
        assert_eq!(rows("-evp chacha20-poly1305"), named(&[(25, "ChaCha20-Poly1305")]));
        assert_eq!(rows("-style 1.1.1 -evp aes-128-ctr sha256"), named(&[(23, "sha256"), (22, "aes-128-ctr")]));
        assert_eq!(rows("hmac"), named(&[(9, "hmac(md5)")]));
        assert_eq!(rows("-style 3.2 hmac"), named(&[(9, "hmac(sha256)")]));
    }

    #[test]
    fn sizes_and_seconds() {
        assert_eq!(parsed("-aead -evp aes-128-gcm").unwrap().sizes, AEAD_SIZES);
        assert_eq!(parsed("-sizes 5,90,16k md5").unwrap().sizes, [5, 90, 16384]);
        assert_eq!(parsed("rsa512").unwrap().seconds, (3, 10));
        assert_eq!(parsed("-json md5").unwrap().repetitions, 6);
        assert_eq!(parsed("-json -reps 9 md5").unwrap().repetitions, 9);
    }

    #[test]
    fn children_get_what_they_need() {
        let o = parsed("-multi 3 --json -seconds=2 --save=x md5 -svg a.svg -- sha1").unwrap();
        let args: Vec<_> = o.for_child.iter().map(|a| a.to_str().unwrap()).collect();
        assert_eq!(args, ["-child", "-mr", "-elapsed", "-reps", "6", "-seconds=2", "md5", "--", "sha1"]);
    }

    #[test]
    fn foreign_options_say_so() {
        let o = parsed("-engine x -mb -rand=f -provider default -mlock md5").unwrap();
        assert_eq!(o.notes.len(), 5, "{:?}", o.notes);
        assert!(o.notes.iter().all(|n| n.starts_with("option '-") && n.contains("' has no effect: ")), "{:?}", o.notes);
        assert_eq!((o.jobs.len(), o.provider), (1, None));
    }

    /// Shell completion offers exactly the options that the help lists, and all of them are accepted.
    #[test]
    fn options_are_listed_as_they_are_read() {
        for (name, _) in WITH_VALUE {
            assert!(HELP.contains(&format!("\n -{name} ")), "{name}");
            assert!(matches!(parsed(&format!("-{name}")), Err(OptionsError::NeedsValue(_))), "{name}");
        }
        for name in WITHOUT_VALUE {
            assert!(HELP.contains(&format!("\n -{name}")), "{name}");
            let read = parse(vec![format!("-{name}").into(), "-evp".into(), "aes-128-gcm".into()]);
            assert!(read.is_ok(), "{name}: {read:?}");
        }
        let (ours, _) = HELP.split_once("\nOptions of openssl speed").unwrap();
        let listed = ours.lines().filter(|l| l.starts_with(" -")).count();
        assert_eq!(listed, WITH_VALUE.len() + WITHOUT_VALUE.len());
        assert!(HELP.lines().all(|l| l.chars().count() <= 80));
    }

    #[test]
    fn bad_arguments() {
        let message = |args: &str| parsed(args).unwrap_err().to_string();
        assert_eq!(message("-seconds 0"), "option '-seconds' needs a whole number from 1 to 86400, not '0'");
        assert!(message("--bytes 99999999999").starts_with("option '--bytes': '99999999999' is out of range"));
        assert_eq!(message("-multi"), "option '-multi' needs a value");
        assert_eq!(message("-mr=1"), "option '-mr' takes no value");
        assert_eq!(message("-bogus"), "unknown option '-bogus' (-help lists all)");
        assert_eq!(message("--secnods"), "unknown option '--secnods'; did you mean -seconds? (-help lists all)");
        assert!(message("sha265").starts_with("unknown algorithm 'sha265'; did you mean sha256?"));
        assert!(message("rsa2084").starts_with("unknown algorithm 'rsa2084'; did you mean rsa2048?"));
        assert!(message("aes-128-cbb").starts_with("unknown algorithm 'aes-128-cbb'; did you mean aes-128-cbc?"));
        assert!(message("-evp nothing-like-it").starts_with("unknown algorithm 'nothing-like-it'"));
        assert!(message("-hmac crc32").contains("HMAC needs a cryptographic digest"));
        assert!(message("-aead -evp aes-128-cbc").starts_with("AES-128-CBC is not an AEAD cipher"));
        assert!(message("-aead md5").starts_with("-aead can be used only with an AEAD cipher"));
        assert!(message("-cmac aes-128-cbc").starts_with("nothing is left to time"));
        assert!(
            message("-peer perl md5")
                .contains("there is no peer 'perl'; there are openssl, openssl2, openssl-once, rustcrypto")
        );
        assert!(message("-peer openssl -multi 2 md5").starts_with("options '-peer' and '-multi' do not go together"));
        assert!(message("-style 2.0 md5").contains("there are 1.1.1, 3.0 and 3.2"));
        assert!(message("-provider hashmill rsa512").starts_with("hashmill has no ciphers and keys of its own"));
        for digest in ["md5", "-hmac md5 rsa512", "-evp sha256"] {
            let said = message(&format!("-provider aws-lc {digest}"));
            assert!(said.starts_with("only ciphers and keys of AWS-LC are timed: "), "{said}");
        }
    }
}
