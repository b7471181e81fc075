//! Finds what there is to copy: walks the sources, selects files by kind, and groups files that belong together.

use crate::fs::beneath::{Root, names};
use crate::fs::meta::{Identity, Meta};
use crate::fs::source::Source;
use crate::model::options::Select;
use crate::sources::system::{count, is_system_file, is_system_folder};
use hashmill_files::{Filter, ours, plain, special};
use rustix::fs::OFlags;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Extensions of pictures other than raws.
const PICTURES: &[&str] = &[
    "jpg", "jpeg", "jpe", "heic", "heif", "hif", "avif", "png", "tif", "tiff", "webp", "gif", "bmp", "jxl", "jp2",
    "mpo",
];

/// Extensions of raw sensor images.
const RAWS: &[&str] = &[
    "3fr", "arw", "cr2", "cr3", "crw", "dng", "erf", "fff", "gpr", "iiq", "k25", "kdc", "mef", "mos", "mrw", "nef",
    "nrw", "orf", "ori", "pef", "raf", "raw", "rw2", "rwl", "sr2", "srf", "srw", "x3f",
];

/// Extensions of films.
const FILMS: &[&str] = &[
    "mov", "mp4", "m4v", "3gp", "3g2", "avi", "mts", "m2ts", "mkv", "webm", "mpg", "mpeg", "wmv", "insv", "lrv", "360",
];

/// Extensions of sidecars, which belong to a picture or film of the same name.
const SIDECARS: &[&str] = &["xmp", "aae", "thm", "pp3", "dop", "wav", "srt"];

/// What a file is, by its extension. The kinds that best tell when a picture was taken come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Picture,
    Raw,
    Film,
    Sidecar,
    Other,
}

impl Kind {
    /// Returns the kind of files with an extension, which must be in lower case.
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

/// Something found in a source.
#[derive(Debug)]
pub(crate) struct Found {
    /// How to reach it.
    pub(crate) source: Source,
    /// The path below the source, or the file name if the source is itself a file.
    pub(crate) below: PathBuf,
    /// Its metadata when it was found. Links are not followed, unless they are themselves sources.
    pub(crate) meta: Meta,
    pub(crate) kind: Kind,
    /// The part of the name that is its extension, without the dot.
    pub(crate) extension: Vec<u8>,
}

impl Found {
    pub(crate) fn name(&self) -> &OsStr {
        self.source.path.file_name().unwrap_or(self.source.path.as_os_str())
    }
}

/// What a walk finds.
pub(crate) enum Item {
    /// Files that stay together. The one that best tells when they were taken comes first.
    Group(Vec<Found>),
    Directory(Found),
    Link(Found),
    /// This many thumbnails and system files that would be taken otherwise.
    LeftOut(u64),
    /// Something that could not be examined or cannot be copied.
    Problem {
        path: PathBuf,
        cause: String,
        skipped: bool,
    },
}

/// What a walk takes.
pub(crate) struct Wanted<'a> {
    pub(crate) select: &'a Select,
    pub(crate) filter: &'a Filter,
    /// Whether files of one name stay together.
    pub(crate) together: bool,
    /// Whether thumbnails and system files are left out.
    pub(crate) leaves_out: bool,
    /// The destination, which is left out if it is below a source.
    pub(crate) inside: Option<Identity>,
}

/// Walks one source and passes everything to `sink`, one folder at a time, until `sink` returns false. Folders are
/// opened relative to the descriptor of the source. Links are never followed, unless the source itself is one.
pub(crate) fn walk(source: &Path, wanted: &Wanted<'_>, sink: &mut dyn FnMut(Item) -> bool) {
    let root = Meta::of_path(source)
        .and_then(|meta| Ok((meta, if meta.is_dir() { Some(Arc::new(Root::open(source, false)?)) } else { None })));
    let root = match root {
        Ok((_, Some(root))) => root,
        Ok((meta, None)) => {
            let below: PathBuf = source.file_name().unwrap_or(source.as_os_str()).into();
            // The user named it, so it is taken whatever its extension.
            sink(item(Source { path: source.into(), root: None, below: below.clone() }, below, meta));
            return;
        }
        Err(e) => {
            sink(Item::Problem { path: source.into(), cause: plain(&e), skipped: false });
            return;
        }
    };
    // Folders still to be listed, the next one last.
    let mut open: Vec<Option<Found>> = vec![None];
    while let Some(folder) = open.pop() {
        let below = folder.as_ref().map(|f| f.below.clone()).unwrap_or_default();
        // A tree is copied with its folders; an import takes only files.
        if let Some(folder) = folder
            && !(wanted.select.is_some() || wanted.together)
            && !sink(Item::Directory(folder))
        {
            return;
        }
        let mut files = Vec::new();
        match list(&root, &below, wanted, &mut files, sink) {
            None => return,
            // These come after the files beside them, so that the files of a folder are consecutive.
            Some(folders) => open.extend(folders.into_iter().rev().map(Some)),
        }
        if !flush(&mut files, wanted.together, sink) {
            return;
        }
    }
}

