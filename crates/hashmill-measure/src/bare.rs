//! Other programs as they are by themselves: without the caller's configuration, and never hashmill under their names
//! (`hashmill links` makes such links).

use std::env;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{self, Path, PathBuf};
use std::process::{Command, Stdio};

/// Variables that programs keep: where programs, homes, caches and scratch files are.
const KEPT: [&str; 9] = ["PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TERM", "GOROOT", "GOCACHE", "XDG_CACHE_HOME"];

/// Beginnings of others: of the loader, cargo and rustc, of the sanitizers and emulators that tests run under, and of
/// the tests' own.
const KEPT_PREFIXES: [&str; 11] =
    ["LD_", "DYLD_", "CARGO", "RUST", "ASAN_", "LSAN_", "TSAN_", "UBSAN_", "LLVM_", "QEMU_", "HASHMILL_TEST_"];

/// A home folder that does not exist, for programs that would read their configuration there.
pub const NO_HOME: &str = "/nonexistent";

/// Returns a command that gets nothing from the caller that would configure it: of the environment, only the variables
/// that say where things are. The language is C, and OpenSSL reads no configuration.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command.envs(env::vars_os().filter(|(name, _)| {
        let name = name.to_string_lossy();
        KEPT.contains(&&*name) || KEPT_PREFIXES.iter().any(|p| name.starts_with(p))
    }));
    command.env("LC_ALL", "C").env("OPENSSL_CONF", "/dev/null").env("GOENV", "off");
    command
}

/// Why there is no original program of a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotFound {
    /// No program of this name.
    #[error("{0} not found")]
    Missing(String),
    /// Only hashmill, under this name.
    #[error("{0} in PATH is hashmill; the original was not found")]
    Ours(String),
}

/// Returns the first program of this name in PATH that is not hashmill.
///
/// # Errors
/// If there is none.
pub fn original(name: &str) -> Result<PathBuf, NotFound> {
    original_in(&env::var_os("PATH").unwrap_or_default(), name)
}

/// As [`original`], in these folders, separated as in PATH.
///
/// # Errors
/// If there is none.
pub fn original_in(folders: &OsStr, name: &str) -> Result<PathBuf, NotFound> {
    let mut ours = false;
    for folder in env::split_paths(folders) {
        // Relative to the current folder, as the shell understands it, and not a name that is looked up again.
        let Ok(candidate) = path::absolute(folder.join(name)) else { continue };
        let executable = |m: std::fs::Metadata| m.is_file() && m.permissions().mode() & 0o111 != 0;
        if !candidate.metadata().is_ok_and(executable) {
            continue;
        }
        if !is_hashmill(&candidate) {
            return Ok(candidate);
        }
        ours = true;
    }
    Err(if ours { NotFound::Ours(name.into()) } else { NotFound::Missing(name.into()) })
}

/// Returns whether a program is hashmill, under whatever name: it says so (`md5sum (hashmill) 1.2.3`). This also
/// recognizes copies and scripts that call it.
pub fn is_hashmill(program: &Path) -> bool {
    let out = command(program).arg("--version").stdin(Stdio::null()).output();
    let text = out.map(|o| o.stdout).unwrap_or_default();
    let line = text.split(|b| *b == b'\n').next().unwrap_or_default();
    line.starts_with(b"hashmill ") || line.windows(11).any(|w| w == b" (hashmill)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Creates a script. Another process writes it: if this process held it open for writing, a child that a concurrent
    /// test starts at that moment would also hold it open, and it could not be executed.
    fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
        let file = folder.join(name);
        fs::create_dir_all(folder).expect("a folder");
        let writer = "printf '#!/bin/sh\\n%s\\n' \"$1\" >\"$0\" && chmod +x \"$0\"";
        let status = Command::new("sh").args(["-c", writer]).arg(&file).arg(text).status();
        assert!(status.is_ok_and(|s| s.success()));
        file
    }

    #[test]
    fn ours_is_passed_over() {
        let dir = tempfile::tempdir().expect("a folder");
        let [a, b, c] = ["a", "b", "c"].map(|name| dir.path().join(name));
        script(&a, "md5sum", "echo 'md5sum (hashmill) 0.1.0'");
        let theirs = script(&b, "md5sum", "echo 'md5sum (GNU coreutils) 9.1'");
        script(&b, "b3sum", "echo 'hashmill 0.1.0'");
        // A program that only mentions hashmill, or has no such option, is not hashmill.
        let other = script(&c, "xxhsum", "echo '/home/hashmill/xxhsum: no such option'; exit 1");
        fs::write(a.join("xxhsum"), "not executable").expect("a file");
        let path = env::join_paths([&dir.path().join("none"), &a, &b, &c]).expect("a path");
        assert_eq!(original_in(&path, "md5sum"), Ok(theirs));
        assert_eq!(original_in(&path, "xxhsum"), Ok(other));
        let e = original_in(&path, "b3sum").expect_err("it is ours");
        assert_eq!(e.to_string(), "b3sum in PATH is hashmill; the original was not found");
        assert_eq!(original_in(&path, "none").expect_err("nothing").to_string(), "none not found");
        assert!(original("sh").is_ok());
    }

    #[test]
    fn commands_get_nothing_that_configures_them() {
        let shown = command("env").output().expect("env").stdout;
        let shown = String::from_utf8_lossy(&shown);
        let kept = |name: &str| KEPT.contains(&name) || KEPT_PREFIXES.iter().any(|p| name.starts_with(p));
        let set = ["LC_ALL", "OPENSSL_CONF", "GOENV"];
        for name in shown.lines().filter_map(|l| Some(l.split_once('=')?.0)) {
            assert!(kept(name) || set.contains(&name), "{name}");
        }
        assert!(shown.contains("\nLC_ALL=C\n") || shown.starts_with("LC_ALL=C\n"), "{shown}");
        for never in ["PHPRC", "PHP_INI_SCAN_DIR", "PYTHONPATH", "GOFLAGS", "HASHMILL_KERNEL", "POSIXLY_CORRECT"] {
            assert!(!kept(never), "{never}");
        }
    }
}
