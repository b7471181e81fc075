/* hashmill.h: every message digest and checksum, one message or many at once.
 * Generated from bindings/c/src by `cargo run -p xtask -- header`. MIT or Apache 2.0. */

/**
 * @file hashmill.h
 * @brief Every message digest and checksum, each on the fastest code that the CPU has; many messages at once in SIMD lanes.
 *
 * Functions that can fail return an hm_error: HM_OK is 0, and hm_error_message() has a line about the last failure in this thread. The kinds that
 * a function names are those that it returns beside HM_BAD_ARGUMENT, which stands for arguments that no correct program has: a null pointer with a
 * length, an object that was never created, an unknown constant, buffers that overlap where they must not. HM_INTERNAL would be a fault of
 * this library. A function that fails writes nothing to `out` unless stated otherwise.
 *
 * A pointer with a length points to that many bytes, and may be null if the length is 0; a `const` one to bytes that do not change during the call.
 * A pointer to an object is one that this library has made and that is not freed yet. Text is UTF-8 and ends with a zero byte.
 *
 * "Threads: any" means that any number of threads may call at the same time, with the same arguments too if what they write does not overlap. Every
 * other function says what has to be used by one thread at a time. There is no other shared state, and no call ever waits for another.
 *
 * @code
 * unsigned char digest[32];
 * hm_digest(&HM_SHA256, "abc", 3, digest, sizeof digest);
 *
 * hm_hasher h;                                  // no allocation
 * hm_hasher_init(&h, &HM_SHA256, NULL);
 * hm_hasher_update(&h, "ab", 2);
 * hm_hasher_update(&h, "c", 1);
 * hm_hasher_final(&h, digest, sizeof digest);   // may be repeated, and more may follow
 * @endcode
 */

#ifndef HASHMILL_H
#define HASHMILL_H


#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The version of this header. */
#define HM_VERSION "0.1.0"

/** The alignment of what follows. */
#ifdef __cplusplus
#define HM_ALIGNED(n) alignas(n)
#else
#define HM_ALIGNED(n) _Alignas(n)
#endif

/**
 * An algorithm: the function with its digest length, rounds and seed. A plain value, which may be copied; hm_algorithm_equal compares. It is set by
 * hm_algorithm_parse and the like, or is one of the constants; what is in it is no business of the program.
 */
typedef struct hm_algorithm {
    uint64_t opaque[4]; /**< not to be looked at */
} hm_algorithm;

/**
 * A digest in the making, of any algorithm. It may lie where the program wants it: hm_hasher_init makes one in this memory without allocating
 * anything. It begins at a multiple of 64 bytes, and is not copied by assignment, but by hm_hasher_clone_to.
 */
typedef struct hm_hasher {
    HM_ALIGNED(64) unsigned char opaque[4096]; /**< not to be looked at */
} hm_hasher;


/**
 * Bytes of a hasher, whatever it hashes. They stay the same as long as the library's name does, so some are spare.
 */
#define HM_HASHER_BYTES 4096

/**
 * The longest state that hm_hasher_export writes, in bytes.
 */
#define HM_MAX_STATE_BYTES 4096

/**
 * The shortest parts there may be, in bytes.
 */
#define HM_SHORTEST_PART 4096

/**
 * What a function returns: 0, or what went wrong. A number never changes and is never used for another kind.
 */
enum hm_error
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Nothing went wrong.
     */
    HM_OK = 0,
    /**
     * No algorithm has this name.
     */
    HM_UNKNOWN_ALGORITHM = 1,
    /**
     * A name with parameters that no algorithm has.
     */
    HM_IMPOSSIBLE_NAME = 2,
    /**
     * A name that is used for several algorithms.
     */
    HM_AMBIGUOUS_NAME = 3,
    /**
     * A digest length, seed, salt, personalization or context that cannot be.
     */
    HM_BAD_PARAMETER = 4,
    /**
     * No key, or not one of this length.
     */
    HM_BAD_KEY = 5,
    /**
     * The algorithm has no such kernel.
     */
    HM_UNKNOWN_KERNEL = 6,
    /**
     * This CPU cannot run the kernel.
     */
    HM_KERNEL_UNAVAILABLE = 7,
    /**
     * A digest, or the room for one, of another length.
     */
    HM_WRONG_LENGTH = 8,
    /**
     * The room for many digests is not as long as they are.
     */
    HM_WRONG_TOTAL = 9,
    /**
     * Offsets that are negative, descend, or point beyond the bytes.
     */
    HM_BAD_OFFSETS = 10,
    /**
     * A part of another function or place.
     */
    HM_WRONG_PART = 11,
    /**
     * A fixed digest has no further output.
     */
    HM_NOT_EXTENDABLE = 12,
    /**
     * The hash cannot resume from a digest, or not from this one.
     */
    HM_NOT_RESUMABLE = 13,
    /**
     * Bytes that are not an exported state.
     */
    HM_BAD_STATE = 14,
    /**
     * The state of a hasher with a key or a context is not exported.
     */
    HM_SECRET_STATE = 15,
    /**
     * No messages of bits, or not as many bytes as the bits take.
     */
    HM_BAD_BITS = 16,
    /**
     * A null pointer with a length, an object that was never created or is already freed, an unknown constant,
     * buffers that overlap.
     */
    HM_BAD_ARGUMENT = 64,
    /**
     * Reading failed; the message says why.
     */
    HM_IO = 65,
    /**
     * The progress callback ended it.
     */
    HM_CANCELLED = 66,
    /**
     * No memory for a new object.
     */
    HM_NO_MEMORY = 67,
    /**
     * A fault of this library, which should be reported.
     */
    HM_INTERNAL = 68,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum hm_error hm_error;
#else
typedef uint32_t hm_error;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How far an algorithm may be trusted.
 */
enum hm_security
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * No algorithm was given.
     */
    HM_SECURITY_UNKNOWN = 0,
    /**
     * No collision can be found, as far as is known.
     */
    HM_SOUND = 1,
    /**
     * There are doubts, or its digest is short.
     */
    HM_WEAK = 2,
    /**
     * Collisions have been found or can be.
     */
    HM_BROKEN = 3,
    /**
     * A checksum: it tells errors, not attackers.
     */
    HM_NOT_CRYPTOGRAPHIC = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum hm_security hm_security;
#else
typedef uint32_t hm_security;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The form of digests in a buffer.
 */
enum hm_encoding
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The bytes: the digest's length for each.
     */
    HM_RAW = 0,
    /**
     * Lower-case hexadecimal digits: twice as many for each, and nothing between digests.
     */
    HM_HEX = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum hm_encoding hm_encoding;
#else
typedef uint32_t hm_encoding;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The type of offsets.
 */
enum hm_offsets
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * int32_t, as Arrow's Binary and Utf8 have them.
     */
    HM_INT32 = 0,
    /**
     * int64_t, as Arrow's LargeBinary and LargeUtf8 have them.
     */
    HM_INT64 = 1,
    /**
     * uint32_t
     */
    HM_UINT32 = 2,
    /**
     * uint64_t
     */
    HM_UINT64 = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum hm_offsets hm_offsets;
