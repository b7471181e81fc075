//! What is done with every file: deciding (`decide.rs`), having it done (`engine.rs`), and keeping the record
//! (`settle.rs`).

use crate::beneath::Root;
use crate::catalogue::{Catalogue, Entry};
use crate::dates::{self, Taken};
use crate::decide::{Duplicates, MOST_NAMES};
use crate::engine::{Asked, Copied, Engine, Failure, Naming, News, Plan, Shared, above, threads};
use crate::event::{Action, Event, FileEvent, Summary, Verified};
use crate::gather::{self, Found, Item};
use crate::journal::{self, Journal};
use crate::layout::numbered;
use crate::mark;
use crate::meta::{Identity, Meta, Moment, Stamp};
use crate::options::{OnConflict, Options, Verify};
use crate::reading::{Known, Way};
use crate::record::List;
use crate::settle::Leaving;
use hashmill::{Algorithm, Digest};
use hashmill_files::{Progress, plain};
use rustix::fs::{Mode, OFlags};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io;
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};

/// Copies that are made durable and recorded together.
const SETTLE: usize = 256;

/// Bytes that a file needs while it is being looked after.
const PER_FILE: u64 = 4 << 10;

/// Why nothing was begun, or why it could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The destination cannot be written to.
    #[error("{}: {cause}", .path.display())]
    Destination {
        /// The folder.
        path: PathBuf,
        /// Why.
        cause: String,
    },
    /// The destination is among the sources.
    #[error("{}: is the destination", .0.display())]
    Itself(PathBuf),
    /// The destination lies in a source.
    #[error("{}: lies in {}, which cannot be copied into itself", .destination.display(), .source_folder.display())]
    Inside {
        /// The destination.
        destination: PathBuf,
        /// The source.
        source_folder: PathBuf,
    },
    /// None of the sources can be read, so nothing was made.
    #[error("{}: {cause}", .path.display())]
    Sources {
        /// The first of them.
        path: PathBuf,
        /// Why.
        cause: String,
    },
    /// [`Progress::stop_flag`] was set. What was told until then is so; the same command again does the rest.
    #[error("interrupted; run the same command again to finish")]
    Interrupted,
    /// The checksum list cannot be written, so nothing was copied.
    #[error("{}: {cause}; nothing was copied", .path.display())]
    Manifest {
        /// The list.
        path: PathBuf,
        /// Why.
        cause: String,
    },
    /// A thread could not be started, or panicked. What was told until then is so; the same command again does the
    /// rest.
    #[error("{0}; run the same command again to finish")]
    Broken(String),
}

impl Error {
    /// The exit status for it, which is one of those that [`Summary::status`] adds up.
    pub fn status(&self) -> u8 {
        match self {
            Error::Sources { .. } => 1,
            Error::Manifest { .. } => 32,
            _ => 4,
        }
    }
}

