//! Fixed routes on which packets remember something: a port for each destination router, router and memory.

use super::search::{Search, TieBreak};
use super::ways::{Node, Ways};
use crate::common::endpoints::{ejection, live};
use crate::common::only_way::Rule;
use crate::common::vc_plan::VcPlan;
use std::sync::Arc;
use turnwise_network::{
    Header, Hop, Neighbour, Network, PopulatedRouters, Port, RouterId, Start, TerminalId, VcSet,
};

/// No port.
const NONE: Port = Port::MAX;

/// Routes by [`Ways`]. `Header::class` is what a packet remembers.
pub(crate) struct Table<W> {
    network: Arc<Network>,
    ways: W,
    plan: VcPlan,
    /// By memory: the virtual channels that lead to it.
    vcs: Vec<VcSet>,
    ends: PopulatedRouters,
    /// By number of the destination, then by node.
    ports: Vec<Port>,
    /// By number of the destination, then by router: what packets remember that set out. All 0 if empty.
    starts: Vec<u16>,
}

/// Bytes of a table, at most.
pub(crate) fn bytes(network: &Network, memories: u32) -> u64 {
    2 * u64::from(memories) * (network.router_count() as u64).pow(2)
}

impl<W: Ways> Table<W> {
    /// Shortest routes, of equals those by such ties and a seed; `vcs` says which virtual channels lead to what memory.
    pub(crate) fn new(
        network: &Arc<Network>,
        ways: W,
        plan: VcPlan,
        vcs: impl Fn(u32) -> VcSet,
        (ties, seed): (TieBreak, u64),
    ) -> Self {
        let memories = ways.memories();
        let ends = PopulatedRouters::new(network);
        let mut ports =
            Vec::with_capacity(ends.routers.len() * network.router_count() * memories as usize);
        let mut found = vec![None; network.router_count() * memories as usize];
        let mut search = Search::new(network, &ways, ties, seed);
        for &destination in &ends.routers {
            found.fill(None);
            search.routes(destination, &mut found);
            ports.extend(found.iter().map(|port| port.unwrap_or(NONE)));
        }
        Self {
            network: network.clone(),
            plan,
            vcs: (0..memories).map(vcs).collect(),
            ends,
            ports,
            starts: Vec::new(),
            ways,
        }
    }

    pub(crate) fn ways(&self) -> &W {
        &self.ways
    }

    /// The same routes, and what packets remember that set out from a router to another one.
    pub(crate) fn with_starts(
        mut self,
        mut start: impl FnMut(&Self, RouterId, RouterId) -> u32,
    ) -> Self {
        let mut starts = Vec::new();
        for &destination in &self.ends.routers {
            let sources = self.network.routers();
            starts.extend(sources.map(|source| start(&self, source, destination) as u16));
        }
        self.starts = starts;
        self
    }

    /// The hop of a packet on its way to another router, and where it is then.
    pub(crate) fn next(&self, at: Node, destination: RouterId) -> Option<(Neighbour, Node)> {
        let memories = self.ways.memories();
        let nodes = self.network.router_count() * memories as usize;
        let port = self.ports[self.ends.number(destination)? * nodes + at.index(memories)];
        let channel = self.network.out_channel(at.router, port)?;
        let router = self.network.channel(channel).to_router()?;
        let memory = self.ways.behind(at.memory, channel)?;
        let neighbour = Neighbour {
            port,
            channel,
            router,
        };
        Some((neighbour, Node { router, memory }))
    }

    fn start_at(&self, source: RouterId, destination: RouterId) -> Option<Node> {
        let row = self.ends.number(destination)?;
        let entry = row * self.network.router_count() + source.index();
        let memory = self.starts.get(entry).copied().unwrap_or(0).into();
        let router = source;
        Some(Node { router, memory })
    }
}

impl<W: Ways> Rule for Table<W> {
    fn plan(&self) -> &VcPlan {
        &self.plan
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let [from, to] = [source, destination].map(|terminal| self.network.router_of(terminal));
        if !live(&self.network, source, destination) {
            return None;
        }
        let at = self.start_at(from, to)?;
        let is_routed = from == to || self.next(at, to).is_some();
        is_routed.then(|| Start {
            header: Header {
                class: if from == to { 0 } else { at.memory as u16 },
                ..Header::to(destination)
            },
            vcs: self.plan.all(),
        })
    }

    fn hop(&self, router: RouterId, header: Header) -> Option<Hop> {
        let destination = self.network.router_of(header.destination);
        if router == destination {
            return Some(ejection(&self.network, header, self.plan.all()));
        }
        let memory = header.class.into();
        let (Neighbour { port, .. }, next) = self.next(Node { router, memory }, destination)?;
        let class = next.memory as u16;
        Some(Hop {
            port,
            vcs: self.vcs[usize::from(class)],
            header: Header { class, ..header },
        })
    }

    fn memory_bytes(&self) -> u64 {
        2 * (self.ports.len() + self.starts.len()) as u64
    }
}
