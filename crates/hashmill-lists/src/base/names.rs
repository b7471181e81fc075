//! Names of files in lists, and what the names of lists tell.

use crate::base::function::Function;
use hashmill::Algorithm;
use std::ffi::OsString;
use std::path::Path;

/// Returns whether a name must be escaped to fit on one line, by the rule of coreutils.
fn needs_escape(name: &[u8]) -> bool {
    memchr::memchr3(b'\\', b'\n', b'\r', name).is_some()
}

/// Appends a name the way coreutils writes it in a line that begins with a backslash: `\\`, `\n` and `\r` stand for
/// these bytes. Returns whether the line must begin with one; a name that needs no escaping is appended as it is.
pub fn escape(name: &[u8], out: &mut Vec<u8>) -> bool {
    if !needs_escape(name) {
        out.extend_from_slice(name);
        return false;
    }
    for &b in name {
        match b {
            b'\\' => out.extend_from_slice(br"\\"),
            b'\n' => out.extend_from_slice(br"\n"),
            b'\r' => out.extend_from_slice(br"\r"),
            b => out.push(b),
        }
    }
    true
}

/// Reverses [`escape`]. Returns `None` if the name has any other escape.
pub fn unescape(name: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(name.len());
    let mut bytes = name.iter();
    while let Some(&b) = bytes.next() {
        out.push(match b {
            b'\\' => match bytes.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            b => b,
        });
    }
    Some(out)
}

/// Converts bytes to a name. Returns `None` if the system's names must be text and these bytes are not.
#[cfg(unix)]
pub fn os_string(name: Vec<u8>) -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt;
    Some(OsString::from_vec(name))
}

/// Converts bytes to a name. Returns `None` if the system's names must be text and these bytes are not.
#[cfg(not(unix))]
pub fn os_string(name: Vec<u8>) -> Option<OsString> {
    String::from_utf8(name).ok().map(OsString::from)
}

/// Returns the algorithm that a list's name suggests: `SHA256SUMS`, `sha512sum.txt`, `x.md5`, `b2sums`.
pub fn suggests(list: &Path) -> Option<Algorithm> {
    let mut name = list.file_name()?.to_str()?.to_ascii_lowercase();
    loop {
        let last = name.rsplit('.').next().unwrap_or_default();
        let first = name.split(['.', '_']).next().unwrap_or_default();
        if let Some(a) = named_in(last).or_else(|| named_in(first)) {
            return Some(a);
        }
        // `SHA256SUMS.txt`, `x.sha256.asc`
        name.truncate(name.rfind('.')?);
    }
}

/// Returns the composition whose digests a list has by its name: `x.ed2k`, `x.tth`, `x.aich.txt`.
pub fn suggests_composition(list: &Path) -> Option<Function> {
    let name = list.file_name()?.to_str()?.to_ascii_lowercase();
    let mut words = name.rsplit('.').skip_while(|word| *word == "txt");
    let word = words.next().filter(|_| words.next().is_some())?;
    Function::named(word).filter(|f| matches!(f, Function::Composed(_)))
}

/// Returns the algorithm that a part of a list's name names: `sha256`, `sha256sum`, `sha256sums`, `sha-256-sums`,
/// `sha256deep`.
pub(crate) fn named_in(word: &str) -> Option<Algorithm> {
    let word = ["sums", "sum", "deep"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
    Algorithm::named(word.trim_end_matches(['-', '_']))
}
