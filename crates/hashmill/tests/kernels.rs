//! Every kernel against `portable`, and `portable` against implementations that share no line with ours.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;
#[path = "common/naive_snefru.rs"]
mod naive_snefru;
#[path = "common/naive_tiger.rs"]
mod naive_tiger;

use common::{Random, Tier, crcs, naive, on_every_kernel, tier};
use hashmill::{Algorithm, Hasher, Mill, Open, Refill, Source, digest_many};

/// What another implementation says; nothing for algorithms it lacks.
fn oracle(name: &str, m: &[u8]) -> Option<Vec<u8>> {
    fn of<D: sha2::Digest>(m: &[u8]) -> Option<Vec<u8>> {
        Some(D::digest(m).to_vec())
    }
    fn xof<D: shake::digest::ExtendableOutput + shake::digest::Update + Default>(
        m: &[u8],
        n: usize,
    ) -> Option<Vec<u8>> {
        let mut h = D::default();
        h.update(m);
        let mut out = vec![0; n];
        shake::digest::XofReader::read(&mut h.finalize_xof(), &mut out);
        Some(out)
    }
    /// An older release of the traits.
    fn blake<D: blake_hash::Digest>(m: &[u8]) -> Option<Vec<u8>> {
        Some(D::digest(m).to_vec())
    }
    match name {
        "md2" => of::<md2::Md2>(m),
        "md5" => of::<md5::Md5>(m),
        "sha1" => of::<sha1::Sha1>(m),
        "sha224" => of::<sha2::Sha224>(m),
        "sha256" => of::<sha2::Sha256>(m),
        "sha384" => of::<sha2::Sha384>(m),
        "sha512" => of::<sha2::Sha512>(m),
        "sha512-224" => of::<sha2::Sha512_224>(m),
        "sha512-256" => of::<sha2::Sha512_256>(m),
        "sha3-224" => of::<sha3::Sha3_224>(m),
        "sha3-256" => of::<sha3::Sha3_256>(m),
        "sha3-384" => of::<sha3::Sha3_384>(m),
        "sha3-512" => of::<sha3::Sha3_512>(m),
        "keccak224" => of::<sha3::Keccak224>(m),
        "keccak256" => of::<sha3::Keccak256>(m),
        "keccak384" => of::<sha3::Keccak384>(m),
        "keccak512" => of::<sha3::Keccak512>(m),
        "shake128" => xof::<shake::Shake128>(m, 32),
        "shake256" => xof::<shake::Shake256>(m, 64),
        "blake224" => blake::<blake_hash::Blake224>(m),
        "blake256" => blake::<blake_hash::Blake256>(m),
        "blake384" => blake::<blake_hash::Blake384>(m),
        "blake512" => blake::<blake_hash::Blake512>(m),
        "groestl224" => of::<groestl::Groestl224>(m),
        "groestl256" => of::<groestl::Groestl256>(m),
        "groestl384" => of::<groestl::Groestl384>(m),
        "groestl512" => of::<groestl::Groestl512>(m),
        "jh224" => of::<jh::Jh224>(m),
        "jh256" => of::<jh::Jh256>(m),
        "jh384" => of::<jh::Jh384>(m),
        "jh512" => of::<jh::Jh512>(m),
        "blake2b-512" => of::<blake2::Blake2b512>(m),
        "blake2s-256" => of::<blake2::Blake2s256>(m),
        "siphash-2-4" => Some(siphasher::sip::SipHasher24::new().hash(m).to_le_bytes().to_vec()),
        "siphash-2-4-128" => Some(siphasher::sip128::SipHasher24::new().hash(m).as_bytes().to_vec()),
        "tiger192-3" => of::<tiger::Tiger>(m),
        "tiger160-3" => of::<tiger::Tiger>(m).map(|d| d[..20].to_vec()),
        "tiger128-3" => of::<tiger::Tiger>(m).map(|d| d[..16].to_vec()),
        "tiger2" => of::<tiger::Tiger2>(m),
        "tiger192-4" => Some(naive_tiger::tiger(m, 4).to_vec()),
        "tiger160-4" => Some(naive_tiger::tiger(m, 4)[..20].to_vec()),
        "tiger128-4" => Some(naive_tiger::tiger(m, 4)[..16].to_vec()),
        "snefru128" => Some(naive_snefru::snefru(m, 16)),
        "snefru256" => Some(naive_snefru::snefru(m, 32)),
        "whirlpool" => of::<whirlpool::Whirlpool>(m),
        "gost94" => of::<gost94::Gost94Test>(m),
        "gost94-cryptopro" => of::<gost94::Gost94CryptoPro>(m),
        "streebog256" => of::<streebog::Streebog256>(m),
        "streebog512" => of::<streebog::Streebog512>(m),
        "sm3" => of::<sm3::Sm3>(m),
        "crc32" => Some(crc32fast::hash(m).to_be_bytes().to_vec()),
        "crc32c" => Some(crc32c_bit_by_bit(m).to_be_bytes().to_vec()),
        "crc32-php" => crcs::crc("crc32-bzip2", m).map(|d| d.into_iter().rev().collect()),
        "cksum" => {
            let length = m.len().to_le_bytes();
            let used = length.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
            crcs::crc("crc32-cksum", &[m, &length[..used]].concat())
        }
        "blake3" => Some(blake3::hash(m).as_bytes().to_vec()),
        "xxh64" => Some(xxhash_rust::xxh64::xxh64(m, 0).to_be_bytes().to_vec()),
        "xxh3" => Some(xxhash_rust::xxh3::xxh3_64(m).to_be_bytes().to_vec()),
        "xxh128" => Some(xxhash_rust::xxh3::xxh3_128(m).to_be_bytes().to_vec()),
        "xxh32" => Some(xxhash_rust::xxh32::xxh32(m, 0).to_be_bytes().to_vec()),
        "murmur3a" => Some(murmur3::murmur3_32(&mut &*m, 0).unwrap().to_be_bytes().to_vec()),
        "murmur3c" => {
            let h = murmur3::murmur3_x86_128(&mut &*m, 0).unwrap().to_le_bytes();
            Some(h.chunks(4).flat_map(|word| word.iter().rev().copied()).collect())
        }
        "murmur3f" => {
            let h = murmur3::murmur3_x64_128(&mut &*m, 0).unwrap().to_le_bytes();
            Some(h.chunks(8).flat_map(|word| word.iter().rev().copied()).collect())
        }
        "adler32" => Some(adler2::adler32_slice(m).to_be_bytes().to_vec()),
        "fletcher16" => Some(naive::fletcher(m, 1)),
        "fletcher32" => Some(naive::fletcher(m, 2)),
        "fletcher64" => Some(naive::fletcher(m, 4)),
        "sum-bsd" => Some(naive::sum_bsd(m).to_be_bytes().to_vec()),
        "sum-sysv" => Some(naive::sum_sysv(m).to_be_bytes().to_vec()),
        "fnv132" => Some(naive::fnv(m, 32, false)),
        "fnv1a32" => Some(naive::fnv(m, 32, true)),
        "fnv164" => Some(naive::fnv(m, 64, false)),
        "fnv1a64" => Some(naive::fnv(m, 64, true)),
        "joaat" => Some(naive::joaat(m).to_be_bytes().to_vec()),
        _ => crcs::crc(name, m),
        "skein256-256" => of::<skein::Skein256_256>(m),
        "skein512-512" => of::<skein::Skein512_512>(m),
        "skein1024-1024" => of::<skein::Skein1024_1024>(m),
        "cubehash512" => {
            // Its revision 2 is 160+16/32+160.
            let mut h = cubehash::CubeHashBest::new(cubehash::CubeHashParams { revision: 2, hash_len_bits: 512 });
            h.update(m);
            Some(h.finalize())
        }
        _ => None,
    }
}

