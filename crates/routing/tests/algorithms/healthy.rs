//! Healthy networks: everybody arrives, as fast as promised.

use crate::cases::{self, Case};
use crate::explore::{Explorer, options};
use std::collections::BTreeSet;
use std::sync::Arc;
use turnwise_network::metrics::distances;
use turnwise_network::topologies::{Dragonfly, Topology};
use turnwise_network::{Faults, Network, Port, RouterId, Routing, TerminalId, VcSet};
use turnwise_routing::algorithms::{IntraGroup, Valiant, Via};
use turnwise_routing::{Algorithm, Context};

#[test]
fn every_pair_arrives_in_as_many_hops_as_expected() {
    for case in cases::all() {
        let (routing, network) = (case.build(), &*case.network);
        let mut explorer = Explorer::new(&case.name, &*routing, network);
        for source in network.terminals() {
            let distance = distances(network, network.router_of(source));
            for destination in network.terminals() {
                let (low, high) = explorer.pair(source, destination).unwrap_or_else(|| {
                    panic!("{}: {source} to {destination} is not routed", case.name)
                });
                let shortest = distance[network.router_of(destination).index()];
                assert!(
                    low >= shortest && high <= case.longest,
                    "{}: {low}..{high}",
                    case.name
                );
                assert!(
                    !case.minimal || high == shortest,
                    "{}: {high} instead of {shortest}",
                    case.name
                );
            }
        }
    }
}

/// Inside a group, too, Valiant's packets go by another one, and do not stop at their destination when they come by on the way out.
#[test]
fn packets_that_go_by_another_group_leave_their_own() {
    let dragonfly = |groups: u32| Dragonfly {
        groups,
        routers_per_group: 2,
        terminals_per_router: 1,
        global_ports_per_router: Some(2),
        ..Dragonfly::default()
    };
    // Two links join each pair of groups, or one, of which another pair's is dead.
    for (groups, dead) in [(3, None), (5, Some([7, 9]))] {
        let mut network = dragonfly(groups).build(None).unwrap();
        if let Some([a, b]) = dead {
            let faults = Faults {
                links: vec![[a, b]],
                ..Faults::default()
            };
            network = network.without(&faults).unwrap();
        }
        let network = Arc::new(network);
        for via in [Via::Router, Via::Group] {
            let valiant = Valiant {
                via: Some(via),
                intra_group: IntraGroup::Valiant,
                ..Valiant::default()
            };
            let routing = valiant.build(&network, &Context::default()).unwrap();
            let mut explorer = Explorer::new("valiant", &*routing, &network);
            for source in (0..2).map(TerminalId) {
                let fewest = explorer.pair(source, TerminalId(1 - source.0)).unwrap().0;
                assert!(fewest >= 2, "{groups} groups, {via:?}: {fewest}");
            }
        }
    }
}

/// Every hop of every route of a pair, the last one excepted.
fn hops(
    routing: &dyn Routing,
    network: &Network,
    source: TerminalId,
    destination: TerminalId,
) -> BTreeSet<(RouterId, Port, VcSet)> {
    let start = routing.start(source, destination).unwrap();
    let mut todo = vec![(network.router_of(source), start.header)];
    let mut seen: BTreeSet<_> = todo.iter().copied().collect();
    let mut hops = BTreeSet::new();
    while let Some((at, header)) = todo.pop() {
        for hop in options(routing, at, header) {
            let Some(next) = network.next_router(at, hop.port) else {
                continue;
            };
            hops.insert((at, hop.port, hop.vcs));
            if seen.insert((next, hop.header)) {
                todo.push((next, hop.header));
            }
        }
    }
    hops
}

/// The engine asks `settled` first. On a healthy network it answers wherever there is but one thing to
/// do, except where a draw happens to have a single outcome: at a packet's first router, or where a
/// megafly's leaf draws a spine, and a spine a leaf.
#[test]
fn where_there_is_one_way_to_go_it_is_settled() {
    for case in cases::all() {
        let (routing, network) = (case.build(), &*case.network);
        let mut explorer = Explorer::new(&case.name, &*routing, network);
        let mut starts = BTreeSet::new();
        for (source, destination) in network
            .terminals()
            .flat_map(|a| network.terminals().map(move |b| (a, b)))
        {
            explorer.pair(source, destination);
            let start = routing.start(source, destination).unwrap();
            starts.insert((network.router_of(source), start.header));
        }
        for (at, header) in explorer.states() {
            let (options, settled) = (options(&*routing, at, header), routing.settled(at, header));
            let drawn = starts.contains(&(at, header)) || case.name.contains("megafly");
            match settled {
                Some(hop) => assert_eq!(options, [hop], "{} at {at}, {header:?}", case.name),
                None => assert!(
                    drawn || options.len() > 1,
                    "{} at {at}, {header:?}",
                    case.name
                ),
            }
        }
        let settled = |&(at, header): &_| routing.settled(at, header).is_some();
        let share = explorer.states().filter(settled).count() as f64;
        let share = share / explorer.states().count() as f64;
        // Who has all shortest ways to choose from has one way only in the last dimension.
        let least = if routing.asks_again() { 0.15 } else { 0.25 };
        assert!(share > least, "{}: only {share} is settled", case.name);
    }
}

/// Routes over each channel, from every terminal to every other.
fn loads(case: &Case) -> Vec<u32> {
    let (routing, network) = (case.build(), &*case.network);
    let mut loads = vec![0; network.channel_count()];
    for (source, destination) in network
        .terminals()
        .flat_map(|a| network.terminals().map(move |b| (a, b)))
    {
        for (at, port, _) in hops(&*routing, network, source, destination) {
            loads[network.out_channel(at, port).unwrap().index()] += 1;
        }
    }
    loads
}

#[test]
fn balanced_shortest_paths_spread_their_load() {
    let cases = cases::all();
    let most_loaded = |ties: &str, network: &Network| {
        let name = format!("shortest-path {ties} on {}", network.description());
        let case = cases.iter().find(|case| case.name == name).unwrap();
        loads(case).into_iter().max()
    };
    for network in cases::dragonflies()
        .iter()
        .chain(&cases::megaflies())
        .chain(&cases::trees())
    {
        assert!(most_loaded("Balanced", network) <= most_loaded("First", network));
    }
    // 12 routes a channel are the mean; `first` sends all of them over one spine.
    assert_eq!(most_loaded("First", &cases::trees()[1]), Some(48));
    assert_eq!(most_loaded("Balanced", &cases::trees()[1]), Some(16));
}
