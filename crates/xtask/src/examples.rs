//! Whether every public item of the library has an example in its documentation.
//!
//! Types, traits, functions and methods each have one of their own, which `cargo test --doc` runs. Variants, fields and
//! constants have none: the type's example shows how they are used.

use crate::files;
use std::fs;
use std::path::Path;

/// Files whose public items need no example, each with the reason.
const EXEMPT: [(&str, &str); 6] = [
    ("base/nearest.rs", "only in `unstable`, which no version promises"),
    ("base/size.rs", "only in `unstable`, which no version promises"),
    ("engine/mill.rs", "only in `unstable`, which no version promises"),
    ("lib.rs", "what it declares itself is in `unstable`, which no version promises"),
    ("surface/types/mod.rs", "made by a macro, a type for each row: the module has an example for all"),
    ("surface/types/block.rs", "the traits of the crate `digest`, whose documentation has the examples"),
];

/// The kinds of items that have an example.
const KINDS: [&str; 5] = ["pub fn ", "pub const fn ", "pub struct ", "pub enum ", "pub trait "];

/// The public items of a file that have no example, as `line: item`.
fn without_example(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim_start).take_while(|l| *l != "mod tests {").collect();
    let mut missing = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        if !KINDS.iter().any(|kind| line.starts_with(kind)) {
            continue;
        }
        // Nobody else can name what is in there.
        if i > 0 && lines[i - 1] == "mod sealed {" {
            continue;
        }
        let above = || lines[..i].iter().rev().take_while(|l| l.starts_with("///") || l.starts_with("#["));
        if !above().any(|l| l.starts_with("/// ```") || *l == "#[doc(hidden)]") {
            missing.push(format!("{}: {line}", i + 1));
        }
    }
    missing
}

#[test]
fn every_public_item_has_an_example() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hashmill/src");
    let (mut missing, mut exempt) = (Vec::new(), Vec::new());
    for path in files::rust(&src).unwrap() {
        let name = path.strip_prefix(&src).unwrap().to_string_lossy().into_owned();
        let found = without_example(&fs::read_to_string(&path).unwrap());
        match EXEMPT.iter().find(|(file, _)| *file == name) {
            Some((file, _)) if !found.is_empty() => exempt.push(*file),
            _ => missing.extend(found.into_iter().map(|item| format!("{name}:{item}"))),
        }
    }
    assert!(missing.is_empty(), "no example:\n{}", missing.join("\n"));
    let mut listed = EXEMPT.map(|(file, _)| file);
    exempt.sort_unstable();
    listed.sort_unstable();
    assert_eq!(exempt, listed, "exempt without need");
}

#[test]
fn items_without_examples_are_found() {
    let text = "
/// With one.
///
/// ```
/// assert!(true);
/// ```
#[inline]
pub fn good() {}

/// Without.
#[derive(Clone)]
pub struct Bad;

impl Bad {
    pub(crate) fn inner(&self) {}

    /// Without.
    pub fn method(&self) {}

    #[doc(hidden)]
    pub fn hidden(&self) {}
}

#[cfg(test)]
mod tests {
    pub fn helper() {}
}
";
    assert_eq!(without_example(text), ["12: pub struct Bad;", "18: pub fn method(&self) {}"]);
}
