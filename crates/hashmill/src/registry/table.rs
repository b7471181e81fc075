//! THE table: every algorithm, its names, sizes, status, specification, rule and kernels.

use crate::algo;
use crate::contract::Kernel;
use crate::plumbing::Driven;
use crate::registry::security::{Status, broken, checksum, cubehash, sound, weak};

/// The longest digest that can be asked of an extendable-output function in one piece, in bytes.
pub(crate) const MAX_DIGEST: usize = 1 << 20;

/// Which digest lengths an algorithm has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DigestLength {
    Fixed,
    /// 1 to this many bytes.
    UpTo(usize),
    Any,
}

/// How the plumbing treats an algorithm.
#[derive(Clone, Copy)]
pub(crate) enum Rule {
    Blocks(&'static dyn Driven),
    /// Kernels are the whole algorithm; `block` is what `block_len` reports.
    Whole {
        block: usize,
    },
}

/// One algorithm.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    pub(crate) digest_len: usize,
    pub(crate) lengths: DigestLength,
    /// Names that end in the digest's length in bits after this prefix name it too: `skein512-` for `skein512-256`.
    pub(crate) prefix: Option<&'static str>,
    /// Shortest and longest key in bytes; (0, 0) for none.
    pub(crate) keys: (usize, usize),
    /// The longest salt and the longest personalization in bytes; 0 for none.
    pub(crate) salt: usize,
    pub(crate) personal: usize,
    /// Whether it can derive keys from a context string.
    pub(crate) context: bool,
    /// Whether lists for people show it.
    pub(crate) common: bool,
    /// Bits of its seed: 0 for none.
    pub(crate) seed_bits: u32,
    pub(crate) family: &'static str,
    pub(crate) year: u16,
    pub(crate) spec: &'static str,
    pub(crate) status: Status,
    /// The algorithm's own parameters.
    pub(crate) p: [u16; 4],
    pub(crate) rule: Rule,
    pub(crate) kernels: &'static [Kernel],
}

/// A row with the usual defaults, to be overridden by `..`. How far an algorithm may be trusted has none.
const fn row(name: &'static str, digest_len: usize, rule: Rule, kernels: &'static [Kernel], status: Status) -> Row {
    Row {
        name,
        aliases: &[],
        digest_len,
        lengths: DigestLength::Fixed,
        prefix: None,
        keys: (0, 0),
        salt: 0,
        personal: 0,
        context: false,
        common: true,
        seed_bits: 0,
        family: "",
        year: 0,
        spec: "",
        status,
        p: [0; 4],
        rule,
        kernels,
    }
}

const MD2_REASON: &str = "collisions and preimages faster than brute force; withdrawn by RFC 6149";
const MD4_REASON: &str =
    "collisions in a few operations since 2004, preimages faster than brute force; RFC 6150 retired it";
const MD5_REASON: &str = "collisions in seconds since 2004; chosen-prefix collisions since 2007";
const SHA0_REASON: &str = "collisions since 2004, in 2^34 operations since 2008; replaced by SHA-1 in 1995";
const SHA1_REASON: &str = "collisions since 2017 (SHAttered), chosen-prefix since 2020";
const SHA2_REASON: &str = "no attack on the full function; length extension is possible, use HMAC with keys";
const SHA2_CUT_REASON: &str = "no attack on the full function";
const SHA3_REASON: &str = "no attack beyond a few of its 24 rounds";
const BLAKE_REASON: &str = "no attack on the full function; distinguishers reach about 8 rounds of its permutation";
const BLAKE2_REASON: &str = "no attack on the full function";
const BLAKE3_REASON: &str = "no attack on the full function; 7 rounds leave less margin than BLAKE2's";
const GROESTL_REASON: &str = "no attack on the full function; collisions reach 5 of its 10 rounds";
const GROESTL_LONG_REASON: &str = "no attack on the full function; collisions reach 3 of its 14 rounds";
const JH_REASON: &str = "no attack on the full function; its permutation alone can be told from a random one";
const SKEIN_REASON: &str =
    "no attack on the full function; distinguishers reach half the rounds of its compression function";
const RIPEMD128_REASON: &str = "its compression function collides in 2^61.6 operations (2013)";
const RIPEMD160_REASON: &str = "no attack on all 80 steps; collisions reach about half of them";
const RIPEMD256_REASON: &str =
    "no attack on the full function, but promises no more than RIPEMD-128: 2^64 tries for a collision";
const RIPEMD320_REASON: &str =
    "no attack on the full function, but promises no more than RIPEMD-160: 2^80 tries for a collision";
const HAVAL3_REASON: &str = "collisions in a few operations since 2004";
const HAVAL4_REASON: &str = "practical collisions since 2006";
const HAVAL5_REASON: &str =
    "collisions in 2^123 operations (2006), which matters to 256 bits; its relatives with fewer passes are broken";
const TIGER_REASON: &str = "preimages of the full function in 2^188.8 (2010); three passes leave no margin";
const TIGER_CUT_REASON: &str = "three passes leave no margin (preimages of 192 bits in 2^188.8, 2010)";
const TIGER4_REASON: &str = "attacks reach all of three passes (2010), none is known on four; little studied";
const WHIRLPOOL_REASON: &str =
    "no attack on the full hash; collisions reach 6.5 of its ten rounds, preimages 7.75 (2024)";
