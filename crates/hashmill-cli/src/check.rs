use crate::cli::CheckArgs;
use std::process::ExitCode;
pub(crate) fn run(_args: &CheckArgs) -> ExitCode {
    ExitCode::SUCCESS
}
