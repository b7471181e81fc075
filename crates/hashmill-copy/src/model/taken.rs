//! When and with what a picture was taken.

use chrono::{FixedOffset, NaiveDateTime};
use serde::Serialize;

/// The origin of a date, from the most to the least trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Origin {
    /// EXIF's DateTimeOriginal.
    ExifOriginal,
    /// EXIF's CreateDate (DateTimeDigitized).
    ExifCreate,
    /// XMP's DateTimeOriginal.
    XmpOriginal,
    /// XMP's CreateDate, DateTimeDigitized or DateCreated.
    XmpCreate,
    /// IPTC's DateCreated.
    Iptc,
    /// The creation time in a text of a PNG.
    PngText,
    /// The time of the position, in UTC.
    Gps,
    /// A film's date that is written as text, usually with the offset of the place.
    FilmText,
    /// The creation date of a film, in UTC.
    Film,
    /// The creation date of a film whose camera writes local time.
    FilmLocal,
    /// The file's name.
    Name,
    /// The last change that the metadata state.
    Modify,
    /// The file's creation time.
    Birth,
    /// The file's modification time.
    Modified,
    /// There is no date.
    Unknown,
}

impl Origin {
    /// Describes the origin in a few words.
    pub fn words(self) -> &'static str {
        match self {
            Origin::ExifOriginal => "EXIF DateTimeOriginal",
            Origin::ExifCreate => "EXIF CreateDate",
            Origin::XmpOriginal => "XMP DateTimeOriginal",
            Origin::XmpCreate => "XMP CreateDate",
            Origin::Iptc => "IPTC DateCreated",
            Origin::PngText => "PNG Creation Time",
            Origin::Gps => "GPS time",
            Origin::FilmText => "film's own date",
            Origin::Film => "film's creation date",
            Origin::FilmLocal => "film's creation date, taken as local time",
            Origin::Modify => "ModifyDate",
            Origin::Name => "file name",
            Origin::Birth => "birth of the file",
            Origin::Modified => "modification time",
            Origin::Unknown => "no date",
        }
    }

    /// Returns what a date that is not the picture's own was taken from, as the summary counts it. `None` for dates
    /// that the metadata give as the picture's own.
    pub fn substitute(self) -> Option<&'static str> {
        match self {
            Origin::ExifOriginal
            | Origin::ExifCreate
            | Origin::XmpOriginal
            | Origin::XmpCreate
            | Origin::Iptc
            | Origin::PngText
            | Origin::Gps
            | Origin::FilmText
            | Origin::Film => None,
            Origin::FilmLocal => Some("local film time"),
            Origin::Modify => Some("modify date"),
            Origin::Name => Some("name"),
            Origin::Birth => Some("birth time"),
            Origin::Modified => Some("modification time"),
            Origin::Unknown => Some("nothing"),
        }
    }

    /// Whether neither the metadata nor the name of a file have a date.
    pub(crate) fn is_of_file(self) -> bool {
        matches!(self, Origin::Birth | Origin::Modified | Origin::Unknown)
    }
}

/// When and with what a picture was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The local time at the place where it was taken, as far as known. `None` if there is no date.
    pub local: Option<NaiveDateTime>,
    /// The offset of that time from UTC, if known.
    pub offset: Option<FixedOffset>,
    /// The origin of the date.
    pub origin: Origin,
    /// The camera's maker; empty if unknown.
    pub make: String,
    /// The camera's model; empty if unknown.
    pub model: String,
}
