//! `hashmill results compare`: compares two runs, series by series.

use crate::error::ResultsError;
use crate::find::{Named, load};
use crate::page::{NAMES, clean, draw, json, middle, names, shell, table, title, versions};
use clap::{Args, ValueHint};
use hashmill_measure::chart::{Bar, Chart};
use hashmill_measure::run::{Pairing, Run, Series, Unit, emit};
use hashmill_measure::stats::{Blocks, Unpaired, Verdict};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Compare two runs
///
/// Series of the same thing are put side by side. B / A is the ratio of speeds: above 1 B is faster, whatever the unit.
/// The runs were not measured together, so it is the Hodges-Lehmann estimate over ten blocks of each series, with the
/// 95 % interval that belongs to the rank sum test, widened where blocks depend on their neighbours. What both runs
/// compared with the same peer, in alternation, is compared again as a ratio of ratios: what slowed the whole machine
/// is not in it.
#[derive(Debug, Args)]
#[command(after_help = "\
Verdicts, with the threshold t:
  faster     the interval lies above 1, and the ratio above 1 + t
  slower     the interval lies below 1, and the ratio below 1 - t
  no change  the whole interval lies between 1 - t and 1 + t
  too noisy  none of these: measure more, or a quieter machine
  too few    fewer than four samples on a side give no interval
Of memory and of counts, better and worse are said in place of faster and
slower. There is a threshold because two runs of the same program differ by more
than the samples of either tell: where it lies in memory, who the neighbours
are.

Examples:
  hashmill results compare before after
  hashmill results compare last~1 last --fail-if slower:5%
  hashmill results compare here.json there.json --across-kernels
  hashmill results compare main last --fail-if peer-slower:3%,noisy

A and B are numbers, tags (the latest run of each), last, last~1 (the one
before), or files that --json or export wrote.

Exit status: 0, or 1 if a --fail-if is met or there is nothing to compare, or 2
for wrong usage.
")]
pub(crate) struct CompareArgs {
    /// The run to compare with
    #[arg(value_name = "A", value_hint = ValueHint::AnyPath)]
    a: String,

    /// The run that is faster or slower than it
    #[arg(value_name = "B", value_hint = ValueHint::AnyPath)]
    b: String,

    /// What two runs of the same program may differ by, in percent
    #[arg(long, value_name = "PERCENT", default_value = "3", value_parser = percent)]
    threshold: f64,

    /// Where kernels differ, the fastest of A with the fastest of B
    #[arg(long)]
    across_kernels: bool,

    /// Fail if a series is slower:5% or faster:5% (its whole interval beyond 1, the ratio beyond 1 by more than that;
    /// without a number: the threshold) or noisy (too noisy or too few); with peer- before it, if that is so against a
    /// peer
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = fail_if)]
    fail_if: Vec<FailIf>,

    /// As JSON
    #[arg(long)]
    json: bool,

    /// Draw the ratios into this file (SVG)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    svg: Option<PathBuf>,
}

/// Parses `5%` or `5` as 0.05.
pub(crate) fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text);
    // `inf` and `1e1` are numbers, too, but no one means them as percentages.
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let value = number.parse::<f64>().ok().filter(|v| digits && (0.0..100.0).contains(v));
    value
        .map(|v| v / 100.0)
        .ok_or_else(|| format!("'{text}' is not a percentage: from 0 to below 100, as in 5% or 2.5"))
}

/// A condition that makes the comparison fail.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FailIf {
    against_peer: bool,
    verdict: Verdict,
    share: Option<f64>,
}

fn fail_if(text: &str) -> Result<FailIf, String> {
    let (against_peer, rest) = text.strip_prefix("peer-").map_or((false, text), |rest| (true, rest));
    let (word, share) = match rest.split_once(':') {
        None => (rest, None),
        Some((word, number)) => (word, Some(percent(number)?)),
    };
    let verdict = match (word, share) {
        ("slower", _) => Verdict::Slower,
        ("faster", _) => Verdict::Faster,
        ("noisy", None) => Verdict::TooNoisy,
        _ => return Err(format!("'{text}' is none of slower:5%, faster:5%, noisy, or these with peer- before them")),
    };
    Ok(FailIf { against_peer, verdict, share })
}

