//! CRC — all of the RevEng catalogue of parametrized CRC algorithms (G. Cook), see `crc_catalogue.rs`. CRC-32/ISO-HDLC
//! is that of ISO 3309 and ZIP, CRC-32/ISCSI that of RFC 3720 (CRC-32C). digest 3–82 bit, in whole bytes · block – ·
//! big-endian (`crc32-php`: little-endian) · status: checksum, no security
//! ## Algorithm
//! A CRC is the remainder of a polynomial over GF(2) modulo P = x^width + `poly`. The bits of the message are its
//! coefficients; `refin` means that the low bit of each byte comes first.
//!
//! ```text
//! register ← init
//! for each bit m:  register ← register·x + m·x^width  mod P
//! crc ← (refout ? register with its bits reversed : register) xor xorout
//! ```
//!
//! A register is kept in an integer in one of two forms. With `refin`, it is bit-reversed at the low end: multiplying
//! by x shifts right, and bytes enter at the bottom. Otherwise it is at the high end: x shifts left, and bytes enter at
//! the top. Both work for every width, even below a byte. Everything depends only on the [`Entry`].
//!
//! The register is linear in its initial value and in the message: R(init, A‖B) = R(init, A)·x^(8|B|) + R(0, B). Hence
//! the CRC of A‖B follows from those of A and B and the length of B, with x^(8|B|) mod P by repeated squaring
//! (`combine`).
//!
//! `cksum`, the POSIX program, appends the length of the message in as few bytes as hold it, lowest first, before it
//! computes CRC-32/CKSUM.
//! ## Kernels
//! Cycles/byte at 16 KiB, of crc32 unless another is named, on one core of an Intel Xeon of family 6, model CFh
//! (Emerald Rapids). Kernels that fold handle messages below [`FOLD_FROM`] bytes like `portable`. Batches of messages
//! are hashed in one function with the CPU's features, without a call for each (Zen 5, `vpclmul`, 5 to 55 bytes: 3.4 ns
//! each, with calls 4.9 to 6.3; crc32c 2.1 to 3.6 instead of 4.1 to 5.4).
//! - `vpclmul`: folds four 512-bit registers (`clmul.rs`), with aligned loads for long messages; 0.034 (bound: two
//!   products on one port for 64 bytes, 0.031), 25 cycles for 16 … 63 bytes, which are one register. If high bits come
//!   first, GFNI reverses them on a port that is free, instead of a byte shuffle on the port of the products. CRC-32C
//!   below [`FOLD_INSTEAD_OF_INSTRUCTIONS_FROM`] uses the instruction. Six and eight registers are no faster.
//! - `pclmul`: the same text with four 128-bit registers; 0.126 (bound 0.125).
//! - `crc-fast`: the crate, which folds with carry-less multiplication if the CPU has it and otherwise uses tables;
//!   0.036, crc32c 0.036, bytes with high bits first 0.067, more if the message is not aligned. It has registers of 16,
//!   32 and 64 bits; other widths are kept at the high end of a wider one, with the polynomial P·x^k. Messages shorter
//!   than its `FROM` go through `portable`; CRC-32C uses its instruction there, if the CPU has it.
//! - `sse42`: the CRC-32C instruction, one chain: three cycles for eight bytes; 0.36.
//! - `pmull`: the text of `vpclmul` with NEON, eight 128-bit registers. `crc`: the instructions for CRC-32 and CRC-32C.
//!   Neither was measured; the crate comes first.
//! - `portable`: slicing by 16: sixteen tables, T\[k\]\[b\] = b·x^(8k + width) mod P, yield the effect of sixteen bytes
//!   at once: the loads are independent of each other, and only those for the first bytes of a step wait for the step
//!   before. The last bytes, up to seven, are one step without branches. The tables are 16 KiB for up to 32 bits,
//!   otherwise 32 KiB; those of crc32 and crc32c are computed at compile time, others (5 µs) on first use. 0.88.
//!   Rejected: one sum of sixteen lookups per step, which compilers turn into a chain (2.6 to 3.8 GB/s); u64 tables for
//!   every row (twice the cache for nothing).
//!
//! Kept for comparison:
//! - `slicing8`: eight tables, eight bytes per step, with those of the message looked up ahead of those of the
//!   register; 1.22 on Zen 4, where one sum of eight lookups, all waiting for the register, took 1.85.
//! - `bytewise-unrolled8`: one table, one load for eight bytes whose lookups wait for one another; 7.6.
//! - `bytewise`: one table, one byte per step, each lookup waiting for the one before; 8.0.

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

