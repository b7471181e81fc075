//! The C and C++ doors beside the Rust library and other programs: `bench/cpp/run` builds what this loads and puts its
//! tables into a page.
//!
//! `cpp CALLERS FILE HASHSUM ROUNDS JSON` prints Markdown and writes what it measured to JSON. CALLERS is a folder of
//! shared objects `(library|header)-COMPILER-LEVEL.so`, all made from callers.cpp. What is compared takes turns in
//! slices of about a millisecond, in an order that changes with every round; a ratio is that of two slices of one
//! round, the result the median of all rounds with its 95 % interval. Programs take turns by whole runs.

use hashmill::Algorithm;
use libloading::Library;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What callers.cpp exports.
type Caller = unsafe extern "C" fn(*const u8, usize, u64, *mut u8);

const ALGORITHMS: [(&str, &str, Algorithm); 6] = [
    ("SHA-1", "sha1", Algorithm::SHA1),
    ("MD5", "md5", Algorithm::MD5),
    ("SHA-512", "sha512", Algorithm::SHA512),
    ("CubeHash16/32-512", "cubehash512", Algorithm::CUBEHASH512),
    ("SHA-256", "sha256", Algorithm::SHA256),
    ("XXH3", "xxh3", Algorithm::XXH3),
];
/// Those of which the header-only part has its own code.
const OWN: usize = 4;
/// What they are called in callers.cpp, and to readers. The digest of a message that is not the plain one is not
/// compared.
const FORMS: [(&str, &str, bool); 11] = [
    ("pointer", "pointer and length", true),
    ("contiguous", "contiguous range of bytes", true),
    ("words", "range of `uint32_t`, the machine's order", true),
    ("other_words", "range of `uint32_t`, the other order", false),
    ("deque", "random-access: `std::deque`", true),
    ("reversed", "random-access: `views::reverse`", false),
    ("computed", "random-access: `views::transform`", false),
    ("input", "input iterators", true),
    ("list", "bidirectional: `std::list`", true),
    ("streambuf", "`istreambuf_iterator`", true),
    ("pieces", "`update` in pieces of 64 bytes", true),
];
/// A message that the first-level cache holds, as what is copied to and fro does then too.
const MESSAGE: usize = 16 * 1024;

/// A message, the bytes of a digest, and how many times.
type Run<'a> = Box<dyn Fn(&[u8], &mut [u8], u64) + 'a>;

struct Side<'a> {
    run: Run<'a>,
    times: u64,
}

fn rust<'a>(a: Algorithm) -> Side<'a> {
    let len = a.digest_len();
    Side {
        run: Box::new(move |m, out, times| {
            for _ in 0..times {
                // The length is right.
                let _ = a.digest_into(black_box(m), &mut out[..len]);
            }
        }),
        times: 1,
    }
}

fn called(library: &Library, name: &str) -> Result<Side<'static>> {
    // SAFETY: all of callers.cpp's functions have this type; the libraries are never unloaded.
    let caller: Caller = unsafe { *library.get::<Caller>(name.as_bytes())? };
    Ok(Side {
        // SAFETY: the message can be read, and `out` is as long as any digest.
        run: Box::new(move |m, out, times| unsafe { caller(m.as_ptr(), m.len(), times, out.as_mut_ptr()) }),
        times: 1,
    })
}

/// Seconds for one message.
fn slice(side: &Side, m: &[u8]) -> f64 {
    let mut out = [0; 64];
    let start = Instant::now();
    (side.run)(m, &mut out, side.times);
    let took = start.elapsed().as_secs_f64();
    black_box(out);
    took / side.times as f64
}

/// The median and its 95 % interval, from order statistics.
#[derive(Clone, Copy)]
struct Summary {
    median: f64,
    low: f64,
    high: f64,
}

