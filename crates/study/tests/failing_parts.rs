//! Each link and each router failing alone, under every algorithm of the registry whose routes are tables, on the smaller topologies of
//! the registry and on random fabrics: what the tables become is proved by the verifier, which finds in them what was said of them.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::random_fabrics::{algorithms, fabric};
use crate::stack::plan;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use turnwise_network::contract::forwards::Forwards;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::tables::ForwardingTable;
use turnwise_network::topologies::REGISTRY as TOPOLOGIES;
use turnwise_network::{
    ChannelId, End, Faults, FlowControl, Network, RouterId, Routing, TerminalId, Vc,
};
use turnwise_routing::algorithms::Turnwise;
use turnwise_routing::subnet::failures::{Failure, MendedTables, Part, parts};
use turnwise_routing::{Algorithm, Context};
use turnwise_study::failures::each_failing;
use turnwise_verify::analyse;

/// Parts that are tried of a network, at most.
const PARTS: usize = 20;

fn networks() -> Vec<Arc<Network>> {
    let of_registry = TOPOLOGIES
        .iter()
        .filter(|entry| !entry.example.contains("file"));
    let built = of_registry.map(|entry| {
        let plan = plan(&format!(
            "[network]\nkind = '{}'\n{}\n[routing]\nkind = 'min-hop'\n[traffic]\npattern = 'uniform'\nload = 0.1\n",
            entry.name, entry.example
        ));
        let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
        experiment.routed.network.clone()
    });
    let small = built.filter(|network| network.terminal_count() <= 140);
    small.chain((0..40).map(fabric)).collect()
}

/// The routings of a network that are tables, of all algorithms that need no file, with their names.
fn routings(network: &Arc<Network>) -> Vec<(&'static str, Box<dyn Routing>)> {
    let all = algorithms(network.shape()).into_iter();
    let built = all.filter_map(|(name, algorithm)| {
        let routing = algorithm.build(network, &Context::default()).ok()?;
        Some((name, routing))
    });
    built
        .filter(|(_, routing)| routing.forwards().is_some())
        .collect()
}

/// Tables whose service levels have the lanes of their numbers.
fn tables(network: &Arc<Network>, routing: &dyn Routing) -> ForwardingTable {
    let tables = routing.forwards().unwrap();
    let lanes = routing.virtual_channels();
    let table = ForwardingTable::of(network, tables, tables).unwrap();
    table.with_lanes(lanes, |level| level % lanes).unwrap()
}

/// By pair, but for those of a router's terminals: does the one get to the other?
fn routable(network: &Network, tables: &ForwardingTable, router: Option<RouterId>) -> Vec<bool> {
    let gets_there = |from: TerminalId, to: TerminalId| {
        let mut at = network.router_of(from);
        for _ in network.routers() {
            let Some(port) = tables.entry(at, to) else {
                return false;
            };
            match network.next_router(at, port) {
                Some(next) => at = next,
                None => return (at, port) == (network.router_of(to), network.terminal_port(to)),
            }
        }
        false
    };
    let others = || {
        let living = network.living_terminals();
        living.filter(move |&terminal| Some(network.router_of(terminal)) != router)
    };
    let to_each = others().flat_map(|to| {
        let from = others().filter(move |&from| from != to);
        from.map(move |from| gets_there(from, to))
    });
    to_each.collect()
}

/// Terminals of networks on which the packets of two tables are followed at once, at most.
const MIXED: usize = 40;

/// Can packets that go by either of two tables wait for each other in a circle, where nobody waits for channels that have failed?
fn can_deadlock(network: &Network, tables: [&ForwardingTable; 2], dead: &[ChannelId]) -> bool {
    let lanes = tables[0].virtual_channels();
    let mut waits: BTreeMap<(ChannelId, Vc), BTreeSet<(ChannelId, Vc)>> = BTreeMap::new();
    let pairs = network.living_terminals().flat_map(|from| {
        let others = network.living_terminals().filter(move |&to| to != from);
        others.map(move |to| (from, to))
    });
    for ((from, to), tables) in pairs.flat_map(|pair| tables.map(|tables| (pair, tables))) {
        let lane = tables.service_level(from, to) as Vc % lanes;
        let (mut at, mut before) = (network.router_of(from), None);
        for _ in network.routers() {
            let port = tables.entry(at, to);
            let next = |port| network.neighbours(at).find(|next| next.port == port);
            let Some(next) = port.and_then(next) else {
                break;
            };
            let held = before.filter(|channel| !dead.contains(channel));
            if let Some(held) = held
                && !dead.contains(&next.channel)
            {
                waits
                    .entry((held, lane))
                    .or_default()
                    .insert((next.channel, lane));
            }
            (at, before) = (next.router, Some(next.channel));
        }
    }
    // Who waits for nobody is taken away until nobody is left, or all that are wait in circles.
    loop {
        let before = waits.len();
        let waiting: BTreeSet<_> = waits.keys().copied().collect();
        waits.retain(|_, for_whom| for_whom.iter().any(|whom| waiting.contains(whom)));
        match waits.len() {
            0 => return false,
            left if left == before => return true,
            _ => {}
        }
    }
}

