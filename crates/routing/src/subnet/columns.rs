//! The columns of tables: where packets to one destination go, what becomes of them, and on which lanes they come by.
//!
//! Many destinations are looked at together, a bit of a few words for each: an arc has those whose packets take it, and a router those whose packets
//! come by on a lane. So packets of all of them go on at once, until none of them comes anywhere anew; whether some go in circles meanwhile
//! makes no difference.
//!
//! Complexity: O(routers + terminals) a destination to read, and for all that are looked at together O(turns) and what grows until nothing does.

use crate::irregular::by_destination::{NONE, Turns};
use std::collections::VecDeque;
use turnwise_network::tables::SERVICE_LEVELS;
use turnwise_network::{Forwards, Network, Port, TerminalId};

/// Instead of an arc: the destination's own port.
pub(super) const HERE: u32 = NONE - 1;

/// Destinations that are looked at together.
const TOGETHER: usize = 256;
const WORD: usize = u64::BITS as usize;

/// Some of them: a bit each, from the first one on.
type Group = [u64; TOGETHER / WORD];

/// The lane of each service level.
pub(super) type Lanes = [u8; SERVICE_LEVELS as usize];

/// Tables, column by column.
pub(super) struct Columns<'a> {
    network: &'a Network,
    turns: &'a Turns<'a>,
    lanes: Lanes,
    /// By router: its entries.
    entries: Vec<&'a [Port]>,
    /// By terminal: the service levels of its packets.
    levels: Vec<&'a [u8]>,
    /// By terminal: does it send nothing? Nobody is, if there is nothing here.
    silent: Vec<bool>,
    /// By port of all routers: its arc, or [`NONE`].
    by_port: Vec<u32>,
    /// Those that are looked at: the first one, and how many.
    first: usize,
    count: usize,
    /// By arc: whose packets take it.
    leads: Vec<Group>,
    /// Whose packets are lost at some router, if they come there.
    broken: Group,
    /// By lane.
    flows: Vec<Flow>,
}

/// Packets on a lane.
struct Flow {
    lane: u8,
    /// By router: whose packets come by or set out there.
    passing: Vec<Group>,
}

impl<'a> Columns<'a> {
    pub(super) fn new(
        network: &'a Network,
        tables: &'a dyn Forwards,
        turns: &'a Turns<'a>,
        lanes: Lanes,
    ) -> Self {
        Self {
            network,
            turns,
            lanes,
            entries: network.routers().map(|at| tables.entries(at)).collect(),
            levels: network
                .terminals()
                .map(|from| tables.service_levels(from))
                .collect(),
            silent: Vec::new(),
            by_port: turns.graph.by_port(network),
            first: 0,
            count: 0,
            leads: vec![NOBODY; turns.graph.arcs()],
            broken: NOBODY,
            flows: Vec::new(),
        }
    }

    /// The same, but for the packets of some terminals.
    pub(super) fn without_those_of(self, silent: Vec<bool>) -> Self {
        Self { silent, ..self }
    }

