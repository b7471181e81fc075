//! CRCs by carry-less multiplication, and CRC-32 and CRC-32C with their dedicated instructions.

#![allow(
    unsafe_code,
    reason = "loads of the message, intrinsics behind ISA tokens, and calls of functions with features"
)]

use super::clmul::{Clmul, Keys, fold};
use super::{Entry, LEN};
use crate::base::cpu::{Features, needs, on_cpu};
use core::arch::aarch64::*;
use std::sync::OnceLock;

/// The CPU features that [`pmull`] needs.
pub(super) const PMULL: Features = needs!([ARM_AES]);

/// Number of registers folded side by side.
const GROUP: usize = 8;

/// The register after the bytes of `m`, at least sixteen of them.
#[inline(always)]
pub(super) fn pmull(entry: &Entry, index: u16, register: u64, m: &[u8]) -> u64 {
    static KEYS: [OnceLock<Keys>; LEN] = [const { OnceLock::new() }; LEN];
    let keys = KEYS[usize::from(index)].get_or_init(|| Keys::new(entry, 16, true));
    if entry.refin {
        on_cpu!([ARM_AES]; pmull_right(keys, register, m))
    } else {
        on_cpu!([ARM_AES]; pmull_left(keys, register, m))
    }
}

#[hashmill_isa::isa(ARM_AES)]
fn pmull_right(keys: &Keys, register: u64, m: &[u8]) -> u64 {
    fold::<Q, GROUP, true>(Pmull::token(), keys, register, m)
}

#[hashmill_isa::isa(ARM_AES)]
fn pmull_left(keys: &Keys, register: u64, m: &[u8]) -> u64 {
    fold::<Q, GROUP, false>(Pmull::token(), keys, register, m)
}

/// An operation on values that carry a token.
macro_rules! with {
    (($($a:ident: $t:ty = $v:expr),*) -> $r:ty $body:block) => {{
        #[inline]
        #[hashmill_isa::isa(ARM_AES)]
        fn op($($a: $t),*) -> $r $body
        // SAFETY: a value of the type, or its token, is in scope and proves the features.
        unsafe { op($($v),*) }
    }};
}

#[derive(Clone, Copy)]
struct Pmull(());

impl Pmull {
    /// Callable without `unsafe` only where these features are enabled, so the value proves that they are.
    #[inline]
    #[hashmill_isa::isa(ARM_AES)]
    fn token() -> Self {
        Pmull(())
    }
}

/// 0, 1, 2 …
#[inline]
#[hashmill_isa::isa(NEON)]
fn numbers() -> uint8x16_t {
    const NUMBERS: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    // SAFETY: there are 16 bytes.
    unsafe { vld1q_u8(NUMBERS.as_ptr()) }
}

/// The products of the low and of the high words.
#[inline]
#[hashmill_isa::isa(ARM_AES)]
fn products(v: uint8x16_t, k: uint8x16_t) -> (uint8x16_t, uint8x16_t) {
    let low = vmull_p64(vgetq_lane_u64::<0>(vreinterpretq_u64_u8(v)), vgetq_lane_u64::<0>(vreinterpretq_u64_u8(k)));
    let high = vmull_high_p64(vreinterpretq_p64_u8(v), vreinterpretq_p64_u8(k));
    (vreinterpretq_u8_p128(low), vreinterpretq_u8_p128(high))
}

#[derive(Clone, Copy)]
struct Q(uint8x16_t, Pmull);

impl Clmul for Q {
    type Isa = Pmull;
    const BYTES: usize = 16;
    const ALIGN_FROM: usize = usize::MAX;

    #[inline(always)]
    fn load(isa: Pmull, m: &[u8]) -> Self {
        assert!(m.len() >= 16);
        Q(
            with!((p: *const u8 = m.as_ptr()) -> uint8x16_t {
                // SAFETY: there are 16 bytes, as just checked.
                unsafe { vld1q_u8(p) }
            }),
            isa,
        )
    }

    /// There is no such load: messages must have at least sixteen bytes.
    #[inline(always)]
    fn load_short(isa: Pmull, m: &[u8]) -> Self {
        Self::load(isa, m)
    }

    #[inline(always)]
    fn start(isa: Pmull, x: u64) -> Self {
        Self::keys(isa, &[x, 0])
    }