/// Lists one folder: adds its files to `files`, passes everything else to `sink`, and returns the folders in it in the
/// order of their names, or `None` if `sink` wants no more.
fn list(
    root: &Arc<Root>,
    below: &Path,
    wanted: &Wanted<'_>,
    files: &mut Vec<Found>,
    sink: &mut dyn FnMut(Item) -> bool,
) -> Option<Vec<Found>> {
    let &Wanted { select, filter, together, leaves_out, inside } = wanted;
    let mut folders = Vec::new();
    let mut left_out = 0;
    let takes = |name: &Path| {
        let extension = extension_of(name);
        select.takes(Kind::of(&extension.to_ascii_lowercase()), extension)
    };
    let problem =
        |below: &Path, e: &std::io::Error| Item::Problem { path: root.shown(below), cause: plain(e), skipped: false };
    let folder = match root.open_at(below, OFlags::RDONLY | OFlags::DIRECTORY) {
        Ok(fd) => fd,
        Err(e) => return sink(problem(below, &e)).then_some(folders),
    };
    // A folder that is entered is on the file system of the source's.
    let device = if filter.is_on_one_file_system() { Meta::of(&folder).ok().map(|m| m.device) } else { None };
    let (mut names, failed) = names(&folder);
    names.sort();
    for name in names {
        let below = below.join(&name);
        let our_own =
            |what: &str| Item::Problem { path: root.shown(&below), cause: format!("skipped ({what})"), skipped: true };
        if ours::is_temporary(&name) {
            if !sink(our_own("a file that a copy to here has not finished")) {
                return None;
            }
            continue;
        }
        let meta = match Meta::at(&folder, Path::new(&name)) {
            Ok(meta) => meta,
            Err(e) => {
                if !sink(problem(&below, &e)) {
                    return None;
                }
                continue;
            }
        };
        if meta.is_dir() && inside == Some(meta.identity()) {
            continue;
        }
        let modified = SystemTime::UNIX_EPOCH.checked_add(Duration::new(
            u64::try_from(meta.modified.seconds).unwrap_or_default(),
            meta.modified.nanoseconds,
        ));
        let taken = match meta.is_dir() {
            true => filter.enters(&below) && (!filter.is_on_one_file_system() || Some(meta.device) == device),
            false => filter.takes_name(&below) && (!meta.is_file() || filter.takes(meta.size, modified)),
        };
        if !taken {
            continue;
        }
        // The records describe copies to this folder, so they are not copied. Somebody else's folder of that name is.
        if meta.is_dir() && name == ours::FOLDER && holds_records(root, &below) {
            if !sink(our_own("the records of copies to here")) {
                return None;
            }
            continue;
        }
        if meta.is_dir() && !together && below == Path::new(ours::FOLDER) {
            let cause = "not copied: the destination keeps its own records under this name; rename it".into();
            if !sink(Item::Problem { path: root.shown(&below), cause, skipped: false }) {
                return None;
            }
            continue;
        }
        if leaves_out && meta.is_dir() && is_system_folder(&name) {
            left_out += count(root, &below, &takes);
            continue;
        }
        if leaves_out && meta.is_file() && is_system_file(&name, || root.file(&below, OFlags::empty())) {
            left_out += u64::from(takes(Path::new(&name)));
            continue;
        }
        let source = Source { path: root.shown(&below), root: Some(Arc::clone(root)), below: below.clone() };
        let more = match item(source, below, meta) {
            Item::Group(mut one) => {
                files.extend(one.drain(..).filter(|f| select.takes(f.kind, &f.extension)));
                true
            }
            Item::Directory(f) => {
                folders.push(f);
                true
            }
            Item::Link(f) if select.is_some() || together => {
                let wanted = select.takes(f.kind, &f.extension);
                let (path, cause) = (f.source.path, "skipped (symbolic link)".into());
                !wanted || sink(Item::Problem { path, cause, skipped: true })
            }
            other => sink(other),
        };
        if !more {
            return None;
        }
    }
    if let Some(e) = failed
        && !sink(problem(below, &e))
    {
        return None;
    }
    if left_out > 0 && !sink(Item::LeftOut(left_out)) {
        return None;
    }
    Some(folders)
}

/// Whether a folder that has the name of ours contains only our records.
fn holds_records(root: &Root, below: &Path) -> bool {
    let folder = root.open_at(below, OFlags::RDONLY | OFlags::DIRECTORY);
    folder.is_ok_and(|folder| {
        let (names, failed) = names(&folder);
        failed.is_none() && ours::are_records(names)
    })
}

fn extension_of(path: &Path) -> &[u8] {
    path.extension().map(OsStr::as_bytes).unwrap_or_default()
}

