//! x
/// x
pub fn main(_: Vec<std::ffi::OsString>) -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
