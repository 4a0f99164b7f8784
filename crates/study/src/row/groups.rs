//! Which columns a row has: those of all rows, and groups that only rows of some studies have.

use crate::specification::Specification;

/// Columns of a row after the swept fields, in order.
pub const COLUMNS: &[&str] = &[
    "offered_load",
    "injected_load",
    "accepted_load",
    "accepted_load_ci",
    "mean_packet_latency",
    "mean_packet_latency_ci",
    "mean_network_latency",
    "latency_p50",
    "latency_p99",
    "latency_p999",
    "latency_max",
    "mean_hops",
    "mean_routers",
    "nonminimal_share",
    "max_channel_utilisation",
    "fairness",
    "min_terminal_load",
    "max_terminal_load",
    "steady",
    "drift",
    "saturated",
    "deadlocked",
    "ending",
    "saturation_load",
    "saturation_load_ci",
    "undelivered_packets",
    "cycles",
    "flit_hops",
    "packets",
    "fingerprint",
    "seconds",
];

/// Columns after these, in rows of studies with a workload and in no others.
pub const WORKLOAD_COLUMNS: &[&str] = &[
    "makespan",
    "transactions",
    "mean_transaction_time",
    "transaction_time_p99",
];

/// Columns after these, in rows of studies whose traffic is cut into packets and in no others.
pub const MESSAGE_COLUMNS: &[&str] = &[
    "messages",
    "mean_message_latency",
    "message_latency_p50",
    "message_latency_p99",
    "message_latency_p999",
];

/// Columns after these, in rows of studies whose traffic switches and in no others.
pub const SWITCH_COLUMNS: &[&str] = &["settling_cycles", "settled_latency"];

/// Columns after these, in rows of studies that ask for herding and in no others.
pub const HERDING_COLUMNS: &[&str] = &["herding"];

/// Columns after these, in rows of studies of Ethernet and in no others.
pub const ETHERNET_COLUMNS: &[&str] = &[
    "pauses",
    "paused_share",
    "notifications",
    "absorbed_notifications",
    "heeded_notifications",
    "longest_queue_flits",
    "most_held_flits",
    "reordered_share",
    "resequencing_delay",
    "resequencing_flits",
    "mean_resequencing_flits",
];

/// Columns after all of these, in tables of studies that have several classes or jobs: what was measured of each, as
/// text of JSON.
pub const PART_COLUMNS: [&str; 2] = ["classes", "jobs"];

/// Groups of columns that a row may have after [`COLUMNS`], in this order.
pub(crate) const GROUPS: [&[&str]; 5] = [
    WORKLOAD_COLUMNS,
    MESSAGE_COLUMNS,
    SWITCH_COLUMNS,
    HERDING_COLUMNS,
    ETHERNET_COLUMNS,
];

/// All columns that rows may have, in their order, but for the verdict.
pub(crate) fn all_columns() -> impl Iterator<Item = &'static str> {
    let groups = GROUPS.iter().flat_map(|group| group.iter());
    COLUMNS.iter().chain(groups).copied()
}

/// Which of [`GROUPS`] a row has, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Further(pub(super) usize);

impl Further {
    /// What rows of a point have.
    pub(crate) fn of(specification: &Specification) -> Self {
        let groups = [
            (WORKLOAD_COLUMNS, specification.workload().is_some()),
            (MESSAGE_COLUMNS, specification.has_messages()),
            (SWITCH_COLUMNS, !specification.switches().is_empty()),
            (
                HERDING_COLUMNS,
                specification.simulation.herding_cycles.is_some(),
            ),
            (ETHERNET_COLUMNS, specification.ethernet.is_some()),
        ];
        let had = groups.into_iter().filter(|(_, is_had)| *is_had);
        had.fold(Self::default(), |further, (group, _)| further.with(group))
    }

    /// With a group more.
    pub(super) fn with(self, group: &'static [&'static str]) -> Self {
        let is_group = |known: &&[&str]| **known == *group;
        let number = GROUPS.iter().position(is_group);
        Self(number.map_or(self.0, |number| self.0 | 1 << number))
    }

    /// With all that others have.
    pub(crate) fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    pub(crate) fn columns(self) -> impl Iterator<Item = &'static &'static str> {
        let groups = GROUPS.iter().enumerate();
        groups
            .filter(move |(number, _)| self.0 >> number & 1 == 1)
            .flat_map(|(_, group)| group.iter())
    }
}
