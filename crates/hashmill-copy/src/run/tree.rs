//! Folders and symbolic links of a tree.

use crate::fs::beneath::above;
use crate::fs::meta::Meta;
use crate::fs::place::dress;
use crate::model::event::{Action, FileEvent, Problem};
use crate::model::layout::numbered;
use crate::model::options::OnConflict;
use crate::run::state::Run;
use crate::sources::gather::Found;
use crate::transfer::plan::MOST_NAMES;
use hashmill_files::plain;
use rustix::fs::{Mode, OFlags};
use std::collections::HashSet;
use std::io;
use std::path::Path;

impl Run<'_, '_, '_> {
    /// Makes a folder of a tree in the destination, except in a dry run.
    pub(crate) fn folder(&mut self, f: Found) {
        if !self.options.dry_run
            && let Err((path, e)) = self.engine.shared.make_folder(&f.below)
        {
            self.report.add(Problem::Unwritable);
            let mut event = FileEvent::new(Action::Failed, &f.source.path);
            event.cause = Some(format!("{}: {}", path.display(), plain(&e)));
            self.report.tell(event);
            return;
        }
        if !self.options.dry_run {
            self.open_up(&f.below);
        }
        self.settling.folders.push(f);
    }

    /// Makes a folder that we own writable if an earlier run or its owner has made it read-only. It gets its source's
    /// mode at the end.
    pub(crate) fn open_up(&self, below: &Path) {
        let Ok(folder) = self.root.folder(below) else { return };
        let Ok(meta) = Meta::of(&folder) else { return };
        let closed = meta.mode & 0o300 != 0o300 && meta.uid == rustix::process::geteuid().as_raw();
        if closed && !rustix::process::geteuid().is_root() {
            // If that fails, the files that go there report it.
            let _ = rustix::fs::fchmod(&folder, Mode::from_raw_mode(meta.mode & 0o7777 | 0o700));
        }
    }

    /// Gives folders the attributes, owner, mode and times of their sources, inner folders first.
    pub(crate) fn finish_folders(&mut self) {
        if self.options.dry_run {
            return;
        }
        for f in std::mem::take(&mut self.settling.folders).into_iter().rev() {
            let dressed = f.source.open(OFlags::DIRECTORY).and_then(|source| {
                let meta = Meta::of(&source)?;
                let copy = self.root.folder(&f.below)?;
                dress(&copy, &source, &meta)
            });
            let target = self.root.shown(&f.below);
            match dressed {
                Ok(lost) => self.report.note_lost(&target, lost),
                Err(e) => {
                    self.report.warn(&target, format!("its owner, mode and times could not be kept: {}", plain(&e)))
                }
            }
        }
        self.sync_folders(HashSet::new());
    }

    /// Copies a symbolic link of a tree as a link.
    pub(crate) fn link(&mut self, f: &Found) {
        let failed = |run: &mut Self, action, cause: String| {
            let mut event = FileEvent::new(action, &f.source.path);
            event.cause = Some(cause);
            run.report.tell(event);
        };
        let to = match f.source.root.as_ref().map(|root| root.read_link(&f.source.below)) {
            Some(Ok(to)) => to,
            Some(Err(e)) => {
                self.report.add(Problem::Unreadable);
                return failed(self, Action::Failed, plain(&e));
            }
            None => return,
        };
        for n in 0..MOST_NAMES {
            let below = numbered(&f.below, &f.extension, n, self.longest_name);
            let target = self.root.shown(&below);
            let done = if self.options.dry_run {
                match self.root.look(&below) {
                    Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                    Err(_) => Ok(()),
                }
            } else {
                let made = self.engine.shared.make_folder(above(&below)).map_err(|(_, e)| e);
                made.and_then(|folder| {
                    let name = below.file_name().unwrap_or_default();
                    Ok(rustix::fs::symlinkat(&to, &folder, name)?)
                })
            };
            let told = |action| {
                let mut event = FileEvent::new(action, &f.source.path);
                event.destination = Some(target.clone());
                event
            };
            match done {
                Ok(()) => {
                    if !self.options.dry_run {
                        self.engine.shared.fresh(above(&below));
                    }
                    return self.report.tell(told(Action::Linked));
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                    if self.root.read_link(&below).is_ok_and(|there| there == to) {
                        return self.report.tell(told(Action::Same));
                    }
                    let cause = format!("{} exists with other content", target.display());
                    match self.options.on_conflict {
                        OnConflict::Rename | OnConflict::Repair => {}
                        OnConflict::Skip => return failed(self, Action::Conflict, cause),
                        OnConflict::Fail => {
                            self.report.add(Problem::Conflict);
                            return failed(self, Action::Failed, cause);
                        }
                    }
                }
                Err(e) => {
                    self.report.add(Problem::Unwritable);
                    return failed(self, Action::Failed, format!("{}: {}", target.display(), plain(&e)));
                }
            }
        }
    }
}
