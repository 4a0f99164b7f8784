//! Builds a [`Network`]: links are named by routers and ports, checked once, then frozen.

use crate::ids::{ChannelId, Port, RouterId, TerminalId};
use crate::network::{Channel, ChannelClass, End, Network, UNCONNECTED};
use crate::shape::Shape;
use std::sync::Arc;
use turnwise_config::diagnostic::Invalid;

/// No network may have more channels than this (injection and ejection included):
/// beyond it, ids and flat arrays would not fit the memory of any machine we know.
pub const MAX_CHANNELS: u64 = 200_000_000;

/// How large a network would be, computed before anything is allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Routers.
    pub routers: u64,
    /// Terminals.
    pub terminals: u64,
    /// Directed router-to-router channels (an upper bound is good enough).
    pub channels: u64,
}

impl Size {
    /// Refuses sizes no machine can hold, naming the `field` of the study that asks for it.
    pub fn check(self, field: &str) -> Result<Self, Invalid> {
        let total = self
            .channels
            .saturating_add(self.terminals.saturating_mul(2));
        if self.routers.saturating_add(total) > MAX_CHANNELS {
            return Err(Invalid::new(
                field,
                format!(
                    "this network would have {} routers, {} terminals and {} channels",
                    self.routers, self.terminals, self.channels
                ),
            )
            .with_help(format!(
                "at most {MAX_CHANNELS} routers and channels together are possible"
            )));
        }
        Ok(self)
    }

    /// Bytes that building a network of this size takes at most. O(1).
    pub fn memory_bytes(self) -> u64 {
        use std::mem::size_of;
        let all_channels = self
            .channels
            .saturating_add(self.terminals.saturating_mul(2));
        // Growing, an array is in memory twice.
        let of_channels = all_channels.saturating_mul(2 * size_of::<Channel>() as u64 + 8);
        let others = self
            .routers
            .saturating_add(self.terminals)
            .saturating_mul(16);
        of_channels.saturating_add(others)
    }
}

/// Collects routers, terminals and links, then freezes them into a [`Network`].
///
/// ```
/// use turnwise_network::{ChannelClass, NetworkBuilder, RouterId, Shape};
///
/// let mut builder = NetworkBuilder::new("a pair", Shape::Graph);
/// let a = builder.router(2, 1); // two ports, the first for a terminal
/// let b = builder.router(2, 1);
/// builder.link((a, 1), (b, 1), 1, ChannelClass::Local, ChannelClass::Local);
/// let network = builder.build(1)?;
/// assert_eq!((network.router_count(), network.terminal_count(), network.channel_count()), (2, 2, 2));
/// assert_eq!(network.next_router(a, 1), Some(b));
/// # Ok::<(), turnwise_network::Invalid>(())
/// ```
#[derive(Clone, Debug)]
pub struct NetworkBuilder {
    description: String,
    shape: Shape,
    port_offsets: Vec<u32>,
    terminal_offsets: Vec<u32>,
    channels: Vec<Channel>,
    /// Of the channels that are added next.
    interval: u32,
}

impl NetworkBuilder {
    /// An empty network with a one-line description.
    pub fn new(description: impl Into<String>, shape: Shape) -> Self {
        Self {
            description: description.into(),
            shape,
            port_offsets: vec![0],
            terminal_offsets: vec![0],
            channels: Vec::new(),
            interval: 1,
        }
    }

    /// Channels that are added from now on are occupied by a flit for so many cycles; for one at first.
    pub fn interval(&mut self, cycles: u32) {
        self.interval = cycles;
    }

    /// Adds a router with `ports` ports, the first `terminals` of which get a terminal each.
    pub fn router(&mut self, ports: usize, terminals: usize) -> RouterId {
        debug_assert!(terminals <= ports && ports <= Port::MAX as usize);
        let last = |offsets: &[u32]| offsets.last().copied().unwrap_or(0);
        let id = RouterId::from(self.port_offsets.len() - 1);
        self.port_offsets
            .push(last(&self.port_offsets) + ports as u32);
        self.terminal_offsets
            .push(last(&self.terminal_offsets) + terminals as u32);
        id
    }

    /// Adds the two channels of a link between two ports; `forward` is the class from `a` to `b`.
    pub fn link(
        &mut self,
        a: (RouterId, usize),
        b: (RouterId, usize),
        latency: u32,
        forward: ChannelClass,
        backward: ChannelClass,
    ) {
        self.channel(a, b, latency, forward);
        self.channel(b, a, latency, backward);
    }

    /// Adds one directed channel.
    pub fn channel(
        &mut self,
        from: (RouterId, usize),
        to: (RouterId, usize),
        latency: u32,
        class: ChannelClass,
    ) {
        self.channels.push(Channel {
            source: End::Router(from.0, from.1 as Port),
            target: End::Router(to.0, to.1 as Port),
            latency,
            interval: self.interval,
            class,
        });
    }

