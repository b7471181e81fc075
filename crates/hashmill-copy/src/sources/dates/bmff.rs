//! Boxes (ISO/IEC 14496-12, QuickTime): MP4, MOV, HEIC, AVIF, CR3, JPEG XL, JPEG 2000.

use super::input::{Input, MOST_HELD};
use super::said::Said;
use super::{jpeg, png, streams, tiff, xmp};
use crate::model::taken::Origin;
use std::io::Read;

/// Seconds from 1904, QuickTime's epoch, to 1970.
const EPOCH: i64 = 2_082_844_800;

/// Maximum depth of boxes.
const DEEPEST: u32 = 10;

/// Whether a file may begin with a box of this type.
pub(super) fn may_begin_with(kind: [u8; 4]) -> bool {
    const FIRST: &[&[u8; 4]] = &[
        b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"pnot", b"uuid", b"meta", b"udta", b"PICT", b"styp",
        b"jP  ", b"JXL ", b"prfl", b"junk", b"pict", b"moof", b"sidx", b"emsg",
    ];
    FIRST.contains(&&kind)
}

/// Passes the type and content of every box in `input` to `each`, until it returns false.
fn boxes<'a>(input: &Input<'a>, each: &mut dyn FnMut([u8; 4], Input<'a>) -> bool) {
    let mut at = 0;
    while input.count() {
        let (Some(length), Some(kind)) = (input.u32_be(at), input.array(at + 4)) else { return };
        let (head, length) = match length {
            // To the end of the file.
            0 => (8, input.len() - at),
            1 => match input.u64_be(at + 8) {
                Some(length) => (16, length),
                None => return,
            },
            length => (8, length.into()),
        };
        if length < head || !each(kind, input.part(at + head, length - head)) {
            return;
        }
        at = input.past(at, length);
    }
}

/// Reads a file.
pub(super) fn read(input: &Input<'_>, said: &mut Said) {
    level(input, input, 0, said);
}

/// Reads the boxes of one level. `file` is what the positions of items count from.
fn level(input: &Input<'_>, file: &Input<'_>, depth: u32, said: &mut Said) {
    if depth > DEEPEST {
        return;
    }
    boxes(input, &mut |kind, content| {
        match &kind {
            b"ftyp" => brands(&content, said),
            b"moov" | b"trak" | b"mdia" => level(&content, file, depth + 1, said),
            b"mvhd" => film(&content, true, said),
            b"tkhd" | b"mdhd" => film(&content, false, said),
            b"cmov" => compressed_movie(&content, file, depth, said),
            b"meta" => meta(&content, file, said),
            b"udta" => user_data(&content, file, depth, said),
            b"uuid" => uuid(&content, file, depth, said),
            // JPEG XL's EXIF is preceded by the position of its header.
            b"Exif" => item(&content, said),
            b"xml " | b"XMP_" => xml(&content, said),
            b"brob" => brotli(&content, said),
            _ => {}
        }
        true
    });
}

/// Some makers are known by the brand that they register.
fn brands(content: &Input<'_>, said: &mut Said) {
    for brand in content.bytes(0, 256).chunks_exact(4) {
        let make = match brand {
            b"niko" => "NIKON",
            b"CAEP" => "Canon",
            b"caqv" => "CASIO",
            b"pana" => "Panasonic",
            _ => continue,
        };
        said.brand = make;
    }
}

/// Reads when a film, or (if `whole` is false) a track of it, was made.
fn film(content: &Input<'_>, whole: bool, said: &mut Said) {
    let times = match content.array(0) {
        Some([1]) => (content.u64_be(4), content.u64_be(12)),
        _ => (content.u32_be(4).map(u64::from), content.u32_be(8).map(u64::from)),
    };
    let since_1970 = |seconds: u64| {
        let seconds = i64::try_from(seconds).ok().filter(|&s| s != 0)?;
        // Some makers count from 1970. No film is older than that.
        Some(if seconds >= EPOCH { seconds - EPOCH } else { seconds })
    };
    let made = times.0.and_then(since_1970);
    let to = if whole { &mut said.film } else { &mut said.track };
    *to = to.or(made);
    if whole {
        said.film_modified = said.film_modified.or(times.1.and_then(since_1970));
    }
}

