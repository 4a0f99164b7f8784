//! Which routers belong to which group, and the links between groups in one flat array sorted
//! by pair of groups.

use super::owners::Owners;
use crate::common::draw;
use std::ops::Range;
use turnwise_network::random::Random;
use turnwise_network::{Network, Port, RouterId};

/// The number of no link: that of a way that stays inside its group, for instance.
pub(crate) const NO_LINK: u32 = u32::MAX;

/// A channel from one group to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupLink {
    /// The router that sends on it.
    pub(crate) owner: RouterId,
    /// The router that receives.
    pub(crate) peer: RouterId,
    /// The owner's port.
    pub(crate) port: Port,
}

/// All living links between groups; a number names one of them (`Header::via`).
#[derive(Clone, Debug)]
pub(crate) struct GroupLinks {
    groups: u32,
    /// Each router's group.
    group_of: Vec<u32>,
    links: Vec<GroupLink>,
    /// Where each pair's links begin; pairs are sorted by source group, then destination group.
    offsets: Vec<u32>,
    owners: Owners,
}

impl GroupLinks {
    /// Collects the links of a network with groups.
    pub(crate) fn new(network: &Network, groups: u32, group_of: impl Fn(RouterId) -> u32) -> Self {
        let group_of: Vec<u32> = network.routers().map(group_of).collect();
        let mut found = Vec::new();
        for owner in network.routers() {
            for neighbour in network.neighbours(owner) {
                let (from, to) = (group_of[owner.index()], group_of[neighbour.router.index()]);
                if from != to {
                    let link = GroupLink {
                        owner,
                        peer: neighbour.router,
                        port: neighbour.port,
                    };
                    found.push((pair(groups, from, to), link));
                }
            }
        }
        // Stable: parallel links keep the order of their owners and ports.
        found.sort_by_key(|&(pair, _)| pair);
        let mut offsets = vec![0; pair(groups, groups, 0) + 1];
        for &(pair, _) in &found {
            offsets[pair + 1] += 1;
        }
        for pair in 1..offsets.len() {
            offsets[pair] += offsets[pair - 1];
        }
        let links: Vec<GroupLink> = found.into_iter().map(|(_, link)| link).collect();
        Self {
            groups,
            owners: Owners::new(&links, group_of.len()),
            group_of,
            links,
            offsets,
        }
    }

    /// Number of groups.
    pub(crate) fn groups(&self) -> u32 {
        self.groups
    }

    /// The group of a router.
    #[inline]
    pub(crate) fn group(&self, router: RouterId) -> u32 {
        self.group_of[router.index()]
    }

    /// The link with this number, if there is one.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> Option<GroupLink> {
        self.links.get(number as usize).copied()
    }

    /// All links, by number.
    pub(crate) fn all(&self) -> impl Iterator<Item = GroupLink> + '_ {
        self.links.iter().copied()
    }

    /// Is there one link from every group to every other?
    pub(crate) fn are_one_each(&self) -> bool {
        let groups = 0..self.groups();
        let others = |from| groups.clone().filter(move |&to| to != from);
        let is_one = |from, to| self.between(from, to).len() == 1;
        groups
            .clone()
            .all(|from| others(from).all(|to| is_one(from, to)))
    }

    /// The numbers of the parallel links from one group to another.
    #[inline]
    pub(crate) fn between(&self, from: u32, to: u32) -> Range<u32> {
        let pair = pair(self.groups, from, to);
        self.offsets[pair]..self.offsets[pair + 1]
    }

    /// The first of these numbers.
    #[inline]
    pub(crate) fn first_between(&self, from: u32, to: u32) -> u32 {
        self.offsets[pair(self.groups, from, to)]
    }

    /// Those of these links that are usable, with their numbers.
    pub(crate) fn usable(
        &self,
        from: u32,
        to: u32,
        is_usable: impl Fn(GroupLink) -> bool + Clone,
    ) -> impl Iterator<Item = (u32, GroupLink)> + Clone {
        let links = self.known(self.between(from, to));
        links.filter(move |&(_, link)| is_usable(link))
    }

    /// One of these, each with the same probability.
    #[inline]
    pub(crate) fn draw_between(
        &self,
        from: u32,
        to: u32,
        rng: &mut Random,
    ) -> Option<(u32, GroupLink)> {
        let links = self.between(from, to);
        if links.is_empty() {
            return None;
        }
        let number = links.start + draw::below(links.end - links.start, rng);
        Some((number, self.get(number)?))
    }

    /// The numbers of all links that leave a group.
    #[inline]
    pub(crate) fn leaving(&self, from: u32) -> Range<u32> {
        self.offsets[pair(self.groups, from, 0)]..self.offsets[pair(self.groups, from + 1, 0)]
    }

    /// The links of a router, by rising number, which is by group.
    #[inline]
    pub(crate) fn owned(
        &self,
        router: RouterId,
    ) -> impl Iterator<Item = (u32, GroupLink)> + Clone + '_ {
        self.known(self.owners.of(router).iter().copied())
    }

    /// Those of them that lead to a group.
    #[inline]
    pub(crate) fn owned_to(
        &self,
        router: RouterId,
        group: u32,
    ) -> impl Iterator<Item = (u32, GroupLink)> + Clone + '_ {
        let links = self.known(self.between(self.group(router), group));
        links.filter(move |(_, link)| link.owner == router)
    }

    /// Has a router any links?
    #[inline]
    pub(crate) fn owns_any(&self, router: RouterId) -> bool {
        !self.owners.of(router).is_empty()
    }

    /// A random link of a router, if it has any.
    #[inline]
    pub(crate) fn draw_owned(
        &self,
        router: RouterId,
        rng: &mut Random,
    ) -> Option<(u32, GroupLink)> {
        let own = self.owners.of(router);
        let number = *own.get(draw::below(own.len() as u32, rng) as usize)?;
        Some((number, self.get(number)?))
    }

    #[inline]
    fn known(
        &self,
        numbers: impl Iterator<Item = u32> + Clone,
    ) -> impl Iterator<Item = (u32, GroupLink)> + Clone {
        numbers.filter_map(|number| Some((number, self.get(number)?)))
    }

    /// Does everything live: routers with so many neighbours in their own group, and a link for
    /// each ordered pair of different groups?
    pub(crate) fn are_complete(&self, network: &Network, inside: u32) -> bool {
        let is_whole = |router: RouterId| {
            let same_group = network
                .neighbours(router)
                .filter(|n| self.group(n.router) == self.group(router));
            network.is_alive(router) && same_group.count() as u32 == inside
        };
        self.connect_all() && network.routers().all(is_whole)
    }

    fn connect_all(&self) -> bool {
        let groups = 0..self.groups;
        let linked = |from, to| from == to || !self.between(from, to).is_empty();
        groups
            .clone()
            .all(|from| groups.clone().all(|to| linked(from, to)))
    }
}

#[inline]
fn pair(groups: u32, from: u32, to: u32) -> usize {
    from as usize * groups as usize + to as usize
}
