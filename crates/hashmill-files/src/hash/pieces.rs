//! Digests that are composed of those of a file's pieces.

use crate::base::error::Error;
use hashmill::{Algorithm, Encoding, Hasher, digest_many_into};
use hashmill_lists::{Composition, Function};

/// Length in bytes of the pieces of the eDonkey network.
const ED2K: u64 = 9_728_000;

/// Length in bytes of AICH's blocks, of which the last one in each piece is shorter.
const AICH: u64 = 180 << 10;

/// Length in bytes of the leaves of a Tiger tree.
const LEAF: usize = 1024;

/// Maximum length in bytes of short pieces, several of which are hashed side by side as they come. Longer ones are read
/// by the lanes themselves (`by_piece.rs`).
pub(crate) const SHORT: u64 = 64 << 10;

/// How a file is cut into pieces.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    composition: Composition,
    pub(crate) algorithm: Algorithm,
    /// The file's length in bytes, as far as it is known.
    size: u64,
    /// The last part of its name.
    name: Vec<u8>,
}

impl Plan {
    /// Cuts a file of this length, with this name.
    pub(crate) fn new(composition: Composition, size: u64, name: &[u8]) -> Self {
        let algorithm = Function::Composed(composition).algorithm();
        Plan { composition, algorithm, size, name: name.to_vec() }
    }

    /// Returns the length of the piece that begins at byte `at`, unless the file ends in it.
    pub(crate) fn piece(&self, at: u64) -> u64 {
        match self.composition {
            Composition::S3Etag { part } => part.map_or(u64::MAX, |part| part.get()),
            Composition::Ed2k => ED2K,
            Composition::Aich => AICH.min(ED2K - at % ED2K),
            Composition::Tth => LEAF as u64,
            Composition::Btih => btih_piece(self.size),
            _ => u64::MAX,
        }
    }

    /// What comes before the bytes of every piece.
    fn prefix(&self) -> Vec<u8> {
        match self.composition {
            Composition::Tth => vec![0],
            Composition::Git(_) => format!("blob {}\0", self.size).into_bytes(),
            _ => Vec::new(),
        }
    }

    /// Returns the digests of the short pieces of `bytes`, which begin with a piece; the last one may be shorter.
    pub(crate) fn digests(&self, bytes: &[u8]) -> Vec<u8> {
        let piece = self.piece(0) as usize;
        let (whole, rest) = bytes.split_at(bytes.len() / piece * piece);
        let prefix = self.prefix();
        let mut digests = if prefix.is_empty() {
            many(self.algorithm, whole, piece)
        } else {
            let mut all = Vec::with_capacity(whole.len() / piece * (prefix.len() + piece));
            for piece in whole.chunks_exact(piece) {
                all.extend_from_slice(&prefix);
                all.extend_from_slice(piece);
            }
            many(self.algorithm, &all, prefix.len() + piece)
        };
        if !rest.is_empty() {
            let mut hasher = self.hasher();
            hasher.update(rest);
            digests.extend_from_slice(hasher.finalize().as_bytes());
        }
        digests
    }

    fn hasher(&self) -> Hasher {
        let mut hasher = Hasher::new(self.algorithm);
        hasher.update(self.prefix());
        hasher
    }
}

/// Returns the length of the pieces of a torrent of a file of `size` bytes: 16 KiB below 16 MiB, 8 MiB from 4 GiB on,
/// and such that there are 512 to 1024 pieces between.
fn btih_piece(size: u64) -> u64 {
    match size {
        0..0x100_0000 => 16 << 10,
        0x100_0000..0x1_0000_0000 => 1 << (size.ilog2() - 9),
        _ => 8 << 20,
    }
}

/// Returns the digests of messages that lie one after the other and have the same length.
fn many(a: Algorithm, messages: &[u8], len: usize) -> Vec<u8> {
    let count = messages.len() / len;
    let offsets: Vec<u64> = (0..=count).map(|i| (i * len) as u64).collect();
    let mut out = vec![0; count * a.digest_len()];
    digest_many_into(a, &offsets, messages, Encoding::Raw, &mut out).expect("the lengths fit");
    out
}

/// A composed digest of a file whose bytes come one after the other.
#[derive(Clone)]
pub(crate) struct Pieces {
    plan: Plan,
    /// The piece that is being hashed, and where it begins.
    current: Hasher,
    begin: u64,
    /// Number of bytes so far.
    total: u64,
    tree: Tree,
}

