//! XXH3-64 and XXH3-128 (XXH128) — xxHash fast digest algorithm specification 0.2.0 (Y. Collet, 2020–2023). digest 64
//! or 128 bit · block 64-byte stripes, 1024-byte blocks (none padded) · reads little-endian, digest big-endian ·
//! status: not cryptographic
//! ## Algorithm
//! A secret of 192 bytes (a constant that the seed modifies) is mixed with the message by 64×64→128-bit products.
//! `s[n]` is the word of the secret at byte n, `fold(a, b)` the two halves of a·b XORed, `mix16(d, s, seed)` = fold(d0
//! xor (s0 + seed), d1 xor (s1 − seed)). Messages of up to 240 bytes have their own rules, which read the constant
//! secret and add the seed:
//!
//! ```text
//! 0        XXH64's avalanche of the seed and two words of the secret (for each half)
//! 1–3      first, middle, last byte and the length in one word; XXH64's avalanche
//! 4–8      first and last four bytes in one word; multiplications and shifts
//! 9–16     first and last eight bytes; one product
//! 17–128   mix16 of pieces of 16 bytes from both ends inwards
//! 129–240  mix16 of all pieces from the front, a mixing after the eighth, then the last sixteen bytes
//! ```
//!
//! Longer messages use eight accumulators of 64 bits, which take a stripe of 64 bytes at a time. The seeded secret is
//! s[16i] + seed, s[16i+8] − seed. The n-th stripe of a block of sixteen uses the secret from byte 8n on:
//!
//! ```text
//! for each word d_i of the stripe:  k = d_i xor s_i;  acc[i xor 1] += d_i;  acc[i] += low32(k)·high32(k)
//! after each block:                 acc[i] ← (acc[i] xor acc[i]>>47 xor s[128+8i])·P32_1
//! ```
//!
//! The last block (1 to 1024 bytes) has no such end: its whole stripes except the last come in order, then the last 64
//! bytes of the message with the secret from byte 121. The hash merges pairs of accumulators with the secret from byte
//! 11: avalanche(length·P1 + Σ fold(acc[2i] xor s, acc[2i+1] xor s)); the high half of XXH128 starts from
//! not(length·P2) and reads the secret from byte 117; its low half is XXH3-64.
//!
//! A secret supplied by the caller (a key of at least 136 bytes) replaces the constant, for short messages too. For
//! long ones, its length L changes the rules above: a block has (L − 64) div 8 stripes, scrambling reads the secret
//! from byte L − 64, the last stripe from L − 71, the high half from L − 75.
//! ## Parts
//! Between two scramblings, stripes are only added to the accumulators, so what a block adds does not depend on the
//! blocks before it: any thread can compute it. What is left to do in order is an addition and a scrambling for each
//! block of 1024 bytes. The value of a part is what each block adds, in the last one without the last four stripes,
//! and these as they are: they may turn out to be the end of the message, for which there are other rules.
//! ## Kernels
//! - `avx512`, `avx2`: all accumulators in one register or in two. A message at once begins with accumulators from
//!   memory: built on the stack, they were loaded only when their words had reached the cache, and 300 bytes took 31 ns
//!   instead of 14 (an Intel Xeon with AVX-512 FP16).
//! - `twox-hash`: the crate, which has AVX2 and NEON stripes: 48 GB/s on long messages (Zen 5). It takes complete
//!   messages of more than 240 bytes; everything else goes through `portable`, since the crate cannot resume from
//!   accumulators.
//! - `portable`: stripes written so that the compiler vectorizes them with the target's baseline features: 30 GB/s with
//!   SSE2. Rejected: loops over pairs of words (scalar code, 21 GB/s); adding the words to separate accumulators and
//!   swapping neighbors once per block (spills, 23); one lane over all stripes of a block (30, and the block is read
//!   four times); shifting the unaligned words of the secret together for every message (300 bytes: 25 ns, 20 with
//!   stored ones).

mod short;
#[cfg(target_arch = "x86_64")]
mod x86;

use self::short::{SHORT_SECRET, ShortSecret, short64, short128, upto16_64, upto16_128, upto128_64};
use crate::algo::xxh64::{P1, P2, P3, P4, P5};
use crate::base::cpu::Features;
#[cfg(target_arch = "x86_64")]
use crate::base::cpu::needs;
use crate::contract::{Flat, Inputs, Kernel, Memory, OneShot, Params, Prepared, Run, State, Value, Whole};
use zeroize::Zeroize;

