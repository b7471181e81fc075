//! Is our portable code slow? Every algorithm's `portable` kernel beside the portable code of others: RustCrypto's software
//! back ends, and PHP's `hash()`, on messages of 16 KiB; and the one-shot call on messages of 5 bytes beside PHP's.
//!
//! `bench/portable.sh` builds this with RustCrypto's back ends set to software and writes the tables. Arguments are
//! algorithms; without any, all that a peer has.

use hashmill::Algorithm;
use hashmill_bench::paired::{Comparison, Plan, Side, compare};
use std::cell::Cell;
use std::error::Error;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// RustCrypto's digest of a message into a buffer.
type Hash = fn(&[u8], &mut [u8]);

fn rustcrypto(name: &str) -> Option<Hash> {
    fn of<D: digest::Digest>(m: &[u8], out: &mut [u8]) {
        let d = D::digest(m);
        let n = d.len();
        out[..n].copy_from_slice(&d);
    }
    fn xof<D: digest::ExtendableOutput + Default>(m: &[u8], out: &mut [u8]) {
        D::digest_xof(m, &mut out[..32]);
    }
    let hash: Hash = match name {
        "md2" => of::<md2::Md2>,
        "md4" => of::<md4::Md4>,
        "md5" => of::<md5::Md5>,
        "sha1" => of::<sha1::Sha1>,
        "sha256" => of::<sha2::Sha256>,
        "sha512" => of::<sha2::Sha512>,
        "sha3-256" => of::<sha3::Sha3_256>,
        "sha3-512" => of::<sha3::Sha3_512>,
        "keccak512" => of::<sha3::Keccak512>,
        "shake128" => xof::<shake::Shake128>,
        "ripemd128" => of::<ripemd::Ripemd128>,
        "ripemd160" => of::<ripemd::Ripemd160>,
        "ripemd256" => of::<ripemd::Ripemd256>,
        "ripemd320" => of::<ripemd::Ripemd320>,
        "tiger192-3" => of::<tiger::Tiger>,
        "tiger2" => of::<tiger::Tiger2>,
        "whirlpool" => of::<whirlpool::Whirlpool>,
        "gost94" => of::<gost94::Gost94Test>,
        "gost94-cryptopro" => of::<gost94::Gost94CryptoPro>,
        "streebog256" => of::<streebog::Streebog256>,
        "streebog512" => of::<streebog::Streebog512>,
        "sm3" => of::<sm3::Sm3>,
        "groestl256" => of::<groestl::Groestl256>,
        "groestl512" => of::<groestl::Groestl512>,
        "jh256" => of::<jh::Jh256>,
        "jh512" => of::<jh::Jh512>,
        "skein256-256" => of::<skein::Skein256<digest::consts::U32>>,
        "skein512-512" => of::<skein::Skein512<digest::consts::U64>>,
        "skein1024-1024" => of::<skein::Skein1024<digest::consts::U128>>,
        "blake2b-512" => of::<blake2::Blake2b512>,
        "blake2s-256" => of::<blake2::Blake2s256>,
        _ => return None,
    };
    Some(hash)
}

/// A PHP that hashes on request: a line `algorithm bytes times`, answered with the nanoseconds it took.
struct Php {
    child: Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
    version: String,
}

const SCRIPT: &str = r#"
    echo PHP_VERSION, " ", implode(" ", hash_algos()), "\n";
    while ($line = fgets(STDIN)) {
        [$a, $bytes, $times] = explode(" ", trim($line));
        $m = str_repeat("x", (int)$bytes);
        $times = (int)$times;
        $start = hrtime(true);
        for ($i = 0; $i < $times; $i++) hash($a, $m, true);
        echo hrtime(true) - $start, "\n";
    }
"#;

