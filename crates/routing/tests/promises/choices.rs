//! What packets do is what they may do: a choice is an option, whatever the congestion and the draw.

use super::graph::State;
use super::subjects::{Built, Subject};
use turnwise_network::random::{Purpose, Random, mix};
use turnwise_network::{Congestion, Hop, NoCongestion, Port, VcSet};

/// Made-up queues, the same whenever one looks.
pub(crate) struct Noise(pub(crate) u64);

impl Congestion for Noise {
    fn unacknowledged(&self, port: Port, vcs: VcSet) -> u32 {
        let each = vcs
            .iter()
            .map(|vc| (mix(self.0 ^ u64::from(vc) << 32 ^ u64::from(port)) % 25) as u32);
        each.sum()
    }

    fn queued(&self, port: Port, vcs: VcSet) -> u32 {
        self.unacknowledged(port ^ 1, vcs) / 4
    }

    fn awaiting(&self, port: Port) -> u32 {
        (mix(self.0 ^ u64::from(port) << 8) % 9) as u32
    }

    fn capacity(&self, _: Port) -> u32 {
        200
    }

    fn memory(&self) -> &[u32] {
        &[]
    }
}

/// Draws for each state: one that is given no choice makes none.
fn draws(state: &State) -> u64 {
    match state.options.len() {
        0 | 1 => 2,
        many => 4 + 2 * many.min(10) as u64,
    }
}

/// What packets in a state do, now in an empty network, now in a congested one.
fn choices<'a>(built: &'a Built, index: usize) -> impl Iterator<Item = Option<Hop>> + 'a {
    let state = &built.graph.states[index];
    (0..draws(state)).map(move |draw| {
        let mut rng = Random::new(draw, Purpose::Routing, index as u32, 0);
        let noise = Noise(mix(index as u64) ^ draw);
        let congestion: &dyn Congestion = if draw % 2 == 0 { &NoCongestion } else { &noise };
        built
            .routing
            .choose(state.at, state.header, congestion, &mut rng)
    })
}

pub(crate) fn check(subject: &Subject<'_>) -> Result<(), String> {
    for built in subject.all() {
        for (index, state) in built.graph.states.iter().enumerate() {
            for choice in choices(built, index) {
                let offered = match choice {
                    Some(hop) => state.options.contains(&hop),
                    None => state.options.is_empty(),
                };
                if !offered {
                    let (at, header, options) = (state.at, state.header, &state.options);
                    return Err(format!(
                        "{choice:?} at {at}, {header:?} is none of {options:?}"
                    ));
                }
            }
        }
    }
    Ok(())
}

/// What is settled is all there is, and what is done.
pub(crate) fn check_settled(subject: &Subject<'_>) -> Result<(), String> {
    for built in subject.all() {
        for (index, state) in built.graph.states.iter().enumerate() {
            let Some(settled) = built.routing.settled(state.at, state.header) else {
                continue;
            };
            let (at, header) = (state.at, state.header);
            if state.options != [settled] {
                let options = &state.options;
                return Err(format!(
                    "{settled:?} is settled at {at}, {header:?}, of {options:?}"
                ));
            }
            if let Some(other) = choices(built, index).find(|&choice| choice != Some(settled)) {
                return Err(format!(
                    "{settled:?} is settled at {at}, {header:?}, {other:?} done"
                ));
            }
        }
    }
    Ok(())
}
