//! xxhsum's benchmark, of our kernels: how often a buffer in memory is hashed in a second. Numbers, names, options and
//! lines are those of the original.

use super::{Variant, say};
use hashmill::{Algorithm, Hasher};
use hashmill_files::words;
use std::ffi::OsString;
use std::fs::File;
use std::hint::black_box;
use std::io::{self, IsTerminal, Read, Write};
use std::time::{Duration, Instant};

/// How a message is hashed.
#[derive(Clone, Copy)]
enum Way {
    Whole,
    /// With a seed, another one every time.
    Seeded,
    /// With a secret of the caller's, which the library does not have.
    Secret,
    Stream,
    SeededStream,
}

/// The functions to measure, once in an aligned and once in an unaligned buffer: the lines 1 and 2 are the first one's.
const FUNCTIONS: [(&str, Variant, Way); 14] = [
    ("XXH32", Variant::Xxh32, Way::Whole),
    ("XXH64", Variant::Xxh64, Way::Whole),
    ("XXH3_64b", Variant::Xxh3, Way::Whole),
    ("XXH3_64b w/seed", Variant::Xxh3, Way::Seeded),
    ("XXH3_64b w/secret", Variant::Xxh3, Way::Secret),
    ("XXH128", Variant::Xxh128, Way::Whole),
    ("XXH128 w/seed", Variant::Xxh128, Way::Seeded),
    ("XXH128 w/secret", Variant::Xxh128, Way::Secret),
    ("XXH32_stream", Variant::Xxh32, Way::Stream),
    ("XXH64_stream", Variant::Xxh64, Way::Stream),
    ("XXH3_stream", Variant::Xxh3, Way::Stream),
    ("XXH3_stream w/seed", Variant::Xxh3, Way::SeededStream),
    ("XXH128_stream", Variant::Xxh128, Way::Stream),
    ("XXH128_stream w/seed", Variant::Xxh128, Way::SeededStream),
];

/// Number of lines, which start from 1.
const LINES: u32 = 2 * FUNCTIONS.len() as u32;

/// The lines that are measured if none is chosen: XXH32, XXH64, XXH3 and XXH128, aligned.
const USUAL: [u32; 4] = [1, 3, 5, 11];

/// Where buffers are aligned to, in bytes, and how far from there the unaligned ones begin.
const ALIGNMENT: usize = 16;
const OFF: usize = 3;

/// Length in bytes of what is hashed of a file at most.
const LONGEST: u64 = (2 << 30) - (64 << 20);

/// How long an iteration should take, and how short it may be.
const ITERATION: Duration = Duration::from_secs(1);
const SHORTEST: Duration = Duration::from_millis(500);

/// The widest name, which longer ones are cut to.
const WIDTH: usize = 29;

/// What to measure.
#[derive(Debug, Clone)]
pub(super) struct Bench {
    /// The numbers of the chosen lines.
    chosen: Vec<u32>,
    /// The number that was chosen last: 0 stands for the usual lines.
    last: u32,
    /// Whether to measure all.
    pub(super) all: bool,
    /// How often to measure. The fastest counts. 0 is a glance, without regard to how long it takes.
    pub(super) iterations: u32,
    /// Number of bytes to hash, if they are not those of files.
    pub(super) size: usize,
    /// How many times to be more quiet: without version, without units, without a word.
    pub(super) quiet: u32,
}

impl Default for Bench {
    fn default() -> Self {
        Bench { chosen: Vec::new(), last: 0, all: false, iterations: 3, size: 100 << 10, quiet: 0 }
    }
}

impl Bench {
    /// Adds the line with this number, or all if there is none with it.
    pub(super) fn choose(&mut self, line: u32) {
        self.all = line > LINES;
        self.last = line;
        self.chosen.push(line);
    }

    /// Returns the numbers of the lines to measure.
    fn lines(&self) -> Vec<u32> {
        (1..=LINES)
            .filter(|n| self.all || if self.last == 0 { USUAL.contains(n) } else { self.chosen.contains(n) })
            .collect()
    }
}

/// Runs the benchmark on files, or on a buffer of zeros if there are none.
pub(super) fn run(name: &str, files: &[OsString], bench: &Bench) -> bool {
    if bench.quiet == 0 {
        say(format!("{name} (hashmill) {}", env!("CARGO_PKG_VERSION")).into_bytes());
    }
    let files: Vec<_> = files.iter().filter(|f| *f != "-").collect();
    if files.is_empty() {
        if bench.quiet <= 1 {
            let size = bench.size;
            let shown = if size > 10 << 10 { format!("{} KB", size >> 10) } else { format!("{size} bytes") };
            say(format!("Sample of {shown}...        ").into_bytes());
        }
        measure(&|_| Ok(()), bench.size, bench);
        return true;
    }
    files.into_iter().all(|path| {
        let complain = |what: &str, e: &io::Error| {
            let name = path.as_encoded_bytes();
            say([b"Error: Could not ", what.as_bytes(), b" '", name, b"': ", words(e).as_bytes(), b"."].concat());
        };
        let size = match File::open(path).and_then(|file| file.metadata()) {
            Ok(found) => found.len(),
            Err(e) => {
                complain("open", &e);
                return false;
            }
        };
        if size > LONGEST {
            let megabytes = LONGEST >> 20;
            let what = format!("' full size; testing {megabytes} MB only...");
            say([b"Not enough memory for '", path.as_encoded_bytes(), what.as_bytes()].concat());
        }
        let fill = |buffer: &mut [u8]| File::open(path)?.read_exact(buffer);
        match measure(&fill, size.min(LONGEST) as usize, bench) {
            Some(e) => {
                complain("read", &e);
                false
            }
            None => true,
        }
    })
}

