//! Two ways of doing the same work, alternated in slices of a few milliseconds.
//!
//! A machine's speed wanders: clock rates, neighbours, caches. Measured one after the other, two programs are compared with
//! two machines. Here each pair of slices lies within a few milliseconds, in random order, and gives one ratio; what slows
//! the machine for longer slows both. The median of the ratios and its interval are the result.

use crate::stats::Summary;
use crate::sys;
use serde::Serialize;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// How to measure.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// How many pairs.
    pub pairs: usize,
    /// How long a slice should last.
    pub slice: Duration,
    /// Which random orders.
    pub seed: u64,
}

impl Default for Plan {
    fn default() -> Self {
        Plan { pairs: 200, slice: Duration::from_millis(3), seed: 0x9e37_79b9_7f4a_7c15 }
    }
}

/// One side of a comparison: work that can be repeated.
pub struct Side<'a> {
    /// Does the work this many times.
    pub run: &'a mut dyn FnMut(u64),
    /// Bytes that one repetition hashes.
    pub bytes: f64,
    /// Where `run` leaves the time that it took by its own clock: for work in another process, of which ours sees the
    /// pipes too.
    pub clock: Option<&'a Cell<Duration>>,
}

/// What a comparison gave.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// Bytes per second of the first side.
    pub a: Summary,
    /// Bytes per second of the second side.
    pub b: Summary,
    /// First over second, pair by pair.
    pub ratio: Summary,
    /// Pairs that were measured.
    pub pairs: usize,
    /// Pairs during which the CPU was given to others for some of the time. They are left out of the results where at least
    /// [`ENOUGH`] pairs remain.
    pub disturbed: usize,
    /// Whether the disturbed pairs were left out.
    pub disturbed_left_out: bool,
    /// What makes the result doubtful, each with its remedy.
    pub warnings: Vec<String>,
}

/// So many undisturbed pairs speak for themselves.
pub const ENOUGH: usize = 20;

struct Slice {
    wall: Duration,
    disturbed: bool,
}

/// The thread's CPU time may be behind the wall clock by this share and this much: interrupts, the clock calls themselves.
const TOLERATED: (f64, Duration) = (0.01, Duration::from_micros(20));

fn slice(side: &mut Side, times: u64) -> Slice {
    let (cpu, start) = (sys::thread_time(), Instant::now());
    (side.run)(times);
    let (wall, cpu) = (start.elapsed(), sys::thread_time().saturating_sub(cpu));
    if let Some(clock) = side.clock {
        // Whether the other process lost its CPU cannot be seen from here.
        return Slice { wall: clock.get(), disturbed: false };
    }
    let lost = wall.saturating_sub(cpu);
    Slice { wall, disturbed: lost > wall.mul_f64(TOLERATED.0) + TOLERATED.1 }
}

/// How many repetitions last about one slice. Warms up on the way.
fn calibrate(side: &mut Side, target: Duration) -> u64 {
    let mut times = 1u64;
    loop {
        // The best of three: a disturbance must not make slices short.
        let wall = (0..3).map(|_| slice(side, times).wall).min().unwrap_or_default();
        if wall >= target / 2 {
            let scaled = times as f64 * target.as_secs_f64() / wall.as_secs_f64();
            return (scaled.round() as u64).max(1);
        }
        times = times.saturating_mul(2);
    }
}

/// Alternates the two sides. Nothing if a user's SIGINT came before there was a pair.
pub fn compare(mut a: Side, mut b: Side, plan: &Plan) -> Option<Comparison> {
    let times = (calibrate(&mut a, plan.slice), calibrate(&mut b, plan.slice));
    let mut random = plan.seed | 1;
    let mut pairs = Vec::with_capacity(plan.pairs);
    for _ in 0..plan.pairs {
        if sys::interrupted() {
            break;
        }
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let (x, y);
        if random >> 63 == 0 {
            x = slice(&mut a, times.0);
            y = slice(&mut b, times.1);
        } else {
            y = slice(&mut b, times.1);
            x = slice(&mut a, times.0);
        }
        let rates = (rate(a.bytes, times.0, x.wall), rate(b.bytes, times.1, y.wall));
        pairs.push((rates, x.disturbed || y.disturbed));
    }
    let measured = pairs.len();
    let disturbed = pairs.iter().filter(|p| p.1).count();
    let leave_out = disturbed > 0 && measured - disturbed >= ENOUGH;
    if leave_out {
        pairs.retain(|p| !p.1);
    }
    let column = |f: &dyn Fn((f64, f64)) -> f64| Summary::of(&pairs.iter().map(|p| f(p.0)).collect::<Vec<_>>());
    let ratio = column(&|(x, y)| x / y)?;
    let mut warnings = Vec::new();
    if disturbed * 10 > measured {
        warnings.push(format!(
            "{disturbed} of {measured} pairs lost CPU time to others{}: end other programs, or give this one a CPU of its own \
             (taskset -c N)",
            if leave_out { " and were left out" } else { "" }
        ));
    }
    if ratio.relative_width() > 0.05 {
        let width = 100.0 * ratio.relative_width();
        warnings
            .push(format!("the ratio's interval is {width:.0} % wide: measure more pairs (--pairs {})", measured * 4));
    }
    Some(Comparison {
        a: column(&|(x, _)| x)?,
        b: column(&|(_, y)| y)?,
        ratio,
        pairs: measured,
        disturbed,
        disturbed_left_out: leave_out,
        warnings,
    })
}

fn rate(bytes: f64, times: u64, wall: Duration) -> f64 {
    bytes * times as f64 / wall.as_secs_f64().max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    /// Work of a known amount: `units` steps that depend on each other.
    fn work(units: u64) -> u64 {
        (0..units).fold(1, |x: u64, _| black_box(x.wrapping_mul(3).rotate_left(5)))
    }

    #[test]
    fn a_known_ratio_is_found() {
        let plan = Plan { pairs: 60, slice: Duration::from_millis(1), ..Plan::default() };
        let mut fast = |times: u64| {
            black_box(work(1000 * times));
        };
        let mut slow = |times: u64| {
            black_box(work(3000 * times));
        };
        let (a, b) =
            (Side { run: &mut fast, bytes: 1.0, clock: None }, Side { run: &mut slow, bytes: 1.0, clock: None });
        let c = compare(a, b, &plan).unwrap();
        assert!((2.5..3.5).contains(&c.ratio.median), "{c:?}");
        assert!(c.ratio.interval.0 <= c.ratio.median && c.ratio.median <= c.ratio.interval.1);
        assert_eq!(c.pairs, 60);
    }

    #[test]
    fn sleep_is_a_disturbance() {
        let mut sleepy = |times: u64| std::thread::sleep(Duration::from_micros(500 * times));
        let mut busy = |times: u64| {
            black_box(work(100_000 * times));
        };
        let plan = Plan { pairs: 10, slice: Duration::from_millis(1), ..Plan::default() };
        let (a, b) =
            (Side { run: &mut sleepy, bytes: 1.0, clock: None }, Side { run: &mut busy, bytes: 1.0, clock: None });
        let c = compare(a, b, &plan).unwrap();
        assert_eq!((c.disturbed, c.disturbed_left_out, c.ratio.n), (10, false, 10));
        assert!(c.warnings.iter().any(|w| w.contains("10 of 10 pairs")), "{:?}", c.warnings);
    }
}
