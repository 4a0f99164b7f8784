//! How much is explored before giving up.

use std::fmt;
use turnwise_network::TerminalId;

/// More states than this for one destination are not explored: a rule whose header grows on
/// every hop would otherwise fill any memory. 2^24 states take about two gigabytes, and more where each has many options.
pub const MAX_STATES: usize = 1 << 24;

/// Nor are more options than this for each admissible state, on average.
const MAX_OPTIONS_A_STATE: usize = 16;

/// The destination has more states than the given limit, or far more options than that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyStates {
    /// The destination given up on.
    pub destination: TerminalId,
    /// The limit that was exceeded.
    pub limit: usize,
}

impl TooManyStates {
    /// Would more have been explored if there were more memory?
    pub fn is_for_want_of_memory(&self) -> bool {
        self.limit < MAX_STATES
    }
}

impl fmt::Display for TooManyStates {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { destination, limit } = self;
        write!(
            text,
            "packets to terminal {destination} have more than {limit} states"
        )
    }
}

/// Steps are numbered in 32 bits, whatever the limit.
pub(super) fn exceeded(limit: usize, states: usize, steps: usize) -> bool {
    let most_steps = limit
        .saturating_mul(MAX_OPTIONS_A_STATE)
        .min(u32::MAX as usize);
    states > limit || steps > most_steps
}
