//! Drawing the detours of a megafly: over which first link a packet may leave its group, and where in the next it may turn.

use crate::common::draw;
use crate::grouped::draw_group::{BLIND_DRAWS, draw_group};
use crate::grouped::links::GroupLink;
use crate::grouped::megafly_legs::MegaflyLegs;
use std::ops::Range;
use turnwise_network::RouterId;
use turnwise_network::random::Random;
use turnwise_network::shape::Megafly;

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
    /// The number of the first spine; before it come the leaves.
    first_spine: u32,
    /// By spine and group, the links between them; empty if nobody asks for them.
    of_spines: Vec<Range<u32>>,
}

impl MegaflyDraws {
    /// `spines_decide`: will anybody ask for the links of a spine?
    pub(crate) fn new(
        legs: MegaflyLegs,
        shape: &Megafly,
        turning: Turning,
        spines_decide: bool,
    ) -> Self {
        let shortcut = turning == Turning::Arrival { shortcut: true };
        let of_spines = match shortcut || spines_decide {
            true => links_of_spines(&legs, shape),
            false => Vec::new(),
        };
        Self {
            legs,
            turning,
            first_spine: shape.spine(0, 0),
            of_spines,
        }
    }

    /// The links that take a packet from this spine straight into the destination group.
    pub(crate) fn own_links(
        &self,
        spine: RouterId,
        to: RouterId,
    ) -> impl Iterator<Item = (u32, GroupLink)> + Clone {
        let legs = &self.legs;
        let row = spine.0.wrapping_sub(self.first_spine) as usize * legs.links.groups() as usize;
        let links = self.of_spines.get(row + legs.group(to) as usize).cloned();
        let links = links.unwrap_or_default();
        let links = links.filter_map(|number| Some((number, legs.links.get(number)?)));
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

/// By spine and group, the links between them: neighbours in the array of links, because
/// those of a pair of groups are sorted by owner.
fn links_of_spines(legs: &MegaflyLegs, shape: &Megafly) -> Vec<Range<u32>> {
    let mut ranges = Vec::new();
    for group in 0..shape.groups {
        for index in 0..shape.half_radix {
            let spine = RouterId(shape.spine(group, index));
            for target in 0..shape.groups {
                let between = legs.links.between(group, target);
                let owner = |&number: &u32| legs.links.get(number).map(|link| link.owner);
                let owned = |number: &u32| owner(number) == Some(spine);
                let first = between.clone().find(owned).unwrap_or(between.end);
                ranges.push(first..first + between.filter(owned).count() as u32);
            }
        }
    }
    ranges
}
