//! Slow, obvious answers to compare with: route by route, option by option.

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::collections::BTreeSet;
use turnwise_network::{
    Channel, ChannelId, End, Header, Network, RouterId, Routing, TerminalId, Vc,
};
use turnwise_verify::Protocol;

/// A virtual channel.
pub(crate) type Held = (ChannelId, Vc);

/// What every pair's packets can do, by following every option of every pair on its own.
#[derive(Debug, Default)]
pub(crate) struct Walks {
    pub(crate) dependencies: DiGraphMap<Held, ()>,
    /// Pairs by channel, times what that is slower than the fastest.
    pub(crate) loads: Vec<f64>,
    /// Hops of all pairs.
    pub(crate) hops: f64,
    pub(crate) lengths: Vec<f64>,
    pub(crate) pairs: u64,
}

/// Follows everything; every route must end at its destination.
pub(crate) fn walk_all(network: &Network, routing: &dyn Routing) -> Walks {
    let mut walks = Walks {
        loads: vec![0.0; network.channel_count()],
        ..Walks::default()
    };
    for source in network.living_terminals() {
        for destination in network
            .living_terminals()
            .filter(|&destination| destination != source)
        {
            walks.pairs += 1;
            let Some(start) = routing.start(source, destination) else {
                continue;
            };
            let at = network.router_of(source);
            let walk = Walk {
                network,
                routing,
                destination,
            };
            walk.follow(&mut walks, at, start.header, &[], 1.0, 0);
        }
    }
    walks.hops = walks.loads.iter().sum();
    let interval = |(_, channel): (_, &Channel)| f64::from(channel.interval);
    let fastest = network.channels().map(interval).reduce(f64::min);
    for (load, channel) in walks.loads.iter_mut().zip(network.channels()) {
        *load *= interval(channel) / fastest.unwrap();
    }
    walks
}

struct Walk<'a> {
    network: &'a Network,
    routing: &'a dyn Routing,
    destination: TerminalId,
}

impl Walk<'_> {
    fn follow(
        &self,
        walks: &mut Walks,
        at: RouterId,
        header: Header,
        held: &[Held],
        share: f64,
        hops: usize,
    ) {
        let mut options = Vec::new();
        self.routing.options(at, header, &mut options);
        let share = share / options.len() as f64;
        for hop in options {
            let channel = self.network.out_channel(at, hop.port).unwrap();
            match self.network.channel(channel).target {
                End::Terminal(terminal) => {
                    assert_eq!(terminal, self.destination);
                    walks.lengths.resize(walks.lengths.len().max(hops + 1), 0.0);
                    walks.lengths[hops] += share;
                }
                End::Router(next, _) => {
                    walks.loads[channel.index()] += share;
                    let wanted: Vec<Held> = hop.vcs.iter().map(|vc| (channel, vc)).collect();
                    for &from in held {
                        for &to in &wanted {
                            walks.dependencies.add_edge(from, to, ());
                        }
                    }
                    self.follow(walks, next, hop.header, &wanted, share, hops + 1);
                }
            }
        }
    }
}

/// What packets of all classes can wait for, in the network and at terminals; only dependencies are filled in.
pub(crate) fn walk_protocol(
    network: &Network,
    routing: &dyn Routing,
    protocol: &Protocol,
) -> Walks {
    let mut exchange = Exchange::default();
    for source in network.living_terminals() {
        for destination in network.living_terminals() {
            if source == destination && !protocol.has_answers() {
                continue;
            }
            for class in protocol.classes() {
                let mut starts = Vec::new();
                routing.starts(source, destination, class, &mut starts);
                for start in starts {
                    let injection = network.injection_channel(source);
                    let held: Vec<Held> = start.vcs.iter().map(|vc| (injection, vc)).collect();
                    let injected = held.iter().map(|&held| (source, class, held));
                    exchange.injected.extend(injected);
                    let walk = (destination, class);
                    let at = network.router_of(source);
                    exchange.follow(network, routing, walk, at, start.header, &held);
                }
            }
        }
    }
    Walks {
        dependencies: exchange.dependencies(network, protocol),
        ..Walks::default()
    }
}

/// What is held while what is asked for, on every route of every message.
#[derive(Default)]
pub(crate) struct Exchange {
    pub(crate) waits: BTreeSet<(Held, Held)>,
    /// Terminal, class of message, virtual channel.
    pub(crate) injected: BTreeSet<(TerminalId, u8, Held)>,
    pub(crate) ejected: BTreeSet<(TerminalId, u8, Held)>,
}