    /// Checks everything and freezes the network; `terminal_latency` is that of injection and ejection channels.
    ///
    /// # Errors
    /// A port used twice, a port or router that does not exist, a latency or an interval of zero, or a
    /// self-link. Topologies never cause these; files can.
    pub fn build(mut self, terminal_latency: u32) -> Result<Network, Invalid> {
        let routers = self.port_offsets.len() - 1;
        let ports = self.port_offsets[routers] as usize;
        let network_channels = self.channels.len();
        let terminal_routers = self.attach_terminals(terminal_latency);
        let mut ports_out = vec![UNCONNECTED; ports];
        let mut ports_in = vec![UNCONNECTED; ports];
        for (index, channel) in self.channels.iter().enumerate() {
            if channel.latency == 0 {
                return Err(Invalid::new(
                    "channel_latency",
                    "a channel's latency is at least 1 cycle",
                ));
            }
            if channel.interval == 0 {
                return Err(Invalid::new(
                    "channel_interval",
                    "a flit occupies a channel for at least 1 cycle",
                ));
            }
            if let (Some(a), Some(b)) = (channel.from_router(), channel.to_router())
                && a == b
            {
                return Err(Invalid::new("", format!("router {a} is linked to itself")));
            }
            for (end, taken) in [
                (channel.source, &mut ports_out),
                (channel.target, &mut ports_in),
            ] {
                let End::Router(router, port) = end else {
                    continue;
                };
                let slot = claim(&self.port_offsets, router, port)?;
                if std::mem::replace(&mut taken[slot], ChannelId::from(index).0) != UNCONNECTED {
                    return Err(Invalid::new(
                        "",
                        format!("port {port} of router {router} is used twice"),
                    ));
                }
            }
        }
        let dead_terminals = vec![false; terminal_routers.len()];
        Ok(Network {
            description: self.description,
            shape: self.shape,
            port_offsets: self.port_offsets,
            ports_out,
            ports_in,
            channels: self.channels,
            network_channels,
            terminal_offsets: self.terminal_offsets,
            terminal_routers,
            dead_routers: vec![false; routers],
            dead_terminals,
            identities: None,
            names: Arc::default(),
            remark: None,
        })
    }

    fn attach_terminals(&mut self, latency: u32) -> Vec<RouterId> {
        let mut routers = Vec::new();
        let mut ejection = Vec::new();
        for router in 0..self.terminal_offsets.len() - 1 {
            let terminals = self.terminal_offsets[router]..self.terminal_offsets[router + 1];
            for (port, terminal) in terminals.enumerate() {
                let at_router = End::Router(RouterId::from(router), port as Port);
                let at_terminal = End::Terminal(TerminalId(terminal));
                let class = ChannelClass::Terminal;
                let channel = |source, target| Channel {
                    source,
                    target,
                    latency,
                    interval: 1,
                    class,
                };
                self.channels.push(channel(at_terminal, at_router));
                ejection.push(channel(at_router, at_terminal));
                routers.push(RouterId::from(router));
            }
        }
        self.channels.append(&mut ejection);
        routers
    }
}

fn claim(port_offsets: &[u32], router: RouterId, port: Port) -> Result<usize, Invalid> {
    let at = router.index();
    if at + 1 >= port_offsets.len() {
        return Err(Invalid::new("", format!("there is no router {router}")));
    }
    let slot = port_offsets[at] + port as u32;
    if slot >= port_offsets[at + 1] {
        return Err(Invalid::new(
            "",
            format!("router {router} has no port {port}"),
        ));
    }
    Ok(slot as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (NetworkBuilder, RouterId, RouterId) {
        let mut builder = NetworkBuilder::new("pair", Shape::Graph);
        let a = builder.router(2, 1);
        let b = builder.router(3, 2);
        (builder, a, b)
    }

    #[test]
    fn ids_of_terminal_channels_follow_the_network_channels() {
        let (mut builder, a, b) = pair();
        builder.link((a, 1), (b, 2), 3, ChannelClass::Local, ChannelClass::Local);
        let network = builder.build(2).unwrap();
        assert_eq!(network.injection_channel(TerminalId(0)), ChannelId(2));
        assert_eq!(network.ejection_channel(TerminalId(2)), ChannelId(7));
        assert_eq!(
            network.in_channel(b, 1),
            Some(network.injection_channel(TerminalId(2)))
        );
        assert_eq!(
            network.out_channel(b, 1),
            Some(network.ejection_channel(TerminalId(2)))
        );
        assert_eq!(network.terminal_port(TerminalId(2)), 1);
        assert_eq!(network.reverse(ChannelId(0)), Some(ChannelId(1)));
        assert_eq!(network.channel(ChannelId(2)).latency, 2);
    }

    #[test]
    fn a_port_cannot_be_used_twice() {
        let (mut builder, a, b) = pair();
        builder.link((a, 1), (b, 1), 1, ChannelClass::Local, ChannelClass::Local);
        assert!(builder.build(1).unwrap_err().message.contains("used twice"));
    }

    #[test]
    fn missing_routers_and_ports_are_reported() {
        let (mut builder, a, b) = pair();
        builder.channel((a, 7), (b, 2), 1, ChannelClass::Local);
        assert!(builder.build(1).unwrap_err().message.contains("no port 7"));
        let (mut builder, a, _) = pair();
        builder.channel((a, 1), (RouterId(9), 2), 1, ChannelClass::Local);
        assert!(
            builder
                .build(1)
                .unwrap_err()
                .message
                .contains("no router 9")
        );
    }

    #[test]
    fn a_size_beyond_any_machine_is_refused() {
        let size = Size {
            routers: 1_000_000_000,
            terminals: u64::MAX,
            channels: 1,
        };
        assert_eq!(size.check("sizes").unwrap_err().place, "sizes");
    }
}
