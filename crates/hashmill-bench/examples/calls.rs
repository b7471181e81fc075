//! Times digest calls from Rust, for comparison with programs in other languages that time theirs. Reads lines with an
//! algorithm, a number of bytes and a number of calls, separated by tabs, and answers each with the nanoseconds, or -1
//! for an unknown algorithm.

use hashmill::Algorithm;
use hashmill_measure::random::noise;
use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::time::Instant;

/// The position of a message matters to fast functions; this one starts at the beginning of a page.
#[repr(align(4096))]
struct Page([u8; 16384]);

/// Returns the nanoseconds that the calls of a line took, or `None` if the line is malformed.
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
