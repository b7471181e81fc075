//! Other implementations of digests, ciphers and public keys, to be measured against ours.
//!
//! - [`peer`]: digests of OpenSSL's libcrypto, RustCrypto, other crates, PHP, Go, Python and coreutils, and the choice
//!   of the fastest.
//! - [`crypto`]: ciphers and public keys of AWS-LC, libcrypto and RustCrypto.
//! - [`arguments`]: algorithms and sizes on the command line.

pub mod arguments;
pub mod crypto;
pub mod peer;
mod sys;
