//! Two ways of doing the same work, alternating in slices of a few milliseconds.
//!
//! A machine's speed wanders, with clock rates, neighbors and caches. If two programs run one after the other, two
//! states of the machine are compared as well. Here, the two slices of a pair run within a few milliseconds of each
//! other, in random order, and give one ratio; whatever slows the machine for longer slows both. The result is the
//! median of the ratios and its interval. [`rotate`] does the same with any number of sides.

use crate::random::Random;
use crate::stats::Summary;
use crate::sys::{self, Cpus};
use crate::{clock, quiet};
use serde::Serialize;
use std::cell::Cell;
use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Parameters of a measurement.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Number of pairs.
    pub pairs: usize,
    /// Target length of a slice.
    pub slice: Duration,
    /// Seed of the random orders.
    pub seed: u64,
}

impl Default for Plan {
    fn default() -> Self {
        Plan { pairs: 200, slice: Duration::from_millis(3), seed: 0x9e37_79b9_7f4a_7c15 }
    }
}

/// Moves another process onto CPUs.
type Follow<'a> = Box<dyn Fn(&Cpus) + 'a>;

/// One side of a comparison: work that can be repeated.
pub struct Side<'a> {
    run: Box<dyn FnMut(u64) + 'a>,
    bytes: f64,
    clock: Option<&'a Cell<Duration>>,
    follow: Option<Follow<'a>>,
    times: Option<u64>,
    is_ours: bool,
}

/// The variable of the environment that tells a child about a planted slowdown, in percent.
pub const PLANT: &str = "HASHMILL_BENCH_PLANTED";

/// The planted slowdown, in thousandths.
static PLANTED: AtomicU32 = AtomicU32::new(0);

/// Slows down what is ours from now on by this share of its time: it waits. That shows whether a slowdown would be
/// found.
pub fn plant(share: f64) {
    PLANTED.store((share * 1000.0) as u32, Ordering::Relaxed);
}

/// Plants what [`PLANT`] says, if it is set.
pub fn plant_as_told() {
    if let Some(percent) = std::env::var(PLANT).ok().and_then(|p| p.parse::<f64>().ok()) {
        plant(percent / 100.0);
    }
}

/// Returns the share that was planted.
pub fn planted() -> f64 {
    f64::from(PLANTED.load(Ordering::Relaxed)) / 1000.0
}

/// Waits as long as work of this duration is to be slowed down, and returns both together.
pub fn slowed(took: Duration) -> Duration {
    let start = Instant::now();
    let wait = took * PLANTED.load(Ordering::Relaxed) / 1000;
    while start.elapsed() < wait {
        std::hint::spin_loop();
    }
    took + wait
}

impl<'a> Side<'a> {
    /// Makes a side of `run`, which repeats the work as many times as it is told. Each repetition hashes this many
    /// bytes, or 1.0 if operations are counted.
    pub fn new(bytes: f64, run: impl FnMut(u64) + 'a) -> Side<'a> {
        Side { run: Box::new(run), bytes, clock: None, follow: None, times: None, is_ours: false }
    }

    /// Sets the cell in which `run` leaves the time it took by its own clock. This is for work in another process,
    /// where our clock would include the pipes.
    #[must_use]
    pub fn clock(mut self, clock: &'a Cell<Duration>) -> Side<'a> {
        self.clock = Some(clock);
        self
    }

    /// Sets what moves that other process onto CPUs, if it works on one at a time: it is to run on the one that this
    /// thread is on, which then can tell whether both have a core to themselves.
    #[must_use]
    pub fn follow(self, follow: impl Fn(&Cpus) + 'a) -> Side<'a> {
        Side { follow: Some(Box::new(follow)), ..self }
    }

    /// Sets how many repetitions fill a slice, if that is known from a rotation before.
    #[must_use]
    pub fn times(self, times: Option<u64>) -> Side<'a> {
        Side { times, ..self }
    }

    /// Marks it as ours, which a planted slowdown is for.
    #[must_use]
    pub fn ours(self) -> Side<'a> {
        Side { is_ours: true, ..self }
    }
}

/// Returns a side that measures the core's clock along with the others: its rate is cycles per second.
pub fn core_clock() -> Side<'static> {
    const CYCLES: u64 = 1 << 12;
    Side::new(CYCLES as f64, |times| {
        for _ in 0..times {
            black_box(sys::clock::additions(black_box(CYCLES)));
        }
    })
}

