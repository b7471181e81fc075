#!/usr/bin/env bash
# Installs target/release/hashmill into a folder, runs it from there and uninstalls it; then builds the Debian package,
# installs it, tries it and removes it. Nothing may be left behind. Ends with a `test result:` line like cargo's.
#
# Installing the package needs root on Debian. Steps that are impossible on this machine are reported, and `make test`
# counts them as skipped.
set -uo pipefail
export LC_ALL=C.UTF-8
# Variables that the caller gave to `make`, such as PREFIX, must not reach the calls here.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES PREFIX DESTDIR
language=test-install
work=$(mktemp -d)
. "$(dirname "$0")/testing.sh"
[ -e "$target/release/libhashmill_c.a" ] || built || exit
make=${MAKE:-make}
packages=()

# Also if the script is interrupted.
clean() {
    local status=$?
    [ ${#packages[@]} -eq 0 ] || dpkg --purge "${packages[@]}" >/dev/null 2>&1
    rm -rf "$work"
    return $status
}
trap 'clean; finish' EXIT
trap 'exit 1' INT TERM

skip() {
    echo "test-install: $*"
    mkdir -p "$target/tmp"
    echo "test-install: $*" >>"$target/tmp/skipped"
}

installing() { "$make" --no-print-directory --silent install BUILD=no "$@"; }
uninstalling() { "$make" --no-print-directory --silent uninstall "$@"; }

# same EXPECTED FILE: succeeds if the file has exactly these lines, in any order.
same() { diff <(sort <<<"$1") <(sort "$2"); }

# listing FOLDER: prints the mode and name of all files in FOLDER.
listing() { find "$1" -type f -printf '%m %P\n'; }

quiet() { ! grep . "$1"; }

# The source line of `main` is found through the debug symbols, and the program itself has no symbols.
has_symbols() {
    local address
    address=$(nm "$target/release/hashmill" | awk '$3 == "main" { print $1 }') &&
        addr2line -e "$1" "0x$address" | grep -E 'entry\.rs:[1-9]' && ! nm "$1" 2>/dev/null | grep .
}

# Runs the program alone, in a folder with one file and with an empty environment.
tries() {
    local program=$1 folder=$2
    on() { (cd "$folder" && env -i "$program" "$@"); }
    rm -rf "$folder"
    mkdir -p "$folder/from"
    printf 'abc' >"$folder/from/file"
    check "$program --version" eval 'on --version | grep -x "hashmill $version"'
    check "$program sum" eval 'on sum from/file | tee "$folder/list" | cmp - <(cd "$folder" && sha256sum from/file)'
    check "$program check" eval '[ "$(on check list)" = "from/file: OK" ]'
    check "$program check of a changed file" eval 'sed "s/^./z/" "$folder/list" >"$folder/bad"; echo 1 >>"$folder/from/file"; ! on check list'
    check "$program copy -n" eval 'on copy -n from to | grep -E "^copy +from/file -> to/file"; [ ! -e "$folder/to" ]'
    check "$program copy" eval 'on copy from to && cmp "$folder/from/file" "$folder/to/file"'
    check "$program speed" eval 'on speed -seconds 1 -bytes 1024 md5 | grep -E "^md5 +[1-9][0-9.]+k$"'
    check "$program bench" eval 'on bench --help | grep Usage:'
}

# Completions for each shell installed here: they load, and know the subcommands, which they get from the program beside
# them. FOLDER is prefix/share.
completes() {
    local zsh=$2 PATH="$1/../bin:$PATH"
    check "bash's completions" env -i PATH="$PATH" bash --norc -c '
        set -e
        source "$1/bash-completion/completions/hashmill"
        complete -p hashmill
        COMP_WORDS=(hashmill ch) COMP_CWORD=1
        _hashmill hashmill ch hashmill
        [ "${COMPREPLY[*]}" = check ]' - "$1"
    if command -v zsh >/dev/null; then
        check "zsh's completions" env -i PATH="$PATH" HOME="$work" zsh -fc '
            fpath=("$1" $fpath)
            autoload -Uz compinit && compinit -u -D
            [[ $_comps[hashmill] == _hashmill ]] && autoload -Uz +X _hashmill' - "$1/$zsh"
    fi
    if command -v fish >/dev/null; then
        check "fish's completions" env -i PATH="$PATH" HOME="$work" fish --no-config -c '
            source $argv[1]/fish/vendor_completions.d/hashmill.fish
            complete -C "hashmill ch" | string match -q "check*"' "$1"
    fi
}

# No manual page causes a warning in any of the checking programs installed here.
pages_parse() {
    local page
    for page in "$1"/*; do
        if command -v man >/dev/null; then
            # With the options that lintian uses.
            LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null | sed "s|^|${page##*/}: |"
        fi
        if command -v mandoc >/dev/null; then
            # Sources without a git history have no date.
            mandoc -T lint -W warning "$page" | if git log -1 >/dev/null 2>&1; then cat; else grep -v 'missing date'; fi
        fi
        # `apropos` reads a one-line sentence under NAME.
        gzip -cdf "$page" | grep -A 1 -x '\.SH NAME' | grep -qE '^hashmill[a-z0-9\-]* \\- .' || echo "${page##*/}: no line under NAME"
    done >"$work/pages"
    quiet "$work/pages"
}

version=$(scripts/version.sh)
mkdir "$work/pages.d"
check "hashmill man" "$target/release/hashmill" man "$work/pages.d"
for subcommand in sum check copy list speed bench results completions man links md5sum cksum sum-coreutils; do
    check "a page for $subcommand" test -s "$work/pages.d/hashmill-$subcommand.1"
done
pages=$(cd "$work/pages.d" && ls)

# The C library and everything installed with it; links count as files.
soversion=$(scripts/version.sh --library)
library="lib/libhashmill.so.$version
lib/libhashmill.a
lib/pkgconfig/hashmill.pc
lib/pkgconfig/hashmill-static.pc
lib/cmake/hashmill/hashmill-config.cmake
lib/cmake/hashmill/hashmill-config-version.cmake
include/hashmill.h
include/hashmill.hpp
include/hashmill/core.hpp
include/hashmill/header_only.hpp
include/hashmill/types.hpp"
links="lib/libhashmill.so
lib/libhashmill.so.$soversion"

# builds PREFIX [LIBDIR]: builds a C and a C++ program against the installed files only.
builds() {
    local prefix=$1 libdir=${2:-$1/lib} abc=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad program
    export PKG_CONFIG_PATH=$libdir/pkgconfig
    # The loader finds the library on its own if it is where a package puts it.
    [ $# -gt 1 ] || export LD_LIBRARY_PATH=$libdir
    rm -rf "$work/consumer"
    cp -r bindings/cpp/examples/consumer "$work/consumer"
    check "pkg-config" eval '[ "$(pkg-config --modversion hashmill)" = "$version" ]'
    check "a C program by pkg-config" eval 'cc "$work/consumer/main.c" -o "$work/consumer/c" $(pkg-config --cflags --libs hashmill) && [ "$("$work/consumer/c")" = $abc ]'
    check "a C++ program by pkg-config" eval 'c++ -std=c++20 "$work/consumer/main.cpp" -o "$work/consumer/cpp" $(pkg-config --cflags --libs hashmill) && [ "$("$work/consumer/cpp")" = $abc ]'
    check "a static program by pkg-config" eval 'cc "$work/consumer/main.c" -o "$work/consumer/static-c" $(pkg-config --cflags hashmill) "$libdir/libhashmill.a" $(pkg-config --static --libs-only-l hashmill | sed s/-lhashmill//) &&
        [ "$(env -u LD_LIBRARY_PATH "$work/consumer/static-c")" = $abc ]'
    check "CMake finds it" cmake -S "$work/consumer" -B "$work/consumer/build" -DCMAKE_PREFIX_PATH="$prefix"
    check "a project by CMake" cmake --build "$work/consumer/build"
    for program in shared static header_only plain_c; do
        check "CMake's $program" eval '[ "$(env -u LD_LIBRARY_PATH "$work/consumer/build/$program")" = $abc ]'
    done
    check "a version that is not this one" eval 'sed -i "s/hashmill 0.1/hashmill 0.2/" "$work/consumer/CMakeLists.txt"; ! cmake -S "$work/consumer" -B "$work/consumer/build2" -DCMAKE_PREFIX_PATH="$prefix"'
    unset PKG_CONFIG_PATH LD_LIBRARY_PATH
}

# Into a folder, as for a package. The folder's name contains a space, as a user's may.
root="$work/a root"
check "make install" installing PREFIX=/usr/local DESTDIR="$root"
listing "$root" >"$work/files"
check "the files, with their modes" same "755 usr/local/bin/hashmill
644 usr/local/bin/.debug/hashmill.debug
644 usr/local/share/bash-completion/completions/hashmill
644 usr/local/share/zsh/site-functions/_hashmill
644 usr/local/share/fish/vendor_completions.d/hashmill.fish
644 usr/local/share/doc/hashmill/CHANGELOG.md
644 usr/local/share/doc/hashmill/LICENSE-APACHE
644 usr/local/share/doc/hashmill/LICENSE-MIT
644 usr/local/share/doc/hashmill/README.md
$(sed 's|^|644 usr/local/|' <<<"$library")
$(sed 's|^|644 usr/local/share/man/man1/|' <<<"$pages")" "$work/files"
check "the library's links" same "$links" <(cd "$root/usr/local" && find . -type l -printf '%P\n')
check "debug symbols beside the program" has_symbols "$root/usr/local/bin/hashmill"
mkdir "$work/alone"
cp "$root/usr/local/bin/hashmill" "$work/alone"
tries "$work/alone/hashmill" "$work/try"
completes "$root/usr/local/share" zsh/site-functions
if command -v man >/dev/null || command -v mandoc >/dev/null; then
    check "manual pages" pages_parse "$root/usr/local/share/man/man1"
else
    skip "neither man nor mandoc is here to read the manual pages"
fi
check "make uninstall" uninstalling PREFIX=/usr/local DESTDIR="$root"
find "$root" ! -type d -o -name '*hashmill*' -o -name .debug >"$work/left"
check "nothing is left" quiet "$work/left"

# With each folder given separately; files of other programs stay.
others="$work/o/m/man1/hashmillwright.1"
mkdir -p "${others%/*}"
touch "$others"
folders=(prefix="$work/o" bindir="$work/o/b" mandir="$work/o/m" docdir="$work/o/d" datadir="$work/o/s" DEBUG=no)
check "make install with other folders" installing "${folders[@]}"
find "$work/o" -type f -printf '%P\n' >"$work/files"
check "the files there" same "b/hashmill
d/CHANGELOG.md
d/LICENSE-APACHE
d/LICENSE-MIT
d/README.md
m/man1/hashmillwright.1
s/bash-completion/completions/hashmill
s/fish/vendor_completions.d/hashmill.fish
s/zsh/site-functions/_hashmill
$library
$(sed 's|^|m/man1/|' <<<"$pages")" "$work/files"
builds "$work/o"
check "make uninstall with other folders" uninstalling "${folders[@]}"
find "$work/o" ! -type d >"$work/left"
check "only what others put there is left" same "$others" "$work/left"

# The package.
package_tests() {
    local architecture program debug shared development soname multiarch
    soname=$(objdump -p "$target/release/libhashmill_c.so" | awk '$1 == "SONAME" { print $2 }')
    multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
    architecture=$(dpkg --print-architecture)
    program="$work/deb/hashmill_$version-1_$architecture.deb"
    debug="$work/deb/hashmill-dbgsym_$version-1_$architecture.deb"
    shared="$work/deb/libhashmill${soname#libhashmill.so.}_$version-1_$architecture.deb"
    development="$work/deb/libhashmill-dev_$version-1_$architecture.deb"
    check "the packages" scripts/deb.sh "$work/deb"
    [ -e "$program" ] && [ -e "$debug" ] && [ -e "$shared" ] && [ -e "$development" ] || return
    dpkg-deb --contents "$shared" | awk '$1 !~ /^d/ { print $1, $2, $6, $7, $8 }' | sed 's/ *$//' >"$work/files"
    check "the files of the library" same "-rw-r--r-- root/root ./usr/lib/$multiarch/libhashmill.so.$version
lrwxrwxrwx root/root ./usr/lib/$multiarch/$soname -> libhashmill.so.$version
-rw-r--r-- root/root ./usr/share/doc/libhashmill${soname#libhashmill.so.}/changelog.Debian.gz
-rw-r--r-- root/root ./usr/share/doc/libhashmill${soname#libhashmill.so.}/changelog.gz
-rw-r--r-- root/root ./usr/share/doc/libhashmill${soname#libhashmill.so.}/copyright" "$work/files"
    check "the libraries it depends on" eval 'dpkg-deb --field "$shared" Depends | tee /dev/stderr | grep -E "^libc6 \(>= 2\.[0-9]+\)(, libgcc-s1 \(>= [0-9.]+\))?$"'
    dpkg-deb --contents "$program" | awk '$1 !~ /^d/ { print $1, $2, $6 }' >"$work/files"
    check "the files of the package" same "-rwxr-xr-x root/root ./usr/bin/hashmill
-rw-r--r-- root/root ./usr/share/bash-completion/completions/hashmill
-rw-r--r-- root/root ./usr/share/zsh/vendor-completions/_hashmill
-rw-r--r-- root/root ./usr/share/fish/vendor_completions.d/hashmill.fish
-rw-r--r-- root/root ./usr/share/doc/hashmill/README.md
-rw-r--r-- root/root ./usr/share/doc/hashmill/changelog.Debian.gz
-rw-r--r-- root/root ./usr/share/doc/hashmill/changelog.gz
-rw-r--r-- root/root ./usr/share/doc/hashmill/copyright
$(sed 's|.*|-rw-r--r-- root/root ./usr/share/man/man1/&.gz|' <<<"$pages")" "$work/files"
    check "the libraries it depends on" eval 'dpkg-deb --field "$program" Depends | tee /dev/stderr | grep -E "^libc6 \(>= 2\.[0-9]+\)$"'
    check "the changelog" eval 'dpkg-deb --fsys-tarfile "$program" | tar -xO ./usr/share/doc/hashmill/changelog.Debian.gz | gzip -cd |
        dpkg-parsechangelog -l - --show-field Version | grep -x "$version-1"'
    if command -v lintian >/dev/null; then
        check "lintian" lintian --fail-on error "$program" "$debug" "$shared" "$development"
    fi
    if [ "$(id -u)" -ne 0 ]; then
        skip "to install the package takes root"
        return
    fi
    if dpkg-query --status hashmill >/dev/null 2>&1 || [ -e /usr/bin/hashmill ]; then
        skip "a package hashmill, or /usr/bin/hashmill, is here already; it is not touched"
        return
    fi
    find /usr /etc /var /opt -xdev -iname '*hashmill*' 2>/dev/null | sort >"$work/before"
    packages=(hashmill hashmill-dbgsym libhashmill-dev "libhashmill${soname#libhashmill.so.}")
    # Including manual pages and documents, which small images leave out.
    check "installed" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends -o DPkg::Lock::Timeout=300 \
        -o DPkg::Options::=--path-include='/usr/share/*' install "$program" "$debug" "$shared" "$development"
    check "dpkg has it" eval '[ "$(dpkg-query --show --showformat="\${Status}" hashmill)" = "install ok installed" ]'
    check "dpkg --verify" eval 'dpkg --verify "${packages[@]}" >"$work/verify"; quiet "$work/verify"'
    check "debug symbols by the build ID" has_symbols /usr/bin/hashmill
    tries /usr/bin/hashmill "$work/try"
    completes /usr/share zsh/vendor-completions
    check "the manual page" gzip -t /usr/share/man/man1/hashmill.1.gz /usr/share/man/man1/hashmill-sum.1.gz
    if command -v man >/dev/null; then
        check "man finds it" eval '[ "$(man --where --manpath=/usr/share/man hashmill-copy)" = /usr/share/man/man1/hashmill-copy.1.gz ]'
    fi
    builds /usr "/usr/lib/$multiarch"
    check "removed" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 purge "${packages[@]}"
    check "dpkg has it no more" eval 'for p in "${packages[@]}"; do ! dpkg-query --status "$p" || exit 1; done'
    packages=()
    find /usr /etc /var /opt -xdev -iname '*hashmill*' 2>/dev/null | sort >"$work/after"
    check "nothing is left of the package" diff "$work/before" "$work/after"
}

# The PHP extension, installed into separate folders so that the system's PHP is not touched.
php_tests() {
    local folders=(PREFIX="$work/php" phpdir="$work/php/ext" phpinidir="$work/php/ini")
    check "install-php" "$make" --no-print-directory --silent install-php BUILD=no "${folders[@]}"
    check "PHP has every algorithm" php -n -d extension_dir="$work/php/ext" -d extension=hashmill -r 'exit(hash("blake3", "abc") === "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85" ? 0 : 1);'
    check "by the line in the folder for php.ini" eval 'PHP_INI_SCAN_DIR=$work/php/ini php -c "$work/php" -d extension_dir="$work/php/ext" -r "exit(extension_loaded(\"hashmill\") ? 0 : 1);"'
    check "no path of this folder is in it" eval 'readelf -d "$work/php/ext/hashmill.so" | grep "RUNPATH.*\[$work/php/lib\]"'
    check "uninstall-php" "$make" --no-print-directory --silent uninstall-php uninstall-lib "${folders[@]}"
    check "nothing is left of it" eval '! find "$work/php" -type f | grep .'
}
if command -v phpize >/dev/null && command -v php >/dev/null; then
    php_tests
else
    skip "no phpize here: PHP's extension was not installed"
fi

if command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null; then
    package_tests
else
    skip "no dpkg-dev here: the package for Debian was not built"
fi
