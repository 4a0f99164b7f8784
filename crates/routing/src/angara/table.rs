//! A table of source routes, one for each pair of nodes that communicate.

use super::system::NONE;
use super::{Direction, Loads, Route, Rules, System};
use crate::common::endpoints;
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Hop, Network, RouterId, Routing, Start, TerminalId, Vc, VcSet,
};

/// The route of every ordered pair of members, as many bytes as the header field has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteTable {
    members: Vec<u32>,
    /// By node: its place among the members, [`NONE`] if it is not one.
    place: Vec<u32>,
    /// Row by row, a source each.
    routes: Vec<Route>,
}

impl RouteTable {
    /// A table without routes.
    pub fn new(system: &System) -> Self {
        let members = system.members().to_vec();
        let mut place = vec![NONE; system.nodes()];
        for (index, &member) in members.iter().enumerate() {
            place[member as usize] = index as u32;
        }
        Self {
            routes: vec![Route::NONE; members.len() * members.len()],
            members,
            place,
        }
    }

    /// Nodes that send and receive, ascending.
    pub fn members(&self) -> &[u32] {
        &self.members
    }

    /// The route from one member to another: empty to itself, or if there is none.
    #[inline]
    pub fn route(&self, source: u32, target: u32) -> Route {
        self.routes[self.pair(source, target)]
    }

    /// Sets the route of a pair of members.
    #[inline]
    pub fn set(&mut self, source: u32, target: u32, route: Route) {
        let pair = self.pair(source, target);
        self.routes[pair] = route;
    }

    #[inline]
    fn pair(&self, source: u32, target: u32) -> usize {
        let places = (self.place[source as usize], self.place[target as usize]);
        places.0 as usize * self.members.len() + places.1 as usize
    }

    fn place(&self, node: u32) -> Option<usize> {
        let place = *self.place.get(node as usize)?;
        (place != NONE).then_some(place as usize)
    }

