//! Keccak of one message, in five registers (`avx512`) or in twenty-five (`avx512vl`).
//!
//! In five a register holds five words; which ones changes from round to round so that no step has to transpose. θ
//! needs the words of a column x in one slot of different registers, χ those of a row Y. A layout gives every word its
//! register, and both are met where the slot is x (or Y) and the register x + k·y (X + k·Y) modulo 5 with k ≠ 0: then
//! the columns' sums are two three-way operations, χ is one for five words, and each of the two moves of a round, from
//! x slots to Y slots and back, is a permutation within every register. π turns k into 3 / (1 + k): 2, 1, 4, and then
//! no further. So the third round of three changes the registers too, which takes permutations of two registers, and
//! five blends where three meet; the table of its layout was found by search.

#![allow(unsafe_code, reason = "assembly, and loads of blocks and of tables into vector registers")]

use super::RC;
use crate::algo::repeat16;
use crate::contract::Params;
use crate::simd::Rows;
use core::arch::asm;
use core::arch::x86_64::*;

/// Five rows of eight slots, of which the first five are used.
type Plane = [__m512i; 5];

/// The register of word (x, y) in step `step` of six: before θ where it is even, after π where it is odd. The slot is x
/// before θ and y after π.
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

/// Where the words of a block, or of a state, go: for each register of the first layout the words among the first
/// sixteen (an index and the slots concerned) and among the next eight.
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
#[hashmill_isa::isa(AVX512)]
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

