//! A run from beginning to end: what is checked before anything is written, and what is cleaned up afterwards.

use crate::decide::duplicates::Duplicates;
use crate::fs::beneath::Root;
use crate::fs::meta::{Identity, Meta};
use crate::fs::relation;
use crate::model::event::{Event, Summary};
use crate::model::options::{Dates, Options};
use crate::record::catalogue::Catalogue;
use crate::record::journal::Journal;
use crate::record::manifest::List;
use crate::run::report::Report;
use crate::run::state::{Batch, Knowledge, REPLACED, Run, Settling, catalogue_path};
use crate::sources::dates::exiftool::Exiftool;
use crate::transfer::engine::Engine;
use crate::transfer::pairing::Pairing;
use crate::transfer::shared::Shared;
use hashmill_files::ours::list_in;
use hashmill_files::{Progress, plain, spawn};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

/// Why a run could not start or could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The destination is not a folder, or cannot be opened or written to.
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
    /// The destination lies in a source, which would be copied into itself.
    #[error("{}: lies in {}, which cannot be copied into itself", .destination.display(), .source_folder.display())]
    Inside {
        /// The destination.
        destination: PathBuf,
        /// The source.
        source_folder: PathBuf,
    },
    /// None of the sources can be read, so nothing was created.
    #[error("{}: {cause}", .path.display())]
    Sources {
        /// The first of them.
        path: PathBuf,
        /// Why.
        cause: String,
    },
    /// [`Progress::stop_flag`] was set. Everything reported until then holds; running the same command again does the
    /// rest.
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
    /// `exiftool` cannot be started, so nothing was copied.
    #[error("exiftool cannot be started ({0}); install it, or leave out --dates exiftool")]
    Exiftool(String),
    /// A thread could not be started, or panicked. Everything reported until then holds; running the same command again
    /// does the rest.
    #[error("{0}; run the same command again to finish")]
    Broken(String),
}

impl Error {
    /// Returns the exit status, which is one of the values that [`Summary::status`] adds up.
    pub fn status(&self) -> u8 {
        match self {
            Error::Sources { .. } => 1,
            Error::Manifest { .. } => 32,
            _ => 4,
        }
    }
}

