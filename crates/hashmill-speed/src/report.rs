//! The lines and records of `openssl speed`.

use super::options::{Options, Whose};
use super::time::{Cell, Versus};
use super::timing::{Op, Style, Task, Timing};
use super::work::By;
use hashmill_measure::machine;
use hashmill_peers::crypto::KeyKind;
use std::fmt;

/// Results of one row.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) job: Timing,
    pub(super) by: By,
    /// One cell per size or operation; fewer after an interruption.
    pub(super) cells: Vec<Cell>,
    /// Peers of each cell.
    pub(super) versus: Vec<Vec<Versus>>,
}

impl Row {
    pub(super) fn new(job: &Timing) -> Row {
        Row { job: job.clone(), by: By::default(), cells: Vec::new(), versus: Vec::new() }
    }
}

/// Returns the bits of a key and OpenSSL's word for its kind.
fn key(kind: KeyKind) -> (u32, &'static str) {
    match kind {
        KeyKind::Rsa(bits) => (bits, "rsa"),
        KeyKind::EcdsaP256 => (256, "ecdsa"),
        KeyKind::Ed25519 => (253, "Ed25519"),
    }
}

/// Formats the announcement before an operation is timed.
pub(super) fn before(job: &Timing, op: Op, options: &Options) -> String {
    let (name, seconds) = (&job.name, options.seconds(job));
    let ops = if options.style == Style::V3_2 { " ops" } else { "" };
    let Task::Key(kind) = job.task else {
        let size = op.word();
        return match options.machine {
            true => format!("+DT:{name}:{seconds}:{size}\n"),
            false => format!("Doing {name}{ops} for {seconds}s on {size} size blocks: "),
        };
    };
    let (bits, word) = key(kind);
    let (how, what) = match (kind, op) {
        (KeyKind::Rsa(_), Op::Sign | Op::Decrypt) => ("private".to_string(), word),
        (KeyKind::Rsa(_), _) => ("public".to_string(), word),
        _ => (op.word(), word),
    };
    let what = match kind {
        KeyKind::Rsa(_) if options.style == Style::V3_2 => format!("{what} {}", op.word()),
        _ => what.to_string(),
    };
    match (options.machine, options.style) {
        (true, _) => format!("+DTP:{bits}:{how}:{what}:{seconds}\n"),
        (false, Style::V3_2) => format!("Doing {bits} bits {how} {what} ops for {seconds}s: "),
        (false, _) => format!("Doing {bits} bits {how} {what}'s for {seconds}s: "),
    }
}

/// Formats the line after an operation was timed.
pub(super) fn after(job: &Timing, cell: &Cell, options: &Options) -> String {
    let (count, took, style, op) = (cell.count, cell.seconds, options.style, cell.op);
    let new = style == Style::V3_2;
    let Task::Key(kind) = job.task else {
        let name = &job.name;
        return match options.machine {
            true => format!("+R:{count}:{name}:{took:.6}\n"),
            false if new => format!("{count} {name} ops in {took:.2}s\n"),
            false => format!("{count} {name}'s in {took:.2}s\n"),
        };
    };
    let (bits, word) = key(kind);
    if options.machine {
        let number = match (kind, op) {
            (KeyKind::Rsa(_), Op::Verify) => 2,
            (KeyKind::Rsa(_), Op::Encrypt) => 3,
            (KeyKind::Rsa(_), Op::Decrypt) => 4,
            (KeyKind::Rsa(_), _) => 1,
            // 3.2 inserted the RSA records 3 and 4.
            (KeyKind::EcdsaP256, op) => 5 + usize::from(op == Op::Verify) + 2 * usize::from(new),
            (KeyKind::Ed25519, op) => 8 + usize::from(op == Op::Verify) + 2 * usize::from(new),
        };
        return match kind {
            KeyKind::Ed25519 => format!("+R{number}:{count}:{bits}:{word}:{took:.2}\n"),
            _ => format!("+R{number}:{count}:{bits}:{took:.2}\n"),
        };
    }
    let operation = op.word();
    let what = match (kind, op) {
        (KeyKind::Rsa(_), op) => {
            let whose = if matches!(op, Op::Sign | Op::Decrypt) { "private" } else { "public" };
            if new { format!("{whose} RSA {operation} ops") } else { format!("{whose} RSA's") }
        }
        (kind, op) => {
            let word = if kind == KeyKind::EcdsaP256 { "ECDSA" } else { word };
            let old = if op == Op::Sign { "signs" } else { "verify" };
            if new { format!("{word} {operation} ops") } else { format!("{word} {old}") }
        }
    };
    // Trailing blanks, as in OpenSSL.
    let blank = match (kind, op) {
        (KeyKind::Ed25519, Op::Sign) => " ",
        (KeyKind::EcdsaP256, Op::Sign) if style == Style::V1_1_1 => " ",
        _ => "",
    };
    format!("{count} {bits} bits {what} in {took:.2}s{blank}\n")
}

