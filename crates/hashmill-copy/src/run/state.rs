//! The state of a run.

use crate::decide::duplicates::Duplicates;
use crate::decide::failure::Failure;
use crate::fs::beneath::{Folder, Root};
use crate::fs::made_up::Lengths;
use crate::fs::meta::{Identity, Moment, Stamp};
use crate::model::event::Action;
use crate::model::options::Options;
use crate::record::catalogue::{Catalogue, Entry};
use crate::record::journal;
use crate::run::report::Report;
use crate::sources::dates::exiftool::Exiftool;
use crate::sources::gather::Found;
use crate::transfer::engine::Engine;
use crate::transfer::plan::Plan;
use crate::transfer::reading::Known;
use crate::transfer::shared::{Asked, Copied, News};
use hashmill::{Algorithm, Digest};
use hashmill_files::Progress;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};

/// Warning about a damaged catalogue.
pub(crate) const REPLACED: &str = "was damaged; it was put aside, and a new one was begun";

/// Returns the path of the catalogue, for messages.
pub(crate) fn catalogue_path(root: &Root) -> PathBuf {
    root.shown(Path::new(journal::FOLDER)).join("catalogue.sqlite")
}

pub(crate) struct Run<'a, 's, 'e> {
    pub(crate) options: &'a Options,
    pub(crate) root: Arc<Root>,
    pub(crate) engine: &'a Engine<'s, 'e>,
    pub(crate) news: mpsc::Receiver<News>,
    pub(crate) progress: &'a Arc<Progress>,
    pub(crate) report: Report<'a>,
    pub(crate) known: Knowledge,
    pub(crate) batch: Batch,
    pub(crate) settling: Settling,
    pub(crate) duplicates: Duplicates,
    /// What does not fit, by device.
    pub(crate) shortage: BTreeMap<u64, Lack>,
    /// Maximum length in bytes of a name in the destination.
    pub(crate) longest_name: usize,
    /// Reads dates, if it was asked for.
    pub(crate) exiftool: Option<Exiftool>,
    /// Why the run ends early, if it does.
    pub(crate) broken: Option<String>,
}

/// Files that are processed together.
#[derive(Default)]
pub(crate) struct Batch {
    /// The number of the first member among all files of the run.
    pub(crate) first: u64,
    pub(crate) members: Vec<Member>,
    /// Ranges of members that stay together.
    pub(crate) groups: Vec<Range<usize>>,
    /// Names that members have or will have, relative to the destination.
    pub(crate) claims: HashMap<PathBuf, usize>,
    /// Names that earlier members may still want.
    pub(crate) reserved: HashSet<PathBuf>,
    /// Number of copies that were started and not yet reported.
    pub(crate) on_the_way: usize,
    /// Copies that did not fit, with the number of the attempt: they may, once others have ended.
    pub(crate) refused: Vec<(usize, u32, Failure)>,
    /// Whether a copy has ended since those were last tried.
    pub(crate) ended: bool,
}

/// A file of the batch.
pub(crate) struct Member {
    pub(crate) plan: Plan,
    pub(crate) state: State,
    /// Digests of the source.
    pub(crate) digests: Option<Vec<Digest>>,
    /// The source as it was when it was read in this run.
    pub(crate) stamp: Option<Stamp>,
    /// The file of the destination that has these digests, as it was when that was found.
    pub(crate) there: Option<Stamp>,
    /// Whether it was read for its digests alone.
    pub(crate) read: bool,
    /// Whether the source must be kept, whatever becomes of the file.
    pub(crate) keep: bool,
}

/// How far along a file is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Not decided yet.
    Open,
    /// Being copied.
    Copying,
    Settled,
}

/// What is known of files, and what has been requested.
pub(crate) struct Knowledge {
    pub(crate) catalogue: Option<Catalogue>,
    /// Entries that are not in the catalogue yet.
    pub(crate) learned: Vec<Entry>,
    /// Digests of the destination's files.
    pub(crate) files: HashMap<PathBuf, Result<Known, String>>,
    /// Files that changed while they were read, and are read a second time.
    pub(crate) unstable: HashSet<PathBuf>,
    /// Files that were reported to be damaged.
    pub(crate) damaged: HashSet<PathBuf>,
    /// Requests that have not been answered yet.
    pub(crate) requested: HashSet<Asked>,
    /// By device, whether its files can be recognized in another run.
    pub(crate) steady: RefCell<HashMap<u64, bool>>,
    /// By device, whether its file system knows how long files are.
    pub(crate) lengths: RefCell<HashMap<u64, Lengths>>,
    /// Whether the destination's times cannot be trusted and the user has not been told yet.
    pub(crate) distrusts: bool,
    /// If sources are deleted: the destination's files that were read back in this run, with their stamps at that time.
    pub(crate) verified: HashMap<Identity, Stamp>,
    /// Sources that lost a link when this run deleted another of their names, with the ctime that this gave them.
    pub(crate) relinked: HashMap<Identity, Moment>,
    /// Index of the first algorithm that tells all files apart.
    pub(crate) identifying: usize,
}

impl Knowledge {
    pub(crate) fn new(catalogue: Option<Catalogue>, distrusts: bool, algorithms: &[Algorithm]) -> Knowledge {
        Knowledge {
            catalogue,
            learned: Vec::new(),
            files: HashMap::new(),
            unstable: HashSet::new(),
            damaged: HashSet::new(),
            requested: HashSet::new(),
            steady: RefCell::default(),
            lengths: RefCell::default(),
            distrusts,
            verified: HashMap::new(),
            relinked: HashMap::new(),
            identifying: algorithms.iter().position(Algorithm::tells_files_apart).unwrap_or_default(),
        }
    }
}

/// The room that a file system of the destination lacks.
pub(crate) struct Lack {
    /// A folder on it.
    pub(crate) folder: Folder,
    /// In a dry run, what will still be free.
    pub(crate) free: u64,
    /// The space needed by the files for which there is no room.
    pub(crate) needed: u64,
}

/// Work that is finished only once it is durable.
#[derive(Default)]
pub(crate) struct Settling {
    /// Copies that have their final names and are not known to be durable yet.
    pub(crate) placed: Vec<(usize, Box<Copied>)>,
    /// Files whose sources are to be deleted.
    pub(crate) leaving: Vec<Leaving>,
    /// Folders whose own names are durable.
    pub(crate) durable: HashSet<PathBuf>,
    /// Folders of a tree, which get their modes and times once everything is in them.
    pub(crate) folders: Vec<Found>,
}

/// A file whose source is to be deleted once everything about it is durable.
pub(crate) struct Leaving {
    pub(crate) member: usize,
    pub(crate) action: Action,
    /// Path of the copy, relative to the destination.
    pub(crate) path: PathBuf,
}