impl Php {
    fn start() -> Outcome<(Php, Vec<String>)> {
        let mut child =
            Command::new("php").args(["-r", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(ask), Some(out)) = (child.stdin.take(), child.stdout.take()) else { return Err("no pipes".into()) };
        let mut answers = BufReader::new(out);
        let mut line = String::new();
        answers.read_line(&mut line)?;
        let mut words = line.split_whitespace().map(String::from);
        let version = words.next().ok_or("php said nothing")?;
        Ok((Php { child, ask, answers, version }, words.collect()))
    }

    fn run(&mut self, name: &str, bytes: usize, times: u64) -> Outcome<Duration> {
        writeln!(self.ask, "{name} {bytes} {times}")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(Duration::from_nanos(line.trim().parse()?))
    }
}

impl Drop for Php {
    fn drop(&mut self) {
        // It ends with its input; if it does not, there is nothing more to do about it here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn plan() -> Plan {
    let pairs = std::env::var("BENCH_PAIRS").ok().and_then(|p| p.parse().ok()).unwrap_or(60);
    Plan { pairs, slice: Duration::from_millis(2), ..Plan::default() }
}

fn ours_against(
    a: Algorithm,
    bytes: usize,
    their: &mut dyn FnMut(u64),
    clock: Option<&Cell<Duration>>,
) -> Option<Comparison> {
    let m = vec![b'x'; bytes];
    let mut out = vec![0; a.digest_len()];
    let mut run = |times: u64| {
        for _ in 0..times {
            // The buffer has the digest's length.
            let _ = a.digest_into(black_box(&m), &mut out);
            black_box(&mut out);
        }
    };
    let per = bytes as f64;
    compare(Side { run: &mut run, bytes: per, clock: None }, Side { run: their, bytes: per, clock }, &plan())
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
    let (mut php, php_names) = Php::start().map_err(|e| format!("php: {e}"))?;
    // What PHP calls each of ours.
    let php_name = |a: Algorithm| {
        php_names.iter().find(|n| {
            let name = if *n == "crc32" { "crc32-php" } else { n };
            name.parse::<Algorithm>() == Ok(a)
        })
    };
    println!(
        "Peers: RustCrypto (software back ends), PHP {}. PHP's crc32 folds with vector instructions.\n",
        php.version
    );
    println!("Messages of 16384 bytes, `portable`:\n");
    println!("| algorithm | peer | hashmill | peer | ratio [95 % interval] |\n|---|---|---:|---:|---:|");
    for &a in &chosen {
        let portable = a.with_kernel("portable")?;
        if let Some(hash) = rustcrypto(&a.name()) {
            let m = vec![b'x'; 16384];
            let mut out = [0; 128];
            let mut their = |times: u64| {
                for _ in 0..times {
                    hash(black_box(&m), &mut out);
                    black_box(&mut out);
                }
            };
            if let Some(c) = ours_against(portable, 16384, &mut their, None) {
                // Their JH is written for 128-bit vectors and has no other form on this machine.
                let peer = if a.family() == "JH" { "RustCrypto, vectors" } else { "RustCrypto" };
                show(&a.name(), peer, 16384, &c);
            }
        }
        if let Some(name) = php_name(a) {
            beside_php(portable, &mut php, name, 16384);
        }
    }
    println!("\nMessages of 5 bytes, the one-shot call:\n");
    println!("| algorithm | peer | hashmill | peer | ratio [95 % interval] |\n|---|---|---:|---:|---:|");
    for &a in &chosen {
        if let Some(name) = php_name(a) {
            beside_php(a, &mut php, name, 5);
        }
    }
    Ok(())
}

fn beside_php(a: Algorithm, php: &mut Php, name: &str, bytes: usize) {
    let clock = Cell::new(Duration::ZERO);
    let mut failed = None;
    let mut their = |times: u64| match php.run(name, bytes, times) {
        Ok(time) => clock.set(time),
        Err(e) => {
            failed = Some(e);
            clock.set(Duration::from_secs(1));
        }
    };
    let result = ours_against(a, bytes, &mut their, Some(&clock));
    match (failed, result) {
        (Some(e), _) => println!("| {} | PHP | | | failed: {e} |", a.name()),
        (None, Some(c)) => show(&a.name(), "PHP", bytes, &c),
        (None, None) => {}
    }
}
