#!/usr/bin/env bash
# portable.sh [ALG...]: compares our portable code with that of others, and short messages with PHP; writes
# bench/PORTABLE.md when run without arguments. BENCH_PAIRS (60) sets the number of pairs. Needs an idle machine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bare=$(scripts/bare.py) && eval "$bare" || exit 1

command -v php >/dev/null || { echo "portable.sh: needs php (Debian: php-cli)" >&2; exit 1; }
# RustCrypto selects its code by CPU features; these flags select its portable code.
export RUSTFLAGS='--cfg sha1_backend="soft" --cfg sha2_backend="soft" --cfg keccak_backend="soft" --cfg md5_backend="soft"'
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/soft
run() { cargo run --quiet --release --package hashmill-bench --example portable -- "$@"; }
if [ $# -gt 0 ]; then
    run "$@"
    exit
fi
tables=$(run)
{
    echo "# Portable code"
    echo
    echo "Written by \`bench/portable.sh\` on $(date -I): $(sed -n 's/^model name\s*: //p' /proc/cpuinfo | head -1), $(uname -m)."
    echo "Every line was measured against its peer in one run, alternating every two milliseconds; ratios are hashmill's speed over the peer's."
    echo
    echo "$tables"
} >bench/PORTABLE.md.new
mv bench/PORTABLE.md.new bench/PORTABLE.md
echo "bench: wrote bench/PORTABLE.md"
