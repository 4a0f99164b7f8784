//! Where packets begin and end, and by which routers they go in between.

use crate::endpoints::{Destination, destinations};
use std::collections::BTreeMap;
use turnwise_network::random::mix;
use turnwise_network::{Network, RouterId, Routing, TwoPhases};

/// All routers with terminals; by their places in this order everything else is told apart.
pub(super) struct Ends {
    pub(super) all: Vec<Destination>,
    pub(super) routers: Vec<RouterId>,
    /// By router; one without terminals has none.
    places: Vec<usize>,
    /// Kinds, numbered from 0.
    kinds: Vec<usize>,
    /// By kind: who is of it, and how many terminals they have.
    members: Vec<Vec<usize>>,
    of_kind: Vec<u64>,
    terminals: u64,
    excludes: [bool; 2],
    /// The places of intermediate routers, in their order.
    pub(super) intermediates: Vec<usize>,
}

impl Ends {
    /// `None` if not all of them, and no other routers, are intermediate ones, if they are all of one kind, if it matters for how many a packet
    /// may go by where its ends are, or if it may go by none.
    pub(super) fn new(
        network: &Network,
        routing: &dyn Routing,
        phases: &dyn TwoPhases,
    ) -> Option<Self> {
        let all = destinations(network, routing);
        let router = |end: &Destination| network.router_of(end.terminal);
        let routers: Vec<RouterId> = all.iter().map(router).collect();
        let mut places = vec![usize::MAX; network.router_count()];
        let mut numbers = BTreeMap::new();
        let (mut kinds, mut members, mut of_kind) = (Vec::new(), Vec::new(), Vec::new());
        for (place, (end, &router)) in all.iter().zip(&routers).enumerate() {
            places[router.index()] = place;
            let fresh = members.len();
            let kind = *numbers.entry(phases.kind(router)).or_insert(fresh);
            if kind == fresh {
                members.push(Vec::new());
                of_kind.push(0);
            }
            kinds.push(kind);
            members[kind].push(place);
            of_kind[kind] += end.terminals;
        }
        let excludes = phases.excludes();
        let by = phases.intermediates();
        let place =
            |router: &RouterId| Some(*places.get(router.index())?).filter(|&at| at < all.len());
        let intermediates: Vec<usize> = by.iter().map(place).collect::<Option<_>>()?;
        let mut sorted = intermediates.clone();
        sorted.sort_unstable();
        let is_each = sorted.into_iter().eq(0..all.len());
        let size = members.first()?.len();
        let are_alike = members.iter().all(|of| of.len() == size);
        let are_known = are_alike && (excludes[0] || size == 1);
        let ends = Self {
            terminals: of_kind.iter().sum(),
            all,
            routers,
            places,
            kinds,
            members,
            of_kind,
            excludes,
            intermediates,
        };
        (is_each && are_known && ends.members.len() > 1 && ends.ways() > 0).then_some(ends)
    }

    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    pub(super) fn place(&self, router: RouterId) -> usize {
        self.places[router.index()]
    }

    pub(super) fn kind(&self, place: usize) -> usize {
        self.kinds[place]
    }

    pub(super) fn are_alike(&self, one: usize, other: usize) -> bool {
        self.kinds[one] == self.kinds[other]
    }

    /// Who is of the same kind, itself among them.
    pub(super) fn like(&self, place: usize) -> &[usize] {
        &self.members[self.kinds[place]]
    }

    /// Ordered pairs of different terminals.
    pub(super) fn pairs(&self) -> u64 {
        self.terminals * (self.terminals - 1)
    }

    /// May a packet from one end to another of another kind go by this router?
    pub(super) fn goes_by(&self, from: usize, by: usize, to: usize) -> bool {
        let excluded = [from, to].map(|end| self.are_alike(end, by));
        !(excluded[0] && self.excludes[0] || excluded[1] && self.excludes[1])
    }

    /// May its router itself be what a packet goes by first? Then it has no first phase.
    pub(super) fn begins_at_source(&self) -> bool {
        !self.excludes[0]
    }

    /// By how many routers a packet may go.
    pub(super) fn ways(&self) -> u64 {
        let excluded = self.excludes.iter().filter(|&&excluded| excluded).count();
        (self.count() - excluded * self.members[0].len()) as u64
    }

    /// Terminals that packets go to which come from one router and go by another one of another kind.
    pub(super) fn destinations(&self, from: usize, by: usize) -> u64 {
        let own = match self.are_alike(from, by) {
            true => return 0,
            false => self.of_kind[self.kinds[from]],
        };
        let excluded = match self.excludes[1] {
            true => self.of_kind[self.kinds[by]],
            false => 0,
        };
        self.terminals - own - excluded
    }

    /// Terminals that packets come from which go by one router to another one.
    pub(super) fn senders(&self, by: usize, to: usize) -> u64 {
        let are_alike = self.are_alike(by, to);
        let excluded = match self.excludes {
            [_, true] if are_alike => return 0,
            [true, _] if !are_alike => self.of_kind[self.kinds[by]],
            _ => 0,
        };
        self.terminals - self.of_kind[self.kinds[to]] - excluded
    }

    /// Another end of another kind, the same whenever one looks.
    pub(super) fn another(&self, place: usize) -> usize {
        let step = mix(place as u64) as usize % self.count();
        let others = (0..self.count()).map(|more| (place + step + more) % self.count());
        let mut others = others.filter(|&other| !self.are_alike(place, other));
        others.next().unwrap_or(place)
    }
}
