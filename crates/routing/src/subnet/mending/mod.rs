//! Tables are mended where packets would be lost.
//!
//! What still leads to its destination stays. Of those switches whose packets would be lost, each takes the next hop of a shortest way there is
//! to what stays: that which it has, if it is one, and else the one that fewest entries lead to for its speed; or that of a longer way where packets
//! close a circle on every shortest one. Where that fails all columns are mended anew, in several [`attempts`]. Those that are cut off from the destination forget it: an entry towards the cut would have sources
//! send what cannot arrive. Pairs whose routes have changed keep their service level if that closes no circle with anything the old tables
//! did, and get one at which they close none if it does.
//!
//! Adapters that the old tables do not know are new, as those of exchanged cards are. They have no service levels yet, whatever pairs without
//! a rule have, and get theirs last. They are taken to send nothing before.
//!
//! Loads are balanced locally only: new tables for all pairs are better, and these change little.
//!
//! Source: none; circles are kept out by [`dependencies`](super::dependencies).
//!
//! Complexity: O(terminals x routers + pairs) to know the old tables; for each destination with lost packets O(routers), and for each changed
//! route its length and searches in a graph of channels.

mod attempts;
mod levels;

use super::columns::{Columns, HERE};
use super::dependencies::{Dependencies, Dependency};
use super::service_levels::LAST_LANE;
use crate::irregular::by_destination::{Graph, NONE, Turns};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::mem::take;
use std::sync::Arc;
use turnwise_network::random::mix;
use turnwise_network::tables::ForwardingTable;
use turnwise_network::{Forwards, Invalid, Network, Port, RouterId, Routing, TerminalId, Vc};

/// The tables of a network on which something has failed since, mended so that packets arrive on so many lanes; each service level has
/// the lane of its number, modulo that.
///
/// # Errors
/// Tables that can deadlock as they are, or packets that cannot but close a circle; tables that have lanes by ports or several addresses
/// a terminal.
pub fn mended(
    network: &Arc<Network>,
    old: ForwardingTable,
    lanes: Vc,
) -> Result<ForwardingTable, Invalid> {
    mended_for(network, old, Vec::new(), lanes)
}

/// The same, where the entries for some terminals are those for others who have gone: they have no service levels yet, whatever pairs without a
/// rule have, and are taken to send and receive nothing before they have.
pub(super) fn mended_for(
    network: &Arc<Network>,
    old: ForwardingTable,
    heirs: Vec<TerminalId>,
    lanes: Vc,
) -> Result<ForwardingTable, Invalid> {
    if old.forwards().is_none() {
        let message = "these tables have lanes by ports, or several LIDs a port; tables are mended where neither is so";
        return Err(Invalid::new("lft", message));
    }
    let graph = Graph::new(network);
    let turns = Turns::new(&graph);
    let (mut mending, mut broken) = Mending::of(network, (&graph, &turns), (&old, &heirs), lanes)?;
    mending.mend_all(&mut broken)?;
    mending.tell_levels_of_new(&broken)?;
    let Mending { levels, is_new, .. } = mending;
    let (mut old, mut table) = (old.clone(), old);
    table.change(entries(network, &graph, &broken))?;
    // Who is new has had no other levels before.
    let is_of_new = |(from, to, _): &&(TerminalId, TerminalId, u8)| {
        is_new[from.index()] || heirs.binary_search(to).is_ok()
    };
    old.change_levels(levels.iter().filter(is_of_new).copied())?;
    table.change_levels(levels)?;
    let total = old.virtual_channels();
    let table = table.with_lanes(total, |level| level % lanes)?;
    Ok(table.replacing(old.with_silent(heirs)))
}

/// Has no switch of these tables an entry for a terminal, wherever it leads?
pub fn is_unknown(network: &Network, tables: &dyn Forwards, terminal: TerminalId) -> bool {
    let mut routers = network.routers();
    routers.all(|at| tables.entry(at, terminal).is_none())
}