/// The definition: one bit at a time.
fn crc32c_bit_by_bit(m: &[u8]) -> u32 {
    let mut r = u32::MAX;
    for &b in m {
        r ^= u32::from(b);
        for _ in 0..8 {
            r = if r & 1 == 1 { r >> 1 ^ 0x82f6_3b78 } else { r >> 1 };
        }
    }
    !r
}

/// Lengths at which something changes: blocks, padding, buffers.
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
            let expect = oracle(&a.name(), &m).unwrap_or_else(|| panic!("{a}: no independent implementation"));
            assert_eq!(portable.digest(&m).as_bytes(), expect, "{a}, {n} bytes");
            let mut h = Hasher::new(portable);
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

/// XXH3 with secrets of the caller's, whose length changes the blocks.
#[test]
fn xxh3_with_secrets() {
    use xxhash_rust::xxh3::{xxh3_64_with_secret, xxh3_128_with_secret};
    let mut random = Random::new(9);
    let (xxh3, xxh128): (Algorithm, Algorithm) = ("xxh3".parse().unwrap(), "xxh128".parse().unwrap());
    for secret in [136, 137, 143, 144, 192, 199, 700] {
        let secret = random.bytes(secret);
        for n in lengths() {
            let m = random.bytes(n);
            let cut = random.below(n + 1);
            for (a, expect) in [
                (xxh3, xxh3_64_with_secret(&m, &secret).to_be_bytes().to_vec()),
                (xxh128, xxh3_128_with_secret(&m, &secret).to_be_bytes().to_vec()),
            ] {
                for k in on_every_kernel(a) {
                    let mut h = Hasher::with_key(k, &secret).unwrap();
                    h.update(&m[..cut]);
                    let mut h = h.clone();
                    h.update(&m[cut..]);
                    assert_eq!(h.finalize().as_bytes(), expect, "{k:?}, {} bytes, {n} split at {cut}", secret.len());
                }
            }
        }
    }
    assert!(Hasher::with_key(xxh3, &[0; 135]).is_err());
    assert!(Hasher::with_key(xxh3.with_seed(1).unwrap(), &[0; 136]).is_err());
}

