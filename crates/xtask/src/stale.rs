//! Checks whether a measured page is about the current sources.
//!
//! A run names what it measured, each with a hash: for a folder, of the token streams of its Rust files, without
//! comments, documentation and tests, so that only changes that can affect a figure make it stale; for other files, of
//! their lines without comments. Pages are rendered from runs (`crate::runs`); one that only counts names its sources
//! itself.

use crate::{files, runs, tokens};
use proc_macro2::TokenStream;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Pages that count and do not time, and what each of them is about.
const PAGES: [(&str, &[&str]); 1] = [(
    "docs/loops.md",
    &[
        "crates/hashmill/src",
        "crates/hashmill-isa/src",
        "crates/hashmill-bench/src/bench/codegen",
        "bench/pascal/listings.py",
        "bindings/pascal/kernels",
        "bench/engines/pascal",
        "Cargo.lock#blake3,crc-fast,simd-adler32,twox-hash",
        "Cargo.toml#profile",
    ],
)];

/// A file built from sources and kept with them, and those sources: the tests fail if it was built from others.
const BUILT: (&str, &[&str]) = (
    "bindings/go/hashmill.wasm.sources",
    &[
        "crates/hashmill/src",
        "crates/hashmill-isa/src",
        "crates/hashmill/Cargo.toml",
        "bindings/c/src",
        "bindings/c/Cargo.toml",
        "bindings/go/wasm.sh",
    ],
);

/// The start of the line of a page that names its sources.
const LINE: &str = "- Sources: ";

/// Number of digits of a hash: enough to tell versions apart, since nobody forges them.
const DIGITS: usize = 12;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The repository
    #[arg(long, default_value = ".")]
    root: PathBuf,

    /// Print the line that a page measured now must have
    #[arg(long, value_name = "PAGE")]
    line: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<bool, String> {
    if let Some(page) = &args.line {
        let known = PAGES.iter().chain([&BUILT]).find(|(p, _)| p == page);
        let (_, sources) = known.ok_or_else(|| format!("{page}: no page that is measured"))?;
        println!("{}", line(&args.root, sources)?);
        return Ok(true);
    }
    let mut fresh = true;
    for (page, sources) in PAGES {
        let path = args.root.join(page);
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let changed = changed(&text, &line(&args.root, sources)?);
        fresh &= changed.is_empty();
        match &changed[..] {
            [] => println!("{page}: measured with these sources"),
            changed => println!("{page}: stale, other now: {}", changed.join(", ")),
        }
    }
    fresh &= runs::stale(&args.root)?;
    if !fresh {
        println!("measure again on an idle machine: make bench");
    }
    Ok(fresh)
}

/// The sources of a page that have changed.
fn changed(page: &str, now: &str) -> Vec<String> {
    let read = |line: &str| -> BTreeMap<String, String> {
        let items = line.trim_start_matches(LINE).split(", ");
        items.filter_map(|i| i.split_once(' ').map(|(name, hash)| (name.to_string(), hash.to_string()))).collect()
    };
    let then = page.lines().find(|l| l.starts_with(LINE)).map(read).unwrap_or_default();
    read(now).into_iter().filter(|(name, hash)| then.get(name) != Some(hash)).map(|(name, _)| name).collect()
}

fn line(root: &Path, sources: &[&str]) -> Result<String, String> {
    let mut items = Vec::new();
    for source in sources {
        let hash = hash(root, source).map_err(|e| format!("{source}: {e}"))?;
        items.push(format!("{source} {hash}"));
    }
    Ok(format!("{LINE}{}", items.join(", ")))
}

