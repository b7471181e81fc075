//! Compiled-in crates that people use for what RustCrypto lacks or is slower at. If one of them is also a kernel of
//! ours, the comparison shows the overhead of our calls.

use crate::peer::compiled::{self, Compiled, Row};
use blake_hash::digest::Digest;
use blake2b_simd::blake2b;
use blake2s_simd::blake2s;
use crc_fast::CrcAlgorithm::{self, *};
use hashmill_measure::clock::hide;
use std::hint::black_box;
use twox_hash::{XxHash3_64, XxHash3_128, XxHash32, XxHash64};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};
use xxhash_rust::xxh32::xxh32;
use xxhash_rust::xxh64::xxh64;

/// Calls any function that returns the digest of a message as bytes.
#[inline(always)]
fn each<T: AsRef<[u8]>>(messages: &[&[u8]], out: &mut [u8], f: impl Fn(&[u8]) -> T) {
    for m in messages {
        let digest = f(hide(m));
        let digest = digest.as_ref();
        out[..digest.len()].copy_from_slice(digest);
        black_box(&mut *out);
    }
}

#[inline(always)]
fn crc16(algorithm: CrcAlgorithm, m: &[u8]) -> [u8; 2] {
    (crc_fast::checksum(algorithm, m) as u16).to_be_bytes()
}

#[inline(always)]
fn crc32(algorithm: CrcAlgorithm, m: &[u8]) -> [u8; 4] {
    (crc_fast::checksum(algorithm, m) as u32).to_be_bytes()
}

#[inline(always)]
fn crc64(algorithm: CrcAlgorithm, m: &[u8]) -> [u8; 8] {
    crc_fast::checksum(algorithm, m).to_be_bytes()
}

macro_rules! table {
    ($($ours:literal $package:literal $theirs:literal |$m:ident| $digest:expr;)*) => {
        &[$(Row {
            ours: $ours,
            package: $package,
            theirs: $theirs,
            each: |messages, out| each(messages, out, |$m| $digest),
        },)*]
    };
}

