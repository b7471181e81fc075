//! Bringing a list up to date with its folder.

use crate::base::class::Class;
use crate::base::snapshot::{Known, Row, Snapshot};
use crate::read::base::Base;
use crate::read::list::{ListEvent, Listed, Source, times_of, unfinished_of, verified_of};
use crate::read::verified::Verified;
use crate::surface::audit::{
    AuditError, AuditEvent, AuditOptions, AuditSummary, Audited, Before, FileChange, Ground, compare, load, part_of,
};
use hashmill_files::{FileId, Progress};
use hashmill_lists::{Entry, Function, Note, ReadOptions, Style};
use std::io::BufRead;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// How a list is brought up to date.
#[derive(Debug, Clone, Default)]
pub struct UpdateOptions {
    /// How files are compared with the list. [`AuditOptions::quick`] says whether files with the length and the time
    /// that the list states are read.
    pub audit: AuditOptions,
    /// What a new list has of every file.
    pub functions: Vec<Function>,
    /// Drop files that are gone.
    pub prune: bool,
    /// Renew the digests of files that have rotted, and of those that may have.
    pub accept: bool,
    /// The list, which is not part of the folder's content.
    pub list: PathBuf,
}

/// A list that is up to date.
#[derive(Debug)]
pub struct Updated {
    /// What became of the files.
    pub summary: AuditSummary,
    /// What the new list says of files.
    pub files: Snapshot,
    /// The files in their order.
    pub order: Vec<Row>,
    /// How the old list looks, or `None` if there was none.
    pub style: Option<Style>,
    /// Whether names begin with `./`.
    is_dotted: bool,
    /// What digests are of.
    pub functions: Vec<Function>,
    /// Whether the new list says anything that the old one does not.
    pub is_changed: bool,
}

impl Updated {
    /// Returns what the list says of a file.
    pub fn entry(&self, row: Row) -> Entry {
        let (mut name, stated) = (self.files.name(row), self.files.stated(row));
        if self.is_dotted {
            name.splice(..0, *b"./");
        }
        let (size, mtime) = (self.files.size(row), self.files.modified(row));
        Entry { name, size, mtime, stated, ..Entry::default() }
    }
}

