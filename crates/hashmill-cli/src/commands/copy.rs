//! `hashmill copy`: verified copies and imports.

use crate::args::cli::CopyCommand;
use crate::args::usage::USAGE;
use crate::terminal::log::Log;
use crate::terminal::output::{Lines, end_without, message, shown};
use crate::terminal::progress::{Interrupt, Meter, is_ignored};
use hashmill_copy::{Action, Error, Event, FileEvent, Origin, Summary, Verified, copy, copy_to_both};
use hashmill_files::Progress;
use hashmill_lists::Closing;
use indicatif::HumanBytes;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The bit of the exit status for what could not be recorded.
const NOT_RECORDED: u8 = 32;

pub(crate) fn run(args: &CopyCommand) -> ExitCode {
    let wrong = |text: &str| {
        message(&format!("{text} (see hashmill copy --help)"));
        end_without(args.copy.json, USAGE)
    };
    let options = match args.copy.options() {
        Ok(o) => o,
        Err(e) => return wrong(&e),
    };
    let mut log = match args.copy.log.as_deref().map(Log::open).transpose() {
        Ok(log) => log,
        Err(text) => {
            message(&format!("{text}; nothing was copied"));
            return end_without(args.copy.json, NOT_RECORDED);
        }
    };
    if let Some(log) = &mut log {
        let words: Vec<String> = std::env::args_os().skip(1).map(|word| shown(&word)).collect();
        log.put(&format!("hashmill {}: {}", env!("CARGO_PKG_VERSION"), words.join(" ")));
    }
    let progress = Arc::new(Progress::default());
    let signal = stop_on_signals(&progress);
    let meter = Meter::start(args.progress, Interrupt::IsHandled, &progress);
    let mut out = Lines::new(&meter).safe();
    let mut tell = |event: &Event<'_>| {
        if let Some(log) = &mut log {
            log.put(&match event {
                Event::File(e) => match (line(e, true), &e.cause) {
                    (Some(line), None) => line,
                    (Some(line), Some(cause)) => format!("{}: {cause}", line.trim_end()),
                    (None, cause) => told(e.source, cause.as_deref().unwrap_or_default()),
                },
                Event::Warning { path, cause } => told(path, &format!("warning: {cause}")),
                _ => return,
            });
        }
        if args.copy.json {
            out.add(|line| {
                event.put(line);
                line.push(b'\n');
            });
            return out.flush();
        }
        match event {
            Event::File(e) => {
                let is_notable = e.replaced || e.renamed || e.action == Action::Duplicate;
                let is_detailed = args.copy.verbose || args.copy.dry_run;
                if let Some(line) = line(e, is_detailed).filter(|_| is_detailed || is_notable) {
                    out.add(|to| to.extend_from_slice(line.as_bytes()));
                    out.flush();
                }
                let loud = matches!(e.action, Action::Failed | Action::Conflict | Action::Skipped);
                if let Some(cause) = e.cause.as_ref().filter(|_| loud) {
                    out.flush();
                    meter.pause(|| message(&told(e.source, cause)));
                }
            }
            Event::Warning { path, cause } => {
                meter.pause(|| message(&told(path, &format!("warning: {cause}"))));
            }
            _ => {}
        }
    };
    let mut results = Vec::new();
    match &args.copy.also {
        None => results.push((options.destination.as_path(), copy(&options, &progress, &mut tell))),
        Some(also) => {
            let folders = [options.destination.as_path(), also.as_path()];
            results.extend(folders.into_iter().zip(copy_to_both(&options, also, &progress, &mut tell)));
        }
    }
    let mut status =
        results.iter().fold(0, |all, (_, result)| all | result.as_ref().map_or_else(Error::status, Summary::status));
    let mut errors: Vec<String> =
        results.iter().filter_map(|(_, result)| Some(result.as_ref().err()?.to_string())).collect();
    // Both may have failed for the same reason.
    errors.dedup();
    if let (signal @ 1.., false) = (signal.load(Ordering::Relaxed), errors.is_empty()) {
        // The status that shells report for a program ended by a signal.
        status = 128 + signal as u8;
    }
    let is_over = results.iter().all(|(_, result)| result.is_err());
    if let ([error], false) = (&mut errors[..], is_over) {
        let failed = results.iter().filter(|(_, result)| result.is_err()).map(|(to, _)| shown(to.as_os_str()));
        if error.ends_with("nothing was copied") {
            *error += &format!(" to {}", failed.collect::<String>());
        }
    }
    out.flush();
    for error in &errors {
        meter.pause(|| message(error));
        if let Some(log) = &mut log {
            log.put(error);
        }
    }
    if is_over {
        drop(out);
        drop(meter);
        return end_without(args.copy.json, status);
    }
    let mut closings = String::new();
    for (to, result) in &results {
        if results.len() > 1 {
            closings += &format!("{}: ", shown(to.as_os_str()));
        }
        closings += &match result {
            Ok(summary) => closing(summary, to, options.dry_run),
            Err(_) => "FAILED\n".into(),
        };
    }
    if let Some(mut log) = log {
        log.put(&format!("{}; exit status {status}", closings.trim_end().replace('\n', "; ")));
        if let Some(text) = log.end() {
            meter.pause(|| message(&text));
            status |= NOT_RECORDED;
        }
    }
    if out.flow().is_break() {
        // The output cannot be written, but everything has been copied.
    } else if args.copy.json {
        let totals_of = |(_, result): &(&Path, Result<Summary, Error>)| match result {
            Ok(summary) => Of { error: None, summary: summary.clone() },
            Err(e) => Of { error: Some(e.to_string()), summary: Summary::default() },
        };
        let mut each = results.iter().map(totals_of);
        let totals = Totals { dry_run: options.dry_run, destination: each.next(), also: each.next() };
        out.add(|line| {
            Closing::new(totals, status).put(line);
            line.push(b'\n');
        });
    } else {
        out.add(|to| to.extend_from_slice(closings.as_bytes()));
    }
    let told = out.finish();
    drop(meter);
    // The copy is done, but output that could not be written counts as a failure.
    ExitCode::from(status | u8::from(!told))
}