#else
typedef uint32_t hm_offsets;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A message authentication code in the making: hm_hmac_new.
 */
typedef struct hm_hmac hm_hmac;

/**
 * A part of a message, hashed apart from the rest: hm_part_new. It knows its algorithm and its place.
 */
typedef struct hm_part hm_part;

/**
 * A message that is put together from its parts: hm_parts_new.
 */
typedef struct hm_parts hm_parts;

/**
 * The output of SHAKE and BLAKE3, of any length: hm_xof_new.
 */
typedef struct hm_xof hm_xof;

/**
 * What goes into a hash besides the message. All of it is optional: what is not used is null.
 *
 * `hm_inputs in = {sizeof in};` sets all to nothing; hm_inputs_none() returns the same.
 */
typedef struct hm_inputs {
    /**
     * sizeof(hm_inputs), by which a later library knows what this one did not have.
     */
    size_t size;
    /**
     * A key (BLAKE2, BLAKE3, SipHash); for XXH3 the secret. Not null with a length of 0 is an empty key.
     */
    const void *key;
    /**
     * Its length in bytes.
     */
    size_t key_len;
    /**
     * A salt (BLAKE2b: up to 16 bytes, BLAKE2s: up to 8), filled up with zeros.
     */
    const void *salt;
    /**
     * Its length in bytes.
     */
    size_t salt_len;
    /**
     * A personalization (BLAKE2b: up to 16 bytes, BLAKE2s: up to 8), filled up with zeros.
     */
    const void *personal;
    /**
     * Its length in bytes.
     */
    size_t personal_len;
    /**
     * A context string, to derive keys (BLAKE3); the message is the key material.
     */
    const void *context;
    /**
     * Its length in bytes.
     */
    size_t context_len;
    /**
     * A digest to go on from (CRCs, Adler-32), as zlib's crc32(crc, data) does: the hasher then gives the digest of
     * A‖B.
     */
    const void *resume_from;
    /**
     * Its length in bytes.
     */
    size_t resume_from_len;
    /**
     * The kernel to run on, for tests and benchmarks; null for what the CPU prefers.
     */
    const char *kernel;
} hm_inputs;

/**
 * A message: its first byte and its length in bytes. POSIX's struct iovec is laid out the same way.
 */
typedef struct hm_bytes {
    /**
     * Its first byte; may be null if there is none.
     */
    const void *data;
    /**
     * Its length in bytes.
     */
    size_t len;
} hm_bytes;

/**
 * Told how many bytes have been read so far; 0 goes on, anything else ends the call with HM_CANCELLED. It returns: no
 * exception and no longjmp may leave it.
 */
typedef int (*hm_progress)(void *user, uint64_t done);

/**
 * What became of a file. It stays as it is until the callback returns.
 */
typedef struct hm_file {
    /**
     * Its index among the paths, from 0.
     */
    size_t index;
    /**
     * Its path, the caller's own pointer.
     */
    const char *path;
    /**
     * HM_OK or HM_IO.
     */
    hm_error error;
    /**
     * One line that says why there are no digests, without the path: "no such file or directory". Empty if there are.
     */
    const char *message;
    /**
     * The digests, in the order of the algorithms and with nothing between them; null if there are none.
     */
    const uint8_t *digests;
    /**
     * The length of all of them in bytes; 0 if there are none.
     */
    size_t digests_len;
} hm_file;

/**
 * Told what became of a file; 0 goes on, anything else ends the call with HM_CANCELLED. It returns: no exception and
 * no longjmp may leave it.
 */
typedef int (*hm_file_done)(void *user, const struct hm_file *file);

/**
 * How far the work has come.
 */
typedef struct hm_files_progress {
    /**
     * Bytes that have been read.
     */
    uint64_t bytes;
    /**
     * Bytes in all files that have been looked at; it grows until `complete`. Pipes count for nothing here.
     */
    uint64_t bytes_total;
    /**
     * Files that are done, failed ones too.
     */
    uint64_t files;
    /**
     * Files that have been looked at.
     */
    uint64_t files_total;
    /**
     * 1 if every file has been looked at, so that the totals are final; else 0.
     */
    uint32_t complete;
} hm_files_progress;

/**
 * Told how far the work has come; 0 goes on, anything else ends the call with HM_CANCELLED. It returns: no exception
 * and no longjmp may leave it.
 */
typedef int (*hm_files_tick)(void *user, const struct hm_files_progress *progress);

/**
 * One implementation of an algorithm: hm_kernel_at.
 */
typedef struct hm_kernel {
    /**
     * "portable", an instruction set and its lanes ("avx2x8"), or a dedicated one ("shani"); ends with a zero byte.
     */
    char name[64];
    /**
     * How many messages it hashes side by side.
     */
    size_t lanes;
    /**
     * From how many messages on hm_digest_many uses it on this CPU; 0 if it does not.
     */
    size_t from_messages;
    /**
     * Whether this CPU can run it.
     */
    bool available;
    /**
     * Whether one message runs on it here.
     */
    bool active;
} hm_kernel;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * md2
 */
extern const hm_algorithm HM_MD2;

/**
 * md4
 */
extern const hm_algorithm HM_MD4;

/**
 * md5
 */
extern const hm_algorithm HM_MD5;

/**
 * sha0
 */
extern const hm_algorithm HM_SHA0;

/**
 * sha1
 */
extern const hm_algorithm HM_SHA1;

/**
 * sha224
 */
extern const hm_algorithm HM_SHA224;

/**
 * sha256
 */
extern const hm_algorithm HM_SHA256;

/**
 * sha384
 */
extern const hm_algorithm HM_SHA384;

/**
 * sha512
 */
extern const hm_algorithm HM_SHA512;

/**
 * sha512-224
 */
extern const hm_algorithm HM_SHA512_224;

/**
 * sha512-256
 */
extern const hm_algorithm HM_SHA512_256;

/**
 * sha3-224
 */
extern const hm_algorithm HM_SHA3_224;

/**
 * sha3-256
 */
extern const hm_algorithm HM_SHA3_256;

/**
 * sha3-384
 */
extern const hm_algorithm HM_SHA3_384;

/**
 * sha3-512
 */
extern const hm_algorithm HM_SHA3_512;

/**
 * shake128
 */
extern const hm_algorithm HM_SHAKE128;

/**
 * shake256
 */
extern const hm_algorithm HM_SHAKE256;

/**
 * keccak224
 */
extern const hm_algorithm HM_KECCAK224;

/**
 * keccak256
 */
extern const hm_algorithm HM_KECCAK256;

/**
 * keccak384
 */
extern const hm_algorithm HM_KECCAK384;

/**
 * keccak512
 */
extern const hm_algorithm HM_KECCAK512;

/**
 * blake224
 */
extern const hm_algorithm HM_BLAKE224;

/**
 * blake256
 */
extern const hm_algorithm HM_BLAKE256;

/**
 * blake384
 */
extern const hm_algorithm HM_BLAKE384;

