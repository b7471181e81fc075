//! CRC — the RevEng catalogue of parametrised CRC algorithms (G. Cook): all of it, see `crc_catalogue.rs`.
//! CRC-32/ISO-HDLC is ISO 3309's and ZIP's, CRC-32/ISCSI is RFC 3720's (CRC-32C). digest 3–82 bit, in whole bytes ·
//! block – · big-endian (`crc32-php`: little-endian) · status: checksum, no security
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
//! A register is kept in an integer in one of two forms. `refin`: bit-reversed at the low end, so that x divides by
//! shifting right and bytes enter at the bottom. Otherwise: at the high end, shifting left, bytes enter at the top.
//! Both work for every width, those below a byte too. Everything depends on the [`Entry`] only.
//!
//! The register is linear in its start and in the message: R(init, A‖B) = R(init, A)·x^(8|B|) + R(0, B). So the CRC of
//! A‖B follows from those of A and B and the length of B, with x^(8|B|) mod P by repeated squaring (`combine`).
//!
//! `cksum`, the program of POSIX, appends the message's length in as few bytes as hold it, the lowest first, before it
//! takes CRC-32/CKSUM.
//! ## Kernels
//! Cycles a byte at 16 KiB, crc32 unless another is named, on one core of an Intel Xeon of family 6, model CFh (Emerald
//! Rapids). Kernels that fold take messages below [`FOLD_FROM`] bytes as `portable` does. Many messages are hashed in
//! one function with the CPU's features, without a call for each (Zen 5, `vpclmul`, 5 to 55 bytes: 3.4 ns each, with
//! calls 4.9 to 6.3; crc32c 2.1 to 3.6 instead of 4.1 to 5.4).
//! - `vpclmul`: four registers of 512 bits are folded (`clmul.rs`), the loads of long messages aligned; 0.034 (bound:
//!   two products on one port for 64 bytes, 0.031), 25 cycles for 16 … 63 bytes, which are one register. Where high
//!   bits come first GFNI reverses them on a port that is free, instead of a shuffle of bytes on the port of the
//!   products. CRC-32C below [`FOLD_INSTEAD_OF_INSTRUCTIONS_FROM`]: the instruction. Six and eight registers are no
//!   faster.
//! - `pclmul`: the same text, four registers of 128 bits; 0.126 (bound 0.125).
//! - `crc-fast`: the crate, which folds with carry-less multiplication where the CPU has it and else uses tables;
//!   0.036, crc32c 0.036, bytes with high bits first 0.067, more if the message is not aligned. It has registers of 16,
//!   32 and 64 bits; others lie at the high end of a wider one, whose polynomial is P·x^k. What is shorter than its
//!   `FROM` runs as `portable`; CRC-32C takes its instruction there, where the CPU has it.
//! - `sse42`: CRC-32C's instruction, one chain: three cycles for eight bytes; 0.36.
//! - `pmull`: `vpclmul`'s text with NEON, eight registers of 128 bits. `crc`: the instructions for CRC-32 and CRC-32C.
//!   Neither was measured; the crate comes first.
//! - `portable`: slicing by 16: sixteen tables, T\[k\]\[b\] = b·x^(8k + width) mod P, give sixteen bytes' effect at
//!   once: the loads do not wait for each other, only those of a step's first bytes for the step before. The last
//!   bytes, up to seven, are one step without branches. Tables are 16 KiB up to 32 bits, else 32 KiB; those of crc32
//!   and crc32c are computed by the compiler, others (5 µs) when they are first needed. 0.88. Rejected: one sum of
//!   sixteen lookups a step, which compilers make a chain (2.6 to 3.8 GB/s); u64 tables for every row (twice the cache
//!   for nothing).
//!
//! Kept for comparison:
//! - `slicing8`: eight tables, eight bytes a step, those of the message looked up ahead of the register's; 1.22 on Zen
//!   4, where one sum of eight look-ups, all of which waited for the register, took 1.85.
//! - `bytewise-unrolled8`: one table, one load for eight bytes whose look-ups wait for one another; 7.6.
//! - `bytewise`: one table, a byte a step, each look-up waiting for the one before; 8.0.

