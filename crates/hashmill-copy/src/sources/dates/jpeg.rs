//! JPEG: segments before the picture (ITU-T T.81), of which APP1 holds EXIF or XMP and APP13 Photoshop's resources.

use super::input::Input;
use super::said::Said;
use super::{iptc, raw, tiff, xmp};
use crate::model::taken::Origin;

pub(super) fn read(input: &Input<'_>, said: &mut Said) {
    if !input.starts_with(&[0xff, 0xd8]) {
        return;
    }
    let mut at = 2;
    while input.count() {
        let Some([0xff, mut marker]) = input.array(at) else { return };
        // A marker may be preceded by any number of fill bytes.
        while marker == 0xff {
            at += 1;
            match input.array(at + 1) {
                Some([b]) if input.count() => marker = b,
                _ => return,
            }
        }
        at += 2;
        match marker {
            // Markers without a segment.
            0x01 | 0xd0..=0xd8 => continue,
            // The picture begins, or nothing follows.
            0xda | 0xd9 => return,
            _ => {}
        }
        let Some(length) = input.u16_be(at).filter(|&l| l >= 2) else { return };
        segment(marker, &input.part(at + 2, u64::from(length) - 2), said);
        at += u64::from(length);
    }
}

fn segment(marker: u8, content: &Input<'_>, said: &mut Said) {
    let start = content.bytes(0, 40);
    match marker {
        // Canon's oldest cameras.
        0xe0 if start.get(6..14) == Some(b"HEAPJPGM") => raw::ciff(content, said),
        0xe1 if start.starts_with(b"Exif\0") => tiff::read(&content.from(6), said),
        // Casio's oldest cameras.
        0xe1 if start.starts_with(b"QVCI\0") => {
            said.text(Origin::ExifOriginal, &String::from_utf8_lossy(&content.bytes(0x4d, 20)));
        }
        // Some programs leave the identifier out.
        0xe1 if start.first_chunk().is_some_and(|&b| tiff::is_header(b)) => tiff::read(content, said),
        0xe1 => {
            if let Some(rest) = start.strip_prefix(b"http://ns.adobe.com/xap/1.0/\0") {
                xmp::read(&content.from((start.len() - rest.len()) as u64), said);
            }
        }
        0xed if start.starts_with(b"Photoshop 3.0\0") => iptc::resources(&content.from(14), said),
        _ => {}
    }
}
