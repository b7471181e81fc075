// hashmill/types.hpp: a type for each algorithm. Generated from the registry by `cargo run -p xtask -- header`.

#ifndef HASHMILL_TYPES_HPP
#define HASHMILL_TYPES_HPP

namespace hashmill {

/// md2: RFC 1319
struct md2 : fixed<md2, 16, 16> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_MD2; }
};

/// md4: RFC 1320
struct md4 : fixed<md4, 16, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_MD4; }
};

/// md5: RFC 1321
struct md5 : fixed<md5, 16, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_MD5; }
};

/// sha0: FIPS 180 (1993)
struct sha0 : fixed<sha0, 20, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SHA0; }
};

/// sha1: FIPS 180-4
struct sha1 : fixed<sha1, 20, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SHA1; }
};

/// sha224: FIPS 180-4
struct sha224 : fixed<sha224, 28, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SHA224; }
};

/// sha256: FIPS 180-4
struct sha256 : fixed<sha256, 32, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SHA256; }
};

/// sha384: FIPS 180-4
struct sha384 : fixed<sha384, 48, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SHA384; }
};

/// sha512: FIPS 180-4
struct sha512 : fixed<sha512, 64, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SHA512; }
};

/// sha512-224: FIPS 180-4
struct sha512_224 : fixed<sha512_224, 28, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SHA512_224; }
};

/// sha512-256: FIPS 180-4
struct sha512_256 : fixed<sha512_256, 32, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SHA512_256; }
};

/// sha3-224: FIPS 202
struct sha3_224 : fixed<sha3_224, 28, 144> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SHA3_224; }
};

/// sha3-256: FIPS 202
struct sha3_256 : fixed<sha3_256, 32, 136> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SHA3_256; }
};

/// sha3-384: FIPS 202
struct sha3_384 : fixed<sha3_384, 48, 104> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SHA3_384; }
};

/// sha3-512: FIPS 202
struct sha3_512 : fixed<sha3_512, 64, 72> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SHA3_512; }
};

/// shake128: FIPS 202
struct shake128 : fixed<shake128, 32, 168> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SHAKE128; }
};

/// shake256: FIPS 202
struct shake256 : fixed<shake256, 64, 136> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SHAKE256; }
};

/// keccak224: The Keccak SHA-3 submission, version 3
struct keccak224 : fixed<keccak224, 28, 144> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_KECCAK224; }
};

/// keccak256: The Keccak SHA-3 submission, version 3
struct keccak256 : fixed<keccak256, 32, 136> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_KECCAK256; }
};

/// keccak384: The Keccak SHA-3 submission, version 3
struct keccak384 : fixed<keccak384, 48, 104> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_KECCAK384; }
};

/// keccak512: The Keccak SHA-3 submission, version 3
struct keccak512 : fixed<keccak512, 64, 72> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_KECCAK512; }
};

/// blake224: SHA-3 proposal BLAKE, version 1.4 (2011)
struct blake224 : fixed<blake224, 28, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_BLAKE224; }
};

/// blake256: SHA-3 proposal BLAKE, version 1.4 (2011)
struct blake256 : fixed<blake256, 32, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_BLAKE256; }
};

/// blake384: SHA-3 proposal BLAKE, version 1.4 (2011)
struct blake384 : fixed<blake384, 48, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_BLAKE384; }
};

/// blake512: SHA-3 proposal BLAKE, version 1.4 (2011)
struct blake512 : fixed<blake512, 64, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_BLAKE512; }
};

/// blake2b-512: RFC 7693
struct blake2b_512 : fixed<blake2b_512, 64, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_BLAKE2B_512; }
};

/// blake2s-256: RFC 7693
struct blake2s_256 : fixed<blake2s_256, 32, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_BLAKE2S_256; }
};

/// blake3: BLAKE3 paper (2020)
struct blake3 : fixed<blake3, 32, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_BLAKE3; }
};

/// groestl224: Grøstl, SHA-3 submission of 2011 (P. Gauravaram et al.)
struct groestl224 : fixed<groestl224, 28, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_GROESTL224; }
};

