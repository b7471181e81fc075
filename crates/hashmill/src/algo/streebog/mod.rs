//! Streebog — GOST R 34.11-2012 (Federal Agency on Technical Regulating and Metrology, Russia); RFC 6986.
//! digest 256 or 512 bit · block 64 bytes · little-endian · status: sound
//!
//! ## Algorithm
//!
//! ```text
//! g(N, h, m):  K := LPS(h ^ N);  x := m
//!     twelve times: x := LPS(x ^ K);  K := LPS(K ^ C[i])
//!     h := x ^ K ^ h ^ m
//! S: the substitution π of each byte;  P: the 8×8 bytes transposed;  L: each 64-bit word times the bit matrix A
//!
//! for each block m: h := g(N, h, m);  N := N + 512;  Σ := Σ + m        the last: m ‖ 1 ‖ 0…0, N := N + its bits
//! h := g(0, h, N);  h := g(0, h, Σ)
//! ```
//!
//! The specification prints numbers with the highest digit first; programs print bytes with the lowest first. The 1 bit
//! of the padding is therefore the byte 0x01 after the message, and the digest of 256 bits is the last half of h. The
//! words of the state are h, Σ, N and the increment of N per block: 512, or 0 once the message has ended.
//!
//! ## Kernels
//!
//! * `gfnix64`: a register holds one byte of 64 messages, so P is a renaming. Each byte of L is a sum of eight affine
//!   maps, whose matrices K and x share (1.65 GB/s on Zen 5). 64 bytes of LPS take 16 operations, eleven of them on two
//!   of the four pipes. Σ is added byte by byte with the carries in a mask, one byte for every row of a round. States
//!   are transposed at the beginning and the end of a run: when they were put into lanes byte by byte, messages of 64
//!   bytes took three times as long.
//! * `gfnix2`: `gfni` with two interleaved messages (0.95 GB/s against 0.67). Three and four are no faster, because the
//!   pipes for permutations are full.
//! * `gfni`: one message; the matrix is one register, K another, and their chains run in parallel. π is two `vpermi2b`;
//!   P and L are eight permutations and eight affine maps, whose sum comes out transposed as P requires (7.6
//!   cycles/byte on Sapphire Rapids; the permutation port alone would take 4.7). A mask register for the eighth bit of
//!   the S-box index makes no difference.
//! * `portable`: one message. L is linear, so a table for each byte of a word combines π and A; P selects the byte. The
//!   LPS of the key and that of the message in a round are independent of each other. Bytes are loaded from memory in
//!   pairs, which makes five instructions for two lookups (219 MB/s on Zen 5; bytes shifted out of registers 166,
//!   single bytes from memory 160).

use super::{kernels, repeat16};
use crate::contract::{Blocks, Inputs, Kernel, Params, State, Tail};
use crate::simd::{Feed, Round, Rows, Scalar, drive};
use core::hint::black_box;

#[cfg(target_arch = "x86_64")]
mod x86;

/// The kernels in order of preference.
pub(crate) static KERNELS: &[Kernel] = &[
    #[cfg(target_arch = "x86_64")]
    kernels::kernel_of_states::<{ x86::STATE64 }>(
        "gfnix64",
        kernels::on!([AVX512 + VBMI + GFNI]; x86::gfnix64),
        64,
        37,
    ),
    #[cfg(target_arch = "x86_64")]
    kernels::kernel_of_states::<152>("gfnix2", kernels::on!([AVX512 + VBMI + GFNI]; x86::gfnix2), 2, 2),
    #[cfg(target_arch = "x86_64")]
    kernels::kernel("gfni", kernels::on!([AVX512 + VBMI + GFNI]; x86::gfni), 1, 1, 19, 8),
    kernels::kernel("portable", kernels::on!([NONE]; portable), 1, 1, 19, 8),
];

/// Padding, length, sum and output.
pub(crate) static RULE: Streebog = Streebog;

pub(crate) struct Streebog;

/// The words of the state after h. N has 128 bits, as no message has 2^125 bytes.
const SIGMA: usize = 8;
const N: usize = 16;
const STEP: usize = 18;

impl Blocks for Streebog {
    fn block(&self, _: &Params) -> usize {
        64
    }

