//! The files of a folder that measurements read.

use hashmill_files::{Error, Input, Walked, walk};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file or folder that could not be read.
pub(super) struct Unreadable {
    pub(super) path: PathBuf,
    pub(super) cause: io::Error,
}

/// Returns the regular files below a folder, in order, or the path itself if it is no folder. What this program itself
/// keeps in folders is left out, as with `hashmill sum -r`; so are symbolic links, which could lead to files twice.
pub(super) fn files(root: &Path) -> impl Iterator<Item = Result<PathBuf, Unreadable>> {
    walk([Input::Path(root.into())], Walked::default()).filter_map(move |found| match found {
        Ok(found) => {
            let Input::Path(path) = found.input() else { return None };
            let link = path != root && fs::symlink_metadata(path).is_ok_and(|m| m.is_symlink());
            (!link).then(|| Ok(path.clone()))
        }
        Err(p) if p.error.is_skipped() => None,
        // A dangling link is a link, too.
        Err(p) if p.path != root && fs::symlink_metadata(&p.path).is_ok_and(|m| m.is_symlink()) => None,
        Err(p) => {
            let cause = match p.error {
                Error::Io(e) => e,
                other => io::Error::other(other.to_string()),
            };
            Some(Err(Unreadable { path: p.path, cause }))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn files_without_links_and_records() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for folder in ["a/.hashmill", "b/.hashmill", ".hashmill"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for file in
            ["a/x", "y", ".hashmill/catalogue.sqlite", "a/.hashmill/list-1", ".hashmill-0123456789abcdef-7.part"]
        {
            fs::write(at(file), "x").unwrap();
        }
        // A folder of somebody else that has the name.
        fs::write(at("b/.hashmill/photo.jpg"), "x").unwrap();
        symlink("y", at("link")).unwrap();
        symlink("nowhere", at("dangling")).unwrap();
        symlink(".", at("a/loop")).unwrap();
        let found = |path: &Path| -> Vec<PathBuf> { files(path).map(|f| f.ok().unwrap()).collect() };
        assert_eq!(found(dir.path()), ["a/x", "b/.hashmill/photo.jpg", "y"].map(at));
        assert_eq!(found(&at("link")), [at("link")]);
        assert_eq!(found(&at("y")), [at("y")]);
    }
}
