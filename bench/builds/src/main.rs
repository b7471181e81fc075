//! Does this build of the library run at the speed of an older one? `builds [--pairs N] [NAME…]` takes every kernel of
//! the common algorithms (or of those named) that both have, and the calls that users make, on the same messages.
//!
//! Both builds take turns in slices of half a millisecond and more; which of them goes first changes. A ratio is that
//! of two neighbouring slices, old time over new, the result the median of all with its 95 % interval. Rows whose
//! interval lies wholly below [`LEAST`] are measured again with more pairs and the messages elsewhere in memory, and
//! once more, since of a thousand rows some lie there by chance: what is below all three times is printed as slower,
//! and the program ends with 1.

use std::hint::black_box;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Instant;

/// A row is slower if its interval lies wholly below this.
const LEAST: f64 = 0.98;

/// Hashes this many times.
type Run = Box<dyn Fn(u64)>;

#[derive(Clone, Copy)]
enum Call {
    /// One message, the digest into a buffer.
    Into,
    /// One message, the digest returned.
    Digest,
    /// One message in pieces of this many bytes.
    Stream(usize),
    /// Many messages.
    Many,
}

/// The calls of one build.
macro_rules! build {
    ($module:ident, |$forced:ident, $m:ident| $many:expr) => {
        mod $module {
            use super::{Call, Message, Rc, Run, black_box};
            use ::$module::{Algorithm, Hasher, digest_many};

            pub(super) fn run(
                name: &str,
                kernel: Option<&str>,
                call: Call,
                messages: &Rc<Vec<Message>>,
            ) -> Option<Run> {
                let a: Algorithm = name.parse().ok()?;
                let n = a.digest_len();
                let $m = Rc::clone(messages);
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
                        let _ = a.digest_into(black_box(&$m[0]).as_ref(), &mut out[..n]);
                        black_box(&out);
                    }),
                    (None, Call::Digest) => repeat!(black_box(&a.digest(black_box(&$m[0]).as_ref()))),
                    (None, Call::Many) => repeat!(black_box(&digest_many(a, black_box(&$m[..])))),
                    (None, Call::Stream(piece)) => repeat!({
                        let mut h = Hasher::new(a);
                        for piece in black_box(&$m[0]).as_ref().chunks(piece) {
                            h.update(piece);
                        }
                        black_box(&h.finalize());
                    }),
                    (Some(kernel), call) => {
                        let $forced = a.with_kernel(kernel).ok()?;
                        match call {
                            Call::Many => repeat!({
                                let $m = black_box(&$m[..]);
                                black_box(&$many);
                            }),
                            _ => repeat!({
                                let mut out = [0; 256];
                                let _ = $forced.digest_into(black_box(&$m[0]).as_ref(), &mut out[..n]);
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

/// A message somewhere in its buffer.
struct Message {
    buffer: Vec<u8>,
    from: usize,
}

impl AsRef<[u8]> for Message {
    fn as_ref(&self) -> &[u8] {
        &self.buffer[self.from..]
    }
}

struct Row {
    algorithm: String,
    kernel: Option<&'static str>,
    call: Call,
    /// How many messages of how many bytes.
    messages: (usize, usize),
}

impl Row {
    fn name(&self) -> String {
        let (number, bytes) = self.messages;
        let how = match self.call {
            Call::Into => "digest_into".into(),
            Call::Digest => "digest".into(),
            Call::Stream(piece) => format!("hasher, pieces of {piece}"),
            Call::Many => format!("{number} messages"),
        };
        format!("{} ({}), {how}, {bytes} bytes", self.algorithm, self.kernel.unwrap_or("as it chooses"))
    }

    /// The old and the new call, on the same messages, which lie `from` bytes behind a multiple of 64.
    fn runs(&self, from: usize) -> Option<(Run, Run)> {
        let mut x = 0x9e37_79b9_7f4a_7c15u64;
        let mut message = || {
            let mut buffer = vec![0; self.messages.1 + 128];
            let from = (buffer.as_ptr() as usize).wrapping_neg() % 64 + from;
            buffer.truncate(from + self.messages.1);
            for byte in &mut buffer {
                x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                *byte = (x >> 56) as u8;
            }
            Message { buffer, from }
        };
        let messages = Rc::new((0..self.messages.0).map(|_| message()).collect::<Vec<Message>>());
        let old = old::run(&self.algorithm, self.kernel, self.call, &messages)?;
        Some((old, new::run(&self.algorithm, self.kernel, self.call, &messages)?))
    }
}

fn seconds(run: &Run, times: u64) -> f64 {
    let start = Instant::now();
    run(times);
    start.elapsed().as_secs_f64()
}

/// Median and 95 % interval, from order statistics, of old over new.
fn measure((old, new): &(Run, Run), pairs: usize) -> (f64, f64, f64) {
    let mut times = 1;
    while seconds(new, times) < 0.0005 {
        times *= 2;
    }
    seconds(old, times);
    let mut ratios: Vec<f64> = (0..pairs)
        .map(|i| {
            // ABBA: what drifts hits both.
            if i % 2 == 0 {
                let first = seconds(old, times);
                first / seconds(new, times)
            } else {
                let first = seconds(new, times);
                seconds(old, times) / first
            }
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    let (n, half) = (pairs as f64 / 2.0, 0.98 * (pairs as f64).sqrt());
    let at = |x: f64| ratios[(x.max(0.0) as usize).min(pairs - 1)];
    (at(n), at(n - half), at(n + half))
}

fn rows(names: &[String]) -> Vec<Row> {
    let mut rows = Vec::new();
    for a in ::new::Algorithm::all() {
        let algorithm = a.name();
        if if names.is_empty() { !a.is_common() } else { !names.iter().any(|n| *n == algorithm) } {
            continue;
        }
        let mut add = |kernel, call, messages| {
            rows.push(Row { algorithm: algorithm.to_string(), kernel, call, messages });
        };
        for bytes in [5, 64, 16384] {
            add(None, Call::Into, (1, bytes));
        }
        add(None, Call::Digest, (1, 5));
        for (piece, bytes) in [(5, 5), (8, 4096), (1000, 16384)] {
            add(None, Call::Stream(piece), (1, bytes));
        }
        add(None, Call::Many, (256, 64));
        add(None, Call::Many, (64, 4096));
        for k in a.kernels().into_iter().filter(|k| k.available) {
            let (call, many) = if k.lanes == 1 { (Call::Into, (1, 1)) } else { (Call::Many, (2 * k.lanes, k.lanes)) };
            add(Some(k.name), call, (many.0, 64));
            add(Some(k.name), call, (many.1, if k.lanes == 1 { 16384 } else { 4096 }));
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
    if rows.is_empty() {
        eprintln!("builds: no algorithm is called {}", names.join(" or "));
        return ExitCode::from(2);
    }
    let mut slower = Vec::new();
    let mut all = Vec::new();
    for row in &rows {
        let Some(runs) = row.runs(0) else { continue };
        let mut result = measure(&runs, pairs);
        // Where the messages lie can be what makes the difference.
        for from in [16, 40] {
            if result.2 < LEAST
                && let Some(runs) = row.runs(from)
            {
                result = measure(&runs, 5 * pairs);
            }
        }
        println!("{:.3} [{:.3}, {:.3}] {}", result.0, result.1, result.2, row.name());
        all.push(result.0);
        if result.2 < LEAST {
            slower.push((result, row.name()));
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
    println!("{} row{} slower than {LEAST} in three measurements", slower.len(), if slower.len() == 1 { "" } else { "s" });
    for ((median, low, high), name) in &slower {
        println!("  {median:.3} [{low:.3}, {high:.3}] {name}");
    }
    ExitCode::from(u8::from(!slower.is_empty()))
}
