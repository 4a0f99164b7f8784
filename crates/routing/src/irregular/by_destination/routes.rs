//! Routes by destination: a tree to every terminal, a lane for every route, and the forwarding table that makes.

use super::graph::{Graph, NONE};
use crate::algorithm::Context;
use crate::irregular::lanes::budget_of_levels;
use std::sync::Arc;
use turnwise_network::tables::ForwardingTable;
use turnwise_network::{Invalid, Network, RouterId, Vc};

/// For each destination, a terminal or several of a router, the arc by which each router sends to it.
#[derive(Clone)]
pub(crate) struct Trees {
    /// The routers of the destinations.
    pub(crate) routers: Vec<u32>,
    /// By living terminal, in their order: its destination.
    of: Vec<u32>,
    /// By destination, then by router.
    pub(crate) next: Vec<u32>,
    /// How many routers there are.
    pub(crate) width: usize,
}

impl Trees {
    /// Arcs to a destination, by router; [`NONE`] where there is no way, and at the destination's router.
    pub(crate) fn to(&self, destination: usize) -> &[u32] {
        &self.next[destination * self.width..(destination + 1) * self.width]
    }

    /// The same, to be written.
    pub(crate) fn to_mut(&mut self, destination: usize) -> &mut [u32] {
        &mut self.next[destination * self.width..(destination + 1) * self.width]
    }

    /// Trees without any way, to the living terminals in their order.
    pub(crate) fn without_ways(network: &Network) -> Self {
        let routers = network.living_terminals();
        let routers: Vec<u32> = routers
            .map(|terminal| network.router_of(terminal).0)
            .collect();
        let width = network.router_count();
        Self {
            next: vec![NONE; routers.len() * width],
            of: (0..routers.len() as u32).collect(),
            routers,
            width,
        }
    }

    /// Trees without any way, one to each router.
    pub(crate) fn to_each(routers: usize) -> Self {
        Self {
            next: vec![NONE; routers * routers],
            of: (0..routers as u32).collect(),
            routers: (0..routers as u32).collect(),
            width: routers,
        }
    }

    /// The same without any way, one for all terminals of a router together.
    pub(crate) fn shared(self) -> Self {
        let (mut routers, mut of) = (Vec::new(), Vec::with_capacity(self.of.len()));
        for tree in self.of {
            let router = self.routers[tree as usize];
            if routers.last() != Some(&router) {
                routers.push(router);
            }
            of.push(routers.len() as u32 - 1);
        }
        Self {
            next: vec![NONE; routers.len() * self.width],
            of,
            routers,
            width: self.width,
        }
    }

    /// The same, one for each terminal.
    pub(crate) fn apart(&self) -> Self {
        let trees = self.of.iter().map(|&tree| tree as usize);
        Self {
            routers: trees.clone().map(|tree| self.routers[tree]).collect(),
            of: (0..self.of.len() as u32).collect(),
            next: trees.flat_map(|tree| self.to(tree)).copied().collect(),
            width: self.width,
        }
    }

    /// The lanes of these trees' routes for those [apart](Self::apart).
    pub(crate) fn lanes_apart(&self, lanes: &[u8]) -> Vec<u8> {
        let of_tree = |&tree: &u32| {
            let first = tree as usize * self.width;
            &lanes[first..first + self.width]
        };
        self.of.iter().flat_map(of_tree).copied().collect()
    }

    /// By destination: how many terminals that is.
    pub(crate) fn terminals(&self) -> Vec<u32> {
        let mut terminals = vec![0; self.routers.len()];
        for &tree in &self.of {
            terminals[tree as usize] += 1;
        }
        terminals
    }

    /// What it takes to look at every arc for each terminal.
    pub(crate) fn work(&self, graph: &Graph) -> usize {
        self.of.len() * graph.arcs()
    }