    /// Those that send.
    fn sources(&self) -> impl Iterator<Item = TerminalId> + '_ {
        let is_silent = |from: &TerminalId| self.silent.get(from.index()).copied();
        let living = self.network.living_terminals();
        living.filter(move |from| !is_silent(from).unwrap_or(false))
    }

    /// Looks at the next destinations; `None` behind the last ones.
    pub(super) fn advance(&mut self) -> Option<std::ops::Range<usize>> {
        self.first += self.count;
        self.count = TOGETHER.min(self.network.terminal_count() - self.first);
        let all = self.first..self.first + self.count;
        if all.is_empty() {
            return None;
        }
        self.read_ways();
        let starts = self.starting();
        for flow in &mut self.flows {
            flow.passing.fill(NOBODY);
        }
        for (lane, starts) in (0..).zip(starts) {
            if !starts.is_empty() {
                self.flow(lane, starts);
            }
        }
        Some(all)
    }

    /// Does every router have an entry for a destination that leads somewhere?
    pub(super) fn is_whole(&self, to: TerminalId) -> bool {
        !has(&self.broken, to.index() - self.first)
    }

    /// By router: where packets to a destination go.
    pub(super) fn ways(&self, to: TerminalId) -> Vec<u32> {
        let own = (self.network.router_of(to), self.network.terminal_port(to));
        let routers = self.network.routers().zip(&self.entries);
        let ways = routers.map(|(at, entries)| match entries[to.index()] {
            port if (at, port) == own => HERE,
            port => {
                let arcs = &self.by_port[self.network.port_range(at)];
                arcs.get(usize::from(port)).copied().unwrap_or(NONE)
            }
        });
        ways.collect()
    }

    /// By router: the lanes on which packets to a destination set out there.
    pub(super) fn starts(&self, to: TerminalId) -> Vec<u16> {
        let mut starts = vec![0; self.network.router_count()];
        for source in self.sources().filter(|&from| from != to) {
            let levels = self.levels[source.index()];
            let level = levels.get(to.index()).copied().unwrap_or(0);
            starts[self.network.router_of(source).index()] |= 1 << self.lane(level);
        }
        starts
    }

    /// By router: the lanes on which packets to a destination come by or set out there.
    pub(super) fn passing(&self, to: TerminalId) -> Vec<u16> {
        let place = to.index() - self.first;
        let mut lanes = vec![0; self.network.router_count()];
        for flow in &self.flows {
            for (lanes, passing) in lanes.iter_mut().zip(&flow.passing) {
                *lanes |= u16::from(has(passing, place)) << flow.lane;
            }
        }
        lanes
    }

    /// Tells of each turn that packets take to some of those that are looked at, and the lanes on which they do.
    pub(super) fn turns(
        &self,
        mut is_one: impl FnMut(TerminalId) -> bool,
        mut turn: impl FnMut(usize, u16),
    ) {
        let mut of = NOBODY;
        for place in 0..self.count {
            let is_one = is_one(TerminalId::from(self.first + place));
            of[place / WORD] |= u64::from(is_one) << (place % WORD);
        }
        let graph = self.turns.graph;
        let mut held: Vec<(u16, Group)> = Vec::new();
        for from in 0..graph.arcs() as u32 {
            let taking = both(&self.leads[from as usize], &of);
            if is_empty(&taking) {
                continue;
            }
            let at = graph.from(from) as usize;
            held.clear();
            let mut any = NOBODY;
            for flow in &self.flows {
                let passing = both(&flow.passing[at], &taking);
                if !is_empty(&passing) {
                    any = either(&any, &passing);
                    held.push((1 << flow.lane, passing));
                }
            }
            for (number, to) in self.turns.onwards(from) {
                let leads = &self.leads[to as usize];
                if is_empty(&both(&any, leads)) {
                    continue;
                }
                let goes_on = held
                    .iter()
                    .filter(|(_, held)| !is_empty(&both(held, leads)));
                turn(number, goes_on.fold(0, |lanes, (lane, _)| lanes | lane));
            }
        }
    }

    fn lane(&self, level: u8) -> u8 {
        self.lanes[usize::from(level % SERVICE_LEVELS)]
    }

    fn read_ways(&mut self) {
        let network = self.network;
        let range = self.first..self.first + self.count;
        self.leads.fill(NOBODY);
        self.broken = NOBODY;
        let mut all = NOBODY;
        for place in 0..self.count {
            all[place / WORD] |= 1 << (place % WORD);
        }
        for (at, entries) in network.routers().zip(&self.entries) {
            let arcs = &self.by_port[network.port_range(at)];
            let entries = &entries[range.clone()];
            for (word, entries) in entries.chunks(WORD).enumerate() {
                runs(entries, |port, these| {
                    let arc = arcs.get(usize::from(port)).copied().unwrap_or(NONE);
                    if let Some(leads) = self.leads.get_mut(arc as usize) {
                        leads[word] |= these;
                    }
                });
            }
            let leaving = self.turns.graph.leaving(at.0);
            let leaving = &self.leads[leaving.start as usize..leaving.end as usize];
            let mut known = leaving
                .iter()
                .fold(NOBODY, |all, leads| either(&all, leads));
            for own in network.living_terminals_of(at) {
                let place = own.index().wrapping_sub(range.start);
                if entries.get(place) == Some(&network.terminal_port(own)) {
                    known[place / WORD] |= 1 << (place % WORD);
                }
            }
            self.broken = either(&self.broken, &without(&all, &known));
        }
    }

    /// By lane and router: to whom packets set out there; nothing for lanes that none takes.
    fn starting(&self) -> [Vec<Group>; SERVICE_LEVELS as usize] {
        let network = self.network;
        let range = self.first..self.first + self.count;
        let mut starts: [Vec<Group>; SERVICE_LEVELS as usize] = Default::default();
        let mut by_level = [NOBODY; SERVICE_LEVELS as usize];
        let mut last: Option<&[u8]> = None;
        for source in self.sources() {
            let levels = self.levels[source.index()].get(range.clone());
            let levels = levels.unwrap_or(&[0; TOGETHER][..self.count]);
            // Terminals of a router mostly have the same levels.
            if last != Some(levels) {
                by_level.fill(NOBODY);
                for (word, levels) in levels.chunks(WORD).enumerate() {
                    runs(levels, |level, these| {
                        by_level[usize::from(level % SERVICE_LEVELS)][word] |= these;
                    });
                }
                last = Some(levels);
            }
            let own = source.index().wrapping_sub(range.start);
            let mut itself = NOBODY;
            if let Some(word) = itself.get_mut(own / WORD) {
                *word = 1 << (own % WORD);
            }
            for (level, towards) in (0..).zip(&by_level).filter(|(_, to)| !is_empty(to)) {
                let of_lane = &mut starts[usize::from(self.lane(level))];
                of_lane.resize(network.router_count(), NOBODY);
                let at = &mut of_lane[network.router_of(source).index()];
                // Nobody sends to itself.
                *at = either(at, &without(towards, &itself));
            }
        }
        starts
    }

    /// Lets packets that set out at routers on a lane go where they go.
    fn flow(&mut self, lane: u8, mut coming: Vec<Group>) {
        let graph = self.turns.graph;
        let at = match self.flows.iter().position(|flow| flow.lane == lane) {
            Some(at) => at,
            None => {
                let passing = vec![NOBODY; graph.routers()];
                self.flows.push(Flow { lane, passing });
                self.flows.len() - 1
            }
        };
        let passing = &mut self.flows[at].passing;
        let routers = 0..graph.routers() as u32;
        let mut next: VecDeque<u32> = routers
            .filter(|&at| !is_empty(&coming[at as usize]))
            .collect();
        while let Some(at) = next.pop_front() {
            let new = std::mem::replace(&mut coming[at as usize], NOBODY);
            passing[at as usize] = either(&passing[at as usize], &new);
            for arc in graph.leaving(at) {
                let going = both(&new, &self.leads[arc as usize]);
                let to = graph.to(arc) as usize;
                let going = without(&going, &passing[to]);
                if is_empty(&going) {
                    continue;
                }
                if is_empty(&coming[to]) {
                    next.push_back(to as u32);
                }
                coming[to] = either(&coming[to], &going);
            }
        }
    }
}

/// Tells of items that are alike and stand together, and the bits of their places in a word.
#[inline]
fn runs<Item: Copy + PartialEq>(items: &[Item], mut each: impl FnMut(Item, u64)) {
    let mut first = 0;
    for run in items.chunk_by(PartialEq::eq) {
        each(run[0], u64::MAX >> (WORD - run.len()) << first);
        first += run.len();
    }
}

const NOBODY: Group = [0; TOGETHER / WORD];

fn both(one: &Group, other: &Group) -> Group {
    std::array::from_fn(|word| one[word] & other[word])
}

fn either(one: &Group, other: &Group) -> Group {
    std::array::from_fn(|word| one[word] | other[word])
}

fn without(one: &Group, other: &Group) -> Group {
    std::array::from_fn(|word| one[word] & !other[word])
}

fn is_empty(some: &Group) -> bool {
    some.iter().fold(0, |all, word| all | word) == 0
}

fn has(some: &Group, place: usize) -> bool {
    some[place / WORD] >> (place % WORD) & 1 == 1
}
