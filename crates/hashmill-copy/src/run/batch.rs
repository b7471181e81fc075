//! Processes one batch of files until each of them is settled.

use crate::api::event::{Action, Problem};
use crate::api::options::Verify;
use crate::api::taken::Taken;
use crate::decide::failure::{Failure, Sequel, sequel};
use crate::fs::meta::Meta;
use crate::record::catalogue::Catalogue;
use crate::run::state::{Member, Run, State};
use crate::sources::dates;
use crate::sources::gather::Found;
use crate::transfer::plan::{Naming, Plan};
use crate::transfer::reading::Known;
use crate::transfer::shared::{Asked, News};
use rustix::fs::OFlags;
use std::ops::Range;
use std::sync::Arc;

/// Number of copies that are made durable and recorded together.
const SETTLE: usize = 256;

impl Run<'_, '_, '_> {
    /// Processes files until each of them is settled or the run ends early.
    pub(crate) fn batch(&mut self, groups: Vec<Vec<Found>>) {
        let taken = self.dates(&groups);
        self.batch.members.clear();
        self.batch.groups.clear();
        self.batch.claims.clear();
        self.known.files.clear();
        self.known.unstable.clear();
        for (group, taken) in groups.into_iter().zip(taken) {
            let first = self.batch.members.len();
            for f in group {
                self.progress.found(0);
                let id = self.batch.first + self.batch.members.len() as u64;
                self.batch.members.push(Member {
                    plan: self.plan(id, f, taken.clone()),
                    state: State::Open,
                    digests: None,
                    stamp: None,
                    read: false,
                    keep: false,
                });
            }
            self.batch.groups.push(first..self.batch.members.len());
        }
        if self.options.dedupe {
            self.duplicates.begin_batch(self.batch.members.iter().map(|m| m.plan.size));
        }
        // Works in waves: whatever can be decided is started, and whatever depends on digests waits for them.
        let mut open: Vec<Range<usize>> = self.batch.groups.clone();
        while !open.is_empty() && self.goes_on() {
            // Otherwise every look-up would lock the catalogue by itself.
            self.known.catalogue.iter().for_each(Catalogue::begin_reading);
            self.batch.reserved.clear();
            self.duplicates.begin_wave();
            open.retain(|g| !self.resolve(g));
            self.known.catalogue.iter().for_each(Catalogue::end_reading);
            self.mend_catalogue();
            while self.batch.on_the_way > 0 || !self.known.requested.is_empty() {
                // This fails only once the threads are gone, and they report everything before that.
                let Ok(news) = self.news.recv() else { break };
                self.hear(news);
                if self.settling.placed.len() >= SETTLE {
                    self.settle();
                }
            }
            self.settle();
        }
        let learned = std::mem::take(&mut self.known.learned);
        self.put(&learned);
        self.report.keep_list(false);
        self.batch.first += self.batch.members.len() as u64;
        if let Some(journal) = &self.engine.shared.journal {
            journal.reset();
        }
    }

    /// Returns when the pictures of each group were taken, or `None` for each if there is no layout.
    pub(crate) fn dates(&mut self, groups: &[Vec<Found>]) -> Vec<Option<Arc<Taken>>> {
        if self.options.layout.is_none() {
            return vec![None; groups.len()];
        }
        let open = |f: &Found| f.source.open(OFlags::empty());
        let dated = dates::all(groups, self.options.threads(), self.options.memory, open);
        let mut all = Vec::new();
        for (group, dated) in groups.iter().zip(dated) {
            for i in dated.beyond {
                self.report.warn(&group[i].source.path, dates::beyond_cause(dated.taken.origin));
            }
            all.push(Some(dated.taken));
        }
        all
    }

    pub(crate) fn plan(&self, id: u64, f: Found, taken: Option<Arc<Taken>>) -> Plan {
        let layout = self.options.layout.clone().map(Arc::new);
        let naming = Naming {
            layout,
            taken,
            name: f.name().into(),
            extension: f.extension,
            below: f.below,
            digest: String::new(),
        };
        let (source, size, meta) = (f.source, f.meta.size, f.meta);
        Plan { id, source, size, meta, root: Arc::clone(&self.root), naming, number: 0, replace: None }
    }

    pub(crate) fn send(&mut self, i: usize, attempt: u32) {
        let plan = self.batch.members[i].plan.clone();
        let again = match self.options.verify {
            Verify::None | Verify::Hash => 0,
            Verify::Reread => 1,
            Verify::Source => 2,
        };
        self.progress.more(plan.size * (1 + again));
        self.batch.on_the_way += 1;
        self.engine.copy(plan, attempt);
    }

    pub(crate) fn hear(&mut self, news: News) {
        match news {
            News::Known { what, result } => {
                self.known.requested.remove(&what);
                // It failed because the run was interrupted, which is reported once, at the end.
                if result.is_err() && self.is_interrupted() {
                    return;
                }
                if let Err(Failure::Broken(cause)) = &result {
                    self.broken.get_or_insert_with(|| cause.clone());
                }
                match what {
                    Asked::File(path) => {
                        self.known.files.insert(path, result.map_err(|e| e.to_string()));
                    }
                    Asked::Earlier(size) => {
                        let digest = result.as_ref().ok().map(|known| &known.digests[self.known.identifying]);
                        self.duplicates.planned_was_read(size, digest);
                    }
                    Asked::Source(id) => self.source_known((id - self.batch.first) as usize, result),
                }
            }
            News::Copy { plan, attempt, result } => {
                self.batch.on_the_way -= 1;
                let i = (plan.id - self.batch.first) as usize;
                match result {
                    Ok(copied) => {
                        self.batch.members[i].digests = Some(copied.digests.clone());
                        self.batch.members[i].stamp = Some(copied.source);
                        self.settling.placed.push((i, copied));
                    }
                    Err(failure) => self.failed(i, attempt, &failure),
                }
            }
        }
    }

    pub(crate) fn source_known(&mut self, i: usize, result: Result<Known, Failure>) {
        let m = &mut self.batch.members[i];
        match result {
            Ok(known) => {
                // Everything decided so far was about a file of the planned length.
                if known.stamp.size != m.plan.size {
                    return self.source_known(i, Err(Failure::Changed));
                }
                m.digests = Some(known.digests);
                m.stamp = Some(known.stamp);
                m.read = true;
            }
            Err(e) => {
                // In a dry run, the file may already have claimed its name.
                self.batch.claims.retain(|_, &mut o| o != i);
                if self.batch.members[i].state == State::Open {
                    self.report.add(Problem::Unreadable);
                    self.settled(i, Action::Failed, None, Some(e.to_string()));
                }
            }
        }
    }

    pub(crate) fn failed(&mut self, i: usize, attempt: u32, failure: &Failure) {
        if !matches!(failure, Failure::Broken(_)) && self.is_interrupted() {
            self.batch.members[i].state = State::Settled;
            return;
        }
        let source = self.batch.members[i].plan.source.clone();
        let sequel = sequel(failure, attempt, self.options.on_conflict);
        if sequel == Sequel::Repeat {
            self.report.warn(&source.path, format!("{failure}; copying it again"));
            self.report.summary.repeated += 1;
            if let Ok(meta) = source.open(OFlags::empty()).and_then(Meta::of) {
                let m = &mut self.batch.members[i];
                m.plan.size = meta.size;
                m.plan.meta = meta;
                (m.digests, m.stamp) = (None, None);
            }
            return self.send(i, attempt + 1);
        }
        if let Failure::Broken(cause) = failure {
            self.broken.get_or_insert_with(|| cause.clone());
        }
        self.batch.claims.retain(|_, &mut o| o != i);
        let action = match sequel {
            Sequel::LeaveAlone => Action::Conflict,
            Sequel::Fail(problem) => {
                self.report.add(problem);
                Action::Failed
            }
            Sequel::Repeat => return,
        };
        self.settled(i, action, None, Some(failure.to_string()));
    }
}
