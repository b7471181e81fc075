# Every step of the checks is a target that can be run by itself; `make test` runs them all and adds up the results.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

CARGO ?= cargo
# What fails most often comes first. Steps after `windows` use what `unit` builds, which takes less time than those
# before. docs/tests.md says what each step buys.
TEST_STEPS := setup fmt-check -- clippy unit c php pascal lean -- aarch64 s390x i686 wasm32 windows older-x86 cpp go test-install

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

TARGET := $(or $(CARGO_TARGET_DIR),target)
DIST := $(TARGET)/dist

.PHONY: all
all: ## build program and C library: target/release/hashmill; stripped in target/dist, with debug symbols, manual pages and completions
	$(CARGO) build --release --package hashmill-cli $(if $(filter no,$(LIBRARY)),,--package hashmill-c)
	@$(MAKE) --no-print-directory dist

.PHONY: lib
lib: ## build the C library alone: target/dist/lib
	$(CARGO) build --release --package hashmill-c
	@scripts/lib.sh "$(TARGET)/release" "$(DIST)/lib"

# The files for distribution, made from target/release/hashmill as it is. `cargo build` leaves the symbols in the
# program, because `machine-code` finds the kernels by their names.
.PHONY: dist
dist:
	@scripts/dist.sh "$(TARGET)/release/hashmill" "$(DIST)"
	@[ ! -e "$(TARGET)/release/libhashmill_c.a" ] || scripts/lib.sh "$(TARGET)/release" "$(DIST)/lib"

# Installation folders, with the names of the GNU coding standards. Each can be set on the command line.
PREFIX ?= /usr/local
DESTDIR ?=
prefix = $(PREFIX)
exec_prefix = $(prefix)
bindir = $(exec_prefix)/bin
datarootdir = $(prefix)/share
datadir = $(datarootdir)
libdir = $(exec_prefix)/lib
includedir = $(prefix)/include
pkgconfigdir = $(libdir)/pkgconfig
cmakedir = $(libdir)/cmake/hashmill
mandir = $(datarootdir)/man
man1dir = $(mandir)/man1
docdir = $(datarootdir)/doc/hashmill
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
fishcompletiondir = $(datadir)/fish/vendor_completions.d
# Debuggers look for the symbols of a program in this folder beside it. `make install DEBUG=no` leaves them out.
debugdir = $(bindir)/.debug
DEBUG = yes
INSTALL = install
INSTALL_PROGRAM = $(INSTALL) -m 755
INSTALL_DATA = $(INSTALL) -m 644

# The parts that are installed. `make install LIBRARY=no` leaves the C library out.
LIBRARY = yes
INSTALLED := program man completions doc $(if $(filter no,$(LIBRARY)),,lib)
DOCS := README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT

.PHONY: install uninstall $(addprefix install-,$(INSTALLED)) $(addprefix uninstall-,$(INSTALLED))
install: $(addprefix install-,$(INSTALLED)) ## build and install into PREFIX (/usr/local), below DESTDIR: program, manual pages, completions, C library

uninstall: $(addprefix uninstall-,$(INSTALLED)) ## remove what `make install` with the same PREFIX and DESTDIR has put there

# The owner of the sources installs a current build. Anyone else (such as root, with sudo) installs what `make all` has
# built, and creates no files in the target folder. `make install BUILD=no` takes target/release/hashmill as it is.
BUILD = yes
.PHONY: built
built:
	@if [ "$$(stat -c %u Makefile)" = "$$(id -u)" ]; then \
	    $(MAKE) --no-print-directory $(if $(filter no,$(BUILD)),dist,all); \
	elif [ ! -e "$(DIST)/hashmill" ]; then \
	    echo "make install: these sources belong to $$(stat -c %U Makefile), who has to run 'make all' first" >&2; \
	    exit 1; \
	fi

install-program: built
	$(INSTALL) -d "$(DESTDIR)$(bindir)"
	$(INSTALL_PROGRAM) "$(DIST)/hashmill" "$(DESTDIR)$(bindir)/hashmill"
