//! `hashmill bench copy`: times whole copies of a set of photos, comparing `hashmill copy` with cp plus sums of both
//! sides, rsync, and rclone.

use crate::bench::programs::{
    CommandError, Table, Timed, collect, hashmill, note_missing, record, scratch_in, show, version, warm,
};
use clap::{Args, ValueHint};
use hashmill::{Algorithm, Digest, Hasher};
use hashmill_measure::arguments::whole;
use hashmill_measure::bare::{self, NotFound};
use hashmill_measure::chart::{Bar, Chart};
use hashmill_measure::machine;
use hashmill_measure::random::{Random, noise};
use hashmill_measure::run::{Findings, Session};
use hashmill_measure::sys;
use hashmill_peers::arguments::size;
use hashmill_results::output::OutputArgs;
use serde_json::json;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

/// Measure `hashmill copy` against cp and sums of both sides, rsync, rclone
///
/// Every round makes every copy once, in random order, of sources that are in the page cache, into a folder that was
/// emptied and synced before; then everything is copied a second time, when all is there. All must have copied the same
/// bytes. Programs that are not installed are named.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill bench copy                            photos made for it, and removed
  hashmill bench copy ~/Pictures/2024 --to /mnt/disk --reps 11
  hashmill bench copy --json | jq '.details.tables'

hashmill reads its copies back from the medium; the sums of both sides
read them from the page cache.
")]
pub struct CopyArgs {
    /// The folder to copy; by default photos with EXIF are made for the purpose
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    source: Option<PathBuf>,

    /// A folder on the disk to copy to; by default that for temporary files
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    to: Option<PathBuf>,

    /// Number of repetitions
    #[arg(long = "reps", value_name = "N", default_value_t = 7, value_parser = whole(1..=10_000))]
    rounds: u64,

    /// Number of photos to make
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = whole(1..=100_000))]
    files: u64,

    /// Size of those photos together
    #[arg(long = "size", value_name = "SIZE", default_value = "256M", value_parser = size)]
    bytes: u64,

    /// The hashmill to measure; by default this one
    #[arg(long, value_name = "PROGRAM", value_hint = ValueHint::ExecutablePath)]
    hashmill: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// A way to copy.
struct Way {
    timed: Timed,
    /// Destination.
    to: PathBuf,
}

/// Runs the measurement.
pub fn run(args: &CopyArgs) -> ExitCode {
    let mut session = Session::begin("bench copy");
    let mut findings = Findings::default();
    let tables = match measure(args, &mut session, &mut findings) {
        Ok(tables) => tables,
        Err(e) => {
            session.error(e);
            Vec::new()
        }
    };
    let mut text = format!("{}\n", session.machine().line());
    let mut chart = Chart::new("Copies: seconds, less is better", session.machine().line());
    for t in &tables {
        text += &show(t);
        for r in &t.rows {
            let bar = Bar { ours: r.program.starts_with("hashmill"), ..Bar::peer(&r.program, r.seconds.median) };
            chart.bar("s", &t.what, bar);
        }
    }
    findings.details["tables"] = json!(tables);
    if tables.is_empty() {
        text.clear();
    }
    args.output.show(session.end(findings), &text, Some(&chart))
}

fn measure(args: &CopyArgs, session: &mut Session, findings: &mut Findings) -> Result<Vec<Table>, CommandError> {
    let to = args.to.clone().unwrap_or_else(std::env::temp_dir);
    let scratch = scratch_in(&to)?;
    let source = match &args.source {
        Some(dir) => fs::canonicalize(dir).map_err(|cause| CommandError::File { path: dir.clone(), cause })?,
        None => {
            let dir = scratch.path().join("photos");
            make_photos(&dir, args.files, args.bytes)
                .map_err(|cause| CommandError::File { path: dir.clone(), cause })?;
            dir
        }
    };
    let mut files = Vec::new();
    collect(&source, &mut files)?;
    let mut bytes = 0;
    for f in &files {
        bytes += warm(f)?;
    }
    if files.is_empty() {
        return Err(CommandError::NoFiles);
    }
    findings.details = json!({ "files": files.len(), "bytes": bytes, "rounds": args.rounds, "cpus": machine::cpus() });
    let hashmill = hashmill(args.hashmill.as_deref())?;
    let mut bench = Bench { source, files, bytes, scratch: scratch.path(), session, findings, missing: Vec::new() };
    let tables = bench.all(&hashmill, args.rounds)?;
    note_missing(bench.session, &bench.missing);
    Ok(tables)
}

struct Bench<'a> {
    source: PathBuf,
    files: Vec<PathBuf>,
    bytes: u64,
    scratch: &'a Path,
    session: &'a mut Session,
    findings: &'a mut Findings,
    missing: Vec<NotFound>,
}

