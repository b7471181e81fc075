//! Tables, remarks and a chart of the builds.

use super::{Measured, Variant};
use hashmill_measure::chart::{Bar, Chart};
use hashmill_measure::stats::Summary;
use hashmill_measure::table::Table;
use serde::Serialize;

/// Size of the file in the table that this one is modeled on, times the number of times it was hashed there.
const SET: f64 = 8.0 * 244.25 * 1024.0 * 1024.0;
/// Smaller ratios may be due to chance alignment.
const WORTH_A_WORD: f64 = 1.02;

/// One algorithm in one build.
#[derive(Debug, Serialize)]
pub(super) struct Cell {
    algorithm: String,
    opt: String,
    cpu: String,
    rate: Summary,
    /// Seconds to hash 244.25 MiB eight times.
    seconds: f64,
    to_reference: Option<Summary>,
}

pub(super) fn cells(results: &[Measured], variants: &[Variant], reference: usize) -> Vec<Cell> {
    let cell = |m: &Measured, i: usize, v: &Variant| {
        let rate = m.rate(i)?;
        let to_reference = if i == reference { None } else { m.ratio(i, reference) };
        let (opt, cpu) = (v.opt.clone(), v.cpu.clone());
        Some(Cell { algorithm: m.algorithm.clone(), opt, cpu, rate, seconds: SET / rate.median, to_reference })
    };
    let of_one = |m| variants.iter().enumerate().filter_map(move |(i, v)| cell(m, i, v));
    results.iter().flat_map(of_one).collect()
}

/// Returns the flags: `-O3`, plus the CPU unless it is the baseline.
fn flag(v: &Variant) -> String {
    match v.cpu.as_str() {
        "baseline" => format!("-O{}", v.opt),
        cpu => format!("-O{} {cpu}", v.opt),
    }
}

pub(super) fn table(
    results: &[Measured],
    variants: &[Variant],
    reference: usize,
    head: &str,
    words: &[String],
) -> String {
    if results.is_empty() {
        return String::new();
    }
    let mut text =
        format!("{head}\nMB/s, medians of {} rounds:\n", results.iter().map(|m| m.rotation.rounds).max().unwrap_or(0));
    let matrix = |cell: &dyn Fn(&Measured, usize) -> String| {
        let flags: Vec<String> = variants.iter().map(flag).collect();
        let mut table = Table::new("", ["algorithm"].into_iter().chain(flags.iter().map(|f| &**f)));
        for m in results {
            table.row(std::iter::once(m.algorithm.clone()).chain((0..variants.len()).map(|i| cell(m, i))));
        }
        table.show()
    };
    text += &matrix(&|m, i| m.rate(i).map_or("-".into(), |s| format!("{:.1}", s.median / 1e6)));
    text += "\nSeconds for 244.25 MiB eight times:\n";
    text += &matrix(&|m, i| m.rate(i).map_or("-".into(), |s| format!("{:.2}", SET / s.median)));
    if variants.len() > 1 {
        text += &format!("\nHow many times as fast as {}, with 95 % intervals:\n", flag(&variants[reference]));
        let mut rows = Table::new("", ["algorithm", "<flags", "ratio", "95 % interval"]);
        for cell in cells(results, variants, reference) {
            let Some(r) = cell.to_reference else { continue };
            let v = Variant { opt: cell.opt, cpu: cell.cpu };
            let interval = format!("[{:.3}, {:.3}]", r.interval.0, r.interval.1);
            rows.row([cell.algorithm, flag(&v), format!("{:.3}", r.median), interval]);
        }
        text += &rows.show();
    }
    for (i, word) in words.iter().enumerate() {
        text += if i == 0 { "\n" } else { "" };
        text += word;
        text.push('\n');
    }
    text
}

/// Describes what the numbers show: how much the flags matter, where a higher level is slower, and the effect of this
/// CPU's own instructions.
pub(super) fn words(results: &[Measured], variants: &[Variant]) -> Vec<String> {
    let mut words = Vec::new();
    let median = |m: &Measured, i: usize| m.rate(i).map_or(0.0, |s| s.median);
    let widest = results.iter().filter_map(|m| {
        let by = |a: &usize, b: &usize| median(m, *a).total_cmp(&median(m, *b));
        let (slow, fast) = ((0..variants.len()).min_by(by)?, (0..variants.len()).max_by(by)?);
        Some((m, slow, fast, m.ratio(fast, slow)?))
    });
    let Some((m, slow, fast, most)) = widest.max_by(|a, b| a.3.median.total_cmp(&b.3.median)) else { return words };
    if variants.len() < 2 {
        return words;
    }
    words.push(match most.interval.0 > WORTH_A_WORD {
        true => format!(
            "The flags matter: {} with {} is {:.2} times as fast as with {}.",
            m.algorithm,
            flag(&variants[fast]),
            most.median,
            flag(&variants[slow])
        ),
        false => format!(
            "The flags hardly matter here: all builds of an algorithm are within {:.0} %.",
            100.0 * (most.median - 1.0).max(0.01)
        ),
    });
    // Pairs of builds in which the first one should not be faster, but is.
    let found = |worse: &dyn Fn(&Variant, &Variant) -> bool| {
        let mut found = Vec::new();
        for m in results {
            for (i, a) in variants.iter().enumerate() {
                for (j, b) in variants.iter().enumerate().filter(|(_, b)| worse(a, b)) {
                    if let Some(r) = m.ratio(i, j).filter(|r| r.interval.0 > WORTH_A_WORD) {
                        found.push(format!("{} {} over {} {:.2}", m.algorithm, flag(a), flag(b), r.median));
                    }
                }
            }
        }
        found
    };
    let level = |v: &Variant| ["0", "1", "2", "3"].iter().position(|o| *o == v.opt);
    let lower =
        |a: &Variant, b: &Variant| a.cpu == b.cpu && matches!((level(a), level(b)), (Some(x), Some(y)) if x < y);
    if variants.iter().any(|a| variants.iter().any(|b| lower(a, b))) {
        words.push(match found(&lower) {
            none if none.is_empty() => "More optimisation was never slower.".to_string(),
            some => format!("Not always upwards: {}.", some.join(", ")),
        });
    }
    let small = |a: &Variant, b: &Variant| a.cpu == b.cpu && a.opt == "s" && b.opt == "3";
    let small = found(&small);
    if !small.is_empty() {
        words.push(format!("Smaller is faster: {}.", small.join(", ")));
    }
    let own = |a: &Variant, b: &Variant| a.opt == b.opt && a.opt == "3" && a.cpu != "baseline" && b.cpu == "baseline";
    let other = |a: &Variant, b: &Variant| own(b, a);
    let (gains, losses) = (found(&own), found(&other));
    if !gains.is_empty() {
        words.push(format!("Building for the CPU helps: {}.", gains.join(", ")));
    }
    if !losses.is_empty() {
        words.push(format!("Building for the CPU hurts: {}.", losses.join(", ")));
    }
    words
}

