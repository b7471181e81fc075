//! The threads, and what goes from one to the next.
//!
//! ```text
//! one pool per source device         four threads            the pool of the destination's device
//! read, hash, write (transfer.rs) →  metadata, fsync      →  read back from the medium (reading.rs), compare, name
//!        ↑ again, if the comparison fails once
//! ```
//!
//! The pools hash in lanes where the algorithms have them. How many copies wait to be read back is bounded, and so are
//! the buffers and the descriptors; the pages that are being written are the kernel's own.
//!
//! Whatever becomes of a file, the main thread hears of it: a [`Ticket`] goes with it from thread to thread, and one
//! that is dropped (because a thread panicked) tells that, too.

use crate::beneath::{Folder, Root, not_through_links};
use crate::dates::Taken;
use crate::journal::Journal;
use crate::layout::{Facts, Layout, numbered};
use crate::meta::{Identity, Meta, Stamp};
use crate::options::{OnConflict, Options, Verify};
use crate::pipe::{Permits, Pipe};
use crate::place::{self, Lost, Placed, Temporary, uninterrupted};
use crate::reading::{Known, Opener, Reading, Then, Ways};
use crate::transfer::Transfer;
use hashmill::unstable::Mill;
use hashmill::{Algorithm, Digest, Hasher};
use hashmill_files::{Progress, Task, one_reader, perform, plain, raise_descriptor_limit};
use rustix::fs::OFlags;
use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{Builder, Scope};

/// Threads that wait for the medium.
const SYNCERS: usize = 4;

/// Copies that wait for one of those at most.
const WRITTEN: usize = 64;

/// Copies that wait to be read back at most.
const UNVERIFIED: usize = 256;

/// Descriptors that are open at once at most: more would not make anything faster.
const DESCRIPTORS: usize = 8192;

/// Descriptors of a file on its way: the source (and later the copy, read back), the copy, and its folder, with one to
/// look into that.
const PER_COPY: usize = 4;

/// A source: a path for messages, and how it is really reached.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    /// The folder below which it was found; none if it was named by hand, and then it may be a link.
    pub(crate) root: Option<Arc<Root>>,
    /// Its path below that.
    pub(crate) below: PathBuf,
}

impl Source {
    pub(crate) fn open(&self, more: OFlags) -> io::Result<File> {
        match &self.root {
            Some(root) => root.file(&self.below, more),
            None => place::open_named(&self.path, more),
        }
    }

    /// The folder that it lies in, looked up anew, and its name there.
    pub(crate) fn place(&self) -> io::Result<(Folder, OsString)> {
        if let Some(root) = &self.root {
            root.forget();
            let (folder, name) = root.split(&self.below)?;
            return Ok((folder, name.into()));
        }
        let name = self.path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let above = self.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok((Arc::clone(Root::open(above, true)?.fd()), name.into()))
    }

    fn opener(&self) -> Opener {
        let source = self.clone();
        Box::new(move |flags| source.open(flags))
    }
}

/// A file and where it goes.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// Its number among all files.
    pub(crate) id: u64,
    pub(crate) source: Source,
    pub(crate) size: u64,
    pub(crate) meta: Meta,
    /// The destination, for messages.
    pub(crate) root: Arc<Root>,
    pub(crate) naming: Naming,
    /// Which of its possible names it gets.
    pub(crate) number: u32,
    /// What it replaces under that name.
    pub(crate) replace: Option<Stamp>,
}

/// What a file may be called.
#[derive(Debug, Clone)]
pub(crate) struct Naming {
    pub(crate) layout: Option<Arc<Layout>>,
    pub(crate) taken: Option<Arc<Taken>>,
    pub(crate) name: OsString,
    pub(crate) extension: Vec<u8>,
    /// The path below its source.
    pub(crate) below: PathBuf,
    /// In hexadecimal, where the layout needs it.
    pub(crate) digest: String,
}

impl Naming {
    /// The `n`th name, relative to the destination.
    pub(crate) fn path(&self, n: u32) -> PathBuf {
        match (&self.layout, &self.taken) {
            (Some(layout), Some(taken)) => {
                let folder = self.below.parent().unwrap_or(Path::new(""));
                let (name, extension) = (self.name.as_os_str(), &self.extension[..]);
                layout.path(&Facts { taken, name, extension, folder, digest: &self.digest }, n)
            }
            _ => numbered(&self.below, &self.extension, n),
        }
    }
}

