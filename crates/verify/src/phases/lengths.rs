//! How long routes of two phases are, of how long each phase is.

use crate::endpoints::Destination;
use crate::loads::Loads;

/// What is known so far: first phases are added before second ones.
#[derive(Clone, Debug)]
pub(super) struct Lengths {
    /// Channels of the first phase, by the place of the end where it leads and then of that where it begins.
    hops: Vec<u16>,
    /// Terminals by how many channels they are from an intermediate router.
    senders: Vec<Vec<u64>>,
    /// Pairs of different routers by the length of their routes, times intermediate routers.
    pairs: Vec<u128>,
}

impl Lengths {
    pub(super) fn new(ends: usize) -> Self {
        Self {
            hops: vec![0; ends * ends],
            senders: vec![Vec::new(); ends],
            pairs: Vec::new(),
        }
    }

    /// Bytes that it takes, about.
    pub(super) fn memory_bytes(&self) -> u64 {
        (self.hops.len() * size_of::<u16>()) as u64
    }

    /// Notes the first phases to an intermediate router, which is so far from each end.
    pub(super) fn towards(&mut self, place: usize, far: &[u16], ends: &[Destination]) {
        self.hops[place * ends.len()..][..ends.len()].copy_from_slice(far);
        let senders = &mut self.senders[place];
        for (end, &hops) in ends.iter().zip(far) {
            let hops = usize::from(hops);
            senders.resize(senders.len().max(hops + 1), 0);
            senders[hops] += end.terminals;
        }
    }

    /// Adds the routes to an end, which is so far from each intermediate router. O(routers x longest phase).
    pub(super) fn onward(&mut self, place: usize, far: &[u16], ends: &[Destination]) {
        let here = ends[place].terminals;
        for (by, &onward) in far.iter().enumerate() {
            let own = usize::from(self.hops[by * ends.len() + place]);
            for (first, &senders) in self.senders[by].iter().enumerate() {
                // Nobody sends to its own router by another one.
                let others = senders - if first == own { here } else { 0 };
                let hops = first + usize::from(onward);
                self.pairs.resize(self.pairs.len().max(hops + 1), 0);
                self.pairs[hops] += u128::from(others) * u128::from(here);
            }
        }
    }

    /// Tells what is known of all.
    pub(super) fn add_to(&self, loads: &mut Loads, ends: &[Destination]) {
        let intermediates = ends.len() as f64;
        let met = self
            .pairs
            .iter()
            .enumerate()
            .filter(|&(_, &pairs)| pairs > 0);
        for (hops, &pairs) in met {
            loads.arrive(hops as u32, pairs as f64 / intermediates);
            loads.longest = hops as u32;
        }
        let neighbours = ends.iter().map(|end| end.terminals * (end.terminals - 1));
        loads.arrive(0, neighbours.sum::<u64>() as f64);
    }
}
