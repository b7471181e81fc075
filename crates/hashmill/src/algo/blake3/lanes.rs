//! BLAKE3's compression function for many blocks at once, one in each lane: the chunks of a message, or the parents of
//! a level of its tree.
//!
//! The words of the next block are transposed while the current one is hashed (`simd/feed.rs`). A processor that sees
//! sixteen streams at once does not fetch them ahead of time; so the lines of the next sixteen chunks are fetched here,
//! a share in every round (a message of 1 GiB, with large pages: 6.1 instead of 2.8 GB/s on an Intel Xeon with AVX-512
//! FP16; the `blake3` crate 5.0). Fetching each chunk's own next lines, or into the second-level cache only, or from
//! further away does less.
//!
//! Tried and rejected: all words of a block in registers, transposed before its rounds (0.57 instead of 0.50 cycles per
//! byte, as shuffles all use one unit and wait for each other); eight lanes of AVX2 (1.0 cycles per byte; the crate
//! 0.87).

#![allow(unsafe_code, reason = "loads and stores of words")]

use super::{BLOCK, CHUNK_END, CHUNK_START, IV, PARENT, ROTATIONS, ROUNDS, SCHEDULE, Words};
use crate::algo::blake::g;
use crate::contract::CHUNK;
use crate::simd::{Feed, Rows, Word32, prefetch, repeat16};
use core::mem::MaybeUninit;

/// The most lanes there are.
pub(super) const MOST: usize = 16;

/// Nodes of one kind: all that their compressions have in common.
#[derive(Clone, Copy)]
pub(super) struct Nodes<'a> {
    /// The chaining value before the first block.
    key: &'a Words,
    /// The counter of the first node, and by how much that of the next is more.
    t: u64,
    step: u64,
    /// The flags of every block, and what the first and the last have in addition.
    flags: u32,
    first: u32,
    last: u32,
    /// Blocks of a node.
    pub(super) blocks: usize,
}

impl<'a> Nodes<'a> {
    /// Chunks, the first of which is chunk `t`.
    pub(super) fn chunks(key: &'a Words, flags: u32, t: u64) -> Self {
        Nodes { key, t, step: 1, flags, first: CHUNK_START, last: CHUNK_END, blocks: CHUNK / BLOCK }
    }

    /// Parents. Their blocks are the values of their children.
    pub(super) fn parents(key: &'a Words, flags: u32) -> Self {
        Nodes { key, t: 0, step: 0, flags: flags | PARENT, first: 0, last: 0, blocks: 1 }
    }

    /// The nodes from number `n` on.
    pub(super) fn after(self, n: usize) -> Self {
        Nodes { t: self.t + self.step * n as u64, ..self }
    }

    /// The value of the first node, whose blocks are in `m`.
    pub(super) fn value(&self, m: &[u8], compress: impl Fn(&Words, &[u8; BLOCK], u64, u32, u32) -> Words) -> Words {
        let (mut h, (blocks, _)) = (*self.key, m.as_chunks());
        for (i, block) in blocks.iter().enumerate() {
            h = compress(&h, block, self.t, BLOCK as u32, self.flags_of(i));
        }
        h
    }

    #[inline(always)]
    fn flags_of(&self, i: usize) -> u32 {
        let first = if i == 0 { self.first } else { 0 };
        let last = if i + 1 == self.blocks { self.last } else { 0 };
        self.flags | first | last
    }
}

/// A word of each lane's counter: `f` of the lane.
#[inline(always)]
fn each<W: Word32>(isa: W::Isa, f: impl Fn(usize) -> u32) -> W {
    let words: [u32; MOST] = core::array::from_fn(f);
    // SAFETY: no word has more lanes than MOST.
    unsafe { W::load(isa, words.as_ptr().cast()) }
}

/// Computes the values of up to LANES nodes, whose blocks follow each other in `m`.
#[inline(always)]
pub(super) fn values<W: Word32>(isa: W::Isa, x: &Nodes<'_>, m: &[u8], out: &mut [[u8; 32]]) {
    let (len, last) = (x.blocks * BLOCK, out.len() - 1);
    assert!(m.len() == out.len() * len && out.len() <= W::LANES);
    let mut pointers = [core::ptr::null(); MOST];
    // Lanes that are left over do the last node again.
    let rows = Rows::of(&mut pointers[..W::LANES], x.blocks, BLOCK, |l| &m[l.min(last) * len..][..len]);
    let t = |l: usize| x.t + x.step * l as u64;
    let t = [each::<W>(isa, |l| t(l) as u32), each::<W>(isa, |l| (t(l) >> 32) as u32)];
    let mut h: [W; 8] = core::array::from_fn(|i| W::splat(isa, x.key[i]));
    let next = if x.blocks > 1 { m.as_ptr().wrapping_add(W::LANES * len) } else { core::ptr::null() };
    chain(isa, &mut h, t, W::splat(isa, BLOCK as u32), |i| x.flags_of(i), &rows, next);
    put(isa, &h, out);
}

