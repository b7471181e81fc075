//! `hashmill bench files`: the photo test. Every file of a folder is hashed as source and as copy, in rounds, with a
//! clock that runs only around the hash calls; afterwards the digests of source and copy must match.

use crate::bench::lanes::kernel;
use crate::bench::tree;
use crate::sys::io::peak_memory;
use clap::{Args, ValueHint};
use hashmill::{Algorithm, Digest, Hasher, digest_many};
use hashmill_files::plain;
use hashmill_measure::arguments::whole;
use hashmill_measure::chart::{Bar, Chart};
use hashmill_measure::machine;
use hashmill_measure::progress::Progress;
use hashmill_measure::random::Random;
use hashmill_measure::run::{Findings, Pairing, Series, Session, Unit, replace};
use hashmill_measure::stats::Summary;
use hashmill_measure::sys;
use hashmill_measure::sys::clock::own_cpu_seconds;
use hashmill_measure::table::Table;
use hashmill_peers::arguments::{AlgorithmList, algorithms, flatten, size};
use hashmill_results::output::OutputArgs;
use serde_json::json;
use std::ffi::OsString;
use std::fmt::Write;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const DEFAULT: [&str; 7] = ["md5", "sha512", "skein512-512", "keccak512", "jh512", "groestl512", "blake512"];

/// Files are read in pieces of this size, which is small enough for the CPU's cache.
const PIECE: usize = 256 << 10;

const ROLES: [&str; 2] = ["source", "copy"];

/// Hash a folder of photos in rounds, and verify it
///
/// Every file is hashed twice, as source and as copy, as a program does that imports photos and checks them. The bytes
/// are counted, and the clock runs around the hash calls only. In each round the functions run in random order. Then
/// all files are hashed in lanes, as many as fit into memory at once. After timing, the digests of source and copy must
/// be equal.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill bench files ~/Pictures --ext jpg,jpeg
  hashmill bench files /media/card --copy ~/card -a sha256,blake3 --reps 9
  hashmill bench files photos --raw samples.tsv --save=photos

A file that cannot be read, or that changes between rounds, is named and left
out of the sums.

Exit status: 0, or 1 if a file was left out, or 2 for wrong usage.
")]
pub struct FilesArgs {
    /// The folder, with everything below it
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    dir: PathBuf,

    /// Algorithms; by default MD5, SHA-512 and the SHA-3 finalists with 512 bits
    #[arg(short, long = "algorithm", value_name = "ALG[,ALG…]", value_parser = algorithms)]
    algorithms: Vec<AlgorithmList>,

    /// The folder with the copies, under the same names; by default every file is read again
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    copy: Option<PathBuf>,

    /// Only files with these extensions, in either case
    #[arg(long, value_name = "EXT,…", value_delimiter = ',')]
    ext: Vec<OsString>,

    /// Number of repetitions
    #[arg(long = "reps", value_name = "N", default_value_t = 5, value_parser = whole(1..=1000))]
    rounds: u64,

    /// Maximum size of the files that are in memory at once, for the lanes
    #[arg(long = "memory", value_name = "SIZE", default_value = "256M", value_parser = size)]
    batch: u64,

    /// Write the time of every file, function, repetition and role to this file, separated by tabs
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    raw: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Cost of hashing one file once.
#[derive(Debug, Clone, Copy, Default)]
struct Sample {
    time: Duration,
    bytes: u64,
}

/// A file of the set, as source and as copy.
struct Photo {
    name: PathBuf,
    /// Bytes found by the first reading.
    bytes: [Option<u64>; 2],
    /// Digests found by the first reading, for every function.
    digests: Vec<[Option<Digest>; 2]>,
    /// Reason why it is not in the sums.
    out: Option<String>,
}

impl Photo {
    fn total(&self) -> u64 {
        self.bytes.iter().flatten().sum()
    }
}

/// Samples for every function and every file, as source and as copy.
type Round = Vec<Vec<[Sample; 2]>>;

struct Test<'a> {
    args: &'a FilesArgs,
    session: Session,
    functions: Vec<Algorithm>,
    photos: Vec<Photo>,
    rounds: Vec<Round>,
    /// Time of every function in lanes, for every completed round.
    lanes: Vec<Vec<Duration>>,
    /// Number of files and bytes that went through the lanes in each round.
    in_lanes: (usize, u64),
    /// Maximum number of messages in the lanes at once.
    at_once: usize,
    random: Random,
    peak_load: Option<f64>,
}

