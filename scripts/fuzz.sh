#!/usr/bin/env bash
# fuzz.sh [SECONDS [TARGET...]]: fuzzes every target in fuzz/ (or those named) for SECONDS each (default 60), as many at
# a time as there are CPUs, with AddressSanitizer, overflow checks and debug assertions. Ends with a line for each:
# executions, inputs kept, findings.
#
# Inputs that are worth keeping stay in target/fuzz/corpus, those that fail in target/fuzz/artifacts; to see one fail again:
#     target/fuzz/x86_64-unknown-linux-gnu/release/TARGET target/fuzz/artifacts/TARGET/crash-…
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
shift || true
base=${CARGO_TARGET_DIR:-$PWD/target}
export PATH=$base/tools/bin:$PATH
if ! command -v cargo-fuzz >/dev/null; then
    echo "fuzz: cargo install cargo-fuzz"
    cargo install --quiet --locked --root "$base/tools" cargo-fuzz
fi
# The sanitizer flags are unstable; with this variable, any compiler accepts them.
export RUSTC_BOOTSTRAP=1
# SQLite's single source file defines constants of the same name in several places.
export ASAN_OPTIONS=detect_odr_violation=0
unset CARGO_TARGET_DIR
export CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
folder=$base/fuzz
cargo fuzz build --fuzz-dir fuzz --target-dir "$folder" --features targets
programs=$folder/$(rustc -vV | sed -n 's/^host: //p')/release
"$programs/seeds" "$folder/seeds" >/dev/null

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    mapfile -t targets < <(cargo fuzz list --fuzz-dir fuzz | grep -vx seeds)
fi

fuzz() {
    local target=$1 corpus=$folder/corpus/$1 artifacts=$folder/artifacts/$1/ log=$folder/$1.log
    mkdir -p "$corpus" "$artifacts"
    # Files that parsers read may be large.
    local most=4096
    case $target in database | pictures | runs) most=65536 ;; esac
    "$programs/$target" -max_total_time="$seconds" -max_len=$most -timeout=30 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$artifacts" "$corpus" "$folder/seeds/$target" >"$log" 2>&1
}
export -f fuzz
export folder programs seconds

status=0
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'fuzz {} || true'
for target in "${targets[@]}"; do
    log=$folder/$target.log
    executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    line=$(printf '%-10s %12s executions, %5s inputs, %6s edges' "$target" "${executed:-?}" "$(find "$folder/corpus/$target" -type f | wc -l)" \
        "$(grep -o 'cov: [0-9]*' "$log" | tail -n 1 | cut -d' ' -f2)")
    if grep -q '^SUMMARY: \|^==[0-9]*== ERROR' "$log" || [ -z "$executed" ]; then
        status=1
        echo "$line: FAILED: $(grep -m 1 "panicked at\|^SUMMARY: \|ERROR: " "$log")"
        grep -A 3 "panicked at" "$log" | sed 's/^/    /' | head -n 6
        grep "Test unit written to" "$log" || true
    else
        echo "$line"
    fi
done
[ $status -eq 0 ] && echo "test result: ok. ${#targets[@]} passed; 0 failed" || echo "test result: FAILED. 0 passed; 1 failed"
exit $status
