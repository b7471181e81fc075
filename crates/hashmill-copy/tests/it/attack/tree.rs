//! The files that are copied under attack, and checks of what must hold afterwards.

use super::report::Outcome;
use super::trace::{Traced, plain, status};
use hashmill::Algorithm;
use hashmill_testing::{noise, run};
use rustix::fs::{AtFlags, Timespec, Timestamps, XattrFlags, lgetxattr, lsetxattr, utimensat};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Contents of files by name; that of a symbolic link is an arrow and its target.
pub(crate) type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Returns the files in the source folder.
pub(crate) fn originals() -> &'static Files {
    static FILES: OnceLock<Files> = OnceLock::new();
    FILES.get_or_init(|| {
        let mut sparse = vec![0; 200_000];
        sparse[100_000..104_096].copy_from_slice(&noise(4096, 5));
        let files = [
            ("empty", vec![]),
            ("one", b"1".to_vec()),
            ("a/page", noise(4096, 1)),
            ("a/odd", noise(5001, 2)),
            ("a/b/mid", noise(70_000, 3)),
            ("big", noise(300_000, 4)),
            ("a/b/c/sparse", sparse),
            ("twin", noise(9000, 6)),
            ("a/twin", noise(9000, 6)),
            ("private", noise(777, 7)),
            ("link", "→big".into()),
        ];
        files.into_iter().map(|(name, content)| (PathBuf::from(name), content)).collect()
    })
}

/// Lays out the source folder `src`.
pub(crate) fn sources(src: &Path) {
    fs::create_dir_all(src.join("a/b/c")).unwrap();
    for (name, content) in originals() {
        let at = src.join(name);
        if name == Path::new("link") {
            symlink("big", &at).unwrap();
            continue;
        }
        if name.ends_with("sparse") {
            let f = File::create(&at).unwrap();
            f.set_len(content.len() as u64).unwrap();
            f.write_all_at(&content[98_304..106_496], 98_304).unwrap();
        } else {
            fs::write(&at, content).unwrap();
        }
        if name == Path::new("private") {
            lsetxattr(&at, "user.comment", b"kept", XattrFlags::empty()).unwrap();
            fs::set_permissions(&at, Permissions::from_mode(0o600)).unwrap();
        }
        let time = Timespec { tv_sec: 1_700_000_000 + content.len() as i64, tv_nsec: 123_456_789 };
        let times = Timestamps { last_access: time, last_modification: time };
        utimensat(rustix::fs::CWD, &at, &times, AtFlags::empty()).unwrap();
    }
    fs::set_permissions(src.join("a"), Permissions::from_mode(0o750)).unwrap();
}

/// A command, and what is in the destination before it runs.
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) args: &'static [&'static str],
    /// What is in the destination before the run: contents by name.
    pub(crate) before: fn() -> Files,
}

fn nothing() -> Files {
    Files::new()
}

fn others() -> Files {
    [("big", b"an older file".to_vec()), ("a/odd", noise(5001, 77)), ("mine", b"nobody else's".to_vec())]
        .into_iter()
        .map(|(name, content)| (name.into(), content))
        .collect()
}

fn most() -> Files {
    originals().iter().filter(|(name, _)| !name.ends_with("odd")).map(|(n, c)| (n.clone(), c.clone())).collect()
}

/// The commands that are attacked.
pub(crate) const SCENES: [Scene; 10] = [
    Scene { name: "copy", args: &["src", "dst"], before: others },
    Scene { name: "--move", args: &["--move", "src", "dst"], before: nothing },
    Scene { name: "--dedupe", args: &["--dedupe", "src", "dst"], before: nothing },
    Scene { name: "repair", args: &["--on-conflict", "repair", "src", "dst"], before: others },
    Scene { name: "--manifest", args: &["-a", "sha256", "--manifest", "L", "src", "dst"], before: others },
    Scene { name: "--verify source", args: &["--verify", "source", "src", "dst"], before: nothing },
    Scene {
        name: "--move --manifest",
        args: &["--move", "-a", "sha256", "--manifest", "L", "src", "dst"],
        before: nothing,
    },
    Scene { name: "--move onto the same", args: &["--move", "src", "dst"], before: most },
    Scene { name: "--move --dedupe", args: &["--move", "--dedupe", "src", "dst"], before: others },
    Scene { name: "--also", args: &["--also", "also", "src", "dst"], before: others },
];