impl FailIf {
    fn is_met(self, ratio: &Ratio, threshold: f64) -> bool {
        let at = |share: f64| ratio.value.is_some_and(|r| Verdict::of(r, ratio.interval, share) == self.verdict);
        match self.verdict {
            Verdict::TooNoisy => matches!(ratio.verdict, None | Some(Verdict::TooNoisy | Verdict::TooFew)),
            _ => at(self.share.unwrap_or(threshold)),
        }
    }

    /// Describes what meets the condition, or returns `None`.
    fn says(self, lines: &[Line], against: &[Against], threshold: f64) -> Option<String> {
        let met: Vec<String> = if self.against_peer {
            against.iter().filter(|l| self.is_met(&l.ratio, threshold)).map(Against::title).collect()
        } else {
            lines.iter().filter(|l| self.is_met(&l.ratio, threshold)).map(Line::title).collect()
        };
        let peer = if self.against_peer { " against the peer" } else { "" };
        if self.against_peer && against.is_empty() {
            return Some("nothing was measured against the same peer in both runs".into());
        }
        let by = round(100.0 * self.share.unwrap_or(threshold));
        let how = match self.verdict {
            Verdict::TooNoisy => format!("too noisy{peer}"),
            Verdict::Faster => format!("faster{peer} by more than {by} %"),
            _ => format!("slower{peer} by more than {by} %"),
        };
        (!met.is_empty()).then(|| format!("{how}: {}", met.join("; ")))
    }
}

/// Rounds a percentage, to get rid of the noise of binary fractions.
fn round(percent: f64) -> f64 {
    (percent * 1e6).round() / 1e6
}

/// The speed of B over that of A.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Ratio {
    /// Ratio; `None` if a sample is zero.
    #[serde(rename = "ratio")]
    pub(crate) value: Option<f64>,
    pub(crate) interval: Option<(f64, f64)>,
    pub(crate) verdict: Option<Verdict>,
}

impl Ratio {
    /// Compares two series of the same thing.
    pub(crate) fn of(a: &Series, b: &Series, threshold: f64) -> Ratio {
        // A count is not an estimate: if all samples agree, there is no uncertainty.
        let exact = |s: &Series| s.samples.first().copied().filter(|v| s.samples.iter().all(|x| x == v));
        if let (Unit::Count, Some(a), Some(b)) = (a.unit, exact(a), exact(b)) {
            let value = if a == b { 1.0 } else { a / b };
            if value.is_finite() && value > 0.0 {
                let interval = Some((value, value));
                return Ratio { value: Some(value), interval, verdict: Some(Verdict::of(value, interval, threshold)) };
            }
        }
        let (a_blocks, b_blocks) = (Blocks::of(&a.samples), Blocks::of(&b.samples));
        match a.unit.more_is_better() {
            true => Ratio::over(b_blocks.as_ref(), a_blocks.as_ref(), threshold),
            false => Ratio::over(a_blocks.as_ref(), b_blocks.as_ref(), threshold),
        }
    }

    fn over(over: Option<&Blocks>, under: Option<&Blocks>, threshold: f64) -> Ratio {
        match over.zip(under).map(|(o, u)| Unpaired::of(o, u)) {
            None => Ratio { value: None, interval: None, verdict: None },
            Some(u) => Ratio {
                value: Some(u.ratio),
                interval: u.interval,
                verdict: Some(Verdict::of(u.ratio, u.interval, threshold)),
            },
        }
    }

    /// Formats the ratio, its interval and the verdict for a table.
    pub(crate) fn cells(&self, unit: Unit) -> [String; 3] {
        let interval = self.interval.map_or(String::new(), |(low, high)| format!("[{low:.3}, {high:.3}]"));
        let less = matches!(unit, Unit::Bytes | Unit::Count);
        let word = match self.verdict {
            Some(Verdict::Faster) if less => "better",
            Some(Verdict::Slower) if less => "worse",
            Some(Verdict::Faster) => "faster",
            Some(Verdict::Slower) => "slower",
            Some(Verdict::NoChange) => "no change",
            Some(Verdict::TooNoisy) => "too noisy",
            Some(Verdict::TooFew) => "too few",
            None => "no ratio",
        };
        [self.value.map_or("-".to_string(), |r| format!("{r:.3}")), interval, word.into()]
    }
}

/// A series that is in both runs.
struct Line<'a> {
    a: &'a Series,
    b: &'a Series,
    ratio: Ratio,
}