ifneq ($(DEBUG),no)
	$(INSTALL) -d "$(DESTDIR)$(debugdir)"
	$(INSTALL_DATA) "$(DIST)/hashmill.debug" "$(DESTDIR)$(debugdir)/hashmill.debug"
endif

install-man: built
	$(INSTALL) -d "$(DESTDIR)$(man1dir)"
	$(INSTALL_DATA) "$(DIST)"/man1/*.1 "$(DESTDIR)$(man1dir)"

install-completions: built
	$(INSTALL) -d "$(DESTDIR)$(bashcompletiondir)" "$(DESTDIR)$(zshcompletiondir)" "$(DESTDIR)$(fishcompletiondir)"
	$(INSTALL_DATA) "$(DIST)/completions/hashmill.bash" "$(DESTDIR)$(bashcompletiondir)/hashmill"
	$(INSTALL_DATA) "$(DIST)/completions/hashmill.zsh" "$(DESTDIR)$(zshcompletiondir)/_hashmill"
	$(INSTALL_DATA) "$(DIST)/completions/hashmill.fish" "$(DESTDIR)$(fishcompletiondir)/hashmill.fish"

# The library contains its soname; the files for pkg-config and CMake contain the folders.
install-lib: built
	@[ -e "$(DIST)/lib/libhashmill.a" ] || { echo "make install: no C library in $(DIST)/lib: run 'make lib', or give LIBRARY=no" >&2; exit 1; }
	$(INSTALL) -d "$(DESTDIR)$(libdir)" "$(DESTDIR)$(includedir)/hashmill" "$(DESTDIR)$(pkgconfigdir)" "$(DESTDIR)$(cmakedir)"
	$(INSTALL_DATA) "$(DIST)"/lib/libhashmill.so.*.*.* "$(DIST)/lib/libhashmill.a" "$(DESTDIR)$(libdir)"
	cp -P "$(DIST)"/lib/libhashmill.so "$(DIST)"/lib/libhashmill.so.$(SOVERSION) "$(DESTDIR)$(libdir)"
	$(INSTALL_DATA) bindings/c/include/hashmill.h bindings/cpp/include/hashmill.hpp "$(DESTDIR)$(includedir)"
	$(INSTALL_DATA) bindings/cpp/include/hashmill/*.hpp "$(DESTDIR)$(includedir)/hashmill"
	for name in hashmill.pc hashmill-static.pc; do $(call FILL,$$name) >"$(DESTDIR)$(pkgconfigdir)/$$name"; done
	for name in hashmill-config.cmake hashmill-config-version.cmake; do $(call FILL,$$name) >"$(DESTDIR)$(cmakedir)/$$name"; done

FILL = bindings/c/fill.sh "bindings/c/$1.in" "$(prefix)" "$(libdir)" "$(includedir)"
SOVERSION = $(shell scripts/version.sh --library)

uninstall-lib:
	rm -f "$(DESTDIR)$(libdir)"/libhashmill.so "$(DESTDIR)$(libdir)"/libhashmill.so.$(SOVERSION) "$(DESTDIR)$(libdir)"/libhashmill.so.$(SOVERSION).* "$(DESTDIR)$(libdir)/libhashmill.a"
	rm -f "$(DESTDIR)$(includedir)/hashmill.h" "$(DESTDIR)$(includedir)/hashmill.hpp" "$(DESTDIR)$(includedir)"/hashmill/*.hpp
	rm -f "$(DESTDIR)$(pkgconfigdir)/hashmill.pc" "$(DESTDIR)$(pkgconfigdir)/hashmill-static.pc" "$(DESTDIR)$(cmakedir)"/hashmill-config*.cmake
	@rmdir "$(DESTDIR)$(includedir)/hashmill" "$(DESTDIR)$(cmakedir)" 2>/dev/null || true

# Installs into PHP's extension folder, and enables the extension if the system has a folder for that (Debian's
# phpenmod, or php-config --ini-dir).
PHP_CONFIG = php-config
phpdir = $(shell $(PHP_CONFIG) --extension-dir 2>/dev/null)
phpinidir = $(firstword $(wildcard $(shell $(PHP_CONFIG) --version 2>/dev/null | sed -E 's|^([0-9]+\.[0-9]+).*|/etc/php/\1/mods-available|')) $(shell $(PHP_CONFIG) --ini-dir 2>/dev/null))
.PHONY: install-php uninstall-php php-headers
# Checked before the library is built, which takes minutes.
php-headers:
	@command -v phpize >/dev/null && command -v $(PHP_CONFIG) >/dev/null || { echo "make install-php: no phpize: PHP's headers are missing (Debian: apt install php-cli php-dev)" >&2; exit 1; }
install-php: php-headers install-lib ## build the extension of PHP and install it, with the C library below PREFIX; 'make uninstall-php' removes it
	@work=$$(mktemp -d) && trap 'rm -rf "$$work"' EXIT && \
	    bindings/php/build.sh "$$work/php" "$(DIST)/lib" "$(libdir)" && \
	    $(INSTALL) -d "$(DESTDIR)$(phpdir)" && $(INSTALL_DATA) "$$work/php/modules/hashmill.so" "$(DESTDIR)$(phpdir)/hashmill.so"
	@if [ -n "$(phpinidir)" ]; then \
	    $(INSTALL) -d "$(DESTDIR)$(phpinidir)" && $(INSTALL_DATA) bindings/php/hashmill.ini "$(DESTDIR)$(phpinidir)/hashmill.ini" && \
	    case "$(DESTDIR)$(phpinidir)" in /etc/php/*/mods-available) phpenmod hashmill ;; esac && \
	    echo "make install-php: $(DESTDIR)$(phpdir)/hashmill.so, switched on by $(DESTDIR)$(phpinidir)/hashmill.ini"; \
	else \
	    echo "make install-php: $(DESTDIR)$(phpdir)/hashmill.so; put 'extension=hashmill' into php.ini"; \
	fi

