//! The next generation of a history.

use super::{
    CreateOptions, FolderChange, Gone, Late, Listing, MAX_NAME, MhlError, MhlEvent, MhlOptions, MhlSummary, Seen,
    USUAL, Work, now, stated, tree_of, value,
};
use crate::base::class::Class;
use crate::base::history::History;
use crate::base::names::split;
use crate::decide::generation::{Candidate, altered, hashes, needed, renamed};
use crate::decide::patterns::next;
use crate::read::history::{folder_of, place};
use hashmill::Digest;
use hashmill_files::Progress;
use hashmill_lists::mhl::{
    Action, Author, FileHash, Folder, FolderHash, HashFormat, Link, begin_generation, end_generation, fits, put_file,
    put_folder, put_hashes_tag, write_chain,
};
use hashmill_lists::{Header, format_time};
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Compares a folder with its history, if it has one, and returns the next generation of it and of those in folders
/// below, each before the one that refers to it. There are none if the history is damaged.
///
/// # Errors
/// Returns an error if nothing could be read, or not everything.
pub fn create_generation(
    options: &MhlOptions,
    creating: &CreateOptions,
    header: &Header,
    progress: &Progress,
    sink: impl FnMut(MhlEvent<'_>) -> ControlFlow<()>,
) -> Result<(MhlSummary, Vec<Draft>), MhlError> {
    let mut work = Work::begin(options, true, progress, sink)?;
    if work.summary.is_refused {
        return Ok((work.summary, Vec::new()));
    }
    let only = work.only(&creating.only)?;
    let found = work.list(&only)?;
    let drafts = work.create(found, creating, header, progress)?;
    if drafts.is_empty() && !progress.is_stopped() {
        return Err(MhlError::Nothing);
    }
    Ok((work.summary, drafts))
}

/// A generation that is to be written.
#[derive(Debug)]
pub struct Draft {
    /// The folder of the history, which does not exist if this is the first generation.
    pub folder: PathBuf,
    /// The name of the generation.
    pub name: String,
    /// Names of files there that are generations nobody finished.
    pub unfinished: Vec<String>,
    /// Places, among all drafts, of those that this one refers to, and the names by which it does.
    references: Vec<(usize, Vec<u8>)>,
    number: u64,
    links: Vec<Link>,
    root: Vec<FolderHash>,
    ignored: Vec<String>,
    entries: Vec<Recorded>,
}

/// A file or folder in a draft, and when its digests were made.
#[derive(Debug)]
enum Recorded {
    File(hashmill_lists::mhl::File, i64),
    Folder(Folder, i64),
}

impl Draft {
    /// Returns the parts of the generation. `written` are the digests (C4) of the drafts before this one.
    pub fn parts<'a>(
        &'a self,
        header: &'a Header,
        author: &'a Author,
        written: &'a [Digest],
    ) -> impl Iterator<Item = Result<Vec<u8>, String>> + 'a {
        let part = |put: &dyn Fn(&mut Vec<u8>) -> Result<(), &'static str>| {
            let mut out = Vec::new();
            put(&mut out).map(|()| out).map_err(String::from)
        };
        let any = !self.entries.is_empty();
        let begin = part(&|out| {
            begin_generation(header, author, &self.root, &self.ignored, out)?;
            if any {
                put_hashes_tag(false, out);
            }
            Ok(())
        });
        let entries = self.entries.iter().map(move |entry| {
            part(&|out| match entry {
                Recorded::File(file, made) => put_file(file, *made, out),
                Recorded::Folder(folder, made) => put_folder(folder, *made, out),
            })
        });
        let references = self.references.iter();
        let references: Vec<_> =
            references.filter_map(|(i, name)| Some((name.clone(), written.get(*i)?.clone()))).collect();
        let end = part(&|out| {
            if any {
                put_hashes_tag(true, out);
            }
            end_generation(&references, out)
        });
        std::iter::once(begin).chain(entries).chain(std::iter::once(end))
    }

    /// Returns the chain with this generation, whose digest (C4) this is.
    ///
    /// # Errors
    /// Returns why a name cannot be held.
    pub fn chain(&self, digest: &Digest) -> Result<Vec<u8>, String> {
        let link = Link {
            number: Some(self.number),
            name: self.name.clone().into_bytes(),
            format: HashFormat::C4,
            digest: digest.clone(),
        };
        let links: Vec<Link> = self.links.iter().cloned().chain([link]).collect();
        write_chain(&links).map_err(String::from)
    }

    /// Returns whether the folder of the history is to be made.
    pub fn is_first(&self) -> bool {
        self.number == 1 && self.links.is_empty() && self.folder.symlink_metadata().is_err()
    }
}

