//! Checksum lists. Every common form can be read; those of [`Form`] can be written.
//!
//! Names are bytes, not text, and pass through unchanged whatever they contain.

mod candidates;
mod read;
mod recognize;
mod tag;
mod write;

pub use candidates::candidates;
pub(crate) use candidates::{cheap_candidates, is_usual};
pub(crate) use read::named_by;
pub use read::{
    Bare, Entry, Fault, Line, LineReader, Lone, MAX_LINE, Parser, from_base64, os_string, suggests, unescape,
};
pub use recognize::{Kind, recognize};
pub use tag::{algorithm_of_tag, tag};
pub use write::{Form, Style, escape, write_entry};
