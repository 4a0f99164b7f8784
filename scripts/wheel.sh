#!/usr/bin/env bash
# Builds the wheel of the Python package, with the command in it, into a folder, and the stub of its native module beside it.
# With the same profile and target folder as everything else, so that little is compiled twice.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=${1:?usage: wheel.sh FOLDER}
environment=target/python
rm -rf "$folder"
"$environment/bin/maturin" build --quiet --locked --release --manifest-path crates/python/Cargo.toml --out "$folder"
