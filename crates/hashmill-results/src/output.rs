//! Output of the commands that measure.
//!
//! Before anything is measured, it is checked that the chart and the store can be written.

use crate::store::Store;
use clap::{Args, ValueHint};
use hashmill_measure::chart::Chart;
use hashmill_measure::run::{Ended, emit, replace, writable};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// Where results go.
#[derive(Debug, Clone, Default, Args)]
pub struct OutputArgs {
    /// Print JSON with every sample
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// Draw a chart to this file (SVG)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub svg: Option<PathBuf>,

    /// Keep the run, under a name if one is given (--save=NAME; also --save NAME, unless NAME is
    /// something the command could measure); see `hashmill results --help`
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "",
          help_heading = "Output")]
    pub save: Option<String>,

    /// The store to keep it in; by default $XDG_DATA_HOME/hashmill/results.db
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub db: Option<PathBuf>,
}

/// The arguments with a name after `--save` joined to it: `--save NAME` becomes `--save=NAME`, unless NAME is an
/// option, or `is_operand` says that the command could measure it.
pub fn join_save(args: Vec<OsString>, is_operand: impl Fn(&str) -> bool) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    let mut options_end = false;
    for arg in args {
        let follows_save = !options_end && joined.last().is_some_and(|last| last == "--save");
        options_end |= arg == "--";
        match arg.to_str() {
            Some(name) if follows_save && !name.starts_with('-') && !is_operand(name) => {
                joined.pop();
                joined.push(format!("--save={name}").into());
            }
            _ => joined.push(arg),
        }
    }
    joined
}

impl OutputArgs {
    /// Checks, before anything is measured, that the chart can be written and the store can be opened.
    ///
    /// # Errors
    /// Returns one line that says which of them cannot be used, and why.
    pub fn ready(&self) -> Result<(), String> {
        if let Some(path) = &self.svg {
            writable(path).map_err(|e| format!("{}: {e}", path.display()))?;
        }
        if self.save.is_some() {
            Store::open(self.db.as_deref()).map_err(|e| e.to_string())?;
        }
        Ok(())
    }

    /// Writes what the user asked for: text or JSON to stdout, the chart, and the run to the store.
    pub fn show(&self, mut ended: Ended, text: &str, chart: Option<&Chart>) -> ExitCode {
        let written = match self.json {
            true => match serde_json::to_string_pretty(&ended.run) {
                Ok(json) => emit(&(json + "\n")),
                Err(e) => Err(e.into()),
            },
            false => emit(text),
        };
        if let Err(e) = written {
            ended.error(format!("cannot write: {e}"));
        }
        if let Some(path) = &self.svg {
            let dated = |c: &Chart| {
                let day = ended.run.started.split('T').next().unwrap_or_default();
                Chart {
                    subtitle: format!("{}; hashmill {}, {day}", c.subtitle, ended.run.machine.hashmill),
                    ..c.clone()
                }
                .svg()
            };
            match chart.map(dated) {
                None => ended.error(format!("{}: there is no chart of this", path.display())),
                Some(Err(e)) => ended.error(format!("{}: {e}", path.display())),
                Some(Ok(svg)) => {
                    if let Err(e) = replace(path, svg.as_bytes()) {
                        ended.error(format!("{}: {e}", path.display()));
                    }
                }
            }
        }
        if let Some(tag) = &self.save {
            ended.run.tag = Some(tag.clone()).filter(|t| !t.is_empty());
            match Store::open(self.db.as_deref()).and_then(|mut s| s.save(&ended.run)) {
                Ok(id) => ended.note(format!("saved as run {id}")),
                Err(e) => ended.error(e.to_string()),
            }
        }
        ended.status()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_measure::run::{Findings, Session};
    use std::fs;

    #[test]
    fn runs_that_cannot_be_kept_after_measuring_fail() {
        let dir = tempfile::tempdir().unwrap();
        let db = dir.path().join("results.db");
        let output = OutputArgs { save: Some("before".into()), db: Some(db.clone()), ..OutputArgs::default() };
        output.ready().unwrap();
        let ended = || Session::begin_untimed("bench lanes").end(Findings::default());
        assert_eq!(output.show(ended(), "", None), ExitCode::SUCCESS);
        // Someone else's file replaces the store while the command measures.
        fs::write(&db, "dear diary\n").unwrap();
        assert_eq!(output.show(ended(), "", None), ExitCode::FAILURE);
        assert_eq!(fs::read_to_string(&db).unwrap(), "dear diary\n");
        let svg = OutputArgs { svg: Some(dir.path().join("none/a.svg")), ..OutputArgs::default() };
        assert_eq!(svg.show(ended(), "", None), ExitCode::FAILURE);
    }

    #[test]
    fn names_after_save() {
        let operand = |a: &str| a == "md5" || a == "photos";
        let joined = |line: &str| {
            let args = join_save(line.split_whitespace().map(OsString::from).collect(), operand);
            args.iter().map(|a| a.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        for (typed, meant) in [
            ("lanes --save before md5", "lanes --save=before md5"),
            ("lanes md5 --save before", "lanes md5 --save=before"),
            ("lanes --save md5", "lanes --save md5"),
            ("lanes --save=md5 md5", "lanes --save=md5 md5"),
            ("lanes --save --json", "lanes --save --json"),
            ("files --save photos", "files --save photos"),
            ("files -- --save x", "files -- --save x"),
            ("lanes --save", "lanes --save"),
        ] {
            assert_eq!(joined(typed), meant);
        }
    }
}
