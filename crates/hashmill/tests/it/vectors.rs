//! Every vector on every kernel: one-shot, streamed, cloned, reused, misaligned, and in the mill.

use crate::common::{Random, Tier, bits_of, low_bits_first, on_every_kernel, tier};
use hashmill::{Algorithm, Digest, Engine, Hasher, Hmac, Security};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

struct Vector {
    algorithm: Algorithm,
    message: Vec<u8>,
    /// The length in bits of a message that is not a whole number of bytes.
    bits: Option<usize>,
    inputs: Inputs,
    digest: Vec<u8>,
    place: String,
}

/// The inputs that a vector gives besides its message.
#[derive(Default)]
struct Inputs {
    hmac: bool,
    key: Option<Vec<u8>>,
    salt: Vec<u8>,
    personal: Vec<u8>,
    context: Option<String>,
}

impl Inputs {
    fn plain(&self) -> bool {
        !self.hmac && self.key.is_none() && self.salt.is_empty() && self.personal.is_empty() && self.context.is_none()
    }

    fn hasher(&self, a: Engine) -> Running {
        if self.hmac {
            return Running::Hmac(Box::new(a.hmac(self.key.as_deref().unwrap_or_default()).unwrap()));
        }
        let mut b = a.builder().salt(&self.salt).personal(&self.personal);
        if let Some(key) = &self.key {
            b = b.key(key);
        }
        if let Some(context) = &self.context {
            b = b.context(context.as_bytes());
        }
        Running::Hasher(Box::new(b.build().unwrap()))
    }
}

/// A running digest or HMAC, so that both get the same treatment.
#[derive(Clone)]
enum Running {
    Hasher(Box<Hasher>),
    Hmac(Box<Hmac>),
}

impl Running {
    fn update(&mut self, m: &[u8]) {
        match self {
            Running::Hasher(h) => h.update(m),
            Running::Hmac(h) => h.update(m),
        }
    }

    fn finalize(&self) -> Digest {
        match self {
            Running::Hasher(h) => h.finalize(),
            Running::Hmac(h) => h.finalize(),
        }
    }

    fn reset(&mut self) {
        match self {
            Running::Hasher(h) => h.reset(),
            Running::Hmac(h) => h.reset(),
        }
    }
}

#[derive(Default)]
struct Skipped {
    long: usize,
    /// Vectors that the quick tier leaves out.
    sampled: usize,
}

/// Number of vectors in the repository: whole-byte messages, bit messages, and chains. A missing file or an unread line
/// must be a failure, not a smaller number.
const OWN: (usize, usize, usize) = (10_904, 441, 77);

fn unhex(s: &str) -> Vec<u8> {
    if s.is_empty() { Vec::new() } else { Digest::from_hex(s.as_bytes()).expect("hex").as_bytes().to_vec() }
}

fn own_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors")
}

fn folders() -> Vec<PathBuf> {
    let mut all = vec![own_folder()];
    if let Some(more) = std::env::var_os("HASHMILL_VECTORS") {
        assert!(Path::new(&more).is_dir(), "HASHMILL_VECTORS is not a folder");
        all.push(more.into());
    }
    all
}

fn lines() -> Vec<(String, Value)> {
    folders().iter().flat_map(|folder| lines_in(folder)).collect()
}

fn lines_in(folder: &Path) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "jsonl")) {
        for (i, line) in std::fs::read_to_string(file).unwrap().lines().enumerate() {
            let place = format!("{}:{}", file.file_name().unwrap().to_string_lossy(), i + 1);
            all.push((place, serde_json::from_str(line).unwrap()));
        }
    }
    all
}

