//! What adaptive algorithms make of the queues they see.

use crate::cases;
use crate::explore::options;
use std::sync::Arc;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::topologies::{Dragonfly, KAryNTree, Topology};
use turnwise_network::{
    Congestion, Faults, Header, Hop, Network, Port, RouterId, Routing, TerminalId, VcSet,
};
use turnwise_routing::algorithms::{Anca, HopModel, Ugal, UgalClasses};
use turnwise_routing::{Algorithm, Context, OutputQueue, Outputs};

/// Queues by port, the same at every router.
struct Queues<F>(F);

impl<F: Fn(Port) -> u32> Congestion for Queues<F> {
    fn unacknowledged(&self, port: Port, _: VcSet) -> u32 {
        (self.0)(port)
    }

    fn queued(&self, _: Port, _: VcSet) -> u32 {
        0
    }

    fn capacity(&self, _: Port) -> u32 {
        u32::MAX
    }

    fn memory(&self) -> &[u32] {
        &[]
    }
}

const PACKETS: u32 = 4000;

/// What so many packets do first.
fn choices(
    routing: &dyn Routing,
    at: RouterId,
    header: Header,
    queue: impl Fn(Port) -> u32,
) -> Vec<Hop> {
    let packet = |number| {
        let mut rng = Random::new(5, Purpose::Routing, 0, number);
        let hop = routing.choose(at, header, &Queues(&queue), &mut rng);
        hop.unwrap()
    };
    (0..PACKETS).map(packet).collect()
}

/// 9 groups of 4 routers with 2 terminals and 2 global ports each.
fn dragonfly() -> Arc<Network> {
    let dragonfly = Dragonfly {
        groups: 9,
        routers_per_group: 4,
        terminals_per_router: 2,
        global_ports_per_router: Some(2),
        ..Dragonfly::default()
    };
    Arc::new(dragonfly.build(None).unwrap())
}

fn ugal(network: &Arc<Network>, threshold_flits: i32) -> Box<dyn Routing> {
    let algorithm = Ugal {
        threshold_flits: Some(threshold_flits),
        ..Ugal::default()
    };
    algorithm.build(network, &Context::default()).unwrap()
}

/// How many of the packets from terminal 0 to terminal 70 go minimally.
fn minimal_share(threshold: i32, queue: impl Fn(Port) -> u32) -> f64 {
    let network = dragonfly();
    let routing = ugal(&network, threshold);
    let start = routing.start(TerminalId(0), TerminalId(70)).unwrap();
    let hops = choices(&*routing, RouterId(0), start.header, queue);
    let offered = options(&*routing, RouterId(0), start.header);
    assert!(hops.iter().all(|hop| offered.contains(hop)));
    // The first option is the minimal route.
    let minimal = hops.iter().filter(|&&hop| hop == offered[0]);
    minimal.count() as f64 / f64::from(PACKETS)
}

/// Group 8 is behind router 3, to which port 4 leads: the last of the local ports.
const TOWARDS_DESTINATION: Port = 4;

#[test]
fn who_sees_no_queue_goes_minimally() {
    assert_eq!(minimal_share(30, |_| 0), 1.0);
    assert_eq!(minimal_share(0, |_| 1000), 1.0);
    let detours_are_long = |port| {
        if port == TOWARDS_DESTINATION {
            2000
        } else {
            1000
        }
    };
    assert_eq!(minimal_share(0, detours_are_long), 1.0);
}

/// A ninth of the random terminals is in the source group; two ninths more are in the groups behind
/// router 3, so that both routes share their first port and its queue.
#[test]
fn a_long_queue_is_avoided_by_all_who_can() {
    let share = minimal_share(30, |port| if port == TOWARDS_DESTINATION { 31 } else { 0 });
    assert!((share - 3.0 / 9.0).abs() < 0.03, "{share}");
}

