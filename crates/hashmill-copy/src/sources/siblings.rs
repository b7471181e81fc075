//! Which of the files with one name belong together, and when they were taken.
//!
//! A live photo, a film and the still of a camera, and two shots of two years may all be `IMG_0001.JPG` and
//! `IMG_0001.MOV`. Only the metadata tell them apart.

use crate::model::taken::{Origin, Taken};
use crate::sources::dates::{Inside, taken};
use crate::sources::gather::{Found, Kind};
use chrono::{Duration, FixedOffset, NaiveDateTime};
use std::os::unix::ffi::OsStrExt;

/// Maximum distance between the dates of a film and its picture. They are seconds apart, but a film's date may have
/// been written or read in the wrong time zone.
const DAY: Duration = Duration::hours(24);

/// Files that belong together, and when they were taken.
pub(crate) struct Dated {
    /// The one that best tells when they were taken comes first.
    pub(crate) files: Vec<Found>,
    pub(crate) taken: Taken,
    /// The indices of files whose metadata were too large.
    pub(crate) beyond: Vec<usize>,
}

/// Splits files of one name into those that belong together, and dates each part. `insides` is what their metadata say.
pub(crate) fn split(group: Vec<Found>, insides: Vec<Inside>) -> Vec<Dated> {
    let mut parts: Vec<Vec<(Found, Inside)>> = Vec::new();
    for (f, inside) in group.into_iter().zip(insides) {
        let home = if f.kind < Kind::Sidecar {
            let id = |said: &Inside| !said.content_id.is_empty() && said.content_id == inside.content_id;
            let same_id = parts.iter().position(|part| part.iter().any(|(_, said)| id(said)));
            same_id.or_else(|| parts.iter().position(|p| p.iter().all(|(other, said)| fits(&f, &inside, other, said))))
        } else {
            home_of_sidecar(&f, &parts)
        };
        match home {
            Some(i) => parts[i].push((f, inside)),
            None => parts.push(vec![(f, inside)]),
        }
    }
    parts.into_iter().map(dated).collect()
}

/// Returns the part that a sidecar belongs to: that of the file whose whole name it has (`a.mov.xmp`), or of a film if
/// it is about one, or else the first.
fn home_of_sidecar(sidecar: &Found, parts: &[Vec<(Found, Inside)>]) -> Option<usize> {
    let part_with = |wanted: &dyn Fn(&Found) -> bool| parts.iter().position(|p| p.iter().any(|(f, _)| wanted(f)));
    let name = sidecar.name().as_bytes();
    let about_films = [&b"thm"[..], b"srt"].iter().any(|e| e.eq_ignore_ascii_case(&sidecar.extension));
    let own = part_with(&|f| {
        let whole = f.name().as_bytes();
        name.len() > whole.len() && name[..whole.len()].eq_ignore_ascii_case(whole) && name[whole.len()] == b'.'
    });
    own.or_else(|| part_with(&|f| about_films && f.kind == Kind::Film)).or((!parts.is_empty()).then_some(0))
}

/// Whether two files of one name are of the same shot, going by what their metadata say. What they do not say does not
/// tell against it.
fn fits(a: &Found, said: &Inside, b: &Found, other: &Inside) -> bool {
    let film = (a.kind == Kind::Film) != (b.kind == Kind::Film);
    let (Some((local, offset, origin)), Some((its, its_offset, its_origin))) = (said.date, other.date) else {
        return !film || same_camera(said, other);
    };
    // Edited pictures keep the time of the shot, but not always the other dates.
    if !film && (a.kind == Kind::Film || (origin, its_origin) != (Origin::ExifOriginal, Origin::ExifOriginal)) {
        return true;
    }
    let utc = |at: NaiveDateTime, offset: Option<FixedOffset>| offset.and_then(|o| at.checked_sub_offset(o));
    let instants = utc(local, offset).zip(utc(its, its_offset));
    let near = (local - its).abs() <= DAY || instants.is_some_and(|(a, b)| (a - b).abs() <= DAY);
    near && (!film || same_camera(said, other))
}

/// Whether make and model do not say that these are two cameras. Pictures and films of one camera may call it `Canon
/// EOS R5` and `EOS R5`.
fn same_camera(a: &Inside, b: &Inside) -> bool {
    let plain =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let (model, other) = (plain(&a.model), plain(&b.model));
    if !model.is_empty() && !other.is_empty() {
        return model.contains(&other) || other.contains(&model);
    }
    let first = |text: &str| text.split_whitespace().next().map(plain).unwrap_or_default();
    let (make, other) = (first(&a.make), first(&b.make));
    make.is_empty() || other.is_empty() || make == other
}

