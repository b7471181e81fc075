//! Streaming: bytes as they come.

use crate::algorithm::Algorithm;
use crate::contract::{Blocks, Inputs, Kernel, MAX_BLOCK, NO_TAIL, Params, State, Stream};
use crate::digest::Digest;
use crate::dispatch::Finisher;
use crate::error::Error;
use crate::registry::{DigestLength, Rule};
use std::fmt;
use std::io;
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

/// A digest in the making.
#[derive(Clone)]
pub struct Hasher {
    algorithm: Algorithm,
    inputs: Option<Arc<Owned>>,
    /// A key has gone into the state.
    secret: bool,
    inner: Inner,
}

impl Drop for Hasher {
    fn drop(&mut self) {
        if self.secret {
            self.inner.wipe();
        }
    }
}

/// What a hasher was made with, to start again.
struct Owned {
    key: Zeroizing<Box<[u8]>>,
    salt: Box<[u8]>,
    personal: Box<[u8]>,
    context: Option<Box<[u8]>>,
}

impl Owned {
    fn borrow(&self) -> Inputs<'_> {
        Inputs { key: &self.key, salt: &self.salt, personal: &self.personal, context: self.context.as_deref() }
    }
}

#[allow(
    clippy::large_enum_variant,
    reason = "the large variant is the usual one, and boxing it costs every short message"
)]
enum Inner {
    Blocks(BlockStream),
    Whole(Box<dyn Stream>),
}

impl Clone for Inner {
    fn clone(&self) -> Self {
        match self {
            Inner::Blocks(b) => Inner::Blocks(b.clone()),
            Inner::Whole(s) => Inner::Whole(s.boxed_clone()),
        }
    }
}

impl Inner {
    fn wipe(&mut self) {
        match self {
            Inner::Blocks(b) => {
                b.state.0.zeroize();
                b.buffer.zeroize();
            }
            Inner::Whole(s) => s.wipe(),
        }
    }
}

#[derive(Clone)]
struct BlockStream {
    rule: &'static dyn Blocks,
    kernel: &'static Kernel,
    block: usize,
    keep_last: bool,
    state: State,
    buffer: [u8; MAX_BLOCK],
    fill: usize,
    total: u128,
}

impl BlockStream {
    fn new(rule: &'static dyn Blocks, kernel: &'static Kernel, p: &Params, x: &Inputs<'_>) -> Self {
        let mut state = State::zero();
        rule.init(p, x, &mut state);
        let mut b = BlockStream {
            rule,
            kernel,
            block: rule.block(p),
            keep_last: rule.keep_last(),
            state,
            buffer: [0; MAX_BLOCK],
            fill: 0,
            total: 0,
        };
        let mut prefix = [0; MAX_BLOCK];
        let n = rule.prefix(p, x, &mut prefix);
        b.update(p, &prefix[..n]);
        // It held the key.
        if n > 0 {
            prefix.zeroize();
        }
        b
    }

    fn update(&mut self, p: &Params, mut m: &[u8]) {
        self.total += m.len() as u128;
        if self.fill > 0 {
            let n = m.len().min(self.block - self.fill);
            self.buffer[self.fill..self.fill + n].copy_from_slice(&m[..n]);
            self.fill += n;
            m = &m[n..];
            // A full block waits for the next byte if the algorithm must know which block is the last.
            if self.fill < self.block || (self.keep_last && m.is_empty()) {
                return;
            }
            self.kernel.run_one(p, &mut self.state, &self.buffer[..self.block], self.block);
            self.fill = 0;
        }
        let blocks = if self.keep_last { m.len().saturating_sub(1) } else { m.len() } / self.block;
        let (whole, rest) = m.split_at(blocks * self.block);
        self.kernel.run_one(p, &mut self.state, whole, self.block);
        self.buffer[..rest.len()].copy_from_slice(rest);
        self.fill = rest.len();
    }

    fn finish(&self, p: &Params, secret: bool, out: &mut [u8]) {
        let f = Finisher { rule: self.rule, kernel: self.kernel, p };
        let mut state = self.state.clone();
        f.finish(&mut state, &self.buffer[..self.fill], self.total, out);
        if secret {
            state.0.zeroize();
        }
    }
}

impl Hasher {
    /// A hasher for `a`, without a key.
    pub fn new(a: Algorithm) -> Self {
        Hasher { algorithm: a, inputs: None, secret: false, inner: Hasher::start(&a, &Inputs::NONE) }
    }

    /// A hasher whose message begins with a key.
    pub(crate) fn secret(a: Algorithm) -> Self {
        let mut h = Hasher::new(a);
        h.secret = true;
        h
    }

    /// A hasher for `a` with a key: what `max_key_len` and the algorithm's specification say about its length.
    ///
    /// # Errors
    /// If the algorithm takes no key, or not one of this length.
    pub fn with_key(a: Algorithm, key: &[u8]) -> Result<Self, Error> {
        Hasher::builder(a).key(key).build()
    }