/// The folder of a path.
pub(crate) fn above(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

impl Plan {
    /// The folder of the final name, relative to the destination.
    pub(crate) fn folder(&self) -> PathBuf {
        above(&self.naming.path(self.number)).into()
    }

    /// What went wrong with the copy.
    pub(crate) fn destination(&self, e: &io::Error) -> Failure {
        Failure::Destination { path: self.root.shown(&self.naming.path(self.number)), cause: plain(e) }
    }
}

/// A copy under its temporary name.
pub(crate) struct Written {
    pub(crate) ticket: Ticket,
    pub(crate) source: File,
    /// The source as it was while it was read.
    pub(crate) meta: Meta,
    pub(crate) copy: Temporary,
    pub(crate) digests: Vec<Digest>,
    pub(crate) held: Held,
}

/// Why a file was not copied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Source(String),
    #[error("changed while it was read")]
    Changed,
    #[error("{}: {cause}", .path.display())]
    Destination { path: PathBuf, cause: String },
    /// The copy, or the source, had other bytes when it was read again.
    #[error("{}", if *.original { "gave other bytes when it was read again" } else { "the copy read back from the medium differs" })]
    Mismatch { original: bool },
    #[error("{} exists with other content", .0.display())]
    Conflict(PathBuf),
    /// This program is at fault, or the system refused a thread: nothing that comes later would go better.
    #[error("{0}")]
    Broken(String),
}

impl Failure {
    /// What hashing says of a source.
    pub(crate) fn of_source(e: &hashmill_files::Error) -> Failure {
        if matches!(e, hashmill_files::Error::Panicked) {
            Failure::Broken(e.to_string())
        } else {
            Failure::Source(e.to_string())
        }
    }
}

/// A file that has its final name.
#[derive(Debug)]
pub(crate) struct Copied {
    /// Relative to the destination.
    pub(crate) path: PathBuf,
    pub(crate) digests: Vec<Digest>,
    /// The source as it was while it was read.
    pub(crate) source: Stamp,
    /// The copy when it got its name.
    pub(crate) copy: Option<Stamp>,
    /// It replaced a file.
    pub(crate) replaced: bool,
    /// Somebody else had put the same there meanwhile.
    pub(crate) already: bool,
    /// What could not be kept.
    pub(crate) lost: Lost,
}

/// What the main thread is told.
pub(crate) enum News {
    Copy {
        plan: Arc<Plan>,
        attempt: u32,
        result: Result<Box<Copied>, Failure>,
    },
    /// A source or a destination that was read for its digests.
    Known {
        what: Asked,
        result: Result<Known, Failure>,
    },
}

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Asked {
    Source(u64),
    /// Relative to the destination.
    File(PathBuf),
    /// A file of an earlier batch of a rehearsal, by its length.
    Earlier(u64),
}

/// The duty to tell the main thread what became of a copy.
pub(crate) struct Ticket {
    shared: Arc<Shared>,
    plan: Arc<Plan>,
    attempt: u32,
    told: bool,
}

impl Ticket {
    pub(crate) fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    pub(crate) fn report(mut self, result: Result<Box<Copied>, Failure>) {
        self.tell(result);
    }

    fn tell(&mut self, result: Result<Box<Copied>, Failure>) {
        self.told = true;
        self.shared.tell(News::Copy { plan: Arc::clone(&self.plan), attempt: self.attempt, result });
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.told {
            self.tell(Err(Failure::Broken("a thread of this program panicked".into())));
        }
    }
}

/// Descriptors that a file may have open.
pub(crate) struct Held {
    descriptors: Arc<Permits>,
    count: usize,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.descriptors.give(self.count);
    }
}

/// What this run has put into the destination, or found there to be what it would have put there: never replaced by
/// another file of the run, whatever the file system thinks of their names.
#[derive(Default)]
pub(crate) struct Made {
    files: HashSet<Identity>,
    /// Where inodes may change from one look to the next, names without regard to case and to what FAT drops.
    names: HashSet<u128>,
    /// Whether that is so.
    pub(crate) fickle: bool,
}