/// groestl256: Grøstl, SHA-3 submission of 2011 (P. Gauravaram et al.)
struct groestl256 : fixed<groestl256, 32, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_GROESTL256; }
};

/// groestl384: Grøstl, SHA-3 submission of 2011 (P. Gauravaram et al.)
struct groestl384 : fixed<groestl384, 48, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_GROESTL384; }
};

/// groestl512: Grøstl, SHA-3 submission of 2011 (P. Gauravaram et al.)
struct groestl512 : fixed<groestl512, 64, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_GROESTL512; }
};

/// jh224: JH, SHA-3 submission of 2011 (H. Wu)
struct jh224 : fixed<jh224, 28, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_JH224; }
};

/// jh256: JH, SHA-3 submission of 2011 (H. Wu)
struct jh256 : fixed<jh256, 32, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_JH256; }
};

/// jh384: JH, SHA-3 submission of 2011 (H. Wu)
struct jh384 : fixed<jh384, 48, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_JH384; }
};

/// jh512: JH, SHA-3 submission of 2011 (H. Wu)
struct jh512 : fixed<jh512, 64, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_JH512; }
};

/// skein256-256: The Skein Hash Function Family 1.3 (2010)
struct skein256_256 : fixed<skein256_256, 32, 32> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SKEIN256_256; }
};

/// skein512-512: The Skein Hash Function Family 1.3 (2010)
struct skein512_512 : fixed<skein512_512, 64, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SKEIN512_512; }
};

/// skein1024-1024: The Skein Hash Function Family 1.3 (2010)
struct skein1024_1024 : fixed<skein1024_1024, 128, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SKEIN1024_1024; }
};

/// cubehash512: CubeHash specification, 2.B.1 (D. J. Bernstein, 2009)
struct cubehash512 : fixed<cubehash512, 64, 32> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CUBEHASH512; }
};

/// ripemd128: RIPEMD-160 (Dobbertin, Bosselaers, Preneel, 1996); ISO/IEC 10118-3
struct ripemd128 : fixed<ripemd128, 16, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_RIPEMD128; }
};

/// ripemd160: RIPEMD-160 (Dobbertin, Bosselaers, Preneel, 1996); ISO/IEC 10118-3
struct ripemd160 : fixed<ripemd160, 20, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_RIPEMD160; }
};

/// ripemd256: RIPEMD-160 (Dobbertin, Bosselaers, Preneel, 1996), optional extensions
struct ripemd256 : fixed<ripemd256, 32, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_RIPEMD256; }
};

/// ripemd320: RIPEMD-160 (Dobbertin, Bosselaers, Preneel, 1996), optional extensions
struct ripemd320 : fixed<ripemd320, 40, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_RIPEMD320; }
};

/// haval128-3: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92)
struct haval128_3 : fixed<haval128_3, 16, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_HAVAL128_3; }
};

/// haval128-4: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92)
struct haval128_4 : fixed<haval128_4, 16, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_HAVAL128_4; }
};

/// haval128-5: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92)
struct haval128_5 : fixed<haval128_5, 16, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_HAVAL128_5; }
};

/// haval160-3: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92)
struct haval160_3 : fixed<haval160_3, 20, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_HAVAL160_3; }
};

/// haval160-4: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92)
struct haval160_4 : fixed<haval160_4, 20, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_HAVAL160_4; }
};

/// haval160-5: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92)
struct haval160_5 : fixed<haval160_5, 20, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_HAVAL160_5; }
};

/// haval192-3: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92)
struct haval192_3 : fixed<haval192_3, 24, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_HAVAL192_3; }
};

/// haval192-4: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92)
struct haval192_4 : fixed<haval192_4, 24, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_HAVAL192_4; }
};

/// haval192-5: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92)
struct haval192_5 : fixed<haval192_5, 24, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_HAVAL192_5; }
};

/// haval224-3: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92)
struct haval224_3 : fixed<haval224_3, 28, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_HAVAL224_3; }
};