fn summary(mut all: Vec<f64>) -> Summary {
    all.sort_by(f64::total_cmp);
    let n = all.len() as f64;
    let at = |x: f64| all[(x.max(0.0) as usize).min(all.len() - 1)];
    let half = 0.98 * n.sqrt();
    Summary { median: at(n / 2.0), low: at(n / 2.0 - half), high: at(n / 2.0 + half) }
}

/// Times of all sides in turns.
fn in_turns(sides: &mut [Side], m: &[u8], rounds: usize) -> Vec<Vec<f64>> {
    for side in &mut *sides {
        while slice(side, m) * (side.times as f64) < 0.0005 {
            side.times *= 2;
        }
    }
    let mut times = vec![Vec::with_capacity(rounds); sides.len()];
    for order in orders(sides.len()).take(rounds) {
        for i in order {
            times[i].push(slice(&sides[i], m));
        }
    }
    times
}

/// Orders of so many things, each a little different.
fn orders(n: usize) -> impl Iterator<Item = Vec<usize>> {
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    std::iter::repeat_with(move || {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            order.swap(i, (random >> 33) as usize % (i + 1));
        }
        order
    })
}

/// How many times as fast the second is as the first, round by round.
fn ratio(first: &[f64], second: &[f64]) -> Summary {
    summary(first.iter().zip(second).map(|(a, b)| a / b).collect())
}

fn shown(s: Summary) -> String {
    format!("{:.2} [{:.2}, {:.2}]", s.median, s.low, s.high)
}

fn kept(s: Summary) -> Value {
    json!({ "median": s.median, "low": s.low, "high": s.high })
}

fn row(cells: &[String]) {
    println!("| {} |", cells.join(" | "));
}

fn head(cells: &[&str]) {
    println!();
    println!("| {} |", cells.join(" | "));
    println!("|---{}|", "|---:".repeat(cells.len() - 1));
}

/// A form must give the Rust library's digest before its speed is of interest.
fn same(side: &Side, a: Algorithm, m: &[u8], what: &str) -> Result<()> {
    let mut out = [0; 64];
    (side.run)(m, &mut out, 1);
    match out[..a.digest_len()] == *a.digest(m).as_bytes() {
        true => Ok(()),
        false => Err(format!("{what}: a wrong digest").into()),
    }
}

/// Each form of input, over the library.
fn forms(callers: &BTreeMap<String, Library>, compilers: &[&str], m: &[u8], rounds: usize) -> Result<Value> {
    let mut all = Vec::new();
    for &compiler in compilers {
        let library = &callers[&format!("library-{compiler}-O2")];
        println!(
            "\n{compiler} -O2, 16 KiB: times the speed of the Rust library's `digest_into` for the same algorithm [95 \
             % interval]"
        );
        let mut columns = vec!["input"];
        columns.extend(ALGORITHMS.map(|(title, _, _)| title));
        head(&columns);
        let mut cells = vec![Vec::new(); FORMS.len()];
        for (_, name, a) in ALGORITHMS {
            let mut sides = vec![rust(a)];
            for (form, _, plain) in FORMS {
                let side = called(library, &format!("{name}_{form}"))?;
                if plain {
                    same(&side, a, m, &format!("{compiler} {name} {form}"))?;
                }
                sides.push(side);
            }
            let times = in_turns(&mut sides, m, rounds);
            for (i, (form, _, _)) in FORMS.iter().enumerate() {
                let r = ratio(&times[0], &times[i + 1]);
                cells[i].push(shown(r));
                all.push(json!({ "compiler": compiler, "algorithm": name, "form": form, "ratio": kept(r) }));
            }
        }
        for ((_, title, _), cells) in FORMS.iter().zip(cells) {
            row(&[vec![title.to_string()], cells].concat());
        }
    }
    Ok(all.into())
}