/// The kernels for the rows of entry `i`. Their parameters `p` are the index in [`ENTRIES`] and the kind: [`PLAIN`] …
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

/// The digest is the CRC, big-endian.
pub(crate) const PLAIN: u16 = 0;
/// The digest is little-endian: PHP's `crc32`.
pub(crate) const LITTLE: u16 = 1;
/// The length of the message is appended: `cksum`.
pub(crate) const WITH_LENGTH: u16 = 2;

/// The index of the entry with this name.
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

/// Width of the register in bits, for the CRC with these parameters.
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
    /// The CRC with these parameters. If `WHICH` is an entry, it is that one, whose own parameters the compiler then
    /// knows.
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

/// The running register. `HOW` is the way to process bytes, `WHICH` the entry that it is for, or [`ANY`].
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

/// The shortest piece of a message for which the crate is faster than the CRC-32C instruction.
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
            // Short pieces, for which the crate is slower: use the instruction, if there is one.
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

    /// [`Fold::digest`], not inlined.
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
        // An appended length cannot be removed again.
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

    // The shortest messages need few registers, and nothing should be checked twice.
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
            // Preparing the loop below takes as long as a short message; CRC-32C's does without.
            _ if messages.len() < 8 && WHICH != ISCSI => one_by_one::<Self>(p, messages, out),
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

    /// Width in bits of the integer at whose high end a register that is not reflected lies.
    const fn room(&self) -> u32 {
        if self.width > 64 { 128 } else { 64 }
    }

    /// Converts a polynomial to a running register.
    const fn running(&self, polynomial: u128) -> u128 {
        if self.refin { self.reverse(polynomial) } else { polynomial << (self.room() - self.width) }
    }

    /// Converts a running register to its polynomial.
    const fn polynomial(&self, register: u128) -> u128 {
        if self.refin { self.reverse(register) } else { register >> (self.room() - self.width) }
    }

    /// The CRC value of a running register.
    #[inline(always)]
    const fn end(&self, register: u128) -> u128 {
        match (self.refin, self.refout) {
            // Both reversals cancel out.
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
        // x^8 in single steps, since a register may be narrower than that.
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
    /// Writes the digest of a message of `total` bytes that led to this register.
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
        // Copies of constant length compile to moves.
        match out {
            [out] => *out = value as u8,
            [a, b] => [*a, *b] = (value as u16).to_be_bytes(),
            [a, b, c, d] => [*a, *b, *c, *d] = (value as u32).to_be_bytes(),
            _ if out.len() == 8 => out.copy_from_slice(&(value as u64).to_be_bytes()),
            _ => out.copy_from_slice(&value.to_be_bytes()[16 - out.len()..]),
        }
    }

    /// Reads a digest; `None` if it has the wrong length, or bits beyond the width of the CRC.
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
        // The digest of A includes its length, which cannot be removed again.
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

    /// The check value of every entry.
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

    /// Value of PHP's hash('crc32', '123456789').
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

    /// The output of coreutils' cksum for these messages.
    #[test]
    fn cksum() {
        let p = [index("crc32-cksum") as u16, WITH_LENGTH, 0, 0];
        let kernels = kernels(index("crc32-cksum"));
        check(kernels, p, 0, b"", &u32::to_be_bytes(4_294_967_295));
        check(kernels, p, 0, b"123456789", &u32::to_be_bytes(930_766_865));
        check(kernels, p, 0, &[0; 256], &u32::to_be_bytes(4215202376));
        check(kernels, p, 0, &[0; 70_000], &u32::to_be_bytes(1774371287));
    }

    /// Values of RFC 3720, B.4 (which prints the bytes in transmission order, lowest first).
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
        // 4 GiB of zeros after the initial value: R(init)·x^(8·2^32), by doubling.
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
