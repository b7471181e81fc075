//! Checksum lists: every common form is read, two are written.
//!
//! Names are bytes, not text: they go through unchanged whatever they hold.

mod candidates;
mod read;
mod tag;
mod write;

pub use candidates::candidates;
pub(crate) use candidates::is_usual;
pub use read::{Bare, Entry, Fault, Line, LineReader, MAX_LINE, Parser, from_base64, os_string, unescape};
pub use tag::{algorithm_of_tag, tag};
pub use write::{Form, Style, escape, write_entry};
