//! What may be wrong with a list, and what to do about it.

use crate::terminal::output::shown;
use hashmill_lists::Kind;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Names of lists of a folder's files.
const USUAL_LISTS: [&str; 9] = [
    "SHA256SUMS", "SHA512SUMS", "SHA1SUMS", "MD5SUMS", "B2SUMS", "B3SUMS", "SHA256SUMS.txt", "sha256sum.txt",
    "CHECKSUMS",
];

/// Suffixes of lists of one file.
const USUAL_SUFFIXES: [&str; 10] =
    ["sha256", "sha512", "sha1", "md5", "b3", "blake3", "b2", "sha256sum", "sha512sum", "sha256.txt"];

/// Returns what follows the description of something that was given as a list by mistake.
pub(crate) fn advice(kind: Kind, what: &str, path: Option<&Path>) -> String {
    match (kind, path) {
        (Kind::Page, _) if what.starts_with("JSON") || what.starts_with("an XML") => {
            " of no form that has digests of files; if it was downloaded, look at what it says".into()
        }
        (Kind::Page, _) => ": the download failed".into(),
        (Kind::Encoding, _) => format!(", which is not understood; convert it: iconv -f {what} -t UTF-8"),
        (Kind::Signature, Some(path)) => {
            let signed = path.with_extension("");
            if signed != path && signed.is_file() {
                format!(", not a checksum list; `hashmill check {}` checks what it signs", quoted(signed.as_os_str()))
            } else {
                ", not a checksum list".into()
            }
        }
        (Kind::Content, Some(path)) => match list_of(path) {
            Some(list) => format!(", not a checksum list; `hashmill check {}` verifies it", quoted(list.as_os_str())),
            None => format!(", not a checksum list; `hashmill sum {}` computes its digest", quoted(path.as_os_str())),
        },
        (_, None) => ", not a checksum list".into(),
    }
}

/// Returns a list next to a file that is named after it or that mentions it.
fn list_of(file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?;
    let suffixed = |suffix: &&str| {
        let mut list = name.to_owned();
        list.push(".");
        list.push(suffix);
        file.with_file_name(list)
    };
    let mentions = |list: &PathBuf| {
        let mut text = Vec::new();
        let is_read = list.is_file() && File::open(list).is_ok_and(|f| f.take(1 << 20).read_to_end(&mut text).is_ok());
        let name = name.as_encoded_bytes();
        is_read && text.windows(name.len()).any(|w| w == name)
    };
    USUAL_SUFFIXES
        .iter()
        .map(suffixed)
        .find(|list| list.is_file())
        .or_else(|| USUAL_LISTS.iter().map(|list| file.with_file_name(list)).find(mentions))
}

/// Returns why a file is missing, or the given cause with what may be wrong with the file's name.
pub(crate) fn missing(name: &OsStr, cause: &str) -> String {
    let Some(written) = name.to_str() else { return cause.into() };
    let trimmed = written.trim();
    let exists = |name: &str| !name.is_empty() && Path::new(name).symlink_metadata().is_ok();
    if trimmed != written && exists(trimmed) {
        return format!("{cause}; without the blanks around it, it exists");
    }
    if cfg!(windows) || !written.contains('\\') {
        return cause.into();
    }
    let slashes = trimmed.replace('\\', "/");
    if exists(&slashes) {
        format!("backslashes do not separate folders here; {} exists", shown(OsStr::new(&slashes)))
    } else {
        format!("{cause}; backslashes do not separate folders here")
    }
}

/// Returns what the names in a list are relative to, if all files are missing.
pub(crate) fn relative_to(names: &[OsString], base: Option<&Path>, list: Option<&Path>) -> Option<String> {
    let relative: Vec<&Path> = names.iter().map(Path::new).filter(|name| name.is_relative()).collect();
    if relative.is_empty() {
        return None;
    }
    if let Some(base) = base {
        return Some(format!("no listed file exists; names are relative to {}", shown(base.as_os_str())));
    }
    let here = std::env::current_dir().map_or_else(|_| "the current folder".to_string(), |dir| shown(dir.as_os_str()));
    let mut text = format!("no listed file exists; names are relative to {here}");
    let folder = list.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
    if let (Some(folder), Some(list)) = (folder, list.and_then(Path::file_name)) {
        text += &format!(", and the list is in {}", shown(folder.as_os_str()));
        if relative.iter().any(|name| folder.join(name).exists()) {
            text += &format!(": try `cd {} && hashmill check {}`", quoted(folder.as_os_str()), quoted(list));
        }
    }
    Some(text)
}

/// Returns a name as a shell takes it.
pub(crate) fn quoted(name: &OsStr) -> String {
    let text = name.to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    if text.chars().any(char::is_control) {
        shown(name)
    } else if !text.is_empty() && text.chars().all(is_plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
