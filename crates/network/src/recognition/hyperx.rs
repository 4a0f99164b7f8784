//! HyperX, full meshes among them.
//!
//! Three routers that are all linked lie in one line of one dimension, and opposite sides of a square without diagonals
//! in two lines of one dimension. So links fall into dimensions. Two routers have a coordinate in common if one gets from one to the other
//! without a step in its dimension.
//!
//! Complexity: O(links x degree + routers x dimensions² x degree).

use super::wiring::{Missing, NONE, Wiring};
use crate::partition::Partition;

/// A HyperX, and where every router is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coordinates {
    /// Routers along each dimension, at least 2.
    pub sizes: Vec<u32>,
    /// By router, then by dimension; all 0 for dead ones.
    pub places: Vec<u32>,
}

/// More dimensions nobody builds.
const MOST_DIMENSIONS: usize = 16;

impl Coordinates {
    pub(super) fn of(wiring: &Wiring) -> Option<(Self, Missing)> {
        if let Some(mesh) = Self::full_mesh(wiring)
            && let Some(missing) = mesh.missing(wiring)
        {
            return Some((mesh, missing));
        }
        let dimensions = dimensions(wiring)?;
        let count = dimensions.iter().max().map_or(0, |&last| last as usize + 1);
        if count > MOST_DIMENSIONS {
            return None;
        }
        let mut found = Self {
            sizes: Vec::new(),
            places: vec![0; wiring.routers() * count],
        };
        for dimension in 0..count {
            let others = |link: u32| dimensions[link as usize] as usize != dimension;
            let (parts, size) = wiring.parts(|_| true, others);
            found.sizes.push(size);
            for (router, &part) in parts.iter().enumerate().filter(|&(_, &part)| part != NONE) {
                found.places[router * count + dimension] = part;
            }
        }
        let missing = found.missing(wiring)?;
        found.is_true(wiring).then_some((found, missing))
    }

    /// A whole full mesh is known without looking at its triangles, which are many.
    fn full_mesh(wiring: &Wiring) -> Option<Self> {
        let count = wiring.living.len();
        if wiring.ends.len() != count * (count - 1) / 2 {
            return None;
        }
        let mut places = vec![0; wiring.routers()];
        for (place, &router) in (0..).zip(&wiring.living) {
            places[router as usize] = place;
        }
        Some(Self {
            sizes: vec![count as u32],
            places,
        })
    }

    /// The coordinates of a router.
    pub fn place(&self, router: u32) -> &[u32] {
        let count = self.sizes.len();
        &self.places[router as usize * count..(router as usize + 1) * count]
    }

    fn missing(&self, wiring: &Wiring) -> Option<Missing> {
        let mut sizes = self.sizes.iter().map(|&size| u64::from(size));
        let routers = sizes.clone().try_fold(1, u64::checked_mul)?;
        let degree: u64 = sizes.by_ref().map(|size| size - 1).sum();
        let links = routers.checked_mul(degree)? / 2;
        wiring.missing(routers, links.checked_mul(wiring.copies().into())?)
    }

    /// Has every router a place of its own, and does every link change one coordinate?
    fn is_true(&self, wiring: &Wiring) -> bool {
        let mut places: Vec<&[u32]> = wiring.living.iter().map(|&at| self.place(at)).collect();
        places.sort_unstable();
        let changes = |&[a, b]: &[u32; 2]| {
            let pairs = self.place(a).iter().zip(self.place(b));
            pairs.filter(|(one, other)| one != other).count()
        };
        places.windows(2).all(|pair| pair[0] != pair[1])
            && wiring.ends.iter().all(|link| changes(link) == 1)
    }
}

/// By link: its dimension.
fn dimensions(wiring: &Wiring) -> Option<Vec<u32>> {
    let lines = wiring.by_triangles();
    let mut dimensions = Partition::new(wiring.ends.len());
    for (link, &line) in (0..).zip(&lines) {
        dimensions.unite(link, line);
    }
    let mut corners: Vec<(u32, u32, u32)> = Vec::new();
    for &router in &wiring.living {
        // Of each line its first router, and the link there.
        corners.clear();
        for &(next, link) in wiring.neighbours(router) {
            let line = lines[link as usize];
            if corners.iter().all(|&(_, _, other)| other != line) {
                corners.push((next, link, line));
            }
        }
        if corners.len() > MOST_DIMENSIONS {
            return None;
        }
        for (index, &(one, first, _)) in corners.iter().enumerate() {
            for &(other, second, _) in &corners[..index] {
                let mut opposite = wiring.common(one, other).filter(|&(at, _)| at != router);
                if let (Some((_, [third, fourth])), None) = (opposite.next(), opposite.next()) {
                    dimensions.unite(first, fourth);
                    dimensions.unite(second, third);
                }
            }
        }
    }
    Some(compact(&dimensions.numbers()))
}

/// The same classes, numbered from 0.
fn compact(classes: &[u32]) -> Vec<u32> {
    let mut numbers: Vec<u32> = classes.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    let number = |class: &u32| numbers.partition_point(|other| other < class) as u32;
    classes.iter().map(number).collect()
}
