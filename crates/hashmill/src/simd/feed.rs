//! From messages in memory to words in registers: the rows of a run, the feed that prepares the next block while the
//! current one is hashed, and the loop over blocks that all word kernels share.
//!
//! The next block is transposed in small pieces ([`Word::piece`]) between the steps of the current one; round functions
//! ask for them (`m.ahead(i, n)`). Whole 16-byte columns at a time would fetch every cache line four times. `here`
//! keeps the compiler from loading words before the steps that need them, which had cost MD5 half its speed.
//! `align_frame` aligns a kernel's frame to its vectors, so that spilled vectors do not cross cache lines; `xtask
//! machine-code` fails where a kernel needs it.
//!
//! Fetching each row's lines into the cache two blocks ahead did not pay: from memory, MD4 and MD5 1.03 to 1.07 times
//! as fast, the others the same; messages of 100 bytes 0.97 (Intel Xeon with AVX-512 FP16). The processor does that.
//!
//! Built with `--cfg hashmill_alone="rounds"` or `"blocks"`, kernels leave out one of the two, which takes as long as
//! the other alone; digests are wrong then. Only `bench/engines/lanes` does that.

use super::{Word, Word32, Word64, repeat16};
use crate::base::params::Params;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

/// The bytes that one run of a kernel reads: for every lane, a pointer that is valid for all blocks of the run.
pub(crate) struct Rows<'a> {
    pointers: &'a [*const u8],
    blocks: usize,
    block: usize,
    each: usize,
    data: PhantomData<&'a [u8]>,
}

impl<'a> Rows<'a> {
    /// Makes rows of `blocks` blocks of `block` bytes each. `pointers` provides space for one pointer per row.
    ///
    /// # Panics
    /// If a row is shorter than that, or `pointers` is too short.
    #[inline(always)]
    pub(crate) fn new(rows: &[&'a [u8]], pointers: &'a mut [*const u8], blocks: usize, block: usize) -> Self {
        Rows::of(&mut pointers[..rows.len()], blocks, block, |l| rows[l])
    }

    /// Like [`Rows::new`], with `row` returning the bytes of each lane.
    #[inline(always)]
    pub(crate) fn of(
        pointers: &'a mut [*const u8],
        blocks: usize,
        block: usize,
        row: impl Fn(usize) -> &'a [u8],
    ) -> Self {
        for (l, p) in pointers.iter_mut().enumerate() {
            let row = row(l);
            assert!(row.len() >= blocks * block, "a lane's data is shorter than the run");
            *p = row.as_ptr();
        }
        Rows { pointers, blocks, block, each: blocks, data: PhantomData }
    }

    /// The same rows, split into consecutive messages of `each` blocks in every lane. Every message starts from the
    /// state in the first S bytes of the packed memory, where S is the size of the states of all lanes. The final
    /// states of the k-th messages of all lanes, k = 0, 1, …, go to the S bytes from (k + 1) · S on.
    ///
    /// # Panics
    /// If `each` does not divide the number of blocks.
    #[inline(always)]
    pub(crate) fn apart(self, each: usize) -> Self {
        assert!(each > 0 && self.blocks.is_multiple_of(each));
        Rows { each, ..self }
    }

    /// Number of blocks in every lane.
    #[inline(always)]
    pub(crate) fn blocks(&self) -> usize {
        self.blocks
    }

    /// Number of lanes.
    #[inline(always)]
    pub(crate) fn lanes(&self) -> usize {
        self.pointers.len()
    }

    /// Size of a block in bytes.
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
        // SAFETY: `of` checked that a slice of at least this length, borrowed for 'a, is behind the pointer.
        unsafe { core::slice::from_raw_parts(self.pointers[l], self.blocks * self.block) }
    }
}

/// The M words of the current block of every lane, and the next block in preparation.
///
/// The words of several lanes have to be transposed. [`Feed::ahead`] does a share of this for the next block, so a
/// round function that calls it in every step overlaps the transposition with its rounds. Words that need no
/// transposition are read directly from memory.
pub(crate) struct Feed<'a, W: Word, const M: usize, const BE: bool> {
    isa: W::Isa,
    rows: *const *const u8,
    at: usize,
    next: usize,
    left: usize,
    turn: usize,
    /// How many pieces of the next block are done.
    prepared: usize,
    words: &'a mut Words<W, M>,
    data: PhantomData<&'a [u8]>,
}

/// Space for the words of two blocks. It lives in the kernel's frame: a feed that owned it would be copied into place.
pub(crate) type Words<W, const M: usize> = [[MaybeUninit<W>; M]; 2];