/**
 * blake512
 */
extern const hm_algorithm HM_BLAKE512;

/**
 * blake2b-512
 */
extern const hm_algorithm HM_BLAKE2B_512;

/**
 * blake2s-256
 */
extern const hm_algorithm HM_BLAKE2S_256;

/**
 * blake3
 */
extern const hm_algorithm HM_BLAKE3;

/**
 * groestl224
 */
extern const hm_algorithm HM_GROESTL224;

/**
 * groestl256
 */
extern const hm_algorithm HM_GROESTL256;

/**
 * groestl384
 */
extern const hm_algorithm HM_GROESTL384;

/**
 * groestl512
 */
extern const hm_algorithm HM_GROESTL512;

/**
 * jh224
 */
extern const hm_algorithm HM_JH224;

/**
 * jh256
 */
extern const hm_algorithm HM_JH256;

/**
 * jh384
 */
extern const hm_algorithm HM_JH384;

/**
 * jh512
 */
extern const hm_algorithm HM_JH512;

/**
 * skein256-256
 */
extern const hm_algorithm HM_SKEIN256_256;

/**
 * skein512-512
 */
extern const hm_algorithm HM_SKEIN512_512;

/**
 * skein1024-1024
 */
extern const hm_algorithm HM_SKEIN1024_1024;

/**
 * cubehash512
 */
extern const hm_algorithm HM_CUBEHASH512;

/**
 * ripemd128
 */
extern const hm_algorithm HM_RIPEMD128;

/**
 * ripemd160
 */
extern const hm_algorithm HM_RIPEMD160;

/**
 * ripemd256
 */
extern const hm_algorithm HM_RIPEMD256;

/**
 * ripemd320
 */
extern const hm_algorithm HM_RIPEMD320;

/**
 * haval128-3
 */
extern const hm_algorithm HM_HAVAL128_3;

/**
 * haval128-4
 */
extern const hm_algorithm HM_HAVAL128_4;

/**
 * haval128-5
 */
extern const hm_algorithm HM_HAVAL128_5;

/**
 * haval160-3
 */
extern const hm_algorithm HM_HAVAL160_3;

/**
 * haval160-4
 */
extern const hm_algorithm HM_HAVAL160_4;

/**
 * haval160-5
 */
extern const hm_algorithm HM_HAVAL160_5;

/**
 * haval192-3
 */
extern const hm_algorithm HM_HAVAL192_3;

/**
 * haval192-4
 */
extern const hm_algorithm HM_HAVAL192_4;

/**
 * haval192-5
 */
extern const hm_algorithm HM_HAVAL192_5;

/**
 * haval224-3
 */
extern const hm_algorithm HM_HAVAL224_3;

/**
 * haval224-4
 */
extern const hm_algorithm HM_HAVAL224_4;

/**
 * haval224-5
 */
extern const hm_algorithm HM_HAVAL224_5;

/**
 * haval256-3
 */
extern const hm_algorithm HM_HAVAL256_3;

/**
 * haval256-4
 */
extern const hm_algorithm HM_HAVAL256_4;

/**
 * haval256-5
 */
extern const hm_algorithm HM_HAVAL256_5;

/**
 * tiger128-3
 */
extern const hm_algorithm HM_TIGER128_3;

/**
 * tiger160-3
 */
extern const hm_algorithm HM_TIGER160_3;

/**
 * tiger192-3
 */
extern const hm_algorithm HM_TIGER192_3;

/**
 * tiger128-4
 */
extern const hm_algorithm HM_TIGER128_4;

/**
 * tiger160-4
 */
extern const hm_algorithm HM_TIGER160_4;

/**
 * tiger192-4
 */
extern const hm_algorithm HM_TIGER192_4;

/**
 * tiger2
 */
extern const hm_algorithm HM_TIGER2;

/**
 * whirlpool
 */
extern const hm_algorithm HM_WHIRLPOOL;

/**
 * snefru128
 */
extern const hm_algorithm HM_SNEFRU128;

/**
 * snefru256
 */
extern const hm_algorithm HM_SNEFRU256;

/**
 * gost94
 */
extern const hm_algorithm HM_GOST94;

/**
 * gost94-cryptopro
 */
extern const hm_algorithm HM_GOST94_CRYPTOPRO;

/**
 * streebog256
 */
extern const hm_algorithm HM_STREEBOG256;

/**
 * streebog512
 */
extern const hm_algorithm HM_STREEBOG512;

/**
 * sm3
 */
extern const hm_algorithm HM_SM3;

/**
 * xxh32
 */
extern const hm_algorithm HM_XXH32;

/**
 * xxh64
 */
extern const hm_algorithm HM_XXH64;

/**
 * xxh3
 */
extern const hm_algorithm HM_XXH3;

/**
 * xxh128
 */
extern const hm_algorithm HM_XXH128;

/**
 * murmur3a
 */
extern const hm_algorithm HM_MURMUR3A;

/**
 * murmur3c
 */
extern const hm_algorithm HM_MURMUR3C;

/**
 * murmur3f
 */
extern const hm_algorithm HM_MURMUR3F;

/**
 * siphash-2-4
 */
extern const hm_algorithm HM_SIPHASH_2_4;

/**
 * siphash-2-4-128
 */
extern const hm_algorithm HM_SIPHASH_2_4_128;

/**
 * fnv132
 */
extern const hm_algorithm HM_FNV132;

/**
 * fnv1a32
 */
extern const hm_algorithm HM_FNV1A32;

/**
 * fnv164
 */
extern const hm_algorithm HM_FNV164;

/**
 * fnv1a64
 */
extern const hm_algorithm HM_FNV1A64;

/**
 * joaat
 */
extern const hm_algorithm HM_JOAAT;

/**
 * adler32
 */
extern const hm_algorithm HM_ADLER32;

/**
 * fletcher16
 */
extern const hm_algorithm HM_FLETCHER16;

/**
 * fletcher32
 */
extern const hm_algorithm HM_FLETCHER32;

/**
 * fletcher64
 */
extern const hm_algorithm HM_FLETCHER64;

/**
 * sum-bsd
 */
extern const hm_algorithm HM_SUM_BSD;

/**
 * sum-sysv
 */
extern const hm_algorithm HM_SUM_SYSV;

/**
 * cksum
 */
extern const hm_algorithm HM_CKSUM;

/**
 * crc32-php
 */
extern const hm_algorithm HM_CRC32_PHP;

/**
 * crc3-gsm
 */
extern const hm_algorithm HM_CRC3_GSM;

/**
 * crc3-rohc
 */
extern const hm_algorithm HM_CRC3_ROHC;

/**
 * crc4-g-704
 */
extern const hm_algorithm HM_CRC4_G_704;

/**
 * crc4-interlaken
 */
extern const hm_algorithm HM_CRC4_INTERLAKEN;

/**
 * crc5-epc-c1g2
 */
extern const hm_algorithm HM_CRC5_EPC_C1G2;

/**
 * crc5-g-704
 */
extern const hm_algorithm HM_CRC5_G_704;