/// The ways to a destination that not everybody gets to.
pub(super) struct Broken {
    pub(super) destination: TerminalId,
    /// By router: the arc to take.
    pub(super) ways: Vec<u32>,
    /// Who did not get there, in ascending order, each with the arc it took; before it is mended those who have no arc to take.
    pub(super) lost: Vec<(u32, u32)>,
    /// Those of them whose packets may not keep their service levels, in the same order.
    pub(super) unsettled: Vec<u32>,
    /// Has nobody a service level towards it?
    pub(super) is_untold: bool,
}

/// In the place of a length that nobody has asked for.
const UNKNOWN: u32 = NONE - 1;

pub(super) struct Mending<'a> {
    network: &'a Network,
    graph: &'a Graph,
    turns: &'a Turns<'a>,
    old: &'a dyn Forwards,
    lanes: Vc,
    dependencies: Dependencies<'a>,
    /// By turn: lanes on which it closes a circle with what is there for good, and the turns of which there are any.
    refused: Vec<u16>,
    refused_turns: Vec<usize>,
    /// By arc: entries that lead there, where somebody has asked, and the arcs to which more lead than in the old tables, as often.
    loads: Vec<Option<u64>>,
    taken: Vec<u32>,
    /// By arc: has it failed since the old tables were looked at?
    is_dead: Vec<bool>,
    /// By router: hops to the destination of who did not get there and does again, [`NONE`] of who does not, [`UNKNOWN`] of all others.
    lengths: Vec<u32>,
    /// Pairs that get another service level.
    pub(super) levels: Vec<(TerminalId, TerminalId, u8)>,
    /// By terminal: do the old tables not know it?
    is_new: Vec<bool>,
    /// The attempt in which a column is mended: 0 unless it has failed before.
    attempt: u32,
    lists: Lists,
}

/// What is at hand while a column is mended; made once for all of them.
#[derive(Default)]
struct Lists {
    /// Routers without a way, by what the length of one would be.
    next: BinaryHeap<Reverse<(u32, u32)>>,
    /// Arcs that may be taken, the best one first: is it another than before, how many entries lead there, or what has been drawn, its number.
    arcs: Vec<(bool, u64, u32)>,
    /// Routers at which none fits.
    stuck: Vec<u32>,
    /// What packets that set out at a router have added.
    added: Vec<Dependency>,
}

