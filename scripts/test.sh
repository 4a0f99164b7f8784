#!/usr/bin/env bash
# Every test there is. Stops at the first runner that fails, but for those that go on side by side at the end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export CARGO_TERM_PROGRESS_WHEN=never
cargo test --locked --workspace --no-run
# The optimised command is built once, for all that is asked of it: across crates that takes minutes for every program. That
# goes on while tests run, which leave a core alone again and again, and so does what the Python package is made of.
logs=$(mktemp -d)
build() {
    cargo build --locked --release --package turnwise
    [ ! -x target/python/bin/maturin ] || scripts/wheel.sh target/wheel dev
}
build >"$logs/build" 2>&1 &
building=$!
trap 'kill "$building" 2>/dev/null || true; rm -rf "$logs"' EXIT
cargo test --locked --workspace --no-fail-fast
wait "$building" || { cat "$logs/build" >&2; exit 1; }
optimised=$(realpath "${CARGO_TARGET_DIR:-target}/release/turnwise")
# All that follows asks this one, and not what is newest in target.
export TURNWISE=$optimised
# What follows keeps one core busy, or waits for servers: it goes on in two lanes, each stopped by its first runner that fails, and
# what they say comes out whole. Whoever waits in vain is ended after half an hour, and says where that was.
suite() {
    timeout --signal=ABRT 1800 python3 -X faulthandler -m unittest discover --verbose --start-directory "tests/$1" --pattern 'test_*.py'
}
commands() {
    # The same results as of the command above.
    cargo test --locked --workspace --test determinism
    # A few runs of the engine may not take more instructions than they did; skipped without valgrind.
    cargo bench --locked --workspace --profile dev --bench engine -- --guard "$optimised"
    python3 -m unittest discover --start-directory tools --pattern 'test_*.py'
    # OpenMPI and MPICH start several processes of the command, which is built with each; skipped, and said so, without them.
    # That is another target/debug/turnwise, so whoever builds the usual one comes before.
    suite mpi
}
packages() {
    # The Python package: its wheel in a fresh environment, its types, documentation, notebooks; skipped, and said so, where pip
    # does not get what that needs.
    scripts/test-python.sh
    # The release archive, of the command that was optimised above, unpacked elsewhere; what is for Apptainer and Spack.
    suite packaging
    # Chromium reads reports; skipped, and said so, where it or playwright is not installed.
    suite browser
}
running=()
trap 'kill "${running[@]%% *}" 2>/dev/null || true; rm -rf "$logs"' EXIT
beside() {
    "$@" >"$logs/$*" 2>&1 &
    running+=("$! $*")
}
beside commands
beside packages
# A cluster of slurmctld and eight slurmd; skipped, and said so, where it cannot be started.
beside suite slurm
# OpenSM loads our tables on fabrics that ibsim simulates; skipped, and said so, where it is not installed.
beside suite opensm
failed=()
# Nobody is left alone with daemons that run.
for of in "${running[@]}"; do
    wait "${of%% *}" || failed+=("${of#* }")
    cat "$logs/${of#* }"
done
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}" >&2; exit 1; }
echo "all tests passed"