fn read(skipped: &mut Skipped) -> Vec<Vector> {
    let mut all = Vec::new();
    let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (place, v) in lines() {
        let text = |k: &str| v[k].as_str();
        if v["monte"].is_string() {
            continue;
        }
        let name = text("algorithm").unwrap();
        let a: Algorithm = name.parse().unwrap_or_else(|e| panic!("{place}: {e}"));
        // Under emulation: the first few of each algorithm in every file, then every eighth.
        let file = place.split(':').next().unwrap_or_default();
        let nth = seen.entry((file.to_string(), name.to_string())).or_default();
        *nth += 1;
        if tier() == Tier::Quick && *nth > 12 && *nth % 8 != 0 {
            skipped.sampled += 1;
            continue;
        }
        let mut message = match (text("message_hex"), text("message_pattern")) {
            (Some(hex), _) => unhex(hex),
            (None, Some("mod251")) => (0..v["length"].as_u64().unwrap()).map(|i| (i % 251) as u8).collect(),
            (None, Some("repeat")) => {
                let unit = unhex(text("unit_hex").unwrap());
                let count = v["count"].as_u64().unwrap() as usize;
                let limit = if tier() == Tier::Quick { 1 << 20 } else { 1 << 24 };
                if unit.len() * count > limit {
                    // The largest messages have a test of their own.
                    skipped.long += 1;
                    continue;
                }
                unit.repeat(count)
            }
            other => panic!("{place}: no message: {other:?}"),
        };
        let digest = unhex(text("digest_hex").unwrap());
        let mut a = a.with_digest_len(digest.len()).unwrap_or_else(|e| panic!("{place}: {e}"));
        if let Some(seed) = v["seed"].as_u64() {
            a = a.with_seed(seed).unwrap();
        }
        let bits = v["bit_length"].as_u64().map(|n| n as usize);
        if let Some(n) = bits {
            assert!(n % 8 > 0 && message.len() == n.div_ceil(8), "{place}: {n} bits");
            match text("bit_order") {
                // The answers of the SHA-3 competition have the last bits at the high end for every function, even
                // Keccak.
                None if low_bits_first(a) => message[n / 8] >>= 8 - n % 8,
                None => {}
                Some("lsb") if low_bits_first(a) => {}
                Some(other) => panic!("{place}: {a} does not count bits from {other}"),
            }
        }
        let optional = |k: &str| text(k).map(unhex);
        let hmac = match text("mode") {
            None | Some("derive_key" | "keyed_hash") => false,
            Some("hmac") => true,
            Some(other) => panic!("{place}: unknown mode {other}"),
        };
        let inputs = Inputs {
            hmac,
            key: optional("key_hex").filter(|k| hmac || !k.is_empty()),
            salt: optional("salt_hex").unwrap_or_default(),
            personal: optional("personal_hex").unwrap_or_default(),
            context: text("context").map(String::from),
        };
        all.push(Vector { algorithm: a, message, bits, inputs, digest, place });
    }
    all
}

/// Checks a bit message in one piece, finalized twice, reused in pieces of bits and bytes that start anywhere, and
/// cloned in the middle. Returns how many digests were compared.
fn check_bits(a: Engine, v: &Vector, bits: usize, random: &mut Random) -> usize {
    let (function, expect) = (a.algorithm(), &v.digest[..]);
    let place = format!("{} {a:?}, {bits} bits", v.place);
    let mut h = a.hasher();
    h.update_bits(&v.message, bits as u64).unwrap();
    assert_eq!(h.finalize().as_bytes(), expect, "{place}, at once");
    assert_eq!(h.finalize().as_bytes(), expect, "{place}, finalized twice");
    h.reset();
    h.update(&v.message[..bits / 8]);
    h.update_bits(&v.message[bits / 8..], bits as u64 % 8).unwrap();
    assert_eq!(h.finalize().as_bytes(), expect, "{place}, bytes and bits");
    h.reset();
    let mut twin = h.clone();
    let mut at = 0;
    while at < bits {
        let n = (1 + random.below(1 + bits / 2)).min(bits - at);
        if random.below(2) == 0 && n >= 8 {
            h.update(bits_of(function, &v.message, at, n / 8 * 8));
            at += n / 8 * 8;
        } else {
            h.update_bits(bits_of(function, &v.message, at, n), n as u64).unwrap();
            at += n;
        }
        if random.below(2) == 0 {
            twin = h.clone();
        } else {
            twin.clone_from(&h);
        }
    }
    assert_eq!(h.finalize().as_bytes(), expect, "{place}, in pieces");
    assert_eq!(twin.finalize().as_bytes(), expect, "{place}, cloned");
    if function.is_extendable() {
        let mut out = vec![0; expect.len()];
        h.finalize_xof().unwrap().fill(&mut out);
        assert_eq!(out, expect, "{place}, read");
    }
    5
}

