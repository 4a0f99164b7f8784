//! Messages that wait at terminals with agents.

use super::super::extent::Extent;
use super::super::unchecked::Part;
use super::super::wiring::{NOWHERE, Wiring};
use super::injection::InjectionChannel;
use std::collections::VecDeque;
use turnwise_network::{Message, Vc};

/// What all terminals have to send. What belongs to a class of messages is numbered terminal by terminal.
pub(in super::super) struct Outlets {
    pub(super) classes: u32,
    /// By terminal.
    pub(super) channels: Part<InjectionChannel>,
    /// By terminal: the sender that has the injection channel, or had it last.
    pub(super) turns: Part<u32>,
    pub(super) senders: Part<Sender>,
    /// By sender.
    pub(super) queues: Part<VecDeque<Waiting>>,
}

/// The packet of a class that is on its way into the network.
#[derive(Clone, Copy)]
pub(super) struct Sender {
    /// Its slot, [`NOWHERE`] if there is none.
    pub(super) slot: u32,
    /// Flits that have not left.
    pub(super) left: u16,
    pub(super) vc: Vc,
}

/// A message that has not left in full.
#[derive(Clone, Copy)]
pub(super) struct Waiting {
    pub(super) message: Message,
    pub(super) created: u64,
    /// Its number among those of its source.
    pub(super) sequence: u32,
}

/// The first message of a class at its terminal.
pub(in super::super) enum Unsent {
    /// Some of its flits may have left, on this virtual channel.
    UnderWay(Vc),
    /// None of it has left; these virtual channels are not held by others.
    Waiting { message: Message, free: u32 },
}

impl Outlets {
    pub(super) fn new(wiring: &Wiring, extent: &Extent, classes: u32) -> Self {
        let (terminals, first) = (&extent.terminals, extent.terminals.start);
        let channel = |terminal| InjectionChannel::of(wiring, terminal);
        let idle = Sender {
            slot: NOWHERE,
            left: 0,
            vc: 0,
        };
        let senders = first * classes..terminals.end * classes;
        Self {
            classes,
            channels: Part::new(first, terminals.clone().map(channel).collect()),
            turns: Part::new(first, terminals.clone().map(|at| at * classes).collect()),
            senders: Part::filled(senders.clone(), idle),
            queues: Part::filled(senders, VecDeque::new()),
        }
    }

    pub(super) fn channel(&self, terminal: u32) -> InjectionChannel {
        self.channels[terminal]
    }

    /// A message waits from now on.
    pub(super) fn add(&mut self, terminal: u32, waiting: Waiting) {
        let sender = terminal * self.classes + u32::from(waiting.message.class);
        self.queues[sender].push_back(waiting);
    }

    pub(super) fn of(&self, terminal: u32) -> std::ops::Range<u32> {
        terminal * self.classes..(terminal + 1) * self.classes
    }

    pub(super) fn is_empty(&self, terminal: u32) -> bool {
        let mut senders = self.of(terminal);
        senders.all(|sender| self.queues[sender].is_empty())
    }

    /// The buffer behind a virtual channel of an injection channel is empty.
    pub(super) fn drained(&mut self, terminal: u32, vc: u32) {
        let mut senders = self.of(terminal).map(|sender| &self.senders[sender]);
        if !senders.any(|sender| sender.slot != NOWHERE && u32::from(sender.vc) == vc) {
            self.channels[terminal].free |= 1 << vc;
        }
    }

    /// What a terminal is going to send next of every class.
    pub(in super::super) fn unsent(&self, terminal: u32) -> impl Iterator<Item = Unsent> + '_ {
        let free = self.channels[terminal].free;
        self.of(terminal).filter_map(move |sender| {
            let message = self.queues[sender].front()?.message;
            let Sender { slot, vc, .. } = self.senders[sender];
            Some(match slot {
                NOWHERE => Unsent::Waiting { message, free },
                _ => Unsent::UnderWay(vc),
            })
        })
    }
}
