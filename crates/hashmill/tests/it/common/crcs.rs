//! CRCs computed by the crate `crc`.

/// Returns the digest that the crate computes, or `None` for names that the catalogue does not have.
pub(crate) fn crc(name: &str, m: &[u8]) -> Option<Vec<u8>> {
    macro_rules! catalogue {
        ($($word:ty: $($constant:ident)*;)*) => {
            match name {
                $($(_ if is(name, stringify!($constant)) => {
                    let value = crc::Crc::<$word>::new(&crc::$constant).checksum(m);
                    let bytes = usize::from(crc::$constant.width).div_ceil(8);
                    Some(value.to_be_bytes()[size_of::<$word>() - bytes..].to_vec())
                })*)*
                _ => None,
            }
        };
    }
    catalogue! {
        u8:
            CRC_3_GSM CRC_3_ROHC CRC_4_G_704 CRC_4_INTERLAKEN CRC_5_EPC_C1G2 CRC_5_G_704 CRC_5_USB CRC_6_CDMA2000_A
            CRC_6_CDMA2000_B CRC_6_DARC CRC_6_G_704 CRC_6_GSM CRC_7_MMC CRC_7_ROHC CRC_7_UMTS CRC_8_AUTOSAR
            CRC_8_BLUETOOTH CRC_8_CDMA2000 CRC_8_DARC CRC_8_DVB_S2 CRC_8_GSM_A CRC_8_GSM_B CRC_8_HITAG CRC_8_I_432_1
            CRC_8_I_CODE CRC_8_LTE CRC_8_MAXIM_DOW CRC_8_MIFARE_MAD CRC_8_NRSC_5 CRC_8_OPENSAFETY CRC_8_ROHC
            CRC_8_SAE_J1850 CRC_8_SMBUS CRC_8_TECH_3250 CRC_8_WCDMA;
        u16:
            CRC_10_ATM CRC_10_CDMA2000 CRC_10_GSM CRC_11_FLEXRAY CRC_11_UMTS CRC_12_CDMA2000 CRC_12_DECT CRC_12_GSM
            CRC_12_UMTS CRC_13_BBC CRC_14_DARC CRC_14_GSM CRC_15_CAN CRC_15_MPT1327 CRC_16_ARC CRC_16_CDMA2000 CRC_16_CMS
            CRC_16_DDS_110 CRC_16_DECT_R CRC_16_DECT_X CRC_16_DNP CRC_16_EN_13757 CRC_16_GENIBUS CRC_16_GSM
            CRC_16_IBM_3740 CRC_16_IBM_SDLC CRC_16_ISO_IEC_14443_3_A CRC_16_KERMIT CRC_16_LJ1200 CRC_16_M17
            CRC_16_MAXIM_DOW CRC_16_MCRF4XX CRC_16_MODBUS CRC_16_NRSC_5 CRC_16_OPENSAFETY_A CRC_16_OPENSAFETY_B
            CRC_16_PROFIBUS CRC_16_RIELLO CRC_16_SPI_FUJITSU CRC_16_T10_DIF CRC_16_TELEDISK CRC_16_TMS37157 CRC_16_UMTS
            CRC_16_USB CRC_16_XMODEM;
        u32:
            CRC_17_CAN_FD CRC_21_CAN_FD CRC_24_BLE CRC_24_FLEXRAY_A CRC_24_FLEXRAY_B CRC_24_INTERLAKEN CRC_24_LTE_A
            CRC_24_LTE_B CRC_24_OPENPGP CRC_24_OS_9 CRC_30_CDMA CRC_31_PHILIPS CRC_32_AIXM CRC_32_AUTOSAR CRC_32_BASE91_D
            CRC_32_BZIP2 CRC_32_CD_ROM_EDC CRC_32_CKSUM CRC_32_ISCSI CRC_32_ISO_HDLC CRC_32_JAMCRC CRC_32_MEF
            CRC_32_MPEG_2 CRC_32_XFER;
        u64:
            CRC_40_GSM CRC_64_ECMA_182 CRC_64_GO_ISO CRC_64_MS CRC_64_NVME CRC_64_REDIS CRC_64_WE CRC_64_XZ;
        u128:
            CRC_82_DARC;
    }
}

/// Returns whether the names match: `crc16-ibm-3740` is CRC_16_IBM_3740.
fn is(name: &str, constant: &str) -> bool {
    match name {
        "crc32" => constant == "CRC_32_ISO_HDLC",
        "crc32c" => constant == "CRC_32_ISCSI",
        _ => name.starts_with("crc") && format!("crc-{}", &name[3..]).replace('-', "_").eq_ignore_ascii_case(constant),
    }
}
