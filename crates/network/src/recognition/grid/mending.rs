//! Grids of two dimensions with links missing, made whole again.
//!
//! In three dimensions there is always another way around a square that lacks a side. In two there is none on a mesh, so that the class of a
//! link that is missing falls into two, and those of the links beside it. A link is put back where that joins most classes, and leaves no three
//! sides of a square without the fourth; then the next one. What comes of it is a grid or not, as with any other network.
//!
//! Complexity: O(links) for each link that may be missing, of which there are few, and each that is.

use super::super::wiring::Wiring;
use super::Links;
use std::collections::BTreeSet;

/// More are not put back.
const MOST_LINKS: usize = 24;
/// Links times those that may be missing, of which each is tried out.
const MOST_TRIALS: usize = 1_000_000;

/// The network with links more, if they make it more of a grid of two dimensions.
pub(super) fn mended(wiring: &Wiring) -> Option<Wiring> {
    let degrees = wiring.living.iter().map(|&at| wiring.neighbours(at).len());
    let most = degrees.max()?;
    let (mut whole, mut flaws) = (wiring.clone(), flaws(wiring)?);
    // Hardly any link of another network is the side of a square.
    if most > 4 || 2 * flaws > wiring.ends.len() {
        return None;
    }
    let mut added = 0;
    while added < MOST_LINKS {
        let may_be_missing = candidates(&whole, most);
        if may_be_missing.len() * whole.ends.len() > MOST_TRIALS {
            return None;
        }
        let tried = may_be_missing.into_iter().filter_map(|link| {
            let with = whole.with_link(link);
            Some((self::flaws(&with)?, link))
        });
        let tried: Vec<(usize, [u32; 2])> = tried.collect();
        let Some(fewest) = tried.iter().map(|&(fewer, _)| fewer).min() else {
            break;
        };
        if fewest >= flaws {
            break;
        }
        // At a corner, several may look alike, of which one makes a grid.
        let alike = tried.iter().filter(|&&(fewer, _)| fewer == fewest);
        let alike: Vec<[u32; 2]> = alike.map(|&(_, link)| link).collect();
        let makes_a_grid = |&&link: &&[u32; 2]| {
            let with = whole.with_link(link);
            Links(&with).lattice(&with).is_some()
        };
        let link = match alike[..] {
            [link] => link,
            _ => *alike.iter().find(makes_a_grid).unwrap_or(&alike[0]),
        };
        whole = whole.with_link(link);
        flaws = fewest;
        added += 1;
    }
    (added > 0).then_some(whole)
}

/// Classes, and sides of squares that lack their fourth; `None` if no grid can have these classes.
fn flaws(wiring: &Wiring) -> Option<usize> {
    let classes = Links(wiring).classes()?;
    let distinct: BTreeSet<u32> = classes.iter().copied().collect();
    let mut open = 0;
    for (link, &[a, b]) in (0..).zip(&wiring.ends) {
        for &(c, first) in wiring.neighbours(a) {
            for &(d, second) in wiring.neighbours(b) {
                let are_sides = first != link && second != link && c != d;
                if are_sides && classes[first as usize] == classes[second as usize] {
                    open += usize::from(!wiring.is_link(c, d));
                }
            }
        }
    }
    Some(distinct.len() + open)
}

/// Routers that have fewer links than others and are three links apart, as the ends of a missing side of a square are.
fn candidates(wiring: &Wiring, most: usize) -> Vec<[u32; 2]> {
    let lacks = |&router: &u32| wiring.neighbours(router).len() < most;
    let next = |router: u32| wiring.neighbours(router).iter().map(|&(next, _)| next);
    let mut found = BTreeSet::new();
    for start in wiring.living.iter().copied().filter(lacks) {
        let far = next(start).flat_map(next).flat_map(next);
        let far = far.filter(|&end| start < end && lacks(&end));
        found.extend(
            far.filter(|&end| !wiring.is_link(start, end))
                .map(|end| [start, end]),
        );
    }
    found.into_iter().collect()
}
