//! The network as the engine uses it: flat arrays indexed by port and virtual channel.
//!
//! A *lane* is one virtual channel of one input port: `lane = port * stride + vc`, where ports of
//! all routers are numbered through and `stride` is a power of two. The same number names the output virtual channel of
//! the port's other direction. Terminals follow the routers' ports as pseudo-ports: as
//! senders they own the output virtual channels of their injection channels.

use super::unchecked::Arena;
use crate::model::RouterModel;
use turnwise_network::{ChannelClass, ChannelId, End, FlowControl, Network, Port};

/// "Not connected" in the arrays below.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Where a router's ports and lanes begin, and how many there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct RouterWiring {
    pub(super) first_port: u32,
    pub(super) first_lane: u32,
    pub(super) ports: u32,
    pub(super) lanes: u32,
}

/// What lies behind an output port.
#[derive(Clone, Copy, Debug)]
pub(super) struct Downstream {
    /// First lane of the next router's input port; [`NOWHERE`] for ejection and unconnected ports.
    pub(super) first_lane: u32,
    /// Latency of the channel.
    pub(super) latency: u32,
    /// Cycles that a flit occupies it for.
    pub(super) interval: u32,
    /// Slots of the buffer behind it, for each virtual channel.
    pub(super) depth: u32,
    /// Index into per-channel counters, [`NOWHERE`] unless it is a router-to-router channel.
    pub(super) channel: u32,
}

/// Who sends into an input port.
#[derive(Clone, Copy, Debug)]
pub(super) struct Upstream {
    /// First output virtual channel of the sender.
    pub(super) first_out: u32,
    /// Cycles until a credit sent now counts there.
    pub(super) credit_delay: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Wiring {
    /// Lanes of a port: the virtual channels, rounded up to a power of two; the rest is not used.
    pub(super) stride: u32,
    /// The logarithm of that to base 2.
    pub(super) shift: u32,
    /// By router.
    pub(super) routers: Arena<RouterWiring>,
    /// By port: its router.
    pub(super) port_routers: Vec<u32>,
    /// Mask words a router: enough for the lanes of the largest.
    pub(super) words: u32,
    /// By port (terminals' pseudo-ports included).
    pub(super) downstream: Vec<Downstream>,
    /// By port.
    pub(super) upstream: Vec<Upstream>,
    /// Ring identity of the channel behind an output port and before an input port
    /// (dimension and direction plus one; 0: none), for the bubble rule.
    pub(super) ring_out: Vec<u8>,
    pub(super) ring_in: Vec<u8>,
    /// Largest number of ports of a router.
    pub(super) max_radix: usize,
    /// Number of ports of routers.
    pub(super) ports: u32,
    /// Longest latency of any channel.
    pub(super) longest: u32,
    /// By terminal: does its router live?
    pub(super) alive: Vec<bool>,
}

impl Wiring {
    pub(super) fn new(network: &Network, model: &RouterModel) -> Self {
        let ports = network.port_count();
        let stride = u32::from(model.virtual_channels).next_power_of_two();
        let unconnected = Downstream {
            first_lane: NOWHERE,
            latency: 1,
            interval: 1,
            depth: model.depth(model.buffers.local, 1, 1),
            channel: NOWHERE,
        };
        let mut wiring = Self {
            stride,
            shift: stride.trailing_zeros(),
            routers: Arena::default(),
            port_routers: Vec::with_capacity(ports),
            words: 1,
            downstream: vec![unconnected; ports + network.terminal_count()],
            upstream: vec![
                Upstream {
                    first_out: NOWHERE,
                    credit_delay: 1
                };
                ports
            ],
            ring_out: vec![0; ports],
            ring_in: vec![0; ports],
            max_radix: 0,
            ports: ports as u32,
            longest: 1,
            alive: network
                .terminals()
                .map(|terminal| network.is_terminal_alive(terminal))
                .collect(),
        };
        for router in network.routers() {
            let range = network.port_range(router);
            wiring.max_radix = wiring.max_radix.max(range.len());
            let lanes = range.len() as u32 * stride;
            wiring.words = wiring.words.max(lanes.div_ceil(64));
            wiring.port_routers.extend(range.clone().map(|_| router.0));
            wiring.routers.push(RouterWiring {
                first_port: range.start as u32,
                first_lane: range.start as u32 * stride,
                ports: range.len() as u32,
                lanes,
            });
        }
        for id in (0..network.total_channel_count()).map(ChannelId::from) {
            wiring.connect(network, id, model);
        }
        wiring
    }

