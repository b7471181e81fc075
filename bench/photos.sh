#!/usr/bin/env bash
# photos.sh [DIR]: makes the set of files that the benchmarks call "a month of photos" in DIR (target/bench/photos): 154
# files, 968582451 bytes in all, 5.5 to 6.9 MB each, incompressible, the same bytes on every machine. Does nothing if
# the set is complete.
set -euo pipefail

files=154
bytes=968582451
smallest=5500000
largest=6900000

dir=${1:-"$(dirname "$0")/../target/bench/photos"}
mkdir -p "$dir"

made() { # "COUNT BYTES" of what is there; of an older set, "0 0"
    find "$dir" -maxdepth 1 -type f -name 'IMG_*.jpg' -printf '%s\n' |
        awk -v least=$smallest -v most=$largest '{ n += 1; b += $1; bad += $1 < least || $1 > most } END { printf "%d %d\n", bad ? 0 : n, bad ? 0 : b }'
}

if [ "$(made)" = "$files $bytes" ]; then
    echo "photos: $dir is complete"
    exit 0
fi
rm -f "$dir"/IMG_*.jpg

# The bytes above `smallest` are distributed in proportion to numbers from a fixed linear congruential generator, none
# of which is much larger than the others, as with photos from one camera.
weights=()
sum=0
x=2026
for ((i = 0; i < files; i++)); do
    x=$(((x * 1103515245 + 12345) % 2147483648))
    weights[i]=$(((x >> 11) + 157286))
    sum=$((sum + weights[i]))
done

shared=$((bytes - files * smallest))
left=$bytes
for ((i = 0; i < files; i++)); do
    size=$((smallest + shared * weights[i] / sum))
    [ $i -lt $((files - 1)) ] || size=$left
    left=$((left - size))
    # The content is an AES-128-CTR keystream; the file's number is the upper half of the first counter.
    printf -v counter '%016x%016x' $((i + 1)) 0
    printf -v name 'IMG_%04d.jpg' $((i + 1))
    head -c "$size" /dev/zero | OPENSSL_CONF=/dev/null openssl enc -aes-128-ctr -K 686173686d696c6c2070686f746f7321 -iv "$counter" >"$dir/$name"
done

if [ "$(made)" != "$files $bytes" ]; then
    echo "photos: $dir: expected $files files and $bytes bytes, got $(made)" >&2
    exit 1
fi
echo "photos: made $files files, $bytes bytes, in $dir"
