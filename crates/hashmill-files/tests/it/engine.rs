//! The engine without the command line: order, errors, early ends, and agreement with one-shot hashing.

use hashmill::{Algorithm, Digest};
use hashmill_files::{
    CheckEvent, CheckOptions, Event, Input, Io, Options, Outcome, Problem, Progress, Verdict, Walked, check, sum, walk,
};
use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Returns `n` bytes that depend on their position and `seed`.
fn noise(n: usize, seed: usize) -> Vec<u8> {
    (0..n).map(|i| ((i * 31 + seed * 17) ^ (i >> 8) ^ (i >> 16)) as u8).collect()
}

fn options(list: &str, threads: usize) -> Options {
    Options { threads: NonZeroUsize::new(threads), ..Options::new(Algorithm::parse_list(list).unwrap()) }
}

fn inputs(paths: &[PathBuf]) -> Vec<Result<Input, Problem>> {
    paths.iter().map(|p| Ok(Input::Path(p.clone()))).collect()
}

fn all(options: &Options, paths: &[PathBuf]) -> Vec<Result<Vec<Digest>, String>> {
    let mut found = Vec::new();
    let progress = Progress::default();
    sum(options, inputs(paths), &progress, |event| {
        if let Event::Outcome(o) = event {
            assert_eq!(o.input.name(), paths[found.len()]);
            found.push(o.result.map_err(|e| e.to_string()));
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    assert!(progress.is_complete());
    assert_eq!(progress.files(), paths.len() as u64);
    assert_eq!(progress.files_total(), paths.len() as u64);
    assert_eq!(progress.bytes(), progress.bytes_total());
    found
}

/// Creates files whose lengths are around the boundaries of blocks, windows and chunks.
fn make(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut sizes = vec![0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 135, 136, 137, 255, 256, 257, 4095, 4096];
    for border in [8 << 10, 16 << 10, 20 << 10, 32 << 10, 64 << 10, 256 << 10, 1 << 20] {
        sizes.extend([border - 129, border - 1, border, border + 1, border + 65, 2 * border, 3 * border + 7]);
    }
    let file = |(i, &n): (usize, &usize)| {
        let (path, content) = (dir.join(format!("{i}")), noise(n, i));
        fs::write(&path, &content).unwrap();
        (path, content)
    };
    sizes.iter().enumerate().map(file).collect()
}

#[test]
fn every_algorithm_agrees_with_one_shot_hashing() {
    let dir = tempfile::tempdir().unwrap();
    let files = make(dir.path());
    let paths: Vec<PathBuf> = files.iter().map(|(p, _)| p.clone()).collect();
    for a in Algorithm::all() {
        let got = all(&options(&a.name(), 2), &paths);
        for ((path, content), got) in files.iter().zip(got) {
            assert_eq!(got.unwrap(), [a.digest(content)], "{a} {} bytes at {path:?}", content.len());
        }
    }
}

#[test]
fn several_algorithms_agree_with_one_shot_hashing() {
    let dir = tempfile::tempdir().unwrap();
    let files = make(dir.path());
    let paths: Vec<PathBuf> = files.iter().map(|(p, _)| p.clone()).collect();
    let everything: Vec<String> = Algorithm::all().map(|a| a.name().into_owned()).collect();
    for list in ["md5,sha1", "sha3-512,md2,blake2b,md5", "crc32,xxh64", "sha256,crc32c", &everything.join(",")] {
        let recipes = options(list, 1).recipes;
        let digests = |content: &[u8]| recipes.iter().map(|r| r.function().algorithm().digest(content)).collect();
        let want: Vec<Vec<Digest>> = files.iter().map(|(_, content)| digests(content)).collect();
        for threads in [1, 2, 3] {
            for (got, want) in all(&options(list, threads), &paths).into_iter().zip(&want) {
                assert_eq!(&got.unwrap(), want, "{list}, {threads} threads");
            }
        }
    }
}

#[test]
fn any_number_of_files_and_threads() {
    let dir = tempfile::tempdir().unwrap();
    let a: Algorithm = "sha256".parse().unwrap();
    let files: Vec<(PathBuf, Vec<u8>)> = (0..150)
        .map(|i| {
            let (path, content) = (dir.path().join(format!("{i}")), noise(i * i * 13 % 90_000 + 300 * i, i));
            fs::write(&path, &content).unwrap();
            (path, content)
        })
        .collect();
    for n in [0, 1, 2, 3, 5, 17, 64, 65, 150] {
        let paths: Vec<PathBuf> = files[..n].iter().map(|(p, _)| p.clone()).collect();
        for threads in [1, 2, 16] {
            let got = all(&options("sha256", threads), &paths);
            for ((_, content), got) in files.iter().zip(got) {
                assert_eq!(got.unwrap(), [a.digest(content)]);
            }
        }
    }
}

#[test]
fn one_long_file_among_short_ones() {
    let dir = tempfile::tempdir().unwrap();
    let a: Algorithm = "md5".parse().unwrap();
    let sizes = [10, 40 << 20, 300, 70_000, 5, 1 << 20, 0];
    let mut paths = Vec::new();
    for (i, n) in sizes.into_iter().enumerate() {
        paths.push(dir.path().join(format!("{i}")));
        fs::write(&paths[i], noise(n, i)).unwrap();
    }
    for threads in [1, 2, 4] {
        for (i, got) in all(&options("md5", threads), &paths).into_iter().enumerate() {
            assert_eq!(got.unwrap(), [a.digest(&noise(sizes[i], i))]);
        }
    }
}

/// BLAKE3, XXH3 and CRCs in parts, and other algorithms side by side, at lengths around the boundaries of parts and
/// chunks.
#[test]
fn a_long_file_on_several_threads() {
    const PART: usize = 256 << 10;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let content = noise(41 * PART + 1, 3);
    for parts in [15, 16, 17, 31, 32, 41] {
        for n in [parts * PART - 1, parts * PART, parts * PART + 1, parts * PART - 1024, parts * PART - PART + 1025] {
            fs::write(&path, &content[..n]).unwrap();
            for list in [
                "blake3",
                "crc32",
                "xxh128",
                "blake3:100,crc32c,adler32,crc64-xz,crc82-darc,xxh3",
                "cksum,crc32",
                "sha256,blake3",
            ] {
                let recipes = options(list, 1).recipes;
                let want: Vec<Digest> =
                    recipes.iter().map(|r| r.function().algorithm().digest(&content[..n])).collect();
                for threads in [1, 2, 3, 40] {
                    let got = all(&options(list, threads), std::slice::from_ref(&path));
                    assert_eq!(got[0].as_ref().unwrap(), &want, "{list}, {n} bytes, {threads} threads");
                }
            }
        }
    }
}

/// Algorithms that are computed in parts, each with the kernel that the process prefers.
const IN_PARTS: [&str; 8] = ["blake3", "crc32", "crc32c", "crc16-xmodem", "crc64-nvme", "adler32", "xxh3", "xxh128"];

#[test]
fn a_long_file_in_parts() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let content = noise(5_000_001, 4);
    fs::write(&path, &content).unwrap();
    for name in IN_PARTS {
        let a: Algorithm = name.parse().unwrap();
        assert!(a.is_divisible());
        let want = a.with_kernel("portable").unwrap().digest(&content);
        let o = Options { threads: NonZeroUsize::new(3), ..Options::new(vec![a]) };
        assert_eq!(all(&o, std::slice::from_ref(&path))[0].as_ref().unwrap(), std::slice::from_ref(&want), "{name}");
        println!("{name} on {}", a.kernels().iter().find(|k| k.active).unwrap().name);
    }
}

/// The same on every kernel, each in its own process, since a process chooses its kernels only once.
#[test]
fn a_long_file_in_parts_on_every_kernel() {
    let mut kernels = std::collections::BTreeSet::new();
    for name in IN_PARTS {
        let a: Algorithm = name.parse().unwrap();
        kernels.extend(a.kernels().into_iter().filter(|k| k.available).map(|k| (k.name, name)));
    }
    for (kernel, name) in kernels {
        let out = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "engine::a_long_file_in_parts", "--nocapture"])
            .env("HASHMILL_KERNEL", kernel)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&out.stdout);
        assert!(out.status.success(), "{kernel}: {said}");
        assert!(said.contains(&format!("{name} on {kernel}")), "{kernel}: {said}");
    }
}

