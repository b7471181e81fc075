//! Folding with carry-less multiplication, written once for registers of any number of 128-bit lanes and for every CRC
//! of up to 64 bits.
//!
//! A register of fewer than 64 bits is kept as one of 64, modulo Q = P·x^(64 − width), which is the form it has in its
//! integer anyway. It is added to the first eight bytes of the message; what is left to compute is message·x^64 mod Q.
//!
//! ```text
//! fold:    V·x^n + next ≡ high(V)·(x^(n+64) mod Q) + low(V)·(x^n mod Q) + next        n: bits from V to next
//! end:     Σ q_j·(x^(64·(j+1)) mod Q) over the 64-bit words of V, j = 0 being the last: 128 bits B ≡ V·x^64
//! Barrett: quotient = high(B·⌊x^128 / Q⌋ / x^64);  remainder = low(B) + low(quotient·Q)
//! ```
//!
//! In reflected form, bit i stands for x^(63 − i), and a product of two such words, 127 bits, for the product times x,
//! so the powers in the keys are lower by one. A message is completed to a multiple of the register length by zeros in
//! front, which change nothing.

use super::Entry;

/// A register of one or more 128-bit lanes.
pub(super) trait Clmul: Copy {
    /// The token that proves the ISA.
    type Isa: Copy;
    const BYTES: usize;
    /// The shortest message whose loads are worth aligning.
    const ALIGN_FROM: usize;

    /// The first `BYTES` bytes of `m`.
    fn load(isa: Self::Isa, m: &[u8]) -> Self;
    /// Fewer than `BYTES` bytes, followed by zeros.
    fn load_short(isa: Self::Isa, m: &[u8]) -> Self;
    /// `x` in the first eight bytes.
    fn start(isa: Self::Isa, x: u64) -> Self;
    /// The same keys in every lane.
    fn keys(isa: Self::Isa, keys: &[u64; 2]) -> Self;
    /// Converts between memory order and the order in which products are computed, in either direction.
    fn order<const REFIN: bool>(self) -> Self;
    fn xor(self, o: Self) -> Self;
    /// `self` times the power that the keys stand for, plus `next`.
    fn fold(self, keys: Self, next: Self) -> Self;
    /// The first `n` bytes, moved to the end of a register, and the others, moved to the start of one: n < `BYTES`.
    fn split(self, n: usize) -> (Self, Self);
    /// Keeps the last `n` bytes and clears those before them: n < `BYTES`.
    fn last(self, n: usize) -> Self;
    /// `self`·x^64 mod Q as the register of a CRC, in the byte order of the message.
    fn end<const REFIN: bool>(self, keys: &Keys) -> u64;
}

/// The register after the bytes of `m`, at least eight and as many as `V::load_short` requires.
#[inline(always)]
pub(super) fn fold<V: Clmul, const N: usize, const REFIN: bool>(
    isa: V::Isa,
    keys: &Keys,
    register: u64,
    m: &[u8],
) -> u64 {
    let start = V::start(isa, if REFIN { register } else { register.swap_bytes() });
    let result = if m.len() < V::BYTES {
        V::load_short(isa, m).xor(start).split(m.len()).0.order::<REFIN>()
    } else {
        long::<V, N, REFIN>(isa, keys, start, m)
    };
    let result = result.end::<REFIN>(keys);
    if REFIN { result } else { result.swap_bytes() }
}

