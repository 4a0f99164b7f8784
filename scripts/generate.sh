#!/usr/bin/env bash
# Writes what is generated from the program: turnwise.schema.json, docs/reference/*.md, the numbers that the other documents
# show, the picture of a time line, and the types of the Python package's native module.
# The same tests without TURNWISE_WRITE fail when one of these files is stale.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mkdir -p docs/reference
TURNWISE_WRITE=1 cargo test --locked --quiet --package turnwise --test schema -- the_schema
TURNWISE_WRITE=1 cargo test --locked --quiet --package turnwise --test documentation -- the_reference_pages console_blocks
TURNWISE_WRITE=1 cargo test --locked --quiet --package turnwise --test figures -- the_time_line
if [ -x target/python/bin/maturin ]; then
    scripts/stubs.sh dev target/stubs
    cp target/stubs/turnwise/_native.pyi crates/python/turnwise/_native.pyi
fi