/// haval224-4: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92)
struct haval224_4 : fixed<haval224_4, 28, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_HAVAL224_4; }
};

/// haval224-5: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92)
struct haval224_5 : fixed<haval224_5, 28, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_HAVAL224_5; }
};

/// haval256-3: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92)
struct haval256_3 : fixed<haval256_3, 32, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_HAVAL256_3; }
};

/// haval256-4: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92)
struct haval256_4 : fixed<haval256_4, 32, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_HAVAL256_4; }
};

/// haval256-5: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92)
struct haval256_5 : fixed<haval256_5, 32, 128> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_HAVAL256_5; }
};

/// tiger128-3: Tiger: A Fast New Hash Function (FSE 1996)
struct tiger128_3 : fixed<tiger128_3, 16, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_TIGER128_3; }
};

/// tiger160-3: Tiger: A Fast New Hash Function (FSE 1996)
struct tiger160_3 : fixed<tiger160_3, 20, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_TIGER160_3; }
};

/// tiger192-3: Tiger: A Fast New Hash Function (FSE 1996)
struct tiger192_3 : fixed<tiger192_3, 24, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_TIGER192_3; }
};

/// tiger128-4: Tiger: A Fast New Hash Function (FSE 1996)
struct tiger128_4 : fixed<tiger128_4, 16, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_TIGER128_4; }
};

/// tiger160-4: Tiger: A Fast New Hash Function (FSE 1996)
struct tiger160_4 : fixed<tiger160_4, 20, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_TIGER160_4; }
};

/// tiger192-4: Tiger: A Fast New Hash Function (FSE 1996)
struct tiger192_4 : fixed<tiger192_4, 24, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_TIGER192_4; }
};

/// tiger2: Tiger2 (R. Anderson, E. Biham, 2005)
struct tiger2 : fixed<tiger2, 24, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_TIGER2; }
};

/// whirlpool: ISO/IEC 10118-3
struct whirlpool : fixed<whirlpool, 64, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_WHIRLPOOL; }
};

/// snefru128: A Fast Software One-Way Hash Function (R. Merkle, 1990), version 2.5
struct snefru128 : fixed<snefru128, 16, 48> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SNEFRU128; }
};

/// snefru256: A Fast Software One-Way Hash Function (R. Merkle, 1990), version 2.5
struct snefru256 : fixed<snefru256, 32, 32> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SNEFRU256; }
};

/// gost94: GOST R 34.11-94; RFC 5831, RFC 4357
struct gost94 : fixed<gost94, 32, 32> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_GOST94; }
};

/// gost94-cryptopro: GOST R 34.11-94; RFC 5831, RFC 4357
struct gost94_cryptopro : fixed<gost94_cryptopro, 32, 32> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_GOST94_CRYPTOPRO; }
};

/// streebog256: GOST R 34.11-2012; RFC 6986
struct streebog256 : fixed<streebog256, 32, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_STREEBOG256; }
};

/// streebog512: GOST R 34.11-2012; RFC 6986
struct streebog512 : fixed<streebog512, 64, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_STREEBOG512; }
};

/// sm3: GB/T 32905-2016; ISO/IEC 10118-3:2018
struct sm3 : fixed<sm3, 32, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SM3; }
};

/// xxh32: xxHash specification 0.2.0 (Y. Collet)
struct xxh32 : fixed<xxh32, 4, 16> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_XXH32; }
};

/// xxh64: xxHash specification 0.2.0 (Y. Collet)
struct xxh64 : fixed<xxh64, 8, 32> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_XXH64; }
};

/// xxh3: xxHash specification 0.2.0 (Y. Collet)
struct xxh3 : fixed<xxh3, 8, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_XXH3; }
};

/// xxh128: xxHash specification 0.2.0 (Y. Collet)
struct xxh128 : fixed<xxh128, 16, 64> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_XXH128; }
};

/// murmur3a: smhasher, MurmurHash3.cpp (A. Appleby)
struct murmur3a : fixed<murmur3a, 4, 4> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_MURMUR3A; }
};

