//! An engine: every kernel of the common algorithms that this build of the library and an older one have, and the calls
//! that users make, by `new` and by `old`, on the same messages.

use hashmill_measure::engine::{Loop, Turns, serve};
use std::error::Error;
use std::hint::black_box;
use std::rc::Rc;

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
            use super::{Call, Message, Rc, Turns, black_box};
            use ::$module::{Algorithm, Hasher, digest_many};

            pub(super) fn run(
                name: &str,
                kernel: Option<&str>,
                call: Call,
                messages: &Rc<Vec<Message>>,
            ) -> Option<Turns> {
                let a: Algorithm = name.parse().ok()?;
                let n = a.digest_len();
                let $m = Rc::clone(messages);
                macro_rules! repeat {
                    ($call:expr) => {
                        Box::new(move |times: u64| {
                            for _ in 0..times {
                                $call;
                            }
                        }) as Turns
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

    /// The old and the new call, on the same messages, each of which begins at a multiple of 64.
    fn runs(&self) -> Option<(Turns, Turns)> {
        let mut x = 0x9e37_79b9_7f4a_7c15u64;
        let mut message = || {
            let mut buffer = vec![0; self.messages.1 + 64];
            let from = (buffer.as_ptr() as usize).wrapping_neg() % 64;
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

/// The rows of the algorithms of these names, or of the common ones.
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

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("usage: builds NAME [ALGORITHM…]")?;
    let names: Vec<String> = arguments.collect();
    let mut loops: Vec<(Loop, Turns)> = Vec::new();
    for row in rows(&names) {
        let Some((old, new)) = row.runs() else { continue };
        let bytes = (row.messages.0 * row.messages.1) as u64;
        let of = |by: &str| Loop { case: row.name(), by: by.into(), bytes };
        loops.extend([(of("new"), new), (of("old"), old)]);
    }
    if loops.is_empty() {
        return Err(format!("no algorithm is called {}", names.join(" or ")).into());
    }
    Ok(serve(&name, &mut loops)?)
}