#[rustfmt::skip]
const TABLE: &[Row] = table! {
    "blake3" "blake3" "blake3::hash" |m| *blake3::hash(m).as_bytes();
    "blake2b-512" "blake2b_simd" "blake2b_simd::blake2b" |m| *blake2b(m).as_array();
    "blake2s-256" "blake2s_simd" "blake2s_simd::blake2s" |m| *blake2s(m).as_array();
    "blake224" "blake-hash" "blake_hash::Blake224" |m| blake_hash::Blake224::digest(m);
    "blake256" "blake-hash" "blake_hash::Blake256" |m| blake_hash::Blake256::digest(m);
    "blake384" "blake-hash" "blake_hash::Blake384" |m| blake_hash::Blake384::digest(m);
    "blake512" "blake-hash" "blake_hash::Blake512" |m| blake_hash::Blake512::digest(m);
    "adler32" "simd-adler32" "simd_adler32::adler32" |m| simd_adler32::adler32(&m).to_be_bytes();
    // One of these two is faster on short messages, the other on long ones.
    "xxh32" "twox-hash" "twox_hash::XxHash32" |m| XxHash32::oneshot(0, m).to_be_bytes();
    "xxh32" "xxhash-rust" "xxhash_rust::xxh32::xxh32" |m| xxh32(m, 0).to_be_bytes();
    "xxh64" "twox-hash" "twox_hash::XxHash64" |m| XxHash64::oneshot(0, m).to_be_bytes();
    "xxh64" "xxhash-rust" "xxhash_rust::xxh64::xxh64" |m| xxh64(m, 0).to_be_bytes();
    "xxh3" "twox-hash" "twox_hash::XxHash3_64" |m| XxHash3_64::oneshot(m).to_be_bytes();
    "xxh3" "xxhash-rust" "xxhash_rust::xxh3::xxh3_64" |m| xxh3_64(m).to_be_bytes();
    "xxh128" "twox-hash" "twox_hash::XxHash3_128" |m| XxHash3_128::oneshot(m).to_be_bytes();
    "xxh128" "xxhash-rust" "xxhash_rust::xxh3::xxh3_128" |m| xxh3_128(m).to_be_bytes();
    "crc32" "crc32fast" "crc32fast::hash" |m| crc32fast::hash(m).to_be_bytes();
    "crc32" "crc-fast" "crc_fast::crc32_iso_hdlc" |m| crc_fast::crc32_iso_hdlc(m).to_be_bytes();
    "crc32c" "crc-fast" "crc_fast::crc32_iscsi" |m| crc_fast::crc32_iscsi(m).to_be_bytes();
    "crc64-nvme" "crc-fast" "crc_fast::crc64_nvme" |m| crc_fast::crc64_nvme(m).to_be_bytes();
    "crc16-arc" "crc-fast" "crc_fast::Crc16Arc" |m| crc16(Crc16Arc, m);
    "crc16-cdma2000" "crc-fast" "crc_fast::Crc16Cdma2000" |m| crc16(Crc16Cdma2000, m);
    "crc16-cms" "crc-fast" "crc_fast::Crc16Cms" |m| crc16(Crc16Cms, m);
    "crc16-dds-110" "crc-fast" "crc_fast::Crc16Dds110" |m| crc16(Crc16Dds110, m);
    "crc16-dect-r" "crc-fast" "crc_fast::Crc16DectR" |m| crc16(Crc16DectR, m);
    "crc16-dect-x" "crc-fast" "crc_fast::Crc16DectX" |m| crc16(Crc16DectX, m);
    "crc16-dnp" "crc-fast" "crc_fast::Crc16Dnp" |m| crc16(Crc16Dnp, m);
    "crc16-en-13757" "crc-fast" "crc_fast::Crc16En13757" |m| crc16(Crc16En13757, m);
    "crc16-genibus" "crc-fast" "crc_fast::Crc16Genibus" |m| crc16(Crc16Genibus, m);
    "crc16-gsm" "crc-fast" "crc_fast::Crc16Gsm" |m| crc16(Crc16Gsm, m);
    "crc16-ibm-3740" "crc-fast" "crc_fast::Crc16Ibm3740" |m| crc16(Crc16Ibm3740, m);
    "crc16-ibm-sdlc" "crc-fast" "crc_fast::Crc16IbmSdlc" |m| crc16(Crc16IbmSdlc, m);
    "crc16-iso-iec-14443-3-a" "crc-fast" "crc_fast::Crc16IsoIec144433A" |m| crc16(Crc16IsoIec144433A, m);
    "crc16-kermit" "crc-fast" "crc_fast::Crc16Kermit" |m| crc16(Crc16Kermit, m);
    "crc16-lj1200" "crc-fast" "crc_fast::Crc16Lj1200" |m| crc16(Crc16Lj1200, m);
    "crc16-m17" "crc-fast" "crc_fast::Crc16M17" |m| crc16(Crc16M17, m);
    "crc16-maxim-dow" "crc-fast" "crc_fast::Crc16MaximDow" |m| crc16(Crc16MaximDow, m);
    "crc16-mcrf4xx" "crc-fast" "crc_fast::Crc16Mcrf4xx" |m| crc16(Crc16Mcrf4xx, m);
    "crc16-modbus" "crc-fast" "crc_fast::Crc16Modbus" |m| crc16(Crc16Modbus, m);
    "crc16-nrsc-5" "crc-fast" "crc_fast::Crc16Nrsc5" |m| crc16(Crc16Nrsc5, m);
    "crc16-opensafety-a" "crc-fast" "crc_fast::Crc16OpensafetyA" |m| crc16(Crc16OpensafetyA, m);
    "crc16-opensafety-b" "crc-fast" "crc_fast::Crc16OpensafetyB" |m| crc16(Crc16OpensafetyB, m);
    "crc16-profibus" "crc-fast" "crc_fast::Crc16Profibus" |m| crc16(Crc16Profibus, m);
    "crc16-riello" "crc-fast" "crc_fast::Crc16Riello" |m| crc16(Crc16Riello, m);
    "crc16-spi-fujitsu" "crc-fast" "crc_fast::Crc16SpiFujitsu" |m| crc16(Crc16SpiFujitsu, m);
    "crc16-t10-dif" "crc-fast" "crc_fast::Crc16T10Dif" |m| crc16(Crc16T10Dif, m);
    "crc16-teledisk" "crc-fast" "crc_fast::Crc16Teledisk" |m| crc16(Crc16Teledisk, m);
    "crc16-tms37157" "crc-fast" "crc_fast::Crc16Tms37157" |m| crc16(Crc16Tms37157, m);
    "crc16-umts" "crc-fast" "crc_fast::Crc16Umts" |m| crc16(Crc16Umts, m);
    "crc16-usb" "crc-fast" "crc_fast::Crc16Usb" |m| crc16(Crc16Usb, m);
    "crc16-xmodem" "crc-fast" "crc_fast::Crc16Xmodem" |m| crc16(Crc16Xmodem, m);
    "crc32-aixm" "crc-fast" "crc_fast::Crc32Aixm" |m| crc32(Crc32Aixm, m);
    "crc32-autosar" "crc-fast" "crc_fast::Crc32Autosar" |m| crc32(Crc32Autosar, m);
    "crc32-base91-d" "crc-fast" "crc_fast::Crc32Base91D" |m| crc32(Crc32Base91D, m);
    "crc32-bzip2" "crc-fast" "crc_fast::Crc32Bzip2" |m| crc32(Crc32Bzip2, m);
    "crc32-cd-rom-edc" "crc-fast" "crc_fast::Crc32CdRomEdc" |m| crc32(Crc32CdRomEdc, m);
    "crc32-cksum" "crc-fast" "crc_fast::Crc32Cksum" |m| crc32(Crc32Cksum, m);
    "crc32-jamcrc" "crc-fast" "crc_fast::Crc32Jamcrc" |m| crc32(Crc32Jamcrc, m);
    "crc32-mef" "crc-fast" "crc_fast::Crc32Mef" |m| crc32(Crc32Mef, m);
    "crc32-mpeg-2" "crc-fast" "crc_fast::Crc32Mpeg2" |m| crc32(Crc32Mpeg2, m);
    "crc32-xfer" "crc-fast" "crc_fast::Crc32Xfer" |m| crc32(Crc32Xfer, m);
    "crc64-ecma-182" "crc-fast" "crc_fast::Crc64Ecma182" |m| crc64(Crc64Ecma182, m);
    "crc64-go-iso" "crc-fast" "crc_fast::Crc64GoIso" |m| crc64(Crc64GoIso, m);
    "crc64-ms" "crc-fast" "crc_fast::Crc64Ms" |m| crc64(Crc64Ms, m);
    "crc64-redis" "crc-fast" "crc_fast::Crc64Redis" |m| crc64(Crc64Redis, m);
    "crc64-we" "crc-fast" "crc_fast::Crc64We" |m| crc64(Crc64We, m);
    "crc64-xz" "crc-fast" "crc_fast::Crc64Xz" |m| crc64(Crc64Xz, m);
};

/// Returns the function for an algorithm: `blake3::hash`.
pub(super) fn name(ours: &str) -> Option<&'static str> {
    compiled::name(TABLE, ours)
}

/// All crates of the table as one peer.
pub(super) const CRATES: Compiled =
    Compiled { whose: "Rust crates", version: || "Rust crates".into(), version_of: version, table: TABLE };

/// Describes a crate: `blake3 1.8.7`.
fn version(package: &str) -> String {
    match compiled::number(package) {
        Some(number) => format!("{package} {number}"),
        None => package.into(),
    }
}
