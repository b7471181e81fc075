//! Files and folders below a root, reached through its descriptor.
//!
//! Unless links are to be followed, each look-up is a single `openat2` that can neither leave the root nor follow a
//! symbolic link (`RESOLVE_BENEATH`, `RESOLVE_NO_SYMLINKS`). Where the kernel lacks the call (before 5.6, or behind a
//! filter), folders are opened one by one with `O_NOFOLLOW`. Files are created, renamed and deleted relative to the
//! descriptor of their folder. So nothing outside the root is read, written or deleted, even if something else is put
//! in the place of a folder during a run.

use crate::fs::meta::Meta;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// An open folder.
pub(crate) type Folder = Arc<OwnedFd>;

/// Maximum number of attempts at an operation that concurrent changes can make fail.
const TRIES: u32 = 64;

/// A limit below this on the length of names is not believed.
const SHORTEST_LIMIT: usize = 64;

/// A folder, and what lies below it.
#[derive(Debug)]
pub(crate) struct Root {
    fd: Folder,
    /// As the user named it; for messages and [`Root::real_path`].
    path: PathBuf,
    /// Whether symbolic links below it are followed, wherever they lead.
    follow: bool,
    /// The folder looked up last, as a cache: files come folder by folder.
    last: Mutex<Option<(PathBuf, Folder)>>,
    /// Whether `openat2` is unavailable.
    stepwise: AtomicBool,
    /// Whether it does not exist, as in a dry run. Then nothing exists below it, and `fd` is the nearest folder
    /// above it.
    absent: bool,
}

