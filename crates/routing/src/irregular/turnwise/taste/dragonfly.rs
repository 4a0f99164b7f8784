//! Dragonflies: a way within a group, to the other one, and within that. There is little to choose, but there is an order.

use super::{Destination, Taste, sorted};
use crate::irregular::by_destination::{Graph, NONE};
use turnwise_network::recognition::Groups;

/// By the link between two groups, and not by a third one where that is as short: ways that go to groups with greater numbers and then back, or
/// the other way round, lead forwards in no order that the others do. From groups to those with greater numbers in one lane, to those with
/// smaller ones in another.
pub(super) struct ByGroups {
    groups: Groups,
    /// By router and group: the arc that begins the way there; [`NONE`] if there are several, or none.
    towards: Vec<u32>,
}

impl ByGroups {
    pub(super) fn new(groups: Groups, graph: &Graph) -> Self {
        let count = groups.count as usize;
        let place = |router: u32, group: u32| router as usize * count + group as usize;
        let arcs = || 0..graph.arcs() as u32;
        let ends = |arc: u32| [graph.from(arc), graph.to(arc)];
        let mut direct = Single(vec![None; graph.routers() * count]);
        for arc in arcs() {
            let [from, to] = ends(arc);
            if groups.group(from) != groups.group(to) {
                direct.add(place(from, groups.group(to)), graph, arc);
            }
        }
        let mut towards = Single(direct.0.clone());
        for arc in arcs() {
            let [from, to] = ends(arc);
            if groups.group(from) != groups.group(to) {
                continue;
            }
            for group in 0..groups.count {
                let (here, there) = (place(from, group), place(to, group));
                if direct.0[here].is_none() && direct.0[there].is_some() {
                    towards.add(here, graph, arc);
                }
            }
        }
        let towards = towards.0.into_iter().map(|arc| arc.unwrap_or(NONE));
        Self {
            towards: towards.collect(),
            groups,
        }
    }
}

/// Arcs, or [`NONE`] for several that do not lie side by side.
struct Single(Vec<Option<u32>>);

impl Single {
    fn add(&mut self, place: usize, graph: &Graph, arc: u32) {
        self.0[place] = match self.0[place] {
            None => Some(arc),
            Some(NONE) => Some(NONE),
            Some(other) if graph.to(other) == graph.to(arc) => Some(other),
            Some(_) => Some(NONE),
        };
    }
}

impl Taste for ByGroups {
    fn arc(&self, _: &Graph, at: u32, to: Destination) -> Option<u32> {
        let group = self.groups.group(to.router);
        let arc = self.towards[at as usize * self.groups.count as usize + group as usize];
        (arc != NONE).then_some(arc)
    }

    /// Group by group, those within before those that leave; and the other way round.
    fn lanes(&self, graph: &Graph) -> Vec<Vec<u32>> {
        let order = |place: fn(u32) -> u32| {
            sorted(graph, |arc| {
                let [from, to] = [graph.from(arc), graph.to(arc)].map(|at| self.groups.group(at));
                (place(from), from != to)
            })
        };
        vec![order(|group| group), order(|group| u32::MAX - group)]
    }
}
