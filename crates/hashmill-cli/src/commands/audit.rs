//! `hashmill audit`: what became of the files in a list.

use crate::args::trees::AuditArgs;
use crate::args::usage::USAGE;
use crate::commands::changes::{Changes, Shape, about};
use crate::commands::lists::{Opened, open};
#[cfg(feature = "copy")]
use crate::commands::repair::{Damage, How};
use crate::terminal::input::key;
use crate::terminal::output::{Lines, end_without, how_read, message, shown};
use crate::terminal::progress::{Interrupt, Meter};
use crate::terminal::target::{replace, replace_own};
use hashmill_files::ours::list_in;
use hashmill_files::{Filter, Progress, plain};
use hashmill_lists::{Function, ReadOptions, format_time};
use hashmill_trees::{
    AuditError, AuditEvent, AuditOptions, AuditSummary, ListEvent, Share, Source, Verified, audit, times_of,
    verified_of,
};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Maximum number of lines of a list that are reported one by one because they cannot be used.
const MAX_COMPLAINTS: u64 = 20;

pub(crate) fn run(args: &AuditArgs) -> ExitCode {
    match Plan::new(args) {
        Ok(plan) => plan.run(args),
        Err(text) => {
            message(&text);
            end_without(args.json, USAGE)
        }
    }
}

/// What the arguments ask for.
struct Plan {
    lists: Vec<OsString>,
    options: AuditOptions,
    #[cfg(feature = "copy")]
    damage: Option<Damage>,
}

impl Plan {
    fn new(args: &AuditArgs) -> Result<Plan, String> {
        let is_folder = |path: &&OsString| *path != "-" && Path::new(path).is_dir();
        let (folders, lists): (Vec<OsString>, Vec<OsString>) = args.paths.iter().cloned().partition(|p| is_folder(&p));
        let folder = match &folders[..] {
            [] => None,
            [one] => Some(PathBuf::from(one)),
            [a, b, ..] => {
                return Err(format!("{} and {} are both folders: audit takes one", shown(a), shown(b)));
            }
        };
        let lists = match &folder {
            Some(folder) if lists.is_empty() => vec![list_of(folder)?.into()],
            _ => lists,
        };
        if (args.oldest.is_some() || args.budget.is_some()) && args.state.is_none() && lists[0] == "-" {
            return Err("--oldest and --budget need --state, since standard input has no place for it".into());
        }
        if let Some(base) = &args.directory
            && let Err(e) = std::fs::read_dir(base)
        {
            return Err(format!("{}: {}", shown(base.as_os_str()), plain(&e)));
        }
        Ok(Plan {
            lists,
            #[cfg(feature = "copy")]
            damage: args.repair.as_deref().map(Damage::new).transpose()?,
            options: AuditOptions {
                folder,
                base: args.directory.clone(),
                function: args.algorithm,
                key: key(args.key_file.as_deref())?,
                no_guess: args.no_guess,
                allow_short: args.allow_short,
                zero: args.zero,
                quick: args.quick,
                share: args.budget.map(Share::Time).or(args.oldest.map(Share::Part)),
                filter: Filter::new(&args.selection, &[])?,
                threads: args.reading.threads,
                io: args.reading.io,
            },
        })
    }