#[test]
fn every_vector_on_every_kernel() {
    let mut skipped = Skipped::default();
    let vectors = read(&mut skipped);
    let mut kernels_of = BTreeMap::new();
    let mut covered = BTreeSet::new();
    let mut random = Random::new(1);
    let mut checks = 0usize;
    for v in &vectors {
        let base = v.algorithm.base_name();
        covered.insert(base);
        let names = kernels_of.entry(base).or_insert_with(|| {
            let base: Algorithm = base.parse().unwrap();
            on_every_kernel(base).iter().map(|a| a.forced_kernel().unwrap()).collect::<Vec<_>>()
        });
        for name in names {
            let a = v.algorithm.with_kernel(name).unwrap();
            if let Some(bits) = v.bits {
                checks += check_bits(a, v, bits, &mut random);
                continue;
            }
            let expect = &v.digest[..];
            let place = format!("{} {a:?}, {} bytes", v.place, v.message.len());
            if v.inputs.plain() {
                assert_eq!(a.digest(&v.message).as_bytes(), expect, "{place}, one-shot");
            }
            let mut h = v.inputs.hasher(a);
            h.update(&v.message);
            assert_eq!(h.finalize().as_bytes(), expect, "{place}, streamed at once");
            assert_eq!(h.finalize().as_bytes(), expect, "{place}, finalized twice");
            // Reused, misaligned, in random pieces, cloned in the middle.
            h.reset();
            let mut shifted = vec![0; 1 + random.below(63)];
            let start = shifted.len();
            shifted.extend_from_slice(&v.message);
            let mut rest = &shifted[start..];
            let mut twin = h.clone();
            while !rest.is_empty() {
                let n = rest.len().min(1 + random.below(1 + v.message.len() / 2));
                h.update(&rest[..n]);
                twin = h.clone();
                rest = &rest[n..];
            }
            assert_eq!(h.finalize().as_bytes(), expect, "{place}, in pieces");
            assert_eq!(twin.finalize().as_bytes(), expect, "{place}, cloned");
            checks += 5;
        }
    }
    for a in Algorithm::all() {
        assert!(covered.contains(a.base_name()), "{a} has no vectors");
    }
    let bits = vectors.iter().filter(|v| v.bits.is_some()).count();
    println!(
        "{} vectors, {bits} of them of bits, {checks} checks; skipped: {} long, {} for the tier",
        vectors.len(),
        skipped.long,
        skipped.sampled,
    );
    // Every line was run or is counted as skipped.
    let lines = lines();
    let all = lines.iter().filter(|(_, v)| !v["monte"].is_string()).count();
    assert_eq!(vectors.len() + skipped.long + skipped.sampled, all);
    assert!(tier() == Tier::Quick || skipped.sampled == 0);
    // Bit messages are never too long.
    let of_bits = lines.iter().filter(|(_, v)| v["bit_length"].is_number()).count();
    assert!(of_bits >= OWN.1 && (bits == of_bits || tier() == Tier::Quick && bits < of_bits));
}

/// Checks the number of vectors in the repository, to the line.
#[test]
fn the_repositorys_vectors_are_all_there() {
    let own = lines_in(&own_folder());
    let chains = own.iter().filter(|(_, v)| v["monte"].is_string()).count();
    let bits = own.iter().filter(|(_, v)| v["bit_length"].is_number()).count();
    assert_eq!((own.len() - chains - bits, bits, chains), OWN);
    // Every cryptographic algorithm has a chain.
    let with_chain: BTreeSet<&str> = own
        .iter()
        .filter(|(_, v)| v["monte"].is_string())
        .map(|(_, v)| v["algorithm"].as_str().unwrap().parse::<Algorithm>().unwrap().base_name())
        .collect();
    for a in Algorithm::all().filter(|a| a.security() != Security::NotCryptographic) {
        assert!(with_chain.contains(a.base_name()), "{a} has no chain");
    }
    // Algorithms without bit vectors have their padding checked bit by bit in the library itself.
    let of_bits: BTreeSet<&str> = own
        .iter()
        .filter(|(_, v)| v["bit_length"].is_number())
        .map(|(_, v)| v["algorithm"].as_str().unwrap().parse::<Algorithm>().unwrap().base_name())
        .collect();
    let without: Vec<&str> =
        Algorithm::all().filter(|a| a.takes_bits()).map(|a| a.base_name()).filter(|n| !of_bits.contains(n)).collect();
    assert_eq!(without, ["md4", "sha0", "ripemd128", "ripemd160", "ripemd256", "ripemd320", "sm3"]);
}

