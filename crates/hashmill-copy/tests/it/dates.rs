//! Dates of pictures and films: every kind of file, against what it was made with, and against ExifTool.

use crate::support::photo::{self, Exif};
use crate::support::running::{copy, copy_ok, files, json, names, summary};
use crate::support::trees::{dated, preloaded};
use hashmill_measure::bare;
use hashmill_testing::{executable, hashmill, run, run_with, stdout, text};
use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The modification time of every file, so that a date that was not read shows: 2001-09-09.
const OLD: Duration = Duration::from_secs(1_000_000_000);

/// What an import would do with a file: its date and the offset, and where they are from.
type Dated = (String, String, String);

/// Returns the date of every file in `src`, by name, with a computer in the time zone `zone`.
fn dates(dir: &Path, zone: &str, options: &[&str]) -> BTreeMap<String, Dated> {
    let args = [&["copy", "-n", "--json", "--by-date", "--photos"], options, &["src", "dst"]].concat();
    let plan = stdout(&run_with(dir, executable(), &args, &[("TZ", zone)]));
    let events = plan.lines().map(|l| serde_json::from_str::<serde_json::Value>(l).expect("JSON"));
    events
        .filter(|e| e["from"].is_string())
        .map(|e| {
            let of = |key: &str| e[key].as_str().unwrap_or_default().to_string();
            (of("from")["src/".len()..].to_string(), (of("taken"), of("zone"), of("date_from")))
        })
        .collect()
}

fn put(dir: &Path, name: &str, bytes: &[u8]) {
    let path = dir.join("src").join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(&path, bytes).expect("a file");
    let times = FileTimes::new().set_modified(SystemTime::UNIX_EPOCH + OLD);
    File::options().write(true).open(path).and_then(|f| f.set_times(times)).expect("times");
}

/// Seconds from 1904 to 2024-05-31 21:30:00 UTC.
const FILM: u64 = 2_082_844_800 + 1_717_191_000;