/// Tells another thread to stop when dropped, even by a panic; otherwise a failed assertion would wait forever.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Hashes a file of `n` bytes `x` with lists of algorithms that begin with CRC-32, `rounds` times each, and passes the
/// results to `found`. Meanwhile, calls `change` over and over with the file opened for appending, until it returns
/// true.
fn changing(
    n: usize,
    rounds: usize,
    change: impl Fn(&fs::File) -> bool + Sync,
    found: impl Fn(&str, Result<&Digest, &str>),
) {
    for list in ["crc32", "crc32,blake3", "crc32,xxh128", "crc32,md5"] {
        for _ in 0..rounds {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("f");
            fs::write(&path, vec![b'x'; n]).unwrap();
            let stop = AtomicBool::new(false);
            std::thread::scope(|s| {
                let _stop = Stop(&stop);
                s.spawn(|| {
                    let file = fs::OpenOptions::new().append(true).open(&path).unwrap();
                    let mut done = false;
                    while !done && !stop.load(Ordering::Relaxed) {
                        done = change(&file);
                    }
                });
                let mut outcomes = 0;
                sum(&options(list, 3), inputs(std::slice::from_ref(&path)), &Progress::default(), |event| {
                    if let Event::Outcome(o) = event {
                        let result = o.result.map_err(|e| e.to_string());
                        found(list, result.as_ref().map(|d| &d[0]).map_err(|e| e.as_str()));
                        outcomes += 1;
                    }
                    ControlFlow::Continue(())
                })
                .unwrap();
                assert_eq!(outcomes, 1);
            });
        }
    }
}

