//! CRC — the RevEng catalogue of parametrised CRC algorithms (G. Cook); CRC-32/ISO-HDLC is ISO 3309's and ZIP's,
//! CRC-32/ISCSI is RFC 3720's (CRC-32C).
//! digest 1–64 bit, in whole bytes · block – · big-endian (`crc32-php`: little-endian) · status: checksum, no security
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
//! A register is kept in a u64 in one of two forms. `refin`: bit-reversed at the low end, so that x divides by shifting
//! right and bytes enter at the bottom. Otherwise: at the high end, shifting left, bytes enter at the top. Both work for
//! every width from 1 to 64, those below a byte too. Everything depends on the row's [`Spec`] only, and its tables are
//! computed by the compiler: a new CRC is one more [`Spec`], its tables, and one more line in [`ROWS`] (and in `FAST`).
//!
//! The register is linear in its start and in the message: R(init, A‖B) = R(init, A)·x^(8|B|) + R(0, B). So the CRC of A‖B
//! follows from those of A and B and the length of B, with x^(8|B|) mod P by repeated squaring (`combine`).
//! ## Kernels
//! - `crc-fast`: the crate, which folds with carry-less multiplication where the CPU has it and else uses tables; 60 GB/s on
//!   long messages (Zen 5). Below about 250 bytes `portable` is faster, except for crc32c, where the crate has the
//!   instruction (5 bytes of crc32: 22 ns, here 5 ns). Rows that it lacks run as `portable`.
//! - `portable`: slicing by 16: sixteen tables, T\[k\]\[b\] = b·x^(8k + width) mod P, give sixteen bytes' effect at once: the
//!   loads do not wait for each other, only those of a step's first bytes for the step before. Tables are 16 KiB up to 32 bits, else
//!   32 KiB. 4.8 GB/s. Rejected: one sum of sixteen lookups a step, which compilers make a chain (2.6 to 3.8 GB/s); u64
//!   tables for every row (twice the cache for nothing).
//! - `bytewise`: one table, a byte a step, each load waiting for the one before; 0.5 GB/s. Kept for comparison.

#[cfg(feature = "crc-fast")]
use crc_fast::CrcAlgorithm;

use crate::contract::{Inputs, Kernel, Params, Run, Stream, Whole};
use crate::cpu::Features;

/// crc32 (`p.p[0]` = 0).
pub(crate) static CRC32_KERNELS: &[Kernel] = KERNELS;
/// crc32c (`p.p[0]` = 1).
pub(crate) static CRC32C_KERNELS: &[Kernel] = KERNELS;

/// The kernels of every row.
const KERNELS: &[Kernel] = &[
    #[cfg(feature = "crc-fast")]
    Kernel { name: "crc-fast", needs: Features::NONE, run: Run::Whole(&CrcFast) },
    Kernel { name: "portable", needs: Features::NONE, run: Run::Whole(&Portable) },
    Kernel { name: "bytewise", needs: Features::NONE, run: Run::Whole(&Bytewise) },
];

/// What defines a CRC, in the catalogue's terms.
#[derive(Clone, Copy)]
struct Spec {
    /// Bits of the register, 1 to 64.
    width: u32,
    /// P without x^width; bit i is the coefficient of x^i.
    poly: u64,
    /// The register before the first bit.
    init: u64,
    /// Whether the low bit of a message byte comes first.
    refin: bool,
    /// Whether the register is bit-reversed before `xorout`.
    refout: bool,
    /// What the result is XORed with.
    xorout: u64,
}

/// The order of the digest's bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Big,
    Little,
}

/// One CRC with its tables.
struct Row {
    spec: Spec,
    order: Order,
    tables: Tables,
    /// The register before the first byte.
    start: u64,
}

impl Row {
    const fn new(spec: Spec, order: Order, tables: Tables) -> Self {
        Row { spec, order, tables, start: spec.running(spec.init) }
    }
}

