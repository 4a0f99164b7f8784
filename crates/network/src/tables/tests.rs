use super::*;
use crate::Faults;
use crate::contract::{Routing, Start};
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

/// By address 0 upwards, by address 1 downwards; address 2 is known to its own router alone, and address 3 is a wrong turn.
fn both_ways(network: &Arc<Network>) -> ForwardingTable {
    let port = |at: RouterId, terminal: TerminalId, address: u32| match address {
        _ if at.0 == terminal.0 => Some(0),
        0 => Some(1),
        1 => Some(2),
        2 => None,
        _ => Some(0),
    };
    ForwardingTable::new(network, 2, port).unwrap()
}

#[test]
fn a_pair_has_a_start_for_every_address_that_there_is() {
    let network = ring();
    let table = both_ways(&network)
        .with_levels(|source, _, address| (source.0 as u8) + 4 * address as u8)
        .unwrap();
    let table = table.with_lanes(4, |level| level % 4).unwrap();
    let mut starts = Vec::new();
    table.starts(TerminalId(3), TerminalId(1), 0, &mut starts);
    let steps = |starts: &[Start]| -> Vec<(u32, u16)> {
        let header = |start: &Start| (start.header.step, start.header.class);
        starts.iter().map(header).collect()
    };
    // Who has an address may send to it, although the first router knows no way.
    assert_eq!(steps(&starts), [(0, 3), (1, 7), (2, 11), (3, 15)]);
    let mut fewer = Vec::new();
    let given = table.clone().with_addresses(|terminal| 1 + terminal.0);
    given.starts(TerminalId(3), TerminalId(1), 0, &mut fewer);
    assert_eq!(steps(&fewer), [(0, 3), (1, 7)]);
    assert!(table.chooses_start());
    assert_eq!(table.start(TerminalId(3), TerminalId(1)), Some(starts[0]));
    assert_eq!(walk(&table, &network, 3, 1), [(0, 8), (1, 8)]);
    // At the terminal's own router every address leads to it.
    starts.clear();
    table.starts(TerminalId(2), TerminalId(2), 0, &mut starts);
    assert_eq!(starts.len(), 4);
    // A pair none of whose addresses is known has none.
    let unknown = |at: RouterId, terminal: TerminalId, _| (at.0 == terminal.0).then_some(0);
    let unknown = ForwardingTable::new(&network, 2, unknown).unwrap();
    starts.clear();
    unknown.starts(TerminalId(3), TerminalId(1), 0, &mut starts);
    assert_eq!(starts, []);
    // Another terminal's port is no way.
    let astray = Header {
        step: 3,
        ..Header::to(TerminalId(1))
    };
    assert_eq!(table.settled(RouterId(0), astray), None);
}

#[test]
fn lanes_may_depend_on_both_ports() {
    let network = ring();
    let table = both_ways(&network);
    let lane = |at: RouterId, from: Port, to: Port, _| Vc::from(at.0 == 1 && from == 2 && to == 1);
    let table = table.with_lanes_by_ports(2, lane).unwrap();
    // Upwards, packets come by the lower port; those of terminal 1 itself by its own.
    assert_eq!(walk(&table, &network, 0, 3), [(1, 1), (2, 2), (3, 1)]);
    assert_eq!(walk(&table, &network, 1, 3), [(2, 1), (3, 1)]);
}

#[test]
fn lanes_may_be_told_that_nobody_needs() {
    let network = ring();
    let told = |lane: Option<Vc>| {
        let lane = move |at: RouterId, from, _, _| match (at.0, from) {
            (1, 2) => lane,
            _ => Some(0),
        };
        both_ways(&network).with_lanes_as_told(1, lane).unwrap()
    };
    let goes = |table: &ForwardingTable| {
        let start = table.start(TerminalId(0), TerminalId(3)).unwrap();
        let hop = table.settled(RouterId(0), start.header).unwrap();
        table.settled(RouterId(1), hop.header).map(|hop| hop.vcs)
    };
    assert_eq!(goes(&told(Some(0))), Some(VcSet::one(0)));
    // Who is thrown away is lost however many virtual channels there are; who takes a lane that there is not, until there is.
    for (lane, with_eight) in [(None, None), (Some(5), Some(VcSet::one(5)))] {
        let table = told(lane);
        assert_eq!(table.lane_between(RouterId(1), 2, 1, 3), lane);
        assert_eq!(goes(&table), None);
        let more = table.with_virtual_channels(8);
        assert_eq!(more.virtual_channels(), 8);
        assert_eq!(goes(&more), with_eight);
        assert_eq!(more.with_virtual_channels(2).virtual_channels(), 8);
    }
    let too_high = both_ways(&network).with_lanes_as_told(1, |_, _, _, _| Some(32));
    assert!(too_high.unwrap_err().to_string().contains("number 32"));
}

#[test]
fn forwarding_tables_refuse_what_there_is_not() {
    let network = ring();
    let wrong = |result: Result<ForwardingTable, Invalid>| result.unwrap_err().to_string();
    let port = |_, _, _| Some(3);
    assert!(wrong(ForwardingTable::new(&network, 0, port)).contains("by port 3; it has 3"));
    assert!(wrong(ForwardingTable::new(&network, 8, |_, _, _| None)).contains("LMC of 0 to 7"));
    let table = both_ways(&network);
    assert!(wrong(table.clone().with_levels(|_, _, _| 16)).contains("below 16, found 16"));
    assert!(wrong(table.clone().with_lanes(2, |_| 2)).contains("not one of number 2"));
    assert!(wrong(table.with_lanes_by_ports(33, |_, _, _, _| 0)).contains("found 33"));
}
