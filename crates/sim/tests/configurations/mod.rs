//! Random small simulations: any network, any router, any traffic.
//!
//! [`configuration`] is what property tests draw from; [`sample`] is for tests that want a
//! fixed number of them. Everything a simulation needs is made from a [`Configuration`].
#![allow(dead_code)]

mod models;
mod places;
mod traffic;

pub(crate) use places::{Place, Wires};
pub(crate) use traffic::Traffic;

use crate::toys::{Informed, Talk, Toys};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use turnwise_network::{FlowControl, Injector, Network, Routing};
use turnwise_sim::{Depth, Outcome, Phases, RouterModel};

/// One simulation, as plain data.
#[derive(Clone, Debug)]
pub(crate) struct Configuration {
    pub(crate) place: Place,
    pub(crate) model: RouterModel,
    pub(crate) traffic: Traffic,
    pub(crate) phases: Phases,
    pub(crate) seed: u64,
}

impl Configuration {
    pub(crate) fn network(&self) -> Network {
        self.place.network(self.seed)
    }

    pub(crate) fn routing<'a>(&self, network: &'a Network) -> Box<dyn Routing + 'a> {
        self.place.routing(network, self.model.virtual_channels)
    }

    /// Routing on any shortest way, by what routers tell each other.
    pub(crate) fn informed<'a>(&self, network: &'a Network, talk: Talk) -> Informed<'a> {
        Informed::new(network, self.model.virtual_channels, talk)
    }

    pub(crate) fn injector(&self, network: &Network) -> impl Injector + use<> {
        self.traffic.injector(network, self.seed)
    }

    /// May packets wait for each other in a circle?
    pub(crate) fn is_cyclic(&self, network: &Network) -> bool {
        let Self { place, model, .. } = self;
        place.is_cyclic(network, model.virtual_channels, model.flow_control)
    }

    /// Runs to the end, all invariants holding if they are checked.
    pub(crate) fn run(
        &self,
        network: &Network,
        routing: &dyn Routing,
        injector: &dyn Injector,
        check: bool,
    ) -> Outcome {
        self.toys(network, routing, injector)
            .try_run(check)
            .unwrap_or_else(|violation| panic!("{violation}"))
    }

    pub(crate) fn toys<'a>(
        &'a self,
        network: &'a Network,
        routing: &'a dyn Routing,
        injector: &'a dyn Injector,
    ) -> Toys<'a> {
        Toys {
            network,
            routing,
            injector,
            model: &self.model,
            phases: &self.phases,
            seed: self.seed,
        }
    }
}

/// Any configuration that makes sense.
pub(crate) fn configuration() -> impl Strategy<Value = Configuration> {
    configuration_of(models::model())
}

fn configuration_of(
    model: impl Strategy<Value = RouterModel>,
) -> impl Strategy<Value = Configuration> {
    let phases = (prop_oneof![Just(0u64), Just(50)], any::<bool>());
    let parts = (places::place(), model, traffic::traffic());
    (parts, phases, any::<u64>()).prop_map(
        |((place, mut model, mut traffic), (warmup, drain), seed)| {
            let least = model.least_flits(traffic.flits);
            if model.whole_packets {
                // Also that of an output queue.
                model.output_buffer_flits = model.output_buffer_flits.map(|flits| flits.max(least));
            }
            model.buffers = model.buffers.map(|depth| match depth {
                Depth::Flits(flits) => Depth::Flits(flits.max(least)),
                Depth::RoundTrip { .. } => Depth::RoundTrip {
                    packet: traffic.flits,
                },
                Depth::Tailored { permille } if least > Depth::tailored(permille, 0) => {
                    Depth::Flits(least)
                }
                tailored @ Depth::Tailored { .. } => tailored,
            });
            // The bubble rule is proved for packets of one length.
            traffic.varied &= model.flow_control != FlowControl::Bubble;
            let phases = Phases {
                warmup,
                measure: 200,
                drain,
                limit: 20_000,
            };
            Configuration {
                place,
                model,
                traffic,
                phases,
                seed,
            }
        },
    )
}

/// All ways for routers to talk, over and over.
pub(crate) fn talks() -> impl Iterator<Item = Talk> {
    let after = [1, 2, 5, 40].map(|after| Talk::Everyone { after });
    let over_channels = [Talk::Neighbours, Talk::Regions];
    over_channels.into_iter().chain(after).cycle()
}

/// So many configurations, always the same ones for the same seed.
pub(crate) fn sample(count: usize, seed: u64) -> Vec<Configuration> {
    sample_of(configuration(), count, seed)
}

/// The same with routers of BookSim2's kind only.
pub(crate) fn booksim_sample(count: usize, seed: u64) -> Vec<Configuration> {
    sample_of(configuration_of(models::booksim()), count, seed)
}

fn sample_of(
    configurations: impl Strategy<Value = Configuration>,
    count: usize,
    seed: u64,
) -> Vec<Configuration> {
    let config = Config {
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new(config);
    let draw = |_| configurations.new_tree(&mut runner).unwrap().current();
    (0..count).map(draw).collect()
}

/// What two runs disagree about, of everything that a run tells.
pub(crate) fn difference(one: &Outcome, other: &Outcome) -> Option<String> {
    let told = |outcome: &Outcome| {
        [
            ("ending", format!("{:?}", outcome.ending)),
            ("fingerprint", format!("{:x}", outcome.fingerprint)),
            ("cycles", outcome.cycles.to_string()),
            ("flit hops", outcome.flit_hops.to_string()),
            ("router steps", outcome.router_steps.to_string()),
            ("packets", outcome.packets.to_string()),
            ("measurement", format!("{:?}", outcome.measurement)),
        ]
    };
    let mut both = told(one).into_iter().zip(told(other));
    let (one, other) = both.find(|(one, other)| one != other)?;
    Some(format!("{}: {} and {}", one.0, one.1, other.1))
}
