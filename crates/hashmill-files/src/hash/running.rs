//! What is computed of one file, as its bytes come.

use crate::base::error::Error;
use crate::base::recipe::{Recipe, Start};
use crate::hash::pieces::{Pieces, Plan};
use crate::queue::job::{Job, Message};
use hashmill::{Hasher, Hmac};

/// A function that is being computed.
#[derive(Clone)]
#[allow(clippy::large_enum_variant, reason = "nearly all are of the large variant")]
pub(crate) enum Running {
    Hash(Hasher),
    Hmac(Box<Hmac>),
    Pieces(Box<Pieces>),
}

impl Running {
    /// Begins with the file of a job, which is open.
    pub(crate) fn new(recipe: &Recipe, job: &Job) -> Self {
        let name = match &job.what {
            Message::Input(input) => input.name().file_name().map_or(&b""[..], |name| name.as_encoded_bytes()),
            Message::Task(_) => b"",
        };
        Running::of(recipe, job.size, name)
    }

    /// Begins with a file of this length and with this name.
    pub(crate) fn of(recipe: &Recipe, size: u64, name: &[u8]) -> Self {
        match &recipe.start {
            Start::Plain(a) => Running::Hash(Hasher::new(*a)),
            Start::Keyed(hasher) => Running::Hash(Hasher::clone(hasher)),
            Start::Hmac(hmac) => Running::Hmac(hmac.clone()),
            Start::Composed(c) => Running::Pieces(Box::new(Pieces::new(Plan::new(*c, size, name)))),
        }
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        match self {
            Running::Hash(hasher) => hasher.update(bytes),
            Running::Hmac(hmac) => hmac.update(bytes),
            Running::Pieces(pieces) => pieces.update(bytes),
        }
    }

    /// Takes more of a file for all that is computed of it: side by side, where that is faster.
    pub(crate) fn update_all(all: &mut [Running], bytes: &[u8]) {
        let mut hashers = Vec::with_capacity(all.len());
        for one in all {
            match one {
                Running::Hash(hasher) => hashers.push(hasher),
                other => other.update(bytes),
            }
        }
        Hasher::update_all(hashers, bytes);
    }

    /// Appends the value.
    ///
    /// # Errors
    /// Returns an error if the file's length had to be known from the beginning and turns out to be another.
    pub(crate) fn finish(self, out: &mut Vec<u8>) -> Result<(), Error> {
        match self {
            Running::Hash(hasher) => out.extend_from_slice(hasher.finalize().as_bytes()),
            Running::Hmac(hmac) => out.extend_from_slice(hmac.finalize().as_bytes()),
            Running::Pieces(pieces) => out.extend_from_slice(&pieces.finish()?),
        }
        Ok(())
    }
}
