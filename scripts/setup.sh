#!/usr/bin/env bash
# Installs what `make test` needs besides a Rust toolchain. Does nothing if everything is present.
#
# Standard libraries for other machines come from rustup if it has them. As root on Debian, the script installs the
# missing packages (with one `apt-get update`, only if something is missing); otherwise it prints the command to run and
# exits with status 1. Free Pascal for 32-bit x86 is unpacked into the target folder, and programs in Python get a virtual
# environment there, which does not need root.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
need_arm64=no

want() { # COMMAND PACKAGE...: the packages are missing where the command is
    local command=$1
    shift
    command -v "$command" >/dev/null 2>&1 || missing+=("$@")
}

target=${CARGO_TARGET_DIR:-target}

# The owner of the sources must be able to write to what is in the target folder, even if root creates it.
own_target() {
    if [ ! -d "$target" ]; then
        mkdir -p "$target"
        [ "$(id -u)" -ne 0 ] || chown --reference=. "$target"
    fi
}

give_to_owner() { # FOLDER
    if [ "$(id -u)" -eq 0 ] && [ "$(stat -c %u "$1")" != "$(stat -c %u "$target")" ]; then
        chown -R --reference="$target" "$1"
    fi
}

fpc_i386() {
    [ "$(uname -m)" = x86_64 ] || return 0
    own_target
    bindings/pascal/fpc-i386.sh "$target/fpc-i386" || { echo "setup: failed: bindings/pascal/fpc-i386.sh $target/fpc-i386" >&2; exit 1; }
    give_to_owner "$target/fpc-i386"
}

# Programs that write checksum lists and that Debian does not have. Scripts in a virtual environment have its path inside,
# so a folder that was moved is created again.
python_programs() {
    local wanted=(bagit==1.9.0 ascmhl==1.2 cfv==3.2.0) tools log
    own_target
    tools=$(cd "$target" && pwd)/tools
    if [ -x "$tools/python/bin/python" ] && [ "$(cat "$tools/python/complete" 2>/dev/null)" = "$tools ${wanted[*]}" ]; then
        return 0
    fi
    echo "setup: installing ${wanted[*]} in $tools/python"
    rm -rf "$tools/python"
    mkdir -p "$tools"
    log=$(mktemp)
    if ! { python3 -m venv "$tools/python" && "$tools/python/bin/pip" install --quiet --disable-pip-version-check --no-input \
        "${wanted[@]}"; } >"$log" 2>&1 </dev/null; then
        tail -n 5 "$log" >&2
        rm -f "$log"
        echo "setup: cannot install ${wanted[*]} from PyPI (the Python Package Index), which tests of checksum lists need." >&2
        echo "setup: is there a network here? Behind a mirror: PIP_INDEX_URL=https://... scripts/setup.sh" >&2
        exit 1
    fi
    rm -f "$log"
    echo "$tools ${wanted[*]}" >"$tools/python/complete"
    give_to_owner "$tools"
}

in_target() {
    fpc_i386
    python_programs
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
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
want b3sum b3sum
want xxhsum xxhash
want sha512sum coreutils
want openssl openssl
want rhash rhash
want hashdeep hashdeep
want bsdtar libarchive-tools
want mtree mtree-netbsd
want rclone rclone
want gpg gpg gpg-agent
want xz xz-utils
want zstd zstd
want bzip2 bzip2
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
    in_target
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
in_target
echo "setup: done"