/**
 * crc5-usb
 */
extern const hm_algorithm HM_CRC5_USB;

/**
 * crc6-cdma2000-a
 */
extern const hm_algorithm HM_CRC6_CDMA2000_A;

/**
 * crc6-cdma2000-b
 */
extern const hm_algorithm HM_CRC6_CDMA2000_B;

/**
 * crc6-darc
 */
extern const hm_algorithm HM_CRC6_DARC;

/**
 * crc6-g-704
 */
extern const hm_algorithm HM_CRC6_G_704;

/**
 * crc6-gsm
 */
extern const hm_algorithm HM_CRC6_GSM;

/**
 * crc7-mmc
 */
extern const hm_algorithm HM_CRC7_MMC;

/**
 * crc7-rohc
 */
extern const hm_algorithm HM_CRC7_ROHC;

/**
 * crc7-umts
 */
extern const hm_algorithm HM_CRC7_UMTS;

/**
 * crc8-autosar
 */
extern const hm_algorithm HM_CRC8_AUTOSAR;

/**
 * crc8-bluetooth
 */
extern const hm_algorithm HM_CRC8_BLUETOOTH;

/**
 * crc8-cdma2000
 */
extern const hm_algorithm HM_CRC8_CDMA2000;

/**
 * crc8-darc
 */
extern const hm_algorithm HM_CRC8_DARC;

/**
 * crc8-dvb-s2
 */
extern const hm_algorithm HM_CRC8_DVB_S2;

/**
 * crc8-gsm-a
 */
extern const hm_algorithm HM_CRC8_GSM_A;

/**
 * crc8-gsm-b
 */
extern const hm_algorithm HM_CRC8_GSM_B;

/**
 * crc8-hitag
 */
extern const hm_algorithm HM_CRC8_HITAG;

/**
 * crc8-i-432-1
 */
extern const hm_algorithm HM_CRC8_I_432_1;

/**
 * crc8-i-code
 */
extern const hm_algorithm HM_CRC8_I_CODE;

/**
 * crc8-lte
 */
extern const hm_algorithm HM_CRC8_LTE;

/**
 * crc8-maxim-dow
 */
extern const hm_algorithm HM_CRC8_MAXIM_DOW;

/**
 * crc8-mifare-mad
 */
extern const hm_algorithm HM_CRC8_MIFARE_MAD;

/**
 * crc8-nrsc-5
 */
extern const hm_algorithm HM_CRC8_NRSC_5;

/**
 * crc8-opensafety
 */
extern const hm_algorithm HM_CRC8_OPENSAFETY;

/**
 * crc8-rohc
 */
extern const hm_algorithm HM_CRC8_ROHC;

/**
 * crc8-sae-j1850
 */
extern const hm_algorithm HM_CRC8_SAE_J1850;

/**
 * crc8-smbus
 */
extern const hm_algorithm HM_CRC8_SMBUS;

/**
 * crc8-tech-3250
 */
extern const hm_algorithm HM_CRC8_TECH_3250;

/**
 * crc8-wcdma
 */
extern const hm_algorithm HM_CRC8_WCDMA;

/**
 * crc10-atm
 */
extern const hm_algorithm HM_CRC10_ATM;

/**
 * crc10-cdma2000
 */
extern const hm_algorithm HM_CRC10_CDMA2000;

/**
 * crc10-gsm
 */
extern const hm_algorithm HM_CRC10_GSM;

/**
 * crc11-flexray
 */
extern const hm_algorithm HM_CRC11_FLEXRAY;

/**
 * crc11-umts
 */
extern const hm_algorithm HM_CRC11_UMTS;

/**
 * crc12-cdma2000
 */
extern const hm_algorithm HM_CRC12_CDMA2000;

/**
 * crc12-dect
 */
extern const hm_algorithm HM_CRC12_DECT;

/**
 * crc12-gsm
 */
extern const hm_algorithm HM_CRC12_GSM;

/**
 * crc12-umts
 */
extern const hm_algorithm HM_CRC12_UMTS;

/**
 * crc13-bbc
 */
extern const hm_algorithm HM_CRC13_BBC;

/**
 * crc14-darc
 */
extern const hm_algorithm HM_CRC14_DARC;

/**
 * crc14-gsm
 */
extern const hm_algorithm HM_CRC14_GSM;

/**
 * crc15-can
 */
extern const hm_algorithm HM_CRC15_CAN;

/**
 * crc15-mpt1327
 */
extern const hm_algorithm HM_CRC15_MPT1327;

/**
 * crc16-arc
 */
extern const hm_algorithm HM_CRC16_ARC;

/**
 * crc16-cdma2000
 */
extern const hm_algorithm HM_CRC16_CDMA2000;

/**
 * crc16-cms
 */
extern const hm_algorithm HM_CRC16_CMS;

/**
 * crc16-dds-110
 */
extern const hm_algorithm HM_CRC16_DDS_110;

/**
 * crc16-dect-r
 */
extern const hm_algorithm HM_CRC16_DECT_R;

/**
 * crc16-dect-x
 */
extern const hm_algorithm HM_CRC16_DECT_X;

/**
 * crc16-dnp
 */
extern const hm_algorithm HM_CRC16_DNP;

/**
 * crc16-en-13757
 */
extern const hm_algorithm HM_CRC16_EN_13757;

/**
 * crc16-genibus
 */
extern const hm_algorithm HM_CRC16_GENIBUS;

/**
 * crc16-gsm
 */
extern const hm_algorithm HM_CRC16_GSM;

/**
 * crc16-ibm-3740
 */
extern const hm_algorithm HM_CRC16_IBM_3740;

/**
 * crc16-ibm-sdlc
 */
extern const hm_algorithm HM_CRC16_IBM_SDLC;

/**
 * crc16-iso-iec-14443-3-a
 */
extern const hm_algorithm HM_CRC16_ISO_IEC_14443_3_A;

/**
 * crc16-kermit
 */
extern const hm_algorithm HM_CRC16_KERMIT;

/**
 * crc16-lj1200
 */
extern const hm_algorithm HM_CRC16_LJ1200;

/**
 * crc16-m17
 */
extern const hm_algorithm HM_CRC16_M17;

/**
 * crc16-maxim-dow
 */
extern const hm_algorithm HM_CRC16_MAXIM_DOW;

/**
 * crc16-mcrf4xx
 */
extern const hm_algorithm HM_CRC16_MCRF4XX;

/**
 * crc16-modbus
 */
extern const hm_algorithm HM_CRC16_MODBUS;

/**
 * crc16-nrsc-5
 */
extern const hm_algorithm HM_CRC16_NRSC_5;

/**
 * crc16-opensafety-a
 */
extern const hm_algorithm HM_CRC16_OPENSAFETY_A;

/**
 * crc16-opensafety-b
 */
extern const hm_algorithm HM_CRC16_OPENSAFETY_B;

/**
 * crc16-profibus
 */
extern const hm_algorithm HM_CRC16_PROFIBUS;

/**
 * crc16-riello
 */
