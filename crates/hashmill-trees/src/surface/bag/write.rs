//! Writing the tag files of bags.

use crate::base::bag::names::{manifest, within};
use crate::base::snapshot::{Row, Snapshot};
use crate::read::bag::name_in;
use hashmill::Algorithm;
use hashmill_files::{Error, Event, Input, Io, Options, Outcome, Problem, Progress, plain, sum};
use hashmill_lists::{Digits, bagit};
use std::fs::{File, TryLockError};
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Writes a file, or replaces one in one step, by these parts one after the other. Returns what went wrong, in words.
pub type Put<'a> = dyn FnMut(&Path, &mut dyn Iterator<Item = Vec<u8>>) -> Result<(), String> + 'a;

/// Why a bag cannot be made or updated.
#[derive(Debug, thiserror::Error)]
pub enum BagError {
    /// For the reason given. Unless that says something else, nothing was changed.
    #[error("{0}")]
    Refused(String),
    /// A file in it cannot be written, moved or examined.
    #[error("{}: {}", .0.display(), .1)]
    File(PathBuf, String),
    /// A thread panicked; see [`sum`].
    #[error("{0}")]
    Work(#[from] Error),
}

impl BagError {
    pub(crate) fn io(path: &Path, e: &io::Error) -> Self {
        BagError::File(path.into(), plain(e))
    }
}

/// Locks a folder, so that two runs do not work on one bag, until the value is dropped.
pub(crate) fn lock(root: &Path) -> Result<Option<File>, BagError> {
    // Not every system opens folders, and not every file system has locks.
    let Ok(folder) = File::open(root) else { return Ok(None) };
    match folder.try_lock() {
        Err(TryLockError::WouldBlock) => Err(BagError::Refused("another run is working on it".into())),
        _ => Ok(Some(folder)),
    }
}

/// Returns the lines of a manifest.
pub(crate) fn lines<'a>(
    files: &'a Snapshot,
    order: &'a [Row],
    algorithm: Algorithm,
    encodes_percent: bool,
) -> impl Iterator<Item = Vec<u8>> + 'a {
    order.iter().filter_map(move |row| {
        let stated = files.stated(*row);
        let digest = &stated.iter().find(|s| s.algorithm() == Some(algorithm))?.digest;
        let mut line = Vec::new();
        Digits::Hex.put(&mut line, digest.as_bytes());
        line.extend_from_slice(b"  ");
        bagit::encode(&files.name(*row), encodes_percent, &mut line);
        line.push(b'\n');
        Some(line)
    })
}

/// Returns whether a manifest can have a name.
pub(crate) fn can_list(name: &[u8]) -> bool {
    std::str::from_utf8(name).is_ok()
        && !matches!(name.first(), None | Some(b' ' | b'\t' | b'*'))
        && within(name).is_some_and(|within| within == name)
}

/// Returns whether bagit.py 1.9 takes a name in a manifest for another one: it does not decode `%25`, decodes only two
/// CR and two LF, and leaves out blanks at the end.
pub(crate) fn confuses_bagit_py(name: &[u8]) -> bool {
    let most = |byte| name.iter().filter(|b| **b == byte).count() > 2;
    name.contains(&b'%') || name.ends_with(b" ") || name.ends_with(b"\t") || most(b'\r') || most(b'\n')
}

/// What tag manifests are of.
pub(crate) struct Tags<'a> {
    /// The folder that names are relative to, and in which the tag manifests are written.
    pub(crate) folder: &'a Path,
    pub(crate) files: Vec<PathBuf>,
    /// For each algorithm, the name of its tag manifest.
    pub(crate) manifests: Vec<(Algorithm, String)>,
    pub(crate) encodes_percent: bool,
    pub(crate) threads: Option<NonZeroUsize>,
    pub(crate) io: Io,
}

impl Tags<'_> {
    /// Writes the tag manifests. Returns the names of files that they cannot have.
    pub(crate) fn write(self, put: &mut Put<'_>) -> Result<Vec<Vec<u8>>, BagError> {
        let Tags { folder, files, manifests, encodes_percent, threads, io } = self;
        let (algorithms, names): (Vec<Algorithm>, Vec<String>) = manifests.into_iter().unzip();
        let options = Options { threads, io, ..Options::new(algorithms.clone()) };
        let (mut listed, mut left_out, mut failed) = (Snapshot::new(), Vec::new(), None);
        let inputs = files.into_iter().filter_map(|path| {
            let name = name_in(folder, &path);
            let can = can_list(&name);
            if !can {
                left_out.push(name);
            }
            can.then_some(Ok::<_, Problem>(Input::Path(path)))
        });
        sum(&options, inputs, &Progress::default(), |event| {
            let Event::Outcome(outcome) = event else { return ControlFlow::Continue(()) };
            let path = outcome.input.name().to_path_buf();
            match add(&mut listed, &name_in(folder, &path), outcome, &algorithms) {
                Ok(_) => ControlFlow::Continue(()),
                Err(e) => {
                    failed = Some(BagError::File(path, e));
                    ControlFlow::Break(())
                }
            }
        })?;
        if let Some(e) = failed {
            return Err(e);
        }
        let order: Vec<Row> = listed.rows().collect();
        for (algorithm, name) in algorithms.into_iter().zip(names) {
            let path = folder.join(name);
            put(&path, &mut lines(&listed, &order, algorithm, encodes_percent)).map_err(|e| BagError::File(path, e))?;
        }
        Ok(left_out)
    }
}

/// Adds a file that has been read. Returns its length, or why its digests cannot be used.
pub(crate) fn add(
    files: &mut Snapshot,
    name: &[u8],
    outcome: Outcome,
    algorithms: &[Algorithm],
) -> Result<u64, String> {
    use crate::base::snapshot::Known;
    use hashmill_lists::Stated;
    let Outcome { result, bytes, changed, modified, .. } = outcome;
    if changed {
        return Err("changed while it was read".into());
    }
    let digests = result.map_err(|e| e.to_string())?;
    let stated: Vec<Stated> = algorithms.iter().zip(digests).map(|(a, d)| Stated::new(Some(*a), d)).collect();
    files.add(name, &Known { size: Some(bytes), modified, stated: &stated }).map_err(|e| e.to_string())?;
    Ok(bytes)
}

/// Returns the names of the manifests, or of the tag manifests, for these algorithms.
pub(crate) fn names(algorithms: &[Algorithm], is_tag: bool) -> Result<Vec<(Algorithm, String)>, BagError> {
    let named = |a: &Algorithm| {
        let what = || format!("the name of a manifest cannot tell {}; use another algorithm", a.name());
        manifest(*a, is_tag).map(|name| (*a, name)).ok_or_else(|| BagError::Refused(what()))
    };
    algorithms.iter().map(named).collect()
}
