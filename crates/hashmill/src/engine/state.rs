//! The state of a running hash as bytes, to go on later, elsewhere, or on another kernel.
//!
//! The form does not depend on the machine's byte order nor on the kernel. Numbers are little-endian.
//!
//! ```text
//! bytes  what
//! 4      "HMST"
//! 1      version: 1
//! 1      k, the number of bits after the last whole byte of the message, 0 to 7
//! 1      n, the length of the name
//! n      the algorithm's canonical name, with its parameters
//! 16     length of the message so far, in whole bytes
//! 4, n   salt: its length, its bytes
//! 4, n   personalization
//! 4, n   the digest that the hash went on from
//! 2, n   the end of the message that has not gone into the state yet, in whole bytes
//! 1      only if k is not 0: the bits after them, at their places in a byte whose other bits are 0
//! 2      number of words of the state
//! 1      bytes of a word: 1, 4 or 8
//! …      the words: chaining values, counters, sums
//! 4      CRC-32C of everything before
//! ```

use crate::base::bits::Bits;
use crate::base::error::Error;
use crate::contract::{Flat, Kernel, Layout, Memory, Run, STATE_BYTES};
use crate::engine::chosen::Engine;
use crate::engine::dispatch;
use crate::engine::hasher::{Hasher, Owned};
use crate::registry::algorithm::Algorithm;
use crate::registry::table::{self, Rule};

const MAGIC: &[u8; 4] = b"HMST";
const VERSION: u8 = 1;

/// Messages longer than this are nobody's; no count overflows however much follows.
const LONGEST: u128 = 1 << 120;

impl Hasher {
    /// The longest state that [`Hasher::export`] writes, in bytes, for a hasher without salt and personalization, whose
    /// lengths come in addition.
    pub const MAX_STATE_BYTES: usize = 3328;

    /// What has been hashed so far as bytes, for [`Hasher::import`]: to go on with an interrupted hash later, in
    /// another process or on another machine. The form is documented in `docs/api.md`; it depends neither on the kernel
    /// nor on the byte order.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hasher};
    /// let mut h = Hasher::new("sha256".parse::<Algorithm>()?);
    /// h.update(b"one part");
    /// let mut later = Hasher::import(&h.export()?)?;
    /// later.update(b" and another");
    /// h.update(b" and another");
    /// assert_eq!(later.finalize(), h.finalize());
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::SecretState`] if the hasher has a key or a context: whoever had the state could go on with the message.
    pub fn export(&self) -> Result<Vec<u8>, Error> {
        let a = self.algorithm();
        let name = a.name();
        let Some((memory, inputs)) = self.parts() else {
            return Err(Error::SecretState { algorithm: name.into_owned() });
        };
        let mut out = Vec::with_capacity(512);
        out.extend_from_slice(MAGIC);
        let last = match &*memory {
            Memory::Flat(flat) => flat.last,
            Memory::Tree(_) => Bits::NONE,
        };
        out.extend_from_slice(&[VERSION, last.count, name.len() as u8]);
        out.extend_from_slice(name.as_bytes());
        let (total, rest, words, size) = match &*memory {
            Memory::Flat(flat) => {
                let (words, size) = words(a, &memory);
                (flat.total, flat.rest(), &flat.state.0[..words * size], size)
            }
            Memory::Tree(tree) => {
                let mut all = Vec::new();
                for word in tree.stack[..tree.height].as_flattened() {
                    all.extend_from_slice(&word.to_ne_bytes());
                }
                return Ok(finish(out, u128::from(tree.total), inputs, (&tree.chunk[..tree.fill], last), &all, 4));
            }
        };
        Ok(finish(out, total, inputs, (rest, last), words, size))
    }

    /// A hasher that goes on from an exported state, on the kernel that this CPU prefers.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hasher};
    /// let a: Algorithm = "sha256".parse()?;
    /// let mut h = Hasher::new(a);
    /// h.update(b"ab");
    /// let mut on = Hasher::import(&h.export()?)?;
    /// on.update(b"c");
    /// assert_eq!(on.finalize(), a.digest(b"abc"));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadState`] if the bytes are not a state that [`Hasher::export`] wrote: another version, truncated or
    /// damaged, or one that no message leads to.
    pub fn import(state: &[u8]) -> Result<Hasher, Error> {
        let (a, bits, r) = header(state)?;
        body(a.into(), bits, r)
    }
}

