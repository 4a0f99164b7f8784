//! Where lines are parted: wherever it costs least, with what arcs carry taken into account.

use super::super::loads::Loads;
use super::super::orders::Lanes;
use super::lines::{Lines, PARTS};
use crate::irregular::by_destination::{Graph, NONE, Trees};

/// Rounds at most behind the first, and those that may pass without anything better.
const ROUNDS: usize = 12;
const PATIENCE: usize = 2;
/// Those that take so much together, costs that are looked at, take a second or two; fewer rounds leave much undone.
const WORK: usize = 1 << 26;
const FEWEST: usize = 2;
/// What it costs to go by a link that has failed, and by a cut.
const MISSING: u64 = 1 << 36;
const NEVER: u64 = 1 << 62;

/// Where lines are parted to all destinations of these trees: how many come from below; the best that is found.
pub(super) fn balanced(lines: &Lines, graph: &Graph, trees: &Trees) -> Vec<u32> {
    let terminals = trees.terminals();
    let mut parting = Parting::new(lines, graph);
    let mut found = vec![0; lines.count * terminals.len()];
    let mut best: Option<([u64; 3], Vec<u32>)> = None;
    let mut patience = PATIENCE;
    let work = (terminals.len() * lines.sums.len()) << lines.lanes;
    for round in 0..=(WORK / work.max(1)).clamp(FEWEST, ROUNDS) {
        // At first all that counts is how long ways are.
        parting.most = match round {
            0 => u64::MAX,
            _ => parting.most_of_sound().max(1),
        };
        for arc in 0..graph.arcs() as u32 {
            parting.weigh(arc);
        }
        let all = found.chunks_exact_mut(lines.count).zip(&terminals);
        for ((found, &terminals), &router) in all.zip(&trees.routers) {
            let destination = lines.numbers[router as usize];
            if round > 0 {
                parting.carry(destination, found, |loads, arc, routes| {
                    loads.take_routes(arc, routes * u64::from(terminals));
                });
            }
            parting.part(destination);
            parting.follow(destination, found);
            parting.carry(destination, found, |loads, arc, routes| {
                loads.add_routes(arc, routes * u64::from(terminals));
            });
        }
        let all = (0..graph.arcs() as u32).map(|arc| parting.load(arc));
        let quality = [
            parting.most_of_sound(),
            all.max().unwrap_or(0),
            parting.loads.quality().1,
        ];
        if best.as_ref().is_none_or(|best| quality < best.0) {
            best = Some((quality, found.clone()));
            patience = PATIENCE;
        } else if patience == 0 {
            break;
        } else {
            patience -= 1;
        }
    }
    best.map_or(found, |(_, found)| found)
}

/// Lines are parted where it costs least, one destination after the other.
struct Parting<'a> {
    lines: &'a Lines,
    loads: Loads<'a>,
    /// By arc.
    weights: Vec<u64>,
    /// What the busiest arc carried.
    most: u64,
    /// By number and lanes that are left there: what it costs that all come there by the dimensions before.
    costs: Vec<u64>,
    /// By line to the destination and lanes that are left at its end: where it is parted best.
    parted: Vec<u32>,
    /// By number: the lanes that are left.
    left: Vec<Lanes>,
    /// Of the line that is looked at, from below and from above: who is behind its end, and what it costs that so many come.
    sides: [Vec<Behind>; 2],
    sums: [Vec<u64>; 2],
}

/// Whoever comes by a router on a line.
struct Behind {
    /// Where its costs begin.
    row: usize,
    /// The lanes in which no cut is on its way to the end of the line.
    fits: Lanes,
    /// What it costs that all come to the end.
    cost: u64,
}

impl<'a> Parting<'a> {
    fn new(lines: &'a Lines, graph: &'a Graph) -> Self {
        let (routers, sets) = (lines.sums.len(), 1 << lines.lanes);
        let longest = lines.sizes.iter().max().map_or(0, |size| *size as usize);
        Self {
            lines,
            loads: Loads::new(graph),
            weights: vec![0; graph.arcs()],
            most: 1,
            costs: vec![0; routers * sets],
            parted: vec![0; lines.count * sets],
            left: vec![0; routers],
            sides: [Vec::new(), Vec::new()],
            sums: [longest, longest].map(|size| vec![0; size]),
        }
    }

    /// What the busiest arc carries of those that have a choice.
    fn most_of_sound(&self) -> u64 {
        let loads = self.lines.sound.iter().map(|&arc| self.load(arc));
        loads.max().unwrap_or(0)
    }

