//! Checks the machine code of the kernels: a kernel that calls something, or does not use the registers it is named
//! after, is correct but ten times slower, so no other test would notice.

use crate::disassembly::{Arch, Function, Leaves, filled, functions, slots};
use crate::kernels::{self, Is};
use crate::sources;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options of `xtask machine-code`.
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

/// Prints the table. Returns false if a kernel is missing or not as it should be.
pub(crate) fn run(args: &Args) -> Result<bool, String> {
    let text = objdump(&args.objdump, &["-d", "--no-show-raw-insn", "-C"], &args.program)?;
    let arch = Arch::of(&text).ok_or("neither an x86_64 nor an aarch64 program")?;
    let all = functions(&text);
    // Fails for statically linked programs, which have no such relocations.
    let relocations = objdump(&args.objdump, &["-R"], &args.program).unwrap_or_default();
    let listed = sources::expected(&args.sources, arch).map_err(|e| format!("{}: {e}", args.sources.display()))?;

    let mut slots = slots(&relocations, &all);
    // Fails for programs without such a section.
    slots.extend(filled(&objdump(&args.objdump, &["-s", "-j", ".got"], &args.program).unwrap_or_default(), &all));
    let mut report = check(&all, &slots, &listed, &args.expect);
    // The registry of this program knows the kernels of the architecture for which it was built.
    if arch.name() == std::env::consts::ARCH {
        compare(&kernels::registered()?, &all, &mut report);
    }
    print!("{}", report.table);
    for (why, ids) in &report.unseen {
        println!("not looked at: {} ({why})", ids.join(", "));
    }
    for w in &report.warnings {
        println!("warning: {w}");
    }
    for e in &report.errors {
        println!("error: {e}");
    }
    println!(
        "machine-code: {} kernels, {} warnings, {} errors",
        report.kernels,
        report.warnings.len(),
        report.errors.len()
    );
    Ok(report.errors.is_empty())
}

