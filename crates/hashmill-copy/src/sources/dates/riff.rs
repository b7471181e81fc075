//! RIFF: AVI films (dates in IDIT, ICRD and strd) and WebP pictures (EXIF and XMP).

use super::input::Input;
use super::said::Said;
use super::{png, tiff, xmp};
use crate::model::taken::Origin;

/// Maximum depth of lists.
const DEEPEST: u32 = 8;

pub(super) fn read(input: &Input<'_>, said: &mut Said) {
    chunks(&input.from(12), 0, said);
}

fn chunks(input: &Input<'_>, depth: u32, said: &mut Said) {
    let mut at = 0;
    while input.count() {
        let (Some(kind), Some(length)) = (input.array::<4>(at), input.u32_le(at + 4)) else { return };
        let content = input.part(at + 8, length.into());
        match &kind {
            // The data of the film are one list of very many chunks.
            b"LIST" if content.starts_with(b"movi") => {}
            b"LIST" | b"RIFF" if depth < DEEPEST => chunks(&content.from(4), depth + 1, said),
            b"IDIT" | b"ICRD" => said.text(Origin::FilmLocal, &String::from_utf8_lossy(&content.bytes(0, 64))),
            b"strd" if content.starts_with(b"AVIF") => tiff::read_directory(&content.from(8), said),
            // The notes of Pentax's cameras.
            b"hydt" | b"pntx" | b"JUNK" => notes(&content, said),
            b"EXIF" => png::exif(&content, said),
            b"XMP " | b"_PMX" => xmp::read(&content, said),
            _ => {}
        }
        at += 8 + u64::from(length).next_multiple_of(2);
    }
}

/// Finds a date in notes, of which only the text is understood: `2003:05:14 10:51:39` somewhere in the first bytes.
fn notes(content: &Input<'_>, said: &mut Said) {
    let bytes = content.bytes(0, 1024);
    let is_date = |w: &&[u8]| {
        (0..19).all(|i| match i {
            4 | 7 | 13 | 16 => w[i] == b':',
            10 => w[i] == b' ',
            _ => w[i].is_ascii_digit(),
        })
    };
    if let Some(date) = bytes.windows(19).find(is_date) {
        said.text(Origin::FilmLocal, &String::from_utf8_lossy(date));
    }
}
