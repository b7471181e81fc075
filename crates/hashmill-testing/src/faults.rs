//! Calls that fail on purpose: see shim.c.

use crate::{run, stdout, temporary};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Returns the library that makes calls fail, which is compiled once.
pub fn shim() -> &'static Path {
    static SHIM: OnceLock<PathBuf> = OnceLock::new();
    SHIM.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/shim.c");
        let library = temporary().join(format!("shim-{}.so", std::process::id()));
        let args = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o"].map(Path::new);
        let args: Vec<&Path> = args.into_iter().chain([&library, &source, Path::new("-ldl")]).collect();
        stdout(&run(Path::new("."), "cc", &args, b""));
        library
    })
}
