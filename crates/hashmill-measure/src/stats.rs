//! Medians, quartiles, and distribution-free intervals: for the median of one series ([`Summary`]), and for the ratio
//! of two series that were not measured together ([`Unpaired`]).
//!
//! Intervals come from order statistics, widened by the drift between ten stretches of a series: samples taken together
//! are not independent, and intervals that ignored this did not overlap in half of the cases in which the same thing
//! was measured twice.

use serde::{Deserialize, Serialize};

/// The median of some values, and how certain it is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of values.
    pub n: usize,
    /// The median.
    pub median: f64,
    /// Lower and upper quartile.
    pub quartiles: (f64, f64),
    /// Interval that contains the true median with a confidence of at least 95 %, from order statistics; for fewer than
    /// six values, from the smallest to the largest. From 40 values on, it is at least as wide as the drift between
    /// stretches of neighboring values suggests, because samples taken in succession are not independent.
    pub interval: (f64, f64),
}

impl Summary {
    /// Summarizes values in the order in which they were taken. Returns `None` if there are none or one of them is NaN.
    pub fn of(values: &[f64]) -> Option<Summary> {
        let mut v = values.to_vec();
        if v.is_empty() || v.iter().any(|x| x.is_nan()) {
            return None;
        }
        v.sort_by(f64::total_cmp);
        let rank = interval_rank(v.len());
        let median = quantile(&v, 0.5);
        let drift = drift(values);
        let within = |x: f64| x.clamp(v[0], v[v.len() - 1]);
        Some(Summary {
            n: v.len(),
            median,
            quartiles: (quantile(&v, 0.25), quantile(&v, 0.75)),
            interval: (v[rank].min(within(median - drift)), v[v.len() - 1 - rank].max(within(median + drift))),
        })
    }

    /// Returns the width of the interval divided by the median.
    pub fn relative_width(&self) -> f64 {
        (self.interval.1 - self.interval.0) / self.median
    }
}

/// Half the width of the 95 % interval for the mean of the [`BLOCKS`] block medians, by Student's t, widened as
/// described for [`Unpaired`] if the medians are still correlated with their neighbors; 0 for fewer than 40 values.
fn drift(values: &[f64]) -> f64 {
    if values.len() < 4 * BLOCKS {
        return 0.0;
    }
    let mut blocks: Vec<f64> = medians(values, BLOCKS);
    // A disturbed stretch or two say nothing about the drift of the others: outliers are pulled in to 2.5 standard
    // deviations, estimated from the median absolute deviation (Huber, Robust Statistics, 1981).
    let middle = |mut v: Vec<f64>| {
        v.sort_by(f64::total_cmp);
        quantile(&v, 0.5)
    };
    let centre = middle(blocks.clone());
    let most = 2.5 * 1.4826 * middle(blocks.iter().map(|b| (b - centre).abs()).collect());
    blocks.iter_mut().for_each(|b| *b = b.clamp(centre - most, centre + most));
    let (neighbours, squares) = correlation(&blocks);
    if squares <= 0.0 {
        return 0.0;
    }
    let n = BLOCKS as f64;
    // With so few values, the estimate is too low by about (1 + 4ρ) / n (Marriott and Pope 1954).
    let rho = ((neighbours / squares + 1.0 / n) / (1.0 - 4.0 / n)).clamp(0.0, 0.9);
    let error = (squares / (n - 1.0) / n).sqrt();
    // The 97.5 % point of Student's t with 9 degrees of freedom.
    2.262 * error * ((1.0 + rho) / (1.0 - rho)).sqrt()
}

/// Returns the medians of `k` stretches of neighboring values.
fn medians(values: &[f64], k: usize) -> Vec<f64> {
    let n = values.len();
    let median = |i: usize| {
        let mut block = values[i * n / k..(i + 1) * n / k].to_vec();
        block.sort_by(f64::total_cmp);
        quantile(&block, 0.5)
    };
    (0..k).map(median).collect()
}

/// Returns the sum of the products of neighboring deviations from the mean, and the sum of their squares.
fn correlation(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let d: Vec<f64> = values.iter().map(|x| x - mean).collect();
    (d.windows(2).map(|w| w[0] * w[1]).sum(), d.iter().map(|x| x * x).sum())
}

