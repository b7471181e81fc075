//! The catalogue of known digests: those of files in the destination, and of sources as they were last read.
//!
//! It is an SQLite database in the destination, and only a cache: an entry counts only while the file's length, its
//! modification and change times and its inode are the same, and only on file systems that maintain the change time
//! themselves. Without it, everything is read again. Each row has a checksum, so that a row with a flipped bit is not
//! trusted. Whenever a database turns out to be damaged, it is put aside and a new one is begun.

use crate::fs::beneath::Root;
use crate::fs::meta::{Meta, Stamp};
use crate::record::journal;
use hashmill::{Algorithm, Digest};
use hashmill_files::plain;
use rusqlite::{Connection, OpenFlags, params};
use std::cell::Cell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The name of the database in our folder, and its name once it is put aside.
const NAME: &str = "catalogue.sqlite";
const ASIDE: &str = "catalogue.damaged";

/// Marks the database as ours: "hmct".
const APPLICATION: i32 = 0x686d_6374;

/// The version of the schema.
const VERSION: i32 = 2;

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS files (
        path BLOB NOT NULL, algorithm TEXT NOT NULL, digest BLOB NOT NULL,
        size INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL, inode INTEGER NOT NULL, \
        sum BLOB NOT NULL,
        PRIMARY KEY (path, algorithm)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS sources (
        path BLOB NOT NULL, algorithm TEXT NOT NULL, digest BLOB NOT NULL,
        size INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL, inode INTEGER NOT NULL,
        device INTEGER NOT NULL, sum BLOB NOT NULL,
        PRIMARY KEY (path, algorithm)
    ) WITHOUT ROWID;
";

/// Why there is no catalogue.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{0}")]
    Database(#[from] rusqlite::Error),
    #[error("{}", plain(.0))]
    Io(#[from] std::io::Error),
    #[error("is not a regular file")]
    NoFile,
}

pub(crate) struct Catalogue {
    db: Connection,
    root: Arc<Root>,
    write: bool,
    algorithms: Vec<(String, usize)>,
    /// For the checksums of rows.
    sum: Algorithm,
    /// Whether a look-up met damage.
    damaged: Cell<bool>,
}

/// Digests to be recorded. They are collected, so that they are written in one transaction.
#[derive(Debug)]
pub(crate) enum Entry {
    File { path: PathBuf, stamp: Stamp, digests: Vec<Digest> },
    Source { path: PathBuf, stamp: Stamp, digests: Vec<Digest> },
}

impl Catalogue {
    /// Opens the catalogue of a destination. If `write`, it is created if it does not exist, and one that is damaged or
    /// not ours is put aside and replaced, in which case the second value is true.
    pub(crate) fn open(root: &Arc<Root>, algorithms: &[Algorithm], write: bool) -> Result<(Catalogue, bool), Error> {
        let algorithms: Vec<(String, usize)> =
            algorithms.iter().map(|a| (a.name().to_string(), a.digest_len())).collect();
        let (db, is_new) = match open_file(root, write) {
            Err(Error::Database(e)) if write && is_damage(&e) => {
                put_aside(root)?;
                (open_file(root, write)?, true)
            }
            other => (other?, false),
        };
        let sum = "blake3".parse().map_err(|_| Error::NoFile)?;
        Ok((Catalogue { db, root: Arc::clone(root), write, algorithms, sum, damaged: Cell::new(false) }, is_new))
    }

    /// If a look-up met damage, puts the database aside and begins a new one. Returns whether it did.
    pub(crate) fn mend(&mut self) -> Result<bool, Error> {
        if !self.damaged.take() || !self.write {
            return Ok(false);
        }
        self.begin_again()?;
        Ok(true)
    }

    fn begin_again(&mut self) -> Result<(), Error> {
        // Closed before its file is renamed.
        self.db = Connection::open_in_memory()?;
        put_aside(&self.root)?;
        self.db = open_file(&self.root, true)?;
        Ok(())
    }

    /// Locks the catalogue once for many look-ups. These should not take long, since others cannot write meanwhile.
    pub(crate) fn begin_reading(&self) {
        // If this fails, look-ups are only slower.
        let _ = self.db.execute_batch("BEGIN");
    }

    /// Unlocks the catalogue after [`begin_reading`](Self::begin_reading).
    pub(crate) fn end_reading(&self) {
        let _ = self.db.execute_batch("COMMIT");
    }

    /// Returns the digests of a file in the destination, if they are known and it has not changed.
    pub(crate) fn file(&self, path: &Path, stamp: &Stamp) -> Option<Vec<Digest>> {
        const SQL: &str = "SELECT digest, sum FROM files WHERE path = ?1 AND algorithm = ?2 AND size = ?3 \
            AND modified = ?4 AND changed = ?5 AND inode = ?6";
        self.digests(SQL, path, stamp, None)
    }

    /// Returns the digests of a source, if they are known and it has not changed.
    pub(crate) fn source(&self, path: &Path, stamp: &Stamp) -> Option<Vec<Digest>> {
        const SQL: &str = "SELECT digest, sum FROM sources WHERE path = ?1 AND algorithm = ?2 AND size = ?3 \
            AND modified = ?4 AND changed = ?5 AND inode = ?6 AND device = ?7";
        self.digests(SQL, path, stamp, Some(stamp.device))
    }

    fn digests(&self, sql: &str, path: &Path, stamp: &Stamp, device: Option<u64>) -> Option<Vec<Digest>> {
        let one = |(name, len): &(String, usize)| -> Result<Option<Digest>, rusqlite::Error> {
            let mut query = self.db.prepare_cached(sql)?;
            let bytes = path.as_os_str().as_bytes();
            let (m, c, i) = (stamp.modified, stamp.changed, stamp.inode.cast_signed());
            let row = |r: &rusqlite::Row<'_>| Ok((r.get::<_, Vec<u8>>(0)?, r.get::<_, Vec<u8>>(1)?));
            let found = match device {
                Some(d) => {
                    query.query_row(params![bytes, name, stamp.size.cast_signed(), m, c, i, d.cast_signed()], row)
                }
                None => query.query_row(params![bytes, name, stamp.size.cast_signed(), m, c, i], row),
            };
            let (digest, sum) = match found {
                Err(rusqlite::Error::QueryReturnedNoRows) => return Ok(None),
                other => other?,
            };
            let right = digest.len() == *len && sum == self.check(bytes, name, &digest, stamp, device);
            Ok(right.then(|| Digest::from_bytes(&digest)))
        };
        // All digests, `None` if one is missing, or an error, whichever comes first.
        let all: Result<Option<Vec<Digest>>, rusqlite::Error> = self.algorithms.iter().map(one).collect();
        match all {
            Ok(digests) => digests,
            Err(e) => {
                self.damaged.set(self.damaged.get() || is_damage(&e));
                None
            }
        }
    }

    /// Returns the checksum of a row. It no longer matches if bits of the row flip.
    fn check(&self, path: &[u8], algorithm: &str, digest: &[u8], stamp: &Stamp, device: Option<u64>) -> Vec<u8> {
        let mut text = Vec::with_capacity(path.len() + digest.len() + 96);
        for part in [path, algorithm.as_bytes(), digest] {
            text.extend((part.len() as u64).to_le_bytes());
            text.extend_from_slice(part);
        }
        let numbers = [stamp.size, stamp.modified.cast_unsigned(), stamp.changed.cast_unsigned(), stamp.inode];
        numbers.iter().chain(&device).for_each(|n| text.extend(n.to_le_bytes()));
        self.sum.digest(&text).as_bytes()[..8].to_vec()
    }

    /// Writes all entries or none of them. Files that changed a moment ago are left out, and will be read again.
    /// Returns true if the database turned out to be damaged, and was put aside and replaced.
    pub(crate) fn put(&mut self, entries: &[Entry]) -> Result<bool, Error> {
        match self.try_put(entries) {
            Err(e) if self.write && is_damage(&e) => {
                self.begin_again()?;
                self.try_put(entries)?;
                Ok(true)
            }
            other => Ok(other.map(|()| false)?),
        }
    }

    fn try_put(&mut self, entries: &[Entry]) -> Result<(), rusqlite::Error> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
        let change = self.db.unchecked_transaction()?;
        {
            let mut file =
                change.prepare_cached("INSERT OR REPLACE INTO files VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?;
            let mut source =
                change.prepare_cached("INSERT OR REPLACE INTO sources VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?;
            for entry in entries {
                let (Entry::File { path, stamp, digests } | Entry::Source { path, stamp, digests }) = entry;
                if stamp.is_recent(now) {
                    continue;
                }
                let path = path.as_os_str().as_bytes();
                let (size, inode) = (stamp.size.cast_signed(), stamp.inode.cast_signed());
                for ((name, _), digest) in self.algorithms.iter().zip(digests) {
                    let digest = digest.as_bytes();
                    match entry {
                        Entry::File { .. } => {
                            let sum = self.check(path, name, digest, stamp, None);
                            file.execute(params![path, name, digest, size, stamp.modified, stamp.changed, inode, sum])?
                        }
                        Entry::Source { .. } => {
                            let sum = self.check(path, name, digest, stamp, Some(stamp.device));
                            let device = stamp.device.cast_signed();
                            source.execute(params![
                                path, name, digest, size, stamp.modified, stamp.changed, inode, device, sum
                            ])?
                        }
                    };
                }
            }
        }
        change.commit()
    }
}

/// Opens the database, which is never reached through a link.
fn open_file(root: &Root, write: bool) -> Result<Connection, Error> {
    if write {
        // If this fails, the next call says why.
        let _ = rustix::fs::mkdirat(root.fd(), journal::FOLDER, rustix::fs::Mode::from_raw_mode(0o777));
    }
    let folder = match journal::open_folder(root) {
        Err(e) if !write && e.kind() == std::io::ErrorKind::NotFound => return Ok(Connection::open_in_memory()?),
        other => other?,
    };
    let there = match Meta::at(&folder, Path::new(NAME)) {
        Ok(m) if !m.is_file() => return Err(Error::NoFile),
        Ok(_) => true,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => false,
        Err(e) => return Err(e.into()),
    };
    let path = root.real_path()?.join(journal::FOLDER).join(NAME);
    if !write {
        let db = Connection::open_in_memory()?;
        if there {
            // Nothing is written in a dry run, not even an SQLite journal.
            let uri: String = path.as_os_str().as_bytes().iter().map(|b| format!("%{b:02x}")).collect();
            db.execute(&format!("ATTACH 'file:{uri}?mode=ro&immutable=1' AS kept"), [])?;
            if is_ours(&db, "kept")? == Some(true) {
                db.execute_batch(
                    "CREATE TEMP VIEW files AS SELECT * FROM kept.files; \
                        CREATE TEMP VIEW sources AS SELECT * FROM kept.sources;",
                )?;
                return Ok(db);
            }
        }
        db.execute_batch(TABLES)?;
        return Ok(db);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut db = Connection::open_with_flags(&path, flags)?;
    db.busy_timeout(Duration::from_secs(30))?;
    db.execute_batch("PRAGMA cell_size_check = ON; PRAGMA synchronous = NORMAL; PRAGMA journal_mode = TRUNCATE;")?;
    // In one transaction, so that another run that begins at the same time sees all of it or nothing.
    let begin = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    match is_ours(&begin, "main")? {
        Some(true) => {}
        Some(false) => return Err(damage("not ours").into()),
        None => {
            // New, or of an earlier version without checksums, whose files are read again.
            begin.execute_batch("DROP TABLE IF EXISTS files; DROP TABLE IF EXISTS sources;")?;
            begin.execute_batch(TABLES)?;
            begin.pragma_update(None, "application_id", APPLICATION)?;
            begin.pragma_update(None, "user_version", VERSION)?;
        }
    }
    begin.commit()?;
    Ok(db)
}

/// Whether a database is a catalogue of ours. Returns `None` if it is empty, or of an earlier version.
fn is_ours(db: &Connection, schema: &str) -> Result<Option<bool>, rusqlite::Error> {
    let number = |what: &str| db.query_row(&format!("PRAGMA {schema}.{what}"), [], |r| r.get::<_, i32>(0));
    let (application, version) = (number("application_id")?, number("user_version")?);
    let tables: Vec<String> = db
        .prepare(&format!("SELECT name FROM {schema}.sqlite_master WHERE type = 'table' ORDER BY name"))?
        .query_map([], |r| r.get(0))?
        .collect::<Result<_, _>>()?;
    Ok(match (application, version) {
        (APPLICATION, VERSION) => Some(true),
        (0, 0) if tables.is_empty() => None,
        (0, 0 | 1) if tables == ["files", "sources"] => None,
        _ => Some(false),
    })
}

/// Renames a damaged database, and deletes its SQLite journal.
fn put_aside(root: &Root) -> Result<(), Error> {
    let folder = journal::open_folder(root)?;
    let _ = rustix::fs::unlinkat(&folder, format!("{NAME}-journal"), rustix::fs::AtFlags::empty());
    rustix::fs::renameat(&folder, NAME, &folder, ASIDE).map_err(std::io::Error::from)?;
    Ok(())
}

fn damage(what: &str) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT), Some(what.into()))
}

fn is_damage(e: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase, Unknown};
    matches!(e.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase | Unknown))
        // A damaged page may look like a table without a column, or with a column of another type.
        || matches!(e, rusqlite::Error::InvalidColumnType(..) | rusqlite::Error::FromSqlConversionFailure(..))
}