/// murmur3c: smhasher, MurmurHash3.cpp (A. Appleby)
struct murmur3c : fixed<murmur3c, 16, 16> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_MURMUR3C; }
};

/// murmur3f: smhasher, MurmurHash3.cpp (A. Appleby)
struct murmur3f : fixed<murmur3f, 16, 16> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_MURMUR3F; }
};

/// siphash-2-4: SipHash: a fast short-input PRF (Aumasson, Bernstein)
struct siphash_2_4 : fixed<siphash_2_4, 8, 8> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SIPHASH_2_4; }
};

/// siphash-2-4-128: SipHash: a fast short-input PRF (Aumasson, Bernstein)
struct siphash_2_4_128 : fixed<siphash_2_4_128, 16, 8> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SIPHASH_2_4_128; }
};

/// fnv132: RFC 9923
struct fnv132 : fixed<fnv132, 4, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_FNV132; }
};

/// fnv1a32: RFC 9923
struct fnv1a32 : fixed<fnv1a32, 4, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_FNV1A32; }
};

/// fnv164: RFC 9923
struct fnv164 : fixed<fnv164, 8, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_FNV164; }
};

/// fnv1a64: RFC 9923
struct fnv1a64 : fixed<fnv1a64, 8, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_FNV1A64; }
};

/// joaat: Dr. Dobb's Journal, September 1997 (B. Jenkins)
struct joaat : fixed<joaat, 4, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_JOAAT; }
};

/// adler32: RFC 1950
struct adler32 : fixed<adler32, 4, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_ADLER32; }
};

/// fletcher16: IEEE Transactions on Communications 30 (J. G. Fletcher)
struct fletcher16 : fixed<fletcher16, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_FLETCHER16; }
};

/// fletcher32: IEEE Transactions on Communications 30 (J. G. Fletcher)
struct fletcher32 : fixed<fletcher32, 4, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_FLETCHER32; }
};

/// fletcher64: IEEE Transactions on Communications 30 (J. G. Fletcher)
struct fletcher64 : fixed<fletcher64, 8, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_FLETCHER64; }
};

/// sum-bsd: GNU coreutils, sum
struct sum_bsd : fixed<sum_bsd, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SUM_BSD; }
};

/// sum-sysv: GNU coreutils, sum
struct sum_sysv : fixed<sum_sysv, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_SUM_SYSV; }
};

/// cksum: POSIX, cksum
struct cksum : fixed<cksum, 4, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CKSUM; }
};

/// crc32-php: PHP, hash('crc32'): CRC-32/BZIP2 with its bytes reversed
struct crc32_php : fixed<crc32_php, 4, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC32_PHP; }
};

/// crc3-gsm: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc3_gsm : fixed<crc3_gsm, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC3_GSM; }
};

/// crc3-rohc: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc3_rohc : fixed<crc3_rohc, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC3_ROHC; }
};

/// crc4-g-704: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc4_g_704 : fixed<crc4_g_704, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC4_G_704; }
};

/// crc4-interlaken: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc4_interlaken : fixed<crc4_interlaken, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC4_INTERLAKEN; }
};

/// crc5-epc-c1g2: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc5_epc_c1g2 : fixed<crc5_epc_c1g2, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC5_EPC_C1G2; }
};

/// crc5-g-704: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc5_g_704 : fixed<crc5_g_704, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC5_G_704; }
};

/// crc5-usb: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc5_usb : fixed<crc5_usb, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC5_USB; }
};

/// crc6-cdma2000-a: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc6_cdma2000_a : fixed<crc6_cdma2000_a, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC6_CDMA2000_A; }
};

/// crc6-cdma2000-b: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc6_cdma2000_b : fixed<crc6_cdma2000_b, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC6_CDMA2000_B; }
};

/// crc6-darc: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc6_darc : fixed<crc6_darc, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC6_DARC; }
};

/// crc6-g-704: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc6_g_704 : fixed<crc6_g_704, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC6_G_704; }
};

/// crc6-gsm: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc6_gsm : fixed<crc6_gsm, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC6_GSM; }
};

