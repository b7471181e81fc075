//! Makes copies durable, and records them once they are.

use crate::fs::beneath::above;
use crate::fs::meta::Stamp;
use crate::fs::place;
use crate::model::event::{Action, FileEvent, Problem};
use crate::record::catalogue::{self, Entry};
use crate::run::state::{Leaving, REPLACED, Run, State, catalogue_path};
use crate::transfer::shared::Copied;
use hashmill_files::plain;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::Duration;

/// Clocks of file systems tick at least this often.
const TICK: Duration = Duration::from_millis(25);

impl Run<'_, '_, '_> {
    /// Reports what became of a file. If its source is to be deleted, the report comes after that.
    pub(crate) fn settled(&mut self, i: usize, action: Action, path: Option<PathBuf>, cause: Option<String>) {
        self.progress.done();
        self.batch.members[i].state = State::Settled;
        let there = matches!(action, Action::Copied | Action::Same | Action::Duplicate);
        if self.options.remove
            && !self.options.dry_run
            && !self.batch.members[i].keep
            && there
            && let Some(path) = path
        {
            self.settling.leaving.push(Leaving { member: i, action, path });
            return;
        }
        let planned = self.options.remove && self.options.dry_run && !self.batch.members[i].keep && there;
        self.with_event(i, action, path, |run, mut event| {
            event.cause = cause;
            event.removed = planned;
            run.report.take_down(&event);
            run.report.tell(event);
        });
    }

    /// Builds the event for a file and passes it to `then`.
    pub(crate) fn with_event(
        &mut self,
        i: usize,
        action: Action,
        path: Option<PathBuf>,
        then: impl FnOnce(&mut Self, FileEvent<'_>),
    ) {
        let m = &self.batch.members[i];
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
        event.modified = m.there.map(|stamp| stamp.time());
        let algorithms = &self.engine.shared.algorithms;
        event.digests = algorithms.iter().copied().zip(digests).collect();
        event.sound =
            event.digests.split_off(self.options.algorithms.len().min(event.digests.len())).pop().map(Box::new);
        then(self, event);
    }

    /// Makes names durable, and only then reports and records the copies and deletes their sources.
    pub(crate) fn settle(&mut self) {
        let placed = std::mem::take(&mut self.settling.placed);
        if !placed.is_empty() {
            self.settle_copies(placed);
        }
        let leaving = std::mem::take(&mut self.settling.leaving);
        if !leaving.is_empty() {
            self.leave(leaving);
        }
    }

    pub(crate) fn settle_copies(&mut self, placed: Vec<(usize, Box<Copied>)>) {
        let folders = placed.iter().map(|(_, c)| above(&c.path).to_path_buf()).collect();
        let failed = self.sync_folders(folders);
        if self.known.catalogue.is_some() {
            // The catalogue keeps digests only of files that are older than a clock tick, so that any later change
            // shows in their times.
            std::thread::sleep(TICK);
            let mut entries = Vec::new();
            for (i, c) in &placed {
                let now = self.root.look(&c.path).ok().map(|m| m.stamp());
                if let (Some(stamp), true) = (c.copy, now == c.copy) {
                    entries.push(Entry::File { path: c.path.clone(), stamp, digests: c.digests.clone() });
                }
                let plan = &self.batch.members[*i].plan;
                if !self.options.remove && self.is_steady(plan) {
                    let path = catalogue::remembered(&plan.source.path);
                    entries.push(Entry::Source { path, stamp: c.source, digests: c.digests.clone() });
                }
            }
            self.put(&entries);
        }
        for (i, c) in placed {
            // What could not be looked at when it got its name is looked at again.
            let is_it = |s: &Stamp| (s.size, s.modified) == (c.source.size, c.source.modified);
            let again = || self.root.look(&c.path).ok().map(|m| m.stamp()).filter(is_it);
            self.batch.members[i].there = if c.already { None } else { c.copy.or_else(again) };
            if let Some(stamp) = c.copy {
                self.verify(stamp);
            }
            if self.options.dedupe {
                let size = self.batch.members[i].plan.size;
                self.duplicates.add(size, &c.digests[self.known.identifying], &c.path, c.copy);
            }
            let target = self.root.shown(&c.path);
            self.report.note_lost(&target, c.lost);
            let plan = &mut self.batch.members[i].plan;
            if !c.replaced {
                plan.replace = None;
            }
            let planned = plan.naming.path(plan.number);
            if planned != c.path {
                plan.number = u32::MAX;
                self.batch.claims.remove(&planned);
                self.batch.claims.insert(c.path.clone(), i);
            }
            // A file that somebody else has just put there was not read from the medium, and a name that could not be
            // synced may still be lost.
            self.batch.members[i].keep = c.already || !failed.is_empty();
            let action = if c.already { Action::Same } else { Action::Copied };
            self.settled(i, action, Some(c.path), None);
            if c.already && self.options.remove {
                self.report.add(Problem::Unwritable);
                let source = self.batch.members[i].plan.source.path.clone();
                let cause = "not deleted: the same file was put there meanwhile; run this again to delete it".into();
                self.report.warn(&source, cause);
            }
        }
    }

    /// Syncs these folders, and all others that have new names in them. Returns the folders for which that failed.
    pub(crate) fn sync_folders(&mut self, mut folders: HashSet<PathBuf>) -> HashSet<PathBuf> {
        let fresh = &self.engine.shared.fresh_folders;
        folders.extend(fresh.lock().unwrap_or_else(PoisonError::into_inner).drain());
        let mut failed = HashSet::new();
        for folder in folders {
            if let Err(e) = self.root.folder(&folder).and_then(place::sync_folder) {
                self.report.add(Problem::Unwritable);
                let shown = self.root.shown(&folder);
                self.report.warn(&shown, format!("may not survive a power failure: {}", plain(&e)));
                failed.insert(folder);
            }
        }
        failed
    }

    /// Notes for the catalogue what was read of a file that was there already, and of its source.
    pub(crate) fn remember(&mut self, i: usize, name: &Path) {
        if self.options.dry_run || self.known.catalogue.is_none() {
            return;
        }
        // The stamp from when it was read: a file that was modified since has another one now.
        if let Some(Ok(known)) = self.known.files.get(name) {
            let (path, stamp, digests) = (name.to_path_buf(), known.stamp, known.digests.clone());
            self.known.learned.push(Entry::File { path, stamp, digests });
        }
        let m = &self.batch.members[i];
        if let (true, Some(digests), Some(stamp)) = (m.read, &m.digests, m.stamp)
            && self.is_steady(&m.plan)
        {
            let path = catalogue::remembered(&m.plan.source.path);
            self.known.learned.push(Entry::Source { path, stamp, digests: digests.clone() });
        }
    }

    /// Writes entries to the catalogue. If that fails, the catalogue is no longer used.
    pub(crate) fn put(&mut self, entries: &[Entry]) {
        let Some(catalogue) = self.known.catalogue.as_mut().filter(|_| !entries.is_empty()) else { return };
        let path = catalogue_path(&self.root);
        match catalogue.put(entries) {
            Ok(false) => {}
            Ok(true) => self.report.warn(&path, REPLACED.into()),
            Err(e) => {
                self.report.summary.record_failed = true;
                self.known.catalogue = None;
                self.report.warn(&path, format!("cannot be written: {e}"));
            }
        }
    }

    /// Replaces the catalogue with a new one if a look-up found it damaged.
    pub(crate) fn mend_catalogue(&mut self) {
        let Some(catalogue) = &mut self.known.catalogue else { return };
        let path = catalogue_path(&self.root);
        match catalogue.mend() {
            Ok(false) => {}
            Ok(true) => self.report.warn(&path, REPLACED.into()),
            Err(e) => {
                self.report.summary.record_failed = true;
                self.known.catalogue = None;
                self.report.warn(&path, format!("is damaged and cannot be replaced: {e}"));
            }
        }
    }
}
