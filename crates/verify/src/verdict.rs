//! Can packets wait for each other in a circle? The answer, with its proof either way.
//!
//! An acyclic channel dependency graph is deadlock-free (Dally and Seitz, IEEE Trans.
//! Computers 36(5), 1987). For routings with one route a pair a cycle is also enough for a
//! deadlock; for adaptive ones it shows that this proof fails, and where. Then an [escape](crate::escape) may be
//! one, and only if it is not does the cycle stand.

use crate::assumptions::Assumptions;
use crate::certificate::Certificate;
use crate::cycle::{self, Shortest};
use crate::dependencies::Dependencies;
use crate::escape;
use crate::explore::{StateGraph, TooManyStates};
use crate::optional::optional;
use crate::system::System;
use crate::wait_graph::WaitGraph;
use crate::witness::{self, Cycle};
use turnwise_network::FlowControl;

/// Whether a routing can deadlock on a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It cannot, and here is the proof.
    DeadlockFree(Certificate),
    /// Virtual channels can wait for each other in a circle, and here is one.
    Cyclic(Cycle),
    /// No cycle was found, but not everything could be explored.
    Unexplored(TooManyStates),
}

impl Verdict {
    /// Is freedom from deadlock proved?
    pub fn is_deadlock_free(&self) -> bool {
        matches!(self, Self::DeadlockFree(_))
    }

    /// The proof, if there is one.
    pub fn certificate(&self) -> Option<&Certificate> {
        match self {
            Self::DeadlockFree(certificate) => Some(certificate),
            _ => None,
        }
    }

    /// The cycle, if there is one.
    pub fn cycle(&self) -> Option<&Cycle> {
        match self {
            Self::Cyclic(cycle) => Some(cycle),
            _ => None,
        }
    }
}

/// The proof of recorded dependencies that are all there are, if they are enough for one.
pub(crate) fn free(
    system: System<'_>,
    dependencies: &Dependencies,
    assumptions: Assumptions,
) -> Option<Verdict> {
    let graph = WaitGraph::new(system.network, dependencies, assumptions.flow_control);
    let chains = graph.longest_chains().ok()?;
    let certificate = Certificate::new(dependencies, assumptions, &graph, &chains);
    Some(Verdict::DeadlockFree(certificate))
}

/// Judges recorded dependencies. A cycle stands even if exploration was given up.
pub(crate) fn judge(
    system: System<'_>,
    dependencies: &Dependencies,
    assumptions: Assumptions,
    given_up: Option<TooManyStates>,
    scratch: &mut StateGraph,
) -> Verdict {
    let mut graph = WaitGraph::new(system.network, dependencies, assumptions.flow_control);
    let mut chains = graph.longest_chains();
    if chains.is_err()
        && given_up.is_none()
        && assumptions.flow_control == FlowControl::Bubble
        && let Some(optional) = optional(system, dependencies, scratch)
    {
        graph = graph.without(optional, dependencies);
        chains = graph.longest_chains();
    }
    let cyclic = match (chains, given_up) {
        (Ok(_), Some(given_up)) => return Verdict::Unexplored(given_up),
        (Ok(chains), None) => {
            return Verdict::DeadlockFree(Certificate::new(
                dependencies,
                assumptions,
                &graph,
                &chains,
            ));
        }
        (Err(cyclic), _) => cyclic,
    };
    let terminals = dependencies.terminals();
    let mut escapes = |terminals| match given_up {
        None => escape::prove(system, dependencies, terminals, assumptions, scratch),
        Some(_) => None,
    };
    if let Some(proof) = escapes(terminals) {
        return Verdict::DeadlockFree(proof);
    }
    let is_protocols_fault = terminals.is_some() && escapes(None).is_some();
    let (links, is_shortest) = shortest(&graph, &cyclic, dependencies, is_protocols_fault);
    let waiting = witness::witnessed(&links, system, dependencies, scratch).unwrap_or_default();
    Verdict::Cyclic(Cycle {
        waiting,
        is_shortest,
    })
}

/// The shortest cycle, through terminals if it is for their answers that there is no proof.
///
/// One without messages of terminals to themselves, if there is one: few protocols have such messages, and a cycle of
/// others convinces everybody.
fn shortest(
    graph: &WaitGraph,
    cyclic: &[u32],
    dependencies: &Dependencies,
    is_protocols_fault: bool,
) -> Shortest {
    let terminals = dependencies.terminals();
    let is_terminals = |class| terminals.is_some_and(|all| all.kind(class).is_some());
    let is_wanted = |class| !is_protocols_fault || is_terminals(class);
    let between_terminals = || {
        let terminals = terminals?;
        let mut others = graph.needed(dependencies);
        others.retain(|&(held, wanted)| !terminals.sends_to_itself(held, wanted));
        let others = WaitGraph::of(dependencies.vertex_count(), &others, graph.rings.clone());
        let cyclic = others.longest_chains().err()?;
        cycle::find(&others, &cyclic, is_wanted)
    };
    between_terminals()
        .or_else(|| cycle::find(graph, cyclic, is_wanted))
        .or_else(|| cycle::find(graph, cyclic, |_| true))
        .unwrap_or_default()
}
