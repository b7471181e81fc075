//! Files with the same content.
//!
//! Files of one length are compared by their first and last blocks, and those that are still alike by a digest of all
//! of them. What has the same inode, or the same blocks of the medium, takes its space only once.

use crate::base::names::normalized;
use crate::base::snapshot::{Known, Row, Snapshot};
use crate::read::ends;
use hashmill::{Algorithm, Digest};
use hashmill_files::{
    Error, Event, Facts, Filter, Found, Input, Io, Options, Outcome, Problem, Progress, Walked, may_share_extents,
    shared_extents, sum, walk,
};
use std::collections::HashMap;
use std::fs::File;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// How to look for duplicates.
#[derive(Debug, Clone)]
pub struct DupsOptions {
    /// The algorithm by whose digests contents are the same.
    pub algorithm: Algorithm,
    /// Which files are looked at. Empty ones never are.
    pub filter: Filter,
    /// Number of hashing threads, or `None` for one per available core.
    pub threads: Option<NonZeroUsize>,
    /// How files are read.
    pub io: Io,
}

/// How a file of a group holds its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// It has its own blocks.
    Space,
    /// It is another name of the file before it in the group with this index.
    HardLink(usize),
    /// It shares its blocks with the file before it in the group with this index.
    Reflink(usize),
}

/// A file of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its path.
    pub path: PathBuf,
    /// How it holds its content.
    pub holds: Holds,
}

/// Files with the same content, in the order in which they were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Length in bytes of each file.
    pub size: u64,
    /// The digest of each.
    pub digest: Digest,
    /// The files, of which at least two have their own blocks.
    pub members: Vec<Member>,
}

impl Group {
    /// Returns the number of bytes that copies take beyond the first.
    pub fn waste(&self) -> u64 {
        let copies = self.members.iter().filter(|m| m.holds == Holds::Space).count() as u64;
        self.size * copies.saturating_sub(1)
    }
}

/// What was found.
#[derive(Debug, Default)]
pub struct Duplicates {
    /// Groups; those that take the most space needlessly come first.
    pub groups: Vec<Group>,
    /// Number of files that were looked at.
    pub files: u64,
    /// Total length of these files in bytes; files with several names count once.
    pub bytes: u64,
    /// Number of bytes that were read.
    pub read: u64,
    /// What could not be looked at.
    pub problems: Vec<Problem>,
}

/// Finds files with the same content below some folders. Links are not followed.
///
/// # Errors
/// Returns an error if a thread panicked.
pub fn dups(roots: Vec<PathBuf>, options: &DupsOptions, progress: &Progress) -> Result<Duplicates, Error> {
    let mut found = Duplicates::default();
    let files = Files::walk(roots, options, progress, &mut found);
    let alike = files.alike(options, progress, &mut found);
    let hashed = files.hash(alike, options, progress, &mut found)?;
    let mut shares = HashMap::new();
    let mut groups: Vec<Group> =
        hashed.into_iter().filter_map(|(size, digest, rows)| files.group(size, digest, rows, &mut shares)).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.waste()));
    found.groups = groups;
    Ok(found)
}

/// All files, with the numbers of their inodes.
struct Files {
    snapshot: Snapshot,
    /// For each file, the device and the inode.
    ids: Vec<(u64, u64)>,
    /// For files that have several names, the other names.
    others: HashMap<Row, Vec<Row>>,
}

impl Files {
    fn walk(roots: Vec<PathBuf>, options: &DupsOptions, progress: &Progress, found: &mut Duplicates) -> Files {
        let mut files = Files { snapshot: Snapshot::new(), ids: Vec::new(), others: HashMap::new() };
        let mut named: HashMap<(u64, u64), Row> = HashMap::new();
        let how = Walked { filter: options.filter.clone(), examine: true, ..Walked::default() };
        for item in walk(roots.into_iter().map(Input::Path), how) {
            if progress.is_stopped() {
                break;
            }
            let (path, facts) = match item {
                // A file that was itself an argument, or that a link leads to.
                Ok(f) => match (f.facts().copied(), f.input().name()) {
                    (Some(facts), path) => (path.to_owned(), facts),
                    (None, path) => match path.symlink_metadata() {
                        Ok(m) if m.is_file() => (path.to_owned(), Facts::of(&m)),
                        Ok(_) => continue,
                        Err(e) => {
                            found.problems.push(Problem { path: path.into(), error: e.into() });
                            continue;
                        }
                    },
                },
                Err(p) if p.error.is_skipped() => continue,
                Err(p) if p.path.symlink_metadata().is_ok_and(|m| m.is_symlink()) => continue,
                Err(p) => {
                    found.problems.push(p);
                    continue;
                }
            };
            if facts.size == 0 {
                continue;
            }
            let name = normalized(path.as_os_str().as_encoded_bytes());
            if files.snapshot.find(&name).is_some() {
                // Below two of the folders.
                continue;
            }
            let first = named.get(&facts.id).copied();
            if first.is_some() && facts.links < 2 {
                // The same file by another path: a link leads to one of the folders, or it is mounted twice.
                continue;
            }
            found.files += 1;
            let known = Known { size: Some(facts.size), modified: Some(facts.modified), stated: &[] };
            let Ok(row) = files.snapshot.add(&name, &known) else { continue };
            files.ids.push(facts.id);
            match first {
                Some(first) => files.others.entry(first).or_default().push(row),
                None => {
                    found.bytes += facts.size;
                    named.insert(facts.id, row);
                }
            }
        }
        files
    }

