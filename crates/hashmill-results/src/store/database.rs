//! The store's file: opening, creating, writing.

use crate::store::error::{StoreError, said, unreachable};
use crate::store::row::{bytes, identity, refused, text};
use crate::store::schema;
use hashmill_measure::run::Run;
use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior, params};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// An open store.
#[derive(Debug)]
pub struct Store {
    pub(super) conn: Connection,
    pub(super) path: PathBuf,
}

/// Returns the default path of the store.
///
/// # Errors
/// If the environment does not define a place for it.
pub fn default_path() -> Result<PathBuf, StoreError> {
    // The specification says that relative paths must be ignored.
    let set = |name| std::env::var_os(name).filter(|v: &OsString| !v.is_empty()).map(PathBuf::from);
    let data = set("XDG_DATA_HOME").filter(|p| p.is_absolute());
    let data = data.or_else(|| Some(set("HOME")?.join(".local/share"))).ok_or(StoreError::NoHome)?;
    Ok(data.join("hashmill").join("results.db"))
}

impl Store {
    /// Opens the store in this file, or in the user's data directory. Creates it if it does not exist.
    ///
    /// # Errors
    /// If that fails; one line says what is wrong and what to do.
    pub fn open(path: Option<&Path>) -> Result<Store, StoreError> {
        let path = place(path)?;
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|e| match e.kind() {
                io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                    let file = parent.ancestors().find(|above| above.exists()).unwrap_or(parent);
                    unreachable(&path, &io::Error::other(format!("{} is not a folder", file.display())))
                }
                _ => unreachable(&path, &e),
            })?;
        }
        Store::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// Opens an existing store.
    ///
    /// # Errors
    /// If that fails; one line says what is wrong and what to do.
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
            // SQLite takes a file of one byte for an empty one and would overwrite it.
            Ok(m) if m.len() == 1 => return Err(StoreError::Foreign(path)),
            _ => {}
        }
        let conn = Connection::open_with_flags(&path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX);
        let mut conn = conn.map_err(|e| said(&path, None, e))?;
        schema::prepare(&mut conn, &path)?;
        Ok(Store { conn, path })
    }

    /// Returns the path of the store.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps a run and returns its number.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&mut self, run: &Run) -> Result<i64, StoreError> {
        self.batch(|b| Ok::<_, StoreError>(b.keep(run)?.0))
    }

    /// Runs `each` in one transaction: either all its runs are kept or, if there is an error, none.
    ///
    /// # Errors
    /// If `each` returns an error, or the runs cannot be written.
    pub fn batch<T, E: From<StoreError>>(&mut self, each: impl FnOnce(&Batch<'_>) -> Result<T, E>) -> Result<T, E> {
        let path = &self.path;
        let t = self.conn.transaction_with_behavior(TransactionBehavior::Immediate);
        let batch = Batch { conn: t.map_err(|e| said(path, None, e))?, path };
        let result = each(&batch)?;
        batch.conn.commit().map_err(|e| said(path, None, e))?;
        Ok(result)
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

    pub(super) fn said(&self, error: rusqlite::Error) -> StoreError {
        said(&self.path, Some(&self.conn), error)
    }

    pub(super) fn damaged(&self, what: impl Into<String>) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), what: what.into() }
    }
}

/// Runs that are kept in one transaction.
#[derive(Debug)]
pub struct Batch<'a> {
    conn: rusqlite::Transaction<'a>,
    path: &'a Path,
}

impl Batch<'_> {
    /// Keeps a run. Returns its number and whether it is new: a run that measured the same at the same time on the same
    /// machine is the same run.
    ///
    /// # Errors
    /// If it cannot be written or is too large.
    pub fn keep(&self, run: &Run) -> Result<(i64, bool), StoreError> {
        refused(run).map_err(StoreError::Refused)?;
        let digest = identity(run);
        let kept = || -> Result<_, rusqlite::Error> {
            let known = self.conn.query_row("SELECT id FROM run WHERE digest = ?", [&digest[..]], |r| r.get(0));
            if let Some(id) = known.optional()? {
                return Ok((id, false));
            }
            self.conn.execute(
                "INSERT INTO run (digest, format, tag, started, command, version, cpu, cpus, arch, os, machine,
                 weather, interrupted, warnings, details) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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

/// Returns an absolute path, because `:memory:` and the empty path have special meanings for SQLite.
fn place(path: Option<&Path>) -> Result<PathBuf, StoreError> {
    match path {
        None => default_path(),
        Some(p) => std::path::absolute(p).map_err(|e| unreachable(p, &e)),
    }
}
