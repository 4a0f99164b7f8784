#!/usr/bin/env bash
# Writes the types of the Python package's native module into a folder, as a build with a profile says that they are.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

profile=${1:?usage: stubs.sh PROFILE FOLDER}
folder=${2:?usage: stubs.sh PROFILE FOLDER}
target/python/bin/maturin generate-stubs --quiet --profile "$profile" --manifest-path crates/python/Cargo.toml --out "$folder"
