//! What a placement is: where the ranks of a workload are.
//!
//! A terminal has as many seats as ranks may share it. A placement chooses among seats, and those of a terminal follow each other, so
//! that one that goes from terminal to terminal fills each before the next.

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

    /// How many of so many ranks find a place.
    ///
    /// # Errors
    /// As [`place`](Self::place).
    fn room(&self, _: &Site<'_>, ranks: u32) -> Result<u32, Invalid> {
        Ok(ranks)
    }

    /// The terminals of so many ranks, rank 0 first: free ones, none of them more often than it is free.
    ///
    /// There are at least as many free seats as ranks.
    ///
    /// # Errors
    /// What makes no sense on this network, on a field of the placement.
    fn place(&self, site: &Site<'_>, ranks: u32) -> Result<Seats, Invalid>;
}

impl Family for dyn Placement {
    const SHARED: &'static [&'static str] = &["kind", RANKS_PER_TERMINAL];
}

/// The field that says how many ranks share a terminal.
pub const RANKS_PER_TERMINAL: &str = "ranks_per_terminal";

/// Where ranks may be placed, and what a placement may know.
#[derive(Clone, Copy)]
pub struct Site<'a> {
    /// The network, after its faults.
    pub network: &'a Network,
    /// Living terminals that nobody has yet, in ascending order, each as often as it has seats.
    pub free: &'a [TerminalId],
    /// How many seats a terminal has.
    pub ranks_per_terminal: u32,
    /// Seed of the study, or of its repetition.
    pub seed: u64,
    /// The text of [`Placement::file`].
    pub text: Option<&'a str>,
    /// How packets go.
    pub routing: Option<&'a dyn Routing>,
    /// What the ranks run, if it is a program.
    pub program: Option<&'a dyn Program>,
}

impl Site<'_> {
    /// The seats that remain free when some are taken.
    pub(crate) fn without(&self, taken: &[TerminalId]) -> Vec<TerminalId> {
        let mut left = vec![0_u32; self.network.terminal_count()];
        taken.iter().for_each(|seat| left[seat.index()] += 1);
        let is_free = |seat: &&TerminalId| match &mut left[seat.index()] {
            0 => true,
            taken => {
                *taken -= 1;
                false
            }
        };
        self.free.iter().filter(is_free).copied().collect()
    }
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

/// The free seats in bins that take turns, `block` seats at a time, as long as they have any.
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
