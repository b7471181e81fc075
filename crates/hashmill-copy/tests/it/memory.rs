//! Peak memory of copying crafted pictures and films.

use hashmill_copy::{Event, Options, copy};
use hashmill_testing::alone;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Returns a value in KiB that the kernel reports about this process.
fn kib(what: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find(|l| l.starts_with(what)).expect(what);
    line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).expect("a number")
}

fn atom(kind: &[u8], content: &[u8]) -> Vec<u8> {
    [&(content.len() as u32 + 8).to_be_bytes()[..], kind, content].concat()
}

/// Returns files that claim more than 1 GB of metadata or contain a very large number of entries.
fn crafted() -> Vec<(&'static str, Vec<u8>)> {
    let large = 0x4000_0000u32.to_be_bytes();
    let mp4 = atom(b"ftyp", b"mp42\0\0\0\0mp42");
    let heic = atom(b"ftyp", b"heic\0\0\0\0mif1heic");
    let png = b"\x89PNG\r\n\x1a\n".to_vec();
    let item = atom(b"infe", b"\x02\0\0\0\0\x02\0\0Exif\0");
    let items = |n: usize| atom(b"iinf", &[&[1, 0, 0, 0][..], &(n as u32).to_be_bytes(), &item.repeat(n)].concat());
    let place = atom(b"iloc", &[b"\0\0\0\0\x44\0\0\x01\0\x02\0\0\0\x01\0\0\x10\0", &large[..]].concat());
    let webm = [
        b"\x1a\x45\xdf\xa3\x87\x42\x82\x84webm\x18\x53\x80\x67\x01",
        &[0xff; 7][..],
        b"\x15\x49\xa9\x66\x01\0\0\0\x40\0\0\0",
    ];
    let entry = |tag: u16| [&tag.to_le_bytes()[..], b"\x01\0\0\0\xf0\0\0\0\0\0"].concat();
    let entries: Vec<u8> = (0..60_000u16).flat_map(|n| entry(n % 20_000 + 0x4000)).collect();
    let text = [&1000u32.to_be_bytes()[..], b"tEXt", &[b'x'; 1004]].concat();
    vec![
        ("moov.mp4", [&mp4[..], &large, b"moov"].concat()),
        ("boxes.mp4", [mp4.clone(), atom(b"moov", &atom(b"abcd", b"").repeat(1_000_000))].concat()),
        ("udta.mp4", [mp4, atom(b"moov", &atom(b"udta", &atom(b"abcd", b"").repeat(1_000_000)))].concat()),
        ("item.heic", [&heic[..], &atom(b"meta", &[&[0; 4], &items(1)[..], &place].concat())].concat()),
        ("items.heic", [&heic[..], &atom(b"meta", &[&[0; 4], &items(500_000)[..]].concat())].concat()),
        ("chunk.png", [&png[..], &large, b"eXIf"].concat()),
        ("chunks.png", [&png[..], &b"\0\0\0\0tEXt\0\0\0\0".repeat(1_000_000)].concat()),
        ("texts.png", [&png[..], &text.repeat(50_000)].concat()),
        ("exif.webp", [&b"RIFF\0\0\0\x70WEBPEXIF\0\0\0\x60"[..]].concat()),
        ("info.webm", webm.concat()),
        ("directory.tif", b"II*\0\0\0\0\x40".to_vec()),
        ("entries.tif", [&b"II*\0\x08\0\0\0\x60\xea"[..], &entries].concat()),
    ]
}

#[test]
fn crafted_files_take_little_memory() {
    // The peak is that of a whole process.
    if !alone("memory::crafted_files_take_little_memory") {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let mut options = Options::new([dir.path().join("src")], dir.path().join("dst")).expect("options").by_date();
    (options.dry_run, options.catalogue, options.memory) = (true, false, 16 << 20);
    let (mut told, mut large) = (Vec::new(), Vec::new());
    let mut run = |name: &str| {
        // Reset the peak.
        fs::write("/proc/self/clear_refs", "5").expect("a new peak");
        let before = kib("VmRSS");
        let mut sink = |event: &Event<'_>| {
            if let Event::Warning { path, cause } = event {
                let name = path.file_name().and_then(|n| n.to_str()).expect("a name");
                told.push((name.to_string(), cause.clone()));
            }
        };
        let summary = copy(&options, &Default::default(), &mut sink).expect("a plan");
        assert!(summary.copied > 0 && summary.failed == 0, "{name}");
        let grown = kib("VmHWM").saturating_sub(before);
        if grown >= 64 << 10 {
            large.push(format!("{name}: {grown} KiB"));
        }
    };
    let src = dir.path().join("src");
    fs::create_dir(&src).expect("a folder");
    let put = |to: &Path, bytes: &[u8]| {
        let file = File::create(to).expect("a file");
        file.write_all_at(bytes, 0).expect("room");
        file.set_len(3 << 30).expect("room");
    };
    let files = crafted();
    for (name, bytes) in &files {
        put(&src.join(name), bytes);
        run(name);
        fs::remove_file(src.join(name)).expect("no file");
    }
    // All of them in one run, eight copies each.
    for (name, bytes) in &files {
        for n in 0..8 {
            put(&src.join(format!("20240531-{n}-{name}")), bytes);
        }
    }
    run("all");
    assert!(large.is_empty(), "{large:#?}");
    let cause =
        "its metadata are too large to be read (more than 16 MiB, or 131072 boxes); its date is from elsewhere: ";
    assert!(told.len() > files.len() && told.iter().all(|(_, told)| told.starts_with(cause)), "{told:?}");
    // The copies cause the same warnings, in the order of their names.
    let alone: Vec<&String> = told.iter().map(|(name, _)| name).filter(|n| !n.starts_with("2024")).collect();
    let (names, causes): (Vec<&String>, Vec<&String>) =
        told[alone.len()..].iter().map(|(name, told)| (name, told)).unzip();
    assert!(names.is_sorted() && names.len() == 8 * alone.len(), "{names:?}");
    assert!(causes.iter().all(|told| **told == format!("{cause}file name")), "{causes:?}");
}
