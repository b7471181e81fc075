//! Bringing the manifests of a bag up to date with its payload.
//!
//! Manifests are replaced one after the other, then `bag-info.txt`, then the tag manifests. Whatever has not been
//! replaced yet contradicts what has, so a check finds that out, and another run repairs it.

use crate::base::bag::encoding::Encoding;
use crate::base::bag::flaw::{Flaw, FlawKind};
use crate::base::bag::names::{PAYLOAD, algorithm_in, is_payload, manifest, meanings};
use crate::base::bag::tags::with_oxum;
use crate::base::class::Class;
use crate::base::snapshot::{Known, Row, Snapshot};
use crate::decide::bag::Coverage;
use crate::decide::comparison::{Change, Comparison};
use crate::decide::content::same_content;
use crate::read::bag::{Bag, Payload, name_in, open, tag_files};
use crate::surface::audit::{AuditEvent, AuditSummary, FileChange};
use crate::surface::bag::create::confusing;
use crate::surface::bag::write::{BagError, Put, Tags, add, can_list, confuses_bagit_py, lines, lock};
use hashmill::{Algorithm, Hasher};
use hashmill_files::{Error, Event, FileId, Input, Io, Options, Problem, Progress, Walked, plain, sum, walk};
use hashmill_lists::Stated;
use std::io::Read;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;

/// How a bag is brought up to date.
#[derive(Debug, Clone, Default)]
pub struct UpdateBagOptions {
    /// Renew the digests of files whose content is another.
    pub accept: bool,
    /// Drop files that are gone, and lines of manifests that are not understood.
    pub prune: bool,
    /// Files that are being written, which tag manifests do not list.
    pub outputs: Vec<FileId>,
    /// Number of hashing threads, or `None` for one per available core.
    pub threads: Option<NonZeroUsize>,
    /// How files are read.
    pub io: Io,
}

