//! Several lists as one.

use crate::base::snapshot::{Row, Snapshot};
use crate::read::base::Base;
use crate::read::list::{ListEvent, Listed, Source};
use crate::surface::audit::AuditError;
use hashmill_lists::{Entry, Function, ReadOptions, Style};

/// Lists that were merged.
#[derive(Debug)]
pub struct Merged {
    files: Snapshot,
    /// The files in the order of a walk.
    pub order: Vec<Row>,
    /// How the first list looks, if all of it was understood.
    pub style: Option<Style>,
    /// What digests are of.
    pub functions: Vec<Function>,
    /// What digests were taken to be of that do not tell: the usual algorithm of their length.
    pub assumed: Vec<Function>,
    is_dotted: bool,
}

impl Merged {
    /// Returns what the lists say of a file.
    pub fn entry(&self, row: Row) -> Entry {
        let mut name = self.files.name(row);
        if self.is_dotted {
            name.splice(..0, *b"./");
        }
        let (size, mtime) = (self.files.size(row), self.files.modified(row));
        Entry { name, size, mtime, stated: self.files.stated(row), ..Entry::default() }
    }
}

/// Merges lists: every file comes once, with all digests that any list has of it, sorted as a walk would find it. What
/// contradicts an earlier list is passed to `tell`, with the place of the list, and left out.
///
/// # Errors
/// Returns an error if a list cannot be read, or if there is nothing in them.
pub fn merge(
    sources: Vec<Source<'_>>,
    options: &ReadOptions,
    mut tell: impl FnMut(usize, ListEvent),
) -> Result<Merged, AuditError> {
    let mut listed = Listed::assuming();
    let mut style = None;
    for (i, source) in sources.into_iter().enumerate() {
        listed.read(source, None, options, |event| tell(i, event)).map_err(|e| AuditError::List(i, e))?;
        if i == 0 {
            style = listed.style;
        }
    }
    listed.place_odd(&Base::of_folders(None, std::iter::empty()), |event| tell(0, event));
    listed.tell_unknown(|event| tell(0, event));
    let assumed = listed.assumed();
    let Listed { snapshot: files, is_dotted, .. } = listed;
    if files.is_empty() {
        return Err(AuditError::Nothing(0));
    }
    let mut order: Vec<Row> = files.rows().collect();
    order.sort_by(|a, b| files.compare_names(*a, &files, *b));
    let functions = files.functions().0;
    Ok(Merged { files, order, style, functions, assumed, is_dotted })
}
