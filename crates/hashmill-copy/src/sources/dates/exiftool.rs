//! Dates as an installed ExifTool reads them.
//!
//! One process answers for all files (`-stay_open`). It reads no configuration, since a configuration is a program, and
//! gets nothing but absolute paths, which cannot be taken for options: with `-if` or `-p`, an option runs Perl. A path
//! with a newline would be two arguments, so it is not passed.
//!
//! The answers are put into the same form as those of our own readers (`said.rs`), so that one rule chooses between
//! dates.

use super::said::Said;
use super::text::{self, Moment};
use super::{Inside, decide};
use crate::model::options::FilmTime;
use crate::model::taken::Origin;
use chrono::FixedOffset;
use serde_json::{Map, Value};
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Number of files asked about at once.
const AT_ONCE: usize = 64;

/// Maximum length in bytes of an answer about that many files.
const LONGEST_ANSWER: usize = 64 << 20;

/// A running ExifTool.
pub(crate) struct Exiftool {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// What went wrong, after which it is not asked again.
    broken: Option<String>,
}

impl Exiftool {
    /// Starts `exiftool` from PATH.
    pub(crate) fn start() -> io::Result<Exiftool> {
        let mut process = Command::new("exiftool")
            .args(["-config", "", "-stay_open", "True", "-@", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(questions), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(io::Error::other("no pipes"));
        };
        let mut exiftool = Exiftool { process, questions, answers: BufReader::new(answers), broken: None };
        exiftool.ask(&[OsStr::new("-ver")])?;
        Ok(exiftool)
    }

    /// Returns what went wrong, if anything did.
    pub(crate) fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// Returns the path under which ExifTool can be asked about a file, or `None` if it cannot be asked.
    pub(crate) fn asks_for(path: &Path) -> Option<PathBuf> {
        // It strips carriage returns from the ends of lines.
        let passes = |path: &PathBuf| !path.as_os_str().as_bytes().iter().any(|b| matches!(b, b'\n' | b'\r'));
        std::path::absolute(path).ok().filter(passes)
    }

    /// Returns what it says about each of the files, or `None` for those that it was not asked about.
    pub(crate) fn read(&mut self, paths: &[&Path], film_time: FilmTime) -> Vec<Option<Inside>> {
        let mut all: Vec<Option<Inside>> = vec![None; paths.len()];
        let asked: Vec<(usize, PathBuf)> =
            paths.iter().enumerate().filter_map(|(i, path)| Some((i, Self::asks_for(path)?))).collect();
        for some in asked.chunks(AT_ONCE) {
            if self.broken.is_some() {
                break;
            }
            let options =
                ["-j", "-G0", "-time:all", "-Make", "-Model", "-CompatibleBrands", "-ContentIdentifier", "-GoPro:all"];
            let options = options.iter().map(OsStr::new);
            let question: Vec<&OsStr> = options.chain(some.iter().map(|(_, path)| path.as_os_str())).collect();
            let files = self.ask(&question).and_then(|answer| {
                let files: serde_json::Result<Vec<Map<String, Value>>> = serde_json::from_slice(&answer);
                files.map_err(|_| io::Error::other("its answer is not understood"))
            });
            match files {
                Ok(files) => {
                    for (n, (i, path)) in some.iter().enumerate() {
                        // Names that are not valid UTF-8 are changed in the answer. Its order is that of the question.
                        let file = if files.len() == some.len() {
                            files.get(n)
                        } else {
                            files
                                .iter()
                                .find(|f| f.get("SourceFile").and_then(Value::as_str).map(Path::new) == Some(path))
                        };
                        all[*i] = file.map(|file| decide(said(file), film_time));
                    }
                }
                Err(e) => self.broken = Some(hashmill_files::plain(&e)),
            }
        }
        all
    }

    /// Passes arguments to it and returns its answer.
    fn ask(&mut self, arguments: &[&OsStr]) -> io::Result<Vec<u8>> {
        let mut question = Vec::new();
        for argument in arguments {
            question.extend_from_slice(argument.as_bytes());
            question.push(b'\n');
        }
        question.extend_from_slice(b"-execute\n");
        let ended = || io::Error::other("it has ended");
        self.questions
            .write_all(&question)
            .map_err(|e| if e.kind() == io::ErrorKind::BrokenPipe { ended() } else { e })?;
        let mut answer = Vec::new();
        loop {
            let start = answer.len();
            let left = (LONGEST_ANSWER + 1 - start) as u64;
            if self.answers.by_ref().take(left).read_until(b'\n', &mut answer)? == 0 {
                return Err(ended());
            }
            if &answer[start..] == b"{ready}\n" {
                answer.truncate(start);
                return Ok(answer);
            }
            if answer.len() > LONGEST_ANSWER {
                return Err(io::Error::other("its answer is too long"));
            }
        }
    }
}

impl Drop for Exiftool {
    fn drop(&mut self) {
        // It only reads, so it need not be asked to end, which it might not do. It may also have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Puts ExifTool's names of tags, each with the name of its group in front, into the same form as our readers do.
fn said(file: &Map<String, Value>) -> Said {
    let mut said = Said::default();
    let value = |key: &str| match file.get(key) {
        Some(Value::String(s)) => s.clone(),
        Some(Value::Number(n)) => n.to_string(),
        _ => String::new(),
    };
    let exif = |date: &str, fraction: &str, offset: &str| {
        let mut moment = text::moment(&value(date))?;
        let offset = [offset, "EXIF:OffsetTime"].iter().find_map(|key| text::zone(&value(key)));
        let hours = || {
            let hours: i32 = value("EXIF:TimeZoneOffset").split(' ').next()?.parse().ok()?;
            FixedOffset::east_opt(hours.checked_mul(3600)?)
        };
        moment.offset = moment.offset.or(offset).or_else(hours);
        moment.add_fraction(&value(fraction));
        Some(moment)
    };
    said.date(
        Origin::ExifOriginal,
        exif("EXIF:DateTimeOriginal", "EXIF:SubSecTimeOriginal", "EXIF:OffsetTimeOriginal"),
    );
    for key in ["MakerNotes:DateTimeOriginal", "SigmaRaw:DateTimeOriginal", "APP1:DateTimeOriginal"] {
        said.text(Origin::ExifOriginal, &value(key));
    }
    said.date(Origin::ExifCreate, exif("EXIF:CreateDate", "EXIF:SubSecTimeDigitized", "EXIF:OffsetTimeDigitized"));
    said.date(Origin::Modify, exif("EXIF:ModifyDate", "EXIF:SubSecTime", "EXIF:OffsetTime"));
    // By PNG's specification, this one is in UTC.
    let utc = |m: Moment| Moment { offset: m.offset.or(FixedOffset::east_opt(0)), ..m };
    said.date(Origin::Modify, text::moment(&value("PNG:ModifyDate")).map(utc));
    for (origin, keys) in [
        (Origin::XmpOriginal, &["XMP:DateTimeOriginal"][..]),
        (Origin::XmpCreate, &["XMP:CreateDate", "XMP:DateTimeDigitized", "XMP:DateCreated"]),
        (Origin::Modify, &["XMP:ModifyDate", "XMP:DateTime", "PNG:ModDate"]),
        (Origin::PngText, &["PNG:CreationTime", "PNG:CreateDate", "PNG:DateTimeOriginal"]),
        (Origin::FilmLocal, &["RIFF:DateTimeOriginal", "RIFF:DateCreated"]),
        (
            Origin::FilmText,
            &[
                "QuickTime:CreationDate",
                "H264:DateTimeOriginal",
                "XML:CreationDateValue",
                "QuickTime:DateTimeOriginal",
                "QuickTime:ContentCreateDate",
            ],
        ),
    ] {
        for key in keys {
            said.text(origin, &value(key));
        }
    }
    for (day, time) in
        [("IPTC:DateCreated", "IPTC:TimeCreated"), ("IPTC:DigitalCreationDate", "IPTC:DigitalCreationTime")]
    {
        said.text(Origin::Iptc, &format!("{} {}", value(day), value(time)));
    }
    let gps = format!("{} {}", value("EXIF:GPSDateStamp"), value("EXIF:GPSTimeStamp"));
    let gps = text::moment(&gps).filter(|_| file.contains_key("EXIF:GPSTimeStamp"));
    said.date(Origin::Gps, gps.map(|m| Moment::from_utc(m.local)));
    let seconds =
        |keys: &[&str]| keys.iter().find_map(|key| text::moment(&value(key))).map(|m| m.local.and_utc().timestamp());
    said.film = seconds(&["QuickTime:CreateDate", "Matroska:DateTimeOriginal", "ASF:CreationDate"]);
    said.track = seconds(&["QuickTime:TrackCreateDate", "QuickTime:MediaCreateDate"]);
    said.film_modified = seconds(&["QuickTime:ModifyDate"]);
    for key in file.keys() {
        match key.rsplit(':').next() {
            Some("Make") => said.make(value(key).as_bytes()),
            Some("Model") => said.model(value(key).as_bytes()),
            Some("ContentIdentifier") => said.content_id(value(key).as_bytes()),
            _ => {}
        }
    }
    let brands = file.get("QuickTime:CompatibleBrands").map(Value::to_string).unwrap_or_default();
    if brands.contains("niko") {
        said.brand = "NIKON";
    } else if file.keys().any(|key| key.starts_with("GoPro:")) {
        said.brand = "GoPro";
    }
    said
}
