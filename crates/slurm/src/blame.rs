//! Why a pair of nodes has no route: which repair would give it one.
//!
//! Each failed part is repaired in thought, alone, and the job routed again. What helps is to blame.

use super::site::{Recipe, Site};
use super::tables::{route, terminal_of};
use std::sync::Arc;
use turnwise_network::metrics::distances;
use turnwise_network::{RouterId, TerminalId};
use turnwise_study::finding::Finding;

/// Each repair costs one routing; those nearest to the pair come first.
const MOST_REPAIRS: usize = 24;

/// What may be to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Suspect {
    Node(u32),
    Link([u32; 2]),
    /// Nodes that are not the job's.
    Others,
}

/// One sentence on a job some of whose pairs are unroutable.
pub fn unroutable(site: &Site, members: &[u32], recipe: &Recipe, finding: &Finding) -> String {
    let network = &finding.routed.network;
    let routing = &finding.routed.routing;
    let (count, all) = (
        finding.unroutable_pairs(),
        finding.analysis.reachability.pairs,
    );
    let pairs = members
        .iter()
        .flat_map(|&from| members.iter().map(move |&to| (from, to)));
    let ends = |(from, to)| (terminal_of(network, from), terminal_of(network, to));
    let without = |&(from, to): &(u32, u32)| {
        let (source, destination) = ends((from, to));
        from != to && routing.start(source, destination).is_none()
    };
    let Some(pair) = pairs.into_iter().find(without) else {
        return format!("{count} of {all} pairs have no route");
    };
    let (from, to) = (site.hosts.label(pair.0), site.hosts.label(pair.1));
    let why = reason(site, members, recipe, pair);
    format!("no route from {from} to {to}: {why} ({count} of {all} pairs have none)")
}

fn reason(site: &Site, members: &[u32], recipe: &Recipe, pair: (u32, u32)) -> String {
    let suspects = suspects(site, members, pair);
    if suspects.is_empty() {
        return format!("`{}` has none, although nothing has failed", recipe.kind);
    }
    let name = |suspect: &Suspect| words(site, suspect);
    let guilty: Vec<String> = suspects
        .iter()
        .filter(|suspect| routes_without(site, members, recipe, pair, &[**suspect]))
        .map(name)
        .collect();
    match guilty.as_slice() {
        [] if routes_without(site, members, recipe, pair, &suspects) => {
            let all: Vec<String> = suspects.iter().map(name).collect();
            format!("{} together are in the way", all.join(", "))
        }
        [] => format!("`{}` has none, whatever is repaired", recipe.kind),
        [only] => format!("{only} is in the way"),
        several => format!("{} are in the way, each alone", several.join(", ")),
    }
}

/// What may be in the way, nearest to the pair first.
fn suspects(site: &Site, members: &[u32], (from, to): (u32, u32)) -> Vec<Suspect> {
    let (from, to) = (
        distances(&site.torus, RouterId(from)),
        distances(&site.torus, RouterId(to)),
    );
    let detour = |position: u32| from[position as usize] + to[position as usize];
    let nodes = site.failed_nodes.iter().copied();
    // Links between nodes that are not the job's are out of its reach anyway.
    let within = |node: &u32| site.transit || members.binary_search(node).is_ok();
    let links = site.failed_links.iter().copied();
    let links = links.filter(|link| link.iter().all(within));
    let mut suspects: Vec<Suspect> = nodes
        .map(Suspect::Node)
        .chain(links.map(Suspect::Link))
        .collect();
    suspects.sort_by_key(|suspect| match *suspect {
        Suspect::Node(node) => detour(node),
        Suspect::Link([a, b]) => detour(a).max(detour(b)),
        Suspect::Others => 0,
    });
    suspects.truncate(MOST_REPAIRS);
    if !site.transit && members.len() < site.hosts.occupied().count() {
        suspects.push(Suspect::Others);
    }
    suspects
}

/// Would the pair have a route if these were repaired?
fn routes_without(
    site: &Site,
    members: &[u32],
    recipe: &Recipe,
    pair: (u32, u32),
    repaired: &[Suspect],
) -> bool {
    let broken = |suspect: Suspect| !repaired.contains(&suspect);
    let (mut nodes, mut links) = (site.failed_nodes.clone(), site.failed_links.clone());
    nodes.retain(|&node| broken(Suspect::Node(node)));
    links.retain(|&link| broken(Suspect::Link(link)));
    // A failed node is none of the job's; if it were repaired, it would have been.
    let everywhere = site.transit || !broken(Suspect::Others);
    let passable = |node: u32| everywhere || !broken(Suspect::Node(node));
    let Ok(network) = site.network_with(members, &nodes, &links, passable) else {
        return false;
    };
    let network = Arc::new(network);
    let ends: (TerminalId, TerminalId) =
        (terminal_of(&network, pair.0), terminal_of(&network, pair.1));
    route(site, recipe, &network).is_ok_and(|routing| routing.start(ends.0, ends.1).is_some())
}

fn words(site: &Site, suspect: &Suspect) -> String {
    match *suspect {
        Suspect::Node(node) => format!("the failed node {}", site.hosts.label(node)),
        Suspect::Link([a, b]) => format!(
            "the failed link {} - {}",
            site.hosts.label(a),
            site.hosts.label(b)
        ),
        Suspect::Others => {
            "the rule against passing through other nodes (transit = false)".to_owned()
        }
    }
}
