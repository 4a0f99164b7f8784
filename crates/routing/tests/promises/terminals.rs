//! Who does not distinguish the terminals of a router routes them alike, up to the last hop.

use super::subjects::{Built, Subject};
use std::collections::{BTreeMap, BTreeSet};
use turnwise_network::{Port, RouterId};

pub(crate) fn check(subject: &Subject<'_>) -> Result<(), String> {
    let silent = |built: &&Built| !built.routing.distinguishes_terminals();
    for built in subject.all().filter(silent) {
        let network = &built.network;
        let mut known = BTreeMap::new();
        for &((source, destination, class), ref ways) in &built.graph.ways {
            let routers = (
                network.router_of(source),
                network.router_of(destination),
                class,
            );
            if ways.is_empty() {
                continue;
            }
            let hops: Vec<_> = ways.iter().map(|&(_, start)| hops(built, start)).collect();
            let first = known.entry(routers).or_insert_with(|| hops.clone());
            if *first != hops {
                return Err(format!(
                    "{source} to {destination} goes other ways than its neighbours"
                ));
            }
        }
    }
    Ok(())
}

/// Every hop of every route, the last one excepted.
fn hops(built: &Built, start: usize) -> BTreeSet<(RouterId, Port, u32)> {
    let mut todo = vec![start];
    let mut seen = BTreeSet::from([start]);
    let mut hops = BTreeSet::new();
    while let Some(index) = todo.pop() {
        let state = &built.graph.states[index];
        for (hop, next) in state.options.iter().zip(&state.next) {
            let Some(next) = *next else { continue };
            hops.insert((state.at, hop.port, hop.vcs.0));
            if seen.insert(next) {
                todo.push(next);
            }
        }
    }
    hops
}
