//! Recognizing files that were given as lists by mistake: images, archives, pictures, error pages.

use crate::base::candidates::candidates;
use crate::base::entry::Item;
use crate::surface::read::{List, ReadOptions};
use crate::text::unpack::Packing;
use std::ops::ControlFlow;
use std::path::Path;

/// What sort of file was given as a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file that a list may be about, not a list.
    Content,
    /// What a server sends in place of a file.
    Page,
    /// A signature, perhaps of a list.
    Signature,
    /// Text in an encoding that is not understood.
    Encoding,
}

/// What files begin with, by the position at which it is found. A longer signature comes before one that it begins
/// with.
const SIGNATURES: [(usize, &[u8], &str); 56] = [
    (0, b"PK\x03\x04", "a zip archive"),
    (0, b"PK\x05\x06", "an empty zip archive"),
    (0, b"PK\x07\x08", "a zip archive"),
    (0, b"\x1f\x8b\x08", "a gzip archive"),
    (0, b"\xfd7zXZ\0", "an xz archive"),
    (0, b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (0, b"\x04\x22\x4d\x18", "an lz4 archive"),
    (0, b"LZIP\x01", "an lzip archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (0, b"Rar!\x1a\x07", "a rar archive"),
    (0, b"MSCF\0\0\0\0", "a cabinet archive"),
    (0, b"!<arch>\ndebian-binary", "a Debian package"),
    (0, b"!<arch>\n", "an ar archive"),
    (0, b"\xed\xab\xee\xdb", "an RPM package"),
    (257, b"ustar", "a tar archive"),
    (32769, b"CD001", "an ISO 9660 image"),
    (32769, b"BEA01", "a UDF image"),
    (32769, b"NSR0", "a UDF image"),
    (0, b"hsqs", "a SquashFS image"),
    (0, b"QFI\xfb", "a QEMU disk image"),
    (0, b"vhdxfile", "a virtual disk image"),
    (0, b"conectix", "a virtual disk image"),
    (0, b"KDMV", "a virtual disk image"),
    (0, b"LUKS\xba\xbe", "an encrypted disk image"),
    (0, b"MSWIM\0\0\0", "a Windows image"),
    (0, b"\x7fELF", "a program (ELF)"),
    (0, b"\xfe\xed\xfa\xce", "a program (Mach-O)"),
    (0, b"\xfe\xed\xfa\xcf", "a program (Mach-O)"),
    (0, b"\xce\xfa\xed\xfe", "a program (Mach-O)"),
    (0, b"\xcf\xfa\xed\xfe", "a program (Mach-O)"),
    (0, b"\xca\xfe\xba\xbe", "a program (Mach-O or Java)"),
    (0, b"\0asm", "a program (WebAssembly)"),
    (0, b"dex\n03", "a program (Android)"),
    (0, b"%PDF-", "a PDF document"),
    (0, b"%!PS", "a PostScript document"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a document or installer of Microsoft's"),
    (0, b"{\\rtf", "a rich text document"),
    (0, b"\xff\xd8\xff", "a picture (JPEG)"),
    (0, b"\x89PNG\r\n\x1a\n", "a picture (PNG)"),
    (0, b"GIF87a", "a picture (GIF)"),
    (0, b"GIF89a", "a picture (GIF)"),
    (0, b"II*\0", "a picture (TIFF or raw)"),
    (0, b"MM\0*", "a picture (TIFF or raw)"),
    (0, b"\0\0\0\x0cJXL ", "a picture (JPEG XL)"),
    (8, b"WEBPVP8", "a picture (WebP)"),
    (4, b"ftyphei", "a picture (HEIC)"),
    (4, b"ftypmif1", "a picture (HEIC)"),
    (4, b"ftypavif", "a picture (AVIF)"),
    (4, b"ftypM4A", "a sound file (MPEG-4)"),
    (4, b"ftyp", "a film (MPEG-4)"),
    (8, b"AVI LIST", "a film (AVI)"),
    (0, b"\x1a\x45\xdf\xa3", "a film (Matroska or WebM)"),
    (8, b"WAVEfmt", "a sound file (WAV)"),
    (0, b"OggS\0", "a sound file (Ogg)"),
    (0, b"fLaC\0", "a sound file (FLAC)"),
    (0, b"SQLite format 3\0", "a database (SQLite)"),
];

/// What texts begin with, in lower case.
const TEXTS: [(&str, Kind, &str); 15] = [
    ("<!doctype html", Kind::Page, "a web page"),
    ("<html", Kind::Page, "a web page"),
    ("<head", Kind::Page, "a web page"),
    ("<body", Kind::Page, "a web page"),
    ("<script", Kind::Page, "a web page"),
    ("<?xml", Kind::Page, "an XML document"),
    ("<error>", Kind::Page, "an XML document"),
    ("{", Kind::Page, "JSON"),
    ("[{", Kind::Page, "JSON"),
    ("-----begin pgp signature-----", Kind::Signature, "a PGP signature"),
    ("-----begin pgp message-----", Kind::Signature, "a PGP message"),
    ("-----begin pgp public key", Kind::Signature, "a PGP key"),
    ("-----begin ssh signature-----", Kind::Signature, "an SSH signature"),
    ("-----begin ", Kind::Signature, "a certificate, key or signature (PEM)"),
    ("untrusted comment:", Kind::Signature, "a signature or key of minisign or signify"),
];

/// Returns how much of a file that begins like this [`recognize`] should see, in bytes: of what is compressed in
/// blocks, nothing is known before the first of them is complete.
pub fn beginning(start: &[u8]) -> usize {
    Packing::of(start).map_or(64 << 10, |packing| packing.first(start))
}

/// Decides from the beginning of a file whether it is something other than a list, and says what. [`beginning`] returns
/// how much is enough; less tells less. A text with lines that can be read as a list of this name is a list, whatever
/// surrounds them.
pub fn recognize(start: &[u8], list: &Path, options: &ReadOptions) -> Option<(Kind, &'static str)> {
    if Packing::of(start).is_some() && is_list(start, list, options) {
        return None;
    }
    let at = |offset: usize, bytes: &[u8]| start.get(offset..).is_some_and(|rest| rest.starts_with(bytes));
    if let Some((.., what)) = SIGNATURES.iter().find(|(offset, bytes, _)| at(*offset, bytes)) {
        return Some((Kind::Content, what));
    }
    if at(0, b"BZh") && (at(4, b"1AY&SY") || at(4, b"\x17\x72\x45\x38\x50\x90")) {
        return Some((Kind::Content, "a bzip2 archive"));
    }
    if at(0, b"MZ") && start.iter().take(64).any(|&b| b == 0) {
        return Some((Kind::Content, "a program (Windows)"));
    }
    // The parser says what to do about these.
    if at(0, b"\xff\xfe") || at(0, b"\xfe\xff") || is_list(start, list, options) {
        return None;
    }
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    let begins = |word: &str| text.get(..word.len()).is_some_and(|t| t.eq_ignore_ascii_case(word.as_bytes()));
    if let Some((_, kind, what)) = TEXTS.iter().find(|(word, ..)| begins(word)) {
        // A damaged list in JSON is still meant to be a list; its lines tell what is wrong.
        let is_list = *what == "JSON" && text.windows(9).any(|w| w == b"\"digests\"");
        return if is_list { None } else { Some((*kind, what)) };
    }
    // A page may begin with a comment.
    if begins("<") && text.windows(5).take(4096).any(|w| w.eq_ignore_ascii_case(b"<html")) {
        return Some((Kind::Page, "a web page"));
    }
    if begins("version https://git-lfs.") {
        return Some((Kind::Page, "a Git LFS pointer"));
    }
    let is_signature = |first: u8| matches!(first, 0x88 | 0x89 | 0xc2) && start.len() < 4096;
    if start.first().is_some_and(|&b| is_signature(b)) && std::str::from_utf8(start).is_err() {
        return Some((Kind::Signature, "a PGP signature"));
    }
    let zeros = start.iter().filter(|&&b| b == 0).count();
    let is_wide = |odd: usize| start.iter().skip(odd).step_by(2).filter(|&&b| b == 0).count() * 10 > start.len() * 4;
    if zeros > 0 && zeros * 10 <= start.len() * 6 && start.len() >= 16 && (is_wide(0) != is_wide(1)) {
        return Some((Kind::Encoding, if is_wide(1) { "UTF-16LE" } else { "UTF-16BE" }));
    }
    // Texts have next to no control characters, in whatever encoding.
    let controls = start.iter().filter(|&&b| b < b' ' && !matches!(b, b'\t'..=b'\r' | 0x1b) || b == 0x7f).count();
    if controls * 50 > start.len() {
        let disk = at(510, b"\x55\xaa");
        return Some((Kind::Content, if disk { "a disk image" } else { "binary data" }));
    }
    None
}

/// Returns whether anything can be used, so that the file is a list, with or without text around it.
fn is_list(start: &[u8], list: &Path, options: &ReadOptions) -> bool {
    let mut found = false;
    if let Ok(list) = List::open(start, list, options) {
        found = list.form().is_some();
        // What is cut off, since this is only the beginning, does not matter.
        let _ = list.read(|line| {
            found |= match line.item {
                Item::Entry(e) => {
                    let usable = |bytes: usize| !candidates(bytes).is_empty();
                    e.stated.iter().any(|s| s.function.is_some() || usable(s.digest.as_bytes().len()))
                }
                Item::Lone(_) => true,
                _ => false,
            };
            if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(start: &[u8]) -> Option<&'static str> {
        recognize(start, Path::new("list"), &ReadOptions::default()).map(|(_, what)| what)
    }

    #[test]
    fn what_is_no_list() {
        let mut iso = vec![0; 64 << 10];
        iso[32769..32774].copy_from_slice(b"CD001");
        assert_eq!(of(&iso), Some("an ISO 9660 image"));
        let mut tar = vec![b'x'; 512];
        tar[257..262].copy_from_slice(b"ustar");
        assert_eq!(of(&tar), Some("a tar archive"));
        assert_eq!(of(b"PK\x03\x04rest"), Some("a zip archive"));
        assert_eq!(of(b"\x89PNG\r\n\x1a\n\0\0"), Some("a picture (PNG)"));
        assert_eq!(of(b"\xef\xbb\xbf\r\n<!DOCTYPE HTML><title>404</title>"), Some("a web page"));
        assert_eq!(of(b"<!-- x -->\n<html>"), Some("a web page"));
        assert_eq!(of(b"{\"message\": \"Not Found\"}"), Some("JSON"));
        assert_eq!(of(b"-----BEGIN PGP SIGNATURE-----\n\niQ\n"), Some("a PGP signature"));
        assert_eq!(of(&(0..=255).cycle().take(5000).collect::<Vec<u8>>()), Some("binary data"));
    }

    #[test]
    fn lists_and_texts() {
        let md5 = "5d41402abc4b2a76b9719d911017c592";
        for list in [
            format!("{md5}  name\n"),
            format!("{md5}\n"),
            format!("{md5}  a\0{md5}  b\0"),
            format!("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{md5}  a\n-----BEGIN PGP SIGNATURE-----\n"),
            format!("<html>\n{md5}  a\n"),
            format!("MD5 (x) = {md5}\n"),
            "{\"digests\": 5}\n".into(),
            "plain text\n".into(),
            "r\u{e9}sum\u{e9}\n".into(),
            String::new(),
        ] {
            assert_eq!(of(list.as_bytes()), None, "{list:?}");
        }
        assert_eq!(of(b"\xff\xfea\0b\0"), None);
    }
}
