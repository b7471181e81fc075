//! What is hashed: a path, or what comes on standard input.

use crate::error::Error;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A file to be hashed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Input {
    /// Standard input, from where it stands to its end.
    Stdin,
    /// A path. Symbolic links are followed; FIFOs and devices are read to their end.
    Path(PathBuf),
}

impl Input {
    /// The input that a command line means: `-` is standard input.
    pub fn from_argument(argument: &OsStr) -> Self {
        if argument == "-" { Input::Stdin } else { Input::Path(argument.into()) }
    }

    /// The name in lists and messages: the path, or `-`.
    pub fn name(&self) -> &Path {
        match self {
            Input::Stdin => Path::new("-"),
            Input::Path(p) => p,
        }
    }

    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        match self {
            Input::Stdin => stdin()?.metadata(),
            Input::Path(p) => std::fs::metadata(p),
        }
    }

    pub(crate) fn open(&self) -> io::Result<File> {
        match self {
            Input::Stdin => stdin(),
            Input::Path(p) => File::open(p),
        }
    }
}

/// Standard input without a buffer of our own, so that what is not asked for stays unread.
#[cfg(unix)]
fn stdin() -> io::Result<File> {
    use std::os::fd::AsFd;
    if crate::sys::closed_at_start(0) {
        return Err(rustix::io::Errno::BADF.into());
    }
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

/// Standard input without a buffer of our own, so that what is not asked for stays unread.
#[cfg(windows)]
fn stdin() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdin().as_handle().try_clone_to_owned()?))
}

/// Reads once; an interruption is no end.
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

/// Reads from byte `at` of a file on until the buffer is full or the file ends.
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

/// Tells the kernel that a file will be read from front to back, which doubles what it reads ahead. Only advice: where it
/// cannot be given, nothing is lost.
pub(crate) fn advise_sequential(file: &File) {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::Sequential);
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let _ = file;
}
