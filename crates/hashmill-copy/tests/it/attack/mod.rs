//! `hashmill copy` under attack: killed at every call that changes something, every call failing in every way it may,
//! power cuts, and file systems with unusual behaviour. The results go to `target/attack`; from them,
//! `cargo run -p xtask -- attacks` makes the table in docs/copy.md.
//!
//! `HASHMILL_TEST_TIER=long` tries everything; otherwise a part of it is tried, the same each time.
mod bag;
mod calls;
mod disk;
mod foreign;
mod history;
mod power;
mod repair;
mod report;
mod trace;
mod tree;
mod update;