extern const hm_algorithm HM_CRC16_RIELLO;

/**
 * crc16-spi-fujitsu
 */
extern const hm_algorithm HM_CRC16_SPI_FUJITSU;

/**
 * crc16-t10-dif
 */
extern const hm_algorithm HM_CRC16_T10_DIF;

/**
 * crc16-teledisk
 */
extern const hm_algorithm HM_CRC16_TELEDISK;

/**
 * crc16-tms37157
 */
extern const hm_algorithm HM_CRC16_TMS37157;

/**
 * crc16-umts
 */
extern const hm_algorithm HM_CRC16_UMTS;

/**
 * crc16-usb
 */
extern const hm_algorithm HM_CRC16_USB;

/**
 * crc16-xmodem
 */
extern const hm_algorithm HM_CRC16_XMODEM;

/**
 * crc17-can-fd
 */
extern const hm_algorithm HM_CRC17_CAN_FD;

/**
 * crc21-can-fd
 */
extern const hm_algorithm HM_CRC21_CAN_FD;

/**
 * crc24-ble
 */
extern const hm_algorithm HM_CRC24_BLE;

/**
 * crc24-flexray-a
 */
extern const hm_algorithm HM_CRC24_FLEXRAY_A;

/**
 * crc24-flexray-b
 */
extern const hm_algorithm HM_CRC24_FLEXRAY_B;

/**
 * crc24-interlaken
 */
extern const hm_algorithm HM_CRC24_INTERLAKEN;

/**
 * crc24-lte-a
 */
extern const hm_algorithm HM_CRC24_LTE_A;

/**
 * crc24-lte-b
 */
extern const hm_algorithm HM_CRC24_LTE_B;

/**
 * crc24-openpgp
 */
extern const hm_algorithm HM_CRC24_OPENPGP;

/**
 * crc24-os-9
 */
extern const hm_algorithm HM_CRC24_OS_9;

/**
 * crc30-cdma
 */
extern const hm_algorithm HM_CRC30_CDMA;

/**
 * crc31-philips
 */
extern const hm_algorithm HM_CRC31_PHILIPS;

/**
 * crc32-aixm
 */
extern const hm_algorithm HM_CRC32_AIXM;

/**
 * crc32-autosar
 */
extern const hm_algorithm HM_CRC32_AUTOSAR;

/**
 * crc32-base91-d
 */
extern const hm_algorithm HM_CRC32_BASE91_D;

/**
 * crc32-bzip2
 */
extern const hm_algorithm HM_CRC32_BZIP2;

/**
 * crc32-cd-rom-edc
 */
extern const hm_algorithm HM_CRC32_CD_ROM_EDC;

/**
 * crc32-cksum
 */
extern const hm_algorithm HM_CRC32_CKSUM;

/**
 * crc32c
 */
extern const hm_algorithm HM_CRC32C;

/**
 * crc32
 */
extern const hm_algorithm HM_CRC32;

/**
 * crc32-jamcrc
 */
extern const hm_algorithm HM_CRC32_JAMCRC;

/**
 * crc32-mef
 */
extern const hm_algorithm HM_CRC32_MEF;

/**
 * crc32-mpeg-2
 */
extern const hm_algorithm HM_CRC32_MPEG_2;

/**
 * crc32-xfer
 */
extern const hm_algorithm HM_CRC32_XFER;

/**
 * crc40-gsm
 */
extern const hm_algorithm HM_CRC40_GSM;

/**
 * crc64-ecma-182
 */
extern const hm_algorithm HM_CRC64_ECMA_182;

/**
 * crc64-go-iso
 */
extern const hm_algorithm HM_CRC64_GO_ISO;

/**
 * crc64-ms
 */
extern const hm_algorithm HM_CRC64_MS;

/**
 * crc64-nvme
 */
extern const hm_algorithm HM_CRC64_NVME;

/**
 * crc64-redis
 */
extern const hm_algorithm HM_CRC64_REDIS;

/**
 * crc64-we
 */
extern const hm_algorithm HM_CRC64_WE;

/**
 * crc64-xz
 */
extern const hm_algorithm HM_CRC64_XZ;

/**
 * crc82-darc
 */
extern const hm_algorithm HM_CRC82_DARC;

/**
 * One line about the last call in this thread that failed: what, where, and what would be right. Empty if none has
 * failed.
 *
 * The text is UTF-8 and stays until the next call that fails in this thread.
 * Threads: each has its own.
 */
const char *hm_error_message(void);

/**
 * The name of an error's kind, as "HM_BAD_KEY"; "HM_?" for a number that is none.
 * Threads: any.
 */
const char *hm_error_name(uint32_t error);

/**
 * The library's version, as "0.1.0": that of the library that is loaded, which need not be the header's HM_VERSION.
 * Threads: any.
 */
const char *hm_version(void);

/**
 * Sets `out` to the algorithm of this name: any name or alias in any case, with parameters in it ("skein512-224") or
 * after it ("shake128:64" for bytes of output, "xxh64:seed=7"). docs/algorithms.md lists them.
 *
 * HM_UNKNOWN_ALGORITHM, HM_IMPOSSIBLE_NAME, HM_AMBIGUOUS_NAME, HM_BAD_PARAMETER; the message names the nearest.
 * Threads: any.
 */
hm_error hm_algorithm_parse(const char *name, hm_algorithm *out);

/**
 * The number of algorithms, for hm_algorithm_at.
 * Threads: any.
 */
size_t hm_algorithm_count(void);

/**
 * Sets `out` to algorithm `index` with its usual parameters. Their order may be another in another version.
 *
 * HM_BAD_ARGUMENT if there are not as many.
 * Threads: any.
 */
hm_error hm_algorithm_at(size_t index, hm_algorithm *out);

/**
 * Sets `out` to the same algorithm with a digest of `bytes` bytes. `out` may be `a`.
 *
 * HM_BAD_PARAMETER if it cannot give that length.
 * Threads: any.
 */
hm_error hm_algorithm_with_digest_len(const hm_algorithm *a, size_t bytes, hm_algorithm *out);

/**
 * Sets `out` to the same algorithm with this seed. `out` may be `a`.
 *
 * HM_BAD_PARAMETER if it takes no seed, or none of this length.
 * Threads: any.
 */
hm_error hm_algorithm_with_seed(const hm_algorithm *a, uint64_t seed, hm_algorithm *out);

/**
 * Whether both are the same function with the same parameters. What is no algorithm is equal to nothing.
 * Threads: any.
 */
bool hm_algorithm_equal(const hm_algorithm *a, const hm_algorithm *b);

/**
 * Writes the canonical name, which parses to an equal algorithm, and a zero byte, as much as fits `size` bytes.
 * Returns its length without the zero byte; 0 if `a` is no algorithm. Threads: any.
 */
size_t hm_algorithm_name(const hm_algorithm *a, char *out, size_t size);

/**
 * Writes its other name number `index`, as hm_algorithm_name does. Returns 0 if there are not as many.
 * Threads: any.
 */
size_t hm_algorithm_alias(const hm_algorithm *a, size_t index, char *out, size_t size);

