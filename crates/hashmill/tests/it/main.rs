//! The library as its users call it: every algorithm on every kernel.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod bits;
mod common;
mod errors;
mod kernels;
mod many;
mod php;
mod small;
mod states;
mod vectors;
mod wiped;
