//! What a terminal of open-loop traffic is sending, and what comes next.

use super::super::wiring::{NOWHERE, Wiring};
use super::injection::{InjectionChannel, Launch};
use turnwise_network::{PacketRequest, TerminalId, Vc};

/// Packets asked for at once.
pub(super) const FEW: usize = 8;

/// The packet a terminal sends, or will send next, and a few that come after it.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Source {
    /// Creation of the present packet, past or to come; `u64::MAX` if there is none.
    pub(super) created: u64,
    pub(super) destination: TerminalId,
    /// Number of the next message to ask for; of the next packet, where messages are packets.
    pub(super) sequence: u32,
    /// By how much the present packet's number is beyond its message's.
    pub(super) ahead_of_message: u32,
    /// Slot of the packet under way, [`NOWHERE`] while it waits, and its virtual channel.
    pub(super) slot: u32,
    pub(super) channel: InjectionChannel,
    pub(super) flits: u16,
    pub(super) sent: u16,
    /// Flits of its message that come behind the present packet.
    pub(super) rest: u16,
    pub(super) vc: Vc,
    /// How many of `few` are still to come, and whether others follow them.
    pub(super) ahead: u8,
    pub(super) last: bool,
    pub(super) few: [PacketRequest; FEW],
}

impl Source {
    /// A terminal that has not asked for anything yet.
    pub(in super::super) fn idle(wiring: &Wiring, terminal: u32) -> Self {
        Self {
            channel: InjectionChannel::of(wiring, terminal),
            created: u64::MAX,
            destination: TerminalId(0),
            sequence: 0,
            ahead_of_message: 0,
            slot: NOWHERE,
            flits: 0,
            sent: 0,
            rest: 0,
            vc: 0,
            ahead: 0,
            last: false,
            few: [PacketRequest::default(); FEW],
        }
    }
}

impl Source {
    /// Number of the present message.
    #[inline(always)]
    pub(super) fn message(&self) -> u32 {
        self.sequence.wrapping_sub(u32::from(self.ahead) + 1)
    }

    /// The present packet as it sets out.
    #[inline(always)]
    pub(super) fn launch(&self) -> Launch {
        Launch {
            destination: self.destination,
            created: self.created,
            sequence: self.message().wrapping_add(self.ahead_of_message),
            flits: self.flits,
            class: 0,
        }
    }
}
