//! Tables for a fabric of which something has failed, with as few new entries as can be.
//!
//! What still leads to its destination stays. Of those switches whose packets would be lost, each takes the next hop of a shortest way: that
//! which it has, if it is one, and else the one that fewest entries lead to. Pairs whose routes have changed keep their service level if that
//! closes no circle with anything the old tables did, and get one at which they close none if it does. Whether the change can be made under
//! load, whichever switch changes first, the verifier says ([`transition`](super::transition)).
//!
//! Loads are balanced locally only: new tables for all pairs are better, and these change little.
//!
//! Source: none; dependencies are kept free of circles as in Pearce and Kelly, ACM JEA 11, 2006.
//!
//! Complexity: O(terminals x routers) and O(pairs x diameter) to know the old tables, and for each changed route its length and searches in a graph
//! of channels.

use super::forwarding::Forwarding;
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use crate::irregular::by_destination::{Graph, Lane, NONE, Nearest, Turns};
use crate::irregular::carries_both_ways;
use crate::irregular::lanes::budget;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::tables::{ForwardingTable, SERVICE_LEVELS};
use turnwise_network::{Invalid, Network, RouterId, Routing, Shape, TerminalId, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: "repair",
        aliases: &[],
        summary: "Any network: the tables a subnet has, with new entries only where something has failed",
        source: "Pearce, Kelly, ACM JEA 11, 2006",
        example: "lft = \"old.lft\"",
        schema: schema_of::<Repair>,
        parse: |table, errors| Some(Box::new(parse_as::<Repair, dyn Algorithm>(table, errors)?)),
    },
    fits: carries_both_ways,
};

/// The tables that switches have.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repair {
    /// File of the forwarding tables that switches have.
    pub lft: String,
    /// File of the service levels; all are 0 without it.
    #[serde(default)]
    pub service_levels: Option<String>,
    /// Virtual lanes, each of a service level: by default all the router has, or else 8.
    #[serde(default)]
    pub virtual_lanes: Option<Vc>,
}

impl Repair {
    fn old(&self) -> Forwarding {
        Forwarding {
            lft: self.lft.clone(),
            service_levels: self.service_levels.clone(),
            sl2vl: None,
            virtual_lanes: self.virtual_lanes,
        }
    }
}

impl Algorithm for Repair {
    fn files(&self) -> Vec<(&'static str, &str)> {
        let levels = self.service_levels.as_deref();
        let levels = levels.map(|file| ("service_levels", file));
        std::iter::once(("lft", self.lft.as_str()))
            .chain(levels)
            .collect()
    }

    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::NewRules
    }

    fn table_bytes(&self, network: &Network) -> u64 {
        3 * self.old().table_bytes(network)
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let old = self.old().table(network, context)?;
        if old.lmc() > 0 {
            let message = "ports of adapters have several LIDs; tables are mended for one each";
            return Err(Invalid::new("lft", message));
        }
        let total = old.virtual_channels();
        let asked = self.virtual_lanes.or(context.router_virtual_channels);
        let lanes = match asked {
            Some(_) => budget(asked, context)?.min(SERVICE_LEVELS),
            None => total,
        };
        let graph = Graph::new(network);
        let turns = Turns::new(&graph);
        let mut mending = Mending::new(network, &graph, &turns, &old, lanes);
        mending.keep()?;
        mending.mend();
        mending.tell_levels()?;
        let Mending { ports, levels, .. } = mending;
        let table = ForwardingTable::new(network, 0, |router, terminal, _| {
            let arc = ports[terminal.index() * network.router_count() + router.index()];
            match network.router_of(terminal) == router {
                true => Some(network.terminal_port(terminal)),
                false => (arc != NONE).then(|| graph.port(arc)),
            }
        })?;
        let table = table.with_all_levels(levels)?;
        let table = table.with_lanes(total, |level| level % lanes)?;
        Ok(Box::new(table.replacing(old)))
    }
}

/// Where a router's way to a destination ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Unknown,
    Arrives,
    Lost,
}

