//! When a picture or film was taken: from its metadata, otherwise from its name, otherwise from the file system.

use crate::api::taken::{Origin, Taken};
use crate::fs::meta::{Meta, Moment};
use crate::sources::gather::{Found, Kind};
use chrono::{DateTime, Datelike, FixedOffset, Local, NaiveDate, NaiveDateTime, Timelike};
use nom_exif::{EntryValue, Exif, ExifDateTime, ExifTag, MediaKind, MediaParser, MediaSource, TrackInfoTag};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::RangeInclusive;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Maximum length in bytes of a camera's make or model, since these become names of folders.
const LONGEST_NAME: usize = 100;

/// Maximum number of bytes read from a file to find its date. Metadata are much shorter, and the data of pictures and
/// films are skipped.
const MOST_READ: u64 = 16 << 20;

/// Memory set aside for each reader: for what it has read, as its buffer grows, and for what is parsed from that.
const MOST_HELD: u64 = 64 << 20;

/// If more than this was read from a file, the parser and its buffer are replaced before the next one.
const KEPT: u64 = 1 << 20;

/// Reads metadata. Its buffer is reused for the next file.
pub(crate) struct Reader(MediaParser);

/// What the metadata of a file say.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Inside {
    pub(crate) date: Option<(NaiveDateTime, Option<FixedOffset>, Origin)>,
    pub(crate) make: String,
    pub(crate) model: String,
    /// What Apple's picture and film of one live photo have in common; empty if there is none.
    pub(crate) content_id: String,
    /// The metadata are too large to be read. The other fields are then empty.
    pub(crate) beyond: bool,
}

/// Returns the warning for a file whose metadata are too large, and whose date is from `origin` instead.
pub(crate) fn beyond_cause(origin: Origin) -> String {
    let most = MOST_READ >> 20;
    format!(
        "its metadata are too large to be read (more than {most} MiB, or {MOST_BOXES} boxes); \
            its date is from elsewhere: {}",
        origin.words()
    )
}

/// A file from which only a limited number of bytes is read. Lengths stated in a file cannot make the parser allocate
/// that much memory, since its buffers grow with what is read.
struct Bounded<'a> {
    file: &'a File,
    left: u64,
    beyond: bool,
}

impl Read for &mut Bounded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let mut file = self.file;
        if most == 0 && !buffer.is_empty() {
            self.beyond = true;
            return Err(io::Error::other("too much"));
        }
        let n = file.read(&mut buffer[..most])?;
        self.left -= n as u64;
        Ok(n)
    }
}

impl Seek for &mut Bounded<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let mut file = self.file;
        file.seek(to)
    }
}

impl Reader {
    pub(crate) fn new() -> Self {
        Reader(MediaParser::new())
    }

    /// Returns what the metadata of a picture or film say: nothing if the file is damaged or neither of the two.
    pub(crate) fn read(&mut self, file: &File) -> Inside {
        if is_crowded(file) {
            return Inside { beyond: true, ..Inside::default() };
        }
        let mut bounded = Bounded { file, left: MOST_READ, beyond: false };
        // A file that makes the parser panic is one that it does not understand.
        let said = catch_unwind(AssertUnwindSafe(|| self.parse(&mut bounded)));
        if said.is_err() || MOST_READ - bounded.left > KEPT {
            self.0 = MediaParser::new();
        }
        if bounded.beyond {
            return Inside { beyond: true, ..Inside::default() };
        }
        said.unwrap_or_default()
    }

    fn parse(&mut self, file: &mut Bounded<'_>) -> Inside {
        let Ok(source) = MediaSource::seekable(file) else { return Inside::default() };
        match source.kind() {
            MediaKind::Image => {
                self.0.parse_exif(source).map_or_else(|_| Inside::default(), |entries| picture(&entries.into()))
            }
            MediaKind::Track => {
                let Ok(info) = self.0.parse_track(source) else { return Inside::default() };
                let text = |tag| info.get(tag).and_then(EntryValue::as_str).unwrap_or_default().trim().to_string();
                let date = info.get(TrackInfoTag::CreateDate).and_then(EntryValue::as_datetime).and_then(film);
                let (make, model) = (shortened(text(TrackInfoTag::Make)), shortened(text(TrackInfoTag::Model)));
                Inside { date, make, model, ..Inside::default() }
            }
        }
    }
}

/// Maximum number of boxes in the index of a film or a HEIC. The parser keeps about 150 bytes for each of them; real
/// files have hundreds.
const MOST_BOXES: u32 = 1 << 14;