/// Is what is said of mended tables so?
fn check(
    network: &Network,
    old: &ForwardingTable,
    failure: &Failure,
    mended: &MendedTables,
    who: &str,
) {
    let mut new = old.clone();
    new.change(mended.entries.iter().copied()).unwrap();
    new.change_levels(mended.levels.iter().copied()).unwrap();
    let (dead, router): (Vec<ChannelId>, _) = match failure.part {
        Part::Link(link) => (
            [Some(link), network.reverse(link)]
                .into_iter()
                .flatten()
                .collect(),
            None,
        ),
        Part::Router(at) => {
            let channels = network.channels().map(|(id, _)| id);
            let into = channels.filter(|&id| network.ends(id).is_some_and(|(_, to)| to == at));
            (into.collect(), Some(at))
        }
    };
    for &channel in &dead {
        let End::Router(at, port) = network.channel(channel).source else {
            panic!("{who}")
        };
        let living = network.living_terminals();
        let mut others = living.filter(|&to| Some(network.router_of(to)) != router);
        assert!(
            others.all(|to| new.entry(at, to) != Some(port)),
            "{who}: {at} still sends packets that way"
        );
    }
    if network.terminal_count() <= MIXED {
        assert!(
            !can_deadlock(network, [old, &new], &dead),
            "{who}: beside old packets"
        );
    }
    let changed = network.routers().map(|at| {
        let [old, new] = [old, &new].map(|tables| tables.entries(at));
        old.iter().zip(new).filter(|(old, new)| old != new).count()
    });
    assert_eq!(changed.sum::<usize>(), mended.entries.len(), "{who}");
    assert!(mended.entries.len() >= failure.leading_over, "{who}");
    // What is left of the network, and the new tables on it.
    let faults = Faults {
        routers: router.iter().map(|at| at.0).collect(),
        ..Faults::default()
    };
    let left = Arc::new(network.without(&faults).unwrap());
    let lanes = new.virtual_channels();
    let new = ForwardingTable::of(&left, &new, &new).unwrap();
    let new = new.with_lanes(lanes, |level| level % lanes).unwrap();
    let after = analyse(&left, &new, FlowControl::Wormhole);
    assert!(after.verdict.is_deadlock_free(), "{who}");
    let (before, now) = (
        routable(network, old, router),
        routable(&left, &new, router),
    );
    let count = now.iter().filter(|&&gets_there| gets_there).count();
    assert_eq!(count as u64, after.reachability.routable, "{who}");
    let cut_off = before
        .iter()
        .zip(&now)
        .filter(|&(&before, &now)| before && !now);
    assert_eq!(cut_off.count() as u64, mended.cut_off, "{who}");
    // The fastest channel of the whole network counts, also where it has failed.
    let fastest = |network: &Network| {
        let intervals = network.channels().map(|(_, channel)| channel.interval);
        f64::from(intervals.min().unwrap_or(1))
    };
    let index = after.quality.edge_forwarding_index * fastest(&left) / fastest(network);
    assert_eq!(index, mended.edge_forwarding_index, "{who}");
}

#[test]
fn what_tables_become_is_as_it_is_said() {
    let [mut mended, mut refused, mut cut_off, mut levels] = [0; 4];
    for network in networks() {
        for (name, routing) in routings(&network) {
            let old = tables(&network, &*routing);
            let all = parts(&network);
            let some = all
                .iter()
                .copied()
                .step_by(all.len().div_ceil(PARTS).max(1));
            let some: Vec<Part> = some.collect();
            let lanes = routing.virtual_channels();
            let told = each_failing((&network, &old), lanes, &some, 1, &mut |failure| {
                let who = format!(
                    "{name} on {} without {:?}",
                    network.description(),
                    failure.part
                );
                match &failure.mended {
                    Ok(tables) => {
                        check(&network, &old, &failure, tables, &who);
                        mended += 1;
                        cut_off += u32::from(tables.cut_off > 0);
                        levels += u32::from(!tables.levels.is_empty());
                    }
                    Err(_) => refused += 1,
                }
                true
            });
            // What can deadlock as it is cannot be mended.
            let before = analyse(&network, &old, FlowControl::Wormhole);
            let who = format!("{name} on {}", network.description());
            assert_eq!(
                told.is_ok(),
                before.verdict.is_deadlock_free(),
                "{who}: {told:?}"
            );
        }
    }
    let all = format!(
        "{mended} mended, {refused} not, {cut_off} with pairs cut off, {levels} with other levels"
    );
    assert!(
        mended > 1000 && refused > 0 && cut_off > 0 && levels > 0,
        "{all}"
    );
}