impl Made {
    pub(crate) fn has(&self, file: Identity, path: &Path) -> bool {
        self.files.contains(&file) || self.fickle && self.names.contains(&number(&folded(path)))
    }

    pub(crate) fn add(&mut self, file: Identity, path: &Path) {
        self.files.insert(file);
        if self.fickle {
            self.names.insert(number(&folded(path)));
        }
    }
}

/// A name as file systems see it that do not tell capitals from small letters and drop dots and blanks at the end.
fn folded(path: &Path) -> String {
    path.to_string_lossy()
        .to_lowercase()
        .split('/')
        .map(|c| c.trim_end_matches(['.', ' ']))
        .collect::<Vec<_>>()
        .join("/")
}

/// A number for a name, different for different names for all practical purposes. Two of one number would only mean
/// that a file is not replaced.
fn number(text: &str) -> u128 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, text).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) algorithms: Vec<Algorithm>,
    pub(crate) root: Arc<Root>,
    pub(crate) journal: Option<Journal>,
    pub(crate) progress: Arc<Progress>,
    pub(crate) written: Pipe<Written>,
    unverified: Permits,
    descriptors: Arc<Permits>,
    /// Bytes of each buffer for reads past the page cache.
    buffer: usize,
    pub(crate) ways: Arc<Ways>,
    news: Mutex<mpsc::Sender<News>>,
    pools: Mutex<BTreeMap<Device, Arc<Pool>>>,
    /// Folders that have new names in them, relative to the destination.
    pub(crate) fresh_folders: Mutex<HashSet<PathBuf>>,
    made: Mutex<Made>,
    /// The device of the destination.
    device: u64,
}

/// What a pool of readers is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Device {
    Source(u64),
    Destination(u64),
}

type Pool = Pipe<Box<dyn Task>>;

impl Shared {
    pub(crate) fn new(
        options: &Options,
        root: Arc<Root>,
        journal: Option<Journal>,
        progress: &Arc<Progress>,
        news: mpsc::Sender<News>,
    ) -> Shared {
        let algorithms = options.computed();
        let lanes = algorithms.iter().map(|&a| Mill::lanes(a)).max().unwrap_or(1).min(64) as u64;
        let buffers = 2 * lanes * threads(options) as u64;
        let buffer = (options.memory / 2 / buffers).clamp(64 << 10, 1 << 20) as usize & !0xfff;
        let device = Meta::of(root.fd()).map_or(0, |m| m.device);
        Shared {
            options: options.clone(),
            algorithms,
            journal,
            progress: Arc::clone(progress),
            written: Pipe::new(WRITTEN),
            unverified: Permits::new(UNVERIFIED),
            descriptors: Arc::new(Permits::new(raise_descriptor_limit(DESCRIPTORS).max(PER_COPY))),
            buffer,
            ways: Arc::default(),
            news: Mutex::new(news),
            pools: Mutex::default(),
            fresh_folders: Mutex::default(),
            made: Mutex::new(Made { fickle: !crate::mark::is_steady(root.fd()), ..Made::default() }),
            device,
            root,
        }
    }

    fn tell(&self, news: News) {
        // The main thread is gone only when it panicked.
        let _ = self.news.lock().unwrap_or_else(PoisonError::into_inner).send(news);
    }

    pub(crate) fn made(&self) -> MutexGuard<'_, Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a folder below the destination, and those above it. Where that fails: which, and why.
    pub(crate) fn make_folder(&self, below: &Path) -> Result<Folder, (PathBuf, io::Error)> {
        self.root.make_folder(below, &mut |parent| self.fresh(parent))
    }

