//! The ways around faults that Valiant takes only there: exactly those, no more and no fewer.
//!
//! What all algorithms promise on networks with faults is in `promises`.

use crate::cases::{self, Case};
use crate::explore::{Explorer, options};
use std::collections::BTreeSet;
use std::sync::Arc;
use turnwise_network::topologies::{Dragonfly, Topology};
use turnwise_network::{ChannelClass, Faults, Network, RouterId, Routing, Shape, TerminalId};
use turnwise_routing::algorithms::{IntraGroup, Minimal, Par, Valiant};
use turnwise_routing::{Algorithm, Context};

/// Does a route of the healthy network survive for this pair, if packets go round as well?
fn survives(
    (healthy, healthy_network): (&dyn Routing, &Network),
    (survivor, round): (&Network, &dyn Fn(RouterId, RouterId) -> bool),
    source: TerminalId,
    destination: TerminalId,
) -> bool {
    if !survivor.is_terminal_alive(source) || !survivor.is_terminal_alive(destination) {
        return false;
    }
    let Some(start) = healthy.start(source, destination) else {
        return false;
    };
    let mut todo = vec![(survivor.router_of(source), start.header)];
    let mut seen: BTreeSet<_> = todo.iter().copied().collect();
    while let Some((at, header)) = todo.pop() {
        for hop in options(healthy, at, header) {
            let Some(next) = healthy_network.next_router(at, hop.port) else {
                return true;
            };
            let lives = survivor.out_channel(at, hop.port).is_some();
            if (lives || round(at, next)) && seen.insert((next, hop.header)) {
                todo.push((next, hop.header));
            }
        }
    }
    false
}

/// By router: a number that it shares with those that local channels join it to.
fn groups(network: &Network) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..network.router_count()).collect();
    loop {
        let before = numbers.clone();
        for at in network.routers() {
            for near in network.neighbours(at) {
                if network.channel(near.channel).class == ChannelClass::Local {
                    numbers[at.index()] = numbers[at.index()].min(numbers[near.router.index()]);
                }
            }
        }
        if numbers == before {
            return numbers;
        }
    }
}

fn check(case: &Case, faults: &Faults) -> usize {
    let healthy = case.build();
    let survivor = Arc::new(case.network.without(faults).unwrap());
    let routing = case.algorithm.build(&survivor, &case.context).unwrap();
    let context = Context::default();
    let minimal = Minimal::default().build(&case.network, &context);
    let mut ways = vec![healthy, minimal.unwrap()];
    if case.name.contains("true on") {
        let intra_group = match case.name.contains("Group Valiant") {
            true => IntraGroup::Valiant,
            false => IntraGroup::Minimal,
        };
        let plain = Valiant {
            intra_group,
            ..Valiant::default()
        };
        ways.push(plain.build(&case.network, &context).unwrap());
    }
    let groups = groups(&survivor);
    let is_dragonfly = matches!(survivor.shape(), Shape::Dragonfly(_));
    let round =
        |from: RouterId, to: RouterId| is_dragonfly && groups[from.index()] == groups[to.index()];
    let mut explorer = Explorer::new(&case.name, &*routing, &survivor);
    let mut lost = 0;
    for source in survivor.terminals() {
        for destination in survivor.terminals() {
            let arrives = explorer.pair(source, destination).is_some();
            let expected = ways.iter().any(|way| {
                let healthy = (&**way, &*case.network);
                survives(healthy, (&survivor, &round), source, destination)
            });
            assert_eq!(
                arrives, expected,
                "{}, {faults:?}: {source} to {destination}",
                case.name
            );
            lost += usize::from(!arrives);
        }
    }
    lost
}

/// Packets go minimally if no detour survives, and by a leaf if no shortcut does.
fn knows_further_ways(case: &Case) -> bool {
    let groups = matches!(
        case.network.shape(),
        Shape::Dragonfly(_) | Shape::Megafly(_)
    );
    case.name.starts_with("valiant") && groups
}

#[test]
fn exactly_the_pairs_with_a_surviving_route_are_routed_and_arrive() {
    let mut lost = 0;
    for case in cases::all().into_iter().filter(knows_further_ways) {
        for seed in 0..4 {
            let links = (case.network.channel_count() as u32 / 20)
                .max(1)
                .min(case.network.channel_count() as u32 / 2);
            let faults = Faults {
                random_links: links.into(),
                random_routers: ((seed % 2) as u32).into(),
                terminals: vec![seed as u32],
                seed,
                ..Faults::default()
            };
            // A router that dies may take links along that random faults would need.
            if case.network.without(&faults).is_ok() {
                lost += check(&case, &faults);
            }
        }
    }
    assert!(
        lost > 1000,
        "only {lost} pairs lost their route, the faults are too mild to test anything"
    );
}

#[test]
fn wrecked_networks_are_routed_too() {
    for case in cases::all().into_iter().filter(knows_further_ways) {
        let faults = Faults {
            random_links: (case.network.channel_count() as u32 / 4).into(),
            seed: 5,
            ..Faults::default()
        };
        check(&case, &faults);
    }
}

/// 9 groups of 4 routers, the first two of which have lost their channel to each other in each of these groups.
fn without_a_local_channel(groups: &[u32], global_ports_per_router: u32) -> Arc<Network> {
    let dragonfly = Dragonfly {
        global_ports_per_router: Some(global_ports_per_router),
        ..Dragonfly::default()
    };
    let faults = Faults {
        links: groups
            .iter()
            .map(|group| [4 * group, 4 * group + 1])
            .collect(),
        ..Faults::default()
    };
    Arc::new(dragonfly.build(None).unwrap().without(&faults).unwrap())
}

/// Router 0 has lost its channel to router 1, which owns the link to group 3; and, with twice the ports, one of the two to group 5, the
/// other being router 3's.
#[test]
fn packets_go_round_only_if_no_link_spares_them_that() {
    let first_hops = |ports, group: u32| {
        let network = without_a_local_channel(&[0], ports);
        let routing = Minimal::default()
            .build(&network, &Context::default())
            .unwrap();
        let start = routing.start(TerminalId(0), TerminalId(8 * group)).unwrap();
        let first = options(&*routing, RouterId(0), start.header);
        let next = network.next_router(RouterId(0), first[0].port).unwrap();
        let second = options(&*routing, next, first[0].header);
        assert_eq!((first.len(), second.len()), (1, 1));
        let after = network.next_router(next, second[0].port).unwrap();
        (next, after, first[0].vcs == second[0].vcs)
    };
    let (_, after, same_class) = first_hops(2, 3);
    assert!(after == RouterId(1) && same_class);
    let (next, after, _) = first_hops(4, 5);
    assert!(next == RouterId(3) && after.0 / 4 == 5);
}

/// Who goes round to the owner of the minimal link decides again there, and not on the way.
#[test]
fn progressive_packets_decide_again_where_they_would_have() {
    let network = without_a_local_channel(&[0], 2);
    let routing = Par::default().build(&network, &Context::default()).unwrap();
    let start = routing.start(TerminalId(0), TerminalId(3 * 8)).unwrap();
    let first = options(&*routing, RouterId(0), start.header)[0];
    let middle = network.next_router(RouterId(0), first.port).unwrap();
    let second = routing.settled(middle, first.header).unwrap();
    assert_eq!((second.header, second.vcs), (first.header, first.vcs));
    assert_eq!(network.next_router(middle, second.port), Some(RouterId(1)));
    assert!(options(&*routing, RouterId(1), second.header).len() > 1);
}
