//! Writes the seeds: `cargo run --bin seeds -- FOLDER` creates one folder per target in FOLDER.

use hashmill::Algorithm;
use hashmill_lists::{Entry, FORMS, Header, Writer};
use hashmill_measure::run::Run;
use hashmill_results::store::Store;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../crates/hashmill-copy/tests/it/support/photo.rs"]
mod photo;

type Seeds = BTreeMap<&'static str, Vec<Vec<u8>>>;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("usage: seeds FOLDER")?;
    let mut seeds = Seeds::new();
    lists(&mut seeds);
    kernels(&mut seeds);
    c_programs(&mut seeds);
    speed(&mut seeds);
    measurements(&mut seeds)?;
    pictures(&mut seeds);
    for (target, seeds) in seeds {
        let folder = Path::new(&folder).join(target);
        fs::create_dir_all(&folder)?;
        for (i, seed) in seeds.iter().enumerate() {
            fs::write(folder.join(format!("seed-{i:04}")), seed)?;
        }
        println!("{target}: {} seeds", seeds.len());
    }
    Ok(())
}

/// Adds lists: every algorithm in every format, with names that need escaping, and lists as other programs write them.
fn lists(seeds: &mut Seeds) {
    let names = ["f", "two  words", "*star", "a\\b\nc", "x) = y", "ä"];
    for (i, a) in Algorithm::all().enumerate() {
        let digest = a.digest(b"abc");
        let mut list = vec![2];
        let entry = Entry::new(names[i % names.len()].as_bytes().to_vec(), Some(a), digest);
        for form in &FORMS {
            let Some(mut writer) = Writer::new(form, &Header { functions: vec![a.into()], ..Header::default() }) else {
                continue;
            };
            let mut whole = list.clone();
            writer.begin(&mut whole);
            let _ = writer.entry(&entry, if form.lines { &mut list } else { &mut whole });
            writer.end(&mut whole);
            if !form.lines {
                seeds.entry("lists").or_default().push(whole);
            }
        }
        seeds.entry("lists").or_default().push(list);
        seeds.entry("names").or_default().push(a.name().as_bytes().to_vec());
        seeds.entry("names").or_default().extend(a.aliases().iter().map(|n| n.as_bytes().to_vec()));
    }
    let others: [&str; 8] = [
        "; a comment\n# another\n\nMD5   (hello) = 5d41402abc4b2a76b9719d911017c592\n",
        "\u{feff}5d41402abc4b2a76b9719d911017c592 *hello\r\n",
        "SHA2-256(hello)= 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\n",
        "SHA256 (hello) = LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=\n",
        "\\5d41402abc4b2a76b9719d911017c592  a\\nb\\\\c\n",
        "hello 3610A686\n",
        "%%%% HASHDEEP-1.0\n%%%% \
         size,md5,sha256,filename\n5,5d41402abc4b2a76b9719d911017c592,2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824,/x\n",
        "XXH3 (hello) = 9555e8555c62dcfd\nXXH64_9555e8555c62dcfd  hello\n",
    ];
    seeds.entry("lists").or_default().extend(others.iter().map(|text| [&[0], text.as_bytes()].concat()));
    let parameters = [
        "cubehash160+16/32+160-512",
        "cubehash65535+65535/1+65535-512",
        "shake128:64",
        "xxh64:seed=7",
        "blake2b-160",
        "skein512-224",
        "haval256,5",
        "BLAKE2b-256",
        "SHA512/256",
        "shake256:64:seed=1",
        "murmur3a:seed=0xffffffff",
        "sha256,md5,crc32",
        "all",
        "crc-32/iso-hdlc",
    ];
    seeds.entry("names").or_default().extend(parameters.map(|n| n.as_bytes().to_vec()));
}

/// Adds every algorithm with its first two kernels.
fn kernels(seeds: &mut Seeds) {
    for i in 0..Algorithm::all().len() {
        for kernel in 0..2 {
            let [low, high] = (i as u16).to_le_bytes();
            seeds
                .entry("hasher")
                .or_default()
                .push([&[low, high, kernel, 0x11, 3, 0, b'k', b'e', b'y', 2, 5, 0, 64, 0][..], &[7; 300]].concat());
            seeds
                .entry("many")
                .or_default()
                .push([&[low, high, kernel, 1, 20, 2, 3, 0, 64, 0, 0, 1][..], &[7; 50]].concat());
        }
    }
}

