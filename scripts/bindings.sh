#!/usr/bin/env bash
# bindings.sh c|cpp|php|pascal|go|go_long|sanitize: tests the bindings for C, C++, PHP, Pascal and Go: the exported
# names, and every test with gcc and clang, in several standards of each language, under valgrind and the sanitizers.
# Ends with a `test result:` line, as cargo's tests do.
#
# The library is built in the same way as the workspace's tests, so that they share one build. `make setup` names
# missing tools.
set -uo pipefail
cd "$(dirname "$0")/.."
bare=$(scripts/bare.py) && eval "$bare" || exit 1
target=${CARGO_TARGET_DIR:-target}
case $target in /*) ;; *) target=$PWD/$target ;; esac
library=$target/release/libhashmill_c.so
work=$target/bindings
mkdir -p "$work"
passed=0
failed=0

# check WHAT COMMAND...: counts one test, which passes if the command does; its output is shown if it fails.
check() {
    local what=$1
    shift
    if "$@" >"$work/output" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "bindings: $what: failed"
        tail -n 60 "$work/output" | sed 's/^/    /'
        return 1
    fi
}

# counted WHAT COMMAND...: like check, but counts the tests that the program counted, in our own format or GoogleTest's.
# A program that fails although all its tests passed (because of valgrind or a sanitizer), or that counted nothing, is
# one more failure.
counted() {
    local what=$1 good bad status=0
    shift
    "$@" >"$work/output" 2>&1 || status=$?
    good=$(awk '/^test result: / { for (i = 2; i <= NF; i++) if ($i ~ /^passed/) n += $(i - 1) } /^\[  PASSED  \]/ { n += $4 } END { print n + 0 }' "$work/output")
    bad=$(awk '/^test result: / { for (i = 2; i <= NF; i++) if ($i ~ /^failed/) n += $(i - 1) } /^\[  FAILED  \] [0-9]+ test/ { n += $4 } END { print n + 0 }' "$work/output")
    if [ "$bad" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$good" -eq 0 ]; }; then
        bad=1
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
    if [ "$bad" -gt 0 ]; then
        echo "bindings: $what: failed (status $status)"
        tail -n 60 "$work/output" | sed 's/^/    /'
    fi
}

built() { cargo build --quiet --release --workspace --lib; }

# The library exports the names in the header, and nothing else.
exports() { diff bindings/c/symbols.txt <(nm -D --defined-only "$library" | awk '{ print $3 }' | LC_ALL=C sort); }
static_exports() { diff bindings/c/symbols.txt <(nm --defined-only --extern-only "$work/lib/libhashmill.a" 2>/dev/null | awk 'NF == 3 { print $3 }' | LC_ALL=C sort); }

# The ABI apart from the names; sizes are those of a 64-bit machine.
layout() { [ "$(getconf LONG_BIT)" != 64 ] || diff bindings/c/abi.txt <(scripts/abi.py); }

c() {
    local compiler standard
    check "the library builds" built || return
    check "it exports the header's names and no others" exports
    check "prototypes, sizes, offsets and numbers are those of abi.txt" layout
    check "the name for the loader" eval 'objdump -p "$library" | grep -E "SONAME +libhashmill\.so\.[0-9.]+$"'
    check "what is installed of it" scripts/lib.sh "$target/release" "$work/lib"
    check "the static library exports the header's names and no others" static_exports
    for compiler in gcc clang-19; do
        for standard in c11 c17; do
            check "the C test builds with $compiler -std=$standard" "$compiler" -std=$standard -O1 -g -Wall -Wextra -Wpedantic -Wconversion -Werror \
                -Ibindings/c/include bindings/c/tests/api.c -o "$work/api-$compiler-$standard" -L"$work/lib" -lhashmill -Wl,-rpath,"$work/lib" || continue
            counted "the C test with $compiler -std=$standard" "$work/api-$compiler-$standard"
        done
    done
    check "the C test with the static library" gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -Ibindings/c/include bindings/c/tests/api.c -o "$work/api-static" \
        "$work/lib/libhashmill.a" -lgcc_s -lpthread -ldl -lm && counted "the C test with the static library" "$work/api-static"
    check "the code on its page compiles" eval 'scripts/snippets.py c "$work/snippets.c" bindings/c/README.md &&
        gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -Wno-unused -Ibindings/c/include "$work/snippets.c" -o "$work/snippets-c" -L"$work/lib" -lhashmill -Wl,-rpath,"$work/lib"' &&
        counted "the code on its page" "$work/snippets-c"
    # A hash table is referenced by a pointer into its middle, which valgrind reports as possibly lost.
    counted "the C test under valgrind" valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite "$work/api-gcc-c11"
    check "the C test builds with the sanitizers" clang-19 -std=c11 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -Ibindings/c/include \
        bindings/c/tests/api.c -o "$work/api-asan" -L"$work/lib" -lhashmill -Wl,-rpath,"$work/lib" && counted "the C test under the sanitizers" "$work/api-asan"
}

# cpp_tests FOLDER WHAT TEST...: runs tests that CMake built in FOLDER.
cpp_tests() {
    local folder=$1 what=$2 test
    shift 2
    for test in "$@"; do
        counted "$test, $what" "$folder/$test"
    done
}

configured() { # FOLDER CMAKE-OPTION...
    local folder=$1
    shift
    cmake -S bindings/cpp -B "$folder" -G Ninja -DHASHMILL_LIBRARY="$library" "$@" && cmake --build "$folder"
}

# The examples print what they should.
examples() {
    local folder=$1 files=$work/files
    rm -rf "$files"
    mkdir -p "$files/below"
    printf 'abc' >"$files/abc"
    : >"$files/empty"
    printf 'x' >"$files/"$'new\nline'
    cp README.md "$files/below"
    cd "$files" || return
    sha256sum abc empty $'new\nline' below/README.md >"$work/list"
    check "hashsum prints what sha256sum does" diff "$work/list" <("$folder/hashsum" abc empty $'new\nline' below/README.md)
    check "hashsum of one file" diff <(md5sum abc) <("$folder/hashsum" -a md5 abc)
    check "hashsum of a pipe" diff <(printf abc | md5sum) <(printf abc | "$folder/hashsum" -a md5)
    check "hashsum -c as sha256sum -c" diff <(sha256sum -c "$work/list") <("$folder/hashsum" -c "$work/list")
    check "hashsum goes on where a file is missing" eval '[ "$("$folder/hashsum" none abc 2>"$work/err"; echo $?)" = "$(sha256sum abc; echo 1)" ] && grep "none: no such file or directory" "$work/err"'
    check "hashsum -c of a changed file" eval 'printf y >empty; ! "$folder/hashsum" -c "$work/list"'
    check "merkle" eval '"$folder/merkle" . >"$work/before"; printf z >>below/README.md; "$folder/merkle" . >"$work/after"; [ "$(diff "$work/before" "$work/after" | grep -c "^>")" = 3 ]'
    check "siphash_map" eval '"$folder/siphash_map" <below/README.md | grep -E "^[0-9]+ words, at most [0-9] in a bucket"'
    cd - >/dev/null || return
}

# Boost.Hash2 came with Boost 1.87, and Debian 12 has an older version, so the headers come from pip. Prints where they
# are.
boost() {
    local folder=$work/boost version=1.88.0
    if [ ! -e "$folder/libboost_headers/include/boost/hash2/hash_append.hpp" ]; then
        rm -rf "$folder"
        timeout 120 python3 -I -m pip download --quiet --no-deps --disable-pip-version-check -d "$folder" "libboost-headers==$version" >&2 &&
            python3 -I -m zipfile -e "$folder"/*.whl "$folder" >&2 || return
        rm -f "$folder"/*.whl
    fi
    echo "$folder/libboost_headers/include"
}

# The code in the documentation, compiled as one program.
pages() {
    scripts/snippets.py cpp "$work/snippets.cpp" bindings/cpp/README.md bindings/cpp/docs/index.md bindings/cpp/docs/concepts.md &&
        g++ -std=c++20 -Wall -Wextra -Wpedantic -Werror -Wno-unused -Ibindings/c/include -Ibindings/cpp/include "$work/snippets.cpp" -o "$work/snippets-cpp" \
            "$library" -Wl,-rpath,"$work/gcc/lib"
}

# Calls that must not compile are rejected, and the compiler says in a few lines what is missing: g++ names the deleted
# function, clang the reason.
refused() {
    local case compiler wide="need their byte order" none="a message is" options=(-std=c++20 -fsyntax-only -Ibindings/c/include -Ibindings/cpp/include)
    local why=("" "$wide" "$wide" "$wide" "$wide" "$none" "$none" "$none" "$none" "$none" "messages are ranges of bytes")
    for compiler in g++ clang++-19; do
        "$compiler" "${options[@]}" -Wall -Wextra -Werror bindings/cpp/tests/refused.cpp || return
        for case in {1..10}; do
            if "$compiler" "${options[@]}" -DCASE=$case bindings/cpp/tests/refused.cpp 2>"$work/refused"; then
                echo "$compiler takes case $case"
                return 1
            fi
            [ "$(grep -c "error:" "$work/refused")" -eq 1 ] && case $compiler in
            g++) grep "error: use of deleted function" "$work/refused" && [ "$(wc -l <"$work/refused")" -le 12 ] ;;
            *) grep "error: call to deleted.*: .*${why[$case]}" "$work/refused" ;;
            esac || { echo "$compiler, case $case:"; cat "$work/refused"; return 1; }
        done
    done
}

# Macros of other headers do no harm: `I` in complex.h, `B0` in termios.h. With the compilers' language extensions.
beside_others() {
    local compiler
    for compiler in g++ clang++-19; do
        "$compiler" -std=gnu++20 -fsyntax-only -Wall -Wextra -Werror -include complex.h -include termios.h -include sys/param.h -Ibindings/c/include -Ibindings/cpp/include \
            bindings/cpp/tests/refused.cpp || return
    done
}

# Each compiler also accepts the tests in the language standard that it does not otherwise use.
other_standards() {
    local options=(-fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror -Ibindings/c/include -Ibindings/cpp/include)
    g++ -std=c++23 "${options[@]}" bindings/cpp/tests/hashmill_test.cpp && clang++-19 -std=c++20 "${options[@]}" bindings/cpp/tests/hashmill_test.cpp
}

reference() {
    rm -rf "$target/doxygen"
    DOXYGEN_OUTPUT=$target/doxygen doxygen bindings/Doxyfile
}

cpp() {
    local boost
    boost=$(boost) || {
        mkdir -p "$target/tmp"
        echo "the real Boost.Hash2: neither Boost 1.87 nor pip's libboost-headers" >>"$target/tmp/skipped"
    }
    check "the library builds" built || return
    check "Doxygen has no complaint" reference
    check "what is refused is refused in a few words" refused
    check "other headers' macros" beside_others
    check "g++ in C++23, clang in C++20" other_standards
    check "g++, C++20" configured "$work/gcc" -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++ -DCMAKE_CXX_STANDARD=20 ${boost:+"-DBOOST_HASH2=$boost"} &&
        cpp_tests "$work/gcc" "g++ C++20" vectors_test hashmill_test header_only_test seeds_test byte_order_test &&
        check "without exceptions" "$work/gcc/no_exceptions_test" && examples "$work/gcc"
    check "the code on the pages compiles" pages && counted "the code on the pages" "$work/snippets-cpp"
    [ ! -x "$work/gcc/boost_test" ] || counted "the real Boost.Hash2" "$work/gcc/boost_test"
    check "clang, C++23" configured "$work/clang" -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_CXX_STANDARD=23 &&
        cpp_tests "$work/clang" "clang C++23" vectors_test hashmill_test header_only_test seeds_test byte_order_test
}

# Runs the byte-order tests for a machine of the other byte order: `big_endian TRIPLE COMPILER EMULATOR...`, called by
# scripts/target.sh with its environment.
big_endian() {
    local triple=$1 compiler=$2
    shift 2
    local options=(-std=c++20 -O1 -static -Wall -Wextra -Werror -Ibindings/c/include -Ibindings/cpp/include)
    check "the C library builds for $triple" cargo build --quiet --release --package hashmill-c --target "$triple" ${BUILD_STD:+"$BUILD_STD"} &&
        check "the byte order test builds for $triple" "$compiler" "${options[@]}" bindings/cpp/tests/byte_order_test.cpp -o "$work/byte_order-$triple" \
            "$target/$triple/release/libhashmill_c.a" &&
        counted "byte order on $triple" "$@" "$work/byte_order-$triple"
}

# php_tests WHAT OPTION-OR-TEST...: runs tests with PHP's own runner, passing the options to each PHP.
php_program=$(command -v php)
php_so=$work/php/modules/hashmill.so
php_tests() {
    local what=$1
    shift
    HASHMILL_SHARED_VECTORS=$PWD/vectors PLAIN_ALGOS=$(php -n -r 'echo implode(" ", hash_algos());') NO_INTERACTION=1 \
        HASHMILL_SO="$php_so" php -n "$work/php/run-tests.php" -q -n -j2 -p "$php_program" -d extension="$php_so" "$@" >"$work/output" 2>&1
    local status=$? good bad
    good=$(awk '/^Tests passed/ { print $4 }' "$work/output")
    bad=$(awk '/^Tests (failed|warned|leaked)/ { n += $4 } END { print n + 0 }' "$work/output")
    # A test that is skipped although it should run counts as a failure.
    bad=$((bad + $(awk '/^Tests skipped/ { n += $4 } END { print n + 0 }' "$work/output")))
    if [ "$bad" -eq 0 ] && { [ $status -ne 0 ] || [ "${good:-0}" -eq 0 ]; }; then
        bad=1
    fi
    passed=$((passed + ${good:-0}))
    failed=$((failed + bad))
    if [ "$bad" -gt 0 ]; then
        echo "bindings: PHP, $what: failed (status $status)"
        tail -n 80 "$work/output" | sed 's/^/    /'
    fi
}

php_() {
    local tests=$work/php/tests short=() test
    check "the library builds" built || return
    check "what is installed of it" scripts/lib.sh "$target/release" "$work/lib"
    check "the extension builds" scripts/php.sh "$work/php" "$work/lib" "$work/lib" || return
    php_tests "as it is" "$tests"
    php_tests "with opcache" -d zend_extension=opcache -d opcache.enable_cli=1 "$tests"
    php_examples
    check "a library of another version" other_version
    check "what PIE reads" package
    # Without PHP's own allocator, which would hide accesses beyond a block.
    for test in builtin_names every_function fork hash_files hash_many hostile_state options replace_builtin signatures vectors; do
        short+=("$tests/$test.phpt")
    done
    export USE_ZEND_ALLOC=0
    php_tests "under valgrind" -m -d pcre.jit=0 "${short[@]}"
    check "the extension builds with the sanitizers" scripts/php.sh "$work/php-asan" "$work/lib" "$work/lib" "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all" &&
        check "what lets the sanitizer run in PHP" gcc -shared -fPIC -O1 bindings/php/tests/no_deepbind.c -o "$work/no_deepbind.so" -ldl || return
    printf '#!/bin/sh\nLD_PRELOAD="%s %s %s" exec php "$@"\n' "$work/no_deepbind.so" "$(gcc -print-file-name=libasan.so)" "$(gcc -print-file-name=libubsan.so)" >"$work/php-asan/php"
    chmod +x "$work/php-asan/php"
    php_program=$work/php-asan/php php_so=$work/php-asan/modules/hashmill.so ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 \
        php_tests "under the sanitizers" "${short[@]}"
    unset USE_ZEND_ALLOC
}

# With a library of another version, the extension prints one line that names both, and PHP runs without it.
other_version() {
    mkdir -p "$work/other"
    echo 'const char *hm_version(void) { return "9.9.9"; }' | gcc -shared -fPIC -x c - -Wl,-soname,"$(objdump -p "$library" | awk '$1 == "SONAME" { print $2 }')" -o "$work/other/libhashmill.so.0.1" &&
        { LD_LIBRARY_PATH=$work/other php -n -d extension="$php_so" -r '' 2>&1 || true; } | grep "compiled for libhashmill [0-9.]*, and 9.9.9 is here"
}

# The documented options exist, and the versions agree everywhere.
package() {
    php -n -r '
        $p = json_decode(file_get_contents("composer.json"), true, 9, JSON_THROW_ON_ERROR)["php-ext"];
        is_file("{$p["build-path"]}/config.m4") && $p["extension-name"] === "hashmill" or exit("no such folder or name\n");
        foreach ($p["configure-options"] as $o) str_contains(shell_exec("$argv[1]/configure --help"), "--{$o["name"]}") or exit("configure has no {$o["name"]}\n");
        echo "right\n";' "$work/php" | grep right &&
        grep "PHP_HASHMILL_VERSION \"$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)\"" bindings/php/php_hashmill.h
}

# The survey's rows match those of `hashmill bench loops`; the import copies, repairs, and reports what it cannot read.
php_examples() {
    local php=(php -n -d extension="$work/php/modules/hashmill.so") rows=(md5 sha256 crc32 crc32b groestl512 blake3 xxh3 snefru snefru256 "haval256,5") photos=$work/photos
    survey() { "$@" 2>/dev/null | cut -f1,3; }
    if [ -x "$target/release/hashmill" ]; then
        check "the survey's digests are those of bench loops" diff \
            <(survey "${php[@]}" bindings/php/examples/survey.php --seed=3 --loops=2 --sizes=5,30,1000 "${rows[@]}") \
            <(survey "$target/release/hashmill" bench loops --names php --seed 3 --loops 2 --reps 1 --size 5,30,1000 "${rows[@]}")
    fi
    check "the survey of all, by hashmill\\hash" eval '[ "$("${php[@]}" bindings/php/examples/survey.php --own --loops=1 --sizes=5 | grep -c " sec ")" -gt 240 ]'
    # Scripts written for PHP without the extension.
    check "a survey for plain PHP, unchanged" eval 'all=$("${php[@]}" bench/php/unchanged/survey.php 2) && plain=$(php -n bench/php/unchanged/survey.php 2) &&
        [ "$(grep -c " sec " <<<"$plain")" = 300 ] && [ "$(grep -c " sec " <<<"$all")" -gt 1100 ]'
    check "the survey with plain PHP" eval '[ "$(php -n bindings/php/examples/survey.php --loops=1 --sizes=5 | grep -c " sec ")" -ge 60 ]'
    rm -rf "$photos"
    mkdir -p "$photos/from/below"
    head -c 100000 README.md >"$photos/from/a.jpg"
    head -c 5000 Makefile >"$photos/from/below/B.JPG"
    echo no photo >"$photos/from/below/c.txt"
    touch -d '2024-05-31 12:00' "$photos"/from/*.jpg "$photos"/from/below/*
    check "the photo script" eval '"${php[@]}" bindings/php/examples/photo-import.php --rounds=2 "$photos/from" "$photos/to" >"$photos/out" &&
        [ "$(grep -cE "^(md5|sha512|skein512|keccak512|jh512|groestl512|blake512) " "$photos/out")" = 14 ] &&
        diff "$photos/from/a.jpg" "$photos/to/2024/2024-05-31/a.jpg" && diff "$photos/from/below/B.JPG" "$photos/to/2024/2024-05-31/B.JPG" && [ "$(find "$photos/to" -type f | wc -l)" = 2 ]'
    check "a photo script for plain PHP, unchanged" eval 'n=$((2 * $(cat "$photos/from/a.jpg" "$photos/from/below/B.JPG" | wc -c))) && "${php[@]}" bench/php/unchanged/photos.php "$photos/from" "$photos/unchanged" 2 md5 blake512 skein512 >"$photos/out" && [ "$(cut -d" " -f1,2 "$photos/out" | tr "\n" " ")" = "md5 $n blake512 $n skein512 $n " ] &&
        diff "$photos/from/a.jpg" "$photos/unchanged/2024/05/31/a.jpg"'
    check "it repairs a copy" eval 'echo other >"$photos/to/2024/2024-05-31/a.jpg"; "${php[@]}" bindings/php/examples/photo-import.php --rounds=1 --algo=md5 "$photos/from" "$photos/to" && diff "$photos/from/a.jpg" "$photos/to/2024/2024-05-31/a.jpg"'
    check "it says what it cannot write" eval '! "${php[@]}" bindings/php/examples/photo-import.php --rounds=1 --algo=md5 "$photos/from" /proc/nowhere 2>"$photos/err" && grep "not as its source" "$photos/err"'
}

# pascal_build FOLDER FPC-OPTION... SOURCE: hints and notes are errors. The linker's search path contains the library
# under test.
pascal_build() {
    local folder=$1
    shift
    mkdir -p "$folder"
    fpc -O2 -gl -B -Sewnh -Fubindings/pascal -Fubindings/pascal/kernels -Fubindings/pascal/tests -Fl"$work/lib" -FU"$folder" -FE"$folder" "$@"
}

# The same for 32-bit x86, with the compiler that scripts/fpc-i386.sh fetches; the machine's linker links for it.
pascal_build_i386() {
    local folder=$1
    shift
    mkdir -p "$folder"
    "$target/fpc-i386/ppc386" -n -O2 -gl -B -Sewnh -vewnh -Fu"$target/fpc-i386/units/*" -Fubindings/pascal -Fubindings/pascal/kernels -Fubindings/pascal/tests -FU"$folder" -FE"$folder" "$@"
}

pascal_i386() {
    local mode folder
    check "Free Pascal for i386" scripts/fpc-i386.sh "$target/fpc-i386" || return
    for mode in delphi objfpc; do
        folder=$work/pascal/$mode-i386
        check "the unit compiles for i386 in mode $mode" pascal_build_i386 "$folder" -M$mode bindings/pascal/hashmill.pas
        check "the kernels' tests build for i386 in mode $mode" pascal_build_i386 "$folder" -M$mode bindings/pascal/tests/kerneltests.pas &&
            counted "the kernels' tests for i386 in mode $mode" "$folder/kerneltests" vectors &&
            counted "the kernels' tests for i386 in mode $mode on an older processor" qemu-i386 -cpu qemu32,-pclmulqdq,-sse4.2 "$folder/kerneltests" vectors
        # Assembly with absolute addresses must be left out here.
        check "the kernels' tests build as position-independent code in mode $mode" pascal_build_i386 "$folder-pic" -Cg -M$mode bindings/pascal/tests/kerneltests.pas &&
            counted "the kernels' tests as position-independent code in mode $mode" "$folder-pic/kerneltests" vectors
    done
}

pascal() {
    local mode way folder
    check "the library builds" built || return
    check "what is installed of it" scripts/lib.sh "$target/release" "$work/lib"
    check "hashmillc.pas is what abi.txt says" scripts/pascal.py --check
    for mode in delphi objfpc; do
        for way in LOAD LINK; do
            folder=$work/pascal/$mode-$way
            check "the tests build in mode $mode, $way" pascal_build "$folder" -M$mode -dHASHMILL_$way bindings/pascal/tests/hashmilltests.pas &&
                counted "the tests in mode $mode, $way" env LD_LIBRARY_PATH="$work/lib" "$folder/hashmilltests" vectors
        done
        # The kernels use no library; older CPUs run the ones they can.
        folder=$work/pascal/$mode-kernels
        check "the kernels' tests build in mode $mode" pascal_build "$folder" -M$mode bindings/pascal/tests/kerneltests.pas &&
            counted "the kernels' tests in mode $mode" "$folder/kerneltests" vectors
        [ "$(uname -m)" != x86_64 ] || counted "the kernels' tests in mode $mode on an older processor" qemu-x86_64 -cpu qemu64,-pclmulqdq,-sse4.2 "$folder/kerneltests" vectors
    done
    [ "$(uname -m)" != x86_64 ] || pascal_i386
    folder=$work/pascal/heap
    check "the tests build with the heap's trace" pascal_build "$folder" -gh bindings/pascal/tests/hashmilltests.pas &&
        check "nothing is left on the heap" eval 'HEAPTRC="log=$folder/log" LD_LIBRARY_PATH=$work/lib "$folder/hashmilltests" vectors && grep "^0 unfreed memory blocks" "$folder/log"'
    check "the example builds" pascal_build "$work/pascal" bindings/pascal/examples/hashsum.pas || return
    pascal_examples
    pascal_loops
}

# The measuring program: its tables have a row for every kernel, also as a 32-bit program; it answers requests and stops
# for tracers.
pascal_loops() {
    local folder=$work/pascal/loops beside=()
    check "the loops build" pascal_build "$folder" bindings/pascal/examples/loops.pas || return
    if [ "$(uname -m)" = x86_64 ]; then
        check "the loops build for i386, without the library" pascal_build_i386 "$folder-i386" -dALONE bindings/pascal/examples/loops.pas && beside=(--beside "$folder-i386/loops")
    fi
    export LD_LIBRARY_PATH=$work/lib
    check "the loops' tables" "$folder/loops" --pairs 5 --published bench/published.json --json "$folder/json" "${beside[@]}" && check "they have every row" python3 -I -c '
import json, sys
data = json.load(open(sys.argv[1]))
kernels = open(sys.argv[2]).read().split()
assert [(r["algorithm"], r["bytes"]) for r in data["original"]] == [(n, b) for b in (5, 5000) for n in ("md2", "md5", "sha1", "crc32", "crc32c")], data["original"]
assert all(r["seconds"] > 0 and r["ratio"]["median"] > 0 for r in data["original"])
assert len(kernels) >= 5 and [k["kernel"] for k in data["kernels"]] == kernels, kernels
assert all(0 < k["cycles_per_byte"]["median"] < 100 for k in data["kernels"])' "$folder/json" <("$folder/loops" --list)
    check "they answer" eval '[ "$(printf "md5\t5\t1\nnone\t5\t1\nnonsense\nmd5\t65537\t1\nmd5\t-1\t1\ncrc32/slicing8\t99999999999\t1\n" | "$folder/loops" --answer | sed "s/^[0-9]\+$/N/")" = "N
-1
-1
-1
-1
-1" ]'
    check "they stop round the second run" stops_twice "$folder/loops" --stop crc32/slicing8 100
    check "no such loop" eval '! "$folder/loops" --stop crc32/none 100 2>"$work/err" && [ "$(wc -l <"$work/err")" = 1 ]'
    check "no such option" eval '! "$folder/loops" --nonsense 2>"$work/err" && [ "$(wc -l <"$work/err")" = 1 ]'
    check "too few turns" eval '! "$folder/loops" --pairs 2 2>"$work/err" && [ "$(wc -l <"$work/err")" = 1 ]'
    check "no PHP" eval '"$folder/loops" --php /no/such/php --pairs 5 >"$work/out" 2>"$work/err" && grep -q "^| md5 | – | [0-9.]* | – | – | – |$" "$work/out" && [ "$(wc -l <"$work/err")" = 1 ]'
    unset LD_LIBRARY_PATH
}

# The program stops itself twice, then exits successfully.
stops_twice() {
    local pid state i turn
    "$@" &
    pid=$!
    for turn in 1 2; do
        for i in $(seq 100); do
            state=$(sed 's/.*) //; s/ .*//' "/proc/$pid/stat")
            [ "$state" != T ] || break
            sleep 0.05
        done
        [ "$state" = T ] || { kill -KILL "$pid"; return 1; }
        kill -CONT "$pid"
        # It must be running again before it is checked again.
        sleep 0.2
    done
    wait "$pid"
}

