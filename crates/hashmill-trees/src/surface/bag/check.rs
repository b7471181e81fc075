//! Checking a bag.

use crate::base::bag::flaw::{Flaw, FlawKind};
use crate::base::bag::names::{PAYLOAD, is_payload, meanings};
use crate::base::bag::tags::Oxum;
use crate::base::snapshot::{Row, Snapshot};
use crate::decide::bag::Coverage;
use crate::read::bag::{Bag, Payload};
use hashmill::Algorithm;
use hashmill_files::{CheckEvent, CheckOptions, Error, Io, Progress, Verdict, check_lines};
use hashmill_lists::{Entry, Function, Item, Line, Stated};
use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// How much of a bag is checked. Its tag files are read in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Depth {
    /// Everything: every file is read.
    #[default]
    Whole,
    /// Which files there are, and how long they are together, but not their content.
    Completeness,
    /// Only the number of files, and how long they are together.
    Oxum,
}

/// How to check a bag.
#[derive(Debug, Clone, Default)]
pub struct CheckBagOptions {
    /// How much is checked.
    pub depth: Depth,
    /// Number of hashing threads, or `None` for one per available core.
    pub threads: Option<NonZeroUsize>,
    /// How files are read.
    pub io: Io,
}

/// What a file of a bag is found to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BagClass {
    /// It is as the manifests say.
    Ok,
    /// Its content is another.
    Changed,
    /// It is listed and not there.
    Missing,
    /// It is in the payload, and no payload manifest lists it.
    New,
    /// A payload manifest lists it and another one does not, which RFC 8493 requires.
    Partial,
    /// It cannot be read, or leads out of the bag.
    Unreadable,
    /// It is neither a regular file nor a folder.
    Skipped,
}

impl BagClass {
    /// All classes, in the order of totals.
    pub const ALL: [BagClass; 7] = [
        BagClass::Ok,
        BagClass::Changed,
        BagClass::Missing,
        BagClass::New,
        BagClass::Partial,
        BagClass::Unreadable,
        BagClass::Skipped,
    ];

    /// Returns a stable word for it, as `--json` has it.
    pub fn name(self) -> &'static str {
        match self {
            BagClass::Ok => "ok",
            BagClass::Changed => "changed",
            BagClass::Missing => "missing",
            BagClass::New => "new",
            BagClass::Partial => "partial",
            BagClass::Unreadable => "unreadable",
            BagClass::Skipped => "skipped",
        }
    }

    fn bits(self) -> u8 {
        match self {
            BagClass::Ok => 0,
            BagClass::Changed => 1,
            BagClass::Unreadable | BagClass::Skipped => 4,
            BagClass::Missing => 16,
            BagClass::New | BagClass::Partial => 32,
        }
    }
}

/// A file of a bag.
#[derive(Debug)]
pub struct BagFile<'a> {
    /// What it is found to be.
    pub class: BagClass,
    /// Its name in the bag.
    pub name: &'a [u8],
    /// The digests that the manifests state.
    pub stated: &'a [Stated],
    /// Its length in bytes, if it is known.
    pub size: Option<u64>,
    /// The function whose digest is wrong, if there are several.
    pub wrong: Option<Function>,
    /// Why: a stable word, and a message.
    pub cause: Option<(&'static str, String)>,
}

/// What [`check`] reports.
#[derive(Debug)]
pub enum BagEvent<'a> {
    /// Something about the bag itself or its tag files.
    Flaw(&'a Flaw),
    /// A file.
    File(BagFile<'a>),
    /// A file lies on a device that none of the files before it lies on; see
    /// [`Event::Device`](hashmill_files::Event::Device).
    Device {
        /// The file.
        path: PathBuf,
        /// Why files on this device are read by one reader at a time, or `None` if several readers are used.
        one_reader: Option<&'static str>,
    },
    /// Nothing more can be reported at the moment, which makes it a good time to flush output.
    Idle,
}

/// What a bag is found to be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BagSummary {
    counts: [u64; BagClass::ALL.len()],
    /// Number of flaws of the bag itself and its tag files.
    pub flaws: u64,
    bits: u8,
    /// How much the payload is.
    pub payload: Oxum,
}

