//! A routing as the switches of a subnet are programmed with it.

use super::route::{Step, follow};
use super::service_levels::{ByPorts, LAST_LANE, Lanes};
use crate::irregular::{
    search::{Search, TieBreak},
    ways::AnyWay,
};
use std::sync::Arc;
use turnwise_network::contract::forwards::NO_ENTRY as NONE;
use turnwise_network::formats::infiniband::{TableWriter, policy, sl2vl};
use turnwise_network::identities::Device;
use turnwise_network::tables::SERVICE_LEVELS;
use turnwise_network::{
    Forwards, Identities, Invalid, Network, Port, RouterId, Routing, TerminalId, Vc,
};

/// Forwarding tables, service levels and their lanes: what of a routing is written to the files of a subnet.
///
/// Every switch knows every living device: adapters by the routes between adapters, and where none passes as the routing's own tables
/// have it or by a way to one that does; switches
/// as their first adapter, or by a shortest way. What goes to switches themselves is management alone, mostly on a lane of its own, and not
/// part of any proof here.
///
/// Complexity: O(hops of all routes) time; two bytes for each router and device, one for each pair of terminals.
pub struct Programme<'a> {
    pub(super) network: &'a Network,
    pub(super) known: Arc<Identities>,
    writer: TableWriter,
    /// Row by router, column by terminal.
    adapters: Vec<Port>,
    /// Row by router, column by router; a router's own port is [`NONE`].
    switches: Vec<Port>,
    /// Row by source, column by destination.
    levels: Vec<u8>,
    lanes: Lanes,
    /// Virtual lanes that routes take.
    pub virtual_lanes: Vc,
}

impl<'a> Programme<'a> {
    /// What the switches must know for these routes.
    ///
    /// # Errors
    /// A network that no fabric can be, routes that leave a router to one destination by several ports or have a choice, lanes
    /// that no service level can tell.
    pub fn of(network: &'a Network, routing: &dyn Routing) -> Result<Self, Invalid> {
        let mut programme = Self::blank(network)?;
        let terminals = network.terminal_count();
        let mut search = Search::new(network, &AnyWay, TieBreak::First, 0);
        let mut nearest = vec![None; network.router_count()];
        let (mut steps, mut changes) = (Vec::new(), false);
        for to in network.routers().filter(|&router| network.is_alive(router)) {
            nearest.fill(None);
            search.routes(to, &mut nearest);
            for destination in network.living_terminals_of(to) {
                for source in network.living_terminals() {
                    if source == destination {
                        continue;
                    }
                    steps.clear();
                    let pair = (source, destination);
                    if follow(network, routing, pair, &mut steps)?.is_some() {
                        programme.enter(pair, &steps)?;
                    } else {
                        programme.check_apart(pair, &nearest)?;
                    }
                    let highest = steps.iter().map(|step| step.vc).max();
                    programme.virtual_lanes = programme.virtual_lanes.max(highest.unwrap_or(0) + 1);
                    changes |= steps.iter().any(|step| step.vc != steps[0].vc);
                    // Who is cut off keeps its level: nobody has to be told of another one.
                    let own = || Some(routing.forwards()?.service_level(source, destination));
                    let level = highest.or_else(own).unwrap_or(0);
                    programme.levels[source.index() * terminals + destination.index()] = level;
                }
            }
            programme.complete(to, &nearest, routing.forwards());
        }
        if programme.virtual_lanes > LAST_LANE + 1 {
            let message = format!(
                "these routes take {} virtual channels; a link of a fabric has {} for data",
                programme.virtual_lanes,
                LAST_LANE + 1
            );
            return Err(Invalid::new("", message));
        }
        if changes {
            programme.tell_lanes(routing)?;
        }
        Ok(programme)
    }

    /// Forwarding tables as they are, wherever their entries lead; service levels are not told.
    ///
    /// # Errors
    /// A network that no fabric can be.
    pub fn as_it_is(network: &'a Network, tables: &dyn Forwards) -> Result<Self, Invalid> {
        let mut programme = Self::blank(network)?;
        let terminals = network.terminal_count();
        let entries = network.routers().map(|at| tables.entries(at));
        programme.adapters = entries.collect::<Vec<_>>().concat();
        for dead in network
            .terminals()
            .filter(|&to| !network.is_terminal_alive(to))
        {
            for entry in programme.adapters[dead.index()..]
                .iter_mut()
                .step_by(terminals)
            {
                *entry = NONE;
            }
        }
        let mut search = Search::new(network, &AnyWay, TieBreak::First, 0);
        let mut nearest = vec![None; network.router_count()];
        for to in programme.switches().collect::<Vec<_>>() {
            if network.living_terminals_of(to).next().is_none() {
                nearest.fill(None);
                search.routes(to, &mut nearest);
            }
            programme.lead_to_switch(to, &nearest);
        }
        Ok(programme)
    }

