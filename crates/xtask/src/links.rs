//! Checks that the links of pages lead somewhere, and that the indexes of the documentation name every page.

use std::fs;
use std::path::{Path, PathBuf};

/// The files that the links of a page lead to, without fragments.
fn links(text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
    let files = targets.filter(|t| !t.contains("://") && !t.starts_with('#') && !t.starts_with("mailto:"));
    files.map(|t| t.split('#').next().unwrap_or_default().to_string()).collect()
}

/// All pages of a folder.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    pages.sort();
    pages
}

#[test]
fn links_lead_to_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let bindings =
        fs::read_dir(root.join("bindings")).unwrap().map(|entry| entry.unwrap().path()).filter(|p| p.is_dir());
    let folders =
        [".", "docs", "docs/decisions", "bench", "bindings/cpp/docs"].map(|f| root.join(f)).into_iter().chain(bindings);
    let (mut seen, mut dead) = (0, Vec::new());
    for page in folders.flat_map(|folder| pages(&folder)) {
        for link in links(&fs::read_to_string(&page).unwrap()) {
            seen += 1;
            if !page.parent().unwrap().join(&link).exists() {
                dead.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(seen > 100, "{seen} links");
    assert!(dead.is_empty(), "dead links:\n{}", dead.join("\n"));
}

#[test]
fn the_index_names_every_page() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut named = Vec::new();
    for folder in [docs.clone(), docs.join("decisions")] {
        let index = fs::read_to_string(folder.join("README.md")).unwrap();
        named.extend(links(&index).iter().filter_map(|link| folder.join(link).canonicalize().ok()));
    }
    let folders = ["", "decisions", "../bench", "../bindings/cpp/docs"];
    for page in folders.iter().flat_map(|folder| pages(&docs.join(folder))) {
        let page = page.canonicalize().unwrap();
        let is_index = ["README.md", "index.md"].iter().any(|name| page.ends_with(name));
        assert!(is_index || named.contains(&page), "the index does not name {}", page.display());
    }
}

#[test]
fn links_are_found() {
    let text = "[a](b.md) and [c](d/e.md#f), [g](https://h) [i](#j)";
    assert_eq!(links(text), ["b.md", "d/e.md"]);
}
