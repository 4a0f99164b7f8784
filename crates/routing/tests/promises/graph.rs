//! Every state that packets can be in, with everything they may do there.

use rustc_hash::FxHashMap;
use turnwise_network::{Header, Hop, Network, RouterId, Routing, Start, TerminalId};

/// A router and a header, and what may be done there.
pub(crate) struct State {
    pub(crate) at: RouterId,
    pub(crate) header: Header,
    pub(crate) options: Vec<Hop>,
    /// For each option the state it leads to; `None` if it leads to a terminal or nowhere.
    pub(crate) next: Vec<Option<usize>>,
}

/// All states that can be reached from all starts.
pub(crate) struct Graph {
    pub(crate) states: Vec<State>,
    /// By pair: how packets set out, and the state they are then in. Pairs that are not routed are missing.
    pub(crate) starts: FxHashMap<Pair, (Start, usize)>,
    /// Every way in which packets of a pair and class may set out, and the states they are then in, in the order of these.
    pub(crate) ways: Vec<(Asked, Vec<(Start, usize)>)>,
}

/// Classes of messages that every routing is asked about.
pub(crate) const CLASSES: u8 = 2;

/// A source and a destination.
pub(crate) type Pair = (TerminalId, TerminalId);

/// A source, a destination and a class of messages.
pub(crate) type Asked = (TerminalId, TerminalId, u8);

/// More states than that are no small example any more.
const MOST_STATES: usize = 1_000_000;

impl Graph {
    pub(crate) fn new(network: &Network, routing: &dyn Routing) -> Self {
        let mut graph = Self {
            states: Vec::new(),
            starts: FxHashMap::default(),
            ways: Vec::new(),
        };
        let mut known = FxHashMap::default();
        for (source, destination) in pairs(network) {
            if let Some(start) = routing.start(source, destination) {
                let state = graph.state(&mut known, network.router_of(source), start.header);
                graph.starts.insert((source, destination), (start, state));
            }
            for class in 0..CLASSES {
                let mut starts = Vec::new();
                routing.starts(source, destination, class, &mut starts);
                let ways = starts.into_iter().map(|start| {
                    let at = network.router_of(source);
                    (start, graph.state(&mut known, at, start.header))
                });
                let ways = ways.collect();
                graph.ways.push(((source, destination, class), ways));
            }
        }
        let mut done = 0;
        while done < graph.states.len() {
            let (at, header) = (graph.states[done].at, graph.states[done].header);
            let mut options = Vec::new();
            routing.options(at, header, &mut options);
            let next = options.iter().map(|hop| {
                let next = network.next_router(at, hop.port)?;
                Some(graph.state(&mut known, next, hop.header))
            });
            graph.states[done].next = next.collect();
            graph.states[done].options = options;
            done += 1;
            assert!(done < MOST_STATES, "{} has no end", network.description());
        }
        graph
    }

    fn state(
        &mut self,
        known: &mut FxHashMap<(RouterId, Header), usize>,
        at: RouterId,
        header: Header,
    ) -> usize {
        *known.entry((at, header)).or_insert_with(|| {
            self.states.push(State {
                at,
                header,
                options: Vec::new(),
                next: Vec::new(),
            });
            self.states.len() - 1
        })
    }

    /// The ways of a pair and class.
    pub(crate) fn ways_of(&self, asked: Asked) -> &[(Start, usize)] {
        let found = self.ways.binary_search_by_key(&asked, |(asked, _)| *asked);
        &self.ways[found.expect("asked of all")].1
    }

    /// Every way in which packets of any class may set out, with the pair.
    pub(crate) fn all_ways(&self) -> impl Iterator<Item = (Pair, &Start)> {
        let ways = self.ways.iter();
        ways.flat_map(|&((source, destination, _), ref ways)| {
            ways.iter()
                .map(move |(start, _)| ((source, destination), start))
        })
    }

    /// From which states does some way lead to an end, if packets only take hops that are `open`?
    pub(crate) fn ending(&self, open: impl Fn(&State, &Hop) -> bool) -> Vec<bool> {
        let mut before = vec![Vec::new(); self.states.len()];
        let mut ends = vec![false; self.states.len()];
        let mut todo = Vec::new();
        for (index, state) in self.states.iter().enumerate() {
            for (hop, next) in state.options.iter().zip(&state.next) {
                match next {
                    _ if !open(state, hop) => {}
                    Some(next) => before[*next].push(index),
                    None => todo.push(index),
                }
            }
        }
        while let Some(index) = todo.pop() {
            if !std::mem::replace(&mut ends[index], true) {
                todo.extend(&before[index]);
            }
        }
        ends
    }
}

/// Every terminal with every terminal, itself included.
pub(crate) fn pairs(network: &Network) -> impl Iterator<Item = (TerminalId, TerminalId)> {
    let count = network.terminal_count() as u32;
    let all = move || (0..count).map(TerminalId);
    all().flat_map(move |source| all().map(move |destination| (source, destination)))
}
