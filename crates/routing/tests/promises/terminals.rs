//! Who does not distinguish the terminals of a router routes them alike, up to the last hop; and what they send, who does not tell them
//! apart as senders.

use super::subjects::{Built, Subject};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use turnwise_network::{Port, RouterId};

pub(crate) fn check(subject: &Subject<'_>) -> Result<(), String> {
    for built in subject.all() {
        senders_are_alike(built)?;
    }
    let silent = |built: &&Built| !built.routing.distinguishes_terminals();
    for built in subject.all().filter(silent) {
        let network = &built.network;
        let mut walk = Walk::new(built);
        // What the first pair of two routers does, or where it sets out as long as there is no other.
        let mut known = FxHashMap::default();
        for &((source, destination, class), ref ways) in &built.graph.ways {
            let routers = (
                network.router_of(source),
                network.router_of(destination),
                class,
            );
            if ways.is_empty() {
                continue;
            }
            let mut all = |ways: &[(_, usize)]| -> Vec<Hops> {
                ways.iter().map(|&(_, start)| walk.hops(start)).collect()
            };
            match known.entry(routers) {
                Entry::Vacant(first) => {
                    first.insert((ways, None));
                }
                Entry::Occupied(mut first) => {
                    let (first, hops) = first.get_mut();
                    if *hops.get_or_insert_with(|| all(first)) != all(ways) {
                        return Err(format!(
                            "{source} to {destination} goes other ways than its neighbours"
                        ));
                    }
                }
            }
        }
    }
    Ok(())
}

/// How packets set out, by the sender's router.
fn senders_are_alike(built: &Built) -> Result<(), String> {
    if built.routing.tells_senders_apart() {
        return Ok(());
    }
    let mut known = FxHashMap::default();
    for &((source, destination, class), ref ways) in &built.graph.ways {
        let dead = |terminal| !built.network.is_terminal_alive(terminal);
        if source == destination || dead(source) || dead(destination) {
            continue;
        }
        let sender = (built.network.router_of(source), destination, class);
        if known.entry(sender).or_insert(ways) != &ways {
            return Err(format!(
                "{source} sends to {destination} in other ways than its neighbours"
            ));
        }
    }
    Ok(())
}

/// Every hop of every route, the last one excepted, in ascending order.
type Hops = Vec<(RouterId, Port, u32)>;

struct Walk<'a> {
    built: &'a Built,
    /// By state: the walk that came by last.
    seen: Vec<u32>,
    walks: u32,
}

impl<'a> Walk<'a> {
    fn new(built: &'a Built) -> Self {
        Self {
            built,
            seen: vec![0; built.graph.states.len()],
            walks: 0,
        }
    }

    fn hops(&mut self, start: usize) -> Hops {
        self.walks += 1;
        let mut hops = Hops::new();
        let mut todo = vec![start];
        while let Some(index) = todo.pop() {
            if std::mem::replace(&mut self.seen[index], self.walks) == self.walks {
                continue;
            }
            let state = &self.built.graph.states[index];
            for (hop, next) in state.options.iter().zip(&state.next) {
                if let Some(next) = *next {
                    hops.push((state.at, hop.port, hop.vcs.0));
                    todo.push(next);
                }
            }
        }
        hops.sort_unstable();
        hops.dedup();
        hops
    }
}