impl Scene {
    /// Lays out `src` and `dst` in a folder.
    pub(crate) fn set(&self, dir: &Path) {
        sources(&dir.join("src"));
        self.set_destination(&dir.join("dst"));
    }

    /// Lays out the destination.
    pub(crate) fn set_destination(&self, dst: &Path) {
        for (name, content) in (self.before)() {
            let at = dst.join(name);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            match content.strip_prefix("→".as_bytes()) {
                Some(target) => symlink(Path::new(std::str::from_utf8(target).unwrap()), &at).unwrap(),
                None => fs::write(&at, content).unwrap(),
            }
        }
    }

    /// Returns the second destination with what is checked of it.
    fn also(&self, dst: &Path) -> Option<(Scene, PathBuf)> {
        self.has("--also").then(|| (Scene { name: self.name, args: &[], before: nothing }, dst.with_file_name("also")))
    }

    fn has(&self, arg: &str) -> bool {
        self.args.contains(&arg)
    }

    /// Checks, after any run, however it ended, that nothing is lost and nothing is wrong.
    pub(crate) fn sound(&self, src: &Path, dst: &Path, outcome: &mut Outcome) {
        if let Some((scene, also)) = self.also(dst) {
            scene.sound(src, &also, outcome);
        }
        let (from, to, before) = (read(src), read(dst), (self.before)());
        for (name, content) in originals() {
            match from.get(name) {
                Some(now) if now == content => {}
                Some(_) => outcome.lost(format!("source {} changed", name.display())),
                None if !self.has("--move") => outcome.lost(format!("source {} is gone", name.display())),
                None if !to.values().any(|c| c == content) => outcome.lost(format!("{}", name.display())),
                None => {}
            }
        }
        for (name, content) in &before {
            match to.get(name) {
                Some(now) if now == content => {}
                Some(now) if self.has("repair") && originals().get(name) == Some(now) => {}
                _ => outcome.lost(format!("{} was there before", name.display())),
            }
        }
        for (name, content) in &to {
            let may = |files: &Files| files.get(name) == Some(content) || files.get(&unnumbered(name)) == Some(content);
            if !may(&before) && !may(originals()) {
                outcome.wrong(format!("{} has {} other bytes", name.display(), content.len()));
            }
        }
    }

    /// Checks, after a run that reported success, that everything is done.
    pub(crate) fn complete(&self, src: &Path, dst: &Path, list: &Path, outcome: &mut Outcome) {
        if let Some((scene, also)) = self.also(dst) {
            scene.complete(src, &also, list, outcome);
        }
        let (from, to) = (read(src), read(dst));
        for (name, content) in originals() {
            let there =
                to.iter().any(|(n, c)| c == content && (n == name || unnumbered(n) == *name || self.has("--dedupe")));
            if !there {
                outcome.wrong(format!("done, but {} is not there", name.display()));
            }
            // Links are copied, but not deleted.
            if self.has("--move") && from.contains_key(name) && name != Path::new("link") {
                outcome.wrong(format!("done, but {} was not moved", name.display()));
            }
        }
        self.kept(dst, &to, outcome);
        if self.has("--manifest") {
            let text = fs::read_to_string(list).unwrap_or_default();
            let listed: Vec<&str> = text.lines().filter_map(|l| l.split_once("  ").map(|(_, name)| name)).collect();
            for (name, content) in &to {
                let ours = originals().get(name).or_else(|| originals().get(&unnumbered(name))) == Some(content);
                if ours && !content.starts_with("→".as_bytes()) && !listed.contains(&name.to_str().unwrap()) {
                    outcome.wrong(format!("done, but {} is not in the list", name.display()));
                }
            }
            if !run(dst, "sha256sum", &[Path::new("--strict"), Path::new("-c"), list], b"").status.success() {
                outcome.wrong("the list does not check");
            }
        }
    }

