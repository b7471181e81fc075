//! Every algorithm with its usual parameters by a name that the compiler knows. `cargo run -p xtask -- header`
//! generates the list from the registry.

use crate::registry::algorithm::Algorithm;

macro_rules! constants {
    ($($constant:ident $name:literal;)*) => {
        /// # Constants
        ///
        /// Every algorithm under its canonical name, as a constant. Where one is used, the compiler knows what it
        /// calls: five bytes of XXH3 then cost what the hash costs.
        ///
        /// ```
        /// use hashmill::Algorithm;
        /// assert_eq!(Algorithm::SHA512_256, "sha512-256".parse()?);
        /// assert_eq!(Algorithm::CRC32.digest(b"123456789").to_string(), "cbf43926");
        /// # Ok::<(), hashmill::Error>(())
        /// ```
        impl Algorithm {
            $(
                #[doc = concat!("`", $name, "`")]
                pub const $constant: Algorithm = Algorithm::of($name);
            )*
        }

        #[cfg(test)]
        const ALL: &[(&str, &str, Algorithm)] = &[$((stringify!($constant), $name, Algorithm::$constant)),*];
    };
}

#[rustfmt::skip]
constants! {
    MD2 "md2"; MD4 "md4"; MD5 "md5"; SHA0 "sha0"; SHA1 "sha1"; SHA224 "sha224"; SHA256 "sha256"; SHA384 "sha384";
    SHA512 "sha512"; SHA512_224 "sha512-224"; SHA512_256 "sha512-256"; SHA3_224 "sha3-224"; SHA3_256 "sha3-256";
    SHA3_384 "sha3-384"; SHA3_512 "sha3-512"; SHAKE128 "shake128"; SHAKE256 "shake256"; KECCAK224 "keccak224";
    KECCAK256 "keccak256"; KECCAK384 "keccak384"; KECCAK512 "keccak512"; BLAKE224 "blake224"; BLAKE256 "blake256";
    BLAKE384 "blake384"; BLAKE512 "blake512"; BLAKE2B_512 "blake2b-512"; BLAKE2S_256 "blake2s-256";
    BLAKE3 "blake3"; GROESTL224 "groestl224"; GROESTL256 "groestl256"; GROESTL384 "groestl384";
    GROESTL512 "groestl512"; JH224 "jh224"; JH256 "jh256"; JH384 "jh384"; JH512 "jh512";
    SKEIN256_256 "skein256-256"; SKEIN512_512 "skein512-512"; SKEIN1024_1024 "skein1024-1024";
    CUBEHASH512 "cubehash512"; RIPEMD128 "ripemd128"; RIPEMD160 "ripemd160"; RIPEMD256 "ripemd256";
    RIPEMD320 "ripemd320"; HAVAL128_3 "haval128-3"; HAVAL128_4 "haval128-4"; HAVAL128_5 "haval128-5";
    HAVAL160_3 "haval160-3"; HAVAL160_4 "haval160-4"; HAVAL160_5 "haval160-5"; HAVAL192_3 "haval192-3";
    HAVAL192_4 "haval192-4"; HAVAL192_5 "haval192-5"; HAVAL224_3 "haval224-3"; HAVAL224_4 "haval224-4";
    HAVAL224_5 "haval224-5"; HAVAL256_3 "haval256-3"; HAVAL256_4 "haval256-4"; HAVAL256_5 "haval256-5";
    TIGER128_3 "tiger128-3"; TIGER160_3 "tiger160-3"; TIGER192_3 "tiger192-3"; TIGER128_4 "tiger128-4";
    TIGER160_4 "tiger160-4"; TIGER192_4 "tiger192-4"; TIGER2 "tiger2"; WHIRLPOOL "whirlpool";
    SNEFRU128 "snefru128"; SNEFRU256 "snefru256"; GOST94 "gost94"; GOST94_CRYPTOPRO "gost94-cryptopro";
    STREEBOG256 "streebog256"; STREEBOG512 "streebog512"; SM3 "sm3"; XXH32 "xxh32"; XXH64 "xxh64"; XXH3 "xxh3";
    XXH128 "xxh128"; MURMUR3A "murmur3a"; MURMUR3C "murmur3c"; MURMUR3F "murmur3f"; SIPHASH_2_4 "siphash-2-4";
    SIPHASH_2_4_128 "siphash-2-4-128"; FNV132 "fnv132"; FNV1A32 "fnv1a32"; FNV164 "fnv164"; FNV1A64 "fnv1a64";
    JOAAT "joaat"; ADLER32 "adler32"; FLETCHER16 "fletcher16"; FLETCHER32 "fletcher32"; FLETCHER64 "fletcher64";
    SUM_BSD "sum-bsd"; SUM_SYSV "sum-sysv"; CKSUM "cksum"; CRC32_PHP "crc32-php"; CRC3_GSM "crc3-gsm";
    CRC3_ROHC "crc3-rohc"; CRC4_G_704 "crc4-g-704"; CRC4_INTERLAKEN "crc4-interlaken";
    CRC5_EPC_C1G2 "crc5-epc-c1g2"; CRC5_G_704 "crc5-g-704"; CRC5_USB "crc5-usb"; CRC6_CDMA2000_A "crc6-cdma2000-a";
    CRC6_CDMA2000_B "crc6-cdma2000-b"; CRC6_DARC "crc6-darc"; CRC6_G_704 "crc6-g-704"; CRC6_GSM "crc6-gsm";
    CRC7_MMC "crc7-mmc"; CRC7_ROHC "crc7-rohc"; CRC7_UMTS "crc7-umts"; CRC8_AUTOSAR "crc8-autosar";
    CRC8_BLUETOOTH "crc8-bluetooth"; CRC8_CDMA2000 "crc8-cdma2000"; CRC8_DARC "crc8-darc";
    CRC8_DVB_S2 "crc8-dvb-s2"; CRC8_GSM_A "crc8-gsm-a"; CRC8_GSM_B "crc8-gsm-b"; CRC8_HITAG "crc8-hitag";
    CRC8_I_432_1 "crc8-i-432-1"; CRC8_I_CODE "crc8-i-code"; CRC8_LTE "crc8-lte"; CRC8_MAXIM_DOW "crc8-maxim-dow";
    CRC8_MIFARE_MAD "crc8-mifare-mad"; CRC8_NRSC_5 "crc8-nrsc-5"; CRC8_OPENSAFETY "crc8-opensafety";
    CRC8_ROHC "crc8-rohc"; CRC8_SAE_J1850 "crc8-sae-j1850"; CRC8_SMBUS "crc8-smbus";
    CRC8_TECH_3250 "crc8-tech-3250"; CRC8_WCDMA "crc8-wcdma"; CRC10_ATM "crc10-atm";
    CRC10_CDMA2000 "crc10-cdma2000"; CRC10_GSM "crc10-gsm"; CRC11_FLEXRAY "crc11-flexray"; CRC11_UMTS "crc11-umts";
    CRC12_CDMA2000 "crc12-cdma2000"; CRC12_DECT "crc12-dect"; CRC12_GSM "crc12-gsm"; CRC12_UMTS "crc12-umts";
    CRC13_BBC "crc13-bbc"; CRC14_DARC "crc14-darc"; CRC14_GSM "crc14-gsm"; CRC15_CAN "crc15-can";
    CRC15_MPT1327 "crc15-mpt1327"; CRC16_ARC "crc16-arc"; CRC16_CDMA2000 "crc16-cdma2000"; CRC16_CMS "crc16-cms";
    CRC16_DDS_110 "crc16-dds-110"; CRC16_DECT_R "crc16-dect-r"; CRC16_DECT_X "crc16-dect-x"; CRC16_DNP "crc16-dnp";
    CRC16_EN_13757 "crc16-en-13757"; CRC16_GENIBUS "crc16-genibus"; CRC16_GSM "crc16-gsm";
    CRC16_IBM_3740 "crc16-ibm-3740"; CRC16_IBM_SDLC "crc16-ibm-sdlc";
    CRC16_ISO_IEC_14443_3_A "crc16-iso-iec-14443-3-a"; CRC16_KERMIT "crc16-kermit"; CRC16_LJ1200 "crc16-lj1200";
    CRC16_M17 "crc16-m17"; CRC16_MAXIM_DOW "crc16-maxim-dow"; CRC16_MCRF4XX "crc16-mcrf4xx";
    CRC16_MODBUS "crc16-modbus"; CRC16_NRSC_5 "crc16-nrsc-5"; CRC16_OPENSAFETY_A "crc16-opensafety-a";
    CRC16_OPENSAFETY_B "crc16-opensafety-b"; CRC16_PROFIBUS "crc16-profibus"; CRC16_RIELLO "crc16-riello";
    CRC16_SPI_FUJITSU "crc16-spi-fujitsu"; CRC16_T10_DIF "crc16-t10-dif"; CRC16_TELEDISK "crc16-teledisk";
    CRC16_TMS37157 "crc16-tms37157"; CRC16_UMTS "crc16-umts"; CRC16_USB "crc16-usb"; CRC16_XMODEM "crc16-xmodem";
    CRC17_CAN_FD "crc17-can-fd"; CRC21_CAN_FD "crc21-can-fd"; CRC24_BLE "crc24-ble";
    CRC24_FLEXRAY_A "crc24-flexray-a"; CRC24_FLEXRAY_B "crc24-flexray-b"; CRC24_INTERLAKEN "crc24-interlaken";
    CRC24_LTE_A "crc24-lte-a"; CRC24_LTE_B "crc24-lte-b"; CRC24_OPENPGP "crc24-openpgp"; CRC24_OS_9 "crc24-os-9";
    CRC30_CDMA "crc30-cdma"; CRC31_PHILIPS "crc31-philips"; CRC32_AIXM "crc32-aixm"; CRC32_AUTOSAR "crc32-autosar";
    CRC32_BASE91_D "crc32-base91-d"; CRC32_BZIP2 "crc32-bzip2"; CRC32_CD_ROM_EDC "crc32-cd-rom-edc";
    CRC32_CKSUM "crc32-cksum"; CRC32C "crc32c"; CRC32 "crc32"; CRC32_JAMCRC "crc32-jamcrc"; CRC32_MEF "crc32-mef";
    CRC32_MPEG_2 "crc32-mpeg-2"; CRC32_XFER "crc32-xfer"; CRC40_GSM "crc40-gsm"; CRC64_ECMA_182 "crc64-ecma-182";
    CRC64_GO_ISO "crc64-go-iso"; CRC64_MS "crc64-ms"; CRC64_NVME "crc64-nvme"; CRC64_REDIS "crc64-redis";
    CRC64_WE "crc64-we"; CRC64_XZ "crc64-xz"; CRC82_DARC "crc82-darc";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_has_one() {
        assert!(Algorithm::all().eq(ALL.iter().map(|(_, _, a)| *a)), "in the registry's order, each once");
        for (constant, name, a) in ALL {
            assert_eq!(a.name(), *name);
            assert_eq!(*constant, name.to_uppercase().replace('-', "_"));
        }
    }
}