/// Every kind of file, with the date and offset that it states, and its origin.
fn kinds() -> Vec<(&'static str, Vec<u8>, &'static str, &'static str, &'static str)> {
    let at = |date: &str| Exif { original: date.into(), ..Exif::default() };
    let usual = at("2019:02:01 10:00:00");
    let xmp = |attribute: &str| {
        format!(
            "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\
             <rdf:Description xmlns:exif=\"http://ns.adobe.com/exif/1.0/\" xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\" \
             xmlns:photoshop=\"http://ns.adobe.com/photoshop/1.0/\" {attribute}/></rdf:RDF></x:xmpmeta>"
        )
        .into_bytes()
    };
    let app1 = |packet: &[u8]| [b"http://ns.adobe.com/xap/1.0/\0", packet].concat();
    let exif = [b"Exif\0\0", &usual.tiff()[..]].concat();
    let jpeg = photo::jpeg_with;
    let day = "2019-02-01T10:00:00";
    let original = "exif-original";
    let mut all = vec![
        ("jpeg/plain.jpg", jpeg(&[(0xe1, &exif)]), day, "", original),
        ("jpeg/fill bytes.jpg", photo::with_fill_bytes(&jpeg(&[(0xe1, &exif)])), day, "", original),
        ("jpeg/after xmp.jpg", jpeg(&[(0xe1, &app1(&xmp(""))), (0xe1, &exif)]), day, "", original),
        ("jpeg/after jfif.jpg", jpeg(&[(0xe0, b"JFIF\0\x01\x02\0\0\x01\0\x01\0\0"), (0xe1, &exif)]), day, "", original),
        ("jpeg/after icc.jpg", jpeg(&[(0xe2, &[7; 60_000]), (0xe1, &exif)]), day, "", original),
        ("jpeg/big-endian.jpg", jpeg(&[(0xe1, &Exif { big: true, ..usual.clone() }.segment())]), day, "", original),
        ("jpeg/far.jpg", jpeg(&[(0xe1, &Exif { gap: 3396, ..usual.clone() }.segment())]), day, "", original),
        ("jpeg/main.jpg", jpeg(&[(0xe1, &Exif { in_main: true, ..usual.clone() }.segment())]), day, "", original),
        (
            "jpeg/xmp alone.jpg",
            jpeg(&[(0xe1, &app1(&xmp("exif:DateTimeOriginal='2019-02-09T10:00:00'")))]),
            "2019-02-09T10:00:00",
            "",
            "xmp-original",
        ),
        (
            "jpeg/xmp created.jpg",
            jpeg(&[(0xe1, &app1(&xmp("photoshop:DateCreated='2019-02-08T10:00:00+02:00'")))]),
            "2019-02-08T10:00:00",
            "+02:00",
            "xmp-create",
        ),
        (
            "jpeg/iptc.jpg",
            jpeg(&[(
                0xed,
                b"Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0\x1d\x1c\x02\x37\0\x0820190207\x1c\x02\x3c\0\x0b100000+0100\0",
            )]),
            "2019-02-07T10:00:00",
            "+01:00",
            "iptc",
        ),
        (
            "jpeg/modified.jpg",
            jpeg(&[(0xe1, &Exif { modified: "2003:05:14 10:51:39".into(), ..Exif::default() }.segment())]),
            "2003-05-14T10:51:39",
            "",
            "modify",
        ),
        (
            "jpeg/created.jpg",
            jpeg(&[(
                0xe1,
                &Exif {
                    digitized: "2019:02:03 10:00:00".into(),
                    original: "0000:00:00 00:00:00".into(),
                    ..Exif::default()
                }
                .segment(),
            )]),
            "2019-02-03T10:00:00",
            "",
            "exif-create",
        ),
        (
            "jpeg/zone.jpg",
            jpeg(&[(0xe1, &Exif { offset: "-05:00".into(), fraction: "25".into(), ..usual.clone() }.segment())]),
            "2019-02-01T10:00:00.250",
            "-05:00",
            original,
        ),
        ("tiff/plain.tif", usual.tiff(), day, "", original),
        ("tiff/panasonic.rw2", Exif { magic: *b"U\0", ..usual.clone() }.tiff(), day, "", original),
        ("tiff/olympus.orf", Exif { magic: *b"RO", ..usual.clone() }.tiff(), day, "", original),
        ("tiff/olympus older.orf", Exif { magic: *b"RS", ..usual.clone() }.tiff(), day, "", original),
        ("tiff/olympus oldest.orf", Exif { magic: *b"RO", big: true, ..usual.clone() }.tiff(), day, "", original),
        ("heif/file.heic", photo::heif("heic", &usual.tiff(), false, false), day, "", original),
        ("heif/named.heic", photo::heif("heic", &usual.tiff(), true, false), day, "", original),
        ("heif/any.heif", photo::heif("mif1", &usual.tiff(), false, false), day, "", original),
        ("heif/any.avif", photo::heif("avif", &usual.tiff(), false, false), day, "", original),
        ("jxl/plain.jxl", photo::jpeg_xl(&usual.tiff(), false), day, "", original),
        ("webp/plain.webp", photo::webp(&usual.tiff()), day, "", original),
        ("webp/named.webp", photo::webp(&exif), day, "", original),
        ("png/exif.png", photo::png(&[(b"eXIf", &usual.tiff())]), day, "", original),
        (
            "png/time.png",
            photo::png(&[(b"tIME", &[7, 0xe3, 2, 4, 10, 0, 0])]),
            "2019-02-04T10:00:00",
            "+00:00",
            "modify",
        ),
        (
            "png/text.png",
            photo::png(&[(b"tEXt", b"Creation Time\x002019:02:06 10:00:00")]),
            "2019-02-06T10:00:00",
            "",
            "png-text",
        ),
        (
            "png/mail.png",
            photo::png(&[(b"tEXt", b"Creation Time\0Wed, 06 Feb 2019 10:00:00 +0100")]),
            "2019-02-06T10:00:00",
            "+01:00",
            "png-text",
        ),
        (
            "png/xmp.png",
            photo::png(&[(
                b"iTXt",
                &[b"XML:com.adobe.xmp\0\0\0\0\0", &xmp("xmp:CreateDate='2019-02-05T10:00:00'")[..]].concat(),
            )]),
            "2019-02-05T10:00:00",
            "",
            "xmp-create",
        ),
        ("avi/idit.avi", photo::avi(b"IDIT", b"Mon Mar 10 15:04:43 2003\n\0"), "2003-03-10T15:04:43", "", "film-local"),
        (
            "avi/strd.avi",
            photo::avi_with_strd(&[b"AVIF\0\0\0\0", &usual.directories(0)[..]].concat()),
            day,
            "",
            original,
        ),
    ];
    let film = |options: &photo::Film<'_>| options.bytes();
    let plain = photo::Film { made: FILM, ..photo::Film::default() };
    let (utc, at_utc) = ("2024-05-31T21:30:00", "+00:00");
    for (name, order) in [
        ("film/first moov.mov", "moov,mdat"),
        ("film/first skip.mov", "skip,mdat,moov"),
        ("film/first free.mov", "free,mdat,moov"),
        ("film/first wide.mov", "wide,mdat,moov"),
        ("film/first mdat.mov", "mdat,moov"),
        ("film/usual.mp4", "ftyp,mdat,moov"),
    ] {
        all.push((name, film(&photo::Film { order, ..plain.clone() }), utc, at_utc, "film"));
    }
    for (name, brand) in [
        ("film/nvr1.mp4", "nvr1"),
        ("film/msnv.mp4", "MSNV"),
        ("film/iso5.mp4", "iso5"),
        ("film/3gp.3gp", "3gp5"),
        ("film/any.m4v", "abcd"),
    ] {
        all.push((name, film(&photo::Film { brand, ..plain.clone() }), utc, at_utc, "film"));
    }
    let key = |value| photo::Film { key: Some(("com.apple.quicktime.creationdate", value)), ..plain.clone() };
    all.extend([
        ("film/version 1.mp4", film(&photo::Film { version: 1, ..plain.clone() }), utc, at_utc, "film"),
        (
            "film/since 1970.mp4",
            film(&photo::Film { made: FILM - 2_082_844_800, ..plain.clone() }),
            utc,
            at_utc,
            "film",
        ),
        ("film/apple.mov", film(&key("2024-06-01T07:30:00+1000")), "2024-06-01T07:30:00", "+10:00", "film-text"),
        ("film/greenwich.mov", film(&key("2024-06-01T07:30:00+0000")), "2024-06-01T07:30:00", "+00:00", "film-text"),
        (
            "film/day.mp4",
            film(&photo::Film { day: Some("2024-06-02T07:30:00+1000"), ..plain.clone() }),
            "2024-06-02T07:30:00",
            "+10:00",
            "film-text",
        ),
        ("film/nikon.mov", film(&photo::Film { brand: "niko", ..plain.clone() }), utc, "", "film-local"),
        (
            "film/gopro.mp4",
            film(&photo::Film { key: Some(("com.apple.quicktime.make", "GoPro")), ..plain.clone() }),
            utc,
            "",
            "film-local",
        ),
        ("film/matroska.mkv", photo::matroska(FILM - 2_082_844_800), utc, at_utc, "film"),
        ("film/windows.wmv", photo::wmv(FILM - 2_082_844_800), utc, at_utc, "film"),
        ("film/avchd.mts", photo::avchd(), "2024-05-31T21:30:00", "+02:00", "film-text"),
    ]);
    all
}

