//! The files that a suite's commands work on.

use super::file::{Files, Line, Suite};
use hashmill_measure::bare;
use hashmill_measure::random::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tempfile::TempDir;
use thiserror::Error;

/// Where Linux has a file system in memory.
const MEMORY: &str = "/dev/shm";

/// Written when a set of files is complete.
const COMPLETE: &str = "complete";

/// Why files could not be made.
#[derive(Debug, Error)]
#[error("files {name}: {what}")]
pub(crate) struct InputError {
    name: String,
    what: String,
}

/// Where the files of a suite are.
pub(crate) struct Inputs {
    folder: PathBuf,
    /// Paths by the names of the files.
    of: BTreeMap<String, PathBuf>,
    /// Names of folders that are emptied before every run.
    emptied: BTreeSet<String>,
    /// The folder of those that are in memory.
    memory: Option<TempDir>,
}

impl Inputs {
    /// Makes those files of a suite that are wanted and not there yet, below `folder`, and returns what could not be
    /// made, and why. `command` makes a command of arguments that have no placeholders any more.
    pub(crate) fn make(
        suite: &Suite,
        wanted: &BTreeSet<String>,
        emptied: BTreeSet<String>,
        folder: &Path,
        command: &dyn Fn(&[String]) -> Result<std::process::Command, String>,
    ) -> (Inputs, Vec<InputError>) {
        let mut inputs = Inputs { folder: folder.to_owned(), of: BTreeMap::new(), emptied, memory: None };
        let failed = wanted.iter().filter_map(|name| inputs.add(suite, name, command).err()).collect();
        (inputs, failed)
    }

    fn add(
        &mut self,
        suite: &Suite,
        name: &str,
        command: &dyn Fn(&[String]) -> Result<std::process::Command, String>,
    ) -> Result<(), InputError> {
        let error = |what: String| InputError { name: name.into(), what };
        if self.of.contains_key(name) {
            return Ok(());
        }
        let files = suite.files.get(name).ok_or_else(|| error("the suite has none of this name".into()))?;
        for other in needed(files) {
            self.add(suite, &other, command)?;
        }
        let io = |e: io::Error| error(hashmill_files::plain(&e));
        fs::create_dir_all(&self.folder).map_err(io)?;
        let folder = if files.memory { self.memory().map_err(error)? } else { self.folder.clone() };
        let path = folder.join(name);
        match files {
            Files { program: Some(program), .. } => {
                let program = suite.beside(program);
                let made = bare::command(&program).arg(&path).stdin(Stdio::null()).stdout(Stdio::null()).status();
                match made.map_err(io)? {
                    status if status.success() => {}
                    status => return Err(error(format!("{} ended with {status}", program.display()))),
                }
            }
            Files { folders: Some(folders), files: Some(each), size: Some(size), .. } => {
                complete(&path, |path| tree(path, *folders, *each, *size)).map_err(io)?;
            }
            Files { size: Some(size), .. } => {
                if fs::metadata(&path).map_or(0, |m| m.len() + 1) != size + 1 {
                    random_file(&path, *size, 1).map_err(io)?;
                }
            }
            Files { copies: Some(copies), of: Some(of), .. } => {
                let from = &self.of[of];
                complete(&path, |path| (0..*copies).try_for_each(|i| copy(from, &path.join(i.to_string()))))
                    .map_err(io)?;
            }
            Files { output: Some(arguments), below, .. } => {
                let arguments = self.arguments(arguments).map_err(error)?;
                let mut command = command(&arguments).map_err(error)?;
                if let Some(below) = below {
                    command.current_dir(&self.of[below]);
                }
                let to = File::create(&path).map_err(io)?;
                let status = command.stdin(Stdio::null()).stdout(to).status().map_err(io)?;
                if !status.success() {
                    return Err(error(format!("{} ended with {status}", arguments.join(" "))));
                }
            }
            _ => return Err(error("nothing says how to make them".into())),
        }
        self.of.insert(name.into(), path);
        Ok(())
    }

    /// Returns the folder in memory.
    fn memory(&mut self) -> Result<PathBuf, String> {
        let made = match self.memory.take() {
            Some(made) => made,
            None => tempfile::Builder::new()
                .prefix("hashmill-bench-")
                .tempdir_in(MEMORY)
                .map_err(|e| format!("{MEMORY}: {}", hashmill_files::plain(&e)))?,
        };
        Ok(self.memory.insert(made).path().into())
    }

