//! Every kernel against `portable`, and `portable` against implementations that share no code with ours.

use crate::common::oracle::{oracle, streamed};
use crate::common::{Random, Tier, on_every_kernel, required_kernels, tier};
use hashmill::unstable::{Mill, Open, Refill, Source};
use hashmill::{Algorithm, Engine, Hasher};

/// Returns lengths around the boundaries of blocks, padding and buffers.
fn lengths() -> Vec<usize> {
    let mut all: Vec<usize> = (0..=300).collect();
    for edge in [512, 1023, 1024, 1152, 2048, 4096, 8192, 65536] {
        all.extend(edge - 2..=edge + 2);
    }
    if tier() == Tier::Quick {
        all.retain(|&n| n < 150 || n % 7 == 0);
    }
    all
}

#[test]
fn portable_agrees_with_independent_implementations() {
    let mut random = Random::new(2);
    for a in Algorithm::all() {
        let portable = a.with_kernel("portable").unwrap();
        for n in lengths() {
            let m = random.bytes(n);
            let Some(expect) = oracle(&a.name(), &m) else {
                if cfg!(target_arch = "x86_64") {
                    panic!("{a}: no independent implementation");
                }
                println!("skipped: {a} has no independent implementation on this architecture");
                break;
            };
            assert_eq!(portable.digest(&m).as_bytes(), expect, "{a}, {n} bytes");
            let mut h = portable.hasher();
            let cut = random.below(n + 1);
            h.update(&m[..cut]);
            h.update(&m[cut..]);
            assert_eq!(h.finalize().as_bytes(), expect, "{a}, {n} bytes split at {cut}");
        }
    }
}

#[test]
fn every_kernel_agrees_with_portable() {
    let mut random = Random::new(3);
    for a in Algorithm::all() {
        let portable = a.with_kernel("portable").unwrap();
        let kernels = on_every_kernel(a);
        for n in lengths() {
            let shift = random.below(64);
            let bytes = random.bytes(n + shift);
            let m = &bytes[shift..];
            let expect = portable.digest(m);
            for k in &kernels {
                assert_eq!(k.digest(m), expect, "{k:?}, {n} bytes");
            }
        }
    }
}

/// Linux's names of CPU features that differ from rustc's.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
const KERNELS_WORDS: [(&str, &str); 3] = [("sse4.1", "sse4_1"), ("sse4.2", "sse4_2"), ("sha", "sha_ni")];

/// A kernel is available exactly if, according to the operating system, the CPU has all the features it needs.
#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn kernels_run_where_the_cpu_has_what_they_need() {
    if std::env::var_os("HASHMILL_TEST_EMULATED").is_some() {
        println!("skipped: /proc/cpuinfo is of the machine around the emulated one");
        return;
    }
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap();
    let flags: Vec<&str> = info.lines().find(|l| l.starts_with("flags")).unwrap().split_whitespace().skip(2).collect();
    let has = |feature: &str| {
        let word = KERNELS_WORDS.iter().find(|(ours, _)| *ours == feature).map_or(feature, |(_, word)| word);
        flags.contains(&word)
    };
    let mut seen = std::collections::BTreeSet::new();
    for a in Algorithm::all() {
        for k in a.kernels() {
            let lacks: Vec<&str> = k.needs.split(',').filter(|f| !f.is_empty() && !has(f)).collect();
            assert_eq!(k.available, lacks.is_empty(), "{a}/{}: the CPU lacks {lacks:?}", k.name);
            seen.extend(k.needs.split(',').filter(|f| !f.is_empty()).map(str::to_string));
        }
    }
    // A misspelled feature would be missing everywhere.
    assert!(["sse2", "ssse3", "sse4.1", "sse4.2"].iter().all(|f| seen.contains(*f) && has(f)), "{seen:?}");
}

