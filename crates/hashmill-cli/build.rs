//! How `hashmill` is linked on Linux with glibc: what a start costs is decided here, since a small file is hashed in
//! less time than the program takes to be loaded. All of it is options of the linker.
//!
//! Tried and left out: the functions that `sum` calls at its start side by side, by a list of their symbols. With half
//! of the list, which is what another build still has, there were 149 page faults instead of 167, and 2 % of the time
//! was gained; the names change with every compiler.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=exports.map");
    println!("cargo::rerun-if-env-changed=RUSTFLAGS");
    let is = |key: &str, value: &str| env::var(key).is_ok_and(|v| v == value);
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    // A sanitizer's runtime library wants the program as it is usually linked.
    if !(is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu")) || flags.contains("sanitizer=") {
        return;
    }
    let option = |option: &str| println!("cargo::rustc-link-arg-bin=hashmill={option}");
    // Code and data in fewer pieces to be mapped.
    option("-Wl,-z,noseparate-code");
    // On some older machines glibc looks for a symbol in the program, to know which of its versions that was made for.
    if is("CARGO_CFG_TARGET_POINTER_WIDTH", "64")
        && let Ok(folder) = env::var("CARGO_MANIFEST_DIR")
    {
        option(&format!("-Wl,--version-script={folder}/exports.map"));
    }
    // At fixed addresses: otherwise the loader writes to every page that holds a pointer, which takes a quarter of the
    // time in which a small file is hashed. For a position-independent executable, pass
    // `-C relocation-model=pie`; relocations are packed then, where the linker can.
    if !flags.contains("relocation-model") {
        option("-no-pie");
    } else if links("-Wl,-z,pack-relative-relocs") {
        option("-Wl,-z,pack-relative-relocs");
    }
    // The unwinder, whole, in front of the standard library, which then does not ask for libgcc_s.
    if links("-l:libgcc_eh.a") {
        println!("cargo::rustc-link-lib=static:+whole-archive,-bundle=gcc_eh");
    }
}

/// Whether the C compiler links a program with this option and says nothing against it. Not tried for other machines.
fn links(option: &str) -> bool {
    let Ok(folder) = env::var("OUT_DIR") else { return false };
    let source = Path::new(&folder).join("empty.c");
    if env::var("HOST") != env::var("TARGET") || fs::write(&source, "int main(void) { return 0; }\n").is_err() {
        return false;
    }
    let compiler = env::var_os("RUSTC_LINKER").unwrap_or("cc".into());
    let tried = Command::new(compiler).arg(&source).arg("-o").arg(source.with_extension("out")).arg(option).output();
    tried.is_ok_and(|o| o.status.success() && o.stderr.is_empty())
}
