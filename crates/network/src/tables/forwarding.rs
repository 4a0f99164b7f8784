//! A port for each (router, address), as the switches of an InfiniBand subnet are programmed.

use crate::contract::forwards::NO_ENTRY;
use crate::contract::{Congestion, Forwards, Header, Hop, Routing, Start};
use crate::ids::{Port, RouterId, TerminalId, Vc, VcSet};
use crate::network::{End, Network};
use crate::random::Random;
use std::any::Any;
use std::sync::Arc;
use turnwise_config::diagnostic::Invalid;

pub use crate::contract::forwards::SERVICE_LEVELS;

/// A port for each (router, address), a service level for each (source terminal, address), and a virtual
/// channel ("virtual lane") for each service level, if need be by router and ports.
///
/// Every terminal has `2^lmc` addresses (local identifiers); its source chooses one for each packet, so a
/// pair has as many [starts](Routing::starts), those included that its first router knows no way to, if it knows one to any: who has
/// an address may use it. A terminal may have fewer addresses, see [`with_addresses`](Self::with_addresses). The model is that of the InfiniBand Architecture
/// Specification, volume 1, chapters 7 and 14: linear forwarding tables, LMC, SL-to-VL mapping.
///
/// Routes may end anywhere or run in circles, as those of a real fabric may: that is for the verifier to find out.
/// A packet that is sent to a port behind which there is neither a router nor its terminal is lost, and so is one for whose service level
/// its router has no lane.
///
/// In a packet's header `step` says which of its destination's addresses it goes to, `class` its service
/// level, and `via`, if lanes mind, by which port it has come.
#[derive(Clone, Debug)]
pub struct ForwardingTable {
    network: Arc<Network>,
    lmc: u8,
    /// Row by router, column by address.
    ports: Vec<Port>,
    /// By terminal: how many addresses it has, from 0 on; empty if all have `2^lmc`.
    given: Vec<u32>,
    /// Row by source terminal, column by address; empty if all are 0.
    levels: Vec<u8>,
    lanes: Lanes,
    total: Vc,
    /// Terminals that are taken to send and receive nothing, in ascending order.
    silent: Vec<TerminalId>,
    before: Option<Box<Self>>,
}

/// The virtual channel on which a packet of a service level leaves a router.
#[derive(Clone, Debug)]
enum Lanes {
    /// By service level.
    ByLevel([Vc; SERVICE_LEVELS as usize]),
    /// By router, port it has come by, port it leaves by, service level: where a router's table begins, and the
    /// tables, with [`NOWHERE`] where packets are thrown away.
    ByPorts { first: Vec<usize>, lanes: Vec<Vc> },
}

/// In the place of a lane: there is none.
const NOWHERE: Vc = Vc::MAX;

impl ForwardingTable {
    /// The forwarding table that a routing is, whatever its lanes follow from and however many addresses terminals have.
    pub fn in_routing(routing: &dyn Routing) -> Option<&Self> {
        routing.table()?.downcast_ref()
    }

    /// Asks `port` by which port a router sends packets to an address of a terminal, below `2^lmc`; `None`
    /// if it knows of none.
    ///
    /// All packets take service level 0 and virtual channel 0, see [`with_levels`](Self::with_levels) and
    /// [`with_lanes`](Self::with_lanes). O(routers x terminals x 2^lmc) time and memory.
    ///
    /// # Errors
    /// More than 7 for `lmc`, a port that its router does not have.
    pub fn new(
        network: &Arc<Network>,
        lmc: u8,
        mut port: impl FnMut(RouterId, TerminalId, u32) -> Option<Port>,
    ) -> Result<Self, Invalid> {
        if lmc > 7 {
            let message = format!("expected an LMC of 0 to 7, found {lmc}");
            return Err(Invalid::new("lmc", message));
        }
        let mut ports =
            Vec::with_capacity((network.router_count() * network.terminal_count()) << lmc);
        for router in network.routers() {
            for terminal in network.terminals() {
                for address in 0..1 << lmc {
                    let port = port(router, terminal, address);
                    check_port(network, (router, terminal, address), port)?;
                    ports.push(port.unwrap_or(NO_ENTRY));
                }
            }
        }
        Ok(Self {
            network: network.clone(),
            lmc,
            ports,
            given: Vec::new(),
            levels: Vec::new(),
            lanes: Lanes::ByLevel([0; SERVICE_LEVELS as usize]),
            total: 1,
            silent: Vec::new(),
            before: None,
        })
    }

