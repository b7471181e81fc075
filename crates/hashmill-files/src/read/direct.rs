//! Reading past the page cache: from the medium, and without pushing out what others have in there.

use crate::base::error::Error;
use std::fs::File;
use std::io;
use std::path::Path;

/// Where `O_DIRECT` may read to and from: multiples of this suit every device in use.
const PAGE: usize = 4096;

/// Bytes that are read at once.
const LEN: usize = 256 << 10;

/// An open file that is read past the page cache.
pub(crate) struct Direct {
    file: File,
    /// `LEN` bytes of it are used, from the first address that is a multiple of a page.
    buffer: Vec<u8>,
    /// The part of the buffer that has been read from the file and not been handed on.
    from: usize,
    to: usize,
    /// The file has ended.
    ended: bool,
}

impl Direct {
    /// Opens a file for it. None where the file system cannot do it.
    pub(crate) fn open(path: &Path) -> io::Result<Option<Direct>> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            use std::os::unix::fs::OpenOptionsExt;
            let flag = rustix::fs::OFlags::DIRECT.bits() as i32;
            match std::fs::OpenOptions::new().read(true).custom_flags(flag).open(path) {
                Ok(file) => {
                    let buffer = vec![0; LEN + PAGE];
                    return Ok(Some(Direct { file, buffer, from: 0, to: 0, ended: false }));
                }
                Err(e) if e.raw_os_error() == Some(rustix::io::Errno::INVAL.raw_os_error()) => {}
                Err(e) => return Err(e),
            }
        }
        let _ = path;
        Ok(None)
    }

    /// The same file, for questions about it.
    pub(crate) fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Reads on. Nothing is the end.
    pub(crate) fn read(&mut self, out: &mut [u8]) -> Result<usize, Error> {
        let start = self.buffer.as_ptr().align_offset(PAGE).min(PAGE);
        if self.from == self.to && !self.ended {
            let n = crate::read::input::read(&self.file, &mut self.buffer[start..start + LEN])?;
            (self.from, self.to) = (0, n);
            // What follows would begin at an odd place, which only the end of the file does.
            self.ended = n == 0 || n % PAGE != 0;
        }
        let n = out.len().min(self.to - self.from);
        out[..n].copy_from_slice(&self.buffer[start + self.from..][..n]);
        self.from += n;
        Ok(n)
    }
}
