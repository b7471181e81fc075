//! Records when the crate was built and with which compiler.

use std::env;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH");
    let seconds = env::var("SOURCE_DATE_EPOCH").ok().and_then(|s| s.parse().ok()).unwrap_or_else(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map(|d| d.as_secs()).unwrap_or_default()
    });
    println!("cargo::rustc-env=HASHMILL_BUILT_AT={seconds}");
    let rustc = env::var_os("RUSTC").unwrap_or("rustc".into());
    let version = Command::new(rustc).arg("--version").output().ok();
    let version = version.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string()).filter(|s| !s.is_empty());
    let mut compiler = version.unwrap_or("rustc".into());
    for (flag, var) in [("--target", "TARGET"), ("-C opt-level", "OPT_LEVEL")] {
        if let Ok(value) = env::var(var) {
            compiler += &format!(" {flag}={value}");
        }
    }
    // Only the flags that select instructions are kept; others may contain paths.
    for flag in env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().split('\x1f') {
        let bare = flag.strip_prefix("-C").unwrap_or(flag);
        if bare.starts_with("target-cpu=") || bare.starts_with("target-feature=") {
            compiler += &format!(" -C {bare}");
        }
    }
    println!("cargo::rustc-env=HASHMILL_COMPILER={compiler}");
}
