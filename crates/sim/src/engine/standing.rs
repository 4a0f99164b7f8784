//! How things stand between two stretches, in all domains together.

use super::domain::{Domain, Lost};
use serde::{Deserialize, Serialize};

/// What it depends on whether a run goes on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Standing {
    /// Does the caller want no more?
    pub(super) interrupted: bool,
    /// Recorded packets that have not arrived, and what is left to do in a run to completion.
    pub(super) outstanding: i64,
    pub(super) unsettled: i64,
    /// Will nothing happen by itself any more? Only asked in a run to completion.
    pub(super) is_at_rest: bool,
    /// The first packet for which the routing algorithm found no route.
    pub(super) lost: Option<Lost>,
    /// The last cycle in which a flit moved.
    pub(super) last_progress: u64,
    /// Packets inside the network.
    pub(super) packets: usize,
    /// The first cycle in which something is due; `None` if nothing is, and where there are packets.
    pub(super) next_due: Option<u64>,
}

impl Standing {
    /// Of the domains of this process.
    pub(super) fn of<const ONE_WORD: bool, const PLAIN: bool>(
        domains: &[Domain<'_, ONE_WORD, PLAIN>],
        to_completion: bool,
        interrupted: bool,
    ) -> Self {
        let each = domains.iter();
        let packets = each.clone().map(|domain| domain.state.packets.len()).sum();
        Self {
            interrupted,
            outstanding: each.clone().map(Domain::outstanding).sum(),
            unsettled: each.clone().map(Domain::unsettled).sum(),
            is_at_rest: to_completion && each.clone().all(Domain::is_at_rest),
            lost: each.clone().filter_map(|domain| domain.totals.lost).min(),
            last_progress: each
                .clone()
                .map(|domain| domain.totals.last_progress)
                .max()
                .unwrap_or(0),
            packets,
            next_due: match packets {
                0 => each.filter_map(Domain::next_due).min(),
                _ => None,
            },
        }
    }

    /// Of these and those of another process.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            interrupted: self.interrupted || other.interrupted,
            outstanding: self.outstanding + other.outstanding,
            unsettled: self.unsettled + other.unsettled,
            is_at_rest: self.is_at_rest && other.is_at_rest,
            lost: self.lost.into_iter().chain(other.lost).min(),
            last_progress: self.last_progress.max(other.last_progress),
            packets: self.packets + other.packets,
            next_due: self.next_due.into_iter().chain(other.next_due).min(),
        }
    }
}
