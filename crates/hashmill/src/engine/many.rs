//! Many messages in memory: short ones in batches of one shape, the others through the mill.
//!
//! Messages of up to 2 KiB are sorted into bins by shape (number of whole blocks, bytes in the tail), and a full bin is
//! a batch; neighbours of the same shape skip the bins. Checksums without blocks go to `Whole::digest_many`.

use crate::base::digest::Digests;
use crate::base::error::Error;
use crate::base::hex;
use crate::contract::{Inputs, Kernel, Params, State};
use crate::engine::chosen::Engine;
use crate::engine::mill::{Mill, Open, Refill, Source};
use crate::plumbing::Driven;
use crate::plumbing::batch::{self, Batch, Member, Members, Plain, Room, Shape};
use crate::plumbing::call::MAX_LANES;
use crate::registry::algorithm::Algorithm;
use crate::registry::table::Rule;

/// Messages with more bytes than this in whole blocks go through the mill.
const SHORT: usize = 2048;

/// So many messages are handed at once to an algorithm without blocks.
const AT_ONCE: usize = 256;

/// For so few messages, clearing a longer list would take longer than hashing them, and their lengths are looked at
/// first.
const FEW: usize = 8;

/// The lengths of so many messages are looked at first where there are blocks.
const SOME: usize = 16;

/// So many messages are hashed before their digests become text: few enough for the second-level cache, and enough of
/// each length for full batches.
const TEXT_AT_ONCE: usize = 16_384;

/// For messages of up to so many blocks, setting up a kernel's lanes counts, whether they are used or not.
const BRIEF: usize = 6;

/// From so many whole blocks on, messages whose shape no other has are worth the mill.
const WORTH: usize = 8;

/// Messages with a number each.
trait Messages {
    fn count(&self) -> usize;
    fn message(&self, i: usize) -> &[u8];

    /// Length of message `i` in bytes.
    fn len(&self, i: usize) -> usize;

    /// Whether the lengths of `n` messages from number `first` on are all as they should be. Asks for every one of
    /// them, so that vector code can.
    #[inline(always)]
    fn all(&self, first: usize, n: usize, good: impl Fn(usize) -> bool) -> bool {
        (first..first + n).fold(true, |all, i| all & good(self.len(i)))
    }
}

/// Messages whose numbers follow each other.
struct Neighbours<'m, M> {
    messages: &'m M,
    first: usize,
    count: usize,
}

impl<M> Clone for Neighbours<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Neighbours<'_, M> {}

impl<'m, M: Messages> Members<'m> for Neighbours<'m, M> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.count
    }

    #[inline(always)]
    fn message(&self, j: usize) -> &'m [u8] {
        self.messages.message(self.first + j)
    }

    #[inline(always)]
    fn place(&self, j: usize) -> usize {
        self.first + j
    }
}

/// Slices, or what can be taken as such.
struct Slices<'a, M>(&'a [M]);

impl<M: AsRef<[u8]>> Messages for Slices<'_, M> {
    fn count(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn message(&self, i: usize) -> &[u8] {
        self.0[i].as_ref()
    }

    #[inline(always)]
    fn len(&self, i: usize) -> usize {
        self.message(i).len()
    }
}

/// The form of digests in a buffer.
///
/// ```
/// use hashmill::{Algorithm, Encoding, digest_slices_into};
/// let a: Algorithm = "crc32".parse()?;
/// let (mut raw, mut hex) = ([0; 4], [0; 8]);
/// digest_slices_into(a, &["123456789"], Encoding::Raw, &mut raw)?;
/// digest_slices_into(a, &["123456789"], Encoding::Hex, &mut hex)?;
/// assert_eq!((raw, &hex), (0xcbf4_3926u32.to_be_bytes(), b"cbf43926"));
/// # Ok::<(), hashmill::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum Encoding {
    /// The bytes, [`Algorithm::digest_len`] for each digest.
    Raw = 0,
    /// Lower-case hexadecimal digits, twice as many for each digest, and nothing between digests.
    Hex = 1,
}

