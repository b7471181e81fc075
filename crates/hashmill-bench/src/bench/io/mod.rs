//! `hashmill bench io`: the time and memory of different ways to read a file, a pipe and a connection into a hash.
//!
//! Every way opens the file, allocates its buffers, reads, hashes and frees everything: that is one operation. Only
//! what a program creates once stays outside the clock: the io_uring ring, the pipe, the connection.

mod report;
mod ways;

use crate::bench::lanes;
use crate::sys::allocator::CountingAllocator;
use crate::sys::io::{self as raw, Ring};
use clap::Args;
use hashmill::Algorithm;
use hashmill_measure::arguments::whole;
use hashmill_measure::random::Random;
use hashmill_measure::run::{Findings, Session};
use hashmill_measure::sys;
use hashmill_results::output::OutputArgs;
use std::fs::{self, File};
use std::io::{self, PipeReader, Read, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use thiserror::Error;
use ways::{Feeder, Sink, Source, Way};

/// Compare ways to read a file, a pipe and a socket
///
/// Hashes the same bytes in many ways, which take turns in random order: the file at once, through buffers of several
/// sizes, as memory (mmap), past the page cache (O_DIRECT), with several reads in flight (io_uring); and through a pipe
/// and a TCP connection on this machine, all at once or streaming. Shows time, allocated memory and the most memory
/// resident, while the file is in the page cache (warm) and after its pages were given up (cold).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill bench io debian.iso
  hashmill bench io -a sha256 --reps 30 --warm-only photo.raw
  hashmill bench io --go debian.iso > new.txt; benchstat old.txt new.txt
  tar c . | hashmill bench io -

Cold means that the system's page cache does not have the file; the drive, or
the host of a virtual machine, may. Standard input is kept in a file without a
name in $TMPDIR, up to half of the memory and of the space there.
")]
pub struct IoArgs {
    /// Files, or - for standard input
    #[arg(value_name = "FILE", required = true, value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,

    /// The algorithm
    #[arg(short, long, value_name = "ALG", default_value = "md5", value_parser = algorithm)]
    algorithm: Algorithm,

    /// Number of repetitions, in each of which every way takes its turn; by default as many as take a few seconds, at
    /// least 3
    #[arg(long = "reps", value_name = "N", value_parser = whole(1..=1_000_000))]
    rounds: Option<u64>,

    /// Leave out the cold repetitions: nothing is evicted from the page cache
    #[arg(long)]
    warm_only: bool,

    /// Lines of Go's benchmarks, for benchstat, in place of the table
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    go: bool,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

fn algorithm(name: &str) -> Result<Algorithm, hashmill::Error> {
    name.parse()
}

/// Target length of a sample, if the operation itself is shorter.
const SLICE: Duration = Duration::from_millis(3);
/// Maximum number of rounds, unless the user sets it.
const ROUNDS: u64 = 30;
/// Minimum number of rounds for a 95 % interval. With fewer, it goes from the smallest to the largest value and covers
/// less.
const ENOUGH: u64 = 6;
/// Minimum number of rounds, however long they take; [`ENOUGH`] if those take no longer than [`PATIENCE`].
const LEAST: u64 = 3;
/// Anything that takes longer is announced.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum number of operations per sample for pipes and connections, because each leaves a port in TIME_WAIT.
const STREAMS_PER_SAMPLE: u64 = 8;
/// Largest share of a file's pages in the page cache with which it counts as cold.
const COLD: f64 = 0.01;

/// Location of the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Memory,
    Warm,
    Cold,
    Direct,
    Pipe,
    Tcp,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            State::Memory => "memory",
            State::Warm => "warm",
            State::Cold => "cold",
            State::Direct => "direct",
            State::Pipe => "pipe",
            State::Tcp => "tcp",
        }
    }
}

/// One turn of one way.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Sample {
    operations: u64,
    wall: Duration,
    bytes: u64,
    allocations: u64,
}

impl Sample {
    fn ns(&self) -> f64 {
        self.wall.as_secs_f64().max(1e-9) * 1e9 / self.operations as f64
    }

    fn per_operation(&self, n: u64) -> f64 {
        n as f64 / self.operations as f64
    }
}

/// A way, where its bytes were, and its measurements.
#[derive(Debug, Clone)]
struct Row {
    way: Way,
    state: State,
    samples: Vec<Sample>,
    /// Peak resident memory of the process during one operation.
    peak: Option<u64>,
    /// Whether the file's pages are evicted before every operation.
    evict: bool,
    /// Largest share of the pages that was left after eviction.
    left: f64,
    /// Bytes allocated for half of the file.
    half: Option<u64>,
}

