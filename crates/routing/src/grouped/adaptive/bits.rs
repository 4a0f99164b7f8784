//! A bit for each global channel, which says whether it is congested, and which the routers of its group know.
//!
//! A global channel is congested if far more flits are under way on it than on its router's others:
//!
//! ```text
//! q > factor * mean + threshold
//! ```
//!
//! where the mean is over all living global channels of the router, this one included.
//!
//! Queues change far more often than anybody looks at a bit. So what is kept is the queues of which the bits are made, as they
//! were when the bits were sent, and a bit is made when it is read. Nobody can tell.
//!
//! Source: Jiang, Kim, Dally, ISCA 2009, section 3.2; the factor and its form are FOGSim's.

use super::latencies::longest_local;
use super::tables::QueueTables;
use crate::common::delay::delay;
use crate::grouped::links::GroupLinks;
use turnwise_network::{Congestion, Invalid, Network, RouterId, Sensing};

/// What a study says of bits.
pub(crate) struct BitOptions {
    pub(crate) congested_factor: Option<f64>,
    pub(crate) congested_flits: u32,
    pub(crate) feedback_delay: Option<u32>,
}

impl BitOptions {
    /// For routers with so many global ports.
    ///
    /// # Errors
    /// A factor or a delay out of bounds.
    pub(crate) fn build(
        &self,
        network: &Network,
        links: &GroupLinks,
        ports: u32,
    ) -> Result<CongestedBits, Invalid> {
        let factor = match (self.congested_factor, ports) {
            (Some(factor), _) if !(0.0..=1e6).contains(&factor) => {
                let message = format!("expected 0 to 1000000, found {factor}");
                return Err(Invalid::new("congested_factor", message));
            }
            (Some(factor), _) => factor,
            (None, 0 | 1) => 0.0,
            (None, 2) => 1.0,
            (None, _) => 2.0,
        };
        let cycles = self
            .feedback_delay
            .unwrap_or_else(|| longest_local(network));
        let delay = delay("feedback_delay", cycles)?;
        Ok(CongestedBits {
            queues: QueueTables::new(network, links, delay, 1),
            owners: links.all().map(|link| link.owner).collect(),
            factor,
            threshold: self.congested_flits.into(),
        })
    }
}

/// What routers know of their group's global channels.
pub(crate) struct CongestedBits {
    queues: QueueTables,
    /// By link.
    owners: Vec<RouterId>,
    /// As in the formula, the threshold in flits.
    factor: f64,
    threshold: f64,
}

impl CongestedBits {
    /// Is a global channel of the group that a router is in known there to be congested? A link that there is not is none.
    #[inline]
    pub(crate) fn is_congested(&self, at: RouterId, link: u32, sees: &dyn Congestion) -> bool {
        let Some(&owner) = self.owners.get(link as usize) else {
            return false;
        };
        let known = self.queues.known(at, sees.memory());
        let queue = f64::from(known.queue(link));
        // A mean is no less than nothing.
        if queue <= self.threshold {
            return false;
        }
        let queues = known.queues_of(owner);
        let count = queues.len().max(1) as f64;
        let is_long = |sum: f64| queue > self.factor * (sum / count) + self.threshold;
        // Nor is a sum than one of its terms.
        is_long(queue) && is_long(queues.map(u64::from).sum::<u64>() as f64)
    }

    /// What routers tell each other for it.
    pub(crate) fn sensing(&self) -> &dyn Sensing {
        &self.queues
    }
}
