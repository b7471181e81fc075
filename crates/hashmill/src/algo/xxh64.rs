//! XXH64 — xxHash fast digest algorithm specification 0.2.0 (Y. Collet, 2012–2023).
//! digest 64 bit · block 32 bytes (none padded) · reads little-endian, digest big-endian · status: not cryptographic
//! ## Algorithm
//! ```text
//! acc1..4 ← seed + P1 + P2, seed + P2, seed, seed − P1
//! for each stripe of 32 bytes, for each of its four words:  acc ← round(acc, word)
//! round(acc, w) = ((acc + w·P2) <<< 31)·P1
//! acc ← (acc1 <<< 1) + (acc2 <<< 7) + (acc3 <<< 12) + (acc4 <<< 18)
//! for each acc_i:  acc ← (acc xor round(0, acc_i))·P1 + P4          message shorter than a stripe: acc ← seed + P5
//! acc ← acc + length
//! for each rest of 8 bytes:  acc ← ((acc xor round(0, w)) <<< 27)·P1 + P4
//! then one of 4 bytes:       acc ← ((acc xor w·P1) <<< 23)·P2 + P3
//! then single bytes:         acc ← ((acc xor byte·P5) <<< 11)·P1
//! avalanche: acc xor>> 33, ·P2, xor>> 29, ·P3, xor>> 32
//! ```
//! ## Kernels
//! - `portable`: four independent chains of multiplications. Not tried: vector code, since there is no 64-bit
//!   multiplication before AVX-512, and the latency of the chains stays. Messages shorter than a stripe have their own
//!   path, which saves no registers.
//! - `twox-hash`: the crate; the same scalar rounds, for one-shot messages of more than 256 bytes (all others go
//!   through those of `portable`). Equal within noise on long messages (22 GB/s, Zen 5).

use super::fold::{Fold, Folding, WORDS};
use crate::base::cpu::Features;
use crate::contract::{Inputs, Kernel, OneShot, Params, Run};

pub(crate) static KERNELS: &[Kernel] = &[
    Kernel { name: "portable", needs: Features::NONE, run: Run::Whole(&Folding::<Xxh64<PORTABLE>>::NEW) },
    #[cfg(feature = "twox-hash")]
    Kernel { name: "twox-hash", needs: Features::NONE, run: Run::Whole(&Folding::<Xxh64<TWOX>>::NEW) },
];

// ---------------------------------------------------------------------------------------------------------------------
// Hooks
// ---------------------------------------------------------------------------------------------------------------------

/// The accumulators; `HOW` is the implementation for one-shot messages.
#[derive(Clone, Copy)]
struct Xxh64<const HOW: u8>([u64; 4]);

const PORTABLE: u8 = 0;
#[cfg(feature = "twox-hash")]
const TWOX: u8 = 1;

impl<const HOW: u8> Fold for Xxh64<HOW> {
    const STEP: usize = STRIPE;

    #[inline(always)]
    fn new(p: &Params, _: &Inputs<'_>) -> Self {
        Xxh64(start(p.seed))
    }

    fn save(self) -> [u64; WORDS] {
        self.0
    }

    fn load(words: [u64; WORDS]) -> Self {
        Xxh64(words)
    }

    #[inline(always)]
    fn after(mut self, _: &Params, m: &[u8]) -> Self {
        run(&mut self.0, m.as_chunks().0);
        self
    }

    #[inline(always)]
    fn end(self, p: &Params, rest: &[u8], total: u64, out: &mut [u8]) {
        write(finish(p.seed, &self.0, total, rest), out);
    }

    #[inline(always)]
    fn digest(p: &Params, m: &[u8], out: &mut [u8]) {
        if m.len() < STRIPE {
            return write(short(p, m), out);
        }
        #[cfg(feature = "twox-hash")]
        if HOW == TWOX && m.len() > MIDDLE {
            return write(twox_hash::XxHash64::oneshot(p.seed, m), out);
        }
        write(stripes(p, m), out);
    }

    // The shortest messages need few registers, and would have to wait until those for the others are saved.
    const ONE_SHOT: OneShot = |p, m, out| {
        if m.len() < STRIPE {
            return write(short(p, m), out);
        }
        long::<HOW>(p, m, out);
    };
}

/// [`Fold::digest`], not inlined.
#[inline(never)]
fn long<const HOW: u8>(p: &Params, m: &[u8], out: &mut [u8]) {
    Xxh64::<HOW>::digest(p, m, out);
}

/// The hash of a message shorter than a stripe, the same for every kernel.
#[inline(always)]
pub(crate) fn short(p: &Params, m: &[u8]) -> u64 {
    finish_rest(p.seed.wrapping_add(P5).wrapping_add(m.len() as u64), m)
}

/// The hash of a message of at most [`MIDDLE`] bytes, for those that are longer than 16; the same for every kernel.
#[inline(never)]
pub(crate) fn middle(p: &Params, m: &[u8]) -> u64 {
    if m.len() < STRIPE { short(p, m) } else { stripes(p, m) }
}