/// Adds, for every algorithm: a hasher fed in pieces and exported as a state, an HMAC, extendable output, a column.
fn c_programs(seeds: &mut Seeds) {
    for i in 0..Algorithm::all().len() {
        let [low, high] = (i as u16).to_le_bytes();
        let set = [1, 0, low, high];
        let hash = [3, 0, 5, 0, 3, 0, b'a', b'b', b'c', 9, 3, 10, 6, 5, 0, 2, 0, b'd', b'e', 7, 0, 0, 7, 1, 0, 7, 2, 0];
        let mac = [13, 0, 2, 0, b'k', b'e', 13, 9, 1, 0, b'm', 13, 18, 0, 0];
        let rest =
            [14, 0, 90, 0, 14, 9, 3, 0, b'x', b'y', b'z', 1, 15, 0, 0, 0, 3, 0, 1, 4, 0, 1, 2, 3, 4, 0, 0, 1, 0, 4, 0];
        seeds.entry("c_abi").or_default().push([&[0, 0][..], &set, &hash, &mac, &rest].concat());
    }
}

fn speed(seeds: &mut Seeds) {
    let lines = [
        "md5",
        "-seconds 1 -bytes 64 sha256 sha512",
        "-evp aes-256-gcm -aead",
        "-hmac sha256",
        "-multi 2 rsa2048",
        "-mr -elapsed md5",
        "-primes 3 rsa4096",
        "-misalign 3 blake2b512",
        "-help",
        "-provider default ecdsap256",
        "--json -peer openssl md5",
        "ed25519",
        "-data random -kernel portable xxh3",
        "-async_jobs 4 sha1",
        "-bytes 16,1k,2M crc32",
        "-seconds 0.5,2 whirlpool",
    ];
    seeds.entry("speed").or_default().extend(lines.map(|line| line.replace(' ', "\0").into_bytes()));
}

fn measurements(seeds: &mut Seeds) -> Result<(), Box<dyn Error>> {
    let text = include_bytes!("../../crates/hashmill-results/tests/it/lanes-md5.json");
    let mut run: Run = serde_json::from_slice::<Vec<Run>>(text)?.swap_remove(0);
    for series in &mut run.series {
        series.samples.truncate(5);
    }
    for pairing in &mut run.pairings {
        pairing.ratios.truncate(5);
    }
    seeds.entry("runs").or_default().push(serde_json::to_vec(&run)?);
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("results.db");
    let mut store = Store::open(Some(&path))?;
    seeds.entry("database").or_default().push(fs::read(&path)?);
    store.save(&run)?;
    drop(store);
    seeds.entry("database").or_default().push(fs::read(&path)?);
    Ok(())
}

fn pictures(seeds: &mut Seeds) {
    let date = "2024:05:06 07:08:09";
    let exif = photo::Exif { original: date.into(), ..photo::Exif::default() };
    let files = [
        ("IMG_20240506_070809.jpg", photo::jpeg()),
        ("a.cr2", photo::tiff(date)),
        ("20240506.mov", photo::movie("qt  ", 3_800_000_000)),
        ("b.mp4", photo::movie("isom", 1)),
        ("c.heic", photo::heic(date)),
        ("d.jpg", photo::jpeg_with(&[(0xe1, &exif.segment())])),
        ("e.jxl", photo::jpeg_xl(&exif.tiff(), true)),
        ("f.webp", photo::webp(&exif.tiff())),
        ("g.png", photo::png(&[(b"eXIf", &exif.tiff()), (b"tEXt", b"Creation Time\x002019:02:06 10:00:00")])),
        ("h.avi", photo::avi(b"IDIT", b"Mon Mar 10 15:04:43 2003\n\0")),
        ("i.mkv", photo::matroska(1_717_191_000)),
        ("j.wmv", photo::wmv(1_717_191_000)),
        ("k.mts", photo::avchd()),
        ("l.mov", photo::Film { version: 1, day: Some("2024-06-02T07:30:00+1000"), ..photo::Film::default() }.bytes()),
        ("m.heic", photo::heif("heic", &exif.tiff(), false, true)),
        ("d.mkv", b"\x1a\x45\xdf\xa3\x84\x42\x82\x88matroska".to_vec()),
        ("e.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0".to_vec()),
    ];
    seeds.entry("pictures").or_default().extend(files.map(|(name, file)| [name.as_bytes(), &[0], &file].concat()));
}
