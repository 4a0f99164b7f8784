//! Nobody waits in a circle, unless the algorithm says that they may.
//!
//! An independent check of what is in the floor above proved by the verifier: channels with their virtual
//! channels wait for those that packets on them may ask for next (Dally and Seitz, 1987). Under bubble flow control
//! a ring that packets may fill all round counts as one channel (Puente et al., 1999).

use super::subjects::{Built, Subject};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use turnwise_network::{ChannelClass, ChannelId, FlowControl, Hop, Network, Vc, VcSet};

type Edges = BTreeSet<(usize, usize)>;

pub(crate) fn check(subject: &Subject<'_>) -> Result<(), String> {
    let algorithm = subject.algorithm;
    if !algorithm.is_free_of_deadlock(subject.healthy.network.shape()) {
        return Ok(());
    }
    // Packets that change their virtual channel on a ring enter another ring, which no bubble excuses:
    // there the promise is for as many as the algorithm asks for, of each class.
    let asked = subject.healthy.routing.virtual_channels();
    let promised = |built: &&Built| {
        let apart = subject.classes_apart.as_ref();
        subject.flow_control != FlowControl::Bubble
            || built.routing.virtual_channels() == asked
            || apart.is_some_and(|apart| std::ptr::eq(apart, *built))
    };
    for built in subject.all().filter(promised) {
        let mut edges = dependencies(built);
        if built.routing.asks_again() && in_a_circle(edges.clone()).is_some() {
            edges = escape_dependencies(built)?;
        }
        if subject.flow_control == FlowControl::Bubble {
            edges = contract(&built.network, edges);
        }
        if let Some(channel) = in_a_circle(edges) {
            return Err(format!(
                "packets may wait in a circle for {} in {}",
                name(&built.network, channel),
                built.network.description()
            ));
        }
    }
    Ok(())
}

fn vertex(channel: ChannelId, vc: Vc) -> usize {
    channel.index() * usize::from(VcSet::CAPACITY) + usize::from(vc)
}

fn name(network: &Network, vertex: usize) -> String {
    let (channel, vc) = (
        vertex / usize::from(VcSet::CAPACITY),
        vertex % usize::from(VcSet::CAPACITY),
    );
    let label = network.channel_label(ChannelId::from(channel));
    format!("{label} VC {vc}")
}

/// What is held while what is asked for; only channels between routers.
pub(crate) fn dependencies(built: &Built) -> Edges {
    let (network, graph) = (&built.network, &built.graph);
    let mut edges = Edges::new();
    let mut known = FxHashSet::default();
    for state in &graph.states {
        for (hop, next) in state.options.iter().zip(&state.next) {
            let (Some(next), Some(held)) = (*next, network.out_channel(state.at, hop.port)) else {
                continue;
            };
            let next = &graph.states[next];
            for further in &next.options {
                if network.next_router(next.at, further.port).is_none() {
                    continue;
                }
                let wanted = network.out_channel(next.at, further.port).unwrap();
                if !known.insert((held, hop.vcs, wanted, further.vcs)) {
                    continue;
                }
                for from in hop.vcs.iter() {
                    let to = further.vcs.iter().map(|to| vertex(wanted, to));
                    edges.extend(to.map(|to| (vertex(held, from), to)));
                }
            }
        }
    }
    edges
}

/// What is held, of all that the escape ever offers, while what is asked for as an escape: enough where whole
/// packets wait and ask again for all their options (Duato, IEEE TPDS 7(8), 1996).
fn escape_dependencies(built: &Built) -> Result<Edges, String> {
    let (network, graph) = (&built.network, &built.graph);
    let vertices = |at, hop: &Hop| -> Vec<usize> {
        let channel = network.out_channel(at, hop.port).unwrap();
        hop.vcs.iter().map(|vc| vertex(channel, vc)).collect()
    };
    let mut offers = Vec::new();
    for state in &graph.states {
        let mut escapes = Vec::new();
        built.routing.escape(state.at, state.header, &mut escapes);
        let arrives = |hop: &Hop| network.next_router(state.at, hop.port).is_none();
        if escapes.is_empty() && !state.options.iter().any(arrives) {
            return Err(format!(
                "no escape at {:?} for {:?}",
                state.at, state.header
            ));
        }
        let escapes = escapes.iter().flat_map(|hop| vertices(state.at, hop));
        offers.push(escapes.collect::<Vec<usize>>());
    }
    let offered: BTreeSet<usize> = offers.iter().flatten().copied().collect();
    let mut edges = Edges::new();
    for state in &graph.states {
        for (hop, next) in state.options.iter().zip(&state.next) {
            let Some(next) = *next else { continue };
            let held = vertices(state.at, hop).into_iter();
            for held in held.filter(|held| offered.contains(held)) {
                edges.extend(offers[next].iter().map(|wanted| (held, *wanted)));
            }
        }
    }
    Ok(edges)
}

/// The only channel that goes on in the same direction of a dimension.
fn straight_on(network: &Network, channel: ChannelId) -> Option<ChannelId> {
    let here = network.channel(channel);
    let router = here.to_router()?;
    let onward = |class: ChannelClass| {
        matches!(class, ChannelClass::Dimension { .. }) && class == here.class
    };
    let mut all = network
        .neighbours(router)
        .filter(|near| onward(network.channel(near.channel).class));
    let only = all.next()?.channel;
    all.next().is_none().then_some(only)
}

/// The rings of three channels or more.
fn rings(network: &Network) -> Vec<Vec<ChannelId>> {
    let mut rings = Vec::new();
    for (first, _) in network.channels() {
        let mut ring = vec![first];
        while let Some(next) = straight_on(network, ring[ring.len() - 1]) {
            if next == first {
                rings.push(ring);
                break;
            }
            if next < first || ring.contains(&next) {
                break;
            }
            ring.push(next);
        }
    }
    rings.retain(|ring| ring.len() >= 3);
    rings
}

/// The same with each ring that packets fill all the way round as one.
fn contract(network: &Network, edges: Edges) -> Edges {
    let mut edges = edges;
    for ring in rings(network) {
        for vc in 0..VcSet::CAPACITY {
            let vertices: Vec<usize> = ring.iter().map(|&channel| vertex(channel, vc)).collect();
            let onward = vertices.iter().zip(vertices.iter().cycle().skip(1));
            if !onward
                .clone()
                .all(|(&from, &to)| edges.contains(&(from, to)))
            {
                continue;
            }
            let of = |vertex: usize| {
                if vertices.contains(&vertex) {
                    vertices[0]
                } else {
                    vertex
                }
            };
            let renamed = edges.into_iter().map(|(from, to)| (of(from), of(to)));
            edges = renamed
                .filter(|&(from, to)| from != vertices[0] || to != vertices[0])
                .collect();
        }
    }
    edges
}

/// A channel on or behind a circle of dependencies, if there is one.
pub(crate) fn in_a_circle(mut edges: Edges) -> Option<usize> {
    // Take away what nothing depends on until nothing is left, or a circle.
    loop {
        let wanted: BTreeSet<usize> = edges.iter().map(|&(_, to)| to).collect();
        let before = edges.len();
        edges.retain(|(from, _)| wanted.contains(from));
        if edges.is_empty() || edges.len() == before {
            return edges.first().map(|&(from, _)| from);
        }
    }
}
