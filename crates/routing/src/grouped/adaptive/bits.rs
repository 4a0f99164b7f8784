//! A bit for each global channel, which says whether it is congested, and which the routers of its group know.
//!
//! A global channel is congested if far more flits are under way on it than on its router's others:
//!
//! ```text
//! q > factor * mean + threshold
//! ```
//!
//! where the mean is over all living global channels of the router, this one included.
//!
//! Source: Jiang, Kim, Dally, ISCA 2009, section 3.2; the factor and its form are FOGSim's.

use super::latencies::longest_local;
use crate::common::delay::delay;
use crate::grouped::links::GroupLinks;
use turnwise_network::{
    Congestion, Invalid, Network, Notice, Port, Receiver, RouterId, Sender, Sensing, VcSet,
};

/// Bits that a notice has.
const WORD: usize = 64;

/// What a study says of bits.
pub(crate) struct BitOptions {
    pub(crate) congested_factor: Option<f64>,
    pub(crate) congested_flits: u32,
    pub(crate) feedback_delay: Option<u32>,
}

impl BitOptions {
    /// For routers with so many global ports.
    ///
    /// # Errors
    /// A factor or a delay out of bounds.
    pub(crate) fn build(
        &self,
        network: &Network,
        links: &GroupLinks,
        ports: u32,
    ) -> Result<CongestedBits, Invalid> {
        let factor = match (self.congested_factor, ports) {
            (Some(factor), _) if !(0.0..=1e6).contains(&factor) => {
                let message = format!("expected 0 to 1000000, found {factor}");
                return Err(Invalid::new("congested_factor", message));
            }
            (Some(factor), _) => factor,
            (None, 0 | 1) => 0.0,
            (None, 2) => 1.0,
            (None, _) => 2.0,
        };
        let cycles = self
            .feedback_delay
            .unwrap_or_else(|| longest_local(network));
        let limits = (factor, self.congested_flits.into());
        let delay = delay("feedback_delay", cycles)?;
        Ok(CongestedBits::new(network, links, limits, delay))
    }
}

/// What routers tell of their global channels.
pub(crate) struct CongestedBits {
    /// The group of every router.
    groups: Vec<u32>,
    /// By router: the first word of its bits in the memory of its group.
    words: Vec<u32>,
    /// By group: words of its memory.
    sizes: Vec<u32>,
    /// By router: the ports of its global channels.
    ports: Vec<Vec<Port>>,
    /// By link: its place among those of its router.
    places: Vec<u32>,
    owners: Vec<RouterId>,
    factor: f64,
    threshold: f64,
    delay: u32,
}

impl CongestedBits {
    /// `factor` and `threshold` (flits) as in the formula; bits are known after `delay` cycles.
    pub(crate) fn new(
        network: &Network,
        links: &GroupLinks,
        (factor, threshold): (f64, f64),
        delay: u32,
    ) -> Self {
        let mut ports = vec![Vec::new(); network.router_count()];
        let (mut places, mut owners) = (Vec::new(), Vec::new());
        for number in 0.. {
            let Some(link) = links.get(number) else { break };
            let own: &mut Vec<Port> = &mut ports[link.owner.index()];
            places.push(own.len() as u32);
            owners.push(link.owner);
            own.push(link.port);
        }
        let groups: Vec<u32> = network
            .routers()
            .map(|router| links.group(router))
            .collect();
        let mut sizes = vec![0; links.groups() as usize];
        let word = |(group, ports): (&u32, &Vec<Port>)| {
            let size = &mut sizes[*group as usize];
            let first = *size;
            *size += 2 * ports.len().div_ceil(WORD) as u32;
            first
        };
        let words = groups.iter().zip(&ports).map(word).collect();
        Self {
            groups,
            words,
            sizes,
            ports,
            places,
            owners,
            factor,
            threshold,
            delay,
        }
    }

    /// Is a global channel of the group that a router is in known there to be congested? A link that there is not is none.
    #[inline]
    pub(crate) fn is_congested(&self, link: u32, sees: &dyn Congestion) -> bool {
        let Some(&place) = self.places.get(link as usize) else {
            return false;
        };
        let owner = self.owners[link as usize];
        let word = self.words[owner.index()] + place / 32;
        let bits = sees.memory().get(word as usize);
        bits.is_some_and(|bits| bits >> (place % 32) & 1 == 1)
    }
}

impl Sensing for CongestedBits {
    fn region(&self, at: RouterId) -> u32 {
        self.groups[at.index()]
    }

    fn words(&self, region: u32) -> usize {
        self.sizes
            .get(region as usize)
            .map_or(0, |&size| size as usize)
    }

    fn lines(&self, at: RouterId) -> Vec<Vec<Receiver>> {
        let (region, after) = (self.region(at), self.delay);
        let line = vec![Receiver::Region { region, after }];
        vec![line; self.ports[at.index()].len().div_ceil(WORD)]
    }

    fn grain(&self, at: RouterId, port: Port) -> u32 {
        u32::from(self.ports[at.index()].contains(&port))
    }

    fn report(&self, at: RouterId, sees: &dyn Congestion, notices: &mut [Notice]) {
        let ports = &self.ports[at.index()];
        let queue = |&port: &Port| sees.occupancy(port, VcSet::EVERY);
        let (mut sum, mut longest) = (0, 0);
        for queue in ports.iter().map(queue) {
            sum += u64::from(queue);
            longest = longest.max(queue);
        }
        let mean = sum as f64 / ports.len().max(1) as f64;
        let limit = self.factor * mean + self.threshold;
        let is_long = |queue: u32| f64::from(queue) > limit;
        // Mostly none is, and nothing is to be looked at twice.
        let any = is_long(longest);
        for (ports, notice) in ports.chunks(WORD).zip(notices) {
            let mut bits = [0; 2];
            let ports = if any { ports } else { &[] };
            for (place, port) in ports.iter().enumerate() {
                bits[place / 32] |= u32::from(is_long(queue(port))) << (place % 32);
            }
            *notice = Notice(bits);
        }
    }

    fn receive(&self, _: u32, from: Sender, notice: Notice, memory: &mut [u32]) -> bool {
        let first = self.words[from.router.index()] as usize + 2 * from.line;
        if let Some(words) = memory.get_mut(first..first + 2) {
            words.copy_from_slice(&notice.0);
        }
        false
    }
}