    /// Every ordered pair of different members with its route.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, Route)> + '_ {
        let pairs = self
            .members
            .iter()
            .flat_map(|&source| self.members.iter().map(move |&target| (source, target)));
        pairs
            .zip(&self.routes)
            .filter(|&((source, target), _)| source != target)
            .map(|((source, target), &route)| (source, target, route))
    }

    /// The table of any routing that leaves no choice, pair by pair from its own hops; pairs it
    /// does not route stay empty.
    ///
    /// O(pairs x hops).
    ///
    /// # Errors
    /// The first pair whose route is no route of this encoding: it branches, it wanders, it
    /// takes directions out of order.
    pub fn of(network: &Network, routing: &dyn Routing, system: &System) -> Result<Self, Misfit> {
        let mut table = Self::new(system);
        let members = table.members.clone();
        let terminal = |node: u32| network.terminals_of(RouterId(node)).start;
        let (mut hops, mut options) = (Vec::new(), Vec::new());
        for &source in &members {
            for &target in members.iter().filter(|&&target| target != source) {
                let ends = (TerminalId(terminal(source)), TerminalId(terminal(target)));
                let Some(start) = routing.start(ends.0, ends.1) else {
                    continue;
                };
                let misfit = |reason| Misfit {
                    source,
                    target,
                    reason,
                };
                let (mut at, mut header) = (source, start.header);
                hops.clear();
                // A route may pass its target, and come back to it.
                loop {
                    options.clear();
                    routing.options(RouterId(at), header, &mut options);
                    let &[hop] = options.as_slice() else {
                        return Err(misfit(if options.is_empty() {
                            Reason::Lost
                        } else {
                            Reason::Branches
                        }));
                    };
                    let rank = (0..system.directions().count())
                        .find(|&rank| system.port(rank) == hop.port);
                    if rank.is_none() && at == target {
                        break;
                    }
                    let onward = rank.and_then(|rank| Some((rank, system.next(at, rank)?)));
                    let Some((rank, next)) = onward else {
                        return Err(misfit(Reason::Lost));
                    };
                    hops.push(rank);
                    (at, header) = (next, hop.header);
                    if hops.len() > 4 * 255 {
                        return Err(misfit(Reason::Wanders));
                    }
                }
                let route = Route::encode(system.directions(), &hops);
                table.set(source, target, route.ok_or_else(|| misfit(Reason::Order))?);
            }
        }
        Ok(table)
    }

    /// Routes by channel.
    pub fn loads(&self, system: &System) -> Loads {
        let mut loads = Loads::new(system);
        for (source, _, route) in self.iter() {
            loads.add(system, source, route);
        }
        loads
    }

    /// The first pair whose route is not legal, or leads elsewhere; pairs without a route are not looked at.
    pub fn first_illegal(&self, rules: &Rules) -> Option<(u32, u32, Route)> {
        self.iter().find(|&(source, target, route)| {
            !route.is_empty()
                && (!rules.allow(source, route)
                    || route.end(rules.system(), source) != Some(target))
        })
    }

    /// The first line of a table's file.
    pub const HEADER: &'static str = "source,destination,fs,bits,counts,ls";

    /// The whole table as a file, a row a pair that has a route.
    pub fn write(&self, dimensions: usize) -> String {
        let mut text = format!("{}\n", Self::HEADER);
        for &source in &self.members {
            for row in self.rows(source, dimensions) {
                text.push_str(&format!("{source},{row}\n"));
            }
        }
        text
    }

    /// Reads what [`write`](Self::write) writes; empty lines and those that begin with `#` do not count.
    ///
    /// # Errors
    /// Line, counted from 1, and what was expected there.
    pub fn read(system: &System, text: &str) -> Result<Self, (usize, String)> {
        let dimensions = system.sizes().len();
        let mut table = Self::new(system);
        // Windows programs put a byte order mark in front of their text files.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = (1..).zip(text.lines());
        let counts = |line: &str| !line.is_empty() && !line.starts_with('#');
        let mut lines = lines.filter(|(_, line)| counts(line.trim_start()));
        match lines.next() {
            Some((_, header)) if header.trim() == Self::HEADER => {}
            found => {
                let (line, found) = found.unwrap_or((1, "nothing"));
                return Err((
                    line,
                    format!("expected the header {}, found {found}", Self::HEADER),
                ));
            }
        }
        for (number, line) in lines {
            let wrong = |message: String| (number, message);
            let (source, row) = line.split_once(',').unwrap_or((line, ""));
            let source = source.trim().parse().map_err(|_| {
                wrong(format!(
                    "expected the number of a source, found {:?}",
                    source.trim()
                ))
            })?;
            if table.place(source).is_none() {
                return Err(wrong(format!("there is no node {source} that sends")));
            }
            let known = row
                .split(',')
                .next()
                .and_then(|target| target.trim().parse().ok());
            if known.is_some_and(|target: u32| {
                table.place(target).is_some() && !table.route(source, target).is_empty()
            }) {
                return Err(wrong("a second route for the same pair".to_owned()));
            }
            table
                .read_row(source, row, dimensions)
                .map_err(|(field, message)| {
                    let names = ["destination", "fs", "bits", "counts", "ls"];
                    wrong(format!("{}: {message}", names[field.min(4)]))
                })?;
        }
        Ok(table)
    }

    /// The rows of one source: `destination,fs,bits,counts,ls`, destinations ascending, none for
    /// pairs without a route.
    pub fn rows(&self, source: u32, dimensions: usize) -> impl Iterator<Item = String> + '_ {
        let pairs = self
            .members
            .iter()
            .map(move |&target| (target, self.route(source, target)));
        pairs
            .filter(|(_, route)| !route.is_empty())
            .map(move |(target, route)| format!("{target},{}", route.fields(dimensions).join(",")))
    }

    /// Reads one row of [`rows`](Self::rows) into the table.
    ///
    /// # Errors
    /// Number of the field that is wrong, counted from 0, and what was expected.
    pub fn read_row(
        &mut self,
        source: u32,
        row: &str,
        dimensions: usize,
    ) -> Result<(), (usize, String)> {
        let fields: Vec<&str> = row.split(',').map(str::trim).collect();
        let &[target, first, bits, counts, last] = fields.as_slice() else {
            return Err((
                0,
                format!(
                    "expected destination,fs,bits,counts,ls, found {} fields",
                    fields.len()
                ),
            ));
        };
        let node = target
            .parse()
            .ok()
            .filter(|&node: &u32| self.place(node).is_some());
        if node == Some(source) {
            return Err((0, "a route from a node to itself".to_owned()));
        }
        let Some(target) = node else {
            return Err((
                0,
                format!("expected the number of a node of the job, found {target:?}"),
            ));
        };
        if self.place(source).is_none() {
            return Err((0, format!("source {source} is no node of the job")));
        }
        let route = Route::parse([first, bits, counts, last], dimensions)
            .map_err(|(field, message)| (field + 1, message))?;
        self.set(source, target, route);
        Ok(())
    }
}

/// A pair whose route cannot be written into a packet's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Node it starts at.
    pub source: u32,
    /// Node it is for.
    pub target: u32,
    /// What is wrong with it.
    pub reason: Reason,
}

