//! Each link failing alone, under every algorithm of the registry whose routes are tables, on the smaller topologies of the registry and on
//! random fabrics: what the tables become is proved by the verifier, which finds in them what was said of them.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::random_fabrics::fabric;
use crate::stack::plan;
use std::sync::Arc;
use turnwise_config::document::{Kind, Table, Value};
use turnwise_network::contract::forwards::Forwards;
use turnwise_network::tables::ForwardingTable;
use turnwise_network::topologies::REGISTRY as TOPOLOGIES;
use turnwise_network::{ChannelId, End, FlowControl, Network, Routing, Span};
use turnwise_routing::subnet::failures::{LinkFailure, MendedTables, each_failing_link, links};
use turnwise_routing::{Context, REGISTRY};
use turnwise_verify::analyse;

/// Links that are tried of a network, at most.
const LINKS: usize = 12;

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
    let nothing = Value::new(Span::default(), Kind::Table(Table::default()));
    let fitting = REGISTRY
        .iter()
        .filter(|entry| (entry.fits)(network.shape()));
    let built = fitting.filter_map(|entry| {
        let algorithm = (entry.parse)(&nothing, &mut Vec::new())?;
        let routing = algorithm.build(network, &Context::default()).ok()?;
        Some((entry.entry.name, routing))
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

/// Is what is said of mended tables so?
fn check(
    network: &Network,
    old: &ForwardingTable,
    failure: &LinkFailure,
    mended: &MendedTables,
    who: &str,
) {
    let mut new = old.clone();
    new.change(mended.entries.iter().copied()).unwrap();
    new.change_levels(mended.levels.iter().copied()).unwrap();
    let channels = [Some(failure.link), network.reverse(failure.link)];
    let ends = channels
        .into_iter()
        .flatten()
        .map(|channel| network.channel(channel).source);
    for end in ends {
        let End::Router(at, port) = end else {
            panic!("{who}: {end:?}")
        };
        let leads = |tables: &ForwardingTable| {
            let living = network.living_terminals();
            living
                .filter(|&to| tables.entry(at, to) == Some(port))
                .count()
        };
        assert_eq!(
            leads(&new),
            0,
            "{who}: {at} still sends packets over the link"
        );
    }
    let changed = network.routers().map(|at| {
        let [old, new] = [old, &new].map(|tables| tables.entries(at));
        old.iter().zip(new).filter(|(old, new)| old != new).count()
    });
    assert_eq!(changed.sum::<usize>(), mended.entries.len(), "{who}");
    assert!(mended.entries.len() >= failure.leading_over, "{who}");
    let [before, after] = [old, &new].map(|tables| analyse(network, tables, FlowControl::Wormhole));
    assert!(after.verdict.is_deadlock_free(), "{who}");
    assert_eq!(
        before.reachability.routable - after.reachability.routable,
        mended.cut_off,
        "{who}"
    );
    assert_eq!(
        after.quality.edge_forwarding_index, mended.edge_forwarding_index as f64,
        "{who}"
    );
}

#[test]
fn what_tables_become_is_as_it_is_said() {
    let (mut mended, mut refused, mut cut_off, mut levels) = (0, 0, 0, 0);
    for network in networks() {
        for (name, routing) in routings(&network) {
            let old = tables(&network, &*routing);
            let before = analyse(&network, &old, FlowControl::Wormhole);
            let all = links(&network);
            let some: Vec<ChannelId> = all
                .iter()
                .copied()
                .step_by(all.len().div_ceil(LINKS).max(1))
                .collect();
            let lanes = routing.virtual_channels();
            let told = each_failing_link(&network, &old, lanes, &some, &mut |failure| {
                let link = network.channel_label(failure.link);
                let who = format!("{name} on {} without {link}", network.description());
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
            let who = format!("{name} on {}", network.description());
            assert_eq!(
                told.is_ok(),
                before.verdict.is_deadlock_free(),
                "{who}: {told:?}"
            );
        }
    }
    println!("{mended} {refused} {cut_off} {levels}");
    assert!(
        mended > 1000 && refused > 0 && cut_off > 0 && levels > 0,
        "{mended}, {refused}, {cut_off}, {levels}"
    );
}

/// Nothing is left of a link that has failed and come back: each is as it is alone.
#[test]
fn links_fail_as_if_none_had_failed_before() {
    for network in (0..12).map(fabric) {
        for (name, routing) in routings(&network) {
            let old = tables(&network, &*routing);
            let lanes = routing.virtual_channels();
            let said = |links: &[ChannelId]| {
                let mut all = Vec::new();
                let told = each_failing_link(&network, &old, lanes, links, &mut |failure| {
                    all.push(format!("{failure:?}"));
                    true
                });
                told.is_ok().then_some(all)
            };
            let mut all = links(&network);
            let forwards = said(&all);
            all.reverse();
            let backwards = said(&all).map(|mut all| {
                all.reverse();
                all
            });
            assert_eq!(forwards, backwards, "{name} on {}", network.description());
        }
    }
}
