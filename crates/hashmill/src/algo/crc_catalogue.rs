//! The RevEng catalogue of parametrized CRC algorithms (G. Cook, <https://reveng.sourceforge.io/crc-catalogue/>): all
//! of its 113 entries, as facts. `crc/mod.rs` explains the parameters.
//!
//! The name is that of the catalogue in lower case, without the first hyphen and with `/` replaced by a hyphen; `crc32`
//! and `crc32c` are exceptions. The aliases are the catalogue's name and aliases, in its spelling and in ours, and a
//! few that programs use (`crc32b` is PHP's). A bare `crc8`, `crc16`, `crc24`, `crc64` is the entry to which the
//! catalogue gives this alias; what 7-Zip and xz call `crc64` is `crc64-xz`. Omitted are the catalogue's aliases
//! CRC-16/CCITT and CRC-CCITT of CRC-16/KERMIT, since most people mean another CRC by them, and CKSUM of CRC-32/CKSUM,
//! since `cksum` adds the length.
//!
//! The registry's rows for them are generated at compile time; their slicing tables, 16 or 32 KiB each, at first use.

/// One CRC.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    /// The catalogue's name comes first.
    pub(crate) aliases: &'static [&'static str],
    /// Width of the register in bits.
    pub(super) width: u32,
    /// P without x^width; bit i is the coefficient of x^i.
    pub(super) poly: u128,
    /// The register before the first bit.
    pub(super) init: u128,
    /// Whether the low bit of a message byte comes first.
    pub(super) refin: bool,
    /// Whether the register is bit-reversed before `xorout`.
    pub(super) refout: bool,
    /// XORed with the result.
    pub(super) xorout: u128,
    /// The CRC of `123456789`.
    #[cfg(test)]
    pub(super) check: u128,
}

macro_rules! catalogue {
    ($($width:literal $poly:literal $init:literal $refin:literal $refout:literal $xorout:literal $check:literal
       $name:literal: $($alias:literal),*;)*) => {
        [$(Entry {
            name: $name,
            aliases: &[$($alias),*],
            width: $width,
            poly: $poly,
            init: $init,
            refin: $refin,
            refout: $refout,
            xorout: $xorout,
            #[cfg(test)]
            check: $check,
        }),*]
    };
}

/// The number of entries.
pub(crate) const LEN: usize = 113;

