//! The layout of the destination: a template that gives each file its path.

use chrono::{Datelike, Timelike};
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::model::taken::Taken;

/// The template that `--by-date` uses.
pub const BY_DATE: &str = "{year}/{year}-{month}-{day}/{name}";

/// Folder for files without a date.
const UNKNOWN: &str = "unknown";

/// Maximum length of a file name in UTF-16 units, as FAT and NTFS count.
const MOST_UNITS: usize = 255;

/// Room for an extension in a name that is shortened. Files that differ in nothing but their extensions are thus
/// shortened alike, and still belong together.
const ROOM: usize = 16;

/// A template such as `{year}/{month}/{name}`: text, slashes between folders, and fields in braces. `{{` and `}}` stand
/// for literal braces.
///
/// For a file without a date, a folder `unknown` takes the place of the first folder that is made from the date, other
/// such folders are left out, and a name made from the date becomes the file's own: `unknown/IMG_1.JPG` instead of
/// `2024/2024-05-31/IMG_1.JPG` or `2024/142507.jpg`.
///
/// | field | |
/// |---|---|
/// | `{year}` `{month}` `{day}` `{hour}` `{minute}` `{second}` | of the local time at which the picture was taken |
/// | `{subsec}` `{zone}` | milliseconds; the time zone as `+0200`, or `none` if it is not known |
/// | `{date}` `{time}` | `2024-05-31`, `142507` |
/// | `{make}` `{camera}` | the camera's maker and model; `unknown` if the picture does not say |
/// | `{name}` `{stem}` `{ext}` | the file's name, its name without the extension, and the extension in lower case |
/// | `{folder}` | the file's folder, relative to the source |
/// | `{counter}` `{counter:4}` | 1, 2, 3 … (0001 …): the first number whose name is free |
/// | `{digest}` `{digest:12}` | the digest in hexadecimal, or only its first digits |
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Field(Field),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
    Subsecond,
    Zone,
    Date,
    Time,
    Make,
    Camera,
    Name,
    Stem,
    Extension,
    Folder,
    Counter(usize),
    Digest(usize),
}

impl Field {
    fn is_of_date(self) -> bool {
        use Field::{Date, Day, Hour, Minute, Month, Second, Subsecond, Time, Year, Zone};
        matches!(self, Year | Month | Day | Hour | Minute | Second | Subsecond | Zone | Date | Time)
    }
}

/// The names of all fields, for messages.
const FIELDS: &str = "year, month, day, hour, minute, second, subsec, zone, date, time, make, camera, name, stem, ext, \
    folder, counter, digest";

/// Why a template is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// A field that does not exist.
    #[error("there is no field {{{0}}}; there are {FIELDS}")]
    Unknown(String),
    /// A number after a field that takes none, or a number that is out of range.
    #[error("{{{0}}}: only {{counter:N}} (1 to 12) and {{digest:N}} (1 to 128) have a number")]
    Number(String),
    /// A brace without its counterpart.
    #[error("a single brace at character {0}; a brace itself is written twice")]
    Brace(usize),
    /// Not a path below the destination.
    #[error("it must be a path below the destination, without `..` and not beginning or ending with a slash")]
    Path,
    /// Every file would have the same name.
    #[error("its last part needs a field that differs from file to file, such as {{name}}, {{time}} or {{counter}}")]
    Constant,
}

/// The values that a template is filled with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts<'a> {
    pub(crate) taken: &'a Taken,
    pub(crate) name: &'a OsStr,
    /// The file's extension, without the dot. For a sidecar named after the whole name of its picture (`a.jpg.xmp`),
    /// both extensions (`jpg.xmp`).
    pub(crate) extension: &'a [u8],
    /// The file's folder, relative to the source.
    pub(crate) folder: &'a Path,
    /// In hexadecimal.
    pub(crate) digest: &'a str,
}

impl FromStr for Layout {
    type Err = LayoutError;

