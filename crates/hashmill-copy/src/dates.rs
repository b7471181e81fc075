//! When a picture or film was taken: from its metadata, else from its name, else from the file system.

use chrono::{DateTime, Datelike, FixedOffset, Local, NaiveDate, NaiveDateTime, Timelike};
use nom_exif::{EntryValue, Exif, ExifDateTime, ExifTag, MediaKind, MediaParser, MediaSource, TrackInfoTag};
use serde::Serialize;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::path::Path;
use std::time::SystemTime;

/// Where a date comes from, the most trusted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Origin {
    /// EXIF's DateTimeOriginal.
    ExifOriginal,
    /// EXIF's CreateDate (DateTimeDigitized).
    ExifCreate,
    /// A film's creation date, of QuickTime, MP4 or Matroska.
    Film,
    /// The file's name.
    Name,
    /// When the file was made.
    Birth,
    /// When the file was last changed.
    Modified,
}

impl Origin {
    /// In a few words.
    pub fn words(self) -> &'static str {
        match self {
            Origin::ExifOriginal => "EXIF DateTimeOriginal",
            Origin::ExifCreate => "EXIF CreateDate",
            Origin::Film => "film's creation date",
            Origin::Name => "file name",
            Origin::Birth => "birth of the file",
            Origin::Modified => "modification time",
        }
    }
}

/// When and with what a picture was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// On the clock of the place where it was taken, as far as is known.
    pub local: NaiveDateTime,
    /// How far that clock is before UTC, if the picture says so.
    pub offset: Option<FixedOffset>,
    /// Where this comes from.
    pub origin: Origin,
    /// Who made the camera; empty if unknown.
    pub make: String,
    /// The camera's model; empty if unknown.
    pub model: String,
}

/// Reads metadata. Its buffer is used again for the next file.
pub(crate) struct Reader(MediaParser);

/// What a file says of itself.
#[derive(Debug, Default, Clone)]
pub(crate) struct Inside {
    pub(crate) date: Option<(NaiveDateTime, Option<FixedOffset>, Origin)>,
    pub(crate) make: String,
    pub(crate) model: String,
}

impl Reader {
    pub(crate) fn new() -> Self {
        Reader(MediaParser::new())
    }

    /// What a picture or film says of itself: nothing if it is none, or damaged.
    pub(crate) fn read(&mut self, path: &Path) -> Inside {
        let Ok(source) = MediaSource::open(path) else { return Inside::default() };
        match source.kind() {
            MediaKind::Image => {
                self.0.parse_exif(source).map_or_else(|_| Inside::default(), |entries| picture(&entries.into()))
            }
            MediaKind::Track => {
                let Ok(info) = self.0.parse_track(source) else { return Inside::default() };
                let text = |tag| info.get(tag).and_then(EntryValue::as_str).unwrap_or_default().trim().to_string();
                let date = info.get(TrackInfoTag::CreateDate).and_then(EntryValue::as_datetime).and_then(film);
                Inside { date, make: text(TrackInfoTag::Make), model: text(TrackInfoTag::Model) }
            }
        }
    }
}

fn picture(exif: &Exif) -> Inside {
    let text = |tag| exif.get(tag).and_then(EntryValue::as_str).unwrap_or_default();
    let date = |tag, fraction, origin| {
        let value = exif.get(tag)?.as_datetime()?;
        let at = sensible(value.into_naive())?;
        let digits: String = text(fraction).trim().chars().take_while(char::is_ascii_digit).take(9).collect();
        // The fraction has as many digits as the camera likes.
        let nanoseconds = format!("{digits:0<9}").parse().unwrap_or(0);
        let offset = value.aware().map(|d| *d.offset());
        Some((at.with_nanosecond(nanoseconds).unwrap_or(at), offset, origin))
    };
    let date = date(ExifTag::DateTimeOriginal, ExifTag::SubSecTimeOriginal, Origin::ExifOriginal)
        .or_else(|| date(ExifTag::CreateDate, ExifTag::SubSecTimeDigitized, Origin::ExifCreate));
    let trimmed = |tag| text(tag).trim_matches(['\0', ' ']).to_string();
    Inside { date, make: trimmed(ExifTag::Make), model: trimmed(ExifTag::Model) }
}

