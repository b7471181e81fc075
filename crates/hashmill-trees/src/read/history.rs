//! Reading ASC MHL histories: of a folder, and of the folders below it that have one of their own.

use crate::base::history::{Generation, History, Wrong};
use hashmill::Digest;
use hashmill_files::{Error, Event, Found, Input, Options, Problem, Progress, Walked, plain, sum, walk};
use hashmill_lists::mhl::{CHAIN, FOLDER, HashFormat, Link, SUFFIX, read_chain, read_generation};
use hashmill_lists::{Fault, os_string};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// What is wrong with a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Damage {
    /// There is none.
    NoHistory,
    /// It has no chain.
    NoChain,
    /// A generation is not the one that the chain has the digest of.
    Modified,
    /// A generation that the chain names is not there.
    Missing,
    /// Something cannot be read, or not be understood.
    Unreadable,
    /// The chain names what is not in the history's folder.
    Outside,
    /// A generation that the chain does not name yet is cut off. The next generation puts it aside.
    Unfinished,
    /// A generation of a history above this one has another digest of a generation here, or names one that is not.
    Reference,
    /// A folder has no history any more.
    Lost,
}

impl Damage {
    /// Returns a stable word for it, as `--json` has it.
    pub fn kind(self) -> &'static str {
        match self {
            Damage::NoHistory => "no-history",
            Damage::NoChain => "no-chain",
            Damage::Modified => "modified-generation",
            Damage::Missing => "missing-generation",
            Damage::Unreadable => "unreadable-history",
            Damage::Outside => "outside",
            Damage::Unfinished => "unfinished-generation",
            Damage::Reference => "wrong-reference",
            Damage::Lost => "lost-history",
        }
    }

    /// Returns whether nothing that the history says can be used.
    pub(crate) fn is_fatal(self) -> bool {
        !matches!(self, Damage::Unfinished | Damage::Lost)
    }
}

/// Something about a history.
#[derive(Debug)]
pub enum HistoryEvent {
    /// It is damaged.
    Damaged {
        /// The file or folder that is.
        path: PathBuf,
        /// What it is.
        damage: Damage,
        /// The same in words.
        what: String,
    },
    /// A part of a generation cannot be used.
    BadPart {
        /// The generation.
        path: PathBuf,
        /// The number of the line on which the part begins.
        line: u64,
        /// What is wrong.
        fault: Fault,
    },
    /// A generation names what is not below its folder.
    Outside {
        /// The generation.
        path: PathBuf,
        /// The number of the line on which the part begins.
        line: u64,
        /// The name.
        name: Vec<u8>,
    },
    /// Something that is worth telling.
    Note {
        /// The file or folder.
        path: PathBuf,
        /// What about it.
        what: String,
    },
}

/// Returns the path of a folder's history.
pub(crate) fn folder_of(root: &Path, prefix: &[u8]) -> PathBuf {
    place(root, prefix).join(FOLDER)
}

/// Returns the path of a name below a folder.
pub(crate) fn place(root: &Path, name: &[u8]) -> PathBuf {
    if name.is_empty() {
        return root.to_owned();
    }
    root.join(os_string(name.to_vec()).unwrap_or_else(|| String::from_utf8_lossy(name).into_owned().into()))
}

/// Returns the name of a path below a folder.
pub(crate) fn name_of(root: &Path, path: &Path) -> Vec<u8> {
    crate::base::names::normalized(path.strip_prefix(root).unwrap_or(path).as_os_str().as_encoded_bytes())
}

/// Reads the histories of a folder and of those below it: the outermost one first, which may have no generations, and
/// each before those in its folder.
pub(crate) fn load(root: &Path, progress: &Progress, tell: &mut impl FnMut(HistoryEvent)) -> Vec<History> {
    let mut prefixes = Vec::new();
    for found in walk([Input::Path(root.into())], Walked { folders: true, ..Walked::default() }) {
        let Err(Problem { path, error }) = found else { continue };
        let is_folder = match error {
            Error::IsDirectory => true,
            // What it leads to may belong to anybody.
            Error::Skipped(_) => false,
            _ => continue,
        };
        if path.file_name() != Some(FOLDER.as_ref()) || path == root {
            continue;
        }
        let name = name_of(root, &path);
        let above = crate::base::names::split(&name).0;
        if above.split(|&b| b == b'/').any(|part| part == FOLDER.as_bytes()) {
            continue;
        }
        if is_folder {
            prefixes.push(above.to_vec());
        } else {
            let what = "is a symbolic link, or no folder: a history is not read through it".into();
            tell(HistoryEvent::Damaged { path, damage: Damage::Unreadable, what });
        }
    }
    if prefixes.first().is_none_or(|prefix| !prefix.is_empty()) {
        prefixes.retain(|prefix| !prefix.is_empty());
        prefixes.insert(0, Vec::new());
    }
    prefixes.sort();
    prefixes.dedup();
    let mut histories: Vec<History> = Vec::new();
    let mut plans = Vec::new();
    for prefix in prefixes {
        let folder = folder_of(root, &prefix);
        let mut history = History::new(prefix);
        let files = if folder.symlink_metadata().is_ok_and(|m| m.is_dir()) {
            chain(&folder, &mut history, tell)
        } else {
            Vec::new()
        };
        plans.push((folder, files));
        histories.push(history);
    }
    let digests = digests(&histories, &plans, progress);
    for (history, (folder, files)) in histories.iter_mut().zip(plans) {
        generations(history, &folder, files, &digests, tell);
    }
    references(root, &histories, tell);
    histories
}

