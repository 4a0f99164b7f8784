//! Following one option: over a channel, to the destination, or into a dead end.

use super::State;
use crate::system::System;
use turnwise_network::contract::forwards::NO_ENTRY;
use turnwise_network::{ChannelId, End, Hop, Network, Port, RouterId, TerminalId, Vc, VcSet};

/// One option that leads to another router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The router-to-router channel taken.
    pub channel: ChannelId,
    /// The virtual channels of it that may be taken; never empty.
    pub vcs: VcSet,
    /// Number of the state it leads to.
    pub next: u32,
    /// The port it leaves by.
    pub port: Port,
}

/// Why a packet cannot go on, or must not go where it would.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadEnd {
    /// The algorithm offers nothing, or what its table has no entry for.
    NoOption,
    /// It offers a port that is unconnected or does not exist.
    Unconnected(Port),
    /// It offers no virtual channel, or one that channels do not have.
    VirtualChannel(Port, VcSet),
    /// It hands the packet to a terminal that is not its destination.
    WrongTerminal(TerminalId),
}

/// Why there is no option, which may be because of one that leads nowhere.
pub(crate) fn no_option(
    system: System<'_>,
    state: State,
    destination: TerminalId,
    vcs: Vc,
) -> DeadEnd {
    let State { router, header } = state;
    let void = system.routing.void(router, header);
    let followed = void.map(|hop| follow(system.network, router, &hop, destination, vcs));
    match followed {
        Some(Err(reason)) => reason,
        Some(Ok(_)) | None => DeadEnd::NoOption,
    }
}

/// Where an option leads: over a channel to a router, or (`None`) to the destination.
#[inline]
pub(super) fn follow(
    network: &Network,
    at: RouterId,
    hop: &Hop,
    destination: TerminalId,
    vcs: Vc,
) -> Result<Option<(ChannelId, RouterId)>, DeadEnd> {
    let channel = network.out_channel(at, hop.port).ok_or(match hop.port {
        NO_ENTRY => DeadEnd::NoOption,
        port => DeadEnd::Unconnected(port),
    })?;
    if !admissible(hop.vcs, vcs) {
        return Err(DeadEnd::VirtualChannel(hop.port, hop.vcs));
    }
    match network.channel(channel).target {
        End::Router(router, _) => Ok(Some((channel, router))),
        End::Terminal(terminal) if terminal == destination => Ok(None),
        End::Terminal(terminal) => Err(DeadEnd::WrongTerminal(terminal)),
    }
}

#[inline]
pub(super) fn admissible(set: VcSet, vcs: Vc) -> bool {
    !set.is_empty() && u64::from(set.0) < 1 << vcs.min(VcSet::CAPACITY)
}
