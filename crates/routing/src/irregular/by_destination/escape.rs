//! A spanning tree, along which there is always a way.

use super::graph::{Graph, NONE};
use crate::irregular::orientation::Orientation;
use turnwise_network::RouterId;

/// A spanning tree of every part of a network, and which arcs lead up in the order it belongs to.
pub(crate) struct Escape {
    /// By router: the arc to its parent, and the one from there; [`NONE`] at a root.
    up: Vec<u32>,
    down: Vec<u32>,
    /// By arc.
    is_up: Vec<bool>,
    /// Arcs in an order in which every route leads forwards that goes up and then down.
    order: Vec<u32>,
}

impl Escape {
    pub(crate) fn new(graph: &Graph, order: &Orientation) -> Self {
        let place = |router: u32| order.place(RouterId(router));
        let is_up = leading_up(graph, order);
        let routers = || 0..graph.routers() as u32;
        // The nearest to the root, of these the first one.
        let parent = |router: u32| {
            let ups = graph.leaving(router).filter(|&arc| is_up[arc as usize]);
            ups.min_by_key(|&arc| place(graph.to(arc)))
        };
        let up: Vec<u32> = routers()
            .map(|router| parent(router).unwrap_or(NONE))
            .collect();
        let back = |arc: &u32| match *arc {
            NONE => NONE,
            arc => {
                let mut arcs = graph.leaving(graph.to(arc));
                arcs.find(|&back| graph.to(back) == graph.from(arc))
                    .unwrap_or(NONE)
            }
        };
        let down = up.iter().map(back).collect();
        let order = up_then_down(graph, place);
        Self {
            up,
            down,
            is_up,
            order,
        }
    }

    /// The arcs, one after the other as routes take them that go up and then down.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Does a turn lead from down to up?
    pub(crate) fn turns_up(&self, arc: u32, next: u32) -> bool {
        !self.is_up[arc as usize] && self.is_up[next as usize]
    }

    /// Does an arc lie in the tree?
    pub(crate) fn has(&self, graph: &Graph, arc: u32) -> bool {
        let ends = [graph.from(arc), graph.to(arc)].map(|router| router as usize);
        self.up[ends[0]] == arc || self.down[ends[1]] == arc
    }

    /// The arcs of the routers above a destination by which they send to it; all others send to their parents.
    pub(crate) fn down_to(&self, graph: &Graph, destination: u32) -> Vec<(u32, u32)> {
        let mut arcs = Vec::new();
        let mut at = destination;
        while self.up[at as usize] != NONE {
            let above = graph.to(self.up[at as usize]);
            arcs.push((above, self.down[at as usize]));
            at = above;
        }
        arcs
    }

    /// The arc by which a router sends along the tree, to the destination that these arcs lead [down to](Self::down_to).
    pub(crate) fn arc(&self, router: u32, down: &[(u32, u32)]) -> u32 {
        let above = down.iter().find(|&&(above, _)| above == router);
        above.map_or(self.up[router as usize], |&(_, arc)| arc)
    }
}

/// By arc: does it lead up?
pub(crate) fn leading_up(graph: &Graph, order: &Orientation) -> Vec<bool> {
    let place = |router: u32| order.place(RouterId(router));
    let arcs = 0..graph.arcs() as u32;
    arcs.map(|arc| place(graph.to(arc)) < place(graph.from(arc)))
        .collect()
}

/// All arcs, in an order in which every route leads forwards that goes up, to lower places, and then down: what leads up comes first, from
/// the last router on; what leads down then, from the first one on.
pub(crate) fn up_then_down<P: Ord>(graph: &Graph, place: impl Fn(u32) -> P) -> Vec<u32> {
    let mut order: Vec<u32> = (0..graph.arcs() as u32).collect();
    order.sort_by_cached_key(|&arc| {
        let [from, to] = [graph.from(arc), graph.to(arc)].map(&place);
        match to < from {
            true => (None, Some(std::cmp::Reverse(from))),
            false => (Some(from), None),
        }
    });
    order
}
