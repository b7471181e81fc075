//! Writing a list.

use crate::base::entry::Entry;
use crate::base::header::Header;
use crate::forms::{Form, Style, Unfit, Write};
use std::fmt;

impl Style {
    /// Returns a writer of lines that each stand alone, without anything before or after them.
    pub fn writer(self) -> Option<Writer> {
        Writer::new(self.form, &Header { zero: self.zero, binary: self.binary, ..Header::default() })
    }
}

/// A list that is being written.
pub struct Writer(Box<dyn Write>);

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Writer")
    }
}

impl Writer {
    /// Returns a writer of a form, or `None` if it can only be read.
    pub fn new(form: &Form, header: &Header) -> Option<Self> {
        form.format.writer(header).map(Writer)
    }

    /// Appends what comes before the entries.
    pub fn begin(&mut self, out: &mut Vec<u8>) {
        self.0.begin(out);
    }

    /// Appends an entry.
    ///
    /// # Errors
    /// Returns an error if the form cannot hold the entry; then nothing is appended.
    pub fn entry(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), Unfit> {
        let before = out.len();
        self.0.entry(entry, out).inspect_err(|_| out.truncate(before))
    }

    /// Appends what comes after the entries.
    pub fn end(&mut self, out: &mut Vec<u8>) {
        self.0.end(out);
    }
}
