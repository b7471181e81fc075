//! What is done with every file: deciding, having it done, and keeping the record.

use crate::catalogue::{self, Catalogue, Entry, Stamp};
use crate::dates::{self, Reader, Taken};
use crate::engine::{Asked, Copied, Engine, Failure, Naming, News, Plan, Shared, threads};
use crate::event::{Action, Event, FileEvent, Summary};
use crate::gather::{self, Found, Item};
use crate::journal::{self, Journal};
use crate::layout::numbered;
use crate::options::{OnConflict, Options, Verify};
use crate::place;
use hashmill::Digest;
use hashmill_files::{Progress, plain};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

/// So many copies are made durable and recorded together.
const SETTLE: usize = 256;

/// Bytes that a file needs while it is being looked after.
const PER_FILE: u64 = 4 << 10;

/// So many names are tried for one file.
const MOST_NAMES: u32 = 100_000;

/// Clocks of file systems tick at least so often.
const TICK: Duration = Duration::from_millis(25);

/// Why nothing was begun.
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
}

/// Copies what the options say, and tells `sink` about every file as soon as its copy is durable. Files that cannot be copied are told as such; the rest
/// goes on.
///
/// # Errors
/// If nothing can be begun: see [`Error`].
pub fn copy(options: &Options, progress: &Arc<Progress>, sink: &mut dyn FnMut(&Event<'_>)) -> Result<Summary, Error> {
    let root = &options.destination;
    let refused = |e: &dyn std::fmt::Display| Error::Destination { path: root.clone(), cause: e.to_string() };
    let there = match fs::metadata(root) {
        Ok(m) if m.is_dir() => true,
        Ok(_) => return Err(refused(&"is no folder")),
        Err(e) if e.kind() == io::ErrorKind::NotFound => false,
        Err(e) => return Err(refused(&plain(&e))),
    };
    if !there && !options.dry_run {
        fs::create_dir_all(root).map_err(|e| refused(&plain(&e)))?;
    }
    let identity = fs::metadata(root).ok().map(|m| (m.dev(), m.ino()));
    for source in &options.sources {
        if identity.is_some() && fs::metadata(source).ok().map(|m| (m.dev(), m.ino())) == identity {
            return Err(Error::Itself(source.clone()));
        }
    }
    let journal = if options.dry_run { None } else { Some(Journal::begin(root).map_err(|e| refused(&plain(&e)))?) };
    let mut summary = Summary::default();
    let catalogue = if options.catalogue { open_catalogue(options, sink, &mut summary) } else { None };
    let (to_us, news) = mpsc::channel();
    let shared = Shared::new(options, journal, progress, to_us);
    let (summary, shared) = std::thread::scope(|scope| {
        let engine = Engine::start(scope, shared);
        let _end = End(&engine);
        let mut run = Run {
            options,
            engine: &engine,
            news,
            sink,
            summary,
            catalogue,
            progress,
            next: 0,
            entries: Vec::new(),
            groups: Vec::new(),
            claims: HashMap::new(),
            reserved: HashSet::new(),
            known: HashMap::new(),
            stamps: HashMap::new(),
            asked: HashSet::new(),
            on_the_way: 0,
            steady: RefCell::default(),
            learned: Vec::new(),
            placed: Vec::new(),
            ours: HashSet::new(),
            by_size: HashMap::new(),
            folders: Vec::new(),
        };
        run.all(identity);
        (std::mem::take(&mut run.summary), Arc::clone(&engine.shared))
    });
    if let Some(journal) = Arc::into_inner(shared).and_then(|s| s.journal) {
        journal.end();
    }
    Ok(summary)
}

/// Ends the threads, even after a panic.
struct End<'a, 's, 'e>(&'a Engine<'s, 'e>);

impl Drop for End<'_, '_, '_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

