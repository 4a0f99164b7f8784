//! How packets of each source set out, and which of them can be in a state.

use super::{NO_STATE, StateGraph};
use crate::endpoints::Source;
use turnwise_network::{TerminalId, VcSet};

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
