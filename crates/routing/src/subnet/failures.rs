//! What becomes of tables when something fails: of each link and each router of a network, failing alone.
//!
//! What the tables do is taken in once, as whoever manages a subnet could from the day it was programmed; then a failure costs what is lost by it.
//! Columns of destinations to which some router sent packets that way are [mended](super::mended), with the difference that what packets
//! held farther on is taken to be held still: those that got over it are under way when it fails. Nobody waits for the link itself any more,
//! because packets that want it are thrown away.
//!
//! Source: none.
//!
//! Complexity: O(terminals x routers x diameter) to take the tables in, and O(terminals x routers + pairs) for each thread; for a link
//! O(terminals + channels), and for each destination to which it is taken O(routers) and what mending costs; for a router that for each of
//! its links, and O(routers x diameter) for each of its terminals. Memory O(terminals x routers).

use super::columns::{Columns, HERE};
use super::mending::{Broken, Mending};
use crate::irregular::by_destination::{Graph, NONE, Turns};
use turnwise_network::{
    ChannelId, End, Forwards, Invalid, Network, Port, RouterId, TerminalId, Vc,
};

/// What can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A link, by one of its channels.
    Link(ChannelId),
    /// A router, with its terminals.
    Router(RouterId),
}

/// Something that fails alone.
#[derive(Debug)]
pub struct Failure {
    /// What.
    pub part: Part,
    /// Entries of other routers by which packets go that way, which have to change.
    pub leading_over: usize,
    /// What the tables become, or why they cannot.
    pub mended: Result<MendedTables, Invalid>,
}

/// How tables are mended. Nothing is said of packets from or to terminals that have failed with their router, and nothing of its own entries.
#[derive(Debug)]
pub struct MendedTables {
    /// Entries that are others than they were; without a port where there is no way left.
    pub entries: Vec<(RouterId, TerminalId, Option<Port>)>,
    /// Pairs that have another service level, with that.
    pub levels: Vec<(TerminalId, TerminalId, u8)>,
    /// Pairs that had a route and have none: nothing else connects them.
    pub cut_off: u64,
    /// The most pairs whose routes take the same channel between routers, times what that is slower than the fastest of the whole network.
    pub edge_forwarding_index: f64,
}

/// Every link between routers, and then every router that has any.
pub fn parts(network: &Network) -> Vec<Part> {
    let links = network.links().map(Part::Link);
    let routers = network
        .routers()
        .filter(|&at| network.neighbours(at).next().is_some());
    links.chain(routers.map(Part::Router)).collect()
}

/// How a network is wired, which [`Whole`] goes by.
pub struct Wiring(Graph);

impl Wiring {
    /// O(channels).
    pub fn of(network: &Network) -> Self {
        Self(Graph::new(network))
    }
}

/// A network on which nothing has failed, and its tables.
pub struct Whole<'a> {
    network: &'a Network,
    graph: &'a Graph,
    turns: Turns<'a>,
    tables: &'a dyn Forwards,
    /// By terminal, if it is alive, and router: the arc to take.
    ways: Vec<Vec<u32>>,
    flows: Flows,
    /// By port of all routers: its arc.
    by_port: Vec<u32>,
}

impl<'a> Whole<'a> {
    /// Takes tables in.
    pub fn of(network: &'a Network, wiring: &'a Wiring, tables: &'a dyn Forwards) -> Self {
        let graph = &wiring.0;
        let turns = Turns::new(graph);
        let columns = Columns::new(network, tables, &turns, Default::default());
        let ways = network
            .terminals()
            .map(|to| match network.is_terminal_alive(to) {
                true => columns.ways(to),
                false => Vec::new(),
            });
        let ways: Vec<Vec<u32>> = ways.collect();
        let mut flows = Flows(vec![0; graph.arcs()]);
        for ways in ways.iter().filter(|ways| !ways.is_empty()) {
            for at in 0..graph.routers() as u32 {
                flows.add(graph, ways, at);
            }
        }
        Self {
            network,
            graph,
            tables,
            ways,
            flows,
            by_port: graph.by_port(network),
            turns,
        }
    }

