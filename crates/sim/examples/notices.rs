//! What notices cost where nothing changes: a dragonfly of 1,056 terminals that is nearly idle, whose routers
//! tell each other which global channels are congested, or do not. Both send every packet the same way.
//!
//! `valgrind --tool=callgrind target/release/examples/notices told 20000` counts the instructions of a run of
//! 20,000 cycles, `deaf` those of one without notices; a run twice as long tells what is done but once.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "an example")]

#[path = "../tests/toys/mod.rs"]
mod toys;

use toys::{Piggyback, Toys, Uniform, window};
use turnwise_config::units::Cycles;
use turnwise_network::topologies::{ChannelLatency, Dragonfly, Latency, Topology};
use turnwise_sim::{Depth, RouterModel};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let talks = arguments.next().is_none_or(|word| word == "told");
    let cycles = arguments
        .next()
        .map_or(20_000, |cycles| cycles.parse().unwrap());
    let load = arguments.next().map_or(0.001, |load| load.parse().unwrap());
    let fixed = |cycles| Latency::Fixed(Cycles(cycles));
    let channel_latency = ChannelLatency {
        local: fixed(10),
        global: fixed(100),
        ..ChannelLatency::default()
    };
    let dragonfly = Dragonfly {
        groups: 33,
        routers_per_group: 8,
        terminals_per_router: 4,
        global_ports_per_router: Some(4),
        channel_latency,
        ..Dragonfly::default()
    };
    let network = dragonfly.build(None).unwrap();
    let routing = Piggyback::new(&network, talks, 25);
    let model = RouterModel {
        virtual_channels: Piggyback::VIRTUAL_CHANNELS,
        buffers: Depth::everywhere(256),
        ..RouterModel::default()
    };
    let injector = Uniform {
        terminals: 1_056,
        load,
        flits: 5,
        seed: 1,
    };
    let toys = Toys {
        network: &network,
        routing: &routing,
        injector: &injector,
        model: &model,
        phases: &window(0, cycles),
        seed: 1,
    };
    let outcome = toys.run_on(1);
    println!(
        "{} flit-hops, fingerprint {:x}",
        outcome.flit_hops, outcome.fingerprint
    );
}
