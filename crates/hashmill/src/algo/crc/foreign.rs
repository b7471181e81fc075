//! The crate `crc-fast`.

use super::{Crc, ISCSI, LEN, index};
use crc_fast::CrcAlgorithm;
use std::sync::OnceLock;

/// The shortest message for which the crate is faster than tables. (8 for crc32c, for which it has the CPU's
/// instruction.)
const FROM: usize = 256;

impl Crc {
    /// Whether tables are faster, or the crate does not support the width.
    #[inline(always)]
    pub(super) fn is_for_tables(self, m: &[u8]) -> bool {
        m.len() < (if usize::from(self.index) == ISCSI { 8 } else { FROM }) || self.is_wide()
    }

    /// The register after the bytes of `m`.
    #[inline(never)]
    pub(super) fn by_crate(self, register: u64, m: &[u8]) -> u64 {
        // The crate keeps a register that is not reflected at the low end.
        let shift = if self.entry.refin { 0 } else { 64 - self.bits() };
        let state = register >> shift;
        let mut digest = match self.native() {
            Some(algorithm) => crc_fast::Digest::new_with_init_state(algorithm, state),
            None => {
                let parameters = self.parameters();
                crc_fast::Digest::new_with_params(crc_fast::CrcParams { init_algorithm: state, ..*parameters })
            }
        };
        digest.update(m);
        digest.get_state() << shift
    }

    /// The register after a whole message. If the crate has the CRC built in, this saves 20 ns for copying its
    /// parameters.
    #[inline(always)]
    pub(super) fn by_crate_at_once(self, m: &[u8]) -> u128 {
        match self.native() {
            Some(algorithm) => self.entry.begin(crc_fast::checksum(algorithm, m).into()),
            None => self.by_crate(self.start() as u64, m).into(),
        }
    }

    fn native(self) -> Option<CrcAlgorithm> {
        NATIVE[usize::from(self.index)]
    }

    /// Width of the crate's register in bits.
    fn bits(self) -> u32 {
        match self.entry.width {
            16 if self.native().is_some() => 16,
            0..=32 => 32,
            _ => 64,
        }
    }

    /// The crate's parameters for a CRC that it does not have built in, computed once.
    fn parameters(self) -> &'static crc_fast::CrcParams {
        static ALL: [OnceLock<crc_fast::CrcParams>; LEN] = [const { OnceLock::new() }; LEN];
        ALL[usize::from(self.index)].get_or_init(|| {
            let poly = (self.entry.poly as u64) << (self.bits() - self.entry.width);
            crc_fast::CrcParams::new(self.entry.name, self.bits() as u8, poly, 0, self.entry.refin, 0, 0)
        })
    }
}

/// The crate's names of the CRCs that it has built in.
static NATIVE: [Option<CrcAlgorithm>; LEN] = {
    let mut all = [None; LEN];
    let mut i = 0;
    while i < NATIVE_NAMES.len() {
        all[index(NATIVE_NAMES[i].0)] = Some(NATIVE_NAMES[i].1);
        i += 1;
    }
    all
};

const NATIVE_NAMES: &[(&str, CrcAlgorithm)] = &[
    ("crc16-arc", CrcAlgorithm::Crc16Arc),
    ("crc16-cdma2000", CrcAlgorithm::Crc16Cdma2000),
    ("crc16-cms", CrcAlgorithm::Crc16Cms),
    ("crc16-dds-110", CrcAlgorithm::Crc16Dds110),
    ("crc16-dect-r", CrcAlgorithm::Crc16DectR),
    ("crc16-dect-x", CrcAlgorithm::Crc16DectX),
    ("crc16-dnp", CrcAlgorithm::Crc16Dnp),
    ("crc16-en-13757", CrcAlgorithm::Crc16En13757),
    ("crc16-genibus", CrcAlgorithm::Crc16Genibus),
    ("crc16-gsm", CrcAlgorithm::Crc16Gsm),
    ("crc16-ibm-3740", CrcAlgorithm::Crc16Ibm3740),
    ("crc16-ibm-sdlc", CrcAlgorithm::Crc16IbmSdlc),
    ("crc16-iso-iec-14443-3-a", CrcAlgorithm::Crc16IsoIec144433A),
    ("crc16-kermit", CrcAlgorithm::Crc16Kermit),
    ("crc16-lj1200", CrcAlgorithm::Crc16Lj1200),
    ("crc16-m17", CrcAlgorithm::Crc16M17),
    ("crc16-maxim-dow", CrcAlgorithm::Crc16MaximDow),
    ("crc16-mcrf4xx", CrcAlgorithm::Crc16Mcrf4xx),
    ("crc16-modbus", CrcAlgorithm::Crc16Modbus),
    ("crc16-nrsc-5", CrcAlgorithm::Crc16Nrsc5),
    ("crc16-opensafety-a", CrcAlgorithm::Crc16OpensafetyA),
    ("crc16-opensafety-b", CrcAlgorithm::Crc16OpensafetyB),
    ("crc16-profibus", CrcAlgorithm::Crc16Profibus),
    ("crc16-riello", CrcAlgorithm::Crc16Riello),
    ("crc16-spi-fujitsu", CrcAlgorithm::Crc16SpiFujitsu),
    ("crc16-t10-dif", CrcAlgorithm::Crc16T10Dif),
    ("crc16-teledisk", CrcAlgorithm::Crc16Teledisk),
    ("crc16-tms37157", CrcAlgorithm::Crc16Tms37157),
    ("crc16-umts", CrcAlgorithm::Crc16Umts),
    ("crc16-usb", CrcAlgorithm::Crc16Usb),
    ("crc16-xmodem", CrcAlgorithm::Crc16Xmodem),
    ("crc32-aixm", CrcAlgorithm::Crc32Aixm),
    ("crc32-autosar", CrcAlgorithm::Crc32Autosar),
    ("crc32-base91-d", CrcAlgorithm::Crc32Base91D),
    ("crc32-bzip2", CrcAlgorithm::Crc32Bzip2),
    ("crc32-cd-rom-edc", CrcAlgorithm::Crc32CdRomEdc),
    ("crc32-cksum", CrcAlgorithm::Crc32Cksum),
    ("crc32c", CrcAlgorithm::Crc32Iscsi),
    ("crc32", CrcAlgorithm::Crc32IsoHdlc),
    ("crc32-jamcrc", CrcAlgorithm::Crc32Jamcrc),
    ("crc32-mef", CrcAlgorithm::Crc32Mef),
    ("crc32-mpeg-2", CrcAlgorithm::Crc32Mpeg2),
    ("crc32-xfer", CrcAlgorithm::Crc32Xfer),
    ("crc64-ecma-182", CrcAlgorithm::Crc64Ecma182),
    ("crc64-go-iso", CrcAlgorithm::Crc64GoIso),
    ("crc64-ms", CrcAlgorithm::Crc64Ms),
    ("crc64-nvme", CrcAlgorithm::Crc64Nvme),
    ("crc64-redis", CrcAlgorithm::Crc64Redis),
    ("crc64-we", CrcAlgorithm::Crc64We),
    ("crc64-xz", CrcAlgorithm::Crc64Xz),
];
