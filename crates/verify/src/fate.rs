//! What may become of a packet in each state: delivered for sure, possibly lost, possibly
//! wandering for ever (livelock).
//!
//! A finite state graph delivers every packet exactly if no dead end and no cycle can be
//! reached; both are found by peeling (Kahn, "Topological sorting of large networks",
//! CACM 5(11), 1962), in time linear in the graph.

use crate::explore::{Outset, StateGraph};

/// The fates of all states of one destination; memory is reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fates {
    /// Safe states, each before every state it leads to.
    order: Vec<u32>,
    degrees: Vec<u32>,
    flaws: Option<Flaws>,
}

/// Only filled when something is wrong, which for sound algorithms is never.
#[derive(Clone, Debug)]
struct Flaws {
    lost: Vec<bool>,
    endless: Vec<bool>,
}

impl Fates {
    /// Judges every state of a graph.
    pub(crate) fn judge(&mut self, graph: &StateGraph) {
        self.flaws = None;
        self.sort(graph, |_| true);
        if self.order.len() == graph.states().len() && graph.dead_ends().is_empty() {
            return;
        }
        let backwards = Backwards::of(graph);
        let lost = backwards.reaching(graph.dead_ends().iter().map(|&(state, _)| state));
        let endless = backwards.reaching_a_cycle(graph);
        self.sort(graph, |state| {
            !lost[state as usize] && !endless[state as usize]
        });
        self.flaws = Some(Flaws { lost, endless });
    }

    /// Topologically sorts the states kept; those on or behind a cycle of these are left out.
    ///
    /// `keep` must be closed under "leads to".
    fn sort(&mut self, graph: &StateGraph, keep: impl Fn(u32) -> bool) {
        let states = graph.states().len() as u32;
        self.degrees.clear();
        self.degrees.resize(states as usize, 0);
        self.order.clear();
        for state in (0..states).filter(|&state| keep(state)) {
            for step in graph.steps(state) {
                self.degrees[step.next as usize] += 1;
            }
        }
        let first = (0..states).filter(|&state| keep(state) && self.degrees[state as usize] == 0);
        self.order.extend(first);
        let mut done = 0;
        while let Some(&state) = self.order.get(done) {
            done += 1;
            for step in graph.steps(state) {
                let degree = &mut self.degrees[step.next as usize];
                *degree -= 1;
                if *degree == 0 {
                    self.order.push(step.next);
                }
            }
        }
    }

    /// Safe states, each before every state it leads to.
    pub(crate) fn safe_order(&self) -> &[u32] {
        &self.order
    }

    /// Is a packet in this state delivered whatever is chosen?
    #[inline]
    pub(crate) fn is_safe(&self, state: u32) -> bool {
        !self.may_be_lost(state) && !self.may_wander(state)
    }

    /// Do packets of each class arrive, however they set out and whatever is chosen?
    pub(crate) fn deliver(&self, graph: &StateGraph, outsets: &[Outset]) -> bool {
        graph.is_routed(outsets) && outsets.iter().all(|outset| self.is_safe(outset.state))
    }

    /// Can a packet in this state reach a dead end?
    #[inline]
    pub(crate) fn may_be_lost(&self, state: u32) -> bool {
        self.flaws
            .as_ref()
            .is_some_and(|flaws| flaws.lost[state as usize])
    }

    /// Can a packet in this state go round in circles?
    #[inline]
    pub(crate) fn may_wander(&self, state: u32) -> bool {
        self.flaws
            .as_ref()
            .is_some_and(|flaws| flaws.endless[state as usize])
    }
}

/// The steps of a graph backwards.
struct Backwards {
    offsets: Vec<u32>,
    origins: Vec<u32>,
}

impl Backwards {
    fn of(graph: &StateGraph) -> Self {
        let states = graph.states().len();
        let mut offsets = vec![0u32; states + 1];
        for step in graph.all_steps() {
            offsets[step.next as usize + 1] += 1;
        }
        for state in 0..states {
            offsets[state + 1] += offsets[state];
        }
        let mut fill = offsets.clone();
        let mut origins = vec![0; graph.all_steps().len()];
        for state in 0..states as u32 {
            for step in graph.steps(state) {
                let slot = &mut fill[step.next as usize];
                origins[*slot as usize] = state;
                *slot += 1;
            }
        }
        Self { offsets, origins }
    }

    fn origins(&self, state: u32) -> &[u32] {
        &self.origins
            [self.offsets[state as usize] as usize..self.offsets[state as usize + 1] as usize]
    }

    /// The states from which one of `seeds` can be reached.
    fn reaching(&self, seeds: impl Iterator<Item = u32>) -> Vec<bool> {
        let mut reaching = vec![false; self.offsets.len() - 1];
        let mut queue: Vec<u32> = seeds.collect();
        while let Some(state) = queue.pop() {
            if !std::mem::replace(&mut reaching[state as usize], true) {
                queue.extend(self.origins(state));
            }
        }
        reaching
    }

    /// The states from which a cycle can be reached: what is left when ends are peeled off.
    fn reaching_a_cycle(&self, graph: &StateGraph) -> Vec<bool> {
        let states = graph.states().len() as u32;
        let mut left: Vec<usize> = (0..states).map(|state| graph.steps(state).len()).collect();
        let mut queue: Vec<u32> = (0..states)
            .filter(|&state| left[state as usize] == 0)
            .collect();
        while let Some(state) = queue.pop() {
            for &origin in self.origins(state) {
                left[origin as usize] -= 1;
                if left[origin as usize] == 0 {
                    queue.push(origin);
                }
            }
        }
        left.into_iter().map(|steps| steps > 0).collect()
    }
}