impl<'a, W: Word, const M: usize, const BE: bool> Feed<'a, W, M, BE> {
    /// A feed at the first block of `rows`, which must have at least one.
    #[inline(always)]
    pub(crate) fn new(isa: W::Isa, rows: &Rows<'a>, words: &'a mut Words<W, M>) -> Self {
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
        feed.ahead(0, 1);
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
            let words = here(self.words[self.turn].as_ptr());
            // SAFETY: i < M, and all M words of the current buffer were written: by `new`, or by `ahead` as `advance`
            // asserted.
            unsafe { (*words.add(i)).assume_init() }
        }
    }

    /// Prepares share `i` of `shares` of the next block. A round function calls it in its steps with i = 0, 1, …,
    /// `shares` - 1.
    #[inline(always)]
    pub(crate) fn ahead(&mut self, i: usize, shares: usize) {
        if !W::DIRECT {
            let pieces = W::pieces(M);
            let (from, to) = (i * pieces / shares, (i + 1) * pieces / shares);
            assert!(self.prepared == from && to <= pieces, "shares must come in order");
            self.prepared = to;
            // Only the first block then, which all rounds take their words from.
            let is_over = cfg!(hashmill_alone = "rounds") && self.turn == 0;
            if from == to || is_over {
                return;
            }
            let rows = here(self.rows);
            let out = here(self.words[self.turn ^ 1].as_mut_ptr()).cast_mut().cast();
            for piece in from..to {
                // SAFETY: the block at `next` lies within every row (without a next block it is the current one again),
                // and `out` has room for M words; `piece` is less than the number of pieces.
                unsafe { W::piece::<BE>(self.isa, rows, self.next, piece, M, out, 1) }
            }
        }
    }

    /// Advances to the next block.
    #[inline(always)]
    pub(crate) fn advance(&mut self) {
        if !W::DIRECT {
            assert!(self.prepared == W::pieces(M), "the round function left out a share of the next block");
            self.prepared = 0;
        }
        self.left -= 1;
        self.at = self.next;
        if !cfg!(hashmill_alone = "rounds") {
            self.turn ^= 1;
        }
        if self.left > 1 {
            self.next += M * W::BYTES;
        }
    }
}

/// Returns the pointer, but keeps the compiler from moving reads through it to before this point. Otherwise it reads
/// words many steps ahead, runs out of registers, and spills them to addresses that conflict with those of the words
/// (MD5 in 64 lanes: 11 GB/s, or 12 to 20 with other addresses; 23 with this).
#[inline(always)]
#[allow(clippy::pointers_in_nomem_asm_block, reason = "nothing is read or written through it there")]
fn here<T>(p: *const T) -> *const T {
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    {
        let mut p = p;
        // SAFETY: no instruction at all; the pointer passes through a register.
        unsafe { core::arch::asm!("/* {0} */", inout(reg) p, options(nomem, nostack, preserves_flags)) }
        p
    }
    #[cfg(any(not(any(target_arch = "x86_64", target_arch = "aarch64")), miri))]
    p
}

/// Has a line of the cache fetched, if there is memory at this address. Does nothing on machines other than x86-64.
#[inline(always)]
pub(crate) fn prefetch(line: *const u8) {
    // SAFETY: it reads nothing, and any address may be given.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(line.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = line;
}

/// Returns the word, but keeps the compiler from loading it as part of a vector. What a kernel has just stored word by
/// word can be forwarded to loads of single words; a load of several would wait until all have reached the cache (about
/// fifteen cycles on Intel's cores: 4 % of SHA-512 of a short message).
#[inline(always)]
pub(crate) fn single_word(word: u64) -> u64 {
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    {
        let mut word = word;
        // SAFETY: no instruction at all; the word passes through a register.
        unsafe { core::arch::asm!("/* {0} */", inout(reg) word, options(pure, nomem, nostack, preserves_flags)) }
        word
    }
    #[cfg(any(not(any(target_arch = "x86_64", target_arch = "aarch64")), miri))]
    word
}

/// Makes the compiler align the caller's frame to vectors of this type, which it otherwise does only for locals in
/// memory, not for vectors that it spills: these would lie across cache lines or not, as the callers' frames happen to
/// end (CubeHash in 8 lanes: half as fast).
#[inline(always)]
pub(crate) fn align_frame<V>() {
    here(MaybeUninit::<V>::uninit().as_ptr());
}

/// A round function over words: an algorithm's file writes it once for any number of lanes.
///
/// It updates H words of state with M words of a block from the feed. An implementation must call `m.ahead(i, n)` for
/// all i below some n, in order; the feed asserts that it does.
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

/// Runs the round function R on all blocks of all lanes.
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
    let mut turns = Turns::new::<W>(H, rows);
    for _ in 0..rows.blocks() {
        if cfg!(hashmill_alone = "blocks") {
            feed.ahead(0, 1);
            for i in 0..M {
                h[i % H] = feed.word(i);
            }
        } else {
            R::compress(isa, p, &mut h, &mut feed);
        }
        feed.advance();
        if let Some(to) = turns.next() {
            store_state(&h, &mut packed[to..]);
            if turns.more() {
                h = load_state(isa, packed);
            }
        }
    }
}

/// Tracks where messages end in a run of blocks, and where their states go.
struct Turns {
    /// Size of the states of all lanes in bytes.
    size: usize,
    each: usize,
    /// Blocks left in the current message.
    left: usize,
    messages: usize,
    /// Where the state of the current message goes.
    to: usize,
}