/// [`Hasher::import`] for the kernel of an engine, whose algorithm must be the state's.
pub(crate) fn import_for(engine: Engine, state: &[u8]) -> Result<Hasher, Error> {
    let (a, bits, r) = header(state)?;
    if a != engine.algorithm() {
        return Err(bad(format!("it is of {a}, not of {}", engine.algorithm())));
    }
    body(engine, bits, r)
}

/// Number and size of the words of a state.
fn words(a: Algorithm, memory: &Memory) -> (usize, usize) {
    let portable = portable(a);
    match &portable.run {
        Run::Whole(whole) => whole.words(memory),
        // What a kernel of blocks is given of a state is all that there is: states go from lane to lane.
        Run::Lanes(lanes) => match lanes.layout {
            Layout::Soa { words, word_bytes } => (words.into(), word_bytes.into()),
            Layout::Own { .. } => unreachable!("portable kernels have words side by side"),
        },
    }
}

fn portable(a: Algorithm) -> &'static Kernel {
    let kernels = a.row().kernels;
    kernels.iter().find(|k| k.name == "portable").unwrap_or(&kernels[0])
}

/// Everything after the name.
fn finish(
    mut out: Vec<u8>,
    total: u128,
    inputs: Option<&Owned>,
    (rest, last): (&[u8], Bits),
    words: &[u8],
    size: usize,
) -> Vec<u8> {
    out.extend_from_slice(&total.to_le_bytes());
    let [salt, personal, resumed] = inputs.map_or([&[][..]; 3], |x| [&x.salt[..], &x.personal[..], &x.resumed[..]]);
    for input in [salt, personal, resumed] {
        out.extend_from_slice(&(input.len() as u32).to_le_bytes());
        out.extend_from_slice(input);
    }
    out.extend_from_slice(&(rest.len() as u16).to_le_bytes());
    out.extend_from_slice(rest);
    if last.count > 0 {
        out.push(last.byte);
    }
    out.extend_from_slice(&((words.len() / size) as u16).to_le_bytes());
    out.push(size as u8);
    for word in words.chunks_exact(size) {
        out.extend_from_slice(word);
        little_endian(&mut out, size);
    }
    let crc = crc32c(&out);
    out.extend_from_slice(&crc);
    out
}

/// Turns the last word, which is in native order.
fn little_endian(out: &mut [u8], size: usize) {
    if cfg!(target_endian = "big") {
        let at = out.len() - size;
        out[at..].reverse();
    }
}

/// The checksum at the end of a state, the lowest byte first.
fn crc32c(bytes: &[u8]) -> [u8; 4] {
    let mut crc = [0; 4];
    if let Some(row) = table::find("crc32c") {
        dispatch::one_shot(&Algorithm::from_row(row).params, bytes, &mut crc);
    }
    crc.reverse();
    crc
}

fn bad(reason: impl Into<String>) -> Error {
    Error::BadState { reason: reason.into() }
}

/// What is left of a state to be read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], Error> {
        let (now, later) = self.0.split_at_checked(n).ok_or_else(|| bad("it ends too early"))?;
        self.0 = later;
        Ok(now)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N)?);
        Ok(bytes)
    }

    /// Bytes with their length before them.
    fn sized(&mut self) -> Result<&'a [u8], Error> {
        let n = u32::from_le_bytes(self.array()?);
        self.take(n as usize)
    }
}