/// What ExifTool reads differently: it does not look for items of HEIF in `idat`, and packs of Brotli need a module.
fn ours_alone() -> Vec<(&'static str, Vec<u8>)> {
    let usual = Exif { original: "2019:02:01 10:00:00".into(), ..Exif::default() };
    vec![
        ("heif/inside.heic", photo::heif("heic", &usual.tiff(), false, true)),
        ("jxl/packed.jxl", photo::jpeg_xl(&usual.tiff(), true)),
    ]
}

#[test]
fn every_kind_of_file_has_its_date() {
    let dir = tempfile::tempdir().expect("a folder");
    let kinds = kinds();
    for (name, bytes, ..) in &kinds {
        put(dir.path(), name, bytes);
    }
    let ours = dates(dir.path(), "UTC", &[]);
    let told = dates(dir.path(), "UTC", &["--dates", "exiftool"]);
    for (name, _, date, zone, origin) in &kinds {
        let want = (date.to_string(), zone.to_string(), origin.to_string());
        assert_eq!(ours[*name], want, "{name}");
        assert_eq!(told[*name], want, "{name}, as exiftool reads it");
    }
    assert_eq!(ours.len(), kinds.len());
    for (name, bytes) in ours_alone() {
        put(dir.path(), name, &bytes);
        assert_eq!(dates(dir.path(), "UTC", &[])[name].2, "exif-original", "{name}");
    }
}

