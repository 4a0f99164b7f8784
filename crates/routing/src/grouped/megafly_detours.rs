//! Routes of a megafly that may make a detour: what Valiant's and adaptive routing share.
//!
//! Up, global, down to a leaf of the intermediate group; from there up, global, down. What a packet may do behind its source
//! depends on the phase (`Header::phase`), the drawn link (`via`) and the `step`, which [`Turning`] explains.
//!
//! **Classes.** 0 up to the turning point, 1 from there on: the channel up from the intermediate leaf, or the second global channel of a
//! packet that does not go down in between. So up, global and down channels of class 0 come before those of class 1, in this
//! order, whatever packets do: two virtual channels are free of deadlock. (Flajslik, Borch, Parker, ISC 2018.)

use crate::common::draw;
use crate::common::endpoints;
use crate::common::vc_plan::VcPlan;
use crate::grouped::links::GroupLink;
use crate::grouped::megafly_draws::{MegaflyDraws, Turning};
use crate::grouped::megafly_legs::MegaflyLegs;
use crate::grouped::phases::{AGAIN, ARRIVED, FIRST, LAST, MINIMAL, SECOND, SOURCE};
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::Megafly;
use turnwise_network::{Header, Hop, Network, RouterId, VcSet};

pub(crate) struct MegaflyDetours {
    pub(crate) draws: MegaflyDraws,
    all: VcSet,
    /// Before and after the turning point.
    vcs: [VcSet; 2],
}

impl MegaflyDetours {
    pub(crate) fn new(
        network: &Arc<Network>,
        shape: &Megafly,
        plan: VcPlan,
        turning: Turning,
    ) -> Self {
        let legs = MegaflyLegs::new(network, shape);
        Self {
            draws: MegaflyDraws::new(legs, turning),
            all: plan.all(),
            vcs: [plan.class(0, 2), plan.class(1, 2)],
        }
    }

    pub(crate) fn legs(&self) -> &MegaflyLegs {
        &self.draws.legs
    }

    /// The router of a packet's destination.
    #[inline]
    pub(crate) fn router_of(&self, header: Header) -> RouterId {
        self.legs().network.router_of(header.destination)
    }

