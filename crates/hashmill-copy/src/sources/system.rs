//! What systems and programs put next to pictures, and what was deleted: thumbnails, resource forks, indexes, trash.
//! Imports leave it out.

use crate::fs::beneath::{Root, names};
use crate::fs::meta::Meta;
use rustix::fs::OFlags;
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Folders of thumbnails, indexes and deleted files, in lower case.
const FOLDERS: &[&str] = &[
    // Synology and QNAP.
    "@eadir",
    "#recycle",
    ".@__thumb",
    "@recycle",
    // Android and desktops.
    ".thumbnails",
    ".trash",
    // macOS and netatalk.
    ".appledouble",
    ".documentrevisions-v100",
    ".fseventsd",
    ".spotlight-v100",
    ".temporaryitems",
    ".trashes",
    // Windows.
    "$recycle.bin",
    "recycler",
    "system volume information",
];

/// Files about a folder, in lower case.
const FILES: &[&str] = &[
    ".ds_store", ".apdisk", ".nomedia", ".volumeicon.icns", "desktop.ini", "ehthumbs.db", "ehthumbs_vista.db",
    "thumbs.db",
];

/// Begins every AppleDouble file: what macOS knows about the file `NAME`, in a file `._NAME`.
const APPLE_DOUBLE: [u8; 4] = [0, 5, 22, 7];

fn is_one_of(list: &[&str], name: &[u8]) -> bool {
    list.iter().any(|l| l.as_bytes().eq_ignore_ascii_case(name))
}

/// Whether a folder holds thumbnails, indexes or deleted files, by its name.
pub(crate) fn is_system_folder(name: &OsStr) -> bool {
    let name = name.as_bytes();
    // The trash of a user on a mounted medium.
    let trash = name.strip_prefix(b".Trash-").is_some_and(|user| user.iter().all(u8::is_ascii_digit));
    trash || is_one_of(FOLDERS, name)
}

/// Whether a file is one that a system keeps for itself. `open` is called for names that do not tell.
pub(crate) fn is_system_file(name: &OsStr, open: impl FnOnce() -> std::io::Result<File>) -> bool {
    let name = name.as_bytes();
    if name.starts_with(b"._") {
        let mut magic = [0; 4];
        return open().is_ok_and(|f| f.read_exact_at(&mut magic, 0).is_ok()) && magic == APPLE_DOUBLE;
    }
    // Android's gallery renames deleted and unfinished files: `.trashed-1701234567-IMG_1.jpg`.
    let renamed = [&b".trashed-"[..], b".pending-"].iter().any(|prefix| {
        let rest = name.strip_prefix(*prefix).unwrap_or_default();
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        digits > 0 && rest.get(digits) == Some(&b'-')
    });
    renamed || is_one_of(FILES, name)
}

/// Returns the number of files in a folder and all folders in it that `wanted` takes.
pub(crate) fn count(root: &Root, below: &Path, wanted: &dyn Fn(&Path) -> bool) -> u64 {
    let mut open: Vec<PathBuf> = vec![below.into()];
    let mut count = 0;
    while let Some(below) = open.pop() {
        // What cannot be examined is not counted: nothing of it would be copied.
        let Ok(folder) = root.open_at(&below, OFlags::RDONLY | OFlags::DIRECTORY) else { continue };
        for name in names(&folder).0 {
            match Meta::at(&folder, Path::new(&name)) {
                Ok(meta) if meta.is_dir() => open.push(below.join(name)),
                Ok(meta) if meta.is_file() => count += u64::from(wanted(Path::new(&name))),
                _ => {}
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn names_of_system_files() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = |name: &str, content: &[u8]| {
            let path = dir.path().join(name);
            fs::write(&path, content).expect("a file");
            is_system_file(OsStr::new(name), || File::open(&path))
        };
        for name in [".DS_Store", "Thumbs.db", "THUMBS.DB", "Desktop.ini", ".trashed-1701234567-IMG_1.jpg", ".nomedia"]
        {
            assert!(file(name, b""), "{name}");
        }
        for name in ["IMG_1.JPG", "Thumbs.jpg", ".trashed-me.jpg", ".picasa.ini", ".hidden.jpg"] {
            assert!(!file(name, b""), "{name}");
        }
        // The name alone does not tell.
        assert!(file("._IMG_1.JPG", b"\0\x05\x16\x07\0\x02\0\0Mac OS X"));
        assert!(!file("._IMG_2.JPG", b"\xff\xd8\xff\xe0"));
        assert!(!file("._IMG_3.JPG", b""));
        assert!(!file("IMG_1.JPG", b"\0\x05\x16\x07\0\x02\0\0Mac OS X"));
        for name in ["@eaDir", ".thumbnails", ".Trash-1000", "#recycle", "$RECYCLE.BIN", ".Trashes"] {
            assert!(is_system_folder(OsStr::new(name)), "{name}");
        }
        for name in ["eaDir", "thumbnails", ".Trash-me", "lost+found", "DCIM"] {
            assert!(!is_system_folder(OsStr::new(name)), "{name}");
        }
    }
}
