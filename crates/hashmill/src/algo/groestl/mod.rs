//! Grøstl-224, Grøstl-256, Grøstl-384, Grøstl-512 — "Grøstl – a SHA-3 candidate" (P. Gauravaram, L. Knudsen, K.
//! Matusiewicz, F. Mendel, C. Rechberger, M. Schläffer, S. Thomsen, 2008; the final version of 2011 with its tweaks).
//! digest 224 to 512 bit · block 64 or (384 and 512 bit) 128 bytes · columns of bytes · status: sound
//!
//! ## Algorithm
//!
//! ```text
//! h := P(h ^ m) ^ Q(m) ^ h;       at the end h := P(h) ^ h, whose last bytes are the digest
//! P and Q, for r in 0..10 (14 for the longer digests), on a matrix of 8 rows and 8 (16) columns, filled by columns:
//!   AddRoundConstant  P: row 0, column j ^= 16j ^ r          Q: all ^= ff, and row 7, column j ^= 16j ^ r
//!   SubBytes          the S-box of AES
//!   ShiftBytes        row i to the left by σ_i (tables SHIFT_P and SHIFT_Q)
//!   MixBytes          each column times the circulant matrix (2 2 3 4 5 3 5 7) over GF(2^8)
//! ```
//!
//! h starts as the digest length in bits, in its last bytes, big-endian. The padding is a 1 bit, zeros, and the number
//! of blocks in 64 bits, big-endian. `p[0]` is the number of columns.
//!
//! The final step is run by the kernel like any block: every message is followed by a block of zeros, for which f(h, 0)
//! is P(h) ^ h plus the constant Q(0).
//!
//! ## Kernels
//!
//! All kernels but `portable` use the CPU's AES instructions for SubBytes. "Short" and "long" refer to digests; numbers
//! without a unit or CPU are cycles/byte on Sapphire Rapids.
//!
//! * `gfnix8`, `gfnix4`, short: a row of P and Q of four messages in each of eight 64-byte registers; eight messages
//!   are two interleaved groups, whose chains hide each other's latency (4.2 and 3.4 GB/s on Zen 5, `gfni` 1.1). Four
//!   groups do not fit in the registers (3.75).
//! * `gfnix4`, `gfnix2`, long: likewise, with rows of two messages (3.2 and 2.5 GB/s, `gfni` 1.35; four groups 2.8). A
//!   row takes eight operations per round, three of them on two of the four pipes: 24 cycles for eight rows, as
//!   measured. A byte-sliced layout would save one of the eight and need more registers than there are.
//! * `vaesx2`, short: rows of two messages in 32-byte registers, for CPUs without AVX-512 (1.1 GB/s there, `aesni`
//!   0.57).
//! * `gfni`, short: P and Q in one 64-byte register each, column by column; shifted bytes are permutations, rows are
//!   rotations of columns, products are GFNI's (4.1). Rotations of words instead of shuffles saturate one port (4.4).
//! * `gfni`, long: a row of P and the same row of Q in each of eight 32-byte registers (3.8). Products of x before the
//!   sums of y: 3.9.
//! * `vaes`: the same with products by doubling and sixteen registers, for CPUs without AVX-512 (5.6).
//! * `aesni`, short: a row of P and of Q in each register (7.8); long: P, then Q (10.8).
//! * `portable`: one message. A column is a word with row 0 in its lowest byte; SubBytes and MixBytes of a byte in row
//!   i are a lookup in T\[i\], so a new column is the sum of eight lookups. The matrix stays in memory, where a byte is
//!   one load; extracting bytes from words in registers takes two or three operations, and sixteen words do not fit (8
//!   columns: 245 against 270 MB/s, 16 columns: 160 against 200 on Zen 5). P and Q are interleaved: while one waits for
//!   its last column, the other proceeds.

#[cfg(target_arch = "x86_64")]
use super::kernels::kernel_of_states;
use super::kernels::{kernel, on};
use crate::base::bits::BitOrder;
use crate::contract::{Blocks, Inputs, Kernel, Params, State, Tail};
use crate::simd::{Feed, Round, Rows, Scalar, drive};

#[cfg(target_arch = "x86_64")]
mod x86;

