//! Messages that wait at terminals with agents, and how they leave: at most one flit a cycle and terminal.
//!
//! Each message class has a queue of its own. A class that has begun a packet goes on with it as long as it can, otherwise
//! the classes take turns.

use super::super::domain::Domain;
use super::super::packets::Words;
use super::super::unchecked::Arena;
use super::super::wiring::{NOWHERE, Wiring};
use super::launch::{InjectionChannel, Launch};
use std::collections::VecDeque;
use turnwise_network::{Mark, Message, Vc};

/// What all terminals have to send. What belongs to a class of messages is numbered terminal by terminal.
pub(in super::super) struct Outlets {
    classes: u32,
    /// By terminal.
    channels: Arena<InjectionChannel>,
    /// By terminal: the sender that has the injection channel, or had it last.
    turns: Arena<u32>,
    senders: Arena<Sender>,
    /// By sender.
    queues: Vec<VecDeque<Waiting>>,
}

/// The packet of a class that is on its way into the network.
#[derive(Clone, Copy)]
struct Sender {
    /// Its slot, [`NOWHERE`] if there is none.
    slot: u32,
    /// Flits that have not left.
    left: u16,
    vc: Vc,
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
    pub(super) fn new(wiring: &Wiring, classes: usize) -> Self {
        let terminals = wiring.terminals() as u32;
        let channel = |terminal| InjectionChannel::of(wiring, terminal);
        let idle = Sender {
            slot: NOWHERE,
            left: 0,
            vc: 0,
        };
        let senders = terminals as usize * classes;
        Self {
            classes: classes as u32,
            channels: Arena::new((0..terminals).map(channel).collect()),
            turns: Arena::new((0..terminals).map(|at| at * classes as u32).collect()),
            senders: Arena::new(vec![idle; senders]),
            queues: vec![VecDeque::new(); senders],
        }
    }

    pub(super) fn channel(&self, terminal: u32) -> InjectionChannel {
        self.channels[terminal]
    }

    /// A message waits from now on.
    pub(super) fn add(&mut self, terminal: u32, waiting: Waiting) {
        let sender = terminal * self.classes + u32::from(waiting.message.class);
        self.queues[sender as usize].push_back(waiting);
    }

    fn of(&self, terminal: u32) -> std::ops::Range<u32> {
        terminal * self.classes..(terminal + 1) * self.classes
    }

    fn is_empty(&self, terminal: u32) -> bool {
        let mut senders = self.of(terminal);
        senders.all(|sender| self.queues[sender as usize].is_empty())
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
            let message = self.queues[sender as usize].front()?.message;
            let Sender { slot, vc, .. } = self.senders[sender];
            Some(match slot {
                NOWHERE => Unsent::Waiting { message, free },
                _ => Unsent::UnderWay(vc),
            })
        })
    }
}

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Lets every terminal with something to send put one flit on its injection channel.
    #[inline(never)]
    pub(super) fn send_messages(&mut self) {
        for word in 0..self.active_sources.len() as u32 {
            let mut bits = self.active_sources[word];
            while bits != 0 {
                let terminal = word * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                self.send_of(terminal);
            }
        }
    }

    #[inline(always)]
    fn outlets(&mut self) -> Option<&mut Outlets> {
        Some(&mut self.agents.as_mut()?.outlets)
    }

    #[inline(always)]
    fn send_of(&mut self, terminal: u32) {
        if !self.may_send(terminal) {
            return;
        }
        let Some(outlets) = self.outlets() else {
            return;
        };
        let turn = outlets.turns[terminal];
        if outlets.senders[turn].slot == NOWHERE || !self.go_on(terminal, turn) {
            self.send_another(terminal, turn);
        }
    }

    /// Sends the next flit of a packet that is under way, if there is a credit for it.
    #[inline(always)]
    fn go_on(&mut self, terminal: u32, sender: u32) -> bool {
        let Some(outlets) = self.outlets() else {
            return false;
        };
        let (channel, vc) = (outlets.channels[terminal], outlets.senders[sender].vc);
        if !self.send_flit(terminal, channel, vc) {
            return false;
        }
        if let Some(outlets) = self.outlets() {
            let left = &mut outlets.senders[sender].left;
            *left -= 1;
            if *left == 0 {
                self.message_left(terminal, sender);
            }
        }
        true
    }

    /// Sends a flit of another class, or of the next packet of the same one, if one can go.
    #[inline(never)]
    fn send_another(&mut self, terminal: u32, last: u32) {
        let Some(outlets) = self.outlets() else {
            return;
        };
        let senders = outlets.of(terminal);
        for sender in (last + 1..senders.end).chain(senders.start..last + 1) {
            let sends = match self.is_under_way(sender) {
                true => sender != last && self.go_on(terminal, sender),
                false => self.begin_message(terminal, sender) && self.go_on(terminal, sender),
            };
            if sends {
                if let Some(outlets) = self.outlets() {
                    outlets.turns[terminal] = sender;
                }
                return;
            }
        }
    }

    fn is_under_way(&mut self, sender: u32) -> bool {
        let outlets = self.outlets();
        outlets.is_some_and(|outlets| outlets.senders[sender].slot != NOWHERE)
    }

    /// Gives the first message of a class a virtual channel of the injection channel, if one is free.
    fn begin_message(&mut self, terminal: u32, sender: u32) -> bool {
        let Some(outlets) = self.outlets() else {
            return false;
        };
        let channel = outlets.channels[terminal];
        let Some(&waiting) = outlets.queues[sender as usize].front() else {
            return false;
        };
        let Waiting {
            message,
            created,
            sequence,
        } = waiting;
        let launch = Launch {
            destination: message.destination,
            created,
            sequence,
            flits: message.flits,
            class: message.class,
        };
        let Some((slot, vc)) = self.launch(terminal, channel, launch) else {
            return false;
        };
        let words = Words {
            tag: message.tag,
            mark: Mark::default(),
            class: message.class,
        };
        self.state.packets.write(slot, words);
        let vcs = self.model.virtual_channels;
        if let Some(outlets) = self.outlets() {
            outlets.channels[terminal].take(vc, vcs);
            outlets.senders[sender] = Sender {
                slot,
                left: message.flits,
                vc,
            };
        }
        PLAIN || self.model.routing_delay > 0 || self.decide(channel.router, slot)
    }

    /// The last flit of a message has left.
    fn message_left(&mut self, terminal: u32, sender: u32) {
        let keeps_channel = !PLAIN && self.model.wait_for_tail_credit;
        let Some(agents) = &mut self.agents else {
            return;
        };
        let outlets = &mut agents.outlets;
        let vc = outlets.senders[sender].vc;
        if !keeps_channel {
            outlets.channels[terminal].free |= 1 << vc;
        }
        outlets.senders[sender].slot = NOWHERE;
        if let Some(waiting) = outlets.queues[sender as usize].pop_front() {
            agents.left.push((terminal, waiting.message.tag));
        }
        if agents.outlets.is_empty(terminal) {
            self.active_sources[terminal / 64] &= !(1 << (terminal % 64));
        }
    }
}