/// Compares a folder with a list, as [`audit`](crate::audit) does, and returns the list as it should be: with the
/// digests of new files and of those that have changed. Files that have moved keep the digests that the list states. A
/// file that has rotted keeps its digest, so that it is found again, and so does one of which only its digest is known.
///
/// `done` is a list of files that were read by a run that was interrupted; those that have not changed since are not
/// read again.
///
/// # Errors
/// Returns an error if the list cannot be read, or brought up to date without losing something, and if not everything
/// was compared.
pub fn update(
    list: Option<Source<'_>>,
    done: Option<Box<dyn BufRead + Send + '_>>,
    options: &UpdateOptions,
    progress: &Progress,
    mut sink: impl FnMut(AuditEvent<'_>) -> ControlFlow<()>,
) -> Result<Updated, AuditError> {
    let mut summary = AuditSummary::default();
    let mut ground = match list {
        Some(list) => {
            let list = vec![list];
            if options.audit.folder.as_deref().and_then(|folder| part_of(&list, folder)).is_some() {
                let what = "it is about all of the folder that it is kept in, not about a part of it";
                return Err(AuditError::NoUpdate(what.into()));
            }
            let mut lost = None;
            let ground = load(list, &options.audit, &mut summary, &mut |i, event| {
                if let ListEvent::Note(note) = &event {
                    let is_lost =
                        matches!(note, Note::NotKnown(_) | Note::SameLength | Note::NoChange | Note::Optional);
                    lost = lost.take().or(is_lost.then(|| note.to_string()));
                }
                sink(AuditEvent::List(i, event))
            })?;
            // An empty folder is most likely one on which nothing is mounted, which is dealt with later.
            let is_empty = || ground.base.root().read_dir().is_ok_and(|mut entries| entries.next().is_none());
            if options.audit.folder.is_none() && !ground.is_there && !is_empty() {
                let what = "none of the files that it names is there; name the folder that it is about";
                return Err(AuditError::NoUpdate(what.into()));
            }
            if let Some(note) = lost {
                return Err(AuditError::NoUpdate(format!("something in it would be lost ({note})")));
            }
            match &ground.style {
                _ if summary.malformed > 0 && !options.prune => {
                    let what = "some of its lines are not understood, and would be lost; --prune drops them";
                    return Err(AuditError::NoUpdate(what.into()));
                }
                None => {
                    let what = "it is compressed, signed or in another encoding than UTF-8";
                    return Err(AuditError::NoUpdate(what.into()));
                }
                Some(style) if !style.form.writes => {
                    return Err(AuditError::NoUpdate(format!(
                        "lists of the form '{}' can only be read",
                        style.form.name
                    )));
                }
                Some(_) => ground,
            }
        }
        None => {
            let folder = options.audit.folder.clone().unwrap_or_else(|| PathBuf::from("."));
            let base = Base::of_folder(&folder, options.audit.base.clone(), &[]);
            // The names of a new list are those that `hashmill sum -r` prints.
            let base = match &options.audit.base {
                Some(_) => base,
                None => {
                    Base { folder: None, top: crate::base::names::normalized(folder.as_os_str().as_encoded_bytes()) }
                }
            };
            let is_dotted = options.audit.base.is_none() && base.top.is_empty();
            Ground {
                listed: Snapshot::new(),
                base,
                own: Vec::new(),
                style: None,
                is_dotted,
                elsewhere: Vec::new(),
                is_there: true,
            }
        }
    };
    let about = [times_of(&options.list), unfinished_of(&options.list), verified_of(&options.list)];
    ground.own.extend(about.iter().filter_map(|path| FileId::at(path)));
    let (style, is_dotted) = (ground.style, ground.is_dotted);
    let is_dotted = is_dotted && style.is_none_or(|style| style.form.lines);
    let functions = if ground.listed.is_empty() { options.functions.clone() } else { ground.listed.functions().0 };
    let done = done.map(|reader| {
        let mut done = Listed::default();
        let source = Source { path: PathBuf::new(), reader, times: None };
        // What is cut off at its end is read again.
        let _ = done.read(source, None, &ReadOptions::default(), |_| ());
        done.snapshot
    });
    let mut verified = Verified::default();
    let before = Before { done, verified: &mut verified, walked: None };
    let mut next = Next { files: Snapshot::new(), options, is_changed: false };
    let Audited { summary, comparison, .. } =
        compare(ground, &functions, before, &options.audit, summary, progress, |event| {
            if let AuditEvent::File(file) = &event {
                next.put(file);
            }
            sink(event)
        })?;
    let before = comparison.before();
    if options.prune && !before.is_empty() && summary.of(Class::Missing) == before.len() as u64 {
        return Err(AuditError::NoUpdate("none of its files is there, so they are not dropped".into()));
    }
    for row in comparison.left_out() {
        let stated = before.stated(row);
        next.add(&before.name(row), &Known { size: before.size(row), modified: before.modified(row), stated: &stated });
    }
    let Next { files, is_changed, .. } = next;
    let mut order: Vec<Row> = files.rows().collect();
    order.sort_by(|a, b| files.compare_names(*a, &files, *b));
    Ok(Updated { summary, files, order, style, is_dotted, functions, is_changed })
}

/// A list that is being made.
struct Next<'a> {
    files: Snapshot,
    options: &'a UpdateOptions,
    is_changed: bool,
}

impl Next<'_> {
    fn add(&mut self, name: &[u8], known: &Known<'_>) {
        // Every name comes once.
        let _ = self.files.add(name, known);
    }

    /// Takes what became of a file.
    fn put(&mut self, file: &FileChange<'_>) {
        let FileChange { class, name, before, now, taken, .. } = *file;
        let accept = self.options.accept;
        let renewed = match class {
            Class::Same | Class::Touched | Class::Moved => {
                let (Some(before), place) = (before, now.or(before).unwrap_or_default()) else { return };
                self.is_changed |= class != Class::Same;
                Some(Known { stated: before.stated, ..place })
            }
            Class::Changed | Class::Copied | Class::New => now,
            Class::Rotten | Class::Differs if accept => now,
            Class::Missing if self.options.prune || taken => {
                self.is_changed = true;
                None
            }
            Class::Rotten | Class::Differs | Class::Missing | Class::Unreadable | Class::NotChecked => {
                if let Some(before) = before {
                    self.add(name, &before);
                }
                return;
            }
            Class::Skipped => return,
        };
        self.is_changed |= !matches!(class, Class::Same);
        if let Some(known) = renewed {
            self.add(name, &known);
        }
    }
}
