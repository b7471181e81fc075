#!/usr/bin/env bash
# fpc-i386.sh FOLDER: puts Free Pascal for 32-bit x86 into FOLDER: FOLDER/ppc386 is the compiler, FOLDER/units has a
# folder for each of its packages. Does nothing if FOLDER already has the same version as this machine's fpc.
#
# Debian's packages are unpacked, not installed: installing them would replace the machine's binutils, which can link
# for i386 as well, with those for i386. apt keeps its package lists in FOLDER meanwhile, so neither root nor another
# dpkg architecture is needed.
set -euo pipefail
folder=${1:?usage: fpc-i386.sh FOLDER}
version=$(fpc -iV) || { echo "fpc-i386: there is no fpc here: run scripts/setup.sh" >&2; exit 1; }
if [ "$("$folder/ppc386" -iV 2>/dev/null)" = "$version" ]; then
    exit 0
fi

echo "fpc-i386: fetching Free Pascal $version for i386"
packages=("fp-compiler-$version" "fp-units-rtl-$version" "fp-units-base-$version" "fp-units-fcl-$version")
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d "$folder/new.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/apt/lists/partial "$work"/apt/archives/partial "$work/root"
options=(-q -o APT::Architecture=i386 -o APT::Architectures=i386 -o Dir::State::lists="$work/apt/lists" -o Dir::State::status=/dev/null -o Dir::Cache="$work/apt" -o APT::Sandbox::User=root)
if ! (
    # An unreachable package source is not necessarily one that is needed.
    apt-get "${options[@]}" update || true
    cd "$work" && apt-get "${options[@]}" download "${packages[@]}" && for file in *.deb; do dpkg -x "$file" root || exit; done
) >"$work/log" 2>&1 </dev/null; then
    tail -n 20 "$work/log" >&2
    echo "fpc-i386: cannot fetch ${packages[*]} for i386 by apt-get" >&2
    exit 1
fi
rm -rf "$folder/root" "$folder/units" "$folder/ppc386"
mv "$work/root" "$folder/root"
ln -s "root/usr/lib/i386-linux-gnu/fpc/$version/units/i386-linux" "$folder/units"
ln -s "root/usr/lib/i386-linux-gnu/fpc/$version/ppc386" "$folder/ppc386"
[ "$("$folder/ppc386" -iV)" = "$version" ] || { echo "fpc-i386: $folder/ppc386 does not run here" >&2; exit 1; }
