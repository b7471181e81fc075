//! Reading a bag: its tag files, and which files its payload has.

use crate::base::bag::declaration::{DECLARATION, Declaration, declared};
use crate::base::bag::fetch;
use crate::base::bag::files::Files;
use crate::base::bag::flaw::{Flaw, FlawKind};
use crate::base::bag::names::{PAYLOAD, algorithm_in, has_bare_percent, is_payload, within};
use crate::base::bag::tags::{OXUM, Oxum, TagLine, line as tag_line};
use crate::base::snapshot::{Known, Snapshot};
use hashmill::Algorithm;
use hashmill_files::{Error, FileId, Input, Problem, Walked, plain, walk};
use hashmill_lists::{LineReader, Stated, bagit};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The folder in which the creation of a bag keeps what it has prepared, until everything is in its place.
pub(crate) const PREPARED: &str = ".hashmill-bag";

/// Maximum length of `bagit.txt` in bytes, which has two short lines.
const MAX_DECLARATION: u64 = 64 << 10;

/// A manifest.
#[derive(Debug)]
pub(crate) struct Manifest {
    /// Its name in the bag.
    pub(crate) file: String,
    pub(crate) algorithm: Algorithm,
    pub(crate) is_tag: bool,
    /// Whether the program that wrote it does not encode `%`.
    pub(crate) has_bare_percent: bool,
}

/// The tag files of a bag.
#[derive(Debug)]
pub(crate) struct Bag {
    pub(crate) root: PathBuf,
    pub(crate) declaration: Declaration,
    pub(crate) manifests: Vec<Manifest>,
    /// What payload manifests list, by names as they are spelled there.
    pub(crate) listed: Snapshot,
    /// What tag manifests list.
    pub(crate) tags: Snapshot,
    pub(crate) oxum: Option<Oxum>,
    /// The files in `fetch.txt`, and where they are.
    pub(crate) fetch: HashMap<Vec<u8>, String>,
}

/// Opens a tag file, which has to be a regular file in the bag.
pub(crate) fn open(root: &Path, name: &str) -> Result<File, Flaw> {
    let flaw = |kind, what: &str| Flaw::new(kind, name, what);
    let path = root.join(name);
    let examined = fs::canonicalize(&path).and_then(|real| Ok((real.starts_with(fs::canonicalize(root)?), real)));
    let failed = |e: &io::Error| match e.kind() {
        io::ErrorKind::NotFound => flaw(FlawKind::Missing, "no such file"),
        _ => flaw(FlawKind::Unreadable, &plain(e)),
    };
    match examined {
        Ok((true, real)) if fs::metadata(&real).is_ok_and(|m| m.is_file()) => File::open(real).map_err(|e| failed(&e)),
        Ok((true, _)) => Err(flaw(FlawKind::Malformed, "is no regular file")),
        Ok((false, _)) => Err(flaw(FlawKind::Outside, "is a symbolic link that leads out of the bag")),
        Err(e) => Err(failed(&e)),
    }
}

