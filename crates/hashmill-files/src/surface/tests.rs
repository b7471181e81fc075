//! Threads that panic, and threads that cannot be started: every file and task gets its result, and nothing waits
//! forever. And walks whose directories are listed by other threads.

use crate::base::threads::tests::with_threads;
use crate::base::trap::TRAP;
use crate::{
    CheckEvent, CheckOptions, Error, Event, Input, Options, Progress, Task, Verdict, Walked, check, perform, sum, walk,
};
use hashmill::{Algorithm, Digest};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};

fn options(list: &str, threads: usize) -> Options {
    Options { threads: NonZeroUsize::new(threads), ..Options::new(Algorithm::parse_list(list).unwrap()) }
}

/// One algorithm with lanes, several with lanes, several without, and a mix of both.
const LISTS: [&str; 4] = ["md5", "md5,sha256", "crc32,xxh64", "md2,crc32"];

/// The result for each file.
type Outcomes = Vec<Result<Vec<Digest>, Error>>;

/// Returns the results that `sum` reports for each file, in order, and its own result.
fn summed(options: &Options, paths: &[PathBuf]) -> (Outcomes, Result<(), Error>) {
    let mut outcomes = Vec::new();
    let progress = Progress::default();
    let end = sum(options, paths.iter().map(|p| Ok(Input::Path(p.clone()))), &progress, |event| {
        if let Event::Outcome(o) = event {
            assert_eq!(o.input.name(), paths[outcomes.len()]);
            outcomes.push(o.result);
        }
        ControlFlow::Continue(())
    });
    assert_eq!(outcomes.len(), paths.len());
    assert_eq!((progress.files(), progress.files_total()), (paths.len() as u64, paths.len() as u64));
    (outcomes, end)
}

/// Creates `n` files with the lengths that `len` returns.
fn files(dir: &Path, n: usize, len: impl Fn(usize) -> usize) -> Vec<PathBuf> {
    let make = |i| {
        let path = dir.join(format!("{i}"));
        fs::write(&path, vec![i as u8; len(i)]).unwrap();
        path
    };
    (0..n).map(make).collect()
}

fn is_right(options: &Options, path: &Path, digests: &[Digest]) -> bool {
    let content = fs::read(path).unwrap();
    options.recipes.iter().map(|r| r.function().algorithm().digest(&content)).eq(digests.iter().cloned())
}

#[test]
fn a_worker_that_panics_loses_what_it_held() {
    let dir = tempfile::tempdir().unwrap();
    let good = files(dir.path(), 600, |i| 1000 + i * 7 % 5000);
    for name in ["panics in look", "panics in open", "panics in read"] {
        let bad = dir.path().join(name);
        fs::write(&bad, vec![1; 4000]).unwrap();
        for list in LISTS {
            // The worker is one of several, the only one requested, the calling thread, or the only one that could be
            // started.
            for (threads, can_start) in [(4, 4), (1, 1), (4, 0), (4, 1)] {
                let mut paths = good.clone();
                paths.insert(300, bad.clone());
                let o = options(list, threads);
                let (outcomes, end) = with_threads(can_start, || summed(&o, &paths));
                assert!(matches!(end, Err(Error::Panicked)), "{name} {list} {threads}");
                assert!(matches!(outcomes[300], Err(Error::Panicked)));
                for (path, outcome) in paths.iter().zip(outcomes) {
                    match outcome {
                        Ok(digests) => assert!(is_right(&o, path, &digests), "{list} {}", path.display()),
                        Err(e) => assert!(matches!(e, Error::Panicked)),
                    }
                }
            }
        }
    }
}

#[test]
fn the_last_worker_to_panic_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    // More files than fit into the queue, so that some are added after the last worker has gone.
    let bad = dir.path().join("panics in read");
    fs::write(&bad, vec![1; 5000]).unwrap();
    let paths = vec![bad; 20_000];
    for list in LISTS {
        for (threads, can_start) in [(3, 3), (1, 1), (2, 0)] {
            let (outcomes, end) = with_threads(can_start, || summed(&options(list, threads), &paths));
            assert!(end.is_err());
            assert!(outcomes.iter().all(|o| matches!(o, Err(Error::Panicked))), "{list}");
        }
    }
}