// width poly init refin refout xorout check name: aliases
#[rustfmt::skip]
pub(crate) static ENTRIES: [Entry; LEN] = catalogue! {
    3 0x3 0x0 false false 0x7 0x4 "crc3-gsm": "CRC-3/GSM";
    3 0x3 0x7 true  true  0x0 0x6 "crc3-rohc": "CRC-3/ROHC";
    4 0x3 0x0 true  true  0x0 0x7 "crc4-g-704": "CRC-4/G-704", "CRC-4/ITU", "crc4-itu";
    4 0x3 0xf false false 0xf 0xb "crc4-interlaken": "CRC-4/INTERLAKEN";
    5 0x09 0x09 false false 0x00 0x00 "crc5-epc-c1g2": "CRC-5/EPC-C1G2", "CRC-5/EPC", "crc5-epc";
    5 0x15 0x00 true  true  0x00 0x07 "crc5-g-704": "CRC-5/G-704", "CRC-5/ITU", "crc5-itu";
    5 0x05 0x1f true  true  0x1f 0x19 "crc5-usb": "CRC-5/USB";
    6 0x27 0x3f false false 0x00 0x0d "crc6-cdma2000-a": "CRC-6/CDMA2000-A";
    6 0x07 0x3f false false 0x00 0x3b "crc6-cdma2000-b": "CRC-6/CDMA2000-B";
    6 0x19 0x00 true  true  0x00 0x26 "crc6-darc": "CRC-6/DARC";
    6 0x03 0x00 true  true  0x00 0x06 "crc6-g-704": "CRC-6/G-704", "CRC-6/ITU", "crc6-itu";
    6 0x2f 0x00 false false 0x3f 0x13 "crc6-gsm": "CRC-6/GSM";
    7 0x09 0x00 false false 0x00 0x75 "crc7-mmc": "CRC-7/MMC", "CRC-7", "crc7";
    7 0x4f 0x7f true  true  0x00 0x53 "crc7-rohc": "CRC-7/ROHC";
    7 0x45 0x00 false false 0x00 0x61 "crc7-umts": "CRC-7/UMTS";
    8 0x2f 0xff false false 0xff 0xdf "crc8-autosar": "CRC-8/AUTOSAR";
    8 0xa7 0x00 true  true  0x00 0x26 "crc8-bluetooth": "CRC-8/BLUETOOTH";
    8 0x9b 0xff false false 0x00 0xda "crc8-cdma2000": "CRC-8/CDMA2000";
    8 0x39 0x00 true  true  0x00 0x15 "crc8-darc": "CRC-8/DARC";
    8 0xd5 0x00 false false 0x00 0xbc "crc8-dvb-s2": "CRC-8/DVB-S2";
    8 0x1d 0x00 false false 0x00 0x37 "crc8-gsm-a": "CRC-8/GSM-A";
    8 0x49 0x00 false false 0xff 0x94 "crc8-gsm-b": "CRC-8/GSM-B";
    8 0x1d 0xff false false 0x00 0xb4 "crc8-hitag": "CRC-8/HITAG";
    8 0x07 0x00 false false 0x55 0xa1 "crc8-i-432-1": "CRC-8/I-432-1", "CRC-8/ITU", "crc8-itu";
    8 0x1d 0xfd false false 0x00 0x7e "crc8-i-code": "CRC-8/I-CODE";
    8 0x9b 0x00 false false 0x00 0xea "crc8-lte": "CRC-8/LTE";
    8 0x31 0x00 true  true  0x00 0xa1 "crc8-maxim-dow": "CRC-8/MAXIM-DOW", "CRC-8/MAXIM", "crc8-maxim", "DOW-CRC";
    8 0x1d 0xc7 false false 0x00 0x99 "crc8-mifare-mad": "CRC-8/MIFARE-MAD";
    8 0x31 0xff false false 0x00 0xf7 "crc8-nrsc-5": "CRC-8/NRSC-5";
    8 0x2f 0x00 false false 0x00 0x3e "crc8-opensafety": "CRC-8/OPENSAFETY";
    8 0x07 0xff true  true  0x00 0xd0 "crc8-rohc": "CRC-8/ROHC";
    8 0x1d 0xff false false 0xff 0x4b "crc8-sae-j1850": "CRC-8/SAE-J1850";
    8 0x07 0x00 false false 0x00 0xf4 "crc8-smbus": "CRC-8/SMBUS", "CRC-8", "crc8";
    8 0x1d 0xff true  true  0x00 0x97 "crc8-tech-3250":
        "CRC-8/TECH-3250", "CRC-8/AES", "crc8-aes", "CRC-8/EBU", "crc8-ebu";
    8 0x9b 0x00 true  true  0x00 0x25 "crc8-wcdma": "CRC-8/WCDMA";
    10 0x233 0x000 false false 0x000 0x199 "crc10-atm": "CRC-10/ATM", "CRC-10", "crc10", "CRC-10/I-610", "crc10-i-610";
    10 0x3d9 0x3ff false false 0x000 0x233 "crc10-cdma2000": "CRC-10/CDMA2000";
    10 0x175 0x000 false false 0x3ff 0x12a "crc10-gsm": "CRC-10/GSM";
    11 0x385 0x01a false false 0x000 0x5a3 "crc11-flexray": "CRC-11/FLEXRAY", "CRC-11", "crc11";
    11 0x307 0x000 false false 0x000 0x061 "crc11-umts": "CRC-11/UMTS";
    12 0xf13 0xfff false false 0x000 0xd4d "crc12-cdma2000": "CRC-12/CDMA2000";
    12 0x80f 0x000 false false 0x000 0xf5b "crc12-dect": "CRC-12/DECT", "X-CRC-12";
    12 0xd31 0x000 false false 0xfff 0xb34 "crc12-gsm": "CRC-12/GSM";
    12 0x80f 0x000 false true  0x000 0xdaf "crc12-umts": "CRC-12/UMTS", "CRC-12/3GPP", "crc12-3gpp";
    13 0x1cf5 0x0000 false false 0x0000 0x04fa "crc13-bbc": "CRC-13/BBC";
    14 0x0805 0x0000 true  true  0x0000 0x082d "crc14-darc": "CRC-14/DARC";
    14 0x202d 0x0000 false false 0x3fff 0x30ae "crc14-gsm": "CRC-14/GSM";
    15 0x4599 0x0000 false false 0x0000 0x059e "crc15-can": "CRC-15/CAN", "CRC-15", "crc15";
    15 0x6815 0x0000 false false 0x0001 0x2566 "crc15-mpt1327": "CRC-15/MPT1327";
    16 0x8005 0x0000 true  true  0x0000 0xbb3d "crc16-arc":
        "CRC-16/ARC", "CRC-16", "crc16", "CRC-16/LHA", "crc16-lha", "CRC-IBM", "ARC";
    16 0xc867 0xffff false false 0x0000 0x4c06 "crc16-cdma2000": "CRC-16/CDMA2000";
    16 0x8005 0xffff false false 0x0000 0xaee7 "crc16-cms": "CRC-16/CMS";
    16 0x8005 0x800d false false 0x0000 0x9ecf "crc16-dds-110": "CRC-16/DDS-110";
    16 0x0589 0x0000 false false 0x0001 0x007e "crc16-dect-r": "CRC-16/DECT-R", "R-CRC-16";
    16 0x0589 0x0000 false false 0x0000 0x007f "crc16-dect-x": "CRC-16/DECT-X", "X-CRC-16";
    16 0x3d65 0x0000 true  true  0xffff 0xea82 "crc16-dnp": "CRC-16/DNP";
    16 0x3d65 0x0000 false false 0xffff 0xc2b7 "crc16-en-13757": "CRC-16/EN-13757";
    16 0x1021 0xffff false false 0xffff 0xd64e "crc16-genibus":
        "CRC-16/GENIBUS", "CRC-16/DARC", "crc16-darc", "CRC-16/EPC", "crc16-epc", "CRC-16/EPC-C1G2",
        "crc16-epc-c1g2", "CRC-16/I-CODE", "crc16-i-code";
    16 0x1021 0x0000 false false 0xffff 0xce3c "crc16-gsm": "CRC-16/GSM";
    16 0x1021 0xffff false false 0x0000 0x29b1 "crc16-ibm-3740":
        "CRC-16/IBM-3740", "CRC-16/AUTOSAR", "crc16-autosar", "CRC-16/CCITT-FALSE", "crc16-ccitt-false";
    16 0x1021 0xffff true  true  0xffff 0x906e "crc16-ibm-sdlc":
        "CRC-16/IBM-SDLC", "CRC-16/ISO-HDLC", "crc16-iso-hdlc", "CRC-16/ISO-IEC-14443-3-B",
        "crc16-iso-iec-14443-3-b", "CRC-16/X-25", "crc16-x-25", "CRC-B", "X-25", "crc16-x25";
    16 0x1021 0xc6c6 true  true  0x0000 0xbf05 "crc16-iso-iec-14443-3-a": "CRC-16/ISO-IEC-14443-3-A", "CRC-A";
    16 0x1021 0x0000 true  true  0x0000 0x2189 "crc16-kermit":
        "CRC-16/KERMIT", "CRC-16/BLUETOOTH", "crc16-bluetooth", "CRC-16/CCITT-TRUE", "crc16-ccitt-true",
        "CRC-16/V-41-LSB", "crc16-v-41-lsb", "KERMIT";
    16 0x6f63 0x0000 false false 0x0000 0xbdf4 "crc16-lj1200": "CRC-16/LJ1200";
    16 0x5935 0xffff false false 0x0000 0x772b "crc16-m17": "CRC-16/M17";
    16 0x8005 0x0000 true  true  0xffff 0x44c2 "crc16-maxim-dow": "CRC-16/MAXIM-DOW", "CRC-16/MAXIM", "crc16-maxim";
    16 0x1021 0xffff true  true  0x0000 0x6f91 "crc16-mcrf4xx": "CRC-16/MCRF4XX";
    16 0x8005 0xffff true  true  0x0000 0x4b37 "crc16-modbus": "CRC-16/MODBUS", "MODBUS";
    16 0x080b 0xffff true  true  0x0000 0xa066 "crc16-nrsc-5": "CRC-16/NRSC-5";
    16 0x5935 0x0000 false false 0x0000 0x5d38 "crc16-opensafety-a": "CRC-16/OPENSAFETY-A";
    16 0x755b 0x0000 false false 0x0000 0x20fe "crc16-opensafety-b": "CRC-16/OPENSAFETY-B";
    16 0x1dcf 0xffff false false 0xffff 0xa819 "crc16-profibus":
        "CRC-16/PROFIBUS", "CRC-16/IEC-61158-2", "crc16-iec-61158-2";
    16 0x1021 0xb2aa true  true  0x0000 0x63d0 "crc16-riello": "CRC-16/RIELLO";
    16 0x1021 0x1d0f false false 0x0000 0xe5cc "crc16-spi-fujitsu":
        "CRC-16/SPI-FUJITSU", "CRC-16/AUG-CCITT", "crc16-aug-ccitt";
    16 0x8bb7 0x0000 false false 0x0000 0xd0db "crc16-t10-dif": "CRC-16/T10-DIF";
    16 0xa097 0x0000 false false 0x0000 0x0fb3 "crc16-teledisk": "CRC-16/TELEDISK";
    16 0x1021 0x89ec true  true  0x0000 0x26b1 "crc16-tms37157": "CRC-16/TMS37157";
    16 0x8005 0x0000 false false 0x0000 0xfee8 "crc16-umts":
        "CRC-16/UMTS", "CRC-16/BUYPASS", "crc16-buypass", "CRC-16/VERIFONE", "crc16-verifone";
    16 0x8005 0xffff true  true  0xffff 0xb4c8 "crc16-usb": "CRC-16/USB";
    16 0x1021 0x0000 false false 0x0000 0x31c3 "crc16-xmodem":
        "CRC-16/XMODEM", "CRC-16/ACORN", "crc16-acorn", "CRC-16/LTE", "crc16-lte", "CRC-16/V-41-MSB",
        "crc16-v-41-msb", "XMODEM", "ZMODEM";
    17 0x1685b 0x00000 false false 0x00000 0x04f03 "crc17-can-fd": "CRC-17/CAN-FD";
    21 0x102899 0x000000 false false 0x000000 0x0ed841 "crc21-can-fd": "CRC-21/CAN-FD";
    24 0x00065b 0x555555 true  true  0x000000 0xc25a56 "crc24-ble": "CRC-24/BLE";
    24 0x5d6dcb 0xfedcba false false 0x000000 0x7979bd "crc24-flexray-a": "CRC-24/FLEXRAY-A";
    24 0x5d6dcb 0xabcdef false false 0x000000 0x1f23b8 "crc24-flexray-b": "CRC-24/FLEXRAY-B";
    24 0x328b63 0xffffff false false 0xffffff 0xb4f3e6 "crc24-interlaken": "CRC-24/INTERLAKEN";
    24 0x864cfb 0x000000 false false 0x000000 0xcde703 "crc24-lte-a": "CRC-24/LTE-A";
    24 0x800063 0x000000 false false 0x000000 0x23ef52 "crc24-lte-b": "CRC-24/LTE-B";
    24 0x864cfb 0xb704ce false false 0x000000 0x21cf02 "crc24-openpgp": "CRC-24/OPENPGP", "CRC-24", "crc24";
    24 0x800063 0xffffff false false 0xffffff 0x200fa5 "crc24-os-9": "CRC-24/OS-9";
    30 0x2030b9c7 0x3fffffff false false 0x3fffffff 0x04c34abf "crc30-cdma": "CRC-30/CDMA";
    31 0x04c11db7 0x7fffffff false false 0x7fffffff 0x0ce9e46c "crc31-philips": "CRC-31/PHILIPS";
    32 0x814141ab 0x00000000 false false 0x00000000 0x3010bf7f "crc32-aixm": "CRC-32/AIXM", "CRC-32Q", "crc32q";
    32 0xf4acfb13 0xffffffff true  true  0xffffffff 0x1697d06a "crc32-autosar": "CRC-32/AUTOSAR";
    32 0xa833982b 0xffffffff true  true  0xffffffff 0x87315576 "crc32-base91-d": "CRC-32/BASE91-D", "CRC-32D", "crc32d";
    32 0x04c11db7 0xffffffff false false 0xffffffff 0xfc891918 "crc32-bzip2":
        "CRC-32/BZIP2", "CRC-32/AAL5", "crc32-aal5", "CRC-32/DECT-B", "crc32-dect-b", "B-CRC-32";
    32 0x8001801b 0x00000000 true  true  0x00000000 0x6ec2edc4 "crc32-cd-rom-edc": "CRC-32/CD-ROM-EDC";
    32 0x04c11db7 0x00000000 false false 0xffffffff 0x765e7680 "crc32-cksum":
        "CRC-32/CKSUM", "CRC-32/POSIX", "crc32-posix";
    32 0x1edc6f41 0xffffffff true  true  0xffffffff 0xe3069283 "crc32c":
        "CRC-32/ISCSI", "crc32-iscsi", "CRC-32C", "CRC-32/BASE91-C", "crc32-base91-c", "CRC-32/CASTAGNOLI",
        "crc32-castagnoli", "CRC-32/INTERLAKEN", "crc32-interlaken", "CRC-32/NVME", "crc32-nvme";
    32 0x04c11db7 0xffffffff true  true  0xffffffff 0xcbf43926 "crc32":
        "CRC-32/ISO-HDLC", "crc32-iso-hdlc", "CRC-32", "CRC-32/ADCCP", "crc32-adccp", "CRC-32/V-42", "crc32-v-42",
        "CRC-32/XZ", "crc32-xz", "PKZIP", "crc32b", "crc32-zip", "crc32-ieee";
    32 0x04c11db7 0xffffffff true  true  0x00000000 0x340bc6d9 "crc32-jamcrc": "CRC-32/JAMCRC", "JAMCRC";
    32 0x741b8cd7 0xffffffff true  true  0x00000000 0xd2c22f51 "crc32-mef": "CRC-32/MEF";
    32 0x04c11db7 0xffffffff false false 0x00000000 0x0376e6e7 "crc32-mpeg-2": "CRC-32/MPEG-2", "crc32-mpeg2";
    32 0x000000af 0x00000000 false false 0x00000000 0xbd0be338 "crc32-xfer": "CRC-32/XFER", "XFER";
    40 0x0004820009 0x0000000000 false false 0xffffffffff 0xd4164fc646 "crc40-gsm": "CRC-40/GSM";
    64 0x42f0e1eba9ea3693 0x0000000000000000 false false 0x0000000000000000 0x6c40df5f0b497347 "crc64-ecma-182":
        "CRC-64/ECMA-182", "CRC-64", "crc64", "crc64-ecma";
    64 0x000000000000001b 0xffffffffffffffff true  true  0xffffffffffffffff 0xb90956c775a41001 "crc64-go-iso":
        "CRC-64/GO-ISO", "crc64-iso";
    64 0x259c84cba6426349 0xffffffffffffffff true  true  0x0000000000000000 0x75d4b74f024eceea "crc64-ms": "CRC-64/MS";
    64 0xad93d23594c93659 0xffffffffffffffff true  true  0xffffffffffffffff 0xae8b14860a799888 "crc64-nvme":
        "CRC-64/NVME", "crc64nvme";
    64 0xad93d23594c935a9 0x0000000000000000 true  true  0x0000000000000000 0xe9c6d914c4b8d9ca "crc64-redis":
        "CRC-64/REDIS";
    64 0x42f0e1eba9ea3693 0xffffffffffffffff false false 0xffffffffffffffff 0x62ec59e3f1a4f00a "crc64-we": "CRC-64/WE";
    64 0x42f0e1eba9ea3693 0xffffffffffffffff true  true  0xffffffffffffffff 0x995dc9bbdf1939fa "crc64-xz":
        "CRC-64/XZ", "CRC-64/GO-ECMA", "crc64-go-ecma";
    82 0x0308c0111011401440411 0x000000000000000000000 true  true  0x000000000000000000000 0x09ea83f625023801fd612 "crc82-darc":
        "CRC-82/DARC";
};
