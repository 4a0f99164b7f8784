//! Service levels of the two directions of a pair, where answers take the level of what they answer.
//!
//! Who opens a connection asks the subnet manager for the level of its path; who accepts it mostly answers on that level, and does not ask
//! for its own (InfiniBand, communication management: the request carries the level of both). Routes that are free of deadlock on their
//! own levels may not be so on those of the routes back. What is proved here is that packets of a pair which take the level of either
//! direction cannot wait for each other in a circle, whichever mixture of both there is.
//!
//! Source: InfiniBand Architecture Specification, volume 1, chapter 12; Linux, `drivers/infiniband/core/cm.c`.

use turnwise_network::tables::ForwardingTable;
use turnwise_network::{Network, TerminalId};
use turnwise_routing::subnet::Answering;
use turnwise_verify::{Assumptions, Verdict, prove};

/// Pairs with one level there and another one back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers {
    /// How many.
    pub pairs: u64,
    /// How many pairs have a route whichever they take; fewer than on their own level where switches throw away packets of some levels.
    pub routable: u64,
    /// A circle of channels that closes if either is taken, a line each; `None` if it is proved that none does.
    pub circle: Option<Vec<String>>,
}

/// Judges tables by that; `None` if all pairs have the same level in both directions.
///
/// O(pairs), and a proof if there are such pairs.
pub fn judge(
    network: &Network,
    tables: &ForwardingTable,
    assumptions: Assumptions,
) -> Option<Answers> {
    let pairs = unlike(network, tables);
    if pairs == 0 {
        return None;
    }
    let either = Answering::by(network, tables);
    let (verdict, reachability) = prove(network, &either, assumptions);
    let circle = match verdict {
        Verdict::DeadlockFree(_) => None,
        Verdict::Cyclic(cycle) => Some(cycle.render(network)),
        Verdict::Unexplored(_) => Some(Vec::new()),
    };
    Some(Answers {
        pairs,
        routable: reachability.routable,
        circle,
    })
}

/// Pairs of living terminals with unlike levels, whichever of their addresses packets take; either direction counted once.
fn unlike(network: &Network, tables: &ForwardingTable) -> u64 {
    let levels = |from: TerminalId, to: TerminalId| {
        let starts = tables.outsets(from, to);
        starts.fold(0u32, |levels, start| levels | 1 << start.header.class)
    };
    let mut pairs = 0;
    for from in network.living_terminals() {
        let later = network.living_terminals().filter(|to| to.0 > from.0);
        let differs = later.filter(|&to| (levels(from, to) | levels(to, from)).count_ones() > 1);
        pairs += differs.count() as u64;
    }
    pairs
}
