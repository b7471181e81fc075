//! TIFF, and thereby EXIF and most raw formats (TIFF 6.0, EXIF 3.0, BigTIFF; CR2, NEF, ARW, DNG, ORF, RW2 …).

use super::input::Input;
use super::said::Said;
use super::text::{self, Moment};
use super::{iptc, jpeg, xmp};
use crate::model::taken::Origin;
use chrono::FixedOffset;

/// Maximum number of entries examined in a directory.
const MOST_ENTRIES: u64 = 4096;

/// Maximum length of a value that is read as text.
const LONGEST_TEXT: u64 = 256;

/// How numbers are stored in a file.
#[derive(Clone, Copy)]
struct Order {
    little: bool,
    /// BigTIFF: offsets and counts have eight bytes.
    wide: bool,
}

impl Order {
    fn number(self, bytes: &[u8]) -> u64 {
        let add = |n: u64, &b: &u8| n << 8 | u64::from(b);
        if self.little { bytes.iter().rev().fold(0, add) } else { bytes.iter().fold(0, add) }
    }
}

/// Whether these are the first bytes of a TIFF file or of one of the raw formats with a magic number of their own.
pub(super) fn is_header(bytes: [u8; 4]) -> bool {
    order(bytes).is_some()
}

fn order(bytes: [u8; 4]) -> Option<Order> {
    let little = match &bytes[..2] {
        b"II" => true,
        b"MM" => false,
        _ => return None,
    };
    let magic = Order { little, wide: false }.number(&bytes[2..4]);
    match magic {
        // TIFF; Panasonic's RW2; Olympus's ORF, of two kinds; JPEG XR.
        42 | 0x55 | 0x4f52 | 0x5352 | 0xbc01 | 0x01bc => Some(Order { little, wide: false }),
        43 => Some(Order { little, wide: true }),
        _ => None,
    }
}

/// What the directories say, until all of them have been read.
#[derive(Default)]
struct Stated {
    original: String,
    digitized: String,
    modified: String,
    /// Fractions of a second and offsets from UTC, of the modification, the original and the digitized date.
    fractions: [String; 3],
    offsets: [String; 3],
    /// TIFF/EP's offset in hours.
    hours: Option<i32>,
    gps_day: String,
    gps_time: Option<[u32; 3]>,
}

/// Reads the metadata of a TIFF file, or of a block of EXIF.
pub(super) fn read(input: &Input<'_>, said: &mut Said) {
    let Some(order) = input.array(0).and_then(order) else { return };
    let (at, length) = if order.wide { (8, 8) } else { (4, 4) };
    let first = order.number(&input.bytes(at, length));
    let mut stated = Stated::default();
    directory(input, order, first, Place::Main, &mut stated, said);
    finish(&stated, said);
}

/// Reads a directory without a header, as AVI films contain it. Numbers are little-endian.
pub(super) fn read_directory(input: &Input<'_>, said: &mut Said) {
    let mut stated = Stated::default();
    directory(input, Order { little: true, wide: false }, 0, Place::Main, &mut stated, said);
    finish(&stated, said);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Main,
    Exif,
    Gps,
}

/// One entry of a directory. Its value may be anywhere in the file.
struct Entry {
    tag: u64,
    kind: u64,
    at: u64,
    length: u64,
}

fn entry(bytes: &[u8], at: u64, order: Order) -> Entry {
    let width = if order.wide { 8 } else { 4 };
    let (tag, kind) = (order.number(&bytes[..2]), order.number(&bytes[2..4]));
    let count = order.number(&bytes[4..4 + width]);
    let size = match kind {
        3 | 8 => 2,
        4 | 9 | 11 | 13 => 4,
        5 | 10 | 12 | 16 | 17 | 18 => 8,
        _ => 1,
    };
    let length = count.saturating_mul(size);
    let in_place = at + 4 + width as u64;
    let at = if length <= width as u64 { in_place } else { order.number(&bytes[4 + width..4 + 2 * width]) };
    Entry { tag, kind, at, length }
}

