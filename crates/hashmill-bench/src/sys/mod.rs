//! Reading past the page cache, rings of requests, and an allocator that counts. The crate's only unsafe code.

#![allow(unsafe_code, reason = "libc calls, and an allocator")]

pub(crate) mod allocator;
pub(crate) mod io;
