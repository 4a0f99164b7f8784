//! Routes by an intermediate router, in dimension order to it and in dimension order on.
//!
//! The source draws the intermediate router and writes it into the header (`Header::via`, its number
//! plus 1). The second leg has virtual channels of its own.

use crate::algorithm::{Context, misfit};
use crate::common::draw;
use crate::grid::legs::{GridLegs, Order, part, parts};
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Hop, Invalid, Network, RouterId, Routing, Start, TerminalId, Vc,
};

/// Which routers a packet may go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intermediates {
    /// Any of the network, with the same probability.
    Anywhere,
    /// Any on a minimal route that takes one way along each dimension, with the same probability.
    Quadrant,
}

/// `Header::phase` at the source.
const SOURCE: u8 = 0;
/// On the way to the intermediate router.
const FIRST: u8 = 1;
/// On the way from there.
const SECOND: u8 = 2;

/// How often to draw blindly on a network with faults before looking at everything that survives.
const BLIND_DRAWS: u32 = 16;

pub(crate) struct TwoLegs {
    legs: GridLegs,
    intermediates: Intermediates,
}

impl TwoLegs {
    /// # Errors
    /// Networks that are neither grids nor HyperX, virtual channels that the router does not have.
    pub(crate) fn build(
        kind: &str,
        routes: &str,
        intermediates: Intermediates,
        virtual_channels: Option<Vc>,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let orders = |_: &[_]| vec![Order::Ascending; 2];
        match GridLegs::new(kind, network, orders, virtual_channels, context)? {
            Some(legs) => Ok(Box::new(Self {
                legs,
                intermediates,
            })),
            None => Err(misfit(kind, routes, network)),
        }
    }

    /// How many ways to choose an intermediate router there are.
    fn count(&self, from: RouterId, to: RouterId) -> u32 {
        let legs = &self.legs;
        let parts = legs.dimensions.iter().map(|dimension| {
            let index = dimension.index;
            parts(
                dimension,
                legs.coordinate(from, index),
                legs.coordinate(to, index),
            )
        });
        match self.intermediates {
            Intermediates::Anywhere => legs.network.router_count() as u32,
            Intermediates::Quadrant => parts.product(),
        }
    }

    /// The intermediate router of one of these ways.
    fn nth(&self, from: RouterId, to: RouterId, mut n: u32) -> RouterId {
        if self.intermediates == Intermediates::Anywhere {
            return RouterId(n);
        }
        let legs = &self.legs;
        legs.dimensions.iter().fold(from, |router, dimension| {
            let index = dimension.index;
            let (here, there) = (legs.coordinate(from, index), legs.coordinate(to, index));
            let count = parts(dimension, here, there);
            let coordinate = part(dimension, here, there, n % count);
            n /= count;
            legs.moved(router, index, coordinate)
        })
    }

    /// Those by which the destination can be reached.
    fn usable(&self, from: RouterId, to: RouterId) -> impl Iterator<Item = RouterId> + Clone {
        (0..self.count(from, to))
            .map(move |n| self.nth(from, to, n))
            .filter(move |&via| self.leads_on(from, via, to))
    }

    fn leads_on(&self, from: RouterId, via: RouterId, to: RouterId) -> bool {
        self.legs.reaches(0, from, via) && self.legs.reaches(1, via, to)
    }

    fn draw(&self, from: RouterId, to: RouterId, rng: &mut Random) -> Option<RouterId> {
        let count = self.count(from, to);
        for _ in 0..BLIND_DRAWS {
            let via = self.nth(from, to, draw::below(count, rng));
            if self.leads_on(from, via, to) {
                return Some(via);
            }
        }
        draw::among(self.usable(from, to), rng)
    }

    /// What a packet may do that goes by this router.
    fn by(&self, at: RouterId, header: Header, via: RouterId) -> [Option<Hop>; 2] {
        let header = match via == at {
            true => Header {
                phase: SECOND,
                ..header
            },
            false => Header {
                phase: FIRST,
                via: via.0 + 1,
                ..header
            },
        };
        self.hops(at, header)
    }

    /// What a packet may do that knows its way: one thing, or two at a tie.
    #[inline]
    fn hops(&self, at: RouterId, header: Header) -> [Option<Hop>; 2] {
        let to = self.legs.network.router_of(header.destination);
        let Some(via) = header.via.checked_sub(1).map(RouterId) else {
            return self.legs.hops(1, at, to, header);
        };
        // Whoever comes to its intermediate router need not remember it any longer.
        let arrive = |hop: Hop| match self.legs.network.next_router(at, hop.port) == Some(via) {
            true => Hop {
                header: Header {
                    phase: SECOND,
                    via: 0,
                    ..hop.header
                },
                ..hop
            },
            false => hop,
        };
        self.legs
            .hops(0, at, via, header)
            .map(|hop| hop.map(arrive))
    }

    /// Has the packet come to its end?
    fn is_over(&self, at: RouterId, header: Header) -> bool {
        header.via == 0 && at == self.legs.network.router_of(header.destination)
    }
}

impl Routing for TwoLegs {
    fn virtual_channels(&self) -> Vc {
        self.legs.plan.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.legs.start(source, destination, |from, to| {
            self.legs.is_complete() || self.usable(from, to).next().is_some()
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        if self.is_over(at, header) {
            return options.push(self.legs.ejection(header));
        }
        if header.phase != SOURCE {
            return options.extend(self.hops(at, header).into_iter().flatten());
        }
        let to = self.legs.network.router_of(header.destination);
        // Every intermediate router has the same weight, whether or not its first hop is a tie.
        let ties = self.legs.has_ties();
        for via in self.usable(at, to) {
            let hops = self.by(at, header, via);
            options.extend(hops.into_iter().flatten());
            if let ([Some(only), None] | [None, Some(only)], true) = (hops, ties) {
                options.push(only);
            }
        }
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        _: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        if self.is_over(at, header) {
            return Some(self.legs.ejection(header));
        }
        let hops = match header.phase {
            SOURCE => {
                let to = self.legs.network.router_of(header.destination);
                self.by(at, header, self.draw(at, to, rng)?)
            }
            _ => self.hops(at, header),
        };
        draw::one_of_two(hops, rng)
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        if self.is_over(at, header) {
            return Some(self.legs.ejection(header));
        }
        match header.phase {
            SOURCE => None,
            _ => match self.hops(at, header) {
                [Some(only), None] | [None, Some(only)] => Some(only),
                _ => None,
            },
        }
    }
}