/// The kernels of the shorter digests in order of preference.
pub(crate) static KERNELS_512: &[Kernel] = &[
    #[cfg(target_arch = "x86_64")]
    kernel_of_states::<64>("gfnix8", on!([AVX512 + VBMI + GFNI + VAES]; x86::short::gfnix8), 8, 5),
    #[cfg(target_arch = "x86_64")]
    kernel_of_states::<64>("gfnix4", on!([AVX512 + VBMI + GFNI + VAES]; x86::short::gfnix4), 4, 2),
    #[cfg(target_arch = "x86_64")]
    kernel("gfni", on!([AVX512 + VBMI + GFNI + VAES]; x86::short::gfni), 1, 1, 8, 8),
    #[cfg(target_arch = "x86_64")]
    kernel_of_states::<64>("vaesx2", on!([AVX2 + VAES]; x86::short::vaesx2), 2, 2),
    #[cfg(target_arch = "x86_64")]
    kernel("aesni", on!([AESNI]; x86::short::aesni), 1, 1, 8, 8),
    kernel("portable", on!([NONE]; portable::<8>), 1, 1, 8, 8),
];
/// The kernels of the longer digests in order of preference.
pub(crate) static KERNELS_1024: &[Kernel] = &[
    #[cfg(target_arch = "x86_64")]
    kernel_of_states::<128>("gfnix4", on!([AVX512 + VBMI + GFNI + VAES]; x86::long::gfnix4), 4, 3),
    #[cfg(target_arch = "x86_64")]
    kernel_of_states::<128>("gfnix2", on!([AVX512 + VBMI + GFNI + VAES]; x86::long::gfnix2), 2, 2),
    #[cfg(target_arch = "x86_64")]
    kernel("gfni", on!([AVX512 + VBMI + GFNI + VAES]; x86::long::gfni), 1, 1, 16, 8),
    #[cfg(target_arch = "x86_64")]
    kernel("vaes", on!([AVX2 + VAES]; x86::long::vaes), 1, 1, 16, 8),
    #[cfg(target_arch = "x86_64")]
    kernel("aesni", on!([AESNI]; x86::long::aesni), 1, 1, 16, 8),
    kernel("portable", on!([NONE]; portable::<16>), 1, 1, 16, 8),
];

/// Padding and output of the shorter digests.
pub(crate) static RULE_512: Groestl<8> = Groestl;
/// Padding and output of the longer digests.
pub(crate) static RULE_1024: Groestl<16> = Groestl;

/// Grøstl with a state of N columns.
pub(crate) struct Groestl<const N: usize>;

impl<const N: usize> Blocks for Groestl<N> {
    fn block(&self, _: &Params) -> usize {
        8 * N
    }

    fn setup(&self) -> usize {
        if N == 8 { 2 } else { 0 }
    }

    fn init(&self, p: &Params, _: &Inputs<'_>, s: &mut State) {
        for i in 0..N - 1 {
            s.set_u64(i, 0);
        }
        s.set_u64(N - 1, u64::from(8 * p.out_len).swap_bytes());
    }

    fn tail(&self, _: &Params, _: &mut State, stage: u8, rest: &[u8], total: u128, out: &mut Tail) -> usize {
        match stage {
            0 => {}
            // P(h) ^ h, plus Q(0).
            1 => {
                out[..8 * N].fill(0);
                return 8 * N;
            }
            _ => return 0,
        }
        let n = rest.len();
        let end = if n + 9 <= 8 * N { 8 * N } else { 16 * N };
        let blocks = (total + 9).div_ceil(8 * N as u128);
        out[..n].copy_from_slice(rest);
        out[n] = 0x80;
        out[n + 1..end - 8].fill(0);
        out[end - 8..end].copy_from_slice(&(blocks as u64).to_be_bytes());
        end
    }

    fn bit_order(&self, _: &Params) -> Option<BitOrder> {
        Some(BitOrder::High)
    }

    fn tail_len(&self, _: &Params, rest: usize) -> usize {
        8 * N * if rest + 9 <= 8 * N { 2 } else { 3 }
    }

    fn output(&self, _: &Params, s: &mut State, _: &mut dyn FnMut(&mut State, &[u8]), out: &mut [u8]) {
        let mut end = [0; 64];
        for (i, word) in end.chunks_exact_mut(8).enumerate() {
            let i = N - 8 + i;
            word.copy_from_slice(&(s.u64(i) ^ Self::Q_OF_ZERO[i]).to_le_bytes());
        }
        out.copy_from_slice(&end[64 - out.len()..]);
    }
}

fn portable<const N: usize>(p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    drive::<Groestl<N>, u64, N, N, false>(Scalar, p, packed, rows);
}

