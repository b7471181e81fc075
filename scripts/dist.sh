#!/usr/bin/env bash
# dist.sh PROGRAM FOLDER: prepares a program built by cargo for distribution: FOLDER/hashmill, stripped, with
# hashmill.debug, man1/ and completions/.
set -euo pipefail
program=$1
folder=$2

mkdir -p "$folder"
rm -rf "$folder/man1" "$folder/completions"
mkdir "$folder/man1" "$folder/completions"
# The pages carry the date of the last commit, so that the same sources give the same pages. Without a commit they have
# no date.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || true)} "$program" man "$folder/man1"
for shell in bash zsh fish; do
    "$program" completions $shell >"$folder/completions/hashmill.$shell"
done
objcopy --only-keep-debug --compress-debug-sections=zlib "$program" "$folder/hashmill.debug"
chmod a-x "$folder/hashmill.debug"
# The name of the symbol file is stored in the program as given here, so it must not contain a folder.
cp "$program" "$folder/hashmill.new"
(cd "$folder" && objcopy --strip-all --add-gnu-debuglink=hashmill.debug hashmill.new)
mv "$folder/hashmill.new" "$folder/hashmill"
size() { numfmt --to=iec-i --suffix=B "$(stat -c %s "$1")"; }
echo "$folder/hashmill: $(size "$folder/hashmill"), its debug symbols apart: $(size "$folder/hashmill.debug")"