    /// Switches that know nobody.
    fn blank(network: &'a Network) -> Result<Self, Invalid> {
        let known = network.identities_or_made_up()?;
        if known.lmc() > 0 {
            let message = format!(
                "ports of adapters have {} LIDs each in this fabric; tables are made for one each",
                1 << known.lmc()
            );
            let help = "set `lmc 0` in opensm.conf, and ask ibnetdiscover again";
            return Err(Invalid::new("", message).with_help(help));
        }
        let (routers, terminals) = (network.router_count(), network.terminal_count());
        Ok(Self {
            network,
            writer: TableWriter::new(&known),
            known,
            adapters: vec![NONE; routers * terminals],
            switches: vec![NONE; routers * routers],
            levels: vec![0; terminals * terminals],
            lanes: Lanes::Same,
            virtual_lanes: 1,
        })
    }

    /// Refuses to leave a pair without a route that a fabric would route somehow.
    fn check_apart(
        &self,
        (source, destination): (TerminalId, TerminalId),
        nearest: &[Option<Port>],
    ) -> Result<(), Invalid> {
        let network = self.network;
        let [from, to] = [source, destination].map(|terminal| network.router_of(terminal));
        if from != to && nearest[from.index()].is_none() {
            return Ok(());
        }
        let [a, b] = [source, destination].map(|terminal| network.terminal_label(terminal));
        let message =
            format!("packets from {a} to {b} have no route, although the two are connected");
        let help = "take a routing for any network, as `turnwise` is";
        Err(Invalid::new("", message).with_help(help))
    }

    /// Takes a route into the tables.
    fn enter(
        &mut self,
        (_, destination): (TerminalId, TerminalId),
        steps: &[Step],
    ) -> Result<(), Invalid> {
        let terminals = self.network.terminal_count();
        for step in steps {
            if step.at == self.network.router_of(destination) {
                let message = format!(
                    "packets to {} pass its own switch and go on; a switch of a subnet delivers them",
                    self.network.terminal_label(destination)
                );
                return Err(Invalid::new("", message));
            }
            let entry = &mut self.adapters[step.at.index() * terminals + destination.index()];
            if *entry != NONE && *entry != step.to {
                let message = format!(
                    "packets to {} leave {} by several ports, as where they come from decides; a switch of a subnet knows one",
                    self.network.terminal_label(destination),
                    self.network.router_label(step.at)
                );
                let help = "take a routing by destination, as `turnwise` is";
                return Err(Invalid::new("", message).with_help(help));
            }
            *entry = step.to;
        }
        Ok(())
    }

    /// Gives pairs service levels by which switches can tell their lanes: those they have under the routing already, if these do, and
    /// others if not.
    fn tell_lanes(&mut self, routing: &dyn Routing) -> Result<(), Invalid> {
        let lanes = match self.lanes_by(routing, ByPorts::enter)? {
            Some(lanes) => lanes,
            None => {
                let found = self.lanes_by(routing, |lanes, steps, _| lanes.level(steps))?;
                found.ok_or_else(too_many_changes)?
            }
        };
        self.lanes = Lanes::ByPorts(lanes);
        Ok(())
    }

    /// The lanes that all routes take, whose service levels `level` finds, told their hops and class; `None` if it does not.
    fn lanes_by(
        &mut self,
        routing: &dyn Routing,
        level: impl Fn(&mut ByPorts, &[Step], u16) -> Option<u8>,
    ) -> Result<Option<ByPorts>, Invalid> {
        let network = self.network;
        let terminals = network.terminal_count();
        let (mut lanes, mut steps) = (ByPorts::new(network), Vec::new());
        for destination in network.living_terminals() {
            for source in network
                .living_terminals()
                .filter(|&other| other != destination)
            {
                steps.clear();
                let pair = (source, destination);
                let Some(class) = follow(network, routing, pair, &mut steps)? else {
                    continue;
                };
                let Some(level) = level(&mut lanes, &steps, class) else {
                    return Ok(None);
                };
                self.levels[source.index() * terminals + destination.index()] = level;
            }
        }
        Ok(Some(lanes))
    }

