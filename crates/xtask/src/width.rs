//! Checks that comments keep to rustfmt's maximum width, which rustfmt itself does not apply to them.

use crate::files;
use std::fs;
use std::path::{Path, PathBuf};

/// The numbers of the lines that consist only of a comment and are longer than `most` characters.
fn too_long(text: &str, most: usize) -> Vec<usize> {
    let long = |line: &str| line.trim_start().starts_with("//") && line.chars().count() > most;
    text.lines().enumerate().filter(|(_, line)| long(line)).map(|(i, _)| i + 1).collect()
}

#[test]
fn comments_are_as_narrow_as_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let format = fs::read_to_string(root.join("rustfmt.toml")).unwrap();
    let width = format.lines().find_map(|l| l.strip_prefix("max_width = ")).unwrap().parse().unwrap();
    let folders = ["crates", "bindings", "bench", "fuzz"];
    let files: Vec<PathBuf> = folders.iter().flat_map(|folder| files::rust(&root.join(folder)).unwrap()).collect();
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