/// Reads the header of a film that is packed with zlib, as QuickTime could.
fn compressed_movie(content: &Input<'_>, file: &Input<'_>, depth: u32, said: &mut Said) {
    boxes(content, &mut |kind, content| {
        if &kind == b"cmvd" {
            let unpacked = png::inflated(&content.from(4).all());
            level(&content.memory(&unpacked), file, depth + 1, said);
        }
        true
    });
}

/// Reads user data, where every maker has boxes of its own.
fn user_data(content: &Input<'_>, file: &Input<'_>, depth: u32, said: &mut Said) {
    boxes(content, &mut |kind, content| {
        match &kind {
            b"meta" => meta(&content, file, said),
            b"XMP_" => xml(&content, said),
            b"uuid" => uuid(&content, file, depth, said),
            // A length, a language and text.
            [0xa9, rest @ ..] => {
                let length = content.u16_be(0).unwrap_or(0);
                text(*rest, &content.bytes(4, length.into()), said);
            }
            [b'@', rest @ ..] => text(*rest, &content.bytes(0, 256), said),
            b"date" => said.text(Origin::FilmText, &String::from_utf8_lossy(&after_header(&content))),
            b"manu" => said.make(&after_header(&content)),
            b"modl" => said.model(&after_header(&content)),
            // Canon's thumbnail, which has EXIF.
            b"CNTH" => boxes(&content, &mut |_, content| {
                jpeg::read(&content, said);
                true
            }),
            b"thmb" => jpeg::read(&content.from(if content.starts_with(&[0xff, 0xd8]) { 0 } else { 4 }), said),
            b"NCDT" => said.brand = "NIKON",
            b"FIRM" | b"CAME" | b"GPMF" => said.brand = "GoPro",
            b"CNCV" | b"CNFV" => said.brand = "Canon",
            b"MVTG" | b"FFMV" => said.brand = "FUJIFILM",
            // Tags of Nikon, Olympus, Pentax, Sanyo, Kodak and others begin with the maker's name.
            b"TAGS" => said.make(&content.bytes(0, 24)),
            _ => {}
        }
        true
    });
}

/// Returns a text of 3GPP: version and flags, a language, and the text.
fn after_header(content: &Input<'_>) -> Vec<u8> {
    let bytes = content.bytes(0, 256);
    let start = if bytes.starts_with(&[0, 0, 0, 0]) { 6 } else { 0 };
    bytes.get(start..).unwrap_or_default().to_vec()
}

fn text(key: [u8; 3], value: &[u8], said: &mut Said) {
    match &key {
        b"day" => said.text(Origin::FilmText, &String::from_utf8_lossy(value)),
        b"mak" => said.make(value),
        b"mod" => said.model(value),
        _ => {}
    }
}

/// Reads the boxes that have an identifier instead of a type.
fn uuid(content: &Input<'_>, file: &Input<'_>, depth: u32, said: &mut Said) {
    const CANON: [u8; 16] =
        [0x85, 0xc0, 0xb6, 0x87, 0x82, 0x0f, 0x11, 0xe0, 0x81, 0x11, 0xf4, 0xce, 0x46, 0x2b, 0x6a, 0x48];
    const XMP: [u8; 16] =
        [0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac];
    let inside = content.from(16);
    match content.array::<16>(0) {
        Some(XMP) => xmp::read(&inside, said),
        Some(CANON) => boxes(&inside, &mut |kind, content| {
            match &kind {
                // The main directory, that of EXIF, and that of places, each as a TIFF of its own.
                b"CMT1" | b"CMT2" => tiff::read(&content, said),
                b"CNTH" => level(&content, file, depth + 1, said),
                _ => {}
            }
            true
        }),
        Some(id) if &id == b"JpgTiffExif->JP2" => tiff::read(&inside, said),
        _ => {}
    }
}