    /// A hasher that is given more than a message: key, salt, personalization, context.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hasher};
    /// let a: Algorithm = "blake2b".parse()?;
    /// let mut h = Hasher::builder(a).key(b"secret").salt(b"0123456789abcdef").personal(b"my program").build()?;
    /// h.update(b"message");
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn builder<'a>(a: Algorithm) -> HasherBuilder<'a> {
        HasherBuilder { algorithm: a, x: Inputs::NONE, keyed: false }
    }

    fn start(a: &Algorithm, x: &Inputs<'_>) -> Inner {
        let kernel = a.single_kernel();
        match a.row().rule {
            Rule::Blocks(rule) => Inner::Blocks(BlockStream::new(rule, kernel, &a.params, x)),
            Rule::Whole { .. } => Inner::Whole(kernel.whole().start(&a.params, x)),
        }
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Takes more of the message.
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) {
        match &mut self.inner {
            Inner::Blocks(b) => b.update(&self.algorithm.params, bytes.as_ref()),
            Inner::Whole(s) => s.update(bytes.as_ref()),
        }
    }

    /// The digest of everything so far. The hasher may go on afterwards.
    pub fn finalize(&self) -> Digest {
        Digest::with_len(self.algorithm.digest_len(), |out| self.finish(out))
    }

    /// Writes the digest to `out`, which must have `algorithm().digest_len()` bytes.
    ///
    /// # Errors
    /// If it has not.
    pub fn finalize_into(&self, out: &mut [u8]) -> Result<(), Error> {
        if out.len() != self.algorithm.digest_len() {
            return Err(self.algorithm.wrong_length(out.len()));
        }
        self.finish(out);
        Ok(())
    }

    /// Writes the digest to `out`, which has its length.
    pub(crate) fn finish(&self, out: &mut [u8]) {
        match &self.inner {
            Inner::Blocks(b) => b.finish(&self.algorithm.params, self.secret, out),
            Inner::Whole(s) => s.finish(out),
        }
    }

    /// The output of an extendable-output function (SHAKE, BLAKE3), to be read as far as wanted. Its first bytes are the
    /// digest.
    ///
    /// # Errors
    /// If the algorithm has a fixed digest.
    pub fn finalize_xof(&self) -> Result<Xof, Error> {
        if !matches!(self.algorithm.row().lengths, DigestLength::Any) {
            return Err(Error::NotExtendable {
                algorithm: self.algorithm.name().into_owned(),
                digest_len: self.algorithm.digest_len(),
            });
        }
        let p = self.algorithm.params;
        let inner = match &self.inner {
            Inner::Whole(s) => XofInner::Whole { stream: s.boxed_clone(), at: 0 },
            Inner::Blocks(b) => {
                let mut state = b.state.clone();
                let f = Finisher { rule: b.rule, kernel: b.kernel, p: &p };
                f.tails(&mut state, &b.buffer[..b.fill], b.total);
                let mut chunk = [0; MAX_BLOCK];
                let len = b.rule.squeeze(&p, &state, &mut chunk);
                XofInner::Blocks { p, rule: b.rule, kernel: b.kernel, state, chunk, len, at: 0 }
            }
        };
        Ok(Xof { inner, secret: self.secret })
    }

    /// Back to the beginning, with the same key, salt, personalization and context.
    pub fn reset(&mut self) {
        if self.secret {
            self.inner.wipe();
        }
        let inputs = self.inputs.as_ref().map_or(Inputs::NONE, |x| x.borrow());
        self.inner = Hasher::start(&self.algorithm, &inputs);
    }
}

/// Collects what goes into a hash besides the message: [`Hasher::builder`].
#[derive(Clone)]
pub struct HasherBuilder<'a> {
    algorithm: Algorithm,
    x: Inputs<'a>,
    keyed: bool,
}

impl<'a> HasherBuilder<'a> {
    /// A key; for XXH3 the secret.
    pub fn key(mut self, key: &'a [u8]) -> Self {
        self.x.key = key;
        self.keyed = true;
        self
    }

    /// A salt (BLAKE2b: up to 16 bytes, BLAKE2s: up to 8). A shorter one is filled up with zeros, as everywhere.
    pub fn salt(mut self, salt: &'a [u8]) -> Self {
        self.x.salt = salt;
        self
    }

    /// A personalization (BLAKE2b: up to 16 bytes, BLAKE2s: up to 8). A shorter one is filled up with zeros, as everywhere.
    pub fn personal(mut self, personal: &'a [u8]) -> Self {
        self.x.personal = personal;
        self
    }

    /// A context string: the hasher then derives keys, the message being key material (BLAKE3's `derive_key`).
    pub fn context(mut self, context: &'a [u8]) -> Self {
        self.x.context = Some(context);
        self
    }

