//! The schema, and the check whether a file has it.
//!
//! `schema.sql` is the first version; later ones are migrations that `rusqlite_migration` applies.

use crate::store::error::{StoreError, said};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, TransactionBehavior};
use rusqlite_migration::{M, Migrations};
use std::path::Path;
use std::time::Duration;

/// Application ID, `hmil`, at byte 68 of the file.
const APPLICATION: i32 = 0x686d_696c;

/// Migrations, each from one version of the schema to the next. A store's version is in `user_version`.
const STEPS: &[M<'_>] = &[M::up(include_str!("schema.sql"))];

/// Schema version that this program writes.
pub(super) const VERSION: i32 = STEPS.len() as i32;

/// How long to wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(3);

/// Makes sure that an open file is a store; turns an empty file into one.
pub(super) fn prepare(conn: &mut Connection, path: &Path) -> Result<(), StoreError> {
    harden(conn).map_err(|e| said(path, Some(conn), e))?;
    if is_empty(conn).map_err(|e| said(path, Some(conn), e))? {
        make(conn).map_err(|e| said(path, None, e))?;
    }
    let number = |pragma: &str| {
        let number = conn.pragma_query_value(None, pragma, |r| r.get::<_, i32>(0));
        number.map_err(|e| said(path, Some(conn), e))
    };
    if number("application_id")? != APPLICATION {
        return Err(StoreError::Foreign(path.into()));
    }
    let damaged = |what: String| StoreError::Damaged { path: path.into(), what };
    match number("user_version")? {
        VERSION => {}
        version if version > VERSION => return Err(StoreError::Newer { path: path.into(), version, newest: VERSION }),
        version => return Err(damaged(format!("version {version}"))),
    }
    let model = || -> Result<_, rusqlite::Error> {
        let mut model = Connection::open_in_memory()?;
        make(&mut model)?;
        entries(&model)
    };
    let (model, there) = (model().map_err(|e| said(path, None, e))?, entries(conn));
    if there.map_err(|e| said(path, Some(conn), e))? != model {
        return Err(damaged("its tables are not those of a store".into()));
    }
    Ok(())
}

/// Makes SQLite distrust the file, so that none of its views and triggers run.
fn harden(conn: &Connection) -> rusqlite::Result<()> {
    conn.busy_timeout(PATIENCE)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true)?;
    conn.pragma_update(None, "cell_size_check", true)
}

fn is_empty(conn: &Connection) -> rusqlite::Result<bool> {
    let number = |pragma| conn.pragma_query_value(None, pragma, |r| r.get::<_, i32>(0));
    let entries: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |r| r.get(0))?;
    Ok((number("application_id")?, number("user_version")?, entries) == (0, 0, 0))
}

/// Creates the tables in an empty file.
fn make(conn: &mut Connection) -> rusqlite::Result<()> {
    // A second process waits for the first and then finds the tables.
    conn.set_transaction_behavior(TransactionBehavior::Immediate);
    match Migrations::from_slice(STEPS).to_latest(conn) {
        Err(_) if !is_empty(conn)? => Ok(()),
        Err(rusqlite_migration::Error::RusqliteError { err, .. }) => Err(err),
        Err(e) => Err(rusqlite::Error::ToSqlConversionFailure(Box::new(e))),
        Ok(()) => Ok(()),
    }
}

/// Returns the name and SQL text of every table, index and so on. Names that begin with `sqlite_` are SQLite's own.
fn entries(conn: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    let query =
        "SELECT name, ifnull(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
    let mut q = conn.prepare(query)?;
    q.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?.collect()
}
