//! The padding that the Merkle–Damgård functions share.

use crate::contract::Tail;

/// Writes `rest`, one 0x80 byte, zeros, and the message length in bits as the last `LENGTH` bytes of a block of `BLOCK` bytes,
/// little-endian or big-endian. Returns the bytes written: one block or two.
#[inline]
pub(super) fn merkle_damgard<const BLOCK: usize, const LENGTH: usize>(
    rest: &[u8],
    total: u128,
    big_endian: bool,
    out: &mut Tail,
) -> usize {
    let n = rest.len();
    let end = if n + 1 + LENGTH <= BLOCK { BLOCK } else { 2 * BLOCK };
    out[..n].copy_from_slice(rest);
    out[n] = 0x80;
    out[n + 1..end].fill(0);
    // Beyond the field's width the length wraps, as the specifications say (MD5: "only the low-order 64 bits").
    let bits = total << 3;
    if big_endian {
        out[end - LENGTH..end].copy_from_slice(&bits.to_be_bytes()[16 - LENGTH..]);
    } else {
        out[end - LENGTH..end].copy_from_slice(&bits.to_le_bytes()[..LENGTH]);
    }
    end
}
