#!/usr/bin/env bash
# fill.sh TEMPLATE PREFIX LIBDIR INCLUDEDIR: prints a file for pkg-config or CMake, which names the version of the
# library and the folders in which it and its headers are installed.
set -euo pipefail
cd "$(dirname "$0")/../.."

version=$(scripts/version.sh)
IFS=. read -r major minor _ <<<"$version"
homepage=$(sed -n 's/^repository = "\(.*\)"/\1/p' Cargo.toml)
text=$(<"$1")
for value in prefix="$2" libdir="$3" includedir="$4" version="$version" soversion="$(scripts/version.sh --library)" \
    major="$major" minor="$minor" homepage="$homepage"; do
    text=${text//"@${value%%=*}@"/"${value#*=}"}
done
echo "$text"
