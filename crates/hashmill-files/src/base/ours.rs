//! What this program itself leaves in folders, so that lists of their content leave it out: the folder `.hashmill` with
//! the records of copies, and files that are still being written. Names alone do not tell: somebody else's folder may
//! be called so.

use std::ffi::OsStr;

/// The folder in a destination in which a copy keeps its records.
pub const FOLDER: &str = ".hashmill";

/// What names of temporary files begin and end with.
const TEMPORARY: (&[u8], &[u8]) = (b".hashmill-", b".part");

/// What names in [`FOLDER`] begin with.
const RECORDS: [&[u8]; 4] = [b"catalogue.sqlite", b"catalogue.damaged", b"journal-", b"list-"];

/// The run in the name of a temporary file: `.hashmill-<16 hex digits>-<number>.part`.
pub fn run_of(name: &OsStr) -> Option<&OsStr> {
    let bytes = name.as_encoded_bytes();
    let inner = bytes.strip_prefix(TEMPORARY.0)?.strip_suffix(TEMPORARY.1)?;
    let at = inner.iter().position(|&b| b == b'-')?;
    let (run, number) = (&inner[..at], &inner[at + 1..]);
    let well = run.len() == 16
        && run.iter().all(u8::is_ascii_hexdigit)
        && !number.is_empty()
        && number.iter().all(u8::is_ascii_digit);
    // Hex digits are text in any encoding.
    well.then(|| OsStr::new(str::from_utf8(run).unwrap_or_default()))
}

/// Whether a name is that of a temporary file of ours.
pub fn is_temporary(name: &OsStr) -> bool {
    run_of(name).is_some()
}

/// Whether a folder with these names in it, itself called [`FOLDER`], is ours: nothing else is in it. An empty one has
/// nothing to lose.
pub fn are_records<N: AsRef<OsStr>>(names: impl IntoIterator<Item = N>) -> bool {
    names.into_iter().all(|n| RECORDS.iter().any(|r| n.as_ref().as_encoded_bytes().starts_with(r)))
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
    fn folders_of_records() {
        assert!(are_records(["catalogue.sqlite", "catalogue.sqlite-wal", "journal-0123456789abcdef", "list-1-2"]));
        assert!(are_records([""; 0]));
        assert!(!are_records(["catalogue.sqlite", "holiday.jpg"]));
    }
}
