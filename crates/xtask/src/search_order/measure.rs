//! How fast orders are, next to the committed one.
//!
//! The machine is shared: other programs take the core away, and its clock changes. So times are not compared, only
//! ratios of two times taken one right after the other, each of some ten microseconds; the median of many such ratios
//! counts.

use super::graph::Order;
use super::kernel::Kernel;
use super::native::{Memory, Object};
use super::search::Judge;
use hashmill_measure::random::Random;
use hashmill_measure::stats::Summary;
use std::time::{Duration, Instant};

/// How long one order runs before it is the other's turn.
const SLICE: Duration = Duration::from_micros(25);

/// Number of pairs of slices that every order of a race gets. The faster half then gets twice as many, and so on.
const PAIRS: usize = 40;

/// Number of consecutive pairs of the same two orders.
const SERIES: usize = 20;

/// Number of orders left at the end of a race.
const FINISHERS: usize = 4;

/// Number of places in memory at which each order of a comparison lies, since a place may be lucky.
const PLACES: usize = 4;

/// Builds orders and runs them by turns.
pub(super) struct Bench<'a> {
    kernel: &'a Kernel,
    folder: tempfile::TempDir,
    memory: Memory,
    random: Random,
    /// How many times the work fits in a slice.
    repeat: u32,
    built: usize,
}

impl<'a> Bench<'a> {
    pub(super) fn new(kernel: &'a Kernel) -> Result<Bench<'a>, String> {
        let folder = tempfile::tempdir().map_err(|e| format!("a temporary folder: {e}"))?;
        // Separate from the search's, so that the data computed on does not affect which orders are tried.
        let mut random = Random(0);
        let memory = Memory::random(kernel.work, &mut random);
        let mut bench = Bench { kernel, folder, memory, random, repeat: 1, built: 0 };
        let object = bench.build(&[])?;
        let quickest = (0..100).map(|_| bench.slice(&object, 0)).min().unwrap_or(SLICE);
        bench.repeat = (SLICE.as_nanos() / quickest.as_nanos().max(1)).clamp(1, 1000) as u32;
        Ok(bench)
    }

    /// Builds an object with the committed order followed by these, and checks that all compute the same.
    fn build(&mut self, orders: &[Order]) -> Result<Object, String> {
        let committed = self.kernel.graph.committed();
        let text = self.kernel.assembly(std::iter::once(&committed).chain(orders))?;
        self.built += 1;
        let object = Object::build(&text, 1 + orders.len(), self.folder.path(), self.built)?;
        match object.differing(self.kernel.work, &mut self.random) {
            None => Ok(object),
            Some(at) => {
                let order = &orders[at - 1];
                Err(format!("this order computes something else, so the search misses a dependence: {order:?}"))
            }
        }
    }

    fn slice(&mut self, object: &Object, order: usize) -> Duration {
        // The other order has pushed this one's code out of the nearest caches.
        object.run(order, &mut self.memory);
        let begin = Instant::now();
        for _ in 0..self.repeat {
            object.run(order, &mut self.memory);
        }
        begin.elapsed()
    }

    /// Adds the ratios of a series of pairs, `than`'s time over `order`'s. They take turns at coming first.
    fn series(&mut self, object: &Object, order: usize, than: usize, ratios: &mut Vec<f64>) {
        // Once without timing, since whichever ran more recently has more of its code in the caches.
        self.slice(object, order);
        self.slice(object, than);
        for turn in 0..SERIES {
            let mut time = |order: usize| self.slice(object, order).as_secs_f64();
            let (own, other) = if turn % 2 == 0 {
                let own = time(order);
                (own, time(than))
            } else {
                let other = time(than);
                (time(order), other)
            };
            ratios.push(other / own);
        }
    }

    /// Runs a race with `effort` times the usual number of pairs.
    pub(super) fn long_race(&mut self, orders: &[Order], effort: usize) -> Result<Vec<(usize, f64)>, String> {
        let object = self.build(orders)?;
        let mut ratios = vec![Vec::new(); orders.len()];
        let mut left: Vec<(usize, f64)> = (0..orders.len()).map(|order| (order, 0.0)).collect();
        let mut pairs = PAIRS * effort;
        loop {
            for _ in 0..pairs / SERIES {
                for &(order, _) in &left {
                    self.series(&object, 1 + order, 0, &mut ratios[order]);
                }
            }
            for (order, speed) in &mut left {
                *speed = Summary::of(&ratios[*order]).map_or(0.0, |s| s.median);
            }
            left.sort_by(|a, b| b.1.total_cmp(&a.1));
            if left.len() <= FINISHERS {
                return Ok(left);
            }
            left.truncate(FINISHERS.max(left.len() / 2));
            pairs *= 2;
        }
    }

    /// Measures the speed of each order in `pairs` pairs: the committed order's is 1.
    pub(super) fn compare(&mut self, orders: &[Order], pairs: usize) -> Result<Vec<Summary>, String> {
        // At each place, the committed order and all others. The object starts with one more committed order.
        let mut placed = Vec::new();
        for _ in 0..PLACES {
            placed.push(self.kernel.graph.committed());
            placed.extend_from_slice(orders);
        }
        let object = self.build(&placed)?;
        let mut ratios = vec![Vec::new(); orders.len()];
        for turn in 0..pairs / SERIES {
            let place = 1 + turn % PLACES * (1 + orders.len());
            for (order, ratios) in ratios.iter_mut().enumerate() {
                self.series(&object, place + 1 + order, place, ratios);
            }
        }
        ratios.iter().map(|r| Summary::of(r).ok_or_else(|| "no pairs were measured".to_string())).collect()
    }
}

impl Judge for Bench<'_> {
    fn race(&mut self, orders: &[Order]) -> Result<Vec<(usize, f64)>, String> {
        self.long_race(orders, 1)
    }
}
