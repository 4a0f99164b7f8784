//! What NCCL would choose: the algorithm and protocol that take the least time by its model, latency + bytes / bandwidth.
//!
//! Source: NCCL, `src/graph/tuning.cc`, of 2025: latencies of the protocols LL, LL128 and Simple, and the shares of the
//! bandwidth that they leave. Every rank is taken for a node of its own with a link of 400 Gb/s, of which one channel makes use.
//! Broadcasts and reductions are chains, whose pieces are as long as a step of the protocol's buffer (`src/enqueue.cc`).

use super::{Kind, Part};

/// Nanoseconds, shares and bytes of a protocol.
struct Protocol {
    /// Of starting, for a ring and for a tree.
    start: [f64; 2],
    /// Of going over the network.
    hop: [f64; 2],
    /// Share of the bandwidth.
    share: [f64; 2],
    /// Data that a step of its buffer holds: an eighth, half of which are flags in LL, and a sixteenth in LL128.
    step: u64,
}

const PROTOCOLS: [Protocol; 3] = [
    Protocol {
        start: [6_600.0, 6_800.0],
        hop: [2_700.0, 5_000.0],
        share: [0.5, 0.5 * 0.85],
        step: 65_536 / 2,
    },
    Protocol {
        start: [14_000.0, 14_000.0],
        hop: [4_000.0, 8_500.0],
        share: [0.92, 0.92 * 0.85],
        step: 614_400 / 16 * 15,
    },
    Protocol {
        start: [8_400.0, 8_400.0],
        hop: [14_000.0, 14_000.0],
        share: [1.0, 0.85],
        step: 524_288,
    },
];

/// 400 Gb/s.
const BYTES_PER_NS: f64 = 50.0;

/// An algorithm, and the length of its pieces if that is known.
pub(super) fn choose(part: &Part) -> (&'static str, Option<u64>) {
    match part.collective.kind {
        Kind::AllReduce => (all_reduce(part), None),
        Kind::Barrier => ("dissemination", None),
        Kind::Broadcast | Kind::Reduce => ("chain", Some(piece(part.collective.bytes))),
        Kind::AllGather | Kind::ReduceScatter => ("ring", None),
        Kind::AllToAll | Kind::Gather | Kind::Scatter => ("linear", None),
    }
}

/// The pieces of a chain: those of the protocol that takes the least time. To NCCL's model a chain is one hop, however long it is.
fn piece(bytes: u64) -> u64 {
    let time =
        |it: &Protocol| it.start[0] + it.hop[0] + bytes as f64 / (it.share[0] * BYTES_PER_NS);
    let least = (PROTOCOLS.iter()).min_by(|one, other| time(one).total_cmp(&time(other)));
    least.map_or(u64::MAX, |protocol| protocol.step)
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
