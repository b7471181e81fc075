#!/usr/bin/env bash
# lib.sh BUILT FOLDER: prepares the C library that cargo built in BUILT (target/release) for distribution:
# FOLDER/libhashmill.so.VERSION with its links, stripped, with its debug symbols beside it, and libhashmill.a, which
# exports nothing but the names in the header. FOLDER/pkgconfig is for programs that use the library there.
set -euo pipefail
built=$1
folder=$2
cd "$(dirname "$0")/.."

version=$(scripts/version.sh)
soname=$(objdump -p "$built/libhashmill_c.so" | awk '$1 == "SONAME" { print $2 }')
rm -rf "$folder"
mkdir -p "$folder"
objcopy --only-keep-debug --compress-debug-sections=zlib "$built/libhashmill_c.so" "$folder/libhashmill.so.debug"
chmod a-x "$folder/libhashmill.so.debug"
cp "$built/libhashmill_c.so" "$folder/libhashmill.so.$version"
(cd "$folder" && objcopy --strip-unneeded --add-gnu-debuglink=libhashmill.so.debug "libhashmill.so.$version")
ln -s "libhashmill.so.$version" "$folder/$soname"
ln -s "$soname" "$folder/libhashmill.so"

# Everything is linked into one object so that symbols can be hidden: two such libraries in one program then do not
# clash, and neither do two Rust runtimes. Sections stay separate, so the linker's --gc-sections can still drop unused
# ones.
ld -r --whole-archive "$built/libhashmill_c.a" -o "$folder/hashmill.o"
# The standard library's objects contain LLVM bitcode beside the code; it is meaningless after they are linked together.
objcopy --remove-section=.llvmbc --remove-section=.llvmcmd --wildcard --keep-global-symbol='hm_*' --keep-global-symbol='HM_*' --strip-debug "$folder/hashmill.o"
rm -f "$folder/libhashmill.a"
ar rcsD "$folder/libhashmill.a" "$folder/hashmill.o"
rm "$folder/hashmill.o"

mkdir "$folder/pkgconfig"
place=$(realpath "$folder")
for name in hashmill hashmill-static; do
    bindings/c/fill.sh "bindings/c/$name.pc.in" "$place" "$place" "$PWD/bindings/c/include" >"$folder/pkgconfig/$name.pc"
done

size() { numfmt --to=iec-i --suffix=B "$(stat -c %s "$1")"; }
echo "$folder: libhashmill.so.$version $(size "$folder/libhashmill.so.$version"), libhashmill.a $(size "$folder/libhashmill.a")"
