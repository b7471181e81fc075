//! How fast is it, and how sure is that? Timed runs in the manner of `openssl speed`, and comparisons with other
//! implementations that alternate with ours in one run.
//!
//! - [`speed`]: `hashmill speed`, OpenSSL's timed run with OpenSSL's options and lines.
//! - [`lanes`]: `hashmill bench lanes`, many messages in SIMD lanes beside the best single stream there is.
//! - [`paired`]: A B, B A, A B … in slices of a few milliseconds, a ratio for every pair. What slows the machine for a
//!   second slows both.
//! - [`stats`]: medians, quartiles, and intervals that assume no distribution.
//! - [`peer`]: the others: OpenSSL's libcrypto, found at run time, and RustCrypto's MD2.
//! - [`machine`]: what it ran on.

pub mod lanes;
pub mod machine;
pub mod paired;
pub mod peer;
pub mod speed;
pub mod stats;
mod sys;

use std::ffi::OsString;
use std::process::ExitCode;

pub use lanes::main as lanes_main;

/// Runs `hashmill bench` with these arguments: the kind of comparison, which may be left out while there is only `lanes`,
/// then its own.
pub fn bench_main(mut args: Vec<OsString>) -> ExitCode {
    if args.first().is_some_and(|a| a == "lanes") {
        args.remove(0);
    }
    lanes_main(args)
}