impl Bag {
    /// Reads the tag files of a bag, and passes on what is wrong with them. Returns `None` if it is no bag that can be
    /// examined.
    pub(crate) fn open(root: &Path, tell: &mut dyn FnMut(Flaw)) -> Option<Bag> {
        if let Err(e) = fs::read_dir(root) {
            let kind = if e.kind() == io::ErrorKind::NotFound { FlawKind::Missing } else { FlawKind::Unreadable };
            tell(Flaw::new(kind, "", plain(&e)));
            return None;
        }
        // What is left once everything is in its place is an empty folder.
        if fs::read_dir(root.join(PREPARED)).is_ok_and(|mut entries| entries.next().is_some()) {
            let what = "has not been finished: `hashmill bag create` on it goes on";
            tell(Flaw::new(FlawKind::Malformed, "", what));
            return None;
        }
        let mut text = Vec::new();
        let read = match open(root, DECLARATION) {
            Ok(file) => file.take(MAX_DECLARATION).read_to_end(&mut text),
            Err(flaw) if flaw.kind == FlawKind::Missing => {
                tell(Flaw { what: "no such file, so this is no bag".into(), ..flaw });
                return None;
            }
            Err(flaw) => {
                tell(flaw);
                return None;
            }
        };
        if let Err(e) = read {
            tell(Flaw::new(FlawKind::Unreadable, DECLARATION, plain(&e)));
            return None;
        }
        let declaration = declared(&text, tell)?;
        let mut bag = Bag {
            root: root.into(),
            declaration,
            manifests: Vec::new(),
            listed: Snapshot::new(),
            tags: Snapshot::new(),
            oxum: None,
            fetch: HashMap::new(),
        };
        bag.read_manifests(tell);
        bag.read_info(tell);
        bag.read_fetch(tell);
        let real = |path: &Path| fs::canonicalize(path).ok();
        let payload = root.join(PAYLOAD);
        match real(&payload).zip(real(root)) {
            Some((payload, root)) if !payload.starts_with(&root) => {
                tell(Flaw::new(FlawKind::Outside, "data/", "is a symbolic link that leads out of the bag"));
                return None;
            }
            Some(_) if fs::metadata(&payload).is_ok_and(|m| m.is_dir()) => {}
            _ => tell(Flaw::new(FlawKind::Missing, "data/", "no such folder, which every bag has")),
        }
        Some(bag)
    }

    /// Returns whether payload manifests, or tag manifests, are by a program that does not encode `%`.
    pub(crate) fn has_bare_percent(&self, is_tag: bool) -> bool {
        self.manifests.iter().any(|m| m.is_tag == is_tag && m.has_bare_percent)
    }

    /// Returns the algorithms of payload manifests, or of tag manifests.
    pub(crate) fn algorithms(&self, is_tag: bool) -> impl Iterator<Item = Algorithm> {
        self.manifests.iter().filter(move |m| m.is_tag == is_tag).map(|m| m.algorithm)
    }

    /// Passes the lines of a tag file to `take`, with their numbers, and what is wrong otherwise to `tell`.
    fn lines(
        &self,
        name: &str,
        tell: &mut dyn FnMut(Flaw),
        mut take: impl FnMut(&[u8], u64, &mut dyn FnMut(Flaw)),
    ) -> Result<(), Flaw> {
        let encoding = self.declaration.encoding;
        let failed = |e: io::Error| Flaw::new(FlawKind::Unreadable, name, plain(&e));
        let mut lines = LineReader::new(encoding.reader(open(&self.root, name)?).map_err(failed)?);
        let mut number = 0;
        let malformed = |number, what: &str| Flaw::new(FlawKind::Malformed, name, what).at(number);
        while let Some(line) = lines.next_line().map_err(failed)? {
            number += 1;
            let Some(line) = line else {
                tell(malformed(number, "the line is too long"));
                continue;
            };
            let (line, is_text) = encoding.line(line);
            if !is_text {
                tell(malformed(number, "is not text in the encoding that bagit.txt states"));
            }
            take(&line, number, tell);
        }
        Ok(())
    }

    fn read_manifests(&mut self, tell: &mut dyn FnMut(Flaw)) {
        let names = fs::read_dir(&self.root).into_iter().flatten().flatten().map(|entry| entry.file_name());
        let mut names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
        names.sort();
        let mut has_payload = false;
        for file in names {
            let Some((name, is_tag)) = algorithm_in(&file) else { continue };
            has_payload |= !is_tag;
            let Some(algorithm) = bagit::of_name(Path::new(&file)) else {
                let what = format!("its digests are not checked: nothing here computes '{}'", name);
                tell(Flaw::new(FlawKind::NotChecked, file, what));
                continue;
            };
            if let Some(other) = self.manifests.iter().find(|m| (m.algorithm, m.is_tag) == (algorithm, is_tag)) {
                let what = format!("its digests are not checked, since {} is for the same algorithm", other.file);
                tell(Flaw::new(FlawKind::NotChecked, file, what));
                continue;
            }
            let mut manifest = Manifest { file, algorithm, is_tag, has_bare_percent: false };
            if let Err(flaw) = self.read_manifest(&mut manifest, tell) {
                tell(flaw);
            }
            self.manifests.push(manifest);
        }
        if !has_payload {
            tell(Flaw::new(FlawKind::Missing, "manifest-….txt", "there is no payload manifest"));
        }
    }