/// If a file grows while it is hashed, the result is the digest of a prefix at least as long as the file was at first.
#[test]
fn a_long_file_that_grows() {
    const START: usize = 24 << 20;
    const MORE: usize = 1 << 20;
    let crc: Algorithm = "crc32".parse().unwrap();
    let content = vec![b'x'; START + MORE];
    let mut beginnings = std::collections::HashSet::new();
    let mut h = hashmill::Hasher::new(crc);
    h.update(&content[..START]);
    beginnings.insert(h.finalize().as_bytes().to_vec());
    for byte in content[START..].chunks(1) {
        h.update(byte);
        beginnings.insert(h.finalize().as_bytes().to_vec());
    }
    let grow = |mut file: &fs::File| {
        file.write_all(&[b'x'; 17]).unwrap();
        file.metadata().unwrap().len() + 17 > (START + MORE) as u64
    };
    changing(START, 10, grow, |list, got| assert!(beginnings.contains(got.unwrap().as_bytes()), "{list}"));
}

/// A file that is truncated and extended while it is read has no well-defined content: some file systems show zeros for
/// a moment. But there is exactly one outcome, and nothing waits forever.
#[test]
fn a_long_file_that_shrinks_and_grows() {
    const FULL: u64 = 24 << 20;
    let change = |mut file: &fs::File| {
        file.set_len(FULL - (1 << 20)).unwrap();
        file.write_all(&vec![b'x'; 1 << 20]).unwrap();
        false
    };
    changing(FULL as usize, 20, change, |list, got| assert!(got.is_ok(), "{list}: {got:?}"));
}