/// Copies what the options say, and tells `sink` about every file as soon as its copy is durable. Files that cannot be
/// copied are told as such; the rest goes on.
///
/// # Errors
/// If nothing can be begun, or threads fail: see [`Error`].
pub fn copy(options: &Options, progress: &Arc<Progress>, sink: &mut dyn FnMut(&Event<'_>)) -> Result<Summary, Error> {
    let path = &options.destination;
    let refused = |e: &dyn std::fmt::Display| Error::Destination { path: path.clone(), cause: e.to_string() };
    let there = match fs::metadata(path) {
        Ok(m) if m.is_dir() => true,
        Ok(_) => return Err(refused(&"is no folder")),
        Err(e) if e.kind() == io::ErrorKind::NotFound => false,
        Err(e) => return Err(refused(&plain(&e))),
    };
    // A mistyped source should not leave a new folder behind.
    let failed: Vec<_> = options.sources.iter().filter_map(|s| Some((s, fs::metadata(s).err()?))).collect();
    if let Some((path, e)) = failed.first()
        && failed.len() == options.sources.len()
    {
        return Err(Error::Sources { path: path.to_path_buf(), cause: plain(e) });
    }
    // An import of files from other places of the same tree is common; a copy of the tree would grow with every run.
    if options.layout.is_none()
        && let Some(source) = options.sources.iter().find(|s| lies_in(path, s))
    {
        return Err(Error::Inside { destination: path.clone(), source_folder: source.clone() });
    }
    if !there && !options.dry_run {
        fs::create_dir_all(path).map_err(|e| refused(&plain(&e)))?;
    }
    let root = if there || !options.dry_run { Root::open(path, options.follow_dest) } else { Root::absent(path) };
    let root = Arc::new(root.map_err(|e| refused(&plain(&e)))?);
    let identity = Meta::of(root.fd()).ok().filter(|_| !root.is_absent()).map(|m| m.identity());
    for source in &options.sources {
        if identity.is_some() && Meta::of_path(source).ok().map(|m| m.identity()) == identity {
            return Err(Error::Itself(source.clone()));
        }
    }
    let journal = if options.dry_run { None } else { Some(Journal::begin(&root).map_err(|e| refused(&plain(&e)))?) };
    let list = match (&options.manifest, &journal) {
        (Some(path), Some(of_run)) => match List::begin(path, options.manifest_form, &options.algorithms, of_run) {
            Ok(list) => Some(list),
            Err(e) => {
                journal.into_iter().for_each(Journal::end);
                return Err(Error::Manifest { path: path.clone(), cause: plain(&e) });
            }
        },
        _ => None,
    };
    let mut summary = Summary::default();
    // What must be read anyway need not be remembered.
    let distrusts = !root.is_absent() && !mark::is_steady(root.fd());
    let catalogue =
        if options.catalogue && !distrusts { open_catalogue(&root, options, sink, &mut summary) } else { None };
    let (to_us, news) = mpsc::channel();
    let shared = Shared::new(options, Arc::clone(&root), journal, progress, to_us);
    let result = std::thread::scope(|scope| {
        let engine = Engine::start(scope, shared)
            .map_err(|e| Error::Broken(format!("no thread can be started: {}", plain(&e))))?;
        let _end = End(&engine);
        let list_below = list.as_ref().and_then(|l| name_below(&root, l));
        let mut run = Run {
            options,
            root: Arc::clone(&root),
            engine: &engine,
            news,
            sink,
            summary,
            catalogue,
            list,
            list_below,
            progress,
            next: 0,
            entries: Vec::new(),
            groups: Vec::new(),
            claims: HashMap::new(),
            reserved: HashSet::new(),
            known: HashMap::new(),
            restless: HashSet::new(),
            distrusts: distrusts && options.catalogue && !options.fresh && !options.remove,
            asked: HashSet::new(),
            on_the_way: 0,
            steady: RefCell::default(),
            learned: Vec::new(),
            placed: Vec::new(),
            leaving: Vec::new(),
            verified: HashMap::new(),
            relinked: HashMap::new(),
            durable: HashSet::new(),
            duplicates: Duplicates::default(),
            telling: engine.shared.algorithms.iter().position(Algorithm::tells_files_apart).unwrap_or_default(),
            folders: Vec::new(),
            lost: BTreeMap::new(),
            broken: None,
        };
        run.all(identity);
        let (summary, list, broken) = (std::mem::take(&mut run.summary), run.list.take(), run.broken.take());
        Ok((summary, list, broken, Arc::clone(&engine.shared)))
    });
    let (mut summary, list, broken, shared) = result?;
    if (broken.is_none() || progress.is_stopped())
        && let Some(list) = list
    {
        let path = options.manifest.clone().unwrap_or_default();
        let mut warn = |cause: String| sink(&Event::Warning { path: &path, cause });
        match list.end() {
            Ok(lost) => lost.iter().for_each(|kind| warn(format!("{kind} could not be kept"))),
            Err(e) => {
                summary.record_failed = true;
                warn(format!("cannot be written: {}", plain(&e)));
            }
        }
    }
    // Nothing temporary is left, even where a thread has panicked.
    if let Some(journal) = Arc::into_inner(shared).and_then(|s| s.journal) {
        journal.end();
    }
    match broken {
        None => Ok(summary),
        Some(_) if progress.is_stopped() => Err(Error::Interrupted),
        Some(cause) => Err(Error::Broken(cause)),
    }
}

/// Whether a path that need not exist yet lies in a folder, below it.
fn lies_in(path: &Path, folder: &Path) -> bool {
    let id = |p: &Path| fs::metadata(p).ok().filter(fs::Metadata::is_dir).map(|m| (m.dev(), m.ino()));
    let Some(folder) = id(folder) else { return false };
    // The first folder on the way up that exists, without links.
    let mut at = path;
    let there = loop {
        match fs::canonicalize(at) {
            Ok(there) => break there,
            // The current folder itself may have been deleted.
            Err(_) if at == Path::new(".") => return false,
            Err(_) => match at.parent() {
                Some(above) if !above.as_os_str().is_empty() => at = above,
                Some(_) => at = Path::new("."),
                None => return false,
            },
        }
    };
    let own = usize::from(at == path);
    there.ancestors().skip(own).any(|above| id(above) == Some(folder))
}

/// Ends the threads, even after a panic.
struct End<'a, 's, 'e>(&'a Engine<'s, 'e>);

