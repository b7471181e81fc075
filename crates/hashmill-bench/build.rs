//! Tells the crate when and by which compiler it was built, for the head of `speed`, and the versions of the crates
//! that it compares with.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH");
    let seconds = env::var("SOURCE_DATE_EPOCH").ok().and_then(|s| s.parse().ok()).unwrap_or_else(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map(|d| d.as_secs()).unwrap_or_default()
    });
    println!("cargo::rustc-env=HASHMILL_BUILT_ON={}", date(seconds));
    let rustc = env::var_os("RUSTC").unwrap_or("rustc".into());
    let version = Command::new(rustc).arg("--version").output().ok();
    let version = version.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string()).filter(|s| !s.is_empty());
    let mut compiler = version.unwrap_or("rustc".into());
    for (flag, var) in [("--target", "TARGET"), ("-C opt-level", "OPT_LEVEL")] {
        if let Ok(value) = env::var(var) {
            compiler += &format!(" {flag}={value}");
        }
    }
    // Of the flags only those that choose instructions: others may hold paths.
    for flag in env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().split('\x1f') {
        let bare = flag.strip_prefix("-C").unwrap_or(flag);
        if bare.starts_with("target-cpu=") || bare.starts_with("target-feature=") {
            compiler += &format!(" -C {bare}");
        }
    }
    println!("cargo::rustc-env=HASHMILL_COMPILER={compiler}");
    println!("cargo::rustc-env=HASHMILL_CRATES={}", crates().unwrap_or_default());
}

/// `blake2 0.11.0;digest 0.11.3;…`: what this package depends on, from the workspace's lock file. Nothing where there
/// is none, as in a packaged crate.
fn crates() -> Option<String> {
    let lock = Path::new(&env::var_os("CARGO_MANIFEST_DIR")?).join("../../Cargo.lock");
    let text = fs::read_to_string(&lock).ok()?;
    println!("cargo::rerun-if-changed={}", lock.display());
    let value = |package: &str, key: &str| {
        let line = package.lines().find_map(|l| l.strip_prefix(key)?.strip_prefix(" = "));
        line.map(|v| v.trim_matches('"').to_string())
    };
    let packages: Vec<&str> = text.split("[[package]]").collect();
    let this = packages.iter().find(|p| value(p, "name").as_deref() == Some(env!("CARGO_PKG_NAME")))?;
    let dependencies = this.split_once("dependencies = [")?.1.split('"').skip(1).step_by(2);
    let versions = dependencies.filter_map(|d| match d.split_once(' ') {
        // The number is there where several versions of a crate are locked.
        Some((name, number)) => Some(format!("{name} {number}")),
        None => {
            let package = packages.iter().find(|p| value(p, "name").as_deref() == Some(d))?;
            Some(format!("{d} {}", value(package, "version")?))
        }
    });
    Some(versions.collect::<Vec<_>>().join(";"))
}

/// `Fri Apr  3 12:29:32 2026 UTC`
fn date(seconds: u64) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let days = seconds / 86400;
    // Days since 1 March of the year 0, in eras of 400 years.
    let z = days + 719_468;
    let of_era = z % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let m = (5 * of_year + 2) / 153;
    let day = of_year - (153 * m + 2) / 5 + 1;
    let month = (m + 2) % 12;
    let year = z / 146_097 * 400 + year_of_era + u64::from(month < 2);
    let (h, min, s) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let (weekday, month) = (DAYS[(days % 7) as usize], MONTHS[month as usize]);
    format!("{weekday} {month} {day:2} {h:02}:{min:02}:{s:02} {year} UTC")
}
