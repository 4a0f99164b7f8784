//! The living part of a network, as the search for balanced trees wants it: flat, and without dead ends.

use turnwise_network::{ChannelClass, Network, Port};

/// No arc.
pub(crate) const NONE: u32 = u32::MAX;

/// Routers and the arcs between them, which are the living channels in the order of the routers they leave.
pub(crate) struct Graph {
    /// By router: its first arc; and one more.
    first: Vec<u32>,
    /// By arc: the router it leaves, and the one it leads to.
    from: Vec<u32>,
    to: Vec<u32>,
    /// By arc: the port it leaves by.
    ports: Vec<Port>,
    /// By arc: how long a flit occupies it, 1 where all are as fast.
    paces: Vec<u32>,
    is_evenly_paced: bool,
    /// By router: where the arcs begin that lead to it; and one more.
    first_arriving: Vec<u32>,
    arriving: Vec<u32>,
    /// In the same order: the routers these arcs leave.
    before: Vec<u32>,
    /// By router: living terminals.
    terminals: Vec<u32>,
    /// Arcs from one router to another, the fewest and the most there are.
    copies: [u32; 2],
}

impl Graph {
    pub(crate) fn new(network: &Network) -> Self {
        let living = |router| network.living_terminals_of(router).count() as u32;
        let nexts = network.routers().map(|router| {
            let nexts = network.neighbours(router);
            nexts.map(|next| (next.router.0, next.port))
        });
        let paces = network.paces();
        let channels = network.routers().flat_map(|at| network.neighbours(at));
        Self {
            paces: channels.map(|next| paces[next.channel.index()]).collect(),
            is_evenly_paced: is_evenly_paced(network),
            ..Self::of(nexts, network.routers().map(living).collect())
        }
    }

    /// Routers that lead to so many others by these ports, each with so many terminals; all channels are as fast.
    pub(crate) fn of(
        nexts: impl Iterator<Item = impl Iterator<Item = (u32, Port)>>,
        terminals: Vec<u32>,
    ) -> Self {
        let mut first = vec![0];
        let (mut from, mut to, mut ports) = (Vec::new(), Vec::new(), Vec::new());
        for (router, nexts) in (0..).zip(nexts) {
            for (next, port) in nexts {
                from.push(router);
                to.push(next);
                ports.push(port);
            }
            first.push(to.len() as u32);
        }
        let mut first_arriving = vec![0; terminals.len() + 1];
        for &router in &to {
            first_arriving[router as usize + 1] += 1;
        }
        for router in 0..terminals.len() {
            first_arriving[router + 1] += first_arriving[router];
        }
        let mut next = first_arriving.clone();
        let mut arriving = vec![0; to.len()];
        for (arc, &target) in (0..).zip(&to) {
            arriving[next[target as usize] as usize] = arc;
            next[target as usize] += 1;
        }
        let before = arriving
            .iter()
            .map(|&arc: &u32| from[arc as usize])
            .collect();
        Self {
            copies: copies(&from, &to),
            paces: vec![1; to.len()],
            is_evenly_paced: true,
            first,
            from,
            to,
            ports,
            first_arriving,
            arriving,
            before,
            terminals,
        }
    }

    pub(crate) fn routers(&self) -> usize {
        self.terminals.len()
    }

    pub(crate) fn arcs(&self) -> usize {
        self.to.len()
    }

    /// Are there so many arcs that what is best has to be weighed against the time it takes to find?
    pub(crate) fn is_large(&self) -> bool {
        self.arcs() > 1 << 13
    }

    /// The arcs that leave a router.
    #[inline]
    pub(crate) fn leaving(&self, router: u32) -> std::ops::Range<u32> {
        self.first[router as usize]..self.first[router as usize + 1]
    }

    /// Do links lie side by side anywhere?
    #[inline]
    pub(crate) fn has_copies(&self) -> bool {
        self.copies[1] > 1
    }

    /// Do as many links lie side by side everywhere?
    pub(crate) fn is_evenly_wired(&self) -> bool {
        self.copies[0] == self.copies[1]
    }

    /// How long a flit occupies an arc: 1 where all are as fast.
    #[inline]
    pub(crate) fn pace(&self, arc: u32) -> u64 {
        self.paces[arc as usize].into()
    }

    /// Are all arcs of a class as fast?
    pub(crate) fn is_evenly_paced(&self) -> bool {
        self.is_evenly_paced
    }

    /// All arcs that lead from and to where an arc does, itself among them.
    pub(crate) fn copies(&self, arc: u32) -> impl Iterator<Item = u32> {
        let to = self.to(arc);
        let arcs = self.leaving(self.from(arc));
        arcs.filter(move |&arc| self.to(arc) == to)
    }

    /// Where an arc comes from.
    #[inline]
    pub(crate) fn from(&self, arc: u32) -> u32 {
        self.from[arc as usize]
    }

    /// Where an arc leads.
    #[inline]
    pub(crate) fn to(&self, arc: u32) -> u32 {
        self.to[arc as usize]
    }

    #[inline]
    pub(crate) fn port(&self, arc: u32) -> Port {
        self.ports[arc as usize]
    }

    /// By port of all routers: the arc that leaves by it, or [`NONE`].
    pub(crate) fn by_port(&self, network: &Network) -> Vec<u32> {
        let mut arcs = vec![NONE; network.port_count()];
        for router in network.routers() {
            let first = network.port_range(router).start;
            for arc in self.leaving(router.0) {
                arcs[first + usize::from(self.port(arc))] = arc;
            }
        }
        arcs
    }

    /// The arcs that lead to a router, in ascending order.
    #[inline]
    pub(crate) fn arriving(&self, router: u32) -> impl Iterator<Item = u32> + '_ {
        self.arriving[self.arriving_range(router)].iter().copied()
    }

    /// The routers that have an arc to this one, once for each arc.
    #[inline]
    pub(crate) fn before(&self, router: u32) -> impl Iterator<Item = u32> + '_ {
        self.before[self.arriving_range(router)].iter().copied()
    }

    #[inline]
    fn arriving_range(&self, router: u32) -> std::ops::Range<usize> {
        let at = router as usize;
        self.first_arriving[at] as usize..self.first_arriving[at + 1] as usize
    }

    /// Living terminals of a router.
    #[inline]
    pub(crate) fn terminals(&self, router: u32) -> u32 {
        self.terminals[router as usize]
    }
}

/// Are all channels of a class as fast?
fn is_evenly_paced(network: &Network) -> bool {
    let mut seen: Vec<(ChannelClass, u32)> = Vec::new();
    network.channels().all(|(_, channel)| {
        let known = seen.iter().find(|(class, _)| *class == channel.class);
        let interval = known.map_or(channel.interval, |&(_, interval)| interval);
        if known.is_none() {
            seen.push((channel.class, interval));
        }
        channel.interval == interval
    })
}

/// How many arcs there are from one router to another, the fewest and the most. Arcs of a router follow one another.
fn copies(from: &[u32], to: &[u32]) -> [u32; 2] {
    let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(from.len());
    pairs.extend(from.iter().copied().zip(to.iter().copied()));
    pairs.sort_unstable();
    let counts = pairs.chunk_by(|a, b| a == b).map(|same| same.len() as u32);
    let [fewest, most] = counts.fold([u32::MAX, 0], |[fewest, most], count| {
        [fewest.min(count), most.max(count)]
    });
    [fewest.min(most), most]
}
