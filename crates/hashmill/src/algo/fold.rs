//! Algorithms that are a small value carried over the message: checksums and hashes without a schedule worth sharing.

use crate::contract::{Inputs, Params, Stream, Whole};
use std::marker::PhantomData;

/// The value that is carried.
pub(super) trait Fold: Clone + Send + Sync + 'static {
    /// The value before the first byte.
    fn new(p: &Params) -> Self;

    fn update(&mut self, m: &[u8]);

    /// Writes the digest of everything so far; the value may be carried on.
    fn finish(&self, out: &mut [u8]);

    /// The digest of one message. Values that collect blocks have a shorter way.
    #[inline(always)]
    fn digest(p: &Params, m: &[u8], out: &mut [u8]) {
        let mut value = Self::new(p);
        value.update(m);
        value.finish(out);
    }

    /// [`Whole::digest_many`].
    #[inline]
    fn digest_many(p: &Params, messages: &[&[u8]], out: &mut [u8]) {
        one_by_one::<Self>(p, messages, out);
    }

    /// [`Whole::combine`].
    fn combine(_a: &[u8], _b: &[u8], _len_b: u64, _out: &mut [u8]) -> bool {
        false
    }
}

/// [`Whole::digest_many`], one message after the other.
#[inline(always)]
pub(super) fn one_by_one<F: Fold>(p: &Params, messages: &[&[u8]], out: &mut [u8]) {
    for (m, out) in messages.iter().zip(out.chunks_exact_mut(p.out_len as usize)) {
        F::digest(p, m, out);
    }
}

/// A value as a kernel.
pub(super) struct Folding<F>(PhantomData<fn() -> F>);

impl<F> Folding<F> {
    pub(super) const NEW: Folding<F> = Folding(PhantomData);
}

impl<F: Fold> Whole for Folding<F> {
    fn start(&self, p: &Params, _: &Inputs<'_>) -> Box<dyn Stream> {
        Box::new(Running(F::new(p)))
    }

    #[inline(always)]
    fn digest(&self, p: &Params, m: &[u8], out: &mut [u8]) {
        F::digest(p, m, out);
    }

    fn digest_many(&self, p: &Params, messages: &[&[u8]], out: &mut [u8]) {
        F::digest_many(p, messages, out);
    }

    fn combine(&self, _: &Params, a: &[u8], b: &[u8], len_b: u64, out: &mut [u8]) -> bool {
        F::combine(a, b, len_b, out)
    }
}

/// A value as a stream.
#[derive(Clone)]
struct Running<F>(F);

impl<F: Fold> Stream for Running<F> {
    fn update(&mut self, m: &[u8]) {
        self.0.update(m);
    }

    fn finish(&self, out: &mut [u8]) {
        self.0.finish(out);
    }

    fn boxed_clone(&self) -> Box<dyn Stream> {
        Box::new(self.clone())
    }

    fn wipe(&mut self) {}
}

/// A value that takes `STEP` bytes at a time and whose every step waits for the one before.
pub(super) trait Chain<const STEP: usize>: Copy {
    /// The value before the first step.
    fn begin(p: &Params) -> Self;

    fn step(self, bytes: &[u8; STEP]) -> Self;

    /// Writes the digest of a message of `total` bytes, of which `rest`, less than a step, is still to come.
    fn end(self, rest: &[u8], total: u64, out: &mut [u8]);
}

/// [`Whole::digest_many`] of chains: `TURNS` messages' steps take turns, and the next message takes the place of one that ends.
/// The processor would find some of the next message's steps by itself, but only as far ahead as it can see.
#[inline(always)]
pub(super) fn in_turns<C: Chain<STEP>, const STEP: usize, const TURNS: usize>(
    p: &Params,
    messages: &[&[u8]],
    out: &mut [u8],
) {
    let each = p.out_len as usize;
    let start = C::begin(p);
    let (mut values, mut rest): ([C; TURNS], [&[u8]; TURNS]) = ([start; TURNS], [&[]; TURNS]);
    // Which message a place has: none when it has ended and there are no more.
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

/// Writes a value with the most significant byte first.
macro_rules! write_be {
    ($value:expr, $out:expr) => {
        if let Some(out) = $out.first_chunk_mut() {
            *out = $value.to_be_bytes();
        }
    };
}

pub(super) use write_be;

/// Bytes that wait until there are `N` of them.
#[derive(Clone)]
pub(super) struct Pending<const N: usize> {
    bytes: [u8; N],
    /// Always less than `N`.
    fill: usize,
}

impl<const N: usize> Pending<N> {
    pub(super) const fn new() -> Self {
        Pending { bytes: [0; N], fill: 0 }
    }

    /// Adds `m` and calls `run` with whole blocks, in order: perhaps one that was completed, then those in `m`.
    #[inline]
    pub(super) fn take(&mut self, mut m: &[u8], mut run: impl FnMut(&[[u8; N]])) {
        if self.fill > 0 {
            let free = &mut self.bytes[self.fill..];
            let n = m.len().min(free.len());
            let (head, rest) = m.split_at(n);
            free[..n].copy_from_slice(head);
            self.fill += n;
            if self.fill < N {
                return;
            }
            run(&[self.bytes]);
            m = rest;
        }
        let (blocks, rest) = m.as_chunks();
        run(blocks);
        self.bytes[..rest.len()].copy_from_slice(rest);
        self.fill = rest.len();
    }

    /// What waits.
    pub(super) fn rest(&self) -> &[u8] {
        &self.bytes[..self.fill]
    }
}

/// Less than eight bytes, little-endian: by loads that overlap.
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
    use crate::dispatch::available;

    /// Every kernel that this CPU can run on one message: at once, and cut in two at every place (or some, if there are many).
    pub(in crate::algo) fn check(kernels: &[Kernel], p: [u16; 4], seed: u64, m: &[u8], want: &[u8]) {
        let p = Params { row: 0, out_len: want.len() as u32, p, seed };
        for kernel in kernels.iter().filter(|k| available(k)) {
            let Run::Whole(whole) = kernel.run else { panic!("{} is not a whole", kernel.name) };
            let mut out = vec![0; want.len()];
            whole.digest(&p, m, &mut out);
            assert_eq!(out, want, "{}: one-shot, {} bytes", kernel.name, m.len());
            for cut in (0..=m.len()).filter(|cut| m.len() < 300 || cut % 61 == 7) {
                let mut stream = whole.start(&p, &Inputs::NONE);
                stream.update(&m[..cut]);
                let mut stream = stream.boxed_clone();
                stream.update(&m[cut..]);
                stream.finish(&mut out);
                assert_eq!(out, want, "{}: split at {cut} of {}", kernel.name, m.len());
            }
        }
    }
}
