#!/usr/bin/env bash
# Turnwise beside CAMINOS (https://crates.io/crates/caminos), another simulator in Rust: the same
# networks, traffic, virtual channels, buffers and cycles, one thread each, runs in turns.
#
#   scripts/compare-caminos.sh [REPETITIONS]
#
# CAMINOS is installed below target/caminos unless CAMINOS names a program. Prints a table: what
# each accepts, how long packets take, and flit-hops (of the whole run, each counted by the accepted
# load and the mean of hops) per second of CPU time, the best of all repetitions.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

repetitions=${1:-3}
warmup=500 measured=2500
target=${CARGO_TARGET_DIR:-target}
caminos=${CAMINOS:-$target/caminos/bin/caminos}
if [ ! -x "$caminos" ]; then
    cargo install --locked --quiet --version 0.6.3 caminos --root "$target/caminos" >&2
fi
cargo build --locked --quiet --release --package turnwise
turnwise=$target/release/turnwise
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# name|terminals|load|flits|CAMINOS: topology|routing|policies|bubble|cycles of its links|
# Turnwise: network|routing|buffers
#
# Its links take as much longer as its router has fewer stages. It sends packets only where all of them fits,
# so packets of several flits are virtual cut-through in both.
cases() {
    local hamming='Hamming { sides: [8,8], servers_per_router: 4 }'
    local hyperx='kind = "hyperx"\nsizes = [8, 8]\nterminals_per_router = 4'
    local torus='Torus { sides: [8,8], servers_per_router: 1 }'
    local dragonfly='Dragonfly { global_ports_per_router: 4, servers_per_router: 4 }'
    local groups='kind = "dragonfly"\ngroups = 33\nrouters_per_group = 8\nterminals_per_router = 4\nglobal_ports_per_router = 4\nchannel_latency = { local = 10, global = 100, terminal = 1 }'
    local dor='DOR { order: [0,1] }' order='kind = "dimension-order"'
    local through='kind = "dimension-order"\n[router]\nflow_control = "virtual-cut-through"'
    local bubble='kind = "dimension-order"\n[router]\nflow_control = "bubble"'
    echo "HyperX 8x8, 256 terminals|256|0.4|1|$hamming|$dor||false|4,4,3|$hyperx|$order|16"
    echo "HyperX 8x8, 256 terminals|256|0.4|5|$hamming|$dor||false|4,4,3|$hyperx|$through|16"
    echo "torus 8x8, bubble|64|0.4|1|$torus|$dor||true|4,4,3|kind = \"torus\"\nsizes = [8, 8]|$bubble|16"
    echo "dragonfly 1,056, minimal|1056|0.2|1|$dragonfly|Shortest|Hops,|false|13,103,3|$groups|kind = \"minimal\"\nvirtual_channels = 2|256"
}

# The value behind a name in what CAMINOS prints.
value() {
    awk -v name="$1:" 'found { sub(",", "", $1); print $1; exit } $1 == name { found = 1 }' "$2"
}

# Seconds of CPU time of a command; its output goes to a file.
seconds() {
    local file=$1 TIMEFORMAT=%U
    shift
    { time "$@" >"$file" 2>/dev/null; } 2>&1
}

least() {
    awk -v a="$1" -v b="$2" 'BEGIN { print (a == "" || b < a) ? b : a }'
}

echo "| network | load | flits | accepted, Turnwise | CAMINOS | latency, Turnwise | CAMINOS | million flit-hops per CPU-second, Turnwise | CAMINOS | ratio |"
echo "|---|---|---|---|---|---|---|---|---|---|"
while IFS='|' read -r name terminals load flits topology routing policies bubble delays network route buffers; do
    classes=$(tr ',' '\n' <<<"$delays" | sed 's/.*/LinkClass { delay: & },/' | tr '\n' ' ')
    cat >"$scratch/caminos.cfg" <<END
Configuration
{
    random_seed: 1, warmup: $warmup, measured: $measured,
    topology: $topology,
    traffic: HomogeneousTraffic { pattern: Uniform, servers: $terminals, load: $load, message_size: $flits },
    maximum_packet_size: $flits,
    router: InputOutput {
        virtual_channels: 4, virtual_channel_policies: [ $policies EnforceFlowControl, Random ],
        crossbar_delay: 1, buffer_size: $buffers, output_buffer_size: 10, flit_size: $flits, bubble: $bubble,
        allow_request_busy_port: true, intransit_priority: false, allocator: Islip { num_iter: 1 },
    },
    routing: $routing,
    link_classes: [ $classes ],
}
END
    [[ $route == *"[router]"* ]] || route+='\n[router]'
    printf '%b' "[network]\n$network\n[routing]\n$route\nvirtual_channels = 4\nbuffer_flits = $buffers\n" \
        "[traffic]\npattern = \"uniform\"\nload = $load\npacket_flits = $flits\nsend_to_self = true\n" \
        "[simulation]\nwarmup_cycles = $warmup\nmeasure_cycles = $measured\ndrain = false\n" >"$scratch/study.toml"
    ours='' theirs=''
    for _ in $(seq "$repetitions"); do
        ours=$(least "$ours" "$(seconds "$scratch/ours" "$turnwise" run "$scratch/study.toml" --fresh --threads 1 --format json)")
        theirs=$(least "$theirs" "$(seconds "$scratch/theirs" "$caminos" "$scratch/caminos.cfg")")
    done
    mine() { sed -E "s/.*\"$1\":([^,}]*).*/\1/" "$scratch/ours"; }
    awk -v OFS=' | ' -v name="$name" -v load="$load" -v flits="$flits" -v ours="$ours" -v theirs="$theirs" \
        -v flithops="$(mine flit_hops)" -v accepted="$(mine accepted_load)" -v latency="$(mine mean_packet_latency)" \
        -v their_accepted="$(value accepted_load "$scratch/theirs")" \
        -v their_latency="$(value average_message_delay "$scratch/theirs")" \
        -v their_hops="$(value average_packet_hops "$scratch/theirs")" \
        -v cycles=$((warmup + measured)) -v terminals="$terminals" 'BEGIN {
            rate = flithops / ours / 1e6
            their_rate = their_accepted * terminals * cycles * (their_hops + 1) / theirs / 1e6
            printf "| %s | %s | %s | %.3f | %.3f | %.1f | %.1f | %.2f | %.3f | %.0f |\n", name, load, flits,
                accepted, their_accepted, latency, their_latency, rate, their_rate, rate / their_rate
        }'
done < <(cases)
