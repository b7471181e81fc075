//! `hashmill mhl`: histories of folders (ASC MHL).

use crate::args::mhl::{MhlArgs, MhlCheckArgs, MhlCommand, MhlCommonArgs, MhlCreateArgs, MhlDiffArgs};
use crate::args::usage::USAGE;
use crate::commands::changes::{Changes, Shape, counts, text};
use crate::commands::sum::header_of;
use crate::terminal::output::{Lines, end_without, how_read, message, shown};
use crate::terminal::progress::{Interrupt, Meter};
use crate::terminal::target::{fresh_folder, replace_own};
use hashmill::{Algorithm, Digest, Hasher};
use hashmill_files::{Progress, ours, plain, sync_folder};
use hashmill_lists::mhl::{Author, CHAIN, FOLDER, SUFFIX};
use hashmill_lists::{Closing, Digits, Header, Record, RecordError};
use hashmill_trees::{
    Class, CreateOptions, Damage, Draft, FolderChange, HistoryEvent, MhlEvent, MhlOptions, MhlSummary, check_history,
    create_generation, diff_history,
};
use indicatif::HumanBytes;
use serde::Serialize;
use serde::ser::SerializeMap;
use std::fs::{self, File};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Maximum number of parts of generations that are reported one by one because they cannot be used.
const MAX_COMPLAINTS: u64 = 20;

pub(crate) fn run(args: &MhlArgs) -> ExitCode {
    let (result, json) = match &args.command {
        MhlCommand::Create(args) => (create(args), args.common.json),
        MhlCommand::Check(args) => (check(args), args.common.json),
        MhlCommand::Diff(args) => (diff(args), args.common.json),
    };
    result.unwrap_or_else(|text| {
        message(&text);
        end_without(json, USAGE)
    })
}

fn check(args: &MhlCheckArgs) -> Result<ExitCode, String> {
    let options = MhlOptions {
        no_folders: args.no_directory_hashes,
        threads: args.reading.threads,
        io: args.reading.io,
        ..options(&args.dir, &args.common)?
    };
    let progress = Arc::new(Progress::default());
    let meter = Meter::start(args.common.progress, Interrupt::Ends, &progress);
    let mut report = Report::new(&args.dir, &args.common, &meter);
    let result = check_history(&options, &progress, |event| report.put(event));
    let stopped = if progress.is_stopped() { 4 } else { 0 };
    report.end(result.map_err(|e| e.to_string()), stopped, None)
}

fn diff(args: &MhlDiffArgs) -> Result<ExitCode, String> {
    let options = options(&args.dir, &args.common)?;
    let progress = Arc::new(Progress::default());
    let meter = Meter::start(args.common.progress, Interrupt::Ends, &progress);
    let mut report = Report::new(&args.dir, &args.common, &meter);
    let result = diff_history(&options, &progress, |event| report.put(event));
    report.end(result.map_err(|e| e.to_string()), 0, None)
}

fn create(args: &MhlCreateArgs) -> Result<ExitCode, String> {
    let author = Author {
        name: args.author_name.clone(),
        email: args.author_email.clone(),
        phone: args.author_phone.clone(),
        role: args.author_role.clone(),
        location: args.location.clone(),
        comment: args.comment.clone(),
    };
    author.fits()?;
    let options = MhlOptions {
        no_folders: args.no_directory_hashes,
        threads: args.reading.threads,
        io: args.reading.io,
        ..options(&args.dir, &args.common)?
    };
    let creating = CreateOptions {
        formats: args.algorithms.iter().flat_map(|list| list.0.iter().copied()).collect(),
        detect_renaming: args.detect_renaming,
        only: args.only.clone(),
    };
    let header = header_of(Vec::new(), Digits::Hex);
    let progress = Arc::new(Progress::default());
    let meter = Meter::start(args.common.progress, Interrupt::Ends, &progress);
    let mut report = Report::new(&args.dir, &args.common, &meter);
    report.changes.all_new = args.common.quiet || fs::symlink_metadata(args.dir.join(FOLDER)).is_err();
    let lock = match lock(&args.dir) {
        Ok(lock) => lock,
        Err(text) => return report.end(Err(text), 0, None),
    };
    sweep(&args.dir);
    let result = create_generation(&options, &creating, &header, &progress, |event| {
        let _ = report.put(event);
        // A generation is made even if nobody reads what is said.
        ControlFlow::Continue(())
    });
    let (summary, drafts) = match result {
        Ok(done) => done,
        Err(e) => return report.end(Err(e.to_string()), 0, None),
    };
    if progress.is_stopped() {
        return report.end(Err("stopped: there is no new generation".into()), 0, None);
    }
    let written = if summary.is_refused { Ok(Vec::new()) } else { commit(&drafts, &header, &author) };
    drop(lock);
    match written {
        Ok(written) => report.end(Ok(summary), 0, written.last().map(|path| path.as_path())),
        Err(text) => report.end(Err(text), 0, None),
    }
}