/// Copies what the options ask for, and reports every file to `sink` as soon as its copy is durable. Files that cannot
/// be copied are reported as such, and the others are still copied.
///
/// # Errors
/// If the run cannot start, or its threads fail: see [`Error`].
pub fn copy(options: &Options, progress: &Arc<Progress>, sink: &mut dyn FnMut(&Event<'_>)) -> Result<Summary, Error> {
    run(options, None, progress, sink)
}

/// Does the same for a second destination at the same time, and returns what became of each. What both copy is read
/// once. Either may fail alone, be it for one file or as a whole, and each has its own names, conflicts and lists;
/// [`Options::manifest`] is about the first. Sources are not deleted, even if [`Options::remove`] is set.
///
/// # Errors
/// As for [`copy`], for each destination.
pub fn copy_to_both(
    options: &Options,
    also: &Path,
    progress: &Arc<Progress>,
    sink: &mut (dyn FnMut(&Event<'_>) + Send),
) -> [Result<Summary, Error>; 2] {
    let (first, second) = Pairing::new();
    let memory = (options.memory / 2).max(1 << 20);
    let options = Options { memory, remove: false, ..options.clone() };
    let for_second = Options { destination: also.into(), manifest: None, ..options.clone() };
    let sink = Mutex::new(sink);
    let tell = |event: &Event<'_>| sink.lock().unwrap_or_else(PoisonError::into_inner)(event);
    std::thread::scope(|scope| {
        let other = spawn(scope, || run(&for_second, Some(second), progress, &mut |event| tell(event)));
        let done = run(&options, Some(first), progress, &mut |event| tell(event));
        let other = match other {
            Ok(thread) => {
                thread.join().unwrap_or_else(|_| Err(Error::Broken("a thread of this program panicked".into())))
            }
            Err(e) => Err(no_thread(&e)),
        };
        [done, other]
    })
}

/// Returns the error for a thread that the system does not start.
pub(crate) fn no_thread(e: &io::Error) -> Error {
    Error::Broken(format!("no thread can be started: {}", plain(e)))
}

/// Copies to one destination, perhaps together with another run.
fn run(
    options: &Options,
    pairing: Option<Pairing>,
    progress: &Arc<Progress>,
    sink: &mut dyn FnMut(&Event<'_>),
) -> Result<Summary, Error> {
    let exiftool = match options.dates {
        Dates::Exiftool if options.layout.is_some() => Some(Exiftool::start().map_err(|e| Error::Exiftool(plain(&e)))?),
        _ => None,
    };
    let (root, identity) = open_destination(options)?;
    let path = &options.destination;
    if let (Some(pairing), Some(identity)) = (&pairing, identity)
        && !pairing.takes(identity)
    {
        return Err(Error::Destination { path: path.clone(), cause: "is the other destination, too".into() });
    }
    let refused = |e: io::Error| Error::Destination { path: path.clone(), cause: plain(&e) };
    let journal = if options.dry_run { None } else { Some(Journal::begin(&root).map_err(refused)?) };
    let mut lists = Vec::new();
    if let (Some(path), Some(of_run)) = (&options.manifest, &journal) {
        match List::begin(path, options.manifest_form, &options.algorithms, of_run) {
            Ok(list) => lists.push(list),
            Err(e) => {
                journal.into_iter().for_each(Journal::end);
                return Err(Error::Manifest { path: path.clone(), cause: plain(&e) });
            }
        }
    }
    let mut summary = Summary::default();
    let mut list_failed = false;
    if let (true, Some(of_run)) = (options.catalogue, &journal) {
        match List::keep_in(of_run, &options.algorithms) {
            Ok(list) => lists.push(list),
            Err(e) => {
                summary.record_failed = true;
                list_failed = true;
                let so =
                    if options.remove { "no source is deleted" } else { "hashmill audit will not know these files" };
                let cause = format!("cannot be written, so {so}: {}", plain(&e));
                sink(&Event::Warning { path: &list_in(&options.destination), cause });
            }
        }
    }
    // If every file must be read anyway, nothing has to be remembered.
    let distrusts = !root.is_absent() && !relation::is_steady(root.fd());
    let catalogue =
        if options.catalogue && !distrusts { open_catalogue(&root, options, sink, &mut summary) } else { None };
    let (to_us, news) = mpsc::channel();
    let runs = if pairing.is_some() { 2 } else { 1 };
    let shared = Shared::new(options, Arc::clone(&root), journal, runs, progress, to_us);
    let result = std::thread::scope(|scope| {
        let engine = Engine::start(scope, shared, pairing).map_err(|e| no_thread(&e))?;
        let _end = End(&engine);
        let list_below = lists.first().filter(|_| options.manifest.is_some()).and_then(|l| name_below(&root, l));
        let mut run = Run {
            options,
            root: Arc::clone(&root),
            engine: &engine,
            news,
            progress,
            report: Report { options, sink, summary, lists, list_failed, list_below, lost: BTreeMap::new() },
            known: Knowledge::new(
                catalogue,
                distrusts && options.catalogue && !options.fresh && !options.remove,
                &engine.shared.algorithms,
            ),
            batch: Batch::default(),
            settling: Settling::default(),
            duplicates: Duplicates::default(),
            shortage: BTreeMap::new(),
            longest_name: root.longest_name(),
            exiftool,
            broken: None,
        };
        run.all(identity);
        let (summary, lists, broken) =
            (std::mem::take(&mut run.report.summary), std::mem::take(&mut run.report.lists), run.broken.take());
        Ok((summary, lists, broken, Arc::clone(&engine.shared)))
    });
    let (mut summary, lists, broken, shared) = result?;
    // What a run has done that broke is in the lines that it keeps, for the next one.
    let complete = broken.is_none() || progress.is_stopped();
    for list in lists.into_iter().filter(|_| complete) {
        let path = list.shown.clone();
        let mut warn = |cause: String| sink(&Event::Warning { path: &path, cause });
        match list.end() {
            Ok(lost) => lost.iter().for_each(|kind| warn(format!("{kind} could not be kept"))),
            Err(e) => {
                summary.record_failed = true;
                warn(format!("cannot be written: {}", plain(&e)));
            }
        }
    }
    // Nothing temporary is left behind, even if a thread has panicked.
    if let Some(journal) = Arc::into_inner(shared).and_then(|s| s.journal) {
        journal.end();
    }
    match broken {
        None => Ok(summary),
        Some(_) if progress.is_stopped() => Err(Error::Interrupted),
        Some(cause) => Err(Error::Broken(cause)),
    }
}

/// Checks the sources and opens the destination, creating it if need be. Also returns its identity, if it exists.
fn open_destination(options: &Options) -> Result<(Arc<Root>, Option<Identity>), Error> {
    let path = &options.destination;
    let refused = |cause: String| Error::Destination { path: path.clone(), cause };
    let there = match fs::metadata(path) {
        Ok(m) if m.is_dir() => true,
        Ok(_) => return Err(refused("is not a folder".into())),
        Err(e) if e.kind() == io::ErrorKind::NotFound => false,
        Err(e) => return Err(refused(plain(&e))),
    };
    // A mistyped source should not leave a new folder behind.
    let failed: Vec<_> = options.sources.iter().filter_map(|s| Some((s, fs::metadata(s).err()?))).collect();
    if let Some((path, e)) = failed.first()
        && failed.len() == options.sources.len()
    {
        return Err(Error::Sources { path: path.to_path_buf(), cause: plain(e) });
    }
    // Importing files from elsewhere in the same tree is common, but a copy of the tree would grow with every run.
    if options.layout.is_none()
        && let Some(source) = options.sources.iter().find(|s| lies_in(path, s))
    {
        return Err(Error::Inside { destination: path.clone(), source_folder: source.clone() });
    }
    if !there && !options.dry_run {
        fs::create_dir_all(path).map_err(|e| refused(plain(&e)))?;
    }
    let root = if there || !options.dry_run {
        Root::open(path, options.follow_dest)
    } else {
        Root::absent(path, &nearest(path).map_or_else(|| PathBuf::from("/"), |(there, _)| there))
    };
    let root = Arc::new(root.map_err(|e| refused(plain(&e)))?);
    let identity = Meta::of(root.fd()).ok().filter(|_| !root.is_absent()).map(|m| m.identity());
    for source in &options.sources {
        if identity.is_some() && Meta::of_path(source).ok().map(|m| m.identity()) == identity {
            return Err(Error::Itself(source.clone()));
        }
    }
    Ok((root, identity))
}

/// Returns whether a path, which need not exist yet, lies below a folder.
fn lies_in(path: &Path, folder: &Path) -> bool {
    let (Some(folder), Some((there, own))) = (id(folder), nearest(path)) else { return false };
    there.ancestors().skip(usize::from(own)).any(|above| id(above) == Some(folder))
}

/// Returns the device and the inode of a folder.
fn id(folder: &Path) -> Option<(u64, u64)> {
    fs::metadata(folder).ok().filter(fs::Metadata::is_dir).map(|m| (m.dev(), m.ino()))
}

/// Returns whether one of two folders, which need not exist yet, is the other or lies in it, whatever they are called.
pub(crate) fn overlap(a: &Path, b: &Path) -> bool {
    let within = |a: &Path, b: &Path| {
        let (a, b) = (place(a), place(b));
        let same = |above: &Path| id(above).is_some_and(|above| Some(above) == id(&b));
        a.starts_with(&b) || a.ancestors().any(same)
    };
    within(a, b) || within(b, a)
}

/// Returns where a path leads: what exists of it without links, and the rest.
fn place(path: &Path) -> PathBuf {
    let mut place = PathBuf::new();
    for part in std::path::absolute(path).unwrap_or_else(|_| path.into()).components() {
        match part {
            Component::ParentDir => {
                place.pop();
            }
            part => place.push(part),
        }
        place = fs::canonicalize(&place).unwrap_or(place);
    }
    place
}

/// Returns the path or the nearest folder above it that exists, with symbolic links resolved, and whether it is the
/// path itself.
fn nearest(path: &Path) -> Option<(PathBuf, bool)> {
    let mut at = path;
    loop {
        match fs::canonicalize(at) {
            Ok(there) => return Some((there, at == path)),
            // The current folder itself may have been deleted.
            Err(_) if at == Path::new(".") => return None,
            Err(_) => match at.parent() {
                Some(above) if !above.as_os_str().is_empty() => at = above,
                Some(_) => at = Path::new("."),
                None => return None,
            },
        }
    }
}

/// Ends the threads, even after a panic.
pub(crate) struct End<'a, 's, 'e>(pub(crate) &'a Engine<'s, 'e>);

impl Drop for End<'_, '_, '_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Returns the name of the list relative to the destination, if it lies there.
fn name_below(root: &Root, list: &List) -> Option<PathBuf> {
    let path = list.path()?;
    Some(path.strip_prefix(root.real_path().ok()?).ok()?.to_path_buf())
}

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
        Ok((catalogue, is_new)) => {
            if is_new {
                sink(&Event::Warning { path: &path, cause: REPLACED.into() });
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
