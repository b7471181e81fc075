//! Streaming: bytes as they come.

use crate::base::digest::Digest;
use crate::base::error::Error;
use crate::contract::{Feed, Flat, Inputs, Kernel, Memory, Prepared, Run, Value, copy_in_pieces, word};
use crate::engine::chosen::Engine;
use crate::plumbing::message::Finisher;
use crate::registry::algorithm::Algorithm;
use crate::registry::table::Rule;
use std::borrow::Cow;
use std::fmt;
use std::io;
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

/// A digest in the making.
///
/// It is flat: all of it lies in its [`Hasher::BYTES`] bytes, whatever the algorithm and the message, unless it was
/// given a key, a salt or the like, which it then keeps in one allocation that its clones share. What it has hashed so
/// far can be [exported](Hasher::export) and [resumed](Hasher::import).
///
/// ```
/// use hashmill::{Algorithm, Hasher};
/// let a: Algorithm = "sha256".parse()?;
/// let mut h = Hasher::new(a);
/// h.update(b"a");
/// h.update(b"bc");
/// assert_eq!(h.finalize(), a.digest(b"abc"));
/// # Ok::<(), hashmill::Error>(())
/// ```
pub struct Hasher {
    pub(super) engine: Engine,
    inputs: Option<Arc<Owned>>,
    /// A key has gone into the memory.
    pub(super) secret: bool,
    pub(super) running: Running,
}

/// How far a message is.
#[derive(Clone)]
#[allow(
    clippy::large_enum_variant,
    reason = "it is meant to be flat: a box would cost every longer message an allocation"
)]
pub(super) enum Running {
    Short(Short),
    Begun(Begun),
}

/// All of a message so far. Most messages are short, and preparing the memory for a long one, and what its end takes,
/// takes several times as long as hashing them at once.
///
/// A load waits until the bytes have reached the cache if they were written just before by more than one store, which
/// takes longer than hashing a few bytes. The gap therefore makes the bytes start a cache line (with an alignment, the
/// compiler built the value elsewhere and copied it), and they are not copied by `memcpy`: its registers of 64 bytes
/// made a message of 64 bytes take 6 ns longer (an Intel Xeon with AVX-512 FP16).
#[derive(Clone)]
#[repr(C)]
pub(super) struct Short {
    len: usize,
    gap: [u64; 6],
    bytes: [u8; Short::MOST],
}

impl Short {
    /// The most bytes that are kept: each has to be cleared for every message.
    const MOST: usize = 128;

    const EMPTY: Short = Short { len: 0, gap: [0; 6], bytes: [0; Short::MOST] };

    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// Takes a piece of the message and returns true, if there is room for it.
    #[inline(always)]
    fn keep(&mut self, m: &[u8]) -> bool {
        let Some(free) = self.bytes.get_mut(self.len..) else { return false };
        match (word(m), free.first_chunk_mut()) {
            // What lies behind the message may have any value.
            (Some(word), Some(free)) => *free = word.to_le_bytes(),
            _ => match free.get_mut(..m.len()) {
                Some(free) => copy_in_pieces(free, m),
                None => return false,
            },
        }
        self.len += m.len();
        true
    }
}

/// A message that is being hashed as it comes.
#[derive(Clone)]
pub(super) struct Begun {
    pub(super) kernel: &'static Kernel,
    /// How many bytes can wait in the memory's buffer before anything must be done with them.
    holds: u16,
    /// How it takes more, where that is known without its inputs.
    feed: Option<Feed>,
    pub(super) memory: Memory,
}

impl Clone for Hasher {
    fn clone(&self) -> Self {
        Hasher { inputs: self.inputs.clone(), running: self.running.clone(), ..*self }
    }

