//! `hashmill sum --update`: bringing a list up to date with its folder.
//!
//! What has been read is written to a file next to the list as it comes, so that a run that was killed can go on. The
//! list itself is replaced in one step at the end.

use crate::args::cli::SumArgs;
use crate::args::usage::USAGE;
use crate::commands::changes::{Changes, Shape, about};
use crate::commands::lists::{Opened, open};
use crate::commands::sum::{functions, header, writer};
use crate::terminal::color::Color;
use crate::terminal::input::key;
use crate::terminal::output::{Lines, end_without, how_read, message, shown};
use crate::terminal::progress::{Interrupt, Meter};
use crate::terminal::target::{replace, replace_own};
use hashmill_files::ours::{folder_of_list, list_in};
use hashmill_files::{Filter, Progress, plain};
use hashmill_lists::{Digits, Entry, Form, Item, LineReader, Parser, ReadOptions, Record, Stated, Writer, usual_form};
use hashmill_trees::{
    AuditEvent, AuditOptions, Class, Known, Source, UpdateOptions, Updated, times_of, unfinished_of, update,
};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Number of bytes about files that have been read which are kept before they are written.
const PENDING: usize = 64 << 10;

pub(crate) fn run(list: &Path, args: &SumArgs) -> ExitCode {
    match bring_up_to_date(list, args) {
        Ok(status) => status,
        Err((status, text)) => {
            message(&text);
            end_without(args.json, status)
        }
    }
}

/// An exit status and what is said.
type Failure = (u8, String);

fn wrong(text: impl Into<String>) -> Failure {
    (USAGE, text.into())
}

fn failed(path: &Path, e: &io::Error) -> Failure {
    (1, format!("{}: {}", shown(path.as_os_str()), plain(e)))
}

