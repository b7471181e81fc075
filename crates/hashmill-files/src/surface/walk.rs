//! Directory trees, in an order that depends only on names.

use crate::base::error::{Error, Problem};
use crate::base::ours;
use crate::read::ahead::{Listers, Order};
use crate::read::input::{Facts, Found, Input, joined, special};
use crate::read::list::{Entry, What, list};
use crate::surface::filter::Filter;
use std::fs::{self, File, FileType};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How trees are walked.
#[derive(Debug, Clone, Default)]
pub struct Walked {
    /// Files that are being written, which a list of a tree's content should not include.
    pub outputs: Vec<FileId>,
    /// Which files are taken.
    pub filter: Filter,
    /// Enter folders that symbolic links lead to. Links that lead to a folder above them are skipped.
    pub follow: bool,
    /// Examine every file: [`Found::facts`].
    pub examine: bool,
    /// Report folders, too, the root first and each before its content, as [`Error::IsDirectory`].
    pub folders: bool,
    /// Also take what this program itself leaves in directories ([`ours`]).
    pub ours: bool,
}

/// The identity of a regular file, which does not depend on the name used for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// Returns the identity of an open file if it is a regular file and the system can tell.
    pub fn of(file: &File) -> Option<FileId> {
        #[cfg(unix)]
        return FileId::of_metadata(&file.metadata().ok()?);
        #[cfg(windows)]
        {
            file.metadata().ok().filter(fs::Metadata::is_file)?;
            let about = winapi_util::file::information(file).ok()?;
            Some(FileId { device: about.volume_serial_number(), inode: about.file_index() })
        }
        #[cfg(not(any(unix, windows)))]
        {
            let _ = file;
            None
        }
    }

    /// Returns the identity of the regular file at `path`, following symbolic links.
    pub fn at(path: &Path) -> Option<FileId> {
        #[cfg(unix)]
        return FileId::of_metadata(&fs::metadata(path).ok()?);
        #[cfg(not(unix))]
        FileId::of(&File::open(path).ok()?)
    }

    #[cfg(unix)]
    fn of_metadata(metadata: &fs::Metadata) -> Option<FileId> {
        use std::os::unix::fs::MetadataExt;
        metadata.is_file().then(|| FileId { device: metadata.dev(), inode: metadata.ino() })
    }
}

/// Returns all files below `roots`, one root after the other. Within each directory, names are sorted by their bytes,
/// and the content of a subdirectory comes in the place of its name.
///
/// A root that is a symbolic link is followed. Below a root, links to files are followed, but links to directories only
/// if [`Walked::follow`] is set, so otherwise no file comes twice because of such a link. Links that are not followed,
/// and everything that is neither a file nor a directory, come as [`Error::Skipped`]. Roots that are not directories
/// come as they are, if the filter takes them.
///
/// What this program itself leaves in directories ([`ours`]), unless [`Walked::ours`] is set, and the files being
/// written come as [`Error::Own`], since a list of a directory's content should include neither of them.
pub fn walk(roots: impl IntoIterator<Item = Input>, how: Walked) -> impl Iterator<Item = Result<Found, Problem>> {
    let how = Arc::new(how);
    roots.into_iter().flat_map(move |root| match root {
        Input::Path(p) if fs::metadata(&p).is_ok_and(|m| m.is_dir()) => Walk::Tree(tree(p, Arc::clone(&how))),
        Input::Path(p) if !how.filter.takes_file(&p, p.file_name().map_or(&p, Path::new)) => {
            Walk::One(None.into_iter())
        }
        other => Walk::One(Some(not_an_output(other, &how.outputs).map(Found::from)).into_iter()),
    })
}

/// Returns the input unless it is one of the outputs.
pub fn not_an_output(input: Input, outputs: &[FileId]) -> Result<Input, Problem> {
    let Input::Path(path) = &input else { return Ok(input) };
    if !outputs.is_empty() && FileId::at(path).is_some_and(|id| outputs.contains(&id)) {
        return Err(Problem { path: path.clone(), error: Error::Own("the list itself") });
    }
    Ok(input)
}

