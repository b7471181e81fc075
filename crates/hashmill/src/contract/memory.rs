//! What a running hash consists of: the state of one message, the bytes buffered until a block is full, and the stack
//! of a hash tree.
//!
//! The form is the same for all kernels of an algorithm, so a message can change kernels midway, and its state can be
//! exported.

use super::MAX_BLOCK;
use crate::base::bits::Bits;
use zeroize::Zeroize;

/// Size of a [`State`] in bytes. Keccak needs the most of all algorithms: 200.
pub(crate) const STATE_BYTES: usize = 256;

/// The state of one message: words, counters, flags, checksums, in native byte order.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct State(pub(crate) [u8; STATE_BYTES]);

impl State {
    pub(crate) const fn zero() -> Self {
        State([0; STATE_BYTES])
    }

    #[inline]
    pub(crate) fn u32(&self, i: usize) -> u32 {
        u32::from_ne_bytes(self.0[4 * i..4 * i + 4].try_into().expect("four bytes"))
    }

    #[inline]
    pub(crate) fn set_u32(&mut self, i: usize, x: u32) {
        self.0[4 * i..4 * i + 4].copy_from_slice(&x.to_ne_bytes());
    }

    #[inline]
    pub(crate) fn u64(&self, i: usize) -> u64 {
        u64::from_ne_bytes(self.0[8 * i..8 * i + 8].try_into().expect("eight bytes"))
    }

    #[inline]
    pub(crate) fn set_u64(&mut self, i: usize, x: u64) {
        self.0[8 * i..8 * i + 8].copy_from_slice(&x.to_ne_bytes());
    }

    /// Word `i` where words have `bytes` bytes: 4 or 8.
    #[inline]
    pub(crate) fn word(&self, bytes: usize, i: usize) -> u64 {
        if bytes == 4 { self.u32(i).into() } else { self.u64(i) }
    }

    /// Sets word `i` where words have `bytes` bytes, 4 or 8, to as much of `x` as it holds.
    #[inline]
    pub(crate) fn set_word(&mut self, bytes: usize, i: usize, x: u64) {
        if bytes == 4 { self.set_u32(i, x as u32) } else { self.set_u64(i, x) }
    }

    /// Sets words `i` and `i + 1` of `bytes` bytes each to as much of `x` as they hold, its lower half first.
    #[inline]
    pub(crate) fn set_two_words(&mut self, bytes: usize, i: usize, x: u128) {
        self.set_word(bytes, i, x as u64);
        self.set_word(bytes, i + 1, (x >> (8 * bytes)) as u64);
    }
}

/// The running hash of one message. It is flat, bounded, and the same for every kernel of an algorithm, so that one
/// kernel can continue where another stopped.
#[derive(Clone)]
#[allow(
    clippy::large_enum_variant,
    reason = "it is meant to be flat: a box would cost every short message an allocation"
)]
pub(crate) enum Memory {
    Flat(Flat),
    Tree(Tree),
}

/// The memory of nearly all algorithms.
#[derive(Clone)]
pub(crate) struct Flat {
    pub(crate) state: State,
    /// The first `fill` bytes are the end of the message that has not yet gone into the state.
    pub(crate) buffer: [u8; MAX_BLOCK],
    pub(crate) fill: usize,
    /// Length of the message so far in whole bytes.
    pub(crate) total: u128,
    /// The bits after the whole bytes.
    pub(crate) last: Bits,
}

/// The memory of a hash tree (BLAKE3).
#[derive(Clone)]
pub(crate) struct Tree {
    pub(crate) key: [u32; 8],
    /// Chaining values of complete subtrees, largest first: one for each set bit in the number of chunks they cover.
    pub(crate) stack: [[u32; 8]; MAX_HEIGHT],
    pub(crate) height: usize,
    /// The first `fill` bytes are the chunk being read. A full chunk is kept until the byte after it arrives.
    pub(crate) chunk: [u8; CHUNK],
    pub(crate) fill: usize,
    /// Length of the message so far in bytes.
    pub(crate) total: u64,
}

