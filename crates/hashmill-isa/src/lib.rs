//! Instruction sets for which hashmill's kernels are compiled.
//!
//! They are listed in one place. [`macro@isa`] turns their names into a function's `#[target_feature]`, and [`isas`]
//! hands the same table to the code that detects CPU features, so what a function was compiled for and what was
//! detected cannot differ.

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// A set of CPU features that kernels require together.
struct Isa {
    name: &'static str,
    /// `target_arch`.
    arch: &'static str,
    /// rustc's names of the features. Features that they imply (see [`IMPLIED`]) are detected, too, but not listed.
    features: &'static [&'static str],
    about: &'static str,
}

/// The table. The position of a set is its bit.
const ISAS: &[Isa] = &[
    x86("SSE2", &["sse2"], "what every x86-64 CPU has"),
    x86("SSSE3", &["ssse3", "sse4.1"], "shuffles of the bytes in registers of 16"),
    x86("SSE42", &["sse4.2"], "the CRC-32C instruction"),
    x86("AESNI", &["aes", "sse4.1", "ssse3"], "AES instructions"),
    x86("PCLMUL", &["pclmulqdq", "sse4.1", "ssse3"], "carry-less multiplication"),
    x86("SHANI", &["sha", "sse4.1", "ssse3"], "SHA-1 and SHA-256 instructions"),
    x86("BMI2", &["bmi1", "bmi2"], "rotations and and-not with a destination of their own"),
    x86("AVX2", &["avx2", "bmi1", "bmi2"], "registers of 32 bytes"),
    x86("SHA512NI", &["sha512", "avx2"], "SHA-512 instructions"),
    x86("AVX512", &["avx512f", "avx512bw", "avx512dq", "avx512vl", "bmi1", "bmi2"], "registers of 64 bytes"),
    x86("VBMI", &["avx512vbmi"], "permutations of bytes across 64"),
    x86("GFNI", &["gfni"], "affine maps and products over GF(2^8)"),
    x86("VAES", &["vaes"], "AES instructions on wide registers"),
    x86("VPCLMUL", &["vpclmulqdq"], "carry-less multiplication on wide registers"),
    arm("NEON", &["neon"], "Advanced SIMD"),
    arm("ARM_CRC", &["crc"], "the CRC-32 instructions"),
    arm("ARM_AES", &["neon", "aes"], "AES instructions and the products of polynomials that come with them"),
    arm("ARM_SHA2", &["neon", "sha2"], "SHA-1 and SHA-256 instructions"),
    arm("ARM_SHA3", &["neon", "sha3"], "SHA-512 and SHA-3 instructions"),
    wasm("SIMD128", &["simd128"], "registers of 16 bytes"),
];

/// The features that rustc enables along with a feature, step by step; a test compares this with rustc.
const IMPLIED: &[(&str, &str, &[&str])] = &[
    ("x86_64", "sse2", &["sse"]),
    ("x86_64", "sse3", &["sse2"]),
    ("x86_64", "ssse3", &["sse3"]),
    ("x86_64", "sse4.1", &["ssse3"]),
    ("x86_64", "sse4.2", &["sse4.1"]),
    ("x86_64", "aes", &["sse2"]),
    ("x86_64", "pclmulqdq", &["sse2"]),
    ("x86_64", "sha", &["sse2"]),
    ("x86_64", "gfni", &["sse2"]),
    ("x86_64", "avx", &["sse4.2"]),
    ("x86_64", "fma", &["avx"]),
    ("x86_64", "f16c", &["avx"]),
    ("x86_64", "avx2", &["avx"]),
    ("x86_64", "sha512", &["avx2"]),
    ("x86_64", "vaes", &["avx2", "aes"]),
    ("x86_64", "vpclmulqdq", &["avx", "pclmulqdq"]),
    ("x86_64", "avx512f", &["avx2", "fma", "f16c"]),
    ("x86_64", "avx512bw", &["avx512f"]),
    ("x86_64", "avx512dq", &["avx512f"]),
    ("x86_64", "avx512vl", &["avx512f"]),
    ("x86_64", "avx512vbmi", &["avx512bw"]),
    ("aarch64", "aes", &["neon"]),
    ("aarch64", "sha2", &["neon"]),
    ("aarch64", "sha3", &["sha2"]),
];

