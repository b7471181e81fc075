//! Work that was done in several starts of the same programs.

use super::file::Rows;
use super::{Done, loops};
use hashmill_measure::run::{Pairing, Series};
use hashmill_measure::stats::Summary;
use hashmill_measure::suite::{self, WIDE};

/// Share of wide rows that is nothing unusual where there are many.
const FEW: f64 = 0.1;

/// Whether what was measured for a table, or some work of it, differs so much from one start to the next that more of
/// them are needed.
pub(super) fn vary(done: &[Done], table: &Rows, what: Option<&str>) -> bool {
    let of = done.iter().filter(|d| d.table == table.name && what.is_none_or(|what| d.what == what));
    combined(of.cloned().collect()).into_iter().any(|one| {
        let one = loops::against_the_fastest(table, one);
        let widths: Vec<f64> = one.pairings.iter().filter_map(|p| Some(p.summary?.relative_width())).collect();
        let wide = widths.iter().filter(|width| **width > WIDE).count();
        wide as f64 > FEW * widths.len() as f64
    })
}

/// Makes one of the parts of the same work: each start gives one value of every series and ratio, its median.
///
/// What differs between two starts (where code and data lie in memory, what the machine did in that minute) is often
/// more than what differs between the pairs of one, and pairs of one start share it. So they are not independent, and
/// an interval from all pairs is too narrow; one from the starts is not. Of whole commands, every pair is a start.
pub(super) fn combined(done: Vec<Done>) -> Vec<Done> {
    let mut all: Vec<Vec<Done>> = Vec::new();
    for one in done {
        match all.iter_mut().find(|parts| (&parts[0].table, &parts[0].what) == (&one.table, &one.what)) {
            Some(parts) => parts.push(one),
            None => all.push(vec![one]),
        }
    }
    all.into_iter().filter_map(of_parts).collect()
}

fn of_parts(mut parts: Vec<Done>) -> Option<Done> {
    if parts.len() < 2 {
        return parts.pop();
    }
    let first = parts.first()?;
    let series = |(i, s): (usize, &Series)| {
        let same = parts.iter().filter_map(|d| d.series.get(same(&first.series, i, &d.series)?));
        let values = same.flat_map(|s| if first.each_pair { s.samples.clone() } else { vec![s.median()] });
        let samples: Vec<f64> = values.collect();
        Series { summary: Summary::of(&samples), samples, ..s.clone() }
    };
    let pairing = |p: &Pairing| {
        let same = |d: &Done| {
            let there = |i| same(&first.series, i, &d.series);
            let mut ours = d.pairings.iter().filter(|o| there(p.a) == Some(o.a));
            let of = ours.clone().find(|o| there(p.b) == Some(o.b));
            // The fastest other implementation may be another this time.
            let of = of.or_else(|| ours.next().filter(|_| ours.next().is_none()))?;
            Some(if first.each_pair { of.ratios.clone() } else { vec![of.summary?.median] })
        };
        Pairing::new(p.a, p.b, parts.iter().filter_map(same).flatten().collect())
    };
    let peak = |r: &suite::Row| {
        let all = parts.iter().flat_map(|d| &d.rows).filter(|other| other.what == r.what);
        suite::Row { peak: all.map(|r| r.peak).max().unwrap_or(0), ..r.clone() }
    };
    Some(Done {
        rows: first.rows.iter().map(peak).collect(),
        start: parts.last().map_or(0, |d| d.start),
        series: first.series.iter().enumerate().map(series).collect(),
        pairings: first.pairings.iter().map(pairing).collect(),
        ..first.clone()
    })
}

/// Returns where the series of this index is among those of another start. What is compared with itself, in another way
/// of use, may have the same name on both sides, in this order.
fn same(first: &[Series], at: usize, other: &[Series]) -> Option<usize> {
    let of = first.get(at)?;
    let is = |s: &&Series| {
        (&s.what, &s.by, &s.kernel, &s.mode) == (&of.what, &of.by, &of.kernel, &of.mode)
            && (s.bytes, &s.parameters) == (of.bytes, &of.parameters)
    };
    let before = first[..at].iter().filter(is).count();
    other.iter().enumerate().filter(|(_, s)| is(s)).nth(before).map(|(i, _)| i)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_measure::run::Unit;

    fn start(ours: f64, theirs: f64) -> Done {
        let series = |seconds| Series::ours("x", "", Unit::Seconds, vec![seconds]);
        Done {
            table: "t".into(),
            what: "x".into(),
            pairs: 1,
            start: 0,
            columns: Vec::new(),
            column: 0,
            series: vec![series(ours), series(theirs)],
            pairings: vec![Pairing::new(0, 1, vec![theirs / ours])],
            rows: Vec::new(),
            allocated: Vec::new(),
            each_pair: true,
        }
    }

    #[test]
    fn what_is_compared_with_itself_keeps_its_sides() {
        let all = combined(vec![start(1.0, 3.0), start(2.0, 4.0), start(4.0, 8.0)]);
        assert_eq!(all.len(), 1);
        let samples: Vec<&[f64]> = all[0].series.iter().map(|s| &*s.samples).collect();
        assert_eq!(samples, [[1.0, 2.0, 4.0], [3.0, 4.0, 8.0]]);
        assert_eq!(all[0].pairings[0].ratios, [3.0, 2.0, 2.0]);
    }
}