    fn init(&self, p: &Params, _: &Inputs<'_>, s: &mut State) {
        s.0[..64].fill(if p.out_len == 32 { 1 } else { 0 });
        s.0[64..144].fill(0);
        s.set_u64(STEP, 512);
    }

    fn tail(&self, _: &Params, s: &mut State, stage: u8, rest: &[u8], total: u128, out: &mut Tail) -> usize {
        match stage {
            0 => {
                out[..rest.len()].copy_from_slice(rest);
                out[rest.len()] = 1;
                out[rest.len() + 1..64].fill(0);
                64
            }
            1 => {
                // N and Σ. Hashing these blocks adds to the Σ of the state again, but it is no longer needed.
                out[..16].copy_from_slice(&(total << 3).to_le_bytes());
                out[16..64].fill(0);
                for (i, word) in out[64..128].chunks_exact_mut(8).enumerate() {
                    word.copy_from_slice(&s.u64(SIGMA + i).to_le_bytes());
                }
                for i in [N, N + 1, STEP] {
                    s.set_u64(i, 0);
                }
                128
            }
            _ => 0,
        }
    }

    fn admits(&self, _: &Params, s: &State, _: &State, done: u128) -> bool {
        let bits = done << 3;
        (s.u64(N), s.u64(N + 1), s.u64(STEP)) == (bits as u64, (bits >> 64) as u64, 512)
    }

    fn tail_len(&self, _: &Params, _: usize) -> usize {
        64 + 128
    }

    fn output(&self, _: &Params, s: &mut State, _: &mut dyn FnMut(&mut State, &[u8]), out: &mut [u8]) {
        let first = 8 - out.len() / 8;
        for (i, word) in out.chunks_exact_mut(8).enumerate() {
            word.copy_from_slice(&s.u64(first + i).to_le_bytes());
        }
    }
}

fn portable(p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    drive::<Streebog, u64, 19, 8, false>(Scalar, p, packed, rows);
}

impl Round<u64, 19, 8, false> for Streebog {
    #[inline(always)]
    fn compress(_: Scalar, _: &Params, s: &mut [u64; 19], m: &mut Feed<'_, u64, 8, false>) {
        let mut k = [s[0] ^ s[N], s[1] ^ s[N + 1], s[2], s[3], s[4], s[5], s[6], s[7]];
        let mut x = [0; 8];
        let mut carry = 0;
        for i in 0..8 {
            x[i] = m.word(i);
            s[i] ^= x[i];
            let sum = u128::from(s[SIGMA + i]) + u128::from(x[i]) + carry;
            s[SIGMA + i] = sum as u64;
            carry = sum >> 64;
        }
        let (n, carry) = s[N].overflowing_add(s[STEP]);
        s[N] = n;
        s[N + 1] = s[N + 1].wrapping_add(u64::from(carry));
        k = lps(&k);
        for c in &C {
            for i in 0..8 {
                x[i] ^= k[i];
                k[i] ^= c[i];
            }
            x = lps(&x);
            k = lps(&k);
        }
        for i in 0..8 {
            s[i] ^= x[i] ^ k[i];
        }
    }
}

/// Byte j of word i after S and P is π of byte i of word j.
#[inline(always)]
fn lps(x: &[u64; 8]) -> [u64; 8] {
    let mut pairs = [[0u16; 4]; 8];
    for j in 0..8 {
        for i in 0..4 {
            pairs[j][i] = (x[j] >> (16 * i)) as u16;
        }
    }
    // Otherwise the compiler keeps x in registers and shifts each byte out of a copy.
    let pairs = black_box(&pairs);
    let mut out = [0; 8];
    repeat16!(I => if I < 4 {
        let mut pair = [0; 2];
        for j in 0..8 {
            let [low, high] = pairs[j][I % 4].to_le_bytes();
            pair[0] ^= T[j][usize::from(low)];
            pair[1] ^= T[j][usize::from(high)];
        }
        out[2 * I % 8] = pair[0];
        out[2 * I % 8 + 1] = pair[1];
    });
    out
}

