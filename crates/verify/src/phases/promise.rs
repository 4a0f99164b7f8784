//! What is looked at of the promise: one destination for each source's router, and one more for each intermediate router.

use super::InVain;
use crate::endpoints::Destination;
use crate::explore::StateGraph;
use crate::system::System;
use turnwise_network::random::mix;
use turnwise_network::{Header, RouterId, TwoPhases};

pub(super) struct Promise<'a> {
    pub(super) system: System<'a>,
    pub(super) phases: &'a dyn TwoPhases,
    pub(super) ends: &'a [Destination],
    pub(super) intermediates: &'a [RouterId],
}

impl Promise<'_> {
    /// Is it kept of packets from the router of an end, and of those that come to it in their first phase, as it was explored?
    pub(super) fn look(&self, place: usize, graph: &StateGraph) -> Result<(), InVain> {
        self.look_at_source(place)?;
        self.look_at_another_destination(place, graph)
    }

    /// Another end, the same whenever one looks.
    fn another(&self, place: usize) -> Destination {
        let others = self.ends.len() as u64 - 1;
        let step = 1 + mix(place as u64) % others;
        self.ends[(place + step as usize) % self.ends.len()]
    }

    /// Is what a packet from here to another end may do what it may by each intermediate router?
    fn look_at_source(&self, place: usize) -> Result<(), InVain> {
        let (from, to) = (self.ends[place].terminal, self.another(place).terminal);
        let (routing, phases) = (self.system.routing, self.phases);
        let at = self.system.network.router_of(from);
        let header = routing.start(from, to).ok_or(InVain)?.header;
        let mut all = Vec::new();
        routing.options(at, header, &mut all);
        let (each, rest) = (
            all.len() / self.intermediates.len(),
            all.len() % self.intermediates.len(),
        );
        if each == 0 || rest > 0 {
            return Err(InVain);
        }
        let mut those = Vec::new();
        for (&by, these) in self.intermediates.iter().zip(all.chunks(each)) {
            let header = phases.by(at, header, by);
            those.clear();
            routing.options(at, header, &mut those);
            let times = each / those.len().max(1);
            let is_there = |hop| these.iter().filter(|&other| other == hop).count() == times;
            if times * those.len() != each || !those.iter().all(is_there) {
                return Err(InVain);
            }
        }
        Ok(())
    }

    /// May packets that come to this intermediate router do the same whatever their destination is?
    fn look_at_another_destination(&self, place: usize, graph: &StateGraph) -> Result<(), InVain> {
        let (routing, other) = (self.system.routing, self.another(place).terminal);
        let home = self.system.network.router_of(self.ends[place].terminal);
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
            these
                .iter_mut()
                .for_each(|hop| hop.header = to_other(hop.header));
            if these != those {
                return Err(InVain);
            }
        }
        Ok(())
    }
}