/// What a call costs.
fn calls(callers: &BTreeMap<String, Library>, rounds: usize) -> Result<Value> {
    let library = &callers["library-g++-O2"];
    let m = b"abcde";
    println!(
        "\nFive bytes, nanoseconds: `digest_into` in Rust, `hm_digest` of the shared library, and a hasher made in \
         the caller's memory."
    );
    head(&[
        "algorithm",
        "Rust",
        "`hm_digest`",
        "more than Rust [95 % interval]",
        "`hm_hasher_init`, `_update`, `_final`, `_free`",
    ]);
    let mut all = Vec::new();
    let named = [
        ("xxh3", Algorithm::XXH3),
        ("crc32c", Algorithm::CRC32C),
        ("md5", Algorithm::MD5),
        ("sha1", Algorithm::SHA1),
        ("sha256", Algorithm::SHA256),
        ("blake3", Algorithm::BLAKE3),
    ];
    for (name, a) in named {
        let mut sides =
            vec![rust(a), called(library, &format!("{name}_call"))?, called(library, &format!("{name}_hasher"))?];
        for side in &sides {
            same(side, a, m, name)?;
        }
        let times = in_turns(&mut sides, m, rounds);
        let ns = |t: &[f64]| summary(t.iter().map(|t| t * 1e9).collect());
        let more = summary(times[0].iter().zip(&times[1]).map(|(r, c)| (c - r) * 1e9).collect());
        let (r, c, h) = (ns(&times[0]), ns(&times[1]), ns(&times[2]));
        row(&[
            name.into(),
            format!("{:.1}", r.median),
            format!("{:.1}", c.median),
            format!("{:.1} [{:.1}, {:.1}]", more.median, more.low, more.high),
            format!("{:.0}", h.median),
        ]);
        all.push(json!({ "algorithm": name, "rust_ns": kept(r), "c_ns": kept(c), "more_ns": kept(more), "hasher_ns": kept(h) }));
    }
    Ok(all.into())
}

/// The compiler's level, for callers of the library and for the header-only part.
fn flags(callers: &BTreeMap<String, Library>, compilers: &[&str], m: &[u8], rounds: usize) -> Result<Value> {
    let mut all = Vec::new();
    let levels = ["O1", "O2", "O3"];
    for (kind, form, title) in [
        (
            "header",
            "pointer",
            "Header-only, a pointer and a length: all of the digest is compiled with the user's flags.",
        ),
        ("header", "deque", "Header-only, a `std::deque`."),
        ("library", "pointer", "Over the library, a pointer and a length: the user's flags reach the call alone."),
        ("library", "deque", "Over the library, a `std::deque`."),
        ("library", "input", "Over the library, input iterators."),
    ] {
        println!(
            "\n{title} Seconds for 244.25 MiB eight times, and in brackets how many times as fast as the Rust library."
        );
        let columns: Vec<String> =
            compilers.iter().flat_map(|c| levels.iter().map(move |l| format!("{c} -{l}"))).collect();
        head(&[vec!["function", "Rust library"], columns.iter().map(String::as_str).collect()].concat());
        for (title, name, a) in &ALGORITHMS[..OWN] {
            let mut sides = vec![rust(*a)];
            for compiler in compilers {
                for level in levels {
                    let side = called(&callers[&format!("{kind}-{compiler}-{level}")], &format!("{name}_{form}"))?;
                    same(&side, *a, m, &format!("{kind} {compiler} {level} {name} {form}"))?;
                    sides.push(side);
                }
            }
            let times = in_turns(&mut sides, m, rounds);
            let seconds = |t: &[f64]| summary(t.to_vec()).median / m.len() as f64 * 244.25 * f64::from(1 << 20) * 8.0;
            let mut cells = vec![title.to_string(), format!("{:.2}", seconds(&times[0]))];
            for (i, column) in columns.iter().enumerate() {
                let r = ratio(&times[0], &times[i + 1]);
                cells.push(format!("{:.2} ({:.2})", seconds(&times[i + 1]), r.median));
                let (compiler, level) = column.split_once(" -").unwrap_or((column, ""));
                all.push(json!({
                    "kind": kind, "form": form, "function": title, "compiler": compiler, "level": level,
                    "seconds": seconds(&times[i + 1]), "rust_seconds": seconds(&times[0]), "of_rust": kept(r),
                }));
            }
            row(&cells);
        }
    }
    Ok(all.into())
}

