//! Packets of a pair arrive in the order they were sent, if the routing says so.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::toys;

use crate::toys::{NextHop, Toys, Uniform};
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Hop, Injector, Network, RouterId, Routing, Start, TerminalId, Vc,
};
use turnwise_sim::{Outcome, RouterModel, Violation};

/// One route for each pair, and the promise that packets keep their order, true or not.
struct Promise<'a>(NextHop<'a>);

impl Routing for Promise<'_> {
    fn virtual_channels(&self) -> Vc {
        self.0.virtual_channels()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.0.start(source, destination)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.0.options(at, header, options);
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        self.0.choose(at, header, congestion, rng)
    }

    fn keeps_order(&self) -> bool {
        true
    }
}

fn run(network: &Network, vcs: Vc, injector: &dyn Injector) -> Result<Outcome, Violation> {
    let routing = Promise(NextHop::shortest(network, vcs));
    let model = RouterModel {
        virtual_channels: vcs,
        ..RouterModel::default()
    };
    let toys = Toys {
        network,
        routing: &routing,
        injector,
        model: &model,
        phases: &toys::window(0, 2_000),
        seed: 1,
    };
    toys.try_run(true)
}

/// On several virtual channels packets of one pair overtake each other, on one they cannot.
#[test]
fn a_broken_promise_of_order_is_a_violation() {
    let line = toys::mesh(&[4], 1, 1, 1);
    let traffic = Uniform {
        terminals: 4,
        load: 0.6,
        flits: 4,
        seed: 1,
    };
    assert!(run(&line, 1, &traffic).is_ok());
    let violation = run(&line, 2, &traffic).unwrap_err();
    assert!(violation.what.contains("keeps order"), "{violation}");
}
