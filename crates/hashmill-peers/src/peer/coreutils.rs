//! coreutils' md5sum and so on: one process per slice, given the same files over and over.

use crate::peer::contract::{Job, Peer, PeerError, PeerKind};
use crate::peer::language::from_hex;
use crate::peer::names::name_for;
use hashmill::Algorithm;
use hashmill_measure::bare::{self, NotFound};
use hashmill_measure::child::{ChildError, Program};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const REMEDY: &str = "install coreutils or set HASHMILL_COREUTILS to the directory of theirs";

/// Bytes of arguments for one process; every system allows more.
const ARGUMENTS: usize = 128 << 10;

/// Commands of one coreutils installation.
pub(super) struct Coreutils {
    /// Directories of the commands, separated as in PATH.
    dirs: OsString,
    version: String,
}

impl Coreutils {
    pub(super) fn open(dir: Option<&OsStr>) -> Result<Coreutils, PeerError> {
        let dirs = match dir {
            // The commands run in other directories.
            Some(dir) => std::path::absolute(dir).unwrap_or(dir.into()).into_os_string(),
            None => std::env::var_os("PATH").unwrap_or_default(),
        };
        let path = match bare::original_in(&dirs, "md5sum") {
            Ok(path) => path,
            Err(NotFound::Ours(_)) => return Err(PeerError::Ours { program: "md5sum".into(), remedy: REMEDY }),
            Err(NotFound::Missing(_)) => dir.map_or_else(PathBuf::new, PathBuf::from).join("md5sum"),
        };
        let program = Program { peer: "coreutils", path: path.as_os_str(), remedy: REMEDY };
        // Other implementations, such as BusyBox, do not know the option.
        let text = program.output(program.command().arg("--version"), Duration::from_secs(30));
        let text = text.map_err(|e| if matches!(e, ChildError::Died { .. }) { program.missing() } else { e })?;
        // `md5sum (GNU coreutils) 9.1`, `md5sum (uutils coreutils) 0.2.2`
        let line = text.lines().next().unwrap_or_default();
        let (who, number) = line.split_once(" coreutils) ").ok_or_else(|| program.missing())?;
        let version = match who.rsplit('(').next() {
            Some("GNU") | None => format!("coreutils {number}"),
            Some(other) => format!("coreutils {number} ({other})"),
        };
        Ok(Coreutils { dirs, version })
    }

    /// Returns the command for an algorithm, split into words; the first is the path of the original program.
    fn words(&self, algorithm: Algorithm) -> Result<Vec<OsString>, PeerError> {
        let missing = || PeerError::NoDigest { peer: self.version.clone(), algorithm: algorithm.name().into_owned() };
        let text = name_for(PeerKind::Coreutils, algorithm).ok_or_else(missing)?;
        let mut words: Vec<OsString> = text.split(' ').map(OsString::from).collect();
        let name = text.split(' ').next().unwrap_or_default();
        words[0] = bare::original_in(&self.dirs, name).map_err(|_| missing())?.into_os_string();
        // Whether this version has the command, or the option, is found out by trying.
        match self.output(&words, Path::new("/"), &["/dev/null".into()]) {
            Ok(_) => Ok(words),
            Err(PeerError::Child(ChildError::Died { .. }) | PeerError::Child(ChildError::Missing { .. })) => {
                Err(missing())
            }
            Err(e) => Err(e),
        }
    }

    fn with<T>(&self, words: &[OsString], dir: &Path, run: impl FnOnce(&Program, Command) -> T) -> T {
        let program = Program { peer: &self.version, path: &words[0], remedy: REMEDY };
        let mut command = program.command();
        command.args(&words[1..]).current_dir(dir);
        run(&program, command)
    }

    fn output(&self, words: &[OsString], dir: &Path, files: &[String]) -> Result<String, PeerError> {
        let limit = Duration::from_secs(600);
        self.with(words, dir, |program, mut command| Ok(program.output(command.args(files), limit)?))
    }
}

impl Peer for Coreutils {
    fn version(&self) -> String {
        self.version.clone()
    }

    fn notes(&self) -> Option<String> {
        Some("includes starting one process per slice and reading the file from the page cache".into())
    }

    fn algorithms(&mut self) -> Vec<Algorithm> {
        Algorithm::all().filter(|a| self.words(*a).is_ok()).collect()
    }

    fn job<'a>(&'a mut self, algorithm: Algorithm, messages: &'a [&'a [u8]]) -> Result<Box<dyn Job + 'a>, PeerError> {
        let words = self.words(algorithm)?;
        if messages.is_empty() {
            return Err(PeerError::NoMessages);
        }
        let system = |e: std::io::Error| {
            PeerError::Child(ChildError::System { peer: self.version.clone(), reason: e.to_string() })
        };
        let dir = tempfile::tempdir().map_err(system)?;
        let files: Vec<String> = (0..messages.len()).map(|i| i.to_string()).collect();
        for (file, message) in files.iter().zip(messages) {
            fs::write(dir.path().join(file), message).map_err(system)?;
        }
        let longest = files.last().map_or(1, String::len);
        // An argument takes its text with a terminating NUL, and a pointer to it.
        let per_process = ARGUMENTS / (longest + 1 + size_of::<usize>());
        let sum = ["cksum", "sum-bsd", "sum-sysv"].contains(&&*algorithm.name());
        Ok(Box::new(CoreutilsJob {
            peer: self,
            words,
            dir,
            files,
            next: 0,
            per_process,
            sum_len: sum.then(|| algorithm.digest_len()),
        }))
    }
}

struct CoreutilsJob<'a> {
    peer: &'a Coreutils,
    words: Vec<OsString>,
    dir: tempfile::TempDir,
    files: Vec<String>,
    next: usize,
    per_process: usize,
    /// Digest length, if the digest is printed as a decimal number.
    sum_len: Option<usize>,
}

impl Job for CoreutilsJob<'_> {
    fn version(&self) -> String {
        self.peer.version.clone()
    }

    fn run(&mut self, times: u64) -> Result<Option<Duration>, PeerError> {
        let mut total = Duration::ZERO;
        let mut left = times;
        while left > 0 {
            let now = left.min(self.per_process as u64);
            let parts = crate::peer::contract::stretches(&mut self.next, self.files.len(), now);
            let arguments: Vec<&String> = parts.flat_map(|part| &self.files[part]).collect();
            total += self.peer.with(&self.words, self.dir.path(), |program, mut command| {
                command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
                let start = Instant::now();
                let status = program.spawn(&mut command)?.wait().map_err(|e| program.system(e))?;
                let time = start.elapsed();
                let died =
                    || PeerError::Child(ChildError::Died { peer: program.peer.into(), last: status.to_string() });
                if status.success() { Ok(time) } else { Err(died()) }
            })?;
            left -= now;
        }
        Ok(Some(total))
    }

    fn digests(&mut self) -> Result<Vec<Vec<u8>>, PeerError> {
        let mut digests = Vec::new();
        for files in self.files.chunks(self.per_process) {
            let text = self.peer.output(&self.words, self.dir.path(), files)?;
            for line in text.lines() {
                let word = line.split_whitespace().next().unwrap_or_default();
                let digest = match self.sum_len {
                    Some(len) => word.parse::<u64>().ok().map(|n| n.to_be_bytes()[8 - len..].to_vec()),
                    None => from_hex(word),
                };
                let nonsense =
                    || PeerError::Child(ChildError::Nonsense { peer: self.peer.version.clone(), answer: line.into() });
                digests.push(digest.ok_or_else(nonsense)?);
            }
        }
        Ok(digests)
    }
}
