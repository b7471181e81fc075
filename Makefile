# Every step of the checks is a target that can be run by itself; `make test` runs them all and adds up the results.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

CARGO ?= cargo
TEST_STEPS := setup fmt-check clippy lean unit older-x86 aarch64 s390x i686 wasm32 windows

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# `cargo build` leaves the symbols in the program: `codegen` finds the kernels by their names.
.PHONY: all
all: ## build the program: target/release/hashmill; stripped in target/dist, its debug symbols beside it
	$(CARGO) build --release
	@target="$${CARGO_TARGET_DIR:-target}"; \
	mkdir -p "$$target/dist"; \
	cd "$$target/dist"; \
	objcopy --only-keep-debug --compress-debug-sections=zlib ../release/hashmill hashmill.debug; \
	objcopy --strip-all --add-gnu-debuglink=hashmill.debug ../release/hashmill hashmill

.PHONY: test
test: ## all checks but the slow tier; ends with "N passed, N failed"
	@MAKE="$(MAKE)" scripts/count.sh $(TEST_STEPS)

.PHONY: test-long
test-long: ## what takes hours: large messages, Monte Carlo on every kernel, broken constants, every attack, all machines whole, sanitizers, the fuzzers
	@MAKE="$(MAKE)" scripts/count.sh setup unit-long mutate older-x86 aarch64 $(addprefix whole-,$(MACHINES) wasm32-portable) $(SANITIZERS) fuzz

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
attack: ## everything that may go wrong with `hashmill copy`, tried; writes the table in docs/copy.md
	@rm -rf "$${CARGO_TARGET_DIR:-target}/attack"
	@HASHMILL_TEST_TIER=long $(CARGO) test --quiet --release --package hashmill-cli --test attack --no-fail-fast
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
	@$(CARGO) fmt --manifest-path fuzz/Cargo.toml -- --check

.PHONY: clippy
clippy: ## clippy, warnings are errors; the library also without its optional crates; the fuzzers
	@$(CARGO) clippy --quiet --release --workspace --all-targets -- -D warnings
	@$(CARGO) clippy --quiet --release --package hashmill --no-default-features -- -D warnings
	@RUSTFLAGS="--cfg fuzzing" CUSTOM_LIBFUZZER_PATH=/nothing-is-linked/libfuzzer.a \
	    $(CARGO) clippy --quiet --manifest-path fuzz/Cargo.toml --target-dir "$${CARGO_TARGET_DIR:-target}/fuzz-check" -- -D warnings

.PHONY: lean
lean: ## the program without `copy`, without `measure` and without both
	@for features in "" copy measure; do \
	    $(CARGO) clippy --quiet --release --package hashmill-cli --no-default-features --features "$$features" -- -D warnings; \
	done
	@CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_TEST_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_TEST_DEBUG=0 \
	    $(CARGO) test --quiet --package hashmill-cli --no-default-features --test program

# Built for the whole workspace, so that `unit` and `older-x86` run the same programs: with one package chosen, cargo would turn on fewer
# features of its dependencies, and build all of them once more.
TESTED := --workspace --release

.PHONY: unit
unit: ## all tests of every crate on every kernel this machine can run; the machine code of the kernels, and that generated pages are current
	@HASHMILL_TEST_REQUIRE_PEERS=1 scripts/run-tests.py $(TESTED)

.PHONY: tables
tables: ## docs/algorithms.md is what the registry says (cargo run -p xtask -- table writes it)
	@scripts/run-tests.py $(TESTED) --only "xtask/xtask lib:table"

.PHONY: vectors
vectors: ## only the vectors, on every kernel
	@$(CARGO) test --release --package hashmill --test vectors

.PHONY: codegen
codegen: ## the machine code of every kernel: no calls, the registers it is named after
	@$(CARGO) build --quiet --release
	@$(CARGO) run --quiet --release --package xtask -- codegen

MACHINES := s390x i686 wasm32 windows

.PHONY: aarch64
aarch64: ## the library's tests built for aarch64, run under qemu
	@scripts/target.sh aarch64

.PHONY: $(MACHINES)
$(MACHINES): ## the library's vectors and kernels on other machines: big-endian, 32 bits, WebAssembly with SIMD in node, Windows under wine
	@scripts/target.sh $@ --quick

.PHONY: targets
targets: ## all tests of the library on all other machines
	@MAKE="$(MAKE)" scripts/count.sh setup aarch64 $(addprefix whole-,$(MACHINES) wasm32-portable)

.PHONY: $(addprefix whole-,$(MACHINES) wasm32-portable)
$(addprefix whole-,$(MACHINES) wasm32-portable):
	@scripts/target.sh $(@:whole-%=%)

# Needs an x86_64 machine. What must run on this machine's CPU says nothing about an older one. Then every kernel once more on CPUs
# that lack one of the features that others have together: what it needs and nobody detects ends the test there.
.PHONY: older-x86
older-x86: ## the library's tests on emulated older x86 machines
	@unset HASHMILL_KERNEL; \
	export HASHMILL_TEST_TIER="$${HASHMILL_TEST_TIER:-quick}" HASHMILL_TEST_EMULATED=1; \
	on() { \
	    echo "older-x86: $$1"; \
	    HASHMILL_TEST_REQUIRE_KERNELS="$$2" scripts/run-tests.py $(TESTED) --wrap "timeout 900 qemu-x86_64 -cpu $$1" --only "$$3"; \
	}; \
	all="hashmill/hashmill lib,hashmill/kernels,hashmill/many,hashmill/php,hashmill/vectors,hashmill/wiped"; \
	kernels=hashmill/kernels:every_kernel avx2=avx2x4,avx2x8,avx2x16,avx2x64; \
	on Nehalem "sse2x1,ssse3,!aesni,!pclmul" "$$all"; \
	on Haswell "$$avx2,pclmul" "$$all"; \
	on Haswell,-bmi2 "pclmul,ssse3,!bmi2,!avx2x4,!avx2x8" "$$kernels"; \
	on Haswell,-bmi1,-bmi2 "pclmul,ssse3,!bmi2,!avx2x4,!avx2x8" "$$kernels"; \
	on Haswell,-avx2 "bmi2,!avx2x4,!avx2x8" "$$kernels"; \
	on Haswell,-pclmulqdq "$$avx2,sse42,!pclmul" "$$kernels"; \
	on Nehalem,-sse4.1 "sse2x1,!ssse3" "$$kernels"; \
	on Nehalem,-sse4.2 "ssse3,!sse42" "$$kernels"; \
	on max,-aes "$$avx2,!aesni" "$$kernels"

.PHONY: bench
bench: all ## measure this machine beside the peers: bench/RESULTS.md and the figures in README.md
	@bench/run.sh

.PHONY: accuracy
accuracy: all ## how far measurements on this machine may be trusted: bench/ACCURACY.md
	@python3 -B bench/accuracy.py

.PHONY: reproduce
reproduce: all ## measure again what others published: docs/reproduce.md, docs/measured.md, docs/lesson.md (half an hour)
	@$(CARGO) build --quiet --release --package xtask
	@python3 -B bench/reproduce.py
	@bench/show.sh
	@python3 -B bench/lesson.py

.PHONY: stale
stale: ## which measured pages are about other sources than those that are here
	@$(CARGO) run --quiet --release --package xtask -- stale

.PHONY: docs
docs: ## the library's documentation, target/doc
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --quiet --workspace --no-deps --lib

.PHONY: clean
clean: ## remove what was built
	$(CARGO) clean