/// Why a route cannot be written into a packet's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It may go on in more than one way.
    Branches,
    /// It ends, or leaves the torus, before it arrives.
    Lost,
    /// It does not arrive.
    Wanders,
    /// It takes directions out of order, or both directions of a dimension.
    Order,
}

impl Misfit {
    /// In words, for people.
    pub fn render(&self, system: &System) -> String {
        let why = match self.reason {
            Reason::Branches => {
                "may go on in several ways; a table of source routes has one for each pair"
            }
            Reason::Lost => "ends before it arrives",
            Reason::Wanders => "does not arrive",
            Reason::Order => "breaks the order of directions other than by a first and a last step",
        };
        format!(
            "the route {} -> {} {why}",
            system.label(self.source),
            system.label(self.target)
        )
    }
}

/// A table as a routing: packets carry their route in their header, as the hardware has it.
///
/// `Header::via` holds the hops left by dimension, one byte each; `Header::class` the direction
/// bits, and from bits 4 and 8 the first and the last step.
pub(crate) struct Tabled {
    network: Arc<Network>,
    table: RouteTable,
    /// By rank: dimension, is it positive, the router's port.
    ranks: Vec<(Direction, u16)>,
    vcs: VcSet,
    /// Those of injection and ejection channels: every one the router has.
    all: VcSet,
}

const FIRST: u32 = 4;
const LAST: u32 = 8;

impl Tabled {
    pub(crate) fn new(
        network: &Arc<Network>,
        rules: &Rules,
        table: RouteTable,
        vcs: VcSet,
        all: VcSet,
    ) -> Self {
        let system = rules.system();
        let directions = system.directions();
        Self {
            network: network.clone(),
            table,
            ranks: (0..directions.count())
                .map(|rank| (directions.at(rank), system.port(rank)))
                .collect(),
            vcs,
            all,
        }
    }

    fn port(&self, dimension: usize, positive: bool) -> u16 {
        let wanted = Direction {
            dimension: dimension as u8,
            positive,
        };
        let found = self
            .ranks
            .iter()
            .find(|(direction, _)| *direction == wanted);
        found.map_or(0, |&(_, port)| port)
    }

    #[inline]
    fn hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        let class = u32::from(header.class);
        let travel = |port: u16, header: Header| {
            let alive = self.network.out_channel(at, port).is_some();
            let vcs = self.vcs;
            alive.then_some(Hop { port, vcs, header })
        };
        let first = class >> FIRST & 0xf;
        if first != 0 {
            let class = (class & !(0xf << FIRST)) as u16;
            return travel(
                self.port(first as usize - 1, true),
                Header { class, ..header },
            );
        }
        for &(
            Direction {
                dimension,
                positive,
            },
            port,
        ) in &self.ranks
        {
            let shift = 8 * u32::from(dimension);
            if header.via >> shift & 0xff != 0 && (class >> dimension & 1 == 1) != positive {
                let via = header.via - (1 << shift);
                // A spent direction bit is cleared, so that all routes arrive in the same state.
                let spent = via >> shift & 0xff == 0;
                let class = if spent {
                    class & !(1 << dimension)
                } else {
                    class
                } as u16;
                return travel(
                    port,
                    Header {
                        via,
                        class,
                        ..header
                    },
                );
            }
        }
        let last = class >> LAST & 0xf;
        if last != 0 {
            return travel(
                self.port(last as usize - 1, false),
                Header { class: 0, ..header },
            );
        }
        // A table from a file may end its routes anywhere.
        let arrived = at == self.network.router_of(header.destination);
        arrived.then(|| endpoints::ejection(&self.network, header, self.all))
    }
}

impl Routing for Tabled {
    fn memory_bytes(&self) -> u64 {
        (self.table.routes.len() * size_of::<Route>()) as u64
    }

    fn virtual_channels(&self) -> Vc {
        self.all.0.count_ones() as Vc
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let from = self.network.router_of(source).0;
        let to = self.network.router_of(destination).0;
        self.table.place(from)?;
        self.table.place(to)?;
        let route = self.table.route(from, to);
        if route.is_empty() && from != to {
            return None;
        }
        let step = |dimension: Option<usize>| dimension.map_or(0, |dimension| dimension as u16 + 1);
        Some(Start {
            header: Header {
                via: u32::from_le_bytes(route.counts),
                class: u16::from(route.down)
                    | step(route.first()) << FIRST
                    | step(route.last()) << LAST,
                ..Header::to(destination)
            },
            vcs: self.all,
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        options.extend(self.hop(at, header));
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        _: &dyn Congestion,
        _: &mut Random,
    ) -> Option<Hop> {
        self.hop(at, header)
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.hop(at, header)
    }

    fn keeps_order(&self) -> bool {
        self.all == VcSet::one(0)
    }
}