/// T\[j\]\[v\]: π(v) as byte j of a word, times A.
static T: [[u64; 256]; 8] = {
    let mut t = [[0; 256]; 8];
    let mut j = 0;
    while j < 8 {
        let mut v = 0;
        while v < 256 {
            let mut bit = 0;
            while bit < 8 {
                if PI[v] >> bit & 1 == 1 {
                    // The rows of A are numbered from the highest bit.
                    t[j][v] ^= A[63 - 8 * j - bit];
                }
                bit += 1;
            }
            v += 1;
        }
        j += 1;
    }
    t
};

/// S-box of RFC 6986, 6.2.
const PI: [u8; 256] = [
    252, 238, 221, 17, 207, 110, 49, 22, 251, 196, 250, 218, 35, 197, 4, 77, 233, 119, 240, 219, 147, 46, 153, 186, 23,
    54, 241, 187, 20, 205, 95, 193, 249, 24, 101, 90, 226, 92, 239, 33, 129, 28, 60, 66, 139, 1, 142, 79, 5, 132, 2,
    174, 227, 106, 143, 160, 6, 11, 237, 152, 127, 212, 211, 31, 235, 52, 44, 81, 234, 200, 72, 171, 242, 42, 104, 162,
    253, 58, 206, 204, 181, 112, 14, 86, 8, 12, 118, 18, 191, 114, 19, 71, 156, 183, 93, 135, 21, 161, 150, 41, 16,
    123, 154, 199, 243, 145, 120, 111, 157, 158, 178, 177, 50, 117, 25, 61, 255, 53, 138, 126, 109, 84, 198, 128, 195,
    189, 13, 87, 223, 245, 36, 169, 62, 168, 67, 201, 215, 121, 214, 246, 124, 34, 185, 3, 224, 15, 236, 222, 122, 148,
    176, 188, 220, 232, 40, 80, 78, 51, 10, 74, 167, 151, 96, 115, 30, 0, 98, 68, 26, 184, 56, 130, 100, 159, 38, 65,
    173, 69, 70, 146, 39, 94, 85, 47, 140, 163, 165, 125, 105, 213, 149, 59, 7, 88, 179, 64, 134, 172, 29, 247, 48, 55,
    107, 228, 136, 217, 231, 137, 225, 27, 131, 73, 76, 63, 248, 254, 141, 83, 170, 144, 202, 216, 133, 97, 32, 113,
    103, 164, 45, 43, 9, 91, 203, 155, 37, 208, 190, 229, 108, 82, 89, 166, 116, 210, 230, 244, 180, 192, 209, 102,
    175, 194, 57, 75, 99, 182,
];

/// Matrix of RFC 6986, 6.4.
const A: [u64; 64] = [
    0x8e20_faa7_2ba0_b470, 0x4710_7ddd_9b50_5a38, 0xad08_b0e0_c328_2d1c, 0xd804_5870_ef14_980e, 0x6c02_2c38_f90a_4c07,
    0x3601_161c_f205_268d, 0x1b8e_0b0e_798c_13c8, 0x8347_8b07_b246_8764, 0xa011_d380_818e_8f40, 0x5086_e740_ce47_c920,
    0x2843_fd20_67ad_ea10, 0x14af_f010_bdd8_7508, 0x0ad9_7808_d06c_b404, 0x05e2_3c04_6836_5a02, 0x8c71_1e02_341b_2d01,
    0x46b6_0f01_1a83_988e, 0x90da_b52a_387a_e76f, 0x486d_d415_1c3d_fdb9, 0x24b8_6a84_0e90_f0d2, 0x125c_3542_0748_7869,
    0x092e_9421_8d24_3cba, 0x8a17_4a9e_c812_1e5d, 0x4585_254f_6409_0fa0, 0xaccc_9ca9_328a_8950, 0x9d4d_f05d_5f66_1451,
    0xc0a8_78a0_a133_0aa6, 0x6054_3c50_de97_0553, 0x302a_1e28_6fc5_8ca7, 0x1815_0f14_b9ec_46dd, 0x0c84_890a_d276_23e0,
    0x0642_ca05_693b_9f70, 0x0321_658c_ba93_c138, 0x8627_5df0_9ce8_aaa8, 0x439d_a078_4e74_5554, 0xafc0_503c_273a_a42a,
    0xd960_281e_9d1d_5215, 0xe230_140f_c080_2984, 0x7118_0a89_6040_9a42, 0xb60c_05ca_3020_4d21, 0x5b06_8c65_1810_a89e,
    0x456c_3488_7a38_05b9, 0xac36_1a44_3d1c_8cd2, 0x561b_0d22_900e_4669, 0x2b83_8811_4807_23ba, 0x9bcf_4486_248d_9f5d,
    0xc3e9_2243_12c8_c1a0, 0xeffa_11af_0964_ee50, 0xf97d_86d9_8a32_7728, 0xe4fa_2054_a80b_329c, 0x727d_102a_548b_194e,
    0x39b0_0815_2acb_8227, 0x9258_0484_15eb_419d, 0x492c_0242_84fb_aec0, 0xaa16_0121_42f3_5760, 0x550b_8e9e_21f7_a530,
    0xa48b_474f_9ef5_dc18, 0x70a6_a56e_2440_598e, 0x3853_dc37_1220_a247, 0x1ca7_6e95_0910_51ad, 0x0edd_37c4_8a08_a6d8,
    0x07e0_9562_4504_536c, 0x8d70_c431_ac02_a736, 0xc838_6296_5601_dd1b, 0x641c_314b_2b8e_e083,
];