/// Ways that took turns.
#[derive(Debug, Clone, Default)]
struct Phase {
    name: &'static str,
    rows: Vec<Row>,
}

/// Measurements of one file.
#[derive(Debug, Clone)]
struct Measured {
    file: String,
    size: u64,
    algorithm: String,
    kernel: String,
    digest: String,
    /// Whether allocations are counted in this program.
    counted: bool,
    /// Resident memory of the process beforehand.
    rest: Option<u64>,
    /// Share of the file's pages in the page cache, before and after the warm rounds.
    resident: Option<(f64, f64)>,
    phases: Vec<Phase>,
    /// What could not be measured, with the reason.
    skipped: Vec<String>,
}

#[derive(Debug, Error)]
enum IoError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("{0}")]
    Input(String),
    #[error("it changed while it was measured: {0}; measure it when nobody writes to it")]
    Changed(String),
}

/// Runs the measurement.
pub fn run(args: &IoArgs) -> ExitCode {
    if let Err(e) = hashmill::check_kernel_preference() {
        hashmill_measure::run::say("bench io", e);
        return ExitCode::from(2);
    }
    let mut session = Session::begin("bench io");
    if !CountingAllocator::installed() {
        session.note("this program does not count its allocations: those columns are left out");
    }
    if let Err(e) = raw::reset_peak_memory() {
        session.note(format!("/proc/self/clear_refs: {e}: the most memory resident is not measured"));
    }
    let mut all = Vec::new();
    for path in &args.files {
        if sys::interrupted() {
            break;
        }
        let shown = if path.as_os_str() == "-" { "standard input".into() } else { path.display().to_string() };
        let opened = match open(path, &shown, args, &session) {
            Ok(o) => o,
            Err(_) if sys::interrupted() => break,
            Err(e) => {
                session.error(format!("{shown}: {e}"));
                continue;
            }
        };
        all.push(Bench::new(opened, args, &mut session).measure());
    }
    let mut findings = Findings::default();
    report::collect(&all, &mut findings);
    findings.details = report::details(&all);
    let machine = session.machine().line();
    let text = if args.go { report::go(&all, session.machine()) } else { report::table(&all, &machine) };
    let chart = report::chart(&all, &machine);
    args.output.show(session.end(findings), &text, Some(&chart))
}

/// Opens what the user named and reads it once. Also returns the reason why its pages cannot be evicted, if any.
fn open(path: &Path, shown: &str, args: &IoArgs, session: &Session) -> Result<(Source, Option<String>), IoError> {
    let (path, file) = if path.as_os_str() == "-" {
        let file = spool(session)?;
        (raw::reopen(&file).into(), file)
    } else {
        // Check before opening it, because opening a pipe would wait for a writer.
        let kind = fs::metadata(path)?;
        if kind.is_dir() {
            return Err(IoError::Input("is a directory: name a file".into()));
        }
        if !kind.is_file() {
            return Err(IoError::Input("is not a regular file: give what it holds on standard input (-)".into()));
        }
        (path.to_path_buf(), File::open(path)?)
    };
    let size = file.metadata()?.len();
    if size == 0 {
        return Err(IoError::Input("is empty: there is nothing to read".into()));
    }
    let stays = if args.warm_only { Some("--warm-only".into()) } else { stays(&file, size)? };
    Ok((Source::new(shown.into(), path, file, args.algorithm)?, stays))
}

/// Evicts the file's pages, or returns the reason why that is not possible.
fn stays(file: &File, size: u64) -> io::Result<Option<String>> {
    if raw::in_memory(file) {
        return Ok(Some("the file system keeps the file in memory".into()));
    }
    if raw::resident(file, size)?.is_none() {
        return Ok(Some("the system does not say what the page cache has of another user's file".into()));
    }
    // Dirty pages stay until they are written back. A read-only file system has none.
    let _ = file.sync_data();
    if let Err(e) = raw::evict(file) {
        return Ok(Some(format!("posix_fadvise: {e}")));
    }
    let all_left = raw::resident(file, size)? == Some(1.0);
    Ok(all_left
        .then(|| "the file's pages stay in the page cache: the file system refuses, or a program has mapped it".into()))
}