    fn from_str(text: &str) -> Result<Self, LayoutError> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            match c {
                '{' | '}' if chars.peek().is_some_and(|&(_, next)| next == c) => {
                    chars.next();
                    plain.push(c);
                }
                '}' => return Err(LayoutError::Brace(at + 1)),
                '{' => {
                    let Some(len) = text[at..].find('}') else { return Err(LayoutError::Brace(at + 1)) };
                    let name = &text[at + 1..at + len];
                    if !plain.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut plain)));
                    }
                    parts.push(Part::Field(field(name)?));
                    while chars.next_if(|&(i, _)| i <= at + len).is_some() {}
                }
                c => plain.push(c),
            }
        }
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        let layout = Layout { parts };
        let bare = |c: &str| c == ".." || c == "." || c.is_empty();
        let sketch: String = layout.parts.iter().map(|p| if let Part::Text(t) = p { t } else { "x" }).collect();
        if sketch.split('/').any(bare) || sketch.contains('\0') {
            return Err(LayoutError::Path);
        }
        let last = layout.parts.iter().rev().take_while(|p| !matches!(p, Part::Text(t) if t.contains('/')));
        let differs = |p: &Part| matches!(p, Part::Field(f) if !matches!(f, Field::Extension | Field::Folder | Field::Make | Field::Camera | Field::Zone));
        if !last.clone().any(differs) {
            return Err(LayoutError::Constant);
        }
        Ok(layout)
    }
}

fn field(name: &str) -> Result<Field, LayoutError> {
    let (base, number) = match name.split_once(':') {
        Some((base, n)) => (base, Some(n.parse::<usize>().map_err(|_| LayoutError::Number(name.into()))?)),
        None => (name, None),
    };
    let field = match base {
        "year" => Field::Year,
        "month" => Field::Month,
        "day" => Field::Day,
        "hour" => Field::Hour,
        "minute" => Field::Minute,
        "second" => Field::Second,
        "subsec" => Field::Subsecond,
        "zone" => Field::Zone,
        "date" => Field::Date,
        "time" => Field::Time,
        "make" => Field::Make,
        "camera" => Field::Camera,
        "name" => Field::Name,
        "stem" => Field::Stem,
        "ext" => Field::Extension,
        "folder" => Field::Folder,
        "counter" => Field::Counter(number.unwrap_or(1)),
        "digest" => Field::Digest(number.unwrap_or(128)),
        _ => return Err(LayoutError::Unknown(name.into())),
    };
    let fits = match (field, number) {
        (_, None) => true,
        (Field::Counter(_), Some(n)) => (1..=12).contains(&n),
        (Field::Digest(_), Some(n)) => (1..=128).contains(&n),
        _ => false,
    };
    if fits { Ok(field) } else { Err(LayoutError::Number(name.into())) }
}

impl Layout {
    fn has(&self, wanted: impl Fn(Field) -> bool) -> bool {
        self.parts.iter().any(|p| matches!(p, Part::Field(f) if wanted(*f)))
    }

    /// Whether a file's path depends on its content.
    pub(crate) fn needs_digest(&self) -> bool {
        self.has(|f| matches!(f, Field::Digest(_)))
    }

    /// Whether paths are numbered by a `{counter}` field.
    fn has_counter(&self) -> bool {
        self.has(|f| matches!(f, Field::Counter(_)))
    }

    /// Whether a file's path depends on when it was taken.
    pub(crate) fn uses_date(&self) -> bool {
        self.has(Field::is_of_date)
    }

    /// Returns the layout for files without a date.
    pub(crate) fn without_date(&self) -> Layout {
        let mut components: Vec<Vec<Part>> = vec![Vec::new()];
        for part in &self.parts {
            match part {
                Part::Text(text) => {
                    for (i, piece) in text.split('/').enumerate() {
                        if i > 0 {
                            components.push(Vec::new());
                        }
                        components.last_mut().into_iter().for_each(|c| c.push(Part::Text(piece.into())));
                    }
                }
                Part::Field(_) => components.last_mut().into_iter().for_each(|c| c.push(part.clone())),
            }
        }
        let last = components.len() - 1;
        let mut kept: Vec<Vec<Part>> = Vec::new();
        let mut marked = false;
        for (i, component) in components.into_iter().enumerate() {
            if !component.iter().any(|p| matches!(p, Part::Field(f) if f.is_of_date())) {
                kept.push(component);
                continue;
            }
            if !std::mem::replace(&mut marked, true) {
                kept.push(vec![Part::Text(UNKNOWN.into())]);
            }
            if i == last {
                kept.push(vec![Part::Field(Field::Name)]);
            }
        }
        Layout { parts: kept.join(&Part::Text("/".into())) }
    }

