//! An order in which the entries of a subnet can change, where not every order is safe.
//!
//! Entries change in steps. Within a step they change in any order, and a packet may meet the old one at one switch and the new one
//! at the next; between two steps packets that are under way arrive. So the tables behind each step are whole tables that
//! a subnet manager can load one after the other, however it programs the switches meanwhile.
//!
//! A step takes all entries it can: one whose packets still arrive whichever of the two they meet, or were lost before, and with which no
//! circle of waiting packets closes. Those that are nearest to their destination on the new ways are asked first. As the first
//! of them has nothing but new entries ahead, no packet goes in circles and none is lost that was not; only a circle of
//! dependencies can be in the way of all that is left, and then there is no order to be found here.
//!
//! Packets may set out at the old service level of their pair or the new one all the time, if that closes no circle. If it does,
//! the levels change before all entries, or behind them. And if that is no way either, entries that lose their packets anyway, since
//! something has failed, are emptied first, so that none of these packets holds a channel of an old way when it could meet a new one.
//!
//! This is a search. That its steps are safe is for the verifier to say, of each with the one before ([`Change`](super::Change)).
//!
//! Sources: Duato, Lysne, Pang, Pinkston, IEEE TPDS 16(5), 2005, for what must be free of circles; Francois, Bonaventure, "Avoiding
//! transient loops during the convergence of link-state routing protocols", IEEE/ACM Trans. Networking 15(6), 2007, for the order
//! along the new ways.
//!
//! Complexity: O(terminals x routers + pairs) once, to know what stays; in each step, for each entry that is left, what its packets may come
//! by.

mod between;
mod column;
mod region;

use crate::irregular::by_destination::{Graph, Turns};
use between::Between;
use std::sync::Arc;
use turnwise_network::tables::ForwardingTable;
use turnwise_network::{Forwards, Invalid, Network, RouterId, TerminalId};

/// An entry: whose, and to where.
pub type EntryOf = (RouterId, TerminalId);

/// Steps that lead from some tables to others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// When service levels change.
    pub levels: LevelChange,
    /// One after the other; none if no entry changes.
    pub steps: Vec<Step>,
}

/// Entries that change in any order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Whose they are, and to where.
    pub entries: Vec<EntryOf>,
    /// Are they emptied, and not the new ones yet?
    pub are_emptied: bool,
}

/// When the service levels of pairs change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LevelChange {
    /// Before, between or behind the steps: packets may set out at either of two levels all the time.
    #[default]
    AnyTime,
    /// Behind so many steps, while no entry changes.
    After(usize),
}

/// Why there is no order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// The tables that switches have can deadlock.
    Before,
    /// The tables that they shall get can.
    After,
    /// Pairs that have a route now would have none in the end.
    Loses(TerminalId),
    /// Whichever entry changes next, a circle closes. So many could change before, and so many are left.
    Circle {
        /// The steps that could be made.
        steps: Vec<Step>,
        /// How many entries are left.
        left: usize,
    },
}

impl Order {
    /// Searches for an order.
    ///
    /// # Errors
    /// There is none, as far as is known.
    pub fn find(
        network: &Network,
        before: &dyn Forwards,
        after: &dyn Forwards,
    ) -> Result<Self, Stuck> {
        let graph = Graph::new(network);
        let turns = Turns::new(&graph);
        // What stays is part of either.
        let mut change = Between::new(network, [before, after], &turns).ok_or(Stuck::Before)?;
        let first = match change.steps(&[0, 1], false) {
            Ok(steps) => {
                let levels = LevelChange::AnyTime;
                let order = Self { levels, steps };
                return Ok(order.with_the_rest(network, [before, after]));
            }
            Err(stuck) => stuck,
        };
        for (tables, stuck) in [(0, Stuck::Before), (1, Stuck::After)] {
            if !change.is_free([tables; 2], &[tables], false) {
                return Err(stuck);
            }
        }
        // The tables with which levels change, those whose levels all steps have, and whether the first step empties entries.
        let later = [([0; 2], 1, false), ([1; 2], 0, false), ([0, 1], 1, true)];
        // Where packets set out on the same lanes, the first search was this one.
        let is_same = change.starts_are_the_same();
        let later = later
            .into_iter()
            .filter(|&(.., empties)| empties || !is_same);
        let found = later.filter_map(|(tables, during, empties)| {
            if !change.is_free(tables, &[0, 1], empties) {
                return None;
            }
            let steps = change.steps(&[during], empties).ok()?;
            let levels = LevelChange::After(match (during, empties) {
                (0, _) => steps.len(),
                (_, empties) => usize::from(empties),
            });
            Some(Self { levels, steps })
        });
        let shortest = found.min_by_key(|order| order.steps.len()).ok_or(first)?;
        Ok(shortest.with_the_rest(network, [before, after]))
    }

    /// Where no entry changes that leads anywhere, those that do not are a step of their own: they lose their packets before it and behind
    /// it. Otherwise the last step takes them along.
    fn with_the_rest(mut self, network: &Network, [before, after]: [&dyn Forwards; 2]) -> Self {
        let of_steps = self.steps.iter().flat_map(|step| &step.entries);
        let mut known: Vec<EntryOf> = of_steps.copied().collect();
        known.sort_unstable();
        let living = network.routers().filter(|&at| network.is_alive(at));
        let rest = living
            .flat_map(|at| network.living_terminals().map(move |to| (at, to)))
            .filter(|&(at, to)| before.entry(at, to) != after.entry(at, to))
            .filter(|entry| known.binary_search(entry).is_err());
        let rest: Vec<EntryOf> = rest.collect();
        match self.steps.last_mut() {
            _ if rest.is_empty() => {}
            Some(last) if !last.are_emptied => last.entries.extend(rest),
            _ => self.steps.push(Step {
                entries: rest,
                are_emptied: false,
            }),
        }
        self
    }

    /// The tables behind so many steps, with the service levels of `levels`; those behind the last are `after`.
    ///
    /// # Errors
    /// Tables that are not of this network.
    pub fn tables(
        &self,
        steps: usize,
        network: &Arc<Network>,
        [before, after]: [&dyn Forwards; 2],
        levels: &dyn Forwards,
    ) -> Result<ForwardingTable, Invalid> {
        // Entries that differ and lead nowhere all the same come last.
        if steps > 0 && steps == self.steps.len() {
            return ForwardingTable::of(network, after, levels);
        }
        let mut tables = ForwardingTable::of(network, before, levels)?;
        for step in &self.steps[..steps] {
            let entries = step.entries.iter().map(|&(at, to)| {
                let entry = after.entry(at, to).filter(|_| !step.are_emptied);
                (at, to, entry)
            });
            tables.change(entries)?;
        }
        Ok(tables)
    }
}
