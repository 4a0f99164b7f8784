//! The lanes of a subnet's service levels, by router and ports, and which of them packets come by.
//!
//! Files say more than packets need: lanes of levels that nobody has, between ports that nobody passes. Who is alone never meets these, but
//! a mixture of two tables may, or packets at another level than that of their pair. So all lanes are kept as they are told, and only
//! how many there have to be follows from who comes by. Where a level has the same lane at all ports there are as many as all levels have, as it
//! is without a file.
//!
//! Complexity: O(routers + pairs) a destination to find out who comes by.

use crate::algorithm::Context;
use std::collections::BTreeMap;
use turnwise_network::formats::infiniband::sl2vl;
use turnwise_network::tables::ForwardingTable;
use turnwise_network::{
    End, Identities, Invalid, Network, Port, RouterId, Routing, Start, TerminalId, Vc,
};

/// A lane that means that packets are thrown away.
const THROWN_AWAY: Vc = 15;

/// A way through a router: the port packets come by, and the one they leave by.
type Way = (RouterId, Port, Port);

/// Lanes as a file tells them.
#[derive(Default)]
pub(super) struct SwitchLanes(BTreeMap<Way, sl2vl::LevelLanes>);

impl SwitchLanes {
    pub(super) fn tell(&mut self, way: Way, lanes: sl2vl::LevelLanes) {
        self.0.insert(way, lanes);
    }

    pub(super) fn are_told(&self, way: Way) -> bool {
        self.0.contains_key(&way)
    }

    /// The lane of each service level, if it is the same one at all ports, and packets are thrown away at none.
    fn at_all_ports(&self) -> Option<sl2vl::LevelLanes> {
        let mut all = self.0.values();
        let first = all.next()?;
        let is_first = |lanes: &sl2vl::LevelLanes| lanes == first;
        (all.all(is_first) && first.iter().all(|&lane| lane < THROWN_AWAY)).then_some(*first)
    }

    /// Routes with these lanes. Packets of a level whose lane is 15 are thrown away by a switch: none of these routes may be.
    pub(super) fn over(
        &self,
        table: ForwardingTable,
        (network, known): (&Network, &Identities),
        context: &Context<'_>,
    ) -> Result<ForwardingTable, Invalid> {
        // What ports do not mind is not by ports: OpenSM dumps lanes of all of them, whatever they are.
        if let Some(lanes) = self.at_all_ports() {
            let needed = lanes.iter().max().map_or(1, |lane| lane + 1);
            let total = context.router_virtual_channels.unwrap_or(needed);
            if needed <= total {
                return table.with_lanes(total, |level| lanes[usize::from(level)]);
            }
        }
        let used = Used::of(network, &[&table], |from, to, starts| {
            starts.extend(table.outsets(from, to));
        });
        let mut highest = 0;
        for (&(router, from, to), lanes) in &self.0 {
            for level in used.levels((router, from, to)) {
                let lane = lanes[usize::from(level)];
                if lane >= THROWN_AWAY {
                    let number = |port| known.port(network, router, port);
                    let message = format!(
                        "{} throws packets of service level {level} away, which pairs have, from port {} to port {}",
                        network.router_label(router),
                        number(from),
                        number(to)
                    );
                    return Err(Invalid::new("sl2vl", message));
                }
                highest = highest.max(lane);
            }
        }
        let total = context.router_virtual_channels.unwrap_or(highest + 1);
        if highest >= total {
            let message =
                format!("there are {total} virtual channels, not one of number {highest}");
            return Err(Invalid::new("virtual_channels", message));
        }
        table.with_lanes_as_told(total, |at, from, to, level| {
            let lanes = self.0.get(&(at, from, to));
            let lane = lanes.map_or(0, |lanes| lanes[usize::from(level)]);
            (lane < THROWN_AWAY).then_some(lane)
        })
    }
}

