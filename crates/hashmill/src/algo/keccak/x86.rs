//! Keccak of one message in five registers.
//!
//! A register holds five words; which ones changes from round to round so that no step has to transpose. θ needs the words
//! of a column x in one slot of different registers, χ those of a row Y. A layout gives every word its register, and both are met
//! where the slot is x (or Y) and the register x + k·y (X + k·Y) modulo 5 with k ≠ 0: then the columns' sums are two three-way
//! operations, χ is one for five words, and each of the two moves of a round, from x slots to Y slots and back, is a permutation
//! within every register. π turns k into 3 / (1 + k): 2, 1, 4, and then no further. So the third round of three changes the
//! registers too, which takes permutations of two registers, and five blends where three meet; the table of its layout was found
//! by search.

#![allow(unsafe_code, reason = "loads of blocks and of tables into vector registers")]

use super::RC;
use crate::contract::Params;
use crate::simd::Rows;
use core::arch::x86_64::*;

/// Five rows of eight slots, of which the first five are used.
type Plane = [__m512i; 5];

/// The register of word (x, y) in step `step` of six: before θ where it is even, after π where it is odd. The slot is x before
/// θ and y after π.
const fn register(step: usize, x: usize, y: usize) -> usize {
    match step % 6 {
        0 => (x + 2 * y) % 5,
        1 | 2 => (x + y) % 5,
        3 => (x + 4 * y) % 5,
        4 => ([0, 0, 3, 4, 2][x] + 2 * y) % 5,
        _ => (x + 2 * y) % 5,
    }
}

/// How one register of the next step is made.
#[derive(Clone, Copy)]
struct Move {
    /// The registers that it takes words from; those that are not needed repeat the first.
    from: [usize; 3],
    /// How many there are.
    count: usize,
    /// The slots in which the third's words replace the first's, before the permutation.
    third: u8,
    /// For each slot the slot that it comes from, plus 8 in the second register.
    index: [i64; 8],
}

const NO_MOVE: Move = Move { from: [0; 3], count: 0, third: 0, index: [0; 8] };

/// The moves from step `step` to the next.
const fn moves(step: usize) -> [Move; 5] {
    let mut all = [NO_MOVE; 5];
    let mut to = 0;
    while to < 5 {
        let mut m = NO_MOVE;
        let mut word = 0;
        while word < 25 {
            let (x, y) = (word % 5, word / 5);
            // π
            let (new_x, new_y) = if step % 2 == 0 { (y, (2 * x + 3 * y) % 5) } else { (x, y) };
            if register(step + 1, new_x, new_y) == to {
                let (from, slot) = (register(step, x, y), if step % 2 == 0 { x } else { y });
                let mut i = 0;
                while i < m.count && m.from[i] != from {
                    i += 1;
                }
                if i == m.count {
                    m.from[i] = from;
                    m.count += 1;
                }
                if i == 2 {
                    m.third |= 1 << slot;
                }
                m.index[if step % 2 == 0 { new_y } else { new_x }] = slot as i64 + if i == 1 { 8 } else { 0 };
            }
            word += 1;
        }
        all[to] = m;
        to += 1;
    }
    all
}

const MOVES: [[Move; 5]; 6] = [moves(0), moves(1), moves(2), moves(3), moves(4), moves(5)];

/// ρ's rotations of the registers before θ in round `round` of three.
const fn rotations(round: usize) -> [[i64; 8]; 5] {
    let mut all = [[0; 8]; 5];
    let (mut x, mut y, mut t) = (1, 0, 0);
    while t < 24 {
        all[register(2 * round, x, y)][x] = (t + 1) * (t + 2) / 2 % 64;
        (x, y) = (y, (2 * x + 3 * y) % 5);
        t += 1;
    }
    all
}

const RHO: [[[i64; 8]; 5]; 3] = [rotations(0), rotations(1), rotations(2)];

/// Where the words of a block, or of a state, go: for each register of the first layout the words among the first sixteen (an index
/// and the slots concerned) and among the next eight.
const fn spread() -> [([i64; 8], u8, [i64; 8], u8); 5] {
    let mut all = [([0; 8], 0, [0; 8], 0); 5];
    let mut word = 0;
    while word < 24 {
        let (x, y) = (word % 5, word / 5);
        let r = register(0, x, y);
        if word < 16 {
            all[r].0[x] = word as i64;
            all[r].1 |= 1 << x;
        } else {
            all[r].2[x] = word as i64 - 16;
            all[r].3 |= 1 << x;
        }
        word += 1;
    }
    all
}

const SPREAD: [([i64; 8], u8, [i64; 8], u8); 5] = spread();

/// A mask of the first `n` slots of eight.
#[inline(always)]
const fn first(n: usize) -> u8 {
    (0xffu32 >> (8 - n)) as u8
}

macro_rules! vector {
    ($x:expr) => {{
        const X: &[i64; 8] = &$x;
        // SAFETY: a load of the eight words that X has.
        unsafe { _mm512_loadu_si512(X.as_ptr().cast()) }
    }};
}

macro_rules! five {
    ($r:ident => $e:expr) => {
        [
            { const $r: usize = 0; $e },
            { const $r: usize = 1; $e },
            { const $r: usize = 2; $e },
            { const $r: usize = 3; $e },
            { const $r: usize = 4; $e },
        ]
    };
}

