//! A file, where it goes, and what it may be called there.

use crate::decide::failure::Failure;
use crate::fs::beneath::{Root, above};
use crate::fs::meta::{Meta, Stamp};
use crate::fs::source::Source;
use crate::model::layout::{Facts, Layout, numbered};
use crate::model::taken::Taken;
use hashmill::Digest;
use hashmill_files::plain;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum number of names tried for one file: more than any folder holds in practice.
pub(crate) const MOST_NAMES: u32 = 100_000;

/// A file and where it goes.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// Its number among all files of the run.
    pub(crate) id: u64,
    pub(crate) source: Source,
    pub(crate) size: u64,
    /// Number of bytes of data in it, without its holes, or 0 if that is not known before it is read.
    pub(crate) space: u64,
    /// Whether its length is only known from reading it, and the file system says something else, as in `/proc`.
    pub(crate) made_up: bool,
    pub(crate) meta: Meta,
    /// The destination, for messages.
    pub(crate) root: Arc<Root>,
    pub(crate) naming: Naming,
    /// Which of its possible names it gets.
    pub(crate) number: u32,
    /// Stamp of the file that it replaces under that name, if any.
    pub(crate) replace: Option<Stamp>,
    /// For a file that takes the place of a damaged one: the digest that it must have. The damaged file is kept, and
    /// the copy gets its metadata.
    pub(crate) mends: Option<Digest>,
}

/// What a file may be called.
#[derive(Debug, Clone)]
pub(crate) struct Naming {
    pub(crate) layout: Option<Arc<Layout>>,
    pub(crate) taken: Option<Arc<Taken>>,
    pub(crate) name: OsString,
    pub(crate) extension: Vec<u8>,
    /// Path relative to the source.
    pub(crate) below: PathBuf,
    /// Digest in hexadecimal, if the layout needs it.
    pub(crate) digest: String,
    /// Maximum length in bytes of a name in the destination.
    pub(crate) longest: usize,
}

impl Naming {
    /// Returns the `n`th name, relative to the destination.
    pub(crate) fn path(&self, n: u32) -> PathBuf {
        match (&self.layout, &self.taken) {
            (Some(layout), Some(taken)) => {
                let folder = self.below.parent().unwrap_or(Path::new(""));
                let (name, extension) = (self.name.as_os_str(), &self.extension[..]);
                layout.path(&Facts { taken, name, extension, folder, digest: &self.digest }, n, self.longest)
            }
            _ => numbered(&self.below, &self.extension, n, self.longest),
        }
    }
}

impl Plan {
    /// Returns the final name, relative to the destination.
    pub(crate) fn target(&self) -> PathBuf {
        self.naming.path(self.number)
    }

    /// Returns the folder of the final name, relative to the destination.
    pub(crate) fn folder(&self) -> PathBuf {
        above(&self.target()).into()
    }

    /// Returns the failure for an error in writing the copy.
    pub(crate) fn destination(&self, e: &io::Error) -> Failure {
        let (path, cause) = (self.root.shown(&self.target()), plain(e));
        if e.kind() == io::ErrorKind::StorageFull {
            return Failure::Full { path, cause };
        }
        Failure::Destination { path, cause }
    }
}
