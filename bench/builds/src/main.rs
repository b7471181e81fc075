//! Does this build of the library run at the speed of an older one? `builds [--pairs N] [NAME…]` takes every kernel of the common
//! algorithms (or of those named) that both have, and the calls that users make, on the same messages.
//!
//! Both builds take turns in slices of half a millisecond and more; which of them goes first changes. A ratio is that of two
//! neighbouring slices, old time over new, the result the median of all with its 95 % interval. Rows whose interval lies wholly below
//! [`LEAST`] are measured again with more pairs, and once more, since of a thousand rows some lie there by chance: what is below
//! all three times is printed as slower, and the program ends with 1.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

/// A row is slower if its interval lies wholly below this.
const LEAST: f64 = 0.98;

/// Hashes so many times.
type Run = Box<dyn Fn(u64)>;

#[derive(Clone, Copy)]
enum Call {
    /// One message, the digest into a buffer.
    Into,
    /// One message, the digest returned.
    Digest,
    /// One message in pieces of so many bytes.
    Stream(usize),
    /// Many messages.
    Many,
}

/// The calls of one build.
macro_rules! build {
    ($module:ident, |$forced:ident, $m:ident| $many:expr) => {
        mod $module {
            use super::{Call, Run, black_box};
            use ::$module::{Algorithm, Hasher, digest_many};

            pub(super) fn run(name: &str, kernel: Option<&str>, call: Call, messages: &[Vec<u8>]) -> Option<Run> {
                let a: Algorithm = name.parse().ok()?;
                let n = a.digest_len();
                let $m = messages.to_vec();
                macro_rules! repeat {
                    ($call:expr) => {
                        Box::new(move |times: u64| {
                            for _ in 0..times {
                                $call;
                            }
                        }) as Run
                    };
                }
                Some(match (kernel, call) {
                    (None, Call::Into) => repeat!({
                        let mut out = [0; 256];
                        let _ = a.digest_into(black_box(&$m[0]), &mut out[..n]);
                        black_box(&out);
                    }),
                    (None, Call::Digest) => repeat!(black_box(&a.digest(black_box(&$m[0])))),
                    (None, Call::Many) => repeat!(black_box(&digest_many(a, black_box(&$m)))),
                    (None, Call::Stream(piece)) => repeat!({
                        let mut h = Hasher::new(a);
                        for piece in black_box(&$m[0]).chunks(piece) {
                            h.update(piece);
                        }
                        black_box(&h.finalize());
                    }),
                    (Some(kernel), call) => {
                        let $forced = a.with_kernel(kernel).ok()?;
                        match call {
                            Call::Many => repeat!({
                                let $m = black_box(&$m);
                                black_box(&$many);
                            }),
                            _ => repeat!({
                                let mut out = [0; 256];
                                let _ = $forced.digest_into(black_box(&$m[0]), &mut out[..n]);
                                black_box(&out);
                            }),
                        }
                    }
                })
            }
        }
    };
}

build!(new, |forced, m| forced.digest_many(m));
#[cfg(not(feature = "no-engine"))]
build!(old, |forced, m| forced.digest_many(m));
#[cfg(feature = "no-engine")]
build!(old, |forced, m| digest_many(forced, m));

struct Row {
    name: String,
    old: Run,
    new: Run,
}

fn seconds(run: &Run, times: u64) -> f64 {
    let start = Instant::now();
    run(times);
    start.elapsed().as_secs_f64()
}