impl<'a> Mending<'a> {
    /// Takes in what the old tables do, as far as it goes; the columns in which it does not go far enough come as well.
    ///
    /// # Errors
    /// A circle.
    pub(super) fn of(
        network: &'a Network,
        (graph, turns): (&'a Graph, &'a Turns<'a>),
        (old, heirs): (&'a dyn Forwards, &[TerminalId]),
        lanes: Vc,
    ) -> Result<(Self, Vec<Broken>), Invalid> {
        let lane_of = |level| level as Vc % lanes;
        let is_heir = |at: TerminalId| heirs.binary_search(&at).is_ok();
        let is_new = network
            .terminals()
            .map(|at| is_heir(at) || is_unknown(network, old, at));
        let is_new: Vec<bool> = is_new.collect();
        let columns = Columns::new(network, old, turns, std::array::from_fn(lane_of));
        let mut columns = columns.without_those_of(is_new.clone());
        let (mut taken, mut broken) = (vec![0; turns.count()], Vec::new());
        while let Some(together) = columns.advance() {
            let is_alive = |to| network.is_terminal_alive(to);
            let is_told = |to| is_alive(to) && !is_heir(to);
            columns.turns(is_told, |turn, lanes| taken[turn] |= lanes);
            let all = together.map(TerminalId::from).filter(|&to| is_alive(to));
            for destination in all.filter(|&to| is_heir(to) || !columns.is_whole(to)) {
                let mut ways = columns.ways(destination);
                ways[network.router_of(destination).index()] = HERE;
                let all = (0..ways.len() as u32).zip(&ways);
                let stuck = all.filter(|&(_, &arc)| arc == NONE);
                broken.push(Broken {
                    destination,
                    lost: stuck.map(|(at, &arc)| (at, arc)).collect(),
                    unsettled: Vec::new(),
                    is_untold: is_heir(destination),
                    ways,
                });
            }
        }
        let Some(dependencies) = Dependencies::standing(turns, lanes.into(), taken) else {
            let message = match elsewhere(network, old) {
                0 => "the tables to keep can deadlock, so there is nothing to mend".to_owned(),
                // Where everybody was, they may have been safe.
                moved => format!(
                    "the tables to keep can deadlock with the service levels that pairs had, so there is nothing to mend: {moved} {} not where \
                     these tables have them",
                    if moved == 1 {
                        "adapter is"
                    } else {
                        "adapters are"
                    }
                ),
            };
            let help = levels_beyond(network, old, lanes).unwrap_or_else(|| {
                "make new ones for all pairs, as `turnwise route --fabric` does without `--keep`"
                    .to_owned()
            });
            return Err(Invalid::new("lft", message).with_help(help));
        };
        let mending = Self {
            network,
            graph,
            turns,
            old,
            lanes,
            dependencies,
            refused: vec![0; turns.count()],
            refused_turns: Vec::new(),
            loads: vec![None; graph.arcs()],
            taken: Vec::new(),
            is_dead: vec![false; graph.arcs()],
            lengths: vec![UNKNOWN; graph.routers()],
            levels: Vec::new(),
            is_new,
            attempt: 0,
            lists: Lists::default(),
        };
        Ok((mending, broken))
    }

    /// Gives entries to those who no longer get to a destination, who is nearest to it first.
    ///
    /// # Errors
    /// Somebody's packets close a circle wherever they go.
    pub(super) fn mend(&mut self, column: &mut Broken) -> Result<(), Invalid> {
        self.find_lost(column);
        let (mut next, mut stuck) = (take(&mut self.lists.next), take(&mut self.lists.stuck));
        for &(at, _) in &column.lost {
            next.extend(self.further(column, at, 0).map(Reverse));
        }
        while let Some(Reverse((length, at))) = next.pop() {
            if self.lengths[at as usize] != NONE {
                continue;
            }
            if let Some(arc) = self.way_that_fits(column, at, length) {
                self.take(column, arc);
                let before = self.arriving(at).map(|arc| self.graph.from(arc));
                let lost = before.filter(|&before| self.lengths[before as usize] == NONE);
                let length = self.lengths[at as usize];
                next.extend(lost.map(|before| Reverse((length + 1, before))));
            } else {
                // Longer ways are for whom no shorter one fits, and may come with those that others take.
                next.extend(self.further(column, at, length).map(Reverse));
                stuck.push(at);
            }
        }
        let is_stuck = |at: &u32| self.lengths[*at as usize] == NONE;
        let lost = stuck.drain(..).find(is_stuck).map(RouterId);
        (self.lists.next, self.lists.stuck) = (next, stuck);
        let mut sources = lost
            .into_iter()
            .flat_map(|at| self.network.living_terminals_of(at));
        if let Some(source) = sources.next() {
            return Err(self.too_few((source, column.destination)));
        }
        column.unsettled.sort_unstable();
        column.unsettled.dedup();
        for &(at, _) in &column.lost {
            let length = std::mem::replace(&mut self.lengths[at as usize], UNKNOWN);
            if length == NONE {
                column.ways[at as usize] = NONE;
            }
        }
        Ok(())
    }

    /// The length of the shortest way to the destination over a neighbour who is as far from it as said at least, and the router again.
    fn further(&self, column: &Broken, at: u32, least: u32) -> Option<(u32, u32)> {
        let next = self.leaving(at).map(|arc| self.graph.to(arc));
        let lengths = next.map(|to| self.length(to, column));
        let lengths = lengths.filter(|&length| length >= least && length != NONE);
        let longer = match self.attempt % 2 {
            0 => 0,
            _ => drawn(self.attempt, column.destination, at) % MOST_LONGER,
        };
        lengths.min().map(|length| (length + 1 + longer as u32, at))
    }

    /// The arcs of a router that are alive.
    fn leaving(&self, at: u32) -> impl Iterator<Item = u32> + '_ {
        let all = self.graph.leaving(at);
        all.filter(|&arc| !self.is_dead[arc as usize])
    }

    /// Those that lead to it.
    fn arriving(&self, at: u32) -> impl Iterator<Item = u32> + '_ {
        let all = self.graph.arriving(at);
        all.filter(|&arc| !self.is_dead[arc as usize])
    }

