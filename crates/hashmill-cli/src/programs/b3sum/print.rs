//! Prints the digests of files, line by line.

use super::options::{DIGEST, Form, Mode, Print};
use super::{reason, text};
use crate::programs::in_order::{in_order, read};
use crate::programs::{Voice, known};
use crate::terminal::output::Lines;
use hashmill::{Hasher, Xof};
use hashmill_files::{Error, Event, Input, Options, Progress, sum};
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::num::NonZeroUsize;

/// Number of output bytes computed at a time.
const CHUNK: usize = 64 << 10;

/// Prints BLAKE3's output for the files and returns whether all could be read.
pub(super) fn files(
    files: &[OsString],
    print: &Print,
    threads: Option<NonZeroUsize>,
    voice: &Voice,
    out: &mut Lines<'_>,
) -> bool {
    let mut well = true;
    let mut failed = |name: &OsStr, why: &str, out: &mut Lines<'_>| {
        well = false;
        out.flush();
        voice.say_text(&format!("{}: {why}", text(name)));
    };
    let blake3 = known("blake3");
    // A digest of a supported length can be computed in lanes and on several threads. Length 0 takes a digest of the
    // default length and prints none of it.
    let digest_len = usize::try_from(print.length).ok().filter(|_| print.seek == 0);
    let algorithm = digest_len.and_then(|n| blake3.with_digest_len(if n == 0 { DIGEST as usize } else { n }).ok());
    if let (Mode::Hash, Some(a)) = (&print.mode, algorithm) {
        let inputs = files.iter().map(|f| Ok(Input::from_argument(f)));
        let end = sum(&Options { threads, ..Options::new(vec![a]) }, inputs, &Progress::default(), |event| {
            match event {
                Event::Outcome(o) => match o.result {
                    Ok(digests) => {
                        let bytes = if print.length == 0 { &[] } else { digests[0].as_bytes() };
                        out.add(|line| {
                            before(line, print.form, o.input.name().as_os_str());
                            put(line, print.form, bytes);
                            behind(line, print.form, o.input.name().as_os_str());
                        });
                    }
                    Err(e) => failed(o.input.name().as_os_str(), &reason(&e), out),
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
        return well;
    }
    let hash = |name: &OsStr| -> Result<Xof, String> {
        let builder = Hasher::builder(blake3);
        let builder = match &print.mode {
            Mode::Hash => builder,
            Mode::Keyed(_) if name == "-" => return Err("Cannot open `-` in keyed mode".into()),
            Mode::Keyed(key) => builder.key(key),
            Mode::DeriveKey(context) => builder.context(context.as_bytes()),
        };
        let mut hasher = builder.build().map_err(|e| e.to_string())?;
        read(name, &mut hasher).map_err(|e| reason(&Error::from(e)))?;
        hasher.finalize_xof().map_err(|e| e.to_string())
    };
    in_order(files, threads, hash, |name, output| {
        match output {
            Ok(output) => write(output, name, print, out),
            Err(why) => failed(name, &why, out),
        }
        out.flow()
    });
    well
}

/// Writes the requested part of an output, in pieces if it is long.
fn write(mut output: Xof, name: &OsStr, print: &Print, out: &mut Lines<'_>) {
    let piece = |left: u64| left.min(CHUNK as u64) as usize;
    let mut chunk = vec![0; piece(print.seek.max(print.length))];
    let mut left = print.seek;
    while left > 0 {
        let n = piece(left);
        output.fill(&mut chunk[..n]);
        left -= n as u64;
    }
    let mut left = print.length;
    let mut begun = false;
    loop {
        let n = piece(left);
        output.fill(&mut chunk[..n]);
        left -= n as u64;
        out.add(|line| {
            if !begun {
                before(line, print.form, name);
            }
            put(line, print.form, &chunk[..n]);
            if left == 0 {
                behind(line, print.form, name);
            }
        });
        if left == 0 || out.flow().is_break() {
            return;
        }
        begun = true;
    }
}

/// Returns a name as lines have it, and whether anything in it is escaped.
fn escaped(name: &OsStr) -> (String, bool) {
    let text = text(name);
    let escaped = text.contains(['\\', '\n', '\r']);
    if !escaped {
        return (text, false);
    }
    (text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r"), true)
}

/// Writes what comes before the digest.
fn before(line: &mut Vec<u8>, form: Form, name: &OsStr) {
    if !matches!(form, Form::Line | Form::Tagged) {
        return;
    }
    let (text, escaped) = escaped(name);
    if escaped {
        line.push(b'\\');
    }
    if form == Form::Tagged {
        line.extend_from_slice(format!("BLAKE3 ({text}) = ").as_bytes());
    }
}

/// Writes the digest or a part of it.
fn put(line: &mut Vec<u8>, form: Form, bytes: &[u8]) {
    if form == Form::Raw {
        line.extend_from_slice(bytes);
        return;
    }
    let mut hex = String::with_capacity(2 * bytes.len());
    for b in bytes {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{b:02x}");
    }
    line.extend_from_slice(hex.as_bytes());
}

/// Writes what comes after the digest.
fn behind(line: &mut Vec<u8>, form: Form, name: &OsStr) {
    match form {
        Form::Raw => {}
        Form::NoName | Form::Tagged => line.push(b'\n'),
        Form::Line => line.extend_from_slice(format!("  {}\n", escaped(name).0).as_bytes()),
    }
}
