#!/usr/bin/env bash
# Builds the library's tests for aarch64 and runs them under qemu. Arguments go to scripts/run-tests.py (--only PROGRAM:FILTER).
#
# With `--find-rustc` it only prints the compiler that it would use: the one on PATH where that has the standard
# library for aarch64, else Debian's.
set -euo pipefail
cd "$(dirname "$0")/.."

target=aarch64-unknown-linux-gnu

find_rustc() {
    local rustc sysroot
    for rustc in rustc /usr/bin/rustc; do
        sysroot=$("$rustc" --print sysroot 2>/dev/null) || continue
        if compgen -G "$sysroot/lib/rustlib/$target/lib/libstd-*.rlib" >/dev/null; then
            command -v "$rustc"
            return 0
        fi
    done
    echo "aarch64: no Rust compiler here has the standard library for $target: run scripts/setup.sh" >&2
    return 1
}

if [ "${1-}" = --find-rustc ]; then
    find_rustc
    exit
fi

RUSTC=$(find_rustc)
export RUSTC RUSTDOC="${RUSTC%rustc}rustdoc"
export CARGO_TARGET_DIR=target/aarch64
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
# LD_LIBRARY_PATH: with only -L, the loader is the cross package's but libc may come, by /etc/ld.so.cache, from
# libc6:arm64; where the two versions differ, pthread_create never returns.
sysroot=/usr/aarch64-linux-gnu
qemu="timeout 900 qemu-aarch64 -L $sysroot -E LD_LIBRARY_PATH=$sysroot/lib"
export HASHMILL_TEST_TIER="${HASHMILL_TEST_TIER:-quick}" # emulation is some ten times slower
# The emulated CPU has everything; what the machine around must be able to run says nothing about it. Those named must be listed, too.
export HASHMILL_TEST_REQUIRE_KERNELS=all,neonx2,neonx4,armsha2,armsha512,armsha3,armsha3x2,pmull,crc
export HASHMILL_TEST_EMULATED=1
unset HASHMILL_KERNEL

echo "aarch64: $("$RUSTC" --version), $(qemu-aarch64 --version | head -n 1)"
exec scripts/run-tests.py --release --package hashmill --target "$target" --wrap "$qemu" "$@"