/// Reads a chain. Returns the generations in the folder, by number and name.
fn chain(folder: &Path, history: &mut History, tell: &mut impl FnMut(HistoryEvent)) -> Vec<(u64, String)> {
    let path = folder.join(CHAIN);
    let is_file = |path: &Path| path.symlink_metadata().map(|m| m.is_file());
    let read = match is_file(&path) {
        Ok(true) => File::open(&path).and_then(|file| read_chain(BufReader::new(file))),
        Ok(false) => Err(io::Error::other("is no regular file")),
        Err(e) => Err(e),
    };
    let damaged = |path: PathBuf, damage, what: String| HistoryEvent::Damaged { path, damage, what };
    match read {
        Ok(links) => history.links = links,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            tell(damaged(path, Damage::NoChain, "is missing: nothing tells whether the history is whole".into()));
            return Vec::new();
        }
        Err(e) => {
            tell(damaged(path, Damage::Unreadable, plain(&e)));
            return Vec::new();
        }
    }
    let mut files = Vec::new();
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) => {
            tell(damaged(folder.into(), Damage::Unreadable, plain(&e)));
            return Vec::new();
        }
    };
    for entry in entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(e) => {
                tell(damaged(folder.into(), Damage::Unreadable, plain(&e)));
                continue;
            }
        };
        let name = entry.file_name();
        // macOS leaves files on other file systems whose names begin like this.
        if !name.as_encoded_bytes().ends_with(SUFFIX.as_bytes()) || name.as_encoded_bytes().starts_with(b"._") {
            continue;
        }
        let path = folder.join(&name);
        match name.to_str().and_then(|name| Some((number(name)?, name.to_owned()))) {
            None => {
                let what = "is not named like a generation (0001_NAME_DATE.mhl), and not used".into();
                tell(HistoryEvent::Note { path, what });
            }
            Some(_) if !entry.file_type().is_ok_and(|t| t.is_file()) => {
                let what = "is no regular file".into();
                tell(HistoryEvent::Damaged { path, damage: Damage::Unreadable, what });
            }
            Some(file) => files.push(file),
        }
    }
    files.sort();
    let mut told = HashSet::new();
    let there: HashSet<&[u8]> = files.iter().map(|(_, name)| name.as_bytes()).collect();
    for Link { name, .. } in &history.links {
        if there.contains(&**name) || !told.insert(&**name) {
            continue;
        }
        let shown = String::from_utf8_lossy(name).into_owned();
        let is_plain = !name.contains(&b'/') && name != b"." && name != b"..";
        let path = place(folder, name);
        if !is_plain {
            let what = format!("names {shown}, which is not in the folder of the history");
            let path = folder.join(CHAIN);
            tell(HistoryEvent::Damaged { path, damage: Damage::Outside, what });
        } else if path.symlink_metadata().is_ok() {
            let what = "is named by the chain, but not used".into();
            tell(HistoryEvent::Note { path, what });
        } else {
            let what = "is missing, and the chain names it".into();
            tell(HistoryEvent::Damaged { path, damage: Damage::Missing, what });
        }
    }
    files
}

/// Returns the number with which the name of a generation begins.
fn number(name: &str) -> Option<u64> {
    let stem = name.strip_suffix(SUFFIX)?;
    let (digits, rest) = stem.split_at(stem.find(|c: char| !c.is_ascii_digit()).unwrap_or(stem.len()));
    let is_named = rest.is_empty() || rest.len() > 1 && rest.starts_with('_') && !rest.contains('\n');
    if digits.len() < 4 || !is_named { None } else { digits.parse().ok() }
}

/// The digests of a generation in all formats that chains have.
type Digests = HashMap<PathBuf, Result<Vec<(HashFormat, Digest)>, Error>>;

/// Hashes the generations of all histories.
fn digests(histories: &[History], plans: &[(PathBuf, Vec<(u64, String)>)], progress: &Progress) -> Digests {
    let mut formats = vec![HashFormat::C4];
    formats.extend(histories.iter().flat_map(|h| &h.links).map(|link| link.format));
    formats.sort_unstable();
    formats.dedup();
    let paths = plans.iter().flat_map(|(folder, files)| files.iter().map(|(_, name)| folder.join(name)));
    let inputs = paths.map(|path| Ok::<_, Problem>(Found::regular_only(Input::Path(path))));
    let options = Options::new(formats.iter().map(|f| f.algorithm()).collect());
    let mut all = Digests::new();
    // What is not there at the end could not be read.
    let _ = sum(&options, inputs, progress, |event| {
        if let Event::Outcome(outcome) = event {
            let digests = outcome.result.map(|digests| formats.iter().copied().zip(digests).collect());
            all.insert(outcome.input.name().to_owned(), digests);
        }
        ControlFlow::Continue(())
    });
    all
}