/// Returns the `q` quantile of sorted values, with linear interpolation (type 7 of Hyndman and Fan).
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = q * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    low + (high - low) * at.fract()
}

/// Returns the largest r such that the order statistics r and n - 1 - r (from 0) enclose the median with a confidence
/// of at least 95 %.
///
/// The number of values below the median is binomial (n, ½); the interval misses the median if at most r values lie on
/// one side of it.
fn interval_rank(n: usize) -> usize {
    // C(n, k) / 2^n as logarithms, because 2^-n leaves the range of f64 for n > 1074.
    let mut log_term = -(n as f64) * std::f64::consts::LN_2;
    let mut below = 0.0;
    let mut rank = 0;
    for k in 0..n / 2 {
        below += log_term.exp();
        if below > 0.025 {
            break;
        }
        rank = k;
        log_term += ((n - k) as f64).ln() - ((k + 1) as f64).ln();
    }
    rank
}

/// Number of blocks that [`Blocks`] divides a series into.
///
/// They are few and long, so that neighbors hardly depend on each other: Schmeiser (Batch size effects in the analysis
/// of simulation output, Operations Research 30, 1982) recommends 10 to 30 and finds that more gain little.
pub const BLOCKS: usize = 10;

/// A series as [`BLOCKS`] values: the logarithms of the medians of stretches of neighboring samples.
///
/// Samples taken within milliseconds of each other share the clock rate and the noisy neighbors of that moment, so 200
/// of them carry less information than 200 independent ones. Whatever lasts for less than a block averages out within
/// it.
#[derive(Debug, Clone, PartialEq)]
pub struct Blocks(Vec<f64>);

impl Blocks {
    /// Divides values, in the order in which they were taken, into blocks. Returns `None` if there are none or one is
    /// not positive.
    pub fn of(samples: &[f64]) -> Option<Blocks> {
        if samples.is_empty() || !samples.iter().all(|x| x.is_finite() && *x > 0.0) {
            return None;
        }
        let medians = medians(samples, samples.len().min(BLOCKS));
        Some(Blocks(medians.into_iter().map(f64::ln).collect()))
    }

    fn correlation(&self) -> (f64, f64) {
        correlation(&self.0)
    }
}

/// The ratio of two series that were measured at different times.
///
/// The estimate is the Hodges-Lehmann shift of the logarithms of [`Blocks`]: the median of all differences. The
/// interval is the one that corresponds to the Wilcoxon-Mann-Whitney rank sum test, from the exact distribution
/// (Hollander and Wolfe, Nonparametric Statistical Methods, 1999, sections 4.2 and 4.3). It assumes no particular
/// distribution, only that both series have the same one, shifted.
///
/// The test requires independent values. If blocks are still correlated with their neighbors (a drift longer than a
/// block), the interval is widened by √((1 + ρ) / (1 − ρ)), the effect of an autocorrelation of ρ on the error of a
/// mean; ρ is estimated from both series together and clamped to 0 to 0.9. What differs between runs but not within one
/// (where the program lies in memory, who the neighbors are today) cannot be in an interval from two runs: that is what
/// the threshold of a [`Verdict`] is for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Unpaired {
    /// Speed of the first series over that of the second.
    pub ratio: f64,
    /// Interval that contains the true ratio with a confidence of at least 95 %; `None` if there are too few samples
    /// for that (with equally many on both sides, fewer than four).
    pub interval: Option<(f64, f64)>,
}

impl Unpaired {
    /// Estimates the ratio of the first series over the second.
    pub fn of(over: &Blocks, under: &Blocks) -> Unpaired {
        let mut d: Vec<f64> = over.0.iter().flat_map(|a| under.0.iter().map(move |b| a - b)).collect();
        d.sort_by(f64::total_cmp);
        let shift = quantile(&d, 0.5);
        let ((products, squares), (p, s)) = (over.correlation(), under.correlation());
        let squares = squares + s;
        // For a series as short as this, the estimate is too low by about one over its length (Marriott and Pope 1954).
        let rho = if squares > 0.0 { (products + p) / squares + 1.0 / BLOCKS as f64 } else { 0.0 };
        let rho = rho.clamp(0.0, 0.9);
        let widen = ((1.0 + rho) / (1.0 - rho)).sqrt();
        let interval = rank_sum_rank(over.0.len(), under.0.len()).map(|r| {
            let end = |x: f64| (shift + (x - shift) * widen).exp();
            (end(d[r]), end(d[d.len() - 1 - r]))
        });
        Unpaired { ratio: shift.exp(), interval }
    }
}

