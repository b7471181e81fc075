//! `hashmill bench sum`: times whole commands on files, comparing `hashmill sum` with coreutils, rhash, b3sum and so
//! on.

use crate::bench::programs::{
    CommandError, Table, Timed, collect, hashmill, note_missing, record, scratch_in, show, version, warm,
};
use clap::{Args, ValueHint};
use hashmill::Algorithm;
use hashmill_measure::arguments::whole;
use hashmill_measure::bare::{self, NotFound};
use hashmill_measure::chart::{Bar, Chart};
use hashmill_measure::machine;
use hashmill_measure::random::{Random, noise};
use hashmill_measure::run::{Findings, Session};
use hashmill_measure::{sys, whole as commands};
use hashmill_peers::arguments::{AlgorithmList, algorithms, flatten, size};
use hashmill_results::output::OutputArgs;
use serde_json::json;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::slice;

/// Measure `hashmill sum` against coreutils, rhash, b3sum and others
///
/// Every round runs every program once on all files, which are in the page cache, in random order; all must print the
/// same digests. Then each is started many times on one tiny file. Programs that are not installed are named.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill bench sum                        files made for it, and removed
  hashmill bench sum ~/Pictures -a md5,sha256
  hashmill bench sum *.iso --reps 21 --start-reps 0 --svg sums.svg
")]
pub struct SumArgs {
    /// Files, and directories, which are searched recursively; by default files are made for the purpose
    #[arg(value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    paths: Vec<PathBuf>,

    /// Algorithms, separated by commas
    #[arg(short, long = "algorithm", value_name = "ALG[,ALG…]",
          default_value = "md5,sha1,sha256,sha512,blake2b,blake3,xxh64",
          value_parser = algorithms)]
    algorithms: Vec<AlgorithmList>,

    /// Also compute these in one read, against the programs that can
    #[arg(long, value_name = "ALG,ALG…", default_value = "md5,sha1,sha256", value_parser = algorithms)]
    together: AlgorithmList,

    /// Number of repetitions over all files
    #[arg(long = "reps", value_name = "N", default_value_t = 7, value_parser = whole(1..=10_000))]
    rounds: u64,

    /// Number of repetitions of starting on a tiny file; 0 for none
    #[arg(long = "start-reps", value_name = "N", default_value_t = 100,
          value_parser = whole(0..=100_000))]
    starts: u64,

    /// Number of files to make
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = whole(1..=100_000))]
    files: u64,

    /// Size of those files together
    #[arg(long = "size", value_name = "SIZE", default_value = "256M", value_parser = size)]
    bytes: u64,

    /// The hashmill to measure; by default this one
    #[arg(long, value_name = "PROGRAM", value_hint = ValueHint::ExecutablePath)]
    hashmill: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Another program that prints digests of files.
struct Program {
    /// Name of the program.
    name: &'static str,
    /// Our algorithms and the program's arguments for them.
    knows: &'static [(&'static str, &'static [&'static str])],
    /// Argument for each of several digests in one read, as a function of our name; `None` if the program cannot do
    /// that.
    together: Option<fn(&str) -> Option<&'static str>>,
}