    /// Returns the `n`th path for a file, relative to the destination. `n` is 0 unless the paths before it are taken.
    /// Folders and names with more than `longest` bytes are shortened.
    pub(crate) fn path(&self, facts: &Facts<'_>, n: u32, longest: usize) -> PathBuf {
        let mut out: Vec<u8> = Vec::new();
        for part in &self.parts {
            match part {
                Part::Text(t) => out.extend_from_slice(t.as_bytes()),
                Part::Field(f) => fill(*f, facts, n, &mut out),
            }
        }
        if !facts.extension.is_empty() && !self.has(|f| matches!(f, Field::Name | Field::Extension)) {
            out.push(b'.');
            out.extend(facts.extension.to_ascii_lowercase());
        }
        let path = PathBuf::from(OsString::from_vec(out));
        // A field may have been empty, or may have consisted of dots.
        let mut names: Vec<&[u8]> = path
            .components()
            .map(|c| match c {
                std::path::Component::Normal(c) => c.as_bytes(),
                _ => b"_",
            })
            .collect();
        let name = names.pop().unwrap_or_default();
        // A counter that is cut off would make all names the same.
        let n = if self.has_counter() && fits(name, longest) { 0 } else { n };
        let folders = names.into_iter().map(|folder| name_with(folder, b"", 0, longest));
        folders.chain([name_with(name, facts.extension, n, longest)]).map(OsString::from_vec).collect()
    }
}

/// Returns a path with `-n` before its extension, or unchanged if `n` is 0. Its name is shortened if it would have more
/// than `longest` bytes.
pub(crate) fn numbered(path: &Path, extension: &[u8], n: u32, longest: usize) -> PathBuf {
    if n == 0 {
        return path.to_path_buf();
    }
    let name = path.file_name().unwrap_or_default().as_bytes();
    path.with_file_name(OsString::from_vec(name_with(name, extension, n, longest)))
}

/// Returns a name with `-n` before its extension unless `n` is 0, shortened if it would be too long.
fn name_with(name: &[u8], extension: &[u8], n: u32, longest: usize) -> Vec<u8> {
    if n == 0 && fits(name, longest) {
        return name.to_vec();
    }
    let with_dot = name.len().saturating_sub(extension.len() + 1);
    let known = !extension.is_empty()
        && extension.len() < longest / 2
        && with_dot > 0
        && name[with_dot..][1..].eq_ignore_ascii_case(extension);
    let (stem, end) = name.split_at(if known { with_dot } else { name.len() });
    let number = if n == 0 { String::new() } else { format!("-{n}") };
    let after = number.len() + end.len().max(ROOM);
    let text = str::from_utf8(stem).ok();
    let fitting = |&len: &usize| {
        let whole = text.is_none_or(|t| t.is_char_boundary(len));
        whole && len + after <= longest && units(&stem[..len]) + after <= MOST_UNITS
    };
    let len = (0..=stem.len()).rev().find(fitting).unwrap_or(0);
    [&stem[..len], number.as_bytes(), end].concat()
}

/// Whether a file system whose names have at most `longest` bytes accepts a name of this length.
fn fits(name: &[u8], longest: usize) -> bool {
    name.len() <= longest && units(name) <= MOST_UNITS
}

fn units(name: &[u8]) -> usize {
    String::from_utf8_lossy(name).encode_utf16().count()
}

fn fill(field: Field, facts: &Facts<'_>, n: u32, out: &mut Vec<u8>) {
    let t = match facts.taken.local {
        None if field.is_of_date() => return out.extend_from_slice(UNKNOWN.as_bytes()),
        local => local.unwrap_or_default(),
    };
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = match field {
        Field::Year => write!(text, "{:04}", t.year()),
        Field::Month => write!(text, "{:02}", t.month()),
        Field::Day => write!(text, "{:02}", t.day()),
        Field::Hour => write!(text, "{:02}", t.hour()),
        Field::Minute => write!(text, "{:02}", t.minute()),
        Field::Second => write!(text, "{:02}", t.second()),
        Field::Subsecond => write!(text, "{:03}", (t.nanosecond() / 1_000_000).min(999)),
        Field::Date => write!(text, "{}", t.format("%Y-%m-%d")),
        Field::Time => write!(text, "{}", t.format("%H%M%S")),
        Field::Zone => match facts.taken.offset {
            Some(o) => write!(text, "{}", o.to_string().replace(':', "")),
            None => write!(text, "none"),
        },
        Field::Make => write!(text, "{}", tame(&facts.taken.make)),
        Field::Camera => write!(text, "{}", tame(&facts.taken.model)),
        Field::Counter(width) => write!(text, "{:0width$}", u64::from(n) + 1),
        Field::Digest(len) => write!(text, "{}", &facts.digest[..len.min(facts.digest.len())]),
        Field::Name => return out.extend_from_slice(facts.name.as_bytes()),
        Field::Stem => return out.extend_from_slice(stem(facts.name.as_bytes(), facts.extension)),
        Field::Extension => return out.extend(facts.extension.to_ascii_lowercase()),
        Field::Folder => return out.extend_from_slice(facts.folder.as_os_str().as_bytes()),
    };
    out.extend_from_slice(text.as_bytes());
}

