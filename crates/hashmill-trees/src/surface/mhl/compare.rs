//! What became of the files and folders since the generations were made.

use super::{
    FolderChange, Gone, Late, Listing, MhlError, MhlEvent, MhlOptions, MhlSummary, Seen, Work, stated, tree_of, value,
};
use crate::base::class::Class;
use crate::base::history::{FileRecord, History};
use crate::base::names::{below, split};
use crate::decide::folders::{Tree, Values};
use crate::decide::generation::{Candidate, altered, is_same, renamed};
use crate::read::history::place;
use hashmill::Digest;
use hashmill_files::{Error, Progress};
use hashmill_lists::mhl::{FolderHash, HashFormat};
use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::ControlFlow;

/// Compares a folder with its history: the files that it names are read, each once for all digests that any generation
/// has of it, and what they and the folders turn out to be is passed to `sink`. If the history is damaged, that is all
/// that is reported.
///
/// # Errors
/// Returns an error if nothing could be compared, or not everything.
pub fn check_history(
    options: &MhlOptions,
    progress: &Progress,
    sink: impl FnMut(MhlEvent<'_>) -> ControlFlow<()>,
) -> Result<MhlSummary, MhlError> {
    let mut work = Work::begin(options, false, progress, sink)?;
    if !work.summary.is_refused {
        let found = work.list(&[])?;
        let formats = work.formats();
        work.check(found, &formats, progress)?;
    }
    Ok(work.summary)
}

/// Compares the names below a folder with those in its history. No file is read.
///
/// # Errors
/// Returns an error if nothing could be compared.
pub fn diff_history(
    options: &MhlOptions,
    progress: &Progress,
    sink: impl FnMut(MhlEvent<'_>) -> ControlFlow<()>,
) -> Result<MhlSummary, MhlError> {
    let mut work = Work::begin(options, false, progress, sink)?;
    if !work.summary.is_refused {
        let found = work.list(&[])?;
        work.diff(&found);
    }
    Ok(work.summary)
}

impl<'a, S: FnMut(MhlEvent<'_>) -> ControlFlow<()>> Work<'a, S> {
    fn check(&mut self, mut found: Listing, formats: &[HashFormat], progress: &Progress) -> Result<(), MhlError> {
        let files = std::mem::take(&mut found.files);
        let names = std::mem::take(&mut found.names);
        let mut spoiled = std::mem::take(&mut found.spoiled);
        let mut all: Vec<Option<Seen>> = Vec::with_capacity(names.len());
        let mut new = Vec::new();
        if formats.is_empty() {
            // Nothing of what is recorded can be verified.
            for (i, name) in names.iter().enumerate() {
                match self.record(name) {
                    Some(_) => self.report(name, Class::NotChecked, None, None, false),
                    None => new.push(i),
                }
                all.push(Some(Seen { values: None, size: 0, mtime: None, at: 0 }));
            }
        } else {
            self.read(files, formats, progress, |work, i, outcome| {
                let name = &names[i];
                let seen = match work.seen(name, outcome, &mut spoiled) {
                    Ok(seen) => seen,
                    Err(error) => {
                        if error.is_some() {
                            found.unreadable.insert(name.clone());
                        }
                        all.push(None);
                        return;
                    }
                };
                if let Some(values) = &seen.values {
                    let class = work.record(name).map(|record| {
                        match is_same(record, |format| value(values, formats, format)) {
                            Some(true) => Class::Same,
                            Some(false) => altered(record, seen.size, seen.mtime),
                            None => Class::NotChecked,
                        }
                    });
                    match class {
                        None => new.push(i),
                        Some(class) => {
                            work.report(name, class, Some((&seen, &stated(values, formats))), None, false);
                        }
                    }
                }
                all.push(Some(seen));
            })?;
        }
        if progress.is_stopped() || self.broken {
            return Ok(());
        }
        let present = names.iter().zip(&all).filter(|(_, seen)| seen.is_some()).map(|(name, _)| &**name).collect();
        let gone = self.gone(&present, &found);
        let pairs = self.pair_files(&gone, &new, &names, &all, formats);
        let mut late: Vec<Late> = Vec::new();
        let (mut from, mut is_moved) = (HashMap::new(), HashSet::new());
        for (name, i) in &pairs {
            from.insert(*i, name.clone());
            is_moved.insert(name.clone());
        }
        for &i in &new {
            let from = from.remove(&i);
            let class = if from.is_some() { Class::Moved } else { Class::New };
            late.push(Late { name: names[i].clone(), class, from, seen: Some(i) });
        }
        for name in gone.files.keys().filter(|name| !is_moved.contains(*name)) {
            late.push(Late { name: name.clone(), class: Class::Missing, from: None, seen: None });
        }
        self.report_late(late, &all, formats);
        self.check_folders(&found, &names, &all, &gone, &spoiled, formats);
        Ok(())
    }

    pub(super) fn report_late(&mut self, mut late: Vec<Late>, all: &[Option<Seen>], formats: &[HashFormat]) {
        late.sort_by(|a, b| a.name.cmp(&b.name));
        for Late { name, class, from, seen } in late {
            let seen = seen.and_then(|i| all[i].as_ref());
            let stated = seen.and_then(|s| s.values.as_ref()).map(|values| stated(values, formats));
            let now = seen.zip(stated.as_deref());
            self.report_from(&name, from.as_deref(), class, now, None, false);
        }
    }

    fn diff(&mut self, found: &Listing) {
        let present: HashSet<&[u8]> = found.names.iter().map(|name| &**name).collect();
        let gone = self.gone(&present, found);
        let late = |name: &Vec<u8>, class| Late { name: name.clone(), class, from: None, seen: None };
        let mut all: Vec<Late> = gone.files.keys().map(|name| late(name, Class::Missing)).collect();
        for name in &found.names {
            match self.record(name) {
                Some(_) => self.summary.files.count(Class::Same),
                None => all.push(late(name, Class::New)),
            }
        }
        self.report_late(all, &[], &[]);
        self.report_gone_folders(&gone, &HashSet::new());
    }

    /// Returns what is recorded, and not there. What cannot be looked at is reported.
    pub(super) fn gone(&mut self, present: &HashSet<&[u8]>, found: &Listing) -> Gone {
        let mut gone = Gone::default();
        if found.is_partial {
            return gone;
        }
        let folders: HashSet<&[u8]> = found.folders.iter().map(|name| &**name).collect();
        let mut hidden = Vec::new();
        for (i, history) in self.histories.iter().enumerate() {
            for name in history.files.keys() {
                let full = history.full(name);
                if present.contains(&*full) || found.unreadable.contains(&full) || self.is_ignored(&full, false) {
                    continue;
                }
                let error = match place(&self.root, &full).symlink_metadata() {
                    Ok(m) if m.is_file() => "is in a folder that cannot be listed, or is one of this program's own",
                    Ok(_) => "",
                    Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => "",
                    Err(_) => "is in a folder that cannot be entered",
                };
                if error.is_empty() {
                    gone.files.insert(full, (i, name.clone()));
                } else {
                    hidden.push((full, error));
                }
            }
            for name in history.folders.keys().filter(|name| !name.is_empty()) {
                let full = history.full(name);
                if !folders.contains(&*full) && !found.unreadable.contains(&full) && !self.is_ignored(&full, true) {
                    gone.folders.insert(full, (i, name.clone()));
                }
            }
        }
        hidden.sort();
        hidden.dedup();
        for (name, error) in hidden {
            let error = Error::Io(io::Error::other(error));
            self.report(&name, Class::Unreadable, None, Some(&error), false);
        }
        gone
    }

    /// Returns which missing files have which new names, by their places.
    pub(super) fn pair_files(
        &self,
        gone: &Gone,
        new: &[usize],
        names: &[Vec<u8>],
        all: &[Option<Seen>],
        formats: &[HashFormat],
    ) -> Vec<(Vec<u8>, usize)> {
        if gone.files.is_empty() || new.is_empty() {
            return Vec::new();
        }
        let digests_of = |i: usize| {
            let values = all[i].as_ref().and_then(|seen| seen.values.as_ref());
            let of = |format: &HashFormat| Some((*format, value(values?, formats, *format)?));
            formats.iter().filter_map(of).collect()
        };
        let missing: Vec<&Vec<u8>> = gone.files.keys().collect();
        let before: Vec<Candidate<'_>> = gone
            .files
            .iter()
            .map(|(full, (history, name))| {
                let record = self.histories[*history].files.get(name);
                let digests = record.into_iter().flat_map(FileRecord::evidence);
                Candidate { name: full, digests: digests.map(|h| (h.format, h.digest.clone())).collect() }
            })
            .collect();
        let now: Vec<Candidate<'_>> =
            new.iter().map(|&i| Candidate { name: &names[i], digests: digests_of(i) }).collect();
        renamed(&before, &now).into_iter().map(|(g, n)| (missing[g].clone(), new[n])).collect()
    }

    /// Returns the digests of all folders in some formats.
    pub(super) fn folder_digests(
        &self,
        tree: &Tree,
        found: &Listing,
        names: &[Vec<u8>],
        all: &[Option<Seen>],
        spoiled: &HashSet<Vec<u8>>,
        formats: (&[HashFormat], &[HashFormat]),
    ) -> Vec<Vec<FolderHash>> {
        let (wanted, computed) = formats;
        let spoiled: Vec<bool> = found.folders.iter().map(|name| spoiled.contains(name)).collect();
        let mut hashes: Vec<Vec<FolderHash>> = found.folders.iter().map(|_| Vec::new()).collect();
        for &format in wanted {
            let file = |i: usize| {
                let values = all[i].as_ref().and_then(|seen| seen.values.as_ref());
                (&*names[i], values.and_then(|values| value(values, computed, format)))
            };
            let digests = tree.digests(&Values { format, folders: &found.folders, file }, &spoiled);
            for (all, one) in hashes.iter_mut().zip(digests) {
                all.extend(one);
            }
        }
        hashes
    }

    /// Compares folders with their digests.
    fn check_folders(
        &mut self,
        found: &Listing,
        names: &[Vec<u8>],
        all: &[Option<Seen>],
        gone: &Gone,
        spoiled: &HashSet<Vec<u8>>,
        formats: &[HashFormat],
    ) {
        self.report_gone_folders(gone, &HashSet::new());
        if self.options.no_folders {
            return;
        }
        let tree = tree_of(found, names, all);
        let now = self.folder_digests(&tree, found, names, all, spoiled, (formats, formats));
        let newest: Vec<HashMap<Vec<u8>, usize>> = self.histories.iter().map(newest_below).collect();
        let in_force: Vec<Vec<String>> = (0..self.histories.len()).map(|i| self.next_patterns(i)).collect();
        let mut changes = Vec::new();
        for (name, hashes) in found.folders.iter().zip(&now) {
            let (inner, own_name) = self.owner(name, true);
            // The folder of a history has digests there, and in the history above.
            let mut owners = vec![(inner, own_name)];
            if own_name.is_empty() && !name.is_empty() {
                owners.push(self.owner_above(name));
            }
            let is_known = owners.iter().any(|(i, n)| n.is_empty() || self.histories[*i].folders.contains_key(*n));
            let mut compared = None::<(bool, bool)>;
            for (i, own_name) in owners {
                let history = &self.histories[i];
                let Some(record) = history.folders.get(own_name).filter(|r| !r.hashes.is_empty()) else { continue };
                let is_stale = newest[i].get(own_name).is_some_and(|first| *first > record.made);
                let patterns = |all: &[String]| all.iter().cloned().collect::<HashSet<_>>();
                let same_patterns = patterns(&history.generations[record.made].ignored) == patterns(&in_force[i]);
                if is_stale || !same_patterns || !self.is_current(i, record.made, own_name) {
                    continue;
                }
                for before in &record.hashes {
                    if let Some(now) = hashes.iter().find(|h| h.format == before.format) {
                        let content = now.content != before.content;
                        let structure = before.structure.is_some() && now.structure != before.structure;
                        let (c, s) = compared.unwrap_or_default();
                        compared = Some((c || content, s || structure));
                    }
                }
            }
            match compared {
                Some((false, false)) => changes.push((name, Class::Same, (false, false))),
                Some(differs) => changes.push((name, Class::Differs, differs)),
                None if !is_known => changes.push((name, Class::New, (false, false))),
                None => {}
            }
        }
        for (name, class, differs) in changes {
            let is_explained = self.touched.contains(name);
            match class {
                Class::Same => self.summary.same_folders += 1,
                Class::Differs => self.summary.differing_folders += 1,
                _ => {}
            }
            self.send(MhlEvent::Folder(FolderChange { class, name, from: None, is_explained, differs }));
        }
    }

    /// Returns the history above a folder that has one of its own, and its name there.
    pub(super) fn owner_above<'n>(&self, name: &'n [u8]) -> (usize, &'n [u8]) {
        let (i, _) = self.owner(split(name).0, true);
        let prefix = &self.histories[i].prefix;
        (i, if prefix.is_empty() { name } else { below(name, prefix).unwrap_or_default() })
    }

    /// Returns whether no history below a folder has gone on since a generation that has the folder's digests.
    fn is_current(&self, history: usize, generation: usize, folder: &[u8]) -> bool {
        let outer = &self.histories[history];
        let folder = outer.full(folder);
        let mut inner = (0..self.histories.len()).filter(|i| {
            let prefix = &self.histories[*i].prefix;
            let within = *prefix == folder || below(prefix, &folder).is_some_and(|rest| !rest.is_empty());
            *i != history && within && self.owner_above(prefix).0 == history
        });
        inner.all(|i| {
            let Some(last) = self.histories[i].generations.last() else { return true };
            let refers = |(name, _): &(Vec<u8>, Digest)| {
                split(name).1 == last.name.as_bytes() && outer.full(split(split(name).0).0) == self.histories[i].prefix
            };
            let references = &outer.generations[generation].references;
            references.iter().any(refers) && self.is_current(i, self.histories[i].generations.len() - 1, b"")
        })
    }

    pub(super) fn report_gone_folders(&mut self, gone: &Gone, is_moved: &HashSet<Vec<u8>>) {
        for name in gone.folders.keys().filter(|name| !is_moved.contains(*name)) {
            self.summary.missing_folders += 1;
            let is_explained = self.touched.contains(name);
            self.touch(name);
            let change =
                FolderChange { class: Class::Missing, name, from: None, is_explained, differs: (false, false) };
            self.send(MhlEvent::Folder(change));
        }
    }
}

/// Returns, for each folder with something in it that the first generation does not have, the last generation that has
/// something new there.
fn newest_below(history: &History) -> HashMap<Vec<u8>, usize> {
    let files = history.files.iter().map(|(name, record)| (name, record.first));
    let folders = history.folders.iter().map(|(name, record)| (name, record.first));
    let mut newest: HashMap<Vec<u8>, usize> = HashMap::new();
    for (name, first) in files.chain(folders).filter(|(name, first)| *first > 0 && !name.is_empty()) {
        let mut folder = split(name).0;
        loop {
            let known = newest.entry(folder.to_vec()).or_default();
            if *known >= first || folder.is_empty() {
                *known = first.max(*known);
                break;
            }
            *known = first;
            folder = split(folder).0;
        }
    }
    newest
}
