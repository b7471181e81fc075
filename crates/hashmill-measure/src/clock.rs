//! What the clocks can see, what the loops cost, and how fast the core runs.

use crate::sys::clock;
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How fast the core ran: cycles per second, measured by additions that wait for each other, one a cycle. The best of
/// `tries` runs of about 200 µs: a disturbance can only slow it.
pub fn core_hertz(tries: usize) -> f64 {
    const STEPS: u64 = 1 << 19;
    let run = || {
        let start = Instant::now();
        black_box(clock::additions(black_box(STEPS)));
        STEPS as f64 / start.elapsed().as_secs_f64()
    };
    (0..tries.max(1)).map(|_| run()).fold(0.0, f64::max)
}

/// Ticks per second of the time-stamp counter; nothing where there is none.
pub fn counter_hertz() -> Option<f64> {
    let (start, first) = (Instant::now(), clock::time_stamp()?);
    while start.elapsed() < Duration::from_millis(5) {
        std::hint::spin_loop();
    }
    let last = clock::time_stamp()?;
    Some((last - first) as f64 / start.elapsed().as_secs_f64())
}

/// The smallest step of the wall clock that a program sees, in nanoseconds: with the cost of reading it.
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

/// The same bytes, where the compiler cannot know what they are: for before a loop. One register goes through memory; a
/// `black_box` around the slice would send both at once, and reading them back takes 4 ns. Within the loop the
/// `black_box` around the digest is enough: after it, all memory may be another.
#[inline(always)]
pub fn hide(message: &[u8]) -> &[u8] {
    &message[black_box(0)..]
}

/// Nanoseconds that one turn of a measuring loop takes which does nothing: the loop that every in-process measurement
/// here runs, with a `black_box` around the digest. An upper bound: beside a function that takes its time, the loop
/// runs in its shadow.
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

/// The clocks of this machine at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Clocks {
    /// Cycles per second of the core, measured.
    pub core_hertz: f64,
    /// Ticks per second of the time-stamp counter; 0 where there is none.
    pub counter_hertz: f64,
    /// Smallest step of the wall clock in nanoseconds.
    pub tick_ns: f64,
    /// One turn of an empty measuring loop in nanoseconds.
    pub empty_turn_ns: f64,
}

impl Clocks {
    /// Measures them: about 20 ms.
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
