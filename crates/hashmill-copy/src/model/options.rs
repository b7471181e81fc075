//! The options of a copy.

use crate::model::layout::Layout;
use hashmill::Algorithm;
use hashmill_lists::Form;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Selects which files of the sources are copied.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Select {
    /// All files.
    #[default]
    All,
    /// Photos, raw files, videos and their sidecars.
    Photos,
    /// Files with one of these extensions, in upper or lower case.
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

/// What to do with files that have no date of their own, neither in their metadata nor in their name, if the layout
/// needs one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum NoDate {
    /// Date them by their birth or modification, whichever is earlier
    #[default]
    Mtime,
    /// Copy them to a folder `unknown` instead of folders by date
    Unknown,
    /// Do not copy them; each is reported
    Skip,
}

/// What reads the dates of pictures and films.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Dates {
    /// This program
    #[default]
    Builtin,
    /// An installed exiftool
    Exiftool,
}

/// The time zone of the dates of films that are in UTC by their format's specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum FilmTime {
    /// UTC, but local time for makers who are known to write that (Nikon, GoPro and others)
    #[default]
    Auto,
    /// Local time
    Local,
    /// UTC
    Utc,
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
    /// The files and folders to copy.
    pub sources: Vec<PathBuf>,
    /// The folder to copy into.
    pub destination: PathBuf,
    /// The algorithms whose digests are computed, at least one.
    pub algorithms: Vec<Algorithm>,
    /// Where files go. `None` keeps the tree as it is.
    pub layout: Option<Layout>,
    /// Which files to copy.
    pub select: Select,
    /// Which of these, by name, length and age. A source that is itself a file is copied in any case.
    pub filter: hashmill_files::Filter,
    /// Import thumbnails and system files too. A tree that is kept as it is always has them.
    pub all: bool,
    /// What to do with files without a date.
    pub no_date: NoDate,
    /// What reads dates.
    pub dates: Dates,
    /// The time zone of films' dates.
    pub film_time: FilmTime,
    /// What to do if the destination has a different file of the same name.
    pub on_conflict: OnConflict,
    /// Do not copy files whose content is anywhere in the destination already.
    pub dedupe: bool,
    /// How a copy is verified.
    pub verify: Verify,
    /// Delete sources once they have been copied and verified.
    pub remove: bool,
    /// Keep digests in the destination, and trust those of files that have not been modified since.
    pub catalogue: bool,
    /// Read every file, whatever the catalogue says.
    pub fresh: bool,
    /// Follow symbolic links below the destination, wherever they lead. Otherwise nothing is written through them.
    pub follow_dest: bool,
    /// Write a checksum list of the files in the destination to this path.
    pub manifest: Option<PathBuf>,
    /// The form of its lines. `None` keeps that of an existing list; a new list gets the [usual
    /// one](hashmill_lists::usual_form).
    pub manifest_form: Option<&'static Form>,
    /// Only report what would be done.
    pub dry_run: bool,
    /// Number of threads that read and hash. `None` means as many as this process may use CPUs.
    pub threads: Option<NonZeroUsize>,
    /// Memory for buffers and for bookkeeping of files in progress, in bytes.
    pub memory: u64,
}

impl Select {
    /// Returns whether only some files are selected.
    pub(crate) fn is_some(&self) -> bool {
        *self != Select::All
    }
}

impl Options {
    /// Returns the defaults of the command: BLAKE3, the tree as it is, every copy read back, and a catalogue.
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
            filter: hashmill_files::Filter::default(),
            all: false,
            no_date: NoDate::Mtime,
            dates: Dates::Builtin,
            film_time: FilmTime::Auto,
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
        self.layout = crate::model::layout::BY_DATE.parse().ok();
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

    /// Whether folders are made from dates.
    pub(crate) fn needs_dates(&self) -> bool {
        self.layout.as_ref().is_some_and(Layout::uses_date)
    }

    /// Whether thumbnails and system files are left out: in imports, but not in copies of whole trees.
    pub(crate) fn leaves_out(&self) -> bool {
        !self.all && (self.layout.is_some() || self.select.is_some())
    }

    /// Returns the number of threads that read and hash.
    pub(crate) fn threads(&self) -> usize {
        self.threads.map_or_else(hashmill_files::cores, NonZeroUsize::get)
    }
}