/// crc7-mmc: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc7_mmc : fixed<crc7_mmc, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC7_MMC; }
};

/// crc7-rohc: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc7_rohc : fixed<crc7_rohc, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC7_ROHC; }
};

/// crc7-umts: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc7_umts : fixed<crc7_umts, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC7_UMTS; }
};

/// crc8-autosar: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc8_autosar : fixed<crc8_autosar, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC8_AUTOSAR; }
};

/// crc8-bluetooth: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc8_bluetooth : fixed<crc8_bluetooth, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC8_BLUETOOTH; }
};

/// crc8-cdma2000: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc8_cdma2000 : fixed<crc8_cdma2000, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC8_CDMA2000; }
};

/// crc8-darc: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc8_darc : fixed<crc8_darc, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC8_DARC; }
};

/// crc8-dvb-s2: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc8_dvb_s2 : fixed<crc8_dvb_s2, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC8_DVB_S2; }
};

/// crc8-gsm-a: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc8_gsm_a : fixed<crc8_gsm_a, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC8_GSM_A; }
};

/// crc8-gsm-b: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc8_gsm_b : fixed<crc8_gsm_b, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC8_GSM_B; }
};

/// crc8-hitag: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc8_hitag : fixed<crc8_hitag, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC8_HITAG; }
};

/// crc8-i-432-1: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc8_i_432_1 : fixed<crc8_i_432_1, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC8_I_432_1; }
};

/// crc8-i-code: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc8_i_code : fixed<crc8_i_code, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC8_I_CODE; }
};

/// crc8-lte: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc8_lte : fixed<crc8_lte, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC8_LTE; }
};

/// crc8-maxim-dow: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc8_maxim_dow : fixed<crc8_maxim_dow, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC8_MAXIM_DOW; }
};

/// crc8-mifare-mad: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc8_mifare_mad : fixed<crc8_mifare_mad, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC8_MIFARE_MAD; }
};

/// crc8-nrsc-5: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc8_nrsc_5 : fixed<crc8_nrsc_5, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC8_NRSC_5; }
};

/// crc8-opensafety: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc8_opensafety : fixed<crc8_opensafety, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC8_OPENSAFETY; }
};

/// crc8-rohc: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc8_rohc : fixed<crc8_rohc, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC8_ROHC; }
};

/// crc8-sae-j1850: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc8_sae_j1850 : fixed<crc8_sae_j1850, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC8_SAE_J1850; }
};

/// crc8-smbus: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc8_smbus : fixed<crc8_smbus, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC8_SMBUS; }
};

/// crc8-tech-3250: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc8_tech_3250 : fixed<crc8_tech_3250, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC8_TECH_3250; }
};

/// crc8-wcdma: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc8_wcdma : fixed<crc8_wcdma, 1, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC8_WCDMA; }
};

/// crc10-atm: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc10_atm : fixed<crc10_atm, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC10_ATM; }
};

/// crc10-cdma2000: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc10_cdma2000 : fixed<crc10_cdma2000, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC10_CDMA2000; }
};

/// crc10-gsm: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc10_gsm : fixed<crc10_gsm, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC10_GSM; }
};

/// crc11-flexray: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc11_flexray : fixed<crc11_flexray, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC11_FLEXRAY; }
};

/// crc11-umts: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc11_umts : fixed<crc11_umts, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC11_UMTS; }
};

/// crc12-cdma2000: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc12_cdma2000 : fixed<crc12_cdma2000, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC12_CDMA2000; }
};

/// crc12-dect: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc12_dect : fixed<crc12_dect, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC12_DECT; }
};

/// crc12-gsm: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc12_gsm : fixed<crc12_gsm, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC12_GSM; }
};

/// crc12-umts: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc12_umts : fixed<crc12_umts, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC12_UMTS; }
};

/// crc13-bbc: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc13_bbc : fixed<crc13_bbc, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC13_BBC; }
};

/// crc14-darc: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc14_darc : fixed<crc14_darc, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC14_DARC; }
};

/// crc14-gsm: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc14_gsm : fixed<crc14_gsm, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC14_GSM; }
};

