//! The part of the ways to a destination that a change concerns.
//!
//! That is routers whose entry or whose packets' lanes change, and those behind them on the old ways and the new ones. Whoever comes there
//! from elsewhere does so on the same lanes all the time, and what packets do elsewhere stays as it is.
//!
//! Complexity: O(routers) to find, and then the size of the part.

use super::super::columns::HERE;
use crate::irregular::by_destination::{Graph, NONE};
use turnwise_network::TerminalId;

/// The part of a destination.
pub(super) struct Region {
    pub(super) destination: TerminalId,
    /// In ascending order.
    pub(super) members: Vec<Member>,
    /// Arcs by which packets may come to a member, member by member.
    pub(super) arrivals: Vec<Arrival>,
}

/// A router in it.
pub(super) struct Member {
    pub(super) router: u32,
    /// Where packets go by the old tables and by the new ones.
    pub(super) ways: [Way; 2],
    /// Lanes on which packets set out by the old service levels and by the new ones.
    pub(super) starts: [u16; 2],
    /// Where its arrivals end.
    pub(super) arrivals: usize,
}

/// An entry: an arc, the destination's own port, or nothing; and the member it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) arc: u32,
    pub(super) next: u32,
}

/// An arc by which packets may come.
#[derive(Clone, Copy)]
pub(super) struct Arrival {
    pub(super) arc: u32,
    pub(super) from: Origin,
}

/// Where packets come from.
#[derive(Clone, Copy)]
pub(super) enum Origin {
    /// A member.
    Member(u32),
    /// Elsewhere, always on these lanes.
    Elsewhere(u16),
}

impl Way {
    pub(super) const NOWHERE: Self = Self {
        arc: NONE,
        next: NONE,
    };

    pub(super) fn leads_on(self) -> bool {
        self.arc < HERE
    }
}

/// The search for regions.
pub(super) struct Survey<'a> {
    graph: &'a Graph,
    /// By router: is it in the region, or its number there?
    numbers: Vec<u32>,
    routers: Vec<u32>,
}

/// In the place of a number that is not known yet.
const INSIDE: u32 = NONE - 1;

impl<'a> Survey<'a> {
    pub(super) fn new(graph: &'a Graph) -> Self {
        Self {
            graph,
            numbers: vec![NONE; graph.routers()],
            routers: Vec::new(),
        }
    }

    /// Finds the routers of the next region.
    pub(super) fn find(&mut self, ways: [&[u32]; 2], starts: [&[u16]; 2]) {
        for router in self.routers.drain(..) {
            self.numbers[router as usize] = NONE;
        }
        for at in 0..ways[0].len() {
            if ways[0][at] != ways[1][at] || starts[0][at] != starts[1][at] {
                self.numbers[at] = INSIDE;
                self.routers.push(at as u32);
            }
        }
        let mut next = 0;
        while let Some(&at) = self.routers.get(next) {
            next += 1;
            let arcs = ways.map(|ways| ways[at as usize]);
            for arc in arcs.into_iter().filter(|&arc| arc < HERE) {
                let to = self.graph.to(arc);
                if self.numbers[to as usize] == NONE {
                    self.numbers[to as usize] = INSIDE;
                    self.routers.push(to);
                }
            }
        }
        self.routers.sort_unstable();
        for (number, &router) in (0..).zip(&self.routers) {
            self.numbers[router as usize] = number;
        }
    }

    /// Is a router in the last region?
    pub(super) fn contains(&self, router: u32) -> bool {
        self.numbers[router as usize] != NONE
    }

    /// The last region, if there is anything in it; packets come by on these lanes by the old tables.
    pub(super) fn region(
        &self,
        destination: TerminalId,
        (ways, starts): ([&[u32]; 2], [&[u16]; 2]),
        passing: &[u16],
    ) -> Option<Region> {
        let mut arrivals = Vec::new();
        let members = self.routers.iter().map(|&router| {
            for arc in self.graph.arriving(router) {
                let before = self.graph.from(arc) as usize;
                let from = match self.numbers[before] {
                    NONE => Origin::Elsewhere(passing[before]),
                    number => Origin::Member(number),
                };
                if ways.iter().any(|ways| ways[before] == arc) {
                    arrivals.push(Arrival { arc, from });
                }
            }
            let way = |arc: u32| Way {
                arc,
                next: if arc < HERE {
                    self.numbers[self.graph.to(arc) as usize]
                } else {
                    NONE
                },
            };
            Member {
                router,
                ways: ways.map(|ways| way(ways[router as usize])),
                starts: starts.map(|starts| starts[router as usize]),
                arrivals: arrivals.len(),
            }
        });
        let members: Vec<Member> = members.collect();
        (!members.is_empty()).then_some(Region {
            destination,
            members,
            arrivals,
        })
    }
}
