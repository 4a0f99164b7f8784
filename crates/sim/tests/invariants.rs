//! Whatever the configuration: nothing is lost or made, and every run ends in a way it may end.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

mod toys;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use toys::{Classes, DimensionOrder, Listed, NextHop, Packet, Toys, Uniform, Witness};
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{FlowControl, Injector, Network, Routing};
use turnwise_sim::{Allocator, Ending, Outcome, Phases, RouterModel};

#[derive(Clone, Debug)]
enum Place {
    Torus {
        sizes: Vec<u32>,
        dateline: bool,
    },
    Mesh {
        sizes: Vec<u32>,
    },
    /// Shortest paths, or paths inside a tree.
    Graph {
        routers: u32,
        chords: u32,
        tree: bool,
    },
    Router,
}

#[derive(Clone, Debug)]
struct Configuration {
    place: Place,
    terminals: u32,
    latency: u32,
    terminal_latency: u32,
    model: RouterModel,
    flits: u16,
    load: f64,
    drain: bool,
    seed: u64,
}

impl Configuration {
    fn network(&self) -> Network {
        let Self {
            terminals,
            latency,
            terminal_latency: outer,
            ..
        } = *self;
        match &self.place {
            Place::Torus { sizes, .. } => toys::torus_with(sizes, terminals, latency, outer),
            Place::Mesh { sizes } => toys::mesh(sizes, terminals, latency, outer),
            &Place::Graph {
                routers, chords, ..
            } => toys::graph(routers, chords, terminals, latency, outer, self.seed),
            Place::Router => toys::single_router(terminals as usize + 1, outer),
        }
    }

    fn has_dateline(&self) -> bool {
        matches!(self.place, Place::Torus { dateline: true, .. }) && self.model.virtual_channels > 1
    }

    fn routing<'a>(&self, network: &'a Network) -> Box<dyn Routing + 'a> {
        let vcs = self.model.virtual_channels;
        match self.place {
            Place::Torus { .. } | Place::Mesh { .. } => {
                let classes = if self.has_dateline() {
                    Classes::Dateline
                } else {
                    Classes::None
                };
                Box::new(DimensionOrder {
                    network,
                    vcs,
                    classes,
                })
            }
            Place::Graph { tree: false, .. } => Box::new(NextHop::shortest(network, vcs)),
            Place::Graph { tree: true, .. } | Place::Router => {
                Box::new(NextHop::tree(network, vcs))
            }
        }
    }

    /// May packets wait for each other in a circle?
    fn is_cyclic(&self) -> bool {
        match &self.place {
            // In a ring of three, nobody goes further than one hop.
            Place::Torus { sizes, .. } => {
                let bubble = self.model.flow_control == FlowControl::Bubble;
                sizes.iter().any(|&size| size > 3) && !self.has_dateline() && !bubble
            }
            Place::Graph { tree, .. } => !tree,
            Place::Mesh { .. } | Place::Router => false,
        }
    }

    fn run(
        &self,
        network: &Network,
        routing: &dyn Routing,
        injector: &dyn Injector,
        warmup: u64,
    ) -> Outcome {
        let phases = Phases {
            warmup,
            measure: 200,
            drain: self.drain,
            limit: 100_000,
        };
        Toys {
            network,
            routing,
            injector,
            model: &self.model,
            phases: &phases,
            seed: self.seed,
        }
        .run()
    }
}

fn place() -> impl Strategy<Value = Place> {
    let sizes = || prop::collection::vec(1u32..=5, 1..=2);
    prop_oneof![
        3 => (sizes(), any::<bool>()).prop_map(|(sizes, dateline)| Place::Torus { sizes, dateline }),
        1 => sizes().prop_map(|sizes| Place::Mesh { sizes }),
        2 => (2u32..=8, 0u32..=8, any::<bool>())
            .prop_map(|(routers, chords, tree)| Place::Graph { routers, chords, tree }),
        1 => Just(Place::Router),
    ]
}

fn model() -> impl Strategy<Value = RouterModel> {
    let stages = (0u32..=3, 1u32..=3, 1u32..=3, 0u32..=2, 0u32..=3);
    let allocation = (
        prop_oneof![Just(Allocator::Islip), Just(Allocator::SeparableInputFirst)],
        1u32..=3,
        prop_oneof![2 => Just(1000u32), 1 => Just(1500), 1 => Just(2000)],
        prop_oneof![2 => Just(None), 1 => (1u32..=8).prop_map(Some)],
    );
    let control = prop_oneof![2 => Just(FlowControl::Wormhole), 1 => Just(FlowControl::VirtualCutThrough), 1 => Just(FlowControl::Bubble)];
    let buffer = prop_oneof![4 => 1u32..=8, 1 => 9u32..=40];
    (1u8..=4, buffer, control, stages, allocation, any::<bool>()).prop_map(
        |(virtual_channels, buffer_flits, flow_control, stages, allocation, wait)| RouterModel {
            virtual_channels,
            buffer_flits,
            flow_control,
            routing_delay: stages.0,
            vc_allocation_delay: stages.1,
            switch_allocation_delay: stages.2,
            switch_traversal_delay: stages.3,
            credit_delay: stages.4,
            allocator: allocation.0,
            allocation_iterations: allocation.1,
            speedup_permille: allocation.2,
            output_buffer_flits: allocation.3,
            // A ring has bubbles, not whole buffers, to spare.
            wait_for_tail_credit: wait && flow_control != FlowControl::Bubble,
        },
    )
}