/// Returns the outcomes that `sum` reports for what is below a directory.
fn walked(options: &Options, dir: &Path) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let progress = Progress::default();
    sum(options, walk([Input::Path(dir.into())], Walked::default()), &progress, |event| {
        if let Event::Outcome(o) = event {
            outcomes.push(o);
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    assert!(progress.is_complete());
    assert_eq!((progress.files(), progress.files_total()), (outcomes.len() as u64, outcomes.len() as u64));
    outcomes
}

/// Files that a walk finds are opened before their lengths are known.
#[test]
fn files_of_all_lengths_below_a_folder() {
    let dir = tempfile::tempdir().unwrap();
    // More files than are examined before threads are started, and more than a worker takes at once.
    let mut sizes: Vec<usize> = (0..300).map(|i| i * 37 % 900).collect();
    for border in [4 << 10, 64 << 10, 256 << 10] {
        sizes.extend([border - 1, border, border + 1, 3 * border]);
    }
    // Long enough to be hashed on several threads.
    sizes.push(5 << 20);
    for (i, &n) in sizes.iter().enumerate() {
        fs::write(dir.path().join(format!("{i:04}")), noise(n, i)).unwrap();
    }
    for io in [Io::Auto, Io::Parallel, Io::Sequential, Io::Direct] {
        for (list, threads) in [("md5", 1), ("md5", 2), ("sha256,crc32", 3), ("md2,crc32", 2), ("xxh3", 2)] {
            let o = Options { io, ..options(list, threads) };
            let outcomes = walked(&o, dir.path());
            assert_eq!(outcomes.len(), sizes.len());
            for (i, outcome) in outcomes.into_iter().enumerate() {
                let content = noise(sizes[i], i);
                let want: Vec<Digest> = o.recipes.iter().map(|r| r.function().algorithm().digest(&content)).collect();
                assert_eq!(outcome.input.name(), dir.path().join(format!("{i:04}")));
                assert_eq!(outcome.result.unwrap(), want, "{io:?} {list} {threads}: {} bytes", sizes[i]);
                assert_eq!((outcome.bytes, outcome.changed), (sizes[i] as u64, false), "{io:?} {list}");
            }
        }
    }
}

/// An algorithm faster than reading moves from thread to thread, at lengths around the boundaries of chunks.
#[test]
fn a_long_file_in_turns() {
    const CHUNK: usize = 512 << 10;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let content = noise(24 * CHUNK + 1, 7);
    for n in [8 * CHUNK + 1, 12 * CHUNK - 1, 12 * CHUNK, 12 * CHUNK + 1, 13 * CHUNK, 24 * CHUNK + 1] {
        fs::write(&path, &content[..n]).unwrap();
        for list in ["xxh3", "xxh128", "xxh64", "xxh32", "blake2b"] {
            for threads in [1, 2, 3, 16] {
                let o = options(list, threads);
                let got = all(&o, std::slice::from_ref(&path));
                assert_eq!(
                    got[0].as_ref().unwrap(),
                    &[o.recipes[0].function().algorithm().digest(&content[..n])],
                    "{list} {n} {threads}"
                );
            }
        }
    }
}

/// A file written to while it is read is reported as changed, whichever way it is read.
#[test]
fn a_file_that_changes_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let other = dir.path().join("other");
    fs::write(&other, noise(100_000, 1)).unwrap();
    // In lanes, several algorithms in lanes, alone, in turns, in parts, and algorithms side by side.
    for (list, several) in
        [("md5", true), ("md5,sha1", true), ("md2", false), ("xxh3", false), ("blake3", false), ("md5,sha1", false)]
    {
        // Long enough to be written to before it has been read to its end, since holes are read fast.
        let len: u64 = match list {
            "md2" => 16 << 20,
            "blake3" | "xxh3" => 2 << 30,
            _ => 512 << 20,
        };
        fs::File::create(&path).unwrap().set_len(len).unwrap();
        let mut paths = vec![path.clone()];
        if several {
            paths.extend(vec![other.clone(); 3]);
        }
        let progress = Progress::default();
        let mut changed = Vec::new();
        let in_time = std::thread::scope(|s| {
            let writer = s.spawn(|| {
                while progress.bytes() < 1 << 20 {
                    std::thread::yield_now();
                }
                fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"more").unwrap();
                // On a busy machine the write may have come too late.
                progress.bytes() < len
            });
            sum(&options(list, 2), inputs(&paths), &progress, |event| {
                if let Event::Outcome(o) = event {
                    changed.push(o.changed);
                }
                ControlFlow::Continue(())
            })
            .unwrap();
            writer.join().unwrap()
        });
        assert!(changed[0] || !in_time, "{list}");
        assert!(changed[1..].iter().all(|c| !c) && changed.len() == paths.len(), "{list}");
    }
}

