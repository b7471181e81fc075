//! The runs that were kept, with every sample: an SQLite database.
//!
//! It has SQLite's rollback journal, not its write-ahead log: one file, which a killed process leaves as it was or as
//! it was to be, and which a network file system can hold. A run is written in one transaction. A file that is not a
//! store of this version is never written to. A file that somebody else made may say anything: its tables must be ours
//! to the letter (so that no view or trigger runs), lengths are checked before anything is read, and what a run
//! measured must have the digest that was stored with it.

mod database;
mod error;
mod query;
mod row;
mod schema;
#[cfg(test)]
mod tests;

pub use database::{Batch, Store, default_path};
pub use error::StoreError;
pub use query::{Filter, SeriesFilter, Spec};
pub use row::{Head, MOST_SAMPLES};
