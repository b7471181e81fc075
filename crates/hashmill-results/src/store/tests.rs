//! Tests of stores in bad condition: after a kill, damaged, forged, full.

use crate::store::row::MOST_TEXT;
use crate::store::schema::VERSION;
use crate::store::{Filter, SeriesFilter, Store, StoreError};
use hashmill_measure::machine::{Machine, Weather};
use hashmill_measure::run::{FORMAT, Pairing, Run, Series, Unit};
use rusqlite::Connection;
use serde_json::json;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) fn sample(started: &str, tag: Option<&str>) -> Run {
    // Values that a conversion to text could spoil: many digits, the extremes, and the number just below a round one.
    let values: Vec<f64> = vec![1e9 / 3.0, 0.1 + 0.2, f64::MIN_POSITIVE, f64::MAX, 5e-324, 1e9f64.next_down()];
    let series = vec![
        Series::ours("md5", "avx2", Unit::BytesPerSecond, values.clone()).bytes(16384).mode("lanes"),
        Series::of("md5", "openssl", "OpenSSL 3.0.19", Unit::BytesPerSecond, values.clone()).parameter("threads", 2),
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
            neighbors_seconds: 1.25,
        },
        interrupted: false,
        warnings: vec!["it rains".into()],
        series,
        pairings: vec![Pairing::new(0, 1, values)],
        details: json!({ "size": 1, "ratio": 0.1 + 0.2, "list": [null, true, "x"] }),
    }
}

fn machine() -> Machine {
    let clocks = hashmill_measure::clock::Clocks {
        core_hertz: 1e9 / 3.0,
        counter_hertz: 0.0,
        tick_ns: 20.1,
        empty_turn_ns: 0.1,
    };
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
    for (spec, id) in [("last", late), ("last~0", late), ("last~1", middle), ("last~2", early), ("x", late), ("2", 2)] {
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
    let lost: i64 = store.conn.query_row("SELECT count(*) FROM series WHERE run = ?", [late], |r| r.get(0)).unwrap();
    assert_eq!((lost, store.find("last").unwrap()), (0, middle));
    // Numbers are never reused.
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
        (Run { started: "now".into(), ..run.clone() }, "not a time"),
        (Run { pairings: vec![Pairing::new(0, 3, vec![1.0])], ..run.clone() }, "pairing 0"),
        (Run { details: json!("x".repeat(MOST_TEXT)), ..run.clone() }, "bytes of text"),
        (Run { series: vec![run.series[0].clone().bytes(u64::MAX)], pairings: vec![], ..run.clone() }, "out of range"),
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
    // A view in place of a table could run forever, and a trigger could change the stored data.
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
        // No panic, no more memory than the size of the file, and a one-line error.
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
    // A file and its journal in the middle of a transaction, as a killed process leaves them. Some pages have already
    // been written to the file, because the cache is too small for them.
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
