//! Records the versions of the crates that hashmill is measured against.

use std::env;
use std::fs;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=HASHMILL_CRATES={}", crates().unwrap_or_default());
}

/// Returns this package's dependencies from the workspace's lock file: `blake2 0.11.0;digest 0.11.3;…`. `None` if there
/// is no lock file, as in a packaged crate.
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
        // The number is there if several versions of a crate are locked.
        Some((name, number)) => Some(format!("{name} {number}")),
        None => {
            let package = packages.iter().find(|p| value(p, "name").as_deref() == Some(d))?;
            Some(format!("{d} {}", value(package, "version")?))
        }
    });
    Some(versions.collect::<Vec<_>>().join(";"))
}
