//! Padding and digest words: what follows a message, and how its digest is read.

use super::{State, Tail, word};
use crate::simd::{pair, single_word};

/// Writes `rest`, the byte `mark` and zeros, in pieces of sixteen bytes. The one with the last bytes of the message is
/// assembled in a register: the round function reads it at once, and would have to wait for separately stored words to
/// reach memory. The length of `out` is a multiple of 8 bytes.
#[inline]
pub(crate) fn marked(mark: u8, rest: &[u8], out: &mut [u8]) {
    let (words, _) = out.as_chunks_mut::<8>();
    for word in &mut words[rest.len() / 8..] {
        *word = [0; 8];
    }
    mark_zeros(mark, rest, out);
}

/// Like [`marked`], for an `out` that holds zeros.
#[inline]
fn mark_zeros(mark: u8, rest: &[u8], out: &mut [u8]) {
    let with_mark = |m: &[u8]| word(m).unwrap_or_default() | u64::from(mark) << (8 * m.len());
    let (pieces, last) = rest.as_chunks::<16>();
    let (low, high) = match last.split_first_chunk() {
        Some((first, last)) => (u64::from_le_bytes(*first), with_mark(last)),
        None => (with_mark(last), 0),
    };
    let (to, half) = out.as_chunks_mut::<16>();
    for (to, from) in to.iter_mut().zip(pieces) {
        *to = *from;
    }
    match (to.get_mut(pieces.len()), half.first_chunk_mut()) {
        (Some(to), _) => *to = pair(low, high),
        (_, Some(half)) => *half = low.to_le_bytes(),
        _ => unreachable!("there is room for the mark"),
    }
}

/// Padding that depends only on the length of the message: a marked byte, zeros, and a field at the end of the last
/// block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Padding {
    /// The byte after the message.
    pub(crate) mark: u8,
    pub(crate) end: End,
}

/// What the last block ends with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// The length of the message in bits, as an integer of `bytes` bytes (a multiple of 8). It wraps when it exceeds
    /// this width, as the specifications require (MD5: "only the low-order 64 bits").
    Length { bytes: usize, big_endian: bool },
    /// The highest bit of the last byte, which may be the marked byte.
    Bit,
}

impl Padding {
    /// Merkle–Damgård strengthening: 0x80, zeros, the length in bits as an integer of `bytes` bytes.
    pub(crate) const fn strengthened(bytes: usize, big_endian: bool) -> Self {
        Padding { mark: 0x80, end: End::Length { bytes, big_endian } }
    }

    /// Bytes that the last block must have room for, besides the marked one.
    #[inline(always)]
    pub(crate) fn field(&self) -> usize {
        match self.end {
            End::Length { bytes, .. } => bytes,
            End::Bit => 0,
        }
    }

    /// Length in bytes of the blocks that `rest` bytes and the padding make: one block or two. `rest` is less than a
    /// block, or as much as fits into two blocks with the padding, because a batch leaves the last whole block to the
    /// tail.
    #[inline(always)]
    pub(crate) fn tail_len(&self, rest: usize, block: usize) -> usize {
        match self.end {
            // There is always room for one bit.
            End::Bit => {
                debug_assert!(rest < block);
                block
            }
            End::Length { bytes, .. } => {
                debug_assert!(rest + 1 + bytes <= 2 * block);
                if rest + 1 + bytes <= block { block } else { 2 * block }
            }
        }
    }

    /// Writes the blocks that `rest` and the padding make ([`Padding::tail_len`]) for a message of `total` bytes, and
    /// returns their length in bytes.
    #[inline(always)]
    pub(crate) fn write(&self, rest: &[u8], total: u128, block: usize, out: &mut Tail) -> usize {
        let end = self.tail_len(rest.len(), block);
        marked(self.mark, rest, &mut out[..end]);
        self.write_end(total, end, out);
        end
    }

    /// Like [`Padding::write`], for an `out` that holds zeros.
    #[inline(always)]
    pub(crate) fn write_to_zeros(&self, rest: &[u8], total: u128, block: usize, out: &mut Tail) -> usize {
        let end = self.tail_len(rest.len(), block);
        mark_zeros(self.mark, rest, &mut out[..end]);
        self.write_end(total, end, out);
        end
    }

    /// Writes the last field, in front of `end`.
    #[inline(always)]
    fn write_end(&self, total: u128, end: usize, out: &mut Tail) {
        let bits = total << 3;
        match self.end {
            End::Length { bytes, big_endian: true } => {
                // As one piece, as in `marked`.
                if let Some(last) = out[..end].last_chunk_mut::<16>() {
                    let (first, _) = last.split_first_chunk().expect("sixteen bytes");
                    let before =
                        if bytes == 8 { u64::from_le_bytes(*first) } else { ((bits >> 64) as u64).swap_bytes() };
                    *last = pair(before, (bits as u64).swap_bytes());
                }
                if bytes > 16 {
                    // A length in bits has at most 131 bits.
                    out[end - 17] |= (total >> 125) as u8;
                }
            }
            End::Length { bytes, big_endian: false } => {
                let n = bytes.min(16);
                out[end - bytes..][..n].copy_from_slice(&bits.to_le_bytes()[..n]);
            }
            // A whole word, as in `marked`: the round function reads it at once.
            End::Bit => {
                if let Some(last) = out[..end].last_chunk_mut::<8>() {
                    *last = (u64::from_le_bytes(*last) ^ 0x80 << 56).to_le_bytes();
                }
            }
        }
    }