/// `text` in the fields of EXIF: separators, zones, fractions, and what is missing.
#[test]
fn unusual_dates_of_exif() {
    let dir = tempfile::tempdir().expect("a folder");
    let forms = [
        ("2012-12-22 10:37:28", "2012-12-22T10:37:28", ""),
        ("2012/12/22 10:37:28", "2012-12-22T10:37:28", ""),
        ("2025-01-30T08:59:50+01:00", "2025-01-30T08:59:50", "+01:00"),
        ("2019:11:28 14:38:40:794", "2019-11-28T14:38:40.794", ""),
        ("2019:11:28 14:38:40.794", "2019-11-28T14:38:40.794", ""),
        ("2018:11:28", "2018-11-28T00:00:00", ""),
        ("2017:11:28 14:38", "2017-11-28T14:38:00", ""),
        ("2016:11:28 14:38:40 ", "2016-11-28T14:38:40", ""),
        ("2015:11: 8  4:38:40", "2015-11-08T04:38:40", ""),
        ("2015:11:08 24:00:00", "2015-11-09T00:00:00", ""),
    ];
    for (i, (text, ..)) in forms.iter().enumerate() {
        let exif = Exif { original: text.to_string(), ..Exif::default() };
        put(dir.path(), &format!("{i}.jpg"), &photo::jpeg_with(&[(0xe1, &exif.segment())]));
    }
    let ours = dates(dir.path(), "Europe/Berlin", &[]);
    for (i, (text, date, zone)) in forms.iter().enumerate() {
        let want = (date.to_string(), zone.to_string(), "exif-original".to_string());
        assert_eq!(ours[&format!("{i}.jpg")], want, "{text}");
    }
}

/// The zone of the computer, of the place and of the maker's habits.
#[test]
fn films_and_time_zones() {
    let dir = tempfile::tempdir().expect("a folder");
    let film = photo::Film { made: FILM, ..photo::Film::default() };
    put(dir.path(), "phone.mp4", &film.bytes());
    put(dir.path(), "nikon.mov", &photo::Film { brand: "niko", ..film }.bytes());
    let (utc, tokyo) = ("2024-05-31T21:30:00", "2024-06-01T06:30:00");
    let of = |options: &[&str]| {
        let all = dates(dir.path(), "Asia/Tokyo", options);
        [all["phone.mp4"].0.clone(), all["nikon.mov"].0.clone()]
    };
    assert_eq!(of(&[]), [tokyo, utc]);
    assert_eq!(of(&["--film-time", "local"]), [utc, utc]);
    assert_eq!(of(&["--film-time", "utc"]), [tokyo, tokyo]);
    assert_eq!(of(&["--dates", "exiftool"]), [tokyo, utc]);
    // Names of Pixel phones are in UTC.
    put(dir.path(), "PXL_20240531_213000000.jpg", b"no metadata");
    let all = dates(dir.path(), "Asia/Tokyo", &[]);
    assert_eq!(all["PXL_20240531_213000000.jpg"], (tokyo.into(), "+09:00".into(), "name".into()));
}

/// Names of files are passed to a program one of whose options runs Perl.
#[test]
fn names_of_files_are_not_options_of_exiftool() {
    let dir = tempfile::tempdir().expect("a folder");
    let picture =
        photo::jpeg_with(&[(0xe1, &Exif { original: "2019:02:01 10:00:00".into(), ..Exif::default() }.segment())]);
    let attack = "system('touch pwned') #.jpg";
    let names = [
        "-if".to_string() + ".jpg",
        format!("x.jpg\n-if\n{attack}"),
        format!("-execute\n-if\n{attack}"),
        format!("\r-if\r{attack}"),
        "#[CSTR]x\\n-if.jpg".into(),
        "-config.jpg".into(),
        "-stay_open\nFalse\n.jpg".into(),
        " x .jpg".into(),
        "@.jpg".into(),
        "%d*?.jpg".into(),
    ];
    for name in &names {
        put(dir.path(), name, &picture);
    }
    // A configuration in a place where ExifTool looks for it would run, too.
    fs::write(dir.path().join(".ExifTool_config"), "system('touch configured');").expect("a file");
    let args = ["copy", "-n", "--json", "--by-date", "--photos", "--dates", "exiftool", "src", "dst"];
    let home = dir.path().to_str().expect("text");
    let program = executable();
    let output = run_with(dir.path(), program, &args, &[("HOME", home), ("EXIFTOOL_HOME", home)]);
    let plan = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(plan.matches("\"exif-original\"").count(), names.len(), "{plan}");
    assert_eq!(plan.matches("cannot be passed to exiftool").count(), 4, "{plan}");
    for trace in ["pwned", "configured", "src/pwned"] {
        assert!(!dir.path().join(trace).exists(), "{trace}");
    }
}