impl Encoding {
    /// Bytes of one digest.
    fn each(self, a: Algorithm) -> usize {
        a.digest_len() << self as u32
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A type of offsets: `u32`, `u64`, and Arrow's `i32` and `i64`.
///
/// ```
/// use hashmill::{Algorithm, Encoding, digest_many_into};
/// let a: Algorithm = "crc32".parse()?;
/// let (mut narrow, mut wide) = ([0; 4], [0; 4]);
/// digest_many_into(a, &[0u32, 3], b"abc", Encoding::Raw, &mut narrow)?;
/// digest_many_into(a, &[0i64, 3], b"abc", Encoding::Raw, &mut wide)?;
/// assert_eq!(narrow, wide);
/// # Ok::<(), hashmill::Error>(())
/// ```
pub trait Offset: Copy + sealed::Sealed {
    #[doc(hidden)]
    fn wide(self) -> i128;

    /// The offset of a place in memory.
    #[doc(hidden)]
    fn place(self) -> usize;

    /// Whether none is less than the one before. One pass without early exits, which the compiler makes into vector
    /// code.
    #[doc(hidden)]
    fn ascend(offsets: &[Self]) -> bool;
}

macro_rules! offset {
    ($($type:ty)*) => {$(
        impl sealed::Sealed for $type {}

        impl Offset for $type {
            fn wide(self) -> i128 {
                self.into()
            }

            #[inline(always)]
            fn place(self) -> usize {
                self as usize
            }

            fn ascend(offsets: &[$type]) -> bool {
                offsets.windows(2).fold(true, |ok, pair| ok & (pair[0] <= pair[1]))
            }
        }
    )*};
}

offset! { u32 u64 i32 i64 }

/// One after the other in one buffer. The offsets are known to be good: ascending and within the bytes.
struct Contiguous<'a, O> {
    offsets: &'a [O],
    bytes: &'a [u8],
}

impl<'a, O: Offset> Contiguous<'a, O> {
    fn new(offsets: &'a [O], bytes: &'a [u8]) -> Result<Self, Error> {
        let len = bytes.len() as i128;
        let within = |o: Option<&O>| o.is_none_or(|o| (0..=len).contains(&o.wide()));
        if !O::ascend(offsets) || !within(offsets.first()) || !within(offsets.last()) {
            let wide = |i: usize| offsets[i].wide();
            let bad = |i: &usize| !(0..=len).contains(&wide(*i)) || *i > 0 && wide(*i) < wide(*i - 1);
            let at = (0..offsets.len()).find(bad).unwrap_or(0);
            return Err(Error::BadOffsets { at, offset: wide(at), len: bytes.len() });
        }
        Ok(Contiguous { offsets, bytes })
    }
}

impl<O: Offset> Messages for Contiguous<'_, O> {
    fn count(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    #[inline(always)]
    fn message(&self, i: usize) -> &[u8] {
        &self.bytes[self.offsets[i].place()..self.offsets[i + 1].place()]
    }

    #[inline(always)]
    fn len(&self, i: usize) -> usize {
        self.offsets[i + 1].place() - self.offsets[i].place()
    }

    #[inline(always)]
    fn all(&self, first: usize, n: usize, good: impl Fn(usize) -> bool) -> bool {
        let (from, to) = (&self.offsets[first..first + n], &self.offsets[first + 1..first + 1 + n]);
        from.iter().zip(to).fold(true, |all, (from, to)| all & good(to.place().wrapping_sub(from.place())))
    }
}

impl<M: Messages> Messages for Neighbours<'_, M> {
    fn count(&self) -> usize {
        self.count
    }

    #[inline(always)]
    fn message(&self, i: usize) -> &[u8] {
        self.messages.message(self.first + i)
    }

    #[inline(always)]
    fn len(&self, i: usize) -> usize {
        self.messages.len(self.first + i)
    }

    #[inline(always)]
    fn all(&self, first: usize, n: usize, good: impl Fn(usize) -> bool) -> bool {
        self.messages.all(self.first + first, n, good)
    }
}

