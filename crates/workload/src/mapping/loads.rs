//! What a program puts on the channels between routers when its ranks are somewhere.

use super::matrix::Matrix;
use super::routes::Routes;
use turnwise_network::{ChannelId, Network, TerminalId};

/// Loads of channels, which can be taken from one placement to another rank by rank.
pub(crate) struct Loads<'a> {
    matrix: &'a Matrix,
    /// By channel, bytes times the cycles that a flit occupies it for; the last one is nowhere.
    of_channels: Vec<f64>,
    /// By channel, what a byte weighs.
    weights: Vec<f64>,
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
            of_channels: vec![0.0; weights.len()],
            weights,
        };
        for rank in 0..matrix.ranks() {
            for &(to, bytes) in matrix.sent(rank) {
                let ends = [places[rank as usize], places[to as usize]];
                loads.add(ends, bytes, routes, &mut |_, _| {});
            }
        }
        loads
    }

    /// The largest.
    pub(crate) fn largest(&self) -> f64 {
        self.of_channels.iter().copied().fold(0.0, f64::max)
    }

    /// The sum of all.
    pub(crate) fn total(&self) -> f64 {
        self.of_channels.iter().sum()
    }

    /// What all channels have.
    pub(crate) fn all(&self) -> &[f64] {
        &self.of_channels
    }

    /// Takes a rank's messages away (`sign` -1) or puts them back (1), but for those with `except`; `changed` is told of each
    /// channel's load before and after.
    pub(crate) fn shift(
        &mut self,
        rank: u32,
        except: Option<u32>,
        sign: f64,
        places: &[TerminalId],
        routes: &mut Routes<'_>,
        changed: &mut dyn FnMut(f64, f64),
    ) {
        let here = places[rank as usize];
        let matrix = self.matrix;
        for &(to, bytes) in matrix.sent(rank) {
            if Some(to) != except {
                let ends = [here, places[to as usize]];
                self.add(ends, sign * bytes, routes, changed);
            }
        }
        for &(from, bytes) in matrix.received(rank) {
            if Some(from) != except {
                let ends = [places[from as usize], here];
                self.add(ends, sign * bytes, routes, changed);
            }
        }
    }

    fn add(
        &mut self,
        [from, to]: [TerminalId; 2],
        bytes: f64,
        routes: &mut Routes<'_>,
        changed: &mut dyn FnMut(f64, f64),
    ) {
        for &(channel, share) in routes.of(from, to) {
            let channel = channel as usize;
            let before = self.of_channels[channel];
            let after = before + bytes * share * self.weights[channel];
            self.of_channels[channel] = after;
            changed(before, after);
        }
    }
}

/// By channel between routers, the cycles that a flit occupies it for.
fn weights(network: &Network) -> Vec<f64> {
    let channels = 0..network.channel_count();
    let interval = |id: usize| f64::from(network.channel(ChannelId::from(id)).interval);
    channels.map(interval).collect()
}