fn open_catalogue(options: &Options, sink: &mut dyn FnMut(&Event<'_>), summary: &mut Summary) -> Option<Catalogue> {
    let path = options.destination.join(journal::FOLDER).join("catalogue.sqlite");
    let mut warn = |cause: String| {
        summary.record_failed = true;
        sink(&Event::Warning { path: &path, cause });
    };
    match Catalogue::open(&options.destination, &options.computed(), !options.dry_run) {
        Ok((catalogue, anew)) => {
            if anew {
                sink(&Event::Warning { path: &path, cause: "was damaged; put aside and begun anew".into() });
            }
            Some(catalogue)
        }
        Err(e) => {
            warn(format!("cannot be used, so every file is read: {e}"));
            None
        }
    }
}

/// A file of the batch.
struct Member {
    plan: Plan,
    state: State,
    /// Of the source.
    digests: Option<Vec<Digest>>,
    /// It was read for those alone.
    read: bool,
    /// It is not deleted, whatever becomes of it.
    keep: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    /// Not decided.
    Open,
    /// On its way.
    Copying,
    Settled,
}

/// How a name suits a file.
enum Check {
    Free,
    Same,
    /// What is there is something else: whether this run has put it there, and whether it is a file.
    Other {
        ours: bool,
        file: bool,
    },
    /// It depends on digests that have been asked for.
    Unknown,
}

struct Run<'a, 's, 'e> {
    options: &'a Options,
    engine: &'a Engine<'s, 'e>,
    news: mpsc::Receiver<News>,
    sink: &'a mut dyn FnMut(&Event<'_>),
    summary: Summary,
    catalogue: Option<Catalogue>,
    progress: &'a Arc<Progress>,
    /// The number of the first member of this batch.
    next: u64,
    entries: Vec<Member>,
    groups: Vec<Range<usize>>,
    /// Names that files of this batch have or will have, relative to the destination.
    claims: HashMap<PathBuf, usize>,
    /// Names about which files that come first have not been decided yet.
    reserved: HashSet<PathBuf>,
    /// Digests of the destination's files.
    known: HashMap<PathBuf, Result<Vec<Digest>, String>>,
    /// Those files when they were asked for.
    stamps: HashMap<PathBuf, Stamp>,
    /// What has been asked for and not been answered.
    asked: HashSet<Asked>,
    /// Copies that have not been reported.
    on_the_way: usize,
    /// Devices on which a source can be recognized in another run.
    steady: RefCell<HashMap<u64, bool>>,
    /// What the catalogue does not know yet.
    learned: Vec<Entry>,
    /// Copies that have their names and are not known to be durable.
    placed: Vec<(usize, Box<Copied>)>,
    /// What this run has put into the destination: never replaced by another file of the run.
    ours: HashSet<u128>,
    /// The destination's files by their length, where duplicates are looked for.
    by_size: HashMap<u64, Vec<PathBuf>>,
    /// Folders of a tree, which get their times when all is in them.
    folders: Vec<(PathBuf, fs::Metadata)>,
}

