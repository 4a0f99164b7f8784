//! Sub-tori: contiguous ranges in every dimension, with or without wrap-around.

use turnwise_network::shape::Grid;

/// A box of nodes: `extent` of them in each dimension from `origin` on, around rings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SubTorus {
    /// Where it begins, X first.
    pub origin: Vec<u32>,
    /// How many nodes it has in each dimension.
    pub extent: Vec<u32>,
}

impl SubTorus {
    /// Its positions in the torus, row by row.
    pub fn positions(&self, grid: &Grid) -> Vec<u32> {
        let inside = Grid {
            sizes: self.extent.clone(),
            ..grid.clone()
        };
        let place = |index: u32| {
            let offsets = inside.coordinates(index);
            let coordinates: Vec<u32> = (0..offsets.len())
                .map(|d| (self.origin[d] + offsets[d]) % grid.sizes[d])
                .collect();
            grid.router_at(&coordinates)
        };
        (0..inside.router_count() as u32).map(place).collect()
    }

    /// `4x2x1x1 from (0,1,0,0)`.
    pub fn words(&self) -> String {
        let join = |numbers: &[u32], with: &str| {
            let texts: Vec<String> = numbers.iter().map(u32::to_string).collect();
            texts.join(with)
        };
        format!(
            "{} from ({})",
            join(&self.extent, "x"),
            join(&self.origin, ",")
        )
    }
}

