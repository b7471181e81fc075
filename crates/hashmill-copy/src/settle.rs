//! When a copy is durable, and what follows: the record, and the deletion of sources.

use crate::catalogue::{self, Entry};
use crate::copy::{ANEW, Run, State, catalogue_path};
use crate::engine::{Copied, above};
use crate::event::{Action, Event, FileEvent};
use crate::mark::{self, Relation};
use crate::meta::{Meta, Stamp};
use crate::place::{self, Lost};
use hashmill::Hasher;
use hashmill_files::plain;
use rustix::fs::OFlags;
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::Duration;

/// Clocks of file systems tick at least so often.
const TICK: Duration = Duration::from_millis(25);

/// A file whose source is to be deleted once everything about it is durable.
pub(crate) struct Leaving {
    member: usize,
    action: Action,
    /// Where it is in the destination.
    path: PathBuf,
}

impl Run<'_, '_, '_> {
    /// Notes for the catalogue what has been read of a file that was there already.
    pub(crate) fn remember(&mut self, i: usize, name: &Path) {
        if self.options.dry_run || self.catalogue.is_none() {
            return;
        }
        // As it was when it was read: one that was written to meanwhile has another stamp now.
        if let Some(Ok(known)) = self.known.get(name) {
            let (path, stamp, digests) = (name.to_path_buf(), known.stamp, known.digests.clone());
            self.learned.push(Entry::File { path, stamp, digests });
        }
        let m = &self.entries[i];
        if let (true, Some(digests), Some(stamp)) = (m.read, &m.digests, m.stamp)
            && self.is_steady(&m.plan)
        {
            let path = catalogue::remembered(&m.plan.source.path);
            self.learned.push(Entry::Source { path, stamp, digests: digests.clone() });
        }
    }

    /// Writes to the catalogue. Where that fails it is not asked any more.
    pub(crate) fn put(&mut self, entries: &[Entry]) {
        let Some(catalogue) = self.catalogue.as_mut().filter(|_| !entries.is_empty()) else { return };
        let path = catalogue_path(&self.root);
        match catalogue.put(entries) {
            Ok(false) => {}
            Ok(true) => self.warn(&path, ANEW.into()),
            Err(e) => {
                self.summary.record_failed = true;
                self.catalogue = None;
                self.warn(&path, format!("cannot be written: {e}"));
            }
        }
    }

    /// Begins the catalogue anew if a look-up met damage.
    pub(crate) fn mend_catalogue(&mut self) {
        let Some(catalogue) = &mut self.catalogue else { return };
        let path = catalogue_path(&self.root);
        match catalogue.mend() {
            Ok(false) => {}
            Ok(true) => self.warn(&path, ANEW.into()),
            Err(e) => {
                self.summary.record_failed = true;
                self.catalogue = None;
                self.warn(&path, format!("is damaged and cannot be begun anew: {e}"));
            }
        }
    }

    /// Keeps the lines of the list that there are, where a run that is killed does not lose them. Whether that went
    /// well.
    pub(crate) fn keep_list(&mut self, durable: bool) -> bool {
        let failed = match self.list.as_mut().map(|list| list.keep(durable)) {
            None | Some(Ok(())) => return true,
            Some(Err(e)) => e,
        };
        self.list_failed(&format!("its lines cannot be kept in the destination's .hashmill: {}", plain(&failed)));
        false
    }

    fn list_failed(&mut self, cause: &str) {
        self.summary.record_failed = true;
        let path = self.options.manifest.clone().unwrap_or_default();
        self.warn(&path, cause.into());
    }

    /// Says what became of a file; later, if its source is to be deleted first.
    pub(crate) fn settled(&mut self, i: usize, action: Action, path: Option<PathBuf>, cause: Option<String>) {
        self.progress.done();
        self.entries[i].state = State::Settled;
        let there = matches!(action, Action::Copied | Action::Same | Action::Duplicate);
        if self.options.remove
            && !self.options.dry_run
            && !self.entries[i].keep
            && there
            && let Some(path) = path
        {
            self.leaving.push(Leaving { member: i, action, path });
            return;
        }
        let planned = self.options.remove && self.options.dry_run && !self.entries[i].keep && there;
        self.with_event(i, action, path, |run, mut event| {
            event.cause = cause;
            event.removed = planned;
            run.take_down(&event);
            run.tell(event);
        });
    }

    /// Makes the event for a file.
    fn with_event(
        &mut self,
        i: usize,
        action: Action,
        path: Option<PathBuf>,
        then: impl FnOnce(&mut Self, FileEvent<'_>),
    ) {
        let m = &self.entries[i];
        let source = m.plan.source.path.clone();
        let taken = m.plan.naming.taken.clone();
        let copied = action == Action::Copied;
        let digests = m.digests.clone().unwrap_or_default();
        let mut event = FileEvent::new(action, &source);
        event.destination = path.as_ref().map(|p| self.root.shown(p));
        event.below = path;
        event.bytes = m.plan.size;
        event.taken = taken.as_deref();
        event.replaced = copied && m.plan.replace.is_some();
        event.renamed = copied && m.plan.number > 0;
        let algorithms = &self.engine.shared.algorithms;
        event.digests = algorithms.iter().copied().zip(digests).take(self.options.algorithms.len()).collect();
        then(self, event);
    }

    /// Adds a file to the list.
    fn take_down(&mut self, event: &FileEvent<'_>) {
        if let Some(Err(e)) = self.list.as_mut().map(|list| list.add(event)) {
            // Once is enough: a pipe that nobody reads stays so.
            self.list = None;
            self.list_failed(&format!("cannot be written: {}", plain(&e)));
        }
    }

    /// Notes what a copy could not take over.
    pub(crate) fn note_lost(&mut self, target: &Path, lost: Lost) {
        for kind in lost {
            self.lost.entry(kind).or_insert_with(|| (0, target.into())).0 += 1;
        }
    }

    /// Says what copies could not take over, once for each kind.
    pub(crate) fn tell_lost(&mut self) {
        for (kind, (count, first)) in std::mem::take(&mut self.lost) {
            let more = match count {
                1 => String::new(),
                n => format!(" (and those of {} more)", n - 1),
            };
            self.warn(&first, format!("{kind} could not be kept{more}"));
        }
    }

    /// Makes new names in these folders durable. Those for which that failed.
    pub(crate) fn sync_folders(&mut self, mut folders: HashSet<PathBuf>) -> HashSet<PathBuf> {
        let fresh = &self.engine.shared.fresh_folders;
        folders.extend(fresh.lock().unwrap_or_else(PoisonError::into_inner).drain());
        let mut failed = HashSet::new();
        for folder in folders {
            if let Err(e) = self.root.folder(&folder).and_then(place::sync_folder) {
                self.summary.unwritable += 1;
                let shown = self.root.shown(&folder);
                self.warn(&shown, format!("may not survive a power failure: {}", plain(&e)));
                failed.insert(folder);
            }
        }
        failed
    }

    /// Makes names durable, and only then says that files are copied, records them and deletes their sources.
    pub(crate) fn settle(&mut self) {
        let placed = std::mem::take(&mut self.placed);
        if !placed.is_empty() {
            self.settle_copies(placed);
        }
        let leaving = std::mem::take(&mut self.leaving);
        if !leaving.is_empty() {
            self.leave(leaving);
        }
    }

    fn settle_copies(&mut self, placed: Vec<(usize, Box<Copied>)>) {
        let folders = placed.iter().map(|(_, c)| above(&c.path).to_path_buf()).collect();
        let failed = self.sync_folders(folders);
        if self.catalogue.is_some() {
            // Digests are kept only of files that are older than a tick of the clock, so that whatever changes them
            // later shows.
            std::thread::sleep(TICK);
            let mut entries = Vec::new();
            for (i, c) in &placed {
                let now = self.root.look(&c.path).ok().map(|m| m.stamp());
                if let (Some(stamp), true) = (c.copy, now == c.copy) {
                    entries.push(Entry::File { path: c.path.clone(), stamp, digests: c.digests.clone() });
                }
                let plan = &self.entries[*i].plan;
                if !self.options.remove && self.is_steady(plan) {
                    let path = catalogue::remembered(&plan.source.path);
                    entries.push(Entry::Source { path, stamp: c.source, digests: c.digests.clone() });
                }
            }
            self.put(&entries);
        }
        for (i, c) in placed {
            if let Some(stamp) = c.copy {
                self.verify(stamp);
            }
            if self.options.dedupe {
                let size = self.entries[i].plan.size;
                self.duplicates.add(size, &c.digests[self.telling], &c.path);
            }
            let target = self.root.shown(&c.path);
            self.note_lost(&target, c.lost);
            let plan = &mut self.entries[i].plan;
            if !c.replaced {
                plan.replace = None;
            }
            let planned = plan.naming.path(plan.number);
            if planned != c.path {
                plan.number = u32::MAX;
                self.claims.remove(&planned);
                self.claims.insert(c.path.clone(), i);
            }
            // What somebody else put there a moment ago has not been read from the medium; and a name may be lost yet.
            self.entries[i].keep = c.already || !failed.is_empty();
            let action = if c.already { Action::Same } else { Action::Copied };
            self.settled(i, action, Some(c.path), None);
            if c.already && self.options.remove {
                self.summary.unwritable += 1;
                let source = self.entries[i].plan.source.path.clone();
                let cause = "not deleted: the same file was put there meanwhile; run this again to delete it".into();
                self.warn(&source, cause);
            }
        }
    }

    /// Deletes sources, after everything that stays is durable: the copies were made so when they were written or read
    /// back; here their folders, those above, and the lines of the list.
    fn leave(&mut self, leaving: Vec<Leaving>) {
        let mut folders: HashSet<PathBuf> = HashSet::new();
        for l in &leaving {
            folders.insert(above(&l.path).into());
            folders.extend(
                above(&l.path).ancestors().skip(1).filter(|f| !self.durable.contains(*f)).map(Path::to_path_buf),
            );
        }
        if self.durable.is_empty() {
            self.sync_above();
        }
        let failed = self.sync_folders(folders.clone());
        self.durable.extend(folders.into_iter().filter(|f| !failed.contains(f)));
        for l in &leaving {
            self.with_event(l.member, l.action, Some(l.path.clone()), |run, event| run.take_down(&event));
        }
        // If the list failed, what it should say of these is nowhere.
        let recorded = self.keep_list(true) && (self.options.manifest.is_none() || self.list.is_some());
        for Leaving { member, action, path } in leaving {
            let removed = if recorded && failed.is_empty() { self.remove(member, action, &path) } else { Ok(false) };
            let source = self.entries[member].plan.source.path.clone();
            let done = *removed.as_ref().unwrap_or(&false);
            self.with_event(member, action, Some(path), |run, mut event| {
                event.removed = done;
                run.tell(event);
            });
            if let Err(cause) = removed {
                self.summary.unwritable += 1;
                (self.sink)(&Event::Warning { path: &source, cause: format!("copied but not deleted: {cause}") });
            }
        }
    }

    /// Makes the destination's own name durable, and those of the folders above it on the same file system.
    fn sync_above(&mut self) {
        let device = Meta::of(self.root.fd()).map(|m| m.device).ok();
        let path = self.root.real_path().unwrap_or_default();
        let each = |folder: &Path| -> std::io::Result<bool> {
            let file = place::open_named(folder, OFlags::DIRECTORY)?;
            if Meta::of(&file)?.device != device.unwrap_or_default() {
                return Ok(false);
            }
            place::sync_folder(&file)?;
            Ok(true)
        };
        for folder in path.ancestors().skip(1) {
            match each(folder) {
                Ok(true) => {}
                Ok(false) => break,
                // A folder that we may not open: then everything at once.
                Err(_) => {
                    if let Err(e) = rustix::fs::syncfs(self.root.fd()) {
                        self.summary.unwritable += 1;
                        self.warn(&path, format!("may not survive a power failure: {}", plain(&e.into())));
                    }
                    break;
                }
            }
        }
    }

    /// Deletes a source whose copy is durable and right. False if the two are one file.
    fn remove(&mut self, i: usize, action: Action, path: &Path) -> Result<bool, String> {
        let source = self.entries[i].plan.source.clone();
        let said = |e: std::io::Error| plain(&e);
        // Both are looked up from their roots again, whatever has happened to the folders on the way.
        let copy = self.root.file(path, OFlags::empty()).map_err(said)?;
        let there = Meta::of(&copy).map_err(said)?;
        let original = source.open(OFlags::empty()).map_err(said)?;
        let here = Meta::of(&original).map_err(said)?;
        if there.identity() == here.identity() {
            return Ok(false);
        }
        let read = self.entries[i].stamp.ok_or("it was not read in this run")?;
        let known = self.verified.get(&there.identity()).is_some_and(|v| *v == there.stamp());
        // Where inodes have new numbers at every look, only another reading says that it is still right.
        let fickle_there = self.engine.shared.made().fickle;
        if !(known || fickle_there && self.reads_the_same(i, &copy)) {
            return Err(format!("{} has changed since it was verified", self.root.shown(path).display()));
        }
        let fickle = !self.is_steady(&self.entries[i].plan);
        if !self.is_still(&here, read, fickle) {
            return Err("it has changed since".into());
        }
        match mark::relation(&copy, action == Action::Copied, &original, || source.open(OFlags::empty())) {
            Ok(Relation::Different) => {}
            Ok(Relation::Same) => {
                return Err(format!(
                    "{} is the same file under another device number",
                    self.root.shown(path).display()
                ));
            }
            Ok(Relation::Unknown) => {
                return Err(format!(
                    "{} may be the same file, its file system does not tell",
                    self.root.shown(path).display()
                ));
            }
            Err(e) => return Err(format!("whether its copy is another file cannot be found out: {}", plain(&e))),
        }
        // A mark has changed the copy's time of change.
        let now = Meta::of(&copy).map_err(said)?;
        self.verified.insert(now.identity(), now.stamp());
        let (folder, name) = source.place().map_err(said)?;
        let named = Meta::at(&folder, Path::new(&name)).map_err(said)?;
        if !self.is_still(&named, read, fickle) {
            return Err("it has changed since".into());
        }
        crate::beneath::unlink(&folder, &name).map_err(said)?;
        if here.links > 1
            && let Ok(after) = Meta::of(&original)
        {
            self.relinked.insert(after.identity(), after.changed);
        }
        Ok(true)
    }

    /// Whether a source is what it was when it was read. One that has lost a link since, because we deleted another of
    /// its names, is.
    fn is_still(&self, now: &Meta, read: Stamp, fickle: bool) -> bool {
        let mut then = read;
        if self.relinked.get(&now.identity()) == Some(&now.changed) {
            then.changed = now.changed.total();
        }
        now.stamp().is(&then, fickle)
    }

    /// Whether a file has the digests of a member, read now.
    fn reads_the_same(&self, i: usize, mut file: &File) -> bool {
        let algorithm = self.engine.shared.algorithms[self.telling];
        let Some(digests) = &self.entries[i].digests else { return false };
        let mut hasher = Hasher::new(algorithm);
        let mut buffer = vec![0; 256 << 10];
        loop {
            match place::uninterrupted(|| file.read(&mut buffer)) {
                Ok(0) => return hasher.finalize() == digests[self.telling],
                Ok(n) => hasher.update(&buffer[..n]),
                Err(_) => return false,
            }
        }
    }
}