    fn clone_from(&mut self, from: &Self) {
        self.wipe();
        (self.engine, self.secret) = (from.engine, from.secret);
        self.inputs.clone_from(&from.inputs);
        match (&mut self.running, &from.running) {
            (Running::Begun(to), Running::Begun(from)) => {
                (to.kernel, to.holds, to.feed) = (from.kernel, from.holds, from.feed);
                to.memory.copy_from(&from.memory);
            }
            // Not `clone_from` of the whole enumeration: it makes a clone on the stack and copies all of it, including
            // what was there before.
            (to, Running::Short(from)) => *to = Running::Short(from.clone()),
            (to, Running::Begun(from)) => *to = Running::Begun(from.clone()),
        }
    }
}

impl Drop for Hasher {
    fn drop(&mut self) {
        self.wipe();
    }
}

/// What a hasher was made with, to start again.
pub(crate) struct Owned {
    pub(crate) key: Zeroizing<Box<[u8]>>,
    pub(crate) salt: Box<[u8]>,
    pub(crate) personal: Box<[u8]>,
    context: Box<[u8]>,
    /// There is a context, of any length. No value here is optional: where it was none there would be whatever was on
    /// the stack, a piece of a key for instance.
    derives: bool,
    /// The digest that it goes on from; empty without one.
    pub(crate) resumed: Box<[u8]>,
    /// What the algorithm made of them, or nothing that it knows.
    prepared: Prepared,
}

impl Owned {
    fn borrow(&self) -> Inputs<'_> {
        Inputs {
            key: &self.key,
            salt: &self.salt,
            personal: &self.personal,
            context: self.derives.then_some(&self.context),
            prepared: Some(&self.prepared),
        }
    }
}

/// [`Begun::holds`] and [`Begun::feed`].
fn takes(a: Algorithm, kernel: &Kernel, plain: bool) -> (u16, Option<Feed>) {
    let (holds, feed) = match a.row().rule {
        Rule::Blocks(rule) if rule.keep_last() => (rule.block(&a.params), None),
        Rule::Blocks(rule) => (rule.block(&a.params) - 1, None),
        Rule::Whole { .. } => (kernel.whole().holds(), kernel.whole().feed().filter(|_| plain)),
    };
    (holds as u16, feed)
}

impl Begun {
    /// At the beginning of a message.
    #[inline(always)]
    fn new(engine: Engine, inputs: Option<&Owned>) -> Self {
        let kernel = engine.single_kernel();
        // Before the memory: what is done between making it and putting it into place makes it be copied.
        let (holds, feed) = takes(engine.algorithm(), kernel, inputs.is_none());
        Begun { kernel, holds, feed, memory: Begun::start(engine.algorithm(), kernel, inputs) }
    }

    // A call of its own, which writes to where the memory will be.
    #[inline(never)]
    fn start(a: Algorithm, kernel: &Kernel, inputs: Option<&Owned>) -> Memory {
        let x = inputs.map_or(Inputs::NONE, Owned::borrow);
        match a.row().rule {
            Rule::Blocks(rule) => Memory::Flat(Flat::of_blocks(rule, kernel, &a.params, &x)),
            Rule::Whole { .. } => {
                let whole = kernel.whole();
                let resumed =
                    inputs.filter(|x| !x.resumed.is_empty()).and_then(|x| whole.resume(&a.params, &x.resumed));
                resumed.unwrap_or_else(|| whole.start(&a.params, &x))
            }
        }
    }

    #[inline(always)]
    fn update(&mut self, engine: &Engine, inputs: Option<&Owned>, m: &[u8]) {
        // Bytes that only wait, as short pieces mostly do, have no need to know for what.
        if !self.memory.keep(usize::from(self.holds), m) {
            match self.feed {
                Some(feed) => feed(engine.params(), &mut self.memory, m),
                None => self.take(engine, inputs, m),
            }
        }
    }