/// Measures all chosen lines on a buffer of `size` bytes. Returns the error if it cannot be filled.
fn measure(fill: &dyn Fn(&mut [u8]) -> io::Result<()>, size: usize, bench: &Bench) -> Option<io::Error> {
    let mut memory = vec![0; size + ALIGNMENT + OFF];
    let start = memory.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
    if let Err(e) = fill(&mut memory[start..start + size]) {
        return Some(e);
    }
    for number in bench.lines() {
        let (name, variant, way) = FUNCTIONS[(number as usize - 1) / 2];
        let (name, start) = match number % 2 {
            0 => (format!("{name} unaligned"), start + OFF),
            _ => (name.to_string(), start),
        };
        let head = |mark: char, number: u32| format!("{number:2}{mark}{name:<WIDTH$.WIDTH$} : {size:10} ->");
        let Some(hash) = hash_function(variant, way) else {
            if bench.quiet <= 1 {
                say(format!("{} not measured: hashmill has no secrets", head('#', number)).into_bytes());
            }
            continue;
        };
        let rate =
            fastest(&|seed| hash(&memory[start..start + size], seed), size, bench.iterations, |iteration, rate| {
                // Everywhere else, only the results are of interest.
                if bench.quiet == 0 && io::stderr().is_terminal() {
                    let _ =
                        io::stderr().write_all(format!("{}\r", result(&head('-', iteration), rate, size)).as_bytes());
                }
            });
        match bench.quiet {
            0 | 1 => say(result(&head('#', number), rate, size).into_bytes()),
            // Numbers only, on one line.
            2 => _ = io::stderr().write_all(format!("{}, ", rate as u64).as_bytes()),
            _ => {}
        }
    }
    None
}

/// Returns the text of a line: messages and megabytes in a second.
fn result(head: &str, rate: f64, size: usize) -> String {
    format!("{head} {rate:8.0} it/s ({:7.1} MB/s) ", rate * size as f64 / f64::from(1 << 20))
}

/// A function to measure: it hashes a message with a seed.
type Measured = Box<dyn Fn(&[u8], u64)>;

/// Returns what hashes a message with a seed, as far as that is asked for.
fn hash_function(variant: Variant, way: Way) -> Option<Measured> {
    let a = variant.algorithm();
    let seeded = move |seed: u64| a.with_seed(seed).unwrap_or(a);
    let whole = |a: Algorithm, message: &[u8]| {
        let mut digest = [0; 16];
        let _ = black_box(a.digest_into(message, &mut digest[..a.digest_len()]));
        black_box(digest);
    };
    let stream = |a: Algorithm, message: &[u8]| {
        let mut hasher = Hasher::new(a);
        hasher.update(message);
        drop(black_box(hasher.finalize()));
    };
    Some(match way {
        Way::Whole => Box::new(move |message, _| whole(a, black_box(message))),
        Way::Seeded => Box::new(move |message, seed| whole(seeded(seed), black_box(message))),
        Way::Stream => Box::new(move |message, _| stream(a, black_box(message))),
        Way::SeededStream => Box::new(move |message, seed| stream(seeded(seed), black_box(message))),
        Way::Secret => return None,
    })
}

/// Returns the highest rate of several iterations: messages in a second. `tell` gets the number of each and the rate.
fn fastest(hash: &dyn Fn(u64), size: usize, iterations: u32, tell: impl Fn(u32, f64)) -> f64 {
    // Only a start: ten megabytes, which take no second anywhere.
    let mut messages = (10u64 << 20) / (size as u64 + 1) + 1;
    let mut best: f64 = 0.0;
    let mut done = 0;
    while done < iterations.max(1) {
        let start = Instant::now();
        (0..messages).for_each(hash);
        let took = start.elapsed();
        let rate = messages as f64 / took.as_secs_f64().max(1e-9);
        // If it was too short to be measured well, it only tells how many messages it takes.
        if took >= SHORTEST || iterations == 0 {
            best = best.max(rate);
            done += 1;
            tell(done, best);
        }
        messages = (best.max(rate) * ITERATION.as_secs_f64()) as u64 + 1;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_lines() {
        let lines = |numbers: &[u32]| {
            let mut bench = Bench::default();
            numbers.iter().for_each(|n| bench.choose(*n));
            bench.lines()
        };
        assert_eq!(lines(&[]), USUAL);
        assert_eq!(lines(&[0]), USUAL);
        assert_eq!(lines(&[7, 2]), [2, 7]);
        assert_eq!(lines(&[7, 0]), USUAL);
        assert_eq!(lines(&[28]), [28]);
        assert_eq!(lines(&[29]).len(), 28);
        assert_eq!(Bench { all: true, ..Bench::default() }.lines().len(), 28);
    }

    #[test]
    fn what_a_line_looks_like() {
        let head = format!("{:2}#{:<WIDTH$.WIDTH$} : {:10} ->", 28, "XXH128_stream w/seed unaligned", 102_400);
        assert_eq!(
            result(&head, 429_286.4, 102_400),
            "28#XXH128_stream w/seed unaligne :     102400 ->   429286 it/s (41922.5 MB/s) "
        );
    }
}
