//! Prints the digests of files, line by line.

use super::kernels::kernel;
use super::options::{Asked, Form, Print, Sort};
use super::{is_escaped, put_name};
use crate::programs::in_order::{in_order, read};
use crate::programs::{Voice, known, reason};
use crate::terminal::output::Lines;
use hashmill::{Algorithm, Digest, Engine};
use hashmill_files::{Event, Input, Options, Progress, sum, words};
use hashmill_lists::Digits;
use hashmill_lists::dialects::coreutils::Tag;
use std::ffi::OsStr;

/// Prints the digests of the files and returns whether all could be read.
pub(super) fn files(asked: &Asked, print: &Print, voice: &Voice, out: &mut Lines<'_>) -> bool {
    let a = algorithm(print.sort);
    if matches!(print.sort, Sort::Crc | Sort::Crc32b) {
        let kernel = kernel(a);
        if print.debug {
            kernel.said.iter().for_each(|line| voice.say_text(line));
        }
        if let Some(engine) = kernel.engine {
            return with(&engine, asked, print, voice, out);
        }
    }
    let mut well = true;
    let inputs = asked.files.iter().map(|f| Ok(Input::from_argument(f)));
    let end = sum(&Options::new(vec![a]), inputs, &Progress::default(), |event| {
        match event {
            Event::Outcome(o) => {
                let name = o.input.name().as_os_str();
                match (o.result, print.sort) {
                    (Ok(digests), Sort::Digest(_, tag)) => out.add(|line| put(line, print, a, tag, name, &digests[0])),
                    (Ok(digests), _) => out.add(|line| put_old(line, print, asked.stdin, name, &digests[0], o.bytes)),
                    (Err(e), _) => {
                        well = false;
                        out.flush();
                        voice.of_file(name, &reason(&e));
                    }
                }
            }
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

/// Prints the old checksums of the files, computed by this engine.
fn with(engine: &Engine, asked: &Asked, print: &Print, voice: &Voice, out: &mut Lines<'_>) -> bool {
    let mut well = true;
    let hash = |name: &OsStr| {
        let mut hasher = engine.hasher();
        read(name, &mut hasher).map(|bytes| (hasher.finalize(), bytes))
    };
    in_order(&asked.files, None, hash, |name, result| {
        match result {
            Ok((digest, bytes)) => out.add(|line| put_old(line, print, asked.stdin, name, &digest, bytes)),
            Err(e) => {
                well = false;
                out.flush();
                voice.of_file(name, &words(&e));
            }
        }
        out.flow()
    });
    well
}

fn put(line: &mut Vec<u8>, print: &Print, a: Algorithm, tag: Tag, name: &OsStr, digest: &Digest) {
    let escaped = !print.zero && is_escaped(name);
    let digits = if print.base64 { Digits::Base64 } else { Digits::Hex };
    let text = |line: &mut Vec<u8>| digits.put(line, digest.as_bytes());
    match print.form {
        Form::Raw => return line.extend_from_slice(digest.as_bytes()),
        Form::Tagged => {
            if escaped {
                line.push(b'\\');
            }
            line.extend_from_slice(tag.text(a).as_bytes());
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

/// Writes a line for one of the checksums that predate digests, which are printed together with the file's length.
fn put_old(line: &mut Vec<u8>, print: &Print, nameless: bool, name: &OsStr, digest: &Digest, bytes: u64) {
    if matches!(print.form, Form::Raw) {
        line.extend_from_slice(digest.as_bytes());
        return;
    }
    let sum = digest.as_bytes().iter().fold(0, |n, &b| n << 8 | u64::from(b));
    let text = match print.sort {
        Sort::Bsd => format!("{sum:05} {:>5}", bytes.div_ceil(1024)),
        Sort::SysV => format!("{sum} {}", bytes.div_ceil(512)),
        _ => format!("{sum} {bytes}"),
    };
    line.extend_from_slice(text.as_bytes());
    if !nameless {
        line.push(b' ');
        line.extend_from_slice(name.as_encoded_bytes());
    }
    line.push(if print.zero { 0 } else { b'\n' });
}

fn algorithm(sort: Sort) -> Algorithm {
    let name = match sort {
        Sort::Digest(a, _) => return a,
        Sort::Crc => "cksum",
        Sort::Crc32b => "crc32",
        Sort::Bsd => "sum-bsd",
        Sort::SysV => "sum-sysv",
    };
    known(name)
}
