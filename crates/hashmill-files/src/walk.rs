//! Directory trees, in an order that depends on names alone.

use crate::error::{Error, Problem};
use crate::input::{Found, Input};
use crate::ours;
use std::fs::{self, FileType, Metadata};
use std::path::PathBuf;

/// Which file it is, by whatever name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// The identity of the file with these metadata, if it is a regular one.
    #[cfg(unix)]
    pub fn of(metadata: &Metadata) -> Option<FileId> {
        use std::os::unix::fs::MetadataExt;
        metadata.is_file().then(|| FileId { device: metadata.dev(), inode: metadata.ino() })
    }

    /// No identity is known on this system.
    #[cfg(not(unix))]
    pub fn of(_: &Metadata) -> Option<FileId> {
        None
    }
}

/// All files below `roots`, one root after the other, names in order of their bytes within each directory, a directory's
/// content in the place of its name.
///
/// A root that is a symbolic link is followed. Inside, links to files are followed, links to directories are not (so there
/// are no loops and no file comes twice because of one); those and all that is neither a file nor a directory come as
/// [`Error::Skipped`]. Roots that are no directories come as they are.
///
/// What this program itself leaves in folders ([`ours`]) and the files `outputs` come as [`Error::Own`]: a list of what is in a folder should
/// neither have them nor itself in it.
pub fn walk(
    roots: impl IntoIterator<Item = Input>,
    outputs: &[FileId],
) -> impl Iterator<Item = Result<Found, Problem>> {
    let outputs = outputs.to_vec();
    roots.into_iter().flat_map(move |root| match root {
        Input::Path(p) if fs::metadata(&p).is_ok_and(|m| m.is_dir()) => Walk::Tree(tree(p, outputs.clone())),
        other => Walk::One(std::iter::once(not_an_output(other, &outputs).map(Found::from))),
    })
}

/// A file, unless it is one of the outputs.
pub fn not_an_output(input: Input, outputs: &[FileId]) -> Result<Input, Problem> {
    let Input::Path(path) = &input else { return Ok(input) };
    let is = |m: Metadata| FileId::of(&m).is_some_and(|id| outputs.contains(&id));
    if !outputs.is_empty() && fs::metadata(path).is_ok_and(is) {
        return Err(Problem { path: path.clone(), error: Error::Own("the list itself") });
    }
    Ok(input)
}

enum Walk<T> {
    One(std::iter::Once<Result<Found, Problem>>),
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

/// What lies below a folder, in order. Where a folder cannot be listed to its end, what it has shown so far comes all the same.
#[cfg(unix)]
fn tree(root: PathBuf, outputs: Vec<FileId>) -> impl Iterator<Item = Result<Found, Problem>> {
    // What comes next is last. The root may be a link.
    let mut open = vec![(root, Kind::Root)];
    std::iter::from_fn(move || {
        while let Some((path, kind)) = open.pop() {
            let follow = match kind {
                Kind::Root => true,
                Kind::Folder => false,
                Kind::Own(what) => return Some(Err(Problem { path, error: Error::Own(what) })),
                Kind::File => return Some(Ok(Found::listed(path))),
                Kind::Other(kind) => {
                    return Some(leaf(path, kind).and_then(|i| not_an_output(i, &outputs)).map(Found::from));
                }
                Kind::Failed(e) => return Some(Err(Problem { path, error: e.into() })),
            };
            let (names, failed) = list(&path, follow);
            if !follow
                && path.file_name() == Some(ours::FOLDER.as_ref())
                && ours::are_records(names.iter().map(|n| &n.0))
            {
                return Some(Err(Problem { path, error: Error::Own("records of copies") }));
            }
            if let Some(e) = failed {
                open.push((path.clone(), Kind::Failed(e)));
            }
            open.extend(names.into_iter().rev().map(|(name, listed, inode)| {
                let temporary = ours::is_temporary(&name);
                let path = path.join(name);
                // The number is in the listing; the file is looked at only where it may be an output.
                if outputs.iter().any(|o| o.inode == inode)
                    && fs::symlink_metadata(&path).is_ok_and(|m| FileId::of(&m).is_some_and(|id| outputs.contains(&id)))
                {
                    return (path, Kind::Own("the list itself"));
                }
                if temporary && listed == rustix::fs::FileType::RegularFile {
                    return (path, Kind::Own("a file that a copy has not finished"));
                }
                // Not every file system lists what its entries are.
                let kind = match listed {
                    rustix::fs::FileType::RegularFile => Kind::File,
                    rustix::fs::FileType::Directory => Kind::Folder,
                    _ => match fs::symlink_metadata(&path) {
                        Ok(m) if m.is_dir() => Kind::Folder,
                        Ok(m) => Kind::Other(m.file_type()),
                        Err(e) => Kind::Failed(e),
                    },
                };
                (path, kind)
            }));
        }
        None
    })
}

#[cfg(unix)]
enum Kind {
    Root,
    Folder,
    File,
    Own(&'static str),
    Other(FileType),
    Failed(std::io::Error),
}

/// The names in a folder, sorted, with what they are and the numbers of their inodes, and why there may be more. The standard
/// library's way to list folders panics where one cannot be closed.
#[cfg(unix)]
fn list(
    path: &std::path::Path,
    follow: bool,
) -> (Vec<(std::ffi::OsString, rustix::fs::FileType, u64)>, Option<std::io::Error>) {
    use rustix::fs::{Dir, Mode, OFlags, open};
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let mut names = Vec::new();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let flags = if follow { flags } else { flags | OFlags::NOFOLLOW };
    let failed = open(path, flags, Mode::empty()).and_then(Dir::new).and_then(|folder| {
        for entry in folder {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push((OsStr::from_bytes(name).to_owned(), entry.file_type(), entry.ino()));
            }
        }
        Ok(())
    });
    names.sort_by(|a, b| a.0.cmp(&b.0));
    (names, failed.err().map(Into::into))
}

#[cfg(not(unix))]
fn tree(root: PathBuf, _: Vec<FileId>) -> impl Iterator<Item = Result<Found, Problem>> {
    let for_errors = root.clone();
    walkdir::WalkDir::new(root).sort_by_file_name().into_iter().filter_map(move |entry| {
        let entry = match entry {
            Ok(e) => e,
            Err(e) => {
                let path = e.path().map_or_else(|| for_errors.clone(), PathBuf::from);
                let error = e.into_io_error().map_or(Error::Skipped("loop of symbolic links"), Error::Io);
                return Some(Err(Problem { path, error }));
            }
        };
        let (kind, depth) = (entry.file_type(), entry.depth());
        // The root is a directory, even where it is called a link.
        (!kind.is_dir() && depth > 0).then(|| leaf(entry.into_path(), kind).map(Found::from))
    })
}

/// What is to be done with something that is no folder.
fn leaf(path: PathBuf, kind: FileType) -> Result<Input, Problem> {
    if kind.is_file() {
        return Ok(Input::Path(path));
    }
    let what = if kind.is_symlink() {
        match fs::metadata(&path) {
            Ok(m) if m.is_file() => return Ok(Input::Path(path)),
            Ok(m) if m.is_dir() => "symbolic link to a directory",
            Ok(m) => name(m.file_type()),
            Err(e) => return Err(Problem { path, error: e.into() }),
        }
    } else {
        name(kind)
    };
    Err(Problem { path, error: Error::Skipped(what) })
}

/// What something is that is neither a file nor a directory.
fn name(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "named pipe";
        }
        if kind.is_socket() {
            return "socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "device";
        }
    }
    let _ = kind;
    "no regular file"
}
