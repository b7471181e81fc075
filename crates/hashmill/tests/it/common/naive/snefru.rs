//! Snefru as in its paper: an array is rotated instead of its indices, one step at a time. Only the S-boxes are shared.

#[path = "../../../../src/algo/snefru/tables.rs"]
mod tables;

use std::collections::VecDeque;

pub(crate) fn snefru(m: &[u8], out: usize) -> Vec<u8> {
    let block = 64 - out;
    let mut padded = m.to_vec();
    padded.resize(m.len().next_multiple_of(block) + block - 8, 0);
    padded.extend((8 * m.len() as u64).to_be_bytes());
    let mut h = vec![0; out];
    for chunk in padded.chunks(block) {
        let input = [h, chunk.to_vec()].concat();
        let mut x: VecDeque<u32> = input.chunks(4).map(|w| u32::from_be_bytes(w.try_into().unwrap())).collect();
        for step in 0..512 {
            let e = tables::BOXES[step / 64][step / 2 % 2][(x[0] % 256) as usize];
            x[1] ^= e;
            x[15] ^= e;
            x.rotate_left(1);
            if step % 16 == 15 {
                let rotation = [16, 8, 16, 24][step / 16 % 4];
                x.iter_mut().for_each(|w| *w = w.rotate_right(rotation));
            }
        }
        h = (0..out).map(|i| input[i] ^ x[15 - i / 4].to_be_bytes()[i % 4]).collect();
    }
    h
}
