//! Messages that are no number of whole bytes: the bits after the last one.
//!
//! Only the streaming hasher knows about them, so messages of whole bytes cost nothing extra. `Blocks::tail_of_bits`
//! puts them into the tail.

/// Where the first bit of a message lies in its first byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BitOrder {
    /// At the high end, 0x80.
    High,
    /// At the low end, 0x01.
    Low,
}

impl BitOrder {
    /// The first `n` bits of a byte, one to eight; the others are 0.
    pub(crate) fn first(self, byte: u8, n: u8) -> u8 {
        match self {
            BitOrder::High => byte & (0xff00_u16 >> n) as u8,
            BitOrder::Low => byte & !(0xff_u16 << n) as u8,
        }
    }

    /// The bits `n` places later, less than eight; those that leave the byte are lost.
    fn later(self, byte: u8, n: u8) -> u8 {
        match self {
            BitOrder::High => byte >> n,
            BitOrder::Low => byte << n,
        }
    }

    /// The bits `n` places earlier, less than eight.
    fn earlier(self, byte: u8, n: u8) -> u8 {
        match self {
            BitOrder::High => byte << n,
            BitOrder::Low => byte >> n,
        }
    }
}

/// The bits after the last whole byte of a message: up to seven, at their places in a byte whose other bits are 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bits {
    pub(crate) byte: u8,
    pub(crate) count: u8,
}

impl Bits {
    pub(crate) const NONE: Bits = Bits { byte: 0, count: 0 };

    /// The byte with a 1 after the bits, where they are counted from the high end.
    pub(crate) fn marked(self) -> u8 {
        self.byte | 0x80 >> self.count
    }

    /// Appends the first `count` bits of a byte and returns the whole byte that they complete, if they do. `count` is
    /// less than eight where no bits are waiting.
    pub(crate) fn push(&mut self, order: BitOrder, byte: u8, count: u8) -> Option<u8> {
        let new = order.first(byte, count);
        let joined = self.byte | order.later(new, self.count);
        if self.count + count < 8 {
            *self = Bits { byte: joined, count: self.count + count };
            return None;
        }
        *self = Bits { byte: order.earlier(new, 8 - self.count), count: self.count + count - 8 };
        Some(joined)
    }
}

#[cfg(test)]
mod tests {
    use super::{BitOrder, Bits};
    use crate::algo::blake::Blake;
    use crate::contract::{Blocks, Flat, Inputs, Memory, NO_TAIL, State};
    use crate::engine::dispatch;
    use crate::registry::table::Rule;
    use crate::{Algorithm, Hasher};

    /// The bits that the specification appends to a message.
    enum Padding {
        /// 1, zeros, and the message's length in `bits` bits with this byte order.
        Length { bits: usize, big_endian: bool },
        /// 1, zeros until there is room for one bit and the length, this bit, the length.
        Blake { bits: usize, before_length: bool },
        /// 1, 383 zeros, zeros that fill the block, 128 bits of length.
        Jh,
        /// 1, zeros, 64 bits for the number of blocks.
        Groestl,
        /// 1, zeros.
        CubeHash,
        /// A suffix, 1, zeros, 1.
        Sponge(&'static [bool]),
        /// If the last byte is incomplete: 1, zeros. Then zeros that fill the block.
        Skein,
    }

    fn padding(a: Algorithm) -> Padding {
        match a.family() {
            "MD" | "RIPEMD" => Padding::Length { bits: 64, big_endian: false },
            "SHA-2" if a.block_len() == 128 => Padding::Length { bits: 128, big_endian: true },
            "SHA-0" | "SHA-1" | "SHA-2" | "SM3" => Padding::Length { bits: 64, big_endian: true },
            "Whirlpool" => Padding::Length { bits: 256, big_endian: true },
            "BLAKE" => {
                let full = ["blake256", "blake512"].contains(&a.base_name());
                Padding::Blake { bits: a.block_len(), before_length: full }
            }
            "JH" => Padding::Jh,
            "Groestl" => Padding::Groestl,
            "CubeHash" => Padding::CubeHash,
            "Keccak" => Padding::Sponge(&[]),
            "SHA-3" if a.is_extendable() => Padding::Sponge(&[true; 4]),
            "SHA-3" => Padding::Sponge(&[false, true]),
            "Skein" => Padding::Skein,
            other => panic!("{a}: the padding of {other} is not known here"),
        }
    }

    fn number(n: usize, bits: usize) -> impl Iterator<Item = bool> {
        (0..bits).rev().map(move |i| i < 64 && n >> i & 1 == 1)
    }

    fn padded(a: Algorithm, message: &[bool]) -> Vec<bool> {
        let (block, n) = (8 * a.block_len(), message.len());
        let mut m = message.to_vec();
        let fill = |m: &mut Vec<bool>, room: usize| {
            while (m.len() + room) % block != 0 {
                m.push(false);
            }
        };
        match padding(a) {
            Padding::Length { bits, big_endian } => {
                m.push(true);
                fill(&mut m, bits);
                let length: Vec<bool> = number(n, bits).collect();
                let bytes = length.chunks(8);
                m.extend(if big_endian { length.clone() } else { bytes.rev().flatten().copied().collect() });
            }
            Padding::Blake { bits, before_length } => {
                m.push(true);
                fill(&mut m, 1 + bits);
                m.push(before_length);
                m.extend(number(n, bits));
            }
            Padding::Jh => {
                m.push(true);
                m.extend([false; 383]);
                fill(&mut m, 128);
                m.extend(number(n, 128));
            }
            Padding::Groestl => {
                m.push(true);
                fill(&mut m, 64);
                m.extend(number((m.len() + 64) / block, 64));
            }
            Padding::CubeHash => {
                m.push(true);
                fill(&mut m, 0);
            }
            Padding::Sponge(suffix) => {
                m.extend(suffix);
                m.push(true);
                fill(&mut m, 1);
                m.push(true);
            }
            Padding::Skein => {
                if n % 8 > 0 {
                    m.push(true);
                }
                // An empty message is a block of zeros.
                m.resize(m.len().max(1), false);
                fill(&mut m, 0);
            }
        }
        m
    }