/// Size of a leaf of a [`Tree`] in bytes.
pub(crate) const CHUNK: usize = 1024;

/// The most subtrees that a message of less than 2^64 bytes can have on the stack.
pub(crate) const MAX_HEIGHT: usize = 54;

impl Tree {
    /// See [`Memory::keep`].
    #[inline(always)]
    fn keep(&mut self, holds: usize, m: &[u8]) -> bool {
        let Some(free) = self.chunk.get_mut(self.fill..).and_then(|free| free.get_mut(..m.len())) else { return false };
        if self.fill + m.len() > holds {
            return false;
        }
        copy_short(free, m);
        self.fill += m.len();
        self.total = self.total.wrapping_add(m.len() as u64);
        true
    }
}

impl Memory {
    pub(crate) fn flat(&self) -> &Flat {
        match self {
            Memory::Flat(flat) => flat,
            Memory::Tree(_) => unreachable!("an algorithm makes the memory that it reads"),
        }
    }

    pub(crate) fn flat_mut(&mut self) -> &mut Flat {
        match self {
            Memory::Flat(flat) => flat,
            Memory::Tree(_) => unreachable!("an algorithm makes the memory that it writes"),
        }
    }

    pub(crate) fn tree(&self) -> &Tree {
        match self {
            Memory::Tree(tree) => tree,
            Memory::Flat(_) => unreachable!("an algorithm makes the memory that it reads"),
        }
    }

    pub(crate) fn tree_mut(&mut self) -> &mut Tree {
        match self {
            Memory::Tree(tree) => tree,
            Memory::Flat(_) => unreachable!("an algorithm makes the memory that it writes"),
        }
    }

    /// Overwrites everything that was derived from a key or a message.
    pub(crate) fn wipe(&mut self) {
        match self {
            Memory::Flat(flat) => {
                flat.state.0.zeroize();
                flat.buffer.zeroize();
                flat.last.byte.zeroize();
            }
            Memory::Tree(tree) => {
                tree.key.zeroize();
                tree.stack.as_flattened_mut().zeroize();
                tree.chunk.zeroize();
            }
        }
    }

    /// Buffers a piece of the message and returns true, provided that at most `holds` bytes are then buffered and
    /// buffering is all that has to be done.
    #[inline(always)]
    pub(crate) fn keep(&mut self, holds: usize, m: &[u8]) -> bool {
        if m.len() > holds {
            return false;
        }
        match self {
            Memory::Flat(flat) => flat.keep(holds, m),
            Memory::Tree(tree) => tree.keep(holds, m),
        }
    }

    /// Like `clone_from`, without an intermediate copy.
    pub(crate) fn copy_from(&mut self, from: &Memory) {
        match (self, from) {
            (Memory::Flat(to), Memory::Flat(from)) => {
                to.state.0 = from.state.0;
                to.buffer = from.buffer;
                (to.fill, to.total, to.last) = (from.fill, from.total, from.last);
            }
            (to, from) => *to = from.clone(),
        }
    }
}

/// Copies between slices of equal length, usually so short that a call to `memcpy` would take longer than the copy.
#[inline(always)]
pub(crate) fn copy_short(to: &mut [u8], from: &[u8]) {
    if from.len() <= 16 {
        if let (Some(first), Some(last)) = (from.first_chunk::<8>(), from.last_chunk::<8>()) {
            to[..8].copy_from_slice(first);
            to[from.len() - 8..].copy_from_slice(last);
            return;
        }
        if let (Some(first), Some(last)) = (from.first_chunk::<4>(), from.last_chunk::<4>()) {
            to[..4].copy_from_slice(first);
            to[from.len() - 4..].copy_from_slice(last);
            return;
        }
    }
    to.copy_from_slice(from);
}

