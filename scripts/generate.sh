#!/usr/bin/env bash
# Writes what is generated from the program: turnwise.schema.json, docs/reference/*.md, and the
# numbers that the other documents show.
# The same tests without TURNWISE_WRITE fail when one of these files is stale.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mkdir -p docs/reference
TURNWISE_WRITE=1 cargo test --locked --quiet --package turnwise --test schema -- the_schema
TURNWISE_WRITE=1 cargo test --locked --quiet --package turnwise --test documentation -- the_reference_pages console_blocks
