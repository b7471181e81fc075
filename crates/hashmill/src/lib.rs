//! Every message digest and checksum that people meet, each on the fastest code the machine has; many messages at once
//! in SIMD lanes.
//!
//! ```
//! use hashmill::{Algorithm, Hasher, digest_many};
//!
//! let a: Algorithm = "sha256".parse()?;
//! let d = a.digest(b"abc");
//! assert_eq!(d.to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
//!
//! let mut h = Hasher::new(a);
//! h.update(b"ab");
//! h.update(b"c");
//! assert_eq!(h.finalize(), d);
//!
//! // The mill: any number of messages of any lengths, hashed side by side.
//! let v = digest_many(a, &[&b"x"[..], b"yz", b"abc"]);
//! assert_eq!(&v[2][..], d.as_bytes());
//! # Ok::<(), hashmill::Error>(())
//! ```
//!
//! The library does no I/O and starts no threads. `docs/api.md` describes the whole interface, for every language.

mod algo;
mod base;
mod contract;
mod engine;
mod plumbing;
mod registry;
mod simd;
mod surface;

pub use base::digest::{Digest, Digests};
pub use base::error::{Error, ErrorKind};
pub use engine::chosen::Engine;
pub use engine::dispatch::check_kernel_preference;
pub use engine::hasher::{Hasher, HasherBuilder};
pub use engine::many::{Encoding, Offset, digest_many, digest_many_into, digest_slices_into};
pub use engine::parts::{Part, Parts};
pub use engine::xof::Xof;
pub use registry::algorithm::Algorithm;
pub use registry::security::Security;
pub use surface::algorithm::KernelInfo;
pub use surface::hmac::Hmac;
#[cfg(feature = "digest")]
pub use surface::types;

/// The inside of the engine, which `hashmill-files` runs on, and what the programs share with the library: not part of
/// the interface, and no version promises it.
#[doc(hidden)]
pub mod unstable {
    pub use crate::base::nearest::{did_you_mean, nearest};
    pub use crate::base::size::parse_size;
    pub use crate::engine::mill::{Mill, Open, Refill, Source};
    pub use crate::registry::names::parse_families;

    /// The bits of an algorithm's value, which are fewer than those of its bytes for CRCs such as `crc3-gsm`.
    pub fn value_bits(algorithm: crate::Algorithm) -> usize {
        algorithm.value_bits()
    }
}

/// The page's examples.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/api.md")]
struct Page;
