//! The best of several peers, which is measured on the messages at hand, not guessed.

use crate::peer::contract::{Peer, PeerError, PeerKind, program};
use crate::peer::open::open;
use crate::peer::turn::{Turn, first};
use hashmill::Algorithm;

/// Peers from which the fastest is chosen.
pub struct Peers {
    opened: Vec<(PeerKind, Box<dyn Peer>)>,
    /// Peer for algorithms that none of the others has; opened when it is first needed.
    last: Option<PeerKind>,
    last_opened: Option<Box<dyn Peer>>,
    failures: Vec<(PeerKind, PeerError)>,
}

/// The fastest implementation of an algorithm on some messages.
pub struct Best<'a> {
    /// Peer that it belongs to.
    pub kind: PeerKind,
    /// Implementation's name and version.
    pub version: String,
    /// Job, ready to take turns with ours.
    pub turn: Turn<'a>,
}

impl Peers {
    /// Opens those of the peers that are available.
    pub fn open(kinds: &[PeerKind]) -> Peers {
        let mut peers = Peers { opened: Vec::new(), last: None, last_opened: None, failures: Vec::new() };
        for &kind in kinds {
            if peers.opened.iter().any(|(k, _)| *k == kind) {
                continue;
            }
            match open(kind) {
                Ok(peer) => peers.opened.push((kind, peer)),
                Err(e) => peers.failures.push((kind, e)),
            }
        }
        peers
    }

    /// Opens all peers that run in this process: libcrypto, a second one if `HASHMILL_LIBCRYPTO2` is set, RustCrypto,
    /// and other crates.
    pub fn in_process() -> Peers {
        let mut kinds = vec![PeerKind::Openssl, PeerKind::Rustcrypto, PeerKind::Crates];
        if program(PeerKind::Openssl2).is_some() {
            kinds.insert(1, PeerKind::Openssl2);
        }
        Peers::open(&kinds)
    }

    /// Adds a peer for algorithms that none of the others has.
    #[must_use]
    pub fn or(mut self, last: PeerKind) -> Peers {
        self.last = Some(last);
        self
    }

    /// Returns the peers that could not be opened since the last call.
    pub fn failures(&mut self) -> Vec<(PeerKind, PeerError)> {
        std::mem::take(&mut self.failures)
    }