/// What [`update`] reports.
#[derive(Debug)]
pub enum UpdateBagEvent<'a> {
    /// Something about the bag itself or its tag files.
    Flaw(&'a Flaw),
    /// What became of a file, or of the work.
    Audit(AuditEvent<'a>),
}

/// What an update has come to.
#[derive(Debug, Clone, Default)]
pub struct UpdatedBag {
    /// What became of the files.
    pub summary: AuditSummary,
    /// Number of lines of manifests that are not understood, or lead out of the bag.
    pub lost: u64,
    /// Whether the manifests have been written.
    pub is_written: bool,
}

/// Compares the payload of a bag with its manifests, and writes manifests, `Payload-Oxum` and tag manifests for what is
/// there. Every file is read. Nothing is written if a file has another content or is gone, unless the options allow it,
/// or cannot be read. `put` replaces files.
///
/// # Errors
/// Returns an error if the bag cannot be brought up to date.
pub fn update(
    root: &Path,
    options: &UpdateBagOptions,
    progress: &Progress,
    put: &mut Put<'_>,
    sink: &mut dyn FnMut(UpdateBagEvent<'_>) -> ControlFlow<()>,
) -> Result<UpdatedBag, BagError> {
    let _lock = lock(root)?;
    let mut updated = UpdatedBag::default();
    let mut blocks = false;
    let opened = Bag::open(root, &mut |flaw| {
        let is_line = algorithm_in(&flaw.file).is_some_and(|(_, is_tag)| !is_tag);
        match flaw.kind {
            FlawKind::Malformed | FlawKind::Outside if is_line => updated.lost += 1,
            FlawKind::Unreadable | FlawKind::NotChecked | FlawKind::Missing => blocks = true,
            FlawKind::Malformed | FlawKind::Outside | FlawKind::Oxum | FlawKind::Note => {}
        }
        let _ = sink(UpdateBagEvent::Flaw(&flaw));
    });
    let Some(bag) = opened.filter(|_| !blocks) else {
        return Err(BagError::Refused("cannot be updated as long as this is so".into()));
    };
    if bag.declaration.encoding != Encoding::Utf8 {
        let what = "its tag files are not in UTF-8; such bags are read here, but not written";
        return Err(BagError::Refused(what.into()));
    }
    let payload = Payload::of(root, PAYLOAD);
    let mut tell = |flaw: Flaw| {
        let _ = sink(UpdateBagEvent::Flaw(&flaw));
    };
    if !suits(root, &payload, &mut tell) {
        let what = "what has been named cannot be part of a bag, or cannot be read. Nothing was changed";
        return Err(BagError::Refused(what.into()));
    }
    let before = known_before(&bag, &payload, &mut tell);
    let algorithms: Vec<Algorithm> = bag.algorithms(false).collect();
    let mut work = Work {
        comparison: Comparison::new(before),
        summary: AuditSummary::default(),
        next: Snapshot::new(),
        sink: &mut |event| sink(UpdateBagEvent::Audit(event)),
    };
    let _ = (work.sink)(AuditEvent::Begins { folder: root.into(), base: Some(root.into()) });
    work.read(root, &algorithms, options, progress)?;
    if progress.is_stopped() {
        return Err(BagError::Refused("stopped; nothing was changed".into()));
    }
    work.end();
    let Work { summary, next, .. } = work;
    updated.summary = summary;
    let of = |class| updated.summary.of(class);
    let is_kept = of(Class::Unreadable) > 0
        || of(Class::Differs) > 0 && !options.accept
        || (of(Class::Missing) > 0 || updated.lost > 0) && !options.prune;
    if is_kept {
        return Ok(updated);
    }
    let mut order: Vec<Row> = next.rows().collect();
    order.sort_by(|a, b| next.compare_names(*a, &next, *b));
    judge_tags(&bag, (&next, &order), updated.lost > 0, options)?;
    write(&bag, &payload, (&next, &order), options, put, sink)?;
    updated.is_written = true;
    Ok(updated)
}

/// Compares the tag files with what the tag manifests say of them, before these are replaced. An update that was
/// interrupted has left payload manifests that are as this one writes them, and perhaps `bag-info.txt`. If lines of
/// payload manifests are dropped on demand, these are expected to be others.
fn judge_tags(
    bag: &Bag,
    (next, order): (&Snapshot, &[Row]),
    drops_lines: bool,
    options: &UpdateBagOptions,
) -> Result<(), BagError> {
    let mut changed: Vec<String> = Vec::new();
    for row in bag.tags.rows().filter(|row| !is_payload(&bag.tags.name(*row))) {
        let all = meanings(&bag.tags.name(row), bag.has_bare_percent(true));
        let names: Vec<String> = all.into_iter().filter_map(|name| String::from_utf8(name).ok()).collect();
        let opened = names.iter().map(|name| (name, open(&bag.root, name)));
        let found = opened.reduce(|a, b| if a.1.is_ok() { a } else { b });
        let Some((name, file)) = found else { continue };
        let failed = |what: String| BagError::File(bag.root.join(name), what);
        let stated = bag.tags.stated(row);
        match file {
            Ok(file) => {
                let computed = digests(file, &stated).map_err(|e| failed(plain(&e)))?;
                if same_content(&stated, &computed) == Some(false) {
                    changed.push(name.clone());
                }
            }
            Err(flaw) if flaw.kind == FlawKind::Missing && options.prune => {}
            Err(flaw) if flaw.kind == FlawKind::Missing => {
                let what = "is gone, and a tag manifest lists it; --prune drops it. Nothing was written";
                return Err(failed(what.into()));
            }
            Err(flaw) => return Err(failed(flaw.what)),
        }
    }
    let encodes_percent = bag.declaration.version.is_final();
    let is_written = |name: &String| {
        let manifest = bag.manifests.iter().find(|m| !m.is_tag && m.file == *name)?;
        let file = open(&bag.root, name).ok()?;
        has_content(file, lines(next, order, manifest.algorithm, encodes_percent)).ok()
    };
    let was_interrupted = changed.iter().any(|name| is_written(name) == Some(true));
    changed.retain(|name| match is_written(name) {
        Some(is_written) => !(is_written || drops_lines),
        None => !(was_interrupted && name == bag.declaration.version.info()),
    });
    match changed.first() {
        Some(name) if !options.accept => {
            let what = "is not what the tag manifests state; --accept takes it as it is. Nothing was written";
            Err(BagError::File(bag.root.join(name), what.into()))
        }
        _ => Ok(()),
    }
}

/// Returns the digests of a file of which others are stated.
fn digests(mut file: impl Read, stated: &[Stated]) -> std::io::Result<Vec<Stated>> {
    let mut hashers: Vec<(Algorithm, Hasher)> =
        stated.iter().filter_map(Stated::algorithm).map(|a| (a, Hasher::new(a))).collect();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hashers.iter().map(|(a, h)| Stated::new(Some(*a), h.finalize())).collect()),
            n => hashers.iter_mut().for_each(|(_, h)| h.update(&buffer[..n])),
        }
    }
}

/// Returns whether a file consists of these parts.
fn has_content(file: impl Read, parts: impl Iterator<Item = Vec<u8>>) -> std::io::Result<bool> {
    let mut file = std::io::BufReader::new(file);
    let mut there = Vec::new();
    for part in parts {
        there.clear();
        file.by_ref().take(part.len() as u64).read_to_end(&mut there)?;
        if there != part {
            return Ok(false);
        }
    }
    Ok(file.read(&mut [0])? == 0)
}

