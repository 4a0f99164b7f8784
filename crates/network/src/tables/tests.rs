use super::*;
use crate::Faults;
use crate::contract::Routing;
use crate::ids::{Port, TerminalId};
use crate::topologies::{Topology, Torus};
use std::sync::Arc;

/// A ring of four; port 1 leads up, port 2 down.
fn ring() -> Arc<Network> {
    Arc::new(
        Torus {
            sizes: vec![4],
            ..Torus::default()
        }
        .build(None)
        .unwrap(),
    )
}

fn upwards(destination: RouterId, ports: &mut [Option<Port>]) {
    ports.fill(Some(1));
    ports[destination.index()] = None;
}

fn walk(routing: &dyn Routing, network: &Network, from: u32, to: u32) -> Vec<(u32, u32)> {
    let (mut at, mut walk) = (RouterId(from), Vec::new());
    let mut header = routing
        .start(TerminalId(from), TerminalId(to))
        .unwrap()
        .header;
    loop {
        let mut options = Vec::new();
        routing.options(at, header, &mut options);
        header = options[0].header;
        let Some(next) = network.next_router(at, options[0].port) else {
            return walk;
        };
        walk.push((next.0, options[0].vcs.0));
        at = next;
    }
}

#[test]
fn next_hops_count_their_classes() {
    let network = ring();
    let table = NextHopTable::new(&network, upwards).unwrap();
    assert_eq!(table.longest_route(), 3);
    assert_eq!(walk(&table, &network, 3, 2), [(0, 1), (1, 1), (2, 1)]);
    let table = table.with_classes(HopClasses::ByHop(2), 4).unwrap();
    assert_eq!(walk(&table, &network, 3, 2), [(0, 1), (1, 2), (2, 2)]);
    assert!(walk(&table, &network, 3, 3).is_empty());
    assert_eq!(table.virtual_channels(), 4);
    assert!(table.clone().with_classes(HopClasses::ByHop(5), 4).is_err());
    // The longest route has 3 hops, whose shares are 1, 1 and 2 of 4, and 2, 3 and 3 of 8.
    let classes = |table: NextHopTable| -> Vec<u32> {
        let walk = walk(&table, &network, 3, 2);
        walk.into_iter().map(|(_, vcs)| vcs).collect()
    };
    let by_hop = |count| table.clone().with_classes(HopClasses::ByHop(count), 8);
    assert_eq!(classes(by_hop(4).unwrap()), [0b1, 0b10, 0b1100]);
    assert_eq!(classes(by_hop(8).unwrap()), [0b11, 0b1_1100, 0b1110_0000]);
    assert!(
        table
            .with_classes(HopClasses::Single(VcSet::one(4)), 4)
            .is_err()
    );
}

#[test]
fn wrong_next_hops_are_refused() {
    let message = |port: fn(RouterId, RouterId) -> Option<Port>| {
        let fill = |to, ports: &mut [Option<Port>]| {
            for (at, slot) in ports.iter_mut().enumerate() {
                *slot = port(RouterId::from(at), to);
            }
        };
        NextHopTable::new(&ring(), fill).unwrap_err().message
    };
    assert!(message(|_, _| Some(9)).contains("by port 9, which leads nowhere"));
    assert!(message(|at, to| (at.0 == 1 && to.0 == 0).then_some(1)).contains("ends at router 2"));
    let circle = message(|at, to| (to.0 == 0 && at != to).then_some(1 + (at.0 as Port + 1) % 2));
    assert!(circle.contains("runs in circles"), "{circle}");
}

#[test]
fn paths_are_followed_and_checked() {
    let network = ring();
    let up = |from: RouterId, to: RouterId, hops: &mut Vec<(Port, Vc)>| {
        let length = (to.0 + 4 - from.0) % 4;
        hops.extend((0..length).map(|hop| (1, (hop % 2) as Vc)));
    };
    let table = PathTable::new(&network, 2, up).unwrap();
    assert_eq!(walk(&table, &network, 2, 1), [(3, 1), (0, 2), (1, 1)]);
    assert_eq!(table.route(RouterId(2), RouterId(1)).len(), 3);
    let refused = |hops: &'static [(Port, Vc)]| {
        let table = PathTable::new(&network, 2, |_, _, list| list.extend(hops));
        table.unwrap_err().message
    };
    assert!(refused(&[(1, 2)]).contains("virtual channel 2 of 2"));
    assert!(refused(&[(7, 0)]).contains("leads nowhere"));
    assert!(refused(&[(1, 0), (1, 0)]).contains("goes on behind its end"));
    assert!(PathTable::new(&network, 0, up).is_err());
}

#[test]
fn unrouted_and_dead_pairs_do_not_start() {
    let dead = Faults {
        routers: vec![2],
        terminals: vec![3],
        ..Faults::default()
    };
    let network = Arc::new(ring().without(&dead).unwrap());
    let table = NextHopTable::new(&network, |_, _| ()).unwrap();
    assert!(table.start(TerminalId(0), TerminalId(0)).is_some());
    assert!(table.start(TerminalId(0), TerminalId(1)).is_none());
    assert!(table.start(TerminalId(2), TerminalId(2)).is_none());
    assert!(table.start(TerminalId(3), TerminalId(3)).is_none());
    let table = PathTable::new(&network, 1, |_, _, _| ()).unwrap();
    assert!(table.start(TerminalId(0), TerminalId(0)).is_some());
    assert!(table.start(TerminalId(0), TerminalId(1)).is_none());
    assert!(table.start(TerminalId(2), TerminalId(2)).is_none());
    assert!(table.start(TerminalId(3), TerminalId(3)).is_none());
}
