//! Routes of trees, put into lanes in which they close no circle.
//!
//! A route keeps to one lane. Lane after lane takes of the routes that are left those that fit: a router's route is in it
//! if that of the next router could be, and its first turn is allowed there. Where the network's structure knows orders for its lanes, these
//! take at first what leads forwards in them, which needs no search for circles; in large networks without one, up*/down* orders around some
//! routers serve for the first lanes.
//!
//! Where both directions of a pair are to have the same lane, so have all routes between two routers, there and back: they are put into a lane
//! together, or none of them.
//!
//! Complexity: O(terminals x routers x lanes), and O(lanes x turns) searches in a graph of channels.

use super::loads::Arrivals;
use super::taste::{Sharing, Taste, in_order};
use super::undamaged::{Undamaged, numbers};
use crate::irregular::by_destination::{
    Graph, Lane, Layering, NONE, Nearest, Steps, Trees, Turns, up_then_down,
};

/// The lane of a route that has none yet.
pub(super) const LEFT: u8 = u8::MAX;

/// Lanes that take only what leads forwards, in large networks.
const ROOTS: usize = 4;

/// Which routes lanes take first.
#[derive(Clone, Copy)]
pub(super) enum Sequence<'a> {
    /// One after the other.
    Any,
    /// Those that go as on the whole grid, in the lanes they have there: they close few circles among each other, and need more lanes where others
    /// are among them. If others are few, they find room between them in fewer lanes.
    UsualFirst(&'a Steps),
}

impl Layering {
    /// Each route in a lane where it fits, of so many lanes, at most 255, by the orders of a taste if there is one; `None` if they do not
    /// all fit.
    pub(super) fn quickly(
        graph: &Graph,
        trees: &Trees,
        taste: Option<&dyn Taste>,
        most: usize,
        sharing: Sharing,
    ) -> Option<Self> {
        let orders = match taste {
            Some(taste) => taste.lanes(graph),
            None if graph.is_large() => around_roots(graph),
            None => Vec::new(),
        };
        let new = |orders| {
            let (way, taste) = ((trees, sharing, Sequence::Any), (taste, orders));
            Partial::new(graph, way, taste, most, Lane::searching_little).whole()
        };
        let found = new(orders);
        let shared = taste.filter(|_| sharing == Sharing::Mutual);
        let orders = shared.map(|taste| taste.mutual_lanes(graph));
        let by_orders = orders.filter(|orders| !orders.is_empty()).and_then(new);
        found
            .into_iter()
            .chain(by_orders)
            .min_by_key(|found| found.count)
    }

    /// The same, though it takes longer. What suits a structure may need a lane more than what does not, and so may a search that is bounded.
    /// Those who have less to spare wait longer.
    pub(super) fn patiently(
        graph: &Graph,
        trees: &Trees,
        taste: Option<&dyn Taste>,
        most: usize,
        sharing: Sharing,
    ) -> Option<Self> {
        let anyhow = taste.and_then(|_| Self::quickly(graph, trees, None, most, sharing));
        anyhow.or_else(|| {
            if graph.is_large() {
                return None;
            }
            let way = (trees, sharing, Sequence::Any);
            Partial::new(graph, way, (None, Vec::new()), most, |lane| lane).whole()
        })
    }
}

/// Lanes that have taken what fits.
pub(super) struct Partial {
    pub(super) lanes: Vec<Lane>,
    /// By destination, then by router: the lane of its route, or [`LEFT`].
    pub(super) chosen: Vec<u8>,
    left: usize,
}

