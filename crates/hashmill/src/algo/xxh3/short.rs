//! Messages of at most [`SHORT`] bytes.

#[cfg(doc)]
use super::SHORT;
use super::{P32_2, S, avalanche, fold, halves, high, join, low, product, word_at};
use crate::algo::xxh64::{P1, P2, P4, avalanche as avalanche64};
use zeroize::Zeroize;

const MIX2: u64 = 0x9fb2_1c65_1e98_df25;

/// The hash of a message of at most [`SHORT`] bytes.
#[inline(always)]
pub(super) fn short64(k: &ShortSecret, seed: u64, m: &[u8]) -> u64 {
    match m.len() {
        0..=16 => upto16_64(k, seed, m),
        17..=128 => upto128_64(k, seed, m),
        _ => upto240_64(k, seed, m),
    }
}

/// The hash of a message of at most [`SHORT`] bytes.
#[inline(always)]
pub(super) fn short128(k: &ShortSecret, seed: u64, m: &[u8]) -> u128 {
    match m.len() {
        0..=16 => upto16_128(k, seed, m),
        17..=128 => upto128_128(k, seed, m),
        _ => upto240_128(k, seed, m),
    }
}

#[inline(always)]
pub(super) fn upto16_64(k: &ShortSecret, seed: u64, m: &[u8]) -> u64 {
    let len = m.len() as u64;
    if m.len() > 8
        && let (Some(first), Some(last)) = (word64(m.first_chunk()), word64(m.last_chunk()))
    {
        let low = first ^ (k.s[3] ^ k.s[4]).wrapping_add(seed);
        let high = last ^ (k.s[5] ^ k.s[6]).wrapping_sub(seed);
        avalanche(len.wrapping_add(low.swap_bytes()).wrapping_add(high).wrapping_add(fold(low, high)))
    } else if let (Some(first), Some(last)) = (word32(m.first_chunk()), word32(m.last_chunk())) {
        let h = (last | first << 32) ^ (k.s[1] ^ k.s[2]).wrapping_sub(spread(seed));
        let h = (h ^ h.rotate_left(49) ^ h.rotate_left(24)).wrapping_mul(MIX2);
        let h = (h ^ (h >> 35).wrapping_add(len)).wrapping_mul(MIX2);
        h ^ (h >> 28)
    } else if let Some(combined) = three(m) {
        avalanche64(u64::from(combined) ^ (low(k.s[0]) ^ high(k.s[0])).wrapping_add(seed))
    } else {
        avalanche64(seed ^ k.s[7] ^ k.s[8])
    }
}

#[inline(always)]
pub(super) fn upto16_128(k: &ShortSecret, seed: u64, m: &[u8]) -> u128 {
    let len = m.len() as u64;
    if m.len() > 8
        && let (Some(first), Some(last)) = (word64(m.first_chunk()), word64(m.last_chunk()))
    {
        let (mut lo, mut hi) = halves(product(first ^ last ^ (k.s[4] ^ k.s[5]).wrapping_sub(seed), P1));
        lo = lo.wrapping_add((len - 1) << 54);
        let last = last ^ (k.s[6] ^ k.s[7]).wrapping_add(seed);
        hi = hi.wrapping_add(last).wrapping_add(low(last).wrapping_mul(P32_2 - 1));
        lo ^= hi.swap_bytes();
        let (low, high) = halves(product(lo, P2));
        join(avalanche(low), avalanche(high.wrapping_add(hi.wrapping_mul(P2))))
    } else if let (Some(first), Some(last)) = (word32(m.first_chunk()), word32(m.last_chunk())) {
        let keyed = (first | last << 32) ^ (k.s[2] ^ k.s[3]).wrapping_add(spread(seed));
        let (mut lo, mut hi) = halves(product(keyed, P1.wrapping_add(len << 2)));
        hi = hi.wrapping_add(lo << 1);
        lo ^= hi >> 3;
        lo = (lo ^ lo >> 35).wrapping_mul(MIX2);
        join(lo ^ lo >> 28, avalanche(hi))
    } else if let Some(combined) = three(m) {
        let turned = combined.swap_bytes().rotate_left(13);
        join(
            avalanche64(u64::from(combined) ^ (low(k.s[0]) ^ high(k.s[0])).wrapping_add(seed)),
            avalanche64(u64::from(turned) ^ (low(k.s[1]) ^ high(k.s[1])).wrapping_sub(seed)),
        )
    } else {
        join(avalanche64(seed ^ k.s[8] ^ k.s[9]), avalanche64(seed ^ k.s[10] ^ k.s[11]))
    }
}

