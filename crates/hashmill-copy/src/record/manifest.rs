//! Checksum lists of what is in the destination now: the manifest, and the one that every copy keeps for audits.
//!
//! The lines to come are kept in the journal's folder during the run, so that a run that is killed loses none of them:
//! the next run with the same list picks them up. The list itself is replaced atomically at the end, under a lock,
//! after what other runs have added to it meanwhile has been read again. If the list is not a regular file (a pipe, a
//! terminal), its lines are written as they come.

use crate::fs::beneath::{Folder, Root, names, unlink};
use crate::fs::meta::Meta;
use crate::fs::place::{self, Lock, Lost, Temporary, lock};
use crate::model::event::{Action, FileEvent};
use crate::record::journal::{self, Journal};
use hashmill::{Algorithm, Digest, Hasher};
use hashmill_files::ours::{list_in, run_of};
use hashmill_lists::{Entry, Form, Item, LineReader, MAX_LINE, Parser, ReadOptions, Stated, Style, usual_form};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum time that another run may take to replace the list.
const PATIENCE: Duration = Duration::from_secs(60);

/// Prefix of the names of files that hold the lines of unfinished runs.
const PENDING: &str = "list-";

/// Whether what is at a path is written to directly and not replaced, which is so for the standard streams and
/// everything but regular files.
pub(crate) fn is_stream(path: &Path) -> bool {
    standard(path).is_some() || fs::metadata(path).is_ok_and(|m| !m.is_file())
}

/// Returns the standard stream that a path names.
fn standard(path: &Path) -> Option<io::Result<File>> {
    let of = |fd: rustix::fd::BorrowedFd<'_>| fd.try_clone_to_owned().map(File::from);
    match path.to_str()? {
        "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1" => Some(of(rustix::stdio::stdout())),
        "/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2" => Some(of(rustix::stdio::stderr())),
        _ => None,
    }
}

/// The lines of a list, by the names of the files that they are about.
#[derive(Debug, Default)]
struct Lines {
    /// Comments, and other lines that are not checksum lines.
    others: Vec<u8>,
    of: BTreeMap<OsString, Vec<u8>>,
    /// How the first line looks that is about a file.
    style: Option<Style>,
    /// The first lines that do not name an algorithm and have digests as long as those of this run.
    bare: Vec<(OsString, Digest)>,
}

/// Maximum number of untagged lines examined to find out whether a list is of this run's algorithm.
const SAMPLES: usize = 16;

/// Larger files are not read just to continue a list in its own form.
const LONGEST_SAMPLE: u64 = 64 << 20;

impl Lines {
    /// Adds the lines of a list. If `whole`, adds only checksum lines that are complete.
    fn read(&mut self, file: &File, name: &Path, algorithms: &[Algorithm], whole: bool) -> io::Result<()> {
        let parser = |algorithm| Parser::new(name, &ReadOptions { algorithm, ..ReadOptions::default() });
        // Lines without a tag and of no usual length are taken for this run's algorithm.
        let mut own = algorithms.first().map(|&a| parser(Some(a)));
        let mut parser = parser(None);
        // A line that was cut off when its run was killed would be about another name.
        let length = if whole { complete(file)? } else { u64::MAX };
        let mut reader = LineReader::new(BufReader::new(Read::take(file, length)));
        let mut found: Lines = Lines::default();
        while let Some(line) = reader.next_line()? {
            let Some(line) = line else { return Err(io::Error::other("is no checksum list (a line is too long)")) };
            let (item, style) = match (parser.line(line), &mut own) {
                (Item::Bad(_), Some(own)) => (own.line(line), own.style()),
                (other, _) => (other, parser.style()),
            };
            let to = match item {
                Item::Entry(entry) => {
                    found.style = found.style.or(style);
                    let name = OsString::from_vec(entry.name);
                    let length = algorithms.first().map(Algorithm::digest_len);
                    for s in entry.stated.into_iter().filter(|s| s.function.is_none()) {
                        if found.bare.len() < SAMPLES && length == Some(s.digest.as_bytes().len()) {
                            found.bare.push((name.clone(), s.digest));
                        }
                    }
                    found.of.entry(name).or_default()
                }
                _ if whole => continue,
                _ => &mut found.others,
            };
            to.extend_from_slice(line);
            to.push(b'\n');
        }
        self.others.extend(found.others);
        self.of.extend(found.of);
        self.style = self.style.or(found.style);
        self.bare.extend(found.bare);
        Ok(())
    }