impl Partial {
    /// As much as fits into so many lanes, by the order of a taste.
    pub(super) fn of_taste(
        graph: &Graph,
        way: (&Trees, Sharing, Sequence<'_>),
        taste: &dyn Taste,
        most: usize,
    ) -> Self {
        let orders = taste.lanes(graph);
        Self::new(
            graph,
            way,
            (Some(taste), orders),
            most,
            Lane::searching_little,
        )
    }

    /// Routes that have their lanes, or are [`LEFT`], and lanes that take them, which lead forwards in these orders or almost.
    pub(super) fn taking(
        turns: &Turns<'_>,
        trees: &Trees,
        chosen: Vec<u8>,
        orders: impl Iterator<Item = Vec<u32>>,
    ) -> Self {
        let graph = turns.graph;
        let mut arrivals = Arrivals::new(graph);
        // By turn and by router: lanes of the routes that come by.
        let (mut taken, mut passing) = (vec![0u16; turns.count()], vec![0u16; trees.width]);
        let mut left = 0;
        for (index, &destination) in trees.routers.iter().enumerate() {
            let (tree, row) = (trees.to(index), &chosen[index * trees.width..]);
            arrivals.look(graph, tree, destination);
            for (at, passing) in passing.iter_mut().enumerate() {
                let router = at as u32;
                let sends = graph.terminals(router) > 0 && router != destination;
                *passing = match row[at] {
                    lane if sends && lane != LEFT => 1 << lane,
                    _ => 0,
                };
                left += usize::from(sends && *passing == 0);
            }
            for &router in arrivals.order[1..].iter().rev() {
                let (arc, lanes) = (tree[router as usize], passing[router as usize]);
                let next = graph.to(arc) as usize;
                if tree[next] != NONE {
                    passing[next] |= lanes;
                    taken[turns.number(arc, tree[next])] |= lanes;
                }
            }
        }
        let lanes = orders.enumerate().map(|(number, order)| {
            let mut lane = Lane::in_order(turns, &order).searching_little();
            for arc in 0..graph.arcs() as u32 {
                for (turn, next) in turns.onwards(arc) {
                    if taken[turn] >> number & 1 == 1 {
                        lane.allows(turns, arc, next);
                    }
                }
            }
            lane
        });
        Self {
            lanes: lanes.collect(),
            chosen,
            left,
        }
    }

    /// Have lanes taken everything?
    pub(super) fn is_whole(&self) -> bool {
        self.left == 0
    }

    /// The lanes, if they have taken everything.
    pub(super) fn whole(self) -> Option<Layering> {
        self.is_whole().then(|| Layering {
            count: self.lanes.len().max(1) as u32,
            lanes: self.chosen,
        })
    }

    fn new(
        graph: &Graph,
        (trees, sharing, first): (&Trees, Sharing, Sequence<'_>),
        (taste, orders): (Option<&dyn Taste>, Vec<Vec<u32>>),
        most: usize,
        searching: fn(Lane) -> Lane,
    ) -> Self {
        let turns = Turns::new(graph);
        let sequence = taste.and_then(|taste| taste.sequence());
        let sequence = sequence.unwrap_or_else(|| (0..trees.width as u32).collect());
        let mut filling = Filling::new((trees, sharing), &turns, sequence);
        let mut lanes: Vec<Lane> = Vec::new();
        for order in orders.iter().take(most) {
            if filling.left == 0 {
                break;
            }
            let mut lane = searching(Lane::in_order(&turns, order));
            filling.fill(lanes.len() as u8, |arc, next| {
                lane.allows_forwards(&turns, arc, next)
            });
            lanes.push(lane);
        }
        let order = taste.and_then(|taste| taste.order(graph));
        let new = || {
            searching(match &order {
                Some(order) => Lane::in_order(&turns, order),
                None => Lane::new(&turns),
            })
        };
        if let Sequence::UsualFirst(steps) = first {
            lanes = filling.fill_as_whole((&turns, steps), most);
        }
        // What leads nowhere forwards fits hardly anywhere around roots.
        let first = if taste.is_some() { 0 } else { lanes.len() };
        // A lane takes less than the one before, down to nothing. If all that are there to come would not do if each took half of what
        // this one has, which is more than they do, there is no need to search them: in large networks that takes seconds.
        let gives_up = taste.is_none() && graph.is_large();
        for number in first..most {
            if filling.left == 0 {
                break;
            }
            if number == lanes.len() {
                lanes.push(new());
            }
            let lane = &mut lanes[number];
            let before = filling.left;
            filling.fill(number as u8, |arc, next| lane.allows(&turns, arc, next));
            let taken = before - filling.left;
            if gives_up && 2 * filling.left > (most - number - 1) * taken {
                break;
            }
        }
        Self {
            lanes,
            chosen: filling.lanes,
            left: filling.left,
        }
    }
}

/// Orders in which routes lead forwards that go up to routers nearer to a root and then down, for roots that are spread evenly.
fn around_roots(graph: &Graph) -> Vec<Vec<u32>> {
    let mut nearest = Nearest::new(graph);
    let mut places = vec![0u32; graph.routers()];
    let orders = (0..ROOTS).map(|number| {
        let root = number * graph.routers() / ROOTS;
        nearest.search(graph, root as u32);
        for (place, &router) in (0..).zip(&nearest.order) {
            places[router as usize] = place;
        }
        up_then_down(graph, |router| places[router as usize])
    });
    orders.collect()
}

/// Does a router's route fit into the lane that is looked at?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fits {
    Unknown,
    Yes,
    No,
}

struct Filling<'a> {
    trees: &'a Trees,
    sharing: Sharing,
    graph: &'a Graph,
    /// By destination, then by router.
    lanes: Vec<u8>,
    /// Destinations, and routers, in the order in which their routes are looked at.
    destinations: Vec<u32>,
    routers: Vec<u32>,
    /// Routes that have no lane yet.
    left: usize,
    /// By router; of routes that share lanes by destination, then by router.
    fits: Vec<Fits>,
    walk: Vec<u32>,
}

