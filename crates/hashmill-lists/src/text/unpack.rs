//! Compressed lists: gzip, xz, Zstandard and bzip2.

use crate::text::lines::{Full, filled};
use hashmill::{Algorithm, Hasher};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::fmt;
use std::io::{self, BufRead, Read};

/// A list that is compressed to less than this part of itself, and is longer than [`PLAUSIBLE`], is no list: digests
/// cannot be compressed to less than half, and what is said of a file besides is rarely ten times as long.
const MOST: u64 = 200;

/// What any list may decompress to, in bytes.
const PLAUSIBLE: u64 = 64 << 20;

/// Memory in bytes that a decoder may use: enough for the highest level of `xz` and `zstd --long`.
const MEMORY: u64 = 130 << 20;

/// More than a list is worth that is to be told from other files: enough for the window of the highest level of `zstd`.
const MOST_FIRST: usize = 16 << 20;

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
            // A frame to be skipped, as pzstd writes it, and then one that is not.
            () if matches!(start, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]) => Some(Packing::Zstandard),
            () if begins(b"BZh")
                && start.len() >= 10
                && (start[4..].starts_with(b"1AY&SY") || start[4..].starts_with(b"\x17\x72\x45\x38\x50\x90")) =>
            {
                Some(Packing::Bzip2)
            }
            () => None,
        }
    }

    /// Returns how much of a file that begins like this its decoder needs before it returns anything, in bytes.
    pub(crate) fn first(self, start: &[u8]) -> usize {
        match self {
            Packing::Gzip | Packing::Xz => 64 << 10,
            Packing::Bzip2 => 1 << 20,
            // The decoder keeps what is in its window.
            Packing::Zstandard => window(start).unwrap_or(0).saturating_add(256 << 10).min(MOST_FIRST),
        }
    }

    /// Returns a reader of what was compressed.
    pub(crate) fn reader<'a>(self, inner: impl BufRead + Send + 'a) -> io::Result<Box<dyn BufRead + Send + 'a>> {
        let inner = Counted { inner, read: 0 };
        Ok(match self {
            Packing::Gzip => Plausible::new(flate2::bufread::MultiGzDecoder::new(inner), |d| d.get_ref().read),
            Packing::Bzip2 => Plausible::new(bzip2::bufread::MultiBzDecoder::new(inner), |d| d.get_ref().read),
            Packing::Xz => {
                let decoder = lzma_rust2::XzReader::new_mem_limit(inner, true, (MEMORY >> 10) as u32);
                Plausible::new(decoder, |d| d.inner().read)
            }
            Packing::Zstandard => Plausible::new(Frames::new(inner), |d| d.source.read),
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

/// Returns the size of the window of the first Zstandard frame, or its length if it is one piece (RFC 8878, section
/// 3.1.1.1).
fn window(start: &[u8]) -> Option<usize> {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0_u64, |n, &b| n << 8 | u64::from(b));
    let mut frame = start;
    while matches!(frame, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]) {
        frame = frame.get(8..)?.get(usize::try_from(number(frame.get(4..8)?)).ok()?..)?;
    }
    let &descriptor = frame.get(4)?;
    if descriptor & 0x20 == 0 {
        let &window = frame.get(5)?;
        let base = 1_u64 << (10 + (window >> 3));
        return usize::try_from(base + base / 8 * u64::from(window & 7)).ok();
    }
    let id = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let length = [1, 2, 4, 8][usize::from(descriptor >> 6)];
    usize::try_from(number(frame.get(5 + id..)?.get(..length)?)).ok()
}

/// A decoder of Zstandard frames, one after the other, of which some are to be skipped (RFC 8878, section 3.1.2).
struct Frames<R: BufRead> {
    source: Counted<R>,
    frame: Option<Frame>,
}

/// A frame that is being decoded.
struct Frame {
    decoder: FrameDecoder,
    /// The hash of what has been decoded, which the decoder does not compute.
    hash: Option<Hasher>,
    made: u64,
}

impl<R: BufRead> Frames<R> {
    fn new(source: Counted<R>) -> Self {
        Frames { source, frame: None }
    }

