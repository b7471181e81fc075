//! Making a bag of a folder, in place.
//!
//! Everything is read before anything is changed. Then the tag files are written into a folder in the bag
//! (`PREPARED`), which gets its name only when they are complete. From then on there is only moving: the content into
//! the `data` that is in that folder, then `data` and the tag files to their places. Each step is one rename, and what
//! is where says how far it has got, so any run can go on.

use crate::base::bag::declaration::{DECLARATION, NEW, Version};
use crate::base::bag::flaw::{Flaw, FlawKind};
use crate::base::bag::names::{PAYLOAD, algorithm_in};
use crate::base::bag::tags::{OXUM, Oxum, Tag};
use crate::base::snapshot::{Known, Row, Snapshot};
use crate::read::bag::{PREPARED, name_in};
use crate::surface::bag::check::BagEvent;
use crate::surface::bag::write::{BagError, Put, Tags, add, can_list, confuses_bagit_py, lines, lock, names};
use hashmill::Algorithm;
use hashmill_files::{
    Error, Event, FileId, Input, Io, Options, Problem, Progress, Walked, ours, plain, sum, sync_folder, walk,
};
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};

/// The folder in which tag files are prepared, before they are complete.
const PREPARING: &str = ".hashmill-bag-new";

/// How a bag is made.
#[derive(Debug, Clone, Default)]
pub struct CreateBagOptions {
    /// The algorithms of its manifests, at least one.
    pub algorithms: Vec<Algorithm>,
    /// What `bag-info.txt` says besides the amount of the payload.
    pub tags: Vec<Tag>,
    /// Files that are being written, which cannot be part of a bag.
    pub outputs: Vec<FileId>,
    /// Number of hashing threads, or `None` for one per available core.
    pub threads: Option<NonZeroUsize>,
    /// How files are read.
    pub io: Io,
}

/// A bag that has been made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CreatedBag {
    /// How much its payload is, or `None` if an interrupted run had prepared everything: then only its files have been
    /// moved, and what came or went since is found out by a check.
    pub payload: Option<Oxum>,
}