    /// Enters what no route between adapters passes, of the ways to a switch and its adapters: as the tables have it that the routing is, if
    /// they lead on, and else a shortest way.
    fn complete(&mut self, to: RouterId, nearest: &[Option<Port>], tables: Option<&dyn Forwards>) {
        let network = self.network;
        let terminals = network.terminal_count();
        for terminal in network.living_terminals_of(to) {
            for at in network.routers() {
                let entry = &mut self.adapters[at.index() * terminals + terminal.index()];
                if at == to {
                    *entry = network.terminal_port(terminal);
                } else if *entry == NONE {
                    let own = tables.and_then(|tables| tables.entry(at, terminal));
                    let own = own.filter(|&port| network.next_router(at, port).is_some());
                    *entry = own.or(nearest[at.index()]).unwrap_or(NONE);
                }
            }
        }
        self.lead_to_switch(to, nearest);
    }

    /// Enters the ways to a switch: those to its first adapter, or the shortest.
    fn lead_to_switch(&mut self, to: RouterId, nearest: &[Option<Port>]) {
        let network = self.network;
        let (routers, terminals) = (network.router_count(), network.terminal_count());
        let first = network.living_terminals_of(to).next();
        for at in network.routers().filter(|&at| at != to) {
            self.switches[at.index() * routers + to.index()] = match first {
                Some(first) => self.adapters[at.index() * terminals + first.index()],
                None => nearest[at.index()].unwrap_or(NONE),
            };
        }
    }

    /// The port by which a switch sends packets to a device, by the switch's own numbers; 0 is itself.
    pub fn port(&self, at: RouterId, device: Device) -> Option<u8> {
        let port = match device {
            Device::Switch(router) if router == at => return Some(0),
            Device::Switch(router) => {
                self.switches[at.index() * self.network.router_count() + router.index()]
            }
            Device::Adapter(terminal) => {
                self.adapters[at.index() * self.network.terminal_count() + terminal.index()]
            }
        };
        (port != NONE).then(|| self.known.port(self.network, at, port))
    }

    /// The service level of packets of a pair.
    pub fn level(&self, source: TerminalId, destination: TerminalId) -> u8 {
        self.levels[source.index() * self.network.terminal_count() + destination.index()]
    }

    /// The highest service level of any pair, if it is not 0.
    pub fn highest_level(&self) -> Option<u8> {
        let levels = self.levels.iter().copied();
        levels.max().filter(|&level| level > 0)
    }

    /// The lane of a service level between two ports of a switch, by the switch's own numbers.
    fn lane(&self, at: RouterId, from: u8, to: u8, level: u8) -> u8 {
        let default = level % self.virtual_lanes;
        let Lanes::ByPorts(lanes) = &self.lanes else {
            return default;
        };
        let port = |number| self.known.port_numbered(self.network, at, number);
        let lane = match (port(from), port(to)) {
            (Some(from), Some(to)) => lanes.lane(at, from, to, level),
            _ => None,
        };
        lane.unwrap_or(default)
    }

    /// Is the lane of a service level one of the same number everywhere, as switches have it that nobody has told otherwise?
    pub fn keeps_lanes(&self) -> bool {
        matches!(self.lanes, Lanes::Same)
    }

    /// The living switches, in whose order the files are.
    pub fn switches(&self) -> impl Iterator<Item = RouterId> + '_ {
        let routers = self.network.routers();
        routers.filter(|&router| self.network.is_alive(router))
    }

    /// The forwarding table of a switch, as the routing engine `file` of OpenSM loads it.
    pub fn forwarding_table(&self, at: RouterId) -> String {
        self.writer.switch(at, |device| self.port(at, device))
    }

    /// The policy with which OpenSM answers who asks for the service level of a path.
    pub fn policy(&self) -> String {
        policy::write(&self.known, |source, destination| {
            self.level(source, destination)
        })
    }

    /// The lanes of a switch, as OpenSM dumps them.
    pub fn lanes(&self, at: RouterId) -> String {
        let switch = &self.known.switches[at.index()];
        let ports = self.network.radix(at) as u8;
        sl2vl::write_switch(switch, ports, |from, to, level| {
            self.lane(at, from, to, level)
        })
    }

    /// The same as `ibdmchk` reads it.
    pub(super) fn packed_lanes(&self, at: RouterId, from: u8, to: u8) -> [u8; 8] {
        std::array::from_fn(|pair| {
            let lane = |level| self.lane(at, from, to, level);
            lane(2 * pair as u8) << 4 | lane(2 * pair as u8 + 1)
        })
    }
}

fn too_many_changes() -> Invalid {
    let message = format!(
        "these routes change their lanes in more ways than {SERVICE_LEVELS} service levels can tell"
    );
    Invalid::new("", message).with_help("take a routing that keeps to a lane, as `turnwise` does")
}