/// Programs to compare with. Each runs with its default number of threads.
const PROGRAMS: [Program; 14] = [
    Program { name: "md5sum", knows: &[("md5", &["--"])], together: None },
    Program { name: "sha1sum", knows: &[("sha1", &["--"])], together: None },
    Program { name: "sha224sum", knows: &[("sha224", &["--"])], together: None },
    Program { name: "sha256sum", knows: &[("sha256", &["--"])], together: None },
    Program { name: "sha384sum", knows: &[("sha384", &["--"])], together: None },
    Program { name: "sha512sum", knows: &[("sha512", &["--"])], together: None },
    Program { name: "b2sum", knows: &[("blake2b-512", &["--"])], together: None },
    Program { name: "b3sum", knows: &[("blake3", &["--"])], together: None },
    Program {
        name: "xxhsum",
        knows: &[("xxh32", &["-H0"]), ("xxh64", &["-H1"]), ("xxh128", &["-H2"])],
        together: None,
    },
    Program {
        name: "openssl",
        knows: &[
            ("md5", &["dgst", "-r", "-md5"]),
            ("sha1", &["dgst", "-r", "-sha1"]),
            ("sha256", &["dgst", "-r", "-sha256"]),
            ("sha512", &["dgst", "-r", "-sha512"]),
            ("sha3-256", &["dgst", "-r", "-sha3-256"]),
            ("sha3-512", &["dgst", "-r", "-sha3-512"]),
            ("sm3", &["dgst", "-r", "-sm3"]),
        ],
        together: None,
    },
    Program {
        name: "rhash",
        knows: &[
            ("md4", &["--md4", "--"]),
            ("md5", &["--md5", "--"]),
            ("sha1", &["--sha1", "--"]),
            ("sha256", &["--sha256", "--"]),
            ("sha512", &["--sha512", "--"]),
            ("sha3-256", &["--sha3-256", "--"]),
            ("sha3-512", &["--sha3-512", "--"]),
            ("ripemd160", &["--ripemd160", "--"]),
            ("whirlpool", &["--whirlpool", "--"]),
            ("tiger192-3", &["--tiger", "--"]),
            ("crc32", &["--simple", "--crc32", "--"]),
        ],
        together: Some(|a| {
            Some(match a {
                "md5" => "--md5",
                "sha1" => "--sha1",
                "sha256" => "--sha256",
                "sha512" => "--sha512",
                "crc32" => "--crc32",
                "whirlpool" => "--whirlpool",
                "ripemd160" => "--ripemd160",
                _ => return None,
            })
        }),
    },
    Program {
        name: "hashdeep",
        knows: &[],
        together: Some(|a| ["md5", "sha1", "sha256", "tiger192-3", "whirlpool"].into_iter().find(|n| *n == a)),
    },
    Program {
        name: "sha3sum",
        knows: &[("sha3-256", &["-a", "256", "--"]), ("sha3-512", &["-a", "512", "--"])],
        together: None,
    },
    Program {
        name: "shasum",
        knows: &[("sha1", &["-a", "1", "--"]), ("sha256", &["-a", "256", "--"])],
        together: None,
    },
];

/// A program to be measured.
struct Contender {
    timed: Timed,
    /// Whether this is hashmill, which prints one line per digest and whose output defines the expected digests.
    ours: bool,
}

/// Runs the measurement.
pub fn run(args: &SumArgs) -> ExitCode {
    let mut session = Session::begin("bench sum");
    let mut findings = Findings::default();
    let result = measure(args, &mut session, &mut findings);
    let tables = match result {
        Ok(tables) => tables,
        Err(e) => {
            session.error(e);
            Vec::new()
        }
    };
    let mut text = format!("{}\n", session.machine().line());
    let title = "Digests of files in the page cache: bytes per second, wall time";
    let mut chart = Chart::new(title, session.machine().line());
    for t in &tables {
        text += &show(t);
        if t.what.contains("tiny") {
            chart.left_out.push(format!("{}: rates of so little say nothing", t.what));
            continue;
        }
        for r in &t.rows {
            let bar =
                Bar { ours: r.program.starts_with("hashmill"), ..Bar::peer(&r.program, r.bytes_per_second / 1e9) };
            chart.bar("GB/s", &t.what, bar);
        }
    }
    findings.details["tables"] = json!(tables);
    if tables.is_empty() {
        text.clear();
    }
    args.output.show(session.end(findings), &text, Some(&chart))
}

