//! One file per round function.
//!
//! If an instruction set has dedicated instructions for one, it is a folder with a file for each architecture. `lanes!`
//! (`kernels.rs`) makes one function per kernel and lists the kernels in order of preference. `on!([AVX512 + VBMI]; f)`
//! is the only way to put a function into such a list: it generates a function with these instruction sets that calls
//! `f`, so the compiler rejects a kernel that is compiled for more than it says it needs.

pub(crate) mod adler32;
pub(crate) mod blake;
pub(crate) mod blake2;
pub(crate) mod blake3;
pub(crate) mod crc;
mod crc_catalogue;
pub(crate) mod cubehash;
pub(crate) mod fletcher;
pub(crate) mod fnv;
pub(crate) mod gost94;
pub(crate) mod groestl;
pub(crate) mod haval;
pub(crate) mod jh;
pub(crate) mod joaat;
pub(crate) mod keccak;
pub(crate) mod md2;
pub(crate) mod md4;
pub(crate) mod md5;
pub(crate) mod murmur3;
pub(crate) mod ripemd;
pub(crate) mod sha1;
pub(crate) mod sha2_32;
pub(crate) mod sha2_64;
pub(crate) mod siphash;
pub(crate) mod skein;
pub(crate) mod sm3;
pub(crate) mod snefru;
pub(crate) mod streebog;
pub(crate) mod sums;
pub(crate) mod tiger;
#[cfg(target_arch = "x86_64")]
pub(crate) mod together;
pub(crate) mod whirlpool;
pub(crate) mod xxh3;
pub(crate) mod xxh32;
pub(crate) mod xxh64;

mod fold;
mod kernels;
mod lookup;
#[cfg(target_arch = "x86_64")]
mod x86_bytes;

use crate::simd::repeat16;
use kernels::lanes;