macro_rules! xor3 {
    ($a:expr, $b:expr, $c:expr) => {
        _mm512_ternarylogic_epi64::<0x96>($a, $b, $c)
    };
}

/// From step `$s` to the next.
macro_rules! moved {
    ($a:expr, $s:literal) => {{
        let a: Plane = $a;
        five!(R => {
            const M: Move = MOVES[$s][R];
            let first = a[M.from[0]];
            if M.count == 1 {
                _mm512_permutexvar_epi64(vector!(M.index), first)
            } else {
                let first = if M.count == 3 { _mm512_mask_mov_epi64(first, M.third, a[M.from[2]]) } else { first };
                _mm512_permutex2var_epi64(first, vector!(M.index), a[M.from[1]])
            }
        })
    }};
}

/// Round `$k` of three.
macro_rules! round {
    ($a:ident, $k:literal, $even:literal, $odd:literal, $rc:expr) => {
        let c = xor3!(xor3!($a[0], $a[1], $a[2]), $a[3], $a[4]);
        let left = _mm512_permutexvar_epi64(vector!([4, 0, 1, 2, 3, 0, 0, 0]), c);
        let right = _mm512_permutexvar_epi64(vector!([1, 2, 3, 4, 0, 0, 0, 0]), _mm512_rol_epi64::<1>(c));
        $a = five!(R => _mm512_rolv_epi64(xor3!($a[R], left, right), vector!(RHO[$k][R])));
        $a = moved!($a, $even);
        // ι goes where χ only adds: nothing waits for it.
        let first = _mm512_xor_si512($a[0], _mm512_zextsi128_si512(_mm_cvtsi64_si128($rc as i64)));
        $a = five!(R => {
            let x = if R == 0 { first } else { $a[R] };
            _mm512_ternarylogic_epi64::<0xd2>(x, $a[(R + 1) % 5], $a[(R + 2) % 5])
        });
        $a = moved!($a, $odd);
    };
}

/// The words of `m`, zeros from word `words` on (at most 24), in the first layout.
macro_rules! scattered {
    ($m:expr, $words:expr, $r:ident => $with:expr) => {{
        let (from, words): (*const i64, usize) = ($m, $words);
        // SAFETY: the caller has `words` words at `from`; the masks leave out what lies beyond.
        let (m0, m1, m2) = unsafe {
            (
                _mm512_maskz_loadu_epi64(first(words.min(8)), from),
                _mm512_maskz_loadu_epi64(first(words.clamp(8, 16) - 8), from.wrapping_add(8)),
                _mm512_maskz_loadu_epi64(first(words.clamp(16, 24) - 16), from.wrapping_add(16)),
            )
        };
        five!($r => {
            const S: ([i64; 8], u8, [i64; 8], u8) = SPREAD[$r];
            let low = _mm512_maskz_permutex2var_epi64(S.1, m0, vector!(S.0), m1);
            let high = _mm512_maskz_permutexvar_epi64(S.3, vector!(S.2), m2);
            xor3!(low, high, $with)
        })
    }};
}

/// One message.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
pub(super) fn avx512(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    let rate = rows.block();
    assert!(packed.len() >= 200 && rows.lanes() == 1 && rate % 8 == 0 && (8..=192).contains(&rate));
    let zero = _mm512_setzero_si512();
    let mut a: Plane = scattered!(packed.as_ptr().cast(), 24, R => zero);
    const LAST: usize = register(0, 4, 4);
    let last = i64::from_ne_bytes(*packed[192..].first_chunk().expect("a word"));
    a[LAST] = _mm512_mask_set1_epi64(a[LAST], 1 << 4, last);
    let from = rows.lane(0).as_ptr();
    for b in 0..rows.blocks() {
        a = scattered!(from.wrapping_add(b * rate).cast(), rate / 8, R => a[R]);
        for t in 0..8 {
            round!(a, 0, 0, 1, RC[3 * t]);
            round!(a, 1, 2, 3, RC[3 * t + 1]);
            round!(a, 2, 4, 5, RC[3 * t + 2]);
        }
    }
    let mut out = [[0u64; 8]; 5];
    for r in 0..5 {
        // SAFETY: eight words.
        unsafe { _mm512_storeu_si512(out[r].as_mut_ptr().cast(), a[r]) }
    }
    for word in 0..25 {
        let (x, y) = (word % 5, word / 5);
        packed[8 * word..8 * word + 8].copy_from_slice(&out[register(0, x, y)][x].to_ne_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Before θ a column's five words lie in different registers, after π those of a row, in the order that χ needs.
    #[test]
    fn layouts() {
        for step in 0..6 {
            for slot in 0..5 {
                let mut seen = 0;
                for i in 0..5 {
                    seen |= 1 << if step % 2 == 0 { register(step, slot, i) } else { register(step, i, slot) };
                    if step % 2 == 1 {
                        assert_eq!(register(step, (i + 1) % 5, slot), (register(step, i, slot) + 1) % 5);
                    }
                }
                assert_eq!(seen, 0b11111, "step {step}, slot {slot}");
            }
        }
    }
}
