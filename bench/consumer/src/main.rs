//! Short messages through the one-shot call, as a user's program makes it, beside the crates of each algorithm.
//!
//! `consumer [PAIRS [BYTES]]` prints a table. All sides take turns in slices of about a millisecond, in an order that
//! changes with every round; a ratio is that of two slices of one round, the result the median of all rounds with its
//! 95 % interval.

use hashmill::{Algorithm, Hasher};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Hashes a message this many times.
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

/// The same, for calls that write to a buffer.
macro_rules! into {
    ($algorithm:literal, $name:literal, $n:literal, |$m:ident, $out:ident| $call:expr) => {
        Side {
            algorithm: $algorithm,
            name: $name,
            run: Box::new(move |m, times| {
                let mut buffer = [0; $n];
                for _ in 0..times {
                    let $m = black_box(m);
                    let $out = &mut buffer;
                    // The length is right.
                    let _ = $call;
                    black_box($out);
                }
            }),
            times: 1,
        }
    };
}

/// The ways to call us; N is the digest's length.
macro_rules! ours {
    ($name:literal, $constant:ident, $n:literal) => {{
        let a: Algorithm = $name.parse().expect("a name of ours");
        vec![
            side!($name, "constant, digest", |m| Algorithm::$constant.digest(m)),
            into!($name, "constant, digest_into", $n, |m, out| Algorithm::$constant.digest_into(m, out)),
            side!($name, "parsed, digest", |m| a.digest(m)),
            into!($name, "parsed, digest_into", $n, |m, out| a.digest_into(m, out)),
            side!($name, "Hasher", |m| {
                let mut h = Hasher::new(a);
                h.update(m);
                h.finalize()
            }),
        ]
    }};
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
    let ours = [
        ours!("xxh3", XXH3, 8),
        ours!("xxh64", XXH64, 8),
        ours!("sha1", SHA1, 20),
        ours!("blake3", BLAKE3, 32),
        ours!("crc32c", CRC32C, 4),
    ];
    let first_of_theirs: usize = ours.iter().map(Vec::len).sum();
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
    for i in 0..first_of_theirs {
        let (algorithm, name) = (sides[i].algorithm, sides[i].name);
        let crates = (first_of_theirs..sides.len()).filter(|&j| sides[j].algorithm == algorithm);
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