    /// The hop of a packet that has no choice; `None` where something is to be drawn, or decided again.
    #[inline]
    pub(crate) fn only_hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        let legs = self.legs();
        let to = self.router_of(header);
        if at == to {
            return Some(endpoints::ejection(&legs.network, header, self.all));
        }
        if legs.is_leaf(at) {
            // Where the source has drawn the second link, the leaf knows which spine has it.
            let second = legs.links.get(header.via.checked_sub(1)?)?;
            return Some(self.up(second.owner, 1, header));
        }
        match header.phase {
            SOURCE => Some(self.down(to, 0, header)),
            LAST => Some(self.down(to, 1, header)),
            ARRIVED => self.only_turn(at, header),
            AGAIN => None,
            phase => {
                let link = legs.links.get(header.via.checked_sub(1)?)?;
                Some(match phase {
                    FIRST => self.first(header, link),
                    MINIMAL => self.minimal(header, link),
                    _ => self.second(header, link),
                })
            }
        }
    }

    /// Where the source has said how the packet goes on from the spine it arrives at.
    fn only_turn(&self, at: RouterId, header: Header) -> Option<Hop> {
        let step = header.step.checked_sub(1)?;
        match self.draws.turning {
            Turning::Links => {
                let second = self.legs().links.get(step)?;
                (second.owner == at).then(|| self.second(header, second))
            }
            _ => {
                let header = Header {
                    phase: SECOND,
                    step: 0,
                    ..header
                };
                Some(self.down(RouterId(step), 0, header))
            }
        }
    }

    fn across(&self, link: GroupLink, class: usize, phase: u8, header: Header) -> Hop {
        let header = Header {
            phase,
            via: 0,
            ..header
        };
        Hop {
            port: link.port,
            vcs: self.vcs[class],
            header,
        }
    }

    /// The first global channel of a detour.
    pub(crate) fn first(&self, header: Header, link: GroupLink) -> Hop {
        self.across(link, 0, ARRIVED, header)
    }

    /// The global channel of a minimal way.
    pub(crate) fn minimal(&self, header: Header, link: GroupLink) -> Hop {
        self.across(link, 0, SOURCE, header)
    }

    /// The second global channel of a detour.
    fn second(&self, header: Header, link: GroupLink) -> Hop {
        self.across(link, 1, LAST, Header { step: 0, ..header })
    }

    fn down(&self, leaf: RouterId, class: usize, header: Header) -> Hop {
        Hop {
            port: self.legs().down_port(leaf),
            vcs: self.vcs[class],
            header,
        }
    }

    /// A hop up from a leaf, which leaves the rest of the header as it should be at the spine.
    pub(crate) fn up(&self, spine: RouterId, class: usize, header: Header) -> Hop {
        Hop {
            port: self.legs().up_port(spine),
            vcs: self.vcs[class],
            header,
        }
    }

    /// Up to the first link of a detour.
    pub(crate) fn up_detour(&self, header: Header, (number, step): (u32, u32)) -> Option<Hop> {
        let link = self.legs().links.get(number)?;
        let header = Header {
            phase: FIRST,
            via: number + 1,
            step,
            ..header
        };
        Some(self.up(link.owner, 0, header))
    }

    /// Up, and down again in the same group.
    pub(crate) fn up_inside(&self, header: Header, spine: RouterId) -> Hop {
        let class = usize::from(header.phase != SOURCE);
        let phase = if class == 0 { SOURCE } else { LAST };
        self.up(spine, class, Header { phase, ..header })
    }

    fn up_second(&self, header: Header, (number, link): (u32, GroupLink)) -> Hop {
        let header = Header {
            phase: SECOND,
            via: number + 1,
            ..header
        };
        self.up(link.owner, 1, header)
    }

    fn turn(&self, header: Header, leaf: RouterId) -> Hop {
        let header = Header {
            phase: SECOND,
            via: header.step,
            step: 0,
            ..header
        };
        self.down(leaf, 0, header)
    }

    /// Everything a packet may do in its intermediate group, or at a leaf from where it goes minimally on.
    pub(crate) fn each_onward(&self, at: RouterId, header: Header, mut each: impl FnMut(Hop)) {
        let (legs, to) = (self.legs(), self.router_of(header));
        if legs.is_leaf(at) {
            if legs.group(at) == legs.group(to) {
                let spines = legs.usable_spines(at, to);
                spines.for_each(|spine| each(self.up_inside(header, spine)));
            } else {
                let links = legs.usable_links(at, to);
                links.for_each(|link| each(self.up_second(header, link)));
            }
            return;
        }
        let mut shortcuts = self.draws.shortcuts(at, to).peekable();
        if shortcuts.peek().is_some() {
            return shortcuts.for_each(|(_, link)| each(self.second(header, link)));
        }
        let turns = self.draws.turns(at, header.step, to);
        turns.for_each(|leaf| each(self.turn(header, leaf)));
    }

    /// One of these.
    pub(crate) fn draw_onward(
        &self,
        at: RouterId,
        header: Header,
        rng: &mut Random,
    ) -> Option<Hop> {
        let (legs, to) = (self.legs(), self.router_of(header));
        if legs.is_leaf(at) {
            return match legs.group(at) == legs.group(to) {
                true => Some(self.up_inside(header, legs.draw_spine(at, to, rng)?)),
                false => Some(self.up_second(header, legs.draw_link(at, to, rng)?)),
            };
        }
        if let Some((_, link)) = draw::among(self.draws.shortcuts(at, to), rng) {
            return Some(self.second(header, link));
        }
        let leaf = self.draws.draw_turn(at, header.step, to, rng)?;
        Some(self.turn(header, leaf))
    }
}
