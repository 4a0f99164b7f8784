//! What the columns of results hold: type, unit and meaning, for programs that read tables and for people.
//!
//! [`COLUMNS`](crate::row::COLUMNS) says which a row has; here is what each of them is.

/// The type of what a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Yes or no.
    Flag,
    /// A whole number, not negative.
    Count,
    /// A number.
    Figure,
    /// A word.
    Word,
}

impl Kind {
    /// What it is called in the schema of columns.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flag => "truth value",
            Self::Count => "whole number",
            Self::Figure => "number",
            Self::Word => "text",
        }
    }
}

/// What is known of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// Its name.
    pub name: &'static str,
    /// The type of what it holds.
    pub kind: Kind,
    /// The unit of what it holds; 1 for shares and mere numbers, empty for words.
    pub unit: &'static str,
    /// One line, without a full stop.
    pub meaning: &'static str,
}

/// A column, and the one it is worked out from.
pub type Derived = (&'static str, &'static str);

/// Times in ns, of rows, of their classes and of their jobs.
pub const TIMES: &[Derived] = &[
    ("mean_packet_latency_ns", "mean_packet_latency"),
    ("mean_packet_latency_ci_ns", "mean_packet_latency_ci"),
    ("mean_network_latency_ns", "mean_network_latency"),
    ("latency_p50_ns", "latency_p50"),
    ("latency_p99_ns", "latency_p99"),
    ("latency_p999_ns", "latency_p999"),
    ("latency_max_ns", "latency_max"),
    ("simulated_ns", "cycles"),
    ("makespan_ns", "makespan"),
    ("mean_transaction_time_ns", "mean_transaction_time"),
    ("transaction_time_p99_ns", "transaction_time_p99"),
    ("mean_message_latency_ns", "mean_message_latency"),
    ("message_latency_p50_ns", "message_latency_p50"),
    ("message_latency_p99_ns", "message_latency_p99"),
    ("message_latency_p999_ns", "message_latency_p999"),
    ("settling_ns", "settling_cycles"),
    ("settled_latency_ns", "settled_latency"),
    ("resequencing_delay_ns", "resequencing_delay"),
];

/// Data rates per terminal in Gb/s, of rows and of their classes.
pub const RATES: &[Derived] = &[
    ("offered_gbps", "offered_load"),
    ("injected_gbps", "injected_load"),
    ("accepted_gbps", "accepted_load"),
    ("accepted_ci_gbps", "accepted_load_ci"),
    ("min_terminal_gbps", "min_terminal_load"),
    ("max_terminal_gbps", "max_terminal_load"),
    ("saturation_gbps", "saturation_load"),
    ("saturation_ci_gbps", "saturation_load_ci"),
];

/// What loads are counted in, asked for and found.
pub(crate) const LOAD: &str = "flits per terminal and cycle";

const fn flag(name: &'static str, meaning: &'static str) -> About {
    About {
        name,
        kind: Kind::Flag,
        unit: "",
        meaning,
    }
}

const fn word(name: &'static str, meaning: &'static str) -> About {
    About {
        name,
        kind: Kind::Word,
        unit: "",
        meaning,
    }
}

const fn count(name: &'static str, unit: &'static str, meaning: &'static str) -> About {
    About {
        name,
        kind: Kind::Count,
        unit,
        meaning,
    }
}

const fn figure(name: &'static str, unit: &'static str, meaning: &'static str) -> About {
    About {
        name,
        kind: Kind::Figure,
        unit,
        meaning,
    }
}

