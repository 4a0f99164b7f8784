//! Channels that translations of a torus carry into each other.
//!
//! On a system without faults whose turns look the same everywhere along some rings, an optimal
//! fractional routing exists that is the same everywhere too: the mean of an optimal one over all
//! translations. So a proof needs one weight for each orbit of channels, and the
//! pairs of one source for each orbit of nodes.

use super::system::NONE;
use super::{Directions, Rules, System};

/// Orbits of channels and nodes under the translations that leave a system as it is.
#[derive(Clone, Debug)]
pub(crate) struct Orbits {
    /// By channel: its orbit, [`NONE`] if it is dead.
    pub(crate) of_channel: Vec<u32>,
    /// Living orbits.
    pub(crate) count: usize,
    /// One node of each orbit that sends.
    pub(crate) sources: Vec<u32>,
    /// By dimension: the least translation of the group along it; the size where there is none.
    steps: Vec<u32>,
}

impl Orbits {
    /// Groups of translations, each part of the one before: all of them, those that keep the
    /// parity of coordinates along even rings, and none at all.
    ///
    /// A ring of even size needs two kinds of sources to spread its ties evenly.
    pub(crate) fn chain(rules: &Rules) -> Vec<Self> {
        let sizes = rules.system().sizes();
        let free: Vec<bool> = (0..sizes.len())
            .map(|dimension| is_symmetry(rules, dimension))
            .collect();
        let group = |step: &dyn Fn(u32) -> u32| -> Vec<u32> {
            let steps = sizes.iter().zip(&free);
            steps
                .map(|(&size, &free)| if free { step(size) } else { size })
                .collect()
        };
        let mut groups = vec![
            group(&|_| 1),
            group(&|size| if size % 2 == 0 { 2 } else { 1 }),
            sizes.to_vec(),
        ];
        groups.dedup();
        groups
            .into_iter()
            .map(|steps| Self::under(rules, steps))
            .collect()
    }

    /// O(nodes x directions x dimensions).
    fn under(rules: &Rules, steps: Vec<u32>) -> Self {
        let system = rules.system();
        let count = system.directions().count();
        let representative = |node: u32| {
            let at = system.coordinates(node);
            let fixed = |dimension: usize| u32::from(at[dimension]) % steps[dimension];
            (0..steps.len()).fold(0, |index, dimension| {
                index * system.sizes()[dimension] + fixed(dimension)
            })
        };
        let mut numbers = vec![NONE; system.targets().len()];
        let mut of_channel = vec![NONE; system.targets().len()];
        let mut orbits = 0;
        for node in 0..system.nodes() as u32 {
            let first = system.channel(representative(node), 0);
            for rank in 0..count {
                if system.next(node, rank).is_none() {
                    continue;
                }
                let number = &mut numbers[first + rank];
                if *number == NONE {
                    *number = orbits;
                    orbits += 1;
                }
                of_channel[system.channel(node, rank)] = *number;
            }
        }
        let members = system.members().iter().copied();
        Self {
            of_channel,
            count: orbits as usize,
            sources: members
                .filter(|&node| representative(node) == node)
                .collect(),
            steps,
        }
    }

    /// The pair of a representative source that a translation carries to this pair.
    pub(crate) fn pair_of(&self, system: &System, source: u32, target: u32) -> (u32, u32) {
        let (from, to) = (system.coordinates(source), system.coordinates(target));
        let mut ends = (0, 0);
        for (dimension, &size) in system.sizes().iter().enumerate() {
            let (a, b) = (u32::from(from[dimension]), u32::from(to[dimension]));
            let shift = a - a % self.steps[dimension];
            let moved = if b >= shift {
                b - shift
            } else {
                b + size - shift
            };
            ends = (ends.0 * size + a - shift, ends.1 * size + moved);
        }
        ends
    }
}

/// Is a system the same after a step along a ring?
fn is_symmetry(rules: &Rules, dimension: usize) -> bool {
    let (system, turns) = (rules.system(), rules.turns());
    let directions: &Directions = system.directions();
    let up = directions.rank(dimension, true);
    system.is_whole()
        && system.is_ring(dimension)
        && (0..system.nodes() as u32).all(|node| {
            system.next(node, up).is_some_and(|next| {
                (0..directions.count()).all(|rank| {
                    turns.after(system.channel(node, rank))
                        == turns.after(system.channel(next, rank))
                })
            })
        })
}
