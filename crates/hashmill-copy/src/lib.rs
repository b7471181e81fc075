//! Copies trees and imports photos with verification. By default, each file is read once and hashed on the way, written
//! under a temporary name, made durable, read back from the medium past the page cache, and only then given its final
//! name, without replacing another file.
//!
//! ```no_run
//! use hashmill_copy::{Options, copy};
//!
//! let options = Options::new(["/media/card/DCIM".into()], "/home/me/photos".into())?.by_date();
//! let summary = copy(&options, &Default::default(), &mut |event| println!("{event:?}"))?;
//! assert_eq!(summary.failed, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod decide;
mod fs;
mod model;
mod record;
mod run;
mod sources;
mod surface;
mod transfer;

/// Entry points for the fuzzers.
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing {
    use std::ffi::OsStr;
    use std::fs::File;

    /// Reads the date of a file as an import does.
    pub fn picture(file: &File, name: &OsStr) {
        crate::sources::dates::read(file, crate::FilmTime::Auto);
        crate::sources::dates::in_name(name);
    }
}

pub use model::event::{Action, Event, FileEvent, Summary, Verified};
pub use model::layout::{BY_DATE, Layout, LayoutError};
pub use model::options::{Dates, FilmTime, NoDate, OnConflict, Options, Select, Verify};
pub use model::taken::{Origin, Taken};
pub use surface::args::CopyArgs;
pub use surface::copy::{Error, copy, copy_to_both};
pub use surface::repair::{Repair, Repaired, is_unfinished, repair};