impl BagSummary {
    /// Returns the number of files of a class.
    pub fn of(&self, class: BagClass) -> u64 {
        BagClass::ALL.iter().position(|c| *c == class).map_or(0, |i| self.counts[i])
    }

    /// Returns the bits of an exit status: 1 for another content, 4 for what could not be read or checked, 8 for what
    /// breaks the rules, 16 for what is missing, 32 for files that are not listed. A valid bag has none.
    pub fn bits(&self) -> u8 {
        self.bits
    }

    fn count(&mut self, class: BagClass) {
        if let Some(i) = BagClass::ALL.iter().position(|c| *c == class) {
            self.counts[i] += 1;
        }
        self.bits |= class.bits();
    }
}

/// Checks a bag, and passes on what is wrong with it, and every file. Every file is read once, for all digests that the
/// manifests state. Nothing outside of the bag is read, and nothing is fetched.
///
/// # Errors
/// Returns an error if a thread has panicked.
pub fn check(
    root: &Path,
    options: &CheckBagOptions,
    progress: &Progress,
    sink: &mut dyn FnMut(BagEvent<'_>) -> ControlFlow<()>,
) -> Result<BagSummary, Error> {
    let mut run = Run { summary: BagSummary::default(), sink, flow: ControlFlow::Continue(()) };
    let Some(bag) = Bag::open(root, &mut |flaw| run.flaw(&flaw)) else { return Ok(run.summary) };
    let payload = Payload::of(root, PAYLOAD);
    run.summary.payload = payload.amount;
    run.amount(&bag, &payload, options.depth);
    if options.depth == Depth::Oxum || run.flow.is_break() {
        return Ok(run.summary);
    }
    let found = run.compare(&bag, &payload);
    if options.depth == Depth::Whole && run.flow.is_continue() {
        run.verify(root, &bag, &payload, &found, options, progress)?;
    }
    Ok(run.summary)
}

/// A check.
struct Run<'a> {
    summary: BagSummary,
    sink: &'a mut dyn FnMut(BagEvent<'_>) -> ControlFlow<()>,
    flow: ControlFlow<()>,
}

/// Where the files are that manifests list.
struct Places {
    /// For each row of payload manifests.
    listed: Vec<Place>,
    /// For each row of tag manifests.
    tags: Vec<Place>,
}

/// Where a listed file is.
enum Place {
    Nowhere,
    /// In the payload.
    Payload(Row),
    /// Elsewhere in the bag, under this name.
    Other(Vec<u8>),
}

