//! The network itself: immutable, flat (CSR arrays), and ignorant of how anything is routed.

use crate::identities::Identities;
use crate::ids::{ChannelId, Port, RouterId, TerminalId};
use crate::shape::Shape;
use std::ops::Range;
use std::sync::Arc;

/// What a channel is for. Routing algorithms, latencies and reports speak of classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChannelClass {
    /// Between a terminal and its router, either way.
    Terminal,
    /// Inside a group (dragonfly, megafly), or any channel of a network without groups.
    Local,
    /// Between groups.
    Global,
    /// Along one dimension of a mesh, torus, hypercube or HyperX.
    Dimension {
        /// Which dimension, 0 is X.
        dimension: u8,
        /// Towards higher coordinates (around the ring for a wrap-around channel)?
        positive: bool,
    },
    /// Towards the roots of a fat tree.
    Up,
    /// Towards the terminals of a fat tree.
    Down,
}

impl ChannelClass {
    /// A short name for tables and files: `terminal`, `local`, `+x`, ...
    pub fn name(self) -> String {
        match self {
            Self::Terminal => "terminal".into(),
            Self::Local => "local".into(),
            Self::Global => "global".into(),
            Self::Dimension {
                dimension,
                positive,
            } => {
                let sign = if positive { '+' } else { '-' };
                format!("{sign}{}", crate::shape::dimension_name(dimension as usize))
            }
            Self::Up => "up".into(),
            Self::Down => "down".into(),
        }
    }
}

/// Where a channel begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// At a port of a router.
    Router(RouterId, Port),
    /// At a terminal.
    Terminal(TerminalId),
}

/// A directed channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The end that sends.
    pub source: End,
    /// The end that receives.
    pub target: End,
    /// Cycles between leaving the source and reaching the target, at least 1.
    pub latency: u32,
    /// Cycles that a flit occupies the channel for, at least 1: the next one may follow after them.
    pub interval: u32,
    /// What the channel is for.
    pub class: ChannelClass,
}

impl Channel {
    /// The sending router; `None` for an injection channel.
    #[inline]
    pub fn from_router(&self) -> Option<RouterId> {
        match self.source {
            End::Router(router, _) => Some(router),
            End::Terminal(_) => None,
        }
    }

    /// The receiving router; `None` for an ejection channel.
    #[inline]
    pub fn to_router(&self) -> Option<RouterId> {
        match self.target {
            End::Router(router, _) => Some(router),
            End::Terminal(_) => None,
        }
    }
}

/// One step from a router to a neighbour, see [`Network::neighbours`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// The port the channel leaves by.
    pub port: Port,
    /// The channel.
    pub channel: ChannelId,
    /// The router it leads to.
    pub router: RouterId,
}

pub(crate) const UNCONNECTED: u32 = u32::MAX;

/// Routers, terminals and directed channels, wired once and never changed.
///
/// All arrays are flat and indexed by id; memory is about 40 bytes a channel.
/// Terminals are numbered router by router. The ports of a router are its terminals'
/// first, then the topology's own in the order its [`Shape`] documents; a port
/// may be unconnected (mesh edges, left-over global ports, dead links).
#[derive(Clone, Debug)]
pub struct Network {
    pub(crate) description: String,
    pub(crate) shape: Shape,
    pub(crate) port_offsets: Vec<u32>,
    pub(crate) ports_out: Vec<u32>,
    pub(crate) ports_in: Vec<u32>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) network_channels: usize,
    pub(crate) terminal_offsets: Vec<u32>,
    pub(crate) terminal_routers: Vec<RouterId>,
    pub(crate) dead_routers: Vec<bool>,
    /// On their own or with their router.
    pub(crate) dead_terminals: Vec<bool>,
    pub(crate) identities: Option<Arc<Identities>>,
    /// What a file calls the routers; empty if they have only numbers.
    pub(crate) names: Arc<[String]>,
    pub(crate) remark: Option<Arc<str>>,
}

impl Network {
    /// One line for people: `8x8 torus`, `dragonfly a=8 p=4 h=4 g=33 (absolute)`.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// What is to be known of it that nobody would think of, in a sentence.
    pub fn remark(&self) -> Option<&str> {
        self.remark.as_deref()
    }

    /// What the topology remembers of itself.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Number of routers, dead ones included (they keep their ids).
    pub fn router_count(&self) -> usize {
        self.port_offsets.len() - 1
    }

    /// Number of terminals, dead ones included (they keep their ids).
    pub fn terminal_count(&self) -> usize {
        self.terminal_routers.len()
    }

    /// Number of router-to-router channels (directed). Their ids are `0..channel_count()`.
    pub fn channel_count(&self) -> usize {
        self.network_channels
    }

    /// Every router id.
    pub fn routers(&self) -> impl ExactSizeIterator<Item = RouterId> + use<> {
        (0..self.router_count()).map(RouterId::from)
    }