impl<const N: usize> Round<u64, N, N, false> for Groestl<N> {
    #[inline(always)]
    fn compress(_: Scalar, p: &Params, h: &mut [u64; N], m: &mut Feed<'_, u64, N, false>) {
        let columns = columns(p);
        let [mut x, mut x1, mut y, mut y1] = [NO_MATRIX; 4];
        let mut any = 0;
        for j in 0..N {
            put::<N>(&mut x, j, h[j] ^ m.word(j) ^ p_constant(j, 0));
            put::<N>(&mut y, j, m.word(j) ^ q_constant(j, 0));
            any |= m.word(j);
        }
        let mut r = 0;
        while r < rounds(N) {
            round_p::<N>(columns, &x, &mut x1, r);
            if any != 0 {
                round_q::<N>(columns, &y, &mut y1, r);
            }
            round_p::<N>(columns, &x1, &mut x, r + 1);
            if any != 0 {
                round_q::<N>(columns, &y1, &mut y, r + 1);
            }
            r += 2;
        }
        for j in 0..N {
            // The last rounds added constants for a round that does not follow.
            let q = if any == 0 { Self::Q_OF_ZERO[j] } else { u64::from_le_bytes(y[j]) ^ q_constant(j, r) };
            h[j] ^= u64::from_le_bytes(x[j]) ^ p_constant(j, r) ^ q;
        }
    }
}

/// N, but not as a constant: the compiler would unroll a loop over eight columns and then try to keep the matrix in
/// registers, of which there are too few (120 MB/s instead of 270).
#[inline(always)]
fn columns(p: &Params) -> usize {
    usize::from(p.p[0])
}

const fn rounds(columns: usize) -> u64 {
    if columns == 8 { 10 } else { 14 }
}

impl<const N: usize> Groestl<N> {
    /// Q of the block of zeros that ends every message: but for this, the compression function is then P(h) ^ h.
    const Q_OF_ZERO: [u64; N] = {
        let s = aes_s_box();
        let mut y = [[0; 8]; N];
        let mut r = 0;
        while r < rounds(N) {
            let mut j = 0;
            while j < N {
                y[j] = (u64::from_le_bytes(y[j]) ^ q_constant(j, r)).to_le_bytes();
                j += 1;
            }
            let from = y;
            let mut j = 0;
            while j < N {
                let mut shifted = [0; 8];
                let mut i = 0;
                while i < 8 {
                    shifted[i] = s[from[(j + SHIFT_Q[N / 8 - 1][i]) % N][i] as usize];
                    i += 1;
                }
                y[j] = mixed(&shifted);
                j += 1;
            }
            r += 1;
        }
        let mut q = [0; N];
        let mut j = 0;
        while j < N {
            q[j] = u64::from_le_bytes(y[j]);
            j += 1;
        }
        q
    };
}

/// MixBytes of one column.
const fn mixed(a: &[u8; 8]) -> [u8; 8] {
    let mut b = [0; 8];
    let mut i = 0;
    while i < 64 {
        b[i / 8] ^= times(MIX[i % 8], a[(i / 8 + i % 8) % 8]);
        i += 1;
    }
    b
}

/// The columns of a matrix, twice, so that the number of a shifted column need not wrap.
type Matrix = [[u8; 8]; 32];

const NO_MATRIX: Matrix = [[0; 8]; 32];

#[inline(always)]
fn put<const N: usize>(x: &mut Matrix, j: usize, column: u64) {
    x[j] = column.to_le_bytes();
    x[N + j] = column.to_le_bytes();
}

/// What P's AddRoundConstant adds to column j in round r.
#[inline(always)]
const fn p_constant(j: usize, r: u64) -> u64 {
    (16 * j as u64) ^ r
}

/// What Q's AddRoundConstant adds.
#[inline(always)]
const fn q_constant(j: usize, r: u64) -> u64 {
    !(p_constant(j, r) << 56)
}

/// Round r of P without its AddRoundConstant, followed by that of the next round. `columns` is N.
#[inline(always)]
fn round_p<const N: usize>(columns: usize, from: &Matrix, to: &mut Matrix, r: u64) {
    for j in 0..columns {
        put::<N>(to, j, substitute_shift_mix(from, &SHIFT_P[N / 8 - 1], j) ^ p_constant(j, r + 1));
    }
}

/// Round r of Q without its AddRoundConstant, followed by that of the next round. `columns` is N.
#[inline(always)]
fn round_q<const N: usize>(columns: usize, from: &Matrix, to: &mut Matrix, r: u64) {
    for j in 0..columns {
        put::<N>(to, j, substitute_shift_mix(from, &SHIFT_Q[N / 8 - 1], j) ^ q_constant(j, r + 1));
    }
}

/// Column j after SubBytes, ShiftBytes and MixBytes.
#[inline(always)]
fn substitute_shift_mix(x: &Matrix, shift: &[usize; 8], j: usize) -> u64 {
    let mut sum = 0;
    for i in 0..8 {
        sum ^= T[i][usize::from(x[j + shift[i]][i])];
    }
    sum
}

