//! The ways around faults that Valiant takes only there: exactly those, no more and no fewer.
//!
//! What all algorithms promise on networks with faults is in `promises`.

use crate::cases::{self, Case};
use crate::explore::{Explorer, options};
use std::collections::BTreeSet;
use std::sync::Arc;
use turnwise_network::{Faults, Network, Routing, Shape, TerminalId};
use turnwise_routing::algorithms::{IntraGroup, Minimal, Valiant};
use turnwise_routing::{Algorithm, Context};

/// Does a route of the healthy network survive for this pair?
fn survives(
    healthy: &dyn Routing,
    survivor: &Network,
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
            let Some(channel) = survivor.out_channel(at, hop.port) else {
                continue;
            };
            let Some(next) = survivor.channel(channel).to_router() else {
                return true;
            };
            if seen.insert((next, hop.header)) {
                todo.push((next, hop.header));
            }
        }
    }
    false
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
    let mut explorer = Explorer::new(&case.name, &*routing, &survivor);
    let mut lost = 0;
    for source in survivor.terminals() {
        for destination in survivor.terminals() {
            let arrives = explorer.pair(source, destination).is_some();
            let expected = ways
                .iter()
                .any(|way| survives(&**way, &survivor, source, destination));
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
