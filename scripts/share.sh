#!/usr/bin/env bash
# Writes what shells and `man` want of a command into PREFIX/share: man pages, completions for bash, zsh and fish.
set -euo pipefail

turnwise=${1:?usage: share.sh COMMAND PREFIX}
share=${2:?usage: share.sh COMMAND PREFIX}/share
"$turnwise" man "$share/man/man1"
completions() {
    mkdir -p "$share/$2"
    "$turnwise" completions "$1" >"$share/$2/$3"
}
completions bash bash-completion/completions turnwise
completions zsh zsh/site-functions _turnwise
completions fish fish/vendor_completions.d turnwise.fish
