//! Dimension order on meshes, tori and hypercubes.

mod lookup;

use self::lookup::{Entry, Lookup, Next};
use super::Ties;
use crate::common::draw;
use crate::common::endpoints;
use crate::common::survivors::Survivors;
use crate::common::vc_plan::VcPlan;
use crate::grid::dimension::{Dimension, ENTERING, Step, class, is_complete};
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::Grid;
use turnwise_network::{
    Congestion, Header, Hop, Network, Port, RouterId, Routing, Start, TerminalId, Vc, VcSet,
};

pub(super) struct GridOrder {
    network: Arc<Network>,
    coordinates: Vec<u32>,
    /// In the order they are taken.
    dimensions: Vec<Dimension>,
    ties: Ties,
    plan: VcPlan,
    /// Virtual channels by `Header::class` while inside a ring.
    classes: [VcSet; 3],
    survivors: Option<Survivors>,
    /// For healthy grids, unless they are too large.
    lookup: Option<Lookup>,
}

impl GridOrder {
    pub(super) fn new(
        network: &Arc<Network>,
        shape: &Grid,
        order: &[usize],
        ties: Ties,
        plan: VcPlan,
        dateline: bool,
    ) -> Self {
        let dimensions = order.iter().map(|&index| Dimension {
            dateline: dateline && shape.is_ring(index),
            ..Dimension::of_grid(shape, index)
        });
        let classes = [plan.every_class(), plan.class(0, 2), plan.class(1, 2)];
        let routers = network.routers();
        let mut routing = Self {
            network: network.clone(),
            coordinates: routers
                .flat_map(|router| shape.coordinates(router.0))
                .collect(),
            dimensions: dimensions.collect(),
            ties,
            plan,
            classes,
            survivors: None,
            lookup: None,
        };
        if !is_complete(network, shape) {
            let may = |at, destination, port| {
                routing
                    .next_step(at, destination)
                    .is_some_and(|(dimension, step)| {
                        step.positive && port == dimension.port(true)
                            || step.negative && port == dimension.port(false)
                    })
            };
            routing.survivors = Some(Survivors::of_rule(network, may));
        } else {
            let step = |dimension: &Dimension, here, there| dimension.step(here, there, ties);
            routing.lookup = Lookup::new(&routing.dimensions, &routing.coordinates, step);
        }
        routing
    }

    fn next_step(&self, at: RouterId, destination: RouterId) -> Option<(&Dimension, Step)> {
        let count = self.dimensions.len();
        let here = &self.coordinates[at.index() * count..][..count];
        let there = &self.coordinates[destination.index() * count..][..count];
        let unfinished = |dimension: &&Dimension| here[dimension.index] != there[dimension.index];
        let dimension = self.dimensions.iter().find(unfinished)?;
        let (here, there) = (here[dimension.index], there[dimension.index]);
        Some((dimension, dimension.step(here, there, self.ties)))
    }

    /// One hop along the dimension, unless it leads where faults leave no way on.
    fn hop(
        &self,
        at: RouterId,
        header: Header,
        (dimension, step): (&Dimension, Step),
        positive: bool,
    ) -> Option<Hop> {
        let port = dimension.port(positive);
        if let Some(survivors) = &self.survivors {
            let next = self.network.next_router(at, port)?;
            let destination = self.network.router_of(header.destination);
            if !survivors.reaches(next, destination) {
                return None;
            }
        }
        let class = class(dimension.dateline, header, step.upper_class(positive));
        let last = step.is_last(dimension, positive);
        Some(self.hop_by(port, header, class, last))
    }

    #[inline(always)]
    fn hop_by(&self, port: Port, header: Header, class: u16, last: bool) -> Hop {
        let next = if last { ENTERING } else { class };
        Hop {
            port,
            vcs: self.classes[usize::from(class)],
            header: Header {
                class: next,
                ..header
            },
        }
    }

    /// What the table says, if there is one.
    #[inline(always)]
    fn look_up(&self, at: RouterId, header: Header) -> Option<Next> {
        let destination = self.network.router_of(header.destination);
        Some(self.lookup.as_ref()?.get(at, destination))
    }

    /// The hop that the table says; at a tie the way up, from which the way down differs by its port alone.
    #[inline(always)]
    fn looked_up(&self, entry: Entry, header: Header) -> Hop {
        let class = class(entry.dateline(), header, entry.upper_class());
        self.hop_by(entry.port(), header, class, entry.last())
    }

    /// In a large grid, or at the destination or a tie. Apart, to keep what is frequent short.
    #[inline(never)]
    fn settled_otherwise(&self, at: RouterId, header: Header) -> Option<Hop> {
        match self.look_up(at, header)? {
            Next::Arrived => Some(self.ejection(header)),
            Next::Hop(entry) if entry.tie() => None,
            Next::Hop(entry) => Some(self.looked_up(entry, header)),
        }
    }

    #[inline]
    fn ejection(&self, header: Header) -> Hop {
        endpoints::ejection(&self.network, header, self.plan.all())
    }

    /// All there is to do, at most two things.
    fn hops(&self, at: RouterId, header: Header) -> [Option<Hop>; 2] {
        let destination = self.network.router_of(header.destination);
        if at == destination {
            return [Some(self.ejection(header)), None];
        }
        let Some((dimension, step)) = self.next_step(at, destination) else {
            return [None, None];
        };
        let hop = |positive| self.hop(at, header, (dimension, step), positive);
        [
            step.positive.then(|| hop(true)).flatten(),
            step.negative.then(|| hop(false)).flatten(),
        ]
    }
}

impl Routing for GridOrder {
    fn virtual_channels(&self) -> Vc {
        self.plan.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let survivors = self.survivors.as_ref();
        let connected = |from, to| survivors.is_none_or(|survivors| survivors.reaches(from, to));
        endpoints::start(
            &self.network,
            source,
            destination,
            self.plan.all(),
            connected,
        )
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        options.extend(self.hops(at, header).into_iter().flatten());
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        _: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        match self.look_up(at, header) {
            Some(Next::Arrived) => return Some(self.ejection(header)),
            Some(Next::Hop(entry)) => {
                let mut hop = self.looked_up(entry, header);
                hop.port += if entry.tie() { rng.below(2) as Port } else { 0 };
                return Some(hop);
            }
            None => {}
        }
        draw::one_of_two(self.hops(at, header), rng)
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        let lookup = self.lookup.as_ref()?;
        let destination = self.network.router_of(header.destination);
        match lookup.by_pair(at, destination) {
            Some(entry) if entry.is_settled() => Some(self.looked_up(entry, header)),
            _ => self.settled_otherwise(at, header),
        }
    }

    fn keeps_order(&self) -> bool {
        self.ties != Ties::Random && self.plan.total == 1
    }
}
