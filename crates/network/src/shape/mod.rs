//! What a topology remembers of itself, so that nobody redoes its arithmetic.
//!
//! Routing algorithms, labels, layouts and bounds ask the shape for coordinates, groups,
//! levels and ports; the wiring itself is in the [`Network`](crate::Network). Each shape
//! documents how its routers and ports are numbered.

mod butterfly;
mod dragonfly;
mod fat_tree;
mod grid;
mod hyperx;
mod megafly;

pub use butterfly::Butterfly;
pub use dragonfly::{Arrangement, Dragonfly};
pub use fat_tree::FatTree;
pub use grid::Grid;
pub use hyperx::HyperX;
pub use megafly::{Megafly, Wiring};

use crate::ids::RouterId;

/// The kind of topology a network was built as.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Mesh, torus or hypercube.
    Grid(Grid),
    /// HyperX (generalised hypercube); one dimension is a full mesh.
    HyperX(HyperX),
    /// Dragonfly.
    Dragonfly(Dragonfly),
    /// Megafly (dragonfly+).
    Megafly(Megafly),
    /// Extended generalised fat tree.
    FatTree(FatTree),
    /// Butterfly.
    Butterfly(Butterfly),
    /// Nothing is known but the wiring.
    Graph,
}

impl Shape {
    /// How many dimensions channels lie along; none unless it is a grid of some kind.
    pub fn dimensions(&self) -> usize {
        match self {
            Self::Grid(Grid { sizes, .. }) | Self::HyperX(HyperX { sizes, .. }) => sizes.len(),
            _ => 0,
        }
    }

    /// A router's name in the topology's own coordinates.
    pub fn router_label(&self, router: RouterId) -> String {
        let id = router.0;
        match self {
            Self::Grid(grid) => tuple(&grid.coordinates(id)),
            Self::HyperX(hyperx) => tuple(&hyperx.coordinates(id)),
            Self::Dragonfly(dragonfly) => {
                let (group, index) = dragonfly.group_and_index(id);
                format!("group {group} router {index}")
            }
            Self::Megafly(megafly) => {
                let (group, index) = megafly.group_and_index(id);
                let kind = if megafly.is_leaf(id) { "leaf" } else { "spine" };
                format!("group {group} {kind} {index}")
            }
            Self::FatTree(tree) => {
                let (level, index) = tree.level_and_index(id);
                format!("level {level} switch {index}")
            }
            Self::Butterfly(butterfly) => {
                let (stage, index) = butterfly.stage_and_index(id);
                format!("stage {stage} switch {index}")
            }
            Self::Graph => format!("router {id}"),
        }
    }

    /// The group a router belongs to, in topologies that have groups.
    pub fn group(&self, router: RouterId) -> Option<u32> {
        match self {
            Self::Dragonfly(dragonfly) => Some(dragonfly.group_and_index(router.0).0),
            Self::Megafly(megafly) => Some(megafly.group_and_index(router.0).0),
            _ => None,
        }
    }
}

/// The customary letter of a dimension: x, y, z, w, then d4, d5, ...
pub fn dimension_name(dimension: usize) -> String {
    match dimension {
        0..=3 => ["x", "y", "z", "w"][dimension].to_owned(),
        more => format!("d{more}"),
    }
}

fn tuple(coordinates: &[u32]) -> String {
    let texts: Vec<String> = coordinates.iter().map(u32::to_string).collect();
    format!("({})", texts.join(","))
}

/// Row-major coordinates: the last dimension varies fastest.
fn to_coordinates(sizes: &[u32], mut id: u32) -> Vec<u32> {
    let mut coordinates = vec![0; sizes.len()];
    for (coordinate, &size) in coordinates.iter_mut().zip(sizes).rev() {
        *coordinate = id % size;
        id /= size;
    }
    coordinates
}

fn from_coordinates(sizes: &[u32], coordinates: &[u32]) -> u32 {
    sizes
        .iter()
        .zip(coordinates)
        .fold(0, |id, (&size, &coordinate)| id * size + coordinate)
}
