//! MD5, SHA-1 and SHA-256 of one message side by side: two of them, or all three.
//!
//! Each is a chain of operations that wait for each other, and leaves most of the processor idle. Running them block by
//! block in turns does not help (1.04 of the sum of their times): what waits in one chain fills the scheduler, and the
//! next chain does not get into it. So the instructions of one stand between those of the other here: four rounds of
//! SHA-256 and four or eight of SHA-1 before every fourth step of MD5.
//!
//! Nanoseconds per byte on an Intel Xeon with AVX-512 FP16 at 3.6 GHz, and of the sum of the parts:
//!
//! ```text
//! MD5 1.02, SHA-1 0.47, SHA-256 0.52
//! MD5 and SHA-1      1.18  0.79        MD5 in general-purpose registers  1.21
//! MD5 and SHA-256    1.20  0.78                                          1.26
//! SHA-1 and SHA-256  0.73  0.74
//! all three          1.35  0.67                                          1.57
//! ```

#![allow(unsafe_code, reason = "loads of blocks, and calls of functions with features")]

use super::{md5, sha1, sha2_32};
use crate::base::cpu::on_cpu;
use crate::contract::State;
use crate::simd::x86::{Avx512, U32x1};
use crate::simd::{Logic, Scalar, Word, repeat16};
use core::arch::x86_64::*;

/// How many functions there are.
pub(crate) const MOST: usize = 3;

/// From so many bytes on it is worth the preparations.
pub(crate) const WORTH: usize = 256;

pub(crate) const BLOCK: usize = 64;

/// MD5's kernel in a vector register, which is faster where these rotate in one cycle.
pub(crate) const ROTATING: &str = "avx512vl";

/// The place of an algorithm among the functions: MD5, SHA-1, and SHA-256 or SHA-224. None if it is another, or if its
/// kernel does not use the instructions that are used here.
pub(crate) fn place(algorithm: &str, kernel: &str) -> Option<usize> {
    match (algorithm, kernel) {
        ("md5", ROTATING | "asm") => Some(0),
        ("sha1", "shani") => Some(1),
        ("sha224" | "sha256", "shani") => Some(2),
        _ => None,
    }
}

/// Runs the blocks of `m` through two or three of the functions, MD5 in a vector register if `rotates` is set.
///
/// # Panics
/// If there are fewer than two states, if `m` is not a whole number of blocks, or if the CPU lacks the instructions.
pub(crate) fn run(states: States<'_>, rotates: bool, m: &[u8]) {
    match (states.each_ref().map(Option::is_some), rotates) {
        ([true, true, true], true) => on_cpu!([AVX512 + SHANI]; rotating_all(states, m)),
        ([true, true, true], false) => on_cpu!([SHANI]; all(states, m)),
        ([true, true, false], true) => on_cpu!([AVX512 + SHANI]; rotating_and_sha1(states, m)),
        ([true, true, false], false) => on_cpu!([SHANI]; and_sha1(states, m)),
        ([true, false, true], true) => on_cpu!([AVX512 + SHANI]; rotating_and_sha256(states, m)),
        ([true, false, true], false) => on_cpu!([SHANI]; and_sha256(states, m)),
        ([false, true, true], _) => on_cpu!([SHANI]; no_md5(states, m)),
        _ => panic!("one function alone has kernels of its own"),
    }
}

/// The states of the functions that are computed, each in its place.
pub(crate) type States<'a> = [Option<&'a mut State>; MOST];

/// The bytes of a state that the functions use; zeros if it has none.
fn bytes(state: &Option<&mut State>) -> [[u8; 16]; 2] {
    state.as_ref().map_or([[0; 16]; 2], |s| {
        let (parts, _) = s.0.as_chunks();
        [parts[0], parts[1]]
    })
}

