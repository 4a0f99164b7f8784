//! The number of threads, and of processes, changes nothing but the time a simulation takes.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::storms;
use crate::toys;

use crate::configurations::{difference, sample, talks};
use crate::toys::{Adaptive, Classes, Crew, DimensionOrder, Listed, Packet, Toys, Uniform, crews};
use turnwise_network::{FlowControl, Injector, PacketRequest, TerminalId};
use turnwise_sim::{Depth, Ending, Outcome, Phases, RouterModel};

/// How many random configurations: more in a soak, see `scripts/soak.sh`.
fn count() -> usize {
    let wanted = std::env::var("TURNWISE_SOAK_CONFIGURATIONS");
    wanted.map_or(50, |count| count.parse().unwrap())
}

#[test]
fn one_to_four_threads_agree() {
    for configuration in sample(count(), 29) {
        let network = configuration.network();
        let routing = configuration.routing(&network);
        let injector = configuration.injector(&network);
        let toys = configuration.toys(&network, &*routing, &injector);
        let alone = toys.run_on(1);
        for crew in crews() {
            let difference = difference(&alone, &toys.run_on(crew));
            assert_eq!(difference, None, "{crew:?}, {configuration:?}");
        }
    }
}

/// Routers tell each other what they see, over channels and after a time of their own. Any router, any
/// network.
#[test]
fn one_to_four_threads_hear_the_same() {
    let (mut heard, mut configurations) = (0, 0);
    for (configuration, talk) in sample(count(), 31).into_iter().zip(talks()) {
        let network = configuration.network();
        let routing = configuration.informed(&network, talk);
        let injector = configuration.injector(&network);
        let toys = configuration.toys(&network, &routing, &injector);
        let alone = toys.run_on(1);
        for crew in crews() {
            let difference = difference(&alone, &toys.run_on(crew));
            assert_eq!(difference, None, "{crew:?}, {talk:?}, {configuration:?}");
        }
        let deaf = Adaptive::new(&network, configuration.model.virtual_channels);
        let deaf = configuration.toys(&network, &deaf, &injector);
        heard += usize::from(difference(&alone, &deaf.run_on(1)).is_some());
        configurations += 1;
    }
    // Many are too small, or too quiet, for two shortest ways to differ.
    assert!(heard * 4 > configurations, "{heard} of {configurations}");
}

/// A torus large enough for domains that have an inside.
fn torus(classes: Classes, load: f64, latency: u32, crew: impl Into<Crew>) -> Outcome {
    let network = toys::torus_with(&[8, 8], 1, latency, 1);
    let model = RouterModel {
        virtual_channels: 2,
        buffers: Depth::everywhere(4),
        ..RouterModel::default()
    };
    let routing = DimensionOrder {
        network: &network,
        vcs: 2,
        classes,
    };
    let injector = Uniform {
        terminals: 64,
        load,
        flits: 5,
        seed: 8,
    };
    let phases = Phases {
        warmup: 500,
        measure: 1_000,
        drain: true,
        limit: 100_000,
    };
    let toys = Toys {
        network: &network,
        routing: &routing,
        injector: &injector,
        model: &model,
        phases: &phases,
        seed: 5,
    };
    toys.run_on(crew)
}

#[test]
fn packets_cross_between_domains_while_they_are_cut_through() {
    for latency in [1, 2, 30] {
        let alone = torus(Classes::Dateline, 0.3, latency, 1);
        assert_eq!(alone.ending, Ending::Completed);
        for crew in crews() {
            let together = torus(Classes::Dateline, 0.3, latency, crew);
            assert_eq!(difference(&alone, &together), None, "{crew:?}");
        }
    }
}

#[test]
fn channels_are_watched_by_all_alike() {
    let alone = torus(Classes::Dateline, 0.3, 2, Crew::from(1).watching());
    let course = alone.measurement.channel_course.as_ref().unwrap();
    assert!(course.flits.len() > 5);
    for crew in crews() {
        let together = torus(Classes::Dateline, 0.3, 2, crew.watching());
        assert_eq!(difference(&alone, &together), None, "{crew:?}");
    }
}

/// One virtual channel and buffers of two packets: rings that only the bubble keeps moving. The room it
/// takes is declared, so no domain has to know what others have sent.
#[test]
fn bubbles_are_the_same_for_all_domains() {
    let network = toys::torus_with(&[8, 8], 1, 2, 1);
    for (flits, load) in [(1, 0.6), (5, 0.3), (5, 1.0)] {
        let model = storms::model(1, 2 * u32::from(flits), FlowControl::Bubble);
        let routing = DimensionOrder {
            network: &network,
            vcs: 1,
            classes: Classes::None,
        };
        // Terminals that have not sent anything yet when the others need room for their packets.
        let injector = Late(Uniform {
            terminals: 64,
            load,
            flits,
            seed: 9,
        });
        let phases = toys::window(500, 1_500);
        let toys = Toys {
            network: &network,
            routing: &routing,
            injector: &injector,
            model: &model,
            phases: &phases,
            seed: 5,
        };
        let alone = toys.run_on(1);
        assert_eq!(alone.ending, Ending::Completed);
        assert!(alone.measurement.accepted_load.mean > 0.05);
        for crew in crews() {
            let difference = difference(&alone, &toys.run_on(crew));
            assert_eq!(difference, None, "{crew:?}, {flits} flits");
        }
    }
}

/// Half of the terminals send short packets only; longer ones come later, from the others.
struct Late(Uniform);

impl Injector for Late {
    fn next(&self, from: TerminalId, number: u32, after: Option<u64>) -> Option<PacketRequest> {
        let packet = self.0.next(from, number, after)?;
        match from.0 < 32 {
            true => Some(PacketRequest { flits: 1, ..packet }),
            false => Some(PacketRequest {
                created: packet.created + if after.is_none() { 700 } else { 0 },
                ..packet
            }),
        }
    }

    fn longest_packet(&self) -> u16 {
        self.0.longest_packet()
    }
}

/// A run is over when its last packet has been delivered, also where the next event is long after that.
#[test]
fn runs_end_with_the_last_delivery_on_any_number_of_threads() {
    let network = toys::torus_with(&[8], 1, 1, 1);
    let routing = DimensionOrder {
        network: &network,
        vcs: 1,
        classes: Classes::None,
    };
    for (credit_delay, created) in [(0, 5), (2, 5), (40, 5), (40, 6)] {
        let model = RouterModel {
            credit_delay,
            ..RouterModel::default()
        };
        let packet = Packet {
            source: 0,
            created,
            destination: 3,
            flits: 1,
        };
        let toys = Toys {
            network: &network,
            routing: &routing,
            injector: &Listed(vec![packet]),
            model: &model,
            phases: &toys::until_all_arrive(7),
            seed: 1,
        };
        let alone = toys.run_on(1);
        // The formula of `zero_load`.
        assert_eq!(alone.cycles, created + 3 + 4 * 4 + 3);
        for crew in crews() {
            assert_eq!(difference(&alone, &toys.run_on(crew)), None, "{crew:?}");
        }
        assert_eq!(difference(&alone, &toys.run()), None);
    }
}

#[test]
fn a_deadlock_across_domains_is_found_in_the_same_cycle() {
    let alone = torus(Classes::None, 1.0, 1, 1);
    assert!(
        matches!(&alone.ending, Ending::Deadlocked(_)),
        "{:?}",
        alone.ending
    );
    for crew in crews() {
        let together = torus(Classes::None, 1.0, 1, crew);
        assert_eq!(difference(&alone, &together), None, "{crew:?}");
    }
}
