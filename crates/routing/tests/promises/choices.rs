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

/// What packets in a state do, now in an empty network, now in a congested one, and, if they ask again, when they do.
fn choices<'a>(built: &'a Built, index: usize) -> impl Iterator<Item = Option<Hop>> + 'a {
    let (state, routing) = (&built.graph.states[index], &built.routing);
    let kinds = 1 + u64::from(routing.asks_again());
    (0..draws(state) * kinds).map(move |draw| {
        let mut rng = Random::new(draw, Purpose::Routing, index as u32, 0);
        let noise = Noise(mix(index as u64) ^ draw);
        let congestion: &dyn Congestion = if draw % 2 == 0 { &NoCongestion } else { &noise };
        match draw < draws(state) {
            true => routing.choose(state.at, state.header, congestion, &mut rng),
            false => routing.choose_again(state.at, state.header, congestion, &mut rng),
        }
    })
}

/// The first hop of the escape that is no part of any option.
fn unoffered_escape(built: &Built, state: &State) -> Option<Hop> {
    let mut escapes = Vec::new();
    built.routing.escape(state.at, state.header, &mut escapes);
    let is_offered = |hop: &Hop| {
        let of = |option: &&Hop| (option.port, option.header) == (hop.port, hop.header);
        let mut options = state.options.iter().filter(of);
        options.any(|option| hop.vcs.0 & !option.vcs.0 == 0)
    };
    escapes.into_iter().find(|hop| !is_offered(hop))
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
            if let Some(hop) = unoffered_escape(built, state) {
                let (at, header, options) = (state.at, state.header, &state.options);
                return Err(format!(
                    "the escape {hop:?} at {at}, {header:?} is no part of {options:?}"
                ));
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
