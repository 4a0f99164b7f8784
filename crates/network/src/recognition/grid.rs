//! Meshes, tori and hypercubes, whatever their routers are called and though some links are missing.
//!
//! Opposite sides of a square of links belong together, since both are one step in the same dimension between the same two
//! coordinates: what is connected by squares is a *class*. Two classes that meet at a router and span no square there lie one behind the
//! other in one dimension. So the classes of a dimension make a ring, or a line, and give every router its coordinates. A ring of
//! four is two dimensions of two, as a graph.
//!
//! With links missing, some squares are, and most are not: what most routers say of two classes is believed, and in the end every link
//! has to join neighbours. Grids of two dimensions, where a square less may be all it takes, get missing links back first ([`mending`]).
//!
//! Source: the relation is that of Djoković, "Distance-preserving subgraphs of hypercubes", J. Combinatorial Theory B 14(3), 1973, by which
//! Cartesian products are decomposed (Hammack, Imrich, Klavžar, *Handbook of Product Graphs*, 2011, chapter 23).
//!
//! Complexity: O(links x squared degree x degree), and nothing to speak of where a router has more links than a grid of eight dimensions.

mod mending;

use super::wiring::{Missing, Wiring};
use crate::ids::RouterId;
use crate::partition::Partition;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A grid, and where every router is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lattice {
    /// Routers along each dimension, at least 2.
    pub sizes: Vec<u32>,
    /// Does a dimension close to a ring?
    pub rings: Vec<bool>,
    /// By router, then by dimension; all 0 for dead ones.
    pub places: Vec<u32>,
}

/// More links a router of a grid does not have: two in each of eight dimensions.
const MOST_LINKS: usize = 16;

/// Grids by what they are called, with their sizes.
pub(super) enum Built {
    Hypercube(usize),
    Torus(Vec<u32>),
    Mesh(Vec<u32>),
    /// Rings, and lines.
    Mixed(Vec<u32>, Vec<u32>),
}

impl Lattice {
    /// The grid that a network is, if it is one: connected, and with not too much missing.
    pub(super) fn of(wiring: &Wiring) -> Option<(Self, Missing)> {
        let degree = |&router: &u32| wiring.neighbours(router).len();
        let is_sparse = wiring.living.iter().map(degree).max()? <= MOST_LINKS;
        // In a grid two neighbours have at most the third router of a ring of three in common.
        let first = wiring.ends.first()?;
        if !is_sparse || wiring.common(first[0], first[1]).count() > 1 {
            return None;
        }
        let found = Links(wiring).lattice(wiring);
        found.or_else(|| Links(&mending::mended(wiring)?).lattice(wiring))
    }

    /// What somebody builds who builds this.
    pub(super) fn as_built(&self) -> Built {
        let of = |ring: bool| -> Vec<u32> {
            let sizes = self.sizes.iter().zip(&self.rings);
            let sizes = sizes.filter(|&(_, &is_ring)| is_ring == ring);
            sizes.map(|(&size, _)| size).collect()
        };
        let (mut rings, mut lines) = (of(true), of(false));
        let is_pair = |&size: &u32| size == 2;
        match (rings.is_empty(), lines.iter().all(is_pair)) {
            (true, true) => Built::Hypercube(lines.len()),
            (true, false) => Built::Mesh(lines),
            (false, false) => Built::Mixed(rings, lines),
            (false, true) => {
                // A ring of four is two dimensions of two.
                rings.extend(vec![4; lines.len() / 2]);
                lines.truncate(lines.len() % 2);
                rings.extend(lines);
                Built::Torus(rings)
            }
        }
    }

    /// The coordinates of a router.
    pub fn place(&self, router: RouterId) -> &[u32] {
        let first = router.index() * self.sizes.len();
        &self.places[first..first + self.sizes.len()]
    }
}

