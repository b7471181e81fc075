//! What belongs to a picture, and what is no picture.

use crate::support::photo;
use crate::support::running::{copy, copy_ok, files, names, summary};
use crate::support::trees::dated;
use hashmill_measure::bare;
use hashmill_testing::{executable, text};
use std::fs;

/// Pictures of the same name from several cards must stay together with their sidecars.
#[test]
fn what_belongs_together_stays_together() {
    let dir = tempfile::tempdir().unwrap();
    let at = |p: &str| dir.path().join(p);
    for (card, content) in [("one", "1"), ("two", "2"), ("three", "1")] {
        fs::create_dir_all(at(card)).unwrap();
        for name in ["IMG_1.JPG", "IMG_1.CR2", "IMG_1.xmp", "IMG_1.JPG.xmp"] {
            // The raw file is the same on all cards: the second card's must be copied nevertheless, beside its own
            // picture.
            let content = if name.ends_with("CR2") { "raw" } else { content };
            fs::write(at(card).join(name), format!("{name}{content}")).unwrap();
        }
    }
    copy_ok(dir.path(), &["--photos", "--layout", "{name}", "one", "two", "three", "dst"]);
    let of = |n: &str| names(&at("dst")).into_iter().filter(|name| name.contains(n)).count();
    assert_eq!(names(&at("dst")).len(), 8, "{:?}", names(&at("dst")));
    assert_eq!(of("-1."), 4);
    for name in ["IMG_1-1.JPG", "IMG_1-1.CR2", "IMG_1-1.xmp", "IMG_1-1.JPG.xmp"] {
        assert!(at("dst").join(name).exists(), "{name} of {:?}", names(&at("dst")));
    }
    assert_eq!(fs::read_to_string(at("dst/IMG_1-1.JPG")).unwrap(), "IMG_1.JPG2");
    // Again, in a different order: nothing is new.
    let said = copy_ok(dir.path(), &["--photos", "--layout", "{name}", "two", "three", "one", "dst"]);
    assert!(said.starts_with("0 files copied"), "{said}");
}

/// Seconds between 1904, where films count from, and 1970.
const FILM_EPOCH: u32 = 2_082_844_800;

/// Imports leave out what systems put next to pictures; copies of whole trees do not.
#[test]
fn thumbnails_and_system_files() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    for (name, content) in [
        ("IMG_1.JPG", &b"picture"[..]),
        ("._IMG_1.JPG", b"\0\x05\x16\x07\0\x02\0\0Mac OS X"),
        ("._real.jpg", b"a picture of an odd name"),
        (".DS_Store", b"Bud1"),
        ("sub/Thumbs.db", b"thumbs"),
        ("sub/@eaDir/IMG_1.JPG/SYNOPHOTO_THUMB_M.jpg", b"thumb"),
        ("sub/@eaDir/IMG_1.JPG/SYNOPHOTO_THUMB_B.jpg", b"thumb b"),
        (".thumbnails/1.jpg", b"thumb 1"),
        (".Trash-1000/files/deleted.jpg", b"deleted"),
    ] {
        let path = d.join("s").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let plan = copy_ok(d, &["-n", "--by-date", "s", "d"]);
    let left_out = |n: u64| {
        format!("2 files would be copied (31 B), {n} left out (thumbnails and system files; --all copies them)")
    };
    assert!(plan.contains(&left_out(7)), "{plan}");
    // Only those are counted that the selection takes otherwise.
    for selection in [&["--photos"][..], &["--ext", "jpg"]] {
        let plan = copy_ok(d, &[&["-n"], selection, &["s", "d"]].concat());
        assert!(plan.contains(&left_out(5)), "{plan}");
        let plan = copy_ok(d, &[&["-n", "--all"], selection, &["s", "d"]].concat());
        assert!(plan.contains("7 files would be copied") && !plan.contains("left out"), "{plan}");
    }
    assert!(copy_ok(d, &["-n", "--all", "--by-date", "s", "d"]).contains("9 files would be copied"));
    let before = files(&d.join("s"));
    copy_ok(d, &["s", "tree"]);
    assert_eq!(files(&d.join("tree")), before);
    // A picture in the trash of the destination is not there already; what is left out is not deleted.
    fs::create_dir_all(d.join("d/#recycle")).unwrap();
    fs::write(d.join("d/#recycle/x.jpg"), "picture").unwrap();
    let last = summary(&copy(d, &["--json", "--move", "--dedupe", "--layout", "{name}", "s", "d"]));
    let of = |key: &str| last[key].as_u64().unwrap();
    assert_eq!((of("copied"), of("duplicates"), of("left_out"), of("removed")), (2, 0, 7, 2), "{last}");
    assert_eq!(names(&d.join("d")), ["#recycle", "._real.jpg", "IMG_1.JPG"]);
    let after = files(&d.join("s"));
    assert!(before.iter().all(|(name, content)| after.get(name) == Some(content)
        || name.ends_with("IMG_1.JPG")
        || name.ends_with("._real.jpg")));
    // A file that the user names is taken, whatever it is called.
    assert!(copy_ok(d, &["--by-date", "s/._IMG_1.JPG", "named/"]).starts_with("1 file copied"));
}

