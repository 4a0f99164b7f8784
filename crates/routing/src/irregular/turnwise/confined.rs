//! Trees that fit into few lanes: ways are chosen by what lanes still allow.
//!
//! Where routes on balanced trees need more lanes than there are, trees are grown anew, one after the other, from the destination outwards,
//! by weights (`weighing`) or by length (`growing`): a router takes the least loaded of those shortest ways whose route fits into some lane
//! together with all before; if none does, it waits until the others have theirs, and takes what is short among all ways that fit.
//!
//! The first lane always allows a spanning tree, so there is always a way: routers that are stuck go along that tree, with all who are on their
//! way, and everybody else is placed anew. So every budget is enough, one lane too. All lanes may as well begin with all that segments
//! leave, which is spread evenly; how well depends on where these begin, so several roots are tried in small networks. What carries least
//! after two rounds is gone on with.
//!
//! By length nothing is gained with one lane, nor where lanes are far too few. Elsewhere it is tried too, as shortest ways mostly fit in there. The
//! first lane may then begin with all that up*/down* routing allows; what carries less after one round is gone on with. And all of that once
//! more with routes that spread to every lane that could have them, where they kept to those that had them. Rounds follow as for balanced trees, in
//! which lanes only ever allow more. What carries less in the end is taken.
//!
//! Source: after Domke, Hoefler, Matsuoka, "Routing on the dependency graph: a new approach to deadlock-free high-performance routing" (Nue), HPDC 2016.
//!
//! Complexity: a round takes O(terminals x channels x (diameter + lanes)), and as much again for every time that a router is stuck; all together
//! O(lanes x turns) searches in a graph of channels.

use super::growing::{Growing, Sparing};
use super::loads::{Loads, Measure};
use crate::irregular::by_destination::{Allowed, Escape, Graph, Lane, Layering, Trees, Turns};
use crate::irregular::orientation::Orientation;
use crate::irregular::root::{Root, RootPolicy};
use crate::irregular::segment::Forbidden;
use turnwise_network::{End, Network, RouterId};

/// So many roots of segments are tried at most, and with more trees times arcs than this, only one.
const ROOTS: usize = 8;
const WORK: usize = 1 << 19;
/// Rounds by weights, of the best start.
const ROUNDS: usize = 4;
/// Shortest ways mostly fit in if trees by weights carry no more than so many hundredths of what those carry that need more lanes.
const NEAR: u64 = 125;

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
    let turns = Turns::new(graph);
    let trees = trees.apart();
    let roots = roots(network, order, trees.work(graph));
    let starts = roots.into_iter().map(|root| Start {
        network,
        turns: &turns,
        trees: &trees,
        escape: Escape::new(graph, &root),
        orders: orders(network, root, lanes),
    });
    let starts: Vec<Start<'_>> = starts.collect();
    let first = &starts[0];
    let most = Loads::of_trees(graph, &trees).most();
    let mut best = first.weighed(Base::Tree);
    for start in &starts {
        let other = start.weighed(Base::Segments);
        if other.loads.quality() < best.loads.quality() {
            best = other;
        }
    }
    best.weigh_again(ROUNDS);
    if lanes > 1 && best.loads.most() <= most * NEAR / 100 {
        let other = first.by_length();
        if other.loads.quality() < best.loads.quality() {
            best = other;
        }
    }
    best.finished()
}

/// Orders from several roots, the given one first; the more work it is to look at one, the fewer.
fn roots(network: &Network, first: Orientation, work: usize) -> Vec<Orientation> {
    let count = (WORK / work.max(1)).clamp(1, ROOTS);
    let mut roots = vec![first];
    if count == ROOTS {
        // It takes a search of all pairs for each of many routers.
        let central = Root::Policy(RootPolicy::BestAvg).orient(network, 0);
        roots.extend(central);
    }
    while roots.len() < count {
        roots.push(Orientation::elsewhere(network, &roots));
    }
    roots
}

/// An order for each lane, far from each other.
fn orders(network: &Network, root: Orientation, lanes: u32) -> Vec<Orientation> {
    let mut orders = vec![root];
    while orders.len() < lanes as usize {
        orders.push(Orientation::elsewhere(network, &orders));
    }
    orders
}

/// Where trees and lanes begin.
struct Start<'a> {
    network: &'a Network,
    turns: &'a Turns<'a>,
    trees: &'a Trees,
    escape: Escape,
    /// By lane.
    orders: Vec<Orientation>,
}

impl Start<'_> {
    /// Trees that need more lanes than these.
    fn grown(&self, base: Base) -> Growing<'_> {
        let mut growing = Growing::new(
            self.turns.graph,
            self.turns,
            Some(&self.escape),
            self.trees.clone(),
        );
        for (number, order) in self.orders.iter().enumerate() {
            let mut lane = match (number, base) {
                (0, Base::UpDown) => Lane::with(self.turns, &self.escape, Allowed::All),
                (0, _) => Lane::with(self.turns, &self.escape, Allowed::Tree),
                _ => Lane::new(self.turns),
            };
            if base == Base::Segments {
                open(&mut lane, self.network, self.turns, order);
            }
            growing.lanes.push(lane);
        }
        growing
    }

    /// Trees that fit, by weights.
    fn weighed(&self, base: Base) -> Growing<'_> {
        let mut growing = self.grown(base);
        growing.weigh();
        growing.weigh_again(1);
        growing
    }

    /// Trees of short ways that fit into several lanes.
    fn by_length(&self) -> Growing<'_> {
        let begin = |base, eager| {
            let mut growing = self.grown(base);
            growing.eager = eager;
            let sparing = match base == Base::Tree {
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
        let mut eager = begin(Base::Tree, true);
        if eager.rounds() < most {
            growing = eager;
        }
        growing.count_loads();
        growing
    }
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
