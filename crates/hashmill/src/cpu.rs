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
}

impl Features {
    /// Needed by kernels that run everywhere.
    pub(crate) const NONE: Features = Features(0);

    /// Both sets together.
    pub(crate) const fn and(self, o: Features) -> Features {
        Features(self.0 | o.0)
    }

    /// Whether `self` has everything in `needed`.
    pub(crate) const fn has(self, needed: Features) -> bool {
        self.0 & needed.0 == needed.0
    }
}

/// The features of the CPU this program runs on.
pub(crate) fn features() -> Features {
    static FOUND: OnceLock<Features> = OnceLock::new();
    *FOUND.get_or_init(detect)
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Features {
    let mut f = Features::NONE;
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2") {
        f = f.and(Features::AVX2);
    }
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
    {
        f = f.and(Features::AVX512);
        if is_x86_feature_detected!("avx512vbmi") {
            f = f.and(Features::VBMI);
        }
    }
    if is_x86_feature_detected!("sha") && is_x86_feature_detected!("sse4.1") && is_x86_feature_detected!("ssse3") {
        f = f.and(Features::SHANI);
    }
    f
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
    f
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn detect() -> Features {
    Features::NONE
}