impl Run<'_, '_, '_> {
    fn all(&mut self, inside: Option<(u64, u64)>) {
        if self.options.dedupe {
            self.list_destination();
        }
        let most = (self.options.memory / PER_FILE).clamp(16, 4096) as usize;
        let options = self.options;
        let (together, select) = (options.layout.is_some(), &options.select);
        let mut files = 0;
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
                true
            };
            gather::walk(source, select, together, inside, &mut sink);
        }
        self.progress.complete();
        if !batch.is_empty() {
            self.batch(batch);
        }
        self.finish_folders();
        self.summary.direct = self.engine.shared.ways.direct.load(Relaxed);
        self.summary.dropped = self.engine.shared.ways.dropped.load(Relaxed);
    }

    fn problem(&mut self, path: &Path, cause: String, skipped: bool) {
        let mut event = FileEvent::new(if skipped { Action::Skipped } else { Action::Failed }, path);
        event.cause = Some(cause);
        self.tell(event);
        self.summary.unreadable += u64::from(!skipped);
    }

    fn tell(&mut self, event: FileEvent<'_>) {
        self.summary.count(&event);
        (self.sink)(&Event::File(event));
    }

    /// Lists the destination by length.
    fn list_destination(&mut self) {
        let root = &self.options.destination;
        let ours = |e: &walkdir::DirEntry| e.depth() == 0 || e.file_name() != journal::FOLDER;
        for entry in walkdir::WalkDir::new(root).into_iter().filter_entry(ours).flatten() {
            if !entry.file_type().is_file() || journal::is_temporary(entry.file_name()) {
                continue;
            }
            if let (Ok(meta), Ok(below)) = (entry.metadata(), entry.path().strip_prefix(root)) {
                self.by_size.entry(meta.len()).or_default().push(below.into());
            }
        }
    }

    /// A folder of a tree.
    fn folder(&mut self, f: Found) {
        let target = self.options.destination.join(&f.below);
        if !self.options.dry_run
            && let Err((path, e)) = self.engine.shared.make_folder(&target)
        {
            self.summary.unwritable += 1;
            let mut event = FileEvent::new(Action::Failed, &f.path);
            event.cause = Some(format!("{}: {}", path.display(), plain(&e)));
            self.tell(event);
            return;
        }
        self.folders.push((target, f.meta));
    }

    /// Gives folders the mode and times of their sources: those inside come first.
    fn finish_folders(&mut self) {
        if self.options.dry_run {
            return;
        }
        for (path, meta) in std::mem::take(&mut self.folders).into_iter().rev() {
            let dressed = File::open(&path).and_then(|f| {
                f.set_permissions(meta.permissions())?;
                place::set_times(&f, &meta)
            });
            if let Err(e) = dressed {
                let cause = format!("its mode and times could not be kept: {}", plain(&e));
                (self.sink)(&Event::Warning { path: &path, cause });
            }
        }
        self.sync_folders(HashSet::new());
    }

    /// A symbolic link of a tree, which is copied as such.
    fn link(&mut self, f: &Found) {
        let failed = |run: &mut Self, action, cause: String| {
            let mut event = FileEvent::new(action, &f.path);
            event.cause = Some(cause);
            run.tell(event);
        };
        let to = match fs::read_link(&f.path) {
            Ok(to) => to,
            Err(e) => {
                self.summary.unreadable += 1;
                return failed(self, Action::Failed, plain(&e));
            }
        };
        for n in 0..MOST_NAMES {
            let below = numbered(&f.below, &f.extension, n);
            let target = self.options.destination.join(&below);
            let done = if self.options.dry_run {
                match fs::symlink_metadata(&target) {
                    Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                    Err(_) => Ok(()),
                }
            } else {
                let made = target.parent().map_or(Ok(()), |p| self.engine.shared.make_folder(p));
                made.map_err(|(_, e)| e).and_then(|()| std::os::unix::fs::symlink(&to, &target))
            };
            let told = |action| {
                let mut event = FileEvent::new(action, &f.path);
                event.destination = Some(target.clone());
                event
            };
            match done {
                Ok(()) => {
                    let mut folders = HashSet::new();
                    folders.extend(target.parent().map(Path::to_path_buf));
                    if !self.options.dry_run {
                        self.sync_folders(folders);
                    }
                    return self.tell(told(Action::Linked));
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                    if fs::read_link(&target).is_ok_and(|there| there == to) {
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
        self.stamps.clear();
        for (group, taken) in groups.into_iter().zip(taken) {
            let first = self.entries.len();
            for f in group {
                self.progress.found(0);
                let id = self.next + self.entries.len() as u64;
                self.entries.push(Member {
                    plan: self.plan(id, f, taken.clone()),
                    state: State::Open,
                    digests: None,
                    read: false,
                    keep: false,
                });
            }
            self.groups.push(first..self.entries.len());
        }
        // Wave after wave: what can be decided is set going, what depends on digests waits for them.
        let mut open: Vec<Range<usize>> = self.groups.clone();
        while !open.is_empty() {
            // Every look-up by itself would lock the catalogue anew.
            self.catalogue.iter().for_each(Catalogue::begin_reading);
            self.reserved.clear();
            open.retain(|g| !self.resolve(g));
            self.catalogue.iter().for_each(Catalogue::end_reading);
            while self.on_the_way > 0 || !self.asked.is_empty() {
                if let Ok(news) = self.news.recv() {
                    self.hear(news);
                }
                if self.placed.len() >= SETTLE {
                    self.settle();
                }
            }
            self.settle();
        }
        let learned = std::mem::take(&mut self.learned);
        self.put(&learned);
        self.next += self.entries.len() as u64;
        if let Some(journal) = &self.engine.shared.journal {
            journal.reset();
        }
    }

    /// When the pictures of each group were taken, if the layout wants to know.
    fn dates(&self, groups: &[Vec<Found>]) -> Vec<Option<Arc<Taken>>> {
        if self.options.layout.is_none() {
            return vec![None; groups.len()];
        }
        let found: Vec<Mutex<Option<Arc<Taken>>>> = groups.iter().map(|_| Mutex::new(None)).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut reader = Reader::new();
            while let (i, Some(group)) = {
                let i = next.fetch_add(1, Relaxed);
                (i, groups.get(i))
            } {
                let first = &group[0];
                // The first that says when it was taken speaks for all.
                let inside = group.iter().filter(|f| f.kind < gather::Kind::Sidecar).map(|f| reader.read(&f.path));
                let mut best = dates::Inside::default();
                for inside in inside {
                    let better = best.date.is_none() && inside.date.is_some();
                    if best.model.is_empty() {
                        (best.make, best.model) = (inside.make.clone(), inside.model.clone());
                    }
                    if better {
                        best.date = inside.date;
                    }
                }
                let taken = dates::taken(best, first.name(), &first.meta);
                *found[i].lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(taken));
            }
        };
        let workers = threads(self.options).min(groups.len().div_ceil(16));
        std::thread::scope(|s| {
            for _ in 1..workers {
                s.spawn(work);
            }
            work();
        });
        found.into_iter().map(|f| f.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
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
        Plan {
            id,
            follow: self.options.sources.contains(&f.path),
            source: f.path,
            size: f.meta.len(),
            meta: f.meta,
            root: Arc::clone(&self.engine.shared.root),
            naming,
            number: 0,
            replace: false,
        }
    }

    /// Decides about the files of a group that are still open. False if that has to wait.
    fn resolve(&mut self, group: &Range<usize>) -> bool {
        let members: Vec<usize> = group.clone().filter(|&i| self.entries[i].state == State::Open).collect();
        let Some(&main) = members.first() else { return true };
        if self.options.layout.as_ref().is_some_and(|l| l.needs_digest())
            && self.entries[main].plan.naming.digest.is_empty()
        {
            let Some(digests) = self.source_digests(main) else { return false };
            let text = digests[0].to_string();
            members.iter().for_each(|&i| self.entries[i].plan.naming.digest.clone_from(&text));
        }
        if self.options.dedupe {
            // A sidecar may well be the same as another picture's, so it goes only with its own.
            let found: Option<Vec<Option<PathBuf>>> = members.iter().map(|&i| self.duplicate(i)).collect();
            let Some(found) = found else { return false };
            if found.iter().all(Option::is_some) {
                for (&i, path) in members.iter().zip(found) {
                    self.settled(i, Action::Duplicate, path, None);
                }
                return true;
            }
        }
        let policy = self.options.on_conflict;
        for n in 0..MOST_NAMES {
            let names: Vec<PathBuf> = members.iter().map(|&i| self.entries[i].plan.naming.path(n)).collect();
            let mut checks = Vec::new();
            for (&i, name) in members.iter().zip(&names) {
                checks.push(self.check(i, name));
            }
            if checks.iter().any(|c| matches!(c, Check::Unknown)) {
                self.reserved.extend(names);
                return false;
            }
            // Files of one run never take each other's places.
            let moves = |c: &Check| match (c, policy) {
                (Check::Other { .. }, OnConflict::Rename) | (Check::Other { ours: true, .. }, _) => true,
                (Check::Other { file, .. }, OnConflict::Repair) => !file,
                _ => false,
            };
            if checks.iter().any(moves) {
                continue;
            }
            for ((&i, name), check) in members.iter().zip(names).zip(checks) {
                match check {
                    Check::Same => self.same(i, name),
                    Check::Other { .. } if policy != OnConflict::Repair => {
                        let action = if policy == OnConflict::Skip { Action::Conflict } else { Action::Failed };
                        let cause = Failure::Conflict(self.options.destination.join(&name)).to_string();
                        if action == Action::Failed {
                            self.summary.conflicts += 1;
                        }
                        self.settled(i, action, Some(name), Some(cause));
                    }
                    Check::Free | Check::Other { .. } | Check::Unknown => {
                        let m = &mut self.entries[i];
                        m.plan.number = n;
                        m.plan.replace = matches!(check, Check::Other { .. });
                        self.claims.insert(name.clone(), i);
                        if self.options.dry_run {
                            self.settled(i, Action::Copied, Some(name), None);
                        } else {
                            m.state = State::Copying;
                            self.send(i, 1);
                        }
                    }
                }
            }
            return true;
        }
        for i in members {
            self.summary.conflicts += 1;
            self.settled(i, Action::Failed, None, Some(format!("{MOST_NAMES} names are taken")));
        }
        true
    }

    fn send(&mut self, i: usize, attempt: u32) {
        let plan = &self.entries[i].plan;
        let again = match self.options.verify {
            Verify::None | Verify::Hash => 0,
            Verify::Reread => 1,
            Verify::Source => 2,
        };
        self.progress.more(plan.size * (1 + again));
        let plan = Arc::new(Plan {
            source: plan.source.clone(),
            meta: plan.meta.clone(),
            root: Arc::clone(&plan.root),
            naming: plan.naming.clone(),
            ..*plan
        });
        self.on_the_way += 1;
        self.engine.copy(&plan, attempt);
    }

    /// Whether a source can be recognized in another run.
    fn is_steady(&self, plan: &Plan) -> bool {
        let look = || catalogue::is_steady(&plan.source);
        *self.steady.borrow_mut().entry(plan.meta.dev()).or_insert_with(look)
    }

    /// Whether what is known from other runs counts.
    fn believes(&self) -> bool {
        // What will be deleted is read again: the source, and the copy from the medium.
        !self.options.fresh && !self.options.remove
    }

    /// The digests of a source, if they are known; else they have been asked for.
    fn source_digests(&mut self, i: usize) -> Option<Vec<Digest>> {
        let m = &self.entries[i];
        if let Some(d) = &m.digests {
            return Some(d.clone());
        }
        if m.state == State::Copying {
            return None;
        }
        let stamp = Stamp::of(&m.plan.meta);
        if self.believes()
            && self.is_steady(&m.plan)
            && let Some(c) = &self.catalogue
            && let Some(d) = c.source(&catalogue::remembered(&m.plan.source), &stamp)
        {
            self.entries[i].digests = Some(d.clone());
            return Some(d);
        }
        if self.asked.insert(Asked::Source(m.plan.id)) {
            self.progress.more(m.plan.size);
            self.engine.read_source(&m.plan);
        }
        None
    }

    /// The digests of a file of the destination, if they are known; else they have been asked for. An error if it cannot be read.
    fn file_digests(&mut self, path: &Path, meta: &fs::Metadata) -> Option<Result<Vec<Digest>, String>> {
        if let Some(d) = self.known.get(path) {
            return Some(d.clone());
        }
        if self.believes()
            && let Some(c) = &self.catalogue
            && let Some(d) = c.file(path, &Stamp::of(meta))
        {
            return Some(Ok(d));
        }
        if self.asked.insert(Asked::File(path.into())) {
            self.stamps.insert(path.into(), Stamp::of(meta));
            self.progress.more(meta.len());
            self.engine.read_file(path, meta.len(), self.options.remove);
        }
        None
    }

    /// How a name suits a file.
    fn check(&mut self, i: usize, name: &Path) -> Check {
        let size = self.entries[i].plan.size;
        if let Some(&other) = self.claims.get(name) {
            if other == i {
                return Check::Free;
            }
            if self.entries[other].plan.size != size {
                return Check::Other { ours: true, file: true };
            }
            let (a, b) = (self.source_digests(i), self.source_digests(other));
            return match (a, b) {
                // Until its copy is durable it may still fail.
                (Some(a), Some(b)) if a == b && self.entries[other].state == State::Copying => Check::Unknown,
                (Some(a), Some(b)) if a == b => Check::Same,
                (Some(_), Some(_)) => Check::Other { ours: true, file: true },
                _ => Check::Unknown,
            };
        }
        // One that comes before this may want it, or have it.
        if self.reserved.contains(name) {
            return Check::Unknown;
        }
        // What cannot be looked at will say why when it is written.
        let Ok(meta) = fs::symlink_metadata(self.options.destination.join(name)) else { return Check::Free };
        let ours = self.ours.contains(&number(name));
        let plan = &self.entries[i].plan;
        if (meta.dev(), meta.ino()) == (plan.meta.dev(), plan.meta.ino()) {
            return Check::Same;
        }
        if !meta.is_file() || meta.len() != size {
            return Check::Other { ours, file: meta.is_file() };
        }
        let (there, here) = (self.file_digests(name, &meta), self.source_digests(i));
        match (there, here) {
            (Some(Ok(a)), Some(b)) if a == b => Check::Same,
            // What cannot be read is not what we want there.
            (Some(_), Some(_)) | (Some(Err(_)), None) => Check::Other { ours, file: true },
            _ => Check::Unknown,
        }
    }

    /// Whether the destination has a file's content already: where. None if that depends on digests.
    fn duplicate(&mut self, i: usize) -> Option<Option<PathBuf>> {
        let (size, identity) = {
            let plan = &self.entries[i].plan;
            (plan.size, (plan.meta.dev(), plan.meta.ino()))
        };
        if size == 0 {
            return Some(None);
        }
        let candidates = self.by_size.get(&size).cloned().unwrap_or_default();
        let others: Vec<(PathBuf, usize)> = self
            .claims
            .iter()
            .filter(|&(_, &o)| o != i && self.entries[o].plan.size == size)
            .map(|(p, &o)| (p.clone(), o))
            .collect();
        if candidates.is_empty() && others.is_empty() {
            return Some(None);
        }
        let mut unknown = false;
        let here = self.source_digests(i);
        for path in candidates {
            let Ok(meta) = fs::symlink_metadata(self.options.destination.join(&path)) else { continue };
            if !meta.is_file() || meta.len() != size || (meta.dev(), meta.ino()) == identity {
                continue;
            }
            match (self.file_digests(&path, &meta), &here) {
                (Some(Ok(there)), Some(here)) if there == *here => return Some(Some(path)),
                (None, _) | (_, None) => unknown = true,
                _ => {}
            }
        }
        for (path, other) in others {
            if self.entries[other].state == State::Copying {
                unknown = true;
                continue;
            }
            match (self.source_digests(other), &here) {
                (Some(there), Some(here)) if there == *here => return Some(Some(path)),
                (None, _) | (_, None) => unknown = true,
                _ => {}
            }
        }
        if unknown { None } else { Some(None) }
    }

    /// The destination has it already.
    fn same(&mut self, i: usize, name: PathBuf) {
        self.remember(i, &name);
        // No other file of the run takes its place.
        self.ours.insert(number(&name));
        self.claims.insert(name.clone(), i);
        self.settled(i, Action::Same, Some(name), None);
    }

    /// Notes for the catalogue what has been read of a file that was there already.
    fn remember(&mut self, i: usize, name: &Path) {
        if self.options.dry_run || self.catalogue.is_none() {
            return;
        }
        // As it was before it was read: one that was written to meanwhile has another stamp now.
        if let (Some(Ok(there)), Some(&stamp)) = (self.known.get(name), self.stamps.get(name)) {
            let path = name.to_path_buf();
            self.learned.push(Entry::File { path, stamp, digests: there.clone() });
        }
        let m = &self.entries[i];
        if let (true, Some(digests)) = (m.read, &m.digests)
            && self.is_steady(&m.plan)
        {
            let path = catalogue::remembered(&m.plan.source);
            self.learned.push(Entry::Source { path, stamp: Stamp::of(&m.plan.meta), digests: digests.clone() });
        }
    }

    /// Writes to the catalogue. Where that fails it is not asked any more.
    fn put(&mut self, entries: &[Entry]) {
        if let Some(catalogue) = &mut self.catalogue
            && !entries.is_empty()
            && let Err(e) = catalogue.put(entries)
        {
            self.summary.record_failed = true;
            let path = self.options.destination.join(journal::FOLDER).join("catalogue.sqlite");
            (self.sink)(&Event::Warning { path: &path, cause: format!("cannot be written: {e}") });
            self.catalogue = None;
        }
    }

    /// Says what became of a file.
    fn settled(&mut self, i: usize, action: Action, path: Option<PathBuf>, cause: Option<String>) {
        self.progress.done();
        let m = &mut self.entries[i];
        m.state = State::Settled;
        let target = path.as_ref().map(|p| self.options.destination.join(p));
        let mut removed = false;
        let mut failed = None;
        if self.options.remove
            && !m.keep
            && !self.options.dry_run
            && matches!(action, Action::Copied | Action::Same | Action::Duplicate)
            && let Some(target) = &target
        {
            match remove(&m.plan, target) {
                Ok(done) => removed = done,
                Err(e) => failed = Some(e),
            }
        }
        let source = m.plan.source.clone();
        let digests = m.digests.clone().unwrap_or_default();
        let taken = m.plan.naming.taken.clone();
        let (size, replaced, number) = (m.plan.size, m.plan.replace, m.plan.number);
        let copied = action == Action::Copied;
        let mut event = FileEvent::new(action, &source);
        event.below = path;
        event.destination = target;
        event.bytes = size;
        event.taken = taken.as_deref();
        event.cause = cause;
        event.removed = removed;
        event.replaced = copied && replaced;
        event.renamed = copied && number > 0;
        let algorithms = &self.engine.shared.algorithms;
        event.digests = algorithms.iter().copied().zip(digests).take(self.options.algorithms.len()).collect();
        self.tell(event);
        if let Some(cause) = failed {
            self.summary.unwritable += 1;
            (self.sink)(&Event::Warning { path: &source, cause: format!("copied but not deleted: {cause}") });
        }
    }

    fn hear(&mut self, news: News) {
        match news {
            News::Known { what, result } => {
                self.asked.remove(&what);
                match what {
                    Asked::File(path) => {
                        self.known.insert(path, result);
                    }
                    Asked::Source(id) => {
                        let i = (id - self.next) as usize;
                        match result {
                            Ok(d) => {
                                self.entries[i].digests = Some(d);
                                self.entries[i].read = true;
                            }
                            Err(e) => {
                                // In a rehearsal its name may have been given to it already.
                                self.claims.retain(|_, &mut o| o != i);
                                if self.entries[i].state == State::Open {
                                    self.summary.unreadable += 1;
                                    self.settled(i, Action::Failed, None, Some(e));
                                }
                            }
                        }
                    }
                }
            }
            News::Copy { plan, attempt, result } => {
                self.on_the_way -= 1;
                let i = (plan.id - self.next) as usize;
                match result {
                    Ok(copied) => {
                        self.entries[i].digests = Some(copied.digests.clone());
                        self.placed.push((i, copied));
                    }
                    Err(failure) => self.failed(i, attempt, &failure),
                }
            }
        }
    }

    fn failed(&mut self, i: usize, attempt: u32, failure: &Failure) {
        let source = self.entries[i].plan.source.clone();
        if attempt == 1 && matches!(failure, Failure::Mismatch { .. } | Failure::Changed) {
            let cause = format!("{failure}; copying it again");
            (self.sink)(&Event::Warning { path: &source, cause });
            self.summary.repeated += 1;
            if let Ok(meta) = fs::symlink_metadata(&source) {
                let plan = &mut self.entries[i].plan;
                plan.size = meta.len();
                plan.meta = meta;
            }
            return self.send(i, 2);
        }
        let count = match failure {
            Failure::Source(_) | Failure::Changed => &mut self.summary.unreadable,
            Failure::Destination { .. } => &mut self.summary.unwritable,
            Failure::Mismatch { .. } => &mut self.summary.mismatched,
            Failure::Conflict(_) => &mut self.summary.conflicts,
        };
        *count += 1;
        self.claims.retain(|_, &mut o| o != i);
        let conflict = matches!(failure, Failure::Conflict(_)) && self.options.on_conflict == OnConflict::Skip;
        if conflict {
            self.summary.conflicts -= 1;
        }
        let action = if conflict { Action::Conflict } else { Action::Failed };
        self.settled(i, action, None, Some(failure.to_string()));
    }

    /// Makes new names in these folders durable. Whether that went well.
    fn sync_folders(&mut self, mut folders: HashSet<PathBuf>) -> bool {
        let mut well = true;
        folders.extend(self.engine.shared.fresh_folders.lock().unwrap_or_else(PoisonError::into_inner).drain());
        for folder in folders {
            if let Err(e) = place::sync_folder(&folder) {
                well = false;
                self.summary.unwritable += 1;
                let cause = format!("may not survive a power failure: {}", plain(&e));
                (self.sink)(&Event::Warning { path: &folder, cause });
            }
        }
        well
    }

    /// Makes names durable, and only then says that files are copied, records them and deletes their sources.
    fn settle(&mut self) {
        let placed = std::mem::take(&mut self.placed);
        if placed.is_empty() {
            return;
        }
        let target = |c: &Copied| self.options.destination.join(&c.path);
        let folders = placed.iter().filter_map(|(_, c)| target(c).parent().map(Path::to_path_buf)).collect();
        let durable = self.sync_folders(folders);
        if self.catalogue.is_some() {
            // Digests are kept only of files that are older than a tick of the clock, so that whatever changes them later shows.
            std::thread::sleep(TICK);
            let mut entries = Vec::new();
            for (i, c) in &placed {
                let now = fs::symlink_metadata(self.options.destination.join(&c.path)).ok().map(|m| Stamp::of(&m));
                if let (Some(stamp), true) = (c.copy, now == c.copy) {
                    entries.push(Entry::File { path: c.path.clone(), stamp, digests: c.digests.clone() });
                }
                let source = &self.entries[*i].plan.source;
                if !self.options.remove && self.is_steady(&self.entries[*i].plan) {
                    let path = catalogue::remembered(source);
                    entries.push(Entry::Source { path, stamp: c.source, digests: c.digests.clone() });
                }
            }
            self.put(&entries);
        }
        for (i, c) in placed {
            self.ours.insert(number(&c.path));
            if self.options.dedupe {
                self.by_size.entry(self.entries[i].plan.size).or_default().push(c.path.clone());
            }
            if let Some(lost) = c.lost {
                let path = self.options.destination.join(&c.path);
                (self.sink)(&Event::Warning { path: &path, cause: format!("without extended attributes {lost}") });
            }
            self.entries[i].plan.replace = c.replaced;
            let planned = self.entries[i].plan.naming.path(self.entries[i].plan.number);
            if planned != c.path {
                self.entries[i].plan.number = u32::MAX;
                self.claims.remove(&planned);
                self.claims.insert(c.path.clone(), i);
            }
            // What somebody else put there a moment ago has not been read from the medium; and a name may be lost yet.
            self.entries[i].keep = c.already || !durable;
            let action = if c.already { Action::Same } else { Action::Copied };
            self.settled(i, action, Some(c.path), None);
        }
    }
}

/// Deletes a source whose copy is durable and right. False if the two are one file.
fn remove(plan: &Plan, target: &Path) -> Result<bool, String> {
    let now = fs::symlink_metadata(&plan.source).map_err(|e| plain(&e))?;
    let there = fs::metadata(target).map_err(|e| plain(&e))?;
    if (now.dev(), now.ino()) == (there.dev(), there.ino()) {
        return Ok(false);
    }
    if Stamp::of(&now) != Stamp::of(&plan.meta) {
        return Err("it has changed since".into());
    }
    fs::remove_file(&plan.source).map_err(|e| plain(&e))?;
    Ok(true)
}

/// A number for a name, different for different names as far as anybody will live to see. Two of one number would only mean that a
/// file is not replaced.
fn number(path: &Path) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, path).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}