    /// The entries of some tables and the service levels of others, or of the same ones.
    ///
    /// # Errors
    /// Tables that are not of this network.
    pub fn of(
        network: &Arc<Network>,
        entries: &dyn Forwards,
        levels: &dyn Forwards,
    ) -> Result<Self, Invalid> {
        let of_routers = network.routers().map(|at| entries.entries(at));
        let of_sources = network.terminals().map(|from| levels.service_levels(from));
        let highest = (0..SERVICE_LEVELS).map(|level| levels.lane(level)).max();
        let table = Self {
            network: network.clone(),
            lmc: 0,
            ports: of_routers.collect::<Vec<_>>().concat(),
            given: Vec::new(),
            levels: of_sources.collect::<Vec<_>>().concat(),
            lanes: Lanes::ByLevel(std::array::from_fn(|level| levels.lane(level as u8))),
            total: highest.unwrap_or(0) + 1,
            silent: Vec::new(),
            before: None,
        };
        if table.ports.len() != network.router_count() * network.terminal_count() {
            return Err(Invalid::new("", "these tables are of another network"));
        }
        Ok(table)
    }

    /// Changes entries of tables with one address a terminal.
    ///
    /// # Errors
    /// A port that its router does not have.
    pub fn change(
        &mut self,
        entries: impl IntoIterator<Item = (RouterId, TerminalId, Option<Port>)>,
    ) -> Result<(), Invalid> {
        let columns = self.columns();
        for (at, terminal, port) in entries {
            check_port(&self.network, (at, terminal, 0), port)?;
            let entry = at.index() * columns + self.column(terminal, 0);
            self.ports[entry] = port.unwrap_or(NO_ENTRY);
        }
        Ok(())
    }

    /// Changes service levels of pairs, of tables with one address a terminal.
    ///
    /// # Errors
    /// A service level of 16 or more.
    pub fn change_levels(
        &mut self,
        levels: impl IntoIterator<Item = (TerminalId, TerminalId, u8)>,
    ) -> Result<(), Invalid> {
        let columns = self.columns();
        for (source, terminal, level) in levels {
            check_level(level)?;
            self.levels
                .resize(self.network.terminal_count() * columns, 0);
            let column = self.column(terminal, 0);
            self.levels[source.index() * columns + column] = level;
        }
        Ok(())
    }

    /// Addresses of a terminal, as a power of two.
    pub fn lmc(&self) -> u8 {
        self.lmc
    }

    /// The same routes to terminals that have so many addresses each, from 0 on, and not all that there could be.
    #[must_use]
    pub fn with_addresses(self, count: impl FnMut(TerminalId) -> u32) -> Self {
        let given = self.network.terminals().map(count).collect();
        Self { given, ..self }
    }

    /// The same routes with a service level for each source, destination and address of it.
    ///
    /// # Errors
    /// A service level of 16 or more.
    pub fn with_levels(
        self,
        mut level: impl FnMut(TerminalId, TerminalId, u32) -> u8,
    ) -> Result<Self, Invalid> {
        let mut levels = Vec::with_capacity(self.network.terminal_count() * self.columns());
        for source in self.network.terminals() {
            for terminal in self.network.terminals() {
                for address in 0..1 << self.lmc {
                    levels.push(level(source, terminal, address));
                }
            }
        }
        self.with_all_levels(levels)
    }

    /// The same routes with a service level for each source, and in its row for each destination and address of it.
    ///
    /// # Errors
    /// A service level of 16 or more, more or fewer of them than pairs.
    pub fn with_all_levels(mut self, levels: Vec<u8>) -> Result<Self, Invalid> {
        let expected = self.network.terminal_count() * self.columns();
        if levels.len() != expected {
            let message = format!("expected {expected} service levels, found {}", levels.len());
            return Err(Invalid::new("service_levels", message));
        }
        check_level(levels.iter().copied().max().unwrap_or(0))?;
        self.levels = levels;
        Ok(self)
    }

