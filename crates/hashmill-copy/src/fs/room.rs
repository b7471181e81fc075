//! The room on the destination's file systems: what is free there, and what this run's files in progress still need.
//!
//! Files are copied side by side. If each of them only looked at what is free, together they could fill the disk, and
//! none would be complete. So every file claims its space before it is created, and a file that does not fit is
//! refused. Where the file system can allocate space, it does so next, and its own figures then include the file.
//! Elsewhere the claims are what is known of it.

use crate::fs::meta::Meta;
use rustix::fd::AsFd;
use rustix::fs::FallocateFlags;
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where the file system does not allocate, this fraction of a file more must be free, for the metadata that it needs.
const MARGIN: u64 = 64;

/// What a file system says is free for this user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Free {
    pub(crate) bytes: u64,
    /// Space is taken in multiples of this.
    block: u64,
}

impl Free {
    /// Asks the file system of an open file or folder. Returns `None` if it does not tell.
    pub(crate) fn of(at: impl AsFd) -> Option<Free> {
        let s = rustix::fs::fstatvfs(at).ok()?;
        let block = if s.f_frsize > 0 { s.f_frsize } else { s.f_bsize };
        // File systems that do not count have no blocks at all.
        if s.f_blocks == 0 || block == 0 {
            return None;
        }
        let blocks = if rustix::process::geteuid().is_root() { s.f_bfree } else { s.f_bavail };
        Some(Free { bytes: blocks.saturating_mul(block), block })
    }

    /// Returns the space that this number of bytes takes.
    pub(crate) fn needed(self, bytes: u64) -> u64 {
        bytes.checked_next_multiple_of(self.block).unwrap_or(u64::MAX)
    }
}

/// A file that was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) needed: u64,
    /// What is free and not claimed by other files.
    pub(crate) free: u64,
}

/// Claims to the space on one file system.
#[derive(Debug, Default)]
struct Account {
    /// Number of claims.
    claims: u64,
    /// What the files with claims will still write.
    to_write: u64,
    /// What was free when there were no claims, and the claims since. Some file systems count data as used only once it
    /// has reached the medium, so that what they say is free includes what was just written.
    free_before: u64,
    claimed_since: u64,
    /// Whether the file system has failed to allocate space.
    lax: bool,
}

impl Account {
    /// Makes a claim, if there is room for it in what the file system says is `free`. Otherwise returns what is left.
    fn claim(&mut self, needed: u64, free: u64) -> Result<(), u64> {
        if self.claims == 0 {
            (self.free_before, self.claimed_since) = (free, 0);
        }
        let left = free.saturating_sub(self.to_write).min(self.free_before.saturating_sub(self.claimed_since));
        let margin = if self.lax { needed / MARGIN } else { 0 };
        if left < needed.saturating_add(margin) {
            return Err(left);
        }
        self.claims += 1;
        self.to_write += needed;
        self.claimed_since += needed;
        Ok(())
    }

    /// Ends a claim with this much left to write.
    fn end(&mut self, left: u64) {
        self.claims -= 1;
        self.to_write -= left;
    }
}

/// The claims of a run, by device.
#[derive(Debug, Default)]
pub(crate) struct Room(Mutex<BTreeMap<u64, Arc<Mutex<Account>>>>);

impl Room {
    /// Claims space for a file with this many bytes of data that will be created in `folder`. If it cannot be known how
    /// much is free, there is no claim, and no refusal either.
    pub(crate) fn claim(&self, folder: impl AsFd, bytes: u64) -> Result<Option<Claim>, Refused> {
        let folder = folder.as_fd();
        let Ok(meta) = Meta::of(folder) else { return Ok(None) };
        if bytes == 0 {
            return Ok(None);
        }
        let account = Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(meta.device).or_default());
        let mut locked = lock(&account);
        // Asked under the lock: no other file's claim may turn into allocated space in the meantime.
        let Some(free) = Free::of(folder) else { return Ok(None) };
        let needed = free.needed(bytes);
        locked.claim(needed, free.bytes).map_err(|left| Refused { needed, free: left })?;
        drop(locked);
        Ok(Some(Claim { account, needed, left: needed, ended: false }))
    }
}

fn lock(account: &Mutex<Account>) -> MutexGuard<'_, Account> {
    account.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A claim to space, which ends when it is dropped or the space has been allocated.
#[derive(Debug)]
pub(crate) struct Claim {
    account: Arc<Mutex<Account>>,
    needed: u64,
    left: u64,
    ended: bool,
}

