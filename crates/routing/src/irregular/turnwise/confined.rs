//! Trees that fit into few lanes: ways are chosen by what lanes still allow, shortest ones first.
//!
//! Where routes on balanced trees need more lanes than there are, trees are grown anew, one after the other, from the destination outwards. A
//! router takes the least loaded of those shortest ways whose route fits into some lane together with all before; if none does, it waits until
//! the others have theirs, and takes what is short among all ways that fit.
//!
//! The first lane always allows a spanning tree, so there is always a way: routers that are stuck go along that tree, with all who are on their
//! way, and everybody else is placed anew. So every budget is enough, one lane too. The first lane may as well begin with all
//! that up*/down* routing allows, which is more and leads to the root, and all lanes with all that segments leave, which is
//! spread more evenly; what carries less after one round is gone on with. And
//! all of that once more with routes that spread to every lane that could have them, where they kept to those that had them: what carries
//! less in the end is taken.
//!
//! Rounds follow as for balanced trees, in which lanes only ever allow more.
//!
//! Source: after Domke, Hoefler, Matsuoka, "Routing on the dependency graph: a new approach to deadlock-free high-performance routing" (Nue), HPDC 2016.
//!
//! Complexity: a round takes O(terminals x channels x (diameter + lanes)), and as much again for every time that a router is stuck; all together
//! O(lanes x turns) searches in a graph of channels.

use super::growing::{Growing, Sparing};
use super::loads::Measure;
use crate::irregular::by_destination::{Allowed, Escape, Graph, Lane, Layering, Trees, Turns};
use crate::irregular::orientation::Orientation;
use crate::irregular::segment::Forbidden;
use turnwise_network::{End, Network, RouterId};

/// What lanes allow before anybody needs it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    /// The first one what leads up and then down along its tree.
    Tree,
    /// The first one what leads up and then down anywhere.
    UpDown,
    /// All of them what segments do not forbid, each with segments of its own.
    Segments,
}

/// Trees near to these, and a lane for every route, of so many; at least one, at most 32. The order has the escape's root.
pub(super) fn confined(
    network: &Network,
    (graph, order): (&Graph, Orientation),
    trees: &Trees,
    lanes: u32,
) -> (Trees, Layering) {
    let (turns, escape) = (Turns::new(graph), Escape::new(graph, &order));
    let trees = trees.apart();
    let mut orders = vec![order];
    let mut begin = |base, eager| {
        let mut growing = Growing::new(graph, &turns, &escape, trees.clone());
        for number in 0..lanes as usize {
            let mut lane = match (number, base) {
                (0, Base::UpDown) => Lane::with(&turns, &escape, Allowed::All),
                (0, _) => Lane::with(&turns, &escape, Allowed::Tree),
                _ => Lane::new(&turns),
            };
            if base == Base::Segments {
                if number == orders.len() {
                    orders.push(Orientation::elsewhere(network, &orders));
                }
                open(&mut lane, network, &turns, &orders[number]);
            }
            growing.lanes.push(lane);
        }
        growing.eager = eager;
        let sparing = match lanes > 1 && base == Base::Tree {
            true => Sparing::OfEqual,
            false => Sparing::Never,
        };
        growing.regrow(Measure::Squares, sparing);
        growing
    };
    let mut growing = begin(Base::Tree, false);
    for base in [Base::UpDown, Base::Segments] {
        let other = begin(base, false);
        if other.loads.most() < growing.loads.most() {
            growing = other;
        }
    }
    let most = growing.rounds();
    if lanes > 1 {
        let mut eager = begin(Base::Tree, true);
        if eager.rounds() < most {
            growing = eager;
        }
    }
    growing.finished()
}

/// Allows a lane the turns that segments do not forbid, unless they close a circle with those it has.
fn open(lane: &mut Lane, network: &Network, turns: &Turns<'_>, order: &Orientation) {
    let graph = turns.graph;
    let forbidden = Forbidden::of(network, order);
    for arc in 0..graph.arcs() as u32 {
        let at = RouterId(graph.to(arc));
        let channel = network.out_channel(RouterId(graph.from(arc)), graph.port(arc));
        let target = channel.map(|channel| network.channel(channel).target);
        let Some(End::Router(_, from)) = target else {
            continue;
        };
        for next in graph.leaving(at.0) {
            if !forbidden.has(network, at, (from, graph.port(next))) {
                lane.allows(turns, arc, next);
            }
        }
    }
}
