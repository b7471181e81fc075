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
    Ok(found)
}

/// The functions of the kernels in the `lanes!` list of one file.
fn listed(text: &str, arch: Arch) -> Vec<&str> {
    let mut found = Vec::new();
    let mut block = None;
    // At the start of a line: in doc comments and the macro's own definition, it is elsewhere.
    let mut lines = text.lines().skip_while(|l| !l.starts_with("lanes! {"));
    if lines.next().is_some() {
        found.push("portable");
    }
    for line in lines.take_while(|l| !l.starts_with('}')).map(str::trim) {
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
";

    #[test]
    fn kernels_of_one_architecture() {
        assert_eq!(listed(TEXT, Arch::X86_64), ["portable", "avx512x32", "one_stream"]);
        assert_eq!(listed(TEXT, Arch::Aarch64), ["portable", "neonx8"]);
    }

    #[test]
    fn a_file_without_a_list() {
        assert!(listed("//! lanes! {\nfn portable() {}\n", Arch::X86_64).is_empty());
    }
}
