//! `hashmill links`: links that give this program the names of others.

use crate::args::cli::LinksArgs;
use crate::programs::PROGRAMS;
use crate::terminal::output::{message, print, shown};
use crate::terminal::target::make_directory;
use hashmill_files::{FileId, plain};
use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(args: &LinksArgs) -> ExitCode {
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(e) => {
            message(&format!("cannot find the path of this program: {}", plain(&e)));
            return ExitCode::FAILURE;
        }
    };
    if let Err(why) = make_directory(&args.dir, "links") {
        message(&why);
        return ExitCode::FAILURE;
    }
    let mut said = String::new();
    let mut well = true;
    for name in PROGRAMS.iter().map(|p| p.name) {
        let link = args.dir.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        let path = shown(link.as_os_str());
        match make(&link, &program) {
            Ok(Made::New) => said += &format!("{path} -> {}\n", shown(program.as_os_str())),
            Ok(Made::Before) => said += &format!("{path} is there already\n"),
            Ok(Made::Foreign) => {
                well = false;
                message(&format!("{path}: something else is there; it was left as it is"));
            }
            Err(e) => {
                well = false;
                message(&format!("{path}: {}", plain(&e)));
                // Most likely the directory is not writable, so every other name would fail in the same way.
                break;
            }
        }
    }
    let printed = print(said.as_bytes());
    if well { printed } else { ExitCode::FAILURE }
}

enum Made {
    New,
    Before,
    Foreign,
}

/// Makes a link to the program. An existing file is replaced only if it is a link to a program of the same file name.
fn make(link: &Path, program: &Path) -> io::Result<Made> {
    match fs::read_link(link) {
        Ok(target) if target == program => return Ok(Made::Before),
        Ok(target) if target.file_name() == program.file_name() => fs::remove_file(link)?,
        Ok(_) => return Ok(Made::Foreign),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        // Not a symbolic link, but a hard link to the program.
        Err(_) if cfg!(windows) && FileId::at(link).is_some_and(|id| FileId::at(program) == Some(id)) => {
            return Ok(Made::Before);
        }
        Err(_) if fs::symlink_metadata(link).is_ok() => return Ok(Made::Foreign),
        Err(e) => return Err(e),
    }
    symlink(program, link).map(|()| Made::New)
}

#[cfg(unix)]
fn symlink(program: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(program, link)
}

/// Makes a symbolic link, for which most users lack the rights, or else a hard link.
#[cfg(windows)]
fn symlink(program: &Path, link: &Path) -> io::Result<()> {
    let made = std::os::windows::fs::symlink_file(program, link);
    // Wine reports success without making one.
    if made.is_ok() && fs::symlink_metadata(link).is_ok() { Ok(()) } else { fs::hard_link(program, link) }
}
