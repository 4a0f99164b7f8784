//! What is simulated: networks, loads and lengths of packets.

use turnwise_study::specification::Scope;
use turnwise_study::workshop::Experiment;
use turnwise_study::{Plan, Source, Workshop};

/// A network with its routing and its routers.
pub(crate) struct Machine {
    pub(crate) name: &'static str,
    network: &'static str,
    routing: &'static str,
    router: &'static str,
    /// Flits per terminal and cycle; the last one is near saturation or beyond: see what is accepted.
    pub(crate) loads: &'static [f64],
    /// Cycles to time, and half of those in which to count instructions.
    pub(crate) cycles: u64,
    pub(crate) counted: u64,
}

const DRAGONFLY: &str = "kind = 'dragonfly'\ngroups = 33\nrouters_per_group = 8\nterminals_per_router = 4\n\
    global_ports_per_router = 4\nchannel_latency = { local = 10, global = 100 }";
const SHORT: &str = "virtual_channels = 4\nbuffer_flits = 16";
const LONG: &str = "virtual_channels = 4\nbuffer_flits = 256";

pub(crate) const MACHINES: [Machine; 5] = [
    Machine {
        name: "torus 8x8",
        network: "kind = 'torus'\nsizes = [8, 8]\nchannel_latency = 2",
        routing: "kind = 'dimension-order'",
        router: SHORT,
        loads: &[0.1, 0.4, 0.7],
        cycles: 20_000,
        counted: 800,
    },
    Machine {
        name: "torus 8x8x8",
        network: "kind = 'torus'\nsizes = [8, 8, 8]\nchannel_latency = 2",
        routing: "kind = 'dimension-order'",
        router: SHORT,
        loads: &[0.1, 0.4, 0.6],
        cycles: 2_000,
        counted: 150,
    },
    Machine {
        name: "dragonfly 1,056 minimal",
        network: DRAGONFLY,
        routing: "kind = 'minimal'\nvirtual_channels = 2",
        router: LONG,
        loads: &[0.1, 0.3, 0.4],
        cycles: 2_000,
        counted: 300,
    },
    Machine {
        name: "dragonfly 1,056 ugal",
        network: DRAGONFLY,
        routing: "kind = 'ugal'",
        router: LONG,
        loads: &[0.1, 0.3, 0.4],
        cycles: 2_000,
        counted: 300,
    },
    Machine {
        name: "fat tree 512",
        network: "kind = 'k-ary-n-tree'\narity = 8\nlevels = 3",
        routing: "kind = 'nca'",
        router: SHORT,
        loads: &[0.1, 0.4, 0.6],
        cycles: 2_000,
        counted: 150,
    },
];

/// Adaptive routing of the dragonfly, beside minimal routing of [`MACHINES`].
pub(crate) const ADAPTIVE: [Machine; 8] = [
    adaptive("ugal", "kind = 'ugal'"),
    adaptive("par", "kind = 'par'\nvia = 'group'"),
    adaptive("piggyback", "kind = 'piggyback'"),
    adaptive("ugal-g", "kind = 'ugal-g'"),
    adaptive("ugal-g late", "kind = 'ugal-g'\nfeedback_delay = 100"),
    adaptive(
        "weighted-adaptive",
        "kind = 'weighted-adaptive'\nprogressive = false",
    ),
    adaptive("informed", "kind = 'informed'"),
    adaptive("in-transit", "kind = 'in-transit'"),
];

const fn adaptive(name: &'static str, routing: &'static str) -> Machine {
    Machine {
        name,
        network: DRAGONFLY,
        routing,
        router: LONG,
        loads: &[0.1, 0.3],
        cycles: 2_000,
        counted: 300,
    }
}

/// Bubble flow control, which only several threads are asked about.
pub(crate) const BUBBLE: Machine = Machine {
    name: "torus 16x16x16 bubble",
    network: "kind = 'torus'\nsizes = [16, 16, 16]\nchannel_latency = 10",
    routing: "kind = 'dimension-order'",
    router: "flow_control = 'bubble'\nvirtual_channels = 1\nbuffer_flits = 64",
    loads: &[0.1, 0.3],
    cycles: 1_000,
    counted: 0,
};

/// As large as the largest real machines.
pub(crate) const LARGE: [Machine; 3] = [
    Machine {
        name: "dragonfly 84,992",
        network: "kind = 'dragonfly'\ngroups = 166\nrouters_per_group = 32\nterminals_per_router = 16\n\
                  global_ports_per_router = 6\nchannel_latency = { local = 10, global = 100 }",
        routing: "kind = 'minimal'\nvirtual_channels = 2",
        router: LONG,
        loads: &[0.2],
        cycles: 2_000,
        counted: 0,
    },
    Machine {
        name: "fat tree 65,536",
        network: "kind = 'xgft'\nm = [32, 32, 64]\nw = [1, 32, 32]",
        routing: "kind = 'd-mod-k'",
        router: "virtual_channels = 2\nbuffer_flits = 16",
        loads: &[0.2],
        cycles: 2_000,
        counted: 0,
    },
    Machine {
        name: "torus 32x32x32",
        network: "kind = 'torus'\nsizes = [32, 32, 32]\nchannel_latency = 2",
        routing: "kind = 'dimension-order'",
        router: SHORT,
        loads: &[0.2],
        cycles: 2_000,
        counted: 0,
    },
];

impl Machine {
    /// The study of a run of so many cycles, all of them measured.
    pub(crate) fn study(&self, load: f64, flits: u32, cycles: u64) -> String {
        let Self {
            network,
            routing,
            router,
            ..
        } = self;
        format!(
            "[network]\n{network}\n[routing]\n{routing}\n[router]\n{router}\n\
             [traffic]\npattern = 'uniform'\nload = {load}\npacket_flits = {flits}\n\
             [simulation]\nwarmup_cycles = 0\nmeasure_cycles = {cycles}\ndrain = false"
        )
    }

    /// The same, ready to run.
    pub(crate) fn experiment(&self, load: f64, flits: u32, cycles: u64) -> Experiment {
        let text = self.study(load, flits, cycles);
        let (source, document) = Source::parse("bench.toml", text.as_bytes(), &[]);
        let (workshop, scope) = (Workshop::new("."), Scope::Simulation);
        let plan = Plan::new(source, &document.unwrap(), workshop, scope, "bench")
            .unwrap_or_else(|(_, errors)| panic!("{errors:?}"));
        plan.experiment(&plan.point(0).unwrap(), None).unwrap()
    }
}