pascal_sum() { LD_LIBRARY_PATH=$1 "$work/pascal/hashsum" "${@:2}"; }

# The example prints the same as coreutils. If the library is missing or of another version, the example fails with a
# one-line error; for another version, it names both.
pascal_examples() {
    local files=$work/pascal/files version name
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
    name=$work/pascal/other/libhashmill.so.${version%.*}
    rm -rf "$files" "$work/pascal/other"
    mkdir -p "$files" "$work/pascal/other"
    printf abc >"$files/abc"
    printf x >"$files/"$'new\nline'
    printf y >"$files/"$'not \xff UTF-8'
    check "hashsum prints what sha256sum does" diff <(sha256sum "$files"/*) <(pascal_sum "$work/lib" "$files"/*)
    check "hashsum -a md5" diff <(md5sum "$files"/*) <(pascal_sum "$work/lib" -a md5 "$files"/*)
    check "a name of two lines is one in an error" eval '! pascal_sum "$work/lib" "$files/no
such" 2>"$work/err" && [ "$(wc -l <"$work/err")" = 1 ]'
    check "a full disk" eval '! pascal_sum "$work/lib" "$files/abc" >/dev/full 2>"$work/err" && [ "$(wc -l <"$work/err")" = 1 ] && grep "writing the digests" "$work/err"'
    check "it goes on where a file is missing" eval '[ "$(pascal_sum "$work/lib" /no/such/file "$files/abc" 2>"$work/err"; echo $?)" = "$(sha256sum "$files/abc"; echo 1)" ] &&
        grep "^hashsum: /no/such/file: no such file or directory$" "$work/err"'
    # An empty file ends the search: a library that is installed is not found behind it.
    : >"$name"
    check "no library" eval '! pascal_sum "$work/pascal/other" "$files/abc" 2>"$work/err" && [ "$(wc -l <"$work/err")" = 1 ] && grep -F "needs libhashmill $version and found none" "$work/err"'
    echo 'const char *hm_version(void) { return "9.9.9"; }' | gcc -shared -fPIC -x c - -o "$name"
    check "another version" eval '! pascal_sum "$work/pascal/other" "$files/abc" 2>"$work/err" && [ "$(wc -l <"$work/err")" = 1 ] && grep -F "needs libhashmill $version and found 9.9.9" "$work/err"'
    echo "const char *hm_version(void) { return \"$version\"; }" | gcc -shared -fPIC -x c - -o "$name"
    check "an older one, without a function" eval '! pascal_sum "$work/pascal/other" "$files/abc" 2>"$work/err" && [ "$(wc -l <"$work/err")" = 1 ] && grep -F "needs libhashmill $version and found $version: it has no hm_" "$work/err"'
    echo 'int nothing;' | gcc -shared -fPIC -x c - -o "$name"
    check "no such library at all" eval '! pascal_sum "$work/pascal/other" "$files/abc" 2>"$work/err" && [ "$(wc -l <"$work/err")" = 1 ] && grep -F "something else" "$work/err"'
}

# The library as installed, found through pkg-config.
go_library() {
    local version name
    version=$(sed -n '/^\[workspace.package\]/,/^\[/ s/^version = "\(.*\)"/\1/p' Cargo.toml)
    scripts/lib.sh "$target/release" "$work/lib" || return
    mkdir -p "$work/pkgconfig"
    for name in hashmill hashmill-static; do
        sed "s|@prefix@|$work|; s|@libdir@|$work/lib|; s|@includedir@|$PWD/bindings/c/include|; s|@version@|$version|; s|@homepage@||" "bindings/c/$name.pc.in" \
            >"$work/pkgconfig/$name.pc" || return
    done
}

# go_tests OPTION...: runs the package's tests, and ends with a line of counts. Skipped tests do not count as passed.
go_tests() {
    local status=0
    (cd bindings/go && go test -count=1 -v "$@") >"$work/go-output" 2>&1 || status=$?
    grep -vE '^(=== |--- PASS|    --- PASS|PASS$)' "$work/go-output"
    awk '/^ *--- PASS/ { p++ } /^ *--- FAIL/ { f++ } END { printf "test result: %d passed; %d failed\n", p, f }' "$work/go-output"
    return $status
}

go_formatted() { [ -z "$(gofmt -l bindings/go bench/go | tee /dev/stderr)" ]; }

go_environment() {
    export PKG_CONFIG_PATH=$work/pkgconfig LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} GOFLAGS=-mod=readonly
    # Go's build cache ignores the output of pkg-config, but not this variable: the library of another checkout must not
    # be reused.
    export CGO_LDFLAGS="-O2 -g -L$work/lib"
    check "the library builds" built && check "what is installed of it" go_library
}

in_go() { (cd bindings/go && "$@"); }

# A user's program: a separate module outside the project, which does not know where the library was built.
go_program() {
    local folder=$work/go-program
    rm -rf "$folder"
    mkdir -p "$folder"
    sed -n '/^```go$/,/^```$/p' docs/go.md | sed '1d; /^```$/,$d' >"$folder/main.go"
    (cd "$folder" && export GOFLAGS= && go mod init example >/dev/null 2>&1 && go mod edit -replace "github.com/hashmill/hashmill/bindings/go=$OLDPWD/bindings/go" && go mod tidy >/dev/null 2>&1 && go build "$@" -o program .)
}

# The output of the program in the documentation, compared with md5sum and sha256sum; its last line is about a missing
# file.
go_program_runs() {
    local files=("$PWD/Makefile" "$PWD/README.md") one
    "$work/go-program/program" "${files[@]}" /no/such/file >"$work/go-out" 2>"$work/go-err" || return
    one=$(md5sum <Makefile | cut -d' ' -f1)
    grep -q "^$one  $(sha256sum <Makefile | cut -d' ' -f1)  $PWD/Makefile$" "$work/go-out" && [ "$(wc -l <"$work/go-out")" = 4 ] && [ "$(wc -l <"$work/go-err")" = 1 ] &&
        grep -q "/no/such/file: no such file or directory" "$work/go-err"
}

go_() {
    local system
    go_environment || return
    check "gofmt" go_formatted
    check "go.mod and go.sum are whole" in_go go mod tidy -diff
    check "go vet with cgo" in_go go vet ./...
    check "go vet without cgo" in_go env CGO_ENABLED=0 go vet ./...
    check "staticcheck with cgo" in_go env GOFLAGS= go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
    check "staticcheck without cgo" in_go env GOFLAGS= go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 -tags hashmill_wasm ./...
    counted "with cgo" go_tests
    counted "with cgo, under the race detector, pointers checked" env GOEXPERIMENT=cgocheck2 scripts/bindings.sh go_race
    counted "with the static library" go_tests -tags hashmill_static -run 'TestStates|TestErrors|TestFiles|TestMany|Example'
    counted "without cgo" env CGO_ENABLED=0 scripts/bindings.sh go_only
    counted "without cgo, under the race detector" go_tests -race -tags hashmill_wasm -run 'TestConcurrency|TestFiles|TestFilesAreLeft|TestMany|TestParts'
    for system in windows/amd64 darwin/arm64 freebsd/amd64 linux/386 linux/riscv64 linux/s390x; do
        check "it builds for $system" in_go env CGO_ENABLED=0 GOOS=${system%/*} GOARCH=${system#*/} go vet .
    done
    [ "$(uname -m)" != x86_64 ] || counted "on 32 bits, interpreted" env CGO_ENABLED=0 GOARCH=386 scripts/bindings.sh go_only -run 'TestNames$|TestErrors|TestConstructors|TestParts|TestFiles$|Example'
    check "the page's program builds" go_program && check "the page's program runs" go_program_runs
    check "it builds with the library in it" go_program -tags hashmill_static && check "and runs without it" env LD_LIBRARY_PATH= scripts/bindings.sh go_program_runs
    check "it is not linked with the library then" eval '! ldd "$work/go-program/program" | grep hashmill'
    check "it builds with everything in it" go_program -tags hashmill_static -ldflags '-extldflags "-static"' && check "and runs alone" env LD_LIBRARY_PATH= scripts/bindings.sh go_program_runs
    check "it builds without cgo" env CGO_ENABLED=0 scripts/bindings.sh go_program && check "and runs anywhere" env LD_LIBRARY_PATH= scripts/bindings.sh go_program_runs
    check "the measuring program builds" eval '(cd bench/go && go vet . && CGO_ENABLED=0 go vet . && GOFLAGS= go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 .)'
}