/// Whether a file of the MP4 family has more than [`MOST_BOXES`] boxes in its index, or far too many outside it.
fn is_crowded(file: &File) -> bool {
    let Ok(size) = file.metadata().map(|m| m.len()) else { return false };
    let mut left = MOST_BOXES;
    let known = |kind: [u8; 4]| [b"ftyp", b"moov", b"mdat", b"wide", b"skip", b"free", b"pnot"].contains(&&kind);
    header(file, 0).is_some_and(|(kind, ..)| known(kind)) && count_boxes(file, 0, size, 0, &mut left).is_none()
}

/// Returns the type of a box, the length of its header and its total length (0: to the end).
fn header(file: &File, at: u64) -> Option<([u8; 4], u64, u64)> {
    let mut bytes = [0; 16];
    let n = file.read_at(&mut bytes, at).ok()?;
    let number = |range: std::ops::Range<usize>| bytes[range].iter().fold(0u64, |n, &b| n << 8 | u64::from(b));
    let kind = [bytes[4], bytes[5], bytes[6], bytes[7]];
    match number(0..4) {
        _ if n < 8 => None,
        1 if n == 16 => Some((kind, 16, number(8..16))),
        length => Some((kind, 8, length)),
    }
}

/// Counts down from `left` the boxes between `at` and `end`, including nested ones. Returns `None` if there are more.
fn count_boxes(file: &File, mut at: u64, end: u64, depth: u32, left: &mut u32) -> Option<()> {
    // A long film may have many boxes outside the index. They are not kept, so their limit is higher.
    let mut outside: u32 = 1 << 17;
    while at < end {
        let count = if depth == 0 { &mut outside } else { &mut *left };
        *count = count.checked_sub(1)?;
        let Some((kind, head, length)) = header(file, at) else { break };
        let length = if length == 0 { end - at } else { length };
        if length < head || depth > 8 {
            break;
        }
        let within = match &kind {
            b"moov" | b"udta" | b"trak" | b"mdia" | b"minf" | b"ilst" | b"iprp" | b"ipco" => Some(0),
            b"meta" => Some(4),
            // Version and flags, and the number of entries.
            b"iinf" => Some(if version(file, at + head) > 0 { 8 } else { 6 }),
            _ => None,
        };
        let after = at.saturating_add(length).min(end);
        if let Some(more) = within {
            count_boxes(file, at + head + more, after, depth + 1, left)?;
        }
        at = after;
    }
    Some(())
}

fn version(file: &File, at: u64) -> u8 {
    let mut byte = [0];
    file.read_at(&mut byte, at).map_or(0, |_| byte[0])
}

fn picture(exif: &Exif) -> Inside {
    let text = |tag| exif.get(tag).and_then(EntryValue::as_str).unwrap_or_default();
    let date = |tag, fraction, origin| {
        let value = exif.get(tag)?.as_datetime()?;
        let at = sensible(value.into_naive())?;
        let digits: String = text(fraction).trim().chars().take_while(char::is_ascii_digit).take(9).collect();
        // Cameras write fractions with any number of digits.
        let nanoseconds = format!("{digits:0<9}").parse().unwrap_or(0);
        let offset = value.aware().map(|d| *d.offset());
        Some((at.with_nanosecond(nanoseconds).unwrap_or(at), offset, origin))
    };
    let date = date(ExifTag::DateTimeOriginal, ExifTag::SubSecTimeOriginal, Origin::ExifOriginal)
        .or_else(|| date(ExifTag::CreateDate, ExifTag::SubSecTimeDigitized, Origin::ExifCreate));
    let trimmed = |tag| text(tag).trim_matches(['\0', ' ']).to_string();
    let (make, model) = (shortened(trimmed(ExifTag::Make)), shortened(trimmed(ExifTag::Model)));
    Inside { date, make, model, ..Inside::default() }
}

fn shortened(mut name: String) -> String {
    let end = (0..=LONGEST_NAME.min(name.len())).rev().find(|&i| name.is_char_boundary(i)).unwrap_or(0);
    name.truncate(end);
    name
}

