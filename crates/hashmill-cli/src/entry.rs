//! The program's entry point on Linux with glibc, and the mathematical functions that it provides.
//!
//! Before a Rust program's `main`, the standard library reads the process's memory map and sets up a second stack and
//! handlers that report a stack overflow. This takes a seventh of the time in which a small file is hashed, so this
//! module does only the rest of what the standard library does there. A stack overflow still ends the program with
//! SIGSEGV, only without the message.
//!
//! libm would be loaded at every start, which takes a tenth of that time, for four functions that only measurements and
//! progress bars call. Since these are defined here, on top of the crate `libm`, the linker does not pull it in.

#![allow(unsafe_code, reason = "symbols that the C library's start code and the linker look for; SIGPIPE")]

use crate::terminal::output::PIPE_WAS_IGNORED;
use std::ffi::{c_char, c_int};
use std::fs::File;
use std::mem::forget;
use std::panic::catch_unwind;
use std::process::{ExitCode, abort, exit};
use std::sync::atomic::Ordering::Relaxed;

/// The exit status of the standard library's start code if `main` panics.
const PANICKED: i32 = 101;

// SAFETY: the C library's start code calls `main` once, with this signature. The arguments are unused because the
// standard library already has them from the C library.
#[unsafe(no_mangle)]
extern "C" fn main(_count: c_int, _arguments: *const *const c_char) -> c_int {
    // Otherwise the next file opened would get a closed descriptor's number, and messages would be written into that
    // file.
    for fd in 0..3 {
        if hashmill_files::closed_at_start(fd) {
            match File::options().read(true).write(true).open("/dev/null") {
                Ok(nothing) => forget(nothing),
                Err(_) => abort(),
            }
        }
    }
    // SAFETY: no handler is installed. Writing to a pipe that nobody reads any more is to fail with an error, as in
    // every Rust program.
    let before = unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
    PIPE_WAS_IGNORED.store(before == libc::SIG_IGN, Relaxed);
    let status = catch_unwind(crate::run).map_or(PANICKED, number);
    // Do not return: `exit` also flushes what the standard library has buffered.
    exit(status)
}

/// Returns the number in an exit code.
fn number(code: ExitCode) -> i32 {
    let same = |n: &u8| ExitCode::from(*n) == code;
    (0..=u8::MAX).find(same).map_or(PANICKED, i32::from)
}

macro_rules! math {
    ($($name:ident($($x:ident),+);)+) => {
        $(
            // SAFETY: the C library's function of this name has the same types and meaning.
            #[unsafe(no_mangle)]
            extern "C" fn $name($($x: f64),+) -> f64 {
                libm::$name($($x),+)
            }
        )+
    };
}

math! {
    exp(x);
    log(x);
    log10(x);
    pow(x, y);
}