impl Run<'_> {
    fn send(&mut self, event: BagEvent<'_>) {
        if self.flow.is_continue() {
            self.flow = (self.sink)(event);
        }
    }

    fn flaw(&mut self, flaw: &Flaw) {
        self.summary.flaws += u64::from(flaw.kind != FlawKind::Note);
        self.summary.bits |= flaw.kind.bits();
        self.send(BagEvent::Flaw(flaw));
    }

    fn file(&mut self, file: BagFile<'_>) {
        self.summary.count(file.class);
        self.send(BagEvent::File(file));
    }

    /// Compares how much the payload is with what the bag states.
    fn amount(&mut self, bag: &Bag, payload: &Payload, depth: Depth) {
        let name = bag.declaration.version.info();
        match bag.oxum {
            Some(oxum) if oxum != payload.amount => {
                let (stated, is) = (files_and_bytes(oxum), files_and_bytes(payload.amount));
                let what = format!("Payload-Oxum states {stated}, and data/ has {is}");
                self.flaw(&Flaw::new(FlawKind::Oxum, name, what));
            }
            None if depth == Depth::Oxum => {
                let what = "states no Payload-Oxum, without which there is no fast check";
                self.flaw(&Flaw::new(FlawKind::Missing, name, what));
            }
            _ => {}
        }
    }

    /// Compares the names in manifests with those in the bag.
    fn compare(&mut self, bag: &Bag, payload: &Payload) -> Places {
        for (name, error) in &payload.problems {
            let class = if error.is_skipped() { BagClass::Skipped } else { BagClass::Unreadable };
            self.file(BagFile {
                class,
                name,
                stated: &[],
                size: None,
                wrong: None,
                cause: Some((error.kind(), error.to_string())),
            });
        }
        for name in &payload.links {
            let what = format!("{} is a link to a folder, which is not part of the bag", shown(name));
            self.flaw(&Flaw::new(FlawKind::Note, "", what));
        }
        let coverage = Coverage::of(&bag.listed, bag.has_bare_percent(false), &payload.files);
        for file in coverage.repeated() {
            let what = format!("{} is listed twice, in different spellings", shown(&payload.files.all.name(file)));
            self.flaw(&Flaw::new(FlawKind::Note, "", what));
        }
        let listed = self.find(bag, &bag.listed, false, payload, |row, _| coverage.file(row));
        let tags = self.find(bag, &bag.tags, true, payload, |_, all| payload.files.meant(all).next());
        let mut fetched: Vec<&Vec<u8>> = bag.fetch.keys().collect();
        fetched.sort();
        for name in fetched {
            let all = meanings(name, false);
            if payload.files.meant(&all).next().is_none() && !all.iter().any(|name| bag.listed.find(name).is_some()) {
                self.missing(bag, name, &[]);
            }
        }
        let all: Vec<Algorithm> = bag.algorithms(false).collect();
        for file in payload.files.all.rows() {
            let is_listed = coverage.has(file);
            let lacking = match is_listed {
                true if bag.declaration.version.is_final() => coverage.lacking(file, &bag.listed, &all),
                _ => Vec::new(),
            };
            if is_listed && lacking.is_empty() {
                continue;
            }
            let name = payload.files.all.name(file);
            let (class, cause) = if is_listed {
                let without = |m: &&crate::read::bag::Manifest| !m.is_tag && lacking.contains(&m.algorithm);
                let names: Vec<&str> = bag.manifests.iter().filter(without).map(|m| &*m.file).collect();
                let what = format!("not in {}, as version 1.0 requires", names.join(", "));
                (BagClass::Partial, ("partial", what))
            } else {
                (BagClass::New, ("not-listed", "in no payload manifest".into()))
            };
            let size = payload.files.all.size(file);
            self.file(BagFile { class, name: &name, stated: &[], size, wrong: None, cause: Some(cause) });
        }
        Places { listed, tags }
    }

    /// Returns where the files are that manifests list, and reports those that are not there. `in_payload` returns the
    /// file of the payload that a row is about, or one of these names.
    fn find(
        &mut self,
        bag: &Bag,
        manifests: &Snapshot,
        is_tag: bool,
        payload: &Payload,
        in_payload: impl Fn(Row, &[Vec<u8>]) -> Option<Row>,
    ) -> Vec<Place> {
        let problems: HashSet<&Vec<u8>> = payload.problems.iter().map(|(name, _)| name).collect();
        let mut places = Vec::with_capacity(manifests.len());
        for row in manifests.rows() {
            let name = manifests.name(row);
            let all = meanings(&name, bag.has_bare_percent(is_tag));
            let place = if is_payload(&name) {
                in_payload(row, &all).map(Place::Payload)
            } else {
                let is_there = |name: &Vec<u8>| {
                    let path = hashmill_lists::os_string(name.clone()).map(|name| bag.root.join(name));
                    path.is_some_and(|path| path.symlink_metadata().is_ok())
                };
                all.iter().find(|name| is_there(name)).cloned().map(Place::Other)
            };
            // What is no regular file was reported.
            if place.is_none() && !all.iter().any(|name| problems.contains(name)) {
                self.missing(bag, &all[0], &manifests.stated(row));
            }
            places.push(place.unwrap_or(Place::Nowhere));
        }
        places
    }

    fn missing(&mut self, bag: &Bag, name: &[u8], stated: &[Stated]) {
        let cause = bag
            .fetch
            .get(name)
            .map(|url| ("not-fetched", format!("to be fetched from {}, which hashmill does not do", url)));
        self.file(BagFile { class: BagClass::Missing, name, stated, size: None, wrong: None, cause });
    }

    /// Reads all files that are listed and there.
    fn verify(
        &mut self,
        root: &Path,
        bag: &Bag,
        payload: &Payload,
        places: &Places,
        options: &CheckBagOptions,
        progress: &Progress,
    ) -> Result<(), Error> {
        let how = CheckOptions {
            base: Some(root.into()),
            threads: options.threads,
            io: options.io,
            allow_short: true,
            ..CheckOptions::default()
        };
        let both = [(&bag.listed, &places.listed), (&bag.tags, &places.tags)];
        let lines = both
            .into_iter()
            .flat_map(|(manifests, places)| manifests.rows().zip(places).map(move |line| (manifests, line)));
        let read = |to: &mut dyn FnMut(Line) -> ControlFlow<()>| {
            for (manifests, (row, place)) in lines {
                let name = match place {
                    Place::Nowhere => continue,
                    Place::Payload(file) => payload.files.all.name(*file),
                    // A name of one dash would be standard input.
                    Place::Other(name) => [b"./", &name[..]].concat(),
                };
                let entry = Entry { name, stated: manifests.stated(row), ..Entry::default() };
                if to(Line { number: 0, item: Item::Entry(entry) }).is_break() {
                    break;
                }
            }
            Ok(())
        };
        let (_, end) = check_lines(read, root, None, &how, progress, |event| {
            match event {
                CheckEvent::File { entry, verdict, changed, .. } => self.judged(entry, &verdict, changed, payload),
                CheckEvent::Device { path, one_reader } => self.send(BagEvent::Device { path, one_reader }),
                CheckEvent::Idle => self.send(BagEvent::Idle),
                _ => {}
            }
            self.flow
        });
        end.map_err(Error::from)
    }

    fn judged(&mut self, entry: &Entry, verdict: &Verdict, changed_meanwhile: bool, payload: &Payload) {
        let (class, wrong, cause) = match verdict {
            Verdict::Ok => (BagClass::Ok, None, None),
            Verdict::Mismatch { function, .. } => {
                let cause = changed_meanwhile.then(|| ("changed-while-read", "changed while it was read".to_string()));
                (BagClass::Changed, *function, cause)
            }
            Verdict::Unreadable(e) if e.is_missing() => (BagClass::Missing, None, None),
            Verdict::Unreadable(Error::Outside) => {
                (BagClass::Unreadable, None, Some(("outside", "leads out of the bag, not read".to_string())))
            }
            Verdict::Unreadable(e) => (BagClass::Unreadable, None, Some((e.kind(), e.to_string()))),
            Verdict::Skipped(what) => (BagClass::Skipped, None, Some(("skipped", format!("{what}, not read")))),
            // Manifests have neither lengths nor keys.
            Verdict::OtherSize(_) | Verdict::NotChecked(_) | Verdict::Ignored => return,
        };
        let name = entry.name.strip_prefix(b"./").unwrap_or(&entry.name);
        let size = payload.files.all.find(name).and_then(|row| payload.files.all.size(row));
        self.file(BagFile { class, name, stated: &entry.stated, size, wrong, cause });
    }
}

/// Returns a name as messages show it.
pub(crate) fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

fn files_and_bytes(oxum: Oxum) -> String {
    let Oxum { bytes, files } = oxum;
    let s = |n: u64| if n == 1 { "" } else { "s" };
    format!("{files} file{} of {bytes} byte{}", s(files), s(bytes))
}