impl<'a, S: FnMut(MhlEvent<'_>) -> ControlFlow<()>> Work<'a, S> {
    /// Returns the patterns of the next generation of a history.
    pub(super) fn next_patterns(&self, history: usize) -> Vec<String> {
        let own = &self.histories[history];
        let others = self.histories.iter().filter(|h| own.prefix.is_empty() && !h.prefix.is_empty());
        let inner: Vec<&str> = others.filter_map(|h| std::str::from_utf8(&h.prefix).ok()).collect();
        let prefix = String::from_utf8_lossy(&own.prefix);
        next(own.ignored(), &self.patterns, &prefix, &inner)
    }

    fn create(
        &mut self,
        mut found: Listing,
        creating: &CreateOptions,
        header: &Header,
        progress: &Progress,
    ) -> Result<Vec<Draft>, MhlError> {
        if found.has_own {
            let own = [".hashmill/", ".hashmill-*.part"].map(String::from);
            let patterns = self.patterns.iter().cloned().chain(own).collect();
            self.set_patterns(patterns);
        }
        let wanted = self.wanted(creating);
        let files = std::mem::take(&mut found.files);
        let names = std::mem::take(&mut found.names);
        let mut spoiled = std::mem::take(&mut found.spoiled);
        let mut is_fit = Vec::with_capacity(names.len());
        for (name, is_folder) in names.iter().map(|n| (n, false)).chain(found.folders.iter().map(|n| (n, true))) {
            let fit = fits(name);
            if let Err(why) = fit {
                spoiled.insert(split(name).0.to_vec());
                self.summary.unrecorded += 1;
                self.touch(name);
                self.send(MhlEvent::Unrecorded(name, why));
            }
            if !is_folder {
                is_fit.push(fit.is_ok());
            }
        }
        let present: HashSet<&[u8]> = names.iter().map(|name| &**name).collect();
        let mut gone = self.gone(&present, &found);
        drop(present);
        let mut formats: HashSet<HashFormat> = wanted.iter().copied().collect();
        formats.extend(names.iter().filter_map(|name| needed(self.record(name), &wanted)));
        if creating.detect_renaming {
            let record = |(history, name): &(usize, Vec<u8>)| self.histories[*history].files.get(name);
            formats.extend(gone.files.values().filter_map(|place| needed(record(place), &wanted)));
        }
        let mut formats: Vec<HashFormat> = formats.into_iter().collect();
        formats.sort_unstable();
        let (mut kept, mut kept_names) = (Vec::new(), Vec::new());
        for ((file, name), fit) in files.into_iter().zip(names).zip(is_fit) {
            if fit {
                kept.push(file);
                kept_names.push(name);
            }
        }
        let names = kept_names;
        let mut all: Vec<Option<Seen>> = Vec::with_capacity(names.len());
        let mut recorded: Vec<Vec<FileHash>> = Vec::with_capacity(names.len());
        let (mut new, mut returned) = (Vec::new(), HashMap::new());
        self.read(kept, &formats, progress, |work, i, outcome| {
            let name = &names[i];
            let seen = work.seen(name, outcome, &mut spoiled);
            let mut said = Vec::new();
            if let Err(error) = &seen {
                if error.is_none() && work.record(name).is_some() {
                    let (history, own) = work.owner(name, false);
                    gone.files.insert(name.clone(), (history, own.to_vec()));
                }
            } else if let Ok(Seen { values: Some(values), size, mtime, .. }) = &seen {
                let record = work.record(name);
                said = hashes(record, &wanted, |format| value(values, &formats, format));
                let class = match record.filter(|r| r.evidence().next().is_some()) {
                    None => None,
                    Some(record) if said.iter().any(|h| h.action == Some(Action::Failed)) => {
                        Some(altered(record, *size, *mtime))
                    }
                    Some(_) => Some(Class::Same),
                };
                match (class, &seen) {
                    // A name that was given up may be that of a renamed file again.
                    (Some(class), Ok(_)) if creating.detect_renaming && !work.is_named(name) => {
                        returned.insert(i, class);
                        new.push(i);
                    }
                    (Some(class), Ok(seen)) => {
                        work.report(name, class, Some((seen, &stated(values, &formats))), None, false);
                    }
                    _ => new.push(i),
                }
            }
            recorded.push(said);
            all.push(seen.ok());
        })?;
        if progress.is_stopped() || self.broken {
            return Ok(Vec::new());
        }
        let mut previous: HashMap<usize, Vec<u8>> = HashMap::new();
        let mut late = Vec::new();
        let mut is_moved = HashSet::new();
        for (full, i) in self.pair_files(&gone, &new, &names, &all, &formats) {
            let (history, own) = &gone.files[&full];
            // A name in another history cannot be referred to.
            if creating.detect_renaming && self.owner(&names[i], false).0 == *history {
                previous.insert(i, own.clone());
                late.push(Late {
                    name: names[i].clone(),
                    class: Class::Moved,
                    from: Some(full.clone()),
                    seen: Some(i),
                });
                is_moved.insert(full);
            } else {
                self.summary.renamed += 1;
            }
        }
        for &i in new.iter().filter(|i| !previous.contains_key(i)) {
            let class = returned.get(&i).copied().unwrap_or(Class::New);
            late.push(Late { name: names[i].clone(), class, from: None, seen: Some(i) });
        }
        for name in gone.files.keys().filter(|name| !is_moved.contains(*name)) {
            late.push(Late { name: name.clone(), class: Class::Missing, from: None, seen: None });
        }
        self.report_late(late, &all, &formats);
        let digests = if self.options.no_folders || found.is_partial {
            found.folders.iter().map(|_| Vec::new()).collect()
        } else {
            let tree = tree_of(&found, &names, &all);
            self.folder_digests(&tree, &found, &names, &all, &spoiled, (&wanted, &formats))
        };
        let moved_folders = self.moved_folders(creating, &found, &gone, &digests);
        let moved: HashSet<Vec<u8>> = moved_folders.values().map(|(full, _)| full.clone()).collect();
        for (&i, (from, _)) in &moved_folders {
            let name = &found.folders[i];
            let is_explained = self.touched.contains(name);
            let change =
                FolderChange { class: Class::Moved, name, from: Some(from), is_explained, differs: (false, false) };
            self.broken |= (self.sink)(MhlEvent::Folder(change)).is_break();
        }
        self.report_gone_folders(&gone, &moved);
        let file = |i: usize, hashes: Vec<FileHash>| {
            let seen = all[i].as_ref()?;
            let name = self.owner(&names[i], false).1.to_vec();
            let (size, mtime) = (Some(seen.size), seen.mtime);
            let file = hashmill_lists::mhl::File { name, previous: previous.get(&i).cloned(), size, mtime, hashes };
            (!file.hashes.is_empty()).then_some(Recorded::File(file, seen.at))
        };
        let mut entries: Vec<Vec<Recorded>> = self.histories.iter().map(|_| Vec::new()).collect();
        let mut roots: Vec<Option<Vec<FolderHash>>> = self.histories.iter().map(|_| None).collect();
        if found.is_partial {
            for (i, hashes) in recorded.into_iter().enumerate() {
                entries[self.owner(&names[i], false).0].extend(file(i, hashes));
            }
        } else {
            let tree = tree_of(&found, &names, &all);
            let made = now();
            for folder in tree.post_order() {
                let name = &found.folders[folder];
                if fits(name).is_err() {
                    continue;
                }
                let (mut owner, mut own) = self.owner(name, true);
                for &i in tree.files(folder) {
                    entries[owner].extend(file(i, std::mem::take(&mut recorded[i])));
                }
                if own.is_empty() {
                    roots[owner] = Some(digests[folder].clone());
                    if name.is_empty() {
                        continue;
                    }
                    (owner, own) = self.owner_above(name);
                }
                let previous = moved_folders.get(&folder).map(|(_, own)| own.clone());
                let (name, mtime, hashes) = (own.to_vec(), found.times[folder], digests[folder].clone());
                entries[owner].push(Recorded::Folder(Folder { name, previous, mtime, hashes }, made));
            }
        }
        Ok(self.drafts(entries, roots, header))
    }

    /// Returns the formats of the next generation.
    fn wanted(&self, creating: &CreateOptions) -> Vec<HashFormat> {
        let mut wanted = creating.formats.clone();
        if wanted.is_empty() {
            let root = &self.histories[0];
            let last = root.generations.len().saturating_sub(1);
            // The digests of a folder are in all formats that its generation has.
            let latest = root.folders.get(&b""[..]).filter(|r| r.made == last).map(|r| &r.hashes);
            wanted.extend(latest.into_iter().flatten().map(|h| h.format));
        }
        if wanted.is_empty() {
            let mut formats: Vec<_> =
                self.histories[0].files.values().flat_map(|r| r.evidence().map(|h| h.format)).collect();
            formats.sort_unstable();
            formats.dedup();
            wanted = if formats.len() == 1 { formats } else { vec![USUAL] };
        }
        wanted.sort_unstable();
        wanted.dedup();
        wanted
    }

    /// Returns the folders that have another name, with the ones that they had below the outermost folder and in their
    /// history.
    fn moved_folders(
        &self,
        creating: &CreateOptions,
        found: &Listing,
        gone: &Gone,
        digests: &[Vec<FolderHash>],
    ) -> HashMap<usize, (Vec<u8>, Vec<u8>)> {
        if !creating.detect_renaming {
            return HashMap::new();
        }
        let contents = |hashes: &[FolderHash]| hashes.iter().map(|h| (h.format, h.content.clone())).collect();
        let outer = |name: &[u8]| match self.owner(name, true) {
            (_, own) if own.is_empty() && !name.is_empty() => {
                let (i, own) = self.owner_above(name);
                (i, own.to_vec())
            }
            (i, own) => (i, own.to_vec()),
        };
        let is_new = |i: &usize| {
            let (history, own) = outer(&found.folders[*i]);
            !own.is_empty() && !self.histories[history].folders.contains_key(&own)
        };
        let new: Vec<usize> = (0..found.folders.len()).filter(is_new).collect();
        let now: Vec<Candidate<'_>> =
            new.iter().map(|&i| Candidate { name: &found.folders[i], digests: contents(&digests[i]) }).collect();
        let places: Vec<_> = gone.folders.iter().collect();
        let before: Vec<Candidate<'_>> = places
            .iter()
            .map(|(full, (history, own))| {
                let record = self.histories[*history].folders.get(own);
                Candidate { name: full, digests: record.map(|r| contents(&r.hashes)).unwrap_or_default() }
            })
            .collect();
        let pairs = renamed(&before, &now).into_iter().filter_map(|(g, n)| {
            let (full, (history, own)) = places[g];
            let same_history = outer(&found.folders[new[n]]).0 == *history;
            same_history.then(|| (new[n], (full.clone(), own.clone())))
        });
        pairs.collect()
    }

    /// Returns the generations to write, those of folders below first.
    fn drafts(
        &self,
        entries: Vec<Vec<Recorded>>,
        mut roots: Vec<Option<Vec<FolderHash>>>,
        header: &Header,
    ) -> Vec<Draft> {
        let mut drafts: Vec<Draft> = Vec::new();
        let mut references: Vec<Vec<(usize, Vec<u8>)>> = self.histories.iter().map(|_| Vec::new()).collect();
        for (i, entries) in entries.into_iter().enumerate().rev() {
            let history = &self.histories[i];
            let mut inner = std::mem::take(&mut references[i]);
            inner.sort_by(|a, b| a.1.cmp(&b.1));
            if entries.is_empty() && inner.is_empty() && roots[i].is_none() {
                continue;
            }
            let number = history.generations.last().map_or(0, |g| g.number).saturating_add(1);
            let name = format!("{number:04}_{}_{}.mhl", self.title(i), stamp(header.now.0));
            if !history.prefix.is_empty() {
                let (outer, own) = self.owner_above(&history.prefix);
                let reference = [own, b"/ascmhl/", name.as_bytes()].concat();
                references[outer].push((drafts.len(), reference));
            }
            drafts.push(Draft {
                folder: folder_of(&self.root, &history.prefix),
                name,
                unfinished: history.unfinished.clone(),
                references: inner,
                number,
                links: links(history),
                root: roots[i].take().unwrap_or_default(),
                ignored: self.next_patterns(i),
                entries,
            });
        }
        drafts
    }

    /// Returns the name of a history's folder as that of a generation has it.
    fn title(&self, history: usize) -> String {
        let path = place(&self.root, &self.histories[history].prefix);
        let whole = std::path::absolute(&path).unwrap_or(path);
        let whole = if whole.file_name().is_some() { whole } else { whole.canonicalize().unwrap_or(whole) };
        let name = whole.file_name().unwrap_or_default().to_string_lossy();
        let mut text = String::new();
        for c in name.chars() {
            let c = if c.is_control() || c == '\u{fffd}' || fits(c.to_string().as_bytes()).is_err() { '_' } else { c };
            if text.len() + c.len_utf8() > MAX_NAME {
                break;
            }
            text.push(c);
        }
        if text.is_empty() { "root".into() } else { text }
    }
}

/// Returns the chain of a history, with all its generations.
fn links(history: &History) -> Vec<Link> {
    let mut links = history.links.clone();
    for generation in history.generations.iter().filter(|g| !g.is_linked) {
        let at = links.iter().position(|link| link.number.is_some_and(|n| n > generation.number));
        let link = Link {
            number: Some(generation.number),
            name: generation.name.clone().into_bytes(),
            format: HashFormat::C4,
            digest: generation.digest.clone(),
        };
        links.insert(at.unwrap_or(links.len()), link);
    }
    links
}

/// Returns a time, in seconds since 1970, as the name of a generation has it.
fn stamp(seconds: i64) -> String {
    format_time((seconds, 0)).replace('T', "_").replace(':', "")
}
