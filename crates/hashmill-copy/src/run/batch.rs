//! Processes one batch of files until each of them is settled.

use crate::decide::failure::{Failure, Sequel, sequel};
use crate::fs::meta::Meta;
use crate::model::event::{Action, Problem};
use crate::model::options::{NoDate, Verify};
use crate::model::taken::{Origin, Taken};
use crate::record::catalogue::Catalogue;
use crate::run::state::{Member, Run, State};
use crate::sources::dates::exiftool::Exiftool;
use crate::sources::dates::{self, How};
use crate::sources::gather::Found;
use crate::sources::siblings::{self, Dated};
use crate::transfer::pairing::Pairing;
use crate::transfer::plan::{Naming, Plan};
use crate::transfer::reading::Known;
use crate::transfer::shared::{Asked, News};
use rustix::fs::OFlags;
use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// Number of copies that are made durable and recorded together.
const SETTLE: usize = 1024;

impl Run<'_, '_, '_> {
    /// Processes files until each of them is settled or the run ends early.
    pub(crate) fn batch(&mut self, groups: Vec<Vec<Found>>) {
        self.engine.pairing.iter().for_each(Pairing::next_batch);
        let dated = self.dated(groups);
        self.batch.members.clear();
        self.batch.groups.clear();
        self.batch.claims.clear();
        self.known.files.clear();
        self.known.unstable.clear();
        for (files, taken) in dated {
            let plans: Vec<Plan> = files.into_iter().map(|f| self.plan(f, taken.clone())).collect();
            for plans in with_different_names(plans) {
                let first = self.batch.members.len();
                for mut plan in plans {
                    self.progress.found(0);
                    plan.id = self.batch.first + self.batch.members.len() as u64;
                    self.batch.members.push(Member {
                        plan,
                        state: State::Open,
                        digests: None,
                        stamp: None,
                        there: None,
                        read: false,
                        keep: false,
                    });
                }
                self.batch.groups.push(first..self.batch.members.len());
            }
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
            loop {
                while self.batch.on_the_way > 0 || !self.known.requested.is_empty() {
                    // This fails only once the threads are gone, and they report everything before that.
                    let news = self.news.try_recv().or_else(|_| self.engine.wait(|| self.news.recv()));
                    let Ok(news) = news else { break };
                    self.hear(news);
                    if self.settling.placed.len() >= SETTLE {
                        self.settle();
                    }
                }
                self.settle();
                if !self.try_refused_again() {
                    break;
                }
            }
        }
        let learned = std::mem::take(&mut self.known.learned);
        self.put(&learned);
        self.report.keep_lists(false);
        self.batch.first += self.batch.members.len() as u64;
        if let Some(journal) = &self.engine.shared.journal {
            journal.reset();
        }
    }

    /// Splits groups of files with one name into those that belong together, with the date on which they were taken, or
    /// none if there is no layout. Files without a date are reported here if they are not to be copied.
    fn dated(&mut self, groups: Vec<Vec<Found>>) -> Vec<(Vec<Found>, Option<Arc<Taken>>)> {
        if self.options.layout.is_none() {
            return groups.into_iter().map(|group| (group, None)).collect();
        }
        let open = |f: &Found| f.source.open(OFlags::empty());
        let (threads, memory, film_time) = (self.options.threads(), self.options.memory, self.options.film_time);
        let how = How { threads, memory, film_time, exiftool: self.exiftool.as_mut() };
        let insides = dates::all(&groups, how, open);
        if let Some(exiftool) = &self.exiftool {
            let unasked = |f: &&Found| dates::may_say(f) && Exiftool::asks_for(&f.source.path).is_none();
            for f in groups.iter().flatten().filter(unasked) {
                let cause = "its name cannot be passed to exiftool, so hashmill has read its date";
                self.report.warn(&f.source.path, cause.into());
            }
            if let Some(cause) = exiftool.broken() {
                let cause = format!("exiftool failed ({cause}), so hashmill reads the dates of the other files");
                self.report.warn(&self.options.destination, cause);
                self.exiftool = None;
            }
        }
        let mut all = Vec::new();
        for (group, insides) in groups.into_iter().zip(insides) {
            for Dated { files, mut taken, beyond } in siblings::split(group, insides) {
                for i in beyond {
                    self.report.warn(&files[i].source.path, dates::beyond_cause(taken.origin));
                }
                if self.options.needs_dates() && taken.origin.is_of_file() {
                    if self.options.no_date == NoDate::Skip {
                        files.iter().for_each(|f| self.skip_undated(f));
                        continue;
                    }
                    if taken.origin == Origin::Unknown {
                        let cause = "its modification time is not in the years 1 to 9999, so it has no date";
                        self.report.warn(&files[0].source.path, cause.into());
                    }
                    if self.options.no_date == NoDate::Unknown {
                        taken = Taken { local: None, offset: None, origin: Origin::Unknown, ..taken };
                    }
                }
                all.push((files, Some(Arc::new(taken))));
            }
        }
        all
    }

    fn skip_undated(&mut self, f: &Found) {
        let cause = "skipped (no date in its metadata or its name; --no-date mtime or unknown copies it)";
        self.problem(&f.source.path, cause.into(), true);
    }

    /// Plans the copy of a file. It gets its number later.
    fn plan(&self, f: Found, taken: Option<Arc<Taken>>) -> Plan {
        let undated = taken.as_ref().is_some_and(|t| t.local.is_none());
        let layout = self.options.layout.as_ref().map(|l| if undated { l.without_date() } else { l.clone() });
        let made_up = self.made_up_length(&f);
        let naming = Naming {
            layout: layout.map(Arc::new),
            taken,
            name: f.name().into(),
            extension: f.extension,
            below: f.below,
            digest: String::new(),
            longest: self.longest_name,
        };
        let (source, meta, root) = (f.source, f.meta, Arc::clone(&self.root));
        let size = made_up.unwrap_or(meta.size);
        let space = if made_up.is_some() { 0 } else { self.space_of(&meta) };
        let made_up = made_up.is_some();
        Plan { id: 0, source, size, space, made_up, meta, root, naming, number: 0, replace: None, mends: None }
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
                self.batch.ended |= !matches!(result, Err(Failure::DoesNotFit { .. }));
                match result {
                    Ok(copied) => {
                        self.batch.members[i].plan.size = plan.size;
                        self.batch.members[i].digests = Some(copied.digests.clone());
                        self.batch.members[i].stamp = Some(copied.source);
                        self.settling.placed.push((i, copied));
                    }
                    Err(failure @ Failure::DoesNotFit { .. }) => self.batch.refused.push((i, attempt, failure)),
                    Err(failure) => self.failed(i, attempt, &failure),
                }
            }
        }
    }

    /// Tries the copies that did not fit again if others have ended since, which may have given back space: those that
    /// failed, and those that replaced a file. Otherwise they have failed. Returns whether any is on its way.
    fn try_refused_again(&mut self) -> bool {
        let refused = std::mem::take(&mut self.batch.refused);
        let again = std::mem::take(&mut self.batch.ended) && self.goes_on();
        for (i, attempt, failure) in refused {
            if again {
                self.batch.on_the_way += 1;
                self.engine.copy(self.batch.members[i].plan.clone(), attempt);
            } else {
                self.failed(i, attempt, &failure);
            }
        }
        self.batch.on_the_way > 0
    }

    pub(crate) fn source_known(&mut self, i: usize, result: Result<Known, Failure>) {
        let m = &mut self.batch.members[i];
        match result {
            Ok(known) => {
                // Everything decided so far was about a file of the planned length.
                if known.stamp.size != m.plan.meta.size {
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
                let space = self.space_of(&meta);
                let m = &mut self.batch.members[i];
                if !m.plan.made_up {
                    (m.plan.size, m.plan.space) = (meta.size, space);
                }
                m.plan.meta = meta;
                (m.digests, m.stamp) = (None, None);
            }
            return self.send(i, attempt + 1);
        }
        if let Failure::Broken(cause) = failure {
            self.broken.get_or_insert_with(|| cause.clone());
        }
        if matches!(failure, Failure::DoesNotFit { .. } | Failure::Full { .. }) {
            self.lacks_room(i);
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

/// Separates files that belong together but would get the same name, such as a picture and its edited version if the
/// layout names them by their time.
fn with_different_names(plans: Vec<Plan>) -> Vec<Vec<Plan>> {
    if plans.len() == 1 {
        return vec![plans];
    }
    let mut uses: HashMap<PathBuf, usize> = HashMap::new();
    let mut apart: Vec<Vec<Plan>> = Vec::new();
    for plan in plans {
        let uses = uses.entry(plan.naming.path(0)).or_default();
        match apart.get_mut(*uses) {
            Some(others) => others.push(plan),
            None => apart.push(vec![plan]),
        }
        *uses += 1;
    }
    apart
}