    /// Returns a folder that is made for one run after the other.
    pub(crate) fn emptied(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Returns arguments without placeholders.
    pub(crate) fn arguments(&self, arguments: &[String]) -> Result<Vec<String>, String> {
        let mut all = Vec::new();
        for argument in arguments {
            match argument.strip_prefix('{').and_then(|a| a.strip_suffix("/*}")) {
                Some(name) => {
                    let mut files = Vec::new();
                    below(self.path(name)?, &mut files)
                        .map_err(|e| format!("{name}: {}", hashmill_files::plain(&e)))?;
                    files.sort();
                    all.extend(files);
                }
                None => all.push(self.replaced(argument, |path| path.to_string())?),
            }
        }
        Ok(all)
    }

    /// Returns a line for the shell without placeholders.
    pub(crate) fn line(&self, line: &str) -> Result<String, String> {
        self.replaced(line, |path| format!("'{}'", path.replace('\'', "'\\''")))
    }

    fn path(&self, name: &str) -> Result<&Path, String> {
        self.of.get(name).map(PathBuf::as_path).ok_or_else(|| format!("there are no files {name}"))
    }

    fn replaced(&self, text: &str, shown: impl Fn(&str) -> String) -> Result<String, String> {
        let mut done = String::new();
        let mut rest = text;
        while let Some((before, name, after)) = placeholder(rest) {
            done += before;
            let path = match self.of.get(name) {
                Some(path) => path.clone(),
                None if self.emptied.contains(name) => self.emptied(name),
                None => return Err(format!("there are no files {name}")),
            };
            let path = path.to_str().ok_or("the folder's name is not UTF-8")?.to_string();
            done += &shown(&path);
            rest = after;
        }
        Ok(done + rest)
    }
}

/// Returns the names of the files that a command needs.
pub(crate) fn named(line: &Line) -> Vec<String> {
    let texts = match line {
        Line::Arguments(all) => all.clone(),
        Line::Shell(line) => vec![line.clone()],
    };
    let mut names = Vec::new();
    for text in texts {
        let mut rest = &text[..];
        while let Some((_, name, after)) = placeholder(rest) {
            if name != "hashmill" {
                names.push(name.trim_end_matches("/*").to_string());
            }
            rest = after;
        }
    }
    names
}

fn needed(files: &Files) -> Vec<String> {
    let output = files.output.iter().flat_map(|all| named(&Line::Arguments(all.clone())));
    output.chain(files.of.clone()).chain(files.below.clone()).collect()
}

/// Returns what is before the first placeholder, its name, and what is after it.
fn placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let is_name = |name: &str| {
        let stem = name.strip_suffix("/*").unwrap_or(name);
        !stem.is_empty() && stem.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_'))
    };
    for (at, _) in text.match_indices('{') {
        let rest = &text[at + 1..];
        if let Some((name, after)) = rest.split_once('}')
            && is_name(name)
        {
            return Some((&text[..at], name, after));
        }
    }
    None
}

/// Reserves a folder for this process, until the file is dropped.
///
/// # Errors
/// If another process has it: two would make the same files, and each would disturb what the other measures.
pub(super) fn alone(folder: &Path) -> io::Result<File> {
    let lock = File::create(folder.join("lock"))?;
    match lock.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(io::Error::other("another process measures here; wait for it, or give another folder with --to"))
        }
        // File systems without locks.
        Err(TryLockError::Error(_)) | Ok(()) => Ok(lock),
    }
}

/// Makes a folder, unless it has been made completely before.
fn complete(path: &Path, make: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let mark = path.with_extension(COMPLETE);
    if mark.exists() && path.exists() {
        return Ok(());
    }
    if path.exists() {
        fs::remove_dir_all(path)?;
    }
    fs::create_dir_all(path)?;
    make(path)?;
    File::create(mark).map(drop)
}

/// Makes folders of files with contents that do not repeat.
fn tree(path: &Path, folders: usize, files: usize, size: u64) -> io::Result<()> {
    let mut random = Random(3);
    let mut content = vec![0; usize::try_from(size).map_err(io::Error::other)?];
    for d in 0..folders {
        let folder = path.join(format!("{d:04}"));
        fs::create_dir(&folder)?;
        for i in 0..files {
            random.fill(&mut content);
            fs::write(folder.join(format!("{i:05}")), &content)?;
        }
    }
    Ok(())
}

