//! A terminal's end of its injection channel, and what goes into it.

use super::super::wiring::Wiring;
use turnwise_network::{TerminalId, Vc};

/// A terminal's end of its injection channel.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct InjectionChannel {
    /// The router behind it, and its first lane there.
    pub(in super::super) router: u32,
    pub(super) first_lane: u32,
    /// Cycles from sending to arriving there.
    pub(super) delay: u32,
    /// Virtual channels that no packet holds.
    pub(super) free: u32,
    /// Where the round-robin search for a virtual channel begins.
    pub(super) next_vc: Vc,
}

impl InjectionChannel {
    pub(super) fn of(wiring: &Wiring, terminal: u32) -> Self {
        let behind = wiring.downstream[(wiring.ports + terminal) as usize];
        let (router, first_lane) = wiring.place(behind.first_lane);
        Self {
            router,
            first_lane,
            delay: 1 + behind.latency,
            free: u32::MAX,
            next_vc: 0,
        }
    }

    /// A packet has taken a virtual channel, of so many.
    #[inline(always)]
    pub(super) fn take(&mut self, vc: Vc, of: Vc) {
        self.free &= !(1 << vc);
        self.next_vc = match vc + 1 == of {
            true => 0,
            false => vc + 1,
        };
    }
}

/// A packet that is to be sent.
#[derive(Clone, Copy)]
pub(super) struct Launch {
    pub(super) destination: TerminalId,
    pub(super) created: u64,
    /// Its number among those of its source.
    pub(super) sequence: u32,
    pub(super) flits: u16,
    /// Its message class.
    pub(super) class: u8,
}