/// Constants of RFC 6986, 6.5, with the lowest word first.
const C: [[u64; 8]; 12] = [
    [
        0xdd80_6559_f2a6_4507, 0x0576_7436_cc74_4d23, 0xa242_2a08_a460_d315, 0x4b7c_e091_9267_6901,
        0x714e_b88d_7585_c4fc, 0x2f6a_7643_2e45_d016, 0xebcb_2f81_c065_7c1f, 0xb108_5bda_1eca_dae9,
    ],
    [
        0xe679_0470_21b1_9bb7, 0x55dd_a21b_d7cb_cd56, 0x5cb5_61c2_db0a_a7ca, 0x9ab5_176b_12d6_9958,
        0x61d5_5e0f_16b5_0131, 0xf3fe_ea72_0a23_2b98, 0x4fe3_9d46_0f70_b5d7, 0x6fa3_b58a_a99d_2f1a,
    ],
    [
        0x991e_96f5_0aba_0ab2, 0xc2b6_f443_867a_db31, 0xc1c9_3a37_6062_db09, 0xd3e2_0fe4_9035_9eb1,
        0xf2ea_7514_b129_7b7b, 0x06f1_5e5f_529c_1f8b, 0x0a39_fc28_6a3d_8435, 0xf574_dcac_2bce_2fc7,
    ],
    [
        0x220c_bebc_84e3_d12e, 0x3453_eaa1_93e8_37f1, 0xd8b7_1333_9352_03be, 0xa9d7_2c82_ed03_d675,
        0x9d72_1cad_685e_353f, 0x488e_857e_335c_3c7d, 0xf948_e1a0_5d71_e4dd, 0xef1f_dfb3_e815_66d2,
    ],
    [
        0x6017_58fd_7c6c_fe57, 0x7a56_a27e_a9ea_63f5, 0xdfff_00b7_2327_1a16, 0xbfcd_1747_253a_f5a3,
        0x359e_35d7_800f_ffbd, 0x7f15_1c1f_1686_104a, 0x9a3f_410c_6ca9_2363, 0x4bea_6bac_ad47_4799,
    ],
    [
        0xfa68_407a_4664_7d6e, 0xbf71_c572_3690_4f35, 0x0af2_1f66_c2be_c6b6, 0xcffa_a6b7_1c9a_b7b4,
        0x187f_9ab4_9af0_8ec6, 0x2d66_c4f9_5142_a46c, 0x6fa4_c33b_7a30_39c0, 0xae4f_aeae_1d3a_d3d9,
    ],
    [
        0x8886_564d_3a14_d493, 0x3517_454c_a23c_4af3, 0x0647_6983_284a_0504, 0x0992_abc5_2d82_2c37,
        0xd347_3e33_197a_93c9, 0x399e_c6c7_e6bf_87c9, 0x51ac_86fe_bf24_0954, 0xf4c7_0e16_eeaa_c5ec,
    ],
    [
        0xa47f_0dd4_bf02_e71e, 0x36ac_c235_5951_a8d9, 0x69d1_8d2b_d1a5_c42f, 0xf489_2bcb_929b_0690,
        0x89b4_443b_4ddb_c49a, 0x4eb7_f871_9c36_de1e, 0x03e7_aa02_0c6e_4141, 0x9b1f_5b42_4d93_c9a7,
    ],
    [
        0x7261_4451_8323_5adb, 0x0e38_dc92_cb1f_2a60, 0x7b2b_8a9a_a607_9c54, 0x800a_440b_dbb2_ceb1,
        0x3cd9_55b7_e00d_0984, 0x3a7d_3a1b_2589_4224, 0x944c_9ad8_ec16_5fde, 0x378f_5a54_1631_229b,
    ],
    [
        0x74b4_c7fb_9845_9ced, 0x3698_fad1_153b_b6c3, 0x7a1e_6c30_3b76_52f4, 0x9fe7_6702_af69_334b,
        0x1fff_e18a_1b33_6103, 0x8941_e71c_ff8a_78db, 0x382a_e548_b2e4_f3f3, 0xabbe_dea6_8005_6f52,
    ],
    [
        0x6bca_a4cd_81f3_2d1b, 0xdea2_594a_c06f_d85d, 0xefba_cd1d_7d47_6e98, 0x8a1d_71ef_ea48_b9ca,
        0x2001_8021_1484_6679, 0xd8fa_6bbb_ebab_0761, 0x3002_c6cd_635a_fe94, 0x7bcd_9ed0_efc8_89fb,
    ],
    [
        0x48bc_924a_f11b_d720, 0xfaf4_17d5_d9b2_1b99, 0xe71d_a4aa_88e1_2852, 0x5d80_ef9d_1891_cc86,
        0xf820_12d4_3021_9f9b, 0xcda4_3c32_bcdf_1d77, 0xd213_80b0_0449_b17a, 0x378e_e767_f116_31ba,
    ],
];

