//! What becomes of tables when a link fails: of each link of a network, failing alone.
//!
//! What the tables do is taken in once, as whoever manages a subnet could from the day it was programmed; then a failure costs what is lost by it.
//! Columns of destinations to which some switch sent packets over the link are [mended](super::mended), with the difference that what packets
//! held behind it is taken to be held still: those that got over it are under way when it fails.
//!
//! Source: none.
//!
//! Complexity: O(terminals x routers x diameter + pairs) to take the tables in; for a link O(terminals + channels), and for each destination to
//! which it is taken O(routers) and what mending costs.

use super::columns::{Columns, HERE};
use super::mending::{Broken, Mending};
use crate::irregular::by_destination::{Graph, NONE, Turns};
use turnwise_network::{
    ChannelId, End, Forwards, Invalid, Network, Port, RouterId, TerminalId, Vc,
};

/// A link that fails alone.
#[derive(Debug)]
pub struct LinkFailure {
    /// One of its channels.
    pub link: ChannelId,
    /// Entries by which packets take it, which have to change.
    pub leading_over: usize,
    /// What the tables become, or why they cannot.
    pub mended: Result<MendedTables, Invalid>,
}

/// How tables are mended.
#[derive(Debug)]
pub struct MendedTables {
    /// Entries that are others than they were; without a port where there is no way left.
    pub entries: Vec<(RouterId, TerminalId, Option<Port>)>,
    /// Pairs that have another service level, with that.
    pub levels: Vec<(TerminalId, TerminalId, u8)>,
    /// Pairs that had a route and have none: nothing else connects them.
    pub cut_off: u64,
    /// The most pairs whose routes take the same channel between routers.
    pub edge_forwarding_index: u64,
}

/// The links between living routers, each by one of its channels.
pub fn links(network: &Network) -> Vec<ChannelId> {
    let between = network.channels().map(|(id, _)| id);
    let between = between.filter(|&id| network.ends(id).is_some());
    let first = |&id: &ChannelId| {
        network
            .reverse(id)
            .is_none_or(|back| id.index() <= back.index())
    };
    between.filter(first).collect()
}

/// Tells of some links of a network what becomes of its tables when each fails alone, on so many lanes; each service level has the lane of its
/// number, modulo that. `tell` says whether to go on.
///
/// # Errors
/// Tables that can deadlock as they are.
pub fn each_failing_link(
    network: &Network,
    tables: &dyn Forwards,
    lanes: Vc,
    links: &[ChannelId],
    tell: &mut dyn FnMut(LinkFailure) -> bool,
) -> Result<(), Invalid> {
    let graph = Graph::new(network);
    let turns = Turns::new(&graph);
    let by_port = graph.by_port(network);
    let arc = |channel: ChannelId| match network.channel(channel).source {
        End::Router(at, port) => by_port[network.port_range(at).start + usize::from(port)],
        End::Terminal(_) => NONE,
    };
    let mut failing = Failing::of(network, (&graph, &turns), tables, lanes)?;
    for &link in links {
        let both = [Some(link), network.reverse(link)].map(|channel| channel.map_or(NONE, arc));
        let failure = failing.fail(link, &both);
        if !tell(failure) {
            break;
        }
    }
    Ok(())
}

/// Tables, and whatever is known of them.
struct Failing<'a> {
    network: &'a Network,
    graph: &'a Graph,
    tables: &'a dyn Forwards,
    mending: Mending<'a>,
    /// By terminal, if it is alive, and router: the arc to take.
    ways: Vec<Vec<u32>>,
    flows: Flows,
}