/// Long files in the page cache may be mapped; their digests must be the same. A file truncated meanwhile is reported
/// as changed unless its digests are right.
#[test]
fn long_files_may_be_mapped() {
    hashmill_files::allow_mapping(true);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let content = noise((96 << 20) + 12345, 5);
    let lists = ["blake3", "crc32c", "blake3,crc32", "xxh3", "md5", "md5,sha1"];
    fs::write(&path, &content).unwrap();
    let digests_of = |list: &str, content: &[u8]| -> Vec<Digest> {
        Algorithm::parse_list(list).unwrap().iter().map(|a| a.digest(content)).collect()
    };
    let expected = lists.map(|list| digests_of(list, &content));
    for (list, expected) in lists.iter().zip(&expected) {
        for threads in [1, 2, 3] {
            assert_eq!(
                all(&options(list, threads), std::slice::from_ref(&path)),
                [Ok(expected.clone())],
                "{list} {threads}"
            );
        }
    }
    for (round, (list, expected)) in lists.iter().zip(&expected).cycle().take(24).enumerate() {
        fs::write(&path, &content).unwrap();
        let (progress, after) = (Progress::default(), (round as u64 * 4) << 20);
        let mut outcomes = Vec::new();
        std::thread::scope(|s| {
            s.spawn(|| {
                while progress.bytes() < after && !progress.is_complete() {
                    std::thread::yield_now();
                }
                fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(after / 2 + 77).unwrap();
            });
            sum(&options(list, 2), inputs(std::slice::from_ref(&path)), &progress, |event| {
                if let Event::Outcome(o) = event {
                    outcomes.push((o.result.unwrap(), o.changed));
                }
                ControlFlow::Continue(())
            })
            .unwrap();
        });
        let [(digests, changed)] = &outcomes[..] else { panic!("{list}: {} outcomes", outcomes.len()) };
        // If not reported as changed, the file was truncated before it was examined or after it was read, so the
        // digests are those of its content.
        let cut = || digests_of(list, &content[..after as usize / 2 + 77]);
        assert!(*changed || digests == expected || *digests == cut(), "{list}: neither changed nor right");
    }
}

#[test]
fn errors_keep_their_place() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::write(d.join("good"), "good").unwrap();
    let paths: Vec<PathBuf> = ["good", "missing", "", ".", "good"].iter().map(|n| d.join(n)).collect();
    for list in ["md5", "md5,sha1", "crc32"] {
        let got = all(&options(list, 2), &paths);
        let show: Vec<&str> = got.iter().map(|r| r.as_ref().map_or_else(|e| e.as_str(), |_| "ok")).collect();
        assert_eq!(show, ["ok", "no such file or directory", "is a directory", "is a directory", "ok"]);
    }
}

#[test]
fn an_end_is_an_end() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    fs::write(&path, noise(100_000, 1)).unwrap();
    // Endless inputs: only a break ends them.
    let endless = std::iter::repeat_with(|| Ok(Input::Path(path.clone())));
    let mut n = 0;
    sum(&options("sha256", 2), endless, &Progress::default(), |event| {
        n += usize::from(matches!(event, Event::Outcome(_)));
        if n < 1000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
    .unwrap();
    assert_eq!(n, 1000);
}

#[test]
fn lists_are_verified_in_their_order() {
    let dir = tempfile::tempdir().unwrap();
    let files = make(dir.path());
    let mut list = String::new();
    let mut want = Vec::new();
    let algorithms: Vec<Algorithm> = Algorithm::all().collect();
    for (i, (path, content)) in files.iter().enumerate() {
        for a in [algorithms[i % algorithms.len()], algorithms[(i + 5) % algorithms.len()]] {
            let right = a.digest(content);
            let mut bytes = right.as_bytes().to_vec();
            if i % 3 == 0 {
                // The last byte, since a comparison of prefixes would miss it.
                *bytes.last_mut().unwrap() ^= 1;
            }
            let tag = hashmill_lists::tag(a);
            list += &format!("{tag} ({}) = {}\n", path.display(), Digest::from_bytes(&bytes));
            want.push((path.clone(), i % 3 != 0));
        }
    }
    let mut got = Vec::new();
    let (summary, end) = check(
        list.as_bytes(),
        Path::new("l"),
        &CheckOptions { allow_outside: true, ..CheckOptions::default() },
        &Progress::default(),
        |event| {
            if let CheckEvent::File { entry, verdict, .. } = event {
                got.push((
                    PathBuf::from(hashmill_lists::os_string(entry.name.clone()).unwrap()),
                    matches!(verdict, Verdict::Ok),
                ));
            }
            ControlFlow::Continue(())
        },
    );
    end.unwrap();
    assert_eq!(got, want);
    assert_eq!(summary.lines, want.len() as u64);
    assert_eq!(summary.matched + summary.mismatched, summary.lines);
    assert_eq!((summary.bad_lines, summary.unreadable), (0, 0));
}