/// Apple's names of one shot stay together. Files that have only their names in common do not.
#[test]
fn siblings_by_name_and_by_date() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    let film = |seconds: u32| photo::movie("qt  ", seconds + FILM_EPOCH);
    let (may, june) = (1_556_704_800, 1_686_830_400);
    fs::create_dir_all(d.join("s")).unwrap();
    for (name, content) in [
        ("IMG_1234.HEIC", photo::heic("2019:05:01 10:00:00")),
        ("IMG_E1234.HEIC", [photo::heic("2019:05:01 10:00:00"), vec![0; 9]].concat()),
        ("IMG_1234.AAE", b"adjustments".to_vec()),
        ("IMG_O1234.AAE", b"original".to_vec()),
        // The clock of a film may be off by its time zone.
        ("IMG_1234.MOV", film(may + 14 * 3600)),
        ("IMG_1234_HEVC.MOV", film(may - 3600)),
        ("IMG_0001.JPG", dated("2019:05:01 10:00:00")),
        ("IMG_0001.MOV", film(june)),
        ("IMG_0001.xmp", b"of the picture".to_vec()),
        ("IMG_0001.MOV.xmp", b"of the film".to_vec()),
        ("IMG_0001.THM", b"thumbnail of the film".to_vec()),
        ("IMG_0002.JPG", b"no date".to_vec()),
        ("IMG_0002.MOV", film(june)),
    ] {
        fs::write(d.join("s").join(name), content).unwrap();
    }
    let run = |args: &[&str]| {
        let o = bare::command(executable()).arg("copy").args(args).current_dir(d).env("TZ", "UTC").output().unwrap();
        assert!(o.status.success(), "{}", text(&o.stderr));
        text(&o.stdout)
    };
    run(&["--by-date", "--photos", "s", "d"]);
    let may = [
        "IMG_0001.JPG", "IMG_0001.xmp", "IMG_1234.AAE", "IMG_1234.HEIC", "IMG_1234.MOV", "IMG_1234_HEVC.MOV",
        "IMG_E1234.HEIC", "IMG_O1234.AAE",
    ];
    let june = ["IMG_0001.MOV", "IMG_0001.MOV.xmp", "IMG_0001.THM", "IMG_0002.JPG", "IMG_0002.MOV"];
    assert_eq!(names(&d.join("d/2019/2019-05-01")), may);
    assert_eq!(names(&d.join("d/2023/2023-06-15")), june);
    // If one has to be renamed, all are, but not what only has the same name.
    fs::create_dir(d.join("flat")).unwrap();
    fs::write(d.join("flat/IMG_O1234.AAE"), "another").unwrap();
    fs::write(d.join("flat/IMG_0001.THM"), "another").unwrap();
    run(&["--layout", "{name}", "--photos", "--move", "s", "flat"]);
    assert!(names(&d.join("s")).is_empty());
    let flat = names(&d.join("flat"));
    let renamed = |name: &str| {
        let (stem, extension) = name.split_once('.').unwrap();
        flat.contains(&format!("{stem}-1.{extension}"))
    };
    for name in may.iter().chain(&june).filter(|n| **n != "IMG_0001.THM" && **n != "IMG_O1234.AAE") {
        let with_others = name.contains("1234") || name.starts_with("IMG_0001.MOV");
        assert_eq!((renamed(name), flat.contains(&name.to_string())), (with_others, !with_others), "{name} {flat:?}");
    }
    // Names by time would be the same for a picture and its edited version.
    let plan = run(&["-n", "--layout", "{date}_{time}", "--photos", "d/2019", "new"]);
    for name in [
        "IMG_1234.HEIC -> new/2019-05-01_100000.heic",
        "IMG_E1234.HEIC -> new/2019-05-01_100000-1.heic",
        "IMG_1234.AAE -> new/2019-05-01_100000.aae",
        "IMG_O1234.AAE -> new/2019-05-01_100000-1.aae",
    ] {
        assert!(plan.contains(name), "{name}: {plan}");
    }
}