impl Line<'_> {
    fn kernel(&self) -> String {
        let (a, b) = (&self.a.kernel, &self.b.kernel);
        if a == b { a.clone() } else { format!("{a} → {b}") }
    }

    fn title(&self) -> String {
        title(self.a, &self.kernel())
    }

    fn json(&self) -> Value {
        let (a, b, r) = (self.a, self.b, &self.ratio);
        json!({
            "what": a.what, "by": a.by, "mode": a.mode, "bytes": a.bytes, "parameters": a.parameters, "unit": a.unit,
            "a": { "kernel": a.kernel, "version": a.version, "summary": a.summary },
            "b": { "kernel": b.kernel, "version": b.version, "summary": b.summary },
            "ratio": r.value, "interval": r.interval, "verdict": r.verdict,
        })
    }
}

/// A comparison in alternation that both runs made: two lines, and the ratio of the ratios.
struct Against<'a> {
    ours: &'a Line<'a>,
    peer: &'a Line<'a>,
    a: &'a Pairing,
    b: &'a Pairing,
    ratio: Ratio,
}

impl Against<'_> {
    fn title(&self) -> String {
        format!("{} / {}", self.ours.title(), self.peer.title())
    }

    fn json(&self) -> Value {
        let r = &self.ratio;
        json!({
            "ours": self.ours.title(), "peer": self.peer.title(), "a": self.a.summary, "b": self.b.summary,
            "ratio": r.value, "interval": r.interval, "verdict": r.verdict,
        })
    }
}

/// Pairs of matching series of A and B, and those that have no counterpart.
#[derive(Debug, Default)]
struct Matched {
    pairs: Vec<(usize, usize)>,
    only_a: Vec<usize>,
    only_b: Vec<usize>,
}