/// Whole programs, by turns. The fastest of the others counts.
fn programs(hashsum: &Path, file: &Path, rounds: usize) -> Result<Value> {
    let mut all = Vec::new();
    for (files, what) in [(1, "One file a run"), (8, "The file eight times in one run, as several files")] {
        println!("\n{what}: seconds for {files} × 244.25 MiB, medians of {rounds} rounds in alternation.");
        head(&["function", "`hashsum`", "coreutils", "`openssl dgst`", "times the faster of them [95 % interval]"]);
        for (title, name, _) in &ALGORITHMS[..OWN] {
            let mut commands = vec![("hashsum", vec![hashsum.display().to_string(), "-a".into(), (*name).into()])];
            if *name != "cubehash512" {
                commands.push(("coreutils", vec![format!("{name}sum")]));
                commands.push(("openssl", vec!["openssl".into(), "dgst".into(), format!("-{name}")]));
            }
            let mut times = vec![Vec::new(); commands.len()];
            for order in orders(commands.len()).take(rounds) {
                for i in order {
                    let line = &commands[i].1;
                    let start = Instant::now();
                    let status = Command::new(&line[0])
                        .args(&line[1..])
                        .args(std::iter::repeat_n(file, files))
                        .stdout(Stdio::null())
                        .status()?;
                    times[i].push(start.elapsed().as_secs_f64());
                    if !status.success() {
                        return Err(format!("{}: {status}", line[0]).into());
                    }
                }
            }
            let median = |i: usize| summary(times[i].clone()).median;
            let mut cells = vec![title.to_string()];
            cells.extend((0..3).map(|i| if i < times.len() { format!("{:.3}", median(i)) } else { "–".into() }));
            let mut kept_row = json!({ "function": title, "files": files });
            for (i, (program, _)) in commands.iter().enumerate() {
                kept_row[*program] = json!({ "seconds": median(i) });
                if i > 0 {
                    kept_row[*program]["times_ours"] = kept(ratio(&times[i], &times[0]));
                }
            }
            if times.len() > 1 {
                let best = if median(1) < median(2) { 1 } else { 2 };
                cells.push(shown(ratio(&times[best], &times[0])));
            } else {
                cells.push("–".into());
            }
            row(&cells);
            all.push(kept_row);
        }
    }
    Ok(all.into())
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, file, hashsum, rounds, json_file] = &arguments[..] else {
        return Err("usage: cpp CALLERS FILE HASHSUM ROUNDS JSON".into());
    };
    let rounds: usize = rounds.parse()?;
    let mut callers = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "so") {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            // SAFETY: made from callers.cpp by `run`; nothing runs when they are loaded.
            callers.insert(stem, unsafe { Library::new(&path)? });
        }
    }
    let compilers = ["g++", "clang++-19"];
    // On a boundary of words, and of a cache line.
    let words: Vec<u64> = (0..(MESSAGE + 64) as u64 / 8).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let start = bytes.as_ptr().align_offset(64);
    let m = &bytes[start..start + MESSAGE];

    println!("## Forms of input");
    let forms = forms(&callers, &compilers, m, rounds)?;
    println!("\n## What a call costs");
    let calls = calls(&callers, rounds * 3)?;
    println!("\n## The compiler's level");
    let flags = flags(&callers, &compilers, m, rounds)?;
    println!("\n## The program `hashsum`");
    let programs = programs(Path::new(hashsum), Path::new(file), (rounds / 8).max(3))?;
    println!("\n{rounds} rounds, {:?} a slice at least.", Duration::from_micros(500));
    let all = json!({ "forms": forms, "calls": calls, "flags": flags, "programs": programs });
    std::fs::write(json_file, serde_json::to_string_pretty(&all)?)?;
    Ok(())
}