/**
 * Writes the family ("SHA-2", "CRC"), as hm_algorithm_name does.
 * Threads: any.
 */
size_t hm_algorithm_family(const hm_algorithm *a, char *out, size_t size);

/**
 * Writes the specification, as hm_algorithm_name does.
 * Threads: any.
 */
size_t hm_algorithm_specification(const hm_algorithm *a, char *out, size_t size);

/**
 * Writes why it is as secure as hm_algorithm_security says, as hm_algorithm_name does.
 * Threads: any.
 */
size_t hm_algorithm_security_reason(const hm_algorithm *a, char *out, size_t size);

/**
 * How far it may be trusted with these parameters; HM_SECURITY_UNKNOWN if `a` is no algorithm.
 * Threads: any.
 */
hm_security hm_algorithm_security(const hm_algorithm *a);

/**
 * Length of its digest in bytes; 0 if `a` is no algorithm.
 * Threads: any.
 */
size_t hm_algorithm_digest_len(const hm_algorithm *a);

/**
 * The shortest digest that it can give, in bytes.
 * Threads: any.
 */
size_t hm_algorithm_min_digest_len(const hm_algorithm *a);

/**
 * The longest digest that it can give, in bytes.
 * Threads: any.
 */
size_t hm_algorithm_max_digest_len(const hm_algorithm *a);

/**
 * Length of its blocks in bytes; 1 for checksums that have none.
 * Threads: any.
 */
size_t hm_algorithm_block_len(const hm_algorithm *a);

/**
 * The longest key that it takes, in bytes: 0 if none, SIZE_MAX if any.
 * Threads: any.
 */
size_t hm_algorithm_max_key_len(const hm_algorithm *a);

/**
 * The longest salt that it takes, in bytes.
 * Threads: any.
 */
size_t hm_algorithm_max_salt_len(const hm_algorithm *a);

/**
 * The longest personalization that it takes, in bytes.
 * Threads: any.
 */
size_t hm_algorithm_max_personal_len(const hm_algorithm *a);

/**
 * Bits of its seed, 0 if it takes none.
 * Threads: any.
 */
uint32_t hm_algorithm_seed_bits(const hm_algorithm *a);

/**
 * The year of publication.
 * Threads: any.
 */
uint32_t hm_algorithm_year(const hm_algorithm *a);

/**
 * How many bits of work a collision takes, by the best attack that is known; 0 for checksums.
 * Threads: any.
 */
uint32_t hm_algorithm_collision_bits(const hm_algorithm *a);

/**
 * Whether it derives keys from a context string.
 * Threads: any.
 */
bool hm_algorithm_takes_context(const hm_algorithm *a);

/**
 * Whether its messages may be any number of bits: hm_hasher_update_bits.
 * Threads: any.
 */
bool hm_algorithm_takes_bits(const hm_algorithm *a);

/**
 * Whether it gives any number of bytes: hm_xof.
 * Threads: any.
 */
bool hm_algorithm_is_extendable(const hm_algorithm *a);

/**
 * Whether its messages can be hashed in parts: hm_parts.
 * Threads: any.
 */
bool hm_algorithm_is_divisible(const hm_algorithm *a);

/**
 * Whether two files with the same digest are the same file, as far as chance goes.
 * Threads: any.
 */
bool hm_algorithm_tells_files_apart(const hm_algorithm *a);

/**
 * Writes the digest of A‖B to `out`, given those of A and of B and the length of B in bytes: for CRCs, Adler-32 and
 * Fletcher-16. All three have `len` bytes, the digest's length. `out` may be `x` or `y`.
 *
 * HM_NOT_RESUMABLE if the algorithm cannot, or `x` or `y` is no digest of it; HM_WRONG_LENGTH.
 * Threads: any.
 */
hm_error hm_combine(const hm_algorithm *a, const void *x, const void *y, uint64_t len_y, void *out, size_t len);

/**
 * Writes the digest of a message of `len` bytes to `out`, which has `out_len` bytes: hm_algorithm_digest_len. `out`
 * may lie in the message.
 *
 * HM_WRONG_LENGTH.
 * Threads: any.
 */
hm_error hm_digest(const hm_algorithm *a, const void *message, size_t len, void *out, size_t out_len);

/**
 * hm_digest on the kernel of this name, whatever the CPU would prefer: for tests and benchmarks. The digest is the
 * same.
 *
 * HM_UNKNOWN_KERNEL, HM_KERNEL_UNAVAILABLE, HM_WRONG_LENGTH.
 * Threads: any.
 */
hm_error hm_digest_on(const hm_algorithm *a,
                      const char *kernel,
                      const void *message,
                      size_t len,
                      void *out,
                      size_t out_len);

/**
 * Writes `len` bytes as lower-case hexadecimal digits and a zero byte to `out`, which has 2 `len` + 1 bytes.
 * Threads: any.
 */
hm_error hm_to_hex(const void *digest, size_t len, char *out);

/**
 * Writes the `len` bytes of which `hex`, of 2 `len` digits in either case, is the text.
 *
 * HM_WRONG_LENGTH if it has another length, HM_BAD_ARGUMENT if it has anything but hexadecimal digits. Nothing has
 * been written then. Threads: any.
 */
hm_error hm_from_hex(const char *hex, void *out, size_t len);

/**
 * Whether two digests are the same, in time that depends on their lengths alone. None of no bytes is the same as
 * another. Threads: any.
 */
bool hm_equal(const void *x, size_t len_x, const void *y, size_t len_y);

/**
 * Sets `out` to a new hasher, with `inputs` or, if it is null, with nothing but the message to come. hm_hasher_free
 * frees it.
 *
 * HM_BAD_KEY, HM_BAD_PARAMETER, HM_NOT_RESUMABLE, HM_WRONG_LENGTH (of the digest to go on from), HM_UNKNOWN_KERNEL,
 * HM_KERNEL_UNAVAILABLE, HM_NO_MEMORY.
 * Threads: any.
 */
hm_error hm_hasher_new(const hm_algorithm *a, const struct hm_inputs *inputs, hm_hasher **out);

/**
 * Makes a hasher in memory of the caller's, without any allocation if `inputs` is null. hm_hasher_free ends it, and
 * leaves the memory to the caller; without inputs it need not be called. What was in the memory before is not looked
 * at.
 *
 * As hm_hasher_new; HM_BAD_ARGUMENT if the memory does not begin at a multiple of 64 bytes.
 * Threads: any.
 */
hm_error hm_hasher_init(hm_hasher *h, const hm_algorithm *a, const struct hm_inputs *inputs);

/**
 * Frees a hasher, and overwrites it if a key went into it. Null is fine; a hasher that is freed already is
 * HM_BAD_ARGUMENT if it lay in memory of the caller's (else it is undefined, as with free). Threads: one at a time for
 * each hasher.
 */
hm_error hm_hasher_free(hm_hasher *h);

/**
 * Takes `len` more bytes of the message.
 * Threads: one at a time for each hasher.
 */