pub(super) fn chart(results: &[Measured], variants: &[Variant], machine: &str) -> Chart {
    let mut chart = Chart::new("Portable code and the compiler's flags", machine);
    for m in results {
        for (i, variant) in variants.iter().enumerate() {
            if let Some(s) = m.rate(i) {
                chart.bar("MB/s", &m.algorithm, Bar::ours(flag(variant), s.median / 1e6).within(s.interval, 1e6));
            }
        }
    }
    chart
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_measure::paired::Rotation;

    fn variants(list: &[(&str, &str)]) -> Vec<Variant> {
        list.iter().map(|(o, c)| Variant { opt: (*o).into(), cpu: (*c).into() }).collect()
    }

    /// Returns an algorithm with these rates in MB/s, varying by a thousandth between rounds.
    fn measured(algorithm: &str, rates: &[f64]) -> Measured {
        let around = |r: &f64| (0..20).map(|i| r * 1e6 * (1.0 + f64::from(i % 3 - 1) / 1000.0)).collect::<Vec<f64>>();
        let rotation = Rotation {
            rates: rates.iter().map(around).collect(),
            subtracted_ns: vec![0.0; rates.len()],
            rounds: 20,
            ..Rotation::default()
        };
        Measured { algorithm: algorithm.into(), rotation }
    }

    #[test]
    fn words_follow_the_numbers() {
        let v =
            variants(&[("1", "baseline"), ("2", "baseline"), ("3", "baseline"), ("s", "baseline"), ("3", "native")]);
        let results = [
            measured("sha512", &[300.0, 600.0, 310.0, 305.0, 310.0]),
            measured("md5", &[700.0, 742.0, 742.0, 700.0, 800.0]),
        ];
        assert_eq!(
            words(&results, &v),
            [
                "The flags matter: sha512 with -O2 is 2.00 times as fast as with -O1.",
                "Not always upwards: sha512 -O2 over -O3 1.94.",
                "Building for the CPU helps: md5 -O3 native over -O3 1.08.",
            ]
        );
        let same = [measured("md5", &[700.0, 701.0, 700.0, 702.0, 700.0])];
        assert_eq!(
            words(&same, &v),
            [
                "The flags hardly matter here: all builds of an algorithm are within 1 %.",
                "More optimisation was never slower."
            ]
        );
        assert!(words(&[], &v).is_empty() && words(&[measured("md5", &[700.0])], &v[..1]).is_empty());
        let worse = [measured("md5", &[700.0, 800.0, 800.0, 900.0, 700.0])];
        let words = words(&worse, &v);
        assert_eq!(
            words[2..],
            ["Smaller is faster: md5 -Os over -O3 1.12.", "Building for the CPU hurts: md5 -O3 over -O3 native 1.14."]
        );
    }

    #[test]
    fn the_table_has_all_builds() {
        let v = variants(&[("2", "baseline"), ("3", "baseline"), ("3", "native")]);
        let results = [measured("sha1", &[128.05, 256.11, 512.0])];
        let text = table(&results, &v, 1, "head\n", &["Words.".into()]);
        let rows: Vec<Vec<&str>> = text.lines().map(|l| l.split_whitespace().collect()).collect();
        assert!(rows.contains(&vec!["algorithm", "-O2", "-O3", "-O3", "native"]), "{text}");
        assert!(
            rows.contains(&vec!["sha1", "128.1", "256.1", "512.0"])
                || rows.contains(&vec!["sha1", "128.0", "256.1", "512.0"]),
            "{text}"
        );
        assert!(rows.contains(&vec!["sha1", "16.00", "8.00", "4.00"]), "{text}");
        assert!(rows.iter().any(|r| r.starts_with(&["sha1", "-O2", "0.500"])), "{text}");
        assert!(text.starts_with("head\n") && text.ends_with("\nWords.\n"), "{text}");
        assert_eq!(chart(&results, &v, "here").svg().unwrap().matches(" MB/s").count(), 3);
        assert_eq!(table(&[], &v, 1, "head\n", &[]), "");
    }
}
