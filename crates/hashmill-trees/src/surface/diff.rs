//! Comparing two folders, two lists, or one of each.
//!
//! Of two folders, only files are read whose contents may be the same: those of one name and one length, and then, of
//! those that are left, those that have the length of one on the other side.

use crate::base::class::Class;
use crate::base::names::{below, is_normalized, normalized};
use crate::base::snapshot::{Known, Row, Snapshot};
use crate::decide::comparison::{Change, Comparison};
use crate::decide::content::same_content;
use crate::read::base::Base;
use crate::read::list::{ListEvent, Listed, Source};
use crate::surface::audit::{AuditError, AuditEvent, AuditOptions, FileChange, audit};
use hashmill::Algorithm;
use hashmill_files::{Event, Filter, Found, Input, Io, Options, Outcome, Problem, Progress, Walked, sum, walk};
use hashmill_lists::{Entry, Function, Item, Line, List, ReadOptions, Stated};
use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// One side of a comparison.
#[derive(Debug)]
pub enum Side<'a> {
    /// A folder.
    Folder(PathBuf),
    /// A list.
    List(Source<'a>),
}

/// How two sides are compared.
#[derive(Debug, Clone)]
pub struct DiffOptions {
    /// The algorithm for the files of two folders.
    pub algorithm: Algorithm,
    /// What digests in lists are of that do not tell.
    pub function: Option<Function>,
    /// Which files are compared.
    pub filter: Filter,
    /// Compare contents alone, whatever files are called.
    pub content_only: bool,
    /// Number of hashing threads, or `None` for one per available core.
    pub threads: Option<NonZeroUsize>,
    /// How files are read.
    pub io: Io,
}

/// What a file is in a comparison of two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    /// Its content is the same on both sides, under one name or, if only contents are compared, under any.
    Same,
    /// Its content is another on the other side.
    Changed,
    /// It has another name on the other side.
    Moved,
    /// It is only on the first side.
    OnlyHere,
    /// It is only on the second side.
    OnlyThere,
    /// It could not be read, or its digests could not be compared.
    Unreadable,
}

impl Sides {
    /// All of them, in the order of totals.
    pub const ALL: [Sides; 6] =
        [Sides::Same, Sides::Changed, Sides::Moved, Sides::OnlyHere, Sides::OnlyThere, Sides::Unreadable];

    /// Returns a stable word for it, as `--json` has it.
    pub fn name(self) -> &'static str {
        match self {
            Sides::Same => "same",
            Sides::Changed => "changed",
            Sides::Moved => "moved",
            Sides::OnlyHere => "only-here",
            Sides::OnlyThere => "only-there",
            Sides::Unreadable => "unreadable",
        }
    }
}

/// A file of either side.
#[derive(Debug)]
pub struct DiffFile<'a> {
    /// What it is.
    pub sides: Sides,
    /// Its name on the second side or, if it is not there, on the first.
    pub name: &'a [u8],
    /// Its name on the first side, if that is another.
    pub from: Option<&'a [u8]>,
    /// What is known of it on the side of `name`.
    pub known: Known<'a>,
    /// Why it could not be compared.
    pub error: Option<String>,
}

/// What [`diff`] reports.
#[derive(Debug)]
pub enum DiffEvent<'a> {
    /// Something about a list: on the second side or not.
    List(bool, ListEvent),
    /// A file.
    File(DiffFile<'a>),
    /// Nothing more can be reported at the moment.
    Idle,
}

/// Counts of files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiffSummary {
    counts: [u64; Sides::ALL.len()],
    /// Number of bytes that were read.
    pub bytes: u64,
    /// Lines of lists that may have left a file out.
    pub malformed: u64,
}

impl DiffSummary {
    /// Returns the number of files.
    pub fn of(&self, sides: Sides) -> u64 {
        self.counts[sides as usize]
    }

    /// Returns whether both sides are the same, as far as all of them could be compared.
    pub fn is_same(&self) -> bool {
        Sides::ALL.iter().skip(1).all(|sides| self.of(*sides) == 0)
    }
}