/// Returns the largest r such that the r-th smallest and the r-th largest (from 0) of all m · n differences enclose the
/// shift with a confidence of at least 95 %, or `None` if not even the smallest and the largest do.
///
/// That is the largest r with P(U ≤ r) ≤ 0.025, where U is the number of the m · n pairs in which the first is smaller.
fn rank_sum_rank(m: usize, n: usize) -> Option<usize> {
    // ways[i][u] is the number of orders of i values of the first series and j of the second with U = u; j grows from 0
    // to n. The largest of these values belongs either to the first series (and is larger than j of the second) or to
    // the second.
    let mut ways = vec![vec![0.0f64; m * n + 1]; m + 1];
    ways.iter_mut().for_each(|w| w[0] = 1.0);
    for j in 1..=n {
        for i in 1..=m {
            for u in (j..=m * n).rev() {
                // Row i is still that of j - 1, row i - 1 is already that of j.
                ways[i][u] += ways[i - 1][u - j];
            }
        }
    }
    let all: f64 = ways[m].iter().sum();
    let mut below = 0.0;
    ways[m]
        .iter()
        .take_while(|w| {
            below += **w;
            below <= 0.025 * all
        })
        .count()
        .checked_sub(1)
}

/// Conclusion from a ratio of speeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The interval lies above 1, and the ratio above 1 + threshold.
    Faster,
    /// The interval lies below 1, and the ratio below 1 − threshold.
    Slower,
    /// The whole interval lies within the threshold around 1.
    NoChange,
    /// None of the above: the interval reaches beyond the threshold, but is no evidence that the ratio does.
    TooNoisy,
    /// There is no interval.
    TooFew,
}

