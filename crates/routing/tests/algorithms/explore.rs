//! Everything an algorithm may do, followed to the end.

use std::collections::{BTreeMap, BTreeSet};
use turnwise_network::{Header, Hop, Network, RouterId, Routing, TerminalId};

type State = (RouterId, Header);

pub(crate) fn options(routing: &dyn Routing, at: RouterId, header: Header) -> Vec<Hop> {
    let mut options = Vec::new();
    routing.options(at, header, &mut options);
    options
}

/// Follows every option from every start; panics at states without a way on, dead ports,
/// wrong terminals and circles.
pub(crate) struct Explorer<'a> {
    name: &'a str,
    routing: &'a dyn Routing,
    network: &'a Network,
    /// Fewest and most router-to-router channels from a state to the end; `None` while walking.
    known: BTreeMap<State, Option<(u32, u32)>>,
}

impl<'a> Explorer<'a> {
    pub(crate) fn new(name: &'a str, routing: &'a dyn Routing, network: &'a Network) -> Self {
        Self {
            name,
            routing,
            network,
            known: BTreeMap::new(),
        }
    }

    /// The fewest and the most channels a packet may take, if the pair is routed.
    pub(crate) fn pair(
        &mut self,
        source: TerminalId,
        destination: TerminalId,
    ) -> Option<(u32, u32)> {
        let start = self.routing.start(source, destination)?;
        assert!(!start.vcs.is_empty(), "{}", self.name);
        assert!(
            start
                .vcs
                .iter()
                .all(|vc| vc < self.routing.virtual_channels()),
            "{}",
            self.name
        );
        Some(self.state((self.network.router_of(source), start.header)))
    }

    fn state(&mut self, state: State) -> (u32, u32) {
        match self.known.get(&state) {
            Some(Some(known)) => return *known,
            Some(None) => panic!("{}: {state:?} leads back to itself", self.name),
            None => {}
        }
        self.known.insert(state, None);
        let (at, header) = state;
        let options = options(self.routing, at, header);
        assert!(
            !options.is_empty(),
            "{}: nothing to do at {state:?}",
            self.name
        );
        let mut range = (u32::MAX, 0);
        for hop in options {
            assert!(
                !hop.vcs.is_empty(),
                "{}: {state:?} takes no virtual channel",
                self.name
            );
            let total = self.routing.virtual_channels();
            assert!(
                hop.vcs.iter().all(|vc| vc < total),
                "{}: {state:?} takes {:?} of {total}",
                self.name,
                hop.vcs
            );
            assert_eq!(hop.header.destination, header.destination, "{}", self.name);
            let channel = self.network.out_channel(at, hop.port);
            let channel = channel
                .unwrap_or_else(|| panic!("{}: {state:?} takes dead port {}", self.name, hop.port));
            let (low, high) = match self.network.channel(channel).to_router() {
                Some(next) => {
                    let (low, high) = self.state((next, hop.header));
                    (low + 1, high + 1)
                }
                None => {
                    assert_eq!(
                        channel,
                        self.network.ejection_channel(header.destination),
                        "{}",
                        self.name
                    );
                    (0, 0)
                }
            };
            range = (range.0.min(low), range.1.max(high));
        }
        self.known.insert(state, Some(range));
        range
    }

    /// Every state any packet can be in; call after `pair` for all pairs.
    pub(crate) fn states(&self) -> impl Iterator<Item = State> {
        self.known.keys().copied()
    }
}

/// Can the routes make a circle of dependencies between (channel, virtual channel)?
pub(crate) fn can_deadlock(routing: &dyn Routing, network: &Network) -> bool {
    let mut explorer = Explorer::new("dependencies", routing, network);
    for source in network.terminals() {
        for destination in network.terminals() {
            explorer.pair(source, destination);
        }
    }
    let mut edges = BTreeSet::new();
    for (at, header) in explorer.states() {
        for hop in options(routing, at, header) {
            let Some(next) = network.next_router(at, hop.port) else {
                continue;
            };
            let held = network.out_channel(at, hop.port).unwrap();
            for further in options(routing, next, hop.header) {
                let wanted = network.out_channel(next, further.port).unwrap();
                if wanted.index() < network.channel_count() {
                    for (from, to) in hop
                        .vcs
                        .iter()
                        .flat_map(|from| further.vcs.iter().map(move |to| (from, to)))
                    {
                        edges.insert(((held, from), (wanted, to)));
                    }
                }
            }
        }
    }
    // Take away what nothing depends on until nothing is left, or a circle.
    loop {
        let wanted: BTreeSet<_> = edges.iter().map(|&(_, to)| to).collect();
        let before = edges.len();
        edges.retain(|(from, _)| wanted.contains(from));
        if edges.is_empty() || edges.len() == before {
            return !edges.is_empty();
        }
    }
}
