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

pub use lanes::main as lanes_main;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs `hashmill bench` with these arguments: the kind of comparison, then its own.
pub fn bench_main(mut args: Vec<OsString>) -> ExitCode {
    const USAGE: &str = "usage: hashmill bench lanes [OPTIONS] [ALG...]";
    if args.is_empty() {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    }
    let rest = args.split_off(1);
    match args[0].to_str() {
        Some("lanes") => lanes_main(rest),
        Some("-h" | "--help" | "-help" | "help") => {
            println!(
                "{USAGE}\n\n  lanes  many messages in SIMD lanes beside the best single stream of others; `lanes --help` tells more"
            );
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("hashmill: bench: '{}' is none of: lanes", args[0].display());
            ExitCode::from(2)
        }
    }
}