go_race() { go_tests -race; }

go_only() { go_tests "$@"; }

go_long() {
    local target
    go_environment || return
    for target in FuzzHash FuzzParse FuzzState; do
        check "$target with cgo" in_go go test -run '^$' -fuzz "^$target\$" -fuzztime 60s
        check "$target without cgo" in_go env CGO_ENABLED=0 go test -run '^$' -fuzz "^$target\$" -fuzztime 60s
    done
    counted "long messages" env HASHMILL_TEST_TIER=long scripts/bindings.sh go_only -timeout 60m -run 'TestLong|TestVectors'
}

sanitize() {
    check "the library builds" built || return
    check "address and undefined-behaviour sanitizers" configured "$work/asan" -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 -DSANITIZE=address,undefined &&
        cpp_tests "$work/asan" "sanitized" vectors_test hashmill_test header_only_test seeds_test byte_order_test c_test
    check "thread sanitizer" configured "$work/tsan" -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 -DSANITIZE=thread &&
        cpp_tests "$work/tsan" "thread sanitizer" hashmill_test byte_order_test
}

case ${1:-} in
c | cpp | pascal | go_long | sanitize) "$1" ;;
go) go_ ;;
big_endian) "$@" ;;
# Parts of `go` that run in another environment: they pass on their counts or their exit status.
go_race | go_only | go_program | go_program_runs)
    "$@"
    exit
    ;;
php) php_ ;;
*)
    echo "usage: bindings.sh c|cpp|php|pascal|go|go_long|sanitize" >&2
    exit 2
    ;;
esac
echo "test result: $([ $failed -eq 0 ] && echo ok || echo FAILED). $passed passed; $failed failed"
[ $failed -eq 0 ]
