//! Directory trees, in an order that depends on names alone.

use crate::error::{Error, Problem};
use crate::input::Input;
use std::fs::{self, FileType};
use std::path::PathBuf;
use walkdir::WalkDir;

/// All files below `roots`, one root after the other, names in order of their bytes within each directory, a directory's
/// content in the place of its name.
///
/// A root that is a symbolic link is followed. Inside, links to files are followed, links to directories are not (so there
/// are no loops and no file comes twice because of one); those and all that is neither a file nor a directory come as
/// [`Error::Skipped`]. Roots that are no directories come as they are.
pub fn walk(roots: impl IntoIterator<Item = Input>) -> impl Iterator<Item = Result<Input, Problem>> {
    roots.into_iter().flat_map(|root| match root {
        Input::Path(p) if fs::metadata(&p).is_ok_and(|m| m.is_dir()) => Walk::Tree(tree(p)),
        other => Walk::One(std::iter::once(Ok(other))),
    })
}

enum Walk<T> {
    One(std::iter::Once<Result<Input, Problem>>),
    Tree(T),
}

impl<T: Iterator<Item = Result<Input, Problem>>> Iterator for Walk<T> {
    type Item = Result<Input, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Walk::One(o) => o.next(),
            Walk::Tree(t) => t.next(),
        }
    }
}

fn tree(root: PathBuf) -> impl Iterator<Item = Result<Input, Problem>> {
    let for_errors = root.clone();
    WalkDir::new(root).sort_by_file_name().into_iter().filter_map(move |entry| {
        let entry = match entry {
            Ok(e) => e,
            Err(e) => {
                let path = e.path().map_or_else(|| for_errors.clone(), PathBuf::from);
                let error = e.into_io_error().map_or(Error::Skipped("loop of symbolic links"), Error::Io);
                return Some(Err(Problem { path, error }));
            }
        };
        let kind = entry.file_type();
        let (link, depth) = (entry.path_is_symlink(), entry.depth());
        let path = entry.into_path();
        // The root is a directory, even where it is called a link.
        if kind.is_dir() || depth == 0 {
            return None;
        }
        if kind.is_file() {
            return Some(Ok(Input::Path(path)));
        }
        let what = if link {
            match fs::metadata(&path) {
                Ok(m) if m.is_file() => return Some(Ok(Input::Path(path))),
                Ok(m) if m.is_dir() => "symbolic link to a directory",
                Ok(m) => name(m.file_type()),
                Err(e) => return Some(Err(Problem { path, error: e.into() })),
            }
        } else {
            name(kind)
        };
        Some(Err(Problem { path, error: Error::Skipped(what) }))
    })
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
