//! A source queue for each virtual channel of each terminal.
//!
//! Stored is what is held back: packets whose virtual channel was blocked when the terminal could have begun one of another.

use super::super::extent::Extent;
use super::super::unchecked::Part;
use super::super::wiring::NOWHERE;
use super::injection::Launch;
use std::collections::VecDeque;
use std::mem::size_of;
use turnwise_network::{Vc, VcSet};

/// The queues of all terminals.
pub(in super::super) struct VcQueues {
    vcs: u32,
    /// By terminal and virtual channel.
    waiting: Part<VecDeque<Launch>>,
    /// By terminal.
    pub(super) senders: Part<Sender>,
}

/// What a terminal does with its queues.
#[derive(Clone, Copy)]
pub(super) struct Sender {
    /// Slot of the packet under way, [`NOWHERE`] if there is none.
    pub(super) slot: u32,
    /// Its flits that have not left.
    pub(super) left: u16,
    /// Its virtual channel, or that of the last one.
    pub(super) vc: Vc,
    pub(super) created: u64,
    /// Packets in the terminal's queues.
    pub(super) waiting: u32,
}

impl VcQueues {
    /// Bytes of a virtual channel, and of a packet that waits.
    pub(in super::super) const BYTES: (u64, u64) = (
        size_of::<VecDeque<Launch>>() as u64,
        size_of::<Launch>() as u64,
    );

    pub(in super::super) fn new(extent: &Extent, vcs: Vc) -> Self {
        let (terminals, vcs) = (extent.terminals.clone(), u32::from(vcs));
        let idle = Sender {
            slot: NOWHERE,
            left: 0,
            vc: 0,
            created: 0,
            waiting: 0,
        };
        Self {
            vcs,
            waiting: Part::filled(terminals.start * vcs..terminals.end * vcs, VecDeque::new()),
            senders: Part::filled(terminals, idle),
        }
    }

    /// The packets that wait for a virtual channel.
    pub(super) fn queue(&mut self, terminal: u32, vc: u32) -> &mut VecDeque<Launch> {
        &mut self.waiting[terminal * self.vcs + vc]
    }

    /// Is a packet under way on this virtual channel?
    pub(super) fn holds(&self, terminal: u32, vc: u32) -> bool {
        let sender = &self.senders[terminal];
        sender.slot != NOWHERE && u32::from(sender.vc) == vc
    }

    /// Has one of these virtual channels no packet to begin?
    pub(super) fn lacks_packets(&mut self, terminal: u32, vcs: u32) -> bool {
        VcSet(vcs)
            .iter()
            .any(|vc| self.queue(terminal, vc.into()).is_empty())
    }
}
