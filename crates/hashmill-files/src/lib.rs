//! Files for [`hashmill`]: digests of many files at once, each read once; checksum lists of every common form; their
//! verification.
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
//! Several threads each drive one mill; every lane reads its own file into its part of one arena. Neither the number of
//! files nor their lengths make memory grow.

mod bulk;
mod check;
mod device;
mod direct;
mod divide;
mod error;
mod input;
mod job;
pub mod manifest;
pub mod ours;
mod progress;
mod pull;
mod queue;
mod relay;
mod ring;
mod scout;
mod spare;
mod stream;
mod sum;
mod sys;
mod task;
mod walk;
mod worker;

pub use check::{CheckEvent, CheckOptions, Summary, Verdict, check};
pub use device::one_reader;
pub use error::{Error, Problem, plain, words};
pub use input::{Found, Input};
pub use progress::Progress;
pub use sum::{Event, Io, Options, Outcome, sum};
pub use sys::{allow_mapping, cached_pages, closed_at_start, direct_io};
pub use task::{Task, Tasks, perform};
pub use walk::{FileId, not_an_output, walk};
pub use worker::raise_descriptor_limit;
