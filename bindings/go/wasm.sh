#!/usr/bin/env bash
# wasm.sh: builds the C library for WebAssembly and writes bindings/go/hashmill.wasm, which is embedded in the Go
# package for builds without cgo, and bindings/go/hashmill.wasm.sources, from which the tests can tell whether it was
# built from the current sources. It has only our own kernels, `portable` and those for simd128, and imports nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${CARGO_TARGET_DIR:-$PWD/target}
triple=wasm32-unknown-unknown
most=$((2 * 1024 * 1024))
if ! compgen -G "$(rustc --print sysroot)/lib/rustlib/$triple/lib/libstd-*.rlib" >/dev/null; then
    rustup target add "$triple" >/dev/null 2>&1 || { echo "wasm: no standard library for $triple: rustup target add $triple" >&2; exit 1; }
fi
# Kernels are inlined whatever the threshold; the plumbing around them need not be. Level 3 is a quarter larger and no
# faster under wazero; level s makes SHA-3 ten times slower. The paths of this machine are kept out of the module.
CARGO_TARGET_DIR=$target/wasm \
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="-C target-feature=+simd128 -C llvm-args=-inline-threshold=25 --remap-path-prefix=$PWD=. --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo --remap-path-prefix=$(rustc --print sysroot)=rust" \
    CARGO_PROFILE_RELEASE_OPT_LEVEL=2 CARGO_PROFILE_RELEASE_DEBUG=false CARGO_PROFILE_RELEASE_STRIP=symbols CARGO_PROFILE_RELEASE_LTO=fat CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1 CARGO_PROFILE_RELEASE_PANIC=abort \
    cargo rustc --quiet --release --package hashmill-c --lib --crate-type cdylib --no-default-features --target "$triple"
built=$target/wasm/$triple/release/hashmill_c.wasm
size=$(stat -c %s "$built")
[ "$size" -le $most ] || { echo "wasm: $size bytes are more than $most" >&2; exit 1; }
cp "$built" bindings/go/hashmill.wasm
{
    echo "# hashmill.wasm, written by bindings/go/wasm.sh: $size bytes, by $(rustc --version)"
    echo "- SHA-256: $(sha256sum <bindings/go/hashmill.wasm | cut -d' ' -f1)"
    cargo run --quiet --release --package xtask -- stale --line bindings/go/hashmill.wasm.sources
} >bindings/go/hashmill.wasm.sources
echo "wasm: bindings/go/hashmill.wasm, $(numfmt --to=iec-i --suffix=B "$size")"