/// Defines a function for MD5 in words of this type, or not at all, and for SHA-1 and SHA-256, or not.
///
/// `$clear` runs before the first block. SHA instructions exist in the old encoding only, and while the upper halves of
/// vector registers are in use, every change between the encodings takes 100 ns (an Intel Xeon with AVX-512 FP16): all
/// would be fifty times as slow. That is also why states are loaded in pieces of sixteen bytes.
macro_rules! together {
    ($name:ident, $features:tt, $word:ty, $isa:expr, $clear:block, [$md5:literal, $sha1:literal, $sha256:literal]) => {
        #[hashmill_isa::isa($features)]
        #[allow(unused_mut, unused_assignments, unused_variables, reason = "not every function computes all three")]
        fn $name([state5, state1, state256]: States<'_>, m: &[u8]) {
            let (whole, rest) = m.as_chunks::<BLOCK>();
            assert!(rest.is_empty());
            let isa = $isa;
            // SAFETY: sixteen bytes.
            let load = |bytes: &[u8; 16]| unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
            let [h, _] = bytes(&state5);
            let (words, _) = h.as_chunks();
            let mut h5 = [0, 1, 2, 3].map(|i| <$word>::splat(isa, u32::from_ne_bytes(words[i])));
            let [h, last] = bytes(&state1);
            let (mut abcd, mut e0) = (_mm_shuffle_epi32::<0x1b>(load(&h)), _mm_slli_si128::<12>(load(&last)));
            let [h, last] = bytes(&state256);
            let (badc, hgfe) = (_mm_shuffle_epi32::<0xb1>(load(&h)), _mm_shuffle_epi32::<0x1b>(load(&last)));
            let mut abef = [_mm_alignr_epi8::<8>(badc, hgfe)];
            let mut cdgh = [_mm_blend_epi16::<0xf0>(hgfe, badc)];
            let swap1 = _mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
            let swap256 = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
            $clear
            for block in whole {
                let block = block.as_ptr();
                let (abcd0, e00, abef0, cdgh0) = (abcd, e0, abef, cdgh);
                let (mut m1, mut m256) = ([_mm_setzero_si128(); 4], [[_mm_setzero_si128(); 1]; 4]);
                let mut before = abcd;
                // A sixteenth of the SHA functions: four rounds of SHA-256, and five of SHA-1 on average.
                macro_rules! sixteenth {
                    ($i:expr) => {{
                        const Q: usize = $i;
                        const G: usize = 5 * Q / 4;
                        if $sha256 {
                            sha2_32::x86::four_rounds!(Q, 1, |l| block, swap256, m256, abef, cdgh);
                        }
                        if $sha1 {
                            use sha1::x86::four_rounds;
                            four_rounds!((G / 5) as i32, G, block, swap1, m1, abcd, e0, before);
                            if Q % 4 == 3 {
                                four_rounds!(((G + 1) / 5) as i32, (G + 1), block, swap1, m1, abcd, e0, before);
                            }
                        }
                    }};
                }
                if $md5 {
                    let [mut a, mut b, mut c, mut d] = h5;
                    let rows = [block];
                    md5::rounds!(isa, $word, [a, b, c, d],
                        // SAFETY: a word of the block.
                        K => unsafe { <$word>::direct::<false>(isa, rows.as_ptr(), 4 * K) },
                        STEP => if STEP % 4 == 0 {
                            sixteenth!(STEP / 4)
                        });
                    h5 = [h5[0].add(a), h5[1].add(b), h5[2].add(c), h5[3].add(d)];
                } else {
                    repeat16!(I => sixteenth!(I));
                }
                if $sha1 {
                    e0 = _mm_sha1nexte_epu32(before, e00);
                    abcd = _mm_add_epi32(abcd, abcd0);
                }
                abef[0] = _mm_add_epi32(abef[0], abef0[0]);
                cdgh[0] = _mm_add_epi32(cdgh[0], cdgh0[0]);
            }
            // SAFETY: sixteen bytes.
            let store = |bytes: &mut [u8], x: __m128i| unsafe { _mm_storeu_si128(bytes[..16].as_mut_ptr().cast(), x) };
            if let Some(s) = state5 {
                for i in 0..4 {
                    // SAFETY: one word.
                    unsafe { h5[i].store(s.0[4 * i..4 * i + 4].as_mut_ptr()) };
                }
            }
            if let Some(s) = state1 {
                store(&mut s.0, _mm_shuffle_epi32::<0x1b>(abcd));
                s.set_u32(4, _mm_extract_epi32::<3>(e0) as u32);
            }
            if let Some(s) = state256 {
                let (feba, dchg) = (_mm_shuffle_epi32::<0x1b>(abef[0]), _mm_shuffle_epi32::<0xb1>(cdgh[0]));
                store(&mut s.0, _mm_blend_epi16::<0xf0>(feba, dchg));
                store(&mut s.0[16..], _mm_alignr_epi8::<8>(dchg, feba));
            }
        }
    };
}

