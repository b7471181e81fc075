//! PHP, Go and Python: a loop in the language itself, in a child process whose own clock is read.
//!
//! The child first prints `hashmill-peer VERSION NAME …`. It then answers each request with one line:
//! `messages LENGTH …`, followed by the messages themselves, with their number; `digests NAME` with the digests of all
//! messages in hexadecimal; `run NAME TIMES` with the nanoseconds it took. It exits at the end of its input.

use crate::peer::contract::{Job, Peer, PeerError, PeerKind};
use crate::peer::names::name_for;
use hashmill::Algorithm;
use hashmill_measure::child::{ChildError, Program, Server};
use std::ffi::OsStr;
use std::fs;
use std::process::Command;
use std::time::Duration;

/// Time allowed for starting.
const START: Duration = Duration::from_secs(30);
/// Time allowed for compiling, including the compiler's standard library.
const BUILD: Duration = Duration::from_secs(120);

fn program(kind: PeerKind, path: Option<&OsStr>) -> Program<'_> {
    let (peer, usual, remedy) = match kind {
        PeerKind::Go => ("Go", "go", "install Go (Debian: golang-go) or set HASHMILL_GO"),
        PeerKind::Python => ("Python", "python3", "install Python 3 (Debian: python3) or set HASHMILL_PYTHON"),
        _ => ("PHP", "php", "install PHP's command line (Debian: php-cli) or set HASHMILL_PHP"),
    };
    Program { peer, path: path.unwrap_or(OsStr::new(usual)), remedy }
}

/// Returns the version that the program reports: `Go 1.26.8`.
pub(super) fn version(kind: PeerKind, path: Option<&OsStr>) -> Result<String, PeerError> {
    let program = program(kind, path);
    let mut command = program.command();
    match kind {
        PeerKind::Go => command.env("GOTOOLCHAIN", "local").arg("version"),
        PeerKind::Python => command.args(["-I", "-S", "--version"]),
        _ => command.args(["-n", "--version"]),
    };
    let text = program.output(&mut command, START)?;
    // `go version go1.26.8 linux/amd64`, `PHP 8.2.36 (cli) …`, `Python 3.11.7`
    let mut words = text.split_whitespace();
    let number = match kind {
        PeerKind::Go => words.nth(2).and_then(|w| w.strip_prefix("go")),
        _ => words.nth(1),
    };
    let nonsense = || {
        PeerError::Child(ChildError::Nonsense {
            peer: program.path.to_string_lossy().into_owned(),
            answer: text.lines().next().unwrap_or_default().chars().take(80).collect(),
        })
    };
    Ok(format!("{} {}", program.peer, number.ok_or_else(nonsense)?))
}

/// PHP's `hash()`.
pub(super) fn php(path: Option<&OsStr>) -> Result<Language, PeerError> {
    let program = program(PeerKind::Php, path);
    let mut command = program.command();
    // `-n`: no php.ini, and so no extensions; ours would replace what is to be measured. PHP's own messages on stdout
    // would be taken for answers, and our messages may be long.
    command.args(["-n", "-d", "display_errors=stderr", "-d", "memory_limit=-1", "-r", include_str!("peer.php")]);
    Language::start(PeerKind::Php, &program, &mut command)
}

/// Python's hashlib and zlib.
pub(super) fn python(path: Option<&OsStr>) -> Result<Language, PeerError> {
    let program = program(PeerKind::Python, path);
    let mut command = program.command();
    command.args(["-I", "-S", "-c", include_str!("peer.py")]);
    Language::start(PeerKind::Python, &program, &mut command)
}

/// Go's crypto and hash packages.
pub(super) fn go(path: Option<&OsStr>) -> Result<Language, PeerError> {
    let go = program(PeerKind::Go, path);
    let dir = tempfile::tempdir().map_err(|e| go.system(e))?;
    let sources = [
        ("go.mod", "module peer\n\ngo 1.21\n"),
        ("main.go", include_str!("peer.go")),
        ("sha3.go", include_str!("peer_sha3.go")),
    ];
    for (name, text) in sources {
        fs::write(dir.path().join(name), text).map_err(|e| go.system(e))?;
    }
    let mut build = go.command();
    build.args(["build", "-C"]).arg(dir.path()).args(["-buildvcs=false", "-o", "peer", "."]);
    // With only the standard library.
    build.env("GOFLAGS", "-mod=mod").env("GOWORK", "off");
    build.env("GOTOOLCHAIN", "local").env("GOPROXY", "off").env("GO111MODULE", "on").env("CGO_ENABLED", "0");
    go.output(&mut build, BUILD)?;
    let built = dir.path().join("peer");
    if !built.exists() {
        return Err(go.system(format!("{} built nothing", go.path.to_string_lossy())).into());
    }
    let program = Program { path: built.as_os_str(), ..go };
    // Once it is running, its file and directory can be deleted.
    Language::start(PeerKind::Go, &program, &mut program.command())
}