/// Saves standard input in a file without a name.
fn spool(session: &Session) -> Result<File, IoError> {
    if cfg!(not(target_os = "linux")) {
        return Err(IoError::Input("cannot be kept on this system: name a file".into()));
    }
    let dir = std::env::temp_dir();
    let name = dir.join(format!("hashmill-bench-io.{}", std::process::id()));
    let at = |e: io::Error| IoError::Input(format!("cannot be kept in {}: {e}", dir.display()));
    let mut file = File::options().read(true).write(true).create_new(true).open(&name).map_err(at)?;
    fs::remove_file(&name).map_err(at)?;
    let space = raw::space_left(&file).map_err(at)? / 2;
    let limit = sys::memory_available().map_or(space, |m| space.min(m / 2));
    let mut input = io::stdin().lock().take(limit.saturating_add(1));
    let mut written = Ok(());
    let size = ways::pump(&mut input, &mut vec![0; 256 << 10], |b| {
        if written.is_ok() {
            written = file.write_all(b);
        }
    })?;
    written.map_err(at)?;
    if size > limit {
        return Err(IoError::Input(format!(
            "has more than {limit} bytes, half of the memory or of the space in {} (TMPDIR): put it into a file, and \
             name that",
            dir.display()
        )));
    }
    if size > 0 {
        session.note(format!(
            "standard input: its {size} bytes are measured as a file without a name in {}",
            dir.display()
        ));
    }
    Ok(file)
}

/// A file and what is needed to measure it.
struct Bench<'a> {
    args: &'a IoArgs,
    session: &'a mut Session,
    source: Source,
    stays: Option<String>,
    ring: Option<Ring>,
    feeder: Option<Feeder>,
    listener: Option<TcpListener>,
    found: Measured,
}

/// The ways of a phase, each with the state of its bytes.
type Cases = Vec<(Way, State)>;

