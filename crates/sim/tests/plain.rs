//! The path that is compiled for plain routers: the same as the one for all others, in fewer instructions.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::configurations::{Configuration, Wires, difference, sample, talks};
use crate::toys::{Adaptive, Again, NextHop, Talk, Written};
use turnwise_network::{FlowControl, Routing};
use turnwise_sim::RouterModel;

/// Random configurations with plain routers of any flow control.
fn plain(count: usize, seed: u64) -> impl Iterator<Item = Configuration> {
    sample(count, seed).into_iter().map(|configuration| {
        let model = &configuration.model;
        let model = RouterModel {
            virtual_channels: model.virtual_channels,
            buffers: model.buffers,
            flow_control: model.flow_control,
            switch_traversal_delay: model.switch_traversal_delay,
            credit_delay: model.credit_delay,
            ..RouterModel::default()
        };
        Configuration {
            model,
            ..configuration
        }
    })
}

/// Routers that write on packets are not plain, whatever comes of it.
#[test]
fn plain_routers_do_what_routers_do() {
    let (mut different, mut whole) = (0, 0);
    // Others than these have routers say something before there is anything to say.
    let talks = talks().filter(|talk| matches!(talk, Talk::Everyone { .. }));
    for (configuration, talk) in plain(150, 61).zip(talks) {
        let network = configuration.network();
        let vcs = configuration.model.virtual_channels;
        let injector = configuration.injector(&network);
        let run = |routing: &dyn Routing| configuration.run(&network, routing, &injector, false);
        let adaptive = || Adaptive::new(&network, vcs);
        let informed = || configuration.informed(&network, talk);
        let pairs: [[Box<dyn Routing + '_>; 2]; 5] = [
            [
                Box::new(NextHop::shortest(&network, vcs)),
                Box::new(Written(NextHop::shortest(&network, vcs))),
            ],
            [Box::new(adaptive()), Box::new(Written(adaptive()))],
            [
                Box::new(Again(adaptive())),
                Box::new(Written(Again(adaptive()))),
            ],
            [Box::new(informed()), Box::new(Written(informed()))],
            [
                Box::new(Again(informed())),
                Box::new(Written(Again(informed()))),
            ],
        ];
        let outcomes = pairs.map(|[plain, written]| {
            let (plain, written) = (run(&*plain), run(&*written));
            let difference = difference(&plain, &written);
            assert_eq!(difference, None, "{talk:?}, {configuration:?}");
            plain.fingerprint
        });
        different += usize::from(outcomes[1] != outcomes[2]);
        whole += usize::from(configuration.model.flow_control != FlowControl::Wormhole);
    }
    assert!(
        different > 20 && whole > 40,
        "heads asked again in {different}, and needed room in {whole}"
    );
}

/// Of more than 32 ports not each has a bit of its own in what lanes claim.
#[test]
fn large_plain_routers_do_what_routers_do() {
    let mut crossed = 0;
    for (number, mut configuration) in plain(60, 67).enumerate() {
        let ports = 33 + number as u32 % 30;
        let place = &mut configuration.place;
        // One router of terminals, or two or three that are joined.
        (place.wires, place.terminals) = match number % 3 {
            0 => (Wires::Router { more: ports - 1 }, 1),
            joined => {
                let sizes = vec![1 + joined as u32];
                (Wires::HyperX { sizes }, ports - joined as u32)
            }
        };
        configuration.model.virtual_channels = 1;
        let network = configuration.network();
        let injector = configuration.injector(&network);
        let run = |routing: &dyn Routing| configuration.run(&network, routing, &injector, false);
        let way = || NextHop::shortest(&network, 1);
        let (plain, written) = (run(&way()), run(&Written(way())));
        let difference = difference(&plain, &written);
        assert_eq!(difference, None, "{configuration:?}");
        crossed += plain.flit_hops;
    }
    assert!(crossed > 100_000, "{crossed}");
}
