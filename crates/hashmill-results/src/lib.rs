//! `hashmill results`: the runs that were kept, and the changes between them.
//!
//! - [`store`]: the runs, with every sample, in an SQLite database.
//! - [`output`]: where a command that measures puts its results: text, JSON, a chart, the store.
//! - [`args`]: the command line.

pub mod args;
mod compare;
mod error;
mod find;
mod history;
mod list;
pub mod output;
mod page;
pub mod store;
mod transfer;

pub use args::ResultsArgs;
pub use output::OutputArgs;
