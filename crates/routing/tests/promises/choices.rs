//! What packets do is what they may do: a choice is an option, whatever the congestion and the draw.

use super::graph::State;
use super::subjects::{Built, Subject};
use turnwise_network::random::{Purpose, Random, mix};
use turnwise_network::{Congestion, Hop, NoCongestion, Port, Vc, VcSet};

/// Made-up queues, the same whenever one looks: of a router with so many virtual channels, each empty, full or in between.
pub(crate) struct Noise {
    pub(crate) seed: u64,
    pub(crate) virtual_channels: Vc,
}

impl Noise {
    /// Of a router with as many virtual channels as there can be.
    pub(crate) fn on_all(seed: u64) -> Self {
        Self {
            seed,
            virtual_channels: VcSet::EVERY.iter().count() as Vc,
        }
    }
}

/// Flits that a virtual channel of it holds.
const DEPTH: u32 = 24;

impl Congestion for Noise {
    fn unacknowledged(&self, port: Port, vcs: VcSet) -> u32 {
        let each = vcs
            .iter()
            .take_while(|&vc| vc < self.virtual_channels)
            .map(|vc| {
                (mix(self.seed ^ u64::from(vc) << 32 ^ u64::from(port)) as u32) % (DEPTH + 1)
            });
        each.sum()
    }

    fn queued(&self, port: Port, vcs: VcSet) -> u32 {
        self.unacknowledged(port ^ 1, vcs) / 4
    }

    fn awaiting(&self, port: Port) -> u32 {
        (mix(self.seed ^ u64::from(port) << 8) % 9) as u32
    }

    fn capacity(&self, _: Port) -> u32 {
        DEPTH * u32::from(self.virtual_channels)
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
        let noise = Noise {
            seed: mix(index as u64) ^ draw,
            virtual_channels: routing.virtual_channels(),
        };
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
    let is_offered = |hop: &Hop| state.options.iter().any(|option| hop.is_part_of(option));
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
            if let (Some(hop), false) = (void(built, index), state.options.is_empty()) {
                let (at, header, options) = (state.at, state.header, &state.options);
                return Err(format!(
                    "{hop:?} at {at}, {header:?} leads nowhere, beside {options:?}"
                ));
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

/// What leads nowhere in a state, as it is told where nothing else is.
fn void(built: &Built, index: usize) -> Option<Hop> {
    let state = &built.graph.states[index];
    built.routing.void(state.at, state.header)
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

/// States of a routing that are asked again and again, and how often for each option, at most: some ask for just any one in 64 times only.
const ASKED: usize = 12;
const DRAWS_AGAIN: usize = 2000;

/// Who asks again comes to ask for all there is, whatever the queues: a deadlock proof takes that for granted.
pub(crate) fn check_again(subject: &Subject<'_>) -> Result<(), String> {
    for built in subject.all().filter(|built| built.routing.asks_again()) {
        let states = built.graph.states.iter().enumerate();
        let open: Vec<_> = states
            .filter(|(_, state)| state.options.len() > 1)
            .collect();
        for (index, state) in open.iter().step_by(open.len().div_ceil(ASKED).max(1)) {
            let ends = state
                .options
                .first()
                .into_iter()
                .chain(state.options.last());
            let virtual_channels = built.routing.virtual_channels();
            let queues = ends.map(|hop| Lopsided {
                empty: hop.port,
                virtual_channels,
            });
            let queues: Vec<Lopsided> = queues.collect();
            let empty: [&dyn Congestion; 1] = [&NoCongestion];
            let full = queues.iter().map(|queues| queues as &dyn Congestion);
            for (draw, congestion) in empty.into_iter().chain(full).enumerate() {
                if let Some(never) = never_asked(built, state, congestion, (*index, draw)) {
                    let (at, header) = (state.at, state.header);
                    return Err(format!(
                        "{never:?} is never asked for again at {at}, {header:?}"
                    ));
                }
            }
        }
    }
    Ok(())
}

/// An option that does not come up, however often a head in vain asks again.
fn never_asked(
    built: &Built,
    state: &State,
    congestion: &dyn Congestion,
    (index, draw): (usize, usize),
) -> Option<Hop> {
    let mut rng = Random::new(draw as u64, Purpose::RoutingAgain, index as u32, 0);
    let mut left = state.options.clone();
    for _ in 0..DRAWS_AGAIN * state.options.len() {
        let again = (built.routing).choose_again(state.at, state.header, congestion, &mut rng);
        left.retain(|&option| Some(option) != again);
        if left.is_empty() {
            return None;
        }
    }
    left.first().copied()
}

/// One port is empty and all others are full.
struct Lopsided {
    empty: Port,
    virtual_channels: Vc,
}

impl Congestion for Lopsided {
    fn unacknowledged(&self, port: Port, vcs: VcSet) -> u32 {
        let there_are = vcs.iter().take_while(|&vc| vc < self.virtual_channels);
        match port == self.empty {
            true => 0,
            false => there_are.count() as u32 * DEPTH,
        }
    }

    fn queued(&self, _: Port, _: VcSet) -> u32 {
        0
    }

    fn capacity(&self, _: Port) -> u32 {
        DEPTH * u32::from(self.virtual_channels)
    }

    fn memory(&self) -> &[u32] {
        &[]
    }
}
