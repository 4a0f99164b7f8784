//! Dimension order on HyperX and full meshes: one hop a dimension.

use crate::common::endpoints;
use crate::common::survivors::Survivors;
use crate::common::vc_plan::VcPlan;
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::HyperX;
use turnwise_network::{
    Congestion, Header, Hop, Network, Port, RouterId, Routing, Start, TerminalId, Vc,
};

pub(super) struct HyperXOrder {
    network: Arc<Network>,
    coordinates: Vec<u32>,
    /// In the order they are taken: index, and the port that leads to coordinate 0 from a higher one.
    dimensions: Vec<(usize, Port)>,
    plan: VcPlan,
    survivors: Option<Survivors>,
}

impl HyperXOrder {
    pub(super) fn new(
        network: &Arc<Network>,
        shape: &HyperX,
        order: &[usize],
        plan: VcPlan,
    ) -> Self {
        let routers = network.routers();
        let coordinates: Vec<u32> = routers
            .flat_map(|router| shape.coordinates(router.0))
            .collect();
        let dimensions = order.iter().map(|&index| (index, shape.port(index, 1, 0)));
        let dimensions = dimensions.collect();
        let mut routing = Self {
            network: network.clone(),
            coordinates,
            dimensions,
            plan,
            survivors: None,
        };
        let degree: usize = shape.sizes.iter().map(|&size| size as usize - 1).sum();
        let complete = |router| network.neighbours(router).count() == degree;
        if !network.routers().all(complete) {
            let may = |at, destination, port| routing.next_port(at, destination) == Some(port);
            routing.survivors = Some(Survivors::of_rule(network, may));
        }
        routing
    }

    fn next_port(&self, at: RouterId, destination: RouterId) -> Option<Port> {
        let count = self.dimensions.len();
        let here = &self.coordinates[at.index() * count..][..count];
        let there = &self.coordinates[destination.index() * count..][..count];
        self.dimensions
            .iter()
            .find(|&&(index, _)| here[index] != there[index])
            .map(|&(index, first)| {
                let (here, there) = (here[index], there[index]);
                first + if there < here { there } else { there - 1 } as Port
            })
    }

    fn hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        let destination = self.network.router_of(header.destination);
        let Some(port) = self.next_port(at, destination) else {
            return Some(endpoints::ejection(&self.network, header, self.plan.all()));
        };
        if let Some(survivors) = &self.survivors {
            let next = self.network.next_router(at, port)?;
            if !survivors.reaches(next, destination) {
                return None;
            }
        }
        Some(Hop {
            port,
            vcs: self.plan.every_class(),
            header,
        })
    }
}

impl Routing for HyperXOrder {
    fn virtual_channels(&self) -> Vc {
        self.plan.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let network = &self.network;
        if !endpoints::live(network, source, destination) {
            return None;
        }
        let (from, to) = (network.router_of(source), network.router_of(destination));
        if self
            .survivors
            .as_ref()
            .is_some_and(|survivors| !survivors.reaches(from, to))
        {
            return None;
        }
        Some(Start {
            header: Header::to(destination),
            vcs: self.plan.all(),
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        options.extend(self.hop(at, header));
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        _: &dyn Congestion,
        _: &mut Random,
    ) -> Option<Hop> {
        self.hop(at, header)
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.hop(at, header)
    }

    fn keeps_order(&self) -> bool {
        self.plan.total == 1
    }
}
