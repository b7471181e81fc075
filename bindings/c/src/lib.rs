//! The C library: `include/hashmill.h` is made of these files.
//!
//! Every function is a thin one: it looks at its pointers, calls the library, and turns an error into its number. What
//! the pointers must be is said once, at the top of the header. No panic leaves a function: it is `HM_INTERNAL`.

#![allow(unsafe_code, reason = "the outermost layer of a C library: pointers come in")]
#![allow(
    non_camel_case_types,
    non_upper_case_globals,
    clippy::upper_case_acronyms,
    reason = "the names are those of the header"
)]
#![allow(clippy::missing_safety_doc, reason = "the header says once, for all functions, what a pointer must be")]

pub mod algorithm;
pub mod constants;
pub mod digest;
pub mod error;
#[cfg(not(target_family = "wasm"))]
pub mod file;
#[cfg(not(target_family = "wasm"))]
pub mod files;
mod guard;
pub mod hasher;
pub mod hmac;
pub mod kernel;
pub mod many;
pub mod parts;
#[cfg(not(target_family = "wasm"))]
pub mod threads;
#[cfg(target_family = "wasm")]
pub mod wasm;
