//! Local, global, local.

use crate::common::endpoints;
use crate::common::vc_plan::VcPlan;
use crate::grouped::dragonfly_legs::DragonflyLegs;
use crate::grouped::links::GroupLink;
use crate::grouped::minimal::MinimalClasses;
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::Dragonfly;
use turnwise_network::{
    Congestion, Header, Hop, Network, RouterId, Routing, Start, TerminalId, Vc, VcSet,
};

pub(super) struct MinimalDragonfly {
    legs: DragonflyLegs,
    plan: VcPlan,
    classes: [VcSet; 2],
    /// What packets take in the source group, and over the global channel.
    before: [VcSet; 2],
    /// What packets of each class take to their terminals.
    out: [VcSet; 2],
}

/// `Header::class` up to the global channel.
const BEFORE: u16 = 0;
/// `Header::class` from the global channel on.
const AFTER: u16 = 1;

impl MinimalDragonfly {
    pub(super) fn new(
        network: &Arc<Network>,
        shape: &Dragonfly,
        plan: VcPlan,
        classes: MinimalClasses,
    ) -> Self {
        let is_booksim = classes == MinimalClasses::Booksim;
        let classes = [0, 1].map(|class| match is_booksim {
            true => plan.class(class.into(), 2),
            false => plan.class_in_turn(class, 2),
        });
        Self {
            before: if is_booksim { classes } else { [classes[0]; 2] },
            out: if is_booksim { classes } else { [plan.all(); 2] },
            legs: DragonflyLegs::going_round(network, shape),
            plan,
            classes,
        }
    }

    /// The hop, where there is only one; `None` where a link is drawn at random.
    #[inline(always)]
    fn only_hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        let to = self.legs.target(header.destination);
        if header.class == BEFORE
            && let Some(way) = self.legs.way(at, to.group)
        {
            let class = BEFORE + u16::from(way.global());
            return Some(Hop {
                port: way.port(),
                vcs: self.before[usize::from(class)],
                header: Header { class, ..header },
            });
        }
        let here = self.legs.place(at);
        if here.group != to.group {
            return self.drawn_hop(at, header);
        }
        let (port, classes) = match at == to.router {
            true => (to.port, &self.out),
            false => (self.legs.port_from(here, at, to.router), &self.classes),
        };
        let vcs = classes[usize::from(header.class.min(AFTER))];
        Some(Hop { port, vcs, header })
    }

    /// The hop over the link that the header remembers, if it does.
    #[inline(never)]
    fn drawn_hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        let (here, to) = (self.legs.group(at), self.legs.target(header.destination));
        let link = self.legs.known_link(header.via, here, to.group)?;
        Some(self.towards(at, header, link))
    }

    /// The next hop on the way over a link.
    fn towards(&self, at: RouterId, header: Header, link: GroupLink) -> Hop {
        if at == link.owner {
            return Hop {
                port: link.port,
                vcs: self.before[usize::from(AFTER)],
                header: Header {
                    via: 0,
                    class: AFTER,
                    ..header
                },
            };
        }
        Hop {
            port: self.legs.port(at, link.owner),
            vcs: self.classes[usize::from(BEFORE)],
            header,
        }
    }

    /// The first hop over a link that was drawn, which the header remembers.
    fn depart(&self, at: RouterId, header: Header, number: u32, link: GroupLink) -> Hop {
        let via = number + 1;
        self.towards(at, Header { via, ..header }, link)
    }
}

impl Routing for MinimalDragonfly {
    fn virtual_channels(&self) -> Vc {
        self.plan.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let connected = |from, to| self.legs.connects(from, to);
        let vcs = self.plan.all();
        endpoints::start(&self.legs.network, source, destination, vcs, connected)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        if let Some(hop) = self.settled(at, header) {
            return options.push(hop);
        }
        let destination = self.legs.network.router_of(header.destination);
        let links = self.legs.usable_links(at, destination);
        options.extend(links.map(|(number, link)| self.depart(at, header, number, link)));
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.only_hop(at, header)
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
        let destination = self.legs.network.router_of(header.destination);
        let (number, link) = self.legs.draw_link(at, destination, rng)?;
        Some(self.depart(at, header, number, link))
    }
}
