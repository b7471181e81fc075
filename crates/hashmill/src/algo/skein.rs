//! Skein-256, Skein-512, Skein-1024 — version 1.3 (N. Ferguson, S. Lucks, B. Schneier, D. Whiting, M. Bellare, T.
//! Kohno, J. Callas, J. Walker, 2010), on the block cipher Threefish. digest any number of bytes · block 32, 64, 128
//! bytes · little-endian · status: sound
//!
//! ## Algorithm
//!
//! UBI hashes strings of different types, one after the other, into a chaining value G of N = 4, 8, 16 words: the key
//! (if any), the configuration (schema, version, digest length in bits), the personalization (if any), the message, and
//! for each block of output a counter, always from the same G. Each block M has a tweak: the position of its end, its
//! type, and whether it is the first or the last block of its string.
//!
//! ```text
//! k[0..N] := G;  k[N] := C240 ^ G[0] ^ … ^ G[N-1];  t2 := t0 ^ t1
//! v := M
//! for d in 0..rounds:                                              72, 72, 80
//!     if d = 0 (mod 4): v += subkey s = d / 4:  k[(s + i) mod (N + 1)]  at i,
//!                       with t[s mod 3], t[(s + 1) mod 3] and s added at i = N - 3, N - 2, N - 1
//!     for j in 0..N/2:  MIX: v[2j] += v[2j+1];  v[2j+1] := (v[2j+1] <<< R[d mod 8, j]) ^ v[2j]
//!     v[i] := v[π(i)]
//! v += the last subkey;  G := v ^ M
//! ```
//!
//! The last block of a message is held back because its tweak is different. The words of the state are G, t0 and t1: t
//! is increased by the block length *before* each block, so `tail` sets it to the length of the message minus one
//! block. Positions have 96 bits, and the carry into the upper 32 is handled.
//!
//! The configuration would cost a block per message: for the usual digest lengths it is hashed at compile time
//! (`initial`). A digest of at most one block is computed by a stage of the tail, so it runs in lanes, too.
//!
//! ## Kernels
//!
//! * `avx512x16` (Skein-256, Skein-512), `avx512x8` (Skein-512, Skein-1024): two registers of eight lanes side by side
//!   where a round has only two or four MIXes; for Skein-512 from nine messages on (4.3 and 5.7 GB/s on Zen 5 with one
//!   and two registers).
//! * `avx2x8` (Skein-256), `avx2x4`: the same with four lanes per register. `neonx4`, `neonx2`: with two.
//! * `simd128x4` (Skein-256), `simd128x2` (Skein-1024): the same in WebAssembly, 1.3 and 1.2 times as fast as
//!   `portable` there; none for Skein-512, which would be slower (0.9).
//! * `portable`: one message. All rounds are unrolled, so π and the rotation of the subkeys are only renamings. Sums
//!   with subkeys are `settled`: otherwise the compiler regroups them along the chain of MIXes into twice the additions
//!   (Skein-512: 560 against 1020 MB/s).

use super::{lanes, repeat16};
use crate::base::bits::{BitOrder, Bits};
use crate::contract::{Blocks, Inputs, Params, State, Tail};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
use crate::simd::X2;
#[cfg(target_arch = "aarch64")]
use crate::simd::aarch64::U64x2;
#[cfg(target_feature = "simd128")]
use crate::simd::wasm32::U64x2;
#[cfg(target_arch = "x86_64")]
use crate::simd::x86::{U64x4, U64x8};
use crate::simd::{Feed, Round, Rows, Word64, drive};

/// The kernels of Skein-256.
pub(crate) mod skein256 {
    use super::*;

    lanes! { words: 6, bytes: 8, portable: u64;
        x86_64 {
            avx512x16(Avx512 X2<U64x8>) from 3;
            avx2x8(Avx2 X2<U64x4>) from 4;
        }
        aarch64 {
            neonx4(Neon X2<U64x2>) from 3;
        }
        wasm32 {
            simd128x4(Simd128 X2<U64x2>) from 4;
        }
    }

    #[inline(always)]
    fn run<W: Word64>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
        drive::<Skein<4>, W, 6, 4, false>(isa, p, packed, rows);
    }
}

/// The kernels of Skein-512.
pub(crate) mod skein512 {
    use super::*;

