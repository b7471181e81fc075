//! Two ways of doing the same work, alternated in slices of a few milliseconds.
//!
//! A machine's speed wanders: clock rates, neighbours, caches. Measured one after the other, two programs are compared
//! with two machines. Here each pair of slices lies within a few milliseconds, in random order, and gives one ratio;
//! what slows the machine for longer slows both. The median of the ratios and its interval are the result. [`rotate`]
//! does the same with any number of sides.

use crate::clock;
use crate::random::Random;
use crate::stats::Summary;
use crate::sys;
use serde::Serialize;
use std::cell::Cell;
use std::hint::black_box;
use std::sync::OnceLock;
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
    run: Box<dyn FnMut(u64) + 'a>,
    bytes: f64,
    clock: Option<&'a Cell<Duration>>,
}

impl<'a> Side<'a> {
    /// `run` does the work as many times as it is told; each time it hashes this many bytes (1.0 where it is operations
    /// that count).
    pub fn new(bytes: f64, run: impl FnMut(u64) + 'a) -> Side<'a> {
        Side { run: Box::new(run), bytes, clock: None }
    }

    /// Where `run` leaves the time that it took by its own clock: for work in another process, of which ours sees the
    /// pipes too.
    #[must_use]
    pub fn clock(mut self, clock: &'a Cell<Duration>) -> Side<'a> {
        self.clock = Some(clock);
        self
    }
}

/// The side of a comparison that measures the core's clock beside the others: its rate is cycles per second.
pub fn core_clock() -> Side<'static> {
    const CYCLES: u64 = 1 << 12;
    Side::new(CYCLES as f64, |times| {
        for _ in 0..times {
            black_box(sys::clock::additions(black_box(CYCLES)));
        }
    })
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
    /// Pairs during which the CPU was given to others for some of the time. They are left out of the results where at
    /// least [`ENOUGH`] pairs remain.
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

/// The thread's CPU time may be behind the wall clock by this share and this much: interrupts, the clock calls
/// themselves.
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

/// What every slice of a side costs once, however much it does (a process that starts), is at most so much of the
/// slice.
const ONCE: f64 = 0.1;

/// How many repetitions last about one slice. Warms up on the way.
fn calibrate(side: &mut Side, target: Duration) -> u64 {
    // The best of three: a disturbance must not make slices short.
    let best = |side: &mut Side, times| (0..3).map(|_| slice(side, times).wall).min().unwrap_or_default();
    let mut times = 1u64;
    loop {
        let wall = best(side, times);
        if wall >= target / 2 {
            let (wall, target) = (wall.as_secs_f64(), target.as_secs_f64());
            let scaled = (times as f64 * target / wall).round().max(1.0);
            // Only what another process does has such a part, and only a short slice can have much of it.
            if side.clock.is_none() || wall > 10.0 * target {
                return scaled as u64;
            }
            let longer = best(side, 8 * times).as_secs_f64();
            let each = (longer - wall).max(wall / 64.0) / (7 * times) as f64;
            let once = wall - each * times as f64;
            // But no slice of more than twenty: it is the neighbourhood of slices that makes them comparable.
            return scaled.max((once * (1.0 / ONCE - 1.0)).min(20.0 * target) / each) as u64;
        }
        // Work that takes no time at all has failed, or has a clock that stands still.
        if sys::interrupted() || times >= 1 << 40 || (wall.is_zero() && times >= 1 << 16) {
            return times;
        }
        times *= 2;
    }
}

/// What taking turns gave: the same number of rounds for every side.
#[derive(Debug, Clone)]
pub struct Rotation {
    /// Bytes (or whatever the sides count) per second: for every side its rounds.
    pub rates: Vec<Vec<f64>>,
    /// Nanoseconds of the measuring loop that were taken off every repetition of a side; 0 where one takes
    /// [`SUBTRACT_BELOW`] or more.
    pub subtracted_ns: Vec<f64>,
    /// Rounds that were measured.
    pub rounds: usize,
    /// Rounds during which the CPU was given to others for some of the time.
    pub disturbed: usize,
    /// Whether they were left out of the rates.
    pub disturbed_left_out: bool,
}

/// A repetition that takes less has the cost of the empty loop taken off it: from here on that is less than one in 200.
pub const SUBTRACT_BELOW: Duration = Duration::from_nanos(50);

impl Rotation {
    /// A side's rates.
    pub fn summary(&self, side: usize) -> Option<Summary> {
        Summary::of(self.rates.get(side)?)
    }

    /// Side `a` over side `b`, round by round.
    pub fn ratios(&self, a: usize, b: usize) -> Vec<f64> {
        self.rates[a].iter().zip(&self.rates[b]).map(|(a, b)| a / b).collect()
    }

    /// What makes the results doubtful, each with its remedy.
    pub fn warnings(&self) -> Vec<String> {
        if self.disturbed * 10 <= self.rounds {
            return Vec::new();
        }
        vec![format!(
            "{} of {} pairs lost CPU time to others{}: end other programs, or give this one a CPU of its own (taskset -c N)",
            self.disturbed,
            self.rounds,
            if self.disturbed_left_out { " and were left out" } else { "" }
        )]
    }
}

/// Lets any number of sides take turns: in every round a slice of each, in random order. Nothing if a user's SIGINT
/// came before the first round was over.
pub fn rotate(sides: &mut [Side], plan: &Plan) -> Option<Rotation> {
    let times: Vec<u64> = sides.iter_mut().map(|s| calibrate(s, plan.slice)).collect();
    let empty = Duration::from_secs_f64(*EMPTY_TURN.get_or_init(clock::empty_turn) / 1e9);
    let mut random = Random(plan.seed);
    let mut order: Vec<usize> = (0..sides.len()).collect();
    let mut rounds: Vec<(Vec<Duration>, bool)> = Vec::with_capacity(plan.pairs);
    while rounds.len() < plan.pairs && !sys::interrupted() {
        random.shuffle(&mut order);
        let mut walls = vec![Duration::ZERO; sides.len()];
        let mut disturbed = false;
        for &i in &order {
            let s = slice(&mut sides[i], times[i]);
            walls[i] = s.wall;
            disturbed |= s.disturbed;
        }
        if sys::interrupted() && !rounds.is_empty() {
            // A slice may have been cut short.
            break;
        }
        rounds.push((walls, disturbed));
    }
    let measured = rounds.len();
    let disturbed = rounds.iter().filter(|r| r.1).count();
    let leave_out = disturbed > 0 && measured - disturbed >= ENOUGH;
    if leave_out {
        rounds.retain(|r| !r.1);
    }
    if rounds.is_empty() {
        return None;
    }
    let mut rates = Vec::new();
    let mut subtracted_ns = Vec::new();
    for (i, side) in sides.iter().enumerate() {
        let each = Summary::of(&rounds.iter().map(|r| r.0[i].as_secs_f64() / times[i] as f64).collect::<Vec<_>>())?;
        let off =
            if side.clock.is_none() && each.median < SUBTRACT_BELOW.as_secs_f64() { empty } else { Duration::ZERO };
        let off = off.as_secs_f64().min(each.median / 2.0);
        subtracted_ns.push(off * 1e9);
        rates.push(
            rounds
                .iter()
                .map(|r| {
                    let net = r.0[i].as_secs_f64() - off * times[i] as f64;
                    side.bytes * times[i] as f64 / net.max(1e-9)
                })
                .collect(),
        );
    }
    Some(Rotation { rates, subtracted_ns, rounds: measured, disturbed, disturbed_left_out: leave_out })
}

static EMPTY_TURN: OnceLock<f64> = OnceLock::new();

/// Alternates two sides. Nothing if a user's SIGINT came before there was a pair.
pub fn compare<'a>(a: Side<'a>, b: Side<'a>, plan: &Plan) -> Option<Comparison> {
    Comparison::of(&rotate(&mut [a, b], plan)?)
}

impl Comparison {
    /// Of the first two sides that took turns.
    pub fn of(rotation: &Rotation) -> Option<Comparison> {
        let ratio = Summary::of(&rotation.ratios(0, 1))?;
        let mut warnings = rotation.warnings();
        if ratio.relative_width() > 0.05 {
            let width = 100.0 * ratio.relative_width();
            let more = rotation.rounds * 4;
            warnings.push(format!("the ratio's interval is {width:.0} % wide: measure more of them (--reps {more})"));
        }
        Some(Comparison {
            a: rotation.summary(0)?,
            b: rotation.summary(1)?,
            ratio,
            pairs: rotation.rounds,
            disturbed: rotation.disturbed,
            disturbed_left_out: rotation.disturbed_left_out,
            warnings,
        })
    }
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
        // A clock of our own, and a machine that is now fast, now half as fast, for forty slices at a time, and never
        // quite steady.
        let (clock, turn) = (Cell::new(Duration::ZERO), Cell::new(0u32));
        let takes = |ns: u64| {
            let n = turn.replace(turn.get() + 1);
            let weather = if n / 40 % 2 == 0 { 1.0 } else { 2.0 } + f64::from(n * 7 % 11) * 0.002;
            clock.set(Duration::from_nanos(ns).mul_f64(weather));
        };
        let fast = Side::new(1.0, |times| takes(1000 * times)).clock(&clock);
        let slow = Side::new(1.0, |times| takes(3000 * times)).clock(&clock);
        let c = compare(fast, slow, &plan).unwrap();
        assert!((2.97..3.03).contains(&c.ratio.median), "{c:?}");
        assert!(c.ratio.interval.0 <= c.ratio.median && c.ratio.median <= c.ratio.interval.1, "{c:?}");
        assert!(c.ratio.interval.1 - c.ratio.interval.0 < 0.1, "{c:?}");
        assert_eq!(c.pairs, 60);
    }

