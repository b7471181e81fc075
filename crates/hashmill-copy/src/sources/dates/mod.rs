//! When a picture or film was taken: from its metadata, otherwise from its name, otherwise from the file system.
//!
//! Each format has a file of its own, which reads only what tells a date, a camera or a live photo. They read through
//! `input`, which limits what a hostile file can make them do, and put what they find into `said`. Nothing here holds
//! more of a file than one block of metadata.

mod bmff;
pub(crate) mod exiftool;
mod input;
mod iptc;
mod jpeg;
mod name;
mod png;
mod raw;
mod riff;
mod said;
mod streams;
mod text;
mod tiff;
mod xmp;

use crate::fs::meta::{Meta, Moment};
use crate::model::options::FilmTime;
use crate::model::taken::{Origin, Taken};
use crate::sources::gather::{Found, Kind};
use chrono::{DateTime, Datelike, FixedOffset, Local, NaiveDate, NaiveDateTime};
use exiftool::Exiftool;
use input::{Budget, Input, MOST_ITEMS, MOST_READ};
pub(crate) use name::in_name;
use said::Said;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::ops::RangeInclusive;
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Memory set aside for each reader: a block of metadata, what it unpacks to, and its text.
const MEMORY: u64 = 32 << 20;

/// A date, its offset from UTC if known, and where it comes from.
pub(crate) type Date = (NaiveDateTime, Option<FixedOffset>, Origin);

/// What the metadata of a file say.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Inside {
    /// When it was taken.
    pub(crate) date: Option<Date>,
    /// When it was last changed, which programs set that edit pictures.
    pub(crate) changed: Option<Date>,
    pub(crate) make: String,
    pub(crate) model: String,
    /// What Apple's picture and film of one live photo have in common; empty if there is none.
    pub(crate) content_id: String,
    /// The metadata are too large to be read, and there was no date in what was read.
    pub(crate) beyond: bool,
}

/// Returns the warning for a file whose metadata are too large, and whose date is from `origin` instead.
pub(crate) fn beyond_cause(origin: Origin) -> String {
    let most = MOST_READ >> 20;
    format!(
        "its metadata are too large to be read (more than {most} MiB, or {MOST_ITEMS} boxes); \
            its date is from elsewhere: {}",
        origin.words()
    )
}

/// Returns what the metadata of a picture or film say: nothing if the file is neither of the two.
pub(crate) fn read(file: &File, film_time: FilmTime) -> Inside {
    let budget = Budget::new();
    let mut said = Said::default();
    // A file that makes a reader panic must not end the import: it is one that cannot be read. The fuzzer has no guard.
    let input = Input::file(file, &budget);
    if cfg!(feature = "fuzzing") {
        by_format(&input, &mut said);
    } else if catch_unwind(AssertUnwindSafe(|| by_format(&input, &mut said))).is_err() {
        said = Said::default();
    }
    let mut inside = decide(said, film_time);
    inside.beyond = budget.is_exceeded() && inside.date.is_none();
    inside
}

/// Reads a file according to its first bytes. What its name says does not count: cards have JPEGs named `.THM`.
fn by_format(input: &Input<'_>, said: &mut Said) {
    let start = input.bytes(0, 32);
    let Some(first) = start.first_chunk::<4>() else { return };
    match &start[..] {
        [0xff, 0xd8, ..] => jpeg::read(input, said),
        s if s.starts_with(png::SIGNATURE) => png::read(input, said),
        s if s.starts_with(b"GIF8") => png::gif(input, said),
        s if s.starts_with(b"8BPS") => iptc::photoshop(input, said),
        s if s.starts_with(b"RIFF") => riff::read(input, said),
        s if s.starts_with(b"FUJIFILMCCD-RAW") => raw::fujifilm(input, said),
        s if s.starts_with(b"\0MRM") => raw::minolta(input, said),
        s if s.starts_with(b"FOVb") => raw::sigma(input, said),
        s if s.get(0x19..) == Some(b"ARECOYK") => raw::kyocera(input, said),
        s if s.get(6..14) == Some(b"HEAPCCDR") => raw::ciff(input, said),
        [0x1a, 0x45, 0xdf, 0xa3, ..] => streams::matroska(input, said),
        [0x30, 0x26, 0xb2, 0x75, ..] => streams::asf(input, said),
        s if s.get(4..8).and_then(<[u8]>::first_chunk).is_some_and(|&kind| bmff::may_begin_with(kind)) => {
            bmff::read(input, said);
        }
        _ if tiff::is_header(*first) => tiff::read(input, said),
        _ if streams::is_transport(input) => streams::transport(input, said),
        s if s.trim_ascii_start().starts_with(b"<") || matches!(s[0], 0xef | 0xfe | 0xff) => xmp::read(input, said),
        _ => {}
    }
}

