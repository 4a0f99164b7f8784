//! Up, global, down to the intermediate leaf; from there up, global, down.

use super::{BLIND_DRAWS, draw_among, draw_group};
use crate::algorithms::minimal::MegaflyLegs;
use crate::group_links::GroupLink;
use crate::lanes::Lanes;
use std::ops::Range;
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::Megafly;
use turnwise_network::{
    Congestion, Header, Hop, Network, RouterId, Routing, Start, TerminalId, Vc, VcSet,
};

/// `Header::phase` of a packet at its source, before anything is drawn.
const SOURCE: u16 = 0;
/// On the way to the first global channel, number `via - 1`; then to leaf `step - 1`, if any.
const FIRST: u16 = 1;
/// At the spine of the intermediate group, on the way to leaf `step - 1`, if any.
const ARRIVED: u16 = 2;
/// On the way to the second global channel, number `via - 1`, or about to draw it.
const SECOND: u16 = 3;
/// At the destination group's spine.
const LAST: u16 = 4;

pub(super) struct ValiantMegafly {
    legs: MegaflyLegs,
    lanes: Lanes,
    /// Before and after the turning point.
    vcs: [VcSet; 2],
    half_radix: u32,
    by_leaf: bool,
    everywhere: bool,
    /// By spine (without the leaves) and group, the links between them; empty without shortcuts.
    shortcuts: Vec<Range<u32>>,
}

impl ValiantMegafly {
    pub(super) fn new(
        network: &Arc<Network>,
        shape: &Megafly,
        lanes: Lanes,
        by_leaf: bool,
        shortcut: bool,
        everywhere: bool,
    ) -> Self {
        let legs = MegaflyLegs::new(network, shape);
        let shortcuts = if shortcut { shortcuts(&legs, shape) } else { Vec::new() };
        let vcs = [lanes.class(0, 2), lanes.class(1, 2)];
        Self { legs, lanes, vcs, half_radix: shape.half_radix, by_leaf, everywhere, shortcuts }
    }

    /// The links that take a packet from this spine straight into the destination group.
    fn shortcuts(&self, spine: RouterId, to: RouterId) -> impl Iterator<Item = (u32, GroupLink)> + Clone {
        let groups = self.legs.links.groups();
        let row = spine.0.wrapping_sub(groups * self.half_radix) as usize * groups as usize;
        let links = self.shortcuts.get(row + self.legs.group(to) as usize).cloned();
        let links = links.unwrap_or_default().filter_map(|number| Some((number, self.legs.links.get(number)?)));
        links.filter(move |&(_, link)| self.legs.goes_down(link.peer, to))
    }

    /// The leaves where a packet that has come to this spine may turn.
    fn turns(&self, spine: RouterId, to: RouterId) -> impl Iterator<Item = RouterId> + Clone {
        let legs = &self.legs;
        let leaves = legs.leaves(legs.group(spine)).map(RouterId);
        leaves.filter(move |&leaf| legs.goes_down(spine, leaf) && legs.connects(leaf, to))
    }

    fn draw_turn(&self, spine: RouterId, to: RouterId, dice: &mut Random) -> Option<RouterId> {
        if self.legs.complete {
            let first = self.legs.leaves(self.legs.group(spine)).start;
            return Some(RouterId(first + dice.below(self.half_radix)));
        }
        draw_among(self.turns(spine, to), dice)
    }

    fn arrives(&self, spine: RouterId, to: RouterId) -> bool {
        self.legs.complete || self.shortcuts(spine, to).next().is_some() || self.turns(spine, to).next().is_some()
    }