fn bring_up_to_date(path: &Path, args: &SumArgs) -> Result<ExitCode, Failure> {
    if path == Path::new("-") {
        return Err(wrong("--update needs a file, which it can replace: standard input is none"));
    }
    // A folder stands for the list that copies keep of it.
    let kept = list_in(path);
    let path = if path.is_dir() && kept.is_file() { &kept } else { path };
    let folder = match &args.files[..] {
        [] => None,
        [one] if Path::new(one).is_dir() => Some(PathBuf::from(one)),
        [one] => return Err(wrong(format!("{}: --update takes a folder", shown(one)))),
        _ => return Err(wrong("--update takes one folder")),
    };
    let exists = fs::metadata(path).is_ok_and(|m| m.len() > 0);
    if !exists && folder.is_none() {
        let path = shown(path.as_os_str());
        return Err(wrong(format!(
            "{path}: there is no list yet, so --update needs the folder that it is to be about"
        )));
    }
    let form = if args.json { Form::named("json") } else { args.format };
    if exists && (form.is_some() || !args.algorithms.is_empty()) {
        return Err(wrong("--update keeps the form and the algorithms of a list that exists"));
    }
    let functions = functions(args, form, Some(path)).map_err(wrong)?;
    let form = form.unwrap_or_else(|| usual_form(&functions, Some(path)));
    let key = key(args.key_file.as_deref()).map_err(wrong)?;
    let progress = Arc::new(Progress::default());
    let meter = Meter::start(args.progress, Interrupt::Ends, &progress);
    let say = |text: &str| meter.pause(|| message(text));
    let reading = ReadOptions { zero: args.zero, ..ReadOptions::default() };
    let times = times_of(path);
    let list = if exists {
        let opened = open(path.as_os_str(), &reading, false);
        let Opened { reader, .. } =
            opened.map_err(|refusal| (1, format!("{}: {}", shown(path.as_os_str()), refusal.what)))?;
        let times = File::open(&times).ok().map(|file| Box::new(BufReader::new(file)) as Box<_>);
        Some(Source { path: path.into(), reader: Box::new(reader), times })
    } else {
        None
    };
    let filter = Filter::new(&args.selection, &args.ext).map_err(wrong)?;
    let mut journal = Journal::begin(path, args.resume, &say)?;
    let done = if args.resume { Some(Box::new(BufReader::new(journal.reader()?)) as Box<_>) } else { None };
    let options = UpdateOptions {
        audit: AuditOptions {
            folder,
            base: if exists { None } else { form.base_of(path) },
            key,
            zero: args.zero,
            quick: !args.verify,
            filter,
            threads: args.threads,
            io: args.io,
            ..AuditOptions::default()
        },
        functions,
        prune: args.prune,
        accept: args.accept,
        list: path.to_owned(),
    };
    let name = shown(path.as_os_str());
    let mut out = Lines::new(&meter).safe();
    let mut changes = Changes::new(Shape::Text { all: args.verbose }, Color::Auto);
    changes.all_new = !exists;
    let result = update(list, done, &options, &progress, |event| {
        match event {
            AuditEvent::List(_, event) => {
                if let Some(text) = about(&event) {
                    say(&format!("{name}: {text}"));
                }
            }
            AuditEvent::Begins { folder, .. } => changes.folder = shown(folder.as_os_str()),
            AuditEvent::Read(name, known) => journal.put(name, &known),
            AuditEvent::File(file) => {
                if let Some(text) = changes.put(&file, &mut out) {
                    out.flush();
                    say(&text);
                }
            }
            AuditEvent::Device { path, one_reader } if args.verbose => say(&how_read(&path, one_reader)),
            AuditEvent::Device { .. } => {}
            AuditEvent::Idle => {
                journal.flush();
                out.flush();
            }
        }
        // A list is brought up to date even if nobody reads what is said.
        std::ops::ControlFlow::Continue(())
    });
    journal.flush();
    let updated = match result {
        Ok(updated) if progress.is_stopped() => {
            drop(updated);
            return Err((1, format!("{name}: stopped; --resume goes on")));
        }
        Ok(updated) => updated,
        Err(e) => {
            // What has been read is kept for --resume.
            if journal.file.metadata().is_ok_and(|m| m.len() == 0) {
                journal.end();
            }
            return Err((1, format!("{name}: {e}")));
        }
    };
    let style = updated.style;
    let form = style.map_or(form, |style| style.form);
    if updated.is_changed || !exists {
        let head =
            if exists && form.lines { comments(path, &reading).map_err(|e| failed(path, &e))? } else { Vec::new() };
        let mut header = header(args, updated.functions.clone(), Digits::Hex);
        if let Some(style) = style {
            (header.zero, header.binary) = (style.zero, style.binary);
        }
        let writer = writer(form, &header).map_err(|e| (1, format!("{name}: {e}")))?;
        let entries = updated.order.iter().map(|row| updated.entry(*row));
        write(path, writer, &head, folder_of_list(path).is_some(), entries).map_err(|e| (1, format!("{name}: {e}")))?;
    }
    if !form.times {
        put_times(&times, &updated, args).map_err(|e| (1, format!("{}: {e}", shown(times.as_os_str()))))?;
    }
    journal.end();
    let summary = &updated.summary;
    let kept = |class: Class| if args.accept { 0 } else { summary.of(class) };
    let rot = kept(Class::Rotten) + kept(Class::Differs);
    if rot > 0 {
        let (files, it, them) = match rot {
            1 => ("1 file keeps its old digest".to_string(), "it was", "it"),
            n => (format!("{n} files keep their old digests"), "they were", "them"),
        };
        out.flush();
        say(&format!("{name}: {files}, since it is not known that {it} changed on purpose; --accept renews {them}"));
    }
    let unread = summary.of(Class::Unreadable) + summary.of(Class::NotChecked);
    let status = u8::from(rot + unread > 0);
    let _ = changes.close(summary, status, &mut out);
    let written = out.finish();
    drop(meter);
    Ok(ExitCode::from(if written { status } else { 1 }))
}

