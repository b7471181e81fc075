//! CubeHash i+r/b+f-h — SHA-3 submission, round 2 (D. J. Bernstein, 2009).
//! digest 1 to 64 bytes · block b = 1 to 128 bytes · little-endian · status: sound with at least 16 rounds per block of
//! at most 32 bytes, 16 before and 32 after; broken with few rounds or large blocks
//!
//! ## Algorithm
//!
//! The state x is 32 words with five-bit indices: x\[0jklm\] are the first sixteen, x\[1jklm\] the others.
//!
//! ```text
//! x := (h / 8, b, r, 0, …);  i rounds
//! for each block of b bytes (the message, a byte 0x80, zeros):  x ^= block;  r rounds
//! x[11111] ^= 1;  f rounds;  the digest is the first h bits
//! round, twice two halves:
//!     x[1jklm] += x[0jklm];  x[0jklm] <<<= 7;   x[00klm] ↔ x[01klm];  x[0jklm] ^= x[1jklm];  x[1jk0m] ↔ x[1jk1m]
//!     x[1jklm] += x[0jklm];  x[0jklm] <<<= 11;  x[0j0lm] ↔ x[0j1lm];  x[0jklm] ^= x[1jklm];  x[1jkl0] ↔ x[1jkl1]
//! ```
//!
//! `p` is \[i, r, b, f\]. CubeHash r/b-h stands for CubeHash 10r+r/b+10r-h; round 2 proposed 16/32, that is
//! 160+16/32+160, and later 16+16/32+32. A block of zeros amounts to r rounds, so the last f rounds run as such blocks,
//! in lanes too. The states after i rounds for the usual parameters are computed at compile time.
//!
//! ## Kernels
//!
//! * `avx512x16`: sixteen lanes; the 32 words are the 32 registers. `avx2x8`, `neonx4`: eight and four lanes.
//! * `simd128x4`: the same in WebAssembly, 2.7 times as fast as `portable` there (node 20, sixteen messages).
//! * `avx512x1`, `sse2x1`: one message, four words per register; the first has rotate instructions (590 and 450 MB/s on
//!   Zen 5).
//! * `portable`: one message (230 MB/s, since 32 words exceed the registers). After two rounds every word is back in
//!   its place, so the swaps are only renamings.

use super::{lanes, repeat16};
use crate::base::bits::BitOrder;
use crate::contract::{Blocks, Inputs, NO_TAIL, Params, State, Tail};
#[cfg(target_arch = "aarch64")]
use crate::simd::aarch64::U32x4;
#[cfg(target_feature = "simd128")]
use crate::simd::wasm32::U32x4;
#[cfg(target_arch = "x86_64")]
use crate::simd::x86::{U32x8, U32x16};
use crate::simd::{Rows, Wide, Word32, drive_wide};

#[cfg(target_arch = "x86_64")]
mod x86;

lanes! { words: 32, bytes: 4, portable: u32;
    x86_64 {
        avx512x16(Avx512 U32x16) from 6;
        avx2x8(Avx2 U32x8) from 6;
        avx512x1(dedicated x86::avx512x1, [AVX512], 1) from 1;
        sse2x1(dedicated x86::sse2x1, [SSE2], 1) from 1;
    }
    aarch64 {
        neonx4(Neon U32x4) from 2;
    }
    wasm32 {
        simd128x4(Simd128 U32x4) from 2;
    }
}

/// Padding and output.
pub(crate) static RULE: CubeHash = CubeHash;

pub(crate) struct CubeHash;

/// How many final rounds run as blocks of zeros: (blocks per stage, blocks in total). Stages are counted in a byte; the
/// rest of the f rounds run in `output`.
fn final_blocks(p: &Params) -> (usize, usize) {
    let [_, r, b, f] = p.p.map(usize::from);
    let stage = NO_TAIL.len() / b;
    (stage, (f / r).min(200 * stage))
}

impl Blocks for CubeHash {
    fn block(&self, p: &Params) -> usize {
        usize::from(p.p[2])
    }

    fn init(&self, p: &Params, _: &Inputs<'_>, s: &mut State) {
        let usual = INITIAL.iter().find(|(q, out_len, _)| *q == p.p[..3] && *out_len == p.out_len);
        let x = match usual {
            Some((_, _, x)) => *x,
            None => initial(p.p[0], p.p[1], p.p[2], p.out_len),
        };
        for (i, x) in x.into_iter().enumerate() {
            s.set_u32(i, x);
        }
    }

    fn tail(&self, p: &Params, s: &mut State, stage: u8, rest: &[u8], _: u128, out: &mut Tail) -> usize {
        let b = self.block(p);
        if stage == 0 {
            out[..rest.len()].copy_from_slice(rest);
            out[rest.len()] = 0x80;
            out[rest.len() + 1..b].fill(0);
            return b;
        }
        if stage == 1 {
            s.set_u32(31, s.u32(31) ^ 1);
            out.fill(0);
        }
        let (per_stage, all) = final_blocks(p);
        b * per_stage.min(all.saturating_sub(per_stage * usize::from(stage - 1)))
    }

