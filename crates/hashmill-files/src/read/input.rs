//! What is hashed: a path or standard input.

use crate::base::error::Error;
use std::ffi::OsStr;
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A file to be hashed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Input {
    /// Standard input, from its current position to its end.
    Stdin,
    /// A path. Symbolic links are followed; FIFOs and devices are read to their end.
    Path(PathBuf),
    /// A path below a folder, which symbolic links must not lead out of.
    Below(Arc<Below>, PathBuf),
}

/// A folder that paths must not lead out of. It is opened, and its real path found out, when that is needed.
#[derive(Debug)]
pub struct Below {
    folder: Option<PathBuf>,
    /// Its absolute paths: the one without links, and the one by which it was called.
    absolute: OnceLock<Vec<PathBuf>>,
    #[cfg(any(target_os = "linux", target_os = "android"))]
    open: OnceLock<Option<File>>,
}

impl Below {
    /// Returns a folder; `None` is the current one.
    pub fn new(folder: Option<PathBuf>) -> Self {
        Below {
            folder,
            absolute: OnceLock::new(),
            #[cfg(any(target_os = "linux", target_os = "android"))]
            open: OnceLock::new(),
        }
    }

    fn folder(&self) -> &Path {
        self.folder.as_deref().unwrap_or(Path::new("."))
    }

    fn absolute(&self) -> &[PathBuf] {
        self.absolute.get_or_init(|| {
            let Ok(real) = std::fs::canonicalize(self.folder()) else { return Vec::new() };
            // Shells say by which links they came to the current folder.
            let called = match &self.folder {
                None => std::env::var_os("PWD").map(PathBuf::from).filter(|path| path.is_absolute()),
                Some(folder) => std::path::absolute(folder).ok(),
            };
            let same = |called: &PathBuf| std::fs::canonicalize(called).is_ok_and(|path| path == real);
            let called = called.filter(|called| *called != real && same(called));
            std::iter::once(real).chain(called).collect()
        })
    }

    /// Returns what follows the folder in an absolute path, as far as the text tells.
    pub(crate) fn below<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        self.absolute().iter().find_map(|folder| path.strip_prefix(folder).ok())
    }

    /// Returns the path from the folder, as far as the text tells.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn relative<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        let named = self.folder.as_ref().map_or(Some(path), |folder| path.strip_prefix(folder).ok());
        let relative = named.filter(|path| path.is_relative()).or_else(|| self.below(path))?;
        (!relative.as_os_str().is_empty()).then_some(relative)
    }

    /// Opens a file, if it is below the folder.
    fn open(&self, path: &Path, nonblocking: bool) -> Result<File, Error> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            use rustix::fs::{Mode, OFlags, ResolveFlags};
            use rustix::io::Errno;
            let open = self.open.get_or_init(|| File::open(self.folder()).ok());
            if let (Some(open), Some(relative)) = (open, self.relative(path)) {
                let flags = OFlags::RDONLY | OFlags::CLOEXEC;
                let flags = if nonblocking { flags | OFlags::NONBLOCK } else { flags };
                match rustix::fs::openat2(open, relative, flags, Mode::empty(), ResolveFlags::BENEATH) {
                    Ok(file) => return Ok(file.into()),
                    // Links that are absolute, or lead out and back again; systems without this call.
                    Err(Errno::XDEV | Errno::NOSYS | Errno::PERM | Errno::INVAL | Errno::AGAIN) => {}
                    Err(e) => return Err(io::Error::from(e).into()),
                }
            }
        }
        // The text of the path stays below the folder, so only links can lead out.
        let is_link = |part: &Path| std::fs::symlink_metadata(part).is_ok_and(|m| m.is_symlink());
        let below = |part: &&Path| self.folder.as_ref().is_none_or(|folder| *part != folder.as_path());
        if !path.ancestors().take_while(below).filter(|part| !part.as_os_str().is_empty()).any(is_link) {
            return Ok(reading(nonblocking).open(path)?);
        }
        let real = std::fs::canonicalize(path)?;
        if !self.absolute().first().is_some_and(|folder| real.starts_with(folder)) {
            return Err(Error::Outside);
        }
        // The real path has no links, so another file can only be opened if one is put there meanwhile.
        Ok(reading(nonblocking).open(real)?)
    }
}

impl PartialEq for Below {
    fn eq(&self, other: &Self) -> bool {
        self.folder == other.folder
    }
}

impl Eq for Below {}

impl std::hash::Hash for Below {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.folder.hash(state);
    }
}

/// Returns how to open a file for reading, without waiting for the other end of what has become a pipe.
fn reading(nonblocking: bool) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    if nonblocking {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    #[cfg(not(unix))]
    let _ = nonblocking;
    options
}

impl Input {
    /// Returns the input that a command-line argument stands for: `-` is standard input. On Windows, `\` in a path
    /// becomes `/`, so that lists can be read on other systems, where `\` begins an escape or is part of a name.
    pub fn from_argument(argument: &OsStr) -> Self {
        if argument == "-" { Input::Stdin } else { Input::Path(with_slashes(argument.into())) }
    }