/// Reads generations that are as the chain says.
fn generations(
    history: &mut History,
    folder: &Path,
    files: Vec<(u64, String)>,
    digests: &Digests,
    tell: &mut impl FnMut(HistoryEvent),
) {
    let mut links: HashMap<Vec<u8>, Vec<(HashFormat, Digest)>> = HashMap::new();
    for link in &history.links {
        links.entry(link.name.clone()).or_default().push((link.format, link.digest.clone()));
    }
    for (number, name) in files {
        let path = folder.join(&name);
        let mut damaged = |damage, what| tell(HistoryEvent::Damaged { path: path.clone(), damage, what });
        let found = match digests.get(&path) {
            Some(Ok(found)) => found,
            Some(Err(e)) => {
                damaged(Damage::Unreadable, e.to_string());
                continue;
            }
            None => {
                damaged(Damage::Unreadable, "was not read".into());
                continue;
            }
        };
        let stated = links.get(name.as_bytes());
        if stated.is_some_and(|stated| stated.iter().any(|pair| !found.contains(pair))) {
            damaged(Damage::Modified, "is not the file that the chain has the digest of".into());
            continue;
        }
        let c4 = found.iter().find(|(format, _)| *format == HashFormat::C4).map(|(_, digest)| digest.clone());
        let generation = Generation {
            number,
            name: name.clone(),
            digest: c4.unwrap_or_else(|| Digest::from_bytes(&[])),
            is_linked: stated.is_some(),
            ignored: Vec::new(),
            references: Vec::new(),
        };
        // A generation that is cut off must leave nothing behind.
        if stated.is_none()
            && let Err(e) = File::open(&path).and_then(|file| read_generation(BufReader::new(file), |_, _| ()))
        {
            let what = format!("is not in the chain, and not used: {}", plain(&e));
            damaged(Damage::Unfinished, what);
            history.unfinished.push(name);
            continue;
        }
        history.generations.push(generation);
        let read = File::open(&path).and_then(|file| {
            read_generation(BufReader::new(file), |line, part| match history.take(part) {
                Ok(()) => {}
                Err(Wrong::Fault(fault)) => tell(HistoryEvent::BadPart { path: path.clone(), line, fault }),
                Err(Wrong::Outside(name)) => tell(HistoryEvent::Outside { path: path.clone(), line, name }),
            })
        });
        match read {
            Err(e) => {
                let what = plain(&e);
                tell(HistoryEvent::Damaged { path, damage: Damage::Unreadable, what });
            }
            Ok(()) if stated.is_none() => {
                let what = "is not in the chain; the next `hashmill mhl create` adds it".into();
                tell(HistoryEvent::Note { path, what });
            }
            Ok(()) => {}
        }
    }
}

/// Checks what histories say of those in folders below.
fn references(root: &Path, histories: &[History], tell: &mut impl FnMut(HistoryEvent)) {
    let by_prefix: HashMap<&[u8], &History> = histories.iter().map(|h| (&*h.prefix, h)).collect();
    for history in histories {
        let last = history.generations.len().checked_sub(1);
        for (i, generation) in history.generations.iter().enumerate() {
            for (name, digest) in &generation.references {
                let (folder, file) = crate::base::names::split(name);
                let (prefix, _) = crate::base::names::split(folder);
                let prefix = history.full(prefix);
                let path = place(root, &history.full(name));
                let wrong = |what: String| {
                    let by = folder_of(root, &history.prefix).join(&generation.name);
                    let what = format!("{what} {}", by.display());
                    HistoryEvent::Damaged { path: path.clone(), damage: Damage::Reference, what }
                };
                let Some(inner) = by_prefix.get(&*prefix).filter(|inner| !inner.generations.is_empty()) else {
                    // Where the folder itself is gone, that is what is missing.
                    if Some(i) == last
                        && place(root, &prefix).is_dir()
                        && folder_of(root, &prefix).symlink_metadata().is_err()
                    {
                        let path = folder_of(root, &prefix);
                        let what = "is missing: this folder had a history of its own".into();
                        tell(HistoryEvent::Damaged { path, damage: Damage::Lost, what });
                    }
                    continue;
                };
                match inner.generations.iter().find(|g| g.name.as_bytes() == file) {
                    Some(found) if found.digest == *digest => {}
                    Some(_) => tell(wrong("is not the file that is referred to by".into())),
                    None => tell(wrong("is missing, and referred to by".into())),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_generations() {
        for (name, want) in [
            ("0001_A002_2020-01-16_091500Z.mhl", Some(1)),
            ("0012.mhl", Some(12)),
            ("12345_x.mhl", Some(12345)),
            ("001_x.mhl", None),
            ("0001_.mhl", None),
            ("0001x.mhl", None),
            ("0001_a\nb.mhl", None),
            ("x0001.mhl", None),
            ("0001_x.xml", None),
            ("99999999999999999999_x.mhl", None),
        ] {
            assert_eq!(number(name), want, "{name}");
        }
    }
}
