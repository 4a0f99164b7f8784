//! Mesh and torus of any number of dimensions.
//!
//! A dimension of size 2 is one link between its two routers, never two parallel ones.
//! Numbering of routers and ports: [`Grid`].

use super::latency::ChannelLatency;
use super::Topology;
use crate::builder::{NetworkBuilder, Size};
use crate::diagnostic::Invalid;
use crate::ids::RouterId;
use crate::network::{ChannelClass, Network};
use crate::registry::{Entry, parse_as, schema_of};
use crate::shape::{Grid, Shape};
use schemars::JsonSchema;
use serde::Deserialize;

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

/// Parameters of a torus.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Torus {
    /// Routers in each dimension, X first; routers are numbered row-major, the last dimension fastest.
    pub sizes: Vec<u32>,
    /// Terminals at each router.
    #[serde(default = "one")]
    pub terminals_per_router: u32,
    /// How long channels are.
    #[serde(default)]
    pub channel_latency: ChannelLatency,
}

/// Parameters of a mesh.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mesh {
    /// Routers in each dimension, X first; routers are numbered row-major, the last dimension fastest.
    pub sizes: Vec<u32>,
    /// Terminals at each router.
    #[serde(default = "one")]
    pub terminals_per_router: u32,
    /// How long channels are.
    #[serde(default)]
    pub channel_latency: ChannelLatency,
}

/// The usual number of terminals a router.
pub(super) fn one() -> u32 {
    1
}

impl Default for Torus {
    fn default() -> Self {
        Self { sizes: vec![4, 4], terminals_per_router: 1, channel_latency: ChannelLatency::default() }
    }
}

impl Topology for Torus {
    fn size(&self) -> Size {
        size(&self.sizes, self.terminals_per_router)
    }

    fn build(&self, _: Option<&str>) -> Result<Network, Invalid> {
        wire(&self.sizes, true, self.terminals_per_router, &self.channel_latency, "torus")
    }
}

impl Topology for Mesh {
    fn size(&self) -> Size {
        size(&self.sizes, self.terminals_per_router)
    }

    fn build(&self, _: Option<&str>) -> Result<Network, Invalid> {
        wire(&self.sizes, false, self.terminals_per_router, &self.channel_latency, "mesh")
    }
}

fn size(sizes: &[u32], terminals_per_router: u32) -> Size {
    let routers = sizes.iter().map(|&size| u64::from(size)).fold(1, u64::saturating_mul);
    let terminals = routers.saturating_mul(u64::from(terminals_per_router));
    let channels = routers.saturating_mul(2 * sizes.len() as u64);
    Size { routers, terminals, channels }
}

/// Wires a mesh, torus or hypercube.
pub(super) fn wire(
    sizes: &[u32],
    wrap: bool,
    terminals: u32,
    latency: &ChannelLatency,
    name: &str,
) -> Result<Network, Invalid> {
    check_sizes(sizes)?;
    size(sizes, terminals).check("sizes")?;
    check_ports(2 * sizes.len() as u64 + u64::from(terminals), "terminals_per_router")?;
    let grid = Grid { sizes: sizes.to_vec(), wrap, terminals_per_router: terminals };
    let texts: Vec<String> = sizes.iter().map(u32::to_string).collect();
    let description = format!("{} {name}", texts.join("x"));
    let mut builder = NetworkBuilder::new(description, Shape::Grid(grid.clone()));
    let routers = grid.router_count() as u32;
    for _ in 0..routers {
        builder.router(2 * sizes.len() + terminals as usize, terminals as usize);
    }
    for router in 0..routers {
        let here = grid.coordinates(router);
        for dimension in 0..sizes.len() {
            let Some(coordinate) = grid.step(dimension, here[dimension], true) else { continue };
            let mut there = here.clone();
            there[dimension] = coordinate;
            let class = |positive| ChannelClass::Dimension { dimension: dimension as u8, positive };
            builder.link(
                (RouterId(router), grid.port(dimension, true).into()),
                (RouterId(grid.router_at(&there)), grid.port(dimension, false).into()),
                latency.of_dimension(dimension, 1),
                class(true),
                class(false),
            );
        }
    }
    builder.build(latency.of_terminal())
}

/// Sizes of a grid or HyperX: at least one dimension, none of size zero.
pub(super) fn check_sizes(sizes: &[u32]) -> Result<(), Invalid> {
    const MOST_DIMENSIONS: usize = 16;
    if sizes.is_empty() || sizes.len() > MOST_DIMENSIONS {
        let message = format!("expected 1 to {MOST_DIMENSIONS} dimensions, found {}", sizes.len());
        return Err(Invalid::new("sizes", message));
    }
    match sizes.iter().position(|&size| size == 0) {
        Some(at) => Err(Invalid::new(format!("sizes[{at}]"), "a dimension has at least one router")),
        None => Ok(()),
    }
}

/// A router's ports are numbered in 16 bits.
pub(super) fn check_ports(ports: u64, field: &str) -> Result<(), Invalid> {
    if ports > u64::from(u16::MAX) {
        let message = format!("a router would have {ports} ports; at most {} are possible", u16::MAX);
        return Err(Invalid::new(field, message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Distances;

    fn torus(sizes: &[u32]) -> Network {
        Torus { sizes: sizes.to_vec(), ..Torus::default() }.build(None).unwrap()
    }

    #[test]
    fn a_dimension_of_size_two_is_one_link() {
        let network = torus(&[4, 2, 2, 2]);
        assert_eq!(network.channel_count(), 2 * 32 + 3 * 32);
        assert_eq!(network.neighbours(RouterId(0)).count(), 5);
    }

    #[test]
    fn rings_close_and_meshes_do_not() {
        assert_eq!(torus(&[8, 8]).channel_count(), 256);
        let mesh = Mesh { sizes: vec![8, 8], terminals_per_router: 1, channel_latency: ChannelLatency::default() };
        assert_eq!(mesh.build(None).unwrap().channel_count(), 4 * 7 * 8);
    }

    #[test]
    fn distances_of_the_eight_by_eight_torus() {
        let distances = Distances::of(&torus(&[8, 8]));
        assert_eq!(distances.diameter, 8);
        assert!((distances.mean() - 4.0 * 64.0 / 63.0).abs() < 1e-12);
    }

    #[test]
    fn impossible_sizes_are_refused_by_field() {
        let error = |sizes: &[u32]| wire(sizes, true, 1, &ChannelLatency::default(), "torus").unwrap_err().field;
        assert_eq!(error(&[]), "sizes");
        assert_eq!(error(&[4, 0]), "sizes[1]");
        assert_eq!(error(&[100_000, 100_000]), "sizes");
    }
}