    /// Notes that a folder has a new name in it.
    pub(crate) fn fresh(&self, folder: &Path) {
        self.fresh_folders.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.into());
    }

    /// Waits until so many descriptors may be opened.
    fn hold(&self, count: usize) -> Held {
        self.descriptors.take(count);
        Held { descriptors: Arc::clone(&self.descriptors), count }
    }

    /// The pool that reads from a device; started if there is none yet.
    fn pool<'s, 'e>(self: &Arc<Self>, scope: &'s Scope<'s, 'e>, device: Device, path: &Path) -> io::Result<Arc<Pool>> {
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = pools.get(&device) {
            return Ok(Arc::clone(pool));
        }
        let pool = Arc::new(Pool::new(usize::MAX));
        let (shared, tasks) = (Arc::clone(self), Arc::clone(&pool));
        let seeks = one_reader(path).is_some();
        Builder::new().spawn_scoped(scope, move || {
            // Those that read past the cache wait for the medium most of the time.
            let waiting = if matches!(device, Device::Destination(_)) { 2 } else { 1 };
            let threads = if seeks { 1 } else { waiting * threads(&shared.options) };
            let options = hashmill_files::Options {
                threads: NonZeroUsize::new(threads),
                ..hashmill_files::Options::new(shared.algorithms.clone())
            };
            let run = || {
                perform(&options, if seeks { 1 } else { usize::MAX }, |queue| {
                    while let Some(task) = tasks.take() {
                        queue.put(task);
                    }
                })
            };
            if catch_unwind(AssertUnwindSafe(run)).is_ok() {
                // What went wrong is known to the tasks concerned.
                return;
            }
            // Nobody waits for what will not be done.
            while let Some(task) = tasks.take() {
                task.done(Err(hashmill_files::Error::Panicked));
            }
        })?;
        pools.insert(device, Arc::clone(&pool));
        Ok(pool)
    }

    /// Gives a copy its final name.
    fn finish(&self, w: Finished) {
        let Finished { ticket, mut copy, stamp, digests, lost, held } = w;
        let result = self.name(&ticket.plan, &mut copy, &digests).map(|(path, replaced, already)| {
            // As it is under its final name: renaming it has changed its time of change.
            let now = if already { None } else { Meta::of(&copy.file).ok().map(|m| m.stamp()) };
            Box::new(Copied { path, digests, source: stamp, copy: now, replaced, already, lost })
        });
        // Closed, and deleted if it has no name, before anybody hears of it.
        drop((copy, held));
        ticket.report(result);
    }

    fn name(&self, plan: &Plan, copy: &mut Temporary, digests: &[Digest]) -> Result<(PathBuf, bool, bool), Failure> {
        let planned = plan.folder();
        let mut replace = plan.replace;
        let mut number = plan.number;
        loop {
            let path = plan.naming.path(number);
            let failed = |e: io::Error| Failure::Destination { path: self.root.shown(&path), cause: plain(&e) };
            let name = path.file_name().unwrap_or(OsStr::new("_"));
            let folder = if above(&path) == planned {
                Arc::clone(&copy.folder)
            } else {
                self.make_folder(above(&path)).map_err(|(path, e)| Failure::Destination { path, cause: plain(&e) })?
            };
            // Nobody else of this run looks at a name and acts on it meanwhile.
            let mut made = self.made();
            if let Some(expected) = replace.take() {
                match Meta::at(&folder, Path::new(name)) {
                    Ok(there) if there.stamp().is(&expected, made.fickle) && !made.has(there.identity(), &path) => {
                        copy.replace(&folder, name).map_err(failed)?;
                        made.add(copy.identity, &path);
                        return Ok((path, true, false));
                    }
                    // It is gone, so nothing is replaced.
                    Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                    Err(e) => return Err(failed(e)),
                    // Something else than what was to be replaced: it stays.
                    Ok(_) => {}
                }
            }
            if copy.place(&folder, name).map_err(failed)? == Placed::Done {
                made.add(copy.identity, &path);
                return Ok((path, false, false));
            }
            let ours = Meta::at(&folder, Path::new(name)).is_ok_and(|there| made.has(there.identity(), &path));
            drop(made);
            // Somebody has put a file there since this one was planned.
            if self.is_same(&path, plan.size, digests) {
                return Ok((path, false, true));
            }
            // Files of one run get numbers whatever the policy.
            if !ours && matches!(self.options.on_conflict, OnConflict::Skip | OnConflict::Fail) {
                return Err(Failure::Conflict(self.root.shown(&path)));
            }
            number += 1;
            if number - plan.number > crate::decide::MOST_NAMES {
                return Err(failed(io::Error::other("too many names are taken")));
            }
        }
    }

    fn is_same(&self, path: &Path, size: u64, digests: &[Digest]) -> bool {
        let same = || -> io::Result<bool> {
            let mut file = self.root.file(path, OFlags::empty())?;
            let meta = Meta::of(&file)?;
            if !meta.is_file() || meta.size != size {
                return Ok(false);
            }
            let mut hashers: Vec<Hasher> = self.algorithms.iter().map(|&a| Hasher::new(a)).collect();
            let mut buffer = vec![0; 256 << 10];
            loop {
                match uninterrupted(|| file.read(&mut buffer))? {
                    0 => break,
                    n => hashers.iter_mut().for_each(|h| h.update(&buffer[..n])),
                }
            }
            Ok(hashers.iter().zip(digests).all(|(h, d)| h.finalize() == *d))
        };
        same().unwrap_or(false)
    }
}

