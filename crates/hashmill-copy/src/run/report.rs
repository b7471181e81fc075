//! What a run reports: to its caller, in the summary, and in the checksum list.

use crate::fs::place::Lost;
use crate::model::event::{Action, Event, FileEvent, Problem, Summary};
use crate::model::options::Options;
use crate::record::manifest::List;
use hashmill_files::plain;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where a run reports to.
pub(crate) struct Report<'a> {
    pub(crate) options: &'a Options,
    pub(crate) sink: &'a mut dyn FnMut(&Event<'_>),
    pub(crate) summary: Summary,
    pub(crate) list: Option<List>,
    /// Path of the list relative to the destination, if it lies there: no file may take that name.
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

    /// Adds a file to the list.
    pub(crate) fn take_down(&mut self, event: &FileEvent<'_>) {
        if let Some(Err(e)) = self.list.as_mut().map(|list| list.add(event)) {
            // One warning is enough: a pipe whose reader is gone stays broken.
            self.list = None;
            self.list_failed(&format!("cannot be written: {}", plain(&e)));
        }
    }

    /// Saves the lines of the list so far, so that they are not lost if the run is killed. Returns false if that fails.
    pub(crate) fn keep_list(&mut self, durable: bool) -> bool {
        let failed = match self.list.as_mut().map(|list| list.keep(durable)) {
            None | Some(Ok(())) => return true,
            Some(Err(e)) => e,
        };
        self.list_failed(&format!("its lines cannot be kept in the destination's .hashmill: {}", plain(&failed)));
        false
    }

    fn list_failed(&mut self, cause: &str) {
        self.summary.record_failed = true;
        let path = self.options.manifest.clone().unwrap_or_default();
        self.warn(&path, cause.into());
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