/// Chooses among the dates in the metadata.
fn decide(mut said: Said, film_time: FilmTime) -> Inside {
    if said.make.is_empty() {
        said.make = said.brand.into();
    }
    let is_local = is_local(film_time, &said);
    let origin = if is_local { Origin::FilmLocal } else { Origin::Film };
    said.date(origin, said.film.or(said.track).and_then(|at| film_date(at, is_local)));
    said.date(Origin::Modify, said.film_modified.and_then(|at| film_date(at, is_local)));
    let all = || said.dates.iter().map(|&(origin, m)| (m.local, m.offset, origin));
    let date = all().filter(|(.., origin)| *origin != Origin::Modify).min_by_key(rank);
    let changed = all().find(|(.., origin)| *origin == Origin::Modify);
    Inside { date, changed, make: said.make, model: said.model, content_id: said.content_id, beyond: false }
}

/// Returns how much a date is trusted; the lowest number is the best.
fn rank((local, offset, origin): &Date) -> u8 {
    let has_time = local.time() != chrono::NaiveTime::MIN;
    match origin {
        Origin::ExifOriginal => 0,
        Origin::ExifCreate => 1,
        // A film's date with the zone of the place; others are those of a publication.
        Origin::FilmText if offset.is_some() => 2,
        Origin::XmpOriginal => 3,
        Origin::PngText | Origin::Iptc => 4,
        Origin::XmpCreate => 5,
        Origin::FilmText if has_time => 6,
        Origin::Film | Origin::FilmLocal => 7,
        Origin::Gps => 8,
        _ => 9,
    }
}

/// Makers whose films state local time although the specification says UTC, since their cameras know no time zone.
/// ExifTool's documentation describes such cameras; the phones' makers, Sony and Panasonic are not among them.
const LOCAL_MAKERS: &[&str] = &[
    "nikon", "gopro", "canon", "casio", "fuji", "kodak", "konica", "minolta", "olympus", "om digital", "pentax",
    "ricoh", "sanyo",
];

/// Whether the date of a film is to be taken as local time.
fn is_local(film_time: FilmTime, said: &Said) -> bool {
    match film_time {
        FilmTime::Local => true,
        FilmTime::Utc => false,
        FilmTime::Auto => [&said.make, &said.model, said.brand].iter().any(|name| {
            let name = name.to_lowercase();
            LOCAL_MAKERS.iter().any(|maker| name.starts_with(maker) || name.contains(&format!(" {maker}")))
        }),
    }
}

/// Returns the date of a film, which is stored in UTC, but by some cameras in local time.
fn film_date(seconds: i64, is_local: bool) -> Option<text::Moment> {
    let at = DateTime::from_timestamp(seconds, 0)?.naive_utc();
    Some(if is_local { text::Moment { local: at, offset: None } } else { text::Moment::from_utc(at) })
}

/// Whether a file may say when it was taken. Sidecars of XMP do, if nothing else of their group does.
pub(crate) fn may_say(f: &Found) -> bool {
    f.kind < Kind::Sidecar || f.kind == Kind::Sidecar && f.name().as_bytes().to_ascii_lowercase().ends_with(b".xmp")
}