/// XXH3 with secrets supplied by the caller, whose length changes the blocks.
#[test]
fn xxh3_with_secrets() {
    use xxhash_rust::xxh3::{xxh3_64_with_secret, xxh3_128_with_secret};
    let mut random = Random::new(9);
    let (xxh3, xxh128): (Algorithm, Algorithm) = ("xxh3".parse().unwrap(), "xxh128".parse().unwrap());
    for secret in [136, 137, 143, 144, 192, 193, 199, 200, 700] {
        let secret = random.bytes(secret);
        // Whole blocks in one piece and in pieces of a stripe: a secret with as many words as the default one may still
        // end differently.
        let m = random.bytes(2049);
        let expect = xxh3_64_with_secret(&m, &secret).to_be_bytes();
        for k in on_every_kernel(xxh3) {
            for piece in [m.len(), 1025, 64] {
                let mut h = k.builder().key(&secret).build().unwrap();
                m.chunks(piece).for_each(|piece| h.update(piece));
                assert_eq!(h.finalize().as_bytes(), expect, "{k:?}, {} bytes, pieces of {piece}", secret.len());
            }
        }
        for n in lengths() {
            let m = random.bytes(n);
            let cut = random.below(n + 1);
            for (a, expect) in [
                (xxh3, xxh3_64_with_secret(&m, &secret).to_be_bytes().to_vec()),
                (xxh128, xxh3_128_with_secret(&m, &secret).to_be_bytes().to_vec()),
            ] {
                for k in on_every_kernel(a) {
                    let mut h = k.builder().key(&secret).build().unwrap();
                    h.update(&m[..cut]);
                    let mut h = h.clone();
                    h.update(&m[cut..]);
                    assert_eq!(h.finalize().as_bytes(), expect, "{k:?}, {} bytes, {n} split at {cut}", secret.len());
                }
            }
        }
    }
    assert!(Hasher::builder(xxh3).key(&[0; 135]).build().is_err());
    assert!(Hasher::builder(xxh3.with_seed(1).unwrap()).key(&[0; 136]).build().is_err());
}

/// 1 to 2N + 1 messages of unequal lengths, including empty ones.
#[test]
fn every_number_of_messages_in_lanes() {
    let mut random = Random::new(4);
    for a in Algorithm::all() {
        let portable = a.with_kernel("portable").unwrap();
        let most = 2 * Mill::lanes(a) + 1;
        let messages: Vec<Vec<u8>> = (0..most)
            .map(|i| {
                let n = match i % 5 {
                    0 => random.below(3),
                    1 => a.block_len() * random.below(4),
                    2 => random.below(1000),
                    3 => 55 + random.below(90),
                    _ => random.below(5000),
                };
                random.bytes(n)
            })
            .collect();
        let expect: Vec<_> = messages.iter().map(|m| portable.digest(m)).collect();
        let step = if tier() == Tier::Quick { 1 + most / 9 } else { 1 + most / 70 };
        for k in on_every_kernel(a).into_iter().chain([a.into()]) {
            for n in (1..=most).step_by(step).chain([most - 1, most]) {
                let digests = k.digest_many(&messages[..n]);
                for i in 0..n {
                    assert_eq!(
                        &digests[i],
                        expect[i].as_bytes(),
                        "{k:?}: message {i} of {n}, {} bytes",
                        messages[i].len()
                    );
                }
            }
        }
    }
}

/// Messages that arrive in windows, with pauses, as files do when they are read through the mill.
struct Windows<'a> {
    messages: &'a [Vec<u8>],
    next: usize,
    slots: Vec<Option<(usize, usize, usize)>>,
    digests: Vec<Vec<u8>>,
    random: Random,
    pauses: bool,
}

impl Source for Windows<'_> {
    fn open(&mut self, slot: usize) -> Open {
        if self.next == self.messages.len() {
            return Open::End;
        }
        if self.pauses && self.random.below(4) == 0 {
            return Open::Later;
        }
        self.slots[slot] = Some((self.next, 0, 0));
        self.next += 1;
        Open::Message(self.messages[self.next - 1].len() as u64)
    }

    fn window(&self, slot: usize) -> &[u8] {
        let (i, from, to) = self.slots[slot].unwrap();
        &self.messages[i][from..to]
    }

    fn refill(&mut self, slot: usize, keep: usize) -> Refill {
        let (i, from, to) = self.slots[slot].as_mut().unwrap();
        assert!(keep <= *to - *from);
        *from = *to - keep;
        if *to == self.messages[*i].len() {
            return Refill::End;
        }
        if self.pauses && self.random.below(3) == 0 {
            return Refill::Later;
        }
        *to = (*to + 1 + self.random.below(700)).min(self.messages[*i].len());
        Refill::More
    }

    fn done(&mut self, slot: usize, digest: &[u8]) {
        let (i, ..) = self.slots[slot].take().unwrap();
        assert!(self.digests[i].is_empty());
        self.digests[i] = digest.to_vec();
    }
}

