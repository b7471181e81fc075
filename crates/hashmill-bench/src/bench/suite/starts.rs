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
    let series = |s: &Series| {
        let same = parts.iter().filter_map(|d| d.series.iter().find(|o| is_same(s, o)));
        let values = same.flat_map(|s| if first.each_pair { s.samples.clone() } else { vec![s.median()] });
        let samples: Vec<f64> = values.collect();
        Series { summary: Summary::of(&samples), samples, ..s.clone() }
    };
    let pairing = |p: &Pairing| {
        let same = |d: &Done| {
            let is = |a: usize, b: usize| first.series.get(a).zip(d.series.get(b)).is_some_and(|(a, b)| is_same(a, b));
            let mut ours = d.pairings.iter().filter(|o| is(p.a, o.a));
            let of = ours.clone().find(|o| is(p.b, o.b));
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
        series: first.series.iter().map(series).collect(),
        pairings: first.pairings.iter().map(pairing).collect(),
        ..first.clone()
    })
}

/// Whether two series are of the same, in two starts.
fn is_same(a: &Series, b: &Series) -> bool {
    let what = |s: &Series| (s.what.clone(), s.by.clone(), s.kernel.clone(), s.mode.clone(), s.bytes);
    what(a) == what(b) && a.parameters == b.parameters
}
