//! How packets of each source set out, and which of them can be in a state.

use super::step::admissible;
use super::{DeadEnd, NO_STATE, State, StateGraph};
use crate::endpoints::Source;
use crate::system::System;
use turnwise_network::{Start, TerminalId, Vc, VcSet};

/// One way in which packets of a source may set out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outset {
    /// Number of the state they are then in.
    pub state: u32,
    /// The virtual channels of the injection channel that they may take.
    pub vcs: VcSet,
    /// The class of their messages.
    pub class: u8,
}

impl StateGraph {
    /// Numbers the states in which packets of all sources set out.
    ///
    /// Terminals of a router whose packets set out alike are one source, which the first of them stands for, unless what they
    /// answer tells them apart.
    pub(super) fn set_all_out(&mut self, system: System<'_>, vcs: Vc) {
        let router_of = |source: Source| system.network.router_of(source.terminal);
        let are_one = !system.protocol.has_answers();
        let [mut offered, mut last] = std::mem::take(&mut self.offered);
        let mut kept: usize = 0;
        for index in 0..self.sources.len() {
            let source = self.sources[index];
            self.offer(system, source.terminal, &mut offered);
            let before = self.sources[..kept].last_mut();
            match before.filter(|before| are_one && router_of(**before) == router_of(source)) {
                Some(before) if offered == last => before.pairs += source.pairs,
                _ => {
                    self.sources[kept] = source;
                    kept += 1;
                    self.set_out(system, source.terminal, &offered, vcs);
                    self.outset_offsets.push(self.outsets.len() as u32);
                    std::mem::swap(&mut offered, &mut last);
                }
            }
        }
        self.sources.truncate(kept);
        self.offered = [offered, last];
    }

    /// How packets of a source set out, each with its class.
    fn offer(&mut self, system: System<'_>, source: TerminalId, offered: &mut Vec<(u8, Start)>) {
        offered.clear();
        for class in system.protocol.classes() {
            self.starts.clear();
            let routing = system.routing;
            routing.starts(source, self.destination, class, &mut self.starts);
            offered.extend(self.starts.iter().map(|&start| (class, start)));
        }
    }

    fn set_out(
        &mut self,
        system: System<'_>,
        source: TerminalId,
        offered: &[(u8, Start)],
        vcs: Vc,
    ) {
        let router = system.network.router_of(source);
        for &(class, Start { header, vcs: taken }) in offered {
            let state = self.number(State { router, header }, NO_STATE);
            if !admissible(taken, vcs) {
                let port = system.network.terminal_port(source);
                let dead_end = DeadEnd::VirtualChannel(port, taken);
                self.dead_ends.push((state, dead_end));
            }
            self.outsets.push(Outset {
                state,
                vcs: taken,
                class,
            });
        }
    }

    /// The sources with all ways in which their packets set out, by ascending class.
    pub fn sources(&self) -> impl Iterator<Item = (Source, &[Outset])> + '_ {
        let ranges = self.outset_offsets.windows(2);
        let outsets = ranges.map(|range| &self.outsets[range[0] as usize..range[1] as usize]);
        self.sources.iter().copied().zip(outsets)
    }

    /// Has each class of messages one way to set out, or several?
    pub(crate) fn is_routed(&self, outsets: &[Outset]) -> bool {
        let classes = outsets.chunk_by(|one, other| one.class == other.class);
        classes.count() == self.classes
    }

    /// Is there a single way for each class?
    pub(crate) fn is_one_way(&self, outsets: &[Outset]) -> bool {
        outsets.len() == self.classes
    }

    /// A source whose packets can be in this state, and their class, by the way the state was first found.
    pub fn source_of(&self, mut state: u32) -> Option<(TerminalId, u8)> {
        while self.parents[state as usize] != NO_STATE {
            state = self.parents[state as usize];
        }
        self.sources().find_map(|(source, outsets)| {
            let outset = outsets.iter().find(|outset| outset.state == state)?;
            Some((source.terminal, outset.class))
        })
    }

    /// For every state a source whose messages of this class can be in it, if there is one, and not the
    /// destination itself if another can. O(states + steps).
    pub(crate) fn sources_of_class(&self, class: u8) -> Vec<Option<TerminalId>> {
        let mut origins = vec![None; self.states.len()];
        let mut work = Vec::new();
        for to_itself in [false, true] {
            let senders = self.sources();
            for (source, outsets) in senders.filter(|(source, _)| (source.pairs == 0) == to_itself)
            {
                for outset in outsets.iter().filter(|outset| outset.class == class) {
                    let origin = &mut origins[outset.state as usize];
                    if origin.is_none() {
                        *origin = Some(source.terminal);
                        work.push(outset.state);
                    }
                }
            }
            while let Some(state) = work.pop() {
                let origin = origins[state as usize];
                for step in self.steps(state) {
                    let next = &mut origins[step.next as usize];
                    if next.is_none() {
                        *next = origin;
                        work.push(step.next);
                    }
                }
            }
        }
        origins
    }
}