fn measure(args: &SumArgs, session: &mut Session, findings: &mut Findings) -> Result<Vec<Table>, CommandError> {
    let scratch = scratch_in(&std::env::temp_dir())?;
    // What the linker has just written is in the page cache in small pieces, which makes every start slower than that
    // of an installed file. A copy behaves like an installed file.
    let original = hashmill(args.hashmill.as_deref())?;
    let hashmill = scratch.path().join("hashmill");
    fs::copy(&original, &hashmill).map_err(|cause| CommandError::File { path: original, cause })?;
    let files = if args.paths.is_empty() {
        make_files(scratch.path(), args.files, args.bytes)?
    } else {
        let mut files = Vec::new();
        for path in &args.paths {
            if let Err(e) = collect(path, &mut files) {
                session.error(e);
            }
        }
        files
    };
    let mut total = 0;
    let mut readable = Vec::new();
    for path in files {
        match warm(&path) {
            Ok(n) => {
                total += n;
                readable.push(path);
            }
            Err(e) => session.error(e),
        }
    }
    if readable.is_empty() {
        return Err(CommandError::NoFiles);
    }
    findings.details = json!({ "files": readable.len(), "bytes": total, "rounds": args.rounds, "starts": args.starts,
        "cpus": machine::cpus() });
    let mut bench =
        Bench { hashmill, scratch: scratch.path(), session, findings, tables: Vec::new(), missing: Vec::new() };
    let chosen = flatten(&args.algorithms);
    let size = format!("{} file{}, {total} bytes", readable.len(), if readable.len() == 1 { "" } else { "s" });
    for &a in &chosen {
        let peers = bench.peers(a);
        let what = format!("{} of {size}", a.name());
        bench.compare(&Task { what, all: &[a], files: &readable, bytes: total, rounds: args.rounds }, peers);
    }
    let together = &args.together.0;
    if together.len() > 1 {
        let names: Vec<_> = together.iter().map(Algorithm::name).collect();
        let peers = bench.peers_together(together);
        let what = format!("{} of {size}", names.join(","));
        bench.compare(&Task { what, all: together, files: &readable, bytes: total, rounds: args.rounds }, peers);
    }
    if args.starts > 0 {
        let tiny = bench.scratch.join("tiny");
        fs::write(&tiny, b"tiny\n").map_err(|cause| CommandError::File { path: tiny.clone(), cause })?;
        for &a in &chosen {
            let peers = bench.peers(a);
            let what = format!("{} of a tiny file", a.name());
            let files = slice::from_ref(&tiny);
            bench.compare(&Task { what, all: &[a], files, bytes: 5, rounds: args.starts }, peers);
        }
    }
    note_missing(bench.session, &bench.missing);
    Ok(bench.tables)
}

/// Work for every program.
struct Task<'a> {
    what: String,
    all: &'a [Algorithm],
    files: &'a [PathBuf],
    bytes: u64,
    rounds: u64,
}

struct Bench<'a> {
    hashmill: PathBuf,
    scratch: &'a Path,
    session: &'a mut Session,
    findings: &'a mut Findings,
    tables: Vec<Table>,
    missing: Vec<NotFound>,
}