/// crc15-can: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc15_can : fixed<crc15_can, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC15_CAN; }
};

/// crc15-mpt1327: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc15_mpt1327 : fixed<crc15_mpt1327, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC15_MPT1327; }
};

/// crc16-arc: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_arc : fixed<crc16_arc, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_ARC; }
};

/// crc16-cdma2000: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_cdma2000 : fixed<crc16_cdma2000, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_CDMA2000; }
};

/// crc16-cms: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_cms : fixed<crc16_cms, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_CMS; }
};

/// crc16-dds-110: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_dds_110 : fixed<crc16_dds_110, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_DDS_110; }
};

/// crc16-dect-r: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_dect_r : fixed<crc16_dect_r, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_DECT_R; }
};

/// crc16-dect-x: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_dect_x : fixed<crc16_dect_x, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_DECT_X; }
};

/// crc16-dnp: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_dnp : fixed<crc16_dnp, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_DNP; }
};

/// crc16-en-13757: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_en_13757 : fixed<crc16_en_13757, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_EN_13757; }
};

/// crc16-genibus: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_genibus : fixed<crc16_genibus, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_GENIBUS; }
};

/// crc16-gsm: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_gsm : fixed<crc16_gsm, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_GSM; }
};

/// crc16-ibm-3740: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_ibm_3740 : fixed<crc16_ibm_3740, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_IBM_3740; }
};

/// crc16-ibm-sdlc: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_ibm_sdlc : fixed<crc16_ibm_sdlc, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_IBM_SDLC; }
};

/// crc16-iso-iec-14443-3-a: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_iso_iec_14443_3_a : fixed<crc16_iso_iec_14443_3_a, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_ISO_IEC_14443_3_A; }
};

/// crc16-kermit: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_kermit : fixed<crc16_kermit, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_KERMIT; }
};

/// crc16-lj1200: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_lj1200 : fixed<crc16_lj1200, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_LJ1200; }
};

/// crc16-m17: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_m17 : fixed<crc16_m17, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_M17; }
};

/// crc16-maxim-dow: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_maxim_dow : fixed<crc16_maxim_dow, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_MAXIM_DOW; }
};

/// crc16-mcrf4xx: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_mcrf4xx : fixed<crc16_mcrf4xx, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_MCRF4XX; }
};

/// crc16-modbus: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_modbus : fixed<crc16_modbus, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_MODBUS; }
};

/// crc16-nrsc-5: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_nrsc_5 : fixed<crc16_nrsc_5, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_NRSC_5; }
};

/// crc16-opensafety-a: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_opensafety_a : fixed<crc16_opensafety_a, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_OPENSAFETY_A; }
};

/// crc16-opensafety-b: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_opensafety_b : fixed<crc16_opensafety_b, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_OPENSAFETY_B; }
};

/// crc16-profibus: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_profibus : fixed<crc16_profibus, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_PROFIBUS; }
};

/// crc16-riello: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_riello : fixed<crc16_riello, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_RIELLO; }
};

/// crc16-spi-fujitsu: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_spi_fujitsu : fixed<crc16_spi_fujitsu, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_SPI_FUJITSU; }
};

/// crc16-t10-dif: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_t10_dif : fixed<crc16_t10_dif, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_T10_DIF; }
};

/// crc16-teledisk: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_teledisk : fixed<crc16_teledisk, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_TELEDISK; }
};

/// crc16-tms37157: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_tms37157 : fixed<crc16_tms37157, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_TMS37157; }
};

/// crc16-umts: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_umts : fixed<crc16_umts, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_UMTS; }
};

/// crc16-usb: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_usb : fixed<crc16_usb, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_USB; }
};

/// crc16-xmodem: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc16_xmodem : fixed<crc16_xmodem, 2, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC16_XMODEM; }
};

/// crc17-can-fd: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc17_can_fd : fixed<crc17_can_fd, 3, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC17_CAN_FD; }
};

/// crc21-can-fd: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc21_can_fd : fixed<crc21_can_fd, 3, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC21_CAN_FD; }
};

