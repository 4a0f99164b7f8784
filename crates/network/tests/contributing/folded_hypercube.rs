//! Folded hypercube: a hypercube whose opposite corners are linked too.
//!
//! Two routers whose numbers differ in h of d bits are h links apart, or d + 1 - h by the diagonal: a
//! diameter of half the hypercube's, rounded up, for one more port at each router.
//!
//! Ports: the terminals', then one for each dimension, the lowest bit first, then the diagonal's.
//!
//! Source: El-Amawy and Latifi, "Properties and performance of folded hypercubes", IEEE TPDS 2(1), 1991.
//!
//! Complexity: O(routers x dimensions).

use super::Topology;
use super::check;
use super::latency::ChannelLatency;
use crate::builder::{NetworkBuilder, Size};
use crate::ids::RouterId;
use crate::network::{ChannelClass, Network};
use crate::shape::Shape;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::diagnostic::Invalid;
use turnwise_config::registry::{Entry, parse_as, schema_of};

pub(super) const FOLDED_HYPERCUBE: Entry<dyn Topology> = Entry {
    name: "folded-hypercube",
    aliases: &[],
    summary: "Hypercube whose opposite corners are linked too",
    source: "El-Amawy and Latifi, Properties and performance of folded hypercubes, IEEE TPDS 2(1), 1991",
    example: "dimensions = 6",
    schema: schema_of::<FoldedHypercube>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<FoldedHypercube, dyn Topology>(
            table, errors,
        )?))
    },
};

/// Parameters of a folded hypercube.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FoldedHypercube {
    /// Number of dimensions d, at least 2; there are 2^d routers.
    #[schemars(range(min = 2, max = check::MOST_DIMENSIONS))]
    pub dimensions: u32,
    /// Terminals at each router.
    #[serde(default = "check::one")]
    #[schemars(range(min = 1))]
    pub terminals_per_router: u32,
    /// How long channels are.
    #[serde(default)]
    pub channel_latency: ChannelLatency,
}

impl Default for FoldedHypercube {
    fn default() -> Self {
        let channel_latency = ChannelLatency::default();
        Self {
            dimensions: 4,
            terminals_per_router: 1,
            channel_latency,
        }
    }
}

impl Topology for FoldedHypercube {
    fn size(&self) -> Size {
        let routers = 2u64.saturating_pow(self.dimensions);
        let degree = u64::from(self.dimensions) + 1;
        Size {
            routers,
            terminals: routers.saturating_mul(self.terminals_per_router.into()),
            channels: routers.saturating_mul(degree),
        }
    }

    fn build(&self, _: Option<&str>) -> Result<Network, Invalid> {
        let (dimensions, terminals) = (self.dimensions, self.terminals_per_router);
        // Errors name the field as it is written, so that they can point at it in the study.
        if dimensions < 2 || dimensions as usize > check::MOST_DIMENSIONS {
            let most = check::MOST_DIMENSIONS;
            let message = format!("expected 2 to {most} dimensions, found {dimensions}");
            return Err(Invalid::new("dimensions", message));
        }
        check::terminals(terminals)?;
        let ports = u64::from(dimensions) + 1 + u64::from(terminals);
        check::ports(ports, "terminals_per_router")?;
        self.size().check("dimensions")?;
        let description = format!("{dimensions}-dimensional folded hypercube");
        let mut builder = NetworkBuilder::new(description, Shape::Graph);
        let routers = 1 << dimensions;
        for _ in 0..routers {
            builder.router(ports as usize, terminals as usize);
        }
        let along = (0..dimensions).map(|bit| 1 << bit);
        for (link, mask) in along.chain([routers - 1]).enumerate() {
            let port = terminals as usize + link;
            let latency = self.channel_latency.of_dimension(link, 1);
            for router in (0..routers).filter(|router| router < &(router ^ mask)) {
                let [here, there] = [router, router ^ mask].map(|end| (RouterId(end), port));
                builder.link(
                    here,
                    there,
                    latency,
                    ChannelClass::Local,
                    ChannelClass::Local,
                );
            }
        }
        builder.build(self.channel_latency.of_terminal())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_built_names_its_field() {
        let field = |dimensions, terminals_per_router| {
            let topology = FoldedHypercube {
                dimensions,
                terminals_per_router,
                ..FoldedHypercube::default()
            };
            topology.build(None).unwrap_err().place
        };
        assert_eq!(
            [field(1, 1), field(17, 1), field(16, 60_000)],
            ["dimensions"; 3]
        );
        assert_eq!([field(4, 0), field(4, 70_000)], ["terminals_per_router"; 2]);
    }

    #[test]
    fn the_diagonal_is_the_last_port() {
        let network = FoldedHypercube::default().build(None).unwrap();
        assert_eq!(
            network.next_router(RouterId(0b0011), 5),
            Some(RouterId(0b1100))
        );
    }
}
