//! How far a packet is, and what it may do there.
//!
//! `Header::via` is where in a group a packet goes round to, plus 1; until it is there it does nothing else.

use super::GlobalDetours;
use crate::common::draw;
use crate::common::endpoints;
use crate::common::vc_plan::VcPlan;
use crate::grouped::dragonfly_legs::{DragonflyLegs, Target};
use crate::grouped::links::GroupLink;
use std::array::from_fn;
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::Dragonfly;
use turnwise_network::{Header, Hop, Network, RouterId, Start, TerminalId, VcSet};

/// What `Header::phase` says. At its source's router.
const SOURCE: u8 = 0;
/// In the source's group, at the owner of a minimal global channel.
const SECOND: u8 = 1;
/// In the source's group, at a router that has to send it to a third group.
const LEAVING: u8 = 2;
/// At the first router of an intermediate group.
const INTERMEDIATE: u8 = 3;
/// There, after a local hop: minimally on.
const ONWARD: u8 = 4;
/// At the first router of the destination's group, behind one global channel, and behind two.
const LAST: u8 = 5;
const LATE: u8 = 6;
/// There, or in the only group, after a local detour.
const ASTRAY: u8 = 7;
const LATE_ASTRAY: u8 = 8;
/// A power of two, and more than there are.
const PHASES: usize = 16;

/// All states on a network.
pub(super) struct States {
    legs: DragonflyLegs,
    pub(super) plan: VcPlan,
    local: [VcSet; 3],
    global: [VcSet; 2],
    /// By phase: what a minimal hop inside the group leads to, and one to the destination's group.
    minimal_local: [Next; PHASES],
    minimal_global: [Next; PHASES],
    global_detours: GlobalDetours,
    local_detours: bool,
}

/// What a minimal hop leads to: the virtual channels it takes, how many they are, and the phase behind it.
#[derive(Clone, Copy)]
struct Next {
    vcs: VcSet,
    count: f64,
    phase: u8,
}

impl Next {
    fn new(classes: &[VcSet], (class, phase): (usize, u8)) -> Self {
        let vcs = classes[class];
        let count = vcs.0.count_ones().into();
        Self { vcs, count, phase }
    }
}

/// Whose global channels may take a packet to a third group.
#[derive(Clone, Copy, Default)]
struct Whose {
    own: bool,
    peers: bool,
}

impl States {
    pub(super) fn new(
        network: &Arc<Network>,
        shape: &Dragonfly,
        plan: VcPlan,
        (global_detours, local_detours): (GlobalDetours, bool),
    ) -> Self {
        let local = [0, 1, 2].map(|class| plan.class(class, 3));
        let global = [0, 1].map(|class| plan.class(class, 2));
        Self {
            legs: DragonflyLegs::going_round(network, shape),
            plan,
            minimal_local: from_fn(|phase| Next::new(&local, behind_local(phase as u8))),
            minimal_global: from_fn(|phase| Next::new(&global, behind_global(phase as u8, true))),
            local,
            global,
            global_detours,
            local_detours,
        }
    }

    /// What they follow from beside the network.
    pub(super) fn relation(&self) -> String {
        let (plan, detours, local) = (self.plan, self.global_detours, self.local_detours);
        format!("in transit, {plan:?}, detours by {detours:?}, local ones {local}")
    }

