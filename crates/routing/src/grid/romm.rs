//! ROMM: by a random router on the way, in dimension order to it and in dimension order on.
//!
//! Randomised, oblivious, multi-phase, minimal, here with two phases. The source draws a router
//! from the smallest box that has source and destination in its corners, all with the same probability; in a ring of
//! even size with the destination opposite, it draws one of both ways around first. So routes are
//! minimal, and there are many of them: worst cases of dimension order, such as transposition, become milder.
//! On HyperX a coordinate of the intermediate router is the source's or the destination's.
//!
//! **Classes.** The second phase has virtual channels of its own, and each phase two dateline classes
//! on rings, unless flow control is bubble: 4 virtual channels on a torus with rings, 2 elsewhere. With
//! fewer, the last serves all higher classes, which can deadlock.
//!
//! **Faults.** A packet draws among the routers of the box by which, in dimension order, the destination
//! can be reached; a pair without any is not routed.
//!
//! Source: Nesson and Johnsson, "ROMM routing on mesh and torus networks", SPAA 1995; Dally and Towles,
//! Principles and Practices of Interconnection Networks, chapter 9.
//!
//! Complexity: O(dimensions) a hop; with faults, in the worst case the source looks at the whole box,
//! and routers squared bits twice.
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{Mesh, Topology};
//! use turnwise_network::{RouterId, TerminalId};
//! use turnwise_routing::algorithms::Romm;
//! use turnwise_routing::{Algorithm, Context};
//!
//! let mesh = Mesh { sizes: vec![4, 4], ..Mesh::default() };
//! let network = Arc::new(mesh.build(None)?);
//! let routing = Romm::default().build(&network, &Context::default())?;
//! assert_eq!(routing.virtual_channels(), 2);
//! // From (0,0) to (1,2), by any of 2 x 3 routers.
//! let start = routing.start(TerminalId(0), TerminalId(6)).expect("no faults");
//! let mut options = Vec::new();
//! routing.options(RouterId(0), start.header, &mut options);
//! assert_eq!(options.len(), 6);
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::algorithm::{Algorithm, AlgorithmEntry, Context};
use crate::common::two_legs::{Intermediates, TwoLegs};
use crate::grid::Ties;
use crate::grid::dimension::{Dimension, Joined};
use crate::grid::legs::{GRIDS, GridLegs};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network, RouterId, Routing, Shape, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Grids and HyperX: by a random router on the way, minimally",
        source: "Nesson and Johnsson, ROMM routing on mesh and torus networks, SPAA 1995",
        example: "virtual_channels = 4",
        schema: schema_of::<Romm>,
        parse: |table, errors| Some(Box::new(parse_as::<Romm, dyn Algorithm>(table, errors)?)),
    },
    fits: |shape| matches!(shape, Shape::Grid(_) | Shape::HyperX(_)),
};

const NAME: &str = "romm";

/// Parameters of ROMM.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Romm {
    /// Virtual channels to spread the classes over: by default all the router has, or else 4 on
    /// rings and 2 elsewhere.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for Romm {
    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        Ok(Box::new(TwoLegs {
            legs: GridLegs::two(NAME, GRIDS, self.virtual_channels, network, context)?,
            intermediates: Quadrant,
        }))
    }
}

/// Any router on a minimal route that takes one way along each dimension.
struct Quadrant;

impl Intermediates<GridLegs> for Quadrant {
    const WORDS: &'static str = "routers on the way";

    fn count(&self, legs: &GridLegs, from: RouterId, to: RouterId) -> u32 {
        let parts = legs.dimensions.iter().map(|dimension| {
            let index = dimension.index;
            parts(
                dimension,
                legs.coordinate(from, index),
                legs.coordinate(to, index),
            )
        });
        parts.product()
    }

    fn nth(&self, legs: &GridLegs, from: RouterId, to: RouterId, mut n: u32) -> RouterId {
        legs.dimensions.iter().fold(from, |router, dimension| {
            let index = dimension.index;
            let (here, there) = (legs.coordinate(from, index), legs.coordinate(to, index));
            let count = parts(dimension, here, there);
            let coordinate = part(dimension, here, there, n % count);
            n /= count;
            legs.moved(router, index, coordinate)
        })
    }
}

/// How many minimal ways there are to go part of the way along a dimension, the ends included, and
/// the coordinate where the n-th of them ends. A tie counts both ways.
fn parts(dimension: &Dimension, here: u32, there: u32) -> u32 {
    match dimension.joined {
        _ if here == there => 1,
        Joined::Row => 2,
        Joined::Line => here.abs_diff(there) + 1,
        Joined::Ring => {
            let up = dimension.distance_up(here, there);
            match 2 * up == dimension.size {
                true => dimension.size + 2,
                false => up.min(dimension.size - up) + 1,
            }
        }
    }
}

/// See [`parts`].
fn part(dimension: &Dimension, here: u32, there: u32, n: u32) -> u32 {
    let size = dimension.size;
    let step = dimension.step(here, there, Ties::Random);
    let half = size / 2 + 1;
    match dimension.joined {
        _ if here == there => here,
        Joined::Row => [here, there][n as usize],
        _ if step.is_tie() && n >= half => (here + size - (n - half)) % size,
        _ if step.positive => (here + n) % size,
        _ => (here + size - n) % size,
    }
}
