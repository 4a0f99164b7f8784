//! The columns of tables: where packets to one destination go, what becomes of them, and on which lanes they come by.
//!
//! Tables stand row by router. Columns are taken out of them some at a time, so that what lies together is read together.
//!
//! Complexity: O(routers + terminals) a column.

use crate::irregular::by_destination::{NONE, Turns};
use turnwise_network::tables::SERVICE_LEVELS;
use turnwise_network::{Forwards, Network, TerminalId};

/// Instead of an arc: the destination's own port.
pub(super) const HERE: u32 = NONE - 1;

/// A bit for each service level: what its packets are counted as.
pub(super) type Bits = [u16; SERVICE_LEVELS as usize];

/// Destinations whose columns are taken out at a time: their entries at a router are a line of a cache.
const AT_A_TIME: usize = 32;

/// In the place of those that a router waits for: its packets have gone on.
const GONE: u32 = u32::MAX;

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
    /// By router: those whose packets are still to come by, or [`GONE`].
    waiting: Vec<u32>,
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
            waiting: vec![0; routers],
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
        let mut left = 0;
        for (start, passing) in self.passing.iter_mut().enumerate() {
            let cell = start * AT_A_TIME + place;
            *passing = self.starts[cell];
            if let Some(&(next, _)) = self.hops.arcs.get(self.ways[cell] as usize) {
                self.waiting[next as usize] += 1;
                left += 1;
            }
        }
        for start in 0..self.passing.len() {
            let (mut at, mut arc) = (start, self.ways[start * AT_A_TIME + place]);
            // Whoever is not waited for any more goes on with all that has come by.
            while arc < HERE && self.waiting[at] == 0 {
                self.waiting[at] = GONE;
                left -= 1;
                let passing = self.passing[at];
                let (router, turns) = self.hops.arcs[arc as usize];
                at = router as usize;
                arc = self.ways[at * AT_A_TIME + place];
                self.passing[at] |= passing;
                self.waiting[at] -= 1;
                if arc < HERE {
                    turn(router, turns.wrapping_add(arc) as usize, passing);
                }
            }
        }
        if left > 0 {
            self.go_round(place, turn);
        }
        self.waiting.fill(0);
    }

    /// The same for those who wait for each other, as packets go in circles.
    fn go_round(&mut self, place: usize, mut turn: impl FnMut(u32, usize, u16)) {
        for start in 0..self.passing.len() {
            let (mut at, passing) = (start, self.passing[start]);
            while self.waiting[start] != GONE && self.waiting[start] > 0 {
                let arc = self.ways[at * AT_A_TIME + place];
                let Some(&(router, turns)) = self.hops.arcs.get(arc as usize) else {
                    break;
                };
                at = router as usize;
                let next = self.ways[at * AT_A_TIME + place];
                self.passing[at] |= passing;
                turn(router, turns.wrapping_add(next) as usize, passing);
                if at == start {
                    break;
                }
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
