//! Drawing the detours of a megafly: over which first link a packet may leave its group, and where in the next it may turn.

use crate::common::draw;
use crate::grouped::draw_group::{BLIND_DRAWS, draw_group};
use crate::grouped::links::GroupLink;
use crate::grouped::megafly_legs::MegaflyLegs;
use std::ops::Range;
use turnwise_network::RouterId;
use turnwise_network::random::Random;

/// Who says where a packet turns in the intermediate group, and thereby what `Header::step` means on the way there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turning {
    /// The source draws the leaf, `step - 1`.
    Leaf,
    /// The spine it arrives at draws a leaf, or takes a link to the destination group where it has one and
    /// `shortcut` allows it. `step` is 0.
    Arrival { shortcut: bool },
    /// The source draws the second link, `step - 1`; the spine it arrives at takes it, or draws a leaf to get to its owner.
    Links,
}

pub(crate) struct MegaflyDraws {
    pub(crate) legs: MegaflyLegs,
    pub(crate) turning: Turning,
}

impl MegaflyDraws {
    pub(crate) fn new(legs: MegaflyLegs, turning: Turning) -> Self {
        Self { legs, turning }
    }

    /// The links that take a packet from this spine straight into the destination group.
    pub(crate) fn own_links(
        &self,
        spine: RouterId,
        to: RouterId,
    ) -> impl Iterator<Item = (u32, GroupLink)> + Clone {
        let legs = &self.legs;
        let links = legs.links.owned_to(spine, legs.group(to));
        links.filter(move |&(_, link)| legs.goes_down(link.peer, to))
    }

    /// Those of them that a packet takes that has come to this spine on its detour.
    pub(crate) fn shortcuts(
        &self,
        spine: RouterId,
        to: RouterId,
    ) -> impl Iterator<Item = (u32, GroupLink)> + Clone {
        let allowed = self.turning == Turning::Arrival { shortcut: true };
        self.own_links(spine, to).filter(move |_| allowed)
    }

    /// The leaves where a packet that has come to this spine may turn.
    pub(crate) fn turns(
        &self,
        spine: RouterId,
        step: u32,
        to: RouterId,
    ) -> impl Iterator<Item = RouterId> + Clone {
        let legs = &self.legs;
        let leaves = legs.leaves(legs.group(spine)).map(RouterId);
        let second = step
            .checked_sub(1)
            .and_then(|number| legs.links.get(number));
        let leads_on = move |leaf| match second {
            Some(link) => legs.goes_up(leaf, link.owner),
            None => legs.connects(leaf, to),
        };
        leaves.filter(move |&leaf| legs.goes_down(spine, leaf) && leads_on(leaf))
    }

    pub(crate) fn draw_turn(
        &self,
        spine: RouterId,
        step: u32,
        to: RouterId,
        rng: &mut Random,
    ) -> Option<RouterId> {
        if self.legs.complete {
            return Some(RouterId(self.draw_leaf(self.legs.group(spine), rng)));
        }
        draw::among(self.turns(spine, step, to), rng)
    }

    fn draw_leaf(&self, group: u32, rng: &mut Random) -> u32 {
        let leaves = self.legs.leaves(group);
        leaves.start + draw::below(leaves.end - leaves.start, rng)
    }

    /// Every way that survives: its first link, and the step of the header.
    pub(crate) fn all(
        &self,
        at: RouterId,
        to: RouterId,
    ) -> impl Iterator<Item = (u32, u32)> + Clone {
        let legs = &self.legs;
        let links = legs.links.leaving(legs.group(at));
        let links = links.filter_map(|number| Some((number, legs.links.get(number)?)));
        let at_leaf = legs.is_leaf(at);
        let reached = move |link: GroupLink| match at_leaf {
            true => legs.goes_up(at, link.owner),
            false => link.owner == at,
        };
        let links = links
            .filter(move |&(_, link)| legs.group(link.peer) != legs.group(to) && reached(link));
        links.flat_map(move |(number, link)| {
            let group = legs.group(link.peer);
            let steps = match self.turning {
                Turning::Leaf => following(legs.leaves(group)),
                Turning::Arrival { .. } => 0..1,
                Turning::Links => following(legs.links.between(group, legs.group(to))),
            };
            let continues = move |&step: &u32| self.continues(link.peer, step, to);
            steps.filter(continues).map(move |step| (number, step))
        })
    }

    /// A random group, a random link to it, perhaps a random leaf in it or a random link from it.
    pub(crate) fn draw(&self, at: RouterId, to: RouterId, rng: &mut Random) -> Option<(u32, u32)> {
        let legs = &self.legs;
        let (here, there) = (legs.group(at), legs.group(to));
        for _ in 0..BLIND_DRAWS {
            let group = draw_group(legs.links.groups(), here, there, rng)?;
            let link = legs.links.draw_between(here, group, rng);
            let step = self.draw_step(group, there, rng);
            if let Some((number, link)) = link
                && let Some(step) = step
                && legs.goes_up(at, link.owner)
                && self.continues(link.peer, step, to)
            {
                return Some((number, step));
            }
        }
        draw::among(self.all(at, to), rng)
    }

    /// The step of a header that goes by this group.
    #[inline]
    pub(crate) fn draw_step(&self, group: u32, there: u32, rng: &mut Random) -> Option<u32> {
        match self.turning {
            Turning::Leaf => Some(self.draw_leaf(group, rng) + 1),
            Turning::Arrival { .. } => Some(0),
            Turning::Links => {
                let second = self.legs.links.draw_between(group, there, rng);
                second.map(|(number, _)| number + 1)
            }
        }
    }

    /// Does a way on from the intermediate group survive?
    pub(crate) fn continues(&self, spine: RouterId, step: u32, to: RouterId) -> bool {
        let legs = &self.legs;
        if legs.complete {
            return true;
        }
        match (self.turning, step.checked_sub(1)) {
            (Turning::Leaf, Some(leaf)) => {
                let leaf = RouterId(leaf);
                legs.goes_down(spine, leaf) && legs.connects(leaf, to)
            }
            (Turning::Links, Some(number)) => legs.links.get(number).is_some_and(|second| {
                let turns = || self.turns(spine, step, to).next().is_some();
                legs.goes_down(second.peer, to) && (second.owner == spine || turns())
            }),
            _ => {
                self.shortcuts(spine, to).next().is_some()
                    || self.turns(spine, 0, to).next().is_some()
            }
        }
    }
}

/// The numbers that a header has for these: 0 is none.
fn following(numbers: Range<u32>) -> Range<u32> {
    numbers.start + 1..numbers.end + 1
}