#[test]
fn the_threshold_is_exact() {
    let queues = |minimal| {
        move |port| {
            if port == TOWARDS_DESTINATION {
                minimal
            } else {
                7
            }
        }
    };
    for threshold in [0, 5, 30] {
        assert_eq!(minimal_share(threshold, queues(14 + threshold as u32)), 1.0);
        assert!(minimal_share(threshold, queues(15 + threshold as u32)) < 0.4);
    }
    // A negative threshold prefers detours, and with it even shared ports are none to wait at.
    assert_eq!(minimal_share(-1000, |_| 7), share_of_the_source_group());
}

/// Of the very packets of these tests, those whose random terminal is in the source group.
fn share_of_the_source_group() -> f64 {
    let draws = (0..PACKETS).map(|number| Random::new(5, Purpose::Routing, 0, number).below(72));
    draws.filter(|&terminal| terminal < 8).count() as f64 / f64::from(PACKETS)
}

/// Channels between routers of the way that begins with a hop, where all else is settled.
fn channels(network: &Network, routing: &dyn Routing, first: Hop) -> u32 {
    let (mut at, mut hop, mut count) = (RouterId(0), first, 0);
    while let Some(next) = network.next_router(at, hop.port) {
        count += 1;
        let offered = options(routing, next, hop.header);
        assert_eq!(offered.len(), 1);
        (at, hop) = (next, offered[0]);
    }
    count
}

/// Detours are taken exactly where their queue times their hops is less than that of the minimal way, also where this goes round a
/// dead channel.
#[test]
fn hops_are_what_the_model_says() {
    let healthy = dragonfly();
    let faults = Faults {
        links: vec![[0, 3]],
        ..Faults::default()
    };
    let damaged = Arc::new(healthy.without(&faults).unwrap());
    for (network, shortest) in [(healthy, 3), (damaged, 4)] {
        for (hop_model, more) in [(HopModel::Links, 0), (HopModel::Routers, 1)] {
            let algorithm = Ugal {
                threshold_flits: Some(0),
                hop_model: Some(hop_model),
                ..Ugal::default()
            };
            let routing = algorithm.build(&network, &Context::default()).unwrap();
            let start = routing.start(TerminalId(0), TerminalId(70)).unwrap();
            let offered = options(&*routing, RouterId(0), start.header);
            let hops = |hop: &Hop| channels(&network, &*routing, *hop) + more;
            assert_eq!(hops(&offered[0]), shortest + more);
            for queue in [7, 9, 10, 12, 13, 15, 20] {
                let seen = |port| if port == offered[0].port { queue } else { 7 };
                let costs = offered.iter().map(|hop| seen(hop.port) * hops(hop));
                let costs: Vec<u32> = costs.collect();
                let chosen = choices(&*routing, RouterId(0), start.header, seen);
                for (hop, cost) in offered.iter().zip(&costs).skip(1) {
                    assert_eq!(chosen.contains(hop), *cost < costs[0], "{hop:?} at {queue}");
                }
            }
        }
    }
}

/// Every router of every other group, the destination's included, is drawn equally often.
#[test]
fn detours_are_uniform() {
    let network = dragonfly();
    let routing = ugal(&network, -1000);
    let start = routing.start(TerminalId(0), TerminalId(70)).unwrap();
    let offered = options(&*routing, RouterId(0), start.header);
    assert_eq!(offered.len(), 1 + 8 * 4);
    let mut counts = vec![0; offered.len()];
    for hop in choices(&*routing, RouterId(0), start.header, |_| 0) {
        counts[offered.iter().position(|option| *option == hop).unwrap()] += 1;
    }
    // 111 on average, and five standard deviations.
    let uneven = counts[1..]
        .iter()
        .filter(|count| !(58..164).contains(*count));
    assert_eq!(uneven.count(), 0, "{counts:?}");
}

/// Only the decision is left open: behind the source's router, and inside its group, all is settled.
#[test]
fn nothing_is_decided_but_at_the_source() {
    let network = dragonfly();
    for classes in [UgalClasses::Distance, UgalClasses::Booksim] {
        let algorithm = Ugal {
            classes,
            ..Ugal::default()
        };
        let routing = algorithm.build(&network, &Context::default()).unwrap();
        for destination in network.terminals() {
            let start = routing.start(TerminalId(0), destination).unwrap();
            let inside = destination.0 < 8;
            assert_eq!(routing.settled(RouterId(0), start.header).is_some(), inside);
            let mut todo = vec![(RouterId(0), start.header)];
            while let Some((at, header)) = todo.pop() {
                for hop in options(&*routing, at, header) {
                    if let Some(next) = network.next_router(at, hop.port) {
                        assert!(routing.settled(next, hop.header).is_some());
                        todo.push((next, hop.header));
                    }
                }
            }
        }
    }
}