    #[test]
    fn what_a_slice_costs_once_is_a_small_part_of_it() {
        let clock = Cell::new(Duration::ZERO);
        let target = Duration::from_millis(3);
        let us = Duration::from_micros;
        // A process that starts for 1000 µs and takes 20 µs for each.
        let mut starts = Side::new(1.0, |times| clock.set(us(1000 + 20 * times))).clock(&clock);
        let times = calibrate(&mut starts, target);
        assert!((440..=460).contains(&times), "{times}");
        let mut slow = Side::new(1.0, |times| clock.set(us(5000 + 20 * times))).clock(&clock);
        let times = calibrate(&mut slow, target);
        assert!((2240..=2260).contains(&times), "{times}");
        let mut plain = Side::new(1.0, |times| clock.set(us(20 * times))).clock(&clock);
        assert_eq!(calibrate(&mut plain, target), 150);
    }

    #[test]
    fn sleep_is_a_disturbance() {
        let sleepy = |times: u64| std::thread::sleep(Duration::from_micros(500 * times));
        let busy = |times: u64| {
            black_box(work(100_000 * times));
        };
        let plan = Plan { pairs: 10, slice: Duration::from_millis(1), ..Plan::default() };
        let c = compare(Side::new(1.0, sleepy), Side::new(1.0, busy), &plan).unwrap();
        assert_eq!((c.disturbed, c.disturbed_left_out, c.ratio.n), (10, false, 10));
        assert!(c.warnings.iter().any(|w| w.contains("10 of 10 pairs")), "{:?}", c.warnings);
    }
}