/// Chains the blocks of all lanes, whose counters are `t` and block lengths `b`. What is at `next` will be needed soon.
#[inline(always)]
fn chain<W: Word32>(
    isa: W::Isa,
    h: &mut [W; 8],
    t: [W; 2],
    b: W,
    flags: impl Fn(usize) -> u32,
    rows: &Rows<'_>,
    next: *const u8,
) {
    let mut words = [[MaybeUninit::uninit(); 16]; 2];
    let mut feed = Feed::<W, 16, false>::new(isa, rows, &mut words);
    for i in 0..rows.blocks() {
        let iv = |i: usize| W::splat(isa, IV[i]);
        let d = W::splat(isa, flags(i));
        let mut v = [h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7], iv(0), iv(1), iv(2), iv(3), t[0], t[1], b, d];
        repeat16!(R => if R < ROUNDS {
            half_round(&mut v, 0, |at| feed.word(SCHEDULE[R % ROUNDS][at]));
            if !next.is_null() {
                for line in R * W::LANES / ROUNDS..(R + 1) * W::LANES / ROUNDS {
                    prefetch(next.wrapping_add((i * W::LANES + line) * BLOCK));
                }
            }
            half_round(&mut v, 1, |at| feed.word(SCHEDULE[R % ROUNDS][8 + at]));
            if i + 1 < rows.blocks() {
                feed.ahead(R, ROUNDS);
            }
        });
        for i in 0..8 {
            h[i] = v[i].xor(v[i + 8]);
        }
        if i + 1 < rows.blocks() {
            feed.advance();
        }
    }
}

/// G on the four columns of v (`turn` 0) or on its four diagonals (1), with the message word at each position of the
/// half round.
///
/// Where there are registers for all four, they take their steps side by side. One G after the other, as the compiler
/// would have it, two vector units have too little to do: 0.60 instead of 0.50 cycles per byte. (For BLAKE2 it makes
/// no difference; BLAKE, which has more operands, takes 1.3 times as long.)
#[inline(always)]
fn half_round<W: Word32>(v: &mut [W; 16], turn: usize, m: impl Fn(usize) -> W) {
    let of = |i: usize| [i, 4 + (i + turn) % 4, 8 + (i + 2 * turn) % 4, 12 + (i + 3 * turn) % 4];
    if !W::IN_STEP {
        for i in 0..4 {
            let [a, b, c, d] = of(i);
            g!(ROTATIONS, [v[a], v[b], v[c], v[d]], m(2 * i), m(2 * i + 1));
        }
        return;
    }
    for step in 0..2 {
        macro_rules! each {
            ([$a:pat, $b:pat, $c:pat, $d:pat], $to:ident = $value:expr) => {
                for i in 0..4 {
                    let [$a, $b, $c, $d] = of(i);
                    v[$to] = $value.in_order();
                }
            };
        }
        for i in 0..4 {
            v[i] = v[i].add(m(2 * i + step)).in_order();
        }
        each!([a, b, _, _], a = v[a].add(v[b]));
        each!([a, _, _, d], d = v[d].xor(v[a]));
        each!([_, _, _, d], d = v[d].rotr(ROTATIONS[2 * step]));
        each!([_, _, c, d], c = v[c].add(v[d]));
        each!([_, b, c, _], b = v[b].xor(v[c]));
        each!([_, b, _, _], b = v[b].rotr(ROTATIONS[2 * step + 1]));
    }
}

/// Writes the values of the first nodes.
#[inline(always)]
fn put<W: Word32>(isa: W::Isa, h: &[W; 8], out: &mut [[u8; 32]]) {
    let mut words = [[0u32; MOST]; 8];
    for (h, words) in h.iter().zip(&mut words) {
        // SAFETY: no word has more lanes than MOST.
        unsafe { h.store(words.as_mut_ptr().cast()) }
    }
    // What transposes columns of rows transposes back: a register gets so many words of so many nodes.
    let (part, nodes) = (W::LANES.min(8), W::LANES.div_ceil(8));
    let mut bytes = [[0u8; 4 * MOST]; 4];
    for (from, group) in (0..8).step_by(part).flat_map(|from| (0..W::LANES).step_by(4 * nodes).map(move |g| (from, g)))
    {
        let row = |r: usize| words[from + r % part][group + r / part * 4..].as_ptr().cast();
        let rows: [*const u8; MOST] = core::array::from_fn(|r| if r < W::LANES { row(r) } else { core::ptr::null() });
        let mut columns = [h[0]; 4];
        // SAFETY: four words at each row; room for a column's four.
        unsafe { W::column::<false>(isa, rows.as_ptr(), 0, columns.as_mut_ptr()) };
        for k in 0..4 {
            // SAFETY: no word has more lanes than MOST.
            unsafe { columns[k].store(bytes[k].as_mut_ptr()) };
            for j in 0..nodes {
                if let Some(node) = out.get_mut(group + 4 * j + k) {
                    node[4 * from..][..4 * part].copy_from_slice(&bytes[k][4 * part * j..][..4 * part]);
                }
            }
        }
    }
}
