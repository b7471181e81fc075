//! Algorithms that carry a small value over the message: checksums, and hashes without a schedule worth sharing.

use crate::contract::{Feed, Flat, Inputs, Memory, OneShot, Params, State, Whole};
use std::marker::PhantomData;

/// The value that is carried over the message.
pub(super) trait Fold: Copy + Send + Sync + 'static {
    /// Number of bytes processed at a time. A shorter remainder is buffered.
    const STEP: usize;

    /// The value before the first byte.
    fn new(p: &Params, x: &Inputs<'_>) -> Self;

    /// Number of words of the saved value that are used; the others are 0.
    const USED: usize = WORDS;

    /// Converts the value to words and back, to keep it in memory between calls.
    fn save(self) -> [u64; WORDS];
    fn load(words: [u64; WORDS]) -> Self;

    /// Whether this can be the value of some message.
    fn is_possible(&self, _p: &Params) -> bool {
        true
    }

    /// The value after processing `m`, a multiple of `STEP` bytes.
    fn after(self, p: &Params, m: &[u8]) -> Self;

    /// Writes the digest of a message of `total` bytes that ends with `rest`, which is shorter than `STEP`.
    fn end(self, p: &Params, rest: &[u8], total: u64, out: &mut [u8]);

    /// The value that leads to this digest; `digest` has the right length.
    fn resume(_p: &Params, _digest: &[u8]) -> Option<Self> {
        None
    }

    /// The digest of one message.
    #[inline(always)]
    fn digest(p: &Params, m: &[u8], out: &mut [u8]) {
        let (whole, rest) = m.split_at(m.len() / Self::STEP * Self::STEP);
        Self::new(p, &Inputs::NONE).after(p, whole).end(p, rest, m.len() as u64, out);
    }

    /// See [`Whole::one_shot`].
    const ONE_SHOT: OneShot = Self::digest;

    /// See [`Whole::digest_many`].
    #[inline]
    fn digest_many(p: &Params, messages: &[&[u8]], out: &mut [u8]) {
        one_by_one::<Self>(p, messages, out);
    }

    /// See [`Whole::combine`].
    fn combine(_p: &Params, _a: &[u8], _b: &[u8], _len_b: u64, _out: &mut [u8]) -> bool {
        false
    }
}

/// The largest number of words of a value.
pub(super) const WORDS: usize = 4;

/// [`Whole::digest_many`] that hashes one message after the other.
#[inline(always)]
pub(super) fn one_by_one<F: Fold>(p: &Params, messages: &[&[u8]], out: &mut [u8]) {
    for (m, out) in messages.iter().zip(out.chunks_exact_mut(p.out_len as usize)) {
        F::digest(p, m, out);
    }
}

/// Turns a value into a kernel.
pub(super) struct Folding<F>(PhantomData<fn() -> F>);

impl<F> Folding<F> {
    pub(super) const NEW: Folding<F> = Folding(PhantomData);
}

#[inline(always)]
fn load<F: Fold>(s: &State) -> F {
    F::load(std::array::from_fn(|i| if i < F::USED { s.u64(i) } else { 0 }))
}

#[inline(always)]
fn save<F: Fold>(value: F, s: &mut State) {
    for (i, word) in value.save().into_iter().enumerate().take(F::USED) {
        s.set_u64(i, word);
    }
}

/// See [`Whole::update`].
fn feed<F: Fold>(p: &Params, memory: &mut Memory, m: &[u8]) {
    let flat = memory.flat_mut();
    if F::STEP == 1 {
        flat.total = flat.total.wrapping_add(m.len() as u128);
        return save(load::<F>(&flat.state).after(p, m), &mut flat.state);
    }
    flat.take(F::STEP, false, m, |s, whole| save(load::<F>(s).after(p, whole), s));
}

impl<F: Fold> Whole for Folding<F> {
    fn start(&self, p: &Params, x: &Inputs<'_>) -> Memory {
        let mut flat = Flat::new();
        save(F::new(p, x), &mut flat.state);
        Memory::Flat(flat)
    }

    fn holds(&self) -> usize {
        F::STEP - 1
    }

    fn update(&self, p: &Params, _: &Inputs<'_>, memory: &mut Memory, m: &[u8]) {
        feed::<F>(p, memory, m);
    }

    fn feed(&self) -> Option<Feed> {
        Some(feed::<F>)
    }

    fn finish(&self, p: &Params, _: &Inputs<'_>, memory: &Memory, out: &mut [u8]) {
        let flat = memory.flat();
        load::<F>(&flat.state).end(p, flat.rest(), flat.total as u64, out);
    }

    fn words(&self, _: &Memory) -> (usize, usize) {
        (WORDS, 8)
    }

    fn admits(&self, p: &Params, memory: &Memory) -> bool {
        let flat = memory.flat();
        let words: [u64; WORDS] = std::array::from_fn(|i| flat.state.u64(i));
        let value = F::load(words);
        flat.fill == Flat::waiting(flat.total, F::STEP, false) && value.save() == words && value.is_possible(p)
    }

    fn resume(&self, p: &Params, digest: &[u8]) -> Option<Memory> {
        let mut flat = Flat::new();
        save(F::resume(p, digest)?, &mut flat.state);
        Some(Memory::Flat(flat))
    }