const fn x86(name: &'static str, features: &'static [&'static str], about: &'static str) -> Isa {
    Isa { name, arch: "x86_64", features, about }
}

const fn arm(name: &'static str, features: &'static [&'static str], about: &'static str) -> Isa {
    Isa { name, arch: "aarch64", features, about }
}

const fn wasm(name: &'static str, features: &'static [&'static str], about: &'static str) -> Isa {
    Isa { name, arch: "wasm32", features, about }
}

/// `features` and all that they imply, without duplicates.
fn closed<'f>(arch: &str, features: &[&'f str]) -> Vec<&'f str> {
    let mut all: Vec<&str> = Vec::new();
    let mut open: Vec<&str> = features.iter().rev().copied().collect();
    while let Some(feature) = open.pop() {
        if !all.contains(&feature) {
            all.push(feature);
            let rows = IMPLIED.iter().filter(|(a, f, _)| *a == arch && *f == feature);
            open.extend(rows.flat_map(|(_, _, implied)| *implied).copied());
        }
    }
    all
}

/// The features of the sets in `names`, without duplicates, or the name that is not in the table.
fn features_of(names: &[String]) -> Result<Vec<&'static str>, &String> {
    let mut features = Vec::new();
    for name in names {
        // Hints describe what a CPU does well; nothing is compiled for them.
        if name == "NONE" || name.starts_with("FAST_") {
            continue;
        }
        let isa = ISAS.iter().find(|isa| isa.name == name).ok_or(name)?;
        for feature in isa.features {
            if !features.contains(feature) {
                features.push(*feature);
            }
        }
    }
    Ok(features)
}

/// Parses `A + B`, with or without brackets.
fn names(list: TokenStream) -> Option<Vec<String>> {
    let tokens: Vec<TokenTree> = list.into_iter().collect();
    if let [TokenTree::Group(inner)] = &tokens[..] {
        return names(inner.stream());
    }
    let count = tokens.len();
    let mut names = Vec::new();
    for (i, token) in tokens.into_iter().enumerate() {
        match token {
            TokenTree::Ident(name) if i % 2 == 0 => names.push(name.to_string()),
            TokenTree::Punct(plus) if i % 2 == 1 && plus.as_char() == '+' => {}
            _ => return None,
        }
    }
    // A list that ends in a plus has an even number of tokens.
    (count % 2 == 1).then_some(names)
}

/// `#[isa(AVX512 + GFNI)]` compiles the function for these instruction sets, like `#[target_feature(enable = "…")]`.
/// Macros may pass the list in brackets. `NONE` and hints (`FAST_…`) add nothing.
#[proc_macro_attribute]
pub fn isa(list: TokenStream, item: TokenStream) -> TokenStream {
    let said = list.to_string();
    let Some(names) = names(list) else {
        return error(&format!("expected names of instruction sets like `AVX512 + GFNI`, found `{said}`"));
    };
    let features = match features_of(&names) {
        Ok(features) => features,
        Err(unknown) => return error(&format!("{unknown} is no instruction set of the table in hashmill-isa")),
    };
    if features.is_empty() {
        return item;
    }
    let enable = [
        ident("enable"),
        TokenTree::Punct(Punct::new('=', Spacing::Alone)),
        TokenTree::Literal(Literal::string(&features.join(","))),
    ];
    let attribute = [ident("target_feature"), group(Delimiter::Parenthesis, enable.into_iter().collect())];
    let mut out: TokenStream =
        [TokenTree::Punct(Punct::new('#', Spacing::Alone)), group(Delimiter::Bracket, attribute.into_iter().collect())]
            .into_iter()
            .collect();
    out.extend(item);
    out
}

