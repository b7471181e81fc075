//! An ASC MHL history: what its generations say of the files and folders below a folder.

use crate::base::names::{climbs, is_normalized};
use hashmill::Digest;
use hashmill_lists::mhl::{Action, File, FileHash, Folder, FolderHash, Link, Part};
use hashmill_lists::{Fault, Stated};
use std::collections::HashMap;

/// What the generations say of a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileRecord {
    /// Index of the first generation that has it.
    pub(crate) first: usize,
    /// Length and time of modification, as the last generation states them that found the file as it was.
    pub(crate) size: Option<u64>,
    pub(crate) mtime: Option<(i64, u32)>,
    /// The first digest in each format: that of the file as it was, if any generation has one.
    pub(crate) hashes: Vec<FileHash>,
}

impl FileRecord {
    /// Returns the digests that the file should have.
    pub(crate) fn evidence(&self) -> impl Iterator<Item = &FileHash> + Clone {
        self.hashes.iter().filter(|h| h.action != Some(Action::Failed))
    }

    /// Returns the same, as other lists have them.
    pub(crate) fn stated(&self) -> Vec<Stated> {
        self.evidence().map(|h| Stated::of(h.format.function(), h.digest.clone())).collect()
    }

    fn add(&mut self, file: &File) {
        for hash in &file.hashes {
            let is_failed = |h: &FileHash| h.action == Some(Action::Failed);
            match self.hashes.iter_mut().find(|h| h.format == hash.format) {
                None => self.hashes.push(hash.clone()),
                Some(first) if is_failed(first) && !is_failed(hash) => *first = hash.clone(),
                Some(_) => {}
            }
        }
        if file.hashes.iter().all(|h| h.action != Some(Action::Failed)) {
            (self.size, self.mtime) = (file.size, file.mtime);
        }
    }
}

/// What the generations say of a folder.
#[derive(Debug, Clone, Default)]
pub(crate) struct FolderRecord {
    /// Index of the first generation that has it.
    pub(crate) first: usize,
    /// Index of the last generation that has digests of it.
    pub(crate) made: usize,
    /// These digests.
    pub(crate) hashes: Vec<FolderHash>,
}

/// A generation, apart from what it says of files and folders.
#[derive(Debug, Clone)]
pub(crate) struct Generation {
    pub(crate) number: u64,
    /// The name of its file.
    pub(crate) name: String,
    /// Its C4.
    pub(crate) digest: Digest,
    /// Whether the chain names it.
    pub(crate) is_linked: bool,
    /// Patterns of what it leaves out.
    pub(crate) ignored: Vec<String>,
    /// Generations of histories in folders below, and their C4.
    pub(crate) references: Vec<(Vec<u8>, Digest)>,
}

/// What is wrong with a part of a generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// It cannot be understood.
    Fault(Fault),
    /// A name that leads out of the folder.
    Outside(Vec<u8>),
}

/// A history.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    /// The name of its folder below the outermost one, which is empty for that one itself.
    pub(crate) prefix: Vec<u8>,
    /// What the chain says.
    pub(crate) links: Vec<Link>,
    pub(crate) generations: Vec<Generation>,
    /// Names of files in its folder that are generations nobody finished.
    pub(crate) unfinished: Vec<String>,
    pub(crate) files: HashMap<Vec<u8>, FileRecord>,
    pub(crate) folders: HashMap<Vec<u8>, FolderRecord>,
    /// Files under names that they do not have any more.
    former: HashMap<Vec<u8>, FileRecord>,
}

impl History {
    /// Returns a history without generations.
    pub(crate) fn new(prefix: Vec<u8>) -> Self {
        History { prefix, ..History::default() }
    }

    /// Returns the file of a name, also of one that it had before it was renamed.
    pub(crate) fn file(&self, name: &[u8]) -> Option<&FileRecord> {
        self.files.get(name).or_else(|| self.former.get(name))
    }

    /// Returns the name of a file or folder below the outermost folder.
    pub(crate) fn full(&self, name: &[u8]) -> Vec<u8> {
        match (self.prefix.is_empty(), name.is_empty()) {
            (true, _) => name.to_vec(),
            (false, true) => self.prefix.clone(),
            (false, false) => [&self.prefix, &b"/"[..], name].concat(),
        }
    }

    /// Returns the patterns that go on in the next generation, unless there is none before it.
    pub(crate) fn ignored(&self) -> Option<&[String]> {
        self.generations.last().map(|g| &*g.ignored)
    }

