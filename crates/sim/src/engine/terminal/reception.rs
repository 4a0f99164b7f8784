//! Buffers behind the ejection channels of terminals that may leave messages waiting in the network.

use super::super::block::PortState;
use super::super::extent::Extent;
use super::super::packets::Packets;
use super::super::storage::Storage;
use super::super::unchecked::Part;
use super::super::wheel::Wheel;
use super::super::wiring::{NOWHERE, Wiring};
use std::collections::VecDeque;
use turnwise_network::{Network, TerminalId, Workload};

/// The buffers of all terminals.
pub(in super::super) struct Reception {
    pub(super) classes: usize,
    /// By class: may messages of it be refused?
    refusable: Vec<bool>,
    /// By terminal and virtual channel, as injection credits are.
    pub(super) buffers: Part<Buffer>,
    /// By terminal and class: messages that are being taken up.
    pub(super) coming: Vec<u32>,
    /// What has arrived before this cycle is there.
    pub(super) received: u64,
    /// Heads on their way to terminals, by the place of their buffer.
    pub(super) heads: Wheel<u32>,
    /// Buffers that owe credits.
    pub(super) owing: Vec<u32>,
    /// By terminal: packets that have come and are not being taken up, and the virtual channel that is asked for first
    /// next time.
    pub(super) refused: Vec<u32>,
    pub(super) turns: Vec<u32>,
}

/// The buffer of a virtual channel of an ejection channel.
#[derive(Clone)]
pub(super) struct Buffer {
    /// The router that sends into it, and the output virtual channel there.
    pub(super) router: u32,
    pub(super) out: u32,
    /// Cycles that a flit takes from the switch to here.
    delay: u32,
    /// Cycles that a credit takes to count at the router.
    echo: u32,
    /// Does the next flit that is sent belong to a packet that is being taken up?
    is_taken: bool,
    /// Packets that have got the virtual channel and are not being taken up.
    pub(super) packets: VecDeque<Coming>,
    /// How many of these have been sent in full.
    whole: u32,
    /// When the flits arrive, or have arrived, whose credits are not on their way.
    flits: VecDeque<u64>,
    /// The first so many of them belong to packets that have been taken up. The credits of a virtual channel leave
    /// one a cycle.
    owed: u32,
    /// The first cycle in which a credit may leave.
    opens: u64,
}

/// A packet on its way into a terminal.
#[derive(Clone, Copy)]
pub(super) struct Coming {
    pub(super) slot: u32,
    pub(super) flits: u16,
    /// Flits that have been sent here.
    pub(super) sent: u16,
    /// Has it been refused before?
    pub(super) is_refused: bool,
}

/// What is known of a flit when it is sent to a terminal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Prospect {
    /// It may be refused.
    Open,
    /// It is taken up, and the buffer owes its credit, behind others.
    Owed,
    /// It is taken up, and credited, in the cycle in which it comes.
    Taken,
}

impl Buffer {
    /// When the head of the first packet that is not being taken up arrives or has arrived, if it has been sent.
    pub(super) fn first_arrival(&self) -> Option<u64> {
        self.flits.get(self.owed as usize).copied()
    }

    /// The first packet is being taken up from now on. When its tail arrives, if that has been sent.
    pub(super) fn take(&mut self) -> Option<u64> {
        let Coming { sent, flits, .. } = self.packets.pop_front()?;
        self.owed += u32::from(sent);
        if sent < flits {
            self.is_taken = true;
            return None;
        }
        self.whole -= 1;
        self.flits.get(self.owed as usize - 1).copied()
    }

    /// Lets credits leave that are owed, one a cycle, as far as they do before what is sent now comes: when each
    /// counts, at which router, for which output virtual channel.
    #[inline]
    pub(super) fn credit(&mut self, now: u64, mut send: impl FnMut(u64, u32, u32)) {
        let last = now + u64::from(self.delay);
        let mut given = 0;
        for &arrived in self.flits.iter().take(self.owed as usize) {
            let leaves = arrived.max(self.opens).max(now);
            if leaves > last {
                break;
            }
            send(leaves + u64::from(self.echo), self.router, self.out);
            self.opens = leaves + 1;
            given += 1;
        }
        self.owed -= given as u32;
        match given == self.flits.len() {
            true => self.flits.clear(),
            false => drop(self.flits.drain(..given)),
        }
    }

    pub(super) fn owes(&self) -> bool {
        self.owed > 0
    }
}

