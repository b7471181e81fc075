//! Reading past the page cache: straight from the medium, and without evicting what others have cached.

use crate::base::error::Error;
use std::fs::File;
use std::io;
use std::path::Path;

/// Alignment of buffers and offsets for `O_DIRECT`; it suits every device in use.
const PAGE: usize = 4096;

/// Number of bytes read at once.
const LEN: usize = 256 << 10;

/// An open file that is read past the page cache.
pub(crate) struct Direct {
    file: File,
    /// `LEN` bytes of it are used, from the first page-aligned address on.
    buffer: Vec<u8>,
    /// The range of the buffer that has been read from the file but not handed on yet.
    from: usize,
    to: usize,
    /// Whether the end of the file has been reached.
    ended: bool,
}

impl Direct {
    /// Opens a file for direct reading. Returns `None` if the file system does not support that.
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

    /// Returns another handle to the file, for querying its metadata.
    pub(crate) fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Reads the next bytes. Returns 0 at the end of the file.
    pub(crate) fn read(&mut self, out: &mut [u8]) -> Result<usize, Error> {
        let start = self.buffer.as_ptr().align_offset(PAGE).min(PAGE);
        if self.from == self.to && !self.ended {
            let n = crate::read::input::read(&self.file, &mut self.buffer[start..start + LEN])?;
            (self.from, self.to) = (0, n);
            // The next read would begin at an unaligned offset, which can only be the end of the file.
            self.ended = n == 0 || n % PAGE != 0;
        }
        let n = out.len().min(self.to - self.from);
        out[..n].copy_from_slice(&self.buffer[start + self.from..][..n]);
        self.from += n;
        Ok(n)
    }
}
