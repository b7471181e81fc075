//! Finds which files of a crate import which, and checks that every import points downward.
//!
//! The folders of a crate form floors. A file may import what is on a lower floor, or in its own folder as long as no
//! cycle arises; never what is on a higher floor, or in another folder of its own floor. The root of the crate is the
//! roof. Test-only imports do not count: a test may use the whole house.

use crate::{files, tokens};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Each crate, with the folders of each of its floors from the ground up.
const CRATES: [(&str, &[&[&str]]); 12] = [
    (
        "crates/hashmill/src",
        &[&["base"], &["simd"], &["contract"], &["algo", "plumbing"], &["registry"], &["engine"], &["surface"]],
    ),
    ("crates/hashmill-lists/src", &[&["base"], &["text"], &["forms"], &["dialects", "surface"]]),
    ("crates/hashmill-files/src", &[&["base"], &["read"], &["queue"], &["hash"], &["surface"]]),
    ("crates/hashmill-trees/src", &[&["base"], &["decide", "read"], &["surface"]]),
    (
        "crates/hashmill-copy/src",
        &[&["fs", "model"], &["sources", "record", "decide"], &["transfer"], &["run"], &["surface"]],
    ),
    ("crates/hashmill-measure/src", &[&["sys"]]),
    ("crates/hashmill-peers/src", &[&["sys"], &["peer"], &["crypto"]]),
    ("crates/hashmill-results/src", &[&["store"]]),
    ("crates/hashmill-speed/src", &[]),
    ("crates/hashmill-bench/src", &[&["sys"], &["bench"]]),
    ("crates/hashmill-testing/src", &[]),
    ("crates/hashmill-cli/src", &[&["terminal"], &["programs"], &["args"], &["commands"]]),
];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The repository
    #[arg(long, default_value = ".")]
    root: PathBuf,
}

/// Prints the floors of each crate, and every import that points upward or is part of a cycle.
pub(crate) fn run(args: &Args) -> Result<bool, String> {
    let mut sound = true;
    for (folder, floors) in CRATES {
        let house = House::of(&args.root.join(folder))?;
        println!("{folder}: {} files, {} imports between them", house.imports.len(), house.count());
        for floor in floors.iter().rev() {
            let files = |room: &str| house.imports.keys().filter(|f| f.starts_with(&format!("{room}/"))).count();
            println!("  {}", floor.iter().map(|r| format!("{r} ({} files)", files(r))).collect::<Vec<_>>().join("  "));
        }
        for wrong in house.wrong(floors) {
            sound = false;
            println!("  wrong: {wrong}");
        }
    }
    Ok(sound)
}

/// The files of a crate by their paths below its `src`, each with the files that it imports and one of the imported
/// names.
struct House {
    imports: BTreeMap<String, BTreeMap<String, String>>,
}

impl House {
    /// Reads a crate. Files named `tests.rs` contain only tests.
    fn of(src: &Path) -> Result<House, String> {
        let said = |e: io::Error| format!("{}: {e}", src.display());
        let mut texts = BTreeMap::new();
        for path in files::rust(src).map_err(said)? {
            if !path.ends_with("tests.rs") {
                let below = path.strip_prefix(src).unwrap_or(&path);
                texts.insert(below.to_string_lossy().into_owned(), fs::read_to_string(&path).map_err(said)?);
            }
        }
        House::read(&texts)
    }

    fn read(texts: &BTreeMap<String, String>) -> Result<House, String> {
        let modules: BTreeMap<Vec<String>, &String> = texts.keys().map(|file| (module(file), file)).collect();
        let mut imports = BTreeMap::new();
        for (file, text) in texts {
            let stream: TokenStream = text.parse().map_err(|e| format!("{file}: {e}"))?;
            let here = module(file);
            let mut paths = Vec::new();
            paths_of(tokens::essential(stream), &here, &modules, &mut paths);
            let mut found = BTreeMap::new();
            for path in paths {
                let Some(n) = (0..=path.len()).rev().find(|&n| modules.contains_key(&path[..n])) else { continue };
                let to = modules[&path[..n]];
                if to != file {
                    found.insert(to.clone(), path[n..].join("::"));
                }
            }
            imports.insert(file.clone(), found);
        }
        Ok(House { imports })
    }

    fn count(&self) -> usize {
        self.imports.values().map(BTreeMap::len).sum()
    }

