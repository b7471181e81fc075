//! A kernel as a value: the CPU features it needs, how it is called, and how it lays out states.

use super::{Params, STATE_BYTES, State, Whole};
use crate::base::cpu::Features;
use crate::simd::Rows;

/// One implementation of an algorithm. Each algorithm's file lists its kernels in order of preference.
pub(crate) struct Kernel {
    /// `<isa>x<lanes>`, `portable`, or the name of a dedicated instruction set or of a crate.
    pub(crate) name: &'static str,
    /// CPU features that must be present for it to run.
    pub(crate) needs: Features,
    pub(crate) run: Run,
}

/// How a kernel is called.
pub(crate) enum Run {
    Lanes(Lanes),
    Whole(&'static dyn Whole),
}

/// A block kernel for `lanes` messages at once.
pub(crate) struct Lanes {
    /// How many messages run side by side; 1 for a single stream.
    pub(crate) lanes: u16,
    /// Number of messages from which it beats the kernels after it in the list (measured).
    pub(crate) min_active: u16,
    pub(crate) layout: Layout,
    /// Whether it supports several messages per lane ([`Rows::apart`]).
    pub(crate) apart: bool,
    /// Runs `rows.blocks()` blocks of every lane.
    pub(crate) run: RunFn,
}

/// The type of every block kernel. It is `unsafe` because the CPU must have the kernel's features; only
/// `plumbing/call.rs` calls it.
pub(crate) type RunFn = unsafe fn(&Params, packed: &mut [u8], rows: &Rows<'_>);

/// How a kernel lays out the states of several messages in its packed memory.
#[derive(Clone, Copy)]
pub(crate) enum Layout {
    /// Word w of lane l at `(w * lanes + l) * word_bytes`; with one lane this is [`State`] itself.
    Soa { words: u16, word_bytes: u8 },
    /// A layout of the kernel's own: the total size of the packed memory in bytes, and functions that store a state in
    /// a lane and read it back.
    #[allow(dead_code, reason = "for kernels that keep several messages in one register (bit- and byte-sliced)")]
    Own { bytes: usize, seat: fn(&State, &mut [u8], usize), unseat: fn(&[u8], usize, &mut State) },
}

impl Kernel {
    /// Number of messages it runs side by side.
    pub(crate) fn lanes(&self) -> u16 {
        match &self.run {
            Run::Lanes(l) => l.lanes,
            Run::Whole(_) => 1,
        }
    }

    /// The block function; for algorithms of the shape [`super::Blocks`].
    pub(crate) fn block_kernel(&self) -> &Lanes {
        match &self.run {
            Run::Lanes(l) => l,
            Run::Whole(_) => unreachable!("the registry's tests hold every row to one shape"),
        }
    }

    /// The implementation; for algorithms of the shape [`Whole`].
    pub(crate) fn whole(&self) -> &'static dyn Whole {
        match &self.run {
            Run::Whole(w) => *w,
            Run::Lanes(_) => unreachable!("the registry's tests hold every row to one shape"),
        }
    }
}

impl Lanes {
    /// Bytes of packed memory for the states of all lanes.
    pub(crate) fn packed_bytes(&self) -> usize {
        match self.layout {
            Layout::Soa { words, word_bytes } => usize::from(words) * usize::from(word_bytes) * usize::from(self.lanes),
            Layout::Own { bytes, .. } => bytes,
        }
    }

    /// Copies a state into a lane.
    pub(crate) fn seat(&self, s: &State, packed: &mut [u8], lane: usize) {
        match self.layout {
            Layout::Own { seat, .. } => seat(s, packed, lane),
            Layout::Soa { words, word_bytes } => {
                let lanes = usize::from(self.lanes);
                match word_bytes {
                    1 => scatter::<1>(&s.0, packed, lane, lanes, usize::from(words)),
                    4 => scatter::<4>(&s.0, packed, lane, lanes, usize::from(words)),
                    _ => scatter::<8>(&s.0, packed, lane, lanes, usize::from(words)),
                }
            }
        }
    }

    /// Copies a state into all lanes.
    pub(crate) fn seat_all(&self, s: &State, packed: &mut [u8]) {
        let lanes = usize::from(self.lanes);
        match self.layout {
            Layout::Own { seat, .. } => (0..lanes).for_each(|lane| seat(s, packed, lane)),
            Layout::Soa { words, word_bytes } => match word_bytes {
                1 => spread::<1>(&s.0, packed, lanes, usize::from(words)),
                4 => spread::<4>(&s.0, packed, lanes, usize::from(words)),
                _ => spread::<8>(&s.0, packed, lanes, usize::from(words)),
            },
        }
    }

    /// Copies the state of a lane out.
    pub(crate) fn unseat(&self, packed: &[u8], lane: usize, s: &mut State) {
        match self.layout {
            Layout::Own { unseat, .. } => unseat(packed, lane, s),
            Layout::Soa { words, word_bytes } => {
                let lanes = usize::from(self.lanes);
                match word_bytes {
                    1 => gather::<1>(packed, &mut s.0, lane, lanes, usize::from(words)),
                    4 => gather::<4>(packed, &mut s.0, lane, lanes, usize::from(words)),
                    _ => gather::<8>(packed, &mut s.0, lane, lanes, usize::from(words)),
                }
            }
        }
    }
}

fn scatter<const B: usize>(s: &[u8; STATE_BYTES], packed: &mut [u8], lane: usize, lanes: usize, words: usize) {
    for (w, word) in s.chunks_exact(B).take(words).enumerate() {
        packed[(w * lanes + lane) * B..][..B].copy_from_slice(word);
    }
}

/// [`scatter`] for all lanes.
fn spread<const B: usize>(s: &[u8; STATE_BYTES], packed: &mut [u8], lanes: usize, words: usize) {
    let (s, _) = s.as_chunks::<B>();
    for (word, row) in s.iter().zip(packed.chunks_exact_mut(lanes * B)).take(words) {
        row.as_chunks_mut::<B>().0.fill(*word);
    }
}

fn gather<const B: usize>(packed: &[u8], s: &mut [u8; STATE_BYTES], lane: usize, lanes: usize, words: usize) {
    for (w, word) in s.chunks_exact_mut(B).take(words).enumerate() {
        word.copy_from_slice(&packed[(w * lanes + lane) * B..][..B]);
    }
}