/// σ of P for 8 and for 16 columns.
const SHIFT_P: [[usize; 8]; 2] = [[0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 2, 3, 4, 5, 6, 11]];
/// σ of Q.
const SHIFT_Q: [[usize; 8]; 2] = [[1, 3, 5, 7, 0, 2, 4, 6], [1, 3, 5, 11, 0, 2, 4, 6]];

/// The first row of the MixBytes matrix; each row is the one above rotated right by one.
const MIX: [u8; 8] = [2, 2, 3, 4, 5, 3, 5, 7];

/// T\[i\]\[b\]: the column that SubBytes and MixBytes make of a byte b in row i.
static T: [[u64; 256]; 8] = tables();

const fn tables() -> [[u64; 256]; 8] {
    let s = aes_s_box();
    let mut t = [[0; 256]; 8];
    let mut b = 0;
    while b < 256 {
        let mut column = [0; 8];
        let mut row = 0;
        while row < 8 {
            column[row] = times(MIX[(8 - row) % 8], s[b]);
            row += 1;
        }
        let mut i = 0;
        while i < 8 {
            t[i][b] = u64::from_le_bytes(column).rotate_left(8 * i as u32);
            i += 1;
        }
        b += 1;
    }
    t
}

/// a · b in GF(2^8) with AES's polynomial.
const fn times(a: u8, mut b: u8) -> u8 {
    let mut sum = 0;
    let mut i = 0;
    while i < 8 {
        if a >> i & 1 == 1 {
            sum ^= b;
        }
        b = (b << 1) ^ ((b >> 7) * 0x1b);
        i += 1;
    }
    sum
}

/// The S-box of AES (FIPS 197, 5.1.1): the inverse, with each of its bits added to four others, plus 63.
const fn aes_s_box() -> [u8; 256] {
    // 0 has no inverse and counts as its own.
    let mut s = [0x63; 256];
    // 3 generates the multiplicative group: a runs through its powers, b through those of its inverse.
    let (mut a, mut b) = (1u8, 1u8);
    loop {
        s[a as usize] = b ^ b.rotate_left(1) ^ b.rotate_left(2) ^ b.rotate_left(3) ^ b.rotate_left(4) ^ 0x63;
        a = times(3, a);
        b = times(0xf6, b);
        if a == 1 {
            return s;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 197, figure 7: the corners of the table, and the example of 5.1.1.
    #[test]
    fn s_box() {
        let s = aes_s_box();
        assert_eq!([s[0x00], s[0x0f], s[0x53], s[0xf0], s[0xff]], [0x63, 0x76, 0xed, 0x8c, 0x16]);
    }

    /// ShortMsgKAT of the submission: the empty message and the byte cc.
    #[test]
    fn known_answers() {
        let d = |a: &str, m: &[u8]| a.parse::<crate::Algorithm>().expect("known").digest(m).to_string();
        assert_eq!(d("groestl224", b""), "f2e180fb5947be964cd584e22e496242c6a329c577fc4ce8c36d34c3");
        assert_eq!(d("groestl224", b"\xcc"), "62e367662adf9317154f877fd740c23fc2356080b477dac847be2eb2");
        assert_eq!(d("groestl256", b""), "1a52d11d550039be16107f9c58db9ebcc417f16f736adb2502567119f0083467");
        assert_eq!(d("groestl256", b"\xcc"), "15e2671f0eaf66c0de3093ab7b1e39dc68f945d7002fc5dfd52d60527e7228d1");
        assert_eq!(
            d("groestl384", b""),
            "ac353c1095ace21439251007862d6c62f829ddbe6de4f78e68d310a9205a736d8b11d99bffe448f57a1cfa2934f044a5"
        );
        assert_eq!(
            d("groestl384", b"\xcc"),
            "180967815d83acfd0c771c2140f5eed93eb4b346fc7b88e73d1febb77c6e11ea7834e35ecfabe03083a520dacb76e7b7"
        );
        assert_eq!(
            d("groestl512", b""),
            "6d3ad29d279110eef3adbd66de2a0345a77baede1557f5d099fce0c03d6dc2ba8e6d4a6633dfbd66053c20faa87d1a11f39a7fbe4a6c2f009801370308fc4ad8"
        );
        assert_eq!(
            d("groestl512", b"\xcc"),
            "b23eeeb675c272c6e37a6ee9ab4dc505c9d6a10020f6bed3948205d04cdd1e90b06e494d186ef4f19266d7da200c89dc009e2b1a538cdea199e773fc076f802e"
        );
    }
}