    /// The last nonzero word of the padding, little-endian, preceded by its distance in bytes from the end of the last
    /// block; for messages of less than 2^61 bytes.
    #[inline(always)]
    pub(crate) fn last(&self, total: usize) -> (usize, u64) {
        let bits = (total as u64) << 3;
        match self.end {
            End::Length { big_endian: true, .. } => (8, bits.swap_bytes()),
            End::Length { bytes, .. } => (bytes, bits),
            End::Bit => (8, 0x80 << 56),
        }
    }
}

/// A digest that consists of the first words of the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Words {
    /// Size of a word in bytes: 4 or 8.
    pub(crate) bytes: usize,
    /// Whether the digest stores the words in big-endian byte order.
    pub(crate) big_endian: bool,
}

impl Words {
    /// Reads a digest of any length off a state; the last word may be truncated (SHA-512/224).
    #[inline(always)]
    pub(crate) fn read(&self, s: &State, out: &mut [u8]) {
        // The words of the state have the byte order of this machine.
        let narrow = |word| single_word(u32::from_ne_bytes(word).into()) as u32;
        let wide = |word| single_word(u64::from_ne_bytes(word));
        match (self.bytes, self.big_endian) {
            (4, false) => read_words(s, out, |word| narrow(word).to_le_bytes()),
            (4, true) => read_words(s, out, |word| narrow(word).to_be_bytes()),
            (_, false) => read_words(s, out, |word| wide(word).to_le_bytes()),
            (_, true) => read_words(s, out, |word| wide(word).to_be_bytes()),
        }
    }
}

#[inline(always)]
fn read_words<const B: usize>(s: &State, out: &mut [u8], order: impl Fn([u8; B]) -> [u8; B]) {
    let (all, _) = s.0.as_chunks::<B>();
    // Copying whole words needs no call to memcpy.
    let (words, rest) = out.as_chunks_mut::<B>();
    for (to, &from) in words.iter_mut().zip(all) {
        *to = order(from);
    }
    if !rest.is_empty() {
        rest.copy_from_slice(&order(all[words.len()])[..rest.len()]);
    }
}

#[cfg(test)]
mod tests {
    use crate::Algorithm;
    use crate::contract::{NO_TAIL, State};
    use crate::registry::table::Rule;

    /// The length field at the end of a tail: its byte order and its width in bytes.
    #[derive(Clone, Copy)]
    enum Length {
        Little(usize),
        Big(usize),
    }

    /// Checks the field for the length of the message in bits against the specifications, including that it wraps
    /// beyond its width. No test can hash messages this long, so the tail is called directly.
    #[test]
    fn lengths_that_nobody_can_wait_for() {
        use Length::{Big, Little};
        for (names, length) in [
            (&["md4", "md5", "ripemd128", "ripemd160", "ripemd256", "ripemd320"][..], Little(8)),
            (&["haval128-3", "haval256-5", "tiger192-3", "tiger192-4", "tiger2"], Little(8)),
            (&["sha0", "sha1", "sha224", "sha256", "sm3", "snefru128", "snefru256", "blake224", "blake256"], Big(8)),
            (&["sha384", "sha512", "sha512-256", "blake384", "blake512", "jh224", "jh512"], Big(16)),
            (&["whirlpool"], Big(32)),
        ] {
            for name in names {
                for total in [(1u128 << 29) + 3, (1 << 32) + 5, (1 << 61) + 7, (1 << 64) + 9, (1 << 70) + 11] {
                    check(name, total, length);
                }
            }
        }
    }

    fn check(name: &str, total: u128, length: Length) {
        let a: Algorithm = name.parse().expect(name);
        let Rule::Blocks(rule) = a.row().rule else { panic!("{name} has no blocks") };
        let block = rule.block(&a.params);
        let rest = vec![7; (total % block as u128) as usize];
        let (mut s, mut out) = (State::zero(), NO_TAIL);
        rule.init(&a.params, &crate::contract::Inputs::NONE, &mut s);
        let mut last = Vec::new();
        for stage in 0..4 {
            let n = rule.tail(&a.params, &mut s, stage, if stage == 0 { &rest } else { &[] }, total, &mut out);
            if n == 0 {
                break;
            }
            last = out[..n].to_vec();
        }
        let bits = total << 3;
        let (expect, width) = match length {
            Length::Little(width) => (bits.to_le_bytes()[..width.min(16)].to_vec(), width),
            Length::Big(width) => {
                let mut wide = [0; 32];
                wide[16..].copy_from_slice(&bits.to_be_bytes());
                (wide[32 - width..].to_vec(), width)
            }
        };
        assert_eq!(last[last.len() - width..], expect, "{name}, {total} bytes");
    }
}