uninstall-php:
	@case "$(DESTDIR)$(phpinidir)" in /etc/php/*/mods-available) [ ! -e "$(phpinidir)/hashmill.ini" ] || phpdismod hashmill ;; esac
	rm -f "$(DESTDIR)$(phpdir)/hashmill.so" $(if $(phpinidir),"$(DESTDIR)$(phpinidir)/hashmill.ini")

install-doc:
	$(INSTALL) -d "$(DESTDIR)$(docdir)"
	$(INSTALL_DATA) $(DOCS) "$(DESTDIR)$(docdir)"

# Folders that belong to hashmill alone are removed; shared ones stay.
uninstall-program: uninstall-man
	rm -f "$(DESTDIR)$(bindir)/hashmill" "$(DESTDIR)$(debugdir)/hashmill.debug"
	@rmdir "$(DESTDIR)$(debugdir)" 2>/dev/null || true

# The installed program knows best which pages it has; it may be of another version than the last build.
uninstall-man:
	@names=$$(mktemp -d); \
	trap 'rm -rf "$$names"' EXIT; \
	"$(DESTDIR)$(bindir)/hashmill" man "$$names" 2>/dev/null || cp "$(DIST)"/man1/*.1 "$$names" 2>/dev/null || true; \
	for page in "$$names"/*.1; do \
	    rm -f "$(DESTDIR)$(man1dir)/$${page##*/}"; \
	done

uninstall-completions:
	rm -f "$(DESTDIR)$(bashcompletiondir)/hashmill" "$(DESTDIR)$(zshcompletiondir)/_hashmill" \
	    "$(DESTDIR)$(fishcompletiondir)/hashmill.fish"

uninstall-doc:
	rm -f $(foreach f,$(DOCS),"$(DESTDIR)$(docdir)/$f")
	@rmdir "$(DESTDIR)$(docdir)" 2>/dev/null || true