    /// Packs bits into bytes; unused bits of the last byte are 0.
    fn bytes(order: BitOrder, bits: &[bool]) -> Vec<u8> {
        let byte = |eight: &[bool]| {
            eight.iter().enumerate().fold(0, |byte, (i, &bit)| {
                byte | u8::from(bit)
                    << match order {
                        BitOrder::High => 7 - i,
                        BitOrder::Low => i,
                    }
            })
        };
        bits.chunks(8).map(byte).collect()
    }

    /// Computes the digest of a message that was padded bit by bit, using only the round function.
    fn digest(a: Algorithm, rule: &dyn Blocks, message: &[bool]) -> Vec<u8> {
        let (p, block, n) = (&a.params, a.block_len(), message.len());
        let order = rule.bit_order(p).expect("of bits");
        let kernel = dispatch::single(p.row);
        let mut s = State::zero();
        rule.init(p, &Inputs::NONE, &mut s);
        let all = bytes(order, &padded(a, message));
        let blocks = all.len() / block;
        for (i, m) in all.chunks(block).enumerate() {
            // The number of message bits up to the end of this block, which may contain none itself.
            let done = n.min(8 * block * (i + 1));
            let t = if n > 8 * block * i { done } else { 0 };
            match padding(a) {
                Padding::Blake { .. } if block == 64 => Blake::<u32>::set_counter(&mut s, t as u128),
                Padding::Blake { .. } => Blake::<u64>::set_counter(&mut s, t as u128),
                Padding::Skein => {
                    // Type "message", position, and the flags: final, first, bit padding.
                    let last = i + 1 == blocks;
                    let flags =
                        48 << 56 | u64::from(last) << 63 | u64::from(i == 0) << 62 | u64::from(last && n % 8 > 0) << 55;
                    let tweak = (u128::from(flags) << 64 | done.div_ceil(8) as u128) - block as u128;
                    s.set_u64(block / 8, tweak as u64);
                    s.set_u64(block / 8 + 1, (tweak >> 64) as u64);
                }
                _ => {}
            }
            kernel.run_one(p, &mut s, m, block);
        }
        // Final rounds and output, for functions that have them.
        if matches!(padding(a), Padding::Skein | Padding::CubeHash | Padding::Groestl) {
            let mut tail = NO_TAIL;
            for stage in 1.. {
                let n = rule.tail(p, &mut s, stage, &[], 0, &mut tail);
                if n == 0 {
                    break;
                }
                kernel.run_one(p, &mut s, &tail[..n], block);
            }
        }
        let mut out = vec![0; a.digest_len()];
        rule.output(p, &mut s, &mut |s, m| kernel.run_one(p, s, m, block), &mut out);
        out
    }

    /// Compares every length up to two blocks and 17 bits with bit-by-bit padding as the specifications define it.
    #[test]
    fn padding_bit_by_bit() {
        let more = ["skein512-1032", "skein256-8", "shake128:400", "cubehash8/1-512", "cubehash80+8/96+32-384"];
        let mut seen = 0;
        for a in Algorithm::all().chain(more.map(|n| n.parse().expect("known"))) {
            let Rule::Blocks(rule) = a.row().rule else { continue };
            let Some(order) = rule.bit_order(&a.params) else { continue };
            let longest = 16 * a.block_len() + 17;
            let message: Vec<bool> = (0..longest as u32).map(|i| i.wrapping_mul(0x9e37_79b1) >> 31 == 1).collect();
            for n in 0..=longest {
                let mut h = Hasher::new(a);
                h.update_bits(bytes(order, &message[..n]), n as u64).expect("bits");
                assert_eq!(*h.finalize().as_bytes(), digest(a, rule, &message[..n]), "{a}, {n} bits");
                seen += 1;
            }
        }
        assert!(seen > 40_000, "{seen}");
    }

    #[test]
    fn first_bits() {
        for (order, n, expect) in [
            (BitOrder::High, 1, 0x80),
            (BitOrder::High, 7, 0xfe),
            (BitOrder::High, 8, 0xff),
            (BitOrder::Low, 1, 0x01),
            (BitOrder::Low, 7, 0x7f),
            (BitOrder::Low, 8, 0xff),
        ] {
            assert_eq!(order.first(0xff, n), expect, "{order:?} {n}");
        }
    }

    /// Wiping also clears the bits of an incomplete byte.
    #[test]
    fn wiped_bits() {
        let mut flat = Flat::new();
        flat.last = Bits { byte: 0xa0, count: 3 };
        let mut memory = Memory::Flat(flat);
        memory.wipe();
        assert_eq!(memory.flat().last.byte, 0);
    }
}
