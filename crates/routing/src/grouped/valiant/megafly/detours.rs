//! Over which first link a packet may leave its group, and where in the next it may turn.

use crate::common::draw;
use crate::grouped::draw_group::{BLIND_DRAWS, draw_group};
use crate::grouped::links::GroupLink;
use crate::grouped::megafly_legs::MegaflyLegs;
use std::ops::Range;
use turnwise_network::RouterId;
use turnwise_network::random::Random;
use turnwise_network::shape::Megafly;

pub(super) struct Detours {
    pub(super) legs: MegaflyLegs,
    /// Does the source draw the leaf to turn at, or the spine the packet arrives at?
    by_leaf: bool,
    /// The number of the first spine; before it come the leaves.
    first_spine: u32,
    /// By spine and group, the links between them; empty without shortcuts.
    shortcuts: Vec<Range<u32>>,
}

impl Detours {
    pub(super) fn new(legs: MegaflyLegs, shape: &Megafly, by_leaf: bool, shortcut: bool) -> Self {
        let shortcuts = if shortcut {
            links_of_spines(&legs, shape)
        } else {
            Vec::new()
        };
        Self {
            legs,
            by_leaf,
            first_spine: shape.spine(0, 0),
            shortcuts,
        }
    }

    /// The links that take a packet from this spine straight into the destination group.
    pub(super) fn shortcuts(
        &self,
        spine: RouterId,
        to: RouterId,
    ) -> impl Iterator<Item = (u32, GroupLink)> + Clone {
        let legs = &self.legs;
        let row = spine.0.wrapping_sub(self.first_spine) as usize * legs.links.groups() as usize;
        let links = self.shortcuts.get(row + legs.group(to) as usize).cloned();
        let links = links.unwrap_or_default();
        let links = links.filter_map(|number| Some((number, legs.links.get(number)?)));
        links.filter(move |&(_, link)| legs.goes_down(link.peer, to))
    }

    /// The leaves where a packet that has come to this spine may turn.
    pub(super) fn turns(
        &self,
        spine: RouterId,
        to: RouterId,
    ) -> impl Iterator<Item = RouterId> + Clone {
        let legs = &self.legs;
        let leaves = legs.leaves(legs.group(spine)).map(RouterId);
        leaves.filter(move |&leaf| legs.goes_down(spine, leaf) && legs.connects(leaf, to))
    }

    pub(super) fn draw_turn(
        &self,
        spine: RouterId,
        to: RouterId,
        rng: &mut Random,
    ) -> Option<RouterId> {
        if self.legs.complete {
            return Some(RouterId(self.draw_leaf(self.legs.group(spine), rng)));
        }
        draw::among(self.turns(spine, to), rng)
    }

    fn draw_leaf(&self, group: u32, rng: &mut Random) -> u32 {
        let leaves = self.legs.leaves(group);
        leaves.start + draw::below(leaves.end - leaves.start, rng)
    }

    /// The first link of every way that survives, and the leaf to turn at plus 1 if the
    /// source draws it (0 if not).
    pub(super) fn all(
        &self,
        at: RouterId,
        to: RouterId,
    ) -> impl Iterator<Item = (u32, u32)> + Clone {
        let legs = &self.legs;
        let links = legs.links.leaving(legs.group(at));
        let links = links.filter_map(|number| Some((number, legs.links.get(number)?)));
        let links = links.filter(move |&(_, link)| {
            legs.group(link.peer) != legs.group(to) && legs.goes_up(at, link.owner)
        });
        links.flat_map(move |(number, link)| {
            let leaves = legs.leaves(legs.group(link.peer));
            let steps = if self.by_leaf {
                leaves.start + 1..leaves.end + 1
            } else {
                0..1
            };
            let continues = move |&step: &u32| self.continues(link.peer, step, to);
            steps.filter(continues).map(move |step| (number, step))
        })
    }

    /// A random group, a random link to it, perhaps a random leaf in it.
    pub(super) fn draw(&self, at: RouterId, to: RouterId, rng: &mut Random) -> Option<(u32, u32)> {
        let legs = &self.legs;
        let (here, there) = (legs.group(at), legs.group(to));
        for _ in 0..BLIND_DRAWS {
            let group = draw_group(legs.links.groups(), here, there, rng)?;
            let link = legs.links.draw_between(here, group, rng);
            let step = if self.by_leaf {
                self.draw_leaf(group, rng) + 1
            } else {
                0
            };
            if let Some((number, link)) = link
                && legs.goes_up(at, link.owner)
                && self.continues(link.peer, step, to)
            {
                return Some((number, step));
            }
        }
        draw::among(self.all(at, to), rng)
    }

    /// Does a way on from the intermediate group survive?
    fn continues(&self, spine: RouterId, step: u32, to: RouterId) -> bool {
        let legs = &self.legs;
        legs.complete
            || match step.checked_sub(1).map(RouterId) {
                Some(leaf) => legs.goes_down(spine, leaf) && legs.connects(leaf, to),
                None => {
                    self.shortcuts(spine, to).next().is_some()
                        || self.turns(spine, to).next().is_some()
                }
            }
    }
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
