//! Builds the runner once for each variant, and talks to it.

use super::Variant;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;
use thiserror::Error;

/// A reason why a variant cannot be built or run.
#[derive(Debug, Error)]
pub(super) enum BuildError {
    #[error("{} is not hashmill's source (no {} of it): run this there, or name it with --source DIR", .0.display(),
            .1.display())]
    NoSource(PathBuf, PathBuf),
    #[error("cannot run {program}: {error}: building needs Rust (https://rustup.rs)")]
    Missing { program: String, error: io::Error },
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("{0}: cargo could not build it ({1})")]
    Build(Variant, String),
    #[error("{0}: the program ended or cannot be run: {1}")]
    Gone(Variant, String),
    #[error("{0}: its digest of {1} is not ours: is this its source?")]
    Differs(Variant, String),
    #[error("{0}: {1}")]
    Refused(Variant, String),
}

fn file(path: &Path) -> impl FnOnce(io::Error) -> BuildError {
    let path = path.to_path_buf();
    |error| BuildError::File { path, error }
}

/// Returns the library's folder in a source folder, if that is one.
fn library(source: &Path) -> Result<PathBuf, BuildError> {
    let library = source.join("crates/hashmill");
    let manifest = library.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap_or_default();
    match text.lines().any(|l| l.replace(' ', "") == "name=\"hashmill\"") {
        true => Ok(library),
        false => Err(BuildError::NoSource(source.into(), PathBuf::from("crates/hashmill/Cargo.toml"))),
    }
}

/// Returns the source that the user named, or the one that contains the current folder.
pub(super) fn source(named: Option<&Path>) -> Result<PathBuf, BuildError> {
    if let Some(dir) = named {
        let dir = dir.canonicalize().map_err(file(dir))?;
        return library(&dir).map(|_| dir);
    }
    let here = env::current_dir().map_err(file(Path::new(".")))?;
    match here.ancestors().find(|d| library(d).is_ok()) {
        Some(dir) => Ok(dir.to_path_buf()),
        None => library(&here).map(|_| here.clone()),
    }
}

/// The compiler: its version and host.
#[derive(Debug, Clone)]
pub(super) struct Compiler {
    pub(super) version: String,
    host: String,
}

impl Compiler {
    /// Finds the compiler that cargo uses in the source.
    pub(super) fn find(source: &Path) -> Result<Compiler, BuildError> {
        let program = program("RUSTC", "rustc");
        let out = Command::new(&program).arg("-vV").current_dir(source).output();
        let missing = |error| BuildError::Missing { program: program.to_string_lossy().into_owned(), error };
        let out = out.map_err(missing)?;
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        let field = |name: &str| text.lines().find_map(|l| Some(l.strip_prefix(name)?.trim().to_string()));
        let (Some(host), Some(first)) = (field("host:"), text.lines().next()) else {
            return Err(missing(io::Error::other("it does not say which machine it builds for")));
        };
        let llvm = field("LLVM version:").map_or(String::new(), |v| format!(", LLVM {v}"));
        Ok(Compiler { version: format!("{first}{llvm}"), host })
    }
}

/// Returns a program that cargo and users select with an environment variable.
fn program(variable: &str, usual: &str) -> OsString {
    env::var_os(variable).filter(|v| !v.is_empty()).unwrap_or(usual.into())
}

/// Place where the runner is built.
pub(super) struct Workshop {
    source: PathBuf,
    target_dir: PathBuf,
    compiler: Compiler,
}