    /// Has packets go on over an arc.
    fn take(&mut self, column: &mut Broken, arc: u32) {
        let at = self.graph.from(arc) as usize;
        self.lengths[at] = self.length(self.graph.to(arc), column) + 1;
        let entry = std::mem::replace(&mut column.ways[at], arc);
        if arc != entry {
            *self.load(arc) += 1;
            self.taken.push(arc);
        }
    }

    /// Of a router's arcs to where it is nearer than so many hops, the first at which its packets close no circle: that which they took, or else
    /// that which fewest entries lead to for its speed, and best at the service levels that they have.
    fn way_that_fits(&mut self, column: &mut Broken, at: u32, length: u32) -> Option<u32> {
        let (graph, entry) = (self.graph, column.ways[at as usize]);
        let mut arcs = take(&mut self.lists.arcs);
        arcs.clear();
        for arc in graph.leaving(at) {
            if !self.is_dead[arc as usize] && self.length(graph.to(arc), column) < length {
                let rank = match self.attempt {
                    0 => (*self.load(arc) + 1) * graph.pace(arc),
                    again => drawn(again, column.destination, arc),
                };
                arcs.push((arc != entry, rank, arc));
            }
        }
        arcs.sort_unstable();
        let all = || arcs.iter().map(|&(.., arc)| arc);
        let mut found = all().find(|&arc| self.keeps_levels(column, at, arc));
        if found.is_none() {
            found = all().find(|&arc| self.finds_levels(column, at, arc));
            column.unsettled.push(at);
        }
        self.lists.arcs = arcs;
        found
    }

    /// Finds who does not get there beside those who have no arc to take.
    fn find_lost(&mut self, column: &mut Broken) {
        let (ways, lengths) = (&column.ways, &mut self.lengths);
        let lost = &mut column.lost;
        for &(at, _) in &*lost {
            lengths[at as usize] = NONE;
        }
        let mut next = 0;
        while let Some(&(at, _)) = lost.get(next) {
            next += 1;
            for arc in self.graph.arriving(at) {
                let before = self.graph.from(arc);
                if ways[before as usize] == arc && lengths[before as usize] == UNKNOWN {
                    lengths[before as usize] = NONE;
                    lost.push((before, arc));
                }
            }
        }
        lost.sort_unstable();
    }

    /// Hops from a router to the destination, [`NONE`] if its packets do not get there.
    fn length(&self, from: u32, column: &Broken) -> u32 {
        let mut at = from;
        for hops in 0..=column.ways.len() as u32 {
            let known = self.lengths[at as usize];
            if known != UNKNOWN {
                return known.saturating_add(hops);
            }
            match column.ways[at as usize] {
                HERE => return hops,
                NONE => return NONE,
                arc => at = self.graph.to(arc),
            }
        }
        NONE
    }

    /// Entries that lead to an arc.
    fn load(&mut self, arc: u32) -> &mut u64 {
        let (at, port) = (RouterId(self.graph.from(arc)), self.graph.port(arc));
        self.loads[arc as usize].get_or_insert_with(|| {
            let entries = self.old.entries(at).iter();
            entries.filter(|&&entry| entry == port).count() as u64
        })
    }