/// Replaces the list in one step.
pub(crate) fn write(
    path: &Path,
    mut writer: Writer,
    head: &[u8],
    is_own: bool,
    entries: impl Iterator<Item = Entry>,
) -> Result<(), String> {
    let mut begin = head.to_vec();
    writer.begin(&mut begin);
    let mut entries = entries.fuse();
    let mut is_over = false;
    let rest = std::iter::from_fn(move || {
        let mut line = Vec::new();
        if let Some(entry) = entries.next() {
            let put = writer.entry(&entry, &mut line);
            let name = || String::from_utf8_lossy(&entry.name).escape_debug().to_string();
            return Some(put.map(|()| line).map_err(|e| format!("{}: {e}; nothing was changed", name())));
        }
        if is_over {
            return None;
        }
        is_over = true;
        writer.end(&mut line);
        Some(Ok(line))
    });
    let parts = std::iter::once(Ok(begin)).chain(rest);
    if is_own { replace_own(path, parts) } else { replace(path, parts) }
}

/// Writes the list with the times of files.
fn put_times(path: &Path, updated: &Updated, args: &SumArgs) -> Result<(), String> {
    let form = Form::named("json").ok_or("no form for times")?;
    let header = header(args, updated.functions.clone(), Digits::Hex);
    let writer = Writer::new(form, &header).ok_or("no form for times")?;
    write(path, writer, b"", true, updated.order.iter().map(|row| updated.entry(*row)))
}

/// Returns the comments of a list.
fn comments(path: &Path, reading: &ReadOptions) -> io::Result<Vec<u8>> {
    let mut lines = LineReader::detect(BufReader::new(File::open(path)?), reading.zero)?;
    let mut parser = Parser::new(path, reading);
    let mut comments = Vec::new();
    while let Some(line) = lines.next_line()? {
        let Some(line) = line else { continue };
        if let (Item::Nothing, false) = (parser.line(line), line.trim_ascii().is_empty()) {
            comments.extend_from_slice(line);
            comments.push(b'\n');
        }
    }
    Ok(comments)
}

/// The files that have been read, while a list is brought up to date.
struct Journal {
    path: PathBuf,
    file: File,
    pending: Vec<u8>,
    /// Nothing more can be written, which only means that it would be read again.
    failed: bool,
}

impl Journal {
    /// Begins a journal, or goes on with one. While it is open, no other run changes the list.
    fn begin(list: &Path, resume: bool, say: &dyn Fn(&str)) -> Result<Journal, Failure> {
        let path = unfinished_of(list);
        let open = || OpenOptions::new().read(true).append(true).create(true).open(&path);
        let file = open().map_err(|e| failed(&path, &e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err((1, format!("{}: another run is bringing the list up to date", shown(list.as_os_str()))));
            }
            // Some network file systems have no locks.
            Err(TryLockError::Error(_)) => {}
        }
        let left = file.metadata().map_or(0, |m| m.len());
        if left > 0 && !resume {
            let what = "a run was not finished; --resume would have gone on with it, this one begins again";
            say(&format!("{}: {what}", shown(list.as_os_str())));
            file.set_len(0).map_err(|e| failed(&path, &e))?;
        }
        let mut journal = Journal { path, file, pending: Vec::new(), failed: false };
        if left > 0 && resume {
            // The last line may be cut off.
            journal.pending.push(b'\n');
        }
        Ok(journal)
    }

    fn reader(&self) -> Result<File, Failure> {
        File::open(&self.path).map_err(|e| failed(&self.path, &e))
    }

    fn put(&mut self, name: &[u8], known: &Known<'_>) {
        let Known { size, modified: mtime, stated } = *known;
        let stated: Vec<Stated> = stated.to_vec();
        let entry = Entry { name: name.to_vec(), size, mtime, stated, ..Entry::default() };
        Record::entry(&entry, Digits::Hex).put(&mut self.pending);
        self.pending.push(b'\n');
        if self.pending.len() > PENDING {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if !self.failed && !self.pending.is_empty() {
            self.failed = self.file.write_all(&self.pending).is_err();
        }
        self.pending.clear();
    }

    /// Deletes the journal.
    fn end(self) {
        let _ = fs::remove_file(&self.path);
    }
}