impl Pieces {
    pub(crate) fn new(plan: Plan) -> Self {
        Pieces { current: plan.hasher(), begin: 0, total: 0, tree: Tree::new(&plan), plan }
    }

    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    pub(crate) fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let piece = self.plan.piece(self.begin);
            if self.begin == self.total && piece <= SHORT && bytes.len() as u64 >= 2 * piece {
                bytes = self.several(bytes, piece as usize);
                continue;
            }
            let left = piece - (self.total - self.begin);
            let (now, rest) = bytes.split_at(usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len()));
            self.current.update(now);
            self.total += now.len() as u64;
            if now.len() as u64 == left {
                self.tree.push(self.current.finalize().as_bytes());
                self.next();
            }
            bytes = rest;
        }
    }

    fn next(&mut self) {
        self.current = self.plan.hasher();
        self.begin = self.total;
    }

    /// Hashes the whole pieces at the beginning of `bytes` side by side, and returns the rest.
    fn several<'b>(&mut self, bytes: &'b [u8], piece: usize) -> &'b [u8] {
        let (whole, rest) = bytes.split_at(bytes.len() / piece * piece);
        self.tree.push_many(&self.plan.digests(whole));
        self.total += whole.len() as u64;
        self.next();
        rest
    }

    /// Returns the value.
    pub(crate) fn finish(mut self) -> Result<Vec<u8>, Error> {
        if self.total > self.begin {
            self.tree.push(self.current.finalize().as_bytes());
        }
        self.tree.finish(self.total)
    }
}

/// The digests of pieces in the order of the file, as far as they are needed later.
#[derive(Clone)]
pub(crate) struct Tree {
    plan: Plan,
    /// Number of digests.
    count: u64,
    digests: Vec<u8>,
    /// Complete subtrees of a Tiger tree, by the binary logarithm of their number of leaves.
    nodes: Vec<(u32, Vec<u8>)>,
}

impl Tree {
    pub(crate) fn new(plan: &Plan) -> Self {
        Tree { plan: plan.clone(), count: 0, digests: Vec::new(), nodes: Vec::new() }
    }

    /// Takes the digest of the next piece.
    pub(crate) fn push(&mut self, digest: &[u8]) {
        self.count += 1;
        match self.plan.composition {
            Composition::Tth => self.push_node(0, digest.to_vec()),
            Composition::Aich => {
                self.digests.extend_from_slice(digest);
                if self.count.is_multiple_of(ED2K.div_ceil(AICH)) {
                    self.close_aich();
                }
            }
            _ => self.digests.extend_from_slice(digest),
        }
    }

    /// Takes the digests of the next pieces.
    pub(crate) fn push_many(&mut self, mut digests: &[u8]) {
        let len = self.plan.algorithm.digest_len();
        if self.plan.composition != Composition::Tth {
            return digests.chunks_exact(len).for_each(|digest| self.push(digest));
        }
        while !digests.is_empty() {
            // As many as are a complete subtree in this place.
            let most = 1 << (digests.len() / len).ilog2();
            let fitting = if self.count == 0 { most } else { most.min(1 << self.count.trailing_zeros()) };
            let (now, later) = digests.split_at(fitting * len);
            self.count += fitting as u64;
            digests = later;
            let (mut level, mut height) = (now.to_vec(), 0);
            while level.len() > len {
                let mut pairs = Vec::with_capacity(level.len() / (2 * len) * (1 + 2 * len));
                for pair in level.chunks_exact(2 * len) {
                    pairs.push(1);
                    pairs.extend_from_slice(pair);
                }
                level = many(self.plan.algorithm, &pairs, 1 + 2 * len);
                height += 1;
            }
            self.push_node(height, level);
        }
    }

    fn push_node(&mut self, mut height: u32, mut node: Vec<u8>) {
        while let Some((same, left)) = self.nodes.pop() {
            if same != height {
                self.nodes.push((same, left));
                break;
            }
            node = self.plan.algorithm.digest(&inner(&left, &node)).as_bytes().to_vec();
            height += 1;
        }
        self.nodes.push((height, node));
    }

    /// Replaces the blocks of a piece by the piece's digests as a left and as a right branch: which it is depends on
    /// how many pieces follow.
    fn close_aich(&mut self) {
        let blocks: Vec<&[u8]> = self.digests.chunks_exact(20).collect();
        let node = [true, false].map(|left| aich(&blocks, left)).concat();
        self.digests.clear();
        self.nodes.push((0, node));
    }

