//! How fast the engine simulates: `cargo bench -p turnwise-study`, or `make bench`.
//!
//! A fixed matrix of networks, loads and packet lengths on one thread, then one large network on
//! several. Prints flit-hops per second of wall time and memory by router. `-- NAME` runs the
//! rows whose name contains it, `-- --large` adds machines of the largest size there is.
//! Instruction counts do not depend on what else the machine does; docs/performance.md has those.
#![allow(clippy::print_stdout, reason = "a benchmark reports on its output")]
#![allow(clippy::unwrap_used, reason = "its studies are its own")]

use std::time::Instant;
use turnwise_sim::{Outcome, Setup, Simulation, memory_bytes};
use turnwise_study::specification::Scope;
use turnwise_study::workshop::Experiment;
use turnwise_study::{Plan, Source, Workshop};

struct Machine {
    name: &'static str,
    network: &'static str,
    routing: &'static str,
    router: &'static str,
    cycles: u64,
}

const MACHINES: [Machine; 4] = [
    Machine {
        name: "torus 8x8",
        network: "kind = 'torus'\nsizes = [8, 8]\nchannel_latency = 2",
        routing: "kind = 'dimension-order'",
        router: "virtual_channels = 4\nbuffer_flits = 16",
        cycles: 20_000,
    },
    Machine {
        name: "torus 8x8x8",
        network: "kind = 'torus'\nsizes = [8, 8, 8]\nchannel_latency = 2",
        routing: "kind = 'dimension-order'",
        router: "virtual_channels = 4\nbuffer_flits = 16",
        cycles: 3_000,
    },
    Machine {
        name: "dragonfly 1,056",
        network: "kind = 'dragonfly'\ngroups = 33\nrouters_per_group = 8\nterminals_per_router = 4\n\
                  global_ports_per_router = 4\nchannel_latency = { local = 10, global = 100 }",
        routing: "kind = 'minimal'",
        router: "virtual_channels = 4\nbuffer_flits = 256",
        cycles: 2_000,
    },
    Machine {
        name: "fat tree 512",
        network: "kind = 'k-ary-n-tree'\narity = 8\nlevels = 3",
        routing: "kind = 'nca'",
        router: "virtual_channels = 4\nbuffer_flits = 16",
        cycles: 3_000,
    },
];

/// As large as the largest real machines.
const LARGE: [Machine; 3] = [
    Machine {
        name: "dragonfly 84,992",
        network: "kind = 'dragonfly'\ngroups = 166\nrouters_per_group = 32\nterminals_per_router = 16\n\
                  global_ports_per_router = 6\nchannel_latency = { local = 10, global = 100 }",
        routing: "kind = 'minimal'",
        router: "virtual_channels = 4\nbuffer_flits = 256",
        cycles: 2_000,
    },
    Machine {
        name: "fat tree 65,536",
        network: "kind = 'xgft'\nm = [32, 32, 64]\nw = [1, 32, 32]",
        routing: "kind = 'd-mod-k'",
        router: "virtual_channels = 2\nbuffer_flits = 16",
        cycles: 2_000,
    },
    Machine {
        name: "torus 32x32x32",
        network: "kind = 'torus'\nsizes = [32, 32, 32]\nchannel_latency = 2",
        routing: "kind = 'dimension-order'",
        router: "virtual_channels = 4\nbuffer_flits = 16",
        cycles: 2_000,
    },
];

fn plan(machine: &Machine, load: f64, flits: u32) -> Plan {
    let Machine {
        network,
        routing,
        router,
        cycles,
        ..
    } = machine;
    let text = format!(
        "[network]\n{network}\n[routing]\n{routing}\n[router]\n{router}\n\
         [traffic]\npattern = 'uniform'\nload = {load}\npacket_flits = {flits}\n\
         [simulation]\nwarmup_cycles = 0\nmeasure_cycles = {cycles}\ndrain = false"
    );
    let (source, document) = Source::parse("bench.toml", text.as_bytes(), &[]);
    let workshop = Workshop::new(".");
    Plan::new(
        source,
        &document.unwrap(),
        workshop,
        Scope::Simulation,
        "bench",
    )
    .unwrap_or_else(|(_, errors)| panic!("{errors:?}"))
}

fn simulate(experiment: &Experiment, threads: usize) -> (Outcome, f64) {
    let setup = Setup {
        network: &experiment.routed.network,
        routing: &*experiment.routed.routing,
        injector: &*experiment.injector,
        model: &experiment.model,
        phases: &experiment.phases,
        seed: experiment.seed,
        minimal: None,
        check: false,
        threads,
    };
    let start = Instant::now();
    let outcome = Simulation::new(setup).run().unwrap();
    (outcome, start.elapsed().as_secs_f64())
}

fn row(machine: &Machine, load: f64, flits: u32, threads: &[usize]) {
    let plan = plan(machine, load, flits);
    let experiment = plan.experiment(&plan.points[0], None).unwrap();
    let network = &experiment.routed.network;
    let bytes = memory_bytes(network, &experiment.model);
    let mut alone = None;
    for &threads in threads {
        let (outcome, seconds) = simulate(&experiment, threads);
        let alone = *alone.get_or_insert(seconds);
        println!(
            "{:<17} {load:>5} {flits:>5} {threads:>7} {:>12} {seconds:>9.3} {:>13.2} {:>8.2} {:>12}",
            machine.name,
            outcome.flit_hops,
            outcome.flit_hops as f64 / seconds / 1e6,
            alone / seconds,
            bytes / network.router_count() as u64,
        );
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let large = arguments.iter().any(|argument| argument == "--large");
    let wanted: Vec<&String> = arguments
        .iter()
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    let is_wanted = |machine: &&Machine| {
        wanted.is_empty()
            || wanted
                .iter()
                .any(|part| machine.name.contains(part.as_str()))
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!(
        "network            load flits threads    flit-hops   seconds  M flit-hops/s  speedup bytes/router"
    );
    for machine in MACHINES.iter().filter(is_wanted) {
        for (load, flits) in [(0.01, 1), (0.4, 1), (0.4, 5)] {
            row(machine, load, flits, &[1]);
        }
        row(machine, 0.4, 1, &[1, cores]);
    }
    if large {
        for machine in LARGE.iter().filter(is_wanted) {
            row(machine, 0.2, 1, &[1]);
        }
    }
}
