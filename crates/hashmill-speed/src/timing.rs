//! The rows that can be timed, with OpenSSL's names, order and numbers.

use super::error::OptionsError;
use hashmill::unstable::nearest;
use hashmill::{Algorithm, Error, Security};
use hashmill_peers::crypto::{CIPHERS, CipherKind, CipherUse, KEYS, KeyKind};
use serde::{Deserialize, Serialize};

/// OpenSSL's block sizes for digests and ciphers.
pub(super) const SIZES: [usize; 6] = [16, 64, 256, 1024, 8192, 16384];
/// OpenSSL's sizes with `-aead`.
pub(super) const AEAD_SIZES: [usize; 6] = [2, 31, 136, 1024, 8192, 16384];

/// OpenSSL version whose output is imitated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Style {
    /// OpenSSL 1.1.1.
    V1_1_1,
    /// OpenSSL 3.0 and 3.1.
    V3_0,
    /// OpenSSL 3.2 and later.
    V3_2,
}

impl Style {
    pub(super) fn named(name: &str) -> Option<Style> {
        match name {
            "1.1.1" => Some(Style::V1_1_1),
            "3.0" | "3.1" => Some(Style::V3_0),
            "3.2" | "3.3" | "3.4" | "3.5" => Some(Style::V3_2),
            _ => None,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Style::V1_1_1 => "1.1.1",
            Style::V3_0 => "3.0",
            Style::V3_2 => "3.2",
        }
    }
}

/// What a row times.
#[derive(Debug, Clone, Copy)]
pub(super) enum Task {
    Digest(Algorithm),
    Hmac(Algorithm),
    Cipher(CipherKind, CipherUse),
    Key(KeyKind),
}

/// One operation: on a whole message for digests and ciphers, one of several for keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Op {
    Block(usize),
    Sign,
    Verify,
    Encrypt,
    Decrypt,
}

impl Op {
    /// Returns what one operation counts for: its bytes, or 1 if operations are counted.
    pub(super) fn weight(self) -> f64 {
        if let Op::Block(bytes) = self { bytes as f64 } else { 1.0 }
    }

    /// Returns the number of bytes (`64`) or the operation's name.
    pub(super) fn word(self) -> String {
        match self {
            Op::Block(bytes) => bytes.to_string(),
            Op::Sign => "sign".into(),
            Op::Verify => "verify".into(),
            Op::Encrypt => "encrypt".into(),
            Op::Decrypt => "decrypt".into(),
        }
    }
}

/// A row to be timed.
#[derive(Debug, Clone)]
pub(super) struct Timing {
    /// OpenSSL's number of the row, as in `+F`.
    pub(super) index: usize,
    /// Position in the order of timing.
    rank: usize,
    /// Name in the row's output lines.
    pub(super) name: String,
    /// Name in the results: `sha256`, `aes-128-cbc`, `rsa2048`.
    pub(super) what: String,
    pub(super) task: Task,
}

impl Timing {
    /// Returns the row's operations, in order.
    pub(super) fn ops(&self, sizes: &[usize], style: Style) -> Vec<Op> {
        match self.task {
            Task::Key(KeyKind::Rsa(_)) if style == Style::V3_2 => vec![Op::Sign, Op::Verify, Op::Encrypt, Op::Decrypt],
            Task::Key(_) => vec![Op::Sign, Op::Verify],
            _ => sizes.iter().map(|&n| Op::Block(n)).collect(),
        }
    }

    /// Returns whether this is the row of `-evp`.
    pub(super) fn is_evp(&self) -> bool {
        self.rank == EVP_RANK
    }

    pub(super) fn is_key(&self) -> bool {
        matches!(self.task, Task::Key(_))
    }

    /// Returns how the cipher is used, if there is more than one way.
    pub(super) fn mode(&self) -> &'static str {
        match self.task {
            Task::Cipher(_, CipherUse { decrypt: false, tls: true }) => "TLS records",
            Task::Cipher(_, CipherUse { decrypt: true, tls: true }) => "TLS records, decrypting",
            Task::Cipher(_, CipherUse { decrypt: true, tls: false }) => "decrypting",
            _ => "",
        }
    }
}

/// OpenSSL's own rows that exist here, too, in the order in which it times them: the name that the row shows, its
/// number in 3.x and in 1.1.1, and other accepted names.
const OPENSSL: [(&str, usize, usize, &[&str]); 13] = [
    ("md2", 0, 0, &[]),
    ("mdc2", 1, 1, &[]),
    ("md4", 2, 2, &[]),
    ("md5", 3, 3, &[]),
    ("sha1", 4, 5, &[]),
    ("sha256", 6, 23, &[]),
    ("sha512", 7, 24, &[]),
    ("whirlpool", 8, 25, &[]),
    ("rmd160", 5, 6, &["ripemd", "ripemd160"]),
    ("hmac", 9, 4, &[]),
    ("aes-128-cbc", 19, 16, &[]),
    ("aes-192-cbc", 20, 17, &[]),
    ("aes-256-cbc", 21, 18, &[]),
];
/// Numbers of the `-evp` row, in 3.x and in 1.1.1.
const EVP: (usize, usize) = (25, 22);
/// Number of the first row that has none in OpenSSL.
const OURS: usize = 100;
const HMAC_RANK: usize = 9;
const EVP_RANK: usize = OURS;