/// Packs one to three bytes and their number into one word.
#[inline(always)]
fn three(m: &[u8]) -> Option<u32> {
    let (&first, &middle, &last) = (m.first()?, m.get(m.len() >> 1)?, m.last()?);
    Some(u32::from(last) | (m.len() as u32) << 8 | u32::from(first) << 16 | u32::from(middle) << 24)
}

/// The seed for messages of four to eight bytes.
#[inline(always)]
fn spread(seed: u64) -> u64 {
    seed ^ u64::from((seed as u32).swap_bytes()) << 32
}

#[inline(always)]
pub(super) fn upto128_64(k: &ShortSecret, seed: u64, m: &[u8]) -> u64 {
    let mut acc = (m.len() as u64).wrapping_mul(P1);
    // Steps instead of a loop, whose length no branch prediction would learn.
    if m.len() > 32 {
        if m.len() > 64 {
            if m.len() > 96 {
                acc = acc.wrapping_add(ends::<64>(k, seed, m));
            }
            acc = acc.wrapping_add(ends::<48>(k, seed, m));
        }
        acc = acc.wrapping_add(ends::<32>(k, seed, m));
    }
    avalanche(acc.wrapping_add(ends::<16>(k, seed, m)))
}

/// The last 16 of the first `END` bytes and the first 16 of the last `END` bytes, of which there must be as many.
#[inline(always)]
fn ends<const END: usize>(k: &ShortSecret, seed: u64, m: &[u8]) -> u64 {
    let (Some(first), Some(last)) = (m.first_chunk::<END>(), m.last_chunk::<END>()) else { return 0 };
    let (Some(front), Some(back)) = (first.last_chunk(), last.first_chunk()) else { return 0 };
    let [s, t] = &k.pairs[END / 16 - 1];
    mix16(front, s, seed).wrapping_add(mix16(back, t, seed))
}

#[inline(always)]
fn upto128_128(k: &ShortSecret, seed: u64, m: &[u8]) -> u128 {
    let rounds = m.len().div_ceil(32);
    let mut acc = ((m.len() as u64).wrapping_mul(P1), 0);
    // From the middle outwards: the order matters here, unlike for the 64-bit hash.
    let (fronts, backs) = (m.as_chunks::<16>().0, m.as_rchunks::<16>().1);
    let (_, backs) = backs.split_at(backs.len() - rounds);
    for ((front, back), secret) in fronts[..rounds].iter().rev().zip(backs).zip(k.pairs[..rounds].iter().rev()) {
        mix32(&mut acc, front, back, secret, seed);
    }
    end240(acc, m.len() as u64, seed)
}

#[inline(always)]
fn upto240_64(k: &ShortSecret, seed: u64, m: &[u8]) -> u64 {
    let mut acc = (m.len() as u64).wrapping_mul(P1);
    let (head, rest) = m.as_chunks::<16>().0.split_at(8);
    for (piece, s) in head.iter().zip(k.pairs.as_flattened()) {
        acc = acc.wrapping_add(mix16(piece, s, seed));
    }
    acc = avalanche(acc);
    for (piece, s) in rest.iter().zip(k.pairs_at_3.as_flattened()) {
        acc = acc.wrapping_add(mix16(piece, s, seed));
    }
    if let Some(last) = m.last_chunk() {
        acc = acc.wrapping_add(mix16(last, &k.last_pair[1], seed));
    }
    avalanche(acc)
}