/// Every column that is not worked out from another one.
pub const MEASURED: &[About] = &[
    figure("offered_load", LOAD, "what the study asks for"),
    figure(
        "injected_load",
        LOAD,
        "packets created in the measurement window",
    ),
    figure(
        "accepted_load",
        LOAD,
        "packets delivered in the measurement window",
    ),
    figure(
        "accepted_load_ci",
        LOAD,
        "half the width of the 95 % confidence interval, by batch means; none where a run is measured from beginning to end",
    ),
    figure(
        "mean_packet_latency",
        "cycles",
        "from a packet's creation to its tail's arrival",
    ),
    figure(
        "mean_packet_latency_ci",
        "cycles",
        "half the width of the 95 % confidence interval, by batch means; none where a run is measured from beginning to end",
    ),
    figure(
        "mean_network_latency",
        "cycles",
        "from the head's leaving the source to the tail's arrival",
    ),
    count("latency_p50", "cycles", "median of the packet latency"),
    count("latency_p99", "cycles", "99 % of packets take no longer"),
    count("latency_p999", "cycles", "99.9 % of packets take no longer"),
    count("latency_max", "cycles", "the longest packet latency"),
    figure(
        "mean_hops",
        "channels",
        "router-to-router channels that packets crossed",
    ),
    figure("mean_routers", "routers", "routers that packets visited"),
    figure(
        "nonminimal_share",
        "1",
        "packets that took more channels than the minimal way, which crosses at most one between groups where that is possible; where several lead from group to group, than the longest of these ways, so that a detour by a third group that is no longer does not count",
    ),
    figure(
        "max_channel_utilisation",
        "1",
        "share of cycles in which the busiest router-to-router channel was occupied",
    ),
    figure(
        "fairness",
        "1",
        "Jain's index of the shares of their flits that terminals got accepted",
    ),
    figure(
        "min_terminal_load",
        "flits per cycle",
        "accepted from the worst served of the terminals that send",
    ),
    figure(
        "max_terminal_load",
        "flits per cycle",
        "accepted from the best served of the terminals that send",
    ),
    flag(
        "steady",
        "is the latency level through the window; nothing if saturated, or if chance moves it by too much to tell",
    ),
    figure(
        "drift",
        "1",
        "by how much the latency changes through the window, relative to its mean",
    ),
    flag(
        "saturated",
        "the network did not keep up; nothing if the window cannot tell",
    ),
    flag("deadlocked", "nothing could ever move again"),
    word("ending", "how the run ended"),
    figure(
        "saturation_load",
        LOAD,
        "the highest injected load that the network keeps up with, if it was asked for",
    ),
    figure("saturation_load_ci", LOAD, "how far off that may be"),
    count(
        "undelivered_packets",
        "packets",
        "measured packets that had not arrived at the end",
    ),
    count("cycles", "cycles", "length of the whole run"),
    count(
        "flit_hops",
        "flit-hops",
        "flits that crossed routers in the whole run, ejecting ones included",
    ),
    count("packets", "packets", "delivered in the whole run"),
    word(
        "fingerprint",
        "digest of every delivered packet and its times",
    ),
    figure("seconds", "s", "wall-clock time of the point"),
    word(
        "verdict",
        "what was proved of network and routing; nothing if nothing was",
    ),
    count(
        "makespan",
        "cycles",
        "when everything was done; nothing if it was not, or has no end",
    ),
    count(
        "transactions",
        "transactions",
        "completed in the measurement window",
    ),
    figure(
        "mean_transaction_time",
        "cycles",
        "from a transaction's beginning to its end",
    ),
    count(
        "transaction_time_p99",
        "cycles",
        "99 % of transactions take no longer",
    ),
    count(
        "messages",
        "messages",
        "that were created in the measurement window and have arrived",
    ),
    figure(
        "mean_message_latency",
        "cycles",
        "from a message's creation to the arrival of its last packet",
    ),
    count(
        "message_latency_p50",
        "cycles",
        "half of the messages take no longer",
    ),
    count(
        "message_latency_p99",
        "cycles",
        "99 % of messages take no longer",
    ),
    count(
        "message_latency_p999",
        "cycles",
        "99.9 % of messages take no longer",
    ),
    count(
        "settling_cycles",
        "cycles",
        "from the last switch of the traffic until the mean latency had settled",
    ),
    figure(
        "settled_latency",
        "cycles",
        "the mean latency that it settled at",
    ),
    figure(
        "herding",
        "1",
        "variance over windows of the share of cycles in which a channel between groups is occupied",
    ),
    count(
        "pauses",
        "frames",
        "pause frames that stopped a sender in the measurement window",
    ),
    figure(
        "paused_share",
        "1",
        "share of the measurement window for which a channel stood still with something to send",
    ),
    count(
        "notifications",
        "frames",
        "congestion notifications that queues sent in the measurement window",
    ),
    count(
        "absorbed_notifications",
        "frames",
        "congestion notifications that switches kept to themselves in the measurement window",
    ),
    count(
        "heeded_notifications",
        "frames",
        "congestion notifications that came to a source in the measurement window",
    ),
    count(
        "longest_queue_flits",
        "flits",
        "the longest that an output queue has been in the whole run",
    ),
    count(
        "most_held_flits",
        "flits",
        "the most that a switch held of one priority of one port in the whole run",
    ),
    figure(
        "reordered_share",
        "1",
        "packets delivered in the measurement window that came after a later one of their flow",
    ),
    figure(
        "resequencing_delay",
        "cycles",
        "for which receivers held packets back, in the mean over packets delivered in the measurement window",
    ),
    count(
        "resequencing_flits",
        "flits",
        "the most that a receiver held back in the whole run",
    ),
    figure(
        "mean_resequencing_flits",
        "flits",
        "that a receiver held back, in the mean over the measurement window and receivers",
    ),
    word(
        "classes",
        "what was measured of each class of packets or messages, as a list of objects in JSON",
    ),
    word(
        "jobs",
        "what was measured of each job, or of a program that was placed, as a list of objects in JSON",
    ),
];

/// What is known of a column by its name; columns in ns and Gb/s say which one they are worked out from.
pub fn about(name: &str) -> Option<About> {
    let measured = |name: &str| MEASURED.iter().find(|about| about.name == name).copied();
    let derived = |all: &[(&'static str, &'static str)], unit: &'static str| {
        let (name, from) = *all.iter().find(|(own, _)| *own == name)?;
        let meaning = measured(from)?.meaning;
        Some(figure(name, unit, meaning))
    };
    measured(name)
        .or_else(|| derived(TIMES, "ns"))
        .or_else(|| derived(RATES, "Gb/s"))
}

/// Every column that results may have, in their order.
pub fn all() -> impl Iterator<Item = About> {
    let derived = TIMES.iter().chain(RATES).map(|(name, _)| *name);
    let names = MEASURED.iter().map(|about| about.name).chain(derived);
    names.filter_map(about)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{COLUMNS, PART_COLUMNS, all_columns};
    use std::collections::BTreeSet;

    #[test]
    fn every_column_of_rows_is_described_in_their_order() {
        let described: Vec<&str> = MEASURED.iter().map(|about| about.name).collect();
        let mut rows: Vec<&str> = all_columns().collect();
        rows.insert(COLUMNS.len(), "verdict");
        rows.extend(PART_COLUMNS);
        assert_eq!(described, rows);
    }

    #[test]
    fn derived_columns_keep_the_meaning_of_what_they_are_worked_out_from() {
        let latency = about("latency_p99_ns").unwrap();
        assert_eq!((latency.unit, latency.kind), ("ns", Kind::Figure));
        assert_eq!(latency.meaning, about("latency_p99").unwrap().meaning);
        assert_eq!(about("accepted_gbps").unwrap().unit, "Gb/s");
        let names: BTreeSet<&str> = all().map(|about| about.name).collect();
        assert_eq!(names.len(), MEASURED.len() + TIMES.len() + RATES.len());
    }
}