/// Slicing tables, of the narrowest word that holds the register.
enum Tables {
    W32(&'static Slices<u32>),
    W64(&'static Slices<u64>),
}

type Slices<E> = [[E; 256]; 16];

/// The rows, by `p.p[0]`: crc32, crc32c, crc32-php (CRC-32/BZIP2 with its bytes reversed), CRC-64/XZ.
static ROWS: [Row; 4] = [
    Row::new(ISO_HDLC, Order::Big, Tables::W32(&ISO_HDLC_TABLES)),
    Row::new(ISCSI, Order::Big, Tables::W32(&ISCSI_TABLES)),
    Row::new(BZIP2, Order::Little, Tables::W32(&BZIP2_TABLES)),
    Row::new(XZ, Order::Big, Tables::W64(&XZ_TABLES)),
];

/// What the crate calls each row, if it has it.
#[cfg(feature = "crc-fast")]
static FAST: [Option<CrcAlgorithm>; ROWS.len()] = [
    Some(CrcAlgorithm::Crc32IsoHdlc),
    Some(CrcAlgorithm::Crc32Iscsi),
    Some(CrcAlgorithm::Crc32Bzip2),
    Some(CrcAlgorithm::Crc64Xz),
];

/// The row that the parameters name.
#[inline]
fn row(p: &Params) -> &'static Row {
    &ROWS[usize::from(p.p[0])]
}

// ---------------------------------------------------------------------------------------------------------------------
// Hooks
// ---------------------------------------------------------------------------------------------------------------------

struct Portable;

impl Whole for Portable {
    fn start(&self, p: &Params, _: &Inputs<'_>) -> Box<dyn Stream> {
        let row = row(p);
        Box::new(Register { row, register: row.start, advance: Row::by_sixteen })
    }

    fn digest(&self, p: &Params, m: &[u8], out: &mut [u8]) {
        let row = row(p);
        row.write(row.spec.end(row.by_sixteen(row.start, m)), out);
    }

    fn combine(&self, p: &Params, a: &[u8], b: &[u8], len_b: u64, out: &mut [u8]) -> bool {
        row(p).combine(a, b, len_b, out)
    }
}

struct Bytewise;

impl Whole for Bytewise {
    fn start(&self, p: &Params, _: &Inputs<'_>) -> Box<dyn Stream> {
        let row = row(p);
        Box::new(Register { row, register: row.start, advance: Row::by_one })
    }

    fn digest(&self, p: &Params, m: &[u8], out: &mut [u8]) {
        let row = row(p);
        row.write(row.spec.end(row.by_one(row.start, m)), out);
    }

    fn combine(&self, p: &Params, a: &[u8], b: &[u8], len_b: u64, out: &mut [u8]) -> bool {
        row(p).combine(a, b, len_b, out)
    }
}

/// The stream of our own kernels.
#[derive(Clone)]
struct Register {
    row: &'static Row,
    register: u64,
    advance: fn(&Row, u64, &[u8]) -> u64,
}

impl Stream for Register {
    fn update(&mut self, m: &[u8]) {
        self.register = (self.advance)(self.row, self.register, m);
    }

    fn finish(&self, out: &mut [u8]) {
        self.row.write(self.row.spec.end(self.register), out);
    }

    fn boxed_clone(&self) -> Box<dyn Stream> {
        Box::new(self.clone())
    }
}

#[cfg(feature = "crc-fast")]
struct CrcFast;

#[cfg(feature = "crc-fast")]
impl Whole for CrcFast {
    fn start(&self, p: &Params, x: &Inputs<'_>) -> Box<dyn Stream> {
        let row = row(p);
        match FAST[usize::from(p.p[0])] {
            Some(algorithm) => Box::new(FastStream { row, digest: crc_fast::Digest::new(algorithm) }),
            None => Portable.start(p, x),
        }
    }

    fn digest(&self, p: &Params, m: &[u8], out: &mut [u8]) {
        let row = row(p);
        match FAST[usize::from(p.p[0])] {
            Some(algorithm) => row.write(crc_fast::checksum(algorithm, m), out),
            None => Portable.digest(p, m, out),
        }
    }

    fn combine(&self, p: &Params, a: &[u8], b: &[u8], len_b: u64, out: &mut [u8]) -> bool {
        row(p).combine(a, b, len_b, out)
    }
}

#[cfg(feature = "crc-fast")]
#[derive(Clone)]
struct FastStream {
    row: &'static Row,
    digest: crc_fast::Digest,
}

#[cfg(feature = "crc-fast")]
impl Stream for FastStream {
    fn update(&mut self, m: &[u8]) {
        self.digest.update(m);
    }

