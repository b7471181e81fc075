//! Digest values: one, and many in one buffer.

use crate::base::hex;
use std::fmt;
use std::hash::{Hash, Hasher as StdHasher};
use std::ops::Index;
use subtle::ConstantTimeEq;

/// Up to this many bytes a digest is kept without allocation: the usual length of all but Skein-1024.
const INLINE: usize = 64;

/// Those of checksums are kept apart: the rest of the room, which nobody reads, would take longer to write than many a
/// checksum takes.
const WORD: usize = 8;

/// The digest of one message. Displays as lower-case hex; compares in time that depends on the length alone.
///
/// ```
/// use hashmill::{Algorithm, Digest};
/// let a: Algorithm = "md5".parse()?;
/// let d = a.digest(b"abc");
/// assert_eq!(d.to_string(), "900150983cd24fb0d6963f7d28e17f72");
/// assert_eq!(Some(d), Digest::from_hex(b"900150983CD24FB0D6963F7D28E17F72"));
/// # Ok::<(), hashmill::Error>(())
/// ```
#[derive(Clone)]
pub struct Digest(Bytes);

#[derive(Clone)]
enum Bytes {
    Word { len: u8, bytes: [u8; WORD] },
    Inline { len: u8, bytes: [u8; INLINE] },
    Long(Box<[u8]>),
}

impl Digest {
    /// A digest of `len` bytes, written by `fill`.
    #[inline]
    pub(crate) fn with_len(len: usize, fill: impl FnOnce(&mut [u8])) -> Self {
        // Bytes that were written just now, in other pieces than a copy reads, reach it only through the cache, and
        // this takes longer than many a checksum. A copy of the usual lengths reads nothing else.
        match len {
            4 => Digest::written::<4>(fill),
            8 => Digest::written::<8>(fill),
            16 => Digest::written::<16>(fill),
            20 => Digest::written::<20>(fill),
            32 => Digest::written::<32>(fill),
            64 => Digest::written::<64>(fill),
            ..=INLINE => {
                let mut bytes = [0; INLINE];
                fill(&mut bytes[..len]);
                Digest(Bytes::Inline { len: len as u8, bytes })
            }
            _ => {
                let mut bytes = vec![0; len].into_boxed_slice();
                fill(&mut bytes);
                Digest(Bytes::Long(bytes))
            }
        }
    }

    /// A digest of N bytes, not more than [`INLINE`], written by `fill`.
    #[inline(always)]
    pub(crate) fn written<const N: usize>(fill: impl FnOnce(&mut [u8])) -> Self {
        let mut written = [0; N];
        fill(&mut written);
        if N <= WORD {
            let mut bytes = [0; WORD];
            bytes[..N].copy_from_slice(&written);
            Digest(Bytes::Word { len: N as u8, bytes })
        } else {
            let mut bytes = [0; INLINE];
            bytes[..N].copy_from_slice(&written);
            Digest(Bytes::Inline { len: N as u8, bytes })
        }
    }

    /// A digest of eight bytes.
    #[inline(always)]
    pub(crate) fn of(bytes: [u8; WORD]) -> Self {
        Digest(Bytes::Word { len: WORD as u8, bytes })
    }

    /// A digest from bytes that came from elsewhere, a manifest for instance.
    ///
    /// ```
    /// use hashmill::Digest;
    /// assert_eq!(Digest::from_bytes(&[0xcb, 0xf4, 0x39, 0x26]).to_string(), "cbf43926");
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Digest::with_len(bytes.len(), |d| d.copy_from_slice(bytes))
    }

    /// A digest from its hex form, upper or lower case; nothing if it is not that.
    ///
    /// ```
    /// use hashmill::Digest;
    /// assert_eq!(Digest::from_hex(b"CBF43926"), Some(Digest::from_bytes(&[0xcb, 0xf4, 0x39, 0x26])));
    /// assert_eq!(Digest::from_hex(b"odd"), None);
    /// ```
    pub fn from_hex(hex: &[u8]) -> Option<Self> {
        if hex.is_empty() || hex.len() % 2 != 0 {
            return None;
        }
        let nibble = |c: u8| (c as char).to_digit(16).map(|d| d as u8);
        let mut ok = true;
        let d = Digest::with_len(hex.len() / 2, |out| {
            for (o, pair) in out.iter_mut().zip(hex.chunks_exact(2)) {
                match (nibble(pair[0]), nibble(pair[1])) {
                    (Some(h), Some(l)) => *o = h << 4 | l,
                    _ => ok = false,
                }
            }
        });
        ok.then_some(d)
    }

    /// The bytes, in the order in which tools print them.
    ///
    /// ```
    /// use hashmill::Digest;
    /// assert_eq!(Digest::from_bytes(&[1, 2]).as_bytes(), [1, 2]);
    /// ```
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Bytes::Word { len, bytes } => &bytes[..usize::from(*len)],
            Bytes::Inline { len, bytes } => &bytes[..usize::from(*len)],
            Bytes::Long(b) => b,
        }
    }

    /// Lower-case hex.
    ///
    /// ```
    /// use hashmill::Digest;
    /// assert_eq!(Digest::from_bytes(&[1, 0xab]).to_hex(), "01ab");
    /// ```
    pub fn to_hex(&self) -> String {
        hex::text(self.as_bytes())
    }
}

