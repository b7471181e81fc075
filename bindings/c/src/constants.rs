//! Every algorithm with its usual parameters, by its canonical name in capitals. The header lists them in the same
//! order.
//!
//! Generated from the registry by `cargo run -p xtask -- header`, without a macro, because cbindgen expands none.

use crate::algorithm::hm_algorithm;
use hashmill::Algorithm;

/// md2
#[unsafe(no_mangle)]
pub static HM_MD2: hm_algorithm = hm_algorithm::new(Algorithm::MD2);
/// md4
#[unsafe(no_mangle)]
pub static HM_MD4: hm_algorithm = hm_algorithm::new(Algorithm::MD4);
/// md5
#[unsafe(no_mangle)]
pub static HM_MD5: hm_algorithm = hm_algorithm::new(Algorithm::MD5);
/// sha0
#[unsafe(no_mangle)]
pub static HM_SHA0: hm_algorithm = hm_algorithm::new(Algorithm::SHA0);
/// sha1
#[unsafe(no_mangle)]
pub static HM_SHA1: hm_algorithm = hm_algorithm::new(Algorithm::SHA1);
/// sha224
#[unsafe(no_mangle)]
pub static HM_SHA224: hm_algorithm = hm_algorithm::new(Algorithm::SHA224);
/// sha256
#[unsafe(no_mangle)]
pub static HM_SHA256: hm_algorithm = hm_algorithm::new(Algorithm::SHA256);
/// sha384
#[unsafe(no_mangle)]
pub static HM_SHA384: hm_algorithm = hm_algorithm::new(Algorithm::SHA384);
/// sha512
#[unsafe(no_mangle)]
pub static HM_SHA512: hm_algorithm = hm_algorithm::new(Algorithm::SHA512);
/// sha512-224
#[unsafe(no_mangle)]
pub static HM_SHA512_224: hm_algorithm = hm_algorithm::new(Algorithm::SHA512_224);
/// sha512-256
#[unsafe(no_mangle)]
pub static HM_SHA512_256: hm_algorithm = hm_algorithm::new(Algorithm::SHA512_256);
/// sha3-224
#[unsafe(no_mangle)]
pub static HM_SHA3_224: hm_algorithm = hm_algorithm::new(Algorithm::SHA3_224);
/// sha3-256
#[unsafe(no_mangle)]
pub static HM_SHA3_256: hm_algorithm = hm_algorithm::new(Algorithm::SHA3_256);
/// sha3-384
#[unsafe(no_mangle)]
pub static HM_SHA3_384: hm_algorithm = hm_algorithm::new(Algorithm::SHA3_384);
/// sha3-512
#[unsafe(no_mangle)]
pub static HM_SHA3_512: hm_algorithm = hm_algorithm::new(Algorithm::SHA3_512);
/// shake128
#[unsafe(no_mangle)]
pub static HM_SHAKE128: hm_algorithm = hm_algorithm::new(Algorithm::SHAKE128);
/// shake256
#[unsafe(no_mangle)]
pub static HM_SHAKE256: hm_algorithm = hm_algorithm::new(Algorithm::SHAKE256);
/// keccak224
#[unsafe(no_mangle)]
pub static HM_KECCAK224: hm_algorithm = hm_algorithm::new(Algorithm::KECCAK224);
/// keccak256
#[unsafe(no_mangle)]
pub static HM_KECCAK256: hm_algorithm = hm_algorithm::new(Algorithm::KECCAK256);
/// keccak384
#[unsafe(no_mangle)]
pub static HM_KECCAK384: hm_algorithm = hm_algorithm::new(Algorithm::KECCAK384);
/// keccak512
#[unsafe(no_mangle)]
pub static HM_KECCAK512: hm_algorithm = hm_algorithm::new(Algorithm::KECCAK512);
/// blake224
#[unsafe(no_mangle)]
pub static HM_BLAKE224: hm_algorithm = hm_algorithm::new(Algorithm::BLAKE224);
/// blake256
#[unsafe(no_mangle)]
pub static HM_BLAKE256: hm_algorithm = hm_algorithm::new(Algorithm::BLAKE256);
/// blake384
#[unsafe(no_mangle)]
pub static HM_BLAKE384: hm_algorithm = hm_algorithm::new(Algorithm::BLAKE384);
/// blake512
#[unsafe(no_mangle)]
pub static HM_BLAKE512: hm_algorithm = hm_algorithm::new(Algorithm::BLAKE512);
/// blake2b-512
#[unsafe(no_mangle)]
pub static HM_BLAKE2B_512: hm_algorithm = hm_algorithm::new(Algorithm::BLAKE2B_512);
/// blake2s-256
#[unsafe(no_mangle)]
pub static HM_BLAKE2S_256: hm_algorithm = hm_algorithm::new(Algorithm::BLAKE2S_256);
/// blake3
#[unsafe(no_mangle)]
pub static HM_BLAKE3: hm_algorithm = hm_algorithm::new(Algorithm::BLAKE3);
/// groestl224
#[unsafe(no_mangle)]
pub static HM_GROESTL224: hm_algorithm = hm_algorithm::new(Algorithm::GROESTL224);
/// groestl256
#[unsafe(no_mangle)]
pub static HM_GROESTL256: hm_algorithm = hm_algorithm::new(Algorithm::GROESTL256);
/// groestl384
#[unsafe(no_mangle)]
pub static HM_GROESTL384: hm_algorithm = hm_algorithm::new(Algorithm::GROESTL384);
/// groestl512
#[unsafe(no_mangle)]
pub static HM_GROESTL512: hm_algorithm = hm_algorithm::new(Algorithm::GROESTL512);
/// jh224
#[unsafe(no_mangle)]
pub static HM_JH224: hm_algorithm = hm_algorithm::new(Algorithm::JH224);
/// jh256
#[unsafe(no_mangle)]
pub static HM_JH256: hm_algorithm = hm_algorithm::new(Algorithm::JH256);
/// jh384
#[unsafe(no_mangle)]
pub static HM_JH384: hm_algorithm = hm_algorithm::new(Algorithm::JH384);
/// jh512
#[unsafe(no_mangle)]
pub static HM_JH512: hm_algorithm = hm_algorithm::new(Algorithm::JH512);
/// skein256-256
#[unsafe(no_mangle)]
pub static HM_SKEIN256_256: hm_algorithm = hm_algorithm::new(Algorithm::SKEIN256_256);
/// skein512-512
#[unsafe(no_mangle)]
pub static HM_SKEIN512_512: hm_algorithm = hm_algorithm::new(Algorithm::SKEIN512_512);
/// skein1024-1024
#[unsafe(no_mangle)]
pub static HM_SKEIN1024_1024: hm_algorithm = hm_algorithm::new(Algorithm::SKEIN1024_1024);
/// cubehash512
#[unsafe(no_mangle)]
pub static HM_CUBEHASH512: hm_algorithm = hm_algorithm::new(Algorithm::CUBEHASH512);
/// ripemd128
#[unsafe(no_mangle)]
pub static HM_RIPEMD128: hm_algorithm = hm_algorithm::new(Algorithm::RIPEMD128);
/// ripemd160
#[unsafe(no_mangle)]
pub static HM_RIPEMD160: hm_algorithm = hm_algorithm::new(Algorithm::RIPEMD160);
/// ripemd256
#[unsafe(no_mangle)]
pub static HM_RIPEMD256: hm_algorithm = hm_algorithm::new(Algorithm::RIPEMD256);
/// ripemd320
#[unsafe(no_mangle)]
pub static HM_RIPEMD320: hm_algorithm = hm_algorithm::new(Algorithm::RIPEMD320);
/// haval128-3
#[unsafe(no_mangle)]
pub static HM_HAVAL128_3: hm_algorithm = hm_algorithm::new(Algorithm::HAVAL128_3);
/// haval128-4
#[unsafe(no_mangle)]
pub static HM_HAVAL128_4: hm_algorithm = hm_algorithm::new(Algorithm::HAVAL128_4);
/// haval128-5
#[unsafe(no_mangle)]
pub static HM_HAVAL128_5: hm_algorithm = hm_algorithm::new(Algorithm::HAVAL128_5);
/// haval160-3
#[unsafe(no_mangle)]
pub static HM_HAVAL160_3: hm_algorithm = hm_algorithm::new(Algorithm::HAVAL160_3);
/// haval160-4
#[unsafe(no_mangle)]
pub static HM_HAVAL160_4: hm_algorithm = hm_algorithm::new(Algorithm::HAVAL160_4);
/// haval160-5
#[unsafe(no_mangle)]
pub static HM_HAVAL160_5: hm_algorithm = hm_algorithm::new(Algorithm::HAVAL160_5);
/// haval192-3
#[unsafe(no_mangle)]
pub static HM_HAVAL192_3: hm_algorithm = hm_algorithm::new(Algorithm::HAVAL192_3);
/// haval192-4
#[unsafe(no_mangle)]
pub static HM_HAVAL192_4: hm_algorithm = hm_algorithm::new(Algorithm::HAVAL192_4);
/// haval192-5
#[unsafe(no_mangle)]
pub static HM_HAVAL192_5: hm_algorithm = hm_algorithm::new(Algorithm::HAVAL192_5);
/// haval224-3
#[unsafe(no_mangle)]
pub static HM_HAVAL224_3: hm_algorithm = hm_algorithm::new(Algorithm::HAVAL224_3);
/// haval224-4
#[unsafe(no_mangle)]
pub static HM_HAVAL224_4: hm_algorithm = hm_algorithm::new(Algorithm::HAVAL224_4);
/// haval224-5
#[unsafe(no_mangle)]
pub static HM_HAVAL224_5: hm_algorithm = hm_algorithm::new(Algorithm::HAVAL224_5);
/// haval256-3
#[unsafe(no_mangle)]
pub static HM_HAVAL256_3: hm_algorithm = hm_algorithm::new(Algorithm::HAVAL256_3);
/// haval256-4
#[unsafe(no_mangle)]
pub static HM_HAVAL256_4: hm_algorithm = hm_algorithm::new(Algorithm::HAVAL256_4);
/// haval256-5
#[unsafe(no_mangle)]
pub static HM_HAVAL256_5: hm_algorithm = hm_algorithm::new(Algorithm::HAVAL256_5);
/// tiger128-3
#[unsafe(no_mangle)]
pub static HM_TIGER128_3: hm_algorithm = hm_algorithm::new(Algorithm::TIGER128_3);
/// tiger160-3
#[unsafe(no_mangle)]
pub static HM_TIGER160_3: hm_algorithm = hm_algorithm::new(Algorithm::TIGER160_3);
/// tiger192-3
#[unsafe(no_mangle)]
pub static HM_TIGER192_3: hm_algorithm = hm_algorithm::new(Algorithm::TIGER192_3);
/// tiger128-4
#[unsafe(no_mangle)]
pub static HM_TIGER128_4: hm_algorithm = hm_algorithm::new(Algorithm::TIGER128_4);
/// tiger160-4
#[unsafe(no_mangle)]
pub static HM_TIGER160_4: hm_algorithm = hm_algorithm::new(Algorithm::TIGER160_4);
/// tiger192-4
#[unsafe(no_mangle)]
pub static HM_TIGER192_4: hm_algorithm = hm_algorithm::new(Algorithm::TIGER192_4);
/// tiger2
#[unsafe(no_mangle)]
pub static HM_TIGER2: hm_algorithm = hm_algorithm::new(Algorithm::TIGER2);
/// whirlpool
#[unsafe(no_mangle)]
pub static HM_WHIRLPOOL: hm_algorithm = hm_algorithm::new(Algorithm::WHIRLPOOL);
/// snefru128
#[unsafe(no_mangle)]
pub static HM_SNEFRU128: hm_algorithm = hm_algorithm::new(Algorithm::SNEFRU128);
/// snefru256
#[unsafe(no_mangle)]
pub static HM_SNEFRU256: hm_algorithm = hm_algorithm::new(Algorithm::SNEFRU256);
/// gost94
#[unsafe(no_mangle)]
pub static HM_GOST94: hm_algorithm = hm_algorithm::new(Algorithm::GOST94);
/// gost94-cryptopro
#[unsafe(no_mangle)]
pub static HM_GOST94_CRYPTOPRO: hm_algorithm = hm_algorithm::new(Algorithm::GOST94_CRYPTOPRO);
/// streebog256
#[unsafe(no_mangle)]
pub static HM_STREEBOG256: hm_algorithm = hm_algorithm::new(Algorithm::STREEBOG256);
/// streebog512
#[unsafe(no_mangle)]
pub static HM_STREEBOG512: hm_algorithm = hm_algorithm::new(Algorithm::STREEBOG512);
/// sm3
#[unsafe(no_mangle)]
pub static HM_SM3: hm_algorithm = hm_algorithm::new(Algorithm::SM3);
/// xxh32
#[unsafe(no_mangle)]
pub static HM_XXH32: hm_algorithm = hm_algorithm::new(Algorithm::XXH32);
/// xxh64
#[unsafe(no_mangle)]
pub static HM_XXH64: hm_algorithm = hm_algorithm::new(Algorithm::XXH64);
/// xxh3
#[unsafe(no_mangle)]
pub static HM_XXH3: hm_algorithm = hm_algorithm::new(Algorithm::XXH3);
/// xxh128
#[unsafe(no_mangle)]
pub static HM_XXH128: hm_algorithm = hm_algorithm::new(Algorithm::XXH128);
/// murmur3a
#[unsafe(no_mangle)]
pub static HM_MURMUR3A: hm_algorithm = hm_algorithm::new(Algorithm::MURMUR3A);
/// murmur3c
#[unsafe(no_mangle)]
pub static HM_MURMUR3C: hm_algorithm = hm_algorithm::new(Algorithm::MURMUR3C);
/// murmur3f
#[unsafe(no_mangle)]
pub static HM_MURMUR3F: hm_algorithm = hm_algorithm::new(Algorithm::MURMUR3F);
/// siphash-2-4
#[unsafe(no_mangle)]
pub static HM_SIPHASH_2_4: hm_algorithm = hm_algorithm::new(Algorithm::SIPHASH_2_4);
/// siphash-2-4-128
#[unsafe(no_mangle)]
pub static HM_SIPHASH_2_4_128: hm_algorithm = hm_algorithm::new(Algorithm::SIPHASH_2_4_128);
/// fnv132
#[unsafe(no_mangle)]
pub static HM_FNV132: hm_algorithm = hm_algorithm::new(Algorithm::FNV132);
/// fnv1a32
#[unsafe(no_mangle)]
pub static HM_FNV1A32: hm_algorithm = hm_algorithm::new(Algorithm::FNV1A32);
/// fnv164
#[unsafe(no_mangle)]
pub static HM_FNV164: hm_algorithm = hm_algorithm::new(Algorithm::FNV164);
/// fnv1a64
#[unsafe(no_mangle)]
pub static HM_FNV1A64: hm_algorithm = hm_algorithm::new(Algorithm::FNV1A64);
/// joaat
#[unsafe(no_mangle)]
pub static HM_JOAAT: hm_algorithm = hm_algorithm::new(Algorithm::JOAAT);
/// adler32
#[unsafe(no_mangle)]
pub static HM_ADLER32: hm_algorithm = hm_algorithm::new(Algorithm::ADLER32);
/// fletcher16
#[unsafe(no_mangle)]
pub static HM_FLETCHER16: hm_algorithm = hm_algorithm::new(Algorithm::FLETCHER16);
/// fletcher32
#[unsafe(no_mangle)]
pub static HM_FLETCHER32: hm_algorithm = hm_algorithm::new(Algorithm::FLETCHER32);
/// fletcher64
#[unsafe(no_mangle)]
pub static HM_FLETCHER64: hm_algorithm = hm_algorithm::new(Algorithm::FLETCHER64);
/// sum-bsd
#[unsafe(no_mangle)]
pub static HM_SUM_BSD: hm_algorithm = hm_algorithm::new(Algorithm::SUM_BSD);
/// sum-sysv
#[unsafe(no_mangle)]
pub static HM_SUM_SYSV: hm_algorithm = hm_algorithm::new(Algorithm::SUM_SYSV);
/// cksum
#[unsafe(no_mangle)]
pub static HM_CKSUM: hm_algorithm = hm_algorithm::new(Algorithm::CKSUM);
/// crc32-php
#[unsafe(no_mangle)]
pub static HM_CRC32_PHP: hm_algorithm = hm_algorithm::new(Algorithm::CRC32_PHP);
/// crc3-gsm
#[unsafe(no_mangle)]
pub static HM_CRC3_GSM: hm_algorithm = hm_algorithm::new(Algorithm::CRC3_GSM);
/// crc3-rohc
#[unsafe(no_mangle)]
pub static HM_CRC3_ROHC: hm_algorithm = hm_algorithm::new(Algorithm::CRC3_ROHC);
/// crc4-g-704
#[unsafe(no_mangle)]
pub static HM_CRC4_G_704: hm_algorithm = hm_algorithm::new(Algorithm::CRC4_G_704);
/// crc4-interlaken
#[unsafe(no_mangle)]
pub static HM_CRC4_INTERLAKEN: hm_algorithm = hm_algorithm::new(Algorithm::CRC4_INTERLAKEN);
/// crc5-epc-c1g2
#[unsafe(no_mangle)]
pub static HM_CRC5_EPC_C1G2: hm_algorithm = hm_algorithm::new(Algorithm::CRC5_EPC_C1G2);
/// crc5-g-704
#[unsafe(no_mangle)]
pub static HM_CRC5_G_704: hm_algorithm = hm_algorithm::new(Algorithm::CRC5_G_704);
/// crc5-usb
#[unsafe(no_mangle)]
pub static HM_CRC5_USB: hm_algorithm = hm_algorithm::new(Algorithm::CRC5_USB);
/// crc6-cdma2000-a
#[unsafe(no_mangle)]
pub static HM_CRC6_CDMA2000_A: hm_algorithm = hm_algorithm::new(Algorithm::CRC6_CDMA2000_A);
/// crc6-cdma2000-b
#[unsafe(no_mangle)]
pub static HM_CRC6_CDMA2000_B: hm_algorithm = hm_algorithm::new(Algorithm::CRC6_CDMA2000_B);
/// crc6-darc
#[unsafe(no_mangle)]
pub static HM_CRC6_DARC: hm_algorithm = hm_algorithm::new(Algorithm::CRC6_DARC);
/// crc6-g-704
#[unsafe(no_mangle)]
pub static HM_CRC6_G_704: hm_algorithm = hm_algorithm::new(Algorithm::CRC6_G_704);
/// crc6-gsm
#[unsafe(no_mangle)]
pub static HM_CRC6_GSM: hm_algorithm = hm_algorithm::new(Algorithm::CRC6_GSM);
/// crc7-mmc
#[unsafe(no_mangle)]
pub static HM_CRC7_MMC: hm_algorithm = hm_algorithm::new(Algorithm::CRC7_MMC);
/// crc7-rohc
#[unsafe(no_mangle)]
pub static HM_CRC7_ROHC: hm_algorithm = hm_algorithm::new(Algorithm::CRC7_ROHC);
/// crc7-umts
#[unsafe(no_mangle)]
pub static HM_CRC7_UMTS: hm_algorithm = hm_algorithm::new(Algorithm::CRC7_UMTS);
/// crc8-autosar
#[unsafe(no_mangle)]
pub static HM_CRC8_AUTOSAR: hm_algorithm = hm_algorithm::new(Algorithm::CRC8_AUTOSAR);
/// crc8-bluetooth
#[unsafe(no_mangle)]
pub static HM_CRC8_BLUETOOTH: hm_algorithm = hm_algorithm::new(Algorithm::CRC8_BLUETOOTH);
/// crc8-cdma2000
#[unsafe(no_mangle)]
pub static HM_CRC8_CDMA2000: hm_algorithm = hm_algorithm::new(Algorithm::CRC8_CDMA2000);
/// crc8-darc
#[unsafe(no_mangle)]
pub static HM_CRC8_DARC: hm_algorithm = hm_algorithm::new(Algorithm::CRC8_DARC);
/// crc8-dvb-s2
#[unsafe(no_mangle)]
pub static HM_CRC8_DVB_S2: hm_algorithm = hm_algorithm::new(Algorithm::CRC8_DVB_S2);
/// crc8-gsm-a
#[unsafe(no_mangle)]
pub static HM_CRC8_GSM_A: hm_algorithm = hm_algorithm::new(Algorithm::CRC8_GSM_A);
/// crc8-gsm-b
#[unsafe(no_mangle)]
pub static HM_CRC8_GSM_B: hm_algorithm = hm_algorithm::new(Algorithm::CRC8_GSM_B);
/// crc8-hitag
#[unsafe(no_mangle)]
pub static HM_CRC8_HITAG: hm_algorithm = hm_algorithm::new(Algorithm::CRC8_HITAG);
/// crc8-i-432-1
#[unsafe(no_mangle)]
pub static HM_CRC8_I_432_1: hm_algorithm = hm_algorithm::new(Algorithm::CRC8_I_432_1);
/// crc8-i-code
#[unsafe(no_mangle)]
pub static HM_CRC8_I_CODE: hm_algorithm = hm_algorithm::new(Algorithm::CRC8_I_CODE);
/// crc8-lte
#[unsafe(no_mangle)]
pub static HM_CRC8_LTE: hm_algorithm = hm_algorithm::new(Algorithm::CRC8_LTE);
/// crc8-maxim-dow
#[unsafe(no_mangle)]
pub static HM_CRC8_MAXIM_DOW: hm_algorithm = hm_algorithm::new(Algorithm::CRC8_MAXIM_DOW);
/// crc8-mifare-mad
#[unsafe(no_mangle)]
pub static HM_CRC8_MIFARE_MAD: hm_algorithm = hm_algorithm::new(Algorithm::CRC8_MIFARE_MAD);
/// crc8-nrsc-5
#[unsafe(no_mangle)]
pub static HM_CRC8_NRSC_5: hm_algorithm = hm_algorithm::new(Algorithm::CRC8_NRSC_5);
/// crc8-opensafety
#[unsafe(no_mangle)]
pub static HM_CRC8_OPENSAFETY: hm_algorithm = hm_algorithm::new(Algorithm::CRC8_OPENSAFETY);
/// crc8-rohc
#[unsafe(no_mangle)]
pub static HM_CRC8_ROHC: hm_algorithm = hm_algorithm::new(Algorithm::CRC8_ROHC);
/// crc8-sae-j1850
#[unsafe(no_mangle)]
pub static HM_CRC8_SAE_J1850: hm_algorithm = hm_algorithm::new(Algorithm::CRC8_SAE_J1850);
/// crc8-smbus
#[unsafe(no_mangle)]
pub static HM_CRC8_SMBUS: hm_algorithm = hm_algorithm::new(Algorithm::CRC8_SMBUS);
/// crc8-tech-3250
#[unsafe(no_mangle)]
pub static HM_CRC8_TECH_3250: hm_algorithm = hm_algorithm::new(Algorithm::CRC8_TECH_3250);
/// crc8-wcdma
#[unsafe(no_mangle)]
pub static HM_CRC8_WCDMA: hm_algorithm = hm_algorithm::new(Algorithm::CRC8_WCDMA);
/// crc10-atm
#[unsafe(no_mangle)]
pub static HM_CRC10_ATM: hm_algorithm = hm_algorithm::new(Algorithm::CRC10_ATM);
/// crc10-cdma2000
#[unsafe(no_mangle)]
pub static HM_CRC10_CDMA2000: hm_algorithm = hm_algorithm::new(Algorithm::CRC10_CDMA2000);
/// crc10-gsm
#[unsafe(no_mangle)]
pub static HM_CRC10_GSM: hm_algorithm = hm_algorithm::new(Algorithm::CRC10_GSM);
/// crc11-flexray
#[unsafe(no_mangle)]
pub static HM_CRC11_FLEXRAY: hm_algorithm = hm_algorithm::new(Algorithm::CRC11_FLEXRAY);
/// crc11-umts
#[unsafe(no_mangle)]
pub static HM_CRC11_UMTS: hm_algorithm = hm_algorithm::new(Algorithm::CRC11_UMTS);
/// crc12-cdma2000
#[unsafe(no_mangle)]
pub static HM_CRC12_CDMA2000: hm_algorithm = hm_algorithm::new(Algorithm::CRC12_CDMA2000);
/// crc12-dect
#[unsafe(no_mangle)]
pub static HM_CRC12_DECT: hm_algorithm = hm_algorithm::new(Algorithm::CRC12_DECT);
/// crc12-gsm
#[unsafe(no_mangle)]
pub static HM_CRC12_GSM: hm_algorithm = hm_algorithm::new(Algorithm::CRC12_GSM);
/// crc12-umts
#[unsafe(no_mangle)]
pub static HM_CRC12_UMTS: hm_algorithm = hm_algorithm::new(Algorithm::CRC12_UMTS);
/// crc13-bbc
#[unsafe(no_mangle)]
pub static HM_CRC13_BBC: hm_algorithm = hm_algorithm::new(Algorithm::CRC13_BBC);
/// crc14-darc
#[unsafe(no_mangle)]
pub static HM_CRC14_DARC: hm_algorithm = hm_algorithm::new(Algorithm::CRC14_DARC);
/// crc14-gsm
#[unsafe(no_mangle)]
pub static HM_CRC14_GSM: hm_algorithm = hm_algorithm::new(Algorithm::CRC14_GSM);
/// crc15-can
#[unsafe(no_mangle)]
pub static HM_CRC15_CAN: hm_algorithm = hm_algorithm::new(Algorithm::CRC15_CAN);
/// crc15-mpt1327
#[unsafe(no_mangle)]
pub static HM_CRC15_MPT1327: hm_algorithm = hm_algorithm::new(Algorithm::CRC15_MPT1327);
/// crc16-arc
#[unsafe(no_mangle)]
pub static HM_CRC16_ARC: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_ARC);
/// crc16-cdma2000
#[unsafe(no_mangle)]
pub static HM_CRC16_CDMA2000: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_CDMA2000);
/// crc16-cms
#[unsafe(no_mangle)]
pub static HM_CRC16_CMS: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_CMS);
/// crc16-dds-110
#[unsafe(no_mangle)]
pub static HM_CRC16_DDS_110: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_DDS_110);
/// crc16-dect-r
#[unsafe(no_mangle)]
pub static HM_CRC16_DECT_R: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_DECT_R);
/// crc16-dect-x
#[unsafe(no_mangle)]
pub static HM_CRC16_DECT_X: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_DECT_X);
/// crc16-dnp
#[unsafe(no_mangle)]
pub static HM_CRC16_DNP: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_DNP);
/// crc16-en-13757
#[unsafe(no_mangle)]
pub static HM_CRC16_EN_13757: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_EN_13757);
/// crc16-genibus
#[unsafe(no_mangle)]
pub static HM_CRC16_GENIBUS: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_GENIBUS);
/// crc16-gsm
#[unsafe(no_mangle)]
pub static HM_CRC16_GSM: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_GSM);
/// crc16-ibm-3740
#[unsafe(no_mangle)]
pub static HM_CRC16_IBM_3740: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_IBM_3740);
/// crc16-ibm-sdlc
#[unsafe(no_mangle)]
pub static HM_CRC16_IBM_SDLC: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_IBM_SDLC);
/// crc16-iso-iec-14443-3-a
#[unsafe(no_mangle)]
pub static HM_CRC16_ISO_IEC_14443_3_A: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_ISO_IEC_14443_3_A);
/// crc16-kermit
#[unsafe(no_mangle)]
pub static HM_CRC16_KERMIT: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_KERMIT);
/// crc16-lj1200
#[unsafe(no_mangle)]
pub static HM_CRC16_LJ1200: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_LJ1200);
/// crc16-m17
#[unsafe(no_mangle)]
pub static HM_CRC16_M17: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_M17);
/// crc16-maxim-dow
#[unsafe(no_mangle)]
pub static HM_CRC16_MAXIM_DOW: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_MAXIM_DOW);
/// crc16-mcrf4xx
#[unsafe(no_mangle)]
pub static HM_CRC16_MCRF4XX: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_MCRF4XX);
/// crc16-modbus
#[unsafe(no_mangle)]
pub static HM_CRC16_MODBUS: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_MODBUS);
/// crc16-nrsc-5
#[unsafe(no_mangle)]
pub static HM_CRC16_NRSC_5: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_NRSC_5);
/// crc16-opensafety-a
#[unsafe(no_mangle)]
pub static HM_CRC16_OPENSAFETY_A: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_OPENSAFETY_A);
/// crc16-opensafety-b
#[unsafe(no_mangle)]
pub static HM_CRC16_OPENSAFETY_B: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_OPENSAFETY_B);
/// crc16-profibus
#[unsafe(no_mangle)]
pub static HM_CRC16_PROFIBUS: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_PROFIBUS);
/// crc16-riello
#[unsafe(no_mangle)]
pub static HM_CRC16_RIELLO: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_RIELLO);
/// crc16-spi-fujitsu
#[unsafe(no_mangle)]
pub static HM_CRC16_SPI_FUJITSU: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_SPI_FUJITSU);
/// crc16-t10-dif
#[unsafe(no_mangle)]
pub static HM_CRC16_T10_DIF: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_T10_DIF);
/// crc16-teledisk
#[unsafe(no_mangle)]
pub static HM_CRC16_TELEDISK: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_TELEDISK);
/// crc16-tms37157
#[unsafe(no_mangle)]
pub static HM_CRC16_TMS37157: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_TMS37157);
/// crc16-umts
#[unsafe(no_mangle)]
pub static HM_CRC16_UMTS: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_UMTS);
/// crc16-usb
#[unsafe(no_mangle)]
pub static HM_CRC16_USB: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_USB);
/// crc16-xmodem
#[unsafe(no_mangle)]
pub static HM_CRC16_XMODEM: hm_algorithm = hm_algorithm::new(Algorithm::CRC16_XMODEM);
/// crc17-can-fd
#[unsafe(no_mangle)]
pub static HM_CRC17_CAN_FD: hm_algorithm = hm_algorithm::new(Algorithm::CRC17_CAN_FD);
/// crc21-can-fd
#[unsafe(no_mangle)]
pub static HM_CRC21_CAN_FD: hm_algorithm = hm_algorithm::new(Algorithm::CRC21_CAN_FD);
/// crc24-ble
#[unsafe(no_mangle)]
pub static HM_CRC24_BLE: hm_algorithm = hm_algorithm::new(Algorithm::CRC24_BLE);
/// crc24-flexray-a
#[unsafe(no_mangle)]
pub static HM_CRC24_FLEXRAY_A: hm_algorithm = hm_algorithm::new(Algorithm::CRC24_FLEXRAY_A);
/// crc24-flexray-b
#[unsafe(no_mangle)]
pub static HM_CRC24_FLEXRAY_B: hm_algorithm = hm_algorithm::new(Algorithm::CRC24_FLEXRAY_B);
/// crc24-interlaken
#[unsafe(no_mangle)]
pub static HM_CRC24_INTERLAKEN: hm_algorithm = hm_algorithm::new(Algorithm::CRC24_INTERLAKEN);
/// crc24-lte-a
#[unsafe(no_mangle)]
pub static HM_CRC24_LTE_A: hm_algorithm = hm_algorithm::new(Algorithm::CRC24_LTE_A);
/// crc24-lte-b
#[unsafe(no_mangle)]
pub static HM_CRC24_LTE_B: hm_algorithm = hm_algorithm::new(Algorithm::CRC24_LTE_B);
/// crc24-openpgp
#[unsafe(no_mangle)]
pub static HM_CRC24_OPENPGP: hm_algorithm = hm_algorithm::new(Algorithm::CRC24_OPENPGP);
/// crc24-os-9
#[unsafe(no_mangle)]
pub static HM_CRC24_OS_9: hm_algorithm = hm_algorithm::new(Algorithm::CRC24_OS_9);
/// crc30-cdma
#[unsafe(no_mangle)]
pub static HM_CRC30_CDMA: hm_algorithm = hm_algorithm::new(Algorithm::CRC30_CDMA);
/// crc31-philips
#[unsafe(no_mangle)]
pub static HM_CRC31_PHILIPS: hm_algorithm = hm_algorithm::new(Algorithm::CRC31_PHILIPS);
/// crc32-aixm
#[unsafe(no_mangle)]
pub static HM_CRC32_AIXM: hm_algorithm = hm_algorithm::new(Algorithm::CRC32_AIXM);
/// crc32-autosar
#[unsafe(no_mangle)]
pub static HM_CRC32_AUTOSAR: hm_algorithm = hm_algorithm::new(Algorithm::CRC32_AUTOSAR);
/// crc32-base91-d
#[unsafe(no_mangle)]
pub static HM_CRC32_BASE91_D: hm_algorithm = hm_algorithm::new(Algorithm::CRC32_BASE91_D);
/// crc32-bzip2
#[unsafe(no_mangle)]
pub static HM_CRC32_BZIP2: hm_algorithm = hm_algorithm::new(Algorithm::CRC32_BZIP2);
/// crc32-cd-rom-edc
#[unsafe(no_mangle)]
pub static HM_CRC32_CD_ROM_EDC: hm_algorithm = hm_algorithm::new(Algorithm::CRC32_CD_ROM_EDC);
/// crc32-cksum
#[unsafe(no_mangle)]
pub static HM_CRC32_CKSUM: hm_algorithm = hm_algorithm::new(Algorithm::CRC32_CKSUM);
/// crc32c
#[unsafe(no_mangle)]
pub static HM_CRC32C: hm_algorithm = hm_algorithm::new(Algorithm::CRC32C);
/// crc32
#[unsafe(no_mangle)]
pub static HM_CRC32: hm_algorithm = hm_algorithm::new(Algorithm::CRC32);
/// crc32-jamcrc
#[unsafe(no_mangle)]
pub static HM_CRC32_JAMCRC: hm_algorithm = hm_algorithm::new(Algorithm::CRC32_JAMCRC);
/// crc32-mef
#[unsafe(no_mangle)]
pub static HM_CRC32_MEF: hm_algorithm = hm_algorithm::new(Algorithm::CRC32_MEF);
/// crc32-mpeg-2
#[unsafe(no_mangle)]
pub static HM_CRC32_MPEG_2: hm_algorithm = hm_algorithm::new(Algorithm::CRC32_MPEG_2);
/// crc32-xfer
#[unsafe(no_mangle)]
pub static HM_CRC32_XFER: hm_algorithm = hm_algorithm::new(Algorithm::CRC32_XFER);
/// crc40-gsm
#[unsafe(no_mangle)]
pub static HM_CRC40_GSM: hm_algorithm = hm_algorithm::new(Algorithm::CRC40_GSM);
/// crc64-ecma-182
#[unsafe(no_mangle)]
pub static HM_CRC64_ECMA_182: hm_algorithm = hm_algorithm::new(Algorithm::CRC64_ECMA_182);
/// crc64-go-iso
#[unsafe(no_mangle)]
pub static HM_CRC64_GO_ISO: hm_algorithm = hm_algorithm::new(Algorithm::CRC64_GO_ISO);
/// crc64-ms
#[unsafe(no_mangle)]
pub static HM_CRC64_MS: hm_algorithm = hm_algorithm::new(Algorithm::CRC64_MS);
/// crc64-nvme
#[unsafe(no_mangle)]
pub static HM_CRC64_NVME: hm_algorithm = hm_algorithm::new(Algorithm::CRC64_NVME);
/// crc64-redis
#[unsafe(no_mangle)]
pub static HM_CRC64_REDIS: hm_algorithm = hm_algorithm::new(Algorithm::CRC64_REDIS);
/// crc64-we
#[unsafe(no_mangle)]
pub static HM_CRC64_WE: hm_algorithm = hm_algorithm::new(Algorithm::CRC64_WE);
/// crc64-xz
#[unsafe(no_mangle)]
pub static HM_CRC64_XZ: hm_algorithm = hm_algorithm::new(Algorithm::CRC64_XZ);
/// crc82-darc
#[unsafe(no_mangle)]
pub static HM_CRC82_DARC: hm_algorithm = hm_algorithm::new(Algorithm::CRC82_DARC);

// Up to here, the list is generated.