    #[inline(never)]
    fn take(&mut self, engine: &Engine, inputs: Option<&Owned>, m: &[u8]) {
        let p = engine.params();
        match (&self.kernel.run, engine.algorithm().row().rule) {
            (Run::Whole(whole), _) => {
                let x = inputs.map_or(Inputs::NONE, Owned::borrow);
                whole.update(p, &x, &mut self.memory, m);
            }
            (Run::Lanes(_), Rule::Blocks(rule)) => {
                let flat = self.memory.flat_mut();
                if flat.last.count == 0 {
                    flat.blocks(rule, self.kernel, p, m);
                } else {
                    flat.join(rule, self.kernel, p, m);
                }
            }
            (Run::Lanes(_), Rule::Whole { .. }) => {
                unreachable!("the registry's tests hold every row to one shape")
            }
        }
    }
}

/// [`Hasher::update_all`] where functions can run side by side.
#[cfg(target_arch = "x86_64")]
fn update_together<'h>(hashers: impl Iterator<Item = &'h mut Hasher>, mut m: &[u8]) {
    use crate::algo::together::{BLOCK, MOST, ROTATING, WORTH, place, run};
    let mut places: [Option<&mut Hasher>; MOST] = [const { None }; MOST];
    // How far into a block the hashers are that run together.
    let mut into = None;
    for h in hashers {
        if m.len() >= WORTH
            && let Some(i) = place(h.engine.algorithm().row().name, h.engine.single_kernel().name)
            && places[i].is_none()
            && let Memory::Flat(flat) = &h.begun().memory
            && flat.last.count == 0
            && *into.get_or_insert(flat.fill) == flat.fill
        {
            places[i] = Some(h);
        } else {
            h.update(m);
        }
    }
    if places.iter().flatten().count() > 1 {
        let (head, rest) = m.split_at((BLOCK - into.unwrap_or(0)) % BLOCK);
        let (blocks, rest) = rest.split_at(rest.len() / BLOCK * BLOCK);
        places.iter_mut().flatten().for_each(|h| h.update(head));
        let rotates = places[0].as_ref().is_some_and(|md5| md5.engine.single_kernel().name == ROTATING);
        let states = places.each_mut().map(|h| {
            let flat = h.as_mut()?.begun().memory.flat_mut();
            flat.total = flat.total.wrapping_add(blocks.len() as u128);
            Some(&mut flat.state)
        });
        run(states, rotates, blocks);
        m = rest;
    }
    places.into_iter().flatten().for_each(|h| h.update(m));
}

impl Hasher {
    /// The size of every hasher in bytes, and so the most that a message's running hash takes.
    pub const BYTES: usize = size_of::<Hasher>();

