//! Code shared by the integration tests.

pub(crate) mod crcs;
pub(crate) mod naive;
pub(crate) mod oracle;

use hashmill::{Algorithm, Engine};

/// How much to run: `quick` under emulation, `long` for everything.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Tier {
    Quick,
    Usual,
    Long,
}

pub(crate) fn tier() -> Tier {
    match std::env::var("HASHMILL_TEST_TIER").as_deref() {
        Ok("quick") => Tier::Quick,
        Ok("long") => Tier::Long,
        Ok("") | Err(_) | Ok("usual") => Tier::Usual,
        Ok(other) => panic!("HASHMILL_TEST_TIER={other}: quick, usual or long"),
    }
}

/// Returns the kernels listed in HASHMILL_TEST_REQUIRE_KERNELS.
pub(crate) fn required_kernels() -> Vec<String> {
    let list = std::env::var("HASHMILL_TEST_REQUIRE_KERNELS").unwrap_or_default();
    list.split(',').filter(|r| !r.is_empty()).map(str::to_string).collect()
}

/// Returns the algorithm on every kernel that this CPU can run. Other kernels are printed, and are errors if
/// HASHMILL_TEST_REQUIRE_KERNELS (a list of names; `all` means every one) requires them. `!name` requires that the
/// kernel cannot run.
pub(crate) fn on_every_kernel(a: Algorithm) -> Vec<Engine> {
    let required = required_kernels();
    let mut found = Vec::new();
    for k in a.kernels() {
        assert!(
            !(k.available && required.iter().any(|r| r.strip_prefix('!') == Some(k.name))),
            "{a}/{} runs here",
            k.name
        );
        if k.available {
            let forced = a.with_kernel(k.name).unwrap();
            assert_eq!(forced.forced_kernel(), Some(k.name));
            found.push(forced);
        } else {
            assert!(
                !required.iter().any(|r| r == "all" || r == k.name),
                "{a}/{} must run here, but the CPU lacks {}",
                k.name,
                k.needs
            );
            println!("skipped: {a}/{} (needs {})", k.name, k.needs);
        }
    }
    assert!(!found.is_empty());
    found
}

/// Returns whether the algorithm's specification numbers the bits of a byte from the low end: FIPS 202, B.1.
pub(crate) fn low_bits_first(a: Algorithm) -> bool {
    ["SHA-3", "Keccak"].contains(&a.family())
}

/// Returns `bits` bits of a message from bit `from` on, in the bytes that hold them; the rest of the last byte is
/// filled with ones, which must be ignored.
pub(crate) fn bits_of(a: Algorithm, m: &[u8], from: usize, bits: usize) -> Vec<u8> {
    let place = |i: usize| if low_bits_first(a) { 1 << (i % 8) } else { 0x80 >> (i % 8) };
    let mut out = vec![0xff; bits.div_ceil(8)];
    for i in 0..bits {
        if m[(from + i) / 8] & place(from + i) == 0 {
            out[i / 8] &= !place(i);
        }
    }
    out
}

/// A small, fast generator (xorshift64*) that produces the same bytes in every run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(2).wrapping_add(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub(crate) fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| (self.next() >> 32) as u8).collect()
    }
}