/// Total cost.
struct Cost {
    wall: f64,
    user: f64,
    system: f64,
    /// Peak memory in bytes.
    peak: Option<u64>,
}

/// Runs the measurement.
pub fn run(args: &FilesArgs) -> ExitCode {
    let functions = match chosen(args) {
        Ok(f) => f,
        Err(e) => {
            hashmill_measure::run::say("bench files", e);
            return ExitCode::from(2);
        }
    };
    let mut session = Session::begin("bench files");
    let (start, user, cpu) = (Instant::now(), sys::user_time(), own_cpu_seconds());
    let photos = photos(args, functions.len(), &mut session);
    let mut test = Test {
        args,
        session,
        functions,
        photos,
        rounds: Vec::new(),
        lanes: Vec::new(),
        in_lanes: (0, 0),
        at_once: 1,
        // Any order will do if the system has no random bytes.
        random: Random(getrandom::u64().unwrap_or(1)),
        peak_load: machine::load(),
    };
    test.streams();
    test.lanes();
    let matched = test.verify();
    let all = own_cpu_seconds() - cpu;
    let user = sys::user_time().saturating_sub(user).as_secs_f64();
    let cost = Cost { wall: start.elapsed().as_secs_f64(), user, system: (all - user).max(0.0), peak: peak_memory() };
    if let Some(path) = &args.raw
        && let Err(e) = replace(path, test.raw().as_bytes())
    {
        test.session.error(format!("{}: {}", shown(path), plain(&e)));
    }
    let findings = test.findings(&cost, matched);
    let text = test.text(&findings, &cost, matched);
    let chart = test.chart(&findings);
    args.output.show(test.session.end(findings), &text, Some(&chart))
}

fn chosen(args: &FilesArgs) -> Result<Vec<Algorithm>, String> {
    hashmill::check_kernel_preference().map_err(|e| e.to_string())?;
    if let Some(available) = sys::memory_available()
        && args.batch > available
    {
        let batch = args.batch;
        return Err(format!("--memory {batch} does not fit into the {available} bytes of memory available"));
    }
    match flatten(&args.algorithms) {
        none if none.is_empty() => {
            DEFAULT.iter().map(|n| n.parse()).collect::<Result<_, hashmill::Error>>().map_err(|e| e.to_string())
        }
        some => Ok(some),
    }
}

/// Finds the files of the folder, sorted by name.
fn photos(args: &FilesArgs, functions: usize, session: &mut Session) -> Vec<Photo> {
    for dir in [Some(&args.dir), args.copy.as_ref()].into_iter().flatten() {
        let wrong = match fs::metadata(dir) {
            Ok(m) if m.is_dir() => continue,
            Ok(_) => "not a folder".to_string(),
            Err(e) => plain(&e),
        };
        session.error(format!("{}: {wrong}", shown(dir)));
        return Vec::new();
    }
    let wanted = |name: &Path| {
        let ext = name.extension();
        args.ext.is_empty()
            || args.ext.iter().any(|w| {
                // Accept `.jpg` as well as `jpg`.
                let w = w.to_string_lossy();
                ext.is_some_and(|e| e.eq_ignore_ascii_case(w.trim_start_matches('.')))
            })
    };
    let mut found = Vec::new();
    let mut failed = 0;
    for file in tree::files(&args.dir) {
        match file {
            Ok(path) => found.extend(path.strip_prefix(&args.dir).ok().filter(|n| wanted(n)).map(Path::to_path_buf)),
            Err(tree::Unreadable { path, cause }) => {
                failed += 1;
                session.error(format!("{}: {}", shown(&path), plain(&cause)));
            }
        }
    }
    if found.is_empty() && failed == 0 {
        let ext = args.ext.iter().map(|e| format!(" .{}", e.to_string_lossy().trim_start_matches('.')));
        let ext: String = ext.collect();
        session.error(match ext.is_empty() {
            true => format!("{}: no files in it", shown(&args.dir)),
            false => format!("{}: no files with the extension{ext} in it", shown(&args.dir)),
        });
    }
    found.sort();
    let photo = |name| Photo { name, bytes: [None; 2], digests: vec![[None, None]; functions], out: None };
    found.into_iter().map(photo).collect()
}

