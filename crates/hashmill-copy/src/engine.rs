//! The threads, and what goes from one to the next.
//!
//! ```text
//! one pool per source device         four threads            the pool of the destination's device
//! read, hash, write (transfer.rs) →  metadata, fsync      →  read back from the medium (reading.rs), compare, name
//!        ↑ again, if the comparison fails once
//! ```
//!
//! The pools hash in lanes where the algorithms have them. How many copies wait to be read back is bounded, and so are the
//! buffers; the pages that are being written are the kernel's own.

use crate::catalogue::Stamp;
use crate::dates::Taken;
use crate::journal::Journal;
use crate::layout::{Facts, Layout, numbered};
use crate::options::{OnConflict, Options, Verify};
use crate::pipe::{Permits, Pipe};
use crate::place::{self, Placed};
use crate::reading::{Reading, Ways};
use crate::transfer::Transfer;
use hashmill::{Algorithm, Digest, Hasher, Mill};
use hashmill_files::{Progress, Task, perform, plain};
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

/// Threads that wait for the medium.
const SYNCERS: usize = 4;

/// Copies that wait for one of those at most.
const WRITTEN: usize = 64;

/// Copies that wait to be read back at most.
const UNVERIFIED: usize = 256;

/// A file and where it goes.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Its number among all files.
    pub(crate) id: u64,
    pub(crate) source: PathBuf,
    /// Whether the source may be a link: only where it was named by hand.
    pub(crate) follow: bool,
    pub(crate) size: u64,
    pub(crate) meta: Metadata,
    /// The destination.
    pub(crate) root: Arc<PathBuf>,
    pub(crate) naming: Naming,
    /// Which of its possible names it gets.
    pub(crate) number: u32,
    /// It replaces what has that name.
    pub(crate) replace: bool,
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

impl Plan {
    /// The final name.
    pub(crate) fn target(&self) -> PathBuf {
        self.root.join(self.naming.path(self.number))
    }

    pub(crate) fn folder(&self) -> PathBuf {
        let target = self.target();
        target.parent().map_or_else(|| self.root.to_path_buf(), Path::to_path_buf)
    }
}

/// A copy under its temporary name.
pub(crate) struct Written {
    pub(crate) plan: Arc<Plan>,
    pub(crate) attempt: u32,
    pub(crate) source: File,
    /// The source as it was while it was read.
    pub(crate) stamp: Stamp,
    pub(crate) copy: File,
    pub(crate) temporary: PathBuf,
    pub(crate) digests: Vec<Digest>,
}

/// Why a file was not copied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Source(String),
    #[error("changed while it was copied")]
    Changed,
    #[error("{}: {cause}", .path.display())]
    Destination { path: PathBuf, cause: String },
    /// The copy, or the source, had other bytes when it was read again.
    #[error("{}", if *.original { "gave other bytes when it was read again" } else { "the copy read back from the medium differs" })]
    Mismatch { original: bool },
    #[error("{} exists with other content", .0.display())]
    Conflict(PathBuf),
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
    /// Attributes that could not be kept.
    pub(crate) lost: Option<String>,
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
        result: Result<Vec<Digest>, String>,
    },
}

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Asked {
    Source(u64),
    /// Relative to the destination.
    File(PathBuf),
}

pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) algorithms: Vec<Algorithm>,
    pub(crate) root: Arc<PathBuf>,
    pub(crate) journal: Option<Journal>,
    pub(crate) progress: Arc<Progress>,
    pub(crate) written: Pipe<Written>,
    unverified: Permits,
    /// Bytes of each buffer for reads past the page cache.
    buffer: usize,
    pub(crate) ways: Arc<Ways>,
    news: Mutex<mpsc::Sender<News>>,
    pools: Mutex<BTreeMap<Device, Arc<Pool>>>,
    /// Folders that have new names in them.
    pub(crate) fresh_folders: Mutex<HashSet<PathBuf>>,
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
        journal: Option<Journal>,
        progress: &Arc<Progress>,
        news: mpsc::Sender<News>,
    ) -> Shared {
        let algorithms = options.computed();
        let lanes = algorithms.iter().map(|&a| Mill::lanes(a)).max().unwrap_or(1).min(64) as u64;
        let buffers = 2 * lanes * threads(options) as u64;
        let buffer = (options.memory / 2 / buffers).clamp(64 << 10, 1 << 20) as usize & !0xfff;
        Shared {
            options: options.clone(),
            algorithms,
            root: Arc::new(options.destination.clone()),
            journal,
            progress: Arc::clone(progress),
            written: Pipe::new(WRITTEN),
            unverified: Permits::new(UNVERIFIED),
            buffer,
            ways: Arc::default(),
            news: Mutex::new(news),
            pools: Mutex::default(),
            fresh_folders: Mutex::default(),
        }
    }

    pub(crate) fn report(&self, plan: &Arc<Plan>, attempt: u32, result: Result<Box<Copied>, Failure>) {
        self.tell(News::Copy { plan: Arc::clone(plan), attempt, result });
    }

    fn tell(&self, news: News) {
        // The main thread is gone only when it panicked.
        let _ = self.news.lock().unwrap_or_else(PoisonError::into_inner).send(news);
    }

    /// Makes a folder and those above it. Where that fails: which, and why.
    pub(crate) fn make_folder(&self, path: &Path) -> Result<(), (PathBuf, io::Error)> {
        match fs::create_dir(path) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => return Ok(()),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                let Some(parent) = path.parent() else { return Err((path.into(), e)) };
                self.make_folder(parent)?;
                return self.make_folder(path);
            }
            Err(e) => return Err((path.into(), e)),
        }
        if let Some(parent) = path.parent() {
            self.fresh_folders.lock().unwrap_or_else(PoisonError::into_inner).insert(parent.into());
        }
        Ok(())
    }

    /// The pool that reads from a device; started if there is none yet.
    fn pool<'s, 'e>(self: &Arc<Self>, scope: &'s std::thread::Scope<'s, 'e>, device: Device, path: &Path) -> Arc<Pool> {
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        let start = || {
            let pool = Arc::new(Pool::new(usize::MAX));
            let (shared, tasks) = (Arc::clone(self), Arc::clone(&pool));
            let seeks = seeks(path);
            scope.spawn(move || {
                // Those that read past the cache wait for the medium most of the time.
                let waiting = if matches!(device, Device::Destination(_)) { 2 } else { 1 };
                let threads = if seeks { 1 } else { waiting * threads(&shared.options) };
                let options = hashmill_files::Options {
                    algorithms: shared.algorithms.clone(),
                    threads: NonZeroUsize::new(threads),
                };
                perform(&options, if seeks { 1 } else { usize::MAX }, |queue| {
                    while let Some(task) = tasks.take() {
                        queue.put(task);
                    }
                });
            });
            pool
        };
        Arc::clone(pools.entry(device).or_insert_with(start))
    }

    /// Gives a copy its final name.
    fn finish(&self, w: Finished) {
        let Finished { plan, attempt, temporary, stamp, digests, lost } = w;
        let result = self.name(&plan, &temporary, &digests).map(|(path, replaced, already)| {
            let copy = fs::symlink_metadata(self.root.join(&path)).ok().map(|m| Stamp::of(&m));
            Box::new(Copied { path, digests, source: stamp, copy, replaced, already, lost })
        });
        if result.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        self.report(&plan, attempt, result);
    }

    fn name(&self, plan: &Plan, temporary: &Path, digests: &[Digest]) -> Result<(PathBuf, bool, bool), Failure> {
        let mut number = plan.number;
        loop {
            let path = plan.naming.path(number);
            let target = self.root.join(&path);
            let failed = |e: io::Error| Failure::Destination { path: target.clone(), cause: plain(&e) };
            if plan.replace {
                fs::rename(temporary, &target).map_err(failed)?;
                return Ok((path, true, false));
            }
            if place::place(temporary, &target).map_err(failed)? == Placed::Done {
                return Ok((path, false, false));
            }
            // Somebody has put a file there since this one was planned.
            if self.is_same(&target, plan.size, digests) {
                let _ = fs::remove_file(temporary);
                return Ok((path, false, true));
            }
            match self.options.on_conflict {
                OnConflict::Rename | OnConflict::Repair => number += 1,
                OnConflict::Skip | OnConflict::Fail => return Err(Failure::Conflict(target)),
            }
        }
    }

    fn is_same(&self, path: &Path, size: u64, digests: &[Digest]) -> bool {
        let same = || -> io::Result<bool> {
            let mut file = place::open_source(path, false)?;
            if !file.metadata()?.is_file() || file.metadata()?.len() != size {
                return Ok(false);
            }
            let mut hashers: Vec<Hasher> = self.algorithms.iter().map(|&a| Hasher::new(a)).collect();
            let mut buffer = vec![0; 256 << 10];
            loop {
                match file.read(&mut buffer)? {
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
    plan: Arc<Plan>,
    attempt: u32,
    temporary: PathBuf,
    stamp: Stamp,
    digests: Vec<Digest>,
    lost: Option<String>,
}

/// The threads of one run.
pub(crate) struct Engine<'s, 'e> {
    pub(crate) shared: Arc<Shared>,
    scope: &'s std::thread::Scope<'s, 'e>,
}

impl<'s, 'e> Engine<'s, 'e> {
    pub(crate) fn start(scope: &'s std::thread::Scope<'s, 'e>, shared: Shared) -> Self {
        let engine = Engine { shared: Arc::new(shared), scope };
        for _ in 0..SYNCERS {
            let shared = Arc::clone(&engine.shared);
            scope.spawn(move || {
                while let Some(w) = shared.written.take() {
                    sync(&shared, scope, w);
                }
            });
        }
        engine
    }

    /// Copies a file.
    pub(crate) fn copy(&self, plan: &Arc<Plan>, attempt: u32) {
        use std::os::unix::fs::MetadataExt;
        let pool = self.shared.pool(self.scope, Device::Source(plan.meta.dev()), &plan.source);
        pool.put(Transfer::new(&self.shared, plan, attempt));
    }

    /// Asks for the digests of a source.
    pub(crate) fn read_source(&self, plan: &Plan) {
        use std::os::unix::fs::MetadataExt;
        let what = Asked::Source(plan.id);
        self.read(what, Device::Source(plan.meta.dev()), plan.source.clone(), plan.size, false);
    }

    /// Asks for the digests of a file of the destination, of the medium itself if `medium`.
    pub(crate) fn read_file(&self, path: &Path, size: u64, medium: bool) {
        let target = self.shared.root.join(path);
        self.read(Asked::File(path.into()), self.shared.destination(), target, size, medium);
    }

    fn read(&self, what: Asked, device: Device, path: PathBuf, size: u64, medium: bool) {
        let shared = Arc::clone(&self.shared);
        let pool = self.shared.pool(self.scope, device, &path);
        let then = Box::new(move |result: Result<Vec<Digest>, hashmill_files::Error>| {
            shared.tell(News::Known { what, result: result.map_err(|e| e.to_string()) });
        });
        self.shared.progress.found(size);
        let mut reading = Reading::new(path, size, &self.shared.progress, then);
        if medium {
            reading = reading.past_cache(self.shared.buffer, &self.shared.ways);
        }
        pool.put(Box::new(reading));
    }

    /// Ends all threads, when nothing is on its way any more.
    pub(crate) fn end(&self) {
        self.shared.written.close();
        self.shared.pools.lock().unwrap_or_else(PoisonError::into_inner).values().for_each(|p| p.close());
    }
}

impl Shared {
    fn destination(&self) -> Device {
        use std::os::unix::fs::MetadataExt;
        Device::Destination(fs::metadata(&*self.root).map_or(0, |m| m.dev()))
    }
}

/// Makes a copy durable and has it read back.
fn sync<'s, 'e>(shared: &Arc<Shared>, scope: &'s std::thread::Scope<'s, 'e>, w: Written) {
    let Written { plan, attempt, source, stamp, copy, temporary, digests } = w;
    let written = place::dress(&copy, &source, &plan.meta).and_then(|lost| copy.sync_all().map(|()| lost));
    drop((copy, source));
    let lost = match written {
        Ok(lost) => lost,
        Err(e) => {
            let _ = fs::remove_file(&temporary);
            shared.report(&plan, attempt, Err(Failure::Destination { path: plan.target(), cause: plain(&e) }));
            return;
        }
    };
    let finished = Finished { plan, attempt, temporary, stamp, digests, lost };
    if shared.options.verify < Verify::Reread {
        return shared.finish(finished);
    }
    shared.unverified.take();
    let (path, size) = (finished.temporary.clone(), finished.plan.size);
    let pool = shared.pool(scope, shared.destination(), &path);
    let source_pool = (shared.options.verify == Verify::Source).then(|| {
        use std::os::unix::fs::MetadataExt;
        shared.pool(scope, Device::Source(finished.plan.meta.dev()), &finished.plan.source)
    });
    let inner = Arc::clone(shared);
    let then = Box::new(move |result| {
        inner.unverified.give();
        let Some(finished) = inner.judge(finished, result, false) else { return };
        let Some(pool) = source_pool else { return inner.finish(finished) };
        let (path, size) = (finished.plan.source.clone(), finished.plan.size);
        let again = Arc::clone(&inner);
        let then = Box::new(move |result| {
            if let Some(finished) = again.judge(finished, result, true) {
                again.finish(finished);
            }
        });
        inner.progress.found(size);
        pool.put(Box::new(Reading::new(path, size, &inner.progress, then).past_cache(inner.buffer, &inner.ways)));
    });
    shared.progress.found(size);
    pool.put(Box::new(Reading::new(path, size, &shared.progress, then).past_cache(shared.buffer, &shared.ways)));
}

impl Shared {
    /// Compares what was read again. Gives the copy back if it is right.
    fn judge(
        &self,
        finished: Finished,
        result: Result<Vec<Digest>, hashmill_files::Error>,
        source: bool,
    ) -> Option<Finished> {
        let failure = match result {
            Ok(digests) if digests == finished.digests => return Some(finished),
            Ok(_) => Failure::Mismatch { original: source },
            Err(e) if source => Failure::Source(e.to_string()),
            Err(e) => Failure::Destination { path: finished.plan.target(), cause: format!("cannot be read back: {e}") },
        };
        let _ = fs::remove_file(&finished.temporary);
        self.report(&finished.plan, finished.attempt, Err(failure));
        None
    }
}

pub(crate) fn threads(options: &Options) -> usize {
    options.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
}

/// Whether a path lies where two readers at once are slower than one: on a disk that turns, or on another machine.
fn seeks(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    const REMOTE: [u64; 6] = [
        0x6969,      // NFS
        0xff53_4d42, // CIFS
        0xfe53_4d42, // SMB2
        0x6573_5546, // FUSE: cameras, phones, sshfs
        0x0102_1997, // 9P
        0x00c3_6400, // Ceph
    ];
    if rustix::fs::statfs(path).is_ok_and(|s| REMOTE.contains(&(s.f_type.cast_unsigned() & 0xffff_ffff))) {
        return true;
    }
    let Ok(meta) = fs::metadata(path) else { return false };
    let (major, minor) = (rustix::fs::major(meta.dev()), rustix::fs::minor(meta.dev()));
    let disk = format!("/sys/dev/block/{major}:{minor}");
    // Virtual disks say that they turn, whatever they lie on.
    let real =
        |name: &std::ffi::OsStr| ["vd", "xvd"].iter().all(|v| !name.as_encoded_bytes().starts_with(v.as_bytes()));
    if !fs::read_link(&disk).is_ok_and(|link| link.file_name().is_some_and(real)) {
        return false;
    }
    // A partition has its disk's folder above it.
    [format!("{disk}/queue/rotational"), format!("{disk}/../queue/rotational")]
        .iter()
        .find_map(|f| fs::read_to_string(f).ok())
        .is_some_and(|text| text.trim() == "1")
}
