//! What becomes of every file: whether the destination has it, and which name it gets.

use crate::beneath::not_through_links;
use crate::catalogue;
use crate::copy::{Run, State};
use crate::engine::{Asked, Failure, Plan, Source};
use crate::event::Action;
use crate::journal;
use crate::mark;
use crate::meta::{Meta, Stamp};
use crate::options::OnConflict;
use crate::reading::Known;
use hashmill::Digest;
use hashmill_files::plain;
use rustix::fs::OFlags;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The largest number of names that are tried for one file: more than any folder holds in practice.
pub(crate) const MOST_NAMES: u32 = 100_000;

/// How a name suits a file.
pub(crate) enum Check {
    Free,
    /// What is there is the same; as it was when that was found out, if it is a file of the destination.
    Same(Option<Stamp>),
    /// What is there is something else: whether this run has put it there, and what it is, if it is a file.
    Other {
        ours: bool,
        file: Option<Stamp>,
    },
    /// It depends on digests that have been asked for.
    Unknown,
}

/// What says that two files are the same: the digest of the first algorithm that tells all files apart, with the
/// length.
type Content = (u64, Vec<u8>);

/// What the destination has, by content, where duplicates are looked for.
#[derive(Default)]
pub(crate) struct Duplicates {
    /// The destination's files by their length, as long as no source has that length.
    unread: HashMap<u64, Vec<PathBuf>>,
    /// Those that are being read.
    waiting: HashMap<u64, Vec<PathBuf>>,
    /// Whatever has been read, and what this run has copied.
    found: HashMap<Content, PathBuf>,
    /// The lengths of those.
    lengths: HashSet<u64>,
    /// Lengths that several files of this batch have.
    crowded: HashSet<u64>,
    /// What is being copied in this wave.
    on_the_way: HashSet<Content>,
    /// In a rehearsal: files of earlier batches that nobody has read, by their length.
    earlier: HashMap<u64, (Source, Meta, PathBuf)>,
}

impl Duplicates {
    /// Begins a batch of files with these lengths.
    pub(crate) fn begin(&mut self, lengths: impl Iterator<Item = u64>) {
        self.crowded.clear();
        let mut seen = HashSet::new();
        for length in lengths {
            if !seen.insert(length) {
                self.crowded.insert(length);
            }
        }
    }

    pub(crate) fn begin_wave(&mut self) {
        self.on_the_way.clear();
    }

    /// What was copied earlier, in a rehearsal, has this content.
    pub(crate) fn earlier_known(&mut self, length: u64, digest: Option<&Digest>) {
        let Some((_, _, path)) = self.earlier.remove(&length) else { return };
        if let Some(digest) = digest {
            self.add(length, digest, &path);
        }
    }

    /// The destination has this content now.
    pub(crate) fn add(&mut self, length: u64, digest: &Digest, path: &Path) {
        self.lengths.insert(length);
        self.found.entry((length, digest.as_bytes().to_vec())).or_insert_with(|| path.into());
    }
}

