//! `hashmill-bench-openssl DIR`: builds OpenSSL's static libraries in DIR, with the C compiler, Perl and make, and
//! prints where they are on the last line.

use std::env::consts::{ARCH, OS};

fn main() -> Result<(), String> {
    let dir = std::env::args().nth(1).ok_or("usage: hashmill-bench-openssl DIR")?;
    let target = match OS {
        "macos" => format!("{ARCH}-apple-darwin"),
        _ => format!("{ARCH}-unknown-linux-gnu"),
    };
    let built = openssl_src::Build::new().target(&target).host(&target).out_dir(dir).try_build()?;
    println!("{}", built.lib_dir().display());
    Ok(())
}
