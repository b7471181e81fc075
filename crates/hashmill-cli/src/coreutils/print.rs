//! Digests of files, line by line.

use super::options::{Asked, Form, Print, Sort, Tag};
use super::{Voice, is_escaped, put_name, reason, strerror};
use crate::output::Lines;
use hashmill::{Algorithm, Digest, Hasher};
use hashmill_files::{Event, Input, Options, Progress, sum};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};

/// Prints the digests of the files. Whether all could be read.
pub(super) fn files(asked: &Asked, print: &Print, voice: &Voice, out: &mut Lines<'_>) -> bool {
    match print.sort {
        Sort::Digest(a, tag) => digests(asked, print, a, tag, voice, out),
        old => {
            if print.debug && matches!(old, Sort::Crc | Sort::Crc32b) {
                let kernels = algorithm(old).kernels();
                let active = kernels.iter().find(|k| k.active).map_or("portable", |k| k.name);
                voice.say_text(&format!("using {active} hardware support"));
            }
            let mut well = true;
            for name in &asked.files {
                well &= out.flow().is_continue() && old_sum(name, asked, print, old, voice, out);
            }
            well
        }
    }
}

fn digests(asked: &Asked, print: &Print, a: Algorithm, tag: Tag, voice: &Voice, out: &mut Lines<'_>) -> bool {
    let mut well = true;
    let inputs = asked.files.iter().map(|f| Ok(Input::from_argument(f)));
    let options = Options::new(vec![a]);
    let end = sum(&options, inputs, &Progress::default(), |event| {
        match event {
            Event::Outcome(o) => match o.result {
                Ok(digests) => out.add(|line| put(line, print, a, tag, o.input.name().as_os_str(), &digests[0])),
                Err(e) => {
                    well = false;
                    out.flush();
                    voice.of_file(o.input.name().as_os_str(), &reason(&e));
                }
            },
            Event::Idle => out.flush(),
            Event::Device { .. } => {}
        }
        out.flow()
    });
    if let Err(e) = end {
        voice.say_text(&e.to_string());
        return false;
    }
    well
}

/// The tag of an algorithm.
pub(super) fn tag_text(a: Algorithm, tag: Tag) -> String {
    match tag {
        Tag::Name(name) => name.into(),
        Tag::Blake2b if a.digest_len() == 64 => "BLAKE2b".into(),
        Tag::Blake2b => format!("BLAKE2b-{}", 8 * a.digest_len()),
        Tag::Length(name) => format!("{name}-{}", 8 * a.digest_len()),
    }
}

fn put(line: &mut Vec<u8>, print: &Print, a: Algorithm, tag: Tag, name: &OsStr, digest: &Digest) {
    let escaped = !print.zero && is_escaped(name);
    let text = |line: &mut Vec<u8>| {
        if print.base64 {
            base64(line, digest.as_bytes())
        } else {
            line.extend_from_slice(digest.to_string().as_bytes())
        }
    };
    match print.form {
        Form::Raw => return line.extend_from_slice(digest.as_bytes()),
        Form::Tagged => {
            if escaped {
                line.push(b'\\');
            }
            line.extend_from_slice(tag_text(a, tag).as_bytes());
            line.extend_from_slice(b" (");
            put_name(line, name, escaped);
            line.extend_from_slice(b") = ");
            text(line);
        }
        Form::Untagged { binary } => {
            if escaped {
                line.push(b'\\');
            }
            text(line);
            line.extend_from_slice(if binary { b" *" } else { b"  " });
            put_name(line, name, escaped);
        }
    }
    line.push(if print.zero { 0 } else { b'\n' });
}

/// RFC 4648, section 4.
fn base64(line: &mut Vec<u8>, bytes: &[u8]) {
    const SYMBOLS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0, |bits, &b| bits << 8 | u32::from(b)) << (8 * (3 - three.len()));
        for i in 0..4 {
            let symbol = SYMBOLS[(bits >> (18 - 6 * i)) as usize & 63];
            line.push(if i <= three.len() { symbol } else { b'=' });
        }
    }
}

/// The checksums from before there were digests, which are printed with the length.
fn old_sum(name: &OsStr, asked: &Asked, print: &Print, sort: Sort, voice: &Voice, out: &mut Lines<'_>) -> bool {
    let a = algorithm(sort);
    let (digest, bytes) = match read(name, a) {
        Ok(found) => found,
        Err(e) => {
            out.flush();
            voice.of_file(name, &strerror(&e));
            return false;
        }
    };
    let sum = digest.as_bytes().iter().fold(0, |n, &b| n << 8 | u64::from(b));
    out.add(|line| {
        if matches!(print.form, Form::Raw) {
            line.extend_from_slice(digest.as_bytes());
            return;
        }
        let text = match sort {
            Sort::Bsd => format!("{sum:05} {:>5}", bytes.div_ceil(1024)),
            Sort::SysV => format!("{sum} {}", bytes.div_ceil(512)),
            _ => format!("{sum} {bytes}"),
        };
        line.extend_from_slice(text.as_bytes());
        if !asked.stdin {
            line.push(b' ');
            line.extend_from_slice(name.as_encoded_bytes());
        }
        line.push(if print.zero { 0 } else { b'\n' });
    });
    true
}

fn algorithm(sort: Sort) -> Algorithm {
    let name = match sort {
        Sort::Digest(a, _) => return a,
        Sort::Crc => "cksum",
        Sort::Crc32b => "crc32",
        Sort::Bsd => "sum-bsd",
        Sort::SysV => "sum-sysv",
    };
    Algorithm::named(name).unwrap_or_else(|| unreachable!("{name}"))
}

fn read(name: &OsStr, a: Algorithm) -> io::Result<(Digest, u64)> {
    let mut from: Box<dyn Read> = if name == "-" { Box::new(io::stdin().lock()) } else { Box::new(File::open(name)?) };
    let mut hasher = Hasher::new(a);
    let mut buffer = vec![0; 256 << 10];
    let mut bytes = 0;
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok((hasher.finalize(), bytes)),
            Ok(n) => {
                hasher.update(&buffer[..n]);
                bytes += n as u64;
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}
