//! The library itself as what runs loops: one call of `digest_into` after the other, on one core.

use hashmill::Algorithm;
use hashmill_measure::child::ChildError;
use hashmill_measure::engine::{Loop, Runner};
use hashmill_measure::random::noise;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Lengths of the messages: one that shows what a call costs, and two that fill blocks.
const SIZES: [usize; 3] = [5, 5000, 16384];

/// The library.
pub(super) struct Library {
    name: String,
    loops: Vec<Loop>,
    algorithms: Vec<Algorithm>,
    message: Vec<u8>,
}

impl Library {
    pub(super) fn new() -> Library {
        let algorithms: Vec<Algorithm> = Algorithm::all().collect();
        let case = |a: &Algorithm, n: usize| Loop {
            case: format!("`{}`, {n} bytes", a.name()),
            by: "library".into(),
            bytes: n as u64,
        };
        let loops = algorithms.iter().flat_map(|a| SIZES.map(|n| case(a, n))).collect();
        let name = format!("hashmill {}", env!("CARGO_PKG_VERSION"));
        Library { name, loops, algorithms, message: noise(16384) }
    }
}

impl Runner for Library {
    fn name(&self) -> &str {
        &self.name
    }

    fn loops(&self) -> &[Loop] {
        &self.loops
    }

    fn run(&self, which: &Loop, times: u64) -> Result<Duration, ChildError> {
        let at = self.loops.iter().position(|l| l == which).unwrap_or_default();
        let algorithm = self.algorithms[at / SIZES.len()];
        let message = &self.message[..SIZES[at % SIZES.len()]];
        let mut digest = vec![0; algorithm.digest_len()];
        let start = Instant::now();
        for _ in 0..times {
            // The length is right.
            let _ = algorithm.digest_into(black_box(message), black_box(&mut digest));
        }
        Ok(start.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_loop_runs() {
        let library = Library::new();
        assert!(library.loops().len() > 400);
        for which in library.loops() {
            assert!(library.run(which, 1).unwrap() > Duration::ZERO, "{which:?}");
        }
    }
}