impl Workshop {
    /// Writes the runner's package. Its only dependency is the library; an example of the library would need all the
    /// dependencies of its tests.
    pub(super) fn open(source: PathBuf, target_dir: Option<&Path>, compiler: Compiler) -> Result<Workshop, BuildError> {
        let target_dir = match target_dir {
            Some(dir) => std::path::absolute(dir).map_err(file(dir))?,
            None => source.join("target/codegen"),
        };
        let shop = Workshop { source, target_dir, compiler };
        let package = shop.package();
        fs::create_dir_all(&package).map_err(file(&package))?;
        let library = library(&shop.source)?;
        let Ok(path) = serde_json::to_string(&library) else {
            return Err(file(&library)(io::Error::other("cargo needs a path in UTF-8")));
        };
        // A JSON string is a valid TOML string.
        let manifest = format!(
            "[package]\nname = \"hashmill-variant\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
             [[bin]]\nname = \"variant\"\npath = \"variant.rs\"\n\n\
             [dependencies]\nhashmill = {{ path = {path}, default-features = false }}\n\n\
             # As in hashmill's own release profile; the level comes from the environment.\n\
             [profile.release]\nlto = false\ncodegen-units = 1\n\n[workspace]\n"
        );
        unless_same(&package.join("Cargo.toml"), manifest.as_bytes())?;
        unless_same(&package.join("variant.rs"), include_bytes!("runner.rs"))?;
        // Use the locked versions of the source's dependencies, so that nothing needs to be fetched.
        let (theirs, ours) = (shop.source.join("Cargo.lock"), package.join("Cargo.lock"));
        let changed = |p: &Path| fs::metadata(p).and_then(|m| m.modified()).ok();
        if theirs.exists() && changed(&ours) < changed(&theirs) {
            fs::copy(&theirs, &ours).map_err(file(&ours))?;
        }
        Ok(shop)
    }

    fn package(&self) -> PathBuf {
        self.target_dir.join("runner")
    }

    /// Builds one variant, unless it is already built.
    pub(super) fn build(&self, variant: &Variant) -> Result<PathBuf, BuildError> {
        let cargo = program("CARGO", "cargo");
        let mut command = Command::new(&cargo);
        // With --target, the flags apply only to the runner, and build scripts are built only once.
        command.args(["build", "--release", "--quiet", "--target", &self.compiler.host, "--manifest-path"]);
        command.arg(self.package().join("Cargo.toml")).arg("--target-dir").arg(&self.target_dir);
        command.current_dir(&self.source).stdin(Stdio::null()).stdout(Stdio::null());
        let flags = if variant.cpu == "baseline" { String::new() } else { format!("-Ctarget-cpu={}", variant.cpu) };
        command.env("CARGO_ENCODED_RUSTFLAGS", flags).env("CARGO_PROFILE_RELEASE_OPT_LEVEL", &variant.opt);
        let missing = |error| BuildError::Missing { program: cargo.to_string_lossy().into_owned(), error };
        let status = command.status().map_err(missing)?;
        if !status.success() {
            return Err(BuildError::Build(variant.clone(), status.to_string()));
        }
        // Cargo uses the same name for every variant.
        let built = self.target_dir.join(&self.compiler.host).join("release/variant");
        let kept = self.target_dir.join(format!("variant-{}-{}", variant.opt, variant.cpu));
        // The old file may be running.
        let _ = fs::remove_file(&kept);
        fs::copy(&built, &kept).map_err(file(&built))?;
        Ok(kept)
    }
}

/// Writes a file unless it is unchanged, because cargo rebuilds what was written again.
fn unless_same(path: &Path, bytes: &[u8]) -> Result<(), BuildError> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    fs::write(path, bytes).map_err(file(path))
}

