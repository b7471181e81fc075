//! Running `hashmill copy`, and making pictures for it.

use super::{hashmill, text};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// `hashmill copy` with arguments, in `dir`.
pub(crate) fn copy(dir: &Path, args: &[&str]) -> Output {
    hashmill(dir, &[&["copy"], args].concat())
}

/// The same where all must go well. Its standard output.
pub(crate) fn copy_ok(dir: &Path, args: &[&str]) -> String {
    let o = copy(dir, args);
    assert!(o.status.success(), "{args:?}: {:?}: {}", o.status, text(&o.stderr));
    text(&o.stdout)
}

/// The events of a run with `--json`.
pub(crate) fn json(o: &Output) -> Vec<serde_json::Value> {
    assert!(o.status.code().is_some(), "{}", text(&o.stderr));
    text(&o.stdout).lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// Everything below a folder but the catalogue: content of files, targets of links.
pub(crate) fn files(at: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn walk(at: &Path, below: &Path, into: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(at).unwrap() {
            let entry = entry.unwrap();
            let below = below.join(entry.file_name());
            let kind = entry.file_type().unwrap();
            if entry.file_name() == ".hashmill" {
            } else if kind.is_dir() {
                into.insert(below.clone(), b"folder".to_vec());
                walk(&entry.path(), &below, into);
            } else if kind.is_symlink() {
                into.insert(below, fs::read_link(entry.path()).unwrap().into_os_string().into_encoded_bytes());
            } else {
                into.insert(below, fs::read(entry.path()).unwrap());
            }
        }
    }
    let mut all = BTreeMap::new();
    walk(at, Path::new(""), &mut all);
    all
}

/// The names in a folder, in order, without ours.
pub(crate) fn names(at: &Path) -> Vec<String> {
    let name = |e: std::io::Result<fs::DirEntry>| e.unwrap().file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = fs::read_dir(at).unwrap().map(name).filter(|n| n != ".hashmill").collect();
    names.sort();
    names
}

/// How many temporary files and journals there are.
pub(crate) fn temporaries(at: &Path) -> usize {
    let temporary = |name: &str| name.starts_with(".hashmill-") || name.starts_with("journal-");
    let mut count = 0;
    for entry in walkdir(at) {
        count += usize::from(temporary(&entry.file_name().unwrap().to_string_lossy()));
    }
    count
}

fn walkdir(at: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(at).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            all.extend(walkdir(&entry.path()));
        }
        all.push(entry.path());
    }
    all
}

/// Files of several kinds, as small as they may be, for a test to put dates into.
pub(crate) mod photo {
    /// One grey dot.
    pub(crate) fn jpeg() -> Vec<u8> {
        let mut j = vec![0xff, 0xd8];
        let mut segment = |marker: u8, content: &[u8]| {
            j.extend([0xff, marker]);
            j.extend((content.len() as u16 + 2).to_be_bytes());
            j.extend_from_slice(content);
        };
        segment(0xdb, &[&[0][..], &[1; 64]].concat());
        segment(0xc0, &[8, 0, 1, 0, 1, 1, 1, 0x11, 0]);
        segment(0xc4, &[&[0, 1][..], &[0; 15], &[0]].concat());
        segment(0xc4, &[&[0x10, 1][..], &[0; 15], &[0]].concat());
        segment(0xda, &[1, 1, 0, 0, 63, 0]);
        j.extend([0x3f, 0xff, 0xd9]);
        j
    }

    /// A TIFF that has nothing but DateTimeOriginal, as raws have it.
    pub(crate) fn tiff(date: &str) -> Vec<u8> {
        assert_eq!(date.len(), 19);
        let mut t = b"II*\0".to_vec();
        t.extend(8u32.to_le_bytes());
        let entry = |out: &mut Vec<u8>, tag: u16, kind: u16, count: u32, value: u32| {
            out.extend(tag.to_le_bytes());
            out.extend(kind.to_le_bytes());
            out.extend(count.to_le_bytes());
            out.extend(value.to_le_bytes());
        };
        t.extend(1u16.to_le_bytes());
        entry(&mut t, 0x8769, 4, 1, 26);
        t.extend(0u32.to_le_bytes());
        t.extend(1u16.to_le_bytes());
        entry(&mut t, 0x9003, 2, 20, 44);
        t.extend(0u32.to_le_bytes());
        t.extend(date.as_bytes());
        t.push(0);
        t
    }

    fn atom(kind: &str, content: &[u8]) -> Vec<u8> {
        [&(content.len() as u32 + 8).to_be_bytes()[..], kind.as_bytes(), content].concat()
    }

    /// A film without pictures. `created` is in seconds since 1904.
    pub(crate) fn movie(brand: &str, created: u32) -> Vec<u8> {
        let mut header = vec![0; 4];
        for value in [created, created, 600, 600, 0x1_0000] {
            header.extend(value.to_be_bytes());
        }
        header.extend([1, 0]);
        header.extend([0; 10]);
        for value in [0x1_0000u32, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000] {
            header.extend(value.to_be_bytes());
        }
        header.extend([0; 24]);
        header.extend(2u32.to_be_bytes());
        let kind = atom("ftyp", &[brand.as_bytes(), &[0; 4], brand.as_bytes()].concat());
        [kind, atom("moov", &atom("mvhd", &header)), atom("mdat", &[0; 16])].concat()
    }

    /// A HEIC that has only its EXIF.
    pub(crate) fn heic(date: &str) -> Vec<u8> {
        let exif = [&6u32.to_be_bytes()[..], b"Exif\0\0", &tiff(date)].concat();
        let kind = atom("ftyp", b"heic\0\0\0\0mif1heic");
        let handler = atom("hdlr", &[&[0; 8][..], b"pict", &[0; 13]].concat());
        let primary = atom("pitm", &[0, 0, 0, 0, 0, 1]);
        let item = |id: u8, kind: &str| atom("infe", &[&[2, 0, 0, 0, 0, id, 0, 0][..], kind.as_bytes(), &[0]].concat());
        let items = atom("iinf", &[&[0, 0, 0, 0, 0, 2][..], &item(1, "hvc1"), &item(2, "Exif")].concat());
        let meta = |offset: u32| {
            let place = |id: u8, offset: u32, len: u32| {
                [&[0, id, 0, 0, 0, 1][..], &offset.to_be_bytes(), &len.to_be_bytes()].concat()
            };
            let places = [place(1, offset, 0), place(2, offset, exif.len() as u32)].concat();
            let location = atom("iloc", &[&[0, 0, 0, 0, 0x44, 0, 0, 2][..], &places].concat());
            atom("meta", &[&[0; 4][..], &handler, &primary, &items, &location].concat())
        };
        let offset = kind.len() + meta(0).len() + 8;
        [kind, meta(offset as u32), atom("mdat", &exif)].concat()
    }
}
