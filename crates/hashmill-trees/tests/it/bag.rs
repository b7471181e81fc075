//! Bags of random trees: what is made is valid, whatever is done to it is found, and an update makes it valid again.

use crate::Random;
use hashmill::Algorithm;
use hashmill_files::Progress;
use hashmill_trees::bag::{
    BagClass, BagEvent, BagSummary, CheckBagOptions, CreateBagOptions, Depth, FlawKind, UpdateBagOptions, check,
    create, parse_tags, update,
};
use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

/// What names consist of: all that manifests encode, and what looks like codes.
const PIECES: [&str; 14] = ["a", "b", "%", "25", "%25", "0A", "%0A", "\n", "\r", " ", "\u{e9}", "e\u{301}", "*", "~"];

fn name(r: &mut Random) -> String {
    let mut name: String = (0..=r.below(4)).map(|_| PIECES[r.below(PIECES.len())]).collect();
    if r.below(3) == 0 {
        name.insert_str(0, ["d/", "%25/", "d/ /"][r.below(3)]);
    }
    name
}

fn put(path: &Path, parts: &mut dyn Iterator<Item = Vec<u8>>) -> Result<(), String> {
    fs::write(path, parts.collect::<Vec<_>>().concat()).map_err(|e| e.to_string())
}

fn checked(bag: &Path, depth: Depth) -> (BagSummary, BTreeMap<String, BagClass>, Vec<FlawKind>) {
    let (mut files, mut flaws) = (BTreeMap::new(), Vec::new());
    let options = CheckBagOptions { depth, ..CheckBagOptions::default() };
    let summary = check(bag, &options, &Progress::default(), &mut |event| {
        match event {
            BagEvent::File(file) => {
                let worse = |a: BagClass, b: BagClass| if a == BagClass::Ok { b } else { a };
                let class = files.entry(String::from_utf8(file.name.to_vec()).unwrap()).or_insert(file.class);
                *class = worse(*class, file.class);
            }
            BagEvent::Flaw(flaw) => flaws.push(flaw.kind),
            BagEvent::Device { .. } | BagEvent::Idle => {}
        }
        ControlFlow::Continue(())
    });
    (summary.unwrap(), files, flaws)
}

#[test]
fn random_trees() {
    for seed in 0..60 {
        let mut r = Random(seed);
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("bag");
        fs::create_dir(&root).unwrap();
        let mut tree: BTreeMap<String, String> = BTreeMap::new();
        for n in 0..1 + r.below(8) {
            let name = name(&mut r);
            let path = root.join(&name);
            // A file may be where a folder should be.
            if path.symlink_metadata().is_err() && fs::create_dir_all(path.parent().unwrap()).is_ok() {
                fs::write(path, format!("content {n}")).unwrap();
                tree.insert(format!("data/{name}"), format!("content {n}"));
            }
        }
        let algorithms = [&["sha512"][..], &["md5", "sha1"], &["sha256", "blake2b"]][r.below(3)];
        let algorithms: Vec<Algorithm> = algorithms.iter().map(|name| Algorithm::named(name).unwrap()).collect();
        let options = CreateBagOptions { algorithms, ..CreateBagOptions::default() };
        let created = create(&root, &options, &Progress::default(), &mut put, &mut |_| ControlFlow::Continue(()));
        let payload = created.unwrap().payload.unwrap();
        assert_eq!(payload.files, tree.len() as u64, "{seed}");
        let (summary, files, flaws) = checked(&root, Depth::Whole);
        assert_eq!((summary.bits(), summary.payload, flaws.len()), (0, payload, 0), "{seed}: {files:?}");
        let is_payload = |name: &&String| name.starts_with("data/");
        assert!(files.keys().filter(is_payload).eq(tree.keys()), "{seed}: {files:?}");

        // Something is done to a file.
        let names: Vec<String> = tree.keys().cloned().collect();
        let victim = &names[r.below(names.len())];
        let path = root.join(victim);
        let want = match r.below(3) {
            0 => {
                fs::write(&path, tree[victim].replace("content", "CONTENT")).unwrap();
                BagClass::Changed
            }
            1 => {
                fs::remove_file(&path).unwrap();
                BagClass::Missing
            }
            _ => {
                fs::write(root.join("data/victim"), "").unwrap();
                BagClass::New
            }
        };
        let victim = if want == BagClass::New { "data/victim" } else { victim };
        let (summary, files, _) = checked(&root, Depth::Whole);
        assert!(summary.bits() != 0 && files[victim] == want, "{seed}: {victim:?} {files:?}");
        let others = files.iter().filter(|(name, class)| *name != victim && **class != BagClass::Ok);
        assert_eq!(others.count(), 0, "{seed}: {files:?}");
        let (summary, ..) = checked(&root, Depth::Completeness);
        assert_eq!(summary.bits() != 0, want != BagClass::Changed, "{seed}");
        let options = UpdateBagOptions::default();
        let go = |options: &UpdateBagOptions| {
            update(&root, options, &Progress::default(), &mut put, &mut |_| ControlFlow::Continue(())).unwrap()
        };
        assert_eq!(go(&options).is_written, want == BagClass::New, "{seed}");
        assert!(go(&UpdateBagOptions { accept: true, prune: true, ..options }).is_written, "{seed}");
        let (summary, files, flaws) = checked(&root, Depth::Whole);
        assert_eq!((summary.bits(), flaws.len()), (0, 0), "{seed}: {files:?}");
    }
}

/// No text makes the parser of tags fail otherwise than it may, and what it returns is found again.
#[test]
fn random_tags() {
    const PIECES: [&str; 8] = ["A", ":", " ", "\n", "\t", "b: ", "\r\n", "é"];
    let mut r = Random(1);
    for _ in 0..20_000 {
        let text: String = (0..r.below(12)).map(|_| PIECES[r.below(PIECES.len())]).collect();
        let Ok(tags) = parse_tags(&text) else { continue };
        let again: String = tags.iter().map(|(label, value)| format!("{label}: {value}\n")).collect();
        assert_eq!(parse_tags(&again), Ok(tags), "{text:?}");
    }
}
