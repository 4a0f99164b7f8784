//! Random regular graph: every router has the same number of links, to routers drawn at random.
//!
//! Pairing model: each router contributes `degree` stubs, the shuffled stubs are paired, and
//! pairs that would be self-links or parallel links are switched with random others. Drawn
//! again until connected. Dense graphs are the complement of a sparse one, and degree 2
//! is a ring of shuffled routers. Expected O(routers x degree) below half density.
//!
//! Ports: terminals, then the neighbours in ascending order.

mod pairing;

use self::pairing::{complement, is_connected, pair, ring};
use super::Topology;
use super::check;
use super::latency::ChannelLatency;
use super::simple_graph;
use crate::builder::Size;
use crate::network::Network;
use crate::random::{Purpose, Random};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::diagnostic::Invalid;
use turnwise_config::registry::{Entry, parse_as, schema_of};

pub(super) const RANDOM_REGULAR: Entry<dyn Topology> = Entry {
    name: "random-regular",
    aliases: &["jellyfish"],
    summary: "Random connected graph in which every router has equally many links",
    source: "Bollobás, A probabilistic proof of an asymptotic formula for the number of labelled \
             regular graphs, European Journal of Combinatorics 1(4), 1980; \
             Singla et al., Jellyfish: networking data centers randomly, NSDI 2012",
    example: "routers = 64\ndegree = 6\nterminals_per_router = 2\nseed = 1",
    schema: schema_of::<RandomRegular>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<RandomRegular, dyn Topology>(
            table, errors,
        )?))
    },
};

/// Parameters of a random regular graph.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomRegular {
    /// Number of routers.
    #[schemars(range(min = 1))]
    pub routers: u32,
    /// Links of each router.
    pub degree: u32,
    /// Terminals at each router.
    #[serde(default = "check::one")]
    #[schemars(range(min = 1))]
    pub terminals_per_router: u32,
    /// Seed of the random choices; the same seed always gives the same network.
    #[serde(default)]
    pub seed: u64,
    /// How long channels are.
    #[serde(default)]
    pub channel_latency: ChannelLatency,
}

impl Default for RandomRegular {
    fn default() -> Self {
        let channel_latency = ChannelLatency::default();
        Self {
            routers: 16,
            degree: 3,
            terminals_per_router: 1,
            seed: 0,
            channel_latency,
        }
    }
}

impl Topology for RandomRegular {
    fn size(&self) -> Size {
        let routers = u64::from(self.routers);
        Size {
            routers,
            terminals: routers.saturating_mul(self.terminals_per_router.into()),
            channels: routers.saturating_mul(self.degree.into()),
        }
    }

    fn build(&self, _: Option<&str>) -> Result<Network, Invalid> {
        self.check()?;
        let Self {
            routers,
            degree,
            terminals_per_router: terminals,
            ..
        } = *self;
        let description = format!("random {degree}-regular graph of {routers} routers");
        let links = self.draw()?;
        let size = (routers, terminals);
        simple_graph::wire(description, size, &links, &self.channel_latency)
    }
}

impl RandomRegular {
    fn check(&self) -> Result<(), Invalid> {
        let (n, d) = (u64::from(self.routers), u64::from(self.degree));
        check::some(self.routers, "routers", "a graph has at least one router")?;
        check::terminals(self.terminals_per_router)?;
        let terminals = u64::from(self.terminals_per_router);
        check::ports(terminals, "terminals_per_router")?;
        let problem = if d >= n {
            let most = n - 1;
            Some(format!(
                "with {n} routers, a router can have links to at most {most} others"
            ))
        } else if n * d % 2 == 1 {
            Some(format!(
                "{n} routers with {d} links each would make {n} * {d} / 2 links; routers * degree \
                 must be even"
            ))
        } else if d == 0 && n > 1 || d == 1 && n > 2 {
            Some(format!(
                "{n} routers with {d} links each cannot be connected"
            ))
        } else {
            None
        };
        if let Some(message) = problem {
            return Err(Invalid::new("degree", message));
        }
        check::ports(d + terminals, "degree")?;
        self.size().check("routers")?;
        Ok(())
    }

    /// The links in ascending order, each with its lower router first.
    fn draw(&self) -> Result<Vec<(u32, u32)>, Invalid> {
        const MOST_ATTEMPTS: u32 = 1000;
        let (n, d) = (self.routers, self.degree);
        for attempt in 0..MOST_ATTEMPTS {
            let mut random = Random::new(self.seed, Purpose::Topology, 0, attempt);
            let drawn = match d {
                2 => Some(ring(n, &mut random)),
                // Few links leave switches much choice; with many it is the missing
                // links that are few.
                _ if 2 * u64::from(d) > u64::from(n - 1) => {
                    pair(n, n - 1 - d, &mut random).map(|missing| complement(n, &missing))
                }
                _ => pair(n, d, &mut random),
            };
            if let Some(mut links) = drawn
                && is_connected(n, &links)
            {
                links.sort_unstable();
                return Ok(links);
            }
        }
        let message = format!("no connected graph was found in {MOST_ATTEMPTS} attempts");
        Err(Invalid::new("degree", message).with_help("try another seed"))
    }
}
