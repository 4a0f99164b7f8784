//! Where the routers of a picture stand.
//!
//! Regular networks get the drawing their structure suggests. A mesh or torus of more
//! than two dimensions is a grid of grids; the inner grids are turned a little, so that
//! the links of different dimensions do not lie on top of each other.

use std::f64::consts::TAU;

use super::stress;

/// What is known about the structure of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayoutHint {
    /// A mesh or torus; routers are numbered row-major, the last dimension fastest.
    Grid {
        /// Routers along each dimension, the first drawn from left to right.
        sizes: Vec<u32>,
        /// Whether the dimensions are closed to rings.
        wrap: bool,
    },
    /// Equal groups, numbered one after the other.
    Groups {
        /// Number of groups.
        groups: u32,
        /// Routers in each.
        per_group: u32,
    },
    /// The level of each router; level 0 is the lowest row.
    Levels(Vec<u32>),
    /// Nothing: a ring in order of numbers.
    Circle,
    /// Nothing but the links: connected routers are drawn close together.
    Force {
        /// Pairs of connected routers.
        edges: Vec<(u32, u32)>,
    },
}

/// Positions for the routers of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// From 0 to 1 in both directions, by router; y grows downwards.
    pub positions: Vec<(f64, f64)>,
    /// Width of the drawing over its height.
    pub aspect: f64,
    /// Whether links between groups look best as curves towards the centre.
    pub bundled: bool,
}

/// Beyond this many routers a stress layout takes seconds and shows a hairball anyway.
const MOST_FOR_STRESS: usize = 300;

/// Places `routers` routers; a hint that does not fit their number gives a ring.
pub fn arrange(hint: &LayoutHint, routers: usize) -> Layout {
    let places = match hint {
        LayoutHint::Grid { sizes, wrap } => grid(sizes, *wrap, routers),
        LayoutHint::Groups { groups, per_group } => {
            grouped(*groups as usize, *per_group as usize, routers)
        }
        LayoutHint::Levels(levels) => rows(levels, routers),
        LayoutHint::Circle => None,
        LayoutHint::Force { edges } if routers <= MOST_FOR_STRESS => {
            Some(stress::layout(routers, edges))
        }
        LayoutHint::Force { .. } => None,
    };
    let bundled = matches!(hint, LayoutHint::Groups { .. }) && places.is_some();
    let stretched = matches!(hint, LayoutHint::Levels(_)) && places.is_some();
    let places = places.unwrap_or_else(|| ring(routers));
    let (positions, aspect) = fit(&places);
    Layout {
        positions,
        aspect: if stretched { aspect.max(1.5) } else { aspect },
        bundled,
    }
}

/// Moves places into the unit square; also gives the width over the height they had.
fn fit(places: &[(f64, f64)]) -> (Vec<(f64, f64)>, f64) {
    let span = |pick: fn(&(f64, f64)) -> f64| {
        let low = places.iter().map(pick).fold(f64::INFINITY, f64::min);
        let high = places.iter().map(pick).fold(f64::NEG_INFINITY, f64::max);
        (low, if high > low { high - low } else { 0.0 })
    };
    let ((left, width), (top, height)) = (span(|p| p.0), span(|p| p.1));
    // Rounding errors of a flat drawing must not be blown up to the full height.
    let least = 1e-6 * width.max(height);
    let part = |at: f64, low: f64, span: f64| if span > least { (at - low) / span } else { 0.5 };
    let positions = places
        .iter()
        .map(|p| (part(p.0, left, width), part(p.1, top, height)))
        .collect();
    let aspect = match (width > least, height > least) {
        (true, true) => (width / height).clamp(0.6, 2.6),
        (true, false) => 2.6,
        (false, true) => 0.6,
        (false, false) => 1.6,
    };
    (positions, aspect)
}

fn ring(routers: usize) -> Vec<(f64, f64)> {
    (0..routers)
        .map(|i| on_circle(i as f64 / routers as f64))
        .collect()
}

/// A point of the unit circle, from the top clockwise.
fn on_circle(part: f64) -> (f64, f64) {
    let angle = TAU * (part - 0.25);
    (angle.cos(), angle.sin())
}

fn grid(sizes: &[u32], wrap: bool, routers: usize) -> Option<Vec<(f64, f64)>> {
    let product = sizes
        .iter()
        .try_fold(1usize, |product, size| product.checked_mul(*size as usize));
    if product != Some(routers) || routers == 0 {
        return None;
    }
    // Dimensions of one router take no room.
    let long: Vec<usize> = sizes
        .iter()
        .filter(|s| **s > 1)
        .map(|s| *s as usize)
        .collect();
    if long.len() == 1 && wrap {
        return None;
    }
    let vectors = directions(&long);
    let place = |router: usize| {
        let (mut rest, mut x, mut y) = (router, 0.0, 0.0);
        for (size, vector) in long.iter().zip(&vectors).rev() {
            let at = (rest % size) as f64;
            x += at * vector.0;
            y += at * vector.1;
            rest /= size;
        }
        (x, y)
    };
    Some((0..routers).map(place).collect())
}

