//! Hashing with [`hashmill`] on several threads: digests of many files at once, with each file read only once;
//! verification of files against checksum lists of every form; and digests of many messages in memory.
//!
//! ```no_run
//! use hashmill_files::{Event, Input, Options, Outcome, Progress, sum};
//! use std::ops::ControlFlow;
//!
//! let options = Options::new(vec!["sha256".parse()?]);
//! let files = ["a", "b"].map(|f| Ok(Input::Path(f.into())));
//! sum(&options, files, &Progress::default(), |event| {
//!     if let Event::Outcome(Outcome { input, result, .. }) = event {
//!         match result {
//!             Ok(digests) => println!("{}  {}", digests[0], input.name().display()),
//!             Err(e) => eprintln!("{}: {e}", input.name().display()),
//!         }
//!     }
//!     ControlFlow::Continue(())
//! })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Several threads each drive one mill, in which every lane reads its own file into its part of one arena. Memory use
//! grows with neither the number of files nor their lengths.

mod base;
mod hash;
mod queue;
mod read;
mod surface;

pub use base::descriptors::raise_descriptor_limit;
pub use base::error::{Error, Problem, plain, words};
pub use base::folders::sync_folder;
pub use base::options::{AlgorithmList, Io, Options};
pub use base::ours;
pub use base::progress::Progress;
pub use base::recipe::{Key, Recipe, RecipeError};
pub use base::threads::{cores, spawn};
pub use queue::task::Task;
pub use read::device::one_reader;
pub use read::input::{Below, Facts, Found, Input, special};
pub use read::sys::{allow_mapping, cached_pages, closed_at_start, direct_io, may_share_extents, shared_extents};
pub use surface::check::place::Places;
pub use surface::check::{CheckEvent, CheckOptions, Summary, Verdict, check, check_lines};
pub use surface::filter::{Filter, Selection, age as parse_age};
pub use surface::memory::{digest_column, digest_slices};
pub use surface::perform::{Tasks, perform};
pub use surface::sum::{Event, Outcome, sum};
pub use surface::walk::{FileId, Walked, not_an_output, walk};
