//! Walks the sources and processes what they contain, batch by batch.

use crate::fs::meta::{Identity, Meta};
use crate::model::event::{Action, FileEvent, Problem, Verified};
use crate::record::manifest::List;
use crate::run::state::Run;
use crate::sources::dates;
use crate::sources::gather::{self, Found, Item, Wanted};
use crate::transfer::reading::Way;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Least number of files in a batch that two runs share, unless memory is scarce.
const FEWEST: usize = 512;

/// Memory that a file takes while it is in a batch, in bytes.
const PER_FILE: u64 = 4 << 10;

impl Run<'_, '_, '_> {
    pub(crate) fn all(&mut self, inside: Option<Identity>) {
        if self.options.dedupe {
            self.list_destination();
        }
        for (folder, name) in self.report.lists.iter().filter_map(List::lies_in) {
            if let Ok(meta) = Meta::at(folder, Path::new(name)) {
                self.engine.shared.made().add(meta.identity(), Path::new(name));
            }
        }
        let mut most = (self.options.memory / PER_FILE).clamp(16, 4096) as usize;
        if self.engine.pairing.is_some() {
            // All files of a batch are best offered to the other run before any has to be complete; but every batch
            // takes its time.
            most = most.min(self.engine.shared.most_copies().max(FEWEST));
        }
        let options = self.options;
        let wanted = Wanted {
            select: &options.select,
            filter: &options.filter,
            together: options.layout.is_some(),
            leaves_out: options.leaves_out(),
            inside,
        };
        let mut files = 0;
        if wanted.together && !dates::clock_is_set() {
            let cause = "this computer's clock is not set, so dates in the future cannot be recognized";
            self.report.warn(&options.destination, cause.into());
        }
        let mut batch: Vec<Vec<Found>> = Vec::new();
        for source in &options.sources {
            let mut sink = |item: Item| {
                match item {
                    Item::Group(g) => {
                        files += g.len();
                        batch.push(g);
                        if files >= most {
                            files = 0;
                            self.batch(std::mem::take(&mut batch));
                        }
                    }
                    Item::Directory(f) => self.folder(f),
                    Item::Link(f) => self.link(&f),
                    Item::LeftOut(n) => self.report.summary.left_out += n,
                    Item::Problem { path, cause, skipped } => self.problem(&path, cause, skipped),
                }
                self.goes_on()
            };
            gather::walk(source, &wanted, &mut sink);
        }
        self.progress.complete();
        if !batch.is_empty() && self.goes_on() {
            self.batch(batch);
        }
        self.finish_folders();
        self.sum_up_shortage();
        self.report.tell_lost();
        self.report.summary.verified = self.ways();
    }

    /// Returns whether more work should be started.
    pub(crate) fn goes_on(&mut self) -> bool {
        !self.is_interrupted() && self.broken.is_none()
    }

    /// Returns whether the run was asked to stop. If it was, the run is marked as broken, since the rest will not be
    /// done.
    pub(crate) fn is_interrupted(&mut self) -> bool {
        let stopped = self.progress.is_stopped();
        if stopped {
            self.broken.get_or_insert_with(|| "interrupted".into());
        }
        stopped
    }

    /// Returns how files were read back, by file system.
    pub(crate) fn ways(&self) -> Vec<Verified> {
        let mut all: BTreeMap<String, Verified> = BTreeMap::new();
        for ((device, way), count) in self.engine.shared.ways.all() {
            let name = file_system_name(device);
            let entry =
                all.entry(name.clone()).or_insert_with(|| Verified { file_system: name, ..Verified::default() });
            match way {
                Way::Direct => entry.direct += count,
                Way::Dropped => entry.dropped += count,
                Way::Cache => entry.cached += count,
            }
        }
        all.into_values().collect()
    }

    pub(crate) fn problem(&mut self, path: &Path, cause: String, skipped: bool) {
        let mut event = FileEvent::new(if skipped { Action::Skipped } else { Action::Failed }, path);
        event.cause = Some(cause);
        self.report.tell(event);
        if !skipped {
            self.report.add(Problem::Unreadable);
        }
    }
}

/// Returns the name of the file system on a device, such as `ext4`.
fn file_system_name(device: u64) -> String {
    let wanted = format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
    let of_line = |line: &str| {
        let (mount, kind) = line.split_once(" - ")?;
        (mount.split(' ').nth(2)? == wanted).then(|| kind.split(' ').next().unwrap_or_default().to_string())
    };
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    // Every Btrfs subvolume has a device number of its own, which is not in this table.
    table.lines().find_map(of_line).unwrap_or_else(|| "file system unknown".into())
}