    /// What an arc carries, if it shares that with those beside it.
    fn load(&self, arc: u32) -> u64 {
        (self.loads.of(arc) * PARTS).div_ceil(self.lines.copies[arc as usize])
    }

    fn weigh(&mut self, arc: u32) {
        self.weights[arc as usize] = Loads::weight(self.load(arc), self.most);
    }

    /// Finds where to part all lines to a destination, whichever lanes are left.
    fn part(&mut self, destination: u32) {
        let lines = self.lines;
        self.costs.fill(0);
        for dimension in 0..lines.sizes.len() {
            let size = lines.sizes[dimension] as usize;
            for (line, end) in lines.to(destination, dimension) {
                self.look_along(end, dimension);
                let half = lines.half(destination, dimension, end) as usize;
                for left in 1..=lines.all_lanes() {
                    for side in 0..2 {
                        self.sum_up(side, left);
                    }
                    let cost = |below: usize| self.sums[0][below] + self.sums[1][size - 1 - below];
                    let mut best = (cost(half), half);
                    for below in 0..size {
                        if cost(below) < best.0 {
                            best = (cost(below), below);
                        }
                    }
                    self.parted[(line << lines.lanes) + usize::from(left)] = best.1 as u32;
                    let total =
                        &mut self.costs[((end as usize) << lines.lanes) + usize::from(left)];
                    *total = (*total + best.0).min(NEVER);
                }
            }
        }
    }

    /// Looks at both sides of a line, from its end on.
    fn look_along(&mut self, end: u32, dimension: usize) {
        let lines = self.lines;
        let routers = lines.sums.len();
        let arcs = &lines.arcs[dimension * routers..];
        let senders = &lines.senders[dimension * routers..];
        for (side, steps) in self.sides.iter_mut().enumerate() {
            steps.clear();
            let fitting = lines.fitting(end, dimension, side == 0);
            let behind = lines.behind(end, dimension, side == 0);
            let mut way = 0;
            steps.extend((1..).zip(behind).map_while(|(distance, number)| {
                let fits = fitting(lines.all_lanes(), distance);
                if fits == 0 {
                    return None;
                }
                way = match arcs[number][side] {
                    NONE => MISSING.saturating_add(way),
                    arc => self.weights[arc as usize].saturating_add(way),
                };
                Some(Behind {
                    row: number << lines.lanes,
                    fits,
                    cost: senders[number].saturating_mul(way).min(NEVER),
                })
            }));
        }
    }

    /// By how many come from a side of the line that was looked at: what it costs that they do.
    fn sum_up(&mut self, side: usize, left: Lanes) {
        let sums = &mut self.sums[side];
        sums.fill(NEVER);
        sums[0] = 0;
        let mut sum = 0;
        for (place, behind) in sums[1..].iter_mut().zip(&self.sides[side]) {
            let left = behind.fits & left;
            if left == 0 {
                break;
            }
            sum = (sum + behind.cost + self.costs[behind.row + usize::from(left)]).min(NEVER);
            *place = sum;
        }
    }

    /// Parts all lines to a destination as it was found.
    fn follow(&mut self, destination: u32, found: &mut [u32]) {
        let lines = self.lines;
        self.left[destination as usize] = lines.all_lanes();
        for dimension in (0..lines.sizes.len()).rev() {
            for (line, end) in lines.to(destination, dimension) {
                let left = self.left[end as usize];
                let count = self.parted[(line << lines.lanes) + usize::from(left)];
                found[line] = count;
                for (from_below, count) in lines.sides(dimension, count) {
                    let fitting = lines.fitting(end, dimension, from_below);
                    let behind = lines.behind(end, dimension, from_below);
                    for (distance, number) in (1..=count).zip(behind) {
                        self.left[number] = fitting(left, distance);
                    }
                }
            }
        }
    }