fn objdump(program: &str, options: &[&str], file: &Path) -> Result<String, String> {
    let out = Command::new(program).args(options).arg(file).output().map_err(|e| format!("{program}: {e}"))?;
    if !out.status.success() {
        return Err(String::from_utf8_lossy(&out.stderr).trim().to_string());
    }
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

/// `hashmill::algo::md5::avx2x16` → (`md5`, `avx2x16`), also with modules between the two.
fn kernel_of(symbol: &str) -> Option<(String, String)> {
    let path = kernels::path(symbol)?;
    let file = path.split("::").next()?.to_string();
    if kernels::named(&path).is_some() {
        return Some((file, path.rsplit("::").next()?.to_string()));
    }
    let name = path.rsplit("::").next()?;
    (lacks(name, None) != Some(UNKNOWN)).then(|| (file, name.to_string()))
}

/// The requirement of a kernel whose name says nothing about its instructions.
const UNKNOWN: &str = "a name that machine_code.rs knows";

/// Instruction sets by the names of kernels, which may be followed by `x` and a number. Each group requires at least
/// one of its entries: prefixes of mnemonics, or registers, which start with `%` or `v`. The last field describes the
/// requirement.
const SETS: &[(&str, &[&[&str]], &str)] = &[
    ("portable", &[], ""),
    // For any CPU of the architecture, so there is nothing to look for.
    ("asm", &[], ""),
    ("bmi2", &[&["rorx", "andn", "mulx", "shlx", "shrx"]], "an instruction of BMI"),
    ("sse2", &[&["%xmm"]], "an xmm register"),
    ("ssse3", &[&["pshufb", "palignr"]], "an SSSE3 instruction"),
    ("sse42", &[&["crc32"]], "a crc32 instruction"),
    ("pclmul", &[&["pclmul"]], "a carry-less multiplication"),
    ("vpclmul", &[&["vpclmul"], &["%zmm"]], "a carry-less multiplication on a zmm register"),
    ("shani", &[&["sha1", "sha256"]], "a sha1 or sha256 instruction"),
    // Not the instructions themselves, which not every objdump knows.
    ("sha512ni", &[&["%ymm"]], "a ymm register"),
    ("aesni", &[&["aes"]], "an AES instruction"),
    ("vaes", &[&["vaes"], &["%ymm"]], "an AES instruction on a ymm register"),
    ("gfni", &[&["gf2p8", "vgf2p8"]], "a gf2p8 instruction"),
    ("avx2", &[&["%ymm"]], "a ymm register"),
    ("avx512", &[&["%zmm"]], "a zmm register"),
    // One message may fit in the short registers, but still needs the instructions.
    ("avx512vl", &[&["%zmm", "vpternlog", "vprol"]], "an AVX-512 instruction"),
    ("avx512vbmi", &[&["vpermb", "vpermi2b", "vpermt2b"]], "a permutation of bytes"),
    ("neon", &[&["v0.", "v1.", "v2.", "v3."]], "a vector register"),
    ("pmull", &[&["pmull"]], "a polynomial multiplication"),
    ("crc", &[&["crc32"]], "a crc32 instruction"),
    ("armsha2", &[&["sha1c", "sha256h"]], "a sha1 or sha256 instruction"),
    ("armsha512", &[&["sha512h"]], "a sha512 instruction"),
    ("armsha3", &[&["bcax"], &["xar"]], "SHA-3 instructions"),
];

/// What a kernel of this name requires and this function lacks; [`UNKNOWN`] if nothing is known about the name.
fn lacks(name: &str, f: Option<&Function<'_>>) -> Option<&'static str> {
    // After a plus comes the crate that does the rest.
    let name = name.split('+').next().unwrap_or(name);
    let isa = match name.rsplit_once('x') {
        _ if SETS.iter().any(|(set, ..)| *set == name) => name,
        Some(("avx512", "1")) => "avx512vl",
        Some((isa, n)) if !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()) => isa,
        _ => name,
    };
    let Some((_, groups, what)) = SETS.iter().find(|(set, ..)| *set == isa) else { return Some(UNKNOWN) };
    let f = f?;
    let has = |s: &str| {
        let register = s.starts_with('%') || s.ends_with('.');
        f.instructions.iter().any(|i| if register { i.operands.contains(s) } else { i.mnemonic.starts_with(s) })
    };
    (!groups.iter().all(|g| g.iter().any(|s| has(s)))).then_some(*what)
}

fn is_panic(name: &str) -> bool {
    name.starts_with("core::panicking::") || name.contains("panic") || name.contains("_fail")
}

#[derive(Default)]
struct Report {
    kernels: usize,
    table: String,
    /// Reason → kernels that have no function to examine.
    unseen: BTreeMap<&'static str, Vec<String>>,
    warnings: Vec<String>,
    errors: Vec<String>,
}

fn check(all: &[Function<'_>], slots: &HashMap<u64, String>, listed: &[String], expect: &[String]) -> Report {
    let mut r = Report::default();
    let _ = writeln!(r.table, "{:<28} {:>12} {:>6} {:>7} {:>7}", "kernel", "instructions", "calls", "memory", "spills");
    let mut kernels: Vec<(String, String, &Function<'_>)> = Vec::new();
    for f in all {
        if let Some((file, name)) = kernel_of(&f.name) {
            // A kernel can have functions for several instruction sets; their own names then say which.
            let own = name.rsplit_once('_').map_or(name.as_str(), |(_, own)| own);
            let rule = match kernels::path(&f.name).and_then(|p| kernels::named(&p)) {
                Some(kernel) if lacks(own, None) == Some(UNKNOWN) => kernel,
                _ => own,
            };
            kernels.push((format!("{file}/{name}"), rule.to_string(), f));
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
        if let Some(what) = lacks(name, Some(f)) {
            r.errors.push(format!("{id} has not {what}"));
        }
        let wide = f.instructions.iter().filter(|i| i.is_wide_on_stack()).count();
        if wide > FEW && !f.instructions.iter().any(|i| i.aligns_stack()) {
            r.errors.push(format!("{id} has {wide} vectors on a stack that it does not align (simd::align_frame)"));
        }
        let instructions = f.instructions.iter().filter(|i| !i.is_padding()).count();
        let spills = f.instructions.iter().filter(|i| i.is_spill()).count();
        let _ = writeln!(r.table, "{id:<28} {instructions:>12} {calls:>6} {memory:>7} {spills:>7}");
    }

    for f in all.iter().filter(|f| f.name.starts_with("hashmill::algo::") && mixes_encodings(f)) {
        r.errors.push(format!("{} has SHA instructions, and ymm or zmm registers that they wait for", f.name));
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

/// Whether a function has instructions of SHA-NI, which exist in the old encoding only, and uses upper halves of
/// registers 0 to 15: each change between the two then takes some 100 ns.
fn mixes_encodings(f: &Function<'_>) -> bool {
    let is_low = |register: &str| {
        let digits = register.find(|c: char| !c.is_ascii_digit()).map_or(register, |end| &register[..end]);
        digits.parse::<u8>().is_ok_and(|n| n < 16)
    };
    let is_upper = |operands: &str| ["%ymm", "%zmm"].iter().any(|r| operands.split(r).skip(1).any(is_low));
    f.instructions.iter().any(|i| ["sha1rnds4", "sha256rnds2"].contains(&i.mnemonic))
        && f.instructions.iter().any(|i| is_upper(i.operands))
}

/// Every kernel that the registry lists must be a function that was examined, or have a reason why not.
fn compare(registered: &BTreeSet<(&'static str, &'static str)>, all: &[Function<'_>], r: &mut Report) {
    let there: BTreeSet<String> = all.iter().filter_map(|f| kernels::path(&f.name)).collect();
    for (home, name) in registered {
        match kernels::is(home, name) {
            Is::Unseen(why) => r.unseen.entry(why).or_default().push(format!("{home}/{name}")),
            Is::Functions(_) if lacks(name, None) == Some(UNKNOWN) => {
                r.errors.push(format!("{home}/{name} has not {UNKNOWN}"));
            }
            Is::Functions(functions) => {
                for f in functions.iter().filter(|f| !there.contains(*f)) {
                    r.errors.push(format!("{home}/{name}: {f} is not in the program"));
                }
            }
        }
    }
}

/// Number of accesses to vectors on the stack that may cross cache lines without being noticed.
const FEW: usize = 8;

/// The C library's memory functions; in a static program, glibc's have the names of their resolvers.
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
        let of = |file: &str, name: &str| Some((file.to_string(), name.to_string()));
        assert_eq!(kernel_of("hashmill::algo::md5::avx2x16"), of("md5", "avx2x16"));
        assert_eq!(kernel_of("hashmill::algo::sha2_32::x86::shani"), of("sha2_32", "shani"));
        assert_eq!(kernel_of("hashmill::algo::keccak::portable::<24>"), of("keccak", "portable"));
        assert_eq!(kernel_of("hashmill::algo::keccak::aarch64::armsha3x2"), of("keccak", "armsha3x2"));
        assert_eq!(kernel_of("hashmill::algo::crc::x86::steps"), of("crc", "steps"));
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
    fn a_frame_that_is_not_aligned() {
        let spills = "    1010:\tvpaddd 0x40(%rsp),%ymm1,%ymm2\n".repeat(FEW + 1);
        let text = GOOD.replace("    100b:", &format!("{spills}    100b:"));
        let expected = "md5/avx512x32 has 9 vectors on a stack that it does not align (simd::align_frame)";
        assert_eq!(errors(&text, &[]), [expected]);
        let aligned = text.replace("    1000:", "    0ff0:\tand    $0xffffffffffffffc0,%rsp\n    1000:");
        assert_eq!(errors(&aligned, &[]), [""; 0]);
    }

    #[test]
    fn the_wrong_registers() {
        let text = GOOD.replace("%zmm", "%ymm").replace("sha1rnds4", "pxor");
        let expected = ["md5/avx512x32 has not a zmm register", "sha1/shani has not a sha1 or sha256 instruction"];
        assert_eq!(errors(&text, &[]), expected);
    }

    #[test]
    fn sha_instructions_and_upper_halves() {
        let with = |what: &str| GOOD.replace("    2004:", &format!("    2003:\tvpaddd {what}\n    2004:"));
        let expected =
            "hashmill::algo::sha1::x86::shani has SHA instructions, and ymm or zmm registers that they wait for";
        assert_eq!(errors(&with("%ymm1,%ymm16,%ymm17"), &[]), [expected]);
        assert_eq!(errors(&with("(%rsi),%zmm31,%zmm15"), &[]), [expected]);
        assert_eq!(errors(&with("%xmm1,%xmm2,%xmm3"), &[]), [""; 0]);
        assert_eq!(errors(&with("(%rsi),%zmm16,%zmm31"), &[]), [""; 0]);
    }

    #[test]
    fn functions_of_another_instruction_set() {
        let text = GOOD
            .replace("md5::avx512x32", "blake3::blocks_avx512vl")
            .replace("vpaddd %zmm1,%zmm2,%zmm3", "vprold $7,%xmm1,%xmm1");
        assert_eq!(errors(&text, &[]), [""; 0]);
        let expected = ["blake3/blocks_avx512vl has not an AVX-512 instruction"];
        assert_eq!(errors(&text.replace("vprold $7", "vpslld $7"), &[]), expected);
    }

    #[test]
    fn every_name_has_a_rule() {
        for (home, name) in kernels::registered().expect("every algorithm has a module") {
            if let Is::Functions(_) = kernels::is(home, name) {
                assert_ne!(lacks(name, None), Some(UNKNOWN), "{home}/{name}");
            }
        }
        assert_eq!(lacks("avx3", None), Some(UNKNOWN));
    }

    #[test]
    fn a_kernel_that_nobody_knows() {
        let registered = BTreeSet::from([
            ("md5", "avx512x32"),
            ("md5", "avx2x8"),
            ("md5", "avx3"),
            ("crc", "crc-fast"),
            ("sha1", "shani"),
        ]);
        let mut r = Report::default();
        compare(&registered, &functions(GOOD), &mut r);
        assert_eq!(
            r.errors,
            ["md5/avx2x8: md5::avx2x8 is not in the program", "md5/avx3 has not a name that machine_code.rs knows"]
        );
        assert_eq!(r.unseen.into_values().collect::<Vec<_>>(), [["crc/crc-fast"]]);
    }

    /// A function whose name differs from that of its kernel.
    #[test]
    fn the_instructions_of_a_named_function() {
        let text = GOOD.replace("sha1::x86::shani", "crc::x86::steps");
        assert_eq!(errors(&text, &[]), ["crc/steps has not a crc32 instruction"]);
    }
}
