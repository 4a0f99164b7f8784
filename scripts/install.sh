#!/usr/bin/env bash
# Installs the command, its man pages and its completions below a folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

prefix=${1:?usage: install.sh PREFIX}
cargo install --locked --path crates/turnwise --root "$prefix"
turnwise=$prefix/bin/turnwise
scripts/share.sh "$turnwise" "$prefix"
echo "installed $turnwise"
