//! What the threads of a run share, and what passes between them.

use crate::decide::failure::Failure;
use crate::fs::beneath::{Folder, Root, above};
use crate::fs::meta::{Identity, Meta, Stamp};
use crate::fs::place::{Lost, Placed, Temporary, uninterrupted};
use crate::fs::relation;
use crate::fs::room::{Claim, Refused, Room};
use crate::model::options::{OnConflict, Options};
use crate::record::journal::Journal;
use crate::transfer::aside::Aside;
use crate::transfer::pipe::{Permits, Pipe};
use crate::transfer::plan::{MOST_NAMES, Plan};
use crate::transfer::reading::{Known, Ways};
use hashmill::unstable::Mill;
use hashmill::{Algorithm, Digest, Hasher};
use hashmill_files::{Progress, Task, one_reader, perform, plain, raise_descriptor_limit};
use rustix::fs::OFlags;
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{Builder, Scope};

/// Maximum number of copies queued to be made durable.
const WRITTEN: usize = 1024;

/// Maximum number of copies waiting to be read back.
const UNVERIFIED: usize = 1024;

/// Maximum number of descriptors open at once: more would not make anything faster.
const DESCRIPTORS: usize = 8192;

/// Number of descriptors for a file being copied: the source (and later the copy, read back), the copy, its folder, and
/// one to look into that folder.
pub(crate) const PER_COPY: usize = 4;

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

/// A file that has its final name.
#[derive(Debug)]
pub(crate) struct Copied {
    /// Relative to the destination.
    pub(crate) path: PathBuf,
    pub(crate) digests: Vec<Digest>,
    /// The source as it was while it was read.
    pub(crate) source: Stamp,
    /// Stamp of the copy when it got its name, unless it was there `already`.
    pub(crate) copy: Option<Stamp>,
    /// Whether it replaced a file.
    pub(crate) replaced: bool,
    /// Where the damaged file is that it replaced, relative to the destination.
    pub(crate) aside: Option<PathBuf>,
    /// Whether somebody else had put the same file there in the meantime.
    pub(crate) already: bool,
    /// What the copy could not keep of its source.
    pub(crate) lost: Lost,
}

/// A message to the main thread.
pub(crate) enum News {
    Copy {
        plan: Arc<Plan>,
        attempt: u32,
        result: Result<Box<Copied>, Failure>,
    },
    /// A file that was read for its digests.
    Known {
        what: Asked,
        result: Result<Known, Failure>,
    },
}

/// A file whose digests are requested.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Asked {
    Source(u64),
    /// Relative to the destination.
    File(PathBuf),
    /// In a dry run, a file of an earlier batch, by its length.
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
    pub(crate) fn new(shared: &Arc<Shared>, plan: &Arc<Plan>, attempt: u32) -> Ticket {
        Ticket { shared: Arc::clone(shared), plan: Arc::clone(plan), attempt, told: false }
    }

    pub(crate) fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Notes the length of a file that is only known from reading it.
    pub(crate) fn set_length(&mut self, length: u64) {
        Arc::make_mut(&mut self.plan).size = length;
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

/// Descriptors reserved for a file, released on drop.
pub(crate) struct Held {
    descriptors: Arc<Permits>,
    count: usize,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.descriptors.give(self.count);
    }
}

/// Files that this run has put into the destination, or has found there with the right content. No other file of the
/// run may replace them, whatever the file system thinks of their names.
#[derive(Default)]
pub(crate) struct Made {
    files: HashSet<Identity>,
    /// If `fickle`, also the names, without regard to case and to the trailing characters that FAT drops.
    names: HashSet<u128>,
    /// Whether inode numbers may change from one look-up to the next.
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

/// Returns a name as seen by file systems that ignore case and drop trailing dots and spaces.
fn folded(path: &Path) -> String {
    path.to_string_lossy()
        .to_lowercase()
        .split('/')
        .map(|c| c.trim_end_matches(['.', ' ']))
        .collect::<Vec<_>>()
        .join("/")
}

/// Returns a number that is unique to a name for all practical purposes. A collision would only mean that a file is not
/// replaced.
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
    pub(crate) unverified: Permits,
    descriptors: Arc<Permits>,
    most_descriptors: usize,
    /// Size of each buffer for reads past the page cache, in bytes.
    pub(crate) buffer: usize,
    pub(crate) ways: Arc<Ways>,
    news: Mutex<mpsc::Sender<News>>,
    pub(crate) pools: Mutex<BTreeMap<Device, Arc<Pool>>>,
    /// Folders with new names in them, relative to the destination.
    pub(crate) fresh_folders: Mutex<HashSet<PathBuf>>,
    made: Mutex<Made>,
    pub(crate) room: Room,
    /// The device of the destination.
    pub(crate) device: u64,
    /// Whether one call makes many files durable there.
    pub(crate) groups: bool,
}