    /// The hasher.
    ///
    /// # Errors
    /// If the algorithm does not take one of the inputs, or not with this length; or a key together with a context.
    pub fn build(self) -> Result<Hasher, Error> {
        let HasherBuilder { algorithm: a, x, keyed } = self;
        let row = a.row();
        if keyed && (row.keys.1 == 0 || !(row.keys.0..=row.keys.1).contains(&x.key.len())) {
            let given = x.key.len();
            let reason = match row.keys {
                (_, 0) => "it takes no key".to_string(),
                (min, max) if min == max => format!("a key must have {min} bytes, not {given}"),
                (min, usize::MAX) => format!("a key must have at least {min} bytes, not {given}"),
                (min, max) => format!("a key must have {min} to {max} bytes, not {given}"),
            };
            return Err(Error::BadKey { algorithm: a.name().into_owned(), reason });
        }
        let bad = |reason: String| Err(Error::BadParameter { algorithm: a.name().into_owned(), reason });
        for (what, bytes, max) in [("salt", x.salt, row.salt), ("personalization", x.personal, row.personal)] {
            if bytes.len() > max {
                let reason = match max {
                    0 => format!("it takes no {what}"),
                    _ => format!("a {what} has at most {max} bytes, not {}", bytes.len()),
                };
                return bad(reason);
            }
        }
        if x.context.is_some() && !row.context {
            return bad("it derives no keys from a context".into());
        }
        if x.context.is_some() && keyed {
            return bad("either a key or a context, not both".into());
        }
        if keyed && a.params.seed != 0 {
            return bad("either a seed or a key, not both".into());
        }
        let owned = Owned {
            key: Zeroizing::new(x.key.into()),
            salt: x.salt.into(),
            personal: x.personal.into(),
            context: x.context.map(Into::into),
        };
        // What keys are derived from by a context comes as the message.
        let secret = keyed || x.context.is_some();
        Ok(Hasher { algorithm: a, inner: Hasher::start(&a, &x), secret, inputs: Some(Arc::new(owned)) })
    }
}

impl fmt::Debug for HasherBuilder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HasherBuilder").field("algorithm", &self.algorithm).field("keyed", &self.keyed).finish()
    }
}

impl io::Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither the key nor the state: either may be secret.
        f.debug_struct("Hasher").field("algorithm", &self.algorithm).field("keyed", &self.inputs.is_some()).finish()
    }
}

/// The output of an extendable-output function. It never ends.
pub struct Xof {
    inner: XofInner,
    secret: bool,
}

impl Drop for Xof {
    fn drop(&mut self) {
        if !self.secret {
            return;
        }
        match &mut self.inner {
            XofInner::Blocks { state, chunk, .. } => {
                state.0.zeroize();
                chunk.zeroize();
            }
            XofInner::Whole { stream, .. } => stream.wipe(),
        }
    }
}

#[allow(clippy::large_enum_variant, reason = "short-lived values on the stack")]
enum XofInner {
    Blocks {
        p: Params,
        rule: &'static dyn Blocks,
        kernel: &'static Kernel,
        state: State,
        chunk: [u8; MAX_BLOCK],
        len: usize,
        at: usize,
    },
    Whole {
        stream: Box<dyn Stream>,
        at: u64,
    },
}

impl Xof {
    /// Writes the next `out.len()` bytes of output.
    pub fn fill(&mut self, mut out: &mut [u8]) {
        match &mut self.inner {
            XofInner::Whole { stream, at } => {
                stream.finish_at(*at, out);
                *at += out.len() as u64;
            }
            XofInner::Blocks { p, rule, kernel, state, chunk, len, at } => {
                while !out.is_empty() {
                    if at == len {
                        kernel.run_one(p, state, &[0; MAX_BLOCK][..rule.block(p)], rule.block(p));
                        *len = rule.squeeze(p, state, chunk);
                        *at = 0;
                    }
                    let n = out.len().min(*len - *at);
                    let (now, later) = out.split_at_mut(n);
                    now.copy_from_slice(&chunk[*at..*at + n]);
                    *at += n;
                    out = later;
                }
            }
        }
    }
}

impl io::Read for Xof {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.fill(out);
        Ok(out.len())
    }
}

impl fmt::Debug for Xof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Xof")
    }
}

impl<R: Blocks + ?Sized> Finisher<'_, R> {
    /// Runs the tail of a message.
    #[inline]
    pub(crate) fn tails(&self, s: &mut State, rest: &[u8], total: u128) {
        let block = self.rule.block(self.p);
        let mut tail = NO_TAIL;
        for stage in 0..=u8::MAX {
            let n = self.rule.tail(self.p, s, stage, if stage == 0 { rest } else { &[] }, total, &mut tail);
            if n == 0 {
                break;
            }
            self.kernel.run_one(self.p, s, &tail[..n], block);
        }
    }

    /// Runs the tail of a message and writes its digest.
    #[inline]
    pub(crate) fn finish(&self, s: &mut State, rest: &[u8], total: u128, out: &mut [u8]) {
        self.tails(s, rest, total);
        self.output(s, out);
    }

    /// Writes the digest of a message whose tail has been run.
    #[inline]
    pub(crate) fn output(&self, s: &mut State, out: &mut [u8]) {
        let block = self.rule.block(self.p);
        self.rule.output(self.p, s, &mut |s, b| self.kernel.run_one(self.p, s, b, block), out);
    }
}