impl Claim {
    /// Allocates the space for the whole of a file. If the file system really does, the claim has served its purpose.
    pub(crate) fn allocate(&mut self, file: impl AsFd, size: u64) -> io::Result<()> {
        let mut account = lock(&self.account);
        allocate(&file, size)?;
        // Some file systems say yes and allocate nothing.
        if Meta::of(&file).is_ok_and(|m| m.allocated >= size) {
            account.claimed_since -= self.needed;
            account.end(self.left);
            self.ended = true;
        } else {
            account.lax = true;
        }
        Ok(())
    }

    /// Notes that this much of the file has been written.
    pub(crate) fn wrote(&mut self, bytes: u64) {
        let bytes = bytes.min(self.left);
        if self.ended || bytes == 0 {
            return;
        }
        self.left -= bytes;
        lock(&self.account).to_write -= bytes;
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if !self.ended {
            lock(&self.account).end(self.left);
        }
    }
}

/// Allocates space for a file. Where the file system cannot, a full disk is noticed later.
pub(crate) fn allocate(file: impl AsFd, size: u64) -> io::Result<()> {
    if size == 0 {
        return Ok(());
    }
    // Never the C library's `posix_fallocate`, which writes zeros where the file system cannot allocate.
    match rustix::fs::fallocate(file, FallocateFlags::empty(), 0, size) {
        Err(e @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) => Err(e.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn files_side_by_side_do_not_claim_the_same_space() {
        let mut a = Account::default();
        assert_eq!(a.claim(400, 600), Ok(()));
        for _ in 0..3 {
            assert_eq!(a.claim(400, 600), Err(200));
        }
        assert_eq!(a.claim(200, 600), Ok(()));
        assert_eq!(a.claim(1, 600), Err(0));
        // The first fails or is done without having written anything: what it wanted is free for the next.
        a.end(400);
        assert_eq!((a.claims, a.to_write), (1, 200));
        a.end(200);
        assert_eq!(a.claim(600, 600), Ok(()));
    }

    #[test]
    fn what_has_been_written_counts_once() {
        // A file system that counts at once.
        let mut a = Account::default();
        assert_eq!(a.claim(400, 600), Ok(()));
        a.to_write -= 300;
        assert_eq!(a.claim(200, 300), Ok(()));
        assert_eq!(a.claim(1, 300), Err(0));
        // One that counts only when the data has reached the medium.
        let mut a = Account::default();
        assert_eq!(a.claim(400, 600), Ok(()));
        a.to_write -= 400;
        assert_eq!(a.claim(400, 600), Err(200));
        // Somebody else takes space.
        let mut a = Account::default();
        assert_eq!(a.claim(100, 600), Ok(()));
        assert_eq!(a.claim(400, 450), Err(350));
        // Where nothing can be allocated, a file must leave a little.
        let mut a = Account { lax: true, ..Account::default() };
        assert_eq!(a.claim(640, 640), Err(640));
        assert_eq!(a.claim(640, 650), Ok(()));
    }

    #[test]
    fn claims_end() {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = File::open(dir.path()).expect("a folder");
        let room = Room::default();
        let state = || {
            let all = room.0.lock().expect("a lock");
            all.values().map(|a| lock(a)).map(|a| (a.claims, a.to_write)).collect::<Vec<_>>()
        };
        let refused = room.claim(&folder, 1 << 60).expect_err("a refusal");
        assert!(refused.needed >= 1 << 60 && refused.free < 1 << 60);
        assert_eq!(state(), [(0, 0)]);
        assert!(room.claim(&folder, 0).expect("no refusal").is_none());
        let mut one = room.claim(&folder, 100_000).expect("room").expect("a claim");
        let mut two = room.claim(&folder, 100_000).expect("room").expect("a claim");
        let both = one.needed + two.needed;
        assert!(both >= 200_000);
        assert_eq!(state(), [(2, both)]);
        one.wrote(50_000);
        assert_eq!(state(), [(2, both - 50_000)]);
        one.wrote(u64::MAX);
        assert_eq!(state(), [(2, both / 2)]);
        let file = tempfile::tempfile_in(dir.path()).expect("a file");
        two.allocate(&file, 100_000).expect("space");
        // A file that the file system has allocated is in its own figures.
        let allocated = Meta::of(&file).expect("metadata").allocated >= 100_000;
        assert_eq!(state(), [if allocated { (1, 0) } else { (2, both / 2) }]);
        two.wrote(100_000);
        drop((one, two));
        assert_eq!(state(), [(0, 0)]);
    }
}
