# What one does with Turnwise from a checkout. `make help` lists the targets.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

CARGO := cargo
# Cargo.lock is committed, and nothing here may change it.
LOCKED := --locked
PREFIX ?= $(if $(CARGO_HOME),$(CARGO_HOME),$(HOME)/.cargo)
# How many minutes `make soak` looks for trouble.
MINUTES ?= 10

.PHONY: help demo test lint bench docs soak dist install clean

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## Build, run studies/demo.toml, check the tables of Desmos, print where the report is
	@scripts/setup.sh demo
	@$(CARGO) build --release $(LOCKED) --package turnwise
	@scripts/demo.sh

test: ## Run every test; installs what they need if it is missing
	@scripts/setup.sh test
	@scripts/test.sh

lint: ## Check formatting, clippy and rustdoc; any warning is an error
	@scripts/setup.sh build
	$(CARGO) fmt --all --check
	$(CARGO) clippy $(LOCKED) --workspace --all-targets -- --deny warnings
	RUSTDOCFLAGS="--deny warnings" $(CARGO) doc $(LOCKED) --workspace --no-deps

bench: ## Run the benchmarks
	@scripts/setup.sh build
	$(CARGO) bench $(LOCKED) --workspace

docs: ## Make the API documentation; write docs/reference and turnwise.schema.json anew
	@scripts/setup.sh docs
	@scripts/generate.sh
	$(CARGO) doc $(LOCKED) --workspace --no-deps

soak: ## Search for trouble for MINUTES minutes (10): property tests, random seeds, interrupted runs
	@scripts/setup.sh build
	@scripts/soak.sh "$(MINUTES)"

dist: ## Build what is handed on into target/dist: a release archive, and the wheel of the Python package
	@scripts/setup.sh dist
	@scripts/wheel.sh target/dist
	@$(CARGO) build --release $(LOCKED) --package turnwise
	@scripts/archive.sh target/dist

install: ## Install the command, its man pages and completions below PREFIX (~/.cargo)
	@scripts/setup.sh build
	@scripts/install.sh "$(PREFIX)"

clean: ## Remove everything that was built, and the results in turnwise-out
	$(CARGO) clean
	rm -rf turnwise-out
