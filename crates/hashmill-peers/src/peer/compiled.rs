//! Compiled-in crates: tables of functions that hash messages one after the other.

use crate::peer::contract::{Job, Peer, PeerError, stretches};
use crate::peer::turn::fastest;
use hashmill::Algorithm;
use std::time::Duration;

/// Hashes messages one after the other into the same buffer, which is at least as long as the digest.
pub(super) type Each = fn(&[&[u8]], &mut [u8]);

/// One algorithm of one crate.
pub(super) struct Row {
    pub(super) ours: &'static str,
    /// Package name of the crate.
    pub(super) package: &'static str,
    /// Type or function, as users write it.
    pub(super) theirs: &'static str,
    pub(super) each: Each,
}

/// Returns the version of a crate: `0.11.1`. `None` if this crate was built outside its workspace.
pub(super) fn number(package: &str) -> Option<&'static str> {
    env!("HASHMILL_CRATES").split(';').find_map(|c| c.split_once(' ').filter(|(name, _)| *name == package)).map(|c| c.1)
}

/// A peer made of crates. If several of them have an algorithm, each job uses the one that is fastest on its messages.
pub(super) struct Compiled {
    /// Name for errors: `RustCrypto`.
    pub(super) whose: &'static str,
    pub(super) version: fn() -> String,
    /// Describes a crate with its version.
    pub(super) version_of: fn(&'static str) -> String,
    pub(super) table: &'static [Row],
}

/// Returns the type or function of the first row for an algorithm: `sha2::Sha256`.
pub(super) fn name(table: &'static [Row], ours: &str) -> Option<&'static str> {
    table.iter().find(|r| r.ours == ours).map(|r| r.theirs)
}

impl Peer for Compiled {
    fn version(&self) -> String {
        (self.version)()
    }

    fn algorithms(&mut self) -> Vec<Algorithm> {
        let mut all: Vec<Algorithm> = Vec::new();
        for a in self.table.iter().filter_map(|r| r.ours.parse().ok()) {
            if !all.contains(&a) {
                all.push(a);
            }
        }
        all
    }

    fn job<'a>(&'a mut self, algorithm: Algorithm, messages: &'a [&'a [u8]]) -> Result<Box<dyn Job + 'a>, PeerError> {
        let name = algorithm.name();
        let rows: Vec<&Row> = self.table.iter().filter(|r| r.ours == name).collect();
        let job = |row: &&'static Row| CompiledJob {
            row,
            version: (self.version_of)(row.package),
            messages,
            next: 0,
            out: vec![0; algorithm.digest_len()],
        };
        match rows[..] {
            [] => Err(PeerError::NoDigest { peer: self.whose.into(), algorithm: name.into_owned() }),
            _ if messages.is_empty() => Err(PeerError::NoMessages),
            [row] => Ok(Box::new(job(&row))),
            _ => fastest(rows.iter().map(|r| Box::new(job(r)) as Box<dyn Job + 'a>).collect()),
        }
    }
}

struct CompiledJob<'a> {
    row: &'static Row,
    version: String,
    messages: &'a [&'a [u8]],
    next: usize,
    out: Vec<u8>,
}

impl Job for CompiledJob<'_> {
    fn version(&self) -> String {
        self.version.clone()
    }

    fn run(&mut self, times: u64) -> Result<Option<Duration>, PeerError> {
        for part in stretches(&mut self.next, self.messages.len(), times) {
            (self.row.each)(&self.messages[part], &mut self.out);
        }
        Ok(None)
    }

    fn digests(&mut self) -> Result<Vec<Vec<u8>>, PeerError> {
        let mut one = |m| {
            (self.row.each)(&[m], &mut self.out);
            self.out.clone()
        };
        Ok(self.messages.iter().map(|m| one(m)).collect())
    }
}
