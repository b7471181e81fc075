#!/usr/bin/env bash
# Installs what `make test` needs besides a Rust toolchain. Does nothing if everything is present.
#
# Standard libraries for other machines come from rustup if it has them. As root on Debian, the script installs the
# missing packages (with one `apt-get update`, only if something is missing); otherwise it prints the command to run and
# exits with status 1. Free Pascal for 32-bit x86 is unpacked into the target folder, which does not need root.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
need_arm64=no

want() { # COMMAND PACKAGE...: the packages are missing where the command is
    local command=$1
    shift
    command -v "$command" >/dev/null 2>&1 || missing+=("$@")
}

fpc_i386() {
    local target=${CARGO_TARGET_DIR:-target}
    [ "$(uname -m)" = x86_64 ] || return 0
    # The owner of the sources must be able to write to the folder, even if root created it.
    if [ ! -d "$target" ]; then
        mkdir -p "$target"
        [ "$(id -u)" -ne 0 ] || chown --reference=. "$target"
    fi
    bindings/pascal/fpc-i386.sh "$target/fpc-i386" || { echo "setup: failed: bindings/pascal/fpc-i386.sh $target/fpc-i386" >&2; exit 1; }
    if [ "$(id -u)" -eq 0 ] && [ "$(stat -c %u "$target/fpc-i386")" != "$(stat -c %u "$target")" ]; then
        chown -R --reference="$target" "$target/fpc-i386"
    fi
}

want cc gcc libc6-dev
want c++ g++
want objdump binutils
want clang++-19 clang-19
[ -e /usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.asan-x86_64.a ] || [ "$(uname -m)" != x86_64 ] || missing+=(libclang-rt-19-dev)
want cmake cmake
want ninja ninja-build
want pkg-config pkgconf
want valgrind valgrind
[ -e /usr/include/gtest/gtest.h ] || missing+=(libgtest-dev)
[ -e /usr/include/nlohmann/json.hpp ] || missing+=(nlohmann-json3-dev)
want doxygen doxygen
python3 -m pip --version >/dev/null 2>&1 || missing+=(python3-pip)
want b3sum b3sum
want xxhsum xxhash
want sha512sum coreutils
want openssl openssl
want tmux tmux
want php php-cli
want phpize php-dev
want fpc fp-compiler
compgen -G "/usr/lib/*/fpc/*/units/*/fcl-fpcunit" >/dev/null || missing+=(fp-units-fcl fp-units-base)
want go golang-go
want exiftool libimage-exiftool-perl
want rsync rsync
want mkfs.ext4 e2fsprogs
want mount mount
want fusermount3 fuse3
want python3 python3-minimal
want qemu-x86_64 qemu-user
want qemu-aarch64 qemu-user
want aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
[ -e /usr/aarch64-linux-gnu/include/stdio.h ] || missing+=(libc6-dev-arm64-cross)
want s390x-linux-gnu-gcc gcc-s390x-linux-gnu libc6-dev-s390x-cross
want s390x-linux-gnu-g++ g++-s390x-linux-gnu
want i686-linux-gnu-gcc gcc-i686-linux-gnu libc6-dev-i386-cross
want x86_64-w64-mingw32-gcc gcc-mingw-w64-x86-64-posix
want wineboot wine wine64
want node nodejs
want dpkg-shlibdeps dpkg-dev
want man man-db
want mandoc mandoc
want zsh zsh
want fish fish
# Standard libraries for the other machines come from rustup, else from Debian, else from Debian's source package.
if [ -n "$(scripts/target.sh --missing)" ] && command -v rustup >/dev/null 2>&1; then
    echo "setup: rustup target add"
    timeout 300 rustup target add aarch64-unknown-linux-gnu s390x-unknown-linux-gnu i686-unknown-linux-gnu wasm32-wasip1 \
        x86_64-pc-windows-gnu >/dev/null 2>&1 || echo "setup: rustup could not; trying Debian's packages" >&2
fi
for machine in $(scripts/target.sh --missing); do
    case $machine in
    aarch64)
        missing+=(rustc-web libstd-rust-web-dev:arm64)
        need_arm64=yes
        ;;
    s390x | i686 | windows) missing+=(rustc-web rust-web-src) ;;
    wasm32) echo "setup: no compiler here can build for wasm32: rustup target add wasm32-wasip1" >&2 ;;
    esac
done

if [ ${#missing[@]} -eq 0 ]; then
    fpc_i386
    echo "setup: everything is there"
    exit 0
fi
mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort -u)
echo "setup: missing: ${missing[*]}"

commands=("apt-get update" "apt-get install -y --no-install-recommends ${missing[*]}")
if [ $need_arm64 = yes ] && ! dpkg --print-foreign-architectures 2>/dev/null | grep -qx arm64; then
    commands=("dpkg --add-architecture arm64" "${commands[@]}")
fi

if ! command -v apt-get >/dev/null 2>&1 || [ "$(id -u)" -ne 0 ]; then
    {
        echo "setup: cannot install them from here. On Debian, run as root:"
        printf '    %s\n' "${commands[@]}"
        [ $need_arm64 = no ] || echo "or, in place of rustc-web and libstd-rust-web-dev: rustup target add aarch64-unknown-linux-gnu"
    } >&2
    exit 1
fi

export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for command in "${commands[@]}"; do
    echo "setup: $command"
    # Wait for another apt to finish; show the output only on failure.
    if ! ${command/apt-get /apt-get -q -o DPkg::Lock::Timeout=300 } >"$log" 2>&1 </dev/null; then
        tail -n 30 "$log" >&2
        # An unreachable package source is not necessarily one that is needed.
        [ "$command" = "apt-get update" ] || { echo "setup: failed: $command" >&2; exit 1; }
        echo "setup: 'apt-get update' failed; trying with the lists there are" >&2
    fi
done
fpc_i386
echo "setup: done"