const SNEFRU128_REASON: &str = "variants of up to four passes are broken (1991)";
const SNEFRU_REASON: &str =
    "differential cryptanalysis finds collisions of all eight passes in 2^88.5 instead of 2^128";
const GOST94_REASON: &str = "collisions in 2^105 and preimages in 2^192 steps (2008); replaced by Streebog in 2013";
const STREEBOG_256_REASON: &str =
    "no attack on the full function; its S-box has a structure that its designers did not explain";
const STREEBOG_512_REASON: &str = "second preimages of very long messages in 2^266 steps; its S-box has a structure \
    that its designers did not explain";
const SM3_REASON: &str = "no attack on the full function; length extension is possible, use HMAC with keys";
const XXH_REASON: &str = "fast and well mixed; collisions can be made at will";
const MURMUR_REASON: &str = "well mixed, but collisions are made at will, whatever the seed";
const HASH_TABLE_REASON: &str = "for hash tables; its steps can be run backwards, so collisions are made at will";
const SIPHASH_REASON: &str = "a MAC and PRF under a secret key, unbroken as such; no collision-resistant hash";
const SUM_REASON: &str = "a sum: detects accidents; anyone can make a message with a given value";
const CRC_REASON: &str = "detects accidents; anyone can make a message with a given value";

const BLAKE_SPEC: &str = "SHA-3 proposal BLAKE, version 1.4 (2011)";
const FIPS_180: &str = "FIPS 180-4";
const FIPS_202: &str = "FIPS 202";
const GOST94_SPEC: &str = "GOST R 34.11-94; RFC 5831, RFC 4357";
const GROESTL_SPEC: &str = "Grøstl, SHA-3 submission of 2011 (P. Gauravaram et al.)";
const HAVAL_SPEC: &str = "HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92)";
const JH_SPEC: &str = "JH, SHA-3 submission of 2011 (H. Wu)";
const RIPEMD_SPEC: &str = "RIPEMD-160 (Dobbertin, Bosselaers, Preneel, 1996); ISO/IEC 10118-3";
const RIPEMD_TWICE_SPEC: &str = "RIPEMD-160 (Dobbertin, Bosselaers, Preneel, 1996), optional extensions";
const SIPHASH_SPEC: &str = "SipHash: a fast short-input PRF (Aumasson, Bernstein)";
const STREEBOG_SPEC: &str = "GOST R 34.11-2012; RFC 6986";
const XXH_SPEC: &str = "xxHash specification 0.2.0 (Y. Collet)";

/// The lengths of secrets that XXH3 takes.
const XXH3_SECRET: (usize, usize) = (136, usize::MAX);

/// All algorithms: those below, then the catalogue of CRCs.
pub(crate) static ROWS: &[Row] = &ALL;

/// The number of algorithms.
pub(crate) const LEN: usize = MAIN.len() + algo::crc::LEN;

/// The row of this name, which there must be.
pub(crate) const fn index(name: &str) -> u16 {
    let mut i = 0;
    while !algo::crc::same(ROWS[i].name, name) {
        i += 1;
    }
    i as u16
}

static ALL: [Row; LEN] = {
    let mut all = [MAIN[0]; LEN];
    let mut i = 0;
    while i < all.len() {
        all[i] = if i < MAIN.len() { MAIN[i] } else { crc(i - MAIN.len()) };
        i += 1;
    }
    all
};

