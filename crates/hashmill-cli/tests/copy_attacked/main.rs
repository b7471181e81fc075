//! `hashmill copy` under attack: short digests, links, devices, odd destinations, failing calls, few threads and
//! descriptors. Every test states what must be true of files and exit statuses afterwards: no content is lost, nothing
//! is written outside the destination.
#![cfg(feature = "copy")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod catalogue;
mod commands;
#[path = "../common/mod.rs"]
mod common;
mod digests;
mod durability;
mod limits;
mod links;
mod lists;
mod metadata;
mod tree;
