#!/usr/bin/env bash
# The demo: routes, proves and checks the tables of Desmos, then runs studies/demo.toml.
# Expects the release build; `make demo` makes it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

turnwise="${CARGO_TARGET_DIR:-target}/release/turnwise"
output=turnwise-out/demo
mkdir -p "$output"

echo "Desmos, 32 nodes on a 4x2x2x2 torus: tables, proof, and an independent check of the proof"
"$turnwise" route studies/angara/desmos.toml --paths "$output/desmos-paths.csv" \
    --source-routes "$output/desmos-routes.csv" --format json |
    python3 -c '
import json, sys
found = json.load(sys.stdin)
words = "verdict {verdict}, {routable_pairs} of {pairs} pairs routable, edge-forwarding index {edge_forwarding_index}"
print("  " + (words + " against a proved bound of {lower_bound}").format(**found))'
"$turnwise" verify studies/angara/desmos.toml --certificate "$output/desmos-certificate.json" | sed -n '2s/^ */  /p'
python3 tools/check_certificate.py "$output/desmos-certificate.json" --paths "$output/desmos-paths.csv" | sed 's/^/  checker: /'
echo "  tables: $output/desmos-routes.csv, hop by hop: $output/desmos-paths.csv, certificate: $output/desmos-certificate.json"
echo
echo "Dragonfly of 1,056 terminals, minimal against Valiant (studies/demo.toml)"
"$turnwise" run studies/demo.toml --output "$output"
