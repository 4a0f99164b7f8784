//! The columns of tables: where packets to one destination go, what becomes of them, and on which lanes they come by.
//!
//! Tables stand row by router. Columns are taken out of them some at a time, so that what lies together is read together.
//!
//! Complexity: O(routers + terminals) a column.

use crate::irregular::by_destination::{Graph, NONE, Turns};
use turnwise_network::tables::SERVICE_LEVELS;
use turnwise_network::{Forwards, Network, TerminalId};

/// Instead of an arc: the destination's own port.
pub(super) const HERE: u32 = NONE - 1;

/// A bit for each service level: what its packets are counted as.
pub(super) type Bits = [u16; SERVICE_LEVELS as usize];

/// Destinations whose columns are taken out at a time: their entries at a router are a line of a cache.
const AT_A_TIME: usize = 32;

/// Where the ports and arcs of a network lead.
pub(super) struct Hops {
    /// By port of all routers: its arc, or [`NONE`].
    by_port: Vec<u32>,
    /// By arc: the router it leads to, and what makes the number of its turn out of that of the next arc.
    arcs: Vec<(u32, u32)>,
}

impl Hops {
    pub(super) fn new(network: &Network, turns: &Turns<'_>) -> Self {
        let graph = turns.graph;
        let arcs = (0..graph.arcs() as u32).map(|arc| {
            let to = graph.to(arc);
            let next = graph.leaving(to).start;
            (to, (turns.number(arc, next) as u32).wrapping_sub(next))
        });
        Self {
            by_port: graph.by_port(network),
            arcs: arcs.collect(),
        }
    }
}

/// Tables, column by column.
pub(super) struct Columns<'a> {
    network: &'a Network,
    tables: &'a dyn Forwards,
    hops: &'a Hops,
    bits: Bits,
    /// The first destination of those that are there, by a multiple of [`AT_A_TIME`].
    first: Option<usize>,
    /// By router and destination: the arc that packets take, [`HERE`], or [`NONE`].
    ways: Vec<u32>,
    /// The same: packets that set out, by the bits of their service levels.
    starts: Vec<u16>,
    /// By destination: routers whose entries lead nowhere.
    missing: [u32; AT_A_TIME],
    /// By router: packets to the last destination that come by or set out there, by bits.
    pub(super) passing: Vec<u16>,
}

impl<'a> Columns<'a> {
    pub(super) fn new(
        network: &'a Network,
        tables: &'a dyn Forwards,
        hops: &'a Hops,
        bits: Bits,
    ) -> Self {
        let routers = network.router_count();
        Self {
            network,
            tables,
            hops,
            bits,
            first: None,
            ways: vec![NONE; AT_A_TIME * routers],
            starts: vec![0; AT_A_TIME * routers],
            missing: [0; AT_A_TIME],
            passing: vec![0; routers],
        }
    }

    /// By router: where packets to a destination go.
    pub(super) fn ways(&mut self, to: TerminalId) -> Vec<u32> {
        let place = self.place(to);
        self.ways[place..]
            .iter()
            .step_by(AT_A_TIME)
            .copied()
            .collect()
    }

    /// By router: what sets out there to a destination.
    pub(super) fn starts(&mut self, to: TerminalId) -> Vec<u16> {
        let place = self.place(to);
        self.starts[place..]
            .iter()
            .step_by(AT_A_TIME)
            .copied()
            .collect()
    }

    /// Does every router have an entry for a destination that leads somewhere?
    pub(super) fn is_whole(&mut self, to: TerminalId) -> bool {
        let place = self.place(to);
        self.missing[place] == 0
    }

