#!/usr/bin/env bash
# consumer.sh: measures short messages in a program outside the workspace, built as cargo builds a user's program, and
# writes bench/CONSUMER.md. Needs an idle machine; takes about two minutes to build and half a minute to measure.
# CONSUMER_PAIRS (301) sets the number of pairs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bare=$(scripts/bare.py) && eval "$bare" || exit 1

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/consumer
(cd bench/consumer && cargo build --release)
consumer=$CARGO_TARGET_DIR/release/consumer
version() { cargo tree --manifest-path bench/consumer/Cargo.toml --depth 1 --prefix none | awk -v name="$1" '$1 == name { print $1, substr($2, 2) }'; }
{
    echo '# Short messages called from an external crate'
    echo
    echo 'Written by `bench/consumer.sh`. A crate outside the workspace calls the library, built with cargo'"'"'s release profile as it is: no link-time'
    echo 'optimisation, sixteen units of code generation. The peers are the best crates of each algorithm in the same program.'
    echo
    echo "- Machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) CPUs; $(uname -s) $(uname -r), $(uname -m)"
    echo "- Date: $(date -u +%Y-%m-%d); $(rustc --version)"
    echo "- Crates: $(for name in blake3 crc-fast crc32c sha1 twox-hash xxhash-rust; do version "$name"; done | paste -sd ';' | sed 's/;/; /g')"
    echo
    echo 'A `constant` is an algorithm that the compiler knows (`Algorithm::XXH3`), `parsed` one that was looked up by name at run time. A `Hasher` is made for'
    echo 'each message: a fixed cost, which five bytes cannot make up for.'
    for bytes in 5 64; do
        echo
        echo "## $bytes bytes"
        echo
        "$consumer" "${CONSUMER_PAIRS:-301}" "$bytes"
    done
} >bench/CONSUMER.md.new
mv bench/CONSUMER.md.new bench/CONSUMER.md
echo "bench: wrote bench/CONSUMER.md"