    /// Can packets that set out at a router take this arc and go on at the service levels they have? If so they are taken in.
    fn keeps_levels(&mut self, column: &Broken, from: u32, first: u32) -> bool {
        let network = self.network;
        let mut seen = 0u16;
        let mut added = take(&mut self.lists.added);
        let mut sources = network.living_terminals_of(RouterId(from));
        let keep = sources.all(|source| {
            let level = self.old.service_level(source, column.destination);
            let is_known = seen >> level & 1 == 1;
            seen |= 1 << level;
            is_known || self.fits(column, first, level, &mut added)
        });
        if !keep {
            self.take_back(&mut added, 0);
        }
        added.clear();
        self.lists.added = added;
        keep
    }

    /// Is there any service level for those?
    fn finds_levels(&mut self, column: &Broken, from: u32, first: u32) -> bool {
        let has_packets = self.graph.terminals(from) > 0;
        !has_packets
            || (0..self.lanes).any(|level| self.fits(column, first, level, &mut Vec::new()))
    }

    /// May a route that begins with an arc have a service level? If so it is taken in; what has been added is appended.
    fn fits(
        &mut self,
        column: &Broken,
        first: u32,
        level: u8,
        added: &mut Vec<Dependency>,
    ) -> bool {
        let lane = usize::from(level % self.lanes);
        let arcs = || route(self.graph, &column.ways, first);
        let turn = |(from, to)| self.turns.number(from, to);
        let is_refused = |turn: usize| self.refused[turn] >> lane & 1 == 1;
        if arcs().zip(arcs().skip(1)).map(turn).any(is_refused) {
            return false;
        }
        let (mut from, known) = (first, added.len());
        for to in arcs().skip(1) {
            let dependency = Dependency { lane, from, to };
            if !self.dependencies.add(dependency) {
                let is_alone = added.len() == known;
                self.take_back(added, known);
                if known == 0 {
                    self.refuse(dependency, is_alone);
                }
                return false;
            }
            added.push(dependency);
            from = to;
        }
        true
    }

    /// Notes of a dependency that did not fit, alone or with others that have been taken back since, if that is so for good.
    fn refuse(&mut self, dependency: Dependency, was_alone: bool) {
        if !was_alone && self.dependencies.add(dependency) {
            self.dependencies.remove(dependency);
            return;
        }
        let turn = self.turns.number(dependency.from, dependency.to);
        self.refused[turn] |= 1 << dependency.lane;
        self.refused_turns.push(turn);
    }

    /// An arc fails.
    pub(super) fn lose(&mut self, arc: u32) {
        self.is_dead[arc as usize] = true;
        self.dependencies.fail(arc);
    }

    /// All arcs that have failed are there again. Call it when all has been [forgotten](Self::forget).
    pub(super) fn find_again(&mut self, arcs: &[u32]) {
        for &arc in arcs {
            self.is_dead[arc as usize] = false;
        }
        self.dependencies.revive();
    }

    /// Takes everything back: the old tables are what there is.
    pub(super) fn forget(&mut self) {
        self.dependencies.forget();
        for turn in self.refused_turns.drain(..) {
            self.refused[turn] = 0;
        }
        for arc in self.taken.drain(..) {
            self.loads[arc as usize] = self.loads[arc as usize].map(|load| load - 1);
        }
        self.lengths.fill(UNKNOWN);
        self.levels.clear();
    }

    /// Takes back what has been added since there were so many.
    fn take_back(&mut self, added: &mut Vec<Dependency>, known: usize) {
        for dependency in added.drain(known..) {
            self.dependencies.remove(dependency);
        }
    }

