//! Every form of a checksum list that people hold: bytes in, entries out, and back.
//!
//! A list is read as a stream, in memory that does not grow with it, whatever it contains: compressed or not, in UTF-8
//! or UTF-16, within a PGP signature or not. Nothing here opens a file or starts a thread.
//!
//! ```
//! use hashmill_lists::{Item, List, ReadOptions};
//! use std::ops::ControlFlow;
//! use std::path::Path;
//!
//! let text = "MD5 (a.txt) = 5d41402abc4b2a76b9719d911017c592\n";
//! let list = List::open(text.as_bytes(), Path::new("list"), &ReadOptions::default())?;
//! list.read(|line| {
//!     if let Item::Entry(entry) = line.item {
//!         println!("{} is {}", String::from_utf8_lossy(&entry.name), entry.stated[0].digest);
//!     }
//!     ControlFlow::Continue(())
//! })?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Every form has a file in `forms/`, and a row in `forms/mod.rs`, from which the documentation is made.

mod base;
/// The lines of BagIt's manifests (RFC 8493), for those who read whole bags.
pub mod bagit {
    pub use crate::forms::bagit::{decode, decode_line_ends, encode, line, of_name};
}
pub mod dialects;
mod forms;
mod surface;
mod text;

pub use base::candidates::{candidates, cheap_candidates, is_usual};
pub use base::digits::{Digits, from_base64};
pub use base::entry::{Entry, Item, Line, Note, Stated};
pub use base::fault::Fault;
pub use base::function::{Composition, Function, FunctionError, FunctionList};
pub use base::header::Header;
pub use base::names::{escape, os_string, suggests, suggests_composition, unescape};
pub use base::record::{Closing, Name, Record, RecordError, VERSION, Values};
pub use base::tag::{algorithm_of_tag, tag};
pub use base::time::{format as format_time, parse as parse_time};
#[cfg(feature = "clap")]
pub use forms::form_values;
pub use forms::{Base, FORMS, Form, Style, Unfit, usual_form, usual_function};
pub use surface::expect::expected;
pub use surface::mhl;
pub use surface::read::{List, Parser, ReadOptions, named_by};
pub use surface::recognize::{Kind, beginning, recognize};
pub use surface::template::Template;
pub use surface::write::Writer;
pub use text::encoding::{Narrow, Wide};
pub use text::lines::{LineReader, MAX_LINE};
