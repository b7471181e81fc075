//! `hashmill completions` and `hashmill man`.

use crate::cli::{self, CompletionsArgs, ManArgs};
use crate::output::{Stdout, is_written, message, shown, write_all};
use hashmill_files::plain;
use std::process::ExitCode;

pub(crate) fn completions(args: &CompletionsArgs) -> ExitCode {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut cli::command(), "hashmill", &mut text);
    print(&text)
}

pub(crate) fn man(args: &ManArgs) -> ExitCode {
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

/// Writes a whole text to standard output; what hinders it is said.
pub(crate) fn print(text: &[u8]) -> ExitCode {
    ExitCode::from(u8::from(!is_written(write_all(&mut Stdout, text))))
}