/// What a pool of readers is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Device {
    Source(u64),
    Destination(u64),
}

pub(crate) type Pool = Pipe<Box<dyn Task>>;

impl Shared {
    /// Returns what the threads of one of so many `runs` of this process share.
    pub(crate) fn new(
        options: &Options,
        root: Arc<Root>,
        journal: Option<Journal>,
        runs: usize,
        progress: &Arc<Progress>,
        news: mpsc::Sender<News>,
    ) -> Shared {
        let most_descriptors = (raise_descriptor_limit(DESCRIPTORS) / runs).max(PER_COPY);
        let algorithms = options.computed();
        let lanes = algorithms.iter().map(|&a| Mill::lanes(a)).max().unwrap_or(1).min(64) as u64;
        let buffers = 2 * lanes * options.threads() as u64;
        let buffer = (options.memory / 2 / buffers).clamp(64 << 10, 1 << 20) as usize & !0xfff;
        let device = Meta::of(root.fd()).map_or(0, |m| m.device);
        Shared {
            options: options.clone(),
            algorithms,
            journal,
            progress: Arc::clone(progress),
            written: Pipe::new(WRITTEN),
            unverified: Permits::new(UNVERIFIED),
            descriptors: Arc::new(Permits::new(most_descriptors)),
            most_descriptors,
            buffer,
            ways: Arc::default(),
            news: Mutex::new(news),
            pools: Mutex::default(),
            fresh_folders: Mutex::default(),
            made: Mutex::new(Made { fickle: !relation::is_steady(root.fd()), ..Made::default() }),
            room: Room::default(),
            device,
            groups: relation::syncs_groups(root.fd()),
            root,
        }
    }

    pub(crate) fn tell(&self, news: News) {
        // This fails only if the main thread has panicked.
        let _ = self.news.lock().unwrap_or_else(PoisonError::into_inner).send(news);
    }

    pub(crate) fn made(&self) -> MutexGuard<'_, Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a folder below the destination, and the folders above it. Returns the folder that failed with the error.
    pub(crate) fn make_folder(&self, below: &Path) -> Result<Folder, (PathBuf, io::Error)> {
        self.root.make_folder(below, &mut |parent| self.fresh(parent))
    }

