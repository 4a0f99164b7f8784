//! A virtual lane: which arc may follow which, so that no circle closes.
//!
//! What is allowed stays so, and so does what would close a circle with that. So each turn is looked at once.

use super::escape::Escape;
use super::graph::Graph;
use crate::irregular::acyclic::{Acyclic, Added};

/// Arcs that a search for a circle looks at, where that is bounded: hardly a turn fits that is not found to fit by then.
const SEARCH: usize = 300;

/// What a lane allows from the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allowed {
    /// Up and then down along the tree.
    Tree,
    /// Up and then down along all arcs.
    All,
}

/// One lane: what may follow what.
pub(crate) struct Lane {
    pub(super) graph: Acyclic,
    /// By turn.
    pub(super) turns: Vec<Turn>,
}

/// What a lane knows of a turn from one arc into another.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    Unknown,
    Allowed,
    Refused,
}

/// Where the turns of each arc are numbered.
pub(crate) struct Turns<'a> {
    pub(crate) graph: &'a Graph,
    first: Vec<usize>,
    count: usize,
}

impl<'a> Turns<'a> {
    pub(crate) fn new(graph: &'a Graph) -> Self {
        let mut count = 0;
        let first = (0..graph.arcs() as u32).map(|arc| {
            let first = count;
            count += graph.leaving(graph.to(arc)).len();
            first
        });
        Self {
            first: first.collect(),
            graph,
            count,
        }
    }

    /// How many turns there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The number of a turn from one arc into another.
    #[inline]
    pub(crate) fn number(&self, arc: u32, next: u32) -> usize {
        let at = self.graph.to(arc);
        self.first[arc as usize] + (next - self.graph.leaving(at).start) as usize
    }

    /// The turns from an arc: their numbers, and the arcs they lead into.
    #[inline]
    pub(crate) fn onwards(&self, arc: u32) -> impl Iterator<Item = (usize, u32)> + use<> {
        (self.first[arc as usize]..).zip(self.graph.leaving(self.graph.to(arc)))
    }
}

impl Lane {
    pub(crate) fn new(turns: &Turns<'_>) -> Self {
        Self::around(Acyclic::new(turns.graph.arcs()), turns)
    }

    /// A lane in which turns cost nothing that lead forwards in this order of all arcs.
    pub(crate) fn in_order(turns: &Turns<'_>, order: &[u32]) -> Self {
        Self::around(Acyclic::in_order(order), turns)
    }

    /// The same, which refuses turns as well of which it is not known after looking at [`SEARCH`] arcs.
    pub(crate) fn searching_little(self) -> Self {
        Self {
            graph: self.graph.searching(SEARCH),
            ..self
        }
    }

    fn around(graph: Acyclic, turns: &Turns<'_>) -> Self {
        Self {
            graph,
            turns: vec![Turn::Unknown; turns.count],
        }
    }

    /// A lane in which every route is allowed that goes up and then down: along the tree only, or along all arcs. What else fits in is
    /// up to its users.
    pub(crate) fn with(turns: &Turns<'_>, escape: &Escape, allowed: Allowed) -> Self {
        let graph = turns.graph;
        let mut lane = Self::in_order(turns, escape.order());
        let counts = |arc| allowed == Allowed::All || escape.has(graph, arc);
        for &arc in escape.order().iter().filter(|&&arc| counts(arc)) {
            for next in graph.leaving(graph.to(arc)).filter(|&arc| counts(arc)) {
                if !escape.turns_up(arc, next) && graph.to(next) != graph.from(arc) {
                    lane.allows(turns, arc, next);
                }
            }
        }
        lane
    }

    /// All arcs, in an order in which every turn leads forwards that is allowed.
    pub(crate) fn order(&self) -> &[u32] {
        self.graph.order()
    }

    /// Is this turn allowed already?
    #[inline]
    pub(crate) fn has_allowed(&self, turns: &Turns<'_>, arc: u32, next: u32) -> bool {
        self.turns[turns.number(arc, next)] == Turn::Allowed
    }

    /// Is this turn allowed, or does it lead forwards in the lane's order, so that from now on it is?
    #[inline]
    pub(crate) fn allows_forwards(&mut self, turns: &Turns<'_>, arc: u32, next: u32) -> bool {
        let turn = &mut self.turns[turns.number(arc, next)];
        if *turn == Turn::Unknown && self.graph.add_forwards(arc, next) {
            *turn = Turn::Allowed;
        }
        *turn == Turn::Allowed
    }

    /// May a route turn from one arc into another? From now on it may, if that closes no circle.
    #[inline]
    pub(crate) fn allows(&mut self, turns: &Turns<'_>, arc: u32, next: u32) -> bool {
        let turn = &mut self.turns[turns.number(arc, next)];
        if *turn == Turn::Unknown {
            *turn = match self.graph.add(arc, next) {
                Added::New | Added::Known => Turn::Allowed,
                Added::Refused => Turn::Refused,
            };
        }
        *turn == Turn::Allowed
    }
}
