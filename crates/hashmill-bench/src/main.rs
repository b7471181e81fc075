//! `hashmill-bench speed|lanes`: the same runs as `hashmill speed` and `hashmill bench lanes`, without the rest of the
//! command. The tests run this.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args: Vec<OsString> = std::env::args_os().skip(1).collect();
    if args.is_empty() {
        args.push(OsString::new());
    }
    let rest = args.split_off(1);
    match args[0].to_str() {
        Some("speed") => hashmill_bench::speed::main(rest),
        Some("lanes") => hashmill_bench::lanes_main(rest),
        _ => {
            eprintln!("usage: hashmill-bench speed|lanes [OPTIONS] [ALG...]");
            ExitCode::from(2)
        }
    }
}
