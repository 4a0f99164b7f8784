//! The links between groups, router by router of their owners.

use super::links::GroupLink;
use turnwise_network::RouterId;

/// The numbers of each router's links.
#[derive(Clone, Debug)]
pub(crate) struct Owners {
    numbers: Vec<u32>,
    /// Where each router's begin.
    first: Vec<u32>,
}

impl Owners {
    pub(crate) fn new(links: &[GroupLink], routers: usize) -> Self {
        let mut numbers: Vec<u32> = (0..links.len() as u32).collect();
        numbers.sort_by_key(|&number| links[number as usize].owner);
        let mut first = vec![0; routers + 1];
        for link in links {
            first[link.owner.index() + 1] += 1;
        }
        for router in 0..routers {
            first[router + 1] += first[router];
        }
        Self { numbers, first }
    }

    /// Those of one router, rising.
    #[inline]
    pub(crate) fn of(&self, router: RouterId) -> &[u32] {
        let bounds = &self.first[router.index()..];
        &self.numbers[bounds[0] as usize..bounds[1] as usize]
    }
}
