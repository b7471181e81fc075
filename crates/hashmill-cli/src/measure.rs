//! `hashmill-measure`: what `hashmill speed`, `hashmill bench` and `hashmill results` run.

mod usage;

use hashmill_bench::{BenchArgs, CountingAllocator, ResultsArgs};
use std::ffi::OsString;
use std::process::ExitCode;
use usage::{USAGE, message, only};

/// Counts for `bench io`; otherwise it is the system's.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn main() -> ExitCode {
    if let Err(e) = hashmill::check_kernel_preference() {
        message(&format!("HASHMILL_KERNEL: {e}"));
        return ExitCode::from(USAGE);
    }
    let mut args = std::env::args_os().skip(1);
    match args.next().as_deref().and_then(|a| a.to_str()) {
        // It understands options that clap does not, such as `-evp`.
        Some("speed") => hashmill_bench::speed::main(args.collect()),
        Some("bench") => {
            let mut args: Vec<OsString> = args.collect();
            // Without a kind it is lanes.
            let kind = |a: &OsString| BenchArgs::KINDS.iter().any(|k| a == k) || a == "--help" || a == "-h";
            if !args.first().is_some_and(kind) {
                args.insert(0, "lanes".into());
            }
            only::<BenchArgs>("hashmill bench", args.into_iter()).run()
        }
        Some("results") => only::<ResultsArgs>("hashmill results", args).run(),
        _ => {
            message("this is run by hashmill speed, bench and results (see hashmill --help)");
            ExitCode::from(USAGE)
        }
    }
}
