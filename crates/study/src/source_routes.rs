//! The table of source routes of a routing on a torus, as routers are programmed with it.

use crate::workshop::Routed;
use turnwise_network::Shape;
use turnwise_routing::angara::{Directions, RouteTable, System};

/// A routing's routes, written into packet headers.
pub struct SourceRoutes {
    table: RouteTable,
    dimensions: usize,
}

impl SourceRoutes {
    /// Encodes every pair's route; pairs without a route stay empty.
    ///
    /// # Errors
    /// In words: a network that is no torus of up to four dimensions with one terminal a router, or
    /// the first pair whose route no header has room for.
    pub fn of(routed: &Routed) -> Result<Self, String> {
        let network = &*routed.network;
        let grid = match network.shape() {
            Shape::Grid(grid) if System::fits(network.shape()) => grid,
            _ => {
                return Err(format!(
                    "source routes are for tori of up to four dimensions with one terminal a router; this is a {}",
                    network.description()
                ));
            }
        };
        let dimensions = grid.sizes.len();
        let directions = Directions::new(dimensions, routed.direction_order.as_deref());
        let directions = directions.map_err(|invalid| invalid.to_string())?;
        let system = System::new(network, grid, directions);
        let table = RouteTable::of(network, &*routed.routing, &system)
            .map_err(|misfit| misfit.render(&system))?;
        Ok(Self { table, dimensions })
    }

    /// The file: `source,destination,fs,bits,counts,ls`, a row a pair.
    pub fn write(&self) -> String {
        self.table.write(self.dimensions)
    }
}