together!(rotating_all, [AVX512 + SHANI], U32x1, Avx512::token(), { _mm256_zeroupper() }, [true, true, true]);
together!(rotating_and_sha1, [AVX512 + SHANI], U32x1, Avx512::token(), { _mm256_zeroupper() }, [true, true, false]);
together!(rotating_and_sha256, [AVX512 + SHANI], U32x1, Avx512::token(), { _mm256_zeroupper() }, [true, false, true]);
together!(all, [SHANI], u32, Scalar, {}, [true, true, true]);
together!(and_sha1, [SHANI], u32, Scalar, {}, [true, true, false]);
together!(and_sha256, [SHANI], u32, Scalar, {}, [true, false, true]);
together!(no_md5, [SHANI], u32, Scalar, {}, [false, true, true]);

#[cfg(test)]
mod tests {
    use crate::base::cpu::{features, needs};
    use crate::{Algorithm, Engine, Hasher};

    /// Where SHA instructions are chosen, they run between the steps of MD5.
    #[test]
    fn chosen_kernels_have_a_place() {
        let places = ["md5", "sha1", "sha256", "sha224"].map(|name| {
            let a: Algorithm = name.parse().expect("known");
            super::place(a.row().name, Engine::from(a).single_kernel().name)
        });
        if features().has(needs!([SHANI])) && std::env::var_os("HASHMILL_KERNEL").is_none() {
            assert_eq!(places, [Some(0), Some(1), Some(2), Some(2)]);
        }
    }

    /// All pairs, all three and more, in pieces of all sorts of lengths, from anywhere in a block, with every kernel of
    /// MD5: the digests are those of each hasher alone.
    #[test]
    fn like_each_alone() {
        let m: Vec<u8> = (0..20_000u32).map(|i| (i.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
        let named = |name: &str| name.parse::<Algorithm>().expect("known");
        let sets: [&[&str]; 9] = [
            &["md5"],
            &["md5", "sha1"],
            &["sha1", "md5"],
            &["md5", "sha256"],
            &["sha224", "sha1"],
            &["sha256", "sha1", "md5"],
            &["md5", "crc32", "sha1", "sha512", "sha256"],
            &["md5", "md5", "sha256", "sha224"],
            &[],
        ];
        for md5 in ["avx512vl", "asm", "portable"] {
            for names in sets {
                for (into, piece) in [(0, 64), (0, 256), (1, 257), (63, 5000), (64, 20_000), (0, 320), (17, 1023)] {
                    let hashers = names.iter().map(|name| match named(name).with_kernel(md5) {
                        Ok(engine) if *name == "md5" => engine.hasher(),
                        _ => Hasher::new(named(name)),
                    });
                    let (mut together, mut alone): (Vec<_>, Vec<_>) = hashers.map(|h| (h.clone(), h)).unzip();
                    Hasher::update_all(&mut together, &m[..into]);
                    alone.iter_mut().for_each(|h| h.update(&m[..into]));
                    for piece in m[into..].chunks(piece) {
                        Hasher::update_all(&mut together, piece);
                        alone.iter_mut().for_each(|h| h.update(piece));
                        for (a, b) in together.iter().zip(&alone) {
                            assert_eq!(
                                a.finalize(),
                                b.finalize(),
                                "{} of {names:?}, {into}, {}",
                                a.algorithm(),
                                piece.len()
                            );
                        }
                    }
                }
            }
        }
    }

    /// Hashers that are not equally far into a block.
    #[test]
    fn apart() {
        let m = [0x5a; 3000];
        let named = |name: &str| name.parse::<Algorithm>().expect("known");
        for into in [0, 1, 63, 64, 65, 300] {
            let mut h = [Hasher::new(named("md5")), Hasher::new(named("sha1")), Hasher::new(named("sha256"))];
            h[1].update(&m[..into]);
            Hasher::update_all(&mut h, m);
            assert_eq!(h[0].finalize(), named("md5").digest(&m));
            assert_eq!(h[1].finalize(), named("sha1").digest(&[&m[..into], &m].concat()));
            assert_eq!(h[2].finalize(), named("sha256").digest(&m));
        }
    }
}
