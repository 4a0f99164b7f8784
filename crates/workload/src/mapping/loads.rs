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
    /// By round the largest load, and how many channels have it. Where none has it any more it is looked for again.
    largest: Vec<(f64, u32)>,
    /// The sum of all.
    total: f64,
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
            largest: vec![(0.0, 0); matrix.rounds() as usize],
            total: 0.0,
        };
        for rank in 0..matrix.ranks() {
            for part in matrix.sent(rank) {
                let ends = [places[rank as usize], places[part.peer as usize]];
                loads.add(ends, part, 1.0, routes, &mut |_| {});
            }
        }
        loads
    }

    /// The largest of each round, added up. O(rounds), and the channels of rounds whose largest load has become less since.
    pub(crate) fn largest(&mut self) -> f64 {
        let rounds = self.of_channels.chunks(self.weights.len());
        for (round, (largest, channels)) in rounds.zip(&mut self.largest) {
            if *channels == 0 {
                *largest = round.iter().copied().fold(0.0, f64::max);
                *channels = round.iter().filter(|load| *load == largest).count() as u32;
            }
        }
        self.largest.iter().map(|(largest, _)| largest).sum()
    }

    /// The sum of all.
    pub(crate) fn total(&self) -> f64 {
        self.total
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
            let (largest, channels) = &mut self.largest[round as usize];
            *channels -= u32::from(before == *largest && *channels > 0);
            if after > *largest {
                (*largest, *channels) = (after, 1);
            } else if after == *largest {
                *channels += 1;
            }
            self.total += after - before;
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

#[cfg(test)]
mod tests {
    use super::super::matrix::Together;
    use super::*;
    use std::sync::Arc;
    use turnwise_application::formats::goal;
    use turnwise_network::random::{Purpose, Random};
    use turnwise_network::tables::NextHopTable;
    use turnwise_network::topologies::{Mesh, Topology};
    use turnwise_network::{Port, RouterId};

    /// What is kept from move to move is what looking at all channels finds.
    #[test]
    fn largest_loads_and_sums_are_those_of_all_channels() {
        const ROUTERS: u32 = 6;
        let line = Mesh {
            sizes: vec![ROUTERS],
            ..Mesh::default()
        };
        let network = Arc::new(line.build(None).unwrap());
        let port_to = |at: RouterId, next: u32| -> Option<Port> {
            let mut neighbours = network.neighbours(at);
            let found = neighbours.find(|neighbour| neighbour.router.0 == next);
            found.map(|neighbour| neighbour.port)
        };
        let table = NextHopTable::new(&network, |to, ports| {
            for (at, port) in (0..).zip(ports) {
                *port = match to.0.cmp(&at) {
                    std::cmp::Ordering::Less => port_to(RouterId(at), at - 1),
                    std::cmp::Ordering::Equal => None,
                    std::cmp::Ordering::Greater => port_to(RouterId(at), at + 1),
                };
            }
        });
        let table = table.unwrap();
        let schedule = b"num_ranks 4\nrank 0 {\nsend 8b to 1\nsend 8b to 2\nsend 3b to 3\n}\n\
                         rank 1 {\nrecv 8b from 0\nsend 8b to 2\n}\n\
                         rank 2 {\nrecv 8b from 0\nrecv 8b from 1\nsend 9b to 3\n}\n\
                         rank 3 {\nrecv 9b from 2\nrecv 3b from 0\n}";
        let program = goal::read(schedule).unwrap();
        for together in [Together::All, Together::Rounds] {
            let matrix = Matrix::of(&program, together);
            let mut routes = Routes::new(&network, &table);
            let mut places: Vec<TerminalId> = (0..4).map(TerminalId).collect();
            let mut loads = Loads::new(&matrix, &places, &mut routes);
            let mut rng = Random::new(1, Purpose::Other, 0, 0);
            for _ in 0..500 {
                let (rank, to) = (rng.below(4), TerminalId(rng.below(ROUTERS)));
                loads.shift(rank, None, -1.0, &places, &mut routes, &mut |_| {});
                places[rank as usize] = to;
                loads.shift(rank, None, 1.0, &places, &mut routes, &mut |_| {});
                let largest = |round: &[f64]| round.iter().copied().fold(0.0, f64::max);
                let expected: f64 = loads.rounds().map(largest).sum();
                // Now and then nobody asks for a while.
                if rng.below(3) > 0 {
                    assert_eq!(loads.largest(), expected);
                }
                let total: f64 = loads.rounds().flatten().sum();
                assert!((loads.total() - total).abs() < 1e-9);
            }
        }
    }
}