#[test]
fn exiftool_that_is_missing() {
    let dir = tempfile::tempdir().expect("a folder");
    put(dir.path(), "a.jpg", b"x");
    let args = ["copy", "--by-date", "--dates", "exiftool", "src", "dst"];
    let output = run_with(dir.path(), executable(), &args, &[("PATH", "/nowhere")]);
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(
        text(&output.stderr),
        "hashmill: exiftool cannot be started (no such file or directory); install it, or leave out --dates exiftool\n"
    );
    assert!(!dir.path().join("dst").exists());
    // Without dates, it is not needed.
    assert!(hashmill(dir.path(), &["copy", "--dates", "exiftool", "src", "dst"]).status.success());
}

/// An ExifTool that fails is reported, does not stop the import, and is not waited for.
#[test]
fn exiftool_that_misbehaves() {
    let dir = tempfile::tempdir().expect("a folder");
    let exif = Exif { original: "2019:02:01 10:00:00".into(), ..Exif::default() };
    put(dir.path(), "a.jpg", &photo::jpeg_with(&[(0xe1, &exif.segment())]));
    put(dir.path(), "with\nnewline.txt", b"no picture");
    let program = dir.path().join("exiftool");
    let path = format!("{}:/usr/bin:/bin", dir.path().display());
    // Each answers the first question, which is about its version.
    let first = "#!/bin/bash\nanswer() { while read -r l; do [ \"$l\" = -execute ] && return; done; exit; }\nanswer; echo '{ready}'\n";
    for (then, cause) in [
        ("answer; exit", "it has ended"),
        ("answer; echo '[{'; echo '{ready}'; sleep 1000", "its answer is not understood"),
        ("answer; echo '[5]'; echo '{ready}'; sleep 1000", "its answer is not understood"),
        ("answer; exec yes | tr -d '\\n'", "its answer is too long"),
    ] {
        fs::write(&program, format!("{first}{then}\n")).expect("a program");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
        let args = ["copy", "-n", "--json", "--by-date", "--dates", "exiftool", "src", "dst"];
        let output = run_with(dir.path(), executable(), &args, &[("PATH", &path)]);
        let plan = text(&output.stdout);
        assert!(output.status.success() && output.stderr.is_empty(), "{then}: {}", text(&output.stderr));
        let warning = format!("exiftool failed ({cause}), so hashmill reads the dates of the other files");
        assert!(plan.contains(&warning), "{then}: {plan}");
        assert!(plan.contains("\"exif-original\"") && plan.contains("2019-02-01T10:00:00"), "{then}: {plan}");
        // Files that have no date of their own are not asked about.
        assert!(!plan.contains("cannot be passed"), "{then}: {plan}");
    }
    fs::write(&program, "#!/bin/bash\n").expect("a program");
    let args = ["copy", "--by-date", "--dates", "exiftool", "src", "dst"];
    let output = run_with(dir.path(), executable(), &args, &[("PATH", &path)]);
    let cause = "exiftool cannot be started (it has ended); install it, or leave out --dates exiftool";
    assert_eq!(text(&output.stderr), format!("hashmill: {cause}\n"));
}

/// A name tells more than the last change in the metadata, which any editor sets, and that more than the file.
#[test]
fn what_is_used_last() {
    let dir = tempfile::tempdir().expect("a folder");
    let changed = Exif { modified: "2020:06:07 08:09:10".into(), ..Exif::default() };
    for name in ["IMG_20190201_100000.jpg", "a.jpg"] {
        put(dir.path(), name, &photo::jpeg_with(&[(0xe1, &changed.segment())]));
    }
    for options in [&[][..], &["--dates", "exiftool"]] {
        let all = dates(dir.path(), "UTC", options);
        let of = |name: &str| [&all[name].0[..], &all[name].2].map(String::from);
        assert_eq!(of("IMG_20190201_100000.jpg"), ["2019-02-01T10:00:00", "name"], "{options:?}");
        assert_eq!(of("a.jpg"), ["2020-06-07T08:09:10", "modify"], "{options:?}");
    }
}

/// Positions and lengths up to the largest number, and dates at the ends of the calendar.
#[test]
fn numbers_that_are_too_large() {
    let dir = tempfile::tempdir().expect("a folder");
    let film = |made| photo::Film { made, version: 1, ..photo::Film::default() }.bytes();
    let mut wmv = photo::wmv(1_717_191_000);
    wmv[46..54].fill(0xff);
    let mut long = film(FILM);
    long.splice(0..0, [&[0, 0, 0, 1][..], b"free", &[0xff; 8]].concat());
    for (name, bytes) in [
        ("a.wmv", wmv),
        ("b.mp4", film(u64::MAX)),
        ("c.mp4", film(u64::MAX / 2)),
        ("d.mp4", film(8_210_266_876_799 + 2_082_844_800)),
        ("e.mp4", long),
        ("f.tif", [&b"II+\0\x08\0\0\0"[..], &[0xff; 600]].concat()),
        ("g.tif", [&b"II*\0"[..], &[0xff; 600]].concat()),
    ] {
        put(dir.path(), name, &bytes);
    }
    for zone in ["Pacific/Kiritimati", "Pacific/Pago_Pago"] {
        let all = dates(dir.path(), zone, &[]);
        assert_eq!(all.len(), 7);
        let elsewhere = |(_, _, from): &Dated| from == "birth" || from == "modified";
        assert!(all.iter().all(|(name, date)| elsewhere(date) || name == "a.wmv"), "{all:?}");
    }
}

