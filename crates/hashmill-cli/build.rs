//! Links `hashmill` statically (as a position-independent executable) where the C compiler has what that takes: then
//! nothing has to be found, mapped and relocated at every start, which is a quarter of the time in which a small file is hashed.
//! Elsewhere, and with `HASHMILL_LINK=dynamic` in the environment, it is linked as usual.
//!
//! Cargo knows static linking of glibc (`crt-static`) only for all crates of a build at once, which proc macros and shared
//! libraries forbid; and `hashmill-measure` must be linked dynamically, because it loads libcrypto, which would bring a second libc
//! with it. So this goes through the linker: `libc.so` and the others that rustc asks for are found first as linker
//! scripts, which name the archives.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=HASHMILL_LINK");
    println!("cargo::rustc-link-arg-bin=hashmill=-Wl,-z,noseparate-code");
    let is = |key: &str, value: &str| env::var(key).is_ok_and(|v| v == value);
    let native = env::var("HOST") == env::var("TARGET");
    if !(native && is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu"))
        || is("HASHMILL_LINK", "dynamic")
    {
        return;
    }
    let file = |name: &str| {
        let answer = Command::new("cc").arg(format!("-print-file-name={name}")).output().ok()?;
        let path = String::from_utf8(answer.stdout).ok()?.trim().to_string();
        // Without a directory the compiler does not have it.
        Path::new(&path).is_absolute().then_some(path)
    };
    let found = ["libgcc_eh.a", "libgcc.a", "libm.a", "libc.a", "rcrt1.o"].map(file);
    let ([Some(eh), Some(gcc), Some(m), Some(c), Some(_)], Ok(dir)) = (found, env::var("OUT_DIR")) else {
        return;
    };
    let scripts = [
        ("libgcc_s.so", format!("GROUP ( {eh} {gcc} {c} )\n")),
        ("libm.so", format!("GROUP ( {m} {c} )\n")),
        ("libc.so", format!("GROUP ( {c} {eh} {gcc} )\n")),
    ];
    if scripts.iter().all(|(name, text)| fs::write(Path::new(&dir).join(name), text).is_ok()) {
        println!("cargo::rustc-link-arg-bin=hashmill=-L{dir}");
        println!("cargo::rustc-link-arg-bin=hashmill=-static-pie");
    }
}