fn dated(part: Vec<(Found, Inside)>) -> Dated {
    let mut best = Inside::default();
    let mut beyond = Vec::new();
    let mut files = Vec::new();
    for (i, (f, inside)) in part.into_iter().enumerate() {
        beyond.extend(inside.beyond.then_some(i));
        if best.model.is_empty() {
            (best.make, best.model) = (inside.make, inside.model);
        }
        // The first file that says when it was taken decides for all.
        best.date = best.date.or(inside.date);
        best.changed = best.changed.or(inside.changed);
        files.push(f);
    }
    let taken = taken(best, files[0].name(), &files[0].meta);
    Dated { files, taken, beyond }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::options::Select;
    use crate::sources::gather::{Item, Wanted, walk};
    use chrono::NaiveDate;

    /// Returns the parts of files `1.EXT`, each given with what its metadata say.
    fn parts(files: &[(&str, Inside)]) -> Vec<String> {
        let dir = tempfile::tempdir().expect("a folder");
        for (extension, _) in files {
            std::fs::write(dir.path().join(format!("1.{extension}")), "x").expect("a file");
        }
        let filter = hashmill_files::Filter::default();
        let wanted = Wanted { select: &Select::All, filter: &filter, together: true, leaves_out: true, inside: None };
        let mut parts = Vec::new();
        walk(dir.path(), &wanted, &mut |item| {
            let Item::Group(group) = item else { panic!("only files") };
            let said = |f: &Found| {
                let extension = f.name().to_str().expect("text").split_once('.').expect("a dot").1;
                files.iter().find(|(e, _)| *e == extension).expect("a file").1.clone()
            };
            let insides = group.iter().map(said).collect();
            for part in split(group, insides) {
                let names: Vec<_> = part.files.iter().map(|f| f.name().to_string_lossy()[2..].to_string()).collect();
                parts.push(names.join(" "));
            }
            true
        });
        parts
    }

    fn at(day: u32, hour: u32, origin: Origin) -> Inside {
        let local = NaiveDate::from_ymd_opt(2024, 5, day).and_then(|d| d.and_hms_opt(hour, 0, 0)).expect("a date");
        Inside { date: Some((local, None, origin)), ..Inside::default() }
    }

    fn by(model: &str, inside: Inside) -> Inside {
        Inside { model: model.into(), ..inside }
    }

    fn with_id(id: &str, inside: Inside) -> Inside {
        Inside { content_id: id.into(), ..inside }
    }

    #[test]
    fn films_of_pictures() {
        let picture = |day| at(day, 12, Origin::ExifOriginal);
        let film = |day, hour| at(day, hour, Origin::Film);
        let none = Inside::default;
        // On one day, and no further apart than time zones.
        assert_eq!(parts(&[("jpg", picture(3)), ("mov", film(3, 12))]), ["jpg mov"]);
        assert_eq!(parts(&[("jpg", picture(3)), ("mov", film(4, 2))]), ["jpg mov"]);
        assert_eq!(parts(&[("jpg", picture(3)), ("mov", film(2, 12))]), ["jpg mov"]);
        assert_eq!(parts(&[("jpg", picture(3)), ("mov", film(4, 13))]), ["jpg", "mov"]);
        // The identifier decides, whatever the dates are.
        assert_eq!(parts(&[("jpg", with_id("A", picture(3))), ("mov", with_id("A", film(9, 9)))]), ["jpg mov"]);
        assert_eq!(parts(&[("jpg", with_id("A", picture(3))), ("mov", with_id("B", film(9, 9)))]), ["jpg", "mov"]);
        assert_eq!(parts(&[("jpg", with_id("", picture(3))), ("mov", with_id("", film(9, 9)))]), ["jpg", "mov"]);
        // The camera must not be another one.
        let pair = |a: &str, b: &str| parts(&[("jpg", by(a, picture(3))), ("mov", by(b, film(3, 12)))]).len();
        assert_eq!(pair("Canon EOS R5", "EOS R5"), 1);
        assert_eq!(pair("iPhone 12", ""), 1);
        assert_eq!(pair("iPhone 12", "Canon EOS R5"), 2);
        // A film without a date goes with its picture, and a picture without one with its film.
        assert_eq!(parts(&[("jpg", picture(3)), ("mov", none())]), ["jpg mov"]);
        assert_eq!(parts(&[("jpg", none()), ("mov", film(3, 3))]), ["jpg mov"]);
        assert_eq!(parts(&[("jpg", by("a", picture(3))), ("mov", by("b", none()))]), ["jpg", "mov"]);
    }

    #[test]
    fn other_files_of_one_name() {
        let picture = |day| at(day, 12, Origin::ExifOriginal);
        let film = |day| at(day, 12, Origin::Film);
        let none = Inside::default;
        // Sidecars go with the file that they are about.
        let sidecars = [("xmp", none()), ("mov.xmp", none()), ("thm", none()), ("srt", none()), ("aae", none())];
        let files = [&[("jpg", picture(3)), ("mov", film(9))], &sidecars[..]].concat();
        assert_eq!(parts(&files), ["jpg aae xmp", "mov mov.xmp srt thm"]);
        assert_eq!(parts(&sidecars), ["aae srt thm xmp", "mov.xmp"]);
        // Pictures of two days are two shots if both say when they were taken.
        assert_eq!(parts(&[("heic", picture(3)), ("jpg", picture(9))]), ["heic", "jpg"]);
        assert_eq!(parts(&[("cr2", picture(3)), ("jpg", picture(3))]), ["jpg cr2"]);
        assert_eq!(parts(&[("jpg", picture(3)), ("tif", at(9, 9, Origin::ExifCreate))]), ["jpg tif"]);
        assert_eq!(parts(&[("lrv", film(3)), ("mp4", film(3))]), ["lrv mp4"]);
    }
}