impl Run<'_, '_, '_> {
    /// Lists the destination by length.
    pub(crate) fn list_destination(&mut self) {
        let mut open = vec![PathBuf::new()];
        while let Some(below) = open.pop() {
            let Ok(folder) = self.root.open_at(&below, OFlags::RDONLY | OFlags::DIRECTORY) else {
                continue;
            };
            let mut names: Vec<OsString> = crate::beneath::names(&folder).0;
            names.sort();
            for name in names {
                let Ok(meta) = Meta::at(&folder, Path::new(&name)) else { continue };
                if meta.is_dir() && name != journal::FOLDER {
                    open.push(below.join(&name));
                } else if meta.is_file() && !journal::is_temporary(&name) {
                    self.duplicates.unread.entry(meta.size).or_default().push(below.join(&name));
                }
            }
        }
    }

    /// Decides about the files of a group that are still open. False if that has to wait.
    pub(crate) fn resolve(&mut self, group: &Range<usize>) -> bool {
        let members: Vec<usize> = group.clone().filter(|&i| self.entries[i].state == State::Open).collect();
        let Some(&main) = members.first() else { return true };
        if self.options.layout.as_ref().is_some_and(|l| l.needs_digest())
            && self.entries[main].plan.naming.digest.is_empty()
        {
            let Some(digests) = self.source_digests(main) else { return false };
            let text = digests[0].to_string();
            members.iter().for_each(|&i| self.entries[i].plan.naming.digest.clone_from(&text));
        }
        if self.options.dedupe {
            // A sidecar may well be the same as another picture's, so it goes only with its own. All are asked about
            // before any of them has to wait.
            let found: Vec<Option<Option<PathBuf>>> = members.iter().map(|&i| self.duplicate(i)).collect();
            let Some(found) = found.into_iter().collect::<Option<Vec<Option<PathBuf>>>>() else { return false };
            if found.iter().all(Option::is_some) {
                for (&i, path) in members.iter().zip(found) {
                    let own = path.as_deref() == Some(&self.entries[i].plan.naming.path(0));
                    self.settled(i, if own { Action::Same } else { Action::Duplicate }, path, None);
                }
                return true;
            }
        }
        let policy = self.options.on_conflict;
        for n in 0..MOST_NAMES {
            let names: Vec<PathBuf> = members.iter().map(|&i| self.entries[i].plan.naming.path(n)).collect();
            let mut checks = Vec::new();
            for (&i, name) in members.iter().zip(&names) {
                checks.push(self.check(i, name));
            }
            if checks.iter().any(|c| matches!(c, Check::Unknown)) {
                self.reserved.extend(names);
                return false;
            }
            // Files of one run never take each other's places.
            let moves = |c: &Check| match (c, policy) {
                (Check::Other { .. }, OnConflict::Rename) | (Check::Other { ours: true, .. }, _) => true,
                (Check::Other { file, .. }, OnConflict::Repair) => file.is_none(),
                _ => false,
            };
            if checks.iter().any(moves) {
                continue;
            }
            // What is the same now must be the same still when it is claimed.
            let mut restless = false;
            for (name, check) in names.iter().zip(&checks) {
                if let Check::Same(stamp) = check
                    && !self.claim(name, *stamp)
                {
                    if self.look_again(name) {
                        self.reserved.extend(names);
                        return false;
                    }
                    restless = true;
                }
            }
            // What does not stay the same for a moment is not the same.
            if restless {
                continue;
            }
            for ((&i, name), check) in members.iter().zip(names).zip(checks) {
                match check {
                    Check::Same(_) => self.same(i, name),
                    Check::Other { .. } if policy != OnConflict::Repair => {
                        let action = if policy == OnConflict::Skip { Action::Conflict } else { Action::Failed };
                        let cause = Failure::Conflict(self.root.shown(&name)).to_string();
                        if action == Action::Failed {
                            self.summary.conflicts += 1;
                        }
                        self.settled(i, action, Some(name), Some(cause));
                    }
                    Check::Free | Check::Other { .. } | Check::Unknown => {
                        let replace = if let Check::Other { file, .. } = check { file } else { None };
                        self.go(i, n, name, replace);
                    }
                }
            }
            return true;
        }
        for i in members {
            self.summary.conflicts += 1;
            self.settled(i, Action::Failed, None, Some(format!("{MOST_NAMES} names are taken")));
        }
        true
    }

    /// Sets a copy going, or says that it would be made.
    fn go(&mut self, i: usize, n: u32, name: PathBuf, replace: Option<Stamp>) {
        let m = &mut self.entries[i];
        m.plan.number = n;
        m.plan.replace = replace;
        self.claims.insert(name.clone(), i);
        if self.options.dedupe {
            self.note_on_the_way(i, &name);
        }
        if !self.options.dry_run {
            self.entries[i].state = State::Copying;
            return self.send(i, 1);
        }
        match self.root.look(&name) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                self.summary.unwritable += 1;
                let cause = format!("{}: {}", self.root.shown(&name).display(), plain(&not_through_links(e)));
                self.settled(i, Action::Failed, None, Some(cause));
            }
            _ => self.settled(i, Action::Copied, Some(name), None),
        }
    }

    fn note_on_the_way(&mut self, i: usize, name: &Path) {
        let m = &self.entries[i];
        let size = m.plan.size;
        if size == 0 {
            return;
        }
        let digest = m.digests.as_ref().map(|d| d[self.telling].clone());
        match (digest, self.options.dry_run) {
            (Some(d), true) => self.duplicates.add(size, &d, name),
            (Some(d), false) => {
                self.duplicates.on_the_way.insert((size, d.as_bytes().to_vec()));
            }
            (None, true) => {
                self.duplicates.lengths.insert(size);
                let file = (m.plan.source.clone(), m.plan.meta, name.to_path_buf());
                self.duplicates.earlier.insert(size, file);
            }
            (None, false) => {}
        }
    }

    /// Takes a file of the destination for one that this run would have put there, so that no other file of the run
    /// replaces it. False if it is not any more what it was.
    fn claim(&mut self, name: &Path, stamp: Option<Stamp>) -> bool {
        let shared = &self.engine.shared;
        let mut made = shared.made();
        match self.root.look(name) {
            Ok(meta) if stamp.is_none_or(|s| meta.stamp().is(&s, made.fickle)) => {
                made.add(meta.identity(), name);
                true
            }
            // In a rehearsal it may be only planned.
            _ => stamp.is_none(),
        }
    }

    /// Whether a source can be recognized in another run.
    pub(crate) fn is_steady(&self, plan: &Plan) -> bool {
        let look = || plan.source.open(OFlags::empty()).is_ok_and(mark::is_steady);
        *self.steady.borrow_mut().entry(plan.meta.device).or_insert_with(look)
    }

    /// Whether a file of the destination can be recognized in another run. Says so, once, where it cannot.
    fn is_steady_there(&mut self, path: &Path, meta: &Meta) -> bool {
        if let Some(&steady) = self.steady.borrow().get(&meta.device) {
            return steady;
        }
        let folder = self.root.folder(crate::engine::above(path));
        let steady = folder.is_ok_and(mark::is_steady);
        self.steady.borrow_mut().insert(meta.device, steady);
        if !steady {
            self.say_distrust();
        }
        steady
    }

    fn say_distrust(&mut self) {
        let root = self.options.destination.clone();
        self.warn(&root, "its file system's times cannot be trusted, so every file is read, as with --fresh".into());
    }

    /// Whether what is known from other runs counts.
    fn believes(&self) -> bool {
        // What will be deleted is read again: the source, and the copy from the medium.
        self.catalogue.is_some() && !self.options.fresh && !self.options.remove
    }

    /// The digests of a source, if they are known; else they have been asked for.
    pub(crate) fn source_digests(&mut self, i: usize) -> Option<Vec<Digest>> {
        let m = &self.entries[i];
        if let Some(d) = &m.digests {
            return Some(d.clone());
        }
        if m.state == State::Copying {
            return None;
        }
        let stamp = m.plan.meta.stamp();
        if self.believes()
            && self.is_steady(&m.plan)
            && let Some(c) = &self.catalogue
            && let Some(d) = c.source(&catalogue::remembered(&m.plan.source.path), &stamp)
        {
            self.entries[i].digests = Some(d.clone());
            return Some(d);
        }
        let what = Asked::Source(m.plan.id);
        if self.asked.insert(what.clone()) {
            self.progress.more(m.plan.size);
            self.engine.read_source(what, &m.plan.source, &m.plan.meta);
        }
        None
    }

    /// The digests of a file of the destination, if they are known; else they have been asked for. An error if it
    /// cannot be read.
    fn file_digests(&mut self, path: &Path, meta: &Meta) -> Option<Result<Known, String>> {
        if let Some(known) = self.known.get(path) {
            return Some(known.clone());
        }
        if std::mem::take(&mut self.distrusts) {
            self.say_distrust();
        }
        if self.believes()
            && self.is_steady_there(path, meta)
            && let Some(c) = &self.catalogue
            && let Some(digests) = c.file(path, &meta.stamp())
        {
            return Some(Ok(Known { digests, stamp: meta.stamp() }));
        }
        if self.asked.insert(Asked::File(path.into())) {
            self.progress.more(meta.size);
            self.engine.read_file(path, meta.size, self.options.remove);
        }
        None
    }

    fn is_unchanged(&self, read: &Stamp, now: &Meta) -> bool {
        let fickle = self.engine.shared.made().fickle;
        now.stamp().is(read, fickle)
    }

    /// Has a file read again that changed when it was read. False if that has happened before.
    fn look_again(&mut self, name: &Path) -> bool {
        self.known.remove(name);
        self.restless.insert(name.into())
    }

    /// How a name suits a file.
    fn check(&mut self, i: usize, name: &Path) -> Check {
        let size = self.entries[i].plan.size;
        let ours_there = Check::Other { ours: true, file: None };
        if let Some(&other) = self.claims.get(name) {
            if other == i {
                return Check::Free;
            }
            if self.entries[other].plan.size != size {
                return ours_there;
            }
            let (a, b) = (self.source_digests(i), self.source_digests(other));
            return match (a, b) {
                // Until its copy is durable it may still fail.
                (Some(a), Some(b)) if a == b && self.entries[other].state == State::Copying => Check::Unknown,
                (Some(a), Some(b)) if a == b => Check::Same(None),
                (Some(_), Some(_)) => ours_there,
                _ => Check::Unknown,
            };
        }
        // The list that is being made.
        if self.list_below.as_deref() == Some(name) {
            return ours_there;
        }
        // One that comes before this may want it, or have it.
        if self.reserved.contains(name) {
            return Check::Unknown;
        }
        // What cannot be looked at will say why when it is written.
        let Ok(meta) = self.root.look(name) else { return Check::Free };
        let ours = self.engine.shared.made().has(meta.identity(), name);
        let other = Check::Other { ours, file: meta.is_file().then(|| meta.stamp()) };
        if meta.identity() == self.entries[i].plan.meta.identity() {
            return Check::Same(None);
        }
        if !meta.is_file() || meta.size != size {
            return other;
        }
        let (there, here) = (self.file_digests(name, &meta), self.source_digests(i));
        match (there, here) {
            // It has changed between the look and the reading: another look.
            (Some(Ok(a)), _) if !self.is_unchanged(&a.stamp, &meta) => {
                if self.look_again(name) {
                    let _ = self.file_digests(name, &meta);
                    return Check::Unknown;
                }
                other
            }
            (Some(Ok(a)), Some(b)) if a.digests == b => Check::Same(Some(a.stamp)),
            // What cannot be read is not what we want there.
            (Some(_), Some(_)) | (Some(Err(_)), None) => other,
            _ => Check::Unknown,
        }
    }

    /// Whether the destination has a file's content already: where. None if that depends on digests that have been
    /// asked for.
    fn duplicate(&mut self, i: usize) -> Option<Option<PathBuf>> {
        let (size, identity) = (self.entries[i].plan.size, self.entries[i].plan.meta.identity());
        if size == 0 {
            return Some(None);
        }
        let mut waiting = self.duplicates.waiting.remove(&size).unwrap_or_default();
        waiting.extend(self.duplicates.unread.remove(&size).unwrap_or_default());
        waiting.retain(|path| {
            let Ok(meta) = self.root.look(path) else { return false };
            if !meta.is_file() || meta.size != size {
                return false;
            }
            match self.file_digests(path, &meta) {
                Some(Ok(known)) => {
                    if self.is_unchanged(&known.stamp, &meta) {
                        self.verify(known.stamp);
                        self.duplicates.add(size, &known.digests[self.telling], path);
                    }
                    false
                }
                Some(Err(_)) => false,
                None => true,
            }
        });
        let unread = !waiting.is_empty();
        if unread {
            self.duplicates.waiting.insert(size, waiting);
        }
        if let Some((source, meta, _)) = self.duplicates.earlier.get(&size)
            && self.asked.insert(Asked::Earlier(size))
        {
            self.engine.read_source(Asked::Earlier(size), source, meta);
        }
        let d = &self.duplicates;
        if !(unread || d.crowded.contains(&size) || d.lengths.contains(&size)) {
            return Some(None);
        }
        let here = self.source_digests(i)?;
        if unread || self.duplicates.earlier.contains_key(&size) {
            return None;
        }
        let content = (size, here[self.telling].as_bytes().to_vec());
        if self.duplicates.on_the_way.contains(&content) {
            return None;
        }
        let Some(path) = self.duplicates.found.get(&content).cloned() else { return Some(None) };
        // It may have gone since, or be the source itself.
        let there = self.root.look(&path).is_ok_and(|m| m.is_file() && m.size == size && m.identity() != identity);
        let planned = self.options.dry_run && self.root.look(&path).is_err();
        if there || planned {
            return Some(Some(path));
        }
        Some(None)
    }

    /// The destination has it already.
    fn same(&mut self, i: usize, name: PathBuf) {
        self.remember(i, &name);
        if let Some(Ok(known)) = self.known.get(&name) {
            let stamp = known.stamp;
            self.verify(stamp);
        }
        self.claims.insert(name.clone(), i);
        self.settled(i, Action::Same, Some(name), None);
    }

    /// Remembers that a file of the destination was read back in this run, where sources are deleted.
    pub(crate) fn verify(&mut self, stamp: Stamp) {
        if self.options.remove {
            self.verified.insert(stamp.identity(), stamp);
        }
    }
}