impl Bench<'_> {
    fn all(&mut self, hashmill: &Path, rounds: u64) -> Result<Vec<Table>, CommandError> {
        let what = format!("{} files, {} bytes", self.files.len(), self.bytes);
        let mut first = self.ways(hashmill, &[&[], &["--verify", "hash"], &["--by-date"]], false);
        let mut again = self.ways(hashmill, &[&[], &["--fresh"]], true);
        let mut tables = Vec::new();
        for (ways, title, empty) in
            [(&mut first, format!("copying {what}"), true), (&mut again, format!("copying {what} again"), false)]
        {
            // One round to warm up, after which everything must have been copied.
            for way in ways.iter_mut() {
                self.clear(way)?;
                way.timed.run(&[], self.scratch)?;
                self.compare(way)?;
                way.timed.forget();
            }
            if !empty {
                // Digests are kept only of files that have not changed for a moment.
                std::thread::sleep(Duration::from_millis(100));
            }
            let mut random = Random(self.bytes);
            let mut order: Vec<usize> = (0..ways.len()).collect();
            for _ in 0..rounds {
                if sys::interrupted() {
                    break;
                }
                random.shuffle(&mut order);
                for &i in &order {
                    if empty {
                        self.clear(&ways[i])?;
                    }
                    ways[i].timed.run(&[], self.scratch)?;
                }
            }
            tables.extend(record(&title, &title, ways.iter().map(|w| &w.timed), self.bytes, self.findings));
            for way in ways.iter() {
                self.clear(way)?;
            }
        }
        Ok(tables)
    }

    /// Returns ours with these options, and the other programs that are installed. With `again`, everything has already
    /// been copied, so nothing has to be synced.
    fn ways(&mut self, hashmill: &Path, ours: &[&[&str]], again: bool) -> Vec<Way> {
        let mut ways: Vec<Way> = Vec::new();
        let words = |w: &[&str]| w.iter().map(OsString::from).collect::<Vec<_>>();
        let place = |n: usize| self.scratch.join(format!("to{n}"));
        let from_to = |to: &Path| [self.source.clone().into_os_string(), to.as_os_str().to_owned()];
        for options in ours {
            let to = place(ways.len());
            let mut step = vec![hashmill.as_os_str().to_owned(), "copy".into()];
            step.extend(words(options));
            step.extend(from_to(&to));
            let name = ["hashmill copy", &options.join(" ")].join(" ").trim_end().to_string();
            let version = format!("hashmill {}", env!("CARGO_PKG_VERSION"));
            ways.push(Way::new(name, "hashmill", version, vec![step], to));
        }
        let mut inside = self.source.clone().into_os_string();
        inside.push("/");
        let sums = |dir: &Path| -> Vec<OsString> {
            let there = |f: &PathBuf| dir.join(f.strip_prefix(&self.source).unwrap_or(f)).into_os_string();
            [OsString::from("md5sum"), "--".into()].into_iter().chain(self.files.iter().map(there)).collect()
        };
        let sync = words(&["sync"]);
        let to = |n: usize| place(ours.len() + n);
        let cp = |n: usize| [words(&["cp", "-a"]), from_to(&to(n)).to_vec()].concat();
        let rsync = |n: usize| [words(&["rsync", "-ac"]), vec![inside.clone(), to(n).into()]].concat();
        let rclone = |n: usize| [words(&["rclone", "copy", "--checksum"]), from_to(&to(n)).to_vec()].concat();
        let others: Vec<(&str, &'static str, Vec<Vec<OsString>>)> = if again {
            vec![("rsync -ac", "rsync", vec![rsync(0)]), ("rclone copy --checksum", "rclone", vec![rclone(1)])]
        } else {
            vec![
                ("cp -a, sync", "cp", vec![cp(0), sync.clone()]),
                (
                    "cp -a, sync, md5sum of both sides",
                    "cp",
                    vec![cp(1), sync.clone(), sums(&self.source), sums(&to(1))],
                ),
                ("rsync -ac, sync", "rsync", vec![rsync(2), sync.clone()]),
                ("rclone copy --checksum, sync", "rclone", vec![rclone(3), sync]),
            ]
        };
        for (n, (name, by, mut steps)) in others.into_iter().enumerate() {
            let originals = steps.iter_mut().try_for_each(|step| {
                step[0] = bare::original(&step[0].to_string_lossy())?.into_os_string();
                Ok(())
            });
            match originals {
                Ok(()) => {
                    let version = version(Path::new(&steps[0][0]), by);
                    ways.push(Way::new(name.into(), by, version, steps, to(n)));
                }
                Err(e) if self.missing.contains(&e) => {}
                Err(e) => self.missing.push(e),
            }
        }
        ways
    }

    /// Empties a destination and waits until that has reached the medium.
    fn clear(&self, way: &Way) -> Result<(), CommandError> {
        match fs::remove_dir_all(&way.to) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
                return Err(CommandError::File { path: way.to.clone(), cause });
            }
            _ => {}
        }
        let run = |cause: io::Error| CommandError::Run { program: "sync".into(), cause: cause.into() };
        Command::new("sync").status().map(drop).map_err(run)
    }

    /// Checks that the destination has the bytes of every source file.
    fn compare(&self, way: &Way) -> Result<(), CommandError> {
        let mut there = Vec::new();
        collect(&way.to, &mut there)?;
        let digests = |files: &[PathBuf]| -> Result<Vec<Digest>, CommandError> {
            let mut all = files.iter().map(|f| digest(f)).collect::<Result<Vec<_>, _>>()?;
            all.sort_by(|a, b| a.as_bytes().cmp(b.as_bytes()));
            Ok(all)
        };
        if digests(&self.files)? == digests(&there)? {
            return Ok(());
        }
        let found = format!("{} files", there.len());
        Err(CommandError::Differs {
            program: way.timed.name.clone(),
            what: self.source.display().to_string(),
            line: 0,
            found,
        })
    }
}

