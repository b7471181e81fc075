//! `hashmill sum`: digests of files.

use crate::args::cli::SumArgs;
use crate::args::usage::USAGE;
use crate::terminal::input::announce;
use crate::terminal::output::{Lines, Sink, Stdout, how_read, message, shown};
use crate::terminal::progress::{Interrupt, Meter};
use crate::terminal::target::{standard_output, target};
use hashmill_files::{Error, Event, FileId, Found, Input, Options, Problem, Progress, not_an_output, plain, sum, walk};
use hashmill_lists::{Entry, Fault, Form, Item, List, ReadOptions, Stated, Style, usual_form};
use std::fs::File;
use std::io::{BufReader, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

pub(crate) fn run(args: &SumArgs) -> ExitCode {
    let options = Options { threads: args.threads, io: args.io, ..Options::new(args.algorithms.0.clone()) };
    if args.check {
        // `cli::parse` has already turned `-c` into `check`, unless it is grouped with a letter that has nothing to do
        // with lists, as in `-rc`, which is a mistake.
        message("-c cannot be combined with options for making lists: see hashmill check --help");
        return ExitCode::from(USAGE);
    }
    if args.untagged && options.algorithms.len() > 1 {
        message("--untagged takes one algorithm: lines of several could not be told apart");
        return ExitCode::from(USAGE);
    }
    let output = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    let form = match () {
        () if args.json => Form::named("json"),
        () if args.tag => Form::named("bsd"),
        () if args.untagged => Form::named("gnu"),
        () => None,
    };
    let form = form.unwrap_or_else(|| usual_form(&options.algorithms, output));
    let mut writer = match (Style { form, zero: args.zero, binary: args.binary }).writer() {
        Some(writer) => writer,
        None => unreachable!("{form:?}"),
    };

    let roots = match &args.files[..] {
        [] => {
            announce("what to hash");
            vec![Input::Stdin]
        }
        files => files.iter().map(|f| Input::from_argument(f)).collect(),
    };
    if let Some(path) = output
        && let Some(id) = FileId::at(path)
        && roots.iter().any(|r| matches!(r, Input::Path(p) if FileId::at(p) == Some(id)))
        && !may_be_list(path)
    {
        let path = shown(path.as_os_str());
        message(&format!(
            "{path} is among the files to hash and is not a checksum list, so it is not replaced: nothing was done"
        ));
        return ExitCode::FAILURE;
    }
    let (to, outputs): (Box<dyn Sink>, _) = match output.map(|path| (path, target(path))) {
        None => (Box::new(Stdout), standard_output()),
        Some((_, Ok(made))) => made,
        Some((path, Err(e))) => {
            message(&format!("{}: {}", shown(path.as_os_str()), plain(&e)));
            return ExitCode::FAILURE;
        }
    };
    let inputs: Box<dyn Iterator<Item = Result<Found, Problem>>> = if args.recursive {
        Box::new(walk(roots, &outputs))
    } else {
        Box::new(roots.into_iter().map(move |input| not_an_output(input, &outputs).map(Found::from)))
    };

    let progress = Arc::new(Progress::default());
    let meter = Meter::start(args.progress, Interrupt::Ends, &progress);
    let out = Lines::to(to, &meter);
    let mut out = if output.is_some() { out } else { out.safe() };
    // Lines and messages that go to the same terminal come in the order of the files.
    let say = |out: &mut Lines<'_>, text: &str| {
        out.flush();
        meter.pause(|| message(text));
    };
    let mut failed = false;
    let end = sum(&options, inputs, &progress, |event| {
        let outcome = match event {
            Event::Outcome(outcome) => outcome,
            Event::Device { path, one_reader } => {
                if args.verbose {
                    say(&mut out, &how_read(&path, one_reader));
                }
                return out.flow();
            }
            Event::Idle => {
                out.flush();
                return out.flow();
            }
        };
        let name = outcome.input.name();
        match outcome.result {
            Ok(digests) => {
                let stated = options.algorithms.iter().zip(digests).map(|(a, d)| Stated::new(Some(*a), d)).collect();
                let name = name.as_os_str().as_encoded_bytes().to_vec();
                let entry = Entry { name, stated, ..Entry::default() };
                let mut result = Ok(());
                out.add(|line| result = writer.entry(&entry, line));
                if let Err(e) = result {
                    failed = true;
                    let name = outcome.input.name();
                    say(&mut out, &format!("{}: {e}", shown(name.as_os_str())));
                }
                if outcome.changed {
                    failed = true;
                    let name = outcome.input.name();
                    say(&mut out, &format!("{}: changed while it was read", shown(name.as_os_str())));
                }
            }
            Err(e) => {
                failed |= !e.is_skipped();
                if e.is_own() && args.recursive && !args.verbose {
                    return out.flow();
                }
                let more = if matches!(e, Error::IsDirectory) { " (use -r to hash what is in it)" } else { "" };
                say(&mut out, &format!("{}: {e}{more}", shown(name.as_os_str())));
            }
        }
        out.flow()
    });
    if let Err(e) = end {
        failed = true;
        say(&mut out, &e.to_string());
    }
    failed |= !out.finish();
    drop(meter);
    ExitCode::from(u8::from(failed))
}

/// Returns whether a file is empty or contains lines of a checksum list, and may thus be replaced by a new list.
fn may_be_list(path: &Path) -> bool {
    /// This much is enough to recognize a list.
    const HEAD: u64 = 1 << 20;
    let Ok(file) = File::open(path) else { return false };
    if file.metadata().is_ok_and(|m| m.len() == 0) {
        return true;
    }
    let Ok(list) = List::open(BufReader::new(file.take(HEAD)), path, &ReadOptions::default()) else { return false };
    if list.form().is_some() {
        return true;
    }
    let mut found = false;
    let _ = list.read(|line| {
        found |= match line.item {
            Item::Nothing | Item::Note(_) | Item::Lone(_) => false,
            Item::Bad(fault) => !matches!(fault, Fault::Text | Fault::Malformed | Fault::TooLong),
            Item::Entry(_) => true,
        };
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found
}
