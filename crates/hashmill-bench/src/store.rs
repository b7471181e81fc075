//! The runs that were kept, with every sample: an SQLite database.
//!
//! It has SQLite's rollback journal, not its write-ahead log: one file, which a killed process leaves as it was or as
//! it was to be, and which a network file system can hold. A run is written in one transaction. A file that is not a
//! store of this version is never written to. A file that somebody else made may say anything: its tables must be ours
//! to the letter (so that no view or trigger runs), lengths are checked before anything is read, and what a run
//! measured must have the digest that was stored with it.

use crate::machine::{Machine, Weather};
use crate::run::{FORMAT, Pairing, Run, Series, Unit};
use crate::stats::Summary;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, TransactionBehavior, named_params, params};
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use thiserror::Error;

/// `hmil`, at byte 68 of the file.
const APPLICATION: i32 = 0x686d_696c;

/// The version of the tables. One that changes them adds one, and teaches [`Store::open`] to change those of the old.
const VERSION: i32 = 1;

/// So long another process may write.
const PATIENCE: Duration = Duration::from_secs(3);

/// A run has no more samples and ratios than this: 256 MiB of them.
pub const MOST_SAMPLES: usize = 1 << 25;

/// No text of a run (its command, its details) has more bytes than this.
const MOST_TEXT: usize = 1 << 24;

/// As SQLite keeps them, letter by letter.
const TABLES: [(&str, &str); 4] = [
    (
        "run",
        "CREATE TABLE run (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  digest BLOB NOT NULL UNIQUE,
  format INTEGER NOT NULL,
  tag TEXT,
  started TEXT NOT NULL,
  command TEXT NOT NULL,
  version TEXT NOT NULL,
  cpu TEXT NOT NULL,
  cpus INTEGER NOT NULL,
  arch TEXT NOT NULL,
  os TEXT NOT NULL,
  machine TEXT NOT NULL,
  weather TEXT NOT NULL,
  interrupted INTEGER NOT NULL,
  warnings TEXT NOT NULL,
  details TEXT NOT NULL
) STRICT",
    ),
    (
        "series",
        "CREATE TABLE series (
  run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  what TEXT NOT NULL,
  \"by\" TEXT NOT NULL,
  version TEXT NOT NULL,
  kernel TEXT NOT NULL,
  mode TEXT NOT NULL,
  bytes INTEGER,
  parameters TEXT NOT NULL,
  unit TEXT NOT NULL,
  subtracted_ns REAL NOT NULL,
  count INTEGER NOT NULL,
  samples BLOB NOT NULL,
  PRIMARY KEY (run, position)
) STRICT",
    ),
    (
        "pairing",
        "CREATE TABLE pairing (
  run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  a INTEGER NOT NULL,
  b INTEGER NOT NULL,
  count INTEGER NOT NULL,
  ratios BLOB NOT NULL,
  PRIMARY KEY (run, position)
) STRICT",
    ),
    ("series_what", "CREATE INDEX series_what ON series (what)"),
];

/// Why the store cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Nowhere to put it.
    #[error("neither HOME nor XDG_DATA_HOME is set, so there is no place for the store: name one with --db FILE")]
    NoHome,
    /// Not there.
    #[error("{}: there is no store yet: keep a run with --save, or name another store with --db FILE", .0.display())]
    Missing(PathBuf),
    /// Its directory, or it, cannot be made or opened.
    #[error("{}: the store cannot be opened: {error}: name another with --db FILE", path.display())]
    Unreachable {
        /// The store.
        path: PathBuf,
        /// Why.
        error: String,
    },
    /// Something else.
    #[error("{}: this is no store of hashmill's, and was left as it is: name another with --db FILE", .0.display())]
    Foreign(PathBuf),
    /// Made by a later program.
    #[error("{}: this store has version {version}, and this hashmill reads version {VERSION}: use a newer hashmill, or another store with --db FILE", path.display())]
    Newer {
        /// The store.
        path: PathBuf,
        /// Its version.
        version: i32,
    },
    /// Broken.
    #[error("{}: the store is damaged ({what}) and was left as it is: restore a copy, or name another with --db FILE", path.display())]
    Damaged {
        /// The store.
        path: PathBuf,
        /// In which way.
        what: String,
    },
    /// Another process writes.
    #[error("{}: another process has locked the store: try again when it is done", .0.display())]
    Locked(PathBuf),
    /// It cannot be written to.
    #[error("{}: the store is read-only, and nothing was changed: make it writable, or name another with --db FILE", .0.display())]
    ReadOnly(PathBuf),
    /// No space.
    #[error("{}: the disk is full, and nothing was changed: free some space, or name a store elsewhere with --db FILE", .0.display())]
    Full(PathBuf),
    /// No such run.
    #[error("{}: there is no run '{spec}': `hashmill results list` shows those there are", path.display())]
    NoRun {
        /// The store.
        path: PathBuf,
        /// What was looked for.
        spec: String,
    },
    /// A run that cannot be kept.
    #[error("the run cannot be kept: {0}")]
    Refused(String),
    /// What SQLite says.
    #[error("{}: {error}", path.display())]
    Other {
        /// The store.
        path: PathBuf,
        /// What it says.
        error: String,
    },
}