impl Bench<'_> {
    /// Returns the installed programs that support an algorithm, with their arguments.
    fn peers(&mut self, a: Algorithm) -> Vec<Contender> {
        let mut found = Vec::new();
        for p in &PROGRAMS {
            if let Some((_, args)) = p.knows.iter().find(|(name, _)| *name == a.name()) {
                found.extend(self.contender(p.name, args.iter().map(OsString::from).collect()));
            }
        }
        found
    }

    /// Returns the installed programs that can compute all of these in one read.
    fn peers_together(&mut self, all: &[Algorithm]) -> Vec<Contender> {
        let mut found = Vec::new();
        for p in &PROGRAMS {
            let Some(word) = p.together else { continue };
            let words: Option<Vec<&str>> = all.iter().map(|a| word(&a.name())).collect();
            if let Some(words) = words {
                let args = match p.name {
                    "hashdeep" => vec!["-c".into(), words.join(",").into(), "-j0".into()],
                    _ => words.iter().map(OsString::from).chain([OsString::from("--simple"), "--".into()]).collect(),
                };
                found.extend(self.contender(p.name, args));
            }
        }
        found
    }

    fn contender(&mut self, name: &'static str, args: Vec<OsString>) -> Option<Contender> {
        let program = match bare::original(name) {
            Ok(program) => program,
            Err(e) => {
                if !self.missing.contains(&e) {
                    self.missing.push(e);
                }
                return None;
            }
        };
        let version = version(&program, name);
        Some(Contender::new(name.into(), name, version, program, args, false))
    }

    fn compare(&mut self, task: &Task, peers: Vec<Contender>) {
        let Task { what, files, bytes, rounds, .. } = task;
        let names: Vec<_> = task.all.iter().map(|a| a.name().into_owned()).collect();
        let args = |more: &[&str]| {
            let mut args: Vec<OsString> = ["sum", "-a"].map(OsString::from).to_vec();
            args.push(names.join(",").into());
            args.extend(more.iter().map(OsString::from));
            args.push("--".into());
            args
        };
        let ours = |name: &str, more: &[&str]| {
            let version = format!("hashmill {}", env!("CARGO_PKG_VERSION"));
            Contender::new(name.into(), "hashmill", version, self.hashmill.clone(), args(more), true)
        };
        let mut all = vec![ours("hashmill sum", &[])];
        if files.len() > 1 && machine::cpus() > 1 {
            all.push(ours("hashmill sum -j 1", &["-j", "1"]));
        }
        all.extend(peers);
        // One round to warm up and to compare the digests.
        let mut expected = Vec::new();
        let mut ready = Vec::new();
        for (i, mut c) in all.into_iter().enumerate() {
            let lines = c.lines(files, self.scratch);
            match lines.and_then(|lines| check(&c, &lines, &mut expected, what, names.len())) {
                Ok(()) => {
                    c.timed.forget();
                    ready.push(c.timed);
                }
                Err(e) => {
                    self.session.error(e);
                    // Without ours, there is nothing to compare with.
                    if i == 0 {
                        return;
                    }
                }
            }
        }
        let mut random = Random(*bytes);
        let mut order: Vec<usize> = (0..ready.len()).collect();
        for _ in 0..*rounds {
            if sys::interrupted() {
                break;
            }
            random.shuffle(&mut order);
            for &i in &order {
                if let Err(e) = ready[i].run(files, self.scratch) {
                    if !sys::interrupted() {
                        self.session.error(e);
                    }
                    ready[i].failed();
                }
            }
        }
        self.tables.extend(record(what, &format!("sum {what}"), &ready, *bytes, self.findings));
    }
}

impl Contender {
    fn new(name: String, by: &'static str, version: String, program: PathBuf, args: Vec<OsString>, ours: bool) -> Self {
        let step = std::iter::once(program.into_os_string()).chain(args).collect();
        Contender { timed: Timed::new(name, by, version, vec![step]), ours }
    }

    /// Runs the program once on the files, and returns its lines.
    fn lines(&mut self, files: &[PathBuf], scratch: &Path) -> Result<Vec<String>, CommandError> {
        self.timed.run(files, scratch)?;
        let text = commands::stdout(scratch).map_err(|cause| CommandError::File { path: scratch.into(), cause })?;
        let text = String::from_utf8_lossy(&text).into_owned();
        // Leave out the header of hashdeep.
        Ok(text.lines().filter(|l| !l.starts_with('%') && !l.starts_with('#')).map(str::to_string).collect())
    }
}

/// Checks that a program's output contains the same digests as ours. Ours is checked first and defines what is
/// expected: the digests of every file, in order.
fn check(
    c: &Contender,
    lines: &[String],
    expected: &mut Vec<Vec<String>>,
    what: &str,
    algorithms: usize,
) -> Result<(), CommandError> {
    let digest = |l: &String| {
        let tagged = l.rsplit(") = ").next().unwrap_or_default();
        let hex = if algorithms > 1 || l.contains(") = ") {
            tagged
        } else {
            l.trim_start_matches('\\').split(' ').next().unwrap_or_default()
        };
        hex.to_ascii_lowercase()
    };
    let differs = |line: usize| CommandError::Differs {
        program: c.timed.name.clone(),
        what: what.into(),
        line: line + 1,
        found: lines.get(line).cloned().unwrap_or_default(),
    };
    if c.ours {
        let found: Vec<Vec<String>> = lines.chunks(algorithms).map(|file| file.iter().map(digest).collect()).collect();
        if expected.is_empty() {
            expected.clone_from(&found);
        }
        // Ours prints the files in the order in which they were given, whatever the number of threads.
        let (all, wanted): (Vec<_>, Vec<_>) = (found.iter().flatten().collect(), expected.iter().flatten().collect());
        let first = all.iter().zip(&wanted).position(|(a, b)| a != b);
        return match first.or_else(|| (all.len() != wanted.len()).then(|| all.len().min(wanted.len()))) {
            Some(line) => Err(differs(line)),
            None => Ok(()),
        };
    }
    if lines.len() != expected.len() {
        return Err(differs(lines.len()));
    }
    // Programs with several threads may print the files in a different order.
    let mut found: Vec<(usize, String)> = lines.iter().map(|l| l.to_ascii_lowercase()).enumerate().collect();
    for digests in expected.iter() {
        let at = found.iter().position(|(_, l)| digests.iter().all(|d| l.contains(d.as_str())));
        match at {
            Some(at) => drop(found.remove(at)),
            None => return Err(differs(found.first().map_or(0, |f| f.0))),
        }
    }
    Ok(())
}

