//! Directories of a large tree are listed ahead by threads of their own, while files are hashed: where a listing has to
//! wait for a disk or a server, several wait together; and the thread that feeds many cores has less to do.

use crate::base::descriptors::are_plenty;
use crate::base::threads::{cores, spawn_own};
use crate::read::list::{Listing, list};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Maximum number of threads. Two list files that are in memory faster than one thread can report them. On two cores,
/// the second would only take time from the threads that hash or read a list.
const THREADS: usize = 2;

/// Number of directories that are listed ahead.
const AHEAD: usize = 16;

/// How much is listed before it is worth starting threads, in entries; a directory counts as [`EACH`] of them.
const ALONE: usize = 1024;
const EACH: usize = 64;

/// Number of entries ahead from which on no listing is begun.
const ENTRIES: usize = 1 << 17;

/// A directory to be listed.
pub(crate) struct Order {
    path: PathBuf,
    state: Mutex<State>,
    /// The listing is there, or will not be.
    settled: Condvar,
}

enum State {
    Waiting,
    Begun,
    Done(Listing),
    /// The caller has it, or must list the directory itself.
    Over,
}

impl Order {
    pub(crate) fn new(path: &Path) -> Arc<Order> {
        Arc::new(Order { path: path.into(), state: Mutex::new(State::Waiting), settled: Condvar::new() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The threads that list the directories of one tree.
pub(crate) struct Listers {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    /// How much has yet to be listed before threads are started; none are with the greatest number.
    alone: usize,
}

struct Shared {
    examine: bool,
    orders: Mutex<Orders>,
    /// There are orders, or will be no more.
    news: Condvar,
    /// Number of entries of listings that have not been taken.
    entries: AtomicUsize,
}

#[derive(Default)]
struct Orders {
    /// The last is needed first.
    wanted: Vec<Arc<Order>>,
    over: bool,
}

impl Shared {
    fn orders(&self) -> MutexGuard<'_, Orders> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lists what is wanted until there will be no more.
    fn run(&self) {
        let mut orders = self.orders();
        while !orders.over {
            let Some(order) = orders.wanted.pop() else {
                orders = self.news.wait(orders).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(orders);
            self.carry_out(&order);
            orders = self.orders();
        }
    }

    fn carry_out(&self, order: &Order) {
        {
            let mut state = order.state();
            if !matches!(*state, State::Waiting) || self.entries.load(Relaxed) >= ENTRIES {
                return;
            }
            *state = State::Begun;
        }
        // The caller must not wait for ever. If it panics, too, it does so on its own thread.
        let listed = catch_unwind(AssertUnwindSafe(|| list(&order.path, false, self.examine)));
        *order.state() = match listed {
            Ok(listing) => {
                self.entries.fetch_add(listing.0.len(), Relaxed);
                State::Done(listing)
            }
            Err(_) => State::Over,
        };
        order.settled.notify_one();
    }
}

impl Listers {
    /// No thread yet. `examine` is that of [`list`]. If not all directories may be opened, or few files, the caller
    /// lists everything itself.
    pub(crate) fn new(examine: bool, all: bool) -> Listers {
        let shared = Shared { examine, orders: Mutex::default(), news: Condvar::new(), entries: AtomicUsize::new(0) };
        Listers {
            shared: Arc::new(shared),
            threads: Vec::new(),
            alone: if all && are_plenty() { ALONE } else { usize::MAX },
        }
    }

    /// Returns how many directories should be listed ahead, after one with so many entries.
    pub(crate) fn wanted(&mut self, entries: usize) -> usize {
        if self.alone < usize::MAX {
            self.alone = self.alone.saturating_sub(EACH + entries);
        }
        if self.alone > 0 { 0 } else { AHEAD }
    }

    /// Has these directories listed, in this order, and no others that are not being listed yet.
    pub(crate) fn want(&mut self, orders: impl Iterator<Item = Arc<Order>>) {
        let mut wanted: Vec<_> = orders.filter(|order| matches!(*order.state(), State::Waiting)).collect();
        if wanted.is_empty() {
            return;
        }
        wanted.reverse();
        while self.threads.len() < THREADS.min(wanted.len()).min(cores().div_ceil(2)) {
            let shared = Arc::clone(&self.shared);
            match spawn_own(move || shared.run()) {
                Ok(thread) => self.threads.push(thread),
                // Without threads, the caller lists.
                Err(_) => break,
            }
        }
        self.shared.orders().wanted = wanted;
        self.shared.news.notify_all();
    }

    /// Returns the listing that was ordered, or `None` if the caller must list the directory itself.
    pub(crate) fn take(&self, order: &Order) -> Option<Listing> {
        let begun = |state: &mut State| matches!(*state, State::Begun);
        let mut state = order.settled.wait_while(order.state(), begun).unwrap_or_else(PoisonError::into_inner);
        let State::Done(listing) = std::mem::replace(&mut *state, State::Over) else { return None };
        self.shared.entries.fetch_sub(listing.0.len(), Relaxed);
        Some(listing)
    }
}

impl Drop for Listers {
    fn drop(&mut self) {
        self.shared.orders().over = true;
        self.shared.news.notify_all();
        for thread in self.threads.drain(..) {
            // It does not panic.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::threads::tests::with_threads;
    use std::fs;
    use std::time::{Duration, Instant};

    #[test]
    fn what_is_wanted_is_listed() {
        let dir = tempfile::tempdir().expect("a folder");
        let names: Vec<PathBuf> = (0..5).map(|i| dir.path().join(i.to_string())).collect();
        for name in &names[..4] {
            fs::create_dir(name).expect("a folder");
            fs::write(name.join("file"), "x").expect("a file");
        }
        let mut cautious = Listers::new(false, false);
        assert_eq!((cautious.wanted(ALONE), cautious.wanted(ALONE)), (0, 0));
        let mut listers = Listers::new(false, true);
        assert_eq!(listers.wanted(ALONE - EACH - 1), 0);
        assert_eq!(listers.wanted(0), AHEAD);
        let orders: Vec<_> = names.iter().map(|name| Order::new(name)).collect();
        // A directory that the caller has already taken is not listed for it.
        assert!(listers.take(&orders[0]).is_none());
        listers.want(orders.iter().map(Arc::clone));
        let start = Instant::now();
        while orders[1..].iter().any(|order| !matches!(*order.state(), State::Done(_))) {
            assert!(start.elapsed() < Duration::from_secs(60));
            std::thread::yield_now();
        }
        assert_eq!(listers.shared.entries.load(Relaxed), 3);
        for order in &orders[1..4] {
            assert!(listers.take(order).is_some_and(|(entries, failed)| entries.len() == 1 && failed.is_none()));
        }
        assert!(listers.take(&orders[4]).is_some_and(|(entries, failed)| entries.is_empty() && failed.is_some()));
        assert!(listers.take(&orders[0]).is_none());
        assert_eq!(listers.shared.entries.load(Relaxed), 0);
    }

    #[test]
    fn without_threads_nothing_is_waited_for() {
        let order = Order::new(Path::new("."));
        with_threads(0, || {
            let mut listers = Listers::new(false, true);
            listers.want([Arc::clone(&order)].into_iter());
            assert!(listers.take(&order).is_none());
        });
    }
}
