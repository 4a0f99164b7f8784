//! All lines of a grid, and where in each lane rings are cut.

use super::super::cuts::is_cut_in_the_middle;
use super::super::orders::Lanes;
use crate::irregular::by_destination::{Graph, NONE, Steps, number};
use turnwise_network::RouterId;

/// What an arc beside others carries of them is told in so many parts of what it would carry alone.
pub(super) const PARTS: u64 = 1 << 10;

/// All lines of a grid. Routers are numbered by their places, and a line by its end: the router on it from which the ways of the line go on
/// along other dimensions.
pub(super) struct Lines {
    pub(super) sizes: Vec<u32>,
    /// How many lines lead to a destination.
    pub(super) count: usize,
    pub(super) lanes: usize,
    /// By router: its number.
    pub(super) numbers: Vec<u32>,
    /// By number: the sum of the coordinates.
    pub(super) sums: Vec<u32>,
    /// By dimension, by number, then positive first: the arc of the step.
    pub(super) arcs: Vec<[u32; 2]>,
    /// By dimension, then by number: the terminals of all whose ways come by there, if they have to go along this dimension next.
    pub(super) senders: Vec<u64>,
    /// By dimension, by end, then by lane: how many of the line come from below before its cut; all others come from above.
    below: Vec<u32>,
    /// Is the dimension one of rings?
    rings: Vec<bool>,
    /// The arcs of lines without a gap, or all if there is no such line: of others many have no choice.
    pub(super) sound: Vec<u32>,
    /// By arc: how many of it are as wide as all that lie side by side with it, in parts.
    pub(super) copies: Vec<u64>,
}

impl Lines {
    pub(super) fn new(graph: &Graph, steps: &Steps, lanes: usize) -> Self {
        let lattice = steps.lattice();
        // Who has to go around does so in one of the first dimensions, and long rings carry most as it is.
        let mut along: Vec<usize> = (0..lattice.sizes.len()).collect();
        along.sort_by_key(|&dimension| (lattice.rings[dimension], lattice.sizes[dimension]));
        let place = |router: u32| {
            let place = lattice.place(RouterId(router));
            let place = along.iter().map(|&dimension| place[dimension]);
            place.collect::<Vec<u32>>()
        };
        let sizes: Vec<u32> = along.iter().map(|&at| lattice.sizes[at]).collect();
        let (dimensions, routers) = (along.len(), sizes.iter().product::<u32>() as usize);
        let mut lines = Self {
            sizes,
            rings: along.iter().map(|&at| lattice.rings[at]).collect(),
            count: 0,
            lanes,
            numbers: Vec::with_capacity(graph.routers()),
            sums: vec![0; routers],
            arcs: vec![[NONE; 2]; dimensions * routers],
            senders: vec![0; dimensions * routers],
            below: vec![0; dimensions * routers * lanes],
            sound: Vec::new(),
            copies: (0..graph.arcs() as u32)
                .map(|arc| {
                    let parts = graph
                        .copies(arc)
                        .map(|copy| PARTS * graph.pace(arc) / graph.pace(copy));
                    parts.sum()
                })
                .collect(),
        };
        lines.count = (0..dimensions).map(|at| lines.stride(at) as usize).sum();
        // By dimension, then by the beginning of a line: below which coordinate the ring has a gap.
        let mut gaps = vec![None; dimensions * routers];
        for (router, dimension, positive) in steps.missing() {
            if let Some(dimension) = along.iter().position(|&along| along == dimension) {
                let place = place(router);
                let (at, size) = (place[dimension], lines.sizes[dimension]);
                let gap = if positive { (at + 1) % size } else { at };
                let line = number(&lines.sizes, &place) - at * lines.stride(dimension);
                gaps[dimension * routers + line as usize] = Some(gap);
            }
        }
        for router in 0..graph.routers() as u32 {
            let place = place(router);
            let number = number(&lines.sizes, &place);
            lines.numbers.push(number);
            lines.sums[number as usize] = place.iter().sum();
            lines.senders[number as usize] = u64::from(graph.terminals(router));
            for (dimension, &along) in along.iter().enumerate() {
                let (at, size) = (place[dimension], lines.sizes[dimension]);
                let arc = |positive| steps.arc(router, along, positive).unwrap_or(NONE);
                let arcs = [true, false].map(arc);
                lines.arcs[dimension * routers + number as usize] = arcs;
                let line = number - at * lines.stride(dimension);
                let gap = gaps[dimension * routers + line as usize];
                let sound = arcs.iter().filter(|&&arc| gap.is_none() && arc != NONE);
                lines.sound.extend(sound);
                let cut = |lane| gap.unwrap_or_else(|| lines.cut(&place, dimension, lane));
                let below = (0..lanes).map(|lane| (at + size - cut(lane)) % size);
                let below: Vec<u32> = below.collect();
                let row = (dimension * routers + number as usize) * lanes;
                lines.below[row..row + lanes].copy_from_slice(&below);
            }
        }
        if lines.sound.is_empty() {
            lines.sound = (0..graph.arcs() as u32).collect();
        }
        for dimension in 1..dimensions {
            let (size, stride) = (lines.sizes[dimension - 1], lines.stride(dimension - 1));
            for number in 0..routers as u32 {
                let at = number / stride % size;
                let line = (0..size).map(|place| number + place * stride - at * stride);
                let before = |number| lines.senders[(dimension - 1) * routers + number as usize];
                lines.senders[dimension * routers + number as usize] = line.map(before).sum();
            }
        }
        lines
    }

