#!/usr/bin/env bash
# Installs the command, its man pages and its bash completions below a folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

prefix=${1:?usage: install.sh PREFIX}
cargo install --locked --path crates/turnwise --root "$prefix"
turnwise=$prefix/bin/turnwise
"$turnwise" man "$prefix/share/man/man1"
completions=$prefix/share/bash-completion/completions
mkdir -p "$completions"
"$turnwise" completions bash >"$completions/turnwise"
echo "installed $turnwise"