    /// Returns the name for lists and messages: the path, or `-`.
    pub fn name(&self) -> &Path {
        match self {
            Input::Stdin => Path::new("-"),
            Input::Path(p) | Input::Below(_, p) => p,
        }
    }

    /// Returns the path, unless this is standard input.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Input::Stdin => None,
            Input::Path(p) | Input::Below(_, p) => Some(p),
        }
    }

    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        match self {
            Input::Stdin => stdin()?.metadata(),
            Input::Path(p) | Input::Below(_, p) => std::fs::metadata(p),
        }
    }

    /// Examines the input without opening it, since opening a pipe may block.
    pub(crate) fn look(&self) -> io::Result<Look> {
        // On Windows, what has no metadata but can be opened is a device: `NUL`, `CON`.
        #[cfg(windows)]
        if self.metadata().is_err() && self.open().is_ok() {
            return Ok(Look::device());
        }
        let look = Look::of(&self.metadata()?);
        let read_once = *self == Input::Stdin && look.kind == Kind::Regular;
        Ok(if read_once { Look { kind: Kind::Stream, len: 0, ..look } } else { look })
    }

    /// Opens what a directory listing has reported as a regular file, and examines what it is now. If it has become a
    /// pipe, this does not wait for its other end.
    pub(crate) fn open_listed(&self) -> Result<(File, Look), Error> {
        let open = |nonblocking: bool| match self {
            Input::Below(below, path) => below.open(path, nonblocking),
            input => Ok(reading(nonblocking).open(input.name())?),
        };
        let file = match open(true) {
            // Another process holds a lease on the file and gives it up while we wait.
            Err(Error::Io(e)) if e.kind() == io::ErrorKind::WouldBlock => open(false)?,
            other => other?,
        };
        let look = Look::at(&file)?;
        Ok((file, look))
    }

    pub(crate) fn open(&self) -> Result<File, Error> {
        match self {
            Input::Stdin => Ok(stdin()?),
            Input::Path(p) => Ok(File::open(p)?),
            Input::Below(below, p) => below.open(p, false),
        }
    }
}

/// An input and what is known about it: the items that [`sum`](crate::sum) takes and [`walk`](crate::walk) finds. Every
/// [`Input`] converts into one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub(crate) input: Input,
    /// Whether a directory listing has reported a regular file, which then need not be examined again before it is
    /// opened.
    pub(crate) listed: bool,
    /// Whether to refuse pipes, sockets and devices.
    pub(crate) regular_only: bool,
    /// What the file system says of it, if the walk examined it.
    pub(crate) facts: Option<Facts>,
}

/// What a file system says of a regular file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Length in bytes.
    pub size: u64,
    /// When the content was last modified: seconds since 1970 (UTC), and nanoseconds.
    pub modified: (i64, u32),
    /// When the inode last changed, in the same way; where there are no such times, the last modification.
    pub changed: (i64, u32),
    /// Number of the device, and of the inode on it; zeros where the system has no such numbers.
    pub id: (u64, u64),
    /// Number of names (hard links).
    pub links: u64,
}

impl Facts {
    /// Returns what the metadata of a file say.
    pub fn of(m: &Metadata) -> Facts {
        let modified = Look::of(m).stamp.modified();
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let changed = (m.ctime(), u32::try_from(m.ctime_nsec()).unwrap_or_default());
            Facts { size: m.len(), modified, changed, id: (m.dev(), m.ino()), links: m.nlink() }
        }
        #[cfg(not(unix))]
        Facts { size: m.len(), modified, changed: modified, id: (0, 0), links: 1 }
    }
}

impl Found {
    /// Returns the input.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// Returns what the file system says of a regular file, if the walk examined files and met it itself, and not a
    /// link to it.
    pub fn facts(&self) -> Option<&Facts> {
        self.facts.as_ref()
    }

    pub(crate) fn listed(path: PathBuf, facts: Option<Facts>) -> Self {
        Found { input: Input::Path(path), listed: true, regular_only: false, facts }
    }

    /// Returns an input that is not read if it is a pipe, a socket or a device, since that may take forever. Standard
    /// input may be anything.
    pub fn regular_only(input: Input) -> Self {
        let regular_only = input != Input::Stdin;
        Found { input, listed: false, regular_only, facts: None }
    }
}

impl From<Input> for Found {
    fn from(input: Input) -> Self {
        Found { input, listed: false, regular_only: false, facts: None }
    }
}

/// The kinds of input, by how they can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A file that has a length and can be read from any position.
    Regular,
    Directory,
    /// Pipes, devices, and standard input even if it is a file: to be read once, in order.
    Stream,
}

/// The result of examining an input.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    pub(crate) kind: Kind,
    /// Length in bytes, as far as it is known.
    pub(crate) len: u64,
    /// Number of the device that the input is on.
    pub(crate) device: u64,
    pub(crate) stamp: Stamp,
}

/// What changes when a file is written to: its length and its modification time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    len: u64,
    seconds: i64,
    nanoseconds: i64,
}

