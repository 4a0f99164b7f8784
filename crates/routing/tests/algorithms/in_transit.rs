//! Where in-transit adaptive routing leaves its minimal way, and by which virtual channels.

use crate::explore::options;
use std::sync::Arc;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::topologies::{Dragonfly, Topology};
use turnwise_network::{
    Congestion, Header, Hop, Network, Port, RouterId, Routing, TerminalId, Vc, VcSet,
};
use turnwise_routing::algorithms::{GlobalDetours, InTransit};
use turnwise_routing::{Algorithm, Context};

/// Queues by port and virtual channel, each of which holds 100 flits.
struct Queues<F>(F);

impl<F: Fn(Port, Vc) -> u32> Congestion for Queues<F> {
    fn unacknowledged(&self, port: Port, vcs: VcSet) -> u32 {
        let all = vcs.iter().filter(|&vc| vc < 3);
        all.map(|vc| (self.0)(port, vc)).sum()
    }

    fn queued(&self, _: Port, _: VcSet) -> u32 {
        0
    }

    fn capacity(&self, _: Port) -> u32 {
        300
    }

    fn memory(&self) -> &[u32] {
        &[]
    }
}

/// 9 groups of 4 routers with 2 terminals (ports 0 and 1), 3 local ports and 2 global ones (5 and 6).
struct Case {
    network: Arc<Network>,
    routing: Box<dyn Routing>,
}

impl Case {
    fn new(in_transit: &InTransit) -> Self {
        let dragonfly = Dragonfly {
            groups: 9,
            routers_per_group: 4,
            terminals_per_router: 2,
            global_ports_per_router: Some(2),
            ..Dragonfly::default()
        };
        let network = Arc::new(dragonfly.build(None).unwrap());
        let routing = in_transit.build(&network, &Context::default()).unwrap();
        Self { network, routing }
    }

    /// From terminal 0 to terminal 70: group 8 is behind router 3, to which port 4 leads.
    fn start(&self) -> Header {
        let start = self.routing.start(TerminalId(0), TerminalId(70));
        start.unwrap().header
    }

    /// All that packets do, each once.
    fn choices(
        &self,
        at: RouterId,
        header: Header,
        queue: impl Fn(Port, Vc) -> u32,
    ) -> Vec<(Port, VcSet)> {
        let sees = Queues(queue);
        let offered = options(&*self.routing, at, header);
        let packet = |number| {
            let mut rng = Random::new(3, Purpose::Routing, 0, number);
            let hop = self.routing.choose(at, header, &sees, &mut rng).unwrap();
            assert!(offered.contains(&hop), "{hop:?}");
            (hop.port, hop.vcs)
        };
        let mut choices: Vec<_> = (0..500).map(packet).collect();
        choices.sort_unstable_by_key(|&(port, vcs)| (port, vcs.0));
        choices.dedup();
        choices
    }

    /// Where the hop by a port leads.
    fn follow(&self, at: RouterId, header: Header, port: Port) -> (RouterId, Header) {
        let offered = options(&*self.routing, at, header);
        let hop = offered.iter().find(|hop| hop.port == port).unwrap();
        (self.network.next_router(at, port).unwrap(), hop.header)
    }
}

const ZERO: VcSet = VcSet(0b1);
const ONE: VcSet = VcSet(0b10);
const TWO: VcSet = VcSet(0b100);

#[test]
fn shares_are_of_the_virtual_channels_that_a_packet_takes() {
    let case = Case::new(&InTransit::default());
    let first = |minimal, own| {
        let queue = move |port, vc| match (port, vc) {
            (4, 0) => minimal,
            (5 | 6, 0) => own,
            // Nobody takes these here.
            (_, 1 | 2) => 99,
            _ => 0,
        };
        case.choices(RouterId(0), case.start(), queue)
    };
    let (straight, by_own) = (vec![(4, ZERO)], vec![(5, ZERO), (6, ZERO)]);
    assert_eq!(first(10, 0), straight);
    assert_eq!(first(11, 0), by_own);
    // 0.43 * 11 is 4.73.
    assert_eq!(first(11, 4), by_own);
    assert_eq!(first(11, 5), straight);
}

/// By its own channels at the source's router, by another router's at the next one, which has then to do it.
#[test]
fn mixed_detours_are_by_own_channels_first_and_by_a_peers_later() {
    let case = Case::new(&InTransit::default());
    let (owner, header) = case.follow(RouterId(0), case.start(), 4);
    assert_eq!(owner, RouterId(3));
    let first_of_last = RouterId(32);
    let minimal = |port| port >= 5 && case.network.next_router(owner, port) >= Some(first_of_last);
    let by_peers = case.choices(owner, header, |port, _| if minimal(port) { 50 } else { 0 });
    assert_eq!(by_peers, [(2, ZERO), (3, ZERO), (4, ZERO)]);
    let (peer, header) = case.follow(owner, header, 2);
    assert_eq!(case.choices(peer, header, |_, _| 0), [(5, ZERO), (6, ZERO)]);
}

#[test]
fn who_may_make_global_detours_is_a_choice() {
    let first = |global_detours| {
        let case = Case::new(&InTransit {
            global_detours,
            ..InTransit::default()
        });
        let ports = case.choices(RouterId(0), case.start(), |port, _| {
            u32::from(port == 4) * 50
        });
        ports.into_iter().map(|(port, _)| port).collect::<Vec<_>>()
    };
    assert_eq!(first(GlobalDetours::CurrentRouter), [5, 6]);
    // Drawn, but the owner of the minimal channel is none.
    assert_eq!(first(GlobalDetours::NeighbourRouter), [2, 3, 4]);
    assert_eq!(first(GlobalDetours::RandomRouter), [2, 3, 4, 5, 6]);
}

/// A local detour takes a class below that of the minimal hop, and is the only one in its group.
#[test]
fn local_detours_take_lower_classes() {
    for local_detours in [true, false] {
        let case = Case::new(&InTransit {
            local_detours,
            ..InTransit::default()
        });
        let (intermediate, header) = case.follow(RouterId(0), case.start(), 5);
        let all = options(&*case.routing, intermediate, header);
        let minimal: Vec<&Hop> = all.iter().filter(|hop| hop.vcs == ONE).collect();
        assert_eq!(minimal.len(), 1);
        let port = minimal[0].port;
        let full = |other: Port, _| u32::from(other == port) * 50;
        let choices = case.choices(intermediate, header, full);
        match local_detours {
            // Who draws the minimal way's own router goes on.
            true => {
                let astray = choices.iter().filter(|&&choice| choice != (port, ONE));
                assert!(astray.clone().count() == 2 && astray.clone().all(|&(_, vcs)| vcs == ZERO));
            }
            false => assert_eq!(choices, [(port, ONE)]),
        }
        // Straight on to the destination's group, and to the terminal's router by the highest class.
        let (owner, header) = case.follow(intermediate, header, port);
        let global = options(&*case.routing, owner, header);
        assert_eq!(global.len(), 1);
        let (last, header) = case.follow(owner, header, global[0].port);
        let all = options(&*case.routing, last, header);
        let classes: Vec<VcSet> = all.iter().map(|hop| hop.vcs).collect();
        match local_detours {
            true => assert_eq!(classes, [TWO, ONE, ONE]),
            false => assert_eq!(classes, [TWO]),
        }
    }
}