/// A running variant.
pub(super) struct Runner {
    variant: Variant,
    process: std::process::Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Runner {
    pub(super) fn start(mut command: Command, variant: &Variant) -> Result<Runner, BuildError> {
        let gone = |e: io::Error| BuildError::Gone(variant.clone(), e.to_string());
        // In its own process group: Ctrl-C is for us, and we still want to show what was measured.
        command.env("HASHMILL_KERNEL", "portable").process_group(0);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(gone)?;
        let (Some(ask), Some(out)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(gone(io::Error::other("no pipes")));
        };
        Ok(Runner { variant: variant.clone(), process, ask, answers: BufReader::new(out) })
    }

    fn question(&mut self, line: &str) -> Result<String, BuildError> {
        let mut answer = String::new();
        let asked = writeln!(self.ask, "{line}").and_then(|()| self.answers.read_line(&mut answer));
        let gone = |why: String| BuildError::Gone(self.variant.clone(), why);
        match (asked, answer.trim_end().split_at_checked(2)) {
            (Ok(_), Some(("= ", text))) => Ok(text.to_string()),
            (Ok(_), Some(("! ", text))) => Err(BuildError::Refused(self.variant.clone(), text.to_string())),
            (Ok(0), _) | (Err(_), _) => {
                let status = self.process.wait().map_or_else(|e| e.to_string(), |s| s.to_string());
                Err(gone(status))
            }
            (Ok(_), _) => Err(gone(format!("'{}' is no answer", answer.trim_end()))),
        }
    }

    /// Checks the runner's digest of the message of this length.
    pub(super) fn check(&mut self, algorithm: &str, bytes: usize, right: &str) -> Result<(), BuildError> {
        match self.question(&format!("digest {algorithm} {bytes}"))? {
            theirs if theirs == right => Ok(()),
            _ => Err(BuildError::Differs(self.variant.clone(), algorithm.into())),
        }
    }

    /// Returns the time of `times` digests by the runner's own clock.
    pub(super) fn run(&mut self, algorithm: &str, bytes: usize, times: u64) -> Result<Duration, BuildError> {
        let answer = self.question(&format!("run {algorithm} {bytes} {times}"))?;
        let nanoseconds =
            answer.parse().map_err(|_| BuildError::Gone(self.variant.clone(), format!("'{answer}' is not a time")))?;
        Ok(Duration::from_nanos(nanoseconds))
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        // It may already have exited.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant() -> Variant {
        Variant { opt: "1".into(), cpu: "baseline".into() }
    }

    /// Starts a runner that answers each line with the next of these answers, then exits.
    fn runner(answers: &str) -> Runner {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("for a in {answers}; do read line; echo \"$a\"; done; exit 3")]);
        Runner::start(command, &variant()).unwrap()
    }

    #[test]
    fn answers() {
        let differs = runner("'= 00'").check("md5", 3, "900150").unwrap_err().to_string();
        assert!(differs.starts_with("opt-level 1, baseline: its digest of md5 is not ours"), "{differs}");
        let mut r = runner("'= 900150' '= 1500' '! unknown algorithm' 'what?' '= soon'");
        r.check("md5", 3, "900150").unwrap();
        assert_eq!(r.run("md5", 3, 10).unwrap(), Duration::from_nanos(1500));
        let error = |e: BuildError| e.to_string();
        assert_eq!(r.check("md0", 3, "").map_err(error).unwrap_err(), "opt-level 1, baseline: unknown algorithm");
        let gone = |e: &str| format!("opt-level 1, baseline: the program ended or cannot be run: {e}");
        assert_eq!(r.check("md5", 3, "").map_err(error).unwrap_err(), gone("'what?' is no answer"));
        assert_eq!(r.run("md5", 3, 1).map_err(error).unwrap_err(), gone("'soon' is not a time"));
        assert_eq!(r.run("md5", 3, 1).map_err(error).unwrap_err(), gone("exit status: 3"));
    }

    #[test]
    fn no_source() {
        let dir = tempfile::tempdir().unwrap();
        let e = source(Some(dir.path())).unwrap_err().to_string();
        assert!(e.contains("is not hashmill's source (no crates/hashmill/Cargo.toml of it): run this there"), "{e}");
        fs::create_dir_all(dir.path().join("crates/hashmill")).unwrap();
        fs::write(dir.path().join("crates/hashmill/Cargo.toml"), "[package]\nname = \"hashmill\"\n").unwrap();
        assert_eq!(source(Some(dir.path())).unwrap(), dir.path().canonicalize().unwrap());
    }
}