impl Way {
    fn new(name: String, by: &'static str, version: String, steps: Vec<Vec<OsString>>, to: PathBuf) -> Way {
        Way { timed: Timed::new(name, by, version, steps), to }
    }
}

fn digest(path: &Path) -> Result<Digest, CommandError> {
    let error = |cause| CommandError::File { path: path.into(), cause };
    let a: Algorithm = "blake3".parse().map_err(|e: hashmill::Error| error(io::Error::other(e.to_string())))?;
    let mut hasher = Hasher::new(a);
    let mut file = File::open(path).map_err(error)?;
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer).map_err(error)? {
            0 => return Ok(hasher.finalize()),
            n => hasher.update(&buffer[..n]),
        }
    }
}

/// Makes photos: EXIF with a date, followed by noise, as in a compressed picture.
fn make_photos(dir: &Path, files: u64, bytes: u64) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    let block = noise(1 << 20);
    for n in 0..files {
        let head = jpeg_head(&format!("2024:{:02}:{:02} 12:{:02}:{:02}", n % 12 + 1, n % 28 + 1, n / 60 % 60, n % 60));
        let mut left = (bytes / files + u64::from(n < bytes % files)).saturating_sub(head.len() as u64 + 2);
        let mut file = File::create(dir.join(format!("IMG_{n:05}.JPG")))?;
        file.write_all(&head)?;
        let mut at = (n as usize * 64) % (block.len() / 2);
        while left > 0 {
            let piece = &block[at..(at as u64 + left).min(block.len() as u64) as usize];
            file.write_all(piece)?;
            left -= piece.len() as u64;
            at = 0;
        }
        file.write_all(&[0xff, 0xd9])?;
    }
    Ok(())
}

/// Returns the beginning of a JPEG whose EXIF has a DateTimeOriginal and a model.
fn jpeg_head(date: &str) -> Vec<u8> {
    const MODEL: &[u8] = b"Test Camera\0";
    let mut tiff = b"MM\0*\0\0\0\x08".to_vec();
    let entry = |tiff: &mut Vec<u8>, tag: u16, kind: u16, count: u32, value: u32| {
        tiff.extend(tag.to_be_bytes());
        tiff.extend(kind.to_be_bytes());
        tiff.extend(count.to_be_bytes());
        tiff.extend(value.to_be_bytes());
    };
    // Two directories end at 8 + 2 + 2 × 12 + 4 = 38 and 38 + 2 + 12 + 4 = 56.
    tiff.extend(2u16.to_be_bytes());
    entry(&mut tiff, 0x0110, 2, MODEL.len() as u32, 56);
    entry(&mut tiff, 0x8769, 4, 1, 38);
    tiff.extend(0u32.to_be_bytes());
    tiff.extend(1u16.to_be_bytes());
    entry(&mut tiff, 0x9003, 2, date.len() as u32 + 1, 56 + MODEL.len() as u32);
    tiff.extend(0u32.to_be_bytes());
    tiff.extend_from_slice(MODEL);
    tiff.extend(date.as_bytes());
    tiff.push(0);
    let mut head = vec![0xff, 0xd8, 0xff, 0xe1];
    head.extend((tiff.len() as u16 + 8).to_be_bytes());
    head.extend(b"Exif\0\0");
    head.extend(tiff);
    head.extend([0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0]);
    head.extend([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0]);
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn photos_have_the_bytes_that_were_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        make_photos(dir.path(), 5, 100_003).unwrap();
        let mut found = Vec::new();
        collect(dir.path(), &mut found).unwrap();
        let total: u64 = found.iter().map(|f| warm(f).unwrap()).sum();
        assert_eq!((found.len(), total), (5, 100_003));
    }
}