    /// The same routes with a virtual channel for each service level, of so many.
    ///
    /// # Errors
    /// A virtual channel that there is not.
    pub fn with_lanes(
        self,
        virtual_channels: Vc,
        lane: impl FnMut(u8) -> Vc,
    ) -> Result<Self, Invalid> {
        let lanes: Vec<Vc> = (0..SERVICE_LEVELS).map(lane).collect();
        self.check_lanes(virtual_channels, &lanes)?;
        Ok(Self {
            lanes: Lanes::ByLevel(std::array::from_fn(|level| lanes[level])),
            total: virtual_channels,
            ..self
        })
    }

    /// The same routes with a virtual channel that a router chooses by the port a packet has come by, the one it leaves
    /// by, and its service level. O(sum of squared radices x 16) memory.
    ///
    /// # Errors
    /// A virtual channel that there is not.
    pub fn with_lanes_by_ports(
        self,
        virtual_channels: Vc,
        lane: impl FnMut(RouterId, Port, Port, u8) -> Vc,
    ) -> Result<Self, Invalid> {
        let (first, lanes) = self.asked(lane);
        self.check_lanes(virtual_channels, &lanes)?;
        Ok(Self {
            lanes: Lanes::ByPorts { first, lanes },
            total: virtual_channels,
            ..self
        })
    }

    /// The same of routers that say more than packets of these routes need: lanes that are not among so many virtual channels, and none at all
    /// (`None`) where they throw packets away. Who comes by there is lost.
    ///
    /// # Errors
    /// More virtual channels than there can be.
    pub fn with_lanes_as_told(
        self,
        virtual_channels: Vc,
        mut lane: impl FnMut(RouterId, Port, Port, u8) -> Option<Vc>,
    ) -> Result<Self, Invalid> {
        let (first, lanes) =
            self.asked(|at, from, to, level| lane(at, from, to, level).unwrap_or(NOWHERE));
        let told = lanes.iter().copied().filter(|&lane| lane != NOWHERE);
        self.check_lanes(VcSet::CAPACITY, &told.max().map_or([0], |lane| [lane]))?;
        self.check_lanes(virtual_channels, &[])?;
        Ok(Self {
            lanes: Lanes::ByPorts { first, lanes },
            total: virtual_channels,
            ..self
        })
    }

    /// The same routes with this many virtual channels, if there are not so many yet: packets that are no longer alone may come by lanes
    /// that were told without need.
    #[must_use]
    pub fn with_virtual_channels(self, at_least: Vc) -> Self {
        let total = self.total.max(at_least.min(VcSet::CAPACITY));
        Self { total, ..self }
    }

    /// Where lanes by ports begin for each router, and all of them.
    fn asked(&self, mut lane: impl FnMut(RouterId, Port, Port, u8) -> Vc) -> (Vec<usize>, Vec<Vc>) {
        let (mut first, mut lanes) = (Vec::new(), Vec::new());
        for router in self.network.routers() {
            first.push(lanes.len());
            let radix = self.network.radix(router) as Port;
            for from in 0..radix {
                for to in 0..radix {
                    lanes.extend((0..SERVICE_LEVELS).map(|level| lane(router, from, to, level)));
                }
            }
        }
        (first, lanes)
    }

    /// The same routes, while these terminals, in ascending order, send and receive nothing.
    #[must_use]
    pub fn with_silent(self, silent: Vec<TerminalId>) -> Self {
        Self { silent, ..self }
    }

    /// The same routes, made from others and to replace them.
    #[must_use]
    pub fn replacing(self, before: Self) -> Self {
        let before = Some(Box::new(before));
        Self { before, ..self }
    }

    fn check_lanes(&self, virtual_channels: Vc, lanes: &[Vc]) -> Result<(), Invalid> {
        let message = match lanes.iter().find(|&&lane| lane >= virtual_channels) {
            _ if !(1..=VcSet::CAPACITY).contains(&virtual_channels) => {
                format!(
                    "expected 1 to {} virtual channels, found {virtual_channels}",
                    VcSet::CAPACITY
                )
            }
            Some(lane) => {
                format!("there are {virtual_channels} virtual channels, not one of number {lane}")
            }
            None => return Ok(()),
        };
        Err(Invalid::new("virtual_channels", message))
    }

    fn columns(&self) -> usize {
        self.network.terminal_count() << self.lmc
    }

