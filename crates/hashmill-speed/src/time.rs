//! The timed loop.
//!
//! Operations run in batches of about [`BATCH`], determined before the clock starts; after every batch, one relaxed
//! load checks whether the time is up. Batching, the call through a pointer and the load take less than one part in a
//! thousand. What counts are the completed operations and the time that the clocks measured for them, not the seconds
//! asked for.

use super::data::Data;
use super::options::Options;
use super::timing::{Op, Timing};
use super::work::{self, By, Run, WorkError, rows_own, rows_peer, work};
use hashmill_measure::clock;
use hashmill_measure::paired::{self, SUBTRACT_BELOW};
use hashmill_measure::stats::Summary;
use hashmill_measure::sys;
use hashmill_peers::peer::PeerError;
use serde::{Deserialize, Serialize};
use std::cell::Cell as Counter;
use std::sync::{Barrier, OnceLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// Results of a peer that took turns with ours.
#[derive(Debug, Clone)]
pub(super) struct Versus {
    pub(super) by: By,
    /// The other contents, if that is what is compared.
    pub(super) data: Option<String>,
    pub(super) rates: Vec<f64>,
    pub(super) subtracted_ns: f64,
    /// Ratios of ours over theirs, round by round.
    pub(super) ratios: Vec<f64>,
}

/// Approximate length of a batch of operations, unless a single operation takes longer.
const BATCH: Duration = Duration::from_micros(5);

/// Results of one operation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Cell {
    pub(super) op: Op,
    /// Number of operations by all threads and processes.
    pub(super) count: u64,
    /// User CPU seconds of all threads and processes.
    pub(super) user: f64,
    /// Wall-clock seconds.
    pub(super) wall: f64,
    /// Seconds by the clock that is the divisor.
    pub(super) seconds: f64,
    /// Bytes or operations per second of all threads and processes together.
    pub(super) rate: f64,
    /// Rate of every repetition.
    pub(super) samples: Vec<f64>,
    /// Nanoseconds subtracted from every operation of the samples.
    #[serde(default)]
    pub(super) subtracted_ns: f64,
}

impl Cell {
    /// Returns the cell of an operation that could not be timed.
    pub(super) fn none(op: Op) -> Cell {
        let samples = Vec::new();
        Cell { op, count: 0, user: 0.0, wall: 0.0, seconds: 0.0, rate: 0.0, samples, subtracted_ns: 0.0 }
    }
}

/// Returns the amount per second, or 0 if no measurable time has passed.
pub(super) fn per_second(amount: f64, seconds: f64) -> f64 {
    if seconds > 0.0 { amount / seconds } else { 0.0 }
}

/// Work of one thread in one repetition.
struct Share {
    count: u64,
    user: f64,
    wall: f64,
}

/// Where threads meet before and after every repetition, and report that they have finished.
struct Meeting<'a> {
    start: &'a Barrier,
    end: &'a Barrier,
    done: mpsc::Sender<()>,
    /// Number of repetitions left.
    left: Counter<usize>,
}

impl Meeting<'_> {
    fn repetition<T>(&self, f: impl FnOnce() -> T) -> T {
        self.left.set(self.left.get() - 1);
        self.start.wait();
        let result = f();
        // The receiver stays until the barrier.
        let _ = self.done.send(());
        self.end.wait();
        result
    }
}

/// Times one operation of a row: repetitions one after the other, each with all threads at once. Returns the
/// implementation and the results.
pub(super) fn measure(job: &Timing, op: Op, options: &Options, data: &Data) -> Result<(By, Cell), WorkError> {
    let (threads, repetitions) = (options.threads, options.repetitions);
    let each = Duration::from_secs(options.seconds(job).into()) / repetitions as u32;
    let (start, end) = (Barrier::new(threads + 1), Barrier::new(threads + 1));
    let (done, finished) = mpsc::channel();
    let results: Vec<Result<(By, Vec<Share>), WorkError>> = thread::scope(|scope| {
        let meeting = || Meeting { start: &start, end: &end, done: done.clone(), left: Counter::new(repetitions) };
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                let meeting = meeting();
                scope.spawn(move || {
                    let result = thread_of(job, op, options, data, &meeting);
                    // A thread that failed must not leave the others waiting.
                    while meeting.left.get() > 0 {
                        meeting.repetition(|| ());
                    }
                    result
                })
            })
            .collect();
        for _ in 0..repetitions {
            sys::set_stopped(false);
            start.wait();
            let deadline = Instant::now() + each;
            for _ in 0..threads {
                let left = deadline.saturating_duration_since(Instant::now());
                if options.test {
                    // A test run ends on its own.
                    let _ = finished.recv();
                } else if finished.recv_timeout(left) == Err(mpsc::RecvTimeoutError::Timeout) {
                    break;
                }
            }
            sys::set_stopped(true);
            end.wait();
            // Discard the messages of threads that finished at the deadline.
            while finished.try_recv().is_ok() {}
        }
        let joined = workers.into_iter().map(|w| w.join().unwrap_or_else(|_| Err(WorkError::Thread(job.what.clone()))));
        joined.collect()
    });
    let mut by = By::default();
    let mut shares = Vec::new();
    for result in results {
        let (whose, of_thread) = result?;
        by = whose;
        shares.push(of_thread);
    }
    let by_wall = options.by_wall();
    let mut cell = Cell::none(op);
    let mut counted = vec![(0.0, 0.0); threads];
    for r in 0..repetitions {
        let mut rate = 0.0;
        let (mut user, mut wall) = (0.0f64, 0.0f64);
        for (share, (count, seconds)) in shares.iter().map(|s| &s[r]).zip(&mut counted) {
            // User time is that of the whole process, and the thread that measured longest saw all of it.
            (user, wall) = (user.max(share.user), wall.max(share.wall));
            let took = if by_wall { share.wall } else { share.user };
            rate += per_second(share.count as f64, took);
            *count += share.count as f64;
            *seconds += took;
            cell.count += share.count;
        }
        cell.user += user;
        cell.wall += wall;
        if shares.iter().all(|s| s[r].count > 0) {
            cell.samples.push(rate * op.weight());
        }
    }
    subtract_empty_turns(&mut cell, threads as f64);
    cell.seconds = if by_wall { cell.wall } else { cell.user };
    cell.rate = counted.iter().map(|(count, seconds)| per_second(*count, *seconds)).sum::<f64>() * op.weight();
    Ok((by, cell))
}