impl Stamp {
    /// Returns the time of the last modification: seconds since 1970 (UTC), and nanoseconds.
    pub(crate) fn modified(self) -> (i64, u32) {
        (self.seconds, u32::try_from(self.nanoseconds).unwrap_or_default())
    }
}

impl Look {
    #[cfg(windows)]
    fn device() -> Look {
        Look { kind: Kind::Stream, len: 0, device: 0, stamp: Stamp { len: 0, seconds: 0, nanoseconds: 0 } }
    }

    fn of(m: &Metadata) -> Look {
        let kind = match m.file_type() {
            t if t.is_file() => Kind::Regular,
            t if t.is_dir() => Kind::Directory,
            _ => Kind::Stream,
        };
        #[cfg(unix)]
        let (device, seconds, nanoseconds) = {
            use std::os::unix::fs::MetadataExt;
            (m.dev(), m.mtime(), m.mtime_nsec())
        };
        #[cfg(not(unix))]
        let (device, seconds, nanoseconds) = {
            let since =
                m.modified().ok().and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok()).unwrap_or_default();
            (0, since.as_secs() as i64, i64::from(since.subsec_nanos()))
        };
        let len = if kind == Kind::Regular { m.len() } else { 0 };
        Look { kind, len, device, stamp: Stamp { len, seconds, nanoseconds } }
    }

    /// Examines an open file. The standard library would ask the system for more than is needed, which takes longer.
    #[cfg(unix)]
    pub(crate) fn at(file: &File) -> io::Result<Look> {
        use rustix::fs::{FileType, fstat};
        let stat = fstat(file)?;
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Kind::Regular,
            FileType::Directory => Kind::Directory,
            _ => Kind::Stream,
        };
        let len = if kind == Kind::Regular { stat.st_size as u64 } else { 0 };
        // The types of these fields differ between systems.
        #[allow(clippy::unnecessary_cast, clippy::useless_conversion, reason = "they are needed elsewhere")]
        let stamp = Stamp { len, seconds: stat.st_mtime as i64, nanoseconds: stat.st_mtime_nsec as i64 };
        #[allow(clippy::unnecessary_cast, clippy::useless_conversion, reason = "it is needed elsewhere")]
        let device = stat.st_dev as u64;
        Ok(Look { kind, len, device, stamp })
    }

    #[cfg(not(unix))]
    pub(crate) fn at(file: &File) -> io::Result<Look> {
        Ok(Look::of(&file.metadata()?))
    }
}

/// Describes something that is neither a regular file nor a directory.
pub fn special(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "named pipe";
        }
        if kind.is_socket() {
            return "socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "device";
        }
    }
    let _ = kind;
    "no regular file"
}

/// Returns a path with the separator that lists use, on systems that have another one as well.
fn with_slashes(path: PathBuf) -> PathBuf {
    #[cfg(windows)]
    if !path.as_os_str().as_encoded_bytes().starts_with(br"\\?\")
        && let Some(text) = path.to_str()
        && text.contains('\\')
    {
        return text.replace('\\', "/").into();
    }
    path
}

/// Returns the path of `name` in a folder, with the separator that lists use.
pub(crate) fn joined(folder: &Path, name: &OsStr) -> PathBuf {
    let mut path = PathBuf::with_capacity(folder.as_os_str().len() + 1 + name.len());
    path.push(folder);
    path.push(name);
    with_slashes(path)
}

/// Returns standard input without a buffer of our own, so that nothing is read beyond what is asked for.
#[cfg(unix)]
fn stdin() -> io::Result<File> {
    use std::os::fd::AsFd;
    if crate::read::sys::closed_at_start(0) {
        return Err(rustix::io::Errno::BADF.into());
    }
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

/// Returns standard input without a buffer of our own, so that nothing is read beyond what is asked for.
#[cfg(windows)]
fn stdin() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdin().as_handle().try_clone_to_owned()?))
}

/// Reads once, and again if interrupted.
pub(crate) fn read(mut file: &File, buffer: &mut [u8]) -> Result<usize, Error> {
    loop {
        match file.read(buffer) {
            Ok(n) => return Ok(n),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) if e.kind() == io::ErrorKind::IsADirectory => return Err(Error::IsDirectory),
            Err(e) => return Err(e.into()),
        }
    }
}

/// Reads a file from byte `at` on until the buffer is full or the file ends.
pub(crate) fn read_full_at(file: &File, buffer: &mut [u8], at: u64) -> Result<usize, Error> {
    #[cfg(unix)]
    use std::os::unix::fs::FileExt;
    #[cfg(windows)]
    use std::os::windows::fs::FileExt;
    let mut n = 0;
    while n < buffer.len() {
        #[cfg(unix)]
        let got = file.read_at(&mut buffer[n..], at + n as u64);
        #[cfg(windows)]
        let got = file.seek_read(&mut buffer[n..], at + n as u64);
        match got {
            Ok(0) => break,
            Ok(more) => n += more,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e.into()),
        }
    }
    Ok(n)
}

/// Tells the kernel that a file will be read from front to back, which doubles its read-ahead. This is only advice: if
/// it cannot be given, nothing is lost.
pub(crate) fn advise_sequential(file: &File) {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::Sequential);
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let _ = file;
}
