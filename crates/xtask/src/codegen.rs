//! The machine code of the kernels: a kernel that calls something, or does not use the registers it is named after, is
//! correct and ten times slower, so no other test would notice.

use crate::disassembly::{Arch, Function, Leaves, functions, slots};
use crate::sources;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options of `xtask codegen`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program to read.
    #[arg(default_value = "target/release/hashmill")]
    program: PathBuf,
    /// Kernels that must be there, besides those that the sources list, as `file/kernel` (`md5/avx2x16`).
    #[arg(long, value_delimiter = ',', value_name = "KERNEL")]
    expect: Vec<String>,
    /// The directory whose `lanes!` lists say which kernels must be there.
    #[arg(long, default_value = "crates/hashmill/src/algo")]
    sources: PathBuf,
    /// The disassembler.
    #[arg(long, default_value = "objdump")]
    objdump: String,
}

/// Prints the table; false where a kernel is missing or not as it should be.
pub(crate) fn run(args: &Args) -> Result<bool, String> {
    let text = objdump(&args.objdump, &["-d", "--no-show-raw-insn", "-C"], &args.program)?;
    let arch = Arch::of(&text).ok_or("neither an x86_64 nor an aarch64 program")?;
    let all = functions(&text);
    // Fails for a static program, which has no such relocations.
    let relocations = objdump(&args.objdump, &["-R"], &args.program).unwrap_or_default();
    let listed = sources::expected(&args.sources, arch).map_err(|e| format!("{}: {e}", args.sources.display()))?;

    let report = check(&all, &slots(&relocations, &all), &listed, &args.expect);
    print!("{}", report.table);
    for w in &report.warnings {
        println!("warning: {w}");
    }
    for e in &report.errors {
        println!("error: {e}");
    }
    println!("codegen: {} kernels, {} warnings, {} errors", report.kernels, report.warnings.len(), report.errors.len());
    Ok(report.errors.is_empty())
}

