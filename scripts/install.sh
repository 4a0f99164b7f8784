#!/usr/bin/env bash
# Installs the command, its man pages and its completions below a folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

prefix=${1:?usage: install.sh PREFIX}
cargo install --locked --path crates/turnwise --root "$prefix"
turnwise=$prefix/bin/turnwise
# Symbols for debuggers are larger than everything else, and cargo could leave them out only by compiling all of it anew.
! command -v strip >/dev/null || strip -S "$turnwise"
scripts/share.sh "$turnwise" "$prefix"
echo "installed $turnwise"
