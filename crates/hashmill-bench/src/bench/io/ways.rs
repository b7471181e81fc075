//! The ways to read, each as a program would write it.

use crate::sys::io::{self as raw, Mapping, Ring};
use hashmill::{Algorithm, Digest, Hasher};
use hashmill_measure::sys;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, PipeWriter, Read, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

const KIB: usize = 1 << 10;

/// Bytes per O_DIRECT read, which are many because there is no read-ahead.
const DIRECT_CHUNK: usize = 1 << 20;

/// Bytes per write of the feeder.
const FEED_CHUNK: usize = 256 * KIB;

/// A way to get bytes into a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// No reading at all: as many bytes from a buffer that stays in the CPU's cache. Shows the cost of the hash alone.
    HashOnly,
    /// Reads the whole file into memory, then computes its digest.
    Whole,
    /// read(2) into a buffer of this size. Go's io.Copy uses 32 KiB, its CopyBuffer any size.
    Copy(usize),
    /// A buffered reader with a buffer of this size.
    Buffered(usize),
    /// pread(2) into a buffer of this size.
    Pread(usize),
    /// A memory-mapped file.
    Mmap,
    /// Reads past the page cache (O_DIRECT).
    Direct,
    /// Several reads in flight (io_uring).
    Uring,
    /// Reads a stream into memory to its end, then computes its digest, like Go's io.ReadAll.
    ReadAll,
    /// Reads a stream through a buffer of this size.
    Streaming(usize),
}

impl Way {
    /// Ways to read files.
    pub(super) const FILE: [Way; 8] = [
        Way::Whole,
        Way::Copy(32 * KIB),
        Way::Copy(4 * KIB),
        Way::Buffered(4 * KIB),
        Way::Pread(256 * KIB),
        Way::Mmap,
        Way::Uring,
        Way::Direct,
    ];

    /// Ways to read pipes and connections.
    pub(super) const STREAM: [Way; 4] =
        [Way::ReadAll, Way::Streaming(32 * KIB), Way::Streaming(4 * KIB), Way::Streaming(256 * KIB)];

    /// Returns the name for people: `copy 32 KiB`.
    pub(super) fn name(self) -> String {
        match self {
            Way::HashOnly => "hash only".into(),
            Way::Whole => "whole".into(),
            Way::Copy(n) => format!("copy {} KiB", n / KIB),
            Way::Buffered(n) => format!("buffered {} KiB", n / KIB),
            Way::Pread(n) => format!("pread {} KiB", n / KIB),
            Way::Mmap => "mmap".into(),
            Way::Direct => "O_DIRECT".into(),
            Way::Uring => "io_uring".into(),
            Way::ReadAll => "read all".into(),
            Way::Streaming(n) => format!("streaming {} KiB", n / KIB),
        }
    }

    /// Returns the name as part of a Go benchmark's name: `ReadCopy32KiB`.
    pub(super) fn go_name(self) -> String {
        let prefix = if matches!(self, Way::HashOnly | Way::ReadAll | Way::Streaming(_)) { "" } else { "Read" };
        let word = |w: &str| w[..1].to_uppercase() + &w[1..];
        prefix.to_string() + &self.name().split([' ', '_']).map(word).collect::<String>()
    }
}

/// The file to be read.
#[derive(Debug)]
pub(super) struct Source {
    /// Name for people.
    pub(super) shown: String,
    /// Path that opens it.
    pub(super) path: PathBuf,
    /// The open file, for the page cache, and so that a file without a name continues to exist.
    pub(super) file: File,
    pub(super) size: u64,
    pub(super) algorithm: Algorithm,
    /// Digest that every way must arrive at.
    pub(super) digest: Digest,
    /// First bytes, for [`Way::HashOnly`].
    pub(super) head: Vec<u8>,
}

impl Source {
    /// Reads the file once, from front to back.
    pub(super) fn new(shown: String, path: PathBuf, file: File, algorithm: Algorithm) -> io::Result<Source> {
        let mut head = vec![0; FEED_CHUNK];
        let mut hasher = Hasher::new(algorithm);
        let mut first = 0;
        let size = pump(&mut At(&file, 0), &mut head, |b| {
            first = first.max(b.len());
            hasher.update(b);
        })?;
        head.truncate(first);
        file.read_exact_at(&mut head, 0)?;
        Ok(Source { shown, path, file, size, algorithm, digest: hasher.finalize(), head })
    }

