//! Comparing a folder with lists of what was in it.

use crate::base::class::Class;
use crate::base::names::{below, normalized, split};
use crate::base::snapshot::{Known, Row, Snapshot};
use crate::decide::comparison::{Change, Comparison};
use crate::decide::content::same_content;
use crate::read::ahead::ahead;
use crate::read::base::Base;
use crate::read::list::{ListEvent, Listed, Source, times_of, unfinished_of, verified_of};
use crate::read::verified::Verified;
use hashmill_files::ours::folder_of_list;
use hashmill_files::{
    Below, Error, Event, FileId, Filter, Found, Input, Io, Key, Options, Outcome, Problem, Progress, Recipe, Walked,
    sum, walk,
};
use hashmill_lists::{Function, ReadOptions, Stated, Style};
use std::cell::{Cell, RefCell};
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How to audit.
#[derive(Debug, Clone, Default)]
pub struct AuditOptions {
    /// The folder, if it is not to be found out from the names in the lists.
    pub folder: Option<PathBuf>,
    /// What names are relative to, if it is neither the folder nor said by the form of the list.
    pub base: Option<PathBuf>,
    /// How to read lists; see [`CheckOptions::function`](hashmill_files::CheckOptions::function).
    pub function: Option<Function>,
    /// The key of digests that need one.
    pub key: Option<Key>,
    /// Do not try algorithms on digests that do not name theirs.
    pub no_guess: bool,
    /// Accept digests shorter than both 128 bits and their algorithm's usual length.
    pub allow_short: bool,
    /// Lines of lists end with NUL.
    pub zero: bool,
    /// Files with the length and the time that the list states are not read.
    pub quick: bool,
    /// Of the files with the length and the time that the list states, read only those that were verified longest ago.
    pub share: Option<Share>,
    /// Which files are compared.
    pub filter: Filter,
    /// Number of hashing threads, or `None` for one per available core.
    pub threads: Option<NonZeroUsize>,
    /// How files are read.
    pub io: Io,
}

/// How much is read at a time of an archive that is too large to be read at once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Share {
    /// What can be read in this time.
    Time(Duration),
    /// This part of the files that the list names, from 0 to 1.
    Part(f64),
}

/// What [`audit`] reports. Files that are as they were come as they are read, those that cannot be read, too; the
/// others at the end, by name.
#[derive(Debug)]
pub enum AuditEvent<'a> {
    /// Something about a list, given by its place among the sources.
    List(usize, ListEvent),
    /// It is known which folder is compared.
    Begins {
        /// The folder.
        folder: PathBuf,
        /// What the names of files are relative to, or `None` for the current folder.
        base: Option<PathBuf>,
    },
    /// A file has been read.
    Read(&'a [u8], Known<'a>),
    /// A file.
    File(FileChange<'a>),
    /// A file lies on a device that none of the files before it lies on; see [`Event::Device`].
    Device {
        /// The file.
        path: PathBuf,
        /// Why files on this device are read by one reader at a time, or `None` if several readers are used.
        one_reader: Option<&'static str>,
    },
    /// Nothing more can be reported at the moment, which makes it a good time to flush output.
    Idle,
}

/// What became of a file.
#[derive(Debug)]
pub struct FileChange<'a> {
    /// Its class.
    pub class: Class,
    /// Its name; for [`Class::Missing`], the one that it had.
    pub name: &'a [u8],
    /// The name that it had, if that was another, or the name of the file that it is a copy of.
    pub from: Option<&'a [u8]>,
    /// What was known of it before.
    pub before: Option<Known<'a>>,
    /// What is known of it now.
    pub now: Option<Known<'a>>,
    /// Another content is found under the name that the file had, if it is missing or has moved.
    pub taken: bool,
    /// Another content was there under the name that it has.
    pub named: bool,
    /// Why it could not be read.
    pub error: Option<&'a Error>,
    /// Whether it was written to while it was read.
    pub changed_while_read: bool,
}

/// Counts by class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditSummary {
    counts: [u64; Class::ALL.len()],
    /// Number of files that were not read, since their length and time are as listed.
    pub trusted: u64,
    /// Of these, the files that were never verified, and their length in bytes.
    pub left: (u64, u64),
    /// When the others of these were last verified, at the earliest, in seconds since 1970.
    pub since: Option<i64>,
    /// The files that were read because it was their turn, and their length in bytes.
    pub turn: (u64, u64),
    /// Number of files that an interrupted run had read.
    pub resumed: u64,
    /// Number of bytes that were read.
    pub bytes: u64,
    /// Lines of lists that may have left a file unverified.
    pub malformed: u64,
}

