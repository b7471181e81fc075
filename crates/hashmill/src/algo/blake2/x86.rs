//! BLAKE2 of a single message: each row of v is a register of four words, and a half round is four Gs side by side, as
//! in BLAKE's kernels. The code that both share is in `blake/x86.rs`.

use super::{Blake2, F, T0, T1, Width};
use crate::algo::blake::count;
use crate::algo::blake::x86::{added, message, round_of_rows, set_word, word};
use crate::algo::repeat16;
use crate::simd::x86_quads::Quad;
use crate::simd::{Rows, Word};

/// BLAKE2s's kernels.
pub(super) mod blake2s {
    use super::one_message;
    use crate::contract::Params;
    use crate::simd::Rows;
    use crate::simd::x86::{Avx512, Ssse3};
    use crate::simd::x86_quads::{Avx512x32, Ssse3x32};

    /// Rotates with a single instruction.
    #[hashmill_isa::isa(AVX512)]
    pub(in crate::algo::blake2) fn avx512vl(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
        one_message::<Avx512x32>(Avx512::token(), packed, rows);
    }

    /// Rotates with a shuffle, or with two shifts.
    #[hashmill_isa::isa(SSSE3)]
    pub(in crate::algo::blake2) fn ssse3(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
        one_message::<Ssse3x32>(Ssse3::token(), packed, rows);
    }
}

/// BLAKE2b's kernels.
pub(super) mod blake2b {
    use super::one_message;
    use crate::contract::Params;
    use crate::simd::Rows;
    use crate::simd::x86::{Avx2, Avx512};
    use crate::simd::x86_quads::{Avx2x64, Avx512x64};

    /// Rotates with a single instruction.
    #[hashmill_isa::isa(AVX512)]
    pub(in crate::algo::blake2) fn avx512vl(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
        one_message::<Avx512x64>(Avx512::token(), packed, rows);
    }

    /// Rotates with a shuffle, or with two shifts.
    #[hashmill_isa::isa(AVX2)]
    pub(in crate::algo::blake2) fn avx2(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
        one_message::<Avx2x64>(Avx2::token(), packed, rows);
    }
}

/// Compresses all blocks of a single message.
#[inline(always)]
fn one_message<Q: Quad>(isa: Q::Isa, packed: &mut [u8], rows: &Rows<'_>)
where
    Q::Lane: Width,
{
    let (bytes, block) = (Q::Lane::BYTES, Blake2::<Q::Lane>::BLOCK);
    assert!(packed.len() >= 11 * bytes && rows.lanes() == 1 && rows.block() == block);
    let mut h0 = Q::load(isa, packed);
    let mut h1 = Q::load(isa, &packed[4 * bytes..]);
    let mut t = [word::<Q::Lane>(packed, T0), word(packed, T1)];
    let f = word(packed, F);
    let [iv0, iv1, iv2, iv3, iv4, iv5, iv6, iv7] = Q::Lane::IV;
    for i in 0..rows.blocks() {
        let m = message::<Q, false>(isa, &rows.lane(0)[block * i..][..block]);
        count(&mut t, [0, 1], (block as u16).into());
        let (mut a, mut b) = (h0, h1);
        let mut c = Q::of(isa, [iv0, iv1, iv2, iv3]);
        let mut d = Q::of(isa, [t[0], t[1], f, 0.into()]).xor(Q::of(isa, [iv4, iv5, iv6, iv7]));
        repeat16!(R => if R < Q::Lane::ROUNDS {
            round_of_rows!(Q::Lane::ROTATIONS, [a, b, c, d], HALF => added(&m, R, HALF));
        });
        h0 = h0.xor(a.xor(c));
        h1 = h1.xor(b.xor(d));
    }
    h0.store(packed);
    h1.store(&mut packed[4 * bytes..]);
    set_word(packed, T0, t[0]);
    set_word(packed, T1, t[1]);
}