    /// Notes that a folder has a new name in it.
    pub(crate) fn fresh(&self, folder: &Path) {
        self.fresh_folders.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.into());
    }

    /// Claims the space for a file in the folder `below`, which need not exist yet.
    pub(crate) fn claim(&self, below: &Path, bytes: u64) -> Result<Option<Claim>, Failure> {
        // If the folder cannot be opened, the attempt to write there will say why.
        let Ok(folder) = self.root.nearest(below) else { return Ok(None) };
        self.room.claim(&folder, bytes).map_err(|Refused { needed, free }| {
            // Another file system may be mounted below the destination.
            let ours = Meta::of(&folder).is_ok_and(|m| m.device == self.device);
            let place = if ours { self.options.destination.clone() } else { self.root.shown(below) };
            Failure::DoesNotFit { needed, free, place }
        })
    }

    /// Waits until `count` descriptors may be opened, and reserves them.
    pub(crate) fn hold(&self, count: usize) -> Held {
        self.descriptors.take(count);
        Held { descriptors: Arc::clone(&self.descriptors), count }
    }

    /// Reserves `count` descriptors if that many may be opened now.
    pub(crate) fn try_hold(&self, count: usize) -> Option<Held> {
        let held = || Held { descriptors: Arc::clone(&self.descriptors), count };
        self.descriptors.try_take(count).then(held)
    }

    /// Returns how many files may be copied at once.
    pub(crate) fn most_copies(&self) -> usize {
        self.most_descriptors / PER_COPY
    }

    /// Returns the pool that reads from a device, starting it if there is none yet.
    pub(crate) fn pool<'s, 'e>(
        self: &Arc<Self>,
        scope: &'s Scope<'s, 'e>,
        device: Device,
        path: &Path,
    ) -> io::Result<Arc<Pool>> {
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = pools.get(&device) {
            return Ok(Arc::clone(pool));
        }
        let pool = Arc::new(Pool::new(usize::MAX));
        let (shared, tasks) = (Arc::clone(self), Arc::clone(&pool));
        let seeks = one_reader(path).is_some();
        Builder::new().spawn_scoped(scope, move || {
            // Threads that read past the cache wait for the medium most of the time.
            let waiting = if matches!(device, Device::Destination(_)) { 2 } else { 1 };
            let threads = if seeks { 1 } else { waiting * shared.options.threads() };
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
                // The tasks concerned know what went wrong.
                return;
            }
            // Tasks that will not be done must not be waited for.
            while let Some(task) = tasks.take() {
                task.done(Err(hashmill_files::Error::Panicked));
            }
        })?;
        pools.insert(device, Arc::clone(&pool));
        Ok(pool)
    }

    /// Gives a copy its final name.
    pub(crate) fn finish(&self, w: Finished) {
        let Finished { ticket, mut copy, stamp, digests, lost, held } = w;
        let is_expected = ticket.plan.mends.as_ref().is_none_or(|expected| digests.first() == Some(expected));
        let named = if is_expected { self.name(&ticket.plan, &mut copy, &digests) } else { Err(Failure::Changed) };
        let result = named.map(|Named { path, replaced, already, aside }| {
            // Taken under the final name, since renaming changes the ctime.
            let now = if already { None } else { Meta::of(&copy.file).ok().map(|m| m.stamp()) };
            Box::new(Copied { path, digests, source: stamp, copy: now, replaced, aside, already, lost })
        });
        // The copy is closed, and deleted if it got no name, before anybody hears of it.
        drop((copy, held));
        ticket.report(result);
    }

    fn name(&self, plan: &Plan, copy: &mut Temporary, digests: &[Digest]) -> Result<Named, Failure> {
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
            // Locked, so that no other thread of this run looks at a name and acts on it in the meantime.
            let mut made = self.made();
            if let Some(expected) = replace.take() {
                match Meta::at(&folder, Path::new(name)) {
                    Ok(there) if there.stamp().is(&expected, made.fickle) && !made.has(there.identity(), &path) => {
                        let aside = match plan.mends {
                            Some(_) => Some(self.mend(copy, &folder, name, &path).map_err(failed)?),
                            None => {
                                copy.replace(&folder, name).map_err(failed)?;
                                None
                            }
                        };
                        made.add(copy.identity, &path);
                        return Ok(Named { path, replaced: true, already: false, aside });
                    }
                    // It is gone, so nothing is replaced.
                    Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                    Err(e) => return Err(failed(e)),
                    // Something other than what was to be replaced: it stays.
                    Ok(_) => {}
                }
            }
            if copy.place(&folder, name).map_err(failed)? == Placed::Done {
                made.add(copy.identity, &path);
                return Ok(Named { path, replaced: false, already: false, aside: None });
            }
            let ours = Meta::at(&folder, Path::new(name)).is_ok_and(|there| made.has(there.identity(), &path));
            drop(made);
            // Somebody may have put this very file there since it was planned.
            if self.is_same(&path, plan.size, digests) {
                return Ok(Named { path, replaced: false, already: true, aside: None });
            }
            // Files of the same run get numbers, whatever the policy.
            if !ours && matches!(self.options.on_conflict, OnConflict::Skip | OnConflict::Fail) {
                return Err(Failure::Conflict(self.root.shown(&path)));
            }
            number += 1;
            if number - plan.number > MOST_NAMES {
                return Err(failed(io::Error::other("too many names are taken")));
            }
        }
    }

    /// Puts a copy in the place of a damaged file. Returns the path of that, relative to the destination.
    fn mend(&self, copy: &mut Temporary, folder: &Folder, name: &OsStr, path: &Path) -> io::Result<PathBuf> {
        let kept = Aside::of(path);
        let failed = |(path, e): (PathBuf, io::Error)| io::Error::new(e.kind(), format!("{}: {e}", path.display()));
        let aside = Aside::keep(folder, name, self.make_folder(above(&kept)).map_err(failed)?, &kept)?;
        let done = if aside.is_linked {
            copy.replace(folder, name)
        } else {
            copy.place(folder, name).and_then(|placed| match placed {
                Placed::Done => Ok(()),
                Placed::Taken => Err(io::ErrorKind::AlreadyExists.into()),
            })
        };
        match done {
            Ok(()) => Ok(aside.path),
            Err(e) => {
                aside.undo(folder, name);
                Err(e)
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

/// What name a copy got.
struct Named {
    path: PathBuf,
    replaced: bool,
    already: bool,
    aside: Option<PathBuf>,
}

/// A copy that may get its final name.
pub(crate) struct Finished {
    pub(crate) ticket: Ticket,
    pub(crate) copy: Temporary,
    pub(crate) stamp: Stamp,
    pub(crate) digests: Vec<Digest>,
    pub(crate) lost: Lost,
    pub(crate) held: Held,
}