    /// The first link, and the leaf if it is drawn by the source, of every way that survives.
    fn detours(&self, at: RouterId, to: RouterId) -> impl Iterator<Item = (u32, u32)> + Clone {
        let legs = &self.legs;
        let links = legs.links.leaving(legs.group(at)).filter_map(|number| Some((number, legs.links.get(number)?)));
        links.filter(move |(_, link)| legs.group(link.peer) != legs.group(to) && legs.goes_up(at, link.owner)).flat_map(
            move |(number, link)| {
                let leaves = if self.by_leaf { legs.leaves(legs.group(link.peer)) } else { 0..1 };
                let steps = leaves.map(|leaf| if self.by_leaf { leaf + 1 } else { 0 });
                steps.filter(move |&step| self.continues(link.peer, step, to)).map(move |step| (number, step))
            },
        )
    }

    /// Does a way on from the intermediate group survive?
    fn continues(&self, spine: RouterId, step: u32, to: RouterId) -> bool {
        match step.checked_sub(1).map(RouterId) {
            Some(leaf) => self.legs.goes_down(spine, leaf) && self.legs.connects(leaf, to),
            None => self.arrives(spine, to),
        }
    }

    fn draw_detour(&self, at: RouterId, to: RouterId, dice: &mut Random) -> Option<(u32, u32)> {
        let legs = &self.legs;
        for _ in 0..BLIND_DRAWS {
            let group = draw_group(legs.links.groups(), legs.group(at), legs.group(to), dice)?;
            let links = legs.links.between(legs.group(at), group);
            let number = links.start + dice.below(links.end - links.start);
            let leaf = legs.leaves(group).start + if self.by_leaf { dice.below(self.half_radix) } else { 0 };
            let step = if self.by_leaf { leaf + 1 } else { 0 };
            let link = legs.links.get(number).filter(|link| !links.is_empty() && legs.goes_up(at, link.owner));
            if link.is_some_and(|link| self.continues(link.peer, step, to)) {
                return Some((number, step));
            }
        }
        draw_among(self.detours(at, to), dice)
    }

    /// The only thing to do, if it is; `None` where something is to be drawn.
    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        let legs = &self.legs;
        let to = legs.network.router_of(header.destination);
        if at == to {
            let port = legs.network.terminal_port(header.destination);
            return Some(Hop { port, vcs: self.lanes.all(), header });
        }
        if legs.is_leaf(at) {
            return None;
        }
        let down = |leaf, class: usize, header| Hop { port: legs.down_port(leaf), vcs: self.vcs[class], header };
        match header.phase {
            SOURCE => Some(down(to, 0, header)),
            LAST => Some(down(to, 1, header)),
            ARRIVED => {
                let leaf = RouterId(header.step.checked_sub(1)?);
                Some(down(leaf, 0, Header { phase: SECOND, step: 0, ..header }))
            }
            phase => {
                let link = legs.links.get(header.via.checked_sub(1)?)?;
                let (class, next) = if phase == FIRST { (0, ARRIVED) } else { (1, LAST) };
                let header = Header { phase: next, via: 0, ..header };
                Some(Hop { port: link.port, vcs: self.vcs[class], header })
            }
        }
    }

    /// A hop up from a leaf, which leaves the rest of the header as it should be at the spine.
    fn up(&self, spine: RouterId, class: usize, header: Header) -> Hop {
        Hop { port: self.legs.up_port(spine), vcs: self.vcs[class], header }
    }

    fn up_detour(&self, header: Header, (number, step): (u32, u32)) -> Option<Hop> {
        let link = self.legs.links.get(number)?;
        Some(self.up(link.owner, 0, Header { phase: FIRST, via: number + 1, step, ..header }))
    }

    fn up_inside(&self, header: Header, spine: RouterId) -> Hop {
        let class = usize::from(header.phase != SOURCE);
        let phase = if class == 0 { SOURCE } else { LAST };
        self.up(spine, class, Header { phase, ..header })
    }

    fn up_second(&self, header: Header, (number, link): (u32, GroupLink)) -> Hop {
        self.up(link.owner, 1, Header { phase: SECOND, via: number + 1, ..header })
    }

    fn shortcut(&self, header: Header, (_, link): (u32, GroupLink)) -> Hop {
        Hop { port: link.port, vcs: self.vcs[1], header: Header { phase: LAST, ..header } }
    }

    fn turn(&self, header: Header, leaf: RouterId) -> Hop {
        let header = Header { phase: SECOND, ..header };
        Hop { port: self.legs.down_port(leaf), vcs: self.vcs[0], header }
    }

    /// Does this packet stay inside its group, all the way or from here on?
    fn stays(&self, at: RouterId, to: RouterId, header: Header) -> bool {
        let same = self.legs.group(at) == self.legs.group(to);
        same && (header.phase != SOURCE || !self.everywhere)
    }
}