/// The same in pieces of sixteen bytes, of which those in the middle may overlap: for bytes that were written just now,
/// or are read again at once. A load that needs what several stores wrote waits until it is in the cache, and `memcpy`
/// takes larger pieces where it can.
#[inline(never)]
pub(crate) fn copy_in_pieces(to: &mut [u8], from: &[u8]) {
    #[inline(always)]
    fn ends<const N: usize>(to: &mut [u8], from: &[u8]) {
        if let (Some(first), Some(last)) = (from.first_chunk::<N>(), from.last_chunk::<N>()) {
            to[..N].copy_from_slice(first);
            to[from.len() - N..].copy_from_slice(last);
        }
    }
    match from.len() {
        65..=128 => ends::<64>(to, from),
        33..=64 => ends::<32>(to, from),
        17..=32 => ends::<16>(to, from),
        _ => copy_short(to, from),
    }
}

/// Up to eight bytes as one word; none of longer pieces.
#[inline(always)]
pub(crate) fn word(m: &[u8]) -> Option<u64> {
    let at = |i: usize, x: u64| x << (8 * i);
    Some(match (m, m.first_chunk(), m.last_chunk()) {
        ([_, _, _, _, _, _, _, _, _, ..], ..) => return None,
        (_, Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) | at(m.len() - 4, u64::from(u32::from_le_bytes(*last)))
        }
        ([first, .., last], ..) => {
            u64::from(*first) | at(m.len() / 2, u64::from(m[m.len() / 2])) | at(m.len() - 1, u64::from(*last))
        }
        ([one], ..) => u64::from(*one),
        ([], ..) => 0,
    })
}

impl Flat {
    pub(crate) const fn new() -> Self {
        Flat { state: State::zero(), buffer: [0; MAX_BLOCK], fill: 0, total: 0, last: Bits::NONE }
    }

    /// The bytes that have not yet gone into the state.
    #[inline(always)]
    pub(crate) fn rest(&self) -> &[u8] {
        &self.buffer[..self.fill]
    }

    /// See [`Memory::keep`].
    #[inline(always)]
    fn keep(&mut self, holds: usize, m: &[u8]) -> bool {
        let Some(free) = self.buffer.get_mut(self.fill..).and_then(|free| free.get_mut(..m.len())) else {
            return false;
        };
        if self.fill + m.len() > holds || self.last.count != 0 {
            return false;
        }
        copy_short(free, m);
        self.fill += m.len();
        self.total = self.total.wrapping_add(m.len() as u128);
        true
    }

    /// Takes more of the message and calls `run` with its whole blocks, in order. With `keep_last`, a full block is
    /// held back until the byte after it arrives.
    #[inline(always)]
    pub(crate) fn take(&mut self, block: usize, keep_last: bool, mut m: &[u8], mut run: impl FnMut(&mut State, &[u8])) {
        self.total = self.total.wrapping_add(m.len() as u128);
        if self.fill > 0 {
            let n = m.len().min(block - self.fill);
            self.buffer[self.fill..self.fill + n].copy_from_slice(&m[..n]);
            self.fill += n;
            m = &m[n..];
            if self.fill < block || (keep_last && m.is_empty()) {
                return;
            }
            run(&mut self.state, &self.buffer[..block]);
            self.fill = 0;
        }
        let blocks = if keep_last { m.len().saturating_sub(1) } else { m.len() } / block;
        let (whole, rest) = m.split_at(blocks * block);
        if !whole.is_empty() {
            run(&mut self.state, whole);
        }
        if !rest.is_empty() {
            copy_short(&mut self.buffer[..rest.len()], rest);
        }
        self.fill = rest.len();
    }

    /// Number of bytes still buffered after [`Flat::take`] has taken a message of `total` bytes.
    pub(crate) fn waiting(total: u128, block: usize, keep_last: bool) -> usize {
        match total {
            0 => 0,
            _ if keep_last => ((total - 1) % block as u128) as usize + 1,
            _ => (total % block as u128) as usize,
        }
    }
}
