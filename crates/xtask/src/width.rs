//! Comments keep to the width that rustfmt holds code to; it does not look at them itself.

use std::fs;
use std::path::{Path, PathBuf};

/// The lines of a file, with their numbers, that are nothing but a comment and longer than `most` characters.
fn too_long(text: &str, most: usize) -> Vec<usize> {
    let long = |line: &str| line.trim_start().starts_with("//") && line.chars().count() > most;
    text.lines().enumerate().filter(|(_, line)| long(line)).map(|(i, _)| i + 1).collect()
}

/// All Rust files below a folder.
fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            collect(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn comments_are_as_narrow_as_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let format = fs::read_to_string(root.join("rustfmt.toml")).unwrap();
    let width = format.lines().find_map(|l| l.strip_prefix("max_width = ")).unwrap().parse().unwrap();
    let mut files = Vec::new();
    for folder in ["crates", "bindings", "bench", "fuzz"] {
        collect(&root.join(folder), &mut files);
    }
    assert!(files.len() > 200, "{} files", files.len());
    let wrong: Vec<String> = files
        .iter()
        .flat_map(|f| {
            too_long(&fs::read_to_string(f).unwrap(), width).into_iter().map(move |n| format!("{}:{n}", f.display()))
        })
        .collect();
    assert!(wrong.is_empty(), "longer than {width} characters:\n{}", wrong.join("\n"));
}

#[test]
fn only_comments_are_looked_at() {
    assert_eq!(too_long("// 12345678\n//! é\u{e9}345678\nlet x = \"// 12345\";\n    //\n", 10), [1, 2]);
}