/// Returns what all commands have in common.
fn options(dir: &Path, common: &MhlCommonArgs) -> Result<MhlOptions, String> {
    let mut ignored = common.ignore.clone();
    for file in &common.ignore_file {
        let text = fs::read_to_string(file).map_err(|e| format!("{}: {}", shown(file.as_os_str()), plain(&e)))?;
        let is_pattern = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
        ignored.extend(text.lines().filter(is_pattern).map(String::from));
    }
    if let Some(bad) = ignored.iter().find(|pattern| hashmill_lists::mhl::fits(pattern.as_bytes()).is_err()) {
        return Err(format!("the pattern '{}' has control characters", bad.escape_debug()));
    }
    Ok(MhlOptions { folder: dir.into(), ignored, ..MhlOptions::default() })
}

/// Keeps other runs from adding a generation to the same folder until the file is closed.
fn lock(dir: &Path) -> Result<File, String> {
    let of = |e: io::Error| format!("{}: {}", shown(dir.as_os_str()), plain(&e));
    let file = File::open(dir).map_err(of)?;
    #[cfg(unix)]
    {
        use rustix::fs::{FlockOperation, flock};
        use rustix::io::Errno;
        if let Err(Errno::WOULDBLOCK) = flock(&file, FlockOperation::NonBlockingLockExclusive) {
            return Err(format!("{}: another run is making a generation", shown(dir.as_os_str())));
        }
    }
    Ok(file)
}

