#!/usr/bin/env bash
# build.sh FOLDER LIBRARIES RUN-TIME-FOLDER [CFLAGS]: builds the PHP extension in FOLDER (FOLDER/modules/hashmill.so)
# against the C library in LIBRARIES; it looks for the library in RUN-TIME-FOLDER.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
for tool in phpize php-config; do
    command -v $tool >/dev/null || { echo "build.sh: no $tool: PHP's headers are missing (Debian: apt install php-dev)" >&2; exit 1; }
done
folder=$1
libraries=$(realpath "$2")
runtime=$3
flags=${4:-"-O2 -g"}
[ -e "$libraries/libhashmill.so" ] || { echo "build.sh: no libhashmill.so in $libraries: run 'make lib'" >&2; exit 1; }
rm -rf "$folder"
mkdir -p "$folder"
cp -r bindings/php/. "$folder"
mkdir "$folder/prefix"
ln -s "$libraries" "$folder/prefix/lib"
ln -s "$PWD/bindings/c/include" "$folder/prefix/include"
cd "$folder"
{
    phpize
    HASHMILL_RUNPATH=$runtime ./configure --quiet --with-hashmill="$PWD/prefix"
    make --silent CFLAGS="$flags -Wall -Wextra -Wno-unused-parameter"
} >build.log 2>&1 || { tail -n 40 build.log >&2; exit 1; }
