//! From messages in memory to words in registers: the rows of a run, the feed that prepares the next block while this one
//! is being hashed, and the loop over blocks that every word kernel shares.

use super::{Word, Word32, Word64};
use crate::algo::repeat16;
use crate::contract::Params;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

/// The bytes that one run of a kernel reads: for every lane a pointer that is valid for all blocks of the run.
pub(crate) struct Rows<'a> {
    pointers: &'a [*const u8],
    blocks: usize,
    block: usize,
    data: PhantomData<&'a [u8]>,
}

impl<'a> Rows<'a> {
    /// Rows of `blocks` blocks of `block` bytes each. `pointers` is room for one pointer per row.
    ///
    /// # Panics
    /// If a row is shorter than that, or there are more rows than room.
    #[inline(always)]
    pub(crate) fn new(rows: &[&'a [u8]], pointers: &'a mut [*const u8], blocks: usize, block: usize) -> Self {
        let room = &mut pointers[..rows.len()];
        for (p, row) in room.iter_mut().zip(rows) {
            assert!(row.len() >= blocks * block, "a lane's data is shorter than the run");
            *p = row.as_ptr();
        }
        Rows { pointers: room, blocks, block, data: PhantomData }
    }

    /// How many blocks every lane has.
    #[inline(always)]
    pub(crate) fn blocks(&self) -> usize {
        self.blocks
    }

    /// How many lanes there are.
    #[inline(always)]
    pub(crate) fn lanes(&self) -> usize {
        self.pointers.len()
    }

    /// Bytes of a block.
    #[inline(always)]
    pub(crate) fn block(&self) -> usize {
        self.block
    }

    /// The bytes of one lane.
    #[inline(always)]
    #[cfg_attr(
        not(any(target_arch = "x86_64", target_arch = "aarch64")),
        allow(dead_code, reason = "read by kernels of dedicated instructions")
    )]
    pub(crate) fn lane(&self, l: usize) -> &'a [u8] {
        // SAFETY: `new` saw a slice of at least this length behind the pointer, borrowed for 'a.
        unsafe { core::slice::from_raw_parts(self.pointers[l], self.blocks * self.block) }
    }
}

/// The M words of the current block of every lane, and the next block's in the making.
///
/// Words of several lanes have to be transposed; [`Feed::ahead`] does this for one part of the next block (a 16-byte column, or
/// one group of lanes), so that a round function that calls it now and then overlaps transposition with its rounds. Words that need no
/// transposition are read from memory directly.
pub(crate) struct Feed<'a, W: Word, const M: usize, const BE: bool> {
    isa: W::Isa,
    rows: *const *const u8,
    at: usize,
    next: usize,
    left: usize,
    turn: usize,
    /// The parts of the next block that are there, a bit each.
    prepared: u32,
    words: &'a mut Words<W, M>,
    data: PhantomData<&'a [u8]>,
}

/// Room for the words of two blocks. It stands in the kernel's frame: a feed that owned it would be copied into place.
type Words<W, const M: usize> = [[MaybeUninit<W>; M]; 2];

impl<'a, W: Word, const M: usize, const BE: bool> Feed<'a, W, M, BE> {
    const COLUMNS: usize = M / W::PER_COLUMN;

    /// A feed at the first block of `rows`, which must have at least one.
    #[inline(always)]
    fn new(isa: W::Isa, rows: &Rows<'a>, words: &'a mut Words<W, M>) -> Self {
        assert!(rows.lanes() == W::LANES && rows.block() == M * W::BYTES && rows.blocks() > 0);
        let mut feed = Feed {
            isa,
            rows: rows.pointers.as_ptr(),
            at: 0,
            next: 0,
            left: rows.blocks(),
            turn: 1,
            prepared: 0,
            words,
            data: PhantomData,
        };
        // The first block goes into buffer 0.
        for i in 0..Self::COLUMNS {
            feed.ahead(i);
        }
        feed.turn = 0;
        feed.prepared = 0;
        feed.next = if feed.left > 1 { M * W::BYTES } else { 0 };
        feed
    }

