//! Whether this thread has a core to itself.
//!
//! The CPUs of a system are often hyperthreads, two of which share a core. In a virtual machine, the other one may
//! belong to somebody else, and then no counter of the system shows when it works: no time is stolen. But whatever runs
//! here is slower meanwhile, by up to one half, and not everything by the same factor, so that even ratios of what
//! takes turns change. What does show it is how many instructions that do nothing (`nop`) the core takes in a cycle:
//! two threads take turns at that, so each gets about half. Cycles are those of a chain of dependent additions, which
//! has so much time to spare that a neighbor hardly slows it.

use crate::sys::{self, Cpus};
use std::hint::black_box;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The variable of the environment that tells a child how many instructions the core takes in a cycle at best.
pub const WIDTH: &str = "HASHMILL_BENCH_WIDTH";

/// Share of the best width above which the core is quiet. Without neighbors, the width varies by less than 2 %.
const QUIET: f64 = 0.95;

/// Pause before the CPUs are tried once more.
const PAUSE: Duration = Duration::from_millis(1);

/// Share of all widths seen that are no larger than the best: a few are too large, because the chain was slowed down
/// and the rest was not.
const BEST: f64 = 0.98;

/// How often each width has been seen.
static SEEN: Mutex<Seen> = Mutex::new(Seen { counts: [0; BINS], total: 0, told: 0.0 });

const BINS: usize = 1000;

/// Bins of half a percent each, from a width of 1/4 on.
struct Seen {
    counts: [u32; BINS],
    total: u32,
    /// What was known before.
    told: f64,
}

impl Seen {
    const STEP: f64 = 0.005;
    const FIRST: f64 = 0.25;

    fn add(&mut self, width: f64) {
        if self.total == 0 {
            self.told = std::env::var(WIDTH).ok().and_then(|w| w.parse().ok()).unwrap_or(0.0);
        }
        let bin = ((width / Self::FIRST).ln() / Self::STEP).clamp(0.0, (BINS - 1) as f64) as usize;
        self.counts[bin] += 1;
        self.total += 1;
    }

    fn best(&self) -> f64 {
        let enough = (BEST * f64::from(self.total)).ceil() as u32;
        let mut sum = 0;
        let bin = self.counts.iter().position(|n| {
            sum += n;
            sum >= enough.max(1)
        });
        bin.map_or(0.0, |bin| Self::FIRST * (bin as f64 * Self::STEP).exp()).max(self.told)
    }
}

/// The time that neighbors have cost.
static LOST: Mutex<Duration> = Mutex::new(Duration::ZERO);

/// Adds to the time that neighbors have cost: what was measured beside one and repeated, or a child waited for.
pub fn lose(time: Duration) {
    *LOST.lock().unwrap_or_else(PoisonError::into_inner) += time;
}

/// Returns how much time neighbors have cost this process so far.
pub fn lost() -> Duration {
    *LOST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns how many instructions that do nothing the core takes in a cycle now. This takes about 20 µs.
fn width() -> f64 {
    const STEPS: u64 = 8 << 10;
    const NOPS: u64 = 48 << 10;
    let took = |run: &dyn Fn()| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    let (mut chain, mut nops) = (f64::INFINITY, f64::INFINITY);
    // The best of three: interrupts can only slow them down.
    for _ in 0..3 {
        chain = chain.min(took(&|| {
            black_box(sys::clock::additions(black_box(STEPS)));
        }));
        nops = nops.min(took(&|| sys::clock::nops(black_box(NOPS))));
    }
    NOPS as f64 / nops / (STEPS as f64 / chain)
}

/// Returns whether the core that this thread is on has no other work now, as far as is known: it is compared with the
/// best that this process has seen.
pub fn is_quiet() -> bool {
    let now = width();
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    seen.add(now);
    now >= QUIET * seen.best()
}

/// Returns the best width seen so far, for [`WIDTH`].
pub fn best_width() -> f64 {
    SEEN.lock().unwrap_or_else(PoisonError::into_inner).best()
}

/// Waits until the core is quiet, on another CPU if this one is not, but no longer than `limit`. Returns whether it is
/// quiet now.
pub fn wait(limit: Duration) -> bool {
    let start = Instant::now();
    let quiet = wait_from(start, limit);
    lose(start.elapsed());
    quiet
}

fn wait_from(start: Instant, limit: Duration) -> bool {
    let allowed = sys::affinity();
    let all = allowed.as_ref().map(Cpus::each).unwrap_or_default();
    loop {
        if is_quiet() {
            return true;
        }
        let here = sys::current_cpu();
        let at = all.iter().position(|cpu| Some(*cpu) == here).map_or(0, |at| at + 1);
        for i in 0..all.len().saturating_sub(1) {
            // Without a reason, the system leaves a thread where it is when it may go elsewhere again.
            let there = sys::set_affinity(0, &Cpus::one(all[(at + i) % all.len()]));
            if let (true, Some(allowed)) = (there, &allowed) {
                sys::set_affinity(0, allowed);
            }
            if is_quiet() {
                return true;
            }
        }
        if start.elapsed() >= limit || sys::interrupted() {
            return false;
        }
        std::thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_takes_several_instructions_in_a_cycle() {
        // A neighbor may be here, but not always.
        let widest = (0..200).map(|_| width()).fold(0.0, f64::max);
        assert!((1.5..20.0).contains(&widest), "{widest}");
    }

    #[test]
    fn the_best_is_no_outlier() {
        let mut seen = Seen { counts: [0; BINS], total: 0, told: 0.0 };
        assert_eq!(seen.best(), 0.0);
        // Half of the time with a neighbor, and one mistake.
        (0..100).for_each(|i| seen.add(if i % 2 == 0 { 5.5 } else { 3.0 + f64::from(i) / 100.0 }));
        seen.add(9.0);
        assert!((5.4..=5.5).contains(&seen.best()), "{}", seen.best());
        seen.told = 6.0;
        assert_eq!(seen.best(), 6.0);
    }

    #[test]
    fn waiting_ends_and_leaves_the_thread_free() {
        let before = sys::affinity().map(|cpus| cpus.each());
        let start = Instant::now();
        // Nothing is quiet any more.
        SEEN.lock().unwrap().add(1.0);
        SEEN.lock().unwrap().told = 1e9;
        assert!(!wait(Duration::from_millis(20)));
        SEEN.lock().unwrap().told = 0.0;
        assert!(start.elapsed() >= Duration::from_millis(20));
        assert!(lost() >= Duration::from_millis(20));
        assert_eq!(sys::affinity().map(|cpus| cpus.each()), before);
    }
}