/// 1 to 2N + 1 messages of unequal lengths, empty ones among them.
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
        for k in on_every_kernel(a).into_iter().chain([a]) {
            for n in (1..=most).step_by(step).chain([most - 1, most]) {
                let digests = digest_many(k, &messages[..n]);
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

/// Messages that arrive in windows, with pauses: what reading files through the mill looks like.
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
        for k in on_every_kernel(a).into_iter().chain([a]) {
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

/// The mill really runs the kernel it was told to run, and steps down when few messages are left.
#[test]
fn the_kernel_asked_for_is_the_kernel_that_runs() {
    let messages: Vec<Vec<u8>> = (1..=40).map(|i| vec![7; 640 * i]).collect();
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
    // 40 messages, then fewer and fewer: more than one kernel has work where there are lanes.
    let a: Algorithm = "md5".parse().unwrap();
    let usable = a.kernels().iter().filter(|k| k.available && k.from_messages.is_some_and(|n| n <= 40)).count();
    let (mill, blocks) = grind(a, &messages, 64);
    let used = mill.work().iter().filter(|(_, n)| *n > 0).count();
    assert!(used == usable.min(used.max(2)) || usable == 1, "{:?}", mill.work());
    assert_eq!(mill.work().iter().map(|(_, n)| n).sum::<u64>(), blocks);
}

fn grind(a: Algorithm, messages: &[Vec<u8>], slots: usize) -> (Mill, u64) {
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

/// Counters beyond 32 bits: a message of 4 GiB and some, streamed, on every kernel that hashes fast enough to wait for.
#[test]
fn messages_over_4_gib() {
    if tier() != Tier::Long {
        println!("skipped: messages over 4 GiB run in the long tier");
        return;
    }
    let chunk = Random::new(8).bytes(1 << 20);
    for a in Algorithm::all().filter(|a| a.name() != "md2") {
        let mut ours = Hasher::new(a);
        for _ in 0..4097 {
            ours.update(&chunk);
        }
        let mut portable = Hasher::new(a.with_kernel("portable").unwrap());
        for _ in 0..4097 {
            portable.update(&chunk);
        }
        assert_eq!(ours.finalize(), portable.finalize(), "{a}");
        if let Some(expect) = streamed_oracle(&a.name(), &chunk, 4097) {
            assert_eq!(ours.finalize().as_bytes(), expect, "{a}");
        }
    }
}

fn streamed_oracle(name: &str, chunk: &[u8], times: usize) -> Option<Vec<u8>> {
    fn of<D: sha2::Digest>(chunk: &[u8], times: usize) -> Option<Vec<u8>> {
        let mut h = D::new();
        for _ in 0..times {
            h.update(chunk);
        }
        Some(h.finalize().to_vec())
    }
    match name {
        "md5" => of::<md5::Md5>(chunk, times),
        "sha1" => of::<sha1::Sha1>(chunk, times),
        "sha256" => of::<sha2::Sha256>(chunk, times),
        "sha512" => of::<sha2::Sha512>(chunk, times),
        "blake2b-512" => of::<blake2::Blake2b512>(chunk, times),
        _ => None,
    }
}