/// A child process that runs a loop in its language.
pub(super) struct Language {
    kind: PeerKind,
    server: Server,
    /// The child's names for the algorithms that it has.
    names: Vec<String>,
}

impl Language {
    fn start(kind: PeerKind, program: &Program, command: &mut Command) -> Result<Language, PeerError> {
        let mut server = Server::start(program, command)?;
        let mut line = server.ask(&[], START)?;
        // Some builds print other lines first.
        for _ in 0..20 {
            if line.starts_with("hashmill-peer ") {
                break;
            }
            line = server.ask(&[], START)?;
        }
        let mut words = line.split(' ');
        let (Some("hashmill-peer"), Some(version)) = (words.next(), words.next()) else {
            return Err(server.nonsense(&line).into());
        };
        server.peer = format!("{} {version}", program.peer);
        Ok(Language { kind, server, names: words.map(String::from).collect() })
    }

    fn name(&self, algorithm: Algorithm) -> Option<String> {
        name_for(self.kind, algorithm).filter(|name| self.names.contains(name))
    }
}

impl Peer for Language {
    fn version(&self) -> String {
        self.server.peer.clone()
    }

    fn algorithms(&mut self) -> Vec<Algorithm> {
        Algorithm::all().filter(|a| self.name(*a).is_some()).collect()
    }

    fn job<'a>(&'a mut self, algorithm: Algorithm, messages: &'a [&'a [u8]]) -> Result<Box<dyn Job + 'a>, PeerError> {
        let missing = || PeerError::NoDigest { peer: self.version(), algorithm: algorithm.name().into_owned() };
        let name = self.name(algorithm).ok_or_else(missing)?;
        if messages.is_empty() {
            return Err(PeerError::NoMessages);
        }
        let lengths: Vec<String> = messages.iter().map(|m| m.len().to_string()).collect();
        let head = format!("messages {}\n", lengths.join(" "));
        let request: Vec<&[u8]> = std::iter::once(head.as_bytes()).chain(messages.iter().copied()).collect();
        let bytes: usize = messages.iter().map(|m| m.len()).sum();
        let mut job = LanguageJob {
            server: &mut self.server,
            name,
            messages: messages.len(),
            digest_len: algorithm.digest_len(),
            bytes: bytes as f64 / messages.len() as f64,
        };
        let answer = job.ask(&request, messages.len() as u64)?;
        if answer != messages.len().to_string() {
            return Err(job.server.nonsense(&answer).into());
        }
        Ok(Box::new(job))
    }
}

struct LanguageJob<'a> {
    server: &'a mut Server,
    name: String,
    messages: usize,
    digest_len: usize,
    /// Average length of a message.
    bytes: f64,
}

impl LanguageJob<'_> {
    /// Sends a request that processes this many messages. If it takes a hundred times as long as the slowest
    /// implementation, it counts as hanging.
    fn ask(&mut self, request: &[&[u8]], messages: u64) -> Result<String, PeerError> {
        let seconds = 10.0 + messages as f64 * (1e-4 + self.bytes * 1e-5);
        Ok(self.server.ask(request, Duration::from_secs_f64(seconds.min(1e6)))?)
    }
}

impl Job for LanguageJob<'_> {
    fn version(&self) -> String {
        self.server.peer.clone()
    }

    fn run(&mut self, times: u64) -> Result<Option<Duration>, PeerError> {
        let answer = self.ask(&[format!("run {} {times}\n", self.name).as_bytes()], times)?;
        match answer.parse() {
            Ok(nanoseconds) => Ok(Some(Duration::from_nanos(nanoseconds))),
            Err(_) => Err(self.server.nonsense(&answer).into()),
        }
    }

    fn digests(&mut self) -> Result<Vec<Vec<u8>>, PeerError> {
        let answer = self.ask(&[format!("digests {}\n", self.name).as_bytes()], self.messages as u64)?;
        let digests: Option<Vec<Vec<u8>>> = answer.split(' ').map(from_hex).collect();
        let right = |d: &Vec<Vec<u8>>| d.len() == self.messages && d.iter().all(|d| d.len() == self.digest_len);
        digests.filter(right).ok_or_else(|| self.server.nonsense(&answer).into())
    }
}

/// Decodes hexadecimal digits.
pub(super) fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect();
    let digits = digits.filter(|d| d.len() % 2 == 0)?;
    Some(digits.chunks_exact(2).map(|d| d[0] << 4 | d[1]).collect())
}
