//! Queries of the store: runs, and series of all runs.

use crate::store::database::Store;
use crate::store::error::StoreError;
use crate::store::row::{HEAD, Head, MOST_SAMPLES, MOST_TEXT, head, identity, json, numbers, refused, series, wrong};
use hashmill_measure::machine::{Machine, Weather};
use hashmill_measure::run::{Pairing, Run, Series};
use rusqlite::{OptionalExtension, Row, named_params, params};

/// A selection of runs.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Tag of the runs.
    pub tag: Option<String>,
    /// Text in the processor's name, ignoring case.
    pub machine: Option<String>,
    /// Maximum number of runs.
    pub limit: Option<u32>,
}

/// A selection of series from all runs.
#[derive(Debug, Clone, Default)]
pub struct SeriesFilter {
    /// What was measured.
    pub what: String,
    /// Implementation.
    pub by: Option<String>,
    /// Kernel.
    pub kernel: Option<String>,
    /// Way in which it was used.
    pub mode: Option<String>,
    /// Bytes of an operation.
    pub bytes: Option<u64>,
    /// Text in the processor's name, ignoring case.
    pub machine: Option<String>,
}

/// What a user's name for a run means.
#[derive(Debug, PartialEq, Eq)]
pub enum Spec<'a> {
    /// The run with this number.
    Number(i64),
    /// The run this many before the last.
    Last(i64),
    /// The latest run with this tag.
    Tag(&'a str),
}

impl Spec<'_> {
    /// Interprets a name. A number is not a tag, and neither is `last`.
    pub fn of(text: &str) -> Spec<'_> {
        let back = match text.strip_prefix("last") {
            Some("") => Some(0),
            Some(rest) => rest.strip_prefix('~').and_then(|n| n.parse::<u32>().ok()).map(i64::from),
            None => None,
        };
        match (text.parse(), back) {
            (Ok(id), _) => Spec::Number(id),
            (_, Some(back)) => Spec::Last(back),
            _ => Spec::Tag(text),
        }
    }
}

impl Store {
    /// Loads a run.
    ///
    /// # Errors
    /// If there is none with this number, or it cannot be read.
    pub fn load(&self, id: i64) -> Result<Run, StoreError> {
        let sizes = "SELECT
            (SELECT count(*) FROM series WHERE run = ?1) + (SELECT count(*) FROM pairing WHERE run = ?1),
            (SELECT total(length(samples)) FROM series WHERE run = ?1)
                + (SELECT total(length(ratios)) FROM pairing WHERE run = ?1)";
        let sizes = self.conn.query_row(sizes, [id], |r| Ok((r.get::<_, i64>(0)?, r.get::<_, f64>(1)?)));
        let (rows, bytes) = sizes.map_err(|e| self.said(e))?;
        if rows > MOST_SAMPLES as i64 || bytes > 8.0 * MOST_SAMPLES as f64 {
            return Err(self.damaged(format!("run {id} claims to have {bytes} bytes of samples")));
        }
        let run = self.conn.query_row("SELECT * FROM run WHERE id = ?1", [id], |r| {
            Ok((
                r.get::<_, Vec<u8>>("digest")?,
                Run {
                    format: r.get("format")?,
                    tag: r.get("tag")?,
                    command: json(r, "command")?,
                    started: r.get("started")?,
                    machine: json::<Machine>(r, "machine")?,
                    weather: json::<Weather>(r, "weather")?,
                    interrupted: r.get("interrupted")?,
                    warnings: json(r, "warnings")?,
                    series: Vec::new(),
                    pairings: Vec::new(),
                    details: json(r, "details")?,
                },
            ))
        });
        let (digest, mut run) = match run.optional().map_err(|e| self.said(e))? {
            Some(run) => run,
            None => return Err(StoreError::NoRun { path: self.path.clone(), spec: id.to_string() }),
        };
        let read = |run: &mut Run| {
            let mut q = self.conn.prepare("SELECT * FROM series WHERE run = ?1 ORDER BY position")?;
            run.series = q.query_map([id], series)?.collect::<Result<_, _>>()?;
            let mut q = self.conn.prepare("SELECT * FROM pairing WHERE run = ?1 ORDER BY position")?;
            let pairing = |r: &Row| {
                let (a, b): (u32, u32) = (r.get("a")?, r.get("b")?);
                Ok(Pairing::new(a as usize, b as usize, numbers(r, "ratios")?))
            };
            run.pairings = q.query_map([id], pairing)?.collect::<Result<_, _>>()?;
            Ok(())
        };
        read(&mut run).map_err(|e| self.said(e))?;
        refused(&run).map_err(|e| self.damaged(format!("run {id}: {e}")))?;
        if digest[..] != identity(&run)[..] {
            return Err(self.damaged(format!("what run {id} measured is not what was kept")));
        }
        Ok(run)
    }

