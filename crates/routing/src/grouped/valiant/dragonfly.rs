//! Local, global, local to the intermediate router; from there local, global, local.

use crate::common::endpoints;
use crate::common::vc_plan::VcPlan;
use crate::grouped::dragonfly_detours::{DetourClasses, DragonflyDetours};
use crate::grouped::dragonfly_draws::Detour;
use crate::grouped::dragonfly_legs::DragonflyLegs;
use crate::grouped::dragonfly_phases::Apart;
use crate::grouped::phases::{self, SOURCE};
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::Dragonfly;
use turnwise_network::{
    Congestion, Header, Hop, Network, RouterId, Routing, Start, TerminalId, TwoPhases, Vc,
};

pub(super) struct ValiantDragonfly {
    detours: DragonflyDetours,
    plan: VcPlan,
    /// Does a packet go to a certain router, or only to a certain group?
    by_router: bool,
}

impl ValiantDragonfly {
    pub(super) fn new(
        network: &Arc<Network>,
        shape: &Dragonfly,
        plan: VcPlan,
        by_router: bool,
        everywhere: bool,
    ) -> Self {
        // Without a way to a certain router there is no class for it.
        let classes = if by_router {
            [0, 1, 2, 3]
        } else {
            [0, 0, 1, 2]
        };
        let classes = classes.map(|class| plan.class(class, classes[3] + 1));
        Self {
            detours: DragonflyDetours {
                legs: DragonflyLegs::going_round(network, shape),
                classes: DetourClasses::rising(classes, plan.all()),
                inside_groups: everywhere,
                apart: by_router.then_some(Apart {
                    goes_minimally: false,
                    by_destinations: false,
                }),
            },
            plan,
            by_router,
        }
    }

    /// The first hop of a detour; only by router does the packet remember the intermediate one.
    fn depart(&self, at: RouterId, header: Header, (link, router): Detour) -> Hop {
        let header = DragonflyDetours::detour(header, self.by_router.then_some(router));
        self.detours.depart(at, header, link)
    }

    /// Is there any? Where all links live, there is if there is another group.
    fn has_detour(&self, at: RouterId, to: RouterId) -> bool {
        let legs = &self.detours.legs;
        let others = legs.links.groups() - 1 - u32::from(legs.group(at) != legs.group(to));
        legs.complete && others > 0 || self.detours.all(at, to, self.by_router).next().is_some()
    }
}

impl ValiantDragonfly {
    /// All detours, some of them several times: by router, a router is drawn first and then one of the links by which packets get to it; by
    /// group, a group and then one of all links to it. Where some have fewer links than others, these are taken more often.
    fn as_often_as_drawn(&self, at: RouterId, to: RouterId) -> Vec<Detour> {
        let legs = &self.detours.legs;
        let detours: Vec<Detour> = self.detours.all(at, to, self.by_router).collect();
        let place = |&((_, link), router): &Detour| match self.by_router {
            true => router.index(),
            false => legs.group(link.peer) as usize,
        };
        let mut counts = vec![0_usize; legs.network.router_count()];
        match self.by_router {
            true => detours.iter().for_each(|detour| counts[place(detour)] += 1),
            false => {
                let numbers = legs.links.leaving(legs.group(at));
                let links = numbers.filter_map(|number| legs.links.get(number));
                links.for_each(|link| counts[legs.group(link.peer) as usize] += 1);
            }
        }
        let all = || detours.iter().map(|detour| counts[place(detour)]);
        if all().min() == all().max() {
            return detours;
        }
        let common = all().fold(1, |common, count| match common > MOST_OFTEN {
            true => common,
            false => least_common_multiple(common, count),
        });
        // Near enough where that would be very often.
        let common = common.min(MOST_OFTEN);
        let times =
            |detour: &Detour| ((common + counts[place(detour)] / 2) / counts[place(detour)]).max(1);
        let repeated = detours
            .iter()
            .flat_map(|detour| std::iter::repeat_n(*detour, times(detour)));
        repeated.collect()
    }
}

/// Proofs look at each option.
const MOST_OFTEN: usize = 64;

fn least_common_multiple(a: usize, b: usize) -> usize {
    let (mut divisor, mut rest) = (a, b);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    a / divisor * b
}

impl Routing for ValiantDragonfly {
    fn two_phases(&self) -> Option<&dyn TwoPhases> {
        self.detours.two_phases()
    }

    fn virtual_channels(&self) -> Vc {
        self.plan.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let legs = &self.detours.legs;
        if !endpoints::live(&legs.network, source, destination) {
            return None;
        }
        let (from, to) = (legs.target(source), legs.target(destination));
        let (at, everywhere) = (from.router, self.detours.inside_groups);
        let leaves = at != to.router && (everywhere || from.group != to.group);
        let has_detour = || self.has_detour(at, to.router);
        let phase = phases::first(leaves, has_detour, || legs.connects(at, to.router))?;
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
        let detours = &self.detours;
        if let Some(hop) = detours.only_hop(at, header) {
            return options.push(hop);
        }
        if header.phase == SOURCE {
            let to = detours.legs.target(header.destination).router;
            let detours = self.as_often_as_drawn(at, to);
            options.extend(
                detours
                    .into_iter()
                    .map(|detour| self.depart(at, header, detour)),
            );
        } else {
            options.extend(detours.minimal_hops(at, header));
        }
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        _: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        if let Some(hop) = self.settled(at, header) {
            return Some(hop);
        }
        if header.phase == SOURCE {
            let to = self.detours.legs.target(header.destination).router;
            let detour = self.detours.draw(at, to, self.by_router, rng)?;
            Some(self.depart(at, header, detour))
        } else {
            self.detours.draw_minimal_hop(at, header, rng)
        }
    }

    fn decides_at_source(&self) -> bool {
        true
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.detours.only_hop(at, header)
    }
}