impl<'a> Failing<'a> {
    fn of(
        network: &'a Network,
        (graph, turns): (&'a Graph, &'a Turns<'a>),
        tables: &'a dyn Forwards,
        lanes: Vc,
    ) -> Result<Self, Invalid> {
        let (mending, _) = Mending::of(network, (graph, turns), tables, lanes)?;
        let columns = Columns::new(network, tables, turns, Default::default());
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
                flows.change(graph, ways, at, |flow, terminals| flow + terminals);
            }
        }
        Ok(Self {
            network,
            graph,
            tables,
            mending,
            ways,
            flows,
        })
    }

    /// Lets the arcs of a link fail, and come back.
    fn fail(&mut self, link: ChannelId, arcs: &[u32; 2]) -> LinkFailure {
        let arcs = arcs.iter().copied().filter(|&arc| arc != NONE);
        for arc in arcs.clone() {
            self.mending.is_dead[arc as usize] = true;
        }
        let mut broken = self.broken(arcs.clone());
        let leading_over = broken.iter().map(|column| column.lost.len()).sum();
        let mended = self.mended(&mut broken);
        self.mending.forget();
        for arc in arcs {
            self.mending.is_dead[arc as usize] = false;
        }
        LinkFailure {
            link,
            leading_over,
            mended,
        }
    }

    /// The columns in which packets take some arcs.
    fn broken(&self, arcs: impl Iterator<Item = u32> + Clone) -> Vec<Broken> {
        let rows = arcs.clone().map(|arc| {
            let entries = self.tables.entries(RouterId(self.graph.from(arc)));
            (entries, self.graph.port(arc))
        });
        let rows: Vec<(&[Port], Port)> = rows.collect();
        let takes_it = |to: &TerminalId| {
            let mut rows = rows.iter();
            rows.any(|(entries, port)| entries[to.index()] == *port)
        };
        let all = self.network.living_terminals().filter(takes_it);
        all.map(|destination| {
            let mut ways = self.ways[destination.index()].clone();
            let mut lost = Vec::new();
            for arc in arcs.clone() {
                let at = self.graph.from(arc);
                if ways[at as usize] == arc {
                    ways[at as usize] = NONE;
                    lost.push((at, NONE));
                }
            }
            Broken {
                destination,
                ways,
                lost,
                unsettled: Vec::new(),
            }
        })
        .collect()
    }

    fn mended(&mut self, broken: &mut [Broken]) -> Result<MendedTables, Invalid> {
        let (graph, ways) = (self.graph, &self.ways);
        for column in &mut *broken {
            self.mending.mend(column)?;
        }
        for column in &*broken {
            self.mending.tell_levels(column)?;
        }
        let (mut entries, mut cut_off) = (Vec::new(), 0);
        for column in &*broken {
            let before = &ways[column.destination.index()];
            for &(at, _) in &column.lost {
                let [old, new] = [before, &column.ways].map(|ways| ways[at as usize]);
                if old != new {
                    let port = (new != NONE).then(|| graph.port(new));
                    entries.push((RouterId(at), column.destination, port));
                }
                let was = self.flows.change(graph, before, at, |flow, of| flow - of);
                let is = self
                    .flows
                    .change(graph, &column.ways, at, |flow, of| flow + of);
                cut_off += was - is.min(was);
            }
        }
        let edge_forwarding_index = self.flows.most();
        for column in &*broken {
            let before = &ways[column.destination.index()];
            for &(at, _) in &column.lost {
                self.flows
                    .change(graph, &column.ways, at, |flow, of| flow - of);
                self.flows.change(graph, before, at, |flow, of| flow + of);
            }
        }
        Ok(MendedTables {
            entries,
            levels: std::mem::take(&mut self.mending.levels),
            cut_off,
            edge_forwarding_index,
        })
    }
}

/// By arc: pairs whose routes take it.
struct Flows(Vec<u64>);

impl Flows {
    /// Changes that of each arc on the way from a router by the terminals that are there, of which it tells how many there are; none if the way does not
    /// get there.
    fn change(
        &mut self,
        graph: &Graph,
        ways: &[u32],
        from: u32,
        change: impl Fn(u64, u64) -> u64,
    ) -> u64 {
        let terminals = u64::from(graph.terminals(from));
        if terminals == 0 {
            return 0;
        }
        let onwards = |&arc: &u32| (arc < HERE).then(|| ways[graph.to(arc) as usize]);
        let way = || std::iter::successors(Some(ways[from as usize]), onwards);
        let arrives = way()
            .take(graph.routers())
            .find(|&arc| arc >= HERE)
            .is_some_and(|end| end == HERE);
        if !arrives {
            return 0;
        }
        for arc in way().take_while(|&arc| arc != HERE) {
            let flow = &mut self.0[arc as usize];
            *flow = change(*flow, terminals);
        }
        terminals
    }

    fn most(&self) -> u64 {
        self.0.iter().copied().max().unwrap_or(0)
    }
}
