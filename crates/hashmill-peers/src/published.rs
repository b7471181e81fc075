//! Loops that published comparisons timed and that are not kernels of ours, to be timed again: CRC-32 one byte at a
//! time, the same unrolled over one load of eight bytes, and CRC-32C by the CPU's instruction alone.

use crate::sys;

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mut crc = i as u32;
        let mut bit = 0;
        while bit < 8 {
            // The ZIP polynomial, bit-reversed.
            crc = (crc >> 1) ^ (0xedb8_8320 & 0u32.wrapping_sub(crc & 1));
            bit += 1;
        }
        table[i] = crc;
        i += 1;
    }
    table
}

static TABLE: [u32; 256] = table();

/// Computes ZIP's CRC-32 one byte at a time with one table of 256 words. Every step waits for the lookup of the
/// previous one.
#[inline(never)]
pub fn crc32_bytewise(data: &[u8]) -> u32 {
    !data.iter().fold(!0, |crc, b| TABLE[(crc as u8 ^ b) as usize] ^ (crc >> 8))
}

/// Computes the same steps with one load per eight bytes.
#[inline(never)]
pub fn crc32_unrolled(data: &[u8]) -> u32 {
    let mut crc = !0u32;
    let (words, tail) = data.as_chunks::<8>();
    for word in words {
        let mut bytes = u64::from_le_bytes(*word);
        for _ in 0..8 {
            crc = TABLE[(crc as u8 ^ bytes as u8) as usize] ^ (crc >> 8);
            bytes >>= 8;
        }
    }
    !tail.iter().fold(crc, |crc, b| TABLE[(crc as u8 ^ b) as usize] ^ (crc >> 8))
}

/// Computes CRC-32C in one chain of the SSE 4.2 instruction. Returns `None` if the CPU does not have it.
#[inline(never)]
pub fn crc32c_instruction(data: &[u8]) -> Option<u32> {
    sys::crc32c::one_chain(data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill::Algorithm;

    #[test]
    fn they_are_the_checksums_they_claim_to_be() {
        let data: Vec<u8> = (0..1000u32).map(|i| (i % 251) as u8).collect();
        let ours = |name: &str, data: &[u8]| {
            let digest = name.parse::<Algorithm>().unwrap().digest(data);
            u32::from_be_bytes(digest.as_bytes().try_into().unwrap())
        };
        for range in [0..0, 0..1, 3..10, 1..64, 0..1000, 7..999] {
            let part = &data[range];
            assert_eq!(crc32_bytewise(part), ours("crc32", part));
            assert_eq!(crc32_unrolled(part), ours("crc32", part));
            if let Some(crc) = crc32c_instruction(part) {
                assert_eq!(crc, ours("crc32c", part));
            }
        }
    }
}