const MAIN: &[Row] = &[
    Row {
        aliases: &["md-2"],
        family: "MD",
        year: 1989,
        spec: "RFC 1319",
        ..row("md2", 16, Rule::Blocks(&algo::md2::RULE), algo::md2::KERNELS, broken(MD2_REASON))
    },
    Row {
        aliases: &["md-4"],
        family: "MD",
        year: 1990,
        spec: "RFC 1320",
        ..row("md4", 16, Rule::Blocks(&algo::md4::RULE), algo::md4::KERNELS, broken(MD4_REASON))
    },
    Row {
        aliases: &["md-5", "ssl3-md5"],
        family: "MD",
        year: 1992,
        spec: "RFC 1321",
        ..row("md5", 16, Rule::Blocks(&algo::md5::RULE), algo::md5::KERNELS, broken(MD5_REASON))
    },
    Row {
        aliases: &["sha-0"],
        family: "SHA-0",
        year: 1993,
        spec: "FIPS 180 (1993)",
        ..row("sha0", 20, Rule::Blocks(&algo::sha1::RULE), algo::sha1::sha0::KERNELS, broken(SHA0_REASON))
    },
    Row {
        aliases: &["sha-1", "sha", "sha160", "ssl3-sha1"],
        family: "SHA-1",
        year: 1995,
        spec: FIPS_180,
        ..row("sha1", 20, Rule::Blocks(&algo::sha1::RULE), algo::sha1::KERNELS, broken(SHA1_REASON))
    },
    Row {
        aliases: &["sha-224", "sha2-224"],
        family: "SHA-2",
        year: 2004,
        spec: FIPS_180,
        p: [224, 0, 0, 0],
        ..row("sha224", 28, Rule::Blocks(&algo::sha2_32::RULE), algo::sha2_32::KERNELS, sound(128, SHA2_CUT_REASON))
    },
    Row {
        aliases: &["sha-256", "sha2-256"],
        family: "SHA-2",
        year: 2001,
        spec: FIPS_180,
        p: [256, 0, 0, 0],
        ..row("sha256", 32, Rule::Blocks(&algo::sha2_32::RULE), algo::sha2_32::KERNELS, sound(128, SHA2_REASON))
    },
    Row {
        aliases: &["sha-384", "sha2-384"],
        family: "SHA-2",
        year: 2001,
        spec: FIPS_180,
        p: [384, 0, 0, 0],
        ..row("sha384", 48, Rule::Blocks(&algo::sha2_64::RULE), algo::sha2_64::KERNELS, sound(256, SHA2_CUT_REASON))
    },
    Row {
        aliases: &["sha-512", "sha2-512"],
        family: "SHA-2",
        year: 2001,
        spec: FIPS_180,
        p: [512, 0, 0, 0],
        ..row("sha512", 64, Rule::Blocks(&algo::sha2_64::RULE), algo::sha2_64::KERNELS, sound(256, SHA2_REASON))
    },
    Row {
        aliases: &["sha512/224", "sha-512/224", "sha2-512/224", "sha512_224", "sha512t224"],
        family: "SHA-2",
        year: 2012,
        spec: FIPS_180,
        p: [224, 0, 0, 0],
        ..row("sha512-224", 28, Rule::Blocks(&algo::sha2_64::RULE), algo::sha2_64::KERNELS, sound(256, SHA2_CUT_REASON))
    },
    Row {
        aliases: &["sha512/256", "sha-512/256", "sha2-512/256", "sha512_256", "sha512t256"],
        family: "SHA-2",
        year: 2012,
        spec: FIPS_180,
        p: [256, 0, 0, 0],
        ..row("sha512-256", 32, Rule::Blocks(&algo::sha2_64::RULE), algo::sha2_64::KERNELS, sound(256, SHA2_CUT_REASON))
    },
    Row { aliases: &["sha3_224"], ..sha3("sha3-224", 28, [144, 0x06, 0, 0]) },
    Row { aliases: &["sha3_256"], ..sha3("sha3-256", 32, [136, 0x06, 0, 0]) },
    Row { aliases: &["sha3_384"], ..sha3("sha3-384", 48, [104, 0x06, 0, 0]) },
    Row { aliases: &["sha3_512"], ..sha3("sha3-512", 64, [72, 0x06, 0, 0]) },
    Row { aliases: &["shake-128", "shake_128"], lengths: DigestLength::Any, ..sha3("shake128", 32, [168, 0x1f, 0, 0]) },
    Row { aliases: &["shake-256", "shake_256"], lengths: DigestLength::Any, ..sha3("shake256", 64, [136, 0x1f, 0, 0]) },
    Row { aliases: &["keccak-224"], ..keccak("keccak224", 28, [144, 0x01, 0, 0]) },
    Row { aliases: &["keccak-256"], ..keccak("keccak256", 32, [136, 0x01, 0, 0]) },
    Row { aliases: &["keccak-384"], ..keccak("keccak384", 48, [104, 0x01, 0, 0]) },
    Row { aliases: &["keccak-512"], ..keccak("keccak512", 64, [72, 0x01, 0, 0]) },
    Row { aliases: &["blake-224", "blake_224"], p: [224, 0, 0, 0], ..blake_32("blake224", 28) },
    Row { aliases: &["blake-256", "blake_256"], p: [256, 0, 0, 0], ..blake_32("blake256", 32) },
    Row { aliases: &["blake-384", "blake_384"], p: [384, 0, 0, 0], ..blake_64("blake384", 48) },
    Row { aliases: &["blake-512", "blake_512"], p: [512, 0, 0, 0], ..blake_64("blake512", 64) },
    Row {
        prefix: Some("blake2b-"),
        aliases: &["blake2b", "blake2b512", "blake2-b", "b2"],
        lengths: DigestLength::UpTo(64),
        keys: (1, 64),
        salt: 16,
        personal: 16,
        family: "BLAKE2",
        year: 2012,
        spec: "RFC 7693",
        ..row(
            "blake2b-512",
            64,
            Rule::Blocks(&algo::blake2::BLAKE2B),
            algo::blake2::blake2b::KERNELS,
            sound(256, BLAKE2_REASON),
        )
    },
    Row {
        aliases: &["blake2s", "blake2s256", "blake2-s", "b2s"],
        lengths: DigestLength::UpTo(32),
        prefix: Some("blake2s-"),
        keys: (1, 32),
        salt: 8,
        personal: 8,
        family: "BLAKE2",
        year: 2012,
        spec: "RFC 7693",
        ..row(
            "blake2s-256",
            32,
            Rule::Blocks(&algo::blake2::BLAKE2S),
            algo::blake2::blake2s::KERNELS,
            sound(128, BLAKE2_REASON),
        )
    },
    Row {
        aliases: &["blake-3", "b3"],
        lengths: DigestLength::Any,
        keys: (32, 32),
        context: true,
        family: "BLAKE3",
        year: 2020,
        spec: "BLAKE3 paper (2020)",
        ..row("blake3", 32, Rule::Whole { block: 64 }, algo::blake3::KERNELS, sound(128, BLAKE3_REASON))
    },
    Row {
        aliases: &["groestl-224", "grostl224", "grostl-224"],
        family: "Groestl",
        year: 2011,
        spec: GROESTL_SPEC,
        p: [8, 0, 0, 0],
        ..row(
            "groestl224",
            28,
            Rule::Blocks(&algo::groestl::RULE_512),
            algo::groestl::KERNELS_512,
            sound(256, GROESTL_REASON),
        )
    },
    Row {
        aliases: &["groestl-256", "grostl256", "grostl-256"],
        family: "Groestl",
        year: 2011,
        spec: GROESTL_SPEC,
        p: [8, 0, 0, 0],
        ..row(
            "groestl256",
            32,
            Rule::Blocks(&algo::groestl::RULE_512),
            algo::groestl::KERNELS_512,
            sound(256, GROESTL_REASON),
        )
    },
    Row {
        aliases: &["groestl-384", "grostl384", "grostl-384"],
        family: "Groestl",
        year: 2011,
        spec: GROESTL_SPEC,
        p: [16, 0, 0, 0],
        ..row(
            "groestl384",
            48,
            Rule::Blocks(&algo::groestl::RULE_1024),
            algo::groestl::KERNELS_1024,
            sound(512, GROESTL_LONG_REASON),
        )
    },
    Row {
        aliases: &["groestl-512", "grostl512", "grostl-512"],
        family: "Groestl",
        year: 2011,
        spec: GROESTL_SPEC,
        p: [16, 0, 0, 0],
        ..row(
            "groestl512",
            64,
            Rule::Blocks(&algo::groestl::RULE_1024),
            algo::groestl::KERNELS_1024,
            sound(512, GROESTL_LONG_REASON),
        )
    },
    Row {
        aliases: &["jh-224"],
        family: "JH",
        year: 2011,
        spec: JH_SPEC,
        ..row("jh224", 28, Rule::Blocks(&algo::jh::RULE), algo::jh::KERNELS, sound(256, JH_REASON))
    },
    Row {
        aliases: &["jh-256"],
        family: "JH",
        year: 2011,
        spec: JH_SPEC,
        ..row("jh256", 32, Rule::Blocks(&algo::jh::RULE), algo::jh::KERNELS, sound(256, JH_REASON))
    },
    Row {
        aliases: &["jh-384"],
        family: "JH",
        year: 2011,
        spec: JH_SPEC,
        ..row("jh384", 48, Rule::Blocks(&algo::jh::RULE), algo::jh::KERNELS, sound(256, JH_REASON))
    },
    Row {
        aliases: &["jh-512"],
        family: "JH",
        year: 2011,
        spec: JH_SPEC,
        ..row("jh512", 64, Rule::Blocks(&algo::jh::RULE), algo::jh::KERNELS, sound(256, JH_REASON))
    },
    Row {
        aliases: &["skein256", "skein-256", "skein-256-256"],
        prefix: Some("skein256-"),
        ..skein("skein256-256", 32, &algo::skein::SKEIN256, algo::skein::skein256::KERNELS)
    },
    Row {
        aliases: &["skein512", "skein-512", "skein-512-512", "skein"],
        prefix: Some("skein512-"),
        ..skein("skein512-512", 64, &algo::skein::SKEIN512, algo::skein::skein512::KERNELS)
    },
    Row {
        aliases: &["skein1024", "skein-1024", "skein-1024-1024"],
        prefix: Some("skein1024-"),
        ..skein("skein1024-1024", 128, &algo::skein::SKEIN1024, algo::skein::skein1024::KERNELS)
    },
    Row {
        aliases: &["cubehash", "cubehash-512"],
        lengths: DigestLength::UpTo(64),
        family: "CubeHash",
        year: 2008,
        spec: "CubeHash specification, 2.B.1 (D. J. Bernstein, 2009)",
        p: [160, 16, 32, 160],
        ..row("cubehash512", 64, Rule::Blocks(&algo::cubehash::RULE), algo::cubehash::KERNELS, cubehash())
    },
    Row {
        aliases: &["ripemd-128", "rmd128"],
        family: "RIPEMD",
        year: 1996,
        spec: RIPEMD_SPEC,
        ..row(
            "ripemd128",
            16,
            Rule::Blocks(&algo::ripemd::RULE),
            algo::ripemd::rmd128::KERNELS,
            weak(64, RIPEMD128_REASON),
        )
    },
    Row {
        aliases: &["ripemd-160", "rmd160", "ripemd", "rmd"],
        family: "RIPEMD",
        year: 1996,
        spec: RIPEMD_SPEC,
        ..row(
            "ripemd160",
            20,
            Rule::Blocks(&algo::ripemd::RULE),
            algo::ripemd::rmd160::KERNELS,
            weak(80, RIPEMD160_REASON),
        )
    },
    Row {
        aliases: &["ripemd-256", "rmd256"],
        family: "RIPEMD",
        year: 1996,
        spec: RIPEMD_TWICE_SPEC,
        ..row(
            "ripemd256",
            32,
            Rule::Blocks(&algo::ripemd::RULE),
            algo::ripemd::rmd256::KERNELS,
            weak(64, RIPEMD256_REASON),
        )
    },
    Row {
        aliases: &["ripemd-320", "rmd320"],
        family: "RIPEMD",
        year: 1996,
        spec: RIPEMD_TWICE_SPEC,
        ..row(
            "ripemd320",
            40,
            Rule::Blocks(&algo::ripemd::RULE),
            algo::ripemd::rmd320::KERNELS,
            weak(80, RIPEMD320_REASON),
        )
    },
    Row { aliases: &["haval128,3", "haval-128-3"], ..haval("haval128-3", 16, 3) },
    Row { aliases: &["haval128,4", "haval-128-4"], ..haval("haval128-4", 16, 4) },
    Row { aliases: &["haval128,5", "haval-128-5"], ..haval("haval128-5", 16, 5) },
    Row { aliases: &["haval160,3", "haval-160-3"], ..haval("haval160-3", 20, 3) },
    Row { aliases: &["haval160,4", "haval-160-4"], ..haval("haval160-4", 20, 4) },
    Row { aliases: &["haval160,5", "haval-160-5"], ..haval("haval160-5", 20, 5) },
    Row { aliases: &["haval192,3", "haval-192-3"], ..haval("haval192-3", 24, 3) },
    Row { aliases: &["haval192,4", "haval-192-4"], ..haval("haval192-4", 24, 4) },
    Row { aliases: &["haval192,5", "haval-192-5"], ..haval("haval192-5", 24, 5) },
    Row { aliases: &["haval224,3", "haval-224-3"], ..haval("haval224-3", 28, 3) },
    Row { aliases: &["haval224,4", "haval-224-4"], ..haval("haval224-4", 28, 4) },
    Row { aliases: &["haval224,5", "haval-224-5"], ..haval("haval224-5", 28, 5) },
    Row { aliases: &["haval256,3", "haval-256-3"], ..haval("haval256-3", 32, 3) },
    Row { aliases: &["haval256,4", "haval-256-4"], ..haval("haval256-4", 32, 4) },
    Row { aliases: &["haval256,5", "haval-256-5", "haval"], ..haval("haval256-5", 32, 5) },
    Row { aliases: &["tiger128,3", "tiger-128-3", "tiger128"], ..tiger("tiger128-3", 16, 3) },
    Row { aliases: &["tiger160,3", "tiger-160-3", "tiger160"], ..tiger("tiger160-3", 20, 3) },
    Row { aliases: &["tiger192,3", "tiger-192-3", "tiger192", "tiger"], ..tiger("tiger192-3", 24, 3) },
    Row { aliases: &["tiger128,4", "tiger-128-4"], ..tiger("tiger128-4", 16, 4) },
    Row { aliases: &["tiger160,4", "tiger-160-4"], ..tiger("tiger160-4", 20, 4) },
    Row { aliases: &["tiger192,4", "tiger-192-4"], ..tiger("tiger192-4", 24, 4) },
    Row {
        aliases: &["tiger-2", "tiger2-192"],
        year: 2005,
        spec: "Tiger2 (R. Anderson, E. Biham, 2005)",
        p: [3, 0x80, 0, 0],
        ..tiger("tiger2", 24, 3)
    },
    Row {
        aliases: &["whirlpool-512", "whirlpool512"],
        family: "Whirlpool",
        year: 2003,
        spec: "ISO/IEC 10118-3",
        ..row(
            "whirlpool",
            64,
            Rule::Blocks(&algo::whirlpool::RULE),
            algo::whirlpool::KERNELS,
            sound(256, WHIRLPOOL_REASON),
        )
    },
    Row { aliases: &["snefru-128"], ..snefru("snefru128", 16, weak(64, SNEFRU128_REASON)) },
    Row { aliases: &["snefru", "snefru-256"], ..snefru("snefru256", 32, weak(88, SNEFRU_REASON)) },
    Row {
        aliases: &["gost", "gosthash", "gost-94", "gost94-test", "gost-94-test", "id-gostr3411-94-testparamset"],
        ..gost94("gost94")
    },
    Row {
        aliases: &[
            "gost-crypto",
            "gost94-crypto",
            "gost-94-cryptopro",
            "id-gostr3411-94-cryptoproparamset",
            "md_gost94",
            "id-gostr3411-94",
            "gostr3411_cp",
        ],
        p: [1, 0, 0, 0],
        ..gost94("gost94-cryptopro")
    },
    Row {
        aliases: &[
            "streebog-256", "streebog_256", "stribog256", "stribog-256", "md_gost12_256", "gost12-256", "gost12_256",
            "gost2012-256",
        ],
        ..streebog("streebog256", 32, STREEBOG_256_REASON)
    },
    Row {
        aliases: &[
            "streebog", "streebog-512", "streebog_512", "stribog512", "stribog-512", "md_gost12_512", "gost12-512",
            "gost12_512", "gost2012-512",
        ],
        ..streebog("streebog512", 64, STREEBOG_512_REASON)
    },
    Row {
        aliases: &["sm-3"],
        family: "SM3",
        year: 2010,
        spec: "GB/T 32905-2016; ISO/IEC 10118-3:2018",
        ..row("sm3", 32, Rule::Blocks(&algo::sm3::RULE), algo::sm3::KERNELS, sound(128, SM3_REASON))
    },
    Row {
        aliases: &["xxhash32", "xxh-32"],
        seed_bits: 32,
        family: "xxHash",
        year: 2012,
        spec: XXH_SPEC,
        ..row("xxh32", 4, Rule::Whole { block: 16 }, algo::xxh32::KERNELS, checksum(XXH_REASON))
    },
    Row {
        aliases: &["xxhash64", "xxh-64"],
        seed_bits: 64,
        family: "xxHash",
        year: 2014,
        spec: XXH_SPEC,
        ..row("xxh64", 8, Rule::Whole { block: 32 }, algo::xxh64::KERNELS, checksum(XXH_REASON))
    },
    Row {
        aliases: &["xxh3-64", "xxh3_64", "xxhash3", "xxh3_64bits"],
        keys: XXH3_SECRET,
        seed_bits: 64,
        family: "xxHash",
        year: 2020,
        spec: XXH_SPEC,
        ..row("xxh3", 8, Rule::Whole { block: 64 }, algo::xxh3::XXH3_KERNELS, checksum(XXH_REASON))
    },
    Row {
        aliases: &["xxh3-128", "xxh3_128", "xxhash128", "xxh3_128bits"],
        keys: XXH3_SECRET,
        seed_bits: 64,
        family: "xxHash",
        year: 2020,
        spec: XXH_SPEC,
        ..row("xxh128", 16, Rule::Whole { block: 64 }, algo::xxh3::XXH128_KERNELS, checksum(XXH_REASON))
    },
    Row {
        aliases: &["murmur3-32", "murmur3_32", "murmur3-x86-32", "murmurhash3-x86-32", "MurmurHash3_x86_32", "murmur3"],
        ..murmur3("murmur3a", 4, 4, algo::murmur3::MURMUR3A)
    },
    Row {
        aliases: &["murmur3-x86-128", "murmurhash3-x86-128", "MurmurHash3_x86_128"],
        ..murmur3("murmur3c", 16, 16, algo::murmur3::MURMUR3C)
    },
    Row {
        aliases: &["murmur3-128", "murmur3-x64-128", "murmurhash3-x64-128", "MurmurHash3_x64_128"],
        ..murmur3("murmur3f", 16, 16, algo::murmur3::MURMUR3F)
    },
    Row {
        aliases: &["siphash", "siphash24", "siphash-64", "siphash-2-4-64"],
        ..siphash("siphash-2-4", 8, algo::siphash::KERNELS)
    },
    Row {
        aliases: &["siphash128", "siphash-128", "siphash24-128"],
        ..siphash("siphash-2-4-128", 16, algo::siphash::KERNELS_128)
    },
    Row { aliases: &["fnv1-32", "fnv-1-32", "fnv1_32"], ..fnv("fnv132", 4, algo::fnv::FNV132) },
    Row { aliases: &["fnv1a-32", "fnv-1a-32", "fnv1a_32"], ..fnv("fnv1a32", 4, algo::fnv::FNV1A32) },
    Row { aliases: &["fnv1-64", "fnv-1-64", "fnv1_64"], ..fnv("fnv164", 8, algo::fnv::FNV164) },
    Row { aliases: &["fnv1a-64", "fnv-1a-64", "fnv1a_64"], ..fnv("fnv1a64", 8, algo::fnv::FNV1A64) },
    Row {
        aliases: &["one-at-a-time", "jenkins-one-at-a-time", "jenkins"],
        family: "Jenkins",
        year: 1997,
        spec: "Dr. Dobb's Journal, September 1997 (B. Jenkins)",
        ..row("joaat", 4, Rule::Whole { block: 1 }, algo::joaat::KERNELS, checksum(HASH_TABLE_REASON))
    },
    Row {
        aliases: &["adler-32", "adler"],
        family: "Adler",
        year: 1995,
        spec: "RFC 1950",
        ..row("adler32", 4, Rule::Whole { block: 1 }, algo::adler32::KERNELS, checksum(SUM_REASON))
    },
    Row { aliases: &["fletcher-16"], ..fletcher("fletcher16", 2, algo::fletcher::FLETCHER16) },
    Row { aliases: &["fletcher-32"], ..fletcher("fletcher32", 4, algo::fletcher::FLETCHER32) },
    Row { aliases: &["fletcher-64"], ..fletcher("fletcher64", 8, algo::fletcher::FLETCHER64) },
    Row { aliases: &["bsd", "bsdsum", "bsd-sum", "sum-r"], year: 1979, ..sum("sum-bsd", algo::sums::BSD) },
    Row { aliases: &["sysv", "sysvsum", "sysv-sum", "sum-s"], year: 1983, ..sum("sum-sysv", algo::sums::SYSV) },
    Row {
        aliases: &["posix-cksum", "cksum-posix"],
        year: 1992,
        spec: "POSIX, cksum",
        p: [algo::crc::index("crc32-cksum") as u16, algo::crc::WITH_LENGTH, 0, 0],
        ..crc_row("cksum", algo::crc::index("crc32-cksum"))
    },
    Row {
        aliases: &["php-crc32"],
        year: 1999,
        spec: "PHP, hash('crc32'): CRC-32/BZIP2 with its bytes reversed",
        p: [algo::crc::index("crc32-bzip2") as u16, algo::crc::LITTLE, 0, 0],
        ..crc_row("crc32-php", algo::crc::index("crc32-bzip2"))
    },
];