.PHONY: deb
deb: built ## build packages for Debian: target/deb/hashmill_*.deb, and its debug symbols as a second one
	@scripts/deb.sh "$(TARGET)/deb"

# Tests the existing build, which `unit` makes before this step.
.PHONY: test-install
test-install: ## install, uninstall; build the package, install, try and remove it (as root on Debian)
	@[ -x "$(TARGET)/release/hashmill" ] || $(CARGO) build --quiet --release
	@MAKE="$(MAKE)" scripts/test-install.sh

.PHONY: test
test: ## all checks but the slow tier; ends with "N passed, N failed"
	@MAKE="$(MAKE)" scripts/count.sh $(TEST_STEPS)

.PHONY: test-long
test-long: ## what takes hours: large messages, Monte Carlo on every kernel, broken constants, every attack, all machines whole, sanitizers, the fuzzers
	@MAKE="$(MAKE)" scripts/count.sh setup unit-long mutate older-x86 $(addprefix whole-,$(MACHINES) wasm32-portable) $(SANITIZERS) cpp-long go-long fuzz

# The attack's long tier is among these tests; `attack` runs it alone and writes its table.
.PHONY: unit-long
unit-long:
	@HASHMILL_TEST_TIER=long $(MAKE) --no-print-directory unit

.PHONY: fuzz
fuzz: ## fuzzes every parser and the kernels for a minute each (scripts/fuzz.sh SECONDS TARGET for more)
	@scripts/fuzz.sh

SANITIZERS := address thread miri

.PHONY: sanitizers
sanitizers: ## tests under AddressSanitizer, ThreadSanitizer and Miri
	@MAKE="$(MAKE)" scripts/count.sh $(SANITIZERS)

.PHONY: $(SANITIZERS)
$(SANITIZERS):
	@scripts/sanitize.sh $@

.PHONY: attack
attack: ## fault-injection tests of `hashmill copy`, all of them; writes the table in docs/copy.md
	@rm -rf "$${CARGO_TARGET_DIR:-target}/attack"
	@HASHMILL_TEST_TIER=long $(CARGO) test --quiet --release --package hashmill-copy --test it --no-fail-fast -- attack::
	@$(CARGO) run --quiet --release --package xtask -- attacks

.PHONY: mutate
mutate: ## tests of the tests: every broken constant must make a test fail
	@$(CARGO) run --quiet --release --package xtask -- mutate

.PHONY: check
check: ## does everything compile?
	$(CARGO) check --quiet --workspace --all-targets

.PHONY: lint
lint: fmt-check clippy ## formatting and clippy

.PHONY: setup
setup: ## install the tools that the tests need (Debian, as root)
	@scripts/setup.sh

.PHONY: fmt-check
fmt-check: ## formatting
	@$(CARGO) fmt --all -- --check

.PHONY: clippy
clippy: ## clippy and rustdoc, warnings are errors; the library also without its optional crates; the fuzzers
	@CUSTOM_LIBFUZZER_PATH=/nothing-is-linked/libfuzzer.a \
	    $(CARGO) clippy --quiet --release --workspace --all-targets --features hashmill-fuzz/targets -- -D warnings
	@$(CARGO) clippy --quiet --release --package hashmill --no-default-features -- -D warnings
	@RUSTDOCFLAGS="-D warnings" $(CARGO) doc --quiet --release --no-deps --workspace

.PHONY: lean
lean: ## does the program compile without `copy`, without `measure` and without both?
	@for features in "" copy measure; do \
	    $(CARGO) clippy --quiet --release --package hashmill-cli --no-default-features --features "$$features" -- -D warnings; \
	done

.PHONY: unit
unit: ## all tests of every crate on every kernel this machine can run; the machine code of the kernels, and that generated pages are current
	@bare=$$(scripts/bare.py) && eval "$$bare"; \
	HASHMILL_TEST_REQUIRE_PEERS=1 timeout --verbose --kill-after=1m 45m $(CARGO) test --quiet --workspace --release --no-fail-fast

