//! Entries of lists, and what else a list says.

use crate::base::candidates::candidates;
use crate::base::digits::Digits;
use crate::base::fault::Fault;
use crate::base::function::Function;
use hashmill::{Algorithm, Digest};
use std::fmt;
use std::sync::Arc;

/// A digest that a list states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    /// What it is of, with the digest's length as a parameter where that can vary. `None` if nothing names it;
    /// [`Stated::candidates`] returns what it may be.
    pub function: Option<Function>,
    /// If nothing names it, what it may be of by the place or the spelling that it has in its list, the most usual
    /// first; `None` if only its length tells.
    pub among: Option<Arc<[Function]>>,
    /// The value.
    pub digest: Digest,
    /// Other values of the same function, one of which is enough (Subresource Integrity).
    pub or: Vec<Digest>,
}

impl Stated {
    /// Returns a digest of this algorithm, or of an unknown one.
    pub fn new(algorithm: Option<Algorithm>, digest: Digest) -> Self {
        Stated { function: algorithm.map(Function::Hash), among: None, digest, or: Vec::new() }
    }

    /// Returns a digest of this function.
    pub fn of(function: Function, digest: Digest) -> Self {
        Stated { function: Some(function), ..Stated::new(None, digest) }
    }

    /// Returns what a digest may be of if nothing names it, the most usual first.
    pub fn candidates(&self) -> Vec<Function> {
        match &self.among {
            Some(among) => among.to_vec(),
            None => candidates(self.digest.as_bytes().len()).into_iter().map(Function::Hash).collect(),
        }
    }

    /// Returns the algorithm, if the digest is that of the content alone.
    pub fn algorithm(&self) -> Option<Algorithm> {
        self.function.and_then(Function::plain)
    }

    /// Appends the value as text.
    pub fn put(&self, digits: Digits, out: &mut Vec<u8>) {
        match self.function {
            Some(function) => function.put(&self.digest, digits, out),
            None => digits.put(out, self.digest.as_bytes()),
        }
    }
}

/// What a list says of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    /// The file's name, byte for byte, with `/` between folders.
    pub name: Vec<u8>,
    /// The name as the list spells it, if that is another and may be the right one: some programs escape names by the
    /// rules of a form, others do not.
    pub literal: Option<Vec<u8>>,
    /// Its length in bytes.
    pub size: Option<u64>,
    /// When it was last modified: seconds since 1970 (UTC), and nanoseconds.
    pub mtime: Option<(i64, u32)>,
    /// Its digests, at least one.
    pub stated: Vec<Stated>,
    /// The names of algorithms that are not known here, of which the list has further digests.
    pub unknown: Vec<String>,
    /// The file need not exist.
    pub is_optional: bool,
}

impl Entry {
    /// Returns an entry with one digest.
    pub fn new(name: Vec<u8>, algorithm: Option<Algorithm>, digest: Digest) -> Self {
        Entry { name, stated: vec![Stated::new(algorithm, digest)], ..Entry::default() }
    }
}

/// Something about a list that is worth telling once.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Note {
    /// The list is inside a PGP signature, which is not verified.
    Signature,
    /// Names have `\` between folders, which are read as `/`.
    Backslashes,
    /// Names begin with a drive letter or a server's name, of which only what follows counts.
    Drives,
    /// The list also has digests of folders, which are not verified.
    Folders,
    /// The list also has links or devices, which have no digest and are not verified.
    NoDigest,
    /// The list says of some files that they may change.
    NoChange,
    /// The list says of some files that they need not exist.
    Optional,
    /// Files have several digests of the same length whose algorithms nothing names, of which the first is used.
    SameLength,
    /// Files also have digests by this algorithm, which is not known here.
    NotKnown(String),
    /// Comments look like the lines of files whose names begin as comments do. They are not verified.
    Commented,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Note::Signature => "the PGP signature is not verified here; gpg --verify does that",
            Note::Backslashes => r"backslashes in names are read as slashes",
            Note::Drives => "of names with a drive, only what is below the base folder counts",
            Note::Folders => "digests of folders are not verified",
            Note::Commented => "comments that look like the lines of files are not verified",
            Note::NoDigest => "entries without a digest (folders, links, devices) are not verified",
            Note::Optional => "files marked optional may be missing",
            Note::NoChange => "files marked nochange are not verified",
            Note::SameLength => "of digests of the same length that name no algorithm, only the first is used",
            Note::NotKnown(name) => return write!(f, "digests by {name}, which is not known here, are not verified"),
        })
    }
}

/// A part of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A blank line, a comment, or something else that needs no attention.
    Nothing,
    /// What the list says of a file.
    Entry(Entry),
    /// A digest that no file name follows. If it is all that the list has, the list's name may tell which file it is
    /// of.
    Lone(Stated),
    /// Something about the list.
    Note(Note),
    /// A line, or another part, that cannot be used.
    Bad(Fault),
}

/// A part of a list, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The number of the line, starting from 1.
    pub number: u64,
    /// What it says.
    pub item: Item,
}
