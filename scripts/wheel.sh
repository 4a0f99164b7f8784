#!/usr/bin/env bash
# Builds the wheel of the Python package, with the command in it, into a folder, and the stub of its native module beside it.
# In the target folder of everything else, so that little is compiled twice.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=${1:?usage: wheel.sh FOLDER [PROFILE]}
profile=${2:-release}
environment=target/python
options=()
# Symbols for debuggers are larger than everything else. Tests keep them, so that the module is not linked twice, for its types too.
[ "$profile" != release ] || options+=(--strip)
rm -rf "$folder"
# What a wheel takes along lies in the project's own folder, where git ignores these.
taken=(LICENSE-APACHE LICENSE-MIT THIRD-PARTY.txt)
trap 'cd crates/python && rm -f "${taken[@]}"' EXIT
cp LICENSE-APACHE LICENSE-MIT crates/python
python3 scripts/third_party.py turnwise-python crates/python/THIRD-PARTY.txt
"$environment/bin/maturin" build --quiet --locked --profile "$profile" ${options[@]+"${options[@]}"} --manifest-path crates/python/Cargo.toml --out "$folder"