/// Switches that have no entry for some destinations lose pairs, whatever fails, and stand in nobody's way.
#[test]
fn tables_with_holes_are_mended_around_them() {
    let mut mended = 0;
    for (number, network) in networks().into_iter().enumerate() {
        for (name, routing) in routings(&network) {
            let mut old = tables(&network, &*routing);
            let mut rng = Random::new(number as u64, Purpose::Other, 0, 0);
            let all = network.routers().flat_map(|at| {
                let terminals = network.living_terminals();
                terminals.map(move |to| (at, to, None))
            });
            let holes: Vec<_> = all.filter(|_| rng.below(12) == 0).collect();
            old.change(holes).unwrap();
            let all = parts(&network);
            let some = all.iter().copied().step_by(all.len().div_ceil(6).max(1));
            let some: Vec<Part> = some.collect();
            let lanes = routing.virtual_channels();
            // What can deadlock as it is is refused.
            let _ = each_failing((&network, &old), lanes, &some, 1, &mut |failure| {
                let who = format!(
                    "{name} with holes on {} without {:?}",
                    network.description(),
                    failure.part
                );
                if let Ok(tables) = &failure.mended {
                    check(&network, &old, &failure, tables, &who);
                    mended += 1;
                }
                true
            });
        }
    }
    assert!(mended > 300, "{mended}");
}

/// On one lane ways for all are not found at once: a destination that comes first may take what another one needs, and on a ring somebody has
/// to go the long way.
#[test]
fn what_one_lane_has_ways_for_is_mended() {
    let networks = [
        "kind = 'mesh'\nsizes = [2, 3]",
        "kind = 'random-regular'\nrouters = 8\ndegree = 3",
        "kind = 'random-regular'\nrouters = 12\ndegree = 3",
    ];
    for network in networks {
        let plan = plan(&format!(
            "[network]\n{network}\n[routing]\nkind = 'turnwise'\nvirtual_lanes = 1\n[traffic]\npattern = 'uniform'\nload = 0.1\n"
        ));
        let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
        let routed = &experiment.routed;
        let old = tables(&routed.network, &*routed.routing);
        let all = parts(&routed.network);
        let mut count = 0;
        each_failing((&routed.network, &old), 1, &all, 1, &mut |failure| {
            let who = format!("{network} without {:?}", failure.part);
            let mended = failure.mended.as_ref();
            check(&routed.network, &old, &failure, mended.expect(&who), &who);
            count += 1;
            true
        })
        .unwrap();
        assert_eq!(count, all.len());
    }
}

/// Nothing is left of what has failed and come back, and threads tell nothing of how they shared the work: each is as it is alone. On one lane much is
/// tried, some of it in vain.
#[test]
fn parts_fail_as_if_none_had_failed_before() {
    let mut refused = 0;
    for network in (0..12).map(fabric) {
        let one_lane = Turnwise {
            virtual_lanes: Some(1),
            ..Turnwise::default()
        };
        let one_lane = one_lane.build(&network, &Context::default()).unwrap();
        let all = routings(&network).into_iter();
        for (name, routing) in all.chain([("turnwise on one lane", one_lane)]) {
            let old = tables(&network, &*routing);
            let mut said = |parts: &[Part], threads: usize| {
                let mut all = Vec::new();
                let lanes = routing.virtual_channels();
                let told = each_failing((&network, &old), lanes, parts, threads, &mut |failure| {
                    refused += u32::from(failure.mended.is_err());
                    all.push(format!("{failure:?}"));
                    true
                });
                told.is_ok().then_some(all)
            };
            let who = format!("{name} on {}", network.description());
            let mut all = parts(&network);
            let forwards = said(&all, 1);
            assert_eq!(said(&all, 3), forwards, "{who}");
            all.reverse();
            let mut backwards = said(&all, 1);
            backwards.iter_mut().for_each(|said| said.reverse());
            assert_eq!(backwards, forwards, "{who}");
        }
    }
    assert!(refused > 0);
}

/// Who has heard enough is told no more.
#[test]
fn no_more_is_told_than_is_wanted() {
    let network = fabric(5);
    let mut safe = routings(&network)
        .into_iter()
        .map(|(_, routing)| (tables(&network, &*routing), routing));
    let (old, routing) = safe
        .find(|(old, _)| {
            analyse(&network, old, FlowControl::Wormhole)
                .verdict
                .is_deadlock_free()
        })
        .unwrap();
    let (mut told, lanes) = (0, routing.virtual_channels());
    each_failing((&network, &old), lanes, &parts(&network), 2, &mut |_| {
        told += 1;
        told < 3
    })
    .unwrap();
    assert_eq!(told, 3);
}