/// Returns the path under which a source is recorded.
pub(crate) fn remembered(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| OsStr::from_bytes(path.as_os_str().as_bytes()).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::journal::FOLDER;
    use std::fs;

    fn root(dir: &Path) -> Arc<Root> {
        Arc::new(Root::open(dir, false).expect("a root"))
    }

    fn algorithms() -> Vec<Algorithm> {
        Algorithm::parse_list("md5,blake3").expect("algorithms")
    }

    #[test]
    fn what_changed_is_not_believed() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("f");
        fs::write(&file, "x").expect("a file");
        std::thread::sleep(Duration::from_millis(40));
        let stamp = Meta::of_path(&file).expect("metadata").stamp();
        let (mut c, _) = Catalogue::open(&root(dir.path()), &algorithms(), true).expect("a catalogue");
        let digests = vec![Digest::from_bytes(&[1; 16]), Digest::from_bytes(&[2; 32])];
        let name = PathBuf::from("f");
        c.put(&[Entry::File { path: name.clone(), stamp, digests: digests.clone() }]).expect("a row");
        assert_eq!(c.file(&name, &stamp), Some(digests.clone()));
        for changed in [
            Stamp { size: 2, ..stamp },
            Stamp { modified: stamp.modified + 1, ..stamp },
            Stamp { changed: stamp.changed - 1, ..stamp },
            Stamp { inode: stamp.inode + 1, ..stamp },
        ] {
            assert_eq!(c.file(&name, &changed), None);
        }
        // A dry run reads the catalogue and writes nothing.
        drop(c);
        let before = fs::metadata(dir.path().join(FOLDER)).and_then(|m| m.modified()).expect("metadata");
        let (c, _) = Catalogue::open(&root(dir.path()), &algorithms(), false).expect("a catalogue");
        assert_eq!(c.file(&name, &stamp), Some(digests));
        assert_eq!(fs::metadata(dir.path().join(FOLDER)).and_then(|m| m.modified()).expect("metadata"), before);
    }

    #[test]
    fn what_changed_a_moment_ago_is_not_written() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("f");
        let (mut c, _) = Catalogue::open(&root(dir.path()), &algorithms()[..1], true).expect("a catalogue");
        // On a slow machine a single attempt may take too long, but one in many is quick enough.
        let quick = (0..100).any(|_| {
            fs::write(&file, "x").expect("a file");
            let stamp = Meta::of_path(&file).expect("metadata").stamp();
            c.put(&[Entry::File { path: "f".into(), stamp, digests: vec![Digest::from_bytes(&[1; 16])] }])
                .expect("rows");
            c.file(Path::new("f"), &stamp).is_none()
        });
        assert!(quick);
    }

    #[test]
    fn a_damaged_catalogue_is_put_aside() {
        let dir = tempfile::tempdir().expect("a folder");
        fs::create_dir(dir.path().join(FOLDER)).expect("a folder");
        let path = dir.path().join(FOLDER).join("catalogue.sqlite");
        fs::write(&path, "no database at all, but long enough to look like one".repeat(100)).expect("a file");
        let (_, is_new) = Catalogue::open(&root(dir.path()), &algorithms(), true).expect("a catalogue");
        assert!(is_new && path.with_extension("damaged").exists());
    }

    #[test]
    fn a_row_with_a_flipped_bit_is_not_believed() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("f");
        fs::write(&file, "x").expect("a file");
        std::thread::sleep(Duration::from_millis(40));
        let stamp = Meta::of_path(&file).expect("metadata").stamp();
        let (mut c, _) = Catalogue::open(&root(dir.path()), &algorithms(), true).expect("a catalogue");
        let digests = vec![Digest::from_bytes(&[1; 16]), Digest::from_bytes(&[2; 32])];
        c.put(&[Entry::File { path: "f".into(), stamp, digests: digests.clone() }]).expect("a row");
        assert_eq!(c.file(Path::new("f"), &stamp), Some(digests));
        for column in ["digest", "sum"] {
            let wrong = format!(
                "UPDATE files SET {column} = CAST(x'03' || substr({column}, 2) AS BLOB) WHERE algorithm = 'blake3'"
            );
            assert_eq!(c.db.execute(&wrong, []).expect("a row"), 1);
            assert_eq!(c.file(Path::new("f"), &stamp), None, "{column}");
        }
        assert!(!c.mend().expect("no damage"));
    }

    #[test]
    fn anothers_database_is_not_written_to() {
        let dir = tempfile::tempdir().expect("a folder");
        let at = |p: &str| dir.path().join(p);
        fs::create_dir(at(FOLDER)).expect("a folder");
        let other = Connection::open(at("other")).expect("a database");
        other.execute_batch("CREATE TABLE precious (x); INSERT INTO precious VALUES (1);").expect("a table");
        drop(other);
        let before = fs::read(at("other")).expect("a database");
        // Through a link, and in place of our database.
        let ours = at(FOLDER).join(NAME);
        std::os::unix::fs::symlink("../other", &ours).expect("a link");
        assert!(Catalogue::open(&root(dir.path()), &algorithms(), true).is_err());
        fs::remove_file(&ours).expect("no link");
        fs::copy(at("other"), &ours).expect("a copy");
        let (_, is_new) = Catalogue::open(&root(dir.path()), &algorithms(), true).expect("a catalogue");
        assert!(is_new && fs::read(at(FOLDER).join(ASIDE)).expect("a database") == before);
        assert_eq!(fs::read(at("other")).expect("a database"), before);
    }
}
