//! Words that hash one message or many: the same round text runs on `u32` (one message), on eight or sixteen lanes of a
//! vector register, and on several registers side by side.
//!
//! A value of a vector type exists only where its ISA's token existed, and a token can only be made inside a function
//! that enables the ISA's features; so every method of the traits below is safe. Each operation is an always-inlined
//! method around one nested `#[target_feature]` function, and each kernel is exactly one `#[target_feature]` function
//! around the generic text: nothing stands between the barrier and the operations.

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

pub(crate) use feed::{Feed, Round, Rows, Sponge, Wide, drive, drive_sponge, drive_wide};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
pub(crate) use groups::X2;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use groups::X3;
#[cfg(target_arch = "x86_64")]
pub(crate) use groups::X4;
pub(crate) use scalar::{Byte, Scalar};

/// Writes a body out sixteen times with `$i` = 0 … 15: the compiler does not always unroll a loop this large, and
/// kernels need their indices to be constants.
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

/// One word of each lane: what loading, storing and the mill need of every word type.
pub(crate) trait Word: Copy {
    /// The token that proves the ISA.
    type Isa: Copy;
    /// One lane's word.
    type Lane: Copy;
    /// How many messages lie side by side.
    const LANES: usize;
    /// Bytes of one lane's word.
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

    /// Into how many pieces the preparation of a block of `words` words falls: columns, unless a word type reads whole
    /// rows.
    #[inline(always)]
    fn pieces(words: usize) -> usize {
        words / Self::PER_COLUMN
    }

    /// Piece `i` of the preparation of the block at `at`, whose word k goes to `out.add(k * stride)`. All pieces in
    /// order make the block; what one leaves behind may be for a later one.
    ///
    /// # Safety
    /// `rows` has `LANES` pointers, each valid for reading `at` and a block of `words` words; `out` is valid for
    /// reading and writing as many words, `stride` apart; `i` is less than [`Word::pieces`].
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

    /// Whether [`Word::direct`] is there: words of one lane, and groups of them, need no transposition.
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

/// What [`Word::direct`] of a vector would be; nobody asks.
#[cold]
fn unreachable_word<I, T>(_: I) -> T {
    unreachable!("a word is only asked for what it has")
}

/// Arithmetic and logic on 32- or 64-bit words.
pub(crate) trait Logic: Word {
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
    /// The bit that at least two have.
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
    /// The same value, as one that the compiler must compute as such. In a chain of additions it otherwise takes scalar
    /// sums apart and adds their terms again wherever the chain is used.
    #[inline(always)]
    fn settled(self) -> Self {
        self
    }
    /// [`Logic::settled`], and in the order of the text: of two independent chains that the text interleaves, the
    /// compiler may otherwise put one after the other, too far apart for the processor to run them side by side.
    #[inline(always)]
    fn in_order(self) -> Self {
        self.settled()
    }
    /// `self + (x ? y : z)`: where the selection's two halves are disjoint bits, a sum of halves can be the shorter
    /// chain.
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

/// Bytes with what longer sums and substitution boxes of four bits take.
pub(crate) trait Digits: Word8 {
    /// A table of sixteen bytes in the form this word looks it up in.
    type Digit: Copy;
    fn digits(isa: Self::Isa, s: &'static [u8; 16]) -> Self::Digit;
    /// The lower four bits.
    fn low(self) -> Self;
    /// The upper four bits.
    fn high(self) -> Self;
    /// The entries at indices below sixteen.
    fn digit(self, t: Self::Digit) -> Self;
    fn sub(self, o: Self) -> Self;
    /// All ones, or minus one, where `self > o` as numbers with a sign.
    fn above(self, o: Self) -> Self;
}

/// Words that index a table in memory.
#[cfg(target_arch = "x86_64")]
pub(crate) trait Gather: Word32 {
    /// The entries at the words' lowest bytes.
    fn gather(self, table: &[u32; 256]) -> Self;
}
