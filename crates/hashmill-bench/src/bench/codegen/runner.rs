//! Hashes on request with portable code. `hashmill bench codegen` builds this program with different compiler flags and
//! lets the builds take turns. It depends only on the library.
//!
//! `run ALG BYTES TIMES` is answered with the nanoseconds that it took, `digest ALG BYTES` with the digest of the
//! message. Answers begin with `= `, refusals with `! `.

use hashmill::Algorithm;
use std::hint::black_box;
use std::io::{BufRead, Write, stdin, stdout};
use std::time::Instant;

/// Returns the message of this length: bytes without a visible pattern, the same every time.
pub(crate) fn message(bytes: usize) -> Vec<u8> {
    let mut x = 0x2545_f491_4f6c_dd1du64;
    let mut message = Vec::with_capacity(bytes + 8);
    while message.len() < bytes {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        message.extend_from_slice(&x.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
    }
    message.truncate(bytes);
    message
}

/// Answers one line. The message is kept for the next one.
pub(crate) fn answer(line: &str, kept: &mut Vec<u8>) -> Result<String, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let portable = |name: &str| {
        let a: Algorithm = name.parse().map_err(|e: hashmill::Error| e.to_string())?;
        a.with_kernel("portable").map_err(|e| e.to_string())
    };
    let mut of_length = |bytes: &str| {
        let bytes = bytes.parse().map_err(|_| format!("'{bytes}' is no number of bytes"))?;
        if kept.len() != bytes {
            *kept = message(bytes);
        }
        Ok::<(), String>(())
    };
    match words[..] {
        ["digest", name, bytes] => {
            let a = portable(name)?;
            of_length(bytes)?;
            Ok(a.digest(kept).to_string())
        }
        ["run", name, bytes, times] => {
            let a = portable(name)?;
            of_length(bytes)?;
            let times: u64 = times.parse().map_err(|_| format!("'{times}' is no number of times"))?;
            let mut digest = vec![0; a.algorithm().digest_len()];
            let start = Instant::now();
            for _ in 0..times {
                // This cannot fail, because `digest` has the right length.
                let _ = a.digest_into(black_box(kept), &mut digest);
                black_box(&mut digest);
            }
            Ok(start.elapsed().as_nanos().to_string())
        }
        _ => Err(format!("unknown request '{line}'")),
    }
}

fn main() {
    let mut kept = Vec::new();
    for line in stdin().lock().lines().map_while(Result::ok) {
        let (sign, text) = match answer(&line, &mut kept) {
            Ok(text) => ('=', text),
            Err(text) => ('!', text),
        };
        let mut out = stdout().lock();
        if writeln!(out, "{sign} {text}").and_then(|()| out.flush()).is_err() {
            // The reader has gone away.
            return;
        }
    }
}
