//! `hashmill results`: the store, and what is shown of it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod results;