/// The digests of many messages at once, in their order: SIMD lanes where the algorithm and the machine have them, any
/// mix of lengths.
///
/// ```
/// use hashmill::{Algorithm, digest_many};
/// let a: Algorithm = "sha256".parse()?;
/// let digests = digest_many(a, &["a", "", "abc"]);
/// assert_eq!(&digests[2], a.digest(b"abc").as_bytes());
/// # Ok::<(), hashmill::Error>(())
/// ```
pub fn digest_many<M: AsRef<[u8]>>(a: Algorithm, messages: &[M]) -> Digests {
    digests(a.into(), messages)
}

pub(crate) fn digests<M: AsRef<[u8]>>(engine: Engine, messages: &[M]) -> Digests {
    let mut out = Digests::new(messages.len(), engine.algorithm().digest_len());
    digest_all(engine, &Slices(messages), out.as_bytes_mut());
    out
}

/// The digests of many messages that lie one after the other in `bytes`: message i is `bytes[offsets[i]..offsets[i +
/// 1]]`, so n messages have n + 1 offsets, ascending (Arrow's layout of variable-length values; no offsets at all are
/// no messages). The digests go to `out` in that order, one after the other, as bytes or as text; nothing is allocated
/// for each message.
///
/// ```
/// use hashmill::{Algorithm, Encoding, digest_many_into};
/// let a: Algorithm = "crc32".parse()?;
/// let mut out = [0; 16];
/// digest_many_into(a, &[0i32, 5, 9], b"helloword", Encoding::Hex, &mut out)?;
/// assert_eq!(&out, b"3610a686c3f17511");
/// # Ok::<(), hashmill::Error>(())
/// ```
///
/// # Errors
/// [`Error::BadOffsets`] if an offset is negative, less than the one before it or beyond the bytes, and
/// [`Error::WrongTotal`] if `out` is not exactly as long as all digests. Nothing has been written then.
pub fn digest_many_into<O: Offset>(
    a: Algorithm,
    offsets: &[O],
    bytes: &[u8],
    encoding: Encoding,
    out: &mut [u8],
) -> Result<(), Error> {
    column(a.into(), offsets, bytes, encoding, out)
}

/// The digests of many messages, in their order, one after the other in `out`, as bytes or as text.
///
/// ```
/// use hashmill::{Algorithm, Encoding, digest_slices_into};
/// let a: Algorithm = "crc32".parse()?;
/// let mut out = [0; 16];
/// digest_slices_into(a, &["hello", "word"], Encoding::Hex, &mut out)?;
/// assert_eq!(&out, b"3610a686c3f17511");
/// # Ok::<(), hashmill::Error>(())
/// ```
///
/// # Errors
/// [`Error::WrongTotal`] if `out` is not exactly as long as all digests. Nothing has been written then.
pub fn digest_slices_into<M: AsRef<[u8]>>(
    a: Algorithm,
    messages: &[M],
    encoding: Encoding,
    out: &mut [u8],
) -> Result<(), Error> {
    slices(a.into(), messages, encoding, out)
}

pub(crate) fn column<O: Offset>(
    engine: Engine,
    offsets: &[O],
    bytes: &[u8],
    encoding: Encoding,
    out: &mut [u8],
) -> Result<(), Error> {
    written(engine, &Contiguous::new(offsets, bytes)?, encoding, out)
}

pub(crate) fn slices<M: AsRef<[u8]>>(
    engine: Engine,
    messages: &[M],
    encoding: Encoding,
    out: &mut [u8],
) -> Result<(), Error> {
    written(engine, &Slices(messages), encoding, out)
}