    /// One line for every import that does not point downward, and for every cycle of rooms.
    fn wrong(&self, floors: &[&[&str]]) -> Vec<String> {
        let floor = |file: &str| match file.split_once('/') {
            Some((room, _)) => floors.iter().position(|f| f.contains(&room)),
            None => Some(floors.len()),
        };
        let folder = |file: &str| file.split_once('/').map(|(folder, _)| folder.to_string());
        let mut wrong = Vec::new();
        for (from, to) in &self.imports {
            let Some(at) = floor(from) else {
                wrong.push(format!("{from} is on no floor"));
                continue;
            };
            for (to, name) in to {
                let down = floor(to).is_some_and(|below| below < at) || folder(from) == folder(to);
                if !down {
                    let what = if name.is_empty() { to.clone() } else { format!("{name} of {to}") };
                    wrong.push(format!("{from} imports {what}, which is not below it"));
                }
            }
        }
        wrong.extend(self.circles().into_iter().map(|c| format!("a circle: {}", c.join(", "))));
        wrong
    }

    /// Rooms that import each other in a cycle. A room is a file, or a file and the folder of its parts:
    /// `algo/md5/mod.rs` and `algo/md5/x86.rs`, or `algo/jh.rs` and `algo/jh/x86.rs`.
    fn circles(&self) -> Vec<Vec<String>> {
        let room = |file: &str| {
            let mut parts = file.splitn(3, '/');
            match (parts.next(), parts.next()) {
                (Some(folder), Some(file)) => format!("{folder}/{}", file.trim_end_matches(".rs")),
                _ => file.to_string(),
            }
        };
        let mut rooms: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, to) in &self.imports {
            let all = rooms.entry(room(from)).or_default();
            all.extend(to.keys().map(|to| room(to)).filter(|to| *to != room(from)));
        }
        let reach = |from: &String| {
            let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
            while let Some(room) = next.pop() {
                for to in rooms.get(room).into_iter().flatten() {
                    if seen.insert(to) {
                        next.push(to);
                    }
                }
            }
            seen
        };
        let reached: BTreeMap<&String, BTreeSet<&String>> = rooms.keys().map(|r| (r, reach(r))).collect();
        let mut circles = BTreeSet::new();
        for (room, far) in &reached {
            if far.contains(room) {
                let members = far.iter().filter(|r| reached.get(*r).is_some_and(|back| back.contains(room)));
                circles.insert(members.map(|r| r.to_string()).collect::<Vec<_>>());
            }
        }
        circles.into_iter().collect()
    }
}

/// The path of a file's module: `algo/md5/mod.rs` is `algo::md5`.
fn module(file: &str) -> Vec<String> {
    let mut path: Vec<String> = file.trim_end_matches(".rs").split('/').map(String::from).collect();
    if matches!(path.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        path.pop();
    }
    path
}

/// The paths that begin with `crate`, `self` or `super`, or name a module below `here`, as paths from the crate root. A
/// module's re-exports of its children (`pub use`) are not imports.
fn paths_of(
    stream: TokenStream,
    here: &[String],
    modules: &BTreeMap<Vec<String>, &String>,
    out: &mut Vec<Vec<String>>,
) {
    let all: Vec<TokenTree> = stream.into_iter().collect();
    let word = |i: usize| match all.get(i) {
        Some(TokenTree::Ident(word)) => word.to_string(),
        _ => String::new(),
    };
    let mut i = 0;
    while i < all.len() {
        if let TokenTree::Group(group) = &all[i] {
            // Within `mod name { … }`, `super` is this file.
            let named = i >= 2 && word(i - 2) == "mod" && group.delimiter() == Delimiter::Brace;
            let here: Vec<String> = here.iter().cloned().chain(named.then(|| word(i - 1))).collect();
            paths_of(group.stream(), &here, modules, out);
        }
        let begins = match word(i).as_str() {
            "crate" => Some(vec![]),
            "self" => Some(here.to_vec()),
            "super" => Some(here[..here.len().saturating_sub(1)].to_vec()),
            _ => None,
        };
        let follows =
            |i: usize| matches!(all.get(i), Some(TokenTree::Punct(p)) if p.as_char() == ':') && is_path(&all, i);
        match begins {
            Some(base) if follows(i + 1) => i = tree(&all, i + 3, base, out),
            _ if word(i) == "use" && !is_public(&all[..i]) => {
                let child: Vec<String> = here.iter().cloned().chain([word(i + 1)]).collect();
                i = if modules.contains_key(&child) && follows(i + 2) { tree(&all, i + 4, child, out) } else { i + 1 };
            }
            _ => i += 1,
        }
    }
}

/// Whether there is a `::` here.
fn is_path(all: &[TokenTree], i: usize) -> bool {
    let colon = |i: usize| matches!(all.get(i), Some(TokenTree::Punct(p)) if p.as_char() == ':');
    colon(i) && colon(i + 1)
}

/// Whether the tokens end with `pub` or `pub(…)`.
fn is_public(before: &[TokenTree]) -> bool {
    let before = match before {
        [before @ .., TokenTree::Group(g)] if g.delimiter() == Delimiter::Parenthesis => before,
        all => all,
    };
    matches!(before.last(), Some(TokenTree::Ident(word)) if word == "pub")
}

