# Every step of the checks is a target that can be run by itself; `make test` runs them all and adds up the results.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

CARGO ?= cargo
# Machines older than the one at hand: no AVX at all, and AVX2 without AVX-512 and SHA instructions.
OLD_CPUS ?= Nehalem Haswell

TEST_STEPS := setup fmt-check clippy tables unit codegen aarch64 older-x86

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: all
all: ## build the command, target/release/hashmill
	$(CARGO) build --release

.PHONY: test
test: ## all checks but the slow tier; ends with "N passed, N failed"
	@MAKE="$(MAKE)" scripts/count.sh $(TEST_STEPS)

.PHONY: test-long
test-long: ## the tests with the slow tier: large messages, Monte Carlo on every kernel
	@HASHMILL_TEST_TIER=long MAKE="$(MAKE)" scripts/count.sh unit mutate

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

.PHONY: clippy
clippy: ## clippy, warnings are errors; the library also without its optional crates
	@$(CARGO) clippy --quiet --workspace --all-targets --features hashmill/digest -- -D warnings
	@$(CARGO) clippy --quiet --package hashmill --no-default-features -- -D warnings

.PHONY: tables
tables: ## docs/algorithms.md is what the registry says (cargo run -p xtask -- table writes it)
	@$(CARGO) run --quiet --release --package xtask -- table --check

.PHONY: unit
unit: ## unit, integration and vector tests of every crate, every kernel this machine can run
	@HASHMILL_TEST_REQUIRE_PEERS=1 $(CARGO) test --quiet --workspace --release --features hashmill/digest --no-fail-fast

.PHONY: vectors
vectors: ## only the vectors, on every kernel
	@$(CARGO) test --release --package hashmill --test vectors

.PHONY: codegen
codegen: ## the machine code of every kernel: no calls, the registers it is named after
	@$(CARGO) build --quiet --release
	@$(CARGO) run --quiet --release --package xtask -- codegen

.PHONY: aarch64
aarch64: ## the library's tests built for aarch64, run under qemu
	@scripts/aarch64.sh

# Needs an x86_64 machine. What must run on this machine's CPU says nothing about an older one.
.PHONY: older-x86
older-x86: ## the library's tests on emulated older x86 machines
	@unset HASHMILL_TEST_REQUIRE_KERNELS HASHMILL_KERNEL; \
	export HASHMILL_TEST_TIER="$${HASHMILL_TEST_TIER:-quick}"; \
	for cpu in $(OLD_CPUS); do \
	    echo "older-x86: $$cpu"; \
	    case $$cpu in Haswell) export HASHMILL_TEST_REQUIRE_KERNELS=avx2x4,avx2x8,avx2x16,avx2x64 ;; *) unset HASHMILL_TEST_REQUIRE_KERNELS ;; esac; \
	    CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="timeout 900 qemu-x86_64 -cpu $$cpu" \
	        $(CARGO) test --quiet --release --package hashmill --lib --tests --no-fail-fast \
	        2> >(grep -v "TCG doesn't support requested feature" >&2); \
	done

.PHONY: bench
bench: all ## measure this machine beside the peers: bench/RESULTS.md and the figures in README.md
	@bench/run.sh

.PHONY: accuracy
accuracy: all ## how far measurements on this machine may be trusted: bench/ACCURACY.md
	@python3 -B bench/accuracy.py

.PHONY: reproduce
reproduce: all ## measure again what others published: docs/reproduce.md, docs/measured.md (half an hour)
	@python3 -B bench/reproduce.py
	@bench/show.sh

.PHONY: docs
docs: ## the library's documentation, target/doc
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --quiet --workspace --no-deps --lib --features hashmill/digest

.PHONY: clean
clean: ## remove what was built
	$(CARGO) clean
