//! Which kernel cksum computes CRCs with, and what `--debug` says of it.
//!
//! Like the GNU programs, it leaves alone the CPU features that `GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,…` forbids.

use hashmill::{Algorithm, Engine};

/// Kernels with the words of coreutils for the same instructions, in the order in which both prefer them.
const WORDS: [(&str, &str); 3] = [("vpclmul", "avx512"), ("pclmul", "pclmul"), ("pmull", "vmull")];

/// The kernel to use.
pub(super) struct Kernel {
    /// What runs it, if it is not the one that is used anyway.
    pub(super) engine: Option<Engine>,
    /// What `--debug` says.
    pub(super) said: Vec<String>,
}

/// Returns the kernel to use for an algorithm.
pub(super) fn kernel(a: Algorithm) -> Kernel {
    let tunables = std::env::var("GLIBC_TUNABLES").unwrap_or_default();
    let forbidden = forbidden(&tunables);
    let kernels = a.kernels();
    let usual = kernels.iter().find(|k| k.active).map_or("portable", |k| k.name);
    let is_allowed = |name: &str, needs: &str| {
        // Of what is older than AVX, coreutils forbids nothing but this one, whose code it compiles for AVX.
        let forbids =
            |feature: &str| forbidden.iter().any(|f| f == feature || f == "avx" && feature.starts_with("avx"));
        !(needs.split(',').any(forbids) || name.ends_with("pclmul") && forbids("avx"))
    };
    let allowed = |name: &str| kernels.iter().any(|k| k.name == name && is_allowed(k.name, &k.needs));
    let name = match allowed(usual) {
        true => usual,
        false => kernels.iter().find(|k| k.available && allowed(k.name)).map_or("portable", |k| k.name),
    };
    let known = |word: &&(&str, &str)| kernels.iter().any(|k| k.name == word.0);
    let mut said = Vec::new();
    for (kernel, word) in WORDS.iter().filter(known) {
        if *kernel == name {
            said.push(format!("using {word} hardware support"));
            break;
        }
        said.push(format!("{word} support not detected"));
    }
    let engine = if name == usual { None } else { a.with_kernel(name).ok() };
    Kernel { engine, said }
}

/// Returns the CPU features that this value of `GLIBC_TUNABLES` forbids, in lower case. As in glibc, the last of several
/// settings counts.
fn forbidden(tunables: &str) -> Vec<String> {
    let setting = tunables.split(':').rev().find_map(|t| t.strip_prefix("glibc.cpu.hwcaps=")).unwrap_or_default();
    setting.split(',').filter_map(|cap| cap.strip_prefix('-')).map(str::to_ascii_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forbidden() {
        for (tunables, expected) in [
            ("", &[][..]),
            ("glibc.cpu.hwcaps=-AVX512F,-AVX2", &["avx512f", "avx2"]),
            ("glibc.cpu.hwcaps=-AVX,:glibc.malloc.check=1", &["avx"]),
            ("glibc.cpu.hwcaps=-AVX:glibc.cpu.hwcaps=AVX2,-PMULL", &["pmull"]),
            ("glibc.malloc.check=1", &[]),
        ] {
            assert_eq!(forbidden(tunables), expected, "{tunables}");
        }
    }
}
