//! `hashmill sum`: digests of files.

use crate::cli::SumArgs;
use crate::output::{Lines, message, shown};
use crate::progress::Meter;
use hashmill_files::manifest::{Form, Style, write_entry};
use hashmill_files::{Error, Event, Input, Options, Problem, Progress, sum, walk};
use std::process::ExitCode;
use std::sync::Arc;

pub(crate) fn run(args: &SumArgs) -> ExitCode {
    let options = Options { algorithms: args.algorithms.0.clone(), threads: args.threads };
    let form = match (args.json, args.tag || options.algorithms.len() > 1, args.binary) {
        (true, ..) => Form::Json,
        (_, true, _) => Form::Tag,
        (_, _, true) => Form::GnuBinary,
        (_, _, false) => Form::Gnu,
    };
    let style = Style { form, zero: args.zero };

    let roots = match &args.files[..] {
        [] => vec![Input::Stdin],
        files => files.iter().map(|f| Input::from_argument(f)).collect(),
    };
    let inputs: Box<dyn Iterator<Item = Result<Input, Problem>>> =
        if args.recursive { Box::new(walk(roots)) } else { Box::new(roots.into_iter().map(Ok)) };

    let progress = Arc::new(Progress::default());
    let meter = Meter::start(args.progress, &progress);
    let mut out = Lines::new(&meter);
    let mut failed = false;
    let end = sum(&options, inputs, &progress, |event| {
        let Event::Outcome(outcome) = event else {
            out.flush();
            return out.flow();
        };
        let name = outcome.input.name();
        match outcome.result {
            Ok(digests) => out.add(|line| {
                for (a, digest) in options.algorithms.iter().zip(&digests) {
                    write_entry(line, style, *a, name.as_os_str(), digest);
                }
            }),
            Err(e) => {
                failed |= !e.is_skipped();
                let more = if matches!(e, Error::IsDirectory) { " (use -r to hash what is in it)" } else { "" };
                meter.pause(|| message(&format!("{}: {e}{more}", shown(name.as_os_str()))));
            }
        }
        out.flow()
    });
    if let Err(e) = end {
        failed = true;
        meter.pause(|| message(&e.to_string()));
    }
    failed |= !out.finish();
    drop(meter);
    ExitCode::from(u8::from(failed))
}