    /// Whether this was never a list: no line is about a file, and some lines are not comments. A photo that was named
    /// as the list by mistake must not get lines at its end.
    fn is_something_else(&self) -> bool {
        let comment = |line: &[u8]| matches!(line.trim_ascii().first(), None | Some(b'#' | b';'));
        self.of.is_empty() && !self.others.split(|&b| b == b'\n').all(comment)
    }

    /// Returns how to continue a list that has these lines with lines of `algorithms`: its own, unless
    /// its lines do not name their algorithm and new ones of the same length would be mistaken for it. Then new lines
    /// name theirs.
    fn continued(&self, algorithms: &[Algorithm], list: &Path, root: &Root) -> Style {
        let usual = usual(algorithms, list);
        match self.style.filter(|style| style.form.writes) {
            Some(style) if style.form.several => style,
            Some(style) if !usual.form.several => {
                let same = |a: &Algorithm| self.bare.iter().any(|(name, digest)| is_of(root, name, *a, digest));
                let same = self.bare.is_empty() || algorithms.iter().any(same);
                if same { style } else { Style { form: named("bsd"), ..style } }
            }
            _ => usual,
        }
    }
}

/// Returns the form with this name.
fn named(form: &str) -> &'static Form {
    Form::named(form).unwrap_or_else(|| unreachable!("{form}"))
}

/// Returns how a new list of these algorithms looks.
fn usual(algorithms: &[Algorithm], list: &Path) -> Style {
    let functions: Vec<_> = algorithms.iter().copied().map(Into::into).collect();
    Style { form: usual_form(&functions, Some(list)), zero: false, binary: false }
}