/// Rounds `$r` … on words that lie in these registers, and seven more. π costs nothing: in the next round the names
/// have moved. The order, row by row with θ and ρ of one before χ of the last, was found by a search on Zen 5
/// (`xtask search-order keccak`).
#[rustfmt::skip]
macro_rules! rounds {
    ([] $($names:literal)*) => {
        ""
    };
    ([$r:literal $($more:literal)*]
     $a0:literal $a1:literal $a2:literal $a3:literal $a4:literal
     $a5:literal $a6:literal $a7:literal $a8:literal $a9:literal
     $a10:literal $a11:literal $a12:literal $a13:literal $a14:literal
     $a15:literal $a16:literal $a17:literal $a18:literal $a19:literal
     $a20:literal $a21:literal $a22:literal $a23:literal $a24:literal
     $t0:literal $t1:literal $t2:literal $t3:literal $t4:literal $t5:literal $t6:literal) => {
        concat!(
            "vmovdqa64 ", $t0, ", ", $a20, "\n",
            "vpternlogq ", $t0, ", ", $a0, ", ", $a5, ", 0x96\n",
            "vmovdqa64 ", $t1, ", ", $a21, "\n",
            "vpternlogq ", $t1, ", ", $a1, ", ", $a6, ", 0x96\n",
            "vmovdqa64 ", $t2, ", ", $a22, "\n",
            "vpternlogq ", $t2, ", ", $a2, ", ", $a7, ", 0x96\n",
            "vmovdqa64 ", $t3, ", ", $a23, "\n",
            "vpternlogq ", $t3, ", ", $a3, ", ", $a8, ", 0x96\n",
            "vmovdqa64 ", $t4, ", ", $a24, "\n",
            "vpternlogq ", $t4, ", ", $a4, ", ", $a9, ", 0x96\n",
            "vpternlogq ", $t0, ", ", $a10, ", ", $a15, ", 0x96\n",
            "vpternlogq ", $t1, ", ", $a11, ", ", $a16, ", 0x96\n",
            "vpternlogq ", $t2, ", ", $a12, ", ", $a17, ", 0x96\n",
            "vpternlogq ", $t3, ", ", $a13, ", ", $a18, ", 0x96\n",
            "vpternlogq ", $t4, ", ", $a14, ", ", $a19, ", 0x96\n",
            "vprolq ", $t5, ", ", $t1, ", 1\n",
            "vpxorq ", $t5, ", ", $t5, ", ", $t4, "\n",
            "vprolq ", $t6, ", ", $t4, ", 1\n",
            "vprolq ", $t4, ", ", $t0, ", 1\n",
            "vpxorq ", $t4, ", ", $t4, ", ", $t3, "\n",
            "vpxorq ", $t6, ", ", $t6, ", ", $t2, "\n",
            "vprolq ", $t2, ", ", $t2, ", 1\n",
            "vpxorq ", $t0, ", ", $t0, ", ", $t2, "\n",
            "vprolq ", $t3, ", ", $t3, ", 1\n",
            "vpxorq ", $t1, ", ", $t1, ", ", $t3, "\n",
            "vpxorq ", $a0, ", ", $a0, ", ", $t5, "\n",
            "vpxorq ", $a6, ", ", $a6, ", ", $t0, "\n",
            "vprolq ", $a6, ", ", $a6, ", 44\n",
            "vpxorq ", $a12, ", ", $a12, ", ", $t1, "\n",
            "vprolq ", $a12, ", ", $a12, ", 43\n",
            "vpxorq ", $a18, ", ", $a18, ", ", $t6, "\n",
            "vprolq ", $a18, ", ", $a18, ", 21\n",
            "vpxorq ", $a24, ", ", $a24, ", ", $t4, "\n",
            "vprolq ", $a24, ", ", $a24, ", 14\n",
            "vpxorq ", $a1, ", ", $a1, ", ", $t0, "\n",
            "vprolq ", $a1, ", ", $a1, ", 1\n",
            "vpxorq ", $a7, ", ", $a7, ", ", $t1, "\n",
            "vprolq ", $a7, ", ", $a7, ", 6\n",
            "vpxorq ", $a13, ", ", $a13, ", ", $t6, "\n",
            "vprolq ", $a13, ", ", $a13, ", 25\n",
            "vpxorq ", $a19, ", ", $a19, ", ", $t4, "\n",
            "vprolq ", $a19, ", ", $a19, ", 8\n",
            "vpxorq ", $a20, ", ", $a20, ", ", $t5, "\n",
            "vprolq ", $a20, ", ", $a20, ", 18\n",
            "vmovdqa64 ", $t2, ", ", $a0, "\n",
            "vmovdqa64 ", $t3, ", ", $a6, "\n",
            "vpternlogq ", $a0, ", ", $a6, ", ", $a12, ", 0xd2\n",
            "vpxorq ", $a0, ", ", $a0, ", qword ptr [rip + {rc} + 8*", $r, "]{{1to2}}\n",
            "vpternlogq ", $a6, ", ", $a12, ", ", $a18, ", 0xd2\n",
            "vpternlogq ", $a12, ", ", $a18, ", ", $a24, ", 0xd2\n",
            "vpternlogq ", $a18, ", ", $a24, ", ", $t2, ", 0xd2\n",
            "vpternlogq ", $a24, ", ", $t2, ", ", $t3, ", 0xd2\n",
            "vpxorq ", $a3, ", ", $a3, ", ", $t6, "\n",
            "vprolq ", $a3, ", ", $a3, ", 28\n",
            "vpxorq ", $a9, ", ", $a9, ", ", $t4, "\n",
            "vprolq ", $a9, ", ", $a9, ", 20\n",
            "vpxorq ", $a10, ", ", $a10, ", ", $t5, "\n",
            "vprolq ", $a10, ", ", $a10, ", 3\n",
            "vpxorq ", $a16, ", ", $a16, ", ", $t0, "\n",
            "vprolq ", $a16, ", ", $a16, ", 45\n",
            "vpxorq ", $a22, ", ", $a22, ", ", $t1, "\n",
            "vprolq ", $a22, ", ", $a22, ", 61\n",
            "vmovdqa64 ", $t2, ", ", $a1, "\n",
            "vmovdqa64 ", $t3, ", ", $a7, "\n",
            "vpternlogq ", $a1, ", ", $a7, ", ", $a13, ", 0xd2\n",
            "vpternlogq ", $a7, ", ", $a13, ", ", $a19, ", 0xd2\n",
            "vpternlogq ", $a13, ", ", $a19, ", ", $a20, ", 0xd2\n",
            "vpternlogq ", $a19, ", ", $a20, ", ", $t2, ", 0xd2\n",
            "vpternlogq ", $a20, ", ", $t2, ", ", $t3, ", 0xd2\n",
            "vpxorq ", $a2, ", ", $a2, ", ", $t1, "\n",
            "vprolq ", $a2, ", ", $a2, ", 62\n",
            "vpxorq ", $a8, ", ", $a8, ", ", $t6, "\n",
            "vprolq ", $a8, ", ", $a8, ", 55\n",
            "vpxorq ", $a14, ", ", $a14, ", ", $t4, "\n",
            "vprolq ", $a14, ", ", $a14, ", 39\n",
            "vpxorq ", $a15, ", ", $a15, ", ", $t5, "\n",
            "vprolq ", $a15, ", ", $a15, ", 41\n",
            "vpxorq ", $a21, ", ", $a21, ", ", $t0, "\n",
            "vprolq ", $a21, ", ", $a21, ", 2\n",
            "vmovdqa64 ", $t2, ", ", $a3, "\n",
            "vmovdqa64 ", $t3, ", ", $a9, "\n",
            "vpternlogq ", $a3, ", ", $a9, ", ", $a10, ", 0xd2\n",
            "vpternlogq ", $a9, ", ", $a10, ", ", $a16, ", 0xd2\n",
            "vpternlogq ", $a10, ", ", $a16, ", ", $a22, ", 0xd2\n",
            "vpternlogq ", $a16, ", ", $a22, ", ", $t2, ", 0xd2\n",
            "vpternlogq ", $a22, ", ", $t2, ", ", $t3, ", 0xd2\n",
            "vpxorq ", $a4, ", ", $a4, ", ", $t4, "\n",
            "vprolq ", $a4, ", ", $a4, ", 27\n",
            "vpxorq ", $a5, ", ", $a5, ", ", $t5, "\n",
            "vprolq ", $a5, ", ", $a5, ", 36\n",
            "vpxorq ", $a11, ", ", $a11, ", ", $t0, "\n",
            "vprolq ", $a11, ", ", $a11, ", 10\n",
            "vpxorq ", $a17, ", ", $a17, ", ", $t1, "\n",
            "vprolq ", $a17, ", ", $a17, ", 15\n",
            "vpxorq ", $a23, ", ", $a23, ", ", $t6, "\n",
            "vprolq ", $a23, ", ", $a23, ", 56\n",
            "vmovdqa64 ", $t2, ", ", $a2, "\n",
            "vmovdqa64 ", $t3, ", ", $a8, "\n",
            "vpternlogq ", $a2, ", ", $a8, ", ", $a14, ", 0xd2\n",
            "vpternlogq ", $a8, ", ", $a14, ", ", $a15, ", 0xd2\n",
            "vpternlogq ", $a14, ", ", $a15, ", ", $a21, ", 0xd2\n",
            "vpternlogq ", $a15, ", ", $a21, ", ", $t2, ", 0xd2\n",
            "vpternlogq ", $a21, ", ", $t2, ", ", $t3, ", 0xd2\n",
            "vmovdqa64 ", $t2, ", ", $a4, "\n",
            "vmovdqa64 ", $t3, ", ", $a5, "\n",
            "vpternlogq ", $a4, ", ", $a5, ", ", $a11, ", 0xd2\n",
            "vpternlogq ", $a5, ", ", $a11, ", ", $a17, ", 0xd2\n",
            "vpternlogq ", $a11, ", ", $a17, ", ", $a23, ", 0xd2\n",
            "vpternlogq ", $a17, ", ", $a23, ", ", $t2, ", 0xd2\n",
            "vpternlogq ", $a23, ", ", $t2, ", ", $t3, ", 0xd2\n",
            rounds!([$($more)*]
                $a0 $a6 $a12 $a18 $a24
                $a3 $a9 $a10 $a16 $a22
                $a1 $a7 $a13 $a19 $a20
                $a4 $a5 $a11 $a17 $a23
                $a2 $a8 $a14 $a15 $a21
                $t2 $t3 $t5 $t0 $t1 $t6 $t4),
        )
    };
}

