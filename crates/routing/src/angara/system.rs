//! A torus as routes see it: living channels by node and direction, and who communicates.

use super::Directions;
use turnwise_network::shape::Grid;
use turnwise_network::{Network, Port, RouterId, Shape};

/// "No such channel".
pub(crate) const NONE: u32 = u32::MAX;

/// The living part of a torus or mesh, one terminal a router; a *node* is a router with its number.
///
/// A channel is named by the node it leaves and its direction's rank:
/// `channel = node * directions + rank`.
#[derive(Clone, Debug)]
pub struct System {
    sizes: Vec<u32>,
    rings: Vec<bool>,
    directions: Directions,
    /// By channel: the node it leads to, [`NONE`] if it is dead or was never there.
    next: Vec<u32>,
    /// By node: coordinates.
    coordinates: Vec<[u8; Directions::MOST_DIMENSIONS]>,
    /// Nodes that send and receive, ascending.
    members: Vec<u32>,
    /// By rank: the router's port.
    ports: Vec<Port>,
    channels: usize,
    whole: bool,
}

impl System {
    /// Can such a shape be routed at all?
    pub fn fits(shape: &Shape) -> bool {
        matches!(shape, Shape::Grid(grid) if grid.sizes.len() <= Directions::MOST_DIMENSIONS
            && grid.terminals_per_router == 1
            && grid.sizes.iter().all(|&size| size <= 255))
    }

    /// The system a network with its faults is; `grid` is its shape, which must fit.
    pub fn new(network: &Network, grid: &Grid, directions: Directions) -> Self {
        let count = directions.count();
        let ports: Vec<Port> = (0..count)
            .map(|rank| {
                let direction = directions.at(rank);
                grid.port(usize::from(direction.dimension), direction.positive)
            })
            .collect();
        let mut next = Vec::with_capacity(network.router_count() * count);
        let mut coordinates = Vec::with_capacity(network.router_count());
        for router in network.routers() {
            let mut at = [0; Directions::MOST_DIMENSIONS];
            for (slot, coordinate) in at.iter_mut().zip(grid.coordinates(router.0)) {
                *slot = coordinate as u8;
            }
            coordinates.push(at);
            let neighbour = |&port: &Port| network.next_router(router, port).map_or(NONE, |r| r.0);
            next.extend(ports.iter().map(neighbour));
        }
        let members: Vec<u32> = network
            .living_terminals()
            .map(|terminal| network.router_of(terminal).0)
            .collect();
        let channels = next.iter().filter(|&&node| node != NONE).count();
        let rings: Vec<bool> = (0..grid.sizes.len()).map(|d| grid.is_ring(d)).collect();
        let per_node = |dimension: usize| match grid.sizes[dimension] {
            1 => 0.0,
            _ if rings[dimension] => 2.0,
            size => 2.0 * f64::from(size - 1) / f64::from(size),
        };
        let built: f64 =
            (0..grid.sizes.len()).map(per_node).sum::<f64>() * network.router_count() as f64;
        Self {
            sizes: grid.sizes.clone(),
            rings,
            whole: members.len() == network.router_count() && channels == built.round() as usize,
            directions,
            next,
            coordinates,
            members,
            ports,
            channels,
        }
    }

    /// Routers a dimension.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// Does this dimension close to a ring?
    #[inline]
    pub fn is_ring(&self, dimension: usize) -> bool {
        self.rings[dimension]
    }

    /// The directions and their order.
    #[inline]
    pub fn directions(&self) -> &Directions {
        &self.directions
    }

    /// Nodes, dead ones included.
    #[inline]
    pub fn nodes(&self) -> usize {
        self.coordinates.len()
    }

    /// Nodes that send and receive, ascending.
    #[inline]
    pub fn members(&self) -> &[u32] {
        &self.members
    }

    /// Living channels.
    pub fn channel_count(&self) -> usize {
        self.channels
    }

    /// Has nothing failed, and does every node take part?
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// The channel that leaves a node in a direction, dead or alive.
    #[inline]
    pub fn channel(&self, node: u32, rank: usize) -> usize {
        node as usize * self.directions.count() + rank
    }

    /// Where a channel leads, if it lives.
    #[inline]
    pub fn next(&self, node: u32, rank: usize) -> Option<u32> {
        let next = self.next[self.channel(node, rank)];
        (next != NONE).then_some(next)
    }

    /// By channel: where it leads, `u32::MAX` if nowhere.
    #[inline]
    pub(crate) fn targets(&self) -> &[u32] {
        &self.next
    }

    /// A node's coordinates, X first.
    #[inline]
    pub fn coordinates(&self, node: u32) -> [u8; Directions::MOST_DIMENSIONS] {
        self.coordinates[node as usize]
    }

    /// The router's port in a direction.
    #[inline]
    pub fn port(&self, rank: usize) -> Port {
        self.ports[rank]
    }

    /// A node in words: `(1,0,3)`.
    pub fn label(&self, node: u32) -> String {
        let coordinates = &self.coordinates[node as usize][..self.sizes.len()];
        let words: Vec<String> = coordinates.iter().map(u8::to_string).collect();
        format!("({})", words.join(","))
    }

    /// A node as the router it is.
    pub fn router(node: u32) -> RouterId {
        RouterId(node)
    }
}
