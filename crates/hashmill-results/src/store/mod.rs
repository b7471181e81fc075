//! The store: an SQLite database of the runs that were kept, with every sample.
//!
//! It uses SQLite's rollback journal, not its write-ahead log: the store is a single file, which a killed process
//! leaves either as it was or as it was to be, and which may be on a network file system. A run is written in one
//! transaction. A file that is not a store of this version is never written to. A file from someone else may contain
//! anything: its schema must be ours to the letter (so that no view or trigger runs), lengths are checked before
//! anything is read, and what a run measured must match the digest that was stored with it.

mod database;
mod error;
mod query;
mod row;
mod schema;
#[cfg(test)]
pub(crate) mod tests;

pub use database::{Batch, Store, default_path};
pub use error::StoreError;
pub use query::{Filter, SeriesFilter, Spec};
pub use row::{Head, MOST_SAMPLES};
