//! Every algorithm of PHP's `hash_algos()` and every HMAC of `hash_hmac_algos()` against PHP itself, whose
//! implementations share nothing with ours.

use crate::common::{Random, Tier, tier};
use hashmill::{Algorithm, Digest, Hmac};
use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// Runs a PHP script with `input` on its standard input, in a PHP without configuration (`-n`): one of its extensions
/// may be ours. Returns `None` if PHP is not installed, or panics if this machine is required to have it.
fn php(script: &str, input: String) -> Option<String> {
    let child = Command::new("php")
        .args(["-n", "-d", "memory_limit=1G", "-d", "display_errors=stderr", "-r"])
        .arg(format!("extension_loaded('hashmill') && exit(9); {script}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(e) => {
            assert!(std::env::var_os("HASHMILL_TEST_REQUIRE_PEERS").is_none(), "php: {e}");
            println!("skipped: no PHP here ({e})");
            return None;
        }
    };
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    writer.join().unwrap().unwrap();
    let status = child.wait().unwrap();
    assert_ne!(status.code(), Some(9), "this PHP has hashmill's extension compiled in: it proves nothing");
    assert!(status.success());
    Some(out)
}

/// Returns our algorithm for PHP's name. PHP's `crc32` is not what everyone else calls CRC-32.
fn ours(name: &str) -> Algorithm {
    let name = if name == "crc32" { "crc32-php" } else { name };
    name.parse().unwrap_or_else(|e| panic!("PHP has {name}: {e}"))
}

fn hex(bytes: &[u8]) -> String {
    Digest::from_bytes(bytes).to_hex()
}

fn lengths() -> Vec<usize> {
    let mut all: Vec<usize> = (0..=300).collect();
    for edge in [512, 1024, 4096, 8192] {
        all.extend(edge - 1..=edge + 1);
    }
    if tier() == Tier::Quick {
        all.retain(|n| n % 7 == 0);
    }
    all
}

#[test]
fn every_algorithm_of_php() {
    let mut random = Random::new(11);
    let messages: Vec<Vec<u8>> = lengths().into_iter().map(|n| random.bytes(n)).collect();
    let script = r#"
        $messages = array_map('hex2bin', array_map('trim', file('php://stdin')));
        foreach (hash_algos() as $a) foreach ($messages as $m) echo $a, " ", hash($a, $m), "\n";
    "#;
    let Some(out) = php(script, messages.iter().map(|m| hex(m) + "\n").collect()) else { return };
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines.len() >= 50 * messages.len(), "PHP has more than fifty algorithms");
    for (line, m) in lines.iter().zip(messages.iter().cycle()) {
        let (name, digest) = line.split_once(' ').unwrap();
        let a = ours(name).with_kernel("portable").unwrap();
        assert_eq!(a.digest(m).to_hex(), digest, "{name}, {} bytes", m.len());
        let mut h = a.hasher();
        let (x, y) = m.split_at(random.below(m.len() + 1));
        h.update(x);
        h.update(y);
        assert_eq!(h.finalize().to_hex(), digest, "{name}, {} bytes split at {}", m.len(), x.len());
    }
    println!("{} digests of PHP's", lines.len());
}

#[test]
fn seeds_of_php() {
    let mut random = Random::new(12);
    let messages: Vec<Vec<u8>> = lengths().into_iter().map(|n| random.bytes(n)).collect();
    let script = r#"
        $messages = array_map('hex2bin', array_map('trim', file('php://stdin')));
        foreach (["murmur3a", "murmur3c", "murmur3f", "xxh32", "xxh64", "xxh3", "xxh128"] as $a)
            foreach ($messages as $i => $m) echo $a, " ", 7919 * $i, " ", hash($a, $m, false, ["seed" => 7919 * $i]), "\n";
    "#;
    let Some(out) = php(script, messages.iter().map(|m| hex(m) + "\n").collect()) else { return };
    for (line, m) in out.lines().zip(messages.iter().cycle()) {
        let [name, seed, digest] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let a = ours(name).with_seed(seed.parse().unwrap()).unwrap();
        assert_eq!(a.digest(m).to_hex(), digest, "{name}, seed {seed}, {} bytes", m.len());
    }
}

#[test]
fn every_hmac_of_php() {
    let mut random = Random::new(13);
    let count = if tier() == Tier::Quick { 30 } else { 150 };
    let pairs: Vec<(Vec<u8>, Vec<u8>)> = (0..count)
        .map(|i| {
            let key = random.bytes(i);
            let n = random.below(300);
            (key, random.bytes(n))
        })
        .collect();
    let script = r#"
        $pairs = array_map(fn($l) => array_map('hex2bin', explode(' ', rtrim($l, "\n"))), file('php://stdin'));
        foreach (hash_hmac_algos() as $a) foreach ($pairs as [$k, $m]) echo $a, " ", hash_hmac($a, $m, $k), "\n";
    "#;
    let Some(out) = php(script, pairs.iter().map(|(k, m)| hex(k) + " " + &hex(m) + "\n").collect()) else { return };
    let mut count = 0;
    for (line, (key, m)) in out.lines().zip(pairs.iter().cycle()) {
        let (name, code) = line.split_once(' ').unwrap();
        let mut h = Hmac::new(ours(name), key).unwrap();
        h.update(m);
        assert_eq!(h.finalize().to_hex(), code, "{name}, key of {} bytes, {} bytes", key.len(), m.len());
        count += 1;
    }
    assert!(count > 40 * pairs.len(), "{count}");
}

/// Every further name that our extension enters in PHP's registry (bindings/php/registry.c) is one that all languages
/// know.
#[test]
fn every_name_of_the_extension() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bindings/php/registry.c");
    let text = std::fs::read_to_string(source).unwrap();
    let list = text.split_once("more_names[] = {").unwrap().1.split_once("};").unwrap().0;
    let names: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    assert!(names.len() > 20 && names.contains(&"shake128-256"), "{names:?}");
    for name in names {
        let a: Algorithm = name.parse().unwrap_or_else(|e| panic!("{name}: {e}"));
        if let Some((_, bits)) = name.split_once('-').filter(|(shake, _)| shake.starts_with("shake")) {
            assert_eq!(8 * a.digest_len(), bits.parse::<usize>().unwrap(), "{name}");
        }
    }
}
