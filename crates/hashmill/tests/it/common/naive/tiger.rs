//! Tiger with any number of passes, using the slow function that generates its tables. With three passes, another crate
//! agrees with the fast one, so the tables are right.

#[path = "../../../../src/algo/tiger/tables.rs"]
mod tables;

const INITIAL: [u64; 3] = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0xf096_a5b4_c3b2_e187];

pub(crate) fn tiger(m: &[u8], passes: u64) -> [u8; 24] {
    let mut padded = m.to_vec();
    padded.push(1);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((8 * m.len() as u64).to_le_bytes());
    let mut h = INITIAL;
    for block in padded.chunks(64) {
        let x = std::array::from_fn(|i| u64::from_le_bytes(block[8 * i..][..8].try_into().unwrap()));
        h = tables::compress(&tables::T, h, x, passes);
    }
    std::array::from_fn(|i| h[i / 8].to_le_bytes()[i % 8])
}
