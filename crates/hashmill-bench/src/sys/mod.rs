//! Reads past the page cache, io_uring, and an allocator that counts. The crate's only unsafe code.

#![allow(unsafe_code, reason = "libc calls, and an allocator")]

pub(crate) mod allocator;
pub(crate) mod io;