    /// The arcs that die with something.
    fn arcs(&self, part: Part) -> Vec<u32> {
        match part {
            Part::Link(link) => {
                let both = [Some(link), self.network.reverse(link)];
                let sources = both.into_iter().flatten();
                let arc = |channel| match self.network.channel(channel).source {
                    End::Router(at, port) => {
                        let first = self.network.port_range(at).start;
                        Some(self.by_port[first + usize::from(port)])
                    }
                    End::Terminal(_) => None,
                };
                sources.filter_map(arc).collect()
            }
            Part::Router(at) => {
                let leaving = self.graph.leaving(at.0);
                leaving.chain(self.graph.arriving(at.0)).collect()
            }
        }
    }

    /// The columns in which packets take some arcs, but for those of a router's own terminals, with everybody stuck that takes one.
    fn broken(&self, arcs: &[u32], router: Option<RouterId>) -> Vec<Broken> {
        let from = |arc: u32| RouterId(self.graph.from(arc));
        let is_broken = |to: &TerminalId| {
            let ways = &self.ways[to.index()];
            let mut others = arcs.iter().filter(|&&arc| Some(from(arc)) != router);
            Some(self.network.router_of(*to)) != router
                && others.any(|&arc| ways[from(arc).index()] == arc)
        };
        let all = self.network.living_terminals().filter(is_broken);
        all.map(|destination| {
            let mut ways = self.ways[destination.index()].clone();
            let mut lost = Vec::new();
            for &arc in arcs {
                let at = from(arc);
                if ways[at.index()] == arc {
                    ways[at.index()] = NONE;
                    lost.push((at.0, NONE));
                }
            }
            Broken {
                destination,
                ways,
                lost,
                unsettled: Vec::new(),
                is_untold: false,
            }
        })
        .collect()
    }
}

/// The same while something fails; each thread has its own.
pub struct Failing<'a> {
    whole: &'a Whole<'a>,
    mending: Mending<'a>,
    flows: Flows,
}

impl<'a> Failing<'a> {
    /// On so many lanes; each service level has the lane of its number, modulo that.
    ///
    /// # Errors
    /// Tables that can deadlock as they are.
    pub fn of(whole: &'a Whole<'a>, lanes: Vc) -> Result<Self, Invalid> {
        let wiring = (whole.graph, &whole.turns);
        let (mending, _) = Mending::of(whole.network, wiring, (whole.tables, &[]), lanes)?;
        Ok(Self {
            whole,
            mending,
            flows: whole.flows.clone(),
        })
    }

    /// Lets something fail alone, and come back. What is told does not depend on what has failed before.
    pub fn fail(&mut self, part: Part) -> Failure {
        let router = match part {
            Part::Link(_) => None,
            Part::Router(at) => Some(at),
        };
        let arcs = self.whole.arcs(part);
        for &arc in &arcs {
            self.mending.lose(arc);
        }
        let mut broken = self.whole.broken(&arcs, router);
        let stuck = broken.iter().flat_map(|column| &column.lost);
        let leading = stuck.filter(|(at, _)| Some(RouterId(*at)) != router);
        let leading_over = leading.count();
        let mended = self.mended(&mut broken, router);
        self.mending.forget();
        self.mending.find_again(&arcs);
        Failure {
            part,
            leading_over,
            mended,
        }
    }

