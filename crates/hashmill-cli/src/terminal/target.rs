//! Where output goes: directories that are made for it, and files that get their names only when everything has been
//! written, so that a name never stands for a partial file.

use crate::terminal::output::{Sink, shown};
use hashmill_files::{FileId, ours, plain, sync_folder};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Number of bytes that are written at once.
const PENDING: usize = 64 << 10;

/// The directory in which the system lists a process's open files.
#[cfg(unix)]
const DESCRIPTORS: &str = "/proc/self/fd";

/// Makes a directory for `what`, and those above it, unless it exists.
///
/// # Errors
/// Returns the message for the user if it cannot be made, or if something else has its name.
pub(crate) fn make_directory(dir: &Path, what: &str) -> Result<(), String> {
    let path = shown(dir.as_os_str());
    if fs::metadata(dir).is_ok_and(|m| !m.is_dir()) {
        return Err(format!("{path} is not a directory: {what} are created in one"));
    }
    fs::create_dir_all(dir).map_err(|e| format!("{path}: the folder cannot be made: {}", plain(&e)))
}

/// Opens a sink for what is going to be at `path`. Also returns the files involved, the new one and any that it
/// replaces, which must not be hashed themselves.
///
/// # Errors
/// Returns an error if `path` is a directory or a dangling symbolic link, or cannot be written to.
pub(crate) fn target(path: &Path) -> io::Result<(Box<dyn Sink>, Vec<FileId>)> {
    let there = match fs::metadata(path) {
        Ok(m) if m.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(m) if !m.is_file() => {
            let stream = OpenOptions::new().write(true).open(path)?;
            return Ok((Box::new(Stream(stream)), Vec::new()));
        }
        Ok(m) => Some(m),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            if fs::symlink_metadata(path).is_ok() {
                return Err(io::Error::other("a symbolic link to something that does not exist"));
            }
            None
        }
        Err(e) => return Err(e),
    };
    let path = if there.is_some() { fs::canonicalize(path)? } else { path.to_path_buf() };
    let before = there.as_ref().and_then(|_| FileId::at(&path));
    let new = NewFile::begin(path, there.as_ref())?;
    let files = FileId::of(&new.file).into_iter().chain(before).collect();
    Ok((Box::new(new), files))
}

/// Replaces a file in one step by these parts, one after the other.
///
/// # Errors
/// Returns the error of a part, or why it could not be written, in words; then the file is as it was.
pub(crate) fn replace(path: &Path, parts: impl Iterator<Item = Result<Vec<u8>, String>>) -> Result<(), String> {
    let (mut to, _) = target(path).map_err(|e| plain(&e))?;
    let mut write = |bytes: &mut Vec<u8>| {
        let mut at = 0;
        while at < bytes.len() {
            at += to.write(&bytes[at..]).map_err(|e| plain(&e))?;
        }
        bytes.clear();
        Ok::<_, String>(())
    };
    let mut pending: Vec<u8> = Vec::new();
    for part in parts {
        pending.extend_from_slice(&part?);
        if pending.len() > PENDING {
            write(&mut pending)?;
        }
    }
    write(&mut pending)?;
    to.end().map_err(|e| plain(&e))
}

/// Does the same for a file that this program keeps next to others, which is never a symbolic link: one there leads to
/// something that is not meant.
///
/// # Errors
/// As for [`replace`], and if there is a symbolic link.
pub(crate) fn replace_own(path: &Path, parts: impl Iterator<Item = Result<Vec<u8>, String>>) -> Result<(), String> {
    if fs::symlink_metadata(path).is_ok_and(|m| m.is_symlink()) {
        return Err("is a symbolic link, and nothing is written through it".into());
    }
    replace(path, parts)
}

/// Makes a folder under a temporary name next to `path`.
///
/// # Errors
/// Returns an error if it cannot be made.
pub(crate) fn fresh_folder(path: &Path) -> io::Result<PathBuf> {
    let folder = temporary_beside(path);
    fs::create_dir(&folder)?;
    Ok(folder)
}

