//! Tori with few lanes: in every lane each ring is cut somewhere, and what is left is a mesh, on which dimension order closes no circle.
//!
//! Lanes have their cuts at the beginning of rings or in their middle, the first lane all of them at the beginning, the second one all in
//! the middle, and others some here and some there. A destination is in the lane in which it is nearest to the middles of the lines it lies
//! in, since ways to the middle of a line are hardly longer than around the ring.
//!
//! Source: none; dimension order on meshes as in Dally and Seitz, IEEE Trans. Computers C-36(5), 1987.
//!
//! Complexity: O(terminals x routers x dimensions).

use crate::irregular::by_destination::{Graph, Layering, NONE, Steps, Trees};
use turnwise_network::RouterId;

/// Lanes that there can be, at most.
const MOST_LANES: u32 = 16;

/// Ways for trees that have none yet, and their lanes, of so many, one for each destination. Where a link has failed there is none.
pub(super) fn cut(mut trees: Trees, graph: &Graph, steps: &Steps, lanes: u32) -> (Trees, Layering) {
    let width = trees.width;
    let mut chosen = vec![0; trees.next.len()];
    let of_destinations = lanes_of(&trees.routers, steps, lanes);
    for (index, lane) in of_destinations.into_iter().enumerate() {
        let destination = trees.routers[index];
        chosen[index * width..(index + 1) * width].fill(lane as u8);
        let tree = trees.to_mut(index);
        for router in (0..width as u32).filter(|&router| router != destination) {
            let step = step(steps, router, destination, lane);
            let arc = step.and_then(|(dimension, positive)| steps.arc(router, dimension, positive));
            tree[router as usize] = arc.unwrap_or(NONE);
        }
    }
    trees.spread_over_copies(graph, |arc| graph.pace(arc));
    let layering = Layering {
        lanes: chosen,
        count: count(steps, lanes),
    };
    (trees, layering)
}

/// Would everybody have a way to these routers?
pub(super) fn is_whole(destinations: &[u32], steps: &Steps, lanes: u32) -> bool {
    let missing = steps.missing();
    let of_destinations = lanes_of(destinations, steps, lanes).into_iter();
    let mut all = destinations.iter().zip(of_destinations);
    all.all(|(&destination, lane)| {
        let mut missing = missing.iter().filter(|(at, ..)| *at != destination);
        missing.all(|&(at, dimension, positive)| {
            let step = step(steps, at, destination, lane);
            step.is_some_and(|step| step != (dimension, positive))
        })
    })
}

/// Lanes that differ, of so many.
fn count(steps: &Steps, lanes: u32) -> u32 {
    let kinds = 1u32
        .checked_shl(steps.rings().count() as u32)
        .unwrap_or(MOST_LANES);
    lanes.min(kinds).min(MOST_LANES)
}

/// By destination: its lane.
fn lanes_of(destinations: &[u32], steps: &Steps, lanes: u32) -> Vec<usize> {
    let count = count(steps, lanes) as usize;
    let mut filled = vec![0usize; count];
    let all = destinations.iter().map(|&destination| {
        let cost = |lane: usize| (off_centre(steps, destination, lane), filled[lane]);
        let lane = (0..count).min_by_key(|&lane| cost(lane));
        let lane = lane.unwrap_or(0);
        filled[lane] += 1;
        lane
    });
    all.collect()
}

/// Is a ring, the n-th one of all dimensions with rings, cut in the middle in this lane? Lanes come in pairs that have it the other way round.
pub(super) fn is_cut_in_the_middle(lane: usize, number: usize) -> bool {
    let (pair, is_other) = (lane / 2, lane % 2 == 1);
    (pair >> number & 1 == 1) != is_other
}

/// A coordinate, counted from the cut of its ring.
fn place(steps: &Steps, router: u32, dimension: usize, lane: usize) -> u32 {
    let lattice = steps.lattice();
    let at = lattice.place(RouterId(router))[dimension];
    let size = lattice.sizes[dimension];
    match steps.rings().position(|ring| ring == dimension) {
        Some(number) if is_cut_in_the_middle(lane, number) => (at + size - size / 2) % size,
        _ => at,
    }
}

/// How far a destination is from the middles of the lines it lies in, squared and all dimensions together.
fn off_centre(steps: &Steps, destination: u32, lane: usize) -> u32 {
    let sizes = steps.lattice().sizes.iter().enumerate();
    let off = sizes.map(|(dimension, &size)| {
        let at = place(steps, destination, dimension, lane);
        (2 * at + 1).abs_diff(size).pow(2)
    });
    off.sum()
}

/// The first dimension in which two routers differ, and whether the way that does not lead over the cut is the positive one.
fn step(steps: &Steps, at: u32, destination: u32, lane: usize) -> Option<(usize, bool)> {
    let mut dimensions = 0..steps.lattice().sizes.len();
    dimensions.find_map(|dimension| {
        let [from, to] = [at, destination].map(|router| place(steps, router, dimension, lane));
        (from != to).then_some((dimension, to > from))
    })
}