/// Result of a comparison.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// Bytes per second of the first side.
    pub a: Summary,
    /// Bytes per second of the second side.
    pub b: Summary,
    /// Rate of the first side over that of the second, pair by pair.
    pub ratio: Summary,
    /// Number of pairs measured.
    pub pairs: usize,
    /// Number of disturbed pairs, during which the thread lost the CPU for some of the time or shared its core. They
    /// are left out of the results if enough others remain: [`ENOUGH`], or half of those that were asked for.
    pub disturbed: usize,
    /// Whether the disturbed pairs were left out.
    pub disturbed_left_out: bool,
    /// What makes the result doubtful, each with its remedy.
    pub warnings: Vec<String>,
}

/// Number of undisturbed pairs that suffice without the disturbed ones.
pub const ENOUGH: usize = 20;

struct Slice {
    wall: Duration,
    disturbed: bool,
}

/// How far the thread's CPU time may fall behind the wall clock: this share plus this duration. Interrupts and the
/// clock calls themselves account for that much.
const TOLERATED: (f64, Duration) = (0.01, Duration::from_micros(20));

fn slice(side: &mut Side, times: u64) -> Slice {
    let (cpu, start) = (sys::thread_time(), Instant::now());
    (side.run)(times);
    if side.is_ours {
        // Another process's work is timed by its own clock.
        match side.clock {
            Some(clock) => clock.set(slowed(clock.get())),
            None => {
                slowed(start.elapsed());
            }
        }
    }
    let (wall, cpu) = (start.elapsed(), sys::thread_time().saturating_sub(cpu));
    if let Some(clock) = side.clock {
        // Whether the system gave its CPU to others cannot be seen from here.
        return Slice { wall: clock.get(), disturbed: false };
    }
    let lost = wall.saturating_sub(cpu);
    Slice { wall, disturbed: lost > wall.mul_f64(TOLERATED.0) + TOLERATED.1 }
}

/// Largest share of a slice that may go to its fixed cost, which does not depend on the number of repetitions (starting
/// a process).
const ONCE: f64 = 0.1;

/// Returns how many repetitions fill about one slice. Warms up along the way.
fn calibrate(side: &mut Side, target: Duration) -> u64 {
    if let Some(times) = side.times {
        slice(side, times);
        return times;
    }
    // The best of three, so that a disturbance does not lead to short slices.
    let best = |side: &mut Side, times| (0..3).map(|_| slice(side, times).wall).min().unwrap_or_default();
    let mut times = 1u64;
    loop {
        let wall = best(side, times);
        if wall >= target / 2 {
            let (wall, target) = (wall.as_secs_f64(), target.as_secs_f64());
            let scaled = (times as f64 * target / wall).round().max(1.0);
            // Only work in another process has a fixed cost, and only in a short slice can it be a large part.
            if side.clock.is_none() || wall > 10.0 * target {
                return scaled as u64;
            }
            let longer = best(side, 8 * times).as_secs_f64();
            let each = (longer - wall).max(wall / 64.0) / (7 * times) as f64;
            let once = wall - each * times as f64;
            // But never a slice longer than 20 targets: slices are comparable because they are close in time.
            return scaled.max((once * (1.0 / ONCE - 1.0)).min(20.0 * target) / each) as u64;
        }
        // Work that takes no time at all has failed, or its clock stands still.
        if sys::interrupted() || times >= 1 << 40 || (wall.is_zero() && times >= 1 << 16) {
            return times;
        }
        times *= 2;
    }
}

