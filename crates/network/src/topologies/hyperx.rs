//! HyperX, and the full mesh as its special case of one dimension.
//!
//! In every dimension, routers that differ only there are linked directly. Numbering of
//! routers and ports: [`shape::HyperX`](crate::shape::HyperX).

use super::Topology;
use super::check;
use super::latency::ChannelLatency;
use super::torus::by;
use crate::builder::{NetworkBuilder, Size};
use crate::ids::RouterId;
use crate::network::{ChannelClass, Network};
use crate::shape::{self, Shape};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::diagnostic::Invalid;
use turnwise_config::registry::{Entry, parse_as, schema_of};

pub(super) const HYPERX: Entry<dyn Topology> = Entry {
    name: "hyperx",
    aliases: &["generalised-hypercube", "flattened-butterfly"],
    summary: "Grid of any dimensions in which every row is fully connected",
    source: "Ahn et al., HyperX: topology, routing, and packaging of efficient large-scale networks, SC 2009",
    example: "sizes = [8, 8]\nterminals_per_router = 8",
    schema: schema_of::<HyperX>,
    parse: |table, errors| Some(Box::new(parse_as::<HyperX, dyn Topology>(table, errors)?)),
};

pub(super) const FULL_MESH: Entry<dyn Topology> = Entry {
    name: "full-mesh",
    aliases: &["complete"],
    summary: "Every router is linked to every other",
    source: "Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3",
    example: "routers = 16\nterminals_per_router = 4",
    schema: schema_of::<FullMesh>,
    parse: |table, errors| Some(Box::new(parse_as::<FullMesh, dyn Topology>(table, errors)?)),
};

/// Parameters of a HyperX.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HyperX {
    /// Routers in each dimension, X first; routers are numbered row-major, the last dimension fastest.
    #[schemars(length(min = 1, max = check::MOST_DIMENSIONS), inner(range(min = 1)))]
    pub sizes: Vec<u32>,
    /// Terminals at each router.
    #[serde(default = "check::one")]
    #[schemars(range(min = 1))]
    pub terminals_per_router: u32,
    /// How long channels are; they may grow with the distance of two routers' positions in a row.
    #[serde(default)]
    pub channel_latency: ChannelLatency,
}

/// Parameters of a full mesh.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FullMesh {
    /// Number of routers.
    #[schemars(range(min = 1))]
    pub routers: u32,
    /// Terminals at each router.
    #[serde(default = "check::one")]
    #[schemars(range(min = 1))]
    pub terminals_per_router: u32,
    /// How long channels are; they may grow with the distance of two routers' numbers.
    #[serde(default)]
    pub channel_latency: ChannelLatency,
}

impl Default for HyperX {
    fn default() -> Self {
        let channel_latency = ChannelLatency::default();
        Self {
            sizes: vec![4, 4],
            terminals_per_router: 1,
            channel_latency,
        }
    }
}

impl Default for FullMesh {
    fn default() -> Self {
        let channel_latency = ChannelLatency::default();
        Self {
            routers: 8,
            terminals_per_router: 1,
            channel_latency,
        }
    }
}

impl Topology for HyperX {
    fn size(&self) -> Size {
        size(&self.sizes, self.terminals_per_router)
    }

    fn build(&self, _: Option<&str>) -> Result<Network, Invalid> {
        let Self {
            sizes,
            terminals_per_router,
            channel_latency,
        } = self;
        check::sizes(sizes)?;
        let description = format!("{} HyperX", by(sizes));
        wire(
            sizes,
            *terminals_per_router,
            channel_latency,
            "sizes",
            description,
        )
    }
}

impl Topology for FullMesh {
    fn size(&self) -> Size {
        size(&[self.routers], self.terminals_per_router)
    }

    fn build(&self, _: Option<&str>) -> Result<Network, Invalid> {
        let Self {
            routers,
            terminals_per_router,
            ref channel_latency,
        } = *self;
        check::some(routers, "routers", "a full mesh has at least one router")?;
        let description = format!("full mesh of {routers} routers");
        wire(
            &[routers],
            terminals_per_router,
            channel_latency,
            "routers",
            description,
        )
    }
}

fn links_per_router(sizes: &[u32]) -> u64 {
    sizes
        .iter()
        .map(|&size| u64::from(size.saturating_sub(1)))
        .fold(0, u64::saturating_add)
}

fn size(sizes: &[u32], terminals_per_router: u32) -> Size {
    let routers = sizes
        .iter()
        .map(|&size| u64::from(size))
        .fold(1, u64::saturating_mul);
    Size {
        routers,
        terminals: routers.saturating_mul(terminals_per_router.into()),
        channels: routers.saturating_mul(links_per_router(sizes)),
    }
}

/// Wires a HyperX; `field` is what the user calls its sizes.
fn wire(
    sizes: &[u32],
    terminals: u32,
    latency: &ChannelLatency,
    field: &str,
    description: String,
) -> Result<Network, Invalid> {
    check::terminals(terminals)?;
    check::ports(terminals.into(), "terminals_per_router")?;
    check::ports(links_per_router(sizes) + u64::from(terminals), field)?;
    size(sizes, terminals).check(field)?;
    let longest = sizes.iter().fold(1, |longest, &size| longest.max(size - 1));
    latency.check_distances(longest, 1)?;
    let shape = shape::HyperX {
        sizes: sizes.to_vec(),
        terminals_per_router: terminals,
    };
    let mut builder = NetworkBuilder::new(description, Shape::HyperX(shape.clone()));
    let routers: u32 = sizes.iter().product();
    let ports = links_per_router(sizes) as usize + terminals as usize;
    for _ in 0..routers {
        builder.router(ports, terminals as usize);
    }
    for router in 0..routers {
        let here = shape.coordinates(router);
        for (dimension, &size) in sizes.iter().enumerate() {
            let from = here[dimension];
            let mut there = here.clone();
            for to in from + 1..size {
                there[dimension] = to;
                let class = |positive| ChannelClass::Dimension {
                    dimension: dimension as u8,
                    positive,
                };
                builder.link(
                    (RouterId(router), shape.port(dimension, from, to).into()),
                    (
                        RouterId(shape.router_at(&there)),
                        shape.port(dimension, to, from).into(),
                    ),
                    latency.of_dimension(dimension, to - from),
                    class(true),
                    class(false),
                );
            }
        }
    }
    builder.build(latency.of_terminal())
}