/// Whatever the shape, with parallel links or left-over ports: inside a group there is one way to go.
#[test]
fn only_traffic_between_groups_has_a_choice() {
    for network in cases::dragonflies() {
        let routing = ugal(&network, 30);
        let group = |router| network.shape().group(router).unwrap();
        for (source, destination) in network
            .terminals()
            .flat_map(|a| network.terminals().map(move |b| (a, b)))
        {
            let start = routing.start(source, destination).unwrap();
            let (at, to) = (network.router_of(source), network.router_of(destination));
            let offered = options(&*routing, at, start.header);
            assert_eq!(offered.len() == 1, group(at) == group(to));
        }
    }
}

/// Four virtual channels of 16 flits hold 16 flits of minimal packets behind a port: the source must
/// be able to tell that they are full. Where the backlog waits at the inputs, 9 flits are under way on a channel of one cycle that is
/// never idle.
#[test]
fn the_usual_threshold_can_be_exceeded() {
    let network = dragonfly();
    let queues = Outputs {
        crossing_permille: 2000,
        lane_permille: 2000,
        queue: OutputQueue::OfChannel(u32::MAX),
        ..Outputs::default()
    };
    let minimal = |classes, vcs, buffer_flits, queue: u32, router_outputs| {
        let algorithm = Ugal {
            classes,
            ..Ugal::default()
        };
        let context = Context {
            router_virtual_channels: Some(vcs),
            router_buffer_flits: buffer_flits,
            router_outputs,
            ..Context::default()
        };
        let routing = algorithm.build(&network, &context).unwrap();
        let start = routing.start(TerminalId(0), TerminalId(70)).unwrap();
        let seen = |port| {
            if port == TOWARDS_DESTINATION {
                queue
            } else {
                0
            }
        };
        let hops = choices(&*routing, RouterId(0), start.header, seen);
        let first = options(&*routing, RouterId(0), start.header)[0];
        hops.iter().all(|&hop| hop == first)
    };
    let distance = UgalClasses::Distance;
    for (vcs, buffer_flits, outputs, threshold) in [
        (4, Some(16), queues, 8),
        (8, Some(16), queues, 16),
        (4, None, queues, 8),
        (4, Some(64), queues, 30),
        (4, Some(64), Outputs::default(), 4),
        (4, Some(4), Outputs::default(), 2),
    ] {
        let minimal = |queue| minimal(distance, vcs, buffer_flits, queue, outputs);
        assert!(minimal(threshold) && !minimal(threshold + 1), "{threshold}");
    }
    assert!(minimal(
        UgalClasses::Booksim,
        3,
        Some(16),
        30,
        Outputs::default()
    ));
}

/// BookSim's `anca`: of two draws the less used port, and of a port drawn twice that one.
#[test]
fn the_less_used_of_two_ports_leads_up() {
    let tree = KAryNTree {
        arity: 4,
        levels: 2,
        ..KAryNTree::default()
    };
    let tree = Arc::new(tree.build(None).unwrap());
    let routing = Anca::default().build(&tree, &Context::default()).unwrap();
    let start = routing.start(TerminalId(1), TerminalId(14)).unwrap();
    let hops = choices(&*routing, RouterId(0), start.header, u32::from);
    // Ports 4 to 7, the higher the more used: 7, 5, 3 and 1 of 16 pairs of draws.
    for (port, of_sixteen) in [(4, 7.0), (5, 5.0), (6, 3.0), (7, 1.0)] {
        let share = hops.iter().filter(|hop| hop.port == port).count() as f64 / f64::from(PACKETS);
        assert!((share - of_sixteen / 16.0).abs() < 0.03, "{port}: {share}");
    }
}