impl Drop for End<'_, '_, '_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// The name of the list relative to the destination, if it lies in there.
fn name_below(root: &Root, list: &List) -> Option<PathBuf> {
    let path = list.path()?;
    Some(path.strip_prefix(root.real_path().ok()?).ok()?.to_path_buf())
}

pub(crate) fn catalogue_path(root: &Root) -> PathBuf {
    root.shown(Path::new(journal::FOLDER)).join("catalogue.sqlite")
}

/// What is said of a catalogue that is damaged.
pub(crate) const ANEW: &str = "was damaged; put aside and begun anew";

fn open_catalogue(
    root: &Arc<Root>,
    options: &Options,
    sink: &mut dyn FnMut(&Event<'_>),
    summary: &mut Summary,
) -> Option<Catalogue> {
    if root.is_absent() {
        return None;
    }
    let path = catalogue_path(root);
    match Catalogue::open(root, &options.computed(), !options.dry_run) {
        Ok((catalogue, anew)) => {
            if anew {
                sink(&Event::Warning { path: &path, cause: ANEW.into() });
            }
            Some(catalogue)
        }
        Err(e) => {
            summary.record_failed = true;
            let cause = format!("cannot be used, so every file is read: {e}");
            sink(&Event::Warning { path: &path, cause });
            None
        }
    }
}

/// A file of the batch.
pub(crate) struct Member {
    pub(crate) plan: Plan,
    pub(crate) state: State,
    /// Of the source.
    pub(crate) digests: Option<Vec<Digest>>,
    /// The source as it was when it was read in this run.
    pub(crate) stamp: Option<Stamp>,
    /// It was read for its digests alone.
    pub(crate) read: bool,
    /// It is not deleted, whatever becomes of it.
    pub(crate) keep: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Not decided.
    Open,
    /// On its way.
    Copying,
    Settled,
}

pub(crate) struct Run<'a, 's, 'e> {
    pub(crate) options: &'a Options,
    pub(crate) root: Arc<Root>,
    pub(crate) engine: &'a Engine<'s, 'e>,
    news: mpsc::Receiver<News>,
    pub(crate) sink: &'a mut dyn FnMut(&Event<'_>),
    pub(crate) summary: Summary,
    pub(crate) catalogue: Option<Catalogue>,
    pub(crate) list: Option<List>,
    /// The list's name relative to the destination, if it lies in there: no file takes it.
    pub(crate) list_below: Option<PathBuf>,
    pub(crate) progress: &'a Arc<Progress>,
    /// The number of the first member of this batch.
    next: u64,
    pub(crate) entries: Vec<Member>,
    groups: Vec<Range<usize>>,
    /// Names that files of this batch have or will have, relative to the destination.
    pub(crate) claims: HashMap<PathBuf, usize>,
    /// Names about which files that come first have not been decided yet.
    pub(crate) reserved: HashSet<PathBuf>,
    /// Digests of the destination's files.
    pub(crate) known: HashMap<PathBuf, Result<Known, String>>,
    /// Those that changed when they were read, and are read a second time.
    pub(crate) restless: HashSet<PathBuf>,
    /// The destination's times of change cannot be trusted, which has not been said yet.
    pub(crate) distrusts: bool,
    /// What has been asked for and not been answered.
    pub(crate) asked: HashSet<Asked>,
    /// Copies that have not been reported.
    on_the_way: usize,
    /// Devices on which a source can be recognized in another run.
    pub(crate) steady: RefCell<HashMap<u64, bool>>,
    /// What the catalogue does not know yet.
    pub(crate) learned: Vec<Entry>,
    /// Copies that have their names and are not known to be durable.
    pub(crate) placed: Vec<(usize, Box<Copied>)>,
    /// Files whose sources are to be deleted.
    pub(crate) leaving: Vec<Leaving>,
    /// The destination's files that were read back in this run, as they were then; where sources are deleted.
    pub(crate) verified: HashMap<Identity, Stamp>,
    /// Sources that lost a link when another name of theirs was deleted: the time of change that this gave them.
    pub(crate) relinked: HashMap<Identity, Moment>,
    /// Folders whose own names are durable.
    pub(crate) durable: HashSet<PathBuf>,
    pub(crate) duplicates: Duplicates,
    /// The number of the first algorithm that tells all files apart.
    pub(crate) telling: usize,
    /// Folders of a tree, which get their modes and times when all is in them.
    folders: Vec<Found>,
    /// What copies could not take over, with how many they are and the first of them.
    pub(crate) lost: BTreeMap<String, (u64, PathBuf)>,
    /// Why the run ends before its time.
    broken: Option<String>,
}