/// Dates from real EXIF data and from films, valid and invalid ones.
#[test]
fn pictures_go_where_their_dates_say() {
    let dir = tempfile::tempdir().unwrap();
    let src = dir.path().join("src");
    fs::create_dir(&src).unwrap();
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let make = |name: &str, bytes: &[u8], tags: &[&str]| {
        fs::write(src.join(name), bytes).unwrap();
        if !tags.is_empty() {
            let args = [&["-config", "", "-q", "-overwrite_original"], tags, &[name]].concat();
            stdout(&run(&src, "exiftool", &args, b""));
        }
        File::open(src.join(name)).unwrap().set_times(FileTimes::new().set_modified(old)).unwrap();
    };
    let jpeg = photo::jpeg();
    make(
        "canon.jpg",
        &jpeg,
        &[
            "-Make=Canon",
            "-Model=Canon EOS R5",
            "-DateTimeOriginal=2021:03:04 05:06:07",
            "-SubSecTimeOriginal=42",
            "-OffsetTimeOriginal=+09:00",
            "-CreateDate=2020:01:01 00:00:01",
        ],
    );
    make("nikon.JPG", &jpeg, &["-Make=NIKON CORPORATION", "-Model=NIKON D850", "-CreateDate=2019:12:31 23:59:59"]);
    make(
        "phone.jpg",
        &jpeg,
        &[
            "-Make=Apple",
            "-Model=iPhone 15/Pro: \"x\"",
            "-DateTimeOriginal=2024:02:29 10:00:00",
            "-OffsetTimeOriginal=-05:00",
        ],
    );
    make("zero.jpg", &jpeg, &["-DateTimeOriginal#=0000:00:00 00:00:00", "-CreateDate=2018:07:06 05:04:03"]);
    make("wrong_20170203_040506.jpg", &jpeg, &["-DateTimeOriginal#=2017:13:45 99:00:00"]);
    make("unset.jpg", &jpeg, &["-DateTimeOriginal=1980:01:01 00:00:00"]);
    make("future.jpg", &jpeg, &["-DateTimeOriginal#=2199:01:01 00:00:00"]);
    make("none.jpg", &jpeg, &[]);
    make("cut.jpg", &jpeg[..20], &[]);
    make("raw.dng", &[photo::tiff("2016:05:04 03:02:01"), vec![0; 4096]].concat(), &[]);
    make("film.mov", &photo::movie("qt  ", 3_692_217_600), &[]);
    make("apple.mov", &photo::movie("qt  ", 3_692_217_600), &["-Keys:CreationDate=2022:08:09 23:30:00+11:00"]);
    make("no date.mp4", &photo::movie("mp42", 0), &[]);
    make("picture.heic", &photo::heic("2015:04:03 02:01:00"), &[]);
    let mut command = bare::command(executable());
    // 2020-12-31 00:00:00 UTC is still the day before in New York.
    let o = command
        .args(["copy", "--json", "--layout", "{date}_{time}.{subsec}{zone}/{camera}/{name}", "src", "dst"])
        .current_dir(dir.path())
        .env("TZ", "America/New_York")
        .output()
        .unwrap();
    let events = json(&o);
    let mut found = BTreeMap::new();
    for e in events.iter().filter(|e| e["from"].is_string()) {
        let name = Path::new(e["from"].as_str().unwrap()).file_name().unwrap().to_str().unwrap().to_string();
        let folder = e["path"].as_str().unwrap().strip_prefix("dst/").unwrap();
        let folder = folder.strip_suffix(&format!("/{name}")).unwrap().to_string();
        found.insert(name, (folder, e["date_from"].as_str().unwrap().to_string()));
    }
    let mut want = BTreeMap::new();
    let mut expect = |name: &str, folder: &str, from: &str| {
        want.insert(name.to_string(), (folder.to_string(), from.to_string()));
    };
    expect("canon.jpg", "2021-03-04_050607.420+0900/Canon EOS R5", "exif-original");
    expect("nikon.JPG", "2019-12-31_235959.000none/NIKON D850", "exif-create");
    expect("phone.jpg", "2024-02-29_100000.000-0500/iPhone 15_Pro_ _x_", "exif-original");
    expect("zero.jpg", "2018-07-06_050403.000none/unknown", "exif-create");
    expect("wrong_20170203_040506.jpg", "2017-02-03_040506.000none/unknown", "name");
    for name in ["unset.jpg", "future.jpg", "none.jpg", "cut.jpg", "no date.mp4"] {
        expect(name, "2001-09-08_214640.000-0400/unknown", "modified");
    }
    expect("raw.dng", "2016-05-04_030201.000none/unknown", "exif-original");
    expect("film.mov", "2020-12-30_190000.000-0500/unknown", "film");
    expect("apple.mov", "2022-08-09_233000.000+1100/unknown", "film-text");
    expect("picture.heic", "2015-04-03_020100.000none/unknown", "exif-original");
    assert_eq!(found, want);
}

