//! A file to be copied, and how it is reached.

use crate::fs::beneath::{Folder, Root};
use crate::fs::place;
use rustix::fs::OFlags;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens a file, with additional flags.
pub(crate) type Opener = Box<dyn Fn(OFlags) -> io::Result<File> + Send>;

/// A source: its path, and how to reach it.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    /// The folder below which it was found. `None` if the user named the file itself, which may then be a link.
    pub(crate) root: Option<Arc<Root>>,
    /// Its path below `root`, or its name if there is none.
    pub(crate) below: PathBuf,
}

impl Source {
    pub(crate) fn open(&self, more: OFlags) -> io::Result<File> {
        match &self.root {
            Some(root) => root.file(&self.below, more),
            None => place::open_named(&self.path, more),
        }
    }

    /// Returns the folder that it is in, looked up again, and its name there.
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

    pub(crate) fn opener(&self) -> Opener {
        let source = self.clone();
        Box::new(move |flags| source.open(flags))
    }
}
