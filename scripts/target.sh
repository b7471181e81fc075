#!/usr/bin/env bash
# target.sh MACHINE [--quick] [FILTER...]: builds the library's tests for another machine and runs them in an emulator.
#
#   older-x86 x86-64 CPUs from Nehalem on, and CPUs that lack one feature (qemu); the tests are those built for this machine
#   aarch64   ARMv8, with all its kernels (qemu)
#   s390x     big-endian (qemu)
#   i686      32 bits
#   wasm32    WebAssembly with simd128, in node; wasm32-portable: without
#   windows   x86-64 with Windows' calling convention and libraries (wine); also the commands sum, check, list and links
#
# --quick leaves out the tests inside the library, which take half of the time. FILTERs select tests by their names.
#
# All but those for older x86 CPUs are built as programs in development are, with debug assertions and overflow checks.
#
# The compiler is the one on PATH if it has the standard library for the machine (rustup target add), else Debian's if
# that has it, else Debian's with a standard library built from its packaged source. `target.sh --missing` names the
# machines that no compiler here can build for.
set -euo pipefail
cd "$(dirname "$0")/.."

triple_of() {
    case $1 in
    aarch64) echo aarch64-unknown-linux-gnu ;;
    s390x) echo s390x-unknown-linux-gnu ;;
    i686) echo i686-unknown-linux-gnu ;;
    wasm32 | wasm32-portable) echo wasm32-wasip1 ;;
    windows) echo x86_64-pc-windows-gnu ;;
    *) return 1 ;;
    esac
}

# Prints the compiler, followed by `build-std` if the standard library has to be built.
compiler_for() {
    local rustc sysroot
    for rustc in rustc /usr/bin/rustc; do
        sysroot=$("$rustc" --print sysroot 2>/dev/null) || continue
        if compgen -G "$sysroot/lib/rustlib/$1/lib/libstd-*.rlib" >/dev/null; then
            command -v "$rustc"
            return
        fi
    done
    # WASI's start files come only with a precompiled standard library.
    if [ "$1" != wasm32-wasip1 ] && [ -x /usr/bin/rustc ] && [ -e /usr/lib/rustlib/src/rust/library/Cargo.toml ]; then
        echo /usr/bin/rustc build-std
        return
    fi
    return 1
}

if [ "${1-}" = --missing ]; then
    for machine in aarch64 s390x i686 wasm32 windows; do
        compiler_for "$(triple_of "$machine")" >/dev/null || echo "$machine"
    done
    exit
fi

# runs RUNNER CARGO-TEST-OPTION... [-- FILTER...]: runs the library's tests in an emulator.
runs() {
    local runner="CARGO_TARGET_${triple^^}_RUNNER"
    env "${runner//-/_}=timeout 900 $1" cargo test --quiet --release --package hashmill --no-fail-fast "${@:2}"
}

