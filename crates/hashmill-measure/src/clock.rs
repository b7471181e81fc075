//! The resolution of the clock, the overhead of measuring loops, and the speed of the core.

use crate::sys::clock;
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Measures the speed of the core in cycles per second with a chain of dependent additions, which take one cycle each.
/// Returns the best of `tries` runs of about 200 µs, because a disturbance can only slow a run down.
pub fn core_hertz(tries: usize) -> f64 {
    const STEPS: u64 = 1 << 19;
    let run = || {
        let start = Instant::now();
        black_box(clock::additions(black_box(STEPS)));
        STEPS as f64 / start.elapsed().as_secs_f64()
    };
    (0..tries.max(1)).map(|_| run()).fold(0.0, f64::max)
}

/// Returns the ticks per second of the time-stamp counter, or `None` if there is none.
pub fn counter_hertz() -> Option<f64> {
    let (start, first) = (Instant::now(), clock::time_stamp()?);
    while start.elapsed() < Duration::from_millis(5) {
        std::hint::spin_loop();
    }
    let last = clock::time_stamp()?;
    Some((last - first) as f64 / start.elapsed().as_secs_f64())
}

/// Returns the smallest step of the wall clock that a program can observe, in nanoseconds. It includes the cost of
/// reading the clock.
pub fn tick() -> f64 {
    let step = || {
        let start = Instant::now();
        loop {
            let d = start.elapsed();
            if !d.is_zero() {
                return d.as_nanos() as f64;
            }
        }
    };
    (0..1000).map(|_| step()).fold(f64::INFINITY, f64::min)
}

/// Returns the same bytes, but keeps the compiler from knowing what they are. To be called before a loop. Only one
/// register goes through memory; a `black_box` around the slice would store both pointer and length at once, and
/// reading them back takes 4 ns. Within the loop, the `black_box` around the digest is enough: after it, the compiler
/// must assume that any memory may have changed.
#[inline(always)]
pub fn hide(message: &[u8]) -> &[u8] {
    &message[black_box(0)..]
}

/// Returns the nanoseconds of one iteration of an empty measuring loop, the one that every in-process measurement here
/// runs, with a `black_box` around the digest. This is an upper bound: around a function that takes time, the loop's
/// own instructions run in its shadow.
pub fn empty_turn() -> f64 {
    const TURNS: u64 = 200_000;
    let mut out = [0u8; 64];
    let mut best = f64::INFINITY;
    for _ in 0..50 {
        let start = Instant::now();
        for _ in 0..TURNS {
            black_box(&mut out);
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / TURNS as f64);
    }
    best
}

/// Clock properties of this machine at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Clocks {
    /// Measured cycles per second of the core.
    pub core_hertz: f64,
    /// Ticks per second of the time-stamp counter; 0 if there is none.
    pub counter_hertz: f64,
    /// Smallest step of the wall clock in nanoseconds.
    pub tick_ns: f64,
    /// Nanoseconds of one iteration of an empty measuring loop.
    pub empty_turn_ns: f64,
}

impl Clocks {
    /// Measures them, which takes about 20 ms.
    pub fn measure() -> Clocks {
        Clocks {
            core_hertz: core_hertz(40),
            counter_hertz: counter_hertz().unwrap_or(0.0),
            tick_ns: tick(),
            empty_turn_ns: empty_turn(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_plausible() {
        let c = Clocks::measure();
        assert!((2e8..2e10).contains(&c.core_hertz), "{c:?}");
        assert!(c.counter_hertz == 0.0 || (1e6..2e10).contains(&c.counter_hertz), "{c:?}");
        assert!(c.tick_ns > 0.0 && c.tick_ns < 1e7, "{c:?}");
        assert!(c.empty_turn_ns > 0.0 && c.empty_turn_ns < 20.0, "{c:?}");
    }
}
