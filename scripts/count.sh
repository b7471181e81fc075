#!/usr/bin/env bash
# count.sh TARGET... [-- TARGET... -- TARGET...]: runs make targets one after the other, even if one fails, and prints
# how many minutes each took and then one line `N passed, N failed`, which adds up cargo's `test result:` lines. A
# target that fails without a failed test (a compile error, a lint) counts as one failure. The exit status is 1 if
# anything failed.
#
# The targets after a `--`, up to the next `--`, form a chain. When the targets before the first `--` are done, the
# chains run in parallel, since compilers keep only one processor busy half of the time. A chain waits while another one
# builds in the same cargo folder. The output of later chains is printed when the first has ended.
set -uo pipefail
cd "$(dirname "$0")/.."

skipped=${CARGO_TARGET_DIR:-target}/tmp/skipped
rm -f "$skipped"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs targets, and appends a line `TARGET SECONDS STATUS PASSED FAILED` for each to a file.
chain() { # FILE TARGET...
    local results=$1 target start status p f
    shift
    for target in "$@"; do
        echo "=== $target"
        start=$SECONDS
        "${MAKE:-make}" --no-print-directory "$target" 2>&1 | tee "$results.log"
        status=${PIPESTATUS[0]}
        read -r p f < <(awk '/^test result: / { for (i = 2; i <= NF; i++) { if ($i ~ /^passed/) p += $(i - 1); if ($i ~ /^failed/) f += $(i - 1) } }
            END { print p + 0, f + 0 }' "$results.log")
        if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
            f=1
        fi
        echo "$target $((SECONDS - start)) $status $p $f" >>"$results"
        line "$target" $((SECONDS - start)) "$status" "$p" "$f" | sed 's/^/=== /'
    done
}

line() { # TARGET SECONDS STATUS PASSED FAILED
    local share
    share=$(awk -F ' *[|] *' -v step="\`$1\`" '$2 == step { split($3, part, ":"); print 60 * part[1] + part[2] }' docs/tests.md)
    printf '%-12s %3d:%02d  %5d passed%s%s\n' "$1" $(($2 / 60)) $(($2 % 60)) "$4" "$([ "$3" -eq 0 ] || echo ", $5 failed")" \
        "$([ "$2" -le "${share:-86400}" ] || echo "  (its share is $((share / 60)):$(printf %02d $((share % 60))))")"
}

groups=0
group=()
running=()
begin() {
    case $groups in
    0) chain "$work/0" ${group[@]+"${group[@]}"} ;;
    1) first=(${group[@]+"${group[@]}"}) ;;
    *)
        chain "$work/$groups" "${group[@]}" >"$work/$groups.output" 2>&1 </dev/null &
        running+=("$!")
        ;;
    esac
    groups=$((groups + 1))
    group=()
}
first=()
for word in "$@"; do
    if [ "$word" = -- ]; then begin; else group+=("$word"); fi
done
begin
[ ${#first[@]} -eq 0 ] || chain "$work/1" "${first[@]}"
for ((i = 2; i < groups; i++)); do
    wait "${running[i - 2]}"
    cat "$work/$i.output"
done

echo
passed=0
failed=0
bad=()
for ((i = 0; i < groups; i++)); do
    [ -e "$work/$i" ] || continue
    while read -r target seconds status p f; do
        line "$target" "$seconds" "$status" "$p" "$f"
        passed=$((passed + p))
        failed=$((failed + f))
        [ "$status" -eq 0 ] || bad+=("$target")
    done <"$work/$i"
done
printf '%-12s %3d:%02d\n' minutes $((SECONDS / 60)) $((SECONDS % 60))
[ ${#bad[@]} -eq 0 ] || echo "failed: ${bad[*]}"
# Tests write to this file what they had to skip on this machine.
if [ -s "$skipped" ]; then
    echo "$(wc -l <"$skipped") skipped:"
    sort "$skipped" | sed 's/^/    /'
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
