//! Legs of routes in grids and HyperX: one dimension after another, each the shortest way.
//!
//! A route of several legs takes each on virtual channels of its own, and inside a leg the two
//! dateline classes of rings ([`grid_dimension`](crate::grid::dimension)). Legs only follow each other
//! in one order, and a leg in dimension order is free of deadlock, so all of them are.

use crate::algorithm::{Context, misfit};
use crate::common::endpoints;
use crate::common::survivors::Survivors;
use crate::common::two_legs::Legs;
use crate::common::vc_plan::VcPlan;
use crate::grid::Ties;
use crate::grid::dimension::{Dimension, ENTERING, Step, class, distance, is_complete};
use std::fmt::Debug;
use std::sync::Arc;
use turnwise_network::{
    FlowControl, Header, Hop, Invalid, Network, RouterId, Shape, Start, TerminalId, Vc, VcSet,
};

/// What grid legs route, in words.
pub(crate) const GRIDS: &str = "meshes, tori, hypercubes, HyperX and full meshes";

/// In which order a leg takes the dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// X first.
    Ascending,
    /// X last.
    Descending,
}

/// One leg of a route.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leg {
    pub(crate) order: Order,
    /// By `Header::class`: everything, and both dateline classes.
    vcs: [VcSet; 3],
}

/// What the routings of several legs need to know of a network.
pub(crate) struct GridLegs {
    pub(crate) network: Arc<Network>,
    pub(crate) plan: VcPlan,
    pub(crate) legs: Vec<Leg>,
    pub(crate) dimensions: Vec<Dimension>,
    coordinates: Vec<u32>,
    /// By dimension, what a step up adds to a router's number.
    strides: Vec<u32>,
    /// By leg, which routers it can still reach; `None` without faults.
    survivors: Option<Vec<Arc<Survivors>>>,
}

impl GridLegs {
    /// `None` on other networks than meshes, tori, hypercubes and HyperX.
    ///
    /// # Errors
    /// Virtual channels that the router does not have.
    pub(crate) fn new(
        kind: &str,
        network: &Arc<Network>,
        orders: impl Fn(&[Dimension]) -> Vec<Order>,
        virtual_channels: Option<Vc>,
        context: &Context<'_>,
    ) -> Result<Option<Self>, Invalid> {
        let (sizes, dimensions, complete): (_, Vec<Dimension>, _) = match network.shape() {
            Shape::Grid(shape) => {
                let dateline = context.flow_control != FlowControl::Bubble;
                let dimension = |index| Dimension {
                    dateline: dateline && shape.is_ring(index),
                    ..Dimension::of_grid(shape, index)
                };
                let dimensions = (0..shape.sizes.len()).map(dimension).collect();
                (&shape.sizes, dimensions, is_complete(network, shape))
            }
            Shape::HyperX(shape) => {
                let dimension = |index| Dimension::of_hyperx(shape, index);
                let degree: usize = shape.sizes.iter().map(|&size| size as usize - 1).sum();
                let whole = |router| network.neighbours(router).count() == degree;
                let dimensions = (0..shape.sizes.len()).map(dimension).collect();
                (&shape.sizes, dimensions, network.routers().all(whole))
            }
            _ => return Ok(None),
        };
        let orders = orders(&dimensions);
        let dateline = dimensions.iter().any(|dimension| dimension.dateline);
        let classes = orders.len() * if dateline { 2 } else { 1 };
        let plan = VcPlan::new(kind, virtual_channels, classes as Vc, context)?;
        let leg = |(number, &order): (usize, &Order)| {
            let class = |upper| match dateline {
                true => plan.class(2 * number + upper, classes),
                false => plan.class(number, classes),
            };
            let (lower, upper) = (class(0), class(1));
            let vcs = [VcSet(lower.0 | upper.0), lower, upper];
            Leg { order, vcs }
        };
        let mut strides = vec![1; sizes.len()];
        for index in (1..sizes.len()).rev() {
            strides[index - 1] = strides[index] * sizes[index];
        }
        let place = |router: RouterId| (0..sizes.len()).map(move |index| (router, index));
        let coordinate =
            |(router, index): (RouterId, usize)| router.0 / strides[index] % sizes[index];
        let mut legs = Self {
            network: network.clone(),
            plan,
            legs: orders.iter().enumerate().map(leg).collect(),
            coordinates: network.routers().flat_map(place).map(coordinate).collect(),
            dimensions,
            strides: strides.clone(),
            survivors: None,
        };
        if !complete {
            legs.survivors = Some(legs.survivors());
        }
        Ok(Some(legs))
    }