    /// Every terminal id.
    pub fn terminals(&self) -> impl ExactSizeIterator<Item = TerminalId> + use<> {
        (0..self.terminal_count()).map(TerminalId::from)
    }

    /// The router-to-router channels with their ids.
    pub fn channels(&self) -> impl ExactSizeIterator<Item = (ChannelId, &Channel)> {
        let channels = self.channels[..self.network_channels].iter();
        channels
            .enumerate()
            .map(|(index, channel)| (ChannelId::from(index), channel))
    }

    /// Any channel, injection and ejection channels included.
    #[inline]
    pub fn channel(&self, id: ChannelId) -> &Channel {
        &self.channels[id.index()]
    }

    /// The routers at both ends of a router-to-router channel; `None` for others.
    pub fn ends(&self, id: ChannelId) -> Option<(RouterId, RouterId)> {
        let channel = self.channel(id);
        Some((channel.from_router()?, channel.to_router()?))
    }

    /// All channels, injection and ejection included: ids are below this.
    pub fn total_channel_count(&self) -> usize {
        self.channels.len()
    }

    /// The channel by which a terminal injects.
    #[inline]
    pub fn injection_channel(&self, terminal: TerminalId) -> ChannelId {
        ChannelId::from(self.network_channels + terminal.index())
    }

    /// The channel by which a terminal receives.
    #[inline]
    pub fn ejection_channel(&self, terminal: TerminalId) -> ChannelId {
        ChannelId::from(self.network_channels + self.terminal_count() + terminal.index())
    }

    /// Bytes of its arrays.
    pub fn memory_bytes(&self) -> u64 {
        use std::mem::size_of;
        let words = self.port_offsets.len()
            + self.ports_out.len()
            + self.ports_in.len()
            + self.terminal_offsets.len()
            + self.terminal_routers.len();
        let flags = self.dead_routers.len() + self.dead_terminals.len();
        (words * size_of::<u32>() + flags + self.channels.len() * size_of::<Channel>()) as u64
    }

    /// Number of ports of a router, unconnected ones included.
    #[inline]
    pub fn radix(&self, router: RouterId) -> usize {
        let ports = self.port_range(router);
        ports.end - ports.start
    }

    /// Where a router's ports lie in an array of all ports (`port_count` long).
    #[inline]
    pub fn port_range(&self, router: RouterId) -> Range<usize> {
        let at = router.index();
        self.port_offsets[at] as usize..self.port_offsets[at + 1] as usize
    }

    /// Number of ports of all routers together.
    pub fn port_count(&self) -> usize {
        self.ports_out.len()
    }

    /// The channel leaving by a port, ejection channels included; `None` if unconnected.
    #[inline]
    pub fn out_channel(&self, router: RouterId, port: Port) -> Option<ChannelId> {
        let raw = *self.ports_out.get(self.port_index(router, port)?)?;
        (raw != UNCONNECTED).then_some(ChannelId(raw))
    }

    /// The channel arriving at a port, injection channels included; `None` if unconnected.
    #[inline]
    pub fn in_channel(&self, router: RouterId, port: Port) -> Option<ChannelId> {
        let raw = *self.ports_in.get(self.port_index(router, port)?)?;
        (raw != UNCONNECTED).then_some(ChannelId(raw))
    }

    /// The router behind a port; `None` if the port leads to a terminal or nowhere.
    #[inline]
    pub fn next_router(&self, router: RouterId, port: Port) -> Option<RouterId> {
        self.channel(self.out_channel(router, port)?).to_router()
    }

    /// May a packet to a terminal leave by a port: to a router, or to that terminal?
    #[inline]
    pub fn may_lead_to(&self, terminal: TerminalId, router: RouterId, port: Port) -> bool {
        let channel = self.out_channel(router, port);
        match channel.map(|channel| self.channel(channel).target) {
            Some(End::Router(..)) => true,
            Some(End::Terminal(other)) => other == terminal,
            None => false,
        }
    }

    #[inline]
    fn port_index(&self, router: RouterId, port: Port) -> Option<usize> {
        let ports = self.port_range(router);
        let index = ports.start + port as usize;
        (index < ports.end).then_some(index)
    }

