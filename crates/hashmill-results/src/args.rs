//! The command line of `results`, as data.

use crate::page::clean;
use crate::{compare, history, list, transfer};
use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;
use std::process::ExitCode;

/// Look at runs that were kept with --save
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill bench kernels sha256 --save=before     keep a run under a name
  hashmill results list                           what was kept
  hashmill results compare before last --fail-if slower:5%
  hashmill results history sha256                 one algorithm in all runs

Files:
  ~/.local/share/hashmill/results.db   the store; or below $XDG_DATA_HOME
")]
pub struct ResultsArgs {
    #[command(subcommand)]
    command: ResultsCommand,

    /// The store; $XDG_DATA_HOME/hashmill/results.db (~/.local/share/hashmill/results.db) if not given
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, global = true)]
    db: Option<PathBuf>,
}

impl ResultsArgs {
    /// Runs the subcommand.
    pub fn run(self) -> ExitCode {
        let db = self.db.as_deref();
        let (name, result) = match &self.command {
            ResultsCommand::List(a) => ("list", list::list(db, a)),
            ResultsCommand::Show(a) => ("show", list::show(db, a)),
            ResultsCommand::Export(a) => ("export", transfer::export(db, a)),
            ResultsCommand::Import(a) => ("import", transfer::import(db, a)),
            ResultsCommand::Compare(a) => ("compare", compare::run(db, a)),
            ResultsCommand::History(a) => ("history", history::run(db, a)),
            ResultsCommand::Delete(a) => ("delete", list::delete(db, a)),
            ResultsCommand::Check(_) => ("check", list::check(db)),
        };
        result.unwrap_or_else(|e| {
            hashmill_measure::run::say(&format!("results {name}"), clean(&e.to_string()));
            ExitCode::FAILURE
        })
    }
}

#[derive(Debug, Subcommand)]
enum ResultsCommand {
    List(list::ListArgs),
    Show(list::ShowArgs),
    Export(transfer::ExportArgs),
    Import(transfer::ImportArgs),
    Compare(compare::CompareArgs),
    History(history::HistoryArgs),
    Delete(list::DeleteArgs),
    Check(list::CheckArgs),
}