/// Returns the file that standard output goes to, if it is a regular one.
pub(crate) fn standard_output() -> Vec<FileId> {
    #[cfg(unix)]
    let handle = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned();
    #[cfg(windows)]
    let handle = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned();
    handle.ok().and_then(|h| FileId::of(&File::from(h))).into_iter().collect()
}

/// A named pipe or a device.
struct Stream(File);

impl Sink for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn end(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

/// A file that is being written: without a name if the file system allows it, otherwise under a temporary one.
struct NewFile {
    file: File,
    /// The final path, with links resolved: the file behind a link is replaced, not the link.
    path: PathBuf,
    temporary: Option<PathBuf>,
}

impl NewFile {
    #[cfg(not(unix))]
    fn begin(path: PathBuf, _: Option<&Metadata>) -> io::Result<NewFile> {
        let name = temporary_beside(&path);
        let file = File::create_new(&name)?;
        Ok(NewFile { file, path, temporary: Some(name) })
    }

    #[cfg(unix)]
    fn begin(path: PathBuf, there: Option<&Metadata>) -> io::Result<NewFile> {
        use rustix::fs::{CWD, FlockOperation, Gid, Mode, OFlags, Uid, fchown, flock, openat};
        use std::os::unix::fs::MetadataExt;
        // As with a shell's redirection, an existing file keeps its permissions, and a new one gets what the umask
        // leaves.
        let mode = Mode::from_raw_mode(0o666);
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        // `end` can name the file only through this directory.
        let unnamed = if Path::new(DESCRIPTORS).exists() {
            openat(CWD, folder_of(&path), flags | OFlags::TMPFILE, mode).ok()
        } else {
            None
        };
        let (file, temporary) = match unnamed {
            Some(fd) => (File::from(fd), None),
            None => {
                let name = temporary_beside(&path);
                let file = File::from(openat(CWD, &name, flags | OFlags::CREATE | OFlags::EXCL, mode)?);
                // A copy deletes temporary files whose lock nobody holds.
                let _ = flock(&file, FlockOperation::NonBlockingLockExclusive);
                (file, Some(name))
            }
        };
        let new = NewFile { file, path, temporary };
        if let Some(there) = there {
            // Change the owner before the permissions, since it clears some of them. If we may not give the file away,
            // it stays ours.
            let (owner, group) = (Uid::from_raw(there.uid()), Gid::from_raw(there.gid()));
            let _ = fchown(&new.file, Some(owner), Some(group)).or_else(|_| fchown(&new.file, None, Some(group)));
            new.file.set_permissions(there.permissions())?;
        }
        Ok(new)
    }
}

impl Sink for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    /// Syncs the file and gives it its name.
    fn end(mut self: Box<Self>) -> io::Result<()> {
        self.file.sync_all()?;
        #[cfg(unix)]
        if self.temporary.is_none() {
            use rustix::fs::{AtFlags, CWD, linkat};
            use std::os::fd::AsRawFd;
            let name = temporary_beside(&self.path);
            let unnamed = format!("{DESCRIPTORS}/{}", self.file.as_raw_fd());
            linkat(CWD, &unnamed, CWD, &name, AtFlags::SYMLINK_FOLLOW)?;
            self.temporary = Some(name);
        }
        if let Some(name) = &self.temporary {
            fs::rename(name, &self.path)?;
        }
        self.temporary = None;
        let lasts = sync_folder(folder_of(&self.path));
        lasts.map_err(|e| io::Error::other(format!("is written, but may not survive a power failure: {}", plain(&e))))
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(name) = &self.temporary {
            let _ = fs::remove_file(name);
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns a new name in the folder of `path`, in the form that this program recognizes as temporary.
fn temporary_beside(path: &Path) -> PathBuf {
    use std::hash::{BuildHasher, RandomState};
    // The standard library seeds `RandomState` from the system's random numbers.
    let run = RandomState::new().hash_one(std::process::id());
    folder_of(path).join(format!("{}-{run:016x}-0.part", ours::FOLDER))
}