/// crc24-ble: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc24_ble : fixed<crc24_ble, 3, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC24_BLE; }
};

/// crc24-flexray-a: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc24_flexray_a : fixed<crc24_flexray_a, 3, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC24_FLEXRAY_A; }
};

/// crc24-flexray-b: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc24_flexray_b : fixed<crc24_flexray_b, 3, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC24_FLEXRAY_B; }
};

/// crc24-interlaken: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc24_interlaken : fixed<crc24_interlaken, 3, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC24_INTERLAKEN; }
};

/// crc24-lte-a: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc24_lte_a : fixed<crc24_lte_a, 3, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC24_LTE_A; }
};

/// crc24-lte-b: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc24_lte_b : fixed<crc24_lte_b, 3, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC24_LTE_B; }
};

/// crc24-openpgp: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc24_openpgp : fixed<crc24_openpgp, 3, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC24_OPENPGP; }
};

/// crc24-os-9: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc24_os_9 : fixed<crc24_os_9, 3, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC24_OS_9; }
};

/// crc30-cdma: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc30_cdma : fixed<crc30_cdma, 4, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC30_CDMA; }
};

/// crc31-philips: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc31_philips : fixed<crc31_philips, 4, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC31_PHILIPS; }
};

/// crc32-aixm: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc32_aixm : fixed<crc32_aixm, 4, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC32_AIXM; }
};

/// crc32-autosar: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc32_autosar : fixed<crc32_autosar, 4, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC32_AUTOSAR; }
};

/// crc32-base91-d: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc32_base91_d : fixed<crc32_base91_d, 4, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC32_BASE91_D; }
};

/// crc32-bzip2: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc32_bzip2 : fixed<crc32_bzip2, 4, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC32_BZIP2; }
};

/// crc32-cd-rom-edc: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc32_cd_rom_edc : fixed<crc32_cd_rom_edc, 4, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC32_CD_ROM_EDC; }
};

/// crc32-cksum: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc32_cksum : fixed<crc32_cksum, 4, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC32_CKSUM; }
};

/// crc32c: RFC 3720
struct crc32c : fixed<crc32c, 4, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC32C; }
};

/// crc32: ISO/IEC 13239; ITU-T V.42; ZIP
struct crc32 : fixed<crc32, 4, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC32; }
};

/// crc32-jamcrc: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc32_jamcrc : fixed<crc32_jamcrc, 4, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC32_JAMCRC; }
};

/// crc32-mef: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc32_mef : fixed<crc32_mef, 4, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC32_MEF; }
};

/// crc32-mpeg-2: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc32_mpeg_2 : fixed<crc32_mpeg_2, 4, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC32_MPEG_2; }
};

/// crc32-xfer: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc32_xfer : fixed<crc32_xfer, 4, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC32_XFER; }
};

/// crc40-gsm: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc40_gsm : fixed<crc40_gsm, 5, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC40_GSM; }
};

/// crc64-ecma-182: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc64_ecma_182 : fixed<crc64_ecma_182, 8, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC64_ECMA_182; }
};

/// crc64-go-iso: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc64_go_iso : fixed<crc64_go_iso, 8, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC64_GO_ISO; }
};

/// crc64-ms: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc64_ms : fixed<crc64_ms, 8, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC64_MS; }
};

/// crc64-nvme: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc64_nvme : fixed<crc64_nvme, 8, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC64_NVME; }
};

/// crc64-redis: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc64_redis : fixed<crc64_redis, 8, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC64_REDIS; }
};

/// crc64-we: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc64_we : fixed<crc64_we, 8, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC64_WE; }
};

/// crc64-xz: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc64_xz : fixed<crc64_xz, 8, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC64_XZ; }
};

/// crc82-darc: CRC RevEng, Catalogue of parametrised CRC algorithms
struct crc82_darc : fixed<crc82_darc, 11, 1> {
    using fixed::fixed;
    static const hm_algorithm& get_algorithm() noexcept { return HM_CRC82_DARC; }
};

}  // namespace hashmill

#endif