    /// Word `i` of the current block.
    #[inline(always)]
    pub(crate) fn word(&self, i: usize) -> W {
        assert!(i < M);
        if W::DIRECT {
            // SAFETY: i < M, and the block at `at` lies within every row.
            unsafe { W::direct::<BE>(self.isa, self.rows, self.at + i * W::BYTES) }
        } else {
            // SAFETY: all M words of the current buffer were written: by `new`, or by `ahead` as `advance` asserted.
            unsafe { self.words[self.turn][i].assume_init() }
        }
    }

    /// Prepares part `i` of the next block. A round function calls it once for every 16 bytes of the block, with i = 0, 1, …, at
    /// places where the processor has room.
    #[inline(always)]
    pub(crate) fn ahead(&mut self, i: usize) {
        if !W::DIRECT {
            assert!(i < Self::COLUMNS);
            self.prepared |= 1 << i;
            let out = self.words[self.turn ^ 1].as_mut_ptr().cast();
            // SAFETY: the block at `next` lies within every row (it is the current one again when there is no next),
            // and `out` has room for M words.
            unsafe { W::part::<BE>(self.isa, self.rows, self.next, i, M, out) }
        }
    }

    /// On to the next block.
    #[inline(always)]
    fn advance(&mut self) {
        if !W::DIRECT {
            assert!(self.prepared == (1 << Self::COLUMNS) - 1, "the round function left out a part of the next block");
            self.prepared = 0;
        }
        self.left -= 1;
        self.at = self.next;
        self.turn ^= 1;
        if self.left > 1 {
            self.next += M * W::BYTES;
        }
    }
}

