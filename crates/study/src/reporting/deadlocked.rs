//! What waited for what where a simulation deadlocked.

use super::details::ReadDetails;
use crate::details::Details;
use crate::plan::Plan;
use crate::proofs::Proofs;
use crate::row::{Row, figure};
use crate::store::StoreError;
use turnwise_network::Network;

/// Virtual channels that are named.
const MOST: usize = 8;

/// The virtual channels that waited for each other in the first run that deadlocked and has its details; the lowest load of those that
/// have one is the most telling, and comes first in most studies.
pub(super) fn waiting(
    plan: &Plan,
    rows: &[(usize, &Row)],
    proofs: &Proofs,
    read: ReadDetails<'_>,
) -> Result<Option<String>, StoreError> {
    for (point, row) in rows.iter().filter(|(_, row)| row.flag("deadlocked")) {
        let (Some(id), Some(network)) = (plan.id(*point), proofs.network(*point)) else {
            continue;
        };
        let kept = read(&id)?.unwrap_or_default();
        if !kept.deadlock.is_empty() {
            let routing = proofs.routing_name(*point).unwrap_or_default();
            return Ok(Some(sentence(row, &kept, network, routing)));
        }
    }
    Ok(None)
}

fn sentence(row: &Row, kept: &Details, network: &Network, routing: &str) -> String {
    let name = |at: &turnwise_sim::WaitingChannel| {
        format!("{} VC {}", network.channel_label(at.channel), at.vc)
    };
    let mut named: Vec<String> = kept.deadlock.iter().take(MOST).map(name).collect();
    match kept.deadlock.len().saturating_sub(MOST) {
        0 => {}
        more => named.push(format!("and {more} more")),
    }
    let load = row.figure("offered_load");
    let at = load.map_or(String::new(), |load| format!(" at load {}", figure(load)));
    format!(
        "Packets of {routing}{at} held these virtual channels, each waiting for the next, and the last for the first: {}.",
        named.join("; ")
    )
}