/// Returns a name without its extension.
fn stem<'a>(name: &'a [u8], extension: &[u8]) -> &'a [u8] {
    if extension.is_empty() { name } else { &name[..name.len() - extension.len() - 1] }
}

/// Returns a camera's make or model as a path component that every file system accepts.
fn tame(text: &str) -> String {
    let forbidden = |c: char| c.is_control() || "/\\:*?\"<>|".contains(c);
    let mut tame: String = text.trim().chars().map(|c| if forbidden(c) { '_' } else { c }).collect();
    while tame.ends_with(['.', ' ']) {
        tame.pop();
    }
    // Avoid hidden names, and above all that of our own folder.
    let dots = tame.len() - tame.trim_start_matches('.').len();
    tame.replace_range(..dots, &"_".repeat(dots));
    if tame.is_empty() { UNKNOWN.into() } else { tame }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::taken::Origin;
    use chrono::{FixedOffset, NaiveDate};

    fn taken(model: &str) -> Taken {
        Taken {
            local: NaiveDate::from_ymd_opt(2024, 2, 29).and_then(|d| d.and_hms_milli_opt(4, 5, 6, 78)),
            offset: FixedOffset::east_opt(2 * 3600),
            origin: Origin::ExifOriginal,
            make: "Nikon".into(),
            model: model.into(),
        }
    }

    fn path(layout: &str, name: &str, model: &str, n: u32) -> String {
        let taken = taken(model);
        let extension = name.rsplit_once('.').map_or("", |(_, e)| e).as_bytes();
        let facts =
            Facts { taken: &taken, name: OsStr::new(name), extension, folder: Path::new("a/b"), digest: "0123456789" };
        layout.parse::<Layout>().expect(layout).path(&facts, n, 255).into_os_string().into_string().expect("text")
    }

    #[test]
    fn files_without_a_date() {
        let of = |layout: &str| {
            let taken = Taken { local: None, offset: None, origin: Origin::Unknown, ..taken("D5") };
            let (name, extension, folder) = (OsStr::new("x.JPG"), b"JPG", Path::new("a/b"));
            let facts = Facts { taken: &taken, name, extension, folder, digest: "0123" };
            let layout: Layout = layout.parse().expect(layout);
            assert!(layout.uses_date());
            let path = |n| layout.without_date().path(&facts, n, 255).into_os_string().into_string().expect("text");
            assert!(!path(1).contains("01"), "{}", path(1));
            path(0)
        };
        assert_eq!(of(BY_DATE), "unknown/x.JPG");
        assert_eq!(of("{year}/{camera}/{date}_{time}"), "unknown/D5/x.JPG");
        assert_eq!(of("{make}/{year}/{stem}.{ext}"), "Nikon/unknown/x.jpg");
        assert_eq!(of("{make}/a{year}{month}/b/c{day}/{stem}"), "Nikon/unknown/b/x.jpg");
        assert_eq!(of("{date}_{counter:3}"), "unknown/x.JPG");
        assert_eq!(of("{folder}/{date}-{name}"), "a/b/unknown/x.JPG");
        assert_eq!(of("{zone}/{name}"), "unknown/x.JPG");
    }

    /// Names that are too long are shortened, never the same for two numbers, and alike for files that belong together.
    #[test]
    fn long_names() {
        let check = |name: &str, extension: &str, longest: usize| {
            let mut seen = std::collections::HashSet::new();
            for n in [0, 1, 9, 10, 123] {
                let new = name_with(name.as_bytes(), extension.as_bytes(), n, longest);
                let new = String::from_utf8(new).expect("text");
                assert!(new.len() <= longest && new.encode_utf16().count() <= 255, "{n} {new}");
                if extension.len() < 100 {
                    assert!(new.ends_with(&format!(".{extension}")) && new.len() > longest.min(255) / 2, "{n} {new}");
                }
                assert!(seen.insert(new), "{n}");
            }
        };
        for name in ["x".repeat(251), "x".repeat(250), "ü".repeat(125), "𝔸".repeat(62), "x".repeat(300)] {
            check(&format!("{name}.jpg"), "jpg", 255);
            check(&format!("{name}.jpg"), "jpg", 143);
        }
        check(&format!("{}.jpg", "ж".repeat(251)), "jpg", 1530);
        check(&format!("x.{}", "y".repeat(253)), &"y".repeat(253), 255);
        let bytes = [&[0x8f; 251][..], b".jpg"].concat();
        assert_eq!(name_with(&bytes, b"jpg", 1, 255).len(), 255 - 12);
        let (name, long) = ("x".repeat(239), "x".repeat(237));
        assert_eq!(name_with(format!("{name}.jpg").as_bytes(), b"jpg", 1, 255), format!("{long}-1.jpg").as_bytes());
        let sidecar = format!("{name}.jpg.xmp");
        assert_eq!(name_with(sidecar.as_bytes(), b"jpg.xmp", 1, 255), format!("{long}-1.jpg.xmp").as_bytes());
        // What fits is not changed, and a layout shortens folders too.
        let whole = format!("{}.jpg", "x".repeat(251));
        assert_eq!(path("{date}/{name}", &whole, "", 0), format!("2024-02-29/{whole}"));
        let made = path("{stem}{stem}/{date}-{name}", &whole, "", 0);
        assert!(made.split('/').all(|c| c.len() > 200 && c.len() <= 255) && made.ends_with("x.jpg"), "{made}");
        let counted = |n| path("{stem}_{counter}", &whole, "", n);
        assert!(counted(0) != counted(1) && counted(1) != counted(2) && counted(2).len() <= 255, "{}", counted(2));
    }

    #[test]
    fn fields() {
        assert_eq!(path(BY_DATE, "x y.JPG", "", 0), "2024/2024-02-29/x y.JPG");
        assert_eq!(path(BY_DATE, "x.y.JPG", "", 2), "2024/2024-02-29/x.y-2.JPG");
        assert_eq!(path("{date}_{time}.{subsec}{zone}", "x.NEF", "", 0), "2024-02-29_040506.078+0200.nef");
        assert_eq!(path("{make}/{camera}/{stem}-{digest:4}.{ext}", "x.NEF", " D/5: .", 0), "Nikon/D_5_/x-0123.nef");
        assert_eq!(path("{camera}/{counter:3}{{}}", "x.jpg", "", 0), "unknown/001{}.jpg");
        assert_eq!(path("{camera}/{counter:3}", "x.jpg", "..", 9), "unknown/010.jpg");
        assert_eq!(path("{folder}/{name}", "noext", "", 1), "a/b/noext-1");
        assert_eq!(path("{name}", ".hidden", "", 0), ".hidden");
        assert_eq!(path("{camera}/{name}", "x.jpg", ".hashmill", 0), "_hashmill/x.jpg");
        assert_eq!(path("{camera}/{name}", "x.jpg", " ..a.b. ", 0), "__a.b/x.jpg");
    }

    #[test]
    fn what_is_no_template_is_refused() {
        let refused = |text: &str| text.parse::<Layout>().expect_err(text);
        assert_eq!(refused("{yaer}/{name}"), LayoutError::Unknown("yaer".into()));
        assert_eq!(refused("{year:4}/{name}"), LayoutError::Number("year:4".into()));
        assert_eq!(refused("{counter:0}"), LayoutError::Number("counter:0".into()));
        assert_eq!(refused("{digest:x}"), LayoutError::Number("digest:x".into()));
        assert_eq!(refused("a{name"), LayoutError::Brace(2));
        assert_eq!(refused("a}{name}"), LayoutError::Brace(2));
        for outside in ["/{name}", "../{name}", "a//{name}", "{year}/../{name}", "{name}/", ""] {
            assert_eq!(refused(outside), LayoutError::Path, "{outside}");
        }
        for constant in ["photo.jpg", "{year}/photo", "{name}/{camera}.{ext}"] {
            assert_eq!(refused(constant), LayoutError::Constant, "{constant}");
        }
    }
}