/// Every extent of at least so many nodes, the smallest boxes first.
pub fn extents(sizes: &[u32], least: u64) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for &size in sizes {
        let longer = |extent: &Vec<u32>| {
            let extent = extent.clone();
            (1..=size).map(move |length| [extent.as_slice(), &[length]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.retain(|extent| volume(extent) >= least);
    all.sort_by_key(|extent| volume(extent));
    all
}

/// Nodes of a box.
pub fn volume(extent: &[u32]) -> u64 {
    extent.iter().map(|&length| u64::from(length)).product()
}

/// Every place where a box of this extent can begin.
pub fn origins(grid: &Grid, extent: &[u32]) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for (dimension, &length) in extent.iter().enumerate() {
        let size = grid.sizes[dimension];
        let starts = match length == size {
            // All of a ring begins anywhere, which is the same everywhere.
            true => 1,
            false if grid.is_ring(dimension) => size,
            false => size - length + 1,
        };
        let longer = |origin: &Vec<u32>| {
            let origin = origin.clone();
            (0..starts).map(move |start| [origin.as_slice(), &[start]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The mean share of a pair's throughput one channel of a box carries, at the least: the
/// load of its worst cut for each node. Rings are cut twice, meshes once.
pub fn worst_cut(grid: &Grid, extent: &[u32]) -> f64 {
    let cut = |(dimension, &length): (usize, &u32)| {
        let (size, half) = (f64::from(length), f64::from(length / 2));
        let both_sides = half * (size - half) / size;
        match length == grid.sizes[dimension] && grid.is_ring(dimension) {
            true => both_sides / 2.0,
            false => both_sides,
        }
    };
    extent.iter().enumerate().map(cut).fold(0.0, f64::max)
}

/// The longest way inside a box without gaps.
pub fn diameter(grid: &Grid, extent: &[u32]) -> u32 {
    let way = |(dimension, &length): (usize, &u32)| match length == grid.sizes[dimension]
        && grid.is_ring(dimension)
    {
        true => length / 2,
        false => length - 1,
    };
    extent.iter().enumerate().map(way).sum()
}

/// Counts marked nodes of any box in 2^dimensions steps: sums over all boxes that begin at the
/// origin of a torus laid out twice in each dimension.
pub struct Counts {
    sizes: Vec<usize>,
    sums: Vec<u32>,
}

impl Counts {
    /// O(2^dimensions x nodes x dimensions).
    pub fn new(grid: &Grid, marked: &[bool]) -> Self {
        // One more than twice: sums have a zero before the first node.
        let sizes: Vec<usize> = grid.sizes.iter().map(|&s| 2 * s as usize + 1).collect();
        let mut sums = vec![0u32; sizes.iter().product()];
        let mut at = vec![0usize; sizes.len()];
        for slot in &mut sums {
            if at.iter().all(|&coordinate| coordinate > 0) {
                let wrapped: Vec<u32> = at
                    .iter()
                    .zip(&grid.sizes)
                    .map(|(&coordinate, &size)| (coordinate as u32 - 1) % size)
                    .collect();
                *slot = u32::from(marked[grid.router_at(&wrapped) as usize]);
            }
            for dimension in (0..sizes.len()).rev() {
                at[dimension] += 1;
                if at[dimension] < sizes[dimension] {
                    break;
                }
                at[dimension] = 0;
            }
        }
        let mut stride = 1;
        for &size in sizes.iter().rev() {
            for index in 0..sums.len() {
                if index / stride % size > 0 {
                    sums[index] += sums[index - stride];
                }
            }
            stride *= size;
        }
        Self { sizes, sums }
    }

    /// Marked nodes of a box.
    pub fn of(&self, origin: &[u32], extent: &[u32]) -> u32 {
        let corners = 1usize << extent.len();
        let mut total = 0i64;
        for corner in 0..corners {
            let index = (0..extent.len()).fold(0, |index, dimension| {
                let far = corner >> dimension & 1 == 0;
                let reach = if far { extent[dimension] } else { 0 };
                index * self.sizes[dimension] + (origin[dimension] + reach) as usize
            });
            let sign = 1 - 2 * i64::from(corner.count_ones() % 2);
            total += sign * i64::from(self.sums[index]);
        }
        total as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn grid(sizes: &[u32]) -> Grid {
        Grid {
            sizes: sizes.to_vec(),
            wrap: true,
            terminals_per_router: 1,
        }
    }

    #[test]
    fn boxes_wrap_around_rings_and_not_around_pairs() {
        let grid = grid(&[4, 2]);
        assert_eq!(origins(&grid, &[2, 1]).len(), 4 * 2);
        assert_eq!(origins(&grid, &[4, 2]), [[0, 0]]);
        let wrapped = SubTorus {
            origin: vec![3, 1],
            extent: vec![2, 1],
        };
        assert_eq!(wrapped.positions(&grid), [7, 1]);
        assert_eq!(wrapped.words(), "2x1 from (3,1)");
        assert_eq!(extents(&[4, 2], 7), [[4, 2]]);
        assert_eq!(extents(&[4, 2], 4), [[2, 2], [4, 1], [3, 2], [4, 2]]);
    }

    /// The cuts of the specification: n a(k) for rings, n/2 for pairs.
    #[test]
    fn cuts_are_those_of_rings_and_meshes() {
        let grid = grid(&[8, 5, 2]);
        assert_eq!(worst_cut(&grid, &[8, 1, 1]), 1.0);
        assert_eq!(worst_cut(&grid, &[1, 5, 1]), 0.6);
        assert_eq!(worst_cut(&grid, &[1, 1, 2]), 0.5);
        assert_eq!(worst_cut(&grid, &[4, 1, 1]), 1.0);
        assert_eq!(diameter(&grid, &[8, 4, 2]), 4 + 3 + 1);
    }

    proptest! {
        #[test]
        fn counts_equal_counting(
            sizes in proptest::collection::vec(1u32..5, 1..4),
            bits in any::<u64>(),
        ) {
            let grid = grid(&sizes);
            let marked: Vec<bool> = (0..grid.router_count()).map(|i| bits >> i & 1 == 1).collect();
            let counts = Counts::new(&grid, &marked);
            for extent in extents(&sizes, 1) {
                for origin in origins(&grid, &extent) {
                    let sub = SubTorus { origin, extent: extent.clone() };
                    let positions = sub.positions(&grid);
                    let counted = positions.iter().filter(|&&at| marked[at as usize]).count();
                    prop_assert_eq!(counts.of(&sub.origin, &extent) as usize, counted);
                }
            }
        }
    }
}
