//! Service levels with which every packet finds its virtual channels, and what switches must know for it.
//!
//! A switch tells the lane of a packet by the ports it comes and leaves by and its service level. If all routes keep to one lane, it is
//! the service level. If not, pairs keep the class that their packets set out with for a level, if all lanes agree with that; and if they
//! do not, pairs get levels one after the other, each the lowest one whose lanes so far agree with those of its route.

use super::route::Step;
use turnwise_network::tables::SERVICE_LEVELS;
use turnwise_network::{Network, Port, RouterId, Vc};

/// The highest virtual lane for data; lane 15 is the subnet manager's.
pub(super) const LAST_LANE: Vc = 14;

/// Nothing is known yet.
const OPEN: u8 = u8::MAX;

/// What switches know of lanes.
pub(super) enum Lanes {
    /// The lane of a service level is of the same number.
    Same,
    /// By router, port it has come by, port it leaves by, service level.
    ByPorts(ByPorts),
}

/// A lane for each way through a router and service level.
pub(super) struct ByPorts {
    /// Where a router's table begins.
    first: Vec<usize>,
    radices: Vec<usize>,
    lanes: Vec<u8>,
}

impl ByPorts {
    pub(super) fn new(network: &Network) -> Self {
        let (mut first, mut total) = (Vec::new(), 0);
        let radices: Vec<usize> = network.routers().map(|at| network.radix(at)).collect();
        for radix in &radices {
            first.push(total);
            total += radix * radix * usize::from(SERVICE_LEVELS);
        }
        Self {
            first,
            radices,
            lanes: vec![OPEN; total],
        }
    }

    fn entry(&self, at: RouterId, from: Port, to: Port, level: u8) -> usize {
        let radix = self.radices[at.index()];
        let way = usize::from(from) * radix + usize::from(to);
        self.first[at.index()] + way * usize::from(SERVICE_LEVELS) + usize::from(level)
    }

    /// The lane, if a packet can ask for it.
    pub(super) fn lane(&self, at: RouterId, from: Port, to: Port, level: u8) -> Option<u8> {
        let lane = self.lanes[self.entry(at, from, to, level)];
        (lane != OPEN).then_some(lane)
    }

    /// The lowest service level with which a packet finds its way, which then is known; `None` if all of them lead elsewhere.
    pub(super) fn level(&mut self, steps: &[Step]) -> Option<u8> {
        (0..SERVICE_LEVELS).find_map(|level| self.enter(steps, level.into()))
    }

    /// Lets packets of a service level find their way, if there is one of this number and it does not lead elsewhere.
    pub(super) fn enter(&mut self, steps: &[Step], level: u16) -> Option<u8> {
        let level = u8::try_from(level).ok();
        let level = level.filter(|&level| level < SERVICE_LEVELS)?;
        let entry = |step: &Step| self.entry(step.at, step.from, step.to, level);
        let entries: Vec<usize> = steps.iter().map(entry).collect();
        let fits = |(&entry, step): (&usize, &Step)| {
            let lane = self.lanes[entry];
            lane == OPEN || lane == step.vc
        };
        if !entries.iter().zip(steps).all(fits) {
            return None;
        }
        for (entry, step) in entries.into_iter().zip(steps) {
            self.lanes[entry] = step.vc;
        }
        Some(level)
    }
}