    fn finish(&self, out: &mut [u8]) {
        self.row.write(self.digest.finalize(), out);
    }

    fn boxed_clone(&self) -> Box<dyn Stream> {
        Box::new(self.clone())
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The register over bytes
// ---------------------------------------------------------------------------------------------------------------------

/// A table's word.
trait Entry: Copy + Into<u64> {
    /// How far left a looked-up word goes to lie at the high end of a u64.
    const SHIFT: u32;
}

impl Entry for u32 {
    const SHIFT: u32 = 32;
}

impl Entry for u64 {
    const SHIFT: u32 = 0;
}

impl Row {
    /// The register after the bytes of `m`, sixteen at a time.
    fn by_sixteen(&self, register: u64, m: &[u8]) -> u64 {
        match (&self.tables, self.spec.refin) {
            (Tables::W32(t), true) => slices_right(t, register, m),
            (Tables::W32(t), false) => slices_left(t, register, m),
            (Tables::W64(t), true) => slices_right(t, register, m),
            (Tables::W64(t), false) => slices_left(t, register, m),
        }
    }

    /// The register after the bytes of `m`, one at a time.
    fn by_one(&self, register: u64, m: &[u8]) -> u64 {
        match (&self.tables, self.spec.refin) {
            (Tables::W32(t), true) => bytes_right(&t[0], register, m),
            (Tables::W32(t), false) => bytes_left(&t[0], register, m),
            (Tables::W64(t), true) => bytes_right(&t[0], register, m),
            (Tables::W64(t), false) => bytes_left(&t[0], register, m),
        }
    }
}

/// Reflected: sixteen bytes a step, then eight, then bytes. From step to step the register stays in four parts: were they
/// added at the end of a step, the compiler would make one chain of all sixteen XORs.
fn slices_right<E: Entry>(t: &Slices<E>, mut register: u64, m: &[u8]) -> u64 {
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
    bytes_right(&t[0], register, rest)
}

/// Not reflected: the same, with the first byte on top of each word.
fn slices_left<E: Entry>(t: &Slices<E>, mut register: u64, m: &[u8]) -> u64 {
    let (pairs, rest) = m.as_chunks::<16>();
    let mut parts = [register >> E::SHIFT, 0, 0, 0];
    for pair in pairs {
        let (first, second) = halves(pair);
        let first = u64::from_le_bytes(first) ^ (sum(parts) << E::SHIFT).swap_bytes();
        let second = u64::from_le_bytes(second);
        parts = [four(t, 12, first), four(t, 8, first >> 32), four(t, 4, second), four(t, 0, second >> 32)];
    }
    register = sum(parts) << E::SHIFT;
    let (words, rest) = rest.as_chunks::<8>();
    for word in words {
        let x = u64::from_le_bytes(*word) ^ register.swap_bytes();
        register = (four(t, 4, x) ^ four(t, 0, x >> 32)) << E::SHIFT;
    }
    bytes_left(&t[0], register, rest)
}

#[inline(always)]
fn sum(parts: [u64; 4]) -> u64 {
    (parts[3] ^ parts[2]) ^ (parts[1] ^ parts[0])
}

/// The effect of four bytes, the lowest of `x` being the first, with `after` bytes behind them in the step.
#[inline(always)]
fn four<E: Entry>(t: &Slices<E>, after: usize, x: u64) -> u64 {
    let byte = |i: u32| usize::from((x >> (8 * i)) as u8);
    let sum = t[after + 3][byte(0)].into() ^ t[after + 2][byte(1)].into();
    sum ^ t[after + 1][byte(2)].into() ^ t[after][byte(3)].into()
}

#[inline(always)]
fn bytes_right<E: Entry>(t: &[E; 256], mut register: u64, m: &[u8]) -> u64 {
    for &byte in m {
        register = (register >> 8) ^ t[usize::from(register as u8 ^ byte)].into();
    }
    register
}

#[inline(always)]
fn bytes_left<E: Entry>(t: &[E; 256], mut register: u64, m: &[u8]) -> u64 {
    for &byte in m {
        register = (register << 8) ^ (t[usize::from((register >> 56) as u8 ^ byte)].into() << E::SHIFT);
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

// ---------------------------------------------------------------------------------------------------------------------
// The ends of the register, and its polynomial form
// ---------------------------------------------------------------------------------------------------------------------

impl Spec {
    /// `x` with its `width` bits in reverse order.
    const fn reverse(&self, x: u64) -> u64 {
        x.reverse_bits() >> (64 - self.width)
    }

    /// A polynomial as a running register.
    const fn running(self, polynomial: u64) -> u64 {
        if self.refin { self.reverse(polynomial) } else { polynomial << (64 - self.width) }
    }

    /// The polynomial that a running register holds.
    const fn polynomial(self, register: u64) -> u64 {
        if self.refin { self.reverse(register) } else { register >> (64 - self.width) }
    }

    /// The CRC value of a running register.
    const fn end(&self, register: u64) -> u64 {
        match (self.refin, self.refout) {
            // The register is reversed as it is.
            (true, true) => register ^ self.xorout,
            _ => self.value(self.polynomial(register)),
        }
    }

    /// The CRC value of a polynomial.
    const fn value(self, polynomial: u64) -> u64 {
        (if self.refout { self.reverse(polynomial) } else { polynomial }) ^ self.xorout
    }

    /// The polynomial of a CRC value.
    const fn value_polynomial(self, value: u64) -> u64 {
        if self.refout { self.reverse(value ^ self.xorout) } else { value ^ self.xorout }
    }

    /// Digest length in bytes.
    const fn bytes(&self) -> usize {
        self.width.div_ceil(8) as usize
    }

    /// a·b mod P.
    const fn multiply(&self, a: u64, b: u64) -> u64 {
        let top = self.width - 1;
        let mask = u64::MAX >> (63 - top);
        let (mut product, mut bit) = (0, self.width);
        while bit > 0 {
            bit -= 1;
            let carry = (product >> top) & 1;
            product = ((product << 1) & mask) ^ (self.poly * carry) ^ (a * ((b >> bit) & 1));
        }
        product
    }

    /// x^(8·n) mod P.
    const fn x_to_bytes(&self, mut n: u64) -> u64 {
        // x^8, multiplied by x and reduced bit by bit, since a register may be narrower.
        let mut square = 1;
        let mut i = 0;
        while i < 8 {
            let carry = (square >> (self.width - 1)) & 1;
            square = ((square << 1) & (u64::MAX >> (64 - self.width))) ^ (self.poly * carry);
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

impl Row {
    /// Writes a CRC value as a digest.
    #[inline]
    fn write(&self, value: u64, out: &mut [u8]) {
        if let (Order::Big, 32, Some(out)) = (self.order, self.spec.width, out.first_chunk_mut()) {
            *out = (value as u32).to_be_bytes();
            return;
        }
        let bytes = value.to_le_bytes();
        match self.order {
            Order::Big => out.iter_mut().rev().zip(bytes).for_each(|(o, b)| *o = b),
            Order::Little => out.iter_mut().zip(bytes).for_each(|(o, b)| *o = b),
        }
    }

    /// Reads a digest; nothing if it has another length.
    fn read(&self, digest: &[u8]) -> Option<u64> {
        if digest.len() != self.spec.bytes() {
            return None;
        }
        let value = |x: u64, &b: &u8| x << 8 | u64::from(b);
        Some(match self.order {
            Order::Big => digest.iter().fold(0, value),
            Order::Little => digest.iter().rev().fold(0, value),
        })
    }

    /// R(init, A‖B) = (R(init, A) + init)·x^(8|B|) + R(init, B).
    fn combine(&self, a: &[u8], b: &[u8], len_b: u64, out: &mut [u8]) -> bool {
        let (Some(a), Some(b)) = (self.read(a), self.read(b)) else {
            return false;
        };
        let spec = &self.spec;
        let moved = spec.multiply(spec.value_polynomial(a) ^ spec.init, spec.x_to_bytes(len_b));
        self.write(spec.value(moved ^ spec.value_polynomial(b)), out);
        true
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Constants
// ---------------------------------------------------------------------------------------------------------------------

const ISO_HDLC: Spec =
    Spec { width: 32, poly: 0x04c1_1db7, init: 0xffff_ffff, refin: true, refout: true, xorout: 0xffff_ffff };
const ISCSI: Spec =
    Spec { width: 32, poly: 0x1edc_6f41, init: 0xffff_ffff, refin: true, refout: true, xorout: 0xffff_ffff };
const BZIP2: Spec =
    Spec { width: 32, poly: 0x04c1_1db7, init: 0xffff_ffff, refin: false, refout: false, xorout: 0xffff_ffff };
const XZ: Spec =
    Spec { width: 64, poly: 0x42f0_e1eb_a9ea_3693, init: u64::MAX, refin: true, refout: true, xorout: u64::MAX };

static ISO_HDLC_TABLES: Slices<u32> = narrow(&ISO_HDLC);
static ISCSI_TABLES: Slices<u32> = narrow(&ISCSI);
static BZIP2_TABLES: Slices<u32> = narrow(&BZIP2);
static XZ_TABLES: Slices<u64> = slices(&XZ);

/// T\[k\]\[b\]: the register that a byte b leaves when it is followed by k zero bytes.
const fn slices(spec: &Spec) -> Slices<u64> {
    let mut t = [[0; 256]; 16];
    let poly = spec.running(spec.poly);
    let mut b = 0;
    while b < 256 {
        let mut x = if spec.refin { b as u64 } else { (b as u64) << 56 };
        let mut bit = 0;
        while bit < 8 {
            x = if spec.refin { (x >> 1) ^ (poly * (x & 1)) } else { (x << 1) ^ (poly * (x >> 63)) };
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
            t[k][b] =
                if spec.refin { (x >> 8) ^ t[0][(x & 0xff) as usize] } else { (x << 8) ^ t[0][(x >> 56) as usize] };
            b += 1;
        }
        k += 1;
    }
    t
}

/// The same in u32, for registers of up to 32 bits: the low half if reflected, else the high half.
const fn narrow(spec: &Spec) -> Slices<u32> {
    let wide = slices(spec);
    let mut t = [[0; 256]; 16];
    let mut k = 0;
    while k < 16 {
        let mut b = 0;
        while b < 256 {
            t[k][b] = if spec.refin { wide[k][b] as u32 } else { (wide[k][b] >> 32) as u32 };
            b += 1;
        }
        k += 1;
    }
    t
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(row: u16) -> Params {
        Params { row: 0, out_len: ROWS[usize::from(row)].spec.bytes() as u32, p: [row, 0, 0, 0], seed: 0 }
    }

    fn digests(row: u16, m: &[u8]) -> Vec<Vec<u8>> {
        let p = params(row);
        let mut all = Vec::new();
        for kernel in KERNELS {
            let Run::Whole(whole) = kernel.run else { panic!("{} is not a whole", kernel.name) };
            let mut out = vec![0; p.out_len as usize];
            whole.digest(&p, m, &mut out);
            all.push(out.clone());
            let mut stream = whole.start(&p, &Inputs::NONE);
            let (a, b) = m.split_at(m.len() / 3);
            stream.update(a);
            let mut stream = stream.boxed_clone();
            stream.update(b);
            stream.finish(&mut out);
            all.push(out);
        }
        all
    }

    fn check(row: u16, m: &[u8], want: u64) {
        for got in digests(row, m) {
            let value = got.iter().fold(0, |x, &b| x << 8 | u64::from(b));
            assert_eq!(value, want, "row {row}");
        }
    }

    /// The catalogue's check values; PHP's hash('crc32', '123456789').
    #[test]
    fn catalogue() {
        check(0, b"123456789", 0xcbf4_3926);
        check(1, b"123456789", 0xe306_9283);
        check(2, b"123456789", 0x1819_89fc);
        check(3, b"123456789", 0x995d_c9bb_df19_39fa);
        check(0, b"", 0);
    }

    /// RFC 3720, B.4 (which prints the bytes in the order of transmission, lowest first).
    #[test]
    fn rfc_3720() {
        check(1, &[0; 32], 0x8a91_36aa);
        check(1, &[0xff; 32], 0x62a8_ab43);
        check(1, &std::array::from_fn::<u8, 32, _>(|i| i as u8), 0x46dd_794e);
    }

    #[test]
    fn kernels_agree() {
        let m: Vec<u8> = (0..600u32).map(|i| ((i * i) >> 3) as u8).collect();
        for row in 0..ROWS.len() as u16 {
            for len in (0..80).chain(500..600) {
                let all = digests(row, &m[..len]);
                assert!(all.iter().all(|d| *d == all[0]), "row {row} length {len}");
            }
        }
    }

    #[test]
    fn combined() {
        let m: Vec<u8> = (0..1000u32).map(|i| (i % 251) as u8).collect();
        for row in 0..ROWS.len() as u16 {
            let p = params(row);
            let of = |m: &[u8]| digests(row, m).swap_remove(0);
            for cut in [0, 1, 7, 500, 999, 1000] {
                let (a, b) = m.split_at(cut);
                let mut out = vec![0; p.out_len as usize];
                assert!(Portable.combine(&p, &of(a), &of(b), b.len() as u64, &mut out));
                assert_eq!(out, of(&m), "row {row} cut {cut}");
                assert!(!Portable.combine(&p, &of(a)[1..], &of(b), b.len() as u64, &mut out));
            }
        }
        // Four GiB of zeros after nothing but a start: R(init)·x^(8·2^32), by doubling.
        let p = params(0);
        let (mut zeros, mut length) = (digests(0, &[0]).swap_remove(0), 1u64);
        let mut out = vec![0; 4];
        while length < 1 << 32 {
            assert!(Portable.combine(&p, &zeros, &zeros, length, &mut out));
            zeros.copy_from_slice(&out);
            length *= 2;
        }
        let mut odd = vec![0; 4];
        assert!(Portable.combine(&p, &of_zeros(&p, 1), &zeros, length, &mut odd));
        assert!(Portable.combine(&p, &zeros, &of_zeros(&p, 1), 1, &mut out));
        assert_eq!(out, odd);
    }

    fn of_zeros(p: &Params, n: usize) -> Vec<u8> {
        let mut out = vec![0; p.out_len as usize];
        Portable.digest(p, &vec![0; n], &mut out);
        out
    }

    /// Widths and reflections that no row has yet; the catalogue's check values.
    #[test]
    fn other_widths() {
        for (width, poly, init, refin, refout, xorout, want) in [
            (3, 0x3, 0x0, false, false, 0x7, 0x4),
            (5, 0x05, 0x1f, true, true, 0x1f, 0x19),
            (7, 0x09, 0x00, false, false, 0x00, 0x75),
            (12, 0x80f, 0x000, false, true, 0x000, 0xdaf),
            (24, 0x86_4cfb, 0xb7_04ce, false, false, 0x00, 0x21_cf02),
            (40, 0x00_0482_0009, 0, false, false, 0xff_ffff_ffff, 0xd4_164f_c646),
        ] {
            let spec = Spec { width, poly, init, refin, refout, xorout };
            let tables = match width {
                0..=32 => Tables::W32(Box::leak(Box::new(narrow(&spec)))),
                _ => Tables::W64(Box::leak(Box::new(slices(&spec)))),
            };
            let row = Row::new(spec, Order::Big, tables);
            assert_eq!(spec.end(row.by_one(row.start, b"123456789")), want, "width {width}");
            let m: Vec<u8> = (0..100).collect();
            assert_eq!(row.by_one(row.start, &m), row.by_sixteen(row.start, &m), "width {width}");
            let (mut a, mut b, mut ab) = (vec![0; spec.bytes()], vec![0; spec.bytes()], vec![0; spec.bytes()]);
            row.write(spec.end(row.by_one(row.start, &m[..40])), &mut a);
            row.write(spec.end(row.by_one(row.start, &m[40..])), &mut b);
            assert!(row.combine(&a, &b, 60, &mut ab));
            assert_eq!(row.read(&ab), Some(spec.end(row.by_one(row.start, &m))), "width {width}");
        }
    }
}
