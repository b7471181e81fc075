#!/usr/bin/env bash
# builds.sh COMMIT [--pairs N] [NAME…]: does this tree's library run at the speed of that commit's? Both are built into one program
# (bench/builds) and take turns in slices of half a millisecond. Wants an idle machine; about three minutes to build and three to measure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

commit=$(git rev-parse --verify "${1:?builds.sh COMMIT [--pairs N] [NAME…]}^{commit}")
shift
unset HASHMILL_KERNEL
old=target/builds/old
rm -rf "$old"
mkdir -p "$old"
git archive "$commit" | tar x -C "$old"
# Two packages of one name must differ in their version.
sed -i 's/^version = "[^"]*"$/version = "0.0.1"/; s/\(hashmill-isa = .*\)version = "[^"]*"/\1version = "0.0.1"/
    s/\(hashmill[a-z-]* = { path.*\)version = "[^"]*"/\1version = "0.0.1"/' "$old/Cargo.toml"
features=()
[ -e "$old/crates/hashmill/src/engine.rs" ] || features=(--features no-engine)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/builds/target
(cd bench/builds && cargo build --release "${features[@]}")
echo "this tree beside $(git describe --always "$commit")"
"$CARGO_TARGET_DIR/release/builds" "$@"