impl<'a> Filling<'a> {
    fn new((trees, sharing): (&'a Trees, Sharing), turns: &Turns<'a>, routers: Vec<u32>) -> Self {
        let mut ranks = vec![0; trees.width];
        for (rank, &router) in (0..).zip(&routers) {
            ranks[router as usize] = rank;
        }
        let mut destinations: Vec<u32> = (0..trees.routers.len() as u32).collect();
        destinations.sort_by_key(|&index| ranks[trees.routers[index as usize] as usize]);
        let mut lanes = vec![0; trees.next.len()];
        let mut left = 0;
        for place in trees.routed(turns.graph) {
            lanes[place] = LEFT;
            left += 1;
        }
        let known = match sharing {
            Sharing::None => trees.width,
            Sharing::Mutual => trees.next.len(),
        };
        Self {
            trees,
            sharing,
            graph: turns.graph,
            lanes,
            destinations,
            routers,
            left,
            fits: vec![Fits::Unknown; known],
            walk: Vec::new(),
        }
    }

    /// Puts routes that go as on the whole grid into the lanes they have there, of so many at most.
    fn fill_as_whole(&mut self, (turns, steps): (&Turns<'_>, &Steps), most: usize) -> Vec<Lane> {
        let whole = Undamaged::new(steps);
        let way = (&whole.trees, Sharing::None, Sequence::Any);
        let taste = in_order(&whole.steps, Sharing::None);
        let Partial { lanes, chosen, .. } = Partial::of_taste(&whole.graph, way, &taste, most);
        let numbers = numbers(turns.graph, steps);
        let way = (self.trees, numbers.as_slice());
        whole.put_lanes(turns.graph, way, &chosen, |place, lane| {
            self.lanes[place] = lane;
            self.left -= 1;
        });
        let chosen = std::mem::take(&mut self.lanes);
        let orders = lanes
            .iter()
            .map(|lane| whole.order_of(lane, turns.graph, &numbers));
        let partial = Partial::taking(turns, self.trees, chosen, orders);
        self.lanes = partial.chosen;
        partial.lanes
    }

    /// Puts routes that are left into a lane which allows all their turns.
    fn fill(&mut self, lane: u8, allows: impl FnMut(u32, u32) -> bool) {
        match self.sharing {
            Sharing::None => self.fill_one_by_one(lane, allows),
            Sharing::Mutual => self.fill_both_ways(lane, allows),
        }
    }

    /// Routes between two routers into it, or none of them.
    fn fill_both_ways(&mut self, lane: u8, mut allows: impl FnMut(u32, u32) -> bool) {
        let (trees, width) = (self.trees, self.trees.width);
        let mut of_router = vec![Vec::new(); width];
        self.fits.fill(Fits::Unknown);
        for (index, &router) in trees.routers.iter().enumerate() {
            of_router[router as usize].push(index);
            self.fits[index * width + router as usize] = Fits::Yes;
        }
        let routers = std::mem::take(&mut self.routers);
        let mut fits = std::mem::take(&mut self.fits);
        let mut between: Vec<(usize, u32)> = Vec::new();
        for (place, &one) in routers.iter().enumerate() {
            for &other in &routers[place + 1..] {
                between.clear();
                for (from, to) in [(one, other), (other, one)] {
                    let all = of_router[to as usize].iter().map(|&index| (index, from));
                    let is_left = |&(index, from): &(usize, u32)| {
                        self.lanes[index * width + from as usize] == LEFT
                    };
                    between.extend(all.filter(is_left));
                }
                let mut fit = |&(index, from): &(usize, u32)| {
                    let known = &mut fits[index * width..(index + 1) * width];
                    self.fits(trees.to(index), known, from, &mut allows)
                };
                if between.iter().all(&mut fit) {
                    for &(index, from) in &between {
                        self.lanes[index * width + from as usize] = lane;
                    }
                    self.left -= between.len();
                }
            }
        }
        (self.routers, self.fits) = (routers, fits);
    }

    fn fill_one_by_one(&mut self, lane: u8, mut allows: impl FnMut(u32, u32) -> bool) {
        let mut known = std::mem::take(&mut self.fits);
        let mut lanes = std::mem::take(&mut self.lanes);
        let (destinations, routers) = (
            std::mem::take(&mut self.destinations),
            std::mem::take(&mut self.routers),
        );
        for &destination in &destinations {
            let index = destination as usize;
            let width = self.trees.width;
            let lanes = &mut lanes[index * width..(index + 1) * width];
            let tree = self.trees.to(index);
            known.fill(Fits::Unknown);
            known[self.trees.routers[index] as usize] = Fits::Yes;
            for &router in &routers {
                let at = router as usize;
                if lanes[at] == LEFT && self.fits(tree, &mut known, router, &mut allows) {
                    lanes[at] = lane;
                    self.left -= 1;
                }
            }
        }
        (self.lanes, self.destinations, self.routers) = (lanes, destinations, routers);
        self.fits = known;
    }

    /// Does the route from a router fit into a lane? From the destination on, what is not `known` by router yet is tried.
    fn fits(
        &mut self,
        tree: &[u32],
        known: &mut [Fits],
        router: u32,
        allows: &mut impl FnMut(u32, u32) -> bool,
    ) -> bool {
        self.walk.clear();
        let mut at = router;
        while known[at as usize] == Fits::Unknown {
            self.walk.push(at);
            at = self.graph.to(tree[at as usize]);
        }
        let mut fits = known[at as usize] == Fits::Yes;
        for &router in self.walk.iter().rev() {
            let arc = tree[router as usize];
            let next = tree[self.graph.to(arc) as usize];
            fits = fits && (next == NONE || allows(arc, next));
            known[router as usize] = if fits { Fits::Yes } else { Fits::No };
        }
        fits
    }
}