/// Removes what a run left that was killed while it made the first generation.
fn sweep(dir: &Path) {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    for entry in entries.filter(|e| ours::is_temporary(&e.file_name()) && e.file_type().is_ok_and(|t| t.is_dir())) {
        let is_own = |name: &std::ffi::OsStr| {
            ours::is_temporary(name) || name == CHAIN || name.as_encoded_bytes().ends_with(SUFFIX.as_bytes())
        };
        let mut inside = fs::read_dir(entry.path()).into_iter().flatten();
        if inside.all(|e| e.is_ok_and(|e| is_own(&e.file_name()))) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Writes generations and their chains. At every moment a history is as it was, or has the new generation; or, if the
/// program is killed between two steps, the generation is there and not in the chain yet. Returns their paths.
fn commit(drafts: &[Draft], header: &Header, author: &Author) -> Result<Vec<PathBuf>, String> {
    let (mut digests, mut paths) = (Vec::new(), Vec::new());
    for draft in drafts {
        let wrong = |e: String| format!("{}: {e}", shown(draft.folder.as_os_str()));
        let failed = |e: io::Error| wrong(plain(&e));
        for name in &draft.unfinished {
            let (from, mut to) = (draft.folder.join(name), draft.folder.join(format!("{name}.unfinished")));
            let mut number = 1;
            while to.symlink_metadata().is_ok() {
                number += 1;
                to = draft.folder.join(format!("{name}.unfinished{number}"));
            }
            fs::rename(&from, &to).map_err(failed)?;
        }
        let place = if draft.is_first() { fresh_folder(&draft.folder).map_err(failed)? } else { draft.folder.clone() };
        let digest = write(draft, &place, header, author, &digests).map_err(wrong);
        if place != draft.folder {
            let named = digest.as_ref().map_err(String::clone).and_then(|_| {
                fs::rename(&place, &draft.folder).map_err(failed)?;
                sync_folder(draft.folder.parent().unwrap_or(Path::new("."))).map_err(failed)
            });
            if let Err(e) = named {
                let _ = fs::remove_dir_all(&place);
                return Err(e);
            }
        }
        digests.push(digest?);
        paths.push(draft.folder.join(&draft.name));
    }
    Ok(paths)
}

/// Writes a generation and its chain to a folder. Returns its C4.
fn write(draft: &Draft, folder: &Path, header: &Header, author: &Author, before: &[Digest]) -> Result<Digest, String> {
    let mut hasher = Hasher::new(Algorithm::SHA512);
    let parts = draft.parts(header, author, before).inspect(|part| {
        if let Ok(bytes) = part {
            hasher.update(bytes);
        }
    });
    // It is on the medium before the chain that names it.
    replace_own(&folder.join(&draft.name), parts)?;
    let digest = hasher.finalize();
    replace_own(&folder.join(CHAIN), std::iter::once(draft.chain(&digest)))?;
    Ok(digest)
}

/// Prints what is reported.
struct Report<'a> {
    dir: &'a Path,
    common: &'a MhlCommonArgs,
    meter: &'a Meter,
    out: Lines<'a>,
    changes: Changes,
    complaints: u64,
}

impl<'a> Report<'a> {
    fn new(dir: &'a Path, common: &'a MhlCommonArgs, meter: &'a Meter) -> Self {
        let shape = if common.json { Shape::Json } else { Shape::Text { all: common.verbose } };
        let changes = Changes::new(shape, common.color);
        Report { dir, common, meter, out: Lines::new(meter).safe(), changes, complaints: 0 }
    }

    fn say(&mut self, text: &str) {
        self.out.flush();
        self.meter.pause(|| message(text));
    }

    fn put(&mut self, event: MhlEvent<'_>) -> ControlFlow<()> {
        match event {
            MhlEvent::History(event) => self.history(&event),
            MhlEvent::File(file) => {
                if let Some(text) = self.changes.put(&file, &mut self.out) {
                    self.say(&text);
                }
            }
            MhlEvent::Folder(folder) => self.folder(&folder),
            MhlEvent::Unrecorded(name, why) => {
                let error =
                    RecordError { kind: "bad-name", message: format!("a history cannot hold names that have {why}") };
                if why == "not UTF-8" {
                    self.unrecorded(
                        name,
                        RecordError { message: "a history cannot hold names that are not UTF-8".into(), ..error },
                    );
                } else {
                    self.unrecorded(name, error);
                }
            }
            MhlEvent::Device { path, one_reader } if self.common.verbose => self.say(&how_read(&path, one_reader)),
            MhlEvent::Device { .. } => {}
            MhlEvent::Idle => self.out.flush(),
        }
        self.out.flow()
    }

    fn unrecorded(&mut self, name: &[u8], error: RecordError) {
        self.say(&format!("{}: not recorded: {}", shown(&text(name)), error.message));
        self.json(Record { verdict: Some("not-recorded"), error: Some(error), ..Record::of(name) });
    }

    fn json(&mut self, record: Record<'_>) {
        if self.common.json {
            self.out.add(|line| {
                record.put(line);
                line.push(b'\n');
            });
        }
    }

    fn history(&mut self, event: &HistoryEvent) {
        let (path, line, what) = match event {
            HistoryEvent::Damaged { path, what, .. } | HistoryEvent::Note { path, what } => (path, None, what.clone()),
            HistoryEvent::BadPart { path, line, fault } => (path, Some(*line), fault.to_string()),
            HistoryEvent::Outside { path, line, name } => {
                (path, Some(*line), format!("names {}, which is not below the folder", shown(&text(name))))
            }
        };
        let list = shown(path.as_os_str());
        if line.is_some() {
            self.complaints += 1;
        }
        if line.is_none() || self.complaints <= MAX_COMPLAINTS {
            let at = line.map_or(String::new(), |line| format!("{line}: "));
            self.say(&format!("{list}: {at}{what}"));
        }
        let (verdict, kind) = match event {
            HistoryEvent::Damaged { damage, .. } => ("damaged", damage.kind()),
            HistoryEvent::BadPart { fault, .. } => ("malformed", fault.kind()),
            HistoryEvent::Outside { .. } => ("malformed", Damage::Outside.kind()),
            HistoryEvent::Note { .. } => return,
        };
        let error = Some(RecordError { kind, message: what });
        self.json(Record { list: Some(&list), line, verdict: Some(verdict), error, ..Record::default() });
    }

    fn folder(&mut self, folder: &FolderChange<'_>) {
        let name: &[u8] = if folder.name.is_empty() { b"." } else { folder.name };
        let wrong = match folder.differs {
            (true, true) => Some("content and structure"),
            (true, false) => Some("content"),
            (false, true) => Some("structure"),
            (false, false) => None,
        };
        if self.common.json {
            let verdict = Some(folder.class.name());
            let mut record = Record { folder: true, verdict, wrong: wrong.map(String::from), ..Record::of(name) };
            if let Some(from) = folder.from {
                record = record.from(from);
            }
            self.json(record);
            return;
        }
        let is_usual =
            folder.is_explained || folder.class == Class::Same || self.changes.all_new && folder.class == Class::New;
        if self.common.verbose || !is_usual {
            let from = folder.from.map_or(String::new(), |from| format!("{}/ -> ", shown(&text(from))));
            let what = wrong.map_or(String::new(), |wrong| format!("  ({wrong})"));
            let line = format!("{:<12}{from}{}/{what}\n", folder.class.name(), shown(&text(name)));
            self.out.add(|text| text.extend_from_slice(line.as_bytes()));
        }
    }

    /// Prints the totals, and returns the exit status.
    fn end(mut self, result: Result<MhlSummary, String>, more: u8, written: Option<&Path>) -> Result<ExitCode, String> {
        if self.complaints > MAX_COMPLAINTS {
            self.say(&format!("and {} more like these", self.complaints - MAX_COMPLAINTS));
        }
        let summary = match result {
            Ok(summary) => summary,
            Err(text) => {
                self.say(&text);
                let _ = self.out.finish();
                return Ok(end_without(self.common.json, 1));
            }
        };
        let bits = summary.bits() | more;
        let status = if self.common.exit_bits { bits } else { u8::from(bits != 0) };
        if summary.renamed > 0 {
            let were = if summary.renamed == 1 { "1 missing file has" } else { "some missing files have" };
            self.say(&format!("{were} another name now; --detect-renaming records it"));
        }
        if summary.is_refused {
            let what = if summary.creates { "there is no new generation" } else { "nothing was verified" };
            self.say(&format!("{}: the history is damaged, so {what}", shown(self.dir.as_os_str())));
        }
        if self.common.json {
            self.out.add(|line| {
                Closing::new(Totals(&summary), status).put(line);
                line.push(b'\n');
            });
        } else if !self.common.quiet && !summary.is_refused {
            let text = totals(self.dir, &summary, written) + "\n";
            self.out.add(|line| line.extend_from_slice(text.as_bytes()));
        }
        let is_written = self.out.finish();
        Ok(ExitCode::from(if is_written { status } else { status.max(1) }))
    }
}

/// Returns the closing line.
fn totals(dir: &Path, summary: &MhlSummary, written: Option<&Path>) -> String {
    let files = &summary.files;
    let mut text = match written {
        Some(path) => format!("{}: ", shown(path.as_os_str())),
        None => format!("{}: ", shown(dir.as_os_str())),
    };
    text += &counts(files);
    for (n, what) in [(summary.unrecorded, "not recorded"), (files.malformed, "not understood")] {
        if n > 0 {
            text += &format!(", {n} {what}");
        }
    }
    let folders = [
        (summary.same_folders, "same"),
        (summary.differing_folders, "differing"),
        (summary.missing_folders, "missing"),
    ];
    let folders: Vec<String> =
        folders.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    if !folders.is_empty() {
        text += &format!("; folders: {}", folders.join(", "));
    }
    if files.bytes > 0 {
        text += &format!("; {} read", HumanBytes(files.bytes));
    }
    text
}

/// Counts of files and folders.
struct Totals<'a>(&'a MhlSummary);

impl Serialize for Totals<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let MhlSummary { files, .. } = self.0;
        let mut map = serializer.serialize_map(None)?;
        for class in Class::ALL.into_iter().filter(|c| !matches!(c, Class::Touched | Class::Copied)) {
            map.serialize_entry(&class.name().replace('-', "_"), &files.of(class))?;
        }
        for (name, n) in [
            ("not_recorded", self.0.unrecorded),
            ("malformed", files.malformed),
            ("folders_same", self.0.same_folders),
            ("folders_differ", self.0.differing_folders),
            ("folders_missing", self.0.missing_folders),
            ("histories", self.0.histories),
            ("generations", self.0.generations),
            ("damaged", self.0.damaged),
            ("bytes", files.bytes),
        ] {
            map.serialize_entry(name, &n)?;
        }
        map.end()
    }
}
