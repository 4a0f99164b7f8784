//! What NCCL would choose: the algorithm and protocol that take the least time by its model, latency + bytes / bandwidth.
//!
//! Source: NCCL, `src/graph/tuning.cc`, of 2025: latencies of the protocols LL, LL128 and Simple, and the shares of the
//! bandwidth that they leave. Every rank is taken for a node of its own with a link of 400 Gb/s.

use super::{Kind, Part};

/// Nanoseconds and shares of a protocol.
struct Protocol {
    /// Of starting, for a ring and for a tree.
    start: [f64; 2],
    /// Of going over the network.
    hop: [f64; 2],
    /// Share of the bandwidth.
    share: [f64; 2],
}

const PROTOCOLS: [Protocol; 3] = [
    Protocol {
        start: [6_600.0, 6_800.0],
        hop: [2_700.0, 5_000.0],
        share: [0.5, 0.5 * 0.85],
    },
    Protocol {
        start: [14_000.0, 14_000.0],
        hop: [4_000.0, 8_500.0],
        share: [0.92, 0.92 * 0.85],
    },
    Protocol {
        start: [8_400.0, 8_400.0],
        hop: [14_000.0, 14_000.0],
        share: [1.0, 0.85],
    },
];

/// 400 Gb/s.
const BYTES_PER_NS: f64 = 50.0;

pub(super) fn choose(part: &Part) -> &'static str {
    match part.collective.kind {
        Kind::AllReduce => all_reduce(part),
        Kind::Barrier => "dissemination",
        Kind::Broadcast => "chain",
        Kind::Reduce => "binomial",
        Kind::AllGather | Kind::ReduceScatter => "ring",
        Kind::AllToAll | Kind::Gather | Kind::Scatter => "linear",
    }
}

fn all_reduce(part: &Part) -> &'static str {
    let (ranks, bytes) = (f64::from(part.ranks), part.collective.bytes as f64);
    let steps = [2.0 * (ranks - 1.0), 2.0 * ranks.log2()];
    let volume = [2.0 * (ranks - 1.0) / ranks * bytes, 2.0 * bytes];
    let time = |which: usize| {
        let times = PROTOCOLS.iter().map(|it| {
            it.start[which]
                + steps[which] * it.hop[which]
                + volume[which] / (it.share[which] * BYTES_PER_NS)
        });
        times.fold(f64::INFINITY, f64::min)
    };
    if time(0) <= time(1) {
        "ring"
    } else {
        "double-tree"
    }
}