    fn bit_order(&self, _: &Params) -> Option<BitOrder> {
        Some(BitOrder::High)
    }

    fn tail_len(&self, p: &Params, _: usize) -> usize {
        self.block(p) * (1 + final_blocks(p).1)
    }

    fn output(&self, p: &Params, s: &mut State, _: &mut dyn FnMut(&mut State, &[u8]), out: &mut [u8]) {
        let left = usize::from(p.p[3]) - final_blocks(p).1 * usize::from(p.p[1]);
        if left > 0 {
            let x = rounds(std::array::from_fn(|i| s.u32(i)), left);
            for (i, x) in x.into_iter().enumerate() {
                s.set_u32(i, x);
            }
        }
        for (i, word) in out.chunks_mut(4).enumerate() {
            word.copy_from_slice(&s.u32(i).to_le_bytes()[..word.len()]);
        }
    }
}

#[inline(always)]
fn run<W: Word32>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    drive_wide::<CubeHash, W>(isa, p, packed, rows);
}

#[inline(always)]
fn round<W: Word32>(x: &mut [W; 32]) {
    macro_rules! half {
        ($rotation:literal, $swap0:literal, $swap1:literal) => {
            repeat16!(I => {
                x[16 + I] = x[16 + I].add(x[I]);
                x[I] = x[I].rotl($rotation);
            });
            repeat16!(I => if I & $swap0 == 0 {
                (x[I], x[(I + $swap0) % 32]) = (x[(I + $swap0) % 32], x[I]);
            });
            repeat16!(I => x[I] = x[I].xor(x[16 + I]));
            repeat16!(I => if I & $swap1 == 0 {
                (x[16 + I], x[(16 + I + $swap1) % 32]) = (x[(16 + I + $swap1) % 32], x[16 + I]);
            });
        };
    }
    half!(7, 8, 2);
    half!(11, 4, 1);
}

impl<W: Word32> Wide<W> for CubeHash {
    #[inline(always)]
    fn permute(p: &Params, x: &mut [W; 32]) {
        for _ in 0..p.p[1] / 2 {
            round(x);
            round(x);
        }
        if p.p[1] % 2 == 1 {
            round(x);
        }
    }
}

/// n rounds as a `const fn`: each half gathers what the swaps move.
const fn rounds(mut x: [u32; 32], n: usize) -> [u32; 32] {
    let mut halves = 0;
    while halves < 2 * n {
        let (rotation, swap0, swap1) = if halves % 2 == 0 { (7, 8, 2) } else { (11, 4, 1) };
        let mut sum = [0; 16];
        let mut i = 0;
        while i < 16 {
            sum[i] = x[16 + i].wrapping_add(x[i]);
            i += 1;
        }
        let old = x;
        let mut i = 0;
        while i < 16 {
            x[i] = old[i ^ swap0].rotate_left(rotation) ^ sum[i];
            x[16 + i] = sum[i ^ swap1];
            i += 1;
        }
        halves += 1;
    }
    x
}

/// The state before the first block.
const fn initial(i: u16, r: u16, b: u16, out_len: u32) -> [u32; 32] {
    let mut x = [0; 32];
    x[0] = out_len;
    x[1] = b as u32;
    x[2] = r as u32;
    rounds(x, i as usize)
}

/// \[i, r, b\], the digest length in bytes, and the state before the first block.
type Initial = ([u16; 3], u32, [u32; 32]);

/// An entry of `INITIAL` for r = 16 and b = 32.
const fn usual(i: u16, bits: u32) -> Initial {
    ([i, 16, 32], bits / 8, initial(i, 16, 32, bits / 8))
}

static INITIAL: [Initial; 6] =
    [usual(160, 512), usual(160, 256), usual(160, 224), usual(160, 384), usual(16, 512), usual(16, 256)];

#[cfg(test)]
mod tests {
    use crate::Algorithm;

    /// Returns CubeHash i+r/b+f with a digest of `out_len` bytes.
    fn cubehash(p: [u16; 4], out_len: u32) -> Algorithm {
        let mut a: Algorithm = "cubehash512".parse().expect("known");
        a.params.p = p;
        a.params.out_len = out_len;
        a
    }

    /// The examples of the specification for 80+8/1+80-512, and those of the proposals of rounds 1 and 2.
    #[test]
    fn published() {
        let old = cubehash([80, 8, 1, 80], 64);
        assert_eq!(
            old.digest(b"Hello").to_string(),
            "7ce309a25e2e1603ca0fc369267b4d43f0b1b744ac45d6213ca08e75675664448e2f62fdbf7bbd637ce40fc293286d75b9d09e8dda31bd029113e02ecccfd39b"
        );
        assert_eq!(
            old.digest(b"hello").to_string(),
            "01ee7f4eb0e0ebfdb8bf77460f64993faf13afce01b55b0d3d2a63690d25010f7127109455a7c143ef12254183e762b15575e0fcc49c79a0471a970ba8a66638"
        );
        let new = cubehash([160, 16, 32, 160], 64);
        assert_eq!(
            new.digest(b"").to_string(),
            "4a1d00bbcfcb5a9562fb981e7f7db3350fe2658639d948b9d57452c22328bb32f468b072208450bad5ee178271408be0b16e5633ac8a1e3cf9864cfbfc8e043a"
        );
    }

