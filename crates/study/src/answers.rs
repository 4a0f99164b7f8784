//! Service levels of the two directions of a pair, where answers take the level of what they answer.
//!
//! Who opens a connection asks the subnet manager for the level of its path; who accepts it mostly answers on that level, and does not ask
//! for its own (InfiniBand, communication management: the request carries the level of both). Routes that are free of deadlock on their
//! own levels may not be so on those of the routes back. What is proved here is that packets of a pair which take the level of either
//! direction cannot wait for each other in a circle, whichever mixture of both there is.
//!
//! Source: InfiniBand Architecture Specification, volume 1, chapter 12; Linux, `drivers/infiniband/core/cm.c`.

use std::sync::Arc;
use turnwise_network::tables::ForwardingTable;
use turnwise_network::{Forwards, Invalid, Network};
use turnwise_routing::subnet::Change;
use turnwise_verify::{Assumptions, Verdict, prove};

/// Pairs with one level there and another one back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers {
    /// How many.
    pub pairs: u64,
    /// A circle of channels that closes if either is taken, a line each; `None` if it is proved that none does.
    pub circle: Option<Vec<String>>,
}

/// Judges tables by that; `None` if all pairs have the same level in both directions.
///
/// O(pairs), and a proof if there are such pairs.
///
/// # Errors
/// Tables that are not of this network.
pub fn judge(
    network: &Arc<Network>,
    tables: &dyn Forwards,
    assumptions: Assumptions,
) -> Result<Option<Answers>, Invalid> {
    let pairs = unlike(network, tables);
    if pairs == 0 {
        return Ok(None);
    }
    let own = ForwardingTable::of(network, tables, tables)?;
    let answers = own
        .clone()
        .with_levels(|from, to, _| tables.service_level(to, from))?;
    let either = Change::between(network, own, answers);
    let (verdict, _) = prove(network, &either, assumptions);
    let circle = match verdict {
        Verdict::DeadlockFree(_) => None,
        Verdict::Cyclic(cycle) => Some(cycle.render(network)),
        Verdict::Unexplored(_) => Some(Vec::new()),
    };
    Ok(Some(Answers { pairs, circle }))
}

/// Pairs of living terminals with unlike levels, either direction counted once.
fn unlike(network: &Network, tables: &dyn Forwards) -> u64 {
    let mut pairs = 0;
    for from in network.living_terminals() {
        let levels = tables.service_levels(from);
        if levels.is_empty() {
            continue;
        }
        let later = network.living_terminals().filter(|to| to.0 > from.0);
        let differs = later.filter(|&to| levels[to.index()] != tables.service_level(to, from));
        pairs += differs.count() as u64;
    }
    pairs
}