/// Median and 95 % interval, from order statistics, of old over new.
fn measure(row: &Row, pairs: usize) -> (f64, f64, f64) {
    let mut times = 1;
    while seconds(&row.new, times) < 0.0005 {
        times *= 2;
    }
    seconds(&row.old, times);
    let mut ratios: Vec<f64> = (0..pairs)
        .map(|i| {
            // ABBA: what drifts hits both.
            if i % 2 == 0 {
                let old = seconds(&row.old, times);
                old / seconds(&row.new, times)
            } else {
                let new = seconds(&row.new, times);
                seconds(&row.old, times) / new
            }
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    let (n, half) = (pairs as f64 / 2.0, 0.98 * (pairs as f64).sqrt());
    let at = |x: f64| ratios[(x.max(0.0) as usize).min(pairs - 1)];
    (at(n), at(n - half), at(n + half))
}

fn messages(number: usize, bytes: usize) -> Vec<Vec<u8>> {
    let mut x = 0x9e37_79b9_7f4a_7c15u64;
    let mut byte = || {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (x >> 56) as u8
    };
    (0..number).map(|_| (0..bytes).map(|_| byte()).collect()).collect()
}

fn rows(names: &[String]) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |a: &str, kernel: Option<&str>, what: &str, call: Call, messages: &[Vec<u8>]| {
        if let (Some(old), Some(new)) = (old::run(a, kernel, call, messages), new::run(a, kernel, call, messages)) {
            rows.push(Row { name: format!("{a} {} {what}", kernel.unwrap_or("(its own)")), old, new });
        }
    };
    for a in ::new::Algorithm::all() {
        let name = a.name();
        if if names.is_empty() { !a.is_common() } else { !names.iter().any(|n| *n == name) } {
            continue;
        }
        for (bytes, what) in [(5, "5 B"), (64, "64 B"), (16384, "16 KiB")] {
            add(&name, None, &format!("digest_into {what}"), Call::Into, &messages(1, bytes));
        }
        add(&name, None, "digest 5 B", Call::Digest, &messages(1, 5));
        add(&name, None, "hasher 5 B", Call::Stream(5), &messages(1, 5));
        add(&name, None, "hasher 4 KiB in pieces of 8 B", Call::Stream(8), &messages(1, 4096));
        add(&name, None, "hasher 16 KiB in pieces of 1000 B", Call::Stream(1000), &messages(1, 16384));
        add(&name, None, "256 of 64 B", Call::Many, &messages(256, 64));
        add(&name, None, "64 of 4 KiB", Call::Many, &messages(64, 4096));
        for k in a.kernels().into_iter().filter(|k| k.available) {
            if k.lanes == 1 {
                add(&name, Some(k.name), "64 B", Call::Into, &messages(1, 64));
                add(&name, Some(k.name), "16 KiB", Call::Into, &messages(1, 16384));
            } else {
                add(&name, Some(k.name), "lanes 64 B", Call::Many, &messages(2 * k.lanes, 64));
                add(&name, Some(k.name), "lanes 4 KiB", Call::Many, &messages(k.lanes, 4096));
            }
        }
    }
    rows
}

fn main() -> ExitCode {
    let mut pairs = 31;
    let mut names = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--pairs" => pairs = arguments.next().and_then(|n| n.parse().ok()).expect("--pairs N"),
            _ => names.push(argument),
        }
    }
    let rows = rows(&names);
    let mut slower = Vec::new();
    let mut all = Vec::new();
    for row in &rows {
        let mut result = measure(row, pairs);
        let mut tries = 1;
        while result.2 < LEAST && tries < 3 {
            result = measure(row, 5 * pairs);
            tries += 1;
        }
        println!("{:.3} [{:.3}, {:.3}] {}", result.0, result.1, result.2, row.name);
        all.push(result.0);
        if result.2 < LEAST {
            slower.push((result, &row.name));
        }
    }
    all.sort_by(f64::total_cmp);
    let at = |share: f64| all[((all.len() - 1) as f64 * share) as usize];
    println!(
        "\n{} rows, {pairs} pairs each; as fast as the older build: median {:.3}, 5 % below {:.3}, 5 % above {:.3}",
        all.len(),
        at(0.5),
        at(0.05),
        at(0.95)
    );
    println!("{} rows slower than {LEAST} in three measurements", slower.len());
    for ((median, low, high), name) in &slower {
        println!("  {median:.3} [{low:.3}, {high:.3}] {name}");
    }
    ExitCode::from(u8::from(!slower.is_empty()))
}