    /// Checks the list that copies keep: it has every file that came from the sources, and each as it is. A file that
    /// was there before need not be in it: a run that could not read it has made another copy.
    fn kept(&self, dst: &Path, to: &Files, outcome: &mut Outcome) {
        let text = fs::read_to_string(dst.join(".hashmill/list.json")).unwrap_or_default();
        let mut listed = BTreeSet::new();
        for line in text.lines() {
            let Ok(line) = serde_json::from_str::<serde_json::Value>(line) else {
                outcome.wrong(format!("done, but the list has a line that is none: {line}"));
                continue;
            };
            let name = line["path"].as_str().unwrap_or_default();
            listed.insert(PathBuf::from(name));
            let (Some(content), Ok(meta)) = (to.get(Path::new(name)), fs::symlink_metadata(dst.join(name))) else {
                outcome.wrong(format!("done, but the list names {name}"));
                continue;
            };
            let time = line["mtime"].as_str().and_then(hashmill_lists::parse_time);
            let digests = line["digests"].as_object().cloned().unwrap_or_default();
            let right = |(name, digest): (&String, &serde_json::Value)| {
                Algorithm::named(name).is_some_and(|a| Some(&*a.digest(content).to_string()) == digest.as_str())
            };
            if digests.is_empty()
                || !digests.iter().all(right)
                || line["size"].as_u64() != Some(meta.len())
                || time != Some((meta.mtime(), meta.mtime_nsec() as u32))
            {
                outcome.wrong(format!("done, but {name} is not as listed: {line}"));
            }
        }
        let before = (self.before)();
        for (name, content) in to.iter().filter(|(name, _)| !before.contains_key(*name)) {
            let ours = originals().get(name).or_else(|| originals().get(&unnumbered(name))) == Some(content);
            if ours && !content.starts_with("→".as_bytes()) && !listed.contains(name) {
                outcome.wrong(format!("done, but {} is not in the list that copies keep", name.display()));
            }
        }
    }

    /// Judges a run with faults, then runs the same command without faults and judges that.
    pub(crate) fn judge(&self, dir: &Path, args: &[&str], traced: &Traced) -> Outcome {
        let mut outcome = Outcome::default();
        self.ended(traced, &mut outcome);
        let (src, dst, list) = (dir.join("src"), dir.join("dst"), dir.join("L"));
        self.sound(&src, &dst, &mut outcome);
        if traced.status == 0 {
            self.complete(&src, &dst, &list, &mut outcome);
        }
        self.again(dir, args, &mut outcome);
        // Attributes that could not be set or read need not be there if that was reported or the file system has none.
        if [0, 137].contains(&traced.status) && traced.stderr.is_empty() && !traced.bare {
            self.attributes(&dst, &mut outcome);
        }
        outcome
    }

    /// Records a run that hung or panicked.
    pub(crate) fn ended(&self, traced: &Traced, outcome: &mut Outcome) {
        let last = traced.stderr.lines().next().unwrap_or_default();
        if traced.status == 124 {
            outcome.hung(format!("after two minutes: {last}"));
        } else if traced.stderr.contains("panicked at") || [134, 139].contains(&traced.status) {
            let place = traced.stderr.lines().find(|l| l.contains("panicked at")).unwrap_or(last);
            outcome.hung(format!("status {}: {place}", traced.status));
        }
    }

