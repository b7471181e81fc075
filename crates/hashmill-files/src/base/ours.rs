//! Names of what this program itself leaves in folders, so that lists of their content can leave it out: the folder
//! `.hashmill` with the records of copies, and files that are still being written. The name of a folder is not enough
//! to tell: somebody else's may have the same name.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The folder within a destination in which a copy keeps its records.
pub const FOLDER: &str = ".hashmill";

/// Prefix and suffix of the names of temporary files.
const TEMPORARY: (&[u8], &[u8]) = (b".hashmill-", b".part");

/// The list in [`FOLDER`] of what was copied into the folder that it is in.
pub const LIST: &str = "list.json";

/// The folder in [`FOLDER`] with damaged files that were replaced.
pub const DAMAGED: &str = "damaged";

/// Prefixes of the names in [`FOLDER`].
const RECORDS: [&[u8]; 5] = [b"catalogue.sqlite", b"catalogue.damaged", b"journal-", b"list-", b"list.json"];

/// Returns the run's hex digits from the name of a temporary file, `.hashmill-<16 hex digits>-<number>.part`, or `None`
/// if it is not such a name.
pub fn run_of(name: &OsStr) -> Option<&OsStr> {
    let bytes = name.as_encoded_bytes();
    let inner = bytes.strip_prefix(TEMPORARY.0)?.strip_suffix(TEMPORARY.1)?;
    let at = inner.iter().position(|&b| b == b'-')?;
    let (run, number) = (&inner[..at], &inner[at + 1..]);
    let well = run.len() == 16
        && run.iter().all(u8::is_ascii_hexdigit)
        && !number.is_empty()
        && number.iter().all(u8::is_ascii_digit);
    // Hex digits are ASCII, so the conversion cannot fail.
    well.then(|| OsStr::new(str::from_utf8(run).unwrap_or_default()))
}

/// Returns whether `name` is that of one of our temporary files.
pub fn is_temporary(name: &OsStr) -> bool {
    run_of(name).is_some()
}

/// Returns whether a folder called [`FOLDER`] with these names in it is ours, that is, contains nothing but our
/// records. An empty folder counts as ours, since nothing in it can be lost.
pub fn are_records<N: AsRef<OsStr>>(names: impl IntoIterator<Item = N>) -> bool {
    let is_record = |name: &OsStr| RECORDS.iter().any(|r| name.as_encoded_bytes().starts_with(r));
    names.into_iter().all(|n| is_record(n.as_ref()) || n.as_ref() == DAMAGED || is_temporary(n.as_ref()))
}

/// Returns the path of the list that copies keep of what is in a folder.
pub fn list_in(folder: &Path) -> PathBuf {
    folder.join(FOLDER).join(LIST)
}

/// Returns the folder that a list is about if it is one that copies keep.
pub fn folder_of_list(list: &Path) -> Option<&Path> {
    let records = list.parent()?;
    let ours = list.file_name() == Some(LIST.as_ref()) && records.file_name() == Some(FOLDER.as_ref());
    let folder = records.parent().filter(|_| ours)?;
    Some(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_names() {
        assert_eq!(run_of(OsStr::new(".hashmill-0123456789abcdef-7.part")), Some(OsStr::new("0123456789abcdef")));
        for name in [
            ".hashmill-0123456789abcdef-7.part~",
            ".hashmill-0123456789abcdef-.part",
            ".hashmill-0123456789abcdef-x.part",
            ".hashmill-0123456789abcde-7.part",
            ".hashmill-0123456789abcdeg-7.part",
            ".hashmill-.part",
            ".hashmill",
            "x.part",
        ] {
            assert!(!is_temporary(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn the_folder_of_a_list() {
        let of = |path| folder_of_list(Path::new(path)).map(|folder| folder.to_str().unwrap_or_default());
        assert_eq!(of("a/b/.hashmill/list.json"), Some("a/b"));
        assert_eq!(of("/.hashmill/list.json"), Some("/"));
        assert_eq!(of(".hashmill/list.json"), Some("."));
        assert_eq!((of("a/list.json"), of(".hashmill/list"), of("list.json")), (None, None, None));
        assert_eq!(folder_of_list(&list_in(Path::new("a"))), Some(Path::new("a")));
    }

    #[test]
    fn folders_of_records() {
        assert!(are_records(["catalogue.sqlite", "catalogue.sqlite-wal", "journal-0123456789abcdef", "list-1-2"]));
        assert!(are_records(["list.json", "list.json.verified.json", ".hashmill-0123456789abcdef-7.part", "damaged"]));
        assert!(are_records([""; 0]));
        assert!(!are_records(["catalogue.sqlite", "holiday.jpg"]) && !are_records(["damaged photos"]));
    }
}
