#!/usr/bin/env bash
# deb.sh FOLDER: packages what `make install` installs: FOLDER/hashmill_VERSION_ARCH.deb, hashmill-dbgsym with its debug
# symbols, and libhashmillN and libhashmill-dev, with the C library and its development files. `make deb` builds
# everything first.
#
# DEBFULLNAME and DEBEMAIL name the packager, as with Debian's own tools. Timestamps in the packages are those of the
# last commit, or SOURCE_DATE_EPOCH, so the same program gives identical packages.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "$1"
out=$(cd "$1" && pwd)

for tool in dpkg-deb dpkg-shlibdeps dpkg-architecture readelf objdump; do
    command -v $tool >/dev/null || { echo "deb: no $tool; on Debian, as root: apt-get install dpkg-dev binutils" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

version=$(scripts/version.sh)-1
homepage=$(sed -n 's/^repository = "\(.*\)"/\1/p' Cargo.toml)
architecture=$(dpkg --print-architecture)
maintainer="${DEBFULLNAME:-hashmill} <${DEBEMAIL:-hashmill@localhost}>"
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}

# Everything is installed where dpkg-shlibdeps looks for it.
root=$work/debian/hashmill
debug=$work/debian/hashmill-dbgsym
# Debian's zsh looks for completions of packages in a differently named folder.
"${MAKE:-make}" --no-print-directory --silent install BUILD=no LIBRARY=no DEBUG=yes DESTDIR="$root" PREFIX=/usr \
    zshcompletiondir=/usr/share/zsh/vendor-completions >/dev/null
id=$(readelf --notes "$root/usr/bin/hashmill" | sed -n 's/^ *Build ID: //p')
[ -n "$id" ] || { echo "deb: the program has no build ID, by which its debug symbols are found: the linker option --build-id" >&2; exit 1; }
mkdir -p "$debug/usr/lib/debug/.build-id/${id:0:2}" "$debug/usr/share/doc"
mv "$root/usr/bin/.debug/hashmill.debug" "$debug/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
rmdir "$root/usr/bin/.debug"
ln -s hashmill "$debug/usr/share/doc/hashmill-dbgsym"

