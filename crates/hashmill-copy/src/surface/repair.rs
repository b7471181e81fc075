//! Puts verified copies in the place of damaged files.

use crate::decide::failure::{Sequel, sequel};
use crate::fs::beneath::{Root, above};
use crate::fs::meta::Meta;
use crate::fs::place;
use crate::fs::source::Source;
use crate::model::options::{OnConflict, Options};
use crate::record::journal::{self, Journal};
use crate::surface::copy::{End, Error, no_thread};
use crate::transfer::engine::Engine;
use crate::transfer::plan::{Naming, Plan};
use crate::transfer::shared::{Copied, News, Shared};
use hashmill::Digest;
use hashmill_files::{Progress, plain};
use std::collections::HashSet;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, mpsc};

/// Number of copies that are made at once.
const AT_ONCE: usize = 64;

/// A damaged file, and where there is a copy of what it was.
#[derive(Debug, Clone)]
pub struct Repair {
    /// The file, relative to the folder.
    pub below: PathBuf,
    /// The copy.
    pub from: PathBuf,
    /// The BLAKE3 digest of its content.
    pub blake3: Digest,
}

/// What became of a damaged file: where it is now, unless it was gone, or why it is as it was.
pub type Repaired = Result<Option<PathBuf>, String>;

/// Puts copies in the place of damaged files of a folder. Each copy is written under a temporary name, gets the mode,
/// the owner, the times and the attributes of the damaged file, is made durable, read back from the medium, and only
/// then takes its place, in one step where the file system has hard links. The damaged file is kept in
/// `.hashmill/damaged`. If a file changes meanwhile, or the copy has other content than [`Repair::blake3`], it stays.
///
/// # Errors
/// If the folder cannot be written to, or threads cannot be started. What became of every file is passed to `sink`,
/// with its place in `files`, as soon as it is durable.
pub fn repair(
    folder: &Path,
    files: &[Repair],
    threads: Option<NonZeroUsize>,
    progress: &Arc<Progress>,
    sink: &mut dyn FnMut(usize, Repaired),
) -> Result<(), Error> {
    let refused = |e: io::Error| Error::Destination { path: folder.into(), cause: plain(&e) };
    let options = Options::new([], folder.into()).map_err(|e| Error::Broken(e.to_string()))?;
    // What has taken the place of a damaged file is left alone.
    let options = Options { on_conflict: OnConflict::Fail, catalogue: false, threads, ..options };
    let root = Arc::new(Root::open(folder, false).map_err(refused)?);
    let journal = Journal::begin(&root).map_err(refused)?;
    let (to_us, news) = mpsc::channel();
    let shared = Shared::new(&options, Arc::clone(&root), Some(journal), 1, progress, to_us);
    let shared = std::thread::scope(|scope| {
        let engine = Engine::start(scope, shared, None).map_err(|e| no_thread(&e))?;
        let _end = End(&engine);
        for (first, some) in files.chunks(AT_ONCE).enumerate() {
            let mut on_the_way = 0;
            for (i, file) in (first * AT_ONCE..).zip(some) {
                match plan(&root, file, i) {
                    Ok(plan) => {
                        progress.more(plan.size * 2);
                        on_the_way += 1;
                        engine.copy(plan, 1);
                    }
                    Err(cause) => sink(i, Err(cause)),
                }
            }
            while on_the_way > 0 {
                // This fails only once the threads are gone, and they report everything before that.
                let Ok(news) = news.recv() else { break };
                let News::Copy { plan: was, attempt, result } = news else { continue };
                let i = was.id as usize;
                let result = match result {
                    Ok(copied) => settle(&engine.shared, &copied),
                    Err(failure) if sequel(&failure, attempt, OnConflict::Fail) == Sequel::Repeat => {
                        match plan(&root, &files[i], i) {
                            Ok(plan) => {
                                engine.copy(plan, attempt + 1);
                                continue;
                            }
                            Err(cause) => Err(cause),
                        }
                    }
                    Err(failure) => Err(failure.to_string()),
                };
                sink(i, result);
                on_the_way -= 1;
            }
        }
        Ok(Arc::clone(&engine.shared))
    })?;
    if let Some(journal) = Arc::into_inner(shared).and_then(|s| s.journal) {
        journal.end();
    }
    Ok(())
}

/// Returns whether a run that wrote to a folder is still alive, or was killed, so that the next one has to clean up.
pub fn is_unfinished(folder: &Path) -> bool {
    let names = std::fs::read_dir(folder.join(journal::FOLDER));
    names.is_ok_and(|names| names.flatten().any(|entry| journal::is_journal(&entry.file_name())))
}

/// Plans the copy that takes the place of a damaged file.
fn plan(root: &Arc<Root>, file: &Repair, id: usize) -> Result<Plan, String> {
    let of_copy = |e: io::Error| format!("{}: {}", file.from.display(), plain(&e));
    let meta = Meta::of_path(&file.from).map_err(of_copy)?;
    let damaged = root.look(&file.below).map_err(|e| plain(&e))?;
    if !damaged.is_file() {
        return Err("is not a regular file".into());
    }
    let name = file.from.file_name().unwrap_or_default();
    let source = Source { path: file.from.clone(), root: None, below: name.into() };
    let naming = Naming {
        layout: None,
        taken: None,
        name: file.below.file_name().unwrap_or_default().into(),
        extension: Vec::new(),
        below: file.below.clone(),
        digest: String::new(),
        longest: root.longest_name(),
    };
    Ok(Plan {
        id: id as u64,
        source,
        size: meta.size,
        space: meta.size,
        made_up: false,
        meta,
        root: Arc::clone(root),
        naming,
        number: 0,
        replace: Some(damaged.stamp()),
        mends: Some(file.blake3.clone()),
    })
}

/// Makes the new name of a copy durable.
fn settle(shared: &Shared, copied: &Copied) -> Repaired {
    let fresh = std::mem::take(&mut *shared.fresh_folders.lock().unwrap_or_else(PoisonError::into_inner));
    let folders: HashSet<PathBuf> = fresh.into_iter().chain([above(&copied.path).into()]).collect();
    for folder in folders {
        let shown = shared.root.shown(&folder);
        let synced = shared.root.folder(&folder).and_then(place::sync_folder);
        synced.map_err(|e| format!("{}: may not survive a power failure: {}", shown.display(), plain(&e)))?;
    }
    Ok(copied.aside.as_ref().map(|aside| shared.root.shown(aside)))
}