    // Without copies nothing is repaired.
    #[cfg_attr(not(feature = "copy"), allow(unused_mut, reason = "only repairs change it"))]
    fn run(mut self, args: &AuditArgs) -> ExitCode {
        let progress = Arc::new(Progress::default());
        let meter = Meter::start(args.progress, Interrupt::Ends, &progress);
        let say = |text: &str| meter.pause(|| message(text));
        let reading = ReadOptions {
            algorithm: self.options.function.and_then(Function::plain),
            allow_short: args.allow_short,
            zero: args.zero,
        };
        let mut sources = Vec::new();
        let mut names = Vec::new();
        for list in &self.lists {
            let name = if list == "-" { "standard input".into() } else { shown(list) };
            match open(list, &reading, true) {
                Ok(Opened { reader, .. }) => {
                    let times = Some(times_of(Path::new(list))).filter(|_| list != "-");
                    let times = times.and_then(|times| File::open(times).ok());
                    let times = times.map(|file| Box::new(BufReader::new(file)) as Box<_>);
                    sources.push(Source { path: list.into(), reader: Box::new(reader), times });
                }
                Err(refusal) => {
                    say(&format!("{name}: {}", refusal.what));
                    return end_without(args.json, 1);
                }
            }
            names.push(name);
        }
        let state = match (&args.state, &self.lists[..]) {
            (Some(state), _) => Some(state.clone()),
            (None, [list, ..]) if self.options.share.is_some() => Some(verified_of(Path::new(list))),
            _ => None,
        };
        let mut verified = match state.as_deref().map(verified) {
            None => Verified::default(),
            Some(Ok(verified)) => verified,
            Some(Err(text)) => {
                say(&text);
                return end_without(args.json, 1);
            }
        };
        let days = verified.days();
        let mut out = Lines::new(&meter).safe();
        let shape = match () {
            () if args.json => Shape::Json,
            () if args.combined => Shape::Combined,
            () => Shape::Text { all: args.verbose },
        };
        let mut changes = Changes::new(shape, args.color);
        let mut complaints = 0;
        let result = audit(sources, &self.options, Some(&mut verified), &progress, |event| {
            match event {
                AuditEvent::List(list, event) => {
                    if let Some(text) = about(&event) {
                        complaints += u64::from(matches!(event, ListEvent::BadLine { .. }));
                        if complaints <= MAX_COMPLAINTS {
                            say(&format!("{}: {text}", names[list]));
                        }
                    }
                }
                AuditEvent::Begins { folder, base: _base } => {
                    changes.folder = shown(folder.as_os_str());
                    #[cfg(feature = "copy")]
                    self.damage.iter_mut().for_each(|damage| damage.begin(&folder, _base.as_deref()));
                }
                AuditEvent::File(file) => {
                    #[cfg(feature = "copy")]
                    self.damage.iter_mut().for_each(|damage| damage.note(&file));
                    if let Some(text) = changes.put(&file, &mut out) {
                        out.flush();
                        say(&text);
                    }
                }
                AuditEvent::Device { path, one_reader } if args.verbose => say(&how_read(&path, one_reader)),
                AuditEvent::Read(..) | AuditEvent::Device { .. } => {}
                AuditEvent::Idle => out.flush(),
            }
            out.flow()
        });
        if complaints > MAX_COMPLAINTS {
            say(&format!("and {} more lines like these", complaints - MAX_COMPLAINTS));
        }
        let summary = match result {
            Ok(summary) => summary,
            Err(e) => {
                let _ = out.finish();
                let text = match &e {
                    AuditError::List(list, _) => format!("{}: {e}", names[*list]),
                    AuditError::Nothing(_) => format!("{}: {e}", names.join(", ")),
                    e => e.to_string(),
                };
                say(&text);
                return end_without(args.json, 1);
            }
        };
        let mut bits = summary.bits(args.allow_new);
        if progress.is_stopped() {
            bits |= 4;
        }
        if let Some(state) = &state
            && let Err(e) = put_state(state, args.state.is_some(), &verified)
        {
            say(&format!("{}: {e}", shown(state.as_os_str())));
            bits |= 4;
        }
        #[cfg(feature = "copy")]
        if let Some(damage) = self.damage.filter(|_| !progress.is_stopped() && out.flow().is_continue()) {
            let AuditOptions { key, threads, io, .. } = &self.options;
            let how = How { key: key.as_ref(), threads: *threads, io: *io };
            changes.repaired = Some(damage.repair(&how, &changes, &progress, &mut out, &say));
        }
        let status = if args.exit_bits { bits } else { u8::from(bits != 0) };
        if self.options.share.is_some() {
            changes.outlook = outlook(&summary, &days);
        }
        let closing = changes.close(&summary, status, &mut out);
        let written = out.finish();
        if let Some(text) = closing {
            say(&text);
        }
        drop(meter);
        ExitCode::from(if written { status } else { status.max(1) })
    }
}

/// Returns the list that copies keep of what is in a folder, or in one that it is a part of.
fn list_of(folder: &Path) -> Result<PathBuf, String> {
    let has_list = |folder: &&Path| list_in(folder).is_file();
    let whole = std::fs::canonicalize(folder).unwrap_or_default();
    // As it was typed, if possible. A link may lead elsewhere.
    let is_above = |above: &&Path| std::fs::canonicalize(above).is_ok_and(|above| whole.starts_with(above));
    let typed = folder.ancestors().filter(|above| !above.as_os_str().is_empty()).filter(is_above).find(has_list);
    typed.or_else(|| whole.ancestors().find(has_list)).map(list_in).ok_or_else(|| {
        let folder = shown(folder.as_os_str());
        format!(
            "{folder}: is a folder; audit needs a list of what was in it; hashmill copy keeps one in the folders that it \
             copies to"
        )
    })
}

/// Writes when files were last verified, to a file that was named or to the one next to the list.
fn put_state(state: &Path, is_named: bool, verified: &Verified) -> Result<(), String> {
    let lines = verified.lines().map(Ok);
    if is_named { replace(state, lines) } else { replace_own(state, lines) }
}

/// Returns when files were last verified.
fn verified(state: &Path) -> Result<Verified, String> {
    let read = File::open(state).and_then(|file| Verified::read(BufReader::new(file)));
    match read {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(format!("{}: {}", shown(state.as_os_str()), plain(&e))),
        other => Ok(other.unwrap_or_default()),
    }
}

/// Says when everything will have been read, given the days, since 1970, of the runs before this one.
fn outlook(summary: &AuditSummary, days: &BTreeSet<i64>) -> String {
    let (files, bytes) = summary.turn;
    let (files_left, bytes_left) = summary.left;
    if files_left == 0 {
        let since = summary.since.map(|since| format!(" since {}", &format_time((since, 0))[..10]));
        return format!("everything has been read{}", since.unwrap_or_default());
    }
    let were = if files_left == 1 { "1 file was" } else { &format!("{files_left} files were") };
    if files == 0 {
        return format!("{were} never read");
    }
    // By bytes, unless all files are empty.
    let runs = if bytes > 0 { bytes_left.div_ceil(bytes) } else { files_left.div_ceil(files) };
    let text =
        format!("{were} never read, for which it takes about {runs} more run{}", if runs == 1 { "" } else { "s" });
    let today = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs() as i64 / 86400);
    let (Some(first), count) = (days.first().filter(|first| **first < today), days.len() as i64) else { return text };
    // What was verified again since is no longer among the days, so the pace is at least this.
    let pace = (today - first) as f64 / count as f64;
    let by = today + (pace * runs as f64).ceil() as i64;
    let date = format_time((by * 86400, 0));
    format!("{text}: by {} at the pace of the last ones", &date[..10])
}