#[inline(always)]
fn long<V: Clmul, const N: usize, const REFIN: bool>(isa: V::Isa, keys: &Keys, start: V, m: &[u8]) -> V {
    let near = V::keys(isa, &keys.fold[0]);
    let aligned = m.len() >= V::ALIGN_FROM;
    let head = (if aligned { m.as_ptr().addr().wrapping_neg() } else { m.len() }) % V::BYTES;
    let mut x = V::load(isa, m).xor(start).split(head).0.order::<REFIN>();
    // The part of the register that goes into the bytes after the head.
    let mut rest_of_start = start.split(head).1;
    let mut rest = &m[head..];
    if rest.len() >= N * V::BYTES {
        let far = V::keys(isa, &keys.fold[N - 1]);
        let mut a = [x; N];
        let (first, after) = rest.split_at(N * V::BYTES);
        a[0] = x.fold(near, V::load(isa, first).xor(rest_of_start).order::<REFIN>());
        for i in 1..N {
            a[i] = V::load(isa, &first[i * V::BYTES..]).order::<REFIN>();
        }
        rest = after;
        while rest.len() >= N * V::BYTES {
            let (group, after) = rest.split_at(N * V::BYTES);
            for i in 0..N {
                a[i] = a[i].fold(far, V::load(isa, &group[i * V::BYTES..]).order::<REFIN>());
            }
            rest = after;
        }
        x = a[N - 1];
        for i in 0..N - 1 {
            x = a[i].fold(V::keys(isa, &keys.fold[N - 2 - i]), x);
        }
        rest_of_start = V::start(isa, 0);
    }
    while rest.len() >= V::BYTES {
        let (vector, after) = rest.split_at(V::BYTES);
        x = x.fold(near, V::load(isa, vector).xor(rest_of_start).order::<REFIN>());
        rest_of_start = V::start(isa, 0);
        rest = after;
    }
    if aligned && !rest.is_empty() {
        // The first bytes of the result are folded once more; the others go in front of the last bytes of the message.
        let (first, others) = x.order::<REFIN>().split(rest.len());
        let last = V::load(isa, &m[m.len() - V::BYTES..]).last(rest.len());
        x = first.order::<REFIN>().fold(near, others.xor(last).order::<REFIN>());
    }
    x
}

/// The most registers side by side.
pub(super) const MOST: usize = 8;

/// The multipliers of an entry. Pairs are in the order of the words that they multiply.
#[repr(C, align(64))]
pub(super) struct Keys {
    /// For the words of the last register; its low words come first.
    pub(super) end: [u64; 8],
    /// For a distance of 1, 2 … registers.
    pub(super) fold: [[u64; 2]; MOST],
    /// ⌊x^128 / Q⌋ and Q, without the bits that need no product.
    pub(super) barrett: [u64; 2],
    /// If reflected: all ones if Q is odd.
    pub(super) odd: u64,
}

impl Keys {
    /// The keys for registers of `bytes` bytes. `mirrored` means that bits are reversed, either by the CRC or by the
    /// type of the register.
    pub(super) const fn new(entry: &Entry, bytes: usize, mirrored: bool) -> Keys {
        let q = (entry.poly as u64) << (64 - entry.width);
        // x^(64·k) mod Q; mirrored: x^(64·k − 1).
        let mut powers = [0; 8 * MOST + 2];
        let (mut power, mut n, mut k) = (1u64, if mirrored { 1 } else { 0 }, 0);
        while k < powers.len() {
            if n == 64 * k {
                powers[k] = if mirrored { power.reverse_bits() } else { power };
                k += 1;
            } else if mirrored && k == 0 {
                k += 1;
            } else {
                power = (power << 1) ^ (q * (power >> 63));
                n += 1;
            }
        }
        let mut quotient = 0;
        let (mut window, mut i) = (q, 64);
        while i > 0 {
            i -= 1;
            quotient |= (window >> 63) << i;
            window = (window << 1) ^ (q * (window >> 63));
        }
        let mut keys =
            Keys { end: [0; 8], fold: [[0; 2]; MOST], barrett: [quotient, q], odd: 0u64.wrapping_sub(q & 1) };
        if mirrored {
            keys.barrett = [quotient.reverse_bits() << 1 | 1, q.reverse_bits() << 1 | 1];
        }
        let mut j = 0;
        while j < 8 {
            // Of two words, the first is the low one if mirrored, otherwise the high one.
            keys.end[j] = powers[if mirrored { 8 - j } else { 8 - (j ^ 1) }];
            j += 1;
        }
        let mut i = 0;
        while i < MOST {
            let k = (i + 1) * bytes / 8;
            keys.fold[i] = if mirrored { [powers[k + 1], powers[k]] } else { [powers[k], powers[k + 1]] };
            i += 1;
        }
        keys
    }
}
