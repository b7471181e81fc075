//! Digests of sources and of files in the destination: those that are known, and those to be computed.

use crate::fs::beneath::above;
use crate::fs::made_up::{self, Lengths};
use crate::fs::meta::{Meta, Stamp};
use crate::fs::relation;
use crate::record::catalogue;
use crate::run::state::{Run, State};
use crate::sources::gather::Found;
use crate::transfer::plan::Plan;
use crate::transfer::reading::Known;
use crate::transfer::shared::Asked;
use hashmill::Digest;
use rustix::fs::OFlags;
use std::path::Path;

impl Run<'_, '_, '_> {
    /// Claims a file of the destination as if this run had put it there, so that no other file of the run replaces it.
    /// Returns false if it is no longer what it was.
    pub(crate) fn claim(&mut self, name: &Path, stamp: Option<Stamp>) -> bool {
        let shared = &self.engine.shared;
        let mut made = shared.made();
        match self.root.look(name) {
            Ok(meta) if stamp.is_none_or(|s| meta.stamp().is(&s, made.fickle)) => {
                made.add(meta.identity(), name);
                true
            }
            // In a dry run, it may only be planned.
            _ => stamp.is_none(),
        }
    }

    /// Returns whether a source can be recognized in another run.
    pub(crate) fn is_steady(&self, plan: &Plan) -> bool {
        let look = || plan.source.open(OFlags::empty()).is_ok_and(relation::is_steady);
        *self.known.steady.borrow_mut().entry(plan.meta.device).or_insert_with(look)
    }

    /// Returns the length of a source whose file system does not know it before the file is read, as in `/proc`. `None`
    /// if it is as long as the file system says.
    pub(crate) fn made_up_length(&self, f: &Found) -> Option<u64> {
        let known = self.known.lengths.borrow().get(&f.meta.device).copied();
        if known == Some(Lengths::True) || known == Some(Lengths::Unknown) && f.meta.size > 0 {
            return None;
        }
        // If it cannot be read, its copy will say why.
        let file = f.source.open(OFlags::empty()).ok()?;
        let lengths = known.unwrap_or_else(|| made_up::lengths(&file));
        self.known.lengths.borrow_mut().insert(f.meta.device, lengths);
        let read = lengths == Lengths::MadeUp || lengths == Lengths::Unknown && f.meta.size == 0;
        let length = if read { made_up::length(&file).ok()? } else { return None };
        (length > 0 || f.meta.size > 0).then_some(length)
    }

    /// Returns whether a file of the destination can be recognized in another run, and warns if not, at most once per
    /// device.
    pub(crate) fn is_steady_there(&mut self, path: &Path, meta: &Meta) -> bool {
        if let Some(&steady) = self.known.steady.borrow().get(&meta.device) {
            return steady;
        }
        let folder = self.root.folder(above(path));
        let steady = folder.is_ok_and(relation::is_steady);
        self.known.steady.borrow_mut().insert(meta.device, steady);
        if !steady {
            self.say_distrust();
        }
        steady
    }

    pub(crate) fn say_distrust(&mut self) {
        let root = self.options.destination.clone();
        self.report
            .warn(&root, "its file system's times cannot be trusted, so every file is read, as with --fresh".into());
    }

    /// Returns whether digests from earlier runs are trusted.
    pub(crate) fn believes(&self) -> bool {
        // Before sources are deleted, they and their copies are read again, the copies from the medium.
        self.known.catalogue.is_some() && !self.options.fresh && !self.options.remove
    }

    /// Returns the digests of a source if they are known. If not, they come from the copy that is under way, or from a
    /// read that is requested here.
    pub(crate) fn source_digests(&mut self, i: usize) -> Option<Vec<Digest>> {
        let m = &self.batch.members[i];
        if let Some(d) = &m.digests {
            return Some(d.clone());
        }
        if m.state == State::Copying {
            return None;
        }
        let stamp = m.plan.meta.stamp();
        if self.believes()
            && self.is_steady(&m.plan)
            && let Some(c) = &self.known.catalogue
            && let Some(d) = c.source(&catalogue::remembered(&m.plan.source.path), &stamp)
        {
            self.batch.members[i].digests = Some(d.clone());
            return Some(d);
        }
        let what = Asked::Source(m.plan.id);
        if self.known.requested.insert(what.clone()) {
            self.progress.more(m.plan.size);
            self.engine.read_source(what, &m.plan.source, &m.plan.meta, m.plan.size);
        }
        None
    }

    /// Returns the digests of a file of the destination, or an error if it cannot be read. If neither is known yet,
    /// requests them and returns `None`.
    pub(crate) fn file_digests(&mut self, path: &Path, meta: &Meta) -> Option<Result<Known, String>> {
        if let Some(known) = self.known.files.get(path) {
            return Some(known.clone());
        }
        if std::mem::take(&mut self.known.distrusts) {
            self.say_distrust();
        }
        if self.believes()
            && self.is_steady_there(path, meta)
            && let Some(c) = &self.known.catalogue
            && let Some(digests) = c.file(path, &meta.stamp())
        {
            return Some(Ok(Known { digests, stamp: meta.stamp() }));
        }
        if self.known.requested.insert(Asked::File(path.into())) {
            self.progress.more(meta.size);
            self.engine.read_file(path, meta.size, self.options.remove);
        }
        None
    }

    pub(crate) fn is_unchanged(&self, read: &Stamp, now: &Meta) -> bool {
        let fickle = self.engine.shared.made().fickle;
        now.stamp().is(read, fickle)
    }

    /// Forgets the digests of a file that changed while it was read, so that it is read again. Returns false if that
    /// has happened before.
    pub(crate) fn look_again(&mut self, name: &Path) -> bool {
        self.known.files.remove(name);
        self.known.unstable.insert(name.into())
    }

    /// Remembers that a file of the destination was read back in this run, if sources are to be deleted.
    pub(crate) fn verify(&mut self, stamp: Stamp) {
        if self.options.remove {
            self.known.verified.insert(stamp.identity(), stamp);
        }
    }
}