fn written<M: Messages>(engine: Engine, messages: &M, encoding: Encoding, out: &mut [u8]) -> Result<(), Error> {
    let (each, count) = (encoding.each(engine.algorithm()), messages.count());
    if count.checked_mul(each) != Some(out.len()) {
        return Err(Error::WrongTotal { each, count, given: out.len() });
    }
    if encoding == Encoding::Raw {
        digest_all(engine, messages, out);
        return Ok(());
    }
    // Of long digests so many that a count of their bytes does not overflow where it has 32 bits.
    let at_once = TEXT_AT_ONCE.min(usize::MAX / each).max(1);
    for (i, text) in out.chunks_mut(at_once * each).enumerate() {
        let some = Neighbours { messages, first: i * at_once, count: text.len() / each };
        // The bytes lie in the second half, which is read before text is written over it.
        let (_, raw) = text.split_at_mut(text.len() / 2);
        digest_all(engine, &some, raw);
        hex::spread(text);
    }
    Ok(())
}

/// Whether there is a kernel with lanes that may be worth using. Of few messages, the longest decides; among many, it
/// is decided for every batch.
fn is_worth_lanes<M: Messages>(engine: Engine, rule: &dyn Driven, messages: &M) -> bool {
    let n = messages.count();
    let blocks = match n {
        ..=SOME => 1 + (0..n).map(|i| messages.len(i)).max().unwrap_or(0) / rule.block(engine.params()),
        _ => usize::MAX,
    };
    wide_kernels(engine).any(|(k, min)| is_worth(min, usize::from(k.lanes()), rule.setup(), n, blocks))
}

/// The kernels for several messages that come before all kernels for one message: those after one of these are slower.
fn wide_kernels(engine: Engine) -> impl Iterator<Item = (&'static Kernel, usize)> {
    engine.many_kernels().take_while(|(k, _)| k.lanes() > 1)
}

/// Whether a batch of `n` messages of so many blocks is worth a kernel that is faster from `min` long messages on.
#[inline(always)]
fn is_worth(min: usize, lanes: usize, setup: usize, n: usize, blocks: usize) -> bool {
    // A kernel that was forced has a `min` of 1, and always runs.
    // With `min` messages, some quarter of what hashing one takes is gained, and with each more, all of it.
    let gain = |more: usize| (4 * more + 1).saturating_mul(blocks);
    min == 1 || n.min(lanes).checked_sub(min).is_some_and(|more| gain(more) > 4 * setup)
}

/// Writes all digests to `out`, which has room for exactly them.
fn digest_all<M: Messages>(engine: Engine, messages: &M, out: &mut [u8]) {
    let a = engine.algorithm();
    let n = messages.count();
    let each = a.digest_len();
    let rule = match a.row().rule {
        Rule::Blocks(rule) if is_worth_lanes(engine, rule, messages) => rule,
        Rule::Blocks(_) => {
            for (i, digest) in out.chunks_exact_mut(each).enumerate() {
                engine.digest_to(messages.message(i), digest);
            }
            return;
        }
        Rule::Whole { .. } => {
            return match n {
                ..=FEW => digest_whole::<FEW, M>(engine, messages, out),
                _ => digest_whole::<AT_ONCE, M>(engine, messages, out),
            };
        }
    };
    let mut short = Short::new(engine, rule, n, out);
    let mut long = Vec::new();
    let mut i = 0;
    // Where neighbours have different shapes, it is tried ever more rarely whether they have one.
    let mut pause = 0;
    while i < n {
        let together = short.take_batch(i, messages);
        pause = if together > 0 { 0 } else { (2 * pause).clamp(64, 4096) };
        i += together;
        let until = n.min(i + pause);
        while i < until {
            if !short.take(i, messages.message(i)) {
                long.push(i);
            }
            i += 1;
        }
    }
    short.finish(&mut long);
    if long.is_empty() {
        return;
    }
    let len = |i: usize| messages.message(i).len();
    if long.iter().any(|&i| len(i) != len(long[0])) {
        long.sort_by_key(|&i| std::cmp::Reverse(len(i)));
    }
    let slots = long.len();
    let mut memory = Memory { messages, order: long, next: 0, slots: [(0, 0); MAX_LANES], each, out };
    Mill::new(engine, slots).run(&mut memory);
}

