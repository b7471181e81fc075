//! A minimal run of everything for an interpreter (Miri), where hashing a kilobyte takes a second.

use crate::common::Random;
use hashmill::unstable::{Mill, Open, Refill, Source};
use hashmill::{Algorithm, Encoding, Engine, Hasher};
use std::collections::BTreeSet;

/// Returns all algorithms; under an interpreter, one for each family and block length or checksum length.
fn algorithms() -> Vec<Algorithm> {
    let mut seen = BTreeSet::new();
    let shape = |a: &Algorithm| {
        let block = a.block_len();
        (a.family(), block, if block < 16 { a.digest_len() } else { 0 })
    };
    let all: Vec<Algorithm> = Algorithm::all().filter(|a| !cfg!(miri) || seen.insert(shape(a))).collect();
    assert!(all.len() > 30, "{}", all.len());
    all
}

/// Returns the kernels that can run here.
fn kernels(a: Algorithm) -> impl Iterator<Item = Engine> {
    a.kernels().into_iter().filter(|k| k.available).map(move |k| a.with_kernel(k.name).unwrap())
}

/// Returns messages of zero bytes, one, a block minus one, and more than two blocks. Each ends where its allocation
/// ends.
fn messages(a: Algorithm) -> Vec<Vec<u8>> {
    let mut random = Random::new(8);
    let block = a.block_len().clamp(1, 200);
    [0, 1, block - 1, 2 * block + 3].map(|n| random.bytes(n)).to_vec()
}

#[test]
fn one_message() {
    for a in algorithms() {
        let portable = a.with_kernel("portable").unwrap();
        for m in messages(a) {
            let expect = portable.digest(&m);
            for k in kernels(a) {
                assert_eq!(k.digest(&m), expect, "{k:?}, {} bytes", m.len());
            }
        }
    }
}

#[test]
fn pieces() {
    for a in algorithms() {
        let m = &messages(a)[3];
        let expect = a.with_kernel("portable").unwrap().digest(m);
        for k in kernels(a) {
            let mut h = k.hasher();
            for piece in m.chunks(m.len() / 2 - 1) {
                h.update(piece);
            }
            assert_eq!(h.finalize(), expect, "{k:?}");
        }
    }
}

#[test]
fn many_messages() {
    for a in algorithms() {
        let portable = a.with_kernel("portable").unwrap();
        let some = messages(a);
        for k in kernels(a) {
            let lanes = a.kernels().iter().find(|x| Some(x.name) == k.forced_kernel()).unwrap().lanes;
            let count = if cfg!(miri) { lanes.min(4) } else { lanes };
            let list: Vec<&[u8]> = (0..count + 1).map(|i| &some[i % some.len()][..]).collect();
            let digests = k.digest_many(&list);
            let mut offsets = vec![0];
            for m in &list {
                offsets.push(offsets[offsets.len() - 1] + m.len() as u64);
            }
            let mut into = vec![0; digests.as_bytes().len()];
            k.digest_many_into(&offsets, &list.concat(), Encoding::Raw, &mut into).unwrap();
            assert_eq!(into, digests.as_bytes(), "{k:?}");
            for (i, m) in list.iter().enumerate() {
                assert_eq!(&digests[i], portable.digest(m).as_bytes(), "{k:?}, message {i}");
            }
        }
    }
}

/// Messages that arrive in two pieces with a pause in between.
struct Halves<'a> {
    messages: &'a [Vec<u8>],
    next: usize,
    slots: Vec<(usize, usize, usize)>,
    digests: Vec<Vec<u8>>,
    paused: bool,
}

impl Source for Halves<'_> {
    fn open(&mut self, slot: usize) -> Open {
        let Some(m) = self.messages.get(self.next) else { return Open::End };
        self.slots[slot] = (self.next, 0, 0);
        self.next += 1;
        Open::Message(m.len() as u64)
    }

    fn window(&self, slot: usize) -> &[u8] {
        let (i, from, to) = self.slots[slot];
        &self.messages[i][from..to]
    }

    fn refill(&mut self, slot: usize, keep: usize) -> Refill {
        let (i, from, to) = &mut self.slots[slot];
        let all = self.messages[*i].len();
        *from = *to - keep;
        if *to == all {
            return Refill::End;
        }
        self.paused = !self.paused;
        if self.paused {
            return Refill::Later;
        }
        *to = if *to == 0 { all.div_ceil(2) } else { all };
        Refill::More
    }

    fn done(&mut self, slot: usize, digest: &[u8]) {
        self.digests[self.slots[slot].0] = digest.to_vec();
    }
}

#[test]
fn the_mill() {
    for a in algorithms() {
        let portable = a.with_kernel("portable").unwrap();
        let messages = messages(a);
        for k in kernels(a) {
            let mut mill = Mill::new(k, 4);
            let slots = vec![(0, 0, 0); mill.slots()];
            let mut source = Halves {
                messages: &messages,
                next: 0,
                slots,
                digests: vec![Vec::new(); messages.len()],
                paused: false,
            };
            for _ in 0..30 {
                mill.run(&mut source);
            }
            for (d, m) in source.digests.iter().zip(&messages) {
                assert_eq!(d, portable.digest(m).as_bytes(), "{k:?}, {} bytes", m.len());
            }
        }
    }
}

/// Returns a hasher with a key of a length that the algorithm accepts.
fn keyed(a: Engine) -> Option<Hasher> {
    [32, 16, 64].iter().find_map(|&n| a.builder().key(&vec![7; n]).build().ok())
}

#[test]
fn keys_and_long_digests() {
    let mut keys = 0;
    for a in algorithms() {
        let portable = a.with_kernel("portable").unwrap();
        for k in kernels(a) {
            if let (Some(mut h), Some(mut expect)) = (keyed(k), keyed(portable)) {
                keys += 1;
                h.update(b"a message");
                expect.update(b"a message");
                assert_eq!(h.finalize(), expect.finalize(), "{k:?}");
            }
            if a.digest_lengths().contains(&300) {
                let long = a.with_digest_len(300).unwrap();
                let of = |k: Engine| long.with_kernel(k.forced_kernel().unwrap()).unwrap().digest(b"a message");
                assert_eq!(of(k), of(portable), "{k:?}");
            }
        }
    }
    assert!(keys > 5);
}