# The C library: the run-time files and the development files.
multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
library=$work/library
"${MAKE:-make}" --no-print-directory --silent install-lib BUILD=no DESTDIR="$library" PREFIX=/usr libdir=/usr/lib/"$multiarch" >/dev/null
soname=$(objdump -p "$library/usr/lib/$multiarch/libhashmill.so" | awk '$1 == "SONAME" { print $2 }')
abi=${soname#libhashmill.so.}
shared=$work/debian/libhashmill$abi
development=$work/debian/libhashmill-dev
mkdir -p "$shared/usr/lib/$multiarch" "$development/usr/share/doc"
mv "$library/usr/lib/$multiarch"/libhashmill.so.* "$shared/usr/lib/$multiarch"
mv "$library"/usr/include "$library"/usr/lib "$development/usr"
ln -s "libhashmill$abi" "$development/usr/share/doc/libhashmill-dev"
mkdir "$shared/DEBIAN"
printf 'libhashmill %s libhashmill%s (>= %s)\n' "$abi" "$abi" "${version%-*}" >"$shared/DEBIAN/shlibs"
echo 'activate-noawait ldconfig' >"$shared/DEBIAN/triggers"

# documents FOLDER CRATE WHAT: the files that Debian requires in a package's documentation folder.
documents() {
    mkdir -p "$1"
    cp CHANGELOG.md "$1/changelog"
    cat >"$1/changelog.Debian" <<END
hashmill ($version) unstable; urgency=medium

  * Built from its own sources; what is new stands in changelog.gz.

 -- $maintainer  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
END
    # In the format that Debian's tools read: paragraphs, and a dot for an empty line.
    cat >"$1/copyright" <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: hashmill
Source: $homepage
Comment: The $3 contains these libraries, each under the licence behind it:
$("${CARGO:-cargo}" tree --locked --offline --package "$2" --edges normal --prefix none --format '{p}: {l}' |
        sed -e '/^hashmill/d' -e 's/ (\*)$//' -e 's/ (proc-macro)//' -e 's/^/ /' | LC_ALL=C sort -u)

Files: *
Copyright: $(sed -n 's/^Copyright (c) //p' LICENSE-MIT)
License: Expat or Apache-2.0

License: Expat
$(sed -e '1,/^Copyright/d' -e 's/^$/./' -e 's/^/ /' LICENSE-MIT | sed '1{/^ \.$/d}')

License: Apache-2.0
 On Debian systems the text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
END
    gzip -9n "$1/changelog" "$1/changelog.Debian"
}
rm "$root"/usr/share/doc/hashmill/LICENSE-* "$root"/usr/share/doc/hashmill/CHANGELOG.md
documents "$root/usr/share/doc/hashmill" hashmill-cli program
documents "$shared/usr/share/doc/libhashmill$abi" hashmill-c library
gzip -9n "$root"/usr/share/man/man1/*

# Dependencies. dpkg-shlibdeps needs the control file of a source package.
printf 'Source: hashmill\n\nPackage: hashmill\nArchitecture: any\n' >"$work/debian/control"
needs() { (cd "$work" && dpkg-shlibdeps -O "$1" | sed -n 's/^shlibs:Depends=//p'); }
depends=$(needs debian/hashmill/usr/bin/hashmill)
library_depends=$(needs "debian/libhashmill$abi/usr/lib/$multiarch/$soname")
[ -n "$depends" ] && [ -n "$library_depends" ] || { echo "deb: dpkg-shlibdeps finds no library that program and library need" >&2; exit 1; }

# package FOLDER NAME FIELDS DESCRIPTION: writes a package's control files and builds it.
package() {
    local folder=$1 name=$2 fields=$3 description=$4 size
    mkdir -p "$folder/DEBIAN"
    # In KiB, with every file and folder rounded up.
    size=$(find "$folder/usr" \( -type f -printf '%s\n' \) -o -printf '1\n' | awk '{ kib += int(($1 + 1023) / 1024) } END { print kib }')
    (cd "$folder" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$folder/DEBIAN/md5sums"
    cat >"$folder/DEBIAN/control" <<END
Package: $name
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $size
$fields
Homepage: $homepage
Description: $description
END
    find "$folder" -newermt "@$SOURCE_DATE_EPOCH" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz --build "$folder" "$out" >/dev/null
    echo "$out/${name}_${version}_$architecture.deb: $(stat -c %s "$out/${name}_${version}_$architecture.deb" |
        numfmt --to=iec-i --suffix=B), $(numfmt --from-unit=1024 --to=iec-i --suffix=B "$size") installed"
}

package "$root" hashmill "Depends: $depends
Section: utils
Priority: optional" "digests and checksums of many files at once
 hashmill computes and verifies every usual message digest and checksum, on the
 fastest code that the processor has, and many files at once in the lanes of its
 vector registers. It reads and writes the lists of md5sum, sha256sum, b3sum and
 others, copies trees and imports photos with verification from the medium, and
 measures the speed of hash functions against that of other implementations."
package "$debug" hashmill-dbgsym "Source: hashmill
Auto-Built-Package: debug-symbols
Build-Ids: $id
Depends: hashmill (= $version)
Section: debug
Priority: optional" "debug symbols for hashmill"
package "$shared" "libhashmill$abi" "Source: hashmill
Depends: $library_depends
Section: libs
Multi-Arch: same
Priority: optional" "every message digest and checksum: C library
 Programs load this library to compute message digests and checksums on the
 fastest code that the processor has, one message or many at once."
package "$development" libhashmill-dev "Source: hashmill
Depends: libhashmill$abi (= $version)
Section: libdevel
Multi-Arch: same
Priority: optional" "every message digest and checksum: headers for C and C++
 The header hashmill.h, the C++20 headers hashmill.hpp and hashmill/*.hpp, the
 static library, and what pkg-config and CMake need to find them."