    /// A hasher without a key.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hasher};
    /// let a: Algorithm = "sha256".parse()?;
    /// assert_eq!(Hasher::new(a).finalize(), a.digest(b""));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn new(a: Algorithm) -> Self {
        Hasher::of(a.into())
    }

    #[inline]
    pub(crate) fn of(engine: Engine) -> Self {
        Hasher { engine, inputs: None, secret: false, running: Running::Short(Short::EMPTY) }
    }

    /// A hasher whose message begins with a key.
    pub(crate) fn secret(engine: Engine) -> Self {
        Hasher { engine, inputs: None, secret: true, running: Running::Begun(Begun::new(engine, None)) }
    }

    fn with(engine: Engine, inputs: Arc<Owned>, secret: bool) -> Self {
        let begun = Begun::new(engine, Some(&*inputs));
        Hasher { engine, inputs: Some(inputs), secret, running: Running::Begun(begun) }
    }

    /// A hasher that goes on from this memory, which is the algorithm's.
    pub(crate) fn resumed(engine: Engine, inputs: Option<Arc<Owned>>, memory: Memory) -> Self {
        let kernel = engine.single_kernel();
        let (holds, feed) = takes(engine.algorithm(), kernel, inputs.is_none());
        let begun = Begun { kernel, holds, feed, memory };
        Hasher { engine, inputs, secret: false, running: Running::Begun(begun) }
    }

    /// A hasher that is given more than a message: key, salt, personalization, context, or a digest to go on from.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hasher};
    /// let a: Algorithm = "blake2b".parse()?;
    /// let mut h = Hasher::builder(a).key(b"secret").salt(b"0123456789abcdef").personal(b"my program").build()?;
    /// h.update(b"message");
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn builder<'a>(a: Algorithm) -> HasherBuilder<'a> {
        HasherBuilder::of(a.into())
    }

    pub(super) fn inputs(&self) -> Inputs<'_> {
        self.inputs.as_ref().map_or(Inputs::NONE, |x| x.borrow())
    }

    /// The memory, and what it was started with, for export; none if a key went into it.
    pub(crate) fn parts(&self) -> Option<(Cow<'_, Memory>, Option<&Owned>)> {
        let memory = match &self.running {
            Running::Begun(begun) => Cow::Borrowed(&begun.memory),
            Running::Short(_) => Cow::Owned(self.clone().begun().memory.clone()),
        };
        (!self.secret).then_some((memory, self.inputs.as_deref()))
    }

    /// What is needed to hash the message as it comes, which a short one has not had yet.
    pub(super) fn begun(&mut self) -> &mut Begun {
        if let Running::Short(short) = &self.running {
            let mut begun = Begun::new(self.engine, None);
            begun.update(&self.engine, None, short.bytes());
            self.running = Running::Begun(begun);
        }
        match &mut self.running {
            Running::Begun(begun) => begun,
            Running::Short(_) => unreachable!("it has just begun"),
        }
    }

    /// Overwrites what was derived from a key.
    fn wipe(&mut self) {
        if let (true, Running::Begun(begun)) = (self.secret, &mut self.running) {
            begun.memory.wipe();
        }
    }

    /// What it was started with, to be shared with another.
    pub(crate) fn shared_inputs(&self) -> Option<Arc<Owned>> {
        self.inputs.clone()
    }

    /// The algorithm.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hasher};
    /// let a: Algorithm = "sha256".parse()?;
    /// assert_eq!(Hasher::new(a).algorithm(), a);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn algorithm(&self) -> Algorithm {
        self.engine.algorithm()
    }

    /// Takes more of the message.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hasher};
    /// let a: Algorithm = "sha256".parse()?;
    /// let mut h = Hasher::new(a);
    /// h.update("abc");
    /// assert_eq!(h.finalize(), a.digest(b"abc"));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    #[inline]
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) {
        let m = bytes.as_ref();
        match &mut self.running {
            Running::Begun(begun) => begun.update(&self.engine, self.inputs.as_deref(), m),
            Running::Short(short) => {
                if !short.keep(m) {
                    self.begin_with(m);
                }
            }
        }
    }

    /// Takes more of one message for several hashers: as [`Hasher::update`] for each of them, but MD5, SHA-1 and
    /// SHA-256 run side by side where the CPU has SHA instructions, which takes two thirds of the time of all three.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hasher};
    /// let message = [7; 1000];
    /// let [md5, sha256]: [Algorithm; 2] = ["md5".parse()?, "sha256".parse()?];
    /// let mut hashers = [Hasher::new(md5), Hasher::new(sha256)];
    /// Hasher::update_all(&mut hashers, message);
    /// assert_eq!(hashers[0].finalize(), md5.digest(&message));
    /// assert_eq!(hashers[1].finalize(), sha256.digest(&message));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn update_all<'h>(hashers: impl IntoIterator<Item = &'h mut Hasher>, bytes: impl AsRef<[u8]>) {
        let m = bytes.as_ref();
        #[cfg(target_arch = "x86_64")]
        update_together(hashers.into_iter(), m);
        #[cfg(not(target_arch = "x86_64"))]
        hashers.into_iter().for_each(|h| h.update(m));
    }

    #[inline(never)]
    fn begin_with(&mut self, m: &[u8]) {
        let engine = self.engine;
        self.begun().update(&engine, None, m);
    }

    /// Takes a part of the message that was hashed apart.
    pub(crate) fn fold(&mut self, part: &Value) {
        let engine = self.engine;
        let begun = self.begun();
        begun.kernel.whole().fold(engine.params(), &mut begun.memory, part);
    }

    /// Takes more of the message: the first `bits` bits of `bytes`, which must be just as many bytes as hold them. What
    /// else the last byte holds is ignored.
    ///
    /// Bits lie in bytes as the algorithm's specification numbers them:
    ///
    /// * From the low end up in SHA-3, SHAKE and Keccak: a message of one bit is 0x01 or 0x00 (FIPS 202, B.1). Beware
    ///   of the known answers that came with Keccak's submission, whose last bytes were shifted to the high end.
    /// * From the high end down in all others, 0x80 or 0x00: MD4 and MD5 (RFC 1320 and 1321, section 2), and RIPEMD,
    ///   which has MD4's padding; SHA-0, SHA-1, SHA-2 (FIPS 180-4, 5.1); SM3 (GB/T 32905-2016, 5.2); Whirlpool (ISO/IEC
    ///   10118-3); BLAKE, CubeHash, Grøstl, JH and Skein, as the SHA-3 competition demanded.
    ///
    /// The rest has no messages of bits, because the specification knows bytes only, or does not say how bits lie in
    /// bytes (HAVAL, Tiger, Snefru, GOST R 34.11-94, Streebog).
    ///
    /// The message may go on with bits or with [bytes](Hasher::update), which then begin in the middle of a byte: a
    /// message may come in any pieces. Bytes after a part of a byte are slower, since they are shifted; those before it
    /// are not.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hasher};
    /// // Five bits, 10011: an example of NIST's for SHA-1.
    /// let mut h = Hasher::new("sha1".parse::<Algorithm>()?);
    /// h.update_bits([0b1001_0000], 4)?;
    /// h.update_bits([0b1000_0000], 1)?;
    /// assert_eq!(h.finalize().to_string(), "29826b003b906e660eff4027ce98af3531ac75ba");
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadBits`] if the algorithm has [no messages of bits](Algorithm::takes_bits), whatever their number, or
    /// if `bytes` has another length than `bits` bits need. Nothing is taken then.
    pub fn update_bits(&mut self, bytes: impl AsRef<[u8]>, bits: u64) -> Result<(), Error> {
        let m = bytes.as_ref();
        let a = self.algorithm();
        let bad = |reason| Err(Error::BadBits { algorithm: a.name().into_owned(), reason });
        let Some(order) = a.bit_order() else {
            return bad("its messages are whole bytes".to_string());
        };
        if m.len() as u64 != bits.div_ceil(8) {
            return bad(format!("{bits} bits fill a buffer of length {}, not {}", bits.div_ceil(8), m.len()));
        }
        let whole = (bits / 8) as usize;
        self.update(&m[..whole]);
        if let Some(&byte) = m.get(whole) {
            let begun = self.begun();
            // Bits may have completed a byte, of which there may be some more.
            if let Some(full) = begun.memory.flat_mut().last.push(order, byte, (bits % 8) as u8)
                && let Rule::Blocks(rule) = a.row().rule
            {
                begun.memory.flat_mut().blocks(rule, begun.kernel, &a.params, &[full]);
            }
        }
        Ok(())
    }

    /// The digest of everything so far. The hasher may go on afterwards.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hasher};
    /// let a: Algorithm = "sha256".parse()?;
    /// let mut h = Hasher::new(a);
    /// h.update(b"a");
    /// assert_eq!(h.finalize(), a.digest(b"a"));
    /// h.update(b"bc");
    /// assert_eq!(h.finalize(), a.digest(b"abc"));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn finalize(&self) -> Digest {
        match &self.running {
            Running::Short(short) => self.engine.digest_of(short.bytes()),
            Running::Begun(_) => Digest::with_len(self.algorithm().digest_len(), |out| self.finish(out)),
        }
    }

    /// Writes the digest to `out`, which must have `algorithm().digest_len()` bytes.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hasher};
    /// let a: Algorithm = "sha256".parse()?;
    /// let mut out = [0; 32];
    /// Hasher::new(a).finalize_into(&mut out)?;
    /// assert_eq!(out[..], *a.digest(b"").as_bytes());
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongLength`] if it has not.
    pub fn finalize_into(&self, out: &mut [u8]) -> Result<(), Error> {
        let a = self.algorithm();
        if out.len() != a.digest_len() {
            return Err(a.wrong_length(out.len()));
        }
        self.finish(out);
        Ok(())
    }

    /// Writes the digest to `out`, which has its length.
    pub(crate) fn finish(&self, out: &mut [u8]) {
        let begun = match &self.running {
            Running::Short(short) => return self.engine.digest_to(short.bytes(), out),
            Running::Begun(begun) => begun,
        };
        let a = self.algorithm();
        match a.row().rule {
            Rule::Whole { .. } => begun.kernel.whole().finish(&a.params, &self.inputs(), &begun.memory, out),
            Rule::Blocks(rule) => {
                let flat = begun.memory.flat();
                let f = Finisher { rule, kernel: begun.kernel, p: &a.params };
                let mut state = flat.state.clone();
                f.end(&mut state, flat);
                f.output(&mut state, out);
                if self.secret {
                    state.0.zeroize();
                }
            }
        }
    }

    /// Back to the beginning, with the same key, salt, personalization, context or digest to go on from.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hasher};
    /// let a: Algorithm = "sha256".parse()?;
    /// let mut h = Hasher::new(a);
    /// h.update(b"something else");
    /// h.reset();
    /// h.update(b"abc");
    /// assert_eq!(h.finalize(), a.digest(b"abc"));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn reset(&mut self) {
        self.wipe();
        self.running = match self.secret || self.inputs.is_some() {
            true => Running::Begun(Begun::new(self.engine, self.inputs.as_deref())),
            false => Running::Short(Short::EMPTY),
        };
    }
}