    /// Returns the value for a file of `total` bytes.
    pub(crate) fn finish(mut self, total: u64) -> Result<Vec<u8>, Error> {
        let a = self.plan.algorithm;
        let digest = |bytes: &[u8]| a.digest(bytes).as_bytes().to_vec();
        let needs_size = matches!(self.plan.composition, Composition::Git(_) | Composition::Btih);
        if needs_size && total != self.plan.size {
            return Err(Error::NoLength);
        }
        Ok(match self.plan.composition {
            Composition::S3Etag { part } => match self.count {
                // What is shorter than a part is uploaded whole.
                0 => [&digest(b"")[..], &[0; 4]].concat(),
                1 if part.is_some_and(|part| total < part.get()) => [&self.digests[..], &[0; 4]].concat(),
                parts => {
                    let parts = u32::try_from(parts).unwrap_or(u32::MAX);
                    [&digest(&self.digests)[..], &parts.to_be_bytes()].concat()
                }
            },
            Composition::Ed2k => {
                let of = |digests: &[u8]| if digests.len() == 16 { digests.to_vec() } else { digest(digests) };
                let older = if self.count == 0 { digest(b"") } else { of(&self.digests) };
                let is_multiple = total > 0 && total.is_multiple_of(ED2K);
                let newer = if is_multiple { of(&[&self.digests[..], &digest(b"")].concat()) } else { older.clone() };
                [newer, older].concat()
            }
            Composition::Tth => {
                let Some((_, mut root)) = self.nodes.pop() else { return Ok(digest(&[0])) };
                while let Some((_, left)) = self.nodes.pop() {
                    root = digest(&inner(&left, &root));
                }
                root
            }
            Composition::Aich => {
                if !self.digests.is_empty() {
                    self.close_aich();
                }
                match self.nodes.len() {
                    0 => digest(b""),
                    _ => {
                        let pieces: Vec<&[u8]> = self.nodes.iter().map(|(_, node)| &node[..]).collect();
                        aich_of_pieces(&pieces, true)
                    }
                }
            }
            Composition::Btih => {
                let mut info = format!("d6:lengthi{total}e4:name{}:", self.plan.name.len()).into_bytes();
                info.extend_from_slice(&self.plan.name);
                let piece = self.plan.piece(0);
                info.extend_from_slice(format!("12:piece lengthi{piece}e6:pieces{}:", self.digests.len()).as_bytes());
                info.extend_from_slice(&self.digests);
                info.push(b'e');
                digest(&info)
            }
            // There is one piece, which may be empty.
            _ if self.count == 0 => self.plan.hasher().finalize().as_bytes().to_vec(),
            _ => self.digests,
        })
    }
}

/// Returns what is hashed for an inner node of a Tiger tree.
fn inner(left: &[u8], right: &[u8]) -> Vec<u8> {
    [&[1], left, right].concat()
}

/// Returns the digest of a branch of AICH's tree with these leaves. Of an odd number, a left branch has more to the
/// left.
fn aich(leaves: &[&[u8]], is_left: bool) -> Vec<u8> {
    branch(leaves, is_left, &|leaf, _| leaf.to_vec())
}

/// The same with whole pieces as leaves, which have a digest for either side.
fn aich_of_pieces(pieces: &[&[u8]], is_left: bool) -> Vec<u8> {
    branch(pieces, is_left, &|leaf, left| leaf[if left { 0..20 } else { 20..40 }].to_vec())
}