/// The digests of an algorithm without blocks; `N` messages are handed to it at once.
fn digest_whole<const N: usize, M: Messages>(engine: Engine, messages: &M, out: &mut [u8]) {
    let a = engine.algorithm();
    let (whole, each) = (engine.single_kernel().whole(), a.digest_len());
    let mut some: [&[u8]; N] = [&[]; N];
    for (i, out) in out.chunks_mut(N * each).enumerate() {
        let count = out.len() / each;
        for (k, m) in some[..count].iter_mut().enumerate() {
            *m = messages.message(N * i + k);
        }
        whole.digest_many(&a.params, &some[..count], out);
    }
}

/// A kernel with the states that every batch starts from.
struct Candidate {
    kernel: &'static Kernel,
    lanes: usize,
    min_active: usize,
    fresh: Vec<u8>,
}

/// Messages of one shape that wait for more.
#[derive(Default)]
struct Bin<'m> {
    shape: Shape,
    /// So many are a full batch.
    full: usize,
    members: Vec<Member<'m>>,
}

/// Short messages by their shape, until there are enough of one for a batch.
struct Short<'m, 'o> {
    p: Params,
    rule: &'static dyn Driven,
    plain: Option<Plain>,
    block: usize,
    /// The logarithm of the block length, where it is a power of two.
    shift: Option<u32>,
    /// Where shapes are numbers of blocks: how many bytes to add to a message's length, and the logarithm of the block
    /// length.
    counted: Option<(usize, u32)>,
    keep_last: bool,
    single: &'static Kernel,
    /// Those that are worth it for so many messages; one at least.
    kernels: Vec<Candidate>,
    count: usize,
    /// By [`bin`].
    bins: Vec<Bin<'m>>,
    room: Room,
    out: &'o mut [u8],
}

/// Bins for each number of blocks that run straight from the message: by the length of the tail.
const TAILS: usize = 4;

/// The bin of a shape. Should two shapes ever share one, the second's messages go through the mill.
#[inline(always)]
fn bin(shape: Shape, block: usize) -> usize {
    shape.direct * TAILS + (shape.tail > block) as usize + (shape.tail > 2 * block) as usize
}

impl<'m, 'o> Short<'m, 'o> {
    fn new(engine: Engine, rule: &'static dyn Driven, count: usize, out: &'o mut [u8]) -> Self {
        let a = engine.algorithm();
        let mut kernels: Vec<Candidate> = Vec::new();
        for (kernel, min_active) in wide_kernels(engine) {
            if min_active <= count {
                let lanes = usize::from(kernel.lanes());
                kernels.push(Candidate { kernel, lanes, min_active, fresh: Vec::new() });
            }
        }
        let block = rule.block(&a.params);
        let plain = Plain::of(rule, &a.params);
        let shift = block.is_power_of_two().then(|| block.ilog2());
        let field = plain.map_or(0, |p| p.padding.field());
        Short {
            p: a.params,
            rule,
            plain,
            block,
            shift,
            counted: shift.filter(|_| field > 0).map(|shift| (field + block, shift)),
            keep_last: rule.keep_last(),
            single: engine.single_kernel(),
            kernels,
            count,
            bins: Vec::new(),
            room: Room::new(),
            out,
        }
    }

    /// How many whole blocks `n` bytes are.
    #[inline(always)]
    fn blocks(&self, n: usize) -> usize {
        match self.shift {
            Some(shift) => n >> shift,
            None => n / self.block,
        }
    }

    /// How a message of `len` bytes is run.
    #[inline(always)]
    fn shape(&self, len: usize) -> Shape {
        let block = self.block;
        let Some(plain) = &self.plain else {
            let whole = self.blocks(if self.keep_last { len.saturating_sub(1) } else { len });
            return Shape { direct: whole, tail: self.rule.tail_len(&self.p, len - whole * block) };
        };
        let field = plain.padding.field();
        if field == 0 {
            return Shape { direct: self.blocks(len), tail: block };
        }
        // The last two blocks are packed, so that messages agree which have as many blocks, wherever they end.
        let blocks = self.blocks(len + 1 + field + block - 1);
        Shape { direct: blocks.saturating_sub(2), tail: blocks.min(2) * block }
    }

