//! Compressed lists: gzip, xz, Zstandard and bzip2.

use crate::text::lines::filled;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

/// A list that is compressed to less than this part of itself, and is longer than [`PLAUSIBLE`], is no list: digests
/// cannot be compressed to less than half, and what is said of a file besides is rarely ten times as long.
const MOST: u64 = 200;

/// What any list may decompress to, in bytes.
const PLAUSIBLE: u64 = 64 << 20;

/// Memory in bytes that a decoder may use: enough for the highest level of `xz` and `zstd --long`.
const MEMORY: u64 = 130 << 20;

/// A way to compress files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Xz,
    Zstandard,
    Bzip2,
}

impl Packing {
    /// Returns how a file that begins like this is compressed.
    pub(crate) fn of(start: &[u8]) -> Option<Packing> {
        let begins = |with: &[u8]| start.starts_with(with);
        match () {
            () if begins(b"\x1f\x8b\x08") => Some(Packing::Gzip),
            () if begins(b"\xfd7zXZ\0") => Some(Packing::Xz),
            () if begins(b"\x28\xb5\x2f\xfd") => Some(Packing::Zstandard),
            () if begins(b"BZh")
                && start.len() >= 10
                && (start[4..].starts_with(b"1AY&SY") || start[4..].starts_with(b"\x17\x72\x45\x38\x50\x90")) =>
            {
                Some(Packing::Bzip2)
            }
            () => None,
        }
    }

    /// Returns a reader of what was compressed.
    pub(crate) fn reader<'a>(self, inner: impl BufRead + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
        let inner = Counted { inner, read: 0 };
        Ok(match self {
            Packing::Gzip => Plausible::new(flate2::bufread::MultiGzDecoder::new(inner), |d| d.get_ref().read),
            Packing::Bzip2 => Plausible::new(bzip2::bufread::MultiBzDecoder::new(inner), |d| d.get_ref().read),
            Packing::Xz => {
                let decoder = lzma_rust2::XzReader::new_mem_limit(inner, true, (MEMORY >> 10) as u32);
                Plausible::new(decoder, |d| d.inner().read)
            }
            Packing::Zstandard => Plausible::new(Frames { decoder: Some(Frames::begin(inner)?) }, |d| {
                d.decoder.as_ref().map_or(u64::MAX, |d| d.get_ref().read)
            }),
        })
    }
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Packing::Gzip => "gzip",
            Packing::Xz => "xz",
            Packing::Zstandard => "zstd",
            Packing::Bzip2 => "bzip2",
        })
    }
}

/// A decoder of Zstandard frames, one after the other.
struct Frames<R: BufRead> {
    decoder: Option<StreamingDecoder<R, FrameDecoder>>,
}

impl<R: BufRead> Frames<R> {
    fn begin(inner: R) -> io::Result<StreamingDecoder<R, FrameDecoder>> {
        StreamingDecoder::new_with_max_window_size(inner, MEMORY).map_err(io::Error::other)
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.decoder {
            let n = decoder.read(to)?;
            if n > 0 || to.is_empty() {
                return Ok(n);
            }
            if filled(decoder.get_mut())?.is_empty() {
                break;
            }
            let inner = self.decoder.take().map(StreamingDecoder::into_inner);
            self.decoder = inner.map(Frames::begin).transpose()?;
        }
        Ok(0)
    }
}

/// A reader that counts what is read.
struct Counted<R> {
    inner: R,
    read: u64,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(to)?;
        self.read += n as u64;
        Ok(n)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, n: usize) {
        self.read += n as u64;
        self.inner.consume(n);
    }
}

/// A decoder whose output is refused once it is too much for what it is made of.
struct Plausible<D, F> {
    decoder: D,
    /// Returns how many compressed bytes have been read.
    compressed: F,
    made: u64,
}

impl<'a, D: Read + 'a, F: Fn(&D) -> u64 + 'a> Plausible<D, F> {
    #[allow(clippy::new_ret_no_self, reason = "nothing else is done with it")]
    fn new(decoder: D, compressed: F) -> Box<dyn BufRead + 'a> {
        Box::new(BufReader::with_capacity(64 << 10, Plausible { decoder, compressed, made: 0 }))
    }
}

impl<D: Read, F: Fn(&D) -> u64> Read for Plausible<D, F> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let n = self.decoder.read(to).map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => io::Error::new(e.kind(), "the compressed list is cut off"),
            io::ErrorKind::Interrupted => e,
            kind => io::Error::new(kind, format!("the compressed list is damaged ({e})")),
        })?;
        self.made += n as u64;
        if self.made > PLAUSIBLE && self.made / MOST > (self.compressed)(&self.decoder) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("decompresses to more than {MOST} times its length: no list does"),
            ));
        }
        Ok(n)
    }
}
