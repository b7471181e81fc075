//! Films in other containers than MP4 and AVI: Matroska and WebM (RFC 9559), AVCHD (MPEG-2 transport streams with
//! metadata in H.264's SEI), WMV (ASF).

use super::input::Input;
use super::said::Said;
use super::text::Moment;
use crate::model::taken::Origin;
use chrono::{FixedOffset, NaiveDate};

/// Seconds from 1970 to 2001, Matroska's epoch.
const MATROSKA_EPOCH: i64 = 978_307_200;

/// Seconds from 1601, Windows's epoch, to 1970.
const WINDOWS_EPOCH: i64 = 11_644_473_600;

/// Reads a Matroska film.
pub(super) fn matroska(input: &Input<'_>, said: &mut Said) {
    elements(input, &mut |id, content| {
        match id {
            // The segment, its information and the tags contain the others.
            0x1853_8067 | 0x1549_a966 | 0x1254_c367 | 0x7373 => matroska(content, said),
            0x4461 => {
                let nanoseconds = content.u64_be(0).map(u64::cast_signed);
                said.film = said.film.or(nanoseconds.map(|n| MATROSKA_EPOCH + n.div_euclid(1_000_000_000)));
            }
            0x67c8 => tag(content, said),
            _ => {}
        }
    });
}

fn tag(input: &Input<'_>, said: &mut Said) {
    let (mut name, mut value) = (Vec::new(), Vec::new());
    elements(input, &mut |id, content| match id {
        0x45a3 => name = content.bytes(0, 64).to_ascii_uppercase(),
        0x4487 => value = content.bytes(0, 64),
        _ => {}
    });
    let text = String::from_utf8_lossy(&value);
    match &name[..] {
        b"DATE_RECORDED" | b"CREATION_TIME" | b"COM.APPLE.QUICKTIME.CREATIONDATE" => said.text(Origin::FilmText, &text),
        b"DATE_DIGITIZED" | b"DATE" => said.text(Origin::FilmText, &text),
        b"MAKE" | b"COM.APPLE.QUICKTIME.MAKE" => said.make(&value),
        b"MODEL" | b"COM.APPLE.QUICKTIME.MODEL" => said.model(&value),
        _ => {}
    }
}

/// Passes every element of a list to `each`.
fn elements(input: &Input<'_>, each: &mut dyn FnMut(u32, &Input<'_>)) {
    let mut at = 0;
    while at < input.len() && input.count() {
        let Some([first]) = input.array(at) else { return };
        let width = u64::from(first.leading_zeros()) + 1;
        if width > 4 {
            return;
        }
        let id = input.bytes(at, width).iter().fold(0u32, |n, &b| n << 8 | u32::from(b));
        at += width;
        let Some([first]) = input.array(at) else { return };
        let width = u64::from(first.leading_zeros()) + 1;
        if width > 8 {
            return;
        }
        let bytes = input.bytes(at, width);
        let marker = 1u64 << (7 * width);
        let length = bytes.iter().fold(0u64, |n, &b| n << 8 | u64::from(b)) & (marker - 1);
        at += width;
        // All ones: the length was unknown when the film was written, so the element extends to the end.
        let content = if length == marker - 1 { input.from(at) } else { input.part(at, length) };
        each(id, &content);
        at += content.len();
    }
}

/// Reads a WMV film.
pub(super) fn asf(input: &Input<'_>, said: &mut Said) {
    const PROPERTIES: [u8; 16] =
        [0xa1, 0xdc, 0xab, 0x8c, 0x47, 0xa9, 0xcf, 0x11, 0x8e, 0xe4, 0, 0xc0, 0x0c, 0x20, 0x53, 0x65];
    let mut at = 30;
    while input.count() {
        let (Some(id), Some(length)) = (input.array::<16>(at), input.array(at + 16).map(u64::from_le_bytes)) else {
            return;
        };
        if id == PROPERTIES {
            let ticks = input.array(at + 48).map(u64::from_le_bytes).filter(|&t| t != 0);
            said.film = ticks.map(|t| (t / 10_000_000).cast_signed() - WINDOWS_EPOCH);
            return;
        }
        at = input.past(at, length.max(24));
    }
}

/// Bytes of a transport stream in which metadata are looked for. They are in the first picture.
const STREAM: u64 = 4 << 20;

/// What the metadata of AVCHD begin with: the identifier of unregistered user data, and the name of the format.
const AVCHD: &[u8] = b"\x17\xee\x8c\x60\xf8\x4d\x11\xd9\x8c\xd6\x08\x00\x20\x0c\x9a\x66MDPM";