/// Result of a rotation, with the same number of rounds for every side.
#[derive(Debug, Clone, Default)]
pub struct Rotation {
    /// Bytes (or whatever the sides count) per second: for each side, one rate per round.
    pub rates: Vec<Vec<f64>>,
    /// Number of repetitions in a slice of each side.
    pub times: Vec<u64>,
    /// Nanoseconds of loop overhead subtracted from every repetition of each side; 0 if a repetition takes
    /// [`SUBTRACT_BELOW`] or more.
    pub subtracted_ns: Vec<f64>,
    /// Number of rounds measured.
    pub rounds: usize,
    /// Number of rounds during which the thread lost the CPU for some of the time or shared its core.
    pub disturbed: usize,
    /// Whether these rounds were left out of the rates.
    pub disturbed_left_out: bool,
}

/// The cost of the empty loop is subtracted from repetitions that take less than this. From here on, it is less than
/// one part in 200.
pub const SUBTRACT_BELOW: Duration = Duration::from_nanos(50);

impl Rotation {
    /// Summarizes the rates of a side.
    pub fn summary(&self, side: usize) -> Option<Summary> {
        Summary::of(self.rates.get(side)?)
    }

    /// Returns the ratios of side `a` over side `b`, round by round.
    pub fn ratios(&self, a: usize, b: usize) -> Vec<f64> {
        self.rates[a].iter().zip(&self.rates[b]).map(|(a, b)| a / b).collect()
    }

    /// Returns what makes the results doubtful, each with its remedy.
    pub fn warnings(&self) -> Vec<String> {
        if self.disturbed_left_out || self.disturbed * 10 <= self.rounds {
            return Vec::new();
        }
        vec![format!(
            "{} of {} pairs lost CPU time to other programs, or to a neighbor on the same core: end other programs, or \
             give this one a core of its own",
            self.disturbed, self.rounds
        )]
    }
}

/// How many rounds there are at most, if rounds are disturbed: so many times as many as were asked for.
const MOST: usize = 2;

/// How long is waited for a core without neighbors, at most, over everything that is measured: so many times what it
/// takes by itself.
const PATIENCE: f64 = 8.0;

/// For how much longer than its share a single rotation may wait, if earlier ones have left time: neighbors often stay
/// for longer than a few rounds take.
const STAY: Duration = Duration::from_millis(500);

/// The time that earlier rotations have left.
static LEFT: Mutex<Duration> = Mutex::new(Duration::ZERO);

/// The CPU on which a rotation runs.
struct Place<'a> {
    /// What moves other processes to it.
    follow: Vec<&'a dyn Fn(&Cpus)>,
    /// Where this thread may run otherwise.
    free: Option<Cpus>,
    /// How long may still be waited for it to be quiet.
    patience: Duration,
    /// Whether it is known where everything runs.
    is_known: bool,
}

impl<'a> Place<'a> {
    /// `share` is how long it may wait if nothing is left by others.
    fn new(sides: &'a [Follow<'a>], is_known: bool, share: Duration) -> Place<'a> {
        let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
        let more = STAY.min(*left);
        *left -= more;
        let patience = share + more;
        let follow: Vec<&dyn Fn(&Cpus)> = sides.iter().map(|f| &**f as _).collect();
        let place = Place { free: sys::affinity().filter(|_| !follow.is_empty()), follow, patience, is_known };
        place.stay();
        place
    }

    /// Keeps this thread, and the processes that follow it, on the CPU where it is. Threads that sides start must be
    /// free to run elsewhere, so it is kept only if there are such processes.
    fn stay(&self) {
        if let (Some(_), Some(here)) = (&self.free, sys::current_cpu()) {
            let here = Cpus::one(here);
            sys::set_affinity(0, &here);
            self.follow.iter().for_each(|follow| follow(&here));
        }
    }

    /// Waits until the core is quiet, or goes to one that is.
    fn wait(&mut self) {
        if !self.is_known || self.patience.is_zero() || quiet::is_quiet() {
            return;
        }
        let start = Instant::now();
        self.let_go();
        quiet::wait(self.patience);
        self.stay();
        self.patience = self.patience.saturating_sub(start.elapsed());
    }

    fn let_go(&self) {
        if let Some(free) = &self.free {
            sys::set_affinity(0, free);
        }
    }

    fn is_quiet(&self) -> bool {
        !self.is_known || quiet::is_quiet()
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.let_go();
        *LEFT.lock().unwrap_or_else(PoisonError::into_inner) += self.patience;
    }
}

