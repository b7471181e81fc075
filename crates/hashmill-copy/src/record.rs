//! The manifest: a checksum list of what is in the destination now.

use crate::event::{Action, FileEvent};
use hashmill_files::manifest::{Form, Line, LineReader, Parser, Style, write_entry};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// A list that is being made. It replaces the file of its name when it is complete; lines about other files that were there stay.
#[derive(Debug)]
pub struct Manifest {
    path: PathBuf,
    form: Form,
    /// Comments, and what is no checksum line.
    others: Vec<u8>,
    lines: BTreeMap<OsString, Vec<u8>>,
    /// A file was copied to the list's own name.
    taken: bool,
}

impl Manifest {
    /// Begins a list. Lines that `path` has already are kept, unless they turn out to be about the same files.
    ///
    /// # Errors
    /// If there is something at `path` that cannot be read as a list.
    pub fn begin(path: &Path, form: Form) -> io::Result<Manifest> {
        let mut manifest =
            Manifest { path: path.into(), form, others: Vec::new(), lines: BTreeMap::new(), taken: false };
        let file = match File::open(path) {
            Ok(f) => f,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(manifest),
            Err(e) => return Err(e),
        };
        let mut parser = Parser::new(None, path);
        let mut reader = LineReader::new(BufReader::new(file));
        while let Some(line) = reader.next_line()? {
            let Some(line) = line else { return Err(io::Error::other("is no checksum list (a line is too long)")) };
            let to = match parser.line(line) {
                Line::Entry(e) => manifest.lines.entry(e.name).or_default(),
                _ => &mut manifest.others,
            };
            to.extend_from_slice(line);
            to.push(b'\n');
        }
        Ok(manifest)
    }

    /// Takes down a file that is in the destination: its name there is relative to the destination, so that lists are checked from
    /// within it.
    pub fn add(&mut self, event: &FileEvent<'_>) {
        let absolute = |p: &Path| std::path::absolute(p).ok();
        self.taken |= event.destination.as_deref().is_some_and(|d| absolute(d) == absolute(&self.path));
        let there = matches!(event.action, Action::Copied | Action::Same | Action::Duplicate);
        let Some(below) = event.below.as_ref().filter(|_| there && !event.digests.is_empty()) else { return };
        let mut text = Vec::new();
        for (a, digest) in &event.digests {
            write_entry(&mut text, Style { form: self.form, zero: false }, *a, below.as_os_str(), digest);
        }
        self.lines.insert(below.clone().into_os_string(), text);
    }

    /// Puts the list in its place: all of it, or nothing.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn end(self) -> io::Result<()> {
        if self.taken {
            return Err(io::Error::other("is the name of a file that was to be copied there; no list was written"));
        }
        let folder = self.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut name = OsString::from_vec(b".".to_vec());
        name.push(self.path.file_name().unwrap_or_default());
        name.push(format!(".{}.part", std::process::id()));
        let temporary = folder.join(name);
        let written = File::create(&temporary).and_then(|mut f| {
            f.write_all(&self.others)?;
            for line in self.lines.values() {
                f.write_all(line)?;
            }
            f.sync_all()
        });
        let done =
            written.and_then(|()| fs::rename(&temporary, &self.path)).and_then(|()| crate::place::sync_folder(folder));
        if done.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        done
    }
}