fn configuration() -> impl Strategy<Value = Configuration> {
    let load = prop_oneof![3 => 0.01f64..0.5, 1 => 0.5f64..1.0, 1 => Just(1.0)];
    let lengths = (1u32..=3, 1u32..=5, 1u32..=3);
    (
        place(),
        lengths,
        model(),
        1u16..=6,
        load,
        any::<bool>(),
        any::<u64>(),
    )
        .prop_map(
            |(
                place,
                (terminals, latency, terminal_latency),
                mut model,
                flits,
                load,
                drain,
                seed,
            )| {
                let least = match model.flow_control {
                    FlowControl::Wormhole => 1,
                    FlowControl::VirtualCutThrough => u32::from(flits),
                    FlowControl::Bubble => 2 * u32::from(flits),
                };
                model.buffer_flits = model.buffer_flits.max(least);
                Configuration {
                    place,
                    terminals,
                    latency,
                    terminal_latency,
                    model,
                    flits,
                    load,
                    drain,
                    seed,
                }
            },
        )
}

/// A few packets of different lengths from everywhere to everywhere, in a burst.
fn burst(terminals: u32, longest: u16, seed: u64) -> Listed {
    let mut dice = Random::new(seed, Purpose::Other, 1, 0);
    let mut packets: Vec<Packet> = (0..12 * terminals)
        .map(|_| Packet {
            source: dice.below(terminals),
            created: 40 + u64::from(dice.below(100)),
            destination: dice.below(terminals),
            flits: 1 + dice.below(longest.into()) as u16,
        })
        .collect();
    packets.sort_by_key(|packet| packet.created);
    // No terminal creates two packets at once.
    packets.dedup_by_key(|packet| (packet.source, packet.created));
    let mut last = vec![0; terminals as usize];
    for packet in &mut packets {
        let last = &mut last[packet.source as usize];
        packet.created = packet.created.max(*last + 1);
        *last = packet.created;
    }
    Listed(packets)
}

fn config() -> Config {
    Config {
        cases: 500,
        rng_seed: RngSeed::Fixed(5),
        failure_persistence: None,
        ..Config::default()
    }
}

proptest! {
    #![proptest_config(config())]

    /// Random traffic: the engine's own audit holds, and the run ends as it may.
    #[test]
    fn open_loop_runs_end_as_they_may(configuration in configuration()) {
        let network = configuration.network();
        let terminals = network.terminal_count() as u32;
        let Configuration { load, flits, seed, .. } = configuration;
        let routing = configuration.routing(&network);
        let injector = Uniform { terminals, load, flits, seed };
        let outcome = configuration.run(&network, &*routing, &injector, 50);
        let measured = &outcome.measurement;
        match &outcome.ending {
            Ending::Completed => {
                prop_assert!(!configuration.drain || measured.undelivered == 0);
                prop_assert_eq!(measured.packets, measured.latencies.count());
                // What comes out in the window was made before: at most a flit a cycle.
                prop_assert!(measured.accepted_load.mean <= 1.0);
            }
            Ending::Deadlocked(cycle) => {
                prop_assert!(configuration.is_cyclic(), "deadlocked without a cycle: {cycle:?}");
                prop_assert!(!cycle.is_empty());
            }
            other => prop_assert!(false, "{other:?} after {} cycles", outcome.cycles),
        }
    }

    /// A finite burst: everything sent arrives, unless a cycle catches it.
    #[test]
    fn bursts_arrive_whole(configuration in configuration()) {
        let network = configuration.network();
        // The bubble rule is proved for packets of one length.
        let varied = configuration.model.flow_control != FlowControl::Bubble;
        let mut list = burst(network.terminal_count() as u32, configuration.flits, configuration.seed);
        if !varied {
            list.0.iter_mut().for_each(|packet| packet.flits = configuration.flits);
        }
        let configuration = Configuration { drain: true, ..configuration };
        let witness = Witness::new(&network, configuration.routing(&network));
        let outcome = configuration.run(&network, &witness, &list, 0);
        let (sent, flits): (u64, u64) =
            list.0.iter().fold((0, 0), |(sent, flits), packet| (sent + 1, flits + u64::from(packet.flits)));
        match &outcome.ending {
            Ending::Completed => {
                prop_assert_eq!(outcome.packets, sent);
                prop_assert!(outcome.flit_hops >= flits);
                prop_assert_eq!(witness.count() as u64, sent);
            }
            Ending::Deadlocked(_) => prop_assert!(configuration.is_cyclic()),
            other => prop_assert!(false, "{other:?} after {} cycles", outcome.cycles),
        }
        let deterministic = !matches!(configuration.place, Place::Torus { .. });
        if deterministic && configuration.model.virtual_channels == 1 {
            prop_assert_eq!(witness.disorder(), None);
        }
    }
}