# A kernel is required on the CPUs that have what it needs, and must be passed over on all others: if it uses a feature
# without detecting it, it crashes on a CPU that lacks that one. For every process, qemu lists the features of the CPU
# model that it does not support.
older_x86() {
    local avx2=avx2x4,avx2x8,avx2x16,avx2x64 status=0 programs
    # The programs that `make unit` has built: for one package alone, cargo would build others.
    programs=$(cargo test --quiet --workspace --release --no-run --message-format=json | python3 -I -c '
import json, sys
for m in map(json.loads, sys.stdin):
    if m.get("executable") and m["profile"]["test"] and m["manifest_path"].endswith("/crates/hashmill/Cargo.toml"):
        print(m["target"]["name"], m["executable"])' | sort -r)
    on() { # CPU KERNELS [FILTER]
        local name program output
        while read -r name program; do
            [ $# -eq 2 ] || [ "$name" = it ] || continue
            echo "older-x86: $1, $name"
            output=$(HASHMILL_TEST_REQUIRE_KERNELS=$2 timeout 900 qemu-x86_64 -cpu "$1" "$program" --quiet "${@:3}" </dev/null 2>&1) || status=1
            grep -v "TCG doesn't support requested feature" <<<"$output" || true
            # A filter that matches no test would always pass.
            if grep -q '^running 0 tests' <<<"$output"; then
                echo "older-x86: no test answers to '${3-}'"
                status=1
            fi
        done <<<"$programs"
    }
    on Nehalem 'sse2x1,ssse3,!aesni,!pclmul'
    on Haswell "$avx2,pclmul"
    on Haswell,-bmi2 'pclmul,ssse3,!bmi2,!avx2x4,!avx2x8' kernels::every_kernel
    on Haswell,-bmi1,-bmi2 'pclmul,ssse3,!bmi2,!avx2x4,!avx2x8' kernels::every_kernel
    on Haswell,-avx2 'bmi2,!avx2x4,!avx2x8' kernels::every_kernel
    on Haswell,-pclmulqdq "$avx2,sse42,!pclmul" kernels::every_kernel
    on Nehalem,-sse4.1 'sse2x1,!ssse3' kernels::every_kernel
    on Nehalem,-sse4.2 'ssse3,!sse42' kernels::every_kernel
    on max,-aes "$avx2,!aesni" kernels::every_kernel
    return $status
}

unset HASHMILL_KERNEL
export HASHMILL_TEST_TIER="${HASHMILL_TEST_TIER:-quick}" # emulation is some ten times slower
# The emulated CPU may have any features; the kernels required on the host do not apply to it.
export HASHMILL_TEST_EMULATED=1

machine=${1-}
if [ "$machine" = older-x86 ]; then
    older_x86
    exit
fi
triple=$(triple_of "$machine") || { sed -n 's/^# \?//; 2,10p' "$0" >&2; exit 2; }
shift
tests=(--lib --test it)
if [ "${1-}" = --quick ]; then
    tests=(--test it)
    shift
fi
found=$(compiler_for "$triple") || { echo "$machine: no Rust compiler here has the standard library for $triple: run scripts/setup.sh" >&2; exit 1; }
read -r RUSTC how <<<"$found"
export RUSTC RUSTDOC="${RUSTC%rustc}rustdoc"
if [ -n "$how" ]; then
    export RUSTC_BOOTSTRAP=1
    export BUILD_STD=-Zbuild-std=std,panic_unwind,panic_abort,test,proc_macro
    tests+=("$BUILD_STD")
fi

target=${CARGO_TARGET_DIR:-$PWD/target}/machines
# In several codegen units, as users' programs are built, and on all cores: the machine code is not checked here.
export CARGO_TARGET_DIR=$target CARGO_PROFILE_RELEASE_DEBUG=false CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=1
export CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true

# LD_LIBRARY_PATH: with -L alone, the loader comes from the cross package, but libc may come, through /etc/ld.so.cache,
# from a package of that architecture; if the two versions differ, pthread_create never returns.
linux() { # QEMU SYSROOT
    local variable=CARGO_TARGET_${triple^^}_LINKER
    variable=${variable//-/_}
    export "$variable=$2-gcc"
    emulator="qemu-$1 -L /usr/$2 -E LD_LIBRARY_PATH=/usr/$2/lib"
    about=$("qemu-$1" --version | head -n 1)
}

case $machine in
aarch64)
    linux aarch64 aarch64-linux-gnu
    export HASHMILL_TEST_REQUIRE_KERNELS=all,neonx2,neonx4,armsha2,armsha512,armsha3,armsha3x2,pmull,crc
    ;;
s390x)
    linux s390x s390x-linux-gnu
    ;;
i686)
    linux i386 i686-linux-gnu
    ;;
wasm32 | wasm32-portable)
    # If both targets shared a folder, everything would be rebuilt each time.
    CARGO_TARGET_DIR=$target-$machine
    if [ "$machine" = wasm32 ]; then
        export CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS="-C target-feature=+simd128"
        export HASHMILL_TEST_REQUIRE_KERNELS=all,simd128x2,simd128x4,simd128x8,simd128x16
    fi
    emulator="node --no-warnings $PWD/scripts/targets/wasi.mjs"
    about="node $(node --version)"
    ;;
windows)
    export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc
    # Without a UTF-8 locale, wine has no names beyond ASCII.
    export WINEPREFIX=$target/wine WINEDEBUG=-all LC_ALL=C.UTF-8
    if [ ! -e "$WINEPREFIX/ready" ]; then
        rm -rf "$WINEPREFIX"
        mkdir -p "$WINEPREFIX"
        wineboot --init >/dev/null 2>&1
        # Some versions of wine lack the function from which Rust's standard library gets random numbers.
        x86_64-w64-mingw32-gcc -shared -O1 -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" scripts/targets/bcryptprimitives.c -ladvapi32
        touch "$WINEPREFIX/ready"
    fi
    wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
    emulator=$wine
    # Otherwise wineserver exits with each program and is restarted for the next, which takes seconds.
    wineserver -p60 || true
    trap 'wineserver -k || true' EXIT
    about=$("$wine" --version)
    ;;
esac

echo "$machine: $("$RUSTC" --version), $about${how:+; standard library built from source}"
status=0
runs "$emulator" --target "$triple" "${tests[@]}" -- "$@" || status=$?
# The command-line program with its portable commands. Cargo cannot use the tests' build of the library for it, since
# their dependencies have more features; this one is not optimized, since it hashes next to nothing.
if [ "$machine" = windows ] && [ $# -eq 0 ]; then
    CARGO_PROFILE_RELEASE_OPT_LEVEL=0 cargo build --quiet ${BUILD_STD-} --release --target "$triple" --package hashmill-cli --no-default-features || status=$?
    scripts/targets/windows.py "$target/$triple/release/hashmill.exe" "$wine" || status=$?
fi
# The C++ headers depend on the byte order. This library is not optimized either.
if [ "$machine" = s390x ] && [ $# -eq 0 ]; then
    CARGO_PROFILE_RELEASE_OPT_LEVEL=0 bindings/cpp/test big-endian "$triple" s390x-linux-gnu-g++ $emulator || status=$?
fi
exit $status