/// Reports what cannot be part of a bag. Returns whether there is nothing.
fn suits(root: &Path, payload: &Payload, tell: &mut dyn FnMut(Flaw)) -> bool {
    let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    for name in &payload.links {
        let what = "is a link to a folder: it stays, but no manifest lists what it leads to";
        tell(Flaw::new(FlawKind::Note, text(name), what));
    }
    let (mut suits, mut odd) = (true, 0);
    for (name, error) in &payload.problems {
        suits = false;
        tell(Flaw::new(FlawKind::Unreadable, text(name), error.to_string()));
    }
    let whole = root.canonicalize().ok();
    let leads_out = |name: &[u8]| {
        let path = hashmill_lists::os_string(name.to_vec()).map(|name| root.join(name));
        let link = path.filter(|path| path.symlink_metadata().is_ok_and(|m| m.is_symlink()))?;
        let to = link.canonicalize().ok()?;
        whole.as_ref().map(|whole| !to.starts_with(whole))
    };
    for name in payload.files.all.rows().map(|row| payload.files.all.name(row)) {
        if leads_out(&name) == Some(true) {
            suits = false;
            tell(Flaw::new(FlawKind::Outside, text(&name), "is a symbolic link that leads out of the bag"));
        }
        odd += u64::from(confuses_bagit_py(&name));
        if !can_list(&name) {
            suits = false;
            let what = "has a name that is not UTF-8, which manifests cannot have";
            tell(Flaw::new(FlawKind::Malformed, text(&name), what));
        }
    }
    if odd > 0 {
        tell(confusing(odd));
    }
    suits
}

/// Returns what the payload manifests say of files, by the names that these have.
fn known_before(bag: &Bag, payload: &Payload, tell: &mut dyn FnMut(Flaw)) -> Snapshot {
    let coverage = Coverage::of(&bag.listed, bag.has_bare_percent(false), &payload.files);
    let mut before = Snapshot::new();
    for row in bag.listed.rows().filter(|row| is_payload(&bag.listed.name(*row))) {
        let spelled = || meanings(&bag.listed.name(row), bag.has_bare_percent(false)).swap_remove(0);
        let name = coverage.file(row).map_or_else(spelled, |file| payload.files.all.name(file));
        let stated = bag.listed.stated(row);
        if let Err(e) = before.add(&name, &Known { stated: &stated, ..Known::default() }) {
            let name = String::from_utf8_lossy(&name).into_owned();
            tell(Flaw::new(FlawKind::Note, name, format!("is {e}; the first counts")));
        }
    }
    before
}

/// An update while files are read.
struct Work<'a> {
    comparison: Comparison,
    summary: AuditSummary,
    /// What the new manifests say.
    next: Snapshot,
    sink: &'a mut dyn FnMut(AuditEvent<'_>) -> ControlFlow<()>,
}

impl Work<'_> {
    fn read(
        &mut self,
        root: &Path,
        algorithms: &[Algorithm],
        options: &UpdateBagOptions,
        progress: &Progress,
    ) -> Result<(), Error> {
        let how = Walked { ours: true, ..Walked::default() };
        let computing = Options { threads: options.threads, io: options.io, ..Options::new(algorithms.to_vec()) };
        let linked = |problem: &Problem| problem.error.is_skipped();
        let inputs = walk([Input::Path(root.join(PAYLOAD))], how).filter(|found| !found.as_ref().is_err_and(linked));
        sum(&computing, inputs, progress, |event| match event {
            Event::Outcome(outcome) => {
                let name = name_in(root, outcome.input.name());
                let modified = outcome.modified;
                match add(&mut self.next, &name, outcome, algorithms) {
                    Ok(bytes) => {
                        self.summary.bytes += bytes;
                        let stated: Vec<Stated> =
                            self.next.find(&name).map(|row| self.next.stated(row)).unwrap_or_default();
                        let now = Known { size: Some(bytes), modified, stated: &stated };
                        match self.comparison.take(&name, &now) {
                            Some(class) => self.report(FileChange { now: Some(now), ..plain_change(class, &name) }),
                            None => ControlFlow::Continue(()),
                        }
                    }
                    Err(what) => {
                        if let Some(row) = self.comparison.before().find(&name) {
                            self.comparison.settle(row, Class::Unreadable);
                        }
                        let error = Error::Io(std::io::Error::other(what));
                        self.report(FileChange { error: Some(&error), ..plain_change(Class::Unreadable, &name) })
                    }
                }
            }
            Event::Device { path, one_reader } => (self.sink)(AuditEvent::Device { path, one_reader }),
            Event::Idle => (self.sink)(AuditEvent::Idle),
        })
    }

    fn report(&mut self, file: FileChange<'_>) -> ControlFlow<()> {
        self.summary.count(file.class);
        (self.sink)(AuditEvent::File(file))
    }

    /// Reports what is not as it was.
    fn end(&mut self) {
        for Change { class, before, now, taken, named } in self.comparison.end() {
            let of = |snapshot: &Snapshot, row: Option<Row>| row.map(|row| (snapshot.name(row), snapshot.stated(row)));
            let (before, now) = (of(self.comparison.before(), before), of(self.comparison.found(), now));
            let known = |about: &Option<(Vec<u8>, Vec<Stated>)>| about.is_some();
            let has_moved = matches!(class, Class::Moved | Class::Copied);
            let Some((name, _)) = now.as_ref().or(before.as_ref()) else { continue };
            let stated =
                |about: &'_ Option<(Vec<u8>, Vec<Stated>)>| about.as_ref().map(|(_, s)| s.clone()).unwrap_or_default();
            let (stated_before, stated_now) = (stated(&before), stated(&now));
            let row = now.as_ref().and_then(|(name, _)| self.next.find(name));
            let size = row.and_then(|row| self.next.size(row));
            let modified = row.and_then(|row| self.next.modified(row));
            let file = FileChange {
                from: before.as_ref().filter(|_| has_moved).map(|(name, _)| &name[..]),
                before: known(&before).then_some(Known { stated: &stated_before, ..Known::default() }),
                now: known(&now).then_some(Known { size, modified, stated: &stated_now }),
                taken,
                named,
                ..plain_change(class, name)
            };
            self.summary.count(class);
            if (self.sink)(AuditEvent::File(file)).is_break() {
                return;
            }
        }
    }
}

