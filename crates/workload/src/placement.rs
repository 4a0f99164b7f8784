//! What a placement is: where the ranks of a workload are.
//!
//! Workloads know nothing of it. They are built as if their rank 0 were at the first living terminal of the network, rank
//! 1 at the next, and so on; [`placed`](crate::placed) puts their agents elsewhere.

use turnwise_application::Program;
use turnwise_config::registry::Family;
use turnwise_network::{Invalid, Network, Routing, TerminalId};

/// A way to place ranks, as written in a study.
pub trait Placement: Send + Sync {
    /// The file whose text places them, if one does.
    fn file(&self) -> Option<&str> {
        None
    }

    /// What is wrong with the parameters, whatever the network.
    ///
    /// # Errors
    /// A value that makes no sense, on its field.
    fn check(&self) -> Result<(), Invalid> {
        Ok(())
    }

    /// The terminals of so many ranks, rank 0 first: free ones, all of them different.
    ///
    /// There are at least as many free terminals as ranks.
    ///
    /// # Errors
    /// What makes no sense on this network, on a field of the placement.
    fn place(&self, site: &Site<'_>, ranks: u32) -> Result<Seats, Invalid>;
}

impl Family for dyn Placement {
    const SHARED: &'static [&'static str] = &["kind"];
}

/// Where ranks may be placed, and what a placement may know.
#[derive(Clone, Copy)]
pub struct Site<'a> {
    /// The network, after its faults.
    pub network: &'a Network,
    /// Living terminals that nobody has yet, in ascending order.
    pub free: &'a [TerminalId],
    /// Seed of the study, or of its repetition.
    pub seed: u64,
    /// The text of [`Placement::file`].
    pub text: Option<&'a str>,
    /// How packets go.
    pub routing: Option<&'a dyn Routing>,
    /// What the ranks run, if it is a program.
    pub program: Option<&'a dyn Program>,
}

/// Where ranks have been placed.
#[derive(Clone, Debug, PartialEq)]
pub struct Seats {
    /// Their terminals, rank 0 first.
    pub terminals: Vec<TerminalId>,
    /// What was gained, if the places were searched for.
    pub gain: Option<Gain>,
}

/// What a search for places has come to, in bytes across the most loaded channel between routers, times the cycles that a flit
/// occupies it for; if rounds are told apart, the sum of all rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// With ranks where they have been placed.
    pub largest: f64,
    /// With ranks in the order of the terminals.
    pub of_linear: f64,
}

impl From<Vec<TerminalId>> for Seats {
    fn from(terminals: Vec<TerminalId>) -> Self {
        Self {
            terminals,
            gain: None,
        }
    }
}

/// The free terminals in bins that take turns, `block` terminals at a time, as long as they have any.
pub(crate) fn in_turn(bins: Vec<Vec<TerminalId>>, block: usize) -> Vec<TerminalId> {
    let all = bins.iter().map(Vec::len).sum();
    let mut order = Vec::with_capacity(all);
    let mut rest: Vec<&[TerminalId]> = bins.iter().map(Vec::as_slice).collect();
    while order.len() < all {
        for bin in &mut rest {
            let (now, later) = bin.split_at(block.min(bin.len()));
            order.extend_from_slice(now);
            *bin = later;
        }
    }
    order
}