/// An open store.
#[derive(Debug)]
pub struct Store {
    conn: Connection,
    path: PathBuf,
}

/// A run without its series.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Head {
    /// Its number.
    pub id: i64,
    /// The user's name for it.
    pub tag: Option<String>,
    /// When it began.
    pub started: String,
    /// The command.
    pub command: Vec<String>,
    /// Of hashmill.
    pub version: String,
    /// The processor.
    pub cpu: String,
    /// How many of them.
    pub cpus: i64,
    /// Whether it was ended early.
    pub interrupted: bool,
    /// How many series it has.
    pub series: i64,
    /// How many things make it doubtful.
    pub warnings: usize,
}

/// Which runs.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// With this tag.
    pub tag: Option<String>,
    /// On a processor whose name has this in it, whatever the case.
    pub machine: Option<String>,
    /// No more than so many.
    pub limit: Option<u32>,
}

/// Which series, of all runs.
#[derive(Debug, Clone, Default)]
pub struct SeriesFilter {
    /// Of this.
    pub what: String,
    /// By this implementation.
    pub by: Option<String>,
    /// On this kernel.
    pub kernel: Option<String>,
    /// Used this way.
    pub mode: Option<String>,
    /// With so many bytes.
    pub bytes: Option<u64>,
    /// On a processor whose name has this in it, whatever the case.
    pub machine: Option<String>,
}

/// What an order by time is made of: started, and for the same second in the order in which they were kept.
const HEAD: &str = "SELECT id, tag, started, command, version, cpu, cpus, interrupted, warnings,
  (SELECT count(*) FROM series WHERE series.run = run.id) FROM run";

/// The store's file if the user names none.
///
/// # Errors
/// If the environment names no place.
pub fn default_path() -> Result<PathBuf, StoreError> {
    // The specification: a path that is not absolute is to be ignored.
    let set = |name| std::env::var_os(name).filter(|v: &OsString| !v.is_empty()).map(PathBuf::from);
    let data = set("XDG_DATA_HOME").filter(|p| p.is_absolute());
    let data = data.or_else(|| Some(set("HOME")?.join(".local/share"))).ok_or(StoreError::NoHome)?;
    Ok(data.join("hashmill").join("results.db"))
}

