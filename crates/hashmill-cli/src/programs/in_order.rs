//! Hashing with one thread per file, for what is not computed in lanes: keyed hashes, outputs longer than a digest may
//! be, and kernels other than the usual ones. Several files are read at a time, and their results are delivered in the
//! order of the files.

use hashmill::Hasher;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

/// Maximum number of files that the workers may be ahead of the delivered results.
const AHEAD: usize = 1024;

/// Total size in bytes up to which it is not worth starting threads.
const SMALL_WORK: u64 = 256 << 10;

/// Reads a file, or standard input for `-`, into a hasher and returns the number of bytes read.
pub(super) fn read(name: &OsStr, hasher: &mut Hasher) -> io::Result<u64> {
    let mut from: Box<dyn Read> = if name == "-" { Box::new(io::stdin().lock()) } else { Box::new(File::open(name)?) };
    let mut buffer = vec![0; 256 << 10];
    let mut bytes = 0;
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(bytes),
            Ok(n) => {
                hasher.update(&buffer[..n]);
                bytes += n as u64;
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

/// Calls `work` for every file on several threads, and passes the results to `sink` on the calling thread, in the order
/// of the files, until `sink` breaks.
pub(super) fn in_order<T: Send>(
    files: &[OsString],
    threads: Option<NonZeroUsize>,
    work: impl Fn(&OsStr) -> T + Sync,
    mut sink: impl FnMut(&OsStr, T) -> ControlFlow<()>,
) {
    let threads = threads.map_or_else(hashmill_files::cores, NonZeroUsize::get);
    let queue = Queue { next: AtomicUsize::new(0), told: Mutex::new(Some(0)), more: Condvar::new() };
    // Standard input goes to whoever reads it first, so if it is named twice, the order of reads matters.
    let alone = files.len() < 2 || threads < 2 || files.iter().filter(|f| *f == "-").count() > 1 || are_small(files);
    let mut told = 0;
    if !alone {
        thread::scope(|scope| {
            let (tell, found) = mpsc::channel();
            for _ in 0..threads.min(files.len()) {
                let (tell, queue, work) = (tell.clone(), &queue, &work);
                let run = move || {
                    let _end = End(queue);
                    while let Some(at) = queue.next(files.len()) {
                        if tell.send((at, work(&files[at]))).is_err() {
                            break;
                        }
                    }
                };
                // Fewer threads only take longer.
                if thread::Builder::new().spawn_scoped(scope, run).is_err() {
                    break;
                }
            }
            drop(tell);
            let mut early = BTreeMap::new();
            for (at, result) in found {
                early.insert(at, result);
                while let Some(result) = early.remove(&told) {
                    let flow = sink(&files[told], result);
                    told += 1;
                    queue.told(flow.is_continue().then_some(told));
                    if flow.is_break() {
                        told = files.len();
                        return;
                    }
                }
            }
        });
    }
    for name in &files[told..] {
        if sink(name, work(name)).is_break() {
            break;
        }
    }
}

/// Returns whether the files are few and small.
fn are_small(files: &[OsString]) -> bool {
    let size =
        |f: &OsString| if f == "-" { None } else { fs::metadata(f).ok().filter(|m| m.is_file()).map(|m| m.len()) };
    files.len() <= 16 && files.iter().map(size).sum::<Option<u64>>().is_some_and(|n| n <= SMALL_WORK)
}

/// The queue from which the workers take files.
struct Queue {
    next: AtomicUsize,
    /// The number of results passed to the sink, or `None` once the workers should stop.
    told: Mutex<Option<usize>>,
    more: Condvar,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Option<usize>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the index of the next of `files` files, or `None` if the worker should stop. Waits while the file is
    /// too far ahead.
    fn next(&self, files: usize) -> Option<usize> {
        let at = self.next.fetch_add(1, Relaxed);
        let waits = |told: &mut Option<usize>| told.is_some_and(|told| at >= told + AHEAD);
        let told = self.more.wait_while(self.lock(), waits).unwrap_or_else(PoisonError::into_inner);
        (at < files && told.is_some()).then_some(at)
    }

    fn told(&self, told: Option<usize>) {
        *self.lock() = told;
        self.more.notify_all();
    }
}

/// A guard that stops the other workers if this one panics, since the result they wait for will never come.
struct End<'a>(&'a Queue);

impl Drop for End<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.told(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_files() {
        let files: Vec<OsString> = (0..3000).map(|n| format!("nosuch{n}").into()).collect();
        let threads = NonZeroUsize::new(4);
        let mut seen = Vec::new();
        in_order(
            &files,
            threads,
            |name| name.len(),
            |name, n| {
                assert_eq!(name.len(), n);
                seen.push(name.to_owned());
                ControlFlow::Continue(())
            },
        );
        assert_eq!(seen, files);
        let mut seen = 0;
        in_order(
            &files,
            threads,
            |_| (),
            |_, ()| {
                seen += 1;
                if seen == 1500 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        assert_eq!(seen, 1500);
    }
}
