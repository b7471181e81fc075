//! Digests that are known already: of the destination's files, and of sources as they were when they were last read.
//!
//! An SQLite database in the destination. It is a cache: what it says of a file counts only as long as the file's length, times of
//! modification and change, and inode are the same; without it everything is read again. The time of change cannot be set by
//! programs, so a file that was written to since has another one.

use crate::journal::FOLDER;
use hashmill::{Algorithm, Digest};
use rusqlite::{Connection, params};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// What says that a file is still the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    modified: i64,
    changed: i64,
    inode: u64,
    device: u64,
}

fn nanoseconds(seconds: i64, more: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(more)
}

impl Stamp {
    pub(crate) fn of(m: &Metadata) -> Stamp {
        Stamp {
            size: m.size(),
            modified: nanoseconds(m.mtime(), m.mtime_nsec()),
            changed: nanoseconds(m.ctime(), m.ctime_nsec()),
            inode: m.ino(),
            device: m.dev(),
        }
    }

    /// Whether the file changed so recently that it may change again without a new time: clocks of file systems tick.
    fn is_recent(&self, now: i64) -> bool {
        const TICK: i64 = 20_000_000;
        now.saturating_sub(self.changed) < TICK
    }
}

/// The version of the tables.
const VERSION: i32 = 1;

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS files (
        path BLOB NOT NULL, algorithm TEXT NOT NULL, digest BLOB NOT NULL,
        size INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL, inode INTEGER NOT NULL,
        PRIMARY KEY (path, algorithm)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS sources (
        path BLOB NOT NULL, algorithm TEXT NOT NULL, digest BLOB NOT NULL,
        size INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL, inode INTEGER NOT NULL,
        device INTEGER NOT NULL,
        PRIMARY KEY (path, algorithm)
    ) WITHOUT ROWID;
";

pub(crate) struct Catalogue {
    db: Connection,
    algorithms: Vec<(String, usize)>,
}

/// What is to be written, so that it happens in one transaction.
#[derive(Debug)]
pub(crate) enum Entry {
    File { path: PathBuf, stamp: Stamp, digests: Vec<Digest> },
    Source { path: PathBuf, stamp: Stamp, digests: Vec<Digest> },
}

impl Catalogue {
    /// Opens or makes the catalogue of a destination. One that is damaged, or of another version, is put aside and begun anew; the
    /// second value says so.
    pub(crate) fn open(
        root: &Path,
        algorithms: &[Algorithm],
        write: bool,
    ) -> Result<(Catalogue, bool), rusqlite::Error> {
        let path = root.join(FOLDER).join("catalogue.sqlite");
        if write {
            // If this fails the next call says why.
            let _ = fs::create_dir(root.join(FOLDER));
        }
        let algorithms: Vec<(String, usize)> =
            algorithms.iter().map(|a| (a.name().to_string(), a.digest_len())).collect();
        match Self::open_file(&path, write) {
            Ok(db) => Ok((Catalogue { db, algorithms }, false)),
            Err(e) if write && is_damage(&e) => {
                let _ = fs::rename(&path, path.with_extension("damaged"));
                Ok((Catalogue { db: Self::open_file(&path, write)?, algorithms }, true))
            }
            Err(e) => Err(e),
        }
    }

    fn open_file(path: &Path, write: bool) -> Result<Connection, rusqlite::Error> {
        let db = if write { Connection::open(path)? } else { Connection::open_in_memory()? };
        db.busy_timeout(Duration::from_secs(30))?;
        if !write && path.exists() {
            // Nothing is written in a rehearsal, not even a journal of SQLite's.
            let uri: String = path.as_os_str().as_bytes().iter().map(|b| format!("%{b:02x}")).collect();
            db.execute(&format!("ATTACH 'file:{uri}?mode=ro&immutable=1' AS kept"), [])?;
            let version: i32 = db.query_row("PRAGMA kept.user_version", [], |r| r.get(0))?;
            if version == VERSION {
                db.execute_batch(
                    "CREATE TEMP VIEW files AS SELECT * FROM kept.files; CREATE TEMP VIEW sources AS SELECT * FROM kept.sources;",
                )?;
                return Ok(db);
            }
        }
        let version: i32 = db.query_row("PRAGMA user_version", [], |r| r.get(0))?;
        if version != 0 && version != VERSION {
            return Err(damage("another version"));
        }
        db.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA journal_mode = TRUNCATE;")?;
        db.execute_batch(TABLES)?;
        db.pragma_update(None, "user_version", VERSION)?;
        Ok(db)
    }

    /// Locks the catalogue once for many look-ups, which should be short: others cannot write meanwhile.
    pub(crate) fn begin_reading(&self) {
        // Without it look-ups are only slower.
        let _ = self.db.execute_batch("BEGIN");
    }

    /// Ends that.
    pub(crate) fn end_reading(&self) {
        let _ = self.db.execute_batch("COMMIT");
    }

    /// The digests of a file of the destination, if they are known and it has not changed.
    pub(crate) fn file(&self, path: &Path, stamp: &Stamp) -> Option<Vec<Digest>> {
        let sql = "SELECT digest FROM files WHERE path = ?1 AND algorithm = ?2 AND size = ?3 AND modified = ?4 AND changed = ?5
                   AND inode = ?6";
        self.digests(sql, path, stamp, false)
    }

    /// The digests of a source, if they are known and it has not changed.
    pub(crate) fn source(&self, path: &Path, stamp: &Stamp) -> Option<Vec<Digest>> {
        let sql = "SELECT digest FROM sources WHERE path = ?1 AND algorithm = ?2 AND size = ?3 AND modified = ?4 AND changed = ?5
                   AND inode = ?6 AND device = ?7";
        self.digests(sql, path, stamp, true)
    }

    fn digests(&self, sql: &str, path: &Path, stamp: &Stamp, device: bool) -> Option<Vec<Digest>> {
        let mut query = self.db.prepare_cached(sql).ok()?;
        let one = |(name, len): &(String, usize)| -> Option<Digest> {
            let path = path.as_os_str().as_bytes();
            let (m, c, i) = (stamp.modified, stamp.changed, stamp.inode.cast_signed());
            let row = |r: &rusqlite::Row<'_>| r.get::<_, Vec<u8>>(0);
            let found = if device {
                let d = stamp.device.cast_signed();
                query.query_row(params![path, name, stamp.size.cast_signed(), m, c, i, d], row)
            } else {
                query.query_row(params![path, name, stamp.size.cast_signed(), m, c, i], row)
            };
            found.ok().filter(|d| d.len() == *len).map(|d| Digest::from_bytes(&d))
        };
        self.algorithms.iter().map(one).collect()
    }

    /// Writes entries, all or none of them. Those of files that changed a moment ago are left out: they will be read again.
    pub(crate) fn put(&mut self, entries: &[Entry]) -> Result<(), rusqlite::Error> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
        let change = self.db.transaction()?;
        {
            let mut file = change.prepare_cached("INSERT OR REPLACE INTO files VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
            let mut source =
                change.prepare_cached("INSERT OR REPLACE INTO sources VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?;
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
                            file.execute(params![path, name, digest, size, stamp.modified, stamp.changed, inode])?
                        }
                        Entry::Source { .. } => source.execute(params![
                            path,
                            name,
                            digest,
                            size,
                            stamp.modified,
                            stamp.changed,
                            inode,
                            stamp.device.cast_signed()
                        ])?,
                    };
                }
            }
        }
        change.commit()
    }
}

