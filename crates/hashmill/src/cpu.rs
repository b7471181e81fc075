//! What this CPU can run, detected once.

use std::sync::OnceLock;

/// A set of CPU features, one bit each; a kernel names what it needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Features(u32);

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident = $bit:literal, $label:literal;)*) => {
        impl Features {
            $($(#[$doc])* #[allow(dead_code, reason = "each ISA's kernels name their own")] pub(crate) const $name: Features = Features(1 << $bit);)*
            /// The names of the features in this set, as rustc spells them.
            pub(crate) fn names(self) -> Vec<&'static str> {
                let mut v = Vec::new();
                $(if self.0 & (1 << $bit) != 0 { v.push($label); })*
                v
            }
        }
    };
}

features! {
    /// x86: AVX2 with BMI1 and BMI2 (every CPU with one has the others).
    AVX2 = 0, "avx2,bmi1,bmi2";
    /// x86: AVX-512 F, BW, DQ, VL.
    AVX512 = 1, "avx512f,avx512bw,avx512dq,avx512vl";
    /// x86: AVX-512 VBMI (byte permutations).
    VBMI = 2, "avx512vbmi";
    /// x86: SHA extensions with SSE4.1 and SSSE3.
    SHANI = 3, "sha,sse4.1,ssse3";
    /// aarch64: Advanced SIMD.
    NEON = 4, "neon";
    /// aarch64: SHA-1 and SHA-256 instructions.
    ARM_SHA2 = 5, "sha2";
    /// x86: BMI1 and BMI2 (rotations and and-not with a destination of their own).
    BMI2 = 6, "bmi1,bmi2";
    /// x86: AES instructions with SSE4.1 and SSSE3.
    AESNI = 7, "aes,sse4.1,ssse3";
    /// x86: affine maps and products over GF(2^8).
    GFNI = 8, "gfni";
    /// x86: AES instructions on wide registers.
    VAES = 9, "vaes";
    /// x86: carry-less multiplication with SSE4.1 and SSSE3.
    PCLMUL = 10, "pclmulqdq,sse4.1,ssse3";
    /// x86: carry-less multiplication on wide registers.
    VPCLMUL = 11, "vpclmulqdq";
    /// x86: the CRC-32C instruction.
    SSE42 = 12, "sse4.2";
    /// x86: SSSE3 and SSE4.1 (byte shuffles in every register of 16 bytes).
    SSSE3 = 13, "ssse3,sse4.1";
    /// aarch64: SHA-512 and SHA-3 instructions.
    ARM_SHA3 = 14, "sha3";
    /// aarch64: the CRC-32 instructions.
    ARM_CRC = 15, "crc";
    /// aarch64: AES instructions and the products of polynomials that come with them.
    ARM_AES = 16, "aes";
    /// x86: SHA-512 instructions, with AVX2.
    SHA512NI = 17, "sha512,avx2";
    /// x86: vector registers rotate in one cycle. A hint: what asks for it runs elsewhere too.
    FAST_VROT = 20, "fast rotations";
    /// aarch64: every vector unit has the SHA-3 instructions. A hint, too.
    FAST_SHA3 = 21, "fast sha3";
    /// x86: of vector operations that depend on each other, each takes one cycle. A hint, too.
    FAST_CHAINS = 22, "fast chains";
}

impl Features {
    /// Needed by kernels that run everywhere.
    pub(crate) const NONE: Features = Features(0);

    /// What a CPU does well, not what it can: a kernel that asks for one of these runs without, but is not chosen then.
    pub(crate) const HINTS: Features = Features::FAST_VROT.and(Features::FAST_SHA3).and(Features::FAST_CHAINS);

    /// Those of `self` that are not in `o`.
    pub(crate) const fn without(self, o: Features) -> Features {
        Features(self.0 & !o.0)
    }

    /// Both sets together.
    pub(crate) const fn and(self, o: Features) -> Features {
        Features(self.0 | o.0)
    }

    /// Whether `self` has everything in `needed`.
    pub(crate) const fn has(self, needed: Features) -> bool {
        self.0 & needed.0 == needed.0
    }

    /// Needed by kernels that look up, permute and multiply 64 bytes at once.
    #[allow(dead_code, reason = "x86's")]
    pub(crate) const GFNI_BYTES: Features = Features::AVX512.and(Features::VBMI).and(Features::GFNI);

    /// Needed by kernels of one message whose chains have rotations of AVX-512 in them.
    #[allow(dead_code, reason = "x86's")]
    pub(crate) const AVX512_CHAINS: Features = Features::AVX512.and(Features::FAST_VROT);

    /// Needed by kernels of one message that are chains of AVX2's operations.
    #[allow(dead_code, reason = "x86's")]
    pub(crate) const AVX2_CHAINS: Features = Features::AVX2.and(Features::FAST_CHAINS);

    /// Needed by kernels of one message that are chains of SSSE3's operations.
    #[allow(dead_code, reason = "x86's")]
    pub(crate) const SSSE3_CHAINS: Features = Features::SSSE3.and(Features::FAST_CHAINS);

    /// Needed by kernels that wait for every SHA-3 instruction.
    #[allow(dead_code, reason = "aarch64's")]
    pub(crate) const ARM_FAST_SHA3: Features = Features::ARM_SHA3.and(Features::FAST_SHA3);
}

/// The features of the CPU this program runs on.
pub(crate) fn features() -> Features {
    static FOUND: OnceLock<Features> = OnceLock::new();
    *FOUND.get_or_init(detect)
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Features {
    macro_rules! found {
        ($($name:ident: $($feature:tt),*;)*) => {
            Features::NONE $(.and(if true $(&& is_x86_feature_detected!($feature))* { Features::$name } else { Features::NONE }))*
        };
    }
    let rotations = if crate::simd::x86::rotates_in_one_cycle() { Features::FAST_VROT } else { Features::NONE };
    let chains = if crate::simd::x86::chains_in_one_cycle() { Features::FAST_CHAINS } else { Features::NONE };
    let found = found! {
        AVX2: "avx2", "bmi1", "bmi2";
        AVX512: "avx512f", "avx512bw", "avx512dq", "avx512vl";
        VBMI: "avx512f", "avx512vbmi";
        SHANI: "sha", "sse4.1", "ssse3";
        BMI2: "bmi1", "bmi2";
        AESNI: "aes", "sse4.1", "ssse3";
        GFNI: "gfni";
        VAES: "vaes";
        PCLMUL: "pclmulqdq", "sse4.1", "ssse3";
        VPCLMUL: "vpclmulqdq";
        SSE42: "sse4.2";
        SSSE3: "ssse3", "sse4.1";
        SHA512NI: "sha512", "avx2";
    };
    found.and(rotations).and(chains)
}

#[cfg(target_arch = "aarch64")]
fn detect() -> Features {
    let mut f = Features::NONE;
    if std::arch::is_aarch64_feature_detected!("neon") {
        f = f.and(Features::NEON);
    }
    if std::arch::is_aarch64_feature_detected!("sha2") {
        f = f.and(Features::ARM_SHA2);
    }
    if std::arch::is_aarch64_feature_detected!("sha3") {
        f = f.and(Features::ARM_SHA3);
    }
    // Of others' CPUs many have them in one unit only.
    if cfg!(target_vendor = "apple") {
        f = f.and(Features::FAST_SHA3);
    }
    if std::arch::is_aarch64_feature_detected!("crc") {
        f = f.and(Features::ARM_CRC);
    }
    if std::arch::is_aarch64_feature_detected!("aes") {
        f = f.and(Features::ARM_AES);
    }
    f
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn detect() -> Features {
    Features::NONE
}