    /// Lets packets to a destination set out and go where they go; `turn` is told of each router that they come to and leave again, of their turn
    /// there, and which they are.
    pub(super) fn flow(&mut self, to: TerminalId, mut turn: impl FnMut(u32, usize, u16)) {
        let place = self.place(to);
        self.passing.fill(0);
        for start in 0..self.passing.len() {
            let cell = start * AT_A_TIME + place;
            let mut fresh = self.starts[cell] & !self.passing[start];
            self.passing[start] |= fresh;
            let mut arc = self.ways[cell];
            while fresh != 0 && arc < HERE {
                let (at, turns) = self.hops.arcs[arc as usize];
                let next = self.ways[at as usize * AT_A_TIME + place];
                if next < HERE {
                    turn(at, turns.wrapping_add(next) as usize, fresh);
                }
                let passing = &mut self.passing[at as usize];
                fresh &= !*passing;
                *passing |= fresh;
                arc = next;
            }
        }
    }

    /// The place of a destination among those that are there.
    fn place(&mut self, to: TerminalId) -> usize {
        let place = to.index() % AT_A_TIME;
        let first = to.index() - place;
        if self.first != Some(first) {
            self.first = Some(first);
            self.take_out(first);
        }
        place
    }

    fn take_out(&mut self, first: usize) {
        let last = self.network.terminal_count().min(first + AT_A_TIME);
        self.missing.fill(0);
        let rows = self.ways.chunks_exact_mut(AT_A_TIME);
        for (at, row) in self.network.routers().zip(rows) {
            let arcs = &self.hops.by_port[self.network.port_range(at)];
            let entries = &self.tables.entries(at)[first..last];
            for ((way, missing), &entry) in row.iter_mut().zip(&mut self.missing).zip(entries) {
                *way = arcs.get(usize::from(entry)).copied().unwrap_or(NONE);
                *missing += u32::from(*way == NONE);
            }
        }
        for place in 0..last - first {
            let to = TerminalId::from(first + place);
            let home = self.network.router_of(to);
            if self.tables.entry(home, to) == Some(self.network.terminal_port(to)) {
                self.ways[home.index() * AT_A_TIME + place] = HERE;
                self.missing[place] -= 1;
            }
        }
        self.starts.fill(0);
        for source in self.network.living_terminals() {
            let levels = self.tables.service_levels(source);
            let levels = levels.get(first..last).unwrap_or(&[0; AT_A_TIME]);
            let row = self.network.router_of(source).index() * AT_A_TIME;
            let row = &mut self.starts[row..row + AT_A_TIME];
            let own = source.index().wrapping_sub(first);
            let others = row.get(own).copied();
            for (start, &level) in row.iter_mut().zip(levels) {
                *start |= self.bits[usize::from(level % SERVICE_LEVELS)];
            }
            // Nobody sends to itself.
            if let Some(others) = others {
                row[own] = others;
            }
        }
    }
}

/// Where a router's way ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// Nobody has looked yet.
    Unknown,
    /// Somebody is looking.
    Sought,
    /// At the destination.
    Arrives,
    /// Nowhere, or never.
    Lost,
}

/// What becomes of packets to one destination.
pub(super) struct Journeys {
    /// By router.
    pub(super) endings: Vec<Ending>,
    /// All routers, each behind the one that its way leads to next.
    pub(super) order: Vec<u32>,
}

impl Journeys {
    /// Follows everybody's way.
    pub(super) fn along(ways: &[u32], graph: &Graph) -> Self {
        let mut endings = vec![Ending::Unknown; ways.len()];
        let mut order = Vec::with_capacity(ways.len());
        for start in 0..ways.len() as u32 {
            let (first, mut at) = (order.len(), start);
            let ending = loop {
                match endings[at as usize] {
                    Ending::Unknown => {}
                    Ending::Sought => break Ending::Lost,
                    known => break known,
                }
                endings[at as usize] = Ending::Sought;
                order.push(at);
                match ways[at as usize] {
                    HERE => break Ending::Arrives,
                    NONE => break Ending::Lost,
                    arc => at = graph.to(arc),
                }
            };
            for &at in &order[first..] {
                endings[at as usize] = ending;
            }
            order[first..].reverse();
        }
        Self { endings, order }
    }
}