/// Compares two sides, and passes what every file is to `sink`.
///
/// # Errors
/// Returns an error if a list cannot be read, if the digests of both have nothing in common, or if a thread panicked.
pub fn diff(
    a: Side<'_>,
    b: Side<'_>,
    options: &DiffOptions,
    progress: &Progress,
    sink: impl FnMut(DiffEvent<'_>) -> ControlFlow<()>,
) -> Result<DiffSummary, AuditError> {
    let mut run = Run { options, progress, sink, summary: DiffSummary::default(), over: false, unlisted: Vec::new() };
    match (a, b) {
        (Side::Folder(a), Side::Folder(b)) => run.folders(&a, &b)?,
        (Side::List(a), Side::List(b)) => run.lists(a, b)?,
        (Side::List(list), Side::Folder(folder)) => run.list_and_folder(list, folder, false)?,
        (Side::Folder(folder), Side::List(list)) => run.list_and_folder(list, folder, true)?,
    }
    Ok(run.summary)
}

struct Run<'a, S> {
    options: &'a DiffOptions,
    progress: &'a Progress,
    sink: S,
    summary: DiffSummary,
    /// The sink wants no more.
    over: bool,
    /// Folders that cannot be listed, by name.
    unlisted: Vec<Vec<u8>>,
}

