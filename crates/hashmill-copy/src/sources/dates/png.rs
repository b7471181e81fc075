//! PNG (third edition: eXIf, text chunks, tIME) and GIF (XMP in an application extension).

use super::input::{Input, MOST_HELD};
use super::said::Said;
use super::text::Moment;
use super::{iptc, tiff, xmp};
use crate::model::taken::Origin;
use chrono::NaiveDate;
use std::io::Read;

pub(super) const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

pub(super) fn read(input: &Input<'_>, said: &mut Said) {
    let mut at = SIGNATURE.len() as u64;
    while input.count() {
        let (Some(length), Some(kind)) = (input.u32_be(at), input.array::<4>(at + 4)) else { return };
        let content = input.part(at + 8, length.into());
        match &kind {
            b"eXIf" => exif(&content, said),
            b"tEXt" | b"zTXt" | b"iTXt" => text(&kind, &content, said),
            b"tIME" => said.date(Origin::Modify, content.array(0).and_then(time)),
            b"IEND" => return,
            _ => {}
        }
        at += 12 + u64::from(length);
    }
}

/// Reads EXIF with or without the identifier that it has in JPEG.
pub(super) fn exif(input: &Input<'_>, said: &mut Said) {
    let skipped = if input.starts_with(b"Exif\0") { 6 } else { 0 };
    tiff::read(&input.from(skipped), said);
}

fn time([high, low, month, day, hour, minute, second]: [u8; 7]) -> Option<Moment> {
    let year = u16::from_be_bytes([high, low]);
    let date = NaiveDate::from_ymd_opt(year.into(), month.into(), day.into())?;
    // By the specification, the time is in UTC.
    let local = date.and_hms_opt(hour.into(), minute.into(), second.min(59).into()).or(date.and_hms_opt(0, 0, 0))?;
    Some(Moment { local, offset: chrono::FixedOffset::east_opt(0) })
}

fn text(kind: &[u8; 4], content: &Input<'_>, said: &mut Said) {
    let bytes = content.all();
    let Some(end) = bytes.iter().position(|&b| b == 0) else { return };
    let (key, mut value) = (bytes[..end].to_ascii_lowercase(), &bytes[end + 1..]);
    let mut compressed = kind == b"zTXt";
    if compressed {
        // The method, of which there is only one.
        value = value.get(1..).unwrap_or_default();
    }
    if kind == b"iTXt" {
        compressed = value.first() == Some(&1);
        // Compression and method; then language and translated key, each up to a NUL.
        value = value.get(2..).unwrap_or_default();
        for _ in 0..2 {
            value = value.iter().position(|&b| b == 0).map_or(&[][..], |end| &value[end + 1..]);
        }
    }
    let unpacked;
    if compressed {
        unpacked = inflated(value);
        value = &unpacked;
    }
    let line = || String::from_utf8_lossy(&value[..value.len().min(256)]).into_owned();
    match &key[..] {
        b"creation time"
        | b"create-date"
        | b"creationtime"
        | b"createdate"
        | b"create date"
        | b"exif:datetimeoriginal" => {
            said.text(Origin::PngText, &line());
        }
        b"moddate" | b"modify-date" | b"exif:datetime" => said.text(Origin::Modify, &line()),
        b"make" | b"exif:make" => said.make(value),
        b"model" | b"exif:model" => said.model(value),
        b"xml:com.adobe.xmp" => xmp::read(&content.memory(value), said),
        // ImageMagick's profiles, as hexadecimal digits.
        b"raw profile type exif" | b"raw profile type app1" => {
            let profile = profile(value);
            let profile = content.memory(&profile);
            if profile.starts_with(b"http://ns.adobe.com/xap/1.0/\0") {
                xmp::read(&profile.from(29), said);
            } else {
                exif(&profile, said);
            }
        }
        b"raw profile type xmp" => xmp::read(&content.memory(&profile(value)), said),
        b"raw profile type iptc" => {
            let profile = profile(value);
            let profile = content.memory(&profile);
            iptc::read(&profile, said);
            iptc::resources(&profile, said);
        }
        _ => {}
    }
}

/// Unpacks zlib data, up to the number of bytes that may be held.
pub(super) fn inflated(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    // What came before an error counts.
    let _ = flate2::read::ZlibDecoder::new(bytes).take(MOST_HELD as u64).read_to_end(&mut out);
    out
}

/// Returns the bytes of a profile: a line with its name, one with its length, and digits.
fn profile(text: &[u8]) -> Vec<u8> {
    let lines = text.split(|&b| b == b'\n').skip_while(|line| line.is_empty());
    let digits: Vec<u8> =
        lines.skip(2).flatten().filter_map(|&b| char::from(b).to_digit(16)).map(|d| d as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// Reads a GIF, which may have XMP in an application extension.
pub(super) fn gif(input: &Input<'_>, said: &mut Said) {
    let table = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3u64 << ((flags & 7) + 1) };
    let Some([flags]) = input.array(10) else { return };
    let mut at = 13 + table(flags);
    while input.count() {
        match input.array(at) {
            Some([0x21, 0xff]) if input.bytes(at + 2, 12) == b"\x0bXMP DataXMP" => {
                // The packet is not split into blocks; a trailer of 258 bytes leads those who expect blocks to its end.
                return xmp::read(&input.from(at + 14), said);
            }
            Some([0x21, _]) => at += 2,
            Some([0x2c, _]) => {
                let Some([flags]) = input.array(at + 9) else { return };
                at += 11 + table(flags);
            }
            _ => return,
        }
        // Blocks, each with its length in front, up to an empty one.
        loop {
            let Some([length]) = input.array(at) else { return };
            at += 1 + u64::from(length);
            if length == 0 {
                break;
            }
            if !input.count() {
                return;
            }
        }
    }
}
