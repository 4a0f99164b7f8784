//! The routers that routes begin and end at: those with terminals.

use crate::ids::RouterId;
use crate::network::Network;

const NONE: u32 = u32::MAX;

/// The routers with living terminals, numbered without gaps.
#[derive(Clone, Debug)]
pub struct PopulatedRouters {
    /// By number, ascending.
    pub routers: Vec<RouterId>,
    /// By router.
    numbers: Vec<u32>,
}

impl PopulatedRouters {
    /// Those of a network. O(routers + terminals).
    pub fn new(network: &Network) -> Self {
        let is_end = |router: &RouterId| network.living_terminals_of(*router).next().is_some();
        let routers: Vec<RouterId> = network.routers().filter(is_end).collect();
        let mut numbers = vec![NONE; network.router_count()];
        for (number, router) in (0..).zip(&routers) {
            numbers[router.index()] = number;
        }
        Self { routers, numbers }
    }

    /// The number of a router, if it is one of them.
    #[inline]
    pub fn number(&self, router: RouterId) -> Option<usize> {
        let number = self.numbers[router.index()];
        (number != NONE).then_some(number as usize)
    }

    /// How many pairs of them there are.
    pub fn pairs(&self) -> usize {
        self.routers.len().pow(2)
    }

    /// The number of a pair of them; some pair's number if one of the two is not.
    #[inline]
    pub fn pair(&self, from: RouterId, to: RouterId) -> usize {
        let [from, to] = [from, to].map(|router| self.number(router).unwrap_or(0));
        from * self.routers.len() + to
    }
}
