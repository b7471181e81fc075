#!/usr/bin/env bash
# count.sh TARGET...: runs make targets one after the other, the rest too where one fails, and ends with one line
# `N passed, N failed` that adds up cargo's `test result:` lines, behind the minutes of each. A target that fails without a failed test (it does not
# compile, a lint) counts as one failure. The exit status is 1 where anything failed.
set -uo pipefail
cd "$(dirname "$0")/.."

skipped=${CARGO_TARGET_DIR:-target}/tmp/skipped
rm -f "$skipped"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0
bad=()
minutes=()

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
    line=$(printf '%-12s %3d:%02d  %5d passed%s' "$target" $(((SECONDS - start) / 60)) $(((SECONDS - start) % 60)) "$p" \
        "$([ "$status" -eq 0 ] || echo ", $f failed")")
    minutes+=("$line")
    echo "=== $line"
done

echo
printf '%s\n' "${minutes[@]}" "$(printf '%-12s %3d:%02d' "minutes" $((SECONDS / 60)) $((SECONDS % 60)))"
[ ${#bad[@]} -eq 0 ] || echo "failed: ${bad[*]}"
# Tests write here what this machine would not let them do.
if [ -s "$skipped" ]; then
    echo "$(wc -l <"$skipped") skipped:"
    sort "$skipped" | sed 's/^/    /'
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
