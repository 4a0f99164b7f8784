//! Extended generalised fat trees, k-ary n-trees among them.
//!
//! Terminals are at the leaves, and the level of every other router is its distance from them. What is connected by routers up to a level
//! is a subtree, and what is connected by those from a level on are its roots with all that is above them. A router is the only one of its
//! level that is in one certain subtree and under certain roots, and two of neighbouring levels are linked if they share both.
//!
//! Complexity: O(links x levels).

use super::wiring::{Missing, NONE, Wiring};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A fat tree, and where every router is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Children of a node of level 1, 2, .. h.
    pub m: Vec<u32>,
    /// Parents of a node of level 0, 1, .. h-1.
    pub w: Vec<u32>,
    /// Links side by side.
    pub copies: u32,
    /// By router: its level from 1 on; 0 for dead ones.
    pub levels: Vec<u32>,
    /// By level from 1 on, then by router: the subtree of this height that it is in.
    pub below: Vec<Vec<u32>>,
    /// By level from 1 on, then by router: what it is in of all from this level on.
    pub above: Vec<Vec<u32>>,
}

impl Tree {
    pub(super) fn of(wiring: &Wiring) -> Option<(Self, Missing)> {
        let levels = levels(wiring)?;
        let height = *levels.iter().max()?;
        if height < 2 {
            return None;
        }
        let level = |router: u32| levels[router as usize];
        let parts = |has: &dyn Fn(u32) -> bool| wiring.parts(has, |_| true).0;
        let below: Vec<Vec<u32>> = (1..=height)
            .map(|top| parts(&|router| level(router) <= top))
            .collect();
        let above: Vec<Vec<u32>> = (1..=height)
            .map(|bottom| parts(&|router| level(router) >= bottom))
            .collect();
        let leaves = |router: &&u32| level(**router) == 1;
        let terminals = wiring.living.iter().filter(leaves);
        let mut m = vec![
            terminals
                .map(|&leaf| wiring.terminals[leaf as usize])
                .max()?,
        ];
        m.extend(below.windows(2).map(|pair| most_within(&pair[1], &pair[0])));
        let mut w = vec![1];
        w.extend(above.windows(2).map(|pair| most_within(&pair[0], &pair[1])));
        let tree = Self {
            m,
            w,
            copies: wiring.copies(),
            levels,
            below,
            above,
        };
        let missing = tree.missing(wiring)?;
        tree.is_true(wiring).then_some((tree, missing))
    }

    /// Number of levels of routers.
    pub fn height(&self) -> usize {
        self.m.len()
    }

    fn missing(&self, wiring: &Wiring) -> Option<Missing> {
        let product = |numbers: &[u32]| {
            let mut numbers = numbers.iter().map(|&number| u64::from(number));
            numbers.try_fold(1, u64::checked_mul)
        };
        let (mut routers, mut links) = (0u64, 0u64);
        for level in 1..=self.height() {
            let here = product(&self.m[level..])?.checked_mul(product(&self.w[..level])?)?;
            let ups = self.w.get(level).copied().unwrap_or(0) * self.copies;
            routers = routers.checked_add(here)?;
            links = links.checked_add(here.checked_mul(ups.into())?)?;
        }
        wiring.missing(routers, links)
    }

    /// Do all links join neighbouring levels, and has every router a place of its own?
    fn is_true(&self, wiring: &Wiring) -> bool {
        let level = |router: u32| self.levels[router as usize];
        let place = |&router: &u32| {
            let level = level(router) as usize;
            let [below, above] = [&self.below, &self.above].map(|parts| &parts[level - 1]);
            (level, below[router as usize], above[router as usize])
        };
        let places: BTreeSet<_> = wiring.living.iter().map(place).collect();
        places.len() == wiring.living.len()
            && wiring
                .ends
                .iter()
                .all(|&[a, b]| level(a).abs_diff(level(b)) == 1)
    }
}

/// By router: one more than the distance to the nearest one with terminals.
fn levels(wiring: &Wiring) -> Option<Vec<u32>> {
    let mut levels = vec![0; wiring.routers()];
    let mut queue = VecDeque::new();
    for &router in &wiring.living {
        if wiring.terminals[router as usize] > 0 {
            levels[router as usize] = 1;
            queue.push_back(router);
        }
    }
    while let Some(router) = queue.pop_front() {
        for &(next, _) in wiring.neighbours(router) {
            if levels[next as usize] == 0 {
                levels[next as usize] = levels[router as usize] + 1;
                queue.push_back(next);
            }
        }
    }
    let is_placed = wiring.living.iter().all(|&at| levels[at as usize] > 0);
    is_placed.then_some(levels)
}

/// Of how many smaller parts a larger one consists, at most.
fn most_within(larger: &[u32], smaller: &[u32]) -> u32 {
    let mut within: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (&larger, &smaller) in larger.iter().zip(smaller) {
        if larger != NONE && smaller != NONE {
            within.entry(larger).or_default().insert(smaller);
        }
    }
    within
        .values()
        .map(|parts| parts.len() as u32)
        .max()
        .unwrap_or(0)
}
