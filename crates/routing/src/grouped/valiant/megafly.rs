//! Up, global, down to the intermediate leaf; from there up, global, down.

mod detours;

use self::detours::Detours;
use crate::common::draw;
use crate::common::endpoints;
use crate::common::vc_plan::VcPlan;
use crate::grouped::links::GroupLink;
use crate::grouped::megafly_legs::MegaflyLegs;
use crate::grouped::phases::{self, ARRIVED, FIRST, LAST, SECOND, SOURCE};
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::Megafly;
use turnwise_network::{
    Congestion, Header, Hop, Network, RouterId, Routing, Start, TerminalId, Vc, VcSet,
};

pub(super) struct ValiantMegafly {
    detours: Detours,
    plan: VcPlan,
    /// Before and after the turning point.
    vcs: [VcSet; 2],
    everywhere: bool,
}

impl ValiantMegafly {
    pub(super) fn new(
        network: &Arc<Network>,
        shape: &Megafly,
        plan: VcPlan,
        by_leaf: bool,
        shortcut: bool,
        everywhere: bool,
    ) -> Self {
        let detours = Detours::new(MegaflyLegs::new(network, shape), shape, by_leaf, shortcut);
        let vcs = [plan.class(0, 2), plan.class(1, 2)];
        Self {
            detours,
            plan,
            vcs,
            everywhere,
        }
    }

    /// The hop of a packet that has no choice; `None` where something is to be drawn.
    fn only_hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        let legs = &self.detours.legs;
        let to = legs.network.router_of(header.destination);
        if at == to {
            return Some(endpoints::ejection(&legs.network, header, self.plan.all()));
        }
        if legs.is_leaf(at) {
            return None;
        }
        let down = |leaf, class: usize, header| Hop {
            port: legs.down_port(leaf),
            vcs: self.vcs[class],
            header,
        };
        match header.phase {
            SOURCE => Some(down(to, 0, header)),
            LAST => Some(down(to, 1, header)),
            ARRIVED => {
                let leaf = RouterId(header.step.checked_sub(1)?);
                Some(down(
                    leaf,
                    0,
                    Header {
                        phase: SECOND,
                        step: 0,
                        ..header
                    },
                ))
            }
            phase => {
                let link = legs.links.get(header.via.checked_sub(1)?)?;
                let (class, next) = if phase == FIRST {
                    (0, ARRIVED)
                } else {
                    (1, LAST)
                };
                let header = Header {
                    phase: next,
                    via: 0,
                    ..header
                };
                Some(Hop {
                    port: link.port,
                    vcs: self.vcs[class],
                    header,
                })
            }
        }
    }

    /// A hop up from a leaf, which leaves the rest of the header as it should be at the spine.
    fn up(&self, spine: RouterId, class: usize, header: Header) -> Hop {
        Hop {
            port: self.detours.legs.up_port(spine),
            vcs: self.vcs[class],
            header,
        }
    }

    fn up_detour(&self, header: Header, (number, step): (u32, u32)) -> Option<Hop> {
        let link = self.detours.legs.links.get(number)?;
        Some(self.up(
            link.owner,
            0,
            Header {
                phase: FIRST,
                via: number + 1,
                step,
                ..header
            },
        ))
    }

    fn up_inside(&self, header: Header, spine: RouterId) -> Hop {
        let class = usize::from(header.phase != SOURCE);
        let phase = if class == 0 { SOURCE } else { LAST };
        self.up(spine, class, Header { phase, ..header })
    }

    fn up_second(&self, header: Header, (number, link): (u32, GroupLink)) -> Hop {
        self.up(
            link.owner,
            1,
            Header {
                phase: SECOND,
                via: number + 1,
                ..header
            },
        )
    }

    fn shortcut(&self, header: Header, (_, link): (u32, GroupLink)) -> Hop {
        Hop {
            port: link.port,
            vcs: self.vcs[1],
            header: Header {
                phase: LAST,
                ..header
            },
        }
    }

    fn turn(&self, header: Header, leaf: RouterId) -> Hop {
        let header = Header {
            phase: SECOND,
            ..header
        };
        Hop {
            port: self.detours.legs.down_port(leaf),
            vcs: self.vcs[0],
            header,
        }
    }

    /// Does this packet stay inside its group, all the way or from here on?
    fn stays(&self, at: RouterId, to: RouterId, header: Header) -> bool {
        let same = self.detours.legs.group(at) == self.detours.legs.group(to);
        same && (header.phase != SOURCE || !self.everywhere)
    }
}

impl Routing for ValiantMegafly {
    fn virtual_channels(&self) -> Vc {
        self.plan.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let legs = &self.detours.legs;
        if !endpoints::live(&legs.network, source, destination) {
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
            vcs: self.plan.all(),
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        if let Some(hop) = self.only_hop(at, header) {
            return options.push(hop);
        }
        let (legs, to) = (
            &self.detours.legs,
            self.detours.legs.network.router_of(header.destination),
        );
        if !legs.is_leaf(at) {
            if self.detours.shortcuts(at, to).next().is_some() {
                options.extend(
                    self.detours
                        .shortcuts(at, to)
                        .map(|link| self.shortcut(header, link)),
                );
            } else {
                options.extend(
                    self.detours
                        .turns(at, to)
                        .map(|leaf| self.turn(header, leaf)),
                );
            }
        } else if self.stays(at, to, header) {
            options.extend(
                legs.usable_spines(at, to)
                    .map(|spine| self.up_inside(header, spine)),
            );
        } else if header.phase == SOURCE {
            options.extend(
                self.detours
                    .all(at, to)
                    .filter_map(|detour| self.up_detour(header, detour)),
            );
        } else {
            options.extend(
                legs.usable_links(at, to)
                    .map(|link| self.up_second(header, link)),
            );
        }
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
        if let Some(hop) = self.only_hop(at, header) {
            return Some(hop);
        }
        let (legs, to) = (
            &self.detours.legs,
            self.detours.legs.network.router_of(header.destination),
        );
        if !legs.is_leaf(at) {
            return match draw::among(self.detours.shortcuts(at, to), rng) {
                Some(link) => Some(self.shortcut(header, link)),
                None => self
                    .detours
                    .draw_turn(at, to, rng)
                    .map(|leaf| self.turn(header, leaf)),
            };
        }
        if self.stays(at, to, header) {
            Some(self.up_inside(header, legs.draw_spine(at, to, rng)?))
        } else if header.phase == SOURCE {
            self.up_detour(header, self.detours.draw(at, to, rng)?)
        } else {
            Some(self.up_second(header, legs.draw_link(at, to, rng)?))
        }
    }
}
