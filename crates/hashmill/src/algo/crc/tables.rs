//! Table-driven CRCs, from one byte per step to sixteen.

use super::super::fold::up_to_7;
use super::{Crc, ENTRIES, Entry, ISCSI, ISO_HDLC, LEN};
use std::sync::OnceLock;

type Slices<W> = [[W; 256]; 16];

/// Slicing tables of the narrowest word that holds the register.
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
    pub(super) fn by_sixteen(self, register: u64, m: &[u8]) -> u64 {
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

    /// [`Crc::by_sixteen`], eight at a time.
    #[inline(never)]
    pub(super) fn by_eight(self, register: u64, m: &[u8]) -> u64 {
        match (self.tables(), self.entry.refin) {
            (Tables::W32(t), true) => {
                let (words, rest) = m.as_chunks::<8>();
                rest_right(t, eights(t, register as u32, words, u32::to_le_bytes).into(), rest)
            }
            (Tables::W32(t), false) => {
                let (words, rest) = m.as_chunks::<8>();
                rest_left(t, u64::from(eights(t, (register >> 32) as u32, words, u32::to_be_bytes)) << 32, rest)
            }
            (Tables::W64(t), true) => eights_right(t, register, m),
            (Tables::W64(t), false) => eights_left(t, register, m),
            (Tables::W128(_), _) => unreachable!("wide"),
        }
    }

    /// [`Crc::by_sixteen`], one at a time, with one load for eight bytes.
    #[inline(never)]
    pub(super) fn by_one_unrolled(self, register: u64, m: &[u8]) -> u64 {
        match (self.tables(), self.entry.refin) {
            (Tables::W32(t), true) => unrolled_right(&t[0], register, m),
            (Tables::W32(t), false) => unrolled_left(&t[0], register, m),
            (Tables::W64(t), true) => unrolled_right(&t[0], register, m),
            (Tables::W64(t), false) => unrolled_left(&t[0], register, m),
            (Tables::W128(_), _) => unreachable!("wide"),
        }
    }

    /// [`Crc::by_sixteen`], one at a time.
    pub(super) fn by_one(self, register: u64, m: &[u8]) -> u64 {
        match (self.tables(), self.entry.refin) {
            (Tables::W32(t), true) => bytes_right(&t[0], register, m),
            (Tables::W32(t), false) => bytes_left(&t[0], register, m),
            (Tables::W64(t), true) => bytes_right(&t[0], register, m),
            (Tables::W64(t), false) => bytes_left(&t[0], register, m),
            (Tables::W128(_), _) => unreachable!("wide"),
        }
    }

    #[inline(never)]
    pub(super) fn wide_by_sixteen(self, register: u128, m: &[u8]) -> u128 {
        let Tables::W128(t) = self.tables() else { unreachable!("narrow") };
        slices_wide(t, register, m)
    }

    #[inline(never)]
    pub(super) fn wide_by_one(self, register: u128, m: &[u8]) -> u128 {
        let Tables::W128(t) = self.tables() else { unreachable!("narrow") };
        bytes_wide(&t[0], register, m)
    }
}

/// The word type of a table.
trait Word: Copy + Into<u64> {
    /// Left shift that moves a table entry to the high end of a u64.
    const SHIFT: u32;
}

impl Word for u32 {
    const SHIFT: u32 = 32;
}

impl Word for u64 {
    const SHIFT: u32 = 0;
}

/// Reflected: sixteen bytes per step, then eight, then the rest. Between steps, the register stays in four parts: if
/// they were added at the end of a step, the compiler would make one chain of all sixteen XORs.
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
    eights_right(t, register, rest)
}

/// Reflected: eight bytes per step, then the rest.
#[inline(always)]
fn eights_right<W: Word>(t: &Slices<W>, mut register: u64, m: &[u8]) -> u64 {
    let (words, rest) = m.as_chunks::<8>();
    for word in words {
        let x = u64::from_le_bytes(*word) ^ register;
        register = four(t, 4, x) ^ four(t, 0, x >> 32);
    }
    rest_right(t, register, rest)
}

/// Not reflected: like [`slices_right`], with the first byte on top of each word.
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
    eights_left(t, register, rest)
}

/// Not reflected: like [`eights_right`].
#[inline(always)]
fn eights_left<W: Word>(t: &Slices<W>, mut register: u64, m: &[u8]) -> u64 {
    let (words, rest) = m.as_chunks::<8>();
    for word in words {
        let x = u64::from_le_bytes(*word) ^ register.swap_bytes();
        register = (four(t, 4, x) ^ four(t, 0, x >> 32)) << W::SHIFT;
    }
    rest_left(t, register, rest)
}