    /// Returns the number of the run that is meant by a number, a tag (its latest run), `last`, or `last~N` (N before
    /// the last).
    ///
    /// # Errors
    /// If there is no such run.
    pub fn find(&self, spec: &str) -> Result<i64, StoreError> {
        let ordered = "ORDER BY started DESC, id DESC LIMIT 1 OFFSET ?";
        let found = match Spec::of(spec) {
            Spec::Number(id) => self.conn.query_row("SELECT id FROM run WHERE id = ?", [id], |r| r.get(0)),
            Spec::Last(back) => self.conn.query_row(&format!("SELECT id FROM run {ordered}"), [back], |r| r.get(0)),
            Spec::Tag(tag) => {
                let query = format!("SELECT id FROM run WHERE tag = ? {ordered}");
                self.conn.query_row(&query, params![tag, 0], |r| r.get(0))
            }
        };
        let found = found.optional().map_err(|e| self.said(e))?;
        found.ok_or_else(|| StoreError::NoRun { path: self.path.clone(), spec: spec.to_string() })
    }

    /// Returns a run without its series.
    ///
    /// # Errors
    /// If there is none with this number, or it cannot be read.
    pub fn head(&self, id: i64) -> Result<Head, StoreError> {
        let found = self.conn.query_row(&format!("{HEAD} WHERE id = ?"), [id], head).optional();
        let missing = || StoreError::NoRun { path: self.path.clone(), spec: id.to_string() };
        found.map_err(|e| self.said(e))?.ok_or_else(missing)
    }

    /// Lists the runs, latest first.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn list(&self, filter: &Filter) -> Result<Vec<Head>, StoreError> {
        let query = format!(
            "{HEAD} WHERE (:tag IS NULL OR tag = :tag) AND (:machine IS NULL OR instr(lower(cpu), lower(:machine)) > 0)
             ORDER BY started DESC, id DESC LIMIT :limit"
        );
        let read = || {
            let mut q = self.conn.prepare(&query)?;
            // -1 means no limit.
            let limit = filter.limit.map_or(-1, i64::from);
            let values = named_params! { ":tag": filter.tag, ":machine": filter.machine, ":limit": limit };
            let (mut rows, mut heads, mut length) = (q.query(values)?, Vec::new(), 0);
            while let Some(r) = rows.next()? {
                // Rows of a forged file may share the same large text.
                length += r.get_ref("command")?.as_bytes().map_or(0, <[u8]>::len);
                if length > 16 * MOST_TEXT {
                    return Err(wrong(r, "command", "too long"));
                }
                heads.push(head(r)?);
            }
            Ok(heads)
        };
        read().map_err(|e| self.said(e))
    }

    /// Calls `each` with every series that matches the filter, and its run, in order of time, one at a time.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn each_series(&self, filter: &SeriesFilter, mut each: impl FnMut(Head, Series)) -> Result<(), StoreError> {
        let query = "SELECT series.*, run.id AS run_id FROM series JOIN run ON run.id = series.run
             WHERE what = :what AND (:by IS NULL OR \"by\" = :by) AND (:kernel IS NULL OR kernel = :kernel)
             AND (:mode IS NULL OR mode = :mode) AND (:bytes IS NULL OR bytes = :bytes)
             AND (:machine IS NULL OR instr(lower(cpu), lower(:machine)) > 0)
             ORDER BY run.started, run.id, position";
        let mut read = || {
            let mut q = self.conn.prepare(query)?;
            let bytes = filter.bytes.map(|b| i64::try_from(b).unwrap_or(i64::MAX));
            let mut rows = q.query(named_params! {
                ":what": filter.what,
                ":by": filter.by,
                ":kernel": filter.kernel,
                ":mode": filter.mode,
                ":bytes": bytes,
                ":machine": filter.machine
            })?;
            while let Some(r) = rows.next()? {
                let of = self.conn.query_row(&format!("{HEAD} WHERE id = ?"), [r.get::<_, i64>("run_id")?], head)?;
                each(of, series(r)?);
            }
            Ok(())
        };
        read().map_err(|e| self.said(e))
    }

    /// Reads everything. Returns the number of runs, and one line for each problem with the file or a run.
    ///
    /// # Errors
    /// If reading cannot even begin.
    pub fn check(&self) -> Result<(usize, Vec<String>), StoreError> {
        let lines = |pragma: &str| {
            let mut q = self.conn.prepare(pragma)?;
            q.query_map([], |r| r.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()
        };
        let mut wrong = lines("PRAGMA integrity_check(20)").map_err(|e| self.said(e))?;
        wrong.retain(|l| l != "ok");
        wrong.iter_mut().for_each(|l| *l = l.replace('\n', "; "));
        let lost = lines("PRAGMA foreign_key_check").map_err(|e| self.said(e))?.len();
        if lost > 0 {
            wrong.push(format!("{lost} series or pairings belong to no run"));
        }
        let ids = || {
            let mut q = self.conn.prepare("SELECT id FROM run ORDER BY id")?;
            q.query_map([], |r| r.get(0))?.collect::<Result<Vec<i64>, _>>()
        };
        let ids = ids().map_err(|e| self.said(e))?;
        for id in &ids {
            match self.load(*id) {
                Err(StoreError::Damaged { what, .. }) => wrong.push(what),
                Err(e) => return Err(e),
                Ok(_) => {}
            }
        }
        Ok((ids.len(), wrong))
    }
}
