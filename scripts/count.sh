#!/usr/bin/env bash
# count.sh TARGET...: runs make targets one after the other, the rest too where one fails, and ends with one line
# `N passed, N failed` that adds up cargo's `test result:` lines. A target that fails without a failed test (it does not
# compile, a lint) counts as one failure. The exit status is 1 where anything failed.
set -uo pipefail
cd "$(dirname "$0")/.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0
bad=()

for target in "$@"; do
    echo "=== $target"
    start=$SECONDS
    "${MAKE:-make}" --no-print-directory "$target" 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    read -r p f < <(awk '/^test result: / { for (i = 2; i <= NF; i++) { if ($i ~ /^passed/) p += $(i - 1); if ($i ~ /^failed/) f += $(i - 1) } }
        END { print p + 0, f + 0 }' "$log")
    if [ "$status" -ne 0 ]; then
        bad+=("$target")
        [ "$f" -gt 0 ] || f=1
    fi
    passed=$((passed + p))
    failed=$((failed + f))
    echo "=== $target: $([ "$status" -eq 0 ] && echo ok || echo FAILED), $((SECONDS - start)) s"
done

echo
[ ${#bad[@]} -eq 0 ] || echo "failed: ${bad[*]}"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