    fn read_manifest(&mut self, manifest: &mut Manifest, tell: &mut dyn FnMut(Flaw)) -> Result<(), Flaw> {
        let mut listed = std::mem::take(if manifest.is_tag { &mut self.tags } else { &mut self.listed });
        let Manifest { file, algorithm, is_tag, has_bare_percent: bare } = manifest;
        let (algorithm, is_tag, is_final) = (*algorithm, *is_tag, self.declaration.version.is_final());
        let flaw = |kind, number, what: String| Flaw::new(kind, file.as_str(), what).at(number);
        let end = self.lines(file, tell, |line, number, tell| {
            let (digest, path) = match bagit::line(line, algorithm) {
                Ok(Some(found)) => found,
                Ok(None) => return,
                Err(fault) => return tell(flaw(FlawKind::Malformed, number, fault.to_string())),
            };
            let shown = || String::from_utf8_lossy(path);
            *bare |= has_bare_percent(path);
            let Some(name) = within(path) else {
                let what = format!("{} leads out of the bag, and is not read", shown());
                return tell(flaw(FlawKind::Outside, number, what));
            };
            if !is_tag && !is_payload(&name) {
                let what = format!("{} is not in data/, and belongs in a tag manifest", shown());
                tell(flaw(FlawKind::Note, number, what));
            }
            let stated = [Stated::new(Some(algorithm), digest)];
            let is_twice = listed.find(&name).is_some_and(|row| {
                let function = stated[0].function;
                listed.stated(row).iter().any(|s| s.function == function)
            });
            match listed.add(&name, &Known { stated: &stated, ..Known::default() }) {
                Ok(_) if !is_twice => {}
                Ok(_) if is_final => {
                    let what = format!("{} is listed twice, which version 1.0 does not allow", shown());
                    tell(flaw(FlawKind::Malformed, number, what));
                }
                Ok(_) => tell(flaw(FlawKind::Note, number, format!("{} is listed twice", shown()))),
                Err(e) => tell(flaw(FlawKind::Malformed, number, format!("{} is {e}", shown()))),
            }
        });
        *(if is_tag { &mut self.tags } else { &mut self.listed }) = listed;
        end
    }

    fn read_info(&mut self, tell: &mut dyn FnMut(Flaw)) {
        let name = self.declaration.version.info();
        let mut oxums: Vec<(u64, String)> = Vec::new();
        let mut goes_on = None;
        let end = self.lines(name, tell, |line, number, tell| {
            let line = String::from_utf8_lossy(line);
            match tag_line(&line, goes_on.is_some()) {
                TagLine::Blank => {}
                TagLine::Tag { label, value, .. } => {
                    let is_oxum = label.eq_ignore_ascii_case(OXUM);
                    goes_on = Some(is_oxum);
                    if is_oxum {
                        oxums.push((number, value.into()));
                    }
                }
                TagLine::More(more) => {
                    if let (Some(true), Some((_, value))) = (goes_on, oxums.last_mut()) {
                        value.push_str(more);
                    }
                }
                TagLine::Malformed => {
                    tell(Flaw::new(FlawKind::Malformed, name, "is no tag, as there is no colon in it").at(number));
                }
            }
        });
        match end {
            // The file is optional; if a tag manifest lists it, it is missed there.
            Err(flaw) if flaw.kind == FlawKind::Missing => return,
            Err(flaw) => tell(flaw),
            Ok(()) => {}
        }
        if let Some((number, _)) = oxums.get(1) {
            tell(Flaw::new(FlawKind::Note, name, format!("states {OXUM} again; the first counts")).at(*number));
        }
        if let Some((number, value)) = oxums.first() {
            self.oxum = Oxum::parse(value);
            if self.oxum.is_none() {
                let what = format!("{OXUM} is '{}', not a number of bytes and one of files", value);
                tell(Flaw::new(FlawKind::Malformed, name, what).at(*number));
            }
        }
    }

