//! `hashmill check`: verification of lists, with the messages of coreutils.

mod report;

use crate::args::cli::CheckArgs;
use crate::args::usage::USAGE;
use crate::commands::lists::{Opened, open};
use crate::terminal::input::key;
use crate::terminal::output::{Lines, message, shown};
use crate::terminal::progress::{Interrupt, Meter};
use hashmill_files::{CheckOptions, Key, Progress, check, check_lines, plain};
use hashmill_lists::{Closing, Entry, Function, Item, Line, expected};
use report::{Reporter, Totals};
use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

pub(crate) fn run(args: &CheckArgs) -> ExitCode {
    if let Some(folder) = &args.directory
        && let Err(e) = std::fs::read_dir(folder)
    {
        message(&format!("{}: {}", shown(folder.as_os_str()), plain(&e)));
        return ExitCode::from(USAGE);
    }
    let key = match key(args.key_file.as_deref()) {
        Ok(key) => key,
        Err(text) => {
            message(&text);
            return ExitCode::from(USAGE);
        }
    };
    let stdin = [OsString::from("-")];
    let lists = if args.lists.is_empty() { &stdin[..] } else { &args.lists[..] };
    let progress = Arc::new(Progress::default());
    let meter = Meter::start(args.progress, Interrupt::Ends, &progress);
    let mut out = Lines::new(&meter).safe();
    let mut totals = Totals::default();
    let run = Run { args, key, progress: &progress, meter: &meter };
    match &args.expect {
        Some(text) => match expected(text, args.algorithm.and_then(Function::plain)) {
            Ok(_) if args.lists.is_empty() => {
                message("--expect needs the FILE that the digest is of");
                return ExitCode::from(USAGE);
            }
            Ok(entry) => run.files(&args.lists, &entry, &mut out, &mut totals),
            Err(why) => {
                message(&format!("{}: {why}", shown(OsStr::new(text))));
                return ExitCode::from(USAGE);
            }
        },
        None => {
            for list in lists {
                run.one(list, &mut out, &mut totals);
                if out.flow().is_break() {
                    break;
                }
            }
        }
    }
    let status = totals.status(args.exit_bits);
    if args.json {
        out.add(|line| {
            Closing::new(&totals, status).put(line);
            line.push(b'\n');
        });
    }
    let written = out.finish();
    totals.close(args, &meter);
    drop(meter);
    ExitCode::from(if written { status } else { status.max(1) })
}

/// What all lists of a run have in common.
struct Run<'a> {
    args: &'a CheckArgs,
    key: Option<Key>,
    progress: &'a Progress,
    meter: &'a Meter,
}

impl Run<'_> {
    /// Verifies files against one digest.
    fn files(&self, files: &[OsString], expected: &Entry, out: &mut Lines<'_>, totals: &mut Totals) {
        let Run { args, progress, meter, .. } = *self;
        let options = CheckOptions { allow_outside: true, ..self.options(false) };
        let read = |to: &mut dyn FnMut(Line) -> ControlFlow<()>| {
            for (number, file) in (1..).zip(files) {
                let name = file.as_encoded_bytes().to_vec();
                let entry = Entry { name, literal: None, ..expected.clone() };
                if to(Line { number, item: Item::Entry(entry) }).is_break() {
                    break;
                }
            }
            Ok(())
        };
        let mut reporter = Reporter::new(args, meter, None, "--expect".into());
        let (summary, end) =
            check_lines(read, Path::new("-"), args.algorithm.and_then(Function::plain), &options, progress, |event| {
                reporter.report(event, out);
                out.flow()
            });
        reporter.end(&summary, end, out, totals);
    }

    fn options(&self, from_stdin: bool) -> CheckOptions {
        let args = self.args;
        CheckOptions {
            function: args.algorithm,
            key: self.key.clone(),
            threads: args.reading.threads,
            io: args.reading.io,
            base: args.directory.clone(),
            allow_outside: args.allow_outside,
            ignore_missing: args.ignore_missing,
            from_stdin,
            waits: false,
            no_guess: args.no_guess,
            allow_short: args.allow_short,
            allow_special: args.allow_special,
            zero: args.zero,
            as_is: None,
        }
    }

    /// Verifies one list.
    fn one(&self, list: &OsStr, out: &mut Lines<'_>, totals: &mut Totals) {
        let Run { args, progress, meter, .. } = *self;
        let from_stdin = list == "-";
        let mut options = self.options(from_stdin);
        let path = Path::new(list);
        let name = if from_stdin { "standard input".to_string() } else { shown(list) };
        let mut reporter = Reporter::new(args, meter, (!from_stdin).then_some(path), name.clone());
        let announced = args.lists.is_empty() && !args.status;
        let Opened { reader, base } = match open(list, &options.reading(), announced) {
            Ok(opened) => opened,
            Err(refusal) => return reporter.refuse(refusal.kind, &refusal.what, out, totals),
        };
        options.base = options.base.or(base);
        options.waits = from_stdin || !path.is_file();
        reporter.base = options.base.clone();
        let (summary, end) = check(reader, path, &options, progress, |event| {
            reporter.report(event, out);
            out.flow()
        });
        reporter.end(&summary, end, out, totals);
    }
}