    /// Runs the same command without faults, which must finish what was begun and leave nothing temporary.
    pub(crate) fn again(&self, dir: &Path, args: &[&str], outcome: &mut Outcome) {
        let (src, dst, list) = (dir.join("src"), dir.join("dst"), dir.join("L"));
        let o = plain(dir, args);
        let said = String::from_utf8_lossy(&o.stderr);
        match status(&o) {
            0 => {}
            124 => outcome.hung(format!("when run again: {said}")),
            n => outcome.wrong(format!("when run again: status {n}: {said}")),
        }
        let mut again = Outcome::default();
        self.sound(&src, &dst, &mut again);
        self.complete(&src, &dst, &list, &mut again);
        outcome.lost |= again.lost;
        outcome.wrong |= again.wrong;
        outcome.said.extend(again.said.into_iter().map(|s| format!("run again: {s}")));
        for name in temporaries(dir) {
            outcome.left(name);
        }
    }

    /// Checks that copied files have the times, modes and attributes of their sources.
    fn attributes(&self, dst: &Path, outcome: &mut Outcome) {
        let before = (self.before)();
        for (name, content) in originals() {
            let Ok(meta) = fs::symlink_metadata(dst.join(name)) else { continue };
            if before.contains_key(name) || self.has("--dedupe") || meta.is_symlink() {
                continue;
            }
            let mode = if name == Path::new("private") { 0o600 } else { 0o644 };
            let time = (1_700_000_000 + content.len() as i64, 123_456_789);
            if (meta.mtime(), meta.mtime_nsec()) != time || (meta.mode() & 0o777 == 0o600) != (mode == 0o600) {
                outcome.wrong(format!("{}: mode {:o}, time {}", name.display(), meta.mode(), meta.mtime()));
            }
            let mut value = [0u8; 16];
            let kept = lgetxattr(dst.join(name), "user.comment", &mut value[..]).unwrap_or(0);
            if name == Path::new("private") && &value[..kept] != b"kept" {
                outcome.wrong(format!("{}: attribute is gone", name.display()));
            }
        }
    }
}

/// Returns a name without the number of a conflict: `a/one.txt` for `a/one-1.txt`.
fn unnumbered(name: &Path) -> PathBuf {
    let file = name.file_name().unwrap().to_str().unwrap_or_default();
    let (stem, ext) = file.rsplit_once('.').map_or((file, None), |(s, e)| (s, Some(e)));
    match stem.rsplit_once('-') {
        Some((stem, n)) if n.parse::<u32>().is_ok() => {
            name.with_file_name(ext.map_or(stem.to_string(), |e| format!("{stem}.{e}")))
        }
        _ => name.into(),
    }
}

fn temporary(name: &str) -> bool {
    name.starts_with(".hashmill-") || name.starts_with("journal-") || name.ends_with(".part")
}

/// Reads the files and links below a folder, except `.hashmill` and temporary files. Returns none if there is no such
/// folder.
pub(crate) fn read(folder: &Path) -> Files {
    let mut files = Files::new();
    walk(folder, Path::new(""), &mut |at, below, name| {
        if !temporary(name) && !below.starts_with(".hashmill") {
            let meta = fs::symlink_metadata(at).unwrap();
            if meta.is_symlink() {
                let target = fs::read_link(at).unwrap();
                files.insert(below.into(), format!("→{}", target.display()).into());
            } else if meta.is_file() {
                files.insert(below.into(), fs::read(at).unwrap_or_else(|e| e.to_string().into()));
            }
        }
    });
    files
}

/// Returns the names of temporary files and journals anywhere below a folder.
pub(crate) fn temporaries(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    walk(folder, Path::new(""), &mut |_, below, name| {
        if temporary(name) {
            names.push(below.display().to_string());
        }
    });
    names
}

fn walk(at: &Path, below: &Path, see: &mut impl FnMut(&Path, &Path, &str)) {
    let Ok(entries) = fs::read_dir(at) else { return };
    for entry in entries {
        let entry = entry.unwrap();
        let name = entry.file_name();
        let below = below.join(&name);
        see(&entry.path(), &below, &name.to_string_lossy());
        if entry.file_type().unwrap().is_dir() {
            walk(&entry.path(), &below, see);
        }
    }
}