    /// Returns the fastest peer for these messages, determined in a trial of a few milliseconds.
    ///
    /// # Errors
    /// If none has the algorithm, or those that have it fail.
    pub fn best<'a>(&'a mut self, algorithm: Algorithm, messages: &'a [&'a [u8]]) -> Result<Best<'a>, PeerError> {
        let Peers { opened, last, last_opened, failures } = self;
        let mut lacking = Vec::new();
        let (mut kinds, mut turns, mut failed) = (Vec::new(), Vec::new(), None);
        let mut ask = |kind: PeerKind, peer: &'a mut dyn Peer| match peer.job(algorithm, messages).and_then(Turn::new) {
            Ok(turn) => {
                kinds.push(kind);
                turns.push(turn);
                true
            }
            Err(PeerError::NoDigest { .. }) => {
                lacking.push(kind.word());
                false
            }
            Err(e) => {
                failed = Some(e);
                false
            }
        };
        let mut found = false;
        for (kind, peer) in opened {
            found |= ask(*kind, &mut **peer);
        }
        if let (false, Some(kind)) = (found, *last) {
            if last_opened.is_none() {
                match open(kind) {
                    Ok(peer) => *last_opened = Some(peer),
                    Err(e) => {
                        // Trying again would not help.
                        *last = None;
                        failures.push((kind, e));
                    }
                }
            }
            if let Some(peer) = last_opened {
                ask(kind, &mut **peer);
            }
        }
        if turns.is_empty() {
            let none = PeerError::NoPeer { algorithm: algorithm.name().into_owned(), peers: lacking };
            return Err(failed.unwrap_or(none));
        }
        let i = first(&mut turns)?;
        let turn = turns.swap_remove(i);
        Ok(Best { kind: kinds[i], version: turn.version(), turn })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peer::contract::{Job, stretches};
    use std::time::Duration;

    #[test]
    fn all_agree_with_us() {
        let names = [
            "md2", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512-256", "sha3-256", "blake2b-512",
            "jh256", "crc32", "xxh3",
        ];
        let message: Vec<u8> = (0..1000u32).map(|i| (i % 251) as u8).collect();
        let messages: Vec<&[u8]> = [0, 1, 63, 64, 65, 111, 112, 128, 1000].map(|len| &message[..len]).to_vec();
        let mut peers = Peers::in_process();
        for name in names {
            let a: Algorithm = name.parse().unwrap();
            let mut best = peers.best(a, &messages).unwrap();
            let ours: Vec<Vec<u8>> = messages.iter().map(|m| a.digest(m).as_bytes().to_vec()).collect();
            assert_eq!(best.turn.digests().unwrap(), ours, "{name} {}", best.version);
        }
    }

    /// A peer with one algorithm, which takes this long by its own clock and fails after a number of calls.
    struct Sleeper {
        name: &'static str,
        microseconds: u64,
        fails_from: usize,
    }

    struct Sleep<'a> {
        peer: &'a Sleeper,
        messages: usize,
        next: usize,
        calls: usize,
    }

    impl Peer for Sleeper {
        fn version(&self) -> String {
            format!("Sleeper {}", self.microseconds)
        }

        fn algorithms(&mut self) -> Vec<Algorithm> {
            vec![self.name.parse().unwrap()]
        }

        fn job<'a>(&'a mut self, a: Algorithm, messages: &'a [&'a [u8]]) -> Result<Box<dyn Job + 'a>, PeerError> {
            if a.name() == self.name {
                return Ok(Box::new(Sleep { peer: self, messages: messages.len(), next: 0, calls: 0 }));
            }
            Err(PeerError::NoDigest { peer: self.version(), algorithm: a.name().into_owned() })
        }
    }

    impl Job for Sleep<'_> {
        fn version(&self) -> String {
            self.peer.version()
        }

        fn run(&mut self, times: u64) -> Result<Option<Duration>, PeerError> {
            self.calls += 1;
            if self.calls > self.peer.fails_from {
                return Err(PeerError::Failed(self.version()));
            }
            let n: usize = stretches(&mut self.next, self.messages, times).map(|r| r.len()).sum();
            Ok(Some(Duration::from_micros(self.peer.microseconds * n as u64)))
        }

        fn digests(&mut self) -> Result<Vec<Vec<u8>>, PeerError> {
            Ok(vec![vec![0; 16]; self.messages])
        }
    }

    fn sleepers(all: &[(&'static str, u64, usize)]) -> Peers {
        let kinds = [PeerKind::Openssl, PeerKind::Rustcrypto, PeerKind::Crates, PeerKind::Go];
        let mut peers = Peers::open(&[]);
        for (kind, &(name, microseconds, fails_from)) in kinds.into_iter().zip(all) {
            peers.opened.push((kind, Box::new(Sleeper { name, microseconds, fails_from })));
        }
        peers
    }

    #[test]
    fn the_fastest_is_taken() {
        let md5: Algorithm = "md5".parse().unwrap();
        let messages = [&b"a"[..], b"b", b"c"];
        let never = usize::MAX;
        let best = |all: &[(&'static str, u64, usize)]| {
            let mut peers = sleepers(all);
            peers.best(md5, &messages).map(|b| (b.kind, b.version))
        };
        let found = best(&[("md5", 30, never), ("md5", 20, never), ("sha1", 10, never), ("md5", 21, never)]);
        assert_eq!(found, Ok((PeerKind::Rustcrypto, "Sleeper 20".into())));
        // A peer that fails immediately, and one that fails after a few calls.
        let found = best(&[("md5", 10, 0), ("md5", 11, 5), ("md5", 30, never)]);
        assert_eq!(found, Ok((PeerKind::Crates, "Sleeper 30".into())));
        assert_eq!(best(&[("md5", 10, 0)]), Err(PeerError::Failed("Sleeper 10".into())));
        let e = best(&[("sha1", 10, never), ("sha1", 10, never)]).unwrap_err();
        assert_eq!(e.to_string(), "no peer has md5: not openssl, not rustcrypto");
    }

    #[test]
    fn the_last_one_is_asked_for_what_the_others_lack() {
        let messages = [&b"a"[..]];
        let mut peers = sleepers(&[("md5", 5000, usize::MAX)]).or(PeerKind::Crates);
        let mut best = |name: &str| peers.best(name.parse().unwrap(), &messages).map(|b| b.kind);
        assert_eq!(best("md5"), Ok(PeerKind::Openssl));
        assert_eq!(best("crc32"), Ok(PeerKind::Crates));
        assert!(matches!(best("crc3-gsm"), Err(PeerError::NoPeer { peers, .. }) if peers == ["openssl", "crates"]));
    }
}