impl Turns {
    #[inline(always)]
    fn new<W: Word>(words: usize, rows: &Rows<'_>) -> Self {
        let (size, messages) = (words * W::LANES * W::BYTES, rows.blocks / rows.each);
        Turns { size, each: rows.each, left: rows.each, messages, to: if messages > 1 { size } else { 0 } }
    }

    /// Advances by one block and returns where to store the state if the message has ended.
    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        self.left -= 1;
        if self.left > 0 {
            return None;
        }
        let to = self.to;
        self.left = self.each;
        self.messages -= 1;
        self.to += self.size;
        Some(to)
    }

    /// Whether another message follows.
    #[inline(always)]
    fn more(&self) -> bool {
        self.messages > 0
    }
}

/// A permutation of 25 words, for sponges of any rate.
pub(crate) trait Sponge<W: Word64> {
    fn permute(isa: W::Isa, a: &mut [W; 25]);
}

/// Absorbs all blocks of all lanes: XORs the block's words (little-endian) into the first words of the state and
/// permutes it. The rate is the block length, a multiple of 8 bytes from 16 to 192.
#[inline(always)]
pub(crate) fn drive_sponge<R, W>(isa: W::Isa, packed: &mut [u8], rows: &Rows<'_>)
where
    W: Word64,
    R: Sponge<W>,
{
    let rate = rows.block();
    assert!(rows.lanes() == W::LANES && rate % 8 == 0 && (16..=192).contains(&rate));
    let words = rate / 8;
    align_frame::<W>();
    let mut a = load_state::<W, 25>(isa, packed);
    let mut turns = Turns::new::<W>(25, rows);
    let pointers = rows.pointers.as_ptr();
    for b in 0..rows.blocks() {
        let at = b * rate;
        let mut t = [W::splat(isa, 0); 2];
        repeat16!(I => {
            if cfg!(hashmill_alone = "rounds") {
            } else if I < 12 && 2 * I + 2 <= words {
                // SAFETY: words 2I and 2I+1 lie within block b of every row; `t` has room for a column of two.
                unsafe { W::column::<false>(isa, pointers, at + 16 * I, t.as_mut_ptr()) };
                a[2 * (I % 12)] = a[2 * (I % 12)].xor(t[0]);
                a[2 * (I % 12) + 1] = a[2 * (I % 12) + 1].xor(t[1]);
            } else if I < 12 && 2 * I + 1 == words {
                // The last word of an odd number of words: the upper half of the column that ends with the block.
                // SAFETY: the block has at least two words, so the column lies within it.
                unsafe { W::column::<false>(isa, pointers, at + rate - 16, t.as_mut_ptr()) };
                a[2 * (I % 12)] = a[2 * (I % 12)].xor(t[1]);
            }
        });
        if !cfg!(hashmill_alone = "blocks") {
            R::permute(isa, &mut a);
        }
        if let Some(to) = turns.next() {
            store_state(&a, &mut packed[to..]);
            if turns.more() {
                a = load_state(isa, packed);
            }
        }
    }
}

/// A permutation of 32 words, for blocks of up to 128 bytes.
pub(crate) trait Wide<W: Word32> {
    fn permute(p: &Params, x: &mut [W; 32]);
}

/// The most lanes that [`drive_wide`] supports.
const WIDE_LANES: usize = 32;

/// Absorbs all blocks of all lanes: XORs the block's words (little-endian) into the first words of the state and
/// permutes it. A block has 1 to 128 bytes; its last column is filled up with zeros.
#[inline(always)]
pub(crate) fn drive_wide<R, W>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>)
where
    W: Word32,
    R: Wide<W>,
{
    let block = rows.block();
    assert!(rows.lanes() == W::LANES && W::LANES <= WIDE_LANES && (1..=128).contains(&block));
    let (columns, piece) = (block / 16, block % 16);
    align_frame::<W>();
    let mut x = load_state::<W, 32>(isa, packed);
    let mut turns = Turns::new::<W>(32, rows);
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
                // Not `copy_from_slice`, which the compiler would turn into a call.
                let mut column = 0;
                for i in 0..piece {
                    column |= u128::from(row[i]) << (8 * i);
                }
                pieces[l] = column.to_le_bytes();
                pointers[l] = pieces[l].as_ptr();
            }
            // SAFETY: each lane has a whole column in `pieces`; `t` has room for four words.
            unsafe { W::column::<false>(isa, pointers.as_ptr(), 0, t.as_mut_ptr()) };
            repeat16!(I => if I < 8 && I == columns {
                for k in 0..4 {
                    x[4 * (I % 8) + k] = x[4 * (I % 8) + k].xor(t[k]);
                }
            });
        }
        R::permute(p, &mut x);
        if let Some(to) = turns.next() {
            store_state(&x, &mut packed[to..]);
            if turns.more() {
                x = load_state(isa, packed);
            }
        }
    }
}