macro_rules! kernels {
    ($(#[$doc:meta])* $name:ident, $wide:literal) => {
        $(#[$doc])*
        pub(crate) static $name: &[Kernel] = &[
            #[cfg(target_arch = "x86_64")]
            Kernel { name: "avx512", needs: needs!([AVX512]), run: Run::Whole(&Xxh3::<$wide, AVX512>) },
            #[cfg(target_arch = "x86_64")]
            Kernel { name: "avx2", needs: needs!([AVX2]), run: Run::Whole(&Xxh3::<$wide, AVX2>) },
            #[cfg(feature = "twox-hash")]
            Kernel { name: "twox-hash", needs: Features::NONE, run: Run::Whole(&Xxh3::<$wide, TWOX>) },
            Kernel { name: "portable", needs: Features::NONE, run: Run::Whole(&Xxh3::<$wide, PORTABLE>) },
        ];
    };
}

kernels! {
    /// XXH3-64.
    XXH3_KERNELS, false
}
kernels! {
    /// XXH3-128.
    XXH128_KERNELS, true
}

// ---------------------------------------------------------------------------------------------------------------------
// Hooks
// ---------------------------------------------------------------------------------------------------------------------

/// The accumulators and the buffer; `WIDE` for 128 bits, `HOW` for the implementation.
struct Xxh3<const WIDE: bool, const HOW: u8>;

const PORTABLE: u8 = 0;
#[cfg(feature = "twox-hash")]
const TWOX: u8 = 1;
#[cfg(target_arch = "x86_64")]
const AVX2: u8 = 2;
#[cfg(target_arch = "x86_64")]
const AVX512: u8 = 3;

/// Words of the running state: eight accumulators, the last stripe mixed in, and the number of stripes of the current
/// block that have been mixed in.
const STATE_WORDS: usize = 17;

/// Size of the buffer in bytes: more than [`SHORT`], in whole stripes. They are mixed in only when more bytes follow.
const HELD: usize = 256;

/// The running accumulators.
#[derive(Clone)]
struct Running {
    acc: [u64; 8],
    /// Number of stripes of the current block that have been mixed in.
    stripes: usize,
}

impl Running {
    fn load(s: &State) -> Self {
        Running { acc: std::array::from_fn(|i| s.u64(i)), stripes: s.u64(16) as usize }
    }

    fn save(&self, s: &mut State) {
        for (i, acc) in self.acc.into_iter().enumerate() {
            s.set_u64(i, acc);
        }
        s.set_u64(16, self.stripes as u64);
    }
}

/// The last stripe that was mixed in, unchanged.
fn last_stripe(s: &State) -> [u8; STRIPE] {
    let mut bytes = [0; STRIPE];
    for (i, word) in bytes.as_chunks_mut().0.iter_mut().enumerate() {
        *word = s.u64(8 + i).to_le_bytes();
    }
    bytes
}

fn set_last_stripe(s: &mut State, stripe: &[u8; STRIPE]) {
    for (i, word) in stripe.as_chunks().0.iter().enumerate() {
        s.set_u64(8 + i, u64::from_le_bytes(*word));
    }
}

/// The parts of a secret that long messages read.
struct Long<'a> {
    words: &'a [u64],
    scramble: &'a [u64],
    last_stripe: &'a [u64; 8],
    merge_low: &'a [u64; 8],
    merge_high: &'a [u64; 8],
}

/// Calls `f` with the secret (the caller's, the seeded, or the constant one), and with the parts that short messages
/// read.
#[inline(always)]
fn with_secret<T>(p: &Params, x: &Inputs<'_>, f: impl FnOnce(&Long<'_>, &ShortSecret) -> T) -> T {
    if let Some(own) = x.prepared.and_then(|own| own.downcast_ref::<OwnSecret>()) {
        return f(&own.long(), &own.short);
    }
    if p.seed == 0 { f(&UNSEEDED.long(), &SHORT_SECRET) } else { f(&Secret::new(p.seed).long(), &SHORT_SECRET) }
}

impl<const WIDE: bool, const HOW: u8> Xxh3<WIDE, HOW> {
    /// Writes what stripes add to the accumulators: one sum for every block of them, the last of which may be short.
    #[inline(always)]
    fn sums(words: &[u64; 24], stripes: &[[u8; STRIPE]], sums: &mut [[u64; 8]]) {
        match HOW {
            #[cfg(target_arch = "x86_64")]
            AVX2 => x86::sums_avx2(words, stripes, sums),
            #[cfg(target_arch = "x86_64")]
            AVX512 => x86::sums_avx512(words, stripes, sums),
            _ => {
                for (block, sum) in stripes.chunks(STRIPES).zip(sums) {
                    accumulate(sum, words, block);
                }
            }
        }
    }

