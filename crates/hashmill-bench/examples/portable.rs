//! Is our portable code slow? Compares every algorithm's `portable` kernel with other portable code, RustCrypto's
//! software back ends and PHP's `hash()`, on messages of 16 KiB; and the one-shot call on messages of 5 bytes with
//! PHP's.
//!
//! `bench/portable.sh` builds this with RustCrypto's back ends set to software and writes the tables. The arguments are
//! algorithms; without any, all that a peer has.

use hashmill::{Algorithm, Engine};
use hashmill_measure::paired::{Comparison, Plan, Side, compare};
use hashmill_peers::peer::{self, Job, PeerError, PeerKind};
use std::cell::Cell;
use std::error::Error;
use std::hint::black_box;
use std::time::Duration;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn plan() -> Plan {
    let pairs = std::env::var("BENCH_PAIRS").ok().and_then(|p| p.parse().ok()).unwrap_or(60);
    Plan { pairs, slice: Duration::from_millis(2), ..Plan::default() }
}

/// Compares ours with a peer's. Returns `None` if that was interrupted.
fn compared(engine: Engine, bytes: usize, job: &mut dyn Job) -> Result<Option<Comparison>, PeerError> {
    let m = vec![b'x'; bytes];
    let mut out = vec![0; engine.algorithm().digest_len()];
    let ours = |times: u64| {
        for _ in 0..times {
            // This cannot fail, because the buffer has the digest's length.
            let _ = engine.digest_into(black_box(&m), &mut out);
            black_box(&mut out);
        }
    };
    let clock = Cell::new(Duration::ZERO);
    // Whether the peer's clock counts, or ours.
    let own_clock = job.run(1)?.is_some();
    let mut failed = None;
    let theirs = |times: u64| match job.run(times) {
        Ok(time) => clock.set(time.unwrap_or_default()),
        Err(e) => {
            failed = Some(e);
            // Ends the comparison soon.
            clock.set(Duration::from_secs(1));
        }
    };
    let theirs = Side::new(bytes as f64, theirs);
    let theirs = if own_clock { theirs.clock(&clock) } else { theirs };
    let result = compare(Side::new(bytes as f64, ours), theirs, &plan());
    failed.map_or(Ok(result), Err)
}

fn show(name: &str, peer: &str, bytes: usize, c: &Comparison) {
    let (low, high) = c.ratio.interval;
    let unit = |rate: f64| match bytes {
        0..=64 => format!("{:.0} ns", 1e9 * bytes as f64 / rate),
        _ => format!("{:.0} MB/s", rate / 1e6),
    };
    println!(
        "| {name} | {peer} | {} | {} | {:.2} [{low:.2}, {high:.2}] |",
        unit(c.a.median),
        unit(c.b.median),
        c.ratio.median
    );
}

fn main() -> Outcome<()> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let chosen: Vec<Algorithm> = match names.is_empty() {
        true => Algorithm::all().collect(),
        false => names.iter().map(|n| n.parse()).collect::<Result<_, _>>()?,
    };
    let mut php = peer::open(PeerKind::Php)?;
    let mut rustcrypto = peer::open(PeerKind::Rustcrypto)?;
    println!(
        "Peers: RustCrypto (software back ends), {}. PHP's crc32 folds with vector instructions.\n",
        php.version()
    );
    let head = "| algorithm | peer | hashmill | peer | ratio [95 % interval] |\n|---|---|---:|---:|---:|";
    println!("Messages of 16384 bytes, `portable`:\n\n{head}");
    let long = [&[b'x'; 16384][..]];
    for &a in &chosen {
        let portable = a.with_kernel("portable")?;
        // RustCrypto's JH is written for 128-bit vectors and has no other implementation on this machine.
        let crates = if a.family() == "JH" { "RustCrypto, vectors" } else { "RustCrypto" };
        line(portable, crates, rustcrypto.job(a, &long), 16384);
        line(portable, "PHP", php.job(a, &long), 16384);
    }
    println!("\nMessages of 5 bytes, the one-shot call:\n\n{head}");
    for &a in &chosen {
        line(a, "PHP", php.job(a, &[b"xxxxx"]), 5);
    }
    Ok(())
}

/// Prints a row of the table if the peer has the algorithm.
fn line(engine: impl Into<Engine>, peer: &str, job: Result<Box<dyn Job + '_>, PeerError>, bytes: usize) {
    let engine = engine.into();
    let name = engine.algorithm().name();
    match job.and_then(|mut job| compared(engine, bytes, &mut *job)) {
        Ok(Some(c)) => show(&name, peer, bytes, &c),
        Ok(None) | Err(PeerError::NoDigest { .. }) => {}
        Err(e) => println!("| {name} | {peer} | | | failed: {e} |"),
    }
}
