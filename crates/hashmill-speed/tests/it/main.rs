//! `hashmill speed`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod form;
mod linked;
mod repetitions;