/// Lets any number of sides take turns: every round runs one slice of each, in random order. Rounds that are disturbed
/// are repeated, as long as there are not twice as many as were asked for. Returns `None` if a SIGINT from the user
/// arrived before the first round was over.
pub fn rotate(sides: &mut [Side], plan: &Plan) -> Option<Rotation> {
    let planned = plan.slice.as_secs_f64() * (plan.pairs * sides.len()) as f64;
    let is_known = sides.iter().all(|s| s.clock.is_none() || s.follow.is_some());
    let follow: Vec<_> = sides.iter_mut().filter_map(|s| s.follow.take()).collect();
    let mut place = Place::new(&follow, is_known, Duration::from_secs_f64(PATIENCE * planned));
    place.wait();
    let times: Vec<u64> = sides.iter_mut().map(|s| calibrate(s, plan.slice)).collect();
    let empty = Duration::from_secs_f64(*EMPTY_TURN.get_or_init(clock::empty_turn) / 1e9);
    let mut random = Random(plan.seed);
    let mut order: Vec<usize> = (0..sides.len()).collect();
    let mut rounds: Vec<(Vec<Duration>, bool)> = Vec::with_capacity(plan.pairs);
    let mut undisturbed = 0;
    while undisturbed < plan.pairs && rounds.len() < MOST * plan.pairs && !sys::interrupted() {
        random.shuffle(&mut order);
        let mut walls = vec![Duration::ZERO; sides.len()];
        place.wait();
        let mut disturbed = false;
        for &i in &order {
            let s = slice(&mut sides[i], times[i]);
            walls[i] = s.wall;
            disturbed |= s.disturbed || !place.is_quiet();
        }
        if sys::interrupted() && !rounds.is_empty() {
            // The interrupt may have cut a slice short.
            break;
        }
        undisturbed += usize::from(!disturbed);
        rounds.push((walls, disturbed));
    }
    let measured = rounds.len();
    let repeated = rounds.iter().skip(plan.pairs).flat_map(|r| &r.0).sum();
    quiet::lose(repeated);
    let disturbed = rounds.iter().filter(|r| r.1).count();
    let leave_out = disturbed > 0 && undisturbed >= ENOUGH.min(plan.pairs.div_ceil(2));
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
    Some(Rotation { rates, times, subtracted_ns, rounds: measured, disturbed, disturbed_left_out: leave_out })
}

static EMPTY_TURN: OnceLock<f64> = OnceLock::new();

/// Alternates two sides. Returns `None` if a SIGINT from the user arrived before there was a pair.
pub fn compare<'a>(a: Side<'a>, b: Side<'a>, plan: &Plan) -> Option<Comparison> {
    Comparison::of(&rotate(&mut [a, b], plan)?)
}

impl Comparison {
    /// Compares the first two sides of a rotation.
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

    /// Does a known amount of work: `units` steps, each dependent on the previous one.
    fn work(units: u64) -> u64 {
        (0..units).fold(1, |x: u64, _| black_box(x.wrapping_mul(3).rotate_left(5)))
    }

    #[test]
    fn a_known_ratio_is_found() {
        let plan = Plan { pairs: 60, slice: Duration::from_millis(1), ..Plan::default() };
        // A simulated clock, and a machine that alternates between full and half speed every forty slices and is never
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
        // A process that takes 1000 µs to start and 20 µs per repetition.
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
        assert_eq!((c.disturbed, c.disturbed_left_out, c.ratio.n), (20, false, 20));
        assert!(c.warnings.iter().any(|w| w.contains("20 of 20 pairs")), "{:?}", c.warnings);
    }
}
