//! Conversion between runs and rows, and the checks of what is read.

use hashmill_measure::run::{FORMAT, Run, Series, Unit};
use hashmill_measure::stats::Summary;
use rusqlite::Row;
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Maximum number of samples and ratios of a run: 256 MiB of them.
pub const MOST_SAMPLES: usize = 1 << 25;

/// Maximum length in bytes of each text of a run (its command, its details).
pub(super) const MOST_TEXT: usize = 1 << 24;

/// A run without its series.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Head {
    /// Number of the run.
    pub id: i64,
    /// Name given by the user.
    pub tag: Option<String>,
    /// Start time.
    pub started: String,
    /// Command and arguments.
    pub command: Vec<String>,
    /// Version of hashmill.
    pub version: String,
    /// Name of the processor.
    pub cpu: String,
    /// Number of CPUs.
    pub cpus: i64,
    /// Whether the user ended it early.
    pub interrupted: bool,
    /// Number of series.
    pub series: i64,
    /// Number of warnings.
    pub warnings: usize,
}

/// Query for a run without its series.
pub(super) const HEAD: &str = "SELECT id, tag, started, command, version, cpu, cpus, interrupted, warnings,
  (SELECT count(*) FROM series WHERE series.run = run.id) FROM run";

/// Checks whether a run may be in a store. The error says why not.
pub(super) fn refused(run: &Run) -> Result<(), String> {
    let samples = run.series.iter().map(|s| s.samples.len()).chain(run.pairings.iter().map(|p| p.ratios.len()));
    let samples: usize = samples.sum();
    if samples > MOST_SAMPLES {
        return Err(format!("{samples} samples are more than {MOST_SAMPLES}"));
    }
    if run.format != FORMAT {
        return Err(format!("its format is {}, this hashmill's {FORMAT}", run.format));
    }
    let texts = [text(&run.command), text(&run.warnings), text(&run.details)];
    if let Some(long) = texts.iter().map(String::len).find(|n| *n > MOST_TEXT) {
        return Err(format!("{long} bytes of text are more than {MOST_TEXT}"));
    }
    // With four-digit years, the text order is the order in time.
    let shape: String = run.started.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    if shape != "0000-00-00T00:00:00Z" {
        return Err(format!("'{}' is not a time: 2026-04-03T12:29:32Z", run.started.escape_debug()));
    }
    for (i, s) in run.series.iter().enumerate() {
        if s.bytes.is_some_and(|b| i64::try_from(b).is_err()) || !s.subtracted_ns.is_finite() {
            return Err(format!("series {i} has a number that is out of range"));
        }
    }
    match run.pairings.iter().position(|p| p.a.max(p.b) >= run.series.len()) {
        Some(i) => Err(format!("pairing {i} refers to a series that does not exist")),
        None => Ok(()),
    }
}

/// Returns the digest of what distinguishes a run from others: when, where, what was asked for, and all that was
/// measured, but not the tag.
pub(super) fn identity(run: &Run) -> [u8; 32] {
    let mut h = Sha256::new();
    let mut add = |bytes: &[u8]| {
        h.update((bytes.len() as u64).to_le_bytes());
        h.update(bytes);
    };
    for part in [&run.started, &text(&run.command), &run.machine.cpu, &run.machine.os, &run.machine.hashmill] {
        add(part.as_bytes());
    }
    add(&(run.series.len() as u64).to_le_bytes());
    for s in &run.series {
        for part in [&s.what, &s.by, &s.version, &s.kernel, &s.mode, &text(&s.parameters), &text(&s.unit)] {
            add(part.as_bytes());
        }
        add(s.bytes.map(u64::to_le_bytes).as_ref().map_or(&[], |b| &b[..]));
        add(&s.subtracted_ns.to_le_bytes());
        add(&bytes(&s.samples));
    }
    for p in &run.pairings {
        add(&(p.a as u64).to_le_bytes());
        add(&(p.b as u64).to_le_bytes());
        add(&bytes(&p.ratios));
    }
    h.finalize().into()
}

pub(super) fn bytes(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// Serializes a value as JSON. Only keys that are not strings could make this fail, and there are none here.
pub(super) fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

pub(super) fn json<T: DeserializeOwned>(r: &Row, column: &str) -> rusqlite::Result<T> {
    let text = r.get_ref(column)?.as_str()?;
    if text.len() > MOST_TEXT {
        return Err(wrong(r, column, "too long"));
    }
    serde_json::from_str(text).map_err(|e| wrong(r, column, &e.to_string()))
}

/// Decodes the floating-point numbers of a blob, whose number must be the row's count.
pub(super) fn numbers(r: &Row, column: &str) -> rusqlite::Result<Vec<f64>> {
    let blob = r.get_ref(column)?.as_blob()?;
    let (values, rest) = blob.as_chunks::<8>();
    let count: i64 = r.get("count")?;
    if !rest.is_empty() || i64::try_from(values.len()) != Ok(count) {
        return Err(wrong(r, column, &format!("{} bytes for {count} numbers", blob.len())));
    }
    Ok(values.iter().map(|v| f64::from_le_bytes(*v)).collect())
}

pub(super) fn wrong(r: &Row, column: &str, what: &str) -> rusqlite::Error {
    let index = r.as_ref().column_index(column).unwrap_or(0);
    rusqlite::Error::FromSqlConversionFailure(index, rusqlite::types::Type::Text, format!("{column}: {what}").into())
}

pub(super) fn series(r: &Row) -> rusqlite::Result<Series> {
    let samples = numbers(r, "samples")?;
    let bytes: Option<i64> = r.get("bytes")?;
    Ok(Series {
        what: r.get("what")?,
        by: r.get("by")?,
        version: r.get("version")?,
        kernel: r.get("kernel")?,
        mode: r.get("mode")?,
        bytes: bytes.map(u64::try_from).transpose().map_err(|e| wrong(r, "bytes", &e.to_string()))?,
        parameters: json(r, "parameters")?,
        unit: {
            let name = r.get_ref("unit")?.as_str()?;
            let unit = Unit::deserialize(name.into_deserializer());
            unit.map_err(|e: serde::de::value::Error| wrong(r, "unit", &e.to_string()))?
        },
        summary: Summary::of(&samples),
        samples,
        subtracted_ns: r.get("subtracted_ns")?,
    })
}

pub(super) fn head(r: &Row) -> rusqlite::Result<Head> {
    Ok(Head {
        id: r.get("id")?,
        tag: r.get("tag")?,
        started: r.get("started")?,
        command: json(r, "command")?,
        version: r.get("version")?,
        cpu: r.get("cpu")?,
        cpus: r.get("cpus")?,
        interrupted: r.get("interrupted")?,
        warnings: json::<Vec<String>>(r, "warnings")?.len(),
        series: r.get(9)?,
    })
}