impl Store {
    /// Opens the store in this file, or in the user's data directory; makes it where there is none.
    ///
    /// # Errors
    /// With one line that says what is wrong and what to do.
    pub fn open(path: Option<&Path>) -> Result<Store, StoreError> {
        let path = place(path)?;
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|e| unreachable(&path, &e))?;
        }
        Store::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// Opens a store that is there.
    ///
    /// # Errors
    /// With one line that says what is wrong and what to do.
    pub fn open_existing(path: Option<&Path>) -> Result<Store, StoreError> {
        let path = place(path)?;
        match fs::metadata(&path) {
            Ok(m) if m.len() > 0 || !m.is_file() => Store::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE),
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(unreachable(&path, &e)),
            _ => Err(StoreError::Missing(path)),
        }
    }

    fn connect(path: PathBuf, flags: OpenFlags) -> Result<Store, StoreError> {
        match fs::metadata(&path) {
            Ok(m) if !m.is_file() => {
                return Err(unreachable(&path, &io::Error::new(io::ErrorKind::InvalidInput, "not a file")));
            }
            // SQLite takes a file of one byte for an empty one, and would overwrite it.
            Ok(m) if m.len() == 1 => return Err(StoreError::Foreign(path)),
            _ => {}
        }
        let conn = Connection::open_with_flags(&path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX);
        let conn = conn.map_err(|e| said(&path, None, e))?;
        let mut store = Store { conn, path };
        store.prepare()?;
        Ok(store)
    }

    /// Makes sure that it is ours; makes the tables of an empty one.
    fn prepare(&mut self) -> Result<(), StoreError> {
        let settings = |c: &Connection| {
            c.busy_timeout(PATIENCE)?;
            c.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
            c.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
            c.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
            c.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
            c.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true)?;
            c.pragma_update(None, "cell_size_check", true)
        };
        settings(&self.conn).map_err(|e| self.said(e))?;
        if self.is_empty()? {
            let path = self.path.clone();
            let made = |e| said(&path, None, e);
            let t = self.conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(made)?;
            // Another process may have been faster.
            if is_empty(&t).map_err(made)? {
                let tables: Vec<&str> = TABLES.iter().map(|t| t.1).collect();
                t.execute_batch(&tables.join(";\n")).map_err(made)?;
                t.pragma_update(None, "application_id", APPLICATION).map_err(made)?;
                t.pragma_update(None, "user_version", VERSION).map_err(made)?;
                t.commit().map_err(made)?;
            }
        }
        if self.number("application_id")? != APPLICATION {
            return Err(StoreError::Foreign(self.path.clone()));
        }
        let version = self.number("user_version")?;
        if version != VERSION {
            return Err(match version > VERSION {
                true => StoreError::Newer { path: self.path.clone(), version },
                false => self.damaged(format!("version {version}")),
            });
        }
        // STRICT and the like are in the text. What begins with sqlite_ is SQLite's own.
        let schema = |c: &Connection| {
            let mut q = c.prepare(
                "SELECT name, ifnull(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
            )?;
            let rows = q.query_map([], |r| Ok((r.get::<_, String>(0)?, r.get::<_, String>(1)?)))?;
            rows.collect::<Result<Vec<_>, _>>()
        };
        let schema = schema(&self.conn).map_err(|e| self.said(e))?;
        let ours = |(name, sql): &(String, String)| TABLES.contains(&(name.as_str(), sql.as_str()));
        if schema.len() != TABLES.len() || !schema.iter().all(ours) {
            return Err(self.damaged("its tables are not those of a store"));
        }
        Ok(())
    }

    fn is_empty(&self) -> Result<bool, StoreError> {
        is_empty(&self.conn).map_err(|e| self.said(e))
    }

    fn number(&self, pragma: &str) -> Result<i32, StoreError> {
        self.conn.pragma_query_value(None, pragma, |r| r.get(0)).map_err(|e| self.said(e))
    }

    fn said(&self, error: rusqlite::Error) -> StoreError {
        said(&self.path, Some(&self.conn), error)
    }

    fn damaged(&self, what: impl Into<String>) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), what: what.into() }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps a run. Its number.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&mut self, run: &Run) -> Result<i64, StoreError> {
        self.batch(|b| Ok::<_, StoreError>(b.keep(run)?.0))
    }

    /// Keeps several runs, or, if there is an error, none.
    ///
    /// # Errors
    /// What `each` returns, or if the runs cannot be written.
    pub fn batch<T, E: From<StoreError>>(&mut self, each: impl FnOnce(&Batch<'_>) -> Result<T, E>) -> Result<T, E> {
        let path = &self.path;
        let t = self.conn.transaction_with_behavior(TransactionBehavior::Immediate);
        let batch = Batch { conn: t.map_err(|e| said(path, None, e))?, path };
        let result = each(&batch)?;
        batch.conn.commit().map_err(|e| said(path, None, e))?;
        Ok(result)
    }

    /// A run.
    ///
    /// # Errors
    /// If there is none with this number, or it cannot be read.
    pub fn load(&self, id: i64) -> Result<Run, StoreError> {
        let sizes = "SELECT (SELECT count(*) FROM series WHERE run = ?1) + (SELECT count(*) FROM pairing WHERE run = ?1),
            (SELECT total(length(samples)) FROM series WHERE run = ?1) + (SELECT total(length(ratios)) FROM pairing WHERE run = ?1)";
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

    /// The number of the run that is meant by a number, a tag (its latest run), `last`, or `last~N` (N before the
    /// last).
    ///
    /// # Errors
    /// If there is none.
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

    /// One run without its series.
    ///
    /// # Errors
    /// If there is none with this number, or it cannot be read.
    pub fn head(&self, id: i64) -> Result<Head, StoreError> {
        let found = self.conn.query_row(&format!("{HEAD} WHERE id = ?"), [id], head).optional();
        let missing = || StoreError::NoRun { path: self.path.clone(), spec: id.to_string() };
        found.map_err(|e| self.said(e))?.ok_or_else(missing)
    }

    /// The runs, latest first.
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
            // -1: no limit.
            let limit = filter.limit.map_or(-1, i64::from);
            let values = named_params! { ":tag": filter.tag, ":machine": filter.machine, ":limit": limit };
            let (mut rows, mut heads, mut length) = (q.query(values)?, Vec::new(), 0);
            while let Some(r) = rows.next()? {
                // Rows of a forged file may share what they claim to have.
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

    /// Every series that the filter lets through, with its run, in the order of time, one at a time.
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

    /// Removes a run.
    ///
    /// # Errors
    /// If there is none with this number, or it cannot be removed.
    pub fn delete(&mut self, id: i64) -> Result<(), StoreError> {
        match self.conn.execute("DELETE FROM run WHERE id = ?", [id]).map_err(|e| self.said(e))? {
            0 => Err(StoreError::NoRun { path: self.path.clone(), spec: id.to_string() }),
            _ => Ok(()),
        }
    }

    /// Reads everything. How many runs there are, and what is wrong with the file or with runs, a line each.
    ///
    /// # Errors
    /// If it cannot even be begun.
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

/// Runs that are being kept together.
#[derive(Debug)]
pub struct Batch<'a> {
    conn: rusqlite::Transaction<'a>,
    path: &'a Path,
}

impl Batch<'_> {
    /// Keeps a run. Its number, and whether it is new: a run that measured the same at the same time on the same
    /// machine is the same run.
    ///
    /// # Errors
    /// If it cannot be written, or is too large.
    pub fn keep(&self, run: &Run) -> Result<(i64, bool), StoreError> {
        refused(run).map_err(StoreError::Refused)?;
        let digest = identity(run);
        let kept = || -> Result<_, rusqlite::Error> {
            let known = self.conn.query_row("SELECT id FROM run WHERE digest = ?", [&digest[..]], |r| r.get(0));
            if let Some(id) = known.optional()? {
                return Ok((id, false));
            }
            self.conn.execute(
                "INSERT INTO run (digest, format, tag, started, command, version, cpu, cpus, arch, os, machine, weather, interrupted,
                 warnings, details) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                params![
                    digest,
                    run.format,
                    run.tag,
                    run.started,
                    text(&run.command),
                    run.machine.hashmill,
                    run.machine.cpu,
                    run.machine.cpus as i64,
                    run.machine.arch,
                    run.machine.os,
                    text(&run.machine),
                    text(&run.weather),
                    run.interrupted,
                    text(&run.warnings),
                    text(&run.details),
                ],
            )?;
            let id = self.conn.last_insert_rowid();
            let mut insert = self.conn.prepare("INSERT INTO series VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
            for (i, s) in run.series.iter().enumerate() {
                insert.execute(params![
                    id,
                    i as i64,
                    s.what,
                    s.by,
                    s.version,
                    s.kernel,
                    s.mode,
                    s.bytes.map(|b| b as i64),
                    text(&s.parameters),
                    text(&s.unit).trim_matches('"'),
                    s.subtracted_ns,
                    s.samples.len() as i64,
                    bytes(&s.samples),
                ])?;
            }
            let mut insert = self.conn.prepare("INSERT INTO pairing VALUES (?, ?, ?, ?, ?, ?)")?;
            for (i, p) in run.pairings.iter().enumerate() {
                let count = p.ratios.len() as i64;
                insert.execute(params![id, i as i64, p.a as i64, p.b as i64, count, bytes(&p.ratios)])?;
            }
            Ok((id, true))
        };
        kept().map_err(|e| said(self.path, None, e))
    }
}

/// What a user means by the name of a run.
#[derive(Debug, PartialEq, Eq)]
pub enum Spec<'a> {
    /// This number.
    Number(i64),
    /// So many before the last.
    Last(i64),
    /// The latest with this tag.
    Tag(&'a str),
}

impl Spec<'_> {
    /// A number is no tag, and neither is `last`.
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

/// An absolute path: `:memory:` and the empty path mean something to SQLite.
fn place(path: Option<&Path>) -> Result<PathBuf, StoreError> {
    match path {
        None => default_path(),
        Some(p) => std::path::absolute(p).map_err(|e| unreachable(p, &e)),
    }
}

fn is_empty(conn: &Connection) -> rusqlite::Result<bool> {
    let number = |pragma| conn.pragma_query_value(None, pragma, |r| r.get::<_, i32>(0));
    let entries: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |r| r.get(0))?;
    Ok((number("application_id")?, number("user_version")?, entries) == (0, 0, 0))
}

