//! Opening lists for the commands that read them.

use crate::commands::advice::{advice, quoted};
use crate::terminal::input::{Stdin, announce};
use hashmill_files::ours::folder_of_list;
use hashmill_files::{closed_at_start, plain};
use hashmill_lists::{List, ReadOptions, beginning, recognize};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

/// The beginning of a list that is examined before it is read: enough to recognize nearly anything.
const START: usize = 64 << 10;

/// Why something cannot be read as a list.
pub(crate) struct Refusal {
    /// A stable word for it.
    pub(crate) kind: &'static str,
    /// What follows the list's name in a message.
    pub(crate) what: String,
}

impl Refusal {
    fn new(kind: &'static str, what: impl Into<String>) -> Self {
        Refusal { kind, what: what.into() }
    }
}

/// A list that is open.
pub(crate) struct Opened {
    pub(crate) reader: BufReader<Box<dyn Read + Send>>,
    /// The folder that names are relative to by the list's form, unless it is the current one.
    pub(crate) base: Option<PathBuf>,
}

/// Opens a list; `-` is standard input. `announced` says on a terminal that it is read.
pub(crate) fn open(list: &OsStr, reading: &ReadOptions, announced: bool) -> Result<Opened, Refusal> {
    let from_stdin = list == "-";
    let path = Path::new(list);
    let mut reader: BufReader<Box<dyn Read + Send>> = if from_stdin && closed_at_start(0) {
        return Err(Refusal::new("closed", "is closed"));
    } else if from_stdin {
        if announced {
            announce("a checksum list");
        }
        BufReader::with_capacity(START, Box::new(Stdin::new()))
    } else {
        match File::open(list) {
            Ok(f) if f.metadata().is_ok_and(|m| m.is_dir()) => {
                let what = format!("is a directory, not a checksum list; `hashmill sum -r {}` makes one", quoted(list));
                return Err(Refusal::new("is-directory", what));
            }
            Ok(f) => BufReader::with_capacity(START, Box::new(f)),
            Err(e) => {
                let kind = hashmill_files::Error::from(io::Error::from(e.kind())).kind();
                return Err(Refusal::new(kind, plain(&e)));
            }
        }
    };
    if from_stdin {
        // A pipe gives less at once than a form is recognized by.
        reader = with_more(reader, START);
    }
    let more = reader.fill_buf().map_or(0, |start| if start.len() < START { 0 } else { beginning(start) });
    if more > START {
        reader = with_more(reader, more);
    }
    let mut base = None;
    if let Ok(start) = reader.fill_buf() {
        if let Some((kind, what)) = recognize(start, path, reading) {
            let what = format!("looks like {what}{}", advice(kind, what, (!from_stdin).then_some(path)));
            return Err(Refusal::new("not-a-list", what));
        }
        if start.is_empty() {
            return Err(Refusal::new("empty", "no properly formatted checksum lines found: the list is empty"));
        }
        if !from_stdin {
            let form = List::open(start, path, reading).ok().and_then(|list| list.form());
            base = folder_of_list(path).map(Path::to_path_buf).or_else(|| form.and_then(|form| form.base_of(path)));
        }
    }
    Ok(Opened { reader, base })
}

/// Returns a reader that holds `size` bytes at once.
fn with_more(mut reader: BufReader<Box<dyn Read + Send>>, size: usize) -> BufReader<Box<dyn Read + Send>> {
    let mut start = Vec::with_capacity(size);
    // An error is found again where the list is read.
    let _ = reader.by_ref().take(size as u64).read_to_end(&mut start);
    BufReader::with_capacity(start.len().max(START), Box::new(Cursor::new(start).chain(reader)))
}