/// Reads what follows `base::` at token `i`: a path, or braces with several. Returns the position after it.
fn tree(all: &[TokenTree], mut i: usize, mut base: Vec<String>, out: &mut Vec<Vec<String>>) -> usize {
    loop {
        match all.get(i) {
            Some(TokenTree::Ident(word)) if word == "super" => {
                base.pop();
            }
            Some(TokenTree::Ident(word)) => base.push(word.to_string()),
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                for one in inside.split(|t| matches!(t, TokenTree::Punct(p) if p.as_char() == ',')) {
                    tree(one, 0, base.clone(), out);
                }
                return i + 1;
            }
            _ => break,
        }
        i += 1;
        if !is_path(all, i) {
            break;
        }
        i += 2;
    }
    out.push(base);
    i
}

#[cfg(test)]
mod tests {
    use super::*;

    fn house(files: &[(&str, &str)]) -> House {
        House::read(&files.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect()).unwrap()
    }

    const FLOORS: &[&[&str]] = &[&["low"], &["left", "right"], &["high"]];

    #[test]
    fn imports_are_found_wherever_they_stand() {
        let h = house(&[
            ("lib.rs", "mod low; mod high;"),
            ("low/mod.rs", "mod a; pub(crate) use a::A; use b::B;"),
            ("low/a.rs", "fn f() { crate::high::x::call() } macro_rules! m { () => { $crate::high::y!() } }"),
            ("low/b.rs", "use super::{a::{self, A}, c}; use super::super::high; use std::fmt; // crate::low::d"),
            ("low/d.rs", "mod x86 { use super::X; use super::super::c; }"),
            (
                "low/c.rs",
                "#[cfg(test)] mod tests { use crate::high::x; } fn f() -> &'static str { \"crate::high::x\" }",
            ),
            ("high/mod.rs", ""),
            ("high/x.rs", ""),
        ]);
        let of = |file: &str| h.imports[file].keys().map(String::as_str).collect::<Vec<_>>();
        assert_eq!(of("low/mod.rs"), ["low/b.rs"]);
        assert_eq!(of("low/a.rs"), ["high/mod.rs", "high/x.rs"]);
        assert_eq!(of("low/b.rs"), ["high/mod.rs", "low/a.rs", "low/c.rs"]);
        assert_eq!(of("low/c.rs"), [""; 0]);
        assert_eq!(of("low/d.rs"), ["low/c.rs"]);
    }

    #[test]
    fn what_runs_up_across_or_around_is_wrong() {
        let wrong = |files: &[(&str, &str)]| house(files).wrong(FLOORS);
        let sound = [
            ("lib.rs", "use crate::high::a;"),
            ("high/a.rs", "use crate::{left::a, right::a, low::a, high::b};"),
            ("high/b.rs", "use crate::low::a::X;"),
            ("left/a.rs", "use crate::low::a;"),
            ("left/a/part.rs", "use super::X;"),
            ("right/a.rs", ""),
            ("low/a.rs", ""),
        ];
        assert_eq!(wrong(&sound), [""; 0]);
        let with = |name, text| {
            let mut files = sound.to_vec();
            files.retain(|f| f.0 != name);
            files.push((name, text));
            wrong(&files).join("\n")
        };
        assert_eq!(
            with("low/a.rs", "use crate::left::a::X;"),
            "low/a.rs imports X of left/a.rs, which is not below it\na circle: left/a, low/a"
        );
        assert_eq!(with("left/a.rs", "use crate::right::a;"), "left/a.rs imports right/a.rs, which is not below it");
        assert_eq!(
            with("low/a.rs", "use crate::X;"),
            "low/a.rs imports X of lib.rs, which is not below it\na circle: high/a, high/b, left/a, lib.rs, low/a"
        );
        assert_eq!(with("high/b.rs", "use super::a;"), "a circle: high/a, high/b");
        assert_eq!(with("attic/a.rs", ""), "attic/a.rs is on no floor");
    }

    /// Checks the library itself.
    #[test]
    fn every_import_runs_down() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (folder, floors) in CRATES {
            let wrong = House::of(&root.join(folder)).unwrap().wrong(floors);
            assert!(wrong.is_empty(), "{folder}:\n{}", wrong.join("\n"));
        }
    }

    /// A crate that is not listed would never be checked. hashmill-isa and xtask have no floors.
    #[test]
    fn every_crate_has_its_floors() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut crates: Vec<String> = fs::read_dir(root.join("crates"))
            .unwrap()
            .map(|entry| format!("crates/{}/src", entry.unwrap().file_name().to_string_lossy()))
            .filter(|folder| !["crates/hashmill-isa/src", "crates/xtask/src"].contains(&folder.as_str()))
            .collect();
        let mut listed: Vec<String> = CRATES.iter().map(|(folder, _)| folder.to_string()).collect();
        crates.sort();
        listed.sort();
        assert_eq!(crates, listed);
    }
}
