//! `cargo run -p xtask -- --help`

use std::process::ExitCode;

fn main() -> ExitCode {
    match xtask::run(std::env::args_os()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(xtask::Error::Usage(e)) => e.exit(),
        Err(xtask::Error::Task(e)) => {
            eprintln!("xtask: {e}");
            ExitCode::FAILURE
        }
    }
}