    /// Reads the file this way. Returns its digest and the number of bytes, or `None` if the file shrank below a
    /// mapping.
    pub(super) fn read(&self, way: Way, ring: Option<&mut Ring>) -> io::Result<Option<(Digest, u64)>> {
        let hasher = || Hasher::new(self.algorithm);
        let path = self.path.as_path();
        match way {
            Way::HashOnly => {
                let mut h = hasher();
                let mut left = self.size;
                while left > 0 {
                    going_on()?;
                    let n = self.head.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                    h.update(&self.head[..n]);
                    left -= n as u64;
                }
                Ok(Some((h.finalize(), self.size)))
            }
            Way::Whole => {
                let bytes = fs::read(path)?;
                Ok(Some((self.algorithm.digest(&bytes), bytes.len() as u64)))
            }
            Way::Copy(n) => digest(&mut File::open(path)?, &mut vec![0; n], hasher()).map(Some),
            Way::Buffered(n) => {
                let mut reader = BufReader::with_capacity(n, File::open(path)?);
                let (mut h, mut total) = (hasher(), 0);
                loop {
                    going_on()?;
                    let bytes = reader.fill_buf()?;
                    if bytes.is_empty() {
                        return Ok(Some((h.finalize(), total)));
                    }
                    h.update(bytes);
                    let n = bytes.len();
                    reader.consume(n);
                    total += n as u64;
                }
            }
            Way::Pread(n) => digest(&mut At(&File::open(path)?, 0), &mut vec![0; n], hasher()).map(Some),
            Way::Mmap => {
                let len = usize::try_from(self.size).map_err(|_| io::ErrorKind::FileTooLarge)?;
                let mapping = Mapping::new(&File::open(path)?, len)?;
                let digest = self.algorithm.digest(mapping.bytes());
                Ok(mapping.intact().then_some((digest, self.size)))
            }
            Way::Direct => {
                let mut memory = vec![0; DIRECT_CHUNK + raw::DIRECT_ALIGNMENT];
                let start = memory.as_ptr().align_offset(raw::DIRECT_ALIGNMENT);
                let aligned = memory.get_mut(start..).unwrap_or_default();
                let aligned = aligned.get_mut(..DIRECT_CHUNK).unwrap_or_default();
                let file = raw::open_direct(path)?;
                let mut file = At(&file, 0);
                let mut h = hasher();
                let mut total = 0;
                loop {
                    going_on()?;
                    let n = file.read(aligned)?;
                    h.update(&aligned[..n]);
                    total += n as u64;
                    // A short read means the end; on some file systems, another read there, at an odd offset, is an
                    // error.
                    if n % raw::DIRECT_ALIGNMENT != 0 || n == 0 {
                        return Ok(Some((h.finalize(), total)));
                    }
                }
            }
            Way::Uring => {
                let Some(ring) = ring else { return Err(io::ErrorKind::Unsupported.into()) };
                let mut h = hasher();
                let total = ring.read(&File::open(path)?, self.size, |b| {
                    h.update(b);
                    going_on()
                })?;
                Ok(Some((h.finalize(), total)))
            }
            Way::ReadAll | Way::Streaming(_) => self.read_stream(way, &mut File::open(path)?).map(Some),
        }
    }

    /// Reads a stream this way.
    pub(super) fn read_stream(&self, way: Way, from: &mut dyn Read) -> io::Result<(Digest, u64)> {
        match way {
            Way::Streaming(n) => digest(from, &mut vec![0; n], Hasher::new(self.algorithm)),
            _ => {
                let mut bytes = Vec::new();
                from.read_to_end(&mut bytes)?;
                Ok((self.algorithm.digest(&bytes), bytes.len() as u64))
            }
        }
    }
}

/// A file that is read with pread(2).
struct At<'a>(&'a File, u64);

impl Read for At<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let n = self.0.read_at(to, self.1)?;
        self.1 += n as u64;
        Ok(n)
    }
}

/// Returns an error once the user has interrupted the program.
fn going_on() -> io::Result<()> {
    if sys::interrupted() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) }
}