    /// The places of routes among all lanes: of routers with terminals that have a way.
    pub(crate) fn routed(&self, graph: &Graph) -> impl Iterator<Item = usize> + Clone {
        let sends = |at: &usize| {
            let router = (at % self.width) as u32;
            self.next[*at] != NONE && graph.terminals(router) > 0
        };
        (0..self.next.len()).filter(sends)
    }
}

/// The lane of every route.
pub(crate) struct Layering {
    /// By destination, then by router.
    pub(crate) lanes: Vec<u8>,
    pub(crate) count: u32,
}

/// The forwarding table of these trees to all living terminals, with a service level for each route's lane, of so many.
pub(crate) fn forwarding_table(
    network: &Arc<Network>,
    graph: &Graph,
    trees: &Trees,
    lanes: &[u8],
    total: Vc,
) -> Result<ForwardingTable, Invalid> {
    let mut numbers = vec![None; network.terminal_count()];
    for (terminal, &tree) in network.living_terminals().zip(&trees.of) {
        numbers[terminal.index()] = Some(tree as usize);
    }
    let table = ForwardingTable::new(network, 0, |router, terminal, _| {
        if network.router_of(terminal) == router {
            return Some(network.terminal_port(terminal));
        }
        let arc = trees.to(numbers[terminal.index()]?)[router.index()];
        (arc != NONE).then(|| graph.port(arc))
    })?;
    let table = table.with_all_levels(by_source(network, trees, lanes, &numbers))?;
    let last = total - 1;
    table.with_lanes(total, |level| level.min(last))
}

/// How many routers' rows are made at once: lanes of neighbouring ones lie side by side.
const ROWS: usize = 64;

/// Lanes by source and destination, of those by destination and router.
fn by_source(network: &Network, trees: &Trees, lanes: &[u8], numbers: &[Option<usize>]) -> Vec<u8> {
    let columns = network.terminal_count();
    let mut levels = Vec::with_capacity(columns * columns);
    let mut rows = vec![0; ROWS * columns];
    let routers: Vec<RouterId> = network.routers().collect();
    for block in routers.chunks(ROWS) {
        for (column, number) in numbers.iter().enumerate() {
            let Some(number) = number else { continue };
            for (row, router) in block.iter().enumerate() {
                rows[row * columns + column] = lanes[number * trees.width + router.index()];
            }
        }
        for (row, &router) in rows.chunks_exact(columns.max(1)).zip(block) {
            for _ in network.terminals_of(router) {
                levels.extend_from_slice(row);
            }
        }
    }
    levels
}

/// Lanes of an algorithm that needs no number of them.
#[derive(Clone, Copy)]
pub(crate) struct GivenLanes {
    /// As many as the study or the router gives, or else one.
    pub(crate) used: Vc,
    /// As many as the router has.
    pub(crate) total: Vc,
}

impl GivenLanes {
    /// # Errors
    /// As [`budget_of_levels`].
    pub(crate) fn new(
        asked: Option<Vc>,
        network: &Network,
        context: &Context<'_>,
    ) -> Result<Self, Invalid> {
        let budget = budget_of_levels(asked, network, context)?;
        let used = match asked.or(context.router_virtual_channels) {
            Some(_) => budget,
            None => 1,
        };
        let total = context.router_virtual_channels.unwrap_or(used);
        Ok(Self { used, total })
    }

    /// The forwarding table of trees whose routes take these lanes in turns.
    pub(crate) fn shared(
        self,
        network: &Arc<Network>,
        graph: &Graph,
        trees: &Trees,
    ) -> Result<ForwardingTable, Invalid> {
        let in_turns: Vec<u8> = (0..self.used).cycle().take(trees.next.len()).collect();
        forwarding_table(network, graph, trees, &in_turns, self.total)
    }
}

/// Bytes of trees to all terminals, of their lanes and of the table, at most.
pub(crate) fn table_bytes(network: &Network) -> u64 {
    let [routers, terminals] =
        [network.router_count(), network.terminal_count()].map(|count| count as u64);
    terminals * (routers * 8 + terminals)
}