fn xml(content: &Input<'_>, said: &mut Said) {
    let start = content.bytes(0, 4096);
    let text = String::from_utf8_lossy(&start);
    if text.contains("NonRealTimeMeta") {
        streams::sony(&String::from_utf8_lossy(&content.all()), said);
    } else {
        // In an ISO file, four bytes of version and flags come first.
        xmp::read(&content.from(if start.starts_with(&[0, 0, 0, 0]) { 4 } else { 0 }), said);
    }
}

/// Reads a box of JPEG XL that is packed with Brotli.
fn brotli(content: &Input<'_>, said: &mut Said) {
    let Some(kind) = content.array::<4>(0).filter(|k| k == b"Exif" || k == b"xml ") else { return };
    let packed = content.from(4).all();
    let mut unpacked = Vec::new();
    // What came before an error counts.
    let _ = brotli_decompressor::Decompressor::new(&packed[..], 4096).take(MOST_HELD as u64).read_to_end(&mut unpacked);
    let unpacked = content.memory(&unpacked);
    if &kind == b"Exif" { item(&unpacked, said) } else { xmp::read(&unpacked, said) }
}

/// Reads an item of EXIF: the position of the TIFF after these four bytes, and the TIFF.
fn item(content: &Input<'_>, said: &mut Said) {
    let offset = content.u32_be(0).map_or(4, |n| u64::from(n) + 4);
    let is_tiff = |at: u64| content.array(at).is_some_and(tiff::is_header);
    // Some programs state a wrong position, or none.
    if let Some(at) = std::iter::once(offset).chain(0..=16).find(|&at| is_tiff(at)) {
        tiff::read(&content.from(at), said);
    }
}

/// What a `meta` box says about its items.
#[derive(Default)]
struct Items {
    /// The numbers of the items that hold EXIF, and of those that hold XMP.
    exif: Vec<u32>,
    xmp: Vec<u32>,
    places: Vec<ItemPlace>,
}

/// Where an item is.
struct ItemPlace {
    number: u32,
    /// Whether it is in `idat`, not in the file.
    in_data: bool,
    /// The positions and lengths of the ranges that it consists of.
    ranges: Vec<(u64, u64)>,
}

/// Maximum number of items that are remembered.
const MOST_PLACES: usize = 1 << 14;

/// Reads a `meta` box, of QuickTime (no version and flags) or of ISO.
fn meta(content: &Input<'_>, file: &Input<'_>, said: &mut Said) {
    let content = if content.bytes(4, 4) == b"hdlr" { *content } else { content.from(4) };
    let mut items = Items::default();
    let (mut keys, mut list, mut data) = (Vec::new(), None, None);
    boxes(&content, &mut |kind, content| {
        match &kind {
            b"keys" => keys = key_names(&content),
            b"ilst" => list = Some(content),
            b"idat" => data = Some(content),
            b"iinf" => infos(&content, &mut items),
            b"iloc" => places(&content, &mut items),
            b"xml " | b"XMP_" => xml(&content, said),
            _ => {}
        }
        true
    });
    if let Some(list) = list {
        boxes(&list, &mut |kind, content| {
            let value = || content.u32_be(0).filter(|&l| l >= 16).map(|l| content.bytes(16, u64::from(l) - 16));
            let index = u32::from_be_bytes(kind) as usize;
            match (keys.get(index.wrapping_sub(1)), kind) {
                (Some(name), _) => key(name, &value().unwrap_or_default(), said),
                (None, [0xa9, rest @ ..]) => text(rest, &value().unwrap_or_default(), said),
                _ => {}
            }
            true
        });
    }
    for ItemPlace { number, in_data, ranges } in &items.places {
        let (is_exif, is_xmp) = (items.exif.contains(number), items.xmp.contains(number));
        let Some(from) = (if *in_data { data.as_ref() } else { Some(file) }) else { continue };
        if is_exif || is_xmp {
            let mut bytes = Vec::new();
            for (at, length) in ranges {
                bytes.extend(from.bytes(*at, (*length).min((MOST_HELD - bytes.len().min(MOST_HELD)) as u64)));
            }
            let bytes = file.memory(&bytes);
            if is_exif { item(&bytes, said) } else { xmp::read(&bytes, said) }
        }
    }
}