impl Exchange {
    fn follow(
        &mut self,
        network: &Network,
        routing: &dyn Routing,
        (destination, class): (TerminalId, u8),
        at: RouterId,
        header: Header,
        held: &[Held],
    ) {
        let mut options = Vec::new();
        routing.options(at, header, &mut options);
        for hop in options {
            let channel = network.out_channel(at, hop.port).unwrap();
            let wanted: Vec<Held> = hop.vcs.iter().map(|vc| (channel, vc)).collect();
            for &from in held {
                self.waits.extend(wanted.iter().map(|&to| (from, to)));
            }
            match network.channel(channel).to_router() {
                Some(next) => {
                    let walk = (destination, class);
                    self.follow(network, routing, walk, next, hop.header, &wanted);
                }
                None => {
                    let ejected = wanted.iter().map(|&held| (destination, class, held));
                    self.ejected.extend(ejected);
                }
            }
        }
    }

    /// What waits at terminals and for what, and all that messages may wait on there.
    pub(crate) fn at_terminals(
        &self,
        protocol: &Protocol,
    ) -> (BTreeSet<(Held, Held)>, BTreeSet<Held>) {
        let (mut waits, mut held_up) = (BTreeSet::new(), BTreeSet::new());
        for &(received, sent) in protocol.answers() {
            let ours = |&&(_, class, _): &&(TerminalId, u8, Held)| class == received;
            for &(at, _, held) in self.ejected.iter().filter(ours) {
                held_up.insert(held);
                let injected = self.injected.iter();
                let answers = injected.filter(|&&(from, class, _)| (from, class) == (at, sent));
                waits.extend(answers.map(|&(_, _, wanted)| (held, wanted)));
            }
        }
        (waits, held_up)
    }

    /// All that waits for anything, without terminals' channels that nothing waits at or for.
    pub(crate) fn dependencies(
        self,
        network: &Network,
        protocol: &Protocol,
    ) -> DiGraphMap<Held, ()> {
        let (at_terminals, held_up) = self.at_terminals(protocol);
        let waited_for: BTreeSet<Held> = at_terminals.iter().map(|&(_, wanted)| wanted).collect();
        let between_routers = |held: Held| network.ends(held.0).is_some();
        let counts = |&&(held, wanted): &&(Held, Held)| {
            (between_routers(held) || waited_for.contains(&held))
                && (between_routers(wanted) || held_up.contains(&wanted))
        };
        let waits = self.waits.iter().filter(counts);
        waits.chain(&at_terminals).copied().collect()
    }
}

/// The length of a shortest cycle, by a search from every vertex.
pub(crate) fn girth(graph: &DiGraphMap<Held, ()>) -> Option<usize> {
    graph
        .nodes()
        .filter_map(|root| shortest_way_back(graph, root))
        .min()
}

fn shortest_way_back(graph: &DiGraphMap<Held, ()>, root: Held) -> Option<usize> {
    let mut front = BTreeSet::from([root]);
    let mut seen = BTreeSet::new();
    for length in 1.. {
        front = front
            .iter()
            .flat_map(|&at| graph.neighbors(at))
            .filter(|next| !seen.contains(next))
            .collect();
        if front.contains(&root) {
            return Some(length);
        }
        if front.is_empty() {
            return None;
        }
        seen.extend(front.iter().copied());
    }
    None
}

/// The bubble rule as the Angara specification words it: free of deadlock if every component of
/// more than one vertex consists of channels of one ring, on one virtual channel.
pub(crate) fn bubble_free(network: &Network, graph: &DiGraphMap<Held, ()>) -> bool {
    tarjan_scc(graph)
        .iter()
        .filter(|component| component.len() > 1)
        .all(|component| {
            let rings: BTreeSet<_> = component
                .iter()
                .map(|&held| ring_of(network, held))
                .collect();
            rings.len() == 1 && rings.iter().all(Option::is_some)
        })
}

/// (dimension, direction, line of routers, VC) of a torus channel.
fn ring_of(network: &Network, (channel, vc): Held) -> Option<(usize, bool, Vec<u32>, Vc)> {
    let turnwise_network::Shape::Grid(grid) = network.shape() else {
        return None;
    };
    let (from, to) = network.ends(channel)?;
    let (from, to) = (grid.coordinates(from.0), grid.coordinates(to.0));
    let dimension = (0..from.len()).find(|&dimension| from[dimension] != to[dimension])?;
    let size = grid.sizes[dimension];
    let mut line = from.clone();
    line[dimension] = 0;
    let positive = (from[dimension] + 1) % size == to[dimension];
    (size >= 3 && grid.wrap).then_some((dimension, positive, line, vc))
}