/// How many virtual channels there have to be for packets that set out in these ways and may meet the entries and lanes of any of some tables.
pub(super) fn channels_met(
    network: &Network,
    tables: &[&ForwardingTable],
    starts: impl FnMut(TerminalId, TerminalId, &mut Vec<Start>),
) -> Vc {
    let most = tables.iter().map(|table| table.virtual_channels()).max();
    let most = most.unwrap_or(1);
    // Lanes that follow from the level alone are among those that there are.
    if !tables.iter().any(|table| table.has_lanes_by_ports()) {
        return most;
    }
    let used = Used::of(network, tables, starts);
    let mut met = most;
    for (at, from, to) in used.ways() {
        for level in used.levels((at, from, to)) {
            let lanes = tables
                .iter()
                .filter_map(|table| table.lane_between(at, from, to, level));
            met = met.max(lanes.max().map_or(0, |lane| lane + 1));
        }
    }
    met
}

/// By way through a router: service levels of packets that come by, a bit each.
struct Used {
    /// By router: where its part begins, and how many ports it has.
    parts: Vec<(usize, usize)>,
    levels: Vec<u16>,
}

impl Used {
    /// By packets that set out in these ways and may meet the entries of any of some tables.
    fn of(
        network: &Network,
        tables: &[&ForwardingTable],
        mut starts: impl FnMut(TerminalId, TerminalId, &mut Vec<Start>),
    ) -> Self {
        let mut used = Self::new(network);
        // By router: levels of packets to an address that have come there.
        let mut seen = vec![0u16; network.router_count()];
        let mut set_out = Vec::new();
        let mut by_address: BTreeMap<u32, Vec<(RouterId, Port, u16)>> = BTreeMap::new();
        for destination in network.living_terminals() {
            for source in network.living_terminals().filter(|&at| at != destination) {
                let (at, from) = (network.router_of(source), network.terminal_port(source));
                set_out.clear();
                starts(source, destination, &mut set_out);
                for Start { header, .. } in &set_out {
                    let coming = by_address.entry(header.step).or_default();
                    coming.push((at, from, 1 << header.class));
                }
            }
            for (&address, next) in &mut by_address {
                seen.fill(0);
                while let Some((at, from, levels)) = next.pop() {
                    let new = levels & !seen[at.index()];
                    seen[at.index()] |= new;
                    for table in tables {
                        let Some(to) = table.port(at, destination, address) else {
                            continue;
                        };
                        *used.of_way((at, from, to)) |= levels;
                        let channel = network.out_channel(at, to).filter(|_| new > 0);
                        let target = channel.map(|channel| network.channel(channel).target);
                        if let Some(End::Router(other, port)) = target {
                            next.push((other, port, new));
                        }
                    }
                }
            }
        }
        used
    }

    fn new(network: &Network) -> Self {
        let (mut parts, mut total) = (Vec::new(), 0);
        for radix in network.routers().map(|at| network.radix(at)) {
            parts.push((total, radix));
            total += radix * radix;
        }
        Self {
            parts,
            levels: vec![0; total],
        }
    }

    fn place(&self, (at, from, to): Way) -> usize {
        let (first, radix) = self.parts[at.index()];
        first + usize::from(from) * radix + usize::from(to)
    }

    fn of_way(&mut self, way: Way) -> &mut u16 {
        let place = self.place(way);
        &mut self.levels[place]
    }

    /// All ways through all routers.
    fn ways(&self) -> impl Iterator<Item = Way> + '_ {
        let routers = (0..).map(RouterId).zip(&self.parts);
        routers.flat_map(|(at, &(_, radix))| {
            let ports = 0..radix as Port;
            ports
                .clone()
                .flat_map(move |from| ports.clone().map(move |to| (at, from, to)))
        })
    }

    /// The levels of packets that come by.
    fn levels(&self, way: Way) -> impl Iterator<Item = u8> + use<> {
        let levels = self.levels[self.place(way)];
        (0..16).filter(move |level| levels >> level & 1 == 1)
    }
}