    fn column(&self, terminal: TerminalId, address: u32) -> usize {
        (terminal.index() << self.lmc) + address as usize
    }

    /// The port of an entry, as it was given.
    pub fn port(&self, at: RouterId, terminal: TerminalId, address: u32) -> Option<Port> {
        let entry = self.ports[at.index() * self.columns() + self.column(terminal, address)];
        (entry != NO_ENTRY).then_some(entry)
    }

    /// The service level of packets from a terminal to an address of another one.
    pub fn level(&self, source: TerminalId, terminal: TerminalId, address: u32) -> u8 {
        let entry = source.index() * self.columns() + self.column(terminal, address);
        self.levels.get(entry).copied().unwrap_or(0)
    }

    /// Bytes of lanes that are said by router and ports.
    pub fn bytes_of_lanes(network: &Network) -> u64 {
        let radices = network.routers().map(|router| network.radix(router) as u64);
        let pairs_of_ports: u64 = radices.map(|radix| radix * radix).sum();
        u64::from(SERVICE_LEVELS) * pairs_of_ports + 8 * network.router_count() as u64
    }

    /// Are lanes said by router and ports?
    pub fn has_lanes_by_ports(&self) -> bool {
        matches!(self.lanes, Lanes::ByPorts { .. })
    }

    /// The virtual channel on which packets of a service level that have come by one port leave a router by another one, be it among
    /// those that there are or not; `None` if they are thrown away.
    pub fn lane_between(&self, at: RouterId, from: Port, to: Port, level: u8) -> Option<Vc> {
        let lane = match &self.lanes {
            Lanes::ByLevel(lanes) => lanes[usize::from(level)],
            Lanes::ByPorts { first, lanes } => {
                let pair = usize::from(from) * self.network.radix(at) + usize::from(to);
                let entry = pair * usize::from(SERVICE_LEVELS) + usize::from(level);
                lanes[first[at.index()] + entry]
            }
        };
        (lane != NOWHERE).then_some(lane)
    }

    fn hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        let terminal = header.destination;
        let port = self.port(at, terminal, header.step)?;
        let target = self
            .network
            .channel(self.network.out_channel(at, port)?)
            .target;
        let via = match (target, &self.lanes) {
            (End::Terminal(other), _) if other != terminal => return None,
            (End::Router(_, from), Lanes::ByPorts { .. }) => from.into(),
            _ => 0,
        };
        let lane = self.lane_between(at, header.via as Port, port, header.class as u8)?;
        if lane >= self.total {
            return None;
        }
        let vcs = match target {
            // A channel to a terminal is always emptied.
            End::Terminal(_) => VcSet::all(self.total),
            End::Router(..) => VcSet::one(lane),
        };
        let header = Header { via, ..header };
        Some(Hop { port, vcs, header })
    }

    /// How packets of a pair set out, to each address that the destination has, whether its source's router knows a way or not.
    pub fn outsets(
        &self,
        source: TerminalId,
        destination: TerminalId,
    ) -> impl Iterator<Item = Start> + '_ {
        let addresses = self.addresses(source, destination);
        addresses.map(move |address| self.outset(source, destination, address))
    }

    /// The addresses that the destination of a pair has, none if either end is dead.
    #[inline]
    fn addresses(&self, source: TerminalId, destination: TerminalId) -> std::ops::Range<u32> {
        let ends = [source, destination];
        let live = ends.iter().all(|&end| self.network.is_terminal_alive(end));
        let given = self.given.get(destination.index()).copied();
        0..if live {
            given.unwrap_or(1 << self.lmc)
        } else {
            0
        }
    }

    #[inline]
    fn outset(&self, source: TerminalId, destination: TerminalId, address: u32) -> Start {
        let via = match self.lanes {
            Lanes::ByLevel(_) => 0,
            Lanes::ByPorts { .. } => self.network.terminal_port(source).into(),
        };
        Start {
            header: Header {
                step: address,
                class: self.level(source, destination, address).into(),
                via,
                ..Header::to(destination)
            },
            vcs: VcSet::all(self.total),
        }
    }

    /// Does the router of a source know a way to an address?
    #[inline]
    fn is_known(&self, source: TerminalId, destination: TerminalId, address: u32) -> bool {
        let router = self.network.router_of(source);
        let port = self.port(router, destination, address);
        port.is_some_and(|port| self.network.may_lead_to(destination, router, port))
    }
}