#[inline(always)]
fn upto240_128(k: &ShortSecret, seed: u64, m: &[u8]) -> u128 {
    let mut acc = ((m.len() as u64).wrapping_mul(P1), 0);
    let (pieces, _) = m.as_chunks::<16>();
    let (pairs, _) = pieces.as_chunks::<2>();
    let (head, rest) = pairs.split_at(4);
    for ([a, b], secret) in head.iter().zip(&k.pairs) {
        mix32(&mut acc, a, b, secret, seed);
    }
    acc = (avalanche(acc.0), avalanche(acc.1));
    for ([a, b], secret) in rest.iter().zip(&k.pairs_at_3) {
        mix32(&mut acc, a, b, secret, seed);
    }
    if let [.., a, b] = m.as_rchunks::<16>().1 {
        mix32(&mut acc, b, a, &k.last_pair, seed.wrapping_neg());
    }
    end240(acc, m.len() as u64, seed)
}

#[inline(always)]
fn mix16(d: &[u8; 16], s: &[u64; 2], seed: u64) -> u64 {
    let [d0, d1] = two(d);
    fold(d0 ^ s[0].wrapping_add(seed), d1 ^ s[1].wrapping_sub(seed))
}

#[inline(always)]
fn mix32(acc: &mut (u64, u64), a: &[u8; 16], b: &[u8; 16], s: &[[u64; 2]; 2], seed: u64) {
    let ([a0, a1], [b0, b1]) = (two(a), two(b));
    acc.0 = acc.0.wrapping_add(mix16(a, &s[0], seed)) ^ b0.wrapping_add(b1);
    acc.1 = acc.1.wrapping_add(mix16(b, &s[1], seed)) ^ a0.wrapping_add(a1);
}

#[inline(always)]
fn end240(acc: (u64, u64), len: u64, seed: u64) -> u128 {
    let high = acc.0.wrapping_mul(P1).wrapping_add(acc.1.wrapping_mul(P4));
    let high = high.wrapping_add(len.wrapping_sub(seed).wrapping_mul(P2));
    join(avalanche(acc.0.wrapping_add(acc.1)), avalanche(high).wrapping_neg())
}

#[inline(always)]
fn word64(bytes: Option<&[u8; 8]>) -> Option<u64> {
    bytes.map(|b| u64::from_le_bytes(*b))
}

#[inline(always)]
fn word32(bytes: Option<&[u8; 4]>) -> Option<u64> {
    bytes.map(|b| u64::from(u32::from_le_bytes(*b)))
}

/// The two words of sixteen bytes.
#[inline(always)]
fn two(d: &[u8; 16]) -> [u64; 2] {
    let (lo, hi) = halves(u128::from_le_bytes(*d));
    [lo, hi]
}

/// The parts of a secret that short messages read, all in its first 136 bytes.
pub(super) struct ShortSecret {
    s: [u64; 12],
    /// Pairs of 16 bytes, from the start and from byte 3.
    pairs: [[[u64; 2]; 2]; 4],
    pairs_at_3: [[[u64; 2]; 2]; 4],
    /// Mixed with the end of a message of 129 to 240 bytes; the 64-bit hash uses the second half.
    last_pair: [[u64; 2]; 2],
}

impl ShortSecret {
    pub(super) const fn new(words: &[u64]) -> Self {
        let mut s = [0; 12];
        let mut i = 0;
        while i < 12 {
            s[i] = words[i];
            i += 1;
        }
        ShortSecret {
            s,
            pairs: [pair_at(words, 0), pair_at(words, 32), pair_at(words, 64), pair_at(words, 96)],
            pairs_at_3: [pair_at(words, 3), pair_at(words, 35), pair_at(words, 67), pair_at(words, 99)],
            last_pair: pair_at(words, 136 - 17 - 16),
        }
    }

    /// Overwrites a secret that is somebody's.
    pub(super) fn wipe(&mut self) {
        let ShortSecret { s, pairs, pairs_at_3, last_pair } = self;
        s.zeroize();
        for pairs in [pairs, pairs_at_3] {
            pairs.as_flattened_mut().as_flattened_mut().zeroize();
        }
        last_pair.as_flattened_mut().zeroize();
    }
}

/// [`ShortSecret`] of the secret without a seed.
pub(super) static SHORT_SECRET: ShortSecret = ShortSecret::new(&S);

const fn pair_at(words: &[u64], at: usize) -> [[u64; 2]; 2] {
    [[word_at(words, at), word_at(words, at + 8)], [word_at(words, at + 16), word_at(words, at + 24)]]
}
