//! The links between groups, router by router of their owners.

use super::links::{GroupLink, GroupLinks};
use turnwise_network::RouterId;

/// The numbers of each router's links.
pub(crate) struct Owners {
    numbers: Vec<u32>,
    /// Where each router's begin.
    first: Vec<u32>,
}

impl Owners {
    pub(crate) fn new(links: &GroupLinks, routers: usize) -> Self {
        let mut by_owner: Vec<(RouterId, u32)> = (0..)
            .map_while(|number| Some((links.get(number)?.owner, number)))
            .collect();
        by_owner.sort_unstable();
        let mut first = vec![0; routers + 1];
        for (owner, _) in &by_owner {
            first[owner.index() + 1] += 1;
        }
        for router in 0..routers {
            first[router + 1] += first[router];
        }
        let numbers = by_owner.into_iter().map(|(_, number)| number).collect();
        Self { numbers, first }
    }

    /// Those of one router, rising.
    #[inline]
    pub(crate) fn of(&self, router: RouterId) -> &[u32] {
        let bounds = &self.first[router.index()..];
        &self.numbers[bounds[0] as usize..bounds[1] as usize]
    }

    /// With what they are.
    #[inline]
    pub(crate) fn numbered<'a>(
        &'a self,
        links: &'a GroupLinks,
        router: RouterId,
    ) -> impl Iterator<Item = (u32, GroupLink)> + Clone + 'a {
        let numbers = self.of(router).iter();
        numbers.filter_map(|&number| Some((number, links.get(number)?)))
    }
}
