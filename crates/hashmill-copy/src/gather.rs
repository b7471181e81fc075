//! What there is to copy: walking the sources, choosing by kind, and keeping files together that belong together.

use crate::options::Select;
use hashmill_files::plain;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// Extensions of pictures that show themselves.
const PICTURES: &[&str] = &[
    "jpg", "jpeg", "jpe", "heic", "heif", "hif", "avif", "png", "tif", "tiff", "webp", "gif", "bmp", "jxl", "jp2",
    "mpo",
];

/// Extensions of what a sensor saw.
const RAWS: &[&str] = &[
    "3fr", "arw", "cr2", "cr3", "crw", "dng", "erf", "fff", "gpr", "iiq", "k25", "kdc", "mef", "mos", "mrw", "nef",
    "nrw", "orf", "ori", "pef", "raf", "raw", "rw2", "rwl", "sr2", "srf", "srw", "x3f",
];

/// Extensions of films.
const FILMS: &[&str] = &[
    "mov", "mp4", "m4v", "3gp", "3g2", "avi", "mts", "m2ts", "mkv", "webm", "mpg", "mpeg", "wmv", "insv", "lrv", "360",
];

/// Extensions of what belongs to a picture or film of the same name.
const SIDECARS: &[&str] = &["xmp", "aae", "thm", "pp3", "dop", "wav", "srt"];

/// What a file is, by its extension; those that say best when it was taken come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Picture,
    Raw,
    Film,
    Sidecar,
    Other,
}

impl Kind {
    /// The kind of files with an extension in lower case.
    fn of(extension: &[u8]) -> Kind {
        let is = |list: &[&str]| list.iter().any(|e| e.as_bytes() == extension);
        match extension {
            e if is(PICTURES) && !e.is_empty() => Kind::Picture,
            _ if is(RAWS) => Kind::Raw,
            _ if is(FILMS) => Kind::Film,
            _ if is(SIDECARS) => Kind::Sidecar,
            _ => Kind::Other,
        }
    }
}

/// Something below a source.
#[derive(Debug)]
pub(crate) struct Found {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// The path below the source.
    pub(crate) below: PathBuf,
    /// As it was when it was found; links are not followed, except where they are sources.
    pub(crate) meta: Metadata,
    pub(crate) kind: Kind,
    /// The part of the name that is its extension, without the dot.
    pub(crate) extension: Vec<u8>,
}

impl Found {
    pub(crate) fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or(self.path.as_os_str())
    }
}

/// What the sources have.
pub(crate) enum Item {
    /// Files that stay together: the first is the one that says when they were taken.
    Group(Vec<Found>),
    Directory(Found),
    Link(Found),
    /// It could not be looked at, or is nothing that can be copied.
    Problem {
        path: PathBuf,
        cause: String,
        skipped: bool,
    },
}

/// Walks one source and hands everything to `sink`, a directory at a time. `inside` is the destination, which is left out if it lies below the source.
pub(crate) fn walk(
    source: &Path,
    select: &Select,
    together: bool,
    inside: Option<(u64, u64)>,
    sink: &mut dyn FnMut(Item) -> bool,
) {
    let meta = match fs::metadata(source) {
        Ok(m) => m,
        Err(e) => {
            sink(Item::Problem { path: source.into(), cause: plain(&e), skipped: false });
            return;
        }
    };
    if !meta.is_dir() {
        let below = source.file_name().unwrap_or(source.as_os_str()).into();
        // Named by hand, so it is taken whatever its extension.
        sink(item(source.into(), below, meta));
        return;
    }
    let mut files: Vec<Found> = Vec::new();
    let mut here = PathBuf::new();
    let own = |e: &DirEntry| {
        if crate::journal::is_temporary(e.file_name()) {
            return false;
        }
        let unwanted = e.depth() > 0 && e.file_type().is_dir() && {
            e.file_name() == crate::journal::FOLDER
                || inside.is_some_and(|i| e.metadata().is_ok_and(|m| (m.dev(), m.ino()) == i))
        };
        !unwanted
    };
    // Files come before the folders beside them, so that a folder's files come in one run.
    let files_first = |a: &DirEntry, b: &DirEntry| {
        (a.file_type().is_dir(), a.file_name()).cmp(&(b.file_type().is_dir(), b.file_name()))
    };
    let below = |p: &Path| p.strip_prefix(source).unwrap_or(p).to_path_buf();
    for entry in WalkDir::new(source).sort_by(files_first).into_iter().filter_entry(own) {
        let entry = match entry {
            Ok(e) => e,
            Err(e) => {
                let path = e.path().unwrap_or(source).to_path_buf();
                let cause = e.io_error().map_or_else(|| "loop of symbolic links".into(), plain);
                if !sink(Item::Problem { path, cause, skipped: false }) {
                    return;
                }
                continue;
            }
        };
        let parent = entry.path().parent().unwrap_or(source);
        if parent != here || entry.file_type().is_dir() {
            if !flush(&mut files, together, sink) {
                return;
            }
            here = parent.to_path_buf();
        }
        if entry.depth() == 0 {
            continue;
        }
        let meta = match entry.metadata() {
            Ok(m) => m,
            Err(e) => {
                let cause = e.io_error().map_or_else(|| e.to_string(), plain);
                if !sink(Item::Problem { path: entry.path().into(), cause, skipped: false }) {
                    return;
                }
                continue;
            }
        };
        let path = entry.into_path();
        let more = match item(path.clone(), below(&path), meta) {
            Item::Group(mut one) => {
                let wanted = |f: &Found| select.takes(f.kind, &f.extension);
                files.extend(one.drain(..).filter(wanted));
                true
            }
            // Trees are copied whole; an import takes files only.
            Item::Directory(_) if select.is_some() || together => true,
            Item::Link(f) if select.is_some() || together => {
                let wanted = select.takes(f.kind, &f.extension);
                !wanted || sink(Item::Problem { path: f.path, cause: "skipped (symbolic link)".into(), skipped: true })
            }
            other => sink(other),
        };
        if !more {
            return;
        }
    }
    flush(&mut files, together, sink);
}