    /// Where the ring of a line through a place is cut in a lane: below which coordinate. Where there is no ring, its ends are apart in all lanes.
    fn cut(&self, place: &[u32], dimension: usize, lane: usize) -> u32 {
        if !self.rings[dimension] {
            return 0;
        }
        let ring = self.rings[dimension + 1..]
            .iter()
            .filter(|ring| **ring)
            .count();
        let size = self.sizes[dimension];
        let half = size / 2 * u32::from(is_cut_in_the_middle(lane, ring));
        let others = place.iter().enumerate();
        let others = others.filter(|&(other, _)| other != dimension);
        others.fold(half, |cut, (other, &at)| {
            match other.abs_diff(dimension) % 2 {
                1 => (cut + at) % size,
                _ => (cut + size - at % size) % size,
            }
        })
    }

    /// All arcs, in an order in which ways lead forwards in a lane.
    pub(super) fn order(&self, graph: &Graph, lane: usize) -> Vec<u32> {
        let routers = self.sums.len();
        let mut places = vec![(usize::MAX, 0, 0); graph.arcs()];
        for (row, arcs) in self.arcs.iter().enumerate() {
            let below = self.below[row * self.lanes + lane];
            let dimension = row / routers;
            for (side, &arc) in arcs.iter().enumerate().filter(|(_, arc)| **arc != NONE) {
                let along = if side == 0 {
                    below
                } else {
                    self.sizes[dimension] - 1 - below
                };
                for arc in graph.copies(arc) {
                    places[arc as usize] = (dimension, side, along);
                }
            }
        }
        let mut order: Vec<u32> = (0..graph.arcs() as u32).collect();
        order.sort_by_key(|&arc| places[arc as usize]);
        order
    }

    /// How far numbers of neighbours along a dimension are apart.
    fn stride(&self, dimension: usize) -> u32 {
        self.sizes[dimension + 1..].iter().product()
    }

    /// The lines along a dimension to a destination: where they are among all of them, and their ends.
    pub(super) fn to(
        &self,
        destination: u32,
        dimension: usize,
    ) -> impl Iterator<Item = (usize, u32)> + use<> {
        let stride = self.stride(dimension);
        let before = dimension + 1..self.sizes.len();
        let before: u32 = before.map(|dimension| self.stride(dimension)).sum();
        let first = destination / stride * stride;
        (before as usize..).zip(first..first + stride)
    }

    /// How many come from below and from above, of a line that is parted so.
    pub(super) fn sides(&self, dimension: usize, from_below: u32) -> [(bool, u32); 2] {
        let from_above = self.sizes[dimension] - 1 - from_below;
        [(true, from_below), (false, from_above)]
    }

    /// The routers of a line behind its end, the nearest first, from below or from above.
    pub(super) fn behind(
        &self,
        end: u32,
        dimension: usize,
        from_below: bool,
    ) -> impl Iterator<Item = usize> + use<> {
        let (size, stride) = (self.sizes[dimension], self.stride(dimension));
        let at = end / stride % size;
        let zero = end - at * stride;
        (1..size).map(move |distance| {
            let place = if from_below {
                at + size - distance
            } else {
                at + distance
            };
            (zero + place % size * stride) as usize
        })
    }

    /// The lanes in which whoever is so far from the end of a line comes by no cut, of those that are left there.
    pub(super) fn fitting(
        &self,
        end: u32,
        dimension: usize,
        from_below: bool,
    ) -> impl Fn(Lanes, u32) -> Lanes {
        let (size, routers) = (self.sizes[dimension], self.sums.len());
        let row = (dimension * routers + end as usize) * self.lanes;
        let below = &self.below[row..row + self.lanes];
        move |left, distance| {
            let reach = |below: u32| if from_below { below } else { size - 1 - below };
            let lanes = (0..).zip(below);
            let cut = lanes.filter(|&(_, &below)| reach(below) < distance);
            cut.fold(left, |left, (lane, _)| left & !(1 << lane))
        }
    }

    /// By number: the arc, and the lanes that are left to a destination.
    pub(super) fn ways(&self, destination: u32, parting: &[u32]) -> Vec<(u32, Lanes)> {
        let mut ways = vec![(NONE, 0); self.sums.len()];
        ways[destination as usize].1 = self.all_lanes();
        for dimension in (0..self.sizes.len()).rev() {
            let arcs = &self.arcs[dimension * self.sums.len()..];
            for (line, end) in self.to(destination, dimension) {
                let (_, left) = ways[end as usize];
                for (from_below, count) in self.sides(dimension, parting[line]) {
                    let fitting = self.fitting(end, dimension, from_below);
                    let behind = self.behind(end, dimension, from_below);
                    let mut left = left;
                    for (distance, number) in (1..=count).zip(behind) {
                        let arc = arcs[number][usize::from(!from_below)];
                        // Nor have those a way who would come by.
                        left = if arc == NONE { 0 } else { left };
                        ways[number] = (arc, fitting(left, distance));
                    }
                }
            }
        }
        ways
    }

    pub(super) fn all_lanes(&self) -> Lanes {
        (1 << self.lanes) - 1
    }

    /// How many come from below where both ways are as short. Halfway round a ring destinations take turns.
    pub(super) fn half(&self, destination: u32, dimension: usize, end: u32) -> u32 {
        let size = self.sizes[dimension];
        let at = end / self.stride(dimension) % size;
        if !self.rings[dimension] {
            return at;
        }
        let is_positive = (self.sums[destination as usize] + size / 2).is_multiple_of(2);
        (size - 1) / 2 + u32::from(size.is_multiple_of(2) && is_positive)
    }
}
