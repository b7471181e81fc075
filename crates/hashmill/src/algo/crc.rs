//! CRC — the RevEng catalogue of parametrised CRC algorithms (G. Cook): all of it, see `crc_catalogue.rs`. CRC-32/ISO-HDLC is
//! ISO 3309's and ZIP's, CRC-32/ISCSI is RFC 3720's (CRC-32C).
//! digest 3–82 bit, in whole bytes · block – · big-endian (`crc32-php`: little-endian) · status: checksum, no security
//! ## Algorithm
//! A CRC is the remainder of a polynomial over GF(2) modulo P = x^width + `poly`. The message's bits are coefficients;
//! `refin` says that each byte's low bit comes first.
//!
//! ```text
//! register ← init
//! for each bit m:  register ← register·x + m·x^width  mod P
//! crc ← (refout ? register with its bits reversed : register) xor xorout
//! ```
//!
//! A register is kept in an integer in one of two forms. `refin`: bit-reversed at the low end, so that x divides by shifting
//! right and bytes enter at the bottom. Otherwise: at the high end, shifting left, bytes enter at the top. Both work for
//! every width, those below a byte too. Everything depends on the [`Entry`] only.
//!
//! The register is linear in its start and in the message: R(init, A‖B) = R(init, A)·x^(8|B|) + R(0, B). So the CRC of A‖B
//! follows from those of A and B and the length of B, with x^(8|B|) mod P by repeated squaring (`combine`).
//!
//! `cksum`, the program of POSIX, appends the message's length in as few bytes as hold it, the lowest first, before it takes
//! CRC-32/CKSUM.
//! ## Kernels
//! - `crc-fast`: the crate, which folds with carry-less multiplication where the CPU has it and else uses tables; 50 GB/s on
//!   long messages (Zen 5). It has registers of 16, 32 and 64 bits; others lie at the high end of a wider one, whose polynomial
//!   is P·x^k. CRC-82 runs as `portable`, and so does what is shorter than [`FROM`].
//! - `portable`: slicing by 16: sixteen tables, T\[k\]\[b\] = b·x^(8k + width) mod P, give sixteen bytes' effect at once: the
//!   loads do not wait for each other, only those of a step's first bytes for the step before. Tables are 16 KiB up to 32 bits, else
//!   32 KiB; those of crc32 and crc32c are computed by the compiler, others (5 µs) when they are first needed. 4.8 GB/s (CRC-82: 1.2).
//!   Rejected: one sum of sixteen lookups a step, which compilers make a chain (2.6 to 3.8 GB/s); u64 tables for every row
//!   (twice the cache for nothing).
//! - `bytewise`: one table, a byte a step, each load waiting for the one before; 0.5 GB/s. Kept for comparison.

pub(crate) use super::crc_catalogue::{ENTRIES, Entry, LEN};

#[cfg(feature = "crc-fast")]
use crc_fast::CrcAlgorithm;

use crate::contract::{Inputs, Kernel, Params, Run, Stream, Whole};
use crate::cpu::Features;
use std::sync::OnceLock;

/// The kernels of every row. Its parameters `p` are the index in [`ENTRIES`] and what else is done: [`PLAIN`] …
pub(crate) const KERNELS: &[Kernel] = &[
    #[cfg(feature = "crc-fast")]
    Kernel { name: "crc-fast", needs: Features::NONE, run: Run::Whole(&By::<CRATE>) },
    Kernel { name: "portable", needs: Features::NONE, run: Run::Whole(&By::<SIXTEEN>) },
    Kernel { name: "bytewise", needs: Features::NONE, run: Run::Whole(&By::<ONE>) },
];

/// The digest is the CRC, its highest byte first.
pub(crate) const PLAIN: u16 = 0;
/// The lowest byte first: PHP's `crc32`.
pub(crate) const LITTLE: u16 = 1;
/// The message's length is appended: `cksum`.
pub(crate) const WITH_LENGTH: u16 = 2;

