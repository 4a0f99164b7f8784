//! Channels as the engine uses them: what does not change in a run.

use super::frames::NOWHERE;
use super::model::EthernetModel;
use turnwise_network::{Network, TerminalId};

/// A channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// Cycles for each flit of a frame.
    pub(super) interval: u32,
    /// Cycles from a tail's leaving to the frame's being in the next queue, or at its terminal.
    pub(super) delay: u32,
    /// Cycles from a tail's leaving to its being at the other end.
    pub(super) latency: u32,
    /// The channel in the opposite direction.
    pub(super) reverse: u32,
    /// The router that it leads to, and the port there; [`NOWHERE`] if it leads to a terminal.
    pub(super) to_router: u32,
    pub(super) to_port: u16,
    /// The router that it comes from, and the port there; [`NOWHERE`] if it comes from a terminal.
    pub(super) from_router: u32,
    pub(super) from_port: u16,
    /// The terminal at one of its ends, if there is one.
    pub(super) terminal: u32,
    /// Whoever sends into it is paused above so many flits, and goes on at so many.
    pub(super) pause_above: u32,
    pub(super) resume_at: u32,
}

/// All channels, and where routers have them.
pub(super) struct Links {
    pub(super) links: Vec<Link>,
    /// By router, the place of its first port.
    offsets: Vec<u32>,
    /// By router and port, the channel that leaves; [`NOWHERE`] if none does.
    leaving: Vec<u32>,
}

impl Links {
    pub(super) fn new(network: &Network, model: &EthernetModel) -> Self {
        use turnwise_network::End::{Router, Terminal};
        let link = |id: usize| {
            let id = id.into();
            let channel = network.channel(id);
            let reverse = network.reverse(id).map_or(NOWHERE, |id| id.0);
            let back = network
                .reverse(id)
                .map_or(channel, |back| network.channel(back));
            let (pause_above, resume_at) = model.thresholds(channel, back);
            let mut link = Link {
                interval: channel.interval,
                delay: channel.latency,
                latency: channel.latency,
                reverse,
                to_router: NOWHERE,
                to_port: 0,
                from_router: NOWHERE,
                from_port: 0,
                terminal: NOWHERE,
                pause_above,
                resume_at,
            };
            match channel.source {
                Router(router, port) => (link.from_router, link.from_port) = (router.0, port),
                Terminal(terminal) => link.terminal = terminal.0,
            }
            match channel.target {
                Router(router, port) => {
                    (link.to_router, link.to_port) = (router.0, port);
                    link.delay += model.switch_delay;
                }
                Terminal(terminal) => link.terminal = terminal.0,
            }
            link
        };
        let (mut offsets, mut leaving) = (Vec::new(), Vec::new());
        for router in network.routers() {
            offsets.push(leaving.len() as u32);
            let ports = 0..network.radix(router) as u16;
            leaving.extend(
                ports.map(|port| network.out_channel(router, port).map_or(NOWHERE, |id| id.0)),
            );
        }
        offsets.push(leaving.len() as u32);
        Self {
            links: (0..network.total_channel_count()).map(link).collect(),
            offsets,
            leaving,
        }
    }

    /// The channels that leave a router, by port.
    #[inline]
    pub(super) fn of_router(&self, router: u32) -> &[u32] {
        let [from, to] = [router, router + 1].map(|at| self.offsets[at as usize] as usize);
        &self.leaving[from..to]
    }

    /// The channel by which a terminal sends.
    pub(super) fn injection(network: &Network, terminal: u32) -> u32 {
        network.injection_channel(TerminalId(terminal)).0
    }
}

impl std::ops::Index<u32> for Links {
    type Output = Link;

    #[inline(always)]
    fn index(&self, channel: u32) -> &Link {
        &self.links[channel as usize]
    }
}