/// The hash of a file, of the parts `FILE#PART,PART` of a TOML file, or of all files below a folder with their names.
pub(crate) fn hash(root: &Path, source: &str) -> io::Result<String> {
    if let Some((file, parts)) = source.split_once('#') {
        return Ok(digest(chosen(&fs::read_to_string(root.join(file))?, parts)?.as_bytes()));
    }
    let path = &*root.join(source);
    let mut all = Vec::new();
    for file in files::below(path)? {
        let name = file.strip_prefix(path).unwrap_or(&file).to_string_lossy().into_owned();
        let text = essence(&file, &fs::read_to_string(&file)?)?;
        // Include the lengths, so that nothing can move unnoticed from one file to the next.
        all.extend(format!("{} {} {}\n", name.len(), text.len(), name).bytes());
        all.extend(text.bytes());
    }
    Ok(digest(&all))
}

/// The tables `[PART]`, `[PART.…]` and those of the name `PART`, such as packages in a lock file: what else the file
/// says changes no figure.
fn chosen(text: &str, parts: &str) -> io::Result<String> {
    let tables: Vec<&str> = text.split("\n[").collect();
    let mut kept = String::new();
    for part in parts.split(',') {
        let begins = [format!("{part}]"), format!("{part}.")];
        let named = format!("\nname = \"{part}\"\n");
        let of_part = |t: &&&str| begins.iter().any(|b| t.starts_with(b)) || t.contains(&named);
        let found: Vec<&str> = tables.iter().filter(of_part).copied().collect();
        if found.is_empty() {
            return Err(io::Error::other(format!("nothing is called {part}")));
        }
        let lines = found.iter().flat_map(|t| t.lines()).map(str::trim_end);
        lines.filter(|l| !l.is_empty() && !l.starts_with('#')).for_each(|l| kept += &format!("{l}\n"));
    }
    Ok(kept)
}

/// The digits of a hash that tell versions apart.
pub(crate) fn digest(data: &[u8]) -> String {
    hashmill::Algorithm::SHA256.digest(data).to_string()[..DIGITS].to_string()
}

/// The parts of a file that can affect a figure.
fn essence(path: &Path, text: &str) -> io::Result<String> {
    if path.extension().is_some_and(|e| e == "rs") {
        let stream: TokenStream = text.parse().map_err(|e| io::Error::other(format!("{}: {e}", path.display())))?;
        return Ok(tokens::text(stream));
    }
    let marks: &[&str] = match path.extension().and_then(|e| e.to_str()) {
        Some("py" | "sh" | "lock" | "toml") => &["#"],
        Some("go" | "mod" | "c" | "h" | "cpp" | "hpp" | "php" | "pas" | "inc") => &["//"],
        _ => &[],
    };
    let is_comment = |line: &str| marks.iter().any(|m| line.starts_with(m) && !line.starts_with("#!"));
    let (mut kept, mut end) = (Vec::new(), None);
    for line in text.lines().map(str::trim_end) {
        let start = line.trim_start();
        // Block comments that begin a line are dropped with their last line, on which they should stand alone.
        end = end.or_else(|| block(path, start));
        if let Some(mark) = end {
            if start.contains(mark) {
                end = None;
            }
        } else if !line.is_empty() && !is_comment(start) {
            kept.push(line);
        }
    }
    Ok(kept.join("\n"))
}

