//! Tori with few lanes, whose cuts slant: in every lane each ring is cut somewhere, as where lanes are [cut](super::cuts) into meshes, but a
//! destination is in all lanes, and who sends to it takes one in which no ring on the way is cut there.
//!
//! Ways keep to dimension order, so that a tree is told by where each line that leads to its destination is parted: who is below comes the one way,
//! who is above the other. A ring of which two lanes are left, whose cuts are opposite each other, can be parted where both ways are as short. Only who
//! would have to go over a cut of the one lane in this dimension and over one of the other in that has to go around, or somebody before does. Where
//! it costs least to part all lines, with what arcs carry taken into account, is found exactly, destination by destination, in a few rounds.
//!
//! Cuts lie elsewhere in each ring, by the other coordinates of the line, to and fro from dimension to dimension. Of two dimensions, the ring to set
//! out by is cut near where the other way begins, and the other ring opposite where the first way ends: who goes over both goes far along both, and
//! a third fewer have to go around than where all rings are cut in the same place.
//!
//! A ring with a gap is cut there in all lanes. Where a line has more gaps than one, some have no way, which others have to find.
//!
//! Source: none; dimension order on meshes as in Dally and Seitz, IEEE Trans. Computers C-36(5), 1987.
//!
//! Complexity: O(terminals x routers x 2^lanes) for each round.

mod lines;
mod parting;

use super::layering::{LEFT, Partial};
use super::orders::in_turn;
use crate::irregular::by_destination::{Graph, Steps, Trees, Turns};
use lines::Lines;
use parting::balanced;

/// More lanes make little difference, and each of them doubles what lanes may be left.
const MOST_LANES: u32 = 4;

/// Ways for trees that have none yet, and their lanes, of so many, as far as no link on the way has failed.
pub(super) fn slanted(
    mut trees: Trees,
    graph: &Graph,
    steps: &Steps,
    lanes: u32,
) -> (Trees, Partial) {
    let lanes = lanes.min(MOST_LANES);
    let lines = Lines::new(graph, steps, lanes as usize);
    let partings = balanced(&lines, graph, &trees);
    let mut chosen = vec![LEFT; trees.next.len()];
    let mut rows = chosen.chunks_exact_mut(trees.width.max(1));
    let mut turn = 0;
    for (index, parting) in partings.chunks_exact(lines.count).enumerate() {
        let destination = trees.routers[index];
        let tree = trees.to_mut(index);
        let Some(row) = rows.next() else { break };
        let ways = lines.ways(lines.numbers[destination as usize], parting);
        for (router, &number) in lines.numbers.iter().enumerate() {
            let (arc, left) = ways[number as usize];
            tree[router] = arc;
            if left != 0 {
                row[router] = in_turn(left, &mut turn);
            }
        }
    }
    trees.spread_over_copies(graph, |arc| graph.pace(arc));
    let turns = Turns::new(graph);
    let orders = (0..lanes as usize).map(|lane| lines.order(graph, lane));
    let partial = Partial::taking(&turns, &trees, chosen, orders);
    (trees, partial)
}