    /// Goes on to the next frame. Returns whether there is one.
    fn next(&mut self) -> io::Result<bool> {
        let mut decoder = self.frame.take().map_or_else(FrameDecoder::new, |frame| frame.decoder);
        decoder.set_max_window_size(MEMORY);
        while !filled(&mut self.source)?.is_empty() {
            match decoder.reset(&mut self.source) {
                Ok(()) => {
                    let hash = Algorithm::named("xxh64").map(Hasher::new);
                    self.frame = Some(Frame { decoder, hash, made: 0 });
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let length = u64::from(length);
                    if io::copy(&mut (&mut self.source).take(length), &mut io::sink())? < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(e) => return Err(error(e)),
            }
        }
        Ok(false)
    }

    /// Checks a frame that has been read to its end.
    fn end(&mut self) -> io::Result<()> {
        let Some(frame) = &mut self.frame else { return Ok(()) };
        let size = frame.decoder.content_size();
        let sum = frame.decoder.get_checksum_from_data();
        // The checksum is the lower half of the hash, which comes last in its bytes.
        let right = |sum: u32, hash: &Hasher| hash.clone().finalize().as_bytes().ends_with(&sum.to_be_bytes());
        if size > 0 && size != frame.made || sum.zip(frame.hash.as_ref()).is_some_and(|(sum, hash)| !right(sum, hash)) {
            return Err(io::Error::other("its checksum or length is wrong"));
        }
        if !self.next()? {
            self.frame = None;
        }
        Ok(())
    }
}

/// Returns an error of the decoder, which hides that the input has ended, as one that tells it.
fn error(e: FrameDecoderError) -> io::Error {
    let mut cause: Option<&dyn std::error::Error> = Some(&e);
    while let Some(error) = cause {
        if error.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::UnexpectedEof) {
            return io::ErrorKind::UnexpectedEof.into();
        }
        cause = error.source();
    }
    io::Error::other(e)
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(frame) = &mut self.frame else { if self.next()? { continue } else { return Ok(0) } };
            if frame.decoder.can_collect() == 0 && !frame.decoder.is_finished() {
                frame.decoder.decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBlocks(1)).map_err(error)?;
            }
            let n = frame.decoder.read(to)?;
            if let (Some(hash), Some(some)) = (&mut frame.hash, to.get(..n)) {
                hash.update(some);
            }
            frame.made += n as u64;
            if n > 0 || to.is_empty() {
                return Ok(n);
            }
            if frame.decoder.is_finished() {
                self.end()?;
            }
        }
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
    /// Whether it has failed. What a decoder returns after that means nothing.
    failed: bool,
}

impl<'a, D: Read + Send + 'a, F: Fn(&D) -> u64 + Send + 'a> Plausible<D, F> {
    #[allow(clippy::new_ret_no_self, reason = "nothing else is done with it")]
    fn new(decoder: D, compressed: F) -> Box<dyn BufRead + Send + 'a> {
        Box::new(Full::new(Plausible { decoder, compressed, made: 0, failed: false }))
    }
}