/// A round function over words: what an algorithm's file writes once for every number of lanes.
///
/// H words of state go in and come out; M words of block come from the feed. An implementation must call `m.ahead(i)` once
/// for every 16 bytes of the block; the feed asserts it.
pub(crate) trait Round<W: Word, const H: usize, const M: usize, const BE: bool> {
    fn compress(isa: W::Isa, p: &Params, h: &mut [W; H], m: &mut Feed<'_, W, M, BE>);
}

/// Reads H words per lane from packed memory.
#[inline(always)]
fn load_state<W: Word, const H: usize>(isa: W::Isa, packed: &[u8]) -> [W; H] {
    assert!(packed.len() >= H * W::LANES * W::BYTES);
    // SAFETY: the first of H words within `packed`, as asserted.
    let mut h = [unsafe { W::load(isa, packed.as_ptr()) }; H];
    for i in 1..H {
        // SAFETY: within `packed`, as asserted.
        h[i] = unsafe { W::load(isa, packed.as_ptr().add(i * W::LANES * W::BYTES)) };
    }
    h
}

/// Writes H words per lane to packed memory.
#[inline(always)]
fn store_state<W: Word, const H: usize>(h: &[W; H], packed: &mut [u8]) {
    assert!(packed.len() >= H * W::LANES * W::BYTES);
    for i in 0..H {
        // SAFETY: within `packed`, as asserted.
        unsafe { h[i].store(packed.as_mut_ptr().add(i * W::LANES * W::BYTES)) }
    }
}

/// Runs the round function R over all blocks of all lanes.
#[inline(always)]
pub(crate) fn drive<R, W, const H: usize, const M: usize, const BE: bool>(
    isa: W::Isa,
    p: &Params,
    packed: &mut [u8],
    rows: &Rows<'_>,
) where
    W: Word,
    R: Round<W, H, M, BE>,
{
    let mut h = load_state::<W, H>(isa, packed);
    let mut words: Words<W, M> = [[MaybeUninit::uninit(); M]; 2];
    let mut feed = Feed::<W, M, BE>::new(isa, rows, &mut words);
    for _ in 0..rows.blocks() {
        R::compress(isa, p, &mut h, &mut feed);
        feed.advance();
    }
    store_state(&h, packed);
}

/// A permutation of 25 words, for sponges with any rate.
pub(crate) trait Sponge<W: Word64> {
    fn permute(isa: W::Isa, a: &mut [W; 25]);
}

/// Absorbs all blocks of all lanes: the block's words (little-endian) are added to the first words of the state, which is
/// permuted. The rate is the block length, a multiple of 8 bytes from 16 to 192.
#[inline(always)]
pub(crate) fn drive_sponge<R, W>(isa: W::Isa, packed: &mut [u8], rows: &Rows<'_>)
where
    W: Word64,
    R: Sponge<W>,
{
    let rate = rows.block();
    assert!(rows.lanes() == W::LANES && rate % 8 == 0 && (16..=192).contains(&rate));
    let words = rate / 8;
    let mut a = load_state::<W, 25>(isa, packed);
    let pointers = rows.pointers.as_ptr();
    for b in 0..rows.blocks() {
        let at = b * rate;
        let mut t = [W::splat(isa, 0); 2];
        repeat16!(I => {
            if I < 12 && 2 * I + 2 <= words {
                // SAFETY: words 2I and 2I+1 lie within block b of every row; `t` has room for a column of two.
                unsafe { W::column::<false>(isa, pointers, at + 16 * I, t.as_mut_ptr()) };
                a[2 * (I % 12)] = a[2 * (I % 12)].xor(t[0]);
                a[2 * (I % 12) + 1] = a[2 * (I % 12) + 1].xor(t[1]);
            } else if I < 12 && 2 * I + 1 == words {
                // The last word of an odd number: the upper half of the column that ends with the block.
                // SAFETY: the block has at least two words, so the column lies within it.
                unsafe { W::column::<false>(isa, pointers, at + rate - 16, t.as_mut_ptr()) };
                a[2 * (I % 12)] = a[2 * (I % 12)].xor(t[1]);
            }
        });
        R::permute(isa, &mut a);
    }
    store_state(&a, packed);
}

/// A permutation of 32 words, under blocks of any length up to 128 bytes.
pub(crate) trait Wide<W: Word32> {
    fn permute(p: &Params, x: &mut [W; 32]);
}

/// The most lanes of [`drive_wide`].
const WIDE_LANES: usize = 32;

/// Absorbs all blocks of all lanes: the block's words (little-endian) are added to the first words of the state, which is
/// permuted. A block has 1 to 128 bytes; zeros fill up its last column.
#[inline(always)]
pub(crate) fn drive_wide<R, W>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>)
where
    W: Word32,
    R: Wide<W>,
{
    let block = rows.block();
    assert!(rows.lanes() == W::LANES && W::LANES <= WIDE_LANES && (1..=128).contains(&block));
    let (columns, piece) = (block / 16, block % 16);
    let mut x = load_state::<W, 32>(isa, packed);
    let pointers = rows.pointers.as_ptr();
    for b in 0..rows.blocks() {
        let at = b * block;
        let mut t = [W::splat(isa, 0); 4];
        repeat16!(I => if I < 8 && I < columns {
            // SAFETY: the column lies within block b of every row; `t` has room for four words.
            unsafe { W::column::<false>(isa, pointers, at + 16 * I, t.as_mut_ptr()) };
            for k in 0..4 {
                x[4 * (I % 8) + k] = x[4 * (I % 8) + k].xor(t[k]);
            }
        });
        if piece > 0 {
            let mut pieces = [[0u8; 16]; WIDE_LANES];
            let mut pointers = [core::ptr::null(); WIDE_LANES];
            for l in 0..W::LANES {
                let row = &rows.lane(l)[at + 16 * columns..][..piece];
                // Not a copy: the compiler would call a function for it.
                let mut column = 0;
                for i in 0..piece {
                    column |= u128::from(row[i]) << (8 * i);
                }
                pieces[l] = column.to_le_bytes();
                pointers[l] = pieces[l].as_ptr();
            }
            // SAFETY: every lane's piece is a column; `t` has room for four words.
            unsafe { W::column::<false>(isa, pointers.as_ptr(), 0, t.as_mut_ptr()) };
            repeat16!(I => if I < 8 && I == columns {
                for k in 0..4 {
                    x[4 * (I % 8) + k] = x[4 * (I % 8) + k].xor(t[k]);
                }
            });
        }
        R::permute(p, &mut x);
    }
    store_state(&x, packed);
}