/// Creates files of random-looking bytes.
fn make_files(dir: &Path, files: u64, bytes: u64) -> Result<Vec<PathBuf>, CommandError> {
    let block = noise(1 << 20);
    let mut made = Vec::new();
    for n in 0..files {
        let mut left = bytes / files + u64::from(n < bytes % files);
        let path = dir.join(format!("file{n:05}"));
        let error = |cause| CommandError::File { path: path.clone(), cause };
        let mut file = File::create(&path).map_err(error)?;
        // Files differ from their first bytes on.
        let mut at = (n as usize * 64) % (block.len() / 2);
        while left > 0 {
            let piece = &block[at..(at as u64 + left).min(block.len() as u64) as usize];
            file.write_all(piece).map_err(error)?;
            left -= piece.len() as u64;
            at = 0;
        }
        made.push(path);
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contender(ours: bool) -> Contender {
        Contender::new("x".into(), "x", String::new(), PathBuf::new(), Vec::new(), ours)
    }

    #[test]
    fn digests_are_compared() {
        let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
        let mut expected = Vec::new();
        let ours = lines("aa  file\nbb  file2");
        check(&contender(true), &ours, &mut expected, "md5", 1).unwrap();
        assert_eq!(expected, [["aa"], ["bb"]]);
        check(&contender(false), &lines("BB *file2\nAA *file"), &mut expected, "md5", 1).unwrap();
        for wrong in ["aa  file\nbc  file2", "aa  file", "aa  f\nbb  g\ncc  h", "aa  f\naa  g"] {
            assert!(check(&contender(false), &lines(wrong), &mut expected, "md5", 1).is_err(), "{wrong}");
        }
        // On one thread, our output must be identical.
        check(&contender(true), &ours, &mut expected, "md5", 1).unwrap();
        for wrong in ["bb  file2\naa  file", "aa  file\nbc  file2", "aa  file", "aa  file\nbb  file2\ncc  file3", ""] {
            assert!(check(&contender(true), &lines(wrong), &mut expected, "md5", 1).is_err(), "{wrong}");
        }
        let mut expected = Vec::new();
        let ours = lines("MD5 (f) = aa\nSHA1 (f) = bb");
        check(&contender(true), &ours, &mut expected, "both", 2).unwrap();
        assert!(check(&contender(true), &lines("MD5 (f) = aa\nSHA1 (f) = bc"), &mut expected, "both", 2).is_err());
        check(&contender(false), &lines("5,aa,bb,f"), &mut expected, "both", 2).unwrap();
        assert!(check(&contender(false), &lines("5,aa,cc,f"), &mut expected, "both", 2).is_err());
    }

    #[test]
    fn files_have_the_bytes_that_were_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let files = make_files(dir.path(), 7, (3 << 20) + 5).unwrap();
        let total: u64 = files.iter().map(|f| warm(f).unwrap()).sum();
        assert_eq!((files.len(), total), (7, (3 << 20) + 5));
        let mut found = Vec::new();
        collect(dir.path(), &mut found).unwrap();
        assert_eq!(found.len(), 7);
        assert!(collect(&dir.path().join("none"), &mut found).is_err());
    }
}
