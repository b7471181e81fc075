//! The search: generations of orders that differ a little from the best of the generation before.
//!
//! Parents race with their children, in every generation anew: an order that was only lucky will not win again. Which
//! orders are tried depends only on the seed and on how the races end.

use super::graph::{Graph, Order};
use hashmill_measure::random::Random;
use std::collections::{BTreeMap, HashSet};

/// Number of orders in a race, parents included; they are built into one shared object.
const RACERS: usize = 32;

/// Number of orders that are measured again in the end.
const FINALISTS: usize = 16;

/// Tells which orders are fast.
pub(super) trait Judge {
    /// Returns the positions of the orders left at the end, fastest first, with their speeds relative to the committed
    /// order.
    fn race(&mut self, orders: &[Order]) -> Result<Vec<(usize, f64)>, String>;
}

pub(super) struct Search<'a> {
    graph: &'a Graph,
    random: Random,
    /// The orders left at the end of the last race.
    parents: Vec<Order>,
    seen: HashSet<Order>,
    /// For each order that was ever left at the end of a race, the sum of its speeds and how many they are.
    finished: BTreeMap<Order, (f64, u32)>,
    pub(super) generations: usize,
}

impl<'a> Search<'a> {
    /// Creates a search that begins with `start`.
    pub(super) fn new(graph: &'a Graph, start: Order, random: Random) -> Search<'a> {
        let seen = HashSet::from([start.clone()]);
        Search { graph, random, parents: vec![start], seen, finished: BTreeMap::new(), generations: 0 }
    }

    /// Runs one race and returns the winner's speed.
    pub(super) fn step(&mut self, judge: &mut impl Judge) -> Result<f64, String> {
        let mut racers = std::mem::take(&mut self.parents);
        let parents = racers.len();
        // Fewer race once all neighbours have been tried.
        for _ in 0..100 * RACERS {
            if racers.len() == RACERS {
                break;
            }
            let parent = &racers[self.random.below(parents)];
            let child = self.graph.neighbour(parent, &mut self.random);
            debug_assert!(self.graph.allows(&child), "{child:?}");
            if self.seen.insert(child.clone()) {
                racers.push(child);
            }
        }
        let results = judge.race(&racers)?;
        for &(order, speed) in &results {
            let (sum, count) = self.finished.entry(racers[order].clone()).or_default();
            *sum += speed;
            *count += 1;
        }
        self.parents = results.iter().map(|&(order, _)| racers[order].clone()).collect();
        self.generations += 1;
        Ok(results.first().map_or(0.0, |r| r.1))
    }

    /// Returns the number of different orders measured.
    pub(super) fn tried(&self) -> usize {
        self.seen.len()
    }

    /// Returns the candidates for the best order: the last parents, and those with the best mean speeds.
    pub(super) fn finalists(&self) -> Vec<Order> {
        let mut others: Vec<(&Order, f64)> =
            self.finished.iter().map(|(order, &(sum, count))| (order, sum / f64::from(count))).collect();
        others.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut all = self.parents.clone();
        for (order, _) in others {
            if all.len() < FINALISTS && !all.contains(order) {
                all.push(order.clone());
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernel::{Algorithm, Kernel};
    use super::*;
    use std::path::Path;

    /// A judge that prefers orders close to the source's, and records the races.
    struct Taste(Vec<Vec<Order>>);

    impl Judge for Taste {
        fn race(&mut self, orders: &[Order]) -> Result<Vec<(usize, f64)>, String> {
            self.0.push(orders.to_vec());
            let speed = |order: &Order| {
                let off: usize = order.iter().enumerate().map(|(at, &line)| at.abs_diff(line)).sum();
                1.0 / (1 + off) as f64
            };
            let mut all: Vec<(usize, f64)> = orders.iter().map(speed).enumerate().collect();
            all.sort_by(|a, b| b.1.total_cmp(&a.1));
            all.truncate(4);
            Ok(all)
        }
    }

    fn run(graph: &Graph, seed: u64, generations: usize) -> (Vec<Vec<Order>>, Vec<f64>, Vec<Order>) {
        let mut random = Random(seed);
        let start = graph.any(&mut random);
        let mut search = Search::new(graph, start, random);
        let mut taste = Taste(Vec::new());
        let speeds = (0..generations).map(|_| search.step(&mut taste).unwrap()).collect();
        (taste.0, speeds, search.finalists())
    }

    fn kernel(algorithm: Algorithm) -> Kernel {
        Kernel::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), algorithm, true).unwrap()
    }

    #[test]
    fn the_same_seed_tries_the_same_orders() {
        for algorithm in [Algorithm::Sha512, Algorithm::Sha512Woven, Algorithm::Keccak] {
            let kernel = kernel(algorithm);
            let [one, again, other] = [1, 1, 2].map(|seed| run(&kernel.graph, seed, 10).0);
            assert_eq!(one, again);
            assert_ne!(one, other);
        }
    }

    #[test]
    fn no_order_is_tried_twice_except_as_a_parent() {
        let kernel = kernel(Algorithm::Sha512);
        let (races, ..) = run(&kernel.graph, 3, 20);
        let mut seen = HashSet::new();
        for race in &races {
            assert_eq!(race.len(), RACERS);
            assert!(race.iter().all(|order| kernel.graph.allows(order)));
            let children = race.iter().filter(|order| seen.insert((*order).clone())).count();
            assert!(children >= RACERS - 4);
        }
    }

    #[test]
    fn it_gets_nearer_to_what_the_judge_likes() {
        let kernel = kernel(Algorithm::Sha512);
        let (_, speeds, finalists) = run(&kernel.graph, 1, 300);
        assert!(speeds.windows(2).all(|w| w[0] <= w[1]), "the best parent races again");
        assert_eq!(speeds.last(), Some(&1.0));
        assert_eq!(finalists[0], kernel.graph.committed());
        assert_eq!(finalists.len(), FINALISTS);
    }
}
