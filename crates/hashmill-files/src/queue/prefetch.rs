//! Prefetchers: threads that read short files ahead of those that hash, so that a medium has many requests to choose
//! from.
//!
//! They hand nothing on: what they have read is in the page cache when a worker comes to it. So the work is the same
//! with them and without them, and nothing depends on what becomes of them.

use crate::base::descriptors::raise_descriptor_limit;
use crate::base::threads::spawn;
use crate::queue::job::{SHORT, SLOW};
use crate::queue::shared::Queue;
use crate::read::input::{Input, Kind};
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::{Scope, sleep};
use std::time::{Duration, Instant};

/// How many there are at most: as many requests as a disk's queue holds. (20 000 files of 4 KiB on a virtual disk: none
/// 1.05 s, four 0.59, eight 0.46, sixteen 0.40, this many 0.37, twice as many 0.43.)
const SCOUTS: usize = 32;

/// Files that one takes at a time.
const FILES: usize = 4;

/// A scout ends when so many files, one after the other, were in memory already.
const ENOUGH: usize = 64;

/// The scouts of one run.
pub(crate) struct Prefetchers {
    /// How many files the workers may have open.
    files: usize,
    running: AtomicUsize,
}

impl Prefetchers {
    /// For a run whose workers have up to `files` files open.
    pub(crate) fn new(files: usize) -> Self {
        Prefetchers { files, running: AtomicUsize::new(0) }
    }

    /// Sends them out if files come from a medium and they are not out there already.
    pub(crate) fn send_if_cold<'s>(&'s self, scope: &'s Scope<'s, '_>, queue: &'s Queue<'s>) {
        if self.running.load(Relaxed) > 0 || !queue.is_cold() {
            return;
        }
        // Each may have a file open, too.
        let most = raise_descriptor_limit(self.files + SCOUTS).saturating_sub(self.files);
        for _ in 0..most {
            self.running.fetch_add(1, Relaxed);
            // Without them it takes longer, no more.
            let spawned = spawn(scope, move || {
                scout(queue);
                self.running.fetch_sub(1, Relaxed);
            });
            if spawned.is_err() {
                self.running.fetch_sub(1, Relaxed);
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
            let start = Instant::now();
            if queue.progress.is_stopped() || !visit(path, listed, queue, &mut scratch) {
                return;
            }
            warm = if start.elapsed() > SLOW { 0 } else { warm + 1 };
        }
        if warm >= ENOUGH {
            return;
        }
    }
}

/// Reads a file if it is a short one. False if it lies where one reader is best.
fn visit(path: PathBuf, listed: bool, queue: &Queue<'_>, scratch: &mut [u8]) -> bool {
    let input = Input::Path(path);
    let opened = || -> io::Result<_> {
        if listed {
            return input.open_listed().map(|(file, look)| (Some(file), look));
        }
        let look = input.look()?;
        let short = look.kind == Kind::Regular && look.len <= SHORT;
        Ok((if short { Some(File::open(input.name())?) } else { None }, look))
    };
    // What is wrong with it will be found, and told, by who hashes it.
    let Ok((file, look)) = opened() else { return true };
    if queue.devices.gate(&look, input.name()).is_some() {
        return false;
    }
    if let Some(mut file) = file.filter(|_| look.kind == Kind::Regular && look.len <= SHORT) {
        let _ = file.read(scratch);
    }
    true
}