impl Test<'_> {
    fn path(&self, photo: usize, role: usize) -> PathBuf {
        let dir = if role == 1 { self.args.copy.as_ref() } else { None }.unwrap_or(&self.args.dir);
        dir.join(&self.photos[photo].name)
    }

    /// Returns the files in the sums.
    fn photos_in(&self) -> impl Iterator<Item = (usize, &Photo)> {
        self.photos.iter().enumerate().filter(|(_, p)| p.out.is_none())
    }

    fn leave_out(&mut self, photo: usize, role: usize, why: String) {
        let whose = if role == 1 && self.args.copy.is_some() { "the copy: " } else { "" };
        self.session.error(format!("{}: {whose}{why}", shown(&self.path(photo, role))));
        self.photos[photo].out = Some(why);
    }

    fn sample_load(&mut self) {
        let now = machine::load();
        self.peak_load = now.into_iter().chain(self.peak_load).reduce(f64::max);
    }

    /// Runs the rounds, one file after the other.
    fn streams(&mut self) {
        let steps = self.args.rounds as usize * self.functions.len() * self.photos.len();
        let mut progress = Progress::new("bench files", steps);
        let mut buffer = vec![0; PIECE];
        let mut order: Vec<usize> = (0..self.functions.len()).collect();
        for _ in 0..self.args.rounds {
            self.random.shuffle(&mut order);
            let mut round = vec![vec![[Sample::default(); 2]; self.photos.len()]; self.functions.len()];
            for &f in &order {
                for photo in 0..self.photos.len() {
                    progress.step("");
                    for role in 0..ROLES.len() {
                        if self.photos[photo].out.is_some() {
                            continue;
                        }
                        match hash(self.functions[f], &self.path(photo, role), &mut buffer) {
                            // An incomplete round says nothing.
                            Ok(None) => return,
                            Ok(Some((digest, sample))) => {
                                round[f][photo][role] = sample;
                                if let Some(why) = self.photos[photo].compare(f, role, sample.bytes, digest) {
                                    progress.clear();
                                    self.leave_out(photo, role, why);
                                }
                            }
                            Err(e) => {
                                progress.clear();
                                self.leave_out(photo, role, plain(&e));
                            }
                        }
                    }
                }
                self.sample_load();
            }
            if self.photos_in().next().is_some() {
                self.rounds.push(round);
            }
        }
    }

    /// Runs the rounds again, with all files of a batch in lanes.
    fn lanes(&mut self) {
        let mut memory = Vec::new();
        while !self.rounds.is_empty() && !sys::interrupted() {
            self.lanes.clear();
            let batches = self.batches();
            let count = |b: &Vec<(usize, usize)>| b.len();
            self.at_once = batches.iter().map(count).max().unwrap_or(1);
            let mut progress = Progress::new("bench files, in lanes", self.args.rounds as usize * batches.len());
            let mut left_out = false;
            for _ in 0..self.args.rounds {
                let mut round = vec![Duration::ZERO; self.functions.len()];
                for batch in &batches {
                    progress.step("");
                    match self.batch(batch, &mut memory, &mut round, &mut progress) {
                        Some(left) => left_out |= left,
                        None => return,
                    }
                }
                self.sample_load();
                if left_out {
                    break;
                }
                if !batches.is_empty() {
                    self.lanes.push(round);
                }
            }
            // A file that left the set is in some rounds and not in others: start over without it.
            if !left_out {
                return;
            }
        }
    }

    /// Divides the files, each as source and as copy, into batches that are in memory together.
    fn batches(&mut self) -> Vec<Vec<(usize, usize)>> {
        let largest = self.args.batch.max(sys::memory_available().unwrap_or(0) / 2);
        let mut batches: Vec<Vec<(usize, usize)>> = Vec::new();
        let (mut held, mut files, mut bytes, mut too_large) = (u64::MAX, 0, 0, Vec::new());
        for (i, photo) in self.photos_in() {
            if photo.bytes.iter().flatten().any(|b| *b > largest) {
                too_large.push(shown(&photo.name));
                continue;
            }
            files += 1;
            bytes += photo.total();
            for (role, len) in photo.bytes.iter().enumerate() {
                let len = len.unwrap_or(0);
                held = held.saturating_add(len);
                if held > self.args.batch {
                    batches.push(Vec::new());
                    held = len;
                }
                if let Some(last) = batches.last_mut() {
                    last.push((i, role));
                }
            }
        }
        self.in_lanes = (files, bytes);
        for name in too_large {
            self.session.note(format!("{name}: does not fit into memory: not in the lanes' table"));
        }
        batches
    }

    /// Reads a batch and runs every function on it. Returns whether a file had to be left out, or `None` after a SIGINT
    /// from the user.
    fn batch(
        &mut self,
        batch: &[(usize, usize)],
        memory: &mut Vec<u8>,
        round: &mut [Duration],
        progress: &mut Progress,
    ) -> Option<bool> {
        memory.clear();
        let mut ends = Vec::with_capacity(batch.len());
        for &(photo, role) in batch {
            let expected = self.photos[photo].bytes[role].unwrap_or(0);
            let before = memory.len();
            // One byte more reveals growth without reading an endless file.
            let read = File::open(self.path(photo, role)).and_then(|f| f.take(expected + 1).read_to_end(memory));
            let why = match read {
                Ok(n) if n as u64 == expected => None,
                Ok(_) => Some(changed_size(expected, None)),
                Err(e) => Some(plain(&e)),
            };
            if let Some(why) = why {
                progress.clear();
                self.leave_out(photo, role, why);
                return Some(true);
            }
            ends.push((before, memory.len()));
        }
        let messages: Vec<&[u8]> = ends.iter().map(|&(from, to)| &memory[from..to]).collect();
        let mut order: Vec<usize> = (0..self.functions.len()).collect();
        self.random.shuffle(&mut order);
        for f in order {
            if sys::interrupted() {
                return None;
            }
            let start = Instant::now();
            let digests = black_box(digest_many(self.functions[f], black_box(&messages)));
            round[f] += start.elapsed();
            for (i, &(photo, role)) in batch.iter().enumerate() {
                let Some(expected) = &self.photos[photo].digests[f][role] else { continue };
                if digests[i] == *expected.as_bytes() {
                    continue;
                }
                progress.clear();
                let stream = self.functions[f].digest(messages[i]);
                if stream != *expected {
                    self.leave_out(photo, role, "changed between rounds: its digest is different now".into());
                    return Some(true);
                }
                let (path, name) = (shown(&self.path(photo, role)), self.functions[f].name());
                let lanes = Digest::from_bytes(&digests[i]);
                self.session.error(format!("{path}: {name}: the lanes give {lanes}, a stream {stream}"));
            }
        }
        Some(false)
    }

    /// Compares source and copy. Returns how many files are the same in both with every function.
    fn verify(&mut self) -> usize {
        let mut matched = 0;
        for i in 0..self.photos.len() {
            let photo = &self.photos[i];
            let differs = photo.digests.iter().zip(&self.functions).find_map(|(d, f)| match d {
                [Some(a), Some(b)] if a != b => Some((f.name(), a, b)),
                _ => None,
            });
            let complete = photo.digests.iter().all(|d| d[0].is_some() && d[1].is_some());
            match differs {
                // That a file changed in the meantime has already been reported.
                Some((name, a, b)) if photo.out.is_none() => {
                    let line = format!("{}: {name}: the source's digest is {a}, the copy's {b}", shown(&photo.name));
                    self.session.error(line);
                }
                None if complete && photo.out.is_none() => matched += 1,
                _ => {}
            }
        }
        matched
    }

    /// Formats every sample, one per line.
    fn raw(&self) -> String {
        let mut text = String::from("# function\tround\trole\tnanoseconds\tbytes\tmark\tfile\n");
        for (r, round) in self.rounds.iter().enumerate() {
            for (a, of_function) in self.functions.iter().zip(round) {
                for (photo, samples) in self.photos.iter().zip(of_function) {
                    let mark = if photo.out.is_some() { "out" } else { "" };
                    for (role, s) in ROLES.iter().zip(samples) {
                        let (name, file) = (a.name(), shown(&photo.name));
                        // Writing to a string cannot fail.
                        let _ = writeln!(
                            text,
                            "{name}\t{}\t{role}\t{}\t{}\t{mark}\t{file}",
                            r + 1,
                            s.time.as_nanos(),
                            s.bytes
                        );
                    }
                }
            }
        }
        text
    }

    /// Returns the number of files in the sums, and their bytes as source and copy.
    fn counted(&self) -> (usize, u64) {
        self.photos_in().fold((0, 0), |(n, bytes), (_, p)| (n + 1, bytes + p.total()))
    }

    /// Returns one series per function: first those of the streams, then those of the lanes.
    fn findings(&self, cost: &Cost, matched: usize) -> Findings {
        let (files, bytes) = self.counted();
        let mut findings = Findings::default();
        let mut add = |seconds: &dyn Fn(usize) -> Vec<f64>, messages: usize, mode: &str, of: (usize, u64)| {
            let first = findings.series.len();
            for (f, a) in self.functions.iter().enumerate() {
                let s = Series::ours(a.name(), kernel(*a, messages, messages == 1), Unit::Seconds, seconds(f));
                findings.series.push(s.bytes(of.1).mode(mode).parameter("files", of.0));
            }
            // All functions are in every round, so each is compared with the fastest round by round.
            let medians = |i: &usize| findings.series[*i].median();
            let all = first..findings.series.len();
            let Some(fastest) = all.clone().min_by(|a, b| medians(a).total_cmp(&medians(b))) else { return };
            for i in all.filter(|i| *i != fastest) {
                let pairs = findings.series[fastest].samples.iter().zip(&findings.series[i].samples);
                findings.pairings.push(Pairing::new(i, fastest, pairs.map(|(fast, own)| fast / own).collect()));
            }
        };
        if !self.rounds.is_empty() {
            let sum = |round: &Round, f: usize| {
                self.photos_in().map(|(i, _)| round[f][i].iter().map(|s| s.time).sum::<Duration>()).sum::<Duration>()
            };
            let seconds = |f| self.rounds.iter().map(|r| sum(r, f).as_secs_f64()).collect();
            add(&seconds, 1, "one stream", (files, bytes));
        }
        if !self.lanes.is_empty() {
            let seconds = |f: usize| self.lanes.iter().map(|r| r[f].as_secs_f64()).collect();
            add(&seconds, self.at_once.max(2), "lanes", self.in_lanes);
        }
        let out = self.photos.iter().filter_map(|p| Some((shown(&p.name), p.out.as_ref()?)));
        findings.details = json!({
            "files": files,
            "bytes": bytes,
            "same_in_source_and_copy": matched,
            "left_out": out.map(|(name, why)| json!({ "file": name, "why": why })).collect::<Vec<_>>(),
            "files_in_lanes": self.in_lanes.0,
            "bytes_in_lanes": self.in_lanes.1,
            "batch": self.args.batch,
            "messages_at_once": self.at_once,
            "wall_seconds": cost.wall,
            "user_seconds": cost.user,
            "system_seconds": cost.system,
            "peak_load": self.peak_load,
            "peak_memory": cost.peak,
        });
        findings
    }

    fn text(&self, findings: &Findings, cost: &Cost, matched: usize) -> String {
        if findings.series.is_empty() {
            return String::new();
        }
        let (streams, lanes) = findings.series.split_at(self.functions.len());
        let (files, bytes) = self.counted();
        let mut text = format!("Seconds spent hashing {files} files ({bytes} bytes)\n");
        text += &self.rounds_table(streams);
        if !lanes.is_empty() {
            let (files, bytes) = self.in_lanes;
            text += &format!(
                "\nSeconds spent hashing {files} files ({bytes} bytes) in lanes, up to {} at once; the clock runs \
                 around the whole mill\n",
                self.at_once
            );
            text += &self.rounds_table(lanes);
        }
        let interval = if self.rounds.len() < 6 { "min to max" } else { "95 % interval" };
        let interval = format!("<{interval}");
        let columns = ["Function", "<how", "median s", &*interval, "MB/s", "of fastest", "<kernel"];
        let mut table = Table::new("", columns);
        for (how, all) in [("streams", streams), ("lanes", lanes)] {
            let fastest = all.iter().map(Series::median).fold(f64::INFINITY, f64::min);
            for (a, s) in self.functions.iter().zip(all) {
                let Some(summary) = s.summary else { continue };
                let at = |s: &&Series| s.median() == fastest;
                let fast = all.iter().find(at).map(|s| &s.samples[..]).unwrap_or_default();
                let ratios: Vec<f64> = s.samples.iter().zip(fast).map(|(own, fast)| own / fast).collect();
                table.row([
                    title(*a),
                    how.into(),
                    format!("{:.6}", summary.median),
                    format!("{:.6} to {:.6}", summary.interval.0, summary.interval.1),
                    format!("{:.1}", s.bytes.unwrap_or(0) as f64 / summary.median / 1e6),
                    format!("{:.3}", Summary::of(&ratios).map_or(f64::NAN, |r| r.median)),
                    s.kernel.clone(),
                ]);
            }
        }
        text += &format!("\n{}", table.show());
        text += &format!("\nSource and copy are the same: {matched} of {} files\n", self.photos.len());
        let left_out = self.photos.len() - files;
        if left_out > 0 {
            text += &format!("Left out of the sums: {left_out} of {} files\n", self.photos.len());
        }
        // Not sum(), which is -0 for no values.
        let hashing = |all: &[Series]| all.iter().flat_map(|s| &s.samples).fold(0.0, |sum, s| sum + s);
        text += &format!(
            "Wall time: {:.3} s, of which {:.3} s hashing in streams and {:.3} s in lanes\n",
            cost.wall,
            hashing(streams),
            hashing(lanes)
        );
        if let Some(load) = self.peak_load {
            text += &format!("Peak load: {load:.2}\n");
        }
        text += &format!(
            "CPU: {:.3} s user, {:.3} s system, {:.1} % of the wall time\n",
            cost.user,
            cost.system,
            100.0 * (cost.user + cost.system) / cost.wall
        );
        if let Some(peak) = cost.peak {
            text += &format!("Peak resident memory: {}\n", Unit::Bytes.show(peak as f64));
        }
        text += &format!("On one core of {}\n", self.session.machine().line());
        text
    }

    fn width(&self) -> usize {
        self.functions.iter().map(|a| title(*a).chars().count()).max().unwrap_or(0).max(8)
    }

    fn rounds_table(&self, series: &[Series]) -> String {
        let width = self.width();
        let mut text = format!("{:width$}", "Function");
        for r in 1..=series.first().map_or(0, |s| s.samples.len()) {
            text += &format!(" {:>11}", format!("Round {r}"));
        }
        for (a, s) in self.functions.iter().zip(series) {
            text += &format!("\n{:width$}", title(*a));
            for seconds in &s.samples {
                text += &format!(" {seconds:>11.6}");
            }
        }
        text + "\n"
    }

    fn chart(&self, findings: &Findings) -> Chart {
        let (files, bytes) = self.counted();
        let heading = format!("Hashing {files} files ({bytes} bytes) on one core");
        let mut chart = Chart::new(heading, self.session.machine().line());
        let n = self.functions.len();
        for (f, a) in self.functions.iter().enumerate() {
            for (i, name) in [(f, "one stream"), (n + f, "lanes")] {
                let Some(s) = findings.series.get(i) else { continue };
                let rate = |seconds: f64| s.bytes.unwrap_or(0) as f64 / seconds / 1e6;
                let interval = s.summary.map(|s| (rate(s.interval.1), rate(s.interval.0)));
                chart.bar("MB/s", &title(*a), Bar { interval, ..Bar::ours(name, rate(s.median())) });
            }
        }
        chart
    }
}

