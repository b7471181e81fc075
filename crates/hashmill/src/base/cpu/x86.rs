//! What no feature bit says of an x86 CPU.

#![allow(unsafe_code, reason = "`cpuid` is an unsafe function in older compilers")]

use core::arch::x86_64::__cpuid;

/// What `cpuid` says of the CPU's maker, and its family.
pub(crate) struct Model {
    maker: [u8; 12],
    family: u32,
}

/// Asks once: in a virtual machine `cpuid` is a call to whatever runs the machine.
pub(crate) fn model() -> Model {
    let mut maker = [0; 12];
    if cfg!(miri) {
        return Model { maker, family: 0 };
    }
    #[allow(unused_unsafe, reason = "the intrinsic is an unsafe function in older compilers")]
    // SAFETY: every x86-64 CPU has the instruction, and these two leaves.
    let (name, version) = unsafe { (__cpuid(0), __cpuid(1).eax) };
    for (to, from) in maker.as_chunks_mut().0.iter_mut().zip([name.ebx, name.edx, name.ecx]) {
        *to = from.to_le_bytes();
    }
    let base = version >> 8 & 0xf;
    Model { maker, family: if base == 0xf { base + (version >> 20 & 0xff) } else { base } }
}

impl Model {
    /// Whether vector registers rotate in one cycle: on Intel's CPUs with AVX-512 they do, on AMD's (Zen 4, Zen 5) it
    /// takes two. No feature bit says so.
    pub(crate) fn rotates_in_one_cycle(&self) -> bool {
        self.maker == *b"GenuineIntel"
    }

    /// Whether of vector operations that depend on each other each takes one cycle: not on Zen 5 (family 1A), where a
    /// busy scheduler makes it two. There scalar code is the better one for one message of BLAKE (1.4 times as fast)
    /// and BLAKE2 (1.6), and lanes in two registers side by side are faster than in one (RIPEMD-160: 1.5). On an Intel
    /// Xeon with AVX-512 FP16, they are slower (RIPEMD, HAVAL, MD5: 0.9).
    pub(crate) fn chains_in_one_cycle(&self) -> bool {
        self.maker != *b"AuthenticAMD" || self.family < 0x1a
    }
}
