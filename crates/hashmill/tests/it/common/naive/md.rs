//! SHA-0 and HAVAL transcribed from their specifications: slow, and in another form than the kernels.

use std::sync::LazyLock;

/// FIPS 180 (1993), 7: computes all eighty words first.
pub(crate) fn sha0(m: &[u8]) -> Vec<u8> {
    let mut padded = m.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).div_ceil(64) * 64 - 8, 0);
    padded.extend((8 * m.len() as u64).to_be_bytes());
    let mut h = [0x67452301u32, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
    for block in padded.chunks(64) {
        let mut w: Vec<u32> = block.chunks(4).map(|b| u32::from_be_bytes(b.try_into().unwrap())).collect();
        for t in 16..80 {
            w.push(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16]);
        }
        let [mut a, mut b, mut c, mut d, mut e] = h;
        for (t, w) in w.into_iter().enumerate() {
            let (f, k) = match t / 20 {
                0 => (b & c | !b & d, 0x5a827999),
                1 => (b ^ c ^ d, 0x6ed9eba1),
                2 => (b & c | b & d | c & d, 0x8f1bbcdc),
                _ => (b ^ c ^ d, 0xca62c1d6u32),
            };
            let sum = [f, e, w, k].into_iter().fold(a.rotate_left(5), u32::wrapping_add);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, sum);
        }
        for (h, x) in h.iter_mut().zip([a, b, c, d, e]) {
            *h = h.wrapping_add(x);
        }
    }
    h.iter().flat_map(|h| h.to_be_bytes()).collect()
}

/// The fractional part of π in words, from J. Machin's π = 16 arctan 1/5 − 4 arctan 1/239.
static PI: LazyLock<Vec<u32>> = LazyLock::new(|| {
    const WORDS: usize = 140;
    // Fixed-point numbers: the first word is the integer part.
    let divide = |x: &mut [u32], by: u64| {
        let mut rest = 0;
        for word in x {
            let n = rest << 32 | u64::from(*word);
            *word = (n / by) as u32;
            rest = n % by;
        }
    };
    // All arithmetic is modulo 2^32 in the integer part, so negative numbers need no sign.
    let add = |sum: &mut [u32], x: &[u32], negative: bool| {
        let mut carry = u64::from(negative);
        for (s, &x) in sum.iter_mut().zip(x).rev() {
            let t = u64::from(*s) + u64::from(if negative { !x } else { x }) + carry;
            *s = t as u32;
            carry = t >> 32;
        }
    };
    let mut pi = vec![0; WORDS];
    for (factor, of, minus) in [(16, 5u64, false), (4, 239, true)] {
        let mut power = vec![0; WORDS];
        power[0] = factor;
        divide(&mut power, of);
        let mut n = 1;
        while power.iter().any(|&w| w != 0) {
            let mut term = power.clone();
            divide(&mut term, n);
            add(&mut pi, &term, minus ^ (n % 4 == 3));
            divide(&mut power, of * of);
            n += 2;
        }
    }
    assert_eq!(pi.remove(0), 3);
    pi
});

/// The products of words whose sum is F_1 … F_5, with one digit per word.
const F: [&str; 5] = [
    "14 25 36 01 0",
    "123 245 12 14 26 35 45 02 0",
    "123 14 25 36 03 0",
    "123 245 346 14 26 34 35 36 45 46 04 0",
    "14 25 36 0123 05 0",
];

/// φ: the words that take the places of x6 … x0, in one row per number of passes (3, 4, 5).
const PHI: [[&str; 5]; 3] = [
    ["1035624", "4210536", "6123450", "", ""],
    ["2614530", "3520164", "1436025", "6405213", ""],
    ["3410526", "6210345", "2604315", "1532046", "2506431"],
];

/// The order of words in passes 2 … 5, as digits in base 32.
const ORDER: [&str; 4] = [
    "5eqibs7g0nkm1a48u3l9hot6jcfd2pvr",
    "j94ksh8mtepcougqvf7310ird6lanb52",
    "o40e27snq6ukipj3mbvl8rc91t5fhagd",
    "r3lqhbktj0c7d8va59eui6so2ngm41pf",
];

/// HAVAL, version 1.
pub(crate) fn haval(m: &[u8], passes: usize, bits: usize) -> Vec<u8> {
    let mut padded = m.to_vec();
    padded.push(1);
    while padded.len() % 128 != 118 {
        padded.push(0);
    }
    padded.extend([(bits % 4 * 64 + passes * 8 + 1) as u8, (bits / 4) as u8]);
    padded.extend((8 * m.len() as u64).to_le_bytes());
    let mut h = PI[..8].to_vec();
    for block in padded.chunks(128) {
        // `x[0]` is the specification's x0.
        let mut x = h.clone();
        for pass in 0..passes {
            for i in 0..32 {
                let word = match pass {
                    0 => i,
                    p => char::from(ORDER[p - 1].as_bytes()[i]).to_digit(32).unwrap() as usize,
                };
                let k = if pass == 0 { 0 } else { PI[8 + 32 * (pass - 1) + i] };
                let phi = PHI[passes - 3][pass].as_bytes();
                let at = |digit: u8| x[usize::from(phi[6 - usize::from(digit - b'0')] - b'0')];
                let f = F[pass].split(' ').fold(0, |sum, product| sum ^ product.bytes().fold(!0, |and, j| and & at(j)));
                let w = u32::from_le_bytes(block[4 * word..4 * word + 4].try_into().unwrap());
                let r = [x[7].rotate_right(11), w, k].into_iter().fold(f.rotate_right(7), u32::wrapping_add);
                x.pop();
                x.insert(0, r);
            }
        }
        for (h, x) in h.iter_mut().zip(x) {
            *h = h.wrapping_add(x);
        }
    }
    // Pieces of the omitted words that are added to H0, H1, …: the highest piece first, each as two digits, the word
    // and the index of the piece.
    let (widths, tailoring): (&[u32], &[&str]) = match bits {
        128 => (&[8, 8, 8, 8], &["70 63 52 41", "71 60 53 42", "72 61 50 43", "73 62 51 40"]),
        160 => (&[6, 6, 7, 6, 7], &["70 64 53", "71 60 54", "72 61 50", "73 62 51", "74 63 52"]),
        192 => (&[5, 5, 6, 5, 5, 6], &["70 65", "71 60", "72 61", "73 62", "74 63", "75 64"]),
        224 => (&[4, 5, 4, 5, 4, 5, 5], &["76", "75", "74", "73", "72", "71", "70"]),
        _ => (&[], &[]),
    };
    for (i, pieces) in tailoring.iter().enumerate() {
        let mut sum = 0;
        for piece in pieces.split(' ') {
            let (word, number) = (usize::from(piece.as_bytes()[0] - b'0'), usize::from(piece.as_bytes()[1] - b'0'));
            let below: u32 = widths[..number].iter().sum();
            sum = sum << widths[number] | h[word] >> below & ((1 << widths[number]) - 1);
        }
        h[i] = h[i].wrapping_add(sum);
    }
    h.iter().flat_map(|h| h.to_le_bytes()).take(bits / 8).collect()
}
