//! Raw formats that are not TIFF: Canon's CRW (CIFF), Fujifilm's RAF, Kyocera's, Minolta's MRW, Sigma's X3F.

use super::input::Input;
use super::said::Said;
use super::text::Moment;
use super::{jpeg, tiff};
use crate::model::taken::Origin;
use chrono::DateTime;

/// Maximum depth of directories.
const DEEPEST: u32 = 8;

/// Returns a moment from seconds since 1970 by the camera's clock, which knows no time zone.
fn clock(seconds: i64) -> Option<Moment> {
    let at = DateTime::from_timestamp(seconds, 0).filter(|_| seconds != 0)?;
    Some(Moment { local: at.naive_utc(), offset: None })
}

/// Reads CIFF, which is also in the first segment of the JPEGs of some cameras.
pub(super) fn ciff(input: &Input<'_>, said: &mut Said) {
    if !input.starts_with(b"II") {
        return;
    }
    if let Some(header) = input.u32_le(2) {
        ciff_directory(&input.from(header.into()), 0, said);
    }
}

/// Reads a directory. Where it begins is in the last four bytes of the block.
fn ciff_directory(block: &Input<'_>, depth: u32, said: &mut Said) {
    let Some(at) = block.len().checked_sub(4).and_then(|end| block.u32_le(end)) else { return };
    let at = u64::from(at);
    let Some(count) = block.array(at).map(u16::from_le_bytes) else { return };
    for i in 0..u64::from(count) {
        let entry = at + 2 + i * 10;
        let (Some(tag), Some(size), Some(offset)) =
            (block.array(entry).map(u16::from_le_bytes), block.u32_le(entry + 2), block.u32_le(entry + 6))
        else {
            return;
        };
        if !block.count() {
            return;
        }
        // The value is in the entry itself, or in the block.
        let value = if tag & 0x4000 != 0 { block.part(entry + 2, 8) } else { block.part(offset.into(), size.into()) };
        match tag & 0x3fff {
            0x180e => said.date(Origin::ExifOriginal, value.u32_le(0).and_then(|s| clock(s.into()))),
            0x080a => {
                let names = value.bytes(0, 128);
                let mut names = names.split(|&b| b == 0);
                said.make(names.next().unwrap_or_default());
                said.model(names.next().unwrap_or_default());
            }
            tag if matches!(tag & 0x3800, 0x2800 | 0x3000) && depth < DEEPEST => {
                ciff_directory(&value, depth + 1, said)
            }
            _ => {}
        }
    }
}

/// Reads a raw of Kyocera's Contax N Digital, whose texts are written backwards.
pub(super) fn kyocera(input: &Input<'_>, said: &mut Said) {
    let backwards = |at: u64, length: u64| input.bytes(at, length).into_iter().rev().skip_while(|&b| b == 0).collect();
    let date: Vec<u8> = backwards(0x21, 20);
    said.text(Origin::ExifOriginal, &String::from_utf8_lossy(&date));
    said.make(b"KYOCERA");
    let model: Vec<u8> = backwards(0x0c, 12);
    said.model(&model);
}

/// Reads a RAF file, which contains a JPEG with EXIF.
pub(super) fn fujifilm(input: &Input<'_>, said: &mut Said) {
    if let (Some(at), Some(length)) = (input.u32_be(84), input.u32_be(88)) {
        jpeg::read(&input.part(at.into(), length.into()), said);
    }
}

/// Reads an MRW file, one of whose blocks is a TIFF.
pub(super) fn minolta(input: &Input<'_>, said: &mut Said) {
    let Some(length) = input.u32_be(4) else { return };
    let blocks = input.part(8, length.into());
    let mut at = 0;
    while let (Some(kind), Some(length)) = (blocks.array::<4>(at), blocks.u32_be(at + 4)) {
        if &kind == b"\0TTW" {
            tiff::read(&blocks.part(at + 8, length.into()), said);
        }
        at += 8 + u64::from(length);
        if !blocks.count() {
            return;
        }
    }
}

/// Reads an X3F file: properties, and JPEGs with EXIF. Its directory's place is in the last four bytes.
pub(super) fn sigma(input: &Input<'_>, said: &mut Said) {
    let Some(at) = input.len().checked_sub(4).and_then(|end| input.u32_le(end)) else { return };
    let at = u64::from(at);
    let Some(count) = input.u32_le(at + 8).filter(|_| input.bytes(at, 4) == b"SECd") else { return };
    for i in 0..u64::from(count) {
        let entry = at + 12 + i * 12;
        let (Some(offset), Some(length), Some(kind)) =
            (input.u32_le(entry), input.u32_le(entry + 4), input.array::<4>(entry + 8))
        else {
            return;
        };
        let section = input.part(offset.into(), length.into());
        match &kind {
            b"PROP" => properties(&section, said),
            b"IMAG" | b"IMA2" => jpeg::read(&section.from(28), said),
            _ => {}
        }
        if !input.count() {
            return;
        }
    }
}

/// Reads names and values, which are texts of 16-bit units.
fn properties(section: &Input<'_>, said: &mut Said) {
    let Some(count) = section.u32_le(8).map(|n| u64::from(n.min(1024))) else { return };
    let text = |pair: u64, which: u64| {
        let unit = section.u32_le(24 + pair * 8 + which * 4)?;
        let bytes = section.bytes(24 + count * 8 + u64::from(unit) * 2, 256);
        let units = bytes.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])).take_while(|&u| u != 0);
        Some(char::decode_utf16(units).filter_map(Result::ok).collect::<String>())
    };
    for i in 0..count {
        let (Some(name), Some(value)) = (text(i, 0), text(i, 1)) else { return };
        match &name[..] {
            "TIME" => said.date(Origin::ExifOriginal, value.parse().ok().and_then(clock)),
            "CAMMANUF" => said.make(value.as_bytes()),
            "CAMMODEL" => said.model(value.as_bytes()),
            _ => {}
        }
    }
}