    /// Two legs, both in the same order of dimensions.
    ///
    /// # Errors
    /// Networks that are neither grids nor HyperX, virtual channels that the router does not have.
    pub(crate) fn two(
        kind: &str,
        routes: &str,
        virtual_channels: Option<Vc>,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Self, Invalid> {
        let orders = |_: &[_]| vec![Order::Ascending; 2];
        let legs = Self::new(kind, network, orders, virtual_channels, context)?;
        legs.ok_or_else(|| misfit(kind, routes, network))
    }

    /// By leg; those in the same order reach the same.
    fn survivors(&self) -> Vec<Arc<Survivors>> {
        let mut found: Vec<Arc<Survivors>> = Vec::new();
        for (number, leg) in self.legs.iter().enumerate() {
            let like = self.legs[..number]
                .iter()
                .position(|other| other.order == leg.order);
            let survivors = like.map(|like| found[like].clone());
            found.push(survivors.unwrap_or_else(|| Arc::new(self.surviving(*leg))));
        }
        found
    }

    fn surviving(&self, leg: Leg) -> Survivors {
        Survivors::of_rule(&self.network, |at, to, port| {
            self.next_step(leg.order, at, to)
                .is_some_and(|(dimension, step)| {
                    [true, false].into_iter().any(|positive| {
                        let goes = if positive {
                            step.positive
                        } else {
                            step.negative
                        };
                        goes && port == dimension.port_of(&step, positive)
                    })
                })
        })
    }

    #[inline]
    pub(crate) fn coordinate(&self, router: RouterId, dimension: usize) -> u32 {
        self.coordinates[router.index() * self.dimensions.len() + dimension]
    }

    /// The router with this coordinate instead of its own.
    #[inline]
    pub(crate) fn moved(&self, router: RouterId, dimension: usize, coordinate: u32) -> RouterId {
        let stride = self.strides[dimension];
        RouterId(router.0 - self.coordinate(router, dimension) * stride + coordinate * stride)
    }

    fn next_step(&self, order: Order, at: RouterId, to: RouterId) -> Option<(&Dimension, Step)> {
        let differs = |dimension: &&Dimension| {
            self.coordinate(at, dimension.index) != self.coordinate(to, dimension.index)
        };
        let mut dimensions = self.dimensions.iter();
        let dimension = match order {
            Order::Ascending => dimensions.find(differs),
            Order::Descending => dimensions.rev().find(differs),
        }?;
        let index = dimension.index;
        let (here, there) = (self.coordinate(at, index), self.coordinate(to, index));
        Some((dimension, dimension.step(here, there, Ties::Random)))
    }

    pub(crate) fn ejection(&self, header: Header) -> Hop {
        endpoints::ejection(&self.network, header, self.plan.all())
    }

    /// How a packet sets out, if both terminals live and `connected` says so of their routers.
    pub(crate) fn start(
        &self,
        source: TerminalId,
        destination: TerminalId,
        connected: impl FnOnce(RouterId, RouterId) -> bool,
    ) -> Option<Start> {
        let connected = |from, to| from == to || connected(from, to);
        endpoints::start(
            &self.network,
            source,
            destination,
            self.plan.all(),
            connected,
        )
    }
}

impl Legs for GridLegs {
    fn network(&self) -> &Network {
        &self.network
    }

    fn plan(&self) -> &VcPlan {
        &self.plan
    }

    #[inline]
    fn hops(&self, leg: usize, at: RouterId, to: RouterId, header: Header) -> [Option<Hop>; 2] {
        let Some((dimension, step)) = self.next_step(self.legs[leg].order, at, to) else {
            return [None, None];
        };
        let hop = |goes: bool, positive: bool| {
            if !goes {
                return None;
            }
            let port = dimension.port_of(&step, positive);
            if !self.is_complete() {
                let next = self.network.next_router(at, port)?;
                if !self.reaches(leg, next, to) {
                    return None;
                }
            }
            let class = class(dimension.dateline, header, step.upper_class(positive));
            let next = match step.is_last(dimension, positive) {
                true => ENTERING,
                false => class,
            };
            let header = Header {
                class: next,
                ..header
            };
            let vcs = self.legs[leg].vcs[usize::from(class)];
            Some(Hop { port, vcs, header })
        };
        [hop(step.positive, true), hop(step.negative, false)]
    }

    #[inline]
    fn reaches(&self, leg: usize, from: RouterId, to: RouterId) -> bool {
        let survivors = self.survivors.as_ref();
        survivors.is_none_or(|survivors| survivors[leg].reaches(from, to))
    }

    fn is_complete(&self) -> bool {
        self.survivors.is_none()
    }

    /// Both ways around a ring may be equally long.
    fn has_ties(&self) -> bool {
        self.dimensions.iter().any(Dimension::has_ties)
    }

    fn distance(&self, from: RouterId, to: RouterId) -> u32 {
        let coordinates = |router: RouterId| {
            let count = self.dimensions.len();
            &self.coordinates[router.index() * count..][..count]
        };
        distance(&self.dimensions, coordinates(from), coordinates(to))
    }

    fn words(&self) -> impl Debug {
        let datelines = self.dimensions.iter().map(|dimension| dimension.dateline);
        (self.plan, &self.legs, datelines.collect::<Vec<_>>())
    }
}
