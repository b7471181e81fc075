//! The program, by subcommand and by the names under which it is called.

#![cfg(all(unix, feature = "copy", feature = "measure"))]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod b3sum;
mod bag;
mod check;
mod completions;
mod coreutils;
mod docs;
mod forms;
mod functions;
mod hostile;
mod kernels;
#[cfg(target_os = "linux")]
mod limits;
mod mhl;
mod other;
mod program;
#[cfg(target_os = "linux")]
mod progress;
mod strangers;
mod sum;
mod trees;
mod verdicts;
mod xxhsum;