/// Returns the names of Apple's metadata keys, whose values are numbered from 1.
fn key_names(content: &Input<'_>) -> Vec<Vec<u8>> {
    let mut names = Vec::new();
    boxes(&content.from(8), &mut |_, name| {
        names.push(name.bytes(0, 128));
        names.len() < 1024
    });
    names
}

fn key(name: &[u8], value: &[u8], said: &mut Said) {
    match name {
        b"com.apple.quicktime.creationdate" | b"creationdate" => {
            said.text(Origin::FilmText, &String::from_utf8_lossy(value));
        }
        b"com.apple.quicktime.make" | b"com.android.manufacturer" | b"make" => said.make(value),
        b"com.apple.quicktime.model" | b"com.android.model" | b"model" => said.model(value),
        b"com.apple.quicktime.content.identifier" => said.content_id(value),
        _ => {}
    }
}

/// Notes which items hold EXIF or XMP.
fn infos(content: &Input<'_>, items: &mut Items) {
    let start = if content.array(0) == Some([0]) { 6 } else { 8 };
    boxes(&content.from(start), &mut |kind, info| {
        let version = info.array(0).map_or(0, |[v]| v);
        if &kind == b"infe" && version >= 2 {
            let (number, after) = if version == 2 { (info.u16_be(4).map(u32::from), 8) } else { (info.u32_be(4), 10) };
            let rest = info.bytes(after, 128);
            match (number, rest.get(..4)) {
                (Some(n), Some(b"Exif")) => items.exif.push(n),
                (Some(n), Some(b"mime")) if rest.windows(19).any(|w| w == b"application/rdf+xml") => items.xmp.push(n),
                _ => {}
            }
        }
        items.exif.len() + items.xmp.len() < 256
    });
}

/// Notes where the items are.
fn places(content: &Input<'_>, items: &mut Items) {
    let Some([version, _, _, _, sizes, more]) = content.array(0) else { return };
    let width = |nibble: u8| u64::from(nibble & 15);
    let (of_offset, of_length, of_base, of_index) =
        (width(sizes >> 4), width(sizes), width(more >> 4), if version > 0 { width(more) } else { 0 });
    let mut at = 6;
    let mut number = |width: u64| {
        let bytes = content.bytes(at, width);
        at += width;
        (bytes.len() as u64 == width).then(|| bytes.iter().fold(0u64, |n, &b| n << 8 | u64::from(b)))
    };
    let of_number = if version < 2 { 2 } else { 4 };
    let Some(count) = number(of_number) else { return };
    for _ in 0..count {
        if !content.count() || items.places.len() >= MOST_PLACES {
            return;
        }
        let Some(id) = number(of_number) else { return };
        let method = if version > 0 { number(2) } else { Some(0) };
        let (Some(method), Some(_), Some(base), Some(extents)) = (method, number(2), number(of_base), number(2)) else {
            return;
        };
        let mut ranges = Vec::new();
        for _ in 0..extents {
            let (Some(_), Some(offset), Some(length)) = (number(of_index), number(of_offset), number(of_length)) else {
                return;
            };
            // Items of pictures have thousands of ranges at most, and metadata one.
            if ranges.len() < 16 {
                ranges.push((base.saturating_add(offset), length));
            }
            if !content.count() {
                return;
            }
        }
        // A length of zero is the rest of the file.
        ranges.iter_mut().filter(|(_, length)| *length == 0).for_each(|(_, length)| *length = u64::MAX);
        let number = u32::try_from(id).unwrap_or(u32::MAX);
        items.places.push(ItemPlace { number, in_data: method & 15 == 1, ranges });
    }
}