struct Mending<'a> {
    network: &'a Network,
    graph: &'a Graph,
    turns: &'a Turns<'a>,
    old: &'a ForwardingTable,
    lanes: Vec<Lane>,
    /// By terminal, then by router: the arc to take.
    ports: Vec<u32>,
    /// The same, before anything was mended.
    kept: Vec<u32>,
    /// Row by source, column by destination.
    levels: Vec<u8>,
    /// By arc: entries that lead there.
    loads: Vec<u64>,
}

impl<'a> Mending<'a> {
    fn new(
        network: &'a Network,
        graph: &'a Graph,
        turns: &'a Turns<'a>,
        old: &'a ForwardingTable,
        lanes: Vc,
    ) -> Self {
        let (routers, terminals) = (network.router_count(), network.terminal_count());
        let by_port = graph.by_port(network);
        let mut ports = vec![NONE; routers * terminals];
        for terminal in network.living_terminals() {
            let end = network.router_of(terminal);
            for router in network.routers().filter(|&router| router != end) {
                if let Some(port) = old.port(router, terminal, 0) {
                    let arc = by_port[network.port_range(router).start + usize::from(port)];
                    ports[terminal.index() * routers + router.index()] = arc;
                }
            }
        }
        Self {
            network,
            graph,
            turns,
            old,
            lanes: (0..lanes).map(|_| Lane::new(turns)).collect(),
            kept: ports.clone(),
            ports,
            levels: vec![0; terminals * terminals],
            loads: vec![0; graph.arcs()],
        }
    }

    fn lane(&mut self, level: u8) -> &mut Lane {
        let count = self.lanes.len();
        &mut self.lanes[usize::from(level) % count]
    }

    /// Takes in what the old tables do, as far as it goes.
    ///
    /// # Errors
    /// A circle.
    fn keep(&mut self) -> Result<(), Invalid> {
        let network = self.network;
        let (routers, terminals) = (network.router_count(), network.terminal_count());
        // By router: levels at which somebody's packets have come by already.
        let mut seen = vec![0u16; routers];
        for destination in network.living_terminals() {
            let column = destination.index() * routers;
            seen.fill(0);
            for source in network.living_terminals() {
                let level = self.old.level(source, destination, 0);
                self.levels[source.index() * terminals + destination.index()] = level;
                let mut arc = self.kept[column + network.router_of(source).index()];
                while arc != NONE {
                    let at = &mut seen[self.graph.from(arc) as usize];
                    if *at >> level & 1 == 1 {
                        break;
                    }
                    *at |= 1 << level;
                    self.loads[arc as usize] += 1;
                    let next = self.kept[column + self.graph.to(arc) as usize];
                    let turns = self.turns;
                    if next != NONE && !self.lane(level).allows(turns, arc, next) {
                        let message =
                            "the tables to keep can deadlock, so there is nothing to mend";
                        let help = "make new ones for all pairs, as `turnwise route --fabric` does without `--keep`";
                        return Err(Invalid::new("lft", message).with_help(help));
                    }
                    arc = next;
                }
            }
        }
        Ok(())
    }

    /// Gives entries to those who no longer get to their destinations.
    fn mend(&mut self) {
        let routers = self.network.router_count();
        let mut nearest = Nearest::new(self.graph);
        let (mut ends, mut searched) = (vec![End::Unknown; routers], NONE);
        let mut nearer = Vec::new();
        for destination in self.network.living_terminals() {
            let end = self.network.router_of(destination).0;
            let column = destination.index() * routers;
            if !self.find_lost(column, end, &mut ends) {
                continue;
            }
            if searched != end {
                nearest.search(self.graph, end);
                searched = end;
            }
            let distance = |router: u32| nearest.distance[router as usize];
            for &router in &nearest.order[1..] {
                if ends[router as usize] != End::Lost {
                    continue;
                }
                let entry = self.ports[column + router as usize];
                nearer.clear();
                let leaving = self.graph.leaving(router);
                nearer
                    .extend(leaving.filter(|&arc| distance(self.graph.to(arc)) < distance(router)));
                nearer.sort_by_key(|&arc| (arc != entry, self.loads[arc as usize]));
                let fits = |arc: &&u32| self.keeps_levels(destination, RouterId(router), **arc);
                let Some(&arc) = nearer.iter().find(fits).or(nearer.first()) else {
                    continue;
                };
                if arc != entry {
                    self.ports[column + router as usize] = arc;
                    self.loads[arc as usize] += 1;
                }
            }
        }
    }

