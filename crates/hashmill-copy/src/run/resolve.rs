//! Decides for the files of a batch whether the destination already has them and which names they get.

use crate::decide::failure::Failure;
use crate::decide::names::{Comparison, Standing, Step, There, Verdict, claimed, compare, is_damaged, step, verdict};
use crate::fs::beneath::not_through_links;
use crate::fs::meta::{Meta, Stamp};
use crate::model::event::{Action, Problem};
use crate::model::options::OnConflict;
use crate::run::state::{Run, State};
use crate::transfer::plan::MOST_NAMES;
use crate::transfer::reading::Known;
use hashmill_files::plain;
use std::ops::Range;
use std::path::{Path, PathBuf};

impl Run<'_, '_, '_> {
    /// Decides about the files of a group that are still open. Returns false if that has to wait.
    pub(crate) fn resolve(&mut self, group: &Range<usize>) -> bool {
        let members: Vec<usize> = group.clone().filter(|&i| self.batch.members[i].state == State::Open).collect();
        let Some(&main) = members.first() else { return true };
        if self.options.layout.as_ref().is_some_and(|l| l.needs_digest())
            && self.batch.members[main].plan.naming.digest.is_empty()
        {
            let Some(digests) = self.source_digests(main) else { return false };
            let text = digests[0].to_string();
            members.iter().for_each(|&i| self.batch.members[i].plan.naming.digest.clone_from(&text));
        }
        if self.options.dedupe {
            // A sidecar may be identical to that of another picture, so a group is skipped only if all of it is there.
            // All files are looked up before any of them has to wait.
            let found: Vec<Option<Option<PathBuf>>> = members.iter().map(|&i| self.duplicate(i)).collect();
            let Some(found) = found.into_iter().collect::<Option<Vec<Option<PathBuf>>>>() else { return false };
            if found.iter().all(Option::is_some) {
                for (&i, path) in members.iter().zip(found) {
                    let own = path.as_deref() == Some(&self.batch.members[i].plan.naming.path(0));
                    self.settled(i, if own { Action::Same } else { Action::Duplicate }, path, None);
                }
                return true;
            }
        }
        let policy = self.options.on_conflict;
        for n in 0..MOST_NAMES {
            let names: Vec<PathBuf> = members.iter().map(|&i| self.batch.members[i].plan.naming.path(n)).collect();
            let mut standings = Vec::new();
            for (&i, name) in members.iter().zip(&names) {
                standings.push(self.standing(i, name));
            }
            match verdict(&standings, policy) {
                Verdict::Wait => {
                    self.batch.reserved.extend(names);
                    return false;
                }
                Verdict::NextNames => continue,
                Verdict::Settle => {}
            }
            // A file that was found to be the same must still be so when it is claimed.
            let mut unstable = false;
            for (name, standing) in names.iter().zip(&standings) {
                if let Standing::Same(stamp) = *standing
                    && !self.claim(name, stamp)
                {
                    if self.look_again(name) {
                        self.batch.reserved.extend(names);
                        return false;
                    }
                    unstable = true;
                }
            }
            // A file that keeps changing is not the same.
            if unstable {
                continue;
            }
            for ((&i, name), standing) in members.iter().zip(names).zip(standings) {
                match step(standing, policy) {
                    Step::Keep => {
                        if let Standing::Same(there) = standing {
                            self.batch.members[i].there = there;
                        }
                        self.same(i, name)
                    }
                    Step::Refuse(action) => {
                        let cause = Failure::Conflict(self.root.shown(&name)).to_string();
                        if action == Action::Failed {
                            self.report.add(Problem::Conflict);
                        }
                        self.settled(i, action, Some(name), Some(cause));
                    }
                    Step::Copy(replace) => self.go(i, n, name, replace),
                }
            }
            return true;
        }
        for i in members {
            self.report.add(Problem::Conflict);
            self.settled(i, Action::Failed, None, Some(format!("{MOST_NAMES} names are taken")));
        }
        true
    }

    /// Starts a copy or, in a dry run, reports that it would be made.
    pub(crate) fn go(&mut self, i: usize, n: u32, name: PathBuf, replace: Option<Stamp>) {
        let m = &mut self.batch.members[i];
        m.plan.number = n;
        m.plan.replace = replace;
        self.batch.claims.insert(name.clone(), i);
        if self.options.dedupe {
            self.note_content(i, &name);
        }
        if !self.options.dry_run {
            self.batch.members[i].state = State::Copying;
            return self.send(i, 1);
        }
        match self.root.look(&name) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                self.report.add(Problem::Unwritable);
                let cause = format!("{}: {}", self.root.shown(&name).display(), plain(&not_through_links(e)));
                self.settled(i, Action::Failed, None, Some(cause));
            }
            there => {
                self.would_take_room(i, &name, there.ok().as_ref());
                self.settled(i, Action::Copied, Some(name), None);
            }
        }
    }

    /// Returns what is at a name that a file could get.
    fn standing(&mut self, i: usize, name: &Path) -> Standing {
        let size = self.batch.members[i].plan.size;
        if let Some(&other) = self.batch.claims.get(name) {
            if other == i {
                return Standing::Free;
            }
            let same_length = self.batch.members[other].plan.size == size;
            let same_digests = if same_length {
                // Both are requested before either is waited for.
                let (a, b) = (self.source_digests(i), self.source_digests(other));
                a.zip(b).map(|(a, b)| a == b)
            } else {
                None
            };
            return claimed(same_length, same_digests, self.batch.members[other].state == State::Copying);
        }
        // The checksum list will be there.
        if self.report.list_below.as_deref() == Some(name) {
            return Standing::OURS;
        }
        // An earlier file that is still waiting may get this name.
        if self.batch.reserved.contains(name) {
            return Standing::Unknown;
        }
        // If the name cannot be looked up, the attempt to write there will say why.
        let Ok(meta) = self.root.look(name) else { return Standing::Free };
        let ours = self.engine.shared.made().has(meta.identity(), name);
        let other = Standing::Other { ours, file: meta.is_file().then(|| meta.stamp()) };
        if meta.identity() == self.batch.members[i].plan.meta.identity() {
            return Standing::Same(None);
        }
        if !meta.is_file() || meta.size != size {
            return other;
        }
        let (there, here) = (self.file_digests(name, &meta), self.source_digests(i));
        let known = match &there {
            None => There::Unread,
            Some(Err(_)) => There::Unreadable,
            Some(Ok(known)) if !self.is_unchanged(&known.stamp, &meta) => There::Changed,
            Some(Ok(known)) => There::Digests(&known.digests),
        };
        match compare(known, here.as_deref()) {
            Comparison::Same => Standing::Same(there.and_then(Result::ok).map(|known| known.stamp)),
            Comparison::Different => {
                self.notice_damage(name, &meta, there.as_ref());
                other
            }
            Comparison::Unknown => Standing::Unknown,
            Comparison::LookAgain if self.look_again(name) => {
                let _ = self.file_digests(name, &meta);
                Standing::Unknown
            }
            Comparison::LookAgain => other,
        }
    }

    /// Reports a file of the destination that has other content than the source if it is damaged: if it cannot be read,
    /// or if its content is not what the list says, though its length and time are.
    fn notice_damage(&mut self, name: &Path, meta: &Meta, there: Option<&Result<Known, String>>) {
        // It is about to be replaced.
        if self.options.on_conflict == OnConflict::Repair || self.known.damaged.contains(name) {
            return;
        }
        let cause = match there {
            Some(Err(cause)) => format!("cannot be compared with the source: {cause}"),
            Some(Ok(known)) => {
                let Some(said) = self.report.lists.iter_mut().find_map(|list| list.said(name)) else { return };
                let digests = self.engine.shared.algorithms.iter().zip(&known.digests);
                if !is_damaged(&said, meta.size, meta.stamp().time(), digests) {
                    return;
                }
                "is damaged: it has lost the content that was copied there, while its length and its time are the \
                 same; --on-conflict repair replaces it, and so does hashmill audit --repair"
                    .into()
            }
            None => return,
        };
        self.known.damaged.insert(name.into());
        self.report.add(Problem::Damaged);
        let shown = self.root.shown(name);
        self.report.warn(&shown, cause);
    }

    /// Settles a file that the destination already has.
    pub(crate) fn same(&mut self, i: usize, name: PathBuf) {
        self.remember(i, &name);
        if let Some(Ok(known)) = self.known.files.get(&name) {
            let stamp = known.stamp;
            self.verify(stamp);
        }
        self.batch.claims.insert(name.clone(), i);
        self.settled(i, Action::Same, Some(name), None);
    }
}