/// Reads everything through `buffer`, passes it to `each`, and returns the number of bytes.
pub(super) fn pump(from: &mut dyn Read, buffer: &mut [u8], mut each: impl FnMut(&[u8])) -> io::Result<u64> {
    let mut total = 0;
    loop {
        going_on()?;
        match from.read(buffer) {
            Ok(0) => return Ok(total),
            Ok(n) => {
                each(&buffer[..n]);
                total += n as u64;
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

fn digest(from: &mut dyn Read, buffer: &mut [u8], mut hasher: Hasher) -> io::Result<(Digest, u64)> {
    let total = pump(from, buffer, |b| hasher.update(b))?;
    Ok((hasher.finalize(), total))
}

/// Where a feeder writes.
#[derive(Debug)]
pub(super) enum Sink {
    Pipe(PipeWriter),
    Tcp(TcpStream),
}

/// A thread that writes a file's first bytes into pipes and connections, one after the other, and closes them.
#[derive(Debug)]
pub(super) struct Feeder {
    orders: Option<SyncSender<(Sink, u64)>>,
    results: Receiver<io::Result<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Feeder {
    pub(super) fn new(path: &Path) -> io::Result<Feeder> {
        let file = File::open(path)?;
        let (orders, taken) = sync_channel(1);
        let (answers, results) = sync_channel(1);
        let work = move || {
            let mut buffer = vec![0; FEED_CHUNK];
            for (sink, len) in taken {
                if answers.send(feed(&file, sink, len, &mut buffer)).is_err() {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("feeder".into()).spawn(work)?;
        Ok(Feeder { orders: Some(orders), results, thread: Some(thread) })
    }

    /// Starts writing the first `len` bytes. Does not allocate.
    pub(super) fn begin(&self, sink: Sink, len: u64) -> io::Result<()> {
        match self.orders.as_ref().map(|o| o.send((sink, len))) {
            Some(Ok(())) => Ok(()),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Waits until that is done.
    pub(super) fn end(&self) -> io::Result<()> {
        self.results.recv().unwrap_or_else(|_| Err(io::ErrorKind::BrokenPipe.into()))
    }
}

impl Drop for Feeder {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // It has nothing to report: its results have been received one by one.
            let _ = thread.join();
        }
    }
}

fn feed(file: &File, mut sink: Sink, len: u64, buffer: &mut [u8]) -> io::Result<()> {
    let mut from = At(file, 0).take(len);
    loop {
        let n = from.read(buffer)?;
        match &mut sink {
            _ if n == 0 => return Ok(()),
            Sink::Pipe(p) => p.write_all(&buffer[..n])?,
            Sink::Tcp(t) => t.write_all(&buffer[..n])?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_measure::random::noise;
    use std::io::pipe;
    use std::net::TcpListener;

    #[test]
    fn every_way_gives_the_same_digest() {
        let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR").to_string() + "/../../target").unwrap();
        let path = dir.path().join("data");
        let mut ring = Ring::new().inspect_err(|e| println!("skipped: io_uring: {e}")).ok();
        let a: Algorithm = "md5".parse().unwrap();
        for size in [0, 1, 4095, 4096, 4097, (256 << 10) - 1, 256 << 10, 1 << 20, (1 << 20) + 13, (5 << 20) - 7] {
            let data = noise(size);
            fs::write(&path, &data).unwrap();
            let source = Source::new("data".into(), path.clone(), File::open(&path).unwrap(), a).unwrap();
            assert_eq!((&source.digest, source.size), (&a.digest(&data), size as u64));
            for way in Way::FILE.into_iter().chain([Way::HashOnly]) {
                if way == Way::Uring && ring.is_none() {
                    continue;
                }
                let read = match source.read(way, ring.as_mut()) {
                    Err(e) if way == Way::Direct => {
                        println!("skipped: O_DIRECT: {e}");
                        continue;
                    }
                    read => read.unwrap(),
                };
                let (digest, n) = read.unwrap();
                assert_eq!(n, size as u64, "{way:?}");
                assert!(
                    digest == source.digest || (way == Way::HashOnly && size > FEED_CHUNK),
                    "{way:?}, {size} bytes"
                );
            }
            let feeder = Feeder::new(&path).unwrap();
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            for way in Way::STREAM {
                let (mut from, to) = pipe().unwrap();
                feeder.begin(Sink::Pipe(to), size as u64).unwrap();
                assert_eq!(
                    source.read_stream(way, &mut from).unwrap(),
                    (source.digest.clone(), size as u64),
                    "{way:?}"
                );
                feeder.end().unwrap();
                let mut from = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
                feeder.begin(Sink::Tcp(listener.accept().unwrap().0), size as u64 / 2).unwrap();
                let half = (a.digest(&data[..size / 2]), size as u64 / 2);
                assert_eq!(source.read_stream(way, &mut from).unwrap(), half, "{way:?}");
                feeder.end().unwrap();
            }
        }
    }

    #[test]
    fn a_file_that_shrinks_is_noticed() {
        let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR").to_string() + "/../../target").unwrap();
        let path = dir.path().join("data");
        fs::write(&path, noise(3 << 20)).unwrap();
        let file = File::options().read(true).write(true).open(&path).unwrap();
        let source =
            Source::new("data".into(), path.clone(), file.try_clone().unwrap(), "md5".parse().unwrap()).unwrap();
        file.set_len(1 << 20).unwrap();
        assert_eq!(source.read(Way::Mmap, None).unwrap(), None);
        if let Ok(mut ring) = Ring::new() {
            assert_eq!(source.read(Way::Uring, Some(&mut ring)).unwrap().unwrap().1, 1 << 20);
            // Reads that were still in flight do not disturb the next use.
            file.set_len(0).unwrap();
            assert_eq!(source.read(Way::Uring, Some(&mut ring)).unwrap().unwrap().1, 0);
            file.set_len(1 << 20).unwrap();
        }
        assert_eq!(source.read(Way::Pread(1 << 16), None).unwrap().unwrap().1, 1 << 20);
    }

    #[test]
    fn names() {
        let names: Vec<String> = Way::FILE.iter().chain(&Way::STREAM).map(|w| w.go_name()).collect();
        assert_eq!(
            names,
            [
                "ReadWhole", "ReadCopy32KiB", "ReadCopy4KiB", "ReadBuffered4KiB", "ReadPread256KiB", "ReadMmap",
                "ReadIoUring", "ReadODIRECT", "ReadAll", "Streaming32KiB", "Streaming4KiB", "Streaming256KiB"
            ]
        );
        assert_eq!(Way::Copy(32 << 10).name(), "copy 32 KiB");
    }
}