impl AuditSummary {
    /// Returns the number of files of a class.
    pub fn of(&self, class: Class) -> u64 {
        Class::ALL.iter().position(|c| *c == class).map_or(0, |i| self.counts[i])
    }

    /// Returns the bits of an exit status: those of every class that has files, and 8 for lines that were not
    /// understood. New files may be allowed.
    pub fn bits(&self, allow_new: bool) -> u8 {
        let counted = Class::ALL.into_iter().filter(|class| self.of(*class) > 0);
        let wrong = counted.filter(|class| !(allow_new && matches!(class, Class::New | Class::Copied)));
        wrong.fold(if self.malformed > 0 { 8 } else { 0 }, |bits, class| bits | class.bits())
    }

    pub(crate) fn count(&mut self, class: Class) {
        if let Some(i) = Class::ALL.iter().position(|c| *c == class) {
            self.counts[i] += 1;
        }
    }
}

/// Why an audit ends early.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// A list, given by its place among the sources, cannot be read.
    #[error("{}", hashmill_files::plain(.1))]
    List(usize, io::Error),
    /// A list, given by its place among the sources, names no file; or none does, if it is the first.
    #[error("no properly formatted checksum lines found")]
    Nothing(usize),
    /// Its files are in a folder that is not below the one that names are relative to, and no other was given.
    #[error(
        "its files are in {}, which is not below {}; to compare that folder, name it after the list",
        .root.display(), .folder.display()
    )]
    Elsewhere {
        /// The folder that has all the files.
        root: PathBuf,
        /// The folder that it should be below.
        folder: PathBuf,
    },
    /// None of the digests can be computed.
    #[error("{0}")]
    NoRecipe(String),
    /// The list cannot be brought up to date, for the reason given.
    #[error("cannot be updated: {0}")]
    NoUpdate(String),
    /// A thread panicked; see [`sum`].
    #[error("{0}")]
    Work(#[from] Error),
}

/// Compares a folder with what lists say of it, and passes what became of every file to `sink`. Every file is read
/// once, for all digests that the lists have, several at a time.
///
/// Symbolic links to files count as files if the lists name them, and so do links to folders by which they name files,
/// unless they lead out of the folder. What cannot be read is never missing, and nothing is [`Class::Same`] that was
/// not read, or trusted because [`AuditOptions::quick`] or [`AuditOptions::share`] is set. If `sink` breaks, the rest
/// is not compared.
///
/// `verified` says when files were last verified, and is brought up to date.
///
/// # Errors
/// Returns an error if nothing could be compared, or if not everything was.
pub fn audit(
    sources: Vec<Source<'_>>,
    options: &AuditOptions,
    verified: Option<&mut Verified>,
    progress: &Progress,
    mut sink: impl FnMut(AuditEvent<'_>) -> ControlFlow<()>,
) -> Result<AuditSummary, AuditError> {
    let mut summary = AuditSummary::default();
    std::thread::scope(|scope| {
        // Reading a list takes as long as walking the tree.
        let walked = options.folder.as_ref().map(|folder| begin(scope, folder.clone(), own(&sources), options));
        let tell = &mut |list, event| sink(AuditEvent::List(list, event));
        let ground = load(sources, options, &mut summary, tell)?;
        let functions = match ground.listed.functions().0 {
            // A folder of which nothing is listed has new files.
            none if none.is_empty() => ground.elsewhere.clone(),
            some => some,
        };
        let mut none = Verified::default();
        let before = Before { done: None, verified: verified.unwrap_or(&mut none), walked };
        let audited = compare(ground, &functions, before, options, summary, progress, sink)?;
        Ok(audited.summary)
    })
}

/// A walk through a tree that has begun.
pub(crate) struct Walking<'a> {
    root: PathBuf,
    found: Box<dyn Iterator<Item = Result<Found, Problem>> + 'a>,
}