const fn haval(name: &'static str, digest_len: usize, passes: u16) -> Row {
    let status = match passes {
        3 => broken(HAVAL3_REASON),
        4 => broken(HAVAL4_REASON),
        _ => weak(123, HAVAL5_REASON),
    };
    Row {
        family: "HAVAL",
        year: 1992,
        spec: HAVAL_SPEC,
        p: [passes, 0, 0, 0],
        ..row(name, digest_len, Rule::Blocks(&algo::haval::RULE), algo::haval::KERNELS, status)
    }
}

/// `p`: the rate in bytes, the suffix.
const fn sha3(name: &'static str, digest_len: usize, p: [u16; 4]) -> Row {
    // Half the capacity.
    let collisions = (1600 - 8 * p[0]) / 2;
    Row {
        family: "SHA-3",
        year: 2015,
        spec: FIPS_202,
        p,
        ..row(
            name,
            digest_len,
            Rule::Blocks(&algo::keccak::RULE),
            algo::keccak::KERNELS,
            sound(collisions, SHA3_REASON),
        )
    }
}

const fn keccak(name: &'static str, digest_len: usize, p: [u16; 4]) -> Row {
    Row { family: "Keccak", year: 2011, spec: "The Keccak SHA-3 submission, version 3", ..sha3(name, digest_len, p) }
}