/// The step of each dimension: pairs of dimensions are nested grids.
fn directions(sizes: &[usize]) -> Vec<(f64, f64)> {
    let mut out: Vec<(f64, f64)> = Vec::new();
    let mut cell = 1.0;
    for (depth, pair) in sizes.chunks(2).enumerate() {
        let most = pair.iter().copied().max().unwrap_or(1).max(2) as f64 - 1.0;
        if depth > 0 {
            // The turned inner grid is wider than its longer side.
            cell *= if pair.len() == 1 { 0.62 } else { 0.46 } / most;
        }
        let angle: f64 = match (depth, pair.len()) {
            (0, _) => 0.0,
            (_, 1) => -0.62,
            (odd, _) if odd % 2 == 1 => 0.32,
            _ => -0.32,
        };
        out.push((cell * angle.cos(), cell * angle.sin()));
        if pair.len() == 2 {
            out.push((-cell * angle.sin(), cell * angle.cos()));
        }
    }
    out
}

/// Groups on a circle, the routers of each on a small circle of its own.
fn grouped(groups: usize, per_group: usize, routers: usize) -> Option<Vec<(f64, f64)>> {
    if groups.checked_mul(per_group) != Some(routers) || routers == 0 {
        return None;
    }
    if groups == 1 {
        return None;
    }
    // Neighbouring small circles keep a gap of a third of their distance.
    let radius = (0.34 * 2.0 * (TAU / 2.0 / groups as f64).sin()).min(0.45);
    let place = |router: usize| {
        let part = (router / per_group) as f64 / groups as f64;
        let centre = on_circle(part);
        if per_group == 1 {
            return centre;
        }
        // Each small circle faces the centre with its first router.
        let (dx, dy) = on_circle(part + 0.5 + (router % per_group) as f64 / per_group as f64);
        (centre.0 + radius * dx, centre.1 + radius * dy)
    };
    Some((0..routers).map(place).collect())
}

/// Levels as rows, each spread over the whole width.
fn rows(levels: &[u32], routers: usize) -> Option<Vec<(f64, f64)>> {
    if levels.len() != routers || routers == 0 {
        return None;
    }
    let mut known: Vec<u32> = levels.to_vec();
    known.sort_unstable();
    known.dedup();
    let row_of = |level: u32| known.binary_search(&level).unwrap_or(0);
    let mut sizes = vec![0usize; known.len()];
    for level in levels {
        sizes[row_of(*level)] += 1;
    }
    let widest = sizes.iter().copied().max().unwrap_or(1) as f64;
    let gap = widest / (2.2 * (known.len().max(2) - 1) as f64);
    let mut next = vec![0usize; known.len()];
    let mut places = Vec::with_capacity(routers);
    for level in levels {
        let row = row_of(*level);
        let x = (next[row] as f64 + 0.5) * widest / sizes[row] as f64;
        next[row] += 1;
        places.push((x, (known.len() - 1 - row) as f64 * gap));
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hints() -> Vec<(LayoutHint, usize)> {
        let grid = |sizes: &[u32], wrap| LayoutHint::Grid {
            sizes: sizes.to_vec(),
            wrap,
        };
        vec![
            (grid(&[8, 8], true), 64),
            (grid(&[4, 2, 2, 2], true), 32),
            (grid(&[4, 4, 4], false), 64),
            (grid(&[3, 3, 3, 3, 3], false), 243),
            (grid(&[5], true), 5),
            (grid(&[5], false), 5),
            (grid(&[7, 7], true), 3),
            (grid(&[], true), 1),
            (grid(&[u32::MAX, u32::MAX, u32::MAX], true), 4),
            (
                LayoutHint::Groups {
                    groups: 33,
                    per_group: 8,
                },
                264,
            ),
            (
                LayoutHint::Groups {
                    groups: 1,
                    per_group: 4,
                },
                4,
            ),
            (
                LayoutHint::Groups {
                    groups: 0,
                    per_group: 0,
                },
                0,
            ),
            (LayoutHint::Levels(vec![0, 0, 0, 1, 1, 5]), 6),
            (LayoutHint::Levels(vec![0; 4]), 4),
            (LayoutHint::Circle, 9),
            (LayoutHint::Circle, 0),
            (
                LayoutHint::Force {
                    edges: vec![(0, 1), (1, 2), (9, 9)],
                },
                5,
            ),
            (LayoutHint::Force { edges: vec![] }, 1),
        ]
    }

    #[test]
    fn every_layout_fills_the_unit_square() {
        for (hint, routers) in hints() {
            let layout = arrange(&hint, routers);
            assert_eq!(layout.positions.len(), routers, "{hint:?}");
            let inside = |v: f64| (-1e-9..=1.0 + 1e-9).contains(&v);
            assert!(
                layout.positions.iter().all(|p| inside(p.0) && inside(p.1)),
                "{hint:?}"
            );
            assert!((0.5..3.0).contains(&layout.aspect), "{hint:?}");
        }
    }

    #[test]
    fn no_two_routers_share_a_place() {
        for (hint, routers) in hints() {
            let layout = arrange(&hint, routers);
            for i in 0..routers {
                for j in 0..i {
                    let (a, b) = (layout.positions[i], layout.positions[j]);
                    assert!(
                        (a.0 - b.0).abs() + (a.1 - b.1).abs() > 1e-6,
                        "{hint:?}: {i} {j}"
                    );
                }
            }
        }
    }

    #[test]
    fn grids_read_row_major_with_the_first_dimension_across() {
        let layout = arrange(
            &LayoutHint::Grid {
                sizes: vec![3, 2],
                wrap: false,
            },
            6,
        );
        assert_eq!(layout.positions[1], (0.0, 1.0));
        assert_eq!(layout.positions[4], (1.0, 0.0));
        assert_eq!(layout.aspect, 2.0);
    }
}
