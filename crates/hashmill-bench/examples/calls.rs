//! What calls of digests take from Rust, for programs in other languages that measure theirs: answers lines of an
//! algorithm, a number of bytes and a number of calls, with tabs between, with nanoseconds, or -1 for an algorithm that
//! it does not know.

use hashmill::Algorithm;
use hashmill_measure::random::noise;
use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::time::Instant;

/// Where a message lies makes a difference to fast functions: this one at the beginning of a page.
#[repr(align(4096))]
struct Page([u8; 16384]);

/// Nanoseconds of so many calls; nothing for what is no such line.
fn answer(line: &str, data: &[u8]) -> Option<u128> {
    let mut parts = line.split('\t');
    let (name, bytes, calls) = (parts.next()?, parts.next()?, parts.next()?);
    let algorithm: Algorithm = name.parse().ok()?;
    let message = data.get(..bytes.parse().ok()?)?;
    let calls: u64 = calls.parse().ok()?;
    let mut digest = vec![0; algorithm.digest_len()];
    let start = Instant::now();
    for _ in 0..calls {
        algorithm.digest_into(black_box(message), &mut digest).ok()?;
        black_box(&mut digest);
    }
    Some(start.elapsed().as_nanos())
}

fn main() -> io::Result<()> {
    let mut data = Box::new(Page([0; 16384]));
    data.0.copy_from_slice(&noise(16384));
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        match answer(&line?, &data.0) {
            Some(nanoseconds) => writeln!(out, "{nanoseconds}")?,
            None => writeln!(out, "-1")?,
        }
        out.flush()?;
    }
    Ok(())
}
