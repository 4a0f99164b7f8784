//! All virtual lanes of a search: which of them allow a turn, known at once.
//!
//! Who looks for a way asks the same of every lane. So what is known of a turn is a bit for each lane, side by side.

use super::graph::NONE;
use super::lane::{Lane, Turn, Turns};
use crate::irregular::acyclic::{Acyclic, Added};

/// Lanes, numbered from 0, 32 at most.
#[derive(Default)]
pub(crate) struct VirtualLanes {
    graphs: Vec<Acyclic>,
    /// By turn.
    known: Vec<Known>,
}

/// The lanes that allow a turn, and those that refuse it.
#[derive(Clone, Copy, Default)]
struct Known {
    allowing: u32,
    refusing: u32,
}

impl VirtualLanes {
    pub(crate) fn len(&self) -> usize {
        self.graphs.len()
    }

    /// One lane more.
    pub(crate) fn push(&mut self, lane: Lane) {
        let Lane { graph, turns } = lane;
        let bit = 1 << self.graphs.len();
        self.graphs.push(graph);
        self.known.resize(turns.len(), Known::default());
        for (known, turn) in self.known.iter_mut().zip(turns) {
            match turn {
                Turn::Unknown => {}
                Turn::Allowed => known.allowing |= bit,
                Turn::Refused => known.refusing |= bit,
            }
        }
    }

    /// Another lane in the place of the last one.
    pub(crate) fn replace_last(&mut self, lane: Lane) {
        if self.graphs.pop().is_some() {
            let others = !(1 << self.graphs.len());
            for known in &mut self.known {
                known.allowing &= others;
                known.refusing &= others;
            }
        }
        self.push(lane);
    }

    /// Those of some lanes that allow a turn from one arc into another already; there may be none behind.
    #[inline]
    pub(crate) fn allowing(&self, lanes: u32, turns: &Turns<'_>, arc: u32, next: u32) -> u32 {
        match next {
            NONE => lanes,
            next => lanes & self.known[turns.number(arc, next)].allowing,
        }
    }

    /// Those of some lanes that are not known to refuse it.
    #[inline]
    pub(crate) fn may_allow(&self, lanes: u32, turns: &Turns<'_>, arc: u32, next: u32) -> u32 {
        match next {
            NONE => lanes,
            next => lanes & !self.known[turns.number(arc, next)].refusing,
        }
    }

    /// Those of some lanes that allow it from now on: all in which it closes no circle.
    pub(crate) fn opened(&mut self, lanes: u32, turns: &Turns<'_>, arc: u32, next: u32) -> u32 {
        if next == NONE {
            return lanes;
        }
        let number = turns.number(arc, next);
        let known = self.known[number];
        for lane in bits(lanes & !(known.allowing | known.refusing)) {
            self.look(lane, number, (arc, next));
        }
        lanes & self.known[number].allowing
    }

    /// May a route turn from one arc into another in a lane? From now on it may, if that closes no circle.
    #[inline]
    pub(crate) fn allows(&mut self, lane: usize, turns: &Turns<'_>, arc: u32, next: u32) -> bool {
        let number = turns.number(arc, next);
        let known = self.known[number];
        if (known.allowing | known.refusing) >> lane & 1 == 0 {
            self.look(lane, number, (arc, next));
        }
        self.known[number].allowing >> lane & 1 == 1
    }

    fn look(&mut self, lane: usize, number: usize, (arc, next): (u32, u32)) {
        let known = &mut self.known[number];
        match self.graphs[lane].add(arc, next) {
            Added::New | Added::Known => known.allowing |= 1 << lane,
            Added::Refused => known.refusing |= 1 << lane,
        }
    }

    /// Forgets all turns but those that are kept, lanes by number of a turn: what they closed no circle with, or did, is open again.
    pub(crate) fn forget(&mut self, turns: &Turns<'_>, kept: &[u32]) {
        for arc in 0..turns.graph.arcs() as u32 {
            for (number, next) in turns.onwards(arc) {
                let known = &mut self.known[number];
                for lane in bits(known.allowing & !kept[number]) {
                    self.graphs[lane].remove(arc, next);
                }
                known.allowing &= kept[number];
                known.refusing = 0;
            }
        }
    }
}

/// The lanes among some, the first one first.
pub(crate) fn bits(mut lanes: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (lanes != 0).then(|| lanes.trailing_zeros() as usize)?;
        lanes &= lanes - 1;
        Some(lane)
    })
}