#[test]
fn the_mill_takes_messages_in_pieces_and_with_pauses() {
    let mut random = Random::new(5);
    let count = if tier() == Tier::Quick { 20 } else { 150 };
    let messages: Vec<Vec<u8>> = (0..count)
        .map(|_| {
            let n = random.below(3000);
            random.bytes(n)
        })
        .collect();
    for a in Algorithm::all() {
        let portable = a.with_kernel("portable").unwrap();
        let expect: Vec<_> = messages.iter().map(|m| portable.digest(m)).collect();
        for k in on_every_kernel(a).into_iter().chain([a.into()]) {
            for pauses in [false, true] {
                let mut mill = Mill::new(k, 48);
                let mut source = Windows {
                    messages: &messages,
                    next: 0,
                    slots: vec![None; mill.slots()],
                    digests: vec![Vec::new(); messages.len()],
                    random: Random::new(6),
                    pauses,
                };
                let mut runs = 0;
                while source.next < messages.len() || source.slots.iter().any(Option::is_some) {
                    mill.run(&mut source);
                    runs += 1;
                    assert!(pauses || runs == 1, "{k:?} stopped without a pause");
                    assert!(runs < 100_000, "{k:?} does not come to an end");
                }
                for (i, d) in source.digests.iter().enumerate() {
                    assert_eq!(d, expect[i].as_bytes(), "{k:?}, message {i}, {} bytes", messages[i].len());
                }
            }
        }
    }
}

/// A kernel that must run here must not silently disappear from every algorithm's list.
#[test]
fn required_kernels_are_listed() {
    for name in required_kernels().iter().filter(|n| *n != "all") {
        let name = name.trim_start_matches('!');
        assert!(
            Algorithm::all().any(|a| a.kernels().iter().any(|k| k.name == name)),
            "no algorithm has a kernel {name}"
        );
    }
}

/// The mill runs the requested kernel, and switches to smaller ones when few messages are left.
#[test]
fn the_kernel_asked_for_is_the_kernel_that_runs() {
    let messages: Vec<Vec<u8>> = (1..=40).map(|i| vec![7; 160 * i]).collect();
    for a in Algorithm::all() {
        for k in on_every_kernel(a) {
            let (mill, _) = grind(k, &messages, 64);
            let work: Vec<_> = mill.work().into_iter().filter(|(_, blocks)| *blocks > 0).collect();
            if !mill.work().is_empty() {
                assert_eq!(work.len(), 1);
                assert_eq!(Some(work[0].0), k.forced_kernel());
            }
        }
    }
    // With 40 messages that end one by one, more than one kernel has work, if there are lanes.
    let a: Algorithm = "md5".parse().unwrap();
    let kernels = a.kernels();
    let usable: Vec<_> = kernels.iter().filter(|k| k.available && k.from_messages.is_some_and(|n| n <= 40)).collect();
    let lanes = usable.iter().any(|k| k.lanes > 1);
    let (mill, blocks) = grind(a, &messages, 64);
    let used = mill.work().iter().filter(|(_, n)| *n > 0).count();
    assert!(used <= usable.len() && if lanes { used > 1 } else { used == 1 }, "{:?}", mill.work());
    assert_eq!(mill.work().iter().map(|(_, n)| n).sum::<u64>(), blocks);
}

fn grind(a: impl Into<Engine>, messages: &[Vec<u8>], slots: usize) -> (Mill, u64) {
    let mut mill = Mill::new(a, slots);
    let mut source = Windows {
        messages,
        next: 0,
        slots: vec![None; mill.slots()],
        digests: vec![Vec::new(); messages.len()],
        random: Random::new(7),
        pauses: false,
    };
    mill.run(&mut source);
    let blocks = messages.iter().map(|m| (m.len() as u64 + 9).div_ceil(64)).sum();
    (mill, blocks)
}

/// Counters beyond 32 bits: a streamed message of somewhat more than 4 GiB. One algorithm for every way of counting, on
/// the preferred kernel, compared with another implementation.
#[test]
fn messages_over_4_gib() {
    if tier() != Tier::Long {
        println!("skipped: messages over 4 GiB run in the long tier");
        return;
    }
    const PIECES: usize = 4097;
    let chunk = Random::new(8).bytes(1 << 20);
    for name in [
        "md4", "md5", "sha1", "ripemd160", "sha256", "sha512", "sha3-256", "shake128", "blake256", "blake512",
        "blake2b-512", "blake2s-256", "blake3", "groestl256", "groestl512", "jh512", "skein256-256", "skein512-512",
        "skein1024-1024", "cubehash512", "tiger192-3", "whirlpool", "gost94", "streebog512", "sm3", "siphash-2-4",
        "crc32", "adler32", "xxh32", "xxh64", "xxh3", "xxh128",
    ] {
        let a: Algorithm = name.parse().unwrap();
        let start = std::time::Instant::now();
        let (mut ours, mut theirs) = (Hasher::new(a), streamed(name).unwrap());
        for _ in 0..PIECES {
            ours.update(&chunk);
            theirs.update(&chunk);
        }
        assert_eq!(ours.finalize().as_bytes(), theirs.finish(), "{a}");
        println!("{a}: {:.0?}", start.elapsed());
    }
}
