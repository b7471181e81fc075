# Sourced by bindings/*/test and test-install.sh: counts tests, and ends with a `test result:` line, as cargo's tests do. The scripts run in
# the project's root; $work is a folder for the files of each.
#
# The library is built in the same way as the workspace's tests, so that they share one build. `make setup` names
# missing tools.
set -uo pipefail
language=${language:-$(basename "$(dirname "$(realpath "$0")")")}
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
bare=$(scripts/bare.py) && eval "$bare" || exit 1
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
library=$target/release/libhashmill_c.so
work=${work:-$target/bindings/$language}
mkdir -p "$work"
passed=0
failed=0

# check WHAT COMMAND...: counts one test, which passes if the command does; its output is shown if it fails.
check() {
    if "${@:2}" >"$work/output" 2>&1; then
        passed=$((passed + 1))
    else
        fail "$1" 1
    fi
}

# counted WHAT COMMAND...: counts the tests that a program reports, in the form of cargo, GoogleTest, Go or PHP. A test
# that PHP skips is a failure, since none has to be skipped. A program that fails although all its tests passed (because
# of valgrind or a sanitizer), or that reports no test, is one failure.
counted() {
    local good bad status=0
    "${@:2}" >"$work/output" 2>&1 || status=$?
    read -r good bad < <(awk '
        /^test result: / { for (i = 2; i <= NF; i++) { if ($i ~ /^passed/) good += $(i - 1); if ($i ~ /^failed/) bad += $(i - 1) } }
        /^\[  PASSED  \]/ || /^Tests passed/ { good += $4 }
        /^\[  FAILED  \] [0-9]+ test/ || /^Tests (failed|warned|leaked|skipped)/ { bad += $4 }
        /^ *--- PASS/ { good++ }
        /^ *--- FAIL/ { bad++ }
        END { print good + 0, bad + 0 }' "$work/output")
    if [ "$bad" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$good" -eq 0 ]; }; then
        bad=1
    fi
    passed=$((passed + good))
    [ "$bad" -eq 0 ] || fail "$1 (status $status)" "$bad"
}

fail() { # WHAT TESTS
    failed=$((failed + $2))
    echo "$language: $1: failed"
    grep -avE '^(=== | *--- PASS|PASS$)' "$work/output" | tail -n 80 | sed 's/^/    /'
    return 1
}

fails() { ! "$@"; }

# The library as it is built, and as it is installed: $work/lib.
built() { cargo build --quiet --release --workspace --lib; }
installed() { scripts/lib.sh "$target/release" "$work/lib"; }

# Also if the script ends early.
finish() {
    local status=$?
    [ "$status" -eq 0 ] || [ "$failed" -gt 0 ] || failed=1
    echo "test result: $([ "$failed" -eq 0 ] && echo ok || echo FAILED). $passed passed; $failed failed"
    [ "$failed" -eq 0 ] || exit $((status ? status : 1))
}
trap finish EXIT
