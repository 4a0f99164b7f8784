//! What is looked at of the promise: one destination for each source's router, and one more for each intermediate router.

use super::InVain;
use super::ends::Ends;
use crate::explore::StateGraph;
use crate::system::System;
use turnwise_network::{Header, TwoPhases};

/// Options of every packet that may go by intermediate routers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Options {
    /// Those by which it goes directly.
    pub(super) direct: u64,
    /// Those by each intermediate router.
    pub(super) each: u64,
}

impl Options {
    /// All of one packet.
    pub(super) fn all(self, ends: &Ends) -> u64 {
        self.direct + self.each * ends.ways()
    }
}

pub(super) struct Promise<'a> {
    pub(super) system: System<'a>,
    pub(super) phases: &'a dyn TwoPhases,
    pub(super) ends: &'a Ends,
}

impl Promise<'_> {
    /// The options of a packet from the router of an end to another one, if they are what is promised.
    pub(super) fn options(&self, from: usize) -> Result<Options, InVain> {
        let (ends, to) = (self.ends, self.ends.another(from));
        let (routing, phases) = (self.system.routing, self.phases);
        let at = ends.routers[from];
        let start = routing.start(ends.all[from].terminal, ends.all[to].terminal);
        let header = start.ok_or(InVain)?.header;
        let options = |header: Header| {
            let mut options = Vec::new();
            routing.options(at, header, &mut options);
            options
        };
        let all = options(header);
        let direct = phases.direct(header).map_or_else(Vec::new, options);
        let those = all.strip_prefix(&*direct).ok_or(InVain)?;
        let ways = ends.intermediates.iter();
        let ways: Vec<usize> = ways
            .copied()
            .filter(|&by| ends.goes_by(from, by, to))
            .collect();
        let each = those.len().checked_div(ways.len()).ok_or(InVain)?;
        if each == 0 || ways.len() * each != those.len() || ways.len() as u64 != ends.ways() {
            return Err(InVain);
        }
        for (by, these) in ways.into_iter().zip(those.chunks(each)) {
            let (router, its) = (ends.routers[by], ends.all[by].terminal);
            let towards = phases.by(at, header, router);
            // The first phase is explored of packets that end there.
            let explored = routing.start(ends.all[from].terminal, its);
            let explored = explored.map(|start| phases.by(at, start.header, router));
            let alike = Header {
                destination: its,
                ..towards
            };
            if by != from && explored != Some(alike) {
                return Err(InVain);
            }
            let those = options(towards);
            let times = each / those.len().max(1);
            let is_there = |hop| these.iter().filter(|&other| other == hop).count() == times;
            if times * those.len() != each || !those.iter().all(is_there) {
                return Err(InVain);
            }
        }
        // What is as often by each is once by each, where there is nothing else.
        Ok(Options {
            direct: direct.len() as u64,
            each: if direct.is_empty() { 1 } else { each as u64 },
        })
    }

    /// May packets that come to this intermediate router do the same whatever their destination is?
    pub(super) fn look_at_another_destination(
        &self,
        place: usize,
        graph: &StateGraph,
    ) -> Result<(), InVain> {
        let (routing, home) = (self.system.routing, self.ends.routers[place]);
        let other = self.ends.all[self.ends.another(place)].terminal;
        let to_other = |header: Header| Header {
            destination: other,
            ..header
        };
        let (mut these, mut those) = (Vec::new(), Vec::new());
        for state in graph.states().iter().filter(|state| state.router != home) {
            these.clear();
            those.clear();
            routing.options(state.router, state.header, &mut these);
            routing.options(state.router, to_other(state.header), &mut those);
            let changed = these.iter_mut();
            changed.for_each(|hop| hop.header = to_other(hop.header));
            if these != those {
                return Err(InVain);
            }
        }
        Ok(())
    }
}