impl Verdict {
    /// Judges a ratio of speeds. `threshold` is the share by which two runs of the same program may differ (0.03).
    pub fn of(ratio: f64, interval: Option<(f64, f64)>, threshold: f64) -> Verdict {
        let Some((low, high)) = interval else { return Verdict::TooFew };
        match () {
            () if low > 1.0 && ratio > 1.0 + threshold => Verdict::Faster,
            () if high < 1.0 && ratio < 1.0 - threshold => Verdict::Slower,
            () if low >= 1.0 - threshold && high <= 1.0 + threshold => Verdict::NoChange,
            () => Verdict::TooNoisy,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_the_tables() {
        // Conover, Practical Nonparametric Statistics: ranks from 1 are 1 for n = 6, 2 for 10, 6 for 20, 40 for 100.
        for (n, rank) in [(1, 0), (5, 0), (6, 0), (9, 1), (10, 1), (20, 5), (30, 9), (100, 39), (200, 85)] {
            assert_eq!(interval_rank(n), rank, "{n}");
        }
        // The normal approximation, far beyond the range of 2^-n.
        let expected = 5000.0 - 1.96 * 100.0 / 2.0;
        assert!((interval_rank(10_000) as f64 - expected).abs() < 2.0);
    }

    #[test]
    fn summary_of_known_values() {
        let s = Summary::of(&[4.0, 1.0, 3.0, 2.0, 5.0, 9.0, 7.0]).unwrap();
        assert_eq!((s.n, s.median, s.quartiles, s.interval), (7, 4.0, (2.5, 6.0), (1.0, 9.0)));
        let s = Summary::of(&[1.0, 2.0]).unwrap();
        assert_eq!((s.median, s.quartiles), (1.5, (1.25, 1.75)));
        assert!(Summary::of(&[]).is_none() && Summary::of(&[1.0, f64::NAN]).is_none());
    }

    #[test]
    fn interval_covers_the_median_as_often_as_promised() {
        let mut x = 1u64;
        let mut random = move || {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (x >> 33) as f64 / (1u64 << 31) as f64
        };
        let trials = 4000;
        let covered = (0..trials).filter(|_| {
            let values: Vec<f64> = (0..40).map(|_| random().powi(3)).collect();
            let s = Summary::of(&values).unwrap();
            (s.interval.0..=s.interval.1).contains(&0.125)
        });
        let share = covered.count() as f64 / f64::from(trials);
        assert!((0.945..0.985).contains(&share), "{share}");
    }

    #[test]
    fn intervals_of_two_runs_overlap_although_the_machine_drifts() {
        let mut machine = Machine(7);
        for memory in [0.0, 0.5, 0.9] {
            let overlap = (0..400).filter(|_| {
                let mut summary = || Summary::of(&machine.run(1e9, 0.01, 0.01, memory)).unwrap().interval;
                let (a, b) = (summary(), summary());
                a.0 <= b.1 && b.0 <= a.1
            });
            let overlap = overlap.count();
            assert!(overlap >= 380, "{memory}: {overlap} of 400");
        }
        // A few disturbed stretches do not widen the intervals much, and no interval leaves the range of the values.
        let mut values = machine.run(1e9, 0.01, 0.0, 0.0);
        let calm = Summary::of(&values).unwrap();
        values[40..60].iter_mut().for_each(|v| *v *= 0.3);
        let s = Summary::of(&values).unwrap();
        assert!(s.relative_width() < 3.0 * calm.relative_width(), "{calm:?} {s:?}");
        // Without drift, they are hardly wider than order statistics alone make them.
        let wider = (0..200).map(|_| {
            let mut values = machine.run(1e9, 0.01, 0.0, 0.0);
            let s = Summary::of(&values).unwrap();
            values.sort_by(f64::total_cmp);
            (s.interval.1 - s.interval.0) / (values[114] - values[85])
        });
        let wider = wider.sum::<f64>() / 200.0;
        assert!((1.0..1.6).contains(&wider), "{wider}");
    }

    #[test]
    fn rank_sum_ranks_are_those_of_the_tables() {
        // Critical values of U, two-sided 5 %, from the published tables of the test.
        let table =
            [(4, 4, 0), (3, 5, 0), (2, 8, 0), (5, 5, 2), (8, 8, 13), (10, 5, 8), (5, 10, 8), (10, 10, 23), (7, 9, 12)];
        for (m, n, u) in table {
            assert_eq!(rank_sum_rank(m, n), Some(u), "{m} {n}");
        }
        for (m, n) in [(1, 1), (1, 10), (3, 3), (2, 7)] {
            assert_eq!(rank_sum_rank(m, n), None, "{m} {n}");
        }
    }

    #[test]
    fn the_textbook_example() {
        // Hollander and Wolfe, table 4.1 (permeability of the chorioamnion): shift -0.305, interval (-0.76, 0.15).
        let x = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46].map(f64::exp);
        let y = [1.15, 0.88, 0.90, 0.74, 1.21].map(f64::exp);
        let (x, y) = (Blocks::of(&x).unwrap(), Blocks::of(&y).unwrap());
        let u = Unpaired::of(&y, &x);
        assert!((u.ratio.ln() + 0.305).abs() < 1e-9, "{u:?}");
        let ((p, s), (q, t)) = (x.correlation(), y.correlation());
        // The order of the values is our own choice: the textbook's are not a time series.
        let rho = ((p + q) / (s + t) + 0.1).clamp(0.0, 0.9);
        let widen = ((1.0 + rho) / (1.0 - rho)).sqrt();
        let (low, high) = u.interval.unwrap();
        assert!((low.ln() - (-0.305 - 0.455 * widen)).abs() < 1e-9, "{u:?}");
        assert!((high.ln() - (-0.305 + 0.455 * widen)).abs() < 1e-9, "{u:?}");
    }

    #[test]
    fn the_same_is_the_same() {
        let samples: Vec<f64> = (0..200).map(|i| 1e9 + f64::from(i % 7) * 1e6).collect();
        let b = Blocks::of(&samples).unwrap();
        let u = Unpaired::of(&b, &b);
        assert_eq!((u.ratio, Verdict::of(u.ratio, u.interval, 0.03)), (1.0, Verdict::NoChange));
        let one = Blocks::of(&[14.0]).unwrap();
        assert_eq!(Unpaired::of(&one, &one), Unpaired { ratio: 1.0, interval: None });
        assert!(Blocks::of(&[]).is_none() && Blocks::of(&[1.0, 0.0]).is_none() && Blocks::of(&[f64::NAN]).is_none());
    }

    /// Noise as on real machines: white noise, independent for every sample, plus a drift (autoregressive, with a
    /// correlation of `memory` from one sample to the next).
    struct Machine(u64);

    impl Machine {
        fn normal(&mut self) -> f64 {
            // The sum of twelve uniform values minus six.
            let uniform = |x: &mut u64| {
                *x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (*x >> 33) as f64 / (1u64 << 31) as f64
            };
            (0..12).map(|_| uniform(&mut self.0)).sum::<f64>() - 6.0
        }

        fn run(&mut self, speed: f64, white: f64, drift: f64, memory: f64) -> Vec<f64> {
            let mut state = drift * self.normal();
            let mut sample = || {
                state = memory * state + (1.0 - memory * memory).sqrt() * drift * self.normal();
                speed * (state + white * self.normal()).exp()
            };
            (0..200).map(|_| sample()).collect()
        }
    }

    #[test]
    fn two_runs_of_the_same_differ_as_rarely_as_promised() {
        let mut machine = Machine(1);
        let trials = 1000;
        for (memory, at_least) in [(0.0, 0.94), (0.5, 0.94), (0.9, 0.90)] {
            let (mut covered, mut alarms) = (0, 0);
            for _ in 0..trials {
                let blocks = |m: &mut Machine| Blocks::of(&m.run(1e9, 0.015, 0.01, memory)).unwrap();
                let u = Unpaired::of(&blocks(&mut machine), &blocks(&mut machine));
                let (low, high) = u.interval.unwrap();
                covered += usize::from(low <= 1.0 && 1.0 <= high);
                let verdict = Verdict::of(u.ratio, u.interval, 0.03);
                alarms += usize::from(matches!(verdict, Verdict::Faster | Verdict::Slower));
            }
            assert!(covered as f64 >= at_least * f64::from(trials), "{memory}: {covered}");
            assert!(alarms * 200 <= trials as usize, "{memory}: {alarms}");
        }
        // With a drift longer than the run, the interval alone is wrong too often, but the verdict is not.
        let alarms = (0..trials).filter(|_| {
            let blocks = |m: &mut Machine| Blocks::of(&m.run(1e9, 0.01, 0.01, 0.995)).unwrap();
            let u = Unpaired::of(&blocks(&mut machine), &blocks(&mut machine));
            matches!(Verdict::of(u.ratio, u.interval, 0.03), Verdict::Faster | Verdict::Slower)
        });
        let alarms = alarms.count();
        assert!(alarms * 20 <= trials as usize, "{alarms}");
    }

    #[test]
    fn five_percent_are_found() {
        let mut machine = Machine(2);
        for (white, drift) in [(0.01, 0.005), (0.02, 0.005), (0.01, 0.01)] {
            let found = (0..200).filter(|_| {
                let a = Blocks::of(&machine.run(1e9, white, drift, 0.9)).unwrap();
                let b = Blocks::of(&machine.run(0.95e9, white, drift, 0.9)).unwrap();
                let u = Unpaired::of(&b, &a);
                Verdict::of(u.ratio, u.interval, 0.03) == Verdict::Slower
            });
            let found = found.count();
            assert!(found >= 190, "{white} {drift}: {found}");
        }
    }

    #[test]
    fn verdicts() {
        for (ratio, interval, verdict) in [
            (1.10, Some((1.05, 1.15)), Verdict::Faster),
            (2.00, Some((1.50, 2.70)), Verdict::Faster),
            (0.95, Some((0.94, 0.96)), Verdict::Slower),
            (1.00, Some((0.98, 1.02)), Verdict::NoChange),
            (1.02, Some((1.01, 1.03)), Verdict::NoChange),
            (1.02, Some((1.01, 1.04)), Verdict::TooNoisy),
            (0.90, Some((0.70, 1.01)), Verdict::TooNoisy),
            (1.00, Some((0.80, 1.20)), Verdict::TooNoisy),
            (0.50, None, Verdict::TooFew),
        ] {
            assert_eq!(Verdict::of(ratio, interval, 0.03), verdict, "{ratio} {interval:?}");
        }
    }
}