#[test]
fn a_few_small_files_on_the_callers_thread() {
    let dir = tempfile::tempdir().unwrap();
    let mut paths = files(dir.path(), 5, |i| i * 10);
    paths.push(dir.path().join("panics in read"));
    fs::write(&paths[5], "x").unwrap();
    let (outcomes, end) = summed(&options("md5", 4), &paths);
    assert!(end.is_err() && matches!(outcomes[5], Err(Error::Panicked)));
    let (outcomes, end) = summed(&options("md5", 4), &paths[5..]);
    assert!(end.is_err() && matches!(outcomes[0], Err(Error::Panicked)));
}

#[test]
fn a_thread_that_helps_with_a_long_file_panics() {
    const PART: usize = 256 << 10;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("long");
    let mut content = vec![3; 60 * PART];
    content[40 * PART..][..TRAP.len()].copy_from_slice(TRAP);
    fs::write(&path, content).unwrap();
    for list in ["blake3,crc32", "md5,sha1,crc32", "md5,sha1"] {
        for threads in [2, 3, 8] {
            let (outcomes, end) = summed(&options(list, threads), std::slice::from_ref(&path));
            assert!(matches!(outcomes[..], [Err(Error::Panicked)]) && end.is_err(), "{list} {threads}");
        }
    }
}

#[test]
fn a_caller_that_panics_is_not_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let paths = files(dir.path(), 700, |_| 3000);
    for in_sink in [false, true] {
        let inputs = paths.iter().enumerate().map(|(i, p)| {
            assert!(in_sink || i < 600, "on purpose");
            Ok(Input::Path(p.clone()))
        });
        let run = || {
            sum(&options("md5", 3), inputs, &Progress::default(), |_| {
                assert!(!in_sink, "on purpose");
                ControlFlow::Continue(())
            })
        };
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    }
}

#[test]
fn fewer_threads_than_were_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    // Many small files, more than fit into the queue; then some that are long enough to be hashed on several threads.
    let many = files(&dir.path().join("").join("."), 10_000, |i| i % 700);
    let long = dir.path().join("long");
    fs::create_dir(&long).unwrap();
    let long = files(&long, 3, |i| (9 << 20) + i);
    for list in ["md5", "md5,sha256", "crc32", "blake3", "md2,crc32"] {
        let o = options(list, 8);
        for can_start in [0, 1, 3] {
            for paths in [&long[..1], &long[..], &many[..if list.starts_with("md2") { 500 } else { 10_000 }]] {
                let (outcomes, end) = with_threads(can_start, || summed(&o, paths));
                assert!(end.is_ok());
                for (path, outcome) in paths.iter().zip(outcomes) {
                    assert!(is_right(&o, path, &outcome.unwrap()), "{list} {can_start} {}", path.display());
                }
            }
        }
    }
}

#[test]
fn a_list_is_verified_as_far_as_possible() {
    let dir = tempfile::tempdir().unwrap();
    let good = files(dir.path(), 3, |i| i);
    let bad = dir.path().join("panics in open");
    fs::write(&bad, "").unwrap();
    let crc: Algorithm = "crc32".parse().unwrap();
    let line = |p: &PathBuf| format!("CRC32 ({}) = {}\n", p.display(), crc.digest(&fs::read(p).unwrap()));
    let list: String = good.iter().chain([&bad]).map(line).collect();
    let mut verdicts = Vec::new();
    let (summary, end) = check(
        list.as_bytes(),
        Path::new("l"),
        &CheckOptions { allow_outside: true, ..CheckOptions::default() },
        &Progress::default(),
        |event| {
            if let CheckEvent::File { verdict, .. } = event {
                verdicts.push(verdict);
            }
            ControlFlow::Continue(())
        },
    );
    assert_eq!(end.unwrap_err().to_string(), "a worker thread panicked");
    assert_eq!((summary.lines, verdicts.len()), (4, 4));
    assert!(matches!(verdicts[3], Verdict::Unreadable(Error::Panicked)));
}

