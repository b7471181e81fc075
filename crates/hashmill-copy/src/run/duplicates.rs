//! Looks for files whose content the destination already has, under any name.

use crate::decide::duplicates::Lookup;
use crate::fs::beneath::names;
use crate::fs::meta::Meta;
use crate::record::journal;
use crate::run::state::Run;
use crate::sources::system::is_system_folder;
use crate::transfer::shared::Asked;
use rustix::fs::OFlags;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

impl Run<'_, '_, '_> {
    /// Lists the destination's files by length.
    pub(crate) fn list_destination(&mut self) {
        let mut open = vec![PathBuf::new()];
        while let Some(below) = open.pop() {
            let Ok(folder) = self.root.open_at(&below, OFlags::RDONLY | OFlags::DIRECTORY) else {
                continue;
            };
            let mut names: Vec<OsString> = names(&folder).0;
            names.sort();
            for name in names {
                let Ok(meta) = Meta::at(&folder, Path::new(&name)) else { continue };
                // What is in the trash is not kept, and no thumbnail is a picture.
                let left_out = self.options.leaves_out() && is_system_folder(&name);
                if meta.is_dir() && !left_out && name != journal::FOLDER {
                    open.push(below.join(&name));
                } else if meta.is_file() && !journal::is_temporary(&name) {
                    self.duplicates.list(meta.size, below.join(&name));
                }
            }
        }
    }

    /// Returns where the destination already has a file's content (`Some(None)` if nowhere), or `None` if that is not
    /// known yet.
    pub(crate) fn duplicate(&mut self, i: usize) -> Option<Option<PathBuf>> {
        let (size, identity) = (self.batch.members[i].plan.size, self.batch.members[i].plan.meta.identity());
        if size == 0 {
            return Some(None);
        }
        let mut unread = self.duplicates.take_unread(size);
        unread.retain(|path| self.is_being_read(path, size));
        self.duplicates.put_reading(size, unread);
        if let Some((source, meta)) = self.duplicates.planned(size)
            && self.known.requested.insert(Asked::Earlier(size))
        {
            self.engine.read_source(Asked::Earlier(size), source, meta, size);
        }
        let digests = if self.duplicates.needs_digest(size) { self.source_digests(i) } else { None };
        let (path, stamp) = match self.duplicates.find(size, digests.as_ref().map(|d| &d[self.known.identifying])) {
            Lookup::No => return Some(None),
            Lookup::Unknown => return None,
            Lookup::At(path, stamp) => (path.to_path_buf(), stamp),
        };
        // It may be gone by now, or be the source itself.
        let now = self.root.look(&path).ok().filter(|m| m.is_file() && m.size == size && m.identity() != identity);
        self.batch.members[i].there = stamp.filter(|s| now.is_some_and(|m| m.stamp().modified == s.modified));
        let there = now.is_some();
        let planned = self.options.dry_run && self.root.look(&path).is_err();
        Some((there || planned).then_some(path))
    }

    /// Returns whether a file of the destination still has to be read. Once it has been read, its content is noted.
    fn is_being_read(&mut self, path: &Path, size: u64) -> bool {
        let Ok(meta) = self.root.look(path) else { return false };
        if !meta.is_file() || meta.size != size {
            return false;
        }
        match self.file_digests(path, &meta) {
            Some(Ok(known)) => {
                if self.is_unchanged(&known.stamp, &meta) {
                    self.verify(known.stamp);
                    let digest = &known.digests[self.known.identifying];
                    self.duplicates.add(size, digest, path, Some(known.stamp));
                }
                false
            }
            Some(Err(_)) => false,
            None => true,
        }
    }

    /// Notes the content of a file that is going to be copied under `name`.
    pub(crate) fn note_content(&mut self, i: usize, name: &Path) {
        let m = &self.batch.members[i];
        let size = m.plan.size;
        if size == 0 {
            return;
        }
        let digest = m.digests.as_ref().map(|d| d[self.known.identifying].clone());
        match (digest, self.options.dry_run) {
            (Some(d), true) => self.duplicates.add(size, &d, name, None),
            (Some(d), false) => self.duplicates.add_being_copied(size, &d),
            (None, true) => self.duplicates.add_planned(m.plan.source.clone(), m.plan.meta, name.into()),
            (None, false) => {}
        }
    }
}
