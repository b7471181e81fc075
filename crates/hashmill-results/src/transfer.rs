//! Export and import of runs as JSON, and reading them from files without a store.

use crate::error::ResultsError;
use crate::page::clean;
use crate::store::{Batch, Filter, MOST_SAMPLES, Store};
use clap::{Args, ValueHint};
use hashmill_measure::run::{Run, replace_by};
use hashmill_measure::stats::Summary;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use std::cell::Cell;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Maximum length in bytes of a file that is read.
const MOST_BYTES: u64 = 1 << 30;

/// Write runs as JSON, with every sample
///
/// A JSON array, one run a line; what `bench --json` prints, several times. Reading it again gives the same runs to the
/// last bit.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill results export last -o last.json
  hashmill results export --all | gzip > results.json.gz
  hashmill results export before after -o both.json
")]
pub(crate) struct ExportArgs {
    /// Numbers, tags, last, last~1 …
    #[arg(value_name = "RUN", required_unless_present = "all", conflicts_with = "all")]
    runs: Vec<String>,

    /// All of them, oldest first
    #[arg(long)]
    all: bool,

    /// Into this file
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,

    /// Lines, without the brackets and commas of an array
    #[arg(long)]
    lines: bool,
}

/// Read runs from JSON that `export` or `--json` wrote
///
/// A run that the store has already is left out. If something in a file is wrong, nothing of that file is kept.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill results import other-machine.json
  ssh host hashmill bench md5 --json | hashmill results import -
")]
pub(crate) struct ImportArgs {
    /// Files of one run, an array of runs, or runs one after the other; - is stdin
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,

    /// Give those that are new this tag
    #[arg(long)]
    tag: Option<String>,
}

