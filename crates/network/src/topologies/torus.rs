//! Mesh and torus of any number of dimensions.
//!
//! A dimension of size 2 is one link between its two routers, never two parallel ones.
//! Numbering of routers and ports: [`Grid`].

use super::Topology;
use super::check;
use super::latency::ChannelLatency;
use crate::builder::{NetworkBuilder, Size};
use crate::ids::RouterId;
use crate::network::{ChannelClass, Network};
use crate::shape::{Grid, Shape};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::diagnostic::Invalid;
use turnwise_config::registry::{Entry, parse_as, schema_of};

pub(super) const TORUS: Entry<dyn Topology> = Entry {
    name: "torus",
    aliases: &["k-ary-n-cube"],
    summary: "Torus of any dimensions; every dimension of three or more routers is a ring",
    source: "Dally and Towles, Principles and Practices of Interconnection Networks, chapter 5",
    example: "sizes = [4, 2, 2, 2]\nterminals_per_router = 1\nchannel_latency = \"2 cycles\"",
    schema: schema_of::<Torus>,
    parse: |table, errors| Some(Box::new(parse_as::<Torus, dyn Topology>(table, errors)?)),
};

pub(super) const MESH: Entry<dyn Topology> = Entry {
    name: "mesh",
    aliases: &[],
    summary: "Mesh of any dimensions; a torus without wrap-around channels",
    source: "Dally and Towles, Principles and Practices of Interconnection Networks, chapter 5",
    example: "sizes = [16, 16]",
    schema: schema_of::<Mesh>,
    parse: |table, errors| Some(Box::new(parse_as::<Mesh, dyn Topology>(table, errors)?)),
};

/// Parameters of a mesh, or of a torus if it wraps around.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lattice<const WRAP: bool> {
    /// Routers in each dimension, X first; routers are numbered row-major, the last dimension fastest.
    #[schemars(length(min = 1, max = check::MOST_DIMENSIONS), inner(range(min = 1)))]
    pub sizes: Vec<u32>,
    /// Terminals at each router.
    #[serde(default = "check::one")]
    #[schemars(range(min = 1))]
    pub terminals_per_router: u32,
    /// How long channels are.
    #[serde(default)]
    pub channel_latency: ChannelLatency,
}

/// Parameters of a torus.
pub type Torus = Lattice<true>;

/// Parameters of a mesh.
pub type Mesh = Lattice<false>;

impl<const WRAP: bool> Default for Lattice<WRAP> {
    fn default() -> Self {
        Self {
            sizes: vec![4, 4],
            terminals_per_router: 1,
            channel_latency: ChannelLatency::default(),
        }
    }
}

impl<const WRAP: bool> Topology for Lattice<WRAP> {
    fn size(&self) -> Size {
        size(&self.sizes, self.terminals_per_router)
    }

    fn build(&self, _: Option<&str>) -> Result<Network, Invalid> {
        let Self {
            sizes,
            terminals_per_router,
            channel_latency,
        } = self;
        let kind = if WRAP { "torus" } else { "mesh" };
        let description = format!("{} {kind}", by(sizes));
        wire(
            sizes,
            WRAP,
            *terminals_per_router,
            channel_latency,
            description,
        )
    }
}

/// `4x2x2`.
pub(super) fn by(sizes: &[u32]) -> String {
    let texts: Vec<String> = sizes.iter().map(u32::to_string).collect();
    texts.join("x")
}

/// Size of a mesh, torus or hypercube; the ports of a mesh's edges count as channels.
pub(super) fn size(sizes: &[u32], terminals_per_router: u32) -> Size {
    let routers = sizes
        .iter()
        .map(|&size| u64::from(size))
        .fold(1, u64::saturating_mul);
    let terminals = routers.saturating_mul(u64::from(terminals_per_router));
    let channels = routers.saturating_mul(2 * sizes.len() as u64);
    Size {
        routers,
        terminals,
        channels,
    }
}

/// Wires a mesh, torus or hypercube.
pub(super) fn wire(
    sizes: &[u32],
    wrap: bool,
    terminals: u32,
    latency: &ChannelLatency,
    description: String,
) -> Result<Network, Invalid> {
    check::sizes(sizes)?;
    check::terminals(terminals)?;
    check::ports(
        2 * sizes.len() as u64 + u64::from(terminals),
        "terminals_per_router",
    )?;
    size(sizes, terminals).check("sizes")?;
    let grid = Grid {
        sizes: sizes.to_vec(),
        wrap,
        terminals_per_router: terminals,
    };
    let mut builder = NetworkBuilder::new(description, Shape::Grid(grid.clone()));
    let routers = grid.router_count() as u32;
    for _ in 0..routers {
        builder.router(2 * sizes.len() + terminals as usize, terminals as usize);
    }
    for router in 0..routers {
        let here = grid.coordinates(router);
        for dimension in 0..sizes.len() {
            let Some(coordinate) = grid.step(dimension, here[dimension], true) else {
                continue;
            };
            let mut there = here.clone();
            there[dimension] = coordinate;
            let class = |positive| ChannelClass::Dimension {
                dimension: dimension as u8,
                positive,
            };
            builder.link(
                (RouterId(router), grid.port(dimension, true).into()),
                (
                    RouterId(grid.router_at(&there)),
                    grid.port(dimension, false).into(),
                ),
                latency.of_dimension(dimension, 1),
                class(true),
                class(false),
            );
        }
    }
    builder.build(latency.of_terminal())
}
