//! Short messages through the one-shot call, as a user's program makes it, beside the crates of each algorithm: an
//! engine (crates/hashmill-measure/src/engine.rs).

use hashmill::{Algorithm, Hasher};
use serde_json::{Value, json};
use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::time::Instant;

/// Hashes a message this many times.
type Run = Box<dyn Fn(&[u8], u64)>;

struct Side {
    algorithm: &'static str,
    name: &'static str,
    run: Run,
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

/// The crates of XXH3, XXH64 and CRC-32C return an integer. It is turned into the digest's bytes, which is what our
/// calls return.
fn theirs() -> Vec<Side> {
    use crc_fast::CrcAlgorithm::Crc32Iscsi;
    use sha1::{Digest, Sha1};
    vec![
        side!("xxh3", "twox-hash", |m| twox_hash::XxHash3_64::oneshot(m).to_be_bytes()),
        side!("xxh3", "xxhash-rust", |m| xxhash_rust::xxh3::xxh3_64(m).to_be_bytes()),
        side!("xxh64", "twox-hash", |m| twox_hash::XxHash64::oneshot(0, m).to_be_bytes()),
        side!("xxh64", "xxhash-rust", |m| xxhash_rust::xxh64::xxh64(m, 0).to_be_bytes()),
        side!("sha1", "sha1", |m| Sha1::digest(m)),
        side!("blake3", "blake3", |m| blake3::hash(m)),
        side!("crc32c", "crc-fast", |m| (crc_fast::checksum(Crc32Iscsi, m) as u32).to_be_bytes()),
        side!("crc32c", "crc32c", |m| crc32c::crc32c(m).to_be_bytes()),
    ]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ours = [
        ours!("xxh3", XXH3, 8),
        ours!("xxh64", XXH64, 8),
        ours!("sha1", SHA1, 20),
        ours!("blake3", BLAKE3, 32),
        ours!("crc32c", CRC32C, 4),
    ];
    let sides: Vec<Side> = ours.into_iter().flatten().chain(theirs()).collect();
    let messages = [5, 64].map(|n| (0..n).map(|i| b'a' + (i % 26) as u8).collect::<Vec<u8>>());
    let mut loops: Vec<(String, &Side, &[u8])> = Vec::new();
    for m in &messages {
        loops.extend(sides.iter().map(|side| (format!("`{}`, {} bytes", side.algorithm, m.len()), side, &m[..])));
    }
    let said: Vec<Value> =
        loops.iter().map(|(case, side, m)| json!({"case": case, "by": side.name, "bytes": m.len()})).collect();
    let mut out = io::stdout().lock();
    writeln!(out, "{}", json!({"protocol": 1, "engine": "Rust, built with cargo's defaults", "loops": said}))?;
    out.flush()?;
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let found = loops.iter().find(|(case, side, _)| request["case"] == **case && request["by"] == side.name);
        let ((_, side, m), times) = found.zip(request["times"].as_u64()).ok_or("no such loop")?;
        let start = Instant::now();
        (side.run)(m, times);
        writeln!(out, "{}", json!({"ns": start.elapsed().as_nanos() as u64}))?;
        out.flush()?;
    }
    Ok(())
}