pub(crate) fn export(db: Option<&Path>, args: &ExportArgs) -> Result<ExitCode, ResultsError> {
    let store = Store::open_existing(db)?;
    let ids: Vec<i64> = if args.all {
        store.list(&Filter::default())?.iter().rev().map(|h| h.id).collect()
    } else {
        args.runs.iter().map(|r| store.find(r)).collect::<Result<_, _>>()?
    };
    let write = |out: &mut dyn Write| -> Result<(), ResultsError> {
        for (i, id) in ids.iter().enumerate() {
            let run = store.load(*id)?;
            let before = if args.lines { "" } else { [",\n", "[\n"][usize::from(i == 0)] };
            out.write_all(before.as_bytes())?;
            serde_json::to_writer(&mut *out, &run).map_err(io::Error::from)?;
            out.write_all(if args.lines { b"\n" } else { b"" })?;
        }
        let end = if ids.is_empty() { "[]\n" } else { "\n]\n" };
        out.write_all(if args.lines { b"" } else { end.as_bytes() })?;
        Ok(out.flush()?)
    };
    match &args.output {
        None => match write(&mut BufWriter::new(io::stdout().lock())) {
            Err(ResultsError::Write(e)) if e.kind() == io::ErrorKind::BrokenPipe => {}
            other => other?,
        },
        Some(path) => {
            replace_by(path, write).map_err(|e| match e {
                ResultsError::Write(e) => ResultsError::file(path, e),
                other => other,
            })?;
            let plural = if ids.len() == 1 { "" } else { "s" };
            eprintln!("hashmill: results export: {} run{plural} written to {}", ids.len(), path.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn import(db: Option<&Path>, args: &ImportArgs) -> Result<ExitCode, ResultsError> {
    let mut store = Store::open(db)?;
    let (mut new, mut known, mut failed) = (0, 0, 0);
    for path in &args.files {
        let kept = store.batch(|batch| keep(batch, path, args.tag.as_deref()));
        match kept {
            Ok((n, k)) => (new, known) = (new + n, known + k),
            Err(e) => {
                hashmill_measure::run::say("results import", clean(&e.to_string()));
                failed += 1;
            }
        }
    }
    let files = if failed == 0 { String::new() } else { format!("; {failed} of {} files left out", args.files.len()) };
    hashmill_measure::run::emit(&format!("{new} imported, {known} were there already{files}\n"))?;
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn keep(batch: &Batch<'_>, path: &Path, tag: Option<&str>) -> Result<(usize, usize), ResultsError> {
    let (mut new, mut known) = (0, 0);
    each_run(path, |mut run| {
        if let Some(tag) = tag {
            run.tag = Some(tag.into()).filter(|t: &String| !t.is_empty());
        }
        let (_, is_new) = batch.keep(&run).map_err(|e| match e {
            crate::store::StoreError::Refused(why) => {
                ResultsError::file(path, format!("run {}: {why}", new + known + 1))
            }
            other => other.into(),
        })?;
        if is_new {
            new += 1
        } else {
            known += 1
        }
        Ok(())
    })?;
    Ok((new, known))
}

/// Returns the only run of a file, for comparisons of files.
pub(crate) fn only(path: &Path) -> Result<Run, ResultsError> {
    let (mut first, mut count) = (None, 0);
    each_run(path, |run| {
        count += 1;
        first.get_or_insert(run);
        Ok(())
    })?;
    match (first, count) {
        (Some(run), 1) => Ok(run),
        _ => Err(ResultsError::file(
            path,
            format!("it holds {count} runs, not one: `hashmill results import` it, and name a run"),
        )),
    }
}

/// Calls `each` with the runs of a file, one at a time. No more than one run is in memory, and no more of it than a
/// store would keep.
fn each_run(path: &Path, mut each: impl FnMut(Run) -> Result<(), ResultsError>) -> Result<(), ResultsError> {
    let file: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        let file = File::open(path).map_err(|e| ResultsError::file(path, e))?;
        let about = file.metadata().map_err(|e| ResultsError::file(path, e))?;
        if about.is_dir() {
            return Err(ResultsError::file(path, "it is a directory"));
        }
        if about.is_file() && about.len() > MOST_BYTES {
            return Err(ResultsError::file(path, TOO_LARGE));
        }
        Box::new(file)
    };
    let (bytes, values) = (Cell::new(0), Cell::new(0));
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let array = first_byte(&mut reader).map_err(|e| ResultsError::file(path, e))? == Some(b'[');
    let guard = Guard { inner: reader, bytes: &bytes, values: &values };
    let mut stopped = None;
    let mut next = |mut run: Run| {
        values.set(0);
        dated(&mut run);
        each(run).map_err(|e| {
            stopped = Some(e);
        })
    };
    let read = if array {
        let mut json = serde_json::Deserializer::from_reader(guard);
        json.deserialize_seq(Array(&mut next)).and_then(|()| json.end())
    } else {
        let mut runs = serde_json::Deserializer::from_reader(guard).into_iter::<Run>();
        runs.try_for_each(|run| next(run?).map_err(|()| serde_json::Error::custom("stopped")))
    };
    match (stopped, read) {
        (Some(e), _) => Err(e),
        (None, Ok(())) => Ok(()),
        (None, Err(e)) => Err(ResultsError::file(path, format!("no run as --json and export write them: {e}"))),
    }
}

const TOO_LARGE: &str = "it has more than 1 GiB: export fewer runs at a time";

/// Returns the first byte that is not white space, without consuming it.
fn first_byte(reader: &mut impl BufRead) -> io::Result<Option<u8>> {
    loop {
        let buffer = reader.fill_buf()?;
        let (len, found) = (buffer.len(), buffer.iter().position(|b| !b.is_ascii_whitespace()));
        match found {
            Some(at) => {
                let byte = buffer[at];
                reader.consume(at);
                return Ok(Some(byte));
            }
            None if len == 0 => return Ok(None),
            None => reader.consume(len),
        }
    }
}

/// A reader that fails if there is more than a run may have. One byte of JSON can become 32 bytes of a value, so it
/// counts the characters without which there can be no further value.
struct Guard<'a, R> {
    inner: R,
    bytes: &'a Cell<u64>,
    values: &'a Cell<usize>,
}

impl<R: Read> Read for Guard<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(out)?;
        self.bytes.set(self.bytes.get() + n as u64);
        let more = out[..n].iter().filter(|b| matches!(b, b',' | b'[' | b'{' | b':')).count();
        self.values.set(self.values.get() + more);
        if self.bytes.get() > MOST_BYTES {
            return Err(io::Error::other(TOO_LARGE));
        }
        if self.values.get() > MOST_SAMPLES {
            return Err(io::Error::other(format!("a run has more than {MOST_SAMPLES} values")));
        }
        Ok(n)
    }
}

/// A visitor of an array of runs that passes them on one by one.
struct Array<'a, F>(&'a mut F);

impl<'de, F: FnMut(Run) -> Result<(), ()>> Visitor<'de> for Array<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of runs")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(run) = seq.next_element::<Run>()? {
            (self.0)(run).map_err(|()| A::Error::custom("stopped"))?;
        }
        Ok(())
    }
}

/// Recomputes the summaries of samples that come from elsewhere.
fn dated(run: &mut Run) {
    for s in &mut run.series {
        s.summary = Summary::of(&s.samples);
    }
    for p in &mut run.pairings {
        p.summary = Summary::of(&p.ratios);
    }
}