/// Returns how the block comment ends that a line begins with, unless code follows the comment on the same line. In
/// Pascal, `{$` begins a directive.
fn block(path: &Path, line: &str) -> Option<&'static str> {
    let (start, end) = match path.extension().and_then(|e| e.to_str()) {
        Some("c" | "h" | "cpp" | "hpp" | "go" | "php") => ("/*", "*/"),
        Some("pas" | "inc") if !line.starts_with("{$") => ("{", "}"),
        _ => return None,
    };
    let comment = line.strip_prefix(start)?;
    comment.split_once(end).is_none_or(|(_, rest)| rest.is_empty()).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rust(text: &str) -> String {
        essence(Path::new("x.rs"), text).unwrap()
    }

    #[test]
    fn comments_and_tests_are_no_change() {
        let plain = rust("fn f(x: u8) -> u8 { x + 1 }");
        for same in [
            "//! About it.\n\n/// One more.\nfn f(x: u8) -> u8 {\n    x + 1 // one\n}\n",
            "fn f(x: u8) -> u8 { x + 1 }\n#[cfg(test)]\nmod tests { #[test] fn g() {} }",
            "#[cfg(test)]\nuse std::fmt;\nfn f(x: u8) -> u8 { /* inside */ x + 1 }",
        ] {
            assert_eq!(rust(same), plain);
        }
        for other in
            ["fn f(x: u8) -> u8 { x + 2 }", "#[inline]\nfn f(x: u8) -> u8 { x + 1 }", "fn f(x: u8) -> u8 { x } + 1"]
        {
            assert_ne!(rust(other), plain);
        }
        assert!(rust("#[cfg(test)] fn g() {} fn h() {}").contains('h'));
        let shell = |text| essence(Path::new("x.sh"), text).unwrap();
        assert_eq!(shell("#!/bin/sh\n# why\n\necho 1\n"), shell("#!/bin/sh\necho 1"));
        assert_ne!(shell("echo 1\n"), shell("echo 2\n"));
        let c = |text| essence(Path::new("x.c"), text).unwrap();
        assert_eq!(c("/* why\n   and how */\nint x;\n/* one */\n// two\n"), c("int x;"));
        assert_eq!(c("/* a */ int x;"), "/* a */ int x;");
        let pascal = |text| essence(Path::new("x.pas"), text).unwrap();
        assert_eq!(
            pascal("{ why\n  and how }\n{$mode objfpc}\nvar x: Integer; { in place }"),
            "{$mode objfpc}\nvar x: Integer; { in place }"
        );
    }

    #[test]
    fn what_has_changed_is_named() {
        let page = "# P\n\n- Sources: a 12, b 34\n";
        assert_eq!(changed(page, "- Sources: a 12, b 34"), [""; 0]);
        assert_eq!(changed(page, "- Sources: a 12, b 35"), ["b"]);
        assert_eq!(changed(page, "- Sources: a 12, c 34"), ["c"]);
        assert_eq!(changed("# P\n", "- Sources: a 12, b 34"), ["a", "b"]);
    }

    /// The WebAssembly module matches the sources; `bindings/go/wasm.sh` builds it.
    #[test]
    fn what_is_built_is_of_these_sources() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let (file, sources) = BUILT;
        let text = fs::read_to_string(root.join(file)).unwrap();
        let changed = changed(&text, &line(&root, sources).unwrap());
        assert!(changed.is_empty(), "{file}: others now: {}; run bindings/go/wasm.sh", changed.join(", "));
        let module = fs::read(root.join(file.trim_end_matches(".sources"))).unwrap();
        let digest = hashmill::Algorithm::SHA256.digest(&module).to_string();
        assert!(text.contains(&digest), "{file} is about another module than {digest}");
        assert!(module.len() <= 2 << 20, "{} bytes", module.len());
    }

    #[test]
    fn parts_of_a_file() {
        let lock =
            "# by cargo\n\n[[package]]\nname = \"a\"\nversion = \"1\"\n\n[[package]]\nname = \"ab\"\nversion = \"2\"\n";
        assert_eq!(chosen(lock, "a").unwrap(), "[package]]\nname = \"a\"\nversion = \"1\"\n");
        assert!(chosen(lock, "a,ab").unwrap().ends_with("version = \"2\"\n"));
        assert!(chosen(lock, "b").is_err());
        let toml = "[deps]\na = 1\n# Why\n[profile.release]\nlto = false\n";
        assert_eq!(chosen(toml, "profile").unwrap(), "profile.release]\nlto = false\n");
    }

    /// Every page names the sources it measured; `make stale` tells whether it is stale.
    #[test]
    fn pages_name_their_sources() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (page, sources) in PAGES {
            let text = fs::read_to_string(root.join(page)).unwrap();
            let named = text.lines().find(|l| l.starts_with(LINE)).unwrap_or_else(|| panic!("{page} names none"));
            for source in sources {
                assert!(named.contains(&format!("{source} ")) && hash(&root, source).is_ok(), "{page}: {source}");
            }
        }
    }
}
