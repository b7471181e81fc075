//! Medians, quartiles, and an interval for the median that assumes no distribution.

use serde::Serialize;

/// Where the middle of some values lies, and how surely.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Summary {
    /// How many values there were.
    pub n: usize,
    /// The median.
    pub median: f64,
    /// The lower and the upper quartile.
    pub quartiles: (f64, f64),
    /// An interval that holds the true median with at least 95 %, from order statistics; from the smallest to the largest
    /// value where there are fewer than six.
    pub interval: (f64, f64),
}

impl Summary {
    /// Of these values, in any order; nothing for none, or where one is not a number.
    pub fn of(values: &[f64]) -> Option<Summary> {
        let mut v = values.to_vec();
        if v.is_empty() || v.iter().any(|x| x.is_nan()) {
            return None;
        }
        v.sort_by(f64::total_cmp);
        let rank = interval_rank(v.len());
        Some(Summary {
            n: v.len(),
            median: quantile(&v, 0.5),
            quartiles: (quantile(&v, 0.25), quantile(&v, 0.75)),
            interval: (v[rank], v[v.len() - 1 - rank]),
        })
    }

    /// The interval's width over the median.
    pub fn relative_width(&self) -> f64 {
        (self.interval.1 - self.interval.0) / self.median
    }
}

/// The value below which the share `q` of `sorted` lies, between neighbours by straight line (type 7 of Hyndman and Fan).
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = q * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    low + (high - low) * at.fract()
}

/// The largest r such that the order statistics r and n - 1 - r (from 0) enclose the median with at least 95 %.
///
/// The number of values below the median is binomial (n, ½); the interval misses when at most r of them lie on one side.
fn interval_rank(n: usize) -> usize {
    // C(n, k) / 2^n as logarithms: 2^-n leaves the range of f64 for n > 1074.
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
}