/// Eight bytes per step, for registers of up to 32 bits; `bytes` returns those of a register in the order in which they
/// meet the bytes of the message. The lookup of a sum is the sum of the lookups, so the bytes of the message are looked
/// up separately: only the four of the register wait for the step before. The register stays in two parts between
/// steps: if they were added at the end, the compiler would make one chain of all twelve XORs. Other ways to split it
/// took up to 1.39 cycles/byte on Zen 4, where this one took 1.17.
#[inline(always)]
fn eights(t: &Slices<u32>, register: u32, words: &[[u8; 8]], bytes: impl Fn(u32) -> [u8; 4]) -> u32 {
    let at = |k: usize, byte: u8| t[k][usize::from(byte)];
    let mut parts = [register, 0];
    for m in words {
        let message = at(7, m[0])
            ^ at(6, m[1])
            ^ at(5, m[2])
            ^ at(4, m[3])
            ^ at(3, m[4])
            ^ at(2, m[5])
            ^ at(1, m[6])
            ^ at(0, m[7]);
        let [a, b, c, d] = bytes(parts[0] ^ parts[1]);
        parts = [message ^ at(5, c), at(7, a) ^ at(6, b) ^ at(4, d)];
    }
    parts[0] ^ parts[1]
}

#[inline(always)]
fn sum(parts: [u64; 4]) -> u64 {
    (parts[3] ^ parts[2]) ^ (parts[1] ^ parts[0])
}

/// The effect of four bytes, the lowest of `x` being the first, followed by `after` bytes in the step.
#[inline(always)]
fn four<W: Word>(t: &Slices<W>, after: usize, x: u64) -> u64 {
    let byte = |i: u32| usize::from((x >> (8 * i)) as u8);
    let sum = t[after + 3][byte(0)].into() ^ t[after + 2][byte(1)].into();
    sum ^ t[after + 1][byte(2)].into() ^ t[after][byte(3)].into()
}

/// Processes up to seven bytes in one step, so that they do not wait for each other: as the last of eight, after zeros.
/// The part of the register that they do not reach stays.
#[inline(always)]
fn rest_right<W: Word>(t: &Slices<W>, register: u64, m: &[u8]) -> u64 {
    if m.is_empty() {
        return register;
    }
    let bits = 8 * m.len() as u32;
    let x = (up_to_7(m) ^ register) << ((64 - bits) & 63);
    four(t, 4, x) ^ four(t, 0, x >> 32) ^ register >> (bits & 63)
}

#[inline(always)]
fn rest_left<W: Word>(t: &Slices<W>, register: u64, m: &[u8]) -> u64 {
    if m.is_empty() {
        return register;
    }
    let bits = 8 * m.len() as u32;
    let x = (up_to_7(m) ^ register.swap_bytes()) << ((64 - bits) & 63);
    (four(t, 4, x) ^ four(t, 0, x >> 32)) << W::SHIFT ^ register << (bits & 63)
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
fn unrolled_right<W: Word>(t: &[W; 256], mut register: u64, m: &[u8]) -> u64 {
    let (words, rest) = m.as_chunks::<8>();
    for word in words {
        let x = u64::from_le_bytes(*word);
        for i in 0..8 {
            register = (register >> 8) ^ t[usize::from((register ^ x >> (8 * i)) as u8)].into();
        }
    }
    bytes_right(t, register, rest)
}

#[inline(always)]
fn unrolled_left<W: Word>(t: &[W; 256], mut register: u64, m: &[u8]) -> u64 {
    let (words, rest) = m.as_chunks::<8>();
    for word in words {
        let x = u64::from_be_bytes(*word);
        for i in 0..8 {
            let byte = ((register ^ x << (8 * i)) >> 56) as u8;
            register = (register << 8) ^ (t[usize::from(byte)].into() << W::SHIFT);
        }
    }
    bytes_left(t, register, rest)
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
// The tables
// ---------------------------------------------------------------------------------------------------------------------

static ISO_HDLC_TABLES: Slices<u32> = slices32(&ENTRIES[ISO_HDLC]);
static ISCSI_TABLES: Slices<u32> = slices32(&ENTRIES[ISCSI]);

/// The tables of an entry. They are never freed: whoever uses a CRC once will use it again.
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
