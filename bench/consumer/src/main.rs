//! Short messages through the one-shot call, as a user's program makes it, beside the crates of each algorithm.
//!
//! `consumer [PAIRS [BYTES]]` prints a table. All sides take turns in slices of about a millisecond, in an order that changes with every
//! round; a ratio is that of two slices of one round, the result the median of all rounds with its 95 % interval.

use hashmill::{Algorithm, Hasher};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Hashes a message so many times.
type Run = Box<dyn Fn(&[u8], u64)>;

struct Side {
    algorithm: &'static str,
    name: &'static str,
    run: Run,
    times: u64,
}

macro_rules! side {
    ($algorithm:literal, $name:literal, |$m:ident| $call:expr) => {
        Side {
            algorithm: $algorithm,
            name: $name,
            run: Box::new(move |m, times| {
                for _ in 0..times {
                    let $m = black_box(m);
                    // By reference: what is written must be there, but need not be copied.
                    black_box(&$call);
                }
            }),
            times: 1,
        }
    };
}

/// Three ways to call us; N is the digest's length.
fn ours<const N: usize>(name: &'static str) -> Vec<Side> {
    let a: Algorithm = name.parse().expect("a name of ours");
    vec![
        Side { algorithm: name, ..side!("", "digest", |m| a.digest(m)) },
        Side {
            algorithm: name,
            ..side!("", "digest_into", |m| {
                let mut out = [0; N];
                // The length is right.
                let _ = a.digest_into(m, &mut out);
                out
            })
        },
        Side {
            algorithm: name,
            ..side!("", "Hasher", |m| {
                let mut h = Hasher::new(a);
                h.update(m);
                h.finalize()
            })
        },
    ]
}

fn theirs() -> Vec<Side> {
    use crc_fast::CrcAlgorithm::Crc32Iscsi;
    use sha1::{Digest, Sha1};
    vec![
        side!("xxh3", "twox-hash", |m| twox_hash::XxHash3_64::oneshot(m)),
        side!("xxh3", "xxhash-rust", |m| xxhash_rust::xxh3::xxh3_64(m)),
        side!("xxh64", "twox-hash", |m| twox_hash::XxHash64::oneshot(0, m)),
        side!("xxh64", "xxhash-rust", |m| xxhash_rust::xxh64::xxh64(m, 0)),
        side!("sha1", "sha1", |m| Sha1::digest(m)),
        side!("blake3", "blake3", |m| blake3::hash(m)),
        side!("crc32c", "crc-fast", |m| crc_fast::checksum(Crc32Iscsi, m)),
        side!("crc32c", "crc32c", |m| crc32c::crc32c(m)),
    ]
}

fn slice(side: &Side, m: &[u8]) -> f64 {
    let start = Instant::now();
    (side.run)(m, side.times);
    start.elapsed().as_secs_f64() / side.times as f64
}

/// The median and its 95 % interval, from order statistics.
fn summary(mut all: Vec<f64>) -> (f64, f64, f64) {
    all.sort_by(f64::total_cmp);
    let n = all.len() as f64;
    let at = |x: f64| all[(x.max(0.0) as usize).min(all.len() - 1)];
    let half = 0.98 * n.sqrt();
    (at(n / 2.0), at(n / 2.0 - half), at(n / 2.0 + half))
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<usize>().expect("a number"));
    let (pairs, bytes) = (arguments.next().unwrap_or(301), arguments.next().unwrap_or(5));
    let m: Vec<u8> = (0..bytes).map(|i| b'a' + (i % 26) as u8).collect();
    let ours = [ours::<8>("xxh3"), ours::<8>("xxh64"), ours::<20>("sha1"), ours::<32>("blake3"), ours::<4>("crc32c")];
    let mut sides: Vec<Side> = ours.into_iter().flatten().chain(theirs()).collect();
    for side in &mut sides {
        while slice(side, &m) * (side.times as f64) < 0.0005 {
            side.times *= 2;
        }
    }
    let mut times = vec![Vec::with_capacity(pairs); sides.len()];
    let mut order: Vec<usize> = (0..sides.len()).collect();
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    for _ in 0..pairs {
        for i in (1..order.len()).rev() {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            order.swap(i, (random >> 33) as usize % (i + 1));
        }
        for &i in &order {
            times[i].push(slice(&sides[i], &m));
        }
    }
    println!(
        "| algorithm | call | ns | best crate | ns | as fast as it [95 % interval] |\n|---|---|---:|---|---:|---:|"
    );
    let median = |i: usize| summary(times[i].clone()).0;
    for i in 0..sides.len() {
        let (algorithm, name) = (sides[i].algorithm, sides[i].name);
        if !["digest", "digest_into", "Hasher"].contains(&name) {
            continue;
        }
        let crates = (0..sides.len()).filter(|&j| sides[j].algorithm == algorithm && sides[j].name != name);
        let crates = crates.filter(|&j| !["digest", "digest_into", "Hasher"].contains(&sides[j].name));
        let Some(best) = crates.min_by(|&j, &k| median(j).total_cmp(&median(k))) else { continue };
        let (ratio, low, high) = summary(times[best].iter().zip(&times[i]).map(|(b, a)| b / a).collect());
        println!(
            "| {algorithm} | `{name}` | {:.2} | {} | {:.2} | {ratio:.2} [{low:.2}, {high:.2}] |",
            median(i) * 1e9,
            sides[best].name,
            median(best) * 1e9,
        );
    }
    println!("\n{bytes} bytes, {pairs} rounds, {:?} a slice at least.", Duration::from_micros(500));
}
