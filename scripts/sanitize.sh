#!/usr/bin/env bash
# sanitize.sh address|thread|miri: runs tests under one of the compiler's sanitizers, with overflow checks
# and debug assertions.
#
#   address   AddressSanitizer and LeakSanitizer: the library, files, copy, and the commands that check and copy
#   thread    ThreadSanitizer: files, copy, and the commands that hash and copy; the standard library is built with it from source
#   miri      Miri, an interpreter that sees undefined behaviour: the library's kernels for x86-64 up to AVX2, and on a big-endian machine
#
# The first two take any compiler, but `thread` needs
# rustup's component rust-src; Miri needs a nightly compiler. rustup installs both.
set -euo pipefail
cd "$(dirname "$0")/.."

sanitizer=${1-}
host=$(rustc -vV | sed -n 's/^host: //p')
CARGO_TARGET_DIR=$(realpath -m "${CARGO_TARGET_DIR:-target}")/sanitize/$sanitizer
export CARGO_TARGET_DIR
export CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true
# Many small codegen units compile in half the time, and nothing is measured here.
export CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
export HASHMILL_TEST_TIER="${HASHMILL_TEST_TIER:-quick}" HASHMILL_TEST_REQUIRE_PEERS=1
unset HASHMILL_KERNEL

# Reports go to files, since a test that expects a program to be killed would not notice a report before that.
reports=$CARGO_TARGET_DIR/reports
rm -rf "$reports"
mkdir -p "$reports"
status=0

# sanitized CARGO-OPTION...: the tests of files and copy, and those of the commands that hash and check.
sanitized() {
    # Without the test that limits a process's address space, of which shadow memory takes terabytes.
    cargo test --quiet --release --target "$host" --no-fail-fast "$@" --package hashmill-files --package hashmill-copy --lib --test it -- --skip attack:: || status=$?
    cargo test --quiet --release --target "$host" --no-fail-fast "$@" --package hashmill-cli --test it -- sum:: check:: verdicts:: --skip long_digests_take_no_memory || status=$?
}

case $sanitizer in
address)
    # With this variable, any compiler accepts unstable flags.
    export RUSTC_BOOTSTRAP=1 RUSTFLAGS="${RUSTFLAGS-} -Zsanitizer=address"
    # SQLite's single source file defines constants of the same name in several places.
    export ASAN_OPTIONS=detect_odr_violation=0:log_path=$reports/report
    cargo test --quiet --release --target "$host" --no-fail-fast --package hashmill --lib --test it || status=$?
    sanitized
    ;;
thread)
    export RUSTC_BOOTSTRAP=1 RUSTFLAGS="${RUSTFLAGS-} -Zsanitizer=thread"
    if [ ! -e "$(rustc --print sysroot)/lib/rustlib/src/rust/library/Cargo.toml" ]; then
        rustup component add rust-src
    fi
    export TSAN_OPTIONS=log_path=$reports/report CARGO_UNSTABLE_BUILD_STD=std,panic_abort
    sanitized
    ;;
miri)
    rustup +nightly component list --installed 2>/dev/null | grep -q ^miri || rustup toolchain install nightly --profile minimal --component miri,rust-src
    # Miri runs a few million operations per second, so it runs only the test that does little work, and no kernels from
    # other crates. It cannot run inline assembly, SHA and AVX-512 instructions and most of NEON. Each run is
    # single-threaded, so two run at a time.
    interpret() {
        export CARGO_TARGET_DIR=$CARGO_TARGET_DIR/$1 RUSTFLAGS=$2 MIRIFLAGS=-Zmiri-disable-isolation
        echo "--- Miri, $1 $2"
        cargo +nightly miri test --quiet --package hashmill --no-default-features --test it --target "$1" -- small:: 2>&1
    }
    export -f interpret
    printf '%s\0' x86_64-unknown-linux-gnu "-C target-feature=+avx2,+aes,+pclmulqdq,+sse4.2,+ssse3" s390x-unknown-linux-gnu "" |
        xargs -0 -n 2 -P 2 bash -c 'log=$(interpret "$@"); status=$?; echo "$log"; exit $status' miri || status=$?
    ;;
*)
    sed -n 's/^# \?//; 2,9p' "$0" >&2
    exit 2
    ;;
esac

found=$(find "$reports" -type f | wc -l)
if [ "$found" -gt 0 ]; then
    status=1
    echo "sanitize: $found reports in $reports:"
    grep -h "^SUMMARY" -r "$reports" | sort | uniq -c
fi
echo "sanitize: $sanitizer: $found reports"
exit $status
