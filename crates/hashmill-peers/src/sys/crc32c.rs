//! The SSE 4.2 instruction that computes CRC-32C.

/// Computes the CRC-32C of `data` with the `crc32` instruction alone, in one chain: single bytes up to an 8-byte
/// boundary, 8 bytes per step, then the remaining bytes. Returns `None` if the CPU does not have the instruction.
pub(crate) fn one_chain(data: &[u8]) -> Option<u32> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("sse4.2") {
        // SAFETY: the CPU has the instruction, as just checked.
        return Some(unsafe { chain(data) });
    }
    let _ = data;
    None
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse4.2")]
fn chain(data: &[u8]) -> u32 {
    use std::arch::x86_64::{_mm_crc32_u8, _mm_crc32_u64};
    let head = data.as_ptr().align_offset(8).min(data.len());
    let (head, rest) = data.split_at(head);
    let mut crc = head.iter().fold(!0, |crc, b| _mm_crc32_u8(crc, *b));
    let (words, tail) = rest.as_chunks::<8>();
    for word in words {
        crc = _mm_crc32_u64(u64::from(crc), u64::from_le_bytes(*word)) as u32;
    }
    !tail.iter().fold(crc, |crc, b| _mm_crc32_u8(crc, *b))
}
