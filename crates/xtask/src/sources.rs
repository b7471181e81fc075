//! Finds the kernels that the sources list, so that a kernel missing from the program is noticed.
//!
//! Reads the `lanes!` lists in `algo/`: a line `name(…) from n;` in the block of an architecture. The function is
//! `name`, or the path after `dedicated`. Kernels that are listed in another way are not seen; name them with
//! `--expect`.

use crate::disassembly::Arch;
use std::fs;
use std::io;
use std::path::Path;

/// `file/kernel` for every kernel that the files in `algo` (or `<file>/mod.rs` there) list for `arch`.
pub(crate) fn expected(algo: &Path, arch: Arch) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(algo)? {
        let path = entry?.path();
        let text = if path.is_dir() { path.join("mod.rs") } else { path.clone() };
        if text.extension().is_some_and(|e| e == "rs") && text.is_file() {
            let file = path.file_stem().unwrap_or_default().to_string_lossy();
            found.extend(listed(&fs::read_to_string(text)?, arch).into_iter().map(|k| format!("{file}/{k}")));
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// The functions of the kernels in the `lanes!` lists of one file, of which each may be in a module of its own.
fn listed(text: &str, arch: Arch) -> Vec<&str> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    // At the start of a line's text: doc comments and the macro's own definition have it elsewhere.
    while let Some(start) = lines.find(|l| l.trim_start().starts_with("lanes! {")) {
        let indent = start.len() - start.trim_start().len();
        let ends = |l: &str| l.len() > indent && l[indent..].starts_with('}');
        found.push("portable");
        let mut block = None;
        for line in lines.by_ref().take_while(|l| !ends(l)).map(str::trim) {
            if let Some(name) = line.strip_suffix('{') {
                block = Some(name.trim());
            } else if block == Some(arch.name())
                && line.contains(") from ")
                && let Some((name, how)) = line.split_once('(')
            {
                let function = match how.strip_prefix("dedicated ") {
                    Some(path) => path.split(',').next().and_then(|p| p.rsplit("::").next()).unwrap_or(name),
                    None => name,
                };
                found.push(function.trim());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
//! lanes! { not this }
lanes! { words: 8, bytes: 4, portable: u32;
    x86_64 {
        avx512x32(Avx512 X2<U32x16>) from 5;
        shani(dedicated x86::one_stream, SHANI, 1) from 1; // a comment
    }
    aarch64 { }
    aarch64 {
        neonx8(Neon X2<U32x4>) from 3;
    }
}
fn f() { x86_64 { avx2x8(Avx2 U32x8) from 3; } }
pub(crate) mod wide {
    lanes! { words: 8, bytes: 8, portable: u64;
        x86_64 {
            avx512x8(Avx512 U64x8) from 3;
        }
        aarch64 { }
    }
}
";

    #[test]
    fn kernels_of_one_architecture() {
        assert_eq!(listed(TEXT, Arch::X86_64), ["portable", "avx512x32", "one_stream", "portable", "avx512x8"]);
        assert_eq!(listed(TEXT, Arch::Aarch64), ["portable", "neonx8", "portable"]);
    }

    #[test]
    fn a_file_without_a_list() {
        assert!(listed("//! lanes! {\nfn portable() {}\n", Arch::X86_64).is_empty());
    }
}