#[cfg(test)]
mod tests {
    use crate::Algorithm;

    /// Examples of RFC 6986, 10.1 and 10.2, with the lowest byte first.
    #[test]
    fn rfc_6986() {
        let d = |a: &str, m: &[u8]| a.parse::<Algorithm>().expect("known").digest(m).to_string();
        let m1 = b"012345678901234567890123456789012345678901234567890123456789012";
        assert_eq!(
            d("streebog512", m1),
            "1b54d01a4af5b9d5cc3d86d68d285462b19abc2475222f35c085122be4ba1ffa00ad30f8767b3a82384c6574f024c311e2a481332b08ef7f41797891c1646f48"
        );
        assert_eq!(d("streebog256", m1), "9d151eefd8590b89daa6ba6cb74af9275dd051026bb149a452fd84e5e57b5500");
        // A line of The Tale of Igor's Campaign in Windows-1251.
        let m2 = [
            0xd1, 0xe5, 0x20, 0xe2, 0xe5, 0xf2, 0xf0, 0xe8, 0x2c, 0x20, 0xd1, 0xf2, 0xf0, 0xe8, 0xe1, 0xee, 0xe6, 0xe8,
            0x20, 0xe2, 0xed, 0xf3, 0xf6, 0xe8, 0x2c, 0x20, 0xe2, 0xe5, 0xfe, 0xf2, 0xfa, 0x20, 0xf1, 0x20, 0xec, 0xee,
            0xf0, 0xff, 0x20, 0xf1, 0xf2, 0xf0, 0xe5, 0xeb, 0xe0, 0xec, 0xe8, 0x20, 0xed, 0xe0, 0x20, 0xf5, 0xf0, 0xe0,
            0xe1, 0xf0, 0xfb, 0xff, 0x20, 0xef, 0xeb, 0xfa, 0xea, 0xfb, 0x20, 0xc8, 0xe3, 0xee, 0xf0, 0xe5, 0xe2, 0xfb,
        ];
        assert_eq!(
            d("streebog512", &m2),
            "1e88e62226bfca6f9994f1f2d51569e0daf8475a3b0fe61a5300eee46d961376035fe83549ada2b8620fcd7c496ce5b33f0cb9dddc2b6460143b03dabac9fb28"
        );
        assert_eq!(d("streebog256", &m2), "9dd2fe4e90409e5da87f53976d7405b0c0cac628fc669a741d50063c557e8f50");
    }
}