/// Returns what the metadata of each file of each group say, reading with up to `threads` threads, as many as fit into
/// `memory`, but at least one. The result does not depend on their number.
pub(crate) fn all(
    groups: &[Vec<Found>],
    threads: usize,
    memory: u64,
    open: impl Fn(&Found) -> io::Result<File> + Sync,
) -> Vec<Vec<Inside>> {
    let found: Vec<Mutex<Vec<Inside>>> = groups.iter().map(|_| Mutex::default()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut reader = Reader::new();
        while let (i, Some(group)) = {
            let i = next.fetch_add(1, Relaxed);
            (i, groups.get(i))
        } {
            let read = |f: &Found| match (f.kind < Kind::Sidecar).then(|| open(f)) {
                Some(Ok(file)) => reader.read(&file),
                _ => Inside::default(),
            };
            let insides = group.iter().map(read).collect();
            *found[i].lock().unwrap_or_else(PoisonError::into_inner) = insides;
        }
    };
    let fitting = usize::try_from(memory / MOST_HELD).unwrap_or(usize::MAX);
    let workers = threads.min(fitting).min(groups.len().div_ceil(16));
    std::thread::scope(|s| {
        for _ in 1..workers {
            // With fewer threads, it only takes longer.
            if std::thread::Builder::new().spawn_scoped(s, work).is_err() {
                break;
            }
        }
        work();
    });
    found.into_iter().map(|f| f.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Returns the date of a film. QuickTime and MP4 store it in UTC without a place, so it is converted to this computer's
/// time zone; Apple's own key has an offset.
fn film(at: ExifDateTime) -> Option<(NaiveDateTime, Option<FixedOffset>, Origin)> {
    let at: DateTime<FixedOffset> = match at {
        ExifDateTime::Aware(at) if at.offset().local_minus_utc() == 0 => at.with_timezone(&Local).fixed_offset(),
        ExifDateTime::Aware(at) => at,
        ExifDateTime::Naive(local) => return sensible(local).map(|at| (at, None, Origin::Film)),
    };
    sensible(at.naive_local()).map(|local| (local, Some(*at.offset()), Origin::Film))
}

/// Whether this computer's clock can be right: it is not before the year in which this was written.
pub(crate) fn clock_is_set() -> bool {
    Local::now().year() >= 2026
}

/// Rejects the dates of cameras whose clock was never set, those of films that have none (1904), and those in the
/// future.
fn sensible(at: NaiveDateTime) -> Option<NaiveDateTime> {
    // A computer that starts without a clock battery believes that it is 1970, so nothing is known of the future.
    let tomorrow =
        if clock_is_set() { Local::now().naive_local() + chrono::Duration::days(1) } else { NaiveDateTime::MAX };
    // Photographs may be older, but not the digital cameras and scanners that write EXIF.
    (at.year() >= 1980 && at <= tomorrow && at != NaiveDate::from_ymd_opt(1980, 1, 1)?.and_hms_opt(0, 0, 0)?)
        .then_some(at)
}

/// Finds a date in a name: eight digits (`IMG-20240531-WA0001`) or separated numbers (`2024-05-31`), followed by the
/// six digits of a time, if there is one (`20240531_142507`, `2024-05-31 14.25.07`).
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
        // A longer run of digits is not a date, unless the time follows directly.
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

/// The years that folders can be made from.
const YEARS: RangeInclusive<i32> = 1..=9999;

/// Returns the local time of a moment, if its year is one of [`YEARS`].
fn in_calendar(moment: Moment) -> Option<DateTime<Local>> {
    let at = DateTime::from_timestamp(moment.seconds, moment.nanoseconds).filter(|at| YEARS.contains(&at.year()))?;
    Some(at.with_timezone(&Local)).filter(|at| YEARS.contains(&at.year()))
}

/// Returns the date of a file: from its metadata `inside`, otherwise from its name, otherwise from the file system,
/// unless the time of its last modification is impossible.
pub(crate) fn taken(inside: Inside, name: &OsStr, meta: &Meta) -> Taken {
    let from_clock = |at: DateTime<Local>, origin| (at.naive_local(), Some(*at.fixed_offset().offset()), origin);
    let from_file = || {
        let changed = in_calendar(meta.modified)?;
        // A copy's birth is when it was copied, so a birth after the last modification does not say when the picture
        // was taken.
        let born = meta.born.and_then(in_calendar).filter(|&b| b <= changed && sensible(b.naive_local()).is_some());
        Some(born.map_or_else(|| from_clock(changed, Origin::Modified), |born| from_clock(born, Origin::Birth)))
    };
    let Inside { date, make, model, .. } = inside;
    let date = date.filter(|(at, ..)| YEARS.contains(&at.year()));
    let date = date.or_else(|| in_name(name).map(|at| (at, None, Origin::Name))).or_else(from_file);
    let (local, offset, origin) = match date {
        Some((local, offset, origin)) => (Some(local), offset, origin),
        None => (None, None, Origin::Unknown),
    };
    Taken { local, offset, origin, make, model }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cameras_are_cut() {
        assert_eq!(shortened("Canon EOS R5".into()), "Canon EOS R5");
        assert_eq!(shortened("x".repeat(60_000)), "x".repeat(100));
        assert_eq!(shortened(format!("x{}", "\u{e9}".repeat(100))), format!("x{}", "\u{e9}".repeat(49)));
    }

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