fn item(path: PathBuf, below: PathBuf, meta: Metadata) -> Item {
    let kind = meta.file_type();
    let extension = below.extension().map(OsStr::as_bytes).unwrap_or_default().to_vec();
    let found = Found { kind: Kind::of(&extension.to_ascii_lowercase()), path, below, meta, extension };
    if kind.is_file() {
        Item::Group(vec![found])
    } else if kind.is_dir() {
        Item::Directory(found)
    } else if kind.is_symlink() {
        Item::Link(found)
    } else {
        Item::Problem { path: found.path, cause: "skipped (no regular file)".into(), skipped: true }
    }
}

/// Hands on the files of one folder.
fn flush(files: &mut Vec<Found>, together: bool, sink: &mut dyn FnMut(Item) -> bool) -> bool {
    let files = std::mem::take(files);
    if together {
        group(files).into_iter().all(|g| sink(Item::Group(g)))
    } else {
        files.into_iter().all(|f| sink(Item::Group(vec![f])))
    }
}

/// Puts pictures, raws, films and sidecars of one name together, in the order in which they came.
fn group(files: Vec<Found>) -> Vec<Vec<Found>> {
    // A sidecar may be called after the whole name of its picture (`a.jpg.xmp`) or after what is before the extension.
    let whole: HashMap<Vec<u8>, ()> = files
        .iter()
        .filter(|f| f.kind < Kind::Sidecar)
        .map(|f| (f.name().as_bytes().to_ascii_lowercase(), ()))
        .collect();
    let mut groups: Vec<Vec<Found>> = Vec::new();
    let mut by_stem: HashMap<Vec<u8>, usize> = HashMap::new();
    for mut f in files {
        if f.kind == Kind::Other {
            groups.push(vec![f]);
            continue;
        }
        let mut stem = Path::new(f.name()).file_stem().map(OsStr::as_bytes).unwrap_or_default().to_ascii_lowercase();
        if f.kind == Kind::Sidecar && whole.contains_key(&stem) {
            let inner = OsString::from_vec(stem.clone());
            let inner = Path::new(&inner);
            let more = inner.extension().map(OsStr::len).unwrap_or_default();
            // Its extension is that of its picture and its own.
            let name = f.name().as_bytes();
            f.extension = name[name.len() - f.extension.len() - 1 - more..].to_vec();
            stem = inner.file_stem().map(OsStr::as_bytes).unwrap_or_default().to_vec();
        }
        match by_stem.get(&stem) {
            Some(&i) => groups[i].push(f),
            None => {
                by_stem.insert(stem, groups.len());
                groups.push(vec![f]);
            }
        }
    }
    groups.iter_mut().for_each(|g| g.sort_by_key(|f| f.kind));
    groups
}

impl Select {
    pub(crate) fn takes(&self, kind: Kind, extension: &[u8]) -> bool {
        match self {
            Select::All => true,
            Select::Photos => kind != Kind::Other,
            Select::Extensions(list) => list.iter().any(|e| e.as_bytes().eq_ignore_ascii_case(extension)),
        }
    }

    pub(crate) fn is_some(&self) -> bool {
        *self != Select::All
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_together() {
        let dir = tempfile::tempdir().expect("a folder");
        for name in ["a.JPG", "a.cr2", "A.xmp", "a.jpg.xmp", "b.jpg", "b.txt", "c.xmp", "é.heic", "é.mov"] {
            fs::write(dir.path().join(name), name).expect("a file");
        }
        let mut groups = Vec::new();
        walk(dir.path(), &Select::All, true, None, &mut |item| {
            let Item::Group(g) = item else { panic!("only files") };
            let of = |f: &Found| format!("{} {}", f.name().display(), String::from_utf8_lossy(&f.extension));
            groups.push(g.iter().map(of).collect::<Vec<_>>().join(", "));
            true
        });
        groups.sort();
        let want = [
            "a.JPG JPG, a.cr2 cr2, A.xmp xmp, a.jpg.xmp jpg.xmp",
            "b.jpg jpg",
            "b.txt txt",
            "c.xmp xmp",
            "é.heic heic, é.mov mov",
        ];
        assert_eq!(groups, want);
    }
}
