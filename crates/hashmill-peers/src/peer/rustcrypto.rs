//! RustCrypto's crates, compiled in.

use crate::peer::compiled::{self, Compiled, Row};
use digest::consts::{U16, U20, U28, U32, U48, U64, U128};
use digest::{Digest, ExtendableOutput};
use hashmill_measure::clock::hide;
use std::hint::black_box;

fn fixed<D: Digest>(messages: &[&[u8]], out: &mut [u8]) {
    for m in messages {
        let d = D::digest(hide(m));
        out[..d.len()].copy_from_slice(&d);
        black_box(&mut *out);
    }
}

fn xof<D: ExtendableOutput + Default, const LEN: usize>(messages: &[&[u8]], out: &mut [u8]) {
    for m in messages {
        D::digest_xof(hide(m), &mut out[..LEN]);
        black_box(&mut *out);
    }
}

macro_rules! table {
    ($($ours:literal $package:literal $run:ident $type:ty $(, $len:literal)?;)*) => {
        &[$(Row { ours: $ours, package: $package, theirs: stringify!($type), each: $run::<$type $(, $len)?> },)*]
    };
}

const TABLE: &[Row] = table! {
    "md2" "md2" fixed md2::Md2;
    "md4" "md4" fixed md4::Md4;
    "md5" "md-5" fixed md5::Md5;
    "sha1" "sha1" fixed sha1::Sha1;
    "sha224" "sha2" fixed sha2::Sha224;
    "sha256" "sha2" fixed sha2::Sha256;
    "sha384" "sha2" fixed sha2::Sha384;
    "sha512" "sha2" fixed sha2::Sha512;
    "sha512-224" "sha2" fixed sha2::Sha512_224;
    "sha512-256" "sha2" fixed sha2::Sha512_256;
    "sha3-224" "sha3" fixed sha3::Sha3_224;
    "sha3-256" "sha3" fixed sha3::Sha3_256;
    "sha3-384" "sha3" fixed sha3::Sha3_384;
    "sha3-512" "sha3" fixed sha3::Sha3_512;
    "keccak224" "sha3" fixed sha3::Keccak224;
    "keccak256" "sha3" fixed sha3::Keccak256;
    "keccak384" "sha3" fixed sha3::Keccak384;
    "keccak512" "sha3" fixed sha3::Keccak512;
    "shake128" "shake" xof shake::Shake128, 32;
    "shake256" "shake" xof shake::Shake256, 64;
    "ripemd128" "ripemd" fixed ripemd::Ripemd128;
    "ripemd160" "ripemd" fixed ripemd::Ripemd160;
    "ripemd256" "ripemd" fixed ripemd::Ripemd256;
    "ripemd320" "ripemd" fixed ripemd::Ripemd320;
    "tiger192-3" "tiger" fixed tiger::Tiger;
    "tiger2" "tiger" fixed tiger::Tiger2;
    "whirlpool" "whirlpool" fixed whirlpool::Whirlpool;
    "gost94" "gost94" fixed gost94::Gost94Test;
    "gost94-cryptopro" "gost94" fixed gost94::Gost94CryptoPro;
    "streebog256" "streebog" fixed streebog::Streebog256;
    "streebog512" "streebog" fixed streebog::Streebog512;
    "sm3" "sm3" fixed sm3::Sm3;
    "groestl224" "groestl" fixed groestl::Groestl224;
    "groestl256" "groestl" fixed groestl::Groestl256;
    "groestl384" "groestl" fixed groestl::Groestl384;
    "groestl512" "groestl" fixed groestl::Groestl512;
    "jh224" "jh" fixed jh::Jh224;
    "jh256" "jh" fixed jh::Jh256;
    "jh384" "jh" fixed jh::Jh384;
    "jh512" "jh" fixed jh::Jh512;
    "skein256-128" "skein" fixed skein::Skein256<U16>;
    "skein256-160" "skein" fixed skein::Skein256<U20>;
    "skein256-224" "skein" fixed skein::Skein256<U28>;
    "skein256-256" "skein" fixed skein::Skein256<U32>;
    "skein512-128" "skein" fixed skein::Skein512<U16>;
    "skein512-160" "skein" fixed skein::Skein512<U20>;
    "skein512-224" "skein" fixed skein::Skein512<U28>;
    "skein512-256" "skein" fixed skein::Skein512<U32>;
    "skein512-384" "skein" fixed skein::Skein512<U48>;
    "skein512-512" "skein" fixed skein::Skein512<U64>;
    "skein1024-384" "skein" fixed skein::Skein1024<U48>;
    "skein1024-512" "skein" fixed skein::Skein1024<U64>;
    "skein1024-1024" "skein" fixed skein::Skein1024<U128>;
    "blake2b-128" "blake2" fixed blake2::Blake2b<U16>;
    "blake2b-160" "blake2" fixed blake2::Blake2b<U20>;
    "blake2b-224" "blake2" fixed blake2::Blake2b<U28>;
    "blake2b-256" "blake2" fixed blake2::Blake2b<U32>;
    "blake2b-384" "blake2" fixed blake2::Blake2b<U48>;
    "blake2b-512" "blake2" fixed blake2::Blake2b<U64>;
    "blake2s-128" "blake2" fixed blake2::Blake2s<U16>;
    "blake2s-160" "blake2" fixed blake2::Blake2s<U20>;
    "blake2s-224" "blake2" fixed blake2::Blake2s<U28>;
    "blake2s-256" "blake2" fixed blake2::Blake2s<U32>;
};

/// Returns the type for an algorithm: `sha2::Sha256`.
pub(super) fn name(ours: &str) -> Option<&'static str> {
    compiled::name(TABLE, ours)
}

/// All crates of the table as one peer.
pub(super) const RUSTCRYPTO: Compiled =
    Compiled { whose: "RustCrypto", version: || version("digest"), version_of: version, table: TABLE };

/// Describes a crate: `RustCrypto sha2 0.11.1`.
pub(crate) fn version(package: &str) -> String {
    match compiled::number(package) {
        Some(number) => format!("RustCrypto {package} {number}"),
        None => format!("RustCrypto {package}"),
    }
}
