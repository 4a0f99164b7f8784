//! What a router consists of: lanes, output virtual channels, ports, and masks over them.

use super::wiring::NOWHERE;
use turnwise_network::{Header, TerminalId};

/// Lanes of one mask word.
pub(super) const WORD: usize = 64;

/// A lane: one virtual channel of an input port. A FIFO of packets, and the route of the front one.
///
/// Flits are counted, not stored: they arrive in order and leave in order. A packet is
/// put into the lane's [`Queue`] when it gets the virtual channel that leads there, before its first flit arrives.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Lane {
    /// Output virtual channels the front packet may take, once routed. See [`Masks::free`].
    pub(super) want: u64,
    /// Its ports at the switch, as bits: see [`RouteEntry::claim`](super::route_cache::RouteEntry::claim).
    pub(super) claim: u64,
    /// Flits in the buffer.
    pub(super) stored: u16,
    /// Flits of the front packet that have not crossed the switch, once it is routed.
    pub(super) left: u16,
    /// Output port the front packet takes.
    pub(super) port: u16,
    /// Its input port. This never changes.
    pub(super) input: u16,
    /// The front packet, once routed.
    pub(super) slot: u32,
    /// Output virtual channel the front packet holds; [`NOWHERE`] before allocation.
    pub(super) out: u32,
    /// Channel allocation: the output virtual channel that was accepted last.
    pub(super) accept: u32,
    /// Where the credit goes when a flit leaves: the place and the bit for
    /// [`Timeline::credit_at`](super::timeline::Timeline::credit_at). If the sender is a terminal, [`NOWHERE`] and its
    /// place among the injection credits; if the sender is in another domain, [`NOWHERE`]. This never changes.
    pub(super) credit_offset: u32,
    pub(super) credit_bit: u64,
    /// What the front packet was routed with, if its head may choose again; otherwise [`WAITS`](Self::WAITS).
    pub(super) asked: Header,
}

impl Lane {
    /// No header of any packet: the front packet's head waits for what it has chosen, if it has.
    pub(super) const WAITS: Header = Header {
        destination: TerminalId(NOWHERE),
        via: 0,
        step: 0,
        class: 0,
        phase: 0,
        message: 0,
    };

    /// May the head that is routed here choose again?
    #[inline(always)]
    pub(super) fn asks_again(&self) -> bool {
        self.asked.destination != Self::WAITS.destination
    }
}

/// The packets of a lane. Apart from the lane, because the sender adds to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    /// The front packet; [`NOWHERE`] if there is none.
    pub(super) first: u32,
    /// The packet at the end, if there is a front one.
    pub(super) last: u32,
}

impl Queue {
    pub(super) const EMPTY: Self = Self {
        first: NOWHERE,
        last: NOWHERE,
    };
}

/// One virtual channel of an output port.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct OutVc {
    /// The lane behind the channel: the bit and the place for
    /// [`Timeline::flit_at`](super::timeline::Timeline::flit_at); the place is [`NOWHERE`] if the channel leads to a
    /// terminal, out of the domain, or is not there. This never changes.
    pub(super) flit_bit: u64,
    pub(super) flit_offset: u32,
    /// Where the queue of the lane behind it is; [`NOWHERE`] if it leads to a terminal or nowhere.
    pub(super) target: u32,
    /// Free slots downstream, as far as the sender knows.
    pub(super) credits: u16,
    /// Slots downstream. This never changes.
    pub(super) depth: u16,
    /// Channel allocation: the lane that was granted last.
    pub(super) grant: u32,
    /// Lane that holds it; [`NOWHERE`] if it is free.
    pub(super) owner: u32,
}

impl OutVc {
    /// Owner of a channel that waits for its last tail's credit.
    pub(super) const DRAINING: u32 = NOWHERE - 1;
}

/// One port, as output and as input.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct PortState {
    /// Switch allocation: the input that was granted last.
    pub(super) grant: u16,
    /// Switch allocation: the output that was accepted last.
    pub(super) accept: u16,
    /// The virtual channel of this input that crossed the switch last.
    pub(super) choice: u16,
    /// Cycles that a flit occupies the output's channel for. This never changes.
    pub(super) interval: u16,
    /// Flits sent so far.
    pub(super) sent: u32,
    /// Cycles from crossing the switch to arriving behind the channel.
    pub(super) delay: u32,
    /// Cycles until a credit for a flit that leaves this input counts at its sender.
    pub(super) credit_delay: u32,
    /// Router behind the output, and its first lane there. [`NOWHERE`] and the first of its virtual channels if a
    /// terminal is there, numbered as those of injection channels; nothing but [`NOWHERE`] if nothing is.
    pub(super) next_router: u32,
    pub(super) next_lane: u32,
    /// Router that sends into the input, and its first output virtual channel; [`NOWHERE`]
    /// and the terminal if a terminal does.
    pub(super) sender: u32,
    pub(super) sender_out: u32,
    /// Cycles from a flit's arrival at a terminal to its credit's arrival here.
    pub(super) echo: u32,
    /// Flits of packets routed to the output that have not crossed the switch. 0 unless they are counted.
    pub(super) awaiting: u32,
}

impl PortState {
    /// Fills the places of a block beyond its router's ports; never read.
    pub(super) const ABSENT: Self = Self {
        grant: 0,
        accept: 0,
        choice: 0,
        interval: 1,
        sent: 0,
        delay: 0,
        credit_delay: 0,
        next_router: NOWHERE,
        next_lane: 0,
        sender: NOWHERE,
        sender_out: 0,
        echo: 0,
        awaiting: 0,
    };
}

/// The state of up to 64 lanes of a router in masks, one bit a lane.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Masks {
    /// Lanes with a flit.
    pub(super) flits: u64,
    /// Lanes with a packet: a flit of it is here, or some have left and others are still to come.
    pub(super) fronts: u64,
    /// Lanes whose front packet has just come to the front; it has no route yet.
    pub(super) next: u64,
    /// Routed heads that may find a virtual channel.
    pub(super) heads: u64,
    /// Lanes that hold an output virtual channel and are not inside a stage of several cycles.
    pub(super) hold: u64,
    /// Lanes of `hold` whose output virtual channel has no credit.
    pub(super) no_credit: u64,
    /// Output virtual channels that nobody holds, numbered like the lanes of the same port.
    pub(super) free: u64,
    /// Heads that competed in vain in the last step and choose again in the next one.
    pub(super) asking: u64,
}

impl Masks {
    pub(super) const NOTHING: Self = Self {
        flits: 0,
        fronts: 0,
        next: 0,
        heads: 0,
        hold: 0,
        no_credit: 0,
        free: u64::MAX,
        asking: 0,
    };

    /// Lanes that can use the switch.
    #[inline(always)]
    pub(super) fn ready(&self) -> u64 {
        self.hold & self.flits & !self.no_credit
    }

    /// Is there anything to do in a step?
    #[inline(always)]
    pub(super) fn any(&self) -> bool {
        self.next | self.heads | self.ready() != 0
    }
}

/// A router with up to 64 lanes.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Block {
    pub(super) masks: Masks,
    pub(super) lanes: [Lane; WORD],
    pub(super) outs: [OutVc; WORD],
    /// By port: routed heads that wait until one of its virtual channels is given back.
    pub(super) parked: [u64; WORD],
    pub(super) ports: [PortState; WORD],
}
