//! Up, global, down to the intermediate leaf; from there up, global, down.

use crate::common::endpoints;
use crate::common::vc_plan::VcPlan;
use crate::grouped::megafly_detours::MegaflyDetours;
use crate::grouped::megafly_draws::Turning;
use crate::grouped::phases::{self, SOURCE};
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::Megafly;
use turnwise_network::{
    Congestion, Header, Hop, Network, RouterId, Routing, Start, TerminalId, Vc,
};

pub(super) struct ValiantMegafly {
    detours: MegaflyDetours,
    plan: VcPlan,
    everywhere: bool,
}

impl ValiantMegafly {
    pub(super) fn new(
        network: &Arc<Network>,
        shape: &Megafly,
        plan: VcPlan,
        turning: Turning,
        everywhere: bool,
    ) -> Self {
        Self {
            detours: MegaflyDetours::new(network, shape, plan, turning),
            plan,
            everywhere,
        }
    }

    /// Does a packet with this header make its detour from this leaf?
    fn leaves(&self, at: RouterId, header: Header) -> bool {
        let (legs, to) = (self.detours.legs(), self.detours.router_of(header));
        let elsewhere = self.everywhere || legs.group(at) != legs.group(to);
        header.phase == SOURCE && elsewhere && legs.is_leaf(at)
    }
}

impl Routing for ValiantMegafly {
    fn virtual_channels(&self) -> Vc {
        self.plan.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let legs = self.detours.legs();
        if !endpoints::live(&legs.network, source, destination) {
            return None;
        }
        let (at, to) = (
            legs.network.router_of(source),
            legs.network.router_of(destination),
        );
        let leaves = at != to && (self.everywhere || legs.group(at) != legs.group(to));
        let has_detour = || self.detours.draws.all(at, to).next().is_some();
        let phase = phases::first(leaves, has_detour, || legs.connects(at, to))?;
        let header = Header {
            phase,
            ..Header::to(destination)
        };
        Some(Start {
            header,
            vcs: self.plan.all(),
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        if let Some(hop) = self.detours.only_hop(at, header) {
            return options.push(hop);
        }
        if self.leaves(at, header) {
            let all = self.detours.draws.all(at, self.detours.router_of(header));
            options.extend(all.filter_map(|detour| self.detours.up_detour(header, detour)));
        } else {
            self.detours
                .each_onward(at, header, |hop| options.push(hop));
        }
    }

    fn decides_at_source(&self) -> bool {
        true
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.detours.only_hop(at, header)
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        _: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        if let Some(hop) = self.detours.only_hop(at, header) {
            return Some(hop);
        }
        if !self.leaves(at, header) {
            return self.detours.draw_onward(at, header, rng);
        }
        let to = self.detours.router_of(header);
        let detour = self.detours.draws.draw(at, to, rng)?;
        self.detours.up_detour(header, detour)
    }
}
