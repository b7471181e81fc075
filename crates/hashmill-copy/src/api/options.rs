//! The options of a copy.

use crate::api::layout::Layout;
use hashmill::Algorithm;
use hashmill_files::manifest::Form;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Which files of a source are copied.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Select {
    /// All.
    #[default]
    All,
    /// Pictures, raws, films and their sidecars.
    Photos,
    /// Those with one of these extensions, whatever their case.
    Extensions(Vec<String>),
}

/// What to do if the destination has a different file of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum OnConflict {
    /// Copy under a name with -1, -2 and so on before the extension
    #[default]
    Rename,
    /// Leave it alone and skip the source
    Skip,
    /// Leave it alone and report a failure
    Fail,
    /// Replace it, once the new copy has been verified
    Repair,
}

/// How a copy is verified before it gets its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, clap::ValueEnum)]
pub enum Verify {
    /// Not at all; no digests are computed
    None,
    /// Digests of what was read are computed and recorded; the copy is not read back
    Hash,
    /// The copy is read back from the medium and must have the same digests
    #[default]
    Reread,
    /// The source is read again too and must have the same digests
    Source,
}

/// The options of a copy.
#[derive(Debug, Clone)]
pub struct Options {
    /// What is copied.
    pub sources: Vec<PathBuf>,
    /// The folder into which it is copied.
    pub destination: PathBuf,
    /// The digests that are taken, at least one.
    pub algorithms: Vec<Algorithm>,
    /// Where files go; none for the tree as it is.
    pub layout: Option<Layout>,
    /// Which files are taken.
    pub select: Select,
    /// What to do where the destination has another file of the name.
    pub on_conflict: OnConflict,
    /// Do not copy what is anywhere in the destination already.
    pub dedupe: bool,
    /// How a copy is verified.
    pub verify: Verify,
    /// Delete what has been copied and verified.
    pub remove: bool,
    /// Keep digests in the destination, and believe those of files that have not been touched since.
    pub catalogue: bool,
    /// Read every file, whatever the catalogue says.
    pub fresh: bool,
    /// Follow symbolic links below the destination, wherever they lead. Otherwise what lies behind one is not written
    /// to.
    pub follow_dest: bool,
    /// A checksum list of what is in the destination then.
    pub manifest: Option<PathBuf>,
    /// The form of its lines. None: that of the list that is there, else the [usual one](Form::usual).
    pub manifest_form: Option<Form>,
    /// Only say what would be done.
    pub dry_run: bool,
    /// Threads that read and hash; none for as many as the machine has cores for us.
    pub threads: Option<NonZeroUsize>,
    /// Bytes for buffers and for files that are being looked after.
    pub memory: u64,
}

impl Select {
    /// Whether only some files are selected.
    pub(crate) fn is_some(&self) -> bool {
        *self != Select::All
    }
}

impl Options {
    /// Returns what the command does without options: BLAKE3, the tree as it is, every copy read back, and a catalogue.
    ///
    /// # Errors
    /// Returns an error if BLAKE3 is not available, which does not happen in practice.
    pub fn new(sources: impl IntoIterator<Item = PathBuf>, destination: PathBuf) -> Result<Options, hashmill::Error> {
        Ok(Options {
            sources: sources.into_iter().collect(),
            destination,
            algorithms: vec!["blake3".parse()?],
            layout: None,
            select: Select::All,
            on_conflict: OnConflict::Rename,
            dedupe: false,
            verify: Verify::Reread,
            remove: false,
            catalogue: true,
            fresh: false,
            follow_dest: false,
            manifest: None,
            manifest_form: None,
            dry_run: false,
            threads: None,
            memory: 256 << 20,
        })
    }

    /// Returns the same options with folders by date.
    #[must_use]
    pub fn by_date(mut self) -> Options {
        self.layout = crate::api::layout::BY_DATE.parse().ok();
        self
    }

    /// Returns the algorithms to compute: those requested, and BLAKE3 if none of them tells all files apart. Whether a
    /// file is already there is never decided by a checksum, a broken algorithm or a short digest.
    pub(crate) fn computed(&self) -> Vec<Algorithm> {
        let mut all = self.algorithms.clone();
        if !all.iter().any(|a| a.tells_files_apart()) {
            all.extend("blake3".parse::<Algorithm>().ok());
        }
        all
    }

    /// Returns the number of threads that read and hash.
    pub(crate) fn threads(&self) -> usize {
        self.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }
}