    #[inline(always)]
    fn digest(&self, p: &Params, m: &[u8], out: &mut [u8]) {
        F::digest(p, m, out);
    }

    fn one_shot(&self) -> OneShot {
        F::ONE_SHOT
    }

    fn digest_many(&self, p: &Params, messages: &[&[u8]], out: &mut [u8]) {
        F::digest_many(p, messages, out);
    }

    fn combine(&self, p: &Params, a: &[u8], b: &[u8], len_b: u64, out: &mut [u8]) -> bool {
        F::combine(p, a, b, len_b, out)
    }
}

/// A value that takes `STEP` bytes at a time and whose steps form a dependency chain.
pub(super) trait Chain<const STEP: usize>: Copy {
    /// The value before the first step.
    fn begin(p: &Params) -> Self;

    fn step(self, bytes: &[u8; STEP]) -> Self;

    /// Writes the digest of a message of `total` bytes that ends with `rest`, which is shorter than a step.
    fn end(self, rest: &[u8], total: u64, out: &mut [u8]);
}

/// [`Whole::digest_many`] for chains: interleaves the steps of `TURNS` messages, and replaces each message that ends by
/// the next. The processor would overlap some steps of the next message by itself, but only as far ahead as it can see.
#[inline(always)]
pub(super) fn in_turns<C: Chain<STEP>, const STEP: usize, const TURNS: usize>(
    p: &Params,
    messages: &[&[u8]],
    out: &mut [u8],
) {
    let each = p.out_len as usize;
    let start = C::begin(p);
    let (mut values, mut rest): ([C; TURNS], [&[u8]; TURNS]) = ([start; TURNS], [&[]; TURNS]);
    // The message in each place, or none if it has ended and there are no more.
    let mut at = [None; TURNS];
    let mut next = messages.len().min(TURNS);
    for l in 0..next {
        (rest[l], at[l]) = (messages[l], Some(l));
    }
    while at.iter().all(Option::is_some) {
        let n = rest.iter().fold(usize::MAX, |n, m| n.min(m.len() / STEP));
        let mut steps: [&[[u8; STEP]]; TURNS] = [&[]; TURNS];
        for l in 0..TURNS {
            let (now, later) = rest[l].split_at(n * STEP);
            (steps[l], rest[l]) = (now.as_chunks().0, later);
        }
        for i in 0..n {
            for l in 0..TURNS {
                values[l] = values[l].step(&steps[l][i]);
            }
        }
        for l in 0..TURNS {
            if rest[l].len() < STEP
                && let Some(i) = at[l].take()
            {
                values[l].end(rest[l], messages[i].len() as u64, &mut out[i * each..][..each]);
                if next < messages.len() {
                    (values[l], rest[l], at[l]) = (start, messages[next], Some(next));
                    next += 1;
                }
            }
        }
    }
    for l in 0..TURNS {
        if let Some(i) = at[l] {
            let (steps, rest) = rest[l].as_chunks();
            for step in steps {
                values[l] = values[l].step(step);
            }
            values[l].end(rest, messages[i].len() as u64, &mut out[i * each..][..each]);
        }
    }
}

/// Writes a value in big-endian byte order.
macro_rules! write_be {
    ($value:expr, $out:expr) => {
        if let Some(out) = $out.first_chunk_mut() {
            *out = $value.to_be_bytes();
        }
    };
}

pub(super) use write_be;

/// Reads up to seven bytes as a little-endian number, with overlapping loads.
#[inline(always)]
pub(super) fn up_to_7(m: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (m.first_chunk(), m.last_chunk()) {
        let last = u64::from(u32::from_le_bytes(*last)) << (8 * (m.len() - 4));
        u64::from(u32::from_le_bytes(*first)) | last
    } else if let (Some(&first), Some(&last)) = (m.first(), m.last()) {
        let middle = m.len() / 2;
        u64::from(first) | u64::from(m[middle]) << (8 * middle) | u64::from(last) << (8 * (m.len() - 1))
    } else {
        0
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::contract::{Inputs, Kernel, Params, Run};
    use crate::plumbing::call::available;

    /// Checks every kernel that this CPU can run on one message: in one piece, and cut in two at every position (or at
    /// some 300 positions, if there are more).
    pub(in crate::algo) fn check(kernels: &[Kernel], p: [u16; 4], seed: u64, m: &[u8], want: &[u8]) {
        let p = Params { row: 0, out_len: want.len() as u32, p, seed };
        for kernel in kernels.iter().filter(|k| available(k)) {
            let Run::Whole(whole) = kernel.run else { panic!("{} is not a whole", kernel.name) };
            let mut out = vec![0; want.len()];
            whole.digest(&p, m, &mut out);
            assert_eq!(out, want, "{}: one-shot, {} bytes", kernel.name, m.len());
            // An odd step, so that the cuts come at every alignment.
            for cut in (0..=m.len()).step_by((m.len() / 300) | 1) {
                let x = Inputs::NONE;
                let mut memory = whole.start(&p, &x);
                whole.update(&p, &x, &mut memory, &m[..cut]);
                let mut memory = memory.clone();
                whole.update(&p, &x, &mut memory, &m[cut..]);
                whole.finish(&p, &x, &memory, &mut out);
                assert_eq!(out, want, "{}: split at {cut} of {}", kernel.name, m.len());
            }
        }
    }
}