hm_error hm_hasher_update(hm_hasher *h, const void *message, size_t len);

/**
 * Takes the first `bits` bits of a message of (`bits` + 7) / 8 bytes, from the high bit of the last byte down; for
 * Keccak, SHA-3 and SHAKE from the low bit up (FIPS 202, B.1). More may follow.
 *
 * HM_BAD_BITS if the algorithm's messages are whole bytes.
 * Threads: one at a time for each hasher.
 */
hm_error hm_hasher_update_bits(hm_hasher *h, const void *message, uint64_t bits);

/**
 * Writes the digest of everything so far to `out`, which has `len` bytes, the digest's length. It may be called again,
 * and more of the message may follow.
 *
 * HM_WRONG_LENGTH.
 * Threads: any, while none changes the hasher.
 */
hm_error hm_hasher_final(const hm_hasher *h, void *out, size_t len);

/**
 * Back to the beginning of a message, with the same inputs.
 * Threads: one at a time for each hasher.
 */
hm_error hm_hasher_reset(hm_hasher *h);

/**
 * Sets `out` to a new hasher that has taken the same message.
 *
 * HM_NO_MEMORY.
 * Threads: any, while none changes the hasher.
 */
hm_error hm_hasher_clone(const hm_hasher *h, hm_hasher **out);

/**
 * Makes a hasher in memory of the caller's that has taken the same message, as hm_hasher_init does. `to` and `h` do
 * not overlap. Threads: any, while none changes `h`.
 */
hm_error hm_hasher_clone_to(const hm_hasher *h, hm_hasher *to);

/**
 * Sets `out` to its algorithm.
 * Threads: any, while none changes the hasher.
 */
hm_error hm_hasher_algorithm(const hm_hasher *h, hm_algorithm *out);

/**
 * Writes what has been hashed so far to `out`, which has room for `room` bytes, and sets `len` to how many they are:
 * no more than HM_MAX_STATE_BYTES. hm_hasher_import goes on from them, on any kernel and on any machine; docs/api.md
 * has the form.
 *
 * HM_SECRET_STATE if a key went into it; HM_WRONG_LENGTH if there is not enough room, with `len` set.
 * Threads: any, while none changes the hasher.
 */
hm_error hm_hasher_export(const hm_hasher *h, void *out, size_t room, size_t *len);

/**
 * Sets `out` to a new hasher that goes on from a state of `len` bytes, on the kernel of this name or, if it is null,
 * on what the CPU prefers.
 *
 * HM_BAD_STATE if the bytes are no state, damaged, or cannot be; HM_UNKNOWN_KERNEL, HM_KERNEL_UNAVAILABLE,
 * HM_NO_MEMORY. Threads: any.
 */
hm_error hm_hasher_import(const void *state, size_t len, const char *kernel, hm_hasher **out);

/**
 * hm_hasher_import into memory of the caller's, as hm_hasher_init does.
 * Threads: any.
 */
hm_error hm_hasher_import_to(const void *state, size_t len, const char *kernel, hm_hasher *to);

/**
 * Sets `out` to the output after everything that the hasher has taken, from its first byte on; the first bytes are the
 * digest. The hasher may go on. hm_xof_free frees it.
 *
 * HM_NOT_EXTENDABLE if the algorithm has a fixed digest.
 * Threads: any, while none changes the hasher.
 */
hm_error hm_xof_new(const hm_hasher *h, struct hm_xof **out);

/**
 * Writes the next `len` bytes of output to `out`.
 * Threads: one at a time for each output.
 */
hm_error hm_xof_read(struct hm_xof *x, void *out, size_t len);

/**
 * Frees an output. Null is fine.
 * Threads: one at a time for each output.
 */
hm_error hm_xof_free(struct hm_xof *x);

/**
 * Sets `out` to a new code with this digest and a key of any length. hm_hmac_free frees it.
 *
 * HM_BAD_KEY if the algorithm is no cryptographic digest; or if its digest is longer than its block (CubeHash-512) and
 * the key too, for which HMAC is not defined. Threads: any.
 */
hm_error hm_hmac_new(const hm_algorithm *a, const void *key, size_t key_len, struct hm_hmac **out);

/**
 * Takes `len` more bytes of the message.
 * Threads: one at a time for each code.
 */
hm_error hm_hmac_update(struct hm_hmac *m, const void *message, size_t len);

/**
 * Writes the code of everything so far to `out`, which has `len` bytes, the digest's length. It may be called again,
 * and more of the message may follow.
 *
 * HM_WRONG_LENGTH.
 * Threads: any, while none changes the code.
 */
hm_error hm_hmac_final(const struct hm_hmac *m, void *out, size_t len);

/**
 * Whether `code` is the whole code of everything so far, compared in time that does not tell where it differs. No
 * prefix is. Threads: any, while none changes the code.
 */
bool hm_hmac_verify(const struct hm_hmac *m, const void *code, size_t len);

/**
 * Back to the beginning of a message, with the same key.
 * Threads: one at a time for each code.
 */
hm_error hm_hmac_reset(struct hm_hmac *m);

/**
 * Sets `out` to a new code that has taken the same message.
 * Threads: any, while none changes the code.
 */
hm_error hm_hmac_clone(const struct hm_hmac *m, struct hm_hmac **out);

/**
 * Overwrites and frees a code. Null is fine.
 * Threads: one at a time for each code.
 */
hm_error hm_hmac_free(struct hm_hmac *m);

/**
 * Writes the digests of `count` messages, in their order and with nothing between them, to `out`, which has `out_len`
 * bytes: `count` times the digest's length, or twice that as text. Messages of any lengths are hashed side by side.
 * Nothing is written if the call fails, and nothing is allocated for each message.
 *
 * HM_WRONG_TOTAL if `out_len` is another; HM_BAD_ARGUMENT if a message is null with a length, or overlaps `out`.
 * Threads: any.
 */
hm_error hm_digest_many(const hm_algorithm *a,
                        const struct hm_bytes *messages,
                        size_t count,
                        uint32_t encoding,
                        void *out,
                        size_t out_len);

/**
 * hm_digest_many on the kernel of this name; null for what the CPU prefers.
 *
 * HM_UNKNOWN_KERNEL, HM_KERNEL_UNAVAILABLE.
 * Threads: any.
 */
hm_error hm_digest_many_on(const hm_algorithm *a,
                           const char *kernel,
                           const struct hm_bytes *messages,
                           size_t count,
                           uint32_t encoding,
                           void *out,
                           size_t out_len);

/**
 * hm_digest_many of messages that lie one after the other in `bytes`, of `len` bytes: message i is that from
 * `offsets[i]` up to `offsets[i + 1]`, which is Arrow's layout. `offsets` has `count` + 1 numbers of the type that
 * `type` says; it may be null if `count` is 0.
 *
 * HM_BAD_OFFSETS if they descend, are negative or point beyond the bytes; HM_WRONG_TOTAL; HM_BAD_ARGUMENT if `out`
 * overlaps the bytes. Threads: any.
 */
