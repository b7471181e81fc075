#!/usr/bin/env bash
# show.sh: runs `hashmill speed` against the real `openssl speed`, compares two kernels, and writes the output to
# docs/measured.md. Needs an idle machine and about three minutes; SECONDS_EACH (3) changes how long each size takes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bare=$(scripts/bare.py) && eval "$bare" || exit 1

CARGO_TARGET_DIR=$(realpath "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR
PATH=$CARGO_TARGET_DIR/release:$PATH
command -v openssl >/dev/null || { echo "show.sh: needs openssl" >&2; exit 1; }
each=${SECONDS_EACH:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

shown() { # COMMAND...: the command and what it prints
    echo "show: $*" >&2
    echo '```text'
    echo "\$ $*"
    "$@" 2>>"$work/stderr" || true
    echo '```'
    echo
}

{
    echo "# Measured"
    echo
    echo "Written by \`bench/show.sh\` on $(date -I): $(sed -n 's/^model name\s*: //p' /proc/cpuinfo | head -1), $(nproc) CPUs,"
    echo "$(uname -s) $(uname -r). What is here is what the commands printed."
    echo
    xtask stale --line docs/measured.md
    echo
    echo "## `openssl speed` and `hashmill speed`"
    echo
    shown openssl speed -seconds "$each" md5 aes-128-cbc rsa512
    echo "The same of ours: the digest is hashmill's, the cipher and the key are AWS-LC's."
    echo
    shown hashmill speed -seconds "$each" md5 aes-128-cbc rsa512
    echo "OpenSSL's own code in our loop:"
    echo
    shown hashmill speed -provider openssl -seconds "$each" md5 aes-128-cbc rsa512
    echo "One after the other says little on a machine that others use too. In alternation:"
    echo
    shown hashmill speed -seconds "$each" -bytes 16384 -peer openssl,rustcrypto,php,go,python,coreutils md5 sha1 sha256 aes-128-cbc
    echo "## Two kernels"
    echo
    shown hashmill bench kernels sha256 --kernel shani,portable --reps 200
    echo "The same as two runs that are kept, as one does before and after a change:"
    echo
    for kernel in portable shani; do
        echo '```text'
        echo "\$ HASHMILL_KERNEL=$kernel hashmill bench lanes --single sha256 --save=$kernel"
        (cd "$work" && HASHMILL_KERNEL=$kernel hashmill bench lanes --single sha256 --db results.db --save=$kernel 2>>stderr)
        echo '```'
        echo
    done
    shown_db=$(cd "$work" && hashmill results compare portable shani --across-kernels --db results.db)
    echo '```text'
    echo "\$ hashmill results compare portable shani --across-kernels"
    echo "$shown_db"
    echo '```'
} >docs/measured.md.new
mv docs/measured.md.new docs/measured.md
warnings=$(grep -c warning "$work/stderr" || true)
[ "$warnings" -eq 0 ] || { echo "show: $warnings warnings:"; grep warning "$work/stderr" | sort | uniq -c | sort -rn | head -5; } >&2
echo "show: wrote docs/measured.md"