    /// The state as a five-dimensional cube, for the ten steps as the specification gives them.
    type Cube = [[[[[u32; 2]; 2]; 2]; 2]; 2];

    fn each(mut f: impl FnMut(usize, usize, usize, usize)) {
        for i in 0..16 {
            f(i >> 3 & 1, i >> 2 & 1, i >> 1 & 1, i & 1);
        }
    }

    fn ten_steps(x: &mut Cube) {
        each(|j, k, l, m| x[1][j][k][l][m] = x[1][j][k][l][m].wrapping_add(x[0][j][k][l][m]));
        each(|j, k, l, m| x[0][j][k][l][m] = x[0][j][k][l][m].rotate_left(7));
        x[0].swap(0, 1);
        each(|j, k, l, m| x[0][j][k][l][m] ^= x[1][j][k][l][m]);
        x[1].iter_mut().flatten().for_each(|plane| plane.swap(0, 1));
        each(|j, k, l, m| x[1][j][k][l][m] = x[1][j][k][l][m].wrapping_add(x[0][j][k][l][m]));
        each(|j, k, l, m| x[0][j][k][l][m] = x[0][j][k][l][m].rotate_left(11));
        x[0].iter_mut().for_each(|cube| cube.swap(0, 1));
        each(|j, k, l, m| x[0][j][k][l][m] ^= x[1][j][k][l][m]);
        x[1].iter_mut().flatten().flatten().for_each(|line| line.swap(0, 1));
    }

    fn naive([i, r, b, f]: [u16; 4], out_len: usize, m: &[u8]) -> Vec<u8> {
        let mut x = Cube::default();
        x[0][0][0][0] = [out_len as u32, u32::from(b)];
        x[0][0][0][1][0] = u32::from(r);
        (0..i).for_each(|_| ten_steps(&mut x));
        let mut padded = m.to_vec();
        padded.push(0x80);
        padded.resize(padded.len().next_multiple_of(usize::from(b)), 0);
        for block in padded.chunks(usize::from(b)) {
            for (at, byte) in block.iter().enumerate() {
                let word = at / 4;
                x[word >> 4][word >> 3 & 1][word >> 2 & 1][word >> 1 & 1][word & 1] ^= u32::from(*byte) << (at % 4 * 8);
            }
            (0..r).for_each(|_| ten_steps(&mut x));
        }
        x[1][1][1][1][1] ^= 1;
        (0..f).for_each(|_| ten_steps(&mut x));
        let words = x.as_flattened().as_flattened().as_flattened().as_flattened();
        words.iter().flat_map(|w| w.to_le_bytes()).take(out_len).collect()
    }

    #[test]
    fn any_parameters() {
        let m: Vec<u8> = (0..700u32).map(|i| ((i * i) >> 3) as u8).collect();
        let mut seed = 1u32;
        let mut below = |n: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % n
        };
        let mut sets = vec![
            // The proposals of round 2 and the tweak, columns cut at every position, rounds left for `output`, more
            // final rounds than stages.
            [160, 16, 32, 160],
            [16, 16, 32, 32],
            [80, 8, 1, 80],
            [10, 1, 128, 10],
            [5, 7, 16, 40],
            [0, 3, 48, 0],
            [1, 1, 100, 1],
            [3, 1, 128, 1111],
            [2, 2, 127, 7],
        ];
        for _ in 0..60 {
            sets.push([below(40), 1 + below(20), 1 + below(128), below(70)].map(|x| x as u16));
        }
        for p in sets {
            let out_len = [64, 32, 28, 48, 1, 33, 64][below(7) as usize];
            let a = cubehash(p, out_len);
            let lengths: Vec<usize> =
                (0..6).map(|i| [0, 5, usize::from(p[2]), 0, 0, 0][i] + below(4) as usize).collect();
            for k in a.kernels().iter().filter(|k| k.available) {
                let a = a.with_kernel(k.name).expect("available");
                for &n in lengths.iter().chain(&[699]) {
                    let expect = naive(p, out_len as usize, &m[1..=n]);
                    assert_eq!(a.digest(&m[1..=n]).as_bytes(), expect, "{p:?}-{out_len}, {}, {n} bytes", k.name);
                    let mut h = a.hasher();
                    h.update(&m[1..=n / 3]);
                    h.update(&m[n / 3 + 1..=n]);
                    assert_eq!(h.finalize().as_bytes(), expect, "{p:?}-{out_len}, {}, {n} bytes in pieces", k.name);
                }
                let messages: Vec<&[u8]> = (0..40).map(|i| &m[i..i + 17 * (i % 9)]).collect();
                for (digest, m) in a.digest_many(&messages).iter().zip(&messages) {
                    assert_eq!(digest, naive(p, out_len as usize, m), "{p:?}-{out_len}, {}, many", k.name);
                }
            }
        }
    }
}