/// A copy that may have its name.
struct Finished {
    ticket: Ticket,
    copy: Temporary,
    stamp: Stamp,
    digests: Vec<Digest>,
    lost: Lost,
    held: Held,
}

/// The threads of one run.
pub(crate) struct Engine<'s, 'e> {
    pub(crate) shared: Arc<Shared>,
    scope: &'s Scope<'s, 'e>,
}

impl<'s, 'e> Engine<'s, 'e> {
    /// Starts what every run needs. Where the system gives us few threads there are fewer of them.
    pub(crate) fn start(scope: &'s Scope<'s, 'e>, shared: Shared) -> io::Result<Self> {
        let engine = Engine { shared: Arc::new(shared), scope };
        if engine.shared.options.dry_run {
            return Ok(engine);
        }
        for i in 0..SYNCERS {
            let shared = Arc::clone(&engine.shared);
            let started = Builder::new().spawn_scoped(scope, move || {
                while let Some(w) = shared.written.take() {
                    // What it was about is told by its ticket.
                    let _ = catch_unwind(AssertUnwindSafe(|| sync(&shared, scope, w)));
                }
            });
            match started {
                Err(e) if i == 0 => return Err(e),
                Err(_) => break,
                Ok(_) => {}
            }
        }
        Ok(engine)
    }

    /// Copies a file.
    pub(crate) fn copy(&self, plan: Plan, attempt: u32) {
        let held = self.shared.hold(PER_COPY);
        let plan = Arc::new(plan);
        let ticket = Ticket { shared: Arc::clone(&self.shared), plan: Arc::clone(&plan), attempt, told: false };
        match self.shared.pool(self.scope, Device::Source(plan.meta.device), &plan.source.path) {
            Ok(pool) => pool.put(Transfer::new(&self.shared, ticket, held)),
            Err(e) => ticket.report(Err(no_thread(&e))),
        }
    }

    /// Asks for the digests of a source.
    pub(crate) fn read_source(&self, what: Asked, source: &Source, meta: &Meta) {
        self.read(what, Device::Source(meta.device), &source.path, source.opener(), meta.size, false);
    }

    /// Asks for the digests of a file of the destination, of the medium itself if `medium`: then it is made durable
    /// first.
    pub(crate) fn read_file(&self, path: &Path, size: u64, medium: bool) {
        let (root, below) = (Arc::clone(&self.shared.root), path.to_path_buf());
        let opener: Opener = Box::new(move |flags| root.file(&below, flags).map_err(not_through_links));
        let device = Device::Destination(self.shared.device);
        self.read(Asked::File(path.into()), device, &self.shared.root.shown(path), opener, size, medium);
    }

    fn read(&self, what: Asked, device: Device, path: &Path, opener: Opener, size: u64, medium: bool) {
        let held = self.shared.hold(1);
        let shared = Arc::clone(&self.shared);
        let pool = self.shared.pool(self.scope, device, path);
        let pool = match pool {
            Ok(pool) => pool,
            Err(e) => return self.shared.tell(News::Known { what, result: Err(no_thread(&e)) }),
        };
        let then: Then = Box::new(move |result| {
            drop(held);
            shared.tell(News::Known { what, result: result.map_err(|e| Failure::of_source(&e)) });
        });
        let mut reading = Reading::new(opener, size, &self.shared.progress, then);
        if medium {
            reading = reading.past_cache(self.shared.buffer, &self.shared.ways).synced();
        }
        pool.put(Box::new(reading));
    }