    /// Can packets that set out at a router take this arc and go on at the service levels they have?
    fn keeps_levels(&mut self, destination: TerminalId, from: RouterId, first: u32) -> bool {
        let (routers, terminals) = (self.network.router_count(), self.network.terminal_count());
        let column = destination.index() * routers;
        let mut seen = 0u16;
        self.network.living_terminals_of(from).all(|source| {
            let level = self.levels[source.index() * terminals + destination.index()];
            let is_known = seen >> level & 1 == 1;
            seen |= 1 << level;
            let count = self.lanes.len();
            let lane = &mut self.lanes[usize::from(level) % count];
            let mut arc = first;
            is_known
                || loop {
                    let next = self.ports[column + self.graph.to(arc) as usize];
                    if next == NONE {
                        break true;
                    }
                    if !lane.allows(self.turns, arc, next) {
                        break false;
                    }
                    arc = next;
                }
        })
    }

    /// By router: does its way get to a destination? Says whether one does not.
    fn find_lost(&self, column: usize, end: u32, ends: &mut [End]) -> bool {
        ends.fill(End::Unknown);
        ends[end as usize] = End::Arrives;
        let (mut walk, mut is_any) = (Vec::new(), false);
        for start in 0..ends.len() as u32 {
            let mut at = start;
            walk.clear();
            while ends[at as usize] == End::Unknown {
                // Who comes by again before it is known is lost.
                ends[at as usize] = End::Lost;
                walk.push(at);
                match self.ports[column + at as usize] {
                    NONE => break,
                    arc => at = self.graph.to(arc),
                }
            }
            match ends[at as usize] {
                End::Arrives => walk.iter().for_each(|&at| ends[at as usize] = End::Arrives),
                _ => is_any = true,
            }
        }
        is_any
    }

    /// Gives changed routes a service level at which they close no circle, their own if they can keep it.
    ///
    /// # Errors
    /// There is none.
    fn tell_levels(&mut self) -> Result<(), Invalid> {
        let network = self.network;
        let (routers, terminals) = (network.router_count(), network.terminal_count());
        let mut route = Vec::new();
        for destination in network.living_terminals() {
            let column = destination.index() * routers;
            if self.ports[column..column + routers] == self.kept[column..column + routers] {
                continue;
            }
            for source in network.living_terminals() {
                self.route(column, network.router_of(source).0, &mut route);
                let is_kept = |&arc: &u32| self.kept[column + self.graph.from(arc) as usize] == arc;
                if route.iter().all(is_kept) {
                    continue;
                }
                let pair = source.index() * terminals + destination.index();
                let own = self.levels[pair];
                let others = (0..self.lanes.len() as u8).filter(|&level| level != own);
                let fits = std::iter::once(own).chain(others).find(|&level| {
                    let turns = self.turns;
                    let count = self.lanes.len();
                    let lane = &mut self.lanes[usize::from(level) % count];
                    let mut pairs = route.windows(2);
                    pairs.all(|pair| lane.allows(turns, pair[0], pair[1]))
                });
                let Some(level) = fits else {
                    return Err(self.too_few((source, destination)));
                };
                self.levels[pair] = level;
            }
        }
        Ok(())
    }

    fn route(&self, column: usize, from: u32, route: &mut Vec<u32>) {
        route.clear();
        let mut arc = self.ports[column + from as usize];
        while arc != NONE {
            route.push(arc);
            arc = self.ports[column + self.graph.to(arc) as usize];
        }
    }

    fn too_few(&self, (source, destination): (TerminalId, TerminalId)) -> Invalid {
        let [a, b] = [source, destination].map(|terminal| self.network.terminal_label(terminal));
        let message = format!(
            "packets from {a} to {b} have no way round what has failed that closes no circle on {} lanes",
            self.lanes.len()
        );
        let help =
            "make new tables for all pairs, as `turnwise route --fabric` does without `--keep`";
        Invalid::new("virtual_lanes", message).with_help(help)
    }
}
