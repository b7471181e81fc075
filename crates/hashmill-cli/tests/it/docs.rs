//! Runs every `console` block of the documentation: the page must show what the command prints.
//!
//! If HASHMILL_BLESS is set, the pages are rewritten with the commands' actual output.

use hashmill_measure::bare;
use hashmill_testing::executable;
use std::path::{Path, PathBuf};

/// Returns what a shell prints on both streams, with our binary first in its PATH. The other programs on these pages
/// come next, since what is installed under their names may be a link to hashmill.
fn shell(command: &str, folder: &Path) -> String {
    let mut folders = vec![PathBuf::from(executable())];
    folders.extend(["cksum", "sum"].iter().flat_map(|name| bare::original(name)));
    folders.iter_mut().for_each(|program| _ = program.pop());
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    let path = std::env::join_paths(folders).unwrap();
    let out = bare::command("bash")
        .args(["--norc", "--noprofile", "-c", &format!("{{ {command}\n}} 2>&1")])
        .env("PATH", path)
        .current_dir(folder)
        .output()
        .unwrap();
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn pages_show_what_commands_print() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let folder = tempfile::tempdir().unwrap();
    let mut commands = 0;
    for entry in std::fs::read_dir(&docs).unwrap() {
        let page = entry.unwrap().path();
        if page.extension().is_none_or(|e| e != "md") {
            continue;
        }
        let text = std::fs::read_to_string(&page).unwrap();
        let mut run = String::new();
        let mut inside = false;
        for line in text.lines() {
            let output = inside && !line.starts_with("```") && !line.starts_with("$ ");
            if !output {
                run += line;
                run.push('\n');
            }
            if line.starts_with("```") {
                inside = line == "```console";
            } else if let (true, Some(command)) = (inside, line.strip_prefix("$ ")) {
                run += &shell(command, folder.path());
                commands += 1;
            }
        }
        if std::env::var_os("HASHMILL_BLESS").is_some() {
            std::fs::write(&page, &run).unwrap();
        } else {
            for (i, (shown, printed)) in text.lines().zip(run.lines()).enumerate() {
                assert_eq!(shown, printed, "{}:{} (HASHMILL_BLESS=1 rewrites it)", page.display(), i + 1);
            }
            assert_eq!(text.lines().count(), run.lines().count(), "{}", page.display());
        }
    }
    assert!(commands > 10, "{commands}");
}

/// README must show what its first command prints.
#[test]
fn readme_begins_with_what_is_printed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let lines: Vec<&str> = readme.lines().filter(|l| l.contains("  vectors/")).collect();
    assert!(!lines.is_empty());
    let printed = shell("hashmill sum -r vectors", &root);
    for line in lines {
        assert!(printed.lines().any(|l| l == line), "README.md: {line}");
    }
}