/// The algorithm, the number of bits after the last whole byte, and what comes after the name.
fn header(state: &[u8]) -> Result<(Algorithm, u8, Reader<'_>), Error> {
    let mut r = Reader(state);
    if r.take(4).ok() != Some(MAGIC) {
        return Err(bad("these bytes are not an exported state"));
    }
    let [version, bits] = r.array()?;
    if version != VERSION {
        return Err(bad(format!("version {version} is not known here, only {VERSION}")));
    }
    let body = state.len().checked_sub(4).ok_or_else(|| bad("it ends too early"))?;
    if crc32c(&state[..body]) != state[body..] {
        return Err(bad("it is truncated or damaged: the checksum at its end does not match"));
    }
    r.0 = &r.0[..r.0.len().saturating_sub(4)];
    let [n] = r.array()?;
    let name = r.take(n.into())?;
    let found = std::str::from_utf8(name).ok().and_then(Algorithm::named).filter(|a| a.name().as_bytes() == name);
    let Some(a) = found else {
        return Err(bad(format!("no algorithm has the canonical name '{}'", name.escape_ascii())));
    };
    if bits > 0 && !(a.takes_bits() && bits < 8) {
        return Err(bad(format!("bits after the last whole byte: {bits}; no message of {a} ends so")));
    }
    Ok((a, bits, r))
}

fn body(engine: Engine, bits: u8, mut r: Reader<'_>) -> Result<Hasher, Error> {
    let a = engine.algorithm();
    let total = u128::from_le_bytes(r.array()?);
    if total > LONGEST {
        return Err(bad("no message is that long"));
    }
    let (salt, personal, resumed) = (r.sized()?, r.sized()?, r.sized()?);
    let rest = u16::from_le_bytes(r.array()?);
    let rest = r.take(rest.into())?;
    let mut last = Bits::NONE;
    if let Some(order) = a.bit_order().filter(|_| bits > 0) {
        let [byte] = r.array()?;
        if last.push(order, byte, bits).is_some() || last.byte != byte {
            return Err(bad("its last byte, which is not whole, has bits that are not the message's"));
        }
    }
    let (count, [size]) = (u16::from_le_bytes(r.array()?), r.array()?);
    let mut state = r.take(usize::from(count) * usize::from(size))?.to_vec();
    if !r.0.is_empty() {
        return Err(bad("there is more after its end"));
    }
    let fresh = {
        let mut builder = engine.builder().salt(salt).personal(personal);
        if !resumed.is_empty() {
            builder = builder.resume_from(resumed);
        }
        builder.build().map_err(|e| bad(e.to_string()))?
    };
    let Some((start, _)) = fresh.parts() else { return Err(bad("it has a key")) };
    let mut memory = Memory::clone(&start);
    let wrong = || bad(format!("no message leads to this state of {a}"));
    let room = match &mut memory {
        Memory::Flat(flat) => {
            flat.total = total;
            flat.last = last;
            flat.fill = rest.len();
            flat.buffer.get_mut(..rest.len())
        }
        Memory::Tree(tree) => {
            tree.total = u64::try_from(total).map_err(|_| bad("no message is that long"))?;
            tree.fill = rest.len();
            tree.height = usize::from(count) / 8;
            if tree.height > tree.stack.len() {
                return Err(wrong());
            }
            tree.chunk.get_mut(..rest.len())
        }
    };
    room.ok_or_else(wrong)?.copy_from_slice(rest);
    if words(a, &memory) != (count.into(), size.into()) {
        return Err(wrong());
    }
    for word in state.chunks_exact_mut(size.into()) {
        little_endian(word, size.into());
    }
    match &mut memory {
        Memory::Flat(flat) => {
            flat.state.0[..state.len().min(STATE_BYTES)].copy_from_slice(&state);
        }
        Memory::Tree(tree) => {
            for (to, from) in tree.stack.as_flattened_mut().iter_mut().zip(state.as_chunks().0) {
                *to = u32::from_ne_bytes(*from);
            }
        }
    }
    let good = match a.row().rule {
        Rule::Whole { .. } => dispatch::single(a.params.row).whole().admits(&a.params, &memory),
        Rule::Blocks(rule) => {
            let (p, flat) = (&a.params, memory.flat());
            flat.fill == Flat::waiting(total, rule.block(p), rule.keep_last())
                && rule.admits(p, &flat.state, &start.flat().state, total - rest.len() as u128)
        }
    };
    // Before the first block there is only one state.
    let begun = total > rest.len() as u128;
    let same = match (&memory, &*start) {
        (Memory::Flat(flat), Memory::Flat(start)) => flat.state.0 == start.state.0,
        _ => true,
    };
    if !good || !(begun || same) {
        return Err(wrong());
    }
    let inputs = fresh.shared_inputs();
    Ok(Hasher::resumed(engine, inputs, memory))
}