    fn too_few(&self, (source, destination): (TerminalId, TerminalId)) -> Invalid {
        let [a, b] = [source, destination].map(|terminal| self.network.terminal_label(terminal));
        let lanes = match self.lanes {
            1 => "the one lane there is".to_owned(),
            many => format!("any of {many} lanes"),
        };
        let message = match self.is_new[source.index()] {
            true => format!(
                "no way was found for packets from {a}, which the tables to keep do not know, to {b} that closes no circle on {lanes}"
            ),
            false => format!(
                "no way round what has failed was found for packets from {a} to {b} that closes no circle on {lanes}"
            ),
        };
        let help =
            "make new tables for all pairs, as `turnwise route --fabric` does without `--keep`";
        Invalid::new("virtual_lanes", message).with_help(help)
    }
}

/// What to do where service levels share lanes only because nobody has said that there are more; `None` where each has its own.
pub fn levels_beyond(network: &Network, tables: &dyn Forwards, lanes: Vc) -> Option<String> {
    let level = highest_level(network, tables);
    // There is no fabric with so many lanes for data.
    let can_be = level < LAST_LANE + 1 || network.identities().is_none();
    (level >= lanes && can_be).then(|| {
        format!(
            "service levels go up to {level}, on {} here; if switches have more for data, take virtual_lanes = {}",
            match lanes {
                1 => "1 lane".to_owned(),
                many => format!("{many} lanes"),
            },
            level + 1
        )
    })
}

/// In every other attempt a way may be longer than the shortest one by fewer hops than this, as drawn: on a ring of one lane somebody has to go
/// the long way.
const MOST_LONGER: u64 = 4;

/// In another attempt: some number of an arc, by which it comes before others or behind them.
fn drawn(attempt: u32, to: TerminalId, arc: u32) -> u64 {
    mix(mix(u64::from(attempt) << 32 | u64::from(to.0)) ^ u64::from(arc))
}

/// Living adapters that their own switch has at another port.
fn elsewhere(network: &Network, tables: &dyn Forwards) -> usize {
    let is_elsewhere = |&at: &TerminalId| {
        let entry = tables.entry(network.router_of(at), at);
        entry.is_some_and(|port| port != network.terminal_port(at))
    };
    network.living_terminals().filter(is_elsewhere).count()
}

/// The highest service level of any pair.
fn highest_level(network: &Network, old: &dyn Forwards) -> u8 {
    let pairs = network.living_terminals().flat_map(|source| {
        let others = network.living_terminals().filter(move |&to| to != source);
        others.map(move |to| (source, to))
    });
    let levels = pairs.map(|(source, to)| old.service_level(source, to));
    levels.max().unwrap_or(0)
}

/// The arcs of a route that begins with one.
fn route<'a>(graph: &'a Graph, ways: &'a [u32], first: u32) -> impl Iterator<Item = u32> + 'a {
    let onwards = |&arc: &u32| Some(ways[graph.to(arc) as usize]).filter(|&arc| arc < HERE);
    std::iter::successors(Some(first), onwards)
}

/// The entries that have to be others than they were.
fn entries<'a>(
    network: &'a Network,
    graph: &'a Graph,
    broken: &'a [Broken],
) -> impl Iterator<Item = (RouterId, TerminalId, Option<Port>)> + 'a {
    let mended = broken.iter().flat_map(move |column| {
        let lost = column.lost.iter();
        lost.filter_map(|&(at, before)| {
            let arc = column.ways[at as usize];
            let port = (arc < HERE).then(|| graph.port(arc));
            let is_new = arc == NONE || arc != before;
            is_new.then_some((RouterId(at), column.destination, port))
        })
    });
    let dead = network
        .terminals()
        .filter(|&to| !network.is_terminal_alive(to));
    let dead = dead.flat_map(move |to| network.routers().map(move |at| (at, to, None)));
    let own = |to| (network.router_of(to), to, Some(network.terminal_port(to)));
    mended.chain(dead).chain(network.terminals().map(own))
}