/// `isas!(m)` expands to `m! { … }` with a row for each set of the table:
///
/// ```text
/// /// x86_64: affine maps and products over GF(2^8).
/// GFNI = 11, "x86_64", ["gfni"], ["gfni" "sse2" "sse"];
/// ```
///
/// A row consists of the bit, `target_arch`, the features that define the set, and all that must be detected.
#[proc_macro]
pub fn isas(name: TokenStream) -> TokenStream {
    let list = |features: &[&str]| features.iter().map(|f| format!("{f:?} ")).collect::<String>();
    let mut rows = String::new();
    for (bit, Isa { name, arch, features, about }) in ISAS.iter().enumerate() {
        let all = closed(arch, features);
        rows += &format!(
            "#[doc = \"{arch}: {about}.\"] {name} = {bit}, \"{arch}\", [{}], [{}];\n",
            list(features),
            list(&all)
        );
    }
    format!("{name}! {{ {rows} }}").parse().unwrap_or_else(|_| error("expected the name of a macro"))
}

fn ident(name: &str) -> TokenTree {
    TokenTree::Ident(Ident::new(name, Span::call_site()))
}

fn group(delimiter: Delimiter, tokens: TokenStream) -> TokenTree {
    TokenTree::Group(Group::new(delimiter, tokens))
}

fn error(message: &str) -> TokenStream {
    let quoted = group(Delimiter::Brace, TokenTree::Literal(Literal::string(message)).into());
    [ident("compile_error"), TokenTree::Punct(Punct::new('!', Spacing::Alone)), quoted].into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};
    use std::process::Command;

    /// Returns the features that rustc enables for a function compiled with `features`.
    fn enabled(arch: &str, features: &[&str]) -> BTreeSet<String> {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let os = if arch == "wasm32" { "unknown" } else { "linux-gnu" };
        let on: Vec<String> = features.iter().map(|f| format!("+{f}")).collect();
        let o = Command::new(rustc)
            .args(["--print", "cfg", "--target", &format!("{arch}-unknown-{os}")])
            .args(["-C", &format!("target-feature={}", on.join(","))])
            .output()
            .unwrap();
        assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
        let text = String::from_utf8(o.stdout).unwrap();
        let cfgs = text.lines().filter_map(|l| l.strip_prefix("target_feature=\"")?.strip_suffix('"'));
        cfgs.map(String::from).collect()
    }

    #[test]
    fn all_that_is_enabled_is_detected() {
        let always: BTreeMap<&str, BTreeSet<String>> =
            ISAS.iter().map(|isa| (isa.arch, enabled(isa.arch, &[]))).collect();
        for Isa { name, arch, features, .. } in ISAS {
            let all: BTreeSet<String> = closed(arch, features).into_iter().map(String::from).collect();
            let mut enabled = enabled(arch, features);
            // Features that every CPU of the architecture has need no detection.
            enabled.retain(|f| all.contains(f) || !always[arch].contains(f));
            assert_eq!(enabled, all, "{name}");
        }
    }

    #[test]
    fn every_row_is_used_and_names_are_unique() {
        for (i, isa) in ISAS.iter().enumerate() {
            assert!(ISAS[..i].iter().all(|other| other.name != isa.name), "{}", isa.name);
        }
        for (arch, feature, _) in IMPLIED {
            let used = ISAS.iter().any(|isa| isa.arch == *arch && closed(arch, isa.features).contains(feature));
            assert!(used, "{feature}");
        }
    }

    #[test]
    fn lists_of_names() {
        let features = |list: &[&str]| features_of(&list.iter().map(|n| n.to_string()).collect::<Vec<_>>()).unwrap();
        assert_eq!(features(&["NONE"]), [""; 0]);
        assert_eq!(features(&["AVX2", "BMI2", "FAST_CHAINS"]), ["avx2", "bmi1", "bmi2"]);
        assert_eq!(features(&["SSSE3", "GFNI"]), ["ssse3", "sse4.1", "gfni"]);
        assert_eq!(features_of(&["AVX3".into()]), Err(&"AVX3".into()));
    }
}
