//! Digests of many files, and what the system reports about files.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod engine;
#[cfg(target_os = "linux")]
mod sys;