#[cfg(test)]
mod tests {
    use super::super::graph::Graph;
    use super::*;
    use proptest::prelude::*;
    use turnwise_network::topologies::{RandomRegular, Topology};

    proptest! {
        /// All together know what each of them does by itself, whatever is asked of which and forgotten in between.
        #[test]
        fn together_they_are_as_each_by_itself(
            steps in proptest::collection::vec((0u32..60, 0u32..4, 0u32..16, 0u8..4), 0..200),
        ) {
            let random = RandomRegular { routers: 15, degree: 4, ..RandomRegular::default() };
            let graph = Graph::new(&random.build(None).unwrap());
            let turns = Turns::new(&graph);
            let mut alone: Vec<Lane> = (0..4).map(|_| Lane::new(&turns)).collect();
            let mut together = VirtualLanes::default();
            for _ in 0..5 {
                together.push(Lane::new(&turns));
            }
            together.allows(4, &turns, 0, graph.leaving(graph.to(0)).start);
            // What the last one allowed goes with it.
            together.replace_last(Lane::new(&turns));
            prop_assert_eq!(together.len(), 5);
            for (arc, which, some, what) in steps {
                let next = graph.leaving(graph.to(arc)).start + which;
                let allow = |alone: &[Lane]| {
                    let all = bits(some).filter(|&lane| alone[lane].has_allowed(&turns, arc, next));
                    all.fold(0, |all, lane| all | 1 << lane)
                };
                match what {
                    0 => {
                        for lane in bits(some) {
                            alone[lane].allows(&turns, arc, next);
                        }
                        prop_assert_eq!(together.opened(some, &turns, arc, next), allow(&alone));
                    }
                    1 => {
                        for lane in bits(some) {
                            let allows = alone[lane].allows(&turns, arc, next);
                            prop_assert_eq!(together.allows(lane, &turns, arc, next), allows);
                        }
                    }
                    _ => {
                        let allowing = allow(&alone);
                        prop_assert_eq!(together.allowing(some, &turns, arc, next), allowing);
                        let may = together.may_allow(some, &turns, arc, next);
                        prop_assert_eq!(may & allowing, allowing);
                        let refused = bits(some & !may);
                        for lane in refused {
                            prop_assert!(!alone[lane].allows(&turns, arc, next));
                        }
                    }
                }
            }
            prop_assert_eq!(together.allowing(16, &turns, 0, graph.leaving(graph.to(0)).start), 0);
        }

        /// What is forgotten is open again, and what is kept stays.
        #[test]
        fn what_is_forgotten_is_open_again(asked in proptest::collection::vec((0u32..60, 0u32..4), 0..200)) {
            let random = RandomRegular { routers: 15, degree: 4, ..RandomRegular::default() };
            let graph = Graph::new(&random.build(None).unwrap());
            let turns = Turns::new(&graph);
            let mut lanes = VirtualLanes::default();
            lanes.push(Lane::new(&turns));
            let turn = |(arc, which): (u32, u32)| (arc, graph.leaving(graph.to(arc)).start + which);
            for (arc, next) in asked.iter().copied().map(turn) {
                lanes.opened(1, &turns, arc, next);
            }
            let mut kept = vec![0; turns.count()];
            let (stay, go) = asked.split_at(asked.len() / 2);
            for (arc, next) in stay.iter().copied().map(turn) {
                kept[turns.number(arc, next)] = lanes.allowing(1, &turns, arc, next);
            }
            lanes.forget(&turns, &kept);
            let mut alone = Acyclic::new(graph.arcs());
            for (number, (arc, next)) in (0..graph.arcs() as u32)
                .flat_map(|arc| turns.onwards(arc).map(move |(number, next)| (number, (arc, next))))
            {
                prop_assert_eq!(lanes.allowing(1, &turns, arc, next), kept[number]);
                prop_assert_eq!(lanes.may_allow(1, &turns, arc, next), 1);
                if kept[number] != 0 {
                    prop_assert!(alone.add(arc, next) == Added::New);
                }
            }
            for (arc, next) in go.iter().copied().map(turn) {
                let fits = alone.add(arc, next) != Added::Refused;
                prop_assert_eq!(lanes.allows(0, &turns, arc, next), fits);
            }
        }
    }
}
