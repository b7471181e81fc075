//! How far can the measurements be trusted? Measures the overhead of the harness, how often two runs of the same thing
//! agree, and whether a kernel that was deliberately slowed down by 5 % is detected. Prints JSON; run by
//! `bench/accuracy.py`.
//!
//! Argument: the number of repetitions of each question (20).

use hashmill::Algorithm;
use hashmill_measure::paired::{Plan, Side, rotate};
use hashmill_measure::run::rfc3339;
use hashmill_measure::stats::Summary;
use hashmill_measure::{clock, machine::Machine};
use serde_json::json;
use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, SystemTime};

/// One call, not inlined, so that the compiler cannot treat one side's loop better than the other's.
#[inline(never)]
fn call(a: Algorithm, data: &[u8], out: &mut [u8]) {
    // This cannot fail, because the buffer has the digest's length.
    let _ = a.digest_into(data, out);
}

/// Hashes `data` `times` times in the loop that every measurement here uses.
fn turns(a: Algorithm, data: &[u8], times: u64) {
    let mut out = [0; 64];
    let out = &mut out[..a.digest_len()];
    let data = clock::hide(data);
    for _ in 0..times {
        call(a, data, out);
        black_box(&mut *out);
    }
}

/// The same with as little as possible around the calls.
fn bare(a: Algorithm, data: &[u8], times: u64) {
    let mut out = [0; 64];
    let out = &mut out[..a.digest_len()];
    macro_rules! calls {
        ($($_:literal)*) => {$({
            let _ = $_;
            call(a, data, out);
        })*};
    }
    for _ in 0..times / 8 {
        calls!(0 1 2 3 4 5 6 7);
    }
    black_box(out);
}

fn main() -> Result<(), Box<dyn Error>> {
    let runs: usize = std::env::args().nth(1).map_or(Ok(20), |n| n.parse())?;
    let data = vec![0x5a; 16384];
    let plan = |pairs, seed| Plan { pairs, slice: Duration::from_millis(2), seed };

    // The harness: the same calls in the measuring loop and in a bare one.
    let mut harness = Vec::new();
    for name in ["sha1", "sha256", "md5", "xxh64", "crc32"] {
        let a: Algorithm = name.parse()?;
        let m = &data[..16];
        let mut sides = [Side::new(8.0, |times| turns(a, m, 8 * times)), Side::new(8.0, |times| bare(a, m, 8 * times))];
        let plan = Plan { pairs: 3000, slice: Duration::from_millis(1), seed: 1 };
        let rotation = rotate(&mut sides, &plan).ok_or("interrupted")?;
        let ns = 1e9 / rotation.summary(0).ok_or("nothing")?.median;
        let share: Vec<f64> = rotation.ratios(1, 0).iter().map(|r| r - 1.0).collect();
        harness.push(json!({ "algorithm": name, "bytes": 16, "ns": ns, "share": Summary::of(&share) }));
    }

    // The same thing twice: do the two intervals overlap, and does that of the ratio contain 1?
    let sha256: Algorithm = "sha256".parse()?;
    let (mut overlap, mut holds_one) = (0, 0);
    let (mut apart, mut widths) = (Vec::new(), Vec::new());
    for run in 0..runs as u64 {
        let measure = |seed| {
            let mut side = [Side::new(16384.0, |times| turns(sha256, &data, times))];
            rotate(&mut side, &plan(200, seed)).and_then(|r| r.summary(0))
        };
        let (x, y) = (measure(run * 3 + 1).ok_or("interrupted")?, measure(run * 3 + 2).ok_or("interrupted")?);
        overlap += usize::from(x.interval.0 <= y.interval.1 && y.interval.0 <= x.interval.1);
        apart.push((x.median / y.median - 1.0).abs());
        widths.push(x.relative_width());
        let side = || Side::new(16384.0, |times| turns(sha256, &data, times));
        let r = rotate(&mut [side(), side()], &plan(200, run * 3 + 3)).ok_or("interrupted")?;
        let ratio = Summary::of(&r.ratios(0, 1)).ok_or("nothing")?;
        holds_one += usize::from(ratio.interval.0 <= 1.0 && 1.0 <= ratio.interval.1);
    }

    // 21 messages counted as 20: exactly 5 % slower.
    let (mut seen, mut ratios) = (0, Vec::new());
    for run in 0..runs as u64 {
        let mut sides = [
            Side::new(20.0 * 1024.0, |times| turns(sha256, &data[..1024], 20 * times)),
            Side::new(20.0 * 1024.0, |times| turns(sha256, &data[..1024], 21 * times)),
        ];
        let r = rotate(&mut sides, &plan(200, run + 77)).ok_or("interrupted")?;
        let ratio = Summary::of(&r.ratios(1, 0)).ok_or("nothing")?;
        seen += usize::from(ratio.interval.1 < 1.0);
        ratios.push(ratio.median);
    }
    println!(
        "{:#}",
        json!({
            "machine": Machine::here(),
            "date": &rfc3339(SystemTime::now())[..10],
            "empty_turn_ns": clock::empty_turn(),
            "tick_ns": clock::tick(),
            "harness": harness,
            "runs": runs,
            "intervals_overlap": overlap,
            "medians_apart": Summary::of(&apart),
            "interval_widths": Summary::of(&widths),
            "paired_interval_holds_one": holds_one,
            "slowed_by_5_percent_seen": seen,
            "slowed_ratio": Summary::of(&ratios),
        })
    );
    Ok(())
}