fn item(source: Source, below: PathBuf, meta: Meta) -> Item {
    let extension = extension_of(&below).to_vec();
    let found = Found { kind: Kind::of(&extension.to_ascii_lowercase()), source, below, meta, extension };
    if meta.is_file() {
        Item::Group(vec![found])
    } else if meta.is_dir() {
        Item::Directory(found)
    } else if meta.is_symlink() {
        Item::Link(found)
    } else {
        let what = found.source.path.symlink_metadata().map_or("no regular file", |m| special(m.file_type()));
        Item::Problem { path: found.source.path, cause: format!("skipped ({what})"), skipped: true }
    }
}

/// Passes on the files of one folder.
fn flush(files: &mut Vec<Found>, together: bool, sink: &mut dyn FnMut(Item) -> bool) -> bool {
    let files = std::mem::take(files);
    if together {
        group(files).into_iter().all(|g| sink(Item::Group(g)))
    } else {
        files.into_iter().all(|f| sink(Item::Group(vec![f])))
    }
}

/// Returns the name in lower case of the shot that a file belongs to, from its name without the extension. Apple
/// calls an edited picture of `IMG_1234` `IMG_E1234`, the adjustments of the original `IMG_O1234`, and a film
/// `IMG_1234_HEVC`.
fn shot(stem: &[u8], kind: Kind) -> Vec<u8> {
    let mut shot = stem.to_ascii_lowercase();
    let number = shot.get(5..).map_or(0, |rest| rest.iter().take_while(|b| b.is_ascii_digit()).count());
    if number == 4 && matches!(&shot[..5], b"img_e" | b"img_o") {
        shot.remove(4);
    }
    if kind == Kind::Film && shot.ends_with(b"_hevc") {
        shot.truncate(shot.len() - 5);
    }
    shot
}

/// Groups pictures, raws, films and sidecars of the same shot. The groups keep the order in which they were found, and
/// the files in a group are sorted by kind.
fn group(files: Vec<Found>) -> Vec<Vec<Found>> {
    // A sidecar may be named after the whole name of its picture (`a.jpg.xmp`) or only its stem (`a.xmp`).
    let whole: HashMap<Vec<u8>, ()> = files
        .iter()
        .filter(|f| f.kind < Kind::Sidecar)
        .map(|f| (f.name().as_bytes().to_ascii_lowercase(), ()))
        .collect();
    let mut groups: Vec<Vec<Found>> = Vec::new();
    let mut by_shot: HashMap<Vec<u8>, usize> = HashMap::new();
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
            // Its extension is that of its picture followed by its own.
            let name = f.name().as_bytes();
            f.extension = name[name.len() - f.extension.len() - 1 - more..].to_vec();
            stem = inner.file_stem().map(OsStr::as_bytes).unwrap_or_default().to_vec();
        }
        let shot = shot(&stem, f.kind);
        match by_shot.get(&shot) {
            Some(&i) => groups[i].push(f),
            None => {
                by_shot.insert(shot, groups.len());
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_together() {
        let dir = tempfile::tempdir().expect("a folder");
        for name in ["a.JPG", "a.cr2", "A.xmp", "a.jpg.xmp", "b.jpg", "b.txt", "c.xmp", "é.heic", "é.mov"] {
            std::fs::write(dir.path().join(name), name).expect("a file");
        }
        let apple = [
            "IMG_1234.HEIC", "IMG_1234.AAE", "IMG_E1234.HEIC", "IMG_E1234.heic.xmp", "IMG_O1234.AAE", "IMG_1234.MOV",
            "IMG_1234_HEVC.MOV", "IMG_E12345.JPG", "IMG_E123.JPG", "IMG_X1234.JPG", "a_hevc.jpg",
        ];
        for name in apple {
            std::fs::write(dir.path().join(name), name).expect("a file");
        }
        let mut groups = Vec::new();
        let filter = Filter::default();
        let wanted = Wanted { select: &Select::All, filter: &filter, together: true, leaves_out: true, inside: None };
        walk(dir.path(), &wanted, &mut |item| {
            let Item::Group(g) = item else { panic!("only files") };
            let of = |f: &Found| format!("{} {}", f.name().display(), String::from_utf8_lossy(&f.extension));
            groups.push(g.iter().map(of).collect::<Vec<_>>().join(", "));
            true
        });
        groups.sort();
        let want = [
            "IMG_1234.HEIC HEIC, IMG_E1234.HEIC HEIC, IMG_1234.MOV MOV, IMG_1234_HEVC.MOV MOV, IMG_1234.AAE AAE, \
                IMG_E1234.heic.xmp heic.xmp, IMG_O1234.AAE AAE",
            "IMG_E123.JPG JPG",
            "IMG_E12345.JPG JPG",
            "IMG_X1234.JPG JPG",
            "a.JPG JPG, a.cr2 cr2, A.xmp xmp, a.jpg.xmp jpg.xmp",
            "a_hevc.jpg jpg",
            "b.jpg jpg",
            "b.txt txt",
            "c.xmp xmp",
            "é.heic heic, é.mov mov",
        ];
        assert_eq!(groups, want);
    }
}
