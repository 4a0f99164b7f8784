//! Sets of routers of any graph that are worth cutting off for certain: all there are of small ones, and what a single link holds.

use super::sweep::{Parts, Sweep};
use super::{Width, compare};
use std::cmp::Ordering;
use turnwise_network::{Network, RouterId};

/// Of so many routers all sets are looked at: 32,768 of them, as one router stays outside.
const MOST_ROUTERS: usize = 16;

/// Every set of routers, one more or one less at a time; nothing of larger networks.
pub(super) fn every_set(network: &Network, sweep: &mut Sweep<'_>) {
    let living: Vec<RouterId> = network
        .routers()
        .filter(|&router| network.is_alive(router))
        .collect();
    if !(2..=MOST_ROUTERS).contains(&living.len()) {
        return;
    }
    sweep.clear();
    for step in 1u32..1 << (living.len() - 1) {
        // A Gray code changes the bit that a count of its steps changes last.
        let (set, router) = (step ^ step >> 1, step.trailing_zeros());
        match set >> router & 1 {
            1 => sweep.add(living[router as usize].0),
            _ => sweep.remove(living[router as usize].0),
        }
        sweep.consider(|| {
            let members = (0..).zip(&living).filter(|(bit, _)| set >> bit & 1 == 1);
            let names: Vec<String> = members
                .map(|(_, &router)| network.router_label(router))
                .collect();
            names.join(", ")
        });
    }
}

/// What is behind the link, or the links side by side, without which the network falls apart, where that is the narrowest.
pub(super) fn behind_bridges(network: &Network, parts: &Parts, sweep: &mut Sweep<'_>) {
    let tree = Walk::of(network, parts);
    let mut best = (0, Width::of_equals(1));
    let mut narrowest = None;
    for (place, &(router, above)) in tree.order.iter().enumerate() {
        let Some(above) = above.filter(|_| tree.is_bridge(place)) else {
            continue;
        };
        let inside = tree.terminals[place];
        let outside = parts.total(router) - inside;
        let leaving = parts.between(router, above);
        let links = leaving.narrower(parts.between(above, router));
        let cut = (inside * outside, parts.width(links));
        if cut.1.parts > 0 && compare(cut, best) == Ordering::Greater {
            (best, narrowest) = (cut, Some((place, above)));
        }
    }
    if let Some((place, above)) = narrowest {
        let (router, _) = tree.order[place];
        sweep.clear();
        for &(router, _) in &tree.order[place..place + tree.size[place]] {
            sweep.add(router);
        }
        sweep.consider(|| {
            let [here, there] = [router, above].map(|at| network.router_label(RouterId(at)));
            format!("what is behind the link from {there} to {here}")
        });
    }
}

/// The routers in the order of a walk that goes as deep as it can, those behind any one next to each other.
struct Walk {
    /// Routers, and from where each was reached.
    order: Vec<(u32, Option<u32>)>,
    /// By place in the order: the first place that a link leads to from there or from behind, but for the one it was reached by.
    lowest: Vec<usize>,
    /// By place: the routers and terminals behind it, itself among them.
    size: Vec<usize>,
    terminals: Vec<u64>,
}

impl Walk {
    /// O(routers + channels).
    fn of(network: &Network, parts: &Parts) -> Self {
        let count = network.router_count();
        let mut walk = Self {
            order: Vec::with_capacity(count),
            lowest: Vec::with_capacity(count),
            size: Vec::with_capacity(count),
            terminals: Vec::with_capacity(count),
        };
        let mut places = vec![usize::MAX; count];
        let living = network.routers().filter(|&router| network.is_alive(router));
        for start in living {
            // Routers that may be next, and from where.
            let mut open = vec![(start.0, None)];
            while let Some((router, above)) = open.pop() {
                if places[router as usize] != usize::MAX {
                    continue;
                }
                let place = walk.order.len();
                places[router as usize] = place;
                walk.order.push((router, above));
                walk.lowest.push(place);
                walk.size.push(1);
                walk.terminals.push(parts.terminals(router));
                let unseen = parts
                    .neighbours(router)
                    .filter(|&next| places[next as usize] == usize::MAX);
                open.extend(unseen.map(|next| (next, Some(router))));
            }
        }
        for place in (0..walk.order.len()).rev() {
            let (router, above) = walk.order[place];
            let leads = parts.neighbours(router).filter(|&next| Some(next) != above);
            let first = leads.map(|next| places[next as usize]).min();
            walk.lowest[place] = walk.lowest[place].min(first.unwrap_or(place));
            if let Some(above) = above.map(|above| places[above as usize]) {
                walk.lowest[above] = walk.lowest[above].min(walk.lowest[place]);
                walk.size[above] += walk.size[place];
                walk.terminals[above] += walk.terminals[place];
            }
        }
        walk
    }

    fn is_bridge(&self, place: usize) -> bool {
        self.lowest[place] == place
    }
}