#[test]
fn all_vectors_at_once_in_the_mill() {
    let mut groups: BTreeMap<String, (Algorithm, Vec<&Vector>)> = BTreeMap::new();
    let vectors = read(&mut Skipped::default());
    for v in vectors.iter().filter(|v| v.inputs.plain() && v.bits.is_none()) {
        groups.entry(v.algorithm.name().into_owned()).or_insert((v.algorithm, Vec::new())).1.push(v);
    }
    for (a, group) in groups.values() {
        let messages: Vec<&[u8]> = group.iter().map(|v| &v.message[..]).collect();
        for a in on_every_kernel(*a).into_iter().chain([(*a).into()]) {
            let digests = a.digest_many(&messages);
            assert_eq!(digests.len(), group.len());
            for (v, d) in group.iter().zip(&digests) {
                assert_eq!(d, v.digest, "{} {a:?} among {} messages", v.place, group.len());
            }
        }
    }
}

/// The Monte Carlo chains of NIST's test suites: on every kernel in the long tier, otherwise on the preferred one.
#[test]
fn monte_carlo() {
    let rounds = match tier() {
        Tier::Quick => 2,
        Tier::Usual => 10,
        Tier::Long => 100,
    };
    let mut run = 0;
    for (place, v) in lines() {
        let Some(kind) = v["monte"].as_str() else { continue };
        let a: Algorithm = v["algorithm"].as_str().unwrap().parse().unwrap_or_else(|e| panic!("{place}: {e}"));
        let all = if tier() == Tier::Long { on_every_kernel(a) } else { vec![a.into()] };
        let rounds = rounds.min(v["verified_rounds"].as_u64().unwrap() as usize);
        for a in all {
            let compared = chain(a, kind, &v, rounds, &place);
            assert!(compared > 0, "{place}: no checkpoint in {rounds} rounds");
        }
        run += 1;
    }
    println!("{run} chains of {rounds} rounds");
    assert!(run >= OWN.2);
}

/// Runs a chain and returns how many of its checkpoints it reached.
fn chain(a: Engine, kind: &str, v: &Value, rounds: usize, place: &str) -> usize {
    let mut compared = 0;
    let mut d = unhex(v["seed_hex"].as_str().unwrap());
    let mut message = d.clone();
    for round in 0..rounds {
        match kind {
            "cavp-sha1-sha2" => {
                let mut last = [d.clone(), d.clone(), d.clone()];
                for _ in 0..1000 {
                    let next = a.digest(&last.concat());
                    last.rotate_left(1);
                    last[2] = next.as_bytes().to_vec();
                }
                d = last[2].clone();
            }
            "cavp-sha3" => {
                for _ in 0..1000 {
                    d = a.digest(&d).as_bytes().to_vec();
                }
            }
            "nist-sha3-2008" => {
                for _ in 0..1000 {
                    d = a.digest(&message).as_bytes().to_vec();
                    let mut longer = d.clone();
                    longer.extend_from_slice(&message);
                    longer.truncate(128);
                    message = longer;
                }
            }
            other => panic!("{place}: unknown chain {other}"),
        }
        if let Some(expect) = v["checkpoints"][round.to_string()].as_str() {
            assert_eq!(d, unhex(expect), "{place} {a:?}, round {round}");
            compared += 1;
        }
    }
    compared
}

/// The vectors of up to 1 GiB, once per algorithm on the preferred kernel.
#[test]
fn long_messages() {
    if tier() != Tier::Long {
        println!("skipped: messages over 16 MiB run in the long tier");
        return;
    }
    let mut count = 0;
    for (place, v) in lines() {
        if v["message_pattern"].as_str() != Some("repeat") {
            continue;
        }
        let a: Algorithm = v["algorithm"].as_str().unwrap().parse().unwrap_or_else(|e| panic!("{place}: {e}"));
        let digest = unhex(v["digest_hex"].as_str().unwrap());
        let unit = unhex(v["unit_hex"].as_str().unwrap());
        let total = unit.len() * v["count"].as_u64().unwrap() as usize;
        let piece = unit.repeat((1 << 20) / unit.len() + 1);
        let mut h = Hasher::new(a.with_digest_len(digest.len()).unwrap());
        let whole = piece.len();
        for _ in 0..total / whole {
            h.update(&piece);
        }
        h.update(&piece[..total % whole]);
        assert_eq!(h.finalize().as_bytes(), digest, "{place} {a}");
        count += 1;
    }
    println!("{count} long vectors");
}
