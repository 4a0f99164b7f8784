//! Local, global, local to the intermediate router; from there local, global, local.

mod detours;

use self::detours::Detours;
use super::phases::{self, ARRIVED, FIRST, LAST, SECOND, SOURCE};
use crate::dragonfly_legs::DragonflyLegs;
use crate::group_links::GroupLink;
use crate::lanes::Lanes;
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::Dragonfly;
use turnwise_network::{
    Congestion, Header, Hop, Network, RouterId, Routing, Start, TerminalId, Vc, VcSet,
};

pub(super) struct ValiantDragonfly {
    detours: Detours,
    lanes: Lanes,
    vcs: Classes,
    everywhere: bool,
}

/// Virtual channels by kind of channel, in the order a route meets them.
struct Classes {
    source: VcSet,
    arriving: VcSet,
    leaving: VcSet,
    destination: VcSet,
}

impl ValiantDragonfly {
    pub(super) fn new(
        network: &Arc<Network>,
        shape: &Dragonfly,
        lanes: Lanes,
        by_router: bool,
        everywhere: bool,
    ) -> Self {
        let classes = if by_router {
            [0, 1, 2, 3]
        } else {
            [0, 0, 1, 2]
        };
        let [source, arriving, leaving, destination] =
            classes.map(|class| lanes.class(class, classes[3] + 1));
        Self {
            detours: Detours::new(DragonflyLegs::new(network, shape), by_router),
            lanes,
            vcs: Classes {
                source,
                arriving,
                leaving,
                destination,
            },
            everywhere,
        }
    }

    /// The only thing to do, if it is; `None` where something is to be drawn.
    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        let legs = &self.detours.legs;
        let to = legs.network.router_of(header.destination);
        if at == to {
            let port = legs.network.terminal_port(header.destination);
            return Some(Hop {
                port,
                vcs: self.lanes.all(),
                header,
            });
        }
        let same_group = legs.group(at) == legs.group(to);
        match header.phase {
            SOURCE if same_group && !self.everywhere => Some(Hop {
                port: legs.local_port(at, to),
                vcs: self.vcs.source,
                header,
            }),
            SOURCE => None,
            ARRIVED => {
                let router = RouterId(header.step.checked_sub(1)?);
                let header = Header {
                    phase: SECOND,
                    step: 0,
                    ..header
                };
                Some(Hop {
                    port: legs.local_port(at, router),
                    vcs: self.vcs.arriving,
                    header,
                })
            }
            SECOND | LAST if same_group => Some(Hop {
                port: legs.local_port(at, to),
                vcs: self.vcs.destination,
                header,
            }),
            _ => {
                let number = header.via.checked_sub(1)?;
                Some(self.towards(at, header, number, legs.links.get(number)?))
            }
        }
    }

    /// The first hop of a detour.
    fn depart(&self, at: RouterId, header: Header, number: u32, router: RouterId) -> Option<Hop> {
        let step = if self.detours.by_router {
            router.0 + 1
        } else {
            0
        };
        let link = self.detours.legs.links.get(number)?;
        Some(self.towards(
            at,
            Header {
                phase: FIRST,
                step,
                ..header
            },
            number,
            link,
        ))
    }

    /// The next hop on the way over the first or second link.
    fn towards(&self, at: RouterId, header: Header, number: u32, link: GroupLink) -> Hop {
        let vcs = if header.phase == FIRST {
            self.vcs.source
        } else {
            self.vcs.leaving
        };
        if at != link.owner {
            let header = Header {
                via: number + 1,
                ..header
            };
            return Hop {
                port: self.detours.legs.local_port(at, link.owner),
                vcs,
                header,
            };
        }
        let onward = |phase, step| Header {
            phase,
            step,
            via: 0,
            ..header
        };
        let next = match header.phase {
            FIRST if header.step != 0 && header.step != link.peer.0 + 1 => {
                onward(ARRIVED, header.step)
            }
            FIRST => onward(SECOND, 0),
            _ => onward(LAST, 0),
        };
        Hop {
            port: link.port,
            vcs,
            header: next,
        }
    }
}

impl Routing for ValiantDragonfly {
    fn virtual_channels(&self) -> Vc {
        self.lanes.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let legs = &self.detours.legs;
        if !legs.network.is_terminal_alive(source) || !legs.network.is_terminal_alive(destination) {
            return None;
        }
        let (at, to) = (
            legs.network.router_of(source),
            legs.network.router_of(destination),
        );
        let leaves = at != to && (self.everywhere || legs.group(at) != legs.group(to));
        let has_detour = || self.detours.all(at, to).next().is_some();
        let phase = phases::first(leaves, has_detour, || legs.connects(at, to))?;
        let header = Header {
            phase,
            ..Header::to(destination)
        };
        Some(Start {
            header,
            vcs: self.lanes.all(),
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        if let Some(hop) = self.settled(at, header) {
            return options.push(hop);
        }
        let to = self.detours.legs.network.router_of(header.destination);
        if header.phase == SOURCE {
            let detours = self.detours.all(at, to);
            options.extend(
                detours.filter_map(|(number, router)| self.depart(at, header, number, router)),
            );
        } else {
            let links = self.detours.legs.usable_links(at, to);
            options.extend(links.map(|(number, link)| self.towards(at, header, number, link)));
        }
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        _: &dyn Congestion,
        dice: &mut Random,
    ) -> Option<Hop> {
        if let Some(hop) = self.settled(at, header) {
            return Some(hop);
        }
        let to = self.detours.legs.network.router_of(header.destination);
        if header.phase == SOURCE {
            let (number, router) = self.detours.draw(at, to, dice)?;
            self.depart(at, header, number, router)
        } else {
            let (number, link) = self.detours.legs.draw_link(at, to, dice)?;
            Some(self.towards(at, header, number, link))
        }
    }
}