    #[inline(always)]
    fn keys(isa: Pmull, keys: &[u64; 2]) -> Self {
        Q(
            with!((k: &[u64; 2] = keys) -> uint8x16_t {
                // SAFETY: there are two words.
                vreinterpretq_u8_u64(unsafe { vld1q_u64(k.as_ptr()) })
            }),
            isa,
        )
    }

    #[inline(always)]
    fn order<const REFIN: bool>(self) -> Self {
        if REFIN {
            return self;
        }
        Q(with!((v: uint8x16_t = self.0) -> uint8x16_t { vrbitq_u8(v) }), self.1)
    }

    #[inline(always)]
    fn xor(self, o: Self) -> Self {
        Q(with!((a: uint8x16_t = self.0, b: uint8x16_t = o.0) -> uint8x16_t { veorq_u8(a, b) }), self.1)
    }

    #[inline(always)]
    fn fold(self, keys: Self, next: Self) -> Self {
        Q(
            with!((v: uint8x16_t = self.0, k: uint8x16_t = keys.0, next: uint8x16_t = next.0) -> uint8x16_t {
                let (low, high) = products(v, k);
                veorq_u8(veorq_u8(low, next), high)
            }),
            self.1,
        )
    }

    #[inline(always)]
    fn split(self, n: usize) -> (Self, Self) {
        // Indices from 16 on yield zeros.
        let (first, others) = with!((v: uint8x16_t = self.0, n: usize = n) -> (uint8x16_t, uint8x16_t) {
            let down = vaddq_u8(numbers(), vdupq_n_u8(n as u8));
            (vqtbl1q_u8(v, vsubq_u8(down, vdupq_n_u8(16))), vqtbl1q_u8(v, down))
        });
        (Q(first, self.1), Q(others, self.1))
    }

    #[inline(always)]
    fn last(self, n: usize) -> Self {
        Q(
            with!((v: uint8x16_t = self.0, n: usize = n) -> uint8x16_t {
                vandq_u8(v, vcgtq_u8(numbers(), vdupq_n_u8(15 - n as u8)))
            }),
            self.1,
        )
    }

    #[inline(always)]
    fn end<const REFIN: bool>(self, keys: &Keys) -> u64 {
        let result = with!((v: uint8x16_t = self.0, keys: &Keys = keys) -> u64 {
            // SAFETY: there are eight words.
            let (low, high) = products(v, vreinterpretq_u8_u64(unsafe { vld1q_u64(keys.end.as_ptr().add(6)) }));
            let b = vreinterpretq_u64_u8(veorq_u8(low, high));
            let quotient = vmull_p64(vgetq_lane_u64::<0>(b), keys.barrett[0]) as u64;
            // An odd Q has one bit more than its key.
            vgetq_lane_u64::<1>(b) ^ (quotient & keys.odd) ^ (vmull_p64(quotient, keys.barrett[1]) >> 64) as u64
        });
        if REFIN { result } else { result.reverse_bits().swap_bytes() }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The instructions
// ---------------------------------------------------------------------------------------------------------------------

macro_rules! instructions {
    ($($(#[$doc:meta])* $name:ident, $chain:ident, $b:ident, $h:ident, $w:ident, $d:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub(super) fn $name(register: u64, m: &[u8]) -> u64 {
            on_cpu!([ARM_CRC]; $chain(register, m))
        }

        /// Eight bytes per step, then four, two, one.
        #[hashmill_isa::isa(ARM_CRC)]
        fn $chain(register: u64, m: &[u8]) -> u64 {
            let mut crc = register as u32;
            let (words, rest) = m.as_chunks::<8>();
            for i in 0..words.len() {
                crc = $d(crc, u64::from_le_bytes(words[i]));
            }
            let (words, rest) = rest.as_chunks::<4>();
            if !words.is_empty() {
                crc = $w(crc, u32::from_le_bytes(words[0]));
            }
            let (words, rest) = rest.as_chunks::<2>();
            if !words.is_empty() {
                crc = $h(crc, u16::from_le_bytes(words[0]));
            }
            if !rest.is_empty() {
                crc = $b(crc, rest[0]);
            }
            u64::from(crc)
        }
    )*};
}

instructions! {
    /// CRC-32: the register after the bytes of `m`.
    crc32, crc32_chain, __crc32b, __crc32h, __crc32w, __crc32d;
    /// CRC-32C: the register after the bytes of `m`.
    crc32c, crc32c_chain, __crc32cb, __crc32ch, __crc32cw, __crc32cd;
}
