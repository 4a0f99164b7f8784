//! The columns of tables: where packets to one destination go, what becomes of them, and on which lanes they come by.
//!
//! Tables stand row by router. Columns are taken out of them some at a time, so that what lies together is read together.
//!
//! Complexity: O(routers + terminals) a column.

use crate::irregular::by_destination::{Graph, NONE};
use turnwise_network::tables::SERVICE_LEVELS;
use turnwise_network::{Forwards, Network, TerminalId};

/// Instead of an arc: the destination's own port.
pub(super) const HERE: u32 = NONE - 1;

/// A bit for each service level: what its packets are counted as.
pub(super) type Bits = [u16; SERVICE_LEVELS as usize];

/// Destinations whose columns are taken out at a time: their entries at a router are a line of a cache.
const AT_A_TIME: usize = 32;

/// Tables, column by column.
pub(super) struct Columns<'a> {
    network: &'a Network,
    tables: &'a dyn Forwards,
    by_port: &'a [u32],
    bits: Bits,
    /// The first destination of those that are there, by a multiple of [`AT_A_TIME`].
    first: Option<usize>,
    /// By destination and router: the arc that packets take, [`HERE`], or [`NONE`].
    ways: Vec<u32>,
    /// The same: packets that set out, by the bits of their service levels.
    starts: Vec<u16>,
}

impl<'a> Columns<'a> {
    /// `by_port` says the arc of each port of all routers.
    pub(super) fn new(
        network: &'a Network,
        tables: &'a dyn Forwards,
        by_port: &'a [u32],
        bits: Bits,
    ) -> Self {
        let cells = AT_A_TIME * network.router_count();
        Self {
            network,
            tables,
            by_port,
            bits,
            first: None,
            ways: vec![NONE; cells],
            starts: vec![0; cells],
        }
    }

    /// By router: where packets to a destination go, and what sets out there.
    pub(super) fn of(&mut self, to: TerminalId) -> (&mut [u32], &[u16]) {
        let first = to.index() - to.index() % AT_A_TIME;
        if self.first != Some(first) {
            self.take_out(first);
        }
        let routers = self.network.router_count();
        let begin = (to.index() - first) * routers;
        let cells = begin..begin + routers;
        (&mut self.ways[cells.clone()], &self.starts[cells])
    }

    fn take_out(&mut self, first: usize) {
        self.first = Some(first);
        let routers = self.network.router_count();
        let last = self.network.terminal_count().min(first + AT_A_TIME);
        for at in self.network.routers() {
            let arcs = &self.by_port[self.network.port_range(at)];
            let entries = &self.tables.entries(at)[first..last];
            let ways = self.ways[at.index()..].iter_mut().step_by(routers);
            for (way, &entry) in ways.zip(entries) {
                *way = arcs.get(usize::from(entry)).copied().unwrap_or(NONE);
            }
        }
        for to in (first..last).map(TerminalId::from) {
            let home = self.network.router_of(to);
            if self.tables.entry(home, to) == Some(self.network.terminal_port(to)) {
                self.ways[(to.index() - first) * routers + home.index()] = HERE;
            }
        }
        self.starts.fill(0);
        for source in self.network.living_terminals() {
            let levels = self.tables.service_levels(source);
            let levels = levels.get(first..last).unwrap_or(&[0; AT_A_TIME]);
            let home = self.network.router_of(source).index();
            let starts = self.starts[home..].iter_mut().step_by(routers);
            for (place, (start, &level)) in (first..last).zip(starts.zip(levels)) {
                if place != source.index() {
                    *start |= self.bits[usize::from(level % SERVICE_LEVELS)];
                }
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
    /// By router: packets that come by or set out there, by bits.
    pub(super) passing: Vec<u16>,
    /// Do some ways never end?
    circles: bool,
}

impl Journeys {
    pub(super) fn new(routers: usize) -> Self {
        Self {
            endings: vec![Ending::Unknown; routers],
            order: Vec::with_capacity(routers),
            passing: vec![0; routers],
            circles: false,
        }
    }

    /// Follows everybody's way; says whether all of them end at the destination.
    pub(super) fn follow(&mut self, ways: &[u32], graph: &Graph) -> bool {
        self.endings.fill(Ending::Unknown);
        self.order.clear();
        self.circles = false;
        let mut all_arrive = true;
        for start in 0..ways.len() as u32 {
            let (first, mut at) = (self.order.len(), start);
            let ending = loop {
                match self.endings[at as usize] {
                    Ending::Unknown => {}
                    Ending::Sought => {
                        self.circles = true;
                        break Ending::Lost;
                    }
                    known => break known,
                }
                self.endings[at as usize] = Ending::Sought;
                self.order.push(at);
                match ways[at as usize] {
                    HERE => break Ending::Arrives,
                    NONE => break Ending::Lost,
                    arc => at = graph.to(arc),
                }
            };
            all_arrive &= ending == Ending::Arrives;
            for &at in &self.order[first..] {
                self.endings[at as usize] = ending;
            }
            self.order[first..].reverse();
        }
        all_arrive
    }

    /// Lets packets set out and go where they go; `turn` is told of each two arcs that are taken one after the other, and by which packets.
    pub(super) fn flow(
        &mut self,
        (ways, starts): (&[u32], &[u16]),
        graph: &Graph,
        mut turn: impl FnMut([u32; 2], u16),
    ) {
        self.passing.copy_from_slice(starts);
        // What goes in circles comes by where it came by before, all of it once it has been round.
        for _ in 0..=usize::from(self.circles) {
            for &at in self.order.iter().rev() {
                let arc = ways[at as usize];
                if arc >= HERE {
                    continue;
                }
                let (passing, next) = (self.passing[at as usize], graph.to(arc));
                self.passing[next as usize] |= passing;
                let onwards = ways[next as usize];
                if onwards < HERE {
                    turn([arc, onwards], passing);
                }
            }
        }
    }
    /// Counts the routes of all terminals that arrive, on each arc.
    pub(super) fn count(&self, ways: &[u32], graph: &Graph, behind: &mut [u32], loads: &mut [u64]) {
        for &at in &self.order {
            let arrives = self.endings[at as usize] == Ending::Arrives;
            behind[at as usize] = if arrives { graph.terminals(at) } else { 0 };
        }
        for &at in self.order.iter().rev() {
            let arc = ways[at as usize];
            if arc < HERE {
                let routes = behind[at as usize];
                behind[graph.to(arc) as usize] += routes;
                loads[arc as usize] += u64::from(routes);
            }
        }
    }
}