/// QuickTime's and MP4's time is UTC and says nothing of the place: then it is that of this computer's zone. Apple's own key has
/// the offset.
fn film(at: ExifDateTime) -> Option<(NaiveDateTime, Option<FixedOffset>, Origin)> {
    let at: DateTime<FixedOffset> = match at {
        ExifDateTime::Aware(at) if at.offset().local_minus_utc() == 0 => at.with_timezone(&Local).fixed_offset(),
        ExifDateTime::Aware(at) => at,
        ExifDateTime::Naive(local) => return sensible(local).map(|at| (at, None, Origin::Film)),
    };
    sensible(at.naive_local()).map(|local| (local, Some(*at.offset()), Origin::Film))
}

/// Not the dates of cameras whose clock was never set, nor those of films that have none (1904), nor of the far future.
fn sensible(at: NaiveDateTime) -> Option<NaiveDateTime> {
    let tomorrow = Local::now().naive_local() + chrono::Duration::days(1);
    // Photographs are older, digital cameras and scanners that write EXIF are not.
    (at.year() >= 1980 && at <= tomorrow && at != NaiveDate::from_ymd_opt(1980, 1, 1)?.and_hms_opt(0, 0, 0)?)
        .then_some(at)
}

/// A date in a name: eight digits that are a date (`IMG-20240531-WA0001`), or `2024-05-31`, and after them six digits that are a time
/// (`20240531_142507`, `2024-05-31 14.25.07`), if there are any.
pub(crate) fn in_name(name: &OsStr) -> Option<NaiveDateTime> {
    let name = name.to_string_lossy();
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
        // A longer run of digits is no date, unless the time follows at once.
        let at = match bytes.get(end) {
            Some(b'_' | b'-' | b' ' | b'T') => time(end + 1),
            Some(d) if d.is_ascii_digit() => match time(end) {
                Some(at) if !digit(end + 6) => Some(at),
                _ => continue,
            },
            _ => None,
        };
        if let Some(at) = at.or_else(|| date.and_hms_opt(0, 0, 0)).and_then(sensible) {
            return Some(at);
        }
    }
    None
}

/// The date of a file whose metadata say `inside`.
pub(crate) fn taken(inside: Inside, name: &OsStr, meta: &Metadata) -> Taken {
    let from_clock = |t: SystemTime, origin| {
        let at: DateTime<Local> = t.into();
        (at.naive_local(), Some(*at.fixed_offset().offset()), origin)
    };
    let Inside { date, make, model } = inside;
    let (local, offset, origin) = date
        .or_else(|| in_name(name).map(|at| (at, None, Origin::Name)))
        .or_else(|| {
            // A copy is born when it is made: only a birth before the last change says when the picture was.
            let (born, changed) = (meta.created().ok()?, meta.modified().ok()?);
            let (local, offset, origin) = from_clock(born, Origin::Birth);
            (born <= changed && sensible(local).is_some()).then_some((local, offset, origin))
        })
        .unwrap_or_else(|| from_clock(meta.modified().unwrap_or(SystemTime::UNIX_EPOCH), Origin::Modified));
    Taken { local, offset, origin, make, model }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_dates() {
        let of = |name: &str| in_name(OsStr::new(name)).map(|d| d.to_string());
        for (name, date) in [
            ("20240531_142507.jpg", "2024-05-31 14:25:07"),
            ("IMG_20240531_142507_1.jpg", "2024-05-31 14:25:07"),
            ("IMG-20240531-WA0001.jpg", "2024-05-31 00:00:00"),
            ("PXL_20240531_142507123.jpg", "2024-05-31 14:25:07"),
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
        assert_eq!(of("19000101.jpg"), None);
        assert_eq!(of("29990101.jpg"), None);
    }
}