    /// Changes what arcs carry to a destination, told the loads, an arc and the routes, and what these weigh.
    fn carry(
        &mut self,
        destination: u32,
        found: &[u32],
        change: impl Fn(&mut Loads<'_>, u32, u64),
    ) {
        let lines = self.lines;
        let routers = lines.sums.len();
        for dimension in 0..lines.sizes.len() {
            let senders = &lines.senders[dimension * routers..];
            for (line, end) in lines.to(destination, dimension) {
                for (from_below, count) in lines.sides(dimension, found[line]) {
                    let behind = lines.behind(end, dimension, from_below);
                    let mut routes: u64 = behind
                        .take(count as usize)
                        .map(|number| senders[number])
                        .sum();
                    let behind = lines.behind(end, dimension, from_below);
                    for number in behind.take(count as usize) {
                        let [positive, negative] = lines.arcs[dimension * routers + number];
                        let arc = if from_below { positive } else { negative };
                        if arc != NONE {
                            change(&mut self.loads, arc, routes);
                            self.weigh(arc);
                        }
                        routes -= senders[number];
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::irregular::by_destination::Steps;
    use turnwise_network::topologies::{Topology, Torus};

    /// The routers that all others of a torus reach by so many hops together, if lines are parted so and every way has a lane.
    fn hops(lines: &Lines, graph: &Graph, destination: u32, parting: &[u32]) -> Option<u64> {
        let ways = lines.ways(destination, parting);
        let routers = lines.numbers.len() as u32;
        let mut hops = 0;
        for router in 0..routers {
            let mut at = router;
            while lines.numbers[at as usize] != destination {
                let (arc, left) = ways[lines.numbers[at as usize] as usize];
                if left == 0 {
                    return None;
                }
                at = graph.to(arc);
                hops += 1;
            }
        }
        Some(hops)
    }

    /// No other parting has fewer hops, of all there are.
    #[test]
    fn nothing_costs_less() {
        let torus = Torus {
            sizes: vec![3, 4],
            ..Torus::default()
        };
        let network = torus.build(None).unwrap();
        let graph = Graph::new(&network);
        let steps = Steps::of_rings(&network, &graph).unwrap();
        for lanes in 1..=2 {
            let lines = Lines::new(&graph, &steps, lanes);
            let mut parting = Parting::new(&lines, &graph);
            parting.most = u64::MAX;
            for arc in 0..graph.arcs() as u32 {
                parting.weigh(arc);
            }
            for destination in 0..12 {
                let mut found = vec![0; lines.count];
                parting.part(destination);
                parting.follow(destination, &mut found);
                // Of a line of four, and of four lines of three.
                let all = (0..4 * 3u32.pow(4)).map(|number| {
                    let of_three = (0..4).map(|line| number / 4 / 3u32.pow(line) % 3);
                    let parting: Vec<u32> = [number % 4].into_iter().chain(of_three).collect();
                    hops(&lines, &graph, destination, &parting)
                });
                let least = all.flatten().min();
                assert!(least.is_some());
                assert_eq!(hops(&lines, &graph, destination, &found), least);
            }
        }
    }

    /// What is said to be carried is what trees carry, and rounds leave less on the busiest arc than shortest ways alone.
    #[test]
    fn rounds_leave_less_on_the_busiest_arc() {
        let torus = Torus {
            sizes: vec![6, 8],
            ..Torus::default()
        };
        let network = torus.build(None).unwrap();
        let graph = Graph::new(&network);
        let steps = Steps::of(&network, &graph).unwrap();
        let lines = Lines::new(&graph, &steps, 2);
        let mut trees = Trees::without_ways(&network);
        let mut parting = Parting::new(&lines, &graph);
        parting.most = u64::MAX;
        for arc in 0..graph.arcs() as u32 {
            parting.weigh(arc);
        }
        let carried = |trees: &mut Trees, index: usize, parting: &[u32]| {
            let destination = lines.numbers[trees.routers[index] as usize];
            let ways = lines.ways(destination, parting);
            for (at, arc) in trees.to_mut(index).iter_mut().enumerate() {
                (*arc, _) = ways[lines.numbers[at] as usize];
            }
        };
        for index in 0..trees.routers.len() {
            let destination = lines.numbers[trees.routers[index] as usize];
            let mut found = vec![0; lines.count];
            parting.part(destination);
            parting.follow(destination, &mut found);
            parting.carry(destination, &found, |loads, arc, routes| {
                loads.add_routes(arc, routes);
            });
            carried(&mut trees, index, &found);
        }
        let short = Loads::of_trees(&graph, &trees).quality();
        assert_eq!(parting.loads.quality(), short);
        let partings = balanced(&lines, &graph, &trees);
        for (index, parting) in partings.chunks_exact(lines.count).enumerate() {
            carried(&mut trees, index, parting);
        }
        assert!(Loads::of_trees(&graph, &trees).most() < short.0);
    }
}
