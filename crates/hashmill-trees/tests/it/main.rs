//! Comparisons of snapshots, by an oracle that shares nothing with the code: random edits of a small tree, in which
//! many files have the same content.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod bag;

use hashmill::Algorithm;
use hashmill_lists::Stated;
use hashmill_trees::{Class, Comparison, Known, Snapshot};
use std::collections::{BTreeMap, BTreeSet};

/// A file: its content, whose length is its size, and its time.
type File = (Vec<u8>, i64);
type Tree = BTreeMap<String, File>;

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        // SplitMix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

fn name(r: &mut Random) -> String {
    let folder = ["", "a/", "b/", "a/c/"][r.below(4)];
    format!("{folder}{}", ["x", "y", "z", "a", "c.d"][r.below(5)])
}

fn file(r: &mut Random) -> File {
    let letter = [b'p', b'q', b'r'][r.below(3)];
    (vec![letter; r.below(3)], r.below(3) as i64)
}

/// Edits a tree as people and disks do.
fn edit(tree: &mut Tree, r: &mut Random) {
    let names: Vec<String> = tree.keys().cloned().collect();
    let one = |r: &mut Random| names.get(r.below(names.len().max(1))).cloned();
    match (r.below(8), one(r)) {
        (0, _) => drop(tree.insert(name(r), file(r))),
        (1, Some(n)) => drop(tree.remove(&n)),
        (2, Some(n)) => {
            let moved = tree.remove(&n).unwrap();
            tree.insert(name(r), moved);
        }
        (3, Some(n)) => drop(tree.insert(name(r), tree[&n].clone())),
        (4, Some(n)) => tree.get_mut(&n).unwrap().1 = r.below(3) as i64,
        (5, Some(n)) => drop(tree.insert(n, file(r))),
        (6, Some(n)) => {
            // The content changes, and nothing else.
            let content = &mut tree.get_mut(&n).unwrap().0;
            content.iter_mut().for_each(|b| *b ^= 1);
        }
        (7, Some(n)) => {
            if let Some(other) = one(r) {
                let (a, b) = (tree[&n].clone(), tree[&other].clone());
                tree.insert(n, b);
                tree.insert(other, a);
            }
        }
        _ => {}
    }
}

fn stated(content: &[u8]) -> Vec<Stated> {
    let a = Algorithm::named("sha1").unwrap();
    vec![Stated::new(Some(a), a.digest(content))]
}

fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap()
}

/// What a list has besides digests.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Has {
    Everything,
    Times,
    Sizes,
    Nothing,
}