    /// Mixes in stripes in two places, which are followed by more bytes, and scrambles after each block that they
    /// complete; then mixes in the last stripe, if given.
    #[inline(always)]
    fn mix(running: &mut Running, secret: &Long<'_>, stripes: [&[[u8; STRIPE]]; 2], last: Option<&[u8; STRIPE]>) {
        match HOW {
            #[cfg(target_arch = "x86_64")]
            AVX2 => x86::mix_avx2(running, secret, stripes, last),
            #[cfg(target_arch = "x86_64")]
            AVX512 => x86::mix_avx512(running, secret, stripes, last),
            _ => {
                for stripes in stripes {
                    mix(running, secret, stripes);
                }
                if let Some(last) = last {
                    stripe(&mut running.acc, last, secret.last_stripe);
                }
            }
        }
    }
}

impl<const WIDE: bool, const HOW: u8> Whole for Xxh3<WIDE, HOW> {
    fn prepare(&self, x: &Inputs<'_>) -> Option<Prepared> {
        (!x.key.is_empty()).then(|| Box::new(OwnSecret::new(x.key)) as Prepared)
    }

    fn start(&self, _: &Params, _: &Inputs<'_>) -> Memory {
        let mut flat = Flat::new();
        Running { acc: START, stripes: 0 }.save(&mut flat.state);
        Memory::Flat(flat)
    }

    fn holds(&self) -> usize {
        HELD
    }

    fn update(&self, p: &Params, x: &Inputs<'_>, memory: &mut Memory, m: &[u8]) {
        let flat = memory.flat_mut();
        flat.total = flat.total.wrapping_add(m.len() as u128);
        let free = HELD - flat.fill;
        if m.len() <= free {
            flat.buffer[flat.fill..][..m.len()].copy_from_slice(m);
            flat.fill += m.len();
            return;
        }
        with_secret(p, x, |secret, _| {
            let mut running = Running::load(&flat.state);
            let mut m = m;
            let mut before: &[u8] = &[];
            if flat.fill > 0 {
                // At least one byte stays, so the full buffer can be mixed in.
                let (head, rest) = m.split_at(free);
                flat.buffer[flat.fill..].copy_from_slice(head);
                (before, m) = (&flat.buffer, rest);
            }
            let (whole, rest) = m.split_at((m.len() - 1) / STRIPE * STRIPE);
            Self::mix(&mut running, secret, [before.as_chunks().0, whole.as_chunks().0], None);
            if let Some(last) = whole.last_chunk().or(before.last_chunk()) {
                set_last_stripe(&mut flat.state, last);
            }
            running.save(&mut flat.state);
            flat.buffer[..rest.len()].copy_from_slice(rest);
            flat.fill = rest.len();
        });
    }

    fn finish(&self, p: &Params, x: &Inputs<'_>, memory: &Memory, out: &mut [u8]) {
        let flat = memory.flat();
        let held = flat.rest();
        with_secret(p, x, |secret, short| {
            if flat.total <= SHORT as u128 {
                // A secret supplied by the caller excludes a seed.
                match WIDE {
                    false => write64(short64(short, p.seed, held), out),
                    true => write128(short128(short, p.seed, held), out),
                }
                return;
            }
            let mut running = Running::load(&flat.state);
            let (whole, _) = held.split_at((held.len() - 1) / STRIPE * STRIPE);
            // The stripe that ends where the message ends.
            let mut end = [0; 2 * STRIPE];
            let tail = &held[held.len().saturating_sub(STRIPE)..];
            end[..STRIPE].copy_from_slice(&last_stripe(&flat.state));
            end[STRIPE..][..tail.len()].copy_from_slice(tail);
            Self::mix(&mut running, secret, [whole.as_chunks().0, &[]], end[tail.len()..].first_chunk());
            let total = flat.total as u64;
            let low = merge(&running.acc, secret.merge_low, low_start(total));
            match WIDE {
                false => write64(low, out),
                true => write128(join(low, merge(&running.acc, secret.merge_high, high_start(total))), out),
            }
        });
    }

    fn is_divisible(&self, _: &Params) -> bool {
        true
    }

    fn is_folded(&self) -> bool {
        true
    }