    fn read_fetch(&mut self, tell: &mut dyn FnMut(Flaw)) {
        const NAME: &str = "fetch.txt";
        let mut all = HashMap::new();
        let end = self.lines(NAME, tell, |line, number, tell| {
            let line = String::from_utf8_lossy(line);
            let (url, name) = match fetch::line(&line) {
                Ok(Some(found)) => found,
                Ok(None) => return,
                Err(what) => return tell(Flaw::new(FlawKind::Malformed, NAME, what).at(number)),
            };
            match within(name.as_bytes()) {
                None => {
                    let what = format!("{} leads out of the bag", name);
                    tell(Flaw::new(FlawKind::Outside, NAME, what).at(number));
                }
                Some(within) if !is_payload(&within) => {
                    let what = format!("{} is no payload file", name);
                    tell(Flaw::new(FlawKind::Malformed, NAME, what).at(number));
                }
                Some(within) => drop(all.insert(within, url.to_string())),
            }
        });
        match end {
            Err(flaw) if flaw.kind != FlawKind::Missing => tell(flaw),
            _ => {}
        }
        self.fetch = all;
    }
}

/// The files of a payload.
#[derive(Debug, Default)]
pub(crate) struct Payload {
    pub(crate) files: Files,
    pub(crate) amount: Oxum,
    /// What is neither a regular file nor a folder, or cannot be examined.
    pub(crate) problems: Vec<(Vec<u8>, Error)>,
    /// Links to folders, which belong to no bag.
    pub(crate) links: Vec<Vec<u8>>,
}

/// Returns the name in the bag of a path below `root`.
pub(crate) fn name_in(root: &Path, path: &Path) -> Vec<u8> {
    crate::base::names::normalized(path.strip_prefix(root).unwrap_or(path).as_os_str().as_encoded_bytes())
}

impl Payload {
    /// Finds out which files are in a folder of a bag. Symbolic links to files count as files, and those to folders are
    /// not followed.
    pub(crate) fn of(root: &Path, folder: &str) -> Payload {
        let mut payload = Payload::default();
        if !root.join(folder).is_dir() {
            return payload;
        }
        let how = Walked { examine: true, ours: true, ..Walked::default() };
        for found in walk([Input::Path(root.join(folder))], how) {
            match found {
                Ok(found) => {
                    let path = found.input().name();
                    let size = match found.facts() {
                        Some(facts) => facts.size,
                        None => fs::metadata(path).map_or(0, |m| m.len()),
                    };
                    payload.amount.files += 1;
                    payload.amount.bytes += size;
                    payload.files.add(&name_in(root, path), size);
                }
                Err(Problem { path, error }) => payload.problem(name_in(root, &path), &path, error),
            }
        }
        payload
    }

    fn problem(&mut self, name: Vec<u8>, path: &Path, error: Error) {
        let is_linked_folder = matches!(error, Error::Skipped(_)) && fs::metadata(path).is_ok_and(|m| m.is_dir());
        if is_linked_folder {
            self.links.push(name);
        } else {
            self.amount.files += 1;
            self.problems.push((name, error));
        }
    }
}

/// Returns the files of a bag that are neither payload nor tag manifests, in order, and what is wrong with others.
/// Those in `outputs` are being written.
pub(crate) fn tag_files(root: &Path, outputs: &[FileId]) -> Vec<Result<PathBuf, Problem>> {
    let mut names: Vec<_> = fs::read_dir(root).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
    names.sort();
    let is_tag = |name: &std::ffi::OsString| {
        let is_manifest = name.to_str().and_then(algorithm_in).is_some_and(|(_, is_tag)| is_tag);
        *name != PAYLOAD && *name != PREPARED && !is_manifest && !hashmill_files::ours::is_temporary(name)
    };
    // A link to a folder would be followed at the top.
    let roots = names.into_iter().filter(is_tag).map(|name| root.join(name)).filter(|path| {
        fs::symlink_metadata(path).is_ok_and(|m| !m.is_symlink() || fs::metadata(path).is_ok_and(|m| m.is_file()))
    });
    let how = Walked { outputs: outputs.to_vec(), ..Walked::default() };
    walk(roots.map(Input::Path), how).map(|found| found.map(|found| found.input().name().to_path_buf())).collect()
}