/// The hash of a message of at least a stripe.
#[inline(always)]
fn stripes(p: &Params, m: &[u8]) -> u64 {
    let (stripes, rest) = m.as_chunks::<STRIPE>();
    let mut acc = start(p.seed);
    run(&mut acc, stripes);
    finish(p.seed, &acc, m.len() as u64, rest)
}

/// Writes the canonical representation: big-endian.
#[inline]
fn write(hash: u64, out: &mut [u8]) {
    if let Some(out) = out.first_chunk_mut() {
        *out = hash.to_be_bytes();
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The rounds
// ---------------------------------------------------------------------------------------------------------------------

#[inline(always)]
fn start(seed: u64) -> [u64; 4] {
    [seed.wrapping_add(P1).wrapping_add(P2), seed.wrapping_add(P2), seed, seed.wrapping_sub(P1)]
}

#[inline(always)]
fn round(acc: u64, w: u64) -> u64 {
    acc.wrapping_add(w.wrapping_mul(P2)).rotate_left(31).wrapping_mul(P1)
}

#[inline(always)]
fn run(acc: &mut [u64; 4], stripes: &[[u8; STRIPE]]) {
    let mut a = *acc;
    for stripe in stripes {
        for (acc, w) in a.iter_mut().zip(stripe.as_chunks::<8>().0) {
            *acc = round(*acc, u64::from_le_bytes(*w));
        }
    }
    *acc = a;
}

/// Processes everything after the last whole stripe. `rest` is the end of the message, which has `total` bytes.
#[inline(always)]
fn finish(seed: u64, acc: &[u64; 4], total: u64, rest: &[u8]) -> u64 {
    let h = if total < STRIPE as u64 {
        seed.wrapping_add(P5)
    } else {
        let mut h = acc[0]
            .rotate_left(1)
            .wrapping_add(acc[1].rotate_left(7))
            .wrapping_add(acc[2].rotate_left(12))
            .wrapping_add(acc[3].rotate_left(18));
        for &a in acc {
            h = (h ^ round(0, a)).wrapping_mul(P1).wrapping_add(P4);
        }
        h
    };
    finish_rest(h.wrapping_add(total), rest)
}

/// Processes the bytes after the last whole stripe.
#[inline(always)]
fn finish_rest(mut h: u64, rest: &[u8]) -> u64 {
    let (words, rest) = rest.as_chunks::<8>();
    for w in words {
        h = (h ^ round(0, u64::from_le_bytes(*w))).rotate_left(27).wrapping_mul(P1).wrapping_add(P4);
    }
    // There is at most one; the compiler would not notice that a loop runs once.
    let (words, rest) = rest.as_chunks::<4>();
    if let Some(w) = words.first() {
        let w = u64::from(u32::from_le_bytes(*w));
        h = (h ^ w.wrapping_mul(P1)).rotate_left(23).wrapping_mul(P2).wrapping_add(P3);
    }
    for &byte in rest {
        h = (h ^ u64::from(byte).wrapping_mul(P5)).rotate_left(11).wrapping_mul(P1);
    }
    avalanche(h)
}

/// The final mixing, also used by XXH3.
#[inline(always)]
pub(super) fn avalanche(mut h: u64) -> u64 {
    h = (h ^ (h >> 33)).wrapping_mul(P2);
    h = (h ^ (h >> 29)).wrapping_mul(P3);
    h ^ (h >> 32)
}

// ---------------------------------------------------------------------------------------------------------------------
// Constants
// ---------------------------------------------------------------------------------------------------------------------

const STRIPE: usize = 32;

/// The longest message that every kernel hashes alike.
pub(crate) const MIDDLE: usize = 256;

pub(super) const P1: u64 = 0x9e37_79b1_85eb_ca87;
pub(super) const P2: u64 = 0xc2b2_ae3d_27d4_eb4f;
pub(super) const P3: u64 = 0x1656_67b1_9e37_79f9;
pub(super) const P4: u64 = 0x85eb_ca77_c2b2_ae63;
pub(super) const P5: u64 = 0x27d4_eb2f_1656_67c5;

#[cfg(test)]
mod tests {
    use super::super::fold::tests::check;
    use super::*;

    /// Values of xxHash's cli/xsum_sanity_check.c, with its generated buffer.
    #[test]
    fn sanity() {
        let mut generator = 0x9e37_79b1u64;
        let m: [u8; 222] = std::array::from_fn(|_| {
            let byte = (generator >> 56) as u8;
            generator = generator.wrapping_mul(0x9e37_79b1_85eb_ca8d);
            byte
        });
        for (len, seed, want) in [
            (0, 0, 0xef46_db37_51d8_e999),
            (0, 0x9e37_79b1, 0xac75_fda2_929b_17ef),
            (1, 0, 0xe934_a84a_db05_2768),
            (4, 0, 0x9136_a0dc_a574_57ee),
            (14, 0, 0x8282_dcc4_994e_35c8),
            (14, 0x9e37_79b1, 0xc3bd_6bf6_3deb_6df0),
            (222, 0, 0xb641_ae8c_b691_c174),
            (222, 0x9e37_79b1, 0x20cb_8ab7_ae10_c14a),
        ] {
            check(KERNELS, [0; 4], seed, &m[..len], &u64::to_be_bytes(want));
        }
    }
}
