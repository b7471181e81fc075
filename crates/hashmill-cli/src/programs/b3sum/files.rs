//! Files one thread each, for what is not computed in lanes: with a key, or longer than a digest may be. Several files
//! are read side by side, and what became of them comes in their order.

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

/// So many files may be done before the first of them is.
const AHEAD: usize = 1024;

/// Less than this altogether is not worth starting threads for.
const SMALL_WORK: u64 = 256 << 10;

/// Reads a file, or standard input for `-`, into a hasher. How many bytes there were.
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

/// Does `work` with every file, on several threads, and hands what it returns to `sink` in the order of the files, on
/// this one, until that breaks.
pub(super) fn in_order<T: Send>(
    files: &[OsString],
    threads: Option<NonZeroUsize>,
    work: impl Fn(&OsStr) -> T + Sync,
    mut sink: impl FnMut(&OsStr, T) -> ControlFlow<()>,
) {
    let threads = threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let queue = Queue { next: AtomicUsize::new(0), told: Mutex::new(Some(0)), more: Condvar::new() };
    // Standard input goes to the first that asks for it, so they must ask in their order.
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
                // Fewer threads take longer, no more.
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

/// Whether files are few and small.
fn are_small(files: &[OsString]) -> bool {
    let size =
        |f: &OsString| if f == "-" { None } else { fs::metadata(f).ok().filter(|m| m.is_file()).map(|m| m.len()) };
    files.len() <= 16 && files.iter().map(size).sum::<Option<u64>>().is_some_and(|n| n <= SMALL_WORK)
}

/// Which file is next.
struct Queue {
    next: AtomicUsize,
    /// How many have been told of; nothing once there is no need to go on.
    told: Mutex<Option<usize>>,
    more: Condvar,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Option<usize>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next of so many files, once it is not too far ahead.
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

/// Lets the other threads end if this one panics: what they wait for will not come.
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
