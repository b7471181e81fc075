#!/usr/bin/env bash
# builds.sh COMMIT [--pairs N] [NAME…]: tests whether this tree's library is as fast as that of COMMIT. Both are built
# into one program (bench/builds) and take turns in slices of half a millisecond; slower rows are measured again in
# three more processes. Needs an idle machine; takes about two minutes to build and two to measure. Exit status 1 if a
# row was slower in all processes.
#
# builds.sh --page COMMIT: measures everything, compared with that commit and with this tree itself, and writes
# bench/BUILDS.md: rows that are slower than themselves show the effect of code placement.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bare=$(scripts/bare.py) && eval "$bare" || exit 1

if [ "${1:-}" = --page ]; then
    commit=$(git rev-parse --short --verify "${2:?builds.sh --page COMMIT}^{commit}")
    kept=target/builds-kept
    mkdir -p "$kept"
    for beside in "$commit" HEAD; do
        [ -n "${KEEP:-}" ] && [ -e "$kept/$beside" ] || "$0" "$beside" | tee "$kept/$beside" || true
    done
    {
        echo "# Regressions against an older build"
        echo
        echo "Written by \`bench/builds.sh --page $commit\` on $(date -I): $(sed -n 's/^model name\s*: //p' /proc/cpuinfo | head -1), $(nproc) CPUs. Speed of this tree's"
        echo "library ($(git describe --always)) over that of an older one, both in one program, in slices that take turns; as slower counts what is below 0.98, with its"
        echo "whole 95 % interval, in three measurements with the messages elsewhere in memory. Memory lies at other addresses in every process, so such rows are measured"
        echo "in three more processes; only those that are slower in all of them are slower."
        for beside in "$commit" HEAD; do
            echo
            if [ "$beside" = HEAD ]; then
                echo "## Against itself"
                echo
                echo "The same code twice in one program: what differs is where it lies."
            else
                echo "## Against $commit ($(git log -1 --format=%cs "$commit"))"
            fi
            echo
            echo '```text'
            sed -n '/ rows, .* pairs each/,$ p' "$kept/$beside"
            echo '```'
        done
    } >bench/BUILDS.md
    echo "wrote bench/BUILDS.md"
    exit
fi

commit=$(git rev-parse --verify "${1:?builds.sh COMMIT [--pairs N] [NAME…]}^{commit}")
shift
old=target/builds/old
rm -rf "$old"
mkdir -p "$old"
git archive "$commit" | tar x -C "$old"
# Two packages with the same name must have different versions.
sed -i 's/^version = "[^"]*"$/version = "0.0.1"/; s/\(hashmill-isa = .*\)version = "[^"]*"/\1version = "0.0.1"/
    s/\(hashmill[a-z-]* = { path.*\)version = "[^"]*"/\1version = "0.0.1"/' "$old/Cargo.toml"
features=()
[ -e "$old/crates/hashmill/src/engine.rs" ] || [ -d "$old/crates/hashmill/src/engine" ] || features=(--features no-engine)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/builds/target
# Align functions to 64 bytes. Otherwise their placement affects the speed of short messages by up to a quarter, even
# between two copies of the same code.
export RUSTFLAGS="${RUSTFLAGS:-} -C llvm-args=-align-all-functions=6"
(cd bench/builds && cargo build --release "${features[@]}")
echo "this tree against $(git describe --always "$commit")"
said=$(mktemp)
trap 'rm -f "$said"' EXIT
status=0
"$CARGO_TARGET_DIR/release/builds" "$@" | tee "$said" || status=$?
# Every process has its memory at other addresses, which alone makes some rows slower for as long as it runs. Rows that
# are slower for another reason are slower in every process.
slow=$(sed -n '/rows\{0,1\} slower than/,$ s/^  [^]]*\] //p' "$said")
for again in 2 3 4; do
    [ "$status" = 1 ] && [ -n "$slow" ] || break
    mapfile -t names < <(sed 's/ (.*//' <<<"$slow" | sort -u)
    "$CARGO_TARGET_DIR/release/builds" "${names[@]}" >"$said" || true
    slow=$(grep -Fxf <(sed -n '/rows\{0,1\} slower than/,$ s/^  [^]]*\] //p' "$said") <<<"$slow" || true)
    echo "slower in $again of $again processes: $(grep -c . <<<"$slow" || true)"
done
if [ "$status" = 1 ] && [ -n "$slow" ]; then
    grep -F "$slow" "$said" | sed -n 's/^  //p' | sort -u
    exit 1
fi
[ "$status" -le 1 ] || exit "$status"
