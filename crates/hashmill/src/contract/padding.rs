//! What follows a message.

use super::Tail;

/// Writes `rest`, one 0x80 byte, zeros, and the message length in bits as the last `LENGTH` bytes of a block of `BLOCK`
/// bytes, little-endian or big-endian. Returns the bytes written: one block or two.
#[inline]
pub(crate) fn merkle_damgard<const BLOCK: usize, const LENGTH: usize>(
    rest: &[u8],
    total: u128,
    big_endian: bool,
    out: &mut Tail,
) -> usize {
    let end = if rest.len() + 1 + LENGTH <= BLOCK { BLOCK } else { 2 * BLOCK };
    marked(0x80, rest, &mut out[..end]);
    // Beyond the field's width the length wraps, as the specifications say (MD5: "only the low-order 64 bits").
    let bits = total << 3;
    if big_endian {
        out[end - LENGTH..end].copy_from_slice(&bits.to_be_bytes()[16 - LENGTH..]);
    } else {
        out[end - LENGTH..end].copy_from_slice(&bits.to_le_bytes()[..LENGTH]);
    }
    end
}

/// Writes `rest`, the byte `mark` and zeros: whole words only. The one with the message's last bytes is put together in
/// a register, since the round function reads it at once and would wait for pieces to reach memory. `out` has a
/// multiple of 8 bytes.
#[inline]
pub(crate) fn marked(mark: u8, rest: &[u8], out: &mut [u8]) {
    let (words, last) = rest.as_chunks::<8>();
    let mut x = u64::from(mark) << (8 * last.len());
    // Not byte by byte, which the compiler makes into vector code for a few bytes.
    match (last.first_chunk::<4>(), last.last_chunk::<4>()) {
        (Some(&first), Some(&end)) => {
            x |= u64::from(u32::from_le_bytes(first)) | u64::from(u32::from_le_bytes(end)) << (8 * (last.len() - 4));
        }
        _ => {
            if let [a, .., z] = *last {
                // One to three bytes: the middle one is the first or the last if there is none of its own.
                x |= u64::from(a)
                    | u64::from(last[last.len() / 2]) << (8 * (last.len() / 2))
                    | u64::from(z) << (8 * (last.len() - 1));
            } else if let [a] = *last {
                x |= u64::from(a);
            }
        }
    }
    let (blocks, _) = out.as_chunks_mut::<8>();
    for (to, from) in blocks.iter_mut().zip(words) {
        *to = *from;
    }
    let n = words.len();
    for word in &mut blocks[n..] {
        *word = [0; 8];
    }
    blocks[n] = x.to_le_bytes();
}

/// Padding that consists of bytes which the length of the message decides, and a digest that consists of the first
/// bytes of the state's words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Plain {
    /// The byte after the message.
    pub(crate) mark: u8,
    pub(crate) end: End,
    /// Bytes of a word of the state.
    pub(crate) word: usize,
    /// Whether the digest has words in big-endian order.
    pub(crate) big_endian: bool,
}

/// What the last block ends with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// The message's length in bits, in so many bytes: a multiple of 8.
    Length { bytes: usize, big_endian: bool },
    /// The highest bit of the last byte, which may be the marked one.
    Bit,
}

impl Plain {
    /// Merkle–Damgård with strengthening: 0x80, zeros, the length in bits.
    pub(crate) const fn strengthened(bytes: usize, word: usize, big_endian: bool) -> Self {
        Plain { mark: 0x80, end: End::Length { bytes, big_endian }, word, big_endian }
    }

    /// Bytes that the last block must have room for beside the marked one.
    #[inline(always)]
    pub(crate) fn field(&self) -> usize {
        match self.end {
            End::Length { bytes, .. } => bytes,
            End::Bit => 0,
        }
    }

    /// Bytes of the blocks that `rest` bytes and the padding make.
    pub(crate) fn tail_len(&self, rest: usize, block: usize) -> usize {
        (rest + 1 + self.field()).div_ceil(block) * block
    }

    /// The last word that is not zero, little-endian, and how many bytes before the end of the last block it begins.
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

#[cfg(test)]
mod tests {
    use crate::Algorithm;
    use crate::catalogue::registry::Rule;
    use crate::contract::{NO_TAIL, State};

    /// The number that a tail ends with.
    #[derive(Clone, Copy)]
    enum Length {
        Little(usize),
        Big(usize),
    }

    /// What the specifications say about the field for the message's length in bits; beyond its width it wraps. Lengths
    /// that no test can hash: the tail is asked for directly.
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