/// One message, a word a register; 24 rounds written out in assembly. From one round to the next there are moves of
/// registers, which take no time, and 95 operations, of which Zen 5 begins four in a cycle: 24 cycles (measured: 29).
/// What compilers made of the same took 36.
#[hashmill_isa::isa(AVX512)]
pub(super) fn avx512vl(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    let rate = rows.block();
    assert!(packed.len() >= 200 && rows.lanes() == 1 && rate % 8 == 0 && (8..=192).contains(&rate));
    let message = rows.lane(0);
    assert!(message.len() == rate * rows.blocks());
    let mut a = [_mm_setzero_si128(); 25];
    for (i, a) in a.iter_mut().enumerate() {
        *a = _mm_cvtsi64_si128(i64::from_ne_bytes(*packed[8 * i..].first_chunk().expect("a word")));
    }
    for block in message.chunks_exact(rate) {
        let words = block.as_chunks::<8>().0;
        repeat16!(I => {
            if I < words.len() {
                a[I] = _mm_xor_si128(a[I], _mm_cvtsi64_si128(i64::from_ne_bytes(words[I])));
            }
        });
        repeat16!(I => {
            if I < 8 && 16 + I < words.len() {
                a[16 + I % 8] = _mm_xor_si128(a[16 + I % 8], _mm_cvtsi64_si128(i64::from_ne_bytes(words[16 + I % 8])));
            }
        });
        // SAFETY: it reads the constants and changes the registers that it names.
        unsafe {
            asm!(
                rounds!([0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23]
                    "xmm0" "xmm1" "xmm2" "xmm3" "xmm4"
                    "xmm5" "xmm6" "xmm7" "xmm8" "xmm9"
                    "xmm10" "xmm11" "xmm12" "xmm13" "xmm14"
                    "xmm15" "xmm16" "xmm17" "xmm18" "xmm19"
                    "xmm20" "xmm21" "xmm22" "xmm23" "xmm24"
                    "xmm25" "xmm26" "xmm27" "xmm28" "xmm29" "xmm30" "xmm31"),
                rc = sym RC,
                inout("xmm0") a[0], inout("xmm1") a[1], inout("xmm2") a[2], inout("xmm3") a[3],
                inout("xmm4") a[4], inout("xmm5") a[5], inout("xmm6") a[6], inout("xmm7") a[7],
                inout("xmm8") a[8], inout("xmm9") a[9], inout("xmm10") a[10], inout("xmm11") a[11],
                inout("xmm12") a[12], inout("xmm13") a[13], inout("xmm14") a[14], inout("xmm15") a[15],
                inout("xmm16") a[16], inout("xmm17") a[17], inout("xmm18") a[18], inout("xmm19") a[19],
                inout("xmm20") a[20], inout("xmm21") a[21], inout("xmm22") a[22], inout("xmm23") a[23],
                inout("xmm24") a[24],
                out("xmm25") _, out("xmm26") _, out("xmm27") _, out("xmm28") _, out("xmm29") _, out("xmm30") _, out("xmm31") _,
                options(pure, readonly, nostack, preserves_flags),
            );
        }
    }
    for (i, a) in a.iter().enumerate() {
        packed[8 * i..8 * i + 8].copy_from_slice(&_mm_cvtsi128_si64(*a).to_ne_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Before θ, the five words of a column lie in different registers; after π, those of a row do, in the order that χ
    /// needs.
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
