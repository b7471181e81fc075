//! BLAKE3 — "BLAKE3: one function, fast everywhere" (J. O'Connor, J-P. Aumasson, S. Neves, Z. Wilcox-O'Hearn, 2020).
//! digest any length, 256 bit by default · block 64 bytes in chunks of 1024 · little-endian · status: no weakness known
//!
//! ## Algorithm
//!
//! The compression function has eight words of chaining value h, sixteen of message m, a counter t, the block length b
//! and flags d; it runs seven rounds of BLAKE2s's G, with a fixed permutation of m after each:
//!
//! ```text
//! v0..7 ← h;  v8..11 ← IV0..3;  v12..15 ← low(t), high(t), b, d
//! G(a, b, c, d, x, y):  a += b + x;  d ← (d xor a) >>> 16;  c += d;  b ← (b xor c) >>> 12
//!                       a += b + y;  d ← (d xor a) >>> 8;   c += d;  b ← (b xor c) >>> 7
//! round:  G on the four columns with m0..7, G on the four diagonals with m8..15
//! output: v0..7 xor v8..15, then v8..15 xor h
//! ```
//!
//! The message is split into chunks of 1024 bytes. The blocks of a chunk are chained from the key words, with t the
//! index of the chunk; its first and last blocks are flagged. Chunks are the leaves of a binary tree in which every
//! left subtree is complete: a parent is one block (left value ‖ right value) compressed from the key words with t = 0.
//! The last node is compressed with ROOT and t = 0, 1, … for as many 64-byte output blocks as needed.
//!
//! Streaming keeps a stack with the value of one complete subtree for each set bit in the number of finished chunks:
//! when chunk n is finished, as many merges follow as n + 1 has trailing zeros. A chunk is finished only when a byte
//! after it arrives, because the last node needs the ROOT flag; at the end the stack is folded from the top.
//!
//! The key words are IV, the key (KEYED_HASH), or, for key derivation, the hash of the context string
//! (DERIVE_KEY_CONTEXT) while the message is key material (DERIVE_KEY_MATERIAL).
//!
//! ## Kernels
//!
//! - `avx512x16`: sixteen chunks or parents side by side (`lanes.rs`) for what is long; single chunks one block at a
//!   time in the four rows of v (`x86.rs`). What lies between, and outputs of more than one block, are left to the
//!   `blake3` crate, if there is one.
//! - `avx512x16+portable`: single chunks with scalar words, which is faster where vector operations that depend on each
//!   other take two cycles (Zen 5: 0.73 instead of 0.66 GB/s for 64 bytes, 0.93 instead of 0.79 for 1 KiB).
//! - `ssse3+blake3`: single chunks in four rows; everything else is left to the crate. Without it, `ssse3` does all.
//! - `simd128x4`: four chunks or parents side by side in WebAssembly.
//! - `blake3`: the `blake3` crate on one thread, with SSE2 to AVX-512 and NEON; up to sixteen chunks side by side;
//!   9.4 GB/s (Zen 5).
//! - `portable`: one chunk after another with scalar words; 0.8 GB/s. A message of one chunk needs no stack.

mod lanes;
#[cfg(target_arch = "x86_64")]
mod x86;

use self::lanes::{MOST, Nodes};
use crate::base::cpu::Features;
#[cfg(target_arch = "x86_64")]
use crate::base::cpu::needs;
use crate::contract::Value;
use crate::contract::{
    CHUNK, Inputs, Kernel, MAX_HEIGHT, Memory, OneShot, Params, Run, Tree, Whole, copy_in_pieces, copy_short,
};
#[cfg(target_feature = "simd128")]
use crate::simd::wasm32::{Simd128, U32x4};
use zeroize::Zeroize;

pub(crate) static KERNELS: &[Kernel] = &[
    #[cfg(target_arch = "x86_64")]
    Kernel {
        name: "avx512x16",
        needs: needs!([AVX512 + FAST_VROT]),
        run: Run::Whole(&TreeHash(x86::Avx512x16::<true>)),
    },
    #[cfg(target_arch = "x86_64")]
    Kernel { name: "avx512x16+portable", needs: needs!([AVX512]), run: Run::Whole(&TreeHash(x86::Avx512x16::<false>)) },
    #[cfg(target_feature = "simd128")]
    Kernel { name: "simd128x4", needs: Features::NONE, run: Run::Whole(&TreeHash(Simd128x4)) },
    #[cfg(all(feature = "blake3", target_arch = "x86_64"))]
    Kernel { name: "ssse3+blake3", needs: needs!([SSSE3]), run: Run::Whole(&TreeHash(Crate::<SSSE3>)) },
    #[cfg(all(not(feature = "blake3"), target_arch = "x86_64"))]
    Kernel { name: "ssse3", needs: needs!([SSSE3]), run: Run::Whole(&TreeHash(x86::Ssse3)) },
    #[cfg(feature = "blake3")]
    Kernel { name: "blake3", needs: Features::NONE, run: Run::Whole(&TreeHash(Crate::<ALL>)) },
    Kernel { name: "portable", needs: Features::NONE, run: Run::Whole(&TreeHash(Portable)) },
];