/// Refuses a service level that there is not.
fn check_level(level: u8) -> Result<(), Invalid> {
    let message = || format!("expected service levels below {SERVICE_LEVELS}, found {level}");
    match level < SERVICE_LEVELS {
        true => Ok(()),
        false => Err(Invalid::new("service_levels", message())),
    }
}

/// Refuses a port that its router does not have.
#[inline]
fn check_port(
    network: &Network,
    entry: (RouterId, TerminalId, u32),
    port: Option<Port>,
) -> Result<(), Invalid> {
    let radix = network.radix(entry.0);
    match port {
        Some(port) if usize::from(port) >= radix => Err(no_such_port(entry, port, radix)),
        _ => Ok(()),
    }
}

#[cold]
fn no_such_port(
    (router, terminal, address): (RouterId, TerminalId, u32),
    port: Port,
    radix: usize,
) -> Invalid {
    let message = format!(
        "router {router} sends packets to address {address} of terminal {terminal} by port {port}; it has {radix}"
    );
    Invalid::new("", message)
}

impl Routing for ForwardingTable {
    fn virtual_channels(&self) -> Vc {
        self.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let mut addresses = self.addresses(source, destination);
        let known = addresses.find(|&address| self.is_known(source, destination, address))?;
        Some(self.outset(source, destination, known))
    }

    fn starts(&self, source: TerminalId, destination: TerminalId, _: u8, starts: &mut Vec<Start>) {
        let mut addresses = self.addresses(source, destination);
        // A pair none of whose addresses is known is not routed at all; one that only some are known of loses packets.
        if addresses.any(|address| self.is_known(source, destination, address)) {
            starts.extend(self.outsets(source, destination));
        }
    }

    fn chooses_start(&self) -> bool {
        self.lmc > 0
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        options.extend(self.hop(at, header));
    }

    fn void(&self, at: RouterId, header: Header) -> Option<Hop> {
        if self.hop(at, header).is_some() {
            return None;
        }
        let port = self.port(at, header.destination, header.step)?;
        let lane = self.lane_between(at, header.via as Port, port, header.class as u8);
        let vcs = match lane {
            Some(lane) if lane < VcSet::CAPACITY => VcSet::one(lane),
            _ => VcSet::default(),
        };
        Some(Hop { port, vcs, header })
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

    fn forwards(&self) -> Option<&dyn Forwards> {
        let is_plain = self.lmc == 0 && !self.has_lanes_by_ports();
        is_plain.then_some(self)
    }

    fn table(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn replaces(&self) -> Option<&dyn Forwards> {
        self.before.as_ref()?.forwards()
    }

    fn distinguishes_terminals(&self) -> bool {
        true
    }

    fn tells_senders_apart(&self) -> bool {
        self.lmc > 0 || !self.levels.is_empty() || self.has_lanes_by_ports()
    }

    fn memory_bytes(&self) -> u64 {
        let lanes = match &self.lanes {
            Lanes::ByLevel(_) => 0,
            Lanes::ByPorts { first, lanes } => 8 * first.len() + lanes.len(),
        };
        (2 * self.ports.len() + 4 * self.given.len() + self.levels.len() + lanes) as u64
    }

    fn keeps_order(&self) -> bool {
        self.lmc == 0 && self.total == 1
    }
}

/// Of tables with one address a terminal and lanes by service level, which alone [say](Routing::forwards) that they are that.
impl Forwards for ForwardingTable {
    fn entries(&self, at: RouterId) -> &[Port] {
        let columns = self.columns();
        &self.ports[at.index() * columns..][..columns]
    }

    fn service_levels(&self, source: TerminalId) -> &[u8] {
        let columns = self.columns();
        match self.levels.is_empty() {
            true => &[],
            false => &self.levels[source.index() * columns..][..columns],
        }
    }

    fn is_silent(&self, terminal: TerminalId) -> bool {
        self.silent.binary_search(&terminal).is_ok()
    }

    fn lane(&self, level: u8) -> Vc {
        match &self.lanes {
            Lanes::ByLevel(lanes) => lanes[usize::from(level)],
            Lanes::ByPorts { .. } => 0,
        }
    }
}