    /// Takes as many messages from number `first` on as make a full batch, if all of them have one shape, and says how
    /// many. Otherwise it takes none. Messages of one length, and those that all fit into one block, need no bins then.
    #[inline(always)]
    fn take_batch<M: Messages>(&mut self, first: usize, messages: &'m M) -> usize {
        let lanes = self.kernels[0].kernel.block_kernel();
        let len = messages.len(first);
        let (Some((more, shift)), Some(plain)) = (self.counted, batch::packed(lanes, self.plain)) else { return 0 };
        if len > SHORT {
            return 0;
        }
        let shape = self.shape(len);
        let full = batch::full(lanes, self.plain, shape);
        if full > messages.count() - first {
            return 0;
        }
        let blocks = (len + more) >> shift;
        if !messages.all(first, full, |len| (len + more) >> shift == blocks) {
            return 0;
        }
        self.batch(0, shape, Neighbours { messages, first, count: full }).run_packed(plain);
        full
    }

    /// Takes a message, or says that it is too long.
    #[inline(always)]
    fn take(&mut self, place: usize, message: &'m [u8]) -> bool {
        if message.len() > SHORT {
            return false;
        }
        // Messages of as many blocks have one shape, which then is worked out for the first of them only.
        let (i, shape) = match self.counted {
            Some((more, shift)) => ((message.len() + more) >> shift, None),
            None => {
                let shape = self.shape(message.len());
                (bin(shape, self.block), Some(shape))
            }
        };
        if i >= self.bins.len() {
            self.bins.resize_with(i + 1, Bin::default);
        }
        if self.bins[i].members.is_empty() {
            let shape = shape.unwrap_or_else(|| self.shape(message.len()));
            let bin = &mut self.bins[i];
            bin.shape = shape;
            if bin.full == 0 {
                bin.full = batch::full(self.kernels[0].kernel.block_kernel(), self.plain, shape);
                bin.members.reserve_exact(bin.full.min(self.count));
            }
        }
        let bin = &mut self.bins[i];
        if shape.is_some_and(|shape| shape != bin.shape) {
            return false;
        }
        bin.members.push(Member { place, message });
        if bin.members.len() == bin.full {
            let shape = bin.shape;
            let mut members = std::mem::take(&mut bin.members);
            self.run(0, shape, &members);
            members.clear();
            self.bins[i].members = members;
        }
        true
    }

    /// Hashes what is left: in batches that are not full, or one by one; messages of some length are left to the mill.
    fn finish(mut self, long: &mut Vec<usize>) {
        for Bin { shape, members, .. } in std::mem::take(&mut self.bins) {
            let mut members = &members[..];
            while !members.is_empty() {
                let (blocks, setup) = (shape.direct + shape.tail / self.block, self.rule.setup());
                let fit = |k: &Candidate| is_worth(k.min_active, k.lanes, setup, members.len(), blocks);
                let Some(mut k) = self.kernels.iter().position(fit) else { break };
                // A narrower kernel that has room for all is set up faster.
                let narrower = |next: &Candidate, k: usize| {
                    next.lanes >= members.len() && next.lanes < self.kernels[k].lanes && fit(next)
                };
                while blocks <= BRIEF && self.kernels.get(k + 1).is_some_and(|next| narrower(next, k)) {
                    k += 1;
                }
                // Several rounds of all lanes at once, or what is left.
                let full = batch::full(self.kernels[k].kernel.block_kernel(), self.plain, shape).min(members.len());
                let lanes = self.kernels[k].lanes;
                let (batch, rest) = members.split_at(if full > lanes { full - full % lanes } else { full });
                self.run(k, shape, batch);
                members = rest;
            }
            if shape.direct >= WORTH {
                long.extend(members.iter().map(|member| member.place));
                continue;
            }
            let each = self.p.out_len as usize;
            for member in members {
                let digest = &mut self.out[member.place * each..][..each];
                self.rule.digest(self.single, &self.p, member.message, digest);
            }
        }
    }

