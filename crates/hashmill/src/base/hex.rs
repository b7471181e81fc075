//! Bytes as hexadecimal digits.

/// The digits of any bytes.
pub(crate) fn text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.extend(digits(&[*byte]).as_flattened().iter().map(|&c| char::from(c)));
    }
    text
}

/// Writes the digits of the second half of `text` over the whole of it.
pub(crate) fn spread(text: &mut [u8]) {
    const SOME: usize = 16;
    let half = text.len() / 2;
    let mut i = 0;
    // The digits of SOME bytes end where those bytes end, or before.
    while i + SOME <= half {
        let mut bytes = [0; SOME];
        bytes.copy_from_slice(&text[half + i..][..SOME]);
        text[2 * i..][..2 * SOME].copy_from_slice(digits(&bytes).as_flattened());
        i += SOME;
    }
    let mut last = [0; SOME];
    let n = half - i;
    last[..n].copy_from_slice(&text[half + i..]);
    text[2 * i..].copy_from_slice(&digits(&last).as_flattened()[..2 * n]);
}

/// Two digits for each byte. Without look-ups, so that it becomes vector code.
#[inline(always)]
fn digits<const N: usize>(bytes: &[u8; N]) -> [[u8; 2]; N] {
    let digit = |n: u8| n + b'0' + if n > 9 { b'a' - b'0' - 10 } else { 0 };
    let mut text = [[0; 2]; N];
    for i in 0..N {
        text[i] = [digit(bytes[i] >> 4), digit(bytes[i] & 15)];
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_and_length() {
        let bytes: Vec<u8> = (0..=255).collect();
        for n in 0..=256 {
            let expect: String = bytes[..n].iter().map(|b| format!("{b:02x}")).collect();
            assert_eq!(text(&bytes[..n]), expect);
            let mut both = [&vec![b'?'; n][..], &bytes[..n]].concat();
            spread(&mut both);
            assert_eq!(both, expect.as_bytes());
        }
    }
}
