//! How long routes of two phases are, of how long each phase is.

use super::ends::Ends;
use crate::loads::Loads;

/// What is known so far: first phases are added before what follows them.
#[derive(Clone, Debug)]
pub(super) struct Lengths {
    /// Channels of the first phase, by the place of where it leads, once that is known, and then of where it begins; none if there is no such phase.
    hops: Vec<Vec<u16>>,
    /// Terminals by how many channels they are from an intermediate router that they send by.
    senders: Vec<Vec<u64>>,
    /// Pairs by the length of their routes, times their options.
    pairs: Vec<u128>,
}

/// "No such phase".
const NONE: u16 = u16::MAX;

impl Lengths {
    pub(super) fn new(ends: usize) -> Self {
        Self {
            hops: vec![Vec::new(); ends],
            senders: vec![Vec::new(); ends],
            pairs: Vec::new(),
        }
    }

    /// Bytes that it takes when all is known, about.
    pub(super) fn memory_bytes(&self) -> u64 {
        (self.hops.len() as u64).pow(2) * size_of::<u16>() as u64
    }

    /// Adds so many pairs, times their options, whose routes are so long.
    pub(super) fn add(&mut self, hops: usize, pairs: u128) {
        self.pairs.resize(self.pairs.len().max(hops + 1), 0);
        self.pairs[hops] += pairs;
    }

    /// Notes the first phases to an intermediate router, which is so far from each end that has one.
    pub(super) fn towards(&mut self, place: usize, far: &[Option<u16>], ends: &Ends) {
        let hops = &mut self.hops[place];
        hops.resize(ends.count(), NONE);
        let senders = &mut self.senders[place];
        for (from, &far) in far.iter().enumerate() {
            let is_itself = from == place && ends.begins_at_source();
            let Some(far) = far.or(is_itself.then_some(0)) else {
                continue;
            };
            hops[from] = far;
            let far = usize::from(far);
            senders.resize(senders.len().max(far + 1), 0);
            senders[far] += ends.all[from].terminals;
        }
    }

    /// Adds the routes to an end, which is so far from each intermediate router, by each `times` for each of its options.
    /// O(routers x (longest phase + routers of a kind)).
    pub(super) fn onward(&mut self, place: usize, far: &[Option<u16>], ends: &Ends, times: u64) {
        let here = u128::from(ends.all[place].terminals) * u128::from(times);
        let mut others = Vec::new();
        for (by, &onward) in far.iter().enumerate() {
            let is_itself = by == place && ends.senders(by, place) > 0;
            let Some(onward) = onward.or(is_itself.then_some(0)) else {
                continue;
            };
            // Who is of the destination's kind sends directly.
            others.clone_from(&self.senders[by]);
            for &like in ends.like(place) {
                let first = self.hops[by][like];
                if first != NONE {
                    others[usize::from(first)] -= ends.all[like].terminals;
                }
            }
            for (first, &others) in others.iter().enumerate() {
                self.add(first + usize::from(onward), u128::from(others) * here);
            }
        }
    }

    /// Tells what is known, of pairs that have so many options each.
    pub(super) fn add_to(&self, loads: &mut Loads, options: u64) {
        let met = self
            .pairs
            .iter()
            .enumerate()
            .filter(|&(_, &pairs)| pairs > 0);
        for (hops, &pairs) in met {
            loads.arrive(hops as u32, pairs as f64 / options as f64);
            loads.longest = hops as u32;
        }
    }
}
