//! An engine: every algorithm's kernel `portable`, and RustCrypto's software back ends, on messages of 5000 bytes.

use hashmill::Algorithm;
use hashmill_measure::engine::{Loop, Turns, serve};
use hashmill_peers::peer::{self, PeerKind};
use std::error::Error;
use std::hint::black_box;

const BYTES: usize = 5000;

fn main() -> Result<(), Box<dyn Error>> {
    let message: &'static [u8] = vec![b'x'; BYTES].leak();
    let messages: &'static [&'static [u8]] = vec![message].leak();
    let mut loops: Vec<(Loop, Turns)> = Vec::new();
    for algorithm in Algorithm::all() {
        let of = |by: &str| Loop {
            case: format!("`{}`, {BYTES} bytes", algorithm.name()),
            by: by.into(),
            bytes: BYTES as u64,
        };
        let Ok(portable) = algorithm.with_kernel("portable") else { continue };
        let mut out = vec![0; algorithm.digest_len()];
        let ours = move |times| {
            for _ in 0..times {
                // This cannot fail, because the buffer has the digest's length.
                let _ = portable.digest_into(black_box(message), &mut out);
                black_box(&mut out);
            }
        };
        loops.push((of("portable"), Box::new(ours)));
        // RustCrypto's JH is written for 128-bit vectors and has no other implementation on this machine. Each job has
        // a peer of its own, for as long as the program runs.
        if algorithm.family() != "JH"
            && let Ok(mut job) = Box::leak(peer::open(PeerKind::Rustcrypto)?).job(algorithm, messages)
        {
            let theirs = move |times| {
                // Code in this process does not fail.
                let _ = job.run(times);
            };
            loops.push((of("RustCrypto"), Box::new(theirs)));
        }
    }
    Ok(serve("portable code", &mut loops)?)
}
