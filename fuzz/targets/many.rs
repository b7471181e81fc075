//! Many messages of any lengths at once, on any kernel: each digest must be that of `portable`.
#![no_main]

use hashmill::Encoding;
use hashmill_fuzz::{Bytes, algorithm_and_kernel};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    let (a, on) = algorithm_and_kernel(&mut bytes);
    let portable = a.with_kernel("portable").expect("every algorithm has it");
    let how = bytes.byte();
    let count = usize::from(bytes.byte());
    let shape: Vec<usize> = (0..=bytes.byte() % 8).map(|_| bytes.below(1 << 11)).collect();
    let text = if bytes.0.is_empty() { &[0][..] } else { bytes.0 };

    // Neighbors of the same length, or of different lengths.
    let lens: Vec<usize> = (0..count)
        .map(|i| if how & 1 == 1 { shape[i % shape.len()] } else { shape[i * shape.len() / count] })
        .collect();
    let mut offsets = vec![0];
    for len in lens {
        offsets.push(offsets[offsets.len() - 1] + len);
    }
    let all: Vec<u8> = text.iter().copied().cycle().take(offsets[count]).collect();
    let messages: Vec<&[u8]> = offsets.windows(2).map(|w| &all[w[0]..w[1]]).collect();

    let digests = on.digest_many(&messages);
    for (i, (m, digest)) in messages.iter().zip(digests.iter()).enumerate() {
        assert_eq!(digest, portable.digest(m).as_bytes(), "{on:?}: message {i} of {count}, {} bytes", m.len());
    }

    let mut offsets: Vec<u64> = offsets.into_iter().map(|o| o as u64).collect();
    let mut out = vec![0; digests.as_bytes().len()];
    on.digest_many_into(&offsets, &all, Encoding::Raw, &mut out).expect("right offsets");
    assert_eq!(out, digests.as_bytes(), "{on:?}: in one buffer");
    if how & 2 == 2 && count > 0 {
        let i = usize::from(how >> 2) % offsets.len();
        offsets[i] = u64::MAX / 2;
        out.fill(0xaa);
        on.digest_many_into(&offsets, &all, Encoding::Hex, &mut out).expect_err("an offset beyond the bytes");
        assert!(out.iter().all(|&b| b == 0xaa), "nothing is written then");
    }
});