const fn blake_32(name: &'static str, digest_len: usize) -> Row {
    Row {
        salt: 16,
        ..blake(row(
            name,
            digest_len,
            Rule::Blocks(&algo::blake::BLAKE256),
            algo::blake::blake256::KERNELS,
            sound(128, BLAKE_REASON),
        ))
    }
}

const fn blake_64(name: &'static str, digest_len: usize) -> Row {
    Row {
        salt: 32,
        ..blake(row(
            name,
            digest_len,
            Rule::Blocks(&algo::blake::BLAKE512),
            algo::blake::blake512::KERNELS,
            sound(256, BLAKE_REASON),
        ))
    }
}

const fn blake(row: Row) -> Row {
    Row { family: "BLAKE", year: 2010, spec: BLAKE_SPEC, ..row }
}

const fn siphash(name: &'static str, digest_len: usize, kernels: &'static [Kernel]) -> Row {
    Row {
        keys: (16, 16),
        family: "SipHash",
        year: 2012,
        spec: SIPHASH_SPEC,
        ..row(name, digest_len, Rule::Whole { block: 8 }, kernels, checksum(SIPHASH_REASON))
    }
}

const fn tiger(name: &'static str, digest_len: usize, passes: u16) -> Row {
    let reason = match (passes, digest_len) {
        (3, 24) => TIGER_REASON,
        (3, _) => TIGER_CUT_REASON,
        _ => TIGER4_REASON,
    };
    Row {
        family: "Tiger",
        year: 1996,
        spec: "Tiger: A Fast New Hash Function (FSE 1996)",
        p: [passes, 0x01, 0, 0],
        ..row(name, digest_len, Rule::Blocks(&algo::tiger::RULE), algo::tiger::KERNELS, weak(96, reason))
    }
}

