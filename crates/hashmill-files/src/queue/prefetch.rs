//! Prefetchers: threads that read short files ahead of the workers, so that a medium has many requests to choose from.
//!
//! They hand nothing on: what they have read is in the page cache when a worker gets to it. The results are the same
//! with them and without them, and nothing depends on what becomes of them.

use crate::base::descriptors::raise_descriptor_limit;
use crate::base::error::Error;
use crate::base::threads::spawn;
use crate::queue::job::{SHORT, is_of_medium};
use crate::queue::shared::Queue;
use crate::read::input::{Input, Kind};
use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::{Scope, sleep};
use std::time::{Duration, Instant};

/// Maximum number of prefetchers: as many requests as a disk's queue holds. (20 000 files of 4 KiB on a virtual disk:
/// 1.05 s with none, 0.59 s with 4, 0.46 s with 8, 0.40 s with 16, 0.37 s with 32, 0.43 s with 64.)
const SCOUTS: usize = 32;

/// Number of files that a prefetcher takes at a time.
const FILES: usize = 4;

/// A prefetcher ends when this many files in a row were in memory already.
const ENOUGH: usize = 64;

/// The prefetchers of one run.
pub(crate) struct Prefetchers {
    /// Maximum number of files that the workers have open.
    files: usize,
    running: AtomicUsize,
    /// How often in a row files must be found to come from a medium before prefetchers are started: twice, since once
    /// may be chance where system calls are slow. Each start doubles it: where much is in memory and the rest is not,
    /// they would come and go all the time.
    needed: AtomicUsize,
}

impl Prefetchers {
    /// Creates the state for a run whose workers have up to `files` files open; no prefetcher is started yet.
    pub(crate) fn new(files: usize) -> Self {
        Prefetchers { files, running: AtomicUsize::new(0), needed: AtomicUsize::new(2) }
    }

    /// Starts the prefetchers if files come from a medium and none are running.
    pub(crate) fn send_if_cold<'s>(&'s self, scope: &'s Scope<'s, '_>, queue: &'s Queue<'s>) {
        let needed = self.needed.load(Relaxed);
        if self.running.load(Relaxed) > 0 || queue.cold() < needed {
            return;
        }
        // Each prefetcher may have a file open, too.
        let most = raise_descriptor_limit(self.files + SCOUTS).saturating_sub(self.files);
        // Only one worker starts them.
        if self.running.compare_exchange(0, most, Relaxed, Relaxed).is_err() {
            return;
        }
        self.needed.store(needed.saturating_mul(2), Relaxed);
        for started in 0..most {
            let spawned = spawn(scope, move || {
                scout(queue);
                self.running.fetch_sub(1, Relaxed);
            });
            if spawned.is_err() {
                // Without prefetchers the work merely takes longer.
                self.running.fetch_sub(most - started, Relaxed);
                return;
            }
        }
    }
}

fn scout(queue: &Queue<'_>) {
    let mut scratch = vec![0; SHORT as usize];
    let mut warm = 0;
    while let Some(files) = queue.scout(FILES) {
        if files.is_empty() {
            sleep(Duration::from_millis(1));
            continue;
        }
        for (path, listed) in files {
            if queue.progress.is_stopped() {
                return;
            }
            match visit(&path, listed, queue, &mut scratch) {
                Visit::Gated => return,
                Visit::Fetched => warm = 0,
                Visit::Warm => warm += 1,
            }
        }
        if warm >= ENOUGH {
            return;
        }
    }
}

/// What a prefetcher found.
enum Visit {
    /// A file on a device that is best read by one reader.
    Gated,
    /// A file that the system had to fetch from a medium.
    Fetched,
    /// A file that was in memory already, or that is not prefetched.
    Warm,
}

/// Reads a file if it is short.
fn visit(input: &Input, listed: bool, queue: &Queue<'_>, scratch: &mut [u8]) -> Visit {
    let opened = || -> Result<_, Error> {
        if listed {
            return input.open_listed().map(|(file, look)| (Some(file), look));
        }
        let look = input.look()?;
        let short = look.kind == Kind::Regular && look.len <= SHORT;
        Ok((if short { Some(input.open()?) } else { None }, look))
    };
    // The worker that hashes the file will find and report what is wrong with it.
    let Ok((file, look)) = opened() else { return Visit::Warm };
    if queue.devices.gate(&look, input.name()).is_some() {
        return Visit::Gated;
    }
    if let Some(mut file) = file.filter(|_| look.kind == Kind::Regular && look.len <= SHORT) {
        let start = Instant::now();
        let _ = file.read(scratch);
        if is_of_medium(&file, start.elapsed()) {
            return Visit::Fetched;
        }
    }
    Visit::Warm
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::options::Io;
    use crate::base::progress::Progress;
    use crate::queue::schedule::LOOKS;
    use std::thread::scope;

    /// Prefetchers start after two rounds of looks at files from a medium, then after four, and never while others run,
    /// even if several threads start them.
    #[test]
    fn they_start_once_and_ever_more_rarely() {
        let progress = Progress::default();
        let scouts = Prefetchers::new(1);
        for needed in [2, 4] {
            let queue = Queue::new(&progress, &[], Io::Auto);
            let look = |slow| queue.lock().schedule.note_seen(0, (LOOKS, slow));
            // Closes the queue before it fails, or they would not end.
            let wait = |n| {
                let start = Instant::now();
                while scouts.running.load(Relaxed) != n {
                    if start.elapsed() > Duration::from_secs(60) {
                        queue.close();
                        panic!("{} are running, not {n}", scouts.running.load(Relaxed));
                    }
                    sleep(Duration::from_millis(1));
                }
            };
            scope(|s| {
                // A round without ends what counts: these are not in a row.
                look(LOOKS);
                look(0);
                for _ in 1..needed {
                    look(LOOKS / 2);
                    scouts.send_if_cold(s, &queue);
                    assert_eq!(scouts.running.load(Relaxed), 0);
                }
                look(LOOKS / 2);
                for _ in 0..4 {
                    s.spawn(|| scouts.send_if_cold(s, &queue));
                }
                wait(SCOUTS);
                assert_eq!(scouts.needed.load(Relaxed), 2 * needed);
                // They end, and were not started twice: the count would fall below none.
                queue.close();
                wait(0);
            });
            assert_eq!(scouts.running.load(Relaxed), 0);
        }
    }
}
