//! Hypercube: routers at the corners of a cube, a mesh of size 2 in every dimension.
//!
//! Numbering of routers and ports: [`Grid`](crate::shape::Grid). The first dimension, X, is
//! the most significant bit of a router's number.

use super::Topology;
use super::check;
use super::latency::ChannelLatency;
use super::torus;
use crate::builder::Size;
use crate::network::Network;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::diagnostic::Invalid;
use turnwise_config::registry::{Entry, parse_as, schema_of};

pub(super) const HYPERCUBE: Entry<dyn Topology> = Entry {
    name: "hypercube",
    aliases: &[],
    summary: "Routers at the corners of a cube of any dimension",
    source: "Seitz, The cosmic cube, Communications of the ACM 28(1), 1985",
    example: "dimensions = 6",
    schema: schema_of::<Hypercube>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<Hypercube, dyn Topology>(
            table, errors,
        )?))
    },
};

/// Parameters of a hypercube.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hypercube {
    /// Number of dimensions d; there are 2^d routers.
    #[schemars(range(min = 1, max = check::MOST_DIMENSIONS))]
    pub dimensions: u32,
    /// Terminals at each router.
    #[serde(default = "check::one")]
    #[schemars(range(min = 1))]
    pub terminals_per_router: u32,
    /// How long channels are.
    #[serde(default)]
    pub channel_latency: ChannelLatency,
}

impl Default for Hypercube {
    fn default() -> Self {
        let channel_latency = ChannelLatency::default();
        Self {
            dimensions: 4,
            terminals_per_router: 1,
            channel_latency,
        }
    }
}

impl Topology for Hypercube {
    fn size(&self) -> Size {
        let routers = 2u64.saturating_pow(self.dimensions);
        let ports = 2 * u64::from(self.dimensions);
        let terminals = routers.saturating_mul(self.terminals_per_router.into());
        Size {
            routers,
            terminals,
            channels: routers.saturating_mul(ports),
        }
    }

    fn build(&self, _: Option<&str>) -> Result<Network, Invalid> {
        let Self {
            dimensions,
            terminals_per_router,
            ref channel_latency,
        } = *self;
        if dimensions == 0 || dimensions as usize > check::MOST_DIMENSIONS {
            let most = check::MOST_DIMENSIONS;
            let message = format!("expected 1 to {most} dimensions, found {dimensions}");
            return Err(Invalid::new("dimensions", message));
        }
        self.size().check("dimensions")?;
        let sizes = vec![2; dimensions as usize];
        let description = format!("{dimensions}-dimensional hypercube");
        torus::wire(
            &sizes,
            false,
            terminals_per_router,
            channel_latency,
            description,
        )
    }
}