/// Returns whether both are the same thing, regardless of the kernel and of one parameter.
fn same(a: &Series, b: &Series, apart_from: Option<&str>) -> bool {
    let parameters = |s: &Series| -> Vec<(String, String)> {
        let all = s.parameters.iter().filter(|(name, _)| Some(&***name) != apart_from);
        all.map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    (&a.what, &a.by, &a.mode, a.bytes, a.unit) == (&b.what, &b.by, &b.mode, b.bytes, b.unit)
        && parameters(a) == parameters(b)
}

/// Returns the parameter in which the runs differ, with the values of each, if each run has one value and nothing
/// matches unless it is left out.
fn apart(a: &Run, b: &Run) -> Option<(String, [String; 2])> {
    let names = a.series.iter().flat_map(|s| s.parameters.keys());
    let mut names: Vec<&String> = names.collect();
    names.sort_unstable();
    names.dedup();
    let only = |run: &Run, name: &str| {
        let mut values: Vec<&str> = run.series.iter().filter_map(|s| Some(&**s.parameters.get(name)?)).collect();
        values.sort_unstable();
        values.dedup();
        if let [one] = values[..] { Some(one.to_string()) } else { None }
    };
    names.into_iter().find_map(|name| {
        let values = [only(a, name)?, only(b, name)?];
        let differs = values[0] != values[1] && !matched(a, b, false, Some(name)).pairs.is_empty();
        differs.then(|| (name.clone(), values))
    })
}

fn matched(a: &Run, b: &Run, across_kernels: bool, apart_from: Option<&str>) -> Matched {
    let mut m = Matched::default();
    let mut done_a = vec![false; a.series.len()];
    let mut done_b = vec![false; b.series.len()];
    for first in 0..a.series.len() {
        if done_a[first] {
            continue;
        }
        let of = |run: &Run| {
            (0..run.series.len()).filter(|i| same(&a.series[first], &run.series[*i], apart_from)).collect::<Vec<_>>()
        };
        let (in_a, in_b) = (of(a), of(b));
        in_a.iter().for_each(|i| done_a[*i] = true);
        in_b.iter().for_each(|j| done_b[*j] = true);
        let whole = across_kernels || (in_a.len() == 1 && in_b.len() == 1);
        if let (true, Some(i), Some(j)) = (whole, fastest(a, &in_a), fastest(b, &in_b)) {
            m.pairs.push((i, j));
            continue;
        }
        let mut left = in_b;
        for i in in_a {
            match left.iter().position(|j| b.series[*j].kernel == a.series[i].kernel) {
                Some(at) => m.pairs.push((i, left.remove(at))),
                None => m.only_a.push(i),
            }
        }
        m.only_b.extend(left);
    }
    m.only_b.extend((0..b.series.len()).filter(|j| !done_b[*j]));
    m
}

fn fastest(run: &Run, of: &[usize]) -> Option<usize> {
    let speed = |i: &usize| {
        let s = &run.series[*i];
        if s.unit.more_is_better() { s.median() } else { -s.median() }
    };
    of.iter().copied().max_by(|i, j| speed(i).total_cmp(&speed(j)))
}

/// Describes how the runs differ apart from their results.
fn differences(a: &Run, b: &Run) -> Vec<String> {
    let mut found = Vec::new();
    let machine = |r: &Run| (r.machine.cpu.clone(), r.machine.arch.clone(), r.machine.cpus);
    if machine(a) != machine(b) {
        found.push(format!("A ran on {}; B on {}: this compares machines", a.machine.line(), b.machine.line()));
    } else {
        let hertz = |r: &Run| (r.weather.core_hertz_before + r.weather.core_hertz_after) / 2.0;
        if (hertz(b) / hertz(a)).ln().abs() > 0.03 {
            let (a, b) = (hertz(a) / 1e9, hertz(b) / 1e9);
            found.push(format!("the core ran at {a:.2} GHz in A and {b:.2} GHz in B: trust the ratios against a peer"));
        }
    }
    let mut differ = |what: &str, a: String, b: String| {
        if a != b {
            found.push(format!("{what}: A {a}; B {b}"));
        }
    };
    differ("system", a.machine.os.clone(), b.machine.os.clone());
    differ("hashmill", a.machine.hashmill.clone(), b.machine.hashmill.clone());
    differ("compiler", a.machine.compiler.clone(), b.machine.compiler.clone());
    let (in_a, in_b) = (versions(a), versions(b));
    let mut names: Vec<&str> = in_a.iter().map(|v| v.0).filter(|by| in_b.iter().any(|v| v.0 == *by)).collect();
    names.dedup();
    for by in names {
        let of = |all: &[(&str, &str)]| {
            let mut all: Vec<&str> = all.iter().filter(|v| v.0 == by).map(|v| v.1).collect();
            all.sort_unstable();
            all.join(", ")
        };
        differ(by, of(&in_a), of(&in_b));
    }
    for (name, run) in [("A", a), ("B", b)] {
        if run.interrupted {
            found.push(format!("{name} was interrupted"));
        }
        if !run.warnings.is_empty() {
            let plural = if run.warnings.len() == 1 { "" } else { "s" };
            found.push(format!("{name} had {} warning{plural}: see `hashmill results show`", run.warnings.len()));
        }
    }
    found
}

pub(crate) fn run(db: Option<&Path>, args: &CompareArgs) -> Result<ExitCode, ResultsError> {
    let (a, b) = (load(db, &args.a)?, load(db, &args.b)?);
    let mut m = matched(&a.run, &b.run, args.across_kernels, None);
    let mut differences = differences(&a.run, &b.run);
    if m.pairs.is_empty()
        && let Some((name, [in_a, in_b])) = apart(&a.run, &b.run)
    {
        m = matched(&a.run, &b.run, args.across_kernels, Some(&name));
        differences.insert(0, format!("{name}: A {in_a}; B {in_b}: this compares what that makes of the same"));
    }
    if m.pairs.is_empty() {
        return Err(ResultsError::Nothing(format!("{} and {} have no series of the same thing", a.label, b.label)));
    }
    let line = |&(i, j): &(usize, usize)| {
        let (a, b) = (&a.run.series[i], &b.run.series[j]);
        Line { a, b, ratio: Ratio::of(a, b, args.threshold) }
    };
    let lines: Vec<Line> = m.pairs.iter().map(line).collect();
    let against: Vec<Against> = a
        .run
        .pairings
        .iter()
        .filter_map(|p| {
            let b = b.run.pairings.iter();
            b.filter_map(|q| {
                let of = |x: usize, y: usize| lines.get(m.pairs.iter().position(|pair| *pair == (x, y))?);
                let (ours, peer) = (of(p.a, q.a)?, of(p.b, q.b)?);
                let ratio = Ratio::over(Blocks::of(&q.ratios).as_ref(), Blocks::of(&p.ratios).as_ref(), args.threshold);
                Some(Against { ours, peer, a: p, b: q, ratio })
            })
            .next()
        })
        .collect();
    let failed: Vec<String> = args.fail_if.iter().filter_map(|f| f.says(&lines, &against, args.threshold)).collect();
    let only = |run: &Run, of: &[usize]| {
        let series = of.iter().map(|i| &run.series[*i]);
        series.map(|s| title(s, &s.kernel)).collect::<Vec<_>>()
    };
    let (only_a, only_b) = (only(&a.run, &m.only_a), only(&b.run, &m.only_b));
    let verdict = verdict(&lines);
    if args.json {
        let about = |n: &Named| {
            json!({ "label": n.label, "tag": n.run.tag, "started": n.run.started, "command": n.run.command,
                    "machine": n.run.machine.line(), "version": n.run.machine.hashmill })
        };
        emit(&json(&json!({
            "verdict": verdict, "a": about(&a), "b": about(&b), "differences": differences, "threshold": args.threshold,
            "series": lines.iter().map(Line::json).collect::<Vec<_>>(),
            "against_peer": against.iter().map(Against::json).collect::<Vec<_>>(),
            "only_in_a": only_a, "only_in_b": only_b, "failed": failed,
        }))?)?;
    } else {
        let mut text = format!("{verdict}\n");
        for (name, n) in [("A", &a), ("B", &b)] {
            text += &clean(&format!("{name}: {}, {}: {}", n.label, n.run.started, shell(&n.run.command)));
            text += "\n";
        }
        text.extend(differences.iter().map(|d| clean(d) + "\n"));
        text += &tables(&lines, &against);
        for (name, only) in [("A", &only_a), ("B", &only_b)] {
            if !only.is_empty() {
                text += &format!("\nOnly in {name}:\n");
                text.extend(only.iter().map(|o| format!("  {o}\n")));
            }
        }
        emit(&text)?;
    }
    if let Some(path) = &args.svg {
        draw(path, &chart(&lines, &against, &a, &b))?;
    }
    for f in &failed {
        hashmill_measure::run::say("results compare", clean(f));
    }
    Ok(if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns how many series there are of each verdict: `3 faster, 1 slower, 42 no change`.
fn verdict(lines: &[Line]) -> String {
    let words: Vec<String> = lines.iter().map(|l| l.ratio.cells(l.a.unit)[2].clone()).collect();
    let all = ["faster", "better", "slower", "worse", "no change", "too noisy", "too few", "no ratio"];
    let count = |word: &str| words.iter().filter(|w| *w == word).count();
    let told = all.map(|word| (count(word), word)).into_iter().filter(|(n, _)| *n > 0);
    told.map(|(n, word)| format!("{n} {word}")).collect::<Vec<_>>().join(", ")
}

fn tables(lines: &[Line], against: &[Against]) -> String {
    let owned = |row: &[&str]| row.iter().map(|c| c.to_string()).collect::<Vec<_>>();
    let mut rows = vec![[owned(&NAMES), owned(&["A", "B", "B / A", "95 % interval", "verdict"])].concat()];
    rows.extend(lines.iter().map(|l| {
        let medians = [l.a, l.b].map(|s| middle(s)[0].clone());
        [names(l.a, &l.kernel()), medians.to_vec(), l.ratio.cells(l.a.unit).to_vec()].concat()
    }));
    let mut text = String::from("\nSpeed, B over A: above 1 B is faster\n");
    text += &table(&rows, &[4, 6, 7, 8]);
    if !against.is_empty() {
        let mut rows = vec![owned(&["against the peer", "A", "B", "B / A", "95 % interval", "verdict"])];
        rows.extend(against.iter().map(|l| {
            let ratios = [l.a, l.b].map(|p| p.summary.map_or("-".to_string(), |s| format!("{:.3}", s.median)));
            let name = format!("{} / {}", l.ours.title(), l.peer.a.by);
            [vec![name], ratios.to_vec(), l.ratio.cells(l.ours.a.unit).to_vec()].concat()
        }));
        text += "\nRelative to the peer measured in alternation, which cancels whatever slowed the whole machine\n";
        text += &table(&rows, &[1, 2, 3]);
    }
    text
}

fn chart(lines: &[Line], against: &[Against], a: &Named, b: &Named) -> Chart {
    let subtitle = format!("A: {}, {}; B: {}, {}", a.label, a.run.started, b.label, b.run.started);
    let mut chart = Chart::new("Speed, B over A", clean(&subtitle));
    let mut add = |l: &Line, name: &str, ours: bool, r: &Ratio| {
        if let Some(value) = r.value {
            chart.bar("×", &l.title(), Bar { name: name.into(), ours, value, interval: r.interval });
        }
    };
    for l in lines {
        let ours = l.a.by == "hashmill";
        add(l, if ours { "hashmill" } else { "peers" }, ours, &l.ratio);
        if let Some(p) = against.iter().find(|p| std::ptr::eq(p.ours, l)) {
            add(l, "hashmill against the peer", true, &p.ratio);
        }
    }
    chart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read() {
        let f = |against_peer, verdict, share| FailIf { against_peer, verdict, share };
        assert_eq!(fail_if("slower:5%"), Ok(f(false, Verdict::Slower, Some(0.05))));
        assert_eq!(fail_if("peer-faster:2.5"), Ok(f(true, Verdict::Faster, Some(0.025))));
        assert_eq!(fail_if("slower"), Ok(f(false, Verdict::Slower, None)));
        assert_eq!(fail_if("peer-noisy"), Ok(f(true, Verdict::TooNoisy, None)));
        for wrong in
            ["", "slow", "slower:", "slower:x", "slower:-5%", "noisy:5%", "slower:100%", "slower:inf", "slower:5%%"]
        {
            assert!(fail_if(wrong).is_err(), "{wrong}");
        }
    }

    fn series(kernel: &str, unit: Unit, speed: f64) -> Series {
        let noise = |i: u32| 1.0 + f64::from(i * 7 % 11) * 1e-3;
        Series::ours("x", kernel, unit, (0..40).map(|i| speed * noise(i)).collect())
    }

    #[test]
    fn above_one_is_faster_whatever_the_unit() {
        let faster = |unit, a, b| Ratio::of(&series("k", unit, a), &series("k", unit, b), 0.03).verdict;
        assert_eq!(faster(Unit::BytesPerSecond, 1.0, 1.1), Some(Verdict::Faster));
        assert_eq!(faster(Unit::Seconds, 1.0, 1.1), Some(Verdict::Slower));
        assert_eq!(faster(Unit::Nanoseconds, 1.0, 1.0), Some(Verdict::NoChange));
    }

    #[test]
    fn verdicts_are_counted() {
        let (a, b) = (series("k", Unit::Seconds, 1.0), series("k", Unit::Seconds, 1.1));
        let line = |a, b| Line { a, b, ratio: Ratio::of(a, b, 0.03) };
        assert_eq!(
            verdict(&[line(&a, &b), line(&a, &a), line(&b, &a), line(&b, &b)]),
            "1 faster, 1 slower, 2 no change"
        );
    }

    #[test]
    fn one_parameter_may_differ() {
        let with = |data: &str, threads: &str| {
            let s = series("k", Unit::Seconds, 1.0).parameter("data", data).parameter("threads", threads);
            let mut run = crate::store::tests::sample("2026-04-03T12:00:00Z", None);
            run.series = vec![s];
            run
        };
        let a = with("zero", "1");
        let (name, values) = apart(&a, &with("random", "1")).unwrap();
        assert_eq!((&*name, values), ("data", ["zero", "random"].map(String::from)));
        assert_eq!(matched(&a, &with("random", "1"), false, Some("data")).pairs, [(0, 0)]);
        assert!(apart(&a, &with("random", "2")).is_none() && apart(&a, &a).is_none());
    }

    #[test]
    fn counts_are_exact() {
        let count = |n: f64| Series::ours("x", "", Unit::Count, vec![n]);
        let r = Ratio::of(&count(14.0), &count(7.0), 0.03);
        assert_eq!((r.value, r.interval, r.verdict), (Some(2.0), Some((2.0, 2.0)), Some(Verdict::Faster)));
        assert_eq!(r.cells(Unit::Count)[2], "better");
        assert_eq!(Ratio::of(&count(0.0), &count(0.0), 0.03).verdict, Some(Verdict::NoChange));
        assert_eq!(Ratio::of(&count(0.0), &count(3.0), 0.03).verdict, None);
    }
}
