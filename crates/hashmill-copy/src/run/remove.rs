//! Deletes sources once everything that stays is durable.

use crate::fs::beneath::{above, unlink};
use crate::fs::meta::{Meta, Stamp};
use crate::fs::place;
use crate::fs::relation::{self, Relation};
use crate::model::event::{Action, Event, Problem};
use crate::run::state::{Leaving, Run};
use hashmill::Hasher;
use hashmill_files::plain;
use rustix::fs::OFlags;
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

impl Run<'_, '_, '_> {
    /// Deletes sources once everything that stays is durable. The copies became so when they were written or read back;
    /// this syncs their folders, the folders above those, and the lines of the list.
    pub(crate) fn leave(&mut self, leaving: Vec<Leaving>) {
        let mut folders: HashSet<PathBuf> = HashSet::new();
        for l in &leaving {
            folders.insert(above(&l.path).into());
            folders.extend(
                above(&l.path)
                    .ancestors()
                    .skip(1)
                    .filter(|f| !self.settling.durable.contains(*f))
                    .map(Path::to_path_buf),
            );
        }
        if self.settling.durable.is_empty() {
            self.sync_above();
        }
        let failed = self.sync_folders(folders.clone());
        self.settling.durable.extend(folders.into_iter().filter(|f| !failed.contains(f)));
        for l in &leaving {
            self.with_event(l.member, l.action, Some(l.path.clone()), |run, event| run.report.take_down(&event));
        }
        // If a list failed, what it should say about these files is recorded nowhere.
        let recorded = self.report.keep_lists(true);
        for Leaving { member, action, path } in leaving {
            let removed = if recorded && failed.is_empty() { self.remove(member, action, &path) } else { Ok(false) };
            let source = self.batch.members[member].plan.source.path.clone();
            let done = *removed.as_ref().unwrap_or(&false);
            self.with_event(member, action, Some(path), |run, mut event| {
                event.removed = done;
                run.report.tell(event);
            });
            if let Err(cause) = removed {
                self.report.add(Problem::Unwritable);
                (self.report.sink)(&Event::Warning {
                    path: &source,
                    cause: format!("copied but not deleted: {cause}"),
                });
            }
        }
    }

    /// Makes the destination's own name durable, and the names of the folders above it on the same file system.
    pub(crate) fn sync_above(&mut self) {
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
                // If a folder cannot be opened or synced, sync the whole file system.
                Err(_) => {
                    if let Err(e) = rustix::fs::syncfs(self.root.fd()) {
                        self.report.add(Problem::Unwritable);
                        self.report.warn(&path, format!("may not survive a power failure: {}", plain(&e.into())));
                    }
                    break;
                }
            }
        }
    }

    /// Deletes a source whose copy is durable and verified. Returns false if the two are the same file.
    pub(crate) fn remove(&mut self, i: usize, action: Action, path: &Path) -> Result<bool, String> {
        let source = self.batch.members[i].plan.source.clone();
        let said = |e: std::io::Error| plain(&e);
        // Both are looked up from their roots again, in case a folder on the way has been replaced.
        let copy = self.root.file(path, OFlags::empty()).map_err(said)?;
        let there = Meta::of(&copy).map_err(said)?;
        let original = source.open(OFlags::empty()).map_err(said)?;
        let here = Meta::of(&original).map_err(said)?;
        if there.identity() == here.identity() {
            return Ok(false);
        }
        let read = self.batch.members[i].stamp.ok_or("it was not read in this run")?;
        let known = self.known.verified.get(&there.identity()).is_some_and(|v| *v == there.stamp());
        // Where inode numbers change with every look-up, only reading the copy again shows that it is still right.
        let fickle_there = self.engine.shared.made().fickle;
        if !(known || fickle_there && self.reads_the_same(i, &copy)) {
            return Err(format!("{} has changed since it was verified", self.root.shown(path).display()));
        }
        let fickle = !self.is_steady(&self.batch.members[i].plan);
        if !self.is_still(&here, read, fickle) {
            return Err("it has changed since".into());
        }
        match relation::relation(&copy, action == Action::Copied, &original, || source.open(OFlags::empty())) {
            Ok(Relation::Different) => {}
            Ok(Relation::Same) => {
                return Err(format!(
                    "{} is the same file under another device number",
                    self.root.shown(path).display()
                ));
            }
            Ok(Relation::Unknown) => {
                return Err(format!(
                    "{} may be the same file; its file system cannot tell",
                    self.root.shown(path).display()
                ));
            }
            Err(e) => return Err(format!("cannot determine whether its copy is a different file: {}", plain(&e))),
        }
        // The mark set by `relation`, if any, has changed the copy's ctime.
        let now = Meta::of(&copy).map_err(said)?;
        self.known.verified.insert(now.identity(), now.stamp());
        let (folder, name) = source.place().map_err(said)?;
        let named = Meta::at(&folder, Path::new(&name)).map_err(said)?;
        if !self.is_still(&named, read, fickle) {
            return Err("it has changed since".into());
        }
        unlink(&folder, &name).map_err(said)?;
        if here.links > 1
            && let Ok(after) = Meta::of(&original)
        {
            self.known.relinked.insert(after.identity(), after.changed);
        }
        Ok(true)
    }

    /// Returns whether a source is what it was when it was read. It still is if it has only lost a link since, because
    /// this run deleted another of its names.
    pub(crate) fn is_still(&self, now: &Meta, read: Stamp, fickle: bool) -> bool {
        let mut then = read;
        if self.known.relinked.get(&now.identity()) == Some(&now.changed) {
            then.changed = now.changed.total();
        }
        now.stamp().is(&then, fickle)
    }

    /// Reads a file now, and returns whether its digest is that of a member.
    pub(crate) fn reads_the_same(&self, i: usize, mut file: &File) -> bool {
        let algorithm = self.engine.shared.algorithms[self.known.identifying];
        let Some(digests) = &self.batch.members[i].digests else { return false };
        let mut hasher = Hasher::new(algorithm);
        let mut buffer = vec![0; 256 << 10];
        loop {
            match place::uninterrupted(|| file.read(&mut buffer)) {
                Ok(0) => return hasher.finalize() == digests[self.known.identifying],
                Ok(n) => hasher.update(&buffer[..n]),
                Err(_) => return false,
            }
        }
    }
}