fn unreachable(path: &Path, error: &io::Error) -> StoreError {
    StoreError::Unreachable { path: path.into(), error: error.to_string() }
}

/// What SQLite's error means to the user. Of damage, the connection can tell more.
fn said(path: &Path, conn: Option<&Connection>, error: rusqlite::Error) -> StoreError {
    let owned = path.to_path_buf();
    let line = error.to_string().replace('\n', "; ");
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::Foreign(owned),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Locked(owned),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreError::ReadOnly(owned),
        Some(ErrorCode::DiskFull) => StoreError::Full(owned),
        Some(ErrorCode::CannotOpen) => {
            // SQLite does not say why; the system does.
            let error = fs::File::open(path).err().map_or(line, |e| e.to_string());
            StoreError::Unreachable { path: owned, error }
        }
        Some(ErrorCode::DatabaseCorrupt) => {
            let first = |c: &Connection| c.query_row("PRAGMA quick_check(1)", [], |r| r.get::<_, String>(0));
            let found = conn.and_then(|c| first(c).ok()).filter(|l| l != "ok");
            StoreError::Damaged { path: owned, what: found.map_or(line, |l| l.replace('\n', "; ")) }
        }
        Some(_) => StoreError::Other { path: owned, error: line },
        // A value that is none of its kind.
        None => StoreError::Damaged { path: owned, what: line },
    }
}

