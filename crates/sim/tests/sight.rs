//! What a router sees of its outputs, asked for in several ways.

use crate::toys::{self, Adaptive, Toys, Uniform};
use std::sync::atomic::{AtomicU32, Ordering};
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Hop, Network, Port, RouterId, Routing, Start, TerminalId, Vc, VcSet,
};
use turnwise_sim::{Depth, RouterKind, RouterModel};

/// Asks for the same flits in every way there is, whenever it has to choose.
struct Curious<'a> {
    network: &'a Network,
    routing: Adaptive<'a>,
    vcs: Vc,
    /// How often some virtual channels of a port held something and others another amount.
    uneven: AtomicU32,
}

impl Curious<'_> {
    fn compare(&self, port: Port, sees: &dyn Congestion) {
        let every = VcSet::all(VcSet::CAPACITY);
        let mut each = [0; VcSet::CAPACITY as usize];
        sees.occupancies(port, every, &mut each);
        for vc in every.iter() {
            let one = sees.occupancy(port, VcSet::one(vc));
            assert_eq!(one, each[usize::from(vc)], "{vc} of {port}");
            assert!(one == 0 || vc < self.vcs, "{vc} of {port} holds {one}");
        }
        let sum = each.iter().sum::<u32>();
        assert_eq!(sum, sees.occupancy(port, VcSet::EVERY));
        assert_eq!(sum, sees.occupancy(port, VcSet::all(self.vcs)));
        assert_eq!(
            sum,
            sees.unacknowledged(port, VcSet::EVERY) + sees.queued(port, VcSet::EVERY)
        );
        assert_eq!(sum + sees.awaiting(port), sees.backlog(port, VcSet::EVERY));
        let last = VcSet::one(self.vcs - 1);
        let of_last = (sees.occupancy(port, last), sees.capacity(port));
        assert_eq!(of_last, sees.occupancy_of(port, last));
        if each.iter().any(|&flits| flits > 0 && flits < sum) {
            self.uneven.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Routing for Curious<'_> {
    fn virtual_channels(&self) -> Vc {
        self.routing.virtual_channels()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.routing.start(source, destination)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.routing.options(at, header, options);
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        sees: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let ports = self.network.radix(at) as Port;
        // A router has nothing at ports that it does not have.
        for port in 0..ports + 20 {
            self.compare(port, sees);
            assert!(port < ports || sees.occupancy(port, VcSet::EVERY) == 0);
        }
        self.routing.choose(at, header, sees, rng)
    }
}

#[test]
fn flits_are_the_same_however_they_are_asked_for() {
    let network = toys::mesh(&[3, 2], 1, 3, 1);
    for (vcs, kind) in [1, 2, 3, 4, 5, 20].into_iter().flat_map(|vcs| {
        let kinds = [RouterKind::InputQueued, RouterKind::InputOutputQueued];
        kinds.map(|kind| (vcs, kind))
    }) {
        let routing = Curious {
            network: &network,
            routing: Adaptive::new(&network, vcs),
            vcs,
            uneven: AtomicU32::new(0),
        };
        let model = RouterModel {
            kind,
            virtual_channels: vcs,
            buffers: Depth::everywhere(4),
            ..RouterModel::default()
        };
        let injector = Uniform {
            terminals: 6,
            load: 0.6,
            flits: 3,
            seed: 1,
        };
        let outcome = Toys {
            network: &network,
            routing: &routing,
            injector: &injector,
            model: &model,
            phases: &toys::window(0, 200),
            seed: 1,
        }
        .run();
        assert!(outcome.packets > 50, "{vcs} {kind:?}");
        assert_eq!(routing.uneven.into_inner() > 0, vcs > 1, "{vcs} {kind:?}");
    }
}