/// How metadata are read.
pub(crate) struct How<'a> {
    /// Number of threads that read, and memory for all of them together.
    pub(crate) threads: usize,
    pub(crate) memory: u64,
    pub(crate) film_time: FilmTime,
    /// Reads in place of our own readers, except for files that it cannot be asked about.
    pub(crate) exiftool: Option<&'a mut Exiftool>,
}

/// Returns what the metadata of each file of each group say. The result does not depend on the number of threads.
pub(crate) fn all(
    groups: &[Vec<Found>],
    how: How<'_>,
    open: impl Fn(&Found) -> io::Result<File> + Sync,
) -> Vec<Vec<Inside>> {
    let told = how.exiftool.map_or_else(Vec::new, |exiftool| {
        let files: Vec<&Found> = groups.iter().flatten().filter(|f| may_say(f)).collect();
        exiftool.read(&files.iter().map(|f| f.source.path.as_path()).collect::<Vec<_>>(), how.film_time)
    });
    let mut told = told.into_iter();
    let told: Vec<Vec<Option<Inside>>> = groups
        .iter()
        .map(|group| group.iter().map(|f| if may_say(f) { told.next().flatten() } else { None }).collect())
        .collect();
    let found: Vec<Mutex<Vec<Inside>>> = groups.iter().map(|_| Mutex::default()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let (i, Some(group)) = {
            let i = next.fetch_add(1, Relaxed);
            (i, groups.get(i))
        } {
            let read = |(f, told): (&Found, &Option<Inside>)| match told {
                Some(inside) => inside.clone(),
                None if may_say(f) => open(f).map_or_else(|_| Inside::default(), |file| read(&file, how.film_time)),
                None => Inside::default(),
            };
            let insides = group.iter().zip(&told[i]).map(read).collect();
            *found[i].lock().unwrap_or_else(PoisonError::into_inner) = insides;
        }
    };
    let fitting = usize::try_from(how.memory / MEMORY).unwrap_or(usize::MAX);
    let workers = how.threads.min(fitting).min(groups.len().div_ceil(16));
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

/// The years that folders can be made from.
const YEARS: RangeInclusive<i32> = 1..=9999;

/// Returns the local time of a moment, if its year is one of [`YEARS`].
fn in_calendar(moment: Moment) -> Option<DateTime<Local>> {
    let at = DateTime::from_timestamp(moment.seconds, moment.nanoseconds).filter(|at| YEARS.contains(&at.year()))?;
    Some(at.with_timezone(&Local)).filter(|at| YEARS.contains(&at.year()))
}

/// Returns the date of a file: from its metadata `inside`, otherwise from its name, otherwise from the last change that
/// the metadata state, otherwise from the file system, unless the time of its last modification is impossible.
pub(crate) fn taken(inside: Inside, name: &OsStr, meta: &Meta) -> Taken {
    let from_clock = |at: DateTime<Local>, origin| (at.naive_local(), Some(*at.fixed_offset().offset()), origin);
    let from_file = || {
        let changed = in_calendar(meta.modified)?;
        // A copy's birth is when it was copied, so a birth after the last modification does not say when the picture
        // was taken.
        let born = meta.born.and_then(in_calendar).filter(|&b| b <= changed && sensible(b.naive_local()).is_some());
        Some(born.map_or_else(|| from_clock(changed, Origin::Modified), |born| from_clock(born, Origin::Birth)))
    };
    let Inside { date, changed, make, model, .. } = inside;
    let date = date.or_else(|| in_name(name)).or(changed).filter(|(at, ..)| YEARS.contains(&at.year()));
    let date = date.or_else(from_file);
    let (local, offset, origin) = match date {
        Some((local, offset, origin)) => (Some(local), offset, origin),
        None => (None, None, Origin::Unknown),
    };
    Taken { local, offset, origin, make, model }
}