pub(super) struct Report<'a> {
    pub(super) options: &'a Options,
    pub(super) rows: &'a [Row],
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let machine = self.options.machine;
        if !machine {
            self.head(f)?;
        }
        let rows = || self.rows.iter().filter(|r| !r.cells.is_empty());
        let mut blocks: Vec<&Row> = rows().filter(|r| !r.job.is_key()).collect();
        // OpenSSL leaves out both lines if children ran.
        if self.options.multi.is_none() && self.rows.iter().any(|r| !r.job.is_key()) {
            if machine {
                f.write_str("+H")?;
            } else {
                f.write_str("The 'numbers' are in 1000s of bytes per second processed.\ntype        ")?;
            }
            for size in &self.options.sizes {
                if machine { write!(f, ":{size}") } else { write!(f, "{size:7} bytes") }?;
            }
            writeln!(f)?;
        }
        // In the order of their numbers, except that rows without a number in OpenSSL come before that of -evp.
        let place = |r: &Row| (r.job.index >= 100, r.job.index);
        let evp = |r: &Row| r.job.is_evp() && self.options.style != Style::V1_1_1;
        blocks.sort_by_key(|r| (evp(r), place(r)));
        for row in blocks {
            let job = &row.job;
            if machine { write!(f, "+F:{}:{}", job.index, job.name) } else { write!(f, "{:<13}", job.name) }?;
            for cell in &row.cells {
                match cell.rate {
                    r if machine => write!(f, ":{r:.2}"),
                    r if r > 10000.0 => write!(f, " {:11.2}k", r / 1e3),
                    r => write!(f, " {r:11.2} "),
                }?;
            }
            writeln!(f)?;
        }
        let mut header = None;
        for row in rows() {
            if let Task::Key(kind) = row.job.task {
                self.key(f, row, kind, &mut header)?;
            }
        }
        Ok(())
    }
}

impl Report<'_> {
    fn head(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let old = self.options.style == Style::V1_1_1;
        let version = env!("CARGO_PKG_VERSION");
        // If all the code is another implementation's, that is what one wants to know first.
        let other = self.rows.iter().map(|r| r.by.version.as_str()).find(|v| !v.is_empty());
        let timing = match (self.options.provider, other) {
            (Some(Whose::AwsLc | Whose::Openssl | Whose::RustCrypto), Some(other)) => format!(" timing {other}"),
            _ => String::new(),
        };
        if old {
            writeln!(f, "hashmill {version}  {}{timing}", machine::built().format("%-d %b %Y"))?;
        } else {
            writeln!(f, "version: {version}{timing}")?;
        }
        writeln!(f, "built on: {}", machine::built().format("%a %b %e %H:%M:%S %Y UTC"))?;
        let codes: Vec<_> = self.rows.iter().map(|r| format!("{}({})", r.job.name, r.by.code())).collect();
        writeln!(f, "options: hashmill {}", codes.join(" "))?;
        writeln!(f, "compiler: {}", machine::COMPILER)?;
        if !old {
            writeln!(f, "CPUINFO: {}: {}", machine::cpu_model(), machine::cpu_features().join(","))?;
        }
        Ok(())
    }

    fn key(&self, f: &mut fmt::Formatter<'_>, row: &Row, kind: KeyKind, header: &mut Option<&str>) -> fmt::Result {
        let new = self.options.style == Style::V3_2;
        let (bits, word) = key(kind);
        let columns = if new && word == "rsa" { 4 } else { 2 };
        // After an interruption, the last operations have no rate.
        let rates: Vec<f64> = (0..columns).map(|i| row.cells.get(i).map_or(0.0, |c| c.rate)).collect();
        if self.options.machine {
            match kind {
                KeyKind::Rsa(_) => write!(f, "+F2:{}:{bits}", row.job.index),
                KeyKind::EcdsaP256 => write!(f, "+F4:{}:{bits}", row.job.index),
                KeyKind::Ed25519 => write!(f, "+F6:{}:{bits}:{word}", row.job.index),
            }?;
            rates.iter().try_for_each(|r| write!(f, ":{r:.6}"))?;
            return writeln!(f);
        }
        if *header != Some(word) {
            *header = Some(word);
            match kind {
                KeyKind::Rsa(_) if new => {
                    writeln!(f, "{:19}sign    verify    encrypt   decrypt   sign/s verify/s  encr./s  decr./s", "")
                }
                KeyKind::Rsa(_) => writeln!(f, "{:18}sign    verify    sign/s verify/s", ""),
                _ => writeln!(f, "{:30}sign    verify    sign/s verify/s", ""),
            }?;
        }
        let digits = if word == "rsa" { 6 } else { 4 };
        match kind {
            KeyKind::Rsa(_) if new => write!(f, "rsa {bits:5} bits"),
            KeyKind::Rsa(_) => write!(f, "rsa {bits:4} bits"),
            KeyKind::EcdsaP256 => write!(f, "{bits:4} bits ecdsa (nistp256)"),
            KeyKind::Ed25519 => write!(f, "{bits:4} bits EdDSA (Ed25519)"),
        }?;
        for rate in &rates {
            write!(f, " {:8.digits$}s", if *rate > 0.0 { 1.0 / rate } else { 0.0 })?;
        }
        rates.iter().try_for_each(|r| write!(f, " {r:8.1}"))?;
        writeln!(f)
    }
}
