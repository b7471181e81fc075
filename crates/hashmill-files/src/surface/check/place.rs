//! Where the files are that a list names.

use super::CheckOptions;
use crate::base::error::Error;
use crate::read::input::{Below, Input};
use hashmill_lists::{Entry, Note, os_string};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Finds files by their names in a list.
#[derive(Debug)]
pub struct Places {
    base: Option<PathBuf>,
    /// The folder that no name may lead out of.
    below: Option<Arc<Below>>,
    as_is: Option<&'static str>,
    seen: Vec<Note>,
    told: usize,
}

impl Places {
    /// Returns the places of names that are relative to [`CheckOptions::base`].
    pub fn new(options: &CheckOptions) -> Self {
        let base = options.base.clone();
        let below = if options.allow_outside { None } else { Some(Arc::new(Below::new(base.clone()))) };
        Places { base, below, as_is: options.as_is, seen: Vec::new(), told: 0 }
    }

    /// Returns what has been found out about the names since this was last asked, each only once.
    pub fn notes(&mut self) -> Vec<Note> {
        let new = self.seen[self.told..].to_vec();
        self.told = self.seen.len();
        new
    }

    fn note(&mut self, note: Note) {
        if !self.seen.contains(&note) {
            self.seen.push(note);
        }
    }

    /// Returns the file that an entry is about.
    ///
    /// # Errors
    /// Returns [`Error::Outside`] if the name leads out of the base folder, unless that is allowed, and
    /// [`Error::BadName`] if it cannot be a name on this system.
    pub fn of(&mut self, entry: &Entry) -> Result<Input, Error> {
        let input = self.input(&entry.name);
        if let (None, Some(literal)) = (self.as_is, &entry.literal) {
            let exists = |input: &Input| input.name().symlink_metadata().is_ok();
            if !input.as_ref().is_ok_and(exists)
                && let Ok(other) = self.input(literal)
                && exists(&other)
            {
                return Ok(other);
            }
        }
        input
    }

    /// Returns the file with this name.
    fn input(&mut self, name: &[u8]) -> Result<Input, Error> {
        let Some(text) = os_string(name.to_vec()) else { return Err(Error::BadName) };
        if let Some(stdin) = self.as_is {
            return Ok(if text == stdin { Input::Stdin } else { Input::Path(text.into()) });
        }
        if text == "-" {
            return Ok(Input::Stdin);
        }
        let path = self.mapped(text);
        let Some(below) = self.below.clone() else { return Ok(Input::Path(self.joined(path))) };
        if !stays(&path, &below) {
            return Err(Error::Outside);
        }
        Ok(Input::Below(below, self.joined(path)))
    }

    fn joined(&self, path: PathBuf) -> PathBuf {
        match &self.base {
            Some(base) => base.join(path),
            None => path,
        }
    }

    /// Returns the path that a name means. A name with backslashes is one from Windows unless there is a file whose
    /// name has them, and of one with a drive or a server counts as much of its end as is found here.
    fn mapped(&mut self, name: OsString) -> PathBuf {
        let bytes = name.as_encoded_bytes();
        let has_drive = matches!(bytes, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
        let has_server = bytes.starts_with(br"\\");
        if !has_drive && (cfg!(windows) || !bytes.contains(&b'\\')) {
            return name.into();
        }
        let exists = |places: &Self, path: &Path| places.joined(path.to_owned()).symlink_metadata().is_ok();
        if !cfg!(windows) && exists(self, Path::new(&name)) {
            return name.into();
        }
        let Some(text) = name.to_str() else { return name.into() };
        let slashes = text.replace('\\', "/");
        if !has_drive && !has_server {
            self.note(Note::Backslashes);
            return slashes.into();
        }
        self.note(Note::Drives);
        let parts: Vec<&str> = slashes.split('/').filter(|p| !p.is_empty()).skip(usize::from(has_drive)).collect();
        let ends = (0..parts.len()).map(|from| PathBuf::from(parts[from..].join("/")));
        let mut last = PathBuf::from(name);
        for end in ends {
            if exists(self, &end) {
                return end;
            }
            last = end;
        }
        last
    }
}

/// Returns whether a path stays below a folder as far as its text tells: links are examined when it is opened.
fn stays(path: &Path, below: &Below) -> bool {
    let is_absolute = matches!(path.components().next(), Some(Component::RootDir | Component::Prefix(_)));
    let Some(path) = (if is_absolute { below.below(path) } else { Some(path) }) else { return false };
    let mut depth = 0;
    for component in path.components() {
        match component {
            Component::Normal(_) => depth += 1,
            Component::ParentDir if depth == 0 => return false,
            Component::ParentDir => depth -= 1,
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_below() {
        let below = Below::new(None);
        let here = std::env::current_dir().unwrap();
        for (path, want) in [
            ("a", true),
            ("./a/b", true),
            ("a/../b", true),
            ("..", false),
            ("../a", false),
            ("a/../../b", false),
            ("./../a", false),
            ("/etc/hosts", false),
            ("..a/b..", true),
        ] {
            assert_eq!(stays(Path::new(path), &below), want, "{path}");
        }
        assert!(stays(&here.join("a"), &below));
        assert!(stays(&here.join("a/../b"), &below));
        assert!(!stays(&here.join("a/../../b"), &below));
        assert!(!stays(&here.join("../a"), &below));
        assert!(!stays(here.parent().unwrap(), &below));
    }
}
