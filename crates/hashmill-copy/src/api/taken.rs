//! When and with what a picture was taken.

use chrono::{FixedOffset, NaiveDateTime};
use serde::Serialize;

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
