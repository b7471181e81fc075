#!/usr/bin/env bash
# run.sh: measures this machine and writes bench/RESULTS.md and the chart beside it. Needs an idle machine and about 20
# minutes; a few minutes more the first time, to build a current OpenSSL to compare with (bench/openssl.sh). BENCH_PAIRS
# (200), BENCH_MANY_PAIRS (41: every algorithm in lanes, at 16, 64, 256 and 1000 messages), BENCH_ROUNDS (7),
# BENCH_STARTS (300), BENCH_STREAM_PAIRS (150: all algorithms against all peers), BENCH_KERNEL_TIME (seconds per kernel;
# by default so that all take about two minutes), BENCH_SEVERAL_ROUNDS (9: several digests of one file) and
# BENCH_COPY_ROUNDS (11) change how much is measured.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bare=$(scripts/bare.py) && eval "$bare" || exit 1

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
hashmill=$CARGO_TARGET_DIR/release/hashmill
[ -x "$hashmill" ] || cargo build --release
bench/photos.sh target/bench/photos

# A current libcrypto in addition to the system's.
if HASHMILL_LIBCRYPTO2=${HASHMILL_LIBCRYPTO2:-$(bench/openssl.sh)}; then
    export HASHMILL_LIBCRYPTO2
    echo "bench: the second libcrypto is $HASHMILL_LIBCRYPTO2"
else
    unset HASHMILL_LIBCRYPTO2
    echo "bench: no current OpenSSL could be built: only the system's libcrypto is measured" >&2
fi

# All samples stay there until the next run.
work=target/bench/results
rm -rf "$work"
mkdir -p "$work"
pairs=${BENCH_PAIRS:-200}
lanes() { # FILE OPTIONS...
    local file=$1
    shift
    echo "bench: lanes $*"
    "$hashmill" bench lanes --reps "$pairs" --json "$@" >"$work/$file"
}
peers=openssl,${HASHMILL_LIBCRYPTO2:+openssl2,}rustcrypto,crates
if "${HASHMILL_PHP:-php}" --version >/dev/null 2>&1; then peers+=,php; fi
lanes lanes.json
lanes short.json --messages 4096 --size 64
lanes single.json --single

# All algorithms with lanes and peers, with few messages and many.
many=(md2 md5 gost94 haval128-3 haval160-4 haval256-5 md4 ripemd128 ripemd160 ripemd320 skein512-512 keccak512 sha3-256 sha3-512
    blake2s-256 whirlpool groestl512 blake256 blake512 sha1 sha512 blake2b-512 jh512 sm3 streebog512 snefru256 sha256 tiger192-3)
pairs=${BENCH_MANY_PAIRS:-41}
for messages in 16 64 256 1000; do
    chart=()
    if [ "$messages" = 256 ]; then chart=(--svg "$work/lanes.svg"); fi
    lanes "many$messages.json" --messages "$messages" --peer "$peers" "${chart[@]}" "${many[@]}"
done
lanes tiny.json --messages 100000 --size 20 --into --peer openssl-once md5 sha1 sha256 sha512 sha3-256 blake2b-512
lanes spread.json --messages 1000 --spread 1-8M md5 sha1 sha256 sha512 sha3-256 blake2b-512

algorithms=(md5 md4 sha1 sha256 sha512 sha3-256 sha3-512 keccak512 blake512 blake2b-512 blake2s-256 blake3 ripemd160 haval128-3
    haval160-4 haval256-5 whirlpool groestl512 skein512-512 jh512 streebog512 gost94 tiger192-3 snefru256 md2 sm3 cubehash512
    crc32 crc32c
    crc64-nvme adler32 xxh32 xxh64 xxh3 xxh128)
echo "bench: one stream of ${#algorithms[@]} algorithms against $peers"
"$hashmill" bench loops "${algorithms[@]}" --loops 1 --reps 1 --size 5,16384 --peer "$peers" \
    --peer-reps "${BENCH_STREAM_PAIRS:-150}" --json >"$work/streams.json"
echo "bench: kernels"
"$hashmill" bench kernels "${algorithms[@]}" --size 64,16k ${BENCH_KERNEL_TIME:+--time "$BENCH_KERNEL_TIME"} --json \
    >"$work/kernels.json"
echo "bench: sum"
"$hashmill" bench sum target/bench/photos -a md5,sha1,sha256,sha512,sha3-512,whirlpool,blake2b,blake3,xxh64,adler32 \
    --reps "${BENCH_ROUNDS:-7}" --start-reps "${BENCH_STARTS:-300}" --json >"$work/sums.json"
echo "bench: several digests of one file"
python3 -B bench/several.py "$hashmill" >"$work/several.json"
echo "bench: copy"
"$hashmill" bench copy target/bench/photos --to target/bench --reps "${BENCH_COPY_ROUNDS:-11}" --json >"$work/copies.json"
python3 -B bench/report.py "$work" >"$work/RESULTS.md"
mv "$work/RESULTS.md" bench/RESULTS.md
cp "$work/lanes.svg" bench/lanes.svg
python3 -B bench/readme.py "$work/sums.json" "$work/lanes.json" README.md
echo "bench: wrote bench/RESULTS.md, and the figures in README.md and their chart"
