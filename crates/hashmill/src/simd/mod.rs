//! Word types that hash one message or many: the same round function text runs on `u32` (one message), on eight or
//! sixteen lanes of a vector register, and on several registers side by side.
//!
//! A value of a vector type can only be made from its ISA's token, and a token can only be made inside a function that
//! enables the ISA's features; therefore every method of the traits below is safe. Each operation is an always-inlined
//! method around one nested `#[target_feature]` function, and each kernel is exactly one `#[target_feature]` function
//! around the generic text, so no other function boundary keeps the operations from being inlined.
//!
//! [`Word`] loads, stores and transposes; [`Logic`] is arithmetic. [`Word8`] has substitution boxes of bytes,
//! [`Digits`] those of four bits and carries between bytes, [`Gather`] tables in memory. There are instances for
//! scalars, AVX2, AVX-512, NEON and WebAssembly's simd128, and `X2`, `X3`, `X4` put registers side by side
//! (`groups.rs`).

#![allow(unsafe_code, reason = "loads and stores through lane pointers, and intrinsics behind ISA tokens")]

mod feed;
mod groups;
mod scalar;

#[cfg(target_arch = "aarch64")]
pub(crate) mod aarch64;
#[cfg(target_feature = "simd128")]
pub(crate) mod wasm32;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86_quads;

#[cfg(target_arch = "x86_64")]
pub(crate) use feed::align_frame;
pub(crate) use feed::{Feed, Round, Rows, Sponge, Wide, drive, drive_sponge, drive_wide, prefetch, single_word};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
pub(crate) use groups::X2;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use groups::X3;
#[cfg(target_arch = "x86_64")]
pub(crate) use groups::X4;
pub(crate) use scalar::{Byte, Scalar};