impl<S: FnMut(DiffEvent<'_>) -> ControlFlow<()>> Run<'_, S> {
    fn send(&mut self, event: DiffEvent<'_>) {
        if let DiffEvent::File(file) = &event {
            self.summary.counts[file.sides as usize] += 1;
        }
        if let DiffEvent::List(_, event) = &event {
            self.summary.malformed += u64::from(event.hides_a_file());
        }
        self.over = self.over || (self.sink)(event).is_break();
    }

    fn file(&mut self, sides: Sides, name: &[u8], known: Known<'_>) {
        self.send(DiffEvent::File(DiffFile { sides, name, from: None, known, error: None }));
    }

    fn unreadable(&mut self, name: &[u8], error: String) {
        let (sides, known) = (Sides::Unreadable, Known::default());
        self.send(DiffEvent::File(DiffFile { sides, name, from: None, known, error: Some(error) }));
    }

    /// Compares a list and a folder, of which the folder is the first if `reversed`.
    fn list_and_folder(&mut self, list: Source<'_>, folder: PathBuf, reversed: bool) -> Result<(), AuditError> {
        let audited = AuditOptions {
            folder: Some(folder),
            function: self.options.function,
            filter: self.options.filter.clone(),
            threads: self.options.threads,
            io: self.options.io,
            ..AuditOptions::default()
        };
        // If names do not matter, what is at both sides is known only at the end.
        let mut contents = Contents::default();
        let summary = audit(vec![list], &audited, None, self.progress, |event| {
            match event {
                AuditEvent::List(_, event) => self.send(DiffEvent::List(reversed, event)),
                AuditEvent::File(file)
                    if self.options.content_only && !matches!(file.class, Class::Unreadable | Class::NotChecked) =>
                {
                    contents.add_change(&file);
                }
                AuditEvent::File(file) => self.change(&file, reversed),
                AuditEvent::Idle => self.send(DiffEvent::Idle),
                AuditEvent::Begins { .. } | AuditEvent::Read(..) | AuditEvent::Device { .. } => {}
            }
            if self.over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        self.summary.bytes += summary.bytes;
        if self.options.content_only {
            self.contents(contents, reversed);
        }
        Ok(())
    }

    /// Reports what became of a file of a list.
    fn change(&mut self, file: &FileChange<'_>, reversed: bool) {
        let (only_before, only_now) =
            if reversed { (Sides::OnlyThere, Sides::OnlyHere) } else { (Sides::OnlyHere, Sides::OnlyThere) };
        let sides = match file.class {
            Class::Same | Class::Touched => Sides::Same,
            Class::Changed | Class::Rotten | Class::Differs => Sides::Changed,
            Class::Moved => Sides::Moved,
            Class::Missing => only_before,
            Class::New | Class::Copied => only_now,
            Class::Unreadable | Class::NotChecked => Sides::Unreadable,
            Class::Skipped => return,
        };
        let from = file.from.filter(|_| sides == Sides::Moved);
        let (name, from) = match from {
            Some(from) if reversed => (from, Some(file.name)),
            from => (file.name, from),
        };
        let known = file.now.or(file.before).unwrap_or_default();
        let error = match file.error {
            Some(e) => Some(e.to_string()),
            None if sides == Sides::Unreadable && file.changed_while_read => Some("changed while it was read".into()),
            None if sides == Sides::Unreadable => Some("its digests cannot be computed".into()),
            None => None,
        };
        self.send(DiffEvent::File(DiffFile { sides, name, from, known, error }));
    }

    fn lists(&mut self, a: Source<'_>, b: Source<'_>) -> Result<(), AuditError> {
        let reading =
            ReadOptions { algorithm: self.options.function.and_then(Function::plain), ..ReadOptions::default() };
        let function = self.options.function;
        let mut listed = Listed::assuming();
        let nowhere = Base::of_folders(None, std::iter::empty());
        let mut events = Vec::new();
        listed.read(a, function, &reading, |event| events.push(event)).map_err(|e| AuditError::List(0, e))?;
        listed.place_odd(&nowhere, |event| events.push(event));
        listed.tell_unknown(|event| events.push(event));
        events.drain(..).for_each(|event| self.send(DiffEvent::List(false, event)));
        if listed.snapshot.is_empty() {
            return Err(AuditError::Nothing(0));
        }
        let functions = listed.snapshot.functions().0;
        let mut comparison = Comparison::new(listed.snapshot);
        let list = List::open(b.reader, &b.path, &reading).map_err(|e| AuditError::List(1, e))?;
        let expected = function.or(list.expected().map(Function::Hash));
        let (mut entries, mut comparable) = (0u64, 0u64);
        let mut others: Vec<Function> = Vec::new();
        let mut contents = Contents::default();
        list.read(|Line { number, item }| {
            match item {
                Item::Entry(mut entry) => {
                    entries += 1;
                    name_digests(&mut entry, expected, &functions);
                    let name = entry.name.strip_prefix(b"./").unwrap_or(&entry.name);
                    let name = if is_normalized(name) { name.to_vec() } else { normalized(&entry.name) };
                    let known = Known { size: entry.size, modified: entry.mtime, stated: &entry.stated };
                    let common = entry.stated.iter().any(|s| s.function.is_some_and(|f| functions.contains(&f)));
                    comparable += u64::from(common);
                    for function in entry.stated.iter().filter_map(|s| s.function) {
                        if !others.contains(&function) {
                            others.push(function);
                        }
                    }
                    if self.options.content_only {
                        let _ = contents.now.add(&name, &known);
                    } else if comparison.contradicts(&name, &entry.stated) {
                        self.send(DiffEvent::List(true, ListEvent::Contradicts { number, name }));
                    } else if comparison.take(&name, &known).is_some() {
                        self.file(Sides::Same, &name, known);
                    }
                }
                Item::Nothing => {}
                Item::Note(note) => self.send(DiffEvent::List(true, ListEvent::Note(note))),
                Item::Lone(_) => {
                    let fault = hashmill_lists::Fault::NoName;
                    self.send(DiffEvent::List(true, ListEvent::BadLine { number, fault }));
                }
                Item::Bad(fault) => self.send(DiffEvent::List(true, ListEvent::BadLine { number, fault })),
            }
            if self.over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .map_err(|e| AuditError::List(1, e))?;
        if entries == 0 {
            return Err(AuditError::Nothing(1));
        }
        if comparable == 0 {
            let names = |all: &[Function]| all.iter().map(|f| f.name()).collect::<Vec<_>>().join(", ");
            return Err(AuditError::NoRecipe(format!(
                "the lists have no algorithm in common: {} here, {} there",
                names(&functions),
                names(&others)
            )));
        }
        if self.options.content_only {
            contents.before = std::mem::take(comparison.before_mut());
            self.contents(contents, false);
        } else {
            self.changes(&mut comparison);
        }
        Ok(())
    }

    /// Reports what is left at the end of a comparison.
    fn changes(&mut self, comparison: &mut Comparison) {
        for change in comparison.end() {
            if self.over {
                return;
            }
            let Change { class, before, now, .. } = change;
            let of = |snapshot: &Snapshot, row: Row| (snapshot.name(row), snapshot.stated(row));
            let was = before.map(|row| of(comparison.before(), row));
            let is = now.map(|row| of(comparison.found(), row));
            let sides = match class {
                Class::Moved => Sides::Moved,
                Class::Missing => Sides::OnlyHere,
                Class::New | Class::Copied => Sides::OnlyThere,
                _ => Sides::Changed,
            };
            let Some((name, stated)) = is.as_ref().or(was.as_ref()) else { continue };
            // What the other side has in a folder that cannot be listed is not known.
            if matches!(class, Class::Missing | Class::New) && self.unlisted.iter().any(|f| below(name, f).is_some()) {
                continue;
            }
            let (snapshot, row) = match (now, before) {
                (Some(now), _) => (comparison.found(), now),
                (None, Some(before)) => (comparison.before(), before),
                (None, None) => continue,
            };
            let known = Known { size: snapshot.size(row), modified: snapshot.modified(row), stated };
            let from = was.as_ref().filter(|_| sides == Sides::Moved).map(|(name, _)| &name[..]);
            self.send(DiffEvent::File(DiffFile { sides, name, from, known, error: None }));
        }
    }

    /// Compares what is at both sides, whatever it is called.
    fn contents(&mut self, Contents { before, now, failed }: Contents, reversed: bool) {
        let (here, there) = if reversed { (&now, &before) } else { (&before, &now) };
        let keys = |snapshot: &Snapshot| -> HashSet<(Option<Function>, Vec<u8>)> {
            snapshot.rows().flat_map(|row| snapshot.values(row).map(|(f, v)| (f, v.to_vec()))).collect()
        };
        for (snapshot, others, alone, counted) in
            [(here, keys(there), Sides::OnlyHere, false), (there, keys(here), Sides::OnlyThere, true)]
        {
            for row in snapshot.rows().filter(|row| !failed.contains(&(counted != reversed, *row))) {
                let is_shared = snapshot.values(row).any(|(f, v)| others.contains(&(f, v.to_vec())));
                // What is at both sides is counted once.
                if is_shared && !counted {
                    continue;
                }
                let stated = snapshot.stated(row);
                let known = Known { size: snapshot.size(row), modified: snapshot.modified(row), stated: &stated };
                self.file(if is_shared { Sides::Same } else { alone }, &snapshot.name(row), known);
            }
        }
    }

    fn folders(&mut self, a: &Path, b: &Path) -> Result<(), AuditError> {
        let (here, there) = (
            Base { folder: Some(a.to_owned()), top: Vec::new() },
            Base { folder: Some(b.to_owned()), top: Vec::new() },
        );
        let before = self.walked(&here, a);
        let now = self.walked(&there, b);
        let mut comparison = Comparison::new(before);
        if self.options.content_only {
            return self.contents_of_folders(comparison, now, &here, &there);
        }
        // Files of one name and one length are read on both sides; the rest is put off.
        let mut pairs = Vec::new();
        for row in now.rows() {
            let name = now.name(row);
            let known = Known { size: now.size(row), modified: now.modified(row), stated: &[] };
            match comparison.before().find(&name) {
                Some(old) if comparison.before().size(old) == known.size => {
                    comparison.meet(old);
                    if known.size == Some(0) || is_one_file(here.path(&name), there.path(&name)) {
                        comparison.settle(old, Class::Same);
                        self.file(Sides::Same, &name, known);
                    } else {
                        pairs.push((old, row));
                    }
                }
                _ => {
                    comparison.take(&name, &known);
                }
            }
        }
        let inputs = pairs.iter().flat_map(|&(_, row)| [(&here, row), (&there, row)]);
        let inputs: Vec<Option<PathBuf>> = inputs.map(|(base, row)| base.path(&now.name(row))).collect();
        let mut first: Option<Result<Vec<Stated>, String>> = None;
        let mut at = 0;
        self.read(inputs, |run, outcome| {
            let (old, row) = pairs[at / 2];
            at += 1;
            let result = digests(run.options.algorithm, outcome);
            let Some(was) = first.take() else {
                first = Some(result);
                return;
            };
            let name = now.name(row);
            let known = Known { size: now.size(row), modified: now.modified(row), stated: &[] };
            match (was, result) {
                (Ok(was), Ok(is)) => {
                    comparison.set_digests(old, &was);
                    if same_content(&was, &is) == Some(true) {
                        comparison.settle(old, Class::Same);
                        run.file(Sides::Same, &name, Known { stated: &is, ..known });
                    } else {
                        comparison.take(&name, &Known { stated: &is, ..known });
                    }
                }
                (Err(e), _) | (_, Err(e)) => {
                    comparison.settle(old, Class::Unreadable);
                    run.unreadable(&name, e);
                }
            }
        })?;
        // What is left may have moved, if there is something of its length on the other side.
        let open = comparison.open();
        let sizes = |snapshot: &Snapshot, rows: &[Row]| -> HashSet<u64> {
            rows.iter().filter_map(|row| snapshot.size(*row)).filter(|size| *size > 0).collect()
        };
        let found: Vec<Row> = comparison.found().rows().collect();
        let (lost, new) = (sizes(comparison.before(), &open), sizes(comparison.found(), &found));
        let mut rest = Vec::new();
        for (is_new, snapshot, rows) in [(false, comparison.before(), open), (true, comparison.found(), found)] {
            let wanted = |row: &Row| {
                let shared = snapshot.size(*row).is_some_and(|size| lost.contains(&size) && new.contains(&size));
                shared && snapshot.values(*row).next().is_none()
            };
            rest.extend(rows.into_iter().filter(wanted).map(|row| (is_new, row)));
        }
        let path = |&(is_new, row): &(bool, Row)| {
            let (base, snapshot) = if is_new { (&there, comparison.found()) } else { (&here, comparison.before()) };
            base.path(&snapshot.name(row))
        };
        let inputs: Vec<Option<PathBuf>> = rest.iter().map(path).collect();
        let mut at = 0;
        self.read(inputs, |run, outcome| {
            let (is_new, row) = rest[at];
            at += 1;
            match digests(run.options.algorithm, outcome) {
                Ok(stated) if is_new => comparison.set_found_digests(row, &stated),
                Ok(stated) => comparison.set_digests(row, &stated),
                Err(error) => {
                    if is_new {
                        comparison.drop_found(row);
                    } else {
                        comparison.settle(row, Class::Unreadable);
                    }
                    let snapshot = if is_new { comparison.found() } else { comparison.before() };
                    run.unreadable(&snapshot.name(row), error);
                }
            }
        })?;
        if !self.over && !self.progress.is_stopped() {
            self.changes(&mut comparison);
        }
        Ok(())
    }

    /// Compares the contents of two folders, of which only those are read whose length is on the other side, too.
    fn contents_of_folders(
        &mut self,
        mut comparison: Comparison,
        mut now: Snapshot,
        here: &Base,
        there: &Base,
    ) -> Result<(), AuditError> {
        let mut before = std::mem::take(comparison.before_mut());
        let sizes =
            |snapshot: &Snapshot| -> HashSet<u64> { snapshot.rows().filter_map(|r| snapshot.size(r)).collect() };
        let (a, b) = (sizes(&before), sizes(&now));
        let mut rows = Vec::new();
        for (is_new, snapshot) in [(false, &before), (true, &now)] {
            let shared = |row: &Row| snapshot.size(*row).is_some_and(|size| a.contains(&size) && b.contains(&size));
            rows.extend(snapshot.rows().filter(shared).map(|row| (is_new, row)));
        }
        let path = |&(is_new, row): &(bool, Row)| {
            if is_new { there.path(&now.name(row)) } else { here.path(&before.name(row)) }
        };
        let inputs: Vec<Option<PathBuf>> = rows.iter().map(path).collect();
        let mut at = 0;
        let mut failed: HashMap<(bool, Row), String> = HashMap::new();
        self.read(inputs, |run, outcome| {
            let (is_new, row) = rows[at];
            at += 1;
            match digests(run.options.algorithm, outcome) {
                Ok(stated) if is_new => now.set_digests(row, &stated),
                Ok(stated) => before.set_digests(row, &stated),
                Err(e) => drop(failed.insert((is_new, row), e)),
            }
        })?;
        for (&(is_new, row), e) in &failed {
            let name = if is_new { now.name(row) } else { before.name(row) };
            self.unreadable(&name, e.clone());
        }
        if !self.over && !self.progress.is_stopped() {
            self.contents(Contents { before, now, failed: failed.into_keys().collect() }, false);
        }
        Ok(())
    }

    /// Returns the files of a folder, without their digests.
    fn walked(&mut self, base: &Base, folder: &Path) -> Snapshot {
        let how = Walked { filter: self.options.filter.clone(), examine: true, ..Walked::default() };
        let mut snapshot = Snapshot::new();
        for found in walk([Input::Path(folder.to_owned())], how) {
            match found {
                Ok(found) => {
                    let name = base.name(found.input().name());
                    // Links are not compared.
                    if let Some(facts) = found.facts() {
                        let known = Known { size: Some(facts.size), modified: Some(facts.modified), stated: &[] };
                        let _ = snapshot.add(&name, &known);
                    }
                }
                Err(Problem { error, .. }) if error.is_skipped() => {}
                Err(Problem { path, .. }) if path.symlink_metadata().is_ok_and(|m| m.is_symlink()) => {}
                Err(Problem { path, error }) => {
                    self.unlisted.push(base.name(&path));
                    self.unreadable(path.as_os_str().as_encoded_bytes(), error.to_string());
                }
            }
        }
        snapshot
    }

    /// Reads files, and passes on what each turned out to be, in order.
    fn read(
        &mut self,
        paths: Vec<Option<PathBuf>>,
        mut then: impl FnMut(&mut Self, Outcome),
    ) -> Result<(), AuditError> {
        let options = self.options;
        let computing = Options { threads: options.threads, io: options.io, ..Options::new(vec![options.algorithm]) };
        let inputs = paths.into_iter().map(|path| Ok(Found::regular_only(Input::Path(path.unwrap_or_default()))));
        sum(&computing, inputs, self.progress, |event| {
            if let Event::Outcome(outcome) = event {
                self.summary.bytes += outcome.bytes;
                then(self, outcome);
            }
            if self.over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(())
    }
}

/// Returns the digests of a file as a list would state them, or why there are none.
fn digests(algorithm: Algorithm, outcome: Outcome) -> Result<Vec<Stated>, String> {
    match outcome.result {
        Ok(_) if outcome.changed => Err("changed while it was read".into()),
        Ok(digests) => Ok(digests.into_iter().map(|d| Stated::new(Some(algorithm), d)).collect()),
        Err(e) => Err(e.to_string()),
    }
}

/// Returns whether two paths lead to one file.
fn is_one_file(a: Option<PathBuf>, b: Option<PathBuf>) -> bool {
    let id = |path: Option<PathBuf>| hashmill_files::FileId::at(&path?);
    id(a).is_some_and(|a| id(b) == Some(a))
}

/// Says what digests are of that do not tell: what is expected, else what the other list has of that length, else the
/// usual algorithm.
fn name_digests(entry: &mut Entry, expected: Option<Function>, others: &[Function]) {
    let mut used: Vec<Function> = entry.stated.iter().filter_map(|s| s.function).collect();
    for stated in entry.stated.iter_mut().filter(|s| s.function.is_none()) {
        let length = stated.digest.as_bytes().len();
        let likely = expected.iter().chain(others).copied().filter(|f| f.algorithm().digest_len() == length);
        stated.function = likely.chain(stated.candidates()).find(|f| !used.contains(f));
        used.extend(stated.function);
    }
}

/// The contents of both sides.
#[derive(Default)]
struct Contents {
    before: Snapshot,
    now: Snapshot,
    /// Files that could not be read, of `now` or not.
    failed: HashSet<(bool, Row)>,
}

impl Contents {
    /// Adds what became of a file of a list.
    fn add_change(&mut self, file: &FileChange<'_>) {
        let old = file.from.unwrap_or(file.name);
        if let Some(known) = file.before.filter(|_| file.class != Class::Copied) {
            let _ = self.before.add(old, &known);
        }
        let same = matches!(file.class, Class::Same | Class::Touched);
        if let Some(known) = file.now.or(file.before.filter(|_| same)) {
            let _ = self.now.add(file.name, &known);
        }
    }
}
