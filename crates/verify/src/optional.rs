//! Under bubble flow control: which virtual channels no packet has to wait for.
//!
//! A packet that goes on along its ring may be offered several virtual channels there. Whoever changes the virtual
//! channel on the way enters another ring, for which a bubble is kept as for whoever comes from outside. So each ring
//! keeps turning by itself, and a packet that may stay in its virtual channel gets on with its ring sooner or later,
//! whatever becomes of the others: it does not *need* them, and the dependency on them is left out of the proof.
//!
//! It must be one and the same option that offers both, since a head asks for all virtual channels of its choice at
//! once ([`Hop::vcs`](turnwise_network::Hop::vcs)) but for no other option's.
//!
//! Nothing like it holds where packets are cut up: a packet that took the other virtual channel and stretches over both
//! holds the first until it gets on from the second.

use crate::dependencies::{Dependencies, Vertex};
use crate::endpoints::{destinations, told_apart};
use crate::explore::StateGraph;
use crate::rings::rings;
use crate::system::System;
use turnwise_network::{ChannelId, VcSet};

/// The dependencies that no packet needs, ascending; `None` if there are none, or too many states.
///
/// O(states x options) once more.
pub(crate) fn optional(
    system: System<'_>,
    dependencies: &Dependencies,
    graph: &mut StateGraph,
) -> Option<Vec<(Vertex, Vertex)>> {
    let mut onward = vec![None; system.network.channel_count()];
    for ring in rings(system.network) {
        for (&channel, &next) in ring.iter().zip(ring.iter().cycle().skip(1)) {
            onward[channel.index()] = Some(next);
        }
    }
    let is_change = |&(held, wanted): &(Vertex, Vertex)| {
        if ![held, wanted]
            .iter()
            .all(|&at| dependencies.is_between_routers(at))
        {
            return false;
        }
        let (from, vc) = dependencies.channel_and_vc(held);
        let (to, other) = dependencies.channel_and_vc(wanted);
        onward[from.index()] == Some(to) && vc != other
    };
    let mut changes = dependencies.sorted();
    changes.retain(is_change);
    if changes.is_empty() {
        return None;
    }
    let needed = needed(system, dependencies, &onward, graph)?;
    changes.retain(|&(held, wanted)| {
        let (_, vc) = dependencies.channel_and_vc(wanted);
        !needed[held as usize].contains(vc)
    });
    (!changes.is_empty()).then_some(changes)
}

/// By vertex: the virtual channels further along the ring that some packet which cannot stay in its own is offered.
fn needed(
    system: System<'_>,
    dependencies: &Dependencies,
    onward: &[Option<ChannelId>],
    graph: &mut StateGraph,
) -> Option<Vec<VcSet>> {
    let mut needed = vec![VcSet::default(); dependencies.vertex_count()];
    let all = destinations(system.network, system.routing).into_iter();
    for destination in all.flat_map(|destination| told_apart(destination, system)) {
        graph.explore(system, destination).ok()?;
        for step in graph.all_steps() {
            let Some(next) = onward[step.channel.index()] else {
                continue;
            };
            let along = graph.steps(step.next).iter();
            for further in along.filter(|further| further.channel == next) {
                for vc in step.vcs.iter().filter(|&vc| !further.vcs.contains(vc)) {
                    let held = dependencies.vertex(step.channel, vc);
                    needed[held as usize].0 |= further.vcs.0;
                }
            }
        }
    }
    Some(needed)
}
