//! No option leads onto what is dead, and pairs are routed exactly where the algorithm's rule can.
//!
//! What the rule can is not asked of the algorithm on the damaged network, but walked: all options of
//! the healthy network, as far as they survive. Whoever promises something else
//! ([`UnderFaults`]) is held to that.

use super::subjects::{Built, Subject};
use turnwise_network::metrics::distances;
use turnwise_network::{ChannelClass, Network, RouterId, TerminalId};
use turnwise_routing::UnderFaults;

pub(crate) fn check(subject: &Subject<'_>) -> Result<(), String> {
    let healthy = &subject.healthy;
    onto_the_living(healthy)?;
    for (pair, connected) in connected(&healthy.network) {
        if connected != healthy.graph.starts.contains_key(&pair) {
            return Err(format!(
                "{pair:?}: connected {connected}, nothing has failed"
            ));
        }
    }
    let promise = subject.algorithm.under_faults(healthy.network.shape());
    if promise == UnderFaults::Refused && !subject.damaged.is_empty() {
        return Err("faults are routed around, and were to be refused".to_owned());
    }
    for damaged in &subject.damaged {
        onto_the_living(damaged)?;
        exactly(healthy, damaged, promise)?;
    }
    Ok(())
}

/// Every pair, and whether both ends live and a way leads from one to the other.
fn connected(network: &Network) -> impl Iterator<Item = ((TerminalId, TerminalId), bool)> {
    let lives = |terminal| network.is_terminal_alive(terminal);
    network.terminals().flat_map(move |source| {
        let reached = distances(network, network.router_of(source));
        network.terminals().map(move |destination| {
            let distance = reached[network.router_of(destination).index()];
            let connected = lives(source) && lives(destination) && distance != u32::MAX;
            ((source, destination), connected)
        })
    })
}

fn onto_the_living(built: &Built) -> Result<(), String> {
    for state in &built.graph.states {
        for hop in &state.options {
            if built.network.out_channel(state.at, hop.port).is_none() {
                let (at, header) = (state.at, state.header);
                return Err(format!(
                    "{hop:?} at {at}, {header:?} leads onto a dead port"
                ));
            }
        }
    }
    Ok(())
}

fn exactly(healthy: &Built, damaged: &Built, promise: UnderFaults) -> Result<(), String> {
    let (network, graph) = (&damaged.network, &healthy.graph);
    let groups = (promise == UnderFaults::RoundInGroups).then(|| of_local_channels(network));
    let survives = graph.ending(|state, hop| {
        let round = |groups: &Vec<RouterId>| {
            let to = healthy.network.next_router(state.at, hop.port);
            to.is_some_and(|to| groups[state.at.index()] == groups[to.index()])
        };
        network.out_channel(state.at, hop.port).is_some() || groups.as_ref().is_some_and(round)
    });
    for (pair, connected) in connected(network) {
        let start = graph.starts.get(&pair).filter(|_| connected);
        let of_rule = start.is_some_and(|&(_, start)| survives[start]);
        let routed = damaged.graph.starts.contains_key(&pair);
        let as_promised = match promise {
            UnderFaults::SurvivingRoutes | UnderFaults::RoundInGroups => routed == of_rule,
            UnderFaults::FurtherRoutes => (!of_rule || routed) && (!routed || connected),
            UnderFaults::EveryRoute => routed == connected,
            UnderFaults::NewRules => !routed || connected,
            UnderFaults::Refused => false,
        };
        if !as_promised {
            return Err(format!(
                "{pair:?}: routed {routed}, a route of the rule survives {of_rule}, \
                 connected {connected}, promised {promise:?}"
            ));
        }
    }
    Ok(())
}

/// By router: which one stands for all that local channels join to it.
fn of_local_channels(network: &Network) -> Vec<RouterId> {
    let mut stands: Vec<RouterId> = network.routers().collect();
    loop {
        let before = stands.clone();
        for from in network.routers() {
            for near in network.neighbours(from) {
                if network.channel(near.channel).class == ChannelClass::Local {
                    let first = stands[from.index()].min(stands[near.router.index()]);
                    stands[from.index()] = first;
                }
            }
        }
        if stands == before {
            return stands;
        }
    }
}
