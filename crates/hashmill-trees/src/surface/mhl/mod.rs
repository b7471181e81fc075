//! ASC MHL histories: what became of the files of a folder since its generations were made, and the next generation.
//!
//! Names tell what is missing and what is new, as in other programs for such histories; digests tell what has changed,
//! and which new file is a missing one under another name.

pub(crate) mod compare;
pub(crate) mod create;

use crate::base::class::Class;
use crate::base::history::{FileRecord, History};
use crate::base::names::{below, split};
use crate::base::snapshot::Known;
use crate::decide::folders::Tree;
use crate::decide::patterns::{DEFAULT, lifted, literal_braces};
use crate::read::history::{Damage, HistoryEvent, folder_of, load, name_of, place};
use crate::surface::audit::{AuditSummary, FileChange};
use hashmill::Digest;
use hashmill_files::{
    Below, Error, Event, Filter, Found, Input, Io, Options, Outcome, Problem, Progress, Selection, Walked, sum, walk,
};
use hashmill_lists::Stated;
use hashmill_lists::mhl::{FOLDER, HashFormat};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// The format of the first generation.
const USUAL: HashFormat = HashFormat::Xxh128;

/// Maximum length in bytes of a folder's name in that of a generation.
const MAX_NAME: usize = 200;

/// How a history is verified, or goes on.
#[derive(Debug, Clone, Default)]
pub struct MhlOptions {
    /// The folder.
    pub folder: PathBuf,
    /// Patterns of what is left out, as in a `.gitignore` file, besides those of the history.
    pub ignored: Vec<String>,
    /// Leave out the digests of folders.
    pub no_folders: bool,
    /// Number of hashing threads, or `None` for one per available core.
    pub threads: Option<NonZeroUsize>,
    /// How files are read.
    pub io: Io,
}

/// What a new generation has.
#[derive(Debug, Clone, Default)]
pub struct CreateOptions {
    /// The formats of digests; those of the last generation if there are none.
    pub formats: Vec<HashFormat>,
    /// Record files and folders that have another name as what they are.
    pub detect_renaming: bool,
    /// Only these files, and what is in these folders; all if there are none.
    pub only: Vec<PathBuf>,
}

/// What is reported about a history and the files below its folder.
#[derive(Debug)]
pub enum MhlEvent<'a> {
    /// Something about a history.
    History(HistoryEvent),
    /// A file.
    File(FileChange<'a>),
    /// A folder.
    Folder(FolderChange<'a>),
    /// A file or folder whose name a history cannot hold, for the reason given.
    Unrecorded(&'a [u8], &'static str),
    /// A file lies on a device that none of the files before it lies on; see [`Event::Device`].
    Device {
        /// The file.
        path: PathBuf,
        /// Why files on this device are read by one reader at a time, or `None` if several readers are used.
        one_reader: Option<&'static str>,
    },
    /// Nothing more can be reported at the moment, which makes it a good time to flush output.
    Idle,
}

/// What became of a folder.
#[derive(Debug)]
pub struct FolderChange<'a> {
    /// Same, new, moved, missing, or [`Class::Differs`] if its digests are others.
    pub class: Class,
    /// Its name; empty for the outermost folder.
    pub name: &'a [u8],
    /// The name that it had.
    pub from: Option<&'a [u8]>,
    /// Whether what became of files in it explains this.
    pub is_explained: bool,
    /// Whether the digest of contents is another, and that of names and contents.
    pub differs: (bool, bool),
}

/// Counts of files and folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MhlSummary {
    /// What became of files.
    pub files: AuditSummary,
    /// Number of folders with the digests that they had.
    pub same_folders: u64,
    /// Number of folders with other digests.
    pub differing_folders: u64,
    /// Number of folders that are missing.
    pub missing_folders: u64,
    /// Number of damages of histories.
    pub damaged: u64,
    /// Number of names that a history cannot hold.
    pub unrecorded: u64,
    /// Number of histories, and of their generations before this run.
    pub histories: u64,
    /// Number of generations of all histories.
    pub generations: u64,
    /// Number of missing files that are there under another name, though that was not to be recorded.
    pub renamed: u64,
    /// Whether a generation is made: what is new or has moved is no failure then.
    pub creates: bool,
    /// Whether the history is damaged, so that nothing was compared.
    pub is_refused: bool,
}

