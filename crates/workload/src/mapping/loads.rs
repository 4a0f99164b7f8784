//! What a program puts on the channels between routers when its ranks are somewhere.

use super::matrix::{Matrix, Part};
use super::routes::Routes;
use turnwise_network::{ChannelId, Network, TerminalId};

/// Loads of channels in each round, which can be taken from one placement to another rank by rank.
pub(crate) struct Loads<'a> {
    matrix: &'a Matrix,
    /// By round and channel, bytes times the cycles that a flit occupies it for; the last channel is nowhere.
    of_channels: Vec<f64>,
    /// By channel, what a byte weighs.
    weights: Vec<f64>,
}

/// A load that has changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub(crate) round: u32,
    pub(crate) before: f64,
    pub(crate) after: f64,
}

/// What gets lost must not look like a relief.
const LOST: f64 = 1e6;

impl<'a> Loads<'a> {
    /// Those of a placement, by rank.
    pub(crate) fn new(matrix: &'a Matrix, places: &[TerminalId], routes: &mut Routes<'_>) -> Self {
        let mut weights = weights(routes.network());
        weights.push(LOST);
        let mut loads = Self {
            matrix,
            of_channels: vec![0.0; weights.len() * matrix.rounds() as usize],
            weights,
        };
        for rank in 0..matrix.ranks() {
            for part in matrix.sent(rank) {
                let ends = [places[rank as usize], places[part.peer as usize]];
                loads.add(ends, part, 1.0, routes, &mut |_| {});
            }
        }
        loads
    }

    /// The largest of each round, added up.
    pub(crate) fn largest(&self) -> f64 {
        let largest = |round: &[f64]| round.iter().copied().fold(0.0, f64::max);
        self.rounds().map(largest).sum()
    }

    /// The sum of all.
    pub(crate) fn total(&self) -> f64 {
        self.of_channels.iter().sum()
    }

    /// Round by round, what all channels have.
    pub(crate) fn rounds(&self) -> impl Iterator<Item = &[f64]> {
        self.of_channels.chunks(self.weights.len())
    }

    /// Takes a rank's messages away (`sign` -1) or puts them back (1), but for those with `except`; `changed` is told of each
    /// load that changes.
    pub(crate) fn shift(
        &mut self,
        rank: u32,
        except: Option<u32>,
        sign: f64,
        places: &[TerminalId],
        routes: &mut Routes<'_>,
        changed: &mut dyn FnMut(Change),
    ) {
        let here = places[rank as usize];
        let matrix = self.matrix;
        let is_meant = |part: &&Part| Some(part.peer) != except;
        for part in matrix.sent(rank).iter().filter(is_meant) {
            let ends = [here, places[part.peer as usize]];
            self.add(ends, part, sign, routes, changed);
        }
        for part in matrix.received(rank).iter().filter(is_meant) {
            let ends = [places[part.peer as usize], here];
            self.add(ends, part, sign, routes, changed);
        }
    }

    fn add(
        &mut self,
        [from, to]: [TerminalId; 2],
        &Part { round, bytes, .. }: &Part,
        sign: f64,
        routes: &mut Routes<'_>,
        changed: &mut dyn FnMut(Change),
    ) {
        let first = round as usize * self.weights.len();
        for &(channel, share) in routes.of(from, to) {
            let channel = channel as usize;
            let load = &mut self.of_channels[first + channel];
            let before = *load;
            *load += sign * bytes * share * self.weights[channel];
            let after = *load;
            changed(Change {
                round,
                before,
                after,
            });
        }
    }
}

/// By channel between routers, the cycles that a flit occupies it for.
fn weights(network: &Network) -> Vec<f64> {
    let channels = 0..network.channel_count();
    let interval = |id: usize| f64::from(network.channel(ChannelId::from(id)).interval);
    channels.map(interval).collect()
}
