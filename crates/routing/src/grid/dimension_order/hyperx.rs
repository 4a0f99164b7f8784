//! Dimension order on HyperX and full meshes: one hop a dimension.

use crate::common::endpoints;
use crate::common::only_way;
use crate::common::survivors::Survivors;
use crate::common::vc_plan::VcPlan;
use std::sync::Arc;
use turnwise_network::shape::HyperX;
use turnwise_network::{Header, Hop, Network, Port, RouterId, Start, TerminalId};

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
}

impl only_way::Rule for HyperXOrder {
    fn plan(&self) -> &VcPlan {
        &self.plan
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
