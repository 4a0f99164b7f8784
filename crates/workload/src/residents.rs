//! Who is where: the ranks of terminals, and the terminals of ranks.
//!
//! A terminal may have several ranks. Those that share it are its *parties*, numbered as they follow each other.
//!
//! Complexity: O(1) a question; nine bytes a rank and four a terminal.

use turnwise_network::{Invalid, Network, TerminalId};

/// Where ranks are.
#[derive(Clone, Debug)]
pub(crate) struct Residents {
    /// By rank.
    terminals: Vec<TerminalId>,
    /// By rank, its number among those at its terminal.
    parties: Vec<u8>,
    /// By terminal, where its ranks begin in `ranks`; and the end.
    first: Vec<u32>,
    ranks: Vec<u32>,
}

impl Residents {
    /// Ranks at these terminals, rank 0 first; at most [`MOST`](Self::MOST) at each.
    pub(crate) fn new(network: &Network, terminals: &[TerminalId]) -> Self {
        let mut first = vec![0; network.terminal_count() + 1];
        let mut parties = Vec::with_capacity(terminals.len());
        for terminal in terminals {
            let there = &mut first[terminal.index() + 1];
            parties.push(*there as u8);
            *there += 1;
        }
        for terminal in 1..first.len() {
            first[terminal] += first[terminal - 1];
        }
        let mut ranks = vec![0; terminals.len()];
        for (rank, (terminal, &party)) in (0..).zip(terminals.iter().zip(&parties)) {
            ranks[first[terminal.index()] as usize + usize::from(party)] = rank;
        }
        Self {
            terminals: terminals.to_vec(),
            parties,
            first,
            ranks,
        }
    }

    /// No terminal has more ranks.
    pub(crate) const MOST: u32 = 256;

    /// The ranks of a terminal, in ascending order.
    pub(crate) fn at(&self, terminal: TerminalId) -> &[u32] {
        let (from, to) = (
            self.first[terminal.index()],
            self.first[terminal.index() + 1],
        );
        &self.ranks[from as usize..to as usize]
    }

    /// A party's rank.
    pub(crate) fn of(&self, terminal: TerminalId, party: u8) -> u32 {
        self.ranks[self.first[terminal.index()] as usize + usize::from(party)]
    }

    /// The terminal of a rank.
    pub(crate) fn terminal(&self, rank: u32) -> TerminalId {
        self.terminals[rank as usize]
    }

    /// Its number among those at its terminal.
    pub(crate) fn party(&self, rank: u32) -> u8 {
        self.parties[rank as usize]
    }

    /// Are two ranks at the same terminal?
    pub(crate) fn share(&self, one: u32, other: u32) -> bool {
        self.terminal(one) == self.terminal(other)
    }
}

/// Ranks do not fit on terminals, of which each takes so many.
pub(crate) fn too_many(
    field: &str,
    ranks: u32,
    terminals: u32,
    each: u32,
    places: &str,
) -> Invalid {
    let with = match each {
        1 => String::new(),
        each => format!(" with {each} ranks each"),
    };
    let invalid = Invalid::new(field, format!("{ranks} ranks do not fit on {places}{with}"));
    let needed = (terminals > 0).then(|| ranks.div_ceil(terminals));
    match needed {
        Some(each) if each <= Residents::MOST => {
            let help = format!(
                "have several share a terminal: ranks_per_terminal = {each} in the placement"
            );
            invalid.with_help(help)
        }
        _ => invalid,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::topologies::{Topology, Torus};

    #[test]
    fn ranks_are_found_where_they_are() {
        let torus = Torus {
            sizes: vec![4],
            ..Torus::default()
        };
        let network = torus.build(None).unwrap();
        let terminals = [2, 0, 2, 2, 0].map(TerminalId);
        let residents = Residents::new(&network, &terminals);
        let at = |terminal| residents.at(TerminalId(terminal));
        assert_eq!(
            (at(0), at(1), at(2), at(3)),
            (&[1, 4][..], &[][..], &[0, 2, 3][..], &[][..])
        );
        for rank in 0..5 {
            let terminal = residents.terminal(rank);
            assert_eq!(residents.of(terminal, residents.party(rank)), rank);
        }
        assert!(residents.share(0, 3) && !residents.share(0, 1));
    }
}