/// Unrolls a body sixteen times with `$i` = 0 … 15. The compiler does not always unroll a loop this large, and kernels
/// need their indices to be constants.
macro_rules! repeat16 {
    ($i:ident => $body:expr) => {{
        $crate::simd::repeat16!(@each $i, $body, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    }};
    (@each $i:ident, $body:expr, $($n:literal)*) => {
        $({
            const $i: usize = $n;
            $body
        })*
    };
}

pub(crate) use repeat16;

/// Sixteen bytes of two words, little-endian; on x86, of a register that is stored at once, so that a load of all need
/// not wait for two stores.
#[inline(always)]
pub(crate) fn pair(low: u64, high: u64) -> [u8; 16] {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
    return x86::pair(low, high);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2", not(miri))))]
    return (u128::from(high) << 64 | u128::from(low)).to_le_bytes();
}

/// One word of each lane: the operations that loading, storing and the mill need of every word type.
pub(crate) trait Word: Copy {
    /// The token that proves the ISA.
    type Isa: Copy;
    /// The type of one lane's word.
    type Lane: Copy;
    /// Number of messages hashed side by side.
    const LANES: usize;
    /// Size of one lane's word in bytes.
    const BYTES: usize;
    /// Words in a 16-byte column of a block.
    const PER_COLUMN: usize = 16 / Self::BYTES;

    /// The same word in every lane.
    fn splat(isa: Self::Isa, x: Self::Lane) -> Self;

    /// Loads one word per lane from packed memory.
    ///
    /// # Safety
    /// `from` is valid for `LANES * BYTES` bytes.
    unsafe fn load(isa: Self::Isa, from: *const u8) -> Self;

    /// Stores one word per lane to packed memory.
    ///
    /// # Safety
    /// `to` is valid for writing `LANES * BYTES` bytes.
    unsafe fn store(self, to: *mut u8);

    /// Reads the 16 bytes at `at` of every lane's block and transposes them into `PER_COLUMN` words, big-endian when
    /// `BE`.
    ///
    /// # Safety
    /// `rows` has `LANES` pointers, each valid for reading `at + 16` bytes; `out` is valid for writing `PER_COLUMN`
    /// words.
    unsafe fn column<const BE: bool>(isa: Self::Isa, rows: *const *const u8, at: usize, out: *mut Self);

    /// Number of pieces that preparing a block of `words` words is divided into: its columns, unless a word type reads
    /// whole rows.
    #[inline(always)]
    fn pieces(words: usize) -> usize {
        words / Self::PER_COLUMN
    }

    /// Runs piece `i` of preparing the block at `at`; word k goes to `out.add(k * stride)`. Running all pieces in order
    /// prepares the block; what one piece leaves in `out` may be input for a later one.
    ///
    /// # Safety
    /// `rows` has `LANES` pointers, each valid for reading `at` bytes and a block of `words` words; `out` is valid for
    /// reading and writing `words` words, `stride` apart; `i` is less than [`Word::pieces`].
    #[inline(always)]
    unsafe fn piece<const BE: bool>(
        isa: Self::Isa,
        rows: *const *const u8,
        at: usize,
        i: usize,
        words: usize,
        out: *mut Self,
        stride: usize,
    ) {
        debug_assert!((i + 1) * Self::PER_COLUMN <= words);
        // SAFETY: the column lies within the block, its words within `out`; a column has at most 16 words, so `t` is
        // large enough.
        unsafe {
            let mut t = [core::mem::MaybeUninit::<Self>::uninit(); 16];
            Self::column::<BE>(isa, rows, at + 16 * i, t.as_mut_ptr().cast());
            for k in 0..Self::PER_COLUMN {
                *out.add((i * Self::PER_COLUMN + k) * stride) = t[k].assume_init();
            }
        }
    }

    /// Whether [`Word::direct`] is implemented: single-lane words, and groups of them, need no transposition.
    const DIRECT: bool = Self::LANES == 1;

    /// Reads the word at `at` of every lane.
    ///
    /// # Safety
    /// As for `column`, with `at + BYTES` bytes.
    #[inline(always)]
    unsafe fn direct<const BE: bool>(isa: Self::Isa, rows: *const *const u8, at: usize) -> Self {
        let _ = (rows, at);
        unreachable_word(isa)
    }
}

/// The default [`Word::direct`], for words without one; never called.
#[cold]
fn unreachable_word<I, T>(_: I) -> T {
    unreachable!("a word is only asked for what it has")
}

/// Arithmetic and logic on 32- or 64-bit words.
pub(crate) trait Logic: Word {
    /// Whether independent chains of operations run best step by step side by side, in registers enough for all of
    /// them. Otherwise one after the other is left to the processor to overlap.
    const IN_STEP: bool = false;

    fn add(self, o: Self) -> Self;
    fn xor(self, o: Self) -> Self;
    fn and(self, o: Self) -> Self;
    fn or(self, o: Self) -> Self;
    /// `!self & o`
    fn andnot(self, o: Self) -> Self;
    fn not(self) -> Self;
    /// Rotates left by a constant 0 < n < width.
    fn rotl(self, n: u32) -> Self;
    /// Shifts right by a constant.
    fn shr(self, n: u32) -> Self;

    /// Rotates right by a constant.
    #[inline(always)]
    fn rotr(self, n: u32) -> Self {
        self.rotl(8 * Self::BYTES as u32 - n)
    }
    /// `self ? y : z`, bit by bit.
    #[inline(always)]
    fn choose(self, y: Self, z: Self) -> Self {
        z.xor(self.and(y.xor(z)))
    }
    /// The majority of each bit.
    #[inline(always)]
    fn majority(self, y: Self, z: Self) -> Self {
        self.and(y).xor(z.and(self.xor(y)))
    }
    #[inline(always)]
    fn xor3(self, y: Self, z: Self) -> Self {
        self.xor(y).xor(z)
    }
    /// `self ^ (!y & z)`, Keccak's χ.
    #[inline(always)]
    fn chi(self, y: Self, z: Self) -> Self {
        self.xor(y.andnot(z))
    }
    /// `self ^ (y | !z)`, MD5's I.
    #[inline(always)]
    fn xor_or_not(self, y: Self, z: Self) -> Self {
        self.xor(y.or(z.not()))
    }
    /// `self ^ (y & z)`
    #[inline(always)]
    fn xor_and(self, y: Self, z: Self) -> Self {
        self.xor(y.and(z))
    }
    /// Returns the value unchanged, but makes the compiler compute it at this point. Otherwise, in a chain of
    /// additions, the compiler splits up scalar sums and repeats the additions of their terms wherever the chain is
    /// used.
    #[inline(always)]
    fn settled(self) -> Self {
        self
    }
    /// [`Logic::settled`], also fixed in program order. The compiler may otherwise move two independent chains that the
    /// text interleaves one after the other, too far apart for the processor to run them in parallel.
    #[inline(always)]
    fn in_order(self) -> Self {
        self.settled()
    }
    /// `self + (x ? y : z)`. The two halves of the selection are disjoint bits, and adding them separately can shorten
    /// the dependency chain.
    #[inline(always)]
    fn add_choose(self, x: Self, y: Self, z: Self) -> Self {
        self.add(x.choose(y, z))
    }
    /// `self + majority(x, y, z)`, likewise.
    #[inline(always)]
    fn add_majority(self, x: Self, y: Self, z: Self) -> Self {
        self.add(x.majority(y, z))
    }
}

/// N lanes of `u32`.
pub(crate) trait Word32: Logic<Lane = u32> {}
impl<T: Logic<Lane = u32>> Word32 for T {}

/// N lanes of `u64`.
pub(crate) trait Word64: Logic<Lane = u64> {}
impl<T: Logic<Lane = u64>> Word64 for T {}

/// N lanes of `u8`, with substitution boxes.
pub(crate) trait Word8: Word<Lane = u8> {
    /// A substitution table in the form this word looks it up in.
    type Table: Copy;
    fn table(isa: Self::Isa, s: &'static [u8; 256]) -> Self::Table;
    fn lookup(self, t: &Self::Table) -> Self;
    fn add(self, o: Self) -> Self;
    fn xor(self, o: Self) -> Self;
}

/// Bytes, with the operations that multi-byte sums and 4-bit S-boxes need.
pub(crate) trait Digits: Word8 {
    /// A table of sixteen bytes in the form this word looks it up in.
    type Digit: Copy;
    fn digits(isa: Self::Isa, s: &'static [u8; 16]) -> Self::Digit;
    /// The lower four bits.
    fn low(self) -> Self;
    /// The upper four bits.
    fn high(self) -> Self;
    /// Looks up indices below sixteen.
    fn digit(self, t: Self::Digit) -> Self;
    fn sub(self, o: Self) -> Self;
    /// All ones (minus one) where `self > o` as signed numbers.
    fn above(self, o: Self) -> Self;
}

/// Words that index a table in memory.
#[cfg(target_arch = "x86_64")]
pub(crate) trait Gather: Word32 {
    /// Looks up the lowest byte of each word.
    fn gather(self, table: &[u32; 256]) -> Self;
}
