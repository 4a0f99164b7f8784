//! Lanes for the routes of large networks, without a search for circles.
//!
//! Lanes go [by orders](super::orders) of routers, of the kind that more ways fit into. If every route fits into one of the first few, that is all
//! there is to do. If not even all lanes are enough, trees are [mended](super::mending) one after the other, and then what carries more
//! than its share is eased as far as lanes allow it. A round that is not better than the best so far is not kept.
//!
//! Complexity: O(terminals x routers) for each of a few rounds, and O(ports x diameter) for each way that changes.

use super::mending::Mending;
use super::orders::{Bends, Orders, Roots, in_turn};
use crate::irregular::by_destination::{Graph, Layering, Trees};

/// Rounds that ease what carries more than its share, at most.
const ROUNDS: usize = 4;
/// No channel need carry less than this many hundredths of the mean.
const SHARE: u64 = 101;

/// Trees by which kinds of orders are compared, about.
const SAMPLE: usize = 128;
/// One way in so many may well be mended.
const MENDED: usize = 12;

/// Lanes by orders, and how much fits into them.
pub(super) struct Fit {
    orders: Orders,
    /// Of the ways of some trees, those that fit into no lane.
    unfit: usize,
    all: usize,
}

impl Fit {
    /// Do all ways fit, but for few?
    pub(super) fn is_near(&self) -> bool {
        MENDED * self.unfit <= self.all
    }
}

/// The orders that most ways fit into, by those of some trees.
pub(super) fn best_orders(graph: &Graph, trees: &Trees, lanes: u32) -> Fit {
    let step = (trees.routers.len() / SAMPLE).max(1);
    let tried = |bends, roots| {
        let mut mending = Mending::new(graph, Orders::new(graph, lanes, bends, roots));
        let (mut unfit, mut all) = (0, 0);
        for (index, &router) in trees.routers.iter().enumerate().step_by(step) {
            mending.look(trees.to(index), router, 1);
            let fits_nowhere = |&&router: &&u32| mending.fits[router as usize] == 0;
            unfit += mending.order.iter().filter(fits_nowhere).count();
            all += mending.order.len();
        }
        Fit {
            orders: mending.orders,
            unfit,
            all,
        }
    };
    let others = [
        (Bends::Up, Roots::Evenly),
        (Bends::Both, Roots::FarApart),
        (Bends::Up, Roots::FarApart),
    ];
    let first = tried(Bends::Both, Roots::Evenly);
    others.into_iter().fold(first, |best, (bends, roots)| {
        let other = tried(bends, roots);
        if other.unfit < best.unfit {
            other
        } else {
            best
        }
    })
}

/// Shortest ways as far as they fit into these orders of so many lanes, at most 16, and a lane for every route. The given ones are shortest.
pub(super) fn oriented(graph: &Graph, trees: Trees, fit: Fit, lanes: u32) -> (Trees, Layering) {
    let mut fitting = Fitting {
        mending: Mending::new(graph, fit.orders),
        terminals: trees.terminals(),
        trees,
    };
    let count = fitting.needed().unwrap_or_else(|| {
        fitting.rounds();
        lanes
    });
    fitting.mending.orders.keep(count);
    let lanes = fitting.lanes();
    (fitting.trees, Layering { lanes, count })
}

struct Fitting<'a> {
    mending: Mending<'a>,
    trees: Trees,
    /// By destination: the terminals it stands for.
    terminals: Vec<u32>,
}

impl Fitting<'_> {
    /// Does something with every tree, told whether all its ways fit into some lane.
    fn each(&mut self, mut what: impl FnMut(&mut Mending<'_>, &mut [u32], bool)) {
        for (index, &terminals) in self.terminals.iter().enumerate() {
            let destination = self.trees.routers[index];
            let tree = self.trees.to_mut(index);
            let fits = self.mending.look(tree, destination, terminals);
            what(&mut self.mending, tree, fits);
        }
    }

    /// Takes in what all trees carry, and says how many of the lanes are enough, if they are.
    fn needed(&mut self) -> Option<u32> {
        let (mut needed, mut all_fit) = (1, true);
        self.each(|mending, tree, fits| {
            mending.add(tree);
            let lowest = |&router: &u32| mending.fits[router as usize].trailing_zeros() + 1;
            needed = mending.order.iter().map(lowest).fold(needed, u32::max);
            all_fit &= fits;
        });
        all_fit.then_some(needed)
    }

    /// Mends all trees, and eases what carries most as long as it is worth it.
    fn rounds(&mut self) {
        self.each(|mending, tree, fits| {
            if !fits {
                mending.mend(tree);
            }
        });
        let mut best = self.mending.loads.most();
        for _ in 0..ROUNDS {
            let enough = self.mending.loads.share(SHARE);
            if best <= enough.max(self.mending.loads.least()) {
                break;
            }
            let kept = self.trees.next.clone();
            self.each(|mending, tree, _| mending.relieve(tree, enough));
            let most = self.mending.loads.most();
            if most >= best {
                self.trees.next = kept;
                break;
            }
            best = most;
        }
    }

    /// A lane for every route, by turns of those that it fits into.
    fn lanes(&mut self) -> Vec<u8> {
        let mut lanes = vec![0; self.trees.next.len()];
        let mut rows = lanes.chunks_exact_mut(self.trees.width.max(1));
        let mut turn = 0;
        self.each(|mending, _, _| {
            let Some(row) = rows.next() else { return };
            for &router in &mending.order {
                let fits = mending.fits[router as usize];
                row[router as usize] = in_turn(fits, &mut turn);
            }
        });
        lanes
    }
}