enum Walk<T> {
    One(std::option::IntoIter<Result<Found, Problem>>),
    Tree(T),
}

impl<T: Iterator<Item = Result<Found, Problem>>> Iterator for Walk<T> {
    type Item = Result<Found, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Walk::One(o) => o.next(),
            Walk::Tree(t) => t.next(),
        }
    }
}

/// The directories that lie above an entry, for those that links are followed from: a link to one of them is a loop.
struct Above {
    id: Option<(u64, u64)>,
    above: Option<Arc<Above>>,
}

impl Above {
    fn has(&self, id: (u64, u64)) -> bool {
        self.id == Some(id) || self.above.as_ref().is_some_and(|above| above.has(id))
    }
}

/// Returns the device and the number of a directory.
fn identity(path: &Path) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let m = fs::metadata(path).ok()?;
        Some((m.dev(), m.ino()))
    }
    #[cfg(not(unix))]
    {
        // Without such numbers, the real path is what identifies a directory.
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        fs::canonicalize(path).ok()?.hash(&mut hasher);
        Some((0, hasher.finish()))
    }
}

/// Returns what lies below a directory, in order. If a directory cannot be listed to its end, the entries read before
/// the error come first, then the error.
fn tree(root: PathBuf, how: Arc<Walked>) -> impl Iterator<Item = Result<Found, Problem>> {
    let numbered = how.follow || how.filter.is_on_one_file_system();
    let id = if numbered { identity(&root) } else { None };
    let device = id.map(|(device, _)| device);
    let all = how.filter.takes_all();
    let below_root = root.clone();
    // A directory on another file system, whose server may not answer, is not even opened.
    let mut listers = Listers::new(how.examine, !how.filter.is_on_one_file_system());
    // A stack: the last entry comes next. The root may be a link.
    let mut open = vec![(root, Kind::Root, Arc::new(Above { id: None, above: None }))];
    // Where the folders are on it.
    let mut folders: Vec<usize> = Vec::new();
    std::iter::from_fn(move || {
        while let Some((path, kind, above)) = open.pop() {
            let mut ordered = None;
            let below = |path: &Path| path.strip_prefix(&below_root).unwrap_or(path).to_owned();
            let follow = match kind {
                Kind::Root => true,
                Kind::Folder(order) => {
                    folders.pop();
                    ordered = order;
                    false
                }
                Kind::Linked => true,
                Kind::Own(what) => return Some(Err(Problem { path, error: Error::Own(what) })),
                Kind::File(_) if !how.filter.takes_content(&path) => continue,
                Kind::File(facts) => return Some(Ok(Found::listed(path, facts))),
                Kind::Other(kind)
                    if how.follow && kind.is_symlink() && fs::metadata(&path).is_ok_and(|m| m.is_dir()) =>
                {
                    if how.filter.enters(&below(&path)) {
                        open.push((path, Kind::Linked, above));
                    }
                    continue;
                }
                Kind::Other(_) if how.follow && !how.filter.takes_name(&below(&path)) => continue,
                Kind::Other(_) if !how.filter.takes_content(&path) => continue,
                Kind::Other(kind) => {
                    return Some(leaf(path, kind).and_then(|i| not_an_output(i, &how.outputs)).map(Found::from));
                }
                Kind::Failed(e) => return Some(Err(Problem { path, error: e.into() })),
            };
            let id = if numbered { identity(&path) } else { None };
            if id.is_some_and(|id| above.has(id)) {
                return Some(Err(Problem { path, error: Error::Skipped("symbolic link to a directory above it") }));
            }
            if how.filter.is_on_one_file_system() && id.is_some_and(|(on, _)| Some(on) != device) {
                return Some(Err(Problem { path, error: Error::Skipped("on another file system") }));
            }
            let listing = ordered.and_then(|order| listers.take(&order));
            let (names, failed) = listing.unwrap_or_else(|| list(&path, follow, how.examine));
            if !follow
                && !how.ours
                && path.file_name() == Some(ours::FOLDER.as_ref())
                && ours::are_records(names.iter().map(|n| &n.name))
            {
                return Some(Err(Problem { path, error: Error::Own("records of copies") }));
            }
            let here = Arc::new(Above { id, above: Some(above) });
            if let Some(e) = failed {
                open.push((path.clone(), Kind::Failed(e), Arc::clone(&here)));
            }
            let (from, entries) = (open.len(), names.len());
            open.extend(names.into_iter().rev().filter_map(|Entry { name, what, inode, facts }| {
                let temporary = ours::is_temporary(&name);
                let path = joined(&path, &name);
                let enters = |path: &Path| all || how.filter.enters(&below(path));
                let takes = |path: &Path| all || how.filter.takes_name(&below(path));
                // What is unknown is examined below.
                if what == What::Folder && !enters(&path) || what == What::File && !takes(&path) {
                    return None;
                }
                // If the listing gives inode numbers, only files whose number matches that of an output are examined.
                let may_be = |o: &FileId| inode.is_none_or(|inode| inode == o.inode);
                if how.outputs.iter().any(may_be)
                    && fs::symlink_metadata(&path).is_ok_and(|m| m.is_file())
                    && FileId::at(&path).is_some_and(|id| how.outputs.contains(&id))
                {
                    return Some((path, Kind::Own("the list itself"), Arc::clone(&here)));
                }
                if temporary && !how.ours && what == What::File {
                    return Some((path, Kind::Own("a file that a copy has not finished"), Arc::clone(&here)));
                }
                let kind = match what {
                    What::File => Kind::File(facts),
                    What::Folder => Kind::Folder(None),
                    What::Unknown => match fs::symlink_metadata(&path) {
                        Ok(m) if m.is_dir() => {
                            if !enters(&path) {
                                return None;
                            }
                            Kind::Folder(None)
                        }
                        // A link that is followed may lead to a directory.
                        Ok(m) if !(how.follow && m.is_symlink() || takes(&path)) => {
                            return None;
                        }
                        Ok(m) => Kind::Other(m.file_type()),
                        Err(e) => Kind::Failed(e),
                    },
                };
                Some((path, kind, Arc::clone(&here)))
            }));
            folders.extend((from..open.len()).filter(|&i| matches!(open[i].1, Kind::Folder(_))));
            let next = folders.iter().rev().take(listers.wanted(entries));
            listers.want(next.filter_map(|&i| match &mut open[i] {
                (path, Kind::Folder(order), _) => Some(Arc::clone(order.get_or_insert_with(|| Order::new(path)))),
                _ => None,
            }));
            if how.folders {
                return Some(Err(Problem { path, error: Error::IsDirectory }));
            }
        }
        None
    })
}

enum Kind {
    Root,
    /// A directory, and its listing if that has been ordered.
    Folder(Option<Arc<Order>>),
    /// A directory that a symbolic link leads to.
    Linked,
    File(Option<Facts>),
    Own(&'static str),
    Other(FileType),
    Failed(io::Error),
}

/// Returns the input for a path that is not a directory, or why it is skipped.
fn leaf(path: PathBuf, kind: FileType) -> Result<Input, Problem> {
    if kind.is_file() {
        return Ok(Input::Path(path));
    }
    let what = if kind.is_symlink() {
        match fs::metadata(&path) {
            Ok(m) if m.is_file() => return Ok(Input::Path(path)),
            Ok(m) if m.is_dir() => "symbolic link to a directory",
            Ok(m) => special(m.file_type()),
            Err(e) => return Err(Problem { path, error: e.into() }),
        }
    } else {
        special(kind)
    };
    Err(Problem { path, error: Error::Skipped(what) })
}
