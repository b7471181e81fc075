//! What the names in lists are relative to, and which folder they are about.

use crate::base::names::{below, climbs, common, normalized};
use std::path::{Path, PathBuf};

/// Number of names that are looked for to find out what they are relative to.
const SAMPLES: usize = 64;

/// Where the files are that lists name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Base {
    /// The folder that names are relative to, or `None` for the current one.
    pub(crate) folder: Option<PathBuf>,
    /// The folder, by its normalized name, that all names are in: the one that is audited. It is empty if that is the
    /// base folder itself.
    pub(crate) top: Vec<u8>,
}

impl Base {
    /// Returns the base of names if no folder is given: they are relative to `folder`, or all absolute, and about the
    /// innermost folder that has all folders with files.
    pub(crate) fn of_folders<'a>(folder: Option<PathBuf>, folders: impl Iterator<Item = &'a [u8]>) -> Base {
        let (mut relative, mut absolute) = (None, None);
        for name in folders.filter(|name| !climbs(name)) {
            let of = if name.starts_with(b"/") { &mut absolute } else { &mut relative };
            *of = Some(of.map_or(name, |above| common(above, name)));
        }
        Base { folder, top: relative.or(absolute).unwrap_or_default().to_vec() }
    }

    /// Returns whether the folder that is audited is below the one that names are relative to, wherever links lead.
    pub(crate) fn stays(&self) -> bool {
        let real = |path: &Path| path.canonicalize().ok();
        match (real(self.folder.as_deref().unwrap_or(Path::new("."))), real(&self.root())) {
            (Some(folder), Some(root)) => root.starts_with(folder),
            _ => true,
        }
    }

    /// Returns the base of names if a folder is given: they are relative to that or, if they begin with its own name as
    /// those do that `hashmill sum -r DIR` writes, to the folder that it is in. `names` are some of them, `otherwise`
    /// is what they would be relative to if none was given.
    pub(crate) fn of_folder(given: &Path, otherwise: Option<PathBuf>, names: &[Vec<u8>]) -> Base {
        let top = normalized(given.as_os_str().as_encoded_bytes());
        let sample = &names[..names.len().min(SAMPLES)];
        if sample.iter().all(|name| name.starts_with(b"/")) {
            // However the folder is spelled, by links or without them.
            let spelled = [std::path::absolute(given), given.canonicalize()].into_iter().flatten();
            for top in spelled.map(|path| normalized(path.as_os_str().as_encoded_bytes())) {
                if sample.iter().any(|name| below(name, &top).is_some()) {
                    return Base { folder: None, top };
                }
            }
        }
        let exists = |path: PathBuf| path.symlink_metadata().is_ok();
        let to_path = |name: &[u8]| hashmill_lists::os_string(name.to_vec()).map(PathBuf::from);
        let within = |name: &Vec<u8>| !top.is_empty() && below(name, &top).is_some();
        let as_named = |name: &Vec<u8>| {
            let path = to_path(name).map(|name| otherwise.as_ref().map_or(name.clone(), |base| base.join(name)));
            within(name) && path.is_some_and(exists)
        };
        let inside = |name: &Vec<u8>| to_path(name).is_some_and(|name| exists(given.join(name)));
        let (outer, inner) =
            (sample.iter().filter(|n| as_named(n)).count(), sample.iter().filter(|n| inside(n)).count());
        if outer > inner || outer == inner && !sample.is_empty() && sample.iter().all(within) {
            // With a base of its own, the given folder must be below that by its name.
            return Base { folder: otherwise, top };
        }
        Base { folder: Some(given.to_owned()), top: Vec::new() }
    }

    /// Returns the path of a name.
    pub(crate) fn path(&self, name: &[u8]) -> Option<PathBuf> {
        let name = hashmill_lists::os_string(name.to_vec())?;
        Some(self.folder.as_ref().map_or_else(|| PathBuf::from(&name), |folder| folder.join(&name)))
    }

    /// Returns the path of the folder that is audited.
    pub(crate) fn root(&self) -> PathBuf {
        match (&self.folder, self.top.is_empty()) {
            (None, true) => ".".into(),
            (Some(folder), true) => folder.clone(),
            _ => self.path(&self.top).unwrap_or_else(|| ".".into()),
        }
    }

    /// Returns the normalized name of a path that was found below the folder.
    pub(crate) fn name(&self, path: &Path) -> Vec<u8> {
        let relative = self.folder.as_ref().map_or(path, |folder| path.strip_prefix(folder).unwrap_or(path));
        normalized(relative.as_os_str().as_encoded_bytes())
    }

    /// Returns whether a name stays within the folder that is audited, as far as its text tells.
    pub(crate) fn has(&self, name: &[u8]) -> bool {
        below(name, &self.top).is_some_and(|rest| !rest.is_empty() && !climbs(rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::names::split;

    #[test]
    fn the_innermost_folder_of_all_names() {
        let of = |names: &[&str]| {
            let base = Base::of_folders(None, names.iter().map(|n| split(n.as_bytes()).0));
            String::from_utf8(base.top).unwrap()
        };
        assert_eq!(of(&["a", "b"]), "");
        assert_eq!(of(&["p/a", "p/b/c"]), "p");
        assert_eq!(of(&["p/b/a", "p/b/c", "../x", "/y"]), "p/b");
        assert_eq!(of(&["/p/b/a", "/p/b/c/d", "/p/bc"]), "/p");
        assert_eq!(of(&["p/a", "pb/c"]), "");
        assert_eq!(of(&[]), "");
    }

    #[test]
    fn names_within_a_given_folder_and_those_that_begin_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let photos = dir.path().join("photos");
        std::fs::create_dir(&photos).unwrap();
        std::fs::write(photos.join("a"), "").unwrap();
        let names = |all: &[&str]| all.iter().map(|n| n.as_bytes().to_vec()).collect::<Vec<_>>();
        let inner = Base::of_folder(&photos, None, &names(&["a"]));
        assert_eq!((inner.folder.as_deref(), &*inner.top), (Some(&*photos), &b""[..]));
        assert_eq!(inner.root(), photos);
        let whole = format!("{}/a", photos.display());
        let outer = Base::of_folder(&photos, None, &names(&[&whole]));
        assert_eq!((outer.folder.as_deref(), outer.root()), (None, photos.clone()));
        assert_eq!(outer.name(&photos.join("a")), whole.as_bytes());
        // Nothing is there any more, so the names decide.
        let gone = Base::of_folder(Path::new("p/q/"), None, &names(&["p/q/x", "p/q/y"]));
        assert_eq!((gone.folder.is_none(), &*gone.top), (true, &b"p/q"[..]));
        assert!(gone.has(b"p/q/x") && !gone.has(b"p/q/../x") && !gone.has(b"p/x") && !gone.has(b"p/q"));
        let gone = Base::of_folder(Path::new("p/q"), None, &names(&["x", "p/q/y"]));
        assert_eq!((gone.folder.as_deref(), &*gone.top), (Some(Path::new("p/q")), &b""[..]));
        assert!(gone.has(b"x") && !gone.has(b"../x") && !gone.has(b"/x"));
    }
}