    /// No more files will come.
    pub(crate) fn end(&self) {
        self.shared.written.close();
        self.shared.pools.lock().unwrap_or_else(PoisonError::into_inner).values().for_each(|p| p.close());
    }
}

fn no_thread(e: &io::Error) -> Failure {
    Failure::Broken(format!("no thread can be started: {}", plain(e)))
}

/// Makes a copy durable and has it read back.
fn sync<'s, 'e>(shared: &Arc<Shared>, scope: &'s Scope<'s, 'e>, w: Written) {
    let Written { ticket, source, meta, copy, digests, held } = w;
    let dressed = place::dress(&copy.file, &source, &meta).and_then(|lost| {
        place::sync_file(&copy.file)?;
        // What was taken over just now must be of the file that was read.
        Ok((lost, Meta::of(&source)?.stamp().is(&meta.stamp(), true)))
    });
    drop(source);
    let failure = match &dressed {
        Ok((_, true)) => None,
        Ok((_, false)) => Some(Failure::Changed),
        Err(e) => Some(ticket.plan.destination(e)),
    };
    let lost = dressed.map_or_else(|_| Lost::new(), |(lost, _)| lost);
    if let Some(failure) = failure {
        drop((copy, held));
        return ticket.report(Err(failure));
    }
    let finished = Finished { ticket, copy, stamp: meta.stamp(), digests, lost, held };
    if shared.options.verify < Verify::Reread {
        return shared.finish(finished);
    }
    let plan = Arc::clone(&finished.ticket.plan);
    let pools =
        shared.pool(scope, Device::Destination(shared.device), &shared.root.shown(&plan.folder())).and_then(|p| {
            let again = shared.options.verify == Verify::Source;
            let device = Device::Source(plan.meta.device);
            Ok((p, again.then(|| shared.pool(scope, device, &plan.source.path)).transpose()?))
        });
    let (pool, source_pool) = match pools {
        Ok(pools) => pools,
        Err(e) => {
            let Finished { ticket, copy, held, .. } = finished;
            drop((copy, held));
            return ticket.report(Err(no_thread(&e)));
        }
    };
    shared.unverified.take(1);
    let size = plan.size;
    let (folder, name, identity) =
        (Arc::clone(&finished.copy.folder), finished.copy.name.clone(), finished.copy.identity);
    // The name must still be that of the file that was written, where a file has one number only.
    let fickle = shared.made().fickle;
    let opener: Opener = Box::new(move |flags| {
        let flags = flags | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::openat(&folder, &name, flags, rustix::fs::Mode::empty())?);
        if fickle || Meta::of(&file)?.identity() == identity {
            Ok(file)
        } else {
            Err(io::Error::other("is another file than was written"))
        }
    });
    let inner = Arc::clone(shared);
    let then: Then = Box::new(move |result| {
        inner.unverified.give(1);
        let Some(finished) = judge(finished, result, false) else { return };
        let Some(pool) = source_pool else { return inner.finish(finished) };
        let plan = Arc::clone(&finished.ticket.plan);
        let again = Arc::clone(&inner);
        let then: Then = Box::new(move |result| {
            if let Some(finished) = judge(finished, result, true) {
                again.finish(finished);
            }
        });
        let reading = Reading::new(plan.source.opener(), size, &inner.progress, then);
        pool.put(Box::new(reading.past_cache(inner.buffer, &Arc::default())));
    });
    pool.put(Box::new(Reading::new(opener, size, &shared.progress, then).past_cache(shared.buffer, &shared.ways)));
}

/// Compares what was read again. Gives the copy back if it is right.
fn judge(finished: Finished, result: Result<Known, hashmill_files::Error>, source: bool) -> Option<Finished> {
    let failure = match result {
        Ok(known) if known.digests == finished.digests => return Some(finished),
        Ok(_) => Failure::Mismatch { original: source },
        Err(e) if matches!(e, hashmill_files::Error::Panicked) || source => Failure::of_source(&e),
        Err(e) => finished.ticket.plan.destination(&io::Error::other(format!("cannot be read back: {e}"))),
    };
    let Finished { ticket, copy, held, .. } = finished;
    drop((copy, held));
    ticket.report(Err(failure));
    None
}

pub(crate) fn threads(options: &Options) -> usize {
    options.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
}
