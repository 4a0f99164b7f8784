#!/usr/bin/env bash
# Looks for trouble for so many minutes: each round takes a new seed and demands that
#   * the property tests hold on ten times as many cases, 10,000 random configurations of the
#     simulator keep all its invariants, a thousand studies drawn from the schema run or are refused, and every run
#     of BookSim2 and SuperSim comes out the same,
#   * a study gives the same fingerprints with one thread and two, with all checks of the engine on,
#   * a study that is killed again and again ends with the results of an uninterrupted one.
# Stops at the first round that fails, and says which seed it was.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

minutes=${1:-10}
export CARGO_TERM_PROGRESS_WHEN=never
cargo build --locked --quiet --release --package turnwise
turnwise="${CARGO_TARGET_DIR:-target}/release/turnwise"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Everything but the time it took.
rows() {
    sed -E 's/,"seconds":[^,}]*//' "$1" | sort
}

same() {
    if ! diff <(rows "$1") <(rows "$2") >"$scratch/difference"; then
        echo "soak: seed $seed: $3" >&2
        head -n 20 "$scratch/difference" >&2
        exit 1
    fi
}

end=$((SECONDS + minutes * 60))
round=0
while [ $SECONDS -lt $end ]; do
    round=$((round + 1))
    seed=$((RANDOM * 32768 + RANDOM))
    study=(studies/megafly.toml --set "study.seed=$seed" --set simulation.measure_cycles=500
        --set simulation.warmup_cycles=200 --set simulation.cycles_limit=1500 --format json)

    "$turnwise" run "${study[@]}" --set simulation.check=true --fresh --threads 1 >"$scratch/one"
    "$turnwise" run "${study[@]}" --set simulation.check=true --fresh --threads 2 >"$scratch/two"
    same "$scratch/one" "$scratch/two" "one thread and two disagree"

    "$turnwise" run "${study[@]}" --fresh >"$scratch/whole"
    for _ in 1 2 3 4 5; do
        # In a subshell, so that nobody reports the kill.
        (
            timeout --signal=KILL "$((RANDOM % 2)).$((RANDOM % 90 + 10))" \
                "$turnwise" run "${study[@]}" --output "$scratch/killed-$round" >/dev/null || true
        ) 2>/dev/null
    done
    "$turnwise" run "${study[@]}" --output "$scratch/killed-$round" >"$scratch/resumed"
    same "$scratch/whole" "$scratch/resumed" "an interrupted study differs"
    rm -rf "$scratch/killed-$round"

    if [ $((round % 20)) -eq 1 ] && ! PROPTEST_CASES=2560 PROPTEST_MAX_GLOBAL_REJECTS=100000 PROPTEST_RNG_SEED=$seed \
        TURNWISE_SOAK_CONFIGURATIONS=10000 TURNWISE_SOAK_CYCLES=1000000 TURNWISE_SOAK_FILES=1000000 TURNWISE_SOAK_STUDIES=1000 TURNWISE_SOAK_REFERENCES=1 \
        cargo test --locked --quiet --release --workspace --lib --tests >"$scratch/tests" 2>&1; then
        echo "soak: seed $seed: a test fails with more cases" >&2
        tail -n 40 "$scratch/tests" >&2
        exit 1
    fi
done
echo "soak: $round rounds, no trouble"