/// Whether a file is a transport stream, by its first bytes: packets of 188 bytes, perhaps with a time before each.
pub(super) fn is_transport(input: &Input<'_>) -> bool {
    packets(input).is_some()
}

/// Returns where in a packet the synchronizing byte is, and the length of a packet.
fn packets(input: &Input<'_>) -> Option<(usize, usize)> {
    let start = input.bytes(0, 1000);
    [(0, 188), (4, 192)].into_iter().find(|(at, length)| (0..4).all(|i| start.get(at + i * length) == Some(&0x47)))
}

/// Reads an AVCHD film.
pub(super) fn transport(input: &Input<'_>, said: &mut Said) {
    let Some((sync, length)) = packets(input) else { return };
    let bytes = input.bytes(0, STREAM);
    // The streams are put together by their numbers. That of the pictures is the one with the metadata.
    let mut streams: Vec<(u16, Vec<u8>)> = Vec::new();
    for packet in bytes.chunks_exact(length) {
        let packet = &packet[sync..sync + 188];
        if packet[0] != 0x47 {
            break;
        }
        let number = u16::from_be_bytes([packet[1], packet[2]]) & 0x1fff;
        let payload = match packet[3] >> 4 & 3 {
            1 => 4,
            3 => 5 + usize::from(packet[4]),
            _ => continue,
        };
        let payload = packet.get(payload..).unwrap_or_default();
        match streams.iter().position(|(n, _)| *n == number) {
            Some(i) => streams[i].1.extend_from_slice(payload),
            None if streams.len() < 32 => streams.push((number, payload.to_vec())),
            None => {}
        }
    }
    for (_, stream) in streams {
        // H.264 has a 3 after two zeros that are data.
        let mut data = Vec::with_capacity(stream.len());
        for &b in &stream {
            if !(b == 3 && data.ends_with(&[0, 0])) {
                data.push(b);
            }
        }
        if let Some(at) = data.windows(AVCHD.len()).position(|w| w == AVCHD) {
            return avchd(&data[at + AVCHD.len()..], said);
        }
    }
}

/// Reads the metadata of AVCHD: a number of entries, each of them a tag and four bytes.
fn avchd(data: &[u8], said: &mut Said) {
    let Some((&count, entries)) = data.split_first() else { return };
    let (mut day, mut clock) = (None, None);
    for e in entries.chunks_exact(5).take(count.into()) {
        match e[0] {
            0x18 => day = day.or(e[1..].first_chunk::<4>().copied()),
            0x19 => clock = clock.or(e[1..].first_chunk::<4>().copied()),
            0xe0 => {
                let make = match [e[1], e[2]] {
                    [1, 3] => "Panasonic",
                    [1, 8] => "Sony",
                    [0x10, 0x11] => "Canon",
                    [0x11, 4] => "JVC",
                    _ => "",
                };
                said.make(make.as_bytes());
            }
            _ => {}
        }
    }
    // Two decimal digits in each byte. The first byte is the zone.
    let number = |b: u8| u32::from(b >> 4) * 10 + u32::from(b & 15);
    if let (Some([zone, century, year, month]), Some([day, hour, minute, second])) = (day, clock) {
        let year = (number(century) * 100 + number(year)).cast_signed();
        let local = NaiveDate::from_ymd_opt(year, number(month), number(day))
            .and_then(|d| d.and_hms_opt(number(hour), number(minute), number(second)));
        let seconds = i32::from(zone >> 1 & 15) * 3600 + i32::from(zone & 1) * 1800;
        let offset = FixedOffset::east_opt(if zone & 0x20 == 0 { seconds } else { -seconds });
        // Cameras that do not know their zone leave it zero or all ones.
        let offset = offset.filter(|o| zone & 0x80 == 0 && o.local_minus_utc() != 0);
        said.date(Origin::FilmText, local.map(|local| Moment { local, offset }));
    }
}

/// Reads a sidecar of Sony's films: `<CreationDate value="2021-05-03T12:34:56+09:00"/>`.
pub(super) fn sony(text: &str, said: &mut Said) {
    let value = |element: &str, attribute: &str| {
        let rest = &text[text.find(&format!("<{element} "))?..];
        let rest = &rest[..rest.find('>')?];
        let rest = &rest[rest.find(&format!("{attribute}=\""))? + attribute.len() + 2..];
        rest.split('"').next()
    };
    if let Some(date) = value("CreationDate", "value") {
        said.text(Origin::FilmText, date);
    }
    if let Some(make) = value("Device", "manufacturer") {
        said.make(make.as_bytes());
    }
    if let Some(model) = value("Device", "modelName") {
        said.model(model.as_bytes());
    }
}
