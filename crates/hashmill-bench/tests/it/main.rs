//! `hashmill bench`, by subcommand.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod choice;
mod codegen;
mod copy;
mod files;
mod io;
mod kernels;
mod lanes;
mod listing;
mod loops;
mod suite;
mod sum;