/// Begins to walk a tree, on a thread of its own.
fn begin<'s>(
    scope: &'s std::thread::Scope<'s, '_>,
    root: PathBuf,
    own: Vec<FileId>,
    options: &AuditOptions,
) -> Walking<'s> {
    let how = Walked { outputs: own, filter: options.filter.clone(), examine: true, ..Walked::default() };
    let found = Box::new(ahead(scope, walk([Input::Path(root.clone())], how)));
    Walking { root, found }
}

/// What is compared.
pub(crate) struct Ground {
    pub(crate) listed: Snapshot,
    pub(crate) base: Base,
    /// Files that are not part of what is compared: the lists themselves.
    pub(crate) own: Vec<FileId>,
    /// How the last list looks; see [`Listed::style`].
    pub(crate) style: Option<Style>,
    pub(crate) is_dotted: bool,
    /// What digests are of that files have which are not compared.
    pub(crate) elsewhere: Vec<Function>,
    /// Whether any of the listed files is there.
    pub(crate) is_there: bool,
}

/// What earlier runs have done.
pub(crate) struct Before<'a> {
    /// Digests of files that a run has read which was interrupted.
    pub(crate) done: Option<Snapshot>,
    pub(crate) verified: &'a mut Verified,
    /// A walk through the folder that is most likely to be compared.
    pub(crate) walked: Option<Walking<'a>>,
}

/// What is left of a comparison.
pub(crate) struct Audited {
    pub(crate) summary: AuditSummary,
    pub(crate) comparison: Comparison,
}

/// Compares a folder with what was in it. Files with the length and time that they have in [`Before::done`] are not
/// read: their digests are there.
pub(crate) fn compare(
    ground: Ground,
    functions: &[Function],
    before: Before<'_>,
    options: &AuditOptions,
    summary: AuditSummary,
    progress: &Progress,
    mut sink: impl FnMut(AuditEvent<'_>) -> ControlFlow<()>,
) -> Result<Audited, AuditError> {
    let Ground { listed, base, own, .. } = ground;
    let (recipes, wrong) = recipes(functions, options);
    let Some(recipes) = recipes else {
        return Err(AuditError::NoRecipe(wrong.unwrap_or_else(|| "nothing tells what the digests are of".into())));
    };
    let begins = sink(AuditEvent::Begins { folder: base.root(), base: base.folder.clone() });
    let work = Work {
        comparison: RefCell::new(Comparison::new(listed)),
        summary: RefCell::new(summary),
        base: &base,
        options,
        functions: recipes.iter().map(Recipe::function).collect(),
        done: before.done,
        verified: RefCell::new(before.verified),
        later: RefCell::default(),
        now: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs() as i64),
        sink: RefCell::new(sink),
        broken: Cell::new(begins.is_break()),
    };
    let computing = Options { threads: options.threads, io: options.io, ..Options::of(recipes) };
    let walking = before.walked.filter(|walking| walking.root == base.root());
    let end = std::thread::scope(|scope| {
        let walking = walking.unwrap_or_else(|| begin(scope, base.root(), own, options));
        let walked = walking.found.filter_map(|found| work.choose(found));
        let inputs = walked.chain(work.rest()).chain(work.in_turn()).take_while(|_| !work.broken.get());
        sum(&computing, inputs, progress, |event| match event {
            Event::Outcome(outcome) => work.outcome(outcome),
            Event::Device { path, one_reader } => work.send(AuditEvent::Device { path, one_reader }),
            Event::Idle => work.send(AuditEvent::Idle),
        })
    });
    if !work.broken.get() && !progress.is_stopped() {
        let changes = work.comparison.borrow_mut().end();
        for change in &changes {
            if work.change(change).is_break() {
                break;
            }
        }
    }
    let Work { comparison, summary, .. } = work;
    let (comparison, summary) = (comparison.into_inner(), summary.into_inner());
    end?;
    Ok(Audited { summary, comparison })
}