impl Root {
    /// Opens a folder. Links in its path are followed, since the user named it.
    pub(crate) fn open(path: &Path, follow: bool) -> io::Result<Root> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::open(path, flags, Mode::empty())?;
        let (last, stepwise) = (Mutex::default(), AtomicBool::new(false));
        Ok(Root { fd: Arc::new(fd), path: path.into(), follow, last, stepwise, absent: false })
    }

    /// Returns a root that does not exist. `nearest` is the nearest folder above it that does.
    pub(crate) fn absent(path: &Path, nearest: &Path) -> io::Result<Root> {
        let fd = rustix::fs::open(nearest, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let (last, stepwise) = (Mutex::default(), AtomicBool::new(false));
        Ok(Root { fd: Arc::new(fd), path: path.into(), follow: false, last, stepwise, absent: true })
    }

    pub(crate) fn is_absent(&self) -> bool {
        self.absent
    }

    pub(crate) fn fd(&self) -> &Folder {
        &self.fd
    }

    /// Returns the maximum length in bytes of a name below the root, as far as its file system says.
    pub(crate) fn longest_name(&self) -> usize {
        let said = rustix::fs::fstatvfs(&self.fd).map_or(0, |s| s.f_namemax);
        usize::try_from(said).ok().filter(|&n| n >= SHORTEST_LIMIT).unwrap_or(255)
    }

    /// Returns the path of something below the root, for messages.
    pub(crate) fn shown(&self, below: &Path) -> PathBuf {
        self.path.join(below)
    }

    /// Returns the path of the root, without links.
    pub(crate) fn real_path(&self) -> io::Result<PathBuf> {
        std::fs::canonicalize(&self.path)
    }

    /// Opens something below the root. The last component of `below` is never followed if it is a link.
    pub(crate) fn open_at(&self, below: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        if self.absent {
            return Err(Errno::NOENT.into());
        }
        let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let path = if below.as_os_str().is_empty() { Path::new(".") } else { below };
        if self.follow {
            return Ok(rustix::fs::openat(&self.fd, path, flags, Mode::empty())?);
        }
        if !self.stepwise.load(Relaxed) {
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
            for _ in 0..TRIES {
                match rustix::fs::openat2(&self.fd, path, flags, Mode::empty(), resolve) {
                    Err(Errno::AGAIN | Errno::INTR) => {}
                    // System call filters may answer EPERM to calls that they do not know.
                    Err(Errno::NOSYS | Errno::PERM) => {
                        let fd = step_by_step(self.fd.as_fd(), path, flags)?;
                        self.stepwise.store(true, Relaxed);
                        return Ok(fd);
                    }
                    other => return Ok(other?),
                }
            }
            return Err(Errno::AGAIN.into());
        }
        step_by_step(self.fd.as_fd(), path, flags)
    }

    /// Opens a file for reading, without blocking if it is a pipe.
    pub(crate) fn file(&self, below: &Path, more: OFlags) -> io::Result<File> {
        Ok(File::from(self.open_at(below, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | more)?))
    }

    /// Opens the folder `below`, which must exist.
    pub(crate) fn folder(&self, below: &Path) -> io::Result<Folder> {
        if self.absent {
            return Err(Errno::NOENT.into());
        }
        if below.as_os_str().is_empty() {
            return Ok(Arc::clone(&self.fd));
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((path, folder)) = &*last
            && path == below
        {
            return Ok(Arc::clone(folder));
        }
        let mut flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let fd = loop {
            match self.open_folder(below, flags) {
                // Some folders may be entered but not listed.
                Err(e) if e.raw_os_error() == Some(Errno::ACCESS.raw_os_error()) && !flags.contains(OFlags::PATH) => {
                    flags = OFlags::PATH | OFlags::DIRECTORY;
                }
                other => break other?,
            }
        };
        let folder = Arc::new(fd);
        *last = Some((below.into(), Arc::clone(&folder)));
        Ok(folder)
    }

    /// Opens the folder `below` or, if it does not exist, the nearest one above it that does.
    pub(crate) fn nearest(&self, below: &Path) -> io::Result<Folder> {
        for at in below.ancestors().filter(|_| !self.absent) {
            match self.folder(at) {
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                other => return other,
            }
        }
        Ok(Arc::clone(&self.fd))
    }

    fn open_folder(&self, below: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        if self.follow {
            return Ok(rustix::fs::openat(&self.fd, below, flags | OFlags::CLOEXEC, Mode::empty())?);
        }
        self.open_at(below, flags)
    }

    /// Forgets the cached folder, so that the next look-up is a new one.
    pub(crate) fn forget(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Returns the folder of a path below the root, and the last component of the path.
    pub(crate) fn split<'p>(&self, below: &'p Path) -> io::Result<(Folder, &'p OsStr)> {
        let name = below.file_name().ok_or(Errno::INVAL)?;
        Ok((self.folder(below.parent().unwrap_or(Path::new("")))?, name))
    }

    /// Returns the metadata of a path below the root, without following a link at its end.
    pub(crate) fn look(&self, below: &Path) -> io::Result<Meta> {
        if below.as_os_str().is_empty() {
            return Meta::of(&self.fd);
        }
        let (folder, name) = self.split(below)?;
        Meta::at(&folder, Path::new(name))
    }

    /// Returns the target of a symbolic link.
    pub(crate) fn read_link(&self, below: &Path) -> io::Result<OsString> {
        let (folder, name) = self.split(below)?;
        let target = rustix::fs::readlinkat(&folder, name, Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()))
    }

    /// Opens the folder `below`, creating it and those above it if they do not exist. Calls `made` with the parent of
    /// each new folder. On failure, returns the path of the folder that failed, and why.
    pub(crate) fn make_folder(
        &self,
        below: &Path,
        made: &mut dyn FnMut(&Path),
    ) -> Result<Folder, (PathBuf, io::Error)> {
        let failed = |e: io::Error| (self.shown(below), e);
        for _ in 0..TRIES {
            match self.folder(below) {
                Ok(folder) => return Ok(folder),
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                Err(e) => {
                    // What is not a folder may be a link, which is not followed.
                    let link = self.look(below).is_ok_and(|m| m.is_symlink());
                    return Err(failed(not_through_links(if link { Errno::LOOP.into() } else { e })));
                }
            }
            let parent = below.parent().unwrap_or(Path::new(""));
            let Some(name) = below.file_name() else { return Err(failed(Errno::INVAL.into())) };
            let above = self.make_folder(parent, made)?;
            match rustix::fs::mkdirat(&above, name, Mode::from_raw_mode(0o777)) {
                Ok(()) => made(parent),
                Err(Errno::EXIST) => {}
                Err(e) => return Err(failed(e.into())),
            }
            // A dangling link has the name, so that it can neither be opened as a folder nor be created as one.
            if Meta::at(&above, Path::new(name)).is_ok_and(|m| m.is_symlink()) && !self.follow {
                return Err(failed(not_through_links(Errno::LOOP.into())));
            }
        }
        Err(failed(io::Error::other("keeps disappearing after it is created")))
    }
}

/// Rewords the errors for paths that lead through a symbolic link or something else that is not a folder, so that they
/// say what to do.
pub(crate) fn not_through_links(e: io::Error) -> io::Error {
    match e.raw_os_error() {
        Some(c) if c == Errno::LOOP.raw_os_error() => io::Error::other(
            "is, or lies behind, a symbolic link in the destination, which is not followed (--follow-dest does)",
        ),
        Some(c) if c == Errno::NOTDIR.raw_os_error() => {
            io::Error::other("is not a folder, or a part of its path is not")
        }
        _ => e,
    }
}

