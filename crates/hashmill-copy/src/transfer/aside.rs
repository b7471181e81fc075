//! Keeps a damaged file when a copy takes its place.

use crate::fs::beneath::{Folder, unlink};
use crate::fs::place::{self, Placed};
use crate::model::layout::numbered;
use crate::record::journal::FOLDER;
use crate::transfer::plan::MOST_NAMES;
use hashmill_files::ours::DAMAGED;
use rustix::fs::AtFlags;
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// A damaged file that has a name among those that were replaced.
pub(crate) struct Aside {
    /// The name, relative to the destination.
    pub(crate) path: PathBuf,
    folder: Folder,
    name: OsString,
    /// Whether it still has its own name, too.
    pub(crate) is_linked: bool,
}

impl Aside {
    /// Returns where a file is kept whose path below the destination this is, if that name is free.
    pub(crate) fn of(path: &Path) -> PathBuf {
        Path::new(FOLDER).join(DAMAGED).join(path)
    }

    /// Gives the file `name` in `folder` another durable name in the folder `to`: that of the path `kept` below the
    /// destination, or one with a number.
    pub(crate) fn keep(folder: &Folder, name: &OsStr, to: Folder, kept: &Path) -> io::Result<Aside> {
        for n in 0..MOST_NAMES {
            let path = numbered(kept, b"", n, usize::MAX);
            let new = path.file_name().unwrap_or_default();
            // With both names there is no moment at which the file has none.
            let is_linked = match rustix::fs::linkat(folder, name, &to, new, AtFlags::empty()) {
                Ok(()) => true,
                Err(Errno::EXIST) => continue,
                Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS | Errno::MLINK) => {
                    match place::place(folder, name, &to, new)? {
                        Placed::Done => false,
                        Placed::Taken => continue,
                    }
                }
                Err(e) => return Err(e.into()),
            };
            let aside = Aside { name: new.into(), path, folder: to, is_linked };
            return match place::sync_folder(&aside.folder) {
                Ok(()) => Ok(aside),
                Err(e) => {
                    aside.undo(folder, name);
                    Err(e)
                }
            };
        }
        Err(Errno::EXIST.into())
    }

    /// Takes the name back, since nothing has taken the file's place.
    pub(crate) fn undo(self, folder: &Folder, name: &OsStr) {
        // If that fails, the file has at least the one name.
        if self.is_linked {
            let _ = unlink(&self.folder, &self.name);
        } else {
            let _ = place::place(&self.folder, &self.name, folder, name);
        }
    }
}