    /// The living router-to-router channels that leave a router, in port order.
    pub fn neighbours(&self, router: RouterId) -> impl Iterator<Item = Neighbour> + '_ {
        let ports = self.port_range(router);
        self.ports_out[ports]
            .iter()
            .enumerate()
            .filter_map(|(port, &raw)| {
                if raw as usize >= self.network_channels {
                    return None;
                }
                let channel = ChannelId(raw);
                let router = self.channel(channel).to_router()?;
                Some(Neighbour {
                    port: port as Port,
                    channel,
                    router,
                })
            })
    }

    /// The router a terminal is attached to.
    #[inline]
    pub fn router_of(&self, terminal: TerminalId) -> RouterId {
        self.terminal_routers[terminal.index()]
    }

    /// The port of its router that a terminal is attached to.
    #[inline]
    pub fn terminal_port(&self, terminal: TerminalId) -> Port {
        let first = self.terminal_offsets[self.router_of(terminal).index()];
        (terminal.0 - first) as Port
    }

    /// The terminals of a router; consecutive by construction.
    #[inline]
    pub fn terminals_of(&self, router: RouterId) -> Range<u32> {
        let at = router.index();
        self.terminal_offsets[at]..self.terminal_offsets[at + 1]
    }

    /// Has this router not failed?
    #[inline]
    pub fn is_alive(&self, router: RouterId) -> bool {
        !self.dead_routers[router.index()]
    }

    /// Has neither this terminal failed nor its router?
    #[inline]
    pub fn is_terminal_alive(&self, terminal: TerminalId) -> bool {
        !self.dead_terminals[terminal.index()]
    }

    /// The terminals that have not failed, and whose routers have not either.
    pub fn living_terminals(&self) -> impl Iterator<Item = TerminalId> + '_ {
        self.terminals()
            .filter(|&terminal| self.is_terminal_alive(terminal))
    }

    /// The living terminals of a router in ascending order.
    pub fn living_terminals_of(&self, router: RouterId) -> impl Iterator<Item = TerminalId> + '_ {
        self.terminals_of(router)
            .map(TerminalId)
            .filter(|&terminal| self.is_terminal_alive(terminal))
    }

    /// The channel in the opposite direction between the same two ports, if there is one.
    ///
    /// Cables of a butterfly lead one way. Where two of them join the same ports, that is chance, and they are no link.
    pub fn reverse(&self, id: ChannelId) -> Option<ChannelId> {
        let channel = self.channel(id);
        let back = match channel.source {
            End::Router(..) if matches!(self.shape, Shape::Butterfly(_)) => return None,
            End::Router(router, port) => self.in_channel(router, port)?,
            End::Terminal(terminal) => self.ejection_channel(terminal),
        };
        // Two one-way channels may share a port without being each other's reverse.
        (self.channel(back).source == channel.target).then_some(back)
    }

    /// The links between routers, each by the lower of its channels.
    pub fn links(&self) -> impl Iterator<Item = ChannelId> {
        let ids = self.channels().map(|(id, _)| id);
        ids.filter(|&id| self.reverse(id).is_none_or(|back| id < back))
    }

    /// Ports that lead nowhere although their router lives, per router: what a report should mention.
    pub fn unconnected_ports(&self) -> impl Iterator<Item = (RouterId, Port)> + '_ {
        self.routers()
            .filter(|&router| self.is_alive(router))
            .flat_map(move |router| {
                let ports = self.port_range(router);
                (0..ports.len()).filter_map(move |port| {
                    let index = ports.start + port;
                    let idle =
                        self.ports_out[index] == UNCONNECTED && self.ports_in[index] == UNCONNECTED;
                    idle.then_some((router, port as Port))
                })
            })
    }

    /// A router's name in the topology's own coordinates, `(3,5)` or `group 2 router 1`, or what the switch is called in its fabric or file; with
    /// its LID or GUID if others of a fabric are called the same.
    pub fn router_label(&self, router: RouterId) -> String {
        match (self.identities(), self.names.get(router.index())) {
            (Some(known), _) => known.switch_label(router),
            (None, Some(name)) => name.clone(),
            (None, None) => self.shape.router_label(router),
        }
    }

    /// A router's port, by the switch's own number of it if it is one of a fabric.
    pub fn port_label(&self, router: RouterId, port: Port) -> String {
        let known = self.identities();
        match known.filter(|_| usize::from(port) < self.radix(router)) {
            Some(known) => known.port(self, router, port).to_string(),
            None => port.to_string(),
        }
    }

    /// A channel in the topology's own words, `(3,5) -> (4,5) [+x]`, or from port to port of a fabric: `sw3[1] -> sw4[2]`.
    pub fn channel_label(&self, id: ChannelId) -> String {
        let channel = self.channel(id);
        let end = |end: End| match (end, self.identities()) {
            (End::Router(router, port), Some(_)) => {
                let port = self.port_label(router, port);
                format!("{}[{port}]", self.router_label(router))
            }
            (End::Router(router, _), None) => self.router_label(router),
            (End::Terminal(terminal), _) => self.terminal_label(terminal),
        };
        if self.identities.is_some() {
            return format!("{} -> {}", end(channel.source), end(channel.target));
        }
        let parallel = self
            .parallel_index(id)
            .map_or(String::new(), |index| format!(" link {index}"));
        format!(
            "{} -> {} [{}{parallel}]",
            end(channel.source),
            end(channel.target),
            channel.class.name()
        )
    }

    /// Which of several parallel channels between the same routers this is; `None` if it is the only one.
    fn parallel_index(&self, id: ChannelId) -> Option<usize> {
        let (from, to) = self.ends(id)?;
        let parallel = || self.neighbours(from).filter(move |n| n.router == to);
        (parallel().count() > 1)
            .then(|| parallel().position(|n| n.channel == id))
            .flatten()
    }
}
