//! crates/hashmill/api.txt: everything public in the library, one item per line, so that changes to it are noticed.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Options of `xtask api`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only compare: fail if the listing does not match the code.
    #[arg(long)]
    check: bool,
}

const LISTING: &str = "crates/hashmill/api.txt";

pub(crate) fn run(args: &Args) -> Result<bool, String> {
    let text = listing(Path::new("."))?;
    if !args.check {
        return std::fs::write(LISTING, text).map(|()| true).map_err(|e| format!("{LISTING}: {e}"));
    }
    compare(Path::new("."), &text)
}

fn compare(root: &Path, text: &str) -> Result<bool, String> {
    let there = std::fs::read_to_string(root.join(LISTING)).map_err(|e| format!("{LISTING}: {e}"))?;
    let only = |a: &str, b: &str, mark: char| {
        let b: std::collections::HashSet<&str> = b.lines().collect();
        a.lines().filter(|l| !b.contains(l)).for_each(|l| println!("{mark} {l}"));
    };
    if there != text {
        only(&there, text, '-');
        only(text, &there, '+');
        println!(
            "{LISTING} differs from the code: regenerate it with `cargo run -p xtask -- api`; CHANGELOG.md says why"
        );
    }
    Ok(there == text)
}

/// Every public item with all features, as rustdoc sees it; items hidden in the documentation are not public.
fn listing(root: &Path) -> Result<String, String> {
    let json = rustdoc(root)?;
    let api = public_api::Builder::from_rustdoc_json(&json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .build()
        .map_err(|e| {
            format!("{}: {e} (another version of the crate public-api may know this compiler's form)", json.display())
        })?;
    let mut text = String::from("# Written by `cargo run -p xtask -- api`.\n");
    for item in api.items() {
        let line = item.to_string();
        // What the traits of `digest` require of a type is left out: some sixty types have the same forty lines.
        if line.contains("hashmill::types::") && !["pub struct", "pub use", "impl"].iter().any(|w| line.starts_with(w))
        {
            continue;
        }
        text += &line;
        text.push('\n');
    }
    Ok(text)
}

/// Runs rustdoc. Its JSON output is unstable and must be requested explicitly.
fn rustdoc(root: &Path) -> Result<PathBuf, String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from).join("api");
    let out = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(root)
        .env("RUSTC_BOOTSTRAP", "1")
        .env_remove("RUSTDOCFLAGS")
        .args(["rustdoc", "--quiet", "--package", "hashmill", "--all-features", "--lib", "--target-dir"])
        .arg(&target)
        .args(["--", "-Z", "unstable-options", "--output-format", "json", "--cap-lints", "allow"])
        .output()
        .map_err(|e| format!("cargo: {e}"))?;
    if !out.status.success() {
        return Err(format!("rustdoc failed:\n{}", String::from_utf8_lossy(&out.stderr)));
    }
    Ok(root.join(target).join("doc/hashmill.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn api() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace");
        let text = listing(&root).unwrap_or_else(|e| panic!("{e}"));
        assert!(text.contains("pub fn hashmill::Hasher::update"), "{text}");
        // Internals of the engine are not public.
        for inner in ["unstable", "Mill", "Refill", "types::block", "types::marks", "Named"] {
            assert!(!text.contains(inner), "{inner} is public");
        }
        assert!(compare(&root, &text).expect("the listing"), "the public interface has changed");
    }
}