fn plain_change(class: Class, name: &[u8]) -> FileChange<'_> {
    FileChange {
        class,
        name,
        from: None,
        before: None,
        now: None,
        taken: false,
        named: false,
        error: None,
        changed_while_read: false,
    }
}

/// Replaces the tag files.
fn write(
    bag: &Bag,
    payload: &Payload,
    (next, order): (&Snapshot, &[Row]),
    options: &UpdateBagOptions,
    put: &mut Put<'_>,
    sink: &mut dyn FnMut(UpdateBagEvent<'_>) -> ControlFlow<()>,
) -> Result<(), BagError> {
    let written =
        bag.manifests.iter().map(|m| bag.root.join(&m.file)).chain([bag.root.join(bag.declaration.version.info())]);
    let algorithms = bag.algorithms(true).chain(bag.algorithms(false));
    let new = algorithms.filter_map(|a| manifest(a, true)).map(|name| bag.root.join(name));
    for path in written.chain(new) {
        if path.symlink_metadata().is_ok_and(|m| m.is_symlink()) {
            return Err(BagError::File(path, "is a symbolic link, so nothing was written".into()));
        }
    }
    let encodes_percent = bag.declaration.version.is_final();
    let mut put_in = |name: &str, parts: &mut dyn Iterator<Item = Vec<u8>>| {
        let path = bag.root.join(name);
        put(&path, parts).map_err(|e| BagError::File(path, format!("{e}; run this again")))
    };
    for manifest in bag.manifests.iter().filter(|m| !m.is_tag) {
        put_in(&manifest.file, &mut lines(next, order, manifest.algorithm, encodes_percent))?;
    }
    let info = bag.declaration.version.info();
    let mut text = Vec::new();
    match open(&bag.root, info) {
        Ok(mut file) => {
            file.read_to_end(&mut text).map_err(|e| BagError::File(bag.root.join(info), plain(&e)))?;
        }
        Err(flaw) if flaw.kind == FlawKind::Missing => {}
        Err(flaw) => return Err(BagError::File(bag.root.join(info), flaw.what)),
    }
    put_in(info, &mut std::iter::once(with_oxum(&text, payload.amount)))?;
    let mut files = Vec::new();
    for found in tag_files(&bag.root, &options.outputs) {
        match found {
            Ok(path) => files.push(path),
            Err(Problem { error, .. }) if error.is_skipped() => {}
            Err(Problem { path, error }) => return Err(BagError::File(path, error.to_string())),
        }
    }
    let mut algorithms: Vec<Algorithm> = bag.algorithms(true).collect();
    algorithms.extend(bag.algorithms(false).filter(|a| !bag.algorithms(true).any(|other| other == *a)));
    let named = |a: Algorithm| {
        let is = |m: &&crate::read::bag::Manifest| m.is_tag && m.algorithm == a;
        Some((a, bag.manifests.iter().find(is).map(|m| m.file.clone()).or_else(|| manifest(a, true))?))
    };
    let tags = Tags {
        folder: &bag.root,
        files,
        manifests: algorithms.into_iter().filter_map(named).collect(),
        encodes_percent,
        threads: options.threads,
        io: options.io,
    };
    for name in tags.write(put)? {
        let what = "is in no tag manifest, since these cannot have such a name";
        let flaw = Flaw::new(FlawKind::Note, String::from_utf8_lossy(&name), what);
        let _ = sink(UpdateBagEvent::Flaw(&flaw));
    }
    Ok(())
}
