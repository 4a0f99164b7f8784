//! Minimal oblivious routing: dimension order, ascending or descending, drawn for each packet.
//!
//! The source draws one of two orders: X first or X last. Routes are minimal, and in two dimensions
//! the worst case is nearly the best that an oblivious minimal routing can have (O1TURN; Seo et al.). All
//! orders of more than two dimensions would need a class each; two orders need two, whatever the dimensions.
//!
//! **Classes.** Each order has virtual channels of its own, and on rings two dateline classes, unless
//! flow control is bubble: 4 virtual channels on a torus with rings, 2 elsewhere, half of it if there is but
//! one dimension. With fewer, the last serves all higher classes, which can deadlock.
//!
//! **Faults.** A packet draws among the orders in which the destination can be reached; a pair without any is
//! not routed.
//!
//! Source: Seo, Ali, Lim, Rafique, Thottethodi, "Near-optimal worst-case throughput routing for
//! two-dimensional mesh networks", ISCA 2005.
//!
//! Complexity: O(dimensions) a hop; with faults routers squared bits twice.
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{Mesh, Topology};
//! use turnwise_network::{RouterId, TerminalId};
//! use turnwise_routing::algorithms::MinimalOblivious;
//! use turnwise_routing::{Algorithm, Context};
//!
//! let mesh = Mesh { sizes: vec![4, 4], ..Mesh::default() };
//! let network = Arc::new(mesh.build(None)?);
//! let routing = MinimalOblivious::default().build(&network, &Context::default())?;
//! // From (0,0) to (1,2): by (1,0), or by (0,1).
//! let start = routing.start(TerminalId(0), TerminalId(6)).expect("no faults");
//! let mut options = Vec::new();
//! routing.options(RouterId(0), start.header, &mut options);
//! let next = options.iter().map(|hop| network.next_router(RouterId(0), hop.port));
//! assert_eq!(next.collect::<Vec<_>>(), [Some(RouterId(4)), Some(RouterId(1))]);
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::algorithm::{Algorithm, AlgorithmEntry, Context, misfit};
use crate::common::draw;
use crate::common::two_legs::Legs;
use crate::grid::dimension::Dimension;
use crate::grid::legs::{GRIDS, GridLegs, Order};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Hop, Invalid, Network, RouterId, Routing, Shape, Start, TerminalId, Vc,
};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["o1turn"],
        summary: "Grids and HyperX: dimension order, ascending or descending at random",
        source: "Seo et al., Near-optimal worst-case throughput routing for two-dimensional mesh networks, ISCA 2005",
        example: "virtual_channels = 4",
        schema: schema_of::<MinimalOblivious>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<MinimalOblivious, dyn Algorithm>(
                table, errors,
            )?))
        },
    },
    fits: |shape| matches!(shape, Shape::Grid(_) | Shape::HyperX(_)),
};

const NAME: &str = "minimal-oblivious";

/// Parameters of minimal oblivious routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MinimalOblivious {
    /// Virtual channels to spread the classes over: by default all the router has, or else 4 on
    /// rings and 2 elsewhere (in one dimension half of it).
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for MinimalOblivious {
    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let vcs = self.virtual_channels;
        match GridLegs::new(NAME, network, orders, vcs, context)? {
            Some(legs) => Ok(Box::new(EitherOrder { legs })),
            None => Err(misfit(NAME, GRIDS, network)),
        }
    }
}

/// Both, if they differ.
fn orders(dimensions: &[Dimension]) -> Vec<Order> {
    match dimensions
        .iter()
        .filter(|dimension| dimension.size > 1)
        .count()
    {
        0 | 1 => vec![Order::Ascending],
        _ => vec![Order::Ascending, Order::Descending],
    }
}

/// `Header::phase` is 0 at the source, and then the number of the order plus 1.
struct EitherOrder {
    legs: GridLegs,
}

impl EitherOrder {
    /// What a packet may do in this order, or in the one it has drawn.
    fn hops(&self, at: RouterId, header: Header, leg: usize) -> [Option<Hop>; 2] {
        let to = self.legs.network.router_of(header.destination);
        let phase = leg as u8 + 1;
        self.legs.hops(leg, at, to, Header { phase, ..header })
    }

    /// The orders in which the destination can be reached.
    fn usable(&self, at: RouterId, to: RouterId) -> impl Iterator<Item = usize> + Clone {
        (0..self.legs.legs.len()).filter(move |&leg| self.legs.reaches(leg, at, to))
    }

    /// The order drawn, or the only one there is.
    fn drawn(&self, header: Header) -> Option<usize> {
        match header.phase.checked_sub(1) {
            Some(leg) => Some(leg.into()),
            None => (self.legs.legs.len() == 1).then_some(0),
        }
    }
}

impl Routing for EitherOrder {
    fn virtual_channels(&self) -> Vc {
        self.legs.plan.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.legs.start(source, destination, |from, to| {
            self.usable(from, to).next().is_some()
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let to = self.legs.network.router_of(header.destination);
        if at == to {
            return options.push(self.legs.ejection(header));
        }
        if let Some(leg) = self.drawn(header) {
            return options.extend(self.hops(at, header, leg).into_iter().flatten());
        }
        // Both orders have the same weight, whether or not their first hops are ties.
        let ties = self.legs.has_ties();
        for leg in self.usable(at, to) {
            draw::add_as_one(self.hops(at, header, leg), ties, options);
        }
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        _: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let to = self.legs.network.router_of(header.destination);
        if at == to {
            return Some(self.legs.ejection(header));
        }
        let leg = match self.drawn(header) {
            Some(leg) => leg,
            None => draw::among(self.usable(at, to), rng)?,
        };
        draw::one_of_two(self.hops(at, header, leg), rng)
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        if at == self.legs.network.router_of(header.destination) {
            return Some(self.legs.ejection(header));
        }
        draw::only_of_two(self.hops(at, header, self.drawn(header)?))
    }
}
