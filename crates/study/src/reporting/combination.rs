//! What was found out about each network and routing, as the report's values.

use super::picture::of_routes;
use crate::finding::Finding;
use crate::proofs::{Proofs, Unproved};
use turnwise_network::Network;
use turnwise_report::{Combination, Facts, Quality, Verdict};
use turnwise_verify::Verdict as Proof;

/// One for each network and routing, in the order of the study.
pub(super) fn combinations(proofs: &Proofs) -> Vec<Combination> {
    let found = proofs.findings.iter().map(combination);
    found.chain(proofs.unproved.iter().map(left_out)).collect()
}

fn combination(finding: &Finding) -> Combination {
    let network = &finding.routed.network;
    let quality = &finding.analysis.quality;
    let verdict = match (&finding.analysis.verdict, finding.unroutable_pairs()) {
        (Proof::Cyclic(cycle), _) => Verdict::Cyclic {
            cycle: cycle.render(network),
        },
        (_, pairs) if pairs > 0 => Verdict::Unreachable {
            pairs,
            examples: finding.unroutable_examples(),
        },
        (Proof::DeadlockFree(proof), _) => Verdict::DeadlockFree {
            vertices: proof.used_vertices as u64,
            dependencies: proof.dependencies.len() as u64,
        },
        (Proof::Unexplored(_), _) => Verdict::NotVerified,
    };
    let mut notes = vec![format!("Flow control: {}.", finding.flow_control.name())];
    notes.extend(finding.about_escape());
    notes.extend(finding.about_messages());
    if let Proof::Unexplored(given_up) = &finding.analysis.verdict {
        notes.push(format!(
            "Packets to terminal {} have more than {} states, too many to be explored.",
            given_up.destination, given_up.limit
        ));
    }
    let pairs = |share: f64| (share * quality.routable_pairs as f64).round() as u64;
    let lengths = quality.length_shares.iter().enumerate();
    let bound = finding.lower_bound();
    Combination {
        network: finding.network_name.clone(),
        network_description: String::new(),
        routing: finding.routing_name.clone(),
        facts: facts(network, Some(quality.diameter)),
        verdict,
        notes,
        quality: Some(Quality {
            edge_forwarding_index: quality.edge_forwarding_index,
            weighs_speeds: !network.has_one_speed(),
            lower_bound: bound.unwrap_or(f64::NAN),
            lower_bound_source: bound.map_or_else(String::new, |_| finding.bound.words()),
            mean_load: quality.mean_load,
            min_load: quality.min_load,
            deviation: quality.deviation,
            path_lengths: lengths
                .map(|(hops, &share)| (hops as u32, pairs(share)))
                .collect(),
            channel_loads: quality.loads.clone(),
        }),
        picture: Some(of_routes(finding)),
    }
}

/// What can be said of a network and routing that was too large to be proved.
fn left_out(unproved: &Unproved) -> Combination {
    Combination {
        network: unproved.network_name.clone(),
        routing: unproved.routing_name.clone(),
        facts: facts(&unproved.network, None),
        verdict: Verdict::NotVerified,
        notes: vec![
            format!("Flow control: {}.", unproved.flow_control.name()),
            format!(
                "Too large to be proved by the way. To prove it: {}",
                unproved.command
            ),
        ],
        ..Combination::default()
    }
}

fn facts(network: &Network, longest_route: Option<u32>) -> Facts {
    Facts {
        routers: network.router_count() as u64,
        terminals: network.terminal_count() as u64,
        channels: network.channel_count() as u64,
        longest_route,
    }
}