// ---------------------------------------------------------------------------------------------------------------------
// Hooks
// ---------------------------------------------------------------------------------------------------------------------

/// How a message is keyed.
enum Mode<'a> {
    Hash,
    Keyed(&'a [u8; 32]),
    Derive(&'a [u8]),
}

impl<'a> Mode<'a> {
    #[inline]
    fn new(x: &Inputs<'a>) -> Self {
        if let Some(context) = x.context {
            Mode::Derive(context)
        } else if x.key.is_empty() {
            Mode::Hash
        } else {
            Mode::Keyed(x.key.try_into().expect("the registry admits keys of 32 bytes only"))
        }
    }
}

/// Returns the flags of every compression with these inputs.
fn flags(x: &Inputs<'_>) -> u32 {
    match Mode::new(x) {
        Mode::Hash => 0,
        Mode::Keyed(_) => KEYED_HASH,
        Mode::Derive(_) => DERIVE_KEY_MATERIAL,
    }
}

/// How subtrees are compressed; the tree itself is the same for all implementations.
trait Compress: Sync + Sized {
    /// The only instance.
    const NEW: Self;

    /// Runs the compression function.
    #[inline(always)]
    fn compress(h: &Words, m: &[u8; BLOCK], t: u64, b: u32, d: u32) -> [u32; 16] {
        compress(h, &message(m), t, b, d)
    }

    /// Chains whole blocks, none of which is the last of its chunk. The flag of a chunk's first block applies only to
    /// the first of them.
    #[inline(always)]
    fn chain(h: &mut Words, blocks: &[[u8; BLOCK]], t: u64, mut d: u32) {
        for block in blocks {
            *h = first_half(&Self::compress(h, block, t, BLOCK as u32, d));
            d &= !CHUNK_START;
        }
    }

    /// Computes the digest of a message of one chunk: `blocks`, then `last`, of at most a block.
    #[inline(always)]
    fn chunk(blocks: &[[u8; BLOCK]], last: &[u8], out: &mut [u8; 32]) {
        let (mut h, mut d) = (IV, CHUNK_START);
        if !blocks.is_empty() {
            Self::chain(&mut h, blocks, 0, d);
            d = 0;
        }
        let mut padded = [0; BLOCK];
        let block = last.first_chunk().unwrap_or_else(|| {
            copy_in_pieces(&mut padded[..last.len()], last);
            &padded
        });
        *out = bytes(&first_half(&Self::compress(&h, block, 0, last.len() as u32, d | CHUNK_END | ROOT)));
    }

    /// How many nodes [`Compress::values`] computes at once.
    const LANES: usize = 2;

    /// Computes the values of up to [`Compress::LANES`] nodes, whose blocks follow each other in `m`.
    fn values(x: &Nodes<'_>, m: &[u8], out: &mut [[u8; 32]]) {
        singly::<Self>(x, m, out);
    }

    /// Returns the chaining value of a subtree that is not the whole message, and starts with chunk `t`.
    fn subtree(&self, keys: &Keys, t: u64, m: &[u8]) -> Words {
        if m.len() <= CHUNK {
            return last_node::<Self>(keys, t, m).value::<Self>();
        }
        words(&subtree::<Self>(keys, t, m, 1)[0])
    }

    /// Returns the chaining value of the parent of two neighbors; the parent is not the root.
    fn parent(&self, keys: &Keys, left: &Words, right: &Words) -> Words {
        parent(keys, left, right).value::<Self>()
    }

    /// Computes the output of a message of at most one chunk, starting at output byte `at`.
    fn chunk_root(&self, keys: &Keys, m: &[u8], at: u64, out: &mut [u8]) {
        last_node::<Self>(keys, 0, m).output::<Self>(at, out);
    }

    /// Computes the output of a message whose root has these children, starting at output byte `at`.
    fn parent_root(&self, keys: &Keys, left: &Words, right: &Words, at: u64, out: &mut [u8]) {
        parent(keys, left, right).output::<Self>(at, out);
    }

    /// Computes the digest of a complete message.
    #[inline(always)]
    fn at_once(&self, m: &[u8], out: &mut [u8]) {
        if m.len() <= CHUNK {
            return one_chunk::<Self>(m, out);
        }
        root(self, &Keys::HASH, m, out);
    }
}

/// The key words and the flags of every compression.
struct Keys {
    key: Words,
    flags: u32,
}

impl Keys {
    const HASH: Keys = Keys { key: IV, flags: 0 };
}

/// A kernel made from a way to compress.
struct TreeHash<C>(C);

impl<C: Compress> TreeHash<C> {
    /// Pushes the value of a subtree of `chunks` chunks that follows those on the stack, after merging it with every
    /// complete subtree of its own size.
    fn push(&self, keys: &Keys, tree: &mut Tree, mut value: Words, t: u64, chunks: u64) {
        for _ in 0..(t + chunks).trailing_zeros() - chunks.trailing_zeros() {
            tree.height -= 1;
            value = self.0.parent(keys, &tree.stack[tree.height], &value);
        }
        tree.stack[tree.height] = value;
        tree.height += 1;
    }

    fn output(&self, x: &Inputs<'_>, tree: &Tree, at: u64, out: &mut [u8]) {
        let keys = Keys { key: tree.key, flags: flags(x) };
        let chunk = &tree.chunk[..tree.fill];
        let Some((root, below)) = tree.stack[..tree.height].split_first() else {
            return self.0.chunk_root(&keys, chunk, at, out);
        };
        let t = (tree.total - tree.fill as u64) / CHUNK as u64;
        let mut right = self.0.subtree(&keys, t, chunk);
        for left in below.iter().rev() {
            right = self.0.parent(&keys, left, &right);
        }
        self.0.parent_root(&keys, root, &right, at, out);
    }
}

impl<C: Compress> Whole for TreeHash<C> {
    fn start(&self, _: &Params, x: &Inputs<'_>) -> Memory {
        let key = match Mode::new(x) {
            Mode::Hash => IV,
            Mode::Keyed(key) => words(key),
            Mode::Derive(context) => words(&context_key(context)),
        };
        Memory::Tree(Tree { key, stack: [[0; 8]; MAX_HEIGHT], height: 0, chunk: [0; CHUNK], fill: 0, total: 0 })
    }

    fn holds(&self) -> usize {
        CHUNK
    }

    fn update(&self, _: &Params, x: &Inputs<'_>, memory: &mut Memory, mut m: &[u8]) {
        let tree = memory.tree_mut();
        let keys = Keys { key: tree.key, flags: flags(x) };
        // The index of the current chunk.
        let mut t = (tree.total - tree.fill as u64) / CHUNK as u64;
        tree.total = tree.total.wrapping_add(m.len() as u64);
        if tree.fill > 0 {
            let (head, rest) = m.split_at(m.len().min(CHUNK - tree.fill));
            tree.chunk[tree.fill..][..head.len()].copy_from_slice(head);
            tree.fill += head.len();
            if rest.is_empty() {
                return;
            }
            let value = self.0.subtree(&keys, t, &tree.chunk);
            self.push(&keys, tree, value, t, 1);
            (m, t, tree.fill) = (rest, t + 1, 0);
        }
        // The largest subtrees that fit while leaving a byte for the chunk after them: the last node must stay open.
        while m.len() > CHUNK {
            let fit = ((m.len() - 1) / CHUNK).ilog2().min(t.trailing_zeros());
            let (subtree, rest) = m.split_at(CHUNK << fit);
            let value = self.0.subtree(&keys, t, subtree);
            self.push(&keys, tree, value, t, 1 << fit);
            (m, t) = (rest, t + (1 << fit));
        }
        tree.chunk[..m.len()].copy_from_slice(m);
        tree.fill = m.len();
    }

    fn finish(&self, _: &Params, x: &Inputs<'_>, memory: &Memory, out: &mut [u8]) {
        self.output(x, memory.tree(), 0, out);
    }

    fn finish_at(&self, _: &Params, x: &Inputs<'_>, memory: &Memory, at: u64, out: &mut [u8]) {
        self.output(x, memory.tree(), at, out);
    }

    fn words(&self, memory: &Memory) -> (usize, usize) {
        (8 * memory.tree().height, 4)
    }

    fn admits(&self, _: &Params, memory: &Memory) -> bool {
        let tree = memory.tree();
        let before = tree.total.wrapping_sub(tree.fill as u64);
        let waits = if tree.total == 0 { tree.fill == 0 } else { (1..=CHUNK).contains(&tree.fill) };
        waits
            && tree.fill as u64 <= tree.total
            && before.is_multiple_of(CHUNK as u64)
            && tree.total <= LONGEST
            && tree.height == (before / CHUNK as u64).count_ones() as usize
    }

    #[inline(always)]
    fn digest(&self, _: &Params, m: &[u8], out: &mut [u8]) {
        self.0.at_once(m, out);
    }

    fn one_shot(&self) -> OneShot {
        |_, m, out| C::NEW.at_once(m, out)
    }

    fn is_divisible(&self, _: &Params) -> bool {
        true
    }

    fn part(&self, _: &Params, at: u64, m: &[u8]) -> Value {
        let t = at / CHUNK as u64;
        if m.len() <= CHUNK {
            return Value::of(&bytes(&self.0.subtree(&Keys::HASH, t, m)));
        }
        // The last node must stay open, since it may turn out to be the root: return its block, not its value.
        let (left, right) = halves(m);
        let value = |t, m| bytes(&self.0.subtree(&Keys::HASH, t, m));
        block(&value(t, left), &value(t + left.len() as u64 / CHUNK as u64, right))
    }

    fn join(&self, _: &Params, a: &Value, b: &Value, _: u64) -> Value {
        join::<C>(a, b)
    }

    fn whole(&self, _: &Params, part: &Value, out: &mut [u8]) {
        node(part).output::<C>(0, out);
    }
}

/// Splits the message of a node with children. The left subtree is the largest complete one that leaves a rest.
fn halves(m: &[u8]) -> (&[u8], &[u8]) {
    m.split_at(m.len().div_ceil(2).next_power_of_two())
}

/// Computes the output of a complete message.
#[inline(always)]
fn root<C: Compress>(compress: &C, keys: &Keys, m: &[u8], out: &mut [u8]) {
    if m.len() <= CHUNK {
        return compress.chunk_root(keys, m, 0, out);
    }
    let [left, right] = subtree::<C>(keys, 0, m, 2);
    compress.parent_root(keys, &words(&left), &words(&right), 0, out);
}

/// Returns the `n` values, one or two, at the top of a subtree of more than one chunk.
#[inline(never)]
fn subtree<C: Compress>(keys: &Keys, t: u64, m: &[u8], n: usize) -> [[u8; 32]; 2] {
    let mut values = [[0; 32]; MOST];
    let mut left = level::<C>(keys, t, m, &mut values);
    while left > n {
        let mut below = values;
        left = parents::<C>(keys, &below[..left], &mut values);
        wipe(keys, &mut below);
    }
    let top = [values[0], values[1]];
    wipe(keys, &mut values);
    top
}

/// Computes the values of a level of the subtree of `m`, and returns how many they are: two to [`Compress::LANES`], or
/// one of a single chunk.
fn level<C: Compress>(keys: &Keys, t: u64, m: &[u8], out: &mut [[u8; 32]]) -> usize {
    if m.len() <= C::LANES * CHUNK {
        let (whole, rest) = m.split_at(m.len() / CHUNK * CHUNK);
        let n = whole.len() / CHUNK;
        if n > 0 {
            C::values(&Nodes::chunks(&keys.key, keys.flags, t), whole, &mut out[..n]);
        }
        if rest.is_empty() {
            return n;
        }
        out[n] = bytes(&last_node::<C>(keys, t + n as u64, rest).value::<C>());
        return n + 1;
    }
    let (left, right) = halves(m);
    let mut values = [[0; 32]; 2 * MOST];
    let n = level::<C>(keys, t, left, &mut values);
    let all = n + level::<C>(keys, t + (left.len() / CHUNK) as u64, right, &mut values[n..]);
    let n = parents::<C>(keys, &values[..all], out);
    wipe(keys, &mut values);
    n
}

/// Overwrites values that a key went into.
fn wipe<const N: usize>(keys: &Keys, values: &mut [[u8; 32]; N]) {
    if keys.flags != 0 {
        values.zeroize();
    }
}

/// Computes the values of the level above; one without a neighbor goes there as it is.
fn parents<C: Compress>(keys: &Keys, below: &[[u8; 32]], out: &mut [[u8; 32]]) -> usize {
    let (pairs, alone) = below.split_at(below.len() / 2 * 2);
    let n = pairs.len() / 2;
    C::values(&Nodes::parents(&keys.key, keys.flags), pairs.as_flattened(), &mut out[..n]);
    let Some(value) = alone.first() else { return n };
    out[n] = *value;
    n + 1
}

/// [`Compress::values`], one node after the other.
fn singly<C: Compress>(x: &Nodes<'_>, m: &[u8], out: &mut [[u8; 32]]) {
    for (i, (m, out)) in m.chunks_exact(x.blocks * BLOCK).zip(out).enumerate() {
        *out = bytes(&x.after(i).value(m, |h, m, t, b, d| first_half(&C::compress(h, m, t, b, d))));
    }
}

struct Portable;

impl Compress for Portable {
    const NEW: Self = Portable;
}

/// Four lanes of WebAssembly's vectors.
#[cfg(target_feature = "simd128")]
struct Simd128x4;

#[cfg(target_feature = "simd128")]
impl Compress for Simd128x4 {
    const NEW: Self = Simd128x4;
    const LANES: usize = 4;

    fn values(x: &Nodes<'_>, m: &[u8], out: &mut [[u8; 32]]) {
        match out.len() {
            1 => singly::<Self>(x, m, out),
            _ => lanes::values::<U32x4>(Simd128::token(), x, m, out),
        }
    }
}

/// The `blake3` crate, for everything or only for more than one chunk of message or one block of output.
#[cfg(feature = "blake3")]
struct Crate<const FOR: u8>;

#[cfg(feature = "blake3")]
const ALL: u8 = 0;
#[cfg(all(feature = "blake3", target_arch = "x86_64"))]
const SSSE3: u8 = 1;

#[cfg(feature = "blake3")]
impl Keys {
    /// Returns the crate's hasher. A derived key is passed to it as it is.
    fn hasher(&self) -> ::blake3::Hasher {
        use ::blake3::hazmat::HasherExt;
        match self.flags {
            0 => ::blake3::Hasher::new(),
            KEYED_HASH => ::blake3::Hasher::new_keyed(&bytes(&self.key)),
            _ => ::blake3::Hasher::new_from_context_key(&bytes(&self.key)),
        }
    }

    fn with_mode<T>(&self, f: impl FnOnce(::blake3::hazmat::Mode<'_>) -> T) -> T {
        use ::blake3::hazmat::Mode;
        let key = bytes(&self.key);
        match self.flags {
            0 => f(Mode::Hash),
            KEYED_HASH => f(Mode::KeyedHash(&key)),
            _ => f(Mode::DeriveKeyMaterial(&key)),
        }
    }
}

#[cfg(feature = "blake3")]
impl<const FOR: u8> Compress for Crate<FOR> {
    const NEW: Self = Crate;

    #[inline(always)]
    fn compress(h: &Words, m: &[u8; BLOCK], t: u64, b: u32, d: u32) -> [u32; 16] {
        match FOR {
            #[cfg(target_arch = "x86_64")]
            SSSE3 => x86::Ssse3::compress(h, m, t, b, d),
            _ => Portable::compress(h, m, t, b, d),
        }
    }

    #[inline(always)]
    fn chain(h: &mut Words, blocks: &[[u8; BLOCK]], t: u64, d: u32) {
        match FOR {
            #[cfg(target_arch = "x86_64")]
            SSSE3 => x86::Ssse3::chain(h, blocks, t, d),
            _ => Portable::chain(h, blocks, t, d),
        }
    }

    #[inline(always)]
    fn chunk(blocks: &[[u8; BLOCK]], last: &[u8], out: &mut [u8; 32]) {
        match FOR {
            #[cfg(target_arch = "x86_64")]
            SSSE3 => x86::Ssse3::chunk(blocks, last, out),
            _ => Portable::chunk(blocks, last, out),
        }
    }

    fn subtree(&self, keys: &Keys, t: u64, m: &[u8]) -> Words {
        use ::blake3::hazmat::HasherExt;
        if FOR != ALL && m.len() <= CHUNK {
            return last_node::<Self>(keys, t, m).value::<Self>();
        }
        let mut hasher = keys.hasher();
        hasher.set_input_offset(t * CHUNK as u64).update(m);
        let value = words(&hasher.finalize_non_root());
        if keys.flags != 0 {
            hasher.zeroize();
        }
        value
    }

    fn chunk_root(&self, keys: &Keys, m: &[u8], at: u64, out: &mut [u8]) {
        // For long outputs, the crate computes several blocks side by side.
        if FOR != ALL && out.len() <= BLOCK {
            return last_node::<Self>(keys, 0, m).output::<Self>(at, out);
        }
        let mut hasher = keys.hasher();
        let mut output = hasher.update(m).finalize_xof();
        output.set_position(at);
        output.fill(out);
        if keys.flags != 0 {
            hasher.zeroize();
            output.zeroize();
        }
    }

    fn parent_root(&self, keys: &Keys, left: &Words, right: &Words, at: u64, out: &mut [u8]) {
        use ::blake3::hazmat::merge_subtrees_root_xof;
        if FOR != ALL && out.len() <= BLOCK {
            return parent(keys, left, right).output::<Self>(at, out);
        }
        let mut output = keys.with_mode(|mode| merge_subtrees_root_xof(&bytes(left), &bytes(right), mode));
        output.set_position(at);
        output.fill(out);
        if keys.flags != 0 {
            output.zeroize();
        }
    }

    #[inline(always)]
    fn at_once(&self, m: &[u8], out: &mut [u8]) {
        if FOR != ALL && m.len() <= CHUNK {
            return one_chunk::<Self>(m, out);
        }
        match <&mut [u8; 32]>::try_from(&mut *out) {
            Ok(out) => *out = *::blake3::hash(m).as_bytes(),
            Err(_) => ::blake3::Hasher::new().update(m).finalize_xof().fill(out),
        }
    }
}

/// Computes the digest of a message of one chunk. One of the usual length goes through a function that keeps the
/// chaining value in registers, and writes it once: nodes would store and load it for every block.
#[inline(always)]
fn one_chunk<C: Compress>(m: &[u8], out: &mut [u8]) {
    let Ok(out) = <&mut [u8; 32]>::try_from(&mut *out) else {
        return last_node::<C>(&Keys::HASH, 0, m).output::<C>(0, out);
    };
    let (whole, last) = m.split_at(m.len().saturating_sub(1) / BLOCK * BLOCK);
    C::chunk(whole.as_chunks().0, last, out);
}

// ---------------------------------------------------------------------------------------------------------------------
// The nodes
// ---------------------------------------------------------------------------------------------------------------------

/// Derives the key words from a context string.
fn context_key(context: &[u8]) -> [u8; 32] {
    let mut out = [0; 32];
    root(&Portable, &Keys { key: IV, flags: DERIVE_KEY_CONTEXT }, context, &mut out);
    out
}

/// Compresses all blocks of chunk `t` but the last, and returns that one.
#[inline]
fn last_node<C: Compress>(keys: &Keys, t: u64, m: &[u8]) -> Node {
    let (whole, last) = m.split_at(m.len().saturating_sub(1) / BLOCK * BLOCK);
    let (mut h, mut d) = (keys.key, keys.flags | CHUNK_START);
    if !whole.is_empty() {
        C::chain(&mut h, whole.as_chunks().0, t, d);
        d = keys.flags;
    }
    let mut m = [0; BLOCK];
    copy_short(&mut m[..last.len()], last);
    Node { h, m, t, b: last.len() as u32, d: d | CHUNK_END }
}

/// Returns the parent of two subtrees.
fn parent(keys: &Keys, left: &Words, right: &Words) -> Node {
    let mut m = [0; BLOCK];
    m[..32].copy_from_slice(&bytes(left));
    m[32..].copy_from_slice(&bytes(right));
    Node { h: keys.key, m, t: 0, b: BLOCK as u32, d: keys.flags | PARENT }
}

/// A compression that has not been run yet, since it may turn out to be the root's.
struct Node {
    h: Words,
    m: [u8; BLOCK],
    t: u64,
    b: u32,
    d: u32,
}

impl Node {
    #[inline]
    fn value<C: Compress>(&self) -> Words {
        first_half(&C::compress(&self.h, &self.m, self.t, self.b, self.d))
    }

    /// Fills `out` with the root's output, starting at output byte `at`.
    #[inline]
    fn output<C: Compress>(&self, at: u64, mut out: &mut [u8]) {
        if let (0, Ok(out)) = (at, <&mut [u8; 32]>::try_from(&mut *out)) {
            *out = bytes(&first_half(&C::compress(&self.h, &self.m, 0, self.b, self.d | ROOT)));
            return;
        }
        let mut skip = (at % BLOCK as u64) as usize;
        let mut t = at / BLOCK as u64;
        while !out.is_empty() {
            let v = C::compress(&self.h, &self.m, t, self.b, self.d | ROOT);
            let mut block = [0; BLOCK];
            for (bytes, word) in block.as_chunks_mut().0.iter_mut().zip(v) {
                *bytes = word.to_le_bytes();
            }
            let (head, rest) = out.split_at_mut(out.len().min(BLOCK - skip));
            head.copy_from_slice(&block[skip..skip + head.len()]);
            (out, skip, t) = (rest, 0, t + 1);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Parts of the tree
// ---------------------------------------------------------------------------------------------------------------------

/// Returns the last node of a subtree whose value is a block.
fn node(part: &Value) -> Node {
    Node { h: IV, m: part.bytes, t: 0, b: BLOCK as u32, d: PARENT }
}

/// Joins two neighbors under one parent.
fn join<C: Compress>(a: &Value, b: &Value) -> Value {
    let value = |part: &Value| match part.len {
        BLOCK => bytes(&node(part).value::<C>()),
        _ => std::array::from_fn(|i| part.bytes[i]),
    };
    block(&value(a), &value(b))
}

/// Returns the block of a parent.
fn block(left: &[u8; 32], right: &[u8; 32]) -> Value {
    Value::of([*left, *right].as_flattened())
}

fn bytes(words: &Words) -> [u8; 32] {
    std::array::from_fn(|i| words[i / 4].to_le_bytes()[i % 4])
}

// ---------------------------------------------------------------------------------------------------------------------
// The compression function
// ---------------------------------------------------------------------------------------------------------------------

type Words = [u32; 8];

/// Returns the first half of the output, which is a chaining value.
#[inline(always)]
fn first_half(v: &[u32; 16]) -> Words {
    std::array::from_fn(|i| v[i])
}

#[inline(always)]
fn compress(h: &Words, m: &[u32; 16], t: u64, b: u32, d: u32) -> [u32; 16] {
    let mut v =
        [h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7], IV[0], IV[1], IV[2], IV[3], t as u32, (t >> 32) as u32, b, d];
    for s in &SCHEDULE {
        g(&mut v, [0, 4, 8, 12], m[s[0]], m[s[1]]);
        g(&mut v, [1, 5, 9, 13], m[s[2]], m[s[3]]);
        g(&mut v, [2, 6, 10, 14], m[s[4]], m[s[5]]);
        g(&mut v, [3, 7, 11, 15], m[s[6]], m[s[7]]);
        g(&mut v, [0, 5, 10, 15], m[s[8]], m[s[9]]);
        g(&mut v, [1, 6, 11, 12], m[s[10]], m[s[11]]);
        g(&mut v, [2, 7, 8, 13], m[s[12]], m[s[13]]);
        g(&mut v, [3, 4, 9, 14], m[s[14]], m[s[15]]);
    }
    for i in 0..8 {
        v[i] ^= v[i + 8];
        v[i + 8] ^= h[i];
    }
    v
}

#[inline(always)]
fn g(v: &mut [u32; 16], [a, b, c, d]: [usize; 4], x: u32, y: u32) {
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(x);
    v[d] = (v[d] ^ v[a]).rotate_right(16);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(12);
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(y);
    v[d] = (v[d] ^ v[a]).rotate_right(8);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(7);
}

#[inline(always)]
fn message(block: &[u8; BLOCK]) -> [u32; 16] {
    let (words, _) = block.as_chunks();
    std::array::from_fn(|i| u32::from_le_bytes(words[i]))
}

fn words(key: &[u8; 32]) -> Words {
    let (words, _) = key.as_chunks();
    std::array::from_fn(|i| u32::from_le_bytes(words[i]))
}

// ---------------------------------------------------------------------------------------------------------------------
// Constants
// ---------------------------------------------------------------------------------------------------------------------

const BLOCK: usize = 64;

/// Messages this long go through our lanes. In the second-level cache the `blake3` crate is faster, 0.46 cycles per
/// byte against 0.50; but messages this long mostly come from further away, and our lanes fetch ahead.
#[cfg(all(feature = "blake3", target_arch = "x86_64"))]
const LONG: usize = 128 << 10;

/// The longest message after which a state is accepted. To overflow a counter from there would take years of hashing.
const LONGEST: u64 = 1 << 62;

const CHUNK_START: u32 = 1;
const CHUNK_END: u32 = 2;
const PARENT: u32 = 4;
const ROOT: u32 = 8;
const KEYED_HASH: u32 = 16;
const DERIVE_KEY_CONTEXT: u32 = 32;
const DERIVE_KEY_MATERIAL: u32 = 64;

const IV: Words =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

const ROUNDS: usize = 7;
const ROTATIONS: [u32; 4] = [16, 12, 8, 7];

/// The message word that each round uses at each position: the permutation, applied repeatedly.
const SCHEDULE: [[usize; 16]; ROUNDS] = {
    const PERMUTATION: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
    let mut s = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]; ROUNDS];
    let mut round = 1;
    while round < ROUNDS {
        let mut i = 0;
        while i < 16 {
            s[round][i] = s[round - 1][PERMUTATION[i]];
            i += 1;
        }
        round += 1;
    }
    s
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plumbing::call::available;

    fn keyed(key: &[u8]) -> Inputs<'_> {
        Inputs { key, ..Inputs::NONE }
    }

    fn derive(context: &[u8]) -> Inputs<'_> {
        Inputs { context: Some(context), ..Inputs::NONE }
    }

    fn run(x: &Inputs<'_>, m: &[u8], out_len: usize) -> Vec<Vec<u8>> {
        let p = Params { row: 0, out_len: out_len as u32, p: [0; 4], seed: 0 };
        let mut all = Vec::new();
        for kernel in KERNELS.iter().filter(|k| available(k)) {
            let Run::Whole(whole) = kernel.run else { panic!("{} is not a whole", kernel.name) };
            let mut out = vec![0; out_len];
            if x.key.is_empty() && x.context.is_none() {
                whole.digest(&p, m, &mut out);
                all.push(out.clone());
            }
            for step in [1, 63, 64, 65, 1023, 1024, 1025, 5000] {
                let mut memory = whole.start(&p, x);
                for piece in m.chunks(step) {
                    whole.update(&p, x, &mut memory, piece);
                    memory = memory.clone();
                }
                whole.finish(&p, x, &memory, &mut out);
                all.push(out.clone());
            }
        }
        all
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|b| format!("{b:02x}")).collect()
    }

    fn input(len: usize) -> Vec<u8> {
        (0..len).map(|i| (i % 251) as u8).collect()
    }

    const KEY: &[u8] = b"whats the Elvish word for friend";
    const CONTEXT: &[u8] = b"BLAKE3 2019-12-27 16:29:52 test vectors context";

    fn check(x: &Inputs<'_>, len: usize, want: &str) {
        for got in run(x, &input(len), want.len() / 2) {
            assert_eq!(hex(&got), want, "{len} bytes");
        }
    }

    /// BLAKE3-team, test_vectors.json: hash, keyed_hash, derive_key (first 32 bytes of each output).
    #[test]
    fn known() {
        check(&Inputs::NONE, 0, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
        check(&Inputs::NONE, 1024, "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7");
        check(&Inputs::NONE, 1025, "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444");
        check(&Inputs::NONE, 5120, "9cadc15fed8b5d854562b26a9536d9707cadeda9b143978f319ab34230535833");
        check(&Inputs::NONE, 31744, "62b6960e1a44bcc1eb1a611a8d6235b6b4b78f32e7abc4fb4c6cdcce94895c47");
        check(&keyed(KEY), 0, "92b2b75604ed3c761f9d6f62392c8a9227ad0ea3f09573e783f1498a4ed60d26");
        check(&keyed(KEY), 1025, "357dc55de0c7e382c900fd6e320acc04146be01db6a8ce7210b7189bd664ea69");
        check(&derive(CONTEXT), 0, "2cc39783c223154fea8dfb7c1b1660f2ac2dcbd1c1de8277b0b0dd39b7e50d7d");
        check(&derive(CONTEXT), 1025, "effaa245f065fbf82ac186839a249707c3bddf6d3fdda22d1b95a3c970379bcb");
    }

    /// The end of the first output of test_vectors.json, which is 131 bytes long.
    #[test]
    fn long_output() {
        for out in run(&Inputs::NONE, b"", 131) {
            assert_eq!(hex(&out[123..]), "5363165421cce14d");
        }
    }

    #[test]
    fn output_from_anywhere() {
        let p = Params { row: 0, out_len: 32, p: [0; 4], seed: 0 };
        let far = (1u64 << 40) + 5;
        let mut beyond = Vec::new();
        for kernel in KERNELS.iter().filter(|k| available(k)) {
            let Run::Whole(whole) = kernel.run else { panic!("{} is not a whole", kernel.name) };
            let x = Inputs::NONE;
            let mut memory = whole.start(&p, &x);
            whole.update(&p, &x, &mut memory, &input(5000));
            let mut all = [0; 300];
            whole.finish(&p, &x, &memory, &mut all);
            for at in [0, 1, 63, 64, 65, 128, 200, 300] {
                for len in [0, 1, 64, 100] {
                    let mut out = vec![0; len.min(300 - at)];
                    whole.finish_at(&p, &x, &memory, at as u64, &mut out);
                    assert_eq!(out, all[at..][..out.len()], "{}: {len} from {at}", kernel.name);
                }
            }
            let mut out = [0; 100];
            whole.finish_at(&p, &x, &memory, far, &mut out);
            beyond.push(out);
        }
        assert!(beyond.iter().all(|out| *out == beyond[0]));
    }

    /// Messages long enough for lanes: at once, in pieces, and in parts, at all sorts of lengths.
    #[test]
    fn long_messages_agree() {
        let p = Params { row: 0, out_len: 32, p: [0; 4], seed: 0 };
        let m: Vec<u8> = (0..(1 << 20) + 6000u32).map(|i| (i.wrapping_mul(0x9e37_79b1) >> 23) as u8).collect();
        let lengths = [
            16 << 10,
            (17 << 10) + 1,
            (127 << 10) + 1000,
            (128 << 10) - 1,
            128 << 10,
            (128 << 10) + 1,
            129 << 10,
            (130 << 10) + 7,
            (143 << 10) + 1,
            145 << 10,
            (255 << 10) + 1023,
            (256 << 10) + 1,
            (300 << 10) + 77,
            1 << 20,
            (1 << 20) + 4999,
        ];
        for (i, &len) in lengths.iter().enumerate() {
            for x in [Inputs::NONE, keyed(KEY), derive(CONTEXT)] {
                let m = &m[i..][..len];
                let (mut want, mut beyond) = (None, None);
                for kernel in KERNELS.iter().filter(|k| available(k)) {
                    let Run::Whole(whole) = kernel.run else { panic!("{} is not a whole", kernel.name) };
                    let mut out = [0; 32];
                    if x.key.is_empty() && x.context.is_none() {
                        whole.digest(&p, m, &mut out);
                        assert_eq!(*want.get_or_insert(out), out, "{}: {len} bytes", kernel.name);
                        if len == 1 << 20 {
                            let part = |i: usize| whole.part(&p, (i << 18) as u64, &m[i << 18..][..1 << 18]);
                            let pair = |i| whole.join(&p, &part(i), &part(i + 1), 1 << 18);
                            whole.whole(&p, &whole.join(&p, &pair(0), &pair(2), 1 << 19), &mut out);
                            assert_eq!(want, Some(out), "{}: in parts", kernel.name);
                            // The chunks' numbers pass 32 bits halfway.
                            let far = whole.part(&p, (1 << 42) - (1 << 18), &m[..1 << 19]);
                            assert_eq!(*beyond.get_or_insert(far.bytes), far.bytes, "{}: far away", kernel.name);
                        }
                    }
                    for split in [0, 1, 1024, 5000, len / 3, len - 1] {
                        let mut memory = whole.start(&p, &x);
                        whole.update(&p, &x, &mut memory, &m[..split]);
                        whole.update(&p, &x, &mut memory, &m[split..]);
                        whole.finish(&p, &x, &memory, &mut out);
                        assert_eq!(*want.get_or_insert(out), out, "{}: {split} of {len} bytes", kernel.name);
                    }
                }
            }
        }
    }

    #[test]
    fn kernels_agree() {
        for x in [Inputs::NONE, keyed(KEY), derive(CONTEXT), derive(b""), derive(b"\xff not UTF-8"), derive(&[7; 3000])]
        {
            for len in [0, 1, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025, 2048, 2049, 3072, 3073, 7169, 8193] {
                for out_len in [0, 1, 32, 64, 65, 200] {
                    let all = run(&x, &input(len), out_len);
                    assert!(all.iter().all(|d| *d == all[0]), "{x:?}, {len} bytes, output {out_len}");
                }
            }
        }
    }
}