fn shortcuts(legs: &MegaflyLegs, shape: &Megafly) -> Vec<Range<u32>> {
    let spines = (0..shape.groups).flat_map(|group| (0..shape.half_radix).map(move |index| (group, index)));
    let mut ranges = Vec::new();
    for (group, index) in spines {
        let spine = RouterId(shape.spine(group, index));
        for target in 0..shape.groups {
            // Links of a pair are sorted by owner, so those of one spine are neighbours.
            let between = legs.links.between(group, target);
            let owned = |&number: &u32| legs.links.get(number).is_some_and(|link| link.owner == spine);
            let first = between.clone().find(owned).unwrap_or(between.end);
            let count = between.filter(owned).count() as u32;
            ranges.push(first..first + count);
        }
    }
    ranges
}

impl Routing for ValiantMegafly {
    fn virtual_channels(&self) -> Vc {
        self.lanes.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let legs = &self.legs;
        if !legs.network.is_terminal_alive(source) || !legs.network.is_terminal_alive(destination) {
            return None;
        }
        let (at, to) = (legs.network.router_of(source), legs.network.router_of(destination));
        let minimal = at == to || !self.everywhere && legs.group(at) == legs.group(to);
        let phase = match minimal {
            true => legs.connects(at, to).then_some(SOURCE),
            false if self.detours(at, to).next().is_some() => Some(SOURCE),
            false => legs.connects(at, to).then_some(SECOND),
        }?;
        let header = Header { phase, ..Header::to(destination) };
        Some(Start { header, vcs: self.lanes.all() })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        if let Some(hop) = self.settled(at, header) {
            return options.push(hop);
        }
        let (legs, to) = (&self.legs, self.legs.network.router_of(header.destination));
        if !legs.is_leaf(at) {
            if self.shortcuts(at, to).next().is_some() {
                options.extend(self.shortcuts(at, to).map(|link| self.shortcut(header, link)));
            } else {
                options.extend(self.turns(at, to).map(|leaf| self.turn(header, leaf)));
            }
        } else if self.stays(at, to, header) {
            options.extend(legs.usable_spines(at, to).map(|spine| self.up_inside(header, spine)));
        } else if header.phase == SOURCE {
            options.extend(self.detours(at, to).filter_map(|detour| self.up_detour(header, detour)));
        } else {
            options.extend(legs.usable_links(at, to).map(|link| self.up_second(header, link)));
        }
    }

    fn choose(&self, at: RouterId, header: Header, _: &dyn Congestion, dice: &mut Random) -> Option<Hop> {
        if let Some(hop) = self.settled(at, header) {
            return Some(hop);
        }
        let (legs, to) = (&self.legs, self.legs.network.router_of(header.destination));
        if !legs.is_leaf(at) {
            return match draw_among(self.shortcuts(at, to), dice) {
                Some(link) => Some(self.shortcut(header, link)),
                None => self.draw_turn(at, to, dice).map(|leaf| self.turn(header, leaf)),
            };
        }
        if self.stays(at, to, header) {
            Some(self.up_inside(header, legs.draw_spine(at, to, dice)?))
        } else if header.phase == SOURCE {
            self.up_detour(header, self.draw_detour(at, to, dice)?)
        } else {
            Some(self.up_second(header, legs.draw_link(at, to, dice)?))
        }
    }
}
