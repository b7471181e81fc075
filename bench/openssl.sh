#!/usr/bin/env bash
# openssl.sh: builds a current libcrypto, to compare with in addition to the system's, and prints its path. The library
# is built only once, in target/bench/openssl, from the source in the crate openssl-src (bench/openssl/Cargo.lock names
# the version). Needs a C compiler, Perl and make.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# 3.6.3 from `version = "300.6.1+3.6.3"`.
version=$(sed -n '/^name = "openssl-src"$/ { n; s/^version = ".*+\(.*\)"$/\1/p }' bench/openssl/Cargo.lock)
[ -n "$version" ] || { echo "openssl.sh: bench/openssl/Cargo.lock names no version of openssl-src" >&2; exit 1; }
dir=${CARGO_TARGET_DIR:-target}/bench/openssl
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
library=$dir/libcrypto-$version.so
if [ ! -e "$library" ]; then
    work=$dir/build-$version.$$
    mkdir -p "$work"
    trap 'rm -rf "$work"' EXIT
    echo "openssl.sh: building OpenSSL $version, which takes some minutes" >&2
    if ! cargo run --quiet --release --locked --manifest-path bench/openssl/Cargo.toml --target-dir "$dir/cargo" -- "$work" \
        >"$work/log" 2>&1; then
        tail -n 20 "$work/log" >&2
        exit 1
    fi
    # The library's functions call each other, not those of the same name in another libcrypto in the process. It has no
    # soname: otherwise the loader would mistake it for the system's.
    ${CC:-cc} -shared -Wl,-Bsymbolic -o "$work/libcrypto.so" \
        -Wl,--whole-archive "$(tail -n 1 "$work/log")/libcrypto.a" -Wl,--no-whole-archive -ldl -lpthread
    mv "$work/libcrypto.so" "$library"
fi
echo "$library"