impl Run<'_, '_, '_> {
    fn all(&mut self, inside: Option<Identity>) {
        if self.options.dedupe {
            self.list_destination();
        }
        if let Some((folder, name)) = self.list.as_ref().and_then(List::lies_in)
            && let Ok(meta) = Meta::at(folder, Path::new(name))
        {
            self.engine.shared.made().add(meta.identity(), Path::new(name));
        }
        let most = (self.options.memory / PER_FILE).clamp(16, 4096) as usize;
        let options = self.options;
        let (together, select) = (options.layout.is_some(), &options.select);
        let mut files = 0;
        if together && !dates::clock_is_set() {
            let cause = "this computer's clock is not set, so dates in the future are not told from others";
            self.warn(&options.destination, cause.into());
        }
        let mut batch: Vec<Vec<Found>> = Vec::new();
        for source in &options.sources {
            let mut sink = |item: Item| {
                match item {
                    Item::Group(g) => {
                        files += g.len();
                        batch.push(g);
                        if files >= most {
                            files = 0;
                            self.batch(std::mem::take(&mut batch));
                        }
                    }
                    Item::Directory(f) => self.folder(f),
                    Item::Link(f) => self.link(&f),
                    Item::Problem { path, cause, skipped } => self.problem(&path, cause, skipped),
                }
                self.goes_on()
            };
            gather::walk(source, select, together, inside, &mut sink);
        }
        self.progress.complete();
        if !batch.is_empty() && self.goes_on() {
            self.batch(batch);
        }
        self.finish_folders();
        self.tell_lost();
        self.summary.verified = self.ways();
    }

    /// Whether there is any point in beginning more.
    fn goes_on(&mut self) -> bool {
        !self.is_interrupted() && self.broken.is_none()
    }

    /// Whether the run was asked to end. What has not been done from now on is not, so the run does not end well.
    fn is_interrupted(&mut self) -> bool {
        let stopped = self.progress.is_stopped();
        if stopped {
            self.broken.get_or_insert_with(|| "interrupted".into());
        }
        stopped
    }

    /// How copies were read back, by file system.
    fn ways(&self) -> Vec<Verified> {
        let mut all: BTreeMap<String, Verified> = BTreeMap::new();
        for ((device, way), count) in self.engine.shared.ways.all() {
            let name = file_system_name(device);
            let entry =
                all.entry(name.clone()).or_insert_with(|| Verified { file_system: name, ..Verified::default() });
            match way {
                Way::Direct => entry.direct += count,
                Way::Dropped => entry.dropped += count,
                Way::Cache => entry.cached += count,
            }
        }
        all.into_values().collect()
    }

    fn problem(&mut self, path: &Path, cause: String, skipped: bool) {
        let mut event = FileEvent::new(if skipped { Action::Skipped } else { Action::Failed }, path);
        event.cause = Some(cause);
        self.tell(event);
        self.summary.unreadable += u64::from(!skipped);
    }

    pub(crate) fn tell(&mut self, event: FileEvent<'_>) {
        self.summary.count(&event);
        (self.sink)(&Event::File(event));
    }

    pub(crate) fn warn(&mut self, path: &Path, cause: String) {
        (self.sink)(&Event::Warning { path, cause });
    }

    /// A folder of a tree.
    fn folder(&mut self, f: Found) {
        if !self.options.dry_run
            && let Err((path, e)) = self.engine.shared.make_folder(&f.below)
        {
            self.summary.unwritable += 1;
            let mut event = FileEvent::new(Action::Failed, &f.source.path);
            event.cause = Some(format!("{}: {}", path.display(), plain(&e)));
            self.tell(event);
            return;
        }
        if !self.options.dry_run {
            self.open_up(&f.below);
        }
        self.folders.push(f);
    }

    /// Lets us write to a folder of ours that an earlier run, or its owner, has closed to that; it gets its source's
    /// mode at the end.
    fn open_up(&self, below: &Path) {
        let Ok(folder) = self.root.folder(below) else { return };
        let Ok(meta) = Meta::of(&folder) else { return };
        let closed = meta.mode & 0o300 != 0o300 && meta.uid == rustix::process::geteuid().as_raw();
        if closed && !rustix::process::geteuid().is_root() {
            // Where that fails the files that go there say so.
            let _ = rustix::fs::fchmod(&folder, Mode::from_raw_mode(meta.mode & 0o7777 | 0o700));
        }
    }

    /// Gives folders the attributes, owner, mode and times of their sources: those inside come first.
    fn finish_folders(&mut self) {
        if self.options.dry_run {
            return;
        }
        for f in std::mem::take(&mut self.folders).into_iter().rev() {
            let dressed = f.source.open(OFlags::DIRECTORY).and_then(|source| {
                let meta = Meta::of(&source)?;
                let copy = self.root.folder(&f.below)?;
                crate::place::dress(&copy, &source, &meta)
            });
            let target = self.root.shown(&f.below);
            match dressed {
                Ok(lost) => self.note_lost(&target, lost),
                Err(e) => self.warn(&target, format!("its owner, mode and times could not be kept: {}", plain(&e))),
            }
        }
        self.sync_folders(HashSet::new());
    }

    /// A symbolic link of a tree, which is copied as such.
    fn link(&mut self, f: &Found) {
        let failed = |run: &mut Self, action, cause: String| {
            let mut event = FileEvent::new(action, &f.source.path);
            event.cause = Some(cause);
            run.tell(event);
        };
        let to = match f.source.root.as_ref().map(|root| root.read_link(&f.source.below)) {
            Some(Ok(to)) => to,
            Some(Err(e)) => {
                self.summary.unreadable += 1;
                return failed(self, Action::Failed, plain(&e));
            }
            None => return,
        };
        for n in 0..MOST_NAMES {
            let below = numbered(&f.below, &f.extension, n);
            let target = self.root.shown(&below);
            let done = if self.options.dry_run {
                match self.root.look(&below) {
                    Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                    Err(_) => Ok(()),
                }
            } else {
                let made = self.engine.shared.make_folder(above(&below)).map_err(|(_, e)| e);
                made.and_then(|folder| {
                    let name = below.file_name().unwrap_or_default();
                    Ok(rustix::fs::symlinkat(&to, &folder, name)?)
                })
            };
            let told = |action| {
                let mut event = FileEvent::new(action, &f.source.path);
                event.destination = Some(target.clone());
                event
            };
            match done {
                Ok(()) => {
                    if !self.options.dry_run {
                        self.engine.shared.fresh(above(&below));
                    }
                    return self.tell(told(Action::Linked));
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                    if self.root.read_link(&below).is_ok_and(|there| there == to) {
                        return self.tell(told(Action::Same));
                    }
                    let cause = format!("{} exists with other content", target.display());
                    match self.options.on_conflict {
                        OnConflict::Rename | OnConflict::Repair => {}
                        OnConflict::Skip => return failed(self, Action::Conflict, cause),
                        OnConflict::Fail => {
                            self.summary.conflicts += 1;
                            return failed(self, Action::Failed, cause);
                        }
                    }
                }
                Err(e) => {
                    self.summary.unwritable += 1;
                    return failed(self, Action::Failed, format!("{}: {}", target.display(), plain(&e)));
                }
            }
        }
    }

    /// Deals with some files until each of them is settled.
    fn batch(&mut self, groups: Vec<Vec<Found>>) {
        let taken = self.dates(&groups);
        self.entries.clear();
        self.groups.clear();
        self.claims.clear();
        self.known.clear();
        self.restless.clear();
        for (group, taken) in groups.into_iter().zip(taken) {
            let first = self.entries.len();
            for f in group {
                self.progress.found(0);
                let id = self.next + self.entries.len() as u64;
                self.entries.push(Member {
                    plan: self.plan(id, f, taken.clone()),
                    state: State::Open,
                    digests: None,
                    stamp: None,
                    read: false,
                    keep: false,
                });
            }
            self.groups.push(first..self.entries.len());
        }
        if self.options.dedupe {
            self.duplicates.begin(self.entries.iter().map(|m| m.plan.size));
        }
        // Wave after wave: what can be decided is set going, what depends on digests waits for them.
        let mut open: Vec<Range<usize>> = self.groups.clone();
        while !open.is_empty() && self.goes_on() {
            // Every look-up by itself would lock the catalogue anew.
            self.catalogue.iter().for_each(Catalogue::begin_reading);
            self.reserved.clear();
            self.duplicates.begin_wave();
            open.retain(|g| !self.resolve(g));
            self.catalogue.iter().for_each(Catalogue::end_reading);
            self.mend_catalogue();
            while self.on_the_way > 0 || !self.asked.is_empty() {
                // It ends only with the threads, which tell of everything before.
                let Ok(news) = self.news.recv() else { break };
                self.hear(news);
                if self.placed.len() >= SETTLE {
                    self.settle();
                }
            }
            self.settle();
        }
        let learned = std::mem::take(&mut self.learned);
        self.put(&learned);
        self.keep_list(false);
        self.next += self.entries.len() as u64;
        if let Some(journal) = &self.engine.shared.journal {
            journal.reset();
        }
    }

    /// When the pictures of each group were taken, if the layout wants to know.
    fn dates(&mut self, groups: &[Vec<Found>]) -> Vec<Option<Arc<Taken>>> {
        if self.options.layout.is_none() {
            return vec![None; groups.len()];
        }
        let open = |f: &Found| f.source.open(OFlags::empty());
        let dated = dates::all(groups, threads(self.options), self.options.memory, open);
        let mut all = Vec::new();
        for (group, dated) in groups.iter().zip(dated) {
            for i in dated.beyond {
                self.warn(&group[i].source.path, dates::beyond_cause(dated.taken.origin));
            }
            all.push(Some(dated.taken));
        }
        all
    }

    fn plan(&self, id: u64, f: Found, taken: Option<Arc<Taken>>) -> Plan {
        let layout = self.options.layout.clone().map(Arc::new);
        let naming = Naming {
            layout,
            taken,
            name: f.name().into(),
            extension: f.extension,
            below: f.below,
            digest: String::new(),
        };
        let (source, size, meta) = (f.source, f.meta.size, f.meta);
        Plan { id, source, size, meta, root: Arc::clone(&self.root), naming, number: 0, replace: None }
    }

    pub(crate) fn send(&mut self, i: usize, attempt: u32) {
        let plan = self.entries[i].plan.clone();
        let again = match self.options.verify {
            Verify::None | Verify::Hash => 0,
            Verify::Reread => 1,
            Verify::Source => 2,
        };
        self.progress.more(plan.size * (1 + again));
        self.on_the_way += 1;
        self.engine.copy(plan, attempt);
    }

    fn hear(&mut self, news: News) {
        match news {
            News::Known { what, result } => {
                self.asked.remove(&what);
                // It fails because the run was interrupted, which is told once, at the end.
                if result.is_err() && self.is_interrupted() {
                    return;
                }
                if let Err(Failure::Broken(cause)) = &result {
                    self.broken.get_or_insert_with(|| cause.clone());
                }
                match what {
                    Asked::File(path) => {
                        self.known.insert(path, result.map_err(|e| e.to_string()));
                    }
                    Asked::Earlier(size) => {
                        let digest = result.as_ref().ok().map(|known| &known.digests[self.telling]);
                        self.duplicates.earlier_known(size, digest);
                    }
                    Asked::Source(id) => self.source_known((id - self.next) as usize, result),
                }
            }
            News::Copy { plan, attempt, result } => {
                self.on_the_way -= 1;
                let i = (plan.id - self.next) as usize;
                match result {
                    Ok(copied) => {
                        self.entries[i].digests = Some(copied.digests.clone());
                        self.entries[i].stamp = Some(copied.source);
                        self.placed.push((i, copied));
                    }
                    Err(failure) => self.failed(i, attempt, &failure),
                }
            }
        }
    }

    fn source_known(&mut self, i: usize, result: Result<Known, Failure>) {
        let m = &mut self.entries[i];
        match result {
            Ok(known) => {
                // What was decided so far was about a file of this length.
                if known.stamp.size != m.plan.size {
                    return self.source_known(i, Err(Failure::Changed));
                }
                m.digests = Some(known.digests);
                m.stamp = Some(known.stamp);
                m.read = true;
            }
            Err(e) => {
                // In a rehearsal its name may have been given to it already.
                self.claims.retain(|_, &mut o| o != i);
                if self.entries[i].state == State::Open {
                    self.summary.unreadable += 1;
                    self.settled(i, Action::Failed, None, Some(e.to_string()));
                }
            }
        }
    }

    fn failed(&mut self, i: usize, attempt: u32, failure: &Failure) {
        if !matches!(failure, Failure::Broken(_)) && self.is_interrupted() {
            self.entries[i].state = State::Settled;
            return;
        }
        let source = self.entries[i].plan.source.clone();
        if attempt == 1 && matches!(failure, Failure::Mismatch { .. } | Failure::Changed) {
            self.warn(&source.path, format!("{failure}; copying it again"));
            self.summary.repeated += 1;
            if let Ok(meta) = source.open(OFlags::empty()).and_then(Meta::of) {
                let m = &mut self.entries[i];
                m.plan.size = meta.size;
                m.plan.meta = meta;
                (m.digests, m.stamp) = (None, None);
            }
            return self.send(i, 2);
        }
        let count = match failure {
            Failure::Source(_) | Failure::Changed => &mut self.summary.unreadable,
            Failure::Destination { .. } | Failure::Broken(_) => &mut self.summary.unwritable,
            Failure::Mismatch { .. } => &mut self.summary.mismatched,
            Failure::Conflict(_) => &mut self.summary.conflicts,
        };
        *count += 1;
        if let Failure::Broken(cause) = failure {
            self.broken.get_or_insert_with(|| cause.clone());
        }
        self.claims.retain(|_, &mut o| o != i);
        let conflict = matches!(failure, Failure::Conflict(_)) && self.options.on_conflict == OnConflict::Skip;
        if conflict {
            self.summary.conflicts -= 1;
        }
        let action = if conflict { Action::Conflict } else { Action::Failed };
        self.settled(i, action, None, Some(failure.to_string()));
    }
}

/// The name of the file system on a device: `ext4`.
fn file_system_name(device: u64) -> String {
    let wanted = format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
    let of_line = |line: &str| {
        let (mount, kind) = line.split_once(" - ")?;
        (mount.split(' ').nth(2)? == wanted).then(|| kind.split(' ').next().unwrap_or_default().to_string())
    };
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    // Btrfs gives every subvolume a device number of its own, which stands nowhere.
    table.lines().find_map(of_line).unwrap_or_else(|| "file system unknown".into())
}