/// On a machine whose clock is not set (it says 1970), the dates of pictures must still be believed.
#[test]
fn a_clock_that_is_not_set() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    let library = preloaded(d, "clock.c");
    fs::create_dir(d.join("s")).unwrap();
    fs::write(d.join("s/x.jpg"), dated("2024:05:31 14:25:07")).unwrap();
    let o = bare::command(executable())
        .args(["copy", "--by-date", "s", "d"])
        .current_dir(d)
        .env("LD_PRELOAD", &library)
        .output()
        .unwrap();
    assert!(o.status.success(), "{}", text(&o.stderr));
    assert!(text(&o.stderr).contains("clock is not set"), "{}", text(&o.stderr));
    assert!(
        d.join("d/2024/2024-05/x.jpg").exists() || d.join("d/2024/2024-05-31/x.jpg").exists(),
        "{:?}",
        files(&d.join("d"))
    );
    let said = text(&copy(d, &["--by-date", "s", "e"]).stderr);
    assert_eq!(said, "");
}

/// Sets the modification time of a file, in seconds since 1970. Returns false if the file system keeps another one.
fn set_time(path: &Path, seconds: i64) -> bool {
    let time = rustix::fs::Timespec { tv_sec: seconds, tv_nsec: 0 };
    let times = rustix::fs::Timestamps { last_access: time, last_modification: time };
    let set = rustix::fs::utimensat(rustix::fs::CWD, path, &times, rustix::fs::AtFlags::empty());
    set.is_ok() && fs::metadata(path).unwrap().mtime() == seconds
}

/// Dates that are not the pictures' own are counted by where they come from, and `--no-date` decides about the rest.
#[test]
fn files_without_a_date_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::create_dir(d.join("s")).unwrap();
    fs::write(d.join("s/own.jpg"), dated("2024:05:31 14:25:07")).unwrap();
    for name in ["IMG-20200102-WA0001.jpg", "IMG-20200102-WA0001.xmp", "plain.jpg", "plain.xmp", "film.mp4", "new.jpg"]
    {
        fs::write(d.join("s").join(name), name).unwrap();
    }
    for name in ["plain.jpg", "plain.xmp", "film.mp4"] {
        assert!(set_time(&d.join("s").join(name), 1_600_000_000));
    }
    let plan = copy_ok(d, &["-n", "--by-date", "s", "d"]);
    assert!(plan.ends_with(", dated by name 2, by birth time 1, by modification time 3\n"), "{plan}");
    let last = summary(&copy(d, &["--json", "--by-date", "s", "d"]));
    assert_eq!(last["dated_by"], serde_json::json!({"name": 2, "birth": 1, "modified": 3}));
    let again = copy_ok(d, &["--by-date", "s", "d"]);
    assert!(again.contains("7 there already, dated by name 2, by birth time 1, by modification time 3"), "{again}");
    // A layout without dates has no need of them.
    let said = copy_ok(d, &["--no-date", "skip", "--layout", "{camera}/{name}", "s", "camera"]);
    assert!(said.starts_with("7 files copied") && !said.contains("dated"), "{said}");
    // Sidecars share what becomes of their picture.
    let o = copy(d, &["--no-date", "skip", "--move", "--by-date", "s", "skip"]);
    let said = (text(&o.stdout), text(&o.stderr));
    assert!(o.status.success() && said.0.contains("4 skipped, 3 sources deleted, dated by name 2;"), "{said:?}");
    for name in ["plain.jpg", "plain.xmp", "film.mp4", "new.jpg"] {
        assert!(said.1.contains(&format!("s/{name}: skipped (no date in its metadata or its name;")), "{}", said.1);
    }
    assert_eq!(names(&d.join("s")), ["film.mp4", "new.jpg", "plain.jpg", "plain.xmp"]);
    let plan = copy_ok(d, &["-n", "--no-date", "unknown", "--by-date", "s", "unknown"]);
    assert!(plan.contains("s/plain.xmp -> unknown/unknown/plain.xmp  [no date]"), "{plan}");
    let o = copy(d, &["--json", "--no-date", "unknown", "--layout", "{year}/{camera}/{date}_{time}", "s", "unknown"]);
    assert_eq!(summary(&o)["dated_by"], serde_json::json!({"unknown": 4}));
    let first: serde_json::Value = serde_json::from_str(text(&o.stdout).lines().next().unwrap()).unwrap();
    assert_eq!((&first["date_from"], &first["taken"]), (&serde_json::json!("unknown"), &serde_json::Value::Null));
    assert_eq!(names(&d.join("unknown/unknown/unknown")), ["film.mp4", "new.jpg", "plain.jpg", "plain.xmp"]);
    let said = copy_ok(d, &["--no-date", "unknown", "--by-date", "s", "e"]);
    assert!(said.contains(", without a date 4;"), "{said}");
}