const fn snefru(name: &'static str, digest_len: usize, status: Status) -> Row {
    Row {
        family: "Snefru",
        year: 1990,
        spec: "A Fast Software One-Way Hash Function (R. Merkle, 1990), version 2.5",
        ..row(name, digest_len, Rule::Blocks(&algo::snefru::RULE), algo::snefru::KERNELS, status)
    }
}

const fn gost94(name: &'static str) -> Row {
    Row {
        family: "GOST",
        year: 1994,
        spec: GOST94_SPEC,
        ..row(name, 32, Rule::Blocks(&algo::gost94::RULE), algo::gost94::KERNELS, weak(105, GOST94_REASON))
    }
}

const fn streebog(name: &'static str, digest_len: usize, reason: &'static str) -> Row {
    Row {
        family: "Streebog",
        year: 2012,
        spec: STREEBOG_SPEC,
        ..row(name, digest_len, Rule::Blocks(&algo::streebog::RULE), algo::streebog::KERNELS, sound(256, reason))
    }
}

/// What CRCs by entry `i` of the catalogue share.
const fn crc_row(name: &'static str, i: usize) -> Row {
    Row {
        family: "CRC",
        ..row(
            name,
            algo::crc::ENTRIES[i].bytes(),
            Rule::Whole { block: 1 },
            algo::crc::kernels(i),
            checksum(CRC_REASON),
        )
    }
}

