//! Which routers look different, on networks with coordinates of which nothing has failed.
//!
//! A ring, or a row that is fully connected, looks the same from everywhere, a line from both
//! of its ends; and a grid looks the same from two routers if each dimension does.

use crate::ids::RouterId;
use crate::network::Network;
use crate::shape::Shape;

/// A coordinate or router, and how many look like it.
pub(super) type Alike = (u32, u64);

/// Routers that together look like all; `None` if the shape does not tell.
pub(super) fn representatives(network: &Network) -> Option<Vec<Alike>> {
    let dimensions = dimensions(network.shape())?;
    is_whole(network, &dimensions).then(|| {
        let mut routers = vec![(0, 1)];
        for dimension in &dimensions {
            // Routers are numbered row-major.
            let further = |(router, count): Alike| {
                let places = dimension.places.iter();
                places.map(move |&(place, alike)| (router * dimension.size + place, count * alike))
            };
            routers = routers.into_iter().flat_map(further).collect();
        }
        routers
    })
}

/// Is it a network with coordinates of which nothing has failed?
pub(super) fn is_whole_grid(network: &Network) -> bool {
    dimensions(network.shape()).is_some_and(|dimensions| is_whole(network, &dimensions))
}

struct Dimension {
    size: u32,
    /// The links of one row.
    links: u64,
    /// The coordinates that look different.
    places: Vec<Alike>,
}

fn dimensions(shape: &Shape) -> Option<Vec<Dimension>> {
    let alike = |size: u32, links| Dimension {
        size,
        links,
        places: vec![(0, u64::from(size))],
    };
    let dimensions = match shape {
        Shape::Grid(grid) => {
            let sizes = grid.sizes.iter().enumerate();
            let dimension = |(dimension, &size)| match grid.is_ring(dimension) {
                true => alike(size, u64::from(size)),
                false => line(size),
            };
            sizes.map(dimension).collect()
        }
        Shape::HyperX(hyperx) => {
            let links = |size: u32| u64::from(size) * u64::from(size - 1) / 2;
            let sizes = hyperx.sizes.iter();
            sizes.map(|&size| alike(size, links(size))).collect()
        }
        _ => return None,
    };
    Some(dimensions)
}

/// The first half of a line, each with its mirror image.
fn line(size: u32) -> Dimension {
    let images = |place| if 2 * place + 1 == size { 1 } else { 2 };
    let half = 0..size.div_ceil(2);
    Dimension {
        size,
        links: u64::from(size - 1),
        places: half.map(|place| (place, images(place))).collect(),
    }
}

/// Has nothing failed, and have all routers equally many terminals?
fn is_whole(network: &Network, dimensions: &[Dimension]) -> bool {
    let routers = network.router_count() as u64;
    let links = dimensions
        .iter()
        .map(|dimension| routers / u64::from(dimension.size) * dimension.links);
    let terminals = |router| network.terminals_of(router).len();
    network.channel_count() as u64 == 2 * links.sum::<u64>()
        && network.living_terminals().count() == network.terminal_count()
        && network
            .routers()
            .all(|router| network.is_alive(router) && terminals(router) == terminals(RouterId(0)))
}
