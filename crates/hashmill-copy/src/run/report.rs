//! What a run reports: to its caller, in the summary, and in the checksum list.

use crate::fs::place::Lost;
use crate::model::event::{Action, Event, FileEvent, Problem, Summary};
use crate::model::options::Options;
use crate::record::manifest::List;
use hashmill_files::plain;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Where a run reports to.
pub(crate) struct Report<'a> {
    pub(crate) options: &'a Options,
    pub(crate) sink: &'a mut dyn FnMut(&Event<'_>),
    pub(crate) summary: Summary,
    /// The manifest, and the list that copies keep.
    pub(crate) lists: Vec<List>,
    /// Whether one of them has failed.
    pub(crate) list_failed: bool,
    /// Path of the manifest relative to the destination, if it lies there: no file may take that name.
    pub(crate) list_below: Option<PathBuf>,
    /// What copies could not keep of their sources, with the number of copies and the first of them.
    pub(crate) lost: BTreeMap<String, (u64, PathBuf)>,
}

impl Report<'_> {
    pub(crate) fn tell(&mut self, event: FileEvent<'_>) {
        self.summary.count(&event);
        if let (Some(taken), Action::Copied | Action::Same) = (event.taken, event.action)
            && self.options.needs_dates()
            && taken.origin.substitute().is_some()
        {
            *self.summary.dated_by.entry(taken.origin).or_default() += 1;
        }
        (self.sink)(&Event::File(event));
    }

    pub(crate) fn warn(&mut self, path: &Path, cause: String) {
        (self.sink)(&Event::Warning { path, cause });
    }

    pub(crate) fn add(&mut self, problem: Problem) {
        self.summary.add(problem);
    }

    /// Adds a file to the lists.
    pub(crate) fn take_down(&mut self, event: &FileEvent<'_>) {
        self.with_lists("cannot be written", |list| list.add(event));
    }

    /// Saves the lines of the lists so far, so that they are not lost if the run is killed. Returns whether no list has
    /// failed.
    pub(crate) fn keep_lists(&mut self, durable: bool) -> bool {
        self.with_lists("its lines cannot be kept in the destination's .hashmill", |list| list.keep(durable));
        !self.list_failed
    }

    /// Does something with every list. One that fails is given up: one warning is enough, and a pipe whose reader is
    /// gone stays broken.
    fn with_lists(&mut self, otherwise: &str, mut work: impl FnMut(&mut List) -> io::Result<()>) {
        for mut list in std::mem::take(&mut self.lists) {
            match work(&mut list) {
                Ok(()) => self.lists.push(list),
                Err(e) => {
                    self.summary.record_failed = true;
                    self.list_failed = true;
                    self.warn(&list.shown, format!("{otherwise}: {}", plain(&e)));
                }
            }
        }
    }

    /// Notes what a copy could not keep of its source.
    pub(crate) fn note_lost(&mut self, target: &Path, lost: Lost) {
        for kind in lost {
            self.lost.entry(kind).or_insert_with(|| (0, target.into())).0 += 1;
        }
    }

    /// Reports what copies could not keep, once for each kind.
    pub(crate) fn tell_lost(&mut self) {
        for (kind, (count, first)) in std::mem::take(&mut self.lost) {
            let more = match count {
                1 => String::new(),
                n => format!(" (and those of {} more)", n - 1),
            };
            self.warn(&first, format!("{kind} could not be kept{more}"));
        }
    }
}