    /// Takes the next part of the last generation.
    pub(crate) fn take(&mut self, part: Part) -> Result<(), Wrong> {
        let Some(at) = self.generations.len().checked_sub(1) else { return Ok(()) };
        let usable = |name: &[u8]| is_normalized(name) && !name.starts_with(b"/") && !climbs(name);
        let check = |name: &[u8]| if usable(name) { Ok(()) } else { Err(Wrong::Outside(name.to_vec())) };
        match part {
            Part::Bad(fault) => return Err(Wrong::Fault(fault)),
            Part::Ignored(pattern) => self.generations[at].ignored.push(pattern),
            Part::Reference(name, digest) => {
                check(&name)?;
                self.generations[at].references.push((name, digest));
            }
            Part::File(file) => {
                check(&file.name)?;
                if let Some(previous) = file.previous.as_ref().filter(|p| **p != file.name)
                    && !self.files.contains_key(&file.name)
                    && let Some(record) = self.files.remove(previous)
                {
                    self.former.insert(previous.clone(), record.clone());
                    self.files.insert(file.name.clone(), FileRecord { first: at, ..record });
                }
                // A name that comes back has the digests that it had.
                let former = &self.former;
                let new = |name: &Vec<u8>| FileRecord { first: at, ..former.get(name).cloned().unwrap_or_default() };
                self.files.entry(file.name.clone()).or_insert_with_key(new).add(&file);
            }
            Part::Folder(folder) => {
                if !folder.name.is_empty() {
                    check(&folder.name)?;
                }
                let Folder { name, previous, hashes, .. } = folder;
                if let Some(previous) = previous.filter(|p| *p != name)
                    && !self.folders.contains_key(&name)
                {
                    self.folders.remove(&previous);
                }
                let new = || FolderRecord { first: at, ..FolderRecord::default() };
                let record = self.folders.entry(name).or_insert_with(new);
                if !hashes.is_empty() {
                    (record.made, record.hashes) = (at, hashes);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_lists::mhl::HashFormat;

    fn generation(history: &mut History) {
        let number = history.generations.len() as u64 + 1;
        let (digest, name) = (Digest::from_bytes(&[0]), format!("{number:04}.mhl"));
        let generation =
            Generation { number, name, digest, is_linked: true, ignored: Vec::new(), references: Vec::new() };
        history.generations.push(generation);
    }

    fn file(name: &str, previous: Option<&str>, hashes: &[(HashFormat, u8, Action)]) -> Part {
        let hashes = hashes.iter().map(|(format, value, action)| FileHash {
            format: *format,
            digest: Digest::from_bytes(&[*value]),
            action: Some(*action),
        });
        let previous = previous.map(|p| p.as_bytes().to_vec());
        Part::File(File { name: name.into(), previous, hashes: hashes.collect(), ..File::default() })
    }

    #[test]
    fn names_over_several_generations() {
        use Action::{Failed, Original, Verified};
        use HashFormat::{Md5, Xxh64};
        let mut history = History::new(Vec::new());
        generation(&mut history);
        history.take(file("a", None, &[(Xxh64, 1, Original)])).unwrap();
        history.take(file("x", None, &[(Xxh64, 7, Failed)])).unwrap();
        generation(&mut history);
        history.take(file("b", Some("a"), &[(Xxh64, 1, Original)])).unwrap();
        history.take(file("x", None, &[(Xxh64, 8, Verified)])).unwrap();
        generation(&mut history);
        history.take(file("c", Some("b"), &[(Md5, 2, Original)])).unwrap();
        let mut names: Vec<&[u8]> = history.files.keys().map(|n| &**n).collect();
        names.sort();
        assert_eq!(names, [b"c", b"x"], "a name that was given up is not missing");
        for name in [b"a", b"b", b"c"] {
            assert!(history.file(name).is_some());
        }
        let values = |history: &History, name: &[u8]| {
            let record = history.file(name).unwrap();
            (record.first, record.evidence().map(|h| h.digest.as_bytes()[0]).collect::<Vec<_>>())
        };
        assert_eq!(values(&history, b"c"), (2, vec![1, 2]));
        assert_eq!(values(&history, b"a"), (0, vec![1]));
        assert_eq!(values(&history, b"x"), (0, vec![8]), "what failed is no evidence");
        // A name that comes back is compared with what it was.
        generation(&mut history);
        history.take(file("a", None, &[(Xxh64, 3, Original)])).unwrap();
        assert_eq!(values(&history, b"a"), (3, vec![1]), "the first digest counts");
        for name in ["/x", "../x", "x/../y", "./x", "", "x//y"] {
            assert!(matches!(history.take(file(name, None, &[])), Err(Wrong::Outside(_))), "{name}");
        }
    }
}