.PHONY: c cpp php pascal go go-long cpp-long
c: ## the C library: its header, its names, its tests under valgrind and the sanitizers
	@bindings/c/test

cpp: ## the C++ headers: gcc and clang, C++20 and C++23, every vector through every form of input; the examples
	@bindings/cpp/test

php: ## PHP's extension: built by phpize, tested by PHP's own runner, with opcache and without
	@bindings/php/test

pascal: ## the unit for Free Pascal and Delphi, in both of Free Pascal's modes, loaded and linked: every vector, every error; the kernels for i386
	@bindings/pascal/test

go: ## the package for Go, with cgo (loaded, static, under the race detector) and without: every vector, every error; vet, staticcheck; other systems
	@bindings/go/test

go-long: ## its fuzz targets, a minute each, and messages of more than 4 GiB
	@bindings/go/test long

cpp-long: ## the C++ tests with everything optimized, and under the address, undefined-behaviour and thread sanitizers
	@bindings/cpp/test long

.PHONY: vectors
vectors: ## only the vectors, on every kernel
	@$(CARGO) test --release --package hashmill --test it -- vectors::

.PHONY: machine-code
machine-code: ## the machine code of every kernel: no calls, the registers it is named after, vectors on an aligned stack
	@$(CARGO) build --quiet --release
	@$(CARGO) run --quiet --release --package xtask -- machine-code

MACHINES := aarch64 s390x i686 wasm32 windows

.PHONY: $(MACHINES)
$(MACHINES): ## the library's vectors and kernels on other machines: ARM, big-endian, 32 bits, WebAssembly with SIMD in node, Windows under wine
	@scripts/target.sh $@ --quick

.PHONY: targets
targets: ## all tests of the library on all other machines
	@MAKE="$(MAKE)" scripts/count.sh setup $(addprefix whole-,$(MACHINES) wasm32-portable)

.PHONY: $(addprefix whole-,$(MACHINES) wasm32-portable)
$(addprefix whole-,$(MACHINES) wasm32-portable):
	@scripts/target.sh $(@:whole-%=%)

.PHONY: older-x86
older-x86: ## the library's tests on emulated older x86 machines
	@scripts/target.sh older-x86

.PHONY: bench
bench: all ## measure the suites of bench/suites on this machine (SUITES="trees daily" for some; cold reads as root), and render the pages
	@target=$${CARGO_TARGET_DIR:-target}; $(CARGO) run --quiet --release --package xtask -- measure --hashmill $$target/release/hashmill --to $$target/bench/suites $(SUITES)

.PHONY: pages
pages: ## fill the pages from the runs that are there: after text or layout has changed
	@$(CARGO) run --quiet --release --package xtask -- render

# Tables of every suite.
ACCURACY = lanes/short lesson/md5 pascal/native cpp/hashers go/wasm-calls consumer/constant daily/start portable/php php/calls \
    openssl/same trees/small programs/several streams kernels builds/same
.PHONY: accuracy
accuracy: all ## how far the figures may be trusted: two runs, and one with a planted slowdown, of the tables in ACCURACY
	@target=$${CARGO_TARGET_DIR:-target}; $(CARGO) run --quiet --release --package xtask -- accuracy --hashmill $$target/release/hashmill --to $$target/bench/suites $(ACCURACY)
	@$(MAKE) --no-print-directory pages

.PHONY: stale
stale: ## list the runs whose sources have changed since, and the suites that were not measured
	@$(CARGO) run --quiet --release --package xtask -- stale

.PHONY: doxygen
doxygen: ## the reference of the C and C++ headers, target/doxygen/html
	@DOXYGEN_OUTPUT="$(TARGET)/doxygen" doxygen bindings/Doxyfile

.PHONY: docs
docs: ## the library's documentation, target/doc
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --quiet --workspace --no-deps --lib

.PHONY: clean
clean: ## remove what was built
	$(CARGO) clean
