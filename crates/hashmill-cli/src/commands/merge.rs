//! `hashmill merge`: several lists as one.

use crate::args::trees::MergeArgs;
use crate::args::usage::USAGE;
use crate::commands::changes::{about, assumed};
use crate::commands::lists::{Opened, open};
use crate::commands::sum::{header_of, writer};
use crate::commands::update::write;
use crate::terminal::output::{Lines, message, shown};
use crate::terminal::progress::Meter;
use hashmill_lists::{Digits, ReadOptions, usual_form};
use hashmill_trees::{Source, merge};
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(args: &MergeArgs) -> ExitCode {
    let options = ReadOptions { algorithm: args.algorithm, zero: args.zero, ..ReadOptions::default() };
    let mut sources = Vec::new();
    let mut names = Vec::new();
    for list in &args.lists {
        let name = if list == "-" { "standard input".into() } else { shown(list) };
        match open(list, &options, true) {
            Ok(Opened { reader, .. }) => {
                sources.push(Source { path: list.into(), reader: Box::new(reader), times: None });
            }
            Err(refusal) => {
                message(&format!("{name}: {}", refusal.what));
                return ExitCode::FAILURE;
            }
        }
        names.push(name);
    }
    let mut status = ExitCode::SUCCESS;
    let merged = merge(sources, &options, |list, event| {
        if event.hides_a_file() {
            status = ExitCode::FAILURE;
        }
        if let Some(text) = about(&event) {
            message(&format!("{}: {text}", names[list]));
        }
    });
    let merged = match merged {
        Ok(merged) => merged,
        Err(e) => {
            message(&format!("{}: {e}", names.join(", ")));
            return ExitCode::FAILURE;
        }
    };
    let output = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    let several = merged.functions.len() > 1;
    let usual = || merged.style.map(|s| s.form).filter(|form| form.writes && (form.several || !several));
    let form = args.format.or_else(usual).unwrap_or_else(|| usual_form(&merged.functions, output));
    // Lines without a name say as little as before.
    for function in merged.assumed.iter().filter(|_| form.name != "gnu") {
        message(&format!("{}: {}", names.join(", "), assumed(*function)));
    }
    let mut header = header_of(merged.functions.clone(), Digits::Hex);
    header.zero = args.zero;
    let writer = match writer(form, &header) {
        Ok(writer) => writer,
        Err(e) => {
            message(&format!("{e}; --format names another form"));
            return ExitCode::from(USAGE);
        }
    };
    let entries = merged.order.iter().map(|row| merged.entry(*row));
    if let Some(path) = output {
        return match write(Path::new(path), writer, b"", false, entries) {
            Ok(()) => status,
            Err(e) => {
                message(&format!("{}: {e}", shown(path.as_os_str())));
                ExitCode::FAILURE
            }
        };
    }
    let meter = Meter::none();
    let mut out = Lines::new(&meter).safe();
    let mut writer = writer;
    out.add(|line| writer.begin(line));
    for entry in entries {
        let mut unfit = Ok(());
        out.add(|line| unfit = writer.entry(&entry, line));
        if let Err(e) = unfit {
            out.flush();
            message(&format!("{}: {e}", String::from_utf8_lossy(&entry.name).escape_debug()));
            status = ExitCode::FAILURE;
        }
        if out.flow().is_break() {
            break;
        }
    }
    out.add(|line| writer.end(line));
    if out.finish() { status } else { ExitCode::FAILURE }
}