/// Subtracts the cost of an empty loop iteration from the samples if an operation takes less than [`SUBTRACT_BELOW`].
/// OpenSSL's lines show what was measured, because OpenSSL does not subtract anything.
fn subtract_empty_turns(cell: &mut Cell, threads: f64) {
    static EMPTY_TURN: OnceLock<f64> = OnceLock::new();
    let once = |rate: f64| threads * cell.op.weight() / rate;
    let Some(middle) = Summary::of(&cell.samples).map(|s| once(s.median)) else { return };
    if middle >= SUBTRACT_BELOW.as_secs_f64() {
        return;
    }
    let off = (EMPTY_TURN.get_or_init(clock::empty_turn) / 1e9).min(middle / 2.0);
    let net: Vec<f64> = cell.samples.iter().map(|&r| once((once(r) - off).max(1e-12))).collect();
    cell.samples = net;
    cell.subtracted_ns = off * 1e9;
}

fn thread_of(
    job: &Timing,
    op: Op,
    options: &Options,
    data: &Data,
    meet: &Meeting,
) -> Result<(By, Vec<Share>), WorkError> {
    let size = if let Op::Block(n) = op { n } else { 1 };
    let messages = data.messages(size, options.misalign)?;
    let all = messages.all();
    let whose = rows_own(job.task, options.primes, options.provider);
    let mut peer = rows_peer(job.task, whose).map(work::open).transpose()?;
    let mut work = work(job, op, whose, options.primes, (&messages, &all), peer.as_deref_mut().map(|p| p as _))?;
    let failed = |e| WorkError::Peer(job.what.clone(), e);
    let batch = if options.test { 1 } else { batch(&mut work.run).map_err(failed)? };
    let mut shares = Vec::new();
    for _ in 0..options.repetitions {
        let share = meet.repetition(|| {
            let (user, wall) = (sys::user_time(), Instant::now());
            let count = match options.test {
                true => (work.run)(1).map(|_| 1),
                false if paired::planted() > 0.0 => slowly_until_stopped(&mut work.run, batch),
                false => until_stopped(&mut work.run, batch),
            };
            let (wall, user) = (wall.elapsed(), sys::user_time().saturating_sub(user));
            count.map(|count| Share { count, user: user.as_secs_f64(), wall: wall.as_secs_f64() })
        });
        shares.push(share.map_err(failed)?);
    }
    Ok((work.by, shares))
}

/// Returns the number of operations in a batch. Warms up along the way.
fn batch(run: &mut Run) -> Result<u64, PeerError> {
    let mut times = 1;
    loop {
        // The best of three, so that neither a cold first call nor a disturbance leads to short batches.
        let mut best = Duration::MAX;
        for _ in 0..3 {
            let start = Instant::now();
            run(times)?;
            best = best.min(start.elapsed());
            if sys::interrupted() {
                return Ok(times);
            }
        }
        if best >= BATCH {
            return Ok(times);
        }
        times *= 2;
    }
}

#[inline(never)]
fn until_stopped(run: &mut Run, batch: u64) -> Result<u64, PeerError> {
    let mut count = 0;
    while !sys::stopped() {
        run(batch)?;
        count += batch;
    }
    Ok(count)
}

/// The same with a planted slowdown.
fn slowly_until_stopped(run: &mut Run, batch: u64) -> Result<u64, PeerError> {
    /// Batches for each look at the clock, which takes a hundredth of a batch.
    const BATCHES: u64 = 20;
    let mut count = 0;
    while !sys::stopped() {
        let start = Instant::now();
        for _ in 0..BATCHES {
            run(batch)?;
        }
        paired::slowed(start.elapsed());
        count += BATCHES * batch;
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn a_batch_is_short_and_not_empty() {
        let mut run: Run = Box::new(|times| {
            (0..times).for_each(|i| assert!(black_box(i) < times));
            Ok(None)
        });
        let found = batch(&mut run).unwrap();
        assert!((16..1 << 24).contains(&found), "{found}");
        let mut slow: Run = Box::new(|times| {
            thread::sleep(Duration::from_millis(times));
            Ok(None)
        });
        assert_eq!(batch(&mut slow).unwrap(), 1);
    }

    #[test]
    fn no_time_is_no_rate() {
        assert_eq!((per_second(5.0, 0.0), per_second(5.0, 2.0)), (0.0, 2.5));
    }
}