hm_error hm_digest_column(const hm_algorithm *a,
                          const void *offsets,
                          uint32_t type,
                          size_t count,
                          const void *bytes,
                          size_t len,
                          uint32_t encoding,
                          void *out,
                          size_t out_len);

/**
 * hm_digest_column on the kernel of this name; null for what the CPU prefers.
 *
 * HM_UNKNOWN_KERNEL, HM_KERNEL_UNAVAILABLE.
 * Threads: any.
 */
hm_error hm_digest_column_on(const hm_algorithm *a,
                             const char *kernel,
                             const void *offsets,
                             uint32_t type,
                             size_t count,
                             const void *bytes,
                             size_t len,
                             uint32_t encoding,
                             void *out,
                             size_t out_len);

/**
 * hm_digest_many on several threads: `threads` at most, or as many as there are cores for the process if it is 0. The
 * calling thread is one of them; the others take no signals, and are gone when it returns. Little work is not spread:
 * the time of the first messages decides how many threads the others are worth.
 *
 * HM_WRONG_TOTAL, HM_BAD_ARGUMENT.
 * Threads: any.
 */
hm_error hm_digest_many_threads(const hm_algorithm *a,
                                size_t threads,
                                const struct hm_bytes *messages,
                                size_t count,
                                uint32_t encoding,
                                void *out,
                                size_t out_len);

/**
 * hm_digest_column on several threads, as hm_digest_many_threads.
 *
 * HM_BAD_OFFSETS, HM_WRONG_TOTAL, HM_BAD_ARGUMENT.
 * Threads: any.
 */
hm_error hm_digest_column_threads(const hm_algorithm *a,
                                  size_t threads,
                                  const void *offsets,
                                  uint32_t type,
                                  size_t count,
                                  const void *bytes,
                                  size_t len,
                                  uint32_t encoding,
                                  void *out,
                                  size_t out_len);

/**
 * Sets `out` to the part of a message that begins at its byte `at` and has `len` bytes, for hm_parts_push. Several
 * threads may make parts of one message.
 *
 * HM_BAD_PARAMETER if the algorithm cannot be hashed in parts (hm_algorithm_is_divisible).
 * Threads: any.
 */
hm_error hm_part_new(const hm_algorithm *a, uint64_t at, const void *bytes, size_t len, struct hm_part **out);

/**
 * Frees a part. Null is fine.
 * Threads: one at a time for each part.
 */
hm_error hm_part_free(struct hm_part *p);

/**
 * Sets `out` to what puts parts of `len` bytes each together, a power of two and at least HM_SHORTEST_PART; the last
 * may be shorter. hm_parts_free frees it.
 *
 * HM_BAD_PARAMETER if the algorithm cannot be hashed in parts, or not in parts of this length.
 * Threads: any.
 */
hm_error hm_parts_new(const hm_algorithm *a, size_t len, struct hm_parts **out);

/**
 * Takes the next part, which begins where the last one ended. The part stays the caller's.
 *
 * HM_WRONG_PART if it is another one. Nothing has changed then.
 * Threads: one at a time for each message.
 */
hm_error hm_parts_push(struct hm_parts *p, const struct hm_part *part);

/**
 * Writes the digest of all parts and of the `last_len` bytes after them, which are no more than a part, to `out`,
 * which has `len` bytes, the digest's length.
 *
 * HM_WRONG_PART if the last bytes are more than a part; HM_WRONG_LENGTH.
 * Threads: one at a time for each message.
 */
hm_error hm_parts_final(struct hm_parts *p, const void *last, size_t last_len, void *out, size_t len);

/**
 * Frees it. Null is fine.
 * Threads: one at a time for each message.
 */
hm_error hm_parts_free(struct hm_parts *p);

/**
 * Reads a descriptor from where it stands up to its end, or `max` bytes if that is less (UINT64_MAX for all), and
 * gives what it reads to the hasher. `progress`, if it is not null, is called with `user` every 256 KiB. `taken`, if
 * it is not null, is set to the number of bytes that were read; the hasher has taken just these, and the descriptor
 * stands behind them, if the call fails, too.
 *
 * HM_IO if reading fails, and the message says why (a descriptor that does not block and has nothing is one such
 * case); HM_CANCELLED; HM_NO_MEMORY. Threads: one at a time for each hasher and descriptor. The callback may use other
 * hashers, not this one.
 */
hm_error hm_hasher_update_fd(hm_hasher *h, int fd, uint64_t max, hm_progress progress, void *user, uint64_t *taken);

/**
 * Writes the digest of what a descriptor gives from where it stands up to its end to `out`, which has `out_len` bytes,
 * the digest's length. `progress` is as for hm_hasher_update_fd.
 *
 * HM_WRONG_LENGTH, before anything is read; HM_IO, HM_CANCELLED, HM_NO_MEMORY.
 * Threads: any.
 */
hm_error hm_digest_fd(const hm_algorithm *a, int fd, hm_progress progress, void *user, void *out, size_t out_len);

/**
 * Hashes files, each read once for all algorithms, many side by side in SIMD lanes and on several threads. `done` is
 * called with `user` for each path, in the order of the paths; `progress`, if it is not null, about ten times a second
 * and at the end. Both are called by the thread that calls this function; threads that it starts take no signals, and
 * are gone when it returns.
 *
 * `algorithms` points to `algorithm_count` pointers, at least one; `paths` to `count` of them. A path is what the
 * system's open() takes (UTF-8 on Windows): "-" is a file of this name, links are followed, FIFOs and devices are read
 * to their end. `threads` is how many hash; 0 for as many as there are cores for the process. Neither the number of
 * files nor their lengths make memory grow, but for some bytes for each path.
 *
 * A file that cannot be read is no failure of the call: `done` is told HM_IO and why, and the others go on.
 * HM_CANCELLED if a callback wants no more; files that were being read are left. HM_NO_MEMORY. Threads: any.
 */
hm_error hm_digest_files(const hm_algorithm *const *algorithms,
                         size_t algorithm_count,
                         const char *const *paths,
                         size_t count,
                         size_t threads,
                         hm_file_done done,
                         hm_files_tick progress,
                         void *user);

/**
 * How many kernels the algorithm has on this architecture.
 * Threads: any.
 */
size_t hm_kernel_count(const hm_algorithm *a);

/**
 * Sets `out` to its kernel number `index`, in the order of preference.
 *
 * HM_BAD_ARGUMENT if there are not as many.
 * Threads: any.
 */
hm_error hm_kernel_at(const hm_algorithm *a, size_t index, struct hm_kernel *out);

/**
 * Whether the environment's HASHMILL_KERNEL, a list of kernels to prefer, names only existing kernels. It is
 * read once, by the first call that hashes or asks.
 *
 * HM_UNKNOWN_KERNEL.
 * Threads: any.
 */
hm_error hm_check_kernel_preference(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

/** Inputs that are nothing: a value to set fields of. */
static inline hm_inputs hm_inputs_none(void) {
    hm_inputs inputs = {sizeof(hm_inputs), NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL};
    return inputs;
}

#endif  /* HASHMILL_H */
