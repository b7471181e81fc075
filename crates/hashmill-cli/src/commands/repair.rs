//! `hashmill audit --repair`: verified copies in the place of damaged files.

use crate::commands::changes::{Changes, text};
use crate::terminal::output::{Lines, shown};
use hashmill::Algorithm;
use hashmill_copy::{Repair, repair};
use hashmill_files::ours::list_in;
use hashmill_files::{Error, Io, Key, Progress};
use hashmill_trees::{Class, CopiesOptions, FileChange, Wanted, copies};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files that an audit has found damaged.
pub(crate) struct Damage {
    /// Where copies of them may be.
    from: PathBuf,
    /// The folder that is compared, and what the names of its files are relative to.
    folder: PathBuf,
    base: Option<PathBuf>,
    files: Vec<(Vec<u8>, Wanted)>,
}

/// How copies are looked for and made.
pub(crate) struct How<'a> {
    pub(crate) key: Option<&'a Key>,
    pub(crate) threads: Option<NonZeroUsize>,
    pub(crate) io: Io,
}

impl Damage {
    pub(crate) fn new(from: &Path) -> Result<Self, String> {
        match from.metadata() {
            Ok(m) if m.is_dir() => {}
            Ok(_) => return Err(format!("{}: is not a folder, which --repair needs", shown(from.as_os_str()))),
            Err(e) => return Err(format!("{}: {}", shown(from.as_os_str()), hashmill_files::plain(&e))),
        }
        Ok(Damage { from: from.into(), folder: PathBuf::new(), base: None, files: Vec::new() })
    }

    /// Takes the folder that is compared, and what the names of its files are relative to.
    pub(crate) fn begin(&mut self, folder: &Path, base: Option<&Path>) {
        // A part of an archive is repaired as part of the whole.
        let whole = base.filter(|base| list_in(base).is_file());
        (self.folder, self.base) = (whole.unwrap_or(folder).into(), base.map(Path::to_path_buf));
    }

    fn path(&self, name: &[u8]) -> PathBuf {
        let name = PathBuf::from(text(name));
        self.base.as_ref().map_or(name.clone(), |base| base.join(&name))
    }

    /// Takes what became of a file.
    pub(crate) fn note(&mut self, file: &FileChange<'_>) {
        let Some(before) = file.before else { return };
        let now = file.now.unwrap_or_default();
        let wanted = |size, modified| Wanted { size, stated: before.stated.to_vec(), modified };
        let wanted = match file.class {
            Class::Rotten => now.size.or(before.size).map(|size| wanted(size, None)),
            // Whether somebody has written to it is not known. If its copy has the same length and time, nobody has.
            Class::Differs => now.size.zip(now.modified).map(|(size, time)| wanted(size, Some(time))),
            Class::Unreadable if file.error.is_some_and(is_of_medium) => {
                let length = || self.path(file.name).metadata().ok().map(|m| m.len());
                before.size.or_else(length).map(|size| wanted(size, None))
            }
            _ => None,
        };
        self.files.extend(wanted.map(|wanted| (file.name.to_vec(), wanted)));
    }

    /// Repairs what can be repaired, and prints that. Returns how many files were.
    pub(crate) fn repair(
        self,
        how: &How<'_>,
        changes: &Changes,
        progress: &Arc<Progress>,
        out: &mut Lines<'_>,
        say: &dyn Fn(&str),
    ) -> u64 {
        if self.files.is_empty() {
            // A run that was killed may have left something temporary after its last repair.
            if hashmill_copy::is_unfinished(&self.folder) {
                let _ = repair(&self.folder, &[], how.threads, progress, &mut |_, _| {});
            }
            return 0;
        }
        let Some(algorithm) = Algorithm::named("blake3") else { return 0 };
        let wanted: Vec<Wanted> = self.files.iter().map(|(_, wanted)| wanted.clone()).collect();
        let options = CopiesOptions { algorithm, key: how.key.cloned(), threads: how.threads, io: how.io };
        let found = copies(&self.from, &wanted, &options, progress, |path, e| {
            say(&format!("{}: {e}", shown(path.as_os_str())));
        });
        let found = match found {
            Ok(found) => found,
            Err(e) => {
                say(&e.to_string());
                return 0;
            }
        };
        let (mut names, mut repairs) = (Vec::new(), Vec::new());
        for ((name, wanted), copy) in self.files.iter().zip(found) {
            match (copy, self.path(name).strip_prefix(&self.folder)) {
                (Some(copy), Ok(below)) => {
                    names.push(name);
                    repairs.push(Repair { below: below.into(), from: copy.path, blake3: copy.digest });
                }
                _ => {
                    let of = if wanted.modified.is_some() { "of the same length and time " } else { "" };
                    let from = shown(self.from.as_os_str());
                    say(&format!("{}: not repaired: there is no copy {of}in {from}", shown(&text(name))));
                }
            }
        }
        let mut count = 0;
        let end = repair(&self.folder, &repairs, how.threads, progress, &mut |i, result| match result {
            Ok(kept) => {
                count += 1;
                changes.repaired(names[i], &repairs[i].from, kept.as_deref(), out);
            }
            Err(cause) => say(&format!("{}: not repaired: {cause}", shown(&text(names[i])))),
        });
        out.flush();
        if let Err(e) = end {
            say(&format!("nothing more was repaired: {e}"));
        }
        count
    }
}

/// Returns whether an error says that a medium is damaged, and not that something is forbidden or missing.
fn is_of_medium(e: &Error) -> bool {
    /// Input/output error, bad message (a checksum of the file system is wrong), and structure needs cleaning.
    const CODES: [i32; 3] = [5, 74, 117];
    matches!(e, Error::Io(e) if e.raw_os_error().is_some_and(|code| CODES.contains(&code)))
}
