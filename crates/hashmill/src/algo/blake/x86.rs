//! BLAKE of a single message: each row of v is a register of four words, and a half round is four Gs side by side. The
//! BLAKE2 kernels are built from the same parts.
//!
//! To line up the diagonals, a, c and d are rotated relative to b, rather than b, c and d relative to a: G computes b
//! last and needs it first, so this keeps the shuffles off the critical path.

#![allow(unsafe_code, reason = "loads and stores of words, and a barrier that is empty assembly")]

use super::{Blake, S, SIGMA, T0, T1, Width, count};
use crate::algo::repeat16;
use crate::simd::x86_quads::Quad;
use crate::simd::{Rows, Scalar, Word};

/// The kernels of BLAKE-224 and BLAKE-256.
pub(super) mod blake256 {
    use super::one_message;
    use crate::contract::Params;
    use crate::simd::Rows;
    use crate::simd::x86::{Avx512, Ssse3};
    use crate::simd::x86_quads::{Avx512x32, Ssse3x32};

    /// Rotates with a single instruction.
    #[hashmill_isa::isa(AVX512)]
    pub(in crate::algo::blake) fn avx512vl(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
        one_message::<Avx512x32>(Avx512::token(), packed, rows);
    }

    /// Rotates with a shuffle, or with two shifts.
    #[hashmill_isa::isa(SSSE3)]
    pub(in crate::algo::blake) fn ssse3(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
        one_message::<Ssse3x32>(Ssse3::token(), packed, rows);
    }
}

/// The kernels of BLAKE-384 and BLAKE-512.
pub(super) mod blake512 {
    use super::one_message;
    use crate::contract::Params;
    use crate::simd::Rows;
    use crate::simd::x86::{Avx2, Avx512};
    use crate::simd::x86_quads::{Avx2x64, Avx512x64};

    /// Rotates with a single instruction.
    #[hashmill_isa::isa(AVX512)]
    pub(in crate::algo::blake) fn avx512vl(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
        one_message::<Avx512x64>(Avx512::token(), packed, rows);
    }

    /// Rotates with a shuffle, or with two shifts.
    #[hashmill_isa::isa(AVX2)]
    pub(in crate::algo::blake) fn avx2(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
        one_message::<Avx2x64>(Avx2::token(), packed, rows);
    }
}

/// One round on the rows of v. `$added` is what the message adds in the first and second half of G; `$half` is 0 for
/// the columns and 1 for the diagonals.
macro_rules! round_of_rows {
    ($rotations:expr, [$a:ident, $b:ident, $c:ident, $d:ident], $half:ident => $added:expr) => {
        let [x, y] = {
            const $half: usize = 0;
            $added
        };
        $crate::algo::blake::g!($rotations, [$a, $b, $c, $d], x, y);
        $a = $a.shuffled::<0b10_01_00_11>();
        $c = $c.shuffled::<0b00_11_10_01>();
        $d = $d.shuffled::<0b01_00_11_10>();
        let [x, y] = {
            const $half: usize = 1;
            $added
        };
        $crate::algo::blake::g!($rotations, [$a, $b, $c, $d], x, y);
        $a = $a.shuffled::<0b00_11_10_01>();
        $c = $c.shuffled::<0b10_01_00_11>();
        $d = $d.shuffled::<0b01_00_11_10>();
    };
}

pub(in crate::algo) use round_of_rows;