fn objdump(program: &str, options: &[&str], file: &Path) -> Result<String, String> {
    let out = Command::new(program).args(options).arg(file).output().map_err(|e| format!("{program}: {e}"))?;
    if !out.status.success() {
        return Err(String::from_utf8_lossy(&out.stderr).trim().to_string());
    }
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

/// `hashmill::algo::md5::avx2x16` → (`md5`, `avx2x16`), and with modules between the two.
fn kernel_of(symbol: &str) -> Option<(&str, &str)> {
    let path = symbol.strip_prefix("hashmill::algo::")?;
    let path = path.split('<').next().unwrap_or(path).trim_end_matches("::");
    let (file, rest) = path.split_once("::")?;
    let name = rest.rsplit("::").next()?;
    is_kernel_name(name).then_some((file, name))
}

fn is_kernel_name(name: &str) -> bool {
    if ["gfni", "vaes", "aesni"].contains(&name) {
        return true;
    }
    let numbered = |isa: &str| {
        name.strip_prefix(isa)
            .and_then(|n| n.strip_prefix('x'))
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    const PLAIN: [&str; 12] = [
        "portable", "bmi2", "sse2", "ssse3", "aesni", "shani", "avx2", "avx512", "avx512vl", "avx512vbmi", "gfni",
        "vaes",
    ];
    PLAIN.contains(&name) || ["sse2", "avx2", "avx512", "shani", "neon"].into_iter().any(numbered)
}

/// What a kernel of this name cannot be without.
fn lacks(name: &str, f: &Function<'_>) -> Option<&'static str> {
    let operand = |s: &str| f.instructions.iter().any(|i| i.operands.contains(s));
    let mnemonic = |s: &str| f.instructions.iter().any(|i| i.mnemonic.starts_with(s));
    let (there, what) = match name {
        // One message may well live in the short registers, but not without the instructions.
        "avx512x1" | "avx512vl" => {
            (operand("%zmm") || mnemonic("vpternlog") || mnemonic("vprol"), "an AVX-512 instruction")
        }
        n if n.starts_with("avx512") => (operand("%zmm"), "a zmm register"),
        n if n.starts_with("avx2") => (operand("%ymm"), "a ymm register"),
        n if n.starts_with("sse2") => (operand("%xmm"), "an xmm register"),
        n if n.starts_with("shani") => (mnemonic("sha1") || mnemonic("sha256"), "a sha1 or sha256 instruction"),
        "gfni" => (mnemonic("gf2p8") || mnemonic("vgf2p8"), "a gf2p8 instruction"),
        "vaes" => (mnemonic("vaes") && operand("%ymm"), "an AES instruction on a ymm register"),
        "aesni" => (mnemonic("aes"), "an AES instruction"),
        n if n.starts_with("neon") => (["v0.", "v1.", "v2.", "v3."].into_iter().any(operand), "a vector register"),
        _ => (true, ""),
    };
    (!there).then_some(what)
}

fn is_panic(name: &str) -> bool {
    name.starts_with("core::panicking::") || name.contains("panic") || name.contains("_fail")
}

#[derive(Default)]
struct Report {
    kernels: usize,
    table: String,
    warnings: Vec<String>,
    errors: Vec<String>,
}

fn check(all: &[Function<'_>], slots: &HashMap<u64, String>, listed: &[String], expect: &[String]) -> Report {
    let mut r = Report::default();
    let _ = writeln!(r.table, "{:<28} {:>12} {:>6} {:>7} {:>7}", "kernel", "instructions", "calls", "memory", "spills");
    let mut kernels: Vec<(String, &str, &Function<'_>)> = Vec::new();
    for f in all {
        if let Some((file, name)) = kernel_of(&f.name) {
            kernels.push((format!("{file}/{name}"), name, f));
        }
    }
    kernels.sort_by(|a, b| a.0.cmp(&b.0));
    r.kernels = kernels.len();

    for (id, name, f) in &kernels {
        let (mut calls, mut memory) = (0, 0);
        for way in f.leaves(slots) {
            match way {
                Leaves::To(s) if is_panic(&s) => {}
                Leaves::To(s) if is_memory(&s) => {
                    memory += 1;
                    r.warnings.push(format!("{id} calls {s}"));
                }
                Leaves::To(s) => {
                    calls += 1;
                    r.errors.push(format!("{id} calls {s}"));
                }
                Leaves::Indirect => {
                    calls += 1;
                    r.errors.push(format!("{id} calls through a pointer"));
                }
            }
        }
        if let Some(what) = lacks(name, f) {
            r.errors.push(format!("{id} has not {what}"));
        }
        let instructions = f.instructions.iter().filter(|i| !i.is_padding()).count();
        let spills = f.instructions.iter().filter(|i| i.is_spill()).count();
        let _ = writeln!(r.table, "{id:<28} {instructions:>12} {calls:>6} {memory:>7} {spills:>7}");
    }

    r.warnings.dedup();
    r.errors.dedup();
    for id in listed.iter().chain(expect) {
        if !kernels.iter().any(|k| k.0 == *id) {
            r.errors.push(format!("{id} is not in the program"));
        }
    }
    if kernels.is_empty() {
        r.errors.push("no kernel in the program: were its symbols stripped?".to_string());
    }
    r
}

/// The C library's memory functions; in a static program glibc's go by the names of their resolvers.
fn is_memory(name: &str) -> bool {
    let plain = name.trim_start_matches("__new_").trim_end_matches("_ifunc");
    ["memcpy", "memset", "memmove"].contains(&plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str, expect: &[&str]) -> Vec<String> {
        let expect: Vec<String> = expect.iter().map(|s| s.to_string()).collect();
        check(&functions(text), &HashMap::new(), &[], &expect).errors
    }

    #[test]
    fn kernel_names() {
        assert_eq!(kernel_of("hashmill::algo::md5::avx2x16"), Some(("md5", "avx2x16")));
        assert_eq!(kernel_of("hashmill::algo::sha2_32::x86::shani"), Some(("sha2_32", "shani")));
        assert_eq!(kernel_of("hashmill::algo::keccak::portable::<24>"), Some(("keccak", "portable")));
        for no in [
            "hashmill::algo::md5::run",
            "hashmill::algo::md5::avx2x",
            "hashmill::algo::md5::avx2x8y",
            "hashmill::algo::portable",
            "hashmill::simd::x86::portable",
            "other::algo::md5::portable",
        ] {
            assert_eq!(kernel_of(no), None, "{no}");
        }
    }

    const GOOD: &str = "
0000000000001000 <hashmill::algo::md5::avx512x32>:
    1000:\tvpaddd %zmm1,%zmm2,%zmm3
    1006:\tcall   9000 <core::slice::index::slice_index_fail>
    100b:\tcall   9100 <memcpy@plt>

0000000000002000 <hashmill::algo::sha1::x86::shani>:
    2000:\tsha1rnds4 $0x0,%xmm1,%xmm0
    2004:\tret

0000000000003000 <hashmill::algo::sha1::portable>:
    3000:\tret
";

    #[test]
    fn a_good_program() {
        let r = check(&functions(GOOD), &HashMap::new(), &["md5/avx512x32".to_string()], &["sha1/shani".to_string()]);
        assert_eq!(r.errors, [""; 0]);
        assert_eq!(r.warnings, ["md5/avx512x32 calls memcpy"]);
        assert!(is_memory("__new_memcpy_ifunc") && is_memory("memset") && !is_memory("memcpy_and_more"));
        assert_eq!(r.kernels, 3);
        assert_eq!(r.table.lines().count(), 4);
    }

    #[test]
    fn a_missing_kernel() {
        assert_eq!(errors(GOOD, &["md5/avx2x16"]), ["md5/avx2x16 is not in the program"]);
        assert_eq!(errors("", &[]).len(), 1);
    }

    #[test]
    fn a_call() {
        let text = GOOD
            .replace("9000 <core::slice::index::slice_index_fail>", "9000 <core::core_arch::x86::_mm512_add_epi32>");
        assert_eq!(errors(&text, &[]), ["md5/avx512x32 calls core::core_arch::x86::_mm512_add_epi32"]);
    }

    #[test]
    fn the_wrong_registers() {
        let text = GOOD.replace("%zmm", "%ymm").replace("sha1rnds4", "pxor");
        let expected = ["md5/avx512x32 has not a zmm register", "sha1/shani has not a sha1 or sha256 instruction"];
        assert_eq!(errors(&text, &[]), expected);
    }
}