/// Times that no calendar has are no dates, and do not end the run.
#[test]
fn times_outside_the_calendar() {
    let Ok(dir) = tempfile::tempdir_in("/dev/shm") else { return hashmill_testing::skip("there is no /dev/shm") };
    let d = dir.path();
    fs::create_dir(d.join("s")).unwrap();
    let outside = [
        i64::MAX,
        i64::MIN,
        8_210_266_876_799,
        8_210_266_876_800,
        -8_334_601_228_801,
        253_402_300_800,
        -62_135_596_801,
    ];
    let inside = [-1, 0, 253_402_214_400, -62_135_510_400];
    for (i, &time) in outside.iter().chain(&inside).enumerate() {
        let path = d.join(format!("s/f{i:02}.jpg"));
        fs::write(&path, i.to_string()).unwrap();
        if !set_time(&path, time) {
            return hashmill_testing::skip("/dev/shm does not keep such times");
        }
    }
    let o = copy(d, &["--by-date", "--photos", "s", "d"]);
    let said = text(&o.stderr);
    assert!(o.status.success() && !said.contains("panicked"), "{said}");
    assert_eq!(names(&d.join("d/unknown")).len(), outside.len(), "{said}");
    assert_eq!(
        said.matches("modification time is not in the years 1 to 9999, so it has no date").count(),
        outside.len()
    );
    let years = names(&d.join("d"));
    assert!(years.iter().all(|y| y == "unknown" || y.len() == 4 && y.bytes().all(|b| b.is_ascii_digit())), "{years:?}");
    assert!(years.contains(&"0001".into()), "{years:?}");
    let o = copy(d, &["--by-date", "--no-date", "skip", "s", "e"]);
    assert!(o.status.success() && text(&o.stdout).contains(", 11 skipped"), "{}", text(&o.stdout));
    // A copy of the tree keeps them all.
    copy_ok(d, &["s", "tree"]);
    for (i, &time) in outside.iter().chain(&inside).enumerate() {
        assert_eq!(fs::metadata(d.join(format!("tree/f{i:02}.jpg"))).unwrap().mtime(), time);
    }
}

/// A time that the destination cannot hold is reported, as everything else that a copy cannot keep.
#[test]
fn times_that_the_destination_cannot_hold() {
    let Ok(source) = tempfile::tempdir_in("/dev/shm") else { return hashmill_testing::skip("there is no /dev/shm") };
    let dir = tempfile::tempdir().unwrap();
    let there = dir.path().join("there");
    fs::write(&there, "").unwrap();
    let late = 253_402_300_800;
    for name in ["a", "b"] {
        fs::write(source.path().join(name), name).unwrap();
        if !set_time(&source.path().join(name), late) {
            return hashmill_testing::skip("/dev/shm does not keep such times");
        }
    }
    if set_time(&there, late) {
        return hashmill_testing::skip("the file system of temporary files holds such times");
    }
    let o = copy(dir.path(), &[source.path().to_str().unwrap(), "d"]);
    let said = text(&o.stderr);
    assert!(o.status.success(), "{said}");
    assert!(said.contains(": warning: modification times could not be kept (and those of 1 more)"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}
