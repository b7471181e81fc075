//! Dates in the names of files.

use super::text::Moment;
use super::{Date, sensible};
use crate::model::taken::Origin;
use chrono::{NaiveDate, NaiveDateTime};
use std::ffi::OsStr;

/// Finds a date in a name. It has no offset from UTC, unless the name is known to be in UTC, as those of Pixel phones
/// are (`PXL_20240101_012612027.jpg`).
pub(crate) fn in_name(name: &OsStr) -> Option<Date> {
    let name = without_identifiers(&name.to_string_lossy());
    let (at, position) = date(&name)?;
    if is_pixel(&name[..position]) {
        let Moment { local, offset } = Moment::from_utc(at);
        return Some((local, offset, Origin::Name));
    }
    Some((at, None, Origin::Name))
}

/// Whether what precedes a date ends with the prefix of Pixel phones.
fn is_pixel(before: &str) -> bool {
    before.strip_suffix("PXL_").is_some_and(|rest| !rest.ends_with(|c: char| c.is_ascii_alphanumeric()))
}

/// Replaces UUIDs and long hexadecimal numbers by dashes: eight digits in one of them are no date.
fn without_identifiers(name: &str) -> String {
    let mut bytes = name.as_bytes().to_vec();
    let is_hex = |b: &u8| b.is_ascii_hexdigit();
    for i in 0..bytes.len() {
        let starts = i == 0 || !bytes[i - 1].is_ascii_hexdigit();
        let uuid = bytes.get(i..i + 36).is_some_and(|w| {
            w.iter().enumerate().all(|(i, b)| if matches!(i, 8 | 13 | 18 | 23) { *b == b'-' } else { is_hex(b) })
        });
        let run = bytes[i..].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        let word = &bytes[i..i + run];
        let first_digit = word.iter().position(u8::is_ascii_digit).unwrap_or(0);
        // A prefix of letters such as `DCF` is not part of a number.
        let number = run >= 16 && word.iter().all(is_hex) && word[first_digit..].iter().any(u8::is_ascii_alphabetic);
        let length = if uuid {
            36
        } else if number {
            run
        } else {
            0
        };
        if starts && length > 0 {
            bytes[i..i + length].fill(b'-');
        }
    }
    // Only ASCII was replaced, by ASCII.
    String::from_utf8(bytes).unwrap_or_default()
}

/// Finds a date in a name: eight digits (`IMG-20240531-WA0001`) or separated numbers (`2024-05-31`), followed by the
/// six digits of a time, if there is one (`20240531_142507`, `2024-05-31 14.25.07`). Also returns where it begins.
fn date(name: &str) -> Option<(NaiveDateTime, usize)> {
    let bytes = name.as_bytes();
    let digits = |from: usize, n: usize| -> Option<u32> {
        let run = bytes.get(from..from + n)?;
        run.iter().all(u8::is_ascii_digit).then(|| run.iter().fold(0, |v, d| v * 10 + u32::from(d - b'0')))
    };
    let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    for i in 0..bytes.len() {
        if !digit(i) || i > 0 && digit(i - 1) {
            continue;
        }
        let separated = |sep: u8| bytes.get(i + 4) == Some(&sep) && bytes.get(i + 7) == Some(&sep);
        let (month, day, end) = if separated(b'-') || separated(b'_') || separated(b'.') {
            (digits(i + 5, 2), digits(i + 8, 2), i + 10)
        } else {
            (digits(i + 4, 2), digits(i + 6, 2), i + 8)
        };
        let (Some(year), Some(month), Some(day)) = (digits(i, 4), month, day) else { continue };
        let Some(date) = NaiveDate::from_ymd_opt(year.cast_signed(), month, day) else { continue };
        let time = |from: usize| {
            let step = if digit(from + 2) { 2 } else { 3 };
            let last = from + 2 * step;
            let (h, m, s) = (digits(from, 2)?, digits(from + step, 2)?, digits(last, 2)?);
            date.and_hms_opt(h, m, s)
        };
        // A longer run of digits is not a date, unless the time follows directly.
        let at = match bytes.get(end) {
            Some(b' ') if bytes[end..].starts_with(b" at ") => time(end + 4),
            Some(b'_' | b'-' | b' ' | b'T') => time(end + 1),
            Some(d) if d.is_ascii_digit() => match time(end) {
                Some(at) if !digit(end + 6) => Some(at),
                _ => continue,
            },
            _ => None,
        };
        if let Some(at) = at.or_else(|| date.and_hms_opt(0, 0, 0)).and_then(sensible) {
            return Some((at, i));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_dates() {
        let of = |name: &str| in_name(OsStr::new(name)).map(|(at, ..)| at.to_string());
        for (name, date) in [
            ("20240531_142507.jpg", "2024-05-31 14:25:07"),
            ("IMG_20240531_142507_1.jpg", "2024-05-31 14:25:07"),
            ("IMG-20240531-WA0001.jpg", "2024-05-31 00:00:00"),
            ("WhatsApp Image 2024-05-31 at 14.25.07.jpeg", "2024-05-31 14:25:07"),
            ("DCF20240531142507.jpg", "2024-05-31 14:25:07"),
            ("signal-2024-05-31-142507.jpg", "2024-05-31 14:25:07"),
            ("2024-05-31 14.25.07.png", "2024-05-31 14:25:07"),
            ("Screenshot_2024-05-31-14-25-07.png", "2024-05-31 14:25:07"),
            ("20240531142507.mp4", "2024-05-31 14:25:07"),
            ("VID_20240531_996199.mp4", "2024-05-31 00:00:00"),
        ] {
            assert_eq!(of(name).as_deref(), Some(date), "{name}");
        }
        for name in ["IMG_1234.JPG", "20241331.jpg", "123456789012.jpg", "20230229.jpg", "00000000_000000.jpg", "x", ""]
        {
            assert_eq!(of(name), None, "{name}");
        }
        for name in [
            "20190512-4a3b-4c2d-9e8f-001122334455.jpg",
            "1b4e28ba-2fa1-11d2-883f-20190512aabb.jpg",
            "IMG_5a2b3c4d-1234-4e5f-8899-0a0b20190512.jpg",
            "d41d8cd98f00b204e9800998ecf8427e.jpg",
            "20190512c1d2e3f4.jpg",
        ] {
            assert_eq!(of(name), None, "{name}");
        }
        assert_eq!(of("19000101.jpg"), None);
        assert_eq!(of("29990101.jpg"), None);
    }

    #[test]
    fn names_in_utc() {
        let of = |name: &str| in_name(OsStr::new(name)).map(|(_, offset, _)| offset.is_some());
        assert_eq!(of("PXL_20240101_012612027.jpg"), Some(true));
        assert_eq!(of("original_1b4e_PXL_20240101_012612027.MP.jpg"), Some(true));
        assert_eq!(of("XPXL_20240101_012612027.jpg"), Some(false));
        assert_eq!(of("IMG_20240101_012612027.jpg"), Some(false));
    }
}