/// Makes Ctrl-C, a closed terminal or `kill` end the run in good order. A second signal ends it at once, which is safe
/// too but leaves temporary files to the next run. Returns where the signal's number will be stored.
fn stop_on_signals(progress: &Progress) -> Arc<AtomicUsize> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag::{register, register_conditional_shutdown, register_usize};
    let number = Arc::new(AtomicUsize::new(0));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if is_ignored(signal) {
            continue;
        }
        // A signal that cannot be caught ends the program as usual.
        let _ = register_conditional_shutdown(signal, 128 + signal, progress.stop_flag());
        let _ = register_usize(signal, Arc::clone(&number), signal as usize);
        let _ = register(signal, progress.stop_flag());
    }
    number
}

#[derive(serde::Serialize)]
struct Totals {
    dry_run: bool,
    #[serde(flatten)]
    destination: Option<Of>,
    /// Of the second one.
    #[serde(skip_serializing_if = "Option::is_none")]
    also: Option<Of>,
}

/// What became of a destination.
#[derive(serde::Serialize)]
struct Of {
    /// Why nothing could be copied there.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(flatten)]
    summary: Summary,
}

/// Returns a message about a file.
fn told(path: &Path, cause: &str) -> String {
    format!("{}: {cause}", shown(path.as_os_str()))
}

/// Returns the line about a file, or `None` for one that only a message is about. If `detailed`, it says when a picture
/// was taken.
fn line(e: &FileEvent<'_>, detailed: bool) -> Option<String> {
    let what = match e.action {
        Action::Copied if e.replaced => "replace",
        Action::Copied if e.renamed => "rename",
        Action::Copied => "copy",
        Action::Same => "same",
        Action::Duplicate => "duplicate",
        Action::Linked => "link",
        Action::Conflict => "conflict",
        _ => return None,
    };
    let to = e.destination.as_deref().map_or_else(String::new, |d: &Path| format!(" -> {}", shown(d.as_os_str())));
    let date = match e.taken {
        Some(t) if detailed => {
            let local = t.local.map_or_else(String::new, |at| at.format(" %Y-%m-%d %H:%M:%S").to_string());
            let zone = t.offset.map_or_else(String::new, |o| format!(" {o}"));
            format!("  [{}{local}{zone}]", t.origin.words())
        }
        _ => String::new(),
    };
    Some(format!("{what:<9} {}{to}{date}\n", shown(e.source.as_os_str())))
}

/// Returns the closing line about a destination.
fn closing(s: &Summary, destination: &Path, rehearsal: bool) -> String {
    let files = |n: u64| if n == 1 { "1 file".to_string() } else { format!("{n} files") };
    let mut text = if rehearsal {
        format!("{} would be copied ({})", files(s.copied), HumanBytes(s.bytes))
    } else {
        format!("{} copied ({})", files(s.copied), HumanBytes(s.bytes))
    };
    for (n, what) in [
        (s.renamed, "of them renamed"),
        (s.replaced, "of them in place of others"),
        (s.same, "there already"),
        (s.duplicates, "there under other names"),
        (s.linked, "symbolic links"),
        (s.left, "left alone"),
        (s.skipped, "skipped"),
        (s.left_out, "left out (thumbnails and system files; --all copies them)"),
        (s.removed, if rehearsal { "sources would be deleted" } else { "sources deleted" }),
        (s.repeated, "copied twice"),
        (s.failed, "FAILED"),
        (s.damaged, "DAMAGED in the destination"),
    ] {
        if n > 0 {
            text += &format!(", {n} {what}");
        }
    }
    if s.missing_bytes > 0 {
        let (missing, free) = (HumanBytes(s.missing_bytes), HumanBytes(s.free_bytes));
        let to = shown(destination.as_os_str());
        let unfit = if rehearsal { "does not fit: " } else { "" };
        text += &format!("; {unfit}{missing} more are needed in {to} ({free} free)");
    }
    text + &how_dated(s) + &how_verified(&s.verified) + "\n"
}

/// Describes how many files have dates that are not their own: `dated by name 3, by modification time 5`.
fn how_dated(s: &Summary) -> String {
    let dates = s.dated_by.iter().filter(|(origin, _)| **origin != Origin::Unknown);
    let all: Vec<String> = dates.filter_map(|(o, n)| Some(format!("by {} {n}", o.substitute()?))).collect();
    let mut text = if all.is_empty() { String::new() } else { format!(", dated {}", all.join(", ")) };
    if let Some(n) = s.dated_by.get(&Origin::Unknown) {
        text += &format!(", without a date {n}");
    }
    text
}

/// Describes how copies were read back on each file system.
fn how_verified(all: &[Verified]) -> String {
    let mut text = String::new();
    for v in all {
        let several = u8::from(v.direct > 0) + u8::from(v.dropped > 0) + u8::from(v.cached > 0) > 1;
        for (n, how) in [
            (v.direct, "from the medium (O_DIRECT"),
            (v.dropped, "from the medium (page cache dropped"),
            (v.cached, "from the page cache (it cannot be bypassed"),
        ] {
            if n > 0 {
                text += if text.is_empty() { "; read back " } else { ", " };
                if several || all.len() > 1 {
                    text += &format!("{n} {how}, {})", v.file_system);
                } else {
                    text += &format!("{how}, {})", v.file_system);
                }
            }
        }
    }
    text
}