/// The entries of the catalogue that lists for people show.
const COMMON: [usize; 13] = [
    algo::crc::index("crc8-smbus"),
    algo::crc::index("crc16-arc"),
    algo::crc::index("crc16-ibm-3740"),
    algo::crc::index("crc16-kermit"),
    algo::crc::index("crc16-modbus"),
    algo::crc::index("crc16-xmodem"),
    algo::crc::index("crc24-openpgp"),
    algo::crc::index("crc32"),
    algo::crc::index("crc32-bzip2"),
    algo::crc::index("crc32c"),
    algo::crc::index("crc64-ecma-182"),
    algo::crc::index("crc64-nvme"),
    algo::crc::index("crc64-xz"),
];

/// An entry of the catalogue. It names no year; the method itself is of 1961 (W. W. Peterson, D. T. Brown, Cyclic Codes
/// for Error Detection).
const fn crc(i: usize) -> Row {
    const CRC32: usize = algo::crc::index("crc32");
    const CRC32C: usize = algo::crc::index("crc32c");
    let (year, spec) = match i {
        CRC32 => (1975, "ISO/IEC 13239; ITU-T V.42; ZIP"),
        CRC32C => (1993, "RFC 3720"),
        _ => (1961, "CRC RevEng, Catalogue of parametrised CRC algorithms"),
    };
    let entry = &algo::crc::ENTRIES[i];
    let (mut common, mut k) = (false, 0);
    while k < COMMON.len() {
        common |= COMMON[k] == i;
        k += 1;
    }
    Row { common, aliases: entry.aliases, year, spec, p: [i as u16, algo::crc::PLAIN, 0, 0], ..crc_row(entry.name, i) }
}