fn directory(input: &Input<'_>, order: Order, at: u64, place: Place, stated: &mut Stated, said: &mut Said) {
    let (head, size) = if order.wide { (8, 20) } else { (2, 12) };
    let counted = input.bytes(at, head);
    if counted.len() < head as usize {
        return;
    }
    let count = order.number(&counted).min(MOST_ENTRIES);
    let start = input.past(at, head);
    let bytes = input.bytes(start, count * size);
    for (i, bytes) in bytes.chunks_exact(size as usize).enumerate() {
        let e = entry(bytes, start + i as u64 * size, order);
        let text = || String::from_utf8_lossy(&input.bytes(e.at, e.length.min(LONGEST_TEXT))).into_owned();
        let part = || input.part(e.at, e.length);
        let put = |to: &mut String| {
            if to.is_empty() {
                *to = text();
            }
        };
        match (place, e.tag) {
            (Place::Gps, 0x1d) => put(&mut stated.gps_day),
            (Place::Gps, 0x07) => stated.gps_time = time_of_day(&input.bytes(e.at, e.length.min(24)), order),
            (Place::Gps, _) => {}
            (_, 0x10f) => said.make(text().as_bytes()),
            (_, 0x110) => said.model(text().as_bytes()),
            (_, 0x132) => put(&mut stated.modified),
            (_, 0x9003) => put(&mut stated.original),
            (_, 0x9004) => put(&mut stated.digitized),
            (_, 0x9010..=0x9012) => put(&mut stated.offsets[(e.tag - 0x9010) as usize]),
            (_, 0x9290..=0x9292) => put(&mut stated.fractions[(e.tag - 0x9290) as usize]),
            (_, 0x882a) => {
                let hours = order.number(&input.bytes(e.at, 2)) as u16;
                stated.hours = Some(i32::from(hours.cast_signed()));
            }
            // The pointers to other directories. A directory does not contain itself.
            (Place::Main, 0x8769 | 0x8825) if matches!(e.kind, 3 | 4 | 13 | 16 | 18) => {
                let to = order.number(&input.bytes(e.at, e.length.min(8)));
                let place = if e.tag == 0x8769 { Place::Exif } else { Place::Gps };
                directory(input, order, to, place, stated, said);
            }
            (_, 0x927c) => maker_note(&part(), said),
            (Place::Main, 700) => xmp::read(&part(), said),
            (Place::Main, 0x83bb) => iptc::read(&part(), said),
            (Place::Main, 0x8649) => iptc::resources(&part(), said),
            // Panasonic's raws contain a JPEG with EXIF of its own.
            (Place::Main, 0x2e) => jpeg::read(&part(), said),
            _ => {}
        }
    }
}

/// Returns hours, minutes and seconds from three fractions.
fn time_of_day(bytes: &[u8], order: Order) -> Option<[u32; 3]> {
    let mut time = [0; 3];
    for (to, pair) in time.iter_mut().zip(bytes.chunks_exact(8)) {
        let (above, below) = (order.number(&pair[..4]), order.number(&pair[4..]));
        *to = u32::try_from(above.checked_div(below)?).ok()?;
    }
    (bytes.len() == 24).then_some(time)
}

/// Reads the content identifier from Apple's notes. Offsets in them start at the note.
fn maker_note(note: &Input<'_>, said: &mut Said) {
    if !note.starts_with(b"Apple iOS\0") {
        return;
    }
    let order = Order { little: note.bytes(12, 2) == b"II", wide: false };
    let count = order.number(&note.bytes(14, 2)).min(MOST_ENTRIES);
    for (i, bytes) in note.bytes(16, count * 12).chunks_exact(12).enumerate() {
        let e = entry(bytes, 16 + i as u64 * 12, order);
        if e.tag == 0x11 {
            said.content_id(&note.bytes(e.at, e.length.min(LONGEST_TEXT)));
        }
    }
}

/// Puts dates, fractions and offsets together.
fn finish(stated: &Stated, said: &mut Said) {
    // Some phones state only the offset of the last modification, which is when they took the picture. TIFF/EP has one
    // offset for all.
    let general = text::zone(&stated.offsets[0])
        .or_else(|| stated.hours.and_then(|h| FixedOffset::east_opt(h.checked_mul(3600)?)));
    let date = |text: &str, i: usize| {
        let mut moment = text::moment(text)?;
        moment.offset = moment.offset.or_else(|| text::zone(&stated.offsets[i])).or(general);
        moment.add_fraction(&stated.fractions[i]);
        Some(moment)
    };
    said.date(Origin::ExifOriginal, date(&stated.original, 1));
    said.date(Origin::ExifCreate, date(&stated.digitized, 2));
    said.date(Origin::Modify, date(&stated.modified, 0));
    if let Some([h, m, s]) = stated.gps_time {
        let at = text::moment(&stated.gps_day).and_then(|d| d.local.date().and_hms_opt(h, m, s));
        said.date(Origin::Gps, at.map(Moment::from_utc));
    }
}
