//! The decision at the source; all else is minimal or Valiant's routing.

use super::UgalClasses;
use crate::common::draw;
use crate::common::endpoints;
use crate::common::vc_plan::VcPlan;
use crate::grouped::adaptive::rule::Rule;
use crate::grouped::dragonfly_detours::{DetourClasses, DragonflyDetours};
use crate::grouped::dragonfly_legs::{DragonflyLegs, Target};
use crate::grouped::dragonfly_phases::Apart;
use crate::grouped::links::GroupLink;
use crate::grouped::phases::{ARRIVED, COUNT, FIRST, SECOND, SOURCE};
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::Dragonfly;
use turnwise_network::{
    Congestion, Header, Hop, Network, RouterId, Routing, Start, TerminalId, TwoPhases, Vc, VcSet,
};

/// Distance classes.
pub(super) const CLASSES: usize = 4;
/// That of the minimal route's first channels.
pub(super) const ONWARD: usize = 2;

/// The virtual channels of a distance class: what is left over goes to those of the minimal route, which detours take as well.
pub(super) fn share(plan: VcPlan, class: usize) -> VcSet {
    plan.class_from(ONWARD, class, CLASSES)
}

pub(super) struct UgalDragonfly {
    detours: DragonflyDetours,
    plan: VcPlan,
    classes: UgalClasses,
    terminals: u32,
    rule: Rule,
}

impl UgalDragonfly {
    pub(super) fn new(
        network: &Arc<Network>,
        shape: &Dragonfly,
        plan: VcPlan,
        classes: UgalClasses,
        rule: Rule,
    ) -> Self {
        let vcs = match classes {
            UgalClasses::Distance => {
                let classes = [0, 1, ONWARD, 3].map(|class| share(plan, class));
                DetourClasses::rising(classes, plan.all())
            }
            UgalClasses::Booksim => booksim(plan),
        };
        Self {
            detours: DragonflyDetours {
                legs: DragonflyLegs::going_round(network, shape),
                classes: vcs,
                inside_groups: false,
                apart: Some(Apart {
                    goes_minimally: true,
                    by_destinations: true,
                }),
            },
            plan,
            classes,
            terminals: network.terminal_count() as u32,
            rule,
        }
    }

    /// Does anything lead from one living terminal to the header's? Asked only where something has failed.
    #[inline(never)]
    fn is_routed(&self, source: TerminalId, header: Header) -> bool {
        let legs = &self.detours.legs;
        let (from, to) = (legs.target(source), legs.target(header.destination));
        let detours = || self.all(from.router, header).next().is_some();
        legs.connects(from.router, to.router) || from.group != to.group && detours()
    }

    /// Every detour that survives.
    fn all(&self, at: RouterId, header: Header) -> impl Iterator<Item = Hop> + Clone {
        let (detours, legs) = (&self.detours, &self.detours.legs);
        let to = legs.target(header.destination).router;
        detours.first_links(at).flat_map(move |link| {
            let peer = link.1.peer;
            let routers = legs.routers_of(legs.group(peer)).map(RouterId);
            let routers = routers.filter(move |&router| detours.leads_on(peer, router, to));
            routers.map(move |router| {
                let header = DragonflyDetours::detour(header, Some(router));
                detours.depart(at, header, link)
            })
        })
    }

    /// The detour by the router of a random terminal; `None` if that is in the packet's own group,
    /// or if faults make it impossible.
    #[inline]
    fn draw(&self, at: RouterId, to: Target, header: Header, rng: &mut Random) -> Option<Hop> {
        let legs = &self.detours.legs;
        let drawn = legs.target(TerminalId(draw::below(self.terminals, rng)));
        if drawn.group == legs.group(at) || !legs.connects(drawn.router, to.router) {
            return None;
        }
        let header = DragonflyDetours::detour(header, Some(drawn.router));
        if let Some(hop) = self.detours.only_hop(at, header) {
            return Some(hop);
        }
        let link = legs.draw_link(at, drawn.router, rng)?;
        Some(self.detours.depart(at, header, link))
    }

