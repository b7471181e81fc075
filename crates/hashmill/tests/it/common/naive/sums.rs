//! Specifications transcribed for comparison: slow, and formulated differently from ours.

/// Fletcher's sums in closed form after n words of `bytes` bytes: Σ d and Σ (n − i)·d.
pub(crate) fn fletcher(m: &[u8], bytes: usize) -> Vec<u8> {
    let modulus = (1u128 << (8 * bytes)) - 1;
    let words: Vec<u128> =
        m.chunks(bytes).map(|w| w.iter().rev().fold(0, |x, &byte| x << 8 | u128::from(byte))).collect();
    let a: u128 = words.iter().sum();
    let b: u128 = words.iter().enumerate().map(|(i, d)| (words.len() - i) as u128 * d).sum();
    let value = ((b % modulus) << (8 * bytes)) | (a % modulus);
    value.to_be_bytes()[16 - 2 * bytes..].to_vec()
}

/// `sum -r`: a 16-bit rotation in arithmetic.
pub(crate) fn sum_bsd(m: &[u8]) -> u16 {
    let mut s = 0u32;
    for &byte in m {
        s = s / 2 + s % 2 * 0x8000;
        s = (s + u32::from(byte)) % 0x1_0000;
    }
    s as u16
}

/// `sum -s`: adding the halves twice gives the remainder modulo 2^16 − 1, except that nonzero multiples of 2^16 − 1
/// give 2^16 − 1 instead of 0.
pub(crate) fn sum_sysv(m: &[u8]) -> u16 {
    let s = m.iter().map(|&byte| u64::from(byte)).sum::<u64>() % (1 << 32);
    if s == 0 { 0 } else { ((s - 1) % 0xffff + 1) as u16 }
}

/// FNV in arithmetic modulo 2^`bits`.
pub(crate) fn fnv(m: &[u8], bits: u32, xor_first: bool) -> Vec<u8> {
    let modulus = 1u128 << bits;
    let (mut h, prime): (u128, u128) = match bits {
        32 => (2_166_136_261, 16_777_619),
        _ => (14_695_981_039_346_656_037, 1_099_511_628_211),
    };
    for &byte in m {
        for product in [!xor_first, xor_first] {
            h = if product { h * prime % modulus } else { h ^ u128::from(byte) };
        }
    }
    h.to_be_bytes()[16 - bits as usize / 8..].to_vec()
}

/// Jenkins' one-at-a-time, with shifted additions as products.
pub(crate) fn joaat(m: &[u8]) -> u32 {
    let add = |h: u64, shift: u32| h * (1 + (1 << shift)) % (1 << 32);
    let h = m.iter().fold(0, |h, &byte| {
        let h = add((h + u64::from(byte)) % (1 << 32), 10);
        h ^ (h / 64)
    });
    let h = add(h, 3);
    add(h ^ (h / 2048), 15) as u32
}