/// Reads lists.
pub(crate) fn load(
    sources: Vec<Source<'_>>,
    options: &AuditOptions,
    summary: &mut AuditSummary,
    tell: &mut impl FnMut(usize, ListEvent) -> ControlFlow<()>,
) -> Result<Ground, AuditError> {
    let reading = ReadOptions {
        algorithm: options.function.and_then(Function::plain),
        allow_short: options.allow_short,
        zero: options.zero,
    };
    // A part of an archive is compared with what the list of the whole says of it.
    let part = options.folder.as_deref().and_then(|folder| part_of(&sources, folder));
    let mut listed = Listed::of_part(part.clone());
    let own = own(&sources);
    let mut hear = |list: usize, event: ListEvent| {
        summary.malformed += u64::from(event.hides_a_file());
        let _ = tell(list, event);
    };
    let first = sources.first().map(|source| source.path.clone()).unwrap_or_default();
    for (i, source) in sources.into_iter().enumerate() {
        listed.read(source, options.function, &reading, |event| hear(i, event)).map_err(|e| AuditError::List(i, e))?;
    }
    let sample = listed.sample();
    if sample.is_empty() && part.is_none() {
        return Err(AuditError::Nothing(0));
    }
    let otherwise = options.base.clone().or(listed.folder.take());
    let otherwise = match &options.folder {
        None => otherwise.or_else(|| next_to(&first, &sample)),
        Some(_) => otherwise,
    };
    let base = match &options.folder {
        _ if part.is_some() => Base { folder: otherwise, top: part.unwrap_or_default() },
        folder if listed.is_kept => Base { folder: folder.clone().or(otherwise), top: Vec::new() },
        Some(folder) => Base::of_folder(folder, otherwise, &sample),
        None => {
            let folders: Vec<&[u8]> = if listed.snapshot.is_empty() {
                sample.iter().map(|name| split(name).0).collect()
            } else {
                listed.snapshot.folders().collect()
            };
            let base = Base::of_folders(otherwise, folders.into_iter());
            if !base.stays() {
                let folder = base.folder.clone().unwrap_or_else(|| "the current folder".into());
                return Err(AuditError::Elsewhere { root: base.root(), folder });
            }
            base
        }
    };
    listed.place_odd(&base, |event| hear(0, event));
    listed.identify(&base, options.no_guess, |event| hear(0, event));
    let is_there = sample.iter().any(|name| base.path(name).is_some_and(|path| path.symlink_metadata().is_ok()));
    let Listed { snapshot, style, is_dotted, elsewhere, .. } = listed;
    Ok(Ground { listed: snapshot, base, own, style, is_dotted, elsewhere, is_there })
}

/// Returns the files of the lists, which are no part of what is compared.
fn own(sources: &[Source<'_>]) -> Vec<FileId> {
    let about = |path: &Path| [path.to_path_buf(), times_of(path), unfinished_of(path), verified_of(path)];
    sources.iter().flat_map(|source| about(&source.path)).filter_map(|path| FileId::at(&path)).collect()
}

/// Returns the folder that a list is in if files that it names are there, and none is in the current folder.
fn next_to(list: &Path, names: &[Vec<u8>]) -> Option<PathBuf> {
    let folder = list.parent().filter(|folder| !folder.as_os_str().is_empty())?;
    let is_in = |folder: &Path| {
        let path = |name: &Vec<u8>| hashmill_lists::os_string(name.clone()).map(|name| folder.join(name));
        names.iter().take(64).filter_map(path).any(|path| path.symlink_metadata().is_ok())
    };
    (!is_in(Path::new("")) && is_in(folder)).then(|| folder.to_owned())
}

/// Returns the name of a folder below the one whose list is read, if copies keep that list of the whole folder.
pub(crate) fn part_of(sources: &[Source<'_>], folder: &Path) -> Option<Vec<u8>> {
    let [source] = sources else { return None };
    let whole = folder_of_list(&source.path)?.canonicalize().ok()?;
    let part = folder.canonicalize().ok()?;
    let below = part.strip_prefix(whole).ok()?;
    Some(normalized(below.as_os_str().as_encoded_bytes())).filter(|name| !name.is_empty())
}

/// Returns what computes all digests that can be, or `None` if there are none; and why one cannot.
fn recipes(functions: &[Function], options: &AuditOptions) -> (Option<Vec<Recipe>>, Option<String>) {
    let (mut recipes, mut wrong) = (Vec::new(), None);
    for function in functions {
        match Recipe::new(*function, options.key.as_ref()) {
            Ok(recipe) => recipes.push(recipe),
            Err(e) => wrong = Some(e.to_string()),
        }
    }
    (Some(recipes).filter(|r| !r.is_empty()), wrong)
}

/// An audit while files are read. What is walked and what has been read come on the same thread in turn.
struct Work<'a, S> {
    comparison: RefCell<Comparison>,
    summary: RefCell<AuditSummary>,
    base: &'a Base,
    options: &'a AuditOptions,
    functions: Vec<Function>,
    done: Option<Snapshot>,
    verified: RefCell<&'a mut Verified>,
    /// Files that are read when it is their turn: when they were verified, which they are, and how long.
    later: RefCell<Vec<(Option<i64>, Row, u64)>>,
    /// The time in seconds since 1970.
    now: i64,
    sink: RefCell<S>,
    /// Whether the sink wants no more.
    broken: Cell<bool>,
}

/// What is reported of a file besides its change.
#[derive(Default)]
struct Report<'a> {
    row: Option<Row>,
    now: Option<Known<'a>>,
    error: Option<&'a Error>,
    changed_while_read: bool,
}