impl<'a> Bench<'a> {
    fn new((source, stays): (Source, Option<String>), args: &'a IoArgs, session: &'a mut Session) -> Bench<'a> {
        let found = Measured {
            file: source.shown.clone(),
            size: source.size,
            algorithm: source.algorithm.name().into_owned(),
            kernel: lanes::kernel(source.algorithm, 1, true),
            digest: source.digest.to_string(),
            counted: CountingAllocator::installed(),
            rest: raw::reset_peak_memory().ok().and_then(|()| raw::peak_memory()),
            resident: None,
            phases: Vec::new(),
            skipped: Vec::new(),
        };
        Bench { args, session, source, stays, ring: None, feeder: None, listener: None, found }
    }

    /// Measures everything that can be measured.
    fn measure(mut self) -> Measured {
        if let Err(e) = self.phases()
            && !sys::interrupted()
        {
            self.session.error(format!("{}: {e}", self.source.shown));
        }
        for s in &self.found.skipped {
            self.session.note(format!("{}: not measured: {s}", self.source.shown));
        }
        self.found
    }

    fn phases(&mut self) -> Result<(), IoError> {
        let mut ways: Vec<Way> = Way::FILE.to_vec();
        match Ring::new() {
            Ok(ring) => self.ring = Some(ring),
            Err(reason) => self.skip(&mut ways, Way::Uring, &format!("io_uring: {reason}")),
        }
        if raw::in_memory(&self.source.file) {
            self.skip(&mut ways, Way::Direct, "O_DIRECT: the file system keeps the file in memory: there is no device");
        }
        let mut streams = Way::STREAM.to_vec();
        if sys::memory_available().is_some_and(|m| self.source.size > m / 2) {
            let reason = "the file is larger than half of the memory available";
            self.skip(&mut ways, Way::Whole, &format!("whole: {reason}"));
            self.skip(&mut streams, Way::ReadAll, &format!("read all: {reason}"));
        }
        // O_DIRECT is compared with cold reads, which come from the device, too.
        let cold = self.stays.is_none();
        let mut cases: Cases = vec![(Way::HashOnly, State::Memory)];
        let of_phase = |w: &&Way| !cold || **w != Way::Direct;
        let from = |w: &Way, cached| (*w, if *w == Way::Direct { State::Direct } else { cached });
        cases.extend(ways.iter().filter(of_phase).map(|w| from(w, State::Warm)));
        let before = self.resident()?;
        self.phase("warm", &cases, Duration::from_secs(3))?;
        if let (Some(before), Some(after)) = (before, self.resident()?) {
            self.found.resident = Some((before, after));
            if before.min(after) < 0.99 {
                self.session.warn(format!(
                    "{}: the page cache holds only {:.1} % of it: the warm rounds read the device too; free memory, \
                     or choose a smaller file",
                    self.source.shown,
                    100.0 * before.min(after)
                ));
            }
        }
        if cold {
            let cases: Cases = ways.iter().map(|w| from(w, State::Cold)).collect();
            self.phase("cold", &cases, Duration::from_millis(1500))?;
            self.judge_cold();
            // The feeder should find it in the page cache.
            self.source.read(Way::Copy(256 << 10), None)?;
        } else if let Some(reason) = self.stays.as_ref().filter(|_| !self.args.warm_only) {
            self.found.skipped.push(format!("cold rounds: {reason}"));
        }

        self.feeder = Some(Feeder::new(&self.source.path)?);
        let pipes: Cases = streams.iter().map(|w| (*w, State::Pipe)).collect();
        self.phase("pipe", &pipes, Duration::from_secs(1))?;
        match TcpListener::bind((Ipv4Addr::LOCALHOST, 0)) {
            Ok(l) => self.listener = Some(l),
            Err(e) => {
                self.found.skipped.push(format!("tcp: this machine's own address cannot be listened on: {e}"));
                return Ok(());
            }
        }
        let connections: Cases = streams.iter().map(|w| (*w, State::Tcp)).collect();
        self.phase("tcp", &connections, Duration::from_secs(1))
    }

    fn skip(&mut self, ways: &mut Vec<Way>, way: Way, reason: &str) {
        ways.retain(|w| *w != way);
        self.found.skipped.push(reason.to_string());
    }

    /// Returns the share of the file's pages in the page cache.
    fn resident(&self) -> io::Result<Option<f64>> {
        raw::resident(&self.source.file, self.source.size)
    }

    fn judge_cold(&mut self) {
        let rows = self.found.phases.last().map(|p| p.rows.as_slice()).unwrap_or_default();
        let left = rows.iter().map(|r| r.left).fold(0.0, f64::max);
        if left > COLD {
            self.session.warn(format!(
                "{}: up to {:.1} % of its pages stayed in the page cache in rounds that should be cold (marked *): \
                 another program maps, reads or writes it",
                self.source.shown,
                100.0 * left
            ));
        }
    }

    /// Lets the ways take turns in random order. A way that fails is left out from then on.
    fn phase(&mut self, name: &'static str, cases: &[(Way, State)], budget: Duration) -> Result<(), IoError> {
        let mut rows = Vec::new();
        let mut times = Vec::new();
        let mut whole_round = Duration::ZERO;
        // Once each, to warm up, to find the peak memory, and to see how long it takes.
        for &(way, state) in cases {
            let mut row =
                Row { way, state, samples: Vec::new(), peak: None, evict: name == "cold", left: 0.0, half: None };
            let peak_known = raw::reset_peak_memory().is_ok();
            let first = match self.sample(&mut row, 1, self.source.size) {
                Ok(s) => s,
                Err(_) if sys::interrupted() => break,
                Err(e) => {
                    self.give_up(&row, e)?;
                    continue;
                }
            };
            row.peak = raw::peak_memory().filter(|_| peak_known);
            let most = match state {
                State::Cold | State::Direct => 1,
                State::Pipe | State::Tcp => STREAMS_PER_SAMPLE,
                State::Memory | State::Warm => u64::MAX,
            };
            let enough = (SLICE.as_secs_f64() / first.wall.as_secs_f64().max(1e-9)).ceil() as u64;
            times.push(enough.clamp(1, most));
            whole_round += first.wall * u32::try_from(enough.clamp(1, most)).unwrap_or(u32::MAX);
            if matches!(state, State::Pipe | State::Tcp) {
                row.half = self.sample(&mut row.clone(), 1, self.source.size / 2).ok().map(|s| s.bytes);
            }
            rows.push(row);
        }
        let fitting = (budget.as_secs_f64() / whole_round.as_secs_f64().max(1e-9)) as u64;
        let least = if whole_round.as_secs_f64() * ENOUGH as f64 <= PATIENCE.as_secs_f64() { ENOUGH } else { LEAST };
        let rounds = self.args.rounds.unwrap_or(fitting.clamp(least, ROUNDS));
        let seconds = whole_round.as_secs_f64() * rounds as f64;
        if seconds > PATIENCE.as_secs_f64() && !sys::interrupted() {
            self.session.note(format!(
                "{}, {name}: {rounds} rounds take about {seconds:.0} s; Ctrl-C ends them and shows what there is",
                self.source.shown
            ));
        }
        let mut order: Vec<usize> = (0..rows.len()).collect();
        let mut random = Random(0);
        'rounds: for _ in 0..rounds {
            random.shuffle(&mut order);
            let mut round = Vec::with_capacity(order.len());
            let mut failed = Vec::new();
            for &i in &order {
                match self.sample(&mut rows[i], times[i], self.source.size) {
                    Ok(s) => round.push((i, s)),
                    Err(_) if sys::interrupted() => break 'rounds,
                    Err(e) => {
                        self.give_up(&rows[i], e)?;
                        failed.push(i);
                    }
                }
            }
            // A way that failed has fewer samples than the others: it no longer takes part and is not shown.
            order.retain(|i| !failed.contains(i));
            for (i, s) in round {
                rows[i].samples.push(s);
            }
            for i in failed {
                rows[i].samples.clear();
            }
        }
        rows.retain(|r| !r.samples.is_empty());
        self.found.phases.push(Phase { name, rows });
        if sys::interrupted() { Err(io::Error::from(io::ErrorKind::Interrupted).into()) } else { Ok(()) }
    }

    /// Gives up one way that cannot be measured, or everything if the file changed.
    fn give_up(&mut self, row: &Row, e: IoError) -> Result<(), IoError> {
        match e {
            IoError::Changed(_) => return Err(e),
            IoError::Io(e) if row.way == Way::Direct && e.kind() == io::ErrorKind::InvalidInput => {
                self.found.skipped.push(format!("O_DIRECT: the file system refuses it: {e}"));
            }
            e => self.session.error(format!("{}: {}, {}: {e}", self.source.shown, row.way.name(), row.state.name())),
        }
        Ok(())
    }

    /// Runs some operations in a row on the first `len` bytes (on everything, if it is not a stream).
    fn sample(&mut self, row: &mut Row, operations: u64, len: u64) -> Result<Sample, IoError> {
        let mut sum = Sample { operations, ..Sample::default() };
        for _ in 0..operations {
            if row.evict {
                raw::evict(&self.source.file)?;
                row.left = row.left.max(self.resident()?.unwrap_or(1.0));
            }
            let digest = match row.state {
                State::Pipe | State::Tcp => {
                    let (sink, mut from) = self.connect(row.state)?;
                    let read = timed(&mut sum, || {
                        let Some(feeder) = &self.feeder else { return Err(io::ErrorKind::NotConnected.into()) };
                        feeder.begin(sink, len)?;
                        self.source.read_stream(row.way, &mut *from)
                    });
                    drop(from);
                    let fed = self.feeder.as_ref().map_or(Ok(()), Feeder::end);
                    let read = read?;
                    fed?;
                    Some(read)
                }
                _ => timed(&mut sum, || self.source.read(row.way, self.ring.as_mut()))?,
            };
            let Some((digest, n)) = digest else {
                return Err(IoError::Changed("it shrank below its mapping, or could not be read".into()));
            };
            if n != len {
                return Err(IoError::Changed(format!("{n} bytes instead of {len}")));
            }
            let other = row.way == Way::HashOnly && len > self.source.head.len() as u64;
            if len == self.source.size && !other && digest != self.source.digest {
                return Err(IoError::Changed(format!("{} gives another digest than at first", row.way.name())));
            }
        }
        Ok(sum)
    }

    /// Creates a new pipe or connection.
    fn connect(&self, state: State) -> io::Result<(Sink, Box<dyn Read>)> {
        let Some(listener) = self.listener.as_ref().filter(|_| state == State::Tcp) else {
            let (from, to): (PipeReader, _) = io::pipe()?;
            return Ok((Sink::Pipe(to), Box::new(from)));
        };
        let from = TcpStream::connect(listener.local_addr()?)?;
        loop {
            let (to, peer) = listener.accept()?;
            // Anyone on this machine may connect.
            if peer == from.local_addr()? {
                to.set_nodelay(true)?;
                return Ok((Sink::Tcp(to), Box::new(from)));
            }
        }
    }
}

/// Runs one operation, and adds its time and allocations.
fn timed<T>(sum: &mut Sample, operation: impl FnOnce() -> T) -> T {
    let ((value, wall), counts) = CountingAllocator::counted(|| {
        let start = Instant::now();
        let value = operation();
        (value, start.elapsed())
    });
    sum.wall += wall;
    sum.bytes += counts.bytes;
    sum.allocations += counts.allocations;
    value
}