/// What the user asked for by name.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) names: Vec<String>,
    pub(super) evp: Option<String>,
    pub(super) hmac: Option<String>,
    /// Whether something was asked for that does not exist here, so that the lack of names does not mean everything.
    pub(super) something: bool,
    pub(super) usage: CipherUse,
    pub(super) style: Option<Style>,
    /// Whether everything excludes ciphers and keys.
    pub(super) only_digests: bool,
    /// Whether everything excludes digests.
    pub(super) no_digests: bool,
}

impl Asked {
    pub(super) fn everything(&self) -> bool {
        self.names.is_empty() && self.evp.is_none() && self.hmac.is_none() && !self.something
    }
}

fn upper(kind: CipherKind) -> String {
    if kind.name == "chacha20-poly1305" { "ChaCha20-Poly1305".into() } else { kind.name.to_ascii_uppercase() }
}

fn cipher(name: &str) -> Option<CipherKind> {
    CIPHERS.into_iter().find(|c| c.name.eq_ignore_ascii_case(name) || c.old_name.eq_ignore_ascii_case(name))
}

/// Returns whether OpenSSL has a row for the cipher, so that it can be timed without `-evp`.
fn has_row(kind: CipherKind) -> bool {
    OPENSSL.iter().any(|(row, ..)| *row == kind.name)
}

/// Names that stand for several rows.
pub(super) const GROUPS: [&str; 5] = ["aes", "rsa", "ecdsa", "eddsa", "hmac"];

/// Parses a digest. The error for an unknown name suggests the nearest names of everything that can be timed.
fn digest(name: &str, digests_only: bool) -> Result<Algorithm, OptionsError> {
    name.parse().map_err(|e| match e {
        Error::UnknownAlgorithm { name, near } if !digests_only => {
            let others = CIPHERS.iter().map(|c| c.name).chain(KEYS.iter().map(|(n, _)| *n)).chain(GROUPS);
            let mut all = nearest(&name, near.iter().map(String::as_str).chain(others).map(|n| (n, n)));
            // What the library finds through an alias may not resemble any name here.
            if all.is_empty() {
                all = near.iter().map(String::as_str).collect();
            }
            let near = all.into_iter().take(3).map(String::from).collect();
            OptionsError::Algorithm(Error::UnknownAlgorithm { name, near })
        }
        e => e.into(),
    })
}

/// Whether something to time has this name.
pub(super) fn is_name(name: &str) -> bool {
    jobs(&Asked { names: vec![name.into()], ..Asked::default() }).is_ok()
}

/// The rows, in the order in which they are timed.
pub(super) fn jobs(asked: &Asked) -> Result<Vec<Timing>, OptionsError> {
    let style = asked.style.unwrap_or(Style::V3_0);
    let mut rows = Rows { style, jobs: Vec::new() };
    for name in &asked.names {
        rows.name(name, asked.usage)?;
    }
    if asked.everything() {
        for a in Algorithm::all().filter(|a| !asked.no_digests && a.security() != Security::NotCryptographic) {
            rows.digest(&a.name(), a);
        }
        if !asked.only_digests {
            CIPHERS.into_iter().for_each(|c| rows.cipher(c, asked.usage));
            KEYS.into_iter().for_each(|(name, kind)| rows.key(name, kind));
        }
    }
    if let Some(name) = &asked.hmac {
        rows.hmac(name, digest(name, true)?)?;
    }
    let mut jobs = rows.jobs;
    jobs.sort_by_key(|j| j.rank);
    if let Some(name) = &asked.evp {
        let index = if style == Style::V1_1_1 { EVP.1 } else { EVP.0 };
        let job = |name: String, what: &str, task| Timing { index, rank: EVP_RANK, name, what: what.into(), task };
        let evp = match cipher(name) {
            Some(c) if asked.usage.tls && !c.aead => return Err(OptionsError::NotAead(upper(c))),
            Some(c) if style == Style::V1_1_1 => job(c.name.into(), c.name, Task::Cipher(c, asked.usage)),
            Some(c) => job(upper(c), c.name, Task::Cipher(c, asked.usage)),
            None => {
                let a = digest(name, false)?;
                job(name.clone(), &a.name(), Task::Digest(a))
            }
        };
        // OpenSSL times it after the ciphers and before the keys.
        let keys = jobs.iter().position(Timing::is_key).unwrap_or(jobs.len());
        jobs.insert(keys, evp);
    }
    for (i, job) in jobs.iter_mut().filter(|j| j.index == usize::MAX).enumerate() {
        job.index = OURS + i;
    }
    let tls = |j: &Timing| matches!(j.task, Task::Cipher(_, u) if u.tls);
    if asked.usage.tls && !jobs.iter().any(tls) {
        return Err(OptionsError::NoAead);
    }
    Ok(jobs)
}