/// The entry with this name.
pub(crate) const fn index(name: &str) -> usize {
    let mut i = 0;
    while i < LEN {
        if same(ENTRIES[i].name, name) {
            return i;
        }
        i += 1;
    }
    panic!("no such CRC")
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    a.len() == b.len() && i == a.len()
}

/// One CRC.
#[derive(Clone, Copy)]
struct Crc {
    entry: &'static Entry,
    index: u16,
    /// [`PLAIN`] …
    kind: u16,
}

impl Crc {
    #[inline(always)]
    fn new(p: &Params) -> Self {
        Crc { entry: &ENTRIES[usize::from(p.p[0])], index: p.p[0], kind: p.p[1] }
    }

    #[inline(always)]
    fn is_wide(self) -> bool {
        self.entry.width > 64
    }

    #[inline(always)]
    fn start(self) -> u128 {
        START[usize::from(self.index)]
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Hooks
// ---------------------------------------------------------------------------------------------------------------------

/// A kernel: the way in which it takes bytes.
#[derive(Clone, Copy)]
struct By<const HOW: u8>;

#[cfg(feature = "crc-fast")]
const CRATE: u8 = 0;
const SIXTEEN: u8 = 16;
const ONE: u8 = 1;

impl<const HOW: u8> By<HOW> {
    /// The register after the bytes of `m`.
    #[inline(always)]
    fn advance(crc: Crc, register: u128, m: &[u8]) -> u128 {
        if crc.is_wide() {
            return if HOW == ONE { crc.wide_by_one(register, m) } else { crc.wide_by_sixteen(register, m) };
        }
        let register = register as u64;
        u128::from(match HOW {
            ONE => crc.by_one(register, m),
            #[cfg(feature = "crc-fast")]
            CRATE if !crc.is_for_tables(m) => crc.by_crate(register, m),
            _ => crc.by_sixteen(register, m),
        })
    }
}

impl<const HOW: u8> Whole for By<HOW> {
    fn start(&self, p: &Params, _: &Inputs<'_>) -> Box<dyn Stream> {
        let crc = Crc::new(p);
        Box::new(Running::<HOW> { crc, register: crc.start(), total: 0 })
    }

    fn digest(&self, p: &Params, m: &[u8], out: &mut [u8]) {
        let crc = Crc::new(p);
        #[cfg(feature = "crc-fast")]
        if HOW == CRATE && !crc.is_for_tables(m) {
            return crc.finish(crc.by_crate_at_once(m), m.len() as u64, out);
        }
        crc.finish(Self::advance(crc, crc.start(), m), m.len() as u64, out);
    }

    fn combine(&self, p: &Params, a: &[u8], b: &[u8], len_b: u64, out: &mut [u8]) -> bool {
        Crc::new(p).combine(a, b, len_b, out)
    }
}

#[derive(Clone)]
struct Running<const HOW: u8> {
    crc: Crc,
    register: u128,
    total: u64,
}

impl<const HOW: u8> Stream for Running<HOW> {
    fn update(&mut self, m: &[u8]) {
        self.register = By::<HOW>::advance(self.crc, self.register, m);
        self.total = self.total.wrapping_add(m.len() as u64);
    }

    fn finish(&self, out: &mut [u8]) {
        self.crc.finish(self.register, self.total, out);
    }

    fn boxed_clone(&self) -> Box<dyn Stream> {
        Box::new(self.clone())
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The crate
// ---------------------------------------------------------------------------------------------------------------------

/// The shortest message that the crate takes faster than tables do. (crc32c, for which it has the CPU's instruction: 8.)
#[cfg(feature = "crc-fast")]
const FROM: usize = 256;

#[cfg(feature = "crc-fast")]
impl Crc {
    /// Whether tables are faster, or the crate cannot.
    #[inline(always)]
    fn is_for_tables(self, m: &[u8]) -> bool {
        m.len() < (if usize::from(self.index) == ISCSI { 8 } else { FROM }) || self.is_wide()
    }

    /// The register after the bytes of `m`.
    #[inline(never)]
    fn by_crate(self, register: u64, m: &[u8]) -> u64 {
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

    /// The register after a whole message. Where the crate has the CRC itself, this saves 20 ns of copying its parameters.
    #[inline(never)]
    fn by_crate_at_once(self, m: &[u8]) -> u128 {
        match self.native() {
            Some(algorithm) => self.entry.begin(crc_fast::checksum(algorithm, m).into()),
            None => self.by_crate(self.start() as u64, m).into(),
        }
    }

    fn native(self) -> Option<CrcAlgorithm> {
        NATIVE[usize::from(self.index)]
    }

    /// Bits of the crate's register.
    fn bits(self) -> u32 {
        match self.entry.width {
            16 if self.native().is_some() => 16,
            0..=32 => 32,
            _ => 64,
        }
    }

    /// The crate's parameters of a CRC that it has not, computed once.
    fn parameters(self) -> &'static crc_fast::CrcParams {
        static ALL: [OnceLock<crc_fast::CrcParams>; LEN] = [const { OnceLock::new() }; LEN];
        ALL[usize::from(self.index)].get_or_init(|| {
            let poly = (self.entry.poly as u64) << (self.bits() - self.entry.width);
            crc_fast::CrcParams::new(self.entry.name, self.bits() as u8, poly, 0, self.entry.refin, 0, 0)
        })
    }
}

/// What the crate calls the CRCs that it has itself.
#[cfg(feature = "crc-fast")]
static NATIVE: [Option<CrcAlgorithm>; LEN] = {
    let mut all = [None; LEN];
    let mut i = 0;
    while i < NATIVE_NAMES.len() {
        all[index(NATIVE_NAMES[i].0)] = Some(NATIVE_NAMES[i].1);
        i += 1;
    }
    all
};

#[cfg(feature = "crc-fast")]
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

// ---------------------------------------------------------------------------------------------------------------------
// The register over bytes
// ---------------------------------------------------------------------------------------------------------------------

type Slices<W> = [[W; 256]; 16];

/// Slicing tables, of the narrowest word that holds the register.
#[derive(Clone, Copy)]
enum Tables {
    W32(&'static Slices<u32>),
    W64(&'static Slices<u64>),
    /// `refin` only.
    W128(&'static Slices<u128>),
}

impl Crc {
    #[inline(always)]
    fn tables(self) -> Tables {
        match usize::from(self.index) {
            ISO_HDLC => Tables::W32(&ISO_HDLC_TABLES),
            ISCSI => Tables::W32(&ISCSI_TABLES),
            i => {
                static ALL: [OnceLock<Tables>; LEN] = [const { OnceLock::new() }; LEN];
                *ALL[i].get_or_init(|| compute(self.entry))
            }
        }
    }

    /// The register after the bytes of `m`, sixteen at a time.
    #[inline(always)]
    fn by_sixteen(self, register: u64, m: &[u8]) -> u64 {
        match (self.tables(), self.entry.refin) {
            (Tables::W32(t), true) if m.len() < 8 => rest_right(t, register, m),
            (Tables::W32(t), false) if m.len() < 8 => rest_left(t, register, m),
            (Tables::W32(t), true) => slices_right(t, register, m),
            (Tables::W32(t), false) => slices_left(t, register, m),
            (Tables::W64(t), true) => slices_right(t, register, m),
            (Tables::W64(t), false) => slices_left(t, register, m),
            (Tables::W128(_), _) => unreachable!("wide"),
        }
    }

    /// The register after the bytes of `m`, one at a time.
    fn by_one(self, register: u64, m: &[u8]) -> u64 {
        match (self.tables(), self.entry.refin) {
            (Tables::W32(t), true) => bytes_right(&t[0], register, m),
            (Tables::W32(t), false) => bytes_left(&t[0], register, m),
            (Tables::W64(t), true) => bytes_right(&t[0], register, m),
            (Tables::W64(t), false) => bytes_left(&t[0], register, m),
            (Tables::W128(_), _) => unreachable!("wide"),
        }
    }

    #[inline(never)]
    fn wide_by_sixteen(self, register: u128, m: &[u8]) -> u128 {
        let Tables::W128(t) = self.tables() else { unreachable!("narrow") };
        slices_wide(t, register, m)
    }

    #[inline(never)]
    fn wide_by_one(self, register: u128, m: &[u8]) -> u128 {
        let Tables::W128(t) = self.tables() else { unreachable!("narrow") };
        bytes_wide(&t[0], register, m)
    }
}

/// A table's word.
trait Word: Copy + Into<u64> {
    /// How far left a looked-up word goes to lie at the high end of a u64.
    const SHIFT: u32;
}

impl Word for u32 {
    const SHIFT: u32 = 32;
}

impl Word for u64 {
    const SHIFT: u32 = 0;
}

/// Reflected: sixteen bytes a step, then eight, then bytes. From step to step the register stays in four parts: were they
/// added at the end of a step, the compiler would make one chain of all sixteen XORs.
#[inline(never)]
fn slices_right<W: Word>(t: &Slices<W>, mut register: u64, m: &[u8]) -> u64 {
    let (pairs, rest) = m.as_chunks::<16>();
    let mut parts = [register, 0, 0, 0];
    for pair in pairs {
        let (first, second) = halves(pair);
        let (first, second) = (u64::from_le_bytes(first) ^ sum(parts), u64::from_le_bytes(second));
        parts = [four(t, 12, first), four(t, 8, first >> 32), four(t, 4, second), four(t, 0, second >> 32)];
    }
    register = sum(parts);
    let (words, rest) = rest.as_chunks::<8>();
    for word in words {
        let x = u64::from_le_bytes(*word) ^ register;
        register = four(t, 4, x) ^ four(t, 0, x >> 32);
    }
    rest_right(t, register, rest)
}

/// Not reflected: the same, with the first byte on top of each word.
#[inline(never)]
fn slices_left<W: Word>(t: &Slices<W>, mut register: u64, m: &[u8]) -> u64 {
    let (pairs, rest) = m.as_chunks::<16>();
    let mut parts = [register >> W::SHIFT, 0, 0, 0];
    for pair in pairs {
        let (first, second) = halves(pair);
        let first = u64::from_le_bytes(first) ^ (sum(parts) << W::SHIFT).swap_bytes();
        let second = u64::from_le_bytes(second);
        parts = [four(t, 12, first), four(t, 8, first >> 32), four(t, 4, second), four(t, 0, second >> 32)];
    }
    register = sum(parts) << W::SHIFT;
    let (words, rest) = rest.as_chunks::<8>();
    for word in words {
        let x = u64::from_le_bytes(*word) ^ register.swap_bytes();
        register = (four(t, 4, x) ^ four(t, 0, x >> 32)) << W::SHIFT;
    }
    rest_left(t, register, rest)
}

#[inline(always)]
fn sum(parts: [u64; 4]) -> u64 {
    (parts[3] ^ parts[2]) ^ (parts[1] ^ parts[0])
}

/// The effect of four bytes, the lowest of `x` being the first, with `after` bytes behind them in the step.
#[inline(always)]
fn four<W: Word>(t: &Slices<W>, after: usize, x: u64) -> u64 {
    let byte = |i: u32| usize::from((x >> (8 * i)) as u8);
    let sum = t[after + 3][byte(0)].into() ^ t[after + 2][byte(1)].into();
    sum ^ t[after + 1][byte(2)].into() ^ t[after][byte(3)].into()
}

/// Up to seven bytes in one step, so that not each waits for the one before.
#[inline(always)]
fn rest_right<W: Word>(t: &Slices<W>, register: u64, m: &[u8]) -> u64 {
    let (mut sum, mut low) = (0, register);
    for (i, &byte) in m.iter().enumerate() {
        sum ^= t[(m.len() - 1 - i) & 7][usize::from(low as u8 ^ byte)].into();
        low >>= 8;
    }
    low ^ sum
}

#[inline(always)]
fn rest_left<W: Word>(t: &Slices<W>, register: u64, m: &[u8]) -> u64 {
    let (mut sum, mut high) = (0, register);
    for (i, &byte) in m.iter().enumerate() {
        sum ^= t[(m.len() - 1 - i) & 7][usize::from((high >> 56) as u8 ^ byte)].into();
        high <<= 8;
    }
    high ^ sum << W::SHIFT
}

#[inline(always)]
fn bytes_right<W: Word>(t: &[W; 256], mut register: u64, m: &[u8]) -> u64 {
    for &byte in m {
        register = (register >> 8) ^ t[usize::from(register as u8 ^ byte)].into();
    }
    register
}

#[inline(always)]
fn bytes_left<W: Word>(t: &[W; 256], mut register: u64, m: &[u8]) -> u64 {
    for &byte in m {
        register = (register << 8) ^ (t[usize::from((register >> 56) as u8 ^ byte)].into() << W::SHIFT);
    }
    register
}

#[inline(always)]
fn halves(pair: &[u8; 16]) -> ([u8; 8], [u8; 8]) {
    let mut halves = ([0; 8], [0; 8]);
    let (first, second) = pair.split_at(8);
    halves.0.copy_from_slice(first);
    halves.1.copy_from_slice(second);
    halves
}

/// Reflected, wider than 64 bits.
fn slices_wide(t: &Slices<u128>, mut register: u128, m: &[u8]) -> u128 {
    let (pairs, rest) = m.as_chunks::<16>();
    for pair in pairs {
        let bytes = (u128::from_le_bytes(*pair) ^ register).to_le_bytes();
        register = 0;
        for i in 0..16 {
            register ^= t[15 - i][usize::from(bytes[i])];
        }
    }
    bytes_wide(&t[0], register, rest)
}

fn bytes_wide(t: &[u128; 256], mut register: u128, m: &[u8]) -> u128 {
    for &byte in m {
        register = (register >> 8) ^ t[usize::from(register as u8 ^ byte)];
    }
    register
}

// ---------------------------------------------------------------------------------------------------------------------
// The ends of the register, and its polynomial form
// ---------------------------------------------------------------------------------------------------------------------

impl Entry {
    /// Digest length in bytes.
    pub(crate) const fn bytes(&self) -> usize {
        self.width.div_ceil(8) as usize
    }

    /// `x` with its `width` bits in reverse order.
    const fn reverse(&self, x: u128) -> u128 {
        x.reverse_bits() >> (128 - self.width)
    }

    /// Bits of the integer at whose high end a register lies that is not reflected.
    const fn room(&self) -> u32 {
        if self.width > 64 { 128 } else { 64 }
    }

    /// A polynomial as a running register.
    const fn running(&self, polynomial: u128) -> u128 {
        if self.refin { self.reverse(polynomial) } else { polynomial << (self.room() - self.width) }
    }

    /// The polynomial that a running register holds.
    const fn polynomial(&self, register: u128) -> u128 {
        if self.refin { self.reverse(register) } else { register >> (self.room() - self.width) }
    }

    /// The CRC value of a running register.
    #[inline(always)]
    const fn end(&self, register: u128) -> u128 {
        match (self.refin, self.refout) {
            // The register is reversed as it is.
            (true, true) => register ^ self.xorout,
            // Shifts of u128 are slow.
            (false, false) if self.width <= 64 => (register as u64 >> (64 - self.width)) as u128 ^ self.xorout,
            _ => self.value(self.polynomial(register)),
        }
    }

    /// The running register of a CRC value.
    #[cfg(feature = "crc-fast")]
    #[inline(always)]
    const fn begin(&self, value: u128) -> u128 {
        match (self.refin, self.refout) {
            (true, true) => value ^ self.xorout,
            (false, false) if self.width <= 64 => (((value ^ self.xorout) as u64) << (64 - self.width)) as u128,
            _ => self.running(self.value_polynomial(value)),
        }
    }

    /// The CRC value of a polynomial.
    const fn value(&self, polynomial: u128) -> u128 {
        (if self.refout { self.reverse(polynomial) } else { polynomial }) ^ self.xorout
    }

    /// The polynomial of a CRC value.
    const fn value_polynomial(&self, value: u128) -> u128 {
        if self.refout { self.reverse(value ^ self.xorout) } else { value ^ self.xorout }
    }

    /// a·x mod P.
    const fn times_x(&self, a: u128) -> u128 {
        let carry = (a >> (self.width - 1)) & 1;
        ((a << 1) & (u128::MAX >> (128 - self.width))) ^ (self.poly * carry)
    }

    /// a·b mod P.
    const fn multiply(&self, a: u128, b: u128) -> u128 {
        let (mut product, mut bit) = (0, self.width);
        while bit > 0 {
            bit -= 1;
            product = self.times_x(product) ^ (a * ((b >> bit) & 1));
        }
        product
    }

    /// x^(8·n) mod P.
    const fn x_to_bytes(&self, mut n: u64) -> u128 {
        // x^8, one by one, since a register may be narrower.
        let mut square = 1;
        let mut i = 0;
        while i < 8 {
            square = self.times_x(square);
            i += 1;
        }
        let mut power = 1;
        while n > 0 {
            if n & 1 == 1 {
                power = self.multiply(power, square);
            }
            square = self.multiply(square, square);
            n >>= 1;
        }
        power
    }
}

impl Crc {
    /// Writes the digest of a message of `total` bytes that left this register.
    #[inline(always)]
    fn finish(self, mut register: u128, total: u64, out: &mut [u8]) {
        if self.kind == WITH_LENGTH {
            let length = total.to_le_bytes();
            register = self.by_one(register as u64, &length[..8 - total.leading_zeros() as usize / 8]).into();
        }
        self.write(self.entry.end(register), out);
    }

    /// Writes a CRC value as a digest.
    #[inline(always)]
    fn write(self, value: u128, out: &mut [u8]) {
        if self.kind == LITTLE {
            out.copy_from_slice(&value.to_le_bytes()[..out.len()]);
            return;
        }
        // Copies whose length is known are moves.
        match out {
            [out] => *out = value as u8,
            [a, b] => [*a, *b] = (value as u16).to_be_bytes(),
            [a, b, c, d] => [*a, *b, *c, *d] = (value as u32).to_be_bytes(),
            _ if out.len() == 8 => out.copy_from_slice(&(value as u64).to_be_bytes()),
            _ => out.copy_from_slice(&value.to_be_bytes()[16 - out.len()..]),
        }
    }

    /// Reads a digest; nothing if it has another length.
    fn read(self, digest: &[u8]) -> Option<u128> {
        if digest.len() != self.entry.bytes() {
            return None;
        }
        let value = |x: u128, &b: &u8| x << 8 | u128::from(b);
        Some(if self.kind == LITTLE { digest.iter().rev().fold(0, value) } else { digest.iter().fold(0, value) })
    }

    /// R(init, A‖B) = (R(init, A) + init)·x^(8|B|) + R(init, B).
    fn combine(self, a: &[u8], b: &[u8], len_b: u64, out: &mut [u8]) -> bool {
        let (Some(a), Some(b)) = (self.read(a), self.read(b)) else {
            return false;
        };
        // A's length is in its digest, and cannot be taken out again.
        if self.kind == WITH_LENGTH {
            return false;
        }
        let entry = self.entry;
        let moved = entry.multiply(entry.value_polynomial(a) ^ entry.init, entry.x_to_bytes(len_b));
        self.write(entry.value(moved ^ entry.value_polynomial(b)), out);
        true
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Constants
// ---------------------------------------------------------------------------------------------------------------------

const ISO_HDLC: usize = index("crc32");
const ISCSI: usize = index("crc32c");

/// The register before the first byte, for each entry.
static START: [u128; LEN] = {
    let mut start = [0; LEN];
    let mut i = 0;
    while i < LEN {
        assert!(ENTRIES[i].width <= 64 || ENTRIES[i].refin, "there is no code for these");
        start[i] = ENTRIES[i].running(ENTRIES[i].init);
        i += 1;
    }
    start
};

static ISO_HDLC_TABLES: Slices<u32> = slices32(&ENTRIES[ISO_HDLC]);
static ISCSI_TABLES: Slices<u32> = slices32(&ENTRIES[ISCSI]);

/// The tables of an entry. They are never freed: who asks for a CRC once asks again.
#[cold]
fn compute(entry: &Entry) -> Tables {
    match entry.width {
        0..=32 => Tables::W32(Box::leak(Box::new(slices32(entry)))),
        33..=64 => Tables::W64(Box::leak(Box::new(slices64(entry)))),
        _ => Tables::W128(Box::leak(Box::new(slices128(entry)))),
    }
}

macro_rules! slices {
    ($name:ident, $word:ty) => {
        /// T\[k\]\[b\]: the register that a byte b leaves when it is followed by k zero bytes.
        const fn $name(entry: &Entry) -> Slices<$word> {
            const TOP: u32 = <$word>::BITS - 8;
            let mut t = [[0; 256]; 16];
            let poly = match entry.refin {
                true => entry.reverse(entry.poly) as $word,
                false => (entry.poly as $word) << (<$word>::BITS - entry.width),
            };
            let mut b = 0;
            while b < 256 {
                let mut x = if entry.refin { b as $word } else { (b as $word) << TOP };
                let mut bit = 0;
                while bit < 8 {
                    x = match entry.refin {
                        true => (x >> 1) ^ (poly * (x & 1)),
                        false => (x << 1) ^ (poly * (x >> (<$word>::BITS - 1))),
                    };
                    bit += 1;
                }
                t[0][b] = x;
                b += 1;
            }
            let mut k = 1;
            while k < 16 {
                b = 0;
                while b < 256 {
                    let x = t[k - 1][b];
                    t[k][b] = match entry.refin {
                        true => (x >> 8) ^ t[0][(x & 0xff) as usize],
                        false => (x << 8) ^ t[0][(x >> TOP) as usize],
                    };
                    b += 1;
                }
                k += 1;
            }
            t
        }
    };
}

slices!(slices32, u32);
slices!(slices64, u64);
slices!(slices128, u128);

#[cfg(test)]
mod tests {
    use super::super::fold::tests::check;
    use super::*;

    fn params(index: usize, kind: u16) -> Params {
        Params { row: 0, out_len: ENTRIES[index].bytes() as u32, p: [index as u16, kind, 0, 0], seed: 0 }
    }

    fn digest(p: &Params, m: &[u8]) -> Vec<u8> {
        let mut out = vec![0; p.out_len as usize];
        By::<ONE>.digest(p, m, &mut out);
        out
    }

    fn digest_of(index: usize, value: u128) -> Vec<u8> {
        value.to_be_bytes()[16 - ENTRIES[index].bytes()..].to_vec()
    }

    /// Every entry's check value.
    #[test]
    fn catalogue() {
        for (i, entry) in ENTRIES.iter().enumerate() {
            check(KERNELS, [i as u16, PLAIN, 0, 0], 0, b"123456789", &digest_of(i, entry.check));
            let (first, rest) = entry.aliases[0].split_once('-').expect("CRC-");
            let ours = format!("{first}{rest}").to_lowercase().replace('/', "-");
            if !["crc32", "crc32c"].contains(&entry.name) {
                assert_eq!(entry.name, ours);
            }
        }
    }

    /// PHP's hash('crc32', '123456789').
    #[test]
    fn php() {
        check(KERNELS, [index("crc32-bzip2") as u16, LITTLE, 0, 0], 0, b"123456789", &u32::to_be_bytes(0x1819_89fc));
    }

    /// What coreutils' cksum prints for these.
    #[test]
    fn cksum() {
        let p = [index("crc32-cksum") as u16, WITH_LENGTH, 0, 0];
        check(KERNELS, p, 0, b"", &u32::to_be_bytes(4_294_967_295));
        check(KERNELS, p, 0, b"123456789", &u32::to_be_bytes(930_766_865));
        check(KERNELS, p, 0, &[0; 256], &u32::to_be_bytes(4215202376));
        check(KERNELS, p, 0, &[0; 70_000], &u32::to_be_bytes(1774371287));
    }

    /// RFC 3720, B.4 (which prints the bytes in the order of transmission, lowest first).
    #[test]
    fn rfc_3720() {
        let p = [ISCSI as u16, PLAIN, 0, 0];
        check(KERNELS, p, 0, &[0; 32], &u32::to_be_bytes(0x8a91_36aa));
        check(KERNELS, p, 0, &[0xff; 32], &u32::to_be_bytes(0x62a8_ab43));
        check(KERNELS, p, 0, &std::array::from_fn::<u8, 32, _>(|i| i as u8), &u32::to_be_bytes(0x46dd_794e));
    }

    #[test]
    fn kernels_agree() {
        let m: Vec<u8> = (0..5000u32).map(|i| ((i * i) >> 3) as u8).collect();
        for i in 0..LEN {
            for len in [0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 40, 63, 191, 192, 193, 255, 256, 257, 511, 1031, 4999] {
                check(KERNELS, [i as u16, PLAIN, 0, 0], 0, &m[..len], &digest(&params(i, PLAIN), &m[..len]));
            }
        }
    }

    #[test]
    fn combined() {
        let m: Vec<u8> = (0..1000u32).map(|i| (i % 251) as u8).collect();
        let php = (index("crc32-bzip2"), LITTLE);
        for (i, kind) in (0..LEN).map(|i| (i, PLAIN)).chain([php]) {
            let p = params(i, kind);
            for cut in [0, 1, 7, 500, 999, 1000] {
                let (a, b) = m.split_at(cut);
                let (a, b, len) = (digest(&p, a), digest(&p, b), b.len() as u64);
                let mut out = vec![0; p.out_len as usize];
                assert!(By::<ONE>.combine(&p, &a, &b, len, &mut out));
                assert_eq!(out, digest(&p, &m), "{} cut {cut}", ENTRIES[i].name);
                assert!(!By::<ONE>.combine(&p, &a[1..], &b, len, &mut out));
            }
        }
        let p = params(index("crc32-cksum"), WITH_LENGTH);
        assert!(!By::<ONE>.combine(&p, &[0; 4], &[0; 4], 1, &mut [0; 4]));
        // Four GiB of zeros after nothing but a start: R(init)·x^(8·2^32), by doubling.
        let p = params(ISO_HDLC, PLAIN);
        let (mut zeros, mut length) = (digest(&p, &[0]), 1u64);
        let mut out = vec![0; 4];
        while length < 1 << 32 {
            assert!(By::<ONE>.combine(&p, &zeros, &zeros, length, &mut out));
            zeros.copy_from_slice(&out);
            length *= 2;
        }
        let mut odd = vec![0; 4];
        assert!(By::<ONE>.combine(&p, &digest(&p, &[0]), &zeros, length, &mut odd));
        assert!(By::<ONE>.combine(&p, &zeros, &digest(&p, &[0]), 1, &mut out));
        assert_eq!(out, odd);
    }
}