/// A dimension: its classes in order, and whether the last one is followed by the first.
struct Dimension {
    classes: Vec<u32>,
    is_ring: bool,
}

/// The links between living routers.
struct Links<'a>(&'a Wiring);

impl Links<'_> {
    /// The grid, and what the network lacks of it that is really there.
    fn lattice(&self, real: &Wiring) -> Option<(Lattice, Missing)> {
        let classes = self.classes()?;
        let dimensions = self.dimensions(&classes)?;
        self.places(&classes, &dimensions, real)
    }

    /// The class of every link, by the squares that links are opposite sides of.
    fn classes(&self) -> Option<Vec<u32>> {
        let wiring = self.0;
        let mut classes = Partition::new(wiring.ends.len());
        for (link, &[a, b]) in (0..).zip(&wiring.ends) {
            for &(c, _) in wiring.neighbours(a).iter().filter(|&&(c, _)| c != b) {
                for (d, [_, opposite]) in wiring.common(b, c) {
                    if d != a {
                        classes.unite(link, opposite);
                    }
                }
            }
        }
        let classes = classes.numbers();
        // No router has two links of a class, and there are not many classes.
        let distinct = |&router: &u32| {
            let at = wiring.neighbours(router);
            let of: BTreeSet<u32> = at.iter().map(|&(_, link)| classes[link as usize]).collect();
            of.len() == at.len()
        };
        wiring.living.iter().all(distinct).then_some(classes)
    }

    /// Classes in a line or a ring, as they follow each other.
    fn dimensions(&self, classes: &[u32]) -> Option<Vec<Dimension>> {
        // By two classes: how often they meet, and how often in a corner of a square.
        let mut meetings: BTreeMap<(u32, u32), [usize; 2]> = BTreeMap::new();
        for &router in &self.0.living {
            let at = self.0.neighbours(router);
            for (index, &(one, first)) in at.iter().enumerate() {
                for &(other, second) in &at[index + 1..] {
                    let pair = [first, second].map(|link| classes[link as usize]);
                    let pair = (pair[0].min(pair[1]), pair[0].max(pair[1]));
                    let mut corners = self.0.common(one, other);
                    let is_square = corners.any(|(corner, _)| corner != router);
                    let [met, squares] = meetings.entry(pair).or_default();
                    *met += 1;
                    *squares += usize::from(is_square);
                }
            }
        }
        let mut next: BTreeMap<u32, Vec<u32>> =
            classes.iter().map(|&class| (class, Vec::new())).collect();
        let mut links: BTreeMap<u32, usize> = BTreeMap::new();
        for &class in classes {
            *links.entry(class).or_default() += 1;
        }
        for ((one, other), [met, squares]) in meetings {
            // One behind the other meet at every router between them; where a square is missing they meet at few.
            let most = links[&one].max(links[&other]);
            if 2 * squares < met && 3 * met > 2 * most {
                next.entry(one).or_default().push(other);
                next.entry(other).or_default().push(one);
            }
        }
        chains(next)
    }

    /// The coordinates of all routers, and whether they make sense.
    fn places(
        &self,
        classes: &[u32],
        dimensions: &[Dimension],
        real: &Wiring,
    ) -> Option<(Lattice, Missing)> {
        let wiring = self.0;
        let sizes: Vec<u32> = dimensions.iter().map(Dimension::size).collect();
        let rings: Vec<bool> = dimensions
            .iter()
            .map(|dimension| dimension.is_ring)
            .collect();
        // By class: its dimension, and the lower coordinate.
        let mut steps = BTreeMap::new();
        for (dimension, chain) in dimensions.iter().enumerate() {
            for (lower, &class) in (0..).zip(&chain.classes) {
                steps.insert(class, (dimension, lower));
            }
        }
        let mut sizes_of = sizes.iter().map(|&size| u64::from(size));
        let count = sizes_of.try_fold(1, u64::checked_mul)?;
        let lines = sizes
            .iter()
            .zip(dimensions)
            .map(|(&size, dimension)| count / u64::from(size) * dimension.classes.len() as u64);
        let links = u64::checked_mul(lines.sum(), wiring.copies().into())?;
        let missing = real.missing(count, links)?;
        let width = sizes.len();
        let mut places: Vec<Option<Vec<u32>>> = vec![None; wiring.routers()];
        let (start, place) = self.start(classes, dimensions, &steps)?;
        places[start as usize] = Some(place);
        let mut queue = VecDeque::from([start]);
        while let Some(router) = queue.pop_front() {
            let from = places[router as usize].clone()?;
            for &(next, link) in wiring.neighbours(router) {
                let (dimension, lower) = steps[&classes[link as usize]];
                let size = sizes[dimension];
                let upper = (lower + 1) % size;
                let mut to = from.clone();
                to[dimension] = match from[dimension] {
                    at if at == lower => upper,
                    at if at == upper => lower,
                    _ => return None,
                };
                match &places[next as usize] {
                    None => {
                        places[next as usize] = Some(to);
                        queue.push_back(next);
                    }
                    Some(known) if *known != to => return None,
                    Some(_) => {}
                }
            }
        }
        let known: BTreeSet<&Vec<u32>> = places.iter().flatten().collect();
        if known.len() != wiring.living.len() {
            return None;
        }
        let places = places.into_iter();
        let lattice = Lattice {
            places: places
                .flat_map(|place| place.unwrap_or_else(|| vec![0; width]))
                .collect(),
            sizes,
            rings,
        };
        Some((lattice, missing))
    }

    /// A router with as many links as any, and its coordinates.
    fn start(
        &self,
        classes: &[u32],
        dimensions: &[Dimension],
        steps: &BTreeMap<u32, (usize, u32)>,
    ) -> Option<(u32, Vec<u32>)> {
        let living = self.0.living.iter().rev();
        let router = *living.max_by_key(|&&router| self.0.neighbours(router).len())?;
        // By dimension: the lower coordinates of the classes that it has links of.
        let mut lower = vec![Vec::new(); dimensions.len()];
        for &(_, link) in self.0.neighbours(router) {
            let (dimension, at) = steps[&classes[link as usize]];
            lower[dimension].push(at);
        }
        let place = lower.iter().zip(dimensions).map(|(lower, dimension)| {
            let size = dimension.size();
            match lower[..] {
                // Between two classes.
                [one, other] if (one + 1) % size == other => Some(other),
                [one, other] if (other + 1) % size == one => Some(one),
                // At an end of a line.
                [0] if !dimension.is_ring => Some(0),
                [one] if !dimension.is_ring && one + 2 == size => Some(one + 1),
                _ => None,
            }
        });
        Some((router, place.collect::<Option<Vec<u32>>>()?))
    }
}

impl Dimension {
    fn size(&self) -> u32 {
        self.classes.len() as u32 + u32::from(!self.is_ring)
    }
}

/// Lines and rings of what follows each other; `None` if there is anything else.
fn chains(mut next: BTreeMap<u32, Vec<u32>>) -> Option<Vec<Dimension>> {
    if next.values().any(|next| next.len() > 2) {
        return None;
    }
    let mut dimensions = Vec::new();
    while !next.is_empty() {
        // From the end of a line, if one is left.
        let ends = next.iter().find(|(_, next)| next.len() < 2);
        let is_ring = ends.is_none();
        let mut at = *ends.or_else(|| next.iter().next())?.0;
        let mut classes = Vec::new();
        while let Some(further) = next.remove(&at) {
            classes.push(at);
            match further.into_iter().find(|class| next.contains_key(class)) {
                Some(class) => at = class,
                None => break,
            }
        }
        if is_ring && classes.len() < 3 {
            return None;
        }
        dimensions.push(Dimension { classes, is_ring });
    }
    Some(dimensions)
}
