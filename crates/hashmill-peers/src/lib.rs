//! The others: implementations of digests, ciphers and public keys, to be measured beside ours.
//!
//! - [`peer`]: digests of OpenSSL's libcrypto, RustCrypto, the crates of others, PHP, Go, Python and coreutils; which is
//!   the best.
//! - [`crypto`]: ciphers and public keys of AWS-LC, libcrypto and RustCrypto.
//! - [`published`]: loops that published comparisons timed and that are no kernels of ours.

pub mod crypto;
pub mod peer;
pub mod published;
mod sys;
