//! The libraries and programs that hashmill is compared with.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod peers;
