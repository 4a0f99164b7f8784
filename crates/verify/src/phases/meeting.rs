//! Where phases meet: who holds what when it comes to its intermediate router, and what whoever sets out there waits for.

use super::InVain;
use super::ends::Ends;
use crate::dependencies::Dependencies;
use crate::explore::{StateGraph, Step};
use crate::fate::Fates;
use turnwise_network::{ChannelId, Header, Network, VcSet};

/// Of which kind the ends are that packets come from, or go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kinds {
    None,
    One(usize),
    Several,
}

impl Kinds {
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, kinds) | (kinds, Self::None) => kinds,
            (one, same) if one == same => one,
            _ => Self::Several,
        }
    }
}

/// Virtual channels of a channel, and whose packets take them.
type Taken = (ChannelId, VcSet, Kinds);

/// What is known of one intermediate router.
#[derive(Clone, Debug, Default)]
struct Meeting {
    held: Vec<Taken>,
    wanted: Vec<Taken>,
    /// With what packets arrive, but for their destination.
    header: Option<Header>,
}

/// What is known of all, by their places among the ends.
#[derive(Clone, Debug)]
pub(super) struct Meetings {
    all: Vec<Meeting>,
    /// Whose packets can be in each state; reused.
    whose: Vec<Kinds>,
}

impl Meetings {
    pub(super) fn new(ends: usize) -> Self {
        Self {
            all: vec![Meeting::default(); ends],
            whose: Vec::new(),
        }
    }

    /// Notes the packets of a first phase that arrive.
    pub(super) fn arrive(
        &mut self,
        ends: &Ends,
        place: usize,
        (network, graph, fates): (&Network, &StateGraph, &Fates),
    ) -> Result<(), InVain> {
        let home = ends.routers[place];
        self.whose.clear();
        self.whose.resize(graph.states().len(), Kinds::None);
        for (source, outsets) in graph.sources() {
            let from = ends.place(network.router_of(source.terminal));
            for outset in outsets {
                let whose = &mut self.whose[outset.state as usize];
                *whose = whose.or(Kinds::One(ends.kind(from)));
            }
        }
        let meeting = &mut self.all[place];
        for &state in fates.safe_order() {
            let whose = self.whose[state as usize];
            for step in graph.steps(state) {
                let next = &mut self.whose[step.next as usize];
                *next = next.or(whose);
                if graph.ejections(step.next) == 0 {
                    continue;
                }
                let arrived = &graph.states()[step.next as usize];
                let is_same = meeting.header.is_none_or(|header| header == arrived.header);
                if arrived.router != home || !graph.steps(step.next).is_empty() || !is_same {
                    return Err(InVain);
                }
                meeting.header = Some(arrived.header);
                take(&mut meeting.held, step, whose);
            }
        }
        Ok(())
    }

    /// Notes what packets that set out from an intermediate router for one of the ends may do.
    pub(super) fn set_out(
        &mut self,
        ends: &Ends,
        (by, to): (usize, usize),
        header: Header,
        steps: &[Step],
    ) -> Result<(), InVain> {
        let meeting = &mut self.all[by];
        let arrives = Header {
            destination: ends.all[by].terminal,
            ..header
        };
        if meeting.header != Some(arrives) {
            return Err(InVain);
        }
        for step in steps {
            take(&mut meeting.wanted, step, Kinds::One(ends.kind(to)));
        }
        Ok(())
    }

    /// Adds that whoever arrives may wait for whatever one waits for that sets out, unless both are of one kind alone.
    pub(super) fn join(&self, dependencies: &mut Dependencies) {
        for Meeting { held, wanted, .. } in &self.all {
            for &(channel, vcs, from) in held {
                for &(onward, those, to) in wanted {
                    if from == Kinds::Several || from != to {
                        dependencies.record_wait((channel, vcs), (onward, those));
                    }
                }
            }
        }
    }
}

fn take(all: &mut Vec<Taken>, step: &Step, kinds: Kinds) {
    let same = |&&mut (channel, vcs, _): &&mut Taken| (channel, vcs) == (step.channel, step.vcs);
    match all.iter_mut().find(same) {
        Some((_, _, known)) => *known = known.or(kinds),
        None => all.push((step.channel, step.vcs, kinds)),
    }
}
