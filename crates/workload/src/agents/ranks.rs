//! Ranks: the living terminals, numbered from 0 in ascending order.

use turnwise_network::{Network, TerminalId};

/// Who takes part; eight bytes a terminal.
pub struct Ranks {
    terminals: Vec<TerminalId>,
    /// By terminal; of the dead ones, that of the next living one, which nobody asks for.
    ranks: Vec<u32>,
}

impl Ranks {
    /// Of the terminals that are alive.
    pub fn new(network: &Network) -> Self {
        let mut terminals = Vec::new();
        let ranks = network.terminals().map(|terminal| {
            let rank = terminals.len() as u32;
            if network.is_terminal_alive(terminal) {
                terminals.push(terminal);
            }
            rank
        });
        let ranks = ranks.collect();
        Self { terminals, ranks }
    }

    /// How many take part.
    pub fn count(&self) -> u32 {
        self.terminals.len() as u32
    }

    /// The rank of a living terminal.
    pub fn of(&self, terminal: TerminalId) -> u32 {
        self.ranks[terminal.index()]
    }

    /// The terminal of a rank.
    pub fn terminal(&self, rank: u32) -> TerminalId {
        self.terminals[rank as usize]
    }
}