impl MhlSummary {
    /// Returns the bits of an exit status: those of the classes of files that occur, 2 for folders with other digests,
    /// 8 for what is not understood, 16 for missing folders, 64 for damaged histories.
    pub fn bits(&self) -> u8 {
        let mut bits = self.files.bits(self.creates);
        if self.creates && self.files.of(Class::Missing) == 0 {
            bits &= !16;
        }
        if self.creates {
            bits &= !32;
        }
        for (count, bit) in
            [(self.differing_folders, 2), (self.unrecorded, 4), (self.missing_folders, 16), (self.damaged, 64)]
        {
            bits |= if count > 0 { bit } else { 0 };
        }
        bits
    }
}

/// Why a history cannot be worked on.
#[derive(Debug, thiserror::Error)]
pub enum MhlError {
    /// The folder cannot be entered.
    #[error("{path}: {}", hashmill_files::plain(.error))]
    Folder {
        /// The folder, or a file that is to be recorded.
        path: String,
        /// Why not.
        error: io::Error,
    },
    /// A file that is to be recorded is not below the folder.
    #[error("{0}: is not below the folder of the history")]
    NotBelow(String),
    /// There is nothing to record.
    #[error("nothing to record")]
    Nothing,
    /// A thread panicked; see [`sum`].
    #[error("{0}")]
    Work(#[from] Error),
}

impl MhlError {
    fn folder(path: &Path, error: io::Error) -> Self {
        MhlError::Folder { path: path.display().to_string(), error }
    }
}

/// What is below a folder.
#[derive(Default)]
struct Listing {
    /// Names of files, and what is to be read.
    names: Vec<Vec<u8>>,
    files: Vec<Found>,
    /// Names of folders, the outermost one first, and when they were last modified.
    folders: Vec<Vec<u8>>,
    times: Vec<Option<(i64, u32)>>,
    /// Names of files that could not be read.
    unreadable: HashSet<Vec<u8>>,
    /// Folders with something that is not recorded, so that they have no digests.
    spoiled: HashSet<Vec<u8>>,
    /// Only some files were asked for.
    is_partial: bool,
    /// There are files that this program keeps for itself.
    has_own: bool,
}

/// What a file turned out to be.
#[derive(Debug)]
struct Seen {
    /// Its digests, one after the other; `None` if it could not be read.
    values: Option<Box<[u8]>>,
    size: u64,
    mtime: Option<(i64, u32)>,
    /// When it was read, in seconds since 1970.
    at: i64,
}

/// Names of files and folders that are gone: with those below the outermost folder, their history and their name there.
#[derive(Default)]
struct Gone {
    files: BTreeMap<Vec<u8>, (usize, Vec<u8>)>,
    folders: BTreeMap<Vec<u8>, (usize, Vec<u8>)>,
}

/// What is reported at the end of a file or folder.
struct Late {
    name: Vec<u8>,
    class: Class,
    from: Option<Vec<u8>>,
    /// The place of the file among those that were read.
    seen: Option<usize>,
}

struct Work<'a, S> {
    options: &'a MhlOptions,
    root: PathBuf,
    histories: Vec<History>,
    by_prefix: HashMap<Vec<u8>, usize>,
    /// The patterns of the outermost folder that are in force.
    patterns: Vec<String>,
    filter: Filter,
    sink: S,
    broken: bool,
    summary: MhlSummary,
    /// Folders with something below that is not as it was.
    touched: HashSet<Vec<u8>>,
}