    /// How a packet sets out; `None` if nothing leads to its destination.
    pub(super) fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let legs = &self.legs;
        if !endpoints::live(&legs.network, source, destination) {
            return None;
        }
        let (at, header) = (legs.target(source).router, Header::to(destination));
        let arrived = at == legs.target(destination).router;
        let leads_on = || self.escapes(at, header).next().is_some();
        let vcs = self.plan.all();
        (legs.complete || arrived || leads_on()).then_some(Start { header, vcs })
    }

    /// The hop out of the network at the destination's router.
    #[inline]
    pub(super) fn ejection(&self, at: RouterId, header: Header) -> Option<Hop> {
        let to = self.legs.target(header.destination);
        let (port, vcs) = (to.port, self.plan.all());
        (at == to.router).then_some(Hop { port, vcs, header })
    }

    /// The next hop of a packet that goes round.
    #[inline]
    pub(super) fn round(&self, at: RouterId, header: Header) -> Option<Hop> {
        let to = RouterId(header.via.checked_sub(1)?);
        Some(self.minimal_local(at, to, header))
    }

    /// The hop, where it is seen at once that there is only one.
    #[inline]
    pub(super) fn only_hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        let to = self.legs.target(header.destination);
        if at == to.router {
            return self.ejection(at, header);
        }
        if header.via != 0 {
            return self.round(at, header);
        }
        if self.legs.group(at) == to.group {
            let strays = self.local_detours && matches!(header.phase, SOURCE | LAST | LATE);
            let direct = !strays && self.legs.reaches(at, to.router);
            return direct.then(|| self.minimal_local(at, to.router, header));
        }
        match header.phase {
            INTERMEDIATE | ONWARD => {
                let way = self.legs.way(at, to.group)?;
                let strays =
                    self.local_detours && header.phase == INTERMEDIATE && way.global() == 0;
                match strays {
                    true => None,
                    false => Some(self.known(at, to, header)?.0),
                }
            }
            _ => None,
        }
    }

    /// Every hop there is.
    pub(super) fn all(&self, at: RouterId, header: Header) -> impl Iterator<Item = Hop> + Clone {
        let only = self.only_hop(at, header);
        let several = only.is_none().then(|| {
            let leaving = self.leaving(at, header);
            let minimal = self.minimal(at, header);
            minimal.chain(leaving).chain(self.others(at, header))
        });
        only.into_iter().chain(several.into_iter().flatten())
    }

    /// Those by which a packet gets to its destination in classes that only rise.
    pub(super) fn escapes(
        &self,
        at: RouterId,
        header: Header,
    ) -> impl Iterator<Item = Hop> + Clone {
        let minimal = self.minimal(at, header);
        let none = header.phase == SOURCE && minimal.clone().next().is_none();
        let others = none.then(|| self.others(at, header));
        let leaving = self.leaving(at, header);
        minimal.chain(leaving).chain(others.into_iter().flatten())
    }

    /// A random one of them.
    pub(super) fn draw_escape(
        &self,
        at: RouterId,
        header: Header,
        rng: &mut Random,
    ) -> Option<Hop> {
        let to = self.legs.target(header.destination);
        if header.phase != LEAVING || self.legs.group(at) == to.group {
            return draw::among(self.escapes(at, header), rng);
        }
        // There are none but its own global channels. Who is not at the owner of the only link has none to the destination's group.
        if self
            .legs
            .way(at, to.group)
            .is_some_and(|way| way.global() == 0)
        {
            let (_, link) = self.legs.links.draw_owned(at, rng)?;
            return Some(self.over(link, header));
        }
        let own = self.legs.links.owned(at).map(|(_, link)| link);
        let own = own.filter(|&link| self.leads_on(link, to));
        let link = draw::among(own, rng)?;
        Some(self.over(link, header))
    }

    /// A random minimal hop.
    #[inline]
    pub(super) fn draw_minimal(
        &self,
        at: RouterId,
        header: Header,
        rng: &mut Random,
    ) -> Option<Hop> {
        if header.phase == LEAVING {
            return None;
        }
        let to = self.legs.target(header.destination);
        if self.legs.group(at) == to.group {
            // There is one such hop, if any.
            let direct = at != to.router && self.legs.reaches(at, to.router);
            return direct.then(|| self.minimal_local(at, to.router, header));
        }
        let known = self.known(at, to, header).map(|(hop, _)| hop);
        known.or_else(|| draw::among(self.minimal(at, header), rng))
    }

    /// A random hop off the minimal way; `None` if what is drawn does not lead on.
    #[inline]
    pub(super) fn draw_other(&self, at: RouterId, header: Header, rng: &mut Random) -> Option<Hop> {
        let to = self.legs.target(header.destination);
        if self.legs.group(at) != to.group && matches!(header.phase, SOURCE | SECOND) {
            let whose = self.whose(header);
            let peers = self.legs.routers_of(to.group).len() as u32 - 1;
            let by_peer = whose.peers && (!whose.own || draw::below(peers + 1, rng) < peers);
            if !by_peer {
                let (_, link) = self.legs.links.draw_owned(at, rng)?;
                return self.leads_on(link, to).then(|| self.over(link, header));
            }
        }
        let peer = self.draw_peer(at, rng)?;
        self.by_peer(at, peer, to, header)
    }

    /// Another router of the group, if a packet can reach it.
    #[inline]
    fn draw_peer(&self, at: RouterId, rng: &mut Random) -> Option<RouterId> {
        let group = self.legs.routers_of(self.legs.group(at));
        let drawn = group.start + draw::below(group.len() as u32 - 1, rng);
        let peer = RouterId(drawn + u32::from(drawn >= at.0));
        (group.contains(&peer.0) && self.legs.adjacent(at, peer)).then_some(peer)
    }

    /// The minimal hop to another group, if it is in the table, and how many virtual channels it takes.
    #[inline(always)]
    fn known(&self, at: RouterId, to: Target, header: Header) -> Option<(Hop, f64)> {
        let way = self.legs.way(at, to.group)?;
        let next = match way.global() {
            1 => &self.minimal_global,
            _ => &self.minimal_local,
        };
        let Next { vcs, count, phase } = next[usize::from(header.phase) % PHASES];
        let hop = Hop {
            port: way.port(),
            vcs,
            header: Header { phase, ..header },
        };
        Some((hop, count))
    }

    /// The minimal hop of a packet that does not go out and has other ones, where it is seen at once, and how many virtual
    /// channels it takes.
    #[inline(always)]
    pub(super) fn only_minimal(&self, at: RouterId, header: Header) -> Option<(Hop, f64)> {
        let to = self.legs.target(header.destination);
        if at == to.router || header.via != 0 || header.phase == LEAVING {
            return None;
        }
        if self.legs.group(at) != to.group {
            return self.known(at, to, header);
        }
        let next = self.minimal_local[usize::from(header.phase) % PHASES];
        let direct = || (self.minimal_local(at, to.router, header), next.count);
        self.legs.reaches(at, to.router).then(direct)
    }

    /// Every minimal hop: over its own global channels, or else to those who have some.
    fn minimal(&self, at: RouterId, header: Header) -> impl Iterator<Item = Hop> + Clone {
        let to = self.legs.target(header.destination);
        let inside = self.legs.group(at) == to.group;
        let round = self.round(at, header);
        let chooses = round.is_none();
        let direct = chooses && inside && at != to.router && self.legs.reaches(at, to.router);
        let direct = direct.then(|| self.minimal_local(at, to.router, header));
        let goes_on = chooses && !inside && header.phase != LEAVING;
        let own = goes_on.then(|| self.legs.own_links(at, to.router));
        let own = own.into_iter().flatten();
        let owns = own.clone().next().is_some();
        let theirs = (goes_on && !owns).then(|| self.legs.usable_links(at, to.router));
        let theirs = theirs.into_iter().flatten();
        round
            .into_iter()
            .chain(direct)
            .chain(own.map(move |(_, link)| self.over(link, header)))
            .chain(theirs.map(move |(_, link)| self.minimal_local(at, link.owner, header)))
    }

    /// Over any of its own global channels to third groups, if it has to leave by one.
    fn leaving(&self, at: RouterId, header: Header) -> impl Iterator<Item = Hop> + Clone {
        let must = header.phase == LEAVING && header.via == 0;
        let over = must.then(|| self.over_own(at, header));
        over.into_iter().flatten()
    }

    /// Every hop off the minimal way.
    fn others(&self, at: RouterId, header: Header) -> impl Iterator<Item = Hop> + Clone {
        let to = self.legs.target(header.destination);
        let outside = self.legs.group(at) != to.group;
        let mut whose = match outside {
            true => self.whose(header),
            false => Whose::default(),
        };
        let lost = outside && header.phase == SOURCE && self.minimal(at, header).next().is_none();
        if lost {
            whose = Whose {
                own: true,
                peers: true,
            };
        }
        let over = whose.own.then(|| self.over_own(at, header));
        let by_peers = whose.peers || !(outside && header.phase <= LEAVING);
        let near = (by_peers && !lost).then(|| self.legs.peers(at));
        // Who has no minimal way goes round to others as well.
        let all = (by_peers && lost).then(|| self.legs.reached(at));
        let peers = near.into_iter().flatten().chain(all.into_iter().flatten());
        let by_peers = peers.filter_map(move |peer| self.by_peer(at, peer, to, header));
        over.into_iter().flatten().chain(by_peers)
    }

    /// Over a router's global channels to third groups from where a minimal way leads on.
    fn over_own(&self, at: RouterId, header: Header) -> impl Iterator<Item = Hop> + Clone {
        let to = self.legs.target(header.destination);
        let own = self.legs.links.owned(at).map(|(_, link)| link);
        let leads_on = own.filter(move |&link| self.leads_on(link, to));
        leads_on.map(move |link| self.over(link, header))
    }

    /// Who may send a packet to a third group, by the rule of the healthy network.
    #[inline]
    fn whose(&self, header: Header) -> Whose {
        let (own, peers) = match (self.global_detours, header.phase) {
            (_, LEAVING..) => (false, false),
            (GlobalDetours::CurrentRouter, _) | (GlobalDetours::Mixed, SOURCE) => (true, false),
            (GlobalDetours::NeighbourRouter, _) | (GlobalDetours::Mixed, _) => (false, true),
            (GlobalDetours::RandomRouter, _) => (true, true),
        };
        Whose { own, peers }
    }

    /// Off the minimal way by a peer; `None` if that is none, or if nothing leads on from there.
    #[inline]
    fn by_peer(&self, at: RouterId, peer: RouterId, to: Target, header: Header) -> Option<Hop> {
        let legs = &self.legs;
        let outside = legs.group(at) != to.group;
        let (class, phase, leads_on) = match header.phase {
            SOURCE | SECOND if outside => {
                let leaves = || match legs.complete {
                    // None of its links leads to the destination's group.
                    true => legs.links.owns_any(peer),
                    false => self.leaves(peer, to),
                };
                let leads_on = !legs.owns_minimal(peer, to.router) && leaves();
                (0, LEAVING, leads_on)
            }
            INTERMEDIATE if outside && self.local_detours => {
                let strays = |router| !legs.owns_minimal(router, to.router);
                let leads_on = strays(at) && strays(peer) && legs.connects(peer, to.router);
                (0, ONWARD, leads_on)
            }
            SOURCE | LAST | LATE if !outside && at != to.router && self.local_detours => {
                let (class, phase) = match header.phase {
                    LATE => (1, LATE_ASTRAY),
                    _ => (0, ASTRAY),
                };
                let leads_on = |from| legs.adjacent(from, to.router);
                // Who could not go directly would have no escape.
                let leads_on = peer != to.router && leads_on(peer) && leads_on(at);
                (class, phase, leads_on)
            }
            _ => return None,
        };
        let vcs = self.local[class];
        leads_on.then(|| self.local(at, peer, vcs, Header { phase, ..header }))
    }

    /// Does a global channel lead to a third group from where a minimal way leads on?
    #[inline]
    fn leads_on(&self, link: GroupLink, to: Target) -> bool {
        let legs = &self.legs;
        legs.group(link.peer) != to.group && legs.connects(link.peer, to.router)
    }

    /// Does any global channel of a router?
    #[cold]
    #[inline(never)]
    fn leaves(&self, router: RouterId, to: Target) -> bool {
        let mut own = self.legs.links.owned(router);
        own.any(|(_, link)| self.leads_on(link, to))
    }

    #[inline]
    fn minimal_local(&self, at: RouterId, to: RouterId, header: Header) -> Hop {
        let next = self.minimal_local[usize::from(header.phase) % PHASES];
        let phase = next.phase;
        self.local(at, to, next.vcs, Header { phase, ..header })
    }

    #[inline]
    fn local(&self, at: RouterId, to: RouterId, vcs: VcSet, header: Header) -> Hop {
        let via = match self.legs.goes_round(at, to) {
            true => to.0 + 1,
            false => 0,
        };
        Hop {
            port: self.legs.port(at, to),
            vcs,
            header: Header { via, ..header },
        }
    }

    fn over(&self, link: GroupLink, header: Header) -> Hop {
        let to = self.legs.target(header.destination);
        let arrives = self.legs.group(link.peer) == to.group;
        let (class, phase) = behind_global(header.phase, arrives);
        Hop {
            port: link.port,
            vcs: self.global[class],
            header: Header { phase, ..header },
        }
    }
}

/// The class of a minimal local hop, and the phase behind it.
fn behind_local(phase: u8) -> (usize, u8) {
    match phase {
        SOURCE | SECOND => (0, SECOND),
        LEAVING => (0, LEAVING),
        INTERMEDIATE | ONWARD => (1, ONWARD),
        LAST | ASTRAY => (1, phase),
        phase => (2, phase),
    }
}

/// The class of a global hop, and the phase behind it.
#[inline]
fn behind_global(phase: u8, arrives: bool) -> (usize, u8) {
    match phase {
        SOURCE | SECOND | LEAVING if arrives => (0, LAST),
        SOURCE | SECOND | LEAVING => (0, INTERMEDIATE),
        _ => (1, LATE),
    }
}