impl Reception {
    pub(in super::super) fn new<const ONE_WORD: bool>(
        network: &Network,
        wiring: &Wiring,
        extent: &Extent,
        storage: &Storage<ONE_WORD>,
        workload: &dyn Workload,
        reach: u64,
    ) -> Self {
        let classes = usize::from(workload.classes().max(1));
        let mut refusable = vec![false; classes];
        for &(received, _) in workload.answers() {
            if let Some(refusable) = refusable.get_mut(usize::from(received)) {
                *refusable = true;
            }
        }
        let terminals = wiring.terminals();
        let nothing = Buffer {
            router: NOWHERE,
            out: 0,
            delay: 1,
            echo: 1,
            is_taken: false,
            whole: 0,
            packets: VecDeque::new(),
            flits: VecDeque::new(),
            owed: 0,
            opens: 0,
        };
        let numbers = extent.terminals.start << wiring.shift..extent.terminals.end << wiring.shift;
        let mut buffers = Part::filled(numbers, nothing);
        let terminals_here = extent.terminals.clone().map(TerminalId);
        for terminal in terminals_here.filter(|&terminal| network.is_terminal_alive(terminal)) {
            let (router, port) = (
                network.router_of(terminal).0,
                u32::from(network.terminal_port(terminal)),
            );
            // Those of other domains may be between those of this one.
            if !extent.routers.contains(&router) {
                continue;
            }
            let PortState { delay, echo, .. } = *storage.port(router, port);
            for vc in 0..wiring.stride {
                let buffer = &mut buffers[(terminal.0 << wiring.shift) + vc];
                buffer.router = router;
                buffer.out = (port << wiring.shift) + vc;
                (buffer.delay, buffer.echo) = (delay, echo);
            }
        }
        Self {
            classes,
            refusable,
            buffers,
            coming: vec![0; terminals * classes],
            received: 0,
            heads: Wheel::new(reach),
            owing: Vec::new(),
            refused: vec![0; terminals],
            turns: vec![0; terminals],
        }
    }

    /// A packet has got the virtual channel of the buffer at a place.
    #[inline(never)]
    pub(in super::super) fn announce(&mut self, place: u32, slot: u32, packets: &Packets) {
        let Some(buffer) = self.buffers.get_mut(place) else {
            return;
        };
        let class = usize::from(packets.words(slot).class);
        let is_free = buffer.packets.is_empty() && !buffer.is_taken;
        if is_free && self.refusable.get(class) == Some(&false) {
            let terminal = packets.get(slot).destination.index();
            self.coming[terminal * self.classes + class] += 1;
            buffer.is_taken = true;
            return;
        }
        buffer.packets.push_back(Coming {
            slot,
            flits: packets.get(slot).flits,
            sent: 0,
            is_refused: false,
        });
    }

    /// A flit sets out for the buffer at a place.
    #[inline(always)]
    pub(in super::super) fn send(&mut self, place: u32, is_tail: bool, arrives: u64) -> Prospect {
        let Some(buffer) = self.buffers.get_mut(place) else {
            return Prospect::Taken;
        };
        if !buffer.is_taken {
            if let Some(coming) = buffer.packets.get_mut(buffer.whole as usize) {
                coming.sent += 1;
                if coming.sent == 1 {
                    self.heads.push(arrives, place);
                }
            }
            buffer.whole += u32::from(is_tail);
            buffer.flits.push_back(arrives);
            return Prospect::Open;
        }
        buffer.is_taken = !is_tail;
        if buffer.owed == 0 && arrives >= buffer.opens {
            return Prospect::Taken;
        }
        buffer.flits.push_back(arrives);
        if buffer.owed == 0 {
            self.owing.push(place);
        }
        buffer.owed += 1;
        Prospect::Owed
    }

    pub(super) fn next_due(&self, now: u64) -> Option<u64> {
        match self.owing.is_empty() {
            true => self.heads.next_due(now),
            false => Some(now),
        }
    }

    /// Is a head on its way to a terminal, or a credit about to leave it?
    pub(super) fn is_coming(&self, terminal: u32, shift: u32) -> bool {
        let mut places = self.heads.iter().chain(&self.owing);
        places.any(|&place| place >> shift == terminal)
    }

    /// Flits that still have their credits, on their way to terminals or waiting there: router, output virtual
    /// channel, how many.
    pub(in super::super) fn uncredited(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        let buffers = self.buffers.as_slice().iter();
        let waiting = buffers.map(|buffer| (buffer.router, buffer.out, buffer.flits.len() as u32));
        waiting.filter(|&(.., flits)| flits > 0)
    }

    /// A message has been taken up.
    pub(super) fn taken_up(&mut self, terminal: u32, class: u8) {
        self.coming[terminal as usize * self.classes + usize::from(class)] -= 1;
    }
}