/// Collects what goes into a hash besides the message: [`Hasher::builder`].
///
/// ```
/// use hashmill::{Algorithm, Hasher};
/// let a: Algorithm = "blake2b".parse()?;
/// let keyed = Hasher::builder(a).key(b"secret").build()?;
/// assert_ne!(keyed.finalize(), Hasher::new(a).finalize());
/// # Ok::<(), hashmill::Error>(())
/// ```
#[derive(Clone)]
pub struct HasherBuilder<'a> {
    engine: Engine,
    x: Inputs<'a>,
    keyed: bool,
    resume: Option<&'a [u8]>,
}

impl<'a> HasherBuilder<'a> {
    pub(crate) fn of(engine: Engine) -> Self {
        HasherBuilder { engine, x: Inputs::NONE, keyed: false, resume: None }
    }

    /// A key; for XXH3 the secret.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hasher};
    /// let a: Algorithm = "siphash-2-4-64".parse()?;
    /// let key: Vec<u8> = (0..16).collect();
    /// let h = Hasher::builder(a).key(&key).build()?;
    /// // The first vector of its authors: the empty message.
    /// assert_eq!(h.finalize().to_string(), "310e0edd47db6f72");
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn key(mut self, key: &'a [u8]) -> Self {
        self.x.key = key;
        self.keyed = true;
        self
    }