impl Photo {
    /// Compares this reading with the first one. Returns what is different, if anything.
    fn compare(&mut self, function: usize, role: usize, bytes: u64, digest: Digest) -> Option<String> {
        let first = *self.bytes[role].get_or_insert(bytes);
        if first != bytes {
            return Some(changed_size(first, Some(bytes)));
        }
        let same = *self.digests[function][role].get_or_insert_with(|| digest.clone()) == digest;
        (!same).then(|| "changed between rounds: its digest is different now".into())
    }
}

fn changed_size(first: u64, now: Option<u64>) -> String {
    match now {
        Some(now) => format!("changed between rounds: it had {first} bytes and has {now} now"),
        None => format!("changed between rounds: it had {first} bytes and has another size now"),
    }
}

/// Returns the digest of a file and the time that the hash calls took, or `None` after a SIGINT from the user.
fn hash(a: Algorithm, path: &Path, buffer: &mut [u8]) -> io::Result<Option<(Digest, Sample)>> {
    let mut file = File::open(path)?;
    let mut hasher = Hasher::new(a);
    let mut sample = Sample::default();
    loop {
        if sys::interrupted() {
            return Ok(None);
        }
        let n = fill(&mut file, buffer)?;
        sample.bytes += n as u64;
        let start = Instant::now();
        hasher.update(black_box(&buffer[..n]));
        // The last piece and the finalization are timed together, because for small files the clock itself would show.
        let digest = (n < buffer.len()).then(|| black_box(hasher.finalize()));
        sample.time += start.elapsed();
        if let Some(digest) = digest {
            return Ok(Some((digest, sample)));
        }
    }
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut n = 0;
    while n < buffer.len() {
        match file.read(&mut buffer[n..]) {
            Ok(0) => break,
            Ok(more) => n += more,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(n)
}

/// Returns an algorithm's original name if it differs from ours: `Grøstl-512` for `groestl512`.
fn title(a: Algorithm) -> String {
    const FAMILIES: [(&str, &str, &[&str]); 9] = [
        ("md", "MD", &["2", "4", "5"]),
        ("sha", "SHA-", &["1", "224", "256", "384", "512"]),
        ("sha3-", "SHA3-", &["224", "256", "384", "512"]),
        ("keccak", "Keccak-", &["224", "256", "384", "512"]),
        ("jh", "JH-", &["224", "256", "384", "512"]),
        ("groestl", "Grøstl-", &["224", "256", "384", "512"]),
        ("blake", "BLAKE-", &["224", "256", "384", "512"]),
        ("skein512-", "Skein-", &["512"]),
        ("skein256-", "Skein-", &["256"]),
    ];
    let name = a.name();
    let titled = FAMILIES.iter().find_map(|(prefix, title, sizes)| {
        let size = name.strip_prefix(prefix)?;
        sizes.contains(&size).then(|| format!("{title}{size}"))
    });
    titled.unwrap_or_else(|| name.into_owned())
}

/// Returns a file name on one line, whatever characters it contains.
fn shown(path: &Path) -> String {
    match path.to_str() {
        Some(text) if !text.chars().any(char::is_control) => text.to_string(),
        _ => format!("{path:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traditional_names() {
        for (name, expected) in [
            ("md5", "MD5"),
            ("sha512", "SHA-512"),
            ("skein512-512", "Skein-512"),
            ("keccak512", "Keccak-512"),
            ("jh512", "JH-512"),
            ("groestl512", "Grøstl-512"),
            ("blake512", "BLAKE-512"),
            ("sha3-256", "SHA3-256"),
            ("blake3", "blake3"),
            ("skein512-256", "skein512-256"),
        ] {
            assert_eq!(title(name.parse().unwrap()), expected);
        }
    }

    #[test]
    fn a_file_that_changes_is_seen() {
        let mut photo = Photo { name: "a".into(), bytes: [None; 2], digests: vec![[None, None]; 2], out: None };
        let digest = |byte| Digest::from_bytes(&[byte; 16]);
        assert_eq!(photo.compare(0, 0, 5, digest(1)), None);
        assert_eq!(photo.compare(1, 0, 5, digest(2)), None);
        assert_eq!(photo.compare(0, 0, 5, digest(1)), None);
        assert!(photo.compare(0, 0, 5, digest(2)).is_some_and(|w| w.contains("digest")));
        assert!(photo.compare(1, 0, 6, digest(2)).is_some_and(|w| w.contains("it had 5 bytes and has 6 now")));
        // The copy is a separate file.
        assert_eq!(photo.compare(0, 1, 6, digest(3)), None);
    }

    #[test]
    fn pieces_are_put_together() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let a: Algorithm = "sha256".parse().unwrap();
        let bytes: Vec<u8> = (0..100u8).collect();
        for len in [0, 1, 31, 32, 33, 64, 100] {
            fs::write(&path, &bytes[..len]).unwrap();
            let (digest, sample) = hash(a, &path, &mut [0; 32]).unwrap().unwrap();
            assert_eq!((digest, sample.bytes), (a.digest(&bytes[..len]), len as u64));
        }
    }

    #[cfg(unix)]
    #[test]
    fn names_stay_on_one_line() {
        use std::os::unix::ffi::OsStrExt;
        assert_eq!(shown(Path::new("a b.jpg")), "a b.jpg");
        let odd = Path::new(std::ffi::OsStr::from_bytes(b"a\n\xff"));
        assert_eq!(shown(odd), r#""a\n\xFF""#);
    }
}