    fn path(&self, row: Row) -> PathBuf {
        hashmill_lists::os_string(self.snapshot.name(row)).map(PathBuf::from).unwrap_or_default()
    }

    /// Returns the files that may be the same as others by their lengths and their first and last blocks.
    fn alike(&self, options: &DupsOptions, progress: &Progress, found: &mut Duplicates) -> Vec<Row> {
        let is_first: Vec<bool> = {
            let mut first = vec![true; self.snapshot.len()];
            self.others.values().flatten().for_each(|row| first[row.index()] = false);
            first
        };
        let size = |row: Row| self.snapshot.size(row).unwrap_or_default();
        let mut rows: Vec<Row> = self.snapshot.rows().filter(|row| is_first[row.index()]).collect();
        rows.sort_by_key(|row| size(*row));
        let mut alike: Vec<Row> =
            rows.chunk_by(|a, b| size(*a) == size(*b)).filter(|same| same.len() > 1).flatten().copied().collect();
        // Of short files, these blocks are all there is.
        let long = |row: &Row| size(*row) > 4 * ends::BLOCK;
        let (looked_at, mut rest): (Vec<Row>, Vec<Row>) = alike.drain(..).partition(long);
        let paths: Vec<PathBuf> = looked_at.iter().map(|row| self.path(*row)).collect();
        let threads = options.threads.map(NonZeroUsize::get);
        let digests = ends::of(&paths, options.algorithm, threads, &|| progress.is_stopped());
        let mut of: HashMap<(u64, Digest), Vec<Row>> = HashMap::new();
        for ((row, path), digest) in looked_at.into_iter().zip(paths).zip(digests) {
            found.read += 2 * ends::BLOCK;
            match digest {
                Ok(digest) => of.entry((size(row), digest)).or_default().push(row),
                Err(e) => found.problems.push(Problem { path, error: e.into() }),
            }
        }
        rest.extend(of.into_values().filter(|same| same.len() > 1).flatten());
        // In the order in which they were found, which is about that of the medium.
        rest.sort_unstable();
        rest
    }

    /// Returns the files that are the same by the digests of all of them.
    fn hash(
        &self,
        rows: Vec<Row>,
        options: &DupsOptions,
        progress: &Progress,
        found: &mut Duplicates,
    ) -> Result<Vec<(u64, Digest, Vec<Row>)>, Error> {
        let computing = Options { threads: options.threads, io: options.io, ..Options::new(vec![options.algorithm]) };
        let mut at = 0;
        let mut same: HashMap<(u64, Digest), Vec<Row>> = HashMap::new();
        let inputs = rows.iter().map(|row| Ok(Found::regular_only(Input::Path(self.path(*row)))));
        sum(&computing, inputs, progress, |event| {
            if let Event::Outcome(Outcome { result, bytes, changed, input, .. }) = event {
                let row = rows[at];
                at += 1;
                found.read += bytes;
                let path = || input.name().to_owned();
                match result {
                    Ok(_) if changed || Some(bytes) != self.snapshot.size(row) => {
                        let error = Error::Skipped("it changed meanwhile");
                        found.problems.push(Problem { path: path(), error });
                    }
                    Ok(digests) => {
                        if let Some(digest) = digests.into_iter().next() {
                            same.entry((bytes, digest)).or_default().push(row);
                        }
                    }
                    Err(error) => found.problems.push(Problem { path: path(), error }),
                }
            }
            ControlFlow::Continue(())
        })?;
        let groups = same.into_iter().filter(|(_, rows)| rows.len() > 1);
        let mut groups: Vec<_> = groups.map(|((size, digest), rows)| (size, digest, rows)).collect();
        groups.sort_by_key(|(_, _, rows)| rows[0]);
        Ok(groups)
    }

    /// Returns a group, unless all its files share their blocks. `shares` says of each device whether its files may,
    /// since asking for every file takes time.
    fn group(&self, size: u64, digest: Digest, rows: Vec<Row>, shares: &mut HashMap<u64, bool>) -> Option<Group> {
        let mut members: Vec<Member> = Vec::with_capacity(rows.len());
        let mut seen: HashMap<Vec<(u64, u64, u64)>, usize> = HashMap::new();
        for row in rows {
            let path = self.path(row);
            let device = self.ids[row.index()].0;
            let may_share = *shares.entry(device).or_insert_with(|| may_share_extents(&path));
            let extents = if may_share { File::open(&path).ok().and_then(|file| shared_extents(&file)) } else { None };
            let first = members.len();
            let holds = match extents {
                Some(mut extents) => {
                    // The positions are those on one device.
                    extents.push((device, 0, 0));
                    match seen.get(&extents) {
                        Some(&of) => Holds::Reflink(of),
                        None => {
                            seen.insert(extents, first);
                            Holds::Space
                        }
                    }
                }
                None => Holds::Space,
            };
            members.push(Member { path, holds });
            let others = self.others.get(&row).into_iter().flatten();
            members.extend(others.map(|other| Member { path: self.path(*other), holds: Holds::HardLink(first) }));
        }
        let copies = members.iter().filter(|m| m.holds == Holds::Space).count();
        (copies > 1).then_some(Group { size, digest, members })
    }
}
