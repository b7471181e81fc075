//! Walking a tree on a thread of its own, so that what is found is compared meanwhile.

use hashmill_files::spawn;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Scope;

/// Number of items that are handed over at a time, and how many times that many may wait: a tree of usual size, which
/// is walked by the time that its list has been read.
const AT_ONCE: usize = 256;
const WAITING: usize = 1024;

/// Returns what `items` returns, which is advanced by a thread of `scope`, or by the caller if no thread can be
/// started.
pub(crate) fn ahead<'s, 'e, I>(scope: &'s Scope<'s, 'e>, items: I) -> impl Iterator<Item = I::Item> + use<'s, 'e, I>
where
    I: Iterator + Send + 's,
    I::Item: Send + 's,
{
    let items = Arc::new(Mutex::new(Some(items)));
    let (to, from) = sync_channel::<Vec<I::Item>>(WAITING);
    let taken = Arc::clone(&items);
    let started = spawn(scope, move || {
        let Some(mut items) = taken.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        loop {
            let some: Vec<I::Item> = items.by_ref().take(AT_ONCE).collect();
            // Nobody may want more.
            if some.is_empty() || to.send(some).is_err() {
                return;
            }
        }
    });
    let own = if started.is_ok() { None } else { items.lock().unwrap_or_else(PoisonError::into_inner).take() };
    let from: Option<Receiver<Vec<I::Item>>> = if started.is_ok() { Some(from) } else { None };
    from.into_iter().flatten().flatten().chain(own.into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_comes_in_order_or_as_much_as_is_wanted() {
        for n in [0, 1, 255, 256, 257, 100_000] {
            let all: Vec<u32> = std::thread::scope(|s| ahead(s, 0..n).collect());
            assert!(all.into_iter().eq(0..n));
        }
        let some: Vec<u64> = std::thread::scope(|s| ahead(s, 0u64..).take(1000).collect());
        assert!(some.into_iter().eq(0..1000));
    }
}
