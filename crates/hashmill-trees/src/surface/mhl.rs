//! ASC MHL histories: what became of the files of a folder since its generations were made, and the next generation.
//!
//! Names tell what is missing and what is new, as in other programs for such histories; digests tell what has changed,
//! and which new file is a missing one under another name.

use crate::base::class::Class;
use crate::base::history::{FileRecord, History};
use crate::base::names::{below, split};
use crate::base::snapshot::Known;
use crate::decide::folders::{Tree, Values};
use crate::decide::generation::{Candidate, altered, hashes, is_same, needed, renamed};
use crate::decide::patterns::{DEFAULT, lifted, literal_braces, next};
use crate::read::history::{Damage, HistoryEvent, folder_of, load, name_of, place};
use crate::surface::audit::{AuditSummary, FileChange};
use hashmill::Digest;
use hashmill_files::{
    Below, Error, Event, Filter, Found, Input, Io, Options, Outcome, Problem, Progress, Selection, Walked, sum, walk,
};
use hashmill_lists::mhl::{
    Action, Author, FOLDER, FileHash, Folder, FolderHash, HashFormat, Link, begin_generation, end_generation, fits,
    put_file, put_folder, put_hashes_tag, write_chain,
};
use hashmill_lists::{Header, Stated, format_time};
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

    fn report_late(&mut self, mut late: Vec<Late>, all: &[Option<Seen>], formats: &[HashFormat]) {
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
    fn gone(&mut self, present: &HashSet<&[u8]>, found: &Listing) -> Gone {
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
    fn pair_files(
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
    fn folder_digests(
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
    fn owner_above<'n>(&self, name: &'n [u8]) -> (usize, &'n [u8]) {
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

    fn report_gone_folders(&mut self, gone: &Gone, is_moved: &HashSet<Vec<u8>>) {
        for name in gone.folders.keys().filter(|name| !is_moved.contains(*name)) {
            self.summary.missing_folders += 1;
            let is_explained = self.touched.contains(name);
            self.touch(name);
            let change =
                FolderChange { class: Class::Missing, name, from: None, is_explained, differs: (false, false) };
            self.send(MhlEvent::Folder(change));
        }
    }

    /// Returns the patterns of the next generation of a history.
    fn next_patterns(&self, history: usize) -> Vec<String> {
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

/// Returns the time in seconds since 1970.
fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs() as i64)
}

/// Returns when a folder was last modified.
fn modified(path: &Path) -> Option<(i64, u32)> {
    let since = path.metadata().ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((since.as_secs() as i64, since.subsec_nanos()))
}