impl<'a, S: FnMut(MhlEvent<'_>) -> ControlFlow<()>> Work<'a, S> {
    /// Reads the histories.
    fn begin(
        options: &'a MhlOptions,
        creates: bool,
        progress: &Progress,
        mut sink: S,
    ) -> Result<Work<'a, S>, MhlError> {
        let root = options.folder.clone();
        std::fs::read_dir(&root).map_err(|e| MhlError::folder(&root, e))?;
        let mut summary = MhlSummary { creates, ..MhlSummary::default() };
        let mut broken = false;
        let mut tell = |event: HistoryEvent| {
            match &event {
                HistoryEvent::Damaged { damage, .. } => {
                    summary.damaged += 1;
                    summary.is_refused |= damage.is_fatal();
                }
                HistoryEvent::BadPart { .. } => summary.files.malformed += 1,
                HistoryEvent::Outside { .. } => summary.unrecorded += 1,
                HistoryEvent::Note { .. } => {}
            }
            broken |= sink(MhlEvent::History(event)).is_break();
        };
        let histories = load(&root, progress, &mut tell);
        if !creates && histories[0].generations.is_empty() && summary.damaged == 0 {
            let what = "there is no history; `hashmill mhl create` begins one".into();
            let event = HistoryEvent::Damaged { path: folder_of(&root, b""), damage: Damage::NoHistory, what };
            summary.damaged += 1;
            summary.is_refused = true;
            broken |= sink(MhlEvent::History(event)).is_break();
        }
        // What this makes is cut off if a thread could not be started or the work was stopped.
        if progress.is_stopped() {
            summary.is_refused = true;
        }
        summary.histories = histories.iter().filter(|h| !h.generations.is_empty()).count() as u64;
        summary.generations = histories.iter().map(|h| h.generations.len() as u64).sum();
        let by_prefix = histories.iter().enumerate().map(|(i, h)| (h.prefix.clone(), i)).collect();
        let mut patterns: Vec<String> = DEFAULT.map(String::from).to_vec();
        patterns.extend(histories[0].ignored().unwrap_or_default().iter().cloned());
        patterns.extend(options.ignored.iter().cloned());
        let mut work = Work {
            options,
            root,
            histories,
            by_prefix,
            patterns: Vec::new(),
            filter: Filter::default(),
            sink,
            broken,
            summary,
            touched: HashSet::new(),
        };
        work.set_patterns(patterns);
        Ok(work)
    }

    /// Makes the filter of patterns, without those that nothing can match.
    fn set_patterns(&mut self, patterns: Vec<String>) {
        let filter = |patterns: &[String]| {
            let exclude = patterns.iter().map(|p| literal_braces(p)).collect();
            Filter::new(&Selection { exclude, ..Selection::default() }, &[])
        };
        let mut seen = HashSet::new();
        self.patterns = patterns.into_iter().filter(|p| seen.insert(p.clone())).collect();
        let mut all = Vec::new();
        for history in &self.histories[1..] {
            let Ok(prefix) = std::str::from_utf8(&history.prefix) else { continue };
            let own = history.ignored().unwrap_or_default().iter().filter(|p| !DEFAULT.contains(&&***p));
            all.extend(own.map(|pattern| lifted(pattern, prefix)));
        }
        // The last one that matches counts.
        all.extend(self.patterns.iter().cloned());
        // Nothing takes a history itself back.
        all.push(FOLDER.into());
        if let Ok(filter) = filter(&all) {
            self.filter = filter;
            return;
        }
        let (good, bad): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|pattern| filter(std::slice::from_ref(pattern)).is_ok());
        for pattern in bad {
            self.summary.files.malformed += 1;
            let what = format!("the pattern '{}' is not understood, and matches nothing", pattern.escape_debug());
            self.send(MhlEvent::History(HistoryEvent::Note { path: self.root.clone(), what }));
        }
        self.filter = filter(&good).unwrap_or_default();
    }

    fn send(&mut self, event: MhlEvent<'_>) {
        self.broken |= (self.sink)(event).is_break();
    }

    /// Returns the history that a name belongs to, and its name there. A folder that has a history belongs to that.
    fn owner<'n>(&self, name: &'n [u8], is_folder: bool) -> (usize, &'n [u8]) {
        if self.histories.len() > 1 {
            let mut folder = if is_folder { name } else { split(name).0 };
            while !folder.is_empty() {
                if let Some(&i) = self.by_prefix.get(folder) {
                    return (i, below(name, folder).unwrap_or_default());
                }
                folder = split(folder).0;
            }
        }
        (0, name)
    }

    fn record(&self, name: &[u8]) -> Option<&FileRecord> {
        let (history, name) = self.owner(name, false);
        self.histories[history].file(name)
    }

    /// Returns whether a file is recorded under the name that it has by now.
    fn is_named(&self, name: &[u8]) -> bool {
        let (history, name) = self.owner(name, false);
        self.histories[history].files.contains_key(name)
    }

    /// Returns whether a name, or a folder that it is in, is left out.
    fn is_ignored(&self, name: &[u8], is_folder: bool) -> bool {
        let path = place(Path::new(""), name);
        let mut above = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        above.any(|folder| !self.filter.enters(folder))
            || if is_folder { !self.filter.enters(&path) } else { !self.filter.takes_name(&path) }
    }

    /// Returns names below the folder of files that are to be recorded.
    fn only(&self, paths: &[PathBuf]) -> Result<Vec<Vec<u8>>, MhlError> {
        let real = |path: &Path| path.canonicalize().map_err(|e| MhlError::folder(path, e));
        let root = if paths.is_empty() { PathBuf::new() } else { real(&self.root)? };
        let name = |path: &PathBuf| {
            // The last part may be a link, which is recorded under its own name.
            let is_link = path.symlink_metadata().map_err(|e| MhlError::folder(path, e))?.is_symlink();
            if is_link && path.is_dir() {
                let error = io::Error::other("is a symbolic link to a directory, and not entered");
                return Err(MhlError::folder(path, error));
            }
            let whole = match (path.parent(), path.file_name()) {
                (Some(parent), Some(name)) => {
                    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
                    real(parent)?.join(name)
                }
                _ => real(path)?,
            };
            match whole.strip_prefix(&root) {
                Ok(_) => Ok(name_of(&root, &whole)),
                Err(_) => Err(MhlError::NotBelow(path.display().to_string())),
            }
        };
        paths.iter().map(name).collect()
    }

    /// Lists what is below the folder: everything, or only some of it.
    fn list(&mut self, only: &[Vec<u8>]) -> Result<Listing, MhlError> {
        let mut listing = Listing { is_partial: !only.is_empty(), ..Listing::default() };
        // The current folder is its own name.
        let below = Arc::new(Below::new(Some(self.root.clone()).filter(|root| root != Path::new("."))));
        let how = Walked { filter: self.filter.clone(), examine: true, folders: true, ..Walked::default() };
        // Patterns are about names below the outermost folder, not about those below others.
        let some = Walked { filter: Filter::default(), ..how.clone() };
        let roots: Vec<Input> = only.iter().map(|name| Input::Path(place(&self.root, name))).collect();
        let walked: Box<dyn Iterator<Item = Result<Found, Problem>>> = if listing.is_partial {
            Box::new(walk(roots, some))
        } else {
            Box::new(walk([Input::Path(self.root.clone())], how))
        };
        for found in walked {
            let (name, is_folder) = match &found {
                Ok(found) => (name_of(&self.root, found.input().name()), false),
                Err(problem) => (name_of(&self.root, &problem.path), matches!(problem.error, Error::IsDirectory)),
            };
            if listing.is_partial && !only.contains(&name) && self.is_ignored(&name, is_folder) {
                continue;
            }
            let Problem { path, error } = match found {
                Ok(found) => {
                    let path = found.input().name();
                    // What was not met itself is a link, which may lead anywhere.
                    let found = match found.facts() {
                        Some(_) => found,
                        None => Found::regular_only(Input::Below(Arc::clone(&below), path.to_owned())),
                    };
                    listing.names.push(name);
                    listing.files.push(found);
                    continue;
                }
                Err(problem) => problem,
            };
            match error {
                Error::IsDirectory if !listing.is_partial => {
                    listing.times.push(modified(&path));
                    listing.folders.push(name);
                }
                Error::IsDirectory => {}
                Error::Own(_) => listing.has_own = true,
                // If it is recorded, it is missing: what has its name now is something else.
                Error::Skipped(_) => {
                    if self.record(&name).is_none() {
                        self.report(&name, Class::Skipped, None, Some(&error), false);
                    }
                }
                error if error.is_missing() => {
                    if self.record(&name).is_none() {
                        let error = Error::Skipped("symbolic link to nothing");
                        self.report(&name, Class::Skipped, None, Some(&error), false);
                    }
                }
                error => {
                    let inside = if path.is_dir() { name.clone() } else { split(&name).0.to_vec() };
                    listing.spoiled.insert(inside);
                    self.report(&name, Class::Unreadable, None, Some(&error), false);
                    listing.unreadable.insert(name);
                }
            }
        }
        Ok(listing)
    }

    /// Returns all formats of digests that any history has.
    fn formats(&self) -> Vec<HashFormat> {
        let mut formats = HashSet::new();
        for history in &self.histories {
            formats.extend(history.files.values().flat_map(|r| r.evidence().map(|h| h.format)));
            if !self.options.no_folders {
                formats.extend(history.folders.values().flat_map(|r| r.hashes.iter().map(|h| h.format)));
            }
        }
        let mut formats: Vec<HashFormat> = formats.into_iter().collect();
        formats.sort_unstable();
        formats
    }

    /// Reads files, and passes each outcome, and the file's place in the listing, to `each`.
    fn read(
        &mut self,
        files: Vec<Found>,
        formats: &[HashFormat],
        progress: &Progress,
        mut each: impl FnMut(&mut Self, usize, Outcome),
    ) -> Result<(), MhlError> {
        let options = Options {
            threads: self.options.threads,
            io: self.options.io,
            ..Options::new(formats.iter().map(|f| f.algorithm()).collect())
        };
        let mut at = 0;
        sum(&options, files.into_iter().map(Ok::<_, Problem>), progress, |event| {
            match event {
                Event::Outcome(outcome) => {
                    each(self, at, outcome);
                    at += 1;
                }
                Event::Device { path, one_reader } => self.send(MhlEvent::Device { path, one_reader }),
                Event::Idle => self.send(MhlEvent::Idle),
            }
            if self.broken { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(())
    }

    /// Takes what a file turned out to be, and reports it if it could not be read. Returns nothing then, and nothing if
    /// it is not there any more.
    fn seen(&mut self, name: &[u8], outcome: Outcome, spoiled: &mut HashSet<Vec<u8>>) -> Result<Seen, Option<Error>> {
        let Outcome { result, bytes, changed, modified, .. } = outcome;
        let digests = match result {
            Ok(digests) => digests,
            Err(e) if e.is_missing() => return Err(None),
            Err(e) => {
                spoiled.insert(split(name).0.to_vec());
                self.report(name, Class::Unreadable, None, Some(&e), false);
                return Err(Some(e));
            }
        };
        self.summary.files.bytes += bytes;
        // What is neither its old content nor all new says nothing.
        let values = (!changed).then(|| digests.iter().flat_map(|d| d.as_bytes()).copied().collect());
        if changed {
            spoiled.insert(split(name).0.to_vec());
            self.report(name, Class::Unreadable, None, None, true);
        }
        Ok(Seen { values, size: bytes, mtime: modified, at: now() })
    }

    /// Reports a file, with what is known of it by now.
    fn report(
        &mut self,
        name: &[u8],
        class: Class,
        now: Option<(&Seen, &[Stated])>,
        error: Option<&Error>,
        changed_while_read: bool,
    ) {
        self.report_from(name, None, class, now, error, changed_while_read);
    }

    fn report_from(
        &mut self,
        name: &[u8],
        from: Option<&[u8]>,
        class: Class,
        now: Option<(&Seen, &[Stated])>,
        error: Option<&Error>,
        changed_while_read: bool,
    ) {
        self.summary.files.count(class);
        if !matches!(class, Class::Same | Class::Skipped) {
            self.touch(name);
            if let Some(from) = from {
                self.touch(from);
            }
        }
        let record = self.record(from.unwrap_or(name));
        let (size, modified) = record.map_or((None, None), |r| (r.size, r.mtime));
        let stated = record.map(FileRecord::stated);
        let before = stated.as_deref().map(|stated| Known { size, modified, stated });
        let now = now.map(|(seen, stated)| Known { size: Some(seen.size), modified: seen.mtime, stated });
        let named = before.is_some();
        let change = FileChange { class, name, from, before, now, taken: false, named, error, changed_while_read };
        self.broken |= (self.sink)(MhlEvent::File(change)).is_break();
    }

    /// Notes that something in the folders above a name is not as it was.
    fn touch(&mut self, name: &[u8]) {
        let mut folder = split(name).0;
        while self.touched.insert(folder.to_vec()) && !folder.is_empty() {
            folder = split(folder).0;
        }
    }
}

/// Returns the tree of folders and the files that are there.
fn tree_of(found: &Listing, names: &[Vec<u8>], all: &[Option<Seen>]) -> Tree {
    let there = names.iter().zip(all).enumerate().filter(|(_, (_, seen))| seen.is_some());
    Tree::new(&found.folders, there.map(|(i, (name, _))| (i, &**name)))
}

/// Returns the digest in one format from digests in several, one after the other.
fn value(values: &[u8], formats: &[HashFormat], format: HashFormat) -> Option<Digest> {
    let len = |format: &HashFormat| format.algorithm().digest_len();
    let place = formats.iter().position(|f| *f == format)?;
    let at: usize = formats[..place].iter().map(len).sum();
    values.get(at..at + len(&format)).map(Digest::from_bytes)
}

/// Returns such digests as lists have them.
fn stated(values: &[u8], formats: &[HashFormat]) -> Vec<Stated> {
    formats.iter().filter_map(|f| Some(Stated::of(f.function(), value(values, formats, *f)?))).collect()
}

/// Returns the time in seconds since 1970.
fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs() as i64)
}

/// Returns when a folder was last modified.
fn modified(path: &Path) -> Option<(i64, u32)> {
    let since = path.metadata().ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((since.as_secs() as i64, since.subsec_nanos()))
}
