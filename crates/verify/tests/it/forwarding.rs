//! Tables as fabrics are programmed, right and wrong ones.

use crate::networks::graph;
use proptest::prelude::*;
use std::sync::Arc;
use turnwise_network::contract::forwards::senders_to;
use turnwise_network::tables::ForwardingTable;
use turnwise_network::{FlowControl, Network, Port, RouterId, TerminalId, Vc};
use turnwise_verify::{Verdict, analyse, prove};

/// Three routers in a ring with a terminal each.
fn ring() -> Arc<Network> {
    Arc::new(graph(&[1, 1, 1], &[(0, 1), (1, 2), (2, 0)]))
}

/// The port that leads to another router.
fn port_to(network: &Network, at: RouterId, to: u32) -> Option<Port> {
    (0..network.radix(at) as Port).find(|&port| network.next_router(at, port) == Some(RouterId(to)))
}

/// Everything goes round the same way, by address 0; by address 1 everything goes straight.
fn clockwise(network: &Arc<Network>, lmc: u8) -> ForwardingTable {
    let port = |at: RouterId, terminal: TerminalId, address: u32| match address {
        _ if at.0 == terminal.0 => Some(0),
        0 => port_to(network, at, (at.0 + 1) % 3),
        _ => port_to(network, at, terminal.0),
    };
    ForwardingTable::new(network, lmc, port).unwrap()
}

#[test]
fn lanes_by_ports_break_a_ring_that_one_lane_closes() {
    let network = ring();
    let table = clockwise(&network, 0);
    let analysis = analyse(&network, &table, FlowControl::Wormhole);
    let Verdict::Cyclic(cycle) = &analysis.verdict else {
        panic!("{:?}", analysis.verdict)
    };
    assert_eq!(cycle.waiting.len(), 3);
    // What has come round to router 0 goes on on the second lane.
    let lane = |at: RouterId, from: Port, _, _| Vc::from(at.0 == 0 && from != 0);
    let table = table.with_lanes_by_ports(2, lane).unwrap();
    let analysis = analyse(&network, &table, FlowControl::Wormhole);
    assert!(analysis.is_sound(), "{:?}", analysis.verdict);
    assert_eq!(analysis.quality.edge_forwarding_index, 3.0);
}

#[test]
fn addresses_share_a_pairs_load() {
    let network = ring();
    let analysis = analyse(&network, &clockwise(&network, 1), FlowControl::Wormhole);
    let quality = &analysis.quality;
    assert_eq!((quality.routable_pairs, quality.pairs), (6, 6));
    // Half of three routes round and half of one straight, upwards; half of one straight, downwards.
    let mut loads = quality.loads.clone();
    loads.sort_by(f64::total_cmp);
    assert_eq!(loads, [0.5, 0.5, 0.5, 2.0, 2.0, 2.0]);
}

#[test]
fn circles_and_black_holes_of_a_fabric_are_found() {
    let network = ring();
    // Routers 0 and 1 send each other what is for terminal 2; router 2 knows nothing of terminal 1.
    let port = |at: RouterId, terminal: TerminalId, _| match (at.0, terminal.0) {
        (at, to) if at == to => Some(0),
        (0, 2) => port_to(&network, at, 1),
        (1, 2) => port_to(&network, at, 0),
        (2, 1) => None,
        (_, to) => port_to(&network, at, to),
    };
    let table = ForwardingTable::new(&network, 0, port).unwrap();
    let analysis = analyse(&network, &table, FlowControl::Wormhole);
    let reachability = &analysis.reachability;
    // From 0 and 1 to terminal 2 in circles, from 2 to terminal 1 not at all.
    assert_eq!((reachability.routable, reachability.pairs), (3, 6));
    assert_eq!(
        (reachability.endless.pairs, reachability.lost.pairs),
        (2, 1)
    );
    assert!(!analysis.is_sound());
}

proptest! {
    /// Terminals of a router may send at different service levels or at the same one: what channels carry is the sum over all pairs, and
    /// two surveys, one for a proof alone, find the same dependencies.
    #[test]
    fn every_pair_counts_whatever_its_service_level(levels in prop::collection::vec(0u8..3, 81), lost in 0usize..30) {
        let network = Arc::new(graph(&[4, 3, 2], &[(0, 1), (1, 2), (2, 0)]));
        let home = |terminal: TerminalId| network.router_of(terminal);
        let port = |at: RouterId, terminal: TerminalId, _: u32| match at.0 * 9 + terminal.0 {
            entry if entry as usize == lost => None,
            _ if at == home(terminal) => Some(network.terminal_port(terminal)),
            // Upwards to terminals of even numbers, straight to others.
            _ if terminal.0.is_multiple_of(2) => port_to(&network, at, (at.0 + 1) % 3),
            _ => port_to(&network, at, home(terminal).0),
        };
        let table = ForwardingTable::new(&network, 0, port).unwrap();
        let level = |from: TerminalId, to: TerminalId, _: u32| levels[(from.0 * 9 + to.0) as usize];
        let table = table.with_levels(level).unwrap().with_lanes(3, |level| level % 3).unwrap();
        let analysis = analyse(&network, &table, FlowControl::Wormhole);
        let mut loads = vec![0.0; network.channel_count()];
        let (mut pairs, mut routable) = (0, 0);
        for from in network.terminals() {
            for to in network.terminals().filter(|&to| to != from) {
                pairs += 1;
                let (mut at, mut way) = (home(from), Vec::new());
                while let Some(port) = table.port(at, to, 0) {
                    let Some(next) = network.next_router(at, port) else { break };
                    way.extend(network.out_channel(at, port));
                    at = next;
                }
                if table.port(at, to, 0).is_some() {
                    routable += 1;
                    way.into_iter().for_each(|channel| loads[channel.index()] += 1.0);
                }
            }
        }
        prop_assert_eq!(&analysis.quality.loads, &loads);
        let reachability = &analysis.reachability;
        prop_assert_eq!((reachability.pairs, reachability.routable), (pairs, routable));
        let senders = network.living_terminals().map(|to| senders_to(&network, &table, to));
        prop_assert_eq!(senders.sum::<u64>(), routable);
        let (verdict, found) = prove(&network, &table, FlowControl::Wormhole);
        prop_assert_eq!(&found, reachability);
        prop_assert_eq!(verdict, analysis.verdict);
    }
}