/// Whether a file in the destination has this digest.
fn is_of(root: &Root, name: &OsStr, a: Algorithm, digest: &Digest) -> bool {
    let compute = || -> io::Result<Digest> {
        let file = root.file(Path::new(name), OFlags::empty())?;
        let meta = Meta::of(&file)?;
        if !meta.is_file() || meta.size > LONGEST_SAMPLE {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let mut hasher = Hasher::new(a);
        io::copy(&mut file.take(LONGEST_SAMPLE), &mut hasher)?;
        Ok(hasher.finalize())
    };
    compute().is_ok_and(|computed| computed == *digest)
}

/// Returns the number of bytes up to the end of the last complete line.
fn complete(file: &File) -> io::Result<u64> {
    let length = Meta::of(file)?.size;
    let from = length.saturating_sub(MAX_LINE as u64 + 1);
    let mut tail = vec![0; (length - from) as usize];
    file.read_exact_at(&mut tail, from)?;
    Ok(tail.iter().rposition(|&b| b == b'\n').map_or(from, |i| from + i as u64 + 1))
}

/// A list that is being made.
#[derive(Debug)]
pub(crate) struct List {
    /// The list, for messages.
    pub(crate) shown: PathBuf,
    style: Style,
    algorithms: Vec<Algorithm>,
    place: Place,
    /// Whether it is the one that copies keep, and not one that was asked for.
    is_kept: bool,
    /// Lines of this run, and of killed runs with this list.
    lines: Lines,
    /// What earlier runs have said, if that was asked for.
    before: Option<Lines>,
    /// Lines of this run that are not in the journal's folder yet.
    fresh: Vec<u8>,
}

#[derive(Debug)]
enum Place {
    /// Written as the lines come.
    Stream(File),
    File(Box<Regular>),
}

#[derive(Debug)]
struct Regular {
    path: PathBuf,
    folder: Folder,
    name: OsString,
    /// The new list. It is created early, to find out whether the list can be written.
    temporary: Temporary,
    /// The mode of a list that is new.
    mode: u32,
    /// The journal's folder, in which `pending` has this run's lines.
    journal: Folder,
    pending: File,
    pending_name: OsString,
    /// Files that killed runs left in the journal's folder, locked.
    left: Vec<(OsString, File)>,
    /// Whether the journal's folder has been synced, so that the name of `pending` is durable.
    listed: bool,
}

impl List {
    /// Begins a list before anything is copied, so that it is known that what is at `path` is a list and can be
    /// replaced.
    pub(crate) fn begin(
        path: &Path,
        form: Option<&'static Form>,
        algorithms: &[Algorithm],
        journal: &Journal,
    ) -> io::Result<List> {
        let style = usual(algorithms, path);
        let stream = match standard(path) {
            Some(stream) => stream?,
            None if is_stream(path) => open_stream(path)?,
            None => {
                let (above, name) = behind_links(path)?;
                let folder: Folder = Arc::new(File::open(&above)?.into());
                let mut before = Lines::default();
                if let Some(there) = open_list(&folder, &name)? {
                    before.read(&there, path, algorithms, false)?;
                    if before.is_something_else() {
                        return Err(io::Error::other(
                            "exists and is not a checksum list, so it is not replaced: nothing was copied",
                        ));
                    }
                }
                let style = match form {
                    Some(form) => Style { form, ..style },
                    None => before.continued(algorithms, path, journal.root()),
                };
                let list = Self::in_folder(&above.join(&name), folder, style, algorithms, journal)?;
                return Ok(List { shown: path.into(), ..list });
            }
        };
        Ok(List {
            shown: path.into(),
            style: Style { form: form.unwrap_or(style.form), ..style },
            algorithms: algorithms.to_vec(),
            place: Place::Stream(stream),
            is_kept: false,
            lines: Lines::default(),
            before: None,
            fresh: Vec::new(),
        })
    }

    /// Begins the list that copies keep of what is in the destination.
    pub(crate) fn keep_in(journal: &Journal, algorithms: &[Algorithm]) -> io::Result<List> {
        let path = list_in(&journal.root().real_path()?);
        let style = Style { form: named("json"), zero: false, binary: false };
        let list = Self::in_folder(&path, Arc::clone(journal.folder()), style, algorithms, journal)?;
        Ok(List { shown: list_in(&journal.root().shown(Path::new(""))), is_kept: true, ..list })
    }

    /// Begins a list at a path without links, in an open folder.
    fn in_folder(
        path: &Path,
        folder: Folder,
        style: Style,
        algorithms: &[Algorithm],
        journal: &Journal,
    ) -> io::Result<List> {
        // Delete what killed runs left here.
        for other in names(&folder).0 {
            if run_of(&other).is_some_and(|run| journal.is_dead(run)) && journal::open_dead(&folder, &other).is_some() {
                unlink(&folder, &other)?;
            }
        }
        let mut next = 0;
        let temporary = Temporary::create(&folder, || {
            next += 1;
            Ok(format!(".hashmill-{}-9{next:09}.part", journal.run()).into())
        })?;
        // The mask can only be read by setting it.
        let mask = rustix::process::umask(Mode::from_raw_mode(0o077));
        rustix::process::umask(mask);
        let mut lines = Lines::default();
        let key = key_of(path);
        let prefix = format!("{PENDING}{key}-");
        let mut left = Vec::new();
        for other in names(journal.folder()).0 {
            if !other.as_bytes().starts_with(prefix.as_bytes()) {
                continue;
            }
            let Ok(file) = journal::open_plain(journal.folder(), &other) else { continue };
            let locked = lock(&file);
            if locked == Lock::Held {
                continue;
            }
            lines.read(&file, path, algorithms, true)?;
            // Without locks its run may be alive. Its lines are right all the same, and the file is left to it.
            if locked == Lock::Taken {
                left.push((other, file));
            }
        }
        let pending_name = OsString::from(format!("{prefix}{}", journal.run()));
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let pending = rustix::fs::openat(journal.folder(), &pending_name, flags, Mode::from_raw_mode(0o600))?.into();
        lock(&pending);
        let place = Place::File(Box::new(Regular {
            path: path.into(),
            folder,
            name: path.file_name().unwrap_or_default().into(),
            temporary,
            mode: 0o666 & !mask.as_raw_mode(),
            journal: Arc::clone(journal.folder()),
            pending,
            pending_name,
            left,
            listed: false,
        }));
        Ok(List {
            shown: path.into(),
            style,
            algorithms: algorithms.to_vec(),
            place,
            is_kept: false,
            lines,
            before: None,
            fresh: Vec::new(),
        })
    }

    /// Returns the path of the list, without links, if it is a file.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        match &self.place {
            Place::File(f) => Some(f.path.clone()),
            Place::Stream(_) => None,
        }
    }

    /// Returns the folder and the name of the list, if it is a file.
    pub(crate) fn lies_in(&self) -> Option<(&Folder, &OsStr)> {
        match &self.place {
            Place::File(f) => Some((&f.folder, &f.name)),
            Place::Stream(_) => None,
        }
    }

    /// Adds a file that is in the destination. Names are relative to the destination, so lists are checked from within
    /// it.
    pub(crate) fn add(&mut self, event: &FileEvent<'_>) -> io::Result<()> {
        let there = matches!(event.action, Action::Copied | Action::Same | Action::Duplicate);
        let Some(below) = event.below.as_ref().filter(|_| there && !event.digests.is_empty()) else { return Ok(()) };
        let sound = event.sound.as_deref().filter(|_| self.is_kept);
        let digests = event.digests.iter().chain(sound);
        let entry = Entry {
            name: listed(below).as_bytes().to_vec(),
            size: Some(event.bytes),
            mtime: event.modified,
            stated: digests.map(|(a, digest)| Stated::new(Some(*a), digest.clone())).collect(),
            ..Entry::default()
        };
        // Without a time, an audit could not tell damage from a change.
        if self.is_kept && entry.mtime.is_none() {
            return Ok(());
        }
        let mut text = Vec::new();
        if let Some(mut writer) = self.style.writer() {
            writer.entry(&entry, &mut text).map_err(io::Error::other)?;
        }
        if let Place::Stream(to) = &mut self.place {
            return to.write_all(&text);
        }
        self.fresh.extend_from_slice(&text);
        self.lines.of.insert(listed(below).to_owned(), text);
        Ok(())
    }

    /// Returns what the list said of a file before this run.
    pub(crate) fn said(&mut self, below: &Path) -> Option<Entry> {
        if self.before.is_none() {
            let mut before = Lines::default();
            if let Place::File(f) = &self.place
                && let Ok(Some(there)) = open_list(&f.folder, &f.name)
            {
                // Without what can be read of it, nothing is known.
                let _ = before.read(&there, &f.path, &self.algorithms, false);
            }
            self.before = Some(before);
        }
        let line = self.before.as_ref()?.of.get(listed(below))?;
        match Parser::new(&self.shown, &ReadOptions::default()).line(line.trim_ascii_end()) {
            Item::Entry(entry) => Some(entry),
            _ => None,
        }
    }

    /// Writes the new lines to the journal's folder, and makes them durable if `durable`.
    pub(crate) fn keep(&mut self, durable: bool) -> io::Result<()> {
        let Place::File(f) = &mut self.place else { return Ok(()) };
        f.pending.write_all(&self.fresh)?;
        self.fresh.clear();
        if durable {
            place::sync_file(&f.pending)?;
            if !f.listed {
                place::sync_folder(&f.journal)?;
                f.listed = true;
            }
        }
        Ok(())
    }

    /// Replaces the list atomically. Returns what could not be kept of the old list besides its lines.
    pub(crate) fn end(self) -> io::Result<Lost> {
        let List { place, mut lines, algorithms, is_kept, before, .. } = self;
        drop(before);
        let Place::File(f) = place else { return Ok(Lost::new()) };
        let Regular { folder, name, mut temporary, mode, journal, pending, pending_name, left, .. } = *f;
        let guard = File::from(rustix::fs::openat(
            &folder,
            ".",
            OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        )?);
        let start = Instant::now();
        while lock(&guard) == Lock::Held {
            if start.elapsed() > PATIENCE {
                return Err(io::Error::other("another run is still writing it; try again later"));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let own = std::mem::take(&mut lines.of);
        let old = open_list(&folder, &name)?;
        if let Some(there) = &old {
            lines.read(there, Path::new(&name), &algorithms, false)?;
        }
        let says_all = own.iter().all(|(name, line)| lines.of.get(name) == Some(line));
        if says_all && (old.is_some() || is_kept) {
            forget(&journal, &pending_name, &left);
            return Ok(Lost::new());
        }
        lines.of.extend(own);
        let mut to = io::BufWriter::new(&temporary.file);
        to.write_all(&lines.others)?;
        lines.of.values().try_for_each(|line| to.write_all(line))?;
        to.flush()?;
        drop(to);
        let lost = match &old {
            Some(old) => {
                let meta = Meta::of(old)?;
                // The new file gets the owner, mode and attributes of the old one, but keeps its own times.
                let now = Meta::of(&temporary.file)?;
                place::dress(&temporary.file, old, &Meta { modified: now.modified, accessed: now.accessed, ..meta })?
            }
            None => match rustix::fs::fchmod(&temporary.file, Mode::from_raw_mode(mode)) {
                Err(e) if !place::unsupported(e) => return Err(e.into()),
                _ => Lost::new(),
            },
        };
        place::sync_file(&temporary.file)?;
        temporary.replace(&folder, &name)?;
        place::sync_folder(&folder)?;
        forget(&journal, &pending_name, &left);
        drop((pending, left));
        Ok(lost)
    }
}

/// Deletes the files with lines that are in the list now.
fn forget(journal: &Folder, pending: &OsStr, left: &[(OsString, File)]) {
    for name in left.iter().map(|(name, _)| name.as_os_str()).chain([pending]) {
        let _ = unlink(journal, name);
    }
}

/// Returns a name as it is written in a list. A single `-` would mean standard input.
fn listed(below: &Path) -> &OsStr {
    if below == Path::new("-") { OsStr::new("./-") } else { below.as_os_str() }
}

/// Returns the folder and the name of a list. If it is a link, what the link leads to is replaced, not the link.
fn behind_links(path: &Path) -> io::Result<(PathBuf, OsString)> {
    let mut path = path.to_path_buf();
    for _ in 0..40 {
        let above = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let above = fs::canonicalize(above)?;
        let name = path.file_name().ok_or_else(|| io::Error::other("is not a file name"))?.to_owned();
        match fs::read_link(above.join(&name)) {
            Ok(target) => path = above.join(target),
            Err(_) => return Ok((above, name)),
        }
    }
    Err(Errno::LOOP.into())
}

fn open_stream(path: &Path) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

/// Opens the list if it exists, at its beginning.
fn open_list(folder: &Folder, name: &OsStr) -> io::Result<Option<File>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file: File = match rustix::fs::openat(folder, name, flags, Mode::empty()) {
        Ok(fd) => fd.into(),
        Err(Errno::NOENT) => return Ok(None),
        Err(e) => return Err(e.into()),
    };
    if !Meta::of(&file)?.is_file() {
        return Err(io::Error::other("is no longer a regular file"));
    }
    file.rewind()?;
    Ok(Some(file))
}

/// Returns what identifies a list in the names of files in the journal's folder.
fn key_of(path: &Path) -> String {
    use std::fmt::Write;
    let bytes = path.as_os_str().to_owned().into_vec();
    let digest = "blake3".parse::<Algorithm>().map(|a| a.digest(&bytes));
    let mut key = String::new();
    for b in digest.iter().flat_map(|d| &d.as_bytes()[..8]) {
        // Writing to a string cannot fail.
        let _ = write!(key, "{b:02x}");
    }
    key
}
