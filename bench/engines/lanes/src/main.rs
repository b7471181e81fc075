//! An engine: kernels with lanes as they are (`whole`); without preparing blocks, or without rounds; on messages nearer
//! to the processor, or further away; and on the same bytes in shorter messages. Each turn hashes the same number of
//! bytes.

use hashmill_measure::engine::{Loop, Turns, serve};
use std::error::Error;
use std::hint::black_box;
use std::rc::Rc;

/// Length of a message in bytes: several fit into the first-level cache, so that one that is all messages stays there.
const BYTES: usize = 4096;

/// Length of the short ones.
const SHORT: usize = 256;

/// More bytes than fit into the second-level cache.
const FAR: usize = 64 << 20;

macro_rules! many {
    ($build:ident, $name:expr, $messages:expr) => {{
        let a: $build::Algorithm = $name.parse()?;
        let messages: Vec<Vec<(usize, usize)>> = $messages;
        move |buffer: Rc<Vec<u8>>| -> Turns {
            let mut turn = 0;
            Box::new(move |times| {
                for _ in 0..times {
                    let messages: Vec<&[u8]> =
                        messages[turn % messages.len()].iter().map(|&(at, len)| &buffer[at..at + len]).collect();
                    black_box(&$build::digest_many(a, black_box(&messages)));
                    turn += 1;
                }
            })
        }
    }};
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        let all = ["md4", "md5", "sha1", "sha256", "sha512", "sha3-256", "keccak512", "blake256", "blake512"];
        let more = ["blake2s-256", "blake2b-512", "ripemd160", "haval256-5", "skein512-512", "jh512", "whirlpool"];
        names = all.iter().chain(&more).map(|name| name.to_string()).collect();
    }
    let mut x = 0x9e37_79b9_7f4a_7c15u64;
    let mut byte = || {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (x >> 56) as u8
    };
    let buffer = Rc::new((0..FAR).map(|_| byte()).collect::<Vec<u8>>());
    let mut loops: Vec<(Loop, Turns)> = Vec::new();
    for name in &names {
        let a: hashmill::Algorithm = name.parse()?;
        // Those of the widest kernel.
        let lanes = a.kernels().into_iter().filter(|k| k.available).map(|k| k.lanes).max().unwrap_or(1);
        let n = 2 * lanes;
        let one = |bytes: usize| vec![(0..n * BYTES / bytes).map(|i| (i * bytes, bytes)).collect::<Vec<_>>()];
        let near = vec![vec![(0, BYTES); n]];
        let turn = |turn: usize| (turn * n..(turn + 1) * n).map(|i| (i * BYTES, BYTES)).collect();
        let far = (0..FAR / (n * BYTES)).map(turn).collect();
        let bytes = (n * BYTES) as u64;
        let mut add = |by: &str, turns: Turns| {
            loops.push((Loop { case: name.clone(), by: by.into(), bytes }, turns));
        };
        add("whole", many!(hashmill, name, one(BYTES))(Rc::clone(&buffer)));
        add("rounds", many!(rounds, name, one(BYTES))(Rc::clone(&buffer)));
        add("blocks", many!(blocks, name, one(BYTES))(Rc::clone(&buffer)));
        add("near", many!(hashmill, name, near)(Rc::clone(&buffer)));
        add("far", many!(hashmill, name, far)(Rc::clone(&buffer)));
        add("short", many!(hashmill, name, one(SHORT))(Rc::clone(&buffer)));
    }
    Ok(serve("lanes", &mut loops)?)
}