/// Compresses all blocks of a single message.
#[inline(always)]
fn one_message<Q: Quad>(isa: Q::Isa, packed: &mut [u8], rows: &Rows<'_>)
where
    Q::Lane: Width,
{
    let (bytes, block) = (Q::Lane::BYTES, Blake::<Q::Lane>::BLOCK);
    assert!(packed.len() >= 14 * bytes && rows.lanes() == 1 && rows.block() == block);
    let mut h0 = Q::load(isa, packed);
    let mut h1 = Q::load(isa, &packed[4 * bytes..]);
    let s = Q::load(isa, &packed[S * bytes..]);
    let mut t = [word::<Q::Lane>(packed, T0), word(packed, T1)];
    for i in 0..rows.blocks() {
        let m = message::<Q, true>(isa, &rows.lane(0)[block * i..][..block]);
        count(&mut t, [0, 1], (8 * block as u16).into());
        let (mut a, mut b) = (h0, h1);
        let mut c = s.xor(constants(isa, [0, 1, 2, 3]));
        let mut d = Q::of(isa, [t[0], t[0], t[1], t[1]]).xor(constants(isa, [4, 5, 6, 7]));
        repeat16!(R => if R < Q::Lane::ROUNDS {
            round_of_rows!(Q::Lane::ROTATIONS, [a, b, c, d], HALF => {
                let ([x, y], [of_x, of_y]) = (added(&m, R, HALF), numbers(R, HALF));
                // Each word is XORed with the constant that has the other word's index.
                [x.xor(constants(isa, of_y)), y.xor(constants(isa, of_x))]
            });
        });
        h0 = h0.xor(s).xor(a.xor(c));
        h1 = h1.xor(s).xor(b.xor(d));
    }
    h0.store(packed);
    h1.store(&mut packed[4 * bytes..]);
    set_word(packed, T0, t[0]);
    set_word(packed, T1, t[1]);
}

/// Returns the constants with these indices.
#[inline(always)]
fn constants<Q: Quad>(isa: Q::Isa, [i, j, k, l]: [usize; 4]) -> Q
where
    Q::Lane: Width,
{
    Q::of(isa, [Q::Lane::C[i], Q::Lane::C[j], Q::Lane::C[k], Q::Lane::C[l]])
}

/// Returns word `i` of a state.
#[inline(always)]
pub(in crate::algo) fn word<L: Word<Isa = Scalar>>(packed: &[u8], i: usize) -> L {
    let from = &packed[i * L::BYTES..][..L::BYTES];
    // SAFETY: the slice has exactly as many bytes as a word.
    unsafe { L::load(Scalar, from.as_ptr()) }
}

/// Sets word `i` of a state.
#[inline(always)]
pub(in crate::algo) fn set_word<L: Word<Isa = Scalar>>(packed: &mut [u8], i: usize, x: L) {
    let to = &mut packed[i * L::BYTES..][..L::BYTES];
    // SAFETY: the slice has exactly as many bytes as a word.
    unsafe { x.store(to.as_mut_ptr()) }
}

/// Returns the words of the message, each broadcast to all lanes: selecting four words then takes three blends, which
/// most ports can run.
#[inline(always)]
pub(in crate::algo) fn message<Q: Quad, const BE: bool>(isa: Q::Isa, block: &[u8]) -> [Q; 16] {
    let mut m = [Q::each::<BE>(isa, block); 16];
    for i in 1..16 {
        m[i] = Q::each::<BE>(isa, &block[i * Q::Lane::BYTES..]);
    }
    m
}

/// Returns the indices, by lane, of the message words that round `r` adds in the first and second half of G: on the
/// columns (`half` 0) or on the diagonals, each of which is in the lane of its b.
#[inline(always)]
fn numbers(r: usize, half: usize) -> [[usize; 4]; 2] {
    let [s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15] = SIGMA[r % 10];
    if half == 0 { [[s0, s2, s4, s6], [s1, s3, s5, s7]] } else { [[s14, s8, s10, s12], [s15, s9, s11, s13]] }
}

/// Returns the message words that `numbers` selects.
#[inline(always)]
pub(in crate::algo) fn added<Q: Quad>(m: &[Q; 16], r: usize, half: usize) -> [Q; 2] {
    #[cfg(not(miri))]
    if half == 0 || Q::Lane::BYTES == 8 {
        // SAFETY: the assembly has no instructions. It is a memory barrier: m is read after it, so the selections stay
        // between the rounds, or between the half rounds for 64-bit words. The compiler would hoist them in front of
        // all rounds, where they keep the next block out of the processor's out-of-order window.
        unsafe { core::arch::asm!("/* {0} */", in(reg) m.as_ptr(), options(nostack, preserves_flags)) }
    }
    let [[i, j, k, l], [i1, j1, k1, l1]] = numbers(r, half);
    [Q::one_of_each([m[i], m[j], m[k], m[l]]), Q::one_of_each([m[i1], m[j1], m[k1], m[l1]])]
}