fn damage(what: &str) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT), Some(what.into()))
}

fn is_damage(e: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase, Unknown};
    matches!(e.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase | Unknown))
}

/// Whether a file system's inodes and times of change can be believed from one run to the next, whatever has been mounted in between.
pub(crate) fn is_steady(path: &Path) -> bool {
    const STEADY: [u64; 8] = [
        0xef53,      // ext2, ext3, ext4
        0x5846_5342, // XFS
        0x9123_683e, // Btrfs
        0xf2f5_2010, // F2FS
        0x2fc1_2fc1, // ZFS
        0xca45_1a4e, // bcachefs
        0x0102_1994, // tmpfs
        0x794c_7630, // overlayfs
    ];
    rustix::fs::statfs(path).is_ok_and(|s| STEADY.contains(&(s.f_type.cast_unsigned() & 0xffff_ffff)))
}

/// The path under which a source is remembered.
pub(crate) fn remembered(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| OsStr::from_bytes(path.as_os_str().as_bytes()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn algorithms() -> Vec<Algorithm> {
        Algorithm::parse_list("md5,blake3").expect("algorithms")
    }

    #[test]
    fn what_changed_is_not_believed() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("f");
        fs::write(&file, "x").expect("a file");
        std::thread::sleep(Duration::from_millis(40));
        let stamp = Stamp::of(&fs::metadata(&file).expect("metadata"));
        let (mut c, _) = Catalogue::open(dir.path(), &algorithms(), true).expect("a catalogue");
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
        // A rehearsal reads it and writes nothing.
        drop(c);
        let before = fs::metadata(dir.path().join(FOLDER)).and_then(|m| m.modified()).expect("metadata");
        let (c, _) = Catalogue::open(dir.path(), &algorithms(), false).expect("a catalogue");
        assert_eq!(c.file(&name, &stamp), Some(digests));
        assert_eq!(fs::metadata(dir.path().join(FOLDER)).and_then(|m| m.modified()).expect("metadata"), before);
    }

    #[test]
    fn what_changed_a_moment_ago_is_not_written() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("f");
        let (mut c, _) = Catalogue::open(dir.path(), &algorithms()[..1], true).expect("a catalogue");
        // Whether the machine is slow is not asked: one try in many is quick enough.
        let quick = (0..100).any(|_| {
            fs::write(&file, "x").expect("a file");
            let stamp = Stamp::of(&fs::metadata(&file).expect("metadata"));
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
        let (_, anew) = Catalogue::open(dir.path(), &algorithms(), true).expect("a catalogue");
        assert!(anew && path.with_extension("damaged").exists());
    }
}
