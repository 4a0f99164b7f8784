//! A routing that names what a router does not have is told so, where every choice is verified.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::toys::{self, NextHop, Toys, Uniform};
use turnwise_network::{Header, Hop, RouterId, Routing, Start, TerminalId, Vc, VcSet};
use turnwise_sim::RouterModel;

/// One route for each pair, of which every hop is changed like this, in its options as in its choices.
struct Changed<'a>(NextHop<'a>, Change);

type Change = fn(Hop) -> Hop;

impl Routing for Changed<'_> {
    fn virtual_channels(&self) -> Vc {
        self.0.virtual_channels()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.0.start(source, destination)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let first = options.len();
        self.0.options(at, header, options);
        options[first..]
            .iter_mut()
            .for_each(|hop| *hop = self.1(*hop));
    }
}

#[test]
fn ports_and_virtual_channels_of_nobody_are_violations() {
    let network = toys::mesh(&[4], 1, 1, 1);
    let cases: [(Change, &str); 3] = [
        (|hop| Hop { port: 200, ..hop }, "a port of none"),
        (
            |hop| Hop {
                vcs: VcSet::one(20),
                ..hop
            },
            "virtual channels of none",
        ),
        (
            |hop| Hop {
                vcs: VcSet(0),
                ..hop
            },
            "no option",
        ),
    ];
    let model = RouterModel {
        virtual_channels: 2,
        ..RouterModel::default()
    };
    let injector = Uniform {
        terminals: 4,
        load: 0.3,
        flits: 1,
        seed: 1,
    };
    for (change, words) in cases {
        let routing = Changed(NextHop::shortest(&network, 2), change);
        let toys = Toys {
            network: &network,
            routing: &routing,
            injector: &injector,
            model: &model,
            phases: &toys::window(0, 2_000),
            seed: 1,
        };
        let violation = toys.try_run(true).unwrap_err();
        assert!(violation.what.contains(words), "{violation}");
    }
}