impl<S: FnMut(AuditEvent<'_>) -> ControlFlow<()>> Work<'_, S> {
    fn send(&self, event: AuditEvent<'_>) -> ControlFlow<()> {
        let flow = (self.sink.borrow_mut())(event);
        self.broken.set(self.broken.get() || flow.is_break());
        flow
    }

    /// Reports a file whose class is known without reading it.
    fn unread(&self, name: &[u8], class: Class, row: Option<Row>, error: Option<&Error>) {
        let _ = self.report(name, class, Report { row, error, ..Report::default() });
    }

    /// Returns what is to be read of what has been found.
    fn choose(&self, found: Result<Found, Problem>) -> Option<Result<Found, Problem>> {
        let found = match found {
            Ok(found) => found,
            Err(Problem { error, .. }) if error.is_own() => return None,
            Err(Problem { path, mut error }) => {
                let name = self.base.name(&path);
                let row = self.find(&name);
                if row.is_none() && error.is_missing() {
                    // Otherwise it was deleted after the folder was listed.
                    path.symlink_metadata().ok()?;
                    error = Error::Skipped("symbolic link to nothing");
                }
                // If the name is listed, what has it now is not what had it.
                let class = if row.is_none() && error.is_skipped() { Class::Skipped } else { Class::Unreadable };
                self.settle(row, class);
                self.unread(&name, class, row, Some(&error));
                return None;
            }
        };
        let name = self.base.name(found.input().name());
        let Some(row) = self.find(&name) else {
            if name == self.base.top {
                // The folder itself is not one, so everything is missing.
                return None;
            }
            if found.facts().is_none() {
                self.unread(&name, Class::Skipped, None, Some(&Error::Skipped("symbolic link")));
                return None;
            }
            return if self.is_done(&name, &found) { None } else { Some(Ok(found)) };
        };
        if !self.is_checkable(row) {
            self.settle(Some(row), Class::NotChecked);
            self.unread(&name, Class::NotChecked, Some(row), None);
            return None;
        }
        let untouched = |facts| self.comparison.borrow().is_untouched(row, facts);
        if self.options.quick && found.facts().is_some_and(untouched) {
            self.settle(Some(row), Class::Same);
            self.summary.borrow_mut().trusted += 1;
            self.unread(&name, Class::Same, Some(row), None);
            return None;
        }
        // A link to a file is opened later: it must not lead out of the folder.
        found.facts()?;
        self.comparison.borrow_mut().meet(row);
        if let (Some(_), Some(facts)) = (self.options.share, found.facts().filter(|facts| untouched(facts))) {
            let verified = self.verified.borrow().of(&name);
            self.later.borrow_mut().push((verified, row, facts.size));
            return None;
        }
        if self.is_done(&name, &found) { None } else { Some(Ok(found)) }
    }

    /// Takes the digests of a file that was read before, if it has not changed since. Returns whether it did.
    fn is_done(&self, name: &[u8], found: &Found) -> bool {
        let (Some(done), Some(facts)) = (&self.done, found.facts()) else { return false };
        let Some(row) = done.find(name) else { return false };
        if done.size(row) != Some(facts.size) || done.modified(row) != Some(facts.modified) {
            return false;
        }
        let stated = done.stated(row);
        if !self.functions.iter().all(|f| stated.iter().any(|s| s.function == Some(*f))) {
            return false;
        }
        self.summary.borrow_mut().resumed += 1;
        let now = known(done, row, &stated);
        let _ = self.send(AuditEvent::Read(name, now));
        let _ = self.take(name, now, false);
        true
    }

    fn find(&self, name: &[u8]) -> Option<Row> {
        self.comparison.borrow().before().find(name)
    }

    fn settle(&self, row: Option<Row>, class: Class) {
        if let Some(row) = row {
            self.comparison.borrow_mut().settle(row, class);
        }
    }

    /// Returns whether all digests of a file can be computed.
    fn is_checkable(&self, row: Row) -> bool {
        let known = |f: Option<Function>| f.is_some_and(|f| self.functions.contains(&f));
        let comparison = self.comparison.borrow();
        let mut values = comparison.before().values(row).peekable();
        values.peek().is_some() && values.all(|(function, _)| known(function))
    }

    /// Returns files that the walk has not met: in folders that links lead to, or that could not be listed; or gone.
    fn rest(&self) -> impl Iterator<Item = Result<Found, Problem>> {
        // The current folder is its own name.
        let root = Some(self.base.root()).filter(|root| root != Path::new("."));
        let below = Arc::new(Below::new(root));
        let mut at = 0;
        std::iter::from_fn(move || {
            loop {
                let (row, next) = self.comparison.borrow().unseen(at)?;
                at = next;
                let name = self.comparison.borrow().before().name(row);
                let inside = self.base.has(&name);
                let path = match self.base.path(&name) {
                    Some(path) if inside => path,
                    _ => {
                        let error = if inside { Error::BadName } else { Error::Outside };
                        self.settle(Some(row), Class::Unreadable);
                        self.unread(&name, Class::Unreadable, Some(row), Some(&error));
                        continue;
                    }
                };
                if !self.is_taken(&name, &path) {
                    self.comparison.borrow_mut().leave_out(row);
                    continue;
                }
                if !self.is_checkable(row) && path.symlink_metadata().is_ok() {
                    self.settle(Some(row), Class::NotChecked);
                    self.unread(&name, Class::NotChecked, Some(row), None);
                    continue;
                }
                self.comparison.borrow_mut().meet(row);
                return Some(Ok(Found::regular_only(Input::Below(Arc::clone(&below), path))));
            }
        })
    }

    /// Returns files that are as they were by their length and time, those first that were verified longest ago, until
    /// it is enough. The rest is taken for the same.
    fn in_turn(&self) -> impl Iterator<Item = Result<Found, Problem>> {
        let begin = Instant::now();
        let mut later = Vec::new();
        let (mut at, mut begun) = (0, false);
        std::iter::from_fn(move || {
            if !begun {
                begun = true;
                later = self.later.take();
                // Those that were never verified come first, and as they were found.
                later.sort_by_key(|(verified, ..)| *verified);
            }
            let is_enough = match self.options.share {
                Some(Share::Time(time)) => begin.elapsed() >= time,
                Some(Share::Part(part)) => at as f64 >= (part * self.comparison.borrow().before().len() as f64).ceil(),
                None => true,
            };
            if let (Some(&(_, row, size)), false) = (later.get(at), is_enough) {
                at += 1;
                let mut summary = self.summary.borrow_mut();
                summary.turn = (summary.turn.0 + 1, summary.turn.1 + size);
                let name = self.comparison.borrow().before().name(row);
                let path = self.base.path(&name).unwrap_or_default();
                return Some(Ok(Found::regular_only(Input::Path(path))));
            }
            for (verified, row, size) in later.drain(..).skip(at) {
                let name = self.comparison.borrow().before().name(row);
                self.settle(Some(row), Class::Same);
                let mut summary = self.summary.borrow_mut();
                summary.trusted += 1;
                match verified {
                    None => summary.left = (summary.left.0 + 1, summary.left.1 + size),
                    Some(time) => summary.since = Some(summary.since.map_or(time, |since| since.min(time))),
                }
                drop(summary);
                self.unread(&name, Class::Same, Some(row), None);
            }
            None
        })
    }

    /// Returns whether the filter takes a file.
    fn is_taken(&self, name: &[u8], path: &Path) -> bool {
        let within = below(name, &self.base.top).unwrap_or(name).to_vec();
        let within = hashmill_lists::os_string(within).map(PathBuf::from).unwrap_or_default();
        let filter = &self.options.filter;
        let mut folders = within.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        folders.all(|folder| filter.enters(folder)) && filter.takes_file(path, &within)
    }

    /// Takes what a file turned out to be.
    fn outcome(&self, outcome: Outcome) -> ControlFlow<()> {
        let Outcome { input, result, bytes, changed, modified } = outcome;
        let name = self.base.name(input.name());
        let row = self.find(&name);
        let digests = match result {
            Ok(digests) => digests,
            // Whatever had the name is gone, or something else has it.
            Err(e) if is_gone(&e) => return ControlFlow::Continue(()),
            Err(e) => {
                self.settle(row, Class::Unreadable);
                return self.report(&name, Class::Unreadable, Report { row, error: Some(&e), ..Report::default() });
            }
        };
        self.summary.borrow_mut().bytes += bytes;
        let stated: Vec<Stated> = self.functions.iter().zip(digests).map(|(f, d)| Stated::of(*f, d)).collect();
        let now = Known { size: Some(bytes), modified, stated: &stated };
        if !changed {
            self.send(AuditEvent::Read(&name, now))?;
        }
        self.take(&name, now, changed)
    }

    /// Compares what a file turned out to be.
    fn take(&self, name: &[u8], now: Known<'_>, changed: bool) -> ControlFlow<()> {
        let row = self.find(name);
        let listed = row.map(|row| self.comparison.borrow().before().stated(row)).unwrap_or_default();
        // What is neither its old content nor all new says nothing.
        let class = if changed && same_content(&listed, now.stated) != Some(true) {
            self.settle(row, Class::Unreadable);
            Some(Class::Unreadable)
        } else {
            self.comparison.borrow_mut().take(name, &now)
        };
        match class {
            Some(class) => {
                self.report(name, class, Report { row, now: Some(now), error: None, changed_while_read: changed })
            }
            None => ControlFlow::Continue(()),
        }
    }

    fn report(&self, name: &[u8], class: Class, about: Report<'_>) -> ControlFlow<()> {
        self.summary.borrow_mut().count(class);
        if matches!(class, Class::Same | Class::Touched) && about.now.is_some() {
            self.verified.borrow_mut().set(name, self.now);
        }
        let comparison = self.comparison.borrow();
        let stated = about.row.map(|row| comparison.before().stated(row)).unwrap_or_default();
        let before = about.row.map(|row| known(comparison.before(), row, &stated));
        let Report { row, now, error, changed_while_read } = about;
        let file = FileChange {
            class,
            name,
            from: None,
            before,
            now,
            taken: false,
            named: row.is_some(),
            error,
            changed_while_read,
        };
        self.send(AuditEvent::File(file))
    }

    /// Reports a change.
    fn change(&self, change: &Change) -> ControlFlow<()> {
        self.summary.borrow_mut().count(change.class);
        let comparison = self.comparison.borrow();
        let of = |snapshot: &Snapshot, row: Option<Row>| row.map(|row| (snapshot.name(row), snapshot.stated(row)));
        let before = of(comparison.before(), change.before);
        let now = of(comparison.found(), change.now);
        let other = matches!(change.class, Class::Moved | Class::Copied);
        let name = now.as_ref().or(before.as_ref()).map(|(name, _)| &name[..]).unwrap_or_default();
        let file = FileChange {
            class: change.class,
            name,
            from: before.as_ref().filter(|_| other).map(|(name, _)| &name[..]),
            before: before.as_ref().zip(change.before).map(|((_, s), row)| known(comparison.before(), row, s)),
            now: now.as_ref().zip(change.now).map(|((_, s), row)| known(comparison.found(), row, s)),
            taken: change.taken,
            named: change.named,
            error: None,
            changed_while_read: false,
        };
        self.send(AuditEvent::File(file))
    }
}

fn known<'a>(snapshot: &Snapshot, row: Row, stated: &'a [Stated]) -> Known<'a> {
    Known { size: snapshot.size(row), modified: snapshot.modified(row), stated }
}

/// Returns whether there is no file of a name: nothing, or a folder, or what should be a folder above it is none.
fn is_gone(e: &Error) -> bool {
    let not_a_folder = matches!(e, Error::Io(e) if e.kind() == io::ErrorKind::NotADirectory);
    e.is_missing() || not_a_folder || matches!(e, Error::IsDirectory)
}
