#!/usr/bin/env bash
# Builds the wheel of the Python package, with the command in it, into a folder, and the stub of its native module beside it.
# In the target folder of everything else, so that little is compiled twice.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=${1:?usage: wheel.sh FOLDER [PROFILE]}
profile=${2:-release}
environment=target/python
rm -rf "$folder"
"$environment/bin/maturin" build --quiet --locked --profile "$profile" --manifest-path crates/python/Cargo.toml --out "$folder"