    /// Hashes a batch on kernel `k`.
    fn run(&mut self, k: usize, shape: Shape, members: &[Member<'_>]) {
        let (rule, plain) = (self.rule, self.plain);
        rule.batch(plain, &mut self.batch(k, shape, members));
    }

    /// A batch for kernel `k`.
    #[inline(always)]
    fn batch<M>(&mut self, k: usize, shape: Shape, members: M) -> Batch<'_, M> {
        let Candidate { kernel, fresh, .. } = &mut self.kernels[k];
        if fresh.is_empty() {
            let mut s = State::zero();
            self.rule.init(&self.p, &Inputs::NONE, &mut s);
            let k = kernel.block_kernel();
            fresh.resize(k.packed_bytes(), 0);
            k.seat_all(&s, fresh);
        }
        Batch {
            p: &self.p,
            kernel,
            single: self.single,
            block: self.block,
            shape,
            fresh,
            members,
            room: &mut self.room,
            out: self.out,
        }
    }
}

/// Messages in memory, longest first.
struct Memory<'a, M> {
    messages: &'a M,
    /// Which of them, in the order in which they are taken.
    order: Vec<usize>,
    next: usize,
    /// For each slot: its message, and how much of it was used before the window.
    slots: [(usize, usize); MAX_LANES],
    /// Bytes of a digest.
    each: usize,
    out: &'a mut [u8],
}

impl<M: Messages> Source for Memory<'_, M> {
    fn open(&mut self, slot: usize) -> Open {
        let Some(&i) = self.order.get(self.next) else { return Open::End };
        self.next += 1;
        self.slots[slot] = (i, 0);
        Open::Message(self.messages.message(i).len() as u64)
    }

    fn window(&self, slot: usize) -> &[u8] {
        let (i, from) = self.slots[slot];
        &self.messages.message(i)[from..]
    }

    fn refill(&mut self, slot: usize, keep: usize) -> Refill {
        let (i, from) = &mut self.slots[slot];
        *from = self.messages.message(*i).len() - keep;
        Refill::End
    }

    fn done(&mut self, slot: usize, digest: &[u8]) {
        self.out[self.slots[slot].0 * self.each..][..self.each].copy_from_slice(digest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Few messages are worth lanes only if they are long; a forced kernel always runs.
    #[test]
    fn few_short_messages_are_not_worth_lanes() {
        for (min, lanes, setup, n, blocks, worth) in [
            (3, 32, 6, 3, 1, false),
            (3, 32, 6, 8, 1, false),
            (3, 32, 6, 9, 1, true),
            (3, 32, 6, 3, 24, false),
            (3, 32, 6, 3, 25, true),
            (3, 32, 6, 4, 5, true),
            (2, 2, 0, 2, 1, true),
            (3, 32, 6, 2, usize::MAX, false),
            // More messages than lanes are several batches, each of which is as short.
            (2, 2, 6, 64, 1, false),
            (2, 2, 6, 64, 25, true),
            (1, 64, 6, 1, 1, true),
        ] {
            assert_eq!(is_worth(min, lanes, setup, n, blocks), worth, "{n} messages of {blocks} blocks");
        }
    }

    /// A kernel with lanes that comes after one for one message is not taken: it is slower than that one.
    #[test]
    fn no_lanes_after_a_kernel_for_one_message() {
        let m = [0x5a; 4096];
        let messages: Vec<&[u8]> = (0..64).map(|i| &m[..i * 64]).collect();
        for a in Algorithm::all() {
            if matches!(a.row().rule, Rule::Whole { .. }) {
                continue;
            }
            let single = Engine::from(a).single_kernel();
            let after: Vec<&str> = a.row().kernels.iter().map(|k| k.name).skip_while(|k| *k != single.name).collect();
            assert!(wide_kernels(a.into()).all(|(k, _)| !after.contains(&k.name)), "{a}");
            let digests = digest_many(a, &messages);
            assert!(messages.iter().zip(digests.iter()).all(|(m, d)| a.digest(m).as_bytes() == d), "{a}");
        }
    }
}