impl<D: Read, F: Fn(&D) -> u64> Plausible<D, F> {
    fn decode(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let n = self.decoder.read(to).map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => io::Error::new(e.kind(), "the compressed list is cut off"),
            kind => {
                let why = e.to_string();
                let why = if why.contains("BadMagicNumber") { "something else follows it" } else { &why };
                io::Error::new(kind, format!("the compressed list is damaged ({why})"))
            }
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

impl<D: Read, F: Fn(&D) -> u64> Read for Plausible<D, F> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.failed {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the compressed list is damaged"));
        }
        // What is read from has retried what was interrupted, so that no decoder stops halfway.
        self.decode(to).inspect_err(|_| self.failed = true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::digits::bytes_of_hex;

    const TEXT: &str = "d41d8cd98f00b204e9800998ecf8427e  a\nd41d8cd98f00b204e9800998ecf8427e  b\n";

    /// The text as `gzip -n`, `xz`, `zstd` and `bzip2` compress it.
    const PACKED: [(Packing, &str); 4] = [
        (
            Packing::Gzip,
            "1f8b08000000000000034b31314cb1484eb1b44833304832323049b5b43030b0b4b4484d4eb33031324f555048e44a21a826890b00\
             164d08ff48000000",
        ),
        (
            Packing::Xz,
            "fd377a585a000004e6d6b4460200210116000000742fe5a3e00047002d5d00320d0226825a9a75adb8b10efd408ff3898ea169f7f3\
             c15f006ee2fff164c338d330a05dcbc6fdfd1b76e03e800000000028b7b41e033eefff00014948c5883a791fb6f37d010000000004\
             595a",
        ),
        (
            Packing::Zstandard,
            "28b52ffd2448750100640264343164386364393866303062323034653938303039393865636638343237652020610a620a01003c8e\
             7a027c32822c",
        ),
        (
            Packing::Bzip2,
            "425a68393141592653599c5dd5d300001c59000010400074e03f00200040555326d06a6214c0004cf164bad324b2a3abac871842a6\
             94550d28c21f36ebadae7afc5dc914e142427177574c",
        ),
    ];

    fn packed(hex: &str) -> Vec<u8> {
        bytes_of_hex(hex.replace(' ', "").as_bytes()).unwrap()
    }

    fn unpacked(packed: &[u8]) -> io::Result<String> {
        let mut text = String::new();
        let packing = Packing::of(packed).ok_or(io::ErrorKind::Unsupported)?;
        packing.reader(packed)?.read_to_string(&mut text).map(|_| text)
    }

    #[test]
    fn several_parts() {
        for (packing, hex) in PACKED {
            let one = packed(hex);
            assert_eq!(Packing::of(&one), Some(packing));
            assert_eq!(unpacked(&one).unwrap(), TEXT, "{packing}");
            assert_eq!(unpacked(&one.repeat(3)).unwrap(), TEXT.repeat(3), "{packing}");
            assert!(unpacked(&[&one[..], b"rest of something"].concat()).is_err(), "{packing}");
        }
    }

    #[test]
    fn windows_of_zstandard() {
        assert_eq!(window(&packed(PACKED[2].1)), Some(TEXT.len()));
        // As `zstd` and `zstd -19` write what comes through a pipe; the latter after a frame to be skipped.
        assert_eq!(window(b"\x28\xb5\x2f\xfd\x04\x58"), Some(2 << 20));
        let skipped = b"\x50\x2a\x4d\x18\x04\0\0\0abcd";
        assert_eq!(window(&[&skipped[..], b"\x28\xb5\x2f\xfd\x04\x68"].concat()), Some(8 << 20));
        for end in 0..skipped.len() {
            assert_eq!(window(&skipped[..end]), None);
        }
        let largest = Packing::Zstandard.first(b"\x28\xb5\x2f\xfd\xe0\xff\xff\xff\xff\xff\xff\xff\xff\xff");
        assert_eq!(largest, MOST_FIRST);
    }

    /// No damage goes unnoticed.
    #[test]
    fn what_is_damaged_or_cut() {
        for (packing, hex) in PACKED {
            let one = packed(hex);
            for end in 1..one.len() {
                assert!(unpacked(&one[..end]).is_err(), "{packing} {end}");
                assert!(unpacked(&[&one[..], &one[..end]].concat()).is_err(), "{packing} {end}");
            }
            for (i, bit) in (0..one.len()).flat_map(|i| (0..8).map(move |bit| (i, 1 << bit))) {
                let mut damaged = one.clone();
                damaged[i] ^= bit;
                // What says nothing about the content may differ.
                assert!(unpacked(&damaged).map_or(true, |text| text == TEXT), "{packing} {i} {bit}");
            }
        }
    }

    /// Nothing is read after an error, however often somebody tries.
    #[test]
    fn errors_last() {
        for (packing, hex) in PACKED {
            let mut damaged = packed(hex);
            let middle = damaged.len() / 2;
            damaged[middle] ^= 0xff;
            let mut reader = packing.reader(&damaged[..]).unwrap();
            let mut text = Vec::new();
            assert!(reader.read_to_end(&mut text).is_err(), "{packing}");
            let before = text.len();
            for _ in 0..5 {
                assert!(reader.read_to_end(&mut text).is_err() && text.len() == before, "{packing}");
            }
        }
    }

    #[test]
    fn frames_of_zstandard() {
        let one = packed(PACKED[2].1);
        let skipped = b"\x5a\x2a\x4d\x18\x03\0\0\0abc";
        let list = [skipped, &one[..], skipped, skipped, &one, skipped].concat();
        assert_eq!(unpacked(&list).unwrap(), TEXT.repeat(2));
        assert_eq!(unpacked(skipped).unwrap(), "");
        let cut = [&one[..], &skipped[..10]].concat();
        assert_eq!(unpacked(&cut).unwrap_err().to_string(), "the compressed list is cut off");
        let error = |list: &[u8]| unpacked(list).unwrap_err().to_string();
        // Another length than it says, a window of 2 TiB, and a dictionary.
        assert!(error(b"\x28\xb5\x2f\xfd\x20\x05\x21\0\0abcd").contains("length is wrong"));
        assert!(error(b"\x28\xb5\x2f\xfd\0\xf8\x01\0\0").contains("window"));
        assert!(error(b"\x28\xb5\x2f\xfd\x01\x58\x77\x01\0\0").contains("dictionary"));
    }

    /// A dictionary of 4 GiB, which nobody allocates.
    #[test]
    fn the_dictionary_of_xz() {
        let mut huge = packed(PACKED[1].1);
        huge[16] = 40;
        let sum = Algorithm::named("crc32").unwrap().digest(&huge[12..20]);
        let sum: Vec<u8> = sum.as_bytes().iter().rev().copied().collect();
        huge[20..24].copy_from_slice(&sum);
        assert!(unpacked(&huge).unwrap_err().to_string().contains("memory"));
    }
}