struct Rows {
    style: Style,
    jobs: Vec<Timing>,
}

impl Rows {
    fn push(&mut self, name: &str, what: &str, task: Task) {
        let row = OPENSSL.iter().position(|(row, .., more)| *row == name || more.contains(&name));
        let (rank, index, name) = match row.map(|r| (r, OPENSSL[r])) {
            Some((rank, (name, _, old, _))) if self.style == Style::V1_1_1 => (rank, old, name),
            Some((rank, (name, new, ..))) => (rank, new, name),
            None => (OURS - 1, usize::MAX, name),
        };
        if !self.jobs.iter().any(|j| j.name == name) {
            self.jobs.push(Timing { index, rank, name: name.into(), what: what.into(), task });
        }
    }

    fn name(&mut self, name: &str, usage: CipherUse) -> Result<(), OptionsError> {
        let lower = name.to_ascii_lowercase();
        let group: Option<&dyn Fn(&KeyKind) -> bool> = match &*lower {
            "sha" => {
                for name in ["sha1", "sha256", "sha512"] {
                    self.digest(name, digest(name, false)?);
                }
                return Ok(());
            }
            "aes" => {
                CIPHERS.into_iter().filter(|c| has_row(*c)).for_each(|c| self.cipher(c, usage));
                return Ok(());
            }
            "hmac" => {
                let default = if self.style == Style::V3_2 { "sha256" } else { "md5" };
                return self.hmac(default, digest(default, true)?);
            }
            "rsa" => Some(&|k| matches!(k, KeyKind::Rsa(_))),
            "ecdsa" => Some(&|k| matches!(k, KeyKind::EcdsaP256)),
            "eddsa" => Some(&|k| matches!(k, KeyKind::Ed25519)),
            _ => None,
        };
        if let Some(of_group) = group {
            KEYS.into_iter().filter(|(_, k)| of_group(k)).for_each(|(name, kind)| self.key(name, kind));
        } else if let Some((name, kind)) = KEYS.into_iter().find(|(n, _)| *n == lower) {
            self.key(name, kind);
        } else if let Some(kind) = cipher(&lower) {
            self.cipher(kind, usage);
        } else if let Some(of) = lower.strip_prefix("hmac(").and_then(|r| r.strip_suffix(')')) {
            self.hmac(of, digest(of, true)?)?;
        } else {
            self.digest(name, digest(name, false)?);
        }
        Ok(())
    }

    fn digest(&mut self, name: &str, a: Algorithm) {
        self.push(name, &a.name(), Task::Digest(a));
    }

    /// Adds an HMAC. The first one is in OpenSSL's row.
    fn hmac(&mut self, name: &str, a: Algorithm) -> Result<(), OptionsError> {
        // Any key shows whether the HMAC exists.
        hashmill::Hmac::new(a, &[0; 16])?;
        let (shown, what) = (format!("hmac({name})"), format!("hmac({})", a.name()));
        if self.jobs.iter().any(|j| j.rank == HMAC_RANK) {
            self.push(&shown, &what, Task::Hmac(a));
        } else {
            let (_, new, old, _) = OPENSSL[HMAC_RANK];
            let index = if self.style == Style::V1_1_1 { old } else { new };
            self.jobs.push(Timing { index, rank: HMAC_RANK, name: shown, what, task: Task::Hmac(a) });
        }
        Ok(())
    }

    /// Adds a cipher. OpenSSL's own rows always encrypt and never authenticate.
    fn cipher(&mut self, kind: CipherKind, usage: CipherUse) {
        if self.jobs.iter().any(|j| j.what == kind.name) {
            return;
        }
        let usage =
            if has_row(kind) { CipherUse::default() } else { CipherUse { tls: usage.tls && kind.aead, ..usage } };
        self.push(kind.name, kind.name, Task::Cipher(kind, usage));
        if self.style == Style::V1_1_1
            && let Some(job) = self.jobs.iter_mut().find(|j| j.name == kind.name)
        {
            job.name = kind.old_name.into();
        }
    }

    fn key(&mut self, name: &str, kind: KeyKind) {
        if self.jobs.iter().any(|j| j.name == name) {
            return;
        }
        // Position among their kind: 512, 1024, 2048, 3072, 4096 bits; NIST P-256 is the fourth of the curves.
        let index = match kind {
            KeyKind::Rsa(_) => KEYS.iter().position(|(n, _)| *n == name).unwrap_or_default(),
            KeyKind::EcdsaP256 => 3,
            KeyKind::Ed25519 => 0,
        };
        let rank = OURS + 1 + KEYS.iter().position(|(n, _)| *n == name).unwrap_or_default();
        self.jobs.push(Timing { index, rank, name: name.into(), what: name.into(), task: Task::Key(kind) });
    }
}
