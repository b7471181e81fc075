//! `hashmill man`.

use crate::cli::{self, ManArgs};
use crate::output::{message, print, shown};
use hashmill_files::plain;
use std::process::ExitCode;

pub(crate) fn run(args: &ManArgs) -> ExitCode {
    let Some(dir) = &args.dir else {
        let mut text = Vec::new();
        // Writing to a vector cannot fail.
        let _ = clap_mangen::Man::new(cli::command()).render(&mut text);
        return print(&text);
    };
    match clap_mangen::generate_to(cli::command(), dir) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            message(&format!("{}: {}", shown(dir.as_os_str()), plain(&e)));
            ExitCode::FAILURE
        }
    }
}