fn step_by_step(root: BorrowedFd<'_>, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let mut names = Vec::new();
    for c in path.components() {
        match c {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            _ => return Err(Errno::XDEV.into()),
        }
    }
    let Some((last, above)) = names.split_last() else {
        return Ok(rustix::fs::openat(root, ".", flags, Mode::empty())?);
    };
    let mut at: Option<OwnedFd> = None;
    for name in above {
        let here = at.as_ref().map_or(root, |fd| fd.as_fd());
        let step = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        at = Some(rustix::fs::openat(here, *name, step, Mode::empty()).map_err(|e| match e {
            // `openat` reports ENOTDIR for a link here, where `openat2` reports ELOOP.
            Errno::NOTDIR if Meta::at(here, Path::new(name)).is_ok_and(|m| m.is_symlink()) => Errno::LOOP,
            e => e,
        })?);
    }
    let here = at.as_ref().map_or(root, |fd| fd.as_fd());
    Ok(rustix::fs::openat(here, *last, flags, Mode::empty()).map_err(|e| match e {
        Errno::NOTDIR if Meta::at(here, Path::new(last)).is_ok_and(|m| m.is_symlink()) => Errno::LOOP,
        e => e,
    })?)
}

/// Deletes a name in an open folder.
pub(crate) fn unlink(folder: &Folder, name: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(folder, name, AtFlags::empty())?)
}

/// Returns the names in an open folder, and the error that cut the list short, if any.
pub(crate) fn names(folder: impl AsFd) -> (Vec<OsString>, Option<io::Error>) {
    let mut names = Vec::new();
    let mut entries = match rustix::fs::Dir::read_from(folder) {
        Ok(entries) => entries,
        Err(e) => return (names, Some(e.into())),
    };
    while let Some(entry) = entries.read() {
        match entry {
            Ok(entry) => {
                let name = entry.file_name().to_bytes();
                if name != b"." && name != b".." {
                    names.push(OsStr::from_bytes(name).to_owned());
                }
            }
            Err(e) => return (names, Some(e.into())),
        }
    }
    (names, None)
}

/// Returns the parent of a path, which is empty if there is none.
pub(crate) fn above(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    /// Creates a root with a folder, and outside it a precious file that links below the root lead to.
    fn tree() -> (tempfile::TempDir, Root) {
        let dir = tempfile::tempdir().expect("a folder");
        let at = |p: &str| dir.path().join(p);
        fs::create_dir_all(at("root/a/b")).expect("folders");
        fs::create_dir(at("outside")).expect("a folder");
        fs::write(at("outside/f"), "precious").expect("a file");
        fs::write(at("root/a/b/f"), "inside").expect("a file");
        symlink("../../outside", at("root/a/out")).expect("a link");
        symlink(at("outside"), at("root/absolute")).expect("a link");
        symlink("a", at("root/inside")).expect("a link");
        symlink("nowhere", at("root/dangling")).expect("a link");
        let root = Root::open(&at("root"), false).expect("a root");
        (dir, root)
    }

    #[test]
    fn no_link_is_followed_and_nothing_outside_is_reached() {
        for stepwise in [false, true] {
            let (dir, root) = tree();
            root.stepwise.store(stepwise, Relaxed);
            assert!(root.file(Path::new("a/b/f"), OFlags::empty()).is_ok());
            for path in
                ["a/out/f", "absolute/f", "inside/b/f", "a/out", "../outside/f", "a/../../outside/f", "/etc/passwd"]
            {
                assert!(root.file(Path::new(path), OFlags::empty()).is_err(), "{path}");
            }
            for path in ["a/out/new", "absolute/new", "inside/new", "dangling/new", "dangling", "absolute"] {
                let e = root.make_folder(Path::new(path), &mut |_| {}).expect_err(path);
                assert!(e.1.to_string().contains("symbolic link"), "{path}: {}", e.1);
            }
            assert!(root.look(Path::new("absolute")).expect("a link").is_symlink());
            let mut made = Vec::new();
            root.make_folder(Path::new("a/c/d"), &mut |p| made.push(p.to_path_buf())).expect("folders");
            assert_eq!(made, [PathBuf::from("a"), PathBuf::from("a/c")]);
            assert_eq!(fs::read_dir(dir.path().join("outside")).expect("a folder").count(), 1);
        }
    }

    #[test]
    fn a_folder_that_is_swapped_leads_nowhere() {
        let (dir, root) = tree();
        let at = |p: &str| dir.path().join(p);
        let (folder, name) = root.split(Path::new("a/b/f")).expect("a folder");
        fs::rename(at("root/a/b"), at("root/a/moved")).expect("a rename");
        symlink(at("outside"), at("root/a/b")).expect("a link");
        unlink(&folder, name).expect("a file");
        assert!(at("outside/f").exists() && !at("root/a/moved/f").exists());
        root.forget();
        assert!(root.look(Path::new("a/b/f")).is_err());
    }

    #[test]
    fn links_are_followed_on_request() {
        let (dir, _) = tree();
        let root = Root::open(&dir.path().join("root"), true).expect("a root");
        assert!(root.file(Path::new("a/out/f"), OFlags::empty()).is_ok());
        root.make_folder(Path::new("absolute/new"), &mut |_| {}).expect("a folder");
        assert!(dir.path().join("outside/new").is_dir());
    }
}
