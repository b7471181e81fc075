//! Generates bindings/c/include/hashmill.h and the list of exported symbols from what the C library's sources declare,
//! and a C++ type for each algorithm.

use std::path::Path;

/// Options of `xtask header`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only compare: fail if a file does not match the sources.
    #[arg(long)]
    check: bool,
}

const HEADER: &str = "bindings/c/include/hashmill.h";
const SYMBOLS: &str = "bindings/c/symbols.txt";
const TYPES: &str = "bindings/cpp/include/hashmill/types.hpp";
const SOURCES: [&str; 11] =
    ["error", "algorithm", "digest", "hasher", "hmac", "many", "parts", "file", "files", "kernel", "constants"];

pub(crate) fn run(args: &Args) -> Result<bool, String> {
    let root = Path::new(".");
    let mut same = true;
    for (path, text) in &files(root)? {
        if !args.check {
            std::fs::write(root.join(path), text).map_err(|e| format!("{path}: {e}"))?;
            continue;
        }
        let there = std::fs::read_to_string(root.join(path)).map_err(|e| format!("{path}: {e}"))?;
        if there != *text {
            println!("{path} is not what the sources say; `cargo run -p xtask -- header` writes it anew");
            same = false;
        }
    }
    Ok(same)
}

/// The path of each file and its expected content.
fn files(root: &Path) -> Result<[(&'static str, String); 3], String> {
    let header = header(root)?;
    let symbols = symbols(&header);
    Ok([(HEADER, header), (SYMBOLS, symbols), (TYPES, types())])
}

/// A type for each algorithm with its usual parameters.
fn types() -> String {
    let mut text = String::from(
        "// hashmill/types.hpp: a type for each algorithm. Made of the registry by `cargo run -p xtask -- header`.\n\n\
         #ifndef HASHMILL_TYPES_HPP\n#define HASHMILL_TYPES_HPP\n\nnamespace hashmill {\n",
    );
    for a in hashmill::Algorithm::all() {
        let name = a.name().replace('-', "_");
        let (bytes, block, constant) = (a.digest_len(), a.block_len(), name.to_uppercase());
        text += &format!(
            "\n/// {}: {}\nstruct {name} : fixed<{name}, {bytes}, {block}> {{\n    using fixed::fixed;\n    \
             static const hm_algorithm& get_algorithm() noexcept {{ return HM_{constant}; }}\n}};\n",
            a.name(),
            a.specification()
        );
    }
    text += "\n}  // namespace hashmill\n\n#endif\n";
    text
}

pub(crate) fn header(root: &Path) -> Result<String, String> {
    let dir = root.join("bindings/c");
    let mut config = cbindgen::Config::from_file(dir.join("cbindgen.toml"))?;
    let version = env!("CARGO_PKG_VERSION");
    config.after_includes = config.after_includes.map(|text| text.replace("@VERSION@", version));
    // File by file, in reading order.
    let mut builder = cbindgen::Builder::new().with_config(config);
    for file in SOURCES {
        builder = builder.with_src(dir.join("src").join(file).with_extension("rs"));
    }
    let bindings = builder.generate().map_err(|e| format!("bindings/c: {e}"))?;
    let mut text = Vec::new();
    bindings.write(&mut text);
    String::from_utf8(text).map_err(|e| e.to_string())
}

/// Every function and constant that the header declares, in alphabetical order: exactly what the library exports.
fn symbols(header: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for (i, _) in header.match_indices("hm_") {
        // A declaration is a name before a parenthesis, after a type, on a line that starts with the type.
        let line = &header[header[..i].rfind('\n').map_or(0, |at| at + 1)..i];
        let rest = &header[i..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let declared =
            !line.starts_with([' ', '*', '/', '#']) && !line.contains(['(', ',']) && !line.contains("static");
        // Not in the middle of a word, as in algorithm_name.
        let begins = !header[..i].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if begins && declared && rest[end..].starts_with('(') {
            names.push(&rest[..end]);
        }
    }
    for line in header.lines() {
        if let Some(name) = line.strip_prefix("extern const hm_algorithm ") {
            names.push(name.trim_end_matches(';'));
        }
    }
    names.sort_unstable();
    names.dedup();
    names.iter().map(|n| format!("{n}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headers_are_what_the_sources_say() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let files = files(&root).unwrap_or_else(|e| panic!("{e}"));
        for (path, text) in &files {
            let there = std::fs::read_to_string(root.join(path)).unwrap_or_default();
            assert!(there == *text, "{path}: cargo run -p xtask -- header");
        }
        let symbols: Vec<&str> = files[1].1.lines().collect();
        assert!(symbols.contains(&"hm_digest_many") && symbols.contains(&"HM_CRC32"), "{symbols:?}");
        assert!(symbols.contains(&"hm_error_message") && !symbols.contains(&"hm_inputs_none"), "{symbols:?}");
    }
}