    /// Channels between routers of the way that begins with a hop, out of the group or to where it leaves.
    fn channels(&self, at: RouterId, to: Target, hop: &Hop) -> u32 {
        let legs = &self.detours.legs;
        let step = hop.header.step.checked_sub(1);
        let by = step.map_or(to.router, RouterId);
        let Some(next) = legs.network.next_router(at, hop.port) else {
            return 0;
        };
        let over = GroupLink {
            owner: at,
            peer: next,
            port: hop.port,
        };
        let first = match legs.group(next) == legs.group(at) {
            true => legs.known_link(hop.header.via, legs.group(at), legs.group(by)),
            false => Some(over),
        };
        first.map_or(0, |first| legs.channels(at, first, by, to.router))
    }
}

/// BookSim's `ph` is the class: 0 up to the intermediate router, then 1, and 2 from the global
/// channel on; 2 inside a group.
fn booksim(plan: VcPlan) -> DetourClasses {
    let [zero, one, two] = [0, 1, 2].map(|class| plan.class(class, 3));
    let mut classes = DetourClasses {
        leaving: [[two; 2]; COUNT],
        arriving: [two; COUNT],
        ejection: [two; COUNT],
    };
    let (first, arrived, second) = (
        usize::from(FIRST),
        usize::from(ARRIVED),
        usize::from(SECOND),
    );
    classes.leaving[first] = [zero; 2];
    classes.arriving[arrived] = zero;
    // In this phase and in the destination group is only who comes from an intermediate router there.
    classes.leaving[second] = [one, two];
    classes.arriving[second] = one;
    classes.ejection[second] = one;
    classes
}

impl Routing for UgalDragonfly {
    fn two_phases(&self) -> Option<&dyn TwoPhases> {
        self.detours.two_phases()
    }

    fn virtual_channels(&self) -> Vc {
        self.plan.total
    }

    fn relation(&self) -> Option<String> {
        Some(format!("UGAL, {:?}, {:?}", self.plan, self.classes))
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let legs = &self.detours.legs;
        if !endpoints::live(&legs.network, source, destination) {
            return None;
        }
        let header = Header {
            phase: SOURCE,
            ..Header::to(destination)
        };
        let routed = legs.complete || self.is_routed(source, header);
        routed.then(|| Start {
            header,
            vcs: self.plan.all(),
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        if let Some(hop) = self.detours.only_hop(at, header) {
            return options.push(hop);
        }
        options.extend(self.detours.minimal_hops(at, header));
        if header.phase == SOURCE {
            options.extend(self.all(at, header));
        }
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let to = self.detours.legs.target(header.destination);
        let decides = header.phase == SOURCE && to.group != self.detours.legs.group(at);
        if !decides {
            let hop = self.settled(at, header);
            return hop.or_else(|| self.detours.draw_minimal_hop(at, header, rng));
        }
        let cost = |hop: &Hop, ratio| {
            let queue = congestion.occupancy(hop.port, VcSet::EVERY);
            let channels = || self.channels(at, to, hop);
            self.rule.product(queue, ratio, channels)
        };
        let Some(minimal) = self.detours.draw_minimal_hop(at, header, rng) else {
            let drawn = self.draw(at, to, header, rng);
            return drawn.or_else(|| draw::among(self.all(at, header), rng));
        };
        let its = cost(&minimal, 1);
        if its <= self.rule.threshold {
            // No detour's queue is shorter than none.
            return Some(minimal);
        }
        match self.draw(at, to, header, rng) {
            Some(detour) if its > cost(&detour, 2) + self.rule.threshold => Some(detour),
            _ => Some(minimal),
        }
    }

    fn decides_at_source(&self) -> bool {
        true
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.detours.only_hop(at, header)
    }
}
