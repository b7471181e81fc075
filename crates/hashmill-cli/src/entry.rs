//! Where the program begins, on Linux with glibc, and the mathematical functions that it brings along.
//!
//! In front of a Rust program's `main` the standard library reads the process's memory map, makes a second stack and
//! handlers that put "stack overflow" into words: a seventh of the time in which a small file is hashed. What else it
//! does there is done here. Without it a stack that overflows ends the program by SIGSEGV all the same, without those
//! words.
//!
//! libm would be loaded at every start, a tenth of that time, for four functions that only measurements and progress
//! bars call. With these, from the crate of that name, the linker does not ask for it.

#![allow(unsafe_code, reason = "symbols that the C library's start code and the linker look for; SIGPIPE")]

use crate::terminal::output::PIPE_WAS_IGNORED;
use std::ffi::{c_char, c_int};
use std::fs::File;
use std::mem::forget;
use std::panic::catch_unwind;
use std::process::{ExitCode, abort, exit};
use std::sync::atomic::Ordering::Relaxed;

/// What the standard library's start code exits with where `main` has panicked.
const PANICKED: i32 = 101;

// SAFETY: the C library's start code calls it once, as this. The arguments are not used: the standard library has them
// from the C library already.
#[unsafe(no_mangle)]
extern "C" fn main(_count: c_int, _arguments: *const *const c_char) -> c_int {
    // A descriptor that was closed would be the next file's, and messages would be written into that.
    for fd in 0..3 {
        if hashmill_files::closed_at_start(fd) {
            match File::options().read(true).write(true).open("/dev/null") {
                Ok(nothing) => forget(nothing),
                Err(_) => abort(),
            }
        }
    }
    // SAFETY: no handler is installed. A pipe that nobody reads any more is an error of the write, as in every Rust
    // program.
    let before = unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
    PIPE_WAS_IGNORED.store(before == libc::SIG_IGN, Relaxed);
    let status = catch_unwind(crate::run).map_or(PANICKED, number);
    // Not by returning: this also writes what the standard library holds back.
    exit(status)
}

/// The number in an exit code.
fn number(code: ExitCode) -> i32 {
    let same = |n: &u8| ExitCode::from(*n) == code;
    (0..=u8::MAX).find(same).map_or(PANICKED, i32::from)
}

macro_rules! math {
    ($($name:ident($($x:ident),+);)+) => {
        $(
            // SAFETY: the C library's function of this name has these types and this meaning.
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
