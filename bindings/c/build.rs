//! The shared library's name for the loader: as long as the version begins with 0 its second number counts, then the
//! first.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // cargo-c says it itself.
    if std::env::var_os("CARGO_CFG_CARGO_C").is_some() || std::env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux")
    {
        return;
    }
    let part = |name: &str| std::env::var(format!("CARGO_PKG_VERSION_{name}")).unwrap_or_default();
    let version = match part("MAJOR").as_str() {
        "0" => format!("0.{}", part("MINOR")),
        major => major.to_string(),
    };
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libhashmill.so.{version}");
}