/// Why a run cannot be in a store.
fn refused(run: &Run) -> Result<(), String> {
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
    // Years of four digits order as text as they do in time.
    let shape: String = run.started.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    if shape != "0000-00-00T00:00:00Z" {
        return Err(format!("'{}' is no time: 2026-04-03T12:29:32Z", run.started.escape_debug()));
    }
    for (i, s) in run.series.iter().enumerate() {
        if s.bytes.is_some_and(|b| i64::try_from(b).is_err()) || !s.subtracted_ns.is_finite() {
            return Err(format!("series {i} has a number that is out of range"));
        }
    }
    match run.pairings.iter().position(|p| p.a.max(p.b) >= run.series.len()) {
        Some(i) => Err(format!("pairing {i} is of a series that there is not")),
        None => Ok(()),
    }
}

/// What tells a run from others: when, where, what was asked for, and all that was measured. Not the tag.
fn identity(run: &Run) -> [u8; 32] {
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

fn bytes(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// As JSON. Nothing here has keys that are not strings, which is all that could fail.
fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn json<T: DeserializeOwned>(r: &Row, column: &str) -> rusqlite::Result<T> {
    let text = r.get_ref(column)?.as_str()?;
    if text.len() > MOST_TEXT {
        return Err(wrong(r, column, "too long"));
    }
    serde_json::from_str(text).map_err(|e| wrong(r, column, &e.to_string()))
}

/// The floating point numbers of a blob, as many as the row says.
fn numbers(r: &Row, column: &str) -> rusqlite::Result<Vec<f64>> {
    let blob = r.get_ref(column)?.as_blob()?;
    let (values, rest) = blob.as_chunks::<8>();
    let count: i64 = r.get("count")?;
    if !rest.is_empty() || i64::try_from(values.len()) != Ok(count) {
        return Err(wrong(r, column, &format!("{} bytes for {count} numbers", blob.len())));
    }
    Ok(values.iter().map(|v| f64::from_le_bytes(*v)).collect())
}

fn wrong(r: &Row, column: &str, what: &str) -> rusqlite::Error {
    let index = r.as_ref().column_index(column).unwrap_or(0);
    rusqlite::Error::FromSqlConversionFailure(index, rusqlite::types::Type::Text, format!("{column}: {what}").into())
}

fn series(r: &Row) -> rusqlite::Result<Series> {
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

fn head(r: &Row) -> rusqlite::Result<Head> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs::File;
    use std::io::{Read, Write};

    fn sample(started: &str, tag: Option<&str>) -> Run {
        // One bit less than a round number, the smallest, the largest: whatever text would lose.
        let values: Vec<f64> = vec![1e9 / 3.0, 0.1 + 0.2, f64::MIN_POSITIVE, f64::MAX, 5e-324, 1e9f64.next_down()];
        let series = vec![
            Series::ours("md5", "avx2", Unit::BytesPerSecond, values.clone()).bytes(16384).mode("lanes"),
            Series::of("md5", "openssl", "OpenSSL 3.0.19", Unit::BytesPerSecond, values.clone())
                .parameter("threads", 2),
            Series { subtracted_ns: 0.123, ..Series::ours("empty", "", Unit::Count, Vec::new()) },
        ];
        Run {
            format: FORMAT,
            tag: tag.map(String::from),
            command: vec!["hashmill".into(), "bench".into(), "it's ü\n".into()],
            started: started.into(),
            machine: machine(),
            weather: Weather {
                load_before: Some(0.1),
                load_after: None,
                core_hertz_before: 1e10 / 3.0,
                core_hertz_after: 3.3e9,
                stolen_seconds: 0.0,
                others_seconds: 0.02,
                seconds: 10.1,
            },
            interrupted: false,
            warnings: vec!["it rains".into()],
            series,
            pairings: vec![Pairing::new(0, 1, values)],
            details: json!({ "size": 1, "ratio": 0.1 + 0.2, "list": [null, true, "x"] }),
        }
    }

    fn machine() -> Machine {
        let clocks =
            crate::clock::Clocks { core_hertz: 1e9 / 3.0, counter_hertz: 0.0, tick_ns: 20.1, empty_turn_ns: 0.1 };
        Machine {
            cpu: "AMD EPYC".into(),
            arch: "x86_64".into(),
            cpu_features: vec!["avx2".into()],
            cpus: 2,
            memory: 1 << 33,
            os: "Linux 6.1.0".into(),
            hashmill: "0.1.0".into(),
            compiler: "rustc 1.95".into(),
            clocks,
        }
    }

    fn store() -> (tempfile::TempDir, PathBuf, Store) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/results.db");
        let store = Store::open(Some(&path)).unwrap();
        (dir, path, store)
    }

    #[test]
    fn what_is_kept_is_what_is_loaded() {
        let (_dir, path, mut store) = store();
        let run = sample("2026-04-03T12:29:32Z", Some("a"));
        let id = store.save(&run).unwrap();
        drop(store);
        let store = Store::open_existing(Some(&path)).unwrap();
        assert_eq!(store.load(id).unwrap(), run);
        let head = store.head(id).unwrap();
        assert_eq!((head.series, head.warnings, &head.command), (3, 1, &run.command));
        assert_eq!(store.check().unwrap(), (1, Vec::new()));
    }

    #[test]
    fn runs_are_found_by_what_people_call_them() {
        let (_dir, _path, mut store) = store();
        let late = store.save(&sample("2026-04-03T12:00:02Z", Some("x"))).unwrap();
        let early = store.save(&sample("2026-04-03T12:00:00Z", Some("x"))).unwrap();
        let middle = store.save(&sample("2026-04-03T12:00:01Z", None)).unwrap();
        for (spec, id) in
            [("last", late), ("last~0", late), ("last~1", middle), ("last~2", early), ("x", late), ("2", 2)]
        {
            assert_eq!(store.find(spec).unwrap(), id, "{spec}");
        }
        for spec in ["last~3", "y", "99", "", "last~", "last~-1", "-1"] {
            assert!(matches!(store.find(spec), Err(StoreError::NoRun { .. })), "{spec}");
        }
        let ids = |f: &Filter| store.list(f).unwrap().iter().map(|h| h.id).collect::<Vec<_>>();
        assert_eq!(ids(&Filter::default()), [late, middle, early]);
        assert_eq!(ids(&Filter { tag: Some("x".into()), limit: Some(1), machine: Some("epyc".into()) }), [late]);
        assert_eq!(ids(&Filter { machine: Some("xeon".into()), ..Filter::default() }), [0i64; 0]);
        let mut seen = Vec::new();
        let filter = SeriesFilter { what: "md5".into(), bytes: Some(16384), ..SeriesFilter::default() };
        store.each_series(&filter, |h, s| seen.push((h.id, s.kernel))).unwrap();
        assert_eq!(seen, [early, middle, late].map(|id| (id, "avx2".to_string())));
        store.delete(late).unwrap();
        assert!(store.load(late).is_err() && store.delete(late).is_err());
        let lost: i64 =
            store.conn.query_row("SELECT count(*) FROM series WHERE run = ?", [late], |r| r.get(0)).unwrap();
        assert_eq!((lost, store.find("last").unwrap()), (0, middle));
        // A number is never used again.
        assert_eq!(store.save(&sample("2026-04-03T12:00:03Z", None)).unwrap(), 4);
    }

    #[test]
    fn the_same_run_is_kept_once_and_a_failed_batch_not_at_all() {
        let (_dir, _path, mut store) = store();
        let run = sample("2026-04-03T12:00:00Z", None);
        let id = store.save(&run).unwrap();
        let renamed = Run { tag: Some("b".into()), ..run.clone() };
        assert_eq!(store.batch(|b| b.keep(&renamed)).unwrap(), (id, false));
        let mut other = run.clone();
        other.series[0].samples[0] = other.series[0].samples[0].next_up();
        let failed = store.batch(|b| {
            b.keep(&other)?;
            b.keep(&Run { format: FORMAT + 1, ..run.clone() })
        });
        assert!(matches!(failed, Err(StoreError::Refused(_))));
        assert_eq!(store.list(&Filter::default()).unwrap().len(), 1);
        for (wrong, what) in [
            (Run { started: "now".into(), ..run.clone() }, "no time"),
            (Run { pairings: vec![Pairing::new(0, 3, vec![1.0])], ..run.clone() }, "pairing 0"),
            (Run { details: json!("x".repeat(MOST_TEXT)), ..run.clone() }, "bytes of text"),
            (
                Run { series: vec![run.series[0].clone().bytes(u64::MAX)], pairings: vec![], ..run.clone() },
                "out of range",
            ),
        ] {
            let e = store.save(&wrong).unwrap_err().to_string();
            assert!(e.contains(what), "{e}");
        }
    }

    #[test]
    fn nothing_of_others_is_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        for content in ["x", "hello\n", &"some text\n".repeat(1000), "SQLite format 3\0 and no more"] {
            fs::write(&path, content).unwrap();
            let e = Store::open(Some(&path)).unwrap_err();
            assert!(matches!(e, StoreError::Foreign(_)), "{e}");
            assert_eq!(fs::read(&path).unwrap(), content.as_bytes());
        }
        fs::remove_file(&path).unwrap();
        let other = Connection::open(&path).unwrap();
        other.execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1);").unwrap();
        drop(other);
        let before = fs::read(&path).unwrap();
        assert!(matches!(Store::open(Some(&path)), Err(StoreError::Foreign(_))));
        assert_eq!(fs::read(&path).unwrap(), before);
        assert!(matches!(Store::open(Some(dir.path())), Err(StoreError::Unreachable { .. })));
        assert!(matches!(Store::open(Some(&dir.path().join("f/g.db"))), Err(StoreError::Unreachable { .. })));
        assert!(matches!(Store::open(Some(Path::new("/dev/null"))), Err(StoreError::Unreachable { .. })));
        assert!(Store::open(Some(Path::new(""))).is_err());
    }

    #[test]
    fn versions_and_tables_that_are_not_ours() {
        let (_dir, path, store) = store();
        store.conn.pragma_update(None, "user_version", VERSION + 1).unwrap();
        drop(store);
        let e = Store::open(Some(&path)).unwrap_err();
        assert!(matches!(e, StoreError::Newer { version, .. } if version == VERSION + 1), "{e}");
        let raw = Connection::open(&path).unwrap();
        raw.pragma_update(None, "user_version", VERSION).unwrap();
        Store::open(Some(&path)).unwrap();
        // A view in place of a table can take for ever; a trigger can change what is kept.
        raw.execute_batch("CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END;").unwrap();
        let e = Store::open(Some(&path)).unwrap_err();
        assert!(matches!(e, StoreError::Damaged { .. }), "{e}");
        raw.execute_batch("DROP TRIGGER t; DROP TABLE pairing; CREATE VIEW pairing AS SELECT * FROM series;").unwrap();
        assert!(matches!(Store::open(Some(&path)), Err(StoreError::Damaged { .. })));
    }

    #[test]
    fn what_was_changed_behind_our_back_is_damage() {
        for change in [
            "UPDATE series SET samples = zeroblob(48) WHERE position = 0",
            "UPDATE series SET samples = x'00' WHERE position = 0",
            "UPDATE series SET count = 9223372036854775807 WHERE position = 0",
            "UPDATE series SET samples = zeroblob(300000000), count = 37500000 WHERE position = 0",
            "UPDATE series SET unit = 'parsec'",
            "UPDATE series SET bytes = -1",
            "UPDATE series SET parameters = '{'",
            "UPDATE run SET machine = '[]'",
            "UPDATE run SET started = 'x'",
            "UPDATE run SET warnings = CAST(x'ff' AS TEXT)",
            "UPDATE run SET details = CAST(zeroblob(20000000) AS TEXT)",
            "UPDATE pairing SET a = 7",
            "UPDATE pairing SET b = -1",
            "DELETE FROM series WHERE position = 1",
        ] {
            let (_dir, path, mut store) = store();
            let id = store.save(&sample("2026-04-03T12:00:00Z", None)).unwrap();
            store.conn.execute(change, []).unwrap();
            drop(store);
            let store = Store::open_existing(Some(&path)).unwrap();
            let e = store.load(id).unwrap_err();
            assert!(matches!(e, StoreError::Damaged { .. }) && !e.to_string().contains('\n'), "{change}: {e}");
            assert_eq!(store.check().unwrap().1.len(), 1, "{change}");
        }
    }

    #[test]
    fn any_byte_may_be_wrong() {
        let (_dir, path, mut store) = store();
        store.save(&sample("2026-04-03T12:00:00Z", None)).unwrap();
        drop(store);
        let good = fs::read(&path).unwrap();
        let mut x = 7u64;
        let mut found = 0;
        for _ in 0..300 {
            let mut bad = good.clone();
            for _ in 0..8 {
                x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let at = (x >> 33) as usize % bad.len();
                bad[at] ^= (x >> 25) as u8 | 1;
            }
            fs::write(&path, &bad).unwrap();
            // No panic, no more memory than the file has, and an error of one line.
            let used = Store::open(Some(&path)).and_then(|s| {
                s.list(&Filter::default())?;
                s.each_series(&SeriesFilter { what: "md5".into(), ..SeriesFilter::default() }, |_, _| {})?;
                Ok(s.check()?.1)
            });
            match used {
                Ok(wrong) => found += usize::from(!wrong.is_empty()),
                Err(e) => {
                    assert!(!e.to_string().contains('\n'), "{e}");
                    found += 1;
                }
            }
        }
        assert!(found > 50, "{found}");
        fs::write(&path, &good[..good.len() / 2]).unwrap();
        let e = Store::open(Some(&path)).and_then(|s| s.load(1)).unwrap_err();
        assert!(matches!(e, StoreError::Damaged { .. }), "{e}");
    }

    #[test]
    fn locked_full_and_read_only() {
        let (_dir, path, mut store) = store();
        let run = sample("2026-04-03T12:00:00Z", None);
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        store.conn.busy_timeout(Duration::from_millis(10)).unwrap();
        let e = store.save(&run).unwrap_err();
        assert!(matches!(e, StoreError::Locked(_)), "{e}");
        other.execute_batch("ROLLBACK").unwrap();
        let pages: u32 = store.conn.pragma_query_value(None, "page_count", |r| r.get(0)).unwrap();
        let full = |s: &Store, n: u32| s.conn.pragma_update_and_check(None, "max_page_count", n, |_| Ok(())).unwrap();
        full(&store, pages);
        let long = Run { details: json!("x".repeat(100_000)), ..run.clone() };
        let e = store.save(&long).unwrap_err();
        assert!(matches!(e, StoreError::Full(_)), "{e}");
        full(&store, 1_000_000);
        assert_eq!(store.list(&Filter::default()).unwrap(), []);
        store.conn.pragma_update(None, "query_only", true).unwrap();
        let e = store.save(&run).unwrap_err();
        assert!(matches!(e, StoreError::ReadOnly(_)), "{e}");
        store.conn.pragma_update(None, "query_only", false).unwrap();
        store.save(&run).unwrap();
        assert_eq!(store.check().unwrap(), (1, Vec::new()));
    }

    #[test]
    fn a_killed_writer_leaves_the_store_as_it_was() {
        let (dir, path, mut store) = store();
        store.save(&sample("2026-04-03T12:00:00Z", None)).unwrap();
        // A file and its journal in the middle of a transaction, as a killed process leaves them: pages are in the file
        // already, because the cache is too small for them.
        store.conn.pragma_update(None, "cache_size", 1).unwrap();
        let copy = dir.path().join("killed.db");
        let taken = store.batch(|b| {
            for second in 1..10 {
                let run = sample(&format!("2026-04-03T12:00:0{second}Z"), None);
                b.keep(&Run { details: json!("y".repeat(100_000)), ..run })?;
            }
            for (from, to) in [(path.clone(), copy.clone()), (journal(&path), journal(&copy))] {
                let mut bytes = Vec::new();
                File::open(from).unwrap().read_to_end(&mut bytes).unwrap();
                File::create(to).unwrap().write_all(&bytes).unwrap();
            }
            Err::<(), _>(StoreError::Refused("enough".into()))
        });
        assert!(taken.is_err());
        assert!(fs::metadata(&copy).unwrap().len() > fs::metadata(&path).unwrap().len());
        let killed = Store::open_existing(Some(&copy)).unwrap();
        assert_eq!(killed.check().unwrap(), (1, Vec::new()));
    }

    fn journal(path: &Path) -> PathBuf {
        let mut name = path.as_os_str().to_os_string();
        name.push("-journal");
        name.into()
    }
}