    fn mended(
        &mut self,
        broken: &mut [Broken],
        router: Option<RouterId>,
    ) -> Result<MendedTables, Invalid> {
        let Whole { graph, ways, .. } = self.whole;
        self.mending.mend_all(broken)?;
        let (mut entries, mut cut_off) = (Vec::new(), 0);
        for (column, at) in lost(broken, router) {
            let before = &ways[column.destination.index()];
            let [old, new] = [before, &column.ways].map(|ways| ways[at as usize]);
            if old != new {
                let port = (new != NONE).then(|| graph.port(new));
                entries.push((RouterId(at), column.destination, port));
            }
            let was = self.flows.take(graph, before, at);
            let is = self.flows.add(graph, &column.ways, at);
            cut_off += was.saturating_sub(is);
        }
        self.without(router, |flows, graph, ways, at| flows.take(graph, ways, at));
        let edge_forwarding_index = self.flows.most(graph);
        self.without(router, |flows, graph, ways, at| flows.add(graph, ways, at));
        for (column, at) in lost(broken, router) {
            self.flows.take(graph, &column.ways, at);
            self.flows.add(graph, &ways[column.destination.index()], at);
        }
        Ok(MendedTables {
            entries,
            levels: std::mem::take(&mut self.mending.levels),
            cut_off,
            edge_forwarding_index,
        })
    }

    /// Takes away what comes from or goes to a router's terminals, or brings it back.
    fn without(
        &mut self,
        router: Option<RouterId>,
        change: impl Fn(&mut Flows, &Graph, &[u32], u32) -> u64,
    ) {
        let Some(router) = router else { return };
        let Whole {
            network,
            graph,
            ways,
            ..
        } = self.whole;
        for to in network.living_terminals() {
            let ways = &ways[to.index()];
            match network.router_of(to) == router {
                true => {
                    for at in 0..graph.routers() as u32 {
                        change(&mut self.flows, graph, ways, at);
                    }
                }
                false => {
                    change(&mut self.flows, graph, ways, router.0);
                }
            }
        }
    }
}

/// By column: who did not get there, but for a router that has failed.
fn lost(broken: &[Broken], router: Option<RouterId>) -> impl Iterator<Item = (&Broken, u32)> {
    let all = broken.iter().flat_map(|column| {
        let lost = column.lost.iter();
        lost.map(move |&(at, _)| (column, at))
    });
    all.filter(move |&(_, at)| Some(RouterId(at)) != router)
}

/// By arc: pairs whose routes take it.
#[derive(Clone)]
struct Flows(Vec<u64>);

impl Flows {
    /// Adds what a router's terminals send to a destination, and tells how many of them get there.
    fn add(&mut self, graph: &Graph, ways: &[u32], from: u32) -> u64 {
        let terminals = u64::from(graph.terminals(from));
        self.change(graph, ways, from, [terminals, terminals.wrapping_neg()])
    }

    /// The other way round.
    fn take(&mut self, graph: &Graph, ways: &[u32], from: u32) -> u64 {
        let terminals = u64::from(graph.terminals(from));
        self.change(graph, ways, from, [terminals.wrapping_neg(), terminals])
    }

    /// Adds the first to the arcs of a way, and the second again if it does not end at the destination.
    fn change(&mut self, graph: &Graph, ways: &[u32], from: u32, by: [u64; 2]) -> u64 {
        let [amount, undone] = by;
        match graph.terminals(from) {
            0 => 0,
            terminals if self.along(graph, ways, from, amount) == HERE => terminals.into(),
            _ => {
                self.along(graph, ways, from, undone);
                0
            }
        }
    }

    /// Adds to every arc of a way, once round at most; what it ends with.
    fn along(&mut self, graph: &Graph, ways: &[u32], from: u32, amount: u64) -> u32 {
        let mut arc = ways[from as usize];
        for _ in 0..graph.routers() {
            if arc >= HERE {
                break;
            }
            let flow = &mut self.0[arc as usize];
            *flow = flow.wrapping_add(amount);
            arc = ways[graph.to(arc) as usize];
        }
        arc
    }

    fn most(&self, graph: &Graph) -> f64 {
        let paces = || (0..self.0.len() as u32).map(|arc| graph.pace(arc));
        let fastest = paces().min().unwrap_or(1) as f64;
        let carried = self.0.iter().zip(paces());
        let carried = carried.map(|(&flow, pace)| flow as f64 * (pace as f64 / fastest));
        carried.fold(0.0, f64::max)
    }
}