    fn part(&self, p: &Params, _at: u64, m: &[u8]) -> Value {
        let (stripes, _) = m.as_chunks::<STRIPE>();
        let (summed, held) = stripes.split_at(stripes.len().saturating_sub(HELD / STRIPE));
        let blocks = summed.len().div_ceil(STRIPES);
        let mut sums = Vec::with_capacity(blocks + held.len());
        sums.resize(blocks, [0; 8]);
        match p.seed {
            0 => Self::sums(&UNSEEDED.words, summed, &mut sums),
            seed => Self::sums(&Secret::new(seed).words, summed, &mut sums),
        }
        sums.extend(held.iter().map(words_of));
        Value { sums, ..Value::of(&[]) }
    }

    /// Leaves the memory as [`Whole::update`] would, had it taken the part's bytes.
    fn fold(&self, p: &Params, memory: &mut Memory, part: &Value) {
        let flat = memory.flat_mut();
        let Some((sums, held)) = part.sums.split_last_chunk::<{ HELD / STRIPE }>() else { return };
        with_secret(p, &Inputs::NONE, |secret, _| {
            let mut running = Running::load(&flat.state);
            Self::mix(&mut running, secret, [flat.rest().as_chunks().0, &[]], None);
            for (i, sum) in sums.iter().enumerate() {
                if i > 0 {
                    scramble(&mut running.acc, secret.scramble);
                }
                for (acc, add) in running.acc.iter_mut().zip(sum) {
                    *acc = acc.wrapping_add(*add);
                }
            }
            running.stripes = STRIPES - HELD / STRIPE;
            running.save(&mut flat.state);
        });
        for (to, word) in flat.buffer.as_chunks_mut::<8>().0.iter_mut().zip(held.as_flattened()) {
            *to = word.to_le_bytes();
        }
        flat.fill = HELD;
        flat.total = flat.total.wrapping_add((sums.len() * STRIPES * STRIPE) as u128);
    }

    fn words(&self, _: &Memory) -> (usize, usize) {
        (STATE_WORDS, 8)
    }

    fn admits(&self, _: &Params, memory: &Memory) -> bool {
        let flat = memory.flat();
        let fill = flat.fill as u128;
        let Some(before) = flat.total.checked_sub(fill) else { return false };
        // Nothing is mixed in before the buffer has been full.
        let waits = match before {
            0 => fill <= HELD as u128,
            _ => before >= HELD as u128 && (1..=HELD as u128).contains(&fill),
        };
        let stripes = before / STRIPE as u128;
        waits && before.is_multiple_of(STRIPE as u128) && u128::from(flat.state.u64(16)) == stripes % STRIPES as u128
    }

    #[inline(always)]
    fn digest(&self, p: &Params, m: &[u8], out: &mut [u8]) {
        match (WIDE, m.len()) {
            (false, ..=SHORT) => write64(longer64(p, m), out),
            (true, ..=SHORT) => write128(longer128(p, m), out),
            _ => Self::digest_long(p, m, out),
        }
    }

    fn one_shot(&self) -> OneShot {
        // The shortest messages need few registers, and would have to wait until those for the others are saved.
        |p, m, out| match (WIDE, m.len()) {
            (false, ..=16) => write64(shortest64(p, m), out),
            (true, ..=16) => write128(upto16_128(&SHORT_SECRET, p.seed, m), out),
            _ => Self::digest_more(p, m, out),
        }
    }
}

/// XXH3-64 of a message of at most 16 bytes, on every kernel.
#[inline(always)]
pub(crate) fn shortest64(p: &Params, m: &[u8]) -> u64 {
    // Not the static: where this is inlined, the words are constants.
    upto16_64(const { &ShortSecret::new(&UNSEEDED.words) }, p.seed, m)
}

/// XXH3-64, without a seed, of a message of 17 to 128 bytes; on every kernel.
#[inline(always)]
pub(crate) fn shorter64(m: &[u8]) -> u64 {
    upto128_64(const { &ShortSecret::new(&UNSEEDED.words) }, 0, m)
}

/// XXH3-64 of a message of at most [`SHORT`] bytes, for those that the others do not take; on every kernel.
#[inline(never)]
pub(crate) fn longer64(p: &Params, m: &[u8]) -> u64 {
    // Without a seed, what it would be added to are the secret's words.
    if p.seed == 0 { short64(&SHORT_SECRET, 0, m) } else { short64(&SHORT_SECRET, p.seed, m) }
}

/// XXH3-128 of a message of at most [`SHORT`] bytes, on every kernel.
#[inline(never)]
fn longer128(p: &Params, m: &[u8]) -> u128 {
    if p.seed == 0 { short128(&SHORT_SECRET, 0, m) } else { short128(&SHORT_SECRET, p.seed, m) }
}