    lanes! { words: 10, bytes: 8, portable: u64;
        x86_64 {
            avx512x16(Avx512 X2<U64x8>) from 9;
            avx512x8(Avx512 U64x8) from 3;
            avx2x8(Avx2 X2<U64x4>) from 5;
            avx2x4(Avx2 U64x4) from 3;
        }
        aarch64 {
            neonx2(Neon U64x2) from 2;
        }
        wasm32 {}
    }

    #[inline(always)]
    fn run<W: Word64>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
        drive::<Skein<8>, W, 10, 8, false>(isa, p, packed, rows);
    }
}

/// The kernels of Skein-1024.
pub(crate) mod skein1024 {
    use super::*;

    lanes! { words: 18, bytes: 8, portable: u64;
        x86_64 {
            avx512x8(Avx512 U64x8) from 3;
            avx2x4(Avx2 U64x4) from 3;
        }
        aarch64 {
            neonx2(Neon U64x2) from 2;
        }
        wasm32 {
            simd128x2(Simd128 U64x2) from 2;
        }
    }

    #[inline(always)]
    fn run<W: Word64>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
        drive::<Skein<16>, W, 18, 16, false>(isa, p, packed, rows);
    }
}

/// Configuration, padding and output.
pub(crate) static SKEIN256: Skein<4> = Skein;
/// Configuration, padding and output.
pub(crate) static SKEIN512: Skein<8> = Skein;
/// Configuration, padding and output.
pub(crate) static SKEIN1024: Skein<16> = Skein;

/// Skein with N words of state.
pub(crate) struct Skein<const N: usize>;