/// Turns a folder into a bag: moves its content into `data`, and writes the tag files. If that was interrupted, goes on
/// with it. `put` writes files.
///
/// # Errors
/// Returns an error if something in the folder cannot be part of a bag, or cannot be read or moved; each such file has
/// been reported. Then everything is as it was, unless the error says something else.
pub fn create(
    folder: &Path,
    options: &CreateBagOptions,
    progress: &Progress,
    put: &mut Put<'_>,
    sink: &mut dyn FnMut(BagEvent<'_>) -> ControlFlow<()>,
) -> Result<CreatedBag, BagError> {
    // The folder may be above the current one, which is moved.
    let root = fs::canonicalize(folder).map_err(|e| BagError::Refused(plain(&e)))?;
    if !root.is_dir() {
        return Err(BagError::Refused("is not a folder".into()));
    }
    let manifests = names(&options.algorithms, false)?;
    let _lock = lock(&root)?;
    if root.join(PREPARED).symlink_metadata().is_ok() {
        resume(&root)?;
        return Ok(CreatedBag { payload: None });
    }
    clear(&root.join(PREPARING)).map_err(|e| BagError::io(&root.join(PREPARING), &e))?;
    if root.join(DECLARATION).is_file() && root.join(PAYLOAD).is_dir() {
        return Err(BagError::Refused(
            "is a bag already; `hashmill bag update` brings its manifests up to date".into(),
        ));
    }
    let mut flaws = 0;
    let mut tell = |flaw: Flaw| {
        flaws += u64::from(flaw.kind != FlawKind::Note);
        let _ = sink(BagEvent::Flaw(&flaw));
    };
    survey(&root, &options.outputs, &mut tell);
    if flaws > 0 {
        let what = "what has been named cannot be part of a bag; move it elsewhere. Nothing was changed";
        return Err(BagError::Refused(what.into()));
    }
    let files = hash(&root, options, progress, sink)?;
    let mut order: Vec<Row> = files.rows().collect();
    order.sort_by(|a, b| files.compare_names(*a, &files, *b));
    let amount = Oxum { bytes: order.iter().filter_map(|row| files.size(*row)).sum(), files: order.len() as u64 };
    prepare(&root, options, &manifests, &files, &order, amount, put).inspect_err(|_| {
        let _ = clear(&root.join(PREPARING));
    })?;
    finish(&root, Some(&files))?;
    Ok(CreatedBag { payload: Some(amount) })
}

/// Reports what cannot be part of a bag.
fn survey(root: &Path, outputs: &[FileId], tell: &mut dyn FnMut(Flaw)) {
    let how = Walked { outputs: outputs.to_vec(), examine: true, ours: true, ..Walked::default() };
    let mut odd = 0;
    for found in walk([Input::Path(root.into())], how) {
        let (path, error) = match &found {
            Ok(found) => (found.input().name(), None),
            Err(Problem { path, error }) => (&**path, Some(error)),
        };
        let name = name_in(root, path);
        let in_bag = [b"data/", &name[..]].concat();
        let mut flaw = |kind, what: &str| tell(Flaw::new(kind, String::from_utf8_lossy(&name), what));
        match error {
            Some(Error::Skipped(_)) if fs::metadata(path).is_ok_and(|m| m.is_dir()) => {
                flaw(FlawKind::Note, "is a link to a folder: it stays, but no manifest lists what it leads to");
            }
            Some(Error::Own(_)) => {
                flaw(FlawKind::Malformed, "is being written by this run; write it outside of the folder");
            }
            Some(Error::Skipped(what)) => flaw(FlawKind::Malformed, &format!("is a {what}")),
            Some(e) => flaw(FlawKind::Unreadable, &e.to_string()),
            None if !can_list(&in_bag) => {
                flaw(FlawKind::Malformed, "has a name that is not UTF-8, which manifests cannot have");
            }
            None if found.as_ref().is_ok_and(|found| found.facts().is_none()) && !stays(root, path) => {
                let what = "is a link that is absolute or leads out of the folder, and would lead elsewhere from data/";
                flaw(FlawKind::Outside, what);
            }
            None => odd += u64::from(confuses_bagit_py(&in_bag)),
        }
    }
    if odd > 0 {
        tell(confusing(odd));
    }
}

/// Returns what is said of names that another program takes for others.
pub(crate) fn confusing(n: u64) -> Flaw {
    let names = if n == 1 { "1 name has".into() } else { format!("{n} names have") };
    let what = format!("{names} %, a blank at the end or many line breaks: bagit.py 1.9 will not find these files");
    Flaw::new(FlawKind::Note, "", what)
}

/// Returns whether a symbolic link leads to something below `root` by relative links alone, so that it leads to the
/// same if everything is moved together.
fn stays(root: &Path, link: &Path) -> bool {
    /// As many links as Linux follows.
    const MOST: usize = 40;
    let Ok(below) = link.strip_prefix(root) else { return false };
    let mut todo: VecDeque<OsString> = below.iter().map(OsStr::to_owned).collect();
    let (mut at, mut links) = (PathBuf::new(), 0);
    while let Some(part) = todo.pop_front() {
        if part == ".." {
            if !at.pop() {
                return false;
            }
            continue;
        }
        at.push(&part);
        let Ok(target) = fs::read_link(root.join(&at)) else { continue };
        at.pop();
        links += 1;
        if links > MOST || target.is_absolute() {
            return false;
        }
        for component in target.components().rev() {
            match component {
                Component::CurDir => {}
                component => todo.push_front(component.as_os_str().to_owned()),
            }
        }
    }
    true
}

/// Reads all files. Returns what is known of them, by their names in the bag.
fn hash(
    root: &Path,
    options: &CreateBagOptions,
    progress: &Progress,
    sink: &mut dyn FnMut(BagEvent<'_>) -> ControlFlow<()>,
) -> Result<Snapshot, BagError> {
    let how = Walked { ours: true, ..Walked::default() };
    let computing = Options { threads: options.threads, io: options.io, ..Options::new(options.algorithms.clone()) };
    let linked = |problem: &Problem| problem.error.is_skipped();
    let inputs = walk([Input::Path(root.into())], how).filter(|found| !found.as_ref().is_err_and(linked));
    let (mut files, mut failed) = (Snapshot::new(), 0);
    sum(&computing, inputs, progress, |event| match event {
        Event::Outcome(outcome) => {
            let path = outcome.input.name().to_path_buf();
            let name = [b"data/", &name_in(root, &path)[..]].concat();
            match add(&mut files, &name, outcome, &options.algorithms) {
                Ok(_) => ControlFlow::Continue(()),
                Err(what) => {
                    failed += 1;
                    let name = String::from_utf8_lossy(&name[5..]).into_owned();
                    sink(BagEvent::Flaw(&Flaw::new(FlawKind::Unreadable, name, what)))
                }
            }
        }
        Event::Device { path, one_reader } => sink(BagEvent::Device { path, one_reader }),
        Event::Idle => sink(BagEvent::Idle),
    })?;
    if failed > 0 || progress.is_stopped() {
        return Err(BagError::Refused("not everything could be read; nothing was changed".into()));
    }
    Ok(files)
}

/// Writes the tag files into a folder, which gets its name when they are complete.
fn prepare(
    root: &Path,
    options: &CreateBagOptions,
    manifests: &[(Algorithm, String)],
    files: &Snapshot,
    order: &[Row],
    amount: Oxum,
    put: &mut Put<'_>,
) -> Result<(), BagError> {
    let folder = root.join(PREPARING);
    let made = fs::create_dir(&folder).and_then(|()| {
        let payload = folder.join(PAYLOAD);
        fs::create_dir(&payload)?;
        fs::set_permissions(&payload, fs::metadata(root)?.permissions())
    });
    made.map_err(|e| BagError::io(&folder, &e))?;
    let mut info = String::new();
    for (label, value) in &options.tags {
        info += &format!("{label}: {value}\n");
    }
    info += &format!("{OXUM}: {amount}\n");
    let mut put_in = |name: &str, parts: &mut dyn Iterator<Item = Vec<u8>>| {
        let path = folder.join(name);
        put(&path, parts).map_err(|e| BagError::File(path, e))
    };
    for (algorithm, name) in manifests {
        put_in(name, &mut lines(files, order, *algorithm, true))?;
    }
    put_in(Version::V1.info(), &mut std::iter::once(info.into_bytes()))?;
    put_in(DECLARATION, &mut std::iter::once(NEW.into()))?;
    let tags = Tags {
        folder: &folder,
        files: listing(&folder).map_err(|e| BagError::io(&folder, &e))?.into_iter().filter(|p| p.is_file()).collect(),
        manifests: names(&options.algorithms, true)?,
        encodes_percent: true,
        threads: options.threads,
        io: options.io,
    };
    tags.write(put)?;
    sync_folder(&folder).map_err(|e| BagError::io(&folder, &e))?;
    fs::rename(&folder, root.join(PREPARED)).map_err(|e| BagError::io(&folder, &e))?;
    sync_folder(root).map_err(|e| BagError::io(root, &e))
}

/// Returns the paths in a folder, in order.
fn listing(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// Deletes a folder in which tag files were prepared, if it exists. Anything else in it stays, and is an error.
fn clear(folder: &Path) -> io::Result<()> {
    if folder.symlink_metadata().is_err() {
        return Ok(());
    }
    for path in listing(folder)? {
        let name = path.file_name().unwrap_or_default();
        let is_tag_file = name == DECLARATION
            || name == Version::V1.info()
            || name.to_str().and_then(algorithm_in).is_some()
            || ours::is_temporary(name);
        if is_tag_file {
            fs::remove_file(&path)?;
        } else if name == PAYLOAD {
            fs::remove_dir(&path)?;
        }
    }
    fs::remove_dir(folder)
}

/// Goes on with what an interrupted run has prepared.
fn resume(root: &Path) -> Result<(), BagError> {
    let prepared = root.join(PREPARED);
    let declares = |folder: &Path| folder.join(DECLARATION).is_file();
    let moves = prepared.join(PAYLOAD).is_dir() && declares(&prepared);
    let places = root.join(PAYLOAD).is_dir() && (declares(&prepared) || declares(root));
    if !moves && !places {
        let what = "is not what an interrupted run leaves; rename or move it, and run this again";
        return Err(BagError::File(PREPARED.into(), what.into()));
    }
    finish(root, None)
}

/// Moves everything to its place. `files` is what has been read, unless another run did that.
fn finish(root: &Path, files: Option<&Snapshot>) -> Result<(), BagError> {
    let prepared = root.join(PREPARED);
    let payload = prepared.join(PAYLOAD);
    if payload.symlink_metadata().is_ok() {
        let moved = collect(root, &payload).map_err(|(path, e)| (path, plain(&e)));
        let moved = moved.and_then(|()| match files.and_then(|files| altered(&payload, files)) {
            Some(name) => {
                Err((PathBuf::from(String::from_utf8_lossy(&name).into_owned()), "changed since it was read".into()))
            }
            None => Ok(()),
        });
        if let Err((path, what)) = moved {
            let path = path.strip_prefix(root).unwrap_or(&path);
            let after = match undo(root) {
                Ok(()) => "nothing was changed".to_string(),
                Err(e) => {
                    format!("its files are in {PREPARED}/data ({}); run this again to finish the bag", plain(&e))
                }
            };
            return Err(BagError::File(path.into(), format!("{what}; {after}")));
        }
        let again = |e: io::Error| BagError::File(payload.clone(), format!("{}; run this again to finish", plain(&e)));
        sync_folder(&payload).map_err(again)?;
    }
    place(root).map_err(|(path, e)| {
        let path = path.strip_prefix(root).unwrap_or(&path).to_path_buf();
        BagError::File(path, format!("{}; run this again to finish the bag", plain(&e)))
    })
}

/// Moves the content of the folder into its payload.
fn collect(root: &Path, payload: &Path) -> Result<(), (PathBuf, io::Error)> {
    for path in listing(root).map_err(|e| (root.to_path_buf(), e))? {
        let name = path.file_name().unwrap_or_default();
        if name != PREPARED {
            move_to(&path, &payload.join(name)).map_err(|e| (path, e))?;
        }
    }
    Ok(())
}

/// Renames a file or a folder, unless something has its new name.
fn move_to(from: &Path, to: &Path) -> io::Result<()> {
    if to.symlink_metadata().is_ok() {
        return Err(io::Error::other(format!("{} is in the way", to.display())));
    }
    fs::rename(from, to)
}

/// Returns the name of a file that is not as it was when it was read, or that has come or gone since.
fn altered(payload: &Path, files: &Snapshot) -> Option<Vec<u8>> {
    let how = Walked { examine: true, ours: true, ..Walked::default() };
    let mut seen = vec![false; files.len()];
    for found in walk([Input::Path(payload.into())], how) {
        let found = match found {
            Ok(found) => found,
            Err(Problem { error, .. }) if error.is_skipped() => continue,
            Err(Problem { path, .. }) => return Some(name_in(payload, &path)),
        };
        let name = name_in(payload, found.input().name());
        let Some(row) = files.find(&[b"data/", &name[..]].concat()) else { return Some(name) };
        seen[row.index()] = true;
        let is_same = |known: Known<'_>| {
            found.facts().is_none_or(|f| known.size == Some(f.size) && known.modified == Some(f.modified))
        };
        if !is_same(Known { size: files.size(row), modified: files.modified(row), stated: &[] }) {
            return Some(name);
        }
    }
    files.rows().find(|row| !seen[row.index()]).map(|row| files.name(row)[5..].to_vec())
}

/// Moves everything back.
fn undo(root: &Path) -> io::Result<()> {
    let prepared = root.join(PREPARED);
    for path in listing(&prepared.join(PAYLOAD))? {
        move_to(&path, &root.join(path.file_name().unwrap_or_default()))?;
    }
    fs::rename(&prepared, root.join(PREPARING))?;
    clear(&root.join(PREPARING))
}

/// Moves the payload and the tag files to their places, and what makes the folder a bag last.
fn place(root: &Path) -> Result<(), (PathBuf, io::Error)> {
    let prepared = root.join(PREPARED);
    let mut paths = listing(&prepared).map_err(|e| (prepared.clone(), e))?;
    paths.sort_by_key(|path| match path.file_name().and_then(OsStr::to_str) {
        Some(PAYLOAD) => 0,
        Some(DECLARATION) => 2,
        _ => 1,
    });
    for path in paths {
        move_to(&path, &root.join(path.file_name().unwrap_or_default())).map_err(|e| (path, e))?;
    }
    sync_folder(root).map_err(|e| (root.to_path_buf(), e))?;
    // What is left of it is an empty folder, also if its deletion is undone by a power cut.
    fs::remove_dir(&prepared).map_err(|e| (prepared, e))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_that_lead_to_the_same_from_elsewhere() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("x"), "x").unwrap();
        let leads = |target: &str| {
            let link = root.join("a/b/link");
            let _ = fs::remove_file(&link);
            symlink(target, &link).unwrap();
            stays(root, &link)
        };
        assert!(leads("../../x") && leads("y") && leads("./../b/../../x") && leads("../../nowhere"));
        assert!(!leads("../../../x") && !leads("/x") && !leads(root.join("x").to_str().unwrap()) && !leads("link"));
        symlink("..", root.join("up")).unwrap();
        assert!(!leads("../../up/x"));
        symlink("a", root.join("same")).unwrap();
        assert!(leads("../../same/b/y"));
    }
}