/// Compares two trees and checks every rule.
fn check(before: &Tree, after: &Tree, has: Has) {
    let mut snapshot = Snapshot::new();
    for (name, (content, time)) in before {
        let size = matches!(has, Has::Everything | Has::Sizes).then_some(content.len() as u64);
        let modified = matches!(has, Has::Everything | Has::Times).then_some((*time, 0));
        snapshot.add(name.as_bytes(), &Known { size, modified, stated: &stated(content) }).unwrap();
    }
    let mut comparison = Comparison::new(snapshot);
    let mut classes: Vec<(Class, Option<String>, Option<String>)> = Vec::new();
    for (name, (content, time)) in after {
        let digests = stated(content);
        let known = Known { size: Some(content.len() as u64), modified: Some((*time, 5)), stated: &digests };
        if let Some(class) = comparison.take(name.as_bytes(), &known) {
            classes.push((class, Some(name.clone()), Some(name.clone())));
        }
    }
    let changes = comparison.end();
    for c in &changes {
        let text = |snapshot: &Snapshot, row| String::from_utf8(snapshot.name(row)).unwrap();
        let was = c.before.map(|row| text(comparison.before(), row));
        let is = c.now.map(|row| text(comparison.found(), row));
        let had = |tree: &Tree, name: &Option<String>| name.as_ref().is_some_and(|n| tree.contains_key(n));
        assert!(c.class == Class::Copied || c.taken == had(after, &was), "{c:?}");
        assert_eq!(c.named, had(before, &is), "{c:?}");
        classes.push((c.class, was, is));
    }
    let say = || format!("{has:?}\n{before:?}\n{after:?}\n{classes:?}");

    // Every file of either side is in one class; copies name their source besides.
    let sources: Vec<&String> = classes.iter().filter(|c| c.0 != Class::Copied).filter_map(|c| c.1.as_ref()).collect();
    assert_eq!(sources.iter().copied().collect::<BTreeSet<_>>(), before.keys().collect(), "{}", say());
    assert_eq!(sources.len(), before.len(), "{}", say());
    let found: Vec<&String> = classes.iter().filter_map(|c| c.2.as_ref()).collect();
    assert_eq!(found.iter().copied().collect::<BTreeSet<_>>(), after.keys().collect(), "{}", say());
    assert_eq!(found.len(), after.len(), "{}", say());

    // What has its content is the same, or touched.
    let stays = |n: &String| before.get(n).zip(after.get(n)).is_some_and(|(b, a)| b.0 == a.0);
    let times = matches!(has, Has::Everything | Has::Times);
    for n in before.keys().filter(|n| stays(n)) {
        let want = if times && before[n].1 != after[n].1 { Class::Touched } else { Class::Same };
        assert!(classes.contains(&(want, Some(n.clone()), Some(n.clone()))), "{n} {}", say());
    }

    // What has its length and its time, and a content that nothing had, has rotted where it is.
    let rots = |n: &String| {
        let (Some((was, then)), Some((is, time))) = (before.get(n), after.get(n)) else { return false };
        let same_size = has == Has::Times || was.len() == is.len();
        times && same_size && then == time && before.values().all(|(content, _)| content != is)
    };

    // Of each content, as many files have moved as can have, and as many as possible under their own name.
    let lost: Vec<(&String, &File)> = before.iter().filter(|(n, _)| !stays(n) && !rots(n)).collect();
    let new: Vec<(&String, &File)> = after.iter().filter(|(n, _)| !stays(n) && !rots(n)).collect();
    let contents: BTreeSet<&Vec<u8>> = lost.iter().chain(&new).map(|(_, f)| &f.0).collect();
    for content in contents {
        let names = |files: &[(&String, &File)]| -> Vec<String> {
            files.iter().filter(|(_, f)| &f.0 == content).map(|(n, _)| base(n).to_string()).collect()
        };
        let (lost, new) = (names(&lost), names(&new));
        let count = |all: &[String], n: &String| all.iter().filter(|m| *m == n).count();
        let own: usize =
            lost.iter().collect::<BTreeSet<_>>().into_iter().map(|n| count(&lost, n).min(count(&new, n))).sum();
        let pairs: Vec<_> =
            classes.iter().filter(|c| c.0 == Class::Moved && &before[c.1.as_ref().unwrap()].0 == content).collect();
        for (_, _, is) in &pairs {
            assert_eq!(&after[is.as_ref().unwrap()].0, content, "{}", say());
        }
        let kept = pairs.iter().filter(|(_, was, is)| base(was.as_ref().unwrap()) == base(is.as_ref().unwrap()));
        assert_eq!(kept.count(), own, "{}", say());
        let all = if content.is_empty() { own } else { lost.len().min(new.len()) };
        assert_eq!(pairs.len(), all, "{}", say());
    }

    // The rest follows from its name and its content.
    let moved: BTreeSet<&String> =
        classes.iter().filter(|c| c.0 == Class::Moved).map(|c| c.1.as_ref().unwrap()).collect();
    let taken: BTreeSet<&String> =
        classes.iter().filter(|c| c.0 == Class::Moved).map(|c| c.2.as_ref().unwrap()).collect();
    for (n, (content, time)) in after.iter().filter(|(n, _)| !stays(n) && !taken.contains(n)) {
        let class = classes.iter().find(|c| c.2.as_ref() == Some(n)).unwrap();
        let want = match before.get(n).filter(|_| !moved.contains(n)) {
            Some((was, then)) => {
                let same_size = has == Has::Times || was.len() == content.len();
                match (times, then == time, same_size) {
                    (true, false, _) => Class::Changed,
                    (true, true, true) => Class::Rotten,
                    _ => Class::Differs,
                }
            }
            None => {
                let there = |m: &String| (stays(m) || rots(m) || moved.contains(m)) && &before[m].0 == content;
                if !content.is_empty() && before.keys().any(there) { Class::Copied } else { Class::New }
            }
        };
        assert_eq!(class.0, want, "{n} {}", say());
        if want == Class::Copied {
            assert_eq!(&before[class.1.as_ref().unwrap()].0, content, "{}", say());
        }
    }
}

#[test]
fn random_edits_are_classified_as_by_the_rules() {
    let mut r = Random(1);
    let (mut seen, mut compared) = (BTreeSet::new(), 0);
    for _ in 0..6000 {
        let mut before = Tree::new();
        for _ in 0..r.below(9) {
            before.insert(name(&mut r), file(&mut r));
        }
        let mut after = before.clone();
        for _ in 0..r.below(6) {
            edit(&mut after, &mut r);
        }
        for has in [Has::Everything, Has::Times, Has::Sizes, Has::Nothing] {
            check(&before, &after, has);
            compared += 1;
        }
        seen.insert((before.len(), after.len()));
    }
    assert!(compared == 24_000 && seen.len() > 60, "{compared} {}", seen.len());
}

/// A digest that is too short, or of another function, never says that a file has moved.
#[test]
fn what_digests_cannot_tell() {
    let known = |name: &str, content: &[u8]| {
        let a = Algorithm::named(name).unwrap();
        vec![Stated::new(Some(a), a.digest(content))]
    };
    for (before, now, want) in [
        ("crc32", "crc32", [Class::Missing, Class::New]),
        ("md5", "sha1", [Class::Missing, Class::New]),
        ("xxh64", "xxh64", [Class::Moved, Class::Moved]),
    ] {
        let mut snapshot = Snapshot::new();
        let size = Some(1);
        snapshot.add(b"a", &Known { size, modified: None, stated: &known(before, b"x") }).unwrap();
        let mut comparison = Comparison::new(snapshot);
        comparison.take(b"b", &Known { size, modified: None, stated: &known(now, b"x") });
        let classes: BTreeSet<Class> = comparison.end().iter().map(|c| c.class).collect();
        assert_eq!(classes, want.into_iter().collect(), "{before} {now}");
    }
    // The same digest and another length: not the same content.
    let mut snapshot = Snapshot::new();
    snapshot.add(b"a", &Known { size: Some(1), modified: None, stated: &known("md5", b"x") }).unwrap();
    let mut comparison = Comparison::new(snapshot);
    comparison.take(b"b", &Known { size: Some(2), modified: None, stated: &known("md5", b"x") });
    assert!(comparison.end().iter().all(|c| c.class != Class::Moved));
}
