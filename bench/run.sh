#!/usr/bin/env bash
# run.sh: measures this machine and writes bench/RESULTS.md. Wants an idle machine and about five minutes.
# BENCH_PAIRS (200), BENCH_ROUNDS (7) and BENCH_STARTS (300) change how much is measured.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
hashmill=$CARGO_TARGET_DIR/release/hashmill
unset HASHMILL_KERNEL
[ -x "$hashmill" ] || cargo build --release
bench/photos.sh target/bench/photos

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pairs=${BENCH_PAIRS:-200}
lanes() { # FILE OPTIONS...
    local file=$1
    shift
    echo "bench: lanes $*"
    "$hashmill" bench lanes --pairs "$pairs" --json "$@" >"$work/$file"
}
lanes lanes.json
lanes short.json --messages 4096 --size 64
lanes single.json --single
echo "bench: sum"
"$hashmill" bench sum target/bench/photos -a md5,sha1,sha256,sha512,blake2b,blake3,xxh64 \
    --rounds "${BENCH_ROUNDS:-7}" --starts "${BENCH_STARTS:-300}" --json >"$work/sums.json"
python3 -B bench/report.py "$work"/{lanes,short,single,sums}.json >"$work/RESULTS.md"
mv "$work/RESULTS.md" bench/RESULTS.md
chmod 644 bench/RESULTS.md
python3 -B bench/readme.py "$work/sums.json" "$work/lanes.json" README.md
echo "bench: wrote bench/RESULTS.md and the figures in README.md"