/// Whether two byte strings are equal, without saying where they first differ: every byte is looked at.
pub(crate) fn equal(a: &[u8], b: &[u8]) -> bool {
    a.ct_eq(b).into()
}

impl AsRef<[u8]> for Digest {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        equal(self.as_bytes(), other.as_bytes())
    }
}

impl Eq for Digest {}

impl Hash for Digest {
    fn hash<H: StdHasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_hex())
    }
}

impl fmt::LowerHex for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_hex())
    }
}

impl fmt::UpperHex for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_hex().to_uppercase())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// The digests of many messages, in their order, in one buffer. `&digests[i][..]` are the bytes of the i-th. Compares
/// in time that depends on lengths alone; its slices, as all slices, do not.
///
/// ```
/// use hashmill::{Algorithm, digest_many};
/// let a: Algorithm = "crc32".parse()?;
/// let digests = digest_many(a, &["a", "b"]);
/// assert_eq!(&digests[0], a.digest(b"a").as_bytes());
/// # Ok::<(), hashmill::Error>(())
/// ```
#[derive(Clone, Eq)]
pub struct Digests {
    bytes: Vec<u8>,
    each: usize,
}

impl PartialEq for Digests {
    fn eq(&self, other: &Self) -> bool {
        self.each == other.each && equal(&self.bytes, &other.bytes)
    }
}

impl Digests {
    /// Room for `n` digests of `each` bytes.
    pub(crate) fn new(n: usize, each: usize) -> Self {
        Digests { bytes: vec![0; n * each], each }
    }

    pub(crate) fn as_bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// How many there are.
    ///
    /// ```
    /// use hashmill::{Algorithm, digest_many};
    /// assert_eq!(digest_many("md5".parse()?, &["a", "b"]).len(), 2);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.bytes.len() / self.each
    }

    /// Whether there are none.
    ///
    /// ```
    /// use hashmill::{Algorithm, digest_many};
    /// let none: [&str; 0] = [];
    /// assert!(digest_many("md5".parse()?, &none).is_empty());
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The length of each digest in bytes.
    ///
    /// ```
    /// use hashmill::{Algorithm, digest_many};
    /// assert_eq!(digest_many("md5".parse()?, &["a"]).digest_len(), 16);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn digest_len(&self) -> usize {
        self.each
    }

    /// All of them, one after the other.
    ///
    /// ```
    /// use hashmill::{Algorithm, digest_many};
    /// assert_eq!(digest_many("md5".parse()?, &["a", "b"]).as_bytes().len(), 32);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The digests in order.
    ///
    /// ```
    /// use hashmill::{Algorithm, digest_many};
    /// let a: Algorithm = "md5".parse()?;
    /// let messages = ["a", "b"];
    /// for (message, digest) in messages.iter().zip(digest_many(a, &messages).iter()) {
    ///     assert_eq!(digest, a.digest(message.as_bytes()).as_bytes());
    /// }
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn iter(&self) -> std::slice::ChunksExact<'_, u8> {
        self.bytes.chunks_exact(self.each)
    }
}

impl Index<usize> for Digests {
    type Output = [u8];
    fn index(&self, i: usize) -> &[u8] {
        &self.bytes[i * self.each..(i + 1) * self.each]
    }
}

impl<'a> IntoIterator for &'a Digests {
    type Item = &'a [u8];
    type IntoIter = std::slice::ChunksExact<'a, u8>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Debug for Digests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(hex::text)).finish()
    }
}