    fn connect(&mut self, network: &Network, id: ChannelId, model: &RouterModel) {
        let channel = network.channel(id);
        let slot = |end: End, outgoing: bool| match end {
            End::Router(router, port) => {
                let found = if outgoing {
                    network.out_channel(router, port)
                } else {
                    network.in_channel(router, port)
                };
                (found == Some(id)).then(|| network.port_range(router).start + port as usize)
            }
            End::Terminal(terminal) => Some(self.ports as usize + terminal.index()),
        };
        // Channels of dead routers keep their ids but are connected nowhere.
        let (Some(from), Some(to)) = (slot(channel.source, true), slot(channel.target, false))
        else {
            return;
        };
        self.longest = self.longest.max(channel.latency);
        let is_network = id.index() < network.channel_count();
        let injects = matches!(channel.source, End::Terminal(_));
        let ejects = matches!(channel.target, End::Terminal(_));
        let first_lane = if ejects {
            NOWHERE
        } else {
            to as u32 * self.stride
        };
        let number = if is_network { id.0 } else { NOWHERE };
        self.downstream[from] = Downstream {
            first_lane,
            latency: channel.latency,
            interval: channel.interval,
            depth: model.buffer_flits(channel),
            channel: number,
        };
        if !ejects {
            // A terminal takes credits up at once, a router after its processing delay.
            let processing = if injects { 0 } else { model.credit_delay };
            self.upstream[to] = Upstream {
                first_out: from as u32 * self.stride,
                credit_delay: 1 + channel.latency + processing,
            };
        }
        let ring = match channel.class {
            ChannelClass::Dimension {
                dimension,
                positive,
            } => 1 + 2 * dimension + u8::from(!positive),
            _ => 0,
        };
        if is_network {
            self.ring_out[from] = ring;
            self.ring_in[to] = ring;
        }
    }

    /// The router of a lane, or of one of its output virtual channels, and the number it has
    /// there; [`NOWHERE`] for anything else.
    pub(super) fn place(&self, lane: u32) -> (u32, u32) {
        if lane as usize >= self.lanes() {
            return (NOWHERE, 0);
        }
        let router = self.router_of(lane);
        (router, lane - self.routers[router].first_lane)
    }

    /// The terminal that sends by an output virtual channel, if one does.
    pub(super) fn sending_terminal(&self, out: u32) -> Option<u32> {
        let terminal = (out / self.stride).checked_sub(self.ports)?;
        (out != NOWHERE).then_some(terminal)
    }

    /// Slots of the buffer behind a terminal's injection channel, for each virtual channel.
    pub(super) fn injection_depth(&self, terminal: u32) -> u32 {
        self.downstream[(self.ports + terminal) as usize].depth
    }

    /// Cycles that the slowest channel takes for a flit.
    pub(super) fn slowest(&self) -> u32 {
        let intervals = self.downstream.iter().map(|at| at.interval);
        intervals.max().unwrap_or(1)
    }

    /// Cycles that any channel takes at most for as many flits as the buffers of a port hold.
    pub(super) fn longest_queue(&self) -> u64 {
        let port = |at: &Downstream| u64::from(at.depth) * u64::from(at.interval);
        let longest = self.downstream.iter().map(port).max();
        longest.unwrap_or(1) * u64::from(self.stride)
    }

    /// Number of terminals.
    pub(super) fn terminals(&self) -> usize {
        self.alive.len()
    }

    /// The router of a lane.
    pub(super) fn router_of(&self, lane: u32) -> u32 {
        self.port_routers[(lane / self.stride) as usize]
    }

    /// Where the queue of a router's lane is.
    #[inline(always)]
    pub(super) fn queue<const ONE_WORD: bool>(&self, router: u32, local: u32) -> u32 {
        match ONE_WORD {
            true => router * 64 + local,
            false => self.routers[router].first_lane + local,
        }
    }

    /// Virtual channels of an output port, as bits of the mask word they are in.
    #[inline(always)]
    pub(super) fn channels(&self, port: Port, vcs: u32) -> u64 {
        u64::from(vcs) << ((u32::from(port) << self.shift) % 64)
    }

    /// Number of lanes of all routers.
    pub(super) fn lanes(&self) -> usize {
        (self.ports * self.stride) as usize
    }
}

/// How much room a head needs downstream before it may take an output virtual channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoomRule {
    pub(super) flow_control: FlowControl,
    /// The longest packet that is ever sent, in flits.
    pub(super) longest_packet: u32,
}

impl RoomRule {
    /// Credits that a packet of `flits` at the front of `lane` needs of output virtual channel `out`.
    #[inline]
    pub(super) fn needed(self, wiring: &Wiring, lane: u32, out: u32, flits: u16) -> u32 {
        let flits = u32::from(flits);
        match self.flow_control {
            FlowControl::Wormhole => 0,
            FlowControl::VirtualCutThrough | FlowControl::Pause => flits,
            FlowControl::Bubble => {
                let ring = wiring.ring_out[(out / wiring.stride) as usize];
                // Only a packet that goes straight on, in the same virtual channel of the same ring,
                // leaves as much room in the ring as before.
                let stays = wiring.ring_in[(lane / wiring.stride) as usize] == ring
                    && lane % wiring.stride == out % wiring.stride;
                if ring == 0 || stays {
                    flits
                } else {
                    flits + self.longest_packet
                }
            }
        }
    }
}