/// A reader that fails at its end.
struct Failing<'a>(&'a [u8]);

impl io::Read for Failing<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() { Err(io::Error::other("on purpose")) } else { self.0.read(out) }
    }
}

/// Lists much longer than what is verified at a time, of which neighbouring parts need the same or other algorithms.
#[test]
fn a_long_list_is_verified_in_its_order() {
    let dir = tempfile::tempdir().unwrap();
    files(dir.path(), 40, |i| i * 50);
    let algorithms = ["sha256", "md5", "sha1", "md5"].map(|a| a.parse::<Algorithm>().unwrap());
    let content = |i: usize| vec![i as u8; i * 50];
    let right = algorithms.map(|a| (0..40).map(|i| a.digest(&content(i)).to_string()).collect::<Vec<_>>());
    let wrong = "0".repeat(32);
    for tagged in [true, false] {
        let (mut list, mut want) = (String::new(), String::new());
        for line in 1..=60_000 {
            let (i, kind) = (line % 40, line / 20_000);
            let (is_wrong, is_gone) = (line % 997 == 0 && tagged, line % 1009 == 0);
            let name = if is_gone { "gone".to_string() } else { i.to_string() };
            let digest = &right[kind][i];
            list += &match (line % 5003, tagged) {
                (0, _) => "MD5 (of nothing = here\n".to_string(),
                (_, true) if is_wrong => format!("MD5 ({name}) = {wrong}\n"),
                (_, true) => format!("{} ({name}) = {digest}\n", algorithms[kind].to_string().to_uppercase()),
                (_, false) => format!("{digest}  {name}\n"),
            };
            want.push(match (line % 5003, is_gone, is_wrong) {
                (0, ..) => 'b',
                (_, true, _) => 'g',
                (.., true) => 'w',
                _ => '.',
            });
        }
        for (threads, waits, most) in
            [(usize::MAX, false, 70_000), (usize::MAX, true, 70_000), (0, false, 70_000), (9, false, 25_000)]
        {
            let options = CheckOptions { base: Some(dir.path().to_owned()), waits, ..CheckOptions::default() };
            let mut got = String::new();
            let mut run = |list: &mut (dyn io::Read + Send)| {
                check(io::BufReader::new(list), Path::new("l"), &options, &Progress::default(), |event| {
                    match event {
                        CheckEvent::File { verdict: Verdict::Ok, .. } => got.push('.'),
                        CheckEvent::File { verdict: Verdict::Mismatch { .. }, .. } => got.push('w'),
                        CheckEvent::File { verdict: Verdict::Unreadable(e), .. } if e.is_missing() => got.push('g'),
                        CheckEvent::BadLine { .. } => got.push('b'),
                        CheckEvent::File { verdict, .. } => panic!("{verdict:?}"),
                        _ => {}
                    }
                    if got.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                })
            };
            let (summary, end) = with_threads(threads, || run(&mut Failing(list.as_bytes())));
            assert!(got == want[..want.len().min(most)], "tagged {tagged}, threads {threads}");
            if most > want.len() {
                assert_eq!(end.unwrap_err().to_string(), "on purpose");
                assert_eq!(summary.lines as usize, want.matches(|c| c != 'b').count());
                assert_eq!(summary.missing as usize, want.matches('g').count());
            } else {
                assert!(end.is_ok());
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trap {
    No,
    Open,
    Read,
    Done,
}

#[derive(Debug)]
enum Told {
    Done(Result<Vec<Digest>, Error>),
    Dropped,
}

/// A task whose content is its number, and which reports its outcome.
struct Count {
    number: u64,
    left: usize,
    trap: Trap,
    told: Option<Sender<(u64, Told)>>,
}

impl Count {
    fn content(number: u64) -> Vec<u8> {
        [number.to_le_bytes(); 100].concat()
    }

    fn tell(&mut self, told: Told) {
        if let Some(sender) = self.told.take() {
            sender.send((self.number, told)).unwrap();
        }
    }
}

impl Task for Count {
    fn size(&self) -> u64 {
        800
    }

    fn open(&mut self) -> Result<(), Error> {
        assert_ne!(self.trap, Trap::Open, "on purpose");
        Ok(())
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        assert_ne!(self.trap, Trap::Read, "on purpose");
        let content = Count::content(self.number);
        let n = self.left.min(buffer.len());
        buffer[..n].copy_from_slice(&content[content.len() - self.left..][..n]);
        self.left -= n;
        Ok(n)
    }

    fn done(mut self: Box<Self>, result: Result<Vec<Digest>, Error>) {
        assert_ne!(self.trap, Trap::Done, "on purpose");
        self.tell(Told::Done(result));
    }
}

impl Drop for Count {
    fn drop(&mut self) {
        self.tell(Told::Dropped);
    }
}

/// Performs tasks, some of which are traps. Returns the outcome of each and the result of `perform`.
fn performed(o: &Options, n: u64, trap: impl Fn(u64) -> Trap) -> (BTreeMap<u64, Told>, Result<u64, Error>) {
    let (sender, receiver) = channel();
    let end = perform(o, 16, |tasks| {
        for number in 0..n {
            tasks.put(Box::new(Count { number, left: 800, trap: trap(number), told: Some(sender.clone()) }));
        }
        n
    });
    drop(sender);
    // By now every task has reported exactly once.
    let told: Vec<(u64, Told)> = receiver.try_iter().collect();
    assert_eq!(told.len() as u64, n);
    let told = BTreeMap::from_iter(told);
    assert_eq!(told.len() as u64, n);
    (told, end)
}

fn is_digest(o: &Options, number: u64, told: &Told) -> bool {
    let want: Vec<Digest> =
        o.recipes.iter().map(|r| r.function().algorithm().digest(&Count::content(number))).collect();
    matches!(told, Told::Done(Ok(digests)) if *digests == want)
}

#[test]
fn every_task_is_told_or_dropped() {
    for list in LISTS {
        for threads in [1, 3] {
            let o = options(list, threads);
            let (told, end) = performed(&o, 500, |_| Trap::No);
            assert_eq!(end.unwrap(), 500);
            assert!(told.iter().all(|(&i, t)| is_digest(&o, i, t)), "{list}");
            for trap in [Trap::Open, Trap::Read, Trap::Done] {
                let (told, end) = performed(&o, 500, |i| if i == 250 { trap } else { Trap::No });
                assert!(matches!(end, Err(Error::Panicked)));
                for (&i, told) in &told {
                    match told {
                        Told::Dropped => assert_eq!(i, 250, "{list} {trap:?}"),
                        Told::Done(Err(Error::Panicked)) => assert_ne!(i, 250, "{list} {trap:?}"),
                        Told::Done(_) => assert!(is_digest(&o, i, told), "{list} {trap:?}"),
                    }
                }
                // The other workers, if there are any, continue.
                let done = told.values().filter(|t| matches!(t, Told::Done(Ok(_)))).count();
                assert!(threads == 1 || done > 250, "{list} {trap:?} {done}");
                // Every worker panics, and the remaining tasks do not wait for one.
                let (told, end) = performed(&o, 500, |_| trap);
                assert!(matches!(end, Err(Error::Panicked)));
                let well = |t: &Told| matches!(t, Told::Dropped | Told::Done(Err(Error::Panicked)));
                assert!(told.values().all(well), "{list} {trap:?}");
            }
        }
    }
}

#[test]
fn tasks_without_threads_are_told() {
    let o = options("md5", 4);
    for can_start in [1, 2] {
        let (told, end) = with_threads(can_start, || performed(&o, 100, |_| Trap::No));
        assert!(end.is_ok() && told.iter().all(|(&i, t)| is_digest(&o, i, t)));
    }
    for trap in [Trap::No, Trap::Done] {
        let (told, end) = with_threads(0, || performed(&o, 100, |_| trap));
        assert!(matches!(end, Err(Error::Io(_))));
        let well = |t: &Told| matches!((t, trap), (Told::Done(Err(Error::Io(_))), Trap::No) | (Told::Dropped, _));
        assert!(told.values().all(well));
    }
}

#[test]
fn a_body_that_panics_leaves_no_task() {
    let (sender, receiver) = channel();
    let body = catch_unwind(AssertUnwindSafe(|| {
        perform(&options("md5", 2), 4, |tasks| {
            for number in 0..50 {
                tasks.put(Box::new(Count { number, left: 800, trap: Trap::No, told: Some(sender.clone()) }));
            }
            panic!("on purpose");
        })
    }));
    assert!(body.is_err());
    assert_eq!(receiver.try_iter().filter(|(_, t)| matches!(t, Told::Done(Ok(_)))).count(), 50);
}

/// Makes a tree with folders in folders, empty ones too. Returns how many folders with files there are.
fn make_tree(at: &Path, depth: usize) -> usize {
    let mut folders = 0;
    for i in 0..7 {
        let below = at.join(format!("{}{i}", ["b", "a", "c"][i % 3]));
        if i % 2 == 0 && depth > 0 {
            fs::create_dir(&below).unwrap();
            folders += 1 + make_tree(&below, depth - 1);
        } else {
            fs::write(&below, "x").unwrap();
        }
    }
    fs::create_dir(at.join("empty")).unwrap();
    fs::write(at.join("empty.txt"), "").unwrap();
    folders + 1
}

/// What a walk returns, by recursion.
fn reference(at: &Path, into: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(at).unwrap().map(|e| e.unwrap()).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        if entry.file_type().unwrap().is_dir() { reference(&entry.path(), into) } else { into.push(entry.path()) }
    }
}

#[test]
fn directories_listed_ahead_come_in_order() {
    let dir = tempfile::tempdir().unwrap();
    assert!(make_tree(dir.path(), 4) > 300);
    let mut expected = Vec::new();
    reference(dir.path(), &mut expected);
    for examine in [false, true] {
        for threads in [0, 1, usize::MAX] {
            let how = Walked { examine, ..Walked::default() };
            let found: Vec<PathBuf> = with_threads(threads, || {
                let found = walk([Input::Path(dir.path().into())], how).map(|found| found.unwrap());
                found
                    .map(|f| {
                        assert_eq!(f.facts.is_some(), examine);
                        f.input.name().into()
                    })
                    .collect()
            });
            assert_eq!(found, expected, "{threads} threads, examine: {examine}");
        }
    }
    // As many as are wanted: the threads end with the walk.
    for n in [0, 1, 100, 700] {
        assert_eq!(walk([Input::Path(dir.path().into())], Walked::default()).take(n).count(), n);
    }
}

#[test]
fn a_directory_that_is_gone_is_reported_in_its_place() {
    let dir = tempfile::tempdir().unwrap();
    // Those that come last have not been listed when the first of 100 has.
    for i in 0..100 {
        fs::create_dir(dir.path().join(format!("{i:02}"))).unwrap();
        fs::write(dir.path().join(format!("{i:02}/file")), "x").unwrap();
    }
    let mut found = walk([Input::Path(dir.path().into())], Walked::default());
    assert!(found.next().unwrap().is_ok());
    fs::remove_dir_all(dir.path().join("98")).unwrap();
    let rest: Vec<_> = found.collect();
    let failed: Vec<usize> = (0..rest.len()).filter(|&i| rest[i].is_err()).collect();
    assert_eq!((rest.len(), failed), (99, vec![97]));
    assert_eq!(rest[97].as_ref().unwrap_err().path, dir.path().join("98"));
}
