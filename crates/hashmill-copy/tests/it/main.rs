//! `hashmill copy` and the library behind it, by subject; [`attack`] is what may go wrong, tried systematically.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod also;
mod archive;
mod attack;
mod catalogue;
mod copying;
mod dates;
mod digests;
mod durability;
mod faults;
mod limits;
mod links;
mod lists;
mod memory;
mod metadata;
mod mistakes;
mod moving;
mod names;
mod room;
mod siblings;
mod signals;
mod support;
