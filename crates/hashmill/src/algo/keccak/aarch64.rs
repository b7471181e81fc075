//! Keccak with ARMv8.2's SHA-3 instructions: one word per register, of one message or of two.
//!
//! A round is 66 instructions and some copies: for θ ten `eor3` and five `rax1`, which rotates and XORs; 25 `xar` for
//! XORing D, ρ and π; 25 `bcax` for χ; one for ι.

#![allow(unsafe_code, reason = "loads of blocks into vector registers")]

use super::RC;
use crate::contract::Params;
use crate::simd::Rows;
use core::arch::aarch64::*;

/// One message, in the low halves of the registers.
#[hashmill_isa::isa(ARM_SHA3)]
pub(super) fn armsha3(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    blocks::<1>(packed, rows);
}

/// Two messages.
#[hashmill_isa::isa(ARM_SHA3)]
pub(super) fn armsha3x2(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    blocks::<2>(packed, rows);
}

/// Repeats a body with `$i` = 0 … 24.
macro_rules! repeat25 {
    ($i:ident => $body:expr) => {
        repeat25!(@each $i, $body, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24)
    };
    (@each $i:ident, $body:expr, $($n:literal)*) => {
        $({
            const $i: usize = $n;
            $body
        })*
    };
}

/// Word `w` of lane `l` lies at `8 * (w * N + l)`.
#[inline]
#[hashmill_isa::isa(ARM_SHA3)]
fn blocks<const N: usize>(packed: &mut [u8], rows: &Rows<'_>) {
    let rate = rows.block();
    assert!(packed.len() >= 200 * N && rows.lanes() == N && (N == 1 || N == 2) && rate % 8 == 0);
    let words: *mut u64 = packed.as_mut_ptr().cast();
    let mut a = [vdupq_n_u64(0); 25];
    for i in 0..25 {
        // SAFETY: word i of every lane, of 25.
        a[i] = unsafe { if N == 1 { vld1q_dup_u64(words.add(i)) } else { vld1q_u64(words.add(2 * i)) } };
    }
    let (first, second) = (rows.lane(0).as_ptr(), rows.lane(N - 1).as_ptr());
    for b in 0..rows.blocks() {
        repeat25!(I => if 8 * I < rate {
            let at = b * rate + 8 * I;
            // SAFETY: the lane has `rows.blocks()` blocks of `rate` bytes; b and I stay within them.
            let mut x = unsafe { vld1q_dup_u64(first.add(at).cast()) };
            if N == 2 {
                // SAFETY: likewise for the other lane.
                x = unsafe { vld1q_lane_u64::<1>(second.add(at).cast(), x) };
            }
            a[I] = veorq_u64(a[I], x);
        });
        permute(&mut a);
    }
    for i in 0..25 {
        // SAFETY: word i of every lane, of 25.
        unsafe { if N == 1 { vst1q_lane_u64::<0>(words.add(i), a[i]) } else { vst1q_u64(words.add(2 * i), a[i]) } }
    }
}

#[inline]
#[hashmill_isa::isa(ARM_SHA3)]
fn permute(a: &mut [uint64x2_t; 25]) {
    for rc in RC {
        let mut c = [a[0]; 5];
        for x in 0..5 {
            c[x] = veor3q_u64(veor3q_u64(a[x], a[x + 5], a[x + 10]), a[x + 15], a[x + 20]);
        }
        // Written out: the compiler would keep this as a loop over memory.
        let d = [
            vrax1q_u64(c[4], c[1]),
            vrax1q_u64(c[0], c[2]),
            vrax1q_u64(c[1], c[3]),
            vrax1q_u64(c[2], c[4]),
            vrax1q_u64(c[3], c[0]),
        ];
        // B[y, 2x+3y] := (A[x,y] ^ D[x]) <<< r; the instruction rotates right.
        macro_rules! b {
            ($x:literal, $y:literal, $r:literal) => {
                vxarq_u64::<{ (64 - $r) % 64 }>(a[$x + 5 * $y], d[$x])
            };
        }
        // Row v of B holds A[x,y] with 2x + 3y = v (mod 5); its element y comes from column x.
        let rows = [
            [b!(0, 0, 0), b!(1, 1, 44), b!(2, 2, 43), b!(3, 3, 21), b!(4, 4, 14)],
            [b!(3, 0, 28), b!(4, 1, 20), b!(0, 2, 3), b!(1, 3, 45), b!(2, 4, 61)],
            [b!(1, 0, 1), b!(2, 1, 6), b!(3, 2, 25), b!(4, 3, 8), b!(0, 4, 18)],
            [b!(4, 0, 27), b!(0, 1, 36), b!(1, 2, 10), b!(2, 3, 15), b!(3, 4, 56)],
            [b!(2, 0, 62), b!(3, 1, 55), b!(4, 2, 39), b!(0, 3, 41), b!(1, 4, 2)],
        ];
        for y in 0..5 {
            for x in 0..5 {
                a[x + 5 * y] = vbcaxq_u64(rows[y][x], rows[y][(x + 2) % 5], rows[y][(x + 1) % 5]);
            }
        }
        a[0] = veorq_u64(a[0], vdupq_n_u64(rc));
    }
}
