//! Service levels with which every packet finds its virtual channels, and what switches must know for it.
//!
//! A switch tells the lane of a packet by the ports it comes and leaves by and its service level. If all routes keep to one lane, it is
//! the service level. If not, pairs get service levels one after the other: each the lowest one whose lanes so far agree with
//! those of its route.

use super::route::Step;
use turnwise_network::tables::SERVICE_LEVELS;
use turnwise_network::{Invalid, Network, Port, RouterId, Vc};

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

    /// The lowest service level with which a packet finds its way, which then is known.
    ///
    /// # Errors
    /// All levels lead elsewhere.
    pub(super) fn level(&mut self, steps: &[Step]) -> Result<u8, Invalid> {
        let entry =
            |table: &Self, step: &Step, level| table.entry(step.at, step.from, step.to, level);
        let fits = |level: &u8| {
            let mut steps = steps.iter();
            steps.all(|step| {
                let lane = self.lanes[entry(self, step, *level)];
                lane == OPEN || lane == step.vc
            })
        };
        let level = (0..SERVICE_LEVELS).find(fits).ok_or_else(|| {
            let message = format!(
                "these routes change their lanes in more ways than {SERVICE_LEVELS} service levels can tell"
            );
            Invalid::new("", message).with_help("take a routing that keeps to a lane, as `turnwise` does")
        })?;
        for step in steps {
            let entry = entry(self, step, level);
            self.lanes[entry] = step.vc;
        }
        Ok(level)
    }
}
