//! What is computed of a file: a function, and the key if it takes one.

use hashmill::{Algorithm, Digest, Hasher, Hmac};
use hashmill_lists::{Composition, Function};
use std::fmt;
use std::sync::Arc;
use zeroize::Zeroizing;

/// A secret key. It is wiped from memory in the end.
#[derive(Clone)]
pub struct Key(Arc<Zeroizing<Vec<u8>>>);

impl Key {
    /// Returns the key with these bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        Key(Arc::new(Zeroizing::new(bytes)))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

/// A function with all that it needs besides the file.
#[derive(Clone)]
pub struct Recipe {
    function: Function,
    pub(crate) start: Start,
}

/// How hashing begins.
#[derive(Clone)]
pub(crate) enum Start {
    /// By the algorithm alone.
    Plain(Algorithm),
    Keyed(Box<Hasher>),
    Hmac(Box<Hmac>),
    Composed(Composition),
}

/// Why a function cannot be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecipeError {
    /// It takes a key, and there is none.
    #[error("{} needs a key", .0.name())]
    NoKey(Function),
    /// The key is not one that it takes, or it takes none.
    #[error("{0}")]
    BadKey(#[from] hashmill::Error),
    /// The part of an object in S3 has no length.
    #[error("s3-etag needs the length of a part, as in s3-etag:part=8M")]
    NoPart,
}

impl Recipe {
    /// Returns what computes a function. Functions that take no key ignore it.
    ///
    /// # Errors
    /// Returns an error if the function needs a key or a parameter, or takes no such key.
    pub fn new(function: Function, key: Option<&Key>) -> Result<Recipe, RecipeError> {
        let needed = || key.map(|key| &key.0[..]).ok_or(RecipeError::NoKey(function));
        let start = match function {
            Function::Hash(a) => Start::Plain(a),
            Function::Hmac(a) => Start::Hmac(Box::new(Hmac::new(a, needed()?)?)),
            Function::Keyed(a) => Start::Keyed(Box::new(Hasher::builder(a).key(needed()?).build()?)),
            Function::Composed(Composition::S3Etag { part: None }) => return Err(RecipeError::NoPart),
            Function::Composed(c) => Start::Composed(c),
            _ => return Err(RecipeError::NoKey(function)),
        };
        Ok(Recipe { function, start })
    }

    /// Returns the function.
    pub fn function(&self) -> Function {
        self.function
    }

    /// Returns the algorithm if there is no more to it.
    pub(crate) fn plain(&self) -> Option<Algorithm> {
        self.function.plain()
    }

    /// Returns the number of bytes that a value takes among those of other recipes.
    pub(crate) fn value_len(&self) -> usize {
        match self.function {
            // The number of parts, or zero; and the digest of programs before eMule.
            Function::Composed(Composition::S3Etag { .. }) => 16 + 4,
            Function::Composed(Composition::Ed2k) => 16 + 16,
            function => function.algorithm().digest_len(),
        }
    }

    /// Returns the digest whose value this is.
    pub(crate) fn digest(&self, value: &[u8]) -> Digest {
        let whole = matches!(self.function, Function::Composed(Composition::S3Etag { .. })) && value.ends_with(&[0; 4]);
        Digest::from_bytes(if whole { &value[..16] } else { value })
    }
}

impl From<Algorithm> for Recipe {
    fn from(a: Algorithm) -> Self {
        Recipe { function: Function::Hash(a), start: Start::Plain(a) }
    }
}

impl PartialEq for Recipe {
    fn eq(&self, other: &Self) -> bool {
        self.function == other.function
    }
}

impl fmt::Debug for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Nothing of the key.
        f.write_str(&self.function.name())
    }
}