pub(crate) use super::crc_catalogue::{ENTRIES, Entry, LEN};

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod clmul;
#[cfg(feature = "crc-fast")]
mod foreign;
mod tables;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::fold::{Fold, Folding, WORDS, one_by_one};
use crate::base::cpu::Features;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::base::cpu::needs;
#[cfg(target_arch = "x86_64")]
use crate::contract::OneShot;
use crate::contract::{Inputs, Kernel, Params, Run};

/// The kernels of the rows of entry `i`. Their parameters `p` are the index in [`ENTRIES`] and what else is done:
/// [`PLAIN`] …
pub(crate) const fn kernels(i: usize) -> &'static [Kernel] {
    match i {
        _ if ENTRIES[i].width > 64 => WIDE,
        ISCSI => CRC32C,
        ISO_HDLC => CRC32,
        _ => NARROW,
    }
}

macro_rules! kernels {
    ($($list:ident $which:ident: $($(#[$cfg:meta])? $name:literal $how:ident $($needs:expr)?;)*)*) => {$(
        const $list: &[Kernel] = &[
            $($(#[$cfg])? Kernel {
                name: $name,
                needs: Features::NONE$(.and($needs))?,
                run: Run::Whole(&Folding::<By<$how, $which>>::NEW),
            },)*
        ];
    )*};
}

kernels! {
    NARROW ANY:
        #[cfg(target_arch = "x86_64")] "vpclmul" VPCLMUL x86::VPCLMUL;
        #[cfg(target_arch = "x86_64")] "pclmul" PCLMUL x86::PCLMUL;
        #[cfg(feature = "crc-fast")] "crc-fast" CRATE;
        #[cfg(target_arch = "aarch64")] "pmull" PMULL aarch64::PMULL;
        "portable" SIXTEEN;
        "slicing8" EIGHT;
        "bytewise-unrolled8" UNROLLED;
        "bytewise" ONE;
    CRC32 ISO_HDLC:
        #[cfg(target_arch = "x86_64")] "vpclmul" VPCLMUL x86::VPCLMUL;
        #[cfg(target_arch = "x86_64")] "pclmul" PCLMUL x86::PCLMUL;
        #[cfg(feature = "crc-fast")] "crc-fast" CRATE;
        #[cfg(target_arch = "aarch64")] "pmull" PMULL_CRC aarch64::PMULL.and(needs!([ARM_CRC]));
        #[cfg(target_arch = "aarch64")] "crc" ARM_CRC needs!([ARM_CRC]);
        "portable" SIXTEEN;
        "slicing8" EIGHT;
        "bytewise-unrolled8" UNROLLED;
        "bytewise" ONE;
    CRC32C ISCSI:
        #[cfg(target_arch = "x86_64")] "vpclmul" VPCLMUL_SSE42 x86::VPCLMUL.and(needs!([SSE42]));
        #[cfg(feature = "crc-fast")] "crc-fast" CRATE;
        #[cfg(target_arch = "x86_64")] "pclmul" PCLMUL_SSE42 x86::PCLMUL.and(needs!([SSE42]));
        #[cfg(target_arch = "x86_64")] "sse42" SSE42 needs!([SSE42]);
        #[cfg(target_arch = "aarch64")] "pmull" PMULL_CRC aarch64::PMULL.and(needs!([ARM_CRC]));
        #[cfg(target_arch = "aarch64")] "crc" ARM_CRC needs!([ARM_CRC]);
        "portable" SIXTEEN;
        "slicing8" EIGHT;
        "bytewise-unrolled8" UNROLLED;
        "bytewise" ONE;
    WIDE ANY:
        "portable" SIXTEEN;
        "bytewise" ONE;
}

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

/// The bits of the register of the CRC with these parameters.
pub(crate) fn width(p: &Params) -> usize {
    ENTRIES[usize::from(p.p[0])].width as usize
}

pub(crate) const fn same(a: &str, b: &str) -> bool {
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
    /// The CRC with these parameters; of entry `WHICH`, if that is one, whose own parameters are then known to the
    /// compiler.
    #[inline(always)]
    fn new<const WHICH: usize>(p: &Params) -> Self {
        let index = if WHICH == ANY { p.p[0] } else { WHICH as u16 };
        Crc { entry: &ENTRIES[usize::from(index)], index, kind: p.p[1] }
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

/// The running register; the way in which it takes bytes, and the entry that it is for, or [`ANY`].
#[derive(Clone, Copy)]
struct By<const HOW: u8, const WHICH: usize>(u128);

const ANY: usize = LEN;

const ONE: u8 = 1;
const UNROLLED: u8 = 2;
const EIGHT: u8 = 8;
const SIXTEEN: u8 = 16;
#[cfg(any(feature = "crc-fast", target_arch = "x86_64"))]
const CRATE: u8 = 0;
#[cfg(target_arch = "x86_64")]
const PCLMUL: u8 = 32;
#[cfg(target_arch = "x86_64")]
const PCLMUL_SSE42: u8 = 33;
#[cfg(target_arch = "x86_64")]
const VPCLMUL: u8 = 34;
#[cfg(target_arch = "x86_64")]
const VPCLMUL_SSE42: u8 = 35;
#[cfg(target_arch = "x86_64")]
const SSE42: u8 = 36;
#[cfg(target_arch = "aarch64")]
const PMULL: u8 = 48;
#[cfg(target_arch = "aarch64")]
const PMULL_CRC: u8 = 49;
#[cfg(target_arch = "aarch64")]
const ARM_CRC: u8 = 50;

/// The shortest piece of a message that the crate takes over faster than CRC-32C's instruction takes it.
#[cfg(all(feature = "crc-fast", target_arch = "x86_64"))]
const CRATE_FROM: usize = 64;

/// The shortest messages that are folded: by 128 and by 512 bits instead of tables, by either instead of instructions.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const FOLD_FROM: usize = 16;
#[cfg(target_arch = "x86_64")]
const FOLD_WIDE_FROM: usize = 16;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const FOLD_INSTEAD_OF_INSTRUCTIONS_FROM: usize = 192;

impl<const HOW: u8, const WHICH: usize> By<HOW, WHICH> {
    /// The shortest messages that are folded.
    #[cfg(target_arch = "x86_64")]
    const FOLDED_FROM: usize = match HOW {
        VPCLMUL => FOLD_WIDE_FROM,
        PCLMUL => FOLD_FROM,
        _ => FOLD_INSTEAD_OF_INSTRUCTIONS_FROM,
    };
    #[cfg(target_arch = "aarch64")]
    const FOLDED_FROM: usize = if HOW == PMULL { FOLD_FROM } else { FOLD_INSTEAD_OF_INSTRUCTIONS_FROM };

    /// The register after the bytes of `m`.
    #[inline(always)]
    fn advance(crc: Crc, register: u128, m: &[u8]) -> u128 {
        if crc.is_wide() {
            return if HOW == ONE { crc.wide_by_one(register, m) } else { crc.wide_by_sixteen(register, m) };
        }
        let register = register as u64;
        u128::from(match HOW {
            ONE => crc.by_one(register, m),
            UNROLLED => crc.by_one_unrolled(register, m),
            EIGHT => crc.by_eight(register, m),
            // What is short for the crate: the instruction, where there is one.
            #[cfg(all(feature = "crc-fast", target_arch = "x86_64"))]
            CRATE if WHICH == ISCSI && m.len() < CRATE_FROM => match x86::sse42_if_there(register, m) {
                Some(register) => register,
                None if crc.is_for_tables(m) => crc.by_sixteen(register, m),
                None => crc.by_crate(register, m),
            },
            #[cfg(feature = "crc-fast")]
            CRATE if !crc.is_for_tables(m) => crc.by_crate(register, m),
            #[cfg(target_arch = "x86_64")]
            VPCLMUL | VPCLMUL_SSE42 if m.len() >= Self::FOLDED_FROM => x86::vpclmul(crc.entry, crc.index, register, m),
            #[cfg(target_arch = "x86_64")]
            PCLMUL | PCLMUL_SSE42 if m.len() >= Self::FOLDED_FROM => x86::pclmul(crc.entry, crc.index, register, m),
            #[cfg(target_arch = "x86_64")]
            VPCLMUL_SSE42 | PCLMUL_SSE42 => x86::sse42_short(register, m),
            #[cfg(target_arch = "x86_64")]
            SSE42 => x86::sse42(register, m),
            #[cfg(target_arch = "aarch64")]
            PMULL | PMULL_CRC if m.len() >= Self::FOLDED_FROM => aarch64::pmull(crc.entry, crc.index, register, m),
            #[cfg(target_arch = "aarch64")]
            ARM_CRC | PMULL_CRC => match usize::from(crc.index) {
                ISCSI => aarch64::crc32c(register, m),
                _ => aarch64::crc32(register, m),
            },
            _ => crc.by_sixteen(register, m),
        })
    }

    /// [`Fold::digest`] as a call.
    #[cfg(target_arch = "x86_64")]
    #[inline(never)]
    fn digest_more(p: &Params, m: &[u8], out: &mut [u8]) {
        Self::digest(p, m, out);
    }
}

impl<const HOW: u8, const WHICH: usize> Fold for By<HOW, WHICH> {
    const STEP: usize = 1;
    const USED: usize = 2;

    #[inline(always)]
    fn new(p: &Params, _: &Inputs<'_>) -> Self {
        By(Crc::new::<WHICH>(p).start())
    }

    fn save(self) -> [u64; WORDS] {
        [self.0 as u64, (self.0 >> 64) as u64, 0, 0]
    }

    fn load([low, high, ..]: [u64; WORDS]) -> Self {
        By(u128::from(high) << 64 | u128::from(low))
    }

    fn is_possible(&self, p: &Params) -> bool {
        let entry = Crc::new::<WHICH>(p).entry;
        let polynomial = entry.polynomial(self.0);
        polynomial <= u128::MAX >> (128 - entry.width) && entry.running(polynomial) == self.0
    }

    fn resume(p: &Params, digest: &[u8]) -> Option<Self> {
        let crc = Crc::new::<WHICH>(p);
        // A length that was appended cannot be taken out again.
        let value = crc.read(digest).filter(|_| crc.kind != WITH_LENGTH)?;
        Some(By(crc.entry.begin(value)))
    }

    #[inline(always)]
    fn after(self, p: &Params, m: &[u8]) -> Self {
        By(Self::advance(Crc::new::<WHICH>(p), self.0, m))
    }

    #[inline(always)]
    fn end(self, p: &Params, _: &[u8], total: u64, out: &mut [u8]) {
        Crc::new::<WHICH>(p).finish(self.0, total, out);
    }

    #[inline(always)]
    fn digest(p: &Params, m: &[u8], out: &mut [u8]) {
        let crc = Crc::new::<WHICH>(p);
        #[cfg(feature = "crc-fast")]
        if HOW == CRATE && !crc.is_for_tables(m) {
            return crc.finish(crc.by_crate_at_once(m), m.len() as u64, out);
        }
        crc.finish(Self::advance(crc, crc.start(), m), m.len() as u64, out);
    }

    // The shortest need few registers, and nothing is looked at twice.
    #[cfg(target_arch = "x86_64")]
    const ONE_SHOT: OneShot = match HOW {
        CRATE | VPCLMUL_SSE42 | PCLMUL_SSE42 if WHICH == ISCSI => |p, m, out| {
            if m.len() < (if HOW == CRATE { 8 } else { Self::FOLDED_FROM }) {
                return x86::crc32c_digest(m, out, |out| Self::digest_more(p, m, out));
            }
            Self::digest_more(p, m, out);
        },
        _ => Self::digest,
    };

    fn digest_many(p: &Params, messages: &[&[u8]], out: &mut [u8]) {
        match HOW {
            #[cfg(target_arch = "x86_64")]
            VPCLMUL | VPCLMUL_SSE42 => x86::vpclmul_many::<WHICH>(p, Self::FOLDED_FROM, messages, out),
            #[cfg(target_arch = "x86_64")]
            PCLMUL | PCLMUL_SSE42 => x86::pclmul_many::<WHICH>(p, Self::FOLDED_FROM, messages, out),
            _ => one_by_one::<Self>(p, messages, out),
        }
    }

    fn combine(p: &Params, a: &[u8], b: &[u8], len_b: u64, out: &mut [u8]) -> bool {
        Crc::new::<WHICH>(p).combine(a, b, len_b, out)
    }
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

    /// Reads a digest; none if it has another length, or bits beyond the CRC's width.
    fn read(self, digest: &[u8]) -> Option<u128> {
        if digest.len() != self.entry.bytes() {
            return None;
        }
        let value = |x: u128, &b: &u8| x << 8 | u128::from(b);
        let crc = if self.kind == LITTLE { digest.iter().rev().fold(0, value) } else { digest.iter().fold(0, value) };
        (crc <= u128::MAX >> (128 - self.entry.width)).then_some(crc)
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

#[cfg(test)]
mod tests {
    use super::super::fold::tests::check;
    use super::*;

    fn params(index: usize, kind: u16) -> Params {
        Params { row: 0, out_len: ENTRIES[index].bytes() as u32, p: [index as u16, kind, 0, 0], seed: 0 }
    }

    fn digest(p: &Params, m: &[u8]) -> Vec<u8> {
        let mut out = vec![0; p.out_len as usize];
        By::<ONE, ANY>::digest(p, m, &mut out);
        out
    }

    fn digest_of(index: usize, value: u128) -> Vec<u8> {
        value.to_be_bytes()[16 - ENTRIES[index].bytes()..].to_vec()
    }

    /// Every entry's check value.
    #[test]
    fn catalogue() {
        for (i, entry) in ENTRIES.iter().enumerate() {
            check(kernels(i), [i as u16, PLAIN, 0, 0], 0, b"123456789", &digest_of(i, entry.check));
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
        check(
            kernels(index("crc32-bzip2")),
            [index("crc32-bzip2") as u16, LITTLE, 0, 0],
            0,
            b"123456789",
            &u32::to_be_bytes(0x1819_89fc),
        );
    }

    /// What coreutils' cksum prints for these.
    #[test]
    fn cksum() {
        let p = [index("crc32-cksum") as u16, WITH_LENGTH, 0, 0];
        let kernels = kernels(index("crc32-cksum"));
        check(kernels, p, 0, b"", &u32::to_be_bytes(4_294_967_295));
        check(kernels, p, 0, b"123456789", &u32::to_be_bytes(930_766_865));
        check(kernels, p, 0, &[0; 256], &u32::to_be_bytes(4215202376));
        check(kernels, p, 0, &[0; 70_000], &u32::to_be_bytes(1774371287));
    }

    /// RFC 3720, B.4 (which prints the bytes in the order of transmission, lowest first).
    #[test]
    fn rfc_3720() {
        let p = [ISCSI as u16, PLAIN, 0, 0];
        check(kernels(ISCSI), p, 0, &[0; 32], &u32::to_be_bytes(0x8a91_36aa));
        check(kernels(ISCSI), p, 0, &[0xff; 32], &u32::to_be_bytes(0x62a8_ab43));
        check(kernels(ISCSI), p, 0, &std::array::from_fn::<u8, 32, _>(|i| i as u8), &u32::to_be_bytes(0x46dd_794e));
    }

    #[test]
    fn kernels_agree() {
        let m: Vec<u8> = (0..5000u32).map(|i| ((i * i) >> 3) as u8).collect();
        for i in 0..LEN {
            for len in [0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 40, 63, 191, 192, 193, 255, 256, 257, 511, 1031, 4999] {
                check(kernels(i), [i as u16, PLAIN, 0, 0], 0, &m[..len], &digest(&params(i, PLAIN), &m[..len]));
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
                assert!(By::<ONE, ANY>::combine(&p, &a, &b, len, &mut out));
                assert_eq!(out, digest(&p, &m), "{} cut {cut}", ENTRIES[i].name);
                assert!(!By::<ONE, ANY>::combine(&p, &a[1..], &b, len, &mut out));
            }
        }
        let p = params(index("crc32-cksum"), WITH_LENGTH);
        assert!(!By::<ONE, ANY>::combine(&p, &[0; 4], &[0; 4], 1, &mut [0; 4]));
        // Four GiB of zeros after nothing but a start: R(init)·x^(8·2^32), by doubling.
        let p = params(ISO_HDLC, PLAIN);
        let (mut zeros, mut length) = (digest(&p, &[0]), 1u64);
        let mut out = vec![0; 4];
        while length < 1 << 32 {
            assert!(By::<ONE, ANY>::combine(&p, &zeros, &zeros, length, &mut out));
            zeros.copy_from_slice(&out);
            length *= 2;
        }
        let mut odd = vec![0; 4];
        assert!(By::<ONE, ANY>::combine(&p, &digest(&p, &[0]), &zeros, length, &mut odd));
        assert!(By::<ONE, ANY>::combine(&p, &zeros, &digest(&p, &[0]), 1, &mut out));
        assert_eq!(out, odd);
    }
}
