//! Tiger's S-boxes, generated the way its authors did: the compression function shuffles the tables it uses itself.

/// t1, t2, t3, t4.
pub(super) static T: [[u64; 256]; 4] = generate();

const STIRRED: [u8; 64] = *b"Tiger - A Fast New Hash Function, by Ross Anderson and Eli Biham";
const STIRRINGS: usize = 5;

/// Initially, every byte column of the tables is the identity. Every byte is then swapped with the one at a
/// pseudorandom place of its column and table; the places are the bytes of a state that repeatedly runs the compression
/// function on the same block.
#[allow(long_running_const_eval, reason = "1707 compressions: the compiler takes 0.8 s, and caches them")]
const fn generate() -> [[u64; 256]; 4] {
    let mut t = [[0; 256]; 4];
    let mut i = 0;
    while i < 1024 {
        t[i / 256][i % 256] = 0x0101_0101_0101_0101 * (i % 256) as u64;
        i += 1;
    }
    let mut x = [0; 8];
    i = 0;
    while i < 64 {
        x[i / 8] |= (STIRRED[i] as u64) << (8 * (i % 8));
        i += 1;
    }
    let mut state = super::INITIAL;
    let mut word = 2;
    let mut step = 0;
    while step < STIRRINGS * 1024 {
        let (i, sb) = (step / 4 % 256, step % 4);
        word += 1;
        if word == 3 {
            word = 0;
            state = compress(&t, state, x, 3);
        }
        let places = state[word].to_le_bytes();
        let t = &mut t[sb];
        let mut column = 0xff;
        let mut k = 0;
        while k < 8 {
            let j = places[k] as usize;
            let difference = (t[i] ^ t[j]) & column;
            t[i] ^= difference;
            t[j] ^= difference;
            column <<= 8;
            k += 1;
        }
        step += 1;
    }
    t
}

/// A second implementation of the compression function: slow, but able to run while the tables are being made. Tests
/// compare the fast one with it.
pub(super) const fn compress(t: &[[u64; 256]; 4], h: [u64; 3], mut x: [u64; 8], passes: u64) -> [u64; 3] {
    let [t1, t2, t3, t4] = t;
    let [mut a, mut b, mut c] = h;
    let mut pass = 0;
    while pass < passes {
        if pass > 0 {
            x = schedule(x);
        }
        let factor = if pass < 2 { 5 + 2 * pass } else { 9 };
        let mut i = 0;
        while i < 8 {
            c ^= x[i];
            let [c0, c1, c2, c3, c4, c5, c6, c7] = c.to_le_bytes();
            let even = t1[c0 as usize] ^ t2[c2 as usize] ^ t3[c4 as usize] ^ t4[c6 as usize];
            let odd = t4[c1 as usize] ^ t3[c3 as usize] ^ t2[c5 as usize] ^ t1[c7 as usize];
            (a, b, c) = (b.wrapping_add(odd).wrapping_mul(factor), c, a.wrapping_sub(even));
            i += 1;
        }
        pass += 1;
    }
    [a ^ h[0], b.wrapping_sub(h[1]), c.wrapping_add(h[2])]
}

/// Passes over the words twice; each word is changed by the one before it.
const fn schedule(x: [u64; 8]) -> [u64; 8] {
    let [mut x0, mut x1, mut x2, mut x3, mut x4, mut x5, mut x6, mut x7] = x;
    x0 = x0.wrapping_sub(x7 ^ 0xa5a5_a5a5_a5a5_a5a5);
    x1 ^= x0;
    x2 = x2.wrapping_add(x1);
    x3 = x3.wrapping_sub(x2 ^ !x1 << 19);
    x4 ^= x3;
    x5 = x5.wrapping_add(x4);
    x6 = x6.wrapping_sub(x5 ^ !x4 >> 23);
    x7 ^= x6;
    x0 = x0.wrapping_add(x7);
    x1 = x1.wrapping_sub(x0 ^ !x7 << 19);
    x2 ^= x1;
    x3 = x3.wrapping_add(x2);
    x4 = x4.wrapping_sub(x3 ^ !x2 >> 23);
    x5 ^= x4;
    x6 = x6.wrapping_add(x5);
    x7 = x7.wrapping_sub(x6 ^ 0x0123_4567_89ab_cdef);
    [x0, x1, x2, x3, x4, x5, x6, x7]
}