/// `block`: bytes.
const fn murmur3(name: &'static str, digest_len: usize, block: usize, kernels: &'static [Kernel]) -> Row {
    Row {
        seed_bits: 32,
        family: "MurmurHash",
        year: 2011,
        spec: "smhasher, MurmurHash3.cpp (A. Appleby)",
        ..row(name, digest_len, Rule::Whole { block }, kernels, checksum(MURMUR_REASON))
    }
}

const fn fnv(name: &'static str, digest_len: usize, kernels: &'static [Kernel]) -> Row {
    Row {
        family: "FNV",
        year: 1991,
        spec: "RFC 9923",
        ..row(name, digest_len, Rule::Whole { block: 1 }, kernels, checksum(HASH_TABLE_REASON))
    }
}

const fn fletcher(name: &'static str, digest_len: usize, kernels: &'static [Kernel]) -> Row {
    Row {
        family: "Fletcher",
        year: 1982,
        spec: "IEEE Transactions on Communications 30 (J. G. Fletcher)",
        ..row(name, digest_len, Rule::Whole { block: 1 }, kernels, checksum(SUM_REASON))
    }
}

const fn sum(name: &'static str, kernels: &'static [Kernel]) -> Row {
    Row {
        family: "sum",
        spec: "GNU coreutils, sum",
        ..row(name, 2, Rule::Whole { block: 1 }, kernels, checksum(SUM_REASON))
    }
}

const fn skein(name: &'static str, digest_len: usize, rule: &'static dyn Driven, kernels: &'static [Kernel]) -> Row {
    Row {
        lengths: DigestLength::UpTo(MAX_DIGEST),
        keys: (1, 65536),
        personal: 65536,
        family: "Skein",
        year: 2008,
        spec: "The Skein Hash Function Family 1.3 (2010)",
        // Half the state: that is as many bits as the usual digest has.
        ..row(name, digest_len, Rule::Blocks(rule), kernels, sound(4 * digest_len as u16, SKEIN_REASON))
    }
}

/// The row with this name or alias, in any case.
pub(crate) fn find(name: &str) -> Option<usize> {
    let same = |n: &&str| n.eq_ignore_ascii_case(name);
    ROWS.iter().position(|r| same(&r.name)).or_else(|| ROWS.iter().position(|r| r.aliases.iter().any(same)))
}

/// The names of all kernels of all algorithms, each once.
pub(crate) fn kernel_names() -> Vec<String> {
    let mut names: Vec<String> = ROWS.iter().flat_map(|r| r.kernels).map(|k| k.name.to_string()).collect();
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cpu::Features;
    use crate::contract::Run;
    use std::collections::HashSet;

    #[test]
    fn names_and_aliases_are_unique() {
        let mut seen = HashSet::new();
        for row in ROWS {
            for name in std::iter::once(&row.name).chain(row.aliases) {
                assert!(seen.insert(name.to_ascii_lowercase()), "{name} is used twice");
            }
            assert_eq!(row.name, row.name.to_ascii_lowercase(), "canonical names are lower-case");
        }
    }

    #[test]
    fn every_row_is_complete() {
        for row in ROWS {
            assert!(row.year > 1960 && !row.spec.is_empty() && !row.family.is_empty());
            let portable = row.kernels.iter().find(|k| k.name == "portable");
            let portable = portable.unwrap_or_else(|| panic!("{} has no portable kernel", row.name));
            assert_eq!(portable.needs, Features::NONE, "{}: portable needs nothing", row.name);
            assert_eq!(portable.lanes(), 1);
            let mut names = HashSet::new();
            for k in row.kernels {
                assert!(names.insert(k.name), "{}: {} twice", row.name, k.name);
                match (&row.rule, &k.run) {
                    (Rule::Blocks(rule), Run::Lanes(l)) => {
                        let p = crate::Algorithm::from_row(find(row.name).expect("a row finds itself")).params;
                        assert!(rule.block(&p) <= crate::contract::MAX_BLOCK);
                        assert!(usize::from(l.lanes) <= crate::plumbing::call::MAX_LANES && l.min_active >= 1);
                        assert!(l.min_active <= l.lanes, "{}: {} can never be chosen", row.name, k.name);
                    }
                    (Rule::Whole { .. }, Run::Whole(_)) => {}
                    _ => panic!("{}: {} has the wrong shape", row.name, k.name),
                }
            }
        }
    }
}