impl<const WIDE: bool, const HOW: u8> Xxh3<WIDE, HOW> {
    /// [`Whole::digest`], not inlined.
    #[inline(never)]
    fn digest_more(p: &Params, m: &[u8], out: &mut [u8]) {
        Xxh3::<WIDE, HOW>.digest(p, m, out);
    }

    /// The digest of a message longer than [`SHORT`].
    #[inline(never)]
    fn digest_long(p: &Params, m: &[u8], out: &mut [u8]) {
        #[cfg(feature = "twox-hash")]
        if HOW == TWOX {
            // With a seed, the crate builds a secret first, even for a seed of 0.
            match (WIDE, p.seed) {
                (false, 0) => write64(twox_hash::XxHash3_64::oneshot(m), out),
                (false, seed) => write64(twox_hash::XxHash3_64::oneshot_with_seed(seed, m), out),
                (true, 0) => write128(twox_hash::XxHash3_128::oneshot(m), out),
                (true, seed) => write128(twox_hash::XxHash3_128::oneshot_with_seed(seed, m), out),
            }
            return;
        }
        let seeded;
        let secret = match p.seed {
            0 => &UNSEEDED,
            seed => {
                seeded = Secret::new(seed);
                &seeded
            }
        };
        let acc = Self::at_once(secret, m);
        let low = merge(&acc, &secret.merge_low, low_start(m.len() as u64));
        match WIDE {
            false => write64(low, out),
            true => write128(join(low, merge(&acc, &secret.merge_high, high_start(m.len() as u64))), out),
        }
    }

    /// The accumulators at the end of a message longer than [`SHORT`].
    #[inline(always)]
    fn at_once(secret: &Secret, m: &[u8]) -> [u64; 8] {
        let (stripes, _) = m.as_chunks();
        // The last one may not be followed by anything.
        let stripes = &stripes[..(m.len() - 1) / STRIPE];
        let mut running = Running { acc: START, stripes: 0 };
        match (HOW, m.last_chunk()) {
            #[cfg(target_arch = "x86_64")]
            (AVX2, Some(last)) => return x86::once_avx2(secret, stripes, last),
            #[cfg(target_arch = "x86_64")]
            (AVX512, Some(last)) => return x86::once_avx512(secret, stripes, last),
            (_, last) => Self::mix(&mut running, &secret.long(), [stripes, &[]], last),
        }
        running.acc
    }
}

/// Mixes in stripes that are followed by more bytes, and scrambles after each block that they complete.
#[inline(always)]
fn mix(running: &mut Running, secret: &Long<'_>, mut stripes: &[[u8; STRIPE]]) {
    let block = secret.words.len() - 8;
    let mut acc = running.acc;
    while !stripes.is_empty() {
        // Whole blocks with a secret of the usual number of words, which the compiler knows here.
        if running.stripes == 0
            && let Ok(words) = <&[u64; 24]>::try_from(secret.words)
            && let (blocks @ [_, ..], rest) = stripes.as_chunks::<STRIPES>()
        {
            for b in blocks {
                accumulate(&mut acc, words, b);
                scramble(&mut acc, secret.scramble);
            }
            stripes = rest;
            continue;
        }
        let (now, later) = stripes.split_at(stripes.len().min(block - running.stripes));
        accumulate(&mut acc, &secret.words[running.stripes..], now);
        running.stripes += now.len();
        if running.stripes == block {
            scramble(&mut acc, secret.scramble);
            running.stripes = 0;
        }
        stripes = later;
    }
    running.acc = acc;
}

/// A secret of at least 136 bytes. A block has as many stripes as its words allow: n + 8 words for n stripes.
struct OwnSecret {
    short: ShortSecret,
    words: Box<[u64]>,
    scramble: [u64; 8],
    last_stripe: [u64; 8],
    merge_low: [u64; 8],
    merge_high: [u64; 8],
}

impl Drop for OwnSecret {
    fn drop(&mut self) {
        self.short.wipe();
        self.words.zeroize();
        for part in [&mut self.scramble, &mut self.last_stripe, &mut self.merge_low, &mut self.merge_high] {
            part.zeroize();
        }
    }
}

impl OwnSecret {
    fn new(secret: &[u8]) -> Self {
        let words: Box<[u64]> = secret.as_chunks().0.iter().map(|w| u64::from_le_bytes(*w)).collect();
        let eight = |at: usize| {
            let mut eight = [0; 8];
            for (word, bytes) in eight.iter_mut().zip(secret[at..].as_chunks().0) {
                *word = u64::from_le_bytes(*bytes);
            }
            eight
        };
        let end = secret.len() - STRIPE;
        OwnSecret {
            short: ShortSecret::new(&words),
            scramble: eight(end),
            last_stripe: eight(end - 7),
            merge_low: eight(11),
            merge_high: eight(end - 11),
            words,
        }
    }

