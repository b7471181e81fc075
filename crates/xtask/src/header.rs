//! Generates what the registry and the C library's sources determine: a constant for each algorithm in Rust and C, a
//! type for each in C++, the header hashmill.h, and the list of exported symbols.

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
const CONSTANTS: &str = "crates/hashmill/src/surface/constants.rs";
const C_CONSTANTS: &str = "bindings/c/src/constants.rs";
const TYPES: &str = "bindings/cpp/include/hashmill/types.hpp";
const SOURCES: [&str; 12] = [
    "error", "algorithm", "digest", "hasher", "hmac", "many", "threads", "parts", "file", "files", "kernel",
    "constants",
];

pub(crate) fn run(args: &Args) -> Result<bool, String> {
    let root = Path::new(".");
    let mut same = true;
    // The constants first, because the header is generated from them.
    for files in [constants, headers] {
        for (path, text) in &files(root)? {
            if !args.check {
                std::fs::write(root.join(path), text).map_err(|e| format!("{path}: {e}"))?;
            } else if read(root, path)? != *text {
                println!("{path} is not up to date: run `cargo run -p xtask -- header`");
                same = false;
            }
        }
    }
    Ok(same)
}

/// Paths of files and their expected contents.
type Files = Vec<(&'static str, String)>;

fn read(root: &Path, path: &str) -> Result<String, String> {
    std::fs::read_to_string(root.join(path)).map_err(|e| format!("{path}: {e}"))
}

fn headers(root: &Path) -> Result<Files, String> {
    let header = header(root)?;
    let symbols = symbols(&header);
    Ok(vec![(HEADER, header), (SYMBOLS, symbols), (TYPES, types())])
}

/// The files with a constant for each algorithm: what is in them already, with new lists.
fn constants(root: &Path) -> Result<Files, String> {
    const WIDTH: usize = 115;
    let (mut lines, mut of_c) = (vec![String::new()], String::new());
    for a in hashmill::Algorithm::all() {
        let (name, constant) = (a.name(), constant(&a.name()));
        let item = format!(" {constant} \"{name}\";");
        if lines.last().is_some_and(|line| "   ".len() + line.len() + item.len() > WIDTH) {
            lines.push(String::new());
        }
        lines.last_mut().expect("there is a first line").push_str(&item);
        of_c += &format!(
            "/// {name}\n#[unsafe(no_mangle)]\n\
             pub static HM_{constant}: hm_algorithm = hm_algorithm::new(Algorithm::{constant});\n"
        );
    }
    let list: String = lines.iter().map(|line| format!("   {line}\n")).collect();
    let replace = |path: &'static str, begin: &str, end: &str, list: &str| {
        let text = read(root, path)?;
        let parts = text.split_once(begin).and_then(|(before, rest)| Some((before, rest.split_once(end)?.1)));
        let Some((before, after)) = parts else { return Err(format!("{path}: no list of constants")) };
        Ok((path, format!("{before}{begin}{list}{end}{after}")))
    };
    Ok(vec![
        replace(CONSTANTS, "\nconstants! {\n", "}\n", &list)?,
        replace(C_CONSTANTS, "\nuse hashmill::Algorithm;\n\n", "\n// Up to here, the list is generated.\n", &of_c)?,
    ])
}

/// The name of an algorithm's constant.
fn constant(name: &str) -> String {
    name.to_uppercase().replace('-', "_")
}

/// A type for each algorithm with its usual parameters.
fn types() -> String {
    let mut text = String::from(
        "// hashmill/types.hpp: a type for each algorithm. \
         Generated from the registry by `cargo run -p xtask -- header`.\n\n\
         #ifndef HASHMILL_TYPES_HPP\n#define HASHMILL_TYPES_HPP\n\nnamespace hashmill {\n",
    );
    for a in hashmill::Algorithm::all() {
        let name = a.name().replace('-', "_");
        let (bytes, block, constant) = (a.digest_len(), a.block_len(), constant(&a.name()));
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
    fn generated_files_are_up_to_date() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let files = [constants(&root), headers(&root)].map(|files| files.unwrap_or_else(|e| panic!("{e}"))).concat();
        for (path, text) in &files {
            assert!(read(&root, path).as_ref() == Ok(text), "{path}: cargo run -p xtask -- header");
        }
        let text = &files.iter().find(|(path, _)| *path == SYMBOLS).expect("a list of symbols").1;
        let symbols: Vec<&str> = text.lines().collect();
        assert!(symbols.contains(&"hm_digest_many") && symbols.contains(&"HM_CRC32"), "{symbols:?}");
        assert!(symbols.contains(&"hm_error_message") && !symbols.contains(&"hm_inputs_none"), "{symbols:?}");
    }
}