fn branch(leaves: &[&[u8]], is_left: bool, leaf: &dyn Fn(&[u8], bool) -> Vec<u8>) -> Vec<u8> {
    match leaves {
        [] => Vec::new(),
        [one] => leaf(one, is_left),
        several => {
            let (left, right) = several.split_at((several.len() + usize::from(is_left)) / 2);
            let both = [branch(left, true, leaf), branch(right, false, leaf)].concat();
            Algorithm::SHA1.digest(&both).as_bytes().to_vec()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill::Digest;
    use hashmill_lists::Digits;
    use std::num::NonZeroU64;

    fn content(len: usize) -> Vec<u8> {
        (0..len).map(|i| (i % 251) as u8).collect()
    }

    /// Returns the digest of a message that comes in steps, as text.
    fn of(c: Composition, message: &[u8], steps: usize) -> String {
        let mut pieces = Pieces::new(Plan::new(c, message.len() as u64, b"name"));
        message.chunks(steps).for_each(|part| pieces.update(part));
        let value = pieces.finish().unwrap();
        let recipe = crate::base::recipe::Recipe::new(c.into(), None).unwrap();
        assert_eq!(value.len(), recipe.value_len());
        let mut out = Vec::new();
        Function::Composed(c).put(&recipe.digest(&value), Digits::Hex, &mut out);
        String::from_utf8(out).unwrap()
    }

    /// Of `git hash-object`, with and without `--object-format=sha256`, and of the specifications of C4 and THEX.
    #[test]
    fn known_digests() {
        for (c, message, want) in [
            (Composition::Git(Algorithm::SHA1), &b""[..], "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"),
            (Composition::Git(Algorithm::SHA1), b"hello\n", "ce013625030ba8dba906f756967f9e9ca394464a"),
            (
                Composition::Git(Algorithm::SHA256),
                b"hello\n",
                "2cf8d83d9ee29543b34a87727421fdecb7e3f3a183d337639025de576db9ebb4",
            ),
            (
                Composition::C4,
                b"",
                "c459dsjfscH38cYeXXYogktxf4Cd9ibshE3BHUo6a58hBXmRQdZrAkZzsWcbWtDg5oQstpDuni4Hirj75GEmTc1sFT",
            ),
            (Composition::Tth, b"", "lwpnacqdbzryxw3vhjvcj64qbznghohhhzwclnq"),
            (Composition::Tth, b"\0", "vk54zieevtwnaui5d5rdfil37lx2iqnstaxfksa"),
            (Composition::Ed2k, b"", "31d6cfe0d16ae931b73c59d7e0c089c0"),
            (Composition::Aich, b"", "3i42h3s6nnfq2msvx7xzkyayscx5qbyj"),
        ] {
            assert_eq!(of(c, message, 1), want, "{c:?}");
        }
    }

    /// Every way to cut a message gives the same digest, in lanes or not.
    #[test]
    fn steps_do_not_matter() {
        let part = NonZeroU64::new(SHORT);
        let all = [
            Composition::Tth,
            Composition::Aich,
            Composition::Ed2k,
            Composition::Btih,
            Composition::S3Etag { part },
            Composition::Git(Algorithm::SHA1),
            Composition::C4,
        ];
        for len in [0, 1, 1023, 1024, 1025, 5000, 16384, 65536, 65537, 300_000, 700_001] {
            let message = content(len);
            for c in all {
                let want = of(c, &message, 1000);
                for steps in [1 << 10, 1 << 18, len.max(1)] {
                    assert_eq!(of(c, &message, steps), want, "{c:?} of {len} in steps of {steps}");
                }
            }
        }
    }

    /// By hand: MD5 of the parts' MD5s.
    #[test]
    fn etags() {
        let part = 100_000;
        let c = Composition::S3Etag { part: NonZeroU64::new(part) };
        for (len, parts) in [(0, 0), (1, 0), (99_999, 0), (100_000, 1), (100_001, 2), (300_000, 3)] {
            let message = content(len);
            let md5 = |bytes: &[u8]| Algorithm::MD5.digest(bytes);
            let want = if parts == 0 {
                md5(&message).to_string()
            } else {
                let all: Vec<Digest> = message.chunks(part as usize).map(md5).collect();
                format!("{}-{parts}", md5(&all.iter().map(Digest::as_bytes).collect::<Vec<_>>().concat()))
            };
            assert_eq!(of(c, &message, 7000), want, "{len}");
        }
    }

    #[test]
    fn lengths_of_torrents_pieces() {
        for (size, piece) in [
            (0, 16 << 10),
            ((16 << 20) - 1, 16 << 10),
            (16 << 20, 32 << 10),
            ((32 << 20) - 1, 32 << 10),
            (32 << 20, 64 << 10),
            ((4 << 30) - 1, 4 << 20),
            (4 << 30, 8 << 20),
            (1 << 50, 8 << 20),
        ] {
            assert_eq!(btih_piece(size), piece, "{size}");
        }
    }

    #[test]
    fn a_length_that_is_wrong() {
        for c in [Composition::Git(Algorithm::SHA1), Composition::Btih] {
            let mut pieces = Pieces::new(Plan::new(c, 5, b"name"));
            pieces.update(b"123456");
            assert!(matches!(pieces.finish(), Err(Error::NoLength)));
        }
    }
}