    fn long(&self) -> Long<'_> {
        Long {
            words: &self.words,
            scramble: &self.scramble,
            last_stripe: &self.last_stripe,
            merge_low: &self.merge_low,
            merge_high: &self.merge_high,
        }
    }
}

/// Writes the canonical representation: big-endian.
#[inline]
fn write64(hash: u64, out: &mut [u8]) {
    if let Some(out) = out.first_chunk_mut() {
        *out = hash.to_be_bytes();
    }
}

#[inline]
fn write128(hash: u128, out: &mut [u8]) {
    if let Some(out) = out.first_chunk_mut() {
        *out = hash.to_be_bytes();
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Long messages
// ---------------------------------------------------------------------------------------------------------------------

#[inline(always)]
fn scramble(acc: &mut [u64; 8], s: &[u64]) {
    for (a, s) in acc.iter_mut().zip(s) {
        *a = (*a ^ (*a >> 47) ^ s).wrapping_mul(P32_1);
    }
}

/// Mixes in stripes of a block; `words` begins with those for the first. The form matters: the compiler vectorizes this
/// one across two stripes.
#[inline(always)]
fn accumulate(acc: &mut [u64; 8], words: &[u64], stripes: &[[u8; STRIPE]]) {
    for (d, s) in stripes.iter().zip(words.windows(8)) {
        stripe(acc, d, s);
    }
}

#[inline(always)]
fn stripe(acc: &mut [u64; 8], stripe: &[u8; STRIPE], s: &[u64]) {
    let d = words_of(stripe);
    for i in 0..8 {
        let k = d[i] ^ s[i];
        acc[i] = acc[i].wrapping_add(d[i ^ 1]).wrapping_add(low(k).wrapping_mul(high(k)));
    }
}

#[inline(always)]
fn low_start(len: u64) -> u64 {
    len.wrapping_mul(P1)
}

#[inline(always)]
fn high_start(len: u64) -> u64 {
    !len.wrapping_mul(P2)
}

#[inline(always)]
fn merge(acc: &[u64; 8], s: &[u64; 8], start: u64) -> u64 {
    let mut h = start;
    for i in [0, 2, 4, 6] {
        h = h.wrapping_add(fold(acc[i] ^ s[i], acc[i + 1] ^ s[i + 1]));
    }
    avalanche(h)
}

// ---------------------------------------------------------------------------------------------------------------------
// Words
// ---------------------------------------------------------------------------------------------------------------------

#[inline(always)]
fn avalanche(h: u64) -> u64 {
    let h = (h ^ (h >> 37)).wrapping_mul(MIX1);
    h ^ (h >> 32)
}

#[inline(always)]
fn product(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let (lo, hi) = halves(product(a, b));
    lo ^ hi
}

#[inline(always)]
fn halves(x: u128) -> (u64, u64) {
    (x as u64, (x >> 64) as u64)
}

#[inline(always)]
fn join(low: u64, high: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

#[inline(always)]
const fn low(x: u64) -> u64 {
    x & 0xffff_ffff
}

#[inline(always)]
const fn high(x: u64) -> u64 {
    x >> 32
}

/// The words of a stripe.
#[inline(always)]
fn words_of(stripe: &[u8; STRIPE]) -> [u64; 8] {
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zip(stripe.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
}

/// The word of the secret at byte `at`, which need not be a multiple of eight.
#[inline(always)]
const fn word_at(secret: &[u64], at: usize) -> u64 {
    let (i, shift) = (at / 8, at % 8 * 8);
    if shift == 0 { secret[i] } else { secret[i] >> shift | secret[i + 1] << (64 - shift) }
}

// ---------------------------------------------------------------------------------------------------------------------
// Constants
// ---------------------------------------------------------------------------------------------------------------------

/// The longest message with rules of its own.
pub(crate) const SHORT: usize = 240;
const STRIPE: usize = 64;
/// Number of stripes in a block with the usual secret.
const STRIPES: usize = 16;

const P32_1: u64 = 0x9e37_79b1;
const P32_2: u64 = 0x85eb_ca77;
const P32_3: u64 = 0xc2b2_ae3d;
const MIX1: u64 = 0x1656_6791_9e37_79f9;

const START: [u64; 8] = [P32_3, P1, P2, P3, P4, P32_2, P5, P32_1];

/// The secret as little-endian words, and its unaligned words in the three places where they are read.
#[derive(Clone)]
struct Secret {
    words: [u64; 24],
    last_stripe: [u64; 8],
    merge_low: [u64; 8],
    merge_high: [u64; 8],
}

impl Secret {
    /// The secret for a seed.
    #[inline]
    const fn new(seed: u64) -> Secret {
        let mut words = S;
        let mut i = 0;
        while i < 24 {
            words[i] = words[i].wrapping_add(seed);
            words[i + 1] = words[i + 1].wrapping_sub(seed);
            i += 2;
        }
        Secret {
            words,
            last_stripe: eight_at(&words, 192 - 64 - 7),
            merge_low: eight_at(&words, 11),
            merge_high: eight_at(&words, 192 - 64 - 11),
        }
    }
}

impl Secret {
    fn long(&self) -> Long<'_> {
        Long {
            words: &self.words,
            scramble: &self.words[16..],
            last_stripe: &self.last_stripe,
            merge_low: &self.merge_low,
            merge_high: &self.merge_high,
        }
    }
}

#[inline(always)]
const fn eight_at(words: &[u64; 24], at: usize) -> [u64; 8] {
    let mut eight = [0; 8];
    let mut i = 0;
    while i < 8 {
        eight[i] = word_at(words, at + 8 * i);
        i += 1;
    }
    eight
}

/// The secret without a seed.
static UNSEEDED: Secret = Secret::new(0);

/// The words of the secret without a seed.
const S: [u64; 24] = {
    let mut words = [0; 24];
    let mut i = 0;
    while i < 192 {
        words[i / 8] |= (SECRET[i] as u64) << (i % 8 * 8);
        i += 1;
    }
    words
};

#[rustfmt::skip]
const SECRET: [u8; 192] = [
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kernels: &[Kernel], seed: u64, m: &[u8], want: &[u8]) {
        let p = Params { row: 0, out_len: want.len() as u32, p: [0; 4], seed };
        for kernel in kernels.iter().filter(|k| crate::plumbing::call::available(k)) {
            let Run::Whole(whole) = kernel.run else { panic!("{} is not a whole", kernel.name) };
            let mut out = vec![0; want.len()];
            whole.digest(&p, m, &mut out);
            assert_eq!(out, want, "{}: one-shot, {} bytes, seed {seed}", kernel.name, m.len());
            for cut in (0..=m.len()).filter(|cut| m.len() < 300 || cut % 64 < 2 || cut % 61 == 7) {
                let x = Inputs::NONE;
                let mut memory = whole.start(&p, &x);
                whole.update(&p, &x, &mut memory, &m[..cut]);
                let mut memory = memory.clone();
                whole.update(&p, &x, &mut memory, &m[cut..]);
                whole.finish(&p, &x, &memory, &mut out);
                assert_eq!(out, want, "{}: split at {cut} of {}, seed {seed}", kernel.name, m.len());
            }
        }
    }

    /// Values of xxHash's cli/xsum_sanity_check.c, with its generated buffer and seeds.
    #[test]
    fn sanity() {
        let mut generator = 0x9e37_79b1u64;
        let m: [u8; 2367] = std::array::from_fn(|_| {
            let byte = (generator >> 56) as u8;
            generator = generator.wrapping_mul(PRIME64);
            byte
        });
        for (len, seed, want) in SANITY_64 {
            check(XXH3_KERNELS, seed, &m[..len], &u64::to_be_bytes(want));
        }
        for (len, seed, want) in SANITY_128 {
            check(XXH128_KERNELS, seed, &m[..len], &u128::to_be_bytes(want));
        }
    }

    const PRIME64: u64 = 0x9e37_79b1_85eb_ca8d;
    const PRIME32: u64 = 0x9e37_79b1;

    const SANITY_64: [(usize, u64, u64); 22] = [
        (0, 0, 0x2d06_8005_38d3_94c2),
        (0, PRIME64, 0xa8a6_b918_b2f0_364a),
        (1, 0, 0xc44b_dff4_074e_ecdb),
        (1, PRIME64, 0x032b_e332_dd76_6ef8),
        (6, 0, 0x27b5_6a84_cd2d_7325),
        (6, PRIME64, 0x8458_9c11_6ab5_9ab9),
        (12, 0, 0xa713_daf0_dfbb_77e7),
        (12, PRIME64, 0xe730_3e1b_2336_de0e),
        (24, 0, 0xa3fe_70bf_9d35_10eb),
        (24, PRIME64, 0x850e_80fc_35bd_d690),
        (48, 0, 0x397d_a259_ecba_1f11),
        (48, PRIME64, 0xadc2_cbaa_44ac_c616),
        (80, 0, 0xbcde_fbbb_2c47_c90a),
        (80, PRIME64, 0xc6dd_0cb6_9953_2e73),
        (195, 0, 0xcd94_217e_e362_ec3a),
        (195, PRIME64, 0xba68_003d_370c_b3d9),
        (403, 0, 0xcdeb_804d_65c6_dea4),
        (403, PRIME64, 0x6259_f6ec_fd64_43fd),
        (2048, 0, 0xdd59_e2c3_a5f0_38e0),
        (2048, PRIME64, 0x66f8_1670_669a_babc),
        (2367, 0, 0xcb37_aeb9_e5d3_61ed),
        (2367, PRIME64, 0xd2db_3415_b942_b42a),
    ];

    const SANITY_128: [(usize, u64, u128); 24] = [
        (0, 0, 0x99aa_06d3_0147_98d8_6001_c324_468d_497f),
        (0, PRIME32, 0x9222_0ae5_5e14_ab50_5444_f786_9c67_1ab0),
        (1, 0, 0xa6cd_5e93_9200_0f6a_c44b_dff4_074e_ecdb),
        (1, PRIME32, 0x89b9_9554_ba22_467c_b53d_5557_e7f7_6f8d),
        (6, 0, 0x082a_fe0b_8162_d12a_3e70_39bd_da43_cfc6),
        (6, PRIME32, 0x5a86_5b53_89ab_d2b1_269d_8f70_be98_856e),
        (12, 0, 0x6e3e_fd8f_c780_2b18_061a_1927_13f6_9ad9),
        (12, PRIME32, 0xd7e0_9d51_8a34_05d3_9be9_f9a6_7f3c_7dfb),
        (24, 0, 0x0ce9_66e4_678d_3761_1e70_44d2_8b1b_901d),
        (24, PRIME32, 0x3162_0267_14a6_a243_d730_4c54_ebad_40a9),
        (48, 0, 0xa002_ac4e_5478_227e_f942_219a_ed80_f67b),
        (48, PRIME32, 0x163a_dde3_6c07_2295_7ba3_c3e4_53a1_934e),
        (81, 0, 0x4952_f581_81ab_0042_5e8b_afb9_f95f_b803),
        (81, PRIME32, 0x2724_ec7a_dc75_0fb6_703f_bb3d_7a5f_755c),
        (222, 0, 0x337e_0964_1b94_8717_f1ae_bd59_7cec_6b3a),
        (222, PRIME32, 0x9182_0016_621e_97f1_ae99_5bb8_af91_7a8d),
        (403, 0, 0x1b6d_e21e_332d_d73d_cdeb_804d_65c6_dea4),
        (403, PRIME64, 0xbed3_1197_1e0b_e8f2_6259_f6ec_fd64_43fd),
        (512, 0, 0x18d2_d110_dcc9_bca1_617e_4959_9013_cb6b),
        (512, PRIME64, 0x925d_06b8_ec5b_8040_3ce4_57de_14c2_7708),
        (2240, 0, 0xccb1_34fb_fa7c_e49d_6e73_a905_39cf_2948),
        (2240, PRIME32, 0x50a1_fe17_b338_995f_ed38_5111_126f_ba6f),
        (2367, 0, 0xe89c_0f6f_f369_b427_cb37_aeb9_e5d3_61ed),
        (2367, PRIME32, 0xd23a_ae4b_76c3_1ecb_6f53_60ae_69c2_f406),
    ];

    /// No input is mixed in before the buffer has been full, so a state that says otherwise belongs to no message.
    #[test]
    fn states_of_no_message() {
        let p = Params { row: 0, out_len: 8, p: [0; 4], seed: 0 };
        let whole = Xxh3::<false, PORTABLE>;
        for (total, fill, possible) in [
            (0, 0, true),
            (256, 256, true),
            (65, 1, false),
            (240, 176, false),
            (448, 256, false),
            (257, 1, true),
            (512, 256, true),
        ] {
            let mut flat = Flat::new();
            flat.state.set_u64(16, (total - fill as u64) / 64);
            (flat.total, flat.fill) = (u128::from(total), fill);
            assert_eq!(whole.admits(&p, &Memory::Flat(flat)), possible, "{fill} of {total} bytes wait");
        }
    }
}