/// The parameters that depend on the size.
pub(crate) trait Size<const N: usize> {
    const ROUNDS: usize;
    /// R\[d mod 8, j\].
    const R: [&'static [u32]; 8];
    const PI: [usize; N];
    /// Digest lengths in bytes, each with the chaining value after the configuration.
    const INITIAL: &'static [(u32, [u64; N])];
}

// The second word of a tweak: its flags, and the types of UBI's strings.
const FINAL: u64 = 1 << 63;
const FIRST: u64 = 1 << 62;
/// The last byte of the message holds bits and a padding mark.
const BIT_PAD: u64 = 1 << 55;
const KEY: u64 = 0;
const CFG: u64 = 4 << 56;
const PERS: u64 = 8 << 56;
const MSG: u64 = 48 << 56;
const OUT: u64 = 63 << 56;

impl<const N: usize> Skein<N>
where
    Skein<N>: Size<N>,
{
    const BLOCK: usize = 8 * N;

    /// Sets a state's tweak for a block that ends at `position`.
    fn set_tweak(s: &mut State, position: u128, flags: u64) {
        // The kernel adds the block length, with the carry.
        let t = (u128::from(flags) << 64 | position).wrapping_sub(Self::BLOCK as u128);
        s.set_u64(N, t as u64);
        s.set_u64(N + 1, (t >> 64) as u64);
    }

    /// UBI of the string `m` of the given type.
    fn ubi(mut g: [u64; N], m: &[u8], kind: u64) -> [u64; N] {
        let mut flags = kind | FIRST;
        let mut position = 0;
        for part in m.chunks(Self::BLOCK) {
            let mut words = [0; N];
            for (w, bytes) in words.iter_mut().zip(part.chunks(8)) {
                let mut le = [0; 8];
                le[..bytes.len()].copy_from_slice(bytes);
                *w = u64::from_le_bytes(le);
            }
            position += part.len();
            if position == m.len() {
                flags |= FINAL;
            }
            g = ubi_block(g, [position as u64, flags], words);
            flags &= !FIRST;
        }
        g
    }
}

impl<const N: usize> Blocks for Skein<N>
where
    Skein<N>: Size<N>,
{
    fn block(&self, _: &Params) -> usize {
        Self::BLOCK
    }

    fn keep_last(&self) -> bool {
        true
    }

    fn setup(&self) -> usize {
        match N {
            4 => 6,
            8 => 2,
            _ => 1,
        }
    }

    fn init(&self, p: &Params, x: &Inputs<'_>, s: &mut State) {
        let usual = Self::INITIAL.iter().find(|(bytes, _)| *bytes == p.out_len);
        let mut g = match usual {
            Some((_, g)) if x.key.is_empty() => *g,
            _ => configured(Self::ubi([0; N], x.key, KEY), p.out_len),
        };
        if !x.personal.is_empty() {
            g = Self::ubi(g, x.personal, PERS);
        }
        for (i, g) in g.into_iter().enumerate() {
            s.set_u64(i, g);
        }
        s.set_u64(N, 0);
        s.set_u64(N + 1, MSG | FIRST);
    }

    fn tail(&self, p: &Params, s: &mut State, stage: u8, rest: &[u8], total: u128, out: &mut Tail) -> usize {
        match stage {
            0 => {
                // In a message of one block, the last block is also the first.
                let first = s.u64(N + 1) & FIRST;
                Self::set_tweak(s, total, MSG | FINAL | first);
                out[..rest.len()].copy_from_slice(rest);
                out[rest.len()..Self::BLOCK].fill(0);
                Self::BLOCK
            }
            1 if p.out_len as usize <= Self::BLOCK => {
                Self::set_tweak(s, 8, OUT | FIRST | FINAL);
                out[..Self::BLOCK].fill(0);
                Self::BLOCK
            }
            _ => 0,
        }
    }

    fn admits(&self, _: &Params, s: &State, _: &State, done: u128) -> bool {
        let flags = if done == 0 { MSG | FIRST } else { MSG };
        let tweak = u128::from(flags) << 64 | done;
        (s.u64(N), s.u64(N + 1)) == (tweak as u64, (tweak >> 64) as u64)
    }

    fn bit_order(&self, _: &Params) -> Option<BitOrder> {
        Some(BitOrder::High)
    }

    fn tail_of_bits(
        &self,
        p: &Params,
        s: &mut State,
        stage: u8,
        rest: &[u8],
        total: u128,
        last: Bits,
        out: &mut Tail,
    ) -> usize {
        if stage == 0 {
            let first = s.u64(N + 1) & FIRST;
            // The position counts the byte that holds the bits.
            Self::set_tweak(s, total + 1, MSG | FINAL | BIT_PAD | first);
            out[..rest.len()].copy_from_slice(rest);
            out[rest.len()] = last.marked();
            out[rest.len() + 1..Self::BLOCK].fill(0);
            return Self::BLOCK;
        }
        self.tail(p, s, stage, &[], total, out)
    }

    fn tail_len(&self, p: &Params, _: usize) -> usize {
        if p.out_len as usize <= Self::BLOCK { 2 * Self::BLOCK } else { Self::BLOCK }
    }

    fn output(&self, _: &Params, s: &mut State, step: &mut dyn FnMut(&mut State, &[u8]), out: &mut [u8]) {
        if out.len() <= Self::BLOCK {
            write(s, out);
            return;
        }
        let g = s.clone();
        let mut counter = [0; 128];
        for (i, part) in out.chunks_mut(Self::BLOCK).enumerate() {
            s.0 = g.0;
            Self::set_tweak(s, 8, OUT | FIRST | FINAL);
            counter[..8].copy_from_slice(&(i as u64).to_le_bytes());
            step(s, &counter[..Self::BLOCK]);
            write(s, part);
        }
    }
}

/// Writes the chaining value, truncated to the length of `out`.
fn write(s: &State, out: &mut [u8]) {
    for (i, word) in out.chunks_mut(8).enumerate() {
        word.copy_from_slice(&s.u64(i).to_le_bytes()[..word.len()]);
    }
}

/// One block of UBI; H = N + 2.
#[inline(always)]
fn compress<W: Word64, const N: usize, const H: usize>(isa: W::Isa, s: &mut [W; H], m: &mut Feed<'_, W, N, false>)
where
    Skein<N>: Size<N>,
{
    // t := t + block. The carry is set where the top bit of t0 went from 1 to 0: the addend's top bit is 0.
    let t0 = s[N].add(W::splat(isa, 8 * N as u64));
    let t1 = s[N + 1].add(t0.andnot(s[N]).shr(63));
    let t = [t0, t1, t0.xor(t1)];
    let mut k = [W::splat(isa, C240); 17];
    let mut v = [t0; N];
    repeat16!(I => if I < N {
        k[I] = s[I];
        k[N] = k[N].xor(s[I]);
        v[I] = m.word(I);
    });
    macro_rules! subkey {
        ($s:expr) => {
            repeat16!(I => if I < N {
                let mut x = k[($s + I) % (N + 1)];
                if I == N - 3 {
                    x = x.add(t[$s % 3]);
                } else if I == N - 2 {
                    x = x.add(t[($s + 1) % 3]);
                } else if I == N - 1 {
                    x = x.add(W::splat(isa, $s));
                }
                v[I] = v[I].add(x.settled()).settled();
            });
        };
    }
    macro_rules! round {
        ($d:literal) => {
            repeat16!(J => if J < N / 2 {
                v[2 * J] = v[2 * J].add(v[2 * J + 1]);
                v[2 * J + 1] = v[2 * J + 1].rotl(const { Skein::<N>::R[$d][J % (N / 2)] }).xor(v[2 * J]);
            });
            let f = v;
            repeat16!(I => if I < N {
                v[I] = f[const { Skein::<N>::PI[I % N] }];
            });
        };
    }
    macro_rules! eight {
        ($($g:literal)*) => {$(
            if 8 * $g < Skein::<N>::ROUNDS {
                subkey!(2 * $g);
                round!(0);
                round!(1);
                round!(2);
                round!(3);
                subkey!(2 * $g + 1);
                round!(4);
                round!(5);
                round!(6);
                round!(7);
                if $g < N / 2 {
                    m.ahead($g, N / 2);
                }
            }
        )*};
    }
    eight!(0 1 2 3 4 5 6 7 8 9);
    if Skein::<N>::ROUNDS == 72 {
        subkey!(18);
    } else {
        subkey!(20);
    }
    repeat16!(I => if I < N {
        s[I] = v[I].xor(m.word(I));
    });
    s[N] = t0;
    s[N + 1] = t1.and(W::splat(isa, !FIRST));
}

impl<W: Word64> Round<W, 6, 4, false> for Skein<4> {
    #[inline(always)]
    fn compress(isa: W::Isa, _: &Params, s: &mut [W; 6], m: &mut Feed<'_, W, 4, false>) {
        compress(isa, s, m);
    }
}

impl<W: Word64> Round<W, 10, 8, false> for Skein<8> {
    #[inline(always)]
    fn compress(isa: W::Isa, _: &Params, s: &mut [W; 10], m: &mut Feed<'_, W, 8, false>) {
        compress(isa, s, m);
    }
}

impl<W: Word64> Round<W, 18, 16, false> for Skein<16> {
    #[inline(always)]
    fn compress(isa: W::Isa, _: &Params, s: &mut [W; 18], m: &mut Feed<'_, W, 16, false>) {
        compress(isa, s, m);
    }
}

/// One block of UBI as a `const fn`; also used for keys and personalizations.
const fn ubi_block<const N: usize>(g: [u64; N], [t0, t1]: [u64; 2], m: [u64; N]) -> [u64; N]
where
    Skein<N>: Size<N>,
{
    let (r, pi) = (Skein::<N>::R, Skein::<N>::PI);
    let t = [t0, t1, t0 ^ t1];
    let mut k = [C240; 17];
    let mut i = 0;
    while i < N {
        k[i] = g[i];
        k[N] ^= g[i];
        i += 1;
    }
    let mut v = m;
    let mut d = 0;
    loop {
        if d % 4 == 0 {
            let s = d / 4;
            let mut i = 0;
            while i < N {
                v[i] = v[i].wrapping_add(k[(s + i) % (N + 1)]);
                i += 1;
            }
            v[N - 3] = v[N - 3].wrapping_add(t[s % 3]);
            v[N - 2] = v[N - 2].wrapping_add(t[(s + 1) % 3]);
            v[N - 1] = v[N - 1].wrapping_add(s as u64);
        }
        if d == Skein::<N>::ROUNDS {
            break;
        }
        let mut f = v;
        let mut i = 0;
        while i < N {
            f[i] = v[i].wrapping_add(v[i + 1]);
            f[i + 1] = v[i + 1].rotate_left(r[d % 8][i / 2]) ^ f[i];
            i += 2;
        }
        let mut i = 0;
        while i < N {
            v[i] = f[pi[i]];
            i += 1;
        }
        d += 1;
    }
    let mut i = 0;
    while i < N {
        v[i] ^= m[i];
        i += 1;
    }
    v
}

/// The chaining value after the configuration; `g` is the result of hashing the key into zeros. The 32 bytes of
/// configuration are the schema "SHA3", version 1, the digest length in bits, and no tree.
const fn configured<const N: usize>(g: [u64; N], out_len: u32) -> [u64; N]
where
    Skein<N>: Size<N>,
{
    let mut m = [0; N];
    m[0] = 1 << 32 | u32::from_le_bytes(*b"SHA3") as u64;
    m[1] = 8 * out_len as u64;
    ubi_block(g, [32, CFG | FIRST | FINAL], m)
}

/// An entry of `INITIAL`.
const fn initial<const N: usize>(bits: u32) -> (u32, [u64; N])
where
    Skein<N>: Size<N>,
{
    (bits / 8, configured([0; N], bits / 8))
}

/// The AES encryption of 240 under the key 0, truncated to 64 bits: prevents key schedules of equal words (since
/// version 1.3).
const C240: u64 = 0x1bd1_1bda_a9fc_1a22;

impl Size<4> for Skein<4> {
    const ROUNDS: usize = 72;
    const R: [&'static [u32]; 8] =
        [&[14, 16], &[52, 57], &[23, 40], &[5, 37], &[25, 33], &[46, 12], &[58, 22], &[32, 32]];
    const PI: [usize; 4] = [0, 3, 2, 1];
    const INITIAL: &'static [(u32, [u64; 4])] = &[initial(256), initial(128), initial(160), initial(224)];
}

impl Size<8> for Skein<8> {
    const ROUNDS: usize = 72;
    const R: [&'static [u32]; 8] = [
        &[46, 36, 19, 37],
        &[33, 27, 14, 42],
        &[17, 49, 36, 39],
        &[44, 9, 54, 56],
        &[39, 30, 34, 24],
        &[13, 50, 10, 17],
        &[25, 29, 39, 43],
        &[8, 35, 56, 22],
    ];
    const PI: [usize; 8] = [2, 1, 4, 7, 6, 5, 0, 3];
    const INITIAL: &'static [(u32, [u64; 8])] =
        &[initial(512), initial(256), initial(224), initial(384), initial(128), initial(160)];
}

impl Size<16> for Skein<16> {
    const ROUNDS: usize = 80;
    const R: [&'static [u32]; 8] = [
        &[24, 13, 8, 47, 8, 17, 22, 37],
        &[38, 19, 10, 55, 49, 18, 23, 52],
        &[33, 4, 51, 13, 34, 41, 59, 17],
        &[5, 20, 48, 41, 47, 28, 16, 25],
        &[41, 9, 37, 31, 12, 47, 44, 30],
        &[16, 34, 56, 51, 4, 53, 42, 41],
        &[31, 44, 47, 46, 19, 42, 44, 25],
        &[9, 48, 35, 52, 23, 31, 37, 20],
    ];
    const PI: [usize; 16] = [0, 9, 2, 13, 6, 11, 4, 15, 10, 7, 12, 3, 14, 5, 8, 1];
    const INITIAL: &'static [(u32, [u64; 16])] = &[initial(1024), initial(512), initial(384)];
}

#[cfg(test)]
mod tests {
    use crate::{Algorithm, Hasher};
    use threefish::{Threefish256, Threefish512, Threefish1024};

    fn algorithm(name: &str, bytes: usize) -> Algorithm {
        name.parse::<Algorithm>().expect("known").with_digest_len(bytes).expect("any length")
    }

    /// The first examples of the specification (version 1.3, appendix C).
    #[test]
    fn version_1_3() {
        let d = |name: &str| name.parse::<Algorithm>().expect("known").digest(&[0xff]).to_string();
        assert_eq!(d("skein256"), "0b98dcd198ea0e50a7a244c444e25c23da30c10fc9a1f270a6637f1f34e67ed2");
        assert_eq!(
            d("skein512"),
            "71b7bce6fe6452227b9ced6014249e5bf9a9754c3ad618ccc4e0aae16b316cc8ca698d864307ed3e80b6ef1570812ac5272dc409b5a012df2a579102f340617a"
        );
        assert_eq!(
            d("skein1024"),
            "e62c05802ea0152407cdd8787fda9e35703de862a4fbc119cff8590afe79250bccc8b3faf1bd2422ab5c0d263fb2f8afb3f796f048000381531b6f00d85161bc0fff4bef2486b1ebcd3773fabf50ad4ad5639af9040e3f29c6c931301bf79832e9da09857e831e82ef8b4691c235656515d437d2bda33bcec001c67ffde15ba8"
        );
    }

    /// Skein-MAC: values computed by the reference implementation, from Bouncy Castle's tests.
    #[test]
    fn keyed() {
        let key = [
            0xcb, 0x41, 0xf1, 0x70, 0x6c, 0xde, 0x09, 0x65, 0x12, 0x03, 0xc2, 0xd0, 0xef, 0xba, 0xdd, 0xf8, 0x47, 0xa0,
            0xd3, 0x15, 0xcb, 0x2e, 0x53, 0xff, 0x8b, 0xac, 0x41, 0xda, 0x00, 0x02, 0x67, 0x2e, 0x92, 0x02, 0x44, 0xc6,
            0x6e, 0x02, 0xd5, 0xf0, 0xda, 0xd3, 0xe9, 0x4c, 0x42, 0xbb, 0x65, 0xf0, 0xd1, 0x41, 0x57, 0xde, 0xcf, 0x41,
            0x05, 0xef, 0x56, 0x09, 0xd5, 0xb0, 0x98, 0x44, 0x57, 0xc1,
        ];
        let mac = |name: &str, key: &[u8], m: &[u8]| {
            let mut h = Hasher::builder(name.parse().expect("known")).key(key).build().expect("a key");
            h.update(m);
            h.finalize().to_string()
        };
        let short = &key[..16];
        assert_eq!(mac("skein256", short, b""), "886e4efefc15f06aa298963971d7a25398fffe5681c84db39bd00851f64ae29d");
        let m = [0xd3, 0x09, 0x0c, 0x72, 0x16, 0x75, 0x17, 0xf7];
        assert_eq!(mac("skein256:16", short, &m), "738f8b23541d50f691ab60af664c1583");
        assert_eq!(
            mac("skein512", &key, &m[..1]),
            "f0c0a10f031c8fc69cfabcd54154c318b5d6cd95d06b12cf20264402492211ee010d5cecc2dc37fd772afac0596b2bf71e6020ef2dee7c860628b6e643ed9ff6"
        );
    }

    /// Another implementation's Threefish: key, tweak, block.
    type Encrypt<'a, const N: usize> = &'a dyn Fn(&[u8], [u64; 2], &mut [u64; N]);

    /// Computes UBI as the specification states it, with another implementation's Threefish.
    fn ubi<const N: usize>(g: &[u8], m: &[u8], kind: u128, encrypt: Encrypt<'_, N>) -> Vec<u8> {
        let mut g = g.to_vec();
        let blocks = m.len().div_ceil(8 * N).max(1);
        for i in 0..blocks {
            let end = m.len().min(8 * N * (i + 1));
            let mut block = m[8 * N * i..end].to_vec();
            block.resize(8 * N, 0);
            let tweak = end as u128 | kind << 120 | u128::from(i == 0) << 126 | u128::from(i == blocks - 1) << 127;
            let mut words: [u64; N] =
                std::array::from_fn(|w| u64::from_le_bytes(block[8 * w..][..8].try_into().expect("eight")));
            encrypt(&g, [tweak as u64, (tweak >> 64) as u64], &mut words);
            let cipher = words.iter().flat_map(|w| w.to_le_bytes());
            g = cipher.zip(&block).map(|(c, m)| c ^ m).collect();
        }
        g
    }

    fn naive<const N: usize>(bytes: usize, key: &[u8], personal: &[u8], m: &[u8], encrypt: Encrypt<'_, N>) -> Vec<u8> {
        let mut g = vec![0; 8 * N];
        if !key.is_empty() {
            g = ubi(&g, key, 0, encrypt);
        }
        let mut configuration = [0; 32];
        configuration[..6].copy_from_slice(b"SHA3\x01\0");
        configuration[8..16].copy_from_slice(&(8 * bytes as u64).to_le_bytes());
        g = ubi(&g, &configuration, 4, encrypt);
        if !personal.is_empty() {
            g = ubi(&g, personal, 8, encrypt);
        }
        g = ubi(&g, m, 48, encrypt);
        let mut out = Vec::new();
        for counter in 0u64.. {
            if out.len() >= bytes {
                break;
            }
            out.extend(ubi(&g, &counter.to_le_bytes(), 63, encrypt));
        }
        out.truncate(bytes);
        out
    }

    fn any_inputs<const N: usize>(name: &str, encrypt: Encrypt<'_, N>) {
        let data: Vec<u8> = (0..1000u32).map(|i| ((i * i) >> 3) as u8).collect();
        let block = 8 * N;
        for bytes in [1, 7, 16, 20, 28, 31, 32, 33, 48, 64, 65, 127, 128, 129, 300, 1000] {
            for k in algorithm(name, bytes).kernels().iter().filter(|k| k.available) {
                let a = algorithm(name, bytes).with_kernel(k.name).expect("available");
                for (key, personal) in
                    [(0, 0), (1, 0), (0, 1), (block, block + 1), (block + 1, block), (3 * block, 200)]
                {
                    let (key, personal) = (&data[..key], &data[500..500 + personal]);
                    for n in [0, 1, block - 1, block, block + 1, 2 * block, 400] {
                        let m = &data[3..3 + n];
                        let expect = naive(bytes, key, personal, m, encrypt);
                        let place = || format!("{a:?}, key {}, personal {}, {n} bytes", key.len(), personal.len());
                        let mut b = a.builder().personal(personal);
                        if !key.is_empty() {
                            b = b.key(key);
                        }
                        let mut h = b.build().expect("any lengths");
                        h.update(m);
                        assert_eq!(h.finalize().as_bytes(), expect, "{}", place());
                        if key.is_empty() && personal.is_empty() {
                            assert_eq!(a.digest(m).as_bytes(), expect, "{}, one-shot", place());
                            let many = a.digest_many(&[m, &data, m]);
                            assert_eq!(many[0], expect[..], "{}, many", place());
                            assert_eq!(many[2], expect[..], "{}, many", place());
                        }
                    }
                }
            }
        }
    }

    fn words<const N: usize>(bytes: &[u8]) -> [u64; N] {
        std::array::from_fn(|i| u64::from_le_bytes(bytes[8 * i..][..8].try_into().expect("eight")))
    }

    #[test]
    fn any_key_personalization_and_length() {
        any_inputs::<4>("skein256", &|k, t, m| Threefish256::new_with_tweak_u64(&words(k), &t).encrypt_block_u64(m));
        any_inputs::<8>("skein512", &|k, t, m| Threefish512::new_with_tweak_u64(&words(k), &t).encrypt_block_u64(m));
        any_inputs::<16>("skein1024", &|k, t, m| Threefish1024::new_with_tweak_u64(&words(k), &t).encrypt_block_u64(m));
    }

    /// Positions have 96 bits: checks the carry out of the lower 64 on every kernel. (No message is that long, so the
    /// state is set directly.)
    #[test]
    fn positions_beyond_64_bits() {
        use super::{SKEIN512, Skein};
        use crate::contract::{Blocks, Inputs, NO_TAIL, State};
        let a = algorithm("skein512", 64);
        let p = &a.params;
        let encrypt = |k: &[u8], t: [u64; 2], m: &mut [u64; 8]| {
            Threefish512::new_with_tweak_u64(&words(k), &t).encrypt_block_u64(m);
        };
        let total = (1u128 << 64) + 40;
        let block = [0xa5; 64];
        for k in a.row().kernels.iter().filter(|k| crate::plumbing::call::available(k)) {
            let mut s = State::zero();
            SKEIN512.init(p, &Inputs::NONE, &mut s);
            let mut g: Vec<u8> = (0..8).flat_map(|i| s.u64(i).to_le_bytes()).collect();
            // As if 2^64 - 128 bytes had been hashed; two blocks and a partial one are left.
            s.set_u64(8, 0u64.wrapping_sub(128));
            s.set_u64(9, super::MSG);
            k.run_one(p, &mut s, &[block, block].concat(), 64);
            let mut tail = NO_TAIL;
            assert_eq!(SKEIN512.tail(p, &mut s, 0, &block[..40], total, &mut tail), Skein::<8>::BLOCK);
            k.run_one(p, &mut s, &tail[..64], 64);
            for (m, tweak) in [
                (block, [u64::MAX - 63, super::MSG]),
                (block, [0, super::MSG + 1]),
                (std::array::from_fn(|i| if i < 40 { 0xa5 } else { 0 }), [40, (super::MSG | super::FINAL) + 1]),
            ] {
                let mut c = words(&m);
                encrypt(&g, tweak, &mut c);
                g = c.iter().flat_map(|w| w.to_le_bytes()).zip(m).map(|(c, m)| c ^ m).collect();
            }
            assert_eq!(words::<8>(&g), std::array::from_fn(|i| s.u64(i)), "{}", k.name);
        }
    }
}
