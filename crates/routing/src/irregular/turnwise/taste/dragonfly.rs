//! Dragonflies: most shortest ways are the only ones, so there is nothing to choose, but there is an order.

use super::{Destination, Taste, sorted};
use crate::irregular::by_destination::Graph;
use turnwise_network::recognition::Groups;

/// From groups to those with greater numbers in one lane, to those with smaller ones in another.
pub(super) struct ByGroups(pub(super) Groups);

impl Taste for ByGroups {
    fn arc(&self, _: &Graph, _: u32, _: Destination) -> Option<u32> {
        None
    }

    /// Group by group, those within before those that leave; and the other way round.
    fn lanes(&self, graph: &Graph) -> Vec<Vec<u32>> {
        let order = |place: fn(u32) -> u32| {
            sorted(graph, |arc| {
                let [from, to] = [graph.from(arc), graph.to(arc)].map(|at| self.0.group(at));
                (place(from), from != to)
            })
        };
        vec![order(|group| group), order(|group| u32::MAX - group)]
    }
}