fn random_file(path: &Path, size: u64, seed: u64) -> io::Result<()> {
    let mut random = Random(seed);
    let mut out = BufWriter::new(File::create(path)?);
    let mut block = vec![0; 1 << 20];
    let mut left = size;
    while left > 0 {
        random.fill(&mut block);
        let n = left.min(block.len() as u64);
        out.write_all(&block[..n as usize])?;
        left -= n;
    }
    out.flush()
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() { copy(&entry.path(), &to)? } else { fs::copy(entry.path(), to).map(drop)? }
    }
    Ok(())
}

/// Adds the files below a folder.
fn below(folder: &Path, files: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            below(&entry.path(), files)?;
        } else {
            files.push(entry.path().to_str().ok_or(io::ErrorKind::InvalidData)?.to_string());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders() {
        assert_eq!(placeholder("a {b.c} d"), Some(("a ", "b.c", " d")));
        assert_eq!(placeholder("awk '{print $1}' {x}"), Some(("awk '{print $1}' ", "x", "")));
        assert_eq!(placeholder("{} {a b}"), None);
        let line = Line::Arguments(vec!["{photos/*}".into(), "--to={to}".into()]);
        assert_eq!(named(&line), ["photos", "to"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_in_memory_are_gone_afterwards() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.toml");
        fs::write(&path, "title = \"t\"\ntable = []\n[files]\nm = { size = 5, memory = true }\nd = { size = 5 }\n")
            .unwrap();
        let suite = Suite::read(&path).unwrap();
        let wanted: BTreeSet<String> = ["m", "d"].map(String::from).into();
        let (inputs, failed) =
            Inputs::make(&suite, &wanted, BTreeSet::new(), dir.path(), &|_| Err("no command".into()));
        assert!(failed.is_empty(), "{failed:?}");
        let all = inputs.arguments(&["{m}".into(), "{d}".into()]).unwrap();
        assert!(all[0].starts_with(MEMORY) && Path::new(&all[1]).starts_with(dir.path()), "{all:?}");
        assert!(all.iter().all(|name| fs::metadata(name).unwrap().len() == 5));
        drop(inputs);
        assert!(!Path::new(&all[0]).parent().unwrap().exists());
    }

    #[test]
    fn files_are_made_once() {
        let dir = tempfile::tempdir().unwrap();
        let text = "title = \"t\"\ntable = []\n[files]\nmany = { folders = 2, files = 3, size = 5 }\nbig = { size = 3000000 }\n\
                    twice = { copies = 2, of = \"many\" }\nlist = { output = [\"ls\", \"{many}\"] }\n\
                    here = { output = [\"ls\"], below = \"many\" }\n";
        let path = dir.path().join("s.toml");
        fs::write(&path, text).unwrap();
        let suite = Suite::read(&path).unwrap();
        let wanted: BTreeSet<String> = ["twice", "list", "big", "here"].map(String::from).into();
        let command = |a: &[String]| {
            let mut command = bare::command(&a[0]);
            command.args(&a[1..]);
            Ok(command)
        };
        let make = || {
            let (inputs, failed) = Inputs::make(&suite, &wanted, BTreeSet::new(), dir.path(), &command);
            assert!(failed.is_empty(), "{failed:?}");
            inputs
        };
        let inputs = make();
        let all = inputs.arguments(&["{twice/*}".into(), "x={list}".into()]).unwrap();
        assert_eq!(all.len(), 13);
        assert_eq!(fs::read(&all[0]).unwrap(), fs::read(&all[6]).unwrap());
        assert_ne!(fs::read(&all[0]).unwrap(), fs::read(&all[1]).unwrap());
        assert!(all[12].starts_with("x=/") && all[12].ends_with("/list"));
        for name in ["list", "here"] {
            assert_eq!(fs::read_to_string(dir.path().join(name)).unwrap(), "0000\n0001\n");
        }
        assert_eq!(fs::metadata(dir.path().join("big")).unwrap().len(), 3_000_000);
        assert_eq!(
            inputs.line("cat {list} | awk '{print $1}'").unwrap(),
            format!("cat '{}/list' | awk '{{print $1}}'", dir.path().display())
        );
        drop(inputs);
        fs::remove_file(&all[0]).unwrap();
        assert_eq!(make().arguments(&["{twice/*}".into()]).unwrap().len(), 11);
    }
}
