//! The tables, and whether a file has them.

use crate::store::error::{StoreError, said};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, TransactionBehavior};
use rusqlite_migration::{M, Migrations};
use std::path::Path;
use std::time::Duration;

/// `hmil`, at byte 68 of the file.
const APPLICATION: i32 = 0x686d_696c;

/// What makes each version of the tables of the one before it. The number of a store's version is in `user_version`.
const STEPS: &[M<'_>] = &[M::up(include_str!("schema.sql"))];

/// The version of the tables that this program writes.
pub(super) const VERSION: i32 = STEPS.len() as i32;

/// How long another process may write.
const PATIENCE: Duration = Duration::from_secs(3);

/// Makes sure that an open file is a store, and makes one of an empty file.
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

/// Has SQLite distrust the file: no view and no trigger of it runs.
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

/// Makes the tables in an empty file.
fn make(conn: &mut Connection) -> rusqlite::Result<()> {
    // Whoever comes second waits for the first, and finds the tables there.
    conn.set_transaction_behavior(TransactionBehavior::Immediate);
    match Migrations::from_slice(STEPS).to_latest(conn) {
        Err(_) if !is_empty(conn)? => Ok(()),
        Err(rusqlite_migration::Error::RusqliteError { err, .. }) => Err(err),
        Err(e) => Err(rusqlite::Error::ToSqlConversionFailure(Box::new(e))),
        Ok(()) => Ok(()),
    }
}

/// Every table, index and so on, with the text that made it. What begins with `sqlite_` is SQLite's own.
fn entries(conn: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    let query =
        "SELECT name, ifnull(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
    let mut q = conn.prepare(query)?;
    q.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?.collect()
}