    /// A salt (BLAKE2b: up to 16 bytes, BLAKE2s: up to 8). A shorter one is filled up with zeros, as everywhere.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hasher};
    /// let a: Algorithm = "blake2s".parse()?;
    /// let salted = Hasher::builder(a).salt(b"pinch").build()?;
    /// assert_eq!(salted.finalize(), Hasher::builder(a).salt(b"pinch\0\0\0").build()?.finalize());
    /// assert!(Hasher::builder(a).salt(b"nine bytes").build().is_err());
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn salt(mut self, salt: &'a [u8]) -> Self {
        self.x.salt = salt;
        self
    }

    /// A personalization (BLAKE2b: up to 16 bytes, BLAKE2s: up to 8). A shorter one is filled up with zeros, as
    /// everywhere.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hasher};
    /// let a: Algorithm = "blake2s".parse()?;
    /// let ours = Hasher::builder(a).personal(b"my tool").build()?;
    /// assert_ne!(ours.finalize(), Hasher::new(a).finalize());
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn personal(mut self, personal: &'a [u8]) -> Self {
        self.x.personal = personal;
        self
    }

    /// A context string: the hasher then derives keys, the message being key material (BLAKE3's `derive_key`).
    ///
    /// ```
    /// use hashmill::{Algorithm, Hasher};
    /// let a: Algorithm = "blake3".parse()?;
    /// let mut h = Hasher::builder(a).context(b"example.com 2024-01-01 session tokens").build()?;
    /// h.update(b"key material");
    /// let key = h.finalize();
    /// assert_eq!(key.as_bytes().len(), 32);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn context(mut self, context: &'a [u8]) -> Self {
        self.x.context = Some(context);
        self
    }

    /// Goes on from a digest as it was printed: the hash of A‖B from that of A and the bytes of B, for CRCs and
    /// Adler-32, as zlib's `crc32(crc, data)` does. [`Hasher::reset`] goes back to this digest.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hasher};
    /// let a: Algorithm = "crc32".parse()?;
    /// let mut h = Hasher::builder(a).resume_from(a.digest(b"one part").as_bytes()).build()?;
    /// h.update(b" and another");
    /// assert_eq!(h.finalize(), a.digest(b"one part and another"));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn resume_from(mut self, digest: &'a [u8]) -> Self {
        self.resume = Some(digest);
        self
    }

    /// The hasher.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hasher};
    /// let a: Algorithm = "sha256".parse()?;
    /// assert!(Hasher::builder(a).build().is_ok());
    /// assert!(Hasher::builder(a).key(b"it takes none").build().is_err());
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadKey`] if the algorithm takes no key, or not one of this length; [`Error::BadParameter`] if it does
    /// not take one of the other inputs, or not with this length, or not together; [`Error::NotResumable`] if it cannot
    /// go on from a digest; [`Error::WrongLength`] if the digest to go on from does not have its length.
    pub fn build(self) -> Result<Hasher, Error> {
        let HasherBuilder { engine, x, keyed, resume } = self;
        let a = engine.algorithm();
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
        let kernel = engine.single_kernel();
        if let Some(digest) = resume {
            if digest.len() != a.digest_len() {
                return Err(a.wrong_length(digest.len()));
            }
            let possible = match row.rule {
                Rule::Whole { .. } => kernel.whole().resume(&a.params, digest).is_some(),
                Rule::Blocks(_) => false,
            };
            if !possible {
                return Err(Error::NotResumable { algorithm: a.name().into_owned() });
            }
        }
        let prepared = match row.rule {
            Rule::Whole { .. } => kernel.whole().prepare(&x),
            Rule::Blocks(_) => None,
        };
        let owned = Owned {
            key: Zeroizing::new(x.key.into()),
            salt: x.salt.into(),
            personal: x.personal.into(),
            context: x.context.unwrap_or_default().into(),
            derives: x.context.is_some(),
            resumed: resume.unwrap_or_default().into(),
            prepared: prepared.unwrap_or_else(|| Box::new(())),
        };
        let plain = !keyed && x.salt.is_empty() && x.personal.is_empty() && x.context.is_none() && resume.is_none();
        // What keys are derived from by a context comes as the message.
        let secret = keyed || x.context.is_some();
        if plain { Ok(Hasher::of(engine)) } else { Ok(Hasher::with(engine, Arc::new(owned), secret)) }
    }
}

impl fmt::Debug for HasherBuilder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HasherBuilder")
            .field("algorithm", &self.engine.algorithm())
            .field("keyed", &self.keyed)
            .finish()
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
        f.debug_struct("Hasher").field("algorithm", &self.algorithm()).field("keyed", &self.secret).finish()
    }
}
