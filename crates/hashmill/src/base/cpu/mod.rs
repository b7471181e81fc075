//! What this CPU can run, detected once.
//!
//! The instruction sets are those of the table in the crate `hashmill-isa`, from which the kernels' attributes are
//! made, too.
//!
//! A set counts as present only if the CPU also has every feature that rustc takes for granted with it; a test asks
//! rustc for these.

#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::atomic::{AtomicU32, Ordering};

/// A set of instruction sets, one bit each, and of hints; a kernel names what it needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Features(u32);

macro_rules! table {
    ($($(#[$doc:meta])* $name:ident = $bit:literal, $arch:tt, [$($known:literal)*], [$($all:tt)*];)*) => {
        impl Features {
            $(
                $(#[$doc])*
                #[allow(dead_code, reason = "each machine's kernels name their own")]
                pub(crate) const $name: Features = Features(1 << $bit);
            )*

            /// The names of the CPU features in this set, as rustc spells them, each once.
            pub(crate) fn names(self) -> Vec<&'static str> {
                let mut names = Vec::new();
                $(if self.has(Features::$name) {
                    for name in [$($known),*] {
                        if !names.contains(&name) {
                            names.push(name);
                        }
                    }
                })*
                names
            }
        }

        /// The sets all of whose features the CPU has, and all that rustc takes for granted with them.
        fn sets() -> Features {
            let mut found = Features::NONE;
            $(if cfg!(target_arch = $arch) && true $(&& detected!($arch $all))* {
                found = found.and(Features::$name);
            })*
            found
        }
    };
}

/// Whether the CPU has a feature of the architecture `$arch`.
macro_rules! detected {
    ("x86_64" $feature:tt) => {{
        #[cfg(target_arch = "x86_64")]
        let found = std::arch::is_x86_feature_detected!($feature);
        #[cfg(not(target_arch = "x86_64"))]
        let found = false;
        found
    }};
    ("aarch64" $feature:tt) => {{
        #[cfg(target_arch = "aarch64")]
        let found = std::arch::is_aarch64_feature_detected!($feature);
        #[cfg(not(target_arch = "aarch64"))]
        let found = false;
        found
    }};
    // Nothing to detect: an engine without it does not load the program.
    ("wasm32" $feature:tt) => {
        cfg!(target_feature = $feature)
    };
}

hashmill_isa::isas!(table);

/// The features of a list of instruction sets, `[AVX512 + GFNI]`, as `#[isa]` takes it.
macro_rules! needs {
    ([$first:ident $(+ $set:ident)*]) => {
        $crate::base::cpu::Features::$first$(.and($crate::base::cpu::Features::$set))*
    };
}

/// Looks whether the CPU has the instruction sets and calls what needs them, `on_cpu!([SSE42]; steps(register, m))`.
/// The compiler accepts it only if the function's own `#[isa]` asks for nothing that is not in the list.
///
/// # Panics
/// If the CPU lacks one.
#[allow(unused_macros, reason = "machines without kernels of their own do not need it")]
macro_rules! on_cpu {
    ($sets:tt; $f:ident($($a:ident),*)) => {{
        #[hashmill_isa::isa($sets)]
        #[allow(dead_code, reason = "that it compiles is what it is for")]
        fn proof() {
            let _ = |$($a),*| $f($($a),*);
        }
        assert!($crate::base::cpu::features().has($crate::base::cpu::needs!($sets)));
        // SAFETY: the CPU has what the function is compiled for, as was just seen.
        unsafe { $f($($a),*) }
    }};
}

#[allow(unused_imports, reason = "machines without kernels of their own need neither")]
pub(crate) use {needs, on_cpu};

impl Features {
    /// Needed by kernels that run everywhere.
    pub(crate) const NONE: Features = Features(0);

    /// x86: vector registers rotate in one cycle. A hint: what asks for it runs elsewhere too.
    #[allow(dead_code, reason = "x86's")]
    pub(crate) const FAST_VROT: Features = Features(1 << 31);
    /// aarch64: every vector unit has the SHA-3 instructions. A hint, too.
    #[allow(dead_code, reason = "aarch64's")]
    pub(crate) const FAST_SHA3: Features = Features(1 << 30);
    /// x86: of vector operations that depend on each other, each takes one cycle. A hint, too.
    #[allow(dead_code, reason = "x86's")]
    pub(crate) const FAST_CHAINS: Features = Features(1 << 29);
    /// x86: two vector registers side by side get more done than one, since operations that depend on each other take
    /// two cycles each: the opposite of [`Features::FAST_CHAINS`]. A hint, too.
    #[allow(dead_code, reason = "x86's")]
    pub(crate) const FAST_PAIRS: Features = Features(1 << 27);

    /// What a CPU does well, not what it can: a kernel that asks for one of these runs without, but is not chosen then.
    pub(crate) const HINTS: Features =
        Features::FAST_VROT.and(Features::FAST_SHA3).and(Features::FAST_CHAINS).and(Features::FAST_PAIRS);

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
}

/// Not a feature: they have been looked for.
const KNOWN: u32 = 1 << 28;

/// The features of the CPU this program runs on, and [`KNOWN`]: in one word, since calls on short messages look at
/// them, too. They are the same whoever finds them.
static FOUND: AtomicU32 = AtomicU32::new(0);

/// The features of the CPU this program runs on.
#[inline]
pub(crate) fn features() -> Features {
    match FOUND.load(Ordering::Relaxed) {
        found if found & KNOWN != 0 => Features(found),
        _ => find(),
    }
}

/// Those that have been found: none before [`features`] was asked for the first time. For code that does without, and
/// is so short that a call would cost it more than it does: registers have to be kept for that.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn found() -> Features {
    Features(FOUND.load(Ordering::Relaxed))
}

#[cold]
fn find() -> Features {
    let found = sets().and(hints()).and(Features(KNOWN));
    FOUND.store(found.0, Ordering::Relaxed);
    found
}

#[cfg(target_arch = "x86_64")]
fn hints() -> Features {
    let model = x86::model();
    let rotations = if model.rotates_in_one_cycle() { Features::FAST_VROT } else { Features::NONE };
    let chains = if model.chains_in_one_cycle() { Features::FAST_CHAINS } else { Features::FAST_PAIRS };
    rotations.and(chains)
}

#[cfg(not(target_arch = "x86_64"))]
fn hints() -> Features {
    // Of others' aarch64 CPUs many have the SHA-3 instructions in one unit only.
    if cfg!(all(target_arch = "aarch64", target_vendor = "apple")) { Features::FAST_SHA3 } else { Features::NONE }
}
